// Which definitions are refused because their cases could not tell right from wrong, and which are not.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "judge/referee.h"

static Referee *referee;

static bool checked(const char *inputs, const char *more, const char *body, char *why, size_t size) {
    Arena a = {0};
    DiagList d = DIAGS(&a);
    Err e = {0};
    Op op;
    const char *text = arena_printf(&a, "\"\"\"An op.\"\"\"\ninputs = {%s}\n%s\ndef reference(x):\n    %s\n",
                                    inputs, more, body);
    if (!op_define(&a, STR("mine"), str_of(text), true, &op, &d)) fail_msg("%s\n%s", d.at[0].msg, text);
    bool ok = referee_check_definition(referee, &a, &op, &e);
    snprintf(why, size, "%s", ok ? "" : e.msg);
    if (!ok) assert_int_equal(e.code, ERR_INPUT);
    arena_free(&a);
    return ok;
}

#define X "\"x\": {\"shape\": (\"M\", \"N\")}"

static void what_lazy_programs_would_pass_is_refused(void **state) {
    (void)state;
    static const struct {
        const char *inputs, *more, *body, *why;
    } cases[] = {
        {X, "", "return torch.exp(x.float()).to(x.dtype)", NULL},
        {X, "", "return x * 2", NULL},
        {X, "", "return x", "x"},
        {X, "", "return x * 0", ""},
        {X, "", "return x * 0 + 3", ""},
        // A declaration that the reference does not keep.
        {X, "invariant = {\"x\": \"shift\"}", "return torch.softmax(x.float(), dim=-1).to(x.dtype)", NULL},
        {X, "invariant = {\"x\": \"shift\"}", "return torch.exp(x.float()).to(x.dtype)", ""},
        // Tensors of more than 2^31 elements that the domain does not have.
        {X, "giant = True", "return torch.exp(x.float()).to(x.dtype)", NULL},
        {X, "giant = True\ndims = {\"M\": {\"max\": 64}, \"N\": {\"max\": 64}}",
         "return torch.exp(x.float()).to(x.dtype)", "giant = True"},
        // Values that leave float32's range in nearly every case.
        {"\"x\": {\"shape\": (\"M\", \"N\"), \"range\": (200, 300)}", "",
         "return torch.exp(x.float()).to(x.dtype)", ""},
        // A part of them is enough, as long as it is half.
        {"\"x\": {\"shape\": (\"M\", \"N\"), \"range\": (80, 100)}", "",
         "return torch.exp(x.float()).to(x.dtype)", "output elements can be judged"},
        {"\"x\": {\"shape\": (\"M\", \"N\"), \"range\": (80, 89)}", "",
         "return torch.exp(x.float()).to(x.dtype)", NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char why[600];
        bool ok = checked(cases[i].inputs, cases[i].more, cases[i].body, why, sizeof why);
        if (ok != !cases[i].why) fail_msg("%s %s: %s", cases[i].more, cases[i].body, ok ? "taken" : why);
        if (!ok && !strstr(why, cases[i].why)) fail_msg("'%s' lacks '%s'", why, cases[i].why);
    }
}

int main(void) {
    Err e = {0};
    if (!referee_open(&(RefereeConfig){.jobs = 2, .no_journal = true}, &referee, &e))
        return fprintf(stderr, "%s\n", e.msg), 1;
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_lazy_programs_would_pass_is_refused)};
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    referee_close(referee);
    return failed;
}
