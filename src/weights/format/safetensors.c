#include "weights/format/safetensors.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

enum { HEADER_MAX = 100000000 };

static const struct {
    const char *name;
    int bits;
    int type; // WeightType
} dtypes[] = {
    {"F32", 32, W_F32},     {"F16", 16, W_F16},     {"BF16", 16, W_BF16}, {"BOOL", 8, -1},
    {"F4", 4, -1},          {"F6_E2M3", 6, -1},     {"F6_E3M2", 6, -1},   {"U8", 8, -1},
    {"I8", 8, -1},          {"F8_E5M2", 8, -1},     {"F8_E4M3", 8, -1},   {"F8_E8M0", 8, -1},
    {"F8_E4M3FNUZ", 8, -1}, {"F8_E5M2FNUZ", 8, -1}, {"I16", 16, -1},      {"U16", 16, -1},
    {"I32", 32, -1},        {"U32", 32, -1},        {"C64", 64, -1},      {"F64", 64, -1},
    {"I64", 64, -1},        {"U64", 64, -1},
};
enum { DTYPES = sizeof dtypes / sizeof *dtypes };

// The header is a JSON object of one fixed shape and may be 100 MB long: it is read in place, without a tree.
typedef struct {
    Arena *arena;
    const char *file, *start, *p, *end;
    Err *e;
} Scan;

PRINTF(2, 3) static bool bad(Scan *s, const char *fmt, ...) {
    char text[256];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    return err_set(s->e, ERR_INPUT, "%s: header, byte %zu: %s", s->file, (size_t)(s->p - s->start), text);
}

static void skip_space(Scan *s) {
    while (s->p < s->end && (*s->p == ' ' || *s->p == '\t' || *s->p == '\n' || *s->p == '\r')) s->p++;
}

static bool take(Scan *s, char c) {
    skip_space(s);
    if (s->p == s->end || *s->p != c) return false;
    s->p++;
    return true;
}

static bool expect(Scan *s, char c) { return take(s, c) || bad(s, "'%c' belongs here", c); }

static bool scan_hex4(Scan *s, uint32_t *out) {
    if (s->end - s->p < 4) return bad(s, "the text ends inside an escape");
    *out = 0;
    for (int i = 0; i < 4; i++) {
        char c = *s->p++;
        int digit = c >= '0' && c <= '9'                 ? c - '0'
                    : (c | 32) >= 'a' && (c | 32) <= 'f' ? (c | 32) - 'a' + 10
                                                         : -1;
        if (digit < 0) return bad(s, "\\u needs four hexadecimal digits");
        *out = *out << 4 | (uint32_t)digit;
    }
    return true;
}

static void put_utf8(Buf *b, uint32_t c) {
    if (c < 0x80) {
        buf_putc(b, (char)c);
        return;
    }
    int more = c >= 0x10000 ? 3 : c >= 0x800 ? 2 : 1;
    buf_putc(b, (char)(0xff00 >> (more + 1) | c >> 6 * more));
    while (more--) buf_putc(b, (char)(0x80 | (c >> 6 * more & 63)));
}

static bool scan_escape(Scan *s, Buf *b) {
    static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
    if (s->p == s->end) return bad(s, "the text ends inside an escape");
    char c = *s->p++;
    const char *simple = c ? strchr(from, c) : NULL;
    if (simple) {
        buf_putc(b, to[simple - from]);
        return true;
    }
    uint32_t code = 0, low = 0;
    if (c != 'u') return bad(s, "no such escape");
    if (!scan_hex4(s, &code)) return false;
    if (code == 0) return bad(s, "a NUL in a text");
    if (code >= 0xdc00 && code <= 0xdfff) return bad(s, "half of a surrogate pair");
    if (code >= 0xd800 && code <= 0xdbff) {
        if (s->end - s->p < 2 || s->p[0] != '\\' || s->p[1] != 'u') return bad(s, "half of a surrogate pair");
        s->p += 2;
        if (!scan_hex4(s, &low)) return false;
        if (low < 0xdc00 || low > 0xdfff) return bad(s, "half of a surrogate pair");
        code = 0x10000 + ((code - 0xd800) << 10 | (low - 0xdc00));
    }
    put_utf8(b, code);
    return true;
}

