// Classes of the file that derive from others of it.
#include "host/normalized.h"

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

static void others_stay(void **state) {
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
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_base_comes_first), cmocka_unit_test(others_stay)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
