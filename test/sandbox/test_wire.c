// What the parent believes of a child's reports: the right ones, and nothing else.
// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on
#include "sandbox/wire.h"
#include <string.h>

enum { CASES = 3, SOURCE = 100 };

static CaseReport ran(int index) {
    CaseReport r = {.magic = WIRE_MAGIC,
                    .case_index = index,
                    .kind = REPORT_RAN,
                    .output[0] = {.dtype = DT_F16, .rank = 2}};
    r.output[0].shape[0] = 3;
    r.output[0].shape[1] = 5;
    r.output[0].first_unwritten = -1;
    r.count.lanes = 15;
    return r;
}

static CaseReport finding(int index) {
    CaseReport r = {.magic = WIRE_MAGIC,
                    .case_index = index,
                    .kind = REPORT_FINDING,
                    .finding = DIAG_OOB,
                    .at = 90,
                    .len = 10};
    wire_message(&r, "store outside");
    return r;
}

static CaseReport closing(void) {
    return (CaseReport){.magic = WIRE_MAGIC, .case_index = -1, .kind = REPORT_DONE};
}

static WireEnd check(CaseReport *r, int n) {
    const char *why;
    WireEnd end = wire_check(r, n, CASES, SOURCE, &why);
    assert_true((end == WIRE_BROKEN) == (why != NULL));
    return end;
}

static void right_reports_are_believed(void **state) {
    (void)state;
    CaseReport all[] = {ran(0), ran(1), ran(2), closing()};
    assert_int_equal(check(all, 4), WIRE_DONE);
    CaseReport stops[] = {ran(0), finding(1)};
    assert_int_equal(check(stops, 2), WIRE_FINDING);
    assert_string_equal(stops[1].message, "store outside");
    CaseReport source = finding(-1);
    assert_int_equal(check(&source, 1), WIRE_FINDING);
    CaseReport first = finding(0);
    assert_int_equal(check(&first, 1), WIRE_FINDING);
}

static void the_order_is_fixed(void **state) {
    (void)state;
    const CaseReport broken[][5] = {
        {closing()},                                    // nothing ran
        {ran(0), ran(1), closing()},                    // one is missing
        {ran(0), ran(1), ran(2)},                       // the end is missing
        {ran(0), ran(2), ran(1), closing()},            // swapped
        {ran(0), ran(0), ran(1), closing()},            // twice
        {ran(1), ran(2), ran(2), closing()},            // from the middle
        {ran(0), ran(1), ran(2), ran(3), closing()},    // one too many
        {ran(0), finding(2)},                           // skips a case
        {ran(0), finding(0)},                           // names a case that ran
        {ran(0), finding(-1)},                          // too late for the source
        {ran(0), ran(1), ran(2), finding(3)},           // no such case
        {finding(0), ran(1), ran(2), closing()},        // goes on after a finding
        {ran(0), closing(), ran(1), ran(2), closing()}, // done twice
    };
    static const int n[] = {1, 3, 3, 4, 4, 4, 5, 2, 2, 2, 4, 4, 5};
    _Static_assert(sizeof n / sizeof *n == sizeof broken / sizeof *broken, "one length each");
    for (size_t i = 0; i < sizeof n / sizeof *n; i++) {
        CaseReport r[5];
        memcpy(r, broken[i], sizeof r);
        assert_int_equal(check(r, n[i]), WIRE_BROKEN);
    }
    assert_int_equal(check(NULL, 0), WIRE_BROKEN);
}

#define REFUSED(make, index, change)                                             \
    do {                                                                         \
        CaseReport r_[] = {ran(0), make(index), ran(2), closing()}, *r = &r_[1]; \
        int n_ = r->kind == REPORT_FINDING ? 2 : 4;                              \
        assert_int_not_equal(check(r_, n_), WIRE_BROKEN);                        \
        change;                                                                  \
        assert_int_equal(check(r_, n_), WIRE_BROKEN);                            \
    } while (0)

