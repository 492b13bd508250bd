// judge_module.h - what a reference in module form has beyond cases: sizes near the published ones, odd ones,
// and those that keep what divides the published ones.
#pragma once
#include "judge/judge.h"

// Of a draw of few cases (Domain.few): the others, at the smaller sizes of level quick. An acceptance gains
// them. What is not right there, or is wrong in a worse way, is judged by all cases of the draw's own sizes
// instead: then *all is true, and the verdict is final. Who comes further at the
// draw's own sizes than at the smaller ones has to be right in all cases there, too.
MUST_CHECK bool judge_rest(Candidates *b, size_t i, int configs, Verdict *v, bool *all, Err *e);
// By all cases of those sizes.
MUST_CHECK bool judge_all(Candidates *b, size_t i, Verdict *v, Err *e);
// Stretched.leaner: not at all; first, and the other for whoever is not right there; or the other one where
// it has done without.
typedef enum { LEANER_NOT, LEANER_FIRST, LEANER_WAS } Leaner;
MUST_CHECK bool judge_stretched(Candidates *b, size_t i, int configs, Leaner leaner, Verdict *v, Err *e);
MUST_CHECK bool judge_ragged(Candidates *b, size_t i, Verdict *v, Err *e);
MUST_CHECK bool judge_aligned(Candidates *b, size_t i, Verdict *v, Err *e);
