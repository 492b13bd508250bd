// What Python evaluates while it defines the functions of a file: defaults, annotations, what stands in
// @triton.jit(...). Their names have to be there by then. And a kernel keeps what a name was when it was
// defined, while its checker knows nothing but the last binding: such names are bound once.
#include "host/policy/api_names.h"
#include "host/policy/screen.h"
#include "lang/library.h"

typedef struct {
    Arena *arena;
    const Node *module;
    DiagList *d;
    Names bound;         // so far
    const Names *inside; // so far, by the body of the class around; or NULL
    Names all;           // sooner or later
    Names again;         // by several statements of the module
    bool texts;          // annotations are kept as text
    bool ok;
} Definer;

static void refuse(Definer *f, Span at, Str name, const char *why) {
    if (f->ok) diag_clean(f->d, DIAG_REFUSED, at, "`%.*s`: %s", STR_ARG(name), why);
    f->ok = false;
}

// ---- what a statement of the module binds

static void bound_by(Names *names, const Node *s, int depth) {
    if (++depth > WALK_MAX || is_main_guard(s)) return;
    if (s->kind == NODE_IMPORT) return names_of_import(names, s);
    if (s->kind != NODE_TRY) {
        Node *one = (Node *)(uintptr_t)s; // read only
        return names_of_block(names, &(Nodes){&one, 1}, depth);
    }
    const Nodes *part[] = {&s->attempt.body, &s->attempt.otherwise, &s->attempt.final};
    for (size_t p = 0; p < sizeof part / sizeof *part; p++)
        for (int i = 0; i < part[p]->n; i++) bound_by(names, part[p]->at[i], depth);
    for (int h = 0; h < s->attempt.handlers.n; h++) {
        const Nodes *body = &s->attempt.handlers.at[h]->handler.body;
        for (int i = 0; i < body->n; i++) bound_by(names, body->at[i], depth);
    }
}

// ---- names that are there

// Python's own types, beside what the host vocabulary has of them.
static bool is_type(Str name) {
    static const char *const type[] = {"int",      "float", "bool",      "str",  "complex", "bytes",
                                       "tuple",    "list",  "dict",      "set",  "type",    "object",
                                       "callable", "any",   "frozenset", "slice"};
    for (size_t i = 0; i < sizeof type / sizeof *type; i++)
        if (str_is(name, type[i])) return true;
    return false;
}

// A kernel that is written down without its imports gets them; not one that imports too late.
static bool is_there(const Definer *f, Str name) {
    if (names_have(&f->bound, name) || is_type(name)) return true;
    if (f->inside && names_have(f->inside, name)) return true;
    return !names_have(&f->all, name) &&
           (api_named(name, true) || api_is_module(name, true) || api_known_refused(name, false, true));
}

static void find_names(void *arg, const Node *n) {
    Definer *f = arg;
    if (n->kind == NODE_NAME && !is_there(f, n->name))
        refuse(f, n->span, n->name, "NameError: it is not defined where Python evaluates this");
    node_each_child(n, find_names, f); // a tree's height is bounded
}

static void find_again(void *arg, const Node *n) {
    Definer *f = arg;
    if (n->kind == NODE_NAME && names_have(&f->again, n->name))
        refuse(f, n->span, n->name,
               "it is bound a second time in this file, and what was made of the first keeps that one; give "
               "one of them another name");
    node_each_child(n, find_again, f);
}

// ---- constexpr

static bool is_language(const Definer *f, const Node *n) {
    const Node *alias;
    if (n->kind == NODE_ATTRIBUTE)
        return (str_is(n->attribute.name, "language") && node_is_name(n->attribute.value, "triton")) ||
               (str_is(n->attribute.name, "core") && is_language(f, n->attribute.value));
    if (n->kind != NODE_NAME) return false;
    const Node *s = module_binding(f->module, n->name, &alias);
    if (!s) return str_is(n->name, "tl");
    if (s->kind != NODE_IMPORT) return false;
    if (library_of(f->module, s)) return str_is(n->name, "tl"); // which the screen refuses
    Str name = alias->alias.name, of = s->import.module;
    if (!s->import.from) return str_is(name, "triton.language") || str_is(name, "triton.language.core");
    return (str_is(of, "triton") && str_is(name, "language")) ||
           (str_is(of, "triton.language") && str_is(name, "core"));
}

