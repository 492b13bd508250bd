// Functions of lanes by the table math.def: roundings, remainders, bits, and the ends of each.
#include "tile/gives.h"

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

// As the C library has them, on values at which a careless one differs.
static void test_against_c(void **state) {
    (void)state;
    static const float in[8] = {0.3f, -0.3f, 1.0f, -1.0f, 0.999f, 1e-30f, 0.5f, -0.0f};
    static const struct {
        const char *name;
        double (*want)(double);
    } c[] = {{"tan", tan},     {"asin", asin}, {"acos", acos}, {"atan", atan},
             {"sinh", sinh},   {"cosh", cosh}, {"tanh", tanh}, {"asinh", asinh},
             {"expm1", expm1}, {"cbrt", cbrt}, {"erf", erf},   {"erfc", erfc}};
    for (size_t i = 0; i < sizeof c / sizeof *c; i++) {
        Run r;
        run_begin(&r);
        input_of(&r, DT_F32, in, 8);
        const Tensor *y = output(&r, DT_F32, 8);
        run_ok(&r,
               arena_printf(&r.arena,
                            "from triton.language.extra import libdevice\n@triton.jit\ndef k(x, y):\n"
                            "    o = tl.arange(0, 8)\n    tl.store(y + o, libdevice.%s(tl.load(x + o)))\n",
                            c[i].name),
               1);
        for (int j = 0; j < 8; j++) near(y, j, c[i].want((double)in[j]), 3e-7);
        run_end(&r);
    }
}

static void test_integers(void **state) {
    (void)state;
#define LD(expr) "    tl.store(y, libdevice." expr ")\n"
    GIVES("", LD("popc(n + 4)"), 3);
    GIVES("", LD("clz(n)"), 30);
    GIVES("", LD("ffs(n + 1)"), 3);
    GIVES("", LD("brev(n).to(tl.uint32, bitcast=True) >> 30"), 3);
    GIVES("", "    tl.store(y, tl.umulhi(n.to(tl.uint32) + 0x7ffffffd, n.to(tl.uint32) + 1))\n", 2);
    GIVES("", LD("mulhi(n - 4, n)"), -1);
}

static void test_the_table_is_whole(void **state) {
    (void)state;
    for (int i = 0; i < MATH_COUNT; i++) {
        assert_true(*math_info[i].name);
        assert_in_range(math_info[i].operands, 1, 3);
        assert_true(math_info[i].cost > 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_libdevice),
        cmocka_unit_test(test_against_c),
        cmocka_unit_test(test_integers),
        cmocka_unit_test(test_the_table_is_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
