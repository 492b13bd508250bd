// `@dataclass` above a class of fields, written as the class that it makes:
//
//     @dataclass                  class Plan:
//     class Plan:                     block = 128
//         n: int                      def __init__(self, n, block=128):
//         block: int = 128                self.n = n
//                                         self.block = block
//
// A class of fields that derives from NamedTuple, and what namedtuple("Plan", ["n", "block"]) gives, become
// the same, but for a name that tells the interpreter to make tuples of the objects (NAMED_TUPLE).
//
// Only with fields whose defaults are constants, or field(default_factory=...): such a field is always given,
// and who leaves it out gives what the factory makes (data_fields.c). __post_init__ is called in the end.
// What else a data class has by itself, comparison by its fields and a text, is not read: the interpreter
// knows such a class by a name that no source has (DATA_CLASS).
#include "host/desugar/data_fields.h"
#include "host/desugar/desugar.h"

typedef struct {
    Arena *arena;
    const Node *module;
    bool name, of_module;       // `dataclass`, `dataclasses.dataclass`, and nothing else is called so
    bool tuple, typing;         // `NamedTuple`, `typing`
    bool function, collections; // `namedtuple`, `collections`
    Bindings bound;
    DataFields fields;
    Span at;
} Data;

static void learn(Data *d) {
    names_of_module(&d->bound, d->arena, d->module);
    const Bindings *bound = &d->bound;
    for (int i = 0; i < d->module->module.body.n; i++) {
        const Node *s = d->module->module.body.at[i];
        for (int k = 0; s->kind == NODE_IMPORT && !s->import.dots && k < s->import.names.n; k++) {
            const Node *alias = s->import.names.at[k];
            if (alias->alias.as.len) continue;
            d->name |= str_is(s->import.module, "dataclasses") && str_is(alias->alias.name, "dataclass");
            d->of_module |= !s->import.from && str_is(alias->alias.name, "dataclasses");
            d->tuple |= str_is(s->import.module, "typing") && str_is(alias->alias.name, "NamedTuple");
            d->typing |= !s->import.from && str_is(alias->alias.name, "typing");
            d->function |= str_is(s->import.module, "collections") && str_is(alias->alias.name, "namedtuple");
            d->collections |= !s->import.from && str_is(alias->alias.name, "collections");
        }
    }
    d->name = d->name && bound_once(bound, STR("dataclass"));
    d->of_module = d->of_module && bound_once(bound, STR("dataclasses"));
    d->tuple = d->tuple && bound_once(bound, STR("NamedTuple"));
    d->typing = d->typing && bound_once(bound, STR("typing"));
    d->function = d->function && bound_once(bound, STR("namedtuple"));
    d->collections = d->collections && bound_once(bound, STR("collections"));
}

