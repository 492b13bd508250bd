// Tokenizers against what Hugging Face's gave (golden/, made by test/conformance/text.py --golden), and files
// that must be refused.
#include "text/tokens.h"

static void test_goldens(void **state) {
    (void)state;
    for (int f = 0; f < 4; f++) {
        Arena a = {0};
        Tokenizer *t = open_json(&a, golden(&a, families[f], ".json"));
        int cases, bad = differ(&a, t, golden(&a, families[f], ".jsonl"), &cases);
        assert_in_range(cases, 250, 1000);
        if (bad) fail_msg("%s: %d of %d differ", families[f], bad, cases);
        tokenizer_close(t);
        arena_free(&a);
    }
}

static void test_text_limits(void **state) {
    (void)state;
    Arena a = {0};
    Err e = {0};
    Parts p = plain;
    Tokenizer *t;
    Tokens ids;
    p.vocab = "";
    p.merges = "[]";
    Str whole = written(&a, &p);
    const char *byte = memmem(whole.p, whole.len, ",\"q\":113", 8); // the vocabulary without a q
    assert_non_null(byte);
    Buf b = BUF(&a);
    buf_put(&b, whole.p, (size_t)(byte - whole.p));
    buf_put(&b, byte + 8, (size_t)(whole.p + whole.len - byte) - 8);
    t = open_json(&a, buf_str(&b));
    assert_int_equal(encode(t, &a, STR("pr"), true, true).count, 2);
    assert_false(tokenizer_encode(t, &a, STR("pqr"), ENCODE_SPECIAL | ENCODE_BEGIN, &ids, &e));
    assert_non_null(strstr(e.msg, "0x71"));
    Buf with = BUF(&a); // what is lacking would be unknown text: not supported
    size_t at = (size_t)((const char *)memmem(b.p, b.len, "\"merges\"", 8) - b.p);
    buf_put(&with, b.p, at);
    buf_puts(&with, "\"unk_token\":\"a\",");
    buf_put(&with, b.p + at, b.len - at);
    Err lacking = {0};
    Tokenizer *none;
    assert_false(
        tokenizer_open(&a, &(TokenizerSource){.name = "t.json", .json = buf_str(&with)}, &none, &lacking));
    assert_non_null(strstr(lacking.msg, "0x71"));
    assert_false(tokenizer_encode(t, &a, STR("\xff"), ENCODE_SPECIAL | ENCODE_BEGIN, &ids, &e));
    assert_int_equal(e.code, ERR_INPUT);
    e = (Err){0};
    assert_false(tokenizer_encode(t, &a, (Str){"", (size_t)TOKENIZER_TEXT_MAX + 1},
                                  ENCODE_SPECIAL | ENCODE_BEGIN, &ids, &e));
    assert_int_equal(e.code, ERR_LIMIT);
    assert_int_equal(encode(t, &a, STR(""), true, true).count, 0);
    tokenizer_close(t);
    arena_free(&a);
}

// One tokenizer, many threads.
typedef struct {
    const Tokenizer *t;
    Str text;
    Tokens want;
    int differ[16];
} Shared;

static void encode_one(void *arg, size_t item, int worker) {
    Shared *s = arg;
    Arena a = {0};
    Err e = {0};
    Tokens got;
    (void)worker;
    s->differ[item] = !tokenizer_encode(s->t, &a, s->text, ENCODE_SPECIAL | ENCODE_BEGIN, &got, &e) ||
                      got.count != s->want.count ||
                      memcmp(got.id, s->want.id, (size_t)got.count * sizeof *got.id) != 0;
    arena_free(&a);
}

static void test_threads(void **state) {
    (void)state;
    Arena a = {0};
    Shared s = {.t = open_json(&a, golden(&a, "minicpm5", ".json")),
                .text = golden(&a, "minicpm5", ".jsonl")};
    s.want = encode(s.t, &a, s.text, true, true);
    Pool *p = pool_open(4);
    pool_run(p, 16, encode_one, &s);
    pool_close(p);
    for (int i = 0; i < 16; i++) assert_false(s.differ[i]);
    tokenizer_close((Tokenizer *)s.t);
    arena_free(&a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_goldens),
        cmocka_unit_test(test_text_limits),
        cmocka_unit_test(test_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
