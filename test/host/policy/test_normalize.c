// What a kernel file imports under names of its own is spelled out, what never runs is taken out; both
// without changing what runs.
#include "host/support.h"
#include "lang/print.h"

static const char *settled(Arena *a, const char *source) {
    DiagList d = DIAGS(a);
    Node *module = parse_module(a, str_of(source), &d);
    if (!module) fail_msg("does not parse: %s", source);
    if (!host_normalize(a, module, &d)) return d.at[0].msg;
    Buf b = BUF(a);
    print_module(&b, module);
    return buf_cstr(&b);
}

static void expect(const char *source, const char *part, bool there) {
    Arena a = {0};
    const char *got = settled(&a, source);
    if ((strstr(got, part) != NULL) != there)
        fail_msg("%s '%s' in:\n%s\nfrom:\n%s", there ? "no" : "there is", part, got, source);
    arena_free(&a);
}
#define HAS(source, part)   expect(source, part, true)
#define LACKS(source, part) expect(source, part, false)

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

static void what_nothing_mentions_is_taken_out(void **state) {
    (void)state;
    LACKS("def get_inputs():\n    return [torch.randn(3)]\ndef run(x):\n    return x\n", "randn");
    LACKS("def one():\n    return two()\ndef two():\n    return one()\ndef run(x):\n    return x\n", "two");
    HAS("def one():\n    return two()\ndef two():\n    return 2\ndef run(x):\n    return one()\n", "def two");
    LACKS("class Model(nn.Module):\n    def forward(self, x):\n        return torch.softmax(x, -1)\n"
          "class ModelNew(nn.Module):\n    def forward(self, x):\n        return x\n",
          "torch.softmax");
    LACKS("def test():\n    run(1)\nif __name__ == '__main__':\n    test()\ndef run(x):\n    return x\n",
          "def test");
    // What does something by standing there stays, for the screen to refuse; so does whatever may be
    // mentioned.
    HAS("@hook\ndef f(x):\n    return 1\ndef hook(f):\n    return f\ndef run(x):\n    return x\n",
        "`hook`: NameError");
    HAS("def hook(f):\n    return f\n@hook\ndef f(x):\n    return 1\ndef run(x):\n    return x\n", "def f");
    HAS("def f(x=1 / 0):\n    return 1\ndef run(x):\n    return x\n", "def f");
    HAS("def g():\n    return 1\ndef f(x=g()):\n    return 1\ndef run(x):\n    return x\n", "def f");
    HAS("def g():\n    return 1\ndef f(x: g()):\n    return 1\ndef run(x):\n    return x\n", "def f");
    HAS("class C:\n    x = g()\ndef run(x):\n    return x\n", "class C");
    // Python calls these by itself.
    HAS("def __getattr__(name):\n    work()\ndef run(x):\n    return x\n", "work");
    HAS("class C:\n    def __class_getitem__(cls, k):\n        work()\ndef f(x: C[1]):\n    return x\ndef "
        "run(x):\n    return x\n",
        "work");
    LACKS("class C:\n    def __init__(self):\n        work()\ndef run(x):\n    return x\n", "work");
    HAS("class C(dict):\n    pass\ndef run(x):\n    return x\n", "class C");
    HAS("class C(metaclass=M):\n    pass\ndef run(x):\n    return x\n", "class C");
    HAS("def f(a):\n    return 1\n@triton.heuristics({'B': f})\n@triton.jit\ndef k(x):\n    pass\ndef "
        "run(x):\n    return x\n",
        "def f");
    HAS("def helper(a):\n    return a\n@triton.jit\ndef k(x):\n    helper(x)\ndef run(x):\n    return x\n",
        "def helper");
    HAS("def f():\n    return 1\ndef f():\n    return 2\ndef run(x):\n    return x\n", "return 1");
}

