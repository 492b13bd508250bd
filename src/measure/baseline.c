#include "measure/baseline.h"

#include <inttypes.h>
#include <stdio.h>

#include "cases/modules/modules_domain.h"

// ---- asking it

static void put_inputs(Buf *out, const BaselineRequest *q, bool places) {
    for (int i = 0; i < q->job->inputs; i++) {
        buf_printf(out, "%s{\"dtype\":\"%s\",\"shape\":[", i ? "," : "", dtype_info[q->dtype[i]].torch);
        for (int d = 0; d < q->op->input[i].rank; d++)
            buf_printf(out, "%s%" PRId64, d ? "," : "", q->shape[i][d]);
        buf_puts(out, "]");
        if (places) buf_printf(out, ",\"at\":%" PRId64, q->job->input[i].at);
        buf_puts(out, "}");
    }
}

// Bytes that a set takes: what is changed in place needs no answer of its own.
static void put_settings(Buf *out, const BaselineRequest *q) {
    int64_t bytes = timing_output_bytes(q->job);
    for (int i = 0; i < q->job->inputs; i++) bytes += q->job->input[i].bytes;
    buf_puts(out, "\"in_place\":[");
    for (int k = 0; k < q->job->outputs; k++) {
        buf_printf(out, "%s%d", k ? "," : "", q->job->in_place[k] - 1);
        if (q->job->in_place[k]) bytes -= q->job->output[k];
    }
    buf_puts(out, "],");
    buf_printf(out,
               "\"bytes\":%" PRId64 ",\"rounds\":%d,\"target_us\":%g,\"l2_times\":%" PRId64 ",\"draws\":%d",
               bytes, q->job->rounds, q->job->target_us, q->job->l2_times, q->draws);
}

// A module as a function of its inputs and its parameters, behind its file: whoever calls it gives all of
// them, as of any definition.
static void put_module(Buf *out, const ModulesDomain *m) {
    const ModuleRun *run = &m->values.run;
    int given = 0;
    print_module(out, m->file.tree);
    buf_puts(out,
             "\n\nouroboros_model = Model(*(get_init_inputs() if \"get_init_inputs\" in globals() else []))"
             "\nif torch.cuda.is_available():\n    ouroboros_model.cuda()\n\n\ndef reference(*given):\n"
             "    inputs = (");
    for (int i = 0; i < run->inputs; i++)
        if (run->input[i].tensor)
            buf_printf(out, "given[%d], ", given++);
        else
            buf_printf(out, "%.*s, ", STR_ARG(run->input[i].text));
    buf_puts(out, ")\n    parameters = {");
    for (int i = 0; i < run->tensors; i++)
        if (!run->tensor[i].buffer)
            buf_printf(out, "\"%.*s\": given[%d], ", STR_ARG(run->tensor[i].name), given++);
    buf_puts(out, "}\n    with torch.no_grad():\n"
                  "        return torch.func.functional_call(ouroboros_model, parameters, inputs)\n");
}

void baseline_source(Buf *out, const Op *op) {
    buf_puts(out, "import torch\n");
    if (op->form)
        put_module(out, modules_of(op));
    else
        print_module(out, op->module);
}

static void put_source(Buf *out, const Op *op) {
    Arena a = {0};
    Buf source = BUF(&a);
    baseline_source(&source, op);
    json_put(out, json_quoted(buf_str(&source)));
    arena_free(&a);
}

bool baseline_put_inputs(Buf *out, TorchProcess *p, const BaselineRequest *q, Err *e) {
    const char *path;
    if (!torch_process_give(p, q->inputs, &path, e)) return false;
    buf_puts(out, "{\"source\":");
    put_source(out, q->op);
    buf_puts(out, ",\"file\":");
    json_put(out, json_quoted(str_of(path)));
    buf_puts(out, ",\"inputs\":[");
    put_inputs(out, q, true);
    buf_puts(out, "],");
    put_settings(out, q);
    return true;
}

// The script that answers belongs to it, too.
void baseline_request_key(Buf *out, const BaselineRequest *q) {
    const Str script = torch_script_text(TORCH_BASELINE);
    buf_put(out, script.p, script.len);
    put_source(out, q->op);
    put_inputs(out, q, false);
    put_settings(out, q);
}

bool baseline_ask(Arena *a, TorchProcess *p, const BaselineRequest *q, Str *text, BaselineTimes *out,
                  Err *e) {
    Buf request = BUF(a);
    if (!baseline_put_inputs(&request, p, q, e)) return false;
    buf_puts(&request, "}\n");
    return torch_process_ask(a, p, buf_str(&request), text, e) && baseline_read(a, *text, q->job, out, e);
}

// ---- its answer

bool baseline_times_read(const Json *j, const json_t *o, const char *key, double *x, int *n) {
    const json_t *list = json_object_get(o, key);
    if (json_array_size(list) > TIMING_ROUNDS_MAX)
        return err_set(j->e, ERR_INPUT, "%s: \"%s\": too many", j->file, key);
    for (size_t i = 0; i < json_array_size(list); i++) {
        double v = json_number_value(json_array_get(list, i));
        if (!(v > 0)) return err_set(j->e, ERR_INPUT, "%s: \"%s\": times belong here", j->file, key);
        x[(*n)++] = v;
    }
    return true;
}

static bool mode_read(Arena *a, const Json *j, const char *name, const json_t *o, const TimingJob *job,
                      BaselineMode *m) {
    int64_t bytes[TIMING_INPUTS_MAX];
    const json_t *run = json_object_get(o, "run");
    m->name = str_dup(a, str_of(name));
    for (int i = 0; i < job->inputs; i++) bytes[i] = job->input[i].bytes;
    if (!baseline_times_read(j, o, "device", m->device, &m->devices) ||
        !baseline_times_read(j, o, "call", m->call, &m->calls))
        return false;
    m->replayable = run != NULL;
    if (!run) return true;
    const TimedRunSource s = {j, run, bytes, job->inputs, job->output, job->outputs};
    return timed_run_read(a, &s, &m->run, j->e) && timing_answers_placed(job, &m->run, j->e);
}

bool baseline_read(Arena *a, Str text, const TimingJob *job, BaselineTimes *out, Err *e) {
    Json j;
    Str error = {0};
    *out = (BaselineTimes){0};
    bool ok = json_parse("the baseline's answer", text, &j, e) &&
              json_get_text(&j, j.root, "error", &error) && json_get_text(&j, j.root, "torch", &out->torch) &&
              json_get_text(&j, j.root, "triton", &out->triton);
    if (ok && error.len) ok = err_set(e, ERR_IO, "the baseline fails: %.*s", STR_ARG(error));
    out->torch = str_dup(a, out->torch);
    out->triton = str_dup(a, out->triton);
    const char *name;
    json_t *o;
    if (ok) {
        json_object_foreach(json_object_get(j.root, "modes"), name, o) {
            if (!ok || out->modes == BASELINE_MODES_MAX) break;
            ok = mode_read(a, &j, name, o, job, &out->mode[out->modes++]);
        }
        json_object_foreach(json_object_get(j.root, "errors"), name, o) {
            BaselineMode *m = NULL;
            for (int i = 0; i < out->modes; i++)
                if (str_is(out->mode[i].name, name)) m = &out->mode[i];
            if (!m && out->modes < BASELINE_MODES_MAX) {
                m = &out->mode[out->modes++];
                m->name = str_dup(a, str_of(name));
            }
            if (m) m->why = str_dup(a, json_str(o));
        }
    }
    json_close(&j);
    return ok;
}
