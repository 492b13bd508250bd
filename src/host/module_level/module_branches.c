// An `if` at module level whose answer is not fixed, as of what the device can do, whose two halves define
// the same names: both stay, and the condition chooses, so that both are tried.
//
//     if COND:                            branch 0 = COND
//         SIZE = 128                      SIZE = 128 if branch 0 else 64
//         def f(x): ...                   def f then 0(x): ...
//     else:                               def f else 0(x): ...
//         SIZE = 64                       def f(*args, **kwargs):
//         def f(x): ...                       if branch 0: return f then 0(*args, **kwargs)
//                                             return f else 0(*args, **kwargs)
//
// A kernel of both halves is one of two that host code launches: `k = k_then_0 if branch 0 else k_else_0`.
//
// No source has names with a blank in them. Functions that kernels call stay under their `if`, as imports do,
// and are not read: what kernels see is one thing throughout the file.
#include "host/module_level/module_level.h"

typedef struct {
    Arena *arena;
    const Node *module;
    Bindings bound;
    Names before; // what the module has bound so far
    Nodes out;
    int cap, made;
} Branches;

static void put(Branches *b, Node *n) {
    if (b->out.n == b->cap) {
        int cap = b->cap * 2 + 16;
        Node **at = NEWN(b->arena, Node *, (size_t)cap);
        if (b->out.n) memcpy(at, b->out.at, sizeof *at * (size_t)b->out.n);
        b->out.at = at;
        b->cap = cap;
    }
    b->out.at[b->out.n++] = n;
    names_of_block(&b->before, &(Nodes){&n, 1}, 0);
}

static bool binds_name(const Node *n) {
    return n->kind == NODE_ASSIGN && n->assign.targets.n == 1 && n->assign.targets.at[0]->kind == NODE_NAME;
}
static void find_call(void *arg, const Node *n) {
    *(bool *)arg |= n->kind == NODE_CALL || n->kind == NODE_WALRUS;
    node_each_child(n, find_call, arg); // a tree's height is bounded
}
static bool is_import_of(const Branches *b, Str name) {
    const Node *alias, *s = bound_once(&b->bound, name) ? module_binding(b->module, name, &alias) : NULL;
    return s && s->kind == NODE_IMPORT && !s->import.from && str_eq(alias->alias.name, name);
}
// A text, or what is printed or said to whoever reads logs.
static bool is_said(const Branches *b, const Node *n) {
    const Node *f = n->kind == NODE_EXPRSTMT && n->value->kind == NODE_CALL ? n->value->call.func : NULL;
    bool calls = false;
    if (n->kind == NODE_EXPRSTMT && n->value->kind == NODE_STRING) return true;
    if (!f) return false;
    for (int i = 0; i < n->value->call.args.n; i++) find_call(&calls, n->value->call.args.at[i]);
    for (int i = 0; i < n->value->call.keywords.n; i++)
        find_call(&calls, n->value->call.keywords.at[i]->keyword.value);
    if (calls) return false;
    if (node_is_name(f, "print")) return !names_have(&b->bound.all, f->name);
    if (f->kind != NODE_ATTRIBUTE || f->attribute.value->kind != NODE_NAME) return false;
    Str of = f->attribute.value->name, name = f->attribute.name;
    if (str_is(of, "warnings")) return str_is(name, "warn") && is_import_of(b, of);
    return (str_is(name, "debug") || str_is(name, "info") || str_is(name, "warning") ||
            str_is(name, "error")) &&
           (is_logger(b->module, &b->bound, of) || (str_is(of, "logging") && is_import_of(b, of)));
}
static bool is_host_function(const Node *n) {
    return n->kind == NODE_FUNCTION && !is_jit_function(n) && !is_constexpr_function(n) && !n->function.async;
}

