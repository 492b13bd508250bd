// What a draw says must be loaded, and what two orders of the programs may differ by: verdicts on made-up
// children that hand in the oracle's own values.
#include "op/op.h"
#include "referee/decide.h"
#include <assert.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

typedef struct {
    Arena a;
    Pool *pool;
    Op op;
    Draw d;
    uint8_t *output;
    CaseReport *report;
} World;

static void world_open(World *w, const char *op, DType dtype, uint64_t seed) {
    Err e = {0};
    *w = (World){0};
    DrawFilter filter = {.dtype = (int)dtype};
    assert_true(op_find(&w->a, str_of(op), &w->op));
    w->pool = pool_open(1);
    if (!draw_make(&w->a, w->pool, &w->op, LEVEL_QUICK, seed, &filter, &w->d, &e)) fail_msg("%s", e.msg);
    w->output = NEWN(&w->a, uint8_t, w->d.output_bytes);
    memset(w->output, 1, w->d.output_bytes);
    w->report = NEWN(&w->a, CaseReport, (size_t)w->d.cases + 1);
    for (int i = 0; i < w->d.cases; i++) {
        const Bound *b = w->d.truth[i].expected;
        const CaseSpec *s = &w->d.spec[i];
        CaseReport *r = &w->report[i];
        *r = (CaseReport){.case_index = i,
                          .kind = REPORT_RAN,
                          .dtype = (int32_t)b->dtype,
                          .rank = b->rank,
                          .first_unwritten = -1};
        r->count.bytes_stored = 1 << 30;
        memcpy(r->shape, b->shape, sizeof(int64_t) * (size_t)b->rank);
        wire_message(r, "");
        for (int order = 0; order <= s->again; order++)
            for (int64_t k = 0; k < b->numel; k++)
                dtype_store(b->dtype, w->output + spec_output_at(s, order) + k * dtype_bytes(b->dtype),
                            b->v[k]);
    }
    w->report[w->d.cases] = (CaseReport){.case_index = -1, .kind = REPORT_DONE, .first_unwritten = -1};
    wire_message(&w->report[w->d.cases], "");
}
static void world_close(World *w) {
    draw_free(&w->d);
    pool_close(w->pool);
    arena_free(&w->a);
}

static Verdict judged(World *w) {
    ChildResult child = {.end = CHILD_EXITED,
                         .report = w->report,
                         .reports = w->d.cases + 1,
                         .output = w->output,
                         .output_bytes = w->d.output_bytes};
    Verdict v = {0};
    decide(&w->a, &w->d, STR("source"), &child, &v);
    return v;
}

static void what_must_be_loaded(void **state) {
    (void)state;
    static const char *const ops[] = {"softmax", "cross_entropy", "rope", "add_rmsnorm", "kl_div"};
    for (size_t o = 0; o < sizeof ops / sizeof *ops; o++) {
        for (uint64_t seed = 1; seed < 4; seed++) {
            World w;
            world_open(&w, ops[o], DT_F32, seed);
            assert_true(w.d.needs > 0);
            Verdict v = judged(&w);
            if (v.status != STATUS_ok) fail_msg("%s: %s", ops[o], v.feedback);
            for (int k = 0; k < w.d.needs; k++) {
                const Needed *n = &w.d.needed[k];
                const CaseSpec *s = &w.d.spec[n->case_index];
                assert_true(n->at >= 0 && n->at < s->seen_bytes);
                assert_false(w.d.truth[n->case_index].hidden);
                uint8_t *seen = &w.output[s->seen_at + n->at];
                *seen = 0;
                v = judged(&w);
                assert_int_equal(v.status, STATUS_incorrect);
                assert_string_equal(v.rule, "unread");
                assert_non_null(strstr(v.feedback, "No kernel has loaded row"));
                assert_true(strlen(v.feedback) <= FEEDBACK_MAX);
                *seen = 1;
            }
            world_close(&w);
        }
    }
}

static int tiny_case(const World *w) {
    for (int i = 0; i < w->d.cases; i++)
        if (w->d.spec[i].again && w->d.truth[i].expected->numel > 8) return i;
    fail_msg("no tiny case");
    return -1;
}

static void two_orders(void **state) {
    (void)state;
    World w;
    world_open(&w, "softmax", DT_F32, 3);
    int at = tiny_case(&w);
    CaseReport *r = &w.report[at];
    const CaseSpec *s = &w.d.spec[at];
    float was, other;
    uint8_t *second = w.output + spec_output_at(s, 1) + 4 * 3;
    memcpy(&was, second, 4);
    // The same bits.
    r->again = 1;
    assert_int_equal(judged(&w).status, STATUS_ok);
    // One bit, which only atomics may change.
    uint32_t bits;
    memcpy(&bits, &was, 4);
    bits ^= 1;
    memcpy(second, &bits, 4);
    Verdict v = judged(&w);
    assert_int_equal(v.status, STATUS_nondeterministic);
    assert_string_equal(v.rule, "orders");
    r->atomic_launches = 1;
    assert_int_equal(judged(&w).status, STATUS_ok);
    // Another value.
    other = was + 0.25f;
    memcpy(second, &other, 4);
    v = judged(&w);
    assert_int_equal(v.status, STATUS_nondeterministic);
    assert_non_null(strstr(v.feedback, "order in which the programs"));
    assert_true(strlen(v.feedback) <= FEEDBACK_MAX);
    // The same wrong value in both orders is merely wrong.
    memcpy(w.output + s->output_at + 4 * 3, &other, 4);
    assert_int_equal(judged(&w).status, STATUS_incorrect);
    // Not run again: nobody looks at the second one.
    memcpy(w.output + s->output_at + 4 * 3, &was, 4);
    r->again = 0;
    assert_int_equal(judged(&w).status, STATUS_ok);
    // Another shape in the second order; an order that there was no room for.
    r->again = -1;
    assert_int_equal(judged(&w).status, STATUS_nondeterministic);
    r->again = 0;
    int large = w.d.cases - 1;
    assert_int_equal(w.d.spec[large].again, 0);
    w.report[large].again = 1;
    v = judged(&w);
    assert_int_equal(v.status, STATUS_crash);
    assert_string_equal(v.rule, "protocol");
    world_close(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_must_be_loaded), cmocka_unit_test(two_orders)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
