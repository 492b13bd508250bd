#include "cases/modules/module_kinds.h"

#include <math.h>
#include <string.h>

#include "base/numeric/rng.h"
#include "cases/values/rows.h"

enum { SETS_MAX = 6, FLAT_PERIOD = 4 };
static const uint64_t FLAT_STREAM = 0x666c6174;

// --- along which axes ---

static int axes_of(const OpInput *in, unsigned set, LineAxes *out) {
    int64_t n = 1;
    *out = (LineAxes){0};
    for (int d = 0; d < in->rank; d++)
        if (set >> d & 1) {
            out->axis[out->axes++] = d;
            n *= in->size[d];
        }
    return n > 1 ? out->axes : 0;
}

// What modules reduce along: the last axis, as activations of rows do; the second one, as norms of channels;
// the first; all but the first, but the second, but both, as norms of samples, batches and instances; all, as
// losses.
static int sets_of(const OpInput *in, LineAxes *out) {
    unsigned all = (1u << in->rank) - 1, last = 1u << (in->rank - 1);
    unsigned want[SETS_MAX] = {last, 2, all & ~1u, all & ~2u, all & ~3u, all};
    int n = 0;
    if (in->rank < 3) want[3] = 1, want[4] = 1;
    for (int i = 0; i < SETS_MAX; i++) {
        bool known = (want[i] & all) != want[i] || want[i] == 0;
        for (int k = 0; k < i; k++) known = known || want[k] == want[i];
        if (!known && axes_of(in, want[i], &out[n])) n++;
    }
    return n;
}

static Reduction plain_one(Arena *a, const Op *op) {
    LineAxes *axes = NEWN(a, LineAxes, (size_t)op->inputs + 1);
    for (int i = 0; i < op->inputs; i++)
        if (op->input[i].rank > 0) axes[i] = (LineAxes){.axes = 1, .axis = {op->input[i].rank - 1}};
    return (Reduction){.input = axes};
}

int module_kinds_axes(Arena *a, const Op *op, uint64_t random, const Reduction **out) {
    int n = 1;
    Reduction *list = NEWN(a, Reduction, (size_t)op->inputs * SETS_MAX + 1);
    list[0] = plain_one(a, op);
    for (int turn = 0; turn < SETS_MAX; turn++)
        for (int i = 0; i < op->inputs; i++) {
            LineAxes set[SETS_MAX];
            if (!(random >> i & 1) || op->input[i].rank == 0 || turn >= sets_of(&op->input[i], set)) continue;
            list[n] = plain_one(a, op);
            LineAxes *axes = (LineAxes *)list[n++].input; // made just now
            axes[i] = set[turn];
            axes[i].by_class = true;
        }
    *out = list;
    return n;
}

int module_kinds_input(const Op *op, const Reduction *of) {
    for (int i = 0; i < op->inputs; i++)
        if (of->input[i].by_class) return i;
    return -1;
}

// --- values ---

static bool has_zeros(ClassId c) {
    return c == CLASS_zero || c == CLASS_zero_one || c == CLASS_one_hot || c == CLASS_mixed;
}

// Classes in the order of lines; those that make much of a difference stand twice.
static int classes(const KindsRequest *q, const OpInput *in, ClassId *out) {
    static const ClassId all[] = {
        CLASS_mean_1000, CLASS_bell_wide,   CLASS_below,       CLASS_constant, CLASS_spike_inside,
        CLASS_zero_one,  CLASS_uniform_60,  CLASS_bell,        CLASS_mean_30,  CLASS_bell_small,
        CLASS_zero,      CLASS_spike_last,  CLASS_log_uniform, CLASS_shifted,  CLASS_below,
        CLASS_one_hot,   CLASS_constant_79, CLASS_spike_first, CLASS_tiny_1e4, CLASS_stagnation,
    };
    bool zeros = q->reach <= KINDS_ALL;
    int n = 0;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (row_class_fits(all[i], in, DT_F32) && (zeros || !has_zeros(all[i]))) out[n++] = all[i];
    return n;
}

static OpInput reach_of(const KindsRequest *q, Rng *r) {
    static const double wide[] = {3, 30, 300};
    OpInput in = {.scale_lo = 0x1p-4, .scale_hi = 8, .range_dim = -1, .keep = -1};
    if (q->reach >= KINDS_NEAR) return in;
    in.scale_hi = wide[rng_below(r, 3)];
    in.shift = 1000;
    return in;
}

// A few infinite elements of a line, one at least where it has several.
static void put_infinite(Rng *r, double *line, int64_t n, bool both) {
    enum { ONE_IN = 16 };
    int64_t some = 1 + (int64_t)rng_below(r, (uint64_t)(n / ONE_IN) + 1);
    for (int64_t i = 0; i < some && some < n; i++) {
        int64_t at = (int64_t)rng_below(r, (uint64_t)n);
        line[at] = both && rng_u32(r) & 1 ? INFINITY : -INFINITY;
    }
}

static void finish(const KindsRequest *q, ClassId c, Rng *r, double *line, int64_t n) {
    if (c == CLASS_infinite) put_infinite(r, line, n, q->reach == KINDS_INFINITE);
    bool flip = c == CLASS_constant && rng_u32(r) & 1;
    bool positive = q->reach == KINDS_POSITIVE || q->reach == KINDS_NEAR_POSITIVE;
    for (int64_t i = 0; i < n; i++) {
        if (c == CLASS_zero_one && line[i] == 0 && rng_u32(r) & 1) line[i] = -0.0;
        if (flip) line[i] = -line[i];
        if (positive) line[i] = fabs(line[i]);
    }
}

