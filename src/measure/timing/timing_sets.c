#include "measure/timing/timing_sets.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/numeric/rng.h"
#include "measure/timing/yardstick.h"

enum {
    STREAM_SHIFTS = 1,
    STREAM_SUMS = 5,
    SUMS_BLOCKS = 1024,
    FLUSH_TIMES = 3,
    LEAD_TIMES = 2,
    LONGER = 4,
    LEAD_MAX = SETS_MAX / 5
};

static int64_t aligned(int64_t n) { return (n + GAP - 1) / GAP * GAP; }

int64_t region_lay_out(const TimedRun *run, int64_t *at) {
    int64_t n = GAP;
    for (int b = 0; b < run->buffers; b++) {
        at[b] = -1;
        if (run->buffer[b].input >= 0) continue;
        at[b] = n;
        n += aligned(run->buffer[b].bytes) + GAP;
    }
    return n;
}

static int64_t inputs_lay_out(const TimingJob *job, int64_t *at) {
    int64_t n = GAP;
    for (int i = 0; i < job->inputs; i++) {
        at[i] = n;
        n += aligned(job->input[i].bytes) + GAP;
    }
    return n;
}

// So many that a window, which uses each of them once, is long beside what starting it takes: LONGER times
// l2_times the L2, or as many as the memory holds; and others that are called before it.
static bool sets_count(TimingSets *s, Err *e) {
    const Device *d = s->d;
    int64_t each = s->input_bytes + s->region_bytes, used = s->input_bytes + s->least_bytes,
            want = LONGER * s->job->l2_times * d->facts.l2_bytes,
            lead = LEAD_TIMES * d->facts.l2_bytes / used + 1;
    int64_t room = d->facts.free_bytes / 10 * 8 - s->flush_bytes - s->input_bytes, n = want / used + 1;
    if (lead > LEAD_MAX) lead = LEAD_MAX;
    if (n < 2) n = 2;
    if (n > SETS_MAX - lead) n = SETS_MAX - lead;
    if (n > room / each - lead) n = room / each - lead;
    if (n < 2)
        return err_set(e, ERR_LIMIT,
                       "%" PRId64 " sets of %" PRId64 " bytes do not fit into the GPU's free %" PRId64
                       " bytes",
                       2 + lead, each, d->facts.free_bytes);
    s->sets = (int)(n + lead);
    s->lead = (int)lead;
    return true;
}

// Rows [shift, rows) come first, then rows [0, shift).
static bool input_fill(TimingSets *s, DeviceAddress to, DeviceAddress from, const TimingInput *in,
                       int64_t shift, Err *e) {
    int64_t first = in->row_bytes ? shift * in->row_bytes : 0;
    return device_copy(s->d, to, from + (DeviceAddress)first, (size_t)(in->bytes - first), e) &&
           device_copy(s->d, to + (DeviceAddress)(in->bytes - first), from, (size_t)first, e);
}

static bool input_restore(TimingSets *s, const TimingSet *t, int i, Err *e) {
    return input_fill(s, t->input[i], s->given + (DeviceAddress)s->given_at[i], &s->job->input[i], t->shift,
                      e);
}

bool sets_restore(TimingSets *s, int set, Err *e) {
    for (int i = 0; i < s->job->inputs; i++)
        if (timing_changes(s->job, i) && !input_restore(s, &s->set[set], i, e)) return false;
    return true;
}

static bool set_open(TimingSets *s, int k, Err *e) {
    TimingSet *t = &s->set[k];
    Rng r = rng_at(s->job->seed, STREAM_SHIFTS + ((uint64_t)k << 8));
    t->shift = s->job->rows > 1 ? (int64_t)rng_below(&r, (uint64_t)s->job->rows) : 0;
    if (!device_alloc(s->d, (size_t)s->input_bytes, &t->inputs, e) ||
        !device_alloc(s->d, (size_t)s->region_bytes, &t->region, e) ||
        !device_fill(s->d, t->inputs, GAP_BYTE, 1, (size_t)s->input_bytes, e) ||
        !device_fill(s->d, t->region, GAP_BYTE, 1, (size_t)s->region_bytes, e))
        return false;
    for (int i = 0; i < s->job->inputs; i++) {
        t->input[i] = t->inputs + (DeviceAddress)s->given_at[i];
        if (!input_restore(s, t, i, e)) return false;
    }
    return true;
}

