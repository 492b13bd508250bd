#include "lang/diag.h"

#include <stdarg.h>
#include <stdio.h>

#include "lang/text.h"

static const char *const diag_names[DIAG_COUNT] = {
#define DIAG(id, doc) #id,
#include "lang/diag.def"
#undef DIAG
};
enum { LIST_MAX = sizeof((DiagList *)0)->at / sizeof(Diag), LINE_SHOWN = 110 };

const char *diag_name(DiagKind k) { return diag_names[k]; }

// Messages quote the user's text: whatever is not plain ASCII would reach a terminal as it stands.
static void make_plain(char *s) {
    for (; *s; s++)
        if (*s < 0x20 || *s > 0x7e) *s = '?';
}

void diag_record(DiagList *d, DiagKind kind, Span span, const char *fmt, ...) {
    Diag *slot;
    if (d->count < LIST_MAX)
        slot = &d->at[d->count++];
    else if (kind != DIAG_WARNING && !diag_first(d))
        slot = &d->at[LIST_MAX - 1]; // warnings must not hide it
    else
        return;
    char msg[512];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(msg, sizeof msg, fmt, ap);
    va_end(ap);
    make_plain(msg);
    *slot = (Diag){kind, span, arena_strndup(d->arena, msg, strlen(msg))};
}

const Diag *diag_first(const DiagList *d) {
    for (int i = 0; i < d->count; i++)
        if (d->at[i].kind != DIAG_WARNING) return &d->at[i];
    return NULL;
}

static size_t text_start(Str source) { return str_starts(source, "\xef\xbb\xbf") ? 3 : 0; }

LineCol line_col(Str source, uint32_t at) {
    size_t stop = at < source.len ? at : source.len;
    LineCol lc = {1, 1};
    const char *end = source.p + source.len;
    for (size_t i = text_start(source); i < stop;) {
        int br = line_break(source.p + i, end);
        if (br && i + (size_t)br <= stop) {
            lc.line++;
            lc.col = 1;
        } else if (!br && (source.p[i] & 0xc0) != 0x80)
            lc.col++;
        i += br ? (size_t)br : 1;
    }
    return lc;
}

Str source_line(Str source, int line) {
    const char *end = source.p + source.len, *p = source.p + text_start(source);
    for (int at = 1; at < line; at++) {
        int br = 0;
        while (p < end && !(br = line_break(p, end))) p++;
        if (!br) return (Str){end, 0};
        p += br;
    }
    const char *start = p;
    while (p < end && !line_break(p, end)) p++;
    return (Str){start, (size_t)(p - start)};
}

typedef struct {
    Str line;
    int first, last; // characters to show, [first, last)
} Window;

// Characters of the line around its column `col`, LINE_SHOWN at most.
static Window window_around(Str line, int col) {
    Window w = {line, 0, 0};
    for (size_t i = 0; i < line.len; i++) w.last += (line.p[i] & 0xc0) != 0x80;
    if (w.last <= LINE_SHOWN) return w;
    int first = col - 1 - LINE_SHOWN / 2;
    if (first > w.last - LINE_SHOWN) first = w.last - LINE_SHOWN;
    w.first = first < 0 ? 0 : first;
    w.last = w.first + LINE_SHOWN;
    return w;
}

static void put_window(Buf *out, Window w) {
    int index = 0, len;
    for (size_t i = 0; i < w.line.len && index < w.last; i += (size_t)len, index++) {
        uint32_t c = utf8_at(w.line.p + i, &len);
        if (index < w.first) continue;
        if (c == '\t')
            buf_putc(out, ' ');
        else if (char_printable(c))
            buf_put(out, w.line.p + i, (size_t)len);
        else
            buf_putc(out, '?');
    }
}

void diag_render(Buf *out, const char *file, Str source, const Diag *d) {
    LineCol lc = line_col(source, d->span.at);
    buf_printf(out, "%s:%d:%d: %s%s\n", file, lc.line, lc.col, d->kind == DIAG_WARNING ? "warning: " : "",
               d->msg);
    if (!utf8_valid(source)) return; // nothing to show that a terminal would understand
    Window w = window_around(source_line(source, lc.line), lc.col);
    buf_puts(out, "    ");
    put_window(out, w);
    buf_puts(out, "\n    ");
    for (int i = w.first + 1; i < lc.col; i++) buf_putc(out, ' ');
    uint32_t end = d->span.at + d->span.len;
    LineCol to = line_col(source, end < d->span.at ? d->span.at : end);
    int stop = to.line == lc.line ? to.col : w.last + 1; // a span over several lines: to the end of the first
    if (stop > w.last + 1) stop = w.last + 1;
    buf_putc(out, '^');
    for (int i = lc.col + 1; i < stop; i++) buf_putc(out, '~');
    buf_putc(out, '\n');
}
