// What host code may not contain by its form alone: statements, decorators, contexts, classes, what stands at
// module level and which imports. Each refusal is beside a near miss that must be allowed.
#include "host/screened.h"

static const Case constructs[] = {
    LATER("try", RUN "    try:\n        return x\n    except ValueError:\n        return x\n"),
    ALLOW(RUN "    if x.dim() == 2:\n        return x\n    return x.contiguous()\n"),
    LATER("with", RUN "    with torch.no_grad() as g:\n        return x\n"),
    REFUSE("torch.cuda.stream", RUN "    with torch.cuda.stream(None):\n        return x\n"),
    LATER("with", RUN "    with torch.no_grad(), x as y:\n        return y\n"),
    LATER("with", RUN "    with torch.cuda.device as y:\n        return x\n"),
    LATER("module level", "with torch.no_grad():\n    K = 1\n" RUN "    return x\n"),
    REFUSE("eval", RUN "    with torch.no_grad():\n        return eval('x')\n"),
    REFUSE("eval", RUN "    with torch.cuda.device(eval('x')):\n        return x\n"),
    LATER("class", "class A(B):\n    pass\n" RUN "    return x\n"),
    LATER("class", RUN "    class A:\n        pass\n    return x\n"),
    REFUSE("global", "n = 0\n" RUN "    global n\n    n = 1\n    return x\n"),
    ALLOW("n = 0\n" RUN "    n = 1\n    return x\n"),
    REFUSE("global and nonlocal",
           RUN "    k = 1\n    def f():\n        nonlocal k\n        k = 2\n    return x\n"),
    ALLOW(RUN "    k = 1\n    def f():\n        return k\n    f()\n    return x\n"),
    LATER("yield", RUN "    yield x\n"),
    LATER("async", "async def run(x):\n    return x\n"),
    ALLOW(RUN "    s = {1, 2}\n    return x\n"),
    ALLOW(RUN "    s = {1: 2}\n    return x\n"),
    ALLOW(RUN "    s = {i for i in range(3)}\n    return x\n"),
    ALLOW(RUN "    s = [i for i in range(3)]\n    t = {i: i for i in s}\n    u = tuple(i for i in s if i)\n  "
              "  return x\n"),
    LATER("bytes", RUN "    s = b'x'\n    return x\n"),
    ALLOW(RUN "    s = 'x'\n    return x\n"),
    ALLOW(RUN "    if (n := x.shape[0]) > 3:\n        pass\n    return x\n"),
    ALLOW(RUN "    assert x.dim() == 2, f'bad rank {x.dim()}'\n    return x\n"),
    ALLOW(RUN "    if x.dim() != 2:\n        raise ValueError('bad rank')\n    return x\n"),
    REFUSE("SystemExit", RUN "    raise SystemExit(0)\n"),
    LATER("raise", RUN "    raise x\n"),
    ALLOW(RUN "    for i in range(3):\n        break\n    return x\n"),
    REFUSE("no function `run`", "def walk(x):\n    return x\n"),
    REFUSE("run is a kernel", "@triton.jit\ndef run(x):\n    pass\n"),
};

