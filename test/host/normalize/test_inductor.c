// Files that torch's compiler wrote.
#include "host/normalized.h"

static void names_of_its_own(void **state) {
    (void)state;
    HAS("import torch\nempty = torch._C._dynamo.guards._empty_strided_cuda\ndef run(x):\n    return "
        "empty((4,), (1,), x.dtype)\n",
        "torch.empty_strided(");
    HAS("import torch\ncheck = torch._C._dynamo.guards.assert_size_stride\ndef run(x):\n    check(x, (4,), "
        "(1,))\n    return x\n",
        "def check(");
    LACKS("import torch\naten = torch.ops.aten\n" END, "aten");
    LACKS("import torch\nfrom torch._inductor.async_compile import AsyncCompile\nc = "
          "AsyncCompile()\nc.wait(globals())\ndel c\n" END,
          "globals");
    HAS("from torch._C import _cuda_getCurrentRawStream as stream\ndef run(x):\n    stream(0)\n    return "
        "x\n",
        "def stream(");
}

static void others_stay(void **state) {
    (void)state;
    HAS("import torch\naten = torch.ops.aten\ndef run(x):\n    return aten.exp(x)\n", "torch.ops.aten");
    HAS("import torch\nempty = torch._C._other\n" END, "torch._C._other");
    HAS("from torch._inductor.async_compile import AsyncCompile\nc = AsyncCompile()\nk = c.triton('k', "
        "'text')\nc.wait(globals())\n" END,
        "globals");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(names_of_its_own), cmocka_unit_test(others_stay)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
