// passes.h - how often a kernel has to go over a row before it knows each value of a graph, and which values
// one pass can carry along: largest elements with the sums they rescale, moments, weighted sums.
#pragma once
#include "graph/graph.h"

enum { ONLINE_MAX = 16 }; // largest ones, sums they weigh, and means that are corrected in one pass
// For a node sum(exp(a - max(a))) the node max(a), by which the sum can be rescaled while it is being found;
// else -1.
int passes_partner(const Graph *g, int node);
// The node sum(exp(a - most)) of most = max(a), else -1.
int passes_total(const Graph *g, int most);
// For a node sum(exp(a - max(a)) * t) the node max(a), by which it can be rescaled, else -1. t is a sum of
// values and of distances from their own largest, by * (b - max(b)): these shift when it grows.
enum { SHIFTS_MAX = 4 };
typedef struct {
    double by;
    int most;
} Shift;
typedef struct {
    int factor; // t
    Shift at[SHIFTS_MAX];
    int n;
} Shifts;
int passes_weighed(const Graph *g, int node, Shifts *out);
// A node sum((a - sum(a) / n) * (b - sum(b) / n)), n columns; b may be a.
typedef struct {
    int sum[2], mean[2];
} Moment;
bool passes_moment(const Graph *g, int node, Moment *out);
// Whether values of the node stay so small that exp2 may be used on multiples by log2 e.
bool passes_folds(const Graph *g, int node);
// For each node the passes over the row that it needs before it is known; the most is returned. How online:
// merged[i] is the largest that sum i rescales by, weighed[i] that of its weights, spread[i] the
// sum whose mean moment i is taken from, or -1. How split: a prefix sum waits for the parts before it.
typedef struct {
    int level[GRAPH_NODES_MAX], merged[GRAPH_NODES_MAX], weighed[GRAPH_NODES_MAX], spread[GRAPH_NODES_MAX];
} Levels;
int passes_levels(const Graph *g, bool online, bool split, Levels *out);
