// The algebra, for l = sum(exp(a - max(a))), rows r and q, and columns t:
//
//     sum(exp(a - max(a) - r) * (t - q)) = exp(-r) * (sum(exp(a - max(a)) * t) - q * l)
//
// where exp(-log(z)) is 1 / z, and q * l / l is q. What is left waits for max(a) only. A largest in t stays
// there with the values that it is the largest of: b - max(b) keeps its precision however far b is from zero,
// and while the sum grows it shifts all its terms alike.
#include "graph/online_algebra.h"
#include "graph/graph_build.h"
#include <string.h>

enum { TERMS_MAX = 12, DEPTH_MAX = 32 };

typedef struct {
    double by;
    int node;
} Term;
typedef struct {
    Term at[TERMS_MAX];
    int n;
} Terms;

typedef struct {
    int at[TERMS_MAX];
    int n;
} Factors;

static bool add_term(Terms *t, double by, int node) {
    if (t->n == TERMS_MAX) return false;
    t->at[t->n++] = (Term){by, node};
    return true;
}

static bool add_node(Factors *t, int node) {
    if (t->n == TERMS_MAX) return false;
    t->at[t->n++] = node;
    return true;
}

static bool is_row(const Graph *g, int node) { return size_is(g->node[node].cols, 1); }
static bool is_number(const GraphNode *n) { return n->op == BOUND_LITERAL && !n->sized; }

static bool has_largest(const Graph *g, int node) {
    for (int i = node + 1; i < g->nodes; i++)
        if (g->node[i].op == BOUND_AMAX && g->node[i].in[0] == node) return true;
    return false;
}

// A node as a sum of multiples of columns and rows. What has a largest of its own stays whole.
static bool expand_sum(const Graph *g, int node, double by, int depth, Terms *cols, Terms *rows) {
    const GraphNode *n = &g->node[node];
    if (is_row(g, node)) return add_term(rows, by, node);
    if (depth == DEPTH_MAX || has_largest(g, node)) return add_term(cols, by, node);
    depth++;
    switch (n->op) {
    case BOUND_EXPAND: return expand_sum(g, n->in[0], by, depth, cols, rows);
    case BOUND_NEG: return expand_sum(g, n->in[0], -by, depth, cols, rows);
    case BOUND_ADD:
    case BOUND_SUB:
        return expand_sum(g, n->in[0], by, depth, cols, rows) &&
               expand_sum(g, n->in[1], n->op == BOUND_ADD ? by : -by, depth, cols, rows);
    case BOUND_MUL:
        for (int k = 0; k < 2; k++)
            if (is_number(&g->node[n->in[k]]))
                return expand_sum(g, n->in[1 - k], by * g->node[n->in[k]].scalar, depth, cols, rows);
        break;
    case BOUND_DIV:
        if (!is_number(&g->node[n->in[1]])) break;
        return expand_sum(g, n->in[0], by / g->node[n->in[1]].scalar, depth, cols, rows);
    default: break;
    }
    return add_term(cols, by, node);
}

typedef struct {
    double by;
    Factors cols, over, under; // factors with columns; of the row; divisors, of the row
} Product;

static bool expand_product(const Graph *g, int node, int depth, Product *p) {
    const GraphNode *n = &g->node[node];
    if (is_number(n)) {
        p->by *= n->scalar;
        return true;
    }
    if (is_row(g, node)) return add_node(&p->over, node);
    if (depth == DEPTH_MAX) return add_node(&p->cols, node);
    depth++;
    switch (n->op) {
    case BOUND_EXPAND: return expand_product(g, n->in[0], depth, p);
    case BOUND_NEG: p->by = -p->by; return expand_product(g, n->in[0], depth, p);
    case BOUND_MUL: return expand_product(g, n->in[0], depth, p) && expand_product(g, n->in[1], depth, p);
    case BOUND_DIV:
        if (!is_row(g, n->in[1])) break;
        return expand_product(g, n->in[0], depth, p) && add_node(&p->under, n->in[1]);
    default: break;
    }
    return add_node(&p->cols, node);
}

// --- Recognising -------------------------------------------------------------------------------------

// by * max(of) among the rows, taken out; -1: it is not there.
static int take_largest(const Graph *g, Terms *rows, int of, double by) {
    for (int i = 0; i < rows->n; i++) {
        int node = rows->at[i].node;
        if (g->node[node].op != BOUND_AMAX || g->node[node].in[0] != of || rows->at[i].by != by) continue;
        rows->n--;
        memmove(&rows->at[i], &rows->at[i + 1], sizeof rows->at[0] * (size_t)(rows->n - i));
        return node;
    }
    return -1;
}

