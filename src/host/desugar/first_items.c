// next(iter(x)), next(reversed(x)), next(i for i in x if ...): the first item of something that is made on
// the spot, so that no iterator keeps its place beyond the expression. Written as <first>(x), a name of
// api.def that no file can write. Any other `next` and `iter` stay, and are refused by name.
#include "host/desugar/desugar.h"
#include "tile/check/check.h"

typedef struct {
    Bindings bound;
} Firsts;

static bool is_builtin(const Firsts *f, const Node *n, const char *name) {
    return node_is_name(n, name) && !names_have(&f->bound.all, n->name);
}

static bool is_plain_call(const Node *n) {
    if (n->kind != NODE_CALL || n->call.keywords.n) return false;
    for (int i = 0; i < n->call.args.n; i++)
        if (n->call.args.at[i]->kind == NODE_STARRED) return false;
    return true;
}

// What next() would step through, if nobody else can: NULL where somebody may.
static Node *stepped_through(const Firsts *f, Node *n) {
    static const char *const fresh[] = {"reversed", "enumerate", "zip", "map"};
    if (n->kind == NODE_COMP) return n->comp.kind == COMP_GENERATOR ? n : NULL;
    if (!is_plain_call(n)) return NULL;
    if (is_builtin(f, n->call.func, "iter")) return n->call.args.n == 1 ? n->call.args.at[0] : NULL;
    for (size_t i = 0; i < sizeof fresh / sizeof *fresh; i++)
        if (is_builtin(f, n->call.func, fresh[i])) return n;
    return NULL;
}

static void rewrite(void *arg, const Node *n) {
    const Firsts *f = arg;
    if (n->kind == NODE_FUNCTION && is_jit_function(n)) return;
    node_each_child(n, rewrite, arg); // a tree's height is bounded
    if (!is_plain_call(n) || !is_builtin(f, n->call.func, "next") || n->call.args.n < 1 || n->call.args.n > 2)
        return;
    Node *of = stepped_through(f, n->call.args.at[0]), *func = (Node *)(uintptr_t)n->call.func;
    if (!of) return; // the tree is this process's own
    n->call.args.at[0] = of;
    func->name = STR("<first>");
}

typedef struct {
    bool any;
} Asks;
static void look(void *arg, const Node *n) {
    ((Asks *)arg)->any |= node_is_name(n, "next");
    node_each_child(n, look, arg);
}

void first_items_normalize(Arena *a, Node *module) {
    Asks asks = {false};
    look(&asks, module);
    if (!asks.any) return;
    Firsts f;
    names_of_module(&f.bound, a, module);
    rewrite(&f, module);
}
