// Operators on any values: Python's rules between constexprs, Triton's as soon as a tensor takes part.
#include "tile/check/checker.h"

TileType check_joint_type(const Val *l, const Val *r) {
    TileType t = l->t.type;
    const TileType *o = &r->t.type;
    if (t.rank == 0) t.rank = o->rank, memcpy(t.shape, o->shape, sizeof t.shape);
    for (int i = 0; i < o->rank; i++)
        if (o->shape[i] > t.shape[i]) t.shape[i] = o->shape[i];
    return t;
}

bool check_binary_insn(Checker *c, const Node *at, InsnOp op, const Val *l, const Val *r, Val *out) {
    Val guarded;
    if (!checker_guarded(c, at, op, l, r, &guarded)) return false;
    TileType t = check_joint_type(l, &guarded);
    if (op >= INSN_LT && op <= INSN_NE) t.elem = DT_BOOL, t.pointer = false;
    return checker_result(
        c, at, t, insn(op, -1, l->t.reg, guarded.t.reg, -1, op == INSN_PTRADD ? dtype_bytes(t.elem) : 0),
        out);
}

static bool unexpected(Checker *c, const Node *at, const Val *v) {
    TileType s = {.elem = v->t.type.elem, .pointer = v->t.type.pointer};
    return checker_fail(c, at, "TypeError", "unexpected type %s", type_text(c, &s));
}

// ---- tensors ----

static bool negate(Checker *c, const Node *at, const Val *v, Val *out) {
    Val zero;
    if (v->t.type.pointer)
        return checker_fail(c, at, "ValueError", "wrong type argument to unary minus (pointer<%s>)",
                            dtype_info[v->t.type.elem].triton);
    if (!checker_constant(c, at, v->t.type.elem, (PyValue){.kind = PY_INT}, &zero)) return false;
    TileType t = v->t.type;
    return checker_result(c, at, t, insn(INSN_SUB, -1, zero.t.reg, v->t.reg, -1, 0), out);
}

static bool add(Checker *c, const Node *at, Val *l, Val *r, Val *out) {
    if (!check_promote(c, at, l, r, ALLOW_LEFT_POINTER | ALLOW_RIGHT_POINTER)) return false;
    if (l->t.type.pointer && r->t.type.pointer)
        return checker_fail(c, at, "TypeError", "cannot add pointers together");
    if (r->t.type.pointer) {
        Val swap = *l;
        *l = *r;
        *r = swap;
    }
    if (!l->t.type.pointer) return check_binary_insn(c, at, INSN_ADD, l, r, out);
    if (r->t.type.elem == DT_BOOL && !check_cast(c, at, r, DT_I64, r)) return false;
    return check_binary_insn(c, at, INSN_PTRADD, l, r, out);
}

static bool sub(Checker *c, const Node *at, Val *l, Val *r, Val *out) {
    if (!check_promote(c, at, l, r, ALLOW_LEFT_POINTER)) return false;
    if (!l->t.type.pointer) return check_binary_insn(c, at, INSN_SUB, l, r, out);
    Val minus;
    return negate(c, at, r, &minus) && add(c, at, l, &minus, out);
}

static bool divide(Checker *c, const Node *at, Val *l, Val *r, Val *out) {
    if (!check_promote(c, at, l, r, DIV_OR_MOD)) return false;
    if (type_is_integer(&l->t.type) && (!check_cast(c, at, l, DT_F32, l) || !check_cast(c, at, r, DT_F32, r)))
        return false;
    return check_binary_insn(c, at, INSN_DIV, l, r, out);
}

// The VM's integer division has no bool: a quotient of bools is defined for the divisor 1 only, as in uint8.
static bool bool_division(Checker *c, const Node *at, InsnOp op, const Val *l, const Val *r, Val *out) {
    Val a, b, q;
    return check_cast(c, at, l, DT_U8, &a) && check_cast(c, at, r, DT_U8, &b) &&
           check_binary_insn(c, at, op, &a, &b, &q) && check_cast(c, at, &q, DT_BOOL, out);
}

