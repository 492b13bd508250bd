// field(...) of data classes, __post_init__, replace() and asdict().
#include "host/normalized.h"

#define DATA "from dataclasses import dataclass, field, replace, asdict\n"
#define PLAN DATA "@dataclass\nclass Plan:\n    n: int = 3\n    more: dict = field(default_factory=dict)\n"

static void factories(void **state) {
    (void)state;
    HAS(PLAN "def run(x):\n    return Plan(8).n\n", "Plan(8, more=dict())");
    HAS(PLAN "def run(x):\n    return Plan(8, more=x).n\n", "Plan(8, more=x)");
    HAS(DATA "@dataclass\nclass Plan:\n    n: int = field(default=3, repr=False)\ndef run(x):\n    return "
             "Plan()\n",
        "n = 3");
    HAS(DATA "@dataclass\nclass Plan:\n    n: list = field(init=False, default_factory=list)\ndef run(x):\n  "
             "  return Plan()\n",
        "self.n = list()");
    HAS(PLAN "def run(x):\n    p = Plan(8)\n    return replace(p, n=4)\n", "Plan(n=4, more=p.more)");
    HAS(PLAN "def run(x):\n    p = Plan(8)\n    return asdict(p)\n", "{\"n\": p.n, \"more\": p.more}");
    HAS(DATA "@dataclass\nclass Plan:\n    n: int\n    def __post_init__(self):\n        assert self.n\ndef "
             "run(x):\n    return Plan(1)\n",
        "self.post init()");
    LACKS(DATA
          "@dataclass(repr=False)\nclass Plan:\n    n: int\n    def __repr__(self):\n        return 'a'\n"
          "def run(x):\n    return Plan(1)\n",
          "__repr__");
}

static void others_stay(void **state) {
    (void)state;
    static const char *const stays[] = {
        PLAN "def run(x):\n    return f(Plan)\n",  // handed about
        PLAN "def run(x):\n    return Plan(*x)\n", // who knows what is left out
        DATA "@dataclass\nclass Plan:\n    n: list = field(default_factory=list, other=3)\ndef run(x):\n    "
             "return Plan()\n",
        DATA "@dataclass(order=True)\nclass Plan:\n    n: int\ndef run(x):\n    return Plan(1)\n",
    };
    for (size_t i = 0; i < sizeof stays / sizeof *stays; i++) HAS(stays[i], "@dataclass");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(factories), cmocka_unit_test(others_stay)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
