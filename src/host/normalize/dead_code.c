// What of a kernel file never runs when it is judged: functions and classes that nothing of it mentions (the
// inputs of a benchmark, a test, the model that a kernel replaces), and what is said to a logger. It is taken
// out before anything looks at it. Only what does nothing by standing there: no decorators, no defaults that
// compute.
#include "host/normalize/normalize.h"

typedef struct {
    const Node *at; // a function or a class at module level
    Names uses;     // every name in it
    bool alive;
} Definition;

static void collect_names(void *arg, const Node *n) {
    if (n->kind == NODE_NAME) names_add(arg, n->name);
    node_each_child(n, collect_names, arg); // a tree's height is bounded
}

static void find_call(void *arg, const Node *n) {
    bool *found = arg;
    *found |=
        n->kind == NODE_CALL || n->kind == NODE_LAMBDA || n->kind == NODE_COMP || n->kind == NODE_WALRUS;
    if (!*found) node_each_child(n, find_call, arg);
}
static bool calls(const Node *n) {
    bool found = false;
    if (n) find_call(&found, n);
    return found;
}

// Python calls functions of such names by itself: of a module that is asked for a name, of a class that is
// annotated with or inherited from.
static bool is_special(Str name) { return str_starts(name, "__"); }

// A default that can fail keeps its function.
static void find_doubt(void *arg, const Node *n) {
    bool *found = arg;
    Oper o = n->kind == NODE_BINARY ? n->binary.op : OPER_ADD;
    *found |= n->kind == NODE_SUBSCRIPT || (o != OPER_ADD && o != OPER_SUB && o != OPER_MUL && o != OPER_POW);
    if (!*found) node_each_child(n, find_doubt, arg);
}
static bool may_fail(const Node *n) {
    bool found = false;
    find_doubt(&found, n);
    return found;
}

// Benchmarks are set up by these, of what is written down; nothing is measured before they are run.
static void find_other_call(void *arg, const Node *n) {
    bool *found = arg;
    const Node *f = n->kind == NODE_CALL ? n->call.func : NULL;
    bool benchmark = f && f->kind == NODE_ATTRIBUTE && str_is(f->attribute.name, "Benchmark") &&
                     f->attribute.value->kind == NODE_ATTRIBUTE &&
                     str_is(f->attribute.value->attribute.name, "testing");
    *found |= n->kind == NODE_LAMBDA || n->kind == NODE_WALRUS ||
              (f && !benchmark && !node_is_name(f, "range") && !node_is_name(f, "list"));
    if (!*found) node_each_child(n, find_other_call, arg);
}
static bool is_benchmark(const Node *d) {
    bool other = false;
    const Node *f = d->kind == NODE_CALL ? d->call.func : d;
    if (d->kind != NODE_CALL || f->kind != NODE_ATTRIBUTE || !str_is(f->attribute.name, "perf_report") ||
        f->attribute.value->kind != NODE_ATTRIBUTE ||
        !str_is(f->attribute.value->attribute.name, "testing") ||
        !node_is_name(f->attribute.value->attribute.value, "triton"))
        return false;
    for (int i = 0; i < d->call.args.n; i++) find_other_call(&other, d->call.args.at[i]);
    return !other && !d->call.keywords.n;
}

static bool is_quiet_function(const Node *f, bool method) {
    Str name = f->function.name;
    if (is_special(name) && !(method && (str_is(name, "__init__") || str_is(name, "__call__")))) return false;
    for (int i = 0; i < f->function.decorators.n; i++)
        if (method ? !node_is_name(f->function.decorators.at[i], "staticmethod")
                   : !is_benchmark(f->function.decorators.at[i]))
            return false;
    for (int i = 0; i < f->function.params.n; i++) {
        const Node *p = f->function.params.at[i];
        if ((p->param.def && (!is_constant(p->param.def) || calls(p->param.def) || may_fail(p->param.def))) ||
            calls(p->param.annotation))
            return false;
    }
    return !calls(f->function.returns);
}

// Of Python's own, which do nothing by being derived from.
static bool is_plain_base(const Node *n) {
    static const char *const plain[] = {"object", "dict", "list", "tuple", "set", "str", "int", "float"};
    const Node *base = n->klass.bases.n == 1 ? n->klass.bases.at[0] : n;
    bool is = base->kind == NODE_ATTRIBUTE && str_is(base->attribute.name, "SimpleNamespace") &&
              node_is_name(base->attribute.value, "types");
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++) is |= node_is_name(base, plain[i]);
    return is;
}

