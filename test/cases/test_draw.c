// What a draw promises: how large it is, the same bytes from the same seed, values of the domain, layouts
// that differ.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "cases/draw.h"
#include "cases/plan.h"

static const DrawFilter all = {.dtype = -1};

static Op the_op(Arena *a, const char *name) {
    Op op;
    if (!op_find(a, str_of(name), &op)) fail_msg("no op %s", name);
    return op;
}

static void quick_is_about_two_million_elements(void **state) {
    (void)state;
    Arena a = {0};
    Pool *pool = pool_open(2);
    int n;
    const Str *names = op_names(&a, &n);
    for (int i = 0; i < n; i++) {
        Op op;
        Draw d;
        Err e = {0};
        Arena work = {0};
        assert_true(op_find(&a, names[i], &op));
        if (i % 5 && plan_data_inputs(&op) == 1) continue; // a sample of the chains is enough here
        if (!draw_make(&work, pool,
                       &(DrawRequest){.op = &op, .level = LEVEL_QUICK, .seed = 7, .filter = &all}, &d, &e))
            fail_msg("%s", e.msg);
        assert_true(d.input_elements <= 2200000);
        assert_true(d.input_elements >= 100000);
        draw_free(&d);
        arena_free(&work);
    }
    pool_close(pool);
    arena_free(&a);
}

static void the_seed_decides_every_byte(void **state) {
    (void)state;
    Arena a = {0};
    Pool *one = pool_open(1), *three = pool_open(3);
    Op op = the_op(&a, "cross_entropy");
    Draw x, y, z;
    Err e = {0};
    assert_true(draw_make(
        &a, one, &(DrawRequest){.op = &op, .level = LEVEL_QUICK, .seed = 77, .filter = &all}, &x, &e));
    assert_true(draw_make(
        &a, three, &(DrawRequest){.op = &op, .level = LEVEL_QUICK, .seed = 77, .filter = &all}, &y, &e));
    assert_true(draw_make(
        &a, one, &(DrawRequest){.op = &op, .level = LEVEL_QUICK, .seed = 78, .filter = &all}, &z, &e));
    assert_int_equal(x.bytes, y.bytes);
    assert_memory_equal(x.mapping, y.mapping, x.bytes);
    assert_true(x.bytes != z.bytes || memcmp(x.mapping, z.mapping, x.bytes) != 0);
    for (int i = 0; i < x.cases; i++) {
        const Bound *p = x.truth[i].expected, *q = y.truth[i].expected;
        assert_int_equal(p->numel, q->numel);
        assert_memory_equal(p->v, q->v, (size_t)p->numel * sizeof(double));
    }
    draw_free(&x), draw_free(&y), draw_free(&z);
    pool_close(one), pool_close(three);
    arena_free(&a);
}

static void values_keep_to_the_domain(void **state) {
    (void)state;
    Arena a = {0};
    Pool *pool = pool_open(2);
    static const char *const ops[] = {"softmax", "rope", "cross_entropy", "dequant_int8",
                                      "add_layernorm_gelu"};
    for (size_t k = 0; k < sizeof ops / sizeof *ops; k++) {
        Op op = the_op(&a, ops[k]);
        Draw d;
        Err e = {0};
        assert_true(draw_make(
            &a, pool, &(DrawRequest){.op = &op, .level = LEVEL_QUICK, .seed = 5, .filter = &all}, &d, &e));
        bool ends[OP_INPUTS_MAX][2] = {{0}};
        for (int c = 0; c < d.cases; c++)
            for (int i = 0; i < op.inputs; i++) {
                const CaseTensor *t = &d.spec[c].input[i];
                const OpInput *in = &op.input[i];
                double hi = in->range_dim >= 0 ? (double)(d.truth[c].dim[in->range_dim] - 1) : in->range_hi;
                for (int64_t r = 0; r < (t->rank > 1 ? t->shape[0] : 1); r++)
                    for (int64_t j = 0; j < t->shape[t->rank - 1]; j++) {
                        int64_t at = t->offset + (t->rank > 1 ? r * t->stride[0] : 0) + j;
                        double v = dtype_load((DType)t->dtype,
                                              d.mapping + t->at + at * dtype_bytes((DType)t->dtype));
                        assert_false(isnan(v));
                        if (isinf(v)) assert_true(in->neg_inf && v < 0);
                        if (!in->ranged) continue;
                        assert_true(v >= in->range_lo - 1e-6 && v <= hi + 1e-6);
                        ends[i][0] |= v <= in->range_lo + 1e-6;
                        ends[i][1] |= v >= hi - 1e-6;
                    }
            }
        for (int i = 0; i < op.inputs; i++)
            if (op.input[i].ranged && !dtype_is_float(op.input[i].any_float ? DT_F32 : op.input[i].dtype))
                assert_true(ends[i][0] && ends[i][1]);
        for (int c = 0; c < d.cases; c++)
            for (int64_t j = 0; j < d.truth[c].expected->numel; j++)
                assert_false(isnan(d.truth[c].expected->v[j]));
        draw_free(&d);
    }
    pool_close(pool);
    arena_free(&a);
}

static void strided_cases_differ_in_every_argument(void **state) {
    (void)state;
    Arena a = {0};
    Pool *pool = pool_open(2);
    Op op = the_op(&a, "add_rmsnorm");
    Draw d;
    Err e = {0};
    assert_true(draw_make(&a, pool, &(DrawRequest){.op = &op, .level = LEVEL_FULL, .seed = 5, .filter = &all},
                          &d, &e));
    int strided = 0, unaligned = 0, padded = 0, halves = 0;
    for (int c = 0; c < d.cases; c++) {
        const CaseTensor *x = &d.spec[c].input[0], *r = &d.spec[c].input[1];
        if (!d.truth[c].strided) continue;
        strided++;
        assert_true(x->stride[0] > x->shape[1] && r->stride[0] > r->shape[1] && x->stride[0] != r->stride[0]);
        assert_true(x->offset > 0);
        unaligned += x->offset % 2 == 1;
        padded +=
            x->offset % 16 == 0 && x->stride[0] % 16 == 0 && r->offset % 16 == 0 && r->stride[0] % 16 == 0;
        halves += x->stride[0] == 2 * x->shape[1];
    }
    assert_true(strided >= 20 && unaligned * 3 > strided && padded > 0 && halves > 0);
    draw_free(&d);
    pool_close(pool);
    arena_free(&a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quick_is_about_two_million_elements),
        cmocka_unit_test(the_seed_decides_every_byte),
        cmocka_unit_test(values_keep_to_the_domain),
        cmocka_unit_test(strided_cases_differ_in_every_argument),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
