#include "service/manifest/uses.h"

// A function, lambda or comprehension, and what is around it.
typedef struct Around Around;
struct Around {
    const Names *own;
    const Around *outer;
};
typedef struct {
    Arena *arena;
    Names *used;
    const Around *around;
    SkipsMethod *skips;
    void *arg;
} Walk;

static void walk(void *arg, const Node *n);
static void walk_all(Walk *w, const Nodes *list) {
    for (int i = 0; i < list->n; i++)
        if (list->at[i]) walk(w, list->at[i]);
}

static bool is_own(const Walk *w, Str name) {
    for (const Around *s = w->around; s; s = s->outer)
        if (names_have(s->own, name)) return true;
    return false;
}

// What stands in a scope that binds these names.
static void walk_inside(Walk *w, const Names *own, const Nodes *list) {
    const Around *outer = w->around, inner = {own, outer};
    w->around = &inner;
    walk_all(w, list);
    w->around = outer;
}

static void walk_function(Walk *w, const Node *n) {
    Names own = {.arena = w->arena};
    walk_all(w, &n->function.decorators);
    walk_all(w, &n->function.params); // defaults and annotations
    if (n->function.returns) walk(w, n->function.returns);
    names_of_params(&own, &n->function.params);
    names_of_block(&own, &n->function.body, 0);
    walk_inside(w, &own, &n->function.body);
}

// Names of a class's body are not seen in its methods.
static void walk_class(Walk *w, const Node *n) {
    walk_all(w, &n->klass.decorators);
    walk_all(w, &n->klass.bases);
    walk_all(w, &n->klass.keywords);
    for (int i = 0; i < n->klass.body.n; i++) {
        const Node *s = n->klass.body.at[i];
        if (s->kind == NODE_FUNCTION && w->skips && w->skips(w->arg, n, s))
            walk_all(w, &s->function.decorators);
        else
            walk(w, s);
    }
}

static void walk_comprehension(Walk *w, const Node *n) {
    Names own = {.arena = w->arena};
    for (int i = 0; i < n->comp.fors.n; i++) {
        const Node *f = n->comp.fors.at[i];
        walk(w, f->compfor.iter);
        names_of_target(&own, f->compfor.target, 0);
    }
    for (int i = 0; i < n->comp.fors.n; i++) walk_inside(w, &own, &n->comp.fors.at[i]->compfor.conds);
    Node *made[] = {n->comp.element, n->comp.val};
    walk_inside(w, &own, &(Nodes){made, n->comp.val ? 2 : 1});
}

static void walk(void *arg, const Node *n) {
    Walk *w = arg;
    Names own = {.arena = w->arena};
    switch (n->kind) {
    case NODE_NAME:
        if (!is_own(w, n->name)) names_add(w->used, n->name);
        return;
    case NODE_IMPORT: return;
    case NODE_FUNCTION: return walk_function(w, n);
    case NODE_CLASS: return walk_class(w, n);
    case NODE_COMP: return walk_comprehension(w, n);
    case NODE_LAMBDA: {
        Node *body = n->lambda.body;
        walk_all(w, &n->lambda.params);
        names_of_params(&own, &n->lambda.params);
        return walk_inside(w, &own, &(Nodes){&body, 1});
    }
    default: node_each_child(n, walk, w); // a tree's height is bounded
    }
}

void names_used(Arena *a, Names *names, const Node *n, SkipsMethod *skips, void *arg) {
    walk(&(Walk){.arena = a, .used = names, .skips = skips, .arg = arg}, n);
}
