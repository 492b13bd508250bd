// Rows of op.def: reductions and scans by a jit function. The function is inlined once a round on whole
// tiles: its code is the same lane by lane. The pairs that meet are those of the built-in reductions and
// scans (insn.def).
#include "tile/check/checker.h"

typedef struct {
    Call *call;
    Val function;
    Val *tile; // n tiles of one shape
    int n;
    int axis, length;
} Combine;

static bool begin(Call *k, Combine *x, bool all) {
    Checker *c = k->c;
    const Val *in = &k->arg[0], *f = &k->arg[2];
    const Val *list = in->kind == VAL_TUPLE ? in->tuple.at : in;
    *x = (Combine){.call = k, .n = in->kind == VAL_TUPLE ? in->tuple.n : 1};
    if (f->kind != VAL_FUNCTION)
        return checker_fail(c, k->at, "AttributeError", "combine_fn must be a @triton.jit function, got %s",
                            val_class(f));
    if (f->wrapped)
        return checker_fail(c, k->at, "AttributeError", "'constexpr' object has no attribute 'fn'");
    x->function = *f;
    if (x->n < 1 || x->n > 16 || !checker_spend(c, k->at, x->n))
        return checker_fail(c, k->at, "ValueError", "from one to 16 tiles can be combined, not %d", x->n);
    x->tile = NEWN(c->arena, Val, (size_t)x->n);
    for (int i = 0; i < x->n; i++) {
        x->tile[i] = list[i];
        if (!val_is_tensor(&list[i]) || list[i].t.type.pointer)
            return checker_fail(c, k->at, "TypeError", "tl.%.*s wants tiles, got %s", STR_ARG(k->name),
                                val_type_text(c, &list[i]));
        if (!shape_same(&list[i].t.type, &list[0].t.type))
            return checker_fail(c, k->at, "ValueError",
                                "all tiles of tl.%.*s must have the same shape, got %s and %s",
                                STR_ARG(k->name), val_type_text(c, &list[0]), val_type_text(c, &list[i]));
    }
    const TileType *t = &list[0].t.type;
    int lanes = tile_lanes(t), flat[1] = {lanes};
    if (all) {
        for (int i = 0; i < x->n; i++)
            if (!check_reshape(c, k->at, &x->tile[i], flat, 1, &x->tile[i])) return false;
        x->length = lanes;
        return true;
    }
    if (!check_axis(c, k->at, &k->arg[1], t->rank, &x->axis)) return false;
    x->length = t->shape[x->axis];
    return true;
}

static bool slice(const Combine *x, const Val *v, int from, int n, Val *out) {
    TileType t = v->t.type;
    if (from == 0 && n == t.shape[x->axis]) return *out = *v, true;
    t.shape[x->axis] = n;
    return checker_result(x->call->c, x->call->at, t,
                          insn(INSN_SLICE, -1, v->t.reg, -1, -1, x->axis | (int64_t)from << 4), out);
}

static bool append(const Combine *x, const Val *a, const Val *b, Val *out) {
    TileType t = a->t.type;
    t.shape[x->axis] += b->t.type.shape[x->axis];
    return checker_result(x->call->c, x->call->at, t, insn(INSN_CONCAT, -1, a->t.reg, b->t.reg, -1, x->axis),
                          out);
}

// out[i] = function(a..., b...): as many results as tiles, each of its tile's type.
static bool apply(const Combine *x, const Val *a, const Val *b, Val *out) {
    Call *k = x->call;
    Checker *c = k->c;
    Val arg[32], r;
    for (int i = 0; i < x->n; i++) arg[i] = a[i], arg[x->n + i] = b[i];
    c->lifted++;
    bool ok = check_apply(c, k->at, &x->function, arg, 2 * x->n, &r);
    c->lifted--;
    if (!ok) return false;
    bool tuple = r.kind == VAL_TUPLE;
    if ((tuple ? r.tuple.n : 1) != x->n)
        return checker_fail(c, k->at, "AssertionError", "%.*s must return as many values as it combines: %d",
                            STR_ARG(x->function.function->function.name), x->n);
    for (int i = 0; i < x->n; i++) {
        const Val *v = tuple ? &r.tuple.at[i] : &r;
        if (val_is_tensor(v) && v->t.type.rank == 0 &&
            v->t.type.elem == a[i].t.type.elem) { // a constant result
            if (!check_broadcast_to(c, k->at, v, &a[i].t.type, &out[i])) return false;
            continue;
        }
        if (!val_is_tensor(v) || !type_same(&v->t.type, &a[i].t.type)) {
            TileType want = {.elem = a[i].t.type.elem};
            return checker_fail(
                c, k->at, "AssertionError", "%.*s must return the types that it combines: %s, not %s",
                STR_ARG(x->function.function->function.name), type_text(c, &want), val_type_text(c, v));
        }
        out[i] = *v;
    }
    return true;
}

