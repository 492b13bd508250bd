// input_gaps.h - inputs with gaps between their rows: which a case has, and what a rejection has to do with
// them.
#pragma once
#include "cases/draw.h"
#include "judge/verdict/verdict.h"

// The inputs of a case that have gaps, as bits. None in a contiguous domain.
uint64_t gaps_inputs(const Draw *d, int index);
// What a rejection has to do with gaps. `failed`: the case that decided; `dense`: the longest row of several
// that passed in a case without gaps, 0: none did, -1: one has failed.
void gaps_note(const Draw *d, int failed, int64_t dense, const Decision *decision, Gaps *out);
