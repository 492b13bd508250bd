// Tests and benchmarks that a file runs when it is imported go, unless something stays behind of them.
#include "host/normalized.h"

#define TEST \
    "def test_it():\n    made = {}\n    made['a'] = run(torch.randn(4, device='cuda'))\n    return made\n"

static void tests_go(void **state) {
    (void)state;
    LACKS("import torch\n" END TEST "result = test_it()\n", "test_it");
    LACKS("import torch\n" END TEST "result = test_it()\nprint(result)\n", "result");
    LACKS("import torch, triton\n" END "@triton.testing.perf_report(triton.testing.Benchmark(x_vals=[1]))"
          "\ndef bench_it(n):\n    return run(n)\n"
          "bench_it.run(print_data=True)\n",
          "bench_it");
    LACKS("import torch\ntorch.set_grad_enabled(False)\n" END, "set_grad");
}

static void what_leaves_something_stays(void **state) {
    (void)state;
    HAS("C = {}\n" END "def test_it():\n    C[3] = 4\ntest_it()\n", "test_it()");
    HAS("class A:\n    pass\n" END "def test_it():\n    A.n = 4\ntest_it()\n", "test_it()");
    HAS("import torch\n" END "def test_it():\n    global N\n    N = 4\ntest_it()\n", "test_it()");
    HAS("import torch\n" END "def test_it():\n    import os\n    os.abort()\ntest_it()\n", "test_it()");
    HAS("import torch\n" END "def test_it():\n    torch.set_default_dtype(torch.float16)\ntest_it()\n",
        "test_it()");
    HAS("import torch\ndef test_it():\n    return 4\nN = test_it()\ndef run(x):\n    return N\n",
        "N = test_it()");
    HAS("import torch\n" END "T = run(torch.zeros(8))\n", "T = run(");
    HAS("import torch\ntorch.manual_seed(0)\n" END, "manual_seed");
    HAS("import torch\ntorch.backends.cuda.matmul.allow_tf32 = True\n" END, "allow_tf32");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(tests_go),
                                       cmocka_unit_test(what_leaves_something_stays)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
