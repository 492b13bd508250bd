// Calls of functions and methods of the file: arguments reach parameters, results come back.
#include "host/varies/inside.h"

// apply() of an autograd.Function as an argument, as of functools.partial(): who calls it hands over
// anything.
static void bind_any(Varies *v, Callable *c);
static bool is_applied(const Varies *v, const Callable *c);
static void hand_applied(Varies *v, Str name) {
    for (int i = 0; str_is(name, "apply") && i < v->callables; i++)
        if (is_applied(v, &v->callable[i])) bind_any(v, &v->callable[i]);
}

static Given given(Varies *v, const Scope *scope, const Node *call) {
    enum { SPREAD_MAX = 8 }; // items of one sequence that are handed over one by one
    Given g = {.keywords = &call->call.keywords};
    g.arg = NEWN(v->arena, Fact, (size_t)call->call.args.n * SPREAD_MAX + 1);
    g.named = NEWN(v->arena, Fact, (size_t)g.keywords->n + 1);
    for (int i = 0; i < call->call.args.n; i++) {
        const Node *n = call->call.args.at[i];
        Fact f = varies_eval(v, scope, n);
        if (n->kind == NODE_ATTRIBUTE && v->applies) hand_applied(v, n->attribute.name);
        if (n->kind == NODE_STARRED && varies_empty(v, f)) continue;
        bool counted =
            (f.kind == FACT_NUMBERS || f.kind == FACT_THINGS) && f.count > 0 && f.count <= SPREAD_MAX;
        for (int k = 0; n->kind == NODE_STARRED && counted && !g.more && k < f.count; k++)
            g.arg[g.args++] = fact_item_at(f, k);
        if (n->kind == NODE_STARRED && counted && !g.more) continue;
        if (n->kind == NODE_STARRED || g.more)
            g.more = true, g.rest = fact_join(g.rest, fact_item(f));
        else
            g.arg[g.args++] = f;
    }
    for (int i = 0; i < g.keywords->n; i++) {
        const Node *k = g.keywords->at[i];
        g.named[i] = varies_eval(v, scope, k->keyword.value);
        if (!k->keyword.name.len && varies_empty(v, g.named[i])) continue;
        if (!k->keyword.name.len) g.more = true, g.rest = fact_join(g.rest, fact_other(g.named[i].how));
    }
    return g;
}

uint8_t given_how(const Given *g) {
    uint8_t how = g->rest.how;
    for (int i = 0; i < g->args; i++) how |= g->arg[i].how;
    for (int i = 0; i < g->keywords->n; i++) how |= g->named[i].how;
    return how;
}

// What decorators hand to a kernel beside a launch's arguments.
static Fact decorated(Varies *v, const Callable *c) {
    const Nodes *d = &c->node->function.decorators;
    Fact f = fact_other(0);
    for (int i = 0; i < d->n && d->n > 1; i++) f.how |= varies_eval(v, c->scope, d->at[i]).how;
    return f;
}

// **kw: of keywords, those of another one too.
static Fact named_of(const Given *g) {
    Fact f = fact_other(FACT_HELD);
    bool bare = true;
    for (int i = 0; i < g->keywords->n; i++) {
        f.how |= g->named[i].how;
        bare &= !g->keywords->at[i]->keyword.name.len && (g->named[i].sure & SURE_BARE);
    }
    f.sure = bare ? SURE_BARE : 0;
    return f;
}

// *args: what is left of them.
static Fact rest_of(const Given *g, int from) {
    Fact f = {0};
    for (int i = from; i < g->args; i++) f = fact_join(f, g->arg[i]);
    f = fact_sequence(g->more ? fact_join(f, g->rest) : f);
    bool counted = !g->more && f.kind != FACT_OTHER && g->args - from < UINT8_MAX;
    return f.count = counted && g->args > from ? (uint8_t)(g->args - from) : 0, f;
}

void varies_bind(Varies *v, Callable *c, const Given *g) {
    varies_enter(v, c);
    const Nodes *params = &c->node->function.params;
    int at = 0, first = c->method && !c->plain;
    for (int i = first; i < params->n; i++) {
        const Node *p = params->at[i];
        if (p->param.kind == PARAM_STAR || p->param.kind == PARAM_DOUBLESTAR) {
            Fact all = p->param.kind == PARAM_STAR ? rest_of(g, at) : named_of(g);
            if (p->param.name.len) var_param(v, c, p->param.name, all);
            continue;
        }
        bool found = p->param.kind == PARAM_PLAIN && at < g->args;
        Fact f = found ? g->arg[at++] : (Fact){0};
        for (int k = 0; k < g->keywords->n; k++)
            if (str_eq(g->keywords->at[k]->keyword.name, p->param.name))
                f = fact_join(f, g->named[k]), found = true;
        // What is given by its place or its name is given once.
        if (g->more && !found) f = fact_join(f, g->rest);
        if (!found && p->param.def) {
            f = fact_join(f, varies_eval(v, c->scope, p->param.def));
            f.how |= FACT_STAYS; // one object for all calls
        }
        if (!found && !p->param.def && (!g->more || c->node->function.decorators.n > 1))
            f = fact_join(f, decorated(v, c));
        var_param(v, c, p->param.name, f);
    }
}

