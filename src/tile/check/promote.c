// Triton's type rules: promotion, weak scalars, casts, broadcasting (doc/triton.md).
#include "tile/check/checker.h"
#include <inttypes.h>
#include <math.h>

bool integer_promote(DType a, DType b, DType *out) {
    if (dtype_is_float(a) || dtype_is_float(b)) return false;
    int wa = dtype_bits(a), wb = dtype_bits(b);
    bool sa = dtype_is_signed(a), sb = dtype_is_signed(b);
    if (sa == sb)
        *out = wa > wb ? a : b;
    else if (!sa)
        *out = wa >= wb ? a : b;
    else
        *out = wb >= wa ? b : a;
    return true;
}

// The type that a Python number has on its own.
static bool number_dtype(PyValue v, DType *out) {
    switch (v.kind) {
    case PY_BOOL: *out = DT_BOOL; return true;
    case PY_INT:
        *out = v.i >= INT32_MIN && v.i <= INT32_MAX    ? DT_I32
               : v.i > 0 && v.i <= (int64_t)UINT32_MAX ? DT_U32
                                                       : DT_I64;
        return true;
    case PY_FLOAT: {
        double x = fabs(v.f);
        bool fits = x == 0 || isinf(x) || isnan(x) || (x >= 0x1p-126 && x <= 0x1.fffffep127);
        *out = fits ? DT_F32 : DT_F64;
        return true;
    }
    default: return false;
    }
}

bool check_to_tensor(Checker *c, const Node *at, const Val *v, Val *out) {
    if (val_is_tensor(v)) return *out = *v, true;
    DType t;
    if (v->kind != VAL_PY || !number_dtype(v->py, &t)) {
        const char *class = v->kind == VAL_PY ? py_type_name(v->py.kind) : val_class(v);
        return checker_fail(c, at, "TypeError", "cannot convert %s of type <class '%s'> to tensor",
                            val_text(c, v), class);
    }
    return checker_constant(c, at, t, v->py, out);
}

// ---- casts ----

static bool cast_insn(Checker *c, const Node *at, const Val *v, DType to, int64_t chop, Val *out) {
    TileType t = v->t.type;
    t.elem = to;
    return checker_result(c, at, t, insn(INSN_CAST, -1, v->t.reg, -1, -1, chop), out);
}

// `other=0.0` of a half inside a loop should not be converted there. Integers up to 2^24 are exact in
// float32, by way of which checker_constant() rounds.
static bool fold_cast(const Checker *c, const Val *v, DType to, PyValue *out) {
    int k = c->def[v->t.reg].constant;
    if (k == 0 || !dtype_is_float(to)) return false;
    const Constant *from = &c->constant[k - 1];
    if (dtype_is_float(from->elem)) {
        *out = (PyValue){.kind = PY_FLOAT, .f = double_of((uint64_t)from->imm)};
        return from->elem != DT_F64 || to == DT_F64;
    }
    *out = (PyValue){.kind = PY_INT, .i = from->imm};
    return from->imm >= -(1 << 24) && from->imm <= 1 << 24;
}

// What the target converts: between an 8-bit float and a wider one; fp8e4b15 by code that knows fp16 and
// fp32; toward zero to fp8e5 alone.
static bool cast_f8(Checker *c, const Node *at, const Val *v, DType to, const char *rounding) {
    DType from = v->t.type.elem, other = dtype_is_f8(to) ? from : to;
    if (!dtype_is_float(from) || !dtype_is_float(to))
        return check_cannot_cast(c, at, v, &(TileType){.elem = to});
    bool chop = rounding && strcmp(rounding, "rtz") == 0;
    bool custom = from == DT_F8E4B15 || to == DT_F8E4B15;
    if (dtype_is_f8(from) && dtype_is_f8(to))
        return checker_unsupported(c, at, "conversions from %s to %s", dtype_info[from].triton,
                                   dtype_info[to].triton);
    if (custom && other != DT_F16 && other != DT_F32)
        return checker_unsupported(c, at, "conversions between fp8e4b15 and %s", dtype_info[other].triton);
    if (chop && to != DT_F8E5)
        return checker_unsupported(c, at, "conversions to %s toward zero", dtype_info[to].triton);
    return true;
}

