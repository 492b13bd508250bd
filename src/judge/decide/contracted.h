// contracted.h - the answers of a case's runs in which a product and the sum that it goes into were rounded
// once, as compilers do (tile/code/contraction.h). They are held to the bounds of the case, never to the bits
// of the run with two roundings.
#pragma once
#include "judge/decide/decide.h"

// Told of the worst element of all such runs of a case that the child reports; .wrong is 0 where all are
// right, or where there was none. judged: room for a flag of each element.
Comparison contracted_compare(const Draw *d, int index, const CaseReport *r, const uint8_t *outputs,
                              uint8_t *judged);
const char *contracted_feedback(Arena *a, const Draw *d, int index, const Comparison *c, const char *note);
// The number of the run whose answer the worst element is in; 0: none is wrong.
int contracted_run(Arena *a, const Draw *d, int index, const CaseReport *r, const uint8_t *outputs);
