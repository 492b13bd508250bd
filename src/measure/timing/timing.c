#include "measure/timing/timing.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/numeric/rng.h"
#include "measure/timing/timing_sets.h"
#include "measure/timing/yardstick.h"

enum { STREAM_ORDER = 2, STREAM_TURNS = 3, STREAM_CHECKED = 4 };
enum {
    HOT_ROUNDS = 3,
    CALL_ROUNDS = 5,
    CALLS_A_ROUND = 9,
    FLOOR_CALLS = 64,
    CLOCK_ROUNDS = 8,
    PARAMETERS_BYTES = 4096, // of a kernel, and so at most as many parameters
    WINDOWS_MAX = 64,        // of a round
    TURNS = 4
};
enum { MARK_FROM, MARK_TO };

// One contender, ready to run.
typedef struct {
    const TimingContender *c;
    TimedContender *out;
    DeviceKernel *kernel;
    int64_t *at; // of its buffers in a region
    DeviceAddress
        *own; // a region of its own for each set, where what its setups leave must last; NULL: it shares
    // What keeps something between calls has several windows, taken in turns: in each its memory meets other
    // inputs.
    DeviceGraph cold[TURNS], before[TURNS], hot;
    int calls, windows; // in a graph; such graphs in a round
    int turns, turn;    // windows that there are; so many were run
    int *order;         // of the sets
} Runner;
// Of a launch. A driver reads as many as the compiled code says that it has, and as large; whoever made that
// code may have lied. What is missing is zeros.
static const uint64_t no_argument[PARAMETERS_BYTES / sizeof(uint64_t)];
typedef struct {
    uint64_t value[TIMED_ARGS_MAX + PARAMETERS_BYTES / sizeof(uint64_t)];
    void *param[PARAMETERS_BYTES];
    int args; // of the last one
} Arguments;
typedef struct {
    Arena *a;
    Device *d;
    const TimingJob *job;
    TimingResult *out;
    Arguments *arguments;
    TimingSets sets;
    Runner *runner;
    int runners;
    TimingKept *kept; // of the process, or of this job
    const TimingMemory *memory;
    bool restores; // calls change inputs
    bool clears;   // the driver runs our PTX: otherwise the floor is not known, and no time is told
    bool lost;     // a contender has spoilt the context: nothing of it can be given back
    Err *e;
} Timing;

