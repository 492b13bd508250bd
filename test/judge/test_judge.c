// How one candidate gets its verdict: every config, sizes of its own, rows longer than any that are planned,
// and what is no source at all.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "cases/case_memory.h"
#include "judge/referee.h"

static Str first_program(Arena *a, ProgramKind kind, const char *op) {
    int n;
    const Program *p = op_programs(a, &n);
    for (int i = 0; i < n; i++)
        if (p[i].kind == kind && (!op || str_is(p[i].op, op))) return p[i].source;
    fail_msg("no program");
    return STR("");
}

// An autotuned kernel of which one config is wrong in one place: nine configs, the longest rows only.
static void every_config_meets_every_case(void **state) {
    (void)state;
    Arena a = {0};
    Err e = {0};
    int n, at = 0;
    const Program *p = op_programs(&a, &n);
    while (at < n && strcmp(p[at].name, "one_config_of_many") != 0) at++;
    assert_true(at < n);
    Referee *r;
    RefereeConfig config = {.jobs = 2, .no_journal = true};
    if (!referee_open(&config, &r, &e)) fail_msg("%s", e.msg);
    Op op;
    assert_true(op_find(&a, STR("softmax"), &op));
    // The same with a config that is never wrong: the passes accept what is right.
    char *right = arena_strndup(&a, p[at].source.p, p[at].source.len), *spot = strstr(right, "WHICH == 17");
    assert_non_null(spot);
    memcpy(spot, "WHICH == 99", 11);
    Str source[2] = {p[at].source, str_of(right)};
    for (uint64_t seed = 1; seed < 4; seed++) {
        JudgeRequest q = {
            .op = &op, .level = LEVEL_FULL, .filter = {.m = 2, .n = 20480, .dtype = DT_F32}, .seed = &seed};
        Verdict v[2];
        if (!referee_judge(r, &a, &q, source, 2, v, &e)) fail_msg("%s", e.msg);
        assert_false(verdict_accepted(&v[0]));
        if (!verdict_accepted(&v[1])) fail_msg("%s", v[1].decision.feedback);
    }
    referee_close(r);
    arena_free(&a);
}

// Sizes that a candidate compares with get cases of their own: other inputs than those that the batch shares,
// and the fork server's copy of the latter is not theirs.
static void a_size_of_its_own_is_judged_on_its_own_inputs(void **state) {
    (void)state;
    enum { MANY = 8 }; // enough for the draw to be kept
    Arena a = {0};
    Err e = {0};
    Referee *r;
    RefereeConfig config = {.jobs = 1, .no_journal = true};
    if (!referee_open(&config, &r, &e)) fail_msg("%s", e.msg);
    Op op;
    assert_true(op_find(&a, STR("softmax"), &op));
    Str gold = first_program(&a, PROGRAM_GOLD, "softmax"), source[MANY];
    for (int i = 0; i < MANY; i++) {
        Buf b = BUF(&a);
        const char *at = strstr(str_cdup(&a, gold), "M, N = x.shape\n");
        assert_non_null(at);
        buf_put(&b, gold.p, gold.len - strlen(at));
        buf_printf(&b, "M, N = x.shape\n    if N == %d:\n        M = M + 0\n    %s", 50 + i,
                   at + strlen("M, N = x.shape\n    "));
        source[i] = buf_str(&b);
    }
    JudgeRequest q = {.op = &op, .level = LEVEL_FULL, .filter = {.dtype = -1}};
    Verdict v[MANY];
    assert_true(referee_judge(r, &a, &q, source, MANY, v, &e));
    for (int i = 0; i < MANY; i++) {
        if (v[i].decision.status != STATUS_ok)
            fail_msg("%s: %s", status_name(v[i].decision.status), v[i].decision.feedback);
        assert_int_equal(v[i].evidence.tries, 1);
        assert_int_equal(v[i].evidence.tried[0], 50 + i);
    }
    referee_close(r);
    arena_free(&a);
}

static StatusClass class_of(Verdict v) { return status_class(v.decision.status); }

static Referee *referee_of(int jobs) {
    Err e = {0};
    Referee *r;
    RefereeConfig config = {.jobs = jobs, .no_journal = true};
    if (!referee_open(&config, &r, &e)) fail_msg("%s", e.msg);
    return r;
}

// The gold of softmax with a statement before its first launch.
static Str gold_with(Arena *a, const char *statement) {
    const char *gold = str_cdup(a, first_program(a, PROGRAM_GOLD, "softmax")), *line = "M, N = x.shape\n",
               *at = strstr(gold, line);
    assert_non_null(at);
    at += strlen(line);
    return str_of(arena_printf(a, "%.*s    %s\n%s", (int)(at - gold), gold, statement, at));
}