// What ends with this word is taken for it when a kernel is checked.
static void look_at_constexpr(Definer *f, const Node *n) {
    const Node *alias;
    bool is = n->kind == NODE_ATTRIBUTE && is_language(f, n->attribute.value);
    if (!node_is_name(n, "constexpr") &&
        (n->kind != NODE_ATTRIBUTE || !str_is(n->attribute.name, "constexpr")))
        return;
    const Node *s = n->kind == NODE_NAME ? module_binding(f->module, n->name, &alias) : NULL;
    if (s && s->kind == NODE_IMPORT)
        is = str_is(alias->alias.name, "constexpr") && (str_is(s->import.module, "triton.language") ||
                                                        str_is(s->import.module, "triton.language.core"));
    if (is) return;
    if (n->kind == NODE_ATTRIBUTE && n->attribute.value->kind == NODE_NAME) // tl.constexpr of another tl
        s = module_binding(f->module, n->attribute.value->name, &alias);
    if (!s || s->kind != NODE_IMPORT)
        return refuse(f, n->span, STR("constexpr"), "it is not the one of triton.language here");
    if (n->kind == NODE_ATTRIBUTE) {
        Str of = s->import.from ? s->import.module : alias->alias.name;
        return refuse(f, n->span, STR("constexpr"),
                      arena_printf(f->arena,
                                   "`%.*s` is imported from %.*s%.*s; write `import triton.language as tl`, "
                                   "and tl.constexpr",
                                   STR_ARG(n->attribute.value->name), s->import.dots < 3 ? s->import.dots : 3,
                                   "...", STR_ARG(of)));
    }
    const char *from = str_cdup(f->arena, s->import.from ? s->import.module : alias->alias.name);
    refuse(f, n->span, STR("constexpr"),
           arena_printf(f->arena,
                        "it is imported from %s; write `from triton.language import constexpr`, or "
                        "tl.constexpr",
                        from));
}

// ---- @triton.jit(...)

// Functions that Triton would call while it compiles or launches run where nobody looks.
static void look_at_jit(Definer *f, const Node *jit) {
    static const char *const option[] = {"version", "do_not_specialize", "do_not_specialize_on_alignment",
                                         "debug", "noinline"};
    if (jit->kind != NODE_CALL) return;
    if (jit->call.args.n) refuse(f, jit->span, STR("triton.jit"), "it has keyword arguments only");
    for (int i = 0; i < jit->call.keywords.n; i++) {
        const Node *k = jit->call.keywords.at[i];
        size_t o = 0;
        while (o < sizeof option / sizeof *option && !str_is(k->keyword.name, option[o])) o++;
        bool known = o < sizeof option / sizeof *option;
        bool none = k->keyword.value->kind == NODE_NONE &&
                    (str_is(k->keyword.name, "repr") || str_is(k->keyword.name, "launch_metadata"));
        if (!none && (!known || !(is_written(k->keyword.value) || is_written_list(k->keyword.value, true))))
            refuse(f, k->span, k->keyword.name.len ? k->keyword.name : STR("**"),
                   "a kernel's @triton.jit has options that are written down: version, do_not_specialize, "
                   "do_not_specialize_on_alignment, debug and noinline");
    }
}

// ---- functions

static void look_at_function(Definer *f, const Node *n) {
    bool jit = is_jit_function(n);
    for (int i = 0; i < n->function.params.n; i++) {
        const Node *p = n->function.params.at[i];
        if (p->param.def) find_names(f, p->param.def);
        if (p->param.def && jit) find_again(f, p->param.def);
        if (!p->param.annotation) continue;
        if (!f->texts) find_names(f, p->param.annotation);
        if (jit) look_at_constexpr(f, p->param.annotation);
    }
    if (n->function.returns && !f->texts) find_names(f, n->function.returns);
    for (int i = 0; i < n->function.decorators.n; i++) { // arguments are evaluated when it is defined
        const Node *d = n->function.decorators.at[i];
        find_names(f, d->kind == NODE_CALL ? d->call.func : d);
    }
    if (jit) look_at_jit(f, n->function.decorators.at[n->function.decorators.n - 1]);
}

