// Elementwise operations: result type, broadcasting, and the walk that feeds the loops of bound_simd.c with
// chunks of contiguous operands.
#include "tensor/bound_impl.h"
#include <assert.h>
#include <inttypes.h>
#include <string.h>

// --- Which type a result has ---------------------------------------------------------------------

typedef enum {
    CLASS_ARITHMETIC, // rounds its result
    CLASS_FLOAT,      // the same, and integers become float32 first
    CLASS_CHOICE,     // picks or reflects operands: exact
    CLASS_TRUTH,      // gives bool
} OpClass;

static OpClass class_of(BoundOp op) {
    switch (op) {
    case BOUND_ADD:
    case BOUND_SUB:
    case BOUND_MUL:
    case BOUND_POW:
    case BOUND_SQUARE: return CLASS_ARITHMETIC;
    case BOUND_MAXIMUM:
    case BOUND_MINIMUM:
    case BOUND_NEG:
    case BOUND_ABS:
    case BOUND_RELU:
    case BOUND_CLAMP_MIN:
    case BOUND_CLAMP_MAX:
    case BOUND_WHERE: return CLASS_CHOICE;
    case BOUND_LT:
    case BOUND_LE:
    case BOUND_GT:
    case BOUND_GE:
    case BOUND_EQ:
    case BOUND_NE:
    case BOUND_LOGICAL_AND:
    case BOUND_LOGICAL_OR:
    case BOUND_LOGICAL_NOT: return CLASS_TRUTH;
    default: return CLASS_FLOAT;
    }
}

static bool is_clamp(BoundOp op) { return op == BOUND_CLAMP_MIN || op == BOUND_CLAMP_MAX; }

static bool result_type(BoundCtx *c, const BoundCall *call, OpClass class, DType *out) {
    int first = call->op == BOUND_WHERE ? 1 : 0;
    if (!bound_promote(c, call->in + first, call->inputs - first, out)) return false;
    if (first && call->in[0]->dtype != DT_BOOL)
        return bound_fail(c, "where: the condition is not bool"), false;
    if (*out == DT_BOOL && (call->op == BOUND_SUB || call->op == BOUND_NEG || call->op == BOUND_ABS ||
                            call->op == BOUND_RELU || is_clamp(call->op)))
        return bound_fail(c, "%s is not defined for bool", bound_name(call->op)), false;
    if (class == CLASS_FLOAT && !dtype_is_float(*out)) *out = DT_F32;
    if (is_clamp(call->op) && !dtype_is_float(*out) && trunc(call->scalar) != call->scalar) *out = DT_F32;
    if (class == CLASS_TRUTH) *out = DT_BOOL;
    return true;
}

static bool result_shape(BoundCtx *c, const BoundCall *call, int64_t *shape, int *rank) {
    *rank = 0;
    for (int i = 0; i < call->inputs; i++) *rank = call->in[i]->rank > *rank ? call->in[i]->rank : *rank;
    for (int d = 0; d < *rank; d++) {
        shape[d] = 1;
        for (int i = 0; i < call->inputs; i++) {
            int at = d - (*rank - call->in[i]->rank);
            int64_t size = at < 0 ? 1 : call->in[i]->shape[at];
            if (size == 1 || size == shape[d]) continue;
            if (shape[d] != 1)
                return bound_fail(
                           c, "sizes %" PRId64 " and %" PRId64 " of dimension %d do not broadcast together",
                           shape[d], size, d),
                       false;
            shape[d] = size;
        }
    }
    return true;
}

// --- The walk ------------------------------------------------------------------------------------

// The result's dimensions with those of size 1 dropped and neighbours merged wherever every operand runs
// through both with one step. What is left as the last dimension is a run: each operand is contiguous in it
// (step 1) or a single element (step 0), so that the inner loops know no indices.
typedef struct {
    int rank; // at least 1
    int64_t size[TENSOR_RANK_MAX];
    int64_t step[3][TENSOR_RANK_MAX];
    int64_t index[TENSOR_RANK_MAX];
    int64_t at[3]; // the current run's first element in each operand
    int charge;    // rounding_of() the result
} Walk;

