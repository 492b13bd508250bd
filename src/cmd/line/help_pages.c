// The same rows as man pages and as Markdown.
#include "base/version.h"
#include "cmd/line/help.h"
#include "cmd/line/option_rows.h"

// ---- man pages

// Hyphens stay hyphens, and no text is taken for a command.
static void put_roff(Buf *out, const char *text) {
    if (*text == '.' || *text == '\'') buf_puts(out, "\\&");
    for (; *text; text++) {
        if (*text == '\\')
            buf_puts(out, "\\e");
        else if (*text == '-')
            buf_puts(out, "\\-");
        else
            buf_putc(out, *text);
    }
}

static void put_upper(Buf *out, const char *text) {
    for (; *text; text++)
        buf_putc(out, *text == ' ' ? '-' : *text >= 'a' && *text <= 'z' ? *text - 32 : *text);
}

static const char *page_name(Arena *a, const char *verb) {
    char *name = arena_printf(a, "ouroboros%s%s", *verb ? "-" : "", verb);
    for (char *p = name; *p; p++)
        if (*p == ' ') *p = '-';
    return name;
}

static void put_title(Buf *out, const char *verb, const char *does) {
    const char *name = page_name(out->arena, verb);
    buf_puts(out, ".TH ");
    put_upper(out, name);
    buf_printf(out, " 1 \"\" \"ouroboros %s\" \"User Commands\"\n.SH NAME\n", OUROBOROS_VERSION);
    put_roff(out, name);
    buf_puts(out, " \\- ");
    put_roff(out, does);
    buf_puts(out, "\n.SH SYNOPSIS\n");
}

static void put_synopsis(Buf *out, const VerbRow *v) {
    const char *at = v->usage;
    bool first = true;
    for (Str line; row_word(&at, '\n', &line); first = false) {
        if (!first) buf_puts(out, ".br\n");
        buf_printf(out, ".B ouroboros %s\n", v->name);
        put_roff(out, str_cdup(out->arena, line));
        buf_putc(out, '\n');
    }
}

static void put_option(Buf *out, const OptionRow *o) {
    const char *at = o->names;
    bool first = true;
    buf_puts(out, ".TP\n");
    for (Str name; row_word(&at, ' ', &name); first = false) {
        buf_puts(out, first ? "\\fB" : ", \\fB");
        put_roff(out, str_cdup(out->arena, name));
        buf_puts(out, "\\fR");
    }
    if (*o->value) {
        buf_puts(out, " \\fI");
        put_roff(out, o->value);
        buf_puts(out, "\\fR");
    }
    buf_putc(out, '\n');
    put_roff(out, o->help);
    if (*o->initial) {
        buf_puts(out, " [");
        put_roff(out, o->initial);
        buf_putc(out, ']');
    }
    buf_putc(out, '\n');
}

static void put_exits(Buf *out) {
    int code;
    const char *means;
    buf_puts(out, ".SH EXIT STATUS\n");
    for (int i = 0; exit_row(i, &code, &means); i++) {
        buf_printf(out, ".TP\n%d\n", code);
        put_roff(out, means);
        buf_putc(out, '\n');
    }
}

static void man_verb(Buf *out, const VerbRow *v) {
    put_title(out, v->name, v->does);
    put_synopsis(out, v);
    const ArgumentRow *a;
    const OptionRow *o;
    if (argument_row(v, 0)) buf_puts(out, ".SH ARGUMENTS\n");
    for (int i = 0; (a = argument_row(v, i)); i++) {
        buf_printf(out, ".TP\n\\fI%s\\fR\n", a->name);
        put_roff(out, a->help);
        buf_putc(out, '\n');
    }
    buf_puts(out, ".SH OPTIONS\n");
    for (int i = 0; (o = option_row(v, i)); i++) put_option(out, o);
    put_exits(out);
    buf_puts(out, ".SH SEE ALSO\n.BR ouroboros (1)\n");
}

