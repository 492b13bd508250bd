// compare.h - one case's output against the oracle, element by element (doc/error-bound.md sections 1 and 5).
#pragma once
#include "cases/draw.h"

// In this order; the worst of a whole draw says what a program is called. OVER: infinite in float16, where
// the reference is finite. Whether a wrong value runs over float16's end is luck, so finite wrong values
// count more: where there are none, it is called by the infinity.
typedef enum {
    MATCH_YES,
    MATCH_UNJUDGED,
    MATCH_INACCURATE,
    MATCH_OVER,
    MATCH_INCORRECT,
    MATCH_NAN // or an infinity that float16 has no part in
} Match;
static inline bool match_of_class(Match m) { return m == MATCH_OVER || m == MATCH_NAN; }

typedef struct {
    Match worst; // of all elements; UNJUDGED only when none is worse and some could not be judged
    int64_t wrong, unjudged, total;
    int64_t nans;        // wrong by NaN or infinity: as worst is, OVER or NAN
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
// Beside another output that is right: every element has its bits there, or is soon seen to be right. False
// says nothing. judged: numel flags, of no meaning afterwards.
bool compare_surely_right(const Bound *expected, const void *out, const void *right, uint8_t *judged);
// Whether NaN or an infinity stands on one side only in some element: only then may there be a MATCH_NAN, or
// a MATCH_OVER.
bool compare_classes_differ(const Bound *expected, const void *out);
// The rule for one element: needed kappa divided by kappa; <= 1 accepts. NaN classes give +inf.
double compare_needed(DType dtype, double v, double e, double out);
