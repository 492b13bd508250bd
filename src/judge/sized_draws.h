// sized_draws.h - draws of a module at other sizes than its small ones (Domain.stretched, ModulesDomain.
// aligned, ragged). What is drawn there follows from the round's seed alone, so all candidates of a round
// that get that far share it: at such sizes the reference takes longer than a candidate.
#pragma once
#include "cases/domain/domain.h"

typedef struct SizedDraws SizedDraws; // of one round; thread-safe
SizedDraws *sized_draws_open(void);
void sized_draws_close(SizedDraws *s); // after every draw was left; NULL is allowed

typedef struct {
    const Domain *domain; // outlives the round
    Level level;
    uint64_t seed;
    int most; // cases, the first ones of the domain's own plan; 0: all of them, and calls of one object later
    // Not NULL: this draw of the domain, level and seed, with what its Draw.left has. Draws of one domain,
    // level and seed by different plans must not meet in one SizedDraws.
    const Draw *calls_of;
} SizedAsk;

typedef struct {
    Draw draw;
    const PlannedCase *plan;
    int cases;
} SizedDraw;

// Made now, or by another candidate before. NULL where the world failed. `s` NULL: for the caller alone.
const SizedDraw *sized_draw_take(SizedDraws *s, const SizedAsk *ask, Err *e);
void sized_draw_leave(SizedDraws *s, const SizedDraw *d);
