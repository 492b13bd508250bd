#include "measure/timing/timing_job.h"

#include <inttypes.h>

void timing_job_write(Buf *out, const TimingJob *job) {
    buf_printf(out, "{\"seed\":%" PRId64 ",\"rounds\":%d,\"checked\":%d,\"target_us\":%.3f,\"seconds\":%.3f",
               (int64_t)(job->seed >> 1), job->rounds, job->checked, job->target_us, job->seconds);
    if (job->uncleared) buf_puts(out, ",\"uncleared\":true");
    buf_printf(out, ",\"l2_times\":%" PRId64 ",\"rows\":%" PRId64 ",\"outputs\":[", job->l2_times, job->rows);
    for (int k = 0; k < job->outputs; k++) buf_printf(out, "%s%" PRId64, k ? "," : "", job->output[k]);
    buf_puts(out, "],\"in_place\":[");
    for (int k = 0; k < job->outputs; k++) buf_printf(out, "%s%d", k ? "," : "", job->in_place[k]);
    buf_puts(out, "],\"inputs\":[");
    for (int i = 0; i < job->inputs; i++)
        buf_printf(out, "%s{\"at\":%" PRId64 ",\"bytes\":%" PRId64 ",\"row_bytes\":%" PRId64 "}",
                   i ? "," : "", job->input[i].at, job->input[i].bytes, job->input[i].row_bytes);
    buf_puts(out, "],\"contenders\":[");
    for (int i = 0; i < job->contenders; i++) {
        buf_printf(out, "%s{\"compared\":%s,\"name\":", i ? "," : "",
                   job->contender[i].compared ? "true" : "false");
        json_put(out, json_quoted(job->contender[i].name));
        buf_puts(out, ",\"run\":");
        timed_run_write(out, &job->contender[i].run);
        buf_putc(out, '}');
    }
    buf_puts(out, "]}");
}

static bool inputs_read(const Json *j, int64_t mapped, TimingJob *t) {
    const json_t *list = json_object_get(j->root, "inputs");
    size_t n = json_array_size(list);
    if (n > TIMING_INPUTS_MAX) return err_set(j->e, ERR_INPUT, "timing job: %zu inputs", n);
    for (size_t i = 0; i < n; i++) {
        const json_t *o = json_array_get(list, i);
        TimingInput *in = &t->input[t->inputs++];
        in->bytes = -1;
        if (!json_get_int(j, o, "at", 0, RUN_BYTES_MAX, &in->at) ||
            !json_get_int(j, o, "bytes", 0, RUN_BYTES_MAX, &in->bytes) ||
            !json_get_int(j, o, "row_bytes", 0, RUN_BYTES_MAX, &in->row_bytes))
            return false;
        if (in->bytes < 0 || in->at > mapped || in->bytes > mapped - in->at ||
            (in->row_bytes && (in->bytes / in->row_bytes != t->rows || in->bytes % in->row_bytes)))
            return err_set(j->e, ERR_INPUT, "timing job: input %zu is not what its mapping holds", i);
    }
    return true;
}

static bool outputs_read(const Json *j, TimingJob *t) {
    const json_t *list = json_object_get(j->root, "outputs");
    size_t n = json_array_size(list);
    if (n < 1 || n > RUN_OUTPUTS_MAX) return err_set(j->e, ERR_INPUT, "timing job: %zu outputs", n);
    for (size_t k = 0; k < n; k++) {
        const json_t *v = json_array_get(list, k);
        int64_t bytes = json_is_integer(v) ? json_integer_value(v) : 0;
        if (bytes < 1 || bytes > RUN_BYTES_MAX)
            return err_set(j->e, ERR_INPUT, "timing job: output %zu has no size that can be", k);
        t->output[t->outputs++] = bytes;
    }
    return true;
}

// After both: an input takes the place of one answer at most.
static bool in_place_read(const Json *j, TimingJob *t) {
    const json_t *list = json_object_get(j->root, "in_place");
    if (json_absent(list)) return true;
    if (json_array_size(list) != (size_t)t->outputs)
        return err_set(j->e, ERR_INPUT, "timing job: \"in_place\": one number for each output belongs here");
    for (int k = 0; k < t->outputs; k++) {
        const json_t *v = json_array_get(list, (size_t)k);
        int64_t input =
            json_is_integer(v) && json_integer_value(v) >= 0 ? json_integer_value(v) - 1 : INT64_MAX;
        if (input >= t->inputs ||
            (input >= 0 && (timing_changes(t, (int)input) || t->input[input].bytes != t->output[k])))
            return err_set(j->e, ERR_INPUT, "timing job: output %d is none of its inputs", k);
        t->in_place[k] = (int)input + 1;
    }
    return true;
}