// Whether kernels mention a name: what that is has to be one thing.
static void find_in_kernels(void *arg, const Node *n) {
    Str *name = arg; // empty, once it is found
    if (n->kind == NODE_NAME && name->len && str_eq(n->name, *name)) name->len = 0;
    node_each_child(n, find_in_kernels, arg); // a tree's height is bounded
}
static void find_kernels(void *arg, const Node *n) {
    if (n->kind == NODE_FUNCTION && (is_jit_function(n) || is_constexpr_function(n))) {
        for (int i = 0; i < n->function.body.n; i++) find_in_kernels(arg, n->function.body.at[i]);
        return;
    }
    node_each_child(n, find_kernels, arg);
}
static bool is_launched_kernel(const Branches *b, const Node *n) {
    Str name = n->kind == NODE_FUNCTION && is_jit_function(n) ? n->function.name : (Str){0};
    if (name.len) find_kernels(&name, b->module);
    return name.len > 0;
}

static bool is_hidden(Str name) { return memchr(name.p, ' ', name.len) != NULL; }

// The one statement of a half that binds a name; NULL where none does, or several.
static Node *binding_in(const Nodes *half, Str name, NodeKind kind) {
    Node *found = NULL;
    for (int i = 0; i < half->n; i++) {
        Node *n = half->at[i];
        bool is = n->kind == NODE_FUNCTION ? str_eq(n->function.name, name)
                                           : binds_name(n) && str_eq(n->assign.targets.at[0]->name, name);
        if (!is) continue;
        if (found || n->kind != kind) return NULL;
        found = n;
    }
    return found;
}

static void find_name(void *arg, const Node *n) {
    if (n->kind == NODE_NAME) names_add(arg, n->name);
    node_each_child(n, find_name, arg); // a tree's height is bounded
}
// Values move: the second half's to where the first half's stand.
static bool stands_alone(const Branches *b, const Node *value, const Nodes *half, const Nodes *other) {
    Names used = {.arena = b->arena}, bound = {.arena = b->arena};
    find_name(&used, value);
    names_of_block(&bound, half, 0);
    names_of_block(&bound, other, 0);
    for (int i = 0; i < bound.n; i++)
        if (!is_hidden(bound.at[i]) && names_have(&used, bound.at[i])) return false;
    return true;
}

// Whether both halves are of the form above, and each name is bound whichever of them runs.
static bool fits(const Branches *b, const Nodes *half, const Nodes *other) {
    for (int i = 0; i < half->n; i++) {
        Node *n = half->at[i];
        if (n->kind == NODE_PASS || is_said(b, n)) continue;
        bool kernel = is_launched_kernel(b, n), function = kernel || is_host_function(n);
        if (!function && !binds_name(n)) return false;
        Str name = function ? n->function.name : n->assign.targets.at[0]->name;
        if (is_hidden(name)) continue;
        if (!function && (str_is(name, "run") || str_is(name, "ModelNew")))
            return false; // an entry is defined
        if (binding_in(half, name, n->kind) != n) return false;
        const Node *also = function ? binding_in(other, name, n->kind) : NULL;
        if (also && is_jit_function(also) != kernel) return false;
        if (!function && !stands_alone(b, n->assign.value, half, other)) return false;
        Names bound = {.arena = b->arena};
        names_of_block(&bound, other, 0);
        bool both = binding_in(other, name, n->kind) != NULL;
        if (!both && (function || names_have(&bound, name) || !names_have(&b->before, name))) return false;
    }
    return true;
}

static Node *parsed(const Branches *b, const char *text, Span at) {
    DiagList d = DIAGS(b->arena);
    Node *m = parse_module(b->arena, str_of(text), &d);
    if (!m || m->module.body.n != 1) return NULL;
    tree_place(m->module.body.at[0], at);
    return m->module.body.at[0];
}

static void rename_to(void *arg, const Node *n) {
    const Str *name = arg; // `then_`, `else_` and `branch_` of the text below, by their hidden names
    Node *own = (Node *)(uintptr_t)n;
    if (node_is_name(n, "then_")) own->name = name[0];
    if (node_is_name(n, "else_")) own->name = name[1];
    if (node_is_name(n, "branch_")) own->name = name[2];
    node_each_child(n, rename_to, arg);
}

static void put_function(Branches *b, Node *then, Node *otherwise, Str flag) {
    static const char text[] =
        "def f(*args, **kwargs):\n    if branch_:\n        return then_(*args, **kwargs)\n"
        "    return else_(*args, **kwargs)\n";
    Str name = then->function.name,
        to[] = {str_of(arena_printf(b->arena, "%.*s then %d", STR_ARG(name), b->made)),
                str_of(arena_printf(b->arena, "%.*s else %d", STR_ARG(name), b->made)), flag};
    Node *f = parsed(b, text, then->span);
    if (!f) return;
    b->made++;
    rename_to(to, f);
    f->function.name = name;
    then->function.name = to[0];
    otherwise->function.name = to[1];
    put(b, then);
    put(b, otherwise);
    put(b, f);
}

