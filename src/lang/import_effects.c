// Whether a file of --include changes something of others when it is imported: what another file defines,
// torch, Python's own names. Read from the tree alone, so it says "yes" too often: whatever is stored below a
// name that is not this file's own fresh object, and each function that could do so and is named where the
// file is read.
#include "lang/library.h"

enum { CALLS_DEEP = 12 };

typedef struct Effects Effects;
struct Effects {
    const Node *module, *scope; // scope: the function or module whose names are looked at
    const Effects *outer;       // the function around, or who calls
    bool method;                // self, cls and ctx are an object's own
    bool any;
    int depth;
};

static bool is_word(Str name, const char *list) {
    for (const char *p = list; *p;) {
        size_t n = strcspn(p, " ");
        if (n == name.len && memcmp(p, name.p, n) == 0) return true;
        p += n + (p[n] == ' ');
    }
    return false;
}

// Names of Python by which anything can be changed, methods that change what they belong to, functions that
// ask only, and members under which there are switches.
static const char reaching[] =
    "exec eval globals vars locals setattr delattr __import__ __builtins__ builtins";
static const char changing[] =
    "append extend insert update setdefault pop popitem clear remove add discard sort reverse appendleft "
    "setitem delitem __setitem__ __delitem__ __setattr__ __delattr__ __dict__ set_default_dtype "
    "set_default_device set_default_tensor_type move_to_end __iadd__ __ior__";
static const char asking[] = "getattr hasattr isinstance issubclass callable len print str repr type id dir";
static const char switches[] = "backends environ";

static const Nodes *body_of(const Node *scope) {
    return scope->kind == NODE_MODULE ? &scope->module.body : &scope->function.body;
}

// ---- objects that a scope has made itself

static bool is_fresh_value(const Effects *e, const Node *v) {
    const Node *alias, *def;
    if (!v) return false;
    if (v->kind == NODE_DICT || v->kind == NODE_LIST || v->kind == NODE_SET || v->kind == NODE_COMP)
        return true;
    if (v->kind != NODE_CALL || v->call.func->kind != NODE_NAME) return false;
    if (is_word(v->call.func->name, "dict list set defaultdict OrderedDict")) return true;
    def = module_binding(e->module, v->call.func->name, &alias);
    return def && def->kind == NODE_CLASS;
}

typedef struct {
    const Effects *of;
    Str name;
    int fresh, other; // bindings of the name
} Bindings;

static bool names_it(const Node *t, Str name) {
    if (t->kind == NODE_TUPLE || t->kind == NODE_LIST)
        for (int i = 0; i < t->items.n; i++)
            if (names_it(t->items.at[i], name)) return true;
    return t->kind == NODE_STARRED ? names_it(t->value, name) : t->kind == NODE_NAME && str_eq(t->name, name);
}

static void count_value(Bindings *b, const Node *target, const Node *value) {
    if (!names_it(target, b->name)) return;
    if (target->kind == NODE_NAME && is_fresh_value(b->of, value))
        b->fresh++;
    else
        b->other++;
}

static void count_bindings(void *arg, const Node *n) {
    Bindings *b = arg;
    switch (n->kind) {
    case NODE_ASSIGN:
        for (int i = 0; i < n->assign.targets.n; i++)
            count_value(b, n->assign.targets.at[i], n->assign.value);
        break;
    case NODE_ANNASSIGN: count_value(b, n->annassign.target, n->annassign.value); break;
    case NODE_FOR: b->other += names_it(n->loop.target, b->name); break;
    case NODE_COMPFOR: b->other += names_it(n->compfor.target, b->name); break;
    case NODE_WITHITEM: b->other += n->withitem.target && names_it(n->withitem.target, b->name); break;
    case NODE_WALRUS: b->other += str_eq(n->walrus.name, b->name); break;
    case NODE_ALIAS: b->other += str_eq(n->alias.as.len ? n->alias.as : n->alias.name, b->name); break;
    case NODE_MATCH:
    case NODE_GLOBAL: b->other++; break;
    case NODE_FUNCTION:
    case NODE_CLASS:
        b->fresh += str_eq(n->kind == NODE_CLASS ? n->klass.name : n->function.name, b->name);
        return;
    default: break;
    }
    node_each_child(n, count_bindings, b); // a tree's height is bounded
}