static bool open_all(Arena *a, TimingSets *s, const uint8_t *inputs, Err *e) {
    s->input_bytes = inputs_lay_out(s->job, s->given_at);
    s->flush_bytes = FLUSH_TIMES * s->d->facts.l2_bytes;
    if (!sets_count(s, e) || !device_alloc(s->d, (size_t)s->flush_bytes, &s->flush, e) ||
        !device_fill(s->d, s->flush, 0, 4, (size_t)s->flush_bytes / 4, e) ||
        !device_alloc(s->d, (size_t)s->input_bytes, &s->given, e))
        return false;
    for (int i = 0; i < s->job->inputs; i++)
        if (!device_write(s->d, s->given + (DeviceAddress)s->given_at[i], inputs + s->job->input[i].at,
                          (size_t)s->job->input[i].bytes, e))
            return false;
    s->set = NEWN(a, TimingSet, (size_t)s->sets);
    for (int k = 0; k < s->sets; k++)
        if (!set_open(s, k, e)) return false;
    return device_wait(s->d, s->job->seconds, e);
}

bool sets_open(Arena *a, TimingSets *s, const uint8_t *inputs, Err *e) {
    if (open_all(a, s, inputs, e)) return true;
    sets_close(s);
    return false;
}

void sets_close(TimingSets *s) {
    for (int k = 0; s->set && k < s->sets; k++) {
        device_free(s->d, s->set[k].inputs);
        device_free(s->d, s->set[k].region);
    }
    device_free(s->d, s->sum_at);
    device_free(s->d, s->flush);
    device_free(s->d, s->given);
    s->sets = 0;
}

bool sets_poison(TimingSets *s, const TimedRun *run, const int64_t *at, Err *e) {
    for (int k = 0; k < s->sets; k++) {
        if (!device_fill(s->d, s->set[k].region, GAP_BYTE, 1, (size_t)s->region_bytes, e)) return false;
        for (int b = 0; b < run->buffers; b++)
            if (at[b] >= 0 && !device_fill(s->d, s->set[k].region + (DeviceAddress)at[b], POISON_BYTE, 1,
                                           (size_t)run->buffer[b].bytes, e))
                return false;
    }
    return true;
}

// ---- sums

static bool sum_queue(TimingSets *s, int k, Err *e) {
    uint64_t pieces = (uint64_t)s->input_bytes / 16, key = rng_mix(s->job->seed, STREAM_SUMS);
    DeviceAddress to = s->sum_at + (DeviceAddress)k * sizeof *s->sum;
    void *param[] = {&s->set[k].inputs, &pieces, &key, &to};
    const DeviceLaunch l = {.kernel = s->sums,
                            .grid = {SUMS_BLOCKS, 1, 1},
                            .block = {STREAM_THREADS, 1, 1},
                            .cluster = 1,
                            .params = param};
    return device_launch(s->d, &l, e);
}

// On the GPU: to read all inputs back takes longer than all windows.
static bool sums_take(TimingSets *s, uint64_t *out, Err *e) {
    size_t bytes = (size_t)s->sets * sizeof *out;
    if (!device_fill(s->d, s->sum_at, 0, 4, bytes / 4, e)) return false;
    for (int k = 0; k < s->sets; k++)
        if (!sum_queue(s, k, e)) return false;
    return device_wait(s->d, s->job->seconds, e) && device_read(s->d, out, s->sum_at, bytes, e);
}

bool sets_note(Arena *a, TimingSets *s, Err *e) {
    s->sum = NEWN(a, uint64_t, (size_t)s->sets);
    return device_alloc(s->d, SETS_MAX * sizeof *s->sum, &s->sum_at, e) && sums_take(s, s->sum, e);
}

// The first set whose inputs, or what lies around them, are not as they were noted; -1: there is none.
static bool sums_compare(Arena *a, TimingSets *s, int *which, Err *e) {
    uint64_t *now = NEWN(a, uint64_t, (size_t)s->sets);
    if (!sums_take(s, now, e)) return false;
    *which = -1;
    for (int k = s->sets; k-- > 0;)
        if (now[k] != s->sum[k]) *which = k;
    return true;
}

// Bytes that nobody may have written to: behind a buffer, or before the first.
typedef struct {
    const char *what;
    int number, set;
    DeviceAddress from;
    int64_t bytes;
} Gap;

static bool gap_check(TimingSets *s, const Gap *g, SetsCheck *c, Err *e) {
    uint8_t seen[2 * GAP];
    if (!device_read(s->d, seen, g->from, (size_t)g->bytes, e)) return false;
    for (int64_t i = 0; i < g->bytes && c->intact; i++) {
        if (seen[i] == GAP_BYTE) continue;
        snprintf(c->why, sizeof c->why,
                 "memory beside %s %d was written to, %" PRId64 " bytes into the gap (set %d)", g->what,
                 g->number, i, g->set);
        c->intact = false;
    }
    return true;
}

