// The bound as a judge: float32 implementations in the style of real kernels lie inside it on adversarial
// rows, and wrong ones do not. Prints how much of the bound the worst honest element used. Approximate units
// are modelled as the correctly rounded value moved by up to 2 ulp.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/numeric/rng.h"
#include "tensor/oracle.h"
#include <float.h>
#include <stdio.h>

enum { N_MAX = 65537, ROWS = 22 };

// --- Rows ----------------------------------------------------------------------------------------

typedef enum {
    ROW_RANDN,
    ROW_RANDN8,
    ROW_RANDN64,
    ROW_MEAN1000,
    ROW_MEAN30,
    ROW_CONSTANT,
    ROW_MANTISSA,
    ROW_79,
    ROW_ZERO,
    ROW_TINY4,
    ROW_TINY20,
    ROW_SPIKE_FIRST,
    ROW_SPIKE_LAST,
    ROW_STAGNATION,
    ROW_ASCENDING,
    ROW_ALTERNATING,
    ROW_UNIFORM60,
    ROW_UNIFORM300,
    ROW_BITS,
    ROW_ONE_HOT,
    ROW_LOG_UNIFORM,
    ROW_SHIFTED,
} RowClass;
static const char *const row_name[ROWS] = {
    "randn",         "randn x8",          "randn x64",   "mean 1000",  "mean 30",
    "constant 3.25", "constant mantissa", "constant 79", "zero",       "tiny 1e-4",
    "tiny 1e-20",    "spike first",       "spike last",  "stagnation", "ascending",
    "alternating",   "uniform 60",        "uniform 300", "0/1",        "one-hot",
    "log-uniform",   "shifted -30000",
};

static void make_row(RowClass k, Rng *r, int n, float *x) {
    float mantissa = (float)(3 + rng_unit(r));
    for (int i = 0; i < n; i++) {
        double g = rng_normal(r), u = 2 * rng_unit(r) - 1, v = g;
        switch (k) {
        case ROW_RANDN: break;
        case ROW_RANDN8: v = 8 * g; break;
        case ROW_RANDN64: v = 64 * g; break;
        case ROW_MEAN1000: v = 1000 + g; break;
        case ROW_MEAN30: v = 30 + g; break;
        case ROW_CONSTANT: v = 3.25; break;
        case ROW_MANTISSA: v = (double)mantissa; break;
        case ROW_79: v = 79; break;
        case ROW_ZERO: v = 0; break;
        case ROW_TINY4: v = 1e-4 * g; break;
        case ROW_TINY20: v = 1e-20 * g; break;
        case ROW_SPIKE_FIRST: v = i == 0 ? 4096 : g; break;
        case ROW_SPIKE_LAST: v = i == n - 1 ? 4096 : g; break;
        case ROW_STAGNATION: v = i == 0 ? 4096 : 1; break;
        case ROW_ASCENDING: v = (double)i / n * 40 - 20; break;
        case ROW_ALTERNATING: v = i % 2 ? 300 : -300; break;
        case ROW_UNIFORM60: v = 60 * u; break;
        case ROW_UNIFORM300: v = 300 * u; break;
        case ROW_BITS: v = u > 0; break;
        case ROW_ONE_HOT: v = i == n / 2; break;
        case ROW_LOG_UNIFORM: v = pow(10, 4.5 * u - 1.5); break;
        case ROW_SHIFTED: v = g - 30000; break;
        }
        x[i] = (float)v;
    }
}

// --- Honest arithmetic ---------------------------------------------------------------------------

