// explain.h - a verdict taken apart for a person: which case and class failed, which region of the output,
// which line moves how many bytes, and the smallest input that still fails.
//
// Unlike feedback (feedback.c), which goes to whoever wrote the kernel and tells no seed, no value and no
// bound, an explanation may show all of them. It is a local tool for a person who holds the replay's seed;
// nothing of it is journaled, and nothing that it judged counts.
#pragma once
#include "cases/domain/plan.h"
#include "explain/region_map.h"
#include "judge/referee.h"
#include "mutate/mutant.h"

typedef struct {
    ClassId cls;
    int64_t rows, bad; // of the failing case; with a wrong element
} ClassTally;

// A load or a store, by line of the source.
typedef struct {
    int line;
    Str text; // without indentation
    int64_t loaded, stored;
} LineTraffic;

// The smallest failure that was found.
typedef struct {
    bool found, same; // same: nothing smaller than the case itself fails
    int runs;         // children that were asked
    Verdict v;        // of it
    int64_t dim[OP_DIMS_MAX];
    int64_t rows, row; // of the op; rows 1 for an op without
    DType dtype;
    bool strided;
    bool line; // the op has no rows, and this output one dimension
    ClassId cls;
    int64_t out_row, out_column; // of the element; -1: the failure has none
    bool has_values;             // an element with a right and a wrong value
    double expected, got, bound; // bound: absolute, beyond half an ulp
    const char *input;           // the inputs' rows behind the element where they are short, or NULL
} Minimal;
enum { SHRINK_RUNS_MAX = 128 };

// How strong the test of an accepted kernel was: its own mutants on the very same draw.
typedef struct {
    bool asked;
    int mutants, killed, survived, refused, undecided;
    double margin; // the least use of the bound among killed ones that computed a wrong value; 0: none did
    const Mutant *nearest;
    const Mutant *left[8]; // the first survivors
} Strength;

typedef struct {
    const Op *op;
    Level level;
    DrawFilter filter;
    uint64_t seed;
    Str source;
    bool minimize, prove;
    void (*progress)(void *arg, const char *stage, int done, int total); // of these two; may be NULL
    void *progress_arg;
} ExplainRequest;

typedef struct {
    Verdict v;
    Diag finding;  // of a finding with a place; msg NULL: none
    bool of_sizes; // a case that was added for sizes that the source compares with
    int case_index;
    const char *case_words; // "float16 7x1000 strided"; NULL: no case decided
    bool any_class;         // values do not matter: the program fails on any
    ClassId cls;
    ClassTally tally[CLASS_COUNT];
    int tallies;
    RegionMap picture; // pixel NULL: no output to look at
    Region region;
    LineTraffic *line;
    int lines;
    const char *traffic_words; // the case that the traffic is of; NULL: none ran
    Counters count;
    int64_t input_bytes, output_bytes; // of that case, once
    bool traffic_cut;                  // the case did not run to its end
    Minimal minimal;
    Strength strength;
} Explanation;

// False when the world fails. Everything lives in `a`; the op's and source's texts are borrowed.
MUST_CHECK bool explain(Referee *r, Arena *a, const ExplainRequest *q, Explanation *out, Err *e);

// Parts (explain_shrink.c, explain_prove.c).
// plan: of d.
typedef struct {
    Referee *r;
    Arena *a; // of what is said
    const ExplainRequest *q;
} Explainer;
MUST_CHECK bool explain_shrink(const Explainer *by, const Draw *d, const PlannedCase *plan,
                               const Explanation *x, Minimal *out, Err *e);
MUST_CHECK bool explain_prove(Referee *r, Arena *a, const ExplainRequest *q, Strength *out, Err *e);
// The Pixel of each element of a case's output.
uint8_t *explain_pixels(Arena *a, const Bound *b, const uint8_t *output, const uint8_t *flags);
bool explain_values_matter(Status s); // the verdict is about values, not about addresses or types

// explain_text.c. Each line of the text starts with `prefix`.
void strength_text(Buf *out, const Strength *s, const char *prefix);
json_t *strength_json(const Strength *s);
void explain_text(Buf *out, Arena *a, const ExplainRequest *q, const Explanation *x, const char *file);
void explain_json(Buf *out, Arena *a, const ExplainRequest *q, const Explanation *x);
