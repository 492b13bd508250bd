// The host code that kernel files are written with, counted: one program for each feature. Each computes 2 *
// x with a kernel; what it says besides must hold. Then what stays refused.
#include "host/support.h"

enum { ROWS = 4, COLS = 8 };
static const char head[] =
    "import torch\nimport torch.nn as nn\nimport triton\nimport triton.language as tl\nimport math\n"
    "@triton.jit\n"
    "def scale(x_ptr, y_ptr, N, factor, BLOCK: tl.constexpr):\n"
    "    row = tl.program_id(0)\n"
    "    cols = tl.arange(0, BLOCK)\n"
    "    x = tl.load(x_ptr + row * N + cols, mask=cols < N)\n"
    "    tl.store(y_ptr + row * N + cols, x * factor, mask=cols < N)\n"
    "def double(x):\n"
    "    y = torch.empty_like(x)\n"
    "    scale[(x.shape[0],)](x, y, x.shape[1], 2.0, BLOCK=8)\n"
    "    return y\n";

typedef struct {
    Arena arena;
    DiagList d;
    Machine m;
    Tensor in, out;
    float x[ROWS * COLS];
} World;

static bool world_run(World *w, const char *body) {
    *w = (World){0};
    w->d = DIAGS(&w->arena);
    machine_init(&w->m, &w->arena, &w->d, 1 << 20);
    for (int i = 0; i < ROWS * COLS; i++) w->x[i] = (float)i;
    w->in = (Tensor){.dtype = DT_F32, .rank = 2, .shape = {ROWS, COLS}, .stride = {COLS, 1}};
    assert_true(storage_wrap(&w->m.storages, DT_F32, w->x, sizeof w->x, &w->in.storage));
    tensor_expose(&w->in, SHADOW_ALLOC | SHADOW_INIT);
    Node *module = (Node *)(uintptr_t)parsed(&w->arena, arena_printf(&w->arena, "%s%s", head, body));
    // Settling leaves out what nothing mentions, which most of these are about; of functools it knows more.
    bool settle = strncmp(body, "import functools", 16) == 0;
    return (!settle || host_normalize(&w->arena, module, &w->d)) && host_screen(module, &w->d) &&
           host_run(&w->m, code_cache_new(&w->arena), module, &w->in, 1, &w->out);
}

typedef struct {
    const char *feature, *program;
} Feature;
#define RUN(lines)  "def run(x):\n" lines
#define HOLDS(expr) RUN("    assert " expr "\n    return double(x)\n")

