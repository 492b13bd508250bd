// Measuring a cell that is ready: which config, what PyTorch makes of it, then all contenders together.
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/numeric/rng.h"
#include "measure/baseline_kept.h"
#include "measure/cell_work.h"
#include "measure/timing/timing.h"
#include "measure/timing/yardstick.h"

enum { TUNE_ROUNDS = 5, CONFIGS_MAX = 256, MORE_ROUNDS = 21, DRAWS_SMALL = 3 };
static const int64_t small_bytes = 40 << 20; // below it max-autotune is a matter of luck
static const double noisy = 0.05;

// ---- jobs

static void contender_add(Cell *c, Str name, bool compared, const TimedRun *run) {
    c->job.contender[c->job.contenders++] = (TimingContender){name, compared, *run};
}

static bool measure(Cell *c, Measured *out) {
    bool ok = measurer_run(c->a, c->q->measurer, &c->job, c->r.fd, out, &c->e);
    c->out->seconds_timing += out->result.seconds;
    c->out->seconds_windows += out->result.seconds_windows;
    return ok || cell_failed(c);
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

// The contender at which a job has ended: -1 where all were measured.
static int ended_at(const TimingResult *r) {
    for (int i = 0; i < r->contenders; i++)
        if (timed_ends_all(r->contender[i].end)) return i;
    return -1;
}

static int refused(const TimingResult *r) {
    int i = ended_at(r);
    return i >= 0 && r->contender[i].end == TIMED_REFUSED ? i : -1;
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
            return cell_say(c, TIMES_unsupported, c->e.msg);
        choice[c->job.contenders] = i;
        contender_add(c, str_of(arena_printf(c->a, "config %d", i)), false, &run);
    }
    if (!c->job.contenders) return cell_say(c, TIMES_failed, "Triton compiles none of the configs");
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
    if (ok && ended_at(r) >= 0) return cell_ended_well(c, &r->contender[ended_at(r)]);
    for (int i = 0; ok && i < r->contenders; i++) {
        const TimedContender *t = &r->contender[i], *first = &r->contender[best];
        if (!cell_ended_well(c, t)) return false;
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

static bool all_replayable(const BaselineTimes *b) {
    for (int i = 0; i < b->modes; i++)
        if (!b->mode[i].replayable && !str_is(b->mode[i].name, "eager")) return false;
    return b->modes > 1;
}

static const BaselineRequest *baseline_request(const Cell *c) {
    DType *dtype = NEWN(c->a, DType, (size_t)c->job.inputs + 1);
    typedef int64_t Dims[OP_RANK_MAX];
    Dims *shape = NEWN(c->a, Dims, (size_t)c->job.inputs + 1);
    BaselineRequest *q = NEW(c->a, BaselineRequest);
    for (int i = 0; i < c->job.inputs; i++) {
        dtype[i] = (DType)c->r.spec->input[i].dtype;
        for (int d = 0; d < OP_RANK_MAX; d++) shape[i][d] = c->r.spec->input[i].shape[d];
    }
    *q = (BaselineRequest){.op = c->q->op,
                           .job = &c->job,
                           .dtype = dtype,
                           .shape = (const Dims *)shape,
                           .inputs = c->r.fd,
                           .draws = c->out->bytes < small_bytes ? DRAWS_SMALL : 1};
    return q;
}

// From what was kept of an earlier run with the same GPU, driver and versions; else tuned now.
static void ask_baseline(Cell *c) {
    Err e = {0};
    Str text;
    double from = clock_seconds();
    if (!c->q->baseline) return;
    const BaselineRequest q = *baseline_request(c);
    const BaselineKept kept = {c->q->kept, c->q->gpu, c->q->baseline};
    c->out->kept = baseline_kept_find(c->a, &kept, &q, &c->baseline);
    if (!c->out->kept && !baseline_ask(c->a, c->q->baseline, &q, &text, &c->baseline, &e))
        c->baseline = (BaselineTimes){.modes = 1,
                                      .mode[0] = {.name = STR("eager"), .why = str_dup(c->a, str_of(e.msg))}};
    else if (!c->out->kept && all_replayable(&c->baseline))
        baseline_kept_put(&kept, &q, text);
    c->out->seconds_baseline = clock_seconds() - from;
}

// One answer of as many bytes stands for all of them.
static void outputs_lay(const TimingJob *job, TimedRun *run) {
    int64_t at = 0;
    for (int k = 0; k < job->outputs; k++, run->outputs = k) {
        run->output[k] = (TimedView){run->output[0].buffer, at};
        at += job->output[k];
    }
}

enum { UNROLLS = 3 };
static const int unroll[UNROLLS] = {1, 2, 4};

// Plain streaming, of the shape and the GPU alone.
static TimedRun yardstick_run(const Cell *c, int u) {
    int64_t bytes[TIMING_INPUTS_MAX];
    TimedRun run;
    for (int i = 0; i < c->job.inputs; i++) bytes[i] = c->job.input[i].bytes;
    streaming_run(c->a, bytes, c->job.inputs, timing_output_bytes(&c->job), unroll[u], &run);
    outputs_lay(&c->job, &run);
    return run;
}

static void yardsticks_add(Cell *c) {
    CellTimes *out = c->out;
    c->yardsticks = 0;
    out->yardstick_kept =
        c->q->shared && cell_shared_yardstick(c->q->shared, c->q, &c->job, &out->yardstick, &out->copy);
    if (out->yardstick_kept || c->no_yardsticks) return;
    for (int u = 0; u < UNROLLS; u++, c->yardsticks++) {
        const TimedRun run = yardstick_run(c, u);
        contender_add(c, str_of(arena_printf(c->a, "yardstick %d", unroll[u])), false, &run);
    }
}

// A copy of as many bytes as streaming moves; none are added where streaming is a copy.
static void copies_add(Cell *c) {
    for (int u = 0; u < UNROLLS; u++) {
        const TimedRun streaming = yardstick_run(c, u);
        TimedRun copy;
        if (!copying_run(c->a, &streaming, unroll[u], &copy)) return;
        outputs_lay(&c->job, &copy);
        contender_add(c, str_of(arena_printf(c->a, "copy %d", unroll[u])), false, &copy);
    }
}

// By a job of its own: it needs more memory than the others do, and reads what none of them reads. With an
// earlier clock it moved their times by up to 5 % (doc/h100.md, "A hole in the clock").
static void measure_copy(Cell *c) {
    CellTimes *out = c->out;
    Measured seen;
    const int checked = c->job.checked, inputs = c->job.inputs;
    Err e = {0};                // without a copy the cell is as good
    if (!c->yardsticks) return; // both times are kept, or neither runs
    c->job.contenders = c->job.checked = 0;
    copies_add(c);
    c->job.inputs = 0; // it reads memory of its own: sets are counted by that
    out->copy = c->job.contenders ? (Figure){0} : out->yardstick;
    if (c->job.contenders && measurer_run(c->a, c->q->measurer, &c->job, c->r.fd, &seen, &e)) {
        out->copy = cell_fastest(&seen.result, 0, c->job.contenders);
        out->seconds_timing += seen.result.seconds;
    }
    c->job.checked = checked;
    c->job.inputs = inputs;
    if (c->q->shared && out->yardstick.rounds && out->copy.rounds && out->yardstick.spread <= noisy &&
        out->copy.spread <= noisy)
        cell_shared_yardstick_put(c->q->shared, c->q, &c->job, &out->yardstick, &out->copy);
}

static void job_fill(Cell *c) {
    c->job.contenders = 0;
    contender_add(c, STR("the kernel"), true, &c->ours);
    yardsticks_add(c);
    for (int i = 0; i < c->baseline.modes; i++) {
        c->replayed[i] = 0;
        if (!c->baseline.mode[i].replayable) continue;
        c->replayed[i] = c->job.contenders;
        contender_add(c, c->baseline.mode[i].name, true, &c->baseline.mode[i].run);
    }
}

// A contender beside the kernel has ended the job, which says nothing of the kernel. It has no place in the
// next one.
static void leave_out(Cell *c, int at, const TimedContender *t) {
    if (at <= c->yardsticks) c->no_yardsticks = true;
    for (int i = 0; i < c->baseline.modes; i++)
        if (c->replayed[i] == at) {
            c->baseline.mode[i].replayable = false;
            c->baseline.mode[i].failed = true;
            c->baseline.mode[i].why = str_dup(c->a, str_of(t->why));
        }
}

// The kernel beside all others, as often as one of these ends the job: each time there is one less.
static bool measure_beside(Cell *c, Measured *seen) {
    for (;;) {
        job_fill(c);
        if (!measure(c, seen)) return false;
        int at = ended_at(&seen->result);
        if (at <= 0) return true;
        leave_out(c, at, &seen->result.contender[at]);
    }
}

// With more rounds where times differ.
static bool measure_all(Cell *c, Measured *seen) {
    if (!timed_run_make(c->a, &c->recording.run, c->cubin, c->config, &c->ours, &c->e))
        return cell_say(c, TIMES_unsupported, c->e.msg);
    if (!measure_beside(c, seen)) return false;
    const TimedContender *t = seen->result.contender;
    if (t->end == TIMED_WELL && cell_figure(t->cold, t->colds).spread > noisy &&
        c->job.rounds < MORE_ROUNDS) {
        c->job.rounds = MORE_ROUNDS;
        if (!measure_beside(c, seen)) return false;
    }
    cell_tell(c, &seen->result, seen->answers);
    return c->out->status == TIMES_ok;
}

// The device times of the baselines in one more measurement.
static double bar_again(const Cell *c, const TimingResult *r) {
    CellBaseline b[BASELINE_MODES_MAX];
    Str name;
    for (int i = 0; i < c->baseline.modes; i++) {
        const TimedContender *t = c->replayed[i] ? &r->contender[c->replayed[i]] : NULL;
        b[i] = (CellBaseline){.name = c->baseline.mode[i].name};
        if (t && t->end == TIMED_WELL) b[i].device = cell_figure(t->cold, t->colds);
    }
    return cell_bar(b, c->baseline.modes, true, &name);
}

// Once more, by a process that has never seen the others: another context, other addresses, other orders.
static bool measure_again(Cell *c) {
    Measured seen;
    uint64_t seed;
    Str why;
    if (!rng_entropy(&seed, sizeof seed, &c->e)) return cell_failed(c);
    c->job.seed = c->out->sets_seed = seed >> 1;
    measurer_renew(c->q->measurer);
    if (!measure_beside(c, &seen)) return false;
    const TimedContender *t = &seen.result.contender[0];
    if (!cell_ended_well(c, t)) return false;
    if (!cell_answers_right(c, seen.answers, &why)) return cell_say(c, TIMES_incorrect, str_cdup(c->a, why));
    double us = median_of(t->cold, t->colds), bar = bar_again(c, &seen.result);
    c->out->again_us[c->out->again] = us;
    c->out->again_ratio[c->out->again++] = us > 0 && bar > 0 ? bar / us : 0;
    return true;
}

// Last: no device time is taken while a candidate's code lives beside PyTorch.
static void ask_user_calls(Cell *c) {
    UserCallTimes t[USER_CALLS_MAX];
    Err e = {0};
    int n = 0;
    bool in_place = false;
    for (int k = 0; k < c->job.outputs; k++) in_place |= c->job.in_place[k] > 0;
    if (!c->q->user_calls) return;
    if (in_place) {
        const Str why = STR("an op that changes an input in place is not called from Python");
        c->out->user_call[c->out->user_calls++] = (CellUserCall){.name = STR("kernel"), .why = why};
        return;
    }
    const UserCallsRequest q = {baseline_request(c), &c->recording.run, c->config};
    if (!user_calls_ask(c->a, c->q->user_calls, &q, t, &n, &e)) {
        t[0] = (UserCallTimes){.name = STR("kernel"), .why = str_dup(c->a, str_of(e.msg))};
        n = 1;
    }
    for (int i = 0; i < n; i++)
        c->out->user_call[c->out->user_calls++] = (CellUserCall){
            t[i].name, cell_figure(t[i].call, t[i].calls), cell_figure(t[i].queued, t[i].queueds), t[i].why};
}

void cell_measure(Cell *c) {
    Measured seen;
    int again = c->q->again < STABILITY_MAX ? c->q->again : STABILITY_MAX;
    c->job.contender = NEWN(c->a, TimingContender, TIMING_CONTENDERS_MAX);
    if (!tune(c)) return;
    ask_baseline(c);
    if (!measure_all(c, &seen)) return;
    measure_copy(c);
    for (int i = 0; i < again && measure_again(c); i++) {}
    ask_user_calls(c);
}
