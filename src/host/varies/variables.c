// The names of a file and its functions.
#include "base/numeric/rng.h"
#include "host/varies/inside.h"

enum { WIDEN_FROM = 5 };

const char varies_members;

static uint64_t var_hash(const void *scope, Str name) {
    return rng_mix((uint64_t)(uintptr_t)scope, str_hash(name));
}

Var *var_slot(const Varies *v, const void *scope, Str name) {
    for (uint64_t i = var_hash(scope, name);; i++) {
        Var *s = &v->var[i & (uint64_t)(v->cap - 1)];
        if (!s->name.p || (s->scope == scope && str_eq(s->name, name))) return s;
    }
}

const Var *var_find(const Varies *v, const void *scope, Str name) {
    const Var *s = var_slot(v, scope, name);
    return s->name.p ? s : NULL;
}

void var_add(Varies *v, const void *scope, Str name, Fact f) {
    Var *s = var_slot(v, scope, name);
    if (!s->name.p) {
        if (v->vars == VARS_MAX) {
            v->full = true;
            return;
        }
        *s = (Var){.scope = scope, .name = name};
        v->vars++;
        v->changed = true;
    }
    Fact was = s->fact, now = fact_join(was, f);
    if (was.kind == now.kind && was.how == now.how && was.lo == now.lo && was.hi == now.hi) return;
    v->changed = true;
    if (++s->grown > WIDEN_FROM) {
        if (now.lo < was.lo) now.lo = -FACT_FAR;
        if (now.hi > was.hi) now.hi = FACT_FAR;
    }
    s->fact = now;
}

const void *scope_key(const Scope *s) { return s ? s->node : NULL; }

const Scope *varies_callable(Varies *v, const Node *node, const Scope *scope, bool method) {
    for (int i = 0; i < v->callables; i++)
        if (v->callable[i].node == node) return v->callable[i].own;
    if (v->callables == v->callable_cap) {
        int cap = v->callable_cap * 2 + 16;
        v->callable = MORE(v->arena, Callable, v->callable, v->callables, cap);
        v->callable_cap = cap;
    }
    bool plain = false;
    for (int i = 0; i < node->function.decorators.n; i++)
        plain |= node_is_name(node->function.decorators.at[i], "staticmethod");
    Scope *own = NEW(v->arena, Scope);
    *own = (Scope){node, scope};
    v->callable[v->callables++] = (Callable){node, scope, own, method, plain};
    // Not known yet, which is not the same as unknown.
    for (int i = 0; i < node->function.params.n; i++) {
        Str name = node->function.params.at[i]->param.name;
        if (name.len) var_add(v, node, name, (Fact){0});
    }
    v->changed = true;
    return own;
}

void varies_result_add(Varies *v, const Node *function, Fact f) {
    var_add(v, function, STR("return"), f); // no name of Python's
}

Fact varies_result(const Varies *v, const Node *function) {
    const Var *r = var_find(v, function, STR("return"));
    return r ? r->fact : (Fact){0};
}

bool varies_is_function(const Varies *v, Str name) {
    for (int i = 0; i < v->callables; i++)
        if (!v->callable[i].method && str_eq(v->callable[i].node->function.name, name)) return true;
    return false;
}

const Var *var_visible(const Varies *v, const Scope *scope, Str name) {
    for (const Scope *s = scope;; s = s->outer) {
        const Var *var = var_find(v, scope_key(s), name);
        if (var || !s) return var;
    }
}
