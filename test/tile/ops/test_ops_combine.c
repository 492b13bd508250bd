// Rows of op.def in ops_combine.c: what is taken, with which type, and what is said of the rest.
#include "tile/gives.h"
#include "tile/golden.h"

static void test_golden(void **state) {
    (void)state;
    golden("ops_combine");
}

static void test_combine(void **state) {
    (void)state;
    static const char
        add[] = "@triton.jit\ndef add(a, b):\n    return a + b\n",
        pick[] = "@triton.jit\ndef later(a, b):\n    return b\n@triton.jit\ndef first(a, b):\n    return a\n",
        best[] = "@triton.jit\ndef best(v, i, w, j):\n    t = (v > w) | ((v == w) & (i < j))\n"
                 "    return tl.where(t, v, w), tl.where(t, i, j)\n",
        text[] = "@triton.jit\ndef digits(a, p, b, q):\n    return a * q + b, p * q\n",
        early[] =
            "@triton.jit\ndef add(a, b):\n    if a.dtype == tl.int32:\n        return a + b\n    return a\n";
    GIVES(add, "    tl.store(y, tl.reduce(o + n, 0, add))\n", 28 + 24);
    GIVES(early, "    tl.store(y, tl.reduce(o + n, 0, add))\n", 28 + 24);
    GIVES(add, "    m = tl.reshape(o, (2, 4))\n    tl.store(y + tl.arange(0, 4), tl.reduce(m, 0, add))\n", 4,
          6, 8, 10);
    GIVES(add,
          "    m = tl.reshape(o, (2, 4))\n    tl.store(y + tl.arange(0, 2), tl.reduce(m, axis=-1, "
          "combine_fn=add))\n",
          6, 22);
    GIVES(best,
          "    v = (o * 3) % 8\n    v, i = tl.reduce((v, o), 0, best)\n    tl.store(y, v)\n    tl.store(y + "
          "1, i)\n",
          7, 5);
    GIVES(add, "    tl.store(y + o, tl.associative_scan(o, 0, add))\n", 0, 1, 3, 6, 10, 15, 21, 28);
    GIVES(add, "    tl.store(y + o, tl.associative_scan(o, 0, add, reverse=True))\n", 28, 28, 27, 25, 22, 18,
          13, 7);
    GIVES(pick, "    tl.store(y + o, tl.associative_scan(o, 0, first))\n", 0, 0, 0, 0, 0, 0, 0, 0);
    GIVES(pick, "    tl.store(y + o, tl.associative_scan(o, 0, later))\n", 0, 1, 2, 3, 4, 5, 6, 7);
    GIVES(text,
          "    d = tl.reshape((o + 1).to(tl.int64), (2, 4))\n    a, p = tl.associative_scan((d, d * 0 + 10), "
          "1, digits)\n"
          "    tl.store(y + o, tl.reshape(a, (8,)))\n",
          1, 12, 123, 1234, 5, 56, 567, 5678);
    GIVES(add,
          "    m = tl.reshape(o, (4, 2))\n    tl.store(y + o, tl.reshape(tl.associative_scan(m, 0, add), "
          "(8,)))\n",
          0, 1, 2, 4, 6, 9, 12, 16);
}

// The pairs of a custom sum are those of tl.sum: the same bits.
static void test_combine_order(void **state) {
    (void)state;
    Run r;
    run_begin(&r);
    input(&r, DT_F32, 256, 9);
    const Tensor *y = output(&r, DT_F32, 4), *z = output(&r, DT_F32, 512);
    run_ok(&r,
           "@triton.jit\ndef add(a, b):\n    return a + b\n"
           "@triton.jit\ndef k(x, y, z):\n"
           "    v = tl.load(x + tl.arange(0, 256))\n"
           "    tl.store(y, tl.sum(v))\n    tl.store(y + 1, tl.reduce(v, 0, add))\n"
           "    tl.store(z + tl.arange(0, 256), tl.cumsum(v))\n"
           "    tl.store(z + 256 + tl.arange(0, 256), tl.associative_scan(v, 0, add))\n",
           1);
    assert_true(at(y, 0) == at(y, 1));
    for (int i = 0; i < 256; i++) assert_true(at(z, i) == at(z, 256 + i));
    run_end(&r);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_golden),
        cmocka_unit_test(test_combine),
        cmocka_unit_test(test_combine_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
