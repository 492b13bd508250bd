// Statements, apart from loops.
#include "tile/check/checker.h"

// ---- copies ----

bool check_copy(Checker *c, const Node *at, const Val *v, Val *out) {
    if (v->kind == VAL_TENSOR) {
        int d = checker_register(c, at, v->t.type);
        if (d < 0 || !checker_emit(c, at, insn(INSN_COPY, d, v->t.reg, -1, -1, 0))) return false;
        c->def[d].shared = true;
        return *out = val_tensor(c, d), true;
    }
    *out = *v;
    if (!val_has_items(v) || !v->tuple.n) return true;
    if (!checker_spend(c, at, v->tuple.n)) return false;
    Val *at_ = NEWN(c->arena, Val, (size_t)v->tuple.n);
    for (int i = 0; i < v->tuple.n; i++)
        if (!check_copy(c, at, &v->tuple.at[i], &at_[i])) return false;
    out->tuple.at = at_;
    return true;
}

// `to` came from check_copy(); the types are the same.
bool check_store_into(Checker *c, const Node *at, const Val *to, const Val *from) {
    if (to->kind == VAL_TENSOR)
        return to->t.reg == from->t.reg ||
               checker_emit(c, at, insn(INSN_COPY, to->t.reg, from->t.reg, -1, -1, 0));
    if (!val_has_items(to)) return true;
    for (int i = 0; i < to->tuple.n; i++)
        if (!check_store_into(c, at, &to->tuple.at[i], &from->tuple.at[i])) return false;
    return true;
}

static bool same_block(const Block *a, const Block *b) {
    if (!a || !b) return a == b;
    return type_same(&a->tile, &b->tile) && a->descriptor == b->descriptor && a->nan == b->nan;
}
bool val_same_type(const Val *a, const Val *b) {
    if (a->kind != b->kind) return false;
    if (a->kind == VAL_TENSOR) return type_same(&a->t.type, &b->t.type);
    if (!val_has_items(a)) return val_same(a, b);
    if (a->tuple.n != b->tuple.n || !same_block(a->tuple.block, b->tuple.block)) return false;
    for (int i = 0; i < a->tuple.n; i++)
        if (!val_same_type(&a->tuple.at[i], &b->tuple.at[i])) return false;
    return true;
}

// ---- assignment ----

bool check_decay(Checker *c, const Node *at, const Val *v, Val *out) {
    *out = *v;
    switch (v->kind) {
    case VAL_PY: return val_is_none(v) || check_to_tensor(c, at, v, out);
    case VAL_TENSOR:
    case VAL_BLOCK: return true;
    case VAL_TYPE: return out->wrapped = false, true; // Triton takes the constexpr off
    case VAL_TUPLE: {
        if (!checker_spend(c, at, v->tuple.n)) return false;
        Val *item = NEWN(c->arena, Val, (size_t)v->tuple.n + 1);
        for (int i = 0; i < v->tuple.n; i++)
            if (!check_decay(c, at, &v->tuple.at[i], &item[i])) return false;
        out->tuple.at = item;
        return true;
    }
    default: return check_to_tensor(c, at, v, out); // says why not
    }
}

bool check_assign(Checker *c, const Node *target, const Val *v) {
    switch (target->kind) {
    case NODE_NAME: return scope_set(c, target, target->name, v);
    case NODE_SUBSCRIPT:
        return checker_fail(c, target, "NotImplementedError", "__setitem__ is not supported in triton");
    case NODE_ATTRIBUTE:
        return checker_fail(c, target, "NotImplementedError",
                            "Attribute assignment is not supported in triton");
    case NODE_TUPLE:
    case NODE_LIST:
        if (v->kind != VAL_TUPLE)
            return checker_fail(c, target, "AttributeError", "'%s' object has no attribute 'values'",
                                val_class(v));
        if (v->tuple.n != target->items.n)
            return checker_fail(c, target, "ValueError", "cannot unpack %d values into %d names", v->tuple.n,
                                target->items.n);
        for (int i = 0; i < v->tuple.n; i++) {
            const Node *item = target->items.at[i];
            if (item->kind == NODE_TUPLE || item->kind == NODE_LIST) // as Triton says it
                return checker_fail(c, item, "TypeError", "unhashable type: 'list'");
            if (!check_assign(c, item, &v->tuple.at[i])) return false;
        }
        return true;
    default: return checker_fail(c, target, NULL, "unsupported AST node type: %s", node_class(target));
    }
}