static void bind_any(Varies *v, Callable *c) {
    varies_open(v, c);
    varies_handed(v, c);
    const Nodes *params = &c->node->function.params;
    Fact any = varies_any();
    if (str_starts(c->node->function.name, "<")) any.how |= FACT_MIXED; // policy/named_truths.c
    for (int i = c->method && !c->plain; i < params->n; i++)
        if (params->at[i]->param.name.len) var_param(v, c, params->at[i]->param.name, any);
}

// forward() of an autograd.Function, which no object's call comes to.
static bool is_applied(const Varies *v, const Callable *c) {
    for (int i = 0; str_is(c->node->function.name, "forward") && i < v->class_count; i++)
        for (int k = 0; k < v->classes[i]->klass.body.n; k++)
            if (v->classes[i]->klass.body.at[k] == c->node)
                return class_kind(v->classes[i]) == CLASS_AUTOGRAD;
    return false;
}

// Functions of that name: of the module's, or methods of any class.
bool varies_call_named(Varies *v, Str name, bool method, const Given *g, Fact *out) {
    bool any = false;
    for (int i = 0; i < v->callables; i++) {
        Callable *c = &v->callable[i];
        if (c->method != method || !str_eq(c->node->function.name, name)) continue;
        varies_open(v, c);
        varies_bind(v, c, g);
        *out = any ? fact_join(*out, varies_result(v, c->node)) : varies_result(v, c->node);
        any = true;
    }
    return any;
}

// An object is called whose class is not known: forward() of any but those.
static bool call_forward(Varies *v, const Given *g, Fact *out) {
    bool any = false;
    for (int i = 0; i < v->callables; i++) {
        Callable *c = &v->callable[i];
        if (!c->method || !str_is(c->node->function.name, "forward") || is_applied(v, c)) continue;
        varies_open(v, c);
        varies_bind(v, c, g);
        *out = any ? fact_join(*out, varies_result(v, c->node)) : varies_result(v, c->node);
        any = true;
    }
    return any;
}

static const Node *method_of(const Node *klass, const char *name) {
    const Node *found = NULL;
    for (int k = 0; k < klass->klass.body.n; k++) {
        const Node *n = klass->klass.body.at[k];
        if (n->kind == NODE_FUNCTION && str_is(n->function.name, name)) found = n;
    }
    return found;
}

static Fact call_method(Varies *v, const Node *method, const Given *g) {
    Callable *c = varies_called(v, method);
    varies_open(v, c);
    varies_bind(v, c, g);
    return varies_result(v, method);
}

bool varies_make(Varies *v, Str klass, const Given *g, Fact *out) {
    const Node *init = NULL;
    for (int i = 0; i < v->class_count; i++)
        if (str_eq(v->classes[i]->klass.name, klass)) init = method_of(v->classes[i], "__init__");
    if (!init) return varies_call_named(v, STR("__init__"), true, g, out);
    return *out = call_method(v, init, g), true;
}

// F.apply(...) of an autograd.Function: forward(ctx, ...), as a static method. With setup_context(ctx,
// inputs, output), forward has no ctx; which of a file's classes have that is not looked at, so then both are
// taken.
static bool apply_autograd(Varies *v, const Given *g, Fact *out) {
    bool any = false, setup = false;
    Given with = *g;
    with.arg = NEWN(v->arena, Fact, (size_t)g->args + 1);
    with.arg[0] = fact_other(FACT_STAYS);
    for (int i = 0; i < g->args; i++) with.arg[i + 1] = g->arg[i];
    with.args++;
    for (int i = 0; i < v->callables; i++) {
        Callable *c = &v->callable[i];
        if (!c->method || !str_is(c->node->function.name, "setup_context")) continue;
        bind_any(v, c);
        setup = true;
    }
    for (int i = 0; i < v->callables; i++) {
        Callable *c = &v->callable[i];
        if (!c->method || !str_is(c->node->function.name, "forward")) continue;
        varies_open(v, c);
        varies_bind(v, c, c->plain ? &with : g);
        if (setup) varies_bind(v, c, g);
        *out = any ? fact_join(*out, varies_result(v, c->node)) : varies_result(v, c->node);
        any = true;
    }
    return any;
}