// For exp(a - max(a) + rows) the largest; -1: it is something else.
static int weight_of(const Graph *g, int node, Terms *rows) {
    Terms cols = {0};
    *rows = (Terms){0};
    if (g->node[node].op != BOUND_EXP || !expand_sum(g, g->node[node].in[0], 1, 0, &cols, rows) ||
        cols.n != 1 || cols.at[0].by != 1)
        return -1;
    return take_largest(g, rows, cols.at[0].node, -1);
}

// A sum to be carried: of exp(a - most) * (cols + rows), times and over what the product says.
typedef struct {
    int most, a;
    Product outside;
    Terms less;             // in the exponent, beside a - most
    Terms cols, rows;       // the other factor; none: 1
    int largest[TERMS_MAX]; // that cols[i] is taken from; -1: none
} Weighed;

static bool read_weighed(const Graph *g, int sum, Weighed *out) {
    Factors *f = &out->outside.cols;
    *out = (Weighed){.most = -1, .outside.by = 1};
    if (g->node[sum].op != BOUND_SUM || !expand_product(g, g->node[sum].in[0], 0, &out->outside))
        return false;
    for (int i = 0; i < f->n && out->most < 0; i++) {
        out->most = weight_of(g, f->at[i], &out->less);
        if (out->most >= 0) f->at[i] = f->at[--f->n];
    }
    if (out->most < 0 || f->n > 1) return false;
    out->a = g->node[out->most].in[0];
    if (f->n == 1 && !expand_sum(g, f->at[0], 1, 0, &out->cols, &out->rows)) return false;
    for (int i = 0; i < out->cols.n; i++) {
        const Term *t = &out->cols.at[i];
        if (g->node[t->node].level > g->node[out->a].level || g->node[t->node].kind != VALUE_FLOAT)
            return false;
        out->largest[i] = take_largest(g, &out->rows, t->node, -t->by);
    }
    return out->cols.n > 0;
}

// --- Rewriting ---------------------------------------------------------------------------------------

static int scaled(Build *b, double by, int x) {
    if (by == 1) return x;
    return by == -1 ? build_unary(b, BOUND_NEG, x)
                    : build_binary(b, BOUND_MUL, x, build_literal(b, by, VALUE_FLOAT));
}

static int plus(Build *b, int sum, double by, int x) { // sum: -1 for nothing yet
    if (sum < 0) return scaled(b, by, x);
    if (by == -1) return build_binary(b, BOUND_SUB, sum, x);
    x = scaled(b, by, x);
    return build_binary(b, BOUND_ADD, sum, x);
}

// exp(-log(z)) divides by z.
static bool take_outside(Build *b, const Graph *g, const Terms *less, const int *map, Product *p) {
    for (int i = 0; i < less->n; i++) {
        const Term *t = &less->at[i];
        const GraphNode *n = &g->node[t->node];
        bool fits;
        if (n->op == BOUND_LOG && (t->by == 1 || t->by == -1))
            fits = add_node(t->by < 0 ? &p->under : &p->over, map[n->in[0]]);
        else
            fits = add_node(&p->over, build_unary(b, BOUND_EXP, scaled(b, t->by, map[t->node])));
        if (!fits) return false;
    }
    return true;
}

static bool take_node(Factors *n, int node) {
    for (int i = 0; i < n->n; i++)
        if (n->at[i] == node) {
            n->at[i] = n->at[--n->n];
            return true;
        }
    return false;
}

static int factor_of(Build *b, const Weighed *w, const int *map) {
    int t = -1;
    for (int i = 0; i < w->cols.n; i++) {
        int x = map[w->cols.at[i].node];
        if (w->largest[i] >= 0) x = build_binary(b, BOUND_SUB, x, map[w->largest[i]]);
        t = plus(b, t, w->cols.at[i].by, x);
    }
    return t;
}

