// Enumerations become classes of constants; what is more than numbers, texts and methods stays.
#include "host/normalized.h"

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

static void others_stay(void **state) {
    (void)state;
    HAS(ENUM "class A(Enum):\n    X = []\n" USED, "class A(Enum)");
    HAS(ENUM "class A(Enum):\n    X = 1\n    X = 2\n" USED, "class A(Enum)");
    HAS(ENUM "class A(Enum):\n    name = 1\n" USED, "class A(Enum)");
    HAS(ENUM "class A(Enum):\n    X = 'x'\n    Y = auto()\n" USED, "class A(Enum)");
    HAS(ENUM "class A(IntEnum):\n    X = 'x'\n" USED, "class A(IntEnum)");
    HAS(ENUM "class A(IntEnum):\n    X = 1\n    def f(self):\n        return 1\n" USED, "class A(IntEnum)");
    HAS(ENUM "class A(str, Enum):\n    X = 'x'\n" USED, "class A(str, Enum)");
    HAS("from other import Enum\nclass A(Enum):\n    X = 'x'\n" USED, "class A(Enum)");
    HAS(ENUM "class Enum:\n    pass\nclass A(Enum):\n    X = 'x'\n" USED, "    X = \"x\"");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(members_become_pairs), cmocka_unit_test(others_stay)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
