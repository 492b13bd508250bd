#include "cases/values/rows.h"

#include "base/bits.h"
#include "base/isa.h"
#include "base/numeric/fmath.h"
#include "cases/values/rows_simd.h"

static const RowLoops *loops(void) {
#ifdef PORTABLE
    return &row_loops_base;
#else
    static const RowLoops *const table[ISA_COUNT] = {&row_loops_base, &row_loops_avx2, &row_loops_avx512};
    return table[isa_level()];
#endif
}

// The largest magnitude that the domain allows for a row of this input.
double row_cap(const OpInput *in, DType dtype) {
    // Float16 to its very end; beyond that, squares and their sums stay finite in float32.
    double end = dtype == DT_F16 ? dtype_max(DT_F16) : 1e15;
    double cap = in->scale_hi * 4, most = dtype == DT_F16 ? end : dtype_max(dtype) * 0.9;
    if (in->shift > cap) cap = in->shift;
    if (in->large && end > cap) cap = end;
    return cap < most ? cap : most;
}

static double clamp(double x, double lo, double hi) { return x < lo ? lo : x > hi ? hi : x; }
static double smaller(double a, double b) { return a < b ? a : b; }

bool row_class_fits(ClassId c, const OpInput *in, DType dtype) {
    double cap = row_cap(in, dtype);
    switch (c) {
    case CLASS_mean_30: return in->large || in->shift >= 30;
    case CLASS_nearly_constant:
    case CLASS_mean_1000: return in->large || in->shift >= 1000;
    case CLASS_shifted: return in->shift > 0;
    case CLASS_constant_79: return cap >= 79;
    case CLASS_stagnation: return cap >= 4096;
    case CLASS_large_end: return in->large;
    case CLASS_below: return in->shift > 0; // a maximum is subtracted, or something like it
    case CLASS_both_ends: return in->large || in->shift > 0;
    case CLASS_uniform_60: return cap >= 60;
    case CLASS_neg_inf:
    case CLASS_neg_inf_blocks:
    case CLASS_neg_inf_most: return in->neg_inf;
    default: return true;
    }
}

static void fill_bell(Rng *r, double *out, int64_t n, double scale, double mean) {
    rng_fill_normal(r, out, (size_t)n);
    loops()->stretch(out, (size_t)n, scale, mean);
}
static void fill_same(double *out, int64_t n, double x) {
    for (int64_t i = 0; i < n; i++) out[i] = x;
}
static void fill_uniform(Rng *r, double *out, int64_t n, double lo, double hi) {
    for (int64_t i = 0; i < n; i++) out[i] = lo + (hi - lo) * rng_unit(r);
}
// `at` stands out by `height`, which may be negative.
static void fill_spike(Rng *r, double *out, int64_t n, int64_t at, double height) {
    fill_bell(r, out, n, 0.5, 0);
    out[at] = height;
}
static double either_sign(Rng *r, double x) { return rng_u32(r) & 1 ? x : -x; }
static void fill_ramp(double *out, int64_t n, double from, double to) {
    for (int64_t i = 0; i < n; i++) out[i] = n == 1 ? from : from + (to - from) * (double)i / (double)(n - 1);
}
// Magnitudes 10^lo .. 10^hi, both signs.
static void fill_log_uniform(Rng *r, double *out, int64_t n, double lo, double hi) {
    double least = f64_log(lo), span = f64_log(hi) - least;
    for (int64_t i = 0; i < n; i++) {
        double m = f64_exp(least + span * rng_unit(r));
        out[i] = rng_u32(r) & 1 ? m : -m;
    }
}

