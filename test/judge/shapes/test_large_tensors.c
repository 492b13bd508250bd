// Tensors of more than 2^31 elements, of which nobody fills more than a few pages: what is said about
// addresses there, and when it changes a verdict.
#include "judge/referee.h"
#include "judge/shapes/large_tensors.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static Referee *referee;

#define DOC "\"\"\"Twice x plus one.\"\"\"\n"
// N is the size that a large tensor has; rows of few elements keep the ordinary cases short.
#define INPUTS "inputs = {\"x\": {\"shape\": (\"M\", \"N\"), \"dtype\": \"float16\"}}\n"
#define DIMS   "dims = {\"N\": {\"max\": 64, \"usual\": 64}}\n"
#define BODY   "def reference(x):\n    return (x.float() * 2 + 1).to(x.dtype)\n"

#define KERNEL(offsets, tail)                                             \
    "import torch\nimport triton\nimport triton.language as tl\n"         \
    "@triton.jit\n"                                                       \
    "def k(x, o, sx, N, M, B: tl.constexpr):\n"                           \
    "    r = tl.program_id(0)\n"                                          \
    "    c = tl.arange(0, B)\n" offsets                                   \
    "    v = tl.load(x + at + c, mask=c < N, other=0.0).to(tl.float32)\n" \
    "    tl.store(o + to + c, (v * 2 + 1).to(tl.float16), mask=c < N)\n"  \
    "def run(x):\n"                                                       \
    "    M, N = x.shape\n"                                                \
    "    o = torch.empty((M, N), dtype=x.dtype, device=x.device)\n" tail "    return o\n"
#define WIDE   "    at = r.to(tl.int64) * sx\n    to = r.to(tl.int64) * N\n"
#define NARROW "    at = r.to(tl.int64) * sx\n    to = r * N\n"
#define ROWS   "    k[(M,)](x, o, x.stride(0), N, M, B=triton.next_power_of_2(N))\n"
#define PAIRS  "    k[(2, (M + 1) // 2)](x, o, x.stride(0), N, M, B=triton.next_power_of_2(N))\n"

static Verdict judged(Arena *a, const char *definition, const char *source) {
    DiagList diags = DIAGS(a);
    Op *op = NEW(a, Op);
    Err e = {0};
    Verdict v;
    if (!op_define(a, STR("mine"), str_of(definition), true, op, &diags))
        fail_msg("%s", diag_first(&diags)->msg);
    uint64_t seed = 4;
    Str text = str_of(source);
    JudgeRequest q = {.op = op, .level = LEVEL_FULL, .filter = {.dtype = -1}, .seed = &seed};
    if (!referee_judge(referee, a, &q, &text, 1, &v, &e)) fail_msg("%s", e.msg);
    return v;
}

static void wide_addresses_are_safe(void **state) {
    (void)state;
    Arena a = {0};
    Verdict v = judged(&a, DOC INPUTS DIMS BODY, KERNEL(WIDE, ROWS));
    assert_int_equal(v.decision.status, STATUS_ok);
    assert_true(v.evidence.large.asked && v.evidence.large.safe > INT32_MAX && v.evidence.large.fails == 0);
    Buf words = BUF(&a);
    large_tensors_words(&words, &v.evidence.large);
    assert_string_equal(buf_cstr(&words),
                        "addresses are right up to 2147483840 elements (a few programs of each launch)");
    v = judged(&a, DOC INPUTS DIMS "giant = True\n" BODY, KERNEL(WIDE, ROWS));
    assert_int_equal(v.decision.status, STATUS_ok);
    arena_free(&a);
}

static void narrow_ones_are_told_with_their_line(void **state) {
    (void)state;
    Arena a = {0};
    Verdict v = judged(&a, DOC INPUTS DIMS BODY, KERNEL(NARROW, ROWS));
    assert_int_equal(v.decision.status, STATUS_ok);
    assert_true(v.evidence.large.safe > 2147480000 && v.evidence.large.safe < INT32_MAX);
    assert_true(v.evidence.large.fails > INT32_MAX);
    assert_int_equal(v.evidence.large.at.line, 9);
    assert_non_null(strstr(v.evidence.large.why, "int32 overflow in an address"));
    // Where the definition declares such shapes, it is a rejection.
    v = judged(&a, DOC INPUTS DIMS "giant = True\n" BODY, KERNEL(NARROW, ROWS));
    assert_int_equal(v.decision.status, STATUS_bad_value);
    assert_non_null(strstr(v.decision.feedback, "line 9:"));
    assert_non_null(strstr(v.decision.feedback, "int32 overflow"));
    assert_non_null(strstr(v.decision.feedback, "33554435x64"));
    assert_true(strlen(v.decision.feedback) <= FEEDBACK_MAX);
    arena_free(&a);
}

