// judge_module.h - what a reference in module form has beyond cases: sizes near the published ones, odd ones,
// and those that keep what divides the published ones.
#pragma once
#include "judge/judge.h"

MUST_CHECK bool judge_stretched(Candidates *b, size_t i, int configs, Verdict *v, Err *e);
MUST_CHECK bool judge_ragged(Candidates *b, size_t i, Verdict *v, Err *e);
MUST_CHECK bool judge_aligned(Candidates *b, size_t i, Verdict *v, Err *e);