static const Feature features[] = {
    {"a run of its own", RUN("    return double(x)\n")},
    {"torch.cuda.synchronize", RUN("    y = double(x)\n    torch.cuda.synchronize()\n    "
                                   "torch.cuda.synchronize(x.device)\n    return y\n")},
    {"what a file does when it is run",
     "@torch.no_grad()\n" RUN(
         "    return double(x)\n") "if __name__ == '__main__':\n    import os\n    os._exit(0)\n"},
    {"isinstance(x, Tensor)",
     "from torch import Tensor\n" HOLDS("isinstance(x, Tensor) and not isinstance(1, Tensor)")},
    {"map", HOLDS("tuple(map(int, (1.5, 2))) == (1, 2) and list(map(lambda a, b: a + b, [1, 2, 3], [4, 5])) "
                  "== [5, 7]")},
    {"bit_length", HOLDS("(8).bit_length() == 4 and (0).bit_length() == 0 and (-5).bit_length() == 3 and 1 "
                         "<< (x.shape[1] - 1).bit_length() == 8")},
    {"grid: tuple of three",
     RUN("    y = torch.empty_like(x)\n    scale[(4, 1, 1)](x, y, 8, 2.0, BLOCK=8)\n    return y\n")},
    {"grid: lambda META", RUN("    y = torch.empty_like(x)\n    scale[lambda META: (triton.cdiv(32, "
                              "META['BLOCK']),)](x, y, 8, 2.0, BLOCK=8)\n    return y\n")},
    {"grid: nested def", RUN("    y = torch.empty_like(x)\n    def grid(meta):\n        return "
                             "(x.shape[0],)\n    scale[grid](x, y, 8, 2.0, BLOCK=8)\n    return y\n")},
    {"launch: *args and **kwargs", RUN("    y = torch.empty_like(x)\n    kw = dict(factor=2.0)\n    "
                                       "kw['BLOCK'] = 8\n    scale[(4,)](*(x, y, 8), **kw)\n    return y\n")},
    {"launch: num_warps, num_stages", RUN("    y = torch.empty_like(x)\n    scale[(4,)](x, y, 8, 2.0, "
                                          "BLOCK=8, num_warps=4, num_stages=2)\n    return y\n")},
    {"nn.Module: __init__ and forward",
     "class ModelNew(nn.Module):\n    \"\"\"doc\"\"\"\n    def __init__(self, factor=2.0):\n        "
     "super().__init__()\n        self.factor = factor\n"
     "    def forward(self, x):\n        y = torch.empty_like(x)\n        scale[(x.shape[0],)](x, y, "
     "x.shape[1], self.factor, BLOCK=8)\n        return y\n" RUN("    return ModelNew()(x)\n")},
    {"nn.Module: ModelNew is the entry where there is no run",
     "class ModelNew(nn.Module):\n    def __init__(self, features, factor=2.0):\n        super().__init__()\n"
     "        self.features, self.factor = features, factor\n    def forward(self, x):\n"
     "        assert self.features == x.shape[1]\n        return double(x)\n"},
    {"nn.Module: a parameter is an input",
     "class ModelNew(torch.nn.Module):\n    def __init__(self, n):\n        super().__init__()\n"
     "        self.x = nn.Parameter(torch.randn(n, 4) @ torch.ones(4, n), requires_grad=False)\n"
     "    def forward(self):\n        return double(self.x)\n"},
    {"nn.Module: run goes before ModelNew",
     "class ModelNew(nn.Module):\n    def forward(self, x):\n        return x\n" RUN(
         "    return double(x)\n")},
    {"nn.Module: the long spelling",
     "class Model(torch.nn.Module):\n    def __init__(self):\n        super(Model, self).__init__()\n    def "
     "forward(self, x):\n        return self.go(x)\n"
     "    def go(self, x):\n        return double(x)\n" RUN("    m = Model()\n    return m.forward(x)\n")},
    {"autograd.Function: apply",
     "class Double(torch.autograd.Function):\n    @staticmethod\n    def forward(ctx, x, factor):\n        "
     "ctx.save_for_backward(x)\n        ctx.factor = factor\n"
     "        y = torch.empty_like(x)\n        scale[(4,)](x, y, 8, ctx.factor, BLOCK=8)\n        assert "
     "ctx.saved_tensors[0] is x\n        return y\n"
     "    @staticmethod\n    def backward(ctx, dy):\n        (x,) = ctx.saved_tensors\n        return "
     "double(dy), None\n" RUN("    return Double.apply(x, 2.0)\n")},
    {"class: plain, constants, static methods, __call__",
     "class Op:\n    FACTOR = 2.0\n    @staticmethod\n    def twice(n):\n        return 2 * n\n    def "
     "__init__(self, n):\n        self.n, self.m = n, 1\n"
     "    def __call__(self, x):\n        assert self.twice(3) == Op.twice(3) == 6 and self.FACTOR == "
     "Op.FACTOR and self.n == 5 and self.m == 1\n        return double(x)\n" RUN("    return Op(5)(x)\n")},
    {"functools: kept results of numbers, texts, dtypes and devices",
     "import functools\nfrom functools import lru_cache\n@functools.cache\ndef f(n, t, d, e=None, b: bool = "
     "False):\n    "
     "return n, t, d, e, b, 0.5\n"
     "@lru_cache(maxsize=None)\ndef g(n, *, m=1.5):\n    return n if n < 2 else g(n - 1) * n\n"
     "@lru_cache(8)\ndef h(p, eps=1e-6):\n    return eps\n" RUN(
         "    assert f(1, 'a', x.dtype, b=True) == (1, 'a', torch.float32, None, True, 0.5) and g(5) == 120 "
         "and "
         "f(1, '', tl.int8, x.device)[3] == x.device and h(1) == 1e-6\n    return double(x)\n")},
    {"class: its names are there for its body, not for what is in its methods",
     "D = 2\nclass A:\n    D = 1\n    E = D + 2\n    def f(self, x=D):\n        return x, D\n    D = 5\n" RUN(
         "    assert A().f() == (1, 2) and A.D == 5 and A.E == 3\n    return double(x)\n")},
    {"class: methods as values",
     "class A:\n    def f(self):\n        return 1\n" RUN(
         "    a = A()\n    f = a.f\n    assert f() == 1 and a.f == a.f and A.f(a) == 1 and a is not A() and "
         "a == a and A is A\n    return double(x)\n")},
    {"with torch.cuda.device", RUN("    with torch.cuda.device(x.device):\n        return double(x)\n")},
    {"with torch.no_grad", RUN("    with torch.no_grad():\n        y = double(x)\n    return y\n")},
    {"assert with a text",
     RUN("    assert x.is_cuda and x.is_contiguous(), 'x has to be there'\n    return double(x)\n")},
    {"raise",
     RUN("    if x.dim() != 2:\n        raise ValueError(f'rank {x.dim()}')\n    return double(x)\n")},
    {"for, while, break, continue, else",
     RUN("    n = 0\n    for i in range(9):\n        if i == 2:\n            continue\n        if i == 4:\n  "
         "          break\n        n += i\n    while n > 3:\n        n -= 1\n    else:\n        n = 7\n    "
         "assert n == 7\n    return double(x)\n")},
    {"nested functions, defaults, keywords",
     RUN("    def f(a, b=2, *, c=3):\n        return a + b + c + x.shape[0]\n    assert f(1) == 10 and f(1, "
         "c=0) == 7\n    return double(x)\n")},
    {"unpacking",
     RUN("    (M, *rest), n = x.shape, 3\n    assert M == 4 and rest == [8]\n    return double(x)\n")},
    {"list", HOLDS("[1, 2] + [3] == [1, 2, 3] and [1, 2, 3][-1] == 3 and [1, 2, 3][:2] == [1, 2] and "
                   "len([1]) == 1 and 1 in [1]")},
    {"list: append, extend, insert, pop, item",
     RUN("    l = []\n    l.append(1)\n    l.extend((2, 3))\n    l.insert(0, 0)\n    l[1] = 7\n    assert "
         "l.pop() == 3 and l == [0, 7, 2]\n    return double(x)\n")},
    {"dict",
     HOLDS("{'a': 1}['a'] == 1 and {'a': 1}.get('b', 2) == 2 and 'a' in {'a': 1} and {'a': 1} == dict(a=1)")},
    {"dict: item, update, setdefault, items",
     RUN("    d = {}\n    d['a'] = 1\n    d.update(b=2)\n    assert d.setdefault('c', 3) == 3 and [k for k, "
         "v in d.items()] == ['a', 'b', 'c'] and list(d.keys()) == list(d) and sum(d.values()) == 6\n    "
         "return double(x)\n")},
    {"tuple", HOLDS("(1, 2) + (3,) == (1, 2, 3) and (1, 2) < (1, 3) and tuple([1]) == (1,)")},
    {"str", HOLDS("'a' + 'b' == 'ab' and 'abc'[1:] == 'bc' and 'A'.lower() == 'a' and 'ab'.startswith('a') "
                  "and '-'.join(['a', 'b']) == 'a-b' and str(1) == '1'")},
    {"f-strings", HOLDS("f'{x.shape[0]}x{x.shape[1]}' == '4x8' and f\"{'a'!r}{'a'!s}\" == \"'a'a\"")},
    {"comprehensions", HOLDS("[i for i in range(4) if i % 2] == [1, 3] and {i: i * i for i in (1, 2)} == {1: "
                             "1, 2: 4} and sum(i for i in (1, 2)) == 3")},
    {"conditional expression, walrus, lambda",
     HOLDS("(n := 2 if x.shape[0] > 3 else 1) == 2 and (lambda a: a + n)(1) == 3")},
    {"len min max int float",
     HOLDS("len(x) == 4 and min(1, 2) == 1 and max([1, 2]) == 2 and int(2.5) == 2 and float(2) == 2.0")},
    {"abs sum zip enumerate divmod range",
     HOLDS("abs(-1) == 1 and list(zip((1,), (2,))) == [(1, 2)] and list(enumerate('a')) == [(0, 'a')] and "
           "divmod(7, 2) == (3, 1) and list(range(2)) == [0, 1]")},
    {"isinstance",
     HOLDS("isinstance(x, torch.Tensor) and isinstance(1, int) and not isinstance(1, (str, float))")},
    {"math", HOLDS("math.ceil(1.5) == 2 and math.floor(1.5) == 1 and math.log2(8) == 3.0 and math.sqrt(4.0) "
                   "== 2.0 and math.prod(x.shape) == 32 and math.inf > 1 and math.pi > 3")},
    {"torch.empty", HOLDS("torch.empty(2, 3, device=x.device).shape == (2, 3) and torch.empty((2,), "
                          "dtype=torch.int32, device='cuda').dtype == torch.int32")},
    {"torch.empty_like, .new_empty",
     HOLDS("torch.empty_like(x, dtype=torch.float16).dtype == torch.float16 and x.new_empty(3).is_cuda")},
    {"torch.zeros, zeros_like, ones, full",
     HOLDS("torch.zeros(4, device=x.device).numel() == 4 and torch.zeros_like(x).shape == x.shape and "
           "torch.ones_like(x).shape == x.shape and torch.full((2,), 1.0, device=x.device).shape == (2,)")},
    {"dtypes and devices",
     HOLDS("x.dtype == torch.float32 and x.dtype in (torch.float16, torch.float32) and x.device == "
           "torch.device('cuda') and x.device.type == 'cuda' and x.is_cuda")},
    {".shape .size .numel .dim .ndim",
     HOLDS("x.shape == (4, 8) and x.size(0) == 4 and x.size()[1] == 8 and x.numel() == 32 and x.dim() == "
           "x.ndim == 2 and x.shape[-1] == 8")},
    {".stride .is_contiguous .contiguous",
     HOLDS("x.stride() == (8, 1) and x.stride(0) == 8 and x.is_contiguous() and x.contiguous() is x and "
           "x.t().contiguous().is_contiguous()")},
    {".view .reshape", HOLDS("x.view(-1).shape == (32,) and x.reshape(2, 16).shape == (2, 16) and "
                             "x.view(*x.shape[:-1], 2, 4).shape == (4, 2, 4)")},
    {".to of the same type and device", HOLDS("x.to(x.dtype) is x and x.to(x.device) is x and x.cuda() is x "
                                              "and x.detach() is x and not x.requires_grad")},
    {".element_size", HOLDS("x.element_size() == 4 and x.itemsize == 4 and x.nbytes == 128")},
    {"triton.cdiv, next_power_of_2", HOLDS("triton.cdiv(9, 4) == 3 and triton.next_power_of_2(9) == 16")},
    {"triton.Config",
     HOLDS(
         "triton.Config({'B': 8}, num_warps=2).num_warps == 2 and triton.Config({'B': 8}).kwargs['B'] == 8")},
    {"a copy of a config's constants",
     "C = [triton.Config({'B': 8})]\n" RUN("    k = dict(**C[0].kwargs)\n    k['B'] = 4\n    assert "
                                           "C[0].kwargs['B'] == 8\n    return double(x)\n")},
    {"device properties", HOLDS("torch.cuda.get_device_properties(x.device).multi_processor_count == 132 and "
                                "torch.cuda.current_device() == 0")},
};
enum { FEATURES = sizeof features / sizeof *features };

