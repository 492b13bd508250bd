// Tests and benchmarks that a file runs when it is imported: `result = test_softmax()`, `bench.run(...)`,
// `print(result)`; and options of torch that no kernel sees, nor any other work of torch. A file that is
// judged is not imported, and nobody asks for what comes out: such statements go, like what stands behind
// main.
//
// Only what is called a test, and leaves nothing behind. Whatever a statement reaches in the file writes to
// its own names alone: no lists or dictionaries of the module, no attributes of others, nothing that reaches
// the interpreter.
#include "host/module_level/module_level.h"

typedef struct {
    Arena *arena;
    const Node *module;
    const Names *free; // of the module: lists and the like that may change; NULL: none
    Names shared;      // of the module: lists, dictionaries and objects that stay
    Names reached;     // functions and classes that are looked at
    Names locals;      // lists and the like that the function has made which is looked at
    bool in_init;      // in a method __init__ or forward: self and ctx are new
    int depth;         // in how many functions
    bool tests;        // the statement itself calls what is named a test
    bool leaves;       // something may stay behind
} Look;

static bool is_one_of(Str name, const char *const *all, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (str_is(name, all[i])) return true;
    return false;
}
#define IS_ONE_OF(name, all) is_one_of(name, all, sizeof(all) / sizeof *(all))

static bool module_class(const Node *module, Str name) {
    for (int i = 0; i < module->module.body.n; i++) {
        const Node *s = module->module.body.at[i];
        if (s->kind == NODE_CLASS && str_eq(s->klass.name, name)) return true;
    }
    return false;
}

static const Node *root_of(const Node *n) {
    for (;;) {
        if (n->kind == NODE_ATTRIBUTE)
            n = n->attribute.value;
        else if (n->kind == NODE_SUBSCRIPT)
            n = n->subscript.value;
        else if (n->kind == NODE_CALL)
            n = n->call.func;
        else
            return n;
    }
}

// ---- what may stay behind

static const char *const reaching[] = {"setattr", "delattr", "exec",       "eval",      "compile",
                                       "globals", "locals",  "vars",       "open",      "__import__",
                                       "input",   "exit",    "breakpoint", "quit",      "getattr",
                                       "type",    "super",   "object",     "memoryview"};
// By whatever name they are called later, and as members of whatever module.
static const char *const powers[] = {"setattr",  "delattr",    "exec",       "eval",       "globals",
                                     "locals",   "vars",       "__import__", "breakpoint", "__builtins__",
                                     "__dict__", "__loader__", "__spec__"};
static const char *const modules[] = {"os",     "sys",    "subprocess", "importlib", "builtins",
                                      "ctypes", "gc",     "inspect",    "shutil",    "runpy",
                                      "atexit", "signal", "weakref",    "threading"};
static const char *const setting[] = {"set_default_dtype",
                                      "set_default_device",
                                      "set_default_tensor_type",
                                      "library",
                                      "load_library",
                                      "load_inline",
                                      "hub",
                                      "set_allocator",
                                      "import_module"};
static const char *const changing[] = {"append",     "extend",  "insert",  "pop",     "update",
                                       "setdefault", "add",     "discard", "popitem", "clear",
                                       "remove",     "reverse", "sort"};

// A list or dictionary that the function has made, or one that nobody else asks for.
static bool may_change(const Look *l, const Node *n) {
    return n->kind == NODE_NAME &&
           (names_have(&l->locals, n->name) || (l->free && names_have(l->free, n->name)));
}

