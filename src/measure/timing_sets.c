#include "measure/timing_sets.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/numeric/rng.h"

enum { STREAM_SHIFTS = 1, FLUSH_TIMES = 2 };

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

// So many that all of them together are l2_times the L2, and as many as the memory holds.
static bool sets_count(TimingSets *s, Err *e) {
    const Device *d = s->d;
    int64_t each = s->input_bytes + s->region_bytes, want = s->job->l2_times * d->facts.l2_bytes;
    int64_t room = d->facts.free_bytes / 10 * 8 - s->flush_bytes - s->input_bytes, n = want / each + 1;
    if (n < 2) n = 2;
    if (n > SETS_MAX) n = SETS_MAX;
    if (n > room / each) n = room / each;
    if (n < 2)
        return err_set(e, ERR_LIMIT, "two sets of %" PRId64 " bytes do not fit into the GPU's free %" PRId64 " bytes", each,
                       d->facts.free_bytes);
    s->sets = (int)n;
    return true;
}

// Rows [shift, rows) come first, then rows [0, shift).
static bool input_fill(TimingSets *s, DeviceAddress to, DeviceAddress from, const TimingInput *in, int64_t shift, Err *e) {
    int64_t first = in->row_bytes ? shift * in->row_bytes : 0;
    return device_copy(s->d, to, from + (DeviceAddress)first, (size_t)(in->bytes - first), e) &&
           device_copy(s->d, to + (DeviceAddress)(in->bytes - first), from, (size_t)first, e);
}

static bool set_open(TimingSets *s, int k, const int64_t *at, Err *e) {
    TimingSet *t = &s->set[k];
    Rng r = rng_at(s->job->seed, STREAM_SHIFTS + ((uint64_t)k << 8));
    t->shift = s->job->rows > 1 ? (int64_t)rng_below(&r, (uint64_t)s->job->rows) : 0;
    if (!device_alloc(s->d, (size_t)s->input_bytes, &t->inputs, e) ||
        !device_alloc(s->d, (size_t)s->region_bytes, &t->region, e) ||
        !device_fill(s->d, t->inputs, GAP_BYTE, 1, (size_t)s->input_bytes, e) ||
        !device_fill(s->d, t->region, GAP_BYTE, 1, (size_t)s->region_bytes, e))
        return false;
    for (int i = 0; i < s->job->inputs; i++) {
        t->input[i] = t->inputs + (DeviceAddress)at[i];
        if (!input_fill(s, t->input[i], s->given + (DeviceAddress)at[i], &s->job->input[i], t->shift, e)) return false;
    }
    return true;
}

static bool open_all(Arena *a, TimingSets *s, const uint8_t *inputs, Err *e) {
    int64_t at[TIMING_INPUTS_MAX];
    s->input_bytes = inputs_lay_out(s->job, at);
    s->flush_bytes = FLUSH_TIMES * s->d->facts.l2_bytes;
    if (!sets_count(s, e) || !device_alloc(s->d, (size_t)s->flush_bytes, &s->flush, e) ||
        !device_alloc(s->d, (size_t)s->input_bytes, &s->given, e))
        return false;
    for (int i = 0; i < s->job->inputs; i++)
        if (!device_write(s->d, s->given + (DeviceAddress)at[i], inputs + s->job->input[i].at,
                          (size_t)s->job->input[i].bytes, e))
            return false;
    s->set = NEWN(a, TimingSet, (size_t)s->sets);
    for (int k = 0; k < s->sets; k++)
        if (!set_open(s, k, at, e)) return false;
    return device_wait(s->d, s->job->seconds, e);
}

bool sets_open(Arena *a, Device *d, const TimingJob *job, int64_t region_bytes, const uint8_t *inputs, TimingSets *out,
               Err *e) {
    *out = (TimingSets){.d = d, .job = job, .region_bytes = region_bytes};
    if (open_all(a, out, inputs, e)) return true;
    sets_close(out);
    return false;
}

