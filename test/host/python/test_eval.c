// Expressions: names, members, displays, comprehensions, conditions; which names are there.
#include "host/doubling.h"
#include "host/world.h"

static void test_python(void **state) {
    (void)state;
    static const char *const bodies[] = {
        "f = lambda a, b=3: a * b\nassert f(2) == 6 and f(b=4, a=1) == 4",
        "assert [i * j for i in range(3) for j in range(3) if i != j] == [0, 0, 0, 2, 0, 2]",
        "d = {'B': 4, **{'C': 5}}\nassert d['C'] == 5 and d.get('D', 6) == 6 and list(d.items()) == [('B', "
        "4), ('C', 5)]",
        "assert f'{x.shape[0]}-{1.5}-{\"q\"}' == '4-1.5-q'",
        "if (k := 5) > 4:\n    pass\nassert k == 5 and [(j := i) for i in range(3)] == [0, 1, 2] and j == 2",
        "i = 7\nm = [i for i in range(3)]\nassert i == 7",
        "s = {3, 1, 1, 2}\nassert len(s) == 3 and 3 in s and 4 not in s and sorted(s) == [1, 2, 3] and "
        "max(s) == 3",
        "s = {i % 2 for i in range(9)}\nassert s == {1, 0} and set((1, 0, 1)) == s and not set() and s != "
        "{1}",
        "print('rows', x.shape[0], sep=' ', end='', flush=True)\nprint()\nassert x.shape.numel() == 32",
        "g = lambda *a, **k: (len(a), k['q'])\nassert g(*(1, 2), *[3], **{'q': 9}) == (3, 9)",
    };
    EXPECT_OK(bodies);
}

static void test_refusals(void **state) {
    (void)state;
    static const Case cases[] = {
        {DIAG_REFUSED, "do it in a kernel", "y = torch.exp(x)"},
        {DIAG_REFUSED, "do it in a kernel", "m = torch\ny = m.exp(x)"},
        {DIAG_UNSUPPORTED, "try", "try:\n    pass\nexcept ValueError:\n    pass"},
        {DIAG_REFUSED, "JSON", "print(' {\"accepted\": true}')"},
        {DIAG_UNSUPPORTED, "order of a set", "for i in {1, 2}:\n    pass"},
        {DIAG_UNSUPPORTED, "order of a set", "y = list({1, 2})"},
    };
    EXPECT_FAILURES(cases);
}

static void test_what_python_and_torch_raise(void **state) {
    (void)state;
    static const Case cases[] = {
        {DIAG_HOST, "NameError: name 'nowhere' is not defined", "y = nowhere"},
        {DIAG_HOST, "UnboundLocalError", "if False:\n    k = 1\ny = k"},
        {DIAG_HOST, "'int' object is not callable", "y = (3)(4)"},
        {DIAG_HOST, "did you forget @triton.jit", "def f(a):\n    pass\nf[(1,)](x)"},
        {DIAG_HOST, "no attribute 'shape'", "k = (1, 2)\ny = k.shape"},
    };
    EXPECT_FAILURES(cases);
}

static void test_features(void **state) {
    (void)state;
    static const Feature features[] = {
        {"f-strings", HOLDS("f'{x.shape[0]}x{x.shape[1]}' == '4x8' and f\"{'a'!r}{'a'!s}\" == \"'a'a\"")},
        {"comprehensions",
         HOLDS("[i for i in range(4) if i % 2] == [1, 3] and {i: i * i for i in (1, 2)} == {1: "
               "1, 2: 4} and sum(i for i in (1, 2)) == 3")},
        {"conditional expression, walrus, lambda",
         HOLDS("(n := 2 if x.shape[0] > 3 else 1) == 2 and (lambda a: a + n)(1) == 3")},
    };
    RUN_FEATURES(features);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_python),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_what_python_and_torch_raise),
        cmocka_unit_test(test_features),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
