// Mistakes on purpose. Those in what is computed are made here, by taking the graph apart and putting it
// together again with one node replaced; those in how it is written are made where the text is made.
#include "grammar/kernel_plan.h"
#include "graph/graph_build.h"
#include "graph/online_algebra.h"

static const struct {
    const char *name, *words;
    bool graph;
} kinds[] = {
    {"", "", false},
#define GRAPH                  true
#define TEXT                   false
#define FLAW(id, where, words) {#id, words, where},
#include "grammar/flaw.def"
#undef FLAW
#undef GRAPH
#undef TEXT
};

Flaw flaw_by_name(const char *name) {
    for (int i = 1; i < FLAW_COUNT; i++)
        if (strcmp(kinds[i].name, name) == 0) return (Flaw)i;
    return FLAW_NONE;
}

const char *flaw_name(Flaw f) { return kinds[f].name; }
bool flaw_in_graph(Flaw f) { return kinds[f].graph; }

const char *smith_flaw(int i, const char **words) {
    if (i < 0 || i >= FLAW_COUNT - 1) return NULL;
    if (words) *words = kinds[i + 1].words;
    return kinds[i + 1].name;
}

// --- Where ------------------------------------------------------------------------------------------

static bool is_number(const GraphNode *n) {
    return n->op == BOUND_LITERAL && !n->sized && n->kind == VALUE_FLOAT;
}
static bool is_eps(const GraphNode *n) { return is_number(n) && n->scalar > 0 && n->scalar < 0.005; }
static bool is_root(BoundOp op) { return op == BOUND_SQRT || op == BOUND_RSQRT; }

static bool guarded(const Graph *g, int node) { // root(a + eps)
    const GraphNode *n = &g->node[node];
    if (!is_root(n->op)) return false;
    const GraphNode *sum = &g->node[n->in[0]];
    return sum->op == BOUND_ADD && is_eps(&g->node[sum->in[1]]);
}

static bool under_root(const Graph *g, int node) {
    for (int i = 0; i < g->nodes; i++)
        if (guarded(g, i) && g->node[i].in[0] == node) return true;
    return false;
}

static bool like(const GraphNode *a, const GraphNode *b) {
    return a->kind == b->kind && a->rows == b->rows && size_equal(a->cols, b->cols);
}

// The operand that can stand for the whole; -1: neither.
static int left_over(const Graph *g, const GraphNode *n) {
    for (int k = 0; k < 2; k++)
        if (like(n, &g->node[n->in[k]]) && g->node[n->in[k]].op != BOUND_LITERAL) return k;
    return -1;
}

// Another input of the same shape; x + residual is the same the other way round.
static int twin_of(const Graph *g, int node) {
    const GraphNode *n = &g->node[node];
    if (n->op != BOUND_INPUT || n->kind != VALUE_FLOAT) return -1;
    for (int i = 0; i < g->nodes; i++) {
        const GraphNode *o = &g->node[i];
        if (i == node || o->op != BOUND_INPUT || !like(n, o) || !g->op->input[o->input].any_float ||
            !g->op->input[n->input].any_float)
            continue;
        bool even = false;
        for (int k = 0; k < g->nodes; k++) {
            const GraphNode *u = &g->node[k];
            bool both = u->inputs == 2 &&
                        ((u->in[0] == node && u->in[1] == i) || (u->in[0] == i && u->in[1] == node));
            even =
                even || (both && (u->op == BOUND_ADD || u->op == BOUND_MUL) && n->uses == 1 && o->uses == 1);
        }
        if (!even) return i;
    }
    return -1;
}

