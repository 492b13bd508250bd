// branches.h - sizes with which a candidate takes branches that no case has taken, found by a search in a
// child of its own (sandbox/child/explore.h).
#pragma once
#include "cases/domain/plan.h"
#include "sandbox/child/explore.h"
#include "sandbox/fork_servers.h"

typedef struct {
    ForkServers *fork_servers;
    const Draw *draw;
    Str source;
    Extras extras;
} BranchSearch;
// ordinary: sizes that every kernel has to be right for. beyond: rows or tensors so large that it may say
// that it will not have them. many: so many rows that they are copies of a few (large_points.h). What
// is larger still is left out: no case of it could be computed.
// entries: of tables, one point each, ordinary sizes.
typedef struct {
    ExplorePoints ordinary, beyond, many, entries;
} BranchPoints;
// A child that ends otherwise than it should has found nothing. False only where the world fails.
MUST_CHECK bool branches_find(const BranchSearch *s, BranchPoints *out, Err *e);
