// Roundings: programs that are right by one of them, by a mixture, by none; and definitions whose roundings
// are not the reference.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "judge/roundings.h"

static Referee *referee;
static Arena a;

static const Program *program(const char *name) {
    int n;
    const Program *p = op_programs(&a, &n);
    for (int i = 0; i < n; i++)
        if (strcmp(p[i].name, name) == 0) return &p[i];
    fail_msg("no program %s", name);
    return NULL;
}

static Verdict judge(const char *name, Level level, uint64_t seed) {
    Err e = {0};
    Op op;
    Verdict v;
    const Program *p = program(name);
    assert_true(op_find(&a, p->op, &op));
    JudgeRequest q = {.op = &op, .level = level, .filter = {.dtype = -1}, .seed = &seed};
    if (!referee_judge(referee, &a, &q, &p->source, 1, &v, &e)) fail_msg("%s", e.msg);
    return v;
}

static void one_rounding_holds_throughout(void **state) {
    (void)state;
    static const struct {
        const char *name, *rounding; // NULL: rejected
    } all[] = {
        {"swiglu", ""},
        {"swiglu_gate_rounded", "gate"},
        {"rmsnorm_normalised_rounded", "normalised"},
        {"add_rmsnorm_sum_rounded", "sum"},
        {"add_rmsnorm_both_rounded", "both"},
        {"swiglu_gate_rounded_in_part", NULL},
        {"swiglu_gate_bfloat16", NULL},
        {"swiglu_sigmoid_rounded", NULL},
        {"rmsnorm_scale_rounded", NULL},
        {"rmsnorm_normalised_and_eps", NULL},
        {"add_rmsnorm_sum_rounded_once", NULL},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        for (uint64_t seed = 3; seed < 5; seed++) {
            Verdict v = judge(all[i].name, LEVEL_QUICK, seed);
            if (verdict_accepted(&v) != (all[i].rounding != NULL))
                fail_msg("%s: %s", all[i].name, v.decision.feedback);
            if (!str_is(v.rounding, all[i].rounding ? all[i].rounding : ""))
                fail_msg("%s: by rounding '%.*s'", all[i].name, STR_ARG(v.rounding));
        }
}

// The same program, many times in a round: one draw for all, and no verdict depends on its neighbours.
static void programs_of_a_round_share_its_draws(void **state) {
    (void)state;
    enum { N = 12 };
    Err e = {0};
    Op op;
    uint64_t seed = 6;
    Str source[N];
    Verdict v[N];
    assert_true(op_find(&a, STR("swiglu"), &op));
    for (int i = 0; i < N; i++)
        source[i] = program(i % 3 == 0   ? "swiglu_gate_rounded"
                            : i % 3 == 1 ? "swiglu"
                                         : "swiglu_gate_rounded_in_part")
                        ->source;
    JudgeRequest q = {.op = &op, .level = LEVEL_QUICK, .filter = {.dtype = -1}, .seed = &seed};
    if (!referee_judge(referee, &a, &q, source, N, v, &e)) fail_msg("%s", e.msg);
    for (int i = 0; i < N; i++) {
        assert_int_equal(verdict_accepted(&v[i]), i % 3 != 2);
        assert_true(str_is(v[i].rounding, i % 3 == 0 ? "gate" : ""));
    }
}

static bool checked(const char *body, char *why, size_t size) {
    DiagList d = DIAGS(&a);
    Err e = {0};
    Op op;
    const char *text =
        arena_printf(&a,
                     "\"\"\"An op.\"\"\"\ninputs = {\"x\": {\"shape\": (\"M\", \"N\")}, \"y\": "
                     "{\"shape\": (\"M\", \"N\")}}\n"
                     "def reference(x, y):\n    return (x.float() * y.float() * y.float()).to(x.dtype)\n"
                     "def rounded(x, y):\n    return %s\nroundings = {\"r\": rounded}\n",
                     body);
    if (!op_define(&a, STR("mine"), str_of(text), true, &op, &d)) fail_msg("%s\n%s", d.at[0].msg, text);
    bool ok = referee_check_definition(referee, &a, &op, &e);
    snprintf(why, size, "%s", ok ? "" : e.msg);
    return ok;
}

static void roundings_are_the_reference_in_float32(void **state) {
    (void)state;
    char why[600];
    if (!checked("(x * y) * y", why, sizeof why)) fail_msg("%s", why);
    if (!checked("((x.float() * y.float()).to(x.dtype).float() * y.float()).to(x.dtype)", why, sizeof why))
        fail_msg("%s", why);
    assert_false(checked("(x.float() * y.float()).to(x.dtype)", why, sizeof why));
    assert_non_null(strstr(why, "in float32 it is not the reference"));
    assert_false(checked("(x.float() * y.float() * y.float() * 1.00001).to(x.dtype)", why, sizeof why));
    assert_false(
        checked("(x.to(torch.bfloat16).float() * y.float() * y.float()).to(x.dtype)", why, sizeof why));
    assert_false(checked("x * 0", why, sizeof why)); // it would let a lazy program pass
    assert_false(checked("1.0", why, sizeof why));
}

static int open_all(void **state) {
    (void)state;
    Err e = {0};
    RefereeConfig config = {.jobs = 2, .no_journal = true};
    return referee_open(&config, &referee, &e) ? 0 : 1;
}
static int close_all(void **state) {
    (void)state;
    referee_close(referee);
    arena_free(&a);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(one_rounding_holds_throughout),
                                       cmocka_unit_test(programs_of_a_round_share_its_draws),
                                       cmocka_unit_test(roundings_are_the_reference_in_float32)};
    return cmocka_run_group_tests(tests, open_all, close_all);
}
