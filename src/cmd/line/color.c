#include "cmd/line/color.h"

#include <stdlib.h>
#include <unistd.h>

#include "judge/verdict/verdict.h"

static enum { WHEN_AUTO, WHEN_ALWAYS, WHEN_NEVER } when;

void color_choose(const char *text) {
    when = strcmp(text, "always") == 0 ? WHEN_ALWAYS : strcmp(text, "never") == 0 ? WHEN_NEVER : WHEN_AUTO;
}

bool color_on(FILE *f) {
    if (when != WHEN_AUTO) return when == WHEN_ALWAYS;
    const char *no = getenv("NO_COLOR"), *term = getenv("TERM");
    return !(no && *no) && term && strcmp(term, "dumb") != 0 && isatty(fileno(f)) == 1;
}

// "accepted", "undecided", "nan_class": what kind of verdict a word names.
static bool verdict_word(Str word, StatusClass *out) {
    static const char *const classes[] = {
        [CLASS_ACCEPTED] = "accepted", [CLASS_REJECTED] = "rejected", [CLASS_UNDECIDED] = "undecided"};
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++)
        if (str_is(word, classes[i])) return *out = (StatusClass)i, true;
    Status status;
    if (!status_by_name(word, &status)) return false;
    *out = status_class(status);
    return true;
}

// "OP: accepted (ok, ...)", "draft 3: rejected: ...", "# OP: nan_class (level full ...": the word stands
// behind a colon, and not as a part of another.
static Str word_behind_colon(Str line, size_t at) {
    if (at < 2 || line.p[at - 2] != ':' || line.p[at - 1] != ' ') return (Str){0};
    size_t end = at;
    while (end < line.len && ((line.p[end] >= 'a' && line.p[end] <= 'z') || line.p[end] == '_')) end++;
    bool ends = end == line.len || memchr(" :,(", line.p[end], 4);
    return ends ? (Str){line.p + at, end - at} : (Str){0};
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
    static const char *const start[] = {
        [CLASS_ACCEPTED] = "\033[32m", [CLASS_REJECTED] = "\033[31m", [CLASS_UNDECIDED] = "\033[33m"};
    if (is_carets(line)) {
        buf_puts(out, bold);
        buf_str_put(out, line);
        buf_puts(out, plain);
        return;
    }
    for (size_t at = 2; at < line.len; at++) {
        Str word = word_behind_colon(line, at);
        StatusClass c;
        if (!word.len || !verdict_word(word, &c)) continue;
        buf_put(out, line.p, at);
        buf_printf(out, "%s%.*s%s", start[c], STR_ARG(word), plain);
        at += word.len;
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
