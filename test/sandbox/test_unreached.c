// Which lines that never ran can matter; and what a child says of them is read strictly.
#include "lang/ast.h"
#include "sandbox/unreached.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static const char source[] = "def run(x):\n"
                             "    M, N = x.shape\n" // 2
                             "    if x.dim() != 2:\n"
                             "        x = x.view(-1, N)\n" // a rank outside of the domain
                             "    if N > 70000:\n"
                             "        message = 'long'\n"
                             "        raise ValueError(message)\n" // only raises
                             "    if N == 384 and M == 7:\n"
                             "        return x\n"           // 9
                             "    s = 3 if M == 1 else 4\n" // 10
                             "    return s\n";
static const VariesInputs one = {.n = 1, .rank = {2}};
#define AT(text) (uint32_t)(strstr(source, text) - source)

static void what_can_matter_is_found(void **state) {
    (void)state;
    Arena a = {0};
    DiagList d = DIAGS(&a);
    const Node *m = parse_module(&a, STR(source), &d);
    Cover c = {.n = sizeof source - 1, .at = NEWN(&a, uint8_t, sizeof source)};
    static const char *const ran[] = {"M, N",  "if x.dim",        "if N > 7", "if N == 384",
                                      "s = 3", "4\n    return s", "return s"};
    for (size_t i = 0; i < sizeof ran / sizeof *ran; i++) cover_mark(&c, AT(ran[i]), COVER_HOST);
    Unreached u, back, none;
    unreached_find(&a, m, &c, &one, &u);
    assert_int_equal(u.places, 2);
    assert_int_equal(u.place[0].from, AT("return x"));
    assert_int_equal(u.place[0].at, AT("N == 384"));
    assert_int_equal(u.place[1].from, AT("3 if"));
    Buf text = BUF(&a);
    unreached_say(&u, &text);
    const char *p = buf_cstr(&text);
    assert_true(unreached_read(&p, &back) && !*p);
    assert_memory_equal(&u, &back, sizeof u);
    cover_mark(&c, AT("3 if"), COVER_HOST);
    cover_mark(&c, AT("return x"), COVER_HOST);
    unreached_find(&a, m, &c, &one, &none);
    assert_false(unreached_any(&none));
    unreached_meet(&u, &none);
    assert_false(unreached_any(&u));
    arena_free(&a);
}

static void texts_are_read_strictly(void **state) {
    (void)state;
    Unreached u;
    static const char *const good[] = {"", " lines 3", " unreached 01", " unreached 0f at 0:1:2:3 2:9:2:3",
                                       " unreached  +"};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        const char *p = good[i];
        assert_true(unreached_read(&p, &u));
        assert_int_equal(unreached_any(&u), i >= 2);
    }
    static const char *const bad[] = {" unreached ",
                                      " unreached 0",
                                      " unreached 00",
                                      " unreached 01 at",
                                      " unreached 01 at 0:1:2",
                                      " unreached 01 at 1:1:2:3", // no such bit
                                      " unreached 03 at 1:1:2:3 0:1:2:3",
                                      " unreached 01 at 00:1:2:3",
                                      " unreached 01 at 0:1:2:99999999",
                                      " unreached ff at 0:1:2:3 1:1:2:3 2:1:2:3 3:1:2:3 4:1:2:3"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        const char *p = bad[i];
        if (unreached_read(&p, &u)) fail_msg("%s", bad[i]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_can_matter_is_found),
                                       cmocka_unit_test(texts_are_read_strictly)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
