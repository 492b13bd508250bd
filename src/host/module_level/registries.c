// Decorators of a file that put functions into a dictionary of it, as that dictionary:
//
//     KERNELS = {}                            def softmax(x): ...
//     def register(name):                     KERNELS = {"softmax": softmax}
//         def add(fn):
//             KERNELS[name] = fn
//             return fn
//         return add
//     @register("softmax")
//     def softmax(x): ...
//
// Only where nothing else changes the dictionary, nothing at module level asks for it, and every name is
// registered once.
#include "host/module_level/module_level.h"

enum { ENTRIES_MAX = 64 };
typedef struct {
    Arena *arena;
    Node *module;
    Bindings bound;
    const Node *function; // register
    Str of;               // the dictionary
    const Node *key;      // what it is put under: a parameter of register(), or fn.__name__
    Str fn;               // the parameter that is registered
    Str name[ENTRIES_MAX], text[ENTRIES_MAX]; // functions, and under which texts
    int n, last;
} Registry;

// KERNELS[key] = fn; return fn. Before that, only what raises.
static bool registers(Registry *r, const Node *f) {
    const Nodes *body = &f->function.body;
    int i = body->n && body->at[0]->kind == NODE_EXPRSTMT && body->at[0]->value->kind == NODE_STRING;
    if (f->function.decorators.n || f->function.async || f->function.params.n != 1) return false;
    r->fn = f->function.params.at[0]->param.name;
    for (; i < body->n && body->at[i]->kind == NODE_IF; i++) {
        const Nodes *then = &body->at[i]->branch.then;
        if (body->at[i]->branch.otherwise.n || then->n != 1 || then->at[0]->kind != NODE_RAISE) return false;
    }
    if (i < body->n && body->at[i]->kind == NODE_ASSERT) i++;
    if (body->n != i + 2 || body->at[i]->kind != NODE_ASSIGN || body->at[i]->assign.targets.n != 1 ||
        body->at[i + 1]->kind != NODE_RETURN || !body->at[i + 1]->value)
        return false;
    const Node *to = body->at[i]->assign.targets.at[0], *value = body->at[i]->assign.value;
    if (to->kind != NODE_SUBSCRIPT || to->subscript.value->kind != NODE_NAME || value->kind != NODE_NAME ||
        !str_eq(value->name, r->fn) || body->at[i + 1]->value->kind != NODE_NAME ||
        !str_eq(body->at[i + 1]->value->name, r->fn))
        return false;
    r->of = to->subscript.value->name;
    r->key = to->subscript.index;
    return true;
}

static bool is_register(Registry *r, const Node *f) {
    if (f->kind != NODE_FUNCTION || is_jit_function(f) || !bound_once(&r->bound, f->function.name))
        return false;
    const Node *inner = wrapper_given(f);
    r->function = f;
    return inner ? registers(r, inner) : registers(r, f);
}

// The text under which a decorated function is put; false: another kind of key.
static bool key_of(const Registry *r, const Node *decorator, Str name, Str *key) {
    const Node *k = r->key;
    bool given = wrapper_given(r->function) != NULL;
    if (given != (decorator->kind == NODE_CALL)) return false;
    if (k->kind == NODE_ATTRIBUTE && str_is(k->attribute.name, "__name__") &&
        k->attribute.value->kind == NODE_NAME && str_eq(k->attribute.value->name, r->fn))
        return *key = name, !given || (!decorator->call.args.n && !decorator->call.keywords.n);
    const Nodes *params = &r->function->function.params;
    if (!given || k->kind != NODE_NAME || params->n != 1 || !str_eq(params->at[0]->param.name, k->name))
        return false;
    const Node *v = decorator->call.args.n == 1 && !decorator->call.keywords.n ? decorator->call.args.at[0]
                    : !decorator->call.args.n && decorator->call.keywords.n == 1
                        ? decorator->call.keywords.at[0]->keyword.value
                        : NULL;
    if (!v || v->kind != NODE_STRING || v->string.bytes) return false;
    return *key = v->string.text, true;
}

typedef struct {
    Str name;
    int uses;
} Uses; // that may change a dictionary
static void find_change(void *arg, const Node *n) {
    Uses *u = arg;
    const Node *t = n->kind == NODE_ASSIGN && n->assign.targets.n == 1 ? n->assign.targets.at[0] : NULL;
    u->uses += t && t->kind == NODE_SUBSCRIPT && t->subscript.value->kind == NODE_NAME &&
               str_eq(t->subscript.value->name, u->name);
    const Node *f = n->kind == NODE_CALL ? n->call.func : NULL;
    bool asked = f && f->kind == NODE_ATTRIBUTE &&
                 (str_is(f->attribute.name, "get") || str_is(f->attribute.name, "keys") ||
                  str_is(f->attribute.name, "items") || str_is(f->attribute.name, "values"));
    u->uses += f && f->kind == NODE_ATTRIBUTE && !asked && f->attribute.value->kind == NODE_NAME &&
               str_eq(f->attribute.value->name, u->name);
    node_each_child(n, find_change, arg);
}

