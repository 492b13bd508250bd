// Decorators of a file's own, as host/desugar/wrapped.c writes them: `g(f plain 0)(*args, **kwargs)`, where
// g defines a wrapper and returns it. What g calls by the name of its parameter is what it was given, as long
// as nothing else has to do with g.
#include "host/varies/inside.h"

// No source has such a name.
static bool is_plain(const Node *n, Str *name) {
    if (n->kind != NODE_NAME && n->kind != NODE_ATTRIBUTE) return false;
    *name = n->kind == NODE_NAME ? n->name : n->attribute.name;
    return memchr(name->p, ' ', name->len) != NULL;
}

static const Node *wrapper_in(const Node *g) {
    const Nodes *body = &g->function.body;
    const Node *w = body->n > 1 ? body->at[body->n - 2] : NULL, *end = w ? body->at[body->n - 1] : NULL;
    bool back = end && end->kind == NODE_RETURN && end->value && end->value->kind == NODE_NAME;
    if (!back || w->kind != NODE_FUNCTION || !str_eq(end->value->name, w->function.name)) return NULL;
    return g->function.params.n == 1 ? w : NULL;
}

static Callable *decorator(Varies *v, Str name) {
    for (int i = 0; i < v->callables; i++) {
        Callable *c = &v->callable[i];
        if (!c->method && !c->scope && str_eq(c->node->function.name, name)) return c;
    }
    return NULL;
}

static void remember(Varies *v, const Node *g, Str name) {
    for (int i = 0; i < v->wrappeds; i++)
        if (v->wrapped[i].decorator == g && str_eq(v->wrapped[i].name, name)) return;
    if (v->wrappeds == WRAPPED_MAX) {
        v->full = true;
        return;
    }
    v->wrapped[v->wrappeds++] = (Wrapped){g, name};
    v->changed = true;
}

bool varies_wrapped_call(Varies *v, const Node *call, const Given *g, Fact *out) {
    const Node *made = call->call.func;
    Str name;
    if (made->kind != NODE_CALL || made->call.func->kind != NODE_NAME || made->call.args.n != 1 ||
        made->call.keywords.n || !is_plain(made->call.args.at[0], &name))
        return false;
    Callable *c = decorator(v, made->call.func->name);
    const Node *w = c ? wrapper_in(c->node) : NULL;
    if (!w || c->open) return false;
    varies_enter(v, c);
    remember(v, c->node, name);
    varies_bind(v, varies_called(v, w), g);
    return *out = varies_result(v, w), true;
}

bool varies_wrapped_name(Varies *v, const Scope *scope, Str name, const Given *g, Fact *out) {
    const Var *var = var_visible(v, scope, name);
    bool any = false;
    for (int i = 0; var && i < v->wrappeds; i++) {
        const Wrapped *x = &v->wrapped[i];
        Fact f;
        if (var->scope != x->decorator || !str_eq(x->decorator->function.params.at[0]->param.name, name))
            continue;
        if (varies_called(v, x->decorator)->open) return false;
        if (!varies_call_named(v, x->name, false, g, &f) && !varies_call_named(v, x->name, true, g, &f))
            continue;
        *out = any ? fact_join(*out, f) : f;
        any = true;
    }
    return any;
}

bool varies_gives_wrapper(Varies *v, const Scope *scope, const Node *s) {
    if (!scope || scope->node->kind != NODE_FUNCTION || !s->value || s->value->kind != NODE_NAME)
        return false;
    for (int i = 0; i < v->wrappeds; i++)
        if (v->wrapped[i].decorator == scope->node) return !varies_called(v, scope->node)->open;
    return false;
}
