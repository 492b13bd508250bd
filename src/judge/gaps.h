// gaps.h - programs that fail on inputs with gaps between their rows, and on no other: what to mend, and what
// the same program is worth on contiguous inputs.
#pragma once
#include "judge/judge.h"

// The inputs of a case that have gaps, as bits. None in a contiguous domain.
uint64_t gaps_inputs(const Draw *d, int index);
// What a rejection has to do with gaps. `failed`: the case that decided; `dense`: the longest row of several
// that passed in a case without gaps, 0: none did, -1: one has failed.
void gaps_note(const Draw *d, int failed, int64_t dense, const Decision *decision, Gaps *out);
// Adds to a rejection what to mend; judges the candidate once more, in the contiguous domain, where the
// request asks for that. False where the world failed, and nothing is said.
MUST_CHECK bool gaps_tell(Candidates *b, size_t i, Verdict *v, Err *e);
