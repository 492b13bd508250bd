// Text for telling programs apart: the tree is copied with its variables numbered and what does nothing left
// out, and the copy is printed. Two different programs must not get one text; equal programs may get two.
//
// Numbered is only what a function assigns inside. Names of the module, of functions, classes and parameters
// keep their spelling: importers, keywords and `**` refer to them, and Triton hands a launch's arguments to
// grids and heuristics by name, in a dictionary whose keys a program may put together as it likes.
// A variable keeps it as well
// - where the module has that name, too: in a kernel a name is looked up when Triton gets there, and before
//   the first assignment it is the module's;
// - where a comprehension has it for a target: inside a kernel that is a variable of the whole function;
// - when it means something by itself (Python's own, a module, an option of a launch), so that a program that
//   takes such a name over is never taken for one that does not;
// - when the program looks at names while it runs (locals(), f.__name__) or imports all that a module has.
// Annotations stay: Python and Triton evaluate them, and Triton gives arguments the types that they name.
// Numbers are written `$3`, which no name of a source can be.
#include "lang/ast.h"

#include "lang/names.h"
#include "lang/node_fields.h"

enum { KEPT = -1 }; // the number of a name that keeps its spelling

typedef struct Scope {
    const struct Scope *up;
    NameTable names;
    bool klass; // seen by its own statements only, not by functions inside
} Scope;

typedef struct {
    Arena *arena;
    NameTable kept;
    bool keep_all;
    bool future; // `from __future__` must be the first of all: what stands before it counts
    int next;
} Canon;

// ---- which names keep their spelling

static void keep(Canon *c, Str name) { names_put(&c->kept, name, KEPT, NULL); }

static bool is_dunder(Str s) { return s.len > 4 && str_starts(s, "__") && str_ends(s, "__"); }