// What its body binds is there for what the rest of the body evaluates, and for nothing behind it.
static void look_at_class(Definer *f, const Node *n) {
    Names inside = {.arena = f->arena};
    for (int i = 0; i < n->klass.bases.n; i++) find_names(f, n->klass.bases.at[i]);
    f->inside = &inside;
    for (int i = 0; i < n->klass.body.n; i++) {
        if (n->klass.body.at[i]->kind == NODE_FUNCTION) look_at_function(f, n->klass.body.at[i]);
        names_of_block(&inside, &(Nodes){&n->klass.body.at[i], 1}, 0);
    }
    f->inside = NULL;
}

// f = triton.autotune(...)(f), see normalize.c; any other call but those of numbers is refused where it
// stands.
static bool decorates_itself(const Node *s) {
    const Node *call = s->assign.value;
    return s->assign.targets.n == 1 && s->assign.targets.at[0]->kind == NODE_NAME &&
           call->kind == NODE_CALL && call->call.args.n == 1 && call->call.args.at[0]->kind == NODE_NAME &&
           str_eq(call->call.args.at[0]->name, s->assign.targets.at[0]->name) && !is_constant(call);
}

static bool is_future(const Node *s) {
    return s->kind == NODE_IMPORT && s->import.from && str_is(s->import.module, "__future__");
}

static void find_future(void *arg, const Node *n) {
    if (is_future(n))
        refuse(arg, n->span, STR("__future__"),
               "SyntaxError: from __future__ imports must occur at the beginning of the file");
    node_each_child(n, find_future, arg); // a tree's height is bounded
}

bool futures_first(const Node *module, DiagList *d) {
    Definer f = {.module = module, .d = d, .ok = true};
    const Nodes *body = &module->module.body;
    int i = body->n > 0 && body->at[0]->kind == NODE_EXPRSTMT && body->at[0]->value->kind == NODE_STRING;
    while (i < body->n && is_future(body->at[i])) i++;
    for (; i < body->n && f.ok; i++) find_future(&f, body->at[i]);
    return f.ok;
}

bool defined_in_time(Arena *a, const Node *module, DiagList *d) {
    Definer f = {.arena = a, .module = module, .d = d, .ok = true};
    const Nodes *body = &module->module.body;
    f.bound.arena = f.all.arena = f.again.arena = a;
    for (int i = 0; i < body->n; i++) {
        Names level = {.arena = a};
        bound_by(&level, body->at[i], 0);
        for (int k = 0; k < level.n; k++) {
            if (names_have(&f.all, level.at[k])) names_add(&f.again, level.at[k]);
            names_add(&f.all, level.at[k]);
        }
        f.texts |= is_future(body->at[i]);
    }
    for (int i = 0; i < body->n && f.ok; i++) {
        const Node *s = body->at[i];
        if (s->kind == NODE_FUNCTION) look_at_function(&f, s);
        if (s->kind == NODE_CLASS) look_at_class(&f, s);
        if (s->kind == NODE_ASSIGN && !decorates_itself(s)) find_again(&f, s->assign.value);
        if (s->kind == NODE_ANNASSIGN) {
            if (s->annassign.value) find_again(&f, s->annassign.value);
            if (!f.texts) find_names(&f, s->annassign.annotation);
        }
        bound_by(&f.bound, s, 0);
    }
    return f.ok;
}

// ---- imports that were forgotten

typedef struct {
    Definer *f;
    unsigned bound; // a bit for each of them
    bool unread;    // what annotates variables is not evaluated here
    Bindings anywhere;
} Forgotten;

