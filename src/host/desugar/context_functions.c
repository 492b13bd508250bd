// Contexts that the file makes of a function, and that do nothing that is seen here:
//
//     @contextmanager                     (nothing)
//     def on(x):
//         with torch.cuda.device(x.device):
//             yield x
//
//     with on(x) as y:                    y = x
//         launch(y)                       launch(y)
//
// Such a function yields once, one of its parameters or nothing. Around that it enters the contexts that host
// code may enter, prints, speaks to loggers, waits for the device, and takes times that it only prints.
// Anything else stays, and is not read. `with nullcontext(x) as y` is the same.
#include "host/desugar/desugar.h"

enum { MADE_MAX = 16 };
typedef struct {
    const Node *function;
    const Node *given; // what it yields: a parameter's name, or NULL
    int sites, uses;   // where it stands behind `with`, in a form that is read; where it is named
} Made;
typedef struct {
    Arena *arena;
    const Node *module;
    Bindings bound;
    Made made[MADE_MAX];
    int n;
} Contexts;
// One function, while it is looked at.
typedef struct {
    const Contexts *c;
    const Node *function;
    Names params, times; // names of its own: parameters, and times
    int yields;
    const Node *given;
} Inside;

static bool is_path_of(Arena *a, const Node *n, const char *const *path, int paths) {
    Buf b = BUF(a);
    if (!node_dotted(n, &b)) return false;
    for (int i = 0; i < paths; i++)
        if (str_is(buf_str(&b), path[i])) return true;
    return false;
}
static bool is_module(const Contexts *c, const char *name) {
    const Node *alias, *s = module_binding(c->module, str_of(name), &alias);
    return s && s->kind == NODE_IMPORT && !s->import.from && bound_once(&c->bound, str_of(name)) &&
           str_is(alias->alias.name, name) && !alias->alias.as.len;
}

// time.perf_counter()
static bool is_clock(const Inside *in, const Node *n) {
    static const char *const clock[] = {"time.perf_counter", "time.time", "time.perf_counter_ns",
                                        "time.monotonic", "time.time_ns"};
    return n->kind == NODE_CALL && !n->call.args.n && !n->call.keywords.n && is_module(in->c, "time") &&
           is_path_of(in->c->arena, n->call.func, clock, sizeof clock / sizeof *clock);
}
// A time, or what is computed of times and numbers without a way to fail.
static bool is_time(const Inside *in, const Node *n) {
    if (n->kind == NODE_NAME) return names_have(&in->times, n->name);
    if (n->kind == NODE_INT || n->kind == NODE_FLOAT || is_clock(in, n)) return true;
    if (n->kind != NODE_BINARY || !is_time(in, n->binary.left) || !is_time(in, n->binary.right)) return false;
    Oper op = n->binary.op;
    return op == OPER_ADD || op == OPER_SUB || op == OPER_MUL;
}
// {seconds:.3f}
static bool is_number_form(const Node *n) {
    const Node *spec = n->format.spec, *text = spec && spec->items.n == 1 ? spec->items.at[0] : NULL;
    if (!spec) return true;
    Str s = text && text->kind == NODE_STRING ? text->string.text : (Str){0};
    size_t i = 0;
    while (i < s.len && ((s.p[i] >= '0' && s.p[i] <= '9') || s.p[i] == '.' || s.p[i] == ',')) i++;
    return s.len && s.len <= 6 && i + 1 == s.len && (s.p[i] == 'f' || s.p[i] == 'g' || s.p[i] == 'e');
}
// A text of them and of parameters.
static bool is_told(const Inside *in, const Node *n) {
    switch (n->kind) {
    case NODE_STRING: return !n->string.bytes;
    case NODE_NAME: return names_have(&in->params, n->name) || is_time(in, n);
    case NODE_FORMAT: return is_time(in, n->format.value) && is_number_form(n);
    case NODE_FSTRING:
        for (int i = 0; i < n->items.n; i++)
            if (!is_told(in, n->items.at[i])) return false;
        return true;
    default: return is_time(in, n);
    }
}
static bool is_said(const Inside *in, const Node *call) {
    static const char *const level[] = {"debug", "info", "warning", "error"};
    const Node *f = call->call.func;
    bool ok = node_is_name(f, "print") && !names_have(&in->c->bound.all, f->name);
    if (f->kind == NODE_ATTRIBUTE && f->attribute.value->kind == NODE_NAME) {
        Str of = f->attribute.value->name;
        bool says =
            str_is(of, "logging") ? is_module(in->c, "logging") : is_logger(in->c->module, &in->c->bound, of);
        for (size_t i = 0; i < sizeof level / sizeof *level; i++)
            ok |= says && str_is(f->attribute.name, level[i]);
    }
    for (int i = 0; ok && i < call->call.args.n; i++) ok = is_told(in, call->call.args.at[i]);
    return ok && !call->call.keywords.n;
}
// x, x.device, a constant: nothing happens while it is evaluated.
static bool is_still(const Node *n) {
    if (n->kind == NODE_ATTRIBUTE && str_is(n->attribute.name, "device")) n = n->attribute.value;
    return n->kind == NODE_NAME || is_written(n);
}

