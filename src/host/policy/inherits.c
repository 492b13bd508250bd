// Classes that derive from another class of the file, written without it: what the base holds comes first,
// the methods that the class overrides aside. `super().forward(x)` is a call of the base's method, which then
// stands under a name that no source has. So whatever reads the tree afterwards knows no inheritance but from
// the empty bases of torch.
#include "host/policy/screen.h"

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

static const Node *class_before(const Nodes *body, int before, Str name) {
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
        const Node *base = bound_once(&bound, name) ? class_before(body, i, name) : NULL;
        if (!base || class_kind(base) == CLASS_NONE || is_asked_for(module, name)) continue;
        flatten(&(Flatten){.arena = a, .derived = n, .base = base, .called.arena = a});
    }
}