typedef enum { SUM_TREE, SUM_LANES, SUM_BLOCKS, SUM_CHUNKS, SUM_SERIAL } SumKind; // the last is not honest
typedef struct {
    const char *name;
    SumKind sum;
    int ulps;   // units are off by that much; 9: by a random -2..2
    bool fold;  // exp(x - m) as exp2(x*c - m*c), layernorm as x*(r*w) + (b - mu*r*w)
    bool other; // tanh from sigmoid, polynomial erf, x*sigmoid gelu, x - (m + log s), reciprocals
    bool flush; // subnormals to zero
} Style;
static const Style honest[] = {
    {"tree, exact units", SUM_TREE, 0, false, false, false},
    {"128 lanes, random units", SUM_LANES, 9, false, true, false},
    {"1024 blocks, +2 ulp, flush", SUM_BLOCKS, 2, false, false, true},
    {"128 lanes, -2 ulp, folded", SUM_LANES, -2, true, true, false},
    {"128 chunks, random units, folded", SUM_CHUNKS, 9, true, false, true},
    {"128 chunks, +2 ulp", SUM_CHUNKS, 2, false, true, false},
};
enum { STYLES = sizeof honest / sizeof *honest };

static Style style;
static Rng noise;

static float f(float x) { return style.flush && fabsf(x) < FLT_MIN ? 0.0f : x; } // after every operation
static float unit(double exact) {
    float x = (float)exact;
    if (!isfinite(x) || x == 0) return x;
    int moves = style.ulps == 9 ? (int)rng_below(&noise, 5) - 2 : style.ulps;
    for (; moves > 0; moves--) x = nextafterf(x, INFINITY);
    for (; moves < 0; moves++) x = nextafterf(x, -INFINITY);
    return f(x);
}
static float f_div(float a, float b) {
    if (style.other) return f(a * unit(1 / (double)b));
    return unit((double)a / (double)b);
}
static float f_rsqrt(float x) { return unit(1 / sqrt((double)x)); }
static const float log2e = 1.44269504f, ln2 = 0.693147181f;
static float f_exp(float x) { return unit(exp2((double)f(x * log2e))); }
static float f_log(float x) { return f(unit(log2((double)x)) * ln2); }
static float f_sigmoid(float x) { return f_div(1, f(1 + f_exp(-x))); }
static float f_tanh(float x) { return style.other ? f(2 * f_sigmoid(2 * x) - 1) : unit(tanh((double)x)); }
static float f_erf(float x) { // other: Abramowitz and Stegun 7.1.26, absolute error 1.5e-7
    if (!style.other) return unit(erf((double)x));
    float a = fabsf(x), t = f_div(1, f(1 + f(0.3275911f * a)));
    float p = 1.061405429f;
    p = f(f(p * t) - 1.453152027f);
    p = f(f(p * t) + 1.421413741f);
    p = f(f(p * t) - 0.284496736f);
    p = f(f(p * t) + 0.254829592f);
    return copysignf(f(1 - f(f(p * t) * f_exp(-f(a * a)))), x);
}

static float tree(const float *x, int n) {
    if (n == 0) return 0;
    if (n == 1) return x[0];
    int half = n / 2;
    return f(tree(x, half) + tree(x + half, n - half));
}
static float f_sum(const float *x, int n) {
    float part[128] = {0}, all = 0;
    switch (style.sum) {
    case SUM_TREE: return tree(x, n);
    case SUM_LANES:
        for (int i = 0; i < n; i++) part[i % 128] = f(part[i % 128] + x[i]);
        return tree(part, 128);
    case SUM_BLOCKS:
        for (int i = 0; i < n; i += 1024) all = f(all + tree(x + i, n - i < 1024 ? n - i : 1024));
        return all;
    case SUM_CHUNKS: {
        int size = (n + 127) / 128;
        for (int i = 0; i < n; i++) part[i / size] = f(part[i / size] + x[i]);
        return tree(part, 128);
    }
    case SUM_SERIAL:
        for (int i = 0; i < n; i++) all = f(all + x[i]);
    }
    return all;
}

// --- Kernels: x is the row, w and b parameters, y the result; `wrong` selects a planted error ----

typedef enum {
    RIGHT,
    NO_EPS,
    COUNT_LESS_ONE,
    LAST_DROPPED,
    ONE_PASS,
    BF16_SUM,
    OTHER_GELU,
    BF16_EXP,
    NO_SHIFT,
    EXCLUSIVE,
    FACTOR,
} Wrong;
static Wrong wrong;
static float t[N_MAX], u[N_MAX];