static int compare_reals(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double median_of(const double *x, int n) {
    double sorted[TIMING_ROUNDS_MAX];
    if (n < 1 || n > TIMING_ROUNDS_MAX) return 0;
    memcpy(sorted, x, (size_t)n * sizeof *x);
    qsort(sorted, (size_t)n, sizeof *sorted, compare_reals);
    return n % 2 ? sorted[n / 2] : (sorted[n / 2 - 1] + sorted[n / 2]) / 2;
}

// ---- one call

// Inputs of one set, and the region of one: the same, but for what keeps something between calls.
typedef struct {
    int set, region;
} CallPlace;

static DeviceAddress address_of(const Timing *t, const Runner *r, CallPlace p, int buffer, int64_t offset) {
    const TimedBuffer *b = &r->c->run.buffer[buffer];
    const TimingSet *s = &t->sets.set[p.set];
    DeviceAddress base = b->input >= 0
                             ? s->input[b->input]
                             : (r->own ? r->own[p.region] : s->region) + (DeviceAddress)r->at[buffer];
    return base + (DeviceAddress)offset;
}

// The first launch of a call does not overlap the call before it: that would be work outside of its own time.
static bool launch(Timing *t, const Runner *r, CallPlace p, const TimedStep *s) {
    Arguments *to = t->arguments;
    const TimedKernel *k = &r->c->run.kernel[s->kernel];
    DeviceLaunch l = {.kernel = &r->kernel[s->kernel],
                      .shared = (unsigned)k->shared,
                      .cluster = (unsigned)k->cluster,
                      .cooperative = k->cooperative,
                      .overlaps = k->overlaps && s != r->c->run.step + r->c->run.setups,
                      .params = to->param};
    for (int d = 0; d < 3; d++) l.grid[d] = (unsigned)s->grid[d], l.block[d] = (unsigned)s->block[d];
    for (int i = 0; i < s->args; i++) {
        const TimedArg *arg = &s->arg[i];
        to->value[i] = arg->buffer >= 0 ? address_of(t, r, p, arg->buffer, arg->offset) : arg->bits;
        to->param[i] = &to->value[i];
    }
    for (int i = s->args; i < to->args; i++) to->param[i] = (void *)(uintptr_t)no_argument;
    to->args = s->args;
    return device_launch(t->d, &l, t->e);
}

static bool steps_queue(Timing *t, const Runner *r, CallPlace p, int from, int to) {
    for (int i = from; i < to; i++) {
        const TimedStep *s = &r->c->run.step[i];
        bool ok = s->kind == STEP_LAUNCH ? launch(t, r, p, s)
                  : s->kind == STEP_FILL
                      ? device_fill(t->d, address_of(t, r, p, s->buffer, s->offset), s->pattern, s->width,
                                    (size_t)s->count, t->e)
                      : device_copy(t->d, address_of(t, r, p, s->buffer, s->offset),
                                    address_of(t, r, p, s->from, s->from_offset), (size_t)s->count, t->e);
        if (!ok) return false;
    }
    return true;
}

static bool call_queue(Timing *t, const Runner *r, CallPlace p) {
    return steps_queue(t, r, p, r->c->run.setups, r->c->run.steps);
}

static bool setups_queue(Timing *t, const Runner *r) {
    for (int k = 0; k < t->sets.sets && r->c->run.setups; k++)
        if (!sets_restore(&t->sets, k, t->e) || !steps_queue(t, r, (CallPlace){k, k}, 0, r->c->run.setups))
            return false;
    return true;
}

static bool finish(Timing *t) { return device_wait(t->d, t->job->seconds, t->e); }

// ---- getting ready

static bool kernels_load(Timing *t, Runner *r) {
    r->kernel = NEWN(t->a, DeviceKernel, (size_t)r->c->run.kernels + 1);
    for (int k = 0; k < r->c->run.kernels; k++) {
        const TimedKernel *from = &r->c->run.kernel[k];
        if (!from->image.len) continue;
        if (!device_load(t->d, from->image.p, str_cdup(t->a, from->entry), from->shared, &r->kernel[k], t->e))
            return false;
        if (r->kernel[k].registers > r->out->registers) r->out->registers = r->kernel[k].registers;
        if (r->kernel[k].local_bytes > r->out->local_bytes) r->out->local_bytes = r->kernel[k].local_bytes;
    }
    return true;
}

static bool region_own(Timing *t, Runner *r, int64_t bytes) {
    r->own = NEWN(t->a, DeviceAddress, (size_t)t->sets.sets);
    for (int k = 0; k < t->sets.sets; k++)
        if (!device_alloc(t->d, (size_t)bytes, &r->own[k], t->e)) return false;
    return true;
}

// The sets in an order that is drawn.
static void order_draw(Timing *t, Runner *r) {
    int n = t->sets.sets, *order = r->order = NEWN(t->a, int, (size_t)n);
    Rng g = rng_at(t->job->seed, STREAM_ORDER + ((uint64_t)(r - t->runner) << 8));
    for (int i = 0; i < n; i++) order[i] = i;
    for (int i = n - 1; i > 0; i--) {
        int k = (int)rng_below(&g, (uint64_t)i + 1), was = order[i];
        order[i] = order[k];
        order[k] = was;
    }
}

// Where call i works, counted over all turns. What keeps something between calls meets other inputs each
// time, or it could remember an answer instead of computing it: each turn moves its regions on by one. On one
// set alone, two take turns.
static CallPlace place_of(const Timing *t, const Runner *r, int i, bool hot) {
    int n = t->sets.sets, set = r->order[hot ? (r->own ? i % 2 : 0) : i % n];
    return (CallPlace){set, hot ? r->order[0] : (set + i / n) % n};
}

// The region that a set's inputs have met last.
static int last_region(const Timing *t, const Runner *r, int set) {
    return (set + (r->turn - 1) % r->turns) % t->sets.sets;
}

static bool pieces_launch(Timing *t, const DeviceKernel *k) {
    DeviceAddress at = t->sets.flush;
    uint64_t pieces = (uint64_t)t->sets.flush_bytes / 16;
    void *param[] = {&at, &pieces};
    const DeviceLaunch l = {.kernel = k,
                            .grid = {(unsigned)((pieces + READS_OF_BLOCK - 1) / READS_OF_BLOCK), 1, 1},
                            .block = {STREAM_THREADS, 1, 1},
                            .cluster = 1,
                            .params = param};
    return device_launch(t->d, &l, t->e);
}

// What others have left in the L2 need not go by itself: a kernel whose loads are the first to be evicted
// never displaces it, and was 5 % faster behind contenders that had read the same inputs. So memory that no
// contender uses takes its place. It is read, not written: such a kernel would not displace that either, and
// its windows would pay for writing it back.
static bool l2_clear(Timing *t) {
    return t->job->uncleared || !t->clears ||
           (pieces_launch(t, &t->kept->reads) && pieces_launch(t, &t->kept->demotes));
}

// Calls [from, to), and whether they are on one set alone; `cleared`: first all sets are as they were given,
// and none of them is in the L2.
typedef struct {
    int from, to;
    bool hot, cleared;
} GraphPlan;

static bool graph_make(Timing *t, const Runner *r, GraphPlan p, DeviceGraph *out) {
    if (!device_capture_begin(t->d, t->e)) return false;
    bool ok = true;
    for (int k = 0; k < t->sets.sets && p.cleared && ok; k++) ok = sets_restore(&t->sets, r->order[k], t->e);
    if (p.cleared && ok) ok = l2_clear(t);
    for (int i = p.from; i < p.to && ok; i++) ok = call_queue(t, r, place_of(t, r, i, p.hot));
    Err other = {0};
    return device_capture_end(t->d, out, ok ? t->e : &other) && ok;
}

// Behind work that is not timed, so that the host is in no number.
static bool window_time(Timing *t, const DeviceGraph *before, const DeviceGraph *g, double *us) {
    return (!before || device_replay(t->d, before, t->e)) && device_mark(t->d, MARK_FROM, t->e) &&
           device_replay(t->d, g, t->e) && device_mark(t->d, MARK_TO, t->e) && finish(t) &&
           device_between(t->d, MARK_FROM, MARK_TO, us, t->e);
}

// Errors that a kernel's own work brings about, or having no end. All others, of the memory's error
// correction, say, or of a card that has left its bus, come from elsewhere.
static TimedEnd end_of_one(const Err *e) {
    static const char *const own[] = {"ILLEGAL_ADDRESS",   "MISALIGNED_ADDRESS", "ILLEGAL_INSTRUCTION",
                                      "INVALID_PC",        "HARDWARE_STACK",     "INVALID_ADDRESS_SPACE",
                                      "CUDA_ERROR_ASSERT", "LAUNCH_FAILED",      "LAUNCH_TIMEOUT"};
    bool its = e->code == ERR_LIMIT;
    for (size_t i = 0; i < sizeof own / sizeof *own; i++) its |= strstr(e->msg, own[i]) != NULL;
    return its ? TIMED_FAULT : TIMED_GPU_LOST;
}

// After one call that came to its end: what memory did not suffice for says nothing of a kernel, and what
// takes too long is slow.
static TimedEnd end_of_many(const Err *e) {
    if (strstr(e->msg, "OUT_OF_MEMORY")) return TIMED_REFUSED;
    return e->code == ERR_LIMIT ? TIMED_SLOW : end_of_one(e);
}

// What the driver says of its kernels before they run, and how its first call ends. A fault of one contender
// must not be taken for another's: nothing else is under way.
static TimedEnd runner_tried(Timing *t, Runner *r) {
    if (!kernels_load(t, r)) return TIMED_REFUSED;
    order_draw(t, r);
    if (r->c->run.setups) {
        if (!region_own(t, r, region_lay_out(&r->c->run, r->at))) return TIMED_REFUSED;
        if (!setups_queue(t, r) || !finish(t)) return end_of_many(t->e);
    }
    if (!sets_restore(&t->sets, 0, t->e) || !call_queue(t, r, (CallPlace){0, 0})) return TIMED_REFUSED;
    return finish(t) ? TIMED_WELL : end_of_one(t->e);
}

// One window, of calls that find nothing in the L2.
static bool cold_window(Timing *t, Runner *r, double *us) {
    int turn = r->turn++ % r->turns;
    return window_time(t, &r->before[turn], &r->cold[turn], us);
}

// A window uses each set once: what a kernel makes the L2 keep of a set is of no use to it. Before it, all
// sets are restored where calls change inputs, and the L2 is cleared. Then the first sets of the order are
// called, untimed. They bring the L2 into the state that calls leave it in: with lines that have to be
// written to memory by and by, the first calls would take longer than those behind.
static bool runner_ready(Timing *t, Runner *r) {
    double us = 0;
    int n = t->sets.sets, lead = t->sets.lead;
    r->turns = !r->own ? 1 : n < TURNS ? n : TURNS;
    r->calls = r->out->calls_of_window = n - lead;
    for (int k = 0; k < r->turns; k++)
        if (!graph_make(t, r, (GraphPlan){.from = k * n, .to = k * n + lead, .cleared = true},
                        &r->before[k]) ||
            !graph_make(t, r, (GraphPlan){.from = k * n + lead, .to = k * n + n}, &r->cold[k]))
            return false;
    if (!cold_window(t, r, &us) || !cold_window(t, r, &us)) return false;
    int64_t windows = us > 0 ? (int64_t)(t->job->target_us / us) + 1 : 1;
    r->windows = r->out->windows = windows < WINDOWS_MAX ? (int)windows : WINDOWS_MAX;
    return t->restores || graph_make(t, r, (GraphPlan){.to = r->calls, .hot = true}, &r->hot);
}

// ---- rounds

void timing_turns(const TimingJob *job, int round, int *turn) {
    Rng g = rng_at(job->seed, STREAM_TURNS + ((uint64_t)round << 8));
    for (int i = 0; i < job->contenders; i++) turn[i] = i;
    for (int i = job->contenders - 1; i > 0; i--) {
        int k = (int)rng_below(&g, (uint64_t)i + 1), was = turn[i];
        turn[i] = turn[k];
        turn[k] = was;
    }
}

// From an idle queue, one call between two events: what our launcher and the GPU take until the answer is
// there. Inputs that calls change are restored when all sets of a window have been called, as before a
// window.
static bool call_time(Timing *t, Runner *r, int round) {
    double us[CALLS_A_ROUND];
    int lead = t->sets.lead, n = t->sets.sets - lead;
    for (int i = 0; i < CALLS_A_ROUND; i++)
        if ((t->restores && i % n == 0 && !device_replay(t->d, r->before, t->e)) || !finish(t) ||
            !device_mark(t->d, MARK_FROM, t->e) ||
            !call_queue(t, r, (CallPlace){r->order[lead + (round * CALLS_A_ROUND + i) % n], 0}) ||
            !device_mark(t->d, MARK_TO, t->e) || !finish(t) ||
            !device_between(t->d, MARK_FROM, MARK_TO, &us[i], t->e))
            return false;
    r->out->call[r->out->calls++] = median_of(us, CALLS_A_ROUND);
    return true;
}

typedef enum { KIND_COLD, KIND_HOT, KIND_CALL } RoundKind;

static bool cold_time(Timing *t, Runner *r, double *us) {
    double one = 0;
    *us = 0;
    for (int k = 0; k < r->windows; k++, *us += one)
        if (!cold_window(t, r, &one)) return false;
    return true;
}

// There is no hot time where inputs are restored: the restoring would be in it, or the second call would meet
// other values.
static bool round_of(Timing *t, Runner *r, RoundKind kind, int round) {
    TimedContender *c = r->out;
    double us = 0;
    if (kind == KIND_CALL) return call_time(t, r, round);
    if (kind == KIND_HOT && t->restores) return true;
    // A region that contenders share holds what the last one left there.
    if (!(kind == KIND_HOT ? window_time(t, &r->hot, &r->hot, &us) : cold_time(t, r, &us))) return false;
    us /= kind == KIND_HOT ? r->calls : (double)r->calls * r->windows;
    if (kind == KIND_HOT)
        c->hot[c->hots++] = us;
    else
        c->cold[c->colds++] = us;
    return true;
}

static bool clock_rate(Timing *t) {
    uint64_t seen[2] = {0};
    DeviceAddress at = t->sets.given; // GAP bytes before the first input
    const DeviceKernel *k = &t->kept->clocks;
    if (!k->function) return true; // not loaded: the rate is not known
    void *param[] = {&at};
    const DeviceLaunch l = {
        .kernel = k, .grid = {1, 1, 1}, .block = {1, 1, 1}, .cluster = 1, .params = param};
    if (!device_launch(t->d, &l, t->e) || !device_read(t->d, seen, at, sizeof seen, t->e)) return false;
    double watts = power_watts(&t->d->power);
    if (watts > 0 && t->out->powers < TIMING_ROUNDS_MAX) t->out->watts[t->out->powers++] = watts;
    if (seen[1] && t->out->clocks < TIMING_ROUNDS_MAX)
        t->out->sm_mhz[t->out->clocks++] = 1000.0 * (double)seen[0] / (double)seen[1];
    return true;
}

// False with t->e; *which is the runner that was at work.
static bool rounds_run(Timing *t, Runner **which) {
    static const int rounds[] = {[KIND_COLD] = 0, [KIND_HOT] = HOT_ROUNDS, [KIND_CALL] = CALL_ROUNDS};
    int *turn = NEWN(t->a, int, (size_t)t->runners), done = 0;
    for (RoundKind kind = KIND_COLD; kind <= KIND_CALL; kind++)
        for (int i = 0, n = kind == KIND_COLD ? t->job->rounds : rounds[kind]; i < n; i++, done++) {
            timing_turns(t->job, done, turn);
            for (int k = 0; k < t->runners; k++) {
                *which = &t->runner[turn[k]];
                if (!round_of(t, *which, kind, i)) return false;
            }
            *which = NULL;
            if (kind == KIND_COLD && i < CLOCK_ROUNDS && !clock_rate(t)) return false;
        }
    return true;
}

// What a kernel takes that does nothing, beside others in a graph.
static bool floor_time(Timing *t) {
    DeviceKernel k;
    DeviceGraph g = {0};
    double us[TIMING_ROUNDS_MAX];
    const DeviceLaunch l = {.kernel = &k, .grid = {1, 1, 1}, .block = {32, 1, 1}, .cluster = 1};
    if (!device_load(t->d, nothing_ptx, "nothing", 0, &k, t->e)) return false;
    bool ok = device_capture_begin(t->d, t->e), captures = ok;
    for (int i = 0; i < FLOOR_CALLS && ok; i++) ok = device_launch(t->d, &l, t->e);
    Err other = {0};
    if (captures) ok = device_capture_end(t->d, &g, ok ? t->e : &other) && ok;
    for (int i = 0; i < t->job->rounds && ok; i++) ok = window_time(t, &g, &g, &us[i]);
    if (ok) t->kept->floor_us = median_of(us, t->job->rounds) / FLOOR_CALLS;
    device_graph_free(t->d, &g);
    device_unload(t->d, &k);
    return ok;
}

// ---- the window whose answers are looked at

// Its graph once; everything is poisoned before that may be. Each set's answer lies there behind it.
static bool last_window(Timing *t, Runner *r) {
    if (!r->own && !sets_poison(&t->sets, &r->c->run, r->at, t->e)) return false;
    return cold_window(t, r, &r->out->checked_us);
}

static bool checked_window(Timing *t, Runner *r) {
    TimedContender *c = r->out;
    const TimedRun *run = &r->c->run;
    SetsCheck check = {.run = run, .at = r->own ? NULL : r->at, .given = t->memory->inputs};
    if (!last_window(t, r)) return false;
    c->checked_us /= r->calls;
    Rng g = rng_at(t->job->seed, STREAM_CHECKED + ((uint64_t)(r - t->runner) << 8));
    int lead = t->sets.lead, n = t->sets.sets - lead, first = (int)rng_below(&g, (uint64_t)n);
    ArenaMark m = arena_mark(t->a);
    bool suspect = r->c->compared || !t->job->checked; // our own kernels are not
    check.one = suspect ? r->order[lead + first] : -1;
    if (!sets_check(t->a, &t->sets, &check, t->e)) return false;
    arena_reset(t->a, m);
    if (!check.intact) memcpy(c->why, check.why, sizeof c->why);
    for (int j = 0; j < t->job->checked && r->c->compared; j++) {
        int set = r->order[lead + (first + j) % n];
        for (int k = 0; k < t->job->outputs; k++) {
            const CallPlace p = {set, last_region(t, r, set)};
            DeviceAddress at = address_of(t, r, p, run->output[k].buffer, run->output[k].offset);
            uint8_t *to = t->memory->answers + timing_output_at(t->job, (int)(r - t->runner), j, k);
            if (!sets_answer(&t->sets, at, set, k, to, t->e)) return false;
        }
    }
    c->end = check.intact ? TIMED_WELL : TIMED_TRAMPLED;
    return true;
}

// ---- all of it

static bool at_fault(Timing *t, Runner *r, TimedEnd end) {
    r->out->end = end;
    t->lost = timed_lost(end);
    snprintf(r->out->why, sizeof r->out->why, "%.*s", (int)sizeof r->out->why - 1, t->e->msg);
    *t->e = (Err){0};
    return true;
}

// Both are of the GPU alone, whatever the job is.
static bool facts_ready(Timing *t) {
    return (t->kept->floor_us > 0 || floor_time(t)) &&
           (t->kept->clocks.function || device_load(t->d, clocks_ptx, "clocks", 0, &t->kept->clocks, t->e));
}

static bool clearing_ready(Timing *t) {
    TimingKept *k = t->kept;
    return (k->reads.function || device_load(t->d, reads_ptx, "reads", 0, &k->reads, t->e)) &&
           (k->demotes.function || device_load(t->d, demotes_ptx, "demotes", 0, &k->demotes, t->e));
}

// Where the driver refuses our PTX inputs are read back instead, as they are where calls change them.
static bool sums_ready(Timing *t) {
    DeviceKernel *k = &t->kept->sums;
    if (t->restores) return true;
    if (!k->function && !device_load(t->d, sums_ptx, "sums", 0, k, t->e)) return *t->e = (Err){0}, true;
    t->sets.sums = k;
    return sets_note(t->a, &t->sets, t->e);
}

static bool measure(Timing *t) {
    Runner *which = NULL;
    t->clears = clearing_ready(t);
    if (!t->clears || !facts_ready(t)) *t->e = (Err){0};
    if (!sums_ready(t)) return false;
    if (t->clears) t->out->floor_us = t->kept->floor_us; // 0: not known
    for (int i = 0; i < t->runners; i++) {
        TimedEnd end = runner_tried(t, &t->runner[i]);
        if (end != TIMED_WELL) return at_fault(t, &t->runner[i], end);
    }
    for (int i = 0; i < t->runners; i++)
        if (!runner_ready(t, &t->runner[i])) return at_fault(t, &t->runner[i], end_of_many(t->e));
    double from = clock_seconds();
    bool ran = rounds_run(t, &which);
    t->out->seconds_windows = clock_seconds() - from;
    if (!ran) return which && at_fault(t, which, end_of_many(t->e));
    for (int i = 0; i < t->runners; i++)
        if (!checked_window(t, &t->runner[i])) return at_fault(t, &t->runner[i], end_of_many(t->e));
    return true;
}

static void tell_facts(Timing *t) {
    const DeviceFacts *f = &t->d->facts;
    TimingResult *out = t->out;
    snprintf(out->device, sizeof out->device, "%s", f->name);
    out->driver = f->version;
    out->major = f->major;
    out->minor = f->minor;
    out->processors = f->processors;
    out->sm_khz = f->sm_khz;
    out->memory_khz = f->memory_khz;
    out->l2_bytes = f->l2_bytes;
    out->memory_bytes = f->memory_bytes;
    out->rounds = t->job->rounds;
    out->sets = t->sets.sets - t->sets.lead;
    out->cold = out->sets * (t->sets.input_bytes + t->sets.least_bytes) >= t->job->l2_times * f->l2_bytes;
}

static void runners_free(Timing *t) {
    if (!t->memory->kept) {
        device_unload(t->d, &t->kept->clocks);
        device_unload(t->d, &t->kept->reads);
        device_unload(t->d, &t->kept->demotes);
        device_unload(t->d, &t->kept->sums);
    }
    for (int i = 0; i < t->runners; i++) {
        Runner *r = &t->runner[i];
        for (int k = 0; k < TURNS; k++) {
            device_graph_free(t->d, &r->cold[k]);
            device_graph_free(t->d, &r->before[k]);
        }
        device_graph_free(t->d, &r->hot);
        for (int k = 0; r->own && k < t->sets.sets; k++) device_free(t->d, r->own[k]);
        for (int k = 0; r->kernel && k < r->c->run.kernels; k++) device_unload(t->d, &r->kernel[k]);
    }
}

bool timing_run(Arena *a, Device *d, const TimingJob *job, const TimingMemory *memory, TimingResult *out,
                Err *e) {
    double from = clock_seconds();
    *out = (TimingResult){.contenders = job->contenders,
                          .contender = NEWN(a, TimedContender, (size_t)job->contenders)};
    TimingKept here = {0};
    Timing t = {.a = a, .d = d, .job = job, .out = out, .runners = job->contenders, .memory = memory, .e = e};
    t.restores = timing_restores(job);
    t.arguments = NEW(a, Arguments);
    t.arguments->args = PARAMETERS_BYTES; // all of them are set by the first launch
    t.kept = memory->kept ? memory->kept : &here;
    t.runner = NEWN(a, Runner, (size_t)t.runners);
    t.sets = (TimingSets){.d = d, .job = job, .least_bytes = INT64_MAX};
    for (int i = 0; i < t.runners; i++) {
        const TimingContender *c = &job->contender[i];
        t.runner[i] =
            (Runner){.c = c, .out = &out->contender[i], .at = NEWN(a, int64_t, (size_t)c->run.buffers + 1)};
        out->contender[i].name = c->name;
        out->contender[i].end = TIMED_UNTRIED;
        int64_t bytes = region_lay_out(&c->run, t.runner[i].at);
        if (bytes > t.sets.region_bytes) t.sets.region_bytes = bytes;
        if (bytes < t.sets.least_bytes) t.sets.least_bytes = bytes;
    }
    if (!sets_open(a, &t.sets, memory->inputs, e)) return false;
    tell_facts(&t);
    bool ok = measure(&t);
    if (!t.lost) {
        runners_free(&t);
        sets_close(&t.sets);
    }
    out->seconds = clock_seconds() - from;
    return ok;
}
