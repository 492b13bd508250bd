// case_memory.h - drawn cases of one domain and seed: their inputs, and what the reference says of them. Many
// candidates of a round compare with the same numbers, and each number has the same cases for all of them
// (plan_sizes()). Kept are cases that say so (PlannedCase.place). Here nobody but the parent looks: a child
// has a mapping of its own candidate's cases, with inputs alone.
#pragma once
#include "cases/domain/domain.h"

typedef struct CaseMemory CaseMemory; // thread-safe
// The domain outlives it.
CaseMemory *case_memory_open(const Domain *m, uint64_t seed);
void case_memory_close(CaseMemory *c); // after every draw that was made with it; NULL is allowed
// All of them in the process hold about so many bytes together at most: further cases are not kept. For
// tests.
void case_memory_limit(int64_t bytes);

int64_t case_memory_found(void); // how many cases of the process have not been drawn again

bool case_memory_fits(const CaseMemory *c, const Domain *m, uint64_t seed); // false for NULL
// The inputs of a case into `map`, which is zero there, and its answer. NULL: it is not there.
const Bound *case_memory_find(CaseMemory *c, const PlannedCase *p, const CaseSpec *spec, uint8_t *map);
// Keeps a case, and gives its answer as it is kept. NULL: it is not.
const Bound *case_memory_put(CaseMemory *c, const PlannedCase *p, const CaseSpec *spec, const uint8_t *map,
                             const Bound *answer);
