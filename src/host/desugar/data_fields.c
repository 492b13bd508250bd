// field(default=4), field(default_factory=dict), field(init=False, default=0) of data classes; calls of such
// classes with everything that a factory makes; dataclasses.replace() and asdict().
//
//     options: dict = field(default_factory=dict)     def __init__(self, n, *, options): ...
//     Plan(8)                                         Plan(8, options=dict())
//     replace(plan, n=4)                              Plan(n=4, options=plan.options)
//
// Where a class is handed about, or called with stars, nobody could say what is left out: then its fields are
// not read, and the class is named.
#include "host/desugar/data_fields.h"

#include "host/desugar/desugar.h"
#include "lang/print.h"

static Node *mine(const Node *n) { return (Node *)(uintptr_t)n; } // the tree is this process's own

static bool is_of_dataclasses(const DataFields *f, const Bindings *bound, const Node *n, const char *name) {
    return is_brought(f->module, bound, n, "dataclasses", name);
}

static bool is_class_var(const Node *n) {
    if (n->kind == NODE_SUBSCRIPT) n = n->subscript.value;
    return node_is_name(n, "ClassVar") ||
           (n->kind == NODE_ATTRIBUTE && str_is(n->attribute.name, "ClassVar"));
}

bool data_constant(const Node *klass, const Node *s) {
    if (!klass->klass.decorators.n) return false; // a NamedTuple has none
    if (s->kind == NODE_ASSIGN)
        return s->assign.targets.n == 1 && s->assign.targets.at[0]->kind == NODE_NAME &&
               is_constant(s->assign.value);
    return s->kind == NODE_ANNASSIGN && s->annassign.target->kind == NODE_NAME && s->annassign.value &&
           is_class_var(s->annassign.annotation) && is_constant(s->annassign.value);
}

const DataField *data_field(const DataFields *f, const Node *statement) {
    for (int i = 0; i < f->fields; i++)
        if (f->field[i].statement == statement) return &f->field[i];
    return NULL;
}

// What a factory makes, each time anew.
static Node *made_by(const DataFields *f, const Node *factory) {
    if (factory->kind == NODE_LAMBDA) return factory->lambda.params.n ? NULL : factory->lambda.body;
    if (factory->kind != NODE_NAME) return NULL;
    Node *call = NEW(f->arena, Node);
    *call = (Node){.kind = NODE_CALL, .span = factory->span, .height = 2};
    call->call.func = mine(factory);
    return call;
}

// One field(...): its default takes its place, or it is noted.
static bool read_field(DataFields *f, const Node *klass, Node *s) {
    static const char *const quiet[] = {"repr", "compare", "hash", "metadata", "kw_only"};
    const Node *call = s->annassign.value;
    Node *value = NULL, *makes = NULL;
    bool given = true;
    if (call->call.args.n) return false;
    for (int i = 0; i < call->call.keywords.n; i++) {
        Str name = call->call.keywords.at[i]->keyword.name;
        Node *v = call->call.keywords.at[i]->keyword.value;
        bool known = false;
        for (size_t k = 0; k < sizeof quiet / sizeof *quiet; k++) known |= str_is(name, quiet[k]);
        if (str_is(name, "default")) {
            value = v;
        } else if (str_is(name, "default_factory")) {
            if (!(makes = made_by(f, v))) return false;
        } else if (str_is(name, "init")) {
            if (v->kind != NODE_TRUE && v->kind != NODE_FALSE) return false;
            given = v->kind == NODE_TRUE;
        } else if (!known) {
            return false;
        }
    }
    if ((value && makes) || (!given && !value && !makes)) return false;
    s->annassign.value = makes || !given ? NULL : value;
    if (!makes && given) return true;
    if (f->fields == DATA_FIELDS_MAX) return false;
    f->field[f->fields++] =
        (DataField){s, klass->klass.name, s->annassign.target->name, makes ? makes : value, given};
    return true;
}

