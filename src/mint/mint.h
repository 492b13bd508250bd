// mint.h - the loop: propose, drop duplicates, referee at quick, rank what was accepted by the rank model,
// and let the best prove itself at full. The winner is always judged at full.
#pragma once
#include "mint/attempt.h"

typedef struct {
    const Op *op;
    Smith *smith;
    const Profile *profile; // for a smith that takes_prompt
    SmithRequest ask;
    DrawFilter filter;
    const Target *target;           // to rank for; NULL: RANK_TARGET
    int feedback;                   // how often a rejected draft is tried again
    bool first;                     // ask no further once one has proved itself
    int64_t every_size;             // of the proof (referee.h)
    int proofs;                     // how many are to prove themselves, the best first; 0: one
    bool (*interrupted)(void *arg); // as in attempt.h; may be NULL
    void (*told)(void *arg, const AttemptTally *tally, const Attempt *t); // may be NULL
    void (*waits)(void *arg, const char *sentence);                       // as in attempt.h
    void (*progress)(void *arg, const char *stage, int done, int total);  // of the proof; may be NULL
    void *arg;                                                            // of all four
} MintRequest;

// One that passed at full.
typedef struct {
    Attempt attempt;
    Verdict verdict;
    double estimate_us; // a model, not a timing
} MintProof;
enum { MINT_PROOFS_MAX = 8 };

typedef struct {
    int proposed, distinct, judged, accepted; // accepted: at quick
    bool found;
    Attempt best;
    Verdict verdict; // of the best at full
    const Target *target;
    RankShape ranked_at;              // the shape that the rank model was asked about
    double estimate_us;               // of the best: a model, not a timing
    MintProof proof[MINT_PROOFS_MAX]; // by the model's order; the first is the best
    int proofs;
    Attempt *attempt; // all, in order of (index, retry)
    int attempts;
    AttemptTally tally;
    bool stopped;    // interrupted
    Err smith_error; // code ERR_NONE: none
} MintResult;
void mint_keep(MintResult *m, int i); // proof i is the best
MUST_CHECK bool mint_run(Service *s, Arena *a, const MintRequest *q, MintResult *out, Err *e);
