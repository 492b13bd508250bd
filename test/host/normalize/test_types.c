// Classes that no value is of, and what stands under such a condition alone.
#include "host/normalized.h"

#define D "from torch.distributed.tensor import DTensor\n"

static void no_value_is_of_them(void **state) {
    (void)state;
    HAS(D "def run(x):\n    return isinstance(x, DTensor)\n", "return False");
    HAS(D "def run(x):\n    return isinstance(x, (torch.Tensor, DTensor))\n",
        "isinstance(x, (torch.Tensor,))");
    HAS(D "def run(x):\n    if isinstance(x, DTensor):\n        x = x.gone()\n    return x\n", "return x");
    LACKS(D "def run(x):\n    if isinstance(x, DTensor):\n        x = x.gone()\n    return x\n", "gone");
    LACKS(D "def run(x):\n    if HAS and isinstance(x, DTensor):\n        x = x.gone()\n    return x\n",
          "gone");
    LACKS(D
          "def run(x):\n    far = isinstance(x, DTensor)\n    if far:\n        x = x.gone()\n    return x\n",
          "gone");
    LACKS("def run(x):\n    c = (isinstance(x, torch.Tensor) and x.is_complex()) or isinstance(x, complex)\n"
          "    if c or False:\n        return x.gone()\n    return x\n",
          "gone");
    HAS(D "def run(x):\n    return 1 if DTensor is None else 2\n", "return 2");
}

static void others_are_asked(void **state) {
    (void)state;
    HAS(D "DTensor = torch.Tensor\ndef run(x):\n    return isinstance(x, DTensor)\n",
        "is bound a second time");
    HAS("DTensor = torch.Tensor\n" D "def run(x):\n    return isinstance(x, DTensor)\n",
        "is bound a second time");
    HAS(D "def run(x, DTensor):\n    return isinstance(x, DTensor)\n", "is bound a second time");
    HAS("try:\n    import gone\n    " D "except ImportError:\n    DTensor = torch.Tensor\n"
        "def run(x):\n    return isinstance(x, DTensor)\n",
        "is bound a second time");
    HAS("try:\n    " D
        "except ImportError:\n    DTensor = None\ndef run(x):\n    return isinstance(x, DTensor)\n",
        "return False");
    HAS(D "def run(x):\n    far = isinstance(x, DTensor)\n    far = True\n    if far:\n        x = "
          "x.here()\n    return x\n",
        "here");
    HAS(D "def run(x, far):\n    if far or isinstance(x, DTensor):\n        x = x.here()\n    return x\n",
        "here");
    HAS(D "def run(x):\n    if not isinstance(x, DTensor):\n        x = x.here()\n    return x\n", "here");
    HAS("class complex:\n    pass\ndef run(x):\n    if isinstance(x, complex):\n        x = x.here()\n    "
        "return x\n",
        "here");
    HAS("from mine import DTensor\ndef run(x):\n    if isinstance(x, DTensor):\n        x = x.here()\n    "
        "return x\n",
        "here");
    HAS(D "def run(x):\n    far = isinstance(x, DTensor)\n    for far in x:\n        if far:\n            x "
          "= x.here()\n"
          "    return x\n",
        "here");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_value_is_of_them),
        cmocka_unit_test(others_are_asked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