// results["case"] = y, of a dictionary that the function has made.
static void look_target(Look *l, const Node *t) {
    static const char *const of_tensors[] = {"grad", "requires_grad"};
    if (t->kind == NODE_STARRED) return look_target(l, t->value);
    if (t->kind == NODE_TUPLE || t->kind == NODE_LIST) {
        for (int i = 0; i < t->items.n; i++) look_target(l, t->items.at[i]);
    } else if (t->kind == NODE_ATTRIBUTE) {
        const Node *of = t->attribute.value;
        bool own = l->in_init && (node_is_name(of, "self") || node_is_name(of, "ctx"));
        l->leaves |= !own && !IS_ONE_OF(t->attribute.name, of_tensors);
    } else if (t->kind == NODE_SUBSCRIPT) {
        l->leaves |= !may_change(l, t->subscript.value);
    }
}

static void look(void *arg, const Node *n);

static bool is_made(const Node *v) {
    return v->kind == NODE_LIST || v->kind == NODE_DICT || v->kind == NODE_SET || v->kind == NODE_COMP;
}

static void note_made(void *arg, const Node *n) {
    Look *l = arg;
    const Node *v = n->kind == NODE_ASSIGN ? n->assign.value : NULL;
    bool made = v && is_made(v);
    for (int i = 0; v && i < n->assign.targets.n; i++)
        if (made && n->assign.targets.at[i]->kind == NODE_NAME)
            names_add(&l->locals, n->assign.targets.at[i]->name);
    node_each_child(n, note_made, arg); // a tree's height is bounded
}
// The same names bound in another way: each of them may stand for what others see.
static void other_names(void *arg, const Node *n) {
    Names *other = arg;
    const Node *v = n->kind == NODE_ASSIGN ? n->assign.value : NULL;
    for (int i = 0; v && i < n->assign.targets.n; i++)
        if (!is_made(v) || n->assign.targets.at[i]->kind != NODE_NAME)
            names_of_target(other, n->assign.targets.at[i], 0);
    switch (n->kind) {
    case NODE_FUNCTION: names_of_params(other, &n->function.params); break;
    case NODE_LAMBDA: names_of_params(other, &n->lambda.params); break;
    case NODE_FOR: names_of_target(other, n->loop.target, 0); break;
    case NODE_COMPFOR: names_of_target(other, n->compfor.target, 0); break;
    case NODE_ANNASSIGN: names_of_target(other, n->annassign.target, 0); break;
    case NODE_WALRUS: names_add(other, n->walrus.name); break;
    case NODE_WITHITEM:
        if (n->withitem.target) names_of_target(other, n->withitem.target, 0);
        break;
    default: break;
    }
    node_each_child(n, other_names, arg);
}
static void find_other(Look *l, const Node *f) {
    Names other = {.arena = l->arena};
    other_names(&other, f);
    for (int i = 0; i < l->locals.n; i++) l->leaves |= names_have(&other, l->locals.at[i]);
}

static void look_each(Look *l, const Nodes *all) {
    for (int i = 0; i < all->n; i++) look(l, all->at[i]);
}

// Its defaults and decorators, too: what they hold, it may change.
static void look_function(Look *l, const Node *f, bool method) {
    if (is_jit_function(f)) return;
    Names was = l->locals;
    bool in = l->in_init;
    look_each(l, &f->function.decorators);
    look_each(l, &f->function.params);
    l->locals = (Names){.arena = l->arena};
    l->in_init = method && (str_is(f->function.name, "__init__") || str_is(f->function.name, "forward"));
    for (int i = 0; i < f->function.body.n; i++) note_made(l, f->function.body.at[i]);
    find_other(l, f);
    l->depth++;
    for (int i = 0; i < f->function.body.n; i++) look(l, f->function.body.at[i]);
    l->depth--;
    l->locals = was;
    l->in_init = in;
}

// Its bases as well, whose methods it has.
static void look_class(Look *l, const Node *s) {
    look_each(l, &s->klass.decorators);
    look_each(l, &s->klass.bases);
    look_each(l, &s->klass.keywords);
    for (int k = 0; k < s->klass.body.n; k++)
        if (s->klass.body.at[k]->kind == NODE_FUNCTION)
            look_function(l, s->klass.body.at[k], true);
        else
            look(l, s->klass.body.at[k]);
}

