#include "grammar/python_text.h"
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static const char *const taken[] = {
    "False", "None",     "True",      "and",        "as",       "assert",    "async",  "await",    "break",
    "class", "continue", "def",       "del",        "elif",     "else",      "except", "finally",  "for",
    "from",  "global",   "if",        "import",     "in",       "is",        "lambda", "nonlocal", "not",
    "or",    "pass",     "raise",     "return",     "try",      "while",     "with",   "yield",    "match",
    "case",  "type",     "tl",        "triton",     "torch",    "libdevice", "run",    "range",    "max",
    "min",   "float",    "int",       "len",        "abs",      "bool",      "str",    "sum",      "math",
    "print", "F",        "num_warps", "num_stages", "num_ctas", "grid",      "warmup", "meta",
};

bool nameset_has(const NameSet *s, const char *name) {
    for (int i = 0; s && i < s->n; i++)
        if (strcmp(s->at[i], name) == 0) return true;
    return false;
}

void nameset_add(NameSet *s, const char *name) {
    if (s->n == s->cap) {
        s->at = MORE(s->arena, const char *, s->at, s->n, s->cap * 2 + 16);
        s->cap = s->cap * 2 + 16;
    }
    s->at[s->n++] = name;
}

static bool letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

static bool reserved(const char *name) {
    for (size_t i = 0; i < sizeof taken / sizeof *taken; i++)
        if (strcmp(taken[i], name) == 0) return true;
    return name[0] == '_' && name[1] == '_';
}

const char *nameset_fresh(NameSet *s, const NameSet *other, Str wish) {
    Buf b = BUF(s->arena);
    if (wish.len == 0 || !letter(wish.p[0])) buf_putc(&b, 'v');
    for (size_t i = 0; i < wish.len && i < 40; i++)
        buf_putc(&b, letter(wish.p[i]) || char_is_digit(wish.p[i]) ? wish.p[i] : '_');
    const char *base = buf_cstr(&b), *name = base;
    for (int k = 2; reserved(name) || nameset_has(s, name) || nameset_has(other, name); k++)
        name = arena_printf(s->arena, char_is_digit(base[strlen(base) - 1]) ? "%s_%d" : "%s%d", base, k);
    nameset_add(s, name);
    return name;
}

static void push(Lines *l, Line x) {
    if (l->n == l->cap) {
        l->at = MORE(l->arena, Line, l->at, l->n, l->cap * 2 + 32);
        l->cap = l->cap * 2 + 32;
    }
    l->at[l->n++] = x;
}

void line_add(Lines *l, int depth, bool alone, const char *fmt, ...) {
    char stack[512];
    va_list args;
    va_start(args, fmt);
    int n = vsnprintf(stack, sizeof stack, fmt, args);
    va_end(args);
    char *text = arena_strndup(l->arena, stack, (size_t)n < sizeof stack ? (size_t)n : 0);
    if ((size_t)n >= sizeof stack) {
        text = arena_alloc(l->arena, (size_t)n + 1, 1, 1);
        va_start(args, fmt);
        vsnprintf(text, (size_t)n + 1, fmt, args);
        va_end(args);
    }
    push(l, (Line){text, depth, alone});
}

bool lines_mention(const Lines *l, const char *name) {
    size_t n = strlen(name);
    for (int i = 0; i < l->n; i++)
        for (const char *text = l->at[i].text, *at = text; (at = strstr(at, name)); at += n)
            if ((at == text || !char_is_word(at[-1])) && !char_is_word(at[n])) return true;
    return false;
}

void lines_append(Lines *l, const Lines *more, int depth) {
    for (int i = 0; i < more->n; i++)
        push(l, (Line){more->at[i].text, more->at[i].depth + depth, more->at[i].alone});
}

void lines_print(Buf *out, const Lines *l, int depth, size_t width) {
    size_t column = 0;
    for (int i = 0; i < l->n; i++) {
        const Line *x = &l->at[i];
        size_t len = strlen(x->text);
        bool joins = i > 0 && !x->alone && !l->at[i - 1].alone && l->at[i - 1].depth == x->depth &&
                     column + 2 + len <= width;
        if (i > 0) buf_puts(out, joins ? "; " : "\n");
        if (!joins) {
            for (int d = 0; d < depth + x->depth; d++) buf_puts(out, "    ");
            column = 4 * (size_t)(depth + x->depth);
        }
        buf_puts(out, x->text);
        column += len + 2;
    }
    if (l->n) buf_putc(out, '\n');
}

const char *float_text(Arena *a, double x) {
    char text[40];
    if (isinf(x)) return x > 0 ? "float(\"inf\")" : "float(\"-inf\")";
    for (int digits = 1; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, x);
        if (strtod(text, NULL) == x) break;
    }
    return arena_printf(a, "%s%s", text, strpbrk(text, ".en") ? "" : ".0");
}
