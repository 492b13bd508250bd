// Lines of the stream: what is read from good ones, and what is said about bad ones.
// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on
#include "service/request.h"
#include <stdio.h>
#include <stdlib.h>

static Arena arena;

static StreamRequest line_of(Str text) {
    StreamRequest l;
    stream_request_read(&arena, text, 7, LEVELS_QUICK, &l);
    return l;
}
static StreamRequest line(const char *text) { return line_of(str_of(text)); }

static void good(const char *text) {
    StreamRequest l = line(text);
    if (l.bad) fail_msg("%s: %s", text, l.bad);
}
static void bad(const char *text, const char *id, const char *why) {
    StreamRequest l = line(text);
    if (!l.bad) fail_msg("taken: %s", text);
    if (!strstr(l.bad, why) || !strstr(l.bad, "line 7")) fail_msg("%s: %s", text, l.bad);
    if (!str_is(l.id, id)) fail_msg("%s: id %.*s", text, STR_ARG(l.id));
}

static void a_request_is_read(void **state) {
    (void)state;
    StreamRequest l = line("{\"id\":1,\"op\":\"softmax\",\"source\":\"a\\nb\"}");
    assert_null(l.bad);
    assert_true(str_is(l.id, "1") && str_is(l.op, "softmax") && str_is(l.source, "a\nb"));
    assert_true(l.levels == LEVELS_QUICK && !l.filter.m && !l.filter.n && l.filter.dtype == -1);
    l = line(" { \"source\" : \"\\u0000x\", \"level\":\"full\", \"dtype\":\"bf16\", \"shape\":\"3x1048576\", "
             "\"policy\":\"default\", \"op\":\"p\", \"id\":{\"a\":[1.5,null]}, \"more\":0, \"label\":1, "
             "\"\":2 } ");
    assert_null(l.bad);
    assert_true(str_is(l.id, "{\"a\":[1.5,null]}"));
    assert_true(l.source.len == 2 && l.source.p[0] == 0);
    assert_true(l.levels == LEVELS_FULL && l.filter.m == 3 && l.filter.n == 1048576);
    assert_int_equal(l.filter.dtype, DT_BF16);
    good("{\"op\":\"softmax\",\"source\":\"\"}");
    l = line("{\"op\":\"o\",\"source\":\"s\",\"level\":\"ladder\"}");
    assert_true(!l.bad && l.levels == LEVELS_LADDER);
    l = line("{\"id\":null,\"op\":\"o\",\"source\":\"s\",\"level\":null,\"shape\":null,\"dtype\":null,"
             "\"policy\":null,"
             "\"manifest\":null}"); // as if they were not there
    assert_true(!l.bad && l.levels == LEVELS_QUICK && !l.filter.m && l.filter.dtype == -1 && !l.manifest.len);
    assert_true(l.manifest.len == 0);
    l = line("{\"op\":\"o\",\"source\":\"s\",\"manifest\":{ \"b\" : [1], \"a\":\"x\" }}");
    assert_true(!l.bad && str_is(l.manifest, "{\"b\":[1],\"a\":\"x\"}"));
}