// A statement of the module, other than a definition, that gives a name something.
static bool binds(Arena *a, const Node *s, Str name) {
    Names bound = {.arena = a};
    if (s->kind == NODE_FUNCTION || s->kind == NODE_CLASS || s->kind == NODE_IMPORT || is_main_guard(s))
        return false;
    names_of_block(&bound, &(Nodes){(Node **)(uintptr_t)&s, 1}, 0);
    return names_have(&bound, name);
}

// A function or class of the file is looked at once; so is what a name of the module was given, which may be
// a method of a list, or a function that another one made.
static void look_named(Look *l, Str name) {
    if (names_have(&l->reached, name)) return;
    for (int i = 0; i < l->module->module.body.n; i++) {
        const Node *s = l->module->module.body.at[i];
        if (s->kind == NODE_FUNCTION && str_eq(s->function.name, name)) {
            names_add(&l->reached, name);
            look_function(l, s, false);
        }
        if (binds(l->arena, s, name)) {
            int depth = l->depth++; // called later than it was bound
            names_add(&l->reached, name);
            look(l, s->kind == NODE_ASSIGN ? s->assign.value : s);
            l->depth = depth;
        }
        if (s->kind != NODE_CLASS || !str_eq(s->klass.name, name)) continue;
        names_add(&l->reached, name);
        look_class(l, s);
    }
}

// test_softmax(...), benchmark(...); bench.run(...) of what @triton.testing.perf_report makes.
static bool is_test(const Look *l, const Node *f, Str root) {
    static const char *const begins[] = {"test", "bench", "check", "verify", "validate", "main", "_test"};
    const Node *function = module_function(l->module, root);
    bool run = f->kind == NODE_ATTRIBUTE && str_is(f->attribute.name, "run") &&
               f->attribute.value->kind == NODE_NAME;
    if (!function || is_jit_function(function) || !(f->kind == NODE_NAME || run)) return false;
    for (size_t i = 0; i < sizeof begins / sizeof *begins; i++)
        if (str_starts(root, begins[i])) return true;
    return run && function->function.decorators.n > 0;
}

static void look_call(Look *l, const Node *n) {
    const Node *f = n->call.func, *root = root_of(f);
    bool of_base = node_is_name(f, "super") && n->call.args.n == 0 && l->depth > 0;
    if (f->kind == NODE_NAME)
        l->leaves |= (IS_ONE_OF(f->name, reaching) && !of_base) || IS_ONE_OF(f->name, setting);
    if (root->kind == NODE_NAME) {
        l->leaves |= IS_ONE_OF(root->name, modules);
        l->tests |= l->depth == 0 && is_test(l, f, root->name);
    }
    if (f->kind != NODE_ATTRIBUTE || !IS_ONE_OF(f->attribute.name, changing)) return;
    l->leaves |= !may_change(l, f->attribute.value);
}

// T["n"], T.get("n"), len(T), `in T`: what reads T alone. Whoever else has it may change it.
static bool is_shared(const Look *l, const Node *n) {
    return n->kind == NODE_NAME && names_have(&l->shared, n->name);
}
static bool reads_shared(const Look *l, const Node *n) {
    static const char *const reading[] = {"get", "items", "keys", "values"}, *const asking[] = {
                                                                                 "len", "print", "sorted",
                                                                                 "enumerate"};
    if (n->kind == NODE_SUBSCRIPT) return is_shared(l, n->subscript.value);
    if (n->kind == NODE_FOR) return is_shared(l, n->loop.iter);
    if (n->kind == NODE_COMPFOR) return is_shared(l, n->compfor.iter);
    if (n->kind == NODE_ATTRIBUTE)
        return is_shared(l, n->attribute.value) && IS_ONE_OF(n->attribute.name, reading) &&
               !module_class(l->module, n->attribute.value->name);
    return n->kind == NODE_CALL && n->call.func->kind == NODE_NAME && IS_ONE_OF(n->call.func->name, asking) &&
           !module_function(l->module, n->call.func->name);
}
// super().__init__; with another object in front of it, that one is made again.
static bool is_init_of_base(const Node *n) {
    return str_is(n->attribute.name, "__init__") && n->attribute.value->kind == NODE_CALL &&
           node_is_name(n->attribute.value->call.func, "super");
}
// T.forward(other): what it does to self, it does to the other one.
static bool calls_method_of_class(const Look *l, const Node *n) {
    if (!str_is(n->attribute.name, "forward") || n->attribute.value->kind != NODE_NAME) return false;
    return module_class(l->module, n->attribute.value->name);
}
static void look_inside(void *arg, const Node *n) {
    if (!is_shared(arg, n)) look(arg, n);
}

