// Lanes that change places: flip, join, split, interleave, cat, gather; reductions and scans by a function;
// bit casts; libdevice's roundings.
#include "tile/run.h"

// Kernels of n lanes that store as many integers; want[i] is what element i must be.
static void gives_all(const char *helpers, const char *body, const int64_t *want, int count) {
    Run r;
    run_begin(&r);
    const Tensor *y = output(&r, DT_I64, 64);
    number(&r, 3);
    run_ok(&r,
           arena_printf(&r.arena,
                        "from triton.language.extra import libdevice\n%s@triton.jit\ndef k(y, n):\n    o = "
                        "tl.arange(0, 8)\n%s",
                        helpers, body),
           1);
    for (int i = 0; i < count; i++) near(y, i, (double)want[i], 0);
    run_end(&r);
}
#define GIVES(helpers, body, ...) \
    gives_all(helpers, body, (const int64_t[]){__VA_ARGS__}, sizeof((int64_t[]){__VA_ARGS__}) / 8)

static void test_places(void **state) {
    (void)state;
    GIVES("", "    tl.store(y + o, tl.flip(o + n, 0))\n", 10, 9, 8, 7, 6, 5, 4, 3);
    GIVES("", "    tl.store(y + o, tl.reshape(tl.flip(tl.reshape(o, (2, 4)), 0), (8,)))\n", 4, 5, 6, 7, 0, 1,
          2, 3);
    GIVES("", "    tl.store(y + o, tl.reshape(tl.flip(tl.reshape(o, (2, 2, 2)), 1), (8,)))\n", 2, 3, 0, 1, 6,
          7, 4, 5);
    GIVES("",
          "    a, b = tl.split(tl.reshape(o, (4, 2)))\n    q = tl.arange(0, 4)\n    tl.store(y + q, a)\n    "
          "tl.store(y + 4 + q, b)\n",
          0, 2, 4, 6, 1, 3, 5, 7);
    GIVES("", "    q = tl.arange(0, 4)\n    tl.store(y + o, tl.interleave(q, q + 10))\n", 0, 10, 1, 11, 2, 12,
          3, 13);
    GIVES("", "    q = tl.arange(0, 4)\n    tl.store(y + o, tl.interleave(q > 1, q > 0))\n", 0, 0, 0, 1, 1, 1,
          1, 1);
    GIVES("", "    q = tl.arange(0, 4)\n    tl.store(y + o, tl.cat(q, q + 10, can_reorder=True))\n", 10, 11,
          12, 13, 0, 1, 2, 3);
    GIVES("", "    a, b = tl.join(n, n + 1).split()\n    tl.store(y, a)\n    tl.store(y + 1, b)\n", 3, 4);
    GIVES("", "    tl.store(y + o, tl.gather(o * o, (o + n) % 8, 0))\n", 9, 16, 25, 36, 49, 0, 1, 4);
    GIVES("",
          "    m = tl.reshape(o, (4, 2))\n    i = tl.full((2, 2), 3, tl.int32)\n    tl.store(y + "
          "tl.arange(0, 4), tl.reshape(tl.gather(m, i, 0), (4,)))\n",
          6, 7, 6, 7);
    finds(K("    o = tl.arange(0, 8)\n    tl.store(y + o, tl.gather(o, o + n, 0))\n"), 3, DIAG_VALUE);
    finds(K("    o = tl.arange(0, 8)\n    tl.store(y + o, tl.gather(o, o - n, 0))\n"), 3, DIAG_VALUE);
}