void module_kinds_draw(Arena *scratch, const KindsRequest *q, uint8_t *map, uint8_t *cls) {
    ArenaMark mark = arena_mark(scratch);
    Lines l = lines_of(q->tensor, &q->of->input[q->input]);
    double *line = NEWN(scratch, double, (size_t)l.length + 1);
    Rng start = rng_at(q->seed, 0);
    uint64_t first = rng_u32(&start);
    // Most modules reduce within some stretch of lines: that many classes in a row are different ones.
    for (int64_t r = 0; r < l.lines; r++) {
        Rng rng = rng_at(q->seed, 1 + (uint64_t)r);
        OpInput in = reach_of(q, &rng);
        ClassId list[CLASS_COUNT], c;
        int n = classes(q, &in, list);
        c = list[(first + (uint64_t)r) % (uint64_t)n];
        RowSpec s = {
            .cls = c, .dtype = (DType)q->tensor->dtype, .in = &in, .n = l.length, .chosen = -1, .factor = 1};
        if (c == CLASS_below) s.turn = r + (int64_t)(first >> 8 & 1);
        bool infinite = q->reach <= KINDS_NEGATIVE_INF && l.length > 1 &&
                        (l.lines < 4 || r % 2 == (int64_t)(first >> 9 & 1));
        if (infinite) s.cls = CLASS_bell, c = CLASS_infinite;
        row_draw(&rng, &s, line);
        finish(q, c, &rng, line, l.length);
        line_store(&l, map, r, line);
        cls[r] = (uint8_t)c;
    }
    arena_reset(scratch, mark);
}

// --- nearly constant ones ---

// The place of a line on an axis; -1: it runs along that one.
static int64_t place_on(const Lines *l, int64_t line, int axis) {
    for (int i = l->others - 1; i >= 0; i--) {
        int64_t n = l->t->shape[l->other[i]];
        if (l->other[i] == axis) return line % n;
        line /= n;
    }
    return -1;
}

// What lies at a place of an axis: values some thousandths apart, so that the right answer is well known, or
// some that differ in their last bits.
typedef enum { ORDINARY, CLOSE, LAST_BITS, SPREADS } Spread;
static Spread spread_at(int axis, int64_t place, int64_t n, uint64_t start) {
    int64_t period = axis == 0 ? FLAT_PERIOD : 2 * FLAT_PERIOD;
    if (n < 2 || place < 0) return ORDINARY;
    if (n < period) period = n;
    int64_t turn = (place + (int64_t)start) % period;
    return turn == 0 ? CLOSE : turn == 1 && period >= FLAT_PERIOD ? LAST_BITS : ORDINARY;
}

// All but that axis.
static Lines lines_across(const CaseTensor *t, int axis) {
    LineAxes rest = {0};
    for (int d = 0; d < t->rank; d++)
        if (d != axis) rest.axis[rest.axes++] = d;
    return lines_of(t, &rest);
}

bool module_kinds_flatten(Arena *scratch, const KindsRequest *q, uint8_t *map, uint8_t *cls) {
    enum { BINADE_LEAST = 5, BINADES = 4 };
    static const double apart[SPREADS] = {[CLOSE] = 0x1p-9, [LAST_BITS] = 0x1p-21};
    if (q->reach >= KINDS_NEAR) return false;
    ArenaMark mark = arena_mark(scratch);
    Rng rng = rng_at(q->seed, FLAT_STREAM);
    uint64_t first = rng_u32(&rng);
    double value = (1 + rng_unit(&rng)) * ldexp(1, BINADE_LEAST + (int)rng_below(&rng, BINADES));
    if (q->reach < KINDS_POSITIVE && rng_u32(&rng) & 1) value = -value;
    Lines of = lines_of(q->tensor, &q->of->input[q->input]);
    double *line = NEWN(scratch, double, (size_t)(of.lines * of.length) + 1);
    // Where both cross, last bits win: the others are still some thousandths apart elsewhere.
    for (Spread s = CLOSE; s < SPREADS; s++)
        for (int axis = 0; axis < 2 && axis < q->tensor->rank; axis++) {
            Lines l = lines_across(q->tensor, axis);
            for (int64_t r = 0; r < l.lines; r++) {
                if (spread_at(axis, r, l.lines, first) != s) continue;
                for (int64_t i = 0; i < l.length; i++)
                    line[i] = value * (1 + apart[s] * (rng_unit(&rng) - 0.5));
                line_store(&l, map, r, line);
            }
            for (int64_t r = 0; r < of.lines; r++)
                if (spread_at(axis, place_on(&of, r, axis), l.lines, first) == s)
                    cls[r] = CLASS_nearly_constant;
        }
    arena_reset(scratch, mark);
    return true;
}

// --- whose line an element is ---

int64_t module_kinds_line(const OpInput *in, const LineAxes *axes, const Bound *answer, int64_t element) {
    bool along[OP_RANK_MAX] = {false};
    int others = in->rank - axes->axes;
    for (int i = 0; i < axes->axes; i++) along[axes->axis[i]] = true;
    bool same = answer->rank == in->rank, reduced = answer->rank == others;
    if (!same && !reduced) return -1;
    int64_t line = 0, size = 1;
    for (int d = in->rank - 1, k = answer->rank - 1; d >= 0; d--) {
        if (along[d] && !same) continue;
        int64_t n = answer->shape[k--], at = element % n;
        element /= n;
        if (along[d] ? n != 1 && n != in->size[d] : n != in->size[d]) return -1;
        if (along[d]) continue;
        line += at * size;
        size *= in->size[d];
    }
    return line;
}
