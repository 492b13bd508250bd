// branches.h - sizes with which a candidate takes branches that no case has taken, found by a search in a
// child of its own (sandbox/child/explore.h).
#pragma once
#include "cases/domain/plan.h"
#include "judge/shapes/asked_ahead.h"
#include "sandbox/child/explore.h"

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
// The number of the search among what is asked ahead; false only where the world fails.
MUST_CHECK bool branches_ahead(const BranchSearch *s, Ahead *w, int *number, Err *e);
// `came`: of the search, if it has been made. A child that ends otherwise than it should has found nothing.
// False only where the world fails.
MUST_CHECK bool branches_find(const BranchSearch *s, const ChildResult *came, BranchPoints *out, Err *e);
// Shapes that meet under one key of what the candidate keeps between calls, so many pairs at most: two points
// for each, behind each other. A child that ends otherwise than it should has found nothing. False only where
// the world fails.
MUST_CHECK bool branches_pairs(const BranchSearch *s, int pairs, ExplorePoints *out, Err *e);
