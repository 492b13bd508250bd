// What is said to those who check types alone, and SimpleNamespace.
#include "host/normalized.h"

#define TYPES                                                                             \
    "from typing import Generic, NewType, Protocol, TypedDict, TypeVar, cast, overload\n" \
    "from types import SimpleNamespace\n"

static void words_go(void **state) {
    (void)state;
    HAS(TYPES "T = TypeVar('T')\ndef f(x: T) -> T:\n    return x\n" END, "T = \"T\"");
    HAS(TYPES "B = NewType('B', int)\ndef run(x):\n    return B(x)\n", "def B(value):");
    HAS(TYPES "class P(Protocol):\n    n: int\n    def f(self): ...\ndef g(p: P):\n    return p\n" END,
        "P = \"P\"");
    HAS(TYPES "class D(TypedDict):\n    n: int\nd = D(n=3)\n" END, "def D(**fields):");
    HAS(TYPES "class D(TypedDict):\n    n: int\ndef f(d: D):\n    return d\n" END, "D = \"D\"");
    LACKS(TYPES "T = TypeVar('T')\nclass B(Generic[T]):\n    pass\nb = B()\n" END, "Generic[");
    LACKS(TYPES "@overload\ndef f(x: int): ...\ndef f(x):\n    return x\n" END, "@overload");
    LACKS("from typing import cast\ndef run(x):\n    return cast(int, x)\n", "cast(");
    HAS("G = tuple[int, ...]\n" END, "G = \"G\"");
    HAS("G = int | None\n" END, "G = \"G\"");
}

static void what_is_asked_for_stays(void **state) {
    (void)state;
    HAS(TYPES "T = TypeVar('T')\ndef run(x):\n    return T\n", "TypeVar(\"T\")");
    HAS(TYPES "T = TypeVar('U')\n" END, "TypeVar(\"U\")");
    HAS(TYPES "class P(Protocol):\n    n: int\ndef run(x):\n    return isinstance(x, P)\n",
        "class P(Protocol)");
    HAS(TYPES "class P(Protocol):\n    n: int = 3\ndef f(p: P):\n    return p\n" END, "class P(Protocol)");
    HAS(TYPES "class P(Protocol):\n    def f(self):\n        return 3\nclass Q(P):\n    pass\nq = Q()\n" END,
        "class P(Protocol)");
    HAS(TYPES "class D(TypedDict):\n    n: int = 3\nd = D(n=3)\n" END, "class D(TypedDict)");
    HAS(TYPES "@overload\ndef f(x: int): ...\nf(3)\n" END, "@overload");
    HAS(TYPES "@overload\ndef f(x: int):\n    return x\ndef f(x):\n    return x\n" END, "@overload");
    HAS("from typing import cast\ndef run(x):\n    return cast(int, *x)\n", "cast(");
    HAS("def cast(t, x):\n    return 3\ndef run(x):\n    return cast(int, x)\n", "cast(int, x)");
    HAS("G = tuple[int, ...]\ndef run(x):\n    return G\n", "G = tuple[int, ...]");
    HAS("A = [1]\nG = A[0]\n" END, "G = A[0]");
}

static void namespaces_are_classes(void **state) {
    (void)state;
    HAS(TYPES "P = SimpleNamespace(b=1, a=2)\n" END, "def __init__(self, a, b):");
    HAS(TYPES "P = SimpleNamespace(b=1, a=2)\nQ = SimpleNamespace(a=3, b=1)\n" END, "Q = namespace 0(");
    HAS(TYPES "P = SimpleNamespace(b=1)\nQ = SimpleNamespace(a=3)\n" END, "Q = namespace 1(");
    HAS(TYPES "P = SimpleNamespace(**Q)\n" END, "SimpleNamespace(**Q)");
    HAS(TYPES "P = SimpleNamespace(3)\n" END, "SimpleNamespace(3)");
    HAS("def SimpleNamespace(a):\n    return a\nP = SimpleNamespace(a=3)\n" END, "P = SimpleNamespace(a=3)");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(words_go), cmocka_unit_test(what_is_asked_for_stays),
                                       cmocka_unit_test(namespaces_are_classes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
