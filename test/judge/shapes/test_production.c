// Shapes as large as those in use: what is wrong there is rejected, what refuses them is told, and what takes
// too much is left open.
#include "base/build.h"
#include "judge/referee.h"
#include "judge/shapes/production.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static Referee *referee;

#define DEFINITION                                                            \
    "\"\"\"Twice x plus one.\"\"\"\n"                                         \
    "inputs = {\"x\": {\"shape\": (\"M\", \"N\"), \"dtype\": \"float16\"}}\n" \
    "dims = {\"N\": {\"max\": %d, \"usual\": 64}}\n"                          \
    "def reference(x):\n    return (x.float() * 2 + 1).to(x.dtype)\n"
#define KERNEL(row, tail)                                                     \
    "import torch\nimport triton\nimport triton.language as tl\n"             \
    "@triton.jit\n"                                                           \
    "def k(x, o, sx, N, M, B: tl.constexpr):\n"                               \
    "    c = tl.arange(0, B)\n"                                               \
    "    r = tl.program_id(0).to(tl.int64)\n" row                             \
    "    v = tl.load(x + q * sx + c, mask=c < N, other=0.0).to(tl.float32)\n" \
    "    tl.store(o + r * N + c, (v * 2 + 1).to(tl.float16), mask=c < N)\n"   \
    "def run(x):\n"                                                           \
    "    M, N = x.shape\n"                                                    \
    "    o = torch.empty((M, N), dtype=x.dtype, device=x.device)\n" tail "    return o\n"
#define SAME "    q = r\n"
#define ROWS "    k[(M,)](x, o, x.stride(0), N, M, B=triton.next_power_of_2(N))\n"

static Verdict judged(Arena *a, int longest, const char *source) {
    DiagList diags = DIAGS(a);
    Op *op = NEW(a, Op);
    Err e = {0};
    Verdict v;
    const char *definition = arena_printf(a, DEFINITION, longest);
    if (!op_define(a, STR("mine"), str_of(definition), true, op, &diags))
        fail_msg("%s", diag_first(&diags)->msg);
    uint64_t seed = 4;
    Str text = str_of(source);
    JudgeRequest q = {.op = op, .level = LEVEL_FULL, .filter = {.dtype = -1}, .seed = &seed};
    if (!referee_judge(referee, a, &q, &text, 1, &v, &e)) fail_msg("%s", e.msg);
    return v;
}

static int said(const Verdict *v, ProductionSaid what) {
    int n = 0;
    for (int i = 0; i < v->evidence.production.notes; i++) n += v->evidence.production.note[i].said == what;
    return n;
}

static void right_ones_are_right_there(void **state) {
    (void)state;
    Arena a = {0};
    Verdict v = judged(&a, 64, KERNEL(SAME, ROWS));
    assert_int_equal(v.decision.status, STATUS_ok);
    // The usual shape and the tall one; the domain has neither wide rows nor the largest shape.
    assert_int_equal(said(&v, PRODUCTION_RIGHT), 2);
    assert_int_equal(v.evidence.production.notes, 2);
    assert_non_null(strstr(v.evidence.production.note[1].shape, "x31"));
    arena_free(&a);
}

static void rejected(const char *source, Status status, const char *words) {
    Arena a = {0};
    Verdict v = judged(&a, 64, source);
    if (v.decision.status != status) fail_msg("%s: %s", status_name(v.decision.status), v.decision.feedback);
    assert_string_equal(v.decision.rule, "production");
    assert_non_null(strstr(v.decision.feedback, words));
    assert_true(strlen(v.decision.feedback) <= FEEDBACK_MAX);
    arena_free(&a);
}

static void wrong_ones_are_rejected(void **state) {
    (void)state;
    rejected(KERNEL("    q = tl.program_id(0).to(tl.uint16).to(tl.int64)\n", ROWS), STATUS_incorrect,
             "at row 65");
    rejected(KERNEL(SAME, "    k[(min(M, 66000),)](x, o, x.stride(0), N, M, B=triton.next_power_of_2(N))\n"),
             STATUS_uncovered_output, "elements unwritten");
    rejected(KERNEL(SAME,
                    "    if M != N:\n        s = torch.empty((0x11000,), dtype=x.dtype, device=x.device)\n"
                    "        k[(M,)](x, s, 0, 1, M, B=1)\n" ROWS),
             STATUS_oob, "store");
}

static void errors_of_its_own_are_told(void **state) {
    (void)state;
    Arena a = {0};
    Verdict v =
        judged(&a, 64, KERNEL(SAME, "    if M > 65000:\n        raise ValueError(f\"{M} rows\")\n" ROWS));
    assert_int_equal(v.decision.status, STATUS_ok);
    assert_int_equal(said(&v, PRODUCTION_REFUSED), 1);
    assert_non_null(strstr(v.evidence.production.note[1].why, "rows"));
    // What it refuses does not keep other sizes from being tried.
    v = judged(&a, 64,
               KERNEL(SAME, "    if M > 65000:\n        raise ValueError(f\"{M} rows\")\n"
                            "    if N == 23 and M == 5:\n        return o\n" ROWS));
    assert_int_equal(status_class(v.decision.status), CLASS_REJECTED);
    // Few rows may not be refused.
    v = judged(&a, 64, KERNEL(SAME, "    assert M < 5000\n" ROWS));
    assert_int_equal(v.decision.status, STATUS_host_error);
    arena_free(&a);
}