bool check_cast_rounding(Checker *c, const Node *at, const Val *v, DType to, const char *rounding, Val *out) {
    if (v->t.type.pointer) return checker_unsupported(c, at, "casts from pointers to other types");
    DType from = v->t.type.elem;
    if (from == to) return *out = *v, true; // before anything is said about the rounding, as in Triton
    if ((dtype_is_f8(from) || dtype_is_f8(to)) && !cast_f8(c, at, v, to, rounding)) return false;
    bool down = dtype_is_float(from) && dtype_is_float(to) && dtype_bits(to) < dtype_bits(from);
    if (rounding && !down)
        return checker_fail(
            c, at, "ValueError",
            "fp_downcast_rounding should be set only for truncating fp conversions. Source scalar type is "
            "%s and destination type is %s",
            dtype_info[from].triton, dtype_info[to].triton);
    PyValue folded;
    if (v->t.type.rank == 0 && !rounding && fold_cast(c, v, to, &folded))
        return checker_constant(c, at, to, folded, out);
    // A half goes to anything else by way of float32. That matters for the other half only, whose cast rounds
    // once from an exact float32 here as there: one instruction does both.
    return cast_insn(c, at, v, to, rounding && strcmp(rounding, "rtz") == 0, out);
}
bool check_cast(Checker *c, const Node *at, const Val *v, DType to, Val *out) {
    return check_cast_rounding(c, at, v, to, NULL, out);
}

// ---- shapes ----

static bool shape_limit(Checker *c, const Node *at, const int *shape, int rank) {
    if (rank > TILE_RANK_MAX)
        return checker_unsupported(c, at, "tiles of more than %d dimensions", TILE_RANK_MAX);
    int64_t lanes = 1;
    for (int i = 0; i < rank; i++) lanes *= shape[i]; // at most 2^20 each, at most five
    if (lanes > TILE_LANES_MAX)
        return checker_fail(c, at, "ValueError",
                            "numel (%" PRId64 ") exceeds triton maximum tensor numel (%d)", lanes,
                            TILE_LANES_MAX);
    return true;
}

static TileType type_shaped(const TileType *elem, const int *shape, int rank) {
    TileType t = {.elem = elem->elem, .pointer = elem->pointer, .rank = rank};
    if (rank) memcpy(t.shape, shape, (size_t)rank * sizeof *shape);
    return t;
}

bool check_reshape(Checker *c, const Node *at, const Val *v, const int *shape, int rank, Val *out) {
    if (!shape_limit(c, at, shape, rank)) return false;
    TileType t = type_shaped(&v->t.type, shape, rank);
    if (shape_same(&t, &v->t.type)) return *out = *v, true;
    return checker_result(c, at, t, insn(INSN_RESHAPE, -1, v->t.reg, -1, -1, 0), out);
}

bool check_expand(Checker *c, const Node *at, const Val *v, int axis, Val *out) {
    const TileType *t = &v->t.type;
    int shape[TILE_RANK_MAX + 1];
    for (int i = 0; i < axis; i++) shape[i] = t->shape[i];
    shape[axis] = 1;
    for (int i = axis; i < t->rank; i++) shape[i + 1] = t->shape[i];
    return check_reshape(c, at, v, shape, t->rank + 1, out);
}

static void put_shape(Buf *b, const int *shape, int rank, const char *quote) {
    for (int i = 0; i < rank; i++) buf_printf(b, "%s%s%d%s", i ? ", " : "[", quote, shape[i], quote);
    buf_puts(b, rank ? "]" : "[]");
}

// As Triton prints the shape of a type: ['16', '8'].
const char *check_shape_text(Checker *c, const TileType *t) {
    Buf b = BUF(c->arena);
    put_shape(&b, t->shape, t->rank, "'");
    return buf_cstr(&b);
}

static const char *two_shapes(Checker *c, const TileType *t, const TileType *to, const char *quote) {
    Buf shapes = BUF(c->arena);
    put_shape(&shapes, t->shape, t->rank, "'");
    buf_puts(&shapes, ", ");
    put_shape(&shapes, to->shape, to->rank, quote);
    return buf_cstr(&shapes);
}

