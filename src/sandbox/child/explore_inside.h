// explore_inside.h - the search of explore.h from within: what its stages share. For explore_search.c and
// explore_sweep.c alone.
#pragma once
#include "host/candidate/written_gpu.h"
#include "sandbox/child/explore.h"

enum {
    REFUSED_MAX = 64,
    NUMBERS_MAX = 128,
    CORPUS_MAX = 96,
    CORPUS_CASES = 48, // at most so many are cases' own
    PLACES_MAX = 512,  // points that outcomes were first seen at
    // What a point can be moved along: its sizes, and behind them the gap between rows and the number of the
    // GPU's processors.
    AXIS_GAP = OP_DIMS_MAX,
    AXIS_GPU = OP_DIMS_MAX + 1,
    AXES = OP_DIMS_MAX + 2,
};

typedef struct {
    const Explorer *x;
    const ExploreDomain *d;
    Outcomes *o;
    ExplorePoints *out;
    int others; // of the points told, those that are no entries
    int calls, most;
    int64_t number[NUMBERS_MAX];
    int numbers;
    ExplorePoint corpus[CORPUS_MAX]; // points that were news, the cases' own too
    uint32_t swept[CORPUS_MAX];      // of each, along which axes all has been tried
    int corpora;
    ExplorePoint place[PLACES_MAX];
    int places;
    ExplorePoint table[MET_TABLES_MAX]; // where a look-up in this table was made first, and in which way
    int table_way[MET_TABLES_MAX];
    bool sought[MET_TABLES_MAX]; // its entries have been looked for
    int tables, entries;         // entries: of all of them that have been looked for
    unsigned ways;               // a bit for each one that makes a difference
    unsigned mask;               // of these, those that are tried
    uint32_t free;               // the axes that can be moved along, a bit for each
    unsigned asked;              // what the file asks of the GPU (gpu_asked())
} Search;

// Its size along one axis.
static inline int64_t *along(ExplorePoint *p, int axis) {
    return axis == AXIS_GAP ? &p->gap : axis == AXIS_GPU ? &p->processors : &p->size[axis];
}
// The least and the greatest of them that are tried.
static inline int64_t axis_least(int axis) { return axis == AXIS_GPU ? GPU_PROCESSORS_LEAST : 1; }
static inline int64_t axis_most(int axis) {
    return axis == AXIS_GAP ? EXPLORE_GAP_MOST : axis == AXIS_GPU ? GPU_PROCESSORS_MOST : OP_SIZE_MAX;
}
bool explore_free(const Search *s, int axis);
ExplorePoint explore_at(const Search *s, int64_t slices, int64_t length); // all else 5
bool explore_call(Search *s, const ExplorePoint *p, int way);             // true: something was news
void explore_try(Search *s, const ExplorePoint *p);                       // in all ways; what is news is kept
void explore_try_with(Search *s, const ExplorePoint *base, int axis, int64_t value);
// With each value along one axis up to `most`, as long as some condition is open. Values that the domain
// takes for the one before, such as all beyond its largest, are one call.
void explore_each(Search *s, const ExplorePoint *base, int axis, int64_t most,
                  bool (*ended)(const Search *s));
void explore_keep(Search *s, const ExplorePoint *p);
bool explore_open(const Search *s, const Compared *c);
bool explore_any_open(const Search *s);
void explore_operands(Search *s); // every comparison that is open, from each point of the corpus
int64_t explore_gap(const Compared *c);

// A call that looks for something else than news, which it tells all the same. False where it has raised
// something.
bool explore_look(Search *s, const ExplorePoint *p, int way);
// Sizes with which keys meet the entries of each table, one by one.
void explore_tables(Search *s);

// What is still open, at every size of each symbol.
void explore_sweep(Search *s);
