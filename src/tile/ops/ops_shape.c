// Rows of op.def: casts, shapes, hints, and what has no effect.
#include "tile/check/checker.h"
#include <inttypes.h>

bool check_dtype(Checker *c, const Node *at, const Val *v, DType *out) {
    if (v->kind != VAL_TYPE)
        return checker_fail(c, at, "AttributeError", "'%s' object has no attribute 'scalar'",
                            v->kind == VAL_PY ? py_type_name(v->py.kind) : val_class(v));
    if (v->type.pointer) return checker_unsupported(c, at, "casts between pointers and other types");
    *out = v->type.elem;
    return check_f8_known(c, at, *out);
}

bool check_f8_known(Checker *c, const Node *at, DType t) {
    if (t != DT_F8E4B8 && t != DT_F8E5B16) return true;
    return checker_fail(
        c, at, "ValueError",
        "type %s not supported in this architecture. The supported fp8 dtypes are ('fp8e4b15', "
        "'fp8e4nv', 'fp8e5')",
        dtype_info[t].triton);
}

// A tuple of constexpr powers of two.
bool check_shape(Checker *c, const Node *at, const Val *v, int *shape, int *rank) {
    if (v->kind != VAL_TUPLE)
        return checker_fail(c, at, "TypeError", "'%s' object is not iterable",
                            v->kind == VAL_PY ? py_type_name(v->py.kind) : val_class(v));
    int64_t lanes = 1;
    if (v->tuple.n > TILE_RANK_MAX)
        return checker_unsupported(c, at, "tiles of more than %d dimensions", TILE_RANK_MAX);
    for (int i = 0; i < v->tuple.n; i++) {
        const Val *d = &v->tuple.at[i];
        if (d->kind != VAL_PY)
            return checker_fail(c, at, "TypeError",
                                "Shape element %d must have type `constexpr[int]`, got "
                                "`constexpr[<class 'triton.language.core.tensor'>]",
                                i);
        if (d->py.kind != PY_INT)
            return checker_fail(
                c, at, "TypeError",
                "Shape element %d must have type `constexpr[int]`, got `constexpr[<class '%s'>]", i,
                py_type_name(d->py.kind));
        if (d->py.i < 1 || (d->py.i & (d->py.i - 1)))
            return checker_fail(c, at, "ValueError", "Shape element %d must be a power of 2", i);
        if (d->py.i > TILE_LANES_MAX || (lanes *= d->py.i) > TILE_LANES_MAX)
            return checker_fail(c, at, "ValueError",
                                "numel (%" PRId64 ") exceeds triton maximum tensor numel (%d)",
                                d->py.i > TILE_LANES_MAX ? d->py.i : lanes, TILE_LANES_MAX);
        shape[i] = (int)d->py.i;
    }
    *rank = v->tuple.n;
    return true;
}

// f(x, 4, 8) and f(x, (4, 8)) mean the same.
static Val listed(Call *k) {
    if (k->rests == 1 && k->rest[0].kind == VAL_TUPLE) return k->rest[0];
    return val_tuple(k->rest, k->rests);
}

static bool same_bits(Checker *c, const Node *at, const Val *v, DType to, Val *out) {
    TileType t = v->t.type;
    int from_bits = t.pointer ? 64 : dtype_bits(t.elem), bits = dtype_bits(to);
    if (from_bits != bits)
        return checker_fail(c, at, "ValueError",
                            "Cannot bitcast data-type of size %d to data-type of size %d", from_bits, bits);
    if (t.pointer) return checker_unsupported(c, at, "casts between pointers and other types");
    t.elem = to;
    return checker_result(c, at, t, insn(INSN_BITCAST, -1, v->t.reg, -1, -1, 0), out);
}

bool check_cannot_cast(Checker *c, const Node *at, const Val *v, const TileType *to) {
    TileType t = v->t.type;
    t.elem = to->elem;
    t.pointer = to->pointer;
    return checker_fail(c, at, "AssertionError", "cannot cast %s to %s", val_text(c, v), type_text(c, &t));
}