static float bf16(float x) { return f32_from_bf16(bf16_from_f32(x)); }
static float statistic(const float *x, int n) {
    if (wrong == LAST_DROPPED) n--;
    if (wrong != BF16_SUM) return f_sum(x, n);
    float part[128] = {0}, all = 0;
    for (int i = 0; i < n; i++) part[i % 128] = bf16(part[i % 128] + x[i]);
    for (int i = 0; i < 128; i++) all = bf16(all + part[i]);
    return all;
}
static float average(float sum, int n) {
    return style.other ? f(sum * (1.0f / (float)n)) : unit((double)sum / n);
}

static void k_rmsnorm(int n, const float *x, const float *w, const float *b, float *y) {
    (void)b;
    for (int i = 0; i < n; i++) t[i] = f(x[i] * x[i]);
    float r = f_rsqrt(f(average(statistic(t, n), n) + (wrong == NO_EPS ? 0 : 1e-6f)));
    for (int i = 0; i < n; i++) y[i] = f(f(x[i] * r) * w[i]);
}
static void k_layernorm(int n, const float *x, const float *w, const float *b, float *y) {
    float mu = average(f_sum(x, n), n), var;
    for (int i = 0; i < n; i++) t[i] = wrong == ONE_PASS ? f(x[i] * x[i]) : f(f(x[i] - mu) * f(x[i] - mu));
    var = average(statistic(t, n), wrong == COUNT_LESS_ONE ? n - 1 : n);
    if (wrong == ONE_PASS) var = f(var - f(mu * mu)) > 0 ? f(var - f(mu * mu)) : 0;
    float r = f_rsqrt(f(var + (wrong == NO_EPS ? 0 : 1e-5f)));
    for (int i = 0; i < n; i++) {
        float rw = f(r * w[i]);
        y[i] = style.fold ? f(f(x[i] * rw) + f(b[i] - f(mu * rw))) : f(f(f(f(x[i] - mu) * r) * w[i]) + b[i]);
    }
}
static float shifted_exp(float x, float m) {
    if (wrong == NO_SHIFT) return f_exp(x);
    float e;
    if (style.fold && fabsf(x) + fabsf(m) < 0x1p18f)
        e = unit(exp2((double)f(f(x * log2e) - f(m * log2e))));
    else
        e = f_exp(f(x - m));
    return wrong == BF16_EXP ? bf16(e) : e;
}
static float row_max(int n, const float *x) {
    float m = x[0];
    for (int i = 1; i < n; i++) m = x[i] > m ? x[i] : m;
    return m;
}
static void k_softmax(int n, const float *x, const float *w, const float *b, float *y) {
    (void)w, (void)b;
    float m = row_max(n, x);
    for (int i = 0; i < n; i++) t[i] = shifted_exp(x[i], m);
    float s = statistic(t, n);
    for (int i = 0; i < n; i++) y[i] = f_div(t[i], s);
}
// The same with a running maximum over blocks of 256, whose sum is rescaled whenever the maximum grows.
static void k_softmax_online(int n, const float *x, const float *w, const float *b, float *y) {
    (void)w, (void)b;
    float m = -INFINITY, s = 0;
    for (int i = 0; i < n; i += 256) {
        int k = n - i < 256 ? n - i : 256;
        float top = row_max(k, x + i), next = top > m ? top : m;
        for (int j = 0; j < k; j++) u[j] = f_exp(f(x[i + j] - next));
        s = f(f(s * (m == next ? 1 : f_exp(f(m - next)))) + tree(u, k));
        m = next;
    }
    for (int i = 0; i < n; i++) y[i] = f_div(f_exp(f(x[i] - m)), s);
}
static void k_log_softmax(int n, const float *x, const float *w, const float *b, float *y) {
    (void)w, (void)b;
    float m = row_max(n, x);
    for (int i = 0; i < n; i++) t[i] = shifted_exp(x[i], m);
    float l = f_log(statistic(t, n));
    for (int i = 0; i < n; i++) y[i] = style.other ? f(x[i] - f(m + l)) : f(f(x[i] - m) - l);
}
static void k_gelu_tanh(int n, const float *x, const float *w, const float *b, float *y) {
    (void)w, (void)b;
    for (int i = 0; i < n; i++) {
        float a = x[i], z = f(0.797884561f * f(a + f(0.044715f * f(f(a * a) * a))));
        if (wrong == OTHER_GELU)
            y[i] = f(f(0.5f * a) * f(1 + f_erf(f(a * 0.707106781f))));
        else
            y[i] =
                style.other && style.ulps != 9 ? f(a * f_sigmoid(2 * z)) : f(f(0.5f * a) * f(1 + f_tanh(z)));
    }
}
static void k_gelu_erf(int n, const float *x, const float *w, const float *b, float *y) {
    (void)w, (void)b;
    for (int i = 0; i < n; i++) {
        float a = x[i], z = f(0.797884561f * f(a + f(0.044715f * f(f(a * a) * a))));
        y[i] = f(f(0.5f * a) * f(1 + (wrong == OTHER_GELU ? f_tanh(z) : f_erf(f(a * 0.707106781f)))));
    }
}
static void k_swiglu(int n, const float *x, const float *w, const float *b, float *y) {
    (void)b;
    for (int i = 0; i < n; i++)
        y[i] =
            f(style.other ? f(f(x[i] * f_sigmoid(x[i])) * w[i]) : f(f_div(x[i], f(1 + f_exp(-x[i]))) * w[i]));
    for (int i = 0; wrong == FACTOR && i < n; i++) y[i] *= 1.00002f;
}
// Blocks: a doubling scan in each, and a carry; chunks and lanes: one contiguous piece per thread, offsets
// added.
static void k_cumsum(int n, const float *x, const float *w, const float *b, float *y) {
    (void)w, (void)b;
    bool blocks = style.sum == SUM_TREE || style.sum == SUM_BLOCKS;
    int size = style.sum == SUM_SERIAL ? n : blocks ? 256 : (n + 127) / 128;
    float carry = 0;
    for (int i = 0; i < n; i += size) {
        int k = n - i < size ? n - i : size;
        memcpy(t, x + i, (size_t)k * sizeof *t);
        for (int step = 1; blocks && step < k; step *= 2)
            for (int j = k - 1; j >= step; j--) t[j] = f(t[j] + t[j - step]);
        for (int j = 1; !blocks && j < k; j++) t[j] = f(t[j - 1] + t[j]);
        for (int j = 0; j < k; j++) y[i + j] = f(carry + t[j]);
        carry = y[i + k - 1];
    }
    for (int i = n - 1; wrong == EXCLUSIVE && i >= 0; i--) y[i] = i ? y[i - 1] : 0;
}

