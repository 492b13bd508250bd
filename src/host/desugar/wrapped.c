// Decorators of a file's own, of the one form that keeps nothing: a function of one function, whose whole
// body defines a wrapper and returns it. What `@g` makes of f then is what g(f) makes of it in every call,
// and is written so:
//
//     def f plain 0(x): ...
//     def f(*args, **kwargs): return g(f plain 0)(*args, **kwargs)
//
// So is what a call with constants gives, `@g(check=True)`, where g defines such a decorator and returns it.
#include "host/desugar/desugar.h"

// ---- which decorators

// A file, and whether functools.wraps is what it says there: names that are bound once stand for one thing.
typedef struct {
    Arena *arena;
    const Node *module;
    bool name, of_module; // `wraps`, `functools.wraps`
    Bindings bound;
    int made; // callers, each with a name of its own for what it calls
} File;

static File file_of(Arena *a, const Node *module) {
    File f = {.arena = a, .module = module};
    names_of_module(&f.bound, a, module);
    for (int i = 0; i < module->module.body.n; i++) {
        const Node *s = module->module.body.at[i];
        for (int k = 0; s->kind == NODE_IMPORT && k < s->import.names.n; k++) {
            const Node *alias = s->import.names.at[k];
            if (alias->alias.as.len || s->import.dots) continue;
            if (s->import.from)
                f.name |= str_is(s->import.module, "functools") && str_is(alias->alias.name, "wraps");
            else
                f.of_module |= str_is(alias->alias.name, "functools");
        }
    }
    f.name = f.name && bound_once(&f.bound, STR("wraps"));
    f.of_module = f.of_module && bound_once(&f.bound, STR("functools"));
    return f;
}

static bool is_wraps(const File *file, const Node *d, Str param) {
    if (d->kind != NODE_CALL || d->call.args.n != 1 || d->call.keywords.n ||
        d->call.args.at[0]->kind != NODE_NAME || !str_eq(d->call.args.at[0]->name, param))
        return false;
    const Node *f = d->call.func;
    return (file->name && node_is_name(f, "wraps")) ||
           (file->of_module && f->kind == NODE_ATTRIBUTE && str_is(f->attribute.name, "wraps") &&
            node_is_name(f->attribute.value, "functools"));
}

// The one function that a function defines and returns, or NULL.
Node *wrapper_given(const Node *g) {
    const Nodes *body = &g->function.body;
    int i = body->n > 0 && body->at[0]->kind == NODE_EXPRSTMT && body->at[0]->value->kind == NODE_STRING;
    if (g->function.decorators.n || g->function.async || body->n != i + 2) return NULL;
    const Node *end = body->at[i + 1];
    Node *w = body->at[i];
    if (w->kind != NODE_FUNCTION || w->function.async || end->kind != NODE_RETURN || !end->value ||
        end->value->kind != NODE_NAME || !str_eq(end->value->name, w->function.name))
        return NULL;
    return w;
}

// The wrapper that it defines, or NULL.
static Node *wrapper_of(const File *file, const Node *g) {
    Node *w = wrapper_given(g);
    if (!w || g->function.params.n != 1 || w->function.decorators.n > 1) return NULL;
    const Node *p = g->function.params.at[0];
    if (p->param.kind != PARAM_PLAIN || p->param.def) return NULL;
    if (w->function.decorators.n && !is_wraps(file, w->function.decorators.at[0], p->param.name)) return NULL;
    for (int k = 0; k < w->function.params.n; k++)
        if (w->function.params.at[k]->param.def) return NULL;
    return w;
}

// The same of a function whose call gives a decorator.
static Node *wrapper_of_given(const File *file, const Node *g) {
    const Node *d = wrapper_given(g);
    return d && !d->function.decorators.n ? wrapper_of(file, d) : NULL;
}

// Arguments that are the same whenever they are evaluated.
static bool is_settled(const File *file, const Node *n) {
    if (n->kind == NODE_NAME) return bound_once(&file->bound, n->name);
    return is_written(n) || n->kind == NODE_FLOAT || is_written_list(n, true);
}
static bool is_settled_call(const File *file, const Node *call) {
    for (int i = 0; i < call->call.args.n; i++)
        if (call->call.args.at[i]->kind == NODE_LIST || !is_settled(file, call->call.args.at[i]))
            return false;
    for (int i = 0; i < call->call.keywords.n; i++) {
        const Node *value = call->call.keywords.at[i]->keyword.value;
        if (value->kind == NODE_LIST || !is_settled(file, value)) return false;
    }
    return true;
}

// What stands above a function, `d`: the file's own decorator, or its function that gives one.
static const Node *decorator_named(const File *file, int before, const Node *d) {
    const Nodes *body = &file->module->module.body;
    const Node *found = NULL, *call = d->kind == NODE_CALL ? d : NULL;
    if (call && !is_settled_call(file, call)) return NULL;
    if (call) d = call->call.func;
    if (d->kind != NODE_NAME || !bound_once(&file->bound, d->name)) return NULL;
    for (int i = 0; i < body->n; i++) {
        if (body->at[i]->kind != NODE_FUNCTION || !str_eq(body->at[i]->function.name, d->name)) continue;
        if (found || i >= before || is_jit_function(body->at[i])) return NULL;
        found = body->at[i];
    }
    return found && (call ? wrapper_of_given(file, found) : wrapper_of(file, found)) ? found : NULL;
}

// ---- what they are written as

typedef struct {
    Arena *arena;
    Span at;
} Maker;

