// What a file says to those who check types, and objects that only hold values: written without them.
//
//     T = TypeVar("T")                    T = "T"
//     class Launcher(Protocol): ...       Launcher = "Launcher"
//     class Plan(TypedDict):              def Plan(**fields):
//         block: int                          return fields
//     Block = NewType("Block", int)       def Block(value):
//                                             return value
//     class Box(Generic[T]):              class Box:
//     @overload                           (nothing)
//     cast(int, n)                        n
//     SimpleNamespace(block=256)          an object of a class of that field
//     class Plan(ABC):                    class Plan:
//
// Names of types stay, as texts, where annotations alone ask for them.
#include "host/desugar/desugar.h"

typedef struct {
    Arena *arena;
    Node *module;
    Bindings bound;
    Nodes classes; // of namespaces, to stand before all that makes them
    int cap;
} Words;

static bool is_typing(const Words *w, const Node *n, const char *name) {
    return is_brought(w->module, &w->bound, n, "typing", name) ||
           is_brought(w->module, &w->bound, n, "typing_extensions", name);
}
// Generic[T], Protocol[T], Protocol
static bool is_base(const Words *w, const Node *n, const char *name, bool bare) {
    if (n->kind == NODE_SUBSCRIPT) return is_typing(w, n->subscript.value, name);
    return bare && is_typing(w, n, name);
}

// ---- where a name of a type is asked for while host code runs

typedef struct {
    const Words *w;
    Str name;
    int uses;
} Uses;
static void find_use(void *arg, const Node *n) {
    Uses *u = arg;
    switch (n->kind) {
    case NODE_NAME: u->uses += str_eq(n->name, u->name); return;
    case NODE_PARAM:
        if (n->param.def) find_use(arg, n->param.def);
        return;
    case NODE_ANNASSIGN:
        find_use(arg, n->annassign.target);
        if (n->annassign.value) find_use(arg, n->annassign.value);
        return;
    case NODE_FUNCTION:
        for (int i = 0; i < n->function.decorators.n; i++) find_use(arg, n->function.decorators.at[i]);
        for (int i = 0; i < n->function.params.n; i++) find_use(arg, n->function.params.at[i]);
        for (int i = 0; i < n->function.body.n; i++) find_use(arg, n->function.body.at[i]);
        return;
    case NODE_CLASS:
        for (int i = 0; i < n->klass.bases.n; i++)
            if (!is_base(u->w, n->klass.bases.at[i], "Generic", false) &&
                !is_base(u->w, n->klass.bases.at[i], "Protocol", false))
                find_use(arg, n->klass.bases.at[i]);
        for (int i = 0; i < n->klass.decorators.n; i++) find_use(arg, n->klass.decorators.at[i]);
        for (int i = 0; i < n->klass.body.n; i++) find_use(arg, n->klass.body.at[i]);
        return;
    default: node_each_child(n, find_use, arg); // a tree's height is bounded
    }
}
static bool is_used(const Words *w, const Node *definition, Str name) {
    Uses u = {w, name, 0};
    for (int i = 0; i < w->module->module.body.n; i++)
        if (w->module->module.body.at[i] != definition) find_use(&u, w->module->module.body.at[i]);
    return u.uses > 0;
}

// ---- the statements

// `...`, `pass` and docstrings.
static bool is_empty(const Nodes *body) {
    for (int i = 0; i < body->n; i++) {
        const Node *s = body->at[i];
        bool says =
            s->kind == NODE_EXPRSTMT && (s->value->kind == NODE_STRING || s->value->kind == NODE_ELLIPSIS);
        if (!says && s->kind != NODE_PASS) return false;
    }
    return true;
}
static bool is_overload(const Words *w, const Node *n) {
    if (n->kind != NODE_FUNCTION || !is_empty(&n->function.body)) return false;
    for (int i = 0; i < n->function.decorators.n; i++)
        if (is_typing(w, n->function.decorators.at[i], "overload")) return true;
    return false;
}
// Each stands before the function that it tells of.
static void drop_overloads(const Words *w, Nodes *body) {
    for (int i = 0; i < body->n; i++) {
        bool defined = false;
        for (int k = i + 1; k < body->n && !defined; k++)
            defined = body->at[k]->kind == NODE_FUNCTION && !is_overload(w, body->at[k]) &&
                      str_eq(body->at[k]->function.name, body->at[i]->function.name);
        if (!is_overload(w, body->at[i]) || !defined) continue;
        body->at[i]->kind = NODE_PASS;
        body->at[i]->height = 1;
    }
}

