// Encoding of blocks: as close to the numbers as their width allows, whatever the numbers are.
#include "weights/quant/quant_blocks.h"

// The error of each type over plain numbers, against what its width allows.
static void test_errors(void **state) {
    (void)state;
    enum { N = 4096 };
    static float x[N], y[N];
    static uint8_t b[4 * N];
    static const struct {
        WeightType type;
        double most; // of the spread of x
    } rows[] = {{W_F32, 0},     {W_F16, 4e-4},   {W_BF16, 3e-3}, {W_Q4_0, 0.1},  {W_Q5_0, 0.05},
                {W_Q5_1, 0.05}, {W_Q8_0, 0.006}, {W_Q4_K, 0.08}, {W_Q5_K, 0.04}, {W_Q6_K, 0.02}};
    Rng r = rng_at(3, 0);
    for (int i = 0; i < N; i++) {
        float u = 0;
        for (int k = 0; k < 4; k++) u += (float)(rng_u32(&r) >> 8) * 0x1p-24f - 0.5f;
        x[i] = u;
    }
    double spread = error_of(x, y, N);
    assert_int_equal(sizeof rows / sizeof *rows, W_COUNT);
    for (int i = 0; i < W_COUNT; i++) {
        quant_encode(rows[i].type, x, N, b);
        quant_decode(rows[i].type, b, N, y);
        double error = error_of(x, y, N) / spread;
        if (error > rows[i].most || (rows[i].most > 0 && error < rows[i].most / 10))
            fail_msg("%s: %g", WEIGHT_TYPE[rows[i].type].name, error);
    }
}

// Numbers at the edges: zeros, all alike, one sign, tiny, huge, not finite. Nothing is undefined, and what a
// block can hold comes back.
static void test_edges(void **state) {
    (void)state;
    static const float values[] = {0, 1, -1, 1e-30f, 6e4f, -6e4f, 3e38f, INFINITY, -INFINITY, NAN};
    float x[256], y[256];
    uint8_t b[1024];
    for (int t = 0; t < W_COUNT; t++)
        for (size_t v = 0; v < sizeof values / sizeof *values; v++)
            for (int shape = 0; shape < 3; shape++) {
                for (int i = 0; i < 256; i++)
                    x[i] = shape == 0 || (shape == 1 && i == 77) || (shape == 2 && i % 2) ? values[v] : 0;
                quant_encode((WeightType)t, x, 256, b);
                quant_decode((WeightType)t, b, 256, y);
                for (int i = 0; i < 256 && fabsf(values[v]) <= 6e4f; i++)
                    if (!(fabsf(x[i] - y[i]) <= 0.15f * fabsf(values[v]) + 1e-6f))
                        fail_msg("%s: %g became %g", WEIGHT_TYPE[t].name, (double)x[i], (double)y[i]);
            }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_errors),
        cmocka_unit_test(test_edges),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