static void every_field_is_checked(void **state) {
    (void)state;
    REFUSED(ran, 1, r->magic++);
    REFUSED(ran, 1, r->kind = -1);
    REFUSED(ran, 1, r->kind = REPORT_CALL);
    REFUSED(ran, 1, r->kind = 4);
    REFUSED(ran, 1, r->case_index = INT32_MIN);
    REFUSED(ran, 1, r->output[0].dtype = -1);
    REFUSED(ran, 1, r->output[0].dtype = DT_COUNT);
    REFUSED(ran, 1, r->output[0].rank = -1);
    REFUSED(ran, 1, r->output[0].rank = TENSOR_RANK_MAX + 1);
    REFUSED(ran, 1, r->output[0].shape[0] = -1);
    REFUSED(ran, 1, r->output[0].shape[0] = r->output[0].shape[1] = INT64_MAX);
    REFUSED(ran, 1, r->output[0].unwritten = -1);
    REFUSED(ran, 1, r->output[0].repeats = -1);
    REFUSED(ran, 1, r->output[0].repeats = 2);
    REFUSED(ran, 1, r->output[0].repeats = -1);
    REFUSED(ran, 1, r->output[0].repeats = 2);
    REFUSED(ran, 1, r->again = 2);
    REFUSED(ran, 1, r->again = -2);
    REFUSED(ran, 1, r->contracted = 1);
    REFUSED(ran, 1, r->contracted = 8);
    REFUSED(ran, 1, r->contracted = -1);
    REFUSED(ran, 1, r->atomic_launches = -1);
    REFUSED(ran, 1, (r->output[0].unwritten = 16, r->output[0].first_unwritten = 0));
    REFUSED(ran, 1, (r->output[0].unwritten = 1, r->output[0].first_unwritten = -1));
    REFUSED(ran, 1, (r->output[0].unwritten = 1, r->output[0].first_unwritten = 15));
    REFUSED(ran, 1, r->output[WIRE_OUTPUTS_MAX - 1].dtype = DT_COUNT);
    REFUSED(ran, 1, r->output[1].unwritten = 2); // of an output of one element
    REFUSED(ran, 1, r->count.lanes = -1);
    REFUSED(ran, 1, r->count.bytes_copied = INT64_MAX);
    REFUSED(ran, 1, r->count.launches = INT64_MIN);
    REFUSED(ran, 1, r->count.tile_bytes = -1);
    REFUSED(ran, 1, r->count.warps = INT64_MAX);
    REFUSED(finding, 1, r->finding = DIAG_WARNING);
    REFUSED(finding, 1, r->finding = -1);
    REFUSED(finding, 1, r->finding = DIAG_COUNT);
    REFUSED(finding, 1, r->len = 11);
    REFUSED(finding, 1, r->at = 101);
    REFUSED(finding, 1, (r->at = 1, r->len = UINT32_MAX));
    REFUSED(finding, 1, r->count.programs = -1);
}

static void messages_are_made_printable(void **state) {
    (void)state;
    CaseReport r[] = {ran(0), finding(1)};
    memset(r[1].message, 'A', sizeof r[1].message); // no end
    memcpy(r[1].message, "\x1b[31m\r\n\t\x7f\xff%n", 12);
    assert_int_equal(check(r, 2), WIRE_FINDING);
    assert_int_equal(strlen(r[1].message), WIRE_MESSAGE_MAX - 1);
    assert_memory_equal(r[1].message, "?[31m?  ??%nAAA", 15);

    CaseReport hidden[] = {ran(0), finding(1)};
    memset(hidden[1].message, 'A', sizeof hidden[1].message);
    hidden[1].message[4] = 0;
    assert_int_equal(check(hidden, 2), WIRE_FINDING);
    for (int i = 4; i < WIRE_MESSAGE_MAX; i++) assert_int_equal(hidden[1].message[i], 0);

    char big[1000];
    memset(big, 'x', sizeof big);
    big[999] = 0;
    CaseReport m = {0};
    wire_message(&m, big);
    assert_int_equal(strlen(m.message), WIRE_MESSAGE_MAX - 1);
    assert_int_equal(m.magic, WIRE_MAGIC);
}

static void fields_that_a_kind_does_not_use_are_cleared(void **state) {
    (void)state;
    CaseReport r[] = {ran(0), finding(1)};
    r[0].finding = 77;
    r[0].at = 999999;
    r[0].output[0].shape[4] = -5;
    r[1].output[0].dtype = 99;
    r[1].output[0].rank = -3;
    r[1].output[0].shape[0] = -1;
    r[1].output[0].unwritten = -9;
    r[1].again = 7;
    r[1].atomic_launches = -7;
    assert_int_equal(check(r, 2), WIRE_FINDING);
    assert_int_equal(r[0].finding, 0);
    assert_int_equal(r[0].at, 0);
    assert_int_equal(r[0].output[0].shape[4], 0);
    assert_int_equal(r[1].output[0].dtype, 0);
    assert_int_equal(r[1].output[0].rank, 0);
    assert_int_equal(r[1].output[0].shape[0], 0);
    assert_int_equal(r[1].output[0].unwritten, 0);
    assert_int_equal(r[1].again, 0);
    assert_int_equal(r[1].atomic_launches, 0);
    assert_int_equal(r[0].output[0].first_unwritten, -1); // nothing is unwritten
}

