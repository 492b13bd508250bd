// Sizes found by a child that explores, and the verdicts that follow from what is found or is not.
#include "judge/branches.h"
#include "judge/referee.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define KERNEL(special)                                                                \
    "import torch\nimport triton\nimport triton.language as tl\n"                      \
    "@triton.jit\n"                                                                    \
    "def k(x, o, sx, so, N, s, B: tl.constexpr):\n"                                    \
    "    r = tl.program_id(0).to(tl.int64)\n"                                          \
    "    c = tl.arange(0, B)\n"                                                        \
    "    v = tl.load(x + r * sx + c, mask=c < N, other=0.0).to(tl.float32)\n"          \
    "    tl.store(o + r * so + c, v * tl.sigmoid(v) * s, mask=c < N)\n"                \
    "def run(x):\n"                                                                    \
    "    M, N = x.shape\n"                                                             \
    "    o = torch.empty_like(x)\n"                                                    \
    "    s = 1.0\n" special                                                            \
    "    k[(M,)](x, o, x.stride(0), o.stride(0), N, s, B=triton.next_power_of_2(N))\n" \
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

static void branches_are_taken(void **state) {
    (void)state;
    Arena a = {0};
    Verdict v = judged(&a, KERNEL("    if M == 7 and N == 389:\n        s = 1.5\n"));
    assert_int_equal(status_class(v.decision.status), CLASS_REJECTED);
    v = judged(&a, KERNEL("    if M == 7 and N == 389:\n        s = 2.0 - 1.0\n"));
    assert_int_equal(v.decision.status, STATUS_ok);
    v = judged(&a, KERNEL("    if M * N > 1 << 28:\n        s = 1.0\n"));
    assert_int_equal(v.decision.status, STATUS_unreached);
    assert_false(verdict_accepted(&v));
    assert_int_equal(status_class(v.decision.status), CLASS_UNDECIDED);
    assert_non_null(
        strstr(v.decision.feedback, "line 15, which the condition on line 14 decides (`M * N > 1 << 28`)"));
    arena_free(&a);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(branches_are_taken)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