bool timing_answers_placed(const TimingJob *job, const TimedRun *run, Err *e) {
    for (int k = 0; k < job->outputs; k++)
        if (job->in_place[k] &&
            (run->buffer[run->output[k].buffer].input != job->in_place[k] - 1 || run->output[k].offset != 0))
            return err_set(e, ERR_INPUT, "answer %d is not the input that is changed in place", k);
    return true;
}

static bool contenders_read(Arena *a, const Json *j, TimingJob *t) {
    const json_t *list = json_object_get(j->root, "contenders");
    size_t n = json_array_size(list);
    int64_t bytes[TIMING_INPUTS_MAX];
    for (int i = 0; i < t->inputs; i++) bytes[i] = t->input[i].bytes;
    if (n < 1 || n > TIMING_CONTENDERS_MAX) return err_set(j->e, ERR_INPUT, "timing job: %zu contenders", n);
    t->contender = NEWN(a, TimingContender, n);
    for (size_t i = 0; i < n; i++) {
        const json_t *o = json_array_get(list, i);
        TimingContender *c = &t->contender[t->contenders++];
        if (!json_get_text(j, o, "name", &c->name) || !json_get_bool(j, o, "compared", &c->compared))
            return false;
        c->name = str_dup(a, c->name);
        const TimedRunSource s = {j, json_object_get(o, "run"), bytes, t->inputs, t->output, t->outputs};
        if (!timed_run_read(a, &s, &c->run, j->e) ||
            (c->compared && !timing_answers_placed(t, &c->run, j->e)))
            return err_ctx(j->e, "contender %s", str_cdup(a, c->name));
    }
    return true;
}

bool timing_job_read(Arena *a, Str text, int64_t mapped, TimingJob *out, Err *e) {
    Json j;
    *out = (TimingJob){.l2_times = 5, .target_us = 500, .seconds = 10};
    int64_t seed = 0, rounds = 7, checked = 0;
    bool ok = json_parse("timing job", text, &j, e) &&
              json_get_bool(&j, j.root, "uncleared", &out->uncleared) &&
              json_get_int(&j, j.root, "seed", 0, INT64_MAX, &seed) &&
              json_get_int(&j, j.root, "rounds", 1, TIMING_ROUNDS_MAX, &rounds) &&
              json_get_int(&j, j.root, "checked", 0, 64, &checked) &&
              json_get_int(&j, j.root, "l2_times", 1, 100, &out->l2_times) &&
              json_get_int(&j, j.root, "rows", 0, RUN_BYTES_MAX, &out->rows) &&
              json_get_real(&j, j.root, "target_us", &out->target_us) &&
              json_get_real(&j, j.root, "seconds", &out->seconds);
    out->seed = (uint64_t)seed;
    out->rounds = (int)rounds;
    out->checked = (int)checked;
    ok = ok && outputs_read(&j, out) && inputs_read(&j, mapped, out) && in_place_read(&j, out) &&
         contenders_read(a, &j, out);
    json_close(&j);
    return ok;
}

// ---- the answer

static json_t *reals(const double *x, int n) {
    json_t *list = json_array();
    for (int i = 0; i < n; i++) json_array_append_new(list, json_real(x[i]));
    return list;
}

void timing_result_write(Buf *out, const TimingResult *r) {
    json_t *o = json_pack(
        "{s:s%,s:i,s:i,s:i,s:i,s:i,s:i,s:I,s:I,s:i,s:i,s:b,s:f,s:f,s:f,s:o,s:o}", "device", r->device,
        strlen(r->device), "driver", r->driver, "major", r->major, "minor", r->minor, "processors",
        r->processors, "sm_khz", r->sm_khz, "memory_khz", r->memory_khz, "l2_bytes", (json_int_t)r->l2_bytes,
        "memory_bytes", (json_int_t)r->memory_bytes, "sets", r->sets, "rounds", r->rounds, "cold", r->cold,
        "floor_us", r->floor_us, "seconds", r->seconds, "seconds_windows", r->seconds_windows, "sm_mhz",
        reals(r->sm_mhz, r->clocks), "watts", reals(r->watts, r->powers));
    json_t *list = json_array();
    for (int i = 0; i < r->contenders; i++) {
        const TimedContender *c = &r->contender[i];
        json_array_append_new(list, json_pack("{s:o,s:i,s:o,s:o,s:o,s:o,s:f,s:i,s:i,s:i,s:i}", "name",
                                              json_quoted(c->name), "end", (int)c->end, "why",
                                              json_quoted(str_of(c->why)), "cold", reals(c->cold, c->colds),
                                              "hot", reals(c->hot, c->hots), "call", reals(c->call, c->calls),
                                              "checked_us", c->checked_us, "calls_of_window",
                                              c->calls_of_window, "windows", c->windows, "registers",
                                              c->registers, "local_bytes", c->local_bytes));
    }
    json_object_set_new(o, "contenders", list);
    if (!json_put_precise(out, o, 9)) buf_puts(out, "null");
}