static bool broadcast_to(Checker *c, const Node *at, const Val *v, const TileType *to, const char *quote,
                         Val *out) {
    const TileType *t = &v->t.type;
    if (!shape_limit(c, at, to->shape, to->rank)) return false;
    if (shape_same(t, to)) return *out = *v, true;
    TileType type = type_shaped(t, to->shape, to->rank);
    if (t->rank == 0) return checker_result(c, at, type, insn(INSN_SPLAT, -1, v->t.reg, -1, -1, 0), out);
    if (t->rank != to->rank)
        return checker_fail(c, at, "ValueError", "Cannot broadcast, rank mismatch: %s",
                            two_shapes(c, t, to, quote));
    for (int i = 0; i < t->rank; i++)
        if (t->shape[i] != to->shape[i] && t->shape[i] != 1)
            return checker_fail(
                c, at, "ValueError",
                "Cannot broadcast, the expanded size of the tensor (%d) must match the existing size (%d) "
                "at non-singleton dimension %d: %s",
                to->shape[i], t->shape[i], i, two_shapes(c, t, to, quote));
    return checker_result(c, at, type, insn(INSN_BROADCAST, -1, v->t.reg, -1, -1, 0), out);
}
bool check_broadcast_to(Checker *c, const Node *at, const Val *v, const TileType *to, Val *out) {
    return broadcast_to(c, at, v, to, "", out);
}
bool check_broadcast_like(Checker *c, const Node *at, const Val *v, const TileType *to, Val *out) {
    return broadcast_to(c, at, v, to, "'", out);
}

// Afterwards both have the same shape, or at least one has a single lane, which every elementwise instruction
// repeats by itself: its register keeps its type, its rank is what tells a scalar from a block of one lane.
bool check_broadcast(Checker *c, const Node *at, Val *l, Val *r) {
    TileType *a = &l->t.type, *b = &r->t.type;
    if (a->rank == 0 || b->rank == 0) return true;
    while (a->rank < b->rank)
        if (!check_expand(c, at, l, 0, l)) return false;
    while (b->rank < a->rank)
        if (!check_expand(c, at, r, 0, r)) return false;
    TileType to = *a;
    for (int i = 0; i < a->rank; i++) {
        if (a->shape[i] != b->shape[i] && a->shape[i] != 1 && b->shape[i] != 1)
            return checker_fail(
                c, at, "ValueError",
                "Cannot make_shape_compatible: incompatible dimensions at index %d: %d and %d", i,
                a->shape[i], b->shape[i]);
        to.shape[i] = a->shape[i] == 1 ? b->shape[i] : a->shape[i];
    }
    if (!shape_limit(c, at, to.shape, to.rank)) return false;
    if (tile_lanes(a) > 1 && !check_broadcast_to(c, at, l, &to, l)) return false;
    if (tile_lanes(b) > 1 && !check_broadcast_to(c, at, r, &to, r)) return false;
    return true;
}

// ---- promotion ----

// Python's repr(): "triton.language.float32", and "pointer<fp32>".
const char *type_repr(Checker *c, const TileType *t) {
    TileType s = {.elem = t->elem, .pointer = t->pointer};
    const char *name = type_text(c, &s);
    if (t->pointer) return name;
    if (strncmp(name, "fp", 2) == 0) return arena_printf(c->arena, "triton.language.float%s", name + 2);
    if (strncmp(name, "bf", 2) == 0) return arena_printf(c->arena, "triton.language.bfloat%s", name + 2);
    return arena_printf(c->arena, "triton.language.%s", name);
}

static bool pointer_ok(Checker *c, const Node *at, const TileType *a, const TileType *b, bool allowed) {
    if (!a->pointer) return true;
    if (allowed && !(b->pointer && b->elem != a->elem) && !type_is_float(b)) return true;
    return checker_fail(c, at, "IncompatibleTypeErrorImpl", "invalid operands of type %s and %s",
                        type_repr(c, a), type_repr(c, b));
}

static int kind_rank(DType t) { // bool < int < float
    return t == DT_BOOL ? 0 : dtype_is_float(t) ? 2 : 1;
}

// An operand's type; weak: of a number, which gives way to a tensor's type of its kind.
typedef struct {
    DType type;
    bool weak;
} OperandType;