// Borrowed from the file unless it has escapes.
static bool scan_string(Scan *s, Str *out) {
    if (!expect(s, '"')) return false;
    const char *from = s->p;
    while (s->p < s->end && *s->p != '"' && *s->p != '\\' && (unsigned char)*s->p >= ' ') s->p++;
    if (s->p < s->end && *s->p == '"') {
        *out = (Str){from, (size_t)(s->p++ - from)};
        return true;
    }
    Buf b = BUF(s->arena);
    buf_put(&b, from, (size_t)(s->p - from));
    for (;;) {
        if (s->p == s->end) return bad(s, "the text does not end");
        char c = *s->p++;
        if (c == '"') break;
        if ((unsigned char)c < ' ') return bad(s, "a control character in a text");
        if (c != '\\')
            buf_putc(&b, c);
        else if (!scan_escape(s, &b))
            return false;
    }
    *out = (Str){buf_cstr(&b), b.len};
    return true;
}

// A count: digits alone, as the format's own writers print it.
static bool scan_count(Scan *s, uint64_t *out) {
    skip_space(s);
    const char *from = s->p;
    *out = 0;
    for (; s->p < s->end && *s->p >= '0' && *s->p <= '9'; s->p++)
        if (__builtin_mul_overflow(*out, 10u, out) ||
            __builtin_add_overflow(*out, (uint64_t)(*s->p - '0'), out))
            return bad(s, "a number beyond 64 bits");
    if (s->p == from) return bad(s, "a number belongs here, not negative, without a point");
    if (*from == '0' && s->p - from > 1) return bad(s, "a number with a leading zero");
    return true;
}

typedef struct {
    Stored stored;
    int bits;
    uint64_t from, to; // data_offsets
} Entry;

static bool scan_dtype(Scan *s, Entry *t) {
    Str name;
    if (!scan_string(s, &name)) return false;
    for (int i = 0; i < DTYPES; i++)
        if (str_is(name, dtypes[i].name)) {
            t->stored.type_name = dtypes[i].name;
            t->stored.type = dtypes[i].type;
            t->bits = dtypes[i].bits;
            return true;
        }
    return bad(s, "unknown dtype \"%s\"", shown(name).at);
}

static bool scan_shape(Scan *s, Entry *t) {
    if (!expect(s, '[')) return false;
    if (take(s, ']')) return true; // a scalar
    do {
        uint64_t n;
        if (!scan_count(s, &n)) return false;
        if (t->stored.rank == STORED_RANK_MAX) return bad(s, "more than %d dimensions", STORED_RANK_MAX);
        if (n > INT64_MAX) return bad(s, "a dimension beyond 63 bits");
        t->stored.shape[t->stored.rank++] = (int64_t)n;
    } while (take(s, ','));
    return expect(s, ']');
}

static bool scan_offsets(Scan *s, Entry *t) {
    return expect(s, '[') && scan_count(s, &t->from) && expect(s, ',') && scan_count(s, &t->to) &&
           expect(s, ']');
}

// {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]}, in any order
static bool scan_entry(Scan *s, Entry *t) {
    static const struct {
        const char *key;
        bool (*scan)(Scan *, Entry *);
    } parts[] = {{"dtype", scan_dtype}, {"shape", scan_shape}, {"data_offsets", scan_offsets}};
    bool seen[3] = {false};
    if (!expect(s, '{')) return false;
    if (!take(s, '}')) {
        do {
            Str key;
            if (!scan_string(s, &key)) return false;
            int i = 0;
            while (i < 3 && !str_is(key, parts[i].key)) i++;
            if (i == 3) return bad(s, "no such key: \"%s\"", shown(key).at);
            if (seen[i]) return bad(s, "\"%s\" twice", parts[i].key);
            seen[i] = true;
            if (!expect(s, ':') || !parts[i].scan(s, t)) return false;
        } while (take(s, ','));
        if (!expect(s, '}')) return false;
    }
    for (int i = 0; i < 3; i++)
        if (!seen[i]) return bad(s, "\"%s\" is missing", parts[i].key);
    return true;
}

static bool scan_metadata(Scan *s) {
    Str key, value;
    if (!expect(s, '{')) return false;
    if (take(s, '}')) return true;
    do {
        if (!scan_string(s, &key) || !expect(s, ':') || !scan_string(s, &value)) return false;
    } while (take(s, ','));
    return expect(s, '}');
}

// The bytes that shape and dtype come to.
static bool entry_bytes(Scan *s, const Entry *t, uint64_t *out) {
    uint64_t bits = (uint64_t)t->bits;
    for (int i = 0; i < t->stored.rank; i++)
        if (__builtin_mul_overflow(bits, (uint64_t)t->stored.shape[i], &bits))
            return bad(s, "%s of %s: the size overflows", stored_shape(&t->stored).at, t->stored.type_name);
    if (bits % 8)
        return bad(s, "%s of %s does not fill whole bytes", stored_shape(&t->stored).at, t->stored.type_name);
    *out = bits / 8;
    return true;
}