// An object that is called; of whatever class where that is not known. What it gives is added to *out.
static void call_object(Varies *v, Fact object, const Given *g, Fact *out) {
    Fact made;
    const Node *klass = object.klass ? v->classes[object.klass - 1] : NULL;
    const Node *call = klass ? method_of(klass, "__call__") : NULL;
    if (klass && !call) call = method_of(klass, "forward");
    if (call) {
        *out = fact_other(out->how | call_method(v, call, g).how);
        return;
    }
    if (varies_call_named(v, STR("__call__"), true, g, &made)) *out = fact_other(out->how | made.how);
    if (call_forward(v, g, &made)) *out = fact_other(out->how | made.how);
    if (v->applies && apply_autograd(v, g, &made)) *out = fact_other(out->how | made.how);
}

// A function that is handed about: by whom it is called, and with what, nobody knows.
void varies_escapes(Varies *v, Str name) {
    for (int i = 0; i < v->callables; i++) {
        Callable *c = &v->callable[i];
        if (!c->method && str_eq(c->node->function.name, name)) bind_any(v, c);
    }
}

bool varies_hand_out(Varies *v, Str name, Fact *out) {
    bool any = false;
    *out = (Fact){0};
    for (int i = 0; i < v->callables; i++) {
        Callable *c = &v->callable[i];
        if (!c->method || !str_eq(c->node->function.name, name)) continue;
        bind_any(v, c);
        Fact f = varies_result(v, c->node);
        *out = any ? fact_join(*out, f) : f;
        any = true;
    }
    return any;
}

// Methods of lists, dictionaries and sets that change them.
static bool changes(Str name) {
    static const char *const all[] = {"append", "extend", "insert",  "update",     "setdefault",
                                      "add",    "pop",    "popitem", "remove",     "discard",
                                      "clear",  "sort",   "reverse", "move_to_end"};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (str_is(name, all[i])) return true;
    return false;
}

static bool of_module(const Varies *v, const Scope *scope, const Node *of) { // tl.sort
    return of->kind == NODE_NAME && !var_visible(v, scope, of->name);
}

void varies_handed_method(Varies *v, const Scope *scope, const Node *attribute) {
    if (changes(attribute->attribute.name) && !of_module(v, scope, attribute->attribute.value))
        varies_hold(v, varies_any(), FACT_STAYS);
}

// p._replace(n=4) of a NamedTuple: its fields are more than what the class was made with.
static void replace_fields(Varies *v, const Given *g) {
    for (int i = 0; i < g->keywords->n; i++) {
        Str field = g->keywords->at[i]->keyword.name;
        if (field.len) var_add(v, &varies_members, field, g->named[i]);
        for (int k = 0; !field.len && k < v->cap; k++) // **more
            if (v->var[k].scope == &varies_members) var_add(v, &varies_members, v->var[k].name, varies_any());
    }
}

static void change(Varies *v, Str name, Fact base, const Given *g) {
    if (str_is(name, "_replace")) return replace_fields(v, g);
    if (!changes(name)) return;
    bool several = str_is(name, "extend") || str_is(name, "update");
    Fact f = {.how = g->rest.how};
    if (g->more) f = fact_join(f, g->rest);
    for (int i = 0; i < g->args; i++) {
        f = fact_join(f, several ? fact_item(g->arg[i]) : g->arg[i]);
        if (str_is(name, "insert") || str_is(name, "pop") || str_is(name, "setdefault"))
            f.how |= g->arg[i].how;
    }
    for (int i = 0; i < g->keywords->n; i++) f = fact_join(f, g->named[i]);
    varies_hold(v, f, base.how);
}

// Of a tensor, or of what may be one.
static Fact eval_own_method(Varies *v, const Node *call, Str name, Fact base, const Given *g) {
    Fact f;
    if (base.kind == FACT_NOTHING) return base; // not known yet, nor is what it gives
    if (varies_tensor_method(call, name, base, g, &f) || varies_member(v, name, base, &f)) return f;
    f = varies_known_call(call, name, base, g);
    return f.how |= base.how & (uint8_t) ~(f.kind == FACT_NUMBER ? FACT_NONE : 0), f;
}

// Objects of one class have the same methods, whatever they were made with.
static bool is_chosen(Fact callee) {
    return (callee.how & FACT_VARIES) && (!callee.klass || (callee.how & FACT_NONE));
}

