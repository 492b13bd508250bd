#include "host/policy/varies.h"

#include "base/numeric/rng.h"
#include "host/policy/scope.h"
#include "tile/check/check.h"

// A file of more variables, or one that takes longer, is not looked at.
enum { VARS_MAX = 1 << 12, STEPS_MAX = 1 << 20, PASSES_MAX = 64, WIDEN_FROM = 5 };

typedef struct {
    const void *scope; // a function, NULL for the module, or &members
    Str name;
    Fact fact;
    int grown;   // in how many passes
    int64_t cap; // where a function raises for larger ones; 0: nowhere
} Var;

typedef struct {
    const Node *node;
    const Scope *scope, *own; // around it, and its own
    bool method, plain;       // plain: without self
} Callable;

struct Varies {
    Arena *arena;
    int inputs;
    Var *var; // open addressing
    int vars, cap;
    Callable *callable;
    int callables, callable_cap;
    bool changed, callee;
    bool full; // too much to look at: everything may be
    int steps;
};

// Attributes of objects and classes of the file, by name alone.
static const char members;

static uint64_t var_hash(const void *scope, Str name) {
    return rng_mix((uint64_t)(uintptr_t)scope, str_hash(name));
}

static Var *var_slot(const Varies *v, const void *scope, Str name) {
    for (uint64_t i = var_hash(scope, name);; i++) {
        Var *s = &v->var[i & (uint64_t)(v->cap - 1)];
        if (!s->name.p || (s->scope == scope && str_eq(s->name, name))) return s;
    }
}

static const Var *var_find(const Varies *v, const void *scope, Str name) {
    const Var *s = var_slot(v, scope, name);
    return s->name.p ? s : NULL;
}

static void var_add(Varies *v, const void *scope, Str name, Fact f) {
    Var *s = var_slot(v, scope, name);
    if (!s->name.p) {
        if (v->vars == VARS_MAX) {
            v->full = true;
            return;
        }
        *s = (Var){.scope = scope, .name = name};
        v->vars++;
        v->changed = true;
    }
    Fact was = s->fact, now = fact_join(was, f);
    if (was.kind == now.kind && was.how == now.how && was.lo == now.lo && was.hi == now.hi) return;
    v->changed = true;
    if (++s->grown > WIDEN_FROM) {
        if (now.lo < was.lo) now.lo = -FACT_FAR;
        if (now.hi > was.hi) now.hi = FACT_FAR;
    }
    s->fact = now;
}

static Fact eval(Varies *v, const Scope *scope, const Node *n);

static const void *scope_key(const Scope *s) { return s ? s->node : NULL; }

static const Scope *callable_scope(Varies *v, const Node *node, const Scope *scope, bool method) {
    for (int i = 0; i < v->callables; i++)
        if (v->callable[i].node == node) return v->callable[i].own;
    if (v->callables == v->callable_cap) {
        int cap = v->callable_cap * 2 + 16;
        v->callable = MORE(v->arena, Callable, v->callable, v->callables, cap);
        v->callable_cap = cap;
    }
    bool plain = false;
    for (int i = 0; i < node->function.decorators.n; i++)
        plain |= node_is_name(node->function.decorators.at[i], "staticmethod");
    Scope *own = NEW(v->arena, Scope);
    *own = (Scope){node, scope};
    v->callable[v->callables++] = (Callable){node, scope, own, method, plain};
    // Not known yet, which is not the same as unknown.
    for (int i = 0; i < node->function.params.n; i++) {
        Str name = node->function.params.at[i]->param.name;
        if (name.len) var_add(v, node, name, (Fact){0});
    }
    v->changed = true;
    return own;
}

// --- conditions ---

static bool is_none_test(const Node *n) {
    if (n->kind == NODE_COMPARE && n->compare.rest.n == 1)
        return (n->compare.ops[0] == OPER_IS || n->compare.ops[0] == OPER_ISNOT) &&
               n->compare.rest.at[0]->kind == NODE_NONE;
    return n->kind == NODE_CALL && n->call.args.n > 0 &&
           (node_is_name(n->call.func, "isinstance") || node_is_name(n->call.func, "hasattr") ||
            node_is_name(n->call.func, "callable"));
}

// What being None, or being of a type, follows from.
static uint8_t none_how(Varies *v, const Scope *scope, const Node *n) {
    Fact f = eval(v, scope, n->kind == NODE_CALL ? n->call.args.at[0] : n->compare.left);
    return (uint8_t)((f.how & FACT_NONE ? FACT_VARIES : 0) | (f.how & FACT_DTYPE));
}

