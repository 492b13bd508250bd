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
static const char *chosen;

// The text behind the file; NULL: an error.
static const char *written(const char *name, const char *source) {
    Entered entered;
    error = (Err){0};
    if (!entry_apply(&arena, name, &op, str_of(source), &entered, &error)) return NULL;
    Str out = entered.source;
    chosen = entered.chosen;
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
    assert_null(chosen);
}

static void test_the_only_public_function(void **state) {
    (void)state;
    assert_string_equal(written(NULL, KERNEL HELPER "def soft(x):\n    return x\n"), CALL);
    assert_string_equal(written(NULL, "def soft(x):\n    return x"), CALL); // no newline at the end
    assert_string_equal(written(NULL, "def soft(x):\n    return x\ndef soft(x):\n    return x\n"), CALL);
    assert_string_equal(chosen, "function soft, the file's only public one");
    assert_null(written(NULL, "def soft(x):\n    return x\ndef hard(x):\n    return x\n"));
    assert_int_equal(error.code, ERR_USAGE);
    assert_non_null(strstr(error.msg, "--entry NAME"));
    assert_non_null(strstr(error.msg, ": soft, hard"));
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

#define MODULE(name) "class " name "(torch.nn.Module):\n    def forward(self, x):\n        return soft(x)\n"
#define SOFT         "def soft(x):\n    return x\n"

static void test_a_module_of_another_name(void **state) {
    (void)state;
    const char *two = MODULE("Softmax") MODULE("Gelu");
    assert_string_equal(written(NULL, KERNEL MODULE("Softmax")), "\n\nModelNew = Softmax\n");
    assert_string_equal(chosen, "class Softmax, the file's only nn.Module");
    assert_string_equal(written(NULL, SOFT "def hard(x):\n    return x\n" MODULE("Softmax")),
                        "\n\nModelNew = Softmax\n");
    assert_string_equal(written(NULL, SOFT MODULE("Softmax")), "\n\nModelNew = Softmax\n"); // it calls soft
    assert_string_equal(written(NULL, "def soft(x):\n    return x\nclass Model(torch.nn.Module):\n"
                                      "    def forward(self, x):\n        return x\n"),
                        CALL); // a model that the function replaces
    assert_string_equal(written("Softmax", SOFT MODULE("Softmax")), "\n\nModelNew = Softmax\n");
    assert_null(chosen);
    assert_string_equal(written("Gelu", two), "\n\nModelNew = Gelu\n");
    assert_null(written(NULL, two));
    assert_non_null(strstr(error.msg, ": Softmax, Gelu"));
    assert_null(written("Softmx", two));
    assert_non_null(strstr(error.msg, "did you mean Softmax?"));
    // What stands for run or ModelNew already would be entered instead.
    assert_null(written("Softmax", MODULE("Softmax") "def run(x):\n    return x\n"));
    assert_null(written("Softmax", MODULE("Softmax") MODULE("ModelNew")));
    // No module: a class of another base, and one without a forward.
    assert_string_equal(written(NULL, "class A:\n    def forward(self, x):\n        return x\n"), "");
    assert_string_equal(written(NULL, "class A(torch.nn.Module):\n    def f(self, x):\n        return x\n"),
                        "");
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
        cmocka_unit_test(test_a_module_of_another_name),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
