// What a source may cost the checker: work, depth and text are bounded, and every hostile source ends in a
// finding.
#include "tile/golden.h"

static void refused(const char *source, const char *line, const char *part) {
    GoldenCase c = {.name = STR("hostile"),
                    .launch = str_of(line),
                    .want = str_of(part),
                    .kind = DIAG_COMPILE,
                    .source = str_of(source)};
    int before = failures;
    run_case("hostile", &c);
    assert_int_equal(failures, before);
}

static void test_hostile(void **state) {
    (void)state;
    refused("@triton.jit\ndef k():\n    for i in tl.static_range(1000000000):\n        pass\n", "",
            "too large");
    refused("@triton.jit\ndef k(x):\n    for i in tl.static_range(10**9):\n        tl.store(x, i)\n", "*fp32",
            "too large");
    refused("@triton.jit\ndef k():\n    for i in tl.static_range(10000):\n        for j in "
            "tl.static_range(10000):\n            a: tl.constexpr = 1\n",
            "", "already defined");
    refused("@triton.jit\ndef k():\n    x = 10 ** 10 ** 10\n", "", "Overflow");
    refused("@triton.jit\ndef f(x):\n    return f(x)\n@triton.jit\ndef k(x):\n    f(x)\n", "*fp32",
            "calls itself");
    refused("@triton.jit\ndef g(x):\n    f(x)\n@triton.jit\ndef f(x):\n    g(x)\n@triton.jit\ndef k(x):\n    "
            "f(x)\n",
            "*fp32", "calls itself");
    refused("A = tl.constexpr(A)\n@triton.jit\ndef k():\n    x = A\n", "", "recursion");
    refused("@triton.jit\ndef f(a=f()):\n    return 1\n@triton.jit\ndef k():\n    f()\n", "", "recursion");

    Arena a = {0};
    Buf b = BUF(&a);
    buf_puts(&b, "@triton.jit\ndef k(x):\n    y = 1");
    for (int i = 0; i < 500; i++) buf_puts(&b, " + 1");
    buf_puts(&b, "\n");
    refused(buf_cstr(&b), "*fp32", "recursion");

    // Helpers that double the work at each level.
    b.len = 0;
    buf_puts(&b, "@triton.jit\ndef f0(x):\n    tl.store(x, 1.0)\n");
    for (int i = 1; i < 28; i++)
        buf_printf(&b, "@triton.jit\ndef f%d(x):\n    f%d(x)\n    f%d(x)\n", i, i - 1, i - 1);
    buf_puts(&b, "@triton.jit\ndef k(x):\n    f27(x)\n");
    refused(buf_cstr(&b), "*fp32", "too large");

    b.len = 0;
    buf_puts(&b, "@triton.jit\ndef k(x):\n    t = (1, 2)\n    t = t + t\n");
    for (int i = 0; i < 40; i++) buf_puts(&b, "    t = t + t\n");
    refused(buf_cstr(&b), "*fp32", "tuple");
    arena_free(&a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hostile),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
