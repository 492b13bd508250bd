// Choices inside the function of tl.reduce and tl.associative_scan, which differ from lane to lane: both arms
// run, each name takes its value from the arm that its lane chose, and nothing happens in a lane that did not
// choose an arm.
#include "tile/gives.h"
#include "tile/golden.h"

#define LARGER(body) "@triton.jit\ndef f(a, b):\n" body
#define REDUCED      "    v = (o * 5 + n) % 8\n    tl.store(y, tl.reduce(v, 0, f))\n"

static void test_choices(void **state) {
    (void)state;
    GIVES(LARGER("    r = b\n    if a > b:\n        r = a\n    return r\n"), REDUCED, 7);
    GIVES(LARGER("    if a > b:\n        r = a\n    else:\n        r = b\n    return r\n"), REDUCED, 7);
    GIVES(LARGER("    return a if a > b else b\n"), REDUCED, 7);
    GIVES(LARGER("    return a if a < b else b\n"), REDUCED, 0);
    GIVES(LARGER("    if a > b:\n        return a\n    return b\n"), REDUCED, 7);
    GIVES(LARGER("    if a > b:\n        return a\n    else:\n        return b\n"), REDUCED, 7);
    GIVES(
        LARGER("    if a > b:\n        if a > 3:\n            return a\n        return b\n    return b\n") "",
        "    tl.store(y, tl.reduce(o, 0, f))\n", 7);
    // One arm after the other, with what the first has assigned.
    GIVES(
        LARGER(
            "    r = a + b\n    if a > b:\n        r = r * 2\n    if r > 5:\n        r = 5\n    return r\n"),
        "    v = tl.where(o < 2, 2 - o, 0)\n    tl.store(y, tl.reduce(v, 0, f))\n", 5);
    GIVES(LARGER("    return a if a > b else b\n"),
          "    v = (o * 5 + n) % 8\n    tl.store(y + o, tl.associative_scan(v, 0, f))\n", 3, 3, 5, 5, 7, 7, 7,
          7);
}

static void test_pairs(void **state) {
    (void)state;
    GIVES("@triton.jit\ndef f(v, i, w, j):\n    if v > w:\n        return v, i\n    return w, j\n",
          "    v, i = tl.reduce(((o * 5 + n) % 8, o), 0, f)\n    tl.store(y, v)\n    tl.store(y + 1, i)\n", 7,
          4);
}

// A lane that is not there divides by nothing and shifts by nothing.
static void test_what_must_not_happen_does_not(void **state) {
    (void)state;
    static const char divides[] =
        "@triton.jit\ndef f(a, b):\n    r = a\n    if b != 0:\n        r = a // b\n    "
        "return r\n";
    GIVES(divides, "    tl.store(y, tl.reduce(o * 0, 0, f))\n", 0);
    finds("@triton.jit\ndef f(a, b):\n    return a // b\n@triton.jit\ndef k(y, n):\n"
          "    tl.store(y, tl.reduce(tl.arange(0, 8) * 0, 0, f))\n",
          3, DIAG_VALUE);
}

static void test_golden(void **state) {
    (void)state;
    golden("check_lifted");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_choices),
        cmocka_unit_test(test_pairs),
        cmocka_unit_test(test_what_must_not_happen_does_not),
        cmocka_unit_test(test_golden),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
