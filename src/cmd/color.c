#include "cmd/color.h"

#include <stdlib.h>
#include <unistd.h>

static enum { WHEN_AUTO, WHEN_ALWAYS, WHEN_NEVER } when;

void color_choose(const char *text) {
    when = strcmp(text, "always") == 0 ? WHEN_ALWAYS : strcmp(text, "never") == 0 ? WHEN_NEVER : WHEN_AUTO;
}

bool color_on(FILE *f) {
    if (when != WHEN_AUTO) return when == WHEN_ALWAYS;
    const char *no = getenv("NO_COLOR"), *term = getenv("TERM");
    return !(no && *no) && term && strcmp(term, "dumb") != 0 && isatty(fileno(f)) == 1;
}

static const struct {
    const char *word, *start;
} paint[] = {{"accepted", "\033[32m"}, {"rejected", "\033[31m"}, {"undecided", "\033[33m"}};

// "OP: accepted (ok, ...)", "draft 3: rejected: ...", "# OP: accepted ...": the word stands behind
// a colon, and not as a part of another.
static bool says_verdict(Str line, size_t at, const char *word) {
    size_t n = strlen(word);
    if (at < 2 || line.len - at < n || memcmp(line.p + at, word, n) != 0) return false;
    if (line.p[at - 2] != ':' || line.p[at - 1] != ' ') return false;
    return at + n == line.len || strchr(" :,(", line.p[at + n]);
}

static bool is_carets(Str line) {
    bool any = false;
    for (size_t i = 0; i < line.len; i++) {
        any |= line.p[i] == '^';
        if (!strchr(" \t|^~", line.p[i])) return false;
    }
    return any;
}

static void paint_line(Buf *out, Str line) {
    static const char bold[] = "\033[1;35m", plain[] = "\033[0m";
    if (is_carets(line)) {
        buf_puts(out, bold);
        buf_str_put(out, line);
        buf_puts(out, plain);
        return;
    }
    for (size_t at = 2; at < line.len; at++)
        for (size_t k = 0; k < sizeof paint / sizeof *paint; k++) {
            if (!says_verdict(line, at, paint[k].word)) continue;
            buf_put(out, line.p, at);
            buf_printf(out, "%s%s%s", paint[k].start, paint[k].word, plain);
            at += strlen(paint[k].word);
            buf_put(out, line.p + at, line.len - at);
            return;
        }
    buf_str_put(out, line);
}

void paint_text(Buf *out, Str text) {
    while (text.len) {
        const char *end = memchr(text.p, '\n', text.len);
        size_t n = end ? (size_t)(end - text.p) : text.len;
        paint_line(out, (Str){text.p, n});
        if (end) buf_putc(out, '\n');
        n += end != NULL;
        text = (Str){text.p + n, text.len - n};
    }
}

void print_text(FILE *f, Str text) {
    if (!text.len) return;
    if (!color_on(f)) {
        fwrite(text.p, 1, text.len, f);
        return;
    }
    Arena a = {0};
    Buf out = BUF(&a);
    paint_text(&out, text);
    fwrite(out.p, 1, out.len, f);
    arena_free(&a);
}

void print_result(Str text, bool json) {
    if (!json)
        print_text(stdout, text);
    else if (text.len)
        fwrite(text.p, 1, text.len, stdout);
}
