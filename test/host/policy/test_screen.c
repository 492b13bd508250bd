// What host code may not name, and what a reference may; each refusal is beside a near miss that is allowed.
#include "host/screened.h"

static const Case names[] = {
    REFUSE("runs text", RUN "    exec('1')\n    return x\n"),
    REFUSE("runs text", RUN "    return eval('x')\n"),
    REFUSE("Python's own names", RUN "    return __import__('os')\n"),
    ALLOW(RUN "    print('RESULT: ok')\n    return x\n"), // JSON is refused where it runs
    REFUSE("outside", RUN "    open('/etc/passwd')\n    return x\n"),
    REFUSE("getattr", RUN "    return getattr(x, 'sum')()\n"),
    REFUSE("setattr", RUN "    setattr(torch, 'allclose', None)\n    return x\n"),
    REFUSE("globals", RUN "    return globals()['n']\n"),
    REFUSE("__builtins__", RUN "    return __builtins__\n"),
    REFUSE("__class__", RUN "    return x.__class__\n"),
    REFUSE("__globals__", "def f():\n    return 1\n" RUN "    f.__globals__\n    return x\n"),
    ALLOW(
        "def run(input, id, hash):\n    print = 3\n    n = print + 1\n    return input\n"), // plain variables
    REFUSE("threading", RUN "    threading.Thread(target=run).start()\n    return x\n"),
    REFUSE("do it in a kernel", RUN "    return torch.softmax(x, -1)\n"),
    REFUSE("do it in a kernel",
           RUN "    if x.shape[0] > 9:\n        return torch.softmax(x, -1)\n    return x\n"),
    REFUSE("do it in a kernel", RUN "    return torch.nn.functional.softmax(x, -1)\n"),
    REFUSE("F.softmax", RUN "    return torch.nn.functional.softmax(x, -1)\n"),
    REFUSE("do it in a kernel", RUN "    return F.softmax(x, -1)\n"),
    REFUSE("kernel", RUN "    return x.softmax(-1)\n"),
    REFUSE("kernel", RUN "    t = torch\n    return t.softmax(x, -1)\n"),
    ALLOW(RUN "    t = torch\n    return t.empty_like(x)\n"),
    REFUSE("values of tensors", RUN "    return x if x.sum().item() > 0 else x\n"),
    REFUSE("values of tensors", RUN "    n = x.item()\n    return x\n"),
    REFUSE("memory", RUN "    k = x.data_ptr()\n    return x\n"),
    REFUSE("do it in a kernel", RUN "    return x.clone()\n"),
    REFUSE("do it in a kernel", RUN "    return x.clone()\n"),
    REFUSE("do it in a kernel", RUN "    y = torch.empty_like(x)\n    y.copy_(x)\n    return y\n"),
    REFUSE("streams", RUN "    s = torch.cuda.Stream()\n    return x\n"),
    ALLOW(RUN "    n = torch.cuda.get_device_properties(0).multi_processor_count\n    return x\n"),
    REFUSE("beyond this call", RUN "    n = torch.backends.cuda.matmul.allow_tf32\n    return x\n"),
    REFUSE("beyond this call", RUN "    f = torch.compile(run)\n    return x\n"),
    REFUSE("did you mean torch.empty?", RUN "    return torch.emty(3)\n"),
    REFUSE("did you mean .contiguous?", RUN "    return x.contigous()\n"),
    ALLOW(RUN "    return torch.float32.itemsize\n"),
    REFUSE("forget @triton.jit", "def helper(a):\n    return tl.sum(a)\n" RUN "    return x\n"),
    LATER("`.foo`", RUN "    return x.foo\n"),
    ALLOW(RUN "    return nowhere\n"), // a NameError, if it is reached
};

static void test_names(void **s) { (void)s, check_screen(names, sizeof names / sizeof *names); }

static void test_references_have_their_own_privilege(void **state) {
    static const Case cases[] = {
        ALLOW("import torch.nn.functional as F\ninputs = {'x': {'shape': ('M', 'N')}}\ndef reference(x):\n   "
              " return F.gelu(x.float(), approximate='tanh').to(x.dtype)\n"),
        ALLOW("from torch.nn import functional as F\ndef half(x):\n    return x.chunk(2, dim=-1)[0]\ndef "
              "reference(x):\n    return torch.nn.functional.silu(half(x))\n"),
        REFUSE("no function `reference`", "def run(x):\n    return x\n"),
        REFUSE("belongs to kernel files", "def reference(x):\n    return torch.empty_like(x)\n"),
        REFUSE("no kernels", "@triton.jit\ndef k(x):\n    pass\ndef reference(x):\n    return x\n"),
        REFUSE("did you mean torch.softmax?", "def reference(x):\n    return torch.sofmax(x, -1)\n"),
        REFUSE("values of tensors", "def reference(x):\n    return x.item()\n"),
        REFUSE("import", "import numpy as np\ndef reference(x):\n    return x\n"),
        REFUSE("subscript", "def reference(x):\n    x[0] = 1\n    return x\n"),
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Arena a = {0};
        DiagList d = DIAGS(&a);
        bool ok = host_screen_reference(parsed(&a, cases[i].source), &d);
        if (ok != (cases[i].kind == DIAG_COUNT))
            fail_msg("%s:\n%s", d.count ? d.at[0].msg : "allowed", cases[i].source);
        if (!ok) expect_finding(&d, cases[i].kind, cases[i].part, cases[i].source);
        arena_free(&a);
    }
}

// Thousands of names and wide expressions cost time in proportion, and nesting ends in a finding.
static void test_size_is_no_trouble(void **state) {
    (void)state;
    Arena a = {0};
    DiagList d = DIAGS(&a);
    Buf b = BUF(&a);
    buf_puts(&b, "def run(x):\n");
    for (int i = 0; i < 20000; i++) buf_printf(&b, "    v%d = 1\n", i);
    buf_puts(&b, "    return x\n");
    const Node *module = parse_module(&a, buf_str(&b), &d);
    assert_non_null(module);
    assert_true(host_screen(module, &d));
    arena_free(&a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_references_have_their_own_privilege),
        cmocka_unit_test(test_size_is_no_trouble),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