static Fact eval_method(Varies *v, const Scope *scope, const Node *call, const Given *g) {
    const Node *func = call->call.func;
    Str name = func->attribute.name;
    Fact base = varies_eval(v, scope, func->attribute.value), f;
    if (fact_is_tensor(base)) return eval_own_method(v, call, name, base, g);
    // Which object's it is may be chosen: then any of them.
    v->callee |= (base.how & FACT_NONE) && varies_has_method(v, name);
    if (varies_call_named(v, name, true, g, &f)) return f.how |= base.how & FACT_VARIES, f;
    bool looked = str_is(name, "items") || str_is(name, "values") || str_is(name, "keys");
    if (looked && varies_empty(v, base)) return base;
    if (!of_module(v, scope, func->attribute.value)) change(v, name, base, g);
    if (str_is(name, "apply") && apply_autograd(v, g, &f)) return f;
    const Var *kept = var_find(v, &varies_members, name);
    if (!kept) f = eval_own_method(v, call, name, base, g);
    if (kept) {
        f = fact_other(given_how(g) | kept->fact.how | FACT_EMPTY | FACT_STAYS |
                       (base.how & (uint8_t)~FACT_NONE));
        call_object(v, kept->fact, g, &f);
    }
    v->callee |= kept && is_chosen(kept->fact);
    // A look-up in a table finds something or not.
    bool looks = str_is(name, "get") || str_is(name, "pop") || str_is(name, "setdefault");
    if (looks && ((given_how(g) | base.how) & FACT_VARIES) && f.kind != FACT_NUMBER) f.how |= FACT_NONE;
    return f;
}

// Whether sizes choose what is called: an item of a list, what a function or a look-up gives. In
// kernel[grid](...) the index chooses nothing.
static bool chosen(Varies *v, const Scope *scope, const Node *func, Fact callee) {
    if (func->kind == NODE_SUBSCRIPT) {
        Fact of = varies_eval(v, scope, func->subscript.value);
        bool list = (of.how & FACT_HELD) || of.kind == FACT_THINGS || of.kind == FACT_NUMBERS;
        return (of.how & FACT_NONE) || (list && (callee.how & FACT_VARIES));
    }
    bool found = func->kind == NODE_CALL && func->call.func->kind == NODE_ATTRIBUTE;
    return (callee.how & FACT_NONE) || (found && (callee.how & FACT_VARIES)) || func->kind == NODE_IFEXP;
}

// Python's own that call nothing which they are given.
static bool calls_nothing(Str name) {
    static const char *const all[] = {"super", "print",   "isinstance", "str",      "int",    "float",
                                      "bool",  "len",     "range",      "tuple",    "list",   "dict",
                                      "set",   "zip",     "enumerate",  "reversed", "sorted", "abs",
                                      "round", "<first>", "Tensor",     "divmod",   "pow"};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (str_is(name, all[i])) return true;
    return false;
}

Fact varies_call(Varies *v, const Scope *scope, const Node *n) {
    const Node *func = n->call.func;
    Given g = given(v, scope, n);
    Fact f;
    if (func->kind == NODE_SUBSCRIPT && func->subscript.value->kind == NODE_NAME &&
        varies_is_function(v, func->subscript.value->name)) {
        (void)varies_eval(v, scope, func->subscript.index);
        if (varies_call_named(v, func->subscript.value->name, false, &g, &f)) return f;
    }
    if (varies_wrapped_call(v, n, &g, &f)) return f;
    if (func->kind == NODE_NAME) {
        if (varies_wrapped_name(v, scope, func->name, &g, &f)) return f;
        if (varies_call_named(v, func->name, false, &g, &f)) return f;
        Fact callee = varies_eval(v, scope, func);
        v->callee |= is_chosen(callee);
        bool own = var_visible(v, scope, func->name) != NULL, object = varies_is_class(v, scope, func->name);
        f = own || object ? fact_other(given_how(&g) | FACT_EMPTY)
                          : varies_known_call(n, func->name, (Fact){0}, &g);
        f.how |= callee.how;
        Fact made;
        if (!own && (f.kind != FACT_OTHER || (!object && calls_nothing(func->name))))
            return f; // of Python's or torch's
        if (!object) call_object(v, callee, &g, &f);
        if (object ? varies_make(v, func->name, &g, &made)
                   : v->classes_about && varies_call_named(v, STR("__init__"), true, &g, &made))
            f.how |= made.how;
        for (int i = 0; object && i < v->class_count && i < UINT8_MAX - 1; i++)
            if (str_eq(v->classes[i]->klass.name, func->name)) f.klass = (uint8_t)(i + 1);
        return f;
    }
    if (func->kind == NODE_ATTRIBUTE) return eval_method(v, scope, n, &g);
    Fact callee = varies_eval(v, scope, func);
    v->callee |= chosen(v, scope, func, callee);
    Fact applied;
    bool any = varies_call_named(v, STR("__call__"), true, &g, &f) || call_forward(v, &g, &f);
    if (v->applies && apply_autograd(v, &g, &applied)) callee.how |= applied.how;
    return any ? fact_other(f.how | callee.how) : fact_other(callee.how | given_how(&g));
}
