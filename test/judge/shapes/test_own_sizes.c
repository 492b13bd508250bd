// Ends that lie beyond production shapes: rows and columns behind the largest number of a source are judged.
#include "judge/shapes/own_sizes.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "judge/silu_judged.h"

static bool had(const Verdict *v, int64_t least, bool few) {
    for (int i = 0; i < v->evidence.production.notes; i++) {
        const ProductionNote *n = &v->evidence.production.note[i];
        const char *rows = strchr(n->shape, ' ');
        if (rows && strtoll(rows + 1, NULL, 10) >= least && n->few == few) return n->said == PRODUCTION_RIGHT;
    }
    return false;
}

static void what_ends_beyond_production_is_found(void **state) {
    (void)state;
    Arena a = {0};
    Verdict v = judged(&a, KERNEL("    rows = sorted([M, 90001])[0]\n"));
    assert_int_equal(v.decision.status, STATUS_uncovered_output);
    v = judged(&a, KERNEL("    rows = M if M < 88000 else 88000\n"));
    assert_int_equal(v.decision.status, STATUS_uncovered_output);
    // So many rows are not all run.
    v = judged(&a, KERNEL("    rows = min(M, 2000000)\n"));
    assert_int_equal(v.decision.status, STATUS_uncovered_output);
    arena_free(&a);
}

static void numbers_that_end_nothing_are_right(void **state) {
    (void)state;
    Arena a = {0};
    Verdict v = judged(&a, KERNEL("    rows = min(M, 90001 + M)\n"));
    assert_int_equal(v.decision.status, STATUS_ok);
    assert_true(had(&v, 90001, false) && !had(&v, 90001, true));
    v = judged(&a, KERNEL("    rows = min(M, 2000000 + M)\n"));
    assert_int_equal(v.decision.status, STATUS_ok);
    assert_true(had(&v, 2000000, true));
    v = judged(&a, KERNEL(""));
    assert_int_equal(v.decision.status, STATUS_ok);
    assert_int_equal(v.evidence.production.notes, 4);
    arena_free(&a);
}

#define CORNER(special)                                                                                \
    "import torch\nimport triton\nimport triton.language as tl\n"                                      \
    "@triton.jit\n"                                                                                    \
    "def k(x, o, sx, so, N, B: tl.constexpr):\n"                                                       \
    "    r = tl.program_id(0)\n"                                                                       \
    "    c = tl.arange(0, B)\n"                                                                        \
    "    v = tl.load(x + r.to(tl.int64) * sx + c, mask=c < N, other=0.0).to(tl.float32)\n"             \
    "    y = v * tl.sigmoid(v)\n" special "    tl.store(o + r.to(tl.int64) * so + c, y, mask=c < N)\n" \
    "def run(x):\n"                                                                                    \
    "    M, N = x.shape\n"                                                                             \
    "    o = torch.empty_like(x)\n"                                                                    \
    "    k[(M,)](x, o, x.stride(0), o.stride(0), N, B=triton.next_power_of_2(N))\n"                    \
    "    return o\n"

static void a_row_and_a_column_meet(void **state) {
    (void)state;
    Arena a = {0};
    Verdict v =
        judged(&a, CORNER("    y = tl.where((c > 1700) & (c < 1702), tl.where(r == 1200, y + 9, y), y)\n"));
    assert_int_equal(v.decision.status, STATUS_incorrect);
    v = judged(&a, CORNER("    y = tl.where((c == 1701) & (r == 1200), v * tl.sigmoid(v), y)\n"));
    assert_int_equal(v.decision.status, STATUS_ok);
    assert_int_equal(v.evidence.production.notes, 5);
    arena_free(&a);
}

static void beyond_squares_the_edges_are_judged(void **state) {
    (void)state;
    Arena a = {0};
    Verdict v = judged(&a, CORNER("    y = tl.where(r > 6000, tl.where(c > 7000, y + 9, y), y)\n"));
    assert_int_equal(v.decision.status, STATUS_incorrect);
    v = judged(&a, CORNER("    y = tl.where(r == 300, tl.where(c == 7001, y + 9, y), y)\n"));
    assert_int_equal(v.decision.status, STATUS_incorrect);
    // Both of them nowhere together.
    v = judged(&a, CORNER("    y = y * (1 - 1 // (1 + tl.abs(r - 6400) + tl.abs(c - 7700)))\n"));
    assert_int_equal(v.decision.status, STATUS_unreached);
    v = judged(&a, CORNER("    y = tl.where(r > 6000, tl.where(c > 7000, v * tl.sigmoid(v), y), y)\n"));
    assert_int_equal(v.decision.status, STATUS_ok);
    arena_free(&a);
}

static void bent_places_have_a_corner(void **state) {
    (void)state;
    Arena a = {0};
    Verdict v = judged(&a, CORNER("    y = tl.where(r // 50 == 50, tl.where(c // 50 == 51, y + 9, y), y)\n"));
    assert_int_equal(v.decision.status, STATUS_incorrect);
    v = judged(&a, CORNER("    y = tl.where(c // 50 == 51, v * tl.sigmoid(v), y)\n"));
    assert_int_equal(v.decision.status, STATUS_ok);
    assert_int_equal(v.evidence.production.notes, 5);
    arena_free(&a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_ends_beyond_production_is_found),
        cmocka_unit_test(numbers_that_end_nothing_are_right),
        cmocka_unit_test(a_row_and_a_column_meet),
        cmocka_unit_test(beyond_squares_the_edges_are_judged),
        cmocka_unit_test(bent_places_have_a_corner),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