static bool reads_scopes(Str name) {
    static const char *const names[] = {"locals", "globals", "vars",       "dir",     "eval",
                                        "exec",   "compile", "__import__", "f_locals"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (str_is(name, names[i])) return true;
    return false;
}

// Names with a meaning of their own, to Python or to whoever reads kernels by their text.
static bool means_something(Str name) {
    static const char *const names[] = {
        // modules, and what they lend without a prefix
        "torch", "triton", "tl", "math", "libdevice", "F", "np", "numpy", "jit", "autotune", "heuristics",
        "Config", "constexpr", "cdiv", "next_power_of_2", "static_range", "static_assert", "static_print",
        // options of a launch
        "num_warps", "num_stages", "num_ctas", "maxnreg", "enable_fp_fusion", "grid", "warmup",
        // Python's own
        "range", "len", "min", "max", "sum", "abs", "int", "float", "bool", "str", "round", "divmod", "pow",
        "tuple", "list", "dict", "set", "enumerate", "zip", "reversed", "sorted", "any", "all", "isinstance",
        "print", "type", "object", "open", "input", "getattr", "setattr", "hasattr", "map", "filter", "iter",
        "next", "slice", "repr", "id", "hash", "super", "property"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (str_is(name, names[i])) return true;
    return str_starts(name, "__");
}

static void keep_targets(void *arg, const Node *n) {
    if (n->kind == NODE_NAME) keep(arg, n->name);
    node_each_child(n, keep_targets, arg);
}

static void collect_kept(void *arg, const Node *n) {
    Canon *c = arg;
    switch (n->kind) {
    case NODE_NAME: c->keep_all |= is_dunder(n->name) || reads_scopes(n->name); break;
    case NODE_ATTRIBUTE:
        // f.__name__ and its like tell the spelling; the constructor does not.
        c->keep_all |= (is_dunder(n->attribute.name) && !str_is(n->attribute.name, "__init__")) ||
                       reads_scopes(n->attribute.name);
        break;
    case NODE_COMPFOR: keep_targets(c, n->compfor.target); break;
    case NODE_CASE: keep_targets(c, n->matchcase.pattern); break; // what a pattern binds
    case NODE_GLOBAL:
        for (int i = 0; i < n->global.names.n; i++) keep(c, n->global.names.at[i]->name);
        break;
    case NODE_IMPORT: c->future |= n->import.from && str_is(n->import.module, "__future__"); break;
    case NODE_ALIAS: {
        const char *dot = n->alias.name.len ? memchr(n->alias.name.p, '.', n->alias.name.len) : NULL;
        Str first = {n->alias.name.p, dot ? (size_t)(dot - n->alias.name.p) : n->alias.name.len};
        keep(c, n->alias.as.len ? n->alias.as : first);
        c->keep_all |= str_is(n->alias.name, "*") || reads_scopes(n->alias.name);
        break;
    }
    default: break;
    }
    node_each_child(n, collect_kept, c);
}

// ---- scopes

static bool module_has(const Scope *s, Str name) {
    while (s->up) s = s->up;
    return names_find(&s->names, name);
}

static void bind_as(Canon *c, Scope *s, Str name, bool keeps) {
    bool keep_it =
        keeps || c->keep_all || names_find(&c->kept, name) || means_something(name) || module_has(s, name);
    int number = keep_it ? KEPT : c->next;
    bool added;
    names_put(&s->names, name, number, &added);
    if (added && number != KEPT) c->next++;
}

// Attributes of classes are reached from outside, names of the module may be.
static void bind(Canon *c, Scope *s, Str name) { bind_as(c, s, name, s->klass || !s->up); }
static void bind_kept(Canon *c, Scope *s, Str name) { bind_as(c, s, name, true); }

typedef struct {
    Canon *c;
    Scope *s;
} Binder;

static void bind_in(void *arg, const Node *n);

// The names that an assignment's left side binds.
static void bind_target(Binder *b, const Node *n) {
    if (n->kind == NODE_NAME)
        bind(b->c, b->s, n->name);
    else if (n->kind == NODE_STARRED)
        bind_target(b, n->value);
    else if (n->kind == NODE_TUPLE || n->kind == NODE_LIST)
        for (int i = 0; i < n->items.n; i++) bind_target(b, n->items.at[i]);
    else
        bind_in(b, n);
}

static void bind_all(Binder *b, const Nodes *list) {
    for (int i = 0; i < list->n; i++)
        if (list->at[i]) bind_in(b, list->at[i]);
}

static void bind_defaults(Binder *b, const Nodes *params) {
    for (int i = 0; i < params->n; i++) {
        if (params->at[i]->param.annotation) bind_in(b, params->at[i]->param.annotation);
        if (params->at[i]->param.def) bind_in(b, params->at[i]->param.def);
    }
}

// Binds what the statement or expression binds in the scope around it, in the order of the text. Bodies of
// functions, classes and lambdas have scopes of their own; in a comprehension only `:=` reaches out.
static void bind_in(void *arg, const Node *n) {
    Binder *b = arg;
    switch (n->kind) {
    case NODE_FUNCTION:
        bind_all(b, &n->function.decorators);
        bind_defaults(b, &n->function.params);
        bind_kept(b->c, b->s, n->function.name);
        return;
    case NODE_CLASS:
        bind_all(b, &n->klass.decorators);
        bind_all(b, &n->klass.bases);
        bind_all(b, &n->klass.keywords);
        bind_kept(b->c, b->s, n->klass.name);
        return;
    case NODE_LAMBDA: bind_defaults(b, &n->lambda.params); return;
    case NODE_ASSIGN:
        bind_in(b, n->assign.value);
        for (int i = 0; i < n->assign.targets.n; i++) bind_target(b, n->assign.targets.at[i]);
        return;
    case NODE_AUGASSIGN:
        bind_in(b, n->augassign.value);
        bind_target(b, n->augassign.target);
        return;
    case NODE_ANNASSIGN:
        if (n->annassign.value) bind_in(b, n->annassign.value);
        bind_target(b, n->annassign.target);
        return;
    case NODE_FOR:
        bind_in(b, n->loop.iter);
        bind_target(b, n->loop.target);
        bind_all(b, &n->loop.body);
        bind_all(b, &n->loop.otherwise);
        return;
    case NODE_WITHITEM:
        bind_in(b, n->withitem.value);
        if (n->withitem.target) bind_target(b, n->withitem.target);
        return;
    case NODE_WALRUS:
        bind_in(b, n->walrus.value);
        bind(b->c, b->s, n->walrus.name);
        return;
    case NODE_DELETE:
        for (int i = 0; i < n->items.n; i++) bind_target(b, n->items.at[i]);
        return;
    case NODE_EXCEPT:
        if (n->handler.type) bind_in(b, n->handler.type);
        if (n->handler.name.len) bind(b->c, b->s, n->handler.name);
        bind_all(b, &n->handler.body);
        return;
    case NODE_ALIAS: return; // kept everywhere
    default: node_each_child(n, bind_in, b);
    }
}

static Str numbered(Canon *c, int number) { return str_of(arena_printf(c->arena, "$%d", number)); }

static Str resolve(Canon *c, const Scope *s, Str name) {
    for (const Scope *at = s; at; at = at->up) {
        if (at->klass && at != s) continue;
        const int *number = names_find(&at->names, name);
        if (number) return *number == KEPT ? name : numbered(c, *number);
    }
    return name;
}

// ---- the copy

static Node *copy(Canon *c, const Scope *s, const Node *n);

// A string that is a statement does nothing: docstrings, mostly. (Bytes are refused in places.)
static bool does_nothing(const Canon *c, const Scope *s, const Node *n) {
    if (c->keep_all || (c->future && !s->up)) return false; // f.__doc__; before `from __future__`
    return n->kind == NODE_PASS ||
           (n->kind == NODE_EXPRSTMT && n->value->kind == NODE_STRING && !n->value->string.bytes);
}

// Statements that do nothing are left out; a block keeps a `pass` if nothing else remains.
static Nodes copy_list(Canon *c, const Scope *s, const Nodes *list) {
    Nodes out = {NEWN(c->arena, Node *, (size_t)list->n), 0};
    for (int i = 0; i < list->n; i++)
        if (!list->at[i])
            out.at[out.n++] = NULL;
        else if (!does_nothing(c, s, list->at[i]))
            out.at[out.n++] = copy(c, s, list->at[i]);
    if (out.n || !list->n) return out;
    out.at[out.n] = NEW(c->arena, Node);
    out.at[out.n++]->kind = NODE_PASS;
    return out;
}

static Node *copy_children(Canon *c, const Scope *s, const Node *n) {
    Node *out = NEW(c->arena, Node);
    *out = *n;
    for (const Field *f = node_shape[n->kind]; f->kind != FIELD_END; f++) {
        if (f->kind == FIELD_NODE && *field_node(f, n))
            *field_node(f, out) = copy(c, s, *field_node(f, n));
        else if (f->kind == FIELD_NODES)
            *field_nodes(f, out) = copy_list(c, s, field_nodes(f, n));
    }
    return out;
}

static void bind_params(Canon *c, Scope *s, const Nodes *params) {
    for (int i = 0; i < params->n; i++) {
        Str name = params->at[i]->param.name;
        if (name.len) bind_kept(c, s, name);
    }
}

// Defaults and annotations belong to the scope around.
static Node *copy_function(Canon *c, const Scope *s, const Node *n) {
    Node *out = NEW(c->arena, Node);
    *out = *n;
    Scope inner = {.up = s, .names = NAMES(c->arena)};
    bind_params(c, &inner, &n->function.params);
    bind_all(&(Binder){c, &inner}, &n->function.body);
    out->function.decorators = copy_list(c, s, &n->function.decorators);
    out->function.params = copy_list(c, s, &n->function.params);
    if (n->function.returns) out->function.returns = copy(c, s, n->function.returns);
    out->function.body = copy_list(c, &inner, &n->function.body);
    return out;
}

static Node *copy_lambda(Canon *c, const Scope *s, const Node *n) {
    Node *out = NEW(c->arena, Node);
    *out = *n;
    Scope inner = {.up = s, .names = NAMES(c->arena)};
    bind_params(c, &inner, &n->lambda.params);
    bind_in(&(Binder){c, &inner}, n->lambda.body);
    out->lambda.params = copy_list(c, s, &n->lambda.params);
    out->lambda.body = copy(c, &inner, n->lambda.body);
    return out;
}

static Node *copy_class(Canon *c, const Scope *s, const Node *n) {
    Node *out = NEW(c->arena, Node);
    *out = *n;
    Scope inner = {.up = s, .names = NAMES(c->arena), .klass = true};
    bind_all(&(Binder){c, &inner}, &n->klass.body);
    out->klass.decorators = copy_list(c, s, &n->klass.decorators);
    out->klass.bases = copy_list(c, s, &n->klass.bases);
    out->klass.keywords = copy_list(c, s, &n->klass.keywords);
    out->klass.body = copy_list(c, &inner, &n->klass.body);
    return out;
}

// The first iterable is evaluated outside, the rest in a function of its own, which sees no class around it.
static Node *copy_comp(Canon *c, const Scope *s, const Node *n) {
    Node *out = NEW(c->arena, Node);
    *out = *n;
    Scope inner = {.up = s, .names = NAMES(c->arena)};
    out->comp.fors = (Nodes){NEWN(c->arena, Node *, (size_t)n->comp.fors.n), n->comp.fors.n};
    for (int i = 0; i < n->comp.fors.n; i++) {
        const Node *f = n->comp.fors.at[i];
        Node *g = out->comp.fors.at[i] = NEW(c->arena, Node);
        *g = *f;
        g->compfor.target = copy(c, &inner, f->compfor.target);
        g->compfor.iter = copy(c, i ? &inner : s, f->compfor.iter);
        g->compfor.conds = copy_list(c, &inner, &f->compfor.conds);
    }
    out->comp.element = copy(c, &inner, n->comp.element);
    if (n->comp.val) out->comp.val = copy(c, &inner, n->comp.val);
    return out;
}

static Node *copy(Canon *c, const Scope *s, const Node *n) {
    switch (n->kind) {
    case NODE_FUNCTION: return copy_function(c, s, n);
    case NODE_CLASS: return copy_class(c, s, n);
    case NODE_LAMBDA: return copy_lambda(c, s, n);
    case NODE_COMP: return copy_comp(c, s, n);
    default: break;
    }
    Node *out = copy_children(c, s, n);
    switch (n->kind) {
    case NODE_NAME: out->name = resolve(c, s, n->name); break;
    case NODE_WALRUS: out->walrus.name = resolve(c, s, n->walrus.name); break;
    case NODE_EXCEPT:
        if (n->handler.name.len) out->handler.name = resolve(c, s, n->handler.name);
        break;
    default: break;
    }
    return out;
}

void print_canonical(Buf *out, const Node *module) {
    Arena arena = {0};
    Canon c = {.arena = &arena, .kept = NAMES(&arena)};
    collect_kept(&c, module);
    Scope s = {.names = NAMES(&arena)};
    bind_all(&(Binder){&c, &s}, &module->module.body);
    print_module(out, copy(&c, &s, module));
    arena_free(&arena);
}
