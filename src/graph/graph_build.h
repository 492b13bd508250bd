// graph_build.h - making the nodes of a graph: equal ones are made once, composites are spelled out.
#pragma once
#include "graph/graph.h"

typedef struct {
    Graph *g;
    bool full; // too many nodes: what comes back is meaningless, the caller stops
} Build;

int build_node(Build *b, GraphNode n); // fills kind, rows and uses of operands are the caller's
int build_literal(Build *b, double x, ValueKind kind);
int build_sized(Build *b, Size s, double power);
int build_unary(Build *b, BoundOp op, int a);
int build_binary(Build *b, BoundOp op, int x, int y);
int build_reduce(Build *b, BoundOp op, int a); // SUM AMAX AMIN PROD MEAN VAR LOGSUMEXP SOFTMAX LOG_SOFTMAX
int build_variance(Build *b, int a, int64_t correction);
bool build_power(Build *b, int a, double exponent, int *out); // false: no product of a few factors and roots
void build_finish(Build *b, int result); // drops unreached nodes, counts uses, finds levels

MUST_CHECK bool graph_dims_fit(const Op *op, Err *e); // rows and columns, no other dimension
