// Operators that a file registers with torch, called by their path.
#include "host/normalized.h"

#define F   "def f(x):\n    return x\n"
#define RUN "def run(x):\n    return torch.ops.my.f(x)\n"

static void operators(void **state) {
    (void)state;
    static const char *const known[] = {
        "import torch\nlib = torch.library.Library('my', 'DEF')\nlib.define('f(Tensor x) -> Tensor')\n" F
        "lib.impl('f', f, 'CUDA')\n" RUN,
        "import torch\nlib = torch.library.Library('my', 'FRAGMENT')\n@torch.library.impl(lib, 'f', "
        "'CUDA')\n" F RUN,
        "import torch\ntorch.library.define('my::f', '(Tensor x) -> Tensor')\n@torch.library.impl('my::f', "
        "'cuda')\n" F "@torch.library.register_fake('my::f')\ndef _(x):\n    return x\n" RUN,
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        HAS(known[i], "return f(x)");
        LACKS(known[i], "torch.library");
    }
    HAS("import torch\nfrom vllm.utils import direct_register_custom_op\n" F
        "direct_register_custom_op(op_name='f', op_func=f, mutates_args=[])\n"
        "def run(x):\n    return torch.ops.vllm.f(x)\n",
        "return f(x)");
}

static void of_two_torch_chooses(void **state) {
    (void)state;
    HAS("import torch\nlib = torch.library.Library('my', 'DEF')\n" F "def g(x):\n    return x\n"
        "lib.impl('f', f, 'CompositeExplicitAutograd')\nlib.impl('f', g, 'CUDA')\n" RUN,
        "lib.impl(\"f\", g");
}

static void others_stay(void **state) {
    (void)state;
    static const char *const stays[] = {
        "import torch\nlib = torch.library.Library('my', 'DEF')\n" F "lib.impl('f', f, 'AutogradCUDA')\n" RUN,
        "import torch\nlib = torch.library.Library('my', 'DEF')\n" F "lib.impl('f', f, 'CPU')\n" RUN,
        "import torch\nlib = torch.library.Library('other', 'DEF')\n" F "lib.impl('f', f, 'CUDA')\n" RUN,
        ("import torch\n" RUN),
    };
    for (size_t i = 0; i < sizeof stays / sizeof *stays; i++) HAS(stays[i], "torch.ops.my.f(x)");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(operators), cmocka_unit_test(of_two_torch_chooses),
                                       cmocka_unit_test(others_stay)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
