// Training a vocabulary: merges by hand on a small text, and a file that our own reader takes.
#include "text/bpe_train.h"
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static Tokenizer *trained(Arena *a, const BpeTrain *t, Buf *json, int *size) {
    Err e = {0};
    Tokenizer *out;
    *json = BUF(a);
    if (!bpe_train(t, json, size, &e)) fail_msg("%s", e.msg);
    TokenizerSource src = {.name = "trained", .json = buf_str(json), .bos = -1, .add_bos = -1};
    if (!tokenizer_open(a, &src, &out, &e)) fail_msg("%s", e.msg);
    return out;
}

// "abab abab" + " ab": words are "abab", " abab", " ab". Pairs: ab 1*2 + 1*2 + 1 = 5 goes first; then (space,
// ab) 2 and (ab, ab) 2, where the ids decide: the space's is smaller.
static void merges_are_those_of_the_text(void **state) {
    (void)state;
    Arena a = {0};
    Buf json;
    int size;
    Str text = STR("abab abab ab"), special = STR("<|end|>");
    Tokenizer *t = trained(&a, &(BpeTrain){&text, 1, 1 + 256 + 10, &special, 1}, &json, &size);
    assert_int_equal(size, 1 + 256 + 2); // then (ab, ab) and (" ab", ab) stand there once each
    assert_int_equal(tokenizer_size(t), size);
    assert_true(str_is(tokenizer_bytes(t, 257), "ab"));
    assert_true(str_is(tokenizer_bytes(t, 258), " ab"));
    assert_int_equal(tokenizer_find(t, special), 0);
    assert_int_equal(tokenizer_kind(t, 0), TOKEN_CONTROL);
    tokenizer_close(t);
    arena_free(&a);
}

// Any bytes come back, also ones that the text never had.
static void every_text_comes_back(void **state) {
    (void)state;
    Arena a = {0};
    Buf json;
    int size;
    Err e = {0};
    Str text =
        STR("tl.load(x + cols, mask=cols < n) tl.load(y + cols, mask=cols < n)\n\ttl.store 1024 10240");
    Tokenizer *t = trained(&a, &(BpeTrain){&text, 1, 300, NULL, 0}, &json, &size);
    Str other = STR("tl.load \xc3\xa4\xe2\x82\xac\x01\x7f 99999 it's\r\n");
    Tokens ids;
    assert_true(tokenizer_encode(t, &a, other, ENCODE_BEGIN, &ids, &e));
    Buf back = BUF(&a);
    for (int i = 0; i < ids.count; i++) buf_str_put(&back, tokenizer_bytes(t, ids.id[i]));
    assert_true(str_eq(buf_str(&back), other) && ids.count < (int)other.len);
    tokenizer_close(t);
    arena_free(&a);
}

static void the_file_is_the_same_each_time(void **state) {
    (void)state;
    Arena a = {0};
    Buf one, two;
    int size;
    Str text = STR("the cat sat on the mat that the rat ate at the gate");
    tokenizer_close(trained(&a, &(BpeTrain){&text, 1, 280, NULL, 0}, &one, &size));
    tokenizer_close(trained(&a, &(BpeTrain){&text, 1, 280, NULL, 0}, &two, &size));
    assert_true(str_eq(buf_str(&one), buf_str(&two)));
    arena_free(&a);
}

static void what_cannot_be_is_refused(void **state) {
    (void)state;
    Arena a = {0};
    Err e = {0};
    int size;
    Str bad = STR("a\xff"), same[] = {STR_INIT("x"), STR_INIT("x")};
    Buf out = BUF(&a);
    assert_false(bpe_train(&(BpeTrain){&bad, 1, 300, NULL, 0}, &out, &size, &e));
    assert_non_null(strstr(e.msg, "text 1 is not UTF-8"));
    e = (Err){0};
    assert_false(bpe_train(&(BpeTrain){&same[0], 1, 200, NULL, 0}, &out, &size, &e));
    assert_non_null(strstr(e.msg, "256 bytes"));
    e = (Err){0};
    assert_false(bpe_train(&(BpeTrain){&same[0], 1, 300, same, 2}, &out, &size, &e));
    assert_non_null(strstr(e.msg, "the same"));
    arena_free(&a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(merges_are_those_of_the_text), cmocka_unit_test(every_text_comes_back),
        cmocka_unit_test(the_file_is_the_same_each_time), cmocka_unit_test(what_cannot_be_is_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