// Addresses are 64-bit integers; an address made from anything else than one belongs to no tensor, or to one
// whose every byte is checked as any other access is.
bool check_cast_pointer(Checker *c, const Node *at, const Val *v, const TileType *to, Val *out) {
    TileType t = v->t.type, wide = t;
    if (t.pointer == to->pointer && t.elem == to->elem) return *out = *v, true;
    wide.elem = DT_I64;
    wide.pointer = false;
    if (to->pointer) {
        Val x = *v;
        if (!t.pointer && t.elem != DT_I64 && t.elem != DT_U64) {
            if (!type_is_integer(&t)) return check_cannot_cast(c, at, v, to);
            return checker_fail(c, at, NULL,
                                "'tt.int_to_ptr' op operand #0 must be 64-bit signless integer, but got %s",
                                type_text(c, &t));
        }
        if (!t.pointer && !check_cast(c, at, v, DT_I64, &x)) return false;
        t.elem = to->elem;
        t.pointer = true;
        return checker_result(c, at, t, insn(INSN_CAST, -1, x.t.reg, -1, -1, 0), out);
    }
    if (to->elem != DT_I64 && to->elem != DT_U64 && to->elem != DT_BOOL)
        return check_cannot_cast(c, at, v, to);
    return checker_result(c, at, wide, insn(INSN_CAST, -1, v->t.reg, -1, -1, 0), out) &&
           check_cast(c, at, out, to->elem, out);
}

bool check_to(Call *k, Val *out) {
    Checker *c = k->c;
    Val v;
    DType to;
    bool bits;
    if (!check_to_tensor(c, k->at, &k->arg[0], &v) || !check_flag(c, k->at, &k->arg[3], &bits)) return false;
    const Val *type = &k->arg[1];
    if (type->kind == VAL_TYPE && !type->to_tile && (type->type.pointer || v.t.type.pointer))
        return check_cast_pointer(c, k->at, &v, &type->type, out);
    if (!check_dtype(c, k->at, type, &to)) return false;
    if (bits) {
        if (!v.t.type.pointer && v.t.type.elem == to) return *out = v, true;
        return same_bits(c, k->at, &v, to, out);
    }
    const Val *r = &k->arg[2];
    if (val_is_none(r)) return check_cast(c, k->at, &v, to, out);
    if (!val_is_py(r, PY_STR) || (!str_is(r->py.s, "rtne") && !str_is(r->py.s, "rtz")))
        return checker_fail(c, k->at, "ValueError",
                            "Invalid rounding mode: %s. Supported rounding modes are 'rtne' and 'rtz'.",
                            val_text(c, r));
    return check_cast_rounding(c, k->at, &v, to, str_is(r->py.s, "rtz") ? "rtz" : "rtne", out);
}

// ---- shapes ----

bool check_expand_dims(Call *k, Val *out) {
    Val v, list = k->arg[1];
    if (!check_to_tensor(k->c, k->at, &k->arg[0], &v)) return false;
    const Val *axes = list.kind == VAL_TUPLE ? list.tuple.at : &k->arg[1];
    int n = list.kind == VAL_TUPLE ? list.tuple.n : 1, at[TILE_RANK_MAX];
    if (v.t.type.rank + n > TILE_RANK_MAX)
        return checker_unsupported(k->c, k->at, "tiles of more than %d dimensions", TILE_RANK_MAX);
    for (int i = 0; i < n; i++) {
        if (!check_axis(k->c, k->at, &axes[i], v.t.type.rank + n, &at[i])) return false;
        int j = i;
        for (; j > 0 && at[j - 1] > at[j]; j--) {
            int swap = at[j];
            at[j] = at[j - 1];
            at[j - 1] = swap;
        }
        if (j > 0 && at[j - 1] == at[j])
            return checker_fail(k->c, k->at, "ValueError", "expand_dims received duplicate axes: %s",
                                val_text(k->c, &list));
    }
    *out = v;
    for (int i = 0; i < n; i++)
        if (!check_expand(k->c, k->at, out, at[i], out)) return false;
    return true;
}

bool check_broadcast_op(Call *k, Val *out) {
    Val v, shape = listed(k);
    TileType t = {0};
    return check_to_tensor(k->c, k->at, &k->arg[0], &v) &&
           check_shape(k->c, k->at, &shape, t.shape, &t.rank) && check_broadcast_to(k->c, k->at, &v, &t, out);
}

static bool reshaped(Call *k, const Val *v, const Val *shape, Val *out) {
    int to[TILE_RANK_MAX], rank, lanes = 1;
    if (!check_shape(k->c, k->at, shape, to, &rank)) return false;
    for (int i = 0; i < rank; i++) lanes *= to[i];
    if (lanes != tile_lanes(&v->t.type))
        return checker_fail(k->c, k->at, "ValueError",
                            "reshape() cannot change total number of elements in tensor");
    return check_reshape(k->c, k->at, v, to, rank, out);
}