static void loggers_are_not_heard(void **state) {
    (void)state;
#define LOG "import logging\nlogger = logging.getLogger(__name__)\n"
    LACKS(LOG "def run(x):\n    logger.debug('GEMS %s', x.shape)\n    return x\n", "logger");
    LACKS("import warnings\ndef run(x):\n    warnings.warn(f'{x.shape}')\n    return x\n", "warn(");
    HAS(LOG "def run(x):\n    logger.debug(launch(x))\n    return x\n", "launch(x)");
    HAS(LOG "def run(x):\n    y = logger.debug(x)\n    return x\n", "logger.debug");
    HAS(LOG "def run(x, logger):\n    logger.debug(x)\n    return x\n", "logger.debug");
    HAS("def run(x):\n    logger.debug(x)\n    return x\n", "logger.debug");
    HAS("import triton\n" LOG "@triton.jit\ndef k(x):\n    logger.debug(1)\ndef run(x):\n    return x\n",
        "logger.debug");
    // What is said is evaluated, and only what there is can be called.
    HAS(LOG "def run(x):\n    logger.debug('a', 1 / 0)\n    return x\n", "1 / 0");
    HAS(LOG "def run(x):\n    logger.debug()\n    return x\n", "logger.debug");
    HAS(LOG "def run(x):\n    logger.basicConfig()\n    return x\n", "logger.basicConfig");
    HAS("import warnings\ndef run(x):\n    warnings.debug('a')\n    return x\n", "warnings.debug");
    HAS("import warnings\ndef run(x):\n    warnings.warn('a', other)\n    return x\n", "warnings.warn");
    LACKS("import warnings\ndef run(x):\n    warnings.warn('a', UserWarning, stacklevel=2)\n    return x\n",
          "warnings.");
    LACKS(LOG "logging.basicConfig(level=logging.INFO)\nlogger.setLevel(logging.DEBUG)\ndef run(x):\n    "
              "return x\n",
          "level");
    HAS(LOG "logging.basicConfig(level=work())\ndef run(x):\n    return x\n", "work");
    HAS("logger = logging.getLogger()\nimport logging\ndef run(x):\n    return x\n", "getLogger");
    HAS("import logging\nlogger = logging.getLogger(1, 2)\ndef run(x):\n    return x\n", "getLogger");
    // Names that are bound again need not be loggers.
    HAS(LOG "logger = other\ndef run(x):\n    logger.debug(x)\n    return x\n", "logger.debug");
    HAS("import logging\nlogging = other\ndef run(x):\n    logging.info(x)\n    return x\n", "logging.info");
    HAS("import logging\nclass logging:\n    pass\ndef run(x):\n    logging.info(x)\n    return x\n",
        "logging.info");
    HAS("import warnings\ndef f(warnings):\n    warnings.warn(1)\ndef run(x):\n    f(x)\n    return x\n",
        "warnings.warn");
}

static void wrappers_that_keep_nothing_are_called(void **state) {
    (void)state;
#define G                                                                                              \
    "import functools\ndef g(fn):\n    'docstring'\n    @functools.wraps(fn)\n    def wrapper(*args, " \
    "**kwargs):\n        "                                                                             \
    "return fn(*args)\n    return wrapper\n"
    HAS(G "@g\ndef run(x):\n    return x\n", "def run plain 0(x):\n    return x");
    HAS(G "@g\ndef run(x):\n    return x\n",
        "def run(*args, **kwargs):\n    return g(run plain 0)(*args, **kwargs)");
    LACKS(G "@g\ndef run(x):\n    return x\n", "wraps");
    LACKS("from functools import wraps\ndef g(f):\n    @wraps(f)\n    def w(x):\n        return f(x)\n    "
          "return w\n"
          "@g\ndef run(x):\n    return x\n",
          "@");
    // A name that is bound again need not be what it says.
    HAS(G "@g\ndef run(x):\n    return x\ng = other\n", "@g");
    HAS(G "@g\ndef run(x):\n    return x\nclass functools:\n    pass\n", "@g");
    HAS("def wraps(f):\n    return other\ndef g(f):\n    @wraps(f)\n    def w(x):\n        return f(x)\n    "
        "return w\n"
        "@g\ndef run(x):\n    return x\n",
        "@g");
    HAS("import torch\n" G
        "class A(torch.autograd.Function):\n    @staticmethod\n    @g\n    def forward(ctx, x):\n        "
        "return x\n"
        "def run(x):\n    return A.apply(x)\n",
        "@staticmethod\n    def forward(*args, **kwargs):\n        return g(A.forward plain 0)(*args, "
        "**kwargs)");
    HAS(G "def h(fn):\n    def wrapper(*a):\n        return fn(*a)\n    return wrapper\n@h\n@g\ndef "
          "run(x):\n    return x\n",
        "return h(run plain 1)(*args, **kwargs)");
    // One that could keep something stays a decorator, which is refused.
#define KEEPS(body)     \
    "def g(fn):\n" body \
    "    def wrapper(x):\n        return fn(x)\n    return wrapper\n@g\ndef run(x):\n    return x\n"
    HAS(KEEPS(""), "g(run plain 0)");
    HAS(KEEPS("    kept = []\n"), "@g");
    HAS(KEEPS("    work()\n"), "@g");
    HAS("def g(fn):\n    def wrapper(x, kept=[]):\n        return fn(x)\n    return wrapper\n@g\ndef "
        "run(x):\n    return x\n",
        "@g");
    HAS("def g(fn):\n    @cache\n    def wrapper(x):\n        return fn(x)\n    return wrapper\n@g\ndef "
        "run(x):\n    return x\n",
        "@g");
    HAS("def g(fn):\n    def wrapper(x):\n        return fn(x)\n    return work(wrapper)\n@g\ndef run(x):\n  "
        "  return x\n",
        "@g");
    HAS("@g\ndef run(x):\n    return x\n" G, "`g`: NameError"); // defined too late
    // A name that stands for two functions would reach the later one.
    HAS(G "@g\ndef f(x):\n    return 1\nkeep = f\n@g\ndef f(x):\n    return 2\ndef run(x):\n    return "
          "keep(x)\n",
        "`f`: it is bound a second time");
    HAS(G "class A:\n    @g\n    def f(x):\n        return 1\n    @g\n    def f(x):\n        return 2\ndef "
          "run(x):\n    return A\n",
        "def f plain 1");
    HAS("import functools\n@functools.lru_cache\ndef run(x):\n    return x\n", "lru_cache");
}

