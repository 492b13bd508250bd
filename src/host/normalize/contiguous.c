// Decorators of a file's own that do nothing but make arguments contiguous, and choose a device, such as
// `@input_guard`, `@ensure_contiguous` and `@contiguous` of several libraries. They are taken off, and their
// work is written into the function, where each parameter has a name:
//
//     @contiguous                       def forward(ctx, x, scale=None):
//     def forward(ctx, x, scale=None):      x = x.contiguous() if isinstance(x, torch.Tensor) else x
//         ...                               scale = scale.contiguous() if isinstance(...) else scale
//
// so that what one argument is says nothing of another one. The wrapper may hold, before its one
// `return fn(ctx, *args, **kwargs)`, only what gives args and kwargs such items, and assignments, loops and
// conditions of other names whose calls are known to do nothing. Any other wrapper stays (wrapped.c).
#include "host/normalize/normalize.h"

enum { MADE_MAX = 4 };
typedef struct {
    Str fn, ctx, args, kwargs;          // parameters; ctx may be empty
    Str helper;                         // a function in the wrapper that makes one value contiguous
    Str list[MADE_MAX], dict[MADE_MAX]; // names that hold such items
    int lists, dicts;
} Guard;

static bool is_named(const Node *n, Str name) {
    return n->kind == NODE_NAME && name.len && str_eq(n->name, name);
}
static bool has(const Str *list, int n, const Node *name) {
    for (int i = 0; i < n; i++)
        if (is_named(name, list[i])) return true;
    return false;
}

// isinstance(x, torch.Tensor)
static bool asks_tensor(const Node *n, Str x) {
    if (n->kind != NODE_CALL || !node_is_name(n->call.func, "isinstance") || n->call.args.n != 2 ||
        n->call.keywords.n || !is_named(n->call.args.at[0], x))
        return false;
    const Node *t = n->call.args.at[1];
    return node_is_name(t, "Tensor") || (t->kind == NODE_ATTRIBUTE && str_is(t->attribute.name, "Tensor") &&
                                         node_is_name(t->attribute.value, "torch"));
}
static bool is_contiguous_of(const Node *n, Str x) {
    return n->kind == NODE_CALL && !n->call.args.n && !n->call.keywords.n &&
           n->call.func->kind == NODE_ATTRIBUTE && str_is(n->call.func->attribute.name, "contiguous") &&
           is_named(n->call.func->attribute.value, x);
}

// x.contiguous() if isinstance(x, torch.Tensor) else x, its opposite, or the helper's call.
static bool makes(const Guard *g, const Node *n, Str x) {
    if (n->kind == NODE_CALL && g->helper.len && is_named(n->call.func, g->helper))
        return n->call.args.n == 1 && !n->call.keywords.n && is_named(n->call.args.at[0], x);
    if (n->kind != NODE_IFEXP) return false;
    const Node *c = n->ifexp.cond;
    bool not = c->kind == NODE_UNARY && c->unary.op == OPER_NOT;
    const Node *yes = not ? n->ifexp.otherwise : n->ifexp.then,
               *no = not ? n->ifexp.then : n->ifexp.otherwise;
    return asks_tensor(not ? c->unary.operand : c, x) && is_contiguous_of(yes, x) && is_named(no, x);
}

static const Node *only_for(const Node *n) {
    const Node *f = n->comp.fors.n == 1 ? n->comp.fors.at[0] : NULL;
    return f && !f->compfor.conds.n && !f->compfor.async ? f->compfor.iter : NULL;
}

// [E(i) for i in args]: a list or a generator, also inside tuple() and list().
static bool makes_items(const Guard *g, const Node *n) {
    if (n->kind == NODE_CALL && n->call.args.n == 1 && !n->call.keywords.n &&
        (node_is_name(n->call.func, "tuple") || node_is_name(n->call.func, "list")))
        n = n->call.args.at[0];
    if (n->kind != NODE_COMP || (n->comp.kind != COMP_LIST && n->comp.kind != COMP_GENERATOR)) return false;
    const Node *of = only_for(n);
    return of && is_named(of, g->args) && n->comp.fors.at[0]->compfor.target->kind == NODE_NAME &&
           makes(g, n->comp.element, n->comp.fors.at[0]->compfor.target->name);
}

// {k: E(v) for k, v in kwargs.items()}
static bool makes_named(const Guard *g, const Node *n) {
    if (n->kind != NODE_COMP || n->comp.kind != COMP_DICT) return false;
    const Node *of = only_for(n), *pair = of ? n->comp.fors.at[0]->compfor.target : NULL;
    if (!of || of->kind != NODE_CALL || of->call.args.n || of->call.keywords.n ||
        of->call.func->kind != NODE_ATTRIBUTE || !str_is(of->call.func->attribute.name, "items") ||
        !is_named(of->call.func->attribute.value, g->kwargs) || pair->kind != NODE_TUPLE ||
        pair->items.n != 2 || pair->items.at[0]->kind != NODE_NAME || pair->items.at[1]->kind != NODE_NAME)
        return false;
    return is_named(n->comp.element, pair->items.at[0]->name) &&
           makes(g, n->comp.val, pair->items.at[1]->name);
}