static bool is_quiet_class(const Node *n) {
    if (n->klass.decorators.n || n->klass.keywords.n || is_special(n->klass.name)) return false;
    if (n->klass.bases.n && class_kind(n) == CLASS_NONE && !is_plain_base(n)) return false;
    for (int i = 0; i < n->klass.body.n; i++) {
        const Node *s = n->klass.body.at[i];
        bool text = s->kind == NODE_EXPRSTMT && s->value->kind == NODE_STRING;
        if (!text && s->kind != NODE_PASS && (s->kind != NODE_FUNCTION || !is_quiet_function(s, true)))
            return false;
    }
    return true;
}

// The tree is this process's own and has not been shown to anybody yet.
static void drop(const Node *n) {
    Node *mine = (Node *)(uintptr_t)n;
    mine->kind = NODE_PASS;
    mine->height = 1;
}

// ---- loggers

typedef struct {
    bool logging, warnings; // names of these modules
    Names loggers, makers;  // what getLogger() gave; `getLogger` under its names here
} Logging;

static bool is_method_of(const Node *call, Str *object, Str *method) {
    if (call->kind != NODE_CALL || call->call.func->kind != NODE_ATTRIBUTE ||
        call->call.func->attribute.value->kind != NODE_NAME)
        return false;
    *object = call->call.func->attribute.value->name;
    *method = call->call.func->attribute.name;
    return true;
}

static bool is_word(const char *const *word, size_t n, Str name) {
    for (size_t i = 0; i < n; i++)
        if (str_is(name, word[i])) return true;
    return false;
}
#define IS_WORD(list, name) is_word(list, sizeof(list) / sizeof *(list), name)

// logging.INFO; os.environ.get("LOGLEVEL", "INFO").upper(): how much is told is nobody's matter here.
static bool is_level(const Logging *l, const Node *n) {
    static const char *const level[] = {"DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL"};
    Buf path = BUF(l->loggers.arena);
    const Node *f = n->kind == NODE_CALL ? n->call.func : NULL;
    if (f && f->kind == NODE_ATTRIBUTE && str_is(f->attribute.name, "upper") && !n->call.args.n)
        return is_level(l, f->attribute.value);
    if (n->kind == NODE_IFEXP) // what became of a question to the environment
        return is_level(l, n->ifexp.then) && is_level(l, n->ifexp.otherwise);
    if (f && node_dotted(f, &path) && n->call.args.n > 0 && !n->call.keywords.n) {
        for (int i = 0; i < n->call.args.n; i++)
            if (n->call.args.at[i]->kind != NODE_STRING) return false;
        return str_is(buf_str(&path), "os.environ.get") || str_is(buf_str(&path), "os.getenv");
    }
    return n->kind == NODE_INT || n->kind == NODE_STRING ||
           (l->logging && n->kind == NODE_ATTRIBUTE && node_is_name(n->attribute.value, "logging") &&
            IS_WORD(level, n->attribute.name));
}

static bool is_category(const Node *n) {
    static const char *const category[] = {"UserWarning", "RuntimeWarning", "DeprecationWarning",
                                           "FutureWarning", "Warning"};
    return n->kind == NODE_NAME && IS_WORD(category, n->name);
}

static bool is_handler(const Logging *l, const Node *n) {
    static const char *const made[] = {"NullHandler", "StreamHandler"};
    Str object, method;
    return is_method_of(n, &object, &method) && l->logging && str_is(object, "logging") &&
           IS_WORD(made, method) && !n->call.args.n && !n->call.keywords.n;
}

// How much is said, and how it looks.
static bool is_setting(const Logging *l, const Node *call, Str object, Str method) {
    static const char *const looks[] = {"format", "datefmt", "force"};
    const Nodes *args = &call->call.args, *names = &call->call.keywords;
    if (str_is(method, "setLevel") && names_have(&l->loggers, object))
        return args->n == 1 && names->n == 0 && is_level(l, args->at[0]);
    if (str_is(method, "addHandler") &&
        names_have(&l->loggers, object)) // a handler that writes nowhere, or to stderr
        return args->n == 1 && names->n == 0 && is_handler(l, args->at[0]);
    if (!str_is(method, "basicConfig") || !l->logging || !str_is(object, "logging") || args->n) return false;
    for (int i = 0; i < names->n; i++) {
        Str name = names->at[i]->keyword.name;
        const Node *v = names->at[i]->keyword.value;
        if (!(str_is(name, "level") ? is_level(l, v) : IS_WORD(looks, name) && is_written(v))) return false;
    }
    return true;
}

