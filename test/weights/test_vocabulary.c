// The tokenizer of a model folder as the arrays that GGUF has for it.
#include "weights/quant/quantised.h"

// ---- the tokenizer

#define LLAMA3_SPLIT                                                                       \
    "(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\\\r\\\\n\\\\p{L}\\\\p{N}]?\\\\p{L}+|\\\\p{N}{1,3}| " \
    "?[^\\\\s\\\\p{L}\\\\p{N}]+[\\\\r\\\\n]*|"                                             \
    "\\\\s*[\\\\r\\\\n]+|\\\\s+(?!\\\\S)|\\\\s+"

static const char *tokenizer_json(const char *split, const char *ignore_merges) {
    return arena_printf(
        &arena,
        "{\"version\":\"1.0\",\"added_tokens\":[{\"id\":4,\"content\":\"<s>\",\"special\":true,\"single_"
        "word\":false,"
        "\"lstrip\":false,\"rstrip\":false,\"normalized\":false},{\"id\":5,\"content\":\"<think>\","
        "\"special\":false,"
        "\"single_word\":false,\"lstrip\":false,\"rstrip\":false,\"normalized\":false}],\"normalizer\":null,"
        "\"pre_tokenizer\":{\"type\":\"Sequence\",\"pretokenizers\":[{\"type\":\"Split\",\"pattern\":{"
        "\"Regex\":\"%s\"},"
        "\"behavior\":\"Isolated\",\"invert\":false},{\"type\":\"ByteLevel\",\"add_prefix_space\":false,"
        "\"trim_offsets\":true,\"use_regex\":false}]},\"post_processor\":null,"
        "\"decoder\":{\"type\":\"ByteLevel\",\"add_prefix_space\":true,\"trim_offsets\":true,\"use_regex\":"
        "true},"
        "\"model\":{\"type\":\"BPE\",\"ignore_merges\":%s,\"vocab\":{\"a\":0,\"b\":1,\"ab\":2,\"\\u0120\":3},"
        "\"merges\":[[\"a\",\"b\"]]}}",
        split, ignore_merges);
}

static void test_vocabulary(void **state) {
    (void)state;
    Tensors t = tensors_of(&arena, false, true);
    const char *folder = model_folder(&arena, config_with(&arena, "{\"bos_token_id\":4}"), &t);
    const char *to = arena_printf(&arena, "%s/out.gguf", folder);
    QuantiseReport r;
    Err e;
    text_put(&arena, folder, "chat_template.jinja", "{{ x }}");
    text_put(&arena, folder, "tokenizer.json", tokenizer_json(LLAMA3_SPLIT, "true"));
    if (!writes(folder, to, FTYPE_q8_0, &r, &e)) fail_msg("%s", e.msg);
    Checkpoint *c = opened(to);
    const TokenizerSource *v = &c->vocabulary;
    assert_true(v->count == VOCAB && str_is(v->pre, "llama-bpe") && v->add_bos == 0 && v->bos == 4);
    assert_true(str_is(v->tokens[2], "ab") && str_is(v->tokens[3], "\xc4\xa0") &&
                v->kinds[2] == TOKEN_NORMAL);
    assert_true(str_is(v->tokens[4], "<s>") && v->kinds[4] == TOKEN_CONTROL);
    assert_true(str_is(v->tokens[5], "<think>") && v->kinds[5] == TOKEN_USER_DEFINED);
    assert_true(str_is(v->tokens[32], "[PAD32]") && v->kinds[32] == TOKEN_UNUSED &&
                v->kinds[6] == TOKEN_UNUSED);
    assert_true(v->merge_count == 1 && str_is(v->merges[0], "a b") && str_is(c->chat_template, "{{ x }}"));
    checkpoint_close(c);
    // What GGUF has no name for.
    text_put(&arena, folder, "tokenizer.json", tokenizer_json("[a-z]+", "true"));
    assert_false(writes(folder, to, FTYPE_q8_0, &r, &e));
    assert_says(e, "GGUF has no name for the way this tokenizer splits text");
    text_put(&arena, folder, "tokenizer.json", tokenizer_json(LLAMA3_SPLIT, "false"));
    assert_false(writes(folder, to, FTYPE_q8_0, &r, &e));
    assert_says(e, "GGUF has no name");
    text_put(&arena, folder, "tokenizer.json", "{\"model\":{}}");
    assert_false(writes(folder, to, FTYPE_q8_0, &r, &e));
    static const char *const strips[] = {"\"lstrip\":", "\"rstrip\":"};
    for (int i = 0; i < 2; i++) {
        const char *json = tokenizer_json(LLAMA3_SPLIT, "true"), *at = strstr(json, "<think>");
        assert_non_null(at);
        at = strstr(at, strips[i]);
        assert_non_null(at);
        at += strlen(strips[i]);
        text_put(&arena, folder, "tokenizer.json",
                 arena_printf(&arena, "%.*strue%s", (int)(at - json), json, at + strlen("false")));
        assert_false(writes(folder, to, FTYPE_q8_0, &r, &e));
        assert_says(e, "the token \"<think>\" takes the blanks beside it, which GGUF cannot say");
    }
    folder_remove(folder);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_vocabulary),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