// Tensors of fewer than 2^31 - 65,536 elements are in every domain, whatever its definition says of larger
// ones.
static void overflow_within_the_domain_is_a_rejection(void **state) {
    (void)state;
    Arena a = {0};
    Verdict v = judged(&a, DOC INPUTS DIMS BODY,
                       KERNEL("    at = r.to(tl.int64) * sx\n    to = r * N * 2 // 2\n", ROWS));
    assert_int_equal(v.decision.status, STATUS_bad_value);
    assert_non_null(strstr(v.decision.feedback, "line 9:"));
    // What says that it does not want them narrows its domain.
    v = judged(&a, DOC INPUTS DIMS BODY,
               KERNEL("    at = r.to(tl.int64) * sx\n    to = r * N * 2 // 2\n",
                      "    if x.numel() > 1000000000:\n        raise ValueError(\"too many\")\n" ROWS));
    assert_int_equal(v.decision.status, STATUS_ok);
    arena_free(&a);
}

// More programs along the second axis than CUDA takes; not yet so with 70,000 rows (production.h).
static void grids_have_an_end(void **state) {
    (void)state;
    Arena a = {0};
    const char *source = KERNEL("    r = tl.program_id(1) * 2 + tl.program_id(0)\n"
                                "    c = tl.where(r < M, c, N)\n" WIDE,
                                PAIRS);
    Verdict v = judged(&a, DOC INPUTS DIMS BODY, source);
    assert_int_equal(v.decision.status, STATUS_host_error); // the domain has such tensors
    assert_true(v.evidence.large.safe == 0 && v.evidence.large.fails > 0 &&
                v.evidence.large.fails < INT32_MAX);
    assert_non_null(strstr(v.evidence.large.why, "grid dimension 1"));
    v = judged(&a, DOC INPUTS DIMS "giant = True\n" BODY, source);
    assert_int_equal(v.decision.status, STATUS_host_error);
    arena_free(&a);
}

// One program that walks over everything: nothing is known, and nothing is guessed.
static void what_takes_too_long_is_not_known(void **state) {
    (void)state;
    Arena a = {0};
    static const char source[] =
        "import torch\nimport triton\nimport triton.language as tl\n"
        "@triton.jit\n"
        "def k(x, o, sx, N, M, B: tl.constexpr):\n"
        "    c = tl.arange(0, B)\n"
        "    for r in range(M):\n"
        "        v = tl.load(x + r.to(tl.int64) * sx + c, mask=c < N, other=0.0).to(tl.float32)\n"
        "        tl.store(o + r.to(tl.int64) * N + c, (v * 2 + 1).to(tl.float16), mask=c < N)\n"
        "def run(x):\n"
        "    M, N = x.shape\n"
        "    o = torch.empty((M, N), dtype=x.dtype, device=x.device)\n"
        "    k[(1,)](x, o, x.stride(0), N, M, B=triton.next_power_of_2(N))\n"
        "    return o\n";
    Verdict v = judged(&a, DOC INPUTS DIMS BODY, source);
    assert_int_equal(v.decision.status, STATUS_ok);
    assert_true(v.evidence.large.asked && v.evidence.large.safe == 0 && v.evidence.large.fails == 0);
    assert_non_null(strstr(v.evidence.large.why, "too much of the data"));
    v = judged(&a, DOC INPUTS DIMS "giant = True\n" BODY, source);
    assert_int_equal(v.decision.status, STATUS_unsupported);
    assert_string_equal(v.decision.rule, "giant");
    arena_free(&a);
}

static void domains_that_end_before_are_not_asked(void **state) {
    (void)state;
    Arena a = {0};
    Verdict v =
        judged(&a, DOC INPUTS "dims = {\"N\": {\"max\": 64, \"usual\": 64}, \"M\": {\"max\": 65536}}\n" BODY,
               KERNEL(NARROW, ROWS));
    assert_int_equal(v.decision.status, STATUS_ok);
    assert_false(v.evidence.large.asked);
    arena_free(&a);
}

