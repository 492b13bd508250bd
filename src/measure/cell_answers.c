// The answers of a measurement, and what it amounts to.
#include <inttypes.h>
#include <stdlib.h>

#include "base/clock.h"
#include "judge/decide/compare.h"
#include "judge/decide/rounded_op.h"
#include "measure/cell_work.h"
#include "measure/timing/timing.h"

// apart: a window whose answers were poisoned before, over one whose answers may lie there already. What does
// not store what is there already would be so much faster.
static const double noisy = 0.05, apart = 1.25, floors = 2;

static int compare_reals(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

Figure cell_figure(const double *x, int n) {
    double sorted[TIMING_ROUNDS_MAX];
    if (n < 1) return (Figure){0};
    memcpy(sorted, x, (size_t)n * sizeof *x);
    qsort(sorted, (size_t)n, sizeof *sorted, compare_reals);
    double middle = median_of(x, n);
    return (Figure){middle, (sorted[n - 1 - n / 4] - sorted[n / 4]) / middle, n};
}

// A fault of a kernel that the referee has accepted takes the verdict back. Nothing else of it does.
bool cell_ended_well(Cell *c, const TimedContender *t) {
    if (t->end == TIMED_WELL) return true;
    bool wrong = t->end == TIMED_FAULT || t->end == TIMED_TRAMPLED;
    return cell_say(c, wrong ? TIMES_incorrect : TIMES_failed,
                    arena_printf(c->a, "%.*s: %s", STR_ARG(t->name),
                                 t->end == TIMED_UNTRIED ? "nothing was measured of it" : t->why));
}

// ---- answers

// Every row, with the block's bounds. Copies of the block with the bits of the first are as right as it is.
static int64_t wrong_elements(Cell *c, const Bound *b, const uint8_t *out, int64_t *first) {
    const CaseTruth *block = &c->r.block.truth[0];
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

static const char *answer_name(Cell *c, int k) {
    Str name = c->q->op->output[k].name;
    return name.len ? arena_printf(c->a, " of %.*s", STR_ARG(name)) : "";
}

static bool all_right(Cell *c, const Bound *expected, const uint8_t *answers, int contender, Str *why) {
    const CaseTruth *block = &c->r.block.truth[0];
    for (int j = 0; j < c->job.checked; j++) {
        const Bound *b = expected;
        for (int k = 0; k < c->job.outputs && b; k++, b = b->also) {
            int64_t first = 0,
                    n = wrong_elements(c, b, answers + timing_output_at(&c->job, contender, j, k), &first);
            if (!n) continue;
            int64_t columns = b->numel / block->slices;
            if (c->q->op->form) {
                *why = str_of(arena_printf(c->a,
                                           "%" PRId64 " of %" PRId64
                                           " elements%s are wrong on the GPU, the first "
                                           "is element %" PRId64,
                                           n, b->numel, answer_name(c, k), first));
                return false;
            }
            *why = str_of(arena_printf(c->a,
                                       "%" PRId64 " of %" PRId64
                                       " elements%s are wrong on the GPU, the first in row %" PRId64
                                       ", column %" PRId64,
                                       n, c->job.output[k] / dtype_bytes(b->dtype), answer_name(c, k),
                                       first / columns, first % columns));
            return false;
        }
    }
    return true;
}

static bool right(Cell *c, const Bound *expected, const uint8_t *answers, int contender, Str *why) {
    double from = clock_seconds();
    bool ok = all_right(c, expected, answers, contender, why);
    c->out->seconds_check += clock_seconds() - from;
    return ok;
}

// The block's rows once more, by the rounding. Draws are shared by programs that were accepted by others.
static const Bound *rounded(Cell *c) {
    const Draw *block = &c->r.block;
    int k = op_rounding(c->q->op, c->q->rounding);
    if (k < 0) return NULL;
    Op op = op_rounded(c->q->op, k);
    DiagList diags = DIAGS(c->a);
    return draw_reference(c->a, &op, block->mapping, &block->spec[0], NULL, &diags);
}

bool cell_answers_right(Cell *c, const uint8_t *answers, Str *why) {
    if (c->q->rounding.len && !c->rounded) c->rounded = rounded(c);
    if (c->q->rounding.len && !c->rounded) {
        *why = STR("the definition's rounding, by which it was accepted, has no values here");
        return false;
    }
    return right(c, c->rounded ? c->rounded : c->r.block.truth[0].expected, answers, 0, why);
}

// ---- what it amounts to

static void tell_baselines(Cell *c, const TimingResult *r, const uint8_t *answers) {
    CellTimes *out = c->out;
    for (int i = 0; i < c->baseline.modes; i++) {
        const BaselineMode *m = &c->baseline.mode[i];
        CellBaseline *b = &out->baseline[out->baselines++];
        *b = (CellBaseline){.name = m->name,
                            .why = m->why,
                            .failed = m->failed,
                            .own = cell_figure(m->device, m->devices),
                            .own_call = cell_figure(m->call, m->calls)};
        const TimedContender *t = c->replayed[i] ? &r->contender[c->replayed[i]] : NULL;
        if (!t) continue;
        if (t->end != TIMED_WELL)
            b->why = str_dup(c->a, str_of(t->why));
        else if (right(c, c->r.block.truth[0].expected, answers, c->replayed[i], &b->why))
            b->device = cell_figure(t->cold, t->colds);
        b->failed = !b->device.rounds;
    }
    out->torch = c->baseline.torch;
}

// PyTorch's own time is of this run only where it was not kept from an earlier one, and counts only for what
// cannot be replayed.
static double device_of(const CellBaseline *b, bool kept) {
    return b->device.rounds ? b->device.us : kept || b->failed ? 0 : b->own.us;
}

double cell_bar(const CellBaseline *b, int n, bool kept, Str *name) {
    double draw[BASELINE_MODES_MAX] = {0}, plain = 0;
    int draws = 0;
    for (int i = 0; i < n; i++) {
        if (str_is(b[i].name, "default")) plain = device_of(&b[i], kept);
        if (str_starts(b[i].name, "max_autotune") && device_of(&b[i], kept) > 0)
            draw[draws++] = device_of(&b[i], kept);
    }
    double tuned = median_of(draw, draws);
    *name = (Str){0};
    if (tuned <= 0 || plain <= 0) return 0; // a missing baseline is no win
    *name = tuned < plain ? STR("max_autotune") : STR("default");
    return tuned < plain ? tuned : plain;
}

Figure cell_fastest(const TimingResult *r, int from, int n) {
    Figure best = {0};
    for (int i = from; i < from + n && i < r->contenders; i++) {
        Figure f = cell_figure(r->contender[i].cold, r->contender[i].colds);
        if (f.rounds && (!best.rounds || f.us < best.us)) best = f;
    }
    return best;
}

void cell_tell(Cell *c, const TimingResult *r, const uint8_t *answers) {
    CellTimes *out = c->out;
    const TimedContender *t = &r->contender[0];
    out->floor_us = r->floor_us;
    out->sets = r->sets;
    out->checked = c->job.checked;
    out->calls_of_window = t->calls_of_window;
    out->windows = t->windows;
    out->registers = t->registers;
    out->local_bytes = t->local_bytes;
    for (int i = 0; i < r->clocks; i++) {
        if (!i || r->sm_mhz[i] < out->sm_mhz_low) out->sm_mhz_low = r->sm_mhz[i];
        if (!i || r->sm_mhz[i] > out->sm_mhz_high) out->sm_mhz_high = r->sm_mhz[i];
    }
    for (int i = 0; i < r->powers; i++) {
        if (!i || r->watts[i] < out->power_w_low) out->power_w_low = r->watts[i];
        if (!i || r->watts[i] > out->power_w_high) out->power_w_high = r->watts[i];
    }
    if (c->yardsticks)
        out->yardstick = cell_fastest(r, 1, c->yardsticks); // else it was kept, or does not run
    Figure device = cell_figure(t->cold, t->colds);
    Str why;
    if (!cell_ended_well(c, t)) return;
    if (!cell_answers_right(c, answers, &why)) {
        cell_say(c, TIMES_incorrect, str_cdup(c->a, why));
        return;
    }
    tell_baselines(c, r, answers);
    if (r->floor_us <= 0) {
        cell_say(c, TIMES_failed,
                 "what a kernel that does nothing takes is not known: the driver does not run PTX");
        return;
    }
    if (!r->cold || device.us < floors * r->floor_us) {
        cell_say(c, TIMES_below_floor,
                 arena_printf(c->a, "%.2f us, where a kernel that does nothing takes %.2f us%s", device.us,
                              r->floor_us, r->cold ? "" : "; all sets of inputs together fit into the L2"));
        return;
    }
    if (device.spread > noisy || t->checked_us > apart * device.us || t->checked_us < device.us / apart) {
        cell_say(
            c, TIMES_timing_unstable,
            arena_printf(
                c->a,
                "the middle half of %d rounds differs by %.1f %%; the checked window took %.2f of the median",
                device.rounds, 100 * device.spread, t->checked_us / device.us));
        return;
    }
    out->device = device;
    out->hot = cell_figure(t->hot, t->hots);
    if (timing_restores(&c->job))
        out->hot_why = STR("calls change an input in place: restoring it between them would be in the time");
    out->call = cell_figure(t->call, t->calls);
    out->bar_us = cell_bar(out->baseline, out->baselines, out->kept, &out->bar);
    out->ratio = out->device.us > 0 && out->bar_us > 0 ? out->bar_us / out->device.us : 0;
}