static void look(void *arg, const Node *n) {
    Look *l = arg;
    switch (n->kind) {
    case NODE_GLOBAL:
    case NODE_YIELD:
    case NODE_AWAIT: l->leaves = true; break;
    case NODE_IMPORT:
        for (int i = 0; i < n->import.names.n; i++) {
            Str m = n->import.from ? n->import.module : n->import.names.at[i]->alias.name;
            const char *dot = memchr(m.p, '.', m.len);
            if (dot) m.len = (size_t)(dot - m.p);
            l->leaves |= IS_ONE_OF(m, modules) || n->import.dots;
        }
        break;
    case NODE_WALRUS: l->leaves |= l->depth == 0; break; // a name of the module
    case NODE_NAME:
        l->leaves |= is_shared(l, n) || IS_ONE_OF(n->name, powers);
        look_named(l, n->name);
        break;
    case NODE_COMPFOR: look_target(l, n->compfor.target); break;
    case NODE_WITHITEM:
        if (n->withitem.target) look_target(l, n->withitem.target);
        break;
    case NODE_ATTRIBUTE:
        l->leaves |= (str_starts(n->attribute.name, "_") && !str_is(n->attribute.name, "__name__") &&
                      !is_init_of_base(n)) ||
                     calls_method_of_class(l, n) || IS_ONE_OF(n->attribute.name, setting) ||
                     IS_ONE_OF(n->attribute.name, powers);
        break;
    case NODE_CALL: look_call(l, n); break;
    case NODE_ASSIGN:
        for (int i = 0; i < n->assign.targets.n; i++) look_target(l, n->assign.targets.at[i]);
        break;
    case NODE_AUGASSIGN: { // of a module's name: a list, by whatever name
        const Node *t = n->augassign.target;
        l->leaves |= l->depth == 0 && t->kind == NODE_NAME && !str_is(t->name, "__all__");
        look_target(l, t);
        break;
    }
    case NODE_ANNASSIGN: look_target(l, n->annassign.target); break;
    case NODE_FOR: look_target(l, n->loop.target); break;
    case NODE_DELETE:
        for (int i = 0; i < n->items.n; i++) look_target(l, n->items.at[i]);
        break;
    case NODE_FUNCTION: return look_function(l, n, false);
    case NODE_CLASS: return look_class(l, n);
    default: break;
    }
    if (!l->leaves)
        node_each_child(n, reads_shared(l, n) ? look_inside : look, l); // a tree's height is bounded
}

// ---- which statements

static bool names_of_statement(Names *bound, const Node *s) {
    if (s->kind == NODE_EXPRSTMT) return s->value->kind == NODE_CALL;
    if (s->kind == NODE_ASSERT) return true;
    if (s->kind != NODE_ASSIGN) return false;
    for (int i = 0; i < s->assign.targets.n; i++) {
        const Node *t = s->assign.targets.at[i];
        if (t->kind != NODE_NAME && t->kind != NODE_TUPLE) return false;
        names_of_target(bound, t, 0);
    }
    return true;
}

