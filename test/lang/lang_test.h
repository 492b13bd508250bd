// What the tests of lang/ share: an arena for each test and short ways to parse and print.
#pragma once
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
// cmocka wants the headers above first.
#include <cmocka.h>

#include "lang/ast.h"

static Arena arena;

static inline int arena_setup(void **state) {
    (void)state;
    arena = (Arena){0};
    return 0;
}
static inline int arena_teardown(void **state) {
    (void)state;
    arena_free(&arena);
    return 0;
}

// The tree, or NULL with the first finding in *found (may be NULL).
static inline Node *try_parse(Str source, Diag *found) {
    DiagList d = DIAGS(&arena);
    Node *n = parse_module(&arena, source, &d);
    if (!n) {
        assert_int_equal(d.count, 1);
        bool unread = strstr(d.at[0].msg, "statements are not supported"); // valid Python all the same
        assert_int_equal(d.at[0].kind, unread ? DIAG_UNSUPPORTED : DIAG_SYNTAX);
        assert_true(d.at[0].span.at <= source.len);
    } else
        assert_int_equal(d.count, 0);
    if (found && !n) *found = d.at[0];
    return n;
}

static inline Node *parse_str(Str source) {
    Diag found;
    Node *n = try_parse(source, &found);
    if (!n) fail_msg("%.*s\n%s", (int)(source.len < 2000 ? source.len : 2000), source.p, found.msg);
    return n;
}

static inline Node *parse_text(const char *source) { return parse_str(str_of(source)); }

static inline const char *printed(const Node *n) {
    Buf b = BUF(&arena);
    print_node(&b, n);
    return buf_cstr(&b);
}

static inline const char *canonical(const char *source) {
    Buf b = BUF(&arena);
    print_canonical(&b, parse_text(source));
    return buf_cstr(&b);
}

// `n` times `part` between `before` and `after`.
static inline Str repeated(const char *before, const char *part, int n, const char *after) {
    Buf b = BUF(&arena);
    buf_puts(&b, before);
    for (int i = 0; i < n; i++) buf_puts(&b, part);
    buf_puts(&b, after);
    return buf_str(&b);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, arena_setup, arena_teardown)
