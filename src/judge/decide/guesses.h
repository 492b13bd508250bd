// guesses.h - what would explain values that are not right: hypotheses that are tried on the very output, by
// evaluating the reference as the candidate may have meant it. Only on a rejection, on a few rows, and with a
// limited number of evaluations; what is not found to hold is not said.
#pragma once
#include "judge/decide/compare.h"
#include "judge/decide/decide.h"

typedef struct {
    const Draw *draw;
    int index; // the case that decided
    Str source;
    const uint8_t *output;
    const Comparison *worst; // of that case
    bool finite;             // some element of a case is wrong by a finite amount
} GuessRequest;
// A sentence that says what next; NULL: nothing was found, or the op has several outputs.
const char *guess_advice(Arena *a, const GuessRequest *q);
