// The oracle element by element: values against long double, each rule against brute force over its interval,
// overflow, types by torch's rules.
#include "tensor/bounds.h"

// e of exact operands is what the rule adds by itself: the constants of doc/error-bound.md section 2.
static void constants_of_the_rules(void **state) {
    (void)state;
    double one[1] = {3}, two[1] = {-7}, half[1] = {0.5}, eight[8] = {1, 2, 3, 4, 5, -6, 7, 8};
    const Bound *a = INPUT(DT_F32, one, 1), *b = INPUT(DT_F32, two, 1), *h = INPUT(DT_F32, half, 1);
    const Bound *row = INPUT(DT_F32, eight, 8);
    double t = tanh(0.5), s = 1 / (1 + exp(-0.5)), q = sqrt(3), g = 7 * 36; // G(8) = 7, sum of sizes 36
    const struct {
        const Bound *is;
        double e;
    } row_of[] = {
        {OP(ADD, a, b), 4},
        {OP(SUB, a, b), 10 - 3}, // max(3, 7)
        {OP(MUL, a, b), 21},
        {OP(DIV, a, b), 4 * 3.0 / 7},
        {OP(RECIPROCAL, a), 4.0 / 3},
        {OP(SQRT, a), 4 * q},
        {OP(RSQRT, a), 4 / q},
        {OP(EXP, a), exp(3) * (3 + 4)},
        {OP(EXP2, a), 8 * (3 * log(2) + 4)},
        {OP(EXPM1, a), exp(3) * (3 + 4) + exp(3)},
        {OP(LOG, a), 3 + 5 * log(3)},
        {OP(LOG1P, a), 3 + 1 + 5 * log(4)},
        {OP(TANH, h), (1 - t * t) * 0.5 + 10},
        {OP(SIGMOID, h), s * (1 - s) * 4.5 + 5 * s},
        {OP(ERF, h), 2 / sqrt(acos(-1)) * exp(-0.25) * 0.5 + 8},
        {OP(SOFTPLUS, h), s * 4.5 + 4 + 5 * log1p(exp(0.5))},
        {OP(SILU, h), 0.5 * (s * (1 - s) * 4.5 + 5 * s) + 0.5 * s},
        {OP(COS, h), 4 * cos(0.5) + 0.5},
        {OPA(SUM, ATTRS(0, 0), row), g},
        {OPA(MEAN, ATTRS(0, 0), row), g / 8 + 2 * 3},
    };
    for (size_t i = 0; i < sizeof row_of / sizeof *row_of; i++)
        if (fabs(row_of[i].is->e[0] - row_of[i].e) > 1e-6 * row_of[i].e)
            fail_msg("%s: e is %.9g, not %.9g", bound_name(row_of[i].is->op), row_of[i].is->e[0],
                     row_of[i].e);
    const Bound *scan = OPA(CUMSUM, ATTRS(0), row), *p = OPA(SOFTMAX, ATTRS(0), row),
                *l = OPA(LOG_SOFTMAX, ATTRS(0), row);
    assert_true(scan->e[0] == 0 && scan->e[1] == 3 && scan->e[7] == g);
    double sum = 0, spread = 7; // S = sum p E + G, E = |x - m| + (|x| + |m|) + 4
    for (int i = 0; i < 8; i++) sum += exp(eight[i] - 8);
    for (int i = 0; i < 8; i++) spread += exp(eight[i] - 8) / sum * (8 - eight[i] + fabs(eight[i]) + 8 + 4);
    double e2 = exp(3.0 - 8) / sum * (5 + 11 + 4 + spread + 5);
    assert_true(fabs(p->e[2] - e2) < 1e-4 * e2);
    e2 = spread + 3 + 6 * log(sum) + 8 + 3 + 5 + fabs(3 - 8 - log(sum));
    assert_true(fabs(l->e[2] - e2) < 1e-6 * e2);
    double far[2] = {-300000, -300001}; // beyond the folding limit: F = 0
    assert_true(OPA(SOFTMAX, ATTRS(0), INPUT(DT_F32, far, 2))->e[0] < 20);
}

