// judge_again.h - judges the store's programs again: after a change of the referee or of a definition, what
// was accepted may not pass any more. The new verdict stands; what was said before is kept.
#pragma once
#include "corpus/ladder.h"
#include "store/store.h"

typedef struct {
    int64_t programs, judged; // judged: of another build or definition, or without a verdict
    int64_t demoted, promoted, lost;
    int64_t without_op; // programs whose definition cannot be found or read any more
} VerifyTally;

typedef struct {
    Store *store;
    Service *service; // where all are judged again, it must not answer from the journal
    bool all;         // also what this very build has judged
    Str build;        // of the referee
    void (*told)(void *arg, const VerifyTally *t);                  // may be NULL
    void (*demoted)(void *arg, const StoredProgram *p, Str status); // may be NULL
    bool (*interrupted)(void *arg);                                 // may be NULL
    void *arg;
} VerifyRequest;
MUST_CHECK bool corpus_verify(const VerifyRequest *q, VerifyTally *out, Err *e);
