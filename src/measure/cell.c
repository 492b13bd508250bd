#include "measure/cell.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/numeric/rng.h"
#include "cases/domain.h"
#include "cases/repeated.h"
#include "judge/compare.h"
#include "judge/judge.h"
#include "measure/timing.h"
#include "measure/yardstick.h"
#include "sandbox/record.h"

enum { TUNE_ROUNDS = 5, CHECKED = 2, CONFIGS_MAX = 256, MORE_ROUNDS = 21, ATTEMPTS = 4, DRAWS_SMALL = 3 };
static const int64_t small_bytes = 40 << 20; // below it max-autotune is a matter of luck
static const double noisy = 0.05, apart = 1.5, floors = 2;

// One cell at work. Everything lives until it is done.
typedef struct {
    Arena *a;
    const CellRequest *q;
    CellTimes *out;
    Repeated r;
    bool rotates; // rows are copies of a block, and may be moved
    DeviceFacts facts;
    Recording recording;
    const Cubin **cubin;       // of each kernel; NULL: it does not compile
    int config[RUN_STEPS_MAX]; // of each group, which choice
    TimingJob job;
    BaselineTimes baseline;
    int replayed[BASELINE_MODES_MAX]; // contender of the job; 0: none
    Err e;
} Cell;

const char *times_name(TimesStatus s) {
    static const char *const name[] = {
#define TIMES(id, doc) #id,
#include "measure/times.def"
#undef TIMES
    };
    return name[s];
}

static bool say(Cell *c, TimesStatus s, const char *why) {
    c->out->status = s;
    c->out->why = str_dup(c->a, str_of(why));
    return false;
}
static bool failed(Cell *c) { return say(c, TIMES_failed, c->e.msg); }

