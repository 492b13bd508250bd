// emit.h - one kernel while it is being written: its names, its lines, and the values that have been computed
// so far. Values are texts of Python expressions. In a 2D schedule rows are [ROWS, 1], columns [1, BLOCK],
// both together [ROWS, BLOCK], so that every combination broadcasts by itself.
#pragma once
#include "smith/plan.h"
#include "smith/text.h"

typedef struct {
    const char *row, *rows, *row_mask, *cols, *mask, *col_mask, *start, *acc, *most, *sum, *carry, *temp,
        *mean;
    const char *n, *m, *block, *rows_block, *out;
    const char *pointer[2], *stride[2], *kernel[2]; // before and behind an input's or the op's name
    size_t width;                                   // of joined lines; 0: one statement a line
    bool comments;
} Style;
extern const Style styles[STYLE_COUNT];

typedef struct {
    const char *s;
    Bind bind;
    bool tile; // has columns
    bool rows; // differs between rows
} Expr;

// Which columns a value is wanted at.
typedef struct Place Place;
struct Place {
    Place *next;
    const char *key; // the index as it was asked for
    Expr index;
    const char *mask; // over columns, or NULL: all are there
    const char *both; // with the rows' mask, in a 2D schedule; made when first asked for
    bool plain;       // column i of the tile is column i (of the pass)
    Size width;
};

typedef struct Memo Memo;
struct Memo {
    Memo *next;
    int node;
    const Place *place;
    Expr x;
};

typedef struct {
    const char *param, *host; // a kernel argument and what the host passes for it
} Argument;

enum { ARGUMENTS_MAX = 64 };
typedef struct {
    Arena *a;
    const Graph *g;
    const Plan *plan;
    const Style *style;
    bool two_d, looped;
    NameSet names, inner; // of the whole kernel; of the loop being written
    Lines fixed, top;     // before a loop over rows; of the program
    Lines body;           // of the loop being written
    bool in_loop, last_pass;
    double padding; // what masked-off lanes of float loads hold
    Memo *memo;
    Place *places;
    Memo *kept_memo; // what was there before the loop
    struct SizeName {
        struct SizeName *next;
        Size size;
        const char *name;
    } * sizes;
    const char *in_param[OP_INPUTS_MAX], *in_stride[OP_INPUTS_MAX], *in_base[OP_INPUTS_MAX]; // NULL: not used
    const char *in_host[OP_INPUTS_MAX];
    const char *out_param, *out_stride, *kernel;
    const char *row, *row_mask, *cols, *n, *m, *block, *rows_block;
    const char *n_host, *m_host;
    bool n_used, m_used, row_used, out_stride_used, device_used;
    Argument extra[ARGUMENTS_MAX]; // float arguments
    double extra_value[ARGUMENTS_MAX];
    int extras;
    struct {
        BoundOp op;
        const char *name, *text;
    } helper[BOUND_COUNT];
    int helpers;
    Size widths[ARGUMENTS_MAX]; // of what tiles run over
    int width_count;
    NameSet host; // names of the host function
    const int *level, *merged;
} Emit;

Expr emit_value(Emit *e, int node, Place *p);
Expr emit_bind(Emit *e, Expr x, Str name);       // makes it a variable unless it is one
Expr emit_size(Emit *e, Size s);                 // in the kernel
const char *emit_wrap(Emit *e, Expr x, Bind at); // in parentheses where the place needs them
Place *emit_place(Emit *e, Size width);          // the tile's own columns
Place *emit_place_at(Emit *e, Expr index, const char *mask, bool plain, Size width);
Expr emit_shifted(Emit *e, Expr index, Size s, int sign); // index + sign * s
Expr emit_load(Emit *e, const GraphNode *n, Place *p);
Expr emit_whole_reduction(Emit *e, int node);
Expr emit_scan(Emit *e, int node, Place *p);
bool emit_is_name(const char *s);
bool emit_recall(const Emit *e, int node, const Place *p, Expr *out);
void emit_remember(Emit *e, int node, const Place *p, Expr x);
const char *emit_both(Emit *e, Place *p);      // mask of a load or store at rows and columns; NULL: none
const char *emit_row_part(Emit *e, int input); // " + row * stride"
Expr emit_masked(Emit *e, int node, Place *p,
                 double neutral); // for a reduction: neutral where the mask is off
const char *emit_reduce(Emit *e, BoundOp op, const char *tile);
const char *emit_exp(Emit *e, Expr x); // in the plan's form
const char *host_size(Emit *e, Size s);
const char *emit_fresh(Emit *e, const char *wish, bool inner);
const char *emit_affixed(Emit *e, const char *const affix[2], Str name);
