// The backward half of an autograd.Function goes, unless the file itself asks for it.
#include "host/normalized.h"

#define HEAD "import torch\n"
#define F    "class F(torch.autograd.Function):\n    @staticmethod\n    def forward(ctx, x):\n        return x\n"
#define BACK "    @staticmethod\n    def backward(ctx, d):\n        return d * torch.sigmoid(d)\n"
#define RUN  "def run(x):\n    return F.apply(x)\n"

static void it_goes(void **state) {
    (void)state;
    LACKS(HEAD F BACK RUN, "sigmoid");
    HAS(HEAD F BACK RUN, "def forward");
    LACKS(HEAD "from torch.autograd import Function\nclass F(Function):\n    @staticmethod\n    def "
               "forward(ctx, x):\n"
               "        return x\n" BACK RUN,
          "sigmoid");
    LACKS(HEAD "from torch.autograd.function import once_differentiable\n" F
               "    @staticmethod\n    @once_differentiable\n    def backward(ctx, d):\n        return "
               "d.exp()\n" RUN,
          "exp");
    // y.backward() runs it, which no host code may: where that is reached, it is refused itself.
    LACKS(HEAD F BACK RUN "def test(x):\n    F.apply(x).backward(x)\n", "sigmoid");
}

static void it_stays(void **state) {
    (void)state;
    HAS(HEAD F BACK "def run(x):\n    return F.backward(None, x)\n", "sigmoid");
    HAS(HEAD F BACK "def run(x):\n    return getattr(F, 'backward')(None, x)\n", "sigmoid");
    HAS(HEAD "class F(torch.nn.Module):\n    def forward(self, x):\n        return self.backward(x)\n"
             "    def backward(self, d):\n        return torch.sigmoid(d)\n" RUN,
        "sigmoid");
    HAS(HEAD "class Function:\n    pass\nclass F(Function):\n    def forward(self, x):\n        return x\n"
             "    def backward(ctx, d):\n        return torch.sigmoid(d)\nC = F\ndef run(x):\n    return "
             "C().backward(x)\n",
        "sigmoid");
    // A decorator of the file's own runs when the class is made.
    HAS(HEAD "def keep(f):\n    torch.kept = f\n    return f\n" F
             "    @staticmethod\n    @keep\n    def backward(ctx, d):\n        return d.exp()\n" RUN,
        "exp");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(it_goes), cmocka_unit_test(it_stays)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
