// Host code of kernel files without kernels: Python's semantics, tensors' metadata and views, what is billed,
// and how every kind of trouble ends. Programs state what must hold by `assert`.
#include "host/support.h"

typedef struct {
    Arena arena;
    DiagList d;
    Machine m;
    Tensor in[3]; // x: float32[4, 8]; s: float16[4, 6] with row stride 11 at offset 3; t: int64[4]
    float x[32];
    uint16_t s[64];
    int64_t t[4];
    Tensor out;
} World;

static void world_open(World *w, int64_t steps) {
    *w = (World){0};
    w->d = DIAGS(&w->arena);
    machine_init(&w->m, &w->arena, &w->d, steps);
    for (int i = 0; i < 32; i++) w->x[i] = (float)i;
    for (int i = 0; i < 64; i++) w->s[i] = f16_from_f32((float)i);
    for (int i = 0; i < 4; i++) w->t[i] = i;
    w->in[0] = (Tensor){.dtype = DT_F32, .rank = 2, .shape = {4, 8}, .stride = {8, 1}};
    w->in[1] = (Tensor){.dtype = DT_F16, .rank = 2, .shape = {4, 6}, .stride = {11, 1}, .offset = 3};
    w->in[2] = (Tensor){.dtype = DT_I64, .rank = 1, .shape = {4}, .stride = {1}};
    assert_true(storage_wrap(&w->m.storages, DT_F32, w->x, sizeof w->x, &w->in[0].storage));
    assert_true(storage_wrap(&w->m.storages, DT_F16, w->s, sizeof w->s, &w->in[1].storage));
    assert_true(storage_wrap(&w->m.storages, DT_I64, w->t, sizeof w->t, &w->in[2].storage));
    for (int i = 0; i < 3; i++) tensor_expose(&w->in[i], SHADOW_ALLOC | SHADOW_INIT);
}
static void world_close(World *w) { arena_free(&w->arena); }

static bool world_run(World *w, const char *source) {
    return host_run(&w->m, NULL, parsed(&w->arena, source), w->in, 3, &w->out);
}

// The body of `def run(x, s, t)`, lines separated by newlines, each indented here.
static const char *program(Arena *a, const char *body) {
    Buf b = BUF(a);
    buf_puts(&b, "def run(x, s, t):\n");
    while (*body) {
        size_t n = strcspn(body, "\n");
        buf_printf(&b, "    %.*s\n", (int)n, body);
        body += n + (body[n] == '\n');
    }
    buf_puts(&b, "    return x\n");
    return buf_cstr(&b);
}

static void expect_ok(const char *body) {
    World w;
    world_open(&w, 1 << 22);
    const char *source = program(&w.arena, body);
    if (!host_screen(parsed(&w.arena, source), &w.d) || !world_run(&w, source))
        fail_msg("%s: %s\n%s", diag_name(w.d.at[0].kind), w.d.at[0].msg, source);
    world_close(&w);
}

typedef struct {
    DiagKind kind;
    const char *part, *body;
} Case;

static void expect_failures(const Case *c, size_t n) {
    for (size_t i = 0; i < n; i++) {
        World w;
        world_open(&w, 1 << 22);
        const char *source = program(&w.arena, c[i].body);
        if (world_run(&w, source)) fail_msg("no finding, expected %s:\n%s", c[i].part, source);
        expect_finding(&w.d, c[i].kind, c[i].part, source);
        world_close(&w);
    }
}