static bool reals_read(const Json *j, const json_t *o, const char *key, double *x, int *n) {
    const json_t *list = json_object_get(o, key);
    size_t many = json_array_size(list);
    if (many > TIMING_ROUNDS_MAX) return err_set(j->e, ERR_INPUT, "%s: \"%s\": too many", j->file, key);
    for (size_t i = 0; i < many; i++) {
        const json_t *v = json_array_get(list, i);
        if (!json_is_number(v) || !(json_number_value(v) >= 0))
            return err_set(j->e, ERR_INPUT, "%s: \"%s\": times belong here", j->file, key);
        x[(*n)++] = json_number_value(v);
    }
    return true;
}

static bool int_read(const Json *j, const json_t *o, const char *key, int *out) {
    int64_t n = 0;
    if (!json_get_int(j, o, key, 0, INT32_MAX, &n)) return false;
    *out = (int)n;
    return true;
}

static bool timed_read(Arena *a, const Json *j, const json_t *o, TimedContender *c) {
    int64_t end = 0;
    Str why = {0};
    if (!json_get_text(j, o, "name", &c->name) || !json_get_int(j, o, "end", 0, TIMED_ENDS - 1, &end) ||
        !json_get_text(j, o, "why", &why) || !reals_read(j, o, "cold", c->cold, &c->colds) ||
        !reals_read(j, o, "hot", c->hot, &c->hots) || !reals_read(j, o, "call", c->call, &c->calls) ||
        !json_get_real(j, o, "checked_us", &c->checked_us) ||
        !int_read(j, o, "calls_of_window", &c->calls_of_window) || !int_read(j, o, "windows", &c->windows) ||
        !int_read(j, o, "registers", &c->registers) || !int_read(j, o, "local_bytes", &c->local_bytes))
        return false;
    c->name = str_dup(a, c->name);
    c->end = (TimedEnd)end;
    if (c->end == TIMED_WELL && !c->colds)
        return err_set(j->e, ERR_INPUT, "%s: a contender that ended well has no times", j->file);
    snprintf(c->why, sizeof c->why, "%.*s", STR_ARG(why));
    return true;
}

bool timing_result_read(Arena *a, Str text, TimingResult *out, Err *e) {
    Json j;
    Str device = {0};
    *out = (TimingResult){0};
    bool ok = json_parse("a measuring process's answer", text, &j, e) &&
              json_get_text(&j, j.root, "device", &device) && int_read(&j, j.root, "driver", &out->driver) &&
              int_read(&j, j.root, "major", &out->major) && int_read(&j, j.root, "minor", &out->minor) &&
              int_read(&j, j.root, "processors", &out->processors) &&
              int_read(&j, j.root, "sm_khz", &out->sm_khz) &&
              int_read(&j, j.root, "memory_khz", &out->memory_khz) &&
              int_read(&j, j.root, "sets", &out->sets) && int_read(&j, j.root, "rounds", &out->rounds) &&
              json_get_bool(&j, j.root, "cold", &out->cold) &&
              json_get_int(&j, j.root, "l2_bytes", 0, INT64_MAX, &out->l2_bytes) &&
              json_get_int(&j, j.root, "memory_bytes", 0, INT64_MAX, &out->memory_bytes) &&
              json_get_real(&j, j.root, "floor_us", &out->floor_us) &&
              json_get_real(&j, j.root, "seconds", &out->seconds) &&
              json_get_real(&j, j.root, "seconds_windows", &out->seconds_windows) &&
              reals_read(&j, j.root, "sm_mhz", out->sm_mhz, &out->clocks) &&
              reals_read(&j, j.root, "watts", out->watts, &out->powers);
    const json_t *list = ok ? json_object_get(j.root, "contenders") : NULL;
    size_t n = json_array_size(list);
    if (ok && n > TIMING_CONTENDERS_MAX)
        ok = err_set(e, ERR_INPUT, "a measuring process names %zu contenders", n);
    if (ok) out->contender = NEWN(a, TimedContender, n + 1);
    for (size_t i = 0; ok && i < n; i++)
        ok = timed_read(a, &j, json_array_get(list, i), &out->contender[out->contenders++]);
    if (ok)
        snprintf(out->device, sizeof out->device, "%.*s", (int)(device.len < 95 ? device.len : 95), device.p);
    json_close(&j);
    return ok;
}
