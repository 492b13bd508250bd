// str.h - borrowed text (Str) and growing text (Buf).
// A Str owns nothing and need not be NUL-terminated. A Buf grows in its arena; buf_str() borrows from it, and
// buf_cstr() is NUL-terminated; both stay valid until the next append.
#pragma once
#include "base/arena.h"
#include <string.h>

typedef struct {
    const char *p;
    size_t len;
} Str;

#define STR(literal) ((Str){(literal), sizeof(literal) - 1})
#define STR_INIT(literal) \
    { (literal), sizeof(literal) - 1 } // in a static table
#define STR_ARG(s) (int)(s).len, (s).p // for "%.*s"

// Inline: names are compared with literals all day, and then the lengths alone tell nearly all of them apart.
static inline Str str_of(const char *cstr) { return (Str){cstr, strlen(cstr)}; }
static inline bool str_eq(Str a, Str b) {
    return a.len == b.len && (!a.len || (a.p[0] == b.p[0] && memcmp(a.p, b.p, a.len) == 0));
}
static inline bool str_is(Str a, const char *cstr) {
    if (a.len && a.p[0] != cstr[0]) return false; // before anything is counted
    return str_eq(a, str_of(cstr));
}
static inline bool str_starts(Str s, const char *prefix) {
    size_t n = strlen(prefix);
    return s.len >= n && (!n || memcmp(s.p, prefix, n) == 0);
}
bool str_ends(Str s, const char *suffix);
int str_cmp(Str a, Str b);                                  // order of bytes; shorter first on a tie
int str_cmp_at(const void *a, const void *b);               // the same of two Str in an array: for qsort
bool str_is_any(Str s, const char *const list[], size_t n); // one of them
Str str_last_part(Str path, char between); // behind the last `between`; all where there is none
Str str_dup(Arena *a, Str s);
char *str_cdup(Arena *a, Str s);
Str str_join(Arena *a, Str head, char between, Str tail);
uint64_t str_hash(Str s);                  // FNV-1a, 64 bits; for tables, not for trust
uint32_t utf8_at(const char *p, int *len); // of valid UTF-8: the code point at p, and its length in bytes
size_t utf8_prefix(Str s); // how many of its first bytes are valid UTF-8, whole characters only
bool utf8_valid(Str s);    // strict: no overlong forms, no surrogates, at most U+10FFFF

static inline bool char_is_digit(int c) { return c >= '0' && c <= '9'; }
static inline bool char_is_space(int c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
// Of an ASCII name: letters, digits, underscores.
static inline bool char_is_word(int c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || char_is_digit(c) || c == '_';
}

typedef struct {
    Arena *arena;
    char *p;
    size_t len, cap;
} Buf;

#define BUF(a) ((Buf){.arena = (a)})
void buf_putc(Buf *b, char c);
void buf_put(Buf *b, const void *p, size_t n);
void buf_puts(Buf *b, const char *s);
void buf_str_put(Buf *b, Str s);
void utf8_put(Buf *b, uint32_t code);
void buf_printf(Buf *b, const char *fmt, ...) PRINTF(2, 3);
static inline Str buf_str(const Buf *b) { return (Str){b->p, b->len}; }
const char *buf_cstr(Buf *b);
