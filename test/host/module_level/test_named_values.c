// Names that a module gives to functions it has: partials, items of tables.
#include "host/normalized.h"

#define F "def f(x, block=4, other=None):\n    return x\n"
#define P "from functools import partial\n"

static void partials_are_functions(void **state) {
    (void)state;
    HAS(P F "run = partial(f, block=8)\n",
        "def run(x, *, block=8, other=None):\n    return f(x, block=block, other=other)");
    HAS("import functools\n" F "go = functools.partial(f, 3)\ndef run(x):\n    return go()\n",
        "def go(block=4, other=None):\n    return f(3, block, other)");
    HAS(P F "go = partial(f, block=8)\n" END, "pass");
    // Not what it seems, or not the same whenever it is evaluated.
    HAS(F "go = partial(f, block=8)\ndef run(x):\n    return go(x)\n", "partial");
    HAS(P F "SIZE = 3\ngo = partial(f, block=SIZE)\ndef run(x):\n    return go(x)\n",
        "def go(x, *, block=SIZE");
    LACKS(P F "go = partial(f, block=SIZE)\nSIZE = 3\ndef run(x):\n    return go(x)\n", "def go");
    LACKS(P F "SIZE = f(3)\ngo = partial(f, block=SIZE)\ndef run(x):\n    return go(x)\n", "def go");
    HAS(P "def f(x, *, eps, block=4):\n    return x\nrun = partial(f, eps=1e-6)\n",
        "def run(x, *, eps=1e-06, block=4):\n    return f(x, eps=eps, block=block)");
    LACKS(P "def f(x, *, eps):\n    return x\ngo = partial(f, 1, 2)\ndef run(x):\n    return go(x)\n",
          "def go");
}

static void other_names_are_the_function(void **state) {
    (void)state;
    HAS(F "go = f\ndef run(x):\n    return go(x)\n", "return f(x)");
    HAS("go = f\n" F "def run(x):\n    return go(x)\n", "return go(x)"); // an error when the file is read
    HAS(F "go = f\ngo = 3\ndef run(x):\n    return go(x)\n", "return go(x)");
    HAS(F "go = f\ndef run(go):\n    return go(1)\n", "return go(1)");
#define KERNEL "@triton.jit\ndef k(x, B: tl.constexpr):\n    pass\n"
    HAS(KERNEL "t = triton.autotune(C, key=[])(k)\ndef run(x):\n    t[(1,)](x)\n",
        "@triton.autotune(C, key=[])\n@triton.jit\ndef t(x");
    HAS("a = triton.autotune(C, key=[])\n" KERNEL "t = a(k)\ndef run(x):\n    t[(1,)](x)\n",
        "@triton.autotune(C, key=[])\n@triton.jit\ndef t(x");
    LACKS("a = triton.autotune(C, key=[])\n@a\n" KERNEL "def run(x):\n    k[(1,)](x)\n", "a = triton");
    HAS("a = f(C)\n" KERNEL "t = a(k)\ndef run(x):\n    t[(1,)](x)\n", "t = a(k)");
    LACKS(P "def partial(f, block):\n    return f\n" F
            "go = partial(f, block=3)\ndef run(x):\n    return go(x)\n",
          "def go");
    LACKS(P F "go = partial(f, block=3)\ngo = f\ndef run(x):\n    return go(x)\n", "def go");
    LACKS(P F "go = partial(f, size=3)\ndef run(x):\n    return go(x)\n", "def go");
    LACKS(P "def f(f):\n    return f\ngo = partial(f)\ndef run(x):\n    return go(x)\n", "def go");
    LACKS(P "def f(*x):\n    return x\ngo = partial(f)\ndef run(x):\n    return go(x)\n", "def go");
}

static void entries_stand_in_tables(void **state) {
    (void)state;
    HAS(F "T = {'a': f, 'b': max}\nrun = T['a']\n", "def run(x, block=4, other=None)");
    HAS("T = {'a': lambda x: x, 'b': lambda x: 3}\nrun = T['a']\n", "def run(x):\n    return x");
    LACKS("T = {'a': lambda x: x, 'b': lambda x: 3}\nrun = T['a']\n", "lambda");
    // A table that something else knows, or that is not written down.
    LACKS("T = {'a': lambda x: x}\nU = T\nrun = T['a']\n", "def run");
    LACKS(F "T = {'a': f}\nT = {'a': max}\nrun = T['a']\n", "def run");
    LACKS(F "T = {'a': f}\nrun = T['b']\n", "def run");
    LACKS(F "K = 'a'\nT = {K: f}\nrun = T['a']\n", "def run");
    LACKS("T = {'a': lambda x: x, 'b': max(1, 2)}\nrun = T['a']\n", "def run");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(partials_are_functions),
        cmocka_unit_test(other_names_are_the_function),
        cmocka_unit_test(entries_stand_in_tables),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
