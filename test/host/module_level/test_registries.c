// Decorators that put functions into a dictionary of the file, as that dictionary.
#include "host/normalized.h"

#define REGISTER                                                                                          \
    "K = {}\ndef register(name):\n    def add(fn):\n        K[name] = fn\n        return fn\n    return " \
    "add\n"

static void registered(void **state) {
    (void)state;
    HAS(REGISTER "@register('a')\ndef f(x):\n    return x\n@register('b')\ndef g(x):\n    return x\n" END,
        "K = {\"a\": f, \"b\": g}");
    LACKS(REGISTER "@register('a')\ndef f(x):\n    return x\n" END, "register");
    HAS("K: dict = dict()\ndef register(fn):\n    K[fn.__name__] = fn\n    return fn\n@register\ndef f(x):\n "
        "   return x\n" END,
        "K = {\"f\": f}");
    HAS("K = {}\ndef register(name):\n    def add(fn):\n        if name in K:\n            raise "
        "KeyError(name)\n"
        "        K[name] = fn\n        return fn\n    return add\n@register(name='a')\ndef f(x):\n    return "
        "x\n" END,
        "K = {\"a\": f}");
}

static void others_stay(void **state) {
    (void)state;
    static const char *const stays[] = {
        REGISTER "@register('a')\ndef f(x):\n    return x\n@register('a')\ndef g(x):\n    return x\n" END,
        REGISTER
        "@register('a')\ndef f(x):\n    return x\nN = len(K)\n@register('b')\ndef g(x):\n    return x\n" END,
        REGISTER "@register('a')\ndef f(x):\n    K['b'] = f\n    return x\n" END,
        REGISTER "@register('a')\ndef f(x):\n    register('b')(f)\n    return x\n" END,
        REGISTER "@register('a')\ndef f(x):\n    return x\n@register('b')\ndef f(x):\n    return x\n" END,
        ("K = {}\ndef register(fn):\n    K['n'] = fn\n    return fn\n@register\ndef f(x):\n    return "
         "x\n" END),
    };
    for (size_t i = 0; i < sizeof stays / sizeof *stays; i++) HAS(stays[i], "@register");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(registered), cmocka_unit_test(others_stay)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