static void draw_range(Rng *r, const RowSpec *s, double *out) {
    double lo = s->negated ? -s->range_hi : s->in->range_lo, hi = s->negated ? -s->in->range_lo : s->range_hi;
    bool whole = !dtype_is_float(s->dtype);
    for (int64_t i = 0; i < s->n; i++) {
        if (s->cls == CLASS_range_ends) {
            // Both ends, and zero where it lies within: the values that sign and bound mistakes hide behind.
            uint64_t k = rng_below(r, 3);
            out[i] = k == 0 ? lo : k == 1 || lo > 0 || hi < 0 ? hi : 0;
        } else {
            out[i] = whole ? (double)rng_between(r, (int64_t)lo, (int64_t)hi) : lo + (hi - lo) * rng_unit(r);
        }
    }
}

static void draw_neg_inf(Rng *r, const RowSpec *s, double *out) {
    fill_bell(r, out, s->n, smaller(s->in->scale_hi, 8), 0);
    int64_t keep = s->chosen >= 0 ? s->chosen : (int64_t)rng_below(r, (uint64_t)s->n);
    for (int64_t i = 0; i < s->n; i++)
        if (i != keep && rng_below(r, 3) == 0) out[i] = -INFINITY;
}

// What stands between the values that are masked: ordinary, shifted, tiny or huge.
static void fill_base(Rng *r, const RowSpec *s, double *out, int64_t kind) {
    double cap = row_cap(s->in, s->dtype), bell = smaller(s->in->scale_hi, 8);
    switch (kind % 4) {
    case 0: fill_bell(r, out, s->n, bell, 0); break;
    case 1: fill_bell(r, out, s->n, bell, (2 * rng_unit(r) - 1) * s->in->shift); break;
    case 2: fill_bell(r, out, s->n, s->in->scale_lo, 0); break;
    default: fill_uniform(r, out, s->n, -cap, cap);
    }
}

// How long a block of -inf is: a power of two from 32 on or, where the row is short, half of it; every other
// time the longest that leaves something, and every other time not a power.
static int64_t block_length(Rng *r, int64_t n) {
    enum { LEAST = 32 };
    int powers = 0;
    while ((int64_t)LEAST << (powers + 1) < n) powers++;
    if (n <= LEAST) return n / 2;
    int64_t power = (int64_t)LEAST << (rng_u32(r) & 1 ? powers : (int)rng_below(r, (uint64_t)powers + 1));
    int64_t length = rng_u32(r) & 1 ? power : power + (int64_t)rng_below(r, (uint64_t)power);
    return length < n ? length : n - 1;
}

// One block first, last or inside, at a multiple of its length or anywhere; or every other one.
static void draw_neg_inf_blocks(Rng *r, const RowSpec *s, double *out) {
    enum { FIRST, LAST, INSIDE, ALTERNATING, KINDS };
    int64_t n = s->n, length = block_length(r, n), kind = s->turn % KINDS;
    if (kind == ALTERNATING && length > n / 2) length = n / 2;
    int64_t places = length > 0 ? n / length : 1, from = 0;
    uint64_t aligned = rng_u32(r) & 1, place = rng_below(r, (uint64_t)places);
    uint64_t anywhere = rng_below(r, (uint64_t)(n - length + 1));
    fill_base(r, s, out, s->turn / KINDS + kind);
    // A block with a value in it would be none.
    if (kind == FIRST && s->chosen >= 0 && s->chosen < length) kind = LAST;
    if (kind == LAST && s->chosen >= n - length) kind = FIRST;
    if (kind == LAST) from = n - length;
    if (kind == INSIDE) from = aligned ? (int64_t)place * length : (int64_t)anywhere;
    int64_t odd = kind == ALTERNATING ? rng_u32(r) & 1 : 0;
    for (int64_t i = 0; i < n; i++) {
        bool inside =
            kind == ALTERNATING ? places > 1 && (i / length & 1) == odd : i >= from && i < from + length;
        if (inside && i != s->chosen) out[i] = -INFINITY;
    }
}

