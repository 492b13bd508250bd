// v[index] and v[index] = w: sequences, texts, dictionaries, tensors.
#include "host/world.h"

static void test_python(void **state) {
    (void)state;
    static const char *const bodies[] = {
        "assert (1, 2, 3)[-1] == 3 and [1, 2, 3, 4][::-2] == [4, 2] and (1, 2, 3)[5:] == () and 'abc'[1:] == "
        "'bc'",
        "d = {}\nd['a'] = 1\nd['a'] = 2\nd[1, 2] = 3\nl = [1, 2]\nl[-1] = 5\nassert d == {'a': 2, (1, 2): 3} "
        "and l == [1, 5]",
    };
    EXPECT_OK(bodies);
}

static void test_refusals(void **state) {
    (void)state;
    static const Case cases[] = {
        {DIAG_REFUSED, "gather", "y = x[t]"},
        {DIAG_REFUSED, "gather", "y = x[[0, 1]]"},
        {DIAG_REFUSED, "written by kernels", "y = torch.empty(3)\ny[0] = 1"},
        {DIAG_HOST, "does not support item assignment", "k = (1, 2)\nk[0] = 1"},
        {DIAG_HOST, "index out of range", "k = [1, 2]\nk[2] = 1"},
        {DIAG_UNSUPPORTED, "slice", "k = [1, 2]\nk[:1] = [1]"},
    };
    EXPECT_FAILURES(cases);
}

static void test_what_python_and_torch_raise(void **state) {
    (void)state;
    static const Case cases[] = {
        {DIAG_HOST, "IndexError: tuple index out of range", "y = (1, 2)[2]"},
        {DIAG_HOST, "IndexError: tuple index out of range", "y = x.shape[2]"},
        {DIAG_HOST, "KeyError: 'b'", "y = {'a': 1}['b']"},
        {DIAG_HOST, "'int' object is not subscriptable", "k = 3\ny = k[0]"},
        {DIAG_HOST, "out of bounds for dimension 0 with size 4", "y = x[4]"},
        {DIAG_HOST, "too many indices", "y = x[0, 0, 0]"},
        {DIAG_HOST, "step must be greater than zero", "y = x[::-1]"},
    };
    EXPECT_FAILURES(cases);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_python),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_what_python_and_torch_raise),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
