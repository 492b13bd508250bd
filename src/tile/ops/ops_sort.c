// Rows of op.def: sorting networks in the order of Triton's own source, whose steps are instructions here,
// and histograms.
#include "tile/check/checker.h"
#include <assert.h>

static int log2_of(int64_t n) {
    int k = 0;
    while (n > 1) n >>= 1, k++;
    return k;
}

enum { UP = 0, DOWN = 1 };
static int alternating(int bit) { return bit + 2; } // downward where this bit of the lane's number is set

// `stage` steps over the lanes of v, which merge runs of 2^stage lanes.
static bool merge(Call *k, Val *v, int stage, int order) {
    for (int i = stage - 1; i >= 0; i--)
        if (!checker_result(k->c, k->at, v->t.type,
                            insn(INSN_SWAP, -1, v->t.reg, -1, -1, i | (int64_t)order << 8), v))
            return false;
    return true;
}

static bool last_axis(Call *k, const Val *v, const Val *dim) {
    if (!val_is_tensor(v))
        return checker_fail(k->c, k->at, "AttributeError", "'%s' object has no attribute 'shape'",
                            val_class(v));
    if (v->t.type.pointer) return checker_unsupported(k->c, k->at, "sorting pointers");
    if (v->t.type.rank == 0) return checker_fail(k->c, k->at, "IndexError", "list index out of range");
    if (val_is_none(dim) || (val_is_py(dim, PY_INT) && dim->py.i == v->t.type.rank - 1)) return true;
    return checker_fail(k->c, k->at, "CompileTimeAssertionFailure",
                        "only minor dimension is currently supported");
}

// Before the last round, neighbouring runs of 2^run lanes are sorted in turn.
static int order_of(int run, bool last, bool descending) {
    return !last ? alternating(run) : descending ? DOWN : UP;
}

// The larger (or smaller) of each pair of neighbouring sorted runs of 2^run lanes; 16-bit types grow to 32
// bits.
static bool halve(Call *k, Val *v, int run, bool largest) {
    Checker *c = k->c;
    int lanes = tile_lanes(&v->t.type), shape[3] = {lanes >> (run + 1), 2, 1 << run};
    DType t = v->t.type.elem;
    if (lanes == 2) // one lane is left: a scalar, which Triton then takes for a tile
        return checker_fail(c, k->at, "AttributeError", "'dtype' object has no attribute 'numel'");
    if (dtype_bits(t) < 32 && !check_cast(c, k->at, v, dtype_is_float(t) ? DT_F32 : DT_I32, v)) return false;
    if (!check_reshape(c, k->at, v, shape, 3, v)) return false;
    TileType r = {.elem = v->t.type.elem, .rank = 2, .shape = {shape[0], shape[2]}};
    return checker_result(c, k->at, r, insn(largest ? INSN_RMAX : INSN_RMIN, -1, v->t.reg, -1, -1, 1), v) &&
           check_reshape(c, k->at, v, (int[]){lanes / 2}, 1, v);
}

static bool sorted(Call *k, const Val *x, int n_kept, bool descending, Val *out) {
    Checker *c = k->c;
    TileType t = x->t.type;
    int stages = log2_of(t.shape[t.rank - 1]), kept = log2_of(n_kept);
    if (!check_reshape(c, k->at, x, (int[]){tile_lanes(&t)}, 1, out)) return false;
    for (int i = 1; i <= kept; i++)
        if (!merge(k, out, i, order_of(i, i == stages, descending))) return false;
    for (int i = kept + 1; i <= stages; i++)
        // Each round leaves half of the runs, and they lie side by side.
        if (!halve(k, out, kept, descending) || !merge(k, out, kept, order_of(kept, i == stages, descending)))
            return false;
    t.shape[t.rank - 1] = 1 << kept;
    return check_reshape(c, k->at, out, t.shape, t.rank, out);
}

bool check_sort(Call *k, Val *out) {
    const Val *x = &k->arg[0];
    bool descending;
    return last_axis(k, x, &k->arg[1]) && check_flag(k->c, k->at, &k->arg[2], &descending) &&
           sorted(k, x, x->t.type.shape[x->t.type.rank - 1], descending, out);
}

// Triton takes the logarithm of k and rounds it down.
bool check_topk(Call *k, Val *out) {
    const Val *x = &k->arg[0], *n = &k->arg[1];
    if (!last_axis(k, x, &k->arg[2])) return false;
    if (!val_is_py(n, PY_INT))
        return checker_fail(k->c, k->at, "TypeError", "k of tl.topk must be a constexpr integer, got %s",
                            val_text(k->c, n));
    int most = x->t.type.shape[x->t.type.rank - 1];
    if (n->py.i < 1 || n->py.i > most)
        return checker_fail(k->c, k->at, "ValueError", "k of tl.topk must be between 1 and %d, got %s", most,
                            val_text(k->c, n));
    if (n->py.i & (n->py.i - 1))
        checker_warn(k->c, k->at, "tl.topk keeps a power of two of elements: %d of the %s asked for",
                     1 << log2_of(n->py.i), val_text(k->c, n));
    return sorted(k, x, (int)n->py.i, true, out);
}

bool check_bitonic_merge(Call *k, Val *out) {
    Checker *c = k->c;
    const Val *x = &k->arg[0];
    bool descending;
    if (!last_axis(k, x, &k->arg[1]) || !check_flag(c, k->at, &k->arg[2], &descending)) return false;
    const TileType *t = &x->t.type;
    return check_reshape(c, k->at, x, (int[]){tile_lanes(t)}, 1, out) &&
           merge(k, out, log2_of(t->shape[t->rank - 1]), descending ? DOWN : UP) &&
           check_reshape(c, k->at, out, t->shape, t->rank, out);
}

// Triton 3.6 declares the method and forgets to define it: the call does nothing and gives None.
bool check_sort_method(Call *k, Val *out) {
    checker_warn(k->c, k->at, "the method .sort() of a tensor gives None in Triton 3.6; use tl.sort(x)");
    return *out = val_none(), true;
}

bool check_histogram(Call *k, Val *out) {
    Checker *c = k->c;
    const Val *x = &k->arg[0], *bins = &k->arg[1];
    Val mask = k->arg[2], list = val_tuple(bins, 1);
    int shape[TILE_RANK_MAX], rank, masked = -1;
    if (!val_is_tensor(x))
        return checker_fail(c, k->at, "AttributeError", "'%s' object has no attribute 'shape'", val_class(x));
    if (x->t.type.rank != 1)
        return checker_fail(c, k->at, "AssertionError", "histogram only supports 1D input");
    if (!type_is_integer(&x->t.type))
        return checker_fail(c, k->at, "AssertionError", "histogram only supports integer input");
    if (!check_shape(c, k->at, &list, shape, &rank)) return false;
    if (!val_is_none(&mask)) {
        if (!check_to_tensor(c, k->at, &mask, &mask) || !check_mask_bool(k, &mask)) return false;
        if (mask.t.type.rank && !check_broadcast_to(c, k->at, &mask, &x->t.type, &mask)) return false;
        masked = mask.t.reg;
    }
    TileType r = {.elem = DT_I32, .rank = 1, .shape = {shape[0]}};
    return checker_result(c, k->at, r, insn(INSN_HISTOGRAM, -1, x->t.reg, masked, -1, 0), out);
}
