// Names that a kernel file imports out of torch, triton and math are spelled out; one name is one thing.
#include "host/normalized.h"

static void imported_names_are_spelled_out(void **state) {
    (void)state;
    HAS("from triton import cdiv\ndef run(x):\n    return cdiv(4, 3)\n", "return triton.cdiv(4, 3)");
    HAS("from triton import cdiv as up\ndef run(x):\n    return up(4, 3)\n", "return triton.cdiv(4, 3)");
    HAS("from math import ceil, sqrt\ndef run(x):\n    return ceil(sqrt(2))\n", "math.ceil(math.sqrt(2))");
    HAS("import triton.language as lang\ndef run(x):\n    return lang.float16\n", "triton.language.float16");
    HAS("from torch.autograd import Function\nclass A(Function):\n    pass\ndef run(x):\n    return "
        "A.apply(x)\n",
        "class A(torch.autograd.Function)");
    // Kernels keep theirs: their checker knows imports.
    HAS("import triton\nimport triton.language as tl\nfrom triton.language.extra.libdevice import "
        "rsqrt\n@triton.jit\ndef k(x):\n    tl.store(x, "
        "rsqrt(1.0))\n"
        "def run(x):\n    return x\n",
        "tl.store(x, rsqrt(1.0))");
    // A keyword and an attribute are no names.
    HAS("from triton import cdiv\ndef run(x):\n    return f(cdiv=1).cdiv\n", "f(cdiv=1).cdiv");
    // One name for two things is nobody's.
    HAS("from triton import cdiv\ndef run(x, cdiv):\n    return cdiv(4, 3)\n", "bound a second time");
    HAS("from triton import cdiv\ndef cdiv(a, b):\n    return a\ndef run(x):\n    return cdiv(4, 3)\n",
        "bound a second time");
    HAS("from triton import cdiv\nfrom math import ceil as cdiv\ndef run(x):\n    return cdiv(4, 3)\n",
        "bound a second time");
    HAS("from triton import cdiv\nfrom functools import reduce as cdiv\ndef run(x):\n    return cdiv(4, 3)\n",
        "bound a second time");
    HAS("def f(a):\n    return a\nfrom functools import reduce as f\ndef run(x):\n    return f(x)\n",
        "bound a second time");
    HAS("def Any(a):\n    return a\nfrom typing import Any\ndef run(x):\n    return Any(x)\n",
        "bound a second time");
    HAS("from triton import cdiv\nfrom triton import cdiv\ndef run(x):\n    return cdiv(4, 3)\n",
        "return triton.cdiv(4, 3)");
    HAS("from typing import Callable\nfrom collections.abc import Callable\ndef run(x):\n    return x\n",
        "def run");
    HAS("import time\nfrom time import time\ndef run(x):\n    return x\n", "def run");
    HAS("from functools import reduce as cdiv\nfrom triton import cdiv\ndef run(x):\n    return cdiv(4, 3)\n",
        "bound a second time");
    HAS("from triton.language.extra import libdevice\nfrom triton.language.extra.cuda import libdevice\ndef "
        "run(x):\n    "
        "return x\n",
        "def run");
    HAS("from functools import reduce\ndef reduce(a):\n    return a\ndef run(x):\n    return reduce(x)\n",
        "return reduce(x)");
    HAS("from triton import cdiv\ndef run(x):\n    return [cdiv for cdiv in (1, 2)]\n",
        "bound a second time");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(imported_names_are_spelled_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
