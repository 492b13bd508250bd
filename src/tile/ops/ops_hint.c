// Rows of op.def: hints, messages, and what has no effect.
#include "tile/check/checker.h"

// ---- hints ----
//
// What multiple_of, max_contiguous and max_constancy say decides which accesses become wide ones, so it has
// to hold. Most of it can be seen in the code (`pid * BLOCK + tl.arange(0, BLOCK)`); the rest is checked in
// every program: of a number at once, of a tile lane by lane (hint.c).

static const Insn *made_by(const Checker *c, int reg) {
    const Definition *def = &c->def[reg];
    return def->shared || def->insn < 0 ? NULL : &c->insn[def->insn];
}
static bool is_number(const Checker *c, int reg) {
    const TileType *t = &c->reg[reg].type;
    return t->rank == 0 && !t->pointer && (t->elem == DT_I32 || t->elem == DT_I64);
}

// Surely a multiple, wrapping included: `of` is a power of two.
static bool surely_multiple(const Checker *c, int reg, int64_t of) {
    if (!is_number(c, reg)) return false;
    int constant = c->def[reg].constant;
    if (constant) return c->constant[constant - 1].imm % of == 0;
    const Insn *i = made_by(c, reg);
    if (!i) return false;
    if (i->op == INSN_CAST) return surely_multiple(c, i->a, of);
    if (i->op == INSN_MUL) return surely_multiple(c, i->a, of) || surely_multiple(c, i->b, of);
    return (i->op == INSN_ADD || i->op == INSN_SUB) && surely_multiple(c, i->a, of) &&
           surely_multiple(c, i->b, of);
}

typedef struct {
    int64_t start;
    int number[8]; // what is added to all lanes
    int n;
} Consecutive;

// An arange and numbers added to it: its lanes are consecutive, whatever the numbers are.
static bool is_consecutive(const Checker *c, int reg, Consecutive *out) {
    const TileType *t = &c->reg[reg].type;
    const Insn *i = made_by(c, reg);
    if (!i || t->rank != 1 || t->pointer || (t->elem != DT_I32 && t->elem != DT_I64)) return false;
    if (i->op == INSN_ARANGE) return out->start = i->imm, true;
    if (i->op == INSN_CAST) return is_consecutive(c, i->a, out);
    if (i->op != INSN_ADD) return false;
    int number = is_number(c, i->b) ? i->b : i->a, tile = number == i->b ? i->a : i->b;
    if (!is_number(c, number) || out->n == (int)(sizeof out->number / sizeof *out->number)) return false;
    out->number[out->n++] = number;
    return is_consecutive(c, tile, out);
}

static bool hint_multiple(Call *k, const Val *x, int64_t of) {
    Checker *c = k->c;
    Val step, rest, zero, holds;
    DType elem = x->t.type.elem;
    return checker_constant(c, k->at, elem, (PyValue){.kind = PY_INT, .i = of}, &step) &&
           checker_constant(c, k->at, elem, (PyValue){.kind = PY_INT, .i = 0}, &zero) &&
           check_binary_insn(c, k->at, INSN_MOD, x, &step, &rest) &&
           check_binary_insn(c, k->at, INSN_EQ, &rest, &zero, &holds) &&
           checker_emit(c, k->at, insn(INSN_ASSUME, -1, holds.t.reg, -1, -1, of));
}

// *seen: nothing is left to check lane by lane.
static bool hint_start(Call *k, const Consecutive *x, int64_t of, bool *seen) {
    int open = -1;
    *seen = (of & (of - 1)) == 0 && x->start % of == 0;
    for (int i = 0; i < x->n && *seen; i++) {
        if (surely_multiple(k->c, x->number[i], of)) continue;
        *seen = open < 0;
        open = x->number[i];
    }
    if (!*seen || open < 0) return true;
    Val number = val_tensor(k->c, open);
    return hint_multiple(k, &number, of);
}

static bool hint_axis(Call *k, HintKind kind, int axis, int64_t value, Val *v) {
    Checker *c = k->c;
    const TileType *t = &v->t.type;
    Consecutive lanes = {0};
    if (value < 2 || value > INT32_MAX) return true;
    if (t->rank > 0 && t->shape[axis] == 1 && kind != HINT_MULTIPLE) return true;
    if (t->rank == 0 && !t->pointer) return hint_multiple(k, v, value);
    if (kind != HINT_CONSTANT && is_consecutive(c, v->t.reg, &lanes)) {
        bool seen = kind == HINT_CONSECUTIVE;
        if (!seen && !hint_start(k, &lanes, value, &seen)) return false;
        if (seen) return true;
    }
    return checker_result(c, k->at, *t, insn(INSN_HINT, -1, v->t.reg, -1, -1, hint_imm(kind, axis, value)),
                          v);
}