static bool divide_whole(Checker *c, const Node *at, InsnOp op, Val *l, Val *r, Val *out) {
    if (!check_promote(c, at, l, r, DIV_OR_MOD)) return false;
    if (op == INSN_IDIV && !type_is_integer(&l->t.type)) return unexpected(c, at, l);
    if (l->t.type.elem == DT_BOOL) return bool_division(c, at, op, l, r, out);
    return check_binary_insn(c, at, op, l, r, out);
}

static bool bitwise(Checker *c, const Node *at, InsnOp op, Val *l, Val *r, Val *out) {
    bool was_signed = val_is_tensor(l) && dtype_is_signed(l->t.type.elem);
    if (!check_promote(c, at, l, r, 0)) return false;
    const TileType *a = &l->t.type, *b = &r->t.type;
    if (!type_is_integer(a) || !type_is_integer(b))
        return checker_fail(c, at, "IncompatibleTypeErrorImpl", "invalid operands of type %s and %s",
                            type_repr(c, a), type_repr(c, b));
    bool shift = op == INSN_SHL || op == INSN_SHR;
    if (shift && a->elem == DT_BOOL) return checker_unsupported(c, at, "shifts of int1 by int1");
    if (op != INSN_SHR || was_signed == dtype_is_signed(a->elem))
        return check_binary_insn(c, at, op, l, r, out);
    // The left operand's own type says whether the shift is arithmetic, whatever the promoted type.
    static const DType other[DT_COUNT] = {
        [DT_I8] = DT_U8, [DT_I16] = DT_U16, [DT_I32] = DT_U32, [DT_I64] = DT_U64,
        [DT_U8] = DT_I8, [DT_U16] = DT_I16, [DT_U32] = DT_I32, [DT_U64] = DT_I64};
    DType ret = a->elem;
    Val x, n, y;
    return check_cast(c, at, l, other[ret], &x) && check_cast(c, at, r, other[ret], &n) &&
           check_binary_insn(c, at, op, &x, &n, &y) && check_cast(c, at, &y, ret, out);
}

// "__radd__" when the tensor stands on the right.
static bool no_method(Checker *c, const Node *at, Oper op, bool reversed) {
    const char *m = oper_method(op);
    return checker_fail(c, at, "AttributeError", "'tensor' object has no attribute '__%s%s'",
                        reversed ? "r" : "", m + 2);
}

static bool tensor_binary(Checker *c, const Node *at, Oper op, const Val *left, const Val *right, Val *out) {
    Val l = *left, r = *right;
    switch (op) {
    case OPER_ADD: return add(c, at, &l, &r, out);
    case OPER_SUB: return sub(c, at, &l, &r, out);
    case OPER_MUL: return check_promote(c, at, &l, &r, 0) && check_binary_insn(c, at, INSN_MUL, &l, &r, out);
    case OPER_DIV: return divide(c, at, &l, &r, out);
    case OPER_FLOORDIV: return divide_whole(c, at, INSN_IDIV, &l, &r, out);
    case OPER_MOD: return divide_whole(c, at, INSN_MOD, &l, &r, out);
    case OPER_SHL: return bitwise(c, at, INSN_SHL, &l, &r, out);
    case OPER_SHR: return bitwise(c, at, INSN_SHR, &l, &r, out);
    case OPER_BITAND: return bitwise(c, at, INSN_AND, &l, &r, out);
    case OPER_BITOR: return bitwise(c, at, INSN_OR, &l, &r, out);
    case OPER_BITXOR: return bitwise(c, at, INSN_XOR, &l, &r, out);
    default: return no_method(c, at, op, !val_is_tensor(left));
    }
}

// ---- constants and tuples ----

static bool tuple_join(Checker *c, const Node *at, const Val *l, const Val *r, Val *out) {
    int n = l->tuple.n + r->tuple.n;
    if (n > TUPLE_MAX) return checker_fail(c, at, NULL, "a tuple of more than %d items", TUPLE_MAX);
    if (!checker_spend(c, at, n)) return false;
    Val *all = NEWN(c->arena, Val, (size_t)n + 1);
    if (l->tuple.n) memcpy(all, l->tuple.at, (size_t)l->tuple.n * sizeof *all);
    if (r->tuple.n) memcpy(all + l->tuple.n, r->tuple.at, (size_t)r->tuple.n * sizeof *all);
    *out = val_tuple(all, n);
    return true;
}