static bool mentions(Arena *a, const Names *names, const Node *n) {
    Names used = {.arena = a};
    names_mentioned(&used, n);
    for (int i = 0; i < used.n; i++)
        if (names_have(names, used.at[i])) return true;
    return false;
}

// Everything that the entry, kernels and the statements that stay mention, and what that mentions.
static Names needed(Arena *a, const Node *module, const bool *goes) {
    Names all = {.arena = a};
    const Nodes *body = &module->module.body;
    for (int i = 0; i < body->n; i++) {
        const Node *s = body->at[i];
        bool entry = (s->kind == NODE_FUNCTION &&
                      (str_is(s->function.name, "run") || is_jit_function(s) || s->function.decorators.n)) ||
                     (s->kind == NODE_CLASS && (str_is(s->klass.name, "ModelNew") || s->klass.decorators.n));
        bool defines = s->kind == NODE_FUNCTION || s->kind == NODE_CLASS || s->kind == NODE_IMPORT;
        if (!goes[i] && (entry || !defines) && !is_main_guard(s)) names_mentioned(&all, s);
    }
    for (int k = 0; k < all.n; k++)
        for (int i = 0; i < body->n; i++) {
            const Node *s = body->at[i];
            if ((s->kind == NODE_FUNCTION && str_eq(s->function.name, all.at[k])) ||
                (s->kind == NODE_CLASS && str_eq(s->klass.name, all.at[k])))
                names_mentioned(&all, s);
        }
    return all;
}

// Whether a statement at module level may go: it tests, or says what came of it, and leaves nothing.
static bool may_go(Arena *a, const Node *module, const Names *gone, const Node *s) {
    Names names = {.arena = a};
    if (!names_of_statement(&names, s)) return false;
    for (int i = 0; i < names.n; i++)
        if (str_is(names.at[i], "run") || str_is(names.at[i], "ModelNew")) return false;
    Look l = {.arena = a, .module = module, .reached.arena = a, .locals.arena = a};
    look(&l, s);
    return !l.leaves && (l.tests || mentions(a, gone, s));
}

// ---- what stands beside an entry

// Lists and the like that the module makes, that have no other value, and that are none of `kept`.
static Names free_names(Arena *a, const Node *module, const Names *kept) {
    Names made = {.arena = a}, other = {.arena = a}, free = {.arena = a};
    for (int i = 0; i < module->module.body.n; i++) {
        Node *s = module->module.body.at[i];
        bool alone = s->kind == NODE_ASSIGN && s->assign.targets.n == 1 && is_made(s->assign.value) &&
                     s->assign.targets.at[0]->kind == NODE_NAME;
        if (alone)
            names_add(&made, s->assign.targets.at[0]->name);
        else if (s->kind == NODE_IMPORT)
            names_of_import(&other, s);
        else
            names_of_block(&other, &(Nodes){&s, 1}, 0);
        if (s->kind != NODE_IMPORT) other_names(&other, s); // in functions, too: one of them may hide it
    }
    for (int i = 0; i < made.n; i++)
        if (!names_have(&other, made.at[i]) && !names_have(kept, made.at[i])) names_add(&free, made.at[i]);
    return free;
}

// f = T.update: of what the module itself has made.
static bool is_member_of_own(Arena *a, const Node *module, const Node *v) {
    Names brought = {.arena = a};
    const Node *root = v->kind == NODE_ATTRIBUTE ? root_of(v) : v;
    for (int i = 0; i < module->module.body.n; i++)
        if (module->module.body.at[i]->kind == NODE_IMPORT)
            names_of_import(&brought, module->module.body.at[i]);
    return v->kind == NODE_ATTRIBUTE && root->kind == NODE_NAME && !names_have(&brought, root->name);
}

