// Imports inside functions. The name that one binds is the function's own, and is there from that statement
// on. Where the file uses it nowhere else, it means the same at module level: there the import goes, and
// nothing later knows that imports stand anywhere else. Those at a function's beginning that bring a whole
// module under its usual name may stay (screen.c); others that cannot move are not read.
#include "host/module_level/module_level.h"
#include "lang/library.h"

typedef struct {
    Node *import;
    const Node *function; // the outermost one around
    Span block;           // from the import to the end of the block that it stands in
} Local;
typedef struct {
    Arena *arena;
    const Node *module, *function;
    Local *at;
    int n, cap;
} Locals;

static Str given_to(const Node *import, int i) {
    const Node *a = import->import.names.at[i];
    Str name = a->alias.as.len ? a->alias.as : a->alias.name;
    const char *dot = a->alias.as.len || import->import.from ? NULL : memchr(name.p, '.', name.len);
    if (dot) name.len = (size_t)(dot - name.p);
    return name;
}

// ---- finding them

static void find_in_block(Locals *l, const Nodes *body, bool start);

static void find_in(Locals *l, const Node *s) {
    switch (s->kind) {
    case NODE_FUNCTION:
        if (!is_jit_function(s)) find_in_block(l, &s->function.body, true);
        break;
    case NODE_IF:
        find_in_block(l, &s->branch.then, false);
        find_in_block(l, &s->branch.otherwise, false);
        break;
    case NODE_FOR:
        find_in_block(l, &s->loop.body, false);
        find_in_block(l, &s->loop.otherwise, false);
        break;
    case NODE_WHILE:
        find_in_block(l, &s->whileloop.body, false);
        find_in_block(l, &s->whileloop.otherwise, false);
        break;
    case NODE_WITH: find_in_block(l, &s->with.body, false); break;
    default: break;
    }
}

static void find_in_block(Locals *l, const Nodes *body, bool start) {
    for (int i = 0; i < body->n; i++) {
        Node *s = body->at[i];
        const char *why;
        bool text = s->kind == NODE_EXPRSTMT && s->value->kind == NODE_STRING;
        if (s->kind != NODE_IMPORT) {
            start = start && text;
            find_in(l, s); // blocks are nested no deeper than the tree is high
            continue;
        }
        if (library_of(l->module, s) || (start && import_canonical(s, true, &why)) ||
            !import_allowed(s, true, &why) || str_is(s->import.module, "__future__"))
            continue;
        if (l->n == l->cap) {
            int cap = l->cap ? 2 * l->cap : 8;
            Local *to = NEWN(l->arena, Local, (size_t)cap);
            for (int k = 0; k < l->n; k++) to[k] = l->at[k];
            l->at = to;
            l->cap = cap;
        }
        const Node *end = body->at[body->n - 1];
        l->at[l->n++] = (Local){s, l->function, {s->span.at, end->span.at + end->span.len - s->span.at}};
    }
}

// ---- who uses the name

typedef struct {
    const Locals *locals;
    const Node *function; // around what is looked at
    Str name;
    const Node *same; // the import that brings it
    bool ok;
} Use;

static bool brings_same(const Node *a, const Node *b, Str name) {
    for (int i = 0; i < a->import.names.n; i++)
        for (int k = 0; k < b->import.names.n; k++) {
            const Node *x = a->import.names.at[i], *y = b->import.names.at[k];
            if (str_eq(given_to(a, i), name) && str_eq(given_to(b, k), name) &&
                a->import.from == b->import.from && str_eq(a->import.module, b->import.module) &&
                str_eq(x->alias.name, y->alias.name))
                return true;
        }
    return false;
}

static bool binds(const Node *import, Str name) {
    for (int i = 0; i < import->import.names.n; i++)
        if (str_eq(given_to(import, i), name)) return true;
    return false;
}

// Within reach of an import of the same: behind it, in the block that it stands in.
static bool reached(const Use *u, const Node *n) {
    for (int i = 0; i < u->locals->n; i++) {
        const Local *l = &u->locals->at[i];
        if (l->function == u->function && n->span.at > l->block.at &&
            n->span.at < l->block.at + l->block.len && brings_same(l->import, u->same, u->name))
            return true;
    }
    return false;
}