// All but one, nearly all, or a half of the row.
static void draw_neg_inf_most(Rng *r, const RowSpec *s, double *out) {
    enum { ALL_BUT_LAST, NEARLY_ALL, FIRST_HALF, ALL_BUT_ONE, ALL_BUT_FIRST, ANY_HALF, KINDS };
    int64_t n = s->n, kind = s->turn % KINDS, keep = (int64_t)rng_below(r, (uint64_t)n);
    fill_base(r, s, out, s->turn / KINDS + kind);
    if (kind == ALL_BUT_LAST || kind == FIRST_HALF) keep = n - 1;
    if (kind == ALL_BUT_FIRST) keep = 0;
    if (s->chosen >= 0) keep = s->chosen;
    for (int64_t i = 0; i < n; i++) {
        bool masked = kind == FIRST_HALF   ? i < n / 2
                      : kind == ANY_HALF   ? rng_u32(r) & 1
                      : kind == NEARLY_ALL ? rng_below(r, 16) != 0
                                           : true;
        if (masked && i != keep) out[i] = -INFINITY;
    }
}

// All far below zero, near to each other or apart: below what stands in for -inf where somebody chose a
// number. Not below float16's end: near to each other there, float32 could not tell them apart.
static void draw_below(Rng *r, const RowSpec *s, double *out) {
    double cap = smaller(row_cap(s->in, s->dtype), dtype_max(DT_F16));
    if (s->turn & 1) {
        fill_uniform(r, out, s->n, -cap, -cap / 2);
        return;
    }
    fill_bell(r, out, s->n, clamp(1, s->in->scale_lo, s->in->scale_hi), 0);
    for (int64_t i = 0; i < s->n; i++) out[i] = fabs(out[i]) - cap;
}

// 2^n, which is a normal double here.
static double power_of_two(int n) { return double_of((uint64_t)(1023 + n) << 52); }

// From the dtype's smallest number to the end of the domain: each value in the next binade, or all in one.
static void draw_binades(Rng *r, const RowSpec *s, double *out) {
    double cap = row_cap(s->in, s->dtype);
    int lo = s->dtype == DT_F16 ? -24 : s->dtype == DT_BF16 ? -133 : -149, hi = lo;
    while (power_of_two(hi + 1) <= cap) hi++;
    enum { STRIDE = 5 }; // rows of one binade each come round the domain within a draw at level full
    int64_t all = hi - lo + 1, step = s->turn & 1;
    int64_t start = s->turn / 2 * STRIDE + (int64_t)rng_below(r, STRIDE);
    for (int64_t i = 0; i < s->n; i++) {
        int binade = hi - (int)((start + step * i) % all);
        out[i] = either_sign(r, (1 + rng_unit(r)) * power_of_two(binade));
    }
}

// At the largest magnitudes where the first input is, with its sign, the other one, or either.
static void draw_both_ends(Rng *r, const RowSpec *s, double *out) {
    double cap = row_cap(s->in, s->dtype);
    for (int64_t i = 0; i < s->n; i++) {
        double x = rng_u32(r) & 1 ? cap : cap * (1 - rng_unit(r) / 16);
        out[i] = either_sign(r, x);
        if (!s->partner || s->turn % 3 == 2) continue;
        bool negative = (s->partner[i] < 0) != (s->turn % 3 == 1);
        out[i] = negative ? -x : x;
    }
}

// Half of the values near the other summand's negative, so that little but rounding is left; a spike first.
static void draw_cancelling(Rng *r, const RowSpec *s, double *out) {
    if (!s->partner) {
        fill_bell(r, out, s->n, smaller(s->in->scale_hi, 16), 0);
        out[0] = smaller(row_cap(s->in, s->dtype), 512);
        return;
    }
    for (int64_t i = 0; i < s->n; i++) out[i] = -s->partner[i] + (rng_unit(r) - 0.5) * 0x1p-6;
}

