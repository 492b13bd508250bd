// Contexts that a function of the file makes, where nothing of them is seen.
#include "host/normalized.h"

#define HEAD "import time\nimport torch\nfrom contextlib import contextmanager, nullcontext\n"
#define ON(body, use) \
    HEAD "@contextmanager\ndef on(x, n=3):\n" body "def run(x):\n    with " use ":\n        return x\n"
#define FOREIGN                                                                                             \
    "import contextmanager\n@contextmanager\ndef on(x):\n    yield\ndef run(x):\n    with on(x):\n        " \
    "return x\n"

static void quiet_ones_go(void **state) {
    (void)state;
    LACKS(ON("    yield\n", "on(x)"), "with");
    HAS(ON("    yield x\n", "on(x) as y"), "y = x");
    HAS(ON("    yield n\n", "on(x) as y"), "y = 3");
    HAS(ON("    yield n\n", "on(x, n=x) as y"), "y = x");
    HAS(ON("    yield\n", "on(x) as y"), "y = None");
    LACKS(ON("    with torch.cuda.device(x.device):\n        yield\n", "on(x)"), "yield");
    LACKS(ON("    t = time.time()\n    yield\n    print(f'{n} {time.time() - t:.2f}', n)\n", "on(x)"),
          "time.time");
    HAS(HEAD "def run(x):\n    with nullcontext(x) as y:\n        return y\n", "y = x");
    HAS(ON("    yield\n", "on(x), torch.no_grad()"), "with torch.no_grad():");
    LACKS(HEAD "@contextmanager\ndef on():\n    yield\n@on()\ndef run(x):\n    return x\n", "@");
}

static void others_stay(void **state) {
    (void)state;
    static const char *const stays[] = {
        ON("    yield\n    yield\n", "on(x)"),
        ON("    yield x + 1\n", "on(x)"),
        ON("    yield time.time()\n", "on(x)"),
        ON("    x = time.time()\n    yield x\n", "on(x)"),
        ON("    t = time.time()\n    yield t\n", "on(x)"),
        ON("    n.m = 3\n    yield\n", "on(x)"),
        ON("    f(x)\n    yield\n", "on(x)"),
        ON("    print(f(x))\n    yield\n", "on(x)"),
        ON("    print(x + 1)\n    yield\n", "on(x)"),
        ON("    print(f'{x:d}')\n    yield\n", "on(x)"),
        ON("    if n:\n        yield\n", "on(x)"),
        ON("    try:\n        yield\n    except ValueError:\n        pass\n", "on(x)"),
        ON("    with torch.cuda.device(f(x)):\n        yield\n", "on(x)"),
        ON("    yield\n", "on(f(x))"),
        ON("    yield\n", "on()"),
        ON("    yield\n", "on(x, 1, 2)"),
        ON("    yield\n", "on(x, m=2)"),
        ON("    yield\n", "on(x) as x.y"),
        ON("    yield\n", "on(x)") "g = on\n",
        "on = 3\n" ON("    yield\n", "on(x)"),
        FOREIGN};
    for (size_t i = 0; i < sizeof stays / sizeof *stays; i++) HAS(stays[i], "with on(");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(quiet_ones_go), cmocka_unit_test(others_stay)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
