// The oracle on whole tensors: shapes by torch's rules, matrix products, the limits of its work, and the same
// bits on every instruction set.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/isa.h"
#include "base/numeric/rng.h"
#include "tensor/bound_simd.h"
#include "tensor/oracle.h"

static void work_is_limited(void **state) {
    (void)state;
    double v[1] = {1};
    const Bound *x = INPUT(DT_F32, v, 1);
    int64_t before = ctx.elements_left;
    ctx.elements_left = 1000;
    REFUSED(EXPAND, ATTRS(1001), x);
    assert_int_equal(ctx.elements_left, 999); // the attempt itself
    REFUSED(EXPAND, ATTRS(INT64_MAX, INT64_MAX), x);
    REFUSED(EXPAND, ATTRS(1, 1, 1, 1, 1, 1, 1, 1, 1), x); // more dimensions than we hold
    assert_null(try_op(BOUND_FULL, ATTRS((int64_t)1 << 40), 1, 0, NULL));
    assert_null(try_op(BOUND_ARANGE, ATTRS(0, INT64_MAX), 0, 0, NULL));
    const Bound *y = OPA(EXPAND, ATTRS(900), x);
    REFUSED(EXP, no_attrs, y); // 900 of the 1000 are spent
    ctx.elements_left = before;
    REFUSED(ADD, no_attrs, x); // arity
    REFUSED(SUM, ATTRS(0), x); // attributes
}

static void powers(void **state) {
    (void)state;
    double v[3] = {1.5, -2.5, 3};
    const Bound *x = INPUT(DT_F32, v, 3), *p = OP(POW, x, whole(2)), *m = OP(MUL, x, x);
    assert_memory_equal(p->v, m->v, sizeof v);
    assert_memory_equal(p->e, m->e, sizeof v);
    assert_true(OP(POW, x, whole(3))->v[1] == -15.625 && OP(POW, x, lit(1))->v == x->v);
    assert_true(OP(POW, x, lit(-1))->v[1] == -0.4 && OP(POW, x, whole(0))->v[1] == 1 &&
                !OP(POW, x, whole(0))->e);
    const Bound *pos = OP(ABS, x);
    assert_true(OP(POW, pos, lit(0.5))->v[0] == sqrt(1.5) && OP(POW, pos, lit(-0.5))->v[0] == 1 / sqrt(1.5));
    const Bound *g = OP(POW, pos, lit(1.3));
    assert_true(fabs(g->v[2] - pow(3, 1.3)) < 1e-14 && g->e[2] > 5 && g->e[2] < 200);
    const Bound *n = OP(POW, x, lit(1.3));
    assert_true(n->v[1] != n->v[1] && n->e[1] == 0);
    assert_true(fabs(OP(POW, whole(2), x)->v[2] - 8) < 1e-14);
    const Bound *h = OP(POW, INPUT(DT_F16, v, 3), whole(3)); // rounded once, at the end
    assert_true(h->dtype == DT_F16 && KU * h->e[0] < 1.1 * dtype_half_ulp(DT_F16, 3.375));
}

// Any call either answers or says why not; errors are never negative or NaN, integers stay whole.
static void random_calls_answer_or_refuse(void **state) {
    (void)state;
    enum { POOL = 24, CALLS = 12000 };
    static const int64_t numbers[] = {
        0, 1, 2, 3, -1, -2, 7, 64, INT64_MAX, INT64_MIN, INT64_MAX / 8, (int64_t)1 << 40};
    const Bound *pool[POOL];
    double v[60];
    Rng r = rng_at(51, 0);
    int answers = 0, refusals = 0;
    for (int call = 0; call < CALLS; call++) {
        for (int k = 0; k < POOL && call % 200 == 0; k++) { // start again from inputs, wild ones included
            ctx.elements_left = 1 << 20;
            int64_t shape[5];
            int rank = (int)rng_below(&r, 4);
            for (int d = 0; d < rank; d++) shape[d] = (int64_t)rng_below(&r, 4);
            for (int i = 0; i < 60; i++) v[i] = rng_normal(&r) * ldexp(1, (int)rng_between(&r, -140, 140));
            for (int i = 0; i < 60 && k % 2; i++) v[i] = (double)rng_between(&r, -1, 3);
            if (k % 5 == 0) v[0] = infinity, v[1] = (double)NAN;
            pool[k] = k < 3 ? lit(rng_normal(&r) * 4) : input((DType)rng_below(&r, DT_COUNT), rank, shape, v);
        }
        const Bound *in[4];
        for (int k = 0; k < 4; k++) in[k] = pool[rng_below(&r, POOL)];
        Attrs a = {.n = (int)rng_below(&r, 5)};
        for (int k = 0; k < a.n; k++)
            a.at[k] = numbers[rng_below(&r, rng_below(&r, 4) ? 4 : sizeof numbers / sizeof *numbers)];
        BoundOp op = (BoundOp)rng_below(&r, BOUND_COUNT);
        const Bound *y = try_op(op, a, rng_normal(&r), (int)rng_below(&r, 4), in);
        if (!y) {
            assert_non_null(ctx.why);
            refusals++;
            continue;
        }
        answers++;
        int64_t numel = 0;
        assert_true(shape_numel(y->shape, y->rank, &numel) && numel == y->numel && y->op == op);
        for (int64_t i = 0; i < y->numel; i++) {
            assert_true(err_at(y, i) >= 0);
            if (y->dtype == DT_BOOL) assert_true(y->v[i] == 0 || y->v[i] == 1);
            if (!dtype_is_float(y->dtype)) assert_true(y->v[i] == trunc(y->v[i]));
        }
        pool[rng_below(&r, POOL)] = y;
    }
    assert_true(answers > CALLS / 10 && refusals > CALLS / 10);
    ctx.elements_left = (int64_t)1 << 40;
}

