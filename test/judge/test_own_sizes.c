// Ends that lie beyond production shapes: rows and columns behind the largest number of a source are judged.
#include "judge/own_sizes.h"
#include "judge/referee.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define KERNEL(special)                                                                  \
    "import torch\nimport triton\nimport triton.language as tl\n"                        \
    "@triton.jit\n"                                                                      \
    "def k(x, o, sx, so, N, s, B: tl.constexpr):\n"                                      \
    "    r = tl.program_id(0).to(tl.int64)\n"                                            \
    "    c = tl.arange(0, B)\n"                                                          \
    "    v = tl.load(x + r * sx + c, mask=c < N, other=0.0).to(tl.float32)\n"            \
    "    tl.store(o + r * so + c, v * tl.sigmoid(v) * s, mask=c < N)\n"                  \
    "def run(x):\n"                                                                      \
    "    M, N = x.shape\n"                                                               \
    "    o = torch.empty_like(x)\n"                                                      \
    "    s = 1.0\n    rows = M\n" special                                                \
    "    k[(rows,)](x, o, x.stride(0), o.stride(0), N, s, B=triton.next_power_of_2(N))\n" \
    "    return o\n"

static Verdict judged(Arena *a, const char *source) {
    Referee *referee;
    Err e = {0};
    Verdict v;
    Op *op = NEW(a, Op);
    assert_true(op_find(a, STR("silu"), op));
    uint64_t seed = 4;
    Str text = str_of(source);
    if (!referee_open(&(RefereeConfig){.no_journal = true}, &referee, &e)) fail_msg("%s", e.msg);
    JudgeRequest q = {.op = op, .level = LEVEL_FULL, .filter = {.dtype = -1}, .seed = &seed};
    if (!referee_judge(referee, a, &q, &text, 1, &v, &e)) fail_msg("%s", e.msg);
    referee_close(referee);
    return v;
}

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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_ends_beyond_production_is_found),
        cmocka_unit_test(numbers_that_end_nothing_are_right),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
