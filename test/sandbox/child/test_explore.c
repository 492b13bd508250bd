// The search for sizes: on conditions of a made-up candidate; and what a child says of it is read strictly.
#include "sandbox/child/explore.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static Outcomes *outcomes;
static int which, calls;

static bool candidate(void *arg, const ExplorePoint *p, int way) {
    (void)arg;
    calls++;
    int64_t m = p->size[0], n = p->size[1], stride = way >= EXPLORE_GAPS ? n + p->gap : n;
    switch (which) {
    case 0: // if M == 7 and N == 389
        outcome_compared(outcomes, 1, m, 7, m == 7);
        if (m == 7) outcome_compared(outcomes, 2, n, 389, n == 389);
        return true;
    case 1: // if N % 96 == 5 and M % 17 == 3
        outcome_compared(outcomes, 1, n % 96, 5, n % 96 == 5);
        if (n % 96 == 5) outcome_compared(outcomes, 2, m % 17, 3, m % 17 == 3);
        return true;
    case 2: outcome_compared(outcomes, 1, m * n, 12347 * 3, m * n == 12347 * 3); return true;
    case 4: // (M == 7) * (N == 389), as a factor
        outcome_compared(outcomes, 1, m, 7, m == 7);
        outcome_compared(outcomes, 2, n, 389, n == 389);
        return true;
    case 5: // if N % 1024 == 1023 and N > 10000
        outcome_compared(outcomes, 1, n % 1024, 1023, n % 1024 == 1023);
        if (n % 1024 == 1023) outcome_compared(outcomes, 2, n, 10000, n > 10000);
        return true;
    case 6: // if N * 40503 % 65536 == 12345
        outcome_compared(outcomes, 1, n * 40503 % 65536, 12345, n * 40503 % 65536 == 12345);
        return true;
    case 7: // if M * N > 1 << 22 and N % 16 == 0 and M < 300
        outcome_compared(outcomes, 1, m * n, 1 << 22, m * n > 1 << 22);
        if (m * n <= 1 << 22) return true;
        outcome_compared(outcomes, 2, n % 16, 0, n % 16 == 0);
        if (n % 16 == 0) outcome_compared(outcomes, 3, m, 300, m < 300);
        return true;
    case 8: // if x.stride(0) == 4104 and N < 4100
        outcome_compared(outcomes, 1, stride, 4104, stride == 4104);
        if (stride == 4104) outcome_compared(outcomes, 2, n, 4100, n < 4100);
        return true;
    case 9: // if M > 8 * N and N > 100
        outcome_compared(outcomes, 1, m, 8 * n, m > 8 * n);
        if (m > 8 * n) outcome_compared(outcomes, 2, n, 100, n > 100);
        return true;
    case 10: // if N * M % 65536 == 65535 and no such size is in the domain
        outcome_compared(outcomes, 1, 2 * n * m % 65536, 65535, false);
        return true;
    case 14: // where row < M, of a grid of M
        outcome_settled(outcomes, 1, m, m, false);
        return true;
    case 12: // T[N * 3] of 63021 and another
        outcome_entry(outcomes, 1, 0, n * 3, 4);
        outcome_entry(outcomes, 1, 8, n * 3, 63021);
        return true;
    case 13: // if M == 4097, if x.dtype is bfloat16, if N == 3001: no case shows that dtypes are told apart
        outcome_compared(outcomes, 1, m, 4097, m == 4097);
        if (m == 4097) outcome_seen(outcomes, 2, way % EXPLORE_GAPS == 1 ? 2 : 1);
        if (m == 4097 && way % EXPLORE_GAPS == 1) outcome_compared(outcomes, 3, n, 20007, n == 20007);
        return true;
    case 11: // if processors * 2 == 2 * 97 and M == 3
        outcome_compared(outcomes, 1, 2 * p->processors, 194, p->processors == 97);
        if (p->processors == 97) outcome_compared(outcomes, 2, m, 3, m == 3);
        return true;
    default: // raises there
        outcome_compared(outcomes, 1, n, 389, n == 389);
        return n != 389;
    }
}