static void test_python(void **state) {
    (void)state;
    static const char *const bodies[] = {
        "assert 7 // 2 == 3 and -7 // 2 == -4 and -7 % 3 == 2 and 7 / 2 == 3.5 and 2 ** -1 == 0.5",
        "assert 1 < 2 <= 2 and not 1 > 2 and 3 in (1, 3) and 4 not in [1] and 'a' in {'a': 1} and 2 in "
        "range(0, 9, 2)",
        "assert (1, 2) + (3,) == (1, 2, 3) and [0] * 3 == [0, 0, 0] and (1, 2) < (1, 3) and 'ab' + 'c' == "
        "'abc'",
        "a, (b, *c), d = 1, (2, 3, 4), 5\nassert a == 1 and b == 2 and c == [3, 4] and d == 5",
        "n = 0\nfor i in range(10):\n    if i == 3:\n        continue\n    if i == 6:\n        break\n    n "
        "+= i\nelse:\n    n = 100\nassert n == 12",
        "n = 0\nwhile n < 5:\n    n += 1\nelse:\n    n = 7\nassert n == 7",
        "def f(a, b=2, *c, d, e=5, **k):\n    return (a, b, c, d, e, k['z'])\nassert f(1, 9, 8, d=4, z=0) == "
        "(1, 9, (8,), 4, 5, 0)",
        "f = lambda a, b=3: a * b\nassert f(2) == 6 and f(b=4, a=1) == 4",
        "def outer():\n    k = 2\n    def inner(n):\n        return n * k\n    return inner\nassert "
        "outer()(21) == 42",
        "def fact(n):\n    return 1 if n < 2 else n * fact(n - 1)\nassert fact(10) == 3628800",
        "l = [1]\nm = l\nm.append(2)\nm += [3]\nassert l == [1, 2, 3] and l is m and len(l) == 3",
        "l = [1, 2]\nl.extend(l)\nl += l\nassert l == [1, 2, 1, 2, 1, 2, 1, 2]",
        "assert [i * j for i in range(3) for j in range(3) if i != j] == [0, 0, 0, 2, 0, 2]",
        "assert {k: v for k, v in zip('ab', (1, 2))} == {'b': 2, 'a': 1} and {1: 2} != {1: 3} and {1: 2} != "
        "{2: 2} and {} == {} and {} != {1: 2}",
        "d = {'B': 4, **{'C': 5}}\nassert d['C'] == 5 and d.get('D', 6) == 6 and list(d.items()) == [('B', "
        "4), ('C', 5)]",
        "assert sum([1, 2]) == 3 and max(1, 5, 2) == 5 and min([4, 3]) == 3 and abs(-2) == 2 and round(2.5) "
        "== 2",
        "assert int(3.9) == 3 and int(-3.9) == -3 and float(2) == 2.0 and bool([]) is False and str(12) == "
        "'12'",
        "assert list(enumerate('ab', 1)) == [(1, 'a'), (2, 'b')] and sorted((3, 1, 2), reverse=True) == [3, "
        "2, 1]",
        "assert tuple(reversed([1, 2])) == (2, 1) and divmod(7, 2) == (3, 1) and any([0, 1]) and not all([0, "
        "1])",
        "assert (1, 2, 3)[-1] == 3 and [1, 2, 3, 4][::-2] == [4, 2] and (1, 2, 3)[5:] == () and 'abc'[1:] == "
        "'bc'",
        "assert isinstance(True, int) and isinstance(x, torch.Tensor) and not isinstance(1.0, (int, str))",
        "assert f'{x.shape[0]}-{1.5}-{\"q\"}' == '4-1.5-q'",
        "d = {}\nd['a'] = 1\nd['a'] = 2\nd[1, 2] = 3\nl = [1, 2]\nl[-1] = 5\nassert d == {'a': 2, (1, 2): 3} "
        "and l == [1, 5]",
        "d = {'a': 1}\nd['b'], e = 2, 3\nd.update({'a': 4}, c=5)\nassert d == {'a': 4, 'b': 2, 'c': 5} and "
        "d.setdefault('z', 1) == 1 and d['z'] == 1 and d.setdefault('a', 0) == 4",
        "l = [1, 2, 3]\nassert l.pop() == 3 and l.pop(0) == 1 and l == [2]\nl.insert(0, 9)\nl.insert(-9, "
        "8)\nl.insert(99, 7)\nassert l == [8, 9, 2, 7]",
        "l = [1, 2, 3, 4]\nn = 0\nfor i in l:\n    l.pop()\n    n += i\nassert n == 3",
        "assert 'aBc'.upper() == 'ABC' and 'aBc'.lower() == 'abc' and 'abc'.startswith('ab') and not "
        "'abc'.endswith('b') and 'a'.endswith('') and not 'a'.startswith('ab')",
        "assert '-'.join(['a', 'b']) == 'a-b' and ''.join(()) == '' and ', '.join(str(i) for i in range(3)) "
        "== '0, 1, 2'",
        "with torch.cuda.device(x.device):\n    a = 1\nwith torch.no_grad(), torch.inference_mode(), "
        "torch.cuda.device_of(x):\n    for i in range(3):\n        break\nassert a + i == 1",
        "def f():\n    with torch.no_grad():\n        return 5\n    return 6\nassert f() == 5",
        "assert x.to(x.device) is x and x.to(x.dtype) is x and x.to('cuda', torch.float32) is x and x.to(x) "
        "is x and x.cuda() is x and x.detach() is x and not x.requires_grad and x.to(device=x.device, "
        "dtype=torch.float, non_blocking=True) is x",
        "n = x.shape[0]\ndel n\nn = 2\nassert n == 2",
        "if (k := 5) > 4:\n    pass\nassert k == 5 and [(j := i) for i in range(3)] == [0, 1, 2] and j == 2",
        "i = 7\nm = [i for i in range(3)]\nassert i == 7",
        "assert math.ceil(1.2) == 2 and math.floor(-1.2) == -2 and math.log2(4096) == 12.0 and "
        "math.sqrt(9.0) == 3.0",
        "assert math.isqrt(99) == 9 and math.gcd(12, 18) == 6 and math.prod((2, 3)) == 6 and math.log(8, 2) "
        "== 3.0",
        "assert triton.cdiv(9, 4) == 3 and triton.cdiv(8, 4) == 2 and triton.next_power_of_2(5) == 8",
        "assert triton.next_power_of_2(1) == 1 and triton.next_power_of_2(1024) == 1024 and "
        "triton.next_power_of_2(0) == 0",
        "assert -9223372036854775808 < 0 and 9223372036854775807 > 0",
        "assert None is None and (x is x) and x is not s and not (x is None)",
        "g = lambda *a, **k: (len(a), k['q'])\nassert g(*(1, 2), *[3], **{'q': 9}) == (3, 9)",
        "assert len(range(10**15)) == 10**15 and 10**14 in range(10**15)",
        "assert min([], default=3) == 3",
        "assert torch.cuda.get_device_properties(0).multi_processor_count == 132 and "
        "torch.cuda.is_available()",
    };
    for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++) expect_ok(bodies[i]);
}

