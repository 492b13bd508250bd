// Operations that move elements: each finds its own.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/isa.h"
#include "base/numeric/rng.h"
#include "tensor/bound_simd.h"
#include "tensor/oracle.h"

// --- Shapes --------------------------------------------------------------------------------------

static void broadcasting_finds_its_elements(void **state) {
    (void)state;
    Rng r = rng_at(31, 0);
    static double v[2000];
    for (int i = 0; i < 2000; i++) v[i] = rng_normal(&r);
    for (int round = 0; round < 300; round++) {
        int64_t full[4], shape[3][4];
        int rank[3], top = (int)rng_between(&r, 1, 4);
        for (int d = 0; d < top; d++) full[d] = rng_between(&r, d == top - 1 ? 1 : 0, 5);
        const Bound *in[3];
        for (int k = 0; k < 3; k++) {
            rank[k] = (int)rng_between(&r, k == 0 ? top : 0, top);
            for (int d = 0; d < rank[k]; d++) shape[k][d] = rng_below(&r, 3) ? full[top - rank[k] + d] : 1;
            in[k] = input(k == 2 ? DT_BOOL : DT_F32, rank[k], shape[k], v + 500 * k);
        }
        const Bound *out = must(try_op(BOUND_SUB, no_attrs, 0, 2, in));
        const Bound *chosen = OP(WHERE, in[2], in[0], in[1]);
        for (int pass = 0; pass < 2; pass++) {
            const Bound *o = pass ? chosen : out;
            for (int64_t i = 0; i < o->numel; i++) {
                int64_t index[4], left = i, at[3] = {0};
                for (int d = o->rank - 1; d >= 0; d--) index[d] = left % o->shape[d], left /= o->shape[d];
                for (int k = 0; k < 3; k++)
                    for (int d = 0; d < rank[k]; d++)
                        at[k] = at[k] * shape[k][d] + (shape[k][d] == 1 ? 0 : index[o->rank - rank[k] + d]);
                double a = in[0]->v[at[0]], b = in[1]->v[at[1]];
                assert_true(o->v[i] == (pass ? (in[2]->v[at[2]] != 0 ? a : b) : a - b));
            }
        }
    }
    double two[6] = {1, 2, 3, 4, 5, 6};
    REFUSED(ADD, no_attrs, INPUT(DT_F32, two, 2, 3), INPUT(DT_F32, two, 2));
}

// Reducing any axis is reducing the last axis of the transposed tensor, bit for bit.
static void every_axis_is_the_last_axis(void **state) {
    (void)state;
    static double v[3 * 37 * 5];
    Rng r = rng_at(33, 0);
    for (int i = 0; i < 3 * 37 * 5; i++) v[i] = rng_normal(&r) * 2;
    const Bound *x = OP(MUL, INPUT(DT_F32, v, 3, 37, 5), lit(1.5)), *t = OPA(TRANSPOSE, ATTRS(1, 2), x);
    static const BoundOp reduce[] = {BOUND_SUM,  BOUND_MEAN, BOUND_AMAX,
                                     BOUND_AMIN, BOUND_PROD, BOUND_LOGSUMEXP};
    for (size_t k = 0; k < sizeof reduce / sizeof *reduce; k++) {
        const Bound *a = must(try_op(reduce[k], ATTRS(1, 0), 0, 1, &x)),
                    *b = must(try_op(reduce[k], ATTRS(2, 0), 0, 1, &t));
        assert_true(a->rank == 2 && a->shape[0] == 3 && a->shape[1] == 5);
        assert_memory_equal(a->v, b->v, 15 * sizeof(double));
        assert_memory_equal(a->e, b->e, 15 * sizeof(double));
    }
    static const BoundOp rows[] = {BOUND_SOFTMAX, BOUND_LOG_SOFTMAX, BOUND_CUMSUM};
    for (size_t k = 0; k < 3; k++) {
        const Bound *a = must(try_op(rows[k], ATTRS(1), 0, 1, &x)),
                    *b = must(try_op(rows[k], ATTRS(2), 0, 1, &t));
        const Bound *back = OPA(TRANSPOSE, ATTRS(1, 2), b);
        assert_memory_equal(a->v, back->v, (size_t)a->numel * sizeof(double));
        assert_memory_equal(a->e, back->e, (size_t)a->numel * sizeof(double));
    }
}

