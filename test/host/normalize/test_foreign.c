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
    HAS("from fla.utils import get_multiprocessor_count as sms\ndef run(x):\n    return sms()\n", "def sms(");
    HAS("from fla.utils import IS_NVIDIA as nvidia\n" END, "from fla.utils import IS_NVIDIA as nvidia");
    HAS("from flag_gems.utils import libentry\ndef run(x):\n    return libentry\n",
        "decorator of kernels only");
    // A name that the file binds itself is its own.
    HAS("from flag_gems.utils import libentry\ndef libentry():\n    return 1\n@libentry()\n" K END,
        "@libentry()");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_become_what_they_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