static Truth truth(Varies *v, const Scope *scope, const Node *n, uint8_t *how) {
    if (is_none_test(n)) return *how |= none_how(v, scope, n), TRUTH_UNKNOWN;
    if (n->kind == NODE_UNARY && n->unary.op == OPER_NOT) {
        Truth t = truth(v, scope, n->unary.operand, how);
        return t == TRUTH_ALWAYS ? TRUTH_NEVER : t == TRUTH_NEVER ? TRUTH_ALWAYS : t;
    }
    if (n->kind == NODE_BOOLOP) {
        Truth decides = n->boolop.op == OPER_AND ? TRUTH_NEVER : TRUTH_ALWAYS;
        bool all = true;
        uint8_t part = 0;
        for (int i = 0; i < n->boolop.items.n; i++) {
            Truth t = truth(v, scope, n->boolop.items.at[i], &part);
            if (t == decides) return t; // the others do not matter
            all &= t != TRUTH_UNKNOWN;
        }
        *how |= part;
        return !all ? TRUTH_UNKNOWN : decides == TRUTH_NEVER ? TRUTH_ALWAYS : TRUTH_NEVER;
    }
    Fact f = eval(v, scope, n);
    *how |= f.how & (uint8_t)~FACT_NONE;
    if (f.how & FACT_NONE) *how |= FACT_VARIES;
    return fact_truth(f);
}

static Fact eval_compare(Varies *v, const Scope *scope, const Node *n) {
    if (is_none_test(n)) return fact_of_truth(none_how(v, scope, n), TRUTH_UNKNOWN);
    Fact l = eval(v, scope, n->compare.left);
    uint8_t how = l.how;
    bool never = false, always = true;
    for (int i = 0; i < n->compare.rest.n; i++) {
        Fact r = eval(v, scope, n->compare.rest.at[i]);
        Truth t = fact_compare(n->compare.ops[i], l, r);
        how |= r.how;
        never |= t == TRUTH_NEVER;
        always &= t == TRUTH_ALWAYS;
        l = r;
    }
    return fact_of_truth(how, never ? TRUTH_NEVER : always ? TRUTH_ALWAYS : TRUTH_UNKNOWN);
}

// What is chosen by a condition is None or not by it, too.
static uint8_t control(uint8_t how) { return how & FACT_VARIES ? how | FACT_NONE : how; }

// --- calls ---

typedef struct {
    Fact *arg;
    int args;
    const Nodes *keywords;
    Fact *named;
    bool more; // *args or **kw: `rest` holds what they hand over
    Fact rest;
} Given;

static Given given(Varies *v, const Scope *scope, const Node *call) {
    Given g = {.keywords = &call->call.keywords};
    g.arg = NEWN(v->arena, Fact, (size_t)call->call.args.n + 1);
    g.named = NEWN(v->arena, Fact, (size_t)g.keywords->n + 1);
    for (int i = 0; i < call->call.args.n; i++) {
        const Node *n = call->call.args.at[i];
        Fact f = eval(v, scope, n);
        if (n->kind == NODE_STARRED || g.more)
            g.more = true, g.rest = fact_join(g.rest, fact_item(f));
        else
            g.arg[g.args++] = f;
    }
    for (int i = 0; i < g.keywords->n; i++) {
        const Node *k = g.keywords->at[i];
        g.named[i] = eval(v, scope, k->keyword.value);
        if (!k->keyword.name.len) g.more = true, g.rest = fact_join(g.rest, fact_other(g.named[i].how));
    }
    return g;
}

static uint8_t given_how(const Given *g) {
    uint8_t how = g->rest.how;
    for (int i = 0; i < g->args; i++) how |= g->arg[i].how;
    for (int i = 0; i < g->keywords->n; i++) how |= g->named[i].how;
    return how;
}

// Where None comes from by sizes, an arm or a branch of its own shows it.
static Fact any_argument(void) { return fact_other(FACT_VARIES | FACT_DTYPE | FACT_EMPTY); }

// What decorators hand to a kernel beside a launch's arguments.
static Fact decorated(Varies *v, const Callable *c) {
    const Nodes *d = &c->node->function.decorators;
    Fact f = fact_other(0);
    for (int i = 0; i < d->n && d->n > 1; i++) f.how |= eval(v, c->scope, d->at[i]).how;
    return f;
}

