// Whether what fills the masked lanes of a load can matter: a walk over the kernel in the order it runs that
// follows the padding from name to name until it meets a reduction, an address, a branch or an unmasked
// store, or a where() on the mask stops it. When in doubt the answer is yes.
#include "mutate/mutate.h"

enum { TAINTED_MAX = 64, FUEL = 20000 };

typedef struct {
    Str at[TAINTED_MAX];
    int n;
} Names;

typedef struct {
    const Maker *m;
    const Node *load;
    Names tainted;
    bool reached;
    int fuel; // nodes left to look at: loops are walked twice, nested ones four times and so on
} Flow;

static bool has(const Names *s, Str name) {
    for (int i = 0; i < s->n; i++)
        if (str_eq(s->at[i], name)) return true;
    return false;
}

static void taint(Flow *f, Str name) {
    if (has(&f->tainted, name)) return;
    if (f->tainted.n == TAINTED_MAX)
        f->reached = true;
    else
        f->tainted.at[f->tainted.n++] = name;
}

static void clean(Names *s, Str name) {
    for (int i = 0; i < s->n; i++)
        if (str_eq(s->at[i], name)) s->at[i--] = s->at[--s->n];
}

static void join(Flow *f, const Names *other) {
    for (int i = 0; i < other->n; i++) taint(f, other->at[i]);
}

static bool flows(Flow *f, const Node *n);

typedef struct {
    Flow *flow;
    bool any;
} Any;
static void flows_child(void *arg, const Node *child) {
    Any *any = arg;
    any->any |= flows(any->flow, child);
}
static bool children_flow(Flow *f, const Node *n) {
    Any any = {.flow = f};
    node_each_child(n, flows_child, &any);
    return any.any;
}

typedef struct {
    const Maker *m;
    bool found;
    int fuel;
} Search;
static void search_compare(void *arg, const Node *n) {
    Search *s = arg;
    if (s->fuel-- <= 0) return;
    s->found |= node_is_index_compare(s->m, n);
    node_each_child(n, search_compare, s);
}
static void search_reduction(void *arg, const Node *n) {
    Search *s = arg;
    s->found |=
        s->fuel-- <= 0 || node_is_reduction(n) || (n->kind == NODE_CALL && n->call.func->kind == NODE_NAME);
    if (!s->found) node_each_child(n, search_reduction, s);
}

// A mask: a comparison of indices, or a name that is assigned one.
static bool is_mask(const Maker *m, const Node *n) {
    Search s = {.m = m, .fuel = 256};
    if (n->kind != NODE_NAME) {
        search_compare(&s, n);
        return s.found;
    }
    const Nodes *body = &m->function->function.body;
    const Node *stack[64];
    int depth = 0;
    for (int i = 0; i < body->n && depth < 64; i++) stack[depth++] = body->at[i];
    while (depth > 0 && !s.found) {
        const Node *x = stack[--depth];
        const Nodes *inner[2] = {NULL, NULL};
        if (x->kind == NODE_FOR) inner[0] = &x->loop.body;
        if (x->kind == NODE_WHILE) inner[0] = &x->whileloop.body;
        if (x->kind == NODE_IF) inner[0] = &x->branch.then, inner[1] = &x->branch.otherwise;
        for (int k = 0; k < 2; k++)
            for (int i = 0; inner[k] && i < inner[k]->n && depth < 64; i++) stack[depth++] = inner[k]->at[i];
        if (x->kind == NODE_ASSIGN && x->assign.targets.n == 1 &&
            x->assign.targets.at[0]->kind == NODE_NAME && str_eq(x->assign.targets.at[0]->name, n->name))
            search_compare(&s, x->assign.value);
    }
    return s.found;
}

static bool call_flows(Flow *f, const Node *n) {
    if (node_calls(n, "tl.where") && n->call.args.n == 3 && is_mask(f->m, n->call.args.at[0])) {
        children_flow(f, n);
        return false;
    }
    bool any = children_flow(f, n);
    if (!any) return false;
    if (node_calls(n, "tl.store")) {
        // A masked store drops the lanes, unless the padding is part of its address or mask.
        const Node *address = call_argument(n, 0, "pointer"), *mask = call_argument(n, 2, "mask");
        f->reached |= !mask || flows(f, mask) || (address && flows(f, address));
    } else if (node_calls(n, "tl.load") || node_is_reduction(n)) {
        f->reached = true;
    } else if (n->call.func->kind == NODE_NAME && module_function(f->m->module, n->call.func->name)) {
        Search inside = {.m = f->m, .fuel = 512};
        node_each_child(module_function(f->m->module, n->call.func->name), search_reduction, &inside);
        f->reached |= inside.found;
    }
    return true;
}

static bool flows(Flow *f, const Node *n) {
    if (f->fuel-- <= 0) f->reached = true;
    if (f->reached) return true;
    if (n == f->load) return true;
    if (n->kind == NODE_NAME) return has(&f->tainted, n->name);
    return n->kind == NODE_CALL ? call_flows(f, n) : children_flow(f, n);
}

static void run_block(Flow *f, const Nodes *body);

static void assign(Flow *f, const Node *target, bool tainted) {
    if (target->kind == NODE_TUPLE || target->kind == NODE_LIST) {
        for (int i = 0; i < target->items.n; i++) assign(f, target->items.at[i], tainted);
    } else if (target->kind == NODE_NAME) {
        if (tainted)
            taint(f, target->name);
        else
            clean(&f->tainted, target->name);
    }
}

static void run_loop(Flow *f, const Nodes *body) {
    for (int turn = 0; turn < 2 && !f->reached; turn++) {
        Names before = f->tainted;
        run_block(f, body);
        join(f, &before); // no turn at all
    }
}

static void run_statement(Flow *f, const Node *n) {
    switch (n->kind) {
    case NODE_ASSIGN: {
        bool tainted = flows(f, n->assign.value);
        for (int i = 0; i < n->assign.targets.n; i++) assign(f, n->assign.targets.at[i], tainted);
        break;
    }
    case NODE_ANNASSIGN:
        if (n->annassign.value) assign(f, n->annassign.target, flows(f, n->annassign.value));
        break;
    case NODE_AUGASSIGN:
        if (flows(f, n->augassign.value)) assign(f, n->augassign.target, true);
        break;
    case NODE_FOR:
        f->reached |= flows(f, n->loop.iter);
        assign(f, n->loop.target, false);
        run_loop(f, &n->loop.body);
        break;
    case NODE_WHILE:
        f->reached |= flows(f, n->whileloop.cond);
        run_loop(f, &n->whileloop.body);
        break;
    case NODE_IF: {
        f->reached |= flows(f, n->branch.cond);
        Names before = f->tainted;
        run_block(f, &n->branch.then);
        Names then = f->tainted;
        f->tainted = before;
        run_block(f, &n->branch.otherwise);
        join(f, &then);
        break;
    }
    case NODE_EXPRSTMT: flows(f, n->value); break;
    case NODE_PASS:
    case NODE_ASSERT: break;
    case NODE_RETURN: f->reached |= n->value && flows(f, n->value); break;
    default: f->reached = true;
    }
}

static void run_block(Flow *f, const Nodes *body) {
    for (int i = 0; i < body->n && !f->reached; i++) run_statement(f, body->at[i]);
}

bool padding_matters(const Maker *m, const Node *load) {
    Flow f = {.m = m, .load = load, .fuel = FUEL};
    run_block(&f, &m->function->function.body);
    return f.reached;
}
