// `if N > 70000: raise ...` narrows what can matter; `if blocks <= 8:` what stands under it.
#include "host/policy/scope.h"
#include "host/varies/inside.h"

typedef struct {
    Arena *arena;
    Str name;
    int n; // times that it is bound; more than 1: not one value
} Binds;
static void binds_of(void *arg, const Node *n) {
    Binds *b = arg;
    if (n->kind == NODE_AUGASSIGN && n->augassign.target->kind == NODE_NAME)
        b->n += 2 * str_eq(n->augassign.target->name, b->name);
    if (n->kind == NODE_WALRUS) b->n += 2 * str_eq(n->walrus.name, b->name);
    if (n->kind == NODE_FOR || n->kind == NODE_COMPFOR || n->kind == NODE_ASSIGN ||
        n->kind == NODE_ANNASSIGN) {
        Names *names = NEW(b->arena, Names);
        *names = (Names){.arena = b->arena};
        if (n->kind == NODE_FOR) names_of_target(names, n->loop.target, 0);
        if (n->kind == NODE_COMPFOR) names_of_target(names, n->compfor.target, 0);
        if (n->kind == NODE_ANNASSIGN) names_of_target(names, n->annassign.target, 0);
        for (int i = 0; n->kind == NODE_ASSIGN && i < n->assign.targets.n; i++)
            names_of_target(names, n->assign.targets.at[i], 0);
        b->n += names_have(names, b->name);
    }
    node_each_child(n, binds_of, b); // a tree's height is bounded
}

// `if N > 70000: raise ...` that every call of a function comes to: with a larger one nothing matters, for
// the call ends in an exception. The name has to stand for one value.
static void guard(Varies *v, const Node *f, const Node *s) {
    const Node *c = s->branch.cond;
    if (s->branch.otherwise.n || s->branch.then.n == 0) return;
    if (s->branch.then.at[s->branch.then.n - 1]->kind != NODE_RAISE) return;
    for (int i = 0; i < s->branch.then.n; i++)
        if (node_returns(s->branch.then.at[i])) return;
    if (c->kind != NODE_COMPARE || c->compare.rest.n != 1 || c->compare.left->kind != NODE_NAME) return;
    const Node *limit = c->compare.rest.at[0];
    Oper op = c->compare.ops[0];
    if ((op != OPER_GT && op != OPER_GE) || limit->kind != NODE_INT || limit->integer.too_big ||
        limit->integer.value >= (uint64_t)FACT_ELEMENTS || limit->integer.value < 2)
        return;
    Binds b = {.name = c->compare.left->name, .arena = v->arena};
    for (int i = 0; i < f->function.params.n; i++)
        b.n += str_eq(f->function.params.at[i]->param.name, b.name);
    for (int i = 0; i < f->function.body.n; i++) binds_of(&b, f->function.body.at[i]);
    if (b.n != 1) return;
    var_add(v, f, b.name, (Fact){0});
    Var *var = var_slot(v, f, b.name);
    if (var->name.p) var->cap = (int64_t)limit->integer.value - (op == OPER_GE);
}

void varies_guards(Varies *v, const Node *f) {
    for (int i = 0; i < f->function.body.n; i++) {
        const Node *s = f->function.body.at[i];
        if (s->kind == NODE_IF) guard(v, f, s);
        if (node_returns(s)) return; // some calls do not come further
    }
}

static Oper opposite(Oper op) {
    switch (op) {
    case OPER_LT: return OPER_GE;
    case OPER_LE: return OPER_GT;
    case OPER_GT: return OPER_LE;
    case OPER_GE: return OPER_LT;
    case OPER_NE: return OPER_EQ;
    default: return OPER_NE;
    }
}

int varies_narrow(Varies *v, const Scope *scope, const Node *branch, bool side) {
    const Node *cond = branch->branch.cond;
    const Nodes *body = side ? &branch->branch.then : &branch->branch.otherwise;
    int was = v->narroweds;
    if (!v->inputs->unbounded || !scope || was == NARROWED_MAX || cond->kind != NODE_COMPARE ||
        cond->compare.rest.n != 1 || cond->compare.left->kind != NODE_NAME)
        return was;
    Str name = cond->compare.left->name;
    Names bound = {.arena = v->arena};
    names_of_block(&bound, body, 0);
    names_of_expr(&bound, cond, 0);
    if (!var_find(v, scope_key(scope), name)) return was; // nobody else writes to a function's own
    Fact r = varies_eval(v, scope, cond->compare.rest.at[0]);
    if (r.kind != FACT_NUMBER || (r.sure & SURE_REAL) || names_have(&bound, name)) return was;
    Narrowed *n = &v->narrowed[was];
    *n = (Narrowed){scope_key(scope), name, -FACT_FAR, FACT_FAR};
    Oper op = side ? cond->compare.ops[0] : opposite(cond->compare.ops[0]);
    if (op == OPER_LT || op == OPER_LE || op == OPER_EQ)
        n->hi = r.hi < FACT_FAR ? r.hi - (op == OPER_LT) : r.hi;
    if (op == OPER_GT || op == OPER_GE || op == OPER_EQ)
        n->lo = r.lo > -FACT_FAR ? r.lo + (op == OPER_GT) : r.lo;
    v->narroweds++;
    return was;
}

// A branch that no number comes to says nothing.
Fact varies_narrowed(const Varies *v, const Scope *scope, Str name, Fact f) {
    if (f.kind != FACT_NUMBER || (f.sure & SURE_REAL)) return f;
    for (int i = 0; i < v->narroweds; i++) {
        const Narrowed *n = &v->narrowed[i];
        if (n->scope != scope_key(scope) || !str_eq(n->name, name)) continue;
        int64_t lo = n->lo > f.lo ? n->lo : f.lo, hi = n->hi < f.hi ? n->hi : f.hi;
        if (lo <= hi) f.lo = lo, f.hi = hi;
    }
    return f;
}