static bool assign(Checker *c, const Node *n) {
    if (n->assign.targets.n != 1)
        return checker_fail(c, n, NULL, "Simultaneous multiple assignment is not supported.");
    Val v, stored;
    const Node *target = n->assign.targets.at[0];
    if (target->kind == NODE_SUBSCRIPT) return check_assign(c, target, NULL);
    return check_expr(c, n->assign.value, &v) && check_decay(c, n->assign.value, &v, &stored) &&
           check_assign(c, target, &stored);
}

static bool augassign(Checker *c, const Node *n) {
    const Node *target = n->augassign.target;
    Val l, r, v, stored;
    if (target->kind != NODE_NAME) return check_expr(c, target, &l) && check_assign(c, target, NULL);
    return check_expr(c, target, &l) && check_expr(c, n->augassign.value, &r) &&
           check_binary(c, n, n->augassign.op, &l, &r, &v) && (check_note_combined(c, n, &v), true) &&
           check_decay(c, n, &v, &stored) && check_assign(c, target, &stored);
}

static bool annassign(Checker *c, const Node *n) {
    const Node *target = n->annassign.target;
    Val v, stored;
    if (!n->annassign.value)
        return checker_fail(c, n, NULL, "unsupported AST node type: annotation without a value");
    if (!check_annotation(c, n->annassign.annotation) || !check_expr(c, n->annassign.value, &v)) return false;
    bool text = n->annassign.annotation->kind == NODE_STRING; // which only parameters' are read for
    if (text || !annotation_is_constexpr(n->annassign.annotation))
        return check_decay(c, n, &v, &stored) && check_assign(c, target, &stored);
    if (target->kind != NODE_NAME) return check_assign(c, target, &v);
    if (scope_find(c, target->name))
        return checker_fail(c, n, "ValueError", "%.*s is already defined. constexpr cannot be reassigned.",
                            STR_ARG(target->name));
    if (val_is_tensor(&v))
        return checker_fail(c, n->annassign.value, "TypeError",
                            "a constexpr needs a value known at compile time, got %s", val_type_text(c, &v));
    v.wrapped |= v.kind == VAL_TYPE;
    return check_assign(c, target, &v);
}

// ---- return ----

static bool returns(Checker *c, const Node *n) {
    Frame *f = c->frame;
    if (f->loops)
        return checker_fail(c, n, NULL,
                            "Cannot have `return` statements inside `while` or `for` statements in triton.");
    Val v = val_none(), stored;
    if (n->value && !check_expr(c, n->value, &v)) return false;
    if (!check_decay(c, n, &v, &stored)) return false;
    f->dead = true;
    if (f->kernel) {
        if (!val_is_none(&stored)) return checker_fail(c, n, NULL, "a kernel cannot return a value");
        return checker_emit(c, n, insn(INSN_END, -1, -1, -1, -1, 0));
    }
    if (f->direct) return f->returned = true, f->result = stored, true;
    if (c->lifted) return check_lifted_return(c, n, &stored);
    if (!f->returned) {
        if (!check_copy(c, n, &stored, &f->result)) return false;
    } else if (!val_same_type(&f->result, &stored)) {
        return checker_fail(c, n, "TypeError", "Inconsistent return types: %s and %s",
                            val_type_text(c, &f->result), val_type_text(c, &stored));
    } else if (!check_store_into(c, n, &f->result, &stored)) {
        return false;
    }
    f->returned = true;
    if (f->exit_count == f->exit_cap) {
        int cap = f->exit_cap ? 2 * f->exit_cap : 8;
        f->exits = MORE(c->arena, int, f->exits, f->exit_count, cap);
        f->exit_cap = cap;
    }
    f->exits[f->exit_count++] = c->insns;
    return checker_emit(c, n, insn(INSN_JUMP, -1, -1, -1, -1, 0));
}

