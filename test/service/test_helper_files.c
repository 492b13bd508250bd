// The folder of --include: regular files that lie directly in it, sorted, and nothing else.
// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on
#include "base/io.h"
#include "service/helper_files.h"
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static Arena arena;
static char dir[64];

static const char *path(const char *name) { return arena_printf(&arena, "%s/%s", dir, name); }
static void put(const char *name, const char *text) {
    FILE *f = fopen(path(name), "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}
static int make(void **state) {
    (void)state;
    snprintf(dir, sizeof dir, "/tmp/test_helper_files.XXXXXX");
    return mkdtemp(dir) ? 0 : -1;
}
static int drop(void **state) {
    (void)state;
    int bad = system(arena_printf(&arena, "rm -rf %s", dir));
    arena_free(&arena);
    return bad;
}

static void refused(ErrCode code, const char *part) {
    Str out;
    Err e = {0};
    assert_false(include_read(&arena, dir, &out, &e));
    assert_int_equal(e.code, code);
    if (!strstr(e.msg, part)) fail_msg("%s", e.msg);
}

static void plain_files_in_their_order(void **state) {
    (void)state;
    put("b.py", "B = 1\n");
    put("a.py", "A = 2\n");
    put("words.txt", "no\n");
    put("not a name.py", "no\n");
    put("outside.text", "C = 3\n");
    assert_int_equal(symlink(path("outside.text"), path("c.py")), 0); // leads elsewhere
    assert_int_equal(mkdir(path("d.py"), 0700), 0);
    Str out;
    Err e = {0};
    if (!include_read(&arena, dir, &out, &e)) fail_msg("%s", e.msg);
    Buf want = BUF(&arena);
    library_pack(&want, STR("a"), STR("A = 2\n"));
    library_pack(&want, STR("b"), STR("B = 1\n"));
    assert_int_equal(out.len, want.len);
    assert_memory_equal(out.p, want.p, want.len);
}

static void packages_are_folders_with_an_init(void **state) {
    (void)state;
    const char *const folder[] = {"p", "p/q", "plain", "not a name"};
    for (size_t i = 0; i < sizeof folder / sizeof *folder; i++)
        assert_int_equal(mkdir(path(folder[i]), 0700), 0);
    put("p/__init__.py", "P = 1\n");
    put("p/q/__init__.py", "Q = 2\n");
    put("p/q/c.py", "C = 3\n");
    put("plain/d.py", "no\n");
    put("not a name/__init__.py", "no\n");
    put("e.py", "E = 4\n");
    assert_int_equal(symlink(path("p"), path("linked")), 0);
    Str out;
    Err e = {0};
    if (!include_read(&arena, dir, &out, &e)) fail_msg("%s", e.msg);
    Buf want = BUF(&arena);
    library_pack(&want, STR("e"), STR("E = 4\n"));
    library_pack(&want, STR("p.q.c"), STR("C = 3\n"));
    library_pack(&want, STR("p.q/"), STR("Q = 2\n"));
    library_pack(&want, STR("p/"), STR("P = 1\n"));
    assert_int_equal(out.len, want.len);
    assert_memory_equal(out.p, want.p, want.len);
    assert_int_equal(mkdir(path("triton"), 0700), 0);
    put("triton/__init__.py", "");
    refused(ERR_INPUT, "triton/__init__.py would hide a module");
}

static void what_is_wrong_names_the_file(void **state) {
    (void)state;
    refused(ERR_INPUT, "no helper files");
    put("torch.py", "x = 1\n");
    refused(ERR_INPUT, "torch.py would hide a module");
    unlink(path("torch.py"));
    for (int i = 0; i <= LIBRARY_FILES_MAX; i++) put(arena_printf(&arena, "m%d.py", i), "x = 1\n");
    refused(ERR_INPUT, "more than");
    unlink(path("m0.py"));
    Str out;
    Err e = {0};
    assert_true(include_read(&arena, dir, &out, &e)); // as many as there may be
    assert_int_equal(rmdir(path("none")), -1);
    snprintf(dir + strlen(dir), sizeof dir - strlen(dir), "/none");
    refused(ERR_IO, "cannot open the folder");
    dir[strlen(dir) - 5] = 0;
}

// By the folders around it that have an __init__.py, however the path is spelled.
static void of_which_package_a_file_is(void **state) {
    (void)state;
    static const char *const folders[] = {"outer", "outer/pk", "outer/pk/sub", "outer/pk/no-name"};
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        assert_int_equal(mkdir(path(folders[i]), 0700), 0);
    put("outer/pk/__init__.py", "");
    put("outer/pk/sub/__init__.py", "");
    put("outer/pk/no-name/__init__.py", "");
    static const struct {
        const char *file, *package;
    } all[] = {{"outer/pk/sub/k.py", "pk.sub"}, {"outer/pk/k.py", "pk"},       {"outer/k.py", ""},
               {"outer/pk/../pk/k.py", "pk"},   {"outer/pk/no-name/k.py", ""}, {"nowhere/k.py", ""}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (!str_is(package_of(&arena, path(all[i].file)), all[i].package)) fail_msg("%s", all[i].file);
    assert_int_equal(package_of(&arena, "k.py").len, 0); // where the tests run is no package
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(plain_files_in_their_order, make, drop),
        cmocka_unit_test_setup_teardown(packages_are_folders_with_an_init, make, drop),
        cmocka_unit_test_setup_teardown(what_is_wrong_names_the_file, make, drop),
        cmocka_unit_test_setup_teardown(of_which_package_a_file_is, make, drop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