// f.__name__, type(x).__name__, self.__class__.__name__: of what is said nobody sees how things are called.
static void tell_names(void *arg, const Node *n) {
    Node *own = (Node *)(uintptr_t)n; // the tree is this process's own
    const Node *of =
        n->kind == NODE_ATTRIBUTE && str_is(n->attribute.name, "__name__") ? n->attribute.value : NULL;
    if (of && of->kind == NODE_ATTRIBUTE && str_is(of->attribute.name, "__class__")) of = of->attribute.value;
    if (of && of->kind == NODE_CALL && node_is_name(of->call.func, "type") && of->call.args.n == 1 &&
        !of->call.keywords.n)
        of = of->call.args.at[0];
    if (of && of->kind == NODE_NAME) *own = *of;
    node_each_child(n, tell_names, arg); // a tree's height is bounded
}

// Calls of other functions than Python's own that only look at what they are given.
static void find_others(void *arg, const Node *n) {
    static const char *const own[] = {"len", "sorted", "tuple", "list", "str", "int", "float", "min", "max"};
    *(bool *)arg |=
        n->kind == NODE_CALL && !(n->call.func->kind == NODE_NAME && IS_WORD(own, n->call.func->name));
    node_each_child(n, find_others, arg); // a tree's height is bounded
}
static bool calls_others(const Node *n) {
    bool found = false;
    find_others(&found, n);
    return found;
}

// What is said comes first.
static bool is_message(const Logging *l, const Node *call, Str object, Str method) {
    static const char *const said[] = {"debug",        "info",      "warning",   "error", "critical",
                                       "warning_once", "info_once", "debug_once"}; // some packages' own
    static const char *const how[] = {"exc_info", "stack_info", "stacklevel"};
    const Nodes *args = &call->call.args, *names = &call->call.keywords;
    bool warn = l->warnings && str_is(object, "warnings");
    bool logger = names_have(&l->loggers, object) || (l->logging && str_is(object, "logging"));
    if (warn ? !str_is(method, "warn") : !logger || !IS_WORD(said, method)) return false;
    if (args->n < 1 || (warn && args->n > 1 && (args->n > 2 || !is_category(args->at[1])))) return false;
    for (int i = 0; i < args->n; i++)
        if (args->at[i]->kind == NODE_STARRED) return false;
    for (int i = 0; i < args->n; i++) tell_names(NULL, args->at[i]);
    for (int i = 0; i < args->n; i++)
        if (calls_others(args->at[i])) return false;
    for (int i = 0; i < names->n; i++) {
        Str name = names->at[i]->keyword.name;
        const Node *v = names->at[i]->keyword.value;
        bool ok = warn ? str_is(name, "category") ? args->n == 1 && is_category(v)
                                                  : str_is(name, "stacklevel") && v->kind == NODE_INT
                       : IS_WORD(how, name) && is_written(v);
        if (!ok) return false;
    }
    return true;
}

static bool is_module_name(const Node *n);

// logging.getLogger("triton").setLevel(logging.ERROR), logging.disable(logging.INFO): of loggers elsewhere.
static bool is_setting_elsewhere(const Logging *l, const Node *call) {
    Str object, method;
    const Node *f = call->kind == NODE_CALL ? call->call.func : NULL;
    if (!f || f->kind != NODE_ATTRIBUTE || call->call.keywords.n || call->call.args.n > 1) return false;
    for (int i = 0; i < call->call.args.n; i++)
        if (!is_level(l, call->call.args.at[i])) return false;
    if (is_method_of(call, &object, &method))
        return l->logging && str_is(object, "logging") &&
               (str_is(method, "disable") || str_is(method, "captureWarnings"));
    return str_is(f->attribute.name, "setLevel") && call->call.args.n == 1 &&
           is_method_of(f->attribute.value, &object, &method) && l->logging && str_is(object, "logging") &&
           str_is(method, "getLogger") && f->attribute.value->call.args.n < 2 &&
           !f->attribute.value->call.keywords.n &&
           (!f->attribute.value->call.args.n || is_module_name(f->attribute.value->call.args.at[0]));
}

// What is said is still evaluated: it can fail.
static void drop_told(void *arg, const Node *n) {
    const Logging *l = arg;
    Str object, method;
    if (n->kind == NODE_EXPRSTMT && is_setting_elsewhere(l, n->value)) return drop(n);
    if (n->kind == NODE_FUNCTION && is_jit_function(n)) return; // a kernel cannot talk to a logger
    if (n->kind == NODE_EXPRSTMT && is_method_of(n->value, &object, &method)) {
        Node *call = (Node *)(uintptr_t)n->value;
        if (is_setting(l, call, object, method)) {
            drop(n);
        } else if (is_message(l, call, object, method)) {
            Nodes args = call->call.args;
            bool warn = str_is(method, "warn");
            call->kind = NODE_TUPLE;
            call->items = (Nodes){args.at, warn ? 1 : args.n};
        }
    }
    node_each_child(n, drop_told, arg);
}