// Buffers of one allocation: where each lies in it, and how many bytes it has.
typedef struct {
    const int64_t *at, *bytes;
    int n;
} Layout;

static bool gaps_check(TimingSets *s, Gap g, const Layout *l, SetsCheck *c, Err *e) {
    DeviceAddress base = g.from;
    g.bytes = GAP;
    if (!gap_check(s, &g, c, e)) return false;
    for (g.number = 0; g.number < l->n && c->intact; g.number++) {
        int64_t at = l->at[g.number], bytes = l->bytes[g.number];
        if (at < 0) continue;
        g.from = base + (DeviceAddress)(at + bytes);
        g.bytes = aligned(bytes) - bytes + GAP;
        if (!gap_check(s, &g, c, e)) return false;
    }
    return true;
}

// Piece by piece: memory that is used again costs less than as much as the input has.
static bool input_check(Arena *a, TimingSets *s, int k, int i, SetsCheck *c, Err *e) {
    enum { PIECE = 4 << 20 };
    const TimingInput *in = &s->job->input[i];
    const TimingSet *set = &s->set[k];
    uint8_t *seen = arena_raw(a, PIECE, 64);
    int64_t first = in->row_bytes ? set->shift * in->row_bytes : 0, rest = in->bytes - first;
    for (int64_t at = 0, n; at < in->bytes && c->intact; at += n) {
        int64_t from = at < rest ? first + at : at - rest, end = at < rest ? rest : in->bytes;
        n = end - at < PIECE ? end - at : PIECE;
        if (!device_read(s->d, seen, set->input[i] + (DeviceAddress)at, (size_t)n, e)) return false;
        c->intact = memcmp(seen, c->given + in->at + from, (size_t)n) == 0;
    }
    if (!c->intact) snprintf(c->why, sizeof c->why, "input %d was written to", i);
    return true;
}

// Reads back what lies around the inputs of set k, and with `whole` the inputs, to say what was written to.
static bool inputs_check(Arena *a, TimingSets *s, int k, bool whole, SetsCheck *c, Err *e) {
    int64_t bytes[TIMING_INPUTS_MAX];
    for (int i = 0; i < s->job->inputs; i++) bytes[i] = s->job->input[i].bytes;
    const Layout inputs = {s->given_at, bytes, s->job->inputs};
    if (!gaps_check(s, (Gap){.what = "input", .set = k, .from = s->set[k].inputs}, &inputs, c, e))
        return false;
    for (int i = 0; i < s->job->inputs && c->intact && whole; i++)
        if (!timing_changes(s->job, i) && !input_check(a, s, k, i, c, e)) return false;
    return true;
}

static bool inputs_all_check(Arena *a, TimingSets *s, SetsCheck *c, Err *e) {
    int changed = -1;
    for (int k = 0; k < s->sets && c->intact && !s->sum; k++)
        if (!inputs_check(a, s, k, k == c->one, c, e)) return false;
    if (!s->sum || !c->intact) return true;
    if (!sums_compare(a, s, &changed, e)) return false;
    if (changed < 0) return true;
    if (!inputs_check(a, s, changed, true, c, e)) return false;
    if (c->intact) snprintf(c->why, sizeof c->why, "inputs were written to (set %d)", changed);
    c->intact = false;
    return true;
}

bool sets_check(Arena *a, TimingSets *s, SetsCheck *c, Err *e) {
    int64_t *bytes = NEWN(a, int64_t, (size_t)c->run->buffers + 1);
    for (int b = 0; b < c->run->buffers; b++) bytes[b] = c->run->buffer[b].bytes;
    const Layout region = {c->at, bytes, c->run->buffers};
    c->intact = true;
    for (int k = 0; k < s->sets && c->intact && c->at; k++)
        if (!gaps_check(s, (Gap){.what = "buffer", .set = k, .from = s->set[k].region}, &region, c, e))
            return false;
    return !c->intact || inputs_all_check(a, s, c, e);
}

bool sets_answer(TimingSets *s, DeviceAddress answer, int set, int k, uint8_t *out, Err *e) {
    int64_t all = s->job->output[k], rows = s->job->rows,
            first = rows && all % rows == 0 ? s->set[set].shift * (all / rows) : 0;
    return device_read(s->d, out + first, answer, (size_t)(all - first), e) &&
           device_read(s->d, out, answer + (DeviceAddress)(all - first), (size_t)first, e);
}
