// cell_shared.h - what the cells of several programs share: the inputs of an op at a shape, with what is
// right for them, and the time of plain streaming.
//
// A draw serves only programs that were fixed before it was made, and at most DRAW_SHARE_MAX of them. Draws
// are taken and given back by any thread; times of streaming are one thread's.
#pragma once
#include "cases/repeated.h"
#include "measure/cell.h"

// One draw; what `r` points to lives until the last one of its users has given it back.
typedef struct SharedDraw SharedDraw;
struct SharedDraw {
    Repeated r;
    RepeatedMade made;
    double from; // when it was begun
    // ---- cell_shared.c
    Arena arena;
    Sha256 op;
    CellPlace place;
    int users, served;
    bool kept; // for programs to come
};

CellShared *cell_shared_open(void);
void cell_shared_close(CellShared *s); // once every draw was given back; NULL is allowed
// When the op's draws that are kept were begun; 0: none are.
double cell_shared_drawn(CellShared *s, const Op *op);
// `fixed`: when the program was. NULL with *e: REPEATED_FAILED.
const SharedDraw *cell_shared_draw(CellShared *s, const Op *op, CellPlace place, double fixed, Err *e);
void cell_shared_give_back(CellShared *s, const SharedDraw *d);

// Plain streaming of a job's bytes, as the same measuring process timed it less than a minute ago, on inputs
// of the same op: with other values the same bytes take up to 4 % more.
bool cell_shared_yardstick(CellShared *s, const CellRequest *q, const TimingJob *job, Figure *out,
                           Figure *copy);
void cell_shared_yardstick_put(CellShared *s, const CellRequest *q, const TimingJob *job, const Figure *f,
                               const Figure *copy);
// Inputs of that op for one draw, drawn now.
RepeatedMade cell_draw(Arena *a, const Op *op, CellPlace place, Repeated *out, Err *e);
