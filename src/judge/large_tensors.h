// large_tensors.h - whether a kernel's addresses hold where tensors have more than 2^31 elements. Nobody
// fills such tensors here: their memory is zero pages that are there only where somebody has touched them,
// and of each launch only a few programs run: the first, the last, those near element 2^31, a few others. So
// this says something about addresses and nothing about values, and nothing about programs that were not
// tried.
//
// What is found changes a verdict only where the definition declares such shapes (`giant = True`, op.h):
// addresses that overflow or leave their tensor, a grid or types that Triton refuses, are then a rejection,
// and a candidate about which nothing can be known is undecided. Anywhere else it is evidence.
#pragma once
#include "judge/verdict.h"
#include "sandbox/fork_servers.h"

// Whether the op's domain has such shapes: rows ("M") enough for more than 2^31 elements of some input.
bool large_tensors_declared(const Op *op);
// Of an accepted candidate: fills in v->evidence.large, or turns the verdict. Texts live in `a`. What the
// world does not give (address space, say) is told as not known.
void large_tensors_probe(ForkServers *fork_servers, Arena *a, const Draw *d, Str source, Extras extras,
                         Verdict *v);