static bool becomes(const Words *w, Node *s, const char *text) {
    Node *n = tree_of(w->arena, text, s->span);
    if (n) *s = *n;
    return n != NULL;
}
static const char *as_text(const Words *w, Str name) {
    return arena_printf(w->arena, "%.*s = \"%.*s\"\n", STR_ARG(name), STR_ARG(name));
}

// T = TypeVar("T", bound=...), Block = NewType("Block", int)
static void assigned(const Words *w, Node *s) {
    const Node *call = s->assign.value, *to = s->assign.targets.at[0];
    if (s->assign.targets.n != 1 || to->kind != NODE_NAME || call->kind != NODE_CALL ||
        !bound_once(&w->bound, to->name) || call->call.args.n < 1 ||
        call->call.args.at[0]->kind != NODE_STRING || !str_eq(call->call.args.at[0]->string.text, to->name))
        return;
    Str name = to->name;
    bool variable = is_typing(w, call->call.func, "TypeVar") || is_typing(w, call->call.func, "ParamSpec");
    if (variable && !is_used(w, s, name)) {
        becomes(w, s, as_text(w, name));
    } else if (is_typing(w, call->call.func, "NewType") && call->call.args.n == 2 &&
               call->call.args.at[1]->kind == NODE_NAME && !call->call.keywords.n) {
        becomes(w, s, arena_printf(w->arena, "def %.*s(value):\n    return value\n", STR_ARG(name)));
    }
}

static bool is_fields(const Nodes *body, bool functions) {
    for (int i = 0; i < body->n; i++) {
        const Node *s = body->at[i];
        bool field = s->kind == NODE_ANNASSIGN && !s->annassign.value;
        bool function = functions && s->kind == NODE_FUNCTION && is_empty(&s->function.body);
        if (!field && !function && !is_empty(&(Nodes){&body->at[i], 1})) return false;
    }
    return true;
}

// ---- class Plan(ABC): methods under @abstractmethod, which the classes that derive from it all define

static bool is_abstract(const Words *w, const Node *n) {
    return n->kind == NODE_FUNCTION && n->function.decorators.n == 1 &&
           is_brought(w->module, &w->bound, n->function.decorators.at[0], "abc", "abstractmethod");
}
static bool defines_all(const Words *w, const Node *base, const Node *klass) {
    for (int i = 0; i < base->klass.body.n; i++) {
        const Node *f = base->klass.body.at[i];
        bool there = !is_abstract(w, f);
        for (int k = 0; k < klass->klass.body.n && !there; k++) {
            const Node *own = klass->klass.body.at[k];
            there = own->kind == NODE_FUNCTION && str_eq(own->function.name, f->function.name);
        }
        if (!there) return false;
    }
    return true;
}
// Nobody makes an object of it: its name is but a base.
static void abstract_class(const Words *w, Node *s) {
    Uses all = {w, s->klass.name, 0};
    int derived = 0;
    for (int i = 0; i < w->module->module.body.n; i++) {
        const Node *other = w->module->module.body.at[i];
        if (other == s) continue;
        find_use(&all, other);
        if (other->kind != NODE_CLASS || other->klass.bases.n != 1 ||
            other->klass.bases.at[0]->kind != NODE_NAME ||
            !str_eq(other->klass.bases.at[0]->name, s->klass.name))
            continue;
        if (!defines_all(w, s, other)) return;
        derived++;
    }
    if (all.uses != derived) return;
    for (int i = 0; i < s->klass.body.n; i++) {
        Node *f = s->klass.body.at[i], *raise = NULL;
        if (!is_abstract(w, f)) continue;
        f->function.decorators.n = 0;
        if (is_empty(&f->function.body)) raise = tree_of(w->arena, "raise NotImplementedError\n", f->span);
        if (raise) f->function.body = (Nodes){NEWN(w->arena, Node *, 1), 1}, f->function.body.at[0] = raise;
    }
    s->klass.bases.n = 0;
}

