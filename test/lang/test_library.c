// Helper files as one text: what was packed comes out again, what was not is refused, and a file is parsed
// once and only when somebody asks for it.
#include "lang_test.h"

#include "lang/library.h"

static Library *open_files(const char *const *name_and_text, int n) {
    Buf b = BUF(&arena);
    for (int i = 0; i < n; i++)
        library_pack(&b, str_of(name_and_text[2 * i]), str_of(name_and_text[2 * i + 1]));
    Library *l = NULL;
    assert_true(library_open(&arena, buf_str(&b), &l));
    assert_int_equal(l->files, n);
    return l;
}

static void files_come_out_again(void **state) {
    (void)state;
    const char *const files[] = {"a", "x = 1\n", "b_2", "", "broken", "def f(:\n"};
    Library *l = open_files(files, 3);
    for (int i = 0; i < 3; i++) {
        assert_true(str_is(l->file[i].name, files[2 * i]));
        assert_true(str_is(l->file[i].text, files[2 * i + 1]));
        assert_null(l->file[i].module);
    }
    const Node *module = library_module(l, &l->file[0]);
    assert_non_null(module);
    assert_ptr_equal(library_module(l, &l->file[0]), module);
    assert_ptr_equal(module->module.library, l);
    assert_null(library_module(l, &l->file[2]));
    assert_non_null(strstr(l->file[2].fault, "broken.py"));
    assert_non_null(strstr(l->file[2].fault, "line 1"));
    assert_string_equal(library_names(&arena, l), "a, b_2, broken");
}

static void damaged_texts_are_refused(void **state) {
    (void)state;
    Buf b = BUF(&arena);
    library_pack(&b, STR("helpers"), STR("x = 1\n"));
    Str whole = buf_str(&b);
    Library *l;
    for (size_t n = 0; n <= whole.len; n++) {
        char *copy = arena_raw(&arena, n + 1, 1);
        memcpy(copy, whole.p, n);
        assert_int_equal(library_open(&arena, (Str){copy, n}, &l), n == 0 || n == whole.len);
    }
    Buf many = BUF(&arena), path = BUF(&arena);
    for (int i = 0; i <= LIBRARY_FILES_MAX; i++) library_pack(&many, STR("m"), STR(""));
    assert_false(library_open(&arena, buf_str(&many), &l));
    library_pack(&path, STR("../m"), STR(""));
    assert_false(library_open(&arena, buf_str(&path), &l));
}

static const Node *import_in(const Node *module, int i) { return module->module.body.at[i]; }
static void packages_are_found(void **state) {
    (void)state;
    const char *const files[] = {
        "p/",    "from .a import x\nfrom a import x\nfrom .. import q\n",
        "p.a",   "from .b import x\nfrom . import y\nfrom ..a import z\nfrom .q.c import x\n",
        "p.b",   "",
        "a",     "from p.q.c import x\nfrom .p.b import x\n",
        "p.q/",  "",
        "p.q.c", "from ..a import x\nfrom . import x\nfrom .... import x\n"};
    Buf b = BUF(&arena);
    for (int i = 0; i < 6; i++) library_pack(&b, str_of(files[2 * i]), str_of(files[2 * i + 1]));
    Library *l = NULL;
    assert_true(library_open(&arena, buf_str(&b), &l));
    const struct {
        int file, line, want; // -1: none
    } c[] = {{0, 0, 1}, {0, 1, 3}, {0, 2, -1}, {1, 0, 2}, {1, 1, 0}, {1, 2, 3},
             {1, 3, 5}, {3, 0, 5}, {3, 1, 2},  {5, 0, 1}, {5, 1, 4}, {5, 2, -1}};
    for (size_t i = 0; i < sizeof c / sizeof *c; i++) {
        const Node *m = library_module(l, &l->file[c[i].file]);
        assert_non_null(m);
        const LibraryFile *got = library_of(m, import_in(m, c[i].line));
        if (got != (c[i].want < 0 ? NULL : &l->file[c[i].want])) fail_msg("row %zu", i);
    }
    assert_true(l->file[0].package && str_is(l->file[0].name, "p") && !l->file[1].package);
}

static void paths_are_plain(void **state) {
    (void)state;
    const char *const good[] = {"a", "a.b", "a/", "a.b/"}, *const bad[] = {"",     "/",   ".",   "a.",   ".a",
                                                                           "a..b", "a//", "a/b", "a.__b"};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) assert_true(library_path_ok(str_of(good[i])));
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) assert_false(library_path_ok(str_of(bad[i])));
}

static void names_are_plain(void **state) {
    (void)state;
    const char *const good[] = {"a", "_a1", "Helpers_2"};
    const char *const bad[] = {"", "1a", "a.b", "a/b", "..", "a-b", "__init__", "\xc3\xa4"};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) assert_true(library_name_ok(str_of(good[i])));
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) assert_false(library_name_ok(str_of(bad[i])));
    assert_true(library_name_taken(STR("triton")));
    assert_false(library_name_taken(STR("helpers")));
}

static void imports_find_their_file(void **state) {
    (void)state;
    const char *const files[] = {"helpers", "x = 1\n"};
    static const struct {
        const char *line;
        bool found;
    } line[] = {{"from helpers import x", true},
                {"from .helpers import x", true},
                {"from ..helpers import x", false},
                {"from helpers.sub import x", false},
                {"from pkg.helpers import x", false},
                {"from . import helpers", false},
                {"import helpers", false},
                {"from helper import x", false}};
    Library *l = open_files(files, 1);
    for (size_t i = 0; i < sizeof line / sizeof *line; i++) {
        Node *m = parse_str(str_of(line[i].line));
        assert_null(library_of(m, m->module.body.at[0])); // without a library
        m->module.library = l;
        assert_int_equal(library_of(m, m->module.body.at[0]) != NULL, line[i].found);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(files_come_out_again, arena_setup, arena_teardown),
        cmocka_unit_test_setup_teardown(damaged_texts_are_refused, arena_setup, arena_teardown),
        cmocka_unit_test_setup_teardown(names_are_plain, arena_setup, arena_teardown),
        cmocka_unit_test_setup_teardown(paths_are_plain, arena_setup, arena_teardown),
        cmocka_unit_test_setup_teardown(packages_are_found, arena_setup, arena_teardown),
        cmocka_unit_test_setup_teardown(imports_find_their_file, arena_setup, arena_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
