// Classes as kernel files have them, and which ones are refused.
#include "host/doubling.h"

static void test_features(void **state) {
    (void)state;
    static const Feature features[] = {
        {"nn.Module: __init__ and forward",
         "class ModelNew(nn.Module):\n    \"\"\"doc\"\"\"\n    def __init__(self, factor=2.0):\n        "
         "super().__init__()\n        self.factor = factor\n"
         "    def forward(self, x):\n        y = torch.empty_like(x)\n        scale[(x.shape[0],)](x, y, "
         "x.shape[1], self.factor, BLOCK=8)\n        return y\n" RUN("    return ModelNew()(x)\n")},
        {"nn.Module: the long spelling", "class Model(torch.nn.Module):\n    def __init__(self):\n        "
                                         "super(Model, self).__init__()\n    def "
                                         "forward(self, x):\n        return self.go(x)\n"
                                         "    def go(self, x):\n        return double(x)\n" RUN(
                                             "    m = Model()\n    return m.forward(x)\n")},
        {"autograd.Function: apply",
         "class Double(torch.autograd.Function):\n    @staticmethod\n    def forward(ctx, x, factor):\n      "
         "  "
         "ctx.save_for_backward(x)\n        ctx.factor = factor\n"
         "        y = torch.empty_like(x)\n        scale[(4,)](x, y, 8, ctx.factor, BLOCK=8)\n        assert "
         "ctx.saved_tensors[0] is x\n        return y\n"
         "    @staticmethod\n    def backward(ctx, dy):\n        (x,) = ctx.saved_tensors\n        return "
         "double(dy), None\n" RUN("    return Double.apply(x, 2.0)\n")},
        {"class: plain, constants, static methods, __call__",
         "class Op:\n    FACTOR = 2.0\n    @staticmethod\n    def twice(n):\n        return 2 * n\n    def "
         "__init__(self, n):\n        self.n, self.m = n, 1\n"
         "    def __call__(self, x):\n        assert self.twice(3) == Op.twice(3) == 6 and self.FACTOR == "
         "Op.FACTOR and self.n == 5 and self.m == 1\n        return double(x)\n" RUN(
             "    return Op(5)(x)\n")},
        {"class: its names are there for its body, not for what is in its methods",
         "D = 2\nclass A:\n    D = 1\n    E = D + 2\n    def f(self, x=D):\n        return x, D\n    D = "
         "5\n" RUN("    assert A().f() == (1, 2) and A.D == 5 and A.E == 3\n    return double(x)\n")},
        {"class: methods as values", "class A:\n    def f(self):\n        return 1\n" RUN(
                                         "    a = A()\n    f = a.f\n    assert f() == 1 and a.f == a.f and "
                                         "A.f(a) == 1 and a is not A() and "
                                         "a == a and A is A\n    return double(x)\n")},
    };
    RUN_FEATURES(features);
}