static bool is_param(const Node *scope, Str name) {
    for (int i = 0; scope->kind == NODE_FUNCTION && i < scope->function.params.n; i++)
        if (str_eq(scope->function.params.at[i]->param.name, name)) return true;
    return false;
}

// Whether the scope itself has made what the name stands for there.
static bool is_fresh(const Effects *e, Str name) {
    Bindings b = {.of = e, .name = name};
    if (is_param(e->scope, name)) return e->method && is_word(name, "self cls ctx");
    for (int i = 0; i < body_of(e->scope)->n; i++) count_bindings(&b, body_of(e->scope)->at[i]);
    return b.fresh && !b.other;
}

// ---- what is stored

static bool has_switch(const Node *t) {
    for (; t->kind == NODE_ATTRIBUTE || t->kind == NODE_SUBSCRIPT;
         t = t->kind == NODE_ATTRIBUTE ? t->attribute.value : t->subscript.value)
        if (t->kind == NODE_ATTRIBUTE && is_word(t->attribute.name, switches)) return true;
    return t->kind == NODE_NAME && is_word(t->name, switches);
}

static bool is_own(const Effects *e, const Node *object) {
    return (object->kind == NODE_NAME && is_fresh(e, object->name)) || has_switch(object);
}

static void stored(Effects *e, const Node *t) {
    if (t->kind == NODE_TUPLE || t->kind == NODE_LIST)
        for (int i = 0; i < t->items.n; i++) stored(e, t->items.at[i]);
    if (t->kind == NODE_STARRED) stored(e, t->value);
    if (t->kind == NODE_ATTRIBUTE) e->any |= !has_switch(t) && !is_own(e, t->attribute.value);
    if (t->kind == NODE_SUBSCRIPT) e->any |= !has_switch(t) && !is_own(e, t->subscript.value);
}

// ---- what is called, or could be

// A graph of calls may have more paths than anybody can walk: then nobody knows.
static bool has_work(Effects *e, int work) {
    Library *l = e->module->module.library;
    l->effects_work += work;
    e->any |= l->effects_work > LIBRARY_EFFECTS_MAX;
    return !e->any;
}

static void look(void *arg, const Node *n);
static void look_all(Effects *e, const Nodes *list) {
    for (int i = 0; i < list->n; i++)
        if (list->at[i]) look(e, list->at[i]);
}

static void look_into(const Effects *by, const Node *module, const Node *f, bool method, bool *any) {
    Effects e = {.module = module, .scope = f, .outer = by, .method = method, .depth = by->depth + 1};
    for (const Effects *o = by; o; o = o->outer)
        if (o->scope == f) return; // it is being looked at
    if (e.depth > CALLS_DEEP) *any = true;
    if (*any) return;
    look_all(&e, &f->function.body);
    *any |= e.any;
}

static bool is_kernel(const Node *f) { // @triton.jit, alone or below others: it runs on the GPU
    for (int i = 0; i < f->function.decorators.n; i++) {
        const Node *d = f->function.decorators.at[i];
        if (d->kind == NODE_CALL) d = d->call.func;
        if (d->kind == NODE_ATTRIBUTE ? str_is(d->attribute.name, "jit") : node_is_name(d, "jit"))
            return true;
    }
    return false;
}

