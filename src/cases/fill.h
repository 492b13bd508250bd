// fill.h - draws the values of a case's inputs: line by line, each of the class that the plan gives it.
#pragma once
#include "cases/domain/domain.h"

typedef struct FillRequest {
    const Domain *domain;
    const PlannedCase *plan;
    const CaseSpec *spec; // laid out
    const CaseTruth *truth;
    uint64_t seed;
    int index; // of the case, in the draw that its values are of
    // Where an implementation leaves the case's answer if it has had to evaluate it, and what that lives in.
    const Bound **answer;
    Arena *kept;
} FillRequest;

// Into `map`, the inputs' mapping. The same seed gives the same values, line by line, whatever else is drawn.
void fill_case(Arena *scratch, const FillRequest *q, uint8_t *map);
