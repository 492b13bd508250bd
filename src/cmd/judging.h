// judging.h - what the verbs that judge have in common.
#pragma once
#include "cmd/cmd.h"
#include "referee/referee.h"

// A user's definition is checked before anything is judged by it.
MUST_CHECK bool op_for_judging(Referee *r, Arena *a, const char *text, Op *out, Err *e);
MUST_CHECK bool filter_of(const Shape *shape, const char *dtype, DrawFilter *out, Err *e);
int verdict_exit(const Verdict *v);
// "accepted" or "rejected: incorrect", feedback, evidence, each line behind `prefix`.
void verdict_text(Buf *out, const Verdict *v, const char *prefix);