typedef struct {
    Str name;
    bool bare, stars; // handed about; called with stars
} Mentions;
static void find_mentions(void *arg, const Node *n) {
    Mentions *m = arg;
    if (n->kind == NODE_NAME) m->bare |= str_eq(n->name, m->name);
    if (n->kind == NODE_PARAM) {
        if (n->param.def) find_mentions(m, n->param.def);
        return;
    }
    if (n->kind == NODE_ANNASSIGN) {
        if (n->annassign.value) find_mentions(m, n->annassign.value);
        return;
    }
    if (n->kind == NODE_FUNCTION) {
        for (int i = 0; i < n->function.params.n; i++) find_mentions(m, n->function.params.at[i]);
        for (int i = 0; i < n->function.body.n; i++) find_mentions(m, n->function.body.at[i]);
        return;
    }
    bool named = n->kind == NODE_ATTRIBUTE && n->attribute.value->kind == NODE_NAME;
    if (named && str_eq(n->attribute.value->name, m->name)) return; // Plan.for_size
    if (n->kind == NODE_CALL && n->call.func->kind == NODE_NAME &&
        (str_eq(n->call.func->name, m->name) || node_is_name(n->call.func, "cls"))) {
        for (int i = 0; i < n->call.args.n; i++) {
            m->stars |= n->call.args.at[i]->kind == NODE_STARRED;
            find_mentions(m, n->call.args.at[i]);
        }
        for (int i = 0; i < n->call.keywords.n; i++) {
            m->stars |= n->call.keywords.at[i]->keyword.name.len == 0;
            find_mentions(m, n->call.keywords.at[i]->keyword.value);
        }
        return;
    }
    bool asks = n->kind == NODE_CALL && node_is_name(n->call.func, "isinstance") && n->call.args.n == 2;
    if (asks) return find_mentions(m, n->call.args.at[0]);
    node_each_child(n, find_mentions, arg); // a tree's height is bounded
}

bool data_fields_read(DataFields *f, const Bindings *bound, Node *klass) {
    int before = f->fields;
    for (int i = 0; i < klass->klass.body.n; i++) {
        Node *s = klass->klass.body.at[i];
        bool says = s->kind == NODE_ANNASSIGN && s->annassign.target->kind == NODE_NAME &&
                    s->annassign.value && s->annassign.value->kind == NODE_CALL &&
                    is_of_dataclasses(f, bound, s->annassign.value->call.func, "field");
        if (says && !read_field(f, klass, s)) return false;
    }
    if (f->fields == before) return true;
    Mentions m = {.name = klass->klass.name};
    find_mentions(&m, f->module);
    return !m.bare && !m.stars && bound_once(bound, klass->klass.name);
}

void data_class_add(DataFields *f, const Node *klass) {
    if (f->classes < DATA_CLASSES_MAX) f->klass[f->classes++] = klass;
}

void data_post_init(Arena *a, const Nodes *body, Node *init) {
    Node *call = tree_of(a, "self.post_init()\n", init->span);
    if (!call) return;
    Str hidden = STR("post init"); // no source has it
    call->value->call.func->attribute.name = hidden;
    for (int i = 0; i < body->n; i++)
        if (body->at[i]->kind == NODE_FUNCTION && str_is(body->at[i]->function.name, "__post_init__"))
            body->at[i]->function.name = hidden;
    init->function.body.at[init->function.body.n++] = call;
}

// ---- calls

typedef struct {
    DataFields *f;
    const Bindings *bound;
    Str inside; // the class whose body is looked at
} Calls;

static const Node *init_of(const Node *klass) {
    for (int i = 0; i < klass->klass.body.n; i++)
        if (klass->klass.body.at[i]->kind == NODE_FUNCTION &&
            str_is(klass->klass.body.at[i]->function.name, "__init__"))
            return klass->klass.body.at[i];
    return NULL;
}

static bool gives(const Node *call, Str name) {
    for (int i = 0; i < call->call.keywords.n; i++)
        if (str_eq(call->call.keywords.at[i]->keyword.name, name)) return true;
    return false;
}

// An expression of its own, from a text.
static Node *expression(const Calls *c, const char *text, Span at) {
    Node *s = tree_of(c->f->arena, arena_printf(c->f->arena, "f = %s\n", text), at);
    return s ? s->assign.value : NULL;
}
static const char *text_of(const Calls *c, const Node *n) {
    Buf out = BUF(c->f->arena);
    print_node(&out, n);
    return buf_cstr(&out);
}