static Node *make(const Maker *m, NodeKind kind, int height) {
    Node *n = NEW(m->arena, Node);
    *n = (Node){.kind = kind, .span = m->at, .height = (uint16_t)height};
    return n;
}
static Node *make_name(const Maker *m, Str name) {
    Node *n = make(m, NODE_NAME, 1);
    n->name = name;
    return n;
}
static Nodes make_list(const Maker *m, Node *a, Node *b) {
    Nodes list = {NEWN(m->arena, Node *, 2), b ? 2 : 1};
    list.at[0] = a;
    list.at[1] = b;
    return list;
}
static Node *make_param(const Maker *m, const char *name, ParamKind kind) {
    Node *n = make(m, NODE_PARAM, 1);
    n->param.name = str_of(name);
    n->param.kind = kind;
    return n;
}

// def `name`(*args, **kwargs): return g(plain)(*args, **kwargs); g: a name, or a call.
static Node *make_caller(const Maker *m, Str name, Node *g, Node *plain) {
    int high = g->height > 2 ? g->height : 2;
    Node *inner = make(m, NODE_CALL, high + 1), *outer = make(m, NODE_CALL, high + 2),
         *all = make(m, NODE_STARRED, 2), *named = make(m, NODE_KEYWORD, 2),
         *back = make(m, NODE_RETURN, high + 3), *f = make(m, NODE_FUNCTION, high + 4);
    inner->call.func = g;
    inner->call.args = make_list(m, plain, NULL);
    all->value = make_name(m, STR("args"));
    named->keyword.value = make_name(m, STR("kwargs"));
    outer->call.func = inner;
    outer->call.args = make_list(m, all, NULL);
    outer->call.keywords = make_list(m, named, NULL);
    back->value = outer;
    f->function.name = name;
    f->function.params =
        make_list(m, make_param(m, "args", PARAM_STAR), make_param(m, "kwargs", PARAM_DOUBLESTAR));
    f->function.body = make_list(m, back, NULL);
    return f;
}

// The innermost decorator, if it is one of these. of: the class that f is a method of; an empty name for
// none.
static Node *unwrap(File *file, int before, Node *f, Str of) {
    Nodes *d = &f->function.decorators;
    const Node *g = d->n > 0 ? decorator_named(file, before, d->at[d->n - 1]) : NULL;
    if (!g || f->function.async || is_jit_function(f)) return NULL;
    Maker m = {file->arena, f->span};
    Str name = f->function.name, hidden = str_of(arena_printf(file->arena, "%.*s plain %d", STR_ARG(name),
                                                              file->made++)); // no source has it
    Node *plain = make_name(&m, of.len ? of : hidden);
    if (of.len) {
        Node *member = make(&m, NODE_ATTRIBUTE, 2);
        member->attribute.value = plain;
        member->attribute.name = hidden;
        plain = member;
    }
    Node *by = d->at[d->n - 1];
    Node *caller = make_caller(&m, name, by->kind == NODE_CALL ? by : make_name(&m, g->function.name), plain);
    caller->function.decorators = (Nodes){d->at, d->n - 1};
    f->function.name = hidden;
    d->n = 0;
    for (int i = 0; i < caller->function.decorators.n; i++) // a static method's plain half is one, too
        if (node_is_name(caller->function.decorators.at[i], "staticmethod")) {
            f->function.decorators = make_list(&m, make_name(&m, STR("staticmethod")), NULL);
        }
    return caller;
}

static Nodes unwrapped(File *file, int before, const Nodes *body, Str of) {
    enum { DEEP = 4 };
    Nodes out = {NEWN(file->arena, Node *, (size_t)body->n * (DEEP + 1) + 1), 0};
    for (int i = 0; i < body->n; i++) {
        Node *s = body->at[i];
        for (int k = 0; k < DEEP && s->kind == NODE_FUNCTION; k++) {
            Node *caller = unwrap(file, of.len ? before : i, s, of);
            if (!caller) break;
            out.at[out.n++] = s;
            s = caller;
        }
        out.at[out.n++] = s;
    }
    return out;
}

static Node *any_wrapper(const File *file, const Node *s) {
    Node *w = s->kind == NODE_FUNCTION ? wrapper_of(file, s) : NULL;
    return w || s->kind != NODE_FUNCTION ? w : wrapper_of_given(file, s);
}

void wrappers_normalize(Arena *a, Node *module) {
    Nodes *body = &module->module.body;
    bool any = false;
    for (int i = 0; i < body->n; i++)
        any |= body->at[i]->kind == NODE_CLASS ||
               (body->at[i]->kind == NODE_FUNCTION && body->at[i]->function.decorators.n &&
                !is_jit_function(body->at[i]));
    if (!any) return;
    File file = file_of(a, module);
    any = false;
    for (int i = 0; i < body->n; i++) any |= any_wrapper(&file, body->at[i]) != NULL;
    if (!any) return;
    for (int i = 0; i < body->n; i++)
        if (body->at[i]->kind == NODE_CLASS && bound_once(&file.bound, body->at[i]->klass.name))
            body->at[i]->klass.body = unwrapped(&file, i, &body->at[i]->klass.body, body->at[i]->klass.name);
    Nodes whole = unwrapped(&file, 0, body, (Str){0});
    for (int i = 0; i < body->n; i++) {
        Node *w = any_wrapper(&file, body->at[i]);
        if (w) w->function.decorators.n = 0;
    }
    *body = whole;
}