// --- References, as torch text would be evaluated ------------------------------------------------

static const Bound *r_rmsnorm(const Bound *x, const Bound *w, const Bound *b) {
    (void)b;
    const Bound *ms = OPA(MEAN, ATTRS(0, 1), OP(POW, x, whole(2)));
    return OP(MUL, OP(MUL, x, OP(RSQRT, OP(ADD, ms, lit(1e-6)))), w);
}
static const Bound *r_layernorm(const Bound *x, const Bound *w, const Bound *b) {
    const Bound *d = OP(SUB, x, OPA(MEAN, ATTRS(0, 1), x)), *var = OPA(MEAN, ATTRS(0, 1), OP(MUL, d, d));
    return OP(ADD, OP(MUL, OP(MUL, d, OP(RSQRT, OP(ADD, var, lit(1e-5)))), w), b);
}
static const Bound *r_layernorm_var(const Bound *x, const Bound *w, const Bound *b) {
    const Bound *d = OP(SUB, x, OPA(MEAN, ATTRS(0, 1), x)), *var = OPA(VAR, ATTRS(0, 1, 0), x);
    return OP(ADD, OP(MUL, OP(MUL, d, OP(RSQRT, OP(ADD, var, lit(1e-5)))), w), b);
}
static const Bound *r_softmax(const Bound *x, const Bound *w, const Bound *b) {
    (void)w, (void)b;
    return OPA(SOFTMAX, ATTRS(0), x);
}
static const Bound *r_softmax_by_hand(const Bound *x, const Bound *w, const Bound *b) {
    (void)w, (void)b;
    const Bound *e = OP(EXP, OP(SUB, x, OPA(AMAX, ATTRS(0, 1), x)));
    return OP(DIV, e, OPA(SUM, ATTRS(0, 1), e));
}
static const Bound *r_log_softmax(const Bound *x, const Bound *w, const Bound *b) {
    (void)w, (void)b;
    return OPA(LOG_SOFTMAX, ATTRS(0), x);
}
static const Bound *r_gelu_tanh(const Bound *x, const Bound *w, const Bound *b) {
    (void)w, (void)b;
    return OP(GELU_TANH, x);
}
static const Bound *r_gelu_erf(const Bound *x, const Bound *w, const Bound *b) {
    (void)w, (void)b;
    return OP(GELU_ERF, x);
}
static const Bound *r_swiglu(const Bound *x, const Bound *w, const Bound *b) {
    (void)b;
    return OP(MUL, OP(SILU, x), w);
}
static const Bound *r_cumsum(const Bound *x, const Bound *w, const Bound *b) {
    (void)w, (void)b;
    return OPA(CUMSUM, ATTRS(0), x);
}