static bool can(const Graph *g, Flaw f, int node) {
    const GraphNode *n = &g->node[node];
    switch (f) {
    case FLAW_eps_dropped:
    case FLAW_eps_scaled: return under_root(g, node);
    case FLAW_eps_outside: return guarded(g, node);
    case FLAW_no_max:
        return n->op == BOUND_SUB && g->node[n->in[1]].op == BOUND_AMAX &&
               g->node[n->in[1]].in[0] == n->in[0];
    case FLAW_sign:
        return n->op == BOUND_NEG || n->op == BOUND_SUB || (n->op == BOUND_ADD && !under_root(g, node));
    case FLAW_swapped_operands:
        return (n->op == BOUND_SUB || n->op == BOUND_DIV || n->op == BOUND_LT || n->op == BOUND_GT) &&
               n->in[0] != n->in[1];
    case FLAW_swapped_inputs: return twin_of(g, node) >= 0;
    case FLAW_wrong_constant:
        if (is_number(n)) return n->scalar != 0 && !is_eps(n);
        return n->op == BOUND_GELU_TANH || n->op == BOUND_GELU_ERF || n->op == BOUND_RELU;
    case FLAW_dropped_term:
        return (n->op == BOUND_ADD || n->op == BOUND_MUL) && n->in[0] != n->in[1] && left_over(g, n) >= 0;
    default: return false;
    }
}

// --- What -------------------------------------------------------------------------------------------

static int number(Build *b, double x) { return build_literal(b, x, VALUE_FLOAT); }

static int wrong_constant(Build *b, const GraphNode *n, const int *in) {
    switch (n->op) {
    case BOUND_LITERAL: return number(b, n->scalar * 1.02);
    case BOUND_RELU:
        return build_binary(b, BOUND_MAXIMUM, in[0], build_binary(b, BOUND_MUL, in[0], number(b, 0.01)));
    default: { // the quick form
        int inner = build_binary(b, BOUND_MUL, in[0], number(b, 1.702));
        return build_binary(b, BOUND_MUL, in[0], build_unary(b, BOUND_SIGMOID, inner));
    }
    }
}

static int replaced(Build *b, const Graph *g, Flaw f, int node, const int *map) {
    const GraphNode *n = &g->node[node];
    int in[4];
    for (int k = 0; k < n->inputs; k++) in[k] = map[n->in[k]];
    GraphNode copy = *n;
    memcpy(copy.in, in, sizeof(int) * (size_t)n->inputs);
    switch (f) {
    case FLAW_eps_dropped:
    case FLAW_no_max: return in[0];
    case FLAW_eps_scaled: return build_binary(b, BOUND_ADD, in[0], number(b, g->node[n->in[1]].scalar * 100));
    case FLAW_eps_outside: {
        const GraphNode *sum = &g->node[n->in[0]];
        int root = build_unary(b, BOUND_SQRT, map[sum->in[0]]), eps = map[sum->in[1]];
        int moved = build_binary(b, BOUND_ADD, root, eps);
        return n->op == BOUND_SQRT ? moved : build_unary(b, BOUND_RECIPROCAL, moved);
    }
    case FLAW_sign:
        if (n->op == BOUND_NEG) return in[0];
        copy.op = n->op == BOUND_ADD ? BOUND_SUB : BOUND_ADD;
        return build_node(b, copy);
    case FLAW_swapped_operands:
        copy.in[0] = in[1];
        copy.in[1] = in[0];
        return build_node(b, copy);
    case FLAW_wrong_constant: return wrong_constant(b, n, in);
    case FLAW_dropped_term: return in[left_over(g, n)];
    default: return build_node(b, copy);
    }
}

bool flaw_graph(Arena *a, const Graph *g, Flaw f, Rng *r, Graph *out) {
    int place[GRAPH_NODES_MAX], map[GRAPH_NODES_MAX], places = 0;
    for (int i = 0; i < g->nodes; i++)
        if (can(g, f, i)) place[places++] = i;
    if (places == 0) return false;
    int at = place[rng_below(r, (uint64_t)places)], twin = f == FLAW_swapped_inputs ? twin_of(g, at) : -1;
    *out = *g;
    out->node = NEWN(a, GraphNode, GRAPH_NODES_MAX);
    out->nodes = 0;
    Build b = {.g = out};
    for (int i = 0; i < g->nodes; i++) {
        GraphNode n = g->node[i];
        n.uses = n.level = 0;
        for (int k = 0; k < n.inputs; k++) n.in[k] = map[n.in[k]];
        if (twin >= 0 && (i == at || i == twin)) n.input = g->node[i == at ? twin : at].input;
        map[i] = i == at && twin < 0 ? replaced(&b, g, f, i, map) : build_node(&b, n);
    }
    if (b.full) return false;
    build_finish(&b, map[g->result]);
    out->online = NULL;
    out->online = online_rewrite(a, out);
    return true;
}
