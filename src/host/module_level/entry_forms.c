// Other spellings of a definition: `run = f` and `ModelNew = X` make the function or class that they name the
// one that is judged, so it gets that name throughout the file; what a call gives, `run = make(256)`, is
// called by a function of that name; `size = lambda n: ...` at module level is the
// function that it makes. Only names that the whole file binds once: such a name stands for one thing.
//
// A class that derives from another one of the file is written without it: what the base holds comes first,
// the methods that the class overrides aside. `super().forward(x)` is a call of the base's method, which then
// stands under a name that no source has. So whatever reads the tree afterwards knows no inheritance but from
// the empty bases of torch.
#include "host/module_level/module_level.h"

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

// run = make(256): "run made" = make(256), and a function that calls it.
static void name_made(Arena *a, Node *module, const Bindings *bound, int i) {
    static const char text[] = "def run(*args, **kwargs):\n    return made(*args, **kwargs)\n";
    Nodes *body = &module->module.body;
    Node *s = body->at[i], *func = s->assign.value->call.func;
    const Node *def =
        func->kind == NODE_NAME && bound_once(bound, func->name) ? defined_before(body, i, func->name) : NULL;
    DiagList d = DIAGS(a);
    if (!def || def->kind != NODE_FUNCTION || !bound_once(bound, STR("run"))) return;
    Node *m = parse_module(a, str_of(text), &d);
    if (!m) return;
    Node *run = m->module.body.at[0];
    tree_place(run, s->span);
    s->assign.targets.at[0]->name = STR("run made"); // no source has it
    run->function.body.at[0]->value->call.func->name = STR("run made");
    Nodes out = {NEWN(a, Node *, (size_t)body->n + 1), 0};
    for (int k = 0; k < body->n; k++) {
        out.at[out.n++] = body->at[k];
        if (k == i) out.at[out.n++] = run;
    }
    *body = out;
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
        if (s->assign.value->kind == NODE_CALL && node_is_name(to, "run"))
            name_made(a, module, &bound, i);
        else if (s->assign.value->kind != NODE_LAMBDA)
            name_entry(module, &bound, i);
        else if (bound_once(&bound, to->name))
            define_lambda(a, s);
    }
}

// ---- classes that derive from others of the file

typedef struct {
    Arena *arena;
    Node *derived;
    const Node *base;
    Str self;     // of the method that is looked at
    Names called; // methods of the base that super() reaches
} Flatten;

static const Node *member_of(const Node *klass, Str name) {
    const Node *found = NULL;
    for (int i = 0; i < klass->klass.body.n; i++) {
        const Node *n = klass->klass.body.at[i];
        if (n->kind == NODE_FUNCTION && str_eq(n->function.name, name)) found = n;
    }
    return found;
}

static Str inherited(Arena *a, Str method, Str base) {
    return str_of(arena_printf(a, "inherited %.*s of %.*s", STR_ARG(method), STR_ARG(base)));
}

// super() and super(C, self), in front of a method.
static bool is_super_of(const Flatten *f, const Node *call) {
    const Node *super = call->call.func->kind == NODE_ATTRIBUTE ? call->call.func->attribute.value : call;
    if (super == call || super->kind != NODE_CALL || !node_is_name(super->call.func, "super") ||
        super->call.keywords.n)
        return false;
    const Nodes *args = &super->call.args;
    return args->n == 0 ||
           (args->n == 2 && args->at[0]->kind == NODE_NAME && args->at[1]->kind == NODE_NAME &&
            str_eq(args->at[0]->name, f->derived->klass.name) && str_eq(args->at[1]->name, f->self));
}

