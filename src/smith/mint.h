// mint.h - the loop: propose, drop duplicates, referee at quick, rank what was accepted by the traffic model,
// and let the best prove itself at full. The winner is always judged at full.
#pragma once
#include "referee/referee.h"
#include "smith/smith.h"

typedef struct {
    const Op *op;
    Smith *smith;
    SmithRequest ask;
    DrawFilter filter;
    void (*progress)(void *arg, const char *stage, int done, int total); // may be NULL
    void *progress_arg;
} MintRequest;

typedef struct {
    int proposed, distinct, judged, accepted; // accepted: at quick
    bool found;
    Proposal best;
    Verdict verdict;    // of the best at full
    Proposal *proposal; // the distinct ones, in order of proposal
    Verdict *quick;     // one for each of them
} MintResult;
MUST_CHECK bool mint_run(Referee *r, Arena *a, const MintRequest *q, MintResult *out, Err *e);