// DEBUG, not DEBUG: a name of the module, which holds no tensors.
static bool is_flag(const Inside *in, const Node *n) {
    if (n->kind == NODE_UNARY && n->unary.op == OPER_NOT) n = n->unary.operand;
    const Node *alias, *s = n->kind == NODE_NAME ? module_binding(in->c->module, n->name, &alias) : NULL;
    return s && s->kind == NODE_ASSIGN && bound_once(&in->c->bound, n->name);
}

// torch.cuda.nvtx.range_push(name)
static bool is_range(const Inside *in, const Node *call) {
    static const char *const range[] = {"torch.cuda.nvtx.range_push", "torch.cuda.nvtx.range_pop",
                                        "torch.cuda.nvtx.mark"};
    for (int i = 0; i < call->call.args.n; i++)
        if (!is_told(in, call->call.args.at[i])) return false;
    return !call->call.keywords.n && is_module(in->c, "torch") &&
           is_path_of(in->c->arena, call->call.func, range, sizeof range / sizeof *range);
}

static bool is_quiet(Inside *in, const Nodes *body) {
    static const char *const wait[] = {"torch.cuda.synchronize"};
    for (int i = 0; i < body->n; i++) {
        const Node *s = body->at[i], *v = s->kind == NODE_EXPRSTMT ? s->value : NULL;
        if (s->kind == NODE_PASS || (v && v->kind == NODE_STRING)) continue;
        if (v && v->kind == NODE_YIELD) {
            const Node *given = v->yield.value;
            if (v->yield.from || in->yields++ ||
                (given && !(given->kind == NODE_NAME && names_have(&in->params, given->name))))
                return false;
            in->given = given;
        } else if (v && v->kind == NODE_CALL) {
            bool waits = !v->call.args.n && !v->call.keywords.n &&
                         is_path_of(in->c->arena, v->call.func, wait, 1) && is_module(in->c, "torch");
            if (!waits && !is_range(in, v) && !is_said(in, v)) return false;
        } else if (s->kind == NODE_ASSIGN) {
            const Node *to = s->assign.targets.n == 1 ? s->assign.targets.at[0] : NULL;
            if (!to || to->kind != NODE_NAME || names_have(&in->params, to->name) ||
                !is_time(in, s->assign.value))
                return false;
            names_add(&in->times, to->name);
        } else if (s->kind == NODE_WITH && !s->with.async) {
            for (int k = 0; k < s->with.items.n; k++) {
                const Node *item = s->with.items.at[k], *call = item->withitem.value;
                if (!context_quiet(item) || call->call.keywords.n || !is_module(in->c, "torch")) return false;
                for (int j = 0; j < call->call.args.n; j++)
                    if (!is_still(call->call.args.at[j])) return false;
            }
            if (!is_quiet(in, &s->with.body)) return false;
        } else if (s->kind == NODE_IF && is_flag(in, s->branch.cond)) {
            int before = in->yields; // no half of it yields
            if (!is_quiet(in, &s->branch.then) || !is_quiet(in, &s->branch.otherwise) || in->yields != before)
                return false;
        } else if (s->kind == NODE_TRY && !s->attempt.handlers.n && !s->attempt.otherwise.n) {
            if (!is_quiet(in, &s->attempt.body) || !is_quiet(in, &s->attempt.final)) return false;
        } else {
            return false;
        }
    }
    return true;
}

// A function of the module under @contextmanager alone.
static void look_at(Contexts *c, const Node *f) {
    Inside in = {.c = c, .function = f, .params.arena = c->arena, .times.arena = c->arena};
    if (f->kind != NODE_FUNCTION || f->function.async || f->function.decorators.n != 1 || c->n == MADE_MAX ||
        !bound_once(&c->bound, f->function.name) ||
        !is_brought(c->module, &c->bound, f->function.decorators.at[0], "contextlib", "contextmanager"))
        return;
    for (int i = 0; i < f->function.params.n; i++) {
        const Node *p = f->function.params.at[i];
        if (p->param.kind != PARAM_PLAIN || (p->param.def && !is_written(p->param.def))) return;
        names_add(&in.params, p->param.name);
    }
    if (is_quiet(&in, &f->function.body) && in.yields == 1)
        c->made[c->n++] = (Made){.function = f, .given = in.given};
}

