// Rows of op.def: tl.dot.
#include "tile/check/checker.h"
#include <strings.h>

static const char *shape_text(Checker *c, const TileType *t) {
    Buf b = BUF(c->arena);
    buf_putc(&b, '[');
    for (int i = 0; i < t->rank; i++) buf_printf(&b, "%s%d", i ? ", " : "", t->shape[i]);
    buf_putc(&b, ']');
    return buf_cstr(&b);
}

static bool is_block(Call *k, const Val *v) {
    return val_is_tensor(v) ||
           checker_fail(k->c, k->at, "AttributeError", "'%s' object has no attribute 'shape'", val_class(v));
}

static bool operand(Call *k, const Val *v, const char *side) {
    DType t = v->t.type.elem;
    bool known = !v->t.type.pointer && !dtype_is_f8(t) && (t == DT_I8 || t == DT_U8 || dtype_is_float(t));
    if (known) return true;
    TileType elem = {.elem = t, .pointer = v->t.type.pointer};
    return checker_fail(k->c, k->at, "AssertionError", "Unsupported %s dtype %s", side,
                        type_text(k->c, &elem));
}

// tl.dot's own assertions on shapes, before anything is asked about types.
static bool shapes(Call *k, const Val *l, const Val *r, const Val *acc) {
    Checker *c = k->c;
    const TileType *a = &l->t.type, *b = &r->t.type;
    int n = a->rank;
    if (n != b->rank || n < 2)
        return checker_fail(c, k->at, "AssertionError",
                            "input and other must have equal ranks >= 2 (lhs: %s vs rhs: %s)",
                            shape_text(c, a), shape_text(c, b));
    for (int i = 0; i < n - 2; i++)
        if (a->shape[i] != b->shape[i])
            return checker_fail(c, k->at, "AssertionError",
                                "input and other must have equal batch shapes (lhs: %s vs rhs: %s)",
                                shape_text(c, a), shape_text(c, b));
    if (a->shape[n - 1] != b->shape[n - 2])
        return checker_fail(
            c, k->at, "AssertionError",
            "input and other must have equal reduction dimensions (first input shape %s and second "
            "input shape %s are not compatible for matmul)",
            shape_text(c, a), shape_text(c, b));
    if (val_is_none(acc)) return true;
    TileType d = *a;
    d.shape[n - 1] = b->shape[n - 1];
    return (val_is_tensor(acc) && shape_same(&acc->t.type, &d)) ||
           checker_fail(c, k->at, "AssertionError", "accumulator shape is incompatible (wants %s, got %s)",
                        shape_text(c, &d), val_type_text(c, acc));
}

