// kernel_writer.h - one kernel while it is being written: its names, its lines, and the values that have been
// computed so far. Values are texts of Python expressions. In a 2D schedule rows are [ROWS, 1], columns [1,
// BLOCK], both together [ROWS, BLOCK], so that every combination broadcasts by itself. A file has one kernel,
// or, where rows are split, one for each pass and a last one that writes the result.
#pragma once
#include "grammar/kernel_plan.h"
#include "grammar/python_text.h"

typedef struct {
    const char *row, *rows, *row_mask, *cols, *mask, *col_mask, *start, *acc, *most, *sum, *carry, *temp,
        *mean;
    const char *n, *m, *block, *rows_block, *out, *part, *parts, *slots;
    const char *pointer[2], *stride[2], *kernel[2]; // before and behind an input's or the op's name
    size_t width;                                   // of joined lines; 0: one statement a line
    bool comments, doc, typed, run_first;
    bool anonymous; // the op's name is not in the kernel's
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
    int tile;         // of the row that it is in
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

enum { TILES_MAX = 2 };      // that hold one row
enum { ARGUMENTS_MAX = 64 }; // two arguments are kept for the layout

// Names of the host function, shared by all kernels of a file.
typedef struct {
    NameSet names;
    const char *input[OP_INPUTS_MAX];
    const char *m, *n, *out;
    const char *parts; // of a row that is split
} Host;

// What the first kernels of a split row leave for the later ones: float32 [M, parts].
typedef struct {
    int node, level;
    const char *host, *param; // in the kernel being written
    bool used;
} Partial;

// What all kernels of a file are written from.
typedef struct {
    Arena *a;
    const Graph *g;
    const Plan *plan;
    Levels levels;
    int passes;                    // over the row, before the one that writes the result
    Host *host;                    // one for all variants of a file
    Partial partial[PARTIALS_MAX]; // of a row that is split
    int partials;
} KernelFile;

// Where lines go.
typedef struct {
    Lines fixed, top;  // before a loop over rows; of the program
    Lines body, after; // of the loop being written; behind it
} KernelLines;

// What the schedule says, and where in it the writer is.
typedef struct {
    bool two_d, looped, split, flat;
    bool gapless; // flat, and inputs have no gaps: element i of the result is made of elements i
    bool in_loop, last_pass;
    int tiles, tile; // that hold a row; the one that is being written for
    bool grid_rows;  // split: programs over rows only
    double padding;  // what masked-off lanes of float loads hold
} ScheduleState;

// What has been computed: values, columns, sizes, and what tiles run over.
typedef struct {
    Memo *memo, *outside; // all; those that stay when the loop is closed
    Place *places;
    struct SizeName {
        struct SizeName *next;
        Size size;
        const char *name;
    } * sizes;
    Size width[ARGUMENTS_MAX];
    int widths;
} Known;

// What things are called in the kernel.
typedef struct {
    NameSet all, inner; // of the whole kernel; of the loop being written
    struct {
        const char *param, *stride, *base; // NULL: not used
    } input[OP_INPUTS_MAX];
    const char *kernel, *out, *out_stride, *row, *row_mask, *cols, *n, *m, *block, *rows_block, *part, *parts,
        *parts_block, *slots, *index;                         // index: of an element among all
    const char *tile_cols[TILES_MAX], *tile_block[TILES_MAX]; // cols and block are those of the tile
} Names;

// Which parameters the kernel takes, beside pointers of inputs.
typedef struct {
    bool n, m, row, out, out_stride, slots, parts, block;
    Argument extra[ARGUMENTS_MAX]; // float arguments
    int extras;
} Parameters;

typedef struct {
    struct {
        BoundOp op;
        const char *name, *text;
    } at[BOUND_COUNT];
    int n;
} Helpers;

// Of a row that is split: its workspaces, and by node what the parts have left in them.
typedef struct {
    Partial *partial;
    int partials;
    const char *before[GRAPH_NODES_MAX]; // what stands before the tile in a prefix sum
    // For a largest: that of the part, or those of all parts; exponentials below it, or their sums.
    const char *tops[GRAPH_NODES_MAX], *power[GRAPH_NODES_MAX];
} Workspace;

typedef struct {
    Arena *a;
    const Graph *g;
    const Plan *plan;
    const Levels *levels;
    const Style *style;
    Host *host;
    KernelLines lines;
    ScheduleState state;
    Known known;
    Names name;
    Parameters takes;
    Helpers helpers;
    Workspace work;
    int flawed; // sites where the plan's flaw has been put
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
// What two reductions of parts say of the whole.
const char *emit_combined(Emit *e, BoundOp op, const char *a, const char *b);
void emit_tile(Emit *e, int tile);     // of a row in several: what follows is written for that one
const char *emit_exp(Emit *e, Expr x); // in the plan's form
const char *emit_exp_less(Emit *e, const char *a, const char *b, bool fold); // exp(a - b)
Str emit_reduction_name(const Emit *e, int node);
const char *emit_number(Emit *e, double x); // as people write zeros and infinities
bool emit_flaw(Emit *e, Flaw f);            // whether to do it wrong here; counts the site
const char *host_size(Emit *e, Size s);
const char *host_input(Emit *e, int i);
const char *emit_fresh(Emit *e, const char *wish, bool inner);
const char *emit_affixed(Emit *e, const char *const affix[2], Str name);

// online.c: a pass over the row that finds several things at once.
void online_pairs(Emit *e, const int *most, int count, Place *p);  // with their sums, and what those weigh
bool online_is_mean(const Emit *e, int sum);                       // whether a moment is taken from its mean
void online_moments(Emit *e, const int *sum, int count, Place *p); // means, and moments around them
double reduction_neutral(BoundOp op);
const char *reduction_start(BoundOp op);
void open_scalar(Emit *e, const char *name, const char *value); // an accumulator a row

// Stands for -inf where exp(x - max) must not become NaN before the first finite x: no float32 is smaller.
#define LOWEST "-3.4028234663852886e+38"

// kernel.c
Emit *kernel_open(KernelFile *f, const char *suffix);
void kernel_store(Emit *e, Lines *to, Place *p);
void kernel_comment(Emit *e, Lines *to, const char *text);

// split_rows.c: the kernels of a row that is split, in the order of their launches. Returns how many.
enum { KERNELS_MAX = SPLIT_LEVELS + 1 };
int split_kernels(KernelFile *f, Emit *kernel[KERNELS_MAX], Lines body[KERNELS_MAX]);

// What one call launches: all kernels, in their order. Of several variants a call takes the first whose
// condition holds.
typedef struct {
    const char *when; // on the host; NULL: always
    Emit *kernel[KERNELS_MAX];
    Lines body[KERNELS_MAX];
    int kernels;
} Variant;
enum { PLAN_VARIANTS_MAX = 2, VARIANTS_MAX = PLAN_VARIANTS_MAX * TABLE_ROWS_MAX };

// kernel_file.c: the host function, and everything put together.
const char *file_elements(Emit *e); // how many the result has, on the host
const char *
file_rest_is_smaller(Emit *e); // whether a row in two tiles has fewer lanes than in one, on the host
Host *file_host(Arena *a, const Graph *g, const Plan *p);
void file_open(Arena *a, const Graph *g, const Plan *p, Host *host, KernelFile *out);
Str file_print(Arena *a, const Variant *v, int variants, int *flawed);
