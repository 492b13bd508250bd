// compare.h - one case's output against the oracle, element by element (doc/error-bound.md sections 1 and 5).
#pragma once
#include "cases/draw.h"

typedef enum { MATCH_YES, MATCH_UNJUDGED, MATCH_INACCURATE, MATCH_INCORRECT, MATCH_NAN } Match;

typedef struct {
    Match worst; // of all elements; UNJUDGED only when none is worse and some could not be judged
    int64_t wrong, nans, unjudged, total;
    int64_t first_wrong; // row-major
    int output;          // of which all this is told, where there are several: set by who compares them
    int64_t worst_at;    // where something is wrong: of the worst kind, and of those the furthest off
    double worst_needed; // there, where something is wrong
    double use;          // largest needed / kappa over judged elements (1 is the limit; +inf possible)
    double error_ulp, bound_ulp; // at worst_at, in ulps of the output type
} Comparison;

// The expected values rounded to the output's type, and what there is to say of outputs with just those bits:
// nearly all of an honest half-precision output has them. Worth making where several outputs are compared.
typedef struct Rounded Rounded;
const Rounded *compare_round(Arena *a, const Bound *expected); // of all outputs
const Rounded *rounded_also(const Rounded *r);                 // of the next output; NULL for NULL

// out: numel elements of expected->dtype, row-major. judged: numel flags, all of them set: 1 where this case
// judged. rounded may be NULL; what is said does not depend on it.
void compare_case(const Bound *expected, const Rounded *rounded, const void *out, uint8_t *judged,
                  Comparison *c);
// Whether NaN or an infinity stands on one side only in some element: only then may there be a MATCH_NAN.
bool compare_classes_differ(const Bound *expected, const void *out);
// The rule for one element: needed kappa divided by kappa; <= 1 accepts. NaN classes give +inf.
double compare_needed(DType dtype, double v, double e, double out);
