// outcomes.h - which ways the conditions of a candidate have come out, while sizes are looked for that make
// one come out in a new way (sandbox/explore.h). Nothing is launched then; host code runs, and conditions of
// kernels that follow from arguments are evaluated.
#pragma once
#include "base/arena.h"

enum { OUTCOMES_MAX = 1 << 12, COMPAREDS_MAX = 192, OUTCOME_NUMBERS_MAX = 96 };

// A comparison of whole numbers, or the truth of one, by its place in the source.
typedef struct {
    uint32_t at;
    uint8_t sides;    // 1: was false, 2: was true
    bool moved[2];    // left and right were not always the same
    int64_t value[2]; // in the latest run that came here
    int run;          // which one that was
    int runs;         // how many have come here
} Compared;

typedef struct Outcomes {
    uint64_t seen[OUTCOMES_MAX]; // open addressing; 0: free
    int seens;
    Compared compared[COMPAREDS_MAX];
    int compareds;
    int64_t number[OUTCOME_NUMBERS_MAX]; // keys of tables that were looked into
    int numbers;
    bool tuples; // some table has keys of several numbers
    const uint8_t *dull; // for each byte of the source: conditions there only lead to an exception
    size_t bytes;
    int news; // outcomes of the present run that no run before had
    int run;
} Outcomes;

// `o` may be NULL in all of them.
void outcome_seen(Outcomes *o, uint32_t at, uint64_t what);
void outcome_compared(Outcomes *o, uint32_t at, int64_t left, int64_t right, bool holds);
void outcome_number(Outcomes *o, int64_t x);
