// Bitonic networks and histograms against plain loops.
#include "base/numeric/rng.h"
#include "tile/gives.h"

enum { N = 64 };
static int ascending(const void *a, const void *b) {
    float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

static void test_sorts(void **state) {
    (void)state;
    Rng rng = rng_at(3, 1);
    for (int round = 0; round < 6; round++) {
        Run r;
        run_begin(&r);
        float x[N], want[N];
        for (int i = 0; i < N; i++) x[i] = (float)(rng_below(&rng, round % 2 ? 5 : 1000)) - 400;
        memcpy(want, x, sizeof x);
        qsort(want, N, sizeof *want, ascending);
        input_of(&r, round < 3 ? DT_F32 : DT_I32, x, N);
        const Tensor *up = output(&r, DT_F32, N), *down = output(&r, DT_F32, N),
                     *rows = output(&r, DT_F32, N), *top = output(&r, DT_F32, 8);
        run_ok(
            &r,
            "@triton.jit\ndef k(x, up, down, rows, top):\n    o = tl.arange(0, 64)\n    v = tl.load(x + o)\n"
            "    tl.store(up + o, tl.sort(v))\n    tl.store(down + o, tl.sort(v, descending=True))\n"
            "    tl.store(rows + o, tl.reshape(tl.sort(tl.reshape(v, (8, 8)), 1), (64,)))\n"
            "    tl.store(top + tl.arange(0, 8), tl.topk(v, 8))\n",
            1);
        for (int i = 0; i < N; i++) {
            near(up, i, (double)want[i], 0);
            near(down, i, (double)want[N - 1 - i], 0);
            if (i < 8) near(top, i, (double)want[N - 1 - i], 0);
        }
        for (int row = 0; row < 8; row++) {
            qsort(x + row * 8, 8, sizeof *x, ascending);
            for (int i = 0; i < 8; i++) near(rows, row * 8 + i, (double)x[row * 8 + i], 0);
        }
        run_end(&r);
    }
}

static void test_undefined_lanes_reach_all(void **state) {
    (void)state;
    finds(K("    o = tl.arange(0, 8)\n    v = tl.load(y + o, mask=o < 7)\n    tl.store(y + o, tl.sort(v))\n"),
          3, DIAG_UNINIT);
    GIVES("", "    v = tl.where(o < 7, o, 9)\n    tl.store(y + o, tl.sort(v))\n", 0, 1, 2, 3, 4, 5, 6, 9);
}

static void test_histograms(void **state) {
    (void)state;
    GIVES("", "    tl.store(y + tl.arange(0, 4), tl.histogram(o // n, 4))\n", 3, 3, 2, 0);
    GIVES("", "    tl.store(y + tl.arange(0, 4), tl.histogram(o // n, 4, mask=o > 3))\n", 0, 2, 2, 0);
    // What has no bin is a finding, unless the mask leaves it out.
    finds(K("    o = tl.arange(0, 8)\n    tl.store(y + tl.arange(0, 4), tl.histogram(o - n, 4))\n"), 3,
          DIAG_VALUE);
    finds(K("    o = tl.arange(0, 8)\n    tl.store(y + tl.arange(0, 4), tl.histogram(o, 4))\n"), 3,
          DIAG_VALUE);
    GIVES("", "    tl.store(y + tl.arange(0, 4), tl.histogram(o, 4, mask=o < 4))\n", 1, 1, 1, 1);
    finds(K("    o = tl.arange(0, 8)\n    tl.store(y + tl.arange(0, 4), tl.histogram(o // 2 + 1, 4))\n"), 3,
          DIAG_VALUE); // one beyond the last bin
    finds(K("    o = tl.arange(0, 8)\n    v = tl.load(y + o, mask=o < 7)\n"
            "    tl.store(y + tl.arange(0, 4), tl.histogram(v.to(tl.int32), 4))\n"),
          3, DIAG_UNINIT);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sorts),
        cmocka_unit_test(test_undefined_lanes_reach_all),
        cmocka_unit_test(test_histograms),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
