// What a model is, in one number: the same for the same files, another when any of them says something else.
#include "making.h"

static Arena arena;

static const char *identity(const char *changes, int tensor, const char *template) {
    Tensors t = tensors_of(&arena, false, true);
    float *data = NULL;
    if (tensor >= 0) { // one number of one tensor
        data = malloc(t.at[tensor].bytes);
        memcpy(data, t.at[tensor].data, t.at[tensor].bytes);
        data[1] += 1;
        t.at[tensor].data = data;
    }
    const char *folder = model_folder(&arena, config_with(&arena, changes), &t);
    if (template) text_put(&arena, folder, "chat_template.jinja", template);
    Checkpoint *c;
    Err e = {0};
    if (!checkpoint_open(&arena, folder, &c, &e)) fail_msg("%s", e.msg);
    char out[65];
    checkpoint_identity(c, NULL, out);
    checkpoint_close(c);
    folder_remove(folder);
    free(data);
    assert_int_equal(strlen(out), 64);
    return str_cdup(&arena, str_of(out));
}

static void test_everything_counts(void **state) {
    (void)state;
    const char *base = identity("{}", -1, NULL);
    assert_string_equal(base, identity("{}", -1, NULL)); // wherever its folder is
    assert_string_not_equal(base, identity("{\"rope_theta\":5e5}", -1, NULL));
    assert_string_not_equal(base, identity("{\"rms_norm_eps\":1e-5}", -1, NULL));
    assert_string_not_equal(base, identity("{\"eos_token_id\":[1,7]}", -1, NULL));
    Tensors t = tensors_of(&arena, false, true);
    for (int i = 0; i < t.n; i++) assert_string_not_equal(base, identity("{}", i, NULL));
    assert_string_not_equal(base, identity("{}", -1, "{{ messages }}"));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_everything_counts)};
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    arena_free(&arena);
    return failed;
}