static void bind(Varies *v, const Callable *c, const Given *g) {
    const Nodes *params = &c->node->function.params;
    int at = 0, first = c->method && !c->plain;
    for (int i = first; i < params->n; i++) {
        const Node *p = params->at[i];
        if (p->param.kind == PARAM_STAR || p->param.kind == PARAM_DOUBLESTAR) {
            if (p->param.name.len) var_add(v, c->node, p->param.name, fact_other(given_how(g)));
            continue;
        }
        bool found = p->param.kind == PARAM_PLAIN && at < g->args;
        Fact f = found ? g->arg[at++] : (Fact){0};
        for (int k = 0; k < g->keywords->n; k++)
            if (str_eq(g->keywords->at[k]->keyword.name, p->param.name))
                f = fact_join(f, g->named[k]), found = true;
        if (g->more) f = fact_join(f, g->rest);
        if (!found && p->param.def) f = fact_join(f, eval(v, c->scope, p->param.def));
        if (!found && !p->param.def) f = fact_join(f, decorated(v, c));
        var_add(v, c->node, p->param.name, f);
    }
}

static void bind_any(Varies *v, const Callable *c) {
    const Nodes *params = &c->node->function.params;
    for (int i = c->method && !c->plain; i < params->n; i++)
        if (params->at[i]->param.name.len) var_add(v, c->node, params->at[i]->param.name, any_argument());
}

static void result_add(Varies *v, const Node *function, Fact f) {
    var_add(v, function, STR("return"), f); // no name of Python's
}

static Fact result_of(const Varies *v, const Node *function) {
    const Var *r = var_find(v, function, STR("return"));
    return r ? r->fact : (Fact){0};
}

// Functions of that name: of the module's, or methods of any class.
static bool call_named(Varies *v, Str name, bool method, const Given *g, Fact *out) {
    bool any = false;
    for (int i = 0; i < v->callables; i++) {
        const Callable *c = &v->callable[i];
        if (c->method != method || !str_eq(c->node->function.name, name)) continue;
        bind(v, c, g);
        *out = any ? fact_join(*out, result_of(v, c->node)) : result_of(v, c->node);
        any = true;
    }
    return any;
}

static bool is_function(const Varies *v, Str name) {
    for (int i = 0; i < v->callables; i++)
        if (!v->callable[i].method && str_eq(v->callable[i].node->function.name, name)) return true;
    return false;
}

// A function that is handed about: by whom it is called, and with what, nobody knows.
static void escapes(Varies *v, Str name) {
    for (int i = 0; i < v->callables; i++) {
        const Callable *c = &v->callable[i];
        if (!c->method && str_eq(c->node->function.name, name)) bind_any(v, c);
    }
}

typedef enum { MEMBER_SIZE, MEMBER_SIZES, MEMBER_DTYPE, MEMBER_WIDTH, MEMBER_FIXED } MemberFact;
static const struct {
    const char *name;
    MemberFact what;
} tensor_member[] = {
    {"shape", MEMBER_SIZES},
    {"size", MEMBER_SIZE},
    {"numel", MEMBER_SIZE},
    {"nelement", MEMBER_SIZE},
    {"dtype", MEMBER_DTYPE},
    {"element_ty", MEMBER_DTYPE},
    {"element_size", MEMBER_WIDTH},
    {"itemsize", MEMBER_WIDTH},
    {"ndim", MEMBER_FIXED},
    {"dim", MEMBER_FIXED},
    {"ndimension", MEMBER_FIXED},
    {"device", MEMBER_FIXED},
    {"is_cuda", MEMBER_FIXED},
    {"requires_grad", MEMBER_FIXED},
    {"layout", MEMBER_FIXED},
    {"get_device", MEMBER_FIXED},
    {"is_floating_point", MEMBER_DTYPE},
};

// What the members of an input say. Kernels' own tensors have no sizes that a call could change.
static bool member_fact(const Varies *v, Str name, Fact base, Fact *out) {
    if (var_find(v, &members, name)) return false; // an object of the file's own may have it
    for (size_t i = 0; i < sizeof tensor_member / sizeof *tensor_member; i++) {
        if (!str_is(name, tensor_member[i].name)) continue;
        uint8_t varies = base.how & FACT_VARIES, dtype = base.how & FACT_DTYPE;
        int64_t least = base.how & FACT_EMPTY ? 0 : 1;
        switch (tensor_member[i].what) {
        case MEMBER_SIZE: return *out = fact_number(varies, least, FACT_ELEMENTS - 1), true;
        case MEMBER_SIZES: return *out = (Fact){FACT_NUMBERS, varies, least, FACT_ELEMENTS - 1}, true;
        case MEMBER_DTYPE: return *out = fact_other(dtype), true;
        case MEMBER_WIDTH: return *out = fact_number(dtype, 1, 8), true;
        case MEMBER_FIXED: return *out = fact_other(0), true;
        }
    }
    return false;
}

