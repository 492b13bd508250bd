// bounds.h - for tests of bounds: operations on given values, and perturbed ones.
#pragma once
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/numeric/rng.h"
#include "tensor/oracle.h"

// --- Rules against brute force -------------------------------------------------------------------

// Operands with errors of every size: the result's interval must hold f of every corner and many points
// inside.
static inline const Bound *uncertain(const double *v, const double *e, int n) {
    Bound *b = (Bound *)(uintptr_t)INPUT(DT_F32, v, n);
    b->e = NEWN(&arena, double, (size_t)n);
    memcpy(b->e, e, (size_t)n * sizeof *e);
    return b;
}