static void test_every_feature(void **state) {
    (void)state;
    int run = 0;
    for (int i = 0; i < FEATURES; i++) {
        World w;
        if (!world_run(&w, features[i].program))
            print_error("%s: %s %s\n", features[i].feature, diag_name(w.d.at[0].kind), w.d.at[0].msg);
        else {
            float out[ROWS * COLS];
            uint8_t flags[ROWS * COLS];
            assert_int_equal(tensor_numel(&w.out), ROWS * COLS);
            tensor_gather(&w.out, out, flags);
            bool right = true;
            for (int k = 0; k < ROWS * COLS; k++)
                right &= out[k] == (float)(2 * k) && (flags[k] & SHADOW_STORED);
            if (!right) print_error("%s: wrong\n", features[i].feature);
            run += right;
        }
        arena_free(&w.arena);
    }
    print_message("host code: %d of %d features run\n", run, FEATURES);
    assert_int_equal(run, FEATURES);
}

static void test_what_stays_refused(void **state) {
    (void)state;
    static const struct {
        DiagKind kind;
        const char *part, *program;
    } cases[] = {
        {DIAG_REFUSED,
         "try:", RUN("    try:\n        return double(x)\n    except Exception:\n        return x\n")},
        {DIAG_REFUSED, "class", "class T(torch.Tensor):\n    pass\n" RUN("    return double(x)\n")},
        {DIAG_REFUSED, "class", "class A:\n    pass\nclass B(A):\n    pass\n" RUN("    return double(x)\n")},
        {DIAG_REFUSED, "class", "class A(metaclass=B):\n    pass\n" RUN("    return double(x)\n")},
        {DIAG_REFUSED, "class", "@double\nclass A:\n    pass\n" RUN("    return double(x)\n")},
        {DIAG_REFUSED, "class", "class A:\n    l = []\n" RUN("    return double(x)\n")},
        {DIAG_REFUSED, "class",
         "class A:\n    @classmethod\n    def f(c):\n        pass\n" RUN("    return double(x)\n")},
        {DIAG_REFUSED, "class",
         "class A:\n    @property\n    def f(self):\n        pass\n" RUN("    return double(x)\n")},
        {DIAG_REFUSED, "class",
         "class A:\n    def __del__(self):\n        pass\n" RUN("    return double(x)\n")},
        {DIAG_REFUSED, "class",
         "class A:\n    def __getattr__(self, n):\n        pass\n" RUN("    return double(x)\n")},
        {DIAG_REFUSED, "class", RUN("    class A:\n        pass\n    return double(x)\n")},
        {DIAG_REFUSED, "module level", "class A:\n    pass\na = A()\n" RUN("    return double(x)\n")},
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
#define KEPT(params, body, call)                        \
    "import functools\n@functools.cache\ndef f(" params \
    "):\n" body RUN("    f(" call ")\n    return double(x)\n")
#define BACK "    return 1\n"
        {DIAG_REFUSED, "not Tensor", KEPT("n", BACK, "x")},
        {DIAG_REFUSED, "not Tensor", KEPT("n=1", BACK, "n=x")},
        {DIAG_REFUSED, "not Tensor", KEPT("a, *, n=1", BACK, "1, n=x")},
        {DIAG_REFUSED, "not list", KEPT("n", BACK, "[1]")},
        {DIAG_REFUSED, "not tuple", KEPT("n", BACK, "(1, x)")},
        {DIAG_REFUSED, "not torch.Size", KEPT("n", BACK, "x.shape")},
        {DIAG_REFUSED, "not float", KEPT("n", BACK, "1.0")},
        {DIAG_REFUSED, "not function", KEPT("n", BACK, "lambda: x")},
        {DIAG_REFUSED, "one key", KEPT("n", BACK, "True")},
        {DIAG_REFUSED, "not int", KEPT("n: bool", BACK, "1")},
        {DIAG_REFUSED, "it gave list", KEPT("n", "    return [n]\n", "1")},
        {DIAG_REFUSED, "it gave dict", KEPT("n", "    return {}\n", "1")},
        {DIAG_REFUSED, "it gave tuple", KEPT("n", "    return (n, [n])\n", "1")},
        {DIAG_REFUSED, "it gave function", KEPT("n", "    return lambda: n\n", "1")},
        {DIAG_REFUSED, "it gave function", KEPT("n", "    def g():\n        return n\n    return g\n", "1")},
        {DIAG_REFUSED, "allocates and launches nothing", KEPT("n", "    return torch.empty(n)\n", "1")},
        {DIAG_REFUSED, "allocates and launches nothing",
         KEPT("n", "    return g(n)\n", "1") "def g(n):\n    return torch.empty(n).stride(0)\n"},
        {DIAG_REFUSED, "still being read",
         "import functools\n@functools.cache\ndef f(n):\n    return n\nC = [triton.Config({'A': "
         "f(1)})]\n" RUN("    return double(x)\n")},
        {DIAG_REFUSED, "cache_clear", KEPT("n", BACK, "f.cache_clear()")},
        {DIAG_REFUSED, "cache_info", KEPT("n", BACK, "f.cache_info().hits")},
        {DIAG_HOST, "TypeError", KEPT("n", BACK, "1, 2")},
        {DIAG_HOST, "TypeError", KEPT("n", BACK, "m=1")},
        {DIAG_REFUSED, "Module", RUN("    return nn.Module(x)\n")},
        {DIAG_REFUSED, "Linear",
         "class A(nn.Module):\n    def __init__(self):\n        self.l = nn.Linear(2, 2)\n" RUN(
             "    return double(x)\n")},
        {DIAG_REFUSED, "Parameter",
         "class ModelNew(nn.Module):\n    def __init__(self):\n        self.w = nn.Parameter(1)\n" RUN(
             "    return double(x)\n")},
        {DIAG_REFUSED, "randn",
         "class ModelNew(nn.Module):\n    def __init__(self):\n        self.w = torch.randn(4)\n"
         "    def forward(self, x):\n        return double(x)\n"},
        {DIAG_REFUSED, "no function `run`",
         "class Model(nn.Module):\n    def forward(self, x):\n        return double(x)\n"},
        {DIAG_REFUSED, "no function `run`",
         "class ModelNew:\n    def forward(self, x):\n        return double(x)\n"},
        {DIAG_HOST, "no method `forward`", "class ModelNew(nn.Module):\n    pass\n"},
        {DIAG_HOST, "the length of a row",
         "class ModelNew(nn.Module):\n    def __init__(self, a, b):\n        super().__init__()\n"
         "    def forward(self, x):\n        return double(x)\n"},
        {DIAG_HOST, "more parameters than",
         "class ModelNew(nn.Module):\n    def __init__(self):\n        self.w = nn.Parameter(torch.ones(4))\n"
         "    def forward(self, x):\n        return double(x)\n"},
        {DIAG_HOST, "left over",
         "class ModelNew(nn.Module):\n    def forward(self):\n        return torch.empty(4, 8)\n"},
        {DIAG_HOST, "forward() must return one tensor",
         "class ModelNew(nn.Module):\n    def forward(self, x):\n        return 1\n"},
        {DIAG_REFUSED, "super", RUN("    super().__init__()\n    return double(x)\n")},
        {DIAG_REFUSED, "`.n`",
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
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        World w;
        if (world_run(&w, cases[i].program)) fail_msg("accepted:\n%s", cases[i].program);
        expect_finding(&w.d, cases[i].kind, cases[i].part, cases[i].program);
        arena_free(&w.arena);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_feature),
        cmocka_unit_test(test_what_stays_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
