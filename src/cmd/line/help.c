#include "cmd/line/help.h"

#include "base/suggest.h"
#include "base/version.h"
#include "cmd/line/cmd.h"
#include "cmd/line/option_rows.h"

enum { WIDTH = 79, LEFT = 2, RIGHT = 24 };

// Words of a text from column `at` on, with later lines starting in column `indent`.
static void put_wrapped(Buf *out, const char *text, int at, int indent) {
    bool first = true;
    for (Str word; row_word(&text, ' ', &word); first = false) {
        if (!first && at + 1 + (int)word.len > WIDTH) {
            buf_printf(out, "\n%*s", indent, "");
            at = indent;
        } else if (!first) {
            buf_putc(out, ' ');
            at++;
        }
        buf_str_put(out, word);
        at += (int)word.len;
    }
    buf_putc(out, '\n');
}

// "  --seed S              what it does", the text below where the left side is too wide.
static void put_row(Buf *out, Str left, const char *text) {
    buf_printf(out, "%*s%.*s", LEFT, "", STR_ARG(left));
    int at = LEFT + (int)left.len;
    if (at + 2 > RIGHT) {
        buf_putc(out, '\n');
        at = 0;
    }
    buf_printf(out, "%*s", RIGHT - at, "");
    put_wrapped(out, text, RIGHT, RIGHT);
}

static void put_names(Buf *out, const OptionRow *o) {
    const char *at = o->names;
    bool first = true;
    for (Str name; row_word(&at, ' ', &name); first = false)
        buf_printf(out, "%s%.*s", first ? "" : ", ", STR_ARG(name));
    if (*o->value) buf_printf(out, " %s", o->value);
}

static void put_option(Buf *out, const OptionRow *o) {
    Buf left = BUF(out->arena);
    put_names(&left, o);
    const char *text = *o->initial ? arena_printf(out->arena, "%s [%s]", o->help, o->initial) : o->help;
    put_row(out, buf_str(&left), text);
}

static void put_usage(Buf *out, const VerbRow *v) {
    const char *at = v->usage, *word = "usage:";
    for (Str line; row_word(&at, '\n', &line); word = "      ")
        buf_printf(out, "%s ouroboros %s %.*s\n", word, v->name, STR_ARG(line));
}

static void put_verb(Buf *out, const VerbRow *v) {
    put_usage(out, v);
    buf_putc(out, '\n');
    put_wrapped(out, v->does, 0, 0);
    const ArgumentRow *a;
    const OptionRow *o;
    if (argument_row(v, 0)) buf_putc(out, '\n');
    for (int i = 0; (a = argument_row(v, i)); i++) put_row(out, str_of(a->name), a->help);
    buf_puts(out, "\nOptions:\n");
    for (int i = 0; (o = option_row(v, i)); i++) put_option(out, o);
}

static void put_verbs(Buf *out) {
    const VerbRow *v = verb_rows();
    for (int i = 0; i < VERBS; i++) put_row(out, str_of(v[i].name), v[i].does);
}

static void put_exits(Buf *out) {
    int code;
    const char *means;
    for (int i = 0; exit_row(i, &code, &means); i++)
        put_row(out, str_of(arena_printf(out->arena, "%d", code)), means);
}

static void put_program(Buf *out) {
    buf_puts(out, "usage: ouroboros VERB [arguments] [options]\n\n");
    buf_printf(out, "ouroboros %s judges GPU kernels, and writes kernels that it has judged.\n\n",
               OUROBOROS_VERSION);
    put_verbs(out);
    buf_puts(out, "\nouroboros VERB --help tells the options of a verb.\n\nExit codes:\n");
    put_exits(out);
}

bool help_text(Buf *out, const char *name, Err *e) {
    if (!*name) return put_program(out), true;
    const VerbRow *v = verb_rows(), *one = verb_named(name);
    if (one) return put_verb(out, one), true;
    size_t before = out->len;
    for (int i = 0; i < VERBS; i++) {
        if (!verb_in_group(&v[i], str_of(name))) continue;
        if (out->len > before) buf_puts(out, "\n\n");
        put_verb(out, &v[i]);
    }
    if (out->len > before) return true;
    Nearest near = nearest_to(str_of(name));
    for (int i = 0; i < VERBS; i++) nearest_offer(&near, str_of(v[i].name));
    return err_set(e, ERR_USAGE, "no verb \"%s\"%s", name, nearest_words(out->arena, &near));
}

int help_print(const char *name) {
    Arena a = {0};
    Buf out = BUF(&a);
    Err e = {0};
    bool ok = help_text(&out, name, &e);
    if (ok) fwrite(out.p, 1, out.len, stdout);
    arena_free(&a);
    return ok ? EXIT_OK : cmd_fail("help", &e);
}

void help_usage(FILE *f) {
    Arena a = {0};
    Buf out = BUF(&a);
    put_program(&out);
    fwrite(out.p, 1, out.len, f);
    arena_free(&a);
}
