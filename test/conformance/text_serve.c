// Our tokenizer behind a pipe, for text.py and bench/text_peer.py: requests and answers are frames of
// little-endian numbers.
//   text-serve json FILE | arrays FILE
// A request: operation, flags (1 special, 2 begin), u32 bytes, bytes.   e: text to i32 ids; d: i32 ids to
// text; t: Jinja text to the name of its family; r: "family\0think\0system\0user" (system "\1": none) to a
// prompt; p: family\0reply; l: family to its template. An answer: u8 1 or 0, u32 bytes, bytes (0: the
// message).
#include <stdio.h>
#include <stdlib.h>

#include "base/io.h"
#include "text/chat.h"
#include "text/tokenizer.h"

enum { FILE_MAX = 256 << 20, FRAME_MAX = 64 << 20 };

static bool read_exactly(void *p, size_t n) { return fread(p, 1, n, stdin) == n; }

static void answer(bool ok, const void *p, size_t n) {
    uint8_t head[5] = {ok, (uint8_t)n, (uint8_t)(n >> 8), (uint8_t)(n >> 16), (uint8_t)(n >> 24)};
    fwrite(head, 1, sizeof head, stdout);
    fwrite(p, 1, n, stdout);
    fflush(stdout);
}

static uint32_t take_u32(Str *s) {
    uint32_t v = 0;
    if (s->len < 4) exit(3);
    memcpy(&v, s->p, 4);
    *s = (Str){s->p + 4, s->len - 4};
    return v;
}
static Str take_text(Str *s) {
    uint32_t n = take_u32(s);
    if (s->len < n) exit(3);
    Str t = {s->p, n};
    *s = (Str){s->p + n, s->len - n};
    return t;
}
static Str take_cstr(Str *s) {
    size_t n = 0;
    while (n < s->len && s->p[n]) n++;
    Str t = {s->p, n};
    n += n < s->len;
    *s = (Str){s->p + n, s->len - n};
    return t;
}

static void read_arrays(Arena *a, Str file, TokenizerSource *src) {
    src->count = (int)take_u32(&file);
    Str *token = NEWN(a, Str, (size_t)src->count);
    int32_t *kind = NEWN(a, int32_t, (size_t)src->count);
    for (int i = 0; i < src->count; i++) token[i] = take_text(&file);
    for (int i = 0; i < src->count; i++) kind[i] = (int32_t)take_u32(&file);
    src->merge_count = (int)take_u32(&file);
    Str *merge = NEWN(a, Str, (size_t)src->merge_count);
    for (int i = 0; i < src->merge_count; i++) merge[i] = take_text(&file);
    src->pre = take_text(&file);
    src->bos = (int32_t)take_u32(&file);
    src->add_bos = (int32_t)take_u32(&file);
    src->tokens = token, src->kinds = kind, src->merges = merge;
}

static bool chat(Arena *a, char op, Str body, Buf *out, Err *e) {
    const ChatFamily *f;
    if (op == 't') {
        if (!chat_detect(body, &f, e)) return false;
        buf_puts(out, chat_name(f));
        return true;
    }
    if (!chat_by_name(str_cdup(a, take_cstr(&body)), &f, e)) return false;
    if (op == 'l') {
        buf_str_put(out, chat_live(f));
        return true;
    }
    if (op == 'p') {
        buf_str_put(out, chat_reply(f, body));
        return true;
    }
    bool think = str_is(take_cstr(&body), "1");
    Str system = take_cstr(&body);
    ChatTurn turn = {.system = system, .user = body, .think = think};
    if (str_is(system, "\1")) turn.system = (Str){0};
    chat_render(f, &turn, out);
    return true;
}

int main(int argc, char **argv) {
    Arena forever = {0};
    Err e = {0};
    Str file;
    Tokenizer *t = NULL;
    if (argc == 3) {
        TokenizerSource src = {.name = argv[2], .bos = -1, .add_bos = -1};
        if (!io_read(&forever, argv[2], FILE_MAX, &file, &e)) return fprintf(stderr, "%s\n", e.msg), 1;
        if (strcmp(argv[1], "json") == 0)
            src.json = file;
        else
            read_arrays(&forever, file, &src);
        if (!tokenizer_open(&forever, &src, &t, &e)) return fprintf(stderr, "%s\n", e.msg), 1;
    }
    for (;;) {
        uint8_t head[6];
        if (!read_exactly(head, sizeof head)) break;
        uint32_t n = 0;
        memcpy(&n, head + 2, 4);
        if (n > FRAME_MAX) return 3;
        Arena a = {0};
        char *body = NEWN(&a, char, n + 1);
        if (!read_exactly(body, n)) return 3;
        bool special = head[1] & 1, ok = true;
        Buf out = BUF(&a);
        Err why = {0};
        if (head[0] == 'e' && t) {
            Tokens ids;
            ok = tokenizer_encode(t, &a, (Str){body, n},
                                  (special ? ENCODE_SPECIAL : 0) | (head[1] & 2 ? ENCODE_BEGIN : 0), &ids,
                                  &why);
            if (ok) buf_put(&out, ids.id, (size_t)ids.count * 4);
        } else if (head[0] == 'd' && t) {
            Detok d = {0};
            for (uint32_t i = 0; i + 4 <= n; i += 4) {
                int32_t id;
                memcpy(&id, body + i, 4);
                detok_push(&d, t, id, special, &out);
            }
            detok_end(&d, &out);
        } else {
            ok = chat(&a, (char)head[0], (Str){body, n}, &out, &why);
        }
        if (ok)
            answer(true, out.p ? out.p : "", out.len);
        else
            answer(false, why.msg, strlen(why.msg));
        arena_free(&a);
    }
    tokenizer_close(t);
    arena_free(&forever);
    return 0;
}
