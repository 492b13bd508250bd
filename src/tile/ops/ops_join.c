// Rows of op.def: tiles side by side, halves, reversed and gathered lanes.
#include "tile/check/checker.h"

static bool concat(Checker *c, const Node *at, const Val *a, const Val *b, int axis, Val *out) {
    TileType t = a->t.type;
    t.shape[axis] += b->t.type.shape[axis];
    if (tile_lanes(&t) > TILE_LANES_MAX)
        return checker_fail(c, at, "ValueError", "numel (%d) exceeds triton maximum tensor numel (%d)",
                            tile_lanes(&t), TILE_LANES_MAX);
    return checker_result(c, at, t, insn(INSN_CONCAT, -1, a->t.reg, b->t.reg, -1, axis), out);
}

static bool same_elements(Checker *c, const Node *at, const char *what, const Val *a, const Val *b) {
    if (a->t.type.elem == b->t.type.elem && a->t.type.pointer == b->t.type.pointer) return true;
    return checker_fail(c, at, "TypeError", "tl.%s wants two tiles of one type, got %s and %s", what,
                        val_type_text(c, a), val_type_text(c, b));
}

static bool joined(Call *k, const char *what, Val *out) {
    Checker *c = k->c;
    Val a, b;
    if (k->arg[0].kind == VAL_PY || k->arg[1].kind == VAL_PY) // Triton does not make tensors of numbers here
        return checker_fail(c, k->at, "AttributeError",
                            "'constexpr_type' object has no attribute 'is_block'");
    if (!check_to_tensor(c, k->at, &k->arg[0], &a) || !check_to_tensor(c, k->at, &k->arg[1], &b))
        return false;
    if (!check_broadcast(c, k->at, &a, &b) || !same_elements(c, k->at, what, &a, &b)) return false;
    TileType t = check_joint_type(&a, &b);
    if (!check_broadcast_to(c, k->at, &a, &t, &a) || !check_broadcast_to(c, k->at, &b, &t, &b)) return false;
    int last = t.rank;
    if (last == TILE_RANK_MAX)
        return checker_unsupported(c, k->at, "tiles of more than %d dimensions", TILE_RANK_MAX);
    return check_expand(c, k->at, &a, last, &a) && check_expand(c, k->at, &b, last, &b) &&
           concat(c, k->at, &a, &b, last, out);
}
bool check_join(Call *k, Val *out) { return joined(k, "join", out); }

bool check_interleave(Call *k, Val *out) {
    if (!joined(k, "interleave", out)) return false;
    TileType t = out->t.type;
    if (t.rank == 1) return true;
    t.shape[t.rank - 2] *= 2;
    return check_reshape(k->c, k->at, out, t.shape, t.rank - 1, out);
}

bool check_split(Call *k, Val *out) {
    Checker *c = k->c;
    Val a = k->arg[0];
    if (!val_is_tensor(&a) || a.t.type.rank == 0 || a.t.type.shape[a.t.type.rank - 1] != 2)
        return checker_fail(c, k->at, "AssertionError", "tl.split wants a last dimension of size 2, got %s",
                            val_type_text(c, &a));
    Val *half = NEWN(c->arena, Val, 2);
    TileType t = a.t.type;
    int last = t.rank - 1;
    t.shape[last] = 1;
    for (int i = 0; i < 2; i++)
        if (!checker_result(c, k->at, t, insn(INSN_SLICE, -1, a.t.reg, -1, -1, last | (int64_t)i << 4),
                            &half[i]) ||
            !check_reshape(c, k->at, &half[i], t.shape, last, &half[i]))
            return false;
    return *out = val_tuple(half, 2), true;
}

bool check_cat(Call *k, Val *out) {
    Checker *c = k->c;
    Val a = k->arg[0], b = k->arg[1];
    bool reorder;
    if (!check_flag(c, k->at, &k->arg[2], &reorder)) return false;
    if (!reorder)
        return checker_fail(c, k->at, "AssertionError",
                            "current implementation of `cat` always may reorder elements");
    if (!val_is_tensor(&a) || !val_is_tensor(&b) || a.t.type.rank != 1 || b.t.type.rank != 1)
        return checker_fail(c, k->at, "AssertionError", "tl.cat wants two tiles of rank 1, got %s and %s",
                            val_type_text(c, &a), val_type_text(c, &b));
    return same_elements(c, k->at, "cat", &a, &b) && concat(c, k->at, &b, &a, 0, out);
}

bool check_flip(Call *k, Val *out) {
    Val v;
    int axis;
    const Val *dim = &k->arg[1];
    if (!check_to_tensor(k->c, k->at, &k->arg[0], &v)) return false;
    if (val_is_none(dim)) // the default is there, but Triton 3.6 compares it with numbers
        return checker_fail(k->c, k->at, "TypeError",
                            "'<=' not supported between instances of 'int' and 'NoneType'");
    int rank = v.t.type.rank;
    if (val_is_py(dim, PY_INT) && (dim->py.i < -rank || dim->py.i >= rank))
        return checker_fail(k->c, k->at, "CompileTimeAssertionFailure", "dimension %s of a tile of rank %d",
                            val_text(k->c, dim), rank);
    return check_axis(k->c, k->at, dim, rank, &axis) &&
           checker_result(k->c, k->at, v.t.type, insn(INSN_FLIP, -1, v.t.reg, -1, -1, axis), out);
}

bool check_gather(Call *k, Val *out) {
    Checker *c = k->c;
    const Val *v = &k->arg[0], *index = &k->arg[1];
    int axis;
    if (!val_is_tensor(v) || !val_is_tensor(index) || index->t.type.pointer ||
        !dtype_is_int(index->t.type.elem))
        return checker_fail(c, k->at, "AssertionError", "index must be an integer tensor");
    const TileType *t = &v->t.type, *i = &index->t.type;
    if (t->rank != i->rank || t->rank == 0)
        return checker_fail(c, k->at, "AssertionError", "source and index tensors must have the same rank");
    if (!check_axis(c, k->at, &k->arg[2], t->rank, &axis)) return false;
    for (int d = 0; d < t->rank; d++)
        if (d != axis && t->shape[d] != i->shape[d])
            return checker_fail(c, k->at, "AssertionError",
                                "index dim %d must match the corresponding source dim",
                                axis); // Triton, too, says the axis
    TileType r = *i;
    r.elem = t->elem;
    r.pointer = t->pointer;
    return checker_result(c, k->at, r, insn(INSN_GATHER, -1, v->t.reg, index->t.reg, -1, axis), out);
}
