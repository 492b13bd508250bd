// What of a kernel file never runs when it is judged: functions and classes that nothing of it mentions (the
// inputs of a benchmark, a test, the model that a kernel replaces), and what is said to a logger. It is taken
// out before anything looks at it. Only what does nothing by standing there: no decorators, no defaults that
// compute.
#include "host/screen.h"

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

static bool is_quiet_function(const Node *f, bool method) {
    Str name = f->function.name;
    if (is_special(name) && !(method && (str_is(name, "__init__") || str_is(name, "__call__")))) return false;
    for (int i = 0; i < f->function.decorators.n; i++)
        if (!method || !node_is_name(f->function.decorators.at[i], "staticmethod")) return false;
    for (int i = 0; i < f->function.params.n; i++) {
        const Node *p = f->function.params.at[i];
        if ((p->param.def && !is_constant(p->param.def)) || calls(p->param.annotation)) return false;
    }
    return !calls(f->function.returns);
}

static bool is_quiet_class(const Node *n) {
    if (n->klass.decorators.n || n->klass.keywords.n || is_special(n->klass.name)) return false;
    if (n->klass.bases.n && class_kind(n) == CLASS_NONE) return false;
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
    Names loggers;
} Logging;

static bool is_method_of(const Node *call, Str *object, Str *method) {
    if (call->kind != NODE_CALL || call->call.func->kind != NODE_ATTRIBUTE ||
        call->call.func->attribute.value->kind != NODE_NAME)
        return false;
    *object = call->call.func->attribute.value->name;
    *method = call->call.func->attribute.name;
    return true;
}

static bool is_told(const Logging *l, const Node *s) {
    static const char *const said[] = {"debug", "info", "warning", "error", "warn", "basicConfig"};
    Str object, method;
    if (s->kind != NODE_EXPRSTMT || !is_method_of(s->value, &object, &method) ||
        !names_have(&l->loggers, object))
        return false;
    for (int i = 0; i < s->value->call.args.n; i++)
        if (calls(s->value->call.args.at[i])) return false;
    for (int i = 0; i < s->value->call.keywords.n; i++)
        if (calls(s->value->call.keywords.at[i]->keyword.value)) return false;
    for (size_t i = 0; i < sizeof said / sizeof *said; i++)
        if (str_is(method, said[i])) return true;
    return false;
}

static void drop_told(void *arg, const Node *n) {
    if (n->kind == NODE_FUNCTION && is_jit_function(n)) return; // a kernel cannot talk to a logger
    if (is_told(arg, n)) drop(n);
    node_each_child(n, drop_told, arg);
}

// A name that is bound once in the whole file stands for that one thing.
static void drop_logging(Arena *a, const Node *module) {
    static const char *const modules[] = {"logging", "warnings"};
    const Nodes *body = &module->module.body;
    Logging l = {.loggers.arena = a};
    Bindings bound;
    names_of_module(&bound, a, module);
    for (int i = 0; i < body->n; i++)
        for (int m = 0; m < 2 && body->at[i]->kind == NODE_IMPORT; m++) {
            const Node *n = body->at[i];
            for (int k = 0; !n->import.from && k < n->import.names.n; k++)
                if (str_is(n->import.names.at[k]->alias.name, modules[m]) &&
                    !n->import.names.at[k]->alias.as.len && bound_once(&bound, str_of(modules[m])))
                    names_add(&l.loggers, str_of(modules[m]));
        }
    if (l.loggers.n == 0) return;
    for (int i = 0; i < body->n; i++) {
        const Node *n = body->at[i];
        Str object, method;
        if (n->kind != NODE_ASSIGN || n->assign.targets.n != 1 ||
            n->assign.targets.at[0]->kind != NODE_NAME || !is_method_of(n->assign.value, &object, &method) ||
            !str_is(object, "logging") || !str_is(method, "getLogger") || !names_have(&l.loggers, object) ||
            !bound_once(&bound, n->assign.targets.at[0]->name))
            continue;
        names_add(&l.loggers, n->assign.targets.at[0]->name);
        drop(n);
    }
    for (int i = 0; i < body->n; i++) drop_told(&l, body->at[i]);
}

// ---- definitions

void idle_drop(Arena *a, Node *module) {
    const Nodes *body = &module->module.body;
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