// ---- if ----

static bool visit_arm(Checker *c, const Scope *before, Nodes body, Arm *out) {
    c->frame->scope = scope_copy(c, before);
    c->frame->dead = false;
    for (int i = 0; i < c->frame->scope.n; i++) c->frame->scope.at[i].here = false;
    checker_region(c);
    if (!check_block(c, body)) return false;
    *out = (Arm){c->frame->scope, c->frame->dead};
    return true;
}

// Names that both arms leave with one type and different values, in a scope of their own.
static bool join_arms(Checker *c, const Node *n, const Scope *before, const Arm *then, const Arm *otherwise,
                      Scope *joined) {
    bool has_else = n->branch.otherwise.n > 0;
    *joined = (Scope){NEWN(c->arena, Local, (size_t)then->scope.n + 1), 0, then->scope.n + 1};
    for (int i = 0; i < then->scope.n; i++) {
        const Local *t = &then->scope.at[i], *o = scope_local(&otherwise->scope, t->name),
                    *b = scope_local(before, t->name);
        if (!checker_spend(c, n, 1 + then->scope.n / 64)) return false;
        bool live = b && (b->value.kind == VAL_TENSOR || val_has_items(&b->value) ||
                          (b->value.kind == VAL_PY && !val_is_none(&b->value)));
        if (!o || val_same(&t->value, &o->value)) continue;
        if (live) {
            const Local *bad = !val_same_type(&t->value, &b->value)   ? t
                               : !val_same_type(&o->value, &b->value) ? o
                                                                      : NULL;
            if (bad)
                return checker_fail(
                    c, n, "AssertionError",
                    "initial value for `%.*s` is of type %s, but the %s block redefines it as %s",
                    STR_ARG(t->name), val_text(c, &b->value), bad == t ? "then" : "else",
                    val_text(c, &bad->value));
        } else if (!t->here || !has_else || !o->here) {
            continue;
        } else if (!val_same_type(&t->value, &o->value)) {
            return checker_fail(c, n, "AssertionError",
                                "Mismatched type for %.*s between then block (%s) and else block (%s)",
                                STR_ARG(t->name), val_type_text(c, &t->value), val_type_text(c, &o->value));
        }
        joined->at[joined->n++] = *t;
    }
    return true;
}