// len(x.shape): how many dimensions there are.
static bool is_rank(const Node *call) {
    if (!node_is_name(call->call.func, "len") || call->call.args.n != 1) return false;
    const Node *n = call->call.args.at[0];
    if (n->kind == NODE_CALL && n->call.args.n == 0) n = n->call.func;
    return n->kind == NODE_ATTRIBUTE &&
           (str_is(n->attribute.name, "shape") || str_is(n->attribute.name, "size"));
}

// What only a kernel has at hand: elements, its place in the grid.
static bool is_read(Str name) {
    static const char *const all[] = {"load", "program_id", "num_programs", "arange", "atomic_add"};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (str_is(name, all[i])) return true;
    return str_starts(name, "atomic_");
}

// Tensors that have elements where the one that they are made of has.
static bool keeps_elements(Str name, const Given *g) {
    static const char *const all[] = {"contiguous", "view",    "reshape",    "flatten", "to",
                                      "detach",     "t",       "transpose",  "permute", "unsqueeze",
                                      "clone",      "squeeze", "empty_like", "view_as", "zeros_like"};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (str_is(name, all[i])) return true;
    bool sizes = str_is(name, "empty") || str_is(name, "zeros") || str_is(name, "new_empty");
    for (int i = 0; sizes && i < g->args; i++)
        sizes = (g->arg[i].kind == FACT_NUMBER || g->arg[i].kind == FACT_NUMBERS) && g->arg[i].lo >= 1;
    return sizes && g->args > 0;
}

static Fact call_function(const Node *call, Str name, const Given *g) {
    Fact f;
    bool read = is_read(name), plain = g->keywords->n == 0 && !g->more;
    if (is_rank(call)) return fact_other(0);
    if (plain && fact_call(name, g->arg, g->args, &f)) return f;
    if (str_is(name, "num_programs")) return fact_number(FACT_VARIES, 1, FACT_ELEMENTS - 1);
    if (str_is(name, "program_id")) return fact_number(FACT_VARIES, 0, FACT_ELEMENTS - 1);
    uint8_t empty = keeps_elements(name, g) ? 0 : FACT_EMPTY;
    return fact_other(given_how(g) | empty | (read ? FACT_VARIES : 0));
}

static Fact eval_method(Varies *v, const Scope *scope, const Node *call, const Given *g) {
    const Node *func = call->call.func;
    Str name = func->attribute.name;
    Fact base = eval(v, scope, func->attribute.value), f;
    if (call_named(v, name, true, g, &f)) return f;
    if (member_fact(v, name, base, &f)) {
        if (str_is(name, "size") && call->call.args.n + call->call.keywords.n == 0) f.kind = FACT_NUMBERS;
        return f;
    }
    // Of an autograd.Function: forward(ctx, ...).
    if (str_is(name, "apply") && call_named(v, STR("forward"), true, g, &f)) return f;
    const Var *kept = var_find(v, &members, name);
    f = kept ? fact_other(given_how(g) | kept->fact.how | FACT_EMPTY) : call_function(call, name, g);
    f.how |= base.how & (uint8_t)~FACT_NONE;
    v->callee |= kept && (kept->fact.how & FACT_VARIES);
    // A look-up in a table finds something or not.
    if (str_is(name, "get") && (given_how(g) & FACT_VARIES)) f.how |= FACT_NONE;
    return f;
}

static bool returns(const Node *n);
static void returns_within(void *arg, const Node *n) { *(bool *)arg |= returns(n); }
static bool returns(const Node *n) {
    bool any = n->kind == NODE_RETURN;
    if (n->kind != NODE_FUNCTION && n->kind != NODE_LAMBDA) node_each_child(n, returns_within, &any);
    return any;
}

typedef struct {
    Arena *arena;
    Str name;
    int n; // times that it is bound; more than 1: not one value
} Binds;
static void binds_of(void *arg, const Node *n) {
    Binds *b = arg;
    if (n->kind == NODE_AUGASSIGN && n->augassign.target->kind == NODE_NAME)
        b->n += 2 * str_eq(n->augassign.target->name, b->name);
    if (n->kind == NODE_WALRUS) b->n += 2 * str_eq(n->walrus.name, b->name);
    if (n->kind == NODE_FOR || n->kind == NODE_COMPFOR || n->kind == NODE_ASSIGN ||
        n->kind == NODE_ANNASSIGN) {
        Names *names = NEW(b->arena, Names);
        *names = (Names){.arena = b->arena};
        if (n->kind == NODE_FOR) names_of_target(names, n->loop.target, 0);
        if (n->kind == NODE_COMPFOR) names_of_target(names, n->compfor.target, 0);
        if (n->kind == NODE_ANNASSIGN) names_of_target(names, n->annassign.target, 0);
        for (int i = 0; n->kind == NODE_ASSIGN && i < n->assign.targets.n; i++)
            names_of_target(names, n->assign.targets.at[i], 0);
        b->n += names_have(names, b->name);
    }
    node_each_child(n, binds_of, b); // a tree's height is bounded
}

