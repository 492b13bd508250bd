// mint.h - the loop: propose, drop duplicates, referee at quick, rank what was accepted by the rank model,
// and let the best prove itself at full. The winner is always judged at full.
#pragma once
#include "referee/referee.h"
#include "smith/smith.h"

typedef struct {
    const Op *op;
    Smith *smith;
    SmithRequest ask;
    DrawFilter filter;
    const Target *target;                                                // to rank for; NULL: RANK_TARGET
    void (*progress)(void *arg, const char *stage, int done, int total); // may be NULL
    void *progress_arg;
} MintRequest;

typedef struct {
    int proposed, distinct, judged, accepted; // accepted: at quick
    bool found;
    Proposal best;
    Verdict verdict; // of the best at full
    const Target *target;
    RankShape ranked_at; // the shape that the rank model was asked about
    double estimate_us;  // of the best: a model, not a timing
    Proposal *proposal;  // the distinct ones, in order of proposal
    Verdict *quick;      // one for each of them
} MintResult;
MUST_CHECK bool mint_run(Referee *r, Arena *a, const MintRequest *q, MintResult *out, Err *e);
