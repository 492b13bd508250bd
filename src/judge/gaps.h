// gaps.h - programs that fail on inputs with gaps between their rows, and on no other: what to mend, and what
// the same program is worth on contiguous inputs.
#pragma once
#include "judge/judge.h"

// Adds to a rejection what to mend; judges the candidate once more, in the contiguous domain, where the
// request asks for that. False where the world failed, and nothing is said.
MUST_CHECK bool gaps_tell(Candidates *b, size_t i, Verdict *v, Err *e);
