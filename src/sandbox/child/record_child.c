// The job of a child that records: one call of the candidate's host code on tensors that are not there; two
// of a program that keeps something from the first one, and then the second is what counts.
#include "gpu/recorder.h"
#include "host/host.h"
#include "sandbox/record.h"
#include <stdio.h>

enum { EXIT_DONE, EXIT_WIRE = 10, EXIT_PIPE, EXIT_SILENT };
enum { PAGES = 1 << 10, COMPARED_MOST = 1 << 18 };
static const int64_t steps = (int64_t)1 << 32;

static int finding(const RecordChild *c, const Diag *d, const char *text) {
    CaseReport r = {.case_index = -1, .kind = REPORT_FINDING, .finding = DIAG_UNSUPPORTED};
    if (d) {
        size_t all = c->module->module.source.len, at = d->span.at < all ? d->span.at : all;
        r.finding = (int32_t)d->kind;
        r.at = (uint32_t)at;
        r.len = (uint32_t)(d->span.len < all - at ? d->span.len : all - at);
    }
    wire_message(&r, d ? d->msg : text);
    return wire_send(c->job->report_fd, &r, 1) ? EXIT_DONE : EXIT_PIPE;
}

static bool input_make(Machine *m, const RecordInput *in, Tensor *out) {
    if (in->dtype < 0 || in->dtype >= DT_COUNT || in->rank < 0 || in->rank > TENSOR_RANK_MAX || in->bytes < 0)
        return false;
    *out = (Tensor){.dtype = (DType)in->dtype, .rank = in->rank, .offset = in->offset};
    memcpy(out->shape, in->shape, sizeof out->shape);
    memcpy(out->stride, in->stride, sizeof out->stride);
    const uint8_t *zeros = storage_sparse(&m->storages, (size_t)in->bytes);
    return zeros && storage_wrap_open(&m->storages, out->dtype, zeros, (size_t)in->bytes, &out->storage);
}

// Builds the program and calls it. What building took has to be as it was after the call: then every call is
// like this one.
static bool call(Recorder *r, HostProgram *p, Arena *memory, const Tensor *input, int inputs) {
    Tensor out[HOST_OUTPUTS_MAX];
    ArenaMark mark = arena_mark(memory);
    if (!host_build(p, input, inputs)) return false;
    recorder_setup_ends(r);
    ArenaCopy built;
    bool compared = arena_copy(memory, mark, COMPARED_MOST, &built);
    if (!host_call(p, input, inputs, out)) return false;
    if (compared && arena_copy_same(&built)) return true;
    recorder_setup_ends(r);
    return host_call(p, input, inputs, out);
}

static int run_send(const RecordChild *c, const RecordedRun *run) {
    Buf text = BUF(c->code);
    Err e = {0};
    if (!recorded_run_write(&text, run, &e)) return finding(c, NULL, e.msg);
    if (text.len > c->job->output_bytes) return finding(c, NULL, "the run takes too much room");
    memcpy(c->job->output, text.p, text.len);
    CaseReport r = {.case_index = -1, .kind = REPORT_DONE};
    char message[64];
    snprintf(message, sizeof message, "bytes %zu", text.len);
    wire_message(&r, message);
    return wire_send(c->job->report_fd, &r, 1) ? EXIT_DONE : EXIT_PIPE;
}

int record_child(const RecordChild *c) {
    const RecordOrder *o = (const RecordOrder *)(c->job->draw + sizeof(DrawHeader));
    if (c->job->draw_bytes < sizeof(DrawHeader) + sizeof *o || o->inputs < 0 || o->inputs > WIRE_INPUTS_MAX ||
        o->outputs < 1 || o->outputs > HOST_OUTPUTS_MAX)
        return EXIT_WIRE;
    DiagList diags = DIAGS(c->code);
    Machine *m = NEW(c->call, Machine);
    machine_init(m, c->call, &diags, steps);
    m->gpu.processors = o->processors;
    m->autotune.pruned = c->tuned;
    storage_sparse_open(&m->storages, c->job->sparse, c->sparse, PAGES);
    Tensor input[WIRE_INPUTS_MAX];
    for (int i = 0; i < o->inputs; i++)
        if (!input_make(m, &o->input[i], &input[i])) return EXIT_WIRE;
    Recorder *r = recorder_new(c->code, m, input, o->inputs);
    HostProgram *p = host_program(m, code_cache_new(c->code), c->module);
    RecordedRun run;
    Err e = {0};
    HostOutput want[HOST_OUTPUTS_MAX];
    for (int k = 0; k < o->outputs; k++) {
        want[k].input = o->in_place[k];
        if (want[k].input < -1 || want[k].input >= o->inputs) return EXIT_WIRE;
    }
    host_expect(p, want, o->outputs);
    if (!call(r, p, c->call, input, o->inputs)) {
        const Diag *d = diag_first(&diags);
        return d ? finding(c, d, NULL) : EXIT_SILENT;
    }
    if (o->replayed && m->count.library_calls) {
        char why[sizeof m->library + 128];
        snprintf(why, sizeof why,
                 "it leaves work to PyTorch's library (%s), which is not recorded: only launches of its "
                 "own kernels are",
                 m->library);
        return finding(c, NULL, why);
    }
    if (!recorder_run(r, &run, &e)) return finding(c, NULL, e.msg);
    return run_send(c, &run);
}
