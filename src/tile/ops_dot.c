// Rows of op.def: tl.dot.
#include "tile/checker.h"

static const char *shape_text(Checker *c, const TileType *t) {
    Buf b = BUF(c->arena);
    buf_putc(&b, '[');
    for (int i = 0; i < t->rank; i++) buf_printf(&b, "%s%d", i ? ", " : "", t->shape[i]);
    buf_putc(&b, ']');
    return buf_cstr(&b);
}

static bool operand(Call *k, const Val *v, const char *side) {
    if (!val_is_tensor(v) || v->t.type.rank == 0)
        return checker_fail(k->c, k->at, "AssertionError", "tl.dot wants two blocks, got %s",
                            val_type_text(k->c, v));
    DType t = v->t.type.elem;
    bool known = !v->t.type.pointer && (t == DT_I8 || t == DT_U8 || dtype_is_float(t));
    if (known) return true;
    TileType elem = {.elem = t, .pointer = v->t.type.pointer};
    return checker_fail(k->c, k->at, "AssertionError", "Unsupported %s dtype %s", side,
                        type_text(k->c, &elem));
}

static bool shapes(Call *k, const TileType *a, const TileType *b) {
    Checker *c = k->c;
    if (a->rank != b->rank || a->rank < 2 || a->rank > 3)
        return checker_fail(c, k->at, "AssertionError",
                            "Both inputs must be either 2D or 3D; (lhs: %s vs rhs: %s)", shape_text(c, a),
                            shape_text(c, b));
    int r = a->rank, inner = a->shape[r - 1], other = b->shape[r - 2],
        least = dtype_bits(a->elem) == 8 ? 32 : 16;
    if (inner != other)
        return checker_fail(
            c, k->at, "AssertionError",
            "First input shape (%s) and second input shape %s are not compatible for matmul (second "
            "index of first shape (%d) must be equal to first index of second shape (%d)",
            shape_text(c, a), shape_text(c, b), inner, other);
    if (inner < least)
        return checker_fail(c, k->at, "AssertionError", "Input shapes should have M >= 1, N >= 1 and K >= %d",
                            least);
    if (r == 3 && a->shape[0] != b->shape[0])
        return checker_fail(c, k->at, "AssertionError", "the batches of tl.dot differ: %s and %s",
                            shape_text(c, a), shape_text(c, b));
    return true;
}

// Options that this version accepts and computes as full precision: a kernel that is right with the exact
// product of its float32 operands is judged by its error bound, in which tf32 would only widen the error.
static bool precision(Call *k) {
    const Val *p = &k->arg[3], *tf32 = &k->arg[4];
    if (!val_is_none(p) && !val_is_none(tf32))
        return checker_fail(k->c, k->at, "AssertionError",
                            "Only one of input_precision and allow_tf32 can be specified");
    bool known = val_is_none(p), flag;
    static const char *const names[] = {"tf32", "tf32x3", "ieee", "bf16x3", "bf16x6"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        known |= val_is_py(p, PY_STR) && str_is(p->py.s, names[i]);
    if (!known)
        return checker_fail(k->c, k->at, "AssertionError",
                            "input_precision must be one of ('tf32', 'tf32x3', 'ieee'). Got %s",
                            val_text(k->c, p));
    return val_is_none(tf32) || check_flag(k->c, k->at, tf32, &flag);
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

bool check_dot(Call *k, Val *out) {
    Checker *c = k->c;
    const Val *a = &k->arg[0], *b = &k->arg[1];
    DType want = DT_F32, elem;
    if (!precision(k)) return false;
    if (!val_is_none(&k->arg[6]) && !check_dtype(c, k->at, &k->arg[6], &want)) return false;
    if (!operand(k, a, "lhs") || !operand(k, b, "rhs")) return false;
    if (a->t.type.elem != b->t.type.elem)
        return checker_fail(c, k->at, "AssertionError", "Both operands must be same dtype. Got %s and %s",
                            dtype_info[a->t.type.elem].triton, dtype_info[b->t.type.elem].triton);
    if (!shapes(k, &a->t.type, &b->t.type) || !result_type(k, a->t.type.elem, want, &elem)) return false;
    TileType t = a->t.type;
    int r = t.rank;
    t.elem = elem;
    t.shape[r - 1] = b->t.type.shape[r - 1];
    if (tile_lanes(&t) > TILE_LANES_MAX)
        return checker_fail(c, k->at, "ValueError", "numel (%d) exceeds triton maximum tensor numel (%d)",
                            tile_lanes(&t), TILE_LANES_MAX);
    int acc = -1;
    if (!val_is_none(&k->arg[2])) {
        const Val *v = &k->arg[2];
        if (!val_is_tensor(v) || !shape_same(&v->t.type, &t) || v->t.type.pointer || v->t.type.elem != want ||
            want != elem)
            return checker_fail(c, k->at, "AssertionError",
                                "acc of tl.dot must be a %s with out_dtype=%s, got %s", type_text(c, &t),
                                dtype_info[elem].triton, val_type_text(c, v));
        acc = v->t.reg;
    }
    return checker_result(c, k->at, INSN_DOT, t, a->t.reg, b->t.reg, acc, 0, out);
}
