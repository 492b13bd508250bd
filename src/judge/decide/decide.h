// decide.h - from what a child reported and wrote to a verdict. Pure: no processes, no clocks. The first
// failing case decides (cases are ordered by row length). Among numeric failures it is the worst kind of all
// cases that ran, in the first row length that shows it, and there the worst element.
#pragma once
#include "judge/decide/compare.h"
#include "judge/verdict/verdict.h"
#include "sandbox/fork_server.h"

// Fills the decision, the cases, the traffic and most of the evidence of `v`; all else is the caller's.
void decide(Arena *a, const Draw *d, Str source, const ChildResult *r, Verdict *v);

// The calls that were made of one object, after all cases have passed (judge_calls.c). True when they say
// nothing against the candidate; else the decision says what.
bool judge_calls(Arena *a, const Draw *d, Str source, const ChildResult *r, Decision *out);
// MATCH_INCORRECT and worse as a status.
Status match_status(Match m);
// Of what a report says about an output.
bool shape_matches(const ReportOutput *o, const Bound *b);

// What a finding means for the candidate, and the rule that it broke.
Status finding_status(DiagKind k, const char **rule);

// Whether a finding is the candidate's own word that it will not have such sizes: a statement that raises or
// asserts, an assertion for the compiler, pruning that leaves no config. What CUDA would say is none.
bool report_refuses(Str source, const CaseReport *r);

// What the right output `output` of a case is.
const Bound *truth_output(const CaseTruth *t, int output);
// Where in the rotation of classes an element of an output lies: the class of its row, or of the whole case.
ClassId truth_class(const Draw *d, int index, int output, int64_t element);
// "float16 17x1000", with " strided" where all inputs are, and ", x and w strided" where some are.
void truth_name(Buf *out, const Draw *d, int index);

// The place of a finding in the source, if it has one.
bool finding_place(Str source, const CaseReport *r, Span *out);
// Sentences (feedback.c). All are cut to FEEDBACK_MAX and hold no seed, value or bound.
// One more sentence, which stays whole.
const char *feedback_join(Arena *a, const char *feedback, const char *sentence);
// warning: as Decision.warning.
const char *feedback_ok(Arena *a, const Draw *d, const CaseResults *c, const char *warning);
const char *feedback_finding(Arena *a, const Draw *d, Str source, const CaseReport *r);
const char *feedback_unwritten(Arena *a, const Draw *d, const CaseReport *r, int output);
// Of a report whose `stores` are fewer bytes than the answer has.
const char *feedback_too_few(Arena *a, const Draw *d, const CaseReport *r);
const char *feedback_shape(Arena *a, const Draw *d, const CaseReport *r, int output); // or its dtype
// note: a warning that the checker has left, or "".
const char *feedback_numeric(Arena *a, const Draw *d, int index, const Comparison *c, const char *note);
// The same with an advice of the caller's (guesses.h); NULL: the usual one.
const char *feedback_numeric_with(Arena *a, const Draw *d, int index, const Comparison *c, const char *advice,
                                  const char *note);
const char *feedback_rows(Arena *a, const Draw *d, int index, int output, int64_t row);
const char *feedback_unread(Arena *a, const Draw *d, const Dependence *n, int output, int64_t element);
// element: where two orders of the programs differ; -1: not known.
const char *feedback_orders(Arena *a, const Draw *d, int index, int output, int64_t element);
// " of output mean", or nothing where there is one without a name.
void put_output(Buf *b, const Op *op, int output);
const char *feedback_child(Arena *a, const char *what);
// u: one or more lines, of which the child has told the places.
const char *feedback_unreached(Arena *a, Str source, const Unreached *u);
