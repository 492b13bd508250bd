// Responses of servers made of any bytes: no crash, no read outside, bounded texts; a stream means the same
// however it is divided into pieces.
#include "propose/remote.h"
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { ASKED = 3 };

// Pieces exactly as long as they are, so that a read beyond one is seen.
static bool feed(Answer *s, Str bytes, size_t step, Err *e) {
    for (size_t i = 0; i < bytes.len; i += step) {
        size_t n = bytes.len - i < step ? bytes.len - i : step;
        char *piece = malloc(n);
        memcpy(piece, bytes.p + i, n);
        bool ok = answer_feed(s, (Str){piece, n}, e);
        free(piece);
        if (!ok) return false;
    }
    return answer_end(s, e);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size < 2) return 0;
    bool events = data[0] & 1;
    size_t step = 1 + data[1] % 97;
    Str bytes = {(const char *)data + 2, size - 2};
    Arena a = {0};
    Answer whole, pieces;
    Err e1 = {0}, e2 = {0};
    answer_begin(&whole, &a, ASKED, events);
    answer_begin(&pieces, &a, ASKED, events);
    bool ok = feed(&whole, bytes, bytes.len + 1, &e1);
    if (feed(&pieces, bytes, step, &e2) != ok || e1.code != e2.code || (!ok && !e1.code)) abort();
    for (int i = 0; i < ASKED; i++) {
        const Choice *c = &whole.choice[i], *d = &pieces.choice[i];
        if (c->text.len > REPLY_MAX || !str_eq(buf_str(&c->text), buf_str(&d->text)) || c->done != d->done ||
            c->cut != d->cut)
            abort();
        if (c->text.len && !utf8_valid(buf_str(&c->text))) abort();
    }
    const char *words = answer_error(&a, bytes);
    for (const char *p = words; *p; p++)
        if ((unsigned char)*p < ' ') abort();
    // An address is one, or is refused.
    Endpoint to;
    Err e = {0};
    char *which = arena_strndup(&a, bytes.p, bytes.len);
    if (endpoint_read(&a, which, &to, &e) && (strchr(to.url, '#') || strpbrk(to.url, " \r\n@\t") == to.url))
        abort();
    arena_free(&a);
    return 0;
}
