// build.h - fills the store from a smith: drafts of many ops, each judged at level ladder on all cores. A run
// is known by its settings, so that the same call goes on where an interruption or a crash has ended it. The
// same settings and seed give the same drafts.
#pragma once
#include "corpus/ladder.h"
#include "propose/prompt.h"
#include "store/store.h"

typedef struct {
    int64_t drafts;   // that have an answer, of earlier parts of the run, too
    int64_t before;   // of these, of earlier parts
    int64_t fresh;    // programs that the store did not have
    int64_t accepted; // at full, of those answered now
    int64_t lost;     // the world failed: asked again by the next part
    int64_t empty;    // replies without a kernel
    int refused;      // ops that the smith cannot be asked about
} BuildTally;

typedef struct {
    Store *store;
    Service *service; // answers what is known
    Smith *smith;
    const Profile *profile; // for a smith that takes_prompt
    ReplySettings settings;
    int64_t m, n; // the shape to write for; 0: each op's usual one
    DrawFilter filter;
    const Op *op;    // [ops]
    int ops, drafts; // of each op
    uint64_t seed;
    Str run;            // the settings, as JSON
    Str model, licence; // of what the smith writes; empty: not known
    Str build;          // of the referee: referee_build()
    // May be NULL. After each group of answers.
    void (*told)(void *arg, const BuildTally *t);
    void (*waits)(void *arg, const char *sentence);
    bool (*interrupted)(void *arg);
    void *arg;
} BuildRequest;

typedef struct {
    BuildTally tally;
    bool resumed, interrupted;
    Err smith_error; // which ended it; code ERR_NONE: none. What came before it is in the store
} BuildResult;
// False when the service or the store fails.
MUST_CHECK bool corpus_build(const BuildRequest *q, BuildResult *out, Err *e);