// How many low bits of float32 operands do not count: 13 of tf32, which is the default; two bfloat16 parts
// hold 16 bits. Three of either hold more than float32 needs.
static bool precision(Call *k, int64_t *cut) {
    const Val *p = &k->arg[3], *tf32 = &k->arg[4];
    bool allowed = true;
    if (!val_is_none(p) && !val_is_none(tf32))
        return checker_fail(k->c, k->at, "AssertionError",
                            "Only one of input_precision and allow_tf32 can be specified");
    if (!val_is_none(tf32) && !check_flag(k->c, k->at, tf32, &allowed)) return false;
    *cut = allowed ? 13 : 0;
    if (val_is_none(p)) return true;
    static const struct {
        const char *name;
        int cut;
    } known[] = {{"tf32", 13}, {"tf32x3", 0}, {"ieee", 0}, {"bf16x3", 8}, {"bf16x6", 0}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (val_is_py(p, PY_STR) && p->py.s.len == strlen(known[i].name) &&
            strncasecmp(p->py.s.p, known[i].name, p->py.s.len) == 0)
            return *cut = known[i].cut, true;
    return checker_fail(
        k->c, k->at, "AssertionError",
        "input_precision must be one of ('tf32', 'tf32x3', 'ieee', 'bf16x3', 'bf16x6'). Got %s",
        val_text(k->c, p));
}

static bool result_type(Call *k, DType in, DType want, DType *out) {
    if (in == DT_U8) return checker_fail(k->c, k->at, "AssertionError", "only int8 supported!");
    if (in == DT_I8) return *out = DT_I32, true;
    if (want == DT_BF16)
        return checker_fail(
            k->c, k->at, "ValueError",
            "out_dtype=bfloat16 is unsupported. Please use out_dtype=float32/float16 and cast with "
            "`.to(tl.bfloat16)`");
    if (in == DT_F64) return *out = DT_F64, true;
    if (in == DT_F32 || in == DT_BF16) return *out = DT_F32, true;
    if (want != DT_F16 && want != DT_F32)
        return checker_unsupported(k->c, k->at, "tl.dot of fp16 with out_dtype=%s", dtype_info[want].triton);
    return *out = want, true;
}

static bool is_f8(const Val *v) { return !v->t.type.pointer && dtype_is_f8(v->t.type.elem); }

static bool imprecise(Call *k, bool f8, int depth) {
    const Val *n = &k->arg[5];
    if (!f8 || !val_is_py(n, PY_INT) || n->py.i <= depth) return true;
    return checker_fail(k->c, k->at, "ValueError", "max_num_imprecise_acc (%s) must be <= K (%d)",
                        val_text(k->c, n), depth);
}

// Batches of batches are one batch.
static bool one_batch(Call *k, const Val *v, Val *out) {
    const TileType *t = &v->t.type;
    int r = t->rank, shape[3] = {1, t->shape[r - 2], t->shape[r - 1]};
    if (r <= 3) return *out = *v, true;
    for (int i = 0; i < r - 2; i++) shape[0] *= t->shape[i];
    return check_reshape(k->c, k->at, v, shape, 3, out);
}

// Operands of a dot go through shared memory, one after the other at least.
static void count_operands(const Call *k, const TileType *a, const TileType *b) {
    int64_t left = (int64_t)tile_lanes(a) * dtype_bytes(a->elem),
            right = (int64_t)tile_lanes(b) * dtype_bytes(b->elem);
    checker_uses_shared(k->c,
                        (SharedUse){.once = left > right ? left : right, .span = checker_span(k->c, k->at)});
}

bool check_dot(Call *k, Val *out) {
    Checker *c = k->c;
    Val a = k->arg[0], b = k->arg[1], acc = k->arg[2];
    DType want = DT_F32, elem;
    int64_t cut;
    if (!precision(k, &cut)) return false;
    if (!val_is_none(&k->arg[6]) && !check_dtype(c, k->at, &k->arg[6], &want)) return false;
    if (!is_block(k, &a) || !is_block(k, &b) || !shapes(k, &a, &b, &acc)) return false;
    TileType result = a.t.type;
    int rank = result.rank;
    result.shape[rank - 1] = b.t.type.shape[rank - 1];
    bool f8 = is_f8(&a) && is_f8(&b); // any two of them
    if (!f8 && (!operand(k, &a, "lhs") || !operand(k, &b, "rhs"))) return false;
    if (!f8 && a.t.type.elem != b.t.type.elem)
        return checker_fail(c, k->at, "AssertionError", "Both operands must be same dtype. Got %s and %s",
                            dtype_info[a.t.type.elem].triton, dtype_info[b.t.type.elem].triton);
    int least = dtype_bits(a.t.type.elem) == 8 ? 32 : 16;
    if (a.t.type.shape[rank - 1] < least)
        return checker_fail(c, k->at, "AssertionError", "Input shapes should have M >= 1, N >= 1 and K >= %d",
                            least);
    if (!imprecise(k, f8, a.t.type.shape[rank - 1])) return false;
    count_operands(k, &a.t.type, &b.t.type);
    // Every value of fp8 is one of fp16, and products of those are exact in fp32 either way.
    if (f8 && (!check_cast(c, k->at, &a, DT_F16, &a) || !check_cast(c, k->at, &b, DT_F16, &b))) return false;
    if (!result_type(k, a.t.type.elem, want, &elem)) return false;
    result.elem = elem;
    int64_t lanes = 1;
    for (int i = 0; i < rank; i++) lanes *= result.shape[i];
    if (lanes > TILE_LANES_MAX)
        return checker_fail(c, k->at, "ValueError", "numel (%lld) exceeds triton maximum tensor numel (%d)",
                            (long long)lanes, TILE_LANES_MAX);
    if (!val_is_none(&acc) && (acc.t.type.pointer || acc.t.type.elem != want || want != elem))
        return checker_fail(c, k->at, "AssertionError",
                            "acc of tl.dot must be a %s with out_dtype=%s, got %s", type_text(c, &result),
                            dtype_info[elem].triton, val_type_text(c, &acc));
    if (a.t.type.elem != DT_F32) cut = 0;
    if (!one_batch(k, &a, &a) || !one_batch(k, &b, &b) || (!val_is_none(&acc) && !one_batch(k, &acc, &acc)))
        return false;
    TileType t = a.t.type;
    t.elem = elem;
    t.shape[t.rank - 1] = b.t.type.shape[t.rank - 1];
    return checker_result(c, k->at, t,
                          insn(INSN_DOT, -1, a.t.reg, b.t.reg, val_is_none(&acc) ? -1 : acc.t.reg, cut),
                          out) &&
           check_reshape(c, k->at, out, result.shape, rank, out);
}

// ---- Triton 2.0: tl.dot(a, b, trans_a=False, trans_b=False)

bool old_dot_arguments(Checker *c, const Node *at, const Arg *arg, int *args, const Arg **out) {
    static const char *const flag[] = {"trans_a", "trans_b"}, *const operand[] = {"input", "other"};
    const OpRow *trans = oprow_named(STR("trans"));
    Arg *kept = NEWN(c->arena, Arg, (size_t)*args + 1);
    bool turn[2] = {0};
    int n = 0;
    for (int i = 0; i < *args; i++) {
        int k = str_is(arg[i].name, flag[0]) ? 0 : str_is(arg[i].name, flag[1]) ? 1 : -1;
        if (k < 0)
            kept[n++] = arg[i];
        else if (!check_truth(c, at, &arg[i].value, &turn[k]))
            return false;
        else
            checker_warn(c, at, "tl.dot(%s=) is of older versions; Triton 3.6 has tl.trans", flag[k]);
    }
    for (int i = 0; i < n; i++)
        for (int k = 0; k < 2; k++) {
            bool is = kept[i].name.len ? str_is(kept[i].name, operand[k]) : i == k;
            if (is && turn[k] &&
                !check_op(c, at, (OpUse){trans, STR("trans"), &kept[i].value}, NULL, 0, &kept[i].value))
                return false;
        }
    *out = kept;
    *args = n;
    return true;
}
