// functools.cache at run time: what may be kept, and what not.
#include "host/doubling.h"

static void test_features(void **state) {
    (void)state;
    static const Feature features[] = {
        {"functools: kept results of numbers, texts, dtypes and devices",
         "import functools\nfrom functools import lru_cache\n@functools.cache\ndef f(n, t, d, e=None, b: "
         "bool = "
         "False):\n    "
         "return n, t, d, e, b, 0.5\n"
         "@lru_cache(maxsize=None)\ndef g(n, *, m=1.5):\n    return n if n < 2 else g(n - 1) * n\n"
         "@lru_cache(8)\ndef h(p, eps=1e-6):\n    return eps\n" RUN(
             "    assert f(1, 'a', x.dtype, b=True) == (1, 'a', torch.float32, None, True, 0.5) and g(5) == "
             "120 "
             "and "
             "f(1, '', tl.int8, x.device)[3] == x.device and h(1) == 1e-6\n    return double(x)\n")},
        {"functools: kept dictionaries, lists and configs",
         "import functools\n@functools.cache\ndef f(n, t=(1, 2), e: float = 1e-6):\n    return {'B': [n, t], "
         "'e': "
         "e}\n"
         "@functools.lru_cache\ndef g(n):\n    return triton.Config({'B': n}, num_warps=8)\n" RUN(
             "    assert f(3)['B'] == [3, (1, 2)] and f(3, e=0.5)['e'] == 0.5 and g(4).kwargs == {'B': 4}\n"
             "    assert dict(f(3), a=1)['a'] == 1 and g(2).num_warps == 8 and f(3) == f(3)\n    return "
             "double(x)\n")},
    };
    RUN_FEATURES(features);
}

static void test_what_stays_refused(void **state) {
    (void)state;
    static const Refusal cases[] = {
#define KEPT(params, body, call)                        \
    "import functools\n@functools.cache\ndef f(" params \
    "):\n" body RUN("    f(" call ")\n    return double(x)\n")
#define BACK "    return 1\n"
        {DIAG_REFUSED, "not Tensor", KEPT("n", BACK, "x")},
        {DIAG_REFUSED, "not Tensor", KEPT("n=1", BACK, "n=x")},
        {DIAG_REFUSED, "not Tensor", KEPT("a, *, n=1", BACK, "1, n=x")},
        {DIAG_REFUSED, "not list", KEPT("n", BACK, "[1]")},
        {DIAG_REFUSED, "not tuple", KEPT("n", BACK, "(1, x)")},
        {DIAG_REFUSED, "not torch.Size", KEPT("n", BACK, "x.shape")},
        {DIAG_REFUSED, "not float", KEPT("n", BACK, "1.0")},
        {DIAG_REFUSED, "not function", KEPT("n", BACK, "lambda: x")},
        {DIAG_REFUSED, "one key", KEPT("n", BACK, "True")},
        {DIAG_REFUSED, "not int", KEPT("n: bool", BACK, "1")},
        {DIAG_REFUSED, "copy it", KEPT("n", "    return [n]\n", "1).append(2")},
        {DIAG_REFUSED, "copy it", KEPT("n", "    return {}\n", "1).update(a=2")},
        {DIAG_REFUSED, "copy it", KEPT("n", "    return (n, [n])\n", "1)[1].clear(")},
        {DIAG_REFUSED, "it gave list", KEPT("n", "    return [lambda: n]\n", "1")},
        {DIAG_REFUSED, "it gave dict", KEPT("n", "    return {1: lambda: n}\n", "1")},
        {DIAG_UNSUPPORTED, "functools keeps", KEPT("n", "    return [n]\n", "1) is f(1")},
        {DIAG_UNSUPPORTED, "functools keeps", KEPT("n", "    return {}\n", "1) is not f(1")},
        {DIAG_UNSUPPORTED, "functools keeps",
         KEPT("n", "    return triton.Config({'B': n})\n", "1) in [f(1)] or (1")},
        {DIAG_REFUSED, "not float", KEPT("n: float", BACK, "0.0")},
        {DIAG_REFUSED, "not int", KEPT("n: float", BACK, "1")},
        {DIAG_REFUSED, "not tuple", KEPT("n", BACK, "(1, 2.0)")},
        {DIAG_REFUSED, "it gave function", KEPT("n", "    return lambda: n\n", "1")},
        {DIAG_REFUSED, "it gave function", KEPT("n", "    def g():\n        return n\n    return g\n", "1")},
        {DIAG_REFUSED, "allocates and launches nothing", KEPT("n", "    return torch.empty(n)\n", "1")},
        {DIAG_REFUSED, "allocates and launches nothing",
         KEPT("n", "    return g(n)\n", "1") "def g(n):\n    return torch.empty(n).stride(0)\n"},
        {DIAG_REFUSED, "still being read",
         "import functools\n@functools.cache\ndef f(n):\n    return n\nC = [triton.Config({'A': "
         "f(1)})]\n" RUN("    return double(x)\n")},
        {DIAG_REFUSED, "cache_clear", KEPT("n", BACK, "f.cache_clear()")},
        {DIAG_REFUSED, "cache_info", KEPT("n", BACK, "f.cache_info().hits")},
        {DIAG_HOST, "TypeError", KEPT("n", BACK, "1, 2")},
        {DIAG_HOST, "TypeError", KEPT("n", BACK, "m=1")},
    };
    REFUSE_ALL(cases);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_features),
        cmocka_unit_test(test_what_stays_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
