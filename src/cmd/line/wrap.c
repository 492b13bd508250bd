#include "cmd/line/wrap.h"

#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { COLUMNS_USUAL = 80, COLUMNS_LEAST = 40, COLUMNS_MOST = 100000 };

int screen_columns(FILE *f) {
    if (isatty(fileno(f)) != 1) return 0;
    const char *told = getenv("COLUMNS");
    struct winsize size;
    long n = told ? strtol(told, NULL, 10) : 0;
    if (n <= 0 && ioctl(fileno(f), TIOCGWINSZ, &size) == 0) n = size.ws_col;
    if (n <= 0) n = COLUMNS_USUAL;
    return (int)(n < COLUMNS_LEAST ? COLUMNS_LEAST : n > COLUMNS_MOST ? COLUMNS_MOST : n);
}

// The bytes of as many characters as fit; all of them where the line is shorter.
static size_t bytes_of(Str line, size_t characters) {
    size_t i = 0;
    while (i < line.len && characters-- > 0) {
        i++;
        while (i < line.len && ((unsigned char)line.p[i] & 0xc0) == 0x80) i++;
    }
    return i;
}

// Where a line is broken: the last space that leaves a part that fits, else the first one; 0: nowhere. Not
// within `from`, the indentation.
static size_t break_at(Str line, size_t from, size_t fits) {
    size_t at = 0;
    for (size_t i = from; i < line.len; i++) {
        if (line.p[i] != ' ') continue;
        if (i > fits && at) return at;
        at = i;
        if (i > fits) return at;
    }
    return at;
}

// Not what is indented as pictures and code are, perhaps behind the sign of a comment.
static bool is_prose(Str line) {
    Str rest = line;
    if (str_starts(line, "# ")) rest = (Str){line.p + 2, line.len - 2};
    return !str_starts(rest, "    ");
}

static void wrap_line(Buf *out, Str line, size_t width, int hang) {
    const char *sign = str_starts(line, "# ") ? "# " : "";
    size_t sign_len = strlen(sign), from = sign_len, before = 0;
    while (from < line.len && line.p[from] == ' ') from++;
    hang += (int)(from - sign_len);
    for (;;) {
        size_t fits = bytes_of(line, width - before);
        size_t at = fits < line.len ? break_at(line, from, fits) : 0;
        if (!at) break;
        buf_put(out, line.p, at);
        buf_printf(out, "\n%s%*s", sign, hang, "");
        line = (Str){line.p + at + 1, line.len - at - 1};
        before = sign_len + (size_t)hang;
        from = 0;
    }
    buf_str_put(out, line);
}

void wrap_text(Buf *out, Str text, int columns, int hang) {
    size_t width = columns > hang + COLUMNS_LEAST / 2 ? (size_t)columns - 1 : 0;
    while (text.len) {
        const char *end = memchr(text.p, '\n', text.len);
        size_t n = end ? (size_t)(end - text.p) : text.len;
        Str line = {text.p, n};
        if (width && n > width && is_prose(line))
            wrap_line(out, line, width, hang);
        else
            buf_str_put(out, line);
        if (end) buf_putc(out, '\n');
        n += end != NULL;
        text = (Str){text.p + n, text.len - n};
    }
}