static void a_bad_line_says_why_with_its_id(void **state) {
    (void)state;
#define ASK "{\"id\":\"i\",\"op\":\"o\",\"source\":\"s\""
    good(ASK "}");
    bad("[]", "null", "object");
    bad("7", "null", "line 7");
    bad("", "null", "line 7");
    bad("{\"id\":5}", "5", "\"op\"");
    bad("{\"id\":5,\"op\":3,\"source\":\"\"}", "5", "\"op\"");
    bad("{\"id\":5,\"op\":\"a\\u0000b\",\"source\":\"\"}", "5", "\"op\"");
    bad("{\"id\":[5],\"op\":\"o\"}", "[5]", "\"source\"");
    bad("{\"id\":5,\"op\":\"o\",\"source\":[]}", "5", "\"source\"");
    bad(ASK ",\"manifest\":[]}", "\"i\"", "\"manifest\"");
    bad(ASK ",\"level\":\"best\"}", "\"i\"", "\"level\"");
    bad(ASK ",\"level\":1}", "\"i\"", "\"level\"");
    bad(ASK ",\"level\":1}", "\"i\"", "\"level\": a text belongs here");
    bad("{\"id\":5,\"op\":null,\"source\":\"\"}", "5", "\"op\" is missing");
    bad(ASK ",\"manifest\":\"m\"}", "\"i\"", "an object belongs here");
    bad(ASK ",\"levle\":\"full\"}", "\"i\"", "\"levle\": no such key");
    bad(ASK ",\"level\":\"stairs\"}", "\"i\"", "\"ladder\"");
    bad(ASK ",\"LEVEL\":\"full\"}", "\"i\"", "did you mean \"level\"?");
    bad(ASK ",\"every_size\":9}", "\"i\"", "\"every_size\": no such key");
    bad(ASK ",\"old_names\":true}", "\"i\"", "\"old_names\": no such key");
    bad(ASK ",\"fresh\":true}", "\"i\"", "\"fresh\": no such key");
    bad(ASK ",\"Level\":\"full\"}", "\"i\"", "did you mean \"level\"?");
    bad(ASK ",\"leve\":\"full\"}", "\"i\"", "did you mean");
    bad(ASK ",\"shapes\":\"8x8\"}", "\"i\"", "\"small\" or \"published\"");
    bad(ASK ",\"shap\":\"8x8\"}", "\"i\"", "did you mean");
    bad(ASK ",\"module\":\"class Model: pass\"}", "\"i\"", "one of them says what is computed");
    bad("{\"id\":\"i\",\"module\":7,\"source\":\"s\"}", "\"i\"", "a text belongs here");
    bad(ASK ",\"tf32\":1}", "\"i\"", "\"tf32\": true or false");
    bad(ASK ",\"ragged\":\"yes\"}", "\"i\"", "\"ragged\": true or false");
    bad(ASK ",\"raged\":true}", "\"i\"", "did you mean \"ragged\"?");
    StreamRequest l = line("{\"module\":\"class Model: pass\",\"op\":null,\"source\":\"s\",\"tf32\":true,"
                           "\"shapes\":\"published\"}");
    assert_true(!l.bad && l.tf32 && l.shapes && !l.ragged);
    l = line("{\"module\":\"m\",\"source\":\"s\",\"ragged\":true,\"tf32\":null}");
    assert_true(!l.bad && l.ragged && !l.tf32);
    bad(ASK ",\"dytpe\":\"fp16\"}", "\"i\"", "did you mean");
    bad(ASK ",\"shape\":\"8\"}", "\"i\"", "\"shape\"");
    bad(ASK ",\"shape\":\"0x8\"}", "\"i\"", "\"shape\"");
    bad(ASK ",\"shape\":\"8x1048577\"}", "\"i\"", "\"shape\"");
    bad(ASK ",\"shape\":\"8x8x8\"}", "\"i\"", "\"shape\"");
    bad(ASK ",\"shape\":\"8x99999999999999999999999\"}", "\"i\"", "\"shape\"");
    bad(ASK ",\"shape\":[8,8]}", "\"i\"", "\"shape\"");
    bad(ASK ",\"dtype\":\"int8\"}", "\"i\"", "\"dtype\"");
    bad(ASK ",\"policy\":\"tf32\"}", "\"i\"", "\"policy\"");
    bad(ASK ",\"id\":\"j\"}", "\"i\"", "duplicate");
    // Not JSON as a whole: the id is told when it comes first.
    bad(ASK, "\"i\"", "line 7");
    bad("{ \"id\" : -12.5 , \"op\":", "-12.5", "line 7");
    bad("{\"id\":{\"k\":1},\"source\":\"\x01\"}", "{\"k\":1}", "line 7");
    bad("{\"id\":", "null", "line 7");
    bad("{\"id\"", "null", "line 7");
    bad("{\"op\":\"o\",\"id\":4,", "null", "line 7");
    bad("{\"id\":\"\xff\",", "null", "line 7");
}