// A name for a kernel of one half, which Triton prints, too.
static Str kernel_name(Branches *b, Str name, const char *half) {
    for (;; b->made++) {
        Str own = str_of(arena_printf(b->arena, "%.*s_%s_%d", STR_ARG(name), half, b->made));
        if (!names_have(&b->bound.all, own)) return own;
    }
}
static void put_kernel(Branches *b, Node *then, Node *otherwise, Str flag) {
    Str name = then->function.name,
        to[3] = {kernel_name(b, name, "then"), kernel_name(b, name, "else"), flag};
    Node *choice = parsed(b, "name = then_ if branch_ else else_\n", then->span);
    if (!choice) return;
    b->made++;
    rename_to(to, choice->assign.value);
    choice->assign.targets.at[0]->name = name;
    then->function.name = to[0];
    otherwise->function.name = to[1];
    put(b, then);
    put(b, otherwise);
    put(b, choice);
}

// NAME = THEN if FLAG else OTHERWISE; where one half leaves the name alone, it is what it was.
static void put_value(Branches *b, Node *n, Node *other, Str flag, bool then) {
    Node *s = parsed(b, "f = f if branch_ else f\n", n->span);
    if (!s) return;
    Node *choice = s->assign.value, *value = n->assign.value;
    Str names[] = {{0}, {0}, flag};
    rename_to(names, choice);
    Str name = n->assign.targets.at[0]->name;
    Node *else_value = other ? other->assign.value : then ? choice->ifexp.otherwise : choice->ifexp.then;
    if (!other && is_hidden(name)) // an inner flag, which nobody asks for then
        else_value->kind = NODE_FALSE;
    else if (!other)
        else_value->name = name;
    choice->ifexp.then = then ? value : else_value;
    choice->ifexp.otherwise = then ? else_value : value;
    uint16_t height = value->height > else_value->height ? value->height : else_value->height;
    choice->height = (uint16_t)(height + 1 > 2 ? height + 1 : 2);
    s->height = (uint16_t)(choice->height + 1);
    s->assign.targets = n->assign.targets;
    put(b, s);
}

// The second half's, beside the first's of their name.
static bool is_put(const Branches *b, const Node *n) {
    for (int i = b->out.n - 1; i >= 0; i--)
        if (b->out.at[i] == n) return true;
    return false;
}

static void put_half(Branches *b, const Nodes *half, const Nodes *other, Str flag, bool then) {
    for (int i = 0; i < half->n; i++) {
        Node *n = half->at[i];
        if (n->kind == NODE_PASS || is_said(b, n) || is_put(b, n)) continue;
        Str name = n->kind == NODE_FUNCTION ? n->function.name : n->assign.targets.at[0]->name;
        bool hidden = is_hidden(name);
        Node *also = hidden ? NULL : binding_in(other, name, n->kind);
        if ((also && !then) || (hidden && n->kind == NODE_ASSIGN)) continue; // done before
        if (n->kind == NODE_ASSIGN)
            put_value(b, n, also, flag, then);
        else if (also && is_jit_function(n))
            put_kernel(b, n, also, flag);
        else if (also)
            put_function(b, n, also, flag);
        else
            put(b, n);
    }
}

static void put_flags(Branches *b, const Nodes *half, Str flag, bool then) {
    for (int i = 0; i < half->n; i++)
        if (half->at[i]->kind == NODE_ASSIGN && is_hidden(half->at[i]->assign.targets.at[0]->name))
            put_value(b, half->at[i], NULL, flag, then);
}

static void merge(Branches *b, Node *s);

// The statements of a half, with every `if` in it merged.
static Nodes merged(Branches *b, const Nodes *half) {
    Branches inner = {
        .arena = b->arena, .module = b->module, .bound = b->bound, .before.arena = b->arena, .made = b->made};
    for (int i = 0; i < b->before.n; i++) names_add(&inner.before, b->before.at[i]);
    for (int i = 0; i < half->n; i++) merge(&inner, half->at[i]); // no deeper than the tree is high
    b->made = inner.made;
    return inner.out;
}

