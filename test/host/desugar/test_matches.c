// `match` becomes the `if` that does the same; what is not read stays.
#include "host/normalized.h"

#define OF(cases) "def run(x):\n    match x.ndim:\n" cases "    return x\n"

static void patterns_become_conditions(void **state) {
    (void)state;
    const char *literals =
        OF("        case 1 | -2:\n            return a\n        case None:\n            return b\n"
           "        case math.inf if x:\n            return c\n        case _:\n            return d\n");
    HAS(literals, "match 0 = x.ndim\n    if match 0 == 1 or match 0 == -2:\n        return a\n"
                  "    elif match 0 is None:\n        return b\n"
                  "    elif match 0 == math.inf and x:\n        return c\n    else:\n        return d\n");
    // A name is bound before the guard is asked, whatever the guard says.
    HAS(OF("        case n if n > 3:\n            return n\n"),
        "if [n := match 0] and n > 3:\n        return n");
    HAS("def run(x):\n    match (x.ndim, 1):\n        case (2, n):\n            return n\n",
        "match 0 = x.ndim, 1\n    if match 0[0] == 2 and [n := match 0[1]]:\n");
    HAS("def run(x):\n    match (x, 1):\n        case (a, b, c):\n            return a\n", "if False:\n");
    HAS(OF("        case 1:\n            match x:\n                case 2:\n                    return a\n"),
        "match 1 = x.ndim\n");
    HAS("class A:\n    def f(self):\n        match self:\n            case 1:\n                return 2\n"
        "def run(x):\n    return A().f()\n",
        "match 0 = self");
}

static void what_is_not_read_stays(void **state) {
    (void)state;
    HAS(OF("        case (a, b):\n            return a\n"), "case (a, b):");
    HAS("import triton\n@triton.jit\ndef k(x):\n    match x:\n        case 1:\n            pass\n" END,
        "case 1:");
    LACKS("match = 1\ndef run(x):\n    match(x)\n    return match\n", "match 0");
}

// Conditions stand in one another as the cases do: however they are nested, they are no deeper than this.
static void levels_are_limited(void **state) {
    (void)state;
    Arena a = {0};
    Buf b = BUF(&a);
    buf_puts(&b, "def run(x):\n    match x:\n");
    for (int i = 0; i < 300; i++) buf_printf(&b, "        case %d:\n            return x\n", i);
    HAS(buf_cstr(&b), "case 299:");
    arena_free(&a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(patterns_become_conditions),
        cmocka_unit_test(what_is_not_read_stays),
        cmocka_unit_test(levels_are_limited),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
