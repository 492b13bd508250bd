#include "graph/online_algebra.h"
#include <math.h>

int passes_partner(const Graph *g, int sum) {
    const GraphNode *s = &g->node[sum];
    if (s->op != BOUND_SUM) return -1;
    const GraphNode *power = &g->node[s->in[0]];
    if (power->op != BOUND_EXP) return -1;
    const GraphNode *less = &g->node[power->in[0]];
    if (less->op != BOUND_SUB) return -1;
    const GraphNode *most = &g->node[less->in[1]];
    return most->op == BOUND_AMAX && most->in[0] == less->in[0] ? less->in[1] : -1;
}

int passes_total(const Graph *g, int most) {
    for (int i = most + 1; i < g->nodes; i++)
        if (passes_partner(g, i) == most) return i;
    return -1;
}

// a - sum(a) / n, n columns.
static bool is_deviation(const Graph *g, int node, int *sum, int *mean) {
    const GraphNode *less = &g->node[node];
    if (less->op != BOUND_SUB) return false;
    const GraphNode *ratio = &g->node[less->in[1]];
    if (ratio->op != BOUND_DIV) return false;
    const GraphNode *total = &g->node[ratio->in[0]], *n = &g->node[ratio->in[1]];
    Size cols = g->node[less->in[0]].cols;
    bool length = n->op == BOUND_LITERAL && n->sized && n->power == 1 && size_equal(n->size, cols);
    *sum = ratio->in[0];
    *mean = less->in[1];
    return total->op == BOUND_SUM && total->in[0] == less->in[0] && length;
}

bool passes_moment(const Graph *g, int node, Moment *out) {
    const GraphNode *s = &g->node[node];
    if (s->op != BOUND_SUM) return false;
    const GraphNode *product = &g->node[s->in[0]];
    if (product->op != BOUND_SQUARE && product->op != BOUND_MUL) return false;
    for (int k = 0; k < 2; k++) {
        int factor = product->in[product->op == BOUND_MUL ? k : 0];
        if (!is_deviation(g, factor, &out->sum[k], &out->mean[k])) return false;
    }
    return size_equal(g->node[g->node[out->sum[0]].in[0]].cols, g->node[g->node[out->sum[1]].in[0]].cols);
}

// What a value may be in magnitude, by the domain that the op declares; infinite when nothing is known.
static double magnitude(const Graph *g, int node, int depth) {
    const GraphNode *n = &g->node[node];
    if (depth > 20) return HUGE_VAL;
    switch (n->op) {
    case BOUND_INPUT: {
        const OpInput *in = &g->op->input[n->input];
        if (in->ranged) return fmax(fabs(in->range_lo), fabs(in->range_hi));
        return in->large || in->range_dim >= 0 ? HUGE_VAL
                                               : 16 * fmax(in->scale_lo, in->scale_hi) + fabs(in->shift);
    }
    case BOUND_LITERAL: return n->sized ? HUGE_VAL : fabs(n->scalar);
    case BOUND_MUL: return magnitude(g, n->in[0], depth + 1) * magnitude(g, n->in[1], depth + 1);
    case BOUND_ADD:
    case BOUND_SUB: return magnitude(g, n->in[0], depth + 1) + magnitude(g, n->in[1], depth + 1);
    case BOUND_NEG:
    case BOUND_EXPAND: return magnitude(g, n->in[0], depth + 1);
    case BOUND_TANH: return 1;
    default: return HUGE_VAL;
    }
}

bool passes_folds(const Graph *g, int node) { return magnitude(g, node, 0) < 0x1p17; }

// Everything but the shifted distances in t is known when the pass begins, and they are of this very pass.
static bool weighs_now(const Graph *g, const Shifts *t, int most, const int *level) {
    Size width = g->node[g->node[most].in[0]].cols;
    for (int i = 0; i < t->n; i++) {
        int other = t->at[i].most;
        if (level[other] != level[most] || passes_total(g, other) < 0 ||
            !size_equal(g->node[g->node[other].in[0]].cols, width))
            return false;
    }
    return passes_total(g, most) >= 0 && online_known(g, t->factor, level, level[most]);
}

// Ops with more of them than a pass has room for do without.
static void count_online(const Graph *g, bool *pairs, bool *moments) {
    int total = 0, weighed = 0, around = 0;
    Shifts shifts;
    Moment moment;
    for (int i = 0; i < g->nodes; i++) {
        total += passes_partner(g, i) >= 0;
        weighed += passes_weighed(g, i, &shifts) >= 0;
        around += passes_moment(g, i, &moment);
    }
    *pairs = total <= ONLINE_MAX && weighed <= ONLINE_MAX;
    *moments = around <= ONLINE_MAX / 2; // each has up to two means
}

int passes_levels(const Graph *g, bool online, bool split, Levels *out) {
    int passes = 0;
    bool pairs = false, moments = false;
    if (online) count_online(g, &pairs, &moments);
    for (int i = 0; i < g->nodes; i++) {
        const GraphNode *n = &g->node[i];
        int *level = out->level;
        Shifts shifts;
        Moment moment;
        level[i] = 0;
        for (int k = 0; k < n->inputs; k++)
            if (level[n->in[k]] > level[i]) level[i] = level[n->in[k]];
        out->merged[i] = pairs ? passes_partner(g, i) : -1;
        out->weighed[i] = pairs ? passes_weighed(g, i, &shifts) : -1;
        if (out->weighed[i] >= 0 && !weighs_now(g, &shifts, out->weighed[i], level)) out->weighed[i] = -1;
        bool together =
            moments && passes_moment(g, i, &moment) && level[moment.sum[0]] == level[moment.sum[1]];
        out->spread[i] = together ? moment.sum[0] : -1;
        if (out->merged[i] >= 0)
            level[i] = level[out->merged[i]];
        else if (out->weighed[i] >= 0)
            level[i] = level[out->weighed[i]];
        else if (out->spread[i] >= 0)
            level[i] = level[out->spread[i]];
        else
            level[i] += graph_is_reduction(n->op) || (split && n->op == BOUND_CUMSUM);
        if (level[i] > passes) passes = level[i];
    }
    return passes;
}
