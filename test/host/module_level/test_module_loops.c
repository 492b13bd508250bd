// Lists and dictionaries that a loop of the module fills, as what a function makes.
#include "host/normalized.h"

static void loops_become_functions(void **state) {
    (void)state;
    HAS("W = {}\nfor b in [1, 2]:\n    W[b] = b * 2\ndel b\n" END, "W = made 0()");
    LACKS("W = {}\nfor b in [1, 2]:\n    W[b] = b * 2\ndel b\n" END, "del b");
    HAS("W = []\nfor a in (1, 2):\n    for b in (3, 4):\n        if a < b:\n            W.append((a, "
        "b))\n" END,
        "W = made 0()");
    HAS("V = []\nW = []\nfor b in (1, 2):\n    V.append(b)\nfor b in (1, 2):\n    W.append(b)\n" END,
        "W = made 1()");
}

static void others_stay(void **state) {
    (void)state;
    static const char *const stays[] = {
        "W = {}\nfor b in [1, 2]:\n    W[b] = b\ndef run(x):\n    return b\n", // the loop's name is used
        "W = {}\nN = len(W)\nfor b in [1, 2]:\n    W[b] = b\n" END,            // asked for in between
        "W = {1: 2}\nW = f(3)\nfor b in [1, 2]:\n    W[b] = b\n" END,          // no list or dictionary
        "V = []\nW = []\nfor b in [1, 2]:\n    W.append(b)\n    V.append(b)\n" END,
        "for b in [1, 2]:\n    print(b)\n" END,
    };
    for (size_t i = 0; i < sizeof stays / sizeof *stays; i++) LACKS(stays[i], "made 0");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(loops_become_functions),
                                       cmocka_unit_test(others_stay)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
