#include "sandbox/settled.h"

#include "host/policy/scope.h"

typedef struct {
    Arena *arena;
    const Node *module, *function;
    bool contiguous;
} Asked;

typedef struct {
    Arena *arena;
    Str name;
    bool other; // bound to something else, or named where it need not be the inputs' function
} Binding;

static bool method_of(const Node *n, const char *method, Str *base, const Nodes **args) {
    if (n->kind != NODE_CALL || n->call.func->kind != NODE_ATTRIBUTE || n->call.keywords.n) return false;
    const Node *of = n->call.func->attribute.value;
    if (!str_is(n->call.func->attribute.name, method) || of->kind != NODE_NAME) return false;
    *base = of->name;
    *args = &n->call.args;
    return true;
}

// `x = x.contiguous()` leaves x what it says.
static bool keeps(const Node *n, Str name) {
    Str base;
    const Nodes *args;
    return n->assign.targets.n == 1 && n->assign.targets.at[0]->kind == NODE_NAME &&
           method_of(n->assign.value, "contiguous", &base, &args) && args->n == 0 && str_eq(base, name) &&
           str_eq(n->assign.targets.at[0]->name, name);
}

static bool binds(Arena *a, const Node *target, Str name) {
    Names names = {.arena = a};
    names_of_target(&names, target, 0);
    return names_have(&names, name);
}

static void find_bindings(void *arg, const Node *n) {
    Binding *b = arg;
    switch (n->kind) {
    case NODE_ASSIGN:
        for (int i = 0; i < n->assign.targets.n && !keeps(n, b->name); i++)
            b->other |= binds(b->arena, n->assign.targets.at[i], b->name);
        break;
    case NODE_AUGASSIGN: b->other |= binds(b->arena, n->augassign.target, b->name); break;
    case NODE_ANNASSIGN: b->other |= binds(b->arena, n->annassign.target, b->name); break;
    case NODE_FOR: b->other |= binds(b->arena, n->loop.target, b->name); break;
    case NODE_COMPFOR: b->other |= binds(b->arena, n->compfor.target, b->name); break;
    case NODE_WALRUS: b->other |= str_eq(n->walrus.name, b->name); break;
    // Rare in host code: not looked into.
    case NODE_FUNCTION:
    case NODE_LAMBDA:
    case NODE_CLASS:
    case NODE_WITHITEM:
    case NODE_GLOBAL:
    case NODE_IMPORT:
    case NODE_DELETE:
    case NODE_EXCEPT: b->other = true; break;
    default: break;
    }
    node_each_child(n, find_bindings, b);
}

static void find_names(void *arg, const Node *n) {
    Binding *b = arg;
    b->other |= (n->kind == NODE_NAME && str_eq(n->name, b->name)) ||
                (n->kind == NODE_ATTRIBUTE && str_eq(n->attribute.name, b->name));
    node_each_child(n, find_names, b);
}

// The object itself, or its class, anywhere but in front of a member: somebody may call it.
static void find_objects(void *arg, const Node *n) {
    Binding *b = arg;
    if (n->kind == NODE_CALL && n->call.func->kind == NODE_NAME && str_is(n->call.func->name, "super"))
        return;
    bool class_name = n->kind == NODE_NAME && str_is(n->name, "ModelNew");
    bool self = n->kind == NODE_NAME && str_eq(n->name, b->name);
    b->other |= class_name || self || (n->kind == NODE_ATTRIBUTE && str_is(n->attribute.name, "__call__"));
    if (n->kind == NODE_ATTRIBUTE && n->attribute.value->kind == NODE_NAME &&
        str_eq(n->attribute.value->name, b->name))
        return;
    node_each_child(n, find_objects, b);
}
static bool object_is_called(const Asked *q, const Node *forward) {
    const Nodes *params = &forward->function.params;
    Binding self = {.name = params->n ? params->at[0]->param.name : STR("self")};
    find_objects(&self, q->module);
    for (int i = 0; i < q->module->module.body.n; i++) {
        const Node *n = q->module->module.body.at[i];
        self.other |= n->kind == NODE_FUNCTION && str_is(n->function.name, "run"); // then that is called
    }
    return self.other;
}

