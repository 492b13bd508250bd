// tokenizer.json key by key, and what is refused.
#include "text/tokens.h"

static bool opens(Arena *a, const Parts *p, Tokenizer **t, Err *e) {
    *e = (Err){0};
    return tokenizer_open(a, &(TokenizerSource){.name = "t.json", .json = written(a, p)}, t, e);
}

static void assert_ids(const Tokenizer *t, Arena *a, const char *text, bool special, int n, const int *want) {
    Tokens got = encode(t, a, str_of(text), special, true);
    if (got.count != n) fail_msg("%s: %d ids, not %d", text, got.count, n);
    for (int i = 0; i < n; i++)
        if (got.id[i] != want[i]) fail_msg("%s: id %d is %d, not %d", text, i, (int)got.id[i], want[i]);
}
#define IDS(t, a, text, special, ...) \
    assert_ids(t, a, text, special, (int)(sizeof((int[]){__VA_ARGS__}) / sizeof(int)), (int[]){__VA_ARGS__})

static void test_keys(void **state) {
    (void)state;
    Arena a = {0};
    Err e;
    Tokenizer *t;
    Parts p = plain;
    if (!opens(&a, &p, &t, &e)) fail_msg("%s", e.msg);
    IDS(t, &a, "abcab a", true, 257, 256, 258);
    IDS(t, &a, "é\xcc\x81", true, 259, 0xcc, 0x81);
    assert_int_equal(tokenizer_size(t), 260);
    assert_int_equal(tokenizer_find(t, STR("abc")), 257);
    assert_int_equal(tokenizer_find(t, STR(" a")), 258);
    assert_int_equal(tokenizer_find(t, STR("abcd")), -1);
    assert_int_equal(tokenizer_find(t, STR("")), -1);
    assert_int_equal(tokenizer_kind(t, 260), TOKEN_UNUSED); // a model's rows go on beyond the tokenizer's
    assert_int_equal(tokenizer_bytes(t, -1).len, 0);
    tokenizer_close(t);

    p.normalizer = "{\"type\":\"Sequence\",\"normalizers\":[{\"type\":\"NFC\"}]}";
    p.added =
        "[{\"id\":261,\"content\":\"<u>\",\"special\":false,\"normalized\":false,\"rstrip\":true},"
        "{\"id\":260,\"content\":\"<s>\",\"special\":true,\"normalized\":false},"
        "{\"id\":97,\"content\":\"a\",\"special\":false,\"normalized\":false},{\"id\":1,\"content\":\"\"}]";
    p.post = "{\"type\":\"Sequence\",\"processors\":[{\"type\":\"ByteLevel\"},{\"type\":"
             "\"TemplateProcessing\",\"single\":[{\"SpecialToken\":{\"id\":\"<s>\"}},"
             "{\"Sequence\":{\"id\":\"A\"}}],\"pair\":[],\"special_tokens\":{\"<s>\":{\"id\":\"<s>\",\"ids\":"
             "[260]}}}]}";
    p.model = ",\"dropout\":null,\"unk_token\":\"a\",\"continuing_subword_prefix\":\"\",\"end_of_word_"
              "suffix\":null,\"fuse_unk\":true,\"byte_fallback\":true";
    if (!opens(&a, &p, &t, &e)) fail_msg("%s", e.msg);
    IDS(t, &a, "e\xcc\x81<u> \n<s>b", true, 260, 259, 261, 260, 'b');
    IDS(t, &a, "ab<s>", false, 260, 97, 'b', '<', 's',
        '>'); // an added token is found before merging; a special one is not
    assert_int_equal(encode(t, &a, STR("b"), true, false).count, 1);
    assert_int_equal(tokenizer_kind(t, 260), TOKEN_CONTROL);
    assert_int_equal(tokenizer_kind(t, 261), TOKEN_USER_DEFINED);
    int32_t ids[] = {260, 0xc3, 'x', 0xc3, 0xa9, 261, 400};
    assert_true(str_is(decode(t, &a, ids, 7, false), "\xef\xbf\xbdxé<u>"));
    assert_true(str_is(decode(t, &a, ids, 7, true), "<s>\xef\xbf\xbdxé<u>"));
    assert_true(str_is(decode(t, &a, ids, 2, false), "\xef\xbf\xbd"));
    tokenizer_close(t);

    p = plain;
    p.model = ",\"ignore_merges\":true";
    p.merges = "[]";
    if (!opens(&a, &p, &t, &e)) fail_msg("%s", e.msg);
    IDS(t, &a, "abc abd", true, 257, ' ', 'a', 'b', 'd');
    tokenizer_close(t);
    arena_free(&a);
}

