// The vector loops of attention against float64, in every build of them that this machine runs.
#include "model/lanes.h"

#ifdef PORTABLE
static const AttentionLoops *const attention[] = {&attention_loops_base};
#else
static const AttentionLoops *const attention[] = {&attention_loops_base, &attention_loops_avx2,
                                                  &attention_loops_avx512};
#endif

// One head over several blocks, in float64.
static void plain_attention(const float *q, const float *k, const float *v, int dim, int padded, int count,
                            double scale, double *out) {
    double top = -INFINITY, sum = 0, s[4 * KV_PAGE];
    for (int j = 0; j < count; j++) {
        s[j] = 0;
        for (int d = 0; d < dim; d++)
            s[j] += (double)q[d] * (double)k[(j / KV_PAGE * dim + d) * KV_PAGE + j % KV_PAGE];
        s[j] *= scale;
        top = fmax(top, s[j]);
    }
    for (int d = 0; d < dim; d++) out[d] = 0;
    for (int j = 0; j < count; j++) {
        double w = f64_exp(s[j] - top);
        sum += w;
        for (int d = 0; d < dim; d++) out[d] += w * (double)v[j * padded + d];
    }
    for (int d = 0; d < dim; d++) out[d] /= sum;
}

static void test_attention(void **state) {
    (void)state;
    enum { DIM = 80, BLOCKS = 4 };
    static float k[BLOCKS * DIM * KV_PAGE], v[BLOCKS * KV_PAGE * DIM], q[ATTENTION_ROWS * DIM];
    static uint16_t k16[sizeof k / 4], v16[sizeof v / 4];
    Rng g = rng_at(2, 0);
    for (int round = 0; round < 60; round++) {
        int dim = 2 * (int)rng_between(&g, 1, DIM / 2), padded = (dim + 15) / 16 * 16;
        int rows = (int)rng_between(&g, 1, ATTENTION_ROWS), count = (int)rng_between(&g, 1, BLOCKS * KV_PAGE);
        // Small whole numbers and halves: exact in float16, so that both kinds of cache hold the same.
        for (size_t i = 0; i < sizeof k / 4; i++) k[i] = (float)rng_between(&g, -8, 8) / 2;
        for (size_t i = 0; i < sizeof v / 4; i++) v[i] = (float)rng_between(&g, -8, 8) / 2;
        for (int i = 0; i < rows * dim; i++) q[i] = (float)rng_normal(&g);
        for (int j = count; j < BLOCKS * KV_PAGE; j++) // what may not be seen
            for (int d = 0; d < dim; d++) k[(j / KV_PAGE * dim + d) * KV_PAGE + j % KV_PAGE] = 1e4f;
        for (int b = 0; b < builds(); b++) {
            assert_true(attention[b]->narrow(k, sizeof k / 4, k16));
            assert_true(attention[b]->narrow(v, sizeof v / 4, v16));
            float first[ATTENTION_ROWS * DIM];
            for (int half = 0; half < 2; half++) {
                float out[ATTENTION_ROWS * DIM] = {0}, top[ATTENTION_ROWS], sum[ATTENTION_ROWS] = {0};
                for (int r = 0; r < rows; r++) top[r] = -INFINITY;
                for (int at = 0; at < count; at += KV_PAGE) {
                    size_t kat = (size_t)(at * dim), vat = (size_t)(at * padded);
                    AttentionBlock a = {.k = half ? (const void *)(k16 + kat) : k + kat,
                                        .v = half ? (const void *)(v16 + vat) : v + vat,
                                        .half = half,
                                        .q = q,
                                        .out = out,
                                        .top = top,
                                        .sum = sum,
                                        .q_stride = (size_t)dim,
                                        .row_stride = 1,
                                        .rows = rows,
                                        .keys = count - at < KV_PAGE ? count - at : KV_PAGE,
                                        .dim = dim,
                                        .padded = padded,
                                        .scale = 0.3f};
                    attention[b]->block(&a);
                }
                for (int r = 0; r < rows; r++) {
                    double right[DIM];
                    plain_attention(q + r * dim, k, v, dim, padded, count, (double)0.3f, right);
                    for (int d = 0; d < dim; d++) {
                        double got = (double)out[r * padded + d] / (double)sum[r];
                        if (!(fabs(got - right[d]) < 3e-5))
                            fail_msg("build %d, dim %d, %d keys: %g, not %g", b, dim, count, got, right[d]);
                    }
                }
                // Reading float16 is exact: the same bits as from float32.
                if (half) assert_memory_equal(first, out, sizeof first);
                memcpy(first, out, sizeof first);
            }
        }
    }
}