void sets_close(TimingSets *s) {
    for (int k = 0; s->set && k < s->sets; k++) {
        device_free(s->d, s->set[k].inputs);
        device_free(s->d, s->set[k].region);
    }
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

// The gap behind a buffer, the one before it included for the first.
typedef struct {
    const char *what;
    int number, set;
    DeviceAddress from;
    int64_t bytes;
} Gap;

static bool gap_intact(TimingSets *s, const Gap *g, char why[300], bool *intact, Err *e) {
    uint8_t seen[2 * GAP];
    if (!device_read(s->d, seen, g->from, (size_t)g->bytes, e)) return false;
    for (int64_t i = 0; i < g->bytes; i++)
        if (seen[i] != GAP_BYTE) {
            snprintf(why, 300, "memory beside %s %d was written to, %" PRId64 " bytes into the gap (set %d)", g->what,
                     g->number, i, g->set);
            *intact = false;
            return true;
        }
    return true;
}

static bool gaps_intact(TimingSets *s, int k, DeviceAddress base, const Gap *shown, const int64_t *at, const int64_t *bytes,
                        int n, char why[300], bool *intact, Err *e);

bool sets_intact(Arena *a, TimingSets *s, const TimedRun *run, const int64_t *at, const uint8_t *given, int one,
                 char why[300], bool *intact, Err *e) {
    int64_t in_at[TIMING_INPUTS_MAX], in_bytes[TIMING_INPUTS_MAX],
        *bytes = NEWN(a, int64_t, (size_t)run->buffers + 1);
    inputs_lay_out(s->job, in_at);
    for (int i = 0; i < s->job->inputs; i++) in_bytes[i] = s->job->input[i].bytes;
    for (int b = 0; b < run->buffers; b++) bytes[b] = run->buffer[b].bytes;
    *intact = true;
    for (int k = 0; k < s->sets && *intact; k++)
        if (!gaps_intact(s, k, s->set[k].inputs, &(Gap){.what = "input"}, in_at, in_bytes, s->job->inputs, why, intact, e) ||
            !gaps_intact(s, k, s->set[k].region, &(Gap){.what = "buffer"}, at, bytes, run->buffers, why, intact, e))
            return false;
    for (int i = 0; i < s->job->inputs && *intact; i++) {
        const TimingInput *in = &s->job->input[i];
        uint8_t *seen = arena_raw(a, (size_t)in->bytes + 1, 64);
        int64_t first = in->row_bytes ? s->set[one].shift * in->row_bytes : 0;
        if (!device_read(s->d, seen, s->set[one].input[i], (size_t)in->bytes, e)) return false;
        if (memcmp(seen, given + in->at + first, (size_t)(in->bytes - first)) == 0 &&
            memcmp(seen + in->bytes - first, given + in->at, (size_t)first) == 0)
            continue;
        snprintf(why, 300, "input %d was written to", i);
        *intact = false;
    }
    return true;
}

static bool gaps_intact(TimingSets *s, int k, DeviceAddress base, const Gap *shown, const int64_t *at, const int64_t *bytes,
                        int n, char why[300], bool *intact, Err *e) {
    Gap g = {.what = shown->what, .set = k, .from = base, .bytes = GAP};
    if (!gap_intact(s, &g, why, intact, e)) return false; // before the first one
    for (int b = 0; b < n && *intact; b++) {
        if (at[b] < 0) continue;
        g.number = b;
        g.from = base + (DeviceAddress)(at[b] + bytes[b]);
        g.bytes = aligned(bytes[b]) - bytes[b] + GAP;
        if (!gap_intact(s, &g, why, intact, e)) return false;
    }
    return true;
}

bool sets_answer(TimingSets *s, DeviceAddress answer, int set, uint8_t *out, Err *e) {
    int64_t all = s->job->output_bytes, rows = s->job->rows,
            first = rows && all % rows == 0 ? s->set[set].shift * (all / rows) : 0;
    return device_read(s->d, out + first, answer, (size_t)(all - first), e) &&
           device_read(s->d, out, answer + (DeviceAddress)(all - first), (size_t)first, e);
}