static bool in_module(const Node *module, const Node *function) {
    const Nodes *body = &module->module.body;
    for (int i = 0; i < body->n; i++) {
        if (body->at[i] == function) return str_is(function->function.name, "run");
        bool model = body->at[i]->kind == NODE_CLASS && str_is(body->at[i]->klass.name, "ModelNew");
        for (int k = 0; model && k < body->at[i]->klass.body.n; k++)
            if (body->at[i]->klass.body.at[k] == function) return str_is(function->function.name, "forward");
    }
    return false;
}

// The function that a call hands the inputs to, and nobody else calls.
static bool takes_inputs(const Asked *q) {
    const Node *f = q->function;
    if (!f || f->kind != NODE_FUNCTION || f->function.decorators.n || !in_module(q->module, f)) return false;
    Binding named = {.arena = q->arena, .name = f->function.name};
    find_names(&named, q->module);
    return !named.other && (!str_is(f->function.name, "forward") || !object_is_called(q, f));
}

static bool is_input(const Asked *q, Str name) {
    const Node *f = q->function;
    bool param = false;
    for (int i = 0; i < f->function.params.n; i++) {
        const Node *p = f->function.params.at[i];
        param |= p->param.kind == PARAM_PLAIN && !p->param.def && str_eq(p->param.name, name);
    }
    Binding b = {.arena = q->arena, .name = name};
    for (int i = 0; param && i < f->function.body.n; i++) find_bindings(&b, f->function.body.at[i]);
    return param && !b.other;
}

static Settled settled_if(bool sure, bool truth) {
    return !sure ? SETTLED_NOT : truth ? SETTLED_TRUE : SETTLED_FALSE;
}

// x.stride(-1) == 1
static Settled last_stride(const Asked *q, const Node *n) {
    Str base;
    const Nodes *args;
    const Node *one = n->compare.rest.n == 1 ? n->compare.rest.at[0] : NULL;
    if (!one || one->kind != NODE_INT || one->integer.value != 1 ||
        !method_of(n->compare.left, "stride", &base, &args))
        return SETTLED_NOT;
    const Node *last = args->n == 1 ? args->at[0] : NULL;
    bool minus_one = last && last->kind == NODE_UNARY && last->unary.op == OPER_NEG &&
                     last->unary.operand->kind == NODE_INT && last->unary.operand->integer.value == 1;
    if (!minus_one || !is_input(q, base)) return SETTLED_NOT;
    return settled_if(n->compare.ops[0] == OPER_EQ || n->compare.ops[0] == OPER_NE,
                      n->compare.ops[0] == OPER_EQ);
}

static Settled settled(const Asked *q, const Node *n) { // a tree's height is bounded
    Str base;
    const Nodes *args;
    if (n->kind == NODE_UNARY && n->unary.op == OPER_NOT) {
        Settled s = settled(q, n->unary.operand);
        return s == SETTLED_NOT ? s : s == SETTLED_TRUE ? SETTLED_FALSE : SETTLED_TRUE;
    }
    if (n->kind == NODE_BOOLOP) {
        bool all = true, and = n->boolop.op == OPER_AND;
        for (int i = 0; i < n->boolop.items.n; i++) {
            Settled s = settled(q, n->boolop.items.at[i]);
            if (s == (and? SETTLED_FALSE : SETTLED_TRUE)) return s;
            all &= s != SETTLED_NOT;
        }
        return settled_if(all, and);
    }
    if (n->kind == NODE_COMPARE) return last_stride(q, n);
    if (method_of(n, "is_contiguous", &base, &args) && args->n == 0)
        return settled_if(q->contiguous && is_input(q, base), true);
    return SETTLED_NOT;
}

Settled settled_layout(Arena *a, const Node *module, const Node *function, const Node *cond,
                       bool contiguous) {
    Asked q = {a, module, function, contiguous};
    return takes_inputs(&q) ? settled(&q, cond) : SETTLED_NOT;
}