static void other_words_become_the_usual_ones(void **state) {
    (void)state;
#define KERNEL "def k(x):\n    pass\n"
    HAS(KERNEL "k = triton.jit(k)\ndef run(x):\n    return x\n", "@triton.jit\ndef k(");
    HAS("@triton.jit\n" KERNEL "k = triton.heuristics({'A': 1})(k)\ndef run(x):\n    return x\n",
        "@triton.heuristics({\"A\": 1})\n@triton.jit\ndef k(");
    LACKS("@triton.jit\n" KERNEL "k = triton.heuristics({'A': 1})(k)\ndef run(x):\n    return x\n",
          "k = triton");
    HAS("@triton.jit\n" KERNEL "j = triton.heuristics({'A': 1})(k)\ndef run(x):\n    return x\n",
        "j = triton");
    HAS("k = triton.jit(k)\n" KERNEL "def run(x):\n    return k\n", "k = triton.jit(k)");
    HAS("def run(x):\n    return x.data_ptr() % 16 == 0\n",
        "x.storage_offset() * x.element_size() % 16 == 0");
    HAS("def run(x):\n    return x.data_ptr() % 4096\n", "x.data_ptr() % 4096");
    HAS("def run(x):\n    return x.data_ptr() + 16\n", "x.data_ptr() + 16");
    HAS("def run(x):\n    return f(x).data_ptr() % 16\n", "data_ptr");
    LACKS("from torch import Tensor\nimport torch\n@torch.library.custom_op('a::b', mutates_args=())\ndef "
          "f(x: Tensor) -> Tensor:\n    return x\n@f.register_fake\ndef "
          "_(x):\n"
          "    return x\ndef run(x):\n    return f(x)\n",
          "@");
    LACKS("class A(torch.autograd.Function):\n    @staticmethod\n    "
          "@torch.amp.custom_fwd(device_type='cuda')\n"
          "    def forward(ctx, x):\n        return x\ndef run(x):\n    return A.apply(x)\n",
          "custom_fwd");
    HAS("@torch.compile\ndef f(x):\n    return x\ndef run(x):\n    return f(x)\n", "@torch.compile");
    // What torch would refuse stays for the screen to refuse.
#define RUN "def run(x):\n    return f(x)\n"
    HAS("@torch.library.custom_op('a::b', mutates_args=())\ndef f(x):\n    return x\n" RUN, "@torch.library");
    HAS("@torch.library.custom_op('b', mutates_args=())\ndef f(x: int) -> int:\n    return x\n" RUN,
        "@torch.library");
    HAS("@torch.library.custom_op\ndef f(x: int) -> int:\n    return x\n" RUN, "@torch.library");
    HAS("@torch.amp.custom_fwd\ndef f(x):\n    return x\n" RUN, "@torch.amp");
    HAS("def f(x):\n    return x\n@f.register_fake\ndef _(x):\n    return x\n" RUN, "@f.register_fake");
    HAS("@torch.library.custom_op(work())\ndef f(x):\n    return x\ndef run(x):\n    return f(x)\n",
        "custom_op");
    HAS("def other(x):\n    return x\n@other.register_fake\ndef _(x):\n    return x\ndef run(x):\n    return "
        "x\n",
        "register_fake");
#define TRY(body, other) "try:\n    " body "\nexcept ImportError:\n    " other "\ndef run(x):\n    return x\n"
    HAS(TRY("from triton.language.extra.libdevice import tanh", "from elsewhere import tanh"),
        "from triton.language.extra.libdevice import tanh\n\ndef run");
    LACKS(TRY("from triton.language.extra.libdevice import tanh", "from elsewhere import tanh"), "elsewhere");
    LACKS(TRY("import apex\n    HAS = True", "HAS = False"), "apex");
    // Nobody may learn what there is.
    HAS(TRY("import apex\n    HAS = True", "HAS = False") "    return HAS\n", "try:");
    HAS(TRY("import apex", "apex = None") "    return apex\n", "try:");
    HAS(TRY("work()", "pass"), "try:");
    HAS(TRY("import apex", "work()"), "try:");
    // One that Triton does not have leaves what its handler brings.
    HAS(TRY("from triton.language import libdevice",
            "from triton.language.extra import libdevice") "    return libdevice\n",
        "from triton.language.extra import libdevice\n\ndef run");
    HAS(TRY("import math\n    HAS = True", "HAS = False") "    return HAS\n", "HAS = True\n\ndef run");
    LACKS("try:\n    import math\nexcept (ImportError, ModuleNotFoundError):\n    math = None\ndef run(x):\n "
          "   return "
          "math\n",
          "try");
    HAS(TRY("import apex", "import apex2"), "try:");
    HAS(TRY("HAS = other\n    import apex", "pass"), "try:");
    // What a file says about itself is for others; other names of this form are Python's.
    LACKS("__all__ = ['run']\ndef run(x):\n    return x\n", "__all__");
    HAS("__all__ = [work()]\ndef run(x):\n    return x\n", "__all__");
    LACKS("__version__ = '1'\n__author__ = ('a', 'b')\n__license__ = 'x'\ndef run(x):\n    return x\n", "__");
    HAS("__version__ = work()\ndef run(x):\n    return x\n", "__version__");
    HAS("__version__ = a = '1'\ndef run(x):\n    return x\n", "__version__");
    HAS("__version__ = f'{work()}'\ndef run(x):\n    return x\n", "__version__");
    HAS("__name__ = '__main__'\ndef run(x):\n    return x\n", "__name__");
    HAS("__file__ = 'a'\ndef run(x):\n    return x\n", "__file__");
    HAS("__builtins__ = ['a']\ndef run(x):\n    return x\n", "__builtins__");
    HAS("__path__ = ['a']\ndef run(x):\n    return x\n", "__path__");
    HAS("try:\n    import apex\nexcept ValueError:\n    pass\ndef run(x):\n    return x\n", "try:");
}

