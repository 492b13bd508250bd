// What would explain wrong values: each hypothesis with a program that it holds of, and the plain words where
// none does.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "judge/decide/guesses.h"
#include "judge/referee.h"

static Referee *referee;
static Arena a;

static Str named(const char *name) {
    int n;
    const Program *p = op_programs(&a, &n);
    for (int i = 0; i < n; i++)
        if (strcmp(p[i].name, name) == 0) return p[i].source;
    fail_msg("no program %s", name);
    return STR("");
}

static Str edited(const char *name, const char *from, const char *to) {
    const char *text = str_cdup(&a, named(name)), *at = strstr(text, from);
    if (!at) fail_msg("%s has no '%s'", name, from);
    return str_of(arena_printf(&a, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from)));
}

static const char *told(const char *op_name, Str source) {
    Err e = {0};
    Op op;
    Verdict v;
    uint64_t seed = 1;
    assert_true(op_find(&a, str_of(op_name), &op));
    JudgeRequest q = {.op = &op, .level = LEVEL_QUICK, .filter = {.dtype = -1}, .seed = &seed};
    if (!referee_judge(referee, &a, &q, &source, 1, &v, &e)) fail_msg("%s", e.msg);
    assert_true(status_class(v.decision.status) == CLASS_REJECTED);
    return v.decision.feedback;
}

static void what_holds_is_said(void **state) {
    (void)state;
    const char *store = "gate * tl.sigmoid(gate) * up,";
    const struct {
        const char *op;
        Str source;
        const char *says;
    } all[] = {
        {"rmsnorm", named("rmsnorm_eps_1e5"),
         "They are right for 1e-5 instead of 1e-6: take the definition's number."},
        {"layernorm", named("layernorm_eps_1e6"), "right for 1e-6 instead of 1e-5"},
        {"layernorm", named("layernorm_no_eps"),
         "right for 0.0 instead of 1e-5: add eps as the definition does."},
        {"rmsnorm", named("rmsnorm_few_lanes"), "A long chain of additions explains that"},
        {"geglu", named("geglu_exact_form"), "those of the exact form"},
        {"rmsnorm_gelu_erf", named("rmsnorm_gelu_erf_tanh_form"), "those of the form with tanh"},
        {"rmsnorm_gelu", edited("rmsnorm_gelu", "0.7978845608028654", "0.79788"),
         "right for 0.79788 instead of 0.7978845608028654: write that constant with more digits."},
        {"rope_interleaved", named("rope_interleaved_sign"), "compare the formula"},
        {"swiglu", edited("swiglu", store, "tl.sqrt(gate) * tl.sigmoid(gate) * up,"),
         "Finite values are wrong, too"},
        {"swiglu",
         edited(
             "swiglu", store,
             "tl.where(tl.abs(gate * tl.sigmoid(gate) * up) < 6.1e-5, 0.0, gate * tl.sigmoid(gate) * up),"),
         "compare the formula"},
        {"rmsnorm", named("rmsnorm_scale_rounded"), "within 2 units in the last place of bfloat16"},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        const char *s = told(all[i].op, all[i].source);
        if (!strstr(s, all[i].says)) fail_msg("%s lacks '%s': %s", all[i].op, all[i].says, s);
        if (strstr(s, "compare the formula, eps") && !strstr(all[i].says, "compare the formula"))
            fail_msg("%s", s);
    }
}

// Values that float16 holds as subnormals, kept as zero in that type alone.
static void subnormals_that_are_flushed(void **state) {
    (void)state;
    Str source = edited(
        "swiglu", "tl.store(out_ptr + row * out_stride + cols, gate * tl.sigmoid(gate) * up, mask=mask)",
        "y = (gate * tl.sigmoid(gate) * up).to(out_ptr.dtype.element_ty)\n"
        "    if out_ptr.dtype.element_ty == tl.float16:\n"
        "        y = tl.where(tl.abs(y.to(tl.float32)) < 6.103515625e-05, 0.0, "
        "y.to(tl.float32)).to(tl.float16)\n"
        "    tl.store(out_ptr + row * out_stride + cols, y, mask=mask)");
    const char *s = told("swiglu", source);
    if (!strstr(s, "subnormal in float16 and come out as zero")) fail_msg("%s", s);
    assert_null(strstr(s, "This is not rounding"));
}

static void what_does_not_hold_is_not_said(void **state) {
    (void)state;
    static const struct {
        const char *op, *name;
    } all[] = {{"rmsnorm", "rmsnorm_eps_outside_root"},
               {"rmsnorm", "rmsnorm_no_weight"},
               {"swiglu", "swiglu_no_up"}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        const char *s = told(all[i].op, named(all[i].name));
        if (strstr(s, "They are right for") || strstr(s, "explains that")) fail_msg("%s: %s", all[i].name, s);
    }
    // No maximum is subtracted in a norm, and no variance is taken in a gate.
    assert_null(strstr(told("rmsnorm", named("rmsnorm_no_eps")), "maximum"));
    const char *s = told("swiglu", named("swiglu_sigmoid_by_tanh"));
    assert_null(strstr(s, "variance"));
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
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_holds_is_said),
                                       cmocka_unit_test(subnormals_that_are_flushed),
                                       cmocka_unit_test(what_does_not_hold_is_not_said)};
    return cmocka_run_group_tests(tests, open_all, close_all);
}