static void test_metadata_and_views(void **state) {
    (void)state;
    static const char *const bodies[] = {
        "M, N = x.shape\nassert M == 4 and N == 8 and x.shape == (4, 8) and x.size() == x.shape and "
        "x.size(-1) == 8",
        "assert x.stride() == (8, 1) and s.stride(0) == 11 and s.stride(-1) == 1 and x.numel() == 32 and "
        "len(x) == 4",
        "assert x.dim() == x.ndim == 2 and x.dtype == torch.float32 and x.dtype is torch.float and s.dtype "
        "== torch.half",
        "assert x.dtype != s.dtype and x.element_size() == 4 and s.dtype.itemsize == 2 and "
        "x.dtype.is_floating_point",
        "assert x.is_cuda and x.device == torch.device('cuda') and x.device.type == 'cuda' and "
        "x.is_floating_point()",
        "assert x.is_contiguous() and not s.is_contiguous() and s.storage_offset() == 3 and x.nbytes == 128",
        "assert x.view(8, 4).shape == (8, 4) and x.view((2, -1)).shape == (2, 16) and x.view(-1).stride() == "
        "(1,)",
        "assert s.reshape(-1).shape == (24,) and s.view(4, 2, 3).stride() == (11, 3, 1)",
        "assert x.t().shape == (8, 4) and x.T.stride() == (1, 8) and x.mT.shape == (8, 4) and "
        "torch.transpose(x, 0, 1).shape == (8, 4)",
        "assert x.unsqueeze(0).shape == (1, 4, 8) and x.unsqueeze(-1).stride() == (8, 1, 1) and "
        "x[None].squeeze().shape == (4, 8)",
        "assert x.unsqueeze(1).squeeze(1).shape == (4, 8) and x.squeeze(0).shape == (4, 8)",
        "assert x.flatten().shape == (32,) and x[None].flatten(1).shape == (1, 32) and x[None].flatten(0, "
        "1).shape == (4, 8)",
        "y = x.view(2, 2, 8).permute(2, 0, 1)\nassert y.shape == (8, 2, 2) and y.stride() == (1, 16, 8)",
        "assert x.view(2, 2, 8).permute((1, 2, 0)).stride() == (8, 1, 16) and not x.t().is_contiguous()",
        "assert x[0].shape == (8,) and x[:, 1].stride() == (8,) and x[1:3, ::2].shape == (2, 4) and x[1:3, "
        "::2].stride() == (8, 2)",
        "assert x[..., None].shape == (4, 8, 1) and x[-1, 2:].storage_offset() == 26 and x[5:].shape == (0, "
        "8)",
        "a, b = x.chunk(2, dim=-1)\nassert a.shape == (4, 4) and b.storage_offset() == 4 and a.stride() == "
        "(8, 1)",
        "assert [p.shape[0] for p in x.split(3)] == [3, 1] and len(x.split([1, 3])) == 2 and "
        "len(x.unbind(1)) == 8",
        "assert x.chunk(3)[1].shape == (2, 8) and len(x.chunk(3)) == 2",
        "assert t.expand(3, 4).stride() == (0, 1) and t[:, None].expand(-1, 5).shape == (4, 5) and "
        "t.expand_as(torch.empty(2, 4)).shape == (2, 4)",
        "assert x.narrow(1, 2, 3).shape == (4, 3) and x.select(0, -1).storage_offset() == 24 and "
        "x.view_as(x).shape == (4, 8)",
        "assert x.contiguous() is x and s.contiguous().stride() == (6, 1) and s.contiguous().is_contiguous()",
        "y = torch.empty_like(x)\nassert y.shape == x.shape and y.dtype == x.dtype and y.is_cuda",
        "assert torch.empty_like(s).stride() == (6, 1) and torch.empty_like(x.t()).stride() == (1, 8) and "
        "torch.empty_like(x[:, :4].t()).stride() == (1, 4)",
        "y = torch.empty((4, 2), dtype=torch.float16, device='cuda')\nassert y.shape == (4, 2) and y.dtype "
        "== torch.float16 and y.is_cuda",
        "assert torch.empty(3).dtype == torch.float32 and not torch.empty(3).is_cuda and "
        "torch.empty(size=(2, 3), device=x.device).shape == (2, 3)",
        "assert torch.empty(x.shape[:-1] + (5,), device=x.device).shape == (4, 5) and torch.empty(*x.shape, "
        "2).dim() == 3",
        "assert x.new_empty(2, 3).dtype == x.dtype and x.new_zeros((2,), dtype=torch.int32).dtype == "
        "torch.int32 and x.new_empty(1).is_cuda",
        "assert torch.zeros(2, 0).numel() == 0 and torch.empty(()).dim() == 0 and torch.full((2,), 7).dtype "
        "== torch.int64",
        "assert torch.zeros((2, 2), device=x.device, dtype=x.dtype).shape == torch.Size([2, 2]) and "
        "torch.numel(x) == 32",
        "assert f'{x.shape} {x.dtype} {x.device}' == 'torch.Size([4, 8]) torch.float32 cuda:0'",
        "assert tl.float16 != torch.float16 and tl.float32 == tl.float32",
    };
    for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++) expect_ok(bodies[i]);
}

