// Literals of a definition: hostile ones end in a finding.
#include "op/defined.h"

static void hostile(void **state) {
    (void)state;
    Buf b = BUF(&arena);
    buf_puts(&b, DOC "inputs = ");
    for (int i = 0; i < 5000; i++) buf_puts(&b, "{'a':");
    refuses(buf_cstr(&b), "", NULL);
    b = BUF(&arena);
    for (int i = 0; i < OP_SOURCE_MAX; i++) buf_putc(&b, '#');
    buf_puts(&b, "\n" DOC X BODY);
    refuses(buf_cstr(&b), "at most 65536 bytes", NULL);
    b = BUF(&arena);
    buf_puts(&b, "\"\"\"");
    for (int i = 0; i < 400; i++) buf_puts(&b, "\xc3\xa4\\x1b[31m");
    buf_puts(&b, "\"\"\"\n" X BODY);
    Op op;
    accepts(buf_cstr(&b), &op);
    assert_true(op.notes.len <= 300 && utf8_valid(op.notes));
    assert_null(memchr(op.notes.p, 0x1b, op.notes.len));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hostile),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    arena_free(&arena);
    return failed;
}