// Whether a statement calls, by whatever functions, what changes a list or dictionary of the module.
static bool reaches_state(Arena *a, const Node *module, const Names *kept, const Node *s) {
    Names state = {.arena = a}, all = {.arena = a};
    module_state_normalize(a, (Node *)(uintptr_t)module);
    names_of_state(&state, module);
    if (state.n == 0 || s->kind == NODE_CLASS || s->kind == NODE_IMPORT || is_jit_function(s)) return false;
    if (s->kind != NODE_FUNCTION) names_mentioned(&all, s);
    for (int i = 0; s->kind == NODE_FUNCTION && i < s->function.decorators.n; i++)
        names_mentioned(&all, s->function.decorators.at[i]);
    for (int k = 0; k < all.n; k++) {
        if (names_have(&state, all.at[k]) && names_have(kept, all.at[k])) return true;
        for (int i = 0; i < module->module.body.n; i++) {
            const Node *d = module->module.body.at[i];
            if ((d->kind == NODE_FUNCTION && str_eq(d->function.name, all.at[k])) ||
                (d->kind == NODE_CLASS && str_eq(d->klass.name, all.at[k])))
                names_mentioned(&all, d);
        }
    }
    return false;
}

// A class with a list or the like of its own, which all of its objects share.
static bool class_holds(const Node *s) {
    for (int k = 0; s->kind == NODE_CLASS && k < s->klass.body.n; k++) {
        const Node *m = s->klass.body.at[k];
        const Node *v = m->kind == NODE_ASSIGN      ? m->assign.value
                        : m->kind == NODE_ANNASSIGN ? m->annassign.value
                                                    : NULL;
        if (v && (is_made(v) || v->kind == NODE_NAME)) return true;
    }
    return false;
}

// Lists, dictionaries and objects of the module that are among `kept`, and classes that hold such.
static Names shared_names(Arena *a, const Node *module, const Names *kept) {
    static const char *const makers[] = {"collections", "types", "copy"};
    Names shared = {.arena = a};
    for (int i = 0; i < module->module.body.n; i++) {
        const Node *s = module->module.body.at[i], *v = s->kind == NODE_ASSIGN ? s->assign.value : NULL;
        const Node *by = v && v->kind == NODE_CALL ? root_of(v) : NULL;
        if (class_holds(s) && names_have(kept, s->klass.name)) names_add(&shared, s->klass.name);
        bool called =
            by && by->kind == NODE_NAME && (v->call.func->kind == NODE_NAME || IS_ONE_OF(by->name, makers));
        bool changes = v && (is_made(v) || called || v->kind == NODE_NAME || v->kind == NODE_SUBSCRIPT ||
                             is_member_of_own(a, module, v));
        Names bound = {.arena = a};
        for (int k = 0; changes && k < s->assign.targets.n; k++)
            names_of_target(&bound, s->assign.targets.at[k], 0);
        for (int k = 0; k < bound.n; k++)
            if (names_have(kept, bound.at[k])) names_add(&shared, bound.at[k]);
    }
    return shared;
}

// torch.backends.cuda.matmul.allow_tf32 = True: what torch's own products compute with, no kernel.
static bool sets_precision(const Node *s) {
    bool flags = false;
    const Node *t = s->kind == NODE_ASSIGN && s->assign.targets.n == 1 ? s->assign.targets.at[0] : NULL;
    for (; t && t->kind == NODE_ATTRIBUTE; t = t->attribute.value)
        flags |= str_is(t->attribute.name, "backends") && node_is_name(t->attribute.value, "torch");
    return flags && is_written(s->assign.value);
}

// Whether a statement that runs tests touches what the rest shares, by functions that stay as well.
static bool touches_shared(Arena *a, const Node *module, const Names *kept, const Node *s) {
    Names free = free_names(a, module, kept);
    Look l = {.arena = a, .module = module, .free = &free, .reached.arena = a, .locals.arena = a};
    if (reaches_state(a, module, kept, s)) return true;
    l.shared = shared_names(a, module, kept);
    return look(&l, s), l.leaves;
}