static void test_refusals(void **state) {
    (void)state;
    static const Case cases[] = {
        {DIAG_REFUSED, "do it in a kernel", "y = x + 1"},
        {DIAG_REFUSED, "do it in a kernel", "y = 2 * x"},
        {DIAG_REFUSED, "do it in a kernel", "y = -x"},
        {DIAG_REFUSED, "do it in a kernel", "x += 1"},
        {DIAG_REFUSED, "do it in a kernel", "y = x @ x"},
        {DIAG_REFUSED, "compare tensors", "y = x > 0"},
        {DIAG_REFUSED, "compare tensors", "y = x == x"},
        {DIAG_REFUSED, "no truth", "if x:\n    pass"},
        {DIAG_REFUSED, "no truth", "y = not x"},
        {DIAG_REFUSED, "no truth", "y = x and 1"},
        {DIAG_REFUSED, "values", "y = int(x[0, 0])"},
        {DIAG_REFUSED, "values", "y = float(x[0, 0])"},
        {DIAG_REFUSED, "iterate", "y = max(x)"},
        {DIAG_REFUSED, "values", "y = max(x, s)"},
        {DIAG_REFUSED, "values", "y = math.exp(x)"},
        {DIAG_REFUSED, "kernel", "y = abs(x)"},
        {DIAG_REFUSED, "iterate", "for r in x:\n    pass"},
        {DIAG_REFUSED, "iterate", "a, b, c, d = x"},
        {DIAG_REFUSED, "iterate", "y = sum(x)"},
        {DIAG_REFUSED, "gather", "y = x[t]"},
        {DIAG_REFUSED, "gather", "y = x[[0, 1]]"},
        {DIAG_REFUSED, "do it in a kernel", "y = torch.exp(x)"},
        {DIAG_REFUSED, "do it in a kernel", "m = torch\ny = m.exp(x)"},
        {DIAG_REFUSED, "do it in a kernel", "y = x.view(torch.int32)"},
        {DIAG_REFUSED, "try", "try:\n    pass\nexcept ValueError:\n    pass"},
        {DIAG_REFUSED, "written by kernels", "y = torch.empty(3)\ny[0] = 1"},
        {DIAG_HOST, "does not support item assignment", "k = (1, 2)\nk[0] = 1"},
        {DIAG_HOST, "index out of range", "k = [1, 2]\nk[2] = 1"},
        {DIAG_UNSUPPORTED, "slice", "k = [1, 2]\nk[:1] = [1]"},
        {DIAG_REFUSED, "plain names", "d = {}\nd[0] += 1"},
        {DIAG_REFUSED, "do it in a kernel", "y = x.to(torch.float16)"},
        {DIAG_REFUSED, "do it in a kernel", "y = x.to('cpu')"},
        {DIAG_REFUSED, "do it in a kernel", "y = x.to(x.device, s.dtype)"},
        {DIAG_REFUSED, "do it in a kernel", "y = torch.empty(3).cuda()"},
        {DIAG_REFUSED, "do it in a kernel", "y = x.type_as(s)"},
        {DIAG_REFUSED, "copies", "y = x.to(x.dtype, copy=True)"},
        {DIAG_REFUSED, "no gradients", "y = torch.empty(3, requires_grad=True)"},
        {DIAG_REFUSED, "as decorators", "y = triton.heuristics({})(run)"},
        {DIAG_UNSUPPORTED, "prune_configs_by", "y = triton.autotune([], [], prune_configs_by={'top_k': 3})"},
        {DIAG_UNSUPPORTED, "pre_hook", "y = triton.Config({}, pre_hook=len)"},
        {DIAG_HOST, "not list", "y = triton.Config([])"},
        {DIAG_HOST, "a triton.Config, not int", "y = triton.autotune([1], [])"},
        {DIAG_HOST, "lists for configs and key", "y = triton.autotune([], 'N')"},
        {DIAG_HOST, "keywords must be strings", "y = triton.heuristics({1: len})"},
        {DIAG_REFUSED, "outside", "print(1)"},
    };
    expect_failures(cases, sizeof cases / sizeof *cases);
}