typedef struct {
    const char *name;
    const Bound *(*reference)(const Bound *, const Bound *, const Bound *);
    void (*kernel)(int, const float *, const float *, const float *, float *);
    double worst; // percent of the bound that the honest ones used
} Op;
static Op ops[] = {
    {"rmsnorm", r_rmsnorm, k_rmsnorm, 0},
    {"layernorm", r_layernorm, k_layernorm, 0},
    {"layernorm, var()", r_layernorm_var, k_layernorm, 0},
    {"softmax", r_softmax, k_softmax, 0},
    {"softmax, online", r_softmax, k_softmax_online, 0},
    {"softmax by hand", r_softmax_by_hand, k_softmax, 0},
    {"log_softmax", r_log_softmax, k_log_softmax, 0},
    {"gelu tanh", r_gelu_tanh, k_gelu_tanh, 0},
    {"gelu erf", r_gelu_erf, k_gelu_erf, 0},
    {"swiglu", r_swiglu, k_swiglu, 0},
    {"cumsum", r_cumsum, k_cumsum, 0},
};
enum { OPS = sizeof ops / sizeof *ops };
enum {
    RMSNORM,
    LAYERNORM,
    LAYERNORM_VAR,
    SOFTMAX,
    SOFTMAX_ONLINE,
    SOFTMAX_BY_HAND,
    LOG_SOFTMAX,
    GELU_T,
    GELU_E,
    SWIGLU,
    CUMSUM
};

// --- Judging -------------------------------------------------------------------------------------

typedef struct {
    float *x, *w, *b, *y;
    const Bound *reference;
    int n;
    ArenaMark mark;
} Case;

static const Bound *floats(const float *x, int n) {
    double *v = NEWN(&arena, double, (size_t)n);
    for (int i = 0; i < n; i++) v[i] = (double)x[i];
    return INPUT(DT_F32, v, n);
}

static Case case_open(const Op *op, RowClass row, int n, uint64_t seed) {
    Case c = {.n = n, .mark = arena_mark(&arena)};
    Rng r = rng_at(seed, (uint64_t)row * 1000003 + (uint64_t)n);
    c.x = NEWN(&arena, float, (size_t)n), c.w = NEWN(&arena, float, (size_t)n);
    c.b = NEWN(&arena, float, (size_t)n), c.y = NEWN(&arena, float, (size_t)n);
    make_row(row, &r, n, c.x);
    for (int i = 0; i < n; i++) c.w[i] = (float)rng_normal(&r), c.b[i] = (float)rng_normal(&r);
    c.reference = op->reference(floats(c.x, n), floats(c.w, n), floats(c.b, n));
    assert_true(c.reference->numel == n);
    noise = rng_at(seed, 77);
    return c;
}
static void case_close(Case *c) { arena_reset(&arena, c->mark); }

