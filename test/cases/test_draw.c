// What a draw promises: how large it is, the same bytes from the same seed, values of the domain, layouts
// that differ.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "cases/domain/plan.h"
#include "cases/draw.h"

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

static int64_t gap(const CaseTensor *t) { return t->stride[0] - t->shape[1]; }

// A contiguous domain keeps the offsets and unaligned bases of the widest one, and nothing else changes.
static void contiguous_inputs_keep_their_offsets(void **state) {
    (void)state;
    Arena a = {0};
    Pool *pool = pool_open(1);
    Err e = {0};
    Op op = the_op(&a, "add_rmsnorm"), dense = op;
    assert_true(op_in_domain(&dense, &(DomainAsked){.layout = LAYOUT_CONTIGUOUS}, &e));
    Draw d, c;
    assert_true(draw_make(&a, pool, &(DrawRequest){.op = &op, .seed = 5, .filter = &all}, &d, &e));
    assert_true(draw_make(&a, pool, &(DrawRequest){.op = &dense, .seed = 5, .filter = &all}, &c, &e));
    assert_int_equal(c.cases, d.cases);
    int offsets = 0, unaligned = 0;
    for (int k = 0; k < c.cases; k++) {
        assert_memory_equal(c.truth[k].dim, d.truth[k].dim, sizeof c.truth[k].dim);
        assert_memory_equal(c.truth[k].expected->v, d.truth[k].expected->v,
                            (size_t)c.truth[k].expected->numel * sizeof(double));
        for (int i = 0; i < op.inputs; i++) {
            const CaseTensor *t = &c.spec[k].input[i];
            Storage s;
            Tensor x = draw_input(c.mapping, t, &s);
            assert_true(tensor_is_contiguous(&x));
            assert_int_equal(t->offset, d.spec[k].input[i].offset);
            offsets += t->offset > 0;
            unaligned += t->offset % 2 == 1;
        }
    }
    assert_true(offsets > 30 && unaligned > 20);
    draw_free(&c);
    draw_free(&d);
    pool_close(pool);
    arena_free(&a);
}

// All inputs have gaps, or some, and each of them alone; strides and bases differ.
static void layouts_are_each_inputs_own(void **state) {
    (void)state;
    Arena a = {0};
    Pool *pool = pool_open(2);
    Op op = the_op(&a, "add_rmsnorm");
    for (int full = 0; full < 2; full++) {
        Draw d;
        Err e = {0};
        assert_true(draw_make(
            &a, pool,
            &(DrawRequest){.op = &op, .level = full ? LEVEL_FULL : LEVEL_QUICK, .seed = 5, .filter = &all},
            &d, &e));
        int strided = 0, unaligned = 0, padded = 0, halves = 0, only[2] = {0}, shifted = 0, mixed = 0;
        for (int c = 0; c < d.cases; c++) {
            const CaseTensor *x = &d.spec[c].input[0], *r = &d.spec[c].input[1];
            uint64_t which = d.truth[c].strided;
            for (int i = 0; i < 2; i++) assert_int_equal(gap(&d.spec[c].input[i]) > 0, which >> i & 1);
            for (int i = 0; i < op.inputs; i++) {
                const CaseTensor *t = &d.spec[c].input[i];
                assert_int_equal(t->stride[t->rank - 1], 1);
                if (!which) assert_int_equal(t->offset, 0);
                if (which >> i & 1) assert_true(t->offset > 0);
            }
            if (!which) continue;
            bool rows = x->shape[0] > 1 && x->shape[1] > 1;
            if ((which & 3) == 3) assert_true(x->stride[0] != r->stride[0]);
            strided++;
            unaligned += x->offset % 2 == 1;
            padded += (which & 1) && x->offset % 16 == 0 && x->stride[0] % 16 == 0;
            halves += (which & 1) && x->stride[0] == 2 * x->shape[1] && x->shape[1] > 8;
            only[0] += rows && (which & 3) == 1;
            only[1] += rows && (which & 3) == 2;
            shifted += !(which & 1) && x->offset > 0;
            mixed += which != 7;
        }
        assert_true(strided >= (full ? 20 : 15) && unaligned * 3 > strided && shifted > 0);
        assert_true(only[0] >= 2 && only[1] >= 2 && mixed > strided / 2 && mixed < strided);
        if (full) assert_true(padded > 0 && halves > 0);
        draw_free(&d);
    }
    pool_close(pool);
    arena_free(&a);
}

