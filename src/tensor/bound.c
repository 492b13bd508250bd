#include "tensor/bound.h"
#include "base/isa.h"
#include "tensor/bound_impl.h"
#include <assert.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

typedef enum {
    KIND_SOURCE,
    KIND_UNARY,
    KIND_BINARY,
    KIND_TERNARY,
    KIND_REDUCE,
    KIND_ROW,
    KIND_MATMUL,
    KIND_RANDOM,
    KIND_WINDOW,
    KIND_SHAPE
} BoundKind;
static const struct {
    const char *name;
    BoundKind kind;
} op_info[BOUND_COUNT] = {
#define BOUND(id, torch, kind, doc) {torch, KIND_##kind},
#include "tensor/bound.def"
#undef BOUND
};

const char *bound_name(BoundOp op) { return op_info[op].name; }

const BoundSimd *bound_simd(void) {
#ifdef PORTABLE
    return &bound_simd_base;
#else
    static const BoundSimd *const table[ISA_COUNT] = {&bound_simd_base, &bound_simd_avx2, &bound_simd_avx512};
    return table[isa_level()];
#endif
}

double bound_growth(int64_t n) {
    if (n <= 1) return 0;
    int64_t log = 64 - __builtin_clzll((unsigned long long)(n - 1)); // ceil(log2 n)
    int64_t few = n < 16 ? n : 16, blocks = (n - 1) / 256 + 1;
    int64_t chain = log + (few > blocks ? few : blocks);
    return (double)(chain < n - 1 ? chain : n - 1);
}

// --- Making results ------------------------------------------------------------------------------

Bound *bound_fail(BoundCtx *c, const char *fmt, ...) {
    char text[256];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    c->why = arena_printf(c->arena, "%s", text);
    return NULL;
}

bool bound_charge(BoundCtx *c, int64_t elements) {
    if (elements > c->elements_left)
        return bound_fail(c, "more elements than the reference may compute"), false;
    c->elements_left -= elements;
    return true;
}

double *bound_room(BoundCtx *c, int64_t n) { return arena_raw(c->arena, (size_t)n * sizeof(double), 64); }

Bound *bound_new(BoundCtx *c, DType t, const int64_t *shape, int rank) {
    int64_t numel = 0;
    if (rank > TENSOR_RANK_MAX) return bound_fail(c, "more than %d dimensions", TENSOR_RANK_MAX);
    if (!shape_numel(shape, rank, &numel)) return bound_fail(c, "the sizes are negative or too large");
    if (numel > INT64_MAX / 64) return bound_fail(c, "the sizes are too large");
    if (!bound_charge(c, numel)) return NULL;
    Bound *b = NEW(c->arena, Bound);
    b->dtype = t;
    b->rank = rank;
    b->numel = numel;
    if (rank > 0) memcpy(b->shape, shape, (size_t)rank * sizeof *shape);
    if (!c->shapes_only) b->v = bound_room(c, numel);
    return b;
}

Bound *bound_alias(BoundCtx *c, const Bound *b, const int64_t *shape, int rank) {
    Bound *r = NEW(c->arena, Bound);
    *r = (Bound){.dtype = b->dtype,
                 .pending = b->pending,
                 .weak = b->weak,
                 .rank = rank,
                 .numel = b->numel,
                 .v = b->v,
                 .e = b->e};
    if (rank > 0) memcpy(r->shape, shape, (size_t)rank * sizeof *shape);
    return r;
}

void bound_round(BoundCtx *c, Bound *b, bool only_exact) {
    if (c->shapes_only) return;
    if (c->rounds && !only_exact) {
        b->pending = true;
        return;
    }
    if (only_exact && b->e == NULL && b->numel == 0) return;
    double *e = bound_room(c, b->numel);
    if (b->e)
        memcpy(e, b->e, (size_t)b->numel * sizeof *e);
    else
        memset(e, 0, (size_t)b->numel * sizeof *e);
    bound_simd()->round(b->dtype, only_exact, (size_t)b->numel, b->v, e);
    bool exact = true;
    for (int64_t i = 0; i < b->numel && exact; i++) exact = e[i] == 0;
    b->e = exact ? NULL : e;
}

// What the values of (v, e) become when they are rounded: the interval from one end's rounding to the
// other's.
static Ve rounded(DType t, Ve x) {
    if (x.v != x.v) return x;
    double lo = dtype_round(t, rule_low(x)), hi = dtype_round(t, rule_high(x));
    if (lo == hi) return (Ve){lo, rule_stored(lo)};
    double v = lo + (hi - lo) / 2;
    if (!rule_finite(lo) || !rule_finite(hi)) return (Ve){dtype_round(t, x.v), RULE_INF};
    return (Ve){v, (hi - v) / RULE_K + rule_stored(v)};
}