static void test_what_python_and_torch_raise(void **state) {
    (void)state;
    static const Case cases[] = {
        {DIAG_HOST, "NameError: name 'nowhere' is not defined", "y = nowhere"},
        {DIAG_HOST, "UnboundLocalError", "if False:\n    k = 1\ny = k"},
        {DIAG_HOST, "ZeroDivisionError", "y = 1 // 0"},
        {DIAG_HOST, "ZeroDivisionError", "y = 1 % 0"},
        {DIAG_HOST, "ZeroDivisionError", "y = triton.cdiv(4, 0)"},
        {DIAG_HOST, "OverflowError", "y = 9223372036854775807 + 1"},
        {DIAG_HOST, "OverflowError", "y = 10 ** 10 ** 10"},
        {DIAG_HOST, "OverflowError", "y = 99999999999999999999"},
        {DIAG_HOST, "OverflowError", "y = int(1e300)"},
        {DIAG_HOST, "TypeError: unsupported operand type(s) for +: 'int' and 'str'", "y = 1 + 'a'"},
        {DIAG_HOST, "TypeError: unsupported operand type(s) for -: 'list' and 'int'", "y = [1] - 1"},
        {DIAG_HOST, "can only concatenate tuple", "y = x.view(-1).stride() + [1]"},
        {DIAG_HOST, "IndexError: tuple index out of range", "y = (1, 2)[2]"},
        {DIAG_HOST, "IndexError: tuple index out of range", "y = x.shape[2]"},
        {DIAG_HOST, "KeyError: 'b'", "y = {'a': 1}['b']"},
        {DIAG_HOST, "not enough values to unpack (expected 3, got 2)", "a, b, c = x.shape"},
        {DIAG_HOST, "too many values to unpack (expected 2)", "a, b = (1, 2, 3)"},
        {DIAG_HOST, "AssertionError: rank 2", "assert x.dim() == 3, f'rank {x.dim()}'"},
        {DIAG_HOST, "ValueError: bad", "raise ValueError('bad')"},
        {DIAG_HOST, "ValueError", "raise ValueError"},
        {DIAG_HOST, "missing 1 required positional argument: 'b'", "def f(a, b):\n    pass\nf(1)"},
        {DIAG_HOST, "takes 1 positional argument but 2 were given", "def f(a):\n    pass\nf(1, 2)"},
        {DIAG_HOST, "unexpected keyword argument 'z'", "def f(a):\n    pass\nf(1, z=2)"},
        {DIAG_HOST, "multiple values for argument 'a'", "def f(a):\n    pass\nf(1, a=2)"},
        {DIAG_HOST, "'int' object is not callable", "y = (3)(4)"},
        {DIAG_HOST, "'int' object is not subscriptable", "k = 3\ny = k[0]"},
        {DIAG_HOST, "did you forget @triton.jit", "def f(a):\n    pass\nf[(1,)](x)"},
        {DIAG_HOST, "no attribute 'shape'", "k = (1, 2)\ny = k.shape"},
        {DIAG_HOST, "no len()", "y = len(3)"},
        {DIAG_HOST, "not supported between", "y = 1 < 'a'"},
        {DIAG_HOST, "RecursionError", "def f(n):\n    return f(n + 1)\nf(0)"},
        {DIAG_HOST, "RecursionError", "l = []\nl.append(l)\nm = []\nm.append(m)\ny = l == m"},
        {DIAG_HOST, "RecursionError", "l = {}\nl['a'] = l\nm = {}\nm['a'] = m\ny = l == m"},
        {DIAG_HOST, "changed size", "d = {1: 2}\nfor k in d:\n    d[k + 1] = 0"},
        {DIAG_HOST, "changed size", "d = {1: 2}\ny = [d.update({k + 1: 0}) for k in d]"},
        {DIAG_HOST, "pop from empty list", "l = []\nl.pop()"},
        {DIAG_HOST, "pop index out of range", "l = [1]\nl.pop(-2)"},
        {DIAG_HOST, "math domain", "y = math.log(0)"},
        {DIAG_HOST, "shape '[5, 5]' is invalid for input of size 32", "y = x.view(5, 5)"},
        {DIAG_HOST, "shape '[3, -1]' is invalid", "y = x.view(3, -1)"},
        {DIAG_HOST, "only one dimension can be inferred", "y = x.view(-1, -1)"},
        {DIAG_HOST, "view size is not compatible", "y = s.view(-1)"},
        {DIAG_HOST, "view size is not compatible", "y = x.t().view(32)"},
        {DIAG_HOST, "Dimension out of range (expected to be in range of [-2, 1], but got 2)",
         "y = x.size(2)"},
        {DIAG_HOST, "Dimension out of range", "y = x.transpose(0, 5)"},
        {DIAG_HOST, "out of bounds for dimension 0 with size 4", "y = x[4]"},
        {DIAG_HOST, "too many indices", "y = x[0, 0, 0]"},
        {DIAG_HOST, "step must be greater than zero", "y = x[::-1]"},
        {DIAG_HOST, "The expanded size", "y = x.expand(3, 4, 9)"},
        {DIAG_HOST, "duplicate dims", "y = x.permute(0, 0)"},
        {DIAG_HOST, "negative dimension -1", "y = torch.empty(2, -1)"},
        {DIAG_HOST, "out of memory", "y = torch.empty(2 ** 20, 2 ** 20, device='cuda')"},
        {DIAG_HOST, "too large", "y = torch.empty(2 ** 40, 2 ** 40)"},
        {DIAG_HOST, "too large", "y = torch.empty(2 ** 40, 2 ** 40, 0)"},
        {DIAG_HOST, "out of memory", "for i in range(10000):\n    y = torch.empty(2 ** 22, device='cuda')"},
        {DIAG_HOST, "must be torch.dtype", "y = torch.empty(3, dtype=tl.float16)"},
        {DIAG_HOST, "Invalid device string", "y = torch.empty(3, device='gpu')"},
        {DIAG_HOST, "unexpected keyword argument", "y = torch.empty(3, fill=2)"},
        {DIAG_HOST, "sizes must be ints", "y = torch.empty(2.5)"},
        {DIAG_HOST, "returned nothing", "return"},
        {DIAG_HOST, "returned a tuple", "return x, x"},
        {DIAG_HOST, "returned a int", "return 3"},
        {DIAG_UNSUPPORTED, "at most 5", "y = torch.empty(1, 1, 1, 1, 1, 1)"},
    };
    expect_failures(cases, sizeof cases / sizeof *cases);
}

