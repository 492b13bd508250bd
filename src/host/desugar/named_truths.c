// map(bool, [d]), b = bool; b(d), f = text.startswith: what gives a truth under another name. Calls are
// counted by how they come out where their name tells that they choose (sandbox/unreached, host/varies); so
// such a value becomes a function of the file that calls it by its name. The same for min and max.
//
// bool in isinstance(x, bool) and in annotations is a type, and stays.
#include "host/desugar/desugar.h"
#include "tile/check/check.h"

enum { NAMES = 7 };
static const struct {
    const char *name, *text;
    bool member;
} all[NAMES] = {
    {"bool", "def f(v):\n    return bool(v)\n", false},
    {"any", "def f(v):\n    return any(v)\n", false},
    {"all", "def f(v):\n    return all(v)\n", false},
    {"min", "def f(v, *more):\n    return min(v, *more)\n", false},
    {"max", "def f(v, *more):\n    return max(v, *more)\n", false},
    {"startswith", "def f(text):\n    return lambda part: text.startswith(part)\n", true},
    {"endswith", "def f(text):\n    return lambda part: text.endswith(part)\n", true},
};

typedef struct {
    Arena *arena;
    Bindings bound;
    Span first[NAMES];
    bool used[NAMES];
} Truths;

static Str name_of(const Truths *t, int i) { return str_of(arena_printf(t->arena, "<%s>", all[i].name)); }

static int of_function(const Truths *t, const Node *n) {
    if (n->kind != NODE_NAME) return -1;
    for (int i = 0; i < NAMES; i++)
        if (!all[i].member && str_is(n->name, all[i].name) && !names_have(&t->bound.all, n->name)) return i;
    return -1;
}

static int of_member(const Node *n) {
    if (n->kind != NODE_ATTRIBUTE) return -1;
    for (int i = 0; i < NAMES; i++)
        if (all[i].member && str_is(n->attribute.name, all[i].name)) return i;
    return -1;
}

static void note(Truths *t, int i, const Node *n) {
    if (!t->used[i]) t->first[i] = n->span;
    t->used[i] = true;
}

static void rewrite(void *arg, const Node *n);
static void rewrite_all(Truths *t, const Nodes *list) {
    for (int i = 0; i < list->n; i++)
        if (list->at[i]) rewrite(t, list->at[i]);
}

static void rewrite_call(Truths *t, const Node *n) {
    const Node *f = n->call.func;
    int types = node_is_name(f, "isinstance") ? 1 : n->call.args.n;
    if (of_member(f) >= 0)
        rewrite(t, f->attribute.value);
    else if (of_function(t, f) < 0)
        rewrite(t, f);
    for (int i = 0; i < n->call.args.n && i < types; i++) rewrite(t, n->call.args.at[i]);
    rewrite_all(t, &n->call.keywords);
}

static void rewrite(void *arg, const Node *n) {
    Truths *t = arg;
    Node *own = (Node *)(uintptr_t)n; // the tree is this process's own
    int i = of_function(t, n), member = of_member(n);
    switch (n->kind) {
    case NODE_FUNCTION: // its decorators and annotations stay
        if (is_jit_function(n)) return;
        rewrite_all(t, &n->function.params);
        rewrite_all(t, &n->function.body);
        return;
    case NODE_PARAM:
        if (n->param.def) rewrite(t, n->param.def);
        return;
    case NODE_ANNASSIGN:
        if (n->annassign.value) rewrite(t, n->annassign.value);
        return;
    case NODE_CALL: rewrite_call(t, n); return;
    default: break;
    }
    if (i >= 0) {
        note(t, i, n);
        own->name = name_of(t, i);
    } else if (member >= 0) { // text.startswith as <startswith>(text)
        Node *func = NEW(t->arena, Node), *text = own->attribute.value;
        note(t, member, n);
        rewrite(t, text);
        *func = (Node){.kind = NODE_NAME, .span = n->span, .height = 1, .name = name_of(t, member)};
        *own = (Node){.kind = NODE_CALL, .span = n->span, .height = n->height + 1};
        own->call.func = func;
        own->call.args = (Nodes){NEWN(t->arena, Node *, 1), 1};
        own->call.args.at[0] = text;
    } else {
        node_each_child(n, rewrite, t); // a tree's height is bounded
    }
}

// Told of is the call, where the name stands first.
static void place_calls(void *arg, const Node *n) {
    if (n->kind == NODE_CALL) ((Node *)(uintptr_t)n)->span = *(const Span *)arg;
    node_each_child(n, place_calls, arg);
}

// In front of everything else: a table of the module may hold it. Where its statements stand in the source
// nothing else begins.
static void define(Truths *t, Node *module) {
    Nodes *body = &module->module.body, out = {NEWN(t->arena, Node *, (size_t)body->n + NAMES), 0};
    DiagList none = DIAGS(t->arena);
    for (int i = 0; i < NAMES; i++) {
        Node *m = t->used[i] ? parse_module(t->arena, str_of(all[i].text), &none) : NULL;
        if (!m) continue;
        Node *f = m->module.body.at[0];
        tree_place(f, (Span){t->first[i].at + 1, 0});
        place_calls(&t->first[i], f);
        f->function.name = name_of(t, i);
        out.at[out.n++] = f;
    }
    if (!out.n) return;
    for (int i = 0; i < body->n; i++) out.at[out.n++] = body->at[i];
    *body = out;
}

typedef struct {
    bool any;
} Asks;
static void look(void *arg, const Node *n) {
    Asks *a = arg;
    for (int i = 0; i < NAMES; i++)
        a->any |= all[i].member ? of_member(n) == i : node_is_name(n, all[i].name);
    node_each_child(n, look, arg);
}

void named_truths_normalize(Arena *a, Node *module) {
    Asks asks = {false};
    look(&asks, module);
    if (!asks.any) return;
    Truths t = {.arena = a};
    names_of_module(&t.bound, a, module);
    node_each_child(module, rewrite, &t);
    define(&t, module);
}
