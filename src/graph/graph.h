// graph.h - what a reference computes, as a dataflow graph over (row, column): found by evaluating it on tiny
// tensors of a few shapes and float types, and reading the trace that every result of the oracle carries.
//
// A node is a function of a row and, where `cols` is not 1, of a column. Shapes, views and broadcasts
// disappear in this; composites (means, variances, the family of exponentials over their sum) are spelled
// out, so that what is left is: loads, elementwise operations, reductions and prefix sums along a row, and
// moves of columns.
#pragma once
#include "graph/size_formula.h"
#include "op/op.h"
#include "tensor/bound.h"

enum { GRAPH_NODES_MAX = 512 };

typedef enum { VALUE_FLOAT, VALUE_INT, VALUE_BOOL } ValueKind;

// Operations are the oracle's. EXPAND stands for every view: the operand, repeated to `cols` columns if it
// has one.
typedef struct {
    BoundOp op;
    int in[4], inputs;
    ValueKind kind;
    bool rows;     // differs from row to row
    Size cols;     // CONST 1: no column; a reduction's operand tells how far it runs
    double scalar; // LITERAL, CLAMP_*
    bool sized;    // LITERAL that is `size`, or with `power` a power of it
    double power;  // 1, -1, 0.5, -0.5
    Size size;     // LITERAL; SLICE, SELECT, ARANGE: the first column
    int64_t step;  // SLICE; CAT: 0 one behind the other, k: k operands take turns
    int input;     // INPUT: which argument
    int uses;      // by other nodes, and by the result
    int level;     // reductions on the longest way down to the inputs, its own included
} GraphNode;

typedef struct Graph Graph;
struct Graph {
    const Op *op;
    GraphNode *node; // operands stand before their users
    int nodes, result;
    bool has_rows;
    int out_rank;
    Size out_shape[TENSOR_RANK_MAX]; // ROWS stands for M
    Size out_cols;                   // CONST 1: one number a row
    int out_like;                    // input whose dtype the result has; -1: out_dtype
    DType out_dtype;
    const Graph
        *online; // the same, spelled for fewer passes (online_algebra.c); NULL: there is nothing to gain
};

// ERR_INPUT when the op is beyond rows and columns, naming the operation and its line.
MUST_CHECK bool graph_trace(Arena *a, const Op *op, Graph *out, Err *e);
// The same from results that the caller evaluated on the shapes and types of `p`.
MUST_CHECK bool graph_read(Arena *a, const Op *op, const Probes *p, const Bound *const result[PROBES],
                           Graph *out, Err *e);
bool graph_is_reduction(BoundOp op);
void graph_print(Buf *out, const Graph *g); // one line a node, for tests and bugs