static const Case places[] = {
    REFUSE("attributes of functions", RUN "    run.cache = 1\n    return x\n"),
    REFUSE("attributes of functions", RUN "    torch.allclose = lambda *a: True\n    return x\n"),
    REFUSE("attributes of functions", "torch.allclose = 1\n" RUN "    return x\n"),
    REFUSE("subscript", "D = (1,)\n" RUN "    D[0] = x\n    return x\n"),
    REFUSE("subscript", RUN "    run[0] = x\n    return x\n"),
    REFUSE("subscript", RUN "    x.shape[0] = 1\n    return x\n"),
    REFUSE("subscript", RUN "    (lambda: x)()[0] = 1\n    return x\n"),
    REFUSE("eval", RUN "    d = {}\n    d[eval('1')] = x\n    return x\n"),
    REFUSE("subscript", RUN "    x[0] = 1\n    return x\n"),
    REFUSE("subscript", RUN "    x[0] += 1\n    return x\n"),
    ALLOW(RUN "    l = []\n    l.append(1)\n    l += [2]\n    return x\n"),
    REFUSE("default", "def run(x, memo={}):\n    return x\n"),
    REFUSE("default", "def run(x, memo=[]):\n    return x\n"),
    REFUSE("default", "def run(x, memo=dict()):\n    return x\n"),
    ALLOW("def run(x, eps=1e-6, shape=(1, -2), name='a', flag=None):\n    return x\n"),
    REFUSE("default", RUN "    f = lambda y, memo=[]: y\n    return f(x)\n"),
    ALLOW(RUN "    f = lambda y, n=3: y\n    return f(x)\n"),
    ALLOW("cache = {}\n" RUN "    return x\n"),
    ALLOW("cache = []\n" RUN "    return x\n"),
    ALLOW("cache = dict()\n" RUN "    return x\n"),
    ALLOW("buffer = torch.empty(4, device='cuda')\n" RUN "    return x\n"),
    LATER("module level", "for i in range(3):\n    pass\n" RUN "    return x\n"),
    LATER("module level", "if True:\n    n = 1\n" RUN "    return x\n"),
    ALLOW("print('RESULT')\n" RUN "    return x\n"),
    ALLOW("f = lambda: 1\n" RUN "    return x\n"),
    REFUSE("default of `m`", "f = lambda m=[]: m\n" RUN "    return x\n"),
    ALLOW("\"\"\"Doc.\"\"\"\nBLOCK = 1024\nA, B = 1, 2.5\nS: tl.constexpr = 3\nC = tl.constexpr(BLOCK * "
          "2)\nLOG2E = 1.0 / math.log(2)\n"
          "INF = float('inf')\nT = (1, 'a', None, -1)\nD = tl.float32\n" RUN "    return x\n"),
    REFUSE("module's name", "torch = 3\n" RUN "    return x\n"),
    REFUSE("module's name", "def run(torch):\n    return torch\n"),
    REFUSE("module's name", "def tl():\n    pass\n" RUN "    return x\n"),
    REFUSE("module's name", RUN "    [triton for triton in range(3)]\n    return x\n"),
    ALLOW("def run(f, t, m):\n    return f\n"),
    LATER("decorators", "@cache\ndef run(x):\n    return x\n"),
    ALLOW("@torch.no_grad()\ndef run(x):\n    return x\n"),
    ALLOW("@torch.inference_mode\ndef run(x):\n    return x\n"),
    LATER("decorators", "@torch.no_grad(x)\ndef run(x):\n    return x\n"),
    REFUSE("torch.compile", "@torch.compile\ndef run(x):\n    return x\n"),
    LATER("decorators", "@torch.cuda.device(0)\ndef run(x):\n    return x\n"),
    LATER("decorators", "@no_grad()\ndef run(x):\n    return x\n"),
    ALLOW("class A:\n    @staticmethod\n    @torch.no_grad()\n    def f(x):\n        return x\n" RUN
          "    return x\n"),
    LATER("class", "class A:\n    @torch.no_grad()\n    @staticmethod\n    def f(x):\n        return x\n" RUN
                   "    return x\n"),
    LATER("class", "class A:\n    @staticmethod\n    @staticmethod\n    def f(x):\n        return x\n" RUN
                   "    return x\n"),
    ALLOW(RUN "    return x\nif __name__ == \"__main__\":\n    import os\n    print(run(torch.randn(3)))\n"),
    REFUSE("__name__", RUN "    return x\nif __name__ == '__main__':\n    k = 1\nelse:\n    k = 2\n"),
    REFUSE("__name__", RUN "    return x\nif __name__ != '__main__':\n    k = 1\n"),
    REFUSE("__name__", RUN "    return x\nif __name__ == '__main__' == 1:\n    k = 1\n"),
    REFUSE("__name__", RUN "    return x\nif __name__ == 'main':\n    k = 1\n"),
    REFUSE("Python's own names", RUN "    if __name__ == '__main__':\n        return 1\n    return x\n"),
    REFUSE("no function `run`", "if __name__ == '__main__':\n    def run(x):\n        return x\n"),
    REFUSE("directly above", "@triton.jit\n@memo\ndef k(x):\n    pass\n" RUN "    return x\n"),
    ALLOW("@triton.jit\ndef k(x, B: tl.constexpr = 4):\n    pass\n" RUN "    return x\n"),
    ALLOW("@triton.jit(do_not_specialize=['n'])\ndef k(x, n):\n    pass\n" RUN "    return x\n"),
    ALLOW("@triton.autotune(configs=[], key=[])\n@triton.jit\ndef k(x):\n    pass\n" RUN "    return x\n"),
    ALLOW("@triton.autotune(configs=[triton.Config({'B': b}, num_warps=w) for b in (1, 2) for w in (4, 8)], "
          "key=['N'])\n@triton.heuristics({'E': lambda args: args['N'] % args['B'] == 0})\n@triton.jit\n"
          "def k(x):\n    pass\n" RUN "    return x\n"),
    ALLOW("configs = [triton.Config({'B': 4})]\n@triton.autotune(configs, key=[])\n@triton.jit\ndef k(x):\n"
          "    pass\n" RUN "    return x\n"),
    ALLOW("configs = [triton.Config({'B': b}) for b in (1, 2)]\n" RUN "    return x\n"),
    ALLOW("configs = [triton.Config({'B': 4}), 1]\n" RUN "    return x\n"),
    LATER("no decorators but", "@memo\n@triton.jit\ndef k(x):\n    pass\n" RUN "    return x\n"),
    LATER("no decorators but", "@triton.autotune\n@triton.jit\ndef k(x):\n    pass\n" RUN "    return x\n"),
    LATER("no decorators", "@triton.heuristics({})\ndef f(x):\n    return x\n" RUN "    return x\n"),
    REFUSE("directly above",
           "@triton.jit\n@triton.heuristics({})\ndef k(x):\n    pass\n" RUN "    return x\n"),
    REFUSE("values of tensors", "@triton.heuristics({'E': lambda args: args['x'].item()})\n@triton.jit\n"
                                "def k(x):\n    pass\n" RUN "    return x\n"),
    REFUSE("kernel", "@triton.autotune(configs=[], key=[])\n@triton.jit\ndef k(x):\n    pass\n" RUN
                     "    return torch.exp(x)\n"),
    REFUSE("module level", RUN "    @triton.jit\n    def k(x):\n        pass\n    return x\n"),
    REFUSE("exec", "def run(x: exec('1')):\n    return x\n"),
    REFUSE("open", "@triton.jit\ndef k(x, n: open('f')):\n    pass\n" RUN "    return x\n"),
    ALLOW("def run(x: torch.Tensor, n: 'int' = 3) -> torch.Tensor | None:\n    y: Foo[int, ...] = x\n    "
          "return y\n"),
    REFUSE("default", "@triton.jit\ndef k(x, n=[]):\n    pass\n" RUN "    return x\n"),
};

