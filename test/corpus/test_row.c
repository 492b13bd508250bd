// Lines from elsewhere: every form is read, and everything hostile is told in one sentence.
#include "corpus/row.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "lang/ast.h"

static bool reads(Arena *a, const char *line, Row *out) {
    Err e = {0};
    bool ok = row_read(a, str_of(line), out, &e);
    assert_true(ok || *e.msg);
    return ok;
}
static void refused(const char *line, const char *why) {
    Arena a = {0};
    Err e = {0};
    Row row;
    if (row_read(&a, str_of(line), &row, &e)) fail_msg("%.99s is read", line);
    if (!strstr(e.msg, why)) fail_msg("%s: %s", line, e.msg);
    if (strchr(e.msg, '\n')) fail_msg("two lines: %s", e.msg);
    arena_free(&a);
}

static void every_form_is_read(void **state) {
    (void)state;
    Arena a = {0};
    Row r;
    assert_true(reads(
        &a, "{\"op\": \"o\", \"source\": \"def run(x): pass\", \"license\": \"MIT\", \"status\": \"ok\"}",
        &r));
    assert_true(str_is(r.op, "o") && str_is(r.source, "def run(x): pass") && str_is(r.licence, "MIT"));
    assert_true(reads(&a,
                      "{\"python_code\": \"class Model: pass\", \"triton_code\": \"def call(args): pass\", "
                      "\"licenses\": [\"MIT\", \"BSD-3-Clause\"], \"repo_name\": \"a/b\"}",
                      &r));
    assert_true(str_is(r.module, "class Model: pass") && str_is(r.licence, "MIT, BSD-3-Clause") &&
                str_is(r.origin, "a/b") && !r.op.len);
    assert_true(reads(
        &a, "{\"prompt\": \"p\", \"completion\": \"so:\\n```python\\ndef run(x): pass\\n```\\n\"}", &r));
    assert_true(str_starts(r.source, "def run(x): pass"));
    assert_true(reads(&a,
                      "{\"messages\": [{\"role\": \"user\", \"content\": \"p\"}, {\"role\": \"assistant\", "
                      "\"content\": \"```python\\ndef run(y): pass\\n```\"}], \"op\": \"o\"}",
                      &r));
    assert_true(str_starts(r.source, "def run(y): pass"));
    assert_true(reads(&a,
                      "{\"prompt\": [{\"role\": \"user\", \"content\": \"p\"}], \"completion\": [{\"role\": "
                      "\"assistant\", \"content\": \"```python\\ndef run(z): pass\\n```\"}]}",
                      &r));
    assert_true(str_starts(r.source, "def run(z): pass"));
    arena_free(&a);
}

static void hostile_lines_are_told(void **state) {
    (void)state;
    refused("", "line 1");
    refused("[1]", "a JSON object belongs here");
    refused("{\"op\": \"o\"", "line 1");
    refused("{\"op\": \"o\", \"op\": \"p\", \"source\": \"x\"}", "duplicate");
    refused("{\"op\": \"o\", \"source\": \"\xff\xfe\"}", "decode byte");
    refused("{\"op\": \"o\", \"source\": \"a\\u0000b\"}", "line 1");
    refused("{\"op\": \"o\", \"source\": \"\\ud800\"}", "line 1");
    refused("{\"op\": 7, \"source\": \"x\"}", "\"op\": a text belongs here");
    refused("{\"source\": [\"x\"]}", "\"source\": a text belongs here");
    refused("{\"source\": \"\"}", "empty");
    refused("{\"source\": null}", "empty");
    refused("{\"triton_code\": {}}", "\"triton_code\": a text belongs here");
    refused("{\"triton_code\": \"x\", \"licenses\": [1]}", "short texts");
    refused("{\"messages\": []}", "messages belong here");
    refused("{\"messages\": [3]}", "messages belong here");
    refused("{\"messages\": [{\"role\": \"user\", \"content\": \"x\"}]}", "none of the assistant");
    refused("{\"messages\": [{\"role\": [], \"content\": \"x\"}]}", "a text belongs here");
    refused("{\"completion\": \"no code here\"}", "holds no kernel");
    refused("{\"completion\": {}}", "a text belongs here");
    refused("{\"text\": \"x\"}", "neither");
    Arena a = {0};
    Buf b = BUF(&a);
    buf_puts(&b, "{\"source\": \"");
    for (int i = 0; i < SOURCE_MAX + 1; i++) buf_putc(&b, 'x');
    buf_puts(&b, "\"}");
    refused(buf_cstr(&b), "longer than");
    b.len = 0;
    for (int i = 0; i < 5000; i++) buf_puts(&b, "{\"op\":["); // too deep
    refused(buf_cstr(&b), "line 1");
    arena_free(&a);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_form_is_read),
                                       cmocka_unit_test(hostile_lines_are_told)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