bool statement_leaves(Arena *a, const Node *module, const Names *kept, const Node *s) {
    Names free = free_names(a, module, kept);
    Look l = {.arena = a, .module = module, .free = &free, .reached.arena = a, .locals.arena = a};
    if (sets_precision(s)) return false;
    if (reaches_state(a, module, kept, s)) return true;
    l.shared = shared_names(a, module, kept);
    if (s->kind == NODE_FUNCTION) { // what Python evaluates where it stands
        for (int i = 0; i < s->function.decorators.n && !is_jit_function(s); i++)
            look(&l, s->function.decorators.at[i]);
        for (int i = 0; i < s->function.params.n; i++) look(&l, s->function.params.at[i]);
        if (s->function.returns) look(&l, s->function.returns);
    } else if (s->kind == NODE_CLASS) {
        const Nodes *part[] = {&s->klass.decorators, &s->klass.bases, &s->klass.keywords, &s->klass.body};
        l.depth++; // names of its own
        for (int k = 0; k < 4; k++)
            for (int i = 0; i < part[k]->n; i++)
                if (part[k]->at[i]->kind == NODE_FUNCTION)
                    l.leaves |= statement_leaves(a, module, kept, part[k]->at[i]);
                else
                    look(&l, part[k]->at[i]);
    } else if (s->kind != NODE_IMPORT) {
        look(&l, s);
    }
    return l.leaves;
}

// ---- all of them

static void drop_tests(Arena *a, const Node *module) {
    const Nodes *body = &module->module.body;
    bool *goes = NEWN(a, bool, (size_t)body->n + 1), any = false;
    Names gone = {.arena = a};
    for (int i = 0; i < body->n; i++) {
        goes[i] = may_go(a, module, &gone, body->at[i]);
        if (goes[i]) any = true, (void)names_of_statement(&gone, body->at[i]);
    }
    for (bool again = any; again;) { // what something that stays asks for stays, too
        again = false;
        Names need = needed(a, module, goes);
        for (int i = 0; i < body->n; i++) {
            Names names = {.arena = a};
            if (!goes[i]) continue;
            (void)names_of_statement(&names, body->at[i]);
            for (int k = 0; k < names.n && goes[i]; k++)
                if (names_have(&need, names.at[k])) goes[i] = false, again = true;
            if (goes[i] && touches_shared(a, module, &need, body->at[i])) goes[i] = false, again = true;
        }
    }
    for (int i = 0; i < body->n; i++)
        if (goes[i]) statement_drop(body->at[i]);
}

// ---- options of torch

// What torch prints and keeps for gradients. Its precision and its random numbers are others' to set.
static bool is_option(void *arg, Node *n, Nodes *out) {
    static const char *const calls[] = {"torch.set_grad_enabled", "torch.set_printoptions",
                                        "torch.cuda.empty_cache", "torch._dynamo.reset",
                                        "triton_helpers_set_driver_to_gpu"};
    Arena *a = arg;
    Buf path = BUF(a);
    if (n->kind == NODE_EXPRSTMT && n->value->kind == NODE_CALL && node_dotted(n->value->call.func, &path)) {
        for (int i = 0; i < n->value->call.args.n; i++)
            if (!is_written(n->value->call.args.at[i])) return false;
        for (int i = 0; i < n->value->call.keywords.n; i++)
            if (!is_written(n->value->call.keywords.at[i]->keyword.value)) return false;
        return *out = (Nodes){0}, IS_ONE_OF(buf_str(&path), calls);
    }
    return false;
}
// A block is never empty.
static bool becomes_pass(void *arg, Node *n, Nodes *out) {
    if (!is_option(arg, n, out)) return false;
    statement_drop(n);
    return false;
}

void module_tests_drop(Arena *a, Node *module) {
    const Node *alias, *torch = module_binding(module, STR("torch"), &alias);
    if (!torch || torch->kind == NODE_IMPORT) statements_replace(a, module, becomes_pass, a);
    if (module_function(module, STR("run")) || entry_model(module)) drop_tests(a, module);
}