// Worst element in percent of its bound; where e is 0 only the correctly rounded value is right.
static double use_of(const Case *c, int *unjudged) {
    double worst = 0;
    for (int i = 0; i < c->n; i++) {
        double v = c->reference->v[i], e = err_at(c->reference, i), y = (double)c->y[i];
        if (e == (double)INFINITY) {
            ++*unjudged;
            continue;
        }
        if (y == v || (float)v == c->y[i] || (v != v && y != y)) continue;
        double use = isfinite(y) && isfinite(v) && e > 0 ? 100 * fabs(y - v) / (KU * e) : 1e9;
        worst = use > worst ? use : worst;
    }
    return worst;
}

static void honest_rows_are_inside(void **state) {
    (void)state;
    static const int lengths[] = {1, 2, 3, 17, 128, 1000, 4097};
    int unjudged = 0;
    wrong = RIGHT;
    for (int o = 0; o < OPS; o++) {
        char where[128] = "";
        for (int row = 0; row < ROWS; row++) {
            for (size_t l = 0; l < sizeof lengths / sizeof *lengths; l++) {
                Case c = case_open(&ops[o], (RowClass)row, lengths[l], 1);
                for (int s = 0; s < STYLES; s++) {
                    style = honest[s];
                    ops[o].kernel(c.n, c.x, c.w, c.b, c.y);
                    double use = use_of(&c, &unjudged);
                    if (use <= ops[o].worst) continue;
                    ops[o].worst = use;
                    snprintf(where, sizeof where, "%s, N = %d, %s", row_name[row], c.n, honest[s].name);
                }
                case_close(&c);
            }
        }
        printf("  %-18s uses at most %5.1f %% of its bound (%s)\n", ops[o].name, ops[o].worst, where);
        if (ops[o].worst > 100) fail_msg("%s: an honest row is rejected", ops[o].name);
    }
    assert_int_equal(unjudged, 0);
}

// Long rows: chains of 512 additions in 128 lanes are the longest that count as honest.
static void long_rows_are_inside(void **state) {
    (void)state;
    static const RowClass rows[] = {ROW_RANDN, ROW_STAGNATION, ROW_MANTISSA, ROW_MEAN1000};
    int unjudged = 0;
    double worst = 0;
    wrong = RIGHT;
    for (int o = 0; o < OPS; o++) {
        if (o == GELU_T || o == GELU_E || o == SWIGLU || o == LAYERNORM_VAR) continue;
        for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
            Case c = case_open(&ops[o], rows[k], 65536, 1);
            style = honest[k % 2 ? 1 : 5];
            ops[o].kernel(c.n, c.x, c.w, c.b, c.y);
            double use = use_of(&c, &unjudged);
            worst = use > worst ? use : worst;
            if (use > 100) fail_msg("%s on %s: %.0f %%", ops[o].name, row_name[rows[k]], use);
            case_close(&c);
        }
    }
    assert_int_equal(unjudged, 0);
    printf("  N = 65536 uses at most %.1f %%\n", worst);
}

// In how many of the row classes the planted error is seen.
static int seen(int op, Wrong what, const Style *s, int n) {
    int rows = 0, unjudged = 0;
    wrong = what;
    style = *s;
    for (int row = 0; row < ROWS; row++) {
        Case c = case_open(&ops[op], (RowClass)row, n, 2);
        ops[op].kernel(c.n, c.x, c.w, c.b, c.y);
        rows += use_of(&c, &unjudged) > 100;
        case_close(&c);
    }
    wrong = RIGHT;
    return rows;
}