// --- Instruction sets ----------------------------------------------------------------------------

static bool same_bits(const double *a, const double *b, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (memcmp(a + i, b + i, sizeof *a) != 0) return false;
    return true;
}

static void wild_operands(Rng *r, double *v, double *e, int n) {
    static const double special[] = {0,     -0.0,     INFINITY, -INFINITY, NAN,   -NAN, 1e40,
                                     -1e39, 0x1p-130, 1,        -1,        65520, 88.7, -104};
    for (int i = 0; i < n; i++) {
        v[i] = rng_normal(r) * ldexp(1, (int)rng_between(r, -12, 12));
        e[i] = fabs(v[i]) * spread(r);
        if (rng_below(r, 6) == 0) v[i] = special[rng_below(r, sizeof special / sizeof *special)];
        if (rng_below(r, 8) == 0) e[i] = rng_below(r, 2) ? 0 : infinity;
    }
}

static void every_instruction_set_gives_the_same_bits(void **state) {
    (void)state;
    enum { N = BOUND_CHUNK - 5, LONG = 3 * BOUND_CHUNK + 77 };
    static const BoundSimd *const table[ISA_COUNT] = {
        &bound_simd_base,
#ifndef PORTABLE
        &bound_simd_avx2,
        &bound_simd_avx512,
#endif
    };
    static double v[3][LONG], e[3][LONG], ov[2][LONG], oe[2][LONG];
    Rng r = rng_at(41, 0);
    for (int k = 0; k < 3; k++) wild_operands(&r, v[k], e[k], LONG);
    const double *const vs[3] = {v[0], v[1], v[2]}, *const es[3] = {e[0], e[1], e[2]};
    for (int level = 1; level <= (int)isa_level(); level++) {
        const BoundSimd *s[2] = {table[0], table[level]};
        for (int op = 0; op < BOUND_COUNT; op++) {
            for (int k = 0; k < 2; k++) {
                if (s[k]->unary[op]) s[k]->unary[op](N, v[0], e[0], 0.75, ov[k], oe[k]);
                if (s[k]->binary[op]) s[k]->binary[op](N, v[0], e[0], v[1], e[1], ov[k], oe[k]);
                if (s[k]->ternary[op]) s[k]->ternary[op](N, vs, es, ov[k], oe[k]);
            }
            if (!same_bits(ov[0], ov[1], N) || !same_bits(oe[0], oe[1], N))
                fail_msg("%s", bound_name((BoundOp)op));
            for (int i = 0; i < N; i++) assert_true(oe[0][i] >= 0); // never NaN, never negative
        }
        for (int t = DT_F16; t <= DT_F32; t++) {
            for (int k = 0; k < 2; k++) {
                memcpy(oe[k], e[0], sizeof oe[k]);
                s[k]->round((DType)t, false, LONG, v[0], oe[k]);
            }
            assert_true(same_bits(oe[0], oe[1], LONG));
        }
        for (int i = 0; i < LONG; i++) v[2][i] = rng_normal(&r), e[2][i] = i % 50 ? fabs(v[2][i]) : 1e8;
        for (size_t n = 0; n < LONG; n += 1 + n / 3) {
            RowSum sum[2];
            RowMax top[2];
            ExpSum exps[2];
            for (int k = 0; k < 2; k++) {
                sum[k] = s[k]->sum(n, v[2], e[2]);
                top[k] = s[k]->largest(n, v[2], e[2], -1);
                exps[k] = s[k]->exps(n, v[2], e[2], 3.5, ov[k], oe[k]);
                s[k]->softmax(n, exps[k].s, 9, ov[k], oe[k]);
            }
            assert_true(same_bits(&sum[0].sum, &sum[1].sum, 3) && same_bits(&top[0].v, &top[1].v, 3));
            assert_true(same_bits(&exps[0].s, &exps[1].s, 2) && same_bits(ov[0], ov[1], n) &&
                        same_bits(oe[0], oe[1], n));
            for (int k = 0; k < 2; k++) s[k]->log_softmax(n, v[2], e[2], 3.5, 0.7, 9, ov[k], oe[k]);
            assert_true(same_bits(ov[0], ov[1], n) && same_bits(oe[0], oe[1], n));
            for (int k = 0; k < 2; k++) s[k]->cumsum(n, v[2], e[2], 12, ov[k], oe[k]);
            assert_true(same_bits(ov[0], ov[1], n) && same_bits(oe[0], oe[1], n));
            for (int k = 0; k < 2; k++) sum[k] = s[k]->deviations(n, v[2], e[2], (Ve){0.1, 3});
            assert_true(same_bits(&sum[0].sum, &sum[1].sum, 3));
        }
    }
}

