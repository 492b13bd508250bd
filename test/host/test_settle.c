// What a kernel file imports under names of its own is spelled out, what never runs is taken out; both
// without changing what runs.
#include "host/support.h"
#include "lang/print.h"

static const char *settled(Arena *a, const char *source) {
    DiagList d = DIAGS(a);
    Node *module = parse_module(a, str_of(source), &d);
    if (!module) fail_msg("does not parse: %s", source);
    if (!host_settle(a, module, &d)) return d.at[0].msg;
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
    HAS("from triton.language.extra.libdevice import rsqrt\n@triton.jit\ndef k(x):\n    tl.store(x, "
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
    HAS("@hook\ndef f(x):\n    return 1\ndef run(x):\n    return x\n", "def f");
    HAS("def f(x=g()):\n    return 1\ndef run(x):\n    return x\n", "def f");
    HAS("def f(x: g()):\n    return 1\ndef run(x):\n    return x\n", "def f");
    HAS("class C:\n    x = g()\ndef run(x):\n    return x\n", "class C");
    // Python calls these by itself.
    HAS("def __getattr__(name):\n    work()\ndef run(x):\n    return x\n", "work");
    HAS("class C:\n    def __class_getitem__(cls, k):\n        work()\ndef f(x: C[1]):\n    return x\ndef "
        "run(x):\n    return x\n",
        "work");
    LACKS("class C:\n    def __init__(self):\n        work()\ndef run(x):\n    return x\n", "work");
    HAS("class C(Base):\n    pass\ndef run(x):\n    return x\n", "class C");
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
    HAS(LOG "@triton.jit\ndef k(x):\n    logger.debug(1)\ndef run(x):\n    return x\n", "logger.debug");
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
    HAS(G "class A(torch.autograd.Function):\n    @staticmethod\n    @g\n    def forward(ctx, x):\n        "
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
    HAS("@g\ndef run(x):\n    return x\n" G, "@g"); // defined too late
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
    LACKS("@torch.library.custom_op('a::b', mutates_args=())\ndef f(x):\n    return x\n@f.register_fake\ndef "
          "_(x):\n"
          "    return x\ndef run(x):\n    return f(x)\n",
          "@");
    LACKS("class A(torch.autograd.Function):\n    @staticmethod\n    "
          "@torch.amp.custom_fwd(device_type='cuda')\n"
          "    def forward(ctx, x):\n        return x\ndef run(x):\n    return A.apply(x)\n",
          "custom_fwd");
    HAS("@torch.compile\ndef f(x):\n    return x\ndef run(x):\n    return f(x)\n", "@torch.compile");
    HAS("@torch.library.custom_op(work())\ndef f(x):\n    return x\ndef run(x):\n    return f(x)\n",
        "custom_op");
    HAS("@other.register_fake\ndef _(x):\n    return x\ndef run(x):\n    return x\n", "register_fake");
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
    HAS("try:\n    import apex\nexcept Exception:\n    pass\ndef run(x):\n    return x\n", "try:");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(imported_names_are_spelled_out),
                                       cmocka_unit_test(what_nothing_mentions_is_taken_out),
                                       cmocka_unit_test(loggers_are_not_heard),
                                       cmocka_unit_test(wrappers_that_keep_nothing_are_called),
                                       cmocka_unit_test(other_words_become_the_usual_ones)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