// def maybe(x): return x.contiguous() if isinstance(x, torch.Tensor) else x
static bool is_helper(const Guard *g, const Node *f) {
    if (f->kind != NODE_FUNCTION || f->function.params.n != 1 || f->function.body.n != 1 ||
        f->function.decorators.n || f->function.async || g->helper.len)
        return false;
    const Node *p = f->function.params.at[0], *back = f->function.body.at[0];
    return p->param.kind == PARAM_PLAIN && !p->param.def && back->kind == NODE_RETURN && back->value &&
           makes(g, back->value, p->param.name);
}

// return fn(ctx, *args, **kwargs), of what was made.
static bool is_return(const Guard *g, const Node *s) {
    const Node *call = s->kind == NODE_RETURN ? s->value : NULL;
    if (!call || call->kind != NODE_CALL || !is_named(call->call.func, g->fn)) return false;
    int first = g->ctx.len > 0;
    if (call->call.args.n != first + 1 || call->call.keywords.n != 1 ||
        (first && !is_named(call->call.args.at[0], g->ctx)))
        return false;
    const Node *star = call->call.args.at[first], *named = call->call.keywords.at[0];
    if (star->kind != NODE_STARRED || named->keyword.name.len) return false;
    return (makes_items(g, star->value) || has(g->list, g->lists, star->value)) &&
           (makes_named(g, named->keyword.value) || has(g->dict, g->dicts, named->keyword.value));
}

// ---- what chooses a device

static void find_work(void *arg, const Node *n) {
    bool *found = arg;
    if (n->kind == NODE_CALL) {
        const Node *f = n->call.func;
        Str last = f->kind == NODE_ATTRIBUTE ? f->attribute.name : f->kind == NODE_NAME ? f->name : (Str){0};
        bool plain = f->kind == NODE_NAME && (str_is(last, "isinstance") || str_is(last, "nullcontext"));
        bool member = f->kind == NODE_ATTRIBUTE &&
                      (str_is(last, "values") || str_is(last, "nullcontext") || str_is(last, "device"));
        if (!plain && !member) *found = true;
    }
    if (n->kind == NODE_WALRUS || n->kind == NODE_YIELD || n->kind == NODE_LAMBDA || n->kind == NODE_FUNCTION)
        *found = true;
    node_each_child(n, find_work, arg); // a tree's height is bounded
}
static bool works(const Node *n) {
    bool found = false;
    find_work(&found, n);
    return found;
}

static bool is_own_name(const Guard *g, const Node *n) {
    return n->kind == NODE_NAME && !is_named(n, g->fn) && !is_named(n, g->ctx) && !is_named(n, g->args) &&
           !is_named(n, g->kwargs) && !is_named(n, g->helper) && !has(g->list, g->lists, n) &&
           !has(g->dict, g->dicts, n);
}

static bool is_quiet_block(const Guard *g, const Nodes *body);
static bool is_quiet(const Guard *g, const Node *s) {
    switch (s->kind) {
    case NODE_PASS:
    case NODE_BREAK: return true;
    case NODE_ASSIGN:
        return s->assign.targets.n == 1 && is_own_name(g, s->assign.targets.at[0]) && !works(s->assign.value);
    case NODE_IF:
        return !works(s->branch.cond) && is_quiet_block(g, &s->branch.then) &&
               is_quiet_block(g, &s->branch.otherwise);
    case NODE_FOR:
        return is_own_name(g, s->loop.target) && !works(s->loop.iter) && !s->loop.otherwise.n &&
               is_quiet_block(g, &s->loop.body);
    default: return false;
    }
}
static bool is_quiet_block(const Guard *g, const Nodes *body) {
    for (int i = 0; i < body->n; i++)
        if (!is_quiet(g, body->at[i])) return false;
    return true;
}

static bool guards(Guard *g, const Nodes *body) {
    for (int i = 0; i < body->n; i++) {
        const Node *s = body->at[i];
        const Node *to = s->kind == NODE_ASSIGN && s->assign.targets.n == 1 ? s->assign.targets.at[0] : NULL;
        if (s->kind == NODE_EXPRSTMT && s->value->kind == NODE_STRING) continue;
        if (is_return(g, s)) return i + 1 == body->n;
        if (s->kind == NODE_WITH) {
            for (int k = 0; k < s->with.items.n; k++)
                if (s->with.async || s->with.items.at[k]->withitem.target ||
                    works(s->with.items.at[k]->withitem.value))
                    return false;
            return i + 1 == body->n && guards(g, &s->with.body);
        }
        if (is_helper(g, s)) {
            g->helper = s->function.name;
        } else if (to && to->kind == NODE_NAME && makes_items(g, s->assign.value) && g->lists < MADE_MAX) {
            g->list[g->lists++] = to->name;
        } else if (to && to->kind == NODE_NAME && makes_named(g, s->assign.value) && g->dicts < MADE_MAX) {
            g->dict[g->dicts++] = to->name;
        } else if (!is_quiet(g, s)) {
            return false;
        }
    }
    return false;
}