static void walk_plan(Walk *w, const BoundCall *call, const int64_t *shape, int rank) {
    int64_t step[3][TENSOR_RANK_MAX] = {{0}};
    for (int i = 0; i < call->inputs; i++) {
        int64_t next = 1;
        for (int d = rank - 1; d >= rank - call->in[i]->rank; d--) {
            int64_t size = call->in[i]->shape[d - (rank - call->in[i]->rank)];
            step[i][d] = size == 1 ? 0 : next;
            next *= size;
        }
    }
    *w = (Walk){0};
    for (int d = 0; d < rank; d++) {
        if (shape[d] == 1) continue;
        bool merge = w->rank > 0;
        for (int i = 0; i < call->inputs && merge; i++)
            merge = w->step[i][w->rank - 1] == step[i][d] * shape[d];
        if (!merge) w->rank++;
        w->size[w->rank - 1] = merge ? w->size[w->rank - 1] * shape[d] : shape[d];
        for (int i = 0; i < call->inputs; i++) w->step[i][w->rank - 1] = step[i][d];
    }
    if (w->rank == 0) w->size[w->rank++] = 1;
}

static bool walk_next(Walk *w, int inputs) {
    for (int d = w->rank - 2; d >= 0; d--) {
        for (int i = 0; i < inputs; i++) w->at[i] += w->step[i][d];
        if (++w->index[d] < w->size[d]) return true;
        for (int i = 0; i < inputs; i++) w->at[i] -= w->step[i][d] * w->size[d];
        w->index[d] = 0;
    }
    return false;
}

// --- Integers ------------------------------------------------------------------------------------

// Two's complement, as torch computes; 64-bit results must stay exact in a double.
static bool wrap_integers(BoundCtx *c, DType t, size_t n, double *v) {
    if (t == DT_BOOL) {
        for (size_t i = 0; i < n; i++) v[i] = v[i] != 0;
        return true;
    }
    double span = ldexp(1, dtype_bits(t)), low = dtype_info[t].kind == DTYPE_KIND_I ? -span / 2 : 0;
    for (size_t i = 0; i < n; i++) {
        if (!(fabs(v[i]) <= 0x1p53)) return bound_fail(c, "an integer beyond 2^53"), false;
        if (v[i] < low || v[i] >= low + span) v[i] -= span * floor((v[i] - low) / span);
        if (!(fabs(v[i]) <= 0x1p53)) return bound_fail(c, "an integer beyond 2^53"), false;
    }
    return true;
}

// --- Running the loops ---------------------------------------------------------------------------

typedef struct {
    double v[3][BOUND_CHUNK], e[3][BOUND_CHUNK], unused[BOUND_CHUNK];
} Buffers;

static const double zeros[BOUND_CHUNK];

static void fill(double *buffer, double x, size_t n) {
    for (size_t i = 0; i < n; i++) buffer[i] = x;
}

static void run_loop(const BoundCall *call, size_t n, const double *const *v, const double *const *e,
                     double *ov, double *oe) {
    const BoundSimd *simd = bound_simd();
    if (call->inputs == 1)
        simd->unary[call->op](n, v[0], e[0], call->scalar, ov, oe);
    else if (call->inputs == 2)
        simd->binary[call->op](n, v[0], e[0], v[1], e[1], ov, oe);
    else
        simd->ternary[call->op](n, v, e, ov, oe);
}

// One run of the walk: n elements into out at `to`.
static bool run_run(BoundCtx *c, const BoundCall *call, const Walk *w, Buffers *buf, Bound *out, int64_t to) {
    int64_t n = w->size[w->rank - 1];
    size_t most = (size_t)(n < BOUND_CHUNK ? n : BOUND_CHUNK);
    const double *v[3] = {0}, *e[3] = {0};
    for (int j = 0; j < call->inputs; j++) {
        const Bound *b = call->in[j];
        bool repeats = w->step[j][w->rank - 1] == 0;
        v[j] = b->v + w->at[j];
        e[j] = b->e ? b->e + w->at[j] : zeros;
        if (!repeats) continue;
        fill(buf->v[j], *v[j], most);
        v[j] = buf->v[j];
        if (*e[j] != 0)
            fill(buf->e[j], *e[j], most), e[j] = buf->e[j];
        else
            e[j] = zeros;
    }
    for (int64_t i = 0; i < n; i += BOUND_CHUNK) {
        size_t k = (size_t)(n - i < BOUND_CHUNK ? n - i : BOUND_CHUNK);
        const double *vi[3] = {0}, *ei[3] = {0};
        for (int j = 0; j < call->inputs; j++) {
            bool repeats = w->step[j][w->rank - 1] == 0;
            vi[j] = repeats ? v[j] : v[j] + i;
            ei[j] = repeats || e[j] == zeros ? e[j] : e[j] + i;
        }
        double *ov = out->v + to + i, *oe = out->e ? out->e + to + i : buf->unused;
        run_loop(call, k, vi, ei, ov, oe);
        if (w->charge) bound_simd()->round(out->dtype, w->charge == 2, k, ov, oe);
        if (!dtype_is_float(out->dtype) && !wrap_integers(c, out->dtype, k, ov)) return false;
    }
    return true;
}

