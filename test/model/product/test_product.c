// Products with stored weights: every type, count, number of threads and instruction set against the
// definition; and that the bits of an output depend on nothing but its own row and input.
#include "base/arena.h"
#include "base/build.h"
#include "base/isa.h"
#include "base/numeric/rng.h"
#include "model/product/product_loops.h"
#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

enum { COUNT_MAX = 40, ROWS = 37 };
static const int COMPARED[] = {16, 24, 32, 256, 288, 1536}, ORDERED[] = {5, 16, 32, 56, 64, 288, 512};
static Arena arena;

static void put_half(uint8_t *p, Rng *r,
                     bool may_be_zero) { // sign and a size between 2^-8 and 2^-6, or (seldom) zero
    uint16_t h = (uint16_t)(rng_u32(r) & 0x83ff) | (uint16_t)(rng_between(r, 7, 9) << 10);
    if (may_be_zero && h % 64 == 0) h = 0;
    memcpy(p, &h, 2);
}

// Random bytes, with scales of a size that sums are compared at. The data ends where its memory ends, at an
// odd address: reading further is an error that AddressSanitizer sees.
static Weight random_weight(WeightType type, int64_t rows, int64_t cols, Rng *r) {
    Weight w = {.type = type, .rows = rows, .cols = cols};
    size_t bytes = weight_row_bytes(&w) * (size_t)rows;
    uint8_t *data = (uint8_t *)malloc(bytes + 1) + 1;
    for (size_t i = 0; i < bytes; i++) data[i] = (uint8_t)rng_u32(r);
    int step = WEIGHT_TYPE[type].block_bytes;
    for (size_t at = 0; at < bytes; at += (size_t)step) {
        uint8_t *b = data + at;
        float v = (float)rng_normal(r);
        uint32_t bits;
        switch (type) {
        case W_F32: memcpy(b, &v, 4); break;
        case W_BF16:
            memcpy(&bits, &v, 4);
            memcpy(b, (char *)&bits + 2, 2);
            break;
        case W_Q6_K: put_half(b + 208, r, at > 0); break;
        case W_Q5_1:
        case W_Q4_K:
        case W_Q5_K:
            put_half(b + 2, r, at > 0);
            put_half(b, r, at > 0);
            break;
        default: put_half(b, r, at > 0); break;
        }
    }
    w.data = data;
    return w;
}
static void drop_weight(Weight *w) { free((uint8_t *)w->data - 1); }

static float *random_inputs(int64_t cols, int count, int64_t stride, Rng *r) {
    float *x = NEWN(&arena, float, (size_t)(stride * count));
    for (int i = 0; i < count; i++)
        for (int64_t c = 0; c < cols; c++) {
            x[i * stride + c] = (float)rng_normal(r);
            if (rng_below(r, 40) == 0) x[i * stride + c] *= 30;
        }
    return x;
}

static ProductInput prepared(Pool *pool, const float *x, int count, int64_t cols, int64_t stride,
                             WeightType t) {
    ProductInput in = {.x = x, .count = count, .cols = cols, .stride = stride};
    in.rounded = arena_alloc(&arena, product_room(cols, count), 1, 1);
    product_prepare(pool, &in, t);
    return in;
}

static bool fits(WeightType t, int64_t cols) { return cols % WEIGHT_TYPE[t].block == 0; }

static void test_blocks_mean_their_values(void **state) {
    (void)state;
    Rng r = rng_at(1, 1);
    for (int t = 0; t < W_COUNT; t++) {
        if (!type_quantised((WeightType)t)) continue;
        Weight w = random_weight((WeightType)t, 5, 512, &r);
        float row[512];
        for (int64_t i = 0; i < w.rows; i++) {
            weight_row(&w, i, row);
            for (int b = 0; b < 16; b++) {
                PlainBlock p;
                plain_block((WeightType)t, w.data + (size_t)i * weight_row_bytes(&w), b, &p);
                for (int c = 0; c < BLOCK; c++) {
                    float v = p.scale * (float)(p.sub[c / 16] * (p.q[c] - p.off)) + p.min;
                    if (v != row[BLOCK * b + c])
                        fail_msg("%s row %d column %d: %g, not %g", WEIGHT_TYPE[t].name, (int)i,
                                 BLOCK * b + c, (double)v, (double)row[BLOCK * b + c]);
                }
            }
        }
        drop_weight(&w);
    }
}