// `if N > 70000: raise ...` that every call of a function comes to: with a larger one nothing matters, for
// the call ends in an exception. The name has to stand for one value.
static void guard(Varies *v, const Node *f, const Node *s) {
    const Node *c = s->branch.cond;
    if (s->branch.otherwise.n || s->branch.then.n == 0) return;
    if (s->branch.then.at[s->branch.then.n - 1]->kind != NODE_RAISE) return;
    for (int i = 0; i < s->branch.then.n; i++)
        if (returns(s->branch.then.at[i])) return;
    if (c->kind != NODE_COMPARE || c->compare.rest.n != 1 || c->compare.left->kind != NODE_NAME) return;
    const Node *limit = c->compare.rest.at[0];
    Oper op = c->compare.ops[0];
    if ((op != OPER_GT && op != OPER_GE) || limit->kind != NODE_INT || limit->integer.too_big ||
        limit->integer.value >= (uint64_t)FACT_ELEMENTS || limit->integer.value < 2)
        return;
    Binds b = {.name = c->compare.left->name, .arena = v->arena};
    for (int i = 0; i < f->function.params.n; i++)
        b.n += str_eq(f->function.params.at[i]->param.name, b.name);
    for (int i = 0; i < f->function.body.n; i++) binds_of(&b, f->function.body.at[i]);
    if (b.n != 1) return;
    var_add(v, f, b.name, (Fact){0});
    Var *var = var_slot(v, f, b.name);
    if (var->name.p) var->cap = (int64_t)limit->integer.value - (op == OPER_GE);
}

static void guards(Varies *v, const Node *f) {
    for (int i = 0; i < f->function.body.n; i++) {
        const Node *s = f->function.body.at[i];
        if (s->kind == NODE_IF) guard(v, f, s);
        if (returns(s)) return; // some calls do not come further
    }
}

static const Var *var_visible(const Varies *v, const Scope *scope, Str name) {
    for (const Scope *s = scope;; s = s->outer) {
        const Var *var = var_find(v, scope_key(s), name);
        if (var || !s) return var;
    }
}

static Fact eval_call(Varies *v, const Scope *scope, const Node *n) {
    const Node *func = n->call.func;
    Given g = given(v, scope, n);
    Fact f;
    if (func->kind == NODE_SUBSCRIPT && func->subscript.value->kind == NODE_NAME &&
        is_function(v, func->subscript.value->name)) {
        (void)eval(v, scope, func->subscript.index);
        if (call_named(v, func->subscript.value->name, false, &g, &f)) return f;
    }
    if (func->kind == NODE_NAME) {
        if (call_named(v, func->name, false, &g, &f)) return f;
        Fact callee = eval(v, scope, func);
        v->callee |= (callee.how & FACT_VARIES) != 0;
        bool own = var_visible(v, scope, func->name) != NULL;
        f = own ? fact_other(given_how(&g) | FACT_EMPTY) : call_function(n, func->name, &g);
        f.how |= callee.how;
        Fact made;
        if (call_named(v, STR("__call__"), true, &g, &made)) f = fact_other(f.how | made.how);
        if (call_named(v, STR("forward"), true, &g, &made)) f = fact_other(f.how | made.how);
        if (call_named(v, STR("__init__"), true, &g, &made)) f.how |= made.how;
        return f;
    }
    if (func->kind == NODE_ATTRIBUTE) return eval_method(v, scope, n, &g);
    Fact callee = eval(v, scope, func);
    v->callee |= (callee.how & FACT_VARIES) != 0 && func->kind != NODE_CALL;
    if (call_named(v, STR("__call__"), true, &g, &f) || call_named(v, STR("forward"), true, &g, &f))
        return fact_other(f.how | callee.how);
    return fact_other(callee.how | given_how(&g));
}

// --- expressions ---

static Fact eval_name(Varies *v, const Scope *scope, Str name) {
    const Var *var = var_visible(v, scope, name);
    if (var && var->cap > 0 && var->fact.kind == FACT_NUMBER && var->fact.hi > var->cap)
        return fact_number(var->fact.how, var->fact.lo < var->cap ? var->fact.lo : var->cap, var->cap);
    if (var) return var->fact;
    if (!is_function(v, name)) return fact_other(0); // of Python, torch or triton
    escapes(v, name);
    Fact f = fact_other(0);
    for (int i = 0; i < v->callables; i++)
        if (str_eq(v->callable[i].node->function.name, name)) f.how |= result_of(v, v->callable[i].node).how;
    return f;
}

