// The table of host names: what each is found by, what it is in one word, and why any other is refused.
#include "host/policy/api_names.h"
#include "host/support.h"

static void test_the_table_prints(void **state) {
    (void)state;
    Arena a = {0};
    Buf b = BUF(&a);
    host_api_reference(&b);
    const char *text = buf_cstr(&b);
    assert_non_null(strstr(text, "triton.cdiv, tl.cdiv(x, y): x / y rounded up"));
    assert_non_null(strstr(text, "x.is_contiguous(input): whether"));
    assert_non_null(strstr(text, "In references:\n"));
    arena_free(&a);
}

static void names_are_looked_up_by_privilege(void **state) {
    (void)state;
    assert_non_null(api_named(STR("torch.empty"), true));
    assert_null(api_named(STR("torch.empty"), false)); // of kernel files alone
    assert_non_null(api_named(STR("torch.softmax"), false));
    assert_null(api_named(STR("torch.softmax"), true)); // of references alone
    assert_non_null(api_named(STR("len"), true));
    assert_non_null(api_named(STR("len"), false));
    assert_null(api_named(STR("torch.emty"), true));
    assert_null(api_named(STR(""), true));
    assert_true(api_is_member(STR("contiguous"), true) && !api_is_member(STR("contigous"), true));
    assert_true(api_is_last_part(STR("empty"), true) && !api_is_last_part(STR("emty"), true));
    assert_true(api_is_module(STR("torch"), true) && api_is_module(STR("torch.cuda"), true));
    assert_false(api_is_module(STR("torch.empty"), true) || api_is_module(STR("tor"), true));
    assert_non_null(api_member_of(STR("upper"), "text", true));
    assert_null(api_member_of(STR("upper"), "list", true));
}

static void one_name_for_each_spelling(void **state) {
    (void)state;
    static const char *const rows[][2] = {{"torch.nn.functional.gelu", "F.gelu"},
                                          {"torch.nn.functional", "F"},
                                          {"triton.language.sum", "tl.sum"},
                                          {"triton.language.extra.libdevice.tanh", "libdevice.tanh"},
                                          {"triton.languages.sum", "triton.languages.sum"},
                                          {"torch.empty", "torch.empty"}};
    Arena a = {0};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_true(str_is(api_canonical(&a, str_of(rows[i][0])), rows[i][1]));
    arena_free(&a);
}

static void reasons_say_what_is_near(void **state) {
    (void)state;
    static const struct {
        const char *name;
        bool method, candidate;
        const char *part;
    } rows[] = {{"torch.emty", false, true, "did you mean torch.empty?"},
                {"contigous", true, true, "did you mean .contiguous?"},
                {"torch.softmax", false, true, "do it in a kernel"},
                {"torch.empty", false, false, "it belongs to kernel files"},
                {"tl.sum", false, true, "did you forget @triton.jit?"},
                {"quite.another", false, true, "allocation, shapes, views and launches only"},
                {"quite.another", false, false, "listed by the API table only"}};
    Arena a = {0};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        DiagKind kind = DIAG_COUNT;
        const char *why = api_reason(&a, str_of(rows[i].name), rows[i].method, rows[i].candidate, &kind);
        if (!strstr(why, rows[i].part)) fail_msg("%s: %s", rows[i].name, why);
        assert_true(kind == DIAG_REFUSED || kind == DIAG_UNSUPPORTED);
    }
    assert_true(api_known_refused(STR("torch.compile"), false, true));
    assert_false(api_known_refused(STR("torch.emty"), false, true));
    arena_free(&a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_table_prints),
        cmocka_unit_test(names_are_looked_up_by_privilege),
        cmocka_unit_test(one_name_for_each_spelling),
        cmocka_unit_test(reasons_say_what_is_near),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