static void test_rounding(void **state) {
    (void)state;
    Pool *pool = pool_open(1);
    Rng r = rng_at(2, 1);
    float *x = random_inputs(320, 3, 321, &r);
    memset(x + 64, 0, 32 * sizeof *x);
    ProductInput in = prepared(pool, x, 3, 320, 321, W_Q8_0);
    for (int n = 0; n < 3; n++)
        for (int c = 0; c < 512; c++) {
            const Rounded *at = rounded_of(&in, n) + c / CHUNK;
            float dx = at->dx[c % CHUNK / BLOCK], q = at->q[c % CHUNK], v = c < 320 ? x[n * 321 + c] : 0;
            if (fabsf(q * dx - v) > dx * 0.5001f) fail_msg("input %d column %d: %g", n, c, (double)v);
            if (c % BLOCK) continue;
            int sum[2] = {0, 0};
            for (int i = 0; i < BLOCK; i++) sum[i / 16] += at->q[c % CHUNK + i];
            int b = c % CHUNK / BLOCK;
            assert_int_equal(at->off32[b], -128 * (sum[0] + sum[1]));
            for (int h = 0; h < 2; h++)
                assert_int_equal(at->off16[4 * ((2 * b + h) % 4) + (2 * b + h) / 4], -32 * sum[h]);
            assert_true(at->s[b] == dx * (float)(sum[0] + sum[1]));
        }
    pool_close(pool);
}

// The largest difference between two results, in units of the sum of the absolute terms of an output.
static double apart(const Weight *w, const float *x, int64_t xstride, int count, const float *y,
                    const float *z) {
    double worst = 0;
    float *row = NEWN(&arena, float, (size_t)w->cols);
    for (int64_t r = 0; r < w->rows; r++) {
        weight_row(w, r, row);
        for (int n = 0; n < count; n++) {
            double size = 1e-30;
            for (int64_t c = 0; c < w->cols; c++) size += fabs((double)row[c] * (double)x[n * xstride + c]);
            double d = fabs((double)y[n * w->rows + r] - (double)z[n * w->rows + r]) / size;
            if (!(d <= worst)) worst = d == d ? d : INFINITY;
        }
    }
    return worst;
}

static void flip(Weight *w) {
    size_t block = (size_t)WEIGHT_TYPE[w->type].block_bytes;
    for (size_t at = block; at <= weight_row_bytes(w); at += block) ((uint8_t *)w->data)[at - 1] ^= 2;
}

static void test_near_the_definition(void **state) {
    (void)state;
    Pool *pool = pool_open(2);
    Rng r = rng_at(3, 2);
    for (int t = 0; t < W_COUNT; t++)
        for (size_t i = 0; i < sizeof COMPARED / sizeof *COMPARED; i++) {
            int64_t cols = COMPARED[i] + (type_quantised((WeightType)t) ? 0 : 7), stride = cols + 3;
            if (!fits((WeightType)t, cols)) continue;
            Weight w = random_weight((WeightType)t, ROWS, cols, &r);
            for (int count = 1; count <= 17; count += 8) {
                ArenaMark mark = arena_mark(&arena);
                float *x = random_inputs(cols, count, stride, &r);
                ProductInput in = prepared(pool, x, count, cols, stride, w.type);
                float *y = NEWN(&arena, float, (size_t)(ROWS * count)),
                      *z = NEWN(&arena, float, (size_t)(ROWS * count));
                product_run(pool, &(Product){&w, &in, y, ROWS}, 1);
                product_plain(&w, &in, z, ROWS);
                double d = apart(&w, x, stride, count, y, z);
                if (!(d < 1e-6))
                    fail_msg("%s, %d columns, %d inputs: %g apart", WEIGHT_TYPE[t].name, (int)cols, count, d);
                // and the control: one bit in the last byte of each block of one row shows
                flip(&w);
                product_plain(&w, &in, z, ROWS);
                if (!(apart(&w, x, stride, count, y, z) > 1e-6))
                    fail_msg("%s, %d columns: a changed bit does not show", WEIGHT_TYPE[t].name, (int)cols);
                flip(&w);
                arena_reset(&arena, mark);
            }
            drop_weight(&w);
        }
    pool_close(pool);
}

