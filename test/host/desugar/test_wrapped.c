// Decorators of a file's own that keep nothing are written as calls; any other stays, to be refused.
#include "host/normalized.h"

static void wrappers_that_keep_nothing_are_called(void **state) {
    (void)state;
#define G                                                                                              \
    "import functools\ndef g(fn):\n    'docstring'\n    @functools.wraps(fn)\n    def wrapper(*args, " \
    "**kwargs):\n        "                                                                             \
    "return fn(*args)\n    return wrapper\n"
    HAS(G "@g\ndef run(x):\n    return x\n", "def run plain 0(x):\n    return x");
    HAS(G "@g\ndef run(x):\n    return x\n",
        "def run(*args, **kwargs):\n    return g(run plain 0)(*args, **kwargs)");
    LACKS(G "@g\ndef run(x):\n    return x\n", "wraps");
    LACKS("from functools import wraps\ndef g(f):\n    @wraps(f)\n    def w(x):\n        return f(x)\n    "
          "return w\n"
          "@g\ndef run(x):\n    return x\n",
          "@");
    // A name that is bound again need not be what it says.
    HAS(G "@g\ndef run(x):\n    return x\ng = other\n", "@g");
    HAS(G "@g\ndef run(x):\n    return x\nclass functools:\n    pass\n", "@g");
    HAS("def wraps(f):\n    return other\ndef g(f):\n    @wraps(f)\n    def w(x):\n        return f(x)\n    "
        "return w\n"
        "@g\ndef run(x):\n    return x\n",
        "@g");
    HAS("import torch\n" G
        "class A(torch.autograd.Function):\n    @staticmethod\n    @g\n    def forward(ctx, x):\n        "
        "return x\n"
        "def run(x):\n    return A.apply(x)\n",
        "@staticmethod\n    def forward(*args, **kwargs):\n        return g(A.forward plain 0)(*args, "
        "**kwargs)");
    HAS(G "def h(fn):\n    def wrapper(*a):\n        return fn(*a)\n    return wrapper\n@h\n@g\ndef "
          "run(x):\n    return x\n",
        "return h(run plain 1)(*args, **kwargs)");
    // One that could keep something stays a decorator, which is refused.
#define KEEPS(body)     \
    "def g(fn):\n" body \
    "    def wrapper(x):\n        return fn(x)\n    return wrapper\n@g\ndef run(x):\n    return x\n"
    HAS(KEEPS(""), "g(run plain 0)");
    HAS(KEEPS("    kept = []\n"), "@g");
    HAS(KEEPS("    work()\n"), "@g");
    HAS("def g(fn):\n    def wrapper(x, kept=[]):\n        return fn(x)\n    return wrapper\n@g\ndef "
        "run(x):\n    return x\n",
        "@g");
    HAS("def g(fn):\n    @cache\n    def wrapper(x):\n        return fn(x)\n    return wrapper\n@g\ndef "
        "run(x):\n    return x\n",
        "@g");
    HAS("def g(fn):\n    def wrapper(x):\n        return fn(x)\n    return work(wrapper)\n@g\ndef run(x):\n  "
        "  return x\n",
        "@g");
    HAS("@g\ndef run(x):\n    return x\n" G, "`g`: NameError"); // defined too late
    // A name that stands for two functions would reach the later one.
    HAS(G "@g\ndef f(x):\n    return 1\nkeep = f\n@g\ndef f(x):\n    return 2\ndef run(x):\n    return "
          "keep(x)\n",
        "`f`: it is bound a second time");
    HAS(G "class A:\n    @g\n    def f(x):\n        return 1\n    @g\n    def f(x):\n        return 2\ndef "
          "run(x):\n    return A\n",
        "def f plain 1");
    HAS("import functools\n@functools.lru_cache\ndef run(x):\n    return x\n", "lru_cache");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrappers_that_keep_nothing_are_called),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