static void man_program(Buf *out) {
    const VerbRow *v = verb_rows();
    put_title(out, "", "judge GPU kernels, and write kernels that were judged");
    buf_puts(out, ".B ouroboros\n\\fIVERB\\fR [arguments] [options]\n.SH VERBS\n");
    for (int i = 0; i < VERBS; i++) {
        buf_printf(out, ".TP\n\\fB%s\\fR\n", v[i].name);
        put_roff(out, v[i].does);
        buf_putc(out, '\n');
    }
    put_exits(out);
    buf_puts(out, ".SH FILES\n.TP\n.I $XDG_STATE_HOME/ouroboros\n"
                  "The journal of the verbs that judge; without the variable, ~/.local/state/ouroboros.\n"
                  ".SH ENVIRONMENT\n.TP\n.B NO_COLOR\nIf set and not empty, nothing is coloured.\n"
                  ".SH SEE ALSO\n");
    for (int i = 0; i < VERBS; i++)
        buf_printf(out, ".BR %s (1)%s\n", page_name(out->arena, v[i].name), i + 1 < VERBS ? "," : "");
}

bool help_man(Buf *out, const char *name, Err *e) {
    if (!*name) return man_program(out), true;
    const VerbRow *v = verb_named(name);
    if (!v) return err_set(e, ERR_USAGE, "no verb \"%s\"", name);
    return man_verb(out, v), true;
}

// ---- Markdown

// In a table's cell.
static void put_cell(Buf *out, const char *text) {
    for (; *text; text++) {
        if (strchr("|*_<\\", *text)) buf_putc(out, '\\');
        buf_putc(out, *text);
    }
}

static void put_code(Buf *out, const char *text) {
    buf_putc(out, '`');
    for (; *text; text++) buf_puts(out, *text == '|' ? "\\|" : (char[]){*text, 0});
    buf_putc(out, '`');
}

static void markdown_option(Buf *out, const OptionRow *o) {
    const char *at = o->names;
    bool first = true;
    buf_puts(out, "| ");
    for (Str name; row_word(&at, ' ', &name); first = false)
        buf_printf(out, "%s`%.*s`", first ? "" : ", ", STR_ARG(name));
    if (*o->value) {
        buf_putc(out, ' ');
        put_code(out, o->value);
    }
    buf_puts(out, " | ");
    if (*o->initial) put_code(out, o->initial);
    buf_puts(out, " | ");
    put_cell(out, o->help);
    buf_puts(out, " |\n");
}

static void markdown_verb(Buf *out, const VerbRow *v) {
    const char *at = v->usage;
    buf_printf(out, "\n## %s\n\n", v->name);
    for (Str line; row_word(&at, '\n', &line);)
        buf_printf(out, "    ouroboros %s %.*s\n", v->name, STR_ARG(line));
    buf_printf(out, "\n%c%s.\n\n", v->does[0] - 32, v->does + 1);
    const ArgumentRow *a;
    const OptionRow *o;
    if (argument_row(v, 0)) buf_puts(out, "| Argument | Meaning |\n| --- | --- |\n");
    for (int i = 0; (a = argument_row(v, i)); i++) {
        buf_printf(out, "| `%s` | ", a->name);
        put_cell(out, a->help);
        buf_puts(out, " |\n");
    }
    if (argument_row(v, 0)) buf_putc(out, '\n');
    buf_puts(out, "| Option | Default | Meaning |\n| --- | --- | --- |\n");
    for (int i = 0; (o = option_row(v, i)); i++)
        if (!option_for_all(o)) markdown_option(out, o);
}

void help_markdown(Buf *out) {
    const VerbRow *v = verb_rows();
    const OptionRow *o;
    int code;
    const char *means;
    buf_puts(out,
             "# The command line\n\n"
             "Made by `ouroboros help --markdown` from `src/cmd/line/cmd.def` and `src/cmd/line/option.def`; "
             "`make check` compares.\n\n| Verb | What it does |\n| --- | --- |\n");
    for (int i = 0; i < VERBS; i++) {
        const char *anchor = page_name(out->arena, v[i].name) + strlen("ouroboros-");
        buf_printf(out, "| [%s](#%s) | ", v[i].name, anchor);
        put_cell(out, v[i].does);
        buf_puts(out, " |\n");
    }
    buf_puts(out, "\n## All verbs\n\n| Option | Default | Meaning |\n| --- | --- | --- |\n");
    for (int i = 0; (o = option_row(v, i)); i++)
        if (option_for_all(o)) markdown_option(out, o);
    buf_puts(out, "\n| Exit code | Meaning |\n| --- | --- |\n");
    for (int i = 0; exit_row(i, &code, &means); i++) buf_printf(out, "| %d | %s |\n", code, means);
    buf_puts(out, "\nOf several files the worst counts: 3, then 1, then 4, then 0.\n");
    for (int i = 0; i < VERBS; i++) markdown_verb(out, &v[i]);
}