static void what_python_evaluates_is_there(void **state) {
    (void)state;
#define END "def run(x):\n    return x\n"
    HAS("def f(x: Nothing):\n    return x\n" END, "`Nothing`: NameError");
    HAS("def f(x) -> Nothing:\n    return x\n" END, "`Nothing`: NameError");
    HAS("def f(x=nothing):\n    return x\n" END, "`nothing`: NameError");
    HAS("class A:\n    def f(self, x: Nothing):\n        return x\n" END, "`Nothing`: NameError");
    HAS("EPS: Nothing = 1\n" END, "`Nothing`: NameError");
    HAS("class A(Nothing):\n    pass\n" END, "`Nothing`: NameError");
    HAS("class A(nn.Module):\n    pass\nimport torch\nimport torch.nn as nn\n" END, "`nn`: NameError");
    // What a class binds is there for the rest of its body.
    HAS("class A:\n    D = 1\n    def f(self, x=D):\n        return x\ndef run(x):\n    return A\n",
        "def f(self, x=D)");
    HAS("class A:\n    def f(self, x=D):\n        return x\n    D = 1\n" END, "`D`: NameError");
    HAS("class A:\n    D = 1\ndef f(x=D):\n    return x\n" END, "`D`: NameError");
    HAS("class A:\n    D = 1\ndef f(x: D):\n    return x\n" END, "`D`: NameError");
    HAS("class A:\n    D = 1\nclass B:\n    def f(self, x=D):\n        return x\n" END, "`D`: NameError");
    HAS("class A:\n    D = 1\nD = 2\ndef f(x=D):\n    return x\ndef run(x):\n    return f(x)\n",
        "def f(x=D)");
    HAS("'text'\nfrom __future__ import annotations\nimport torch\ndef run(x: Nothing):\n    return x\n",
        "x: Nothing");
    HAS("from typing import Optional\nimport torch\ndef run(x: Optional[torch.Tensor], n: 'Nothing' = None) "
        "-> int | None:\n    return "
        "x\n",
        "def run");
    HAS("import torch\nfrom __future__ import annotations\n" END, "SyntaxError");
    HAS("'text'\n'text'\nfrom __future__ import annotations\n" END, "SyntaxError");
    HAS("try:\n    from __future__ import annotations\nexcept ImportError:\n    pass\n" END, "SyntaxError");
    HAS(END "if __name__ == '__main__':\n    from __future__ import annotations\n", "SyntaxError");
    HAS("def idle():\n    from __future__ import annotations\n" END, "SyntaxError");
    HAS("from __future__ import annotations\nfrom __future__ import annotations\n" END, "def run");
    // Too late, or not at all.
    HAS("@triton.jit\ndef k(x):\n    pass\nimport triton\n" END, "`triton`: NameError");
    HAS("import triton\n@triton.jit\ndef k(x):\n    tl.store(x, 1)\n" END, "`tl`: NameError");
    HAS("import torch\ndef f():\n    import math\n    return math\ndef run(x):\n    return f(), math.pi\n",
        "`math`: NameError");
    HAS("@triton.jit\ndef k(x):\n    tl.store(x, 1)\n" END, "tl.store");
    HAS("import torch\ndef run(x, F):\n    return F\n", "return F");
    HAS("import torch\n" END "if __name__ == '__main__':\n    math.pi\n", "def run");
    HAS("import torch\ndef run(x: Tensor):\n    return x\n", "`Tensor`: NameError");
    HAS("import torch\ndef run(x):\n    return isinstance(x, Tensor)\n", "`Tensor`: NameError");
    HAS("import torch\ndef run(x: 'Tensor'):\n    y: Tensor = x\n    return y\n", "y: Tensor");
    HAS("from __future__ import annotations\nimport torch\nN: F = 1\ndef run(x: Tensor) -> Tensor:\n    "
        "return x\n",
        "x: Tensor");
    HAS("from __future__ import annotations\nimport torch\ndef run(x, y=tl):\n    return x\n",
        "`tl`: NameError");
    HAS("import torch\nN: F = 1\n" END, "`F`: NameError");
    HAS("import triton\n@triton.jit\ndef k(x):\n    y: tl.constexpr = 1\n" END, "`tl`: NameError");
    HAS("def run(x: Tensor):\n    return x\n", "x: Tensor");
    // A kernel keeps what a name was.
#define KERNEL_OF(annotation, value) "@triton.jit\ndef k(x, n: " annotation " = " value "):\n    pass\n"
    HAS("D = 1\n" KERNEL_OF("tl.constexpr", "D") END, "= D");
    HAS("D = 1\n" KERNEL_OF("tl.constexpr", "D") "D = 2\n" END, "bound a second time");
    HAS("D = 1\nE = tl.constexpr(D)\nD = 2\n" END, "bound a second time");
    HAS("D = 1\nD = 2\n" END, "D = 2");
    HAS("@triton.jit\ndef k(x):\n    pass\nC = {'A': 1}\nk = triton.heuristics(C)(k)\n" END, "k = triton");
    HAS("@triton.jit\ndef k(x):\n    pass\nj = k\nk = triton.heuristics({'A': 1})(k)\n" END,
        "bound a second time");
    HAS("@triton.jit\ndef k(x):\n    pass\ndef f(x):\n    return k\nk = triton.heuristics({'A': 1})(k)\n" END,
        "k = triton");
    // One word, one meaning.
    HAS(KERNEL_OF("torch.constexpr", "1") END, "`constexpr`");
    HAS("constexpr = 3\n" KERNEL_OF("constexpr", "1") END, "`constexpr`");
    HAS("from triton.language import constexpr\nimport triton\n" KERNEL_OF("constexpr", "1") END,
        "n: constexpr");
    HAS("import triton\nimport triton.language as lang\n" KERNEL_OF("lang.constexpr", "1") END,
        "lang.constexpr");
    HAS(KERNEL_OF("triton.language.constexpr", "1") END, "n: triton.language.constexpr");
    // Nothing of the host's runs where nobody looks.
#define JIT(with) "@triton.jit(" with ")\ndef k(x):\n    pass\n" END
    HAS(JIT("do_not_specialize=['n', 1], debug=False, noinline=True"), "def k");
    HAS(JIT("repr=lambda s: work()"), "`repr`");
    HAS(JIT("launch_metadata=work"), "`launch_metadata`");
    HAS(JIT("debug=work()"), "`debug`");
    HAS(JIT("nonsense=1"), "`nonsense`");
    HAS(JIT("**options"), "options that are written down");
    HAS(JIT("work()"), "keyword arguments only");
}