static Val result(const Combine *x) {
    return x->call->arg[0].kind == VAL_TUPLE ? val_tuple(x->tile, x->n) : x->tile[0];
}

bool check_reduce(Call *k, Val *out) {
    Checker *c = k->c;
    Combine x;
    bool keep, all = val_is_none(&k->arg[1]);
    if (!begin(k, &x, all) || !check_flag(c, k->at, &k->arg[3], &keep)) return false;
    const Val *in = &k->arg[0];
    int rank = (in->kind == VAL_TUPLE ? in->tuple.at : in)->t.type.rank;
    Val a[16], b[16];
    for (int i = 0; i < x.n && x.length > 1; i++)
        if (!checker_result(c, k->at, x.tile[i].t.type, insn(INSN_ORDER, -1, x.tile[i].t.reg, -1, -1, x.axis),
                            &x.tile[i]))
            return false;
    // Which of two lanes comes first is open: on a GPU it changes with the layout. Here it does from round to
    // round, so that a function for which it matters gives nobody's favourite.
    bool turned = true;
    for (int n = x.length; n > 1; n -= n / 2, turned = !turned) {
        int half = n / 2, h = n - half;
        for (int i = 0; i < x.n; i++)
            if (!slice(&x, &x.tile[i], 0, half, &a[i]) || !slice(&x, &x.tile[i], h, half, &b[i]))
                return false;
        if (!apply(&x, turned ? b : a, turned ? a : b, a)) return false;
        for (int i = 0; i < x.n; i++) { // an odd one out waits for the next round
            if (h > half && (!slice(&x, &x.tile[i], half, 1, &b[i]) || !append(&x, &a[i], &b[i], &a[i])))
                return false;
            x.tile[i] = a[i];
        }
    }
    for (int i = 0; i < x.n; i++) {
        TileType t = x.tile[i].t.type;
        for (int d = x.axis; d + 1 < t.rank; d++) t.shape[d] = t.shape[d + 1];
        if (!check_reshape(c, k->at, &x.tile[i], t.shape, t.rank - 1, &x.tile[i])) return false;
        if (keep && !check_keep_dims(c, k->at, &x.tile[i], all ? -1 : x.axis, rank)) return false;
    }
    return *out = result(&x), true;
}

static bool flip(const Combine *x) {
    for (int i = 0; i < x->n; i++)
        if (!checker_result(x->call->c, x->call->at, x->tile[i].t.type,
                            insn(INSN_FLIP, -1, x->tile[i].t.reg, -1, -1, x->axis), &x->tile[i]))
            return false;
    return true;
}

bool check_associative_scan(Call *k, Val *out) {
    Checker *c = k->c;
    Combine x;
    bool reverse;
    if (!begin(k, &x, false) || !check_flag(c, k->at, &k->arg[3], &reverse)) return false;
    if (reverse && !flip(&x)) return false;
    Val a[16], b[16], first;
    for (int skip = 1; skip < x.length; skip *= 2) {
        int n = x.length - skip;
        for (int i = 0; i < x.n; i++)
            if (!slice(&x, &x.tile[i], 0, n, &a[i]) || !slice(&x, &x.tile[i], skip, n, &b[i])) return false;
        if (!apply(&x, a, b, a)) return false;
        for (int i = 0; i < x.n; i++)
            if (!slice(&x, &x.tile[i], 0, skip, &first) || !append(&x, &first, &a[i], &x.tile[i]))
                return false;
    }
    if (reverse && !flip(&x)) return false;
    return *out = result(&x), true;
}
