// The table from names to numbers: what is put is found, once, however many there are.
#include "lang_test.h"

#include "lang/names.h"

static void what_is_put_is_found(void **state) {
    (void)state;
    enum { MANY = 1000 };
    NameTable t = NAMES(&arena);
    bool added;
    assert_null(names_find(&t, STR("a")));
    for (int i = 0; i < MANY; i++) {
        assert_int_equal(*names_put(&t, str_of(arena_printf(&arena, "n%d", i)), i, &added), i);
        assert_true(added);
    }
    assert_int_equal(t.count, MANY);
    for (int i = 0; i < MANY; i++) {
        Str name = str_of(arena_printf(&arena, "n%d", i));
        assert_int_equal(*names_find(&t, name), i);
        assert_int_equal(*names_put(&t, name, -1, &added), i); // it stays what it was
        assert_false(added);
    }
    assert_int_equal(t.count, MANY);
    *names_put(&t, STR("n5"), 0, NULL) = 77; // until somebody changes it
    assert_int_equal(*names_find(&t, STR("n5")), 77);
    assert_null(names_find(&t, STR("n")));
    assert_null(names_find(&t, STR("n1000")));
    assert_null(names_find(&t, STR("")));
    assert_int_equal(*names_put(&t, STR(""), 3, NULL), 3); // an empty name is one
}

int main(void) {
    const struct CMUnitTest tests[] = {TEST(what_is_put_is_found)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
