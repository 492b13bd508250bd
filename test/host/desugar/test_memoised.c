// functools.cache and lru_cache in the forms that may be computed anew; any other form stays, to be refused.
#include "host/normalized.h"

static void kept_results_are_computed_anew(void **state) {
    (void)state;
#define KEPT(import, decorator) \
import "\n@" decorator "\ndef f(n):\n    return n\ndef run(x):\n    return f(1)\n"
    LACKS(KEPT("import functools", "functools.lru_cache(maxsize=None)"), "@");
    LACKS(KEPT("import functools", "functools.lru_cache(128, typed=True)"), "@");
    LACKS(KEPT("import functools", "functools.lru_cache"), "@");
    LACKS(KEPT("import functools", "functools.cache"), "@");
    LACKS(KEPT("from functools import cache, lru_cache", "cache"), "@");
    LACKS(KEPT("from functools import cache, lru_cache", "lru_cache()"), "@");
    // What functools would refuse, and what is another's.
    HAS(KEPT("import functools", "functools.cache()"), "@");
    HAS(KEPT("import functools", "functools.lru_cache('a')"), "@");
    HAS(KEPT("import functools", "functools.lru_cache(1, maxsize=1)"), "@");
    HAS(KEPT("import functools", "functools.lru_cache(1, False, 2)"), "@");
    HAS(KEPT("import functools", "functools.lru_cache(size=1)"), "@");
    HAS(KEPT("import functools", "functools.lru_cache(maxsize=work())"), "@");
    HAS(KEPT("import functools", "functools.lru_cache(**options)"), "@");
    HAS(KEPT("import functools", "functools.reduce"), "@");
    HAS(KEPT("import functools", "cache"), "`cache`: NameError");
    HAS(KEPT("from functools import cache", "functools.cache"), "NameError");
    HAS(KEPT("from functools import reduce as cache", "cache"), "@");
    HAS(KEPT("from elsewhere import cache", "cache"), "@");
    HAS(KEPT("def cache(f):\n    return f", "cache"), "@");
    HAS(KEPT("from functools import cache\nclass A:\n    def f(self, cache):\n        pass", "cache"), "@");
    // The entry has tensors; methods have objects; and *args have no types.
    HAS("import functools\n@functools.cache\ndef run(x):\n    return x\n", "@");
    HAS("import functools\nclass A:\n    @functools.cache\n    def f(self):\n        return 1\ndef run(x):\n "
        "   "
        "return A().f()\n",
        "@");
    HAS("from functools import cached_property\nclass A:\n    @cached_property\n    def f(self):\n        "
        "return len(self.n)\n"
        "    def g(self):\n        self.n.append(1)\n" END,
        "@cached_property");
    HAS("from functools import cached_property\nC = []\nclass A:\n    @cached_property\n    def f(self):\n   "
        "     return len(C)\n" END,
        "@cached_property");
    HAS("import functools\n@functools.cache\ndef f(*n):\n    return n\ndef run(x):\n    return f(1)\n", "@");
    HAS("import functools\ndef run(x):\n    @functools.cache\n    def f(n):\n        return x\n    return "
        "f(1)\n",
        "@");
    HAS("import functools\nimport torch\n@functools.cache\n@torch.no_grad()\ndef f(n):\n    return n\ndef "
        "run(x):\n    "
        "return f(1)\n",
        "@functools");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kept_results_are_computed_anew),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
