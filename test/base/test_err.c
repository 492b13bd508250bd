// An error keeps its first cause, whatever is said around it.
#include "base/err.h"
#include "base/str.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void test_err_keeps_the_cause(void **state) {
    (void)state;
    Err e = {0};
    assert_false(err_set(&e, ERR_IO, "cause %d", 1));
    assert_false(err_set(&e, ERR_LIMIT, "echo"));
    assert_false(err_ctx(&e, "doing %s", "this"));
    assert_int_equal(e.code, ERR_IO);
    assert_string_equal(e.msg, "doing this: cause 1");
}

static void test_err_never_loses_the_cause(void **state) {
    (void)state;
    char wide[600];
    memset(wide, 'w', sizeof wide - 1);
    wide[sizeof wide - 1] = 0;
    Err e = {0};
    err_record(&e, ERR_INPUT, "the cause");
    for (int i = 0; i < 5; i++) err_prefix(&e, "%s", wide);
    assert_int_equal(strlen(e.msg), sizeof e.msg - 1);
    assert_true(str_ends(str_of(e.msg), "w: the cause"));
    Err full = {0};
    err_record(&full, ERR_INPUT, "%s", wide);
    assert_int_equal(strlen(full.msg), sizeof full.msg - 1);
    err_prefix(&full, "no room");
    assert_int_equal(full.msg[0], 'w');
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_err_keeps_the_cause),
        cmocka_unit_test(test_err_never_loses_the_cause),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