// --- Overflow, poles, subnormals -----------------------------------------------------------------

static void overflow_is_unknown_until_a_limit(void **state) {
    (void)state;
    double v[3] = {100, -100, 1};
    const Bound *x = INPUT(DT_F32, v, 3), *big = OP(EXP, x);
    assert_true(big->v[0] > 1e43 && big->e[0] == infinity && big->e[2] < 14);
    assert_true(big->v[1] < 1e-43 && big->e[1] < infinity); // may be flushed, and that is inside
    assert_true(low_at(big, 1) <= 0);
    const Bound *back[] = {OP(TANH, big), OP(SIGMOID, big), OP(ERF, big)};
    for (int k = 0; k < 3; k++) assert_true(back[k]->v[0] == 1 && back[k]->e[0] <= 10);
    // 1/(1 + e^x) and rsqrt: v or 0
    const Bound *inverse[] = {OP(RECIPROCAL, OP(ADD, big, lit(1))), OP(DIV, lit(1), big), OP(RSQRT, big)};
    for (int k = 0; k < 3; k++)
        assert_true(inverse[k]->e[0] < infinity && low_at(inverse[k], 0) <= 0 &&
                    high_at(inverse[k], 0) < 1e-20);
    assert_true(OPS(CLAMP_MAX, 6, big)->e[0] == 0); // however large, it is clamped
    assert_true(OP(RELU, OP(NEG, big))->e[0] == 0);
    assert_true(OP(SUB, big, OP(MUL, big, lit(2)))->e[0] == infinity);
    assert_true(OP(LOG, big)->e[0] == infinity && OP(MUL, big, lit(0.5))->e[0] == infinity);
    // Partial sums may overflow although the sum does not.
    double alternating[4] = {3e38, -3e38, 3e38, -3e38};
    const Bound *a = INPUT(DT_F32, alternating, 4), *scan = OPA(CUMSUM, ATTRS(0), a);
    assert_true(OPA(SUM, ATTRS(0, 0), a)->e[0] == infinity && scan->e[0] == 0 && scan->e[3] == infinity);
}

static void subnormals_may_be_flushed(void **state) {
    (void)state;
    double v[3] = {0x1p-130, 0, -0x1p-126};
    const Bound *x = INPUT(DT_F32, v, 3);
    assert_true(low_at(x, 0) <= 0 && x->e[1] == 0 && x->e[2] == 0);
    assert_null(INPUT(DT_F32, v + 1, 2)->e);
    double h[2] = {0x1p-24, 1};
    assert_null(INPUT(DT_F16, h, 2)->e); // subnormal of fp16, normal in float32
    double wide[2] = {1e39, 1e38};
    const Bound *d = INPUT(DT_F64, wide, 2);
    assert_true(d->e[0] == infinity && d->e[1] == 0);
    const Bound *y = OP(MUL, x, lit(0.25));
    assert_true(low_at(y, 2) < -0x1p-128 && high_at(y, 2) >= 0 && y->e[1] == 0);
    // Just above the limit, but an honest value may be below: flushed it is off by all of |v|.
    double w[1] = {0x1.000002p-126}, e[1] = {0x1.000002p-126 * 3};
    y = OP(MUL, uncertain(w, e, 1), lit(1));
    assert_true(low_at(y, 0) <= 0);
}

// --- Types ---------------------------------------------------------------------------------------