// @dataclass, @dataclass(), @dataclass(frozen=True)
static bool is_decorator(const Data *d, const Node *n, bool *frozen, bool *named) {
    *frozen = *named = false;
    if (n->kind == NODE_CALL) {
        if (n->call.args.n) return false;
        for (int i = 0; i < n->call.keywords.n; i++) {
            const Node *k = n->call.keywords.at[i], *v = k->keyword.value;
            // No class here has attributes of other names, and nobody asks for a text or compares two.
            bool quiet = str_is(k->keyword.name, "slots") || str_is(k->keyword.name, "repr") ||
                         str_is(k->keyword.name, "eq") || str_is(k->keyword.name, "unsafe_hash");
            bool keywords = str_is(k->keyword.name, "kw_only");
            if (!(quiet || keywords || str_is(k->keyword.name, "frozen")) ||
                (v->kind != NODE_TRUE && v->kind != NODE_FALSE))
                return false;
            if (keywords) *named = v->kind == NODE_TRUE;
            if (!quiet && !keywords) *frozen = v->kind == NODE_TRUE;
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

static bool is_of(const Node *n, bool alone, const char *name, bool in_module, const char *module) {
    return (alone && node_is_name(n, name)) ||
           (in_module && n->kind == NODE_ATTRIBUTE && str_is(n->attribute.name, name) &&
            node_is_name(n->attribute.value, module));
}
static bool is_named_tuple(const Data *d, const Node *n) {
    return n->klass.bases.n == 1 && !n->klass.decorators.n && !n->klass.keywords.n &&
           is_of(n->klass.bases.at[0], d->tuple, "NamedTuple", d->typing, "typing");
}

// What a NamedTuple has by itself and no file may give it.
static bool is_own(Str name) {
    return str_is(name, "_replace") || str_is(name, "_asdict") || str_is(name, "_make") ||
           str_is(name, "_fields") || str_is(name, "_field_defaults");
}

// The methods of two underscores that mean something here, or that only make a text.
static bool is_text_method(Str name) { return str_is(name, "__repr__") || str_is(name, "__str__"); }
static bool is_known_method(const Node *n, Str name) {
    return n->klass.decorators.n &&
           (is_text_method(name) || str_is(name, "__call__") || str_is(name, "__post_init__"));
}

// Fields first to last; false for a class that is more than fields and methods.
static bool fields_ok(const Data *d, const Node *n, bool frozen) {
    bool optional = false, change = false;
    int fields = 0;
    if (n->klass.keywords.n || n->klass.decorators.n + n->klass.bases.n != 1) return false;
    for (int i = 0; i < n->klass.body.n; i++) {
        const Node *s = n->klass.body.at[i];
        bool special = false;
        if (s->kind == NODE_PASS || (s->kind == NODE_EXPRSTMT && s->value->kind == NODE_STRING)) continue;
        if (s->kind == NODE_FUNCTION && is_own(s->function.name)) return false;
        if (s->kind == NODE_FUNCTION &&
            (!str_starts(s->function.name, "__") || is_known_method(n, s->function.name))) {
            if (frozen) node_each_child(s, find_change, &change);
            continue;
        }
        if (data_constant(n, s)) continue;
        if (s->kind != NODE_ANNASSIGN || s->annassign.target->kind != NODE_NAME) return false;
        const DataField *field = data_field(&d->fields, s);
        find_special(&special, s->annassign.annotation);
        if (special || str_is(s->annassign.target->name, "self")) return false;
        if (n->klass.bases.n && s->annassign.target->name.p[0] == '_') return false;
        if (s->annassign.value ? !is_constant(s->annassign.value) : optional && !field) return false;
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

static void rewrite(Data *d, Node *n, const char *marker, bool keywords) {
    const Nodes body = n->klass.body;
    d->at = (Span){n->span.at, 0};
    Node *init = make(d, NODE_FUNCTION, 5), *self = make(d, NODE_PARAM, 1);
    Nodes out = {NEWN(d->arena, Node *, (size_t)body.n + 3), 0};
    init->function.name = STR("__init__");
    init->function.params.at = NEWN(d->arena, Node *, (size_t)body.n + 3);
    init->function.body.at = NEWN(d->arena, Node *, (size_t)body.n + 2);
    self->param.name = STR("self");
    init->function.params.at[init->function.params.n++] = self;
    out.at[out.n++] = assigned(d, named(d, str_of(marker)), make(d, NODE_TRUE, 1));
    Nodes late = {NEWN(d->arena, Node *, (size_t)body.n + 1), 0}; // parameters that only keywords give
    bool after = false;
    for (int i = 0; i < body.n; i++) {
        Node *s = body.at[i];
        if (data_constant(n, s)) {
            Node *to = s->kind == NODE_ASSIGN ? s->assign.targets.at[0] : s->annassign.target;
            out.at[out.n++] = assigned(d, to, s->kind == NODE_ASSIGN ? s->assign.value : s->annassign.value);
        } else if (s->kind == NODE_FUNCTION && !(n->klass.decorators.n && is_text_method(s->function.name))) {
            after |= str_is(s->function.name, "__post_init__");
            out.at[out.n++] = s;
        }
        if (s->kind != NODE_ANNASSIGN || data_constant(n, s)) continue;
        Str field = s->annassign.target->name;
        Node *p = make(d, NODE_PARAM, 2), *member = make(d, NODE_ATTRIBUTE, 2);
        const DataField *own = data_field(&d->fields, s);
        p->param.name = field;
        member->attribute.value = named(d, STR("self"));
        member->attribute.name = field;
        if (own && !own->given) { // nobody gives it
            init->function.body.at[init->function.body.n++] = assigned(d, member, own->makes);
            continue;
        }
        if (own || keywords) {
            p->param.kind = PARAM_KWONLY;
            late.at[late.n++] = p;
        }
        bool tuple = n->klass.bases.n > 0; // whose class has members of these names, not the defaults
        if (tuple) p->param.def = s->annassign.value;
        if (s->annassign.value && !tuple) {
            out.at[out.n++] = assigned(d, s->annassign.target, s->annassign.value);
            p->param.def = named(d, field); // the class has it by then
        }
        if (p->param.kind == PARAM_PLAIN) init->function.params.at[init->function.params.n++] = p;
        init->function.body.at[init->function.body.n++] = assigned(d, member, named(d, field));
    }
    if (late.n) { // behind a star
        Node *star = make(d, NODE_PARAM, 1);
        star->param.kind = PARAM_STAR;
        init->function.params.at[init->function.params.n++] = star;
    }
    for (int i = 0; i < late.n; i++) init->function.params.at[init->function.params.n++] = late.at[i];
    if (after) data_post_init(d->arena, &out, init);
    out.at[out.n++] = init;
    n->klass.body = out;
    n->klass.decorators.n = n->klass.bases.n = 0;
}

// ---- namedtuple("Plan", ["n", "block"])

// The names in a list of texts, or in one text between blanks and commas.
static bool field_names(const Node *n, Names *out) {
    if (is_written_list(n, false)) {
        for (int i = 0; i < n->items.n; i++) names_add(out, n->items.at[i]->string.text);
        return out->n == n->items.n;
    }
    if (n->kind != NODE_STRING || n->string.bytes) return false;
    Str s = n->string.text;
    int words = 0;
    for (size_t i = 0; i < s.len;) {
        size_t len = 0;
        while (i < s.len && (s.p[i] == ' ' || s.p[i] == ',')) i++;
        while (i + len < s.len && s.p[i + len] != ' ' && s.p[i + len] != ',') len++;
        if (len) names_add(out, (Str){s.p + i, len}), words++;
        i += len;
    }
    return out->n == words;
}

static bool is_field_name(Str s) {
    for (size_t i = 0; i < s.len; i++) {
        char c = s.p[i];
        bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'), digit = c >= '0' && c <= '9';
        if (!letter && !(i > 0 && (digit || c == '_'))) return false;
    }
    return s.len > 0 && !str_is(s, "self");
}

// The statement as a class of these fields; defaults belong to the last ones.
static void rewrite_function(Data *d, Node *s) {
    const Node *call = s->assign.value, *defaults = NULL;
    Names fields = {.arena = d->arena};
    if (!is_of(call->call.func, d->function, "namedtuple", d->collections, "collections") ||
        call->call.args.n != 2 || call->call.keywords.n > 1 || call->call.args.at[0]->kind != NODE_STRING ||
        !str_eq(call->call.args.at[0]->string.text, s->assign.targets.at[0]->name) ||
        !bound_once(&d->bound, s->assign.targets.at[0]->name) || !field_names(call->call.args.at[1], &fields))
        return;
    for (int i = 0; i < fields.n; i++)
        if (!is_field_name(fields.at[i])) return;
    if (call->call.keywords.n) {
        const Node *k = call->call.keywords.at[0];
        defaults = k->keyword.value;
        if (!str_is(k->keyword.name, "defaults") || !is_written_list(defaults, true) ||
            defaults->items.n > fields.n)
            return;
    }
    d->at = (Span){s->span.at, 0};
    Nodes body = {NEWN(d->arena, Node *, (size_t)fields.n + 1), fields.n};
    for (int i = 0; i < fields.n; i++) {
        int k = defaults ? i - (fields.n - defaults->items.n) : -1;
        Node *f = make(d, NODE_ANNASSIGN, 2);
        f->annassign.target = named(d, fields.at[i]);
        f->annassign.annotation = named(d, STR("int"));
        f->annassign.value = k >= 0 ? defaults->items.at[k] : NULL;
        body.at[i] = f;
    }
    Str name = s->assign.targets.at[0]->name;
    Nodes bases = {NEWN(d->arena, Node *, 1), 1};
    bases.at[0] = named(d, STR("NamedTuple"));
    s->kind = NODE_CLASS;
    s->height = 6;
    s->klass.name = name;
    s->klass.body = body;
    s->klass.bases = bases;
    s->klass.keywords = s->klass.decorators = (Nodes){0};
    if (fields.n && fields_ok(d, s, false)) rewrite(d, s, NAMED_TUPLE, false);
}

void data_classes_normalize(Arena *a, Node *module) {
    Data d = {.arena = a, .module = module, .fields = {.arena = a, .module = module}};
    bool any = false, frozen, keywords;
    for (int i = 0; i < module->module.body.n; i++) {
        Node *n = module->module.body.at[i];
        bool assigned = n->kind == NODE_ASSIGN && n->assign.targets.n == 1 &&
                        n->assign.targets.at[0]->kind == NODE_NAME && n->assign.value->kind == NODE_CALL;
        if (!assigned && (n->kind != NODE_CLASS || n->klass.decorators.n + n->klass.bases.n != 1)) continue;
        if (!any) learn(&d);
        any = true;
        if (assigned)
            rewrite_function(&d, n);
        else if (is_named_tuple(&d, n) && fields_ok(&d, n, false))
            rewrite(&d, n, NAMED_TUPLE, false);
        else if (n->klass.decorators.n && is_decorator(&d, n->klass.decorators.at[0], &frozen, &keywords) &&
                 data_fields_read(&d.fields, &d.bound, n) && fields_ok(&d, n, frozen))
            rewrite(&d, n, DATA_CLASS, keywords), data_class_add(&d.fields, n);
    }
    if (d.fields.classes) data_calls_rewrite(&d.fields, &d.bound);
}

// ---- enumerations
//
//     class Kind(Enum):           class Kind:
//         SUM = "sum"                 SUM = ("SUM", "sum")
//         MAX = auto()                MAX = ("MAX", 1)
//
// The interpreter, told by a name that no source has (ENUM_CLASS), makes one object of each pair, with a
// `name` and a `value`. Members of an IntEnum or a StrEnum are the numbers and texts that Python takes them
// for; `.value` and `.name` behind one are written out. So are those of (int, Enum) and (str, Enum), but for
// their text, which is another: a file that could ask for it is not read.

typedef enum { ENUM_NONE, ENUM_OBJECTS, ENUM_VALUES } EnumKind;
typedef struct {
    Arena *arena;
    const Node *module;
    Bindings bound;
    Names from;        // what `from enum import` brings
    bool module_bound; // `import enum`
    Names valued;      // classes whose members are plain values
    Span at;
} Enums;

static void enum_learn(Enums *e) {
    names_of_module(&e->bound, e->arena, e->module);
    e->from.arena = e->valued.arena = e->arena;
    for (int i = 0; i < e->module->module.body.n; i++) {
        const Node *s = e->module->module.body.at[i];
        for (int k = 0; s->kind == NODE_IMPORT && !s->import.dots && k < s->import.names.n; k++) {
            const Node *alias = s->import.names.at[k];
            if (alias->alias.as.len || !bound_once(&e->bound, alias->alias.name)) continue;
            if (s->import.from && str_is(s->import.module, "enum")) names_add(&e->from, alias->alias.name);
            e->module_bound |= !s->import.from && str_is(alias->alias.name, "enum");
        }
    }
}

// Enum, enum.Enum
static bool is_of_enum(const Enums *e, const Node *n, const char *name) {
    if (n->kind == NODE_NAME) return str_is(n->name, name) && names_have(&e->from, n->name);
    return n->kind == NODE_ATTRIBUTE && str_is(n->attribute.name, name) && e->module_bound &&
           node_is_name(n->attribute.value, "enum");
}

// Whether anything makes a text of a value, but for what an error, an assertion or a log says.
typedef struct {
    const Enums *e;
    bool found;
} Texts;
static void find_text(void *arg, const Node *n) {
    Texts *t = arg;
    static const char *const text[] = {"str", "repr", "format", "ascii"};
    if (n->kind == NODE_RAISE) return;
    if (n->kind == NODE_ASSERT) return find_text(arg, n->assertion.cond);
    const Node *f = n->kind == NODE_EXPRSTMT && n->value->kind == NODE_CALL ? n->value->call.func : NULL;
    if (f &&
        (node_is_name(f, "print") || (f->kind == NODE_ATTRIBUTE && f->attribute.value->kind == NODE_NAME &&
                                      is_logger(t->e->module, &t->e->bound, f->attribute.value->name))))
        return;
    t->found |= n->kind == NODE_FSTRING ||
                (n->kind == NODE_BINARY && n->binary.op == OPER_MOD && n->binary.left->kind == NODE_STRING) ||
                (n->kind == NODE_ATTRIBUTE && str_is(n->attribute.name, "format"));
    for (size_t i = 0; n->kind == NODE_NAME && i < sizeof text / sizeof *text; i++)
        t->found |= node_is_name(n, text[i]);
    if (!t->found) node_each_child(n, find_text, arg); // a tree's height is bounded
}
// As a base, `str` is one that nobody asks for a text.
static bool makes_texts(const Enums *e) {
    Texts t = {.e = e};
    for (int i = 0; i < e->module->module.body.n; i++) {
        const Node *s = e->module->module.body.at[i];
        if (s->kind != NODE_CLASS) {
            find_text(&t, s);
            continue;
        }
        for (int k = 0; k < s->klass.body.n; k++) find_text(&t, s->klass.body.at[k]);
    }
    return t.found;
}

static EnumKind enum_kind(const Enums *e, const Node *n) {
    if (n->kind != NODE_CLASS || n->klass.bases.n < 1 || n->klass.bases.n > 2 || n->klass.decorators.n ||
        n->klass.keywords.n || !bound_once(&e->bound, n->klass.name))
        return ENUM_NONE;
    const Node *base = n->klass.bases.at[n->klass.bases.n - 1];
    if (n->klass.bases.n == 2) {
        const Node *of = n->klass.bases.at[0];
        bool plain = node_is_name(of, "str") || node_is_name(of, "int");
        return plain && is_of_enum(e, base, "Enum") && !names_have(&e->bound.all, of->name) && !makes_texts(e)
                   ? ENUM_VALUES
                   : ENUM_NONE;
    }
    if (is_of_enum(e, base, "Enum")) return ENUM_OBJECTS;
    return is_of_enum(e, base, "IntEnum") || is_of_enum(e, base, "StrEnum") ? ENUM_VALUES : ENUM_NONE;
}

static bool is_auto(const Enums *e, const Node *n) {
    return n->kind == NODE_CALL && !n->call.args.n && !n->call.keywords.n &&
           is_of_enum(e, n->call.func, "auto");
}

// Members that are whole numbers or texts, each under a name of its own, and plain methods.
static bool is_simple(const Enums *e, const Node *n, EnumKind kind) {
    const Node *base = n->klass.bases.at[0];
    bool lower = is_of_enum(e, base, "StrEnum"), text = lower || node_is_name(base, "str");
    bool number = kind == ENUM_VALUES && !text;
    const Node *last = NULL;
    int members = 0;
    for (int i = 0; i < n->klass.body.n; i++) {
        const Node *s = n->klass.body.at[i];
        if (s->kind == NODE_PASS || (s->kind == NODE_EXPRSTMT && s->value->kind == NODE_STRING)) continue;
        if (s->kind == NODE_FUNCTION && kind == ENUM_OBJECTS && !s->function.decorators.n &&
            s->function.name.p[0] != '_')
            continue;
        if (s->kind != NODE_ASSIGN || s->assign.targets.n != 1 || s->assign.targets.at[0]->kind != NODE_NAME)
            return false;
        Str name = s->assign.targets.at[0]->name;
        const Node *v = s->assign.value;
        if (name.p[0] == '_' || str_is(name, "name") || str_is(name, "value") || str_is(name, "mro"))
            return false;
        if (v->kind == NODE_STRING ? v->string.bytes || number : v->kind != NODE_INT && !is_auto(e, v))
            return false;
        if (text && v->kind != NODE_STRING && !(lower && is_auto(e, v))) return false;
        if (is_auto(e, v) && !lower && last && last->kind == NODE_STRING)
            return false; // Python warns, or refuses
        for (int k = 0; k < i; k++)
            if (n->klass.body.at[k]->kind == NODE_ASSIGN &&
                str_eq(n->klass.body.at[k]->assign.targets.at[0]->name, name))
                return false;
        last = v;
        members++;
    }
    return members > 0;
}

// ---- what it is written as

static Node *enum_make(const Enums *e, NodeKind kind, int height) {
    Node *n = NEW(e->arena, Node);
    *n = (Node){.kind = kind, .span = e->at, .height = (uint16_t)height};
    return n;
}
static Node *text_of(const Enums *e, Str s) {
    Node *n = enum_make(e, NODE_STRING, 1);
    n->string.text = s;
    return n;
}
static Node *enum_assigned(const Enums *e, Str name, Node *value) {
    Node *n = enum_make(e, NODE_ASSIGN, 1 + value->height), *target = enum_make(e, NODE_NAME, 1);
    target->name = name;
    n->assign.targets = (Nodes){NEWN(e->arena, Node *, 1), 1};
    n->assign.targets.at[0] = target;
    n->assign.value = value;
    return n;
}
static Node *pair(const Enums *e, Node *first, Node *second) {
    Node *n = enum_make(e, NODE_TUPLE, 2);
    n->items = (Nodes){NEWN(e->arena, Node *, 2), 2};
    n->items.at[0] = first;
    n->items.at[1] = second;
    return n;
}

// A text that `auto` gives is the name in small letters.
static void name_in_small(const Enums *e, const Node *s) {
    Str name = s->assign.targets.at[0]->name;
    char *small = NEWN(e->arena, char, name.len + 1);
    for (size_t i = 0; i < name.len; i++)
        small[i] = (char)(name.p[i] >= 'A' && name.p[i] <= 'Z' ? name.p[i] + ('a' - 'A') : name.p[i]);
    Node *v = s->assign.value;
    *v = (Node){.kind = NODE_STRING, .span = v->span, .height = 1};
    v->string.text = (Str){small, name.len};
}

// A number that `auto` gives is one more than the largest before.
static void count(const Enums *e, Node *s, uint64_t *largest) {
    Node *v = s->assign.value;
    if (is_auto(e, v)) {
        *v = (Node){.kind = NODE_INT, .span = v->span, .height = 1};
        v->integer.value = *largest + 1;
    }
    if (v->kind == NODE_INT && v->integer.value > *largest) *largest = v->integer.value;
}

static void enum_rewrite(Enums *e, Node *n, EnumKind kind) {
    const Nodes body = n->klass.body;
    Nodes out = {NEWN(e->arena, Node *, (size_t)body.n + 4), 0};
    uint64_t largest = 0;
    bool lower = is_of_enum(e, n->klass.bases.at[0], "StrEnum");
    e->at = (Span){n->span.at, 0};
    out.at[out.n++] = enum_assigned(e, STR(ENUM_CLASS), enum_make(e, NODE_TRUE, 1));
    // Nothing is known of what these members of an object are.
    for (int i = 0; i < 2 && kind == ENUM_OBJECTS; i++)
        out.at[out.n++] = enum_assigned(e, i ? STR("value") : STR("name"),
                                        pair(e, text_of(e, (Str){0}), enum_make(e, NODE_NONE, 1)));
    for (int i = 0; i < body.n; i++) {
        Node *s = body.at[i];
        if (s->kind == NODE_FUNCTION) out.at[out.n++] = s;
        if (s->kind != NODE_ASSIGN) continue;
        if (lower && is_auto(e, s->assign.value)) name_in_small(e, s);
        count(e, s, &largest);
        if (kind == ENUM_OBJECTS) {
            s->assign.value = pair(e, text_of(e, s->assign.targets.at[0]->name), s->assign.value);
            s->height = 3;
        }
        out.at[out.n++] = s;
    }
    n->klass.body = out;
    n->klass.bases.n = 0;
    if (n->height < 5) n->height = 5;
    if (kind == ENUM_VALUES) names_add(&e->valued, n->klass.name);
}

// Mode.A.value, Mode.A.name
static void write_out(void *arg, const Node *n) {
    const Enums *e = arg;
    node_each_child(n, write_out, arg); // a tree's height is bounded
    const Node *member = n->kind == NODE_ATTRIBUTE ? n->attribute.value : n;
    // Mode(1).value
    if (n->kind == NODE_ATTRIBUTE && str_is(n->attribute.name, "value") && member->kind == NODE_CALL &&
        member->call.func->kind == NODE_NAME && names_have(&e->valued, member->call.func->name)) {
        *(Node *)(uintptr_t)n = *member; // the tree is this process's own
        return;
    }
    if (n->kind != NODE_ATTRIBUTE || member->kind != NODE_ATTRIBUTE ||
        member->attribute.value->kind != NODE_NAME || !names_have(&e->valued, member->attribute.value->name))
        return;
    Node *own = (Node *)(uintptr_t)n; // the tree is this process's own
    if (str_is(n->attribute.name, "value")) {
        *own = *member;
    } else if (str_is(n->attribute.name, "name")) {
        Str name = member->attribute.name;
        *own = (Node){.kind = NODE_STRING, .span = n->span, .height = 1};
        own->string.text = name;
    }
}

void enums_normalize(Arena *a, Node *module) {
    Enums e = {.arena = a, .module = module};
    bool any = false;
    for (int i = 0; i < module->module.body.n; i++) {
        Node *n = module->module.body.at[i];
        if (n->kind != NODE_CLASS || n->klass.bases.n < 1 || n->klass.bases.n > 2) continue;
        if (!any) enum_learn(&e);
        any = true;
        EnumKind kind = enum_kind(&e, n);
        if (kind != ENUM_NONE && is_simple(&e, n, kind)) enum_rewrite(&e, n, kind);
    }
    if (e.valued.n) write_out(&e, module);
}
