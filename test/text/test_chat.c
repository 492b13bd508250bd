// Chat templates: recognised by what runs, refused when anything that runs is different, rendered to the
// byte.
#include "text/chats.h"

static void check(const char *name, const char *system, const char *user, bool think, const char *want) {
    Arena a = {0};
    Buf b = BUF(&a);
    ChatTurn turn = {.user = str_of(user), .think = think};
    if (system) turn.system = str_of(system);
    chat_render(family(name), &turn, &b);
    assert_string_equal(buf_cstr(&b), want);
    arena_free(&a);
}

static void test_render(void **state) {
    (void)state;
    check("minicpm5", " S ", " U\n", false,
          "<s><|im_start|>system\n S <|im_end|>\n<|im_start|>user\n "
          "U\n<|im_end|>\n<|im_start|>assistant\n<think>\n\n</think>\n\n");
    check("minicpm5", NULL, "U", true, "<s><|im_start|>user\nU<|im_end|>\n<|im_start|>assistant\n<think>\n");
    check("qwen35", " S\u3000", "\x1f U\n", false,
          "<|im_start|>system\nS<|im_end|>\n<|im_start|>user\nU<|im_end|>\n<|im_start|>assistant\n<think>"
          "\n\n</think>\n\n");
    check("qwen35", NULL, "", true, "<|im_start|>user\n<|im_end|>\n<|im_start|>assistant\n<think>\n");
    check("qwen25", "", "U ", true,
          "<|im_start|>system\n<|im_end|>\n<|im_start|>user\nU <|im_end|>\n<|im_start|>assistant\n");
    check(
        "qwen25", NULL, "U", false,
        "<|im_start|>system\nYou are Qwen, created by Alibaba Cloud. You are a helpful assistant.<|im_end|>\n"
        "<|im_start|>user\nU<|im_end|>\n<|im_start|>assistant\n");
    check("llama31", NULL, "\u2028U\u180e", false,
          "<|begin_of_text|><|start_header_id|>system<|end_header_id|>\n\nCutting Knowledge Date: December "
          "2023\n"
          "Today Date: 26 Jul 2024\n\n<|eot_id|><|start_header_id|>user<|end_header_id|>\n\nU\u180e<|eot_id|>"
          "<|start_header_id|>assistant<|end_header_id|>\n\n");
    check("llama31", " S ", "U", false,
          "<|begin_of_text|><|start_header_id|>system<|end_header_id|>\n\nCutting Knowledge Date: December "
          "2023\n"
          "Today Date: 26 Jul 2024\n\nS<|eot_id|><|start_header_id|>user<|end_header_id|>\n\nU<|eot_id|>"
          "<|start_header_id|>assistant<|end_header_id|>\n\n");
    assert_true(str_is(chat_end(family("qwen25")), "<|im_end|>") &&
                str_is(chat_end(family("llama31")), "<|eot_id|>"));
    Err e = {0};
    const ChatFamily *f;
    assert_false(chat_by_name("mistral\x1b", &f, &e));
    assert_int_equal(e.code, ERR_USAGE);
    assert_non_null(strstr(e.msg, "mistral?") ? strstr(e.msg, "minicpm5") : NULL);
}

static void test_reply(void **state) {
    (void)state;
    const ChatFamily *f = family("qwen35");
    assert_true(str_is(chat_reply(f, STR("plain\n")), "plain\n"));
    assert_true(str_is(chat_reply(f, STR("<think>\nhm\n</think>\n\ncode")), "code"));
    assert_true(str_is(chat_reply(f, STR("\n<think></think>")), ""));
    assert_true(str_is(chat_reply(f, STR("<think> for ever")), ""));
    assert_true(str_is(chat_reply(f, STR("a <think>x</think>")), "a <think>x</think>"));
    assert_true(str_is(chat_reply(family("llama31"), STR("<think>x</think>y")), "<think>x</think>y"));
}

static void test_refused(void **state) {
    (void)state;
    static const struct {
        const char *family, *what, *with;
    } cases[] = {
        {"qwen25", "You are Qwen", "You are Kwen"},              // another default system turn
        {"qwen25", "message.content+", "message.content|trim+"}, // another treatment of blanks
        {"qwen25", "{%endfor%}", "{%endfor%}\n\n"},              // a newline that is written
        {"qwen25", "{%endfor%}", "{%endfor%} "},
        {"qwen25", "{%endfor%}", " {%endfor%}"},
        {"qwen25", "{%else%}", "\n{%else%}"},
        {"minicpm5", "{{bos_token}}", "\n{{bos_token}}"},
        {"minicpm5", "{{bos_token}}", " {{bos_token}}"},
        {"minicpm5", "{{bos_token}}", "{{bos_token}}\n"},
        {"qwen25", "{%endfor%}", "{%endfor%}text"},
        {"qwen25", "assistant\\n'}}", "assistant\\n'}}\n"},
        {"qwen25", "assistant\\n", "assistant"},
        {"qwen25", "{%endfor%}", ""},
        {"qwen25", "==", "= ="},
        {"qwen25", "{%else%}", "{%else %%}"},
        {"minicpm5", "{{bos_token}}", "{{ -bos_token}}"},
        {"minicpm5", "{{bos_token}}", "{{bos_token} }}"},
        {"minicpm5", "}}", "} }"},
        {"qwen25", "{%endfor%}", "{%endif%}"},
        {"qwen25", "{%else%}", "{%else x%}"},
        {"qwen25", "{%else%}", "{%else%}{%else%}"},
        {"qwen25", "<|im_end|>", "<|im_end|"},
        {"qwen25", "{%if messages", "{%if messages [0"},
        {"qwen35", "|trim", ""},
        {"qwen35", "{%if not messages%}", "{%if true%}"},
        {"qwen35", "false", "true"},
        {"minicpm5", "{{bos_token}}", ""},
        {"minicpm5", "is true", "is false"},
        {"llama31", "26 Jul 2024", "27 Jul 2024"},
        {"llama31", "date_string=", "date_strinG="},
        {"llama31", "{{system_message}}", "{{system_message}}{{' '}}"},
    };
    Arena a = {0};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *got =
            detected(replaced(&a, chat_live(family(cases[i].family)), cases[i].what, cases[i].with));
        if (*got)
            fail_msg("%s with %s for %s is taken for %s", cases[i].family, cases[i].with, cases[i].what, got);
    }
    static const char *const forms[] = {"",
                                        " ",
                                        "x",
                                        "{{",
                                        "{%",
                                        "{#",
                                        "{{ 'a",
                                        "{% if %}",
                                        "{%endif%}",
                                        "{%else%}",
                                        "{%if a%}{%else%}{%elif b%}{%endif%}",
                                        "{%for a%}",
                                        "{%for a%}{%endset%}",
                                        "{%if a%}",
                                        "{{a}}",
                                        "{{a}}\n",
                                        "{%raw%}x{%endraw%}",
                                        "{{-",
                                        "{%-%}",
                                        "{{'\\"};
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        assert_string_equal(detected(str_of(forms[i])), "");
    Buf deep = BUF(&a);
    for (int i = 0; i < 3000; i++) buf_puts(&deep, "{%if a%}");
    assert_string_equal(detected(buf_str(&deep)), "");
    for (int i = 0; i < 3000; i++) buf_puts(&deep, "{{a}}");
    assert_string_equal(detected(buf_str(&deep)), "");
    char *large = NEWN(&a, char, 300 << 10);
    memset(large, ' ', 300 << 10);
    assert_string_equal(detected((Str){large, 300 << 10}), "");
    arena_free(&a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_render),
        cmocka_unit_test(test_reply),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