static void round_values(BoundCtx *c, Bound *b) {
    double *v = bound_room(c, b->numel), *e = bound_room(c, b->numel);
    bool exact = true;
    for (int64_t i = 0; i < b->numel; i++) {
        Ve x = rounded(b->dtype, (Ve){b->v[i], b->e ? b->e[i] : 0});
        v[i] = x.v;
        e[i] = x.e;
        exact = exact && x.e == 0;
    }
    b->v = v;
    b->e = exact ? NULL : e;
}

const Bound *bound_settle(BoundCtx *c, const Bound *b) {
    if (!b->pending) return b;
    Bound *r = NEW(c->arena, Bound);
    *r = *b;
    r->pending = false;
    if (c->rounds && !c->shapes_only)
        round_values(c, r);
    else
        bound_round(c, r, false);
    return r;
}

bool bound_axis(BoundCtx *c, const Bound *b, int64_t axis, int *out) {
    int rank = b->rank ? b->rank : 1;
    if (axis < -rank || axis >= rank)
        return bound_fail(c, "dimension %" PRId64 " is out of range for a tensor of %d dimensions", axis,
                          b->rank),
               false;
    *out = (int)(axis < 0 ? axis + rank : axis);
    return true;
}

// --- Types ---------------------------------------------------------------------------------------

// The higher tier decides within its category; a lower one only lifts it from bool to int to float.
static bool combine(DType higher, DType lower, bool has_higher, bool has_lower, DType *out) {
    *out = has_higher ? higher : lower;
    if (!has_higher || !has_lower || dtype_is_float(higher)) return true;
    if (higher == DT_BOOL || dtype_is_float(lower)) return dtype_promote(higher, lower, out);
    return true;
}

bool bound_promote(BoundCtx *c, const Bound *const *in, int inputs, DType *out) {
    DType tier[3] = {0};
    bool has[3] = {false};
    for (int i = 0; i < inputs; i++) {
        int at = in[i]->weak ? 2 : in[i]->rank == 0 ? 1 : 0;
        DType t = in[i]->weak && dtype_is_float(in[i]->dtype) ? DT_F32 : in[i]->dtype;
        if (has[at] && !dtype_promote(tier[at], t, &t))
            return bound_fail(c, "no type holds both %s and %s", dtype_info[tier[at]].torch,
                              dtype_info[t].torch),
                   false;
        tier[at] = t;
        has[at] = true;
    }
    DType low;
    if (!combine(tier[1], tier[2], has[1], has[2], &low) ||
        !combine(tier[0], low, has[0], has[1] || has[2], out))
        return bound_fail(c, "no type holds all operands"), false;
    return true;
}

// --- Sources -------------------------------------------------------------------------------------

static void trace(Bound *b, const BoundCall *call) {
    b->op = call->op;
    b->inputs = call->inputs;
    b->scalar = call->scalar;
    for (int i = 0; i < call->inputs; i++) b->in[i] = call->in[i];
    for (int i = 0; i < call->attrs; i++) b->attr[i] = call->attr[i];
}

// Rows of the view in row-major order.
static void load(const Tensor *t, double *out) {
    int64_t index[TENSOR_RANK_MAX] = {0}, length = 1, stride = 1;
    if (t->rank > 0) {
        length = t->shape[t->rank - 1];
        stride = t->stride[t->rank - 1];
    }
    tensor_reach(t);
    for (int64_t left = tensor_numel(t); left > 0; left -= length, out += length) {
        const uint8_t *at = t->storage->data + tensor_at(t, index) * dtype_bytes(t->dtype);
        dtype_load_row(t->dtype, at, stride, out, (size_t)length);
        for (int d = t->rank - 2; d >= 0; d--) {
            if (++index[d] < t->shape[d]) break;
            index[d] = 0;
        }
    }
}

static double *input_errors(BoundCtx *c, const Bound *b) {
    size_t n = (size_t)b->numel;
    if (!dtype_is_float(b->dtype) || b->dtype == DT_F16 || !bound_simd()->any_uncertain(n, b->v)) return NULL;
    double *e = bound_room(c, b->numel);
    bound_simd()->uncertainty(n, b->v, e);
    return e;
}

Bound *bound_input(BoundCtx *c, const Tensor *t, int index) {
    Bound *b = bound_new(c, t->dtype, t->shape, t->rank);
    if (!b) return NULL;
    if (!c->shapes_only) {
        load(t, b->v);
        b->e = input_errors(c, b);
    }
    trace(b, &(BoundCall){.op = BOUND_INPUT});
    b->input_index = index;
    return b;
}