// Inputs alone are the reference: together with any number of others, at any place among them, in one
// product of several, and on any number of threads, the same bits.
static void test_one_order_of_summation(void **state) {
    (void)state;
    Pool *pool[3] = {pool_open(1), pool_open(2), pool_open(3)};
    Rng r = rng_at(4, 1);
    for (int t = 0; t < W_COUNT; t++)
        for (size_t i = 0; i < sizeof ORDERED / sizeof *ORDERED; i++) {
            int64_t cols = ORDERED[i] + (type_quantised((WeightType)t) ? 0 : 5);
            if (!fits((WeightType)t, cols)) continue;
            ArenaMark mark = arena_mark(&arena);
            Weight w = random_weight((WeightType)t, ROWS, cols, &r),
                   v = random_weight((WeightType)t, 19, cols, &r);
            float *x = random_inputs(cols, COUNT_MAX, cols, &r);
            float *one = NEWN(&arena, float, ROWS *COUNT_MAX);
            for (int n = 0; n < COUNT_MAX; n++) {
                ProductInput in = prepared(pool[0], x + n * cols, 1, cols, cols, w.type);
                product_run(pool[0], &(Product){&w, &in, one + n * ROWS, ROWS}, 1);
            }
            for (int count = 1; count <= COUNT_MAX; count += count < 9 ? 1 : 6) {
                int from = (int)rng_below(&r, (uint64_t)(COUNT_MAX - count + 1));
                Pool *p = pool[count % 3];
                ProductInput in = prepared(p, x + from * cols, count, cols, cols, w.type);
                float *y = NEWN(&arena, float, (size_t)(ROWS * count)),
                      *z = NEWN(&arena, float, (size_t)(19 * count));
                product_run(p, (Product[]){{&v, &in, z, 19}, {&w, &in, y, ROWS}}, 2);
                if (memcmp(y, one + from * ROWS, (size_t)(ROWS * count) * sizeof *y) != 0)
                    fail_msg("%s, %d columns: %d inputs give other bits than each alone", WEIGHT_TYPE[t].name,
                             (int)cols, count);
            }
            drop_weight(&w), drop_weight(&v);
            arena_reset(&arena, mark);
        }
    for (int i = 0; i < 3; i++) pool_close(pool[i]);
}

// Many inputs of a width of whole vectors: rows are packed in panels, and go by in strips (one, two and
// three). The bits of each input alone; one number elsewhere is another result.
static void test_panels(void **state) {
    (void)state;
    enum { MANY = 43, TALL = 331 };
    static const int64_t wide[] = {16, 48, 64, 768, 784, 1600};
    static const WeightType type[] = {W_F32, W_F16, W_BF16};
    Pool *pool[2] = {pool_open(1), pool_open(3)};
    Rng r = rng_at(6, 1);
    for (int t = 0; t < 3; t++)
        for (size_t i = 0; i < sizeof wide / sizeof *wide; i++) {
            ArenaMark mark = arena_mark(&arena);
            const int64_t cols = wide[i], stride = cols + 1;
            Weight w = random_weight(type[t], TALL, cols, &r);
            float *x = random_inputs(cols, MANY, stride, &r), *one = NEWN(&arena, float, TALL *MANY);
            float *y = NEWN(&arena, float, TALL *MANY);
            for (int n = 0; n < MANY; n++) {
                ProductInput in = prepared(pool[0], x + n * stride, 1, cols, stride, w.type);
                product_run(pool[0], &(Product){&w, &in, one + n * TALL, TALL}, 1);
            }
            for (int k = 0; k < 2; k++) {
                ProductInput in = prepared(pool[k], x, MANY, cols, stride, w.type);
                product_run(pool[k], &(Product){&w, &in, y, TALL}, 1);
                if (memcmp(y, one, TALL * MANY * sizeof *y) != 0)
                    fail_msg("%s, %d columns: other bits than each alone", WEIGHT_TYPE[type[t]].name,
                             (int)cols);
            }
            ProductInput in = prepared(pool[0], x, MANY, cols, stride, w.type);
            x[(MANY - 5) * stride + cols - 1] += 1;
            product_run(pool[0], &(Product){&w, &in, y, TALL}, 1);
            assert_memory_not_equal(y, one, TALL * MANY * sizeof *y);
            drop_weight(&w);
            arena_reset(&arena, mark);
        }
    for (int i = 0; i < 2; i++) pool_close(pool[i]);
}

