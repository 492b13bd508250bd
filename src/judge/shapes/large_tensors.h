// large_tensors.h - whether a kernel's addresses are right in tensors of more than 2^31 elements. The tensors
// are not filled: their memory is zero pages, which exist only where they are touched. Of each launch only a
// few programs run: the first, the last, those near element 2^31, and a few others. So this checks addresses,
// not values, and only those of the programs that run.
//
// The result is evidence, unless the definition declares such shapes (`giant = True`, op.h). Then a candidate
// is rejected if an address overflows or leaves its tensor, or if Triton refuses the grid or the types. It is
// undecided if nothing can be found out.
#pragma once
#include "judge/shapes/asked_ahead.h"
#include "judge/verdict/verdict.h"

// Whether the op's domain has such shapes: rows ("M") enough for more than 2^31 elements of some input.
bool large_tensors_declared(const Op *op);
// Which candidate, and where texts of its verdict live.
typedef struct {
    ForkServers *fork_servers;
    Arena *a;
    const Draw *draw;
    Str source;
    Extras extras;
} LargeRequest;
// The number of the first probe among what is asked ahead; AHEAD_NONE: there is none. False only where the
// world fails.
MUST_CHECK bool large_tensors_ahead(const LargeRequest *q, Ahead *w, int *number, Err *e);
// Of an accepted candidate: fills in v->evidence.large, or changes the verdict. If the system lacks something
// (address space, for example), the result is "not known". `came`: of the first probe, if it has been made.
void large_tensors_probe(const LargeRequest *q, const ChildResult *came, Verdict *v);

// The same of a module's published sizes (modules_domain.h), whatever those are: a candidate that has passed
// at small ones is rejected where it leaves its tensors there, raises an error, or does what Triton refuses.
// What cannot be found out is evidence, unless op->large asks for it: then the candidate is undecided.
void published_sizes_probe(ForkServers *fork_servers, Arena *a, const Draw *d, Str source, Extras extras,
                           Verdict *v);