static unsigned known_bits(const Names *names) {
    unsigned bits = 0;
    for (int i = 0; i < names->n; i++)
        if (known_root(names->at[i]) >= 0) bits |= 1u << known_root(names->at[i]);
    return bits;
}

static unsigned bound_inside(Arena *a, const Node *n) {
    Names names = {.arena = a};
    if (n->kind == NODE_FUNCTION) {
        names_of_params(&names, &n->function.params);
        names_of_block(&names, &n->function.body, 0);
        for (int i = 0; i < n->function.body.n; i++)
            if (n->function.body.at[i]->kind == NODE_IMPORT) names_of_import(&names, n->function.body.at[i]);
    } else if (n->kind == NODE_LAMBDA) {
        names_of_params(&names, &n->lambda.params);
    }
    for (int i = 0; n->kind == NODE_COMP && i < n->comp.fors.n; i++)
        names_of_target(&names, n->comp.fors.at[i]->compfor.target, 0);
    return known_bits(&names);
}

static void find_forgotten(void *arg, const Node *n);

static void find_forgotten_in(Forgotten *f, const Nodes *list) {
    for (int i = 0; i < list->n; i++) find_forgotten(f, list->at[i]);
}

static void find_forgotten(void *arg, const Node *n) {
    Forgotten *f = arg, inner = *f;
    inner.bound |= bound_inside(f->f->arena, n);
    int root = n->kind == NODE_NAME ? known_root(n->name) : -1;
    if (root >= 0 && !(f->bound >> root & 1))
        refuse(f->f, n->span, n->name, "NameError: the file imports other modules, but not this one");
    if (n->kind == NODE_FUNCTION)
        inner.unread = !is_jit_function(n); // Triton reads those of a kernel's variables
    if (n->kind == NODE_FUNCTION && f->f->texts) {
        find_forgotten_in(&inner, &n->function.decorators);
        find_forgotten_in(&inner, &n->function.params);
        find_forgotten_in(&inner, &n->function.body);
    } else if (n->kind == NODE_PARAM && f->f->texts) {
        if (n->param.def) find_forgotten(&inner, n->param.def);
    } else if (n->kind == NODE_ANNASSIGN && f->unread) {
        find_forgotten(&inner, n->annassign.target);
        if (n->annassign.value) find_forgotten(&inner, n->annassign.value);
    } else {
        node_each_child(n, find_forgotten, &inner);
    }
}

// Modules of Python's that have a function here, and that nobody is taken to have imported.
static void find_unimported(void *arg, const Node *n) {
    Forgotten *f = arg;
    if (n->kind == NODE_NAME &&
        (str_is(n->name, "functools") || str_is(n->name, "itertools") || str_is(n->name, "contextlib")) &&
        !names_have(&f->anywhere.all, n->name))
        refuse(f->f, n->span, n->name, "NameError: the file does not import it");
    node_each_child(n, find_unimported, arg); // a tree's height is bounded
}

bool imports_complete(Arena *a, const Node *module, DiagList *d) {
    Definer definer = {.arena = a, .module = module, .d = d, .ok = true};
    Forgotten f = {.f = &definer};
    Names names = {.arena = a};
    const Nodes *body = &module->module.body;
    bool any = false;
    for (int i = 0; i < body->n; i++) {
        definer.texts |= is_future(body->at[i]);
        any |= body->at[i]->kind == NODE_IMPORT && !is_future(body->at[i]);
        bound_by(&names, body->at[i], 0);
    }
    // Kernels are written down without these everywhere.
    static const char *const implied[] = {"torch", "triton", "tl", "libdevice"};
    for (size_t i = 0; i < sizeof implied / sizeof *implied; i++) names_add(&names, str_of(implied[i]));
    f.bound = known_bits(&names);
    f.unread = definer.texts;
    for (int i = 0; any && i < body->n; i++)
        if (!is_main_guard(body->at[i])) find_forgotten(&f, body->at[i]);
    if (!definer.ok) return false;
    names_of_module(&f.anywhere, a, module);
    find_unimported(&f, module);
    return definer.ok;
}
