// Signature and domain of an op in words.
#include "op/defined.h"

static void descriptions(void **state) {
    (void)state;
    Op op;
    accepts("\"\"\"Doc.\"\"\"\n"
            "inputs = {'x': {'shape': ('M', 'N'), 'neg_inf': True, 'keep': 't', 'shift': 5, 'large': True},"
            " 't': {'shape': ('M',), 'dtype': 'int32', 'range': (0, 'N')},"
            " 'w': {'shape': (1, 'N'), 'role': 'weight'}, 'c': {'shape': ('N',), 'range': (-1, 1)}}\n"
            "dims = {'N': {'multiple_of': 2, 'min': 4, 'max': 64}}\n"
            "def reference(x, t, w, c):\n    return x\n",
            &op);
    Buf b = BUF(&arena);
    op_signature(&b, &op);
    assert_string_equal(buf_cstr(&b),
                        "run(x: Tensor[M, N], t: Tensor[M], w: Tensor[1, N], c: Tensor[N]) -> Tensor");
    b = BUF(&arena);
    op_domain(&b, &op);
    assert_string_equal(
        buf_cstr(&b),
        "x[M, N]: float16, bfloat16 or float32, scales from 0.0001 to 8, rows shifted by up to 5 either "
        "way, rows up to +-65504, -inf in some places but never in a whole row and never where t points\n"
        "t[M]: int32, indices from 0 to N - 1\n"
        "w[1, N]: float16, bfloat16 or float32, a weight, scales from 0.0001 to 8\n"
        "c[N]: float16, bfloat16 or float32, values from -1 to 1\n"
        "N is a multiple of 2\nN is at least 4\nN is at most 64\n");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(descriptions),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    arena_free(&arena);
    return failed;
}
