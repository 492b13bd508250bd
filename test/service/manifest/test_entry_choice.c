// Which function of a file is called, and what is written behind it for that.
// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on

#include "service/manifest/entry_choice.h"

static Arena arena;
static Op op;
static Err error;
static const char *several;

// The text behind the file; NULL: an error.
static const char *written(const char *name, const char *source) {
    Entered entered;
    error = (Err){0};
    if (!entry_apply(&arena, name, &op, str_of(source), &entered, &error)) return NULL;
    Str out = entered.source;
    several = entered.several;
    assert_true(str_starts(out, source));
    return str_cdup(&arena, (Str){out.p + strlen(source), out.len - strlen(source)});
}

#define KERNEL "@triton.jit\ndef kernel(x):\n    pass\n"
#define HELPER "def _helper(x):\n    return x\n"
#define CALL   "\n\ndef run(x):\n    return soft(x)\n"

static void test_files_that_stay(void **state) {
    (void)state;
    assert_string_equal(written(NULL, KERNEL "def run(x):\n    return x\n"), "");
    assert_string_equal(written(NULL, "def soft(x):\n    return x\ndef run(x):\n    return x\n"), "");
    assert_string_equal(written(NULL,
                                "import torch\nclass ModelNew(torch.nn.Module):\n    def forward(self, x):\n"
                                "        return x\ndef soft(x):\n    return x\n"),
                        "");
    assert_string_equal(written(NULL, KERNEL HELPER), "");               // nothing public
    assert_string_equal(written(NULL, "def soft(x:\n"), "");             // no Python
    assert_string_equal(written("run", "def soft(x):\n    pass\n"), ""); // nothing to write
    assert_null(several);
}

static void test_the_only_public_function(void **state) {
    (void)state;
    assert_string_equal(written(NULL, KERNEL HELPER "def soft(x):\n    return x\n"), CALL);
    assert_string_equal(written(NULL, "def soft(x):\n    return x"), CALL); // no newline at the end
    assert_string_equal(written(NULL, "def soft(x):\n    return x\ndef soft(x):\n    return x\n"), CALL);
    assert_null(several);
    assert_string_equal(written(NULL, "def soft(x):\n    return x\ndef hard(x):\n    return x\n"), "");
    assert_string_equal(several, "soft, hard");
    // The parameter does not hide the function.
    assert_string_equal(written(NULL, "def x(a):\n    return a\n"), "\n\ndef run(x_):\n    return x(x_)\n");
}

static void test_a_named_function(void **state) {
    (void)state;
    const char *two = KERNEL "def soft(x):\n    return x\ndef hard(x):\n    return x\n";
    assert_string_equal(written("soft", two), CALL);
    assert_string_equal(written("_helper", HELPER), "\n\ndef run(x):\n    return _helper(x)\n");
    assert_string_equal(written("soft", "def soft(x):\n    return x\ndef run(x):\n    return x\n"), CALL);
    assert_null(written("sof", two));
    assert_int_equal(error.code, ERR_USAGE);
    assert_non_null(strstr(error.msg, "did you mean soft?"));
    assert_null(written("elsewhere", two));
    assert_null(strstr(error.msg, "did you mean"));
    assert_null(written("kernel", two));
    assert_non_null(strstr(error.msg, "that is a kernel"));
}

static int setup(void **state) {
    (void)state;
    return op_find(&arena, STR("softmax"), &op) ? 0 : -1;
}

static int teardown(void **state) {
    (void)state;
    arena_free(&arena);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_files_that_stay),
        cmocka_unit_test(test_the_only_public_function),
        cmocka_unit_test(test_a_named_function),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