static void what_is_for_readers_never_runs(void **state) {
    (void)state;
#define FLAG "from typing import TYPE_CHECKING\n"
#define IF   "if TYPE_CHECKING:\n    import apex\n"
    LACKS(FLAG IF END, "apex");
    LACKS("import typing\nif typing.TYPE_CHECKING:\n    import apex\n    T = apex.T\n" END, "apex");
    HAS(FLAG IF "else:\n    N = 3\n" END, "TYPE_CHECKING\nN = 3");
    HAS(FLAG "if not TYPE_CHECKING:\n    N = 3\nelse:\n    import apex\n" END, "TYPE_CHECKING\nN = 3");
    HAS(FLAG IF "def run(x: apex):\n    return x\n", "`apex`: NameError");
    HAS(FLAG IF "def run(x: 'apex.T'):\n    return x\n", "apex.T");
    HAS("from __future__ import annotations\n" FLAG IF "def run(x: apex.T):\n    return x\n", "x: apex.T");
    HAS(FLAG "if TYPE_CHECKING:\n    import torch\ndef run(x):\n    return torch.empty_like(x)\n",
        "`torch`: NameError");
    // Only the one of typing, which is bound once and by then.
    HAS(IF END, "if TYPE_CHECKING");
    HAS(IF FLAG END, "if TYPE_CHECKING");
    HAS("TYPE_CHECKING = True\n" IF END, "if TYPE_CHECKING");
    HAS(FLAG "TYPE_CHECKING = True\n" IF END, "if TYPE_CHECKING");
    HAS("from elsewhere import TYPE_CHECKING\n" IF END, "if TYPE_CHECKING");
    HAS("from typing import Any as TYPE_CHECKING\n" IF END, "if TYPE_CHECKING");
    HAS(FLAG "from math import pi as TYPE_CHECKING\n" IF END, "bound a second time");
    HAS("import typing\n" IF END, "if TYPE_CHECKING");
    HAS(FLAG "if typing.TYPE_CHECKING:\n    import apex\n" END, "if typing.TYPE_CHECKING");
    HAS("import torch as typing\nif typing.TYPE_CHECKING:\n    import apex\n" END, "if torch.TYPE_CHECKING");
    HAS(FLAG "if TYPE_CHECKING or work():\n    import apex\n" END, "work()");
    HAS(FLAG "if TYPE_CHECKING:\n    work()\n" END, "work()");
    HAS(FLAG "if TYPE_CHECKING:\n    import apex\nelif work():\n    pass\n" END, "work()");
    HAS(FLAG "if not TYPE_CHECKING:\n    work()\n" END, "TYPE_CHECKING\nwork()");
    HAS(FLAG "if TYPE_CHECKING:\n    from __future__ import annotations\n" END, "SyntaxError");
}