// The last or the first item: there always is one.
static bool is_end(const Node *n) {
    if (n->kind == NODE_UNARY && n->unary.op == OPER_NEG) n = n->unary.operand;
    return n->kind == NODE_INT && !n->integer.too_big && n->integer.value <= 1;
}

// __name__, __name__.lstrip("."), f"flag_gems.{__name__.split('.')[-1]}": a text that says which file it is.
static bool is_module_name(const Node *n) {
    static const char *const cuts[] = {"lstrip", "rstrip",       "strip",       "split",
                                       "rsplit", "removeprefix", "removesuffix"};
    switch (n->kind) {
    case NODE_STRING: return !n->string.bytes;
    case NODE_NAME: return node_is_name(n, "__name__");
    case NODE_FSTRING:
        for (int i = 0; i < n->items.n; i++)
            if (!is_module_name(n->items.at[i])) return false;
        return true;
    case NODE_BINARY:
        return n->binary.op == OPER_ADD && is_module_name(n->binary.left) && is_module_name(n->binary.right);
    case NODE_SUBSCRIPT:
        return n->subscript.value->kind == NODE_CALL && is_module_name(n->subscript.value) &&
               str_ends(n->subscript.value->call.func->attribute.name, "split") &&
               (n->subscript.index->kind == NODE_UNARY ||
                (n->subscript.index->kind == NODE_INT && n->subscript.index->integer.value == 0)) &&
               is_end(n->subscript.index);
    case NODE_CALL:
        if (n->call.func->kind != NODE_ATTRIBUTE || n->call.keywords.n ||
            !IS_WORD(cuts, n->call.func->attribute.name) || !is_module_name(n->call.func->attribute.value))
            return false;
        for (int i = 0; i < n->call.args.n; i++)
            if (n->call.args.at[i]->kind != NODE_STRING || n->call.args.at[i]->string.text.len == 0)
                return false;
        return n->call.args.n < 2;
    default: return false;
    }
}

// logging.getLogger(__name__); getLogger(__name__) where it is imported from there.
static bool names_logger(const Logging *l, const Node *n) {
    Str object, method;
    if (n->kind != NODE_ASSIGN || n->assign.targets.n != 1 || n->assign.targets.at[0]->kind != NODE_NAME ||
        n->assign.value->kind != NODE_CALL)
        return false;
    const Node *call = n->assign.value, *of = call->call.args.n ? call->call.args.at[0] : NULL;
    bool member = is_method_of(call, &object, &method) && l->logging && str_is(object, "logging") &&
                  str_is(method, "getLogger");
    bool name = call->call.func->kind == NODE_NAME && names_have(&l->makers, call->call.func->name);
    return (member || name) && call->call.args.n < 2 && call->call.keywords.n == 0 &&
           (!of || is_module_name(of));
}

// logger.isEnabledFor(logging.DEBUG): how much is told is whoever runs the file's to say. One answer where
// the device is the usual one, the other elsewhere, so that both are tried.
static void answer_enabled(void *arg, const Node *n) {
    const Logging *l = arg;
    Str object, method;
    if (n->kind == NODE_FUNCTION && is_jit_function(n)) return;
    node_each_child(n, answer_enabled, arg); // a tree's height is bounded
    if (!is_method_of(n, &object, &method) || !str_is(method, "isEnabledFor") ||
        !names_have(&l->loggers, object) || n->call.args.n != 1 || n->call.keywords.n ||
        !is_level(l, n->call.args.at[0]))
        return;
    DiagList d = DIAGS(l->loggers.arena);
    Node *m = parse_module(l->loggers.arena,
                           STR("f = torch.cuda.get_device_properties(0).multi_processor_count != 132\n"), &d);
    if (!m) return;
    Node *answer = m->module.body.at[0]->assign.value, *own = (Node *)(uintptr_t)n;
    uint16_t height = own->height > answer->height ? own->height : answer->height;
    tree_place(answer, n->span);
    *own = *answer;
    own->height = height;
}

