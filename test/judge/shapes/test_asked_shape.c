// One shape alone: the verdict names what cases had, and the asked shape only where all of its rows were
// judged.
#include "judge/referee.h"
#include "judge/shapes/asked_shape.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define KERNEL(special)                                                                   \
    "import torch\nimport triton\nimport triton.language as tl\n"                         \
    "@triton.jit\n"                                                                       \
    "def k(x, o, sx, so, N, s, B: tl.constexpr):\n"                                       \
    "    r = tl.program_id(0).to(tl.int64)\n"                                             \
    "    c = tl.arange(0, B)\n"                                                           \
    "    v = tl.load(x + r * sx + c, mask=c < N, other=0.0).to(tl.float32)\n"             \
    "    tl.store(o + r * so + c, v * tl.sigmoid(v) * s, mask=c < N)\n"                   \
    "def run(x):\n"                                                                       \
    "    M, N = x.shape\n"                                                                \
    "    o = torch.empty_like(x)\n"                                                       \
    "    s = 1.0\n    rows = M\n" special                                                 \
    "    k[(rows,)](x, o, x.stride(0), o.stride(0), N, s, B=triton.next_power_of_2(N))\n" \
    "    return o\n"

static Verdict judged(Arena *a, Level level, int64_t m, int64_t n, const char *source) {
    Referee *referee;
    Err e = {0};
    Verdict v;
    Op *op = NEW(a, Op);
    assert_true(op_find(a, STR("silu"), op));
    uint64_t seed = 4;
    Str text = str_of(source);
    if (!referee_open(&(RefereeConfig){.jobs = 1, .no_journal = true}, &referee, &e)) fail_msg("%s", e.msg);
    JudgeRequest q = {.op = op, .level = level, .filter = {.m = m, .n = n, .dtype = DT_F16}, .seed = &seed};
    if (!referee_judge(referee, a, &q, &text, 1, &v, &e)) fail_msg("%s", e.msg);
    referee_close(referee);
    return v;
}

static void says(Arena *a, const Verdict *v, const char *words, const char *json) {
    Buf text = BUF(a), object = BUF(a);
    restricted_words(&text, v);
    assert_string_equal(buf_cstr(&text), words);
    json_t *o = verdict_object(v);
    json_put(&object, json_object_get(o, "restricted"));
    json_decref(o);
    assert_string_equal(buf_cstr(&object), json);
}

static void what_was_drawn_is_named(void **state) {
    (void)state;
    Arena a = {0};
    Verdict v = judged(&a, LEVEL_QUICK, 64, 1000, KERNEL(""));
    assert_int_equal(v.decision.status, STATUS_ok);
    says(&a, &v, " on 64x1000 float16 only (restricted by --shape, --dtype)",
         "{\"shape\":\"64x1000\",\"dtype\":\"float16\"}");
    v = judged(&a, LEVEL_QUICK, 200000, 3, KERNEL(""));
    assert_int_equal(v.decision.status, STATUS_ok);
    says(&a, &v, " on 87384x3 float16 only (restricted by --shape 200000x3, --dtype)",
         "{\"shape\":\"87384x3\",\"dtype\":\"float16\",\"asked\":\"200000x3\"}");
    arena_free(&a);
}

static void all_rows_are_judged_at_full(void **state) {
    (void)state;
    Arena a = {0};
    Verdict v = judged(&a, LEVEL_FULL, 200000, 3, KERNEL("    if M == 200000:\n        s = 2.0 - 1.0\n"));
    assert_int_equal(v.decision.status, STATUS_ok);
    assert_true(v.judged.copied);
    says(&a, &v, " on 200000x3 float16 only (restricted by --shape, --dtype)",
         "{\"shape\":\"200000x3\",\"dtype\":\"float16\",\"drawn\":\"87384x3\"}");
    v = judged(&a, LEVEL_FULL, 200000, 3, KERNEL("    if M == 200000:\n        s = 1.01\n"));
    assert_int_equal(status_class(v.decision.status), CLASS_REJECTED);
    assert_string_equal(v.decision.rule, "production");
    v = judged(&a, LEVEL_FULL, 200000, 3, KERNEL("    rows = min(M, 199999)\n"));
    assert_int_equal(v.decision.status, STATUS_uncovered_output);
    arena_free(&a);
}

static void a_few_programs_are_not_all(void **state) {
    (void)state;
    Arena a = {0};
    Verdict v = judged(&a, LEVEL_FULL, 1 << 18, 1024, KERNEL(""));
    assert_int_equal(v.decision.status, STATUS_ok);
    assert_false(v.judged.copied);
    says(&a, &v, " on 259x1024 float16 only (restricted by --shape 262144x1024, --dtype)",
         "{\"shape\":\"259x1024\",\"dtype\":\"float16\",\"asked\":\"262144x1024\"}");
    assert_true(v.evidence.production.notes == 1 && v.evidence.production.note[0].few);
    arena_free(&a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_drawn_is_named),
        cmocka_unit_test(all_rows_are_judged_at_full),
        cmocka_unit_test(a_few_programs_are_not_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
