// module_verdict.h - a verdict on a ModelNew by a reference in module form, as the command line shows it.
#pragma once
#include "cases/modules_domain.h"
#include "judge/verdict/verdict.h"

void module_verdict_text(Buf *out, const ModulesDomain *m, const Verdict *v);
// One line: the verdict's members, and "module".
void module_verdict_json(Buf *out, const ModulesDomain *m, const Verdict *v, const char *path);
