// `if N > 70000: raise ...` narrows what can matter.
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
