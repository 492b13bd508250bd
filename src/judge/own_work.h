// own_work.h - who did the work of a ModelNew that is right and leaves operators to PyTorch's library
// (host/policy/library.def). Each launch of its own kernels is made once more to leave other numbers
// (host/candidate/knocked.h). It has a share if the result is wrong then, and if what it stores is no copy of
// an input or of what the library gave. Without a share, or where the library does most of the light work
// that should be a kernel's, the verdict is no_kernel.
#pragma once
#include "judge/judge.h"

// Of an accepted candidate: fills in v->evidence.own, or changes the verdict. One that calls nothing of the
// library is left alone.
MUST_CHECK bool own_work_judge(Candidates *b, size_t i, Verdict *v, Err *e);
