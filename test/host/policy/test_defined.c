// What Python evaluates while it defines the functions of a file is there by then, and says what it says.
#include "host/normalized.h"

static void what_python_evaluates_is_there(void **state) {
    (void)state;
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
    HAS("import triton\n@triton.jit\ndef k(x):\n    tl.store(x, 1)\n" END, "tl.store"); // implied
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
    HAS("from __future__ import annotations\nimport torch\ndef run(x, y=nn):\n    return x\n",
        "`nn`: NameError");
    HAS("import torch\nN: F = 1\n" END, "`F`: NameError");
    HAS("import triton\n@triton.jit\ndef k(x):\n    y: tl.constexpr = 1\n" END, "tl.constexpr");
    HAS("import triton\n@triton.jit\ndef k(x):\n    y: nn = 1\n" END, "`nn`: NameError");
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
    HAS("from triton.experimental.gluon import language as tl\nimport triton\n" KERNEL_OF("tl.constexpr", "1")
            END,
        "`tl` is imported from triton.experimental.gluon; write `import triton.language as tl`");
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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_python_evaluates_is_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
