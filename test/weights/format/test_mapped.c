// Files of models, mapped or copied: regular ones, and not what git leaves in the place of a large file.
#include "weights/making.h"

static Arena arena;
#define POINTER "version https://git-lfs.github.com/spec/v1\noid sha256:abc\nsize 5\n"

static void test_what_is_there_is_read(void **state) {
    (void)state;
    const char *folder = folder_new(&arena), *path = arena_printf(&arena, "%s/a", folder);
    text_put(&arena, folder, "a", "some bytes");
    Mapped m;
    Err e = {0};
    assert_true(mapped_open(&arena, path, &m, &e));
    assert_int_equal(m.len, 10);
    assert_memory_equal(m.p, "some bytes", 10);
    mapped_forget(m.p, m.len); // comes back from the file
    assert_memory_equal(m.p, "some bytes", 10);
    mapped_close(&m);
    assert_null(m.p);
    mapped_close(&m); // again is fine
    Str text;
    assert_true(small_read(&arena, path, 10, &text, &e) && str_is(text, "some bytes"));
    assert_false(small_read(&arena, path, 9, &text, &e));
    folder_remove(folder);
}

static void refused(const char *path, ErrCode code, const char *says, bool small) {
    Mapped m;
    Err e = {0};
    Str text;
    assert_false(mapped_open(&arena, path, &m, &e));
    assert_int_equal(e.code, code);
    assert_says(e, says);
    Err f = {0};
    assert_int_equal(small_read(&arena, path, 100, &text, &f), small);
}

static void test_what_is_no_file_is_refused(void **state) {
    (void)state;
    const char *folder = folder_new(&arena);
    refused(arena_printf(&arena, "%s/none", folder), ERR_IO, "No such file", false);
    refused(folder, ERR_INPUT, "not a regular file", false);
    text_put(&arena, folder, "empty", "");
    refused(arena_printf(&arena, "%s/empty", folder), ERR_INPUT, "empty", true); // a small one may be
    text_put(&arena, folder, "pointer", POINTER);
    refused(arena_printf(&arena, "%s/pointer", folder), ERR_INPUT, "a pointer of git-lfs", false);
    folder_remove(folder);
}

static void test_numbers_lie_anywhere(void **state) {
    (void)state;
    static const uint8_t bytes[] = {0xff, 1, 2, 3, 4, 5, 6, 7, 8};
    assert_int_equal(read_u16(bytes + 1), 0x0201);
    assert_int_equal(read_u32(bytes + 1), 0x04030201);
    assert_true(read_u64(bytes + 1) == 0x0807060504030201u);
}

static void test_objects(void **state) {
    (void)state;
    const char *folder = folder_new(&arena), *path = arena_printf(&arena, "%s/a.json", folder);
    Json j;
    Err e = {0};
    text_put(&arena, folder, "a.json", "{\"n\": 3}");
    assert_true(json_open(&arena, path, 100, &j, &e));
    int64_t n = 0;
    assert_true(json_get_int(&j, j.root, "n", 0, 9, &n) && n == 3);
    json_close(&j);
    text_put(&arena, folder, "a.json", "[]");
    assert_false(json_open(&arena, path, 100, &j, &e));
    json_close(&j);
    folder_remove(folder);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_is_there_is_read),
        cmocka_unit_test(test_what_is_no_file_is_refused),
        cmocka_unit_test(test_numbers_lie_anywhere),
        cmocka_unit_test(test_objects),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    arena_free(&arena);
    return failed;
}