// A column that no case can judge: another seed, which follows from the first; and no draw is thrown away for
// nothing.
static void a_draw_that_cannot_judge_gives_way(void **state) {
    (void)state;
    Arena a = {0};
    Pool *pool = pool_open(2);
    Op op;
    DiagList diags = {0};
    // The last column overflows on the way where its one weight is large: nothing can be said of it then.
    assert_true(op_define(&a, STR("mine"),
                          STR("\"\"\"An op.\"\"\"\n"
                              "inputs = {\"x\": {\"shape\": (\"M\", \"N\"), \"scale\": (1, 2)},\n"
                              "          \"w\": {\"shape\": (1,), \"range\": (0, 300)}}\n"
                              "dims = {\"N\": {\"max\": 8}}\n\n\n"
                              "def reference(x, w):\n"
                              "    h = torch.exp(w.float())\n"
                              "    return (x.float() + h / (h + 1)).to(x.dtype)\n"),
                          true, &op, &diags));
    int given_way = 0;
    DrawFilter one = {.m = 5, .n = 5, .dtype = DT_F32};
    for (uint64_t seed = 1; seed <= 24; seed++) {
        Draw d, again, plain;
        Err e = {0};
        const PlannedCase *plan, *first;
        DrawRequest q = {.op = &op, .level = LEVEL_QUICK, .seed = seed, .filter = &one, .planned = &plan};
        assert_true(draw_make(&a, pool, &q, &d, &e) && draw_make(&a, pool, &q, &again, &e));
        assert_true(d.seed == again.seed && d.bytes == again.bytes);
        assert_memory_equal(d.mapping, again.mapping, d.bytes);
        given_way += d.seed != seed;
        // A plan of the caller's is drawn as it was asked for; the plan that was told makes the same draw.
        first = plan;
        q = (DrawRequest){.op = &op, .level = LEVEL_QUICK, .seed = d.seed, .plan = first, .cases = d.cases};
        assert_true(draw_make(&a, pool, &q, &plain, &e));
        assert_int_equal(plain.bytes, d.bytes);
        assert_memory_equal(plain.mapping, d.mapping, d.bytes);
        draw_free(&d), draw_free(&again), draw_free(&plain);
    }
    assert_in_range(given_way, 2, 23);
    pool_close(pool);
    arena_free(&a);
}

// What is wrong with one side fused alone is met at quick by rows of several blocks and of all kinds.
static void one_large_quick_case_has_both_contracted_sides(void **state) {
    (void)state;
    enum { BOTH = 1 << CONTRACT_LEFT | 1 << CONTRACT_RIGHT };
    static const char *const ops[] = {"softmax", "rmsnorm", "swiglu"};
    Pool *pool = pool_open(2);
    for (uint64_t k = 0; k < 6; k++) {
        Arena a = {0};
        Op op = the_op(&a, ops[k % 3]);
        Draw d;
        Err e = {0};
        const DrawRequest q = {.op = &op, .level = LEVEL_QUICK, .seed = 1 + (k << 8), .filter = &all};
        if (!draw_make(&a, pool, &q, &d, &e)) fail_msg("%s", e.msg);
        int both = 0, one = 0, none = 0;
        for (int i = 0; i < d.cases; i++) {
            if (d.spec[i].output_bytes <= 4096) continue;
            both += d.spec[i].contract == BOTH;
            one += d.spec[i].contract && d.spec[i].contract != BOTH;
            none += !d.spec[i].contract;
            if (d.spec[i].contract == BOTH) assert_true(d.truth[i].lines >= 20);
        }
        assert_int_equal(both, 1);
        assert_true(one <= 3);
        assert_true(none > 3);
        draw_free(&d);
        arena_free(&a);
    }
    pool_close(pool);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quick_is_about_two_million_elements),
        cmocka_unit_test(the_seed_decides_every_byte),
        cmocka_unit_test(values_keep_to_the_domain),
        cmocka_unit_test(layouts_are_each_inputs_own),
        cmocka_unit_test(contiguous_inputs_keep_their_offsets),
        cmocka_unit_test(a_draw_that_cannot_judge_gives_way),
        cmocka_unit_test(one_large_quick_case_has_both_contracted_sides),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
