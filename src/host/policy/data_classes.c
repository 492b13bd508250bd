// `@dataclass` above a class of fields, written as the class that it makes:
//
//     @dataclass                  class Plan:
//     class Plan:                     block = 128
//         n: int                      def __init__(self, n, block=128):
//         block: int = 128                self.n = n
//                                         self.block = block
//
// Only with fields whose defaults are constants. What else a data class has by itself, comparison by its
// fields and a text, is not read: the interpreter knows such a class by a name that no source has
// (DATA_CLASS).
#include "host/policy/screen.h"

typedef struct {
    Arena *arena;
    const Node *module;
    bool name, of_module; // `dataclass`, `dataclasses.dataclass`, and nothing else is called so
    Span at;
} Data;

static void learn(Data *d) {
    Bindings bound;
    names_of_module(&bound, d->arena, d->module);
    for (int i = 0; i < d->module->module.body.n; i++) {
        const Node *s = d->module->module.body.at[i];
        for (int k = 0; s->kind == NODE_IMPORT && !s->import.dots && k < s->import.names.n; k++) {
            const Node *alias = s->import.names.at[k];
            if (alias->alias.as.len) continue;
            d->name |= str_is(s->import.module, "dataclasses") && str_is(alias->alias.name, "dataclass");
            d->of_module |= !s->import.from && str_is(alias->alias.name, "dataclasses");
        }
    }
    d->name = d->name && bound_once(&bound, STR("dataclass"));
    d->of_module = d->of_module && bound_once(&bound, STR("dataclasses"));
}

// @dataclass, @dataclass(), @dataclass(frozen=True)
static bool is_decorator(const Data *d, const Node *n, bool *frozen) {
    *frozen = false;
    if (n->kind == NODE_CALL) {
        if (n->call.args.n) return false;
        for (int i = 0; i < n->call.keywords.n; i++) {
            const Node *k = n->call.keywords.at[i], *v = k->keyword.value;
            if (!str_is(k->keyword.name, "frozen") || (v->kind != NODE_TRUE && v->kind != NODE_FALSE))
                return false;
            *frozen = v->kind == NODE_TRUE;
        }
        n = n->call.func;
    }
    return (d->name && node_is_name(n, "dataclass")) ||
           (d->of_module && n->kind == NODE_ATTRIBUTE && str_is(n->attribute.name, "dataclass") &&
            node_is_name(n->attribute.value, "dataclasses"));
}

static void find_special(void *arg, const Node *n) {
    bool *found = arg;
    Str name = n->kind == NODE_NAME ? n->name : n->kind == NODE_ATTRIBUTE ? n->attribute.name : (Str){0};
    *found |= str_is(name, "ClassVar") || str_is(name, "InitVar") || str_is(name, "KW_ONLY") ||
              n->kind == NODE_STRING;
    if (!*found) node_each_child(n, find_special, arg);
}

static void find_change(void *arg, const Node *n) {
    bool *found = arg;
    bool sets = n->kind == NODE_ASSIGN || n->kind == NODE_AUGASSIGN || n->kind == NODE_ANNASSIGN;
    for (int i = 0; n->kind == NODE_ASSIGN && i < n->assign.targets.n; i++)
        *found |= n->assign.targets.at[i]->kind != NODE_NAME;
    if (sets && n->kind != NODE_ASSIGN) *found = true;
    if (!*found) node_each_child(n, find_change, arg);
}