// Plan(8): what the factories make is given, too.
static void complete(const Calls *c, Node *call, Str klass) {
    Nodes *k = &call->call.keywords;
    for (int i = 0; i < c->f->fields; i++) {
        const DataField *field = &c->f->field[i];
        if (!str_eq(field->klass, klass) || !field->given || gives(call, field->name)) continue;
        Node *value = expression(c, text_of(c, field->makes), call->span), *key = NEW(c->f->arena, Node);
        if (!value) return;
        *key = (Node){.kind = NODE_KEYWORD, .span = call->span, .height = (uint16_t)(value->height + 1)};
        key->keyword.name = field->name;
        key->keyword.value = value;
        Nodes all = {NEWN(c->f->arena, Node *, (size_t)k->n + 1), k->n};
        for (int j = 0; j < k->n; j++) all.at[j] = k->at[j];
        all.at[all.n++] = key;
        *k = all;
        if (call->height <= key->height) call->height = (uint16_t)(key->height + 1);
    }
}

static bool is_path(const Node *n) {
    while (n->kind == NODE_ATTRIBUTE) n = n->attribute.value;
    return n->kind == NODE_NAME;
}

// The one class that has all these fields.
static const Node *class_with(const Calls *c, const Nodes *keywords) {
    const Node *found = NULL;
    for (int i = 0; i < c->f->classes; i++) {
        const Node *init = init_of(c->f->klass[i]);
        int had = 0;
        for (int k = 0; init && k < keywords->n; k++)
            for (int p = 1; p < init->function.params.n; p++)
                had += str_eq(init->function.params.at[p]->param.name, keywords->at[k]->keyword.name);
        if (!init || had != keywords->n) continue;
        if (found) return NULL;
        found = c->f->klass[i];
    }
    return found;
}

// replace(plan, n=4), asdict(plan)
static void write_out(const Calls *c, Node *call) {
    bool replace = is_of_dataclasses(c->f, c->bound, call->call.func, "replace");
    bool dict = is_of_dataclasses(c->f, c->bound, call->call.func, "asdict");
    if (!(replace || dict) || call->call.args.n != 1 || !is_path(call->call.args.at[0]) ||
        (dict && (call->call.keywords.n || c->f->classes != 1)))
        return;
    const Node *klass = class_with(c, &call->call.keywords), *init = klass ? init_of(klass) : NULL;
    if (!init) return;
    const char *of = text_of(c, call->call.args.at[0]);
    Buf out = BUF(c->f->arena);
    if (replace) buf_printf(&out, "%.*s(", STR_ARG(klass->klass.name));
    if (dict) buf_puts(&out, "{");
    for (int p = 1, n = 0; p < init->function.params.n; p++) {
        Str name = init->function.params.at[p]->param.name;
        if (!name.len) continue;
        const Node *given = NULL;
        for (int k = 0; k < call->call.keywords.n; k++)
            if (str_eq(call->call.keywords.at[k]->keyword.name, name))
                given = call->call.keywords.at[k]->keyword.value;
        buf_puts(&out, n++ ? ", " : "");
        buf_printf(&out, dict ? "'%.*s': " : "%.*s=", STR_ARG(name));
        if (given)
            buf_puts(&out, text_of(c, given));
        else
            buf_printf(&out, "%s.%.*s", of, STR_ARG(name));
    }
    buf_puts(&out, dict ? "}" : ")");
    Node *made = expression(c, buf_cstr(&out), call->span);
    if (!made) return;
    uint16_t height = call->height > made->height ? call->height : made->height;
    *call = *made;
    call->height = height;
}

static void visit(void *arg, const Node *n) {
    Calls c = *(const Calls *)arg;
    if (n->kind == NODE_FUNCTION && is_jit_function(n)) return;
    if (n->kind == NODE_CLASS) c.inside = n->klass.name;
    node_each_child(n, visit, &c); // a tree's height is bounded
    if (n->kind != NODE_CALL) return;
    const Node *f = n->call.func;
    Str klass = f->kind != NODE_NAME ? (Str){0} : node_is_name(f, "cls") ? c.inside : f->name;
    if (klass.len) complete(&c, mine(n), klass);
    write_out(&c, mine(n));
}

void data_calls_rewrite(DataFields *f, const Bindings *bound) {
    visit(&(Calls){.f = f, .bound = bound}, f->module);
}