// A name of the file's own level: a function or class that changes something if it is called.
static void named(Effects *e, Str name) {
    const Node *module = e->module, *alias, *def;
    if (!has_work(e, module->module.body.n)) return;
    def = module_binding(module, name, &alias);
    for (int hop = 0; def && def->kind == NODE_IMPORT && hop < CALLS_DEEP; hop++) {
        LibraryFile *file = library_of(module, def);
        module = file ? library_module(module->module.library, file) : NULL;
        def = module ? module_binding(module, alias->alias.name, &alias) : NULL;
    }
    if (!def || is_param(e->scope, name)) return;
    if (def->kind == NODE_FUNCTION && !is_kernel(def)) look_into(e, module, def, false, &e->any);
    for (int i = 0; def->kind == NODE_CLASS && i < def->klass.body.n; i++)
        if (def->klass.body.at[i]->kind == NODE_FUNCTION)
            look_into(e, module, def->klass.body.at[i], true, &e->any);
}

// f(torch): what f does with a module, nobody knows.
static void called(Effects *e, const Node *n) {
    const Node *alias;
    if (n->call.func->kind == NODE_NAME && is_word(n->call.func->name, asking)) return;
    for (int i = 0; i < n->call.args.n; i++) {
        const Node *a = n->call.args.at[i];
        const Node *def = a->kind == NODE_NAME ? module_binding(e->module, a->name, &alias) : NULL;
        e->any |= def && def->kind == NODE_IMPORT && !def->import.from;
    }
}

static bool is_for_main(const Node *n) {
    const Node *c = n->kind == NODE_IF && !n->branch.otherwise.n ? n->branch.cond : NULL;
    return c && c->kind == NODE_COMPARE && c->compare.rest.n == 1 && c->compare.ops[0] == OPER_EQ &&
           node_is_name(c->compare.left, "__name__") && c->compare.rest.at[0]->kind == NODE_STRING &&
           str_is(c->compare.rest.at[0]->string.text, "__main__");
}

static void look_at_function(Effects *e, const Node *n) {
    look_all(e, &n->function.decorators);
    for (int i = 0; i < n->function.params.n; i++)
        if (n->function.params.at[i]->param.def) look(e, n->function.params.at[i]->param.def);
    if (e->scope->kind == NODE_FUNCTION) look_into(e, e->module, n, e->method, &e->any);
}

static void look_at_class(Effects *e, const Node *n) {
    look_all(e, &n->klass.decorators);
    look_all(e, &n->klass.keywords);
    look_all(e, &n->klass.body);
}

static void look(void *arg, const Node *n) {
    Effects *e = arg;
    if (e->any || is_for_main(n) || !has_work(e, 1)) return;
    switch (n->kind) {
    case NODE_IMPORT: return;
    case NODE_FUNCTION: look_at_function(e, n); return;
    case NODE_CLASS: look_at_class(e, n); return;
    case NODE_GLOBAL: e->any = true; return;
    case NODE_ASSIGN:
        for (int i = 0; i < n->assign.targets.n; i++) stored(e, n->assign.targets.at[i]);
        break;
    case NODE_ANNASSIGN: stored(e, n->annassign.target); break;
    case NODE_AUGASSIGN: stored(e, n->augassign.target); break;
    case NODE_FOR: stored(e, n->loop.target); break;
    case NODE_COMPFOR: stored(e, n->compfor.target); break;
    case NODE_WITHITEM:
        if (n->withitem.target) stored(e, n->withitem.target);
        break;
    case NODE_DELETE:
        for (int i = 0; i < n->items.n; i++) stored(e, n->items.at[i]);
        break;
    case NODE_CALL: called(e, n); break;
    case NODE_ATTRIBUTE:
        e->any |= is_word(n->attribute.name, changing) && !is_own(e, n->attribute.value);
        break;
    case NODE_NAME:
        e->any |= is_word(n->name, reaching);
        named(e, n->name);
        break;
    default: break;
    }
    node_each_child(n, look, e); // a tree's height is bounded
}

bool import_effects(const Node *module) {
    Effects e = {.module = module, .scope = module};
    look_all(&e, &module->module.body);
    return e.any;
}