static void test_what_stays_refused(void **state) {
    (void)state;
    static const Refusal cases[] = {
        {DIAG_UNSUPPORTED,
         "try:", RUN("    try:\n        return double(x)\n    except Exception:\n        return x\n")},
        {DIAG_UNSUPPORTED, "class", "class T(torch.Tensor):\n    pass\n" RUN("    return double(x)\n")},
        {DIAG_UNSUPPORTED, "class",
         "class A:\n    pass\nclass B(A):\n    pass\n" RUN("    return double(x)\n")},
        {DIAG_UNSUPPORTED, "class", "class A(metaclass=B):\n    pass\n" RUN("    return double(x)\n")},
        {DIAG_UNSUPPORTED, "class", "@double\nclass A:\n    pass\n" RUN("    return double(x)\n")},
        {DIAG_UNSUPPORTED, "class", "class A:\n    l = double(3)\n" RUN("    return double(x)\n")},
        {DIAG_UNSUPPORTED, "class",
         "class A:\n    @property\n    @classmethod\n    def f(c):\n        pass\n" RUN(
             "    return double(x)\n")},
        {DIAG_REFUSED, "assignment to `.",
         "class A:\n    n = 0\n    @classmethod\n    def f(c):\n        c.n = 1\n" RUN(
             "    A.f()\n    return double(x)\n")},
        {DIAG_HOST, "no setter",
         "class A:\n    @property\n    def n(self):\n        return 1\n    def f(self):\n        self.n = "
         "2\n" RUN("    A().f()\n    return double(x)\n")},
        {DIAG_UNSUPPORTED, "class",
         "class A:\n    def __del__(self):\n        pass\n" RUN("    return double(x)\n")},
        {DIAG_UNSUPPORTED, "class",
         "class A:\n    def __getattr__(self, n):\n        pass\n" RUN("    return double(x)\n")},
        {DIAG_UNSUPPORTED, "class", RUN("    class A:\n        pass\n    return double(x)\n")},
        {DIAG_REFUSED, "the module holds this value",
         "class A:\n    def f(self):\n        self.n = 1\na = A()\n" RUN(
             "    a.f()\n    return double(x)\n")},
        {DIAG_REFUSED, "module level",
         "class A(torch.nn.Module):\n    def forward(self, x):\n        return x\na = A()\n" RUN(
             "    return double(x)\n")},
        {DIAG_REFUSED, "the module holds this value",
         "def keep():\n    seen = []\n    return lambda n: seen.append(n)\nclass A:\n    def __init__(self, "
         "f):\n"
         "        self.f = f\na = A(keep())\n" RUN("    a.f(x.shape[0])\n    return double(x)\n")},
        {DIAG_REFUSED, "`.",
         "class A:\n    def f(self):\n        return self.__class__\n" RUN("    return double(x)\n")},
        {DIAG_REFUSED, "assignment to `.", "class A:\n    pass\n" RUN("    A.n = 1\n    return double(x)\n")},
        {DIAG_REFUSED, "assignment to `.",
         "class A:\n    pass\n" RUN("    run.n = 1\n    return double(x)\n")},
        {DIAG_REFUSED, "assignment to `.",
         "class A:\n    def f(self):\n        self.__dict__ = 1\n" RUN("    return double(x)\n")},
        {DIAG_REFUSED, "assignment to `.",
         "class A:\n    def f(x):\n        x.data = 1\n" RUN("    A.f(x)\n    return double(x)\n")},
        {DIAG_REFUSED, "kernel",
         "class A:\n    def softmax(self, x):\n        return x.softmax(-1)\n" RUN(
             "    return A().softmax(x)\n")},
        {DIAG_REFUSED, "super", RUN("    super().__init__()\n    return double(x)\n")},
        {DIAG_UNSUPPORTED, "`.n`",
         "class A:\n    def f(self):\n        return self.n\n" RUN("    return A().f()\n")},
        {DIAG_HOST, "no attribute 'n'",
         "class A:\n    def g(self):\n        self.n = 1\n    def f(self):\n        return self.n\n" RUN(
             "    return A().f()\n")},
        {DIAG_HOST, "not callable", "class A:\n    pass\n" RUN("    return A()(x)\n")},
        {DIAG_HOST, "takes no arguments", "class A:\n    pass\n" RUN("    return A(x)\n")},
        {DIAG_HOST, "apply", "class F(torch.autograd.Function):\n    pass\n" RUN("    return F()\n")},
        {DIAG_HOST, "'forward'",
         "class F(torch.autograd.Function):\n    pass\n" RUN("    return F.apply(x)\n")},
        {DIAG_HOST, "staticmethod",
         "class F(torch.autograd.Function):\n    def forward(ctx, x):\n        return x\n" RUN(
             "    return F.apply(x)\n")},
        {DIAG_HOST, "RecursionError",
         "class A:\n    def f(self):\n        return self.f()\n" RUN("    return A().f()\n")},
        {DIAG_HOST, "handed to a kernel",
         "class A:\n    pass\n" RUN("    scale[(1,)](A(), x, 8, 2.0, BLOCK=8)\n    return x\n")},
    };
    REFUSE_ALL(cases);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_features),
        cmocka_unit_test(test_what_stays_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