static Made *made_by(Contexts *c, const Node *n) {
    const Node *f = n->kind == NODE_CALL ? n->call.func : NULL;
    for (int i = 0; f && f->kind == NODE_NAME && i < c->n; i++)
        if (str_eq(f->name, c->made[i].function->function.name)) return &c->made[i];
    return NULL;
}

// What a parameter is in a call; *ok is false for a call that is not of the function's form.
static Node *argument(const Node *f, const Node *call, const Node *param, bool *ok) {
    const Nodes *params = &f->function.params, *args = &call->call.args;
    Node *found = NULL;
    if (args->n > params->n) return *ok = false, NULL;
    for (int i = 0; i < args->n; i++) {
        if (!is_still(args->at[i])) return *ok = false, NULL;
        if (params->at[i] == param) found = args->at[i];
    }
    for (int i = 0; i < call->call.keywords.n; i++) {
        const Node *k = call->call.keywords.at[i];
        int at = 0;
        while (at < params->n && !str_eq(params->at[at]->param.name, k->keyword.name)) at++;
        if (at == params->n || at < args->n || !is_still(k->keyword.value)) return *ok = false, NULL;
        if (params->at[at] == param) found = k->keyword.value;
    }
    if (!found) found = param->param.def;
    if (!found) *ok = false;
    return found;
}

// Whether a context is one of these or nullcontext(...), and what it gives: NULL is None.
static bool is_read(Contexts *c, const Node *item, Node **given) {
    const Node *call = item->withitem.value, *to = item->withitem.target;
    bool ok = call->kind == NODE_CALL && (!to || to->kind == NODE_NAME);
    *given = NULL;
    if (!ok) return false;
    if (is_brought(c->module, &c->bound, call->call.func, "contextlib", "nullcontext")) {
        const Node *k = call->call.keywords.n == 1 ? call->call.keywords.at[0] : NULL;
        if (!to || call->call.args.n + call->call.keywords.n > 1 ||
            (k && !str_is(k->keyword.name, "enter_result")))
            return false; // without `as` it is one of those that host code may enter
        *given = k ? k->keyword.value : call->call.args.n ? call->call.args.at[0] : NULL;
        return !*given || (*given)->kind != NODE_STARRED;
    }
    const Made *m = made_by(c, call);
    if (!m) return false;
    const Nodes *params = &m->function->function.params;
    for (int i = 0; i < params->n; i++) {
        Node *value = argument(m->function, call, params->at[i], &ok);
        if (m->given && str_eq(m->given->name, params->at[i]->param.name)) *given = value;
    }
    return ok && (params->n || !(call->call.args.n + call->call.keywords.n));
}

// @on() above a function of the host: the context of its calls, without arguments.
static bool is_above(Contexts *c, const Node *d) {
    const Node item = {.kind = NODE_WITHITEM, .withitem = {.value = (Node *)(uintptr_t)d}};
    Node *given;
    return d->kind == NODE_CALL && !d->call.args.n && !d->call.keywords.n && made_by(c, d) &&
           is_read(c, &item, &given);
}

static void count(void *arg, const Node *n) {
    Contexts *c = arg;
    Node *given;
    for (int i = 0; n->kind == NODE_FUNCTION && !is_jit_function(n) && i < n->function.decorators.n; i++)
        if (is_above(c, n->function.decorators.at[i])) made_by(c, n->function.decorators.at[i])->sites++;
    for (int i = 0; n->kind == NODE_NAME && i < c->n; i++)
        c->made[i].uses += str_eq(n->name, c->made[i].function->function.name);
    for (int i = 0; n->kind == NODE_WITH && !n->with.async && i < n->with.items.n; i++) {
        Made *m = made_by(c, n->with.items.at[i]->withitem.value);
        if (m && is_read(c, n->with.items.at[i], &given)) m->sites++;
    }
    node_each_child(n, count, arg); // a tree's height is bounded
}

