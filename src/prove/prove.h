// prove.h - how well the referee notices small mistakes: every mutant of a kernel that is right is judged,
// and each is killed, or survives with or without a reason why nobody can tell it from the original. A reason
// (mutate/equivalence.h) has to hold on ten million elements of fresh draws.
#pragma once
#include "mutate/equivalence.h"
#include "service/service.h"

typedef enum {
    FATE_KILLED,
    FATE_SURVIVED,
    FATE_EQUIVALENT, // survived, claimed with a reason, and agreed on ten million elements
    FATE_REFUSED,    // never ran: says nothing about the referee's judgement, and is in no score
    FATE_UNDECIDED,
    FATE_COUNT,
} Fate;
const char *fate_name(Fate f);

typedef struct {
    const Equivalence *equivalence;
    Fate fate;
    Status refuted; // of a claim: what a later draw said; ok: nothing
    int64_t elements;
} Proof;

typedef struct {
    Service *service;
    const Op *op;
    Str base; // the op's name without its variant's
    Str source;
    Level level;
    const uint64_t *seed; // of the first draw, the next has the next; NULL: the system's
    // May be NULL; one call at a time, from any thread.
    void (*progress)(void *arg, const char *stage, int64_t done, int64_t total);
    void *arg;
} ProveRequest;

typedef struct {
    Mutants mutants;
    Verdict *verdict; // of each mutant
    Proof *proof;
    Verdict original; // the worst seen: when it is not accepted, nothing else is said
} ProveResult;
MUST_CHECK bool prove_run(Arena *a, const ProveRequest *q, ProveResult *out, Err *e);

// What the fates add up to.
enum { PROVE_CHECKS_MAX = 64, PROVE_EQUIVALENT_PERCENT_MAX = 5 };
typedef struct {
    int of[MUTATOR_COUNT + 1][FATE_COUNT]; // the last row: all
    int status[STATUS_COUNT];
    int by[MUTATOR_COUNT][STATUS_COUNT]; // killed, by what the verdict was
    struct {
        const char *rule;
        int n;
    } check[PROVE_CHECKS_MAX]; // the rules that decided about killed ones
    int checks;
    int equivalent;
    int weakest; // the killed mutant that came nearest to the bound; -1
    double score, score_wanted, equivalent_percent;
    bool passed;
} ProveSummary;
ProveSummary prove_summary(const ProveResult *t, Level level);
