// @pointwise_dynamic as the functions that it makes.
#include "host/normalized.h"

#define PW      "import torch, triton\nfrom flag_gems.utils import pointwise_dynamic\n"
#define MUL(d)  PW "@pointwise_dynamic(" d ")\n@triton.jit\ndef mul(x, y):\n    return x * y\n"
#define RUN     "def run(x):\n    return mul(x, x)\n"
#define METHODS "promotion_methods=[(0, 1, 'DEFAULT')]"

static void it_is_a_function(void **state) {
    (void)state;
    HAS(MUL(METHODS) RUN, "def mul_of_scalars(x, y):\n    return x * y");
    HAS(MUL(METHODS) RUN, "def mul_over_tensors(in0_ptr, in1_ptr, out0_ptr, n, s1, s2, s3,");
    HAS(MUL(METHODS) RUN, "def mul(in0, in1, /, *, out0=None):");
    HAS(MUL(METHODS) RUN, "import triton.language as tl");
    HAS(MUL(METHODS ", is_tensor=[False, True]") RUN, "def mul(val0, in0, /, *, out0=None):");
    HAS(MUL(METHODS ", is_tensor=[False, True]") RUN, "do_not_specialize=[\"val0\"]");
    HAS(MUL(METHODS ", dtypes=[None, float]") RUN, "def mul(in0, val0, /, *, out0=None):");
    HAS(MUL(METHODS ", num_inputs=2, dtypes=[None, float]") RUN, "def mul(in0, in1, /, *, out0=None):");
    HAS(MUL("promotion_methods=[(0, 'DEFAULT'), (1, 'ALWAYS_BOOL')]") RUN,
        "out0, out1 = mul_of_scalars(in0, in1)");
    HAS(MUL(METHODS) "def run(x):\n    f = mul.instantiate(2)\n    return f(x, x, out0=x)\n",
        "mul_of_rank(2)");
    HAS(MUL(METHODS) "mul.register_complex(mode=None)\n" RUN, "pass");
}

static void what_is_not_read(void **state) {
    (void)state;
    HAS(MUL("num_inputs=2") RUN, "No type promotion method provided");
    HAS(MUL(METHODS ", is_tensor=[True]") RUN, "promotion method is like");
    HAS(MUL(METHODS ", num_outputs=2") RUN, "as many promotion methods as outputs");
    HAS(MUL(METHODS ", is_tensor=[False, False]") RUN, "without a tensor");
    HAS(MUL(METHODS ", is_tensor=[True, True], dtypes=[None]") RUN, "lists of different lengths");
    HAS(MUL(METHODS ", config=CONFIG") RUN, "only options that are written down");
    HAS(MUL("promotion_methods=[(0, 7, 'DEFAULT')]") RUN, "promotion method is like");
    HAS(MUL("promotion_methods=[(0, 1, 'OTHER')]") RUN, "promotion method is like");
    HAS(MUL(METHODS) "mul_over_tensors = 3\n" RUN, "stands for something else");
    HAS(PW "@pointwise_dynamic(" METHODS ")\ndef mul(x, y):\n    return x\n" RUN,
        "it stands alone above @triton.jit");
    HAS(PW "def pointwise_dynamic(f):\n    return f\n@pointwise_dynamic\n@triton.jit\ndef mul(x):\n    "
           "return x\n" END,
        "is bound a second time");
    // Another one of that name is the file's own.
    LACKS("import triton\ndef pointwise_dynamic(f):\n    return f\n@pointwise_dynamic\ndef mul(x):\n    "
          "return x\n" END,
          "mul_over_tensors");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_is_a_function),
        cmocka_unit_test(what_is_not_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
