// searching.h - what mint --gpu --search and champions have in common: a clock without PyTorch that lives for
// many ops, the shapes that are searched, what is said of a winner.
#pragma once
#include "cmd/line/cmd.h"
#include "mint/search.h"
#include "service/timed_places.h"

typedef struct {
    Service *service;
    Measurer *measurer;
    StreamTimes *times;
    Plans *known; // what was fastest for ops before; NULL: nothing is kept of it
} Searching;
void searching_open(Service *s, Measurer *m, const char *python, Searching *out);
// False: a verdict that the GPU took back could not be recorded.
MUST_CHECK bool searching_close(Searching *s, Err *e);

typedef struct {
    double seconds, start; // search.h
    const CellPlace *place;
    int places;
    DrawFilter filter;
    void (*told)(void *arg, int timed, double left);
    void *arg;
} SearchingAsk;
MUST_CHECK bool searching_run(Arena *a, const Searching *s, const Op *op, const SearchingAsk *ask,
                              SearchResult *out, Err *e);
// Times of the winner at the same shapes, in another dtype, by the process that timed it last. NULL: the GPU
// took its verdict back.
json_t *searching_more(Arena *a, const Searching *s, const Op *op, const SearchWinner *w, DType dtype,
                       const SearchingAsk *ask);
// The rows of its table and its times, a line each, behind `prefix`.
void searching_text(Buf *out, const SearchResult *r, const SearchingAsk *ask, const char *prefix);
json_t *searching_json(const SearchResult *r);
