// What a weight file holds: tensors by name, found again, and none twice; names in a form for a terminal.
#include "weights/format/safetensors.h"

#include "weights/making.h"

// What a message shows of a name does not command the terminal.
static void test_shown(void **state) {
    (void)state;
    assert_string_equal(shown(STR("a\x1b[2Jb\n")).at, "a?[2Jb?");
    char many[300];
    memset(many, 'x', sizeof many);
    assert_int_equal(strlen(shown((Str){many, sizeof many}).at), 99);
    assert_true(str_ends(str_of(shown((Str){many, sizeof many}).at), "x..."));
    assert_string_equal(shown((Str){many, 3}).at, "xxx");
}

static void test_found_by_name(void **state) {
    (void)state;
    enum { MANY = 100 };
    Arena a = {0};
    StoredTable t = {0};
    for (int i = 0; i < MANY; i++) { // in no order
        Stored s = {.name = str_of(arena_printf(&a, "t%d", i * 37 % MANY)), .bytes = (size_t)i};
        stored_add(&a, &t, &s);
    }
    assert_int_equal(t.count, MANY);
    assert_null(stored_seal(&a, &t));
    for (int i = 0; i < MANY; i++) {
        Stored *s = stored_find(&t, str_of(arena_printf(&a, "t%d", i * 37 % MANY)));
        assert_non_null(s);
        assert_int_equal(s->bytes, i);
        assert_ptr_equal(s, &t.at[i]); // the files' order stays
    }
    assert_null(stored_find(&t, STR("t")));
    assert_null(stored_find(&t, STR("t100")));
    assert_null(stored_find(&t, STR("")));
    stored_add(&a, &t, &(Stored){.name = STR("t5")});
    const Stored *twice = stored_seal(&a, &t);
    assert_non_null(twice);
    assert_true(str_is(twice->name, "t5"));
    arena_free(&a);
}

static void test_shapes(void **state) {
    (void)state;
    assert_string_equal(stored_shape(&(Stored){.rank = 0}).at, "[]");
    assert_string_equal(stored_shape(&(Stored){.rank = 2, .shape = {3, 4}}).at, "[3, 4]");
    Stored wide = {.rank = STORED_RANK_MAX};
    for (int i = 0; i < STORED_RANK_MAX; i++) wide.shape[i] = INT64_MAX;
    assert_true(strlen(stored_shape(&wide).at) < sizeof(Shown)); // cut, and ended
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shown),
        cmocka_unit_test(test_found_by_name),
        cmocka_unit_test(test_shapes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