static void note_makers(Logging *l, const Node *n, const Bindings *bound) {
    bool from =
        n->kind == NODE_IMPORT && n->import.from && !n->import.dots && str_is(n->import.module, "logging");
    for (int k = 0; from && k < n->import.names.n; k++) {
        const Node *alias = n->import.names.at[k];
        Str as = alias->alias.as.len ? alias->alias.as : alias->alias.name;
        if (str_is(alias->alias.name, "getLogger") && bound_once(bound, as)) names_add(&l->makers, as);
    }
}

// A name that is bound once in the whole file stands for that one thing, from there on.
static void drop_logging(Arena *a, const Node *module) {
    const Nodes *body = &module->module.body;
    Logging l = {.loggers.arena = a, .makers.arena = a};
    Bindings bound;
    names_of_module(&bound, a, module);
    for (int i = 0; i < body->n; i++) {
        const Node *n = body->at[i];
        note_makers(&l, n, &bound);
        for (int k = 0; n->kind == NODE_IMPORT && !n->import.from && k < n->import.names.n; k++) {
            const Node *alias = n->import.names.at[k];
            if (alias->alias.as.len || !bound_once(&bound, alias->alias.name)) continue;
            l.logging |= str_is(alias->alias.name, "logging");
            l.warnings |= str_is(alias->alias.name, "warnings");
        }
        if (names_logger(&l, n) && bound_once(&bound, n->assign.targets.at[0]->name)) {
            names_add(&l.loggers, n->assign.targets.at[0]->name);
            drop(n);
        } else if (n->kind == NODE_EXPRSTMT) {
            drop_told(&l, n);
            bool said = n->kind == NODE_EXPRSTMT && n->value->kind == NODE_TUPLE; // at module level: texts
            for (int k = 0; said && k < n->value->items.n; k++) said = is_written(n->value->items.at[k]);
            if (said) drop(n);
        }
    }
    if (!l.logging && !l.warnings && !l.makers.n) return;
    for (int i = 0; i < body->n; i++) {
        if (body->at[i]->kind != NODE_EXPRSTMT) drop_told(&l, body->at[i]);
        if (l.loggers.n) answer_enabled(&l, body->at[i]);
    }
}

// ---- definitions

// __repr__, __str__, extra_repr: what a text of an object would be. No text of an object is made here.
static void drop_texts(const Node *klass) {
    static const char *const texts[] = {"__repr__", "__str__", "__format__", "extra_repr"};
    for (int i = 0; i < klass->klass.body.n; i++)
        for (size_t k = 0; k < sizeof texts / sizeof *texts; k++)
            if (klass->klass.body.at[i]->kind == NODE_FUNCTION &&
                str_is(klass->klass.body.at[i]->function.name, texts[k]))
                drop(klass->klass.body.at[i]);
}

void dead_code_drop(Arena *a, Node *module) {
    if (!module_function(module, STR("run")) && !entry_model(module)) return; // what there is will be named
    const Nodes *body = &module->module.body;
    for (int i = 0; i < body->n; i++)
        if (body->at[i]->kind == NODE_CLASS) drop_texts(body->at[i]);
    Definition *d = NEWN(a, Definition, (size_t)body->n + 1);
    Names alive = {.arena = a}, defined = {.arena = a};
    drop_logging(a, module);
    int n = 0;
    for (int i = 0; i < body->n; i++) {
        const Node *s = body->at[i];
        bool function = s->kind == NODE_FUNCTION && !is_jit_function(s);
        Str name = function ? s->function.name : s->kind == NODE_CLASS ? s->klass.name : (Str){0};
        bool quiet = function ? is_quiet_function(s, false) : s->kind == NODE_CLASS && is_quiet_class(s);
        // A name that is defined twice keeps both.
        if (name.len && quiet && !str_is(name, "run") && !str_is(name, "ModelNew") &&
            !names_have(&defined, name)) {
            d[n] = (Definition){.at = s, .uses.arena = a};
            collect_names(&d[n++].uses, s);
        } else if (s->kind != NODE_IMPORT && !is_main_guard(s)) {
            collect_names(&alive, s);
        }
        if (name.len && names_have(&defined, name)) names_add(&alive, name);
        if (name.len) names_add(&defined, name);
    }
    for (bool more = true; more;) {
        more = false;
        for (int i = 0; i < n; i++) {
            Str name = d[i].at->kind == NODE_CLASS ? d[i].at->klass.name : d[i].at->function.name;
            if (d[i].alive || !names_have(&alive, name)) continue;
            d[i].alive = more = true;
            for (int k = 0; k < d[i].uses.n; k++) names_add(&alive, d[i].uses.at[k]);
        }
    }
    for (int i = 0; i < n; i++)
        if (!d[i].alive) drop(d[i].at);
}
