// Servers of models: addresses, and errors in words.
#include "propose/remote.h"

#include "grammar/smith_test.h"

static void errors_in_words(void **state) {
    (void)state;
    static const struct {
        const char *body, *words;
    } table[] = {
        {"{\"error\":{\"message\":\"m\"}}", "m"},
        {"{\"error\":\"e\"}", "e"},
        {"{\"message\":\"m\"}", "m"},
        {"{\"detail\":\"d\"}", "d"},
        {"<b>x</b>\r\n", "<b>x</b>  "},
        {"", "no message"},
        {"\xff\xfe", "??"},
        // What a terminal obeys (a control sequence of one character) or turns around is no word.
        {"{\"error\":\"a\\u009b31m \\u202e\\u00e9\\u4e2d\"}", "a??31m ???\xc3\xa9\xe4\xb8\xad"},
        {"{\"error\":", "{\"error\":"},
    };
    Arena a = {0};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        assert_string_equal(answer_error(&a, str_of(table[i].body)), table[i].words);
    arena_free(&a);
}

static void addresses(void **state) {
    (void)state;
    static const struct {
        const char *which, *url; // NULL: refused
        bool https, loopback;
    } table[] = {
        {"http://localhost:8000#m", "http://localhost:8000/v1/chat/completions", false, true},
        {"http://localhost:8000/#m", "http://localhost:8000/v1/chat/completions", false, true},
        {"http://127.0.0.1/v1#m", "http://127.0.0.1/v1/chat/completions", false, true},
        {"https://api.example.org/v1/#m", "https://api.example.org/v1/chat/completions", true, false},
        {"https://h/v1/chat/completions#m", "https://h/v1/chat/completions", true, false},
        {"http://[::1]:80/api#m", "http://[::1]:80/api/chat/completions", false, true},
        {"http://localhost.example.org#m", "http://localhost.example.org/v1/chat/completions", false, false},
        {"http://127.0.0.1.example.org#m", "http://127.0.0.1.example.org/v1/chat/completions", false, false},
        {"http://h", NULL, false, false},
        {"http://h#m\xff", NULL, false, false},
        {"http://h#", NULL, false, false},
        {"http://#m", NULL, false, false},
        {"file:///etc/passwd#m", NULL, false, false},
        {"http://u:p@h/#m", NULL, false, false},
        {"http://h/ x#m", NULL, false, false},
        {"http://h/\r\nX: y#m", NULL, false, false},
    };
    Arena a = {0};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        Endpoint out;
        Err e = {0};
        bool ok = endpoint_read(&a, table[i].which, &out, &e);
        if (ok != (table[i].url != NULL)) fail_msg("%s: %s", table[i].which, ok ? "taken" : e.msg);
        if (!ok) continue;
        assert_string_equal(out.url, table[i].url);
        assert_string_equal(out.model, "m");
        if (out.https != table[i].https || out.loopback != table[i].loopback) fail_msg("%s", table[i].which);
    }
    arena_free(&a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(errors_in_words),
        cmocka_unit_test(addresses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
