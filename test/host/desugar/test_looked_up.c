// try: x = C[key] except KeyError: ... as a question whether the key is there.
#include "host/normalized.h"

#define TRY(body, handler, rest)                                                              \
    "C = {}\ndef run(x):\n    try:\n        " body "\n    except " handler ":\n        " rest \
    "\n    return x\n"

static void look_ups_become_questions(void **state) {
    (void)state;
    HAS(TRY("n = C[x.shape[1]]", "KeyError", "n = C[x.shape[1]] = 4"), "if x.shape[1] in C.keys():");
    HAS(TRY("return C[x.shape[1], str(x.dtype)]", "KeyError", "pass"), "in C.keys():");
    HAS(TRY("n = x.c[x.stride(0) % 2]", "KeyError", "n = 3"), "in x.c.keys():");
    HAS(TRY("n = C[3]", "KeyError as e", "raise ValueError('no') from e"), "raise ValueError(\"no\")\n");
}

// What only raises another error is no other answer: the look-up stands alone (finally.c).
static void raising_is_raising(void **state) {
    (void)state;
    LACKS(TRY("n = C[1]", "KeyError as e", "raise ValueError(e) from e"), "ValueError");
    LACKS(TRY("n = f(x)", "Exception as e", "print(e); raise"), "print");
    HAS(TRY("n = f(x)", "Exception as e", "exit(e); raise"), "try:");
    HAS(TRY("n = f(x)", "Exception as e", "n = g(x)"), "try:");
}

static void other_errors_stay(void **state) {
    (void)state;
    static const char *const stays[] = {TRY("n = C[f(x)]", "KeyError", "n = 3"),
                                        TRY("n = C[C[3]]", "KeyError", "n = 3"),
                                        TRY("n = C[1][2]", "KeyError", "n = 3"),
                                        TRY("n = C[1] + 1", "KeyError", "n = 3"),
                                        TRY("n = C[1]; m = f(n)", "KeyError", "n = 3"),
                                        TRY("C[1]", "KeyError", "n = 3"),
                                        TRY("n = x.shape[1]", "KeyError", "n = 3"),
                                        TRY("n = C[1]", "IndexError", "n = 3"),
                                        TRY("n = C[1]", "Exception", "n = 3"),
                                        TRY("n = C[1]", "(KeyError, TypeError)", "n = 3"),
                                        TRY("n = C[1]", "KeyError as e", "n = len(str(e))"),
                                        "KeyError = 3\n" TRY("n = C[1]", "KeyError", "n = 3")};
    for (size_t i = 0; i < sizeof stays / sizeof *stays; i++) {
        HAS(stays[i], "try:");
        LACKS(stays[i], ".keys()");
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(look_ups_become_questions),
                                       cmocka_unit_test(raising_is_raising),
                                       cmocka_unit_test(other_errors_stay)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
