// module_evidence.h - what a verdict on a ModelNew says beside others: at which sizes it was judged, which of
// them were long, and how its parameters were bound.
#pragma once
#include "judge/verdict/verdict.h"

// Of a verdict with a module. Each line behind `prefix`.
void module_evidence_text(Buf *out, const Verdict *v, const char *prefix);
json_t *module_evidence_json(const Verdict *v); // the caller's