static bool tuple_repeat(Checker *c, const Node *at, const Val *x, int64_t times, Val *out) {
    int64_t n = times > 0 && x->tuple.n ? times : 0;
    if (n > TUPLE_MAX || n * x->tuple.n > TUPLE_MAX)
        return checker_fail(c, at, NULL, "a tuple of more than %d items", TUPLE_MAX);
    *out = val_tuple(NULL, 0);
    for (int64_t i = 0; i < n; i++)
        if (!tuple_join(c, at, out, x, out)) return false;
    return true;
}

bool check_binary(Checker *c, const Node *at, Oper op, const Val *l, const Val *r, Val *out) {
    if (op == OPER_MATMUL)
        return checker_fail(c, at, "AttributeError", "'MatMult' object has no attribute '__name__'");
    if (val_is_tensor(l) || val_is_tensor(r)) return tensor_binary(c, at, op, l, r, out);
    if (l->kind == VAL_PY && r->kind == VAL_PY) {
        PyValue v;
        const char *why;
        if (!py_binary(c->arena, op, l->py, r->py, &v, &why)) return checker_fail(c, at, NULL, "%s", why);
        if (v.kind == PY_STR && !checker_text(c, at, v.s.len)) return false;
        *out = val_py(v);
        return true;
    }
    if (op == OPER_MUL && l->kind == VAL_TUPLE && val_is_py(r, PY_INT))
        return tuple_repeat(c, at, l, r->py.i, out);
    if (op == OPER_MUL && r->kind == VAL_TUPLE && val_is_py(l, PY_INT))
        return tuple_repeat(c, at, r, l->py.i, out);
    if (op == OPER_ADD && l->kind == VAL_TUPLE && r->kind == VAL_TUPLE) return tuple_join(c, at, l, r, out);
    return checker_fail(c, at, "TypeError", "unsupported operand type(s) for %s: '%s' and '%s'",
                        oper_text(op), val_class(l), val_class(r));
}

// ---- comparisons ----

static const InsnOp compare_insn[OPER_COUNT] = {
    [OPER_LT] = INSN_LT, [OPER_LE] = INSN_LE, [OPER_GT] = INSN_GT,
    [OPER_GE] = INSN_GE, [OPER_EQ] = INSN_EQ, [OPER_NE] = INSN_NE};

// A candidate that is different at one size says so in a comparison.
void check_note_compared(Checker *c, const Val *v) {
    int64_t x = 0;
    if (val_is_py(v, PY_INT))
        x = v->py.i;
    else if (val_is_tensor(v) && c->def[v->t.reg].constant && !dtype_is_float(v->t.type.elem))
        x = c->constant[c->def[v->t.reg].constant - 1].imm;
    for (int i = 0; i < c->compareds; i++)
        if (c->compared[i] == x) return;
    if (x > 1 && c->compareds < COMPARED_MAX) c->compared[c->compareds++] = x;
}

bool check_compare(Checker *c, const Node *at, Oper op, const Val *l, const Val *r, Val *out) {
    check_note_compared(c, l);
    check_note_compared(c, r);
    if (op == OPER_IS || op == OPER_ISNOT) {
        // Identity of small constants and of types is equality; a tensor is never None.
        bool same = val_same(l, r);
        *out = val_bool(op == OPER_IS ? same : !same);
        return true;
    }
    if (op == OPER_IN || op == OPER_NOTIN)
        return checker_fail(c, at, "AttributeError", "'%s' object has no attribute '__name__'",
                            op == OPER_IN ? "In" : "NotIn");
    if (val_is_tensor(l) || val_is_tensor(r)) {
        Val a, b; // real tensors: a number is not weak here
        if (!check_to_tensor(c, at, l, &a) || !check_to_tensor(c, at, r, &b) ||
            !check_promote(c, at, &a, &b, 0))
            return false;
        return check_binary_insn(c, at, compare_insn[op], &a, &b, out);
    }
    bool equality = op == OPER_EQ || op == OPER_NE, yes;
    if (l->kind == VAL_PY && r->kind == VAL_PY) {
        const char *why;
        if (!py_compare(c->arena, op, l->py, r->py, &yes, &why)) return checker_fail(c, at, NULL, "%s", why);
        *out = val_bool(yes);
        return true;
    }
    if (!equality)
        return checker_fail(c, at, "TypeError", "'%s' not supported between instances of '%s' and '%s'",
                            oper_text(op), val_class(l), val_class(r));
    *out = val_bool(val_same(l, r) == (op == OPER_EQ));
    return true;
}

