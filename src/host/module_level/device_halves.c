// Functions that kernels call, in both halves of an `if` of the module. What a kernel sees is one thing, so
// that each kernel that calls them comes twice, too:
//
//     if COND:                              def load_then_0(p): ...     (@triton.jit)
//         @triton.jit                       def load_else_0(p): ...
//         def load(p): ...                  if COND:
//     else:                                     @triton.jit
//         @triton.jit                           def k(x): ... load_then_0(x)
//         def load(p): ...                  else:
//     @triton.jit                               @triton.jit
//     def k(x): ... load(x)                     def k(x): ... load_else_0(x)
//
// and so on for kernels that call those, until host code chooses between two (module_branches.c).
#include "host/module_level/module_level.h"
#include "lang/print.h"

enum { DOUBLED_MAX = 64 }; // kernels that come twice
typedef struct {
    Arena *arena;
    Node *module;
    Bindings bound;
    int made, doubled;
} Halves;

// ---- a tree once more, with the same places

typedef struct {
    Node **at;
    int n, cap;
} All;
static void gather(void *arg, const Node *n) {
    All *all = arg;
    if (all->n < all->cap) all->at[all->n] = (Node *)(uintptr_t)n; // the tree is this process's own
    all->n++;
    node_each_child(n, gather, all); // a tree's height is bounded
}
static Node *copy_of(Arena *a, const Node *n) {
    Buf text = BUF(a);
    All from = {0}, to = {0};
    print_node(&text, n);
    buf_puts(&text, "\n");
    Node *copy = tree_of(a, buf_cstr(&text), n->span);
    if (!copy) return NULL;
    if (n->kind != NODE_FUNCTION) copy = copy->kind == NODE_EXPRSTMT ? copy->value : copy;
    gather(&from, n), gather(&to, copy);
    if (from.n != to.n) return NULL;
    from.cap = to.cap = from.n;
    from.at = NEWN(a, Node *, (size_t)from.n);
    to.at = NEWN(a, Node *, (size_t)from.n);
    from.n = to.n = 0;
    gather(&from, n), gather(&to, copy);
    for (int i = 0; i < from.n; i++) to.at[i]->span = from.at[i]->span;
    return copy;
}

// ---- who calls whom

static void find_name(void *arg, const Node *n) {
    Str *name = arg; // empty, once it is found
    if (n->kind == NODE_NAME && name->len && str_eq(n->name, *name)) name->len = 0;
    node_each_child(n, find_name, arg);
}
static bool calls(const Node *kernel, Str name) {
    for (int i = 0; i < kernel->function.body.n && name.len; i++)
        find_name(&name, kernel->function.body.at[i]);
    return !name.len;
}

static int function_in(const Nodes *half, Str name) {
    int found = -1;
    for (int i = 0; i < half->n; i++) {
        if (half->at[i]->kind != NODE_FUNCTION || !str_eq(half->at[i]->function.name, name)) continue;
        if (found >= 0 || !is_jit_function(half->at[i])) return -1;
        found = i;
    }
    return found;
}

typedef struct {
    Str from, to;
} Renaming;
static void rename_in(void *arg, const Node *n) {
    const Renaming *r = arg;
    if (n->kind == NODE_NAME && str_eq(n->name, r->from)) ((Node *)(uintptr_t)n)->name = r->to;
    node_each_child(n, rename_in, arg);
}
static void rename_body(Node *f, Str from, Str to) {
    for (int i = 0; i < f->function.body.n; i++) rename_in(&(Renaming){from, to}, f->function.body.at[i]);
}

static Str fresh(Halves *h, Str name, const char *half) {
    for (;; h->made++) {
        Str own = str_of(arena_printf(h->arena, "%.*s_%s_%d", STR_ARG(name), half, h->made));
        if (!names_have(&h->bound.all, own)) return own;
    }
}

static void insert(Halves *h, int at, Node *n) {
    const Nodes body = h->module->module.body;
    Nodes out = {NEWN(h->arena, Node *, (size_t)body.n + 2), 0};
    for (int i = 0; i < body.n; i++) {
        if (i == at) out.at[out.n++] = n;
        out.at[out.n++] = body.at[i];
    }
    h->module->module.body = out;
}

// Kernel `k`, at `place`, in two halves of its own.
static bool split(Halves *h, int place, const Node *cond, Str name, const Str to[2]) {
    Node *k = h->module->module.body.at[place], *other = copy_of(h->arena, k), *c = copy_of(h->arena, cond);
    Node *branch = tree_of(h->arena, "if f:\n    pass\nelse:\n    pass\n", k->span);
    if (!other || !c || !branch) return false;
    rename_body(k, name, to[0]);
    rename_body(other, name, to[1]);
    branch->branch.cond = c;
    branch->branch.then.at[0] = k;
    branch->branch.otherwise.at[0] = other;
    branch->height = (uint16_t)((k->height > c->height ? k->height : c->height) + 1);
    h->module->module.body.at[place] = branch;
    return true;
}

// One function of both halves of the statement at `at`; false: there is none that kernels call.
static bool double_one(Halves *h, int at) {
    Node *s = h->module->module.body.at[at];
    Nodes *then = &s->branch.then, *otherwise = &s->branch.otherwise;
    for (int i = 0; i < then->n; i++) {
        Str name = then->at[i]->kind == NODE_FUNCTION ? then->at[i]->function.name : (Str){0};
        int j = name.len ? function_in(otherwise, name) : -1, callers = 0;
        if (j < 0 || function_in(then, name) != i) continue;
        for (int k = 0; k < then->n; k++) // halves that call themselves stay as they are
            if (k != i && then->at[k]->kind == NODE_FUNCTION && calls(then->at[k], name)) return false;
        const Nodes *body = &h->module->module.body;
        for (int k = 0; k < body->n; k++)
            callers += body->at[k]->kind == NODE_FUNCTION && is_jit_function(body->at[k]) &&
                       calls(body->at[k], name);
        if (!callers || (h->doubled += callers) > DOUBLED_MAX) continue;
        Str to[2] = {fresh(h, name, "then"), fresh(h, name, "else")};
        Node *one = then->at[i], *two = otherwise->at[j], *pass[2];
        h->made++;
        for (int k = 0; k < body->n; k++)
            if (body->at[k]->kind == NODE_FUNCTION && is_jit_function(body->at[k]) &&
                calls(body->at[k], name) && !split(h, k, s->branch.cond, name, to))
                return false;
        for (int k = 0; k < 2; k++) {
            pass[k] = NEW(h->arena, Node);
            *pass[k] = (Node){.kind = NODE_PASS, .span = s->span, .height = 1};
        }
        then->at[i] = pass[0];
        otherwise->at[j] = pass[1];
        one->function.name = to[0];
        two->function.name = to[1];
        insert(h, at, two);
        insert(h, at, one);
        return true;
    }
    return false;
}

void device_halves_normalize(Arena *a, Node *module) {
    Halves h = {.arena = a, .module = module};
    names_of_module(&h.bound, a, module);
    for (int i = 0; i < module->module.body.n; i++) {
        const Node *s = module->module.body.at[i];
        if (s->kind != NODE_IF || is_main_guard(s)) continue;
        if (double_one(&h, i)) i += 1; // it stands two places further, and is looked at again
    }
}
