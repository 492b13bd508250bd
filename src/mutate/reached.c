#include "mutate/reached.h"

static void collect(void *arg, const Node *n) {
    if (n->kind == NODE_NAME) names_add(arg, n->name);
    node_each_child(n, collect, arg); // a tree's height is bounded
}

static Str defined_as(const Node *n) {
    if (n->kind == NODE_FUNCTION) return n->function.name;
    return n->kind == NODE_CLASS ? n->klass.name : (Str){0};
}

static bool any_reached(const Names *bound, const Names *reached) {
    for (int i = 0; i < bound->n; i++)
        if (names_have(reached, bound->at[i])) return true;
    return false;
}

void reached_find(Arena *a, const Node *module, Reached *out) {
    const Nodes *body = &module->module.body;
    *out = (Reached){.names.arena = a};
    const char *const entry[] = {"run", "ModelNew"};
    for (int k = 0; k < 2 && !out->entered; k++)
        for (int i = 0; i < body->n; i++)
            if (str_is(defined_as(body->at[i]), entry[k])) out->entered = true;
    if (!out->entered) return;
    names_add(&out->names, STR("run"));
    if (!module_function(module, STR("run"))) names_add(&out->names, STR("ModelNew"));
    bool *seen = NEWN(a, bool, (size_t)body->n + 1);
    Names *bound = NEWN(a, Names, (size_t)body->n + 1);
    for (int i = 0; i < body->n; i++) {
        bound[i].arena = a;
        names_of_block(&bound[i], &(Nodes){body->at + i, 1}, 0);
    }
    // What a statement mentions is reached once something reaches a name that it binds.
    for (bool more = true; more;) {
        more = false;
        for (int i = 0; i < body->n; i++) {
            if (seen[i] || !any_reached(&bound[i], &out->names)) continue;
            seen[i] = more = true;
            collect(&out->names, body->at[i]);
        }
    }
}

bool reached_has(const Reached *r, const Node *statement) {
    Str name = defined_as(statement);
    return !r->entered || !name.len || names_have(&r->names, name);
}