static bool found(int number, int64_t m, int64_t n) {
    Arena a = {0};
    DiagList d = DIAGS(&a);
    ExploreDomain domain = {.inputs = 1,
                            .dims = 2,
                            .slices = 0,
                            .length = 1,
                            .seeds = 1,
                            .seed = {{5, 61}},
                            .seed_processors = {132}};
    domain.input[0].rank = 2;
    domain.input[0].dim[1] = 1;
    for (int i = 0; i < 2; i++) domain.dim[i].of = -1;
    outcomes = outcomes_new(&a, NEWN(&a, uint8_t, 10), 10);
    which = number;
    const Node *module =
        parse_module(&a, number == 11 ? STR("x = p.multi_processor_count\n") : STR("x = 7 + 389\n"), &d);
    ExplorePoints *points = NEW(&a, ExplorePoints);
    explore_search(&a, &(Explorer){&domain, outcomes, module, candidate, NULL, NULL}, points);
    bool any = false;
    for (int i = 0; i < points->n; i++) {
        int64_t pm = points->size[i][0], pn = points->size[i][1], gap = points->gap[i];
        bool gaps = points->ways[i] >> EXPLORE_GAPS;
        switch (number) {
        case 1: any |= pn % 96 == 5 && pm % 17 == 3; break;
        case 2: any |= pm * pn == m * n; break;
        case 5: any |= pn % 1024 == 1023 && pn > 10000; break;
        case 7: any |= pm * pn > 1 << 22 && pn % 16 == 0 && pm < 300; break;
        case 8: any |= gaps && pn + gap == 4104 && pn < 4100; break;
        case 9: any |= pm > 8 * pn && pn > 100; break;
        case 12: any |= pn == 21007; break;
        case 13: any |= pm == 4097 && pn == 20007 && (points->ways[i] & 2); break;
        case 11: any |= points->processors[i] == 97 && pm == 3; break;
        default: any |= pm == m && pn == n;
        }
    }
    arena_free(&a);
    return any;
}

static void numbers_are_met(void **state) {
    (void)state;
    assert_true(found(0, 7, 389));
    assert_true(found(1, 3, 5));
    assert_true(found(2, 3, 12347));
    assert_false(found(3, 5, 389)); // what raises is no case
    assert_true(found(4, 7, 389));
}

// A file that does not ask for the GPU is called with one alone.
static void processors_are_solved_for(void **state) {
    (void)state;
    assert_true(found(11, 0, 0));
}

// Entries of a table are met as numbers that are compared with are.
static void entries_are_met(void **state) {
    (void)state;
    assert_true(found(12, 0, 0));
    assert_true(found(13, 0, 0)); // dtypes that only a branch tells apart
}

static void what_no_number_leads_to_is_met(void **state) {
    (void)state;
    assert_true(found(5, 0, 0));
    assert_true(found(6, 5, 60687));
    assert_true(found(7, 0, 0));
    assert_true(found(8, 0, 0));
    assert_true(found(9, 0, 0));
}

// A condition that never holds, in a domain of few sizes: each of them is called in turn, and not once for
// every number that the domain takes for it.
static int calls_of(int of, int64_t multiple_of, int64_t max) {
    Arena a = {0};
    DiagList d = DIAGS(&a);
    ExploreDomain domain = {.inputs = 1, .dims = 2, .slices = 0, .length = 1, .seeds = 1, .seed = {{5, 128}}};
    domain.input[0].rank = 2;
    domain.input[0].dim[1] = 1;
    for (int i = 0; i < 2; i++) domain.dim[i].of = -1, domain.dim[i].max = 64;
    domain.dim[1].multiple_of = multiple_of;
    domain.dim[1].max = max;
    outcomes = outcomes_new(&a, NEWN(&a, uint8_t, 10), 10);
    which = of;
    calls = 0;
    ExplorePoints *points = NEW(&a, ExplorePoints);
    explore_search(
        &a, &(Explorer){&domain, outcomes, parse_module(&a, STR("x = 7\n"), &d), candidate, NULL, NULL},
        points);
    arena_free(&a);
    return calls;
}

static void a_small_domain_takes_few_calls(void **state) {
    (void)state;
    assert_in_range(calls_of(10, 1, 256), 1000, 100000);
    assert_in_range(calls_of(10, 128, 0), 1000, 100000); // 513 lengths
    assert_true(calls_of(10, 1, 0) > 500000);            // where there are many sizes, all are tried
    assert_in_range(calls_of(14, 1, 0), 1000, 100000);   // but not for what none of them changes
}

