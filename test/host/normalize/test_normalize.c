// Other words become the usual ones, and what is there for readers is taken out; both without changing what
// runs.
#include "host/normalized.h"

static void other_words_become_the_usual_ones(void **state) {
    (void)state;
#define KERNEL "def k(x):\n    pass\n"
    HAS(KERNEL "k = triton.jit(k)\ndef run(x):\n    return x\n", "@triton.jit\ndef k(");
    HAS("@triton.jit\n" KERNEL "k = triton.heuristics({'A': 1})(k)\ndef run(x):\n    return x\n",
        "@triton.heuristics({\"A\": 1})\n@triton.jit\ndef k(");
    LACKS("@triton.jit\n" KERNEL "k = triton.heuristics({'A': 1})(k)\ndef run(x):\n    return x\n",
          "k = triton");
    HAS("@triton.jit\n" KERNEL "j = triton.heuristics({'A': 1})(k)\ndef run(x):\n    return x\n",
        "@triton.heuristics({\"A\": 1})\n@triton.jit\ndef j");
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
    HAS(TRY("import apex\n    HAS = True", "HAS = False") "    return HAS\n", "HAS = True if branch 0");
    HAS(TRY("import apex\n    HAS = True", "OTHER = False") "    return HAS\n", "try:");
    HAS(TRY("import apex\n    HAS = True", "HAS = False") "    return apex if HAS else x\n", "try:");
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
    HAS(FLAG "if TYPE_CHECKING:\n    import math\ndef run(x):\n    return math.pi\n", "`math`: NameError");
    // Only the one of typing, which is bound once and by then.
    HAS(IF END, "if TYPE_CHECKING");
    HAS(IF FLAG END, "if TYPE_CHECKING");
    HAS("TYPE_CHECKING = True\n" IF END, "True\nimport apex"); // one of the file's own
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
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(other_words_become_the_usual_ones),
        cmocka_unit_test(what_is_for_readers_never_runs),
        cmocka_unit_test(names_of_triton_stand_above_kernels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
