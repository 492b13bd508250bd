// `other` of a masked load matters where the padding reaches a reduction, an address or a branch, and only
// there.
#include "edits.h"

// `other` matters where the padding reaches a reduction, an address or a branch, and only there.
static void padding(void **state) {
    (void)state;
#define LOAD "x = tl.load(x_ptr + cols, mask=mask, other=0.0)\n"
#define BOTH \
    { "x = tl.load(x_ptr + cols, mask=mask)", "x = tl.load(x_ptr + cols, mask=mask, other=1.0)" }
    static const Expectation all[] = {
        {MUTATOR_other, MASKED LOAD "s = tl.sum(x, axis=0)", BOTH},
        {MUTATOR_other, MASKED LOAD "y = x * x\nz = half(y)\ns = tl.max(z, axis=0)", BOTH},
        {MUTATOR_other, MASKED LOAD "tl.store(out_ptr + cols, x, mask=mask)", {NULL}},
        {MUTATOR_other, MASKED LOAD "tl.store(out_ptr + cols, x)", BOTH},
        {MUTATOR_other, MASKED LOAD "tl.store(out_ptr + x, cols, mask=mask)", BOTH},
        {MUTATOR_other, MASKED LOAD "y = tl.where(mask, x, 0.0)\ns = tl.sum(y, axis=0)", {NULL}},
        {MUTATOR_other, MASKED LOAD "y = tl.where(cols < N, x, 0.0)\ns = tl.sum(y, axis=0)", {NULL}},
        {MUTATOR_other, MASKED LOAD "y = tl.where(x > 0.0, x, 0.0)\ns = tl.sum(y, axis=0)", BOTH},
        {MUTATOR_other, MASKED LOAD "x = cols\ns = tl.sum(x, axis=0)", {NULL}},
        {MUTATOR_other, MASKED LOAD "if x > 0:\n    y = 1", BOTH},
        {MUTATOR_other, MASKED LOAD "return x", BOTH},
        // Carried to the next turn of a loop.
        {MUTATOR_other, MASKED "for i in range(N):\n    s = tl.sum(y, axis=0)\n    " LOAD "    y = x", BOTH},
        {MUTATOR_other,
         MASKED "x = tl.load(x_ptr, mask=mask, other=-float(\"inf\"))\nm = tl.max(x)",
         {"x = tl.load(x_ptr, mask=mask)", "x = tl.load(x_ptr, mask=mask, other=0.0)"}},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) check_edits(kernel(all[i].body), &all[i]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(padding, arena_setup, arena_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
