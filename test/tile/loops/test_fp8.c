// 8-bit floats in kernels: every code through memory and the conversions, saturation, products.
#include "tile/run.h"

static const DType types[] = {DT_F8E4NV, DT_F8E5, DT_F8E4B15};

// y = every code as fp32; z = y converted back, stored; w = the same by way of fp16.
static const char every[] = "@triton.jit\n"
                            "def k(x, y, z, w, b):\n"
                            "    i = tl.arange(0, 256)\n"
                            "    v = tl.load(x + i)\n"
                            "    tl.store(y + i, v)\n"
                            "    tl.store(z + i, v.to(tl.float32).to(v.dtype))\n"
                            "    tl.store(w + i, v.to(tl.float16).to(v.dtype))\n"
                            "    tl.store(b + i, v.to(tl.int8, bitcast=True))\n";

static void test_every_code(void **state) {
    (void)state;
    for (size_t k = 0; k < sizeof types / sizeof *types; k++) {
        Run r;
        DType t = types[k];
        run_begin(&r);
        const Tensor *x = output(&r, t, 256), *y = output(&r, DT_F32, 256), *z = output(&r, t, 256),
                     *w = output(&r, t, 256), *b = output(&r, DT_I8, 256);
        for (int i = 0; i < 256; i++) x->storage->data[i] = (uint8_t)i;
        tensor_expose(x, SHADOW_ALLOC | SHADOW_INIT);
        run_ok(&r, every, 1);
        for (int i = 0; i < 256; i++) {
            double v = f8_value(t, (uint8_t)i), got = at(y, i);
            assert_true(v != v ? got != got : got == v);
            // NaN is canonical; infinity and fp8e4b15's largest code saturate.
            double back = isinf(v) || fabs(v) > dtype_max(t) ? copysign(dtype_max(t), v) : v;
            assert_true(v != v ? at(z, i) != at(z, i) : at(z, i) == back);
            assert_true(v != v ? at(w, i) != at(w, i) : at(w, i) == back);
            if (v == v) assert_int_equal((uint8_t)b->storage->data[i], i);
        }
        run_end(&r);
    }
}

static void test_conversions(void **state) {
    (void)state;
    enum { N = 512 };
    for (size_t k = 0; k < sizeof types / sizeof *types; k++)
        for (int half = 0; half < 2; half++) {
            Run r;
            DType t = types[k];
            run_begin(&r);
            float v[N];
            uint32_t seed = 17;
            for (int i = 0; i < N; i++) v[i] = ldexpf(noise(&seed), i % 40 - 22);
            v[0] = INFINITY, v[1] = -INFINITY, v[2] = NAN, v[3] = -0.0f, v[4] = 464, v[5] = 465, v[6] = 61440;
            input_of(&r, half ? DT_F16 : DT_F32, v, N);
            const Tensor *y = output(&r, t, N);
            run_ok(
                &r,
                "@triton.jit\ndef k(x, y):\n    i = tl.arange(0, 512)\n    tl.store(y + i, tl.load(x + i))\n",
                1);
            for (int i = 0; i < N; i++) {
                double want = dtype_round(t, (double)r.data[0][i]), got = at(y, i);
                if (!(want != want ? got != got : got == want && signbit(got) == signbit(want)))
                    fail_msg("%s of %a is %a, not %a", dtype_info[t].triton, (double)r.data[0][i], got, want);
            }
            run_end(&r);
        }
}

static void test_toward_zero(void **state) {
    (void)state;
    Run r;
    run_begin(&r);
    float v[256];
    uint32_t seed = 5;
    for (int i = 0; i < 256; i++) v[i] = ldexpf(noise(&seed), i % 30 - 16);
    v[0] = 1e9f, v[1] = -INFINITY;
    input_of(&r, DT_F32, v, 256);
    const Tensor *y = output(&r, DT_F8E5, 256);
    run_ok(&r,
           "@triton.jit\ndef k(x, y):\n    i = tl.arange(0, 256)\n"
           "    tl.store(y + i, tl.load(x + i).to(tl.float8e5, fp_downcast_rounding='rtz'))\n",
           1);
    assert_true(at(y, 0) == 57344 && at(y, 1) == -(double)INFINITY);
    for (int i = 2; i < 256; i++) {
        double got = at(y, i), x = (double)v[i];
        assert_true(fabs(got) <= fabs(x) && (got == 0 || signbit(got) == signbit(x)));
        assert_true(fabs(dtype_next(DT_F8E5, got, x > 0 ? 1 : -1)) > fabs(x));
    }
    run_end(&r);
}

// Two types in one product; a lane beyond the mask is undefined as everywhere.
static const char product[] = "@triton.jit\n"
                              "def k(a, b, c, OTHER: tl.constexpr):\n"
                              "    i = tl.arange(0, 32)\n"
                              "    at = i[:, None] * 32 + i[None, :]\n"
                              "    if OTHER:\n"
                              "        x = tl.load(a + at, mask=i[:, None] < 31, other=0.0)\n"
                              "    else:\n"
                              "        x = tl.load(a + at, mask=i[:, None] < 31)\n"
                              "    tl.store(c + at, tl.dot(x, tl.load(b + at)))\n";
static void test_dot(void **state) {
    (void)state;
    for (int other = 0; other < 2; other++) {
        Run r;
        run_begin(&r);
        const float *a = input(&r, DT_F8E4NV, 1024, 3), *b = input(&r, DT_F8E5, 1024, 4);
        const Tensor *c = output(&r, DT_F32, 1024);
        named(&r, "OTHER", other);
        if (!other) {
            assert_false(run(&r, product, 1));
            assert_int_equal(diag_first(&r.diags)->kind, DIAG_UNINIT);
            run_end(&r);
            continue;
        }
        run_ok(&r, product, 1);
        for (int i = 0; i < 32; i++)
            for (int j = 0; j < 32; j++) {
                double sum = 0;
                for (int k = 0; i < 31 && k < 32; k++) sum += (double)a[i * 32 + k] * (double)b[k * 32 + j];
                near(c, i * 32 + j, sum, 1e-6);
            }
        run_end(&r);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_every_code), cmocka_unit_test(test_conversions),
                                       cmocka_unit_test(test_toward_zero), cmocka_unit_test(test_dot)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
