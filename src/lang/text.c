#include "lang/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

// Control characters, and the marks that reorder or hide text on a screen, must not reach a terminal.
bool char_printable(uint32_t c) {
    if (c < 0x20 || (c >= 0x7f && c < 0xa0)) return false;
    return c != 0x061c && !(c >= 0x200b && c <= 0x200f) && !(c >= 0x2028 && c <= 0x202e) &&
           !(c >= 0x2060 && c <= 0x206f) && c != 0xfeff;
}

// ---- floats

typedef struct {
    char digit[20]; // d1 d2 .. dn, no leading zero
    int count;
    int exponent; // value = d1.d2..dn * 10^exponent
} Decimal;

// v > 0 rounded correctly to `count` digits.
static Decimal decimal_of(double v, int count) {
    char text[40];
    snprintf(text, sizeof text, "%.*e", count - 1, v);
    Decimal d = {.count = count};
    const char *p = text;
    for (int i = 0; i < count; p++)
        if (*p != '.') d.digit[i++] = *p;
    d.exponent = atoi(strchr(text, 'e') + 1);
    return d;
}

static bool reads_back(const Decimal *d, double v) {
    char text[40];
    snprintf(text, sizeof text, "%.*se%d", d->count, d->digit, d->exponent - (d->count - 1));
    return strtod(text, NULL) == v;
}

static void count_up(Decimal *d) {
    int i = d->count - 1;
    while (i >= 0 && d->digit[i] == '9') d->digit[i--] = '0';
    if (i >= 0) {
        d->digit[i]++;
        return;
    }
    d->digit[0] = '1';
    d->exponent++;
}

// A decimal of up to 15 digits survives the way through a normal float, so if one of them is v, the 15 digits
// of v show it, with zeros behind. Below a power of two the floats lie twice as dense as above it, so there
// the nearest decimal may be too far below while the next one up is close enough.
static Decimal shortest(double v) {
    int e;
    bool power = frexp(v, &e) == 0.5;
    for (int count = v < 0x1p-1022 ? 1 : 15;; count++) {
        Decimal d = decimal_of(v, count);
        if (count == 17 || reads_back(&d, v)) return d;
        if (!power) continue;
        count_up(&d);
        if (reads_back(&d, v)) return d;
    }
}

// Python's repr: positional from 1e-4 up to 1e16, else scientific with two digits of exponent or more.
void float_repr(Buf *out, double v) {
    if (isnan(v)) return buf_puts(out, "nan");
    if (signbit(v)) buf_putc(out, '-');
    v = fabs(v);
    if (isinf(v)) return buf_puts(out, "inf");
    if (v == 0) return buf_puts(out, "0.0");
    Decimal d = shortest(v);
    while (d.count > 1 && d.digit[d.count - 1] == '0') d.count--;
    if (d.exponent < -4 || d.exponent >= 16) {
        buf_putc(out, d.digit[0]);
        if (d.count > 1) buf_putc(out, '.');
        buf_put(out, d.digit + 1, (size_t)d.count - 1);
        buf_printf(out, "e%c%02d", d.exponent < 0 ? '-' : '+', abs(d.exponent));
        return;
    }
    if (d.exponent < 0) buf_puts(out, "0.");
    for (int i = d.exponent + 1; i < 0; i++) buf_putc(out, '0');
    for (int i = 0; i < d.count; i++) {
        buf_putc(out, d.digit[i]);
        if (i == d.exponent && i + 1 < d.count) buf_putc(out, '.');
    }
    for (int i = d.count; i <= d.exponent; i++) buf_putc(out, '0');
    if (d.exponent >= d.count - 1) buf_puts(out, ".0");
}

// ---- strings

// The escape of a character that cannot stand as it is.
static void put_escape(Buf *out, uint32_t code) {
    switch (code) {
    case '\n': return buf_puts(out, "\\n");
    case '\r': return buf_puts(out, "\\r");
    case '\t': return buf_puts(out, "\\t");
    default: break;
    }
    if (code < 0x100)
        buf_printf(out, "\\x%02x", code);
    else
        buf_printf(out, "\\u%04x", code);
}

void string_body(Buf *out, Str s, StringStyle style) {
    int len = 1;
    for (size_t i = 0; i < s.len; i += (size_t)len) {
        uint32_t code = (unsigned char)s.p[i];
        if (!style.bytes) code = utf8_at(s.p + i, &len);
        bool last = i + 1 == s.len;
        if (code == (unsigned char)style.quote && style.triple) {
            // Only three in a row, or one right before the closing three, would be misread.
            if (last || s.p[i + 1] == style.quote) buf_putc(out, '\\');
            buf_putc(out, style.quote);
        } else if (code == '\\' || code == (unsigned char)style.quote) {
            buf_putc(out, '\\');
            buf_putc(out, (char)code);
        } else if (style.braces == BRACES_DOUBLED && (code == '{' || code == '}')) {
            buf_putc(out, (char)code);
            buf_putc(out, (char)code);
        } else if (style.braces == BRACES_ESCAPED && (code == '{' || code == '}'))
            buf_printf(out, "\\x%02x", code);
        else if (code == '\n' && style.triple)
            buf_putc(out, '\n');
        else if (style.bytes ? code >= 0x20 && code < 0x7f : char_printable(code))
            buf_put(out, s.p + i, (size_t)len);
        else
            put_escape(out, code);
    }
}

const char *text_escaped(Arena *a, const char *text) {
    Buf b = BUF(a);
    Str s = str_of(text);
    for (size_t i = 0; i < s.len;) {
        int len = 1;
        bool whole = utf8_prefix((Str){s.p + i, s.len - i < 4 ? s.len - i : 4}) > 0;
        uint32_t code = whole ? utf8_at(s.p + i, &len) : (unsigned char)s.p[i];
        if (whole && (code == '\n' || char_printable(code)))
            buf_put(&b, s.p + i, (size_t)len);
        else
            put_escape(&b, code);
        i += (size_t)len;
    }
    return buf_cstr(&b);
}

int line_break(const char *p, const char *end) {
    if (p == end) return 0;
    if (*p == '\n') return 1;
    if (*p != '\r') return 0;
    return p + 1 < end && p[1] == '\n' ? 2 : 1;
}