static void a_group_has_a_name_and_a_number(void **state) {
    (void)state;
#define LADDER "{\"id\":\"i\",\"op\":\"o\",\"source\":\"s\",\"level\":\"ladder\""
    StreamRequest l = line(LADDER ",\"group\":\"g 1\",\"of\":1024}");
    assert_true(!l.bad && str_is(l.group, "g 1") && l.of == 1024);
    l = line(LADDER ",\"group\":null,\"of\":null}");
    assert_true(!l.bad && !l.group.p && !l.of);
    stream_request_read(&arena, STR(ASK ",\"group\":\"g\",\"of\":1}"), 7, LEVELS_LADDER, &l); // the stream's
    assert_true(!l.bad && l.of == 1);
    good(ASK ",\"time\":true,\"group\":\"g\",\"of\":2}"); // which is ladder, too
    bad(ASK ",\"group\":\"g\",\"of\":2}", "\"i\"", "\"ladder\"");
    bad(ASK ",\"level\":\"full\",\"group\":\"g\",\"of\":2}", "\"i\"", "\"ladder\"");
    bad(LADDER ",\"group\":\"g\"}", "\"i\"", "\"group\" and \"of\" go together");
    bad(LADDER ",\"of\":2}", "\"i\"", "\"group\" and \"of\" go together");
    bad(LADDER ",\"group\":\"\",\"of\":2}", "\"i\"", "1 to 128 bytes");
    bad(LADDER ",\"group\":7,\"of\":2}", "\"i\"", "a text belongs here");
    bad(LADDER ",\"group\":\"g\",\"of\":0}", "\"i\"", "from 1 to 1024");
    bad(LADDER ",\"group\":\"g\",\"of\":1025}", "\"i\"", "from 1 to 1024");
    bad(LADDER ",\"group\":\"g\",\"of\":\"2\"}", "\"i\"", "a whole number");
    bad(LADDER ",\"groups\":\"g\"}", "\"i\"", "did you mean \"group\"?");
    bad(LADDER ",\"group\":\"g\",\"OF\":2}", "\"i\"", "did you mean \"of\"?");
    good(LADDER ",\"if\":1,\"on\":2,\"o\":3,\"off\":4}"); // of one's own
    char long_name[256];
    const int most = GROUP_NAME_MAX;
    snprintf(long_name, sizeof long_name, LADDER ",\"group\":\"%0*d\",\"of\":2}", most, 0);
    good(long_name);
    snprintf(long_name, sizeof long_name, LADDER ",\"group\":\"%0*d\",\"of\":2}", most + 1, 0);
    bad(long_name, "\"i\"", "1 to 128 bytes");
}

static void a_line_that_is_too_long_is_answered(void **state) {
    (void)state;
    size_t n = STREAM_REQUEST_MAX + 1;
    char *text = malloc(n);
    memset(text, ' ', n);
    memcpy(text, "{\"id\":3,\"op\":", 13);
    StreamRequest l = line_of((Str){text, n});
    assert_non_null(l.bad);
    assert_true(str_is(l.id, "3"));
    memcpy(text, "{\"id\":3,\"op\":\"o\",\"source\":\"s\"}", 30);
    assert_null(line_of((Str){text, n - 1}).bad); // the longest that is read
    free(text);
}

static int forget(void **state) {
    (void)state;
    arena_free(&arena);
    return 0;
}

int main(void) {
#define TEST(f) cmocka_unit_test_teardown(f, forget)
    const struct CMUnitTest tests[] = {
        TEST(a_request_is_read),
        TEST(a_bad_line_says_why_with_its_id),
        TEST(a_group_has_a_name_and_a_number),
        TEST(a_line_that_is_too_long_is_answered),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