static bool replaces(void *arg, Node *n, Nodes *out) {
    Contexts *c = arg;
    Node *given;
    if (n->kind == NODE_FUNCTION)
        for (int i = 0; i < c->n; i++)
            if (n == c->made[i].function) return true; // and nothing in its place
    if (n->kind == NODE_FUNCTION) {
        Nodes *d = &n->function.decorators;
        int kept = 0;
        for (int i = 0; i < d->n; i++)
            if (!is_above(c, d->at[i])) d->at[kept++] = d->at[i];
        d->n = kept;
        return false;
    }
    // From the first on, as they are entered in this order.
    if (n->kind != NODE_WITH || n->with.async || !is_read(c, n->with.items.at[0], &given)) return false;
    int done = 0;
    *out = (Nodes){NEWN(c->arena, Node *, (size_t)(n->with.items.n + n->with.body.n)), 0};
    for (; done < n->with.items.n && is_read(c, n->with.items.at[done], &given); done++) {
        Node *to = n->with.items.at[done]->withitem.target;
        if (!to) continue;
        Node *s = tree_of(c->arena, "name = None\n", n->span);
        if (!s) return false;
        if (given) s->assign.value = given;
        if (given && s->height <= given->height) s->height = (uint16_t)(given->height + 1);
        s->assign.targets.at[0] = to;
        out->at[out->n++] = s;
    }
    if (done == n->with.items.n) {
        for (int i = 0; i < n->with.body.n; i++) out->at[out->n++] = n->with.body.at[i];
        return true;
    }
    n->with.items = (Nodes){n->with.items.at + done, n->with.items.n - done};
    out->at[out->n++] = n;
    return true;
}

// ---- with ExitStack() as stack: stack.enter_context(torch.cuda.device(x.device)); ...

typedef struct {
    Contexts *c;
    Str name;
    int uses, entered;
} Stack;
static bool is_entering(const Stack *s, const Node *n) {
    const Node *call = n->kind == NODE_EXPRSTMT ? n->value : NULL;
    const Node *f = call && call->kind == NODE_CALL ? call->call.func : NULL;
    if (!f || f->kind != NODE_ATTRIBUTE || !str_is(f->attribute.name, "enter_context") ||
        f->attribute.value->kind != NODE_NAME || !str_eq(f->attribute.value->name, s->name) ||
        call->call.args.n != 1 || call->call.keywords.n || call->call.args.at[0]->kind != NODE_CALL)
        return false;
    const Node item = {.kind = NODE_WITHITEM, .withitem = {.value = call->call.args.at[0]}};
    const Nodes *args = &call->call.args.at[0]->call.args;
    for (int i = 0; i < args->n; i++)
        if (!is_still(args->at[i])) return false;
    return context_quiet(&item) && !call->call.args.at[0]->call.keywords.n;
}
static void count_entered(void *arg, const Node *n) {
    Stack *s = arg;
    s->uses += n->kind == NODE_NAME && str_eq(n->name, s->name);
    s->entered += is_entering(s, n);
    node_each_child(n, count_entered, arg); // a tree's height is bounded
}
static void leave_out(void *arg, const Node *n) {
    node_each_child(n, leave_out, arg);
    if (is_entering(arg, n)) *(Node *)(uintptr_t)n = (Node){.kind = NODE_PASS, .span = n->span, .height = 1};
}
static bool unstacks(void *arg, Node *n, Nodes *out) {
    Stack s = {.c = arg};
    const Node *item =
        n->kind == NODE_WITH && n->with.items.n == 1 && !n->with.async ? n->with.items.at[0] : n;
    const Node *to = item->kind == NODE_WITHITEM ? item->withitem.target : NULL, *call = NULL;
    if (to) call = item->withitem.value;
    if (!to || to->kind != NODE_NAME || call->kind != NODE_CALL || call->call.args.n ||
        call->call.keywords.n ||
        !is_brought(s.c->module, &s.c->bound, call->call.func, "contextlib", "ExitStack"))
        return false;
    s.name = to->name;
    for (int i = 0; i < n->with.body.n; i++) count_entered(&s, n->with.body.at[i]);
    if (s.uses != s.entered) return false;
    for (int i = 0; i < n->with.body.n; i++) leave_out(&s, n->with.body.at[i]);
    *out = n->with.body;
    return true;
}

void context_functions_normalize(Arena *a, Node *module) {
    Contexts c = {.arena = a, .module = module};
    names_of_module(&c.bound, a, module);
    if (!names_have(&c.bound.all, STR("contextlib")) && !names_have(&c.bound.all, STR("contextmanager")) &&
        !names_have(&c.bound.all, STR("ExitStack")) && !names_have(&c.bound.all, STR("nullcontext")))
        return;
    statements_replace(a, module, unstacks, &c);
    for (int i = 0; i < module->module.body.n; i++) look_at(&c, module->module.body.at[i]);
    count(&c, module);
    int n = 0; // one that is used in another way, too, stays as it is
    for (int i = 0; i < c.n; i++)
        if (c.made[i].uses == c.made[i].sites) c.made[n++] = c.made[i];
    c.n = n;
    statements_replace(a, module, replaces, &c);
}
