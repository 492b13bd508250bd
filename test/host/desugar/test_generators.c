// Functions with `yield` that are gone through at once give a list.
#include "host/normalized.h"

#define G "def g(n):\n    for i in range(n):\n        yield i\n"

static void lists(void **state) {
    (void)state;
    HAS(G "def run(x):\n    return list(g(3))\n", "made.append(i)");
    HAS(G "def run(x):\n    return [i for i in g(3)]\n", "return made");
    HAS(G "def run(x):\n    for i in g(3):\n        pass\n    return (*g(4),)\n", "made = []");
    HAS("def g(n):\n    yield from range(n)\n    if n:\n        return\n    yield 3\ndef run(x):\n    return "
        "sorted(g(3))\n",
        "made.extend(range(n))");
}

static void others_stay(void **state) {
    (void)state;
    static const char *const stays[] = {
        G "def run(x):\n    return next(g(3))\n",
        G "def run(x):\n    it = g(3)\n    return list(it)\n",
        "def g():\n    while True:\n        yield 1\ndef run(x):\n    return list(g())\n",
        "def g():\n    n = yield 1\ndef run(x):\n    return list(g())\n",
        "N = [0]\ndef g():\n    yield 1\n    N[0] = 1\ndef run(x):\n    return [i for i in g()]\n", // seen by
                                                                                                    // others
        "N = []\ndef g():\n    yield 1\n    N.append(1)\ndef run(x):\n    return [i for i in g()]\n",
        "def g():\n    yield 1\n    f()\ndef run(x):\n    return [i for i in g()]\n",
        "def g():\n    yield 1\n    return 3\ndef run(x):\n    return list(g())\n",
    };
    for (size_t i = 0; i < sizeof stays / sizeof *stays; i++) HAS(stays[i], "yield");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(lists), cmocka_unit_test(others_stay)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