static int by_offset(const void *x, const void *y) {
    const Entry *a = x, *b = y;
    if (a->from != b->from) return a->from < b->from ? -1 : 1;
    return (a->to > b->to) - (a->to < b->to);
}

// Tensors fill [0, size) in some order, one behind the other.
static bool check_places(Scan *s, Entry *at, size_t n, uint64_t size) {
    if (n) qsort(at, n, sizeof *at, by_offset);
    uint64_t end = 0;
    for (size_t i = 0; i < n; i++) {
        uint64_t bytes = 0;
        const Str name = at[i].stored.name;
        if (at[i].to < at[i].from || at[i].from != end)
            return err_set(s->e, ERR_INPUT,
                           "%s: tensor \"%s\": data_offsets [%llu, %llu] where %llu should follow", s->file,
                           shown(name).at, (unsigned long long)at[i].from, (unsigned long long)at[i].to,
                           (unsigned long long)end);
        if (!entry_bytes(s, &at[i], &bytes)) return err_ctx(s->e, "tensor \"%s\"", shown(name).at);
        if (bytes != at[i].to - at[i].from)
            return err_set(s->e, ERR_INPUT,
                           "%s: tensor \"%s\": %s of %s are %llu bytes, data_offsets say %llu", s->file,
                           shown(name).at, stored_shape(&at[i].stored).at, at[i].stored.type_name,
                           (unsigned long long)bytes, (unsigned long long)(at[i].to - at[i].from));
        end = at[i].to;
    }
    if (end != size)
        return err_set(s->e, ERR_INPUT, "%s: the tensors take %llu bytes, the file has %llu for them: %s",
                       s->file, (unsigned long long)end, (unsigned long long)size,
                       end > size ? "it is cut; download it again" : "something else is behind them");
    return true;
}

static bool scan_header(Scan *s, Entry **entries, size_t *count) {
    size_t cap = 0;
    bool metadata = false;
    if (s->p == s->end || *s->p != '{') return bad(s, "'{' belongs here");
    s->p++;
    if (!take(s, '}')) {
        do {
            Str key;
            if (!scan_string(s, &key) || !expect(s, ':')) return false;
            if (str_is(key, "__metadata__")) {
                if (metadata) return bad(s, "\"__metadata__\" twice");
                metadata = true;
                if (!scan_metadata(s)) return false;
                continue;
            }
            if (*count == STORED_MAX) return bad(s, "more than %d tensors", STORED_MAX);
            if (*count == cap) {
                cap = cap ? 2 * cap : 256;
                *entries = MORE(s->arena, Entry, *entries, *count, cap);
            }
            Entry *t = &(*entries)[*count];
            *t = (Entry){.stored = {.name = key, .file = s->file}};
            if (!scan_entry(s, t)) return err_ctx(s->e, "tensor \"%s\"", shown(key).at);
            (*count)++;
        } while (take(s, ','));
        if (!expect(s, '}')) return false;
    }
    for (; s->p < s->end; s->p++)
        if (*s->p != ' ') return bad(s, "only spaces may follow the last brace");
    return true;
}

bool safetensors_read(Arena *a, const Mapped *m, StoredTable *t, Err *e) {
    if (m->len < 8) return err_set(e, ERR_INPUT, "%s: %zu bytes are no safetensors file", m->path, m->len);
    uint64_t n = read_u64(m->p);
    if (n > HEADER_MAX)
        return err_set(e, ERR_INPUT, "%s: a header of %llu bytes (at most %d): no safetensors file", m->path,
                       (unsigned long long)n, HEADER_MAX);
    if (n > m->len - 8)
        return err_set(e, ERR_INPUT,
                       "%s: the header has %llu bytes, the file %zu: it is cut; download it again", m->path,
                       (unsigned long long)n, m->len);
    Scan s = {a, m->path, (const char *)m->p + 8, (const char *)m->p + 8, (const char *)m->p + 8 + n, e};
    if (!utf8_valid((Str){s.start, n})) return bad(&s, "not UTF-8");
    Entry *entry = NULL;
    size_t count = 0;
    if (!scan_header(&s, &entry, &count) || !check_places(&s, entry, count, m->len - 8 - n)) return false;
    for (size_t i = 0; i < count; i++) {
        entry[i].stored.data = m->p + 8 + n + entry[i].from;
        entry[i].stored.bytes = (size_t)(entry[i].to - entry[i].from);
        stored_add(a, t, &entry[i].stored);
    }
    return true;
}
