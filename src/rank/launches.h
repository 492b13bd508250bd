// launches.h - what a program's host code launches at a shape, for the rank model: grids, warps and how large
// tiles are. The host code says so itself, recorded in a child as for a timing; no GPU is needed.
#pragma once
#include "gpu/recorded_run.h"
#include "op/op.h"
#include "rank/rank.h"
#include "sandbox/fork_servers.h"

// The launches of one call; false when there are none, or more than RANK_LAUNCHES_MAX. Of an autotuned launch
// the first choice.
bool launches_of_run(const RecordedRun *run, RankLaunches *out);

typedef struct {
    const Op *op;
    Str source; // of an accepted program
    Extras extras;
    DType dtype;
    int processors;
} LaunchesAsk;
// At so many rows of so many columns. False when the world fails; launches 0: the program cannot be recorded,
// or the op has sizes beside these.
MUST_CHECK bool launches_at(ForkServers *servers, const LaunchesAsk *ask, int64_t rows, int64_t row,
                            RankLaunches *out, Err *e);
