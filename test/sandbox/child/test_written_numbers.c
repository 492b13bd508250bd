// Numbers of a source: as they stand, computed from each other, and in short texts.
#include "lang/parse/parse.h"
#include "sandbox/child/written_numbers.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static bool found;
static int64_t wanted;

static void look(void *arg, int64_t x) {
    (void)arg;
    found |= x == wanted;
    assert_true(x >= 2 && x <= INT32_MAX);
}

static bool writes(const char *source, int64_t x) {
    Arena a = {0};
    DiagList diags = DIAGS(&a);
    const Node *module = parse_module(&a, str_of(source), &diags);
    if (!module) fail_msg("%s", diag_first(&diags)->msg);
    found = false;
    wanted = x;
    written_numbers(module, look, NULL);
    arena_free(&a);
    return found;
}

static void numbers_are_found(void **state) {
    (void)state;
    assert_true(writes("x = 90001\n", 90001));
    assert_true(writes("x = f(300 * 300)\n", 90000));
    assert_true(writes("x = 1 << 17\n", 1 << 17));
    assert_true(writes("x = -max(-m, -99000)\n", 99000));
    assert_true(writes("x = \"37x1009\"\n", 1009));
    assert_true(writes("x = 1e5\n", 100000));
    assert_false(writes("x = 1 + y\n", 1));
    assert_false(writes("x = k * k\n", 90000));
    assert_false(writes("x = 2 ** 31 * 4\n", (int64_t)1 << 33));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(numbers_are_found)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
