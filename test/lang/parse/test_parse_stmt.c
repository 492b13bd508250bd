// Statements and blocks, and how deep they may go.
#include "lang/parse/trees.h"

// One construct nested to the limit parses, prints and reads back; one deeper is an error with a message.
static void check_nesting(const char *open, const char *middle, const char *close, int deepest) {
    for (int over = 0; over < 2; over++) {
        Buf b = BUF(&arena);
        for (int i = 0; i < deepest + over; i++) buf_puts(&b, open);
        buf_puts(&b, middle);
        for (int i = 0; i < deepest + over; i++) buf_puts(&b, close);
        if (over)
            refused(buf_str(&b), "nested more than");
        else {
            const Node *n = parse_str(buf_str(&b));
            assert_true(node_equal(n, parse_text(printed(n))));
        }
    }
    refused(repeated("", open, 50000, middle), "nested more than");
}

static void test_limit_of_nesting(void **state) {
    (void)state;
    check_nesting("(", "x", ")", NESTING_MAX);
    check_nesting("[", "x", "]", NESTING_MAX);
    check_nesting("{1: ", "x", "}", NESTING_MAX);
    check_nesting("{**", "x", "}", NESTING_MAX);
    check_nesting("f(", "x", ")", NESTING_MAX);
    check_nesting("x[", "x", "]", NESTING_MAX);
    check_nesting("not ", "x", "", NESTING_MAX);
    check_nesting("-", "x", "", NESTING_MAX);
    check_nesting("~ + ", "x", "", NESTING_MAX / 2);
    check_nesting("x ** ", "x", "", NESTING_MAX);
    check_nesting("lambda: ", "x", "", NESTING_MAX);
    check_nesting("lambda x=", "x", ": x", NESTING_MAX);
    check_nesting("a if b else ", "x", "", NESTING_MAX);
    check_nesting("(*", "x", ",)", NESTING_MAX);
    check_nesting("[x for x in ", "x", "]", NESTING_MAX);
    check_nesting("(y := ", "x", ")", NESTING_MAX);
    check_nesting("f(a, *b, k=", "x", ")", NESTING_MAX);
    check_nesting("x[a:", "x", "]", NESTING_MAX);
    check_nesting("f'{", "x", "}'", NESTING_MAX);
    check_nesting("f'{x:{", "x", "}}'", NESTING_MAX / 2);
}

static void test_limit_of_blocks(void **state) {
    (void)state;
    for (int over = 0; over < 2; over++) {
        Buf b = BUF(&arena);
        for (int i = 0; i < NESTING_MAX + over; i++) {
            for (int k = 0; k < i; k++) buf_putc(&b, ' ');
            buf_puts(&b, "if x:\n");
        }
        for (int k = 0; k < NESTING_MAX + over; k++) buf_putc(&b, ' ');
        buf_puts(&b, "y\n");
        if (over)
            refused(buf_str(&b), "nested more than");
        else {
            const Node *n = parse_str(buf_str(&b));
            assert_true(node_equal(n, parse_text(printed(n))));
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(test_limit_of_blocks),
        TEST(test_limit_of_nesting),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
