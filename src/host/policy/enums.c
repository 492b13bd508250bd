// Enum and IntEnum, written as classes of constants:
//
//     class Kind(Enum):           class Kind:
//         SUM = "sum"                 SUM = ("SUM", "sum")
//         MAX = auto()                MAX = ("MAX", 1)
//
// The interpreter, told by a name that no source has (ENUM_CLASS), makes one object of each pair, with a
// `name` and a `value`. Members of an IntEnum or a StrEnum are the numbers and texts that Python takes them
// for; `.value` and
// `.name` behind one are written out.
#include "host/policy/screen.h"

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

static void learn(Enums *e) {
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

static EnumKind enum_kind(const Enums *e, const Node *n) {
    if (n->kind != NODE_CLASS || n->klass.bases.n != 1 || n->klass.decorators.n || n->klass.keywords.n ||
        !bound_once(&e->bound, n->klass.name))
        return ENUM_NONE;
    const Node *base = n->klass.bases.at[0];
    if (is_of_enum(e, base, "Enum")) return ENUM_OBJECTS;
    return is_of_enum(e, base, "IntEnum") || is_of_enum(e, base, "StrEnum") ? ENUM_VALUES : ENUM_NONE;
}

static bool is_auto(const Enums *e, const Node *n) {
    return n->kind == NODE_CALL && !n->call.args.n && !n->call.keywords.n &&
           is_of_enum(e, n->call.func, "auto");
}

// Members that are whole numbers or texts, each under a name of its own, and plain methods.
static bool is_simple(const Enums *e, const Node *n, EnumKind kind) {
    bool text = is_of_enum(e, n->klass.bases.at[0], "StrEnum"), number = kind == ENUM_VALUES && !text;
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
        if (text && v->kind != NODE_STRING) return false;
        if (is_auto(e, v) && last && last->kind == NODE_STRING) return false; // Python warns, or refuses
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

static Node *make(const Enums *e, NodeKind kind, int height) {
    Node *n = NEW(e->arena, Node);
    *n = (Node){.kind = kind, .span = e->at, .height = (uint16_t)height};
    return n;
}
static Node *text_of(const Enums *e, Str s) {
    Node *n = make(e, NODE_STRING, 1);
    n->string.text = s;
    return n;
}
static Node *assigned(const Enums *e, Str name, Node *value) {
    Node *n = make(e, NODE_ASSIGN, 1 + value->height), *target = make(e, NODE_NAME, 1);
    target->name = name;
    n->assign.targets = (Nodes){NEWN(e->arena, Node *, 1), 1};
    n->assign.targets.at[0] = target;
    n->assign.value = value;
    return n;
}
static Node *pair(const Enums *e, Node *first, Node *second) {
    Node *n = make(e, NODE_TUPLE, 2);
    n->items = (Nodes){NEWN(e->arena, Node *, 2), 2};
    n->items.at[0] = first;
    n->items.at[1] = second;
    return n;
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

static void rewrite(Enums *e, Node *n, EnumKind kind) {
    const Nodes body = n->klass.body;
    Nodes out = {NEWN(e->arena, Node *, (size_t)body.n + 4), 0};
    uint64_t largest = 0;
    e->at = (Span){n->span.at, 0};
    out.at[out.n++] = assigned(e, STR(ENUM_CLASS), make(e, NODE_TRUE, 1));
    // Nothing is known of what these members of an object are.
    for (int i = 0; i < 2 && kind == ENUM_OBJECTS; i++)
        out.at[out.n++] =
            assigned(e, i ? STR("value") : STR("name"), pair(e, text_of(e, (Str){0}), make(e, NODE_NONE, 1)));
    for (int i = 0; i < body.n; i++) {
        Node *s = body.at[i];
        if (s->kind == NODE_FUNCTION) out.at[out.n++] = s;
        if (s->kind != NODE_ASSIGN) continue;
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
        if (n->kind != NODE_CLASS || n->klass.bases.n != 1) continue;
        if (!any) learn(&e);
        any = true;
        EnumKind kind = enum_kind(&e, n);
        if (kind != ENUM_NONE && is_simple(&e, n, kind)) rewrite(&e, n, kind);
    }
    if (e.valued.n) write_out(&e, module);
}
