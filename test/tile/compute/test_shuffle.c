// Lanes that change places or types: flip, join, split, interleave, cat, gather; bit casts.
#include "tile/gives.h"

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

static void test_assumptions(void **state) {
    (void)state;
    GIVES("", "    tl.assume(n > 2)\n    tl.store(y, n)\n", 3);
    finds(K("    tl.assume(n > 3)\n    tl.store(y, n)\n"), 3, DIAG_VALUE);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_places),
        cmocka_unit_test(test_poison_travels),
        cmocka_unit_test(test_bits),
        cmocka_unit_test(test_assumptions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