static Fact eval_items(Varies *v, const Scope *scope, const Nodes *items, Fact all) {
    for (int i = 0; i < items->n; i++) {
        if (!items->at[i]) { // **more
            all = fact_join(all, fact_other(0));
            continue;
        }
        Fact f = eval(v, scope, items->at[i]);
        if (items->at[i]->kind == NODE_STARRED) f = fact_item(f);
        all = fact_join(all, f);
    }
    return all;
}

static Fact sequence_of(Fact items) {
    if (items.kind == FACT_NUMBER) items.kind = FACT_NUMBERS;
    return items.kind == FACT_NUMBERS ? items : fact_other(items.how);
}

static void assign(Varies *v, const Scope *scope, const Node *target, Fact f) {
    switch (target->kind) {
    case NODE_NAME: var_add(v, scope_key(scope), target->name, f); break;
    case NODE_STARRED: assign(v, scope, target->value, fact_other(f.how)); break;
    case NODE_TUPLE:
    case NODE_LIST:
        for (int i = 0; i < target->items.n; i++) assign(v, scope, target->items.at[i], fact_item(f));
        break;
    case NODE_ATTRIBUTE: var_add(v, &members, target->attribute.name, f); break;
    case NODE_SUBSCRIPT:
        f = fact_other(f.how | eval(v, scope, target->subscript.index).how);
        for (const Scope *s = scope; target->subscript.value->kind == NODE_NAME; s = s->outer) {
            if (var_find(v, scope_key(s), target->subscript.value->name)) {
                var_add(v, scope_key(s), target->subscript.value->name, f);
                break;
            }
            if (!s) break;
        }
        if (target->subscript.value->kind == NODE_ATTRIBUTE)
            var_add(v, &members, target->subscript.value->attribute.name, f);
        break;
    default: break;
    }
}

static Fact eval_comp(Varies *v, const Scope *scope, const Node *n) {
    uint8_t how = 0;
    for (int i = 0; i < n->comp.fors.n; i++) {
        const Node *f = n->comp.fors.at[i];
        Fact over = eval(v, scope, f->compfor.iter);
        how |= over.how;
        assign(v, scope, f->compfor.target, fact_item(over));
        for (int k = 0; k < f->compfor.conds.n; k++) (void)truth(v, scope, f->compfor.conds.at[k], &how);
    }
    Fact f = eval(v, scope, n->comp.element);
    if (n->comp.val) f = fact_join(f, eval(v, scope, n->comp.val));
    f = sequence_of(f);
    return f.how |= control(how), f;
}

typedef struct {
    Varies *v;
    const Scope *scope;
    uint8_t how;
} Gather;
static void gather(void *arg, const Node *n) {
    Gather *g = arg;
    g->how |= eval(g->v, g->scope, n).how;
}

static Fact eval_lambda(Varies *v, const Scope *scope, const Node *n) {
    Scope own = {n, scope};
    for (int i = 0; i < n->lambda.params.n; i++)
        var_add(v, n, n->lambda.params.at[i]->param.name, any_argument());
    return fact_other(eval(v, &own, n->lambda.body).how);
}

static Fact eval_attribute(Varies *v, const Scope *scope, const Node *n) {
    Fact base = eval(v, scope, n->attribute.value), f;
    if (member_fact(v, n->attribute.name, base, &f)) return f;
    const Var *kept = var_find(v, &members, n->attribute.name);
    if (!kept) return fact_other(base.how);
    f = kept->fact;
    return f.how |= base.how & (uint8_t)~FACT_NONE, f;
}

