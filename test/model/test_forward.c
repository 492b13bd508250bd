// The vector loops of a forward pass against float64, in every build of them that this machine runs.
#include "model/lanes.h"

#ifdef PORTABLE
static const ForwardLoops *const forward[] = {&forward_loops_base};
#else
static const ForwardLoops *const forward[] = {&forward_loops_base, &forward_loops_avx2,
                                              &forward_loops_avx512};
#endif

enum { LONG = 300 };

static void test_rows(void **state) {
    (void)state;
    Rng g = rng_at(1, 0);
    float x[LONG], y[LONG], w[LONG], out[LONG + 1], half[LONG];
    for (int round = 0; round < 400; round++) {
        size_t n = (size_t)rng_between(&g, 1, LONG);
        for (size_t i = 0; i < n; i++) {
            x[i] = (float)(rng_normal(&g) * (round % 5 == 0 ? 40 : 2));
            y[i] = (float)rng_normal(&g);
            w[i] = (float)rng_normal(&g);
        }
        for (int b = 0; b < builds(); b++) {
            double sum = 0;
            for (size_t i = 0; i < n; i++) sum += (double)x[i] * (double)x[i];
            double scale = 1 / sqrt(sum / (double)n + 1e-6);
            out[n] = 77;
            forward[b]->norm(x, w, 1e-6f, n, out);
            for (size_t i = 0; i < n; i++) {
                double right = (double)x[i] * scale * (double)w[i];
                assert_true(fabs((double)out[i] - right) <= 1e-6 * fabs(right) + 1e-12);
            }
            forward[b]->swiglu(x, y, n, out);
            for (size_t i = 0; i < n; i++) {
                double right = (double)x[i] * f64_sigmoid((double)x[i]) * (double)y[i];
                assert_true(fabs((double)out[i] - right) <= 1e-6 * fabs(right) + 1e-12);
            }
            assert_true(out[n] == 77);
            memcpy(half, x, n * sizeof *x);
            forward[b]->add_scaled(half, y, 0.5f, n);
            for (size_t i = 0; i < n; i++) assert_true(fabsf(half[i] - (x[i] + 0.5f * y[i])) < 1e-5f);
        }
    }
    // Ends of the range: silu goes to 0 and to x, and NaN stays.
    for (int b = 0; b < builds(); b++) {
        const float ends[] = {-1000, -88, -87.5f, 87.5f, 88, 1000, NAN};
        const float one[] = {1, 1, 1, 1, 1, 1, 1};
        forward[b]->swiglu(ends, one, 7, out);
        for (int i = 0; i < 3; i++) assert_true(fabsf(out[i]) < 1e-35f);
        for (int i = 3; i < 6; i++) assert_true(out[i] == ends[i]);
        assert_true(out[6] != out[6]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
