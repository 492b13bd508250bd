// What a verdict says to people about its evidence: what was tried, what came closest, what nothing covers.
#include "judge/evidence.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static Verdict verdict(Status status, int run, int passed) {
    return (Verdict){.decision = {.status = status},
                     .cases = {.run = run, .passed = passed},
                     .judged = {.level = LEVEL_FULL}};
}

static const char *told(Arena *a, const Verdict *v) {
    Buf out = BUF(a);
    evidence_text(&out, v, "# ");
    return buf_cstr(&out);
}

static void says(const Verdict *v, const char *what) {
    Arena a = {0};
    const char *text = told(&a, v);
    if (!strstr(text, what)) fail_msg("not told: %s\nin: %s", what, text);
    arena_free(&a);
}

static void says_not(const Verdict *v, const char *what) {
    Arena a = {0};
    const char *text = told(&a, v);
    if (strstr(text, what)) fail_msg("told: %s\nin: %s", what, text);
    arena_free(&a);
}

static void says_where_judging_stopped(void **state) {
    (void)state;
    Verdict v = verdict(STATUS_ok, 45, 45);
    says(&v, "# tried: 45 cases, all passed\n");
    says_not(&v, "stopped");
    v = verdict(STATUS_incorrect, 21, 14);
    says(&v, "# tried: 14 of 21 cases passed; judging stopped there and tried no further ones\n");
    v = verdict(STATUS_oob, 6, 6);
    says(&v, "# tried: 6 cases passed, then judging stopped\n");
    v = verdict(STATUS_compile_fail, 0, 0);
    says(&v, "# tried: no case ran to its end, so no value was compared\n");
    says_not(&v, "passed");
}

static void says_the_closest_call_as_a_share(void **state) {
    (void)state;
    Verdict v = verdict(STATUS_ok, 45, 45);
    says_not(&v, "closest:");
    snprintf(v.cases.worst.where, sizeof v.cases.worst.where, "float16 8x1024 spike_last");
    v.cases.worst.use = 0.2296;
    says(&v, "# closest: the largest error was 23 % of what is allowed, on float16 8x1024, class spike_last "
             "(one large value last, small ones before it)\n");
    says_not(&v, "worst:");
    v.cases.worst.use = 0.00123;
    says(&v, "was 0.12 % of");
    v.cases.worst.use = 0;
    says(&v, "# closest: no element was off by more than rounding to its type, as on float16 8x1024");
    snprintf(v.cases.worst.where, sizeof v.cases.worst.where,
             "float16 8x1024 strided"); // a hidden case: no class is told
    says(&v, "on float16 8x1024 strided\n");
}

static void says_the_worst_of_what_failed(void **state) {
    (void)state;
    Verdict v = verdict(STATUS_inaccurate, 21, 14);
    snprintf(v.cases.worst.where, sizeof v.cases.worst.where, "float32 3x7 bell");
    v.cases.worst.use = 1.25;
    says(&v, "# worst: an error 1.25 times as large as what is allowed, on float32 3x7, class bell (");
    says_not(&v, "closest:");
    v.cases.worst.use = 326584.2;
    says(&v, "an error 326584 times");
    v.cases.worst.use = INFINITY;
    says(&v, "# worst: an error where none is allowed, on float32 3x7");
    v.decision.status = STATUS_nan_class;
    says(&v, "# worst: NaN or infinity where the reference has none, or the reverse, on float32 3x7");
}

static void says_what_is_not_covered(void **state) {
    (void)state;
    Verdict v = verdict(STATUS_ok, 2, 2);
    says(&v, "# level full: ");
    says(&v, "# not covered: speed on a GPU, and sizes that no case had (");
    v.evidence.every_size = 500;
    says(&v, "# not covered: speed on a GPU\n");
    says_not(&v, "no case had");
    v.evidence.every_size = 0;
    v.judged.level = LEVEL_QUICK;
    says(&v, "# level quick: ordinary rows in every dtype; not covered: what level full adds");
    v.judged.only = (DrawFilter){.m = 7, .n = 64, .dtype = DT_BF16};
    says(&v, "# not covered: any other shape or dtype\n");
    says_not(&v, "# level");
    v.judged.only = (DrawFilter){.m = 7, .n = 64, .dtype = -1};
    says(&v, "# not covered: any other shape\n");
    v.judged.only = (DrawFilter){.dtype = DT_BF16};
    says(&v, "# not covered: any other dtype\n");
    says(&v, "# level quick: ");
    v.judged.only = (DrawFilter){.dtype = -1};
    says_not(&v, "any other");
    v.evidence.coverage = (Coverage){.line = {8, 9, 20}, .lines = 3};
    v.evidence.untested[0] = 700000;
    v.evidence.untesteds = 1;
    says(&v, "# not covered: lines 8-9, 20 of the source, which no case executed\n");
    says(&v, "# not covered: sizes that the source compares with: 700000\n");
    v.decision.status = STATUS_incorrect; // what a rejection did not cover does not matter
    says_not(&v, "which no case executed");
    says_not(&v, "speed");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(says_where_judging_stopped),
        cmocka_unit_test(says_the_closest_call_as_a_share),
        cmocka_unit_test(says_the_worst_of_what_failed),
        cmocka_unit_test(says_what_is_not_covered),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
