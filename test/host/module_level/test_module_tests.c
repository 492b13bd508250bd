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

// What the rest uses too, changed by another name, by what a name was given, or by an object made again.
#define USES(setup, use) "import torch\n" setup "def run(x):\n    return " use "\n"
static void what_is_shared_stays(void **state) {
    (void)state;
#define LIST(test) HAS(USES("S = [1.0]\n", "S[-1]") test "\ntest_it()\n", "test_it()")
    LIST("def test_it():\n    add = S.append\n    add(2.0)");
    LIST("bump = S.append\ndef test_it():\n    bump(2.0)");
    LIST("for bump in [S.append]:\n    pass\ndef test_it():\n    bump(2.0)");
    LIST("def test_it(put=S.append):\n    put(2.0)");
    LIST("def test_it():\n    list(map(S.append, [2.0]))");
    LIST("def table():\n    return S\ndef test_it():\n    t = table()\n    t += [2.0]");
    LIST("import operator\ndef test_it():\n    operator.setitem(S, 0, 2.0)");
    LIST("def test_it():\n    e = exec\n    e('S.append(2.0)')");
    LIST("def test_it():\n    __builtins__['exec']('S.append(2.0)')");
    LIST("import builtins as b\ndef test_it():\n    b.exec('S.append(2.0)')");
    HAS(USES("S = [1.0]\n", "S[-1]") "def test_it(s):\n    s += [2.0]\ntest_it(S)\n", "test_it(S)");
    HAS(USES("N = 1.0\n", "N") "def test_it(n):\n    print(n)\ntest_it(N := 2.0)\n", "test_it(N");
#define CLASS(test) \
    HAS(USES("class A:\n    n = 1\n    held = [1]\n", "A.held[-1] * A.n") test "\ntest_it()\n", "test_it()")
    CLASS("def forward(self):\n    self.n = 2\ndef test_it():\n    forward(A)");
    CLASS("class T:\n    def __init__(self):\n        self.n = 2\ndef test_it():\n    T.__init__(A)");
    CLASS("class T:\n    def forward(self):\n        self.n = 2\ndef test_it():\n    T.forward(A)");
    CLASS("class T(A):\n    def go(self):\n        self.held.append(2)\nclass U(T):\n    pass\n"
          "def test_it():\n    U().go()");
    CLASS("def test_it():\n    put = A.held.append\n    put(2)");
    CLASS("def test_it():\n    s = A.held\n    s += [2]");
    HAS(USES("def make():\n    s = [1]\n    def put(v):\n        s.append(v)\n    def get():\n"
             "        return s[-1]\n    return put, get\nput, get = make()\n",
             "get()") "def test_it():\n    put(2)\ntest_it()\n",
        "test_it()");
}

static void what_is_read_alone_goes(void **state) {
    (void)state;
    LACKS(USES("S = [1.0]\n", "S[-1]") "def test_it():\n    for s in S:\n        print(s)\ntest_it()\n",
          "test_it");
    LACKS("import torch\n" END
          "class Ref(torch.nn.Module):\n    def __init__(self):\n        super().__init__()\n"
          "        self.n = 2\n    def forward(self, x):\n        self.last = x\n        return x\n"
          "def test_it():\n    bad = 0\n    y = Ref()(torch.randn(4))\n    y += 1\n    bad += 1\n"
          "    print(y, bad)\ntest_it()\n",
          "test_it");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tests_go), cmocka_unit_test(what_leaves_something_stays),
        cmocka_unit_test(what_is_shared_stays), cmocka_unit_test(what_is_read_alone_goes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