static void draw_mixed(Rng *r, const RowSpec *s, double *out) {
    double cap = row_cap(s->in, s->dtype), tiny = s->dtype == DT_F16 ? 1e-6 : 1e-20;
    for (int64_t i = 0; i < s->n; i++) {
        double z = rng_normal(r);
        switch (rng_below(r, 6)) {
        case 0: out[i] = z; break;
        case 1: out[i] = z * smaller(s->in->scale_hi, cap / 5); break;
        case 2: out[i] = z * s->in->scale_lo; break;
        case 3: out[i] = 0; break;
        case 4: out[i] = z * tiny; break;
        default: out[i] = z < 0 ? -1 : 1; break;
        }
    }
}

// All of them the same but for their last bits, every other row the same in all bits. Far larger than what
// they differ by: the mean of squares and the square of the mean are next to each other, and which of them
// rounding leaves the larger one is chance in each row. From 2^5 to 2^16: from where this is more than an
// epsilon of 1e-5 makes up for, to where float16 ends.
static void draw_nearly_constant(Rng *r, const RowSpec *s, double *out) {
    enum { BINADE_LEAST = 5, BINADES = 11 };
    double mantissa = 1 + rng_unit(r), by = rng_u32(r) & 1 ? 0x1p-21 : 0;
    double x = mantissa * power_of_two(BINADE_LEAST + (int)rng_below(r, BINADES));
    x = smaller(x, row_cap(s->in, s->dtype) / 2); // clipped values would be the same in all bits
    for (int64_t i = 0; i < s->n; i++) out[i] = x * (1 + by * (rng_unit(r) - 0.5));
}

// A number that was written down, one of its neighbours in the dtype, or something between it and the next
// larger one. Rows of three kinds: either sign, below a largest value of 0 (differences to a maximum),
// positive.
static void draw_written(Rng *r, const RowSpec *s, double *out) {
    double step = s->dtype == DT_F16 ? 0x1p-10 : s->dtype == DT_BF16 ? 0x1p-7 : 0x1p-23;
    uint64_t kind = rng_below(r, 3);
    for (int64_t i = 0; i < s->n; i++) {
        double x = s->written[rng_below(r, (uint64_t)s->writtens)], next = 2 * x;
        for (int k = 0; k < s->writtens; k++)
            if (s->written[k] > x && s->written[k] < next) next = s->written[k];
        switch (rng_below(r, 4)) {
        case 0: break;
        case 1: x *= 1 + step * (double)rng_between(r, -2, 2); break;
        case 2: x += (next - x) * rng_unit(r); break;
        default: {
            double near = rng_below(r, 2) ? step * 64 : 0.01;
            x += near * x * rng_normal(r);
        }
        }
        out[i] = kind == 0 ? either_sign(r, x) : kind == 1 ? -fabs(x) : x;
    }
    if (kind == 1) out[rng_below(r, (uint64_t)s->n)] = 0;
}

