#include "measure/user_calls.h"

#include "../gpu/vm_gpu.h"
#include "hostile.h"

static Arena a;
static Err e;

static void test_an_answer_is_read(void **state) {
    (void)state;
    UserCallTimes t[USER_CALLS_MAX];
    int n;
    const char *text = "{\"torch\":\"2.11.0\",\"errors\":{\"default\":\"it "
                       "failed\"},\"modes\":{\"kernel\":{\"call\":[30,31],"
                       "\"queued\":[20]},\"eager\":{\"call\":[60]}}}";
    if (!user_calls_read(&a, str_of(text), t, &n, &e)) fail_msg("%s", e.msg);
    assert_int_equal(n, 3);
    assert_true(str_is(t[0].name, "kernel"));
    assert_int_equal(t[0].calls, 2);
    assert_int_equal(t[0].queueds, 1);
    assert_int_equal(t[1].queueds, 0);
    assert_true(str_is(t[2].name, "default") && str_is(t[2].why, "it failed"));
}

static bool read_hostile(void *arg, Str text) {
    (void)arg;
    UserCallTimes t[USER_CALLS_MAX];
    int n;
    ArenaMark m = arena_mark(&a);
    e = (Err){0};
    bool taken = user_calls_read(&a, text, t, &n, &e);
    assert_true(n >= 0 && n <= USER_CALLS_MAX);
    for (int i = 0; taken && i < n; i++)
        assert_true(t[i].calls <= TIMING_ROUNDS_MAX && t[i].queueds <= TIMING_ROUNDS_MAX);
    arena_reset(&a, m);
    return taken;
}

static void test_hostile_answers(void **state) {
    (void)state;
    Hostile h = {.read = read_hostile};
    hostile_json(
        &h,
        STR("{\"torch\":\"2\",\"errors\":{\"default\":\"it failed\"},\"modes\":{\"kernel\":{\"call\":[30,31],"
            "\"queued\":[20]},\"eager\":{\"call\":[60]}}}"));
    assert_true(h.tried > 500 && h.taken < h.tried);
    e = (Err){0};
}

static void test_an_answer_that_cannot_be_is_refused(void **state) {
    (void)state;
    static const char *const bad[] = {
        "",
        "[]",
        "{\"error\":\"no GPU\"}",
        "{\"modes\":{\"kernel\":{\"call\":[0]}}}",
        "{\"modes\":{\"kernel\":{\"call\":[1],\"queued\":[\"2\"]}}}",
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        UserCallTimes t[USER_CALLS_MAX];
        int n;
        e = (Err){0};
        if (user_calls_read(&a, str_of(bad[i]), t, &n, &e)) fail_msg("taken: %s", bad[i]);
    }
    e = (Err){0};
}

static void test_more_names_than_there_is_room_for(void **state) {
    (void)state;
    UserCallTimes t[USER_CALLS_MAX];
    int n;
    Buf text = BUF(&a);
    buf_puts(&text, "{\"modes\":{");
    for (int i = 0; i < 2 * USER_CALLS_MAX; i++)
        buf_printf(&text, "%s\"m%d\":{\"call\":[1]}", i ? "," : "", i);
    buf_puts(&text, "}}");
    assert_true(user_calls_read(&a, buf_str(&text), t, &n, &e));
    assert_int_equal(n, USER_CALLS_MAX);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_an_answer_is_read),
        cmocka_unit_test(test_an_answer_that_cannot_be_is_refused),
        cmocka_unit_test(test_hostile_answers),
        cmocka_unit_test(test_more_names_than_there_is_room_for),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    arena_free(&a);
    return failed;
}