static void rows_beyond_the_plan_may_be_refused_but_not_wrong(void **state) {
    (void)state;
    Arena a = {0};
    Err e = {0};
    Op op;
    Referee *r = referee_of(2);
    assert_true(op_find(&a, STR("softmax"), &op));
    const Str source[] = {gold_with(&a, "assert N <= 70000"), gold_with(&a, "N = min(N, 70000)"),
                          gold_with(&a, "assert N != 70001")};
    enum { REFUSES, WRONG, REFUSES_ONE, SOURCES };
    uint64_t seed = 4;
    JudgeRequest q = {.op = &op, .level = LEVEL_FULL, .filter = {.dtype = -1}, .seed = &seed};
    Verdict v[SOURCES];
    if (!referee_judge(r, &a, &q, source, SOURCES, v, &e)) fail_msg("%s", e.msg);
    if (v[REFUSES].decision.status != STATUS_ok) fail_msg("%s", v[REFUSES].decision.feedback);
    assert_int_equal(class_of(v[WRONG]), CLASS_REJECTED);
    assert_int_equal(class_of(v[REFUSES_ONE]), CLASS_ACCEPTED);
    // At quick nobody asks.
    q.level = LEVEL_QUICK;
    if (!referee_judge(r, &a, &q, &source[WRONG], 1, v, &e)) fail_msg("%s", e.msg);
    assert_int_equal(v[0].decision.status, STATUS_ok);
    referee_close(r);
    arena_free(&a);
}

static void every_size_is_asked_for_and_told(void **state) {
    (void)state;
    Arena a = {0};
    Err e = {0};
    Op op;
    Referee *r = referee_of(2);
    assert_true(op_find(&a, STR("softmax"), &op));
    // Wrong for one length that no comparison names.
    const Str source[] = {first_program(&a, PROGRAM_GOLD, "softmax"),
                          gold_with(&a, "N = N - (1 if N % 64 == 55 and N // 64 == 0 else 0)")};
    uint64_t seed = 4;
    JudgeRequest q = {
        .op = &op, .level = LEVEL_FULL, .filter = {.dtype = DT_F32}, .every_size = 60, .seed = &seed};
    Verdict v[2];
    if (!referee_judge(r, &a, &q, source, 2, v, &e)) fail_msg("%s", e.msg);
    if (v[0].decision.status != STATUS_ok) fail_msg("%s", v[0].decision.feedback);
    assert_int_equal(v[0].evidence.every_size, 60);
    assert_int_equal(class_of(v[1]), CLASS_REJECTED);
    referee_close(r);
    arena_free(&a);
}

// What candidates have in common is drawn once, and changes nothing that is said of them.
static void sizes_in_common_are_drawn_once(void **state) {
    (void)state;
    Arena a = {0};
    Err e = {0};
    Referee *r = referee_of(2);
    Op op;
    assert_true(op_find(&a, STR("softmax"), &op));
    uint64_t seed = 12;
    JudgeRequest q = {.op = &op, .level = LEVEL_FULL, .filter = {.dtype = -1}, .seed = &seed};
    Str source[3] = {gold_with(&a, "if N == 77:\n        M = M + 0")};
    source[1] = source[2] = source[0];
    int64_t found = case_memory_found();
    Verdict alone, v[3];
    assert_true(referee_judge(r, &a, &q, source, 1, &alone, &e));
    assert_int_equal(alone.decision.status, STATUS_ok);
    assert_int_equal(case_memory_found(), found);
    assert_true(referee_judge(r, &a, &q, source, 3, v, &e));
    assert_true(case_memory_found() > found); // by the last one, whoever draws beside each other
    for (int i = 0; i < 3; i++) {
        assert_int_equal(v[i].decision.status, STATUS_ok);
        assert_int_equal(v[i].cases.run, alone.cases.run);
        assert_int_equal(v[i].cases.passed, alone.cases.passed);
        assert_true(v[i].cases.worst.use == alone.cases.worst.use);
        assert_string_equal(v[i].decision.feedback, alone.decision.feedback);
    }
    referee_close(r);
    arena_free(&a);
}

static void a_source_that_is_too_large_is_no_source(void **state) {
    (void)state;
    Arena a = {0};
    Err e = {0};
    Op op;
    Referee *r = referee_of(1);
    assert_true(op_find(&a, STR("softmax"), &op));
    Buf b = BUF(&a);
    Str gold = first_program(&a, PROGRAM_GOLD, "softmax");
    buf_put(&b, gold.p, gold.len);
    while (b.len <= SOURCE_MAX) buf_puts(&b, "# one more line of nothing\n");
    Str source = buf_str(&b);
    JudgeRequest q = {.op = &op, .level = LEVEL_QUICK, .filter = {.dtype = DT_F32}};
    Verdict v;
    assert_true(referee_judge(r, &a, &q, &source, 1, &v, &e));
    assert_int_equal(v.decision.status, STATUS_parse_reject);
    assert_string_equal(v.decision.rule, "syntax");
    source.len = SOURCE_MAX; // cut within a comment: the same program
    while (source.p[source.len - 1] != '\n') source.len--;
    assert_true(referee_judge(r, &a, &q, &source, 1, &v, &e));
    assert_int_equal(v.decision.status, STATUS_ok);
    referee_close(r);
    arena_free(&a);
}