// The inputs of a case lie where its spec says, within the mapping; addresses of ours do not cross.
static void inputs_lie_in_the_mapping(void **state) {
    (void)state;
    CaseTensor input[WIRE_INPUTS_MAX] = {{.rank = 1}, {.rank = 2}};
    struct {
        CaseSpec spec[2];
        CaseTensor room[WIRE_INPUTS_MAX + 2];
    } map = {0};
    int64_t at = sizeof map.spec;
    CaseSpec two = {.inputs = 2, .input = input}, all = {.inputs = WIRE_INPUTS_MAX, .input = input};
    wire_put((uint8_t *)&map, &at, &two, &map.spec[0]);
    wire_put((uint8_t *)&map, &at, &all, &map.spec[1]);
    assert_int_equal(at, sizeof map);
    assert_null(map.spec[0].input);
    const uint8_t *m = (const uint8_t *)&map;
    assert_int_equal(wire_inputs(m, sizeof map, &map.spec[0])[1].rank, 2);
    assert_ptr_equal(wire_inputs(m, sizeof map, &map.spec[1]), &map.room[2]);
    assert_null(wire_inputs(m, sizeof map - 1, &map.spec[1])); // the last one is cut
    for (int i = 0; i < 6; i++) {
        CaseSpec s = map.spec[0];
        if (i == 1) s.inputs = -1;
        if (i == 2) s.inputs = WIRE_INPUTS_MAX + 1;
        if (i == 3) s.inputs_at = -8;
        if (i == 4) s.inputs_at += 4;
        if (i == 5) s.inputs_at = INT64_MAX - 7;
        assert_int_equal(wire_inputs(m, sizeof map, &s) != NULL, i == 0);
    }
}

static void values_take_turns(void **state) {
    (void)state;
    enum { FIRST = 7, CALLS = 3000 };
    for (int turns = 1; turns <= 5; turns++) {
        CallSpec c = {.turn_of = FIRST, .turns = turns, .turn_seed = 11};
        int seen[5] = {0}, before = -1, again = 0;
        for (int n = 1; n <= CALLS; n++) {
            int now = call_values(&c, n) - FIRST;
            assert_true(now >= 0 && now < turns);
            seen[now]++;
            again += now == before;
            before = now;
        }
        for (int k = 0; k < turns; k++) assert_true(seen[k] > CALLS / turns * 4 / 5);
        assert_true(turns >= 3 ? again == 0 : again > CALLS / 3);
    }
}

static void memory_grows_with_the_largest_case(void **state) {
    (void)state;
    const int64_t mib = 1 << 20;
    CaseTensor in[2] = {{.bytes = mib}, {.bytes = 2 * mib}}, vast = {.bytes = INT64_MAX / 16};
    CaseSpec spec[3] = {{.inputs = 2, .input = in, .output_bytes = mib}};
    assert_int_equal(memory_needed(spec, 0), 512 * mib);
    assert_int_equal(memory_needed(spec, 3), 512 * mib); // 32 MiB of tensors would do
    assert_int_equal(memory_tensors(memory_needed(spec, 3)), 64 * mib);
    spec[1] = (CaseSpec){.inputs = 2, .input = in, .output_bytes = 17 * mib};
    assert_int_equal(memory_tensors(memory_needed(spec, 3)), 8 * 20 * mib);
    assert_int_equal(memory_tensors(memory_needed(spec, 1)), 64 * mib);
    spec[2] = (CaseSpec){.inputs = 1, .input = &vast, .output_bytes = INT64_MAX / 2};
    assert_int_equal(memory_tensors(memory_needed(spec, 3)), 512 * mib); // never more
    spec[2].output_bytes = 0;
    assert_int_equal(memory_tensors(memory_needed(spec, 3)), 512 * mib);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(right_reports_are_believed),
        cmocka_unit_test(the_order_is_fixed),
        cmocka_unit_test(every_field_is_checked),
        cmocka_unit_test(messages_are_made_printable),
        cmocka_unit_test(fields_that_a_kind_does_not_use_are_cleared),
        cmocka_unit_test(inputs_lie_in_the_mapping),
        cmocka_unit_test(values_take_turns),
        cmocka_unit_test(memory_grows_with_the_largest_case),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
