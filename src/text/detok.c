// Bytes to whole characters. What can never become UTF-8 turns into one U+FFFD for each longest beginning of
// a character, as the Unicode standard recommends and `tokenizers` does.
#include "text/tokenizer.h"

static const char replacement[] = "\xef\xbf\xbd";

// How many bytes the character has that begins with b; 0: none begins so.
static int length_of(uint8_t b) {
    if (b < 0x80) return 1;
    return b >= 0xc2 && b <= 0xdf ? 2 : b >= 0xe0 && b <= 0xef ? 3 : b >= 0xf0 && b <= 0xf4 ? 4 : 0;
}

// May b follow what is held?
static bool continues(const Detok *d, uint8_t b) {
    uint8_t lead = (uint8_t)d->held[0];
    if (d->count > 1) return b >= 0x80 && b <= 0xbf;
    uint8_t low = lead == 0xe0 ? 0xa0 : lead == 0xf0 ? 0x90 : 0x80;  // no overlong forms
    uint8_t high = lead == 0xed ? 0x9f : lead == 0xf4 ? 0x8f : 0xbf; // no surrogates, nothing past U+10FFFF
    return b >= low && b <= high;
}

static void push_byte(Detok *d, uint8_t b, Buf *out) {
    if (d->count && !continues(d, b)) {
        buf_puts(out, replacement);
        d->count = 0;
    }
    int length = d->count ? length_of((uint8_t)d->held[0]) : length_of(b);
    if (!length) {
        buf_puts(out, replacement);
        return;
    }
    d->held[d->count++] = (char)b;
    if (d->count < length) return;
    buf_put(out, d->held, (size_t)length);
    d->count = 0;
}

void detok_push(Detok *d, const Tokenizer *t, int id, bool special, Buf *out) {
    if (!special && tokenizer_kind(t, id) == TOKEN_CONTROL) return;
    Str s = tokenizer_bytes(t, id);
    for (size_t i = 0; i < s.len; i++) push_byte(d, (uint8_t)s.p[i], out);
}

void detok_end(Detok *d, Buf *out) {
    if (d->count) buf_puts(out, replacement);
    d->count = 0;
}