// Code: test, then arm, else arm, the else arm's copies into the joined registers, and behind them the then
// arm's: which names join is known only after both arms.
static bool runtime_if(Checker *c, const Node *n, const Val *cond) {
    Val test;
    Frame *f = c->frame;
    Scope before = f->scope;
    bool was_dead = f->dead;
    if (!check_bool_scalar(c, n->branch.cond, cond, &test)) return false;
    int region = c->region, jump = c->insns, lifted = f->lifted_returns;
    if (!checker_emit(c, n, insn(INSN_JUMPNOT, -1, test.t.reg, -1, -1, 0))) return false;
    Arm then, otherwise = {before, false};
    if (!visit_arm(c, &before, n->branch.then, &then)) return false;
    int skip = c->insns;
    if (!checker_emit(c, n, insn(INSN_JUMP, -1, -1, -1, -1, 0))) return false;
    c->insn[jump].imm = c->insns;
    if (n->branch.otherwise.n && !visit_arm(c, &before, n->branch.otherwise, &otherwise)) return false;
    if (f->lifted_returns != lifted)
        return checker_unsupported(
            c, n, "a return under a condition that the values do not decide which a function combines");
    Scope joined;
    f->scope = before;
    if (!join_arms(c, n, &before, &then, &otherwise, &joined)) return false;
    checker_region(c);
    for (int i = 0; i < joined.n; i++) {
        Val merged;
        if (!check_copy(c, n, &scope_local(&otherwise.scope, joined.at[i].name)->value, &merged))
            return false;
        if (!scope_set(c, n, joined.at[i].name, &merged)) return false;
    }
    int end = c->insns;
    if (joined.n && !checker_emit(c, n, insn(INSN_JUMP, -1, -1, -1, -1, 0))) return false;
    c->insn[skip].imm = c->insns;
    for (int i = 0; i < joined.n; i++)
        if (!check_store_into(c, n, scope_find(c, joined.at[i].name), &joined.at[i].value)) return false;
    if (joined.n) c->insn[end].imm = c->insns;
    checker_region_end(c, region);
    if (then.dead != otherwise.dead) checker_region(c); // an early return: what follows does not always run
    f->dead = was_dead || (then.dead && otherwise.dead);
    return true;
}

static bool branch(Checker *c, const Node *n) {
    Val cond;
    if (!check_expr(c, n->branch.cond, &cond)) return false;
    if (val_is_tensor(&cond) && c->lifted && cond.t.type.rank) return check_lifted_if(c, n, &cond);
    if (val_is_tensor(&cond)) return runtime_if(c, n, &cond);
    bool yes;
    return check_truth(c, n->branch.cond, &cond, &yes) &&
           check_block(c, yes ? n->branch.then : n->branch.otherwise);
}

// ---- the rest ----

static bool statement(Checker *c, const Node *n) {
    Val v;
    switch (n->kind) {
    case NODE_PASS: return true;
    case NODE_EXPRSTMT: return check_expr(c, n->value, &v);
    case NODE_ASSIGN: return assign(c, n);
    case NODE_AUGASSIGN: return augassign(c, n);
    case NODE_ANNASSIGN: return annassign(c, n);
    case NODE_RETURN: return returns(c, n);
    case NODE_IF: return branch(c, n);
    case NODE_FOR: return check_for(c, n);
    case NODE_WHILE: return check_while(c, n);
    case NODE_ASSERT: // device_assert: no effect, but its parts are checked
        return check_expr(c, n->assertion.cond, &v) &&
               (!n->assertion.message || check_expr(c, n->assertion.message, &v));
    case NODE_FUNCTION: return checker_fail(c, n, NULL, "nested function definition is not supported.");
    case NODE_WITH: return checker_unsupported(c, n, "`with` inside a kernel");
    default: return checker_fail(c, n, NULL, "unsupported AST node type: %s", node_class(n));
    }
}

// What gives no instruction of its own (a name for a number) ran where the instruction behind it did: an arm
// of an `if` that leaves anything behind ends in instructions of its own.
void check_note(Checker *c, uint32_t at) {
    if (!c->cover || c->foreign) return;
    cover_mark(c->cover, at, COVER_VISITED);
    if (c->statements == c->statement_cap) {
        c->statement_cap = c->statement_cap ? 2 * c->statement_cap : 64;
        c->statement = MORE(c->arena, CodeStatement, c->statement, c->statements, c->statement_cap);
    }
    c->statement[c->statements++] = (CodeStatement){.at = at, .first = c->insns, .place = -1};
}

bool check_block(Checker *c, Nodes body) {
    for (int i = 0; i < body.n; i++) {
        const Node *n = body.at[i];
        if (!checker_enter(c, n)) return false;
        check_note(c, n->span.at);
        bool ok = statement(c, n);
        checker_leave(c);
        if (!ok) return false;
        if (n->kind == NODE_RETURN) break; // the rest of this block is dead code, which Triton does not visit
    }
    return true;
}
