#include "measure/user_calls.h"

static bool put_request(Buf *out, TorchProcess *p, const UserCallsRequest *q, Err *e) {
    if (!baseline_put_inputs(out, p, q->inputs, e)) return false;
    buf_puts(out, ",\"choices\":[");
    for (int g = 0; g < q->run->groups; g++) buf_printf(out, "%s%d", g ? "," : "", q->choice[g]);
    buf_puts(out, "],\"run\":");
    if (!recorded_run_write(out, q->run, e)) return false;
    buf_puts(out, "}\n");
    return true;
}

bool user_calls_ask(Arena *a, TorchProcess *p, const UserCallsRequest *q, UserCallTimes *out, int *n,
                    Err *e) {
    Buf request = BUF(a);
    Str answer;
    *n = 0;
    return put_request(&request, p, q, e) && torch_process_ask(a, p, buf_str(&request), &answer, e) &&
           user_calls_read(a, answer, out, n, e);
}

static UserCallTimes *named(Arena *a, UserCallTimes *out, int *n, const char *name) {
    for (int i = 0; i < *n; i++)
        if (str_is(out[i].name, name)) return &out[i];
    if (*n == USER_CALLS_MAX) return NULL;
    out[*n] = (UserCallTimes){.name = str_dup(a, str_of(name))};
    return &out[(*n)++];
}

bool user_calls_read(Arena *a, Str text, UserCallTimes *out, int *n, Err *e) {
    Json j;
    Str error = {0};
    *n = 0;
    bool ok =
        json_parse("the answer of user_calls.py", text, &j, e) && json_get_text(&j, j.root, "error", &error);
    if (ok && error.len) ok = err_set(e, ERR_IO, "calls from Python fail: %.*s", STR_ARG(error));
    const char *name;
    json_t *o;
    if (ok) {
        json_object_foreach(json_object_get(j.root, "modes"), name, o) {
            UserCallTimes *t = ok ? named(a, out, n, name) : NULL;
            if (t)
                ok = baseline_times_read(&j, o, "call", t->call, &t->calls) &&
                     baseline_times_read(&j, o, "queued", t->queued, &t->queueds);
        }
        json_object_foreach(json_object_get(j.root, "errors"), name, o) {
            UserCallTimes *t = named(a, out, n, name);
            if (t) t->why = str_dup(a, json_str(o));
        }
    }
    json_close(&j);
    return ok;
}
