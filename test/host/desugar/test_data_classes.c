// Data classes become the classes that they make; what is more than fields and methods stays.
#include "host/normalized.h"

#define DATA "from dataclasses import dataclass\nimport torch\n@dataclass\nclass A:\n"
#define USED "def run(x):\n    return A(1)\n"

static void fields_become_parameters(void **state) {
    (void)state;
    HAS(DATA "    n: int\n    m: int = 3\n" USED,
        "def __init__(self, n, m=m):\n        self.n = n\n        self.m = m\n");
    HAS(DATA "    n: int\n    m: int = 3\n" USED, "    m = 3\n");
    LACKS(DATA "    n: int\n" USED, "@dataclass");
    HAS("import dataclasses\n@dataclasses.dataclass(frozen=True)\nclass A:\n    n: int\n    def f(self):\n   "
        "     return self.n\n" USED,
        "def __init__(self, n):");
}

static void others_stay(void **state) {
    (void)state;
    HAS(DATA "    n: int = 3\n    m: int\n" USED, "@dataclass"); // a TypeError of Python's
    HAS(DATA "    n: ClassVar[int] = 3\n" USED, "@dataclass");
    HAS(DATA "    n: list = field(default_factory=list)\n" USED, "@dataclass");
    HAS(DATA "    n: int\n    n: int = 3\n" USED, "@dataclass");
    HAS(DATA "    n: int\n    def __init__(self):\n        pass\n" USED, "@dataclass");
    HAS(DATA "    n: int\n    k = f(3)\n" USED, "@dataclass");
    HAS("from dataclasses import dataclass\n@dataclass(order=True)\nclass A:\n    n: int\n" USED,
        "@dataclass");
    HAS("from dataclasses import dataclass\n@dataclass(frozen=True)\nclass A:\n    n: int\n    def "
        "f(self):\n        self.n = 1\n" USED,
        "@dataclass");
    HAS("from dataclasses import dataclass\nclass B:\n    pass\n@dataclass\nclass A(B):\n    n: int\n" USED,
        "@dataclass");
    HAS("from other import dataclass\n@dataclass\nclass A:\n    n: int\n" USED, "@dataclass");
    HAS(DATA "    n: int\n" USED "def dataclass(c):\n    return c\n", "@dataclass");
}

static void named_tuples_are_marked(void **state) {
    (void)state;
    HAS("from typing import NamedTuple\nclass A(NamedTuple):\n    n: int\n    m: int = 3\n" USED,
        "named tuple = True\n\n    def __init__(self, n, m=3):");
    HAS("import collections\nA = collections.namedtuple('A', 'n, m', defaults=(3,))\n" USED,
        "def __init__(self, n, m=3):");
    HAS("from collections import namedtuple\nA = namedtuple('B', 'n')\n" USED, "A = namedtuple");
    HAS("from collections import namedtuple\nA = namedtuple('A', 'n n')\n" USED, "A = namedtuple");
    HAS("from collections import namedtuple\nA = namedtuple('A', '_n')\n" USED, "A = namedtuple");
    HAS("from typing import NamedTuple\nclass A(NamedTuple):\n    _n: int\n" USED, "class A(NamedTuple)");
    HAS("class NamedTuple:\n    pass\nclass A(NamedTuple):\n    n: int\n" USED, "n: int");
}

#undef USED
#define ENUM "import torch\nfrom enum import Enum, IntEnum, auto\n"
#define USED "def run(x):\n    return A.X\n"

static void members_become_pairs(void **state) {
    (void)state;
    HAS(ENUM "class A(Enum):\n    X = 'x'\n" USED, "X = \"X\", \"x\"");
    HAS("import enum\nclass A(enum.Enum):\n    X = 3\n    Y = enum.auto()\n" USED, "Y = \"Y\", 4");
    HAS(ENUM "class A(IntEnum):\n    Z = auto()\n    X = auto()\n" USED, "Z = 1\n    X = 2");
    HAS(ENUM "class A(IntEnum):\n    X = 5\ndef run(x):\n    return A.X.value, A.X.name\n",
        "return A.X, \"X\"");
}

static void more_stay(void **state) {
    (void)state;
    HAS(ENUM "class A(Enum):\n    X = []\n" USED, "class A(Enum)");
    HAS(ENUM "class A(Enum):\n    X = 1\n    X = 2\n" USED, "class A(Enum)");
    HAS(ENUM "class A(Enum):\n    name = 1\n" USED, "class A(Enum)");
    HAS(ENUM "class A(Enum):\n    X = 'x'\n    Y = auto()\n" USED, "class A(Enum)");
    HAS(ENUM "class A(IntEnum):\n    X = 'x'\n" USED, "class A(IntEnum)");
    HAS(ENUM "class A(IntEnum):\n    X = 1\n    def f(self):\n        return 1\n" USED, "class A(IntEnum)");
    HAS(ENUM "class A(float, Enum):\n    X = 1\n" USED, "class A(float, Enum)");
    HAS(ENUM "class A(int, Enum):\n    X = 'x'\n" USED, "class A(int, Enum)");
    HAS(ENUM "class A(str, Enum):\n    X = 'x'\n" USED "t = f'{A.X}'\n", "class A(str, Enum)");
    HAS(ENUM "class A(str, Enum):\n    X = 'x'\n" USED "t = str(A.X)\n", "class A(str, Enum)");
    HAS(ENUM "class A(str, Enum):\n    X = 'x'\n" USED "t = '%s' % A.X\n", "class A(str, Enum)");
    HAS(ENUM "class A(str, Enum):\n    X = 'x'\n" USED, "    X = \"x\"");
    LACKS(ENUM "class A(str, Enum):\n    X = 'x'\n" USED, "str, Enum");
    LACKS(ENUM "class A(int, Enum):\n    X = 3\n" USED "assert A.X, f'{A.X}'\n", "int, Enum");
    HAS("from other import Enum\nclass A(Enum):\n    X = 'x'\n" USED, "class A(Enum)");
    HAS(ENUM "class Enum:\n    pass\nclass A(Enum):\n    X = 'x'\n" USED, "    X = \"x\"");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(members_become_pairs),     cmocka_unit_test(more_stay),
        cmocka_unit_test(fields_become_parameters), cmocka_unit_test(others_stay),
        cmocka_unit_test(named_tuples_are_marked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