static void test_everything_ends(void **state) {
    (void)state;
    static const Case cases[] = {
        {DIAG_BUDGET, "budget", "while True:\n    pass"},
        {DIAG_BUDGET, "budget", "for i in range(10 ** 18):\n    pass"},
        {DIAG_BUDGET, "budget", "y = sum(range(10 ** 18))"},
        {DIAG_BUDGET, "budget", "def f(n):\n    return [f(n - 1), f(n - 1)] if n else []\ny = f(60)"},
        {DIAG_HOST, "MemoryError", "y = list(range(10 ** 12))"},
        {DIAG_HOST, "MemoryError", "y = [0] * 10 ** 9"},
        {DIAG_HOST, "MemoryError", "y = [0, 0] * 9223372036854775807"},
        {DIAG_HOST, "MemoryError", "y = 'a' * 10 ** 9"},
        {DIAG_HOST, "MemoryError", "y = 'ab' * 9223372036854775807"},
        {DIAG_HOST, "MemoryError", "y = 'a' * 1000000\ny = y + y"},
        {DIAG_HOST, "MemoryError", "l = []\nwhile True:\n    l.append('a' * 1000000)"},
        {DIAG_HOST, "MemoryError", "l = [1]\nwhile True:\n    l = l + l"},
        {DIAG_BUDGET, "budget", "x = torch.zeros(8000000, device='cuda')"},
        {DIAG_HOST, "OverflowError", "y = range(-9223372036854775807, 9223372036854775807)"},
        {DIAG_BUDGET, "budget", "def f():\n    return 0\ny = [f() for i in range(10 ** 9)]"},
    };
    expect_failures(cases, sizeof cases / sizeof *cases);
}