static Fact eval_other(Varies *v, const Scope *scope, const Node *n) {
    switch (n->kind) {
    case NODE_INT:
        if (n->integer.too_big || n->integer.value > (uint64_t)FACT_FAR) return fact_other(0);
        return fact_number(0, (int64_t)n->integer.value, (int64_t)n->integer.value);
    case NODE_TRUE: return fact_number(0, 1, 1);
    case NODE_FALSE: return fact_number(0, 0, 0);
    case NODE_NAME: return eval_name(v, scope, n->name);
    case NODE_TUPLE:
    case NODE_LIST:
    case NODE_SET: return sequence_of(eval_items(v, scope, &n->items, (Fact){0}));
    case NODE_DICT:
        return sequence_of(
            eval_items(v, scope, &n->dict.keys, eval_items(v, scope, &n->dict.values, (Fact){0})));
    case NODE_UNARY: {
        Fact f = eval(v, scope, n->unary.operand);
        Truth t = fact_truth(f);
        if (n->unary.op != OPER_NOT) return fact_unary(n->unary.op, f);
        return fact_of_truth(f.how, t == TRUTH_ALWAYS ? TRUTH_NEVER : t == TRUTH_NEVER ? TRUTH_ALWAYS : t);
    }
    case NODE_BINARY:
        return fact_binary(n->binary.op, eval(v, scope, n->binary.left), eval(v, scope, n->binary.right));
    case NODE_BOOLOP: {
        Fact f = eval_items(v, scope, &n->boolop.items, (Fact){0});
        return f.how |= control(f.how), f;
    }
    case NODE_COMPARE: return eval_compare(v, scope, n);
    case NODE_CALL: return eval_call(v, scope, n);
    case NODE_ATTRIBUTE: return eval_attribute(v, scope, n);
    case NODE_SUBSCRIPT: {
        Fact of = eval(v, scope, n->subscript.value), i = eval(v, scope, n->subscript.index);
        bool slice = n->subscript.index->kind == NODE_SLICE && of.kind == FACT_NUMBERS;
        Fact f = slice ? of : fact_item(of);
        f.how |= i.how & (uint8_t)~FACT_NONE;
        if (f.kind == FACT_OTHER) f.how |= FACT_EMPTY;
        if (f.kind == FACT_OTHER && (i.how & FACT_VARIES)) f.how |= FACT_NONE;
        return f;
    }
    case NODE_IFEXP: {
        uint8_t how = 0;
        Truth t = truth(v, scope, n->ifexp.cond, &how);
        Fact f = {0};
        if (t != TRUTH_NEVER) f = eval(v, scope, n->ifexp.then);
        if (t != TRUTH_ALWAYS) f = fact_join(f, eval(v, scope, n->ifexp.otherwise));
        if (t == TRUTH_UNKNOWN) f.how |= control(how);
        return f;
    }
    case NODE_LAMBDA: return eval_lambda(v, scope, n);
    case NODE_STARRED: return eval(v, scope, n->value);
    case NODE_COMP: return eval_comp(v, scope, n);
    case NODE_WALRUS: {
        Fact f = eval(v, scope, n->walrus.value);
        var_add(v, scope_key(scope), n->walrus.name, f);
        return f;
    }
    default: {
        Gather g = {v, scope, 0};
        node_each_child(n, gather, &g);
        return fact_other(g.how);
    }
    }
}

static Fact eval(Varies *v, const Scope *scope, const Node *n) {
    if (++v->steps > STEPS_MAX) v->full = true;
    if (v->full) return any_argument();
    return eval_other(v, scope, n);
}

// --- statements ---

static void block(Varies *v, const Scope *scope, const Nodes *body, uint8_t how);

static Fact under(Fact f, uint8_t how) { return f.how |= how, f; }

static void assign_all(Varies *v, const Scope *scope, const Node *s, uint8_t how) {
    const Node *from = s->assign.value;
    Fact f = eval(v, scope, from);
    for (int i = 0; i < s->assign.targets.n; i++) {
        const Node *to = s->assign.targets.at[i];
        bool pairs = to->kind == NODE_TUPLE && from->kind == NODE_TUPLE && to->items.n == from->items.n;
        for (int k = 0; pairs && k < to->items.n; k++)
            pairs = to->items.at[k]->kind != NODE_STARRED && from->items.at[k]->kind != NODE_STARRED;
        for (int k = 0; pairs && k < to->items.n; k++)
            assign(v, scope, to->items.at[k], under(eval(v, scope, from->items.at[k]), how));
        if (!pairs) assign(v, scope, to, under(f, how));
    }
}

static void define(Varies *v, const Scope *scope, const Node *s, bool method) {
    block(v, callable_scope(v, s, scope, method), &s->function.body, 0);
}