static bool computation_type(Checker *c, const Node *at, OperandType l, OperandType r, bool div_or_mod,
                             DType *out) {
    DType a = l.type, b = r.type;
    bool half = div_or_mod; // no 16-bit / and %
    if (l.weak != r.weak) {
        DType weak = l.weak ? a : b, real = l.weak ? b : a;
        if (kind_rank(weak) <= kind_rank(real)) {
            *out = half && (real == DT_F16 || real == DT_BF16) ? DT_F32 : real;
            return true;
        }
    }
    if (a == DT_F64 || b == DT_F64) return *out = DT_F64, true;
    if (a == DT_F32 || b == DT_F32) return *out = DT_F32, true;
    if (a == DT_F16 || b == DT_F16) return *out = half ? DT_F32 : DT_F16, true;
    if (a == DT_BF16 && b == DT_BF16) return *out = half ? DT_F32 : DT_BF16, true;
    if (a == DT_BF16 || b == DT_BF16) return *out = DT_F32, true;
    if (dtype_is_f8(a) && dtype_is_f8(b)) return *out = a == b ? a : DT_F16, true;
    if (dtype_is_f8(a) || dtype_is_f8(b))
        return checker_fail(c, at, "TypeError", "unexpected type %s and %s", dtype_info[a].triton,
                            dtype_info[b].triton);
    if (div_or_mod && dtype_is_signed(a) != dtype_is_signed(b))
        return checker_fail(
            c, at, "TypeError",
            "Cannot use /, #, or %% with %s and %s because they have different signedness;this is unlikely "
            "to result in a useful answer. Cast them to the same signedness.",
            type_repr(c, &(TileType){.elem = a}), type_repr(c, &(TileType){.elem = b}));
    return integer_promote(a, b, out);
}

static bool scalar_in_range(Checker *c, const Node *at, PyValue v, DType t) {
    if (v.kind == PY_FLOAT || dtype_is_float(t)) return true;
    int64_t i = v.kind == PY_INT ? v.i : v.b;
    bool is_signed = dtype_is_signed(t);
    if (i < 0 && !is_signed)
        return checker_fail(
            c, at, "ValueError",
            "Cannot perform a binary operation between an unsigned tensor and a negative scalar. Perform a "
            "explicit cast on one of them.");
    int bits = dtype_bits(t) - is_signed;
    bool fits = bits >= 63 || (i <= ((int64_t)1 << bits) - 1 && i >= -((int64_t)1 << bits));
    return fits || checker_fail(c, at, "ValueError", "Scalar %" PRId64 " is out of range for type %s", i,
                                dtype_info[t].triton);
}

static bool operand_cast(Checker *c, const Node *at, const Val *from, Val *tensor, DType to) {
    if (from->kind != VAL_PY) return check_cast(c, at, tensor, to, tensor);
    return scalar_in_range(c, at, from->py, to) && checker_constant(c, at, to, from->py, tensor);
}

bool check_promote(Checker *c, const Node *at, Val *l, Val *r, int flags) {
    const Val from_l = *l, from_r = *r;
    // What is neither number nor tensor has no .type.
    if ((!val_is_number(l) && !val_is_tensor(l)) || (!val_is_number(r) && !val_is_tensor(r))) {
        const Val *bad = !val_is_number(l) && !val_is_tensor(l) ? l : r;
        const char *class = bad->kind == VAL_PY ? py_type_name(bad->py.kind) : val_class(bad);
        return checker_fail(c, at, "AttributeError", "'%s' object has no attribute 'type'", class);
    }
    DType tl = l->t.type.elem, tr = r->t.type.elem;
    if (l->kind == VAL_PY && !number_dtype(l->py, &tl)) return false;
    if (r->kind == VAL_PY && !number_dtype(r->py, &tr)) return false;
    TileType a = l->kind == VAL_PY ? (TileType){.elem = tl} : l->t.type,
             b = r->kind == VAL_PY ? (TileType){.elem = tr} : r->t.type;
    if (!pointer_ok(c, at, &a, &b, flags & ALLOW_LEFT_POINTER)) return false;
    if (!pointer_ok(c, at, &b, &a, flags & ALLOW_RIGHT_POINTER)) return false;
    if (!(flags & NO_ARITHMETIC) && !a.pointer && !b.pointer) {
        DType t;
        bool weak_l = l->kind == VAL_PY, weak_r = r->kind == VAL_PY;
        if (!computation_type(c, at, (OperandType){a.elem, weak_l}, (OperandType){b.elem, weak_r},
                              flags & DIV_OR_MOD, &t))
            return false;
        if (!operand_cast(c, at, &from_l, l, t) || !operand_cast(c, at, &from_r, r, t)) return false;
    } else if (!check_to_tensor(c, at, &from_l, l) || !check_to_tensor(c, at, &from_r, r)) {
        return false;
    }
    return check_broadcast(c, at, l, r);
}
