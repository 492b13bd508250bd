// Statements; and looking again and again, until nothing new is found.
#include "host/varies/varies.h"

#include "host/varies/inside.h"
#include "tile/check/check.h"

static void block(Varies *v, const Scope *scope, const Nodes *body, uint8_t how);

static Fact under(Fact f, uint8_t how) { return f.how |= how, f; }

static void assign_all(Varies *v, const Scope *scope, const Node *s, uint8_t how) {
    const Node *from = s->assign.value;
    Fact f = varies_eval(v, scope, from);
    for (int i = 0; i < s->assign.targets.n; i++) {
        const Node *to = s->assign.targets.at[i];
        bool pairs = to->kind == NODE_TUPLE && from->kind == NODE_TUPLE && to->items.n == from->items.n;
        for (int k = 0; pairs && k < to->items.n; k++)
            pairs = to->items.at[k]->kind != NODE_STARRED && from->items.at[k]->kind != NODE_STARRED;
        for (int k = 0; pairs && k < to->items.n; k++)
            varies_assign(v, scope, to->items.at[k], under(varies_eval(v, scope, from->items.at[k]), how));
        if (!pairs) varies_assign(v, scope, to, under(f, how));
    }
}

static void define(Varies *v, const Scope *scope, const Node *s, bool method) {
    block(v, varies_callable(v, s, scope, method), &s->function.body, 0);
}

static void statement(Varies *v, const Scope *scope, const Node *s, uint8_t how) {
    uint8_t more = 0;
    switch (s->kind) {
    case NODE_EXPRSTMT: (void)varies_eval(v, scope, s->value); break;
    case NODE_ASSIGN: assign_all(v, scope, s, how); break;
    case NODE_ANNASSIGN:
        if (s->annassign.value)
            varies_assign(v, scope, s->annassign.target,
                          under(varies_eval(v, scope, s->annassign.value), how));
        break;
    case NODE_AUGASSIGN: {
        Fact f = fact_binary(s->augassign.op, varies_eval(v, scope, s->augassign.target),
                             varies_eval(v, scope, s->augassign.value));
        varies_assign(v, scope, s->augassign.target, under(f, how));
        break;
    }
    case NODE_RETURN:
        if (scope)
            varies_result_add(v, scope->node,
                              under(s->value ? varies_eval(v, scope, s->value) : fact_other(0), how));
        break;
    case NODE_IF: {
        Truth t = varies_truth(v, scope, s->branch.cond, &more);
        if (t == TRUTH_UNKNOWN) how |= varies_control(more);
        if (t != TRUTH_NEVER) block(v, scope, &s->branch.then, how);
        if (t != TRUTH_ALWAYS) block(v, scope, &s->branch.otherwise, how);
        break;
    }
    case NODE_WHILE:
        (void)varies_truth(v, scope, s->whileloop.cond, &more);
        block(v, scope, &s->whileloop.body, how | varies_control(more));
        block(v, scope, &s->whileloop.otherwise, how | varies_control(more));
        break;
    case NODE_FOR: {
        Fact over = varies_eval(v, scope, s->loop.iter);
        how |= varies_control(over.how);
        varies_assign(v, scope, s->loop.target, under(fact_item(over), how));
        block(v, scope, &s->loop.body, how);
        block(v, scope, &s->loop.otherwise, how);
        break;
    }
    case NODE_WITH: block(v, scope, &s->with.body, how); break;
    case NODE_TRY:
        block(v, scope, &s->attempt.body, how);
        for (int i = 0; i < s->attempt.handlers.n; i++)
            block(v, scope, &s->attempt.handlers.at[i]->handler.body, how);
        block(v, scope, &s->attempt.otherwise, how);
        block(v, scope, &s->attempt.final, how);
        break;
    case NODE_FUNCTION: define(v, scope, s, false); break;
    case NODE_CLASS:
        for (int i = 0; i < s->klass.body.n; i++) {
            const Node *n = s->klass.body.at[i];
            if (n->kind == NODE_FUNCTION)
                define(v, scope, n, true);
            else if (n->kind == NODE_ASSIGN && n->assign.targets.at[0]->kind == NODE_NAME)
                var_add(v, &varies_members, n->assign.targets.at[0]->name,
                        varies_eval(v, scope, n->assign.value));
        }
        break;
    default: break;
    }
}

static void block(Varies *v, const Scope *scope, const Nodes *body, uint8_t how) {
    for (int i = 0; i < body->n; i++) statement(v, scope, body->at[i], how);
}

// Functions may be called before their text comes.
static void declare(Varies *v, const Scope *scope, const Nodes *body) {
    for (int i = 0; i < body->n; i++) {
        const Node *s = body->at[i];
        if (s->kind == NODE_FUNCTION) {
            declare(v, varies_callable(v, s, scope, false), &s->function.body);
            varies_guards(v, s);
        }
        for (int k = 0; s->kind == NODE_CLASS && k < s->klass.body.n; k++) {
            const Node *f = s->klass.body.at[k];
            if (f->kind == NODE_FUNCTION) declare(v, varies_callable(v, f, scope, true), &f->function.body);
        }
        if (s->kind != NODE_IF) continue;
        declare(v, scope, &s->branch.then);
        declare(v, scope, &s->branch.otherwise);
    }
}

// run(*inputs), or the methods of ModelNew: the first parameters are the inputs, others have their defaults.
static void enter(Varies *v) {
    Given g = {
        .keywords = &(Nodes){0}, .arg = NEWN(v->arena, Fact, (size_t)v->inputs + 1), .args = v->inputs};
    for (int i = 0; i < v->inputs; i++) g.arg[i] = fact_other(FACT_VARIES | FACT_DTYPE);
    Fact f, size = fact_number(FACT_VARIES, 1, FACT_ELEMENTS - 1);
    if (varies_call_named(v, STR("run"), false, &g, &f)) return;
    (void)(varies_call_named(v, STR("forward"), true, &g, &f) ||
           varies_call_named(v, STR("__call__"), true, &g, &f));
    g.args = 1; // the length of a row
    g.arg = &size;
    (void)varies_call_named(v, STR("__init__"), true, &g, &f);
}

Varies *varies_new(Arena *a, const Node *module, int inputs) {
    Varies *v = NEW(a, Varies);
    *v = (Varies){.arena = a, .inputs = inputs, .cap = 2 * VARS_MAX};
    v->var = NEWN(a, Var, (size_t)v->cap);
    declare(v, NULL, &module->module.body);
    v->changed = true;
    for (int pass = 0; v->changed && !v->full; pass++) {
        if (pass == PASSES_MAX) return NULL;
        v->changed = false;
        block(v, NULL, &module->module.body, 0);
        enter(v);
    }
    return v->full ? NULL : v;
}

bool varies_may(Varies *v, const Scope *scope, const Node *cond, bool side) {
    uint8_t how = 0;
    if (!v) return true;
    Truth t = varies_truth(v, scope, cond, &how);
    if (t == (side ? TRUTH_NEVER : TRUTH_ALWAYS)) return false;
    return v->full || (how & FACT_VARIES);
}

bool varies_loops(Varies *v, const Scope *scope, const Node *iter) {
    return !v || v->full || (varies_eval(v, scope, iter).how & FACT_VARIES);
}

bool varies_callee(const Varies *v) { return !v || v->full || v->callee; }