static bool is_guard(const Node *g) {
    const Node *w = wrapper_given(g);
    if (!w || g->function.params.n != 1) return false;
    const Nodes *p = &w->function.params;
    bool ctx = p->n == 3;
    if (p->n != 2 + ctx || (ctx && (p->at[0]->param.kind != PARAM_PLAIN || p->at[0]->param.def)) ||
        p->at[ctx]->param.kind != PARAM_STAR || p->at[ctx + 1]->param.kind != PARAM_DOUBLESTAR)
        return false;
    Guard x = {.fn = g->function.params.at[0]->param.name,
               .ctx = ctx ? p->at[0]->param.name : (Str){0},
               .args = p->at[ctx]->param.name,
               .kwargs = p->at[ctx + 1]->param.name};
    return x.args.len && guards(&x, &w->function.body);
}

// ---- the function

static bool takes(const Node *f) {
    for (int i = 0; i < f->function.params.n; i++) {
        const Node *p = f->function.params.at[i];
        if (!p->param.name.len || (p->param.kind != PARAM_PLAIN && p->param.kind != PARAM_KWONLY))
            return false;
    }
    return f->function.params.n > 0;
}

static void write_into(Arena *a, Node *f, int first) {
    const Nodes body = f->function.body, *params = &f->function.params;
    bool text = body.n > 0 && body.at[0]->kind == NODE_EXPRSTMT && body.at[0]->value->kind == NODE_STRING;
    Nodes out = {NEWN(a, Node *, (size_t)body.n + (size_t)params->n + 1), 0};
    // Without its text, so that places go on telling the order: these lines stand where the function begins.
    for (int i = first; i < params->n; i++) {
        Str name = params->at[i]->param.name;
        DiagList d = DIAGS(a);
        const char *line =
            arena_printf(a, "%.*s = %.*s.contiguous() if isinstance(%.*s, torch.Tensor) else %.*s\n",
                         STR_ARG(name), STR_ARG(name), STR_ARG(name), STR_ARG(name));
        Node *m = parse_module(a, str_of(line), &d);
        if (!m) continue;
        tree_place(m->module.body.at[0], f->span);
        out.at[out.n++] = m->module.body.at[0];
    }
    for (int i = text; i < body.n; i++) out.at[out.n++] = body.at[i];
    f->function.body = out;
    if (f->height < 6) f->height = 6;
}

static void take_off(Arena *a, const Nodes *module, const Bindings *bound, int before, Node *f) {
    Nodes *d = &f->function.decorators;
    const Node *by = d->n ? d->at[d->n - 1] : NULL, *g = NULL;
    if (!by || by->kind != NODE_NAME || !bound_once(bound, by->name) || f->function.async || !takes(f))
        return;
    for (int i = 0; i < before; i++)
        if (module->at[i]->kind == NODE_FUNCTION && str_eq(module->at[i]->function.name, by->name))
            g = module->at[i];
    if (!g || is_jit_function(g) || !is_guard(g)) return;
    bool ctx = wrapper_given(g)->function.params.n == 3;
    if (ctx && f->function.params.at[0]->param.kind != PARAM_PLAIN) return;
    d->n--;
    write_into(a, f, ctx);
}

void contiguous_normalize(Arena *a, Node *module) {
    const Nodes *body = &module->module.body;
    // These mean what they mean.
    static const char *const known[] = {"isinstance", "tuple",  "list",       "items",
                                        "values",     "device", "nullcontext"};
    Bindings bound;
    const Node *alias, *tensor = module_binding(module, STR("Tensor"), &alias);
    names_of_module(&bound, a, module);
    for (int i = 0; i < body->n; i++) // methods, too
        for (int k = 0; body->at[i]->kind == NODE_CLASS && k < body->at[i]->klass.body.n; k++)
            if (body->at[i]->klass.body.at[k]->kind == NODE_FUNCTION)
                names_add(&bound.all, body->at[i]->klass.body.at[k]->function.name);
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        const Node *by = module_binding(module, str_of(known[i]), &alias);
        bool import = by && by->kind == NODE_IMPORT;
        if (names_have(&bound.all, str_of(known[i])) && !import) return;
    }
    if (tensor && tensor->kind != NODE_IMPORT) return;
    for (int i = 0; i < body->n; i++) {
        Node *s = body->at[i];
        if (s->kind == NODE_FUNCTION && !is_jit_function(s)) take_off(a, body, &bound, i, s);
        for (int k = 0; s->kind == NODE_CLASS && k < s->klass.body.n; k++)
            if (s->klass.body.at[k]->kind == NODE_FUNCTION) take_off(a, body, &bound, i, s->klass.body.at[k]);
    }
}