static void planted_errors_are_outside(void **state) {
    (void)state;
    static const struct {
        const char *what;
        int op;
        Wrong wrong;
        int at_least;
    } row[] = {
        {"rmsnorm without eps", RMSNORM, NO_EPS, 3},
        {"layernorm without eps", LAYERNORM, NO_EPS, 2},
        {"layernorm over N-1", LAYERNORM, COUNT_LESS_ONE, 12},
        {"layernorm with var(), over N-1", LAYERNORM_VAR, COUNT_LESS_ONE, 12},
        {"rmsnorm, last element dropped", RMSNORM, LAST_DROPPED, 12},
        {"layernorm, last element dropped", LAYERNORM, LAST_DROPPED, 8},
        {"softmax, last element dropped", SOFTMAX, LAST_DROPPED, 12},
        {"log_softmax, last element dropped", LOG_SOFTMAX, LAST_DROPPED, 6},
        {"layernorm, one-pass variance", LAYERNORM, ONE_PASS, 1},
        {"rmsnorm, bf16 accumulator", RMSNORM, BF16_SUM, 12},
        {"layernorm, bf16 accumulator", LAYERNORM, BF16_SUM, 12},
        {"softmax, bf16 accumulator", SOFTMAX, BF16_SUM, 10},
        {"softmax, bf16 exponentials", SOFTMAX, BF16_EXP, 12},
        {"softmax by hand, bf16 exponentials", SOFTMAX_BY_HAND, BF16_EXP, 12},
        {"softmax without the maximum", SOFTMAX, NO_SHIFT, 4},
        {"gelu: erf for tanh", GELU_T, OTHER_GELU, 6},
        {"gelu: tanh for erf", GELU_E, OTHER_GELU, 6},
        {"cumsum, exclusive", CUMSUM, EXCLUSIVE, 15},
        {"swiglu times 1.00002", SWIGLU, FACTOR, 8},
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        int rows = seen(row[i].op, row[i].wrong, &honest[0], 1000);
        printf("  %-36s seen in %2d of %d row classes\n", row[i].what, rows, ROWS);
        if (rows < row[i].at_least) fail_msg("%s: seen in %d classes only", row[i].what, rows);
    }
}

static void serial_accumulators_are_outside(void **state) {
    (void)state;
    static const Style serial = {"serial", SUM_SERIAL, 0, false, false, false};
    static const int op[] = {RMSNORM, LAYERNORM, SOFTMAX, LOG_SOFTMAX, CUMSUM};
    for (size_t i = 0; i < sizeof op / sizeof *op; i++) {
        int rows = seen(op[i], RIGHT, &serial, 4097);
        printf("  %-18s with one serial accumulator: seen in %2d row classes\n", ops[op[i]].name, rows);
        assert_true(rows >= 1);
    }
}

// The mean 1000 row is what unmasks the one-pass variance, by itself.
static void one_pass_variance_fails_on_mean_1000(void **state) {
    (void)state;
    int unjudged = 0;
    style = honest[0];
    for (int pass = 0; pass < 2; pass++) {
        wrong = pass ? ONE_PASS : RIGHT;
        Case c = case_open(&ops[LAYERNORM], ROW_MEAN1000, 1000, 3);
        k_layernorm(c.n, c.x, c.w, c.b, c.y);
        double use = use_of(&c, &unjudged);
        assert_true(pass ? use > 100 : use <= 100);
        case_close(&c);
    }
    wrong = RIGHT;
}

