// Other spellings of a definition: `run = f` and `ModelNew = X` make the function or class that they name the
// one that is judged, so it gets that name throughout the file; `size = lambda n: ...` at module level is the
// function that it makes. Only names that the whole file binds once: such a name stands for one thing.
#include "host/policy/screen.h"

typedef struct {
    Str from, to;
} Renaming;

static void rename_all(void *arg, const Node *n) {
    const Renaming *r = arg;
    Node *own = (Node *)(uintptr_t)n; // the tree is this process's own
    if (n->kind == NODE_NAME && str_eq(n->name, r->from)) own->name = r->to;
    if (n->kind == NODE_FUNCTION && str_eq(n->function.name, r->from)) own->function.name = r->to;
    if (n->kind == NODE_CLASS && str_eq(n->klass.name, r->from)) own->klass.name = r->to;
    node_each_child(n, rename_all, arg); // a tree's height is bounded
}

static const Node *defined_before(const Nodes *body, int before, Str name) {
    for (int i = 0; i < before; i++) {
        const Node *n = body->at[i];
        if (n->kind == NODE_FUNCTION && !is_jit_function(n) && str_eq(n->function.name, name)) return n;
        if (n->kind == NODE_CLASS && str_eq(n->klass.name, name)) return n;
    }
    return NULL;
}

static void drop(Node *n) {
    n->kind = NODE_PASS;
    n->height = 1;
}

static void name_entry(Node *module, const Bindings *bound, int i) {
    const Nodes *body = &module->module.body;
    Node *s = body->at[i];
    const Node *to = s->assign.targets.at[0], *from = s->assign.value;
    const Node *def =
        from->kind == NODE_NAME && bound_once(bound, from->name) ? defined_before(body, i, from->name) : NULL;
    bool run = node_is_name(to, "run");
    if (!def || !bound_once(bound, to->name) || (run ? def->kind != NODE_FUNCTION : def->kind != NODE_CLASS))
        return;
    Renaming r = {from->name, to->name};
    drop(s);
    rename_all(&r, module);
}

static void define_lambda(Arena *a, Node *s) {
    Node *lambda = s->assign.value, *back = NEW(a, Node);
    Str name = s->assign.targets.at[0]->name;
    *back = (Node){.kind = NODE_RETURN, .span = lambda->lambda.body->span};
    back->value = lambda->lambda.body;
    back->height = (uint16_t)(lambda->lambda.body->height + 1);
    Nodes params = lambda->lambda.params, body = {NEWN(a, Node *, 1), 1};
    body.at[0] = back;
    s->kind = NODE_FUNCTION;
    s->height = (uint16_t)((lambda->height > back->height ? lambda->height : back->height) + 1);
    s->function.name = name;
    s->function.params = params;
    s->function.body = body;
    s->function.decorators = (Nodes){0};
    s->function.returns = NULL;
    s->function.async = s->function.memo = false;
}

void entry_forms_normalize(Arena *a, Node *module) {
    Nodes *body = &module->module.body;
    Bindings bound;
    bool learnt = false;
    for (int i = 0; i < body->n; i++) {
        Node *s = body->at[i];
        if (s->kind != NODE_ASSIGN || s->assign.targets.n != 1 || s->assign.targets.at[0]->kind != NODE_NAME)
            continue;
        const Node *to = s->assign.targets.at[0];
        bool entry = node_is_name(to, "run") || node_is_name(to, "ModelNew");
        if (!entry && s->assign.value->kind != NODE_LAMBDA) continue;
        if (!learnt) names_of_module(&bound, a, module);
        learnt = true;
        if (s->assign.value->kind != NODE_LAMBDA)
            name_entry(module, &bound, i);
        else if (bound_once(&bound, to->name))
            define_lambda(a, s);
    }
}
