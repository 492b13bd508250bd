// The mutators of the host's side: what a launch is given, and its grid.
#include "mutate/mutate.h"
#include "mutate/mutate_make.h"

static bool is_launch(const Node *n) { return n->kind == NODE_CALL && n->call.func->kind == NODE_SUBSCRIPT; }

// Tensors that the host function has made: their rows lie one after the other, so that the row stride and the
// row length are one number and changing one for the other changes nothing.
static bool is_fresh(const Maker *m, const Node *tensor) {
    if (tensor->kind != NODE_NAME) return false;
    const Node *value = definition(m->module, tensor->name);
    if (!value || value->kind != NODE_CALL || value->call.func->kind != NODE_ATTRIBUTE) return false;
    Str name = value->call.func->attribute.name;
    return str_starts(name, "empty") || str_starts(name, "zeros") || str_starts(name, "ones") ||
           str_starts(name, "full") || str_starts(name, "new_");
}
static bool is_fresh_stride(const Maker *m, const Node *n) {
    const Node *tensor = method_call(n, "stride", 1);
    return tensor && is_fresh(m, tensor);
}
static bool is_stride_call(const Maker *m, const Node *n) {
    return method_call(n, "stride", 1) && !is_fresh_stride(m, n);
}

typedef struct {
    Str name;
    bool found;
} Length;
static void find_length(void *arg, const Node *n) { // M, N = x.shape
    Length *l = arg;
    if (n->kind == NODE_ASSIGN && n->assign.targets.n == 1 && n->assign.targets.at[0]->kind == NODE_TUPLE &&
        n->assign.value->kind == NODE_ATTRIBUTE && str_is(n->assign.value->attribute.name, "shape")) {
        const Nodes *t = &n->assign.targets.at[0]->items;
        l->found |= t->n > 0 && t->at[t->n - 1]->kind == NODE_NAME && str_eq(t->at[t->n - 1]->name, l->name);
    }
    if (n->kind == NODE_FUNCTION) node_each_child(n, find_length, l);
}
static bool is_row_length(const Maker *m, const Node *n) {
    if (n->kind == NODE_SUBSCRIPT)
        return n->subscript.value->kind == NODE_ATTRIBUTE &&
               str_is(n->subscript.value->attribute.name, "shape");
    if (n->kind != NODE_NAME) return false;
    Length l = {.name = n->name};
    node_each_child(m->module, find_length, &l);
    const Node *value = l.found ? NULL : definition(m->module, n->name);
    return l.found || (value && value->kind == NODE_SUBSCRIPT && is_row_length(m, value));
}

void mutate_contiguous(Maker *m, const Node *n) {
    if (!is_launch(n)) return;
    Gather g = gathered(m, n, is_stride_call, true);
    for (int i = 0; i < g.n; i++) {
        Node *length = make_node(m, NODE_SUBSCRIPT, g.at[i]);
        length->subscript.value = make_attribute(m, method_call(g.at[i], "stride", 1), "shape");
        length->subscript.index = make_unary(m, OPER_NEG, make_int(m, g.at[i], 1));
        mutant_propose(m, g.at[i], length);
    }
}

void mutate_grid(Maker *m, const Node *n) {
    if (n->kind == NODE_CALL && n->call.func->kind == NODE_ATTRIBUTE &&
        str_is(n->call.func->attribute.name, "cdiv") && n->call.args.n == 2)
        mutant_propose(m, n, make_binary(m, OPER_FLOORDIV, n->call.args.at[0], n->call.args.at[1]));
    if (!is_launch(n)) return;
    const Node *grid = n->call.func->subscript.index;
    if (grid->kind == NODE_NAME) grid = definition(m->module, grid->name);
    if (grid && grid->kind == NODE_LAMBDA) grid = grid->lambda.body;
    for (int i = 0; grid && grid->kind == NODE_TUPLE && i < grid->items.n; i++)
        mutant_propose(m, grid->items.at[i], make_minus(m, grid->items.at[i], 1));
}

void mutate_launch_argument(Maker *m, const Node *n) {
    if (!is_launch(n)) return;
    for (int i = 0; i + 1 < n->call.args.n; i++) {
        const Node *x = n->call.args.at[i], *y = n->call.args.at[i + 1];
        if (is_fresh_stride(m, x) && (is_row_length(m, y) || is_fresh_stride(m, y))) continue;
        if (is_fresh_stride(m, y) && is_row_length(m, x)) continue;
        Node *swapped = make_node(m, NODE_CALL, n);
        swapped->call = n->call;
        swapped->call.args.at = NEWN(m->scratch, Node *, (size_t)n->call.args.n);
        memcpy(swapped->call.args.at, n->call.args.at, sizeof(Node *) * (size_t)n->call.args.n);
        swapped->call.args.at[i] = n->call.args.at[i + 1];
        swapped->call.args.at[i + 1] = n->call.args.at[i];
        // The place is the argument's: a launch may be spread over many lines.
        swapped->span = n->call.args.at[i]->span;
        mutant_propose(m, n, swapped);
    }
}

// A stride of another tensor: of equal shapes they differ only where layouts do.
void mutate_layout(Maker *m, const Node *n) {
    if (!is_launch(n)) return;
    Gather g = gathered(m, n, is_stride_call, true);
    for (int i = 0; i < g.n; i++) {
        const Node *own = method_call(g.at[i], "stride", 1);
        for (int k = 1; k < g.n; k++) {
            const Node *other = g.at[(i + k) % g.n], *tensor = method_call(other, "stride", 1);
            if (own->kind != NODE_NAME || tensor->kind != NODE_NAME || str_eq(own->name, tensor->name))
                continue;
            mutant_propose(m, g.at[i], other);
            break;
        }
    }
}

// The first axis, where rows are counted mostly.
void mutate_capped_grid(Maker *m, const Node *n) {
    enum { MOST = 65535 };
    if (!is_launch(n)) return;
    const Node *grid = n->call.func->subscript.index;
    if (grid->kind == NODE_NAME) grid = definition(m->module, grid->name);
    if (!grid || grid->kind != NODE_TUPLE || grid->items.n == 0) return;
    const Node *first = grid->items.at[0], *args[] = {first, make_int(m, first, MOST)};
    mutant_propose(m, first, make_call(m, make_name(m, first, STR("min")), args, 2));
}

// A number of elements that cases have only where they were made for it: 33 * 1024, so that every domain of
// rows has it in some way.
void mutate_branch(Maker *m, const Node *n) {
    enum { ELEMENTS = 33 * 1024 };
    if (!is_launch(n) || n->call.args.n == 0 || n->call.args.at[0]->kind != NODE_NAME) return;
    const Node *grid = n->call.func->subscript.index;
    if (grid->kind != NODE_TUPLE || grid->items.n == 0) return;
    const Node *first = grid->items.at[0];
    Node *count = make_call(m, make_attribute(m, n->call.args.at[0], "numel"), NULL, 0);
    Node *special = make_compare(m, count, OPER_EQ, make_int(m, first, ELEMENTS));
    mutant_propose(m, first, make_binary(m, OPER_SUB, first, special));
}
