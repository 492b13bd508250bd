// Calls of functions and methods of the file: arguments reach parameters, results come back.
#include "host/varies/inside.h"

static Given given(Varies *v, const Scope *scope, const Node *call) {
    Given g = {.keywords = &call->call.keywords};
    g.arg = NEWN(v->arena, Fact, (size_t)call->call.args.n + 1);
    g.named = NEWN(v->arena, Fact, (size_t)g.keywords->n + 1);
    for (int i = 0; i < call->call.args.n; i++) {
        const Node *n = call->call.args.at[i];
        Fact f = varies_eval(v, scope, n);
        if (n->kind == NODE_STARRED || g.more)
            g.more = true, g.rest = fact_join(g.rest, fact_item(f));
        else
            g.arg[g.args++] = f;
    }
    for (int i = 0; i < g.keywords->n; i++) {
        const Node *k = g.keywords->at[i];
        g.named[i] = varies_eval(v, scope, k->keyword.value);
        if (!k->keyword.name.len) g.more = true, g.rest = fact_join(g.rest, fact_other(g.named[i].how));
    }
    return g;
}

uint8_t given_how(const Given *g) {
    uint8_t how = g->rest.how;
    for (int i = 0; i < g->args; i++) how |= g->arg[i].how;
    for (int i = 0; i < g->keywords->n; i++) how |= g->named[i].how;
    return how;
}

// What decorators hand to a kernel beside a launch's arguments.
static Fact decorated(Varies *v, const Callable *c) {
    const Nodes *d = &c->node->function.decorators;
    Fact f = fact_other(0);
    for (int i = 0; i < d->n && d->n > 1; i++) f.how |= varies_eval(v, c->scope, d->at[i]).how;
    return f;
}

static void bind(Varies *v, const Callable *c, const Given *g) {
    const Nodes *params = &c->node->function.params;
    int at = 0, first = c->method && !c->plain;
    for (int i = first; i < params->n; i++) {
        const Node *p = params->at[i];
        if (p->param.kind == PARAM_STAR || p->param.kind == PARAM_DOUBLESTAR) {
            if (p->param.name.len) var_add(v, c->node, p->param.name, fact_other(given_how(g)));
            continue;
        }
        bool found = p->param.kind == PARAM_PLAIN && at < g->args;
        Fact f = found ? g->arg[at++] : (Fact){0};
        for (int k = 0; k < g->keywords->n; k++)
            if (str_eq(g->keywords->at[k]->keyword.name, p->param.name))
                f = fact_join(f, g->named[k]), found = true;
        if (g->more) f = fact_join(f, g->rest);
        if (!found && p->param.def) f = fact_join(f, varies_eval(v, c->scope, p->param.def));
        if (!found && !p->param.def) f = fact_join(f, decorated(v, c));
        var_add(v, c->node, p->param.name, f);
    }
}

static void bind_any(Varies *v, const Callable *c) {
    const Nodes *params = &c->node->function.params;
    for (int i = c->method && !c->plain; i < params->n; i++)
        if (params->at[i]->param.name.len) var_add(v, c->node, params->at[i]->param.name, varies_any());
}

// Functions of that name: of the module's, or methods of any class.
bool varies_call_named(Varies *v, Str name, bool method, const Given *g, Fact *out) {
    bool any = false;
    for (int i = 0; i < v->callables; i++) {
        const Callable *c = &v->callable[i];
        if (c->method != method || !str_eq(c->node->function.name, name)) continue;
        bind(v, c, g);
        *out = any ? fact_join(*out, varies_result(v, c->node)) : varies_result(v, c->node);
        any = true;
    }
    return any;
}

// A function that is handed about: by whom it is called, and with what, nobody knows.
void varies_escapes(Varies *v, Str name) {
    for (int i = 0; i < v->callables; i++) {
        const Callable *c = &v->callable[i];
        if (!c->method && str_eq(c->node->function.name, name)) bind_any(v, c);
    }
}

static Fact eval_method(Varies *v, const Scope *scope, const Node *call, const Given *g) {
    const Node *func = call->call.func;
    Str name = func->attribute.name;
    Fact base = varies_eval(v, scope, func->attribute.value), f;
    if (varies_call_named(v, name, true, g, &f)) return f;
    if (varies_member(v, name, base, &f)) {
        if (str_is(name, "size") && call->call.args.n + call->call.keywords.n == 0) f.kind = FACT_NUMBERS;
        return f;
    }
    // Of an autograd.Function: forward(ctx, ...).
    if (str_is(name, "apply") && varies_call_named(v, STR("forward"), true, g, &f)) return f;
    const Var *kept = var_find(v, &varies_members, name);
    f = kept ? fact_other(given_how(g) | kept->fact.how | FACT_EMPTY) : varies_known_call(call, name, g);
    f.how |= base.how & (uint8_t)~FACT_NONE;
    v->callee |= kept && (kept->fact.how & FACT_VARIES);
    // A look-up in a table finds something or not.
    if (str_is(name, "get") && (given_how(g) & FACT_VARIES)) f.how |= FACT_NONE;
    return f;
}

Fact varies_call(Varies *v, const Scope *scope, const Node *n) {
    const Node *func = n->call.func;
    Given g = given(v, scope, n);
    Fact f;
    if (func->kind == NODE_SUBSCRIPT && func->subscript.value->kind == NODE_NAME &&
        varies_is_function(v, func->subscript.value->name)) {
        (void)varies_eval(v, scope, func->subscript.index);
        if (varies_call_named(v, func->subscript.value->name, false, &g, &f)) return f;
    }
    if (func->kind == NODE_NAME) {
        if (varies_call_named(v, func->name, false, &g, &f)) return f;
        Fact callee = varies_eval(v, scope, func);
        v->callee |= (callee.how & FACT_VARIES) != 0;
        bool own = var_visible(v, scope, func->name) != NULL;
        f = own ? fact_other(given_how(&g) | FACT_EMPTY) : varies_known_call(n, func->name, &g);
        f.how |= callee.how;
        Fact made;
        if (varies_call_named(v, STR("__call__"), true, &g, &made)) f = fact_other(f.how | made.how);
        if (varies_call_named(v, STR("forward"), true, &g, &made)) f = fact_other(f.how | made.how);
        if (varies_call_named(v, STR("__init__"), true, &g, &made)) f.how |= made.how;
        return f;
    }
    if (func->kind == NODE_ATTRIBUTE) return eval_method(v, scope, n, &g);
    Fact callee = varies_eval(v, scope, func);
    v->callee |= (callee.how & FACT_VARIES) != 0 && func->kind != NODE_CALL;
    if (varies_call_named(v, STR("__call__"), true, &g, &f) ||
        varies_call_named(v, STR("forward"), true, &g, &f))
        return fact_other(f.how | callee.how);
    return fact_other(callee.how | given_how(&g));
}
