// Conditions on more elements than anybody draws: where all programs can run, wrong values are found and a right
// line counts as reached; where a few run, it does not.
#include "judge/large_points.h"
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

static void all_programs_run(void **state) {
    (void)state;
    Arena a = {0};
    Verdict v = judged(&a, KERNEL("    if M * N == 4099 * 1013:\n        s = 1.01\n"));
    assert_int_equal(status_class(v.decision.status), CLASS_REJECTED);
    v = judged(&a, KERNEL("    if M * N == 4099 * 1013:\n        s = 2.0 - 1.0\n"));
    assert_int_equal(v.decision.status, STATUS_ok);
    arena_free(&a);
}

static void a_few_programs_run(void **state) {
    (void)state;
    Arena a = {0};
    Verdict v = judged(&a, KERNEL("    if M * N == 37037111:\n        rows = M - 1\n"));
    assert_int_equal(v.decision.status, STATUS_uncovered_output);
    v = judged(&a, KERNEL("    if M * N == 37037111:\n        s = 1.01\n"));
    assert_int_equal(status_class(v.decision.status), CLASS_REJECTED);
    v = judged(&a, KERNEL("    if M * N == 37037111:\n        s = 2.0 - 1.0\n"));
    assert_int_equal(v.decision.status, STATUS_unreached);
    arena_free(&a);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(all_programs_run), cmocka_unit_test(a_few_programs_run)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