// (x*r).to(fp16)*w: rounding there or not are both honest, rounding to bf16 there is not.
static void a_permitted_rounding_in_the_middle(void **state) {
    (void)state;
    enum { N = 1000 };
    static double x[N], w[N];
    Rng r = rng_at(5, 5);
    for (int i = 0; i < N; i++) x[i] = rng_normal(&r), w[i] = rng_normal(&r);
    const Bound *a = INPUT(DT_F16, x, N), *b = INPUT(DT_F16, w, N), *wide = TO(DT_F32, a);
    const Bound *ms = OPA(MEAN, ATTRS(0, 1), OP(POW, wide, whole(2)));
    const Bound *y = OP(MUL, TO(DT_F16, OP(MUL, wide, OP(RSQRT, OP(ADD, ms, lit(1e-6))))), TO(DT_F32, b));
    assert_true(y->dtype == DT_F32);
    style = honest[1];
    for (int i = 0; i < N; i++) t[i] = (float)(a->v[i] * a->v[i]);
    float scale = f_rsqrt(f_sum(t, N) / N + 1e-6f);
    int outside = 0;
    double worst = 0;
    for (int i = 0; i < N; i++) {
        float z = (float)a->v[i] * scale, ww = (float)b->v[i];
        double plain = (double)(z * ww), rounded = (double)(f32_from_f16(f16_from_f32(z)) * ww);
        double coarse = (double)(bf16(z) * ww);
        assert_true(plain >= low_at(y, i) && plain <= high_at(y, i));
        assert_true(rounded >= low_at(y, i) && rounded <= high_at(y, i));
        worst = fmax(worst, fabs(rounded - y->v[i]) / (KU * y->e[i]));
        outside += coarse < low_at(y, i) || coarse > high_at(y, i);
    }
    assert_true(worst > 0.9); // the half ulp is used, and not much more is allowed
    assert_true(outside > N / 2);
}

// Statistics of blocks merged on the way, the short block first. A mean that moves by apart * n / (count + n)
// errs by an ulp of the first mean times n / count, so a short block with a large element costs as much as a
// serial sum; weights do not.
typedef enum { MEAN_MOVED, MEAN_WEIGHTED } MergeKind;

static void merged_layernorm(const Case *c, MergeKind how) {
    enum { BLOCK = 1024 };
    float count = 0, mean = 0, m2 = 0;
    for (int at = (c->n - 1) / BLOCK * BLOCK; at >= 0; at -= BLOCK) {
        int width = c->n - at < BLOCK ? c->n - at : BLOCK;
        float n = (float)width, part = f_div(f_sum(c->x + at, width), n);
        for (int i = 0; i < width; i++) t[i] = (c->x[at + i] - part) * (c->x[at + i] - part);
        float both = count + n, apart = part - mean, share = f_div(n, both);
        m2 += f_sum(t, width) + apart * apart * (count * share);
        mean = how == MEAN_MOVED ? mean + apart * share : mean * f_div(count, both) + part * share;
        count = both;
    }
    float scale = f_rsqrt(f_div(m2, (float)c->n) + 1e-5f);
    for (int i = 0; i < c->n; i++) c->y[i] = (c->x[i] - mean) * scale * c->w[i] + c->b[i];
}

static void a_short_block_merged_first(void **state) {
    (void)state;
    static const int lengths[] = {1025, 2051, 3073};
    static const RowClass rows[] = {ROW_SPIKE_LAST, ROW_RANDN, ROW_MEAN1000};
    int unjudged = 0;
    wrong = RIGHT;
    for (size_t l = 0; l < sizeof lengths / sizeof *lengths; l++) {
        for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
            Case c = case_open(&ops[LAYERNORM], rows[k], lengths[l], 1);
            double weighted = 0, moved = 0;
            for (int s = 0; s < STYLES; s++) {
                style = honest[s];
                merged_layernorm(&c, MEAN_WEIGHTED);
                weighted = fmax(weighted, use_of(&c, &unjudged));
                merged_layernorm(&c, MEAN_MOVED);
                moved = fmax(moved, use_of(&c, &unjudged));
            }
            printf("  %s, N = %d: weighted %.0f %%, moved %.0f %%\n", row_name[rows[k]], c.n, weighted,
                   moved);
            assert_true(weighted <= 100);
            assert_true(rows[k] != ROW_SPIKE_LAST || moved > 100);
            case_close(&c);
        }
    }
    assert_int_equal(unjudged, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(honest_rows_are_inside),
        cmocka_unit_test(long_rows_are_inside),
        cmocka_unit_test(planted_errors_are_outside),
        cmocka_unit_test(serial_accumulators_are_outside),
        cmocka_unit_test(one_pass_variance_fails_on_mean_1000),
        cmocka_unit_test(a_short_block_merged_first),
        cmocka_unit_test(a_permitted_rounding_in_the_middle),
    };
    return cmocka_run_group_tests(tests, oracle_setup, oracle_teardown);
}
