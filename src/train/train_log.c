#include "train/train_log.h"
#include "base/io.h"
#include "base/json.h"
#include "train/events.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { METRICS_MAX = 1 << 30 };
struct Record {
    int metrics, events;
    const char *path;
};

// The lines up to a step, as they are; a last line without its end was being written when the program ended.
static bool metrics_cut(Arena *a, const char *path, int64_t last, Err *e) {
    struct stat st;
    Str all;
    Buf kept = BUF(a);
    if (stat(path, &st) != 0) return errno == ENOENT || err_set(e, ERR_IO, "%s: %s", path, strerror(errno));
    if (!io_read_file(a, path, METRICS_MAX, &all, e)) return false;
    for (const char *p = all.p, *end; (end = memchr(p, '\n', (size_t)(all.p + all.len - p))) != NULL;
         p = end + 1) {
        json_t *o = json_loadb(p, (size_t)(end - p), JSON_REJECT_DUPLICATES, NULL);
        const json_t *step = json_object_get(o, "step");
        if (json_is_integer(step) && json_integer_value(step) <= last)
            buf_put(&kept, p, (size_t)(end - p) + 1);
        json_decref(o);
    }
    return io_write_atomic(path, (Str){kept.p ? kept.p : "", kept.len}, e);
}

static bool events_begin(Record *r, Arena *a, const char *run, Err *e) {
    time_t now = time(NULL);
    const char *path =
        arena_printf(a, "%s/events.out.tfevents.%lld.ouroboros.%ld", run, (long long)now, (long)getpid());
    r->events = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (r->events < 0) return err_set(e, ERR_IO, "%s: %s", path, strerror(errno));
    Buf out = BUF(a);
    event_version(&out, (double)now);
    return io_write_all(r->events, out.p, out.len, e);
}

bool record_open(Arena *a, const char *run, int64_t last_step, Record **out, Err *e) {
    Record *r = NEW(a, Record);
    *r = (Record){.metrics = -1, .events = -1, .path = arena_printf(a, "%s/metrics.jsonl", run)};
    if (!metrics_cut(a, r->path, last_step, e)) return false;
    r->metrics = open(r->path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    bool ok = r->metrics >= 0 || err_set(e, ERR_IO, "%s: %s", r->path, strerror(errno));
    if (ok && events_begin(r, a, run, e)) {
        *out = r;
        return true;
    }
    record_close(r);
    return false;
}

static bool line_put(Record *r, json_t *o, Err *e) {
    enum { DIGITS = 9 };
    Arena a = {0};
    Buf line = BUF(&a);
    bool ok = json_put_precise(&line, o, DIGITS) || err_set(e, ERR_INPUT, "%s: a number is none", r->path);
    buf_putc(&line, '\n');
    ok = ok && io_write_all(r->metrics, line.p, line.len, e);
    arena_free(&a);
    return ok;
}

static bool scalars_put(Record *r, int64_t step, const EventScalar *s, int n, Err *e) {
    Arena a = {0};
    Buf out = BUF(&a);
    event_scalars(&out, (double)time(NULL), step, s, n);
    bool ok = io_write_all(r->events, out.p, out.len, e);
    arena_free(&a);
    return ok;
}

bool record_step(Record *r, const StepRecord *s, Err *e) {
    json_t *o =
        json_pack("{s:s, s:I, s:I, s:f, s:f, s:f, s:f, s:f}", "kind", "step", "step", (json_int_t)s->step,
                  "tokens", (json_int_t)s->tokens, "loss", s->loss, "rate", s->rate, "norm", s->norm,
                  "seconds", s->seconds, "tokens_per_second", s->tokens_per_second);
    const EventScalar scalar[] = {{"train/loss", s->loss},
                                  {"train/rate", s->rate},
                                  {"train/norm", s->norm},
                                  {"train/tokens_per_second", s->tokens_per_second}};
    return line_put(r, o, e) && scalars_put(r, s->step, scalar, 4, e);
}

bool record_evaluation(Record *r, int64_t step, double loss, Err *e) {
    return line_put(
               r, json_pack("{s:s, s:I, s:f}", "kind", "evaluation", "step", (json_int_t)step, "loss", loss),
               e) &&
           scalars_put(r, step, &(EventScalar){"evaluation/loss", loss}, 1, e);
}

bool record_gate(Record *r, int64_t step, const GateResult *g, Err *e) {
    Arena a = {0};
    json_t *ops = json_object();
    EventScalar *scalar = NEWN(&a, EventScalar, (size_t)g->rows + 1);
    for (int i = 0; i < g->rows; i++) {
        const GateRow *row = &g->row[i];
        json_t *statuses = json_object();
        for (int k = 0; k < row->statuses; k++)
            json_object_set_new(statuses, row->status[k], json_integer(row->count[k]));
        json_object_setn_new(
            ops, row->name.p, row->name.len,
            json_pack("{s:i, s:i, s:o}", "samples", row->samples, "valid", row->valid, "statuses", statuses));
        scalar[i] = (EventScalar){arena_printf(&a, "accepted/%.*s", STR_ARG(row->name)),
                                  row->samples ? (double)row->valid / row->samples : 0};
    }
    scalar[g->rows] = (EventScalar){"accepted/all", g->samples ? (double)g->valid / g->samples : 0};
    bool ok = line_put(r,
                       json_pack("{s:s, s:I, s:i, s:i, s:o}", "kind", "gate", "step", (json_int_t)step,
                                 "samples", g->samples, "valid", g->valid, "ops", ops),
                       e) &&
              scalars_put(r, step, scalar, g->rows + 1, e);
    arena_free(&a);
    return ok;
}

void record_close(Record *r) {
    if (!r) return;
    if (r->metrics >= 0) close(r->metrics);
    if (r->events >= 0) close(r->events);
}
