// Statements: loops, assignments, contexts, functions and their calls; that each of them ends, and that a
// call leaves nothing behind.
#include "host/doubling.h"
#include "host/world.h"

static void test_python(void **state) {
    (void)state;
    static const char *const bodies[] = {
        "a, (b, *c), d = 1, (2, 3, 4), 5\nassert a == 1 and b == 2 and c == [3, 4] and d == 5",
        "n = 0\nfor i in range(10):\n    if i == 3:\n        continue\n    if i == 6:\n        break\n    n "
        "+= i\nelse:\n    n = 100\nassert n == 12",
        "n = 0\nwhile n < 5:\n    n += 1\nelse:\n    n = 7\nassert n == 7",
        "def f(a, b=2, *c, d, e=5, **k):\n    return (a, b, c, d, e, k['z'])\nassert f(1, 9, 8, d=4, z=0) == "
        "(1, 9, (8,), 4, 5, 0)",
        "def outer():\n    k = 2\n    def inner(n):\n        return n * k\n    return inner\nassert "
        "outer()(21) == 42",
        "def fact(n):\n    return 1 if n < 2 else n * fact(n - 1)\nassert fact(10) == 3628800",
        "l = [1]\nm = l\nm.append(2)\nm += [3]\nassert l == [1, 2, 3] and l is m and len(l) == 3",
        "l = [1, 2, 3, 4]\nn = 0\nfor i in l:\n    l.pop()\n    n += i\nassert n == 3",
        "with torch.cuda.device(x.device):\n    a = 1\nwith torch.no_grad(), torch.inference_mode(), "
        "torch.cuda.device_of(x):\n    for i in range(3):\n        break\nassert a + i == 1",
        "def f():\n    with torch.no_grad():\n        return 5\n    return 6\nassert f() == 5",
        "n = x.shape[0]\ndel n\nn = 2\nassert n == 2",
    };
    EXPECT_OK(bodies);
}

static void test_what_python_and_torch_raise(void **state) {
    (void)state;
    static const Case cases[] = {
        {DIAG_HOST, "AssertionError: rank 2", "assert x.dim() == 3, f'rank {x.dim()}'"},
        {DIAG_HOST, "ValueError: bad", "raise ValueError('bad')"},
        {DIAG_HOST, "ValueError", "raise ValueError"},
        {DIAG_HOST, "missing 1 required positional argument: 'b'", "def f(a, b):\n    pass\nf(1)"},
        {DIAG_HOST, "takes 1 positional argument but 2 were given", "def f(a):\n    pass\nf(1, 2)"},
        {DIAG_HOST, "unexpected keyword argument 'z'", "def f(a):\n    pass\nf(1, z=2)"},
        {DIAG_HOST, "multiple values for argument 'a'", "def f(a):\n    pass\nf(1, a=2)"},
        {DIAG_HOST, "RecursionError", "def f(n):\n    return f(n + 1)\nf(0)"},
        {DIAG_HOST, "returned nothing", "return"},
        {DIAG_HOST, "returned a tuple", "return x, x"},
        {DIAG_HOST, "returned a int", "return 3"},
    };
    EXPECT_FAILURES(cases);
}

static void test_everything_ends(void **state) {
    (void)state;
    static const Case cases[] = {
        {DIAG_BUDGET, "budget", "while True:\n    pass"},
        {DIAG_BUDGET, "budget", "for i in range(10 ** 18):\n    pass"},
        {DIAG_BUDGET, "budget", "def f(n):\n    return [f(n - 1), f(n - 1)] if n else []\ny = f(60)"},
        {DIAG_BUDGET, "budget", "def f():\n    return 0\ny = [f() for i in range(10 ** 9)]"},
    };
    EXPECT_FAILURES(cases);
}

static void test_features(void **state) {
    (void)state;
    static const Feature features[] = {
        {"torch.cuda.synchronize", RUN("    y = double(x)\n    torch.cuda.synchronize()\n    "
                                       "torch.cuda.synchronize(x.device)\n    return y\n")},
        {"with torch.cuda.device", RUN("    with torch.cuda.device(x.device):\n        return double(x)\n")},
        {"with torch.no_grad", RUN("    with torch.no_grad():\n        y = double(x)\n    return y\n")},
        {"assert with a text",
         RUN("    assert x.is_cuda and x.is_contiguous(), 'x has to be there'\n    return double(x)\n")},
        {"raise",
         RUN("    if x.dim() != 2:\n        raise ValueError(f'rank {x.dim()}')\n    return double(x)\n")},
        {"for, while, break, continue, else", RUN("    n = 0\n    for i in range(9):\n        if i == 2:\n   "
                                                  "         continue\n        if i == 4:\n  "
                                                  "          break\n        n += i\n    while n > 3:\n       "
                                                  " n -= 1\n    else:\n        n = 7\n    "
                                                  "assert n == 7\n    return double(x)\n")},
        {"nested functions, defaults, keywords", RUN("    def f(a, b=2, *, c=3):\n        return a + b + c + "
                                                     "x.shape[0]\n    assert f(1) == 10 and f(1, "
                                                     "c=0) == 7\n    return double(x)\n")},
        {"unpacking",
         RUN("    (M, *rest), n = x.shape, 3\n    assert M == 4 and rest == [8]\n    return double(x)\n")},
    };
    RUN_FEATURES(features);
}

// A call leaves nothing behind: constants are evaluated anew, and functions are new objects.
static void test_fresh_interpreter(void **state) {
    (void)state;
    World w;
    world_open(&w, 1 << 20);
    const Node *module = parsed(&w.arena, "N = 3\ndef run(x, s, t, k=N):\n    l = [N]\n    l.append(k)\n    "
                                          "assert l == [3, 3]\n    return x\n");
    for (int i = 0; i < 3; i++) assert_true(host_run(&w.m, NULL, module, w.in, 3, &w.out));
    world_close(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_python),
        cmocka_unit_test(test_what_python_and_torch_raise),
        cmocka_unit_test(test_everything_ends),
        cmocka_unit_test(test_features),
        cmocka_unit_test(test_fresh_interpreter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