static const Node *begin_of(const Registry *r, int *at) {
    for (int i = 0; i < r->module->module.body.n; i++) {
        const Node *s = r->module->module.body.at[i];
        const Node *t = s->kind == NODE_ANNASSIGN                            ? s->annassign.target
                        : s->kind == NODE_ASSIGN && s->assign.targets.n == 1 ? s->assign.targets.at[0]
                                                                             : NULL;
        const Node *v = s->kind == NODE_ANNASSIGN ? s->annassign.value
                        : s->kind == NODE_ASSIGN  ? s->assign.value
                                                  : NULL;
        if (!t || !v || t->kind != NODE_NAME || !str_eq(t->name, r->of)) continue;
        *at = i;
        bool empty = (v->kind == NODE_DICT && !v->dict.keys.n) ||
                     (v->kind == NODE_CALL && node_is_name(v->call.func, "dict") && !v->call.args.n &&
                      !v->call.keywords.n);
        return empty ? s : NULL;
    }
    return NULL;
}

static Str name_of(const Node *s) {
    return s->kind == NODE_FUNCTION ? s->function.name : s->kind == NODE_CLASS ? s->klass.name : (Str){0};
}

// Everything that is registered, with the decorators left in place: false where something is of another kind.
static bool read_entries(Registry *r) {
    const Nodes *body = &r->module->module.body;
    Str name = r->function->function.name;
    int uses = 0;
    for (int i = 0; i < body->n; i++) {
        const Node *s = body->at[i];
        const Nodes *d = s->kind == NODE_FUNCTION ? &s->function.decorators
                         : s->kind == NODE_CLASS  ? &s->klass.decorators
                                                  : NULL;
        uses += name_uses(s, name);
        if (!d || !d->n) continue;
        const Node *by = d->at[0], *f = by->kind == NODE_CALL ? by->call.func : by;
        if (f->kind != NODE_NAME || !str_eq(f->name, name)) continue;
        if (r->n == ENTRIES_MAX || !bound_once(&r->bound, name_of(s)) ||
            !key_of(r, by, name_of(s), &r->text[r->n]))
            return false;
        for (int k = 0; k < r->n; k++)
            if (str_eq(r->text[k], r->text[r->n])) return false;
        r->name[r->n++] = name_of(s);
        r->last = i;
    }
    return r->n > 0 && uses == r->n; // nothing else calls it
}

static bool rewrite(Registry *r) {
    int begin = 0;
    const Nodes *body = &r->module->module.body;
    if (!bound_once(&r->bound, r->of) || !begin_of(r, &begin) || !read_entries(r)) return false;
    Uses changes = {.name = r->of};
    node_each_child(r->module, find_change, &changes);
    if (changes.uses != 1) return false;
    for (int i = 0; i <= r->last; i++) { // who asks for it while the file is read
        const Node *s = body->at[i];
        if (i == begin || s->kind == NODE_FUNCTION || s->kind == NODE_CLASS) continue;
        if (name_uses(s, r->of)) return false;
    }
    Buf text = BUF(r->arena);
    buf_puts(&text, "f = {");
    for (int i = 0; i < r->n; i++) buf_printf(&text, "%s'%d': f", i ? ", " : "", i);
    buf_puts(&text, "}\n");
    Node *s = tree_of(r->arena, buf_cstr(&text), body->at[r->last]->span);
    if (!s) return false;
    s->assign.targets.at[0]->name = r->of;
    for (int i = 0; i < r->n; i++) {
        s->assign.value->dict.keys.at[i]->string.text = r->text[i];
        s->assign.value->dict.values.at[i]->name = r->name[i];
    }
    for (int i = 0; i < body->n; i++) {
        Node *f = body->at[i];
        Nodes *d = f->kind == NODE_FUNCTION ? &f->function.decorators
                   : f->kind == NODE_CLASS  ? &f->klass.decorators
                                            : NULL;
        const Node *by = d && d->n ? d->at[0] : NULL;
        if (by && by->kind == NODE_CALL) by = by->call.func;
        if (by && by->kind == NODE_NAME && str_eq(by->name, r->function->function.name))
            *d = (Nodes){d->at + 1, d->n - 1};
    }
    Nodes out = {NEWN(r->arena, Node *, (size_t)body->n + 1), 0};
    for (int i = 0; i < body->n; i++) {
        if (i != begin && body->at[i] != r->function) out.at[out.n++] = body->at[i];
        if (i == r->last) out.at[out.n++] = s;
    }
    r->module->module.body = out;
    return true;
}

void registries_normalize(Arena *a, Node *module) {
    enum { ROUNDS = 4 };
    for (int round = 0; round < ROUNDS; round++) {
        bool done = true;
        Bindings bound;
        names_of_module(&bound, a, module);
        for (int i = 0; done && i < module->module.body.n; i++) {
            Registry *r = NEW(a, Registry);
            *r = (Registry){.arena = a, .module = module, .bound = bound};
            if (is_register(r, module->module.body.at[i]) && rewrite(r)) done = false;
        }
        if (done) return;
    }
}