static void class_of_types(const Words *w, Node *s) {
    Nodes *bases = &s->klass.bases;
    drop_overloads(w, &s->klass.body);
    if (!bound_once(&w->bound, s->klass.name)) return;
    const Node *base = bases->n == 1 ? bases->at[0] : NULL;
    bool plain = true; // @runtime_checkable says who may ask isinstance()
    for (int i = 0; i < s->klass.decorators.n; i++)
        plain &= is_typing(w, s->klass.decorators.at[i], "runtime_checkable");
    Str name = s->klass.name;
    if (base && plain && is_base(w, base, "Protocol", true) && is_fields(&s->klass.body, true) &&
        !is_used(w, s, name)) {
        becomes(w, s, as_text(w, name));
        return;
    }
    if (base && !s->klass.decorators.n && is_typing(w, base, "TypedDict") &&
        is_fields(&s->klass.body, false)) {
        for (int i = 0; i < s->klass.keywords.n; i++)
            if (!str_is(s->klass.keywords.at[i]->keyword.name, "total")) return;
        becomes(w, s,
                is_used(w, s, name)
                    ? arena_printf(w->arena, "def %.*s(**fields):\n    return fields\n", STR_ARG(name))
                    : as_text(w, name));
        return;
    }
    if (base && !s->klass.decorators.n && !s->klass.keywords.n &&
        is_brought(w->module, &w->bound, base, "abc", "ABC")) {
        abstract_class(w, s);
        return;
    }
    int n = 0;
    for (int i = 0; i < bases->n; i++)
        if (!is_base(w, bases->at[i], "Generic", false)) bases->at[n++] = bases->at[i];
    bases->n = n;
}

// ---- expressions

static bool is_field(Str s) { return s.len > 0 && !str_is(s, "self") && !str_starts(s, "__"); }

// Two of these classes, by their functions.
static bool is_same_body(const Node *a, const Node *b) {
    return node_equal(a->klass.body.at[1], b->klass.body.at[1]);
}

static void put_class(Words *w, Node *n) {
    if (w->classes.n == w->cap) {
        int cap = w->cap * 2 + 4;
        Node **at = NEWN(w->arena, Node *, (size_t)cap);
        if (w->classes.n) memcpy(at, w->classes.at, sizeof *at * (size_t)w->classes.n);
        w->classes.at = at;
        w->cap = cap;
    }
    w->classes.at[w->classes.n++] = n;
}

// SimpleNamespace(block=256, warps=4): like a data class, whose objects nobody compares. Those of the same
// fields are of one class, so that this is noticed.
static void namespace(Words *w, const Node *n) {
    const Nodes *fields = &n->call.keywords;
    Nodes in_order = {NEWN(w->arena, Node *, (size_t)fields->n + 1), 0};
    if (n->call.args.n) return;
    for (int i = 0; i < fields->n; i++) {
        Str name = fields->at[i]->keyword.name;
        int at = in_order.n++;
        if (!is_field(name)) return;
        for (; at > 0 && str_cmp(in_order.at[at - 1]->keyword.name, name) > 0; at--)
            in_order.at[at] = in_order.at[at - 1];
        in_order.at[at] = fields->at[i];
    }
    Buf text = BUF(w->arena);
    buf_printf(&text, "class namespace:\n    data_class = True\n    def __init__(self");
    for (int i = 0; i < in_order.n; i++) buf_printf(&text, ", %.*s", STR_ARG(in_order.at[i]->keyword.name));
    buf_printf(&text, "):\n        pass\n");
    for (int i = 0; i < in_order.n; i++) {
        Str name = in_order.at[i]->keyword.name;
        buf_printf(&text, "        self.%.*s = %.*s\n", STR_ARG(name), STR_ARG(name));
    }
    Node *c = tree_of(w->arena, buf_cstr(&text), (Span){n->span.at, 0}), *f = (Node *)(uintptr_t)n->call.func;
    int same = 0;
    if (!c) return;
    c->klass.body.at[0]->assign.targets.at[0]->name = STR(DATA_CLASS);
    while (same < w->classes.n && !is_same_body(w->classes.at[same], c)) same++;
    c->klass.name = str_of(arena_printf(w->arena, "namespace %d", same)); // no source has it
    if (same == w->classes.n) put_class(w, c);
    *f = (Node){.kind = NODE_NAME, .span = f->span, .height = 1, .name = c->klass.name};
}

