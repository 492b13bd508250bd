// kernel_plan.h - the choices that turn a graph into one kernel file: schedule, sizes, writing style, forms.
#pragma once
#include "base/numeric/rng.h"
#include "graph/form.h"
#include "graph/passes.h"

typedef enum {
#define SCHEDULE(id, words) SCHEDULE_##id,
#include "grammar/schedule.def"
#undef SCHEDULE
    SCHEDULE_COUNT
} Schedule;

// Mistakes to be made on purpose; NONE is the rule.
typedef enum {
    FLAW_NONE,
#define FLAW(id, where, words) FLAW_##id,
#include "grammar/flaw.def"
#undef FLAW
    FLAW_COUNT
} Flaw;

enum { SPLIT_LEVELS = 4, PARTIALS_MAX = 32 };
// One program a row leaves most of a GPU idle where rows are few; long ones are worth a second launch then.
// Below so many rows of more than so many elements a FILLED program splits them.
enum { PLAN_FEW_ROWS = 128, PLAN_LONG_ROW = 16384 };

// Those before STYLE_DRAWN are drawn; the narrow one is asked for (narrow_style.h).
typedef enum {
    STYLE_COMPACT,
    STYLE_PLAIN,
    STYLE_SPELLED,
    STYLE_CAPITAL,
    STYLE_TYPED,
    STYLE_DRAWN,
    STYLE_NARROW = STYLE_DRAWN,
    STYLE_COUNT
} StyleId;

typedef struct {
    Schedule schedule;
    int block;  // columns of a tile where rows are looped over or cut
    int rows;   // rows of a tile, at most
    int tile;   // several whole rows: elements of a tile that rows are put together to; 0: rows alone says it
    int warps;  // 0: derived from the tile on the host, where whole rows are in it
    int thread; // elements of a thread then: 8, 16 or 32
    int stages; // 0: not said
    StyleId style;
    bool fit;         // the host makes the block smaller for rows that are shorter than it
    bool online;      // largest and sum of exponentials, mean and spread in one pass
    bool scalars;     // one accumulator a row instead of one a lane
    bool fold;        // exp(a - b) as exp2(a * log2 e - b * log2 e)
    bool reciprocal;  // multiply by 1 / N and by the inverse of a sum of exponentials
    bool one_load;    // swapped halves: one load at a chosen column
    bool trust_pad;   // no `where` before a reduction where the padding is neutral already
    bool bases;       // row pointers as variables
    bool helper;      // activations as helper functions
    bool eps_arg;     // small constants as arguments
    bool inline_mask; // `cols < N` where it is needed, no variable
    bool lambda_grid;
    bool view;      // inputs through view(-1, N)
    bool autotune;  // a list of configurations, keyed by the row length
    bool aligned;   // says that columns are contiguous from a multiple of the tile
    bool early;     // whole rows: everything is loaded before the first reduction, and no load waits for one
    bool pid;       // the program's number has a name of its own
    int hints;      // eviction policies (1, 2), cache modifiers (3), evicted first and streaming (4); 0: none
    bool gapless;   // flat: for inputs without gaps a kernel beside the general one, that divides nothing
    int zero;       // how masked lanes are filled: 0.0, 0, 0.
    int axis;       // axis=0, 0, or nothing, where a tile has one dimension
    int sizes;      // M, N = x.shape; x.size(0); x.shape[-1]; x.numel() // N
    int processors; // persistent: programs as a number, or from the device
    bool store_cast; // convert to the output's type before the store
    bool squeeze;    // 2D: axis dropped and put back, instead of keep_dims
    uint8_t form[BOUND_COUNT];
    Flaw flaw;
} Plan;

bool plan_possible(const Graph *g, Schedule s);
// A random plan of that schedule for rows of n columns; `first`: the choices that are fast most often.
Plan plan_draw(const Graph *g, Schedule s, int64_t n, bool first, Rng *r);
const char *plan_words(Arena *a, const Graph *g,
                       const Plan *p); // "looped, 2 passes, block up to 1024, 8 warps"
// Order in which schedules should be tried for that shape; returns how many.
int plan_schedules(const Graph *g, int64_t m, int64_t n, Schedule out[SCHEDULE_COUNT]);

// Whether the plan's schedule finds what can be corrected as it grows in one pass, and the graph to do it by.
bool plan_online(const Plan *p);
const Graph *plan_graph(const Graph *g, const Plan *p);

// The kernel file. `flawed`, if not NULL, is told at how many places the plan's flaw went in.
Str kernel_emit(Arena *a, const Graph *g, const Plan *p, int *flawed);

// A file whose host code picks a plan by the shape: the first row whose class has it; the last has all.
// Limits lie between the shapes that were measured, and small tensors lie on both sides of each: what no case
// of a referee can reach would be judged by nobody.
typedef enum { SHAPES_FEW_LONG, SHAPES_FEW, SHAPES_SHORT, SHAPES_ANY, SHAPES_COUNT } ShapeClass;
enum {
    TABLE_FEW_ROWS = 512, // of more than TABLE_LONG_ROW elements: a program a row does not fill a GPU
    TABLE_LONG_ROW = 6144,
    TABLE_SOME_ROWS = 2048,
    TABLE_SHORT_ROW = 3072,
    TABLE_ROWS_MAX = SHAPES_COUNT
};
typedef struct {
    ShapeClass shapes;
    Plan plan;
} TableRow;
// Whether a class has a shape.
bool shape_class_has(ShapeClass c, int64_t rows, int64_t row);
// All plans have one style and no helpers, and none is FILLED; the graph has rows unless there is one
// plan only. Few and short rows in one table would leave large tensors only for its last row.
Str kernel_table_emit(Arena *a, const Graph *g, const TableRow *row, int n);

// By name; FLAW_NONE when there is none.
Flaw flaw_by_name(const char *name);
const char *flaw_name(Flaw f);
bool flaw_in_graph(Flaw f);
// The graph with the flaw in it, somewhere; false when it has no place for it.
bool flaw_graph(Arena *a, const Graph *g, Flaw f, Rng *r, Graph *out);
// The kinds of flaws, for messages and tests: name and what is wrong, NULL behind the last.
const char *smith_flaw(int i, const char **words);