static void kept_results_are_computed_anew(void **state) {
    (void)state;
#define KEPT(import, decorator) \
import "\n@" decorator "\ndef f(n):\n    return n\ndef run(x):\n    return f(1)\n"
    LACKS(KEPT("import functools", "functools.lru_cache(maxsize=None)"), "@");
    LACKS(KEPT("import functools", "functools.lru_cache(128, typed=True)"), "@");
    LACKS(KEPT("import functools", "functools.lru_cache"), "@");
    LACKS(KEPT("import functools", "functools.cache"), "@");
    LACKS(KEPT("from functools import cache, lru_cache", "cache"), "@");
    LACKS(KEPT("from functools import cache, lru_cache", "lru_cache()"), "@");
    // What functools would refuse, and what is another's.
    HAS(KEPT("import functools", "functools.cache()"), "@");
    HAS(KEPT("import functools", "functools.lru_cache('a')"), "@");
    HAS(KEPT("import functools", "functools.lru_cache(1, maxsize=1)"), "@");
    HAS(KEPT("import functools", "functools.lru_cache(1, False, 2)"), "@");
    HAS(KEPT("import functools", "functools.lru_cache(size=1)"), "@");
    HAS(KEPT("import functools", "functools.lru_cache(maxsize=work())"), "@");
    HAS(KEPT("import functools", "functools.lru_cache(**options)"), "@");
    HAS(KEPT("import functools", "functools.reduce"), "@");
    HAS(KEPT("import functools", "cache"), "`cache`: NameError");
    HAS(KEPT("from functools import cache", "functools.cache"), "@functools");
    HAS(KEPT("from functools import reduce as cache", "cache"), "@");
    HAS(KEPT("from elsewhere import cache", "cache"), "@");
    HAS(KEPT("def cache(f):\n    return f", "cache"), "@");
    HAS(KEPT("from functools import cache\nclass A:\n    def f(self, cache):\n        pass", "cache"), "@");
    // The entry has tensors; methods have objects; and *args have no types.
    HAS("import functools\n@functools.cache\ndef run(x):\n    return x\n", "@");
    HAS("import functools\nclass A:\n    @functools.cache\n    def f(self):\n        return 1\ndef run(x):\n "
        "   "
        "return A().f()\n",
        "@");
    HAS("import functools\n@functools.cache\ndef f(*n):\n    return n\ndef run(x):\n    return f(1)\n", "@");
    HAS("import functools\ndef run(x):\n    @functools.cache\n    def f(n):\n        return x\n    return "
        "f(1)\n",
        "@");
    HAS("import functools\nimport torch\n@functools.cache\n@torch.no_grad()\ndef f(n):\n    return n\ndef "
        "run(x):\n    "
        "return f(1)\n",
        "@functools");
}