static void test_refused(void **state) {
    (void)state;
#define BYTE_LEVEL  "{\"type\":\"ByteLevel\",\"add_prefix_space\":false,\"use_regex\":false}"
#define SEQUENCE(x) "{\"type\":\"Sequence\",\"pretokenizers\":[" x "]}"
#define SPLIT(x)    SEQUENCE("{\"type\":\"Split\"," x "}," BYTE_LEVEL)
#define ADDED(x)    "[{\"id\":260,\"content\":\"<s>\",\"special\":true,\"normalized\":false" x "}]"
#define TEMPLATE(x)                                   \
    "{\"type\":\"TemplateProcessing\",\"single\":[" x \
    "],\"pair\":[],\"special_tokens\":{\"s\":{\"id\":\"s\",\"ids\":[1]},\"far\":{\"ids\":[999]}}}"
    static const struct {
        const char *names; // in the message
        Parts p;
    } wrong[] = {
        {"model.dropout", {.model = ",\"dropout\":0.1"}},
        {"continuing_subword_prefix", {.model = ",\"continuing_subword_prefix\":\"##\""}},
        {"end_of_word_suffix", {.model = ",\"end_of_word_suffix\":\"</w>\""}},
        {"ignore_merges", {.model = ",\"ignore_merges\":1"}},
        {"\"cache\"", {.model = ",\"cache\":1"}},
        {"merge 0", {.merges = "[\"a q\"]"}},
        {"merge 0", {.merges = "[[\"Q x\",\"b\"]]"}},
        {"entry 0", {.merges = "[\"ab\"]"}},
        {"entry 1", {.merges = "[\"a b\",\"a b c\"]"}},
        {"entry 0", {.merges = "[[\"a\"]]"}},
        {"merges", {.merges = "{}"}},
        {"the id 97", {.vocab = ",\"ab\":97"}},
        {"\"ab\"", {.vocab = ",\"ab\":-1"}},
        {"\"ab\"", {.vocab = ",\"ab\":1e3"}},
        {"\"ab\"", {.vocab = ",\"ab\":99999999999"}},
        {"duplicate", {.vocab = ",\"a\":256"}},
        {"NFKC", {.normalizer = "{\"type\":\"NFKC\"}"}},
        {"Sequence",
         {.normalizer =
              "{\"type\":\"Sequence\",\"normalizers\":[{\"type\":\"Sequence\",\"normalizers\":[]}]}"}},
        {"null", {.normalizer = "{\"type\":\"Sequence\",\"normalizers\":[null]}"}},
        {"normalizer", {.normalizer = "[]"}},
        {"add_prefix_space", {.pre = "{\"type\":\"ByteLevel\",\"add_prefix_space\":true}"}},
        {"add_prefix_space", {.pre = "{\"type\":\"ByteLevel\"}"}},
        {"Metaspace", {.pre = "{\"type\":\"Metaspace\"}"}},
        {"no pre_tokenizer", {.pre = "null"}},
        {"Split", {.pre = SEQUENCE("{\"type\":\"Split\"}")}},
        {"ByteLevel", {.pre = SEQUENCE(BYTE_LEVEL "," BYTE_LEVEL)}},
        {"Digits", {.pre = SEQUENCE("{\"type\":\"Digits\"}," BYTE_LEVEL)}},
        {"list", {.pre = SEQUENCE("")}},
        {"behavior",
         {.pre = SPLIT("\"pattern\":{\"Regex\":\"a\"},\"behavior\":\"Removed\",\"invert\":false")}},
        {"invert", {.pre = SPLIT("\"pattern\":{\"Regex\":\"a\"},\"behavior\":\"Isolated\",\"invert\":true")}},
        {"Regex",
         {.pre = SPLIT("\"pattern\":{\"String\":\"a\"},\"behavior\":\"Isolated\",\"invert\":false")}},
        {"pattern 1",
         {.pre = SPLIT("\"pattern\":{\"Regex\":\"(?<=a)b\"},\"behavior\":\"Isolated\",\"invert\":false")}},
        {"RobertaProcessing", {.post = "{\"type\":\"RobertaProcessing\"}"}},
        {"in front", {.post = TEMPLATE("{\"Sequence\":{\"id\":\"A\"}},{\"SpecialToken\":{\"id\":\"s\"}}")}},
        {"in front", {.post = TEMPLATE("{\"Sequence\":{\"id\":\"B\"}}")}},
        {"lacks x", {.post = TEMPLATE("{\"SpecialToken\":{\"id\":\"x\"}}")}},
        {"lacks the text", {.post = TEMPLATE("{\"SpecialToken\":{\"id\":\"s\"}}")}},
        {"999", {.post = TEMPLATE("{\"SpecialToken\":{\"id\":\"far\"}},{\"Sequence\":{\"id\":\"A\"}}")}},
        {"no decoder", {.decoder = "null"}},
        {"Metaspace", {.decoder = "{\"type\":\"Metaspace\"}"}},
        {"single_word", {.added = ADDED(",\"single_word\":true")}},
        {"lstrip", {.added = ADDED(",\"lstrip\":0")}},
        {"\"odd\"", {.added = ADDED(",\"odd\":0")}},
        {"gives it 260", {.added = "[{\"id\":300,\"content\":\"<s>\"}]"}},
        {"gives it 260", {.added = "[{\"id\":98,\"content\":\"<s>\"}]"}},
        {"gives it 260", {.added = "[{\"id\":98,\"content\":\"a\"}]"}},
        {"two tokens", {.added = "[{\"id\":260,\"content\":\"<s>\"},{\"id\":261,\"content\":\"<s>\"}]"}},
        {"two tokens", {.added = "[{\"id\":260,\"content\":\"<s>\"},{\"id\":260,\"content\":\"<t>\"}]"}},
        {"content", {.added = "[{\"id\":260}]"}},
        {"id", {.added = "[{\"id\":-1,\"content\":\"x\"}]"}},
        {"\"extra\"", {.top = ",\"extra\":{}"}},
        {"t.json: line 1", {.top = "}"}},
    };
    Arena a = {0};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        Parts p = plain;
        const char **to = (const char **)&p, *const *from = (const char *const *)&wrong[i].p;
        for (size_t k = 0; k < sizeof p / sizeof *to; k++)
            if (from[k]) to[k] = from[k];
        Err e;
        Tokenizer *t;
        if (opens(&a, &p, &t, &e)) fail_msg("case %zu (%s) was let through", i, wrong[i].names);
        assert_null(t);
        if (!strstr(e.msg, wrong[i].names) || strncmp(e.msg, "t.json", 6) != 0)
            fail_msg("%s is not in: %s", wrong[i].names, e.msg);
        assert_true(e.code == ERR_INPUT);
    }
    static const char *const files[] = {
        "", " ", "[]", "{}", "null", "{\"version\":\"2.0\"}", "{\"model\":null}"};
    for (size_t i = 1; i < sizeof files / sizeof *files; i++) {
        Err e = {0};
        Tokenizer *t;
        assert_false(
            tokenizer_open(&a, &(TokenizerSource){.name = "t.json", .json = str_of(files[i])}, &t, &e));
    }
    arena_free(&a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_keys),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