// ---- unary, logic ----

static bool bool_tensor(Checker *c, const Node *at, const Val *v, Val *out) {
    Val t;
    if (!check_to_tensor(c, at, v, &t)) return false;
    const TileType *type = &t.t.type;
    if (!type->pointer && type->elem == DT_BOOL) return *out = t, true;
    return checker_fail(c, at, "ValueError", "Cannot bitcast data-type of size %d to data-type of size 1",
                        type->pointer ? 64 : dtype_bits(type->elem));
}

bool check_unary(Checker *c, const Node *at, Oper op, const Val *v, Val *out) {
    if (v->kind == VAL_PY) {
        PyValue p;
        const char *why;
        if (!py_unary(c->arena, op, v->py, &p, &why)) return checker_fail(c, at, NULL, "%s", why);
        *out = val_py(p);
        return true;
    }
    if (op == OPER_NOT && !val_is_tensor(v))
        return *out = val_bool(v->kind == VAL_TUPLE && v->tuple.n == 0), true;
    if (!val_is_tensor(v))
        return checker_fail(c, at, NULL, "AST unary operator '%s' is not (currently) implemented on type %s",
                            oper_method(op), val_class(v));
    const TileType *t = &v->t.type;
    Val b;
    switch (op) {
    case OPER_NEG: return negate(c, at, v, out);
    case OPER_POS:
        if (t->pointer)
            return checker_fail(c, at, "ValueError", "wrong type argument to unary plus (pointer<%s>)",
                                dtype_info[t->elem].triton);
        return *out = *v, true;
    case OPER_INVERT:
        if (!type_is_integer(t))
            return checker_fail(c, at, "ValueError", "wrong type argument to unary invert (%s)",
                                type_repr(c, &(TileType){.elem = t->elem, .pointer = t->pointer}));
        return checker_result(c, at, *t, insn(INSN_INVERT, -1, v->t.reg, -1, -1, 0), out);
    default:
        return bool_tensor(c, at, v, &b) &&
               checker_result(c, at, b.t.type, insn(INSN_INVERT, -1, b.t.reg, -1, -1, 0), out);
    }
}

bool check_logical(Checker *c, const Node *at, bool is_or, const Val *l, const Val *r, Val *out) {
    Val a = *l, b = *r;
    if (!check_promote(c, at, &a, &b, 0) || !bool_tensor(c, at, &a, &a) || !bool_tensor(c, at, &b, &b))
        return false;
    return check_binary_insn(c, at, is_or ? INSN_OR : INSN_AND, &a, &b, out);
}

bool check_truth(Checker *c, const Node *at, const Val *v, bool *out) {
    if (v->kind == VAL_PY && (v->py.kind == PY_NONE || v->py.kind == PY_BOOL || v->py.kind == PY_INT)) {
        *out = py_truth(v->py);
        return true;
    }
    return checker_fail(
        c, at, NULL,
        "`if` conditionals can only accept values of type {bool, int, NoneType}, not objects of type %s",
        v->kind == VAL_PY ? py_type_name(v->py.kind) : val_class(v));
}

bool check_bool_scalar(Checker *c, const Node *at, const Val *v, Val *out) {
    const TileType *t = &v->t.type;
    if (t->rank > 0)
        return checker_fail(c, at, NULL, "Boolean value of Tensor with more than one value is ambiguous");
    if (!t->pointer) return check_cast(c, at, v, DT_BOOL, out);
    // An address is never null here: every storage has its own tag.
    return checker_constant(c, at, DT_BOOL, (PyValue){.kind = PY_BOOL, .b = true}, out);
}
