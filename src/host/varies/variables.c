// The names of a file and its functions.
#include "base/numeric/rng.h"
#include "host/varies/inside.h"

enum { WIDEN_FROM = 5 };

const char varies_members, varies_held, varies_grows;

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
    if (fact_equal(was, now)) return;
    v->changed = true;
    if (++s->grown > WIDEN_FROM) {
        if (now.lo < was.lo) now.lo = -FACT_FAR;
        if (now.hi > was.hi) now.hi = FACT_FAR;
    }
    s->fact = now;
}

const void *scope_key(const Scope *s) { return s ? s->node : NULL; }

// ---- names that are bound again

static void rebind(Varies *v, Callable *c, int *cap, const Node *target, const Node *s) {
    if (target->kind == NODE_TUPLE || target->kind == NODE_LIST)
        for (int i = 0; i < target->items.n; i++) rebind(v, c, cap, target->items.at[i], s);
    if (target->kind != NODE_NAME) return;
    if (c->rebounds == *cap) {
        int more = 2 * *cap + 8;
        c->rebound = MORE(v->arena, Rebound, c->rebound, c->rebounds, more);
        *cap = more;
    }
    c->rebound[c->rebounds++] =
        (Rebound){target->name, target->span.at, s->assign.value->span.at, s->span.at + s->span.len};
}

// Only where the text tells the order: one that was rewritten may stand anywhere.
static void find_rebound(Varies *v, Callable *c) {
    const Nodes *body = &c->node->function.body;
    uint32_t at = c->node->span.at, end = at + c->node->span.len;
    int cap = 0;
    for (int i = 0; i < body->n; i++) {
        const Node *s = body->at[i];
        if (s->span.at < at || s->span.at + s->span.len > end || s->kind == NODE_GLOBAL) {
            c->rebounds = 0;
            return;
        }
        at = s->span.at + s->span.len;
        for (int k = 0; s->kind == NODE_ASSIGN && k < s->assign.targets.n; k++)
            rebind(v, c, &cap, s->assign.targets.at[k], s);
    }
}

// The scope of what a name stands for at a place of its own function; NULL: it is bound in no such way. Where
// the target of `n += 1` stands, the name is read before it is written.
static const void *bound_at(const Callable *c, Str name, uint32_t at, bool written) {
    const void *scope = NULL;
    for (int i = 0; i < c->rebounds; i++) {
        const Rebound *r = &c->rebound[i];
        if (!str_eq(r->name, name)) continue;
        if (!scope) scope = c->own; // before the first
        bool target = at == r->at ? written : at > r->at && at < r->value;
        if (at >= r->end || target) scope = r;
    }
    return scope;
}

static const Callable *callable_of(const Varies *v, const Scope *scope) {
    for (int i = 0; scope && i < v->callables; i++)
        if (v->callable[i].node == scope->node) return &v->callable[i];
    return NULL;
}

static bool inside(const Callable *c, const Node *n) {
    return n->span.at >= c->node->span.at && n->span.at < c->node->span.at + c->node->span.len;
}

bool var_read(const Varies *v, const Scope *scope, const Node *n, Fact *out) {
    const Var *var = var_visible(v, scope, n->name);
    const Callable *c = callable_of(v, scope);
    if (!var) return false;
    const void *here =
        c && var->scope == c->node && inside(c, n) ? bound_at(c, n->name, n->span.at, false) : NULL;
    *out = here ? var_find(v, here, n->name)->fact : var->fact;
    if (var->cap > 0 && out->kind == FACT_NUMBER && out->hi > var->cap) {
        out->hi = var->cap;
        if (out->lo > out->hi) out->lo = out->hi;
    }
    return true;
}

void var_write(Varies *v, const Scope *scope, const Node *n, Str name, Fact f) {
    const Callable *c = callable_of(v, scope);
    var_add(v, scope_key(scope), name, f);
    if (!c) return;
    for (int i = 0; i < c->rebounds && !inside(c, n); i++) // nobody knows when
        if (str_eq(c->rebound[i].name, name)) var_add(v, &c->rebound[i], name, f);
    if (!inside(c, n)) return var_param(v, c, name, f);
    const void *here = bound_at(c, name, n->span.at, true);
    if (here) var_add(v, here, name, f);
}

