// Runtime choices inside the function of tl.reduce and tl.associative_scan. That function speaks of two
// values and runs here on whole tiles at once, so that a condition differs from lane to lane: both arms run,
// and each name takes its value from the arm that its lane chose. What must not happen in a lane that did not
// choose an arm is kept away from it (checker_guarded()).
#include "tile/check/checker.h"

// test ? a : b, lane by lane, for values that Triton sees as scalars of one type.
static bool choose(Checker *c, const Node *at, const Val *test, const Val *a, const Val *b, Val *out) {
    if (val_same(a, b)) return *out = *a, true;
    if (a->kind == VAL_TUPLE) {
        if (!checker_spend(c, at, a->tuple.n)) return false;
        Val *item = NEWN(c->arena, Val, (size_t)a->tuple.n + 1);
        for (int i = 0; i < a->tuple.n; i++)
            if (!choose(c, at, test, &a->tuple.at[i], &b->tuple.at[i], &item[i])) return false;
        return *out = val_tuple(item, a->tuple.n), true;
    }
    Val x = *a, y = *b, t = *test;
    if (!check_broadcast(c, at, &x, &y) || !check_broadcast(c, at, &t, &x) ||
        !check_broadcast(c, at, &t, &y) || !check_broadcast(c, at, &x, &y))
        return false;
    Val both = {.kind = VAL_TENSOR, .t = {check_joint_type(&x, &y), -1}};
    TileType type = check_joint_type(&both, &t);
    return checker_result(c, at, type, insn(INSN_WHERE, -1, t.t.reg, x.t.reg, y.t.reg, 0), out);
}

// The same type, a tile counting as the scalar that it stands for.
static bool alike(const Val *a, const Val *b) {
    if (a->kind != b->kind) return false;
    if (a->kind == VAL_TENSOR)
        return a->t.type.elem == b->t.type.elem && a->t.type.pointer == b->t.type.pointer;
    if (a->kind != VAL_TUPLE) return val_same(a, b);
    if (a->tuple.n != b->tuple.n) return false;
    for (int i = 0; i < a->tuple.n; i++)
        if (!alike(&a->tuple.at[i], &b->tuple.at[i])) return false;
    return true;
}
const char *check_lifted_text(Checker *c, const Val *v) {
    if (v->kind != VAL_TENSOR) return val_type_text(c, v);
    return type_text(c, &(TileType){.elem = v->t.type.elem, .pointer = v->t.type.pointer});
}

// One arm under its condition.
static bool visit(Checker *c, const Node *n, const Scope *before, Nodes body, const Val *test, Arm *out) {
    const Val *outer = c->guard;
    Val guard = *test;
    if (outer && !check_binary(c, n, OPER_BITAND, outer, test, &guard)) return false;
    c->frame->scope = scope_copy(c, before);
    c->frame->dead = false;
    c->guard = &guard;
    bool ok = check_block(c, body);
    c->guard = outer;
    *out = (Arm){c->frame->scope, c->frame->dead};
    return ok;
}

// What follows is for the lanes that have not returned.
static bool guard_rest(Checker *c, const Node *n) {
    Val rest, *guard = NEW(c->arena, Val);
    if (!check_unary(c, n, OPER_NOT, &c->frame->gone, &rest)) return false;
    *guard = rest;
    if (c->guard && !check_binary(c, n, OPER_BITAND, c->guard, &rest, guard)) return false;
    return c->guard = guard, true;
}

// The lanes that are here take this value with them. Those that have returned are not here: the guard tells.
bool check_lifted_return(Checker *c, const Node *n, const Val *v) {
    Frame *f = c->frame;
    bool all = c->guard == f->entered;
    if (f->returned && !alike(&f->result, v))
        return checker_fail(c, n, "TypeError", "Inconsistent return types: %s and %s",
                            check_lifted_text(c, &f->result), check_lifted_text(c, v));
    f->lifted_returns++;
    if (f->all_gone) return true; // a constexpr condition has decided before
    if (!f->returned)
        f->result = *v;
    else if (!all && !choose(c, n, c->guard, v, &f->result, &f->result))
        return false;
    if (all)
        f->all_gone = true;
    else if (!f->returned)
        f->gone = *c->guard;
    else if (!check_binary(c, n, OPER_BITOR, &f->gone, c->guard, &f->gone))
        return false;
    return f->returned = true;
}

bool check_lifted_if(Checker *c, const Node *n, const Val *cond) {
    Val test, not_test;
    Frame *f = c->frame;
    Scope before = f->scope;
    Arm then, otherwise = {before, false};
    bool was_dead = f->dead;
    int returns = f->lifted_returns;
    if (!check_cast(c, n->branch.cond, cond, DT_BOOL, &test) ||
        !check_unary(c, n->branch.cond, OPER_NOT, &test, &not_test) ||
        !visit(c, n, &before, n->branch.then, &test, &then))
        return false;
    if (n->branch.otherwise.n && !visit(c, n, &before, n->branch.otherwise, &not_test, &otherwise))
        return false;
    f->dead = was_dead || (then.dead && otherwise.dead);
    f->scope = scope_copy(c, &before);
    for (int i = 0; i < then.scope.n; i++) { // what only one arm has assigned does not exist afterwards
        const Local *t = &then.scope.at[i], *o = scope_local(&otherwise.scope, t->name);
        Val merged;
        if (!checker_spend(c, n, 1 + then.scope.n / 64)) return false;
        if (!o) continue;
        if (!alike(&t->value, &o->value))
            return checker_fail(c, n, "AssertionError",
                                "Mismatched type for %.*s between then block (%s) and else block (%s)",
                                STR_ARG(t->name), check_lifted_text(c, &t->value),
                                check_lifted_text(c, &o->value));
        if (!choose(c, n, &test, &t->value, &o->value, &merged) || !scope_set(c, n, t->name, &merged))
            return false;
    }
    return f->lifted_returns == returns || f->all_gone || guard_rest(c, n);
}

bool check_lifted_ifexp(Checker *c, const Node *n, const Val *cond, Val *out) {
    Val test, then, otherwise;
    check_note(c, node_part_place(n, n->ifexp.then)); // both are computed
    check_note(c, node_part_place(n, n->ifexp.otherwise));
    if (!check_cast(c, n->ifexp.cond, cond, DT_BOOL, &test) || !check_expr(c, n->ifexp.then, &then) ||
        !check_expr(c, n->ifexp.otherwise, &otherwise) || !check_to_tensor(c, n->ifexp.then, &then, &then) ||
        !check_to_tensor(c, n->ifexp.otherwise, &otherwise, &otherwise))
        return false;
    if (!alike(&then, &otherwise))
        return checker_fail(c, n, "AssertionError",
                            "Ternary expression with dynamic condition has inconsistent types %s and %s",
                            check_lifted_text(c, &then), check_lifted_text(c, &otherwise));
    return choose(c, n, &test, &then, &otherwise, out);
}

// Divisors and shifts of lanes that are not there become harmless ones.
bool checker_guarded(Checker *c, const Node *at, InsnOp op, const Val *l, const Val *r, Val *out) {
    bool divides = op == INSN_IDIV || op == INSN_MOD, shifts = op == INSN_SHL || op == INSN_SHR;
    *out = *r;
    if (!c->guard || (!divides && !shifts) || dtype_is_float(l->t.type.elem)) return true;
    Val harmless;
    return checker_constant(c, at, r->t.type.elem, (PyValue){.kind = PY_INT, .i = divides}, &harmless) &&
           choose(c, at, c->guard, r, &harmless, out);
}