static void expressions(void *arg, const Node *n) {
    Words *w = arg;
    if (n->kind == NODE_FUNCTION && is_jit_function(n)) return;
    node_each_child(n, expressions, arg); // a tree's height is bounded
    if (n->kind != NODE_CALL) return;
    if (is_brought(w->module, &w->bound, n->call.func, "types", "SimpleNamespace")) namespace(w, n);
    const Nodes *args = &n->call.args;
    if (args->n == 2 && !n->call.keywords.n && args->at[1]->kind != NODE_STARRED &&
        is_typing(w, n->call.func, "cast") &&
        (args->at[0]->kind == NODE_NAME || args->at[0]->kind == NODE_STRING ||
         args->at[0]->kind == NODE_ATTRIBUTE || args->at[0]->kind == NODE_SUBSCRIPT)) {
        Node *own = (Node *)(uintptr_t)n; // the tree is this process's own
        *own = *args->at[1];
    }
}

// Grid = tuple[int, int], Size = int | None: a name for annotations, where nothing else asks for it.
static bool is_type(const Words *w, const Node *n) {
    static const char *const type[] = {"int", "float", "bool", "str", "tuple", "list", "dict", "set", "type"};
    if (n->kind == NODE_NONE || n->kind == NODE_ELLIPSIS) return true;
    if (n->kind == NODE_ATTRIBUTE)
        return node_is_name(n->attribute.value, "torch") &&
               (str_is(n->attribute.name, "Tensor") || str_is(n->attribute.name, "dtype") ||
                str_is(n->attribute.name, "device"));
    if (n->kind == NODE_SUBSCRIPT)
        return n->subscript.value->kind == NODE_NAME && is_type(w, n->subscript.value) &&
               is_type(w, n->subscript.index);
    if (n->kind == NODE_BINARY)
        return n->binary.op == OPER_BITOR && is_type(w, n->binary.left) && is_type(w, n->binary.right);
    for (int i = 0; n->kind == NODE_TUPLE && i < n->items.n; i++)
        if (!is_type(w, n->items.at[i])) return false;
    for (size_t i = 0; n->kind == NODE_NAME && i < sizeof type / sizeof *type; i++)
        if (node_is_name(n, type[i])) return !names_have(&w->bound.all, n->name);
    return n->kind == NODE_TUPLE;
}
static bool is_alias(const Node *s) {
    const Node *v = s->kind == NODE_ASSIGN ? s->assign.value : s;
    return s->kind == NODE_ASSIGN && s->assign.targets.n == 1 && s->assign.targets.at[0]->kind == NODE_NAME &&
           (v->kind == NODE_SUBSCRIPT || (v->kind == NODE_BINARY && v->binary.op == OPER_BITOR));
}
static void alias(const Words *w, Node *s) {
    Str name = s->assign.targets.at[0]->name;
    if (is_type(w, s->assign.value) && bound_once(&w->bound, name) && !is_used(w, s, name))
        becomes(w, s, as_text(w, name));
}

