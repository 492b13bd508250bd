// Modules of torch as holders of parameters, and what gives those their first values.
#include "host/normalized.h"

#define MODEL(init, forward)                                                                       \
    "import torch\nfrom torch import nn\nclass ModelNew(nn.Module):\n    def __init__(self, n):\n" \
    "        super().__init__()\n        " init "\n    def forward(self, x):\n        " forward "\n"

static void holders_are_classes(void **state) {
    (void)state;
    HAS(MODEL("self.ln = nn.LayerNorm(n, eps=0.1)", "return x"), "self.ln = nn.LayerNorm(n, eps=0.1)");
    HAS(MODEL("self.l = torch.nn.Linear(n, 3, bias=False)", "return x"),
        "self.weight = torch.nn.Parameter(None) if True else None");
    HAS(MODEL("self.l = nn.Linear(n, 3)\n        self.m = nn.Linear(n, 3)", "return x"), "class nn.Linear(");
    LACKS(MODEL("self.c = nn.Conv2d(1, 2, 3)", "return x"), "class nn.");
    LACKS(MODEL("self.ln = nn.LayerNorm(n)", "return x") "def run(x):\n    return ModelNew(3)(x)\n",
          "of torch");
}

static void names_are_registered(void **state) {
    (void)state;
    HAS(MODEL("self.register_parameter('w', nn.Parameter(n))", "return x"), "self.w = nn.Parameter(n)");
    HAS(MODEL("self.register_buffer('b', None, persistent=False)", "return x"), "self.b = None");
    HAS(MODEL("self.register_buffer(n, None)", "return x"), "self.register_buffer(n, None)");
    HAS(MODEL("self.register_buffer('__b', None)", "return x"), "self.register_buffer(");
}

#define WEIGHT "self.w = nn.Parameter(n)\n        "
static void first_values_go(void **state) {
    (void)state;
    HAS(MODEL(WEIGHT "nn.init.normal_(self.w, std=n / 2)", "return x"), "\n        n / 2,\n");
    HAS(MODEL(WEIGHT "self.w.data.uniform_(-n, n)", "return x"), "\n        -n, n\n");
    HAS(MODEL("self.ln = nn.LayerNorm(n)\n        torch.nn.init.ones_(self.ln.weight)", "return x"),
        "\n        ()\n");
    LACKS(MODEL(WEIGHT "self.start()", "return x") "    def start(self):\n        nn.init.ones_(self.w)\n",
          "ones_");
}

static void others_stay(void **state) {
    (void)state;
    HAS(MODEL(WEIGHT "pass", "nn.init.ones_(self.w)"), "ones_(self.w)");
    HAS(MODEL(WEIGHT "self.start()", "self.start()") "    def start(self):\n        nn.init.ones_(self.w)\n",
        "ones_");
    HAS(MODEL("self.w = torch.empty(n)\n        nn.init.ones_(self.w)", "return x"), "ones_(self.w)");
    HAS(MODEL(WEIGHT "self.w = n\n        nn.init.ones_(self.w)", "return x"), "ones_(self.w)");
    HAS(MODEL(WEIGHT "nn.init.ones_(n.w)", "return x"), "ones_(n.w)");
    HAS(MODEL(WEIGHT "nn.init.ones_(n)", "return x"), "ones_(n)");
    HAS(MODEL(WEIGHT "self.w.data.copy_(n)", "return x"), "copy_(n)");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(holders_are_classes),
        cmocka_unit_test(names_are_registered),
        cmocka_unit_test(first_values_go),
        cmocka_unit_test(others_stay),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
