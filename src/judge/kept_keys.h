// kept_keys.h - a candidate that keeps something between calls, on two shapes that meet under one key of what
// it keeps: one object has the first, then the second, and the other way round.
#pragma once
#include "judge/judge_pass.h"

// Of one that has passed everything so far: it may turn into a rejection, and changes in nothing else. Asks
// nothing of one that keeps nothing. False where the world failed.
MUST_CHECK bool kept_keys_judge(Candidates *b, size_t i, Verdict *v, Err *e);
