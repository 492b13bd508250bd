// draw.h - one draw of an op at a level: the plan (which cases), the inputs, and the oracle's values and
// bounds. Made by the parent from one seed, after the sources it will judge have been journaled; shared by at
// most DRAW_SHARE_MAX candidates.
#pragma once
#include "base/pool.h"
#include "cases/domain/domain.h"

enum { DRAW_SHARE_MAX = 64, DRAW_ATTEMPTS = 5 };
// Without a plan of the caller's, a draw in which some column of the output could not be judged gives way to
// one of a seed that follows from the first, up to DRAW_ATTEMPTS in all.
struct DrawRequest {
    const Op *op;
    // Of that op. NULL: domain_make(), and without a plan of the caller's what the level draws
    // (op_at_level()).
    const Domain *domain;
    Level level;
    uint64_t seed;
    const DrawFilter *filter; // of the level's own plan
    const PlannedCase *plan;  // another plan, of `cases` cases; NULL: the level's own
    int cases;
    bool more;                   // beyond the level's own cases, for a candidate that those have accepted
    bool called_once;            // nobody calls one object several times: without what such calls need
    bool calls_later;            // the same, but Draw.left tells how to have them
    const struct CallPair *pair; // calls of one object with two of the cases each (call_pairs.h), no others
    int pairs, before;           // so many calls with the first of a pair, if not one, then the second
    const PlannedCase **planned; // where not NULL: the plan that the draw was made of
    struct CaseMemory *memory;   // case_memory.h; NULL: none. Outlives the draw
};
// False with ERR_INPUT when the reference itself fails on its own domain (a user's definition): the message
// says where.
MUST_CHECK bool draw_make(Arena *a, Pool *pool, const DrawRequest *q, Draw *out, Err *e);
// A copy of an answer alone, of all its outputs, without what it was computed from.
const Bound *draw_keep(Arena *a, const Bound *b);
// The outputs of a case, and the room that they take.
void draw_outputs(const Op *op, const Bound *answer, CaseSpec *s);
// What makes comparing several outputs with a draw cheaper: `round` (compare.h has it) of each case's answer.
// The pool is the one that made it, or as large.
typedef const struct Rounded *RoundAnswer(Arena *a, const Bound *expected);
void draw_share(Draw *d, Pool *pool, RoundAnswer *round);
// Tries elements of tiny cases and marks those that are needed in `map`, the inputs' mapping before it is
// sealed (dependence.c). What a Dependence points to lives in `a`.
void draw_dependences(Arena *a, Draw *d, uint8_t *map);

void draw_free(Draw *d); // unmaps, closes and frees the expected values; the rest goes with the arena
