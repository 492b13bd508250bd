#include "base/str.h"
#include <assert.h>
#include <stdarg.h>
#include <stdio.h>

bool str_ends(Str s, const char *suffix) {
    size_t n = strlen(suffix);
    return s.len >= n && (!n || memcmp(s.p + s.len - n, suffix, n) == 0);
}

int str_cmp(Str a, Str b) {
    size_t n = a.len < b.len ? a.len : b.len;
    int order = n ? memcmp(a.p, b.p, n) : 0;
    if (order) return order < 0 ? -1 : 1;
    return (a.len > b.len) - (a.len < b.len);
}

int str_cmp_at(const void *a, const void *b) { return str_cmp(*(const Str *)a, *(const Str *)b); }

bool str_is_any(Str s, const char *const list[], size_t n) {
    for (size_t i = 0; i < n; i++)
        if (str_is(s, list[i])) return true;
    return false;
}

Str str_last_part(Str path, char between) {
    size_t at = path.len;
    while (at > 0 && path.p[at - 1] != between) at--;
    return (Str){path.p + at, path.len - at};
}

char *str_cdup(Arena *a, Str s) { return arena_strndup(a, s.p, s.len); }

Str str_dup(Arena *a, Str s) { return (Str){str_cdup(a, s), s.len}; }

Str str_join(Arena *a, Str head, char between, Str tail) {
    char *p = arena_raw(a, head.len + tail.len + 2, 1);
    if (head.len) memcpy(p, head.p, head.len);
    p[head.len] = between;
    if (tail.len) memcpy(p + head.len + 1, tail.p, tail.len);
    p[head.len + 1 + tail.len] = 0;
    return (Str){p, head.len + 1 + tail.len};
}

uint64_t str_hash(Str s) {
    uint64_t h = 0xcbf29ce484222325u;
    for (size_t i = 0; i < s.len; i++) h = (h ^ (unsigned char)s.p[i]) * 0x100000001b3u;
    return h;
}

size_t utf8_prefix(Str s) {
    const unsigned char *p = (const unsigned char *)s.p;
    size_t whole = 0; // where the last character ended
    for (size_t i = 0; i < s.len; whole = i) {
        unsigned c = p[i++];
        if (c < 0x80) continue;
        int more = c >= 0xf0 ? 3 : c >= 0xe0 ? 2 : 1;
        if (c < 0xc2 || c > 0xf4) return whole; // a stray continuation, overlong, or above the last plane
        if (s.len - i < (size_t)more) return whole;
        unsigned second = p[i];
        if (c == 0xe0 && second < 0xa0) return whole; // overlong
        if (c == 0xed && second > 0x9f) return whole; // surrogate
        if (c == 0xf0 && second < 0x90) return whole; // overlong
        if (c == 0xf4 && second > 0x8f) return whole; // above U+10FFFF
        for (int k = 0; k < more; k++, i++)
            if ((p[i] & 0xc0) != 0x80) return whole;
    }
    return whole;
}

bool utf8_valid(Str s) { return utf8_prefix(s) == s.len; }

uint32_t utf8_at(const char *p, int *len) {
    const unsigned char *u = (const unsigned char *)p;
    if (u[0] < 0x80) return *len = 1, u[0];
    if (u[0] < 0xe0) return *len = 2, (u[0] & 0x1fu) << 6 | (u[1] & 0x3fu);
    if (u[0] < 0xf0) return *len = 3, (u[0] & 0x0fu) << 12 | (u[1] & 0x3fu) << 6 | (u[2] & 0x3fu);
    return *len = 4, (u[0] & 7u) << 18 | (u[1] & 0x3fu) << 12 | (u[2] & 0x3fu) << 6 | (u[3] & 0x3fu);
}

// Room for `n` more bytes and a NUL.
static char *buf_room(Buf *b, size_t n) {
    if (b->cap - b->len > n) return b->p + b->len;
    size_t cap = b->cap ? b->cap : 64;
    while (cap - b->len <= n) {
        if (cap > SIZE_MAX / 2) {
            cap = SIZE_MAX; // the arena refuses it
            break;
        }
        cap *= 2;
    }
    char *p = arena_raw(b->arena, cap, 1);
    if (b->len) memcpy(p, b->p, b->len);
    b->p = p;
    b->cap = cap;
    return p + b->len;
}

void buf_putc(Buf *b, char c) {
    *buf_room(b, 1) = c;
    b->len++;
}

void buf_put(Buf *b, const void *p, size_t n) {
    char *to = buf_room(b, n);
    if (n) memcpy(to, p, n);
    b->len += n;
}

void buf_puts(Buf *b, const char *s) { buf_put(b, s, strlen(s)); }

void buf_str_put(Buf *b, Str s) { buf_put(b, s.p, s.len); }

void utf8_put(Buf *b, uint32_t code) {
    char u[4];
    size_t n = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    static const uint8_t lead[] = {0, 0, 0xc0, 0xe0, 0xf0};
    for (size_t i = n; i-- > 1; code >>= 6) u[i] = (char)(0x80 | (code & 0x3f));
    u[0] = (char)(lead[n] | code);
    buf_put(b, u, n);
}

void buf_printf(Buf *b, const char *fmt, ...) {
    char text[256];
    va_list ap;
    va_start(ap, fmt);
    int n = vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    assert(n >= 0);
    if ((size_t)n < sizeof text) {
        buf_put(b, text, (size_t)n);
        return;
    }
    char *to = buf_room(b, (size_t)n);
    va_start(ap, fmt);
    vsnprintf(to, (size_t)n + 1, fmt, ap);
    va_end(ap);
    b->len += (size_t)n;
}

const char *buf_cstr(Buf *b) {
    *buf_room(b, 0) = 0;
    return b->p;
}
