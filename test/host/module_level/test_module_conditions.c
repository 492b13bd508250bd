// Conditions at module level that have one answer, and those that have none.
#include "host/normalized.h"

#define IF(cond)   "if " cond ":\n    A = 1\nelse:\n    A = 2\n" END
#define YES(cond)  HAS(IF(cond), "A = 1\n"), LACKS(IF(cond), "A = 2")
#define NO(cond)   HAS(IF(cond), "A = 2\n"), LACKS(IF(cond), "A = 1")
#define NONE(cond) HAS(IF(cond), "A = 1 if branch 0 else 2")
#define V          "from packaging import version\n"

static void what_is_known_is_decided(void **state) {
    (void)state;
    YES("True");
    NO("None");
    YES("not False and torch.cuda.is_available()");
    NO("torch.version.hip or not torch.cuda.is_available()");
    NONE("torch.cuda.is_available(1)");
    NONE("unknown()");
    NONE("torch.cuda.is_available() and unknown()");
    YES("torch.cuda.is_available() or unknown()");
    YES("hasattr(tl, 'exp')");
    NO("hasattr(tl, 'nothing_of_this_name')");
    NONE("hasattr(torch, 'exp')");
    HAS("FLAG = True\n" IF("FLAG"), "A = 1\n\n");
    HAS("FLAG = True\nFLAG = False\n" IF("FLAG"), "else:");
}

#define PARSED(of, op, than) "version.parse(" of ".__version__) " op " version.parse('" than "')"
static void versions_are_those_of_the_language(void **state) {
    (void)state;
    YES(PARSED("triton", ">=", "3.0.0"));
    YES(PARSED("triton", ">=", "3.6"));
    HAS("import sys\nN = sys.version_info >= (3, 10)\n" END, "N = True");
    HAS("import sys\nN = sys.version_info >= (3, 13)\n" END, "N = sys.version_info");
    HAS("sys = f()\nN = sys.version_info >= (3, 10)\n" END, "N = sys.version_info");
    HAS("import triton\ndef parse(v):\n    return 3\nN = parse(triton.__version__) >= parse('3.0.0')\n" END,
        "N = parse(");
    NO(PARSED("triton", "<", "3.6.0"));
    NO(PARSED("triton", "<=", "3.5.1"));
    YES(PARSED("torch", ">=", "2.4"));
    // Newer ones, and the very one: another machine's may differ.
    NONE(PARSED("triton", ">=", "3.7"));
    NONE(PARSED("triton", ">", "3.6"));
    NONE(PARSED("triton", ">=", "3.6.1"));
    NONE(PARSED("triton", "==", "3.6"));
    NONE(PARSED("torch", ">=", "3"));
    NONE(PARSED("numpy", ">=", "1.0"));
    // Texts compare letter by letter.
    YES("triton.__version__ >= '3.0.0'");
    NO("triton.__version__ < '3'");
    YES("torch.__version__ > '1.0'");
    NONE("triton.__version__ >= '3.1.0'");
    NONE("triton.__version__ >= '4.0.0'");
    NONE("triton.__version__ == '3.0.0'");
    NONE("torch.__version__ >= '2.4'");
    NONE("version.parse(triton.__version__) >= '3.0.0'");
    NONE(PARSED("triton", ">=", "3.x"));
    HAS("from liger_kernel.ops.utils import compare_version\n" IF(
            "compare_version('triton', operator.ge, '3.0.0')"),
        "\nA = 1\n");
    HAS("def compare_version(a, b, c):\n    return 1\n" IF("compare_version('triton', operator.ge, '3.0.0')"),
        "if branch 0");
    NONE("compare_version('triton', operator.ge, '3.0.0')");
}

#define ASK(name) "    return os.environ.get('" name "', '0')\n"
static void listed_variables_have_two_answers(void **state) {
    (void)state;
    HAS("import os\ndef run(x):\n" ASK("TRITON_DEBUG"), "!= 132 else \"0\"");
    HAS("import os\ndef run(x):\n    return os.getenv('DEBUG')\n", "!= 132 else None");
    HAS("import os\ndef run(x):\n" ASK("MY_FAST_PATH"), "os.environ");
    HAS("import os\ndef run(x, os):\n" ASK("DEBUG"), "os.environ");
    HAS("import os\ndef run(x):\n    os.environ['DEBUG'] = '1'\n", "os.environ");
    HAS("N = tl.constexpr(4)\ndef run(x):\n    return N.value\n", "return N\n");
    HAS("N = 4\ndef run(x):\n    return N.value\n", "N.value");
    HAS("N = tl.constexpr(4)\ndef run(N):\n    return N.value\n", "N.value");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_known_is_decided),
        cmocka_unit_test(listed_variables_have_two_answers),
        cmocka_unit_test(versions_are_those_of_the_language),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
