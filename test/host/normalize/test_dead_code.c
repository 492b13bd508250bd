// What nothing mentions and what is said to a logger is taken out, and nothing that could do something.
#include "host/normalized.h"

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
    LACKS("class C(dict):\n    pass\ndef run(x):\n    return x\n", "class C");
    HAS("def base():\n    work()\nclass C(base()):\n    pass\ndef run(x):\n    return x\n", "class C");
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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_nothing_mentions_is_taken_out),
        cmocka_unit_test(loggers_are_not_heard),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