// Whether results in a half type are rounded: 1 all of them, 2 only exact ones (literals that the type does
// not hold), 0 none. A choice among values of the same half type rounds nothing.
static int rounding_of(const BoundCall *call, OpClass class, DType t) {
    if (!dtype_is_half(t)) return 0;
    if (class != CLASS_CHOICE) return 1;
    int how = is_clamp(call->op) ? 2 : 0;
    for (int i = call->op == BOUND_WHERE; i < call->inputs; i++) {
        if (call->in[i]->weak)
            how = how ? how : 2;
        else if (call->in[i]->dtype != t)
            how = 1;
    }
    return how;
}

// Comparing with a constant that the common type does not hold: a kernel may compare with the constant
// rounded to float32 or, when a half type is compared, to that.
static const Bound *blurred_literal(const Bound *b, DType common, Bound *copy, double *e) {
    DType t = dtype_is_half(common) ? common : DT_F32;
    if (!b->weak || b->numel != 1 || b->e || !b->v || dtype_round(t, b->v[0]) == b->v[0]) return b;
    *copy = *b;
    *e = dtype_half_ulp(t, b->v[0]) / RULE_K;
    copy->e = e;
    return copy;
}

static Bound *run(BoundCtx *c, const BoundCall *call) {
    OpClass class = class_of(call->op);
    DType t, common = DT_F32;
    int rank;
    int64_t shape[TENSOR_RANK_MAX] = {0};
    if (class == CLASS_TRUTH && !bound_promote(c, call->in, call->inputs, &common)) return NULL;
    if (!result_type(c, call, class, &t) || !result_shape(c, call, shape, &rank)) return NULL;
    Bound *out = bound_new(c, t, shape, rank);
    if (!out) return NULL;
    out->weak = true;
    for (int i = 0; c->shapes_only && i < call->inputs; i++) out->weak = out->weak && call->in[i]->weak;
    if (c->shapes_only) return out;
    BoundCall blurred = *call;
    Bound copy[3];
    double copy_e[3];
    bool exact = class == CLASS_CHOICE || class == CLASS_TRUTH || !dtype_is_float(t);
    for (int i = 0; i < call->inputs; i++) {
        if (class == CLASS_TRUTH) blurred.in[i] = blurred_literal(call->in[i], common, &copy[i], &copy_e[i]);
        out->weak = out->weak && call->in[i]->weak;
        exact = exact && blurred.in[i]->e == NULL;
    }
    int charge = c->rounds ? 0 : rounding_of(call, class, t);
    if (!exact || charge) out->e = bound_room(c, out->numel);
    if (out->numel == 0) return out;
    Walk w;
    Buffers buf;
    walk_plan(&w, &blurred, shape, rank);
    w.charge = charge;
    int64_t to = 0, length = w.size[w.rank - 1];
    do {
        if (!run_run(c, &blurred, &w, &buf, out, to)) return NULL;
        to += length;
    } while (walk_next(&w, call->inputs));
    assert(to == out->numel);
    out->pending = c->rounds && rounding_of(call, class, t);
    return out;
}

// --- Casts ---------------------------------------------------------------------------------------

// Every value of `from` is a value of `to`.
static bool widens(DType from, DType to) {
    if (from == DT_BOOL || to == DT_F64) return true;
    if (dtype_is_f8(from)) return to == DT_F32 || to == DT_F16 || (to == DT_BF16);
    return dtype_is_half(from) && to == DT_F32;
}

static Bound *cast_to_float(BoundCtx *c, const Bound *a, DType t) {
    Bound *r = bound_alias(c, bound_settle(c, a), a->shape, a->rank);
    r->dtype = t;
    r->pending = !widens(a->dtype, t);
    r->weak = false;
    return r;
}

static Bound *cast_to_bool(BoundCtx *c, const Bound *a) {
    Bound zero = {.dtype = a->dtype, .weak = true, .numel = 1, .v = (double[1]){0}};
    Bound *truth = run(c, &(BoundCall){.op = BOUND_NE, .inputs = 2, .in = {a, &zero}});
    if (truth) truth->weak = false;
    return truth;
}

