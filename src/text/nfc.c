#include "text/nfc.h"
#include <assert.h>
#include <utf8proc.h>

// Characters that stay as they are, combine with nothing before them and end what could be reordered: text
// can be cut in front of them. Large blocks of everyday text; test_nfc.c proves it of every character.
static const struct {
    uint32_t from, to;
} PLAIN[] = {
    {0x0, 0x2ff},     {0x400, 0x482},   {0x2010, 0x2027},   {0x2030, 0x205e}, {0x2190, 0x22ff},
    {0x2460, 0x27bf}, {0x3001, 0x3029}, {0x3041, 0x3096},   {0x30a1, 0x30fa}, {0x4e00, 0x9fff},
    {0xac00, 0xd7a3}, {0xff01, 0xff9d}, {0x1f300, 0x1f64f},
};

static bool is_plain(uint32_t c) {
    if (c < 0x300) return true;
    for (size_t i = 1; i < sizeof PLAIN / sizeof *PLAIN && c >= PLAIN[i].from; i++)
        if (c <= PLAIN[i].to) return true;
    return false;
}

// Valid UTF-8 only.
static uint32_t next_char(Str s, size_t *at) {
    int n;
    uint32_t c = utf8_at(s.p + *at, &n);
    *at += (size_t)n;
    return c;
}

bool nfc_plain(Str s) {
    for (size_t i = 0; i < s.len;) {
        while (i < s.len && (uint8_t)s.p[i] < 0x80) i++;
        if (i < s.len && !is_plain(next_char(s, &i))) return false;
    }
    return true;
}

static int class_of(int32_t c) { return utf8proc_get_property(c)->combining_class; }

// Canonical order: each run of marks sorted by combining class, equal classes as they stood. A merge sort,
// because a run is as long as whoever wrote it likes.
static void sort_marks(int32_t *c, int32_t *room, size_t n) {
    if (n < 2) return;
    size_t half = n / 2, l = 0, r = half, k = 0;
    sort_marks(c, room, half);
    sort_marks(c + half, room, n - half);
    while (l < half && r < n) room[k++] = class_of(c[l]) <= class_of(c[r]) ? c[l++] : c[r++];
    while (l < half) room[k++] = c[l++];
    while (r < n) room[k++] = c[r++];
    memcpy(c, room, n * sizeof *c);
}

static void put_window(Arena *scratch, Str s, Buf *out) {
    enum { LONGEST = 4 }; // code points that one may decompose to, canonically
    size_t room = (s.len + 1) * LONGEST, n = 0;
    int32_t *c = arena_raw(scratch, room * sizeof *c, _Alignof(int32_t));
    for (size_t i = 0; i < s.len;) {
        int boundary = 0;
        utf8proc_ssize_t got = utf8proc_decompose_char(
            (int32_t)next_char(s, &i), c + n, (utf8proc_ssize_t)(room - n), UTF8PROC_DECOMPOSE, &boundary);
        assert(got > 0 && (size_t)got <= room - n);
        n += (size_t)got;
    }
    int32_t *sorted = arena_raw(scratch, (n + 1) * sizeof *c, _Alignof(int32_t));
    for (size_t i = 0; i < n;) {
        size_t from = i;
        while (i < n && class_of(c[i])) i++;
        sort_marks(c + from, sorted, i - from);
        i += i == from;
    }
    utf8proc_ssize_t kept =
        utf8proc_normalize_utf32(c, (utf8proc_ssize_t)n, UTF8PROC_STABLE | UTF8PROC_COMPOSE);
    assert(kept >= 0);
    for (utf8proc_ssize_t i = 0; i < kept; i++) {
        uint8_t u[4];
        buf_put(out, u, (size_t)utf8proc_encode_char(c[i], u));
    }
}

void nfc_put(Str s, Buf *out) {
    Arena scratch = {0};
    ArenaMark mark = arena_mark(&scratch);
    size_t kept = 0,
           last = 0; // everything before `kept` is written; `last` is where the last plain one begins
    for (size_t i = 0; i < s.len;) {
        size_t at = i;
        if (is_plain(next_char(s, &i))) {
            last = at;
            continue;
        }
        buf_put(out, s.p + kept, last - kept);
        size_t end = i;
        while (i < s.len && !is_plain(next_char(s, &i))) end = i;
        put_window(&scratch, (Str){s.p + last, end - last}, out);
        arena_reset(&scratch, mark);
        kept = last = i = end;
    }
    buf_put(out, s.p + kept, s.len - kept);
    arena_free(&scratch);
}