static bool rewrite(Build *b, const Graph *g, const Weighed *w, const int *map, int *out) {
    Product p = w->outside; // of nodes of the new graph from here on
    for (int i = 0; i < p.over.n; i++) p.over.at[i] = map[p.over.at[i]];
    for (int i = 0; i < p.under.n; i++) p.under.at[i] = map[p.under.at[i]];
    if (!take_outside(b, g, &w->less, map, &p)) return false;
    int power = build_unary(b, BOUND_EXP, build_binary(b, BOUND_SUB, map[w->a], map[w->most]));
    int total = build_reduce(b, BOUND_SUM, power), t = factor_of(b, w, map);
    int x = build_reduce(b, BOUND_SUM, build_binary(b, BOUND_MUL, power, t)), rows = -1;
    if (w->rows.n && take_node(&p.under, total)) {
        x = build_binary(b, BOUND_DIV, x, total);
        for (int i = 0; i < w->rows.n; i++) x = plus(b, x, w->rows.at[i].by, map[w->rows.at[i].node]);
    } else if (w->rows.n) {
        for (int i = 0; i < w->rows.n; i++) rows = plus(b, rows, w->rows.at[i].by, map[w->rows.at[i].node]);
        x = build_binary(b, BOUND_ADD, x, build_binary(b, BOUND_MUL, total, rows));
    }
    for (int i = 0; i < p.over.n; i++) x = build_binary(b, BOUND_MUL, x, p.over.at[i]);
    for (int i = 0; i < p.under.n; i++) x = build_binary(b, BOUND_DIV, x, p.under.at[i]);
    *out = scaled(b, p.by, x);
    return true;
}

const Graph *online_rewrite(Arena *a, const Graph *g) {
    Graph *out = NEW(a, Graph);
    int map[GRAPH_NODES_MAX], changed = 0;
    *out = *g;
    out->node = NEWN(a, GraphNode, GRAPH_NODES_MAX);
    out->nodes = 0;
    out->online = NULL;
    Build b = {.g = out};
    for (int i = 0; i < g->nodes && !b.full; i++) {
        Weighed w;
        GraphNode n = g->node[i];
        n.uses = n.level = 0;
        for (int k = 0; k < n.inputs; k++) n.in[k] = map[n.in[k]];
        if (read_weighed(g, i, &w) && rewrite(&b, g, &w, map, &map[i]))
            changed++;
        else
            map[i] = build_node(&b, n);
    }
    if (!changed || b.full) return NULL;
    build_finish(&b, map[g->result]);
    Levels levels;
    int before = passes_levels(g, true, false, &levels);
    return passes_levels(out, true, false, &levels) < before ? out : NULL;
}

// --- The form that is carried ------------------------------------------------------------------------

static bool is_distance(const Graph *g, const GraphNode *n) { // b - max(b)
    return n->op == BOUND_SUB && g->node[n->in[1]].op == BOUND_AMAX && g->node[n->in[1]].in[0] == n->in[0];
}

// For n that is by * x.
static bool is_multiple(const Graph *g, const GraphNode *n, double *by) {
    *by = n->op == BOUND_NEG ? -1 : 1;
    if (n->op == BOUND_NEG) return true;
    if (n->op != BOUND_MUL || !is_number(&g->node[n->in[1]])) return false;
    *by = g->node[n->in[1]].scalar;
    return true;
}

static bool find_shifts(const Graph *g, int node, double by, int depth, Shifts *out) {
    const GraphNode *n = &g->node[node];
    double more;
    if (depth == DEPTH_MAX) return true;
    if (is_distance(g, n)) {
        if (out->n == SHIFTS_MAX) return false;
        out->at[out->n++] = (Shift){by, n->in[1]};
        return true;
    }
    if (is_multiple(g, n, &more)) return find_shifts(g, n->in[0], by * more, depth + 1, out);
    if (n->op != BOUND_ADD && n->op != BOUND_SUB) return true;
    return find_shifts(g, n->in[0], by, depth + 1, out) &&
           find_shifts(g, n->in[1], n->op == BOUND_ADD ? by : -by, depth + 1, out);
}

int passes_weighed(const Graph *g, int node, Shifts *out) {
    const GraphNode *s = &g->node[node];
    *out = (Shifts){0};
    if (s->op != BOUND_SUM || g->node[s->in[0]].op != BOUND_MUL) return -1;
    const GraphNode *product = &g->node[s->in[0]], *power = &g->node[product->in[0]];
    if (power->op != BOUND_EXP || !is_distance(g, &g->node[power->in[0]])) return -1;
    out->factor = product->in[1];
    return find_shifts(g, out->factor, 1, 0, out) ? g->node[power->in[0]].in[1] : -1;
}

static bool known(const Graph *g, int node, const int *level, int now, int depth) {
    const GraphNode *n = &g->node[node];
    double by;
    if (level[node] < now) return true;
    if (depth == DEPTH_MAX) return false;
    if (is_distance(g, n)) return level[n->in[0]] < now;
    if (is_multiple(g, n, &by)) return known(g, n->in[0], level, now, depth + 1);
    if (n->op != BOUND_ADD && n->op != BOUND_SUB) return false;
    return known(g, n->in[0], level, now, depth + 1) && known(g, n->in[1], level, now, depth + 1);
}

bool online_known(const Graph *g, int t, const int *level, int now) { return known(g, t, level, now, 0); }