// Where Triton may change the order of the elements it does so as soon as that spares it work (a sum over
// what was viewed, say), so that nobody may count on it. Here they are always in another one: the halves of a
// lane's number change places and all its bits are turned over. Twice that is the old order, as on a GPU
// where a tile is viewed, computed on lane by lane, and viewed back.
static bool reorder(Call *k, Val *v) {
    Checker *c = k->c;
    int lanes = tile_lanes(&v->t.type), half = 0;
    while ((2 << (2 * half)) < lanes) half++;
    int side = 1 << half, odd = lanes >> (2 * half);
    if (lanes == 1) return true;
    TileType t = v->t.type;
    t.rank = 3;
    t.shape[0] = t.shape[2] = side;
    t.shape[1] = odd;
    checker_warn(c, k->at, "tl.%.*s may change the order of the elements; tl.reshape keeps it",
                 STR_ARG(k->name));
    return check_reshape(c, k->at, v, t.shape, 3, v) &&
           checker_result(c, k->at, t, insn(INSN_TRANS, -1, v->t.reg, -1, -1, 0x012), v) &&
           check_reshape(c, k->at, v, (int[]){lanes}, 1, v) &&
           checker_result(c, k->at, v->t.type, insn(INSN_FLIP, -1, v->t.reg, -1, -1, 0), v);
}

bool check_reshape_op(Call *k, Val *out) {
    Val v, shape = listed(k);
    bool any_order;
    return check_flag(k->c, k->at, &k->arg[1], &any_order) && check_to_tensor(k->c, k->at, &k->arg[0], &v) &&
           (!any_order || reorder(k, &v)) && reshaped(k, &v, &shape, out);
}
bool check_view_op(Call *k, Val *out) {
    Val v, shape = listed(k);
    return check_to_tensor(k->c, k->at, &k->arg[0], &v) && reorder(k, &v) && reshaped(k, &v, &shape, out);
}
bool check_ravel(Call *k, Val *out) {
    Val v;
    bool any_order;
    if (!check_flag(k->c, k->at, &k->arg[1], &any_order) || !check_to_tensor(k->c, k->at, &k->arg[0], &v) ||
        (any_order && !reorder(k, &v)))
        return false;
    return check_reshape(k->c, k->at, &v, (int[]){tile_lanes(&v.t.type)}, 1, out);
}

bool check_broadcast_both(Call *k, Val *out) {
    Checker *c = k->c;
    Val *pair = NEWN(c->arena, Val, 2);
    if (!check_to_tensor(c, k->at, &k->arg[0], &pair[0]) ||
        !check_to_tensor(c, k->at, &k->arg[1], &pair[1]) || !check_broadcast(c, k->at, &pair[0], &pair[1]))
        return false;
    TileType t = check_joint_type(&pair[0], &pair[1]);
    for (int i = 0; i < 2; i++)
        if (!check_broadcast_to(c, k->at, &pair[i], &t, &pair[i])) return false;
    return *out = val_tuple(pair, 2), true;
}

bool check_item(Call *k, Val *out) {
    Val v;
    if (!check_to_tensor(k->c, k->at, &k->arg[0], &v)) return false;
    if (tile_lanes(&v.t.type) != 1)
        return checker_fail(k->c, k->at, "AssertionError", "can only unsplat single-element tensors");
    return check_reshape(k->c, k->at, &v, NULL, 0, out);
}

bool check_trans(Call *k, Val *out) {
    Checker *c = k->c;
    Val v, dims = listed(k);
    if (!check_to_tensor(c, k->at, &k->arg[0], &v)) return false;
    TileType t = v.t.type, r = t;
    int from[TILE_RANK_MAX], seen = 0;
    if (dims.tuple.n == 0) {
        if (t.rank < 2)
            return checker_fail(c, k->at, "ValueError", "tl.trans invoked with a 0- or 1-dimensional tensor");
        for (int i = 0; i < t.rank; i++)
            from[i] = i < t.rank - 2 ? i : 2 * t.rank - 3 - i; // the last two change places
    } else {
        if (dims.tuple.n != t.rank)
            return checker_fail(c, k->at, "ValueError",
                                "permute dims must have the same length as input shape");
        for (int i = 0; i < t.rank; i++) {
            if (!check_axis(c, k->at, &dims.tuple.at[i], t.rank, &from[i])) return false;
            seen |= 1 << from[i];
        }
        if (seen != (1 << t.rank) - 1) {
            Buf given = BUF(c->arena);
            for (int i = 0; i < t.rank; i++) buf_printf(&given, "%s'constexpr[%d]'", i ? ", " : "", from[i]);
            return checker_fail(c, k->at, "ValueError",
                                "permute dims must be a permutation of 0, 1, ..., n-1, but were [%s]",
                                buf_cstr(&given));
        }
    }
    int64_t imm = 0;
    for (int i = 0; i < t.rank; i++) {
        r.shape[i] = t.shape[from[i]];
        imm |= (int64_t)from[i] << (4 * i);
    }
    return checker_result(c, k->at, r, insn(INSN_TRANS, -1, v.t.reg, -1, -1, imm), out);
}
