// Which of the known templates a model's own is.
#include "text/chats.h"

// What differs between versions without changing these turns.
static void test_detect(void **state) {
    (void)state;
    Arena a = {0};
    for (int i = 0; chat_at(i); i++)
        assert_string_equal(detected(chat_live(chat_at(i))), chat_name(chat_at(i)));
    Str qwen = chat_live(family("qwen25"));
    const char *first = "{%if messages[0].role=='system'%}", *loop = "{%for message in messages%}";
    const char *user = "{%if(message.role=='user')";
    assert_string_equal(
        detected(replaced(&a, qwen, first, "{#- hello #}\n{%- if messages[0][\"role\"] == 'system' -%}  ")),
        "qwen25");
    assert_string_equal(detected(replaced(&a, qwen, first, "{%if messages[0][ \t'role'\n]=='system'%}")),
                        "qwen25");
    assert_string_equal(detected(replaced(&a, qwen, first, "{%if messages[0][ 'role' + '']=='system'%}")),
                        "");
    assert_string_equal(
        detected(replaced(
            &a,
            replaced(&a, qwen, first,
                     "{%- if tools %}{{- 'Tools!' }}{%- else %}\n {%- if messages[0].role == 'system'%}"),
            loop, "{%endif%}{%for message in messages%}")),
        "qwen25");
    assert_string_equal(
        detected(replaced(&a, qwen, user,
                          "{% if message.role == \"tool\" %}{{- message }}{% elif (message.role=='user')")),
        "qwen25");
    // What Jinja takes away by itself: a newline behind a statement, the blanks of a line that begins with
    // one.
    assert_string_equal(detected(replaced(&a, qwen, "prompt%}", "prompt%}\n")), "qwen25");
    assert_string_equal(detected(replaced(&a, qwen, "prompt%}", "prompt%}\n ")), "");
    assert_string_equal(detected(replaced(&a, qwen, loop, "\n  {%for message in messages%}\n\t{#x#}\n")),
                        "qwen25");
    Buf b = BUF(&a);
    buf_str_put(&b, qwen);
    buf_puts(&b, "\n");
    assert_string_equal(detected(buf_str(&b)), "qwen25");
    arena_free(&a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_detect),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
