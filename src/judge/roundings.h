// roundings.h - the roundings that a definition declares: references of their own for programs whose values
// the first one refuses. A program has to be right by one of them in everything that judging asks.
#pragma once
#include "judge/judge.h"

// Draws of a round in which a rounding stands for the reference: made when they are first needed.
RoundedDraws *rounded_draws_open(void);
void rounded_draws_close(RoundedDraws *r); // NULL is allowed
// Judges candidate i as a whole by each rounding by which the case that failed is right. An acceptance
// becomes the verdict; so does a rejection that is not about values. False where the world failed.
MUST_CHECK bool roundings_judge(Candidates *b, size_t i, Verdict *v, Err *e);