static Bound *cast(BoundCtx *c, const BoundCall *call) {
    const Bound *a = call->in[0];
    if (call->attrs != 1 || call->attr[0] < 0 || call->attr[0] >= DT_COUNT)
        return bound_fail(c, "to: no such type");
    DType t = (DType)call->attr[0];
    if (t == a->dtype) {
        Bound *same = bound_alias(c, a, a->shape, a->rank);
        same->weak = false;
        return same;
    }
    if (dtype_is_f8(t))
        return bound_fail(c, "conversions to %s are not available in a reference", dtype_info[t].torch);
    if (dtype_is_float(t)) return cast_to_float(c, a, t);
    a = bound_settle(c, a);
    if (t == DT_BOOL) return cast_to_bool(c, a);
    Bound *r = bound_new(c, t, a->shape, a->rank);
    if (!r || c->shapes_only) return r;
    if (a->e) r->e = bound_room(c, a->numel);
    double unused[BOUND_CHUNK];
    for (int64_t i = 0; i < a->numel; i += BOUND_CHUNK) {
        size_t n = (size_t)(a->numel - i < BOUND_CHUNK ? a->numel - i : BOUND_CHUNK);
        bound_simd()->unary[BOUND_CAST](n, a->v + i, a->e ? a->e + i : zeros, 0, r->v + i,
                                        r->e ? r->e + i : unused);
        if (!wrap_integers(c, t, n, r->v + i)) return NULL;
    }
    return r;
}

// --- Powers --------------------------------------------------------------------------------------

enum { POWER_MAX = 8 }; // larger whole exponents go through exp and log

static Bound *unary(BoundCtx *c, BoundOp op, const Bound *a) {
    return run(c, &(BoundCall){.op = op, .in = {a}, .inputs = 1});
}

// a^n by repeated products, |n| <= POWER_MAX; the order of the factors is the naive one. Products of halves
// and of integers with a float result are made in float32, and rounded once, at the end.
static Bound *whole_power(BoundCtx *c, const Bound *a, int n, DType t) {
    if (n == 0) {
        Bound *ones = bound_new(c, t, a->shape, a->rank);
        for (int64_t i = 0; ones && ones->v && i < ones->numel; i++) ones->v[i] = 1;
        return ones;
    }
    Bound wide = *a;
    if (dtype_is_float(t) && t != DT_F64) wide.dtype = DT_F32;
    if (n == 1) {
        Bound *same = bound_alias(c, a, a->shape, a->rank);
        same->dtype = t;
        return same;
    }
    int factors = n < 0 ? -n : n;
    Bound *r = NULL;
    if (factors > 1) r = unary(c, BOUND_SQUARE, &wide);
    for (int i = 2; r && i < factors; i++)
        r = run(c, &(BoundCall){.op = BOUND_MUL, .in = {r, &wide}, .inputs = 2});
    if (factors > 1 && !r) return NULL;
    if (n < 0) r = unary(c, BOUND_RECIPROCAL, r ? r : &wide);
    if (!r) return NULL;
    r->dtype = t;
    if (dtype_is_half(t)) bound_round(c, r, false);
    return r;
}

static Bound *power(BoundCtx *c, const BoundCall *call) {
    const Bound *a = call->in[0], *b = call->in[1];
    DType t;
    if (!bound_promote(c, call->in, 2, &t)) return NULL;
    bool literal = b->weak && b->rank == 0 && !b->e && b->v;
    double n = literal ? b->v[0] : 0.25;
    if (!dtype_is_float(t)) {
        if (!literal || n < 0)
            return bound_fail(c, "pow: an integer to a power that is no literal or negative");
        if (n > POWER_MAX) return bound_fail(c, "pow: an exponent above %d for integers", POWER_MAX);
    }
    Bound *r = literal && n == 0.5                                ? unary(c, BOUND_SQRT, a)
               : literal && n == -0.5                             ? unary(c, BOUND_RSQRT, a)
               : literal && n == trunc(n) && fabs(n) <= POWER_MAX ? whole_power(c, a, (int)n, t)
                                                                  : run(c, call);
    if (r) r->weak = a->weak && b->weak;
    return r;
}

Bound *bound_elementwise(BoundCtx *c, const BoundCall *call) {
    if (call->op == BOUND_CAST) return cast(c, call);
    if (call->op == BOUND_POW) return power(c, call);
    Bound *r = run(c, call);
    // -a, |a| and relu keep a pending cast pending: rounding commutes with them.
    if (r && call->inputs == 1) r->pending |= call->in[0]->pending;
    return r;
}
