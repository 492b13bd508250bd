// The arrays of a GGUF file's tokenizer.
#include "text/tokens.h"

// ---- the same as arrays ----

static TokenizerSource arrays_of(Arena *a, Str json, const char *pre, const char *bos) {
    json_t *o = json_loadb(json.p, json.len, 0, NULL), *model = json_object_get(o, "model");
    json_t *vocab = json_object_get(model, "vocab"), *added = json_object_get(o, "added_tokens"), *value;
    json_t *merges = json_object_get(model, "merges");
    const char *key;
    int n = (int)(json_object_size(vocab) + json_array_size(added));
    Str *token = NEWN(a, Str, (size_t)n);
    int32_t *kind = NEWN(a, int32_t, (size_t)n);
    TokenizerSource s = {.name = "t.gguf",
                         .tokens = token,
                         .kinds = kind,
                         .count = n,
                         .pre = str_of(pre),
                         .bos = -1,
                         .add_bos = -1};
    json_object_foreach(vocab, key, value) {
        token[json_integer_value(value)] = str_dup(a, str_of(key));
        kind[json_integer_value(value)] = TOKEN_NORMAL;
    }
    for (size_t i = 0; i < json_array_size(added); i++) {
        json_t *t = json_array_get(added, i);
        json_int_t id = json_integer_value(json_object_get(t, "id"));
        token[id] = str_dup(a, str_of(json_string_value(json_object_get(t, "content"))));
        kind[id] = json_is_true(json_object_get(t, "special")) ? TOKEN_CONTROL : TOKEN_USER_DEFINED;
        if (bos && str_is(token[id], bos)) s.bos = (int)id;
    }
    Str *merge = NEWN(a, Str, json_array_size(merges));
    s.merges = merge;
    s.merge_count = (int)json_array_size(merges);
    for (int i = 0; i < s.merge_count; i++) {
        json_t *m = json_array_get(merges, (size_t)i);
        merge[i] = str_of(arena_printf(a, "%s %s", json_string_value(json_array_get(m, 0)),
                                       json_string_value(json_array_get(m, 1))));
    }
    json_decref(o);
    return s;
}

static void test_arrays(void **state) {
    (void)state;
    static const char *const pre[] = {"llama-bpe", "qwen2", "qwen35", "minicpm5"};
    for (int f = 0; f < 4; f++) {
        Arena a = {0};
        Err e = {0};
        TokenizerSource s =
            arrays_of(&a, golden(&a, families[f], ".json"), pre[f], f == 0 ? "<|begin_of_text|>" : NULL);
        Tokenizer *t;
        int cases;
        if (!tokenizer_open(&a, &s, &t, &e)) fail_msg("%s", e.msg);
        assert_int_equal(differ(&a, t, golden(&a, families[f], ".jsonl"), &cases), 0);
        tokenizer_close(t);
        if (f == 0) {
            s.add_bos = 0; // the file's word wins over the family's
            assert_true(tokenizer_open(&a, &s, &t, &e));
            assert_int_equal(encode(t, &a, STR(""), true, true).count, 0);
            tokenizer_close(t);
        }
        s.add_bos = 1;
        s.bos = -1;
        assert_false(tokenizer_open(&a, &s, &t, &e));
        s.bos = s.count;
        assert_false(tokenizer_open(&a, &s, &t, &e));
        s.add_bos = 0;
        s.bos = -1;
        s.pre = STR("deepseek-llm\x1b");
        assert_false(tokenizer_open(&a, &s, &t, &e));
        s.pre = str_of(pre[f]);
        ((Str *)s.merges)[5] = STR("nothing");
        assert_false(tokenizer_open(&a, &s, &t, &e));
        ((Str *)s.merges)[5] = STR("Zq Zx");
        assert_false(tokenizer_open(&a, &s, &t, &e));
        s.merge_count = 0;
        ((Str *)s.tokens)[300] = s.tokens[301];
        assert_false(tokenizer_open(&a, &s, &t, &e));
        ((Str *)s.tokens)[300] = STR("\xff\xfe");
        assert_false(tokenizer_open(&a, &s, &t, &e));
        ((Str *)s.tokens)[300] = STR("Ġunheard");
        assert_true(tokenizer_open(&a, &s, &t, &e));
        tokenizer_close(t);
        ((int32_t *)s.kinds)[7] = 9;
        assert_false(tokenizer_open(&a, &s, &t, &e));
        arena_free(&a);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_arrays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