static int compare_reals(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static Figure figure_of(const double *x, int n) {
    double sorted[TIMING_ROUNDS_MAX];
    if (n < 1) return (Figure){0};
    memcpy(sorted, x, (size_t)n * sizeof *x);
    qsort(sorted, (size_t)n, sizeof *sorted, compare_reals);
    double middle = median_of(x, n);
    return (Figure){middle, (sorted[n - 1 - n / 4] - sorted[n / 4]) / middle, n};
}

// ---- what is to be run

// Drawn now: whatever is timed has been fixed before.
static bool draw(Cell *c, int64_t rows, int64_t columns, DType dtype) {
    uint64_t seed[2];
    if (!rng_entropy(seed, sizeof seed, &c->e)) return failed(c);
    const RepeatedRequest q = {
        .op = c->q->op, .seed = seed[0] >> 1, .dtype = dtype, .slices = rows, .length = columns, .steps = 1};
    RepeatedMade made = repeated_make(c->a, &q, &c->r, &c->e);
    if (made == REPEATED_FAILED) return failed(c);
    if (made == REPEATED_UNFIT)
        return say(c, TIMES_unfit,
                   "the op has no such shape, it is too large, or a row of the answer depends on other rows");
    c->rotates = c->r.slices > c->r.block.truth[0].slices;
    c->job = (TimingJob){.seed = seed[1] >> 1,
                         .rounds = c->q->rounds,
                         .checked = CHECKED,
                         .target_us = 500,
                         .seconds = 10,
                         .l2_times = 5};
    c->job.rows = c->rotates ? c->r.slices : 0;
    c->job.output_bytes = (int64_t)c->r.output_bytes;
    c->job.inputs = c->r.spec->inputs;
    c->out->bytes = c->job.output_bytes;
    for (int i = 0; i < c->job.inputs; i++) {
        const CaseTensor *t = &c->r.spec->input[i];
        bool moves = c->rotates && c->r.block.domain->slice_axis[i] == 0;
        c->job.input[i] = (TimingInput){t->at, t->bytes, moves ? t->bytes / c->r.slices : 0};
        c->out->bytes += t->bytes;
    }
    return true;
}

static bool record(Cell *c, DType dtype) {
    Referee *r = c->q->referee;
    RecordAsk ask = {.source = c->q->source, .extras = referee_extras(r)};
    int64_t size[OP_DIMS_MAX];
    if (!op_returns_one(c->q->op))
        return say(
            c, TIMES_unsupported,
            "only ops that return one tensor of their own are timed by this version, none with several "
            "outputs or an input that is changed in place");
    memcpy(size, c->r.block.truth[0].dim, sizeof size);
    const Domain *m = c->r.block.domain;
    if (m->slices >= 0) size[m->slices] = c->r.slices;
    if (!record_order(c->q->op, size, dtype, c->facts.processors, &ask.order, &c->e) ||
        !record_run(r->fork_servers, c->a, &ask, &c->recording, &c->e))
        return failed(c);
    return c->recording.ok || say(c, TIMES_unsupported, str_cdup(c->a, c->recording.why));
}

static bool compile(Cell *c) {
    const RecordedRun *run = &c->recording.run;
    size_t n = (size_t)run->kernels;
    const RunKernel **kernel = NEWN(c->a, const RunKernel *, n + 1);
    Compiled *made = NEWN(c->a, Compiled, n + 1);
    double from = clock_seconds();
    for (size_t k = 0; k < n; k++) kernel[k] = &run->kernel[k];
    if (!compilers_run(c->a, c->q->compilers, kernel, run->kernels, made, &c->e)) return failed(c);
    c->cubin = NEWN(c->a, const Cubin *, n + 1);
    bool any = n == 0;
    for (size_t k = 0; k < n; k++) {
        // A config that the compiler refuses is passed over, as by Triton; one that a worker lost would be
        // missing.
        if (made[k].crashed || made[k].timed_out)
            return say(c, TIMES_failed,
                       arena_printf(c->a, "a compile worker was lost: %.*s", STR_ARG(made[k].why)));
        if (made[k].ok) c->cubin[k] = &made[k].cubin;
        any |= made[k].ok;
    }
    c->out->seconds_compile = clock_seconds() - from;
    if (any) return true;
    return say(c, TIMES_failed,
               arena_printf(c->a, "Triton does not compile %.*s: %.*s", STR_ARG(kernel[0]->name),
                            STR_ARG(made[0].why)));
}

// ---- jobs

static void contender_add(Cell *c, Str name, bool compared, const TimedRun *run) {
    c->job.contender[c->job.contenders++] = (TimingContender){name, compared, *run};
}

static bool measure(Cell *c, Measured *out) {
    bool ok = measurer_run(c->a, c->q->measurer, &c->job, c->r.fd, out, &c->e);
    c->out->seconds_timing += out->result.seconds;
    return ok || failed(c);
}

static int group_choices(const RecordedRun *run, int group) {
    for (int i = 0; i < run->steps; i++)
        if (run->step[i].kind == STEP_LAUNCH && run->step[i].group == group) return run->step[i].choices;
    return 1;
}

static bool choice_compiles(const Cell *c, int group, int choice) {
    const RecordedRun *run = &c->recording.run;
    for (int i = 0; i < run->steps; i++)
        if (run->step[i].kind == STEP_LAUNCH && run->step[i].group == group &&
            !c->cubin[run->step[i].choice[choice].kernel])
            return false;
    return true;
}

// A fault of a kernel that the referee has accepted takes the verdict back.
static bool ours_ended_well(Cell *c, const TimedContender *t) {
    if (t->end == TIMED_WELL) return true;
    return say(c, t->end == TIMED_REFUSED ? TIMES_failed : TIMES_incorrect,
               arena_printf(c->a, "%.*s: %s", STR_ARG(t->name), t->why));
}

static int refused(const TimingResult *r) {
    for (int i = 0; i < r->contenders; i++)
        if (r->contender[i].end == TIMED_REFUSED) return i;
    return -1;
}

// Times every config of one group, the other groups staying as they are, and takes the fastest.
static bool tune_group(Cell *c, int group) {
    int choice[CONFIGS_MAX], n = group_choices(&c->recording.run, group);
    Measured seen;
    const TimingResult *r = &seen.result;
    if (n > CONFIGS_MAX) n = CONFIGS_MAX;
    c->job.contenders = 0;
    for (int i = 0; i < n; i++) {
        TimedRun run;
        c->config[group] = i;
        if (!choice_compiles(c, group, i)) continue;
        if (!timed_run_make(c->a, &c->recording.run, c->cubin, c->config, &run, &c->e))
            return say(c, TIMES_unsupported, c->e.msg);
        choice[c->job.contenders] = i;
        contender_add(c, str_of(arena_printf(c->a, "config %d", i)), false, &run);
    }
    if (!c->job.contenders) return say(c, TIMES_failed, "Triton compiles none of the configs");
    int rounds = c->job.rounds, checked = c->job.checked, best = 0;
    c->job.rounds = TUNE_ROUNDS;
    c->job.checked = 0;
    bool ok = measure(c, &seen);
    for (int out;
         ok && (out = refused(r)) >= 0 && c->job.contenders > 1;) { // Triton passes over such a config
        for (int i = out; i + 1 < c->job.contenders; i++) {
            c->job.contender[i] = c->job.contender[i + 1];
            choice[i] = choice[i + 1];
        }
        c->job.contenders--;
        ok = measure(c, &seen);
    }
    c->job.rounds = rounds;
    c->job.checked = checked;
    for (int i = 0; ok && i < r->contenders; i++) {
        const TimedContender *t = &r->contender[i], *first = &r->contender[best];
        if (!ours_ended_well(c, t)) return false;
        if (median_of(t->cold, t->colds) < median_of(first->cold, first->colds)) best = i;
    }
    c->config[group] = choice[best];
    c->out->configs += c->job.contenders;
    return ok;
}

static const RunLaunch *launch_of(const Cell *c, int group) {
    const RecordedRun *run = &c->recording.run;
    for (int i = 0; i < run->steps; i++)
        if (run->step[i].kind == STEP_LAUNCH && run->step[i].group == group)
            return &run->step[i].choice[c->config[group]];
    return NULL;
}

static bool tune(Cell *c) {
    const RecordedRun *run = &c->recording.run;
    Buf text = BUF(c->a);
    for (int g = 0; g < run->groups && g < RUN_STEPS_MAX; g++) {
        if (!tune_group(c, g)) return false;
        const RunLaunch *l = launch_of(c, g);
        if (l) buf_printf(&text, "%s%.*s", text.len ? "; " : "", STR_ARG(run_choice_name(c->a, run, l)));
    }
    c->out->config = buf_str(&text);
    return true;
}

static void ask_baseline(Cell *c) {
    DType dtype[TIMING_INPUTS_MAX];
    int64_t shape[TIMING_INPUTS_MAX][OP_RANK_MAX];
    Err e = {0};
    double from = clock_seconds();
    if (!c->q->baseline) return;
    for (int i = 0; i < c->job.inputs; i++) {
        dtype[i] = (DType)c->r.spec->input[i].dtype;
        for (int d = 0; d < OP_RANK_MAX; d++) shape[i][d] = c->r.spec->input[i].shape[d];
    }
    const BaselineRequest q = {.op = c->q->op,
                               .job = &c->job,
                               .dtype = dtype,
                               .shape = (const int64_t(*)[OP_RANK_MAX])shape,
                               .inputs = c->r.fd,
                               .draws = c->out->bytes < small_bytes ? DRAWS_SMALL : 1};
    if (!baseline_ask(c->a, c->q->baseline, &q, &c->baseline, &e)) {
        c->baseline = (BaselineTimes){.modes = 1,
                                      .mode[0] = {.name = STR("eager"), .why = str_dup(c->a, str_of(e.msg))}};
    }
    c->out->seconds_baseline = clock_seconds() - from;
}

static void job_fill(Cell *c, const TimedRun *ours) {
    static const int unroll[] = {1, 2, 4};
    int64_t bytes[TIMING_INPUTS_MAX];
    TimedRun run;
    c->job.contenders = 0;
    contender_add(c, STR("the kernel"), true, ours);
    for (int i = 0; i < c->job.inputs; i++) bytes[i] = c->job.input[i].bytes;
    for (size_t u = 0; u < sizeof unroll / sizeof *unroll; u++) {
        streaming_run(c->a, bytes, c->job.inputs, c->job.output_bytes, unroll[u], &run);
        contender_add(c, str_of(arena_printf(c->a, "yardstick %d", unroll[u])), false, &run);
    }
    for (int i = 0; i < c->baseline.modes; i++) {
        c->replayed[i] = 0;
        if (!c->baseline.mode[i].replayable) continue;
        c->replayed[i] = c->job.contenders;
        contender_add(c, c->baseline.mode[i].name, true, &c->baseline.mode[i].run);
    }
}

// ---- answers

// Every row, with the block's bounds. Copies of the block with the bits of the first are as right as it is.
static int64_t wrong_elements(Cell *c, const uint8_t *out, int64_t *first) {
    const CaseTruth *block = &c->r.block.truth[0];
    const Bound *b = block->expected;
    int64_t had = c->rotates ? block->slices : 1, rows = c->rotates ? c->r.slices : 1, n = b->numel / had,
            wrong = 0;
    size_t row = (size_t)n * (size_t)dtype_bytes(b->dtype), whole = row * (size_t)had;
    ArenaMark m = arena_mark(c->a);
    uint8_t *judged = arena_raw(c->a, (size_t)b->numel + 1, 1), *part = arena_raw(c->a, whole + 1, 64);
    int64_t first_wrong = 0;
    for (int64_t r = 0; r < rows; r += had) {
        const uint8_t *at = out + (size_t)r * row;
        size_t have = (size_t)(rows - r < had ? rows - r : had) * row;
        if (r > 0 && first_wrong == 0 && memcmp(at, out, have) == 0) continue;
        if (have < whole) { // what the last one lacks is taken from the first
            memcpy(part, out, whole);
            memcpy(part, at, have);
            at = part;
        }
        Comparison x;
        compare_case(b, NULL, at, judged, &x);
        if (r == 0) first_wrong = x.wrong;
        if (x.wrong && !wrong) *first = r * n + x.first_wrong;
        wrong += x.wrong;
    }
    arena_reset(c->a, m);
    return wrong;
}

static bool answers_right(Cell *c, const uint8_t *answers, int contender, Str *why) {
    for (int j = 0; j < c->job.checked; j++) {
        int64_t first = 0, n = wrong_elements(c, answers + timing_answer_at(&c->job, contender, j), &first);
        if (!n) continue;
        int64_t columns = c->r.block.truth[0].expected->numel / c->r.block.truth[0].slices;
        *why = str_of(arena_printf(c->a,
                                   "%" PRId64 " of %" PRId64
                                   " elements are wrong on the GPU, the first in row %" PRId64
                                   ", column %" PRId64,
                                   n, c->job.output_bytes / dtype_bytes(c->r.block.truth[0].expected->dtype),
                                   first / columns, first % columns));
        return false;
    }
    return true;
}

// ---- what it amounts to

static void tell_baselines(Cell *c, const TimingResult *r, const uint8_t *answers) {
    CellTimes *out = c->out;
    for (int i = 0; i < c->baseline.modes; i++) {
        const BaselineMode *m = &c->baseline.mode[i];
        CellBaseline *b = &out->baseline[out->baselines++];
        *b = (CellBaseline){.name = m->name,
                            .why = m->why,
                            .own = figure_of(m->device, m->devices),
                            .own_call = figure_of(m->call, m->calls)};
        const TimedContender *t = c->replayed[i] ? &r->contender[c->replayed[i]] : NULL;
        if (!t) continue;
        if (t->end != TIMED_WELL)
            b->why = str_dup(c->a, str_of(t->why));
        else if (answers_right(c, answers, c->replayed[i], &b->why))
            b->device = figure_of(t->cold, t->colds);
    }
    out->torch = c->baseline.torch;
}

static double device_of(const CellBaseline *b) { return b->device.rounds ? b->device.us : b->own.us; }

// Of max-autotune's several draws the median one; of it and the default mode the better one.
static void tell_bar(Cell *c) {
    CellTimes *out = c->out;
    double draw[BASELINE_MODES_MAX], plain = 0;
    int n = 0;
    for (int i = 0; i < out->baselines; i++) {
        const CellBaseline *b = &out->baseline[i];
        if (str_is(b->name, "default")) plain = device_of(b);
        if (str_starts(b->name, "max_autotune") && device_of(b) > 0) draw[n++] = device_of(b);
    }
    double tuned = median_of(draw, n);
    if (tuned <= 0 || plain <= 0) return; // a missing baseline is no win
    out->bar = tuned < plain ? STR("max_autotune") : STR("default");
    out->bar_us = tuned < plain ? tuned : plain;
    out->ratio = out->device.us > 0 ? out->bar_us / out->device.us : 0;
}

static void tell(Cell *c, const TimingResult *r, const uint8_t *answers) {
    CellTimes *out = c->out;
    const TimedContender *t = &r->contender[0];
    out->floor_us = r->floor_us;
    out->sets = r->sets;
    out->checked = c->job.checked;
    out->calls_of_window = t->calls_of_window;
    out->registers = t->registers;
    out->local_bytes = t->local_bytes;
    for (int i = 0; i < r->clocks; i++) {
        if (!i || r->sm_mhz[i] < out->sm_mhz_low) out->sm_mhz_low = r->sm_mhz[i];
        if (!i || r->sm_mhz[i] > out->sm_mhz_high) out->sm_mhz_high = r->sm_mhz[i];
    }
    for (int i = 1; i <= 3 && i < r->contenders; i++) {
        Figure f = figure_of(r->contender[i].cold, r->contender[i].colds);
        if (f.rounds && (!out->yardstick.rounds || f.us < out->yardstick.us)) out->yardstick = f;
    }
    Figure device = figure_of(t->cold, t->colds);
    Str why;
    if (!ours_ended_well(c, t)) return;
    if (!answers_right(c, answers, 0, &why)) {
        say(c, TIMES_incorrect, str_cdup(c->a, why));
        return;
    }
    tell_baselines(c, r, answers);
    if (!r->cold || device.us < floors * r->floor_us) {
        say(c, TIMES_below_floor,
            arena_printf(c->a, "%.2f us, where a kernel that does nothing takes %.2f us%s", device.us,
                         r->floor_us, r->cold ? "" : "; all sets of inputs together fit into the L2"));
        return;
    }
    if (device.spread > noisy || t->checked_us > apart * device.us || t->checked_us < device.us / apart) {
        say(c, TIMES_timing_unstable,
            arena_printf(
                c->a,
                "the middle half of %d rounds differs by %.1f %%; the checked window took %.2f of the median",
                device.rounds, 100 * device.spread, t->checked_us / device.us));
        return;
    }
    out->device = device;
    out->hot = figure_of(t->hot, t->hots);
    out->call = figure_of(t->call, t->calls);
    tell_bar(c);
}

static bool baseline_failed(Cell *c, const TimedContender *t) {
    bool any = false;
    for (int i = 0; i < c->baseline.modes; i++) {
        const TimedContender *b = &t[c->replayed[i]];
        if (!c->replayed[i] || (b->end != TIMED_FAULT && b->end != TIMED_REFUSED)) continue;
        c->baseline.mode[i].replayable = false;
        c->baseline.mode[i].why = str_dup(c->a, str_of(b->why));
        any = true;
    }
    return any;
}

// Again without a baseline whose replay has spoilt the process, and with more rounds where times differ.
static bool measure_all(Cell *c) {
    TimedRun ours;
    Measured seen;
    const TimedContender *t = NULL;
    if (!timed_run_make(c->a, &c->recording.run, c->cubin, c->config, &ours, &c->e))
        return say(c, TIMES_unsupported, c->e.msg);
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
        job_fill(c, &ours);
        if (!measure(c, &seen)) return false;
        t = seen.result.contender;
        if (baseline_failed(c, t)) continue;
        Figure f = figure_of(t->cold, t->colds);
        if (f.spread <= noisy || c->job.rounds >= MORE_ROUNDS || t->end != TIMED_WELL) break;
        c->job.rounds = MORE_ROUNDS;
    }
    tell(c, &seen.result, seen.answers);
    return true;
}

void cell_time(Arena *a, const CellRequest *q, int64_t rows, int64_t columns, DType dtype, CellTimes *out) {
    *out = (CellTimes){.rows = rows, .columns = columns, .dtype = dtype};
    Cell *c = NEW(a, Cell);
    *c = (Cell){.a = a, .q = q, .out = out, .r = {.fd = -1, .block.fd = -1}};
    c->job.contender = NULL;
    TimingContender *contender = NEWN(a, TimingContender, TIMING_CONTENDERS_MAX);
    if (!measurer_facts(q->measurer, &c->facts, &c->e)) {
        failed(c);
        return;
    }
    bool drawn = draw(c, rows, columns, dtype);
    c->job.contender = contender;
    if (drawn && record(c, dtype) && compile(c) && tune(c)) {
        ask_baseline(c);
        measure_all(c);
    }
    if (c->r.fd >= 0) repeated_free(&c->r);
}
