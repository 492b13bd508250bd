// `n -= 1` as the `n = n - 1` that it is: whatever follows what a program counts, and looks for arithmetic
// that chooses as a condition does (host/varies, sandbox/unreached/unreached.h), then meets it in one form.
// Of `+=` the sum is marked: Python extends a list there instead of making another one.
//
// A target that is more than a name is evaluated twice that way. So it is rewritten only where nobody can
// tell: where neither it nor the value changes anything. Any other stays, and is not read (exec.c).
#include "host/desugar/desugar.h"
#include "tile/check/check.h"

typedef struct {
    Arena *arena;
    const Node *module;
    bool pure;
} Augmented;

// Sizes, numbers made of them, and what a table holds.
static bool only_looks(const Augmented *g, const Node *call) {
    static const char *const method[] = {"size", "stride", "numel", "dim", "element_size", "get"};
    static const char *const function[] = {"len", "min", "max", "int"};
    const Node *f = call->call.func;
    if (f->kind == NODE_ATTRIBUTE) {
        for (size_t i = 0; i < sizeof method / sizeof *method; i++)
            if (str_is(f->attribute.name, method[i])) return true;
        return false;
    }
    for (size_t i = 0; i < sizeof function / sizeof *function; i++)
        if (node_is_name(f, function[i])) return !module_function(g->module, f->name);
    return false;
}

static void look_for_change(void *arg, const Node *n) {
    Augmented *g = arg;
    if (n->kind == NODE_CALL) g->pure &= only_looks(g, n);
    if (n->kind == NODE_WALRUS || n->kind == NODE_COMP || n->kind == NODE_LAMBDA || n->kind == NODE_YIELD ||
        n->kind == NODE_AWAIT)
        g->pure = false;
    node_each_child(n, look_for_change, g); // a tree's height is bounded
}
static bool changes_nothing(Augmented *g, const Node *n) {
    g->pure = true;
    look_for_change(g, n);
    return g->pure;
}

// n, self.n, t[i], t["calls"]: no value that is computed in between makes these stand for something else.
static bool is_steady(const Node *n) {
    if (n->kind == NODE_ATTRIBUTE) return n->attribute.value->kind == NODE_NAME;
    if (n->kind != NODE_SUBSCRIPT) return n->kind == NODE_NAME;
    const Node *index = n->subscript.index;
    return n->subscript.value->kind == NODE_NAME && (index->kind == NODE_NAME || is_written(index));
}

typedef struct {
    bool any;
} Binds;
static void look_for_walrus(void *arg, const Node *n) {
    ((Binds *)arg)->any |= n->kind == NODE_WALRUS;
    node_each_child(n, look_for_walrus, arg);
}

static bool told_apart(Augmented *g, const Node *target, const Node *value) {
    Binds binds = {false};
    if (target->kind == NODE_NAME) return false;
    look_for_walrus(&binds, value);
    if (is_steady(target)) return binds.any;
    return !changes_nothing(g, target) || !changes_nothing(g, value);
}

static void rewrite(void *arg, const Node *n) {
    Augmented *g = arg;
    if (n->kind == NODE_FUNCTION && (is_jit_function(n) || is_constexpr_function(n))) return;
    if (n->kind != NODE_AUGASSIGN) {
        node_each_child(n, rewrite, g); // a tree's height is bounded
        return;
    }
    Node *own = (Node *)(uintptr_t)n; // the tree is this process's own
    Node *target = own->augassign.target, *value = own->augassign.value;
    bool form = target->kind == NODE_NAME || target->kind == NODE_ATTRIBUTE || target->kind == NODE_SUBSCRIPT;
    if (!form || told_apart(g, target, value)) return;
    Node *left = NEW(g->arena, Node), *sum = NEW(g->arena, Node);
    Oper op = own->augassign.op;
    *left = *target;
    *sum = (Node){.kind = NODE_BINARY, .span = own->span, .height = own->height};
    sum->binary.op = op;
    sum->binary.left = left;
    sum->binary.right = value;
    sum->binary.grows = op == OPER_ADD;
    sum->binary.in_place = true;
    Nodes targets = {NEWN(g->arena, Node *, 1), 1};
    targets.at[0] = target;
    own->kind = NODE_ASSIGN;
    own->height++;
    own->assign.targets = targets;
    own->assign.value = sum;
    own->assign.kept = false;
}

void augmented_normalize(Arena *a, Node *module) {
    rewrite(&(Augmented){.arena = a, .module = module}, module);
}
