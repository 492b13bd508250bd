// Products on several threads: the bits of one thread. OpenBLAS without threads of its own shares one buffer,
// so that two calls at once spoil each other: found as losses that differed from run to run.
#include "base/isa.h"
#include "train/engine/blas.h"
#include "train/making.h"
#include <stdlib.h>

enum { N = 64, ROUNDS = 120, TURNS = 64, WIDE = 256 }; // WIDE: twelve pieces

typedef struct {
    const float *a, *b;
    float *c; // [TURNS][N][N]
} Work;
static Gemm gemm_of(const Work *w, size_t turn) {
    return (Gemm){.a_turned = turn & 1,
                  .b_turned = turn & 2,
                  .m = N,
                  .n = N,
                  .k = N,
                  .a = w->a,
                  .b = w->b,
                  .c = w->c ? w->c + turn * N * N : NULL,
                  .a_stride = N,
                  .b_stride = N,
                  .c_stride = N};
}
static void one(void *arg, size_t item, int worker) {
    (void)worker;
    Gemm g = gemm_of(arg, item);
    gemm_alone(&g);
}

static void calls_at_once_do_not_meet(void **state) {
    (void)state;
    Arena a = {0};
    Err e = {0};
    must(blas_open(&e), &e);
    float *in = NEWN(&a, float, 2 * N * N), *alone = NEWN(&a, float, TURNS *N *N),
          *both = NEWN(&a, float, TURNS *N *N);
    Rng r = rng_at(3, 1);
    for (int i = 0; i < 2 * N * N; i++) in[i] = (float)rng_normal(&r);
    Work w = {in, in + N * N, alone};
    for (size_t i = 0; i < TURNS; i++) one(&w, i, 0);
    Pool *pool = pool_open(3);
    w.c = both;
    for (int round = 0; round < ROUNDS; round++) {
        pool_run(pool, TURNS, one, &w);
        assert_memory_equal(alone, both, TURNS * N * N * sizeof(float));
    }
    pool_close(pool);
    arena_free(&a);
}

// A large one in pieces against a plain loop, and the same bits on any number of threads.
static void pieces_are_the_whole(void **state) {
    (void)state;
    Arena a = {0};
    Err e = {0};
    must(blas_open(&e), &e);
    float *in = NEWN(&a, float, 2 * WIDE * WIDE), *one_thread = NEWN(&a, float, WIDE *WIDE),
          *three = NEWN(&a, float, WIDE *WIDE);
    Rng r = rng_at(4, 1);
    for (int i = 0; i < 2 * WIDE * WIDE; i++) in[i] = (float)rng_normal(&r);
    Pool *single = pool_open(1), *several = pool_open(3);
    for (size_t turn = 0; turn < 4; turn++) {
        for (int i = 0; i < WIDE * WIDE; i++) one_thread[i] = three[i] = (float)i / WIDE;
        Work w = {in, in + WIDE * WIDE, NULL};
        Gemm g = gemm_of(&w, turn);
        g.m = g.n = g.k = g.a_stride = g.b_stride = g.c_stride = WIDE;
        g.c = one_thread, g.beta = 1;
        gemm_run(single, &g);
        g.c = three;
        gemm_run(several, &g);
        assert_memory_equal(one_thread, three, WIDE * WIDE * sizeof(float));
        for (int i = 0; i < WIDE; i += 37)
            for (int k = 0; k < WIDE; k += 29) {
                double sum = (double)((float)(i * WIDE + k) / WIDE);
                for (int j = 0; j < WIDE; j++)
                    sum += (double)in[turn & 1 ? j * WIDE + i : i * WIDE + j] *
                           (double)in[WIDE * WIDE + (turn & 2 ? k * WIDE + j : j * WIDE + k)];
                assert_true(fabs(sum - (double)three[i * WIDE + k]) < 1e-3);
            }
    }
    pool_close(single);
    pool_close(several);
    arena_free(&a);
}

// A long one is cut into more: the bits of one thread, near those of one call; and one number elsewhere
// shows.
static void long_products_have_more_pieces(void **state) {
    (void)state;
    enum { M = 1000, COLS = 1040, LONG = 1664 };
    Arena a = {0};
    Err e = {0};
    must(blas_open(&e), &e);
    float *in = NEWN(&a, float, M *LONG + LONG * COLS), *c[3];
    Rng r = rng_at(5, 1);
    for (int i = 0; i < M * LONG + LONG * COLS; i++) in[i] = (float)rng_normal(&r);
    for (int i = 0; i < 3; i++) c[i] = NEWN(&a, float, M *COLS);
    Pool *single = pool_open(1), *several = pool_open(3);
    Gemm g = {.m = M, .n = COLS, .k = LONG, .a = in, .b = in + M * LONG, .c = c[0]};
    g.a_stride = LONG, g.b_stride = g.c_stride = COLS;
    gemm_alone(&g);
    g.c = c[1];
    gemm_run(single, &g);
    g.c = c[2];
    gemm_run(several, &g);
    assert_memory_equal(c[1], c[2], M * COLS * sizeof(float));
    for (int i = 0; i < M * COLS; i++) assert_true(fabsf(c[0][i] - c[1][i]) < 1e-3f);
    in[M * LONG - 1] += 1;
    gemm_run(several, &g);
    assert_memory_not_equal(c[1], c[2], M * COLS * sizeof(float));
    pool_close(single);
    pool_close(several);
    arena_free(&a);
}

// Of a library for many processors, those of this one: also where it is newer than the library.
static void kernels_are_of_this_machine(void **state) {
    (void)state;
    static const char *const kernels[ISA_COUNT] = {"", "Haswell", "SkylakeX"};
    Err e = {0};
    const char *said = getenv("OPENBLAS_CORETYPE"); // whoever says so has what he says
    must(blas_open(&e), &e);
    if (!strstr(blas_config(), "DYNAMIC_ARCH")) skip();
    assert_non_null(strstr(blas_config(), said ? said : kernels[isa_level()]));
    assert_true(getenv("OPENBLAS_CORETYPE") == said); // and programs that are started see none of it
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernels_are_of_this_machine), cmocka_unit_test(calls_at_once_do_not_meet),
        cmocka_unit_test(pieces_are_the_whole), cmocka_unit_test(long_products_have_more_pieces)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
