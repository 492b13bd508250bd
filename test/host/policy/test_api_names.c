// The table of host names: what each is found by, what it is in one word, and why any other is refused.
#include "host/policy/api_names.h"
#include "host/support.h"

static void test_the_table_prints(void **state) {
    (void)state;
    Arena a = {0};
    Buf b = BUF(&a);
    host_api_reference(&b);
    const char *text = buf_cstr(&b);
    assert_non_null(strstr(text, "triton.cdiv, tl.cdiv(x, y): x / y rounded up"));
    assert_non_null(strstr(text, "x.is_contiguous(input): whether"));
    assert_non_null(strstr(text, "In references:\n"));
    arena_free(&a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_table_prints),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