static void promotion_follows_torch(void **state) {
    (void)state;
    double v[4] = {1, 2, 3, 4};
    const Bound *h = INPUT(DT_F16, v, 4), *b = INPUT(DT_BF16, v, 4), *f = INPUT(DT_F32, v, 4),
                *q = INPUT(DT_I8, v, 4);
    const Bound *l = INPUT(DT_I64, v, 4), *t = INPUT(DT_BOOL, v, 4), *u = INPUT(DT_U8, v, 4);
    const Bound *h0 = input(DT_F16, 0, NULL, v), *f0 = input(DT_F32, 0, NULL, v),
                *l0 = input(DT_I64, 0, NULL, v);
    const struct {
        const Bound *a, *b;
        DType want;
    } row[] = {
        {h, f, DT_F32},        {h, b, DT_F32},        {h, lit(2.5), DT_F16}, {h, whole(3), DT_F16},
        {q, lit(2.5), DT_F32}, {q, whole(3), DT_I8},  {q, h, DT_F16},        {q, l, DT_I64},
        {q, u, DT_I16},        {t, whole(3), DT_I64}, {t, lit(0.5), DT_F32}, {h, f0, DT_F16},
        {q, f0, DT_F32},       {q, l0, DT_I8},        {h0, f0, DT_F32},      {h0, q, DT_F16},
        {l, h0, DT_F16},       {f0, lit(1), DT_F32},  {h0, lit(1), DT_F16},  {t, t, DT_BOOL},
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        if (OP(MUL, row[i].a, row[i].b)->dtype != row[i].want) fail_msg("row %zu", i);
        if (OP(ADD, row[i].b, row[i].a)->dtype != row[i].want) fail_msg("row %zu, swapped", i);
    }
    assert_true(OP(DIV, q, whole(2))->dtype == DT_F32 && OP(DIV, q, l)->dtype == DT_F32);
    assert_true(OP(EXP, q)->dtype == DT_F32 && OP(EXP, h)->dtype == DT_F16 && OP(LT, h, f)->dtype == DT_BOOL);
    assert_true(OP(POW, q, whole(2))->dtype == DT_I8 && OP(POW, q, lit(2))->dtype == DT_F32);
    assert_true(OP(ADD, lit(1), lit(2))->weak && !OP(ADD, lit(1), f)->weak);
    assert_true(OP(WHERE, OP(GT, h, whole(1)), h, lit(0))->dtype == DT_F16);
    assert_true(OPA(SUM, ATTRS(0, 0), q)->dtype == DT_I64 && OPA(SUM, ATTRS(0, 0), h)->dtype == DT_F16);
    REFUSED(SUB, no_attrs, t, t);
    REFUSED(NEG, no_attrs, t);
    REFUSED(MEAN, ATTRS(0, 0), q);
    REFUSED(SOFTMAX, ATTRS(0), l);
    REFUSED(WHERE, no_attrs, q, f, f);
    REFUSED(POW, no_attrs, q, whole(-1));
}

static void integers_are_exact(void **state) {
    (void)state;
    double v[4] = {-128, 127, 5, 100};
    const Bound *q = INPUT(DT_I8, v, 4), *s = OP(ADD, q, whole(30));
    assert_true(!s->e && s->v[0] == -98 && s->v[1] == -99 && s->v[3] == -126); // two's complement
    assert_true(!OP(MUL, q, q)->e && OP(MUL, q, q)->v[1] == 1);
    const Bound *sum = OPA(SUM, ATTRS(0, 0), q);
    assert_true(!sum->e && sum->v[0] == 104);
    assert_true(OP(POW, TO(DT_I32, q), whole(3))->v[0] == -2097152);
    const Bound *unsure = OP(GT, OP(MUL, TO(DT_F32, q), lit(0.2)), lit(1)),
                *count = OPA(SUM, ATTRS(0, 0), unsure);
    assert_true(unsure->e[2] > 0 && count->v[0] + KU * count->e[0] >= 3 && count->e[0] == unsure->e[2]);
    const Bound *f = TO(DT_F32, q);
    assert_null(f->e);
    assert_null(bound_settle(&ctx, f)->e); // every int8 is a float32
    double big[2] = {16777217, 4};
    const Bound *b = TO(DT_F32, INPUT(DT_I64, big, 2));
    assert_true(b->pending && bound_settle(&ctx, b)->e[0] > 0 && bound_settle(&ctx, b)->e[1] == 0);
    double x[4] = {2.7, -2.7, 0.2, -0.0}, e[4] = {0, 0, 0, 0};
    const Bound *cut = TO(DT_I32, INPUT(DT_F32, x, 4)), *truth = TO(DT_BOOL, INPUT(DT_F32, x, 4));
    assert_true(cut->v[0] == 2 && cut->v[1] == -2 && !cut->e && truth->v[2] == 1 && truth->v[3] == 0 &&
                !truth->e);
    e[0] = 1 / KU;
    assert_true(TO(DT_I32, uncertain(x, e, 4))->e[0] > 0.9 / KU &&
                err_at(TO(DT_I32, uncertain(x, e, 4)), 1) == 0);
    double huge[1] = {0x1p52};
    REFUSED(MUL, no_attrs, INPUT(DT_I64, huge, 1), whole(4));
    assert_true(must(try_op(BOUND_ARANGE, ATTRS(3, 6), 0, 0, NULL))->v[2] == 5);
}

