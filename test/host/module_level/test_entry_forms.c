// Names for what is judged, and lambdas with a name; whatever is bound twice stays as it is.
#include "host/normalized.h"

#define SOLUTION "import torch\ndef solution(x):\n    return solution\n"

static void entries_get_their_name(void **state) {
    (void)state;
    HAS(SOLUTION "run = solution\n", "def run(x):\n    return run");
    LACKS(SOLUTION "run = solution\n", "solution");
    HAS("from torch import nn\nclass A(nn.Module):\n    def forward(self, x):\n        return A\nModelNew = "
        "A\n",
        "class ModelNew(nn.Module):\n    def forward(self, x):\n        return ModelNew");
}

static void others_stay(void **state) {
    (void)state;
    HAS(SOLUTION "def solution(x):\n    return x\nrun = 3\n", "run = 3");
    HAS("run = solution\n" SOLUTION, "run = solution");
    HAS(SOLUTION "run = solution\nif solution:\n    run = 3\n", "run = solution");
    HAS("import triton\n@triton.jit\ndef k(x):\n    pass\nrun = k\n", "run = k");
    HAS(SOLUTION "ModelNew = solution\n", "ModelNew = solution");
}

static void lambdas_are_functions(void **state) {
    (void)state;
    HAS("import torch\nf = lambda n, m=3: n * m\ndef run(x):\n    return f(x)\n",
        "def f(n, m=3):\n    return n * m");
    HAS("import torch\nf = lambda n: n\nf = lambda n: n + 1\ndef run(x):\n    return f(x)\n",
        "f = lambda n: n");
    HAS("import torch\ndef run(x):\n    f = lambda n: n\n    return f(x)\n", "f = lambda n: n");
}

#define BASE                                                                                    \
    "import torch\nfrom torch import nn\nclass B(nn.Module):\n    N = 3\n    def size(self):\n" \
    "        return 1\n    def forward(self, x):\n        return x\n"
#define MODEL "class ModelNew(B):\n    def forward(self, x):\n        return super().forward(x)\n"

static void the_base_comes_first(void **state) {
    (void)state;
    HAS(BASE MODEL, "class ModelNew(nn.Module):\n    N = 3\n");
    HAS(BASE MODEL, "return self.inherited forward of B(x)");
    HAS(BASE "class ModelNew(B):\n    pass\n", "class ModelNew(nn.Module):\n    N = 3\n");
    HAS("class A:\n    def f(self):\n        return 1\nclass C(A):\n    def f(self):\n        return "
        "super(C, "
        "self).f() + 1\ndef run(x):\n    return C().f()\n",
        "self.inherited f of A() + 1");
}

static void more_stay(void **state) {
    (void)state;
    HAS(BASE "class ModelNew(B):\n    def forward(self, x):\n        return isinstance(x, B)\n",
        "class ModelNew(B)");
    HAS(BASE "class B(nn.Module):\n    pass\nclass ModelNew(B):\n    pass\n", "class ModelNew(B)");
    HAS("class ModelNew(B):\n    pass\n" BASE, "NameError");
    HAS(BASE "class ModelNew(B, nn.Module):\n    pass\n", "class ModelNew(B, ");
    HAS(BASE
        "class ModelNew(B):\n    @staticmethod\n    def forward(x):\n        return super().forward(x)\n",
        "super().forward(x)");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_base_comes_first),   cmocka_unit_test(more_stay),
        cmocka_unit_test(entries_get_their_name), cmocka_unit_test(others_stay),
        cmocka_unit_test(lambdas_are_functions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