// class KernelError(RuntimeError): pass. As nothing here catches an error, it is the one that it derives
// from.
typedef struct {
    Str name, base;
} Error;
static void name_base(void *arg, const Node *n) {
    const Error *e = arg;
    if (n->kind == NODE_NAME && str_eq(n->name, e->name)) ((Node *)(uintptr_t)n)->name = e->base;
    node_each_child(n, name_base, arg); // a tree's height is bounded
}
static void own_errors(Arena *a, Node *module) {
    static const char *const errors[] = {"Exception",      "ValueError",          "RuntimeError",
                                         "TypeError",      "IndexError",          "KeyError",
                                         "AssertionError", "NotImplementedError", "OverflowError"};
    Bindings bound;
    bool learnt = false;
    for (int i = 0; i < module->module.body.n; i++) {
        Node *c = module->module.body.at[i];
        const Node *base = c->kind == NODE_CLASS && c->klass.bases.n == 1 ? c->klass.bases.at[0] : NULL;
        bool known = false, plain = base && base->kind == NODE_NAME && !c->klass.decorators.n;
        for (size_t k = 0; plain && k < sizeof errors / sizeof *errors; k++)
            known |= str_is(base->name, errors[k]);
        for (int k = 0; known && k < c->klass.body.n; k++) {
            const Node *s = c->klass.body.at[k];
            known = s->kind == NODE_PASS || (s->kind == NODE_EXPRSTMT && (s->value->kind == NODE_STRING ||
                                                                          s->value->kind == NODE_ELLIPSIS));
        }
        if (!known) continue;
        if (!learnt) names_of_module(&bound, a, module);
        learnt = true;
        if (!bound_once(&bound, c->klass.name) || names_have(&bound.all, base->name)) continue;
        Error e = {c->klass.name, base->name};
        *c = (Node){.kind = NODE_PASS, .span = c->span, .height = 1};
        node_each_child(module, name_base, &e);
    }
}

// `Row: TypeAlias = tuple[int, int]`: an assignment like any other.
static void untype(Arena *a, Node *s) {
    const Node *as = s->kind == NODE_ANNASSIGN && s->annassign.value ? s->annassign.annotation : NULL;
    if (!as || s->annassign.target->kind != NODE_NAME ||
        !(node_is_name(as, "TypeAlias") ||
          (as->kind == NODE_ATTRIBUTE && str_is(as->attribute.name, "TypeAlias"))))
        return;
    Node *target = s->annassign.target, *value = s->annassign.value;
    *s = (Node){.kind = NODE_ASSIGN, .span = s->span, .height = s->height};
    s->assign.targets = (Nodes){NEWN(a, Node *, 1), 1};
    s->assign.targets.at[0] = target;
    s->assign.value = value;
}

void typing_words_normalize(Arena *a, Node *module) {
    Words w = {.arena = a, .module = module};
    Nodes *body = &module->module.body;
    bool any = false;
    own_errors(a, module);
    for (int i = 0; i < body->n; i++) untype(a, body->at[i]), any |= is_alias(body->at[i]);
    for (int i = 0; i < body->n; i++) {
        const Node *s = body->at[i];
        for (int k = 0; s->kind == NODE_IMPORT && k < s->import.names.n; k++) {
            Str of = s->import.from ? s->import.module : s->import.names.at[k]->alias.name;
            any |= str_is(of, "typing") || str_is(of, "typing_extensions") || str_is(of, "types") ||
                   str_is(of, "abc");
        }
    }
    if (!any) return;
    names_of_module(&w.bound, a, module);
    expressions(&w, module);
    drop_overloads(&w, body);
    for (int i = 0; i < body->n; i++) {
        if (is_alias(body->at[i])) alias(&w, body->at[i]);
        if (body->at[i]->kind == NODE_ASSIGN) assigned(&w, body->at[i]);
        if (body->at[i]->kind == NODE_CLASS) class_of_types(&w, body->at[i]);
    }
    if (!w.classes.n) return;
    int imports = 0; // those of __future__ stand before all
    while (imports < body->n &&
           (body->at[imports]->kind == NODE_IMPORT || body->at[imports]->kind == NODE_PASS ||
            body->at[imports]->kind == NODE_EXPRSTMT))
        imports++;
    for (int k = 0; k < imports; k++) put_class(&w, NULL);
    int classes = w.classes.n - imports;
    for (int k = 0; k < body->n - imports; k++) put_class(&w, body->at[imports + k]);
    memmove(w.classes.at + imports, w.classes.at, sizeof(Node *) * (size_t)classes);
    memcpy(w.classes.at, body->at, sizeof(Node *) * (size_t)imports);
    *body = w.classes;
}