static void rewrite_super(void *arg, const Node *n) {
    Flatten *f = arg;
    MethodKind kind;
    node_each_child(n, rewrite_super, arg); // a tree's height is bounded
    if (n->kind != NODE_CALL || !is_super_of(f, n)) return;
    Node *member = (Node *)(uintptr_t)n->call.func; // the tree is this process's own
    const Node *method = member_of(f->base, member->attribute.name);
    if (!method || !is_method(method, &kind) || kind != METHOD_PLAIN) return;
    names_add(&f->called, member->attribute.name);
    Node *self = member->attribute.value;
    *self = (Node){.kind = NODE_NAME, .span = self->span, .height = 1, .name = f->self};
    member->attribute.name = inherited(f->arena, member->attribute.name, f->base->klass.name);
}

typedef struct {
    Str name;
    bool found, inside;
} Mention;
static void find_mention(void *arg, const Node *n) {
    Mention *m = arg, in = *m;
    in.inside |= n->kind == NODE_CALL &&
                 (node_is_name(n->call.func, "isinstance") || node_is_name(n->call.func, "issubclass"));
    in.found |= in.inside && n->kind == NODE_NAME && str_eq(n->name, m->name);
    node_each_child(n, find_mention, &in);
    m->found |= in.found;
}

// Whoever asks whether an object is one of the base would get another answer.
static bool is_asked_for(const Node *module, Str base) {
    Mention m = {.name = base};
    find_mention(&m, module);
    return m.found;
}

static bool has_receiver(const Node *s, Flatten *f) {
    MethodKind kind;
    if (s->kind != NODE_FUNCTION || !is_method(s, &kind) || kind != METHOD_PLAIN || !s->function.params.n ||
        s->function.params.at[0]->param.kind != PARAM_PLAIN)
        return false;
    f->self = s->function.params.at[0]->param.name;
    return true;
}

static void flatten(Flatten *f) {
    const Nodes own = f->derived->klass.body, base = f->base->klass.body;
    Nodes out = {NEWN(f->arena, Node *, (size_t)(own.n + base.n) + 1), 0};
    for (int i = 0; i < own.n; i++)
        if (has_receiver(own.at[i], f))
            for (int k = 0; k < own.at[i]->function.body.n; k++)
                rewrite_super(f, own.at[i]->function.body.at[k]);
    for (int i = 0; i < base.n; i++) {
        Node *s = base.at[i];
        bool over = s->kind == NODE_FUNCTION && member_of(f->derived, s->function.name);
        if (!over && (s->kind == NODE_FUNCTION || s->kind == NODE_ASSIGN)) out.at[out.n++] = s;
        if (s->kind != NODE_FUNCTION || !names_have(&f->called, s->function.name)) continue;
        Node *copy = NEW(f->arena, Node);
        *copy = *s;
        copy->function.name = inherited(f->arena, s->function.name, f->base->klass.name);
        out.at[out.n++] = copy;
    }
    for (int i = 0; i < own.n; i++) out.at[out.n++] = own.at[i];
    f->derived->klass.body = out;
    f->derived->klass.bases = f->base->klass.bases;
    if (f->derived->height < f->base->height) f->derived->height = f->base->height;
}

static const Node *derived_from(const Nodes *body, int before, Str name) {
    for (int i = 0; i < before; i++)
        if (body->at[i]->kind == NODE_CLASS && str_eq(body->at[i]->klass.name, name)) return body->at[i];
    return NULL;
}

void inherits_normalize(Arena *a, Node *module) {
    const Nodes *body = &module->module.body;
    Bindings bound;
    bool learnt = false;
    for (int i = 0; i < body->n; i++) {
        Node *n = body->at[i];
        if (n->kind != NODE_CLASS || n->klass.bases.n != 1 || n->klass.bases.at[0]->kind != NODE_NAME ||
            n->klass.decorators.n || n->klass.keywords.n)
            continue;
        Str name = n->klass.bases.at[0]->name;
        if (!learnt) names_of_module(&bound, a, module);
        learnt = true;
        const Node *base = bound_once(&bound, name) ? derived_from(body, i, name) : NULL;
        if (!base || class_kind(base) == CLASS_NONE || is_asked_for(module, name)) continue;
        flatten(&(Flatten){.arena = a, .derived = n, .base = base, .called.arena = a});
    }
}
