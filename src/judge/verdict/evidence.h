// evidence.h - what a verdict rests on, for people: beside the verdict's sentence, one line a fact. The full
// record is the verdict's JSON.
#pragma once
#include "judge/verdict/verdict.h"

// Of the sizes that an accepted candidate compares its own with, in many cases: those that neither a case of
// the draw nor a case of their own has had, into e->untested. Again whenever e->tries has grown.
void evidence_sizes(const Draw *d, Evidence *e);
// What was tried, what came closest to failing, and what none of it covers. Each line starts with `prefix`.
void evidence_text(Buf *out, const Verdict *v, const char *prefix);