static const Case imports[] = {
    ALLOW("import torch\nimport triton\nimport triton.language as tl\nfrom triton.language.extra import "
          "libdevice\nimport math\n" RUN "    return x\n"),
    ALLOW("import torch, triton\n" RUN "    import torch\n    return x\n"),
    ALLOW("import torch as t\n" RUN "    return x\n"),
    ALLOW("import torch, os\n" RUN "    return x\n"),
    REFUSE("may be imported", "import torch, os\n" RUN "    return os.getcwd()\n"),
    REFUSE("may be imported",
           "import numpy as np\n" RUN "    if x:\n        return np.ones(3)\n    return x\n"),
    REFUSE("may be imported", "from time import sleep\n" RUN "    return sleep\n"),
    ALLOW("import numpy as np\n" RUN "    y: np.ndarray = x\n    return y\n"),
    REFUSE("import", "from time import slumber\n" RUN "    return x\n"),
    REFUSE("import", "import time as torch\n" RUN "    return x\n"),
    REFUSE("import", "import operator as __builtins__\n" RUN "    return x\n"),
    REFUSE("import", "import math as __builtins__\n" RUN "    return pow(x, 2)\n"),
    REFUSE("import", "from math import pi as __name__\n" RUN "    return x\n"),
    REFUSE("import", "import time as len\n" RUN "    return x\n"),
    REFUSE("import", RUN "    import os\n    return x\n"),
    LATER("import", RUN "    from triton import cdiv\n    return x\n"),
    ALLOW("import triton.language\n" RUN "    return x\n"),
    ALLOW("from triton import cdiv\nfrom triton.language.extra.libdevice import rsqrt as r\n" RUN
          "    return x\n"),
    REFUSE("import", "from triton import language as math\n" RUN "    return x\n"),
    REFUSE("import", "import ctypes\n" RUN "    return x\n"),
    ALLOW("import torch.nn.functional as F\n" RUN "    return x\n"),
    ALLOW("from torch.nn import functional as F\n" RUN "    B, F = x.shape\n    return x\n"),
    REFUSE("F.softmax", "import torch.nn.functional as F\n" RUN "    return F.softmax(x, -1)\n"),
    REFUSE("F.pad", "import torch.nn.functional as F\n" RUN "    return F.pad(x, (0, 1))\n"),
    REFUSE("import", "import torch.nn.functional as nn\n" RUN "    return x\n"),
    ALLOW("import torch.nn.functional\n" RUN "    return x\n"),
    ALLOW("from __future__ import annotations\nfrom typing import Optional, Tuple\nfrom collections.abc "
          "import Callable\n"
          "from torch import nn, Tensor\nimport typing\n"
          "def run(x: Optional[Tensor], f: Callable[[int], Tuple[int, ...]] = None) -> typing.Any:\n    "
          "return x\n"),
    REFUSE("import", "from typing import Any as tl\n" RUN "    return x\n"),
    LATER("import", "from typing import *\n" RUN "    return x\n"),
    LATER("import", "from typing import Any, sys\n" RUN "    return x\n"),
    ALLOW("from collections import abc\n" RUN "    return x\n"),
    LATER("import", "from __future__ import division\n" RUN "    return x\n"),
    ALLOW("from torch import Tensor, softmax\n" RUN "    return x\n"),
    REFUSE("import", "from torch import Tensor as torch\n" RUN "    return x\n"),
    REFUSE("import", "from torch import *\n" RUN "    return x\n"),
    REFUSE("import", "from . import torch\n" RUN "    return x\n"),
    REFUSE("import", RUN "    import threading\n    return x\n"),
    ALLOW("from triton.tools.tensor_descriptor import TensorDescriptor\n" RUN "    return x\n"),
    REFUSE("import",
           "from triton.tools.tensor_descriptor import TensorDescriptor as T\n" RUN "    return x\n"),
    REFUSE("import", "from triton.tools.mxfp import MXFP4Tensor\n" RUN "    return x\n"),
};

static void test_constructs(void **s) {
    (void)s, check_screen(constructs, sizeof constructs / sizeof *constructs);
}
static void test_places(void **s) { (void)s, check_screen(places, sizeof places / sizeof *places); }
static void test_imports(void **s) { (void)s, check_screen(imports, sizeof imports / sizeof *imports); }

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_constructs),
        cmocka_unit_test(test_places),
        cmocka_unit_test(test_imports),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