// Of what the condition asks for, nothing gets another value later on.
static bool is_settled(const Branches *b, const Node *cond) {
    Names used = {.arena = b->arena};
    const Nodes *body = &b->module->module.body;
    find_name(&used, cond);
    for (int i = 0; i < used.n; i++) {
        int times = 0;
        for (int k = 0; k < body->n; k++)
            times += binds_name(body->at[k]) && str_eq(body->at[k]->assign.targets.at[0]->name, used.at[i]);
        if (times > 1) return false;
    }
    return true;
}

// Imports of what is known anyway stand in front of the `if`.
static void lift_imports(Branches *b, Nodes *half) {
    for (int i = 0; i < half->n; i++) {
        Node *n = half->at[i];
        Names bound = {.arena = b->arena};
        if (n->kind != NODE_IMPORT || !import_brings(n)) continue;
        names_of_import(&bound, n);
        bool once = bound.n > 0;
        for (int k = 0; k < bound.n; k++) once &= !names_have(&b->bound.more, bound.at[k]);
        if (!once) continue;
        Node *pass = NEW(b->arena, Node);
        *pass = (Node){.kind = NODE_PASS, .span = n->span, .height = 1};
        put(b, n);
        half->at[i] = pass;
    }
}

// `f = torch.cuda.device` beside `def f(...)`: a function that calls it.
static void name_functions(Branches *b, Nodes *half, const Nodes *other) {
    for (int i = 0; i < half->n; i++) {
        Node *n = half->at[i];
        if (!binds_name(n) || n->assign.value->kind != NODE_ATTRIBUTE) continue;
        Str name = n->assign.targets.at[0]->name;
        const Node *also = binding_in(other, name, NODE_FUNCTION);
        Node *f = also && is_host_function(also)
                      ? parsed(b, "def f(*args, **kwargs):\n    return f(*args, **kwargs)\n", n->span)
                      : NULL;
        if (!f) continue;
        f->function.name = name;
        f->function.body.at[0]->value->call.func = n->assign.value;
        if (f->height < n->height + 3) f->height = (uint16_t)(n->height + 3);
        half->at[i] = f;
    }
}

static void merge(Branches *b, Node *s) {
    if (s->kind == NODE_IF && !is_main_guard(s)) {
        lift_imports(b, &s->branch.then), lift_imports(b, &s->branch.otherwise);
        name_functions(b, &s->branch.then, &s->branch.otherwise);
        name_functions(b, &s->branch.otherwise, &s->branch.then);
    }
    if (s->kind == NODE_IF && !is_settled(b, s->branch.cond)) return put(b, s);
    if (s->kind != NODE_IF || is_main_guard(s)) return put(b, s);
    Nodes then = merged(b, &s->branch.then), otherwise = merged(b, &s->branch.otherwise);
    if (!fits(b, &then, &otherwise) || !fits(b, &otherwise, &then)) return put(b, s);
    Node *first = parsed(b, "f = f\n", s->span);
    if (!first) return put(b, s);
    Str flag = str_of(arena_printf(b->arena, "branch %d", b->made++));
    first->assign.targets.at[0]->name = flag;
    first->assign.value = s->branch.cond;
    first->height = (uint16_t)(s->branch.cond->height + 1);
    put(b, first);
    put_flags(b, &then, flag, true); // of an `if` in there
    put_flags(b, &otherwise, flag, false);
    put_half(b, &then, &otherwise, flag, true);
    put_half(b, &otherwise, &then, flag, false);
}

void module_branches_normalize(Arena *a, Node *module) {
    Nodes *body = &module->module.body;
    bool any = false;
    for (int i = 0; i < body->n; i++) any |= body->at[i]->kind == NODE_IF && !is_main_guard(body->at[i]);
    if (!any) return;
    Branches b = {.arena = a, .module = module, .before.arena = a};
    names_of_module(&b.bound, a, module);
    for (int i = 0; i < body->n; i++) merge(&b, body->at[i]);
    *body = b.out;
}