Bound *bound_literal(BoundCtx *c, double x, bool is_float) {
    Bound *b = bound_new(c, is_float ? DT_F32 : DT_I64, NULL, 0);
    if (!b) return NULL;
    if (!b->v) b->v = bound_room(c, 1);
    b->v[0] = x;
    b->weak = true;
    trace(b, &(BoundCall){.op = BOUND_LITERAL, .scalar = x});
    return b;
}

static Bound *source(BoundCtx *c, const BoundCall *call) {
    if (call->op == BOUND_LITERAL) return bound_literal(c, call->scalar, true);
    if (call->op == BOUND_FULL) {
        Bound *b = bound_new(c, DT_F32, call->attr, call->attrs);
        for (int64_t i = 0; b && b->v && i < b->numel; i++) b->v[i] = call->scalar;
        return b;
    }
    if (call->op != BOUND_ARANGE || call->attrs != 2)
        return bound_fail(c, "not a source that can be applied");
    int64_t start = call->attr[0], stop = call->attr[1], size = 0, limit = (int64_t)1 << 53;
    if (start < -limit || start > limit || stop < -limit || stop > limit)
        return bound_fail(c, "arange beyond 2^53");
    if (stop < start) return bound_fail(c, "arange: the end lies before the start");
    size = stop - start;
    Bound *b = bound_new(c, DT_I64, &size, 1);
    for (int64_t i = 0; b && b->v && i < size; i++) b->v[i] = (double)(start + i);
    return b;
}

// --- One entry for all ---------------------------------------------------------------------------

// Rounding commutes with these (monotone, odd or moving elements only), so a pending cast passes through.
static bool carries_pending(BoundOp op) {
    return op == BOUND_CAST || op == BOUND_NEG || op == BOUND_ABS || op == BOUND_RELU ||
           op_info[op].kind == KIND_SHAPE;
}

static bool arity_ok(BoundOp op, int inputs) {
    static const int want[] = {
        [KIND_SOURCE] = 0, [KIND_UNARY] = 1,  [KIND_BINARY] = 2, [KIND_TERNARY] = 3, [KIND_REDUCE] = 1,
        [KIND_ROW] = 1,    [KIND_MATMUL] = 2, [KIND_SHAPE] = 1,  [KIND_RANDOM] = 2,  [KIND_WINDOW] = 1,
    };
    if (op == BOUND_CAT) return inputs >= 1 && inputs <= 4;
    return inputs == (op == BOUND_GATHER || op == BOUND_CONV || op == BOUND_CONV_TRANSPOSE
                          ? 2
                          : want[op_info[op].kind]);
}

Bound *bound_apply(BoundCtx *c, BoundOp op, const Bound *const *in, int inputs, const int64_t *attr,
                   int attrs, double scalar) {
    static Bound *(*const by_kind[])(BoundCtx *, const BoundCall *) = {
        [KIND_SOURCE] = source,
        [KIND_UNARY] = bound_elementwise,
        [KIND_BINARY] = bound_elementwise,
        [KIND_TERNARY] = bound_elementwise,
        [KIND_REDUCE] = bound_reduce,
        [KIND_ROW] = bound_reduce,
        [KIND_MATMUL] = bound_matmul,
        [KIND_SHAPE] = bound_shape,
        [KIND_RANDOM] = bound_random,
        [KIND_WINDOW] = bound_window,
    };
    assert(op >= 0 && op < BOUND_COUNT);
    for (int i = 0; i < inputs; i++)
        if (dtype_is_f8(in[i]->dtype) && op != BOUND_CAST && op_info[op].kind != KIND_SHAPE)
            return bound_fail(c, "%s is not implemented for %s: convert with .float() first", bound_name(op),
                              dtype_info[in[i]->dtype].torch);
    if (!arity_ok(op, inputs)) return bound_fail(c, "%s: wrong number of operands", bound_name(op));
    if (attrs < 0 || attrs > TENSOR_RANK_MAX * 2) return bound_fail(c, "%s: too many sizes", bound_name(op));
    if (!bound_charge(c, 1)) return NULL; // an operation on nothing is work too
    BoundCall call = {.op = op, .inputs = inputs, .attr = attr, .attrs = attrs, .scalar = scalar};
    BoundCall settled = call;
    for (int i = 0; i < inputs; i++) {
        call.in[i] = in[i];
        settled.in[i] = carries_pending(op) ? in[i] : bound_settle(c, in[i]);
    }
    Bound *r = by_kind[op_info[op].kind](c, &settled);
    if (r) trace(r, &call);
    return r;
}