// Fields first to last; false for a class that is more than fields and methods.
static bool fields_ok(const Node *n, bool frozen) {
    bool optional = false, change = false;
    int fields = 0;
    if (n->klass.bases.n || n->klass.keywords.n || n->klass.decorators.n != 1) return false;
    for (int i = 0; i < n->klass.body.n; i++) {
        const Node *s = n->klass.body.at[i];
        bool special = false;
        if (s->kind == NODE_PASS || (s->kind == NODE_EXPRSTMT && s->value->kind == NODE_STRING)) continue;
        if (s->kind == NODE_FUNCTION && !str_starts(s->function.name, "__")) {
            if (frozen) node_each_child(s, find_change, &change);
            continue;
        }
        if (s->kind != NODE_ANNASSIGN || s->annassign.target->kind != NODE_NAME) return false;
        find_special(&special, s->annassign.annotation);
        if (special || str_is(s->annassign.target->name, "self")) return false;
        if (s->annassign.value ? !is_constant(s->annassign.value) : optional) return false;
        for (int k = 0; k < i; k++)
            if (n->klass.body.at[k]->kind == NODE_ANNASSIGN &&
                str_eq(n->klass.body.at[k]->annassign.target->name, s->annassign.target->name))
                return false;
        optional |= s->annassign.value != NULL;
        fields++;
    }
    return fields > 0 && !change;
}

// ---- what it is written as

static Node *make(const Data *d, NodeKind kind, int height) {
    Node *n = NEW(d->arena, Node);
    *n = (Node){.kind = kind, .span = d->at, .height = (uint16_t)height};
    return n;
}
static Node *named(const Data *d, Str name) {
    Node *n = make(d, NODE_NAME, 1);
    n->name = name;
    return n;
}
static Node *assigned(const Data *d, Node *target, Node *value) {
    Node *n = make(d, NODE_ASSIGN, 1 + (target->height > value->height ? target->height : value->height));
    n->assign.targets = (Nodes){NEWN(d->arena, Node *, 1), 1};
    n->assign.targets.at[0] = target;
    n->assign.value = value;
    return n;
}

static void rewrite(Data *d, Node *n) {
    const Nodes body = n->klass.body;
    d->at = (Span){n->span.at, 0};
    Node *init = make(d, NODE_FUNCTION, 5), *self = make(d, NODE_PARAM, 1);
    Nodes out = {NEWN(d->arena, Node *, (size_t)body.n + 3), 0};
    init->function.name = STR("__init__");
    init->function.params.at = NEWN(d->arena, Node *, (size_t)body.n + 2);
    init->function.body.at = NEWN(d->arena, Node *, (size_t)body.n + 1);
    self->param.name = STR("self");
    init->function.params.at[init->function.params.n++] = self;
    out.at[out.n++] = assigned(d, named(d, STR(DATA_CLASS)), make(d, NODE_TRUE, 1));
    for (int i = 0; i < body.n; i++) {
        Node *s = body.at[i];
        if (s->kind != NODE_ANNASSIGN) {
            if (s->kind == NODE_FUNCTION) out.at[out.n++] = s;
            continue;
        }
        Str field = s->annassign.target->name;
        Node *p = make(d, NODE_PARAM, 2), *member = make(d, NODE_ATTRIBUTE, 2);
        p->param.name = field;
        if (s->annassign.value) {
            out.at[out.n++] = assigned(d, s->annassign.target, s->annassign.value);
            p->param.def = named(d, field); // the class has it by then
        }
        member->attribute.value = named(d, STR("self"));
        member->attribute.name = field;
        init->function.params.at[init->function.params.n++] = p;
        init->function.body.at[init->function.body.n++] = assigned(d, member, named(d, field));
    }
    out.at[out.n++] = init;
    n->klass.body = out;
    n->klass.decorators.n = 0;
}

void data_classes_normalize(Arena *a, Node *module) {
    Data d = {.arena = a, .module = module};
    bool any = false, frozen;
    for (int i = 0; i < module->module.body.n; i++) {
        Node *n = module->module.body.at[i];
        if (n->kind != NODE_CLASS || n->klass.decorators.n != 1) continue;
        if (!any) learn(&d);
        any = true;
        if (is_decorator(&d, n->klass.decorators.at[0], &frozen) && fields_ok(n, frozen)) rewrite(&d, n);
    }
}