static void moving_elements(void **state) {
    (void)state;
    double v[12], idx[4] = {2, 0, 3, 1};
    for (int i = 0; i < 12; i++) v[i] = i;
    const Bound *x = INPUT(DT_F32, v, 3, 4), *s = OPA(SLICE, ATTRS(1, 1, 4, 2), x);
    assert_true(s->shape[1] == 2 && s->v[0] == 1 && s->v[1] == 3 && s->v[5] == 11);
    assert_true(OPA(SLICE, ATTRS(1, -2, INT64_MAX, 1), x)->v[0] == 2);
    assert_true(OPA(SLICE, ATTRS(0, 2, 1, 1), x)->numel == 0);
    assert_true(OPA(SLICE, ATTRS(0, INT64_MIN, INT64_MIN, 1), x)->numel == 0);
    assert_true(OPA(SLICE, ATTRS(0, 0, 3, INT64_MAX), x)->shape[0] == 1);
    const Bound *row = OPA(SELECT, ATTRS(0, -1), x), *col = OPA(SELECT, ATTRS(1, 1), x);
    assert_true(row->rank == 1 && row->v[0] == 8 && col->shape[0] == 3 && col->v[2] == 9);
    const Bound *half =
        OPA(CAT, ATTRS(-1), OP(NEG, OPA(SLICE, ATTRS(1, 2, 4, 1), x)), OPA(SLICE, ATTRS(1, 0, 2, 1), x));
    assert_true(half->v[0] == -2 && half->v[2] == 0 && half->v[4] == -6 && half->v[11] == 9 && !half->e);
    const Bound *i = INPUT(DT_I64, idx, 2, 2), *g = OPA(GATHER, ATTRS(1), x, i);
    assert_true(g->v[0] == 2 && g->v[1] == 0 && g->v[2] == 7 && g->v[3] == 5);
    const Bound *e = OPA(EXPAND, ATTRS(2, 3, -1), OPA(SELECT, ATTRS(0, 1), x));
    assert_true(e->numel == 24 && e->v[0] == 4 && e->v[23] == 7);
    const Bound *rs = OPA(RESHAPE, ATTRS(-1, 6), x);
    assert_true(rs->shape[0] == 2 && rs->v == x->v);
    const Bound *t = OPA(TRANSPOSE, ATTRS(0, 1), x);
    assert_true(t->shape[0] == 4 && t->v[1] == 4);
    REFUSED(RESHAPE, ATTRS(5, -1), x);
    REFUSED(EXPAND, ATTRS(4, 4), x);
    REFUSED(EXPAND, ATTRS(4), x);
    REFUSED(SELECT, ATTRS(0, 3), x);
    REFUSED(SLICE, ATTRS(0, 0, 3, 0), x);
    REFUSED(CAT, ATTRS(0), x, OPA(TRANSPOSE, ATTRS(0, 1), x));
    REFUSED(SUM, ATTRS(2, 0), x);
    double bad[2] = {4, 0}, negative[2] = {-1, 0};
    REFUSED(GATHER, ATTRS(1), x, INPUT(DT_I64, bad, 1, 2));
    assert_non_null(strstr(ctx.why, "out of bounds"));
    REFUSED(GATHER, ATTRS(1), x, INPUT(DT_I64, negative, 1, 2));
    REFUSED(GATHER, ATTRS(1), x, INPUT(DT_I32, idx, 2, 2));
    REFUSED(GATHER, ATTRS(1), x, INPUT(DT_I64, idx, 4));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(broadcasting_finds_its_elements),
        cmocka_unit_test(every_axis_is_the_last_axis),
        cmocka_unit_test(moving_elements),
    };
    return cmocka_run_group_tests(tests, oracle_setup, oracle_teardown);
}