// A store to every page would take all memory there is.
static void memory_is_not_to_be_had(void **state) {
    (void)state;
    Arena a = {0};
    static const char source[] = "import torch\nimport triton\nimport triton.language as tl\n"
                                 "@triton.jit\n"
                                 "def bomb(w, PAGES, B: tl.constexpr):\n"
                                 "    for p in range(0, PAGES, B):\n"
                                 "        tl.store(w + (p + tl.arange(0, B)).to(tl.int64) * 2048, 0.0)\n"
                                 "@triton.jit\n"
                                 "def k(x, o, sx, N, B: tl.constexpr):\n"
                                 "    r = tl.program_id(0).to(tl.int64)\n"
                                 "    c = tl.arange(0, B)\n"
                                 "    v = tl.load(x + r * sx + c, mask=c < N, other=0.0).to(tl.float32)\n"
                                 "    tl.store(o + r * N + c, (v * 2 + 1).to(tl.float16), mask=c < N)\n"
                                 "def run(x):\n"
                                 "    M, N = x.shape\n"
                                 "    o = torch.empty((M, N), dtype=x.dtype, device=x.device)\n"
                                 "    if M > 1000000:\n"
                                 "        w = torch.empty((1 << 32,), dtype=x.dtype, device=x.device)\n"
                                 "        bomb[(1,)](w, 1 << 21, B=1024)\n"
                                 "    k[(M,)](x, o, x.stride(0), N, B=triton.next_power_of_2(N))\n"
                                 "    return o\n";
    Verdict v = judged(&a, DOC INPUTS DIMS BODY, source);
    // No case has rows beyond a million: that is said, and nothing against the program.
    assert_int_equal(v.decision.status, STATUS_unreached);
    assert_true(v.evidence.large.asked && v.evidence.large.safe == 0 && v.evidence.large.fails == 0);
    arena_free(&a);
}

// Programs of several launches: what the ones that were left out would have written is no finding, and fills
// of zero cost nothing.
static void scratch_is_there(void **state) {
    (void)state;
    Arena a = {0};
    static const char source[] =
        "import torch\nimport triton\nimport triton.language as tl\n"
        "@triton.jit\n"
        "def k(x, o, sx, N, f, B: tl.constexpr):\n"
        "    r = tl.program_id(0).to(tl.int64)\n"
        "    c = tl.arange(0, B)\n"
        "    v = tl.load(x + r * sx + c, mask=c < N, other=0.0).to(tl.float32)\n"
        "    tl.atomic_add(o + r * N + c, v * f, mask=c < N)\n"
        "@triton.jit\n"
        "def last(x, o, N, B: tl.constexpr):\n"
        "    at = (tl.num_programs(0) - 1 - tl.program_id(0)).to(tl.int64) * N + tl.arange(0, B)\n"
        "    m = tl.arange(0, B) < N\n"
        "    tl.store(o + at, (tl.load(x + at, mask=m, other=0.0) + 1).to(tl.float16), mask=m)\n"
        "def run(x):\n"
        "    M, N = x.shape\n"
        "    w = torch.zeros((M, N), dtype=torch.float32, device=x.device)\n"
        "    o = torch.empty((M, N), dtype=x.dtype, device=x.device)\n"
        "    k[(M,)](x, w, x.stride(0), N, 2.0, B=triton.next_power_of_2(N))\n"
        "    last[(M,)](w, o, N, B=triton.next_power_of_2(N))\n"
        "    return o\n";
    Verdict v = judged(&a, DOC INPUTS DIMS "giant = True\n" BODY, source);
    if (v.decision.status != STATUS_ok) fail_msg("%s", v.decision.feedback);
    assert_true(v.evidence.large.safe > INT32_MAX);
    arena_free(&a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wide_addresses_are_safe),
        cmocka_unit_test(narrow_ones_are_told_with_their_line),
        cmocka_unit_test(overflow_within_the_domain_is_a_rejection),
        cmocka_unit_test(grids_have_an_end),
        cmocka_unit_test(what_takes_too_long_is_not_known),
        cmocka_unit_test(domains_that_end_before_are_not_asked),
        cmocka_unit_test(memory_is_not_to_be_had),
        cmocka_unit_test(scratch_is_there),
    };
    Err e = {0};
    RefereeConfig config = {.no_journal = true, .jobs = 1};
    if (!referee_open(&config, &referee, &e)) return print_error("%s\n", e.msg), 1;
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    referee_close(referee);
    return failed;
}
