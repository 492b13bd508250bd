// Merging: long pieces cost time in proportion.
#include "text/tokens.h"

// Merging by a heap gives what merging by looking again gives, and takes no quadratic time.
static void test_long_pieces(void **state) {
    (void)state;
    Arena a = {0};
    Tokenizer *t = open_json(&a, golden(&a, "qwen25", ".json"));
    enum { LONG = 400000 };
    char *text = NEWN(&a, char, LONG);
    for (int i = 0; i < LONG; i++) text[i] = "return"[i % 6];
    Tokens all = encode(t, &a, (Str){text, LONG}, true, true), one = encode(t, &a, STR("return"), true, true);
    assert_in_range(all.count, LONG / 6, LONG);
    assert_true(str_eq(decode(t, &a, all.id, all.count, true), (Str){text, LONG}));
    assert_true(one.count < 6);
    tokenizer_close(t);
    arena_free(&a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_long_pieces),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