// An undefined lane keeps its mark wherever it goes, and the others stay free of it.
static void test_poison_travels(void **state) {
    (void)state;
    static const char head[] = "    o = tl.arange(0, 8)\n    p = tl.load(y + o, mask=o < 0)\n    m = o < 4\n"
                               "    v = tl.where(m, n, p)\n"; // lanes 4..7 undefined
    static const struct {
        const char *body;
        bool ok;
    } c[] = {{"    tl.store(y + o, v, mask=m)\n", true},
             {"    tl.store(y + o, v)\n", false},
             {"    tl.store(y + o, tl.flip(v, 0), mask=o >= 4)\n", true},
             {"    tl.store(y + o, tl.flip(v, 0), mask=m)\n", false},
             {"    c = tl.cat(o.to(tl.int64), v, can_reorder=True)\n    q = tl.arange(0, 16)\n    tl.store(y "
              "+ q % 8, c * 0, "
              "mask=(q < 4) | (q >= 8))\n",
              true},
             {"    c = tl.cat(v, o.to(tl.int64), can_reorder=True)\n    q = tl.arange(0, 16)\n    tl.store(y "
              "+ q % 8, c * 0, "
              "mask=q >= 8)\n",
              false},
             {"    a, b = tl.split(tl.trans(tl.reshape(v, (2, 4))))\n    tl.store(y + tl.arange(0, 4), a)\n",
              true},
             {"    a, b = tl.split(tl.trans(tl.reshape(v, (2, 4))))\n    tl.store(y + tl.arange(0, 4), b)\n",
              false},
             {"    tl.store(y + o, tl.gather(v, o % 4, 0))\n", true},
             {"    tl.store(y + o, tl.gather(v, o % 5, 0))\n", false},
             {"    tl.store(y + o, v.to(tl.uint64, bitcast=True), mask=m)\n", true},
             {"    tl.store(y + o, v.to(tl.uint64, bitcast=True))\n", false}};
    for (size_t i = 0; i < sizeof c / sizeof *c; i++) {
        Run r;
        run_begin(&r);
        output(&r, DT_I64, 8);
        number(&r, 3);
        const char *source = arena_printf(&r.arena, "@triton.jit\ndef k(y, n):\n%s%s", head, c[i].body);
        bool ok = run(&r, source, 1);
        const Diag *d = diag_first(&r.diags);
        if (ok != c[i].ok || (d && d->kind != DIAG_UNINIT))
            fail_msg("%s\n%s", d ? d->msg : "accepted", source);
        run_end(&r);
    }
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

static void test_bits(void **state) {
    (void)state;
    GIVES("",
          "    v = n + 0.5\n    tl.store(y, v.to(tl.int32, bitcast=True))\n    tl.store(y + 1, "
          "v.to(tl.uint32, bitcast=True) >> 23)\n"
          "    tl.store(y + 2, v.to(tl.float16).to(tl.uint16, bitcast=True))\n"
          "    tl.store(y + 3, v.to(tl.bfloat16).to(tl.int16, bitcast=True))\n"
          "    tl.store(y + 4, (n + 0x40600000 - 3).to(tl.float32, bitcast=True) * 2)\n"
          "    tl.store(y + 5, (-v).to(tl.int32, bitcast=True))\n"
          "    tl.store(y + 6, n.to(tl.int8).to(tl.uint8, bitcast=True))\n    tl.store(y + 7, "
          "(-n).to(tl.int8).to(tl.uint8, bitcast=True))\n",
          0x40600000, 128, 0x4300, 0x4060, 7, (int32_t)0xc0600000, 3, 253);
}

static void test_libdevice(void **state) {
    (void)state;
    static const struct {
        const char *name;
        double want[6];
    } c[] = {{"libdevice.round(v)", {3, -3, 1, -1, 2, -2}},
             {"libdevice.rint(v)", {2, -2, 0, -0.0, 2, -2}},
             {"libdevice.nearbyint(v)", {2, -2, 0, -0.0, 2, -2}},
             {"libdevice.trunc(v)", {2, -2, 0, -0.0, 1, -1}},
             {"libdevice.floor(v)", {2, -3, 0, -1, 1, -2}},
             {"libdevice.ceil(v)", {3, -2, 1, -0.0, 2, -1}},
             {"libdevice.llrint(v).to(tl.float32)", {2, -2, 0, 0, 2, -2}},
             {"libdevice.llround(v).to(tl.float32)", {3, -3, 1, -1, 2, -2}},
             {"libdevice.abs(v)", {2.5, 2.5, 0.5, 0.5, 1.5, 1.5}},
             {"libdevice.copysign(2.0, v)", {2, -2, 2, -2, 2, -2}},
             {"libdevice.copysign(v, -3.0)", {-2.5, -2.5, -0.5, -0.5, -1.5, -1.5}},
             {"libdevice.fmod(v, 1.0)", {0.5, -0.5, 0.5, -0.5, 0.5, -0.5}},
             {"libdevice.fma(v, 2.0, 1.0)", {6, -4, 2, 0, 4, -2}},
             {"libdevice.div_rn(v, 0.5)", {5, -5, 1, -1, 3, -3}},
             {"libdevice.isnan(v).to(tl.float32)", {0, 0, 0, 0, 0, 0}},
             {"libdevice.isnan(v / 0.0 - v / 0.0).to(tl.float32)", {1, 1, 1, 1, 1, 1}},
             {"libdevice.isinf(v / 0.0).to(tl.float32)", {1, 1, 1, 1, 1, 1}},
             {"libdevice.finitef(v / 0.0).to(tl.float32)", {0, 0, 0, 0, 0, 0}},
             {"libdevice.isinf(v).to(tl.float32)", {0, 0, 0, 0, 0, 0}}};
    static const float in[8] = {2.5f, -2.5f, 0.5f, -0.5f, 1.5f, -1.5f, 0, 0};
    for (size_t i = 0; i < sizeof c / sizeof *c; i++) {
        Run r;
        run_begin(&r);
        input_of(&r, DT_F32, in, 8);
        const Tensor *y = output(&r, DT_F32, 8);
        run_ok(&r,
               arena_printf(&r.arena,
                            "from triton.language.extra import libdevice\n@triton.jit\ndef k(x, y):\n"
                            "    o = tl.arange(0, 8)\n    v = tl.load(x + o)\n    tl.store(y + o, %s)\n",
                            c[i].name),
               1);
        for (int j = 0; j < 6; j++)
            if (at(y, j) != c[i].want[j] || signbit(at(y, j)) != signbit(c[i].want[j]))
                fail_msg("%s of %g is %g", c[i].name, (double)in[j], at(y, j));
        run_end(&r);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_places),  cmocka_unit_test(test_poison_travels),
                                       cmocka_unit_test(test_combine), cmocka_unit_test(test_combine_order),
                                       cmocka_unit_test(test_bits),    cmocka_unit_test(test_libdevice)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
