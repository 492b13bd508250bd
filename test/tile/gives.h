// gives.h - for tests of lanes: kernels that store integers, and what each must be.
#pragma once
#include "tile/run.h"

// Kernels of n lanes that store as many integers; want[i] is what element i must be.
static inline void gives_all(const char *helpers, const char *body, const int64_t *want, int count) {
    Run r;
    run_begin(&r);
    const Tensor *y = output(&r, DT_I64, 64);
    number(&r, 3);
    run_ok(&r,
           arena_printf(&r.arena,
                        "from triton.language.extra import libdevice\n%s@triton.jit\ndef k(y, n):\n    o = "
                        "tl.arange(0, 8)\n%s",
                        helpers, body),
           1);
    for (int i = 0; i < count; i++) near(y, i, (double)want[i], 0);
    run_end(&r);
}
#define GIVES(helpers, body, ...) \
    gives_all(helpers, body, (const int64_t[]){__VA_ARGS__}, sizeof((int64_t[]){__VA_ARGS__}) / 8)
