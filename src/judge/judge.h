// judge.h - inside of the referee: what the candidates of one round share, and how one of them gets its
// verdict.
#pragma once
#include <pthread.h>
#include <stdatomic.h>

#include "judge/referee.h"
#include "judge/shapes/production.h"
#include "judge/sized_draws.h"
#include "sandbox/fork_servers.h"

struct Referee {
    ForkServers *fork_servers;
    Journal *journal; // NULL: not kept
    Pool *pool;
    char *state; // directory; NULL: not known
    pthread_mutex_t progress;
    Extras extras;
    char include_sha256[65];    // empty: none
    atomic_uint_fast64_t draws; // that many candidates share
};

typedef struct RoundedDraws RoundedDraws; // roundings.h
typedef struct {
    Referee *r;
    const JudgeRequest *q;
    const Draw *draw;
    RoundedDraws *rounded;        // of an op with roundings; else NULL
    ProductionShapes *production; // NULL: no candidate gets that far
    struct CaseMemory *memory;    // of the draw; NULL: there is nobody to share with
    SizedDraws *sized;            // of a module; NULL: each candidate makes its own
    const Str *source;
    Verdict *out;
    Arena *arena; // one for each candidate: verdict texts
    Err *err;     // one for each candidate
    int done;
    // Over a draw that has left calls out: all passes, and those whose program keeps something.
    atomic_int passes, keepers;
    Watched *watched; // NULL: nobody watches; else there is one candidate
    Arena *watched_arena;
    AddedCases *added; // NULL: nobody asks; else there is one candidate
} Candidates;

// The same candidates on another draw, to be judged by judge_once() or a pass of it: all but `done`, which
// other threads count up, and what belongs to the first draw alone.
Candidates candidates_on(const Candidates *b, const Draw *d);
// Everything that judging candidate i on one draw takes, once. False where the world failed.
MUST_CHECK bool judge_once(Candidates *b, size_t i, Verdict *v, Err *e);
// The same, and by the roundings of the definition where its reference refuses the values.
MUST_CHECK bool judge_whole(Candidates *b, size_t i, Verdict *v, Err *e);
// The verdict of candidate i: a job for the pool.
void judge_candidate(void *candidates, size_t i, int worker);