// What comes first of several findings in one case is chance: the order of programs is drawn.
static void what_it_is_called_does_not_depend_on_the_seed(void **state) {
    (void)state;
    enum { SEEDS = 12 };
    static const struct {
        const char *name;
        Status status;
    } all[] = {{"softmax_last_writer", STATUS_nondeterministic}, {"softmax_store_without_mask", STATUS_oob}};
    Arena a = {0};
    Err e = {0};
    Referee *r;
    Op op;
    int n;
    const Program *p = op_programs(&a, &n);
    if (!referee_open(&(RefereeConfig){.no_journal = true}, &r, &e)) fail_msg("%s", e.msg);
    assert_true(op_find(&a, STR("softmax"), &op));
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        int at = 0;
        while (at < n && strcmp(p[at].name, all[k].name) != 0) at++;
        assert_true(at < n);
        for (uint64_t seed = 1; seed <= SEEDS; seed++) {
            Verdict v;
            JudgeRequest q = {.op = &op, .level = LEVEL_QUICK, .filter = {.dtype = -1}, .seed = &seed};
            assert_true(referee_judge(r, &a, &q, &p[at].source, 1, &v, &e));
            if (v.decision.status != all[k].status)
                fail_msg("%s, seed %d: %s", all[k].name, (int)seed, status_name(v.decision.status));
        }
    }
    referee_close(r);
    arena_free(&a);
}

// Cases of a size of its own are drawn without calls of one object, and once more with them where the object
// keeps something at that size alone.
static void what_it_keeps_at_a_size_of_its_own_is_called(void **state) {
    (void)state;
    static const char form[] =
        "import torch\n"
        "import torch.nn as nn\n"
        "import triton\n"
        "import triton.language as tl\n"
        "@triton.jit\n"
        "def kernel(x, out, n, N, stride, BLOCK: tl.constexpr):\n"
        "    at = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)\n"
        "    mask = at < n\n"
        "    v = tl.load(x + at // N * stride + at %% N, mask=mask, other=0.0).to(tl.float32)\n"
        "    v = tl.maximum(v, 0.0)\n"
        "    tl.store(out + at, v * v, mask=mask)\n"
        "def relu2(x):\n"
        "    out = torch.empty(x.shape, dtype=x.dtype, device=x.device)\n"
        "    kernel[(triton.cdiv(x.numel(), 512),)](x, out, x.numel(), x.shape[1], x.stride(0), BLOCK=512)\n"
        "    return out\n"
        "class ModelNew(nn.Module):\n"
        "    def __init__(self):\n"
        "        super().__init__()\n"
        "        self.kept = {}\n"
        "    def forward(self, x):\n"
        "        key = (x.shape[0], x.shape[1], x.stride(0), x.dtype)\n"
        "        if x.shape[1] == 53:\n"
        "            if key not in self.kept:\n"
        "                self.kept[key] = %s\n"
        "            %s\n"
        "        return relu2(x)\n";
    Arena a = {0};
    Err e = {0};
    Referee *r = referee_of(1);
    Op op;
    assert_true(op_find(&a, STR("relu2"), &op));
    const Str source[2] = {str_of(arena_printf(&a, form, "relu2(x)", "return self.kept[key]")),
                           str_of(arena_printf(&a, form, "53", "key = 0"))};
    uint64_t seed = 5;
    JudgeRequest q = {.op = &op, .level = LEVEL_FULL, .filter = {.dtype = -1}, .seed = &seed};
    Verdict v[2];
    if (!referee_judge(r, &a, &q, source, 2, v, &e)) fail_msg("%s", e.msg);
    assert_int_equal(v[0].decision.status, STATUS_incorrect);
    assert_string_equal(v[0].decision.rule, "calls");
    if (!verdict_accepted(&v[1])) fail_msg("%s", v[1].decision.feedback);
    assert_true(v[1].keeps);
    referee_close(r);
    arena_free(&a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_config_meets_every_case),
        cmocka_unit_test(a_size_of_its_own_is_judged_on_its_own_inputs),
        cmocka_unit_test(what_it_keeps_at_a_size_of_its_own_is_called),
        cmocka_unit_test(rows_beyond_the_plan_may_be_refused_but_not_wrong),
        cmocka_unit_test(every_size_is_asked_for_and_told),
        cmocka_unit_test(sizes_in_common_are_drawn_once),
        cmocka_unit_test(a_source_that_is_too_large_is_no_source),
        cmocka_unit_test(what_it_is_called_does_not_depend_on_the_seed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