// --- Half types: what is charged, and when -------------------------------------------------------

static void casts_are_charged_when_used(void **state) {
    (void)state;
    double v[3] = {1.0001, 70000, 1};
    const Bound *x = INPUT(DT_F32, v, 3), *h = TO(DT_F16, x);
    assert_true(h->pending && h->dtype == DT_F16 && !h->e && h->v == x->v); // a final cast costs nothing
    const Bound *s = bound_settle(&ctx, h);
    assert_true(!s->pending && fabs(s->e[0] * KU - 0x1p-11) < 1e-12); // exactly half an ulp
    assert_true(s->e[1] == infinity && s->e[2] == 0);                 // 70000 overflows; 1 needs no rounding
    assert_true(bound_settle(&ctx, s) == s);
    const Bound *f = TO(DT_F32, h);
    assert_true(!f->pending && f->dtype == DT_F32 && f->e[0] == s->e[0]);
    assert_true(TO(DT_F16, h)->pending && TO(DT_F16, h)->e == h->e); // twice is once
    const Bound *b = TO(DT_BF16, h);
    assert_true(b->pending && b->e[0] == s->e[0]);
    assert_true(OP(NEG, h)->pending && OPA(RESHAPE, ATTRS(3, 1), h)->pending && OP(RELU, h)->pending);
    assert_true(OPA(CAT, ATTRS(0), h, h)->pending && !OPA(CAT, ATTRS(0), h, s)->pending);
    const Bound *y = OP(MUL, h, lit(3)); // charged by the product, and the product's own rounding to fp16
    assert_true(!y->pending && y->dtype == DT_F16 && KU * y->e[0] > 3 * 0x1p-11 &&
                KU * y->e[0] < 3 * 0x1p-11 + 0x1p-9);
    const Bound *exact = OP(MUL, INPUT(DT_F16, v, 1), whole(0));
    assert_true(exact->v[0] == 0 && err_at(exact, 0) == 0);
    assert_true(h->in[0] == x && h->op == BOUND_CAST && h->attr[0] == DT_F16 && y->in[0] == h);
}

// Products and sums of fp16 tensors: rounding after every operation, or never, is both inside; bf16 is not.
static void half_arithmetic_holds_both_ways(void **state) {
    (void)state;
    enum { N = 2000 };
    static double x[N], y[N], z[N];
    Rng r = rng_at(21, 0);
    for (int i = 0; i < N; i++) x[i] = rng_normal(&r), y[i] = rng_normal(&r) * 8, z[i] = rng_normal(&r);
    const Bound *a = INPUT(DT_F16, x, N), *b = INPUT(DT_F16, y, N), *c = INPUT(DT_F16, z, N);
    const Bound *out = OP(ADD, OP(MUL, a, b), c);
    assert_true(out->dtype == DT_F16);
    int outside = 0;
    for (int i = 0; i < N; i++) {
        double wide = (double)((float)(a->v[i] * b->v[i]) + (float)c->v[i]);
        double each = dtype_round(DT_F16, dtype_round(DT_F16, a->v[i] * b->v[i]) + c->v[i]);
        double coarse = dtype_round(DT_BF16, dtype_round(DT_BF16, a->v[i] * b->v[i]) + c->v[i]);
        assert_true(wide >= low_at(out, i) && wide <= high_at(out, i));
        assert_true(each >= low_at(out, i) && each <= high_at(out, i));
        outside += coarse < low_at(out, i) || coarse > high_at(out, i);
    }
    assert_true(outside > N / 4);
}

