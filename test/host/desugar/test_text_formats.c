// "{}".format(n) of a text that is written down, as an f-string.
#include "host/normalized.h"

#define OF(text) "def run(x):\n    raise ValueError(" text ")\n"

static void formats(void **state) {
    (void)state;
    HAS(OF("'{} of {}'.format(x.n, 3)"), "f\"{x.n} of {3}\"");
    HAS(OF("'{n!r}: {m:.2f}'.format(n=x, m=2.5)"), "f\"{x!r}: {2.5:.2f}\"");
    HAS(OF("'{1} {0}'.format(x, 3)"), "f\"{3} {x}\"");
    HAS(OF("'{{{}}}'.format(x)"), "f\"{{{x}}}\"");
}

static void others_stay(void **state) {
    (void)state;
    static const char *const stays[] = {OF("'{} {}'.format(x)"),       OF("'{0} {0}'.format(x)"),
                                        OF("'{}'.format(x, 3)"),       OF("'{}'.format(*x)"),
                                        OF("'{x.shape}'.format(x=x)"), OF("x.format(3)"),
                                        OF("'{:{}}'.format(x, 3)"),    OF("'{'.format()")};
    for (size_t i = 0; i < sizeof stays / sizeof *stays; i++) HAS(stays[i], ".format(");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(formats), cmocka_unit_test(others_stay)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