static void look(void *arg, const Node *n) {
    Use *u = arg;
    switch (n->kind) {
    case NODE_NAME: u->ok &= !str_eq(n->name, u->name) || reached(u, n); break;
    case NODE_IMPORT: u->ok &= !binds(n, u->name) || brings_same(n, u->same, u->name); return;
    case NODE_PARAM: u->ok &= !str_eq(n->param.name, u->name); break;
    case NODE_WALRUS: u->ok &= !str_eq(n->walrus.name, u->name); break;
    case NODE_FUNCTION: u->ok &= !str_eq(n->function.name, u->name); break;
    case NODE_CLASS: u->ok &= !str_eq(n->klass.name, u->name); break;
    case NODE_EXCEPT: u->ok &= !str_eq(n->handler.name, u->name); break;
    default: break;
    }
    if (u->ok) node_each_child(n, look, u); // a tree's height is bounded
}

// A target is a NAME, too: what an assignment binds behind the import would hide it.
static void find_binding(void *arg, const Node *n) {
    Use *u = arg;
    Names names = {.arena = u->locals->arena};
    Node *self = (Node *)(uintptr_t)n; // read only
    if (n->kind == NODE_ASSIGN || n->kind == NODE_AUGASSIGN || n->kind == NODE_ANNASSIGN ||
        n->kind == NODE_FOR || n->kind == NODE_DELETE)
        names_of_block(&names, &(Nodes){&self, 1}, WALK_MAX - 2);
    if (n->kind == NODE_COMPFOR) names_of_target(&names, n->compfor.target, 0);
    if (n->kind == NODE_WITHITEM && n->withitem.target) names_of_target(&names, n->withitem.target, 0);
    u->ok &= !names_have(&names, u->name);
    if (u->ok) node_each_child(n, find_binding, u);
}

static bool may_move(const Locals *l, const Local *one) {
    const Nodes *body = &l->module->module.body;
    for (int i = 0; i < one->import->import.names.n; i++) {
        Use u = {.locals = l, .name = given_to(one->import, i), .same = one->import, .ok = true};
        for (int k = 0; u.ok && k < body->n; k++) {
            u.function = body->at[k];
            look(&u, body->at[k]);
            if (u.ok) find_binding(&u, body->at[k]);
        }
        if (!u.ok) return false;
    }
    return true;
}

static bool brings_elsewhere(const Nodes *list, const Node *import) {
    for (int i = 0; i < list->n; i++)
        if (node_equal(list->at[i], import)) return true;
    return false;
}

void local_imports_normalize(Arena *a, Node *module) {
    Locals l = {.arena = a, .module = module};
    Nodes *body = &module->module.body;
    for (int i = 0; i < body->n; i++) {
        l.function = body->at[i];
        if (body->at[i]->kind == NODE_FUNCTION) find_in(&l, body->at[i]);
        for (int k = 0; body->at[i]->kind == NODE_CLASS && k < body->at[i]->klass.body.n; k++)
            find_in(&l, body->at[i]->klass.body.at[k]);
    }
    enum { MOVES_MAX = 64 };
    if (!l.n || l.n > MOVES_MAX) return;
    bool *moves = NEWN(a, bool, (size_t)l.n);
    for (int i = 0; i < l.n; i++) moves[i] = may_move(&l, &l.at[i]);
    Nodes moved = {NEWN(a, Node *, (size_t)l.n), 0}, out = {NEWN(a, Node *, (size_t)(body->n + l.n)), 0};
    for (int i = 0; i < l.n; i++) {
        if (!moves[i]) continue;
        Node *copy = NEW(a, Node);
        *copy = *l.at[i].import;
        if (!brings_elsewhere(&moved, copy) && !brings_elsewhere(body, copy)) moved.at[moved.n++] = copy;
        l.at[i].import->kind = NODE_PASS;
        l.at[i].import->height = 1;
    }
    int first = body->n > 0 && body->at[0]->kind == NODE_EXPRSTMT && body->at[0]->value->kind == NODE_STRING;
    while (first < body->n && body->at[first]->kind == NODE_IMPORT &&
           str_is(body->at[first]->import.module, "__future__"))
        first++;
    for (int i = 0; i < body->n; i++) {
        for (int k = 0; i == first && k < moved.n; k++) out.at[out.n++] = moved.at[k];
        out.at[out.n++] = body->at[i];
    }
    *body = out;
}
