#include "sandbox/record.h"
#include "base/io.h"
#include "gpu/kernel_print.h"
#include "host/host.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { MEMORY = 512 << 20 };
static const int64_t room = (int64_t)1 << 37; // of address space, for all tensors of the call

static bool input_order(const OpInput *op, const int64_t size[OP_DIMS_MAX], DType t, RecordInput *out) {
    *out = (RecordInput){.dtype = op->any_float ? (int32_t)t : (int32_t)op->dtype, .rank = op->rank};
    int64_t bytes = dtype_bytes((DType)out->dtype), n = 1;
    for (int i = op->rank; i-- > 0;) {
        out->shape[i] = op->dim[i] >= 0 ? size[op->dim[i]] : op->size[i];
        out->stride[i] = n;
        if (out->shape[i] < 0 || __builtin_mul_overflow(n, out->shape[i], &n) || n > RUN_BYTES_MAX / bytes)
            return false;
    }
    out->bytes = n * bytes;
    return true;
}

bool record_order(const Op *op, const int64_t size[OP_DIMS_MAX], DType t, int processors, RecordOrder *out,
                  Err *e) {
    *out = (RecordOrder){.inputs = op->inputs, .outputs = op->outputs, .processors = processors};
    for (int i = 0; i < op->inputs; i++)
        if (!input_order(&op->input[i], size, t, &out->input[i]))
            return err_set(e, ERR_LIMIT, "%.*s: input %.*s is too large", STR_ARG(op->name),
                           STR_ARG(op->input[i].name));
    for (int k = 0; k < op->outputs; k++) out->in_place[k] = op->output[k].init;
    return true;
}

// ---- what the child says

bool record_text(const ChildResult *child, size_t source_len, Str *text, Str *finding) {
    const char *why;
    *text = *finding = (Str){0};
    if (child->end != CHILD_EXITED || child->code != 0 || child->garbage || child->reports != 1) return false;
    CaseReport *r = child->report;
    WireEnd end = wire_check(r, 1, 0, source_len, &why);
    if (end == WIRE_FINDING) return *finding = str_of(r->message), true;
    char *rest;
    if (end != WIRE_DONE || strncmp(r->message, "bytes ", 6) != 0 || !char_is_digit(r->message[6]))
        return false;
    errno = 0;
    unsigned long n = strtoul(r->message + 6, &rest, 10);
    if (errno || *rest || n > child->output_bytes || !child->output) return false;
    return *text = (Str){(const char *)child->output, n}, true;
}

static bool same_view(const RunView *v, const RunView *w) {
    size_t sizes = sizeof *v->shape * (size_t)v->rank;
    return v->buffer == w->buffer && v->dtype == w->dtype && v->rank == w->rank && v->offset == w->offset &&
           memcmp(v->shape, w->shape, sizes) == 0 && memcmp(v->stride, w->stride, sizes) == 0;
}

// The run is about the tensors that were asked for.
static bool answers(const RecordOrder *o, const RecordedRun *run) {
    if (run->inputs != o->inputs || run->outputs != o->outputs || run->processors != o->processors)
        return false;
    for (int i = 0; i < o->inputs; i++) {
        const RecordInput *in = &o->input[i];
        const RunView *v = &run->input[i];
        size_t sizes = sizeof *in->shape * (size_t)in->rank;
        if ((int)v->dtype != in->dtype || v->rank != in->rank ||
            v->offset != in->offset * dtype_bytes(v->dtype) || memcmp(v->shape, in->shape, sizes) != 0 ||
            memcmp(v->stride, in->stride, sizes) != 0 || run->buffer[v->buffer].bytes != in->bytes)
            return false;
    }
    for (int k = 0; k < o->outputs; k++)
        if (o->in_place[k] >= 0 && !same_view(&run->output[k], &run->input[o->in_place[k]])) return false;
    return true;
}

// The kernels' text, from the source itself.
static bool print(Arena *a, const RecordAsk *ask, RecordedRun *run, Err *e) {
    DiagList d = DIAGS(a);
    Node *module = host_tree(a, ask->source, &ask->extras, &d);
    if (!module) {
        const Diag *first = diag_first(&d);
        return err_set(e, ERR_INPUT, "the source does not read: %s",
                       first ? first->msg : "its helper files do not");
    }
    return run_print(a, module, run, e);
}

static bool understand(Arena *a, const ChildResult *child, const RecordAsk *ask, Recording *out) {
    Str text, finding;
    Err e = {0};
    if (!record_text(child, ask->source.len, &text, &finding))
        return out->why = STR("the interpreter did not come to an end"), false;
    if (finding.len) return out->why = str_dup(a, finding), false;
    if (!recorded_run_read(a, "recorded run", text, false, &out->run, &e))
        return out->why = str_of(arena_printf(a, "%s", e.msg)), false;
    if (!answers(&ask->order, &out->run))
        return out->why = STR("the recorded run is not what was asked for"), false;
    if (!print(a, ask, &out->run, &e)) return out->why = str_of(arena_printf(a, "%s", e.msg)), false;
    return true;
}

// ---- the job

static bool order_file(const RecordOrder *o, int *fd, size_t *bytes, Err *e) {
    DrawHeader h = {.magic = RECORD_MAGIC};
    *bytes = sizeof h + sizeof *o;
    *fd = memfd_create("order", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (*fd < 0) return err_set(e, ERR_IO, "recording: memfd: %s", strerror(errno));
    return io_write_all(*fd, &h, sizeof h, e) && io_write_all(*fd, o, sizeof *o, e) &&
           io_seal(*fd, "recording", e);
}

bool record_run(ForkServers *servers, Arena *a, const RecordAsk *ask, Recording *out, Err *e) {
    ForkJob job = {.source = ask->source,
                   .extras = ask->extras,
                   .arena_bytes = (size_t)(MEMORY + room),
                   .sparse_bytes = (size_t)room,
                   .output_bytes = RUN_TEXT_MAX,
                   .wall_seconds = FORK_WALL_SECONDS,
                   .draw_fd = -1,
                   .max_reports = 1};
    Arena scratch = {0};
    ChildResult r = {0};
    *out = (Recording){0};
    ForkServer *server = fork_servers_take(servers, e);
    bool ok = server && order_file(&ask->order, &job.draw_fd, &job.draw_bytes, e) &&
              fork_server_run(server, &scratch, &job, &r, e);
    if (ok) out->ok = understand(a, &r, ask, out);
    if (ok) child_result_free(server, &r);
    if (server) fork_servers_leave(servers, server, !ok);
    if (job.draw_fd >= 0) close(job.draw_fd);
    arena_free(&scratch);
    return ok;
}