static void draw_class(Rng *r, const RowSpec *s, double *out) {
    const OpInput *in = s->in;
    int64_t n = s->n;
    double cap = row_cap(in, s->dtype);
    double one = clamp(1, in->scale_lo, in->scale_hi), wide = smaller(in->scale_hi, cap / 5);
    double spike = smaller(cap, 4096);
    switch (s->cls) {
    case CLASS_bell: fill_bell(r, out, n, one, 0); break;
    case CLASS_bell_wide: fill_bell(r, out, n, wide, 0); break;
    case CLASS_bell_small: fill_bell(r, out, n, in->scale_lo, 0); break;
    case CLASS_mean_30: fill_bell(r, out, n, 1, 30); break;
    case CLASS_mean_1000: fill_bell(r, out, n, 1, 1000); break;
    case CLASS_shifted: fill_bell(r, out, n, one, (2 * rng_unit(r) - 1) * in->shift); break;
    case CLASS_zero: fill_same(out, n, 0); break;
    case CLASS_constant: fill_same(out, n, (1 + rng_unit(r)) * smaller(cap, 4)); break;
    case CLASS_constant_79:
        fill_same(out, n, 79 / s->factor);
        break; // e^79 does not overflow, a sum of them does
    case CLASS_tiny_1e4: fill_bell(r, out, n, 1e-4, 0); break;
    case CLASS_tiny_1e20: fill_bell(r, out, n, s->dtype == DT_F16 ? 1e-6 : 1e-20, 0); break;
    case CLASS_subnormal: fill_bell(r, out, n, s->dtype == DT_F16 ? 0x1p-18 : 0x1p-130, 0); break;
    case CLASS_spike_first: fill_spike(r, out, n, 0, either_sign(r, spike)); break;
    // Positive, so that a maximum that misses it overflows.
    case CLASS_spike_last: fill_spike(r, out, n, n - 1, spike); break;
    case CLASS_spike_inside: {
        // One draw after the other: the order in which arguments are evaluated is the compiler's.
        int64_t at = (int64_t)rng_below(r, (uint64_t)n);
        fill_spike(r, out, n, at, either_sign(r, smaller(cap, 200)));
        break;
    }
    case CLASS_stagnation: fill_same(out, n, 1), out[0] = 4096; break;
    case CLASS_ascending: fill_ramp(out, n, -smaller(wide, 16), smaller(wide, 16)); break;
    case CLASS_descending: fill_ramp(out, n, smaller(wide, 16), -smaller(wide, 16)); break;
    case CLASS_alternating:
        for (int64_t i = 0; i < n; i++) out[i] = i & 1 ? -cap : cap;
        break;
    case CLASS_large_end: fill_uniform(r, out, n, -cap, cap), out[rng_below(r, (uint64_t)n)] = cap; break;
    case CLASS_uniform_60: fill_uniform(r, out, n, -60, 60); break;
    case CLASS_zero_one:
        for (int64_t i = 0; i < n; i++) out[i] = rng_u32(r) & 1;
        break;
    case CLASS_one_hot: fill_same(out, n, 0), out[rng_below(r, (uint64_t)n)] = 1; break;
    case CLASS_log_uniform: fill_log_uniform(r, out, n, 1e-6, smaller(1e3, cap)); break;
    case CLASS_neg_inf: draw_neg_inf(r, s, out); break;
    case CLASS_neg_inf_blocks: draw_neg_inf_blocks(r, s, out); break;
    case CLASS_neg_inf_most: draw_neg_inf_most(r, s, out); break;
    case CLASS_below: draw_below(r, s, out); break;
    case CLASS_binades: draw_binades(r, s, out); break;
    case CLASS_both_ends: draw_both_ends(r, s, out); break;
    case CLASS_near_zero:
        fill_bell(r, out, n, 0.01 * one, 0);
        if (cap >= 17.5) out[s->chosen >= 0 ? s->chosen : (int64_t)rng_below(r, (uint64_t)n)] = 17.5;
        break;
    case CLASS_cancelling: draw_cancelling(r, s, out); break;
    case CLASS_mixed: draw_mixed(r, s, out); break;
    case CLASS_nearly_constant: draw_nearly_constant(r, s, out); break;
    case CLASS_written: draw_written(r, s, out); break;
    case CLASS_ones: fill_same(out, n, 1); break;
    case CLASS_weights: fill_bell(r, out, n, one, 0); break;
    case CLASS_weights_wide: fill_bell(r, out, n, in->scale_hi, 0); break;
    case CLASS_weights_zero: fill_same(out, n, 0); break;
    case CLASS_weights_neg:
        fill_bell(r, out, n, one, 0);
        for (int64_t i = 0; i < n; i++) out[i] = -fabs(out[i]) - 0x1p-4;
        break;
    case CLASS_range:
    case CLASS_range_ends: draw_range(r, s, out); break;
    case CLASS_infinite:
    case CLASS_module: // the module draws them itself
    case CLASS_COUNT: break;
    }
}

void row_draw(Rng *r, const RowSpec *s, double *out) {
    draw_class(r, s, out);
    // The bell's tails may pass the cap; the domain is what was declared.
    if (!s->in->ranged) loops()->clip(out, (size_t)s->n, row_cap(s->in, s->dtype));
}