// One constexpr integer for each axis, or a single one. A scalar takes one from multiple_of and none from the
// others.
bool check_multiple_of(Call *k, Val *out) {
    const Val *v = &k->arg[0], list = k->arg[1].kind == VAL_TUPLE ? k->arg[1] : val_tuple(&k->arg[1], 1);
    for (int i = 0; i < list.tuple.n; i++) {
        const Val *d = &list.tuple.at[i];
        if (d->kind != VAL_PY)
            return checker_fail(k->c, k->at, "TypeError", "values element %d must have type `constexpr`", i);
        if (d->py.kind != PY_INT && d->py.kind != PY_BOOL)
            return checker_fail(
                k->c, k->at, "TypeError",
                "values element %d must have type `constexpr[int]`, got `constexpr[<class '%s'>]", i,
                py_type_name(d->py.kind));
    }
    if (!val_is_tensor(v))
        return checker_fail(k->c, k->at, "AttributeError", "'%s' object has no attribute 'shape'",
                            val_class(v));
    int rank = v->t.type.rank > 0 || !str_is(k->name, "multiple_of") ? v->t.type.rank : 1;
    if (list.tuple.n != rank)
        return checker_fail(k->c, k->at, "ValueError",
                            "Shape of input to %.*s does not match the length of values", STR_ARG(k->name));
    HintKind kind = str_is(k->name, "multiple_of")      ? HINT_MULTIPLE
                    : str_is(k->name, "max_contiguous") ? HINT_CONSECUTIVE
                                                        : HINT_CONSTANT;
    *out = *v;
    const TileType *t = &v->t.type;
    if (!t->pointer && (dtype_is_float(t->elem) || t->elem == DT_BOOL)) return true;
    for (int i = 0; i < list.tuple.n; i++) {
        const PyValue *x = &list.tuple.at[i].py;
        if (!hint_axis(k, kind, i, x->kind == PY_BOOL ? x->b : x->i, out)) return false;
    }
    return true;
}
static bool no_effect(Val *out) { return *out = val_none(), true; }
// A hint to the compiler; one about a scalar is checked in every program that makes it.
bool check_assume(Call *k, Val *out) {
    const Val *v = &k->arg[0];
    bool scalar = val_is_tensor(v) && v->t.type.rank == 0 && !v->t.type.pointer && v->t.type.elem == DT_BOOL;
    if (scalar && !checker_emit(k->c, k->at, insn(INSN_ASSUME, -1, v->t.reg, -1, -1, 0))) return false;
    return no_effect(out);
}
bool check_debug_barrier(Call *k, Val *out) {
    return checker_emit(k->c, k->at, insn(INSN_BARRIER, -1, -1, -1, -1, 0)) && no_effect(out);
}
bool check_device_print(Call *k, Val *out) { return (void)k, no_effect(out); }
bool check_device_assert(Call *k, Val *out) { return (void)k, no_effect(out); }
bool check_static_print(Call *k, Val *out) { return (void)k, no_effect(out); }

// What kernels may ask about the target.
bool check_is_cuda(Call *k, Val *out) { return (void)k, *out = val_bool(true), true; }
bool check_is_hip(Call *k, Val *out) { return (void)k, *out = val_bool(false), true; }
bool check_capability(Call *k, Val *out) {
    const Val *major = &k->arg[0], *minor = &k->arg[1];
    if (!val_is_py(major, PY_INT) || !val_is_py(minor, PY_INT))
        return checker_fail(k->c, k->at, "TypeError", "a compute capability is two constexpr integers");
    return *out = val_bool(major->py.i < 9 || (major->py.i == 9 && minor->py.i <= 0)), true;
}

bool check_static_assert(Call *k, Val *out) {
    const Val *cond = &k->arg[0], *msg = &k->arg[1];
    if (!val_is_py(cond, PY_BOOL))
        return checker_fail(
            k->c, k->at, "NotImplementedError",
            "Assertion condition could not be determined at compile-time. Make sure that it depends only on "
            "`constexpr` values");
    if (cond->py.b) return no_effect(out);
    k->c->asserted = !k->c->frame->caller; // a helper's failure is another exception at its call
    return checker_fail(k->c, k->at, "CompileTimeAssertionFailure", "%s", val_text(k->c, msg));
}
