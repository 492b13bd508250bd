// Imports from frameworks, and what becomes of them.
#include "host/normalized.h"

#define K "@triton.jit\ndef k(x):\n    pass\n"

static void names_become_what_they_are(void **state) {
    (void)state;
    HAS("from vllm.triton_utils import tl, triton\n" END, "import triton.language as tl\nimport triton\n");
    HAS("from vllm.triton_utils import triton as t\n@t.jit\ndef k(x):\n    pass\n" END, "import triton as t");
    HAS("from flag_gems.utils import libtuner\n@libtuner(configs=[], key=[], strategy=['log'])\n" K END,
        "@triton.autotune(configs=[], key=[])");
    HAS("from fla.ops.utils.op import exp, log\n" K END,
        "def exp(x):\n    return tl.exp(x.to(tl.float32))\n");
    HAS("from fla.utils import autotune_cache_kwargs\n" END, "autotune_cache_kwargs = {}");
    HAS("try:\n    from flag_gems.utils import libentry\nexcept ImportError:\n    pass\n@libentry()\n" K END,
        "@triton.jit\n");
    LACKS("from flag_gems.utils import libentry\n@libentry()\n" K END, "libentry");
    // What is not known stays, and is named where it stands.
    HAS("from flag_gems.utils import libentry, other\n" END, "from flag_gems.utils import other");
    HAS("from vllm.other import tl\n" END, "from vllm.other import tl");
    HAS("from .vllm.triton_utils import tl\n" END, "from .vllm.triton_utils import tl");
    HAS("from fla.utils import input_guard as guard\n" END, "from fla.utils import input_guard as guard");
    HAS("from flag_gems.utils import libentry\ndef run(x):\n    return libentry\n",
        "decorator of kernels only");
    // A name that the file binds itself is its own.
    HAS("from flag_gems.utils import libentry\ndef libentry():\n    return 1\n@libentry()\n" K END,
        "@libentry()");
}

#define TLE "from flag_gems.utils import triton_lang_extension as tle\n"

// A module of which files use known parts: each use becomes the part's own function.
static void parts_of_modules(void **state) {
    (void)state;
    HAS(TLE "@triton.jit\ndef k(x):\n    tle.program_id(0) + tle.num_programs(axis=1)\n" END,
        "triton_lang_extension_program_id(0) + triton_lang_extension_num_programs(axis=1)");
    HAS(TLE "@triton.jit\ndef k(x):\n    tle.program_id(0)\n" END, "return tl.program_id(axis).to(tl.int64)");
    LACKS(TLE "@triton.jit\ndef k(x):\n    tle.program_id(0)\n" END, "flag_gems");
    // Any other use keeps the import, and so does another meaning of either name.
    HAS(TLE "@triton.jit\ndef k(x):\n    tle.program_id(0) + tle.other(1)\n" END,
        "import triton_lang_extension as tle");
    HAS(TLE "@triton.jit\ndef k(x):\n    tle.program_id(0)\n    f(tle)\n" END,
        "import triton_lang_extension as tle");
    HAS(TLE "@triton.jit\ndef k(x, tle):\n    tle.program_id(0)\n" END,
        "import triton_lang_extension as tle");
    HAS(TLE "tle = 3\n@triton.jit\ndef k(x):\n    tle.program_id(0)\n" END,
        "import triton_lang_extension as tle");
    HAS(TLE "def triton_lang_extension_program_id():\n    pass\n@triton.jit\ndef k(x):\n    "
            "tle.program_id(0)\n" END,
        "import triton_lang_extension as tle");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_become_what_they_are),
        cmocka_unit_test(parts_of_modules),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