// With `rounds` a cast is done: one value where the interval rounds to one, both neighbours near a tie.
static void roundings_happen_where_they_are_asked_for(void **state) {
    (void)state;
    double v[6] = {1 + 0x1p-13, 3, 70000, -70000, 0x1p-24, 2049};
    const Bound *x = INPUT(DT_F32, v, 6);
    ctx.rounds = true;
    const Bound *h = TO(DT_F16, x), *r = bound_settle(&ctx, h);
    assert_true(h->pending && h->v == x->v); // a last cast is still the comparison's
    assert_true(!r->pending && !r->e);
    assert_true(r->v[0] == 1 && r->v[1] == 3 && r->v[2] == INFINITY && r->v[3] == -INFINITY &&
                r->v[4] == 0x1p-24 && r->v[5] == 2048);
    // An operation of half tensors rounds, too, and only once.
    const Bound *sum = OP(ADD, h, h);
    assert_true(sum->dtype == DT_F16 && sum->pending && sum->v[1] == 6 && bound_settle(&ctx, sum)->v[1] == 6);
    // 1 + 2^-11 is a tie of float16: with an error both neighbours are honest, and nothing else.
    double tie[1] = {1 + 0x1p-11 - 0x1p-24}, small[1] = {0x1p-24};
    const Bound *t = OP(ADD, INPUT(DT_F32, tie, 1), INPUT(DT_F32, small, 1));
    const Bound *near = bound_settle(&ctx, TO(DT_F16, t));
    double k = BOUND_KAPPA * BOUND_U * near->e[0];
    assert_true(near->v[0] - k <= 1 && near->v[0] - k > 1 - 0x1p-20);
    assert_true(near->v[0] + k >= 1 + 0x1p-10 && near->v[0] + k < 1 + 0x1p-10 + 0x1p-20);
    // Far from one, an error that is there leaves none.
    double off[1] = {1 + 0x1p-14};
    const Bound *far =
        bound_settle(&ctx, TO(DT_F16, OP(ADD, INPUT(DT_F32, off, 1), INPUT(DT_F32, small, 1))));
    assert_true(far->v[0] == 1 && !far->e);
    // What may or may not overflow is not known.
    double edge[1] = {65520 - 0x1p-8}, none[1] = {0x1p-8};
    const Bound *over =
        bound_settle(&ctx, TO(DT_F16, OP(ADD, INPUT(DT_F32, edge, 1), INPUT(DT_F32, none, 1))));
    assert_true(over->e[0] == INFINITY);
    ctx.rounds = false;
    const Bound *permitted = bound_settle(&ctx, TO(DT_F16, x));
    assert_true(permitted->v[0] == v[0] && permitted->e[0] > 0);
}

static void any_order_of_a_sum(void **state) {
    (void)state;
    enum { N = 4096 };
    double v[N];
    for (int i = 0; i < N; i++) v[i] = 1;
    const Bound *x = INPUT(DT_F32, v, N), *tree = OPA(SUM, ATTRS(0, 0), x);
    ctx.any_order = true;
    const Bound *chain = OPA(SUM, ATTRS(0, 0), x);
    ctx.any_order = false;
    assert_true(chain->e[0] > 100 * tree->e[0] && chain->v[0] == N);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(roundings_happen_where_they_are_asked_for),
        cmocka_unit_test(any_order_of_a_sum),
        cmocka_unit_test(constants_of_the_rules),
        cmocka_unit_test(overflow_is_unknown_until_a_limit),
        cmocka_unit_test(subnormals_may_be_flushed),
        cmocka_unit_test(promotion_follows_torch),
        cmocka_unit_test(integers_are_exact),
        cmocka_unit_test(casts_are_charged_when_used),
        cmocka_unit_test(half_arithmetic_holds_both_ways),
    };
    return cmocka_run_group_tests(tests, oracle_setup, oracle_teardown);
}
