// evaluation.h - how many of a smith's drafts are accepted: so many drafts of each op, judged and kept in a
// ledger, counted as pass@k. What the ledger holds already is counted, not drafted again.
#pragma once
#include "mint/ledger.h"
#include "mint/pass_at_k.h"

enum { EVALUATION_KS = 8 };

typedef struct {
    Op op;
    Str group;            // for results of its own, such as a level of a benchmark; empty: none
    const char *unjudged; // why nothing can be judged by it, which says nothing of the smith; NULL: it can
    const char *refused;  // why the smith cannot be asked about it; NULL: it can
    int n, accepted, undecided;
    long tokens;
    int status[STATUS_COUNT];
    bool counts;                // a draft of it is decided, or the smith refused it: nothing passes there
    double pass[EVALUATION_KS]; // where it counts
} EvaluationOp;

typedef struct {
    Service *service;
    Ledger *ledger;
    Smith *smith;
    const Profile *profile; // for a smith that takes_prompt
    ReplySettings settings;
    int64_t m, n; // the shape to optimise for; 0: each op's usual one
    DrawFilter filter;
    Level level;
    uint64_t seed;
    int drafts; // of each op
    int k[EVALUATION_KS], ks;
    // As in attempt.h. `done`: drafts of all ops that have a verdict.
    bool (*interrupted)(void *arg);
    void (*told)(void *arg, int done, const AttemptTally *tally);
    void (*resumed)(void *arg, int drafts); // so many of `done` an earlier run did
    void (*waits)(void *arg, const char *sentence);
    void *arg;
} EvaluationRequest;

// The ops of one group.
typedef struct {
    Str name;
    PassInterval at[EVALUATION_KS];
    int ops; // that count
} EvaluationGroup;
enum { EVALUATION_GROUPS = 16 };

typedef struct {
    EvaluationGroup group[EVALUATION_GROUPS]; // in order of their first op; further ones are left out
    int groups;
    int unjudged;                   // ops that nothing can be judged by
    PassInterval at[EVALUATION_KS]; // over the ops that count
    int ops;                        // so many
    int drafts, accepted, undecided, status[STATUS_COUNT];
    long tokens;
    int world;   // of this run's: undecided because the world failed
    int not_run; // ops without a draft that the smith did not refuse
    bool interrupted, complete;
    Err smith_error; // which ended it; code ERR_NONE: none. What came before it is counted
} Evaluation;
// Fills in `op`'s counts. False when the service or the ledger fails, or the ledger is of other definitions
// or prompts.
MUST_CHECK bool evaluation_run(Arena *a, const EvaluationRequest *q, EvaluationOp *op, int ops,
                               Evaluation *out, Err *e);
