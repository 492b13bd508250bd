// sized_draws.h - draws of a module's other sizes (long, odd, without what stretches them), which follow from
// the round's seed alone: made when the first candidate needs them, for all candidates of the round.
#pragma once
#include "cases/domain.h"
#include "cases/draw.h"

typedef struct SizedDraws SizedDraws;
SizedDraws *sized_draws_open(void);
void sized_draws_close(SizedDraws *s); // NULL is allowed

// A draw on `of`, and the cases that it was made of.
typedef struct {
    const Draw *draw;
    const PlannedCase *plan;
    int cases;
    struct SizedDraw *own; // not kept
} SizedOn;
// Those of this domain and seed; where they take much memory, or `s` is NULL, made for this caller alone.
// What was taken is left before `s` is closed. False with the draw's error.
MUST_CHECK bool sized_draws_take(SizedDraws *s, const Domain *of, Level level, uint64_t seed, SizedOn *out,
                                 Err *e);
void sized_draws_leave(SizedOn *on);