// The loops that go a faster way for ordinary values, against the rules one element at a time: ordinary
// operands, then one wild element at every place, then many.
static Ve plain_rule(BoundOp op, Ve a, Ve b) {
    switch (op) {
    case BOUND_ADD: return rule_add(a, b);
    case BOUND_SUB: return rule_sub(a, b);
    case BOUND_MUL: return rule_mul(a, b);
    case BOUND_SQUARE: return rule_square(a);
    case BOUND_GELU_TANH: return rule_gelu_tanh(a);
    default: return rule_gelu_erf(a);
    }
}
static void fast_loops_follow_the_rules(void **state) {
    (void)state;
    static const BoundOp ops[] = {BOUND_ADD,    BOUND_SUB,       BOUND_MUL,
                                  BOUND_SQUARE, BOUND_GELU_TANH, BOUND_GELU_ERF};
    enum { N = 61, ROUNDS = 400 };
    double v[2][N], e[2][N], wv[2][N], we[2][N], ov[N], oe[N], rv[N], re[N];
    Rng r = rng_at(43, 0);
    for (int round = 0; round < ROUNDS; round++) {
        for (int k = 0; k < 2; k++) {
            wild_operands(&r, wv[k], we[k], N);
            double scale = ldexp(1, (int)rng_between(&r, round % 4 ? -3 : -140, round % 4 ? 4 : 60));
            for (int i = 0; i < N; i++) {
                v[k][i] = rng_below(&r, 9) ? rng_normal(&r) * scale : 0;
                e[k][i] = rng_below(&r, 3) ? fabs(v[k][i]) * (double)rng_below(&r, 50) : 0;
                bool wild = round % 5 == 4 || (round % 5 == 3 && i == round % N);
                if (wild) v[k][i] = wv[k][i], e[k][i] = we[k][i];
            }
        }
        if (round % 5 == 2) { // overflows that cancel: finite values, and nothing is known
            int at = round % N;
            v[0][at] = 1e40, v[1][at] = round & 1 ? 1e40 : -1e40;
            e[0][at] = e[1][at] = infinity;
        }
        for (size_t op = 0; op < sizeof ops / sizeof *ops; op++) {
            const BoundSimd *s = bound_simd();
            if (s->unary[ops[op]])
                s->unary[ops[op]](N, v[0], e[0], 0, ov, oe);
            else
                s->binary[ops[op]](N, v[0], e[0], v[1], e[1], ov, oe);
            for (int i = 0; i < N; i++) {
                Ve x = plain_rule(ops[op], (Ve){v[0][i], e[0][i]}, (Ve){v[1][i], e[1][i]});
                rv[i] = x.v, re[i] = x.e;
            }
            if (!same_bits(ov, rv, N) || !same_bits(oe, re, N))
                fail_msg("%s, round %d", bound_name(ops[op]), round);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(work_is_limited),
        cmocka_unit_test(powers),
        cmocka_unit_test(random_calls_answer_or_refuse),
        cmocka_unit_test(every_instruction_set_gives_the_same_bits),
        cmocka_unit_test(fast_loops_follow_the_rules),
    };
    return cmocka_run_group_tests(tests, oracle_setup, oracle_teardown);
}
