// tokens.h - for tests of tokenizers: golden files, and small ones made here.
#pragma once
#include "base/io.h"
#include "base/pool.h"
#include "text/tokenizer.h"
#include <jansson.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static const char *const families[] = {"llama31", "qwen25", "qwen35", "minicpm5"};

static inline Str golden(Arena *a, const char *name, const char *end) {
    Err e = {0};
    Str s;
    if (!io_read(a, arena_printf(a, "test/text/golden/%s%s", name, end), 1 << 20, &s, &e))
        fail_msg("%s", e.msg);
    return s;
}

static inline Tokenizer *open_json(Arena *a, Str json) {
    Err e = {0};
    Tokenizer *t;
    if (!tokenizer_open(a, &(TokenizerSource){.name = "t.json", .json = json}, &t, &e)) fail_msg("%s", e.msg);
    return t;
}

static inline Tokens encode(const Tokenizer *t, Arena *a, Str text, bool special, bool begin) {
    Err e = {0};
    Tokens ids;
    if (!tokenizer_encode(t, a, text, (special ? ENCODE_SPECIAL : 0) | (begin ? ENCODE_BEGIN : 0), &ids, &e))
        fail_msg("%s", e.msg);
    return ids;
}

static inline Str decode(const Tokenizer *t, Arena *a, const int32_t *id, int n, bool special) {
    Detok d = {0};
    Buf b = BUF(a);
    for (int i = 0; i < n; i++) {
        detok_push(&d, t, id[i], special, &b);
        if (n < 100)
            assert_true(utf8_valid(b.p ? buf_str(&b) : (Str){"", 0})); // whole characters at any time
    }
    detok_end(&d, &b);
    return b.p ? buf_str(&b) : (Str){"", 0};
}

typedef struct {
    json_t *line;
    int32_t id[4096];
    int ids;
} Case;

static inline bool next_case(Str *rest, Case *c) {
    const char *end = rest->len ? memchr(rest->p, '\n', rest->len) : NULL;
    if (!end) return false;
    c->line = json_loadb(rest->p, (size_t)(end - rest->p), JSON_ALLOW_NUL, NULL);
    assert_non_null(c->line);
    *rest = (Str){end + 1, rest->len - (size_t)(end + 1 - rest->p)};
    json_t *list = json_object_get(c->line, "ids");
    c->ids = (int)json_array_size(list);
    assert_in_range(c->ids, 0, 4096);
    for (int i = 0; i < c->ids; i++) c->id[i] = (int32_t)json_integer_value(json_array_get(list, (size_t)i));
    return true;
}

static inline Str field(const Case *c, const char *key) {
    json_t *j = json_object_get(c->line, key);
    return j ? (Str){json_string_value(j), json_string_length(j)} : (Str){0};
}

// How many of a golden's cases differ.
static inline int differ(Arena *a, const Tokenizer *t, Str lines, int *cases) {
    static Case c;
    int bad = 0;
    for (*cases = 0; next_case(&lines, &c); ++*cases) {
        ArenaMark mark = arena_mark(a);
        Str text = field(&c, "text"), want = field(&c, "decode");
        if (text.p) {
            bool special = json_is_true(json_object_get(c.line, "special"));
            Tokens got = encode(t, a, text, special, json_is_true(json_object_get(c.line, "begin")));
            bad += got.count != c.ids || (c.ids && memcmp(got.id, c.id, (size_t)c.ids * sizeof *c.id) != 0);
        } else {
            assert_non_null(want.p);
            bad += !str_eq(decode(t, a, c.id, c.ids, true), want) ||
                   !str_eq(decode(t, a, c.id, c.ids, false), field(&c, "plain"));
        }
        json_decref(c.line);
        arena_reset(a, mark);
    }
    return bad;
}

// ---- what a file may say ----

// A vocabulary of the 256 bytes and a few more, with parts replaced.
typedef struct {
    const char *vocab, *merges, *model, *normalizer, *pre, *post, *decoder, *added, *top;
} Parts;
static const Parts plain = {
    .vocab = ",\"ab\":256,\"abc\":257,\"Ġa\":258,\"Ã©\":259",
    .merges = "[\"a b\",[\"ab\",\"c\"],\"Ġ a\",\"Ã ©\"]",
    .model = "",
    .normalizer = "null",
    .pre = "{\"type\":\"ByteLevel\",\"add_prefix_space\":false,\"use_regex\":true,\"trim_offsets\":true}",
    .post = "null",
    .decoder = "{\"type\":\"ByteLevel\"}",
    .added = "[]",
    .top = "",
};

static inline void put_char(Buf *b, unsigned c) {
    if (c >= 0x80)
        buf_putc(b, (char)(0xc0 | c >> 6)), buf_putc(b, (char)(0x80 | (c & 63)));
    else if (c == '"' || c == '\\')
        buf_printf(b, "\\%c", c);
    else
        buf_putc(b, (char)c);
}

static inline Str written(Arena *a, const Parts *p) {
    Buf b = BUF(a);
    buf_puts(
        &b,
        "{\"version\":\"1.0\",\"truncation\":null,\"padding\":null,\"model\":{\"type\":\"BPE\",\"vocab\":{");
    unsigned next = 256;
    for (unsigned i = 0; i < 256; i++) {
        bool self = (i >= 33 && i <= 126) || (i >= 161 && i <= 172) || i >= 174;
        buf_puts(&b, i ? ",\"" : "\"");
        put_char(&b, self ? i : next++);
        buf_printf(&b, "\":%u", i);
    }
    buf_printf(&b,
               "%s},\"merges\":%s%s},\"normalizer\":%s,\"pre_tokenizer\":%s,\"post_processor\":%s,"
               "\"decoder\":%s,\"added_tokens\":%s%s}",
               p->vocab, p->merges, p->model, p->normalizer, p->pre, p->post, p->decoder, p->added, p->top);
    return buf_str(&b);
}