static void statement(Varies *v, const Scope *scope, const Node *s, uint8_t how) {
    uint8_t more = 0;
    switch (s->kind) {
    case NODE_EXPRSTMT: (void)eval(v, scope, s->value); break;
    case NODE_ASSIGN: assign_all(v, scope, s, how); break;
    case NODE_ANNASSIGN:
        if (s->annassign.value)
            assign(v, scope, s->annassign.target, under(eval(v, scope, s->annassign.value), how));
        break;
    case NODE_AUGASSIGN: {
        Fact f = fact_binary(s->augassign.op, eval(v, scope, s->augassign.target),
                             eval(v, scope, s->augassign.value));
        assign(v, scope, s->augassign.target, under(f, how));
        break;
    }
    case NODE_RETURN:
        if (scope)
            result_add(v, scope->node, under(s->value ? eval(v, scope, s->value) : fact_other(0), how));
        break;
    case NODE_IF: {
        Truth t = truth(v, scope, s->branch.cond, &more);
        if (t == TRUTH_UNKNOWN) how |= control(more);
        if (t != TRUTH_NEVER) block(v, scope, &s->branch.then, how);
        if (t != TRUTH_ALWAYS) block(v, scope, &s->branch.otherwise, how);
        break;
    }
    case NODE_WHILE:
        (void)truth(v, scope, s->whileloop.cond, &more);
        block(v, scope, &s->whileloop.body, how | control(more));
        block(v, scope, &s->whileloop.otherwise, how | control(more));
        break;
    case NODE_FOR: {
        Fact over = eval(v, scope, s->loop.iter);
        how |= control(over.how);
        assign(v, scope, s->loop.target, under(fact_item(over), how));
        block(v, scope, &s->loop.body, how);
        block(v, scope, &s->loop.otherwise, how);
        break;
    }
    case NODE_WITH: block(v, scope, &s->with.body, how); break;
    case NODE_TRY:
        block(v, scope, &s->attempt.body, how);
        for (int i = 0; i < s->attempt.handlers.n; i++)
            block(v, scope, &s->attempt.handlers.at[i]->handler.body, how);
        block(v, scope, &s->attempt.otherwise, how);
        block(v, scope, &s->attempt.final, how);
        break;
    case NODE_FUNCTION: define(v, scope, s, false); break;
    case NODE_CLASS:
        for (int i = 0; i < s->klass.body.n; i++) {
            const Node *n = s->klass.body.at[i];
            if (n->kind == NODE_FUNCTION)
                define(v, scope, n, true);
            else if (n->kind == NODE_ASSIGN && n->assign.targets.at[0]->kind == NODE_NAME)
                var_add(v, &members, n->assign.targets.at[0]->name, eval(v, scope, n->assign.value));
        }
        break;
    default: break;
    }
}

static void block(Varies *v, const Scope *scope, const Nodes *body, uint8_t how) {
    for (int i = 0; i < body->n; i++) statement(v, scope, body->at[i], how);
}

// Functions may be called before their text comes.
static void declare(Varies *v, const Scope *scope, const Nodes *body) {
    for (int i = 0; i < body->n; i++) {
        const Node *s = body->at[i];
        if (s->kind == NODE_FUNCTION) {
            declare(v, callable_scope(v, s, scope, false), &s->function.body);
            guards(v, s);
        }
        for (int k = 0; s->kind == NODE_CLASS && k < s->klass.body.n; k++) {
            const Node *f = s->klass.body.at[k];
            if (f->kind == NODE_FUNCTION) declare(v, callable_scope(v, f, scope, true), &f->function.body);
        }
        if (s->kind != NODE_IF) continue;
        declare(v, scope, &s->branch.then);
        declare(v, scope, &s->branch.otherwise);
    }
}

// run(*inputs), or the methods of ModelNew: the first parameters are the inputs, others have their defaults.
static void enter(Varies *v) {
    Given g = {
        .keywords = &(Nodes){0}, .arg = NEWN(v->arena, Fact, (size_t)v->inputs + 1), .args = v->inputs};
    for (int i = 0; i < v->inputs; i++) g.arg[i] = fact_other(FACT_VARIES | FACT_DTYPE);
    Fact f, size = fact_number(FACT_VARIES, 1, FACT_ELEMENTS - 1);
    if (call_named(v, STR("run"), false, &g, &f)) return;
    (void)(call_named(v, STR("forward"), true, &g, &f) || call_named(v, STR("__call__"), true, &g, &f));
    g.args = 1; // the length of a row
    g.arg = &size;
    (void)call_named(v, STR("__init__"), true, &g, &f);
}

Varies *varies_new(Arena *a, const Node *module, int inputs) {
    Varies *v = NEW(a, Varies);
    *v = (Varies){.arena = a, .inputs = inputs, .cap = 2 * VARS_MAX};
    v->var = NEWN(a, Var, (size_t)v->cap);
    declare(v, NULL, &module->module.body);
    v->changed = true;
    for (int pass = 0; v->changed && !v->full; pass++) {
        if (pass == PASSES_MAX) return NULL;
        v->changed = false;
        block(v, NULL, &module->module.body, 0);
        enter(v);
    }
    return v->full ? NULL : v;
}

bool varies_may(Varies *v, const Scope *scope, const Node *cond, bool side) {
    uint8_t how = 0;
    if (!v) return true;
    Truth t = truth(v, scope, cond, &how);
    if (t == (side ? TRUTH_NEVER : TRUTH_ALWAYS)) return false;
    return v->full || (how & FACT_VARIES);
}

bool varies_loops(Varies *v, const Scope *scope, const Node *iter) {
    return !v || v->full || (eval(v, scope, iter).how & FACT_VARIES);
}

bool varies_callee(const Varies *v) { return !v || v->full || v->callee; }
