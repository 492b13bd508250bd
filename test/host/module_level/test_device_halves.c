// Functions that kernels call, in both halves of an `if`: the kernels come twice, too.
#include "host/normalized.h"

#define JIT "@triton.jit\n"
#define HALVES                                                                              \
    "import torch\nimport triton\nif torch.cuda.get_device_capability()[0] >= 9:\n    " JIT \
    "    def f(p):\n        return p\nelse:\n    " JIT "    def f(p):\n        return p + 0\n"

static void kernels_come_twice(void **state) {
    (void)state;
    const char *one = HALVES JIT "def k(x):\n    f(x)\n" END,
               *two = HALVES JIT "def g(x):\n    return f(x)\n" JIT "def k(x):\n    g(x)\n" END;
    HAS(one, "f_then_");
    HAS(one, "f_else_");
    HAS(one, "k = k_then_");
    HAS(two, "g_then_");
    HAS(two, "k = k_then_");
    LACKS(two, "\nif ");
}

static void others_stay(void **state) {
    (void)state;
    HAS("import torch\nimport triton\nif torch.cuda.get_device_capability()[0] >= 9:\n    " JIT
        "    def f(p):\n        return p\n" JIT "def k(x):\n    f(x)\n" END,
        "\nif ");                                    // in one half only
    LACKS(HALVES END, "f_then_0(p):\n    return f"); // nobody calls it
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(kernels_come_twice), cmocka_unit_test(others_stay)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