// Tokens one behind the other, in one call and each in its own: the same bits, wherever their rows lie.
static void test_tokens_together(void **state) {
    (void)state;
    enum { DIM = 80, STRIDE = 3, ROOM = STRIDE * ATTENTION_ROWS };
    static float k[DIM * KV_PAGE], v[KV_PAGE * DIM], q[ROOM * DIM];
    Rng g = rng_at(4, 0);
    for (int round = 0; round < 60; round++) {
        int dim = 2 * (int)rng_between(&g, 1, DIM / 2), padded = (dim + 15) / 16 * 16, more = round % 2;
        int rows = (int)rng_between(&g, 1, ATTENTION_ROWS),
            keys = more ? (int)rng_between(&g, 1, KV_PAGE - rows) : KV_PAGE;
        for (size_t i = 0; i < sizeof k / 4; i++) k[i] = (float)rng_normal(&g);
        for (size_t i = 0; i < sizeof v / 4; i++) v[i] = (float)rng_normal(&g);
        for (size_t i = 0; i < sizeof q / 4; i++) q[i] = (float)rng_normal(&g);
        for (int b = 0; b < builds(); b++) {
            float out[2][ROOM * DIM] = {{0}}, top[2][ROOM], sum[2][ROOM] = {{0}};
            for (int i = 0; i < 2 * ROOM; i++) top[i / ROOM][i % ROOM] = -INFINITY;
            AttentionBlock a = {.k = k, .v = v, .q = q, .out = out[0], .top = top[0], .sum = sum[0]};
            a.q_stride = (size_t)(STRIDE * dim), a.row_stride = STRIDE, a.rows = rows, a.keys = keys,
            a.more = more;
            a.dim = dim, a.padded = padded, a.scale = 0.3f;
            attention[b]->block(&a);
            a.rows = 1, a.more = 0;
            for (int r = 0; r < rows; r++) {
                a.q = q + STRIDE * r * dim, a.keys = keys + r * more;
                a.out = out[1] + STRIDE * r * padded, a.top = top[1] + STRIDE * r,
                a.sum = sum[1] + STRIDE * r;
                attention[b]->block(&a);
            }
            assert_memory_equal(out[0], out[1], sizeof out[0]);
            assert_memory_equal(top[0], top[1], sizeof top[0]);
            assert_memory_equal(sum[0], sum[1], sizeof sum[0]);
            if (!more) continue;
            a.keys++; // a row that sees one more is another one
            a.out = out[1] + STRIDE * (rows - 1) * padded, a.sum[0] = 0, a.top[0] = -INFINITY;
            memset(a.out, 0, (size_t)padded * sizeof(float));
            attention[b]->block(&a);
            assert_memory_not_equal(out[0], out[1], sizeof out[0]);
        }
    }
}

static double half_value(uint16_t h) {
    double m = h & 0x3ff;
    int e = h >> 10 & 31;
    double size = e ? ldexp(1 + m / 1024, e - 15) : ldexp(m, -24);
    return h & 0x8000 ? -size : size;
}

static void test_narrow(void **state) {
    (void)state;
    for (int b = 0; b < builds(); b++) {
        // Every number of float16, and just beside and exactly at every middle between two.
        for (uint32_t h = 0; h < 0x7bff; h++) {
            double low = half_value((uint16_t)h), high = half_value((uint16_t)(h + 1)),
                   mid = (low + high) / 2;
            float x[4] = {(float)low, nextafterf((float)mid, 0), (float)mid, nextafterf((float)mid, 1e9f)};
            uint16_t even = (uint16_t)(h & 1 ? h + 1 : h), out[4];
            assert_true(attention[b]->narrow(x, 4, out));
            if (out[0] != h || out[1] != h || out[2] != even || out[3] != h + 1)
                fail_msg("build %d: %04x: %04x %04x %04x %04x", b, h, out[0], out[1], out[2], out[3]);
            for (int i = 0; i < 4; i++) x[i] = -x[i];
            assert_true(attention[b]->narrow(x, 4, out));
            assert_true(out[0] == (h | 0x8000) && out[1] == (h | 0x8000) && out[3] == ((h + 1) | 0x8000));
        }
        const float odd[] = {65504, 70000, INFINITY, -INFINITY, NAN};
        const uint16_t kept[] = {0x7bff, 0x7bff, 0x7bff, 0xfbff, 0};
        uint16_t out[5];
        assert_false(attention[b]->narrow(odd, 5, out));
        assert_memory_equal(out, kept, sizeof kept);
        // A single one is found in every place of every vector, and what only just fits is none.
        float x[40] = {65504, -65504};
        uint16_t half[40];
        for (size_t n = 1; n <= 40; n++) assert_true(attention[b]->narrow(x, n, half));
        for (size_t i = 2; i < 40; i++)
            for (int k = 1; k < 5; k++) {
                x[i] = odd[k];
                assert_false(attention[b]->narrow(x, 40, half));
                assert_false(attention[b]->narrow(x, i + 1, half));
                assert_true(attention[b]->narrow(x, i, half));
                x[i] = 0;
            }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_attention),
        cmocka_unit_test(test_tokens_together),
        cmocka_unit_test(test_narrow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
