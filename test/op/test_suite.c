// Definitions of the suite, of files, and of a folder that is added.
#include "op/found.h"

static void files(void **state) {
    (void)state;
    char dir[] = "/tmp/test-find-XXXXXX";
    assert_non_null(mkdtemp(dir));
    char *good = arena_printf(&arena, "%s/my op-2.py", dir), *bad = arena_printf(&arena, "%s/bad.py", dir);
    Err e = {0};
    assert_true(io_write_atomic(
        good,
        STR("\"\"\"Doc.\"\"\"\ninputs = {'x': {'shape': ('M', 'N')}}\ndef reference(x):\n    return x + 1\n"),
        &e));
    assert_true(io_write_atomic(bad,
                                STR("\"\"\"Doc.\"\"\"\ninputs = {'x': {'shape': ('M', 'N')}}\n\n"
                                    "def reference(y):\n    return y\n"),
                                &e));
    Op op;
    if (!op_resolve(&arena, good, &op, &e)) fail_msg("%s", e.msg);
    assert_true(op.user && str_is(op.name, "my_op_2"));
    assert_false(op_resolve(&arena, bad, &op, &e));
    assert_int_equal(e.code, ERR_INPUT);
    if (!strstr(e.msg, "bad.py:4:1: reference takes the inputs")) fail_msg("%s", e.msg);
    e = (Err){0};
    assert_false(op_resolve(&arena, arena_printf(&arena, "%s/none.py", dir), &op, &e));
    assert_int_equal(e.code, ERR_IO);
    unlink(good);
    unlink(bad);
    rmdir(dir);
}

static const char *write_definition(const char *dir, const char *name, const char *text) {
    char *path = arena_printf(&arena, "%s/%s.py", dir, name);
    Err e = {0};
    if (!io_write_atomic(path, str_of(text), &e)) fail_msg("%s", e.msg);
    return path;
}

static void refuses(const char *dir, const char *name, const char *text, const char *why) {
    const char *path = write_definition(dir, name, text);
    Err e = {0};
    if (op_suite_add(&arena, dir, &e)) fail_msg("%s was added", name);
    if (!strstr(e.msg, why)) fail_msg("%s: \"%s\" does not say %s", name, e.msg, why);
    unlink(path);
}

// A folder of definitions stands beside the suite: found by name and by words, listed last, checked like any
// file.
static void added_folder(void **state) {
    (void)state;
    char dir[] = "/tmp/test-suite-XXXXXX";
    assert_non_null(mkdtemp(dir));
    const char *text = "\"\"\"x plus one.\"\"\"\n# words: increment | plus one of x\n"
                       "inputs = {'x': {'shape': ('M', 'N')}}\ndef reference(x):\n    return x + 1\n";
    Err e = {0};
    assert_false(op_suite_add(&arena, dir, &e));
    assert_non_null(strstr(e.msg, "holds no .py"));
    e = (Err){0};
    assert_false(op_suite_add(&arena, "/nowhere/at/all", &e));
    assert_int_equal(e.code, ERR_IO);
    refuses(dir, "softmax", text, "an op of this name");
    refuses(dir, "rmsnorm_silu_square", text, "an op of this name");
    refuses(dir, "my op", text, "letters, digits");
    refuses(dir, "1st", text, "letters, digits");
    refuses(dir, "broken", "\"\"\"Doc.\"\"\"\ninputs = {}\n", "broken.py:");
    const char *one = write_definition(dir, "plus_one", text), *two = write_definition(dir, "add_one", text);
    const char *other = arena_printf(&arena, "%s/notes.txt", dir);
    assert_true(io_write_atomic(other, STR("not a definition"), &e));
    e = (Err){0};
    if (!op_suite_add(&arena, dir, &e)) fail_msg("%s", e.msg);
    int n;
    const Str *name = op_names(&arena, &n);
    assert_int_equal(n, 23 + 4 * (1 + 19) + 2);
    assert_true(str_is(name[n - 2], "add_one") && str_is(name[n - 1], "plus_one"));
    Op op;
    assert_true(op_find(&arena, STR("plus_one"), &op) && op.user && str_is(op.notes, "x plus one."));
    assert_true(op_find(&arena, STR("plus_one_short"), &op) && op.user);
    finds("plus one of x", "add_one");
    finds("increment", "add_one");
    lists("plus_on", "plus_one");
    e = (Err){0};
    assert_false(op_suite_add(&arena, dir, &e)); // twice: the names are taken
    unlink(one);
    unlink(two);
    unlink(other);
    rmdir(dir);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files),
        cmocka_unit_test(added_folder),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    arena_free(&arena);
    return failed;
}