// Products too small for a float32 are zeros with a sign. A width that is no whole vector has +0 behind it,
// for many inputs as for one; a whole vector has nothing.
static void test_signs_of_zeros(void **state) {
    (void)state;
    enum { MANY = 43, WIDEST = 80 };
    static const int wide[] = {15, 16, 17, 31, 32, 40, 48, 63, 64, 72, 80};
    Pool *pool = pool_open(1);
    float data[ROWS * WIDEST], x[MANY * WIDEST], y[MANY * ROWS], one[ROWS];
    for (int i = 0; i < ROWS * WIDEST; i++) data[i] = -1e-30f;
    for (int i = 0; i < MANY * WIDEST; i++) x[i] = 1e-30f;
    int minus = 0, plus = 0;
    for (size_t k = 0; k < sizeof wide / sizeof *wide; k++) {
        const int64_t cols = wide[k];
        Weight w = {.type = W_F32, .rows = ROWS, .cols = cols, .data = (const uint8_t *)data};
        ProductInput in = {.x = x, .count = 1, .cols = cols, .stride = cols};
        product_run(pool, &(Product){&w, &in, one, ROWS}, 1);
        in.count = MANY;
        product_run(pool, &(Product){&w, &in, y, ROWS}, 1);
        for (int n = 0; n < MANY; n++) assert_memory_equal(y + n * ROWS, one, sizeof one);
        for (int i = 0; i < ROWS; i++) signbit(one[i]) ? minus++ : plus++;
    }
    assert_true(plus > 0);
#ifndef PORTABLE
    if (isa_level() != ISA_BASE) assert_true(minus > 0); // elsewhere a product is rounded before it is added
#endif
    pool_close(pool);
}

static void test_no_number_stays_with_its_input(void **state) {
    (void)state;
    Pool *pool = pool_open(2);
    Rng r = rng_at(5, 1);
    for (int t = 0; t < W_COUNT; t++) {
        ArenaMark mark = arena_mark(&arena);
        Weight w = random_weight((WeightType)t, ROWS, 512, &r);
        float *x = random_inputs(512, 5, 512, &r), y[5 * ROWS];
        x[1 * 512 + 77] = NAN;
        x[3 * 512 + 300] = INFINITY;
        ProductInput in = prepared(pool, x, 5, 512, 512, w.type);
        product_run(pool, &(Product){&w, &in, y, ROWS}, 1);
        for (int n = 0; n < 5; n++)
            for (int i = 0; i < ROWS; i++)
                if (isfinite(y[n * ROWS + i]) != (n % 2 == 0))
                    fail_msg("%s input %d row %d: %g", WEIGHT_TYPE[t].name, n, i, (double)y[n * ROWS + i]);
        drop_weight(&w);
        arena_reset(&arena, mark);
    }
    pool_close(pool);
}

// The control of what product.c tells ThreadSanitizer: two threads write the same results, and a process that
// does so ends with the code of a report.
static void *run_alone(void *arg) {
    Pool *pool = pool_open(1);
    product_run(pool, arg, 1);
    pool_close(pool);
    return NULL;
}
static void race(WeightType type) {
    Rng r = rng_at(7, 1);
    Weight w = random_weight(type, ROWS, 512, &r);
    float *x = random_inputs(512, 1, 512, &r), y[ROWS];
    ProductInput in = prepared(NULL, x, 1, 512, 512, type);
    Product p = {&w, &in, y, ROWS};
    pthread_t thread[2];
    for (int i = 0; i < 2; i++) pthread_create(&thread[i], NULL, run_alone, &p);
    for (int i = 0; i < 2; i++) pthread_join(thread[i], NULL);
    drop_weight(&w);
}
static bool race_is_reported(WeightType type) {
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        dup2(open("/dev/null", O_WRONLY), STDERR_FILENO);
        race(type);
        exit(0);
    }
    int status = -1;
    return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 66;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_blocks_mean_their_values),
        cmocka_unit_test(test_rounding),
        cmocka_unit_test(test_near_the_definition),
        cmocka_unit_test(test_one_order_of_summation),
        cmocka_unit_test(test_panels),
        cmocka_unit_test(test_signs_of_zeros),
        cmocka_unit_test(test_no_number_stays_with_its_input),
    };
    // The instruction set is chosen once in a process: one for each.
    static const char *const isa[] = {"base", "avx2", "avx512"};
    int bad = 0;
    for (int i = 0; i < 3; i++) {
        pid_t child = fork();
        if (child == 0) {
            setenv("OUROBOROS_ISA", isa[i], 1);
            int failed = cmocka_run_group_tests_name(isa[i], tests, NULL, NULL);
            arena_free(&arena);
            exit(failed);
        }
        int status = -1;
        bad += child < 0 || waitpid(child, &status, 0) != child || status != 0;
    }
    for (int quantised = 0; BUILD_TSAN && quantised < 2; quantised++)
        if (!race_is_reported(quantised ? W_Q8_0 : W_F32)) {
            printf("[  FAILED  ] race_is_reported\n");
            bad++;
        }
    return bad;
}
