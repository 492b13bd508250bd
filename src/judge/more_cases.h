// more_cases.h - a candidate that all cases of its draw have accepted, on further ones.
#pragma once
#include "judge/judge_pass.h"

typedef enum { MORE_RIGHT, MORE_WRONG, MORE_UNKNOWN, MORE_REFUSED } More;

typedef struct {
    int64_t rows, length;
} SizesAllowed;

// The same candidate on further cases, which it cannot tell from others: an accepted verdict gains them, or
// turns. Only a rejection and an acceptance count: so few rows may leave a config or a column unjudged that
// the first draw has judged. may_refuse: neither does a candidate's word that it will not have such rows.
typedef struct {
    const Domain *domain; // at other sizes (sized_draws.h); NULL: that of the draw
    const PlannedCase *plan;
    int cases, tune;
    uint64_t seed;
    bool may_refuse;
    Ahead *ahead;      // as in Passes
    More said;         // what came of them
    SizesAllowed most; // with MORE_REFUSED: what cases may have that it will not refuse
    Coverage alone;    // of those that were right, whatever had been judged before
} MoreCases;

// On a draw of them. False where the world failed.
MUST_CHECK bool judge_more_on(Candidates *b, size_t i, const Draw *more, MoreCases *q, Verdict *v, Err *e);
// The same on a draw that is made of q->plan.
MUST_CHECK bool judge_more(Candidates *b, size_t i, MoreCases *q, Verdict *v, Err *e);
// Cases of `plan`, without those that the candidate will not have.
MUST_CHECK bool judge_allowed(Candidates *b, size_t i, MoreCases *q, PlannedCase *plan, Verdict *v, Err *e);
// What a judgment of the same source on another draw adds.
static inline void keep_evidence(Evidence *e, const Evidence *more) {
    coverage_meet(&e->coverage, &more->coverage);
}
