// search.h - kernels of the grammar by the clock: plans are judged at full and timed at all shapes while the
// next ones are judged, and what was fastest somewhere is varied, until the time is over. What it ends with
// is one file, whose host code picks a plan by the shape (kernel_table_emit). That file is judged as one
// program, and timed again by a fresh process: the best of many draws was also the luckiest.
#pragma once
#include "grammar/plan_space.h"
#include "service/stream_times.h"

typedef struct {
    const Op *op;
    Service *service;
    StreamTimes *times;     // without PyTorch; nobody else asks it meanwhile
    Measurer *measurer;     // its own
    const CellPlace *place; // to be fast at, of one dtype: TIMED_CELLS_MAX at most
    int places;
    double seconds; // of judging and timing, before the final file
    double start;   // before these, until the GPU's first answer: so long at most
    Plans
        *known; // tried first: what was fastest for other ops; what is found here is added. NULL: nothing is
    DrawFilter filter;
    bool (*interrupted)(void *arg);                  // may be NULL
    void (*told)(void *arg, int timed, double left); // after each batch; may be NULL
    void *arg;
} SearchRequest;

// A row of the final file, for people: "M < 2048: whole row, 16 a thread".
typedef struct {
    Str source;
    Verdict verdict; // at full, of the whole file
    const char *row[TABLE_ROWS_MAX];
    int rows;
    double us[TIMED_CELLS_MAX], first_us[TIMED_CELLS_MAX]; // again, apart; while it was searched for
    json_t *times; // of the last measurement (doc/schema/times.json); the caller's
} SearchWinner;

typedef struct {
    bool found;
    SearchWinner best;
    int proposed, accepted, timed, taken_back;
    double seconds;
    json_t *tried;   // each plan that has a time at every shape: {"plan", "us": [...]}; the caller's
    const char *why; // nothing was found
} SearchResult;
MUST_CHECK bool search_run(Arena *a, const SearchRequest *q, SearchResult *out, Err *e);
// Times of what was found at other places. NULL: the GPU took its verdict back.
json_t *search_times(Arena *a, const SearchRequest *q, const SearchWinner *w, const CellPlace *place,
                     int places);
