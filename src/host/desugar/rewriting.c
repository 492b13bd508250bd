// What several passes of host_normalize() share: statements replaced throughout host code, and names that an
// import of Python's library brings.
#include "host/desugar/rewriting.h"

static void place(void *arg, const Node *n) {
    const Span *at = arg;
    ((Node *)(uintptr_t)n)->span = (Span){at->at, 0};
    node_each_child(n, place, arg);
}

void tree_place(Node *n, Span at) { place(&at, n); }

typedef struct {
    Arena *arena;
    Replaces *replaces;
    void *arg;
} Rewriting;

static void visit(void *arg, const Node *n);

static void visit_block(Rewriting *r, Nodes *body) {
    for (int i = 0; i < body->n; i++) {
        Nodes out = {0};
        visit(r, body->at[i]);
        if (!r->replaces(r->arg, body->at[i], &out)) continue;
        Nodes all = {NEWN(r->arena, Node *, (size_t)(body->n + out.n)), 0};
        for (int k = 0; k < i; k++) all.at[all.n++] = body->at[k];
        for (int k = 0; k < out.n; k++) all.at[all.n++] = out.at[k];
        for (int k = i + 1; k < body->n; k++) all.at[all.n++] = body->at[k];
        *body = all;
        i += out.n - 1; // what came in its place has been visited
    }
}

static void visit(void *arg, const Node *n) {
    Node *own = (Node *)(uintptr_t)n; // the tree is this process's own
    switch (n->kind) {
    case NODE_FUNCTION:
        if (!is_jit_function(n)) visit_block(arg, &own->function.body);
        return;
    case NODE_CLASS: return visit_block(arg, &own->klass.body);
    case NODE_IF: visit_block(arg, &own->branch.then); return visit_block(arg, &own->branch.otherwise);
    case NODE_FOR: visit_block(arg, &own->loop.body); return visit_block(arg, &own->loop.otherwise);
    case NODE_WHILE:
        visit_block(arg, &own->whileloop.body);
        return visit_block(arg, &own->whileloop.otherwise);
    case NODE_WITH: return visit_block(arg, &own->with.body);
    case NODE_TRY:
        visit_block(arg, &own->attempt.body);
        for (int i = 0; i < n->attempt.handlers.n; i++)
            visit_block(arg, &own->attempt.handlers.at[i]->handler.body);
        visit_block(arg, &own->attempt.otherwise);
        return visit_block(arg, &own->attempt.final);
    default: return;
    }
}

void statements_replace(Arena *a, Node *module, Replaces *replaces, void *arg) {
    Rewriting r = {a, replaces, arg};
    visit_block(&r, &module->module.body);
}

void names_mentioned(void *names, const Node *n) {
    if (n->kind == NODE_NAME) names_add(names, n->name);
    node_each_child(n, names_mentioned, names); // a tree's height is bounded
}

typedef struct {
    Str name;
    int n;
} Uses;
static void count_uses(void *arg, const Node *n) {
    Uses *u = arg;
    u->n += n->kind == NODE_NAME && str_eq(n->name, u->name);
    node_each_child(n, count_uses, arg);
}
int name_uses(const Node *n, Str name) {
    Uses u = {.name = name};
    count_uses(&u, n);
    return u.n;
}

void statement_drop(const Node *n) {
    *(Node *)(uintptr_t)n = (Node){.kind = NODE_PASS, .span = n->span, .height = 1}; // this process's own
}

bool is_brought(const Node *module, const Bindings *bound, const Node *n, const char *from,
                const char *name) {
    const Node *root = n->kind == NODE_ATTRIBUTE ? n->attribute.value : n, *alias;
    if (root->kind != NODE_NAME || !bound_once(bound, root->name)) return false;
    const Node *s = module_binding(module, root->name, &alias);
    if (!s || s->kind != NODE_IMPORT || s->import.dots) return false;
    if (root == n) return s->import.from && str_is(s->import.module, from) && str_is(alias->alias.name, name);
    return !s->import.from && str_is(alias->alias.name, from) && str_is(n->attribute.name, name);
}

Node *tree_of(Arena *a, const char *text, Span at) {
    DiagList d = DIAGS(a);
    Node *m = parse_module(a, str_of(text), &d);
    if (!m || m->module.body.n != 1) return NULL;
    tree_place(m->module.body.at[0], at);
    return m->module.body.at[0];
}

bool is_logger(const Node *module, const Bindings *bound, Str name) {
    const Node *alias, *s = bound_once(bound, name) ? module_binding(module, name, &alias) : NULL;
    const Node *f =
        s && s->kind == NODE_ASSIGN && s->assign.value->kind == NODE_CALL ? s->assign.value->call.func : NULL;
    return f && is_brought(module, bound, f, "logging", "getLogger");
}
