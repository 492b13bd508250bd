// evidence.h - what the acceptance of a candidate rests on, in words: beside the verdict's sentence, one line
// a fact.
#pragma once
#include "judge/verdict.h"

// Of the sizes that an accepted candidate compares its own with, in many cases: those that neither a case of
// the draw nor a case of their own has had, into e->untested. Again whenever e->tries has grown.
void evidence_sizes(const Draw *d, Evidence *e);
// Each line starts with `prefix`. Nothing for a candidate that is not accepted.
void evidence_text(Buf *out, const Verdict *v, const char *prefix);