// Returned views show the bytes they should; fills and copies are billed and carry their shadow along.
static void test_bytes(void **state) {
    (void)state;
    static const struct {
        const char *expr;
        int n;
        double want[8];
    } cases[] = {
        {"x[1, 2:5]", 3, {10, 11, 12}},
        {"x[:, 1]", 4, {1, 9, 17, 25}},
        {"x.t()[7, 2:]", 2, {23, 31}},
        {"x.view(2, 2, 8).permute(2, 0, 1)[3]", 4, {3, 11, 19, 27}},
        {"s[1:3, :2]", 4, {14, 15, 25, 26}},
        {"s.contiguous()[2, 4:]", 2, {29, 30}},
        {"s.reshape(-1)[5:8]", 3, {8, 14, 15}},
        {"x.chunk(4, dim=1)[3][0]", 2, {6, 7}},
        {"t[:2, None].expand(2, 2)", 4, {0, 0, 1, 1}},
        {"x.unbind(1)[2][::2]", 2, {2, 18}},
        {"torch.full((2, 2), 2.5, device='cuda')", 4, {2.5, 2.5, 2.5, 2.5}},
        {"torch.ones_like(s)[0, :3]", 3, {1, 1, 1}},
        {"x.new_zeros(2, dtype=torch.int8)", 2, {0, 0}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        World w;
        world_open(&w, 1 << 20);
        const char *source = arena_printf(&w.arena, "def run(x, s, t):\n    return %s\n", cases[i].expr);
        if (!world_run(&w, source)) fail_msg("%s:\n%s", w.d.at[0].msg, source);
        assert_int_equal(tensor_numel(&w.out), cases[i].n);
        uint8_t raw[64], flags[8];
        tensor_gather(&w.out, raw, flags);
        for (int k = 0; k < cases[i].n; k++) {
            double got = dtype_load(w.out.dtype, raw + k * dtype_bytes(w.out.dtype));
            if (got != cases[i].want[k])
                fail_msg("%s: element %d is %g, not %g", cases[i].expr, k, got, cases[i].want[k]);
            if (!(flags[k] & SHADOW_INIT)) fail_msg("%s: element %d is not defined", cases[i].expr, k);
            if (flags[k] & SHADOW_STORED)
                fail_msg("%s: the host's work passes for a kernel's", cases[i].expr);
        }
        world_close(&w);
    }
}

static void test_bills(void **state) {
    (void)state;
    static const struct {
        const char *expr;
        int64_t bytes;
    } cases[] = {
        {"x.contiguous()", 0},         {"s.contiguous()", 2 * 24 * 2},        {"x.view(-1)", 0},
        {"s.reshape(-1)", 2 * 24 * 2}, {"torch.zeros(5, device='cuda')", 20}, {"torch.empty(5)", 0},
        {"x.t().flatten()", 2 * 128},  {"torch.zeros_like(x)", 128},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        World w;
        world_open(&w, 1 << 20);
        assert_true(
            world_run(&w, arena_printf(&w.arena, "def run(x, s, t):\n    return %s\n", cases[i].expr)));
        if (w.m.count.bytes_copied != cases[i].bytes)
            fail_msg("%s: billed %lld bytes", cases[i].expr, (long long)w.m.count.bytes_copied);
        world_close(&w);
    }
    // What was never written stays undefined through a copy.
    World w;
    world_open(&w, 1 << 20);
    assert_true(
        world_run(&w, "def run(x, s, t):\n    return torch.empty(2, 3, device='cuda').t().contiguous()\n"));
    uint8_t raw[24], flags[6];
    tensor_gather(&w.out, raw, flags);
    for (int k = 0; k < 6; k++) assert_false(flags[k] & SHADOW_INIT);
    world_close(&w);
}

// A call leaves nothing behind: constants are evaluated anew, and functions are new objects.
static void test_fresh_interpreter(void **state) {
    (void)state;
    World w;
    world_open(&w, 1 << 20);
    const Node *module = parsed(&w.arena, "N = 3\ndef run(x, s, t, k=N):\n    l = [N]\n    l.append(k)\n    "
                                          "assert l == [3, 3]\n    return x\n");
    for (int i = 0; i < 3; i++) assert_true(host_run(&w.m, NULL, module, w.in, 3, &w.out));
    world_close(&w);
}

static void test_steps_are_taken_from_the_machine(void **state) {
    (void)state;
    World w;
    world_open(&w, 1 << 20);
    assert_true(world_run(&w, "def run(x, s, t):\n    return x\n"));
    int64_t few = (1 << 20) - w.m.steps_left;
    assert_in_range(few, 1, 4096);
    int64_t before = w.m.steps_left;
    assert_true(world_run(&w, "def run(x, s, t):\n    for i in range(100):\n        pass\n    return x\n"));
    assert_true(before - w.m.steps_left > 100 * 64);
    world_close(&w);
}

static void test_wrong_number_of_inputs(void **state) {
    (void)state;
    World w;
    world_open(&w, 1 << 20);
    assert_false(world_run(&w, "def run(x):\n    return x\n"));
    expect_finding(&w.d, DIAG_HOST, "run() takes 1 positional argument but 3 were given", "");
    world_close(&w);
    world_open(&w, 1 << 20);
    assert_false(world_run(&w, "def run(x, y, z, w):\n    return x\n"));
    expect_finding(&w.d, DIAG_HOST, "run() missing 1 required positional argument: 'w'", "");
    world_close(&w);
    world_open(&w, 1 << 20);
    assert_true(world_run(&w, "def run(*inputs):\n    x, s, t = inputs\n    return t\n"));
    assert_int_equal(w.out.dtype, DT_I64);
    world_close(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_python),
        cmocka_unit_test(test_metadata_and_views),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_what_python_and_torch_raise),
        cmocka_unit_test(test_everything_ends),
        cmocka_unit_test(test_bytes),
        cmocka_unit_test(test_bills),
        cmocka_unit_test(test_fresh_interpreter),
        cmocka_unit_test(test_steps_are_taken_from_the_machine),
        cmocka_unit_test(test_wrong_number_of_inputs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