// N is at most 64: no shape is cheap for a program that does so much for each row, unless most of its
// programs are copied (tile/vm/repeat.h). `odd`: what a copy cannot be proved of.
static Verdict much_work(Arena *a, bool odd) {
    return judged(a, 64,
                  odd ? KERNEL("    z = tl.zeros([B], tl.int64)\n"
                               "    for i in range(600):\n        z = z + c * (i - i)\n"
                               "    q = r + tl.max(z, axis=0) + (r & 0)\n",
                               ROWS)
                      : KERNEL("    z = tl.zeros([B], tl.int64)\n"
                               "    for i in range(600):\n        z = z + c * (i - i)\n"
                               "    q = r + tl.max(z, axis=0)\n",
                               ROWS));
}

static void too_much_work_is_left_open(void **state) {
    (void)state;
    Arena a = {0};
    Verdict v = much_work(&a, true);
    assert_int_equal(v.decision.status, STATUS_unsupported);
    assert_string_equal(v.decision.rule, "production");
    assert_int_equal(said(&v, PRODUCTION_UNKNOWN), 2);
    // ThreadSanitizer takes so long that the clock may be first.
    bool clock = BUILD_TSAN && strstr(v.decision.feedback, "was stopped");
    if (!clock && !strstr(v.decision.feedback, "step budget")) fail_msg("%s", v.decision.feedback);
    v = much_work(&a, false);
    assert_int_equal(v.decision.status, STATUS_ok);
    arena_free(&a);
}

#define FIRST_LARGEST                                                        \
    "\"\"\"Where the largest element of each row is.\"\"\"\n"                \
    "inputs = {\"x\": {\"shape\": (\"M\", \"N\"), \"scale\": (1e-4, 64)}}\n" \
    "outputs = {\"index\": {}}\n"                                            \
    "def reference(x):\n    return torch.argmax(x.float(), dim=-1)\n"
#define SEARCH(column)                                                                               \
    "import torch\nimport triton\nimport triton.language as tl\n"                                    \
    "@triton.jit\n"                                                                                  \
    "def k(x, o, sx, N, B: tl.constexpr):\n"                                                         \
    "    r = tl.program_id(0).to(tl.int64)\n"                                                        \
    "    best = float('-inf')\n    at = tl.zeros([], tl.int32)\n"                                    \
    "    for s in range(0, N, B):\n"                                                                 \
    "        c = s + tl.arange(0, B)\n"                                                              \
    "        v = tl.load(x + r * sx + " column ", mask=c < N, other=-float('inf')).to(tl.float32)\n" \
    "        m = tl.max(v, axis=0)\n"                                                                \
    "        at = tl.where(m > best, s + tl.argmax(v, axis=0), at)\n"                                \
    "        best = tl.maximum(m, best)\n"                                                           \
    "    tl.store(o + r, at.to(tl.int64))\n"                                                         \
    "def run(x):\n    M, N = x.shape\n"                                                              \
    "    o = torch.empty((M,), dtype=torch.int64, device=x.device)\n"                                \
    "    k[(M,)](x, o, x.stride(0), N, B=1024)\n    return o\n"

static void extremes_of_wide_rows_count(void **state) {
    (void)state;
    static const char *const source[] = {SEARCH("c"), SEARCH("c % (B * 128)")};
    for (uint64_t seed = 1; seed <= 6; seed++) {
        Arena a = {0};
        DiagList diags = DIAGS(&a);
        Op *op = NEW(&a, Op);
        Err e = {0};
        Verdict v[2];
        if (!op_define(&a, STR("mine"), STR(FIRST_LARGEST), true, op, &diags))
            fail_msg("%s", diag_first(&diags)->msg);
        Str text[] = {str_of(source[0]), str_of(source[1])};
        JudgeRequest q = {.op = op, .level = LEVEL_FULL, .filter = {.dtype = -1}, .seed = &seed};
        if (!referee_judge(referee, &a, &q, text, 2, v, &e)) fail_msg("%s", e.msg);
        assert_int_equal(v[0].decision.status, STATUS_ok);
        assert_int_equal(v[1].decision.status, STATUS_incorrect);
        assert_string_equal(v[1].decision.rule, "production");
        arena_free(&a);
    }
}

static int open_all(void **state) {
    (void)state;
    Err e = {0};
    RefereeConfig config = {.no_journal = true};
    return referee_open(&config, &referee, &e) ? 0 : -1;
}
static int close_all(void **state) {
    (void)state;
    referee_close(referee);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(right_ones_are_right_there),  cmocka_unit_test(wrong_ones_are_rejected),
        cmocka_unit_test(errors_of_its_own_are_told),  cmocka_unit_test(too_much_work_is_left_open),
        cmocka_unit_test(extremes_of_wide_rows_count),
    };
    return cmocka_run_group_tests(tests, open_all, close_all);
}
