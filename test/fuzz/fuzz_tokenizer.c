// Any bytes as tokenizer.json (behind a byte 0xFF: text to encode), and as the parts of one: an answer, never
// a crash, and what opens encodes text to ids of its own and back to the text, where all bytes have tokens
// and nothing is normalised.
#include "text/tokenizer.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_message(const Err *e) {
    if (e->code == ERR_NONE) __builtin_trap();
    for (const char *p = e->msg; *p; p++)
        if (*p < ' ' || *p > '~') __builtin_trap();
}

static void use(Arena *a, const Tokenizer *t, Str text) {
    for (int special = 0; special < 2; special++) {
        Err e = {0};
        Tokens ids;
        if (!tokenizer_encode(t, a, text, (special ? ENCODE_SPECIAL : 0) | ENCODE_BEGIN, &ids, &e)) {
            check_message(&e);
            continue;
        }
        Detok d = {0};
        Buf b = BUF(a);
        for (int i = 0; i < ids.count; i++) {
            if (ids.id[i] < 0 || ids.id[i] >= tokenizer_size(t)) __builtin_trap();
            detok_push(&d, t, ids.id[i], true, &b);
        }
        detok_end(&d, &b);
        if (b.p && !utf8_valid(buf_str(&b))) __builtin_trap();
    }
}

static void json(Arena *a, Str file, Str text) {
    Err e = {0};
    Tokenizer *t;
    if (!tokenizer_open(a, &(TokenizerSource){.name = "t.json", .json = file}, &t, &e)) {
        check_message(&e);
        return;
    }
    use(a, t, text);
    tokenizer_close(t);
}

// The bytes as a pattern inside an honest file: the first line is the pattern, the rest is text.
static void pattern(Arena *a, Str all) {
    const char *end = all.len ? memchr(all.p, '\n', all.len) : NULL;
    size_t n = end ? (size_t)(end - all.p) : all.len;
    Buf b = BUF(a);
    buf_puts(&b, "{\"model\":{\"vocab\":{\"a\":0,\"b\":1,\"ab\":2,\"\xc4\xa0\":3},\"merges\":[\"a "
                 "b\"]},\"decoder\":{\"type\":\"ByteLevel\"},"
                 "\"normalizer\":{\"type\":\"NFC\"},\"pre_tokenizer\":{\"type\":\"Sequence\","
                 "\"pretokenizers\":[{\"type\":\"Split\","
                 "\"behavior\":\"Isolated\",\"pattern\":{\"Regex\":\"");
    for (size_t i = 0; i < n; i++) {
        char c = all.p[i];
        if (c == '"' || c == '\\') buf_putc(&b, '\\');
        buf_putc(&b, c);
    }
    buf_puts(&b, "\"}},{\"type\":\"ByteLevel\",\"add_prefix_space\":false,\"use_regex\":false}]}}");
    json(a, buf_str(&b), end ? (Str){end + 1, all.len - n - 1} : STR("ab ba"));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    Arena a = {0};
    Str all = str_dup(&a, (Str){(const char *)data, size});
    const char *cut = size ? memchr(all.p, 0xff, size) : NULL;
    size_t n = cut ? (size_t)(cut - all.p) : size;
    json(&a, (Str){all.p, n}, cut ? (Str){cut + 1, size - n - 1} : STR("some text"));
    pattern(&a, all);
    arena_free(&a);
    return 0;
}
