// explore.h - a search for sizes with which conditions of a candidate come out as in no other call. The
// child's host code runs for thousands of sizes on tensors that are not there, without a launch
// (outcomes.h). It starts from the sizes that cases have had (explore_search.c), and meets entries of tables
// one by one (explore_tables.c); what still comes out one way only is called at every size of one symbol
// after the other (explore_sweep.c). Deterministic; bounded by a number of calls, and of steps.
//
// What it finds is told in reports: one REPORT_RAN for each point, its sizes and ways as a text; then
// REPORT_DONE.
// Sizes found are a reason to draw more cases; a child that tells nothing gains nothing but what it had.
#pragma once
#include "op/op.h"
#include "sandbox/fork_server.h"

struct Tuned;

// Points: what was news, one for each GPU of gpu_model.def where host code asks for it, and entries of
// tables.
enum {
    EXPLORE_MAGIC = 0x4f555258,
    EXPLORE_NEWS_MAX = 160,
    EXPLORE_OTHERS_MAX = EXPLORE_NEWS_MAX + 32,
    EXPLORE_POINTS_MAX = EXPLORE_OTHERS_MAX + 512,
    EXPLORE_SEEDS_MAX = 256
};
// Of all inputs of one call: a search goes no further, and of more than the second no case could be computed.
enum { EXPLORE_ELEMENTS = INT32_MAX, EXPLORE_SHRINKS = 1 << 20 };

// A way to call with sizes: a dtype of the floating inputs (float16, bfloat16, float32), and from
// EXPLORE_GAPS on the same with gaps between rows.
enum { EXPLORE_WAYS = 6, EXPLORE_GAPS = 3, EXPLORE_GAP = 8, EXPLORE_GAP_MOST = 1 << 16 };
enum { EXPLORE_BEFORE_MAX = 6 };

// Where a call is made: sizes, how many elements lie between rows in the ways that have gaps, and on what
// GPU.
typedef struct {
    int64_t size[OP_DIMS_MAX], gap;
    int64_t processors; // of the GPU that host code asks
} ExplorePoint;

// Of an op, as a child may know it. Behind a DrawHeader (EXPLORE_MAGIC, cases 0) in the input mapping.
typedef struct {
    int32_t inputs, dims, slices, length;
    int32_t outputs, output[OP_OUTPUTS_MAX]; // OpOutput.init
    struct {
        int32_t rank, dtype; // DType; -1: of the case
        int32_t dim[OP_RANK_MAX];
        int64_t size[OP_RANK_MAX];
    } input[OP_INPUTS_MAX];
    struct {
        int64_t multiple_of, min, max;
        int32_t of, divisor;
    } dim[OP_DIMS_MAX];
    // Not 0: shapes that meet under one key of what the candidate keeps are looked for instead
    // (keys_search.h), this many pairs at most; and what chooses among such shapes.
    int32_t pairs;
    uint64_t turn;
    int32_t seeds; // sizes that cases have had
    int64_t seed[EXPLORE_SEEDS_MAX][OP_DIMS_MAX];
    uint8_t seed_way[EXPLORE_SEEDS_MAX];
    int32_t seed_processors[EXPLORE_SEEDS_MAX];
} ExploreDomain;

DType explore_dtype(int way);
int explore_way(DType dtype, bool gaps);

// The domain's sizes and inputs; without seeds. The symbols that count slices (-1: none) and say how long
// lines are (cases/domain/domain.h): these are tried the most.
void explore_domain(const Op *op, int slices, int length, ExploreDomain *out);
// Sizes of the domain next to those given.
void explore_fit(const ExploreDomain *d, int64_t size[OP_DIMS_MAX]);
// Elements of all inputs, at most INT64_MAX / 2.
int64_t explore_elements(const ExploreDomain *d, const int64_t size[OP_DIMS_MAX]);

// A point where a key meets one entry of a table, of which there may be many. Of a table that the source
// writes down it is known whether its entries matter (unreached.h); of one that was computed it is not.
typedef enum {
    EXPLORE_NO_ENTRY,
    EXPLORE_WRITTEN_ENTRY,
    EXPLORE_COMPUTED_ENTRY,
    EXPLORE_ENTRIES
} ExploreEntry;
typedef struct {
    int64_t size[EXPLORE_POINTS_MAX][OP_DIMS_MAX], gap[EXPLORE_POINTS_MAX];
    int32_t processors[EXPLORE_POINTS_MAX];
    uint8_t ways[EXPLORE_POINTS_MAX];  // bits: in which ways to call it was found
    uint8_t entry[EXPLORE_POINTS_MAX]; // ExploreEntry
    // Of pairs: how many calls with the first of them come before the second, if not one.
    uint8_t before[EXPLORE_POINTS_MAX];
    int n;
} ExplorePoints;
// Reads a child's reports. False, and no points, where any of it is not as it must be.
bool explore_read(const ExploreDomain *d, const CaseReport *report, int n, ExplorePoints *out);

// The child's side. try: calls the candidate at this point, in one of the ways; false where it has raised
// something. steps: of all calls until now.
typedef struct {
    const ExploreDomain *domain;
    Outcomes *outcomes;
    const Node *module;
    bool (*try)(void *arg, const ExplorePoint *p, int way);
    void *arg;
    const int64_t *steps;
} Explorer;
// The job of a child that explores: all of it, the reports too. Returns its exit code.
typedef struct {
    const ChildJob *job;
    Arena *code, *call;
    const Node *module;
    Cover *cover;
    struct Tuned *tuned;
    size_t sparse; // the last bytes of the job's memory
} ExploreChild;
int explore_child(const ExploreChild *c);
void explore_search(Arena *a, const Explorer *x, ExplorePoints *out);
// "sizes 5 61 ways 3 gap 8 processors 132", of point i, then " before 4", " entry" or " computed entry", for
// CaseReport.message.
void explore_say(const ExploreDomain *d, const ExplorePoints *p, int i, Buf *out);
// For each byte of the source: whether a condition there only leads to an exception.
uint8_t *explore_dull(Arena *a, const Node *module, size_t bytes);