void var_param(Varies *v, const Callable *c, Str name, Fact f) {
    var_add(v, c->node, name, f);
    if (bound_at(c, name, 0, false)) var_add(v, c->own, name, f);
}

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
    v->callable[v->callables++] =
        (Callable){.node = node, .scope = scope, .own = own, .method = method, .plain = plain};
    Callable *c = &v->callable[v->callables - 1];
    find_rebound(v, c);
    for (int i = 0; i < c->rebounds; i++) {
        var_add(v, c->own, c->rebound[i].name, (Fact){0});
        var_add(v, &c->rebound[i], c->rebound[i].name, (Fact){0});
    }
    // Not known yet, which is not the same as unknown.
    for (int i = 0; i < node->function.params.n; i++) {
        Str name = node->function.params.at[i]->param.name;
        if (name.len) var_add(v, node, name, (Fact){0});
    }
    v->changed = true;
    return own;
}

Callable *varies_called(Varies *v, const Node *function) {
    int i = 0;
    while (v->callable[i].node != function) i++;
    return &v->callable[i];
}

void varies_enter(Varies *v, Callable *c) {
    uint8_t control = c->control | v->control;
    bool calling = c->calling || v->calling;
    if (c->entered && c->control == control && c->calling == calling) return;
    c->entered = true;
    c->control = control;
    c->calling = calling;
    v->changed = true;
}

void varies_handed(Varies *v, Callable *c) {
    bool was = v->calling;
    v->calling = true;
    varies_enter(v, c);
    v->calling = was;
}

void varies_open(Varies *v, Callable *c) {
    v->changed |= !c->open;
    c->open = true;
}

void varies_named(Varies *v, Str name) {
    for (int i = 0; i < v->callables; i++)
        if (str_eq(v->callable[i].node->function.name, name)) varies_handed(v, &v->callable[i]);
}

void varies_result_add(Varies *v, const Node *function, Fact f) {
    var_add(v, function, STR("return"), f); // no name of Python's
}

Fact varies_result(const Varies *v, const Node *function) {
    const Var *r = var_find(v, function, STR("return"));
    return r ? r->fact : (Fact){0};
}

// No names of Python's.
static Str result_name(int i) {
    static const char *const name[RESULTS_MAX] = {"return 0", "return 1", "return 2", "return 3",
                                                  "return 4", "return 5", "return 6", "return 7"};
    return str_of(name[i]);
}

void varies_result_item(Varies *v, const Node *function, int i, Fact f) {
    var_add(v, function, result_name(i), f);
}

void varies_result_count(Varies *v, const Node *function, int n) {
    var_add(v, function, STR("return count"), n ? fact_number(0, n, n) : fact_other(0));
}

// Of one function. Not yet known is not unknown: what is said too early stays.
static bool add_results(const Varies *v, const Node *function, int n, Fact *item) {
    const Var *count = var_find(v, function, STR("return count"));
    if (!count) return !varies_result(v, function).kind;
    if (count->fact.kind != FACT_NUMBER || count->fact.lo != n || count->fact.hi != n) return false;
    for (int k = 0; k < n; k++) {
        const Var *r = var_find(v, function, result_name(k));
        if (r) item[k] = fact_join(item[k], r->fact);
        if (r && (r->fact.how & FACT_HELD)) return false; // it may have got more since
    }
    return true;
}

bool varies_results(const Varies *v, const Scope *scope, const Node *call, int n, Fact *item) {
    const Node *f = call->kind == NODE_CALL ? call->call.func : call;
    if (f->kind != NODE_NAME || f == call || n < 1 || n > RESULTS_MAX || var_visible(v, scope, f->name))
        return false;
    bool any = false;
    for (int k = 0; k < n; k++) item[k] = (Fact){0};
    for (int i = 0; i < v->callables; i++) {
        const Callable *c = &v->callable[i];
        if (c->method || !str_eq(c->node->function.name, f->name)) continue;
        if (!add_results(v, c->node, n, item)) return false;
        any = true;
    }
    return any;
}

bool varies_has_method(const Varies *v, Str name) {
    for (int i = 0; i < v->callables; i++)
        if (v->callable[i].method && str_eq(v->callable[i].node->function.name, name)) return true;
    return false;
}

bool varies_is_function(const Varies *v, Str name) {
    for (int i = 0; i < v->callables; i++)
        if (!v->callable[i].method && str_eq(v->callable[i].node->function.name, name)) return true;
    return false;
}

bool varies_is_class(const Varies *v, const Scope *scope, Str name) {
    if (var_visible(v, scope, name) || varies_is_function(v, name)) return false;
    for (int i = 0; i < v->class_count; i++)
        if (str_eq(v->classes[i]->klass.name, name)) return true;
    return false;
}

const Var *var_visible(const Varies *v, const Scope *scope, Str name) {
    for (const Scope *s = scope;; s = s->outer) {
        const Var *var = var_find(v, scope_key(s), name);
        if (var || !s) return var;
    }
}