static void names_of_triton_stand_above_kernels(void **state) {
    (void)state;
#define USES "def run(x):\n    return k\n"
    HAS("from triton import jit\n@jit\ndef k(x):\n    pass\n" USES, "@triton.jit\ndef k");
    HAS("from triton import jit, autotune, Config, heuristics\n@autotune(configs=[Config({})], key=[])\n"
        "@heuristics({'A': 1})\n@jit(debug=False)\ndef k(x):\n    pass\n" USES,
        "@triton.autotune(configs=[triton.Config({})], key=[])\n@triton.heuristics({\"A\": "
        "1})\n@triton.jit(debug=False)");
    HAS("@jit\ndef k(x):\n    pass\nfrom triton import jit\n" USES, "`jit`: NameError");
    HAS("from triton import jit\n@jit(repr=lambda s: work())\ndef k(x):\n    pass\n" USES, "`repr`");
    HAS("from triton import jit\ndef jit(f):\n    return f\n@jit\ndef k(x):\n    pass\n" USES,
        "bound a second time");
    HAS("from triton import jit\nfrom functools import cache as jit\n@jit\ndef k(x):\n    pass\n" USES,
        "bound a second time");
    HAS("from triton import jit as j\n@j\ndef k(x):\n    pass\n" USES, "@j\n"); // which the screen refuses
    HAS("from functools import cache as jit\n@jit\ndef k(x):\n    pass\n" USES, "@jit\n");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(imported_names_are_spelled_out),
                                       cmocka_unit_test(what_nothing_mentions_is_taken_out),
                                       cmocka_unit_test(loggers_are_not_heard),
                                       cmocka_unit_test(wrappers_that_keep_nothing_are_called),
                                       cmocka_unit_test(other_words_become_the_usual_ones),
                                       cmocka_unit_test(what_python_evaluates_is_there),
                                       cmocka_unit_test(what_is_for_readers_never_runs),
                                       cmocka_unit_test(kept_results_are_computed_anew),
                                       cmocka_unit_test(names_of_triton_stand_above_kernels)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