static void reports_are_read_strictly(void **state) {
    (void)state;
    ExploreDomain d = {.inputs = 1, .dims = 2, .slices = 0, .length = 1};
    d.input[0].rank = 2;
    d.input[0].dim[1] = 1;
    d.dim[0].of = d.dim[1].of = -1;
    d.dim[1].multiple_of = 2;
    ExplorePoints p;
    CaseReport r[2] = {{.magic = WIRE_MAGIC, .kind = REPORT_RAN},
                       {.magic = WIRE_MAGIC, .kind = REPORT_DONE, .case_index = -1}};
    wire_message(&r[0], "sizes 7 384 ways 9 gap 8 processors 132");
    assert_true(explore_read(&d, r, 2, &p) && p.n == 1 && p.size[0][1] == 384 && p.ways[0] == 9 &&
                p.processors[0] == 132);
    assert_true(explore_read(&d, r + 1, 1, &p) && p.n == 0);
    assert_false(explore_read(&d, r, 1, &p) || explore_read(&d, r, 0, &p));
    static const char *const as[] = {"", " entry", " computed entry"};
    for (int i = 0; i < EXPLORE_ENTRIES; i++) {
        Arena a = {0};
        Buf text = BUF(&a);
        p = (ExplorePoints){.n = 1, .size = {{7, 384}}, .ways = {2}, .gap = {8}, .processors = {132}};
        p.entry[0] = (uint8_t)i;
        p.before[0] = (uint8_t)(2 * i);
        explore_say(&d, &p, 0, &text);
        assert_non_null(strstr(buf_cstr(&text), as[i]));
        wire_message(&r[0], buf_cstr(&text));
        assert_true(explore_read(&d, r, 2, &p) && p.entry[0] == i && p.before[0] == 2 * i);
        arena_free(&a);
    }
    static const char *const bad[] = {"",
                                      "sizes",
                                      "sizes 7 ways 1 gap 8 processors 132",
                                      "sizes 7 384 ways 1 gap 8 processors 132 before 7",
                                      "sizes 7 384 ways 1 gap 8 processors 132 before",
                                      "sizes 7 384 ways 1 gap 8 processors 132 before -1",
                                      "sizes 7 383 ways 1 gap 8 processors 132",
                                      "sizes 7 384 2 ways 1 gap 8 processors 132",
                                      "sizes 7 0 ways 1 gap 8 processors 132",
                                      "sizes -7 384 ways 1 gap 8 processors 132",
                                      "sizes 07 384 ways 1 gap 8 processors 132",
                                      "sizes 99999999999 2 ways 1 gap 8 processors 132",
                                      "sizes 1073741824 1073741824 ways 1 gap 8 processors 132",
                                      "size 7 384 ways 1 gap 8 processors 132",
                                      "sizes 7 384",
                                      "sizes 7 384 ways 0 gap 8 processors 132",
                                      "sizes 7 384 ways 64 gap 8 processors 132",
                                      "sizes 7 384 ways 1 gap 8 processors 132 ",
                                      "sizes 7 384 ways 1 gap 8",
                                      "sizes 7 384 ways 1 gap 8 processors 0",
                                      "sizes 7 384 ways 1 gap 8 processors 2049",
                                      "sizes 7 384 ways 1 gap 8 processors 4095",
                                      "sizes 7 384 ways 1 gap 8 processors 4609",
                                      "sizes 7 384 ways 1",
                                      "sizes 7 384 ways 1 gap 0 processors 132",
                                      "sizes 7 384 ways 1 gap 65537 processors 132",
                                      "sizes 7 384 ways 1 gap 8 processors 132 entry ",
                                      "sizes 7 384 ways 1 gap 8 processors 132 computed",
                                      "sizes 7 384 ways 1 gap 8 processors 132entry"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        wire_message(&r[0], bad[i]);
        if (explore_read(&d, r, 2, &p) || p.n) fail_msg("%s", bad[i]);
    }
    wire_message(&r[0], "sizes 7 384 ways 9 gap 8 processors 132");
    r[0].case_index = 1;
    assert_false(explore_read(&d, r, 2, &p));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(numbers_are_met),
                                       cmocka_unit_test(processors_are_solved_for),
                                       cmocka_unit_test(entries_are_met),
                                       cmocka_unit_test(what_no_number_leads_to_is_met),
                                       cmocka_unit_test(a_small_domain_takes_few_calls),
                                       cmocka_unit_test(reports_are_read_strictly)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
