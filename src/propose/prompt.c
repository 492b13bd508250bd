#include "propose/prompt.h"

#include <stdlib.h>

#include "base/io.h"
#include "graph/formula.h"
#include "op/embed.h"
#include "propose/smith_kind.h"

// ---- reading a profile ----

typedef enum { IN_TURNS = 1, IN_FEEDBACK = 2, IN_RAW = 4 } Where;
typedef enum {
    HOLD_OP,
    HOLD_NOTES,
    HOLD_SIGNATURE,
    HOLD_REFERENCE,
    HOLD_FORMULA,
    HOLD_INPUTS,
    HOLD_DTYPE,
    HOLD_ROWS,
    HOLD_STYLE_OP,
    HOLD_STYLE,
    HOLD_FEEDBACK,
    HOLD_PREVIOUS,
    HOLD_SYSTEM,
    HOLD_USER,
    HOLDS
} Hold;
static const struct {
    const char *name;
    int where;
} holds[HOLDS] = {
    [HOLD_OP] = {"op", IN_TURNS | IN_FEEDBACK},
    [HOLD_NOTES] = {"notes", IN_TURNS | IN_FEEDBACK},
    [HOLD_SIGNATURE] = {"signature", IN_TURNS | IN_FEEDBACK},
    [HOLD_REFERENCE] = {"reference", IN_TURNS | IN_FEEDBACK},
    [HOLD_FORMULA] = {"formula", IN_TURNS | IN_FEEDBACK},
    [HOLD_INPUTS] = {"inputs", IN_TURNS | IN_FEEDBACK},
    [HOLD_DTYPE] = {"dtype", IN_TURNS | IN_FEEDBACK},
    [HOLD_ROWS] = {"rows", IN_TURNS | IN_FEEDBACK},
    [HOLD_STYLE_OP] = {"style_op", IN_TURNS | IN_FEEDBACK},
    [HOLD_STYLE] = {"style", IN_TURNS | IN_FEEDBACK},
    [HOLD_FEEDBACK] = {"feedback", IN_FEEDBACK},
    [HOLD_PREVIOUS] = {"previous", IN_FEEDBACK},
    [HOLD_SYSTEM] = {"system", IN_RAW},
    [HOLD_USER] = {"user", IN_RAW},
};

// The placeholder that begins at s.p[at], which is '{': its length, braces included; 0: none. `hold` is HOLDS
// when it is spelled like one, but nobody knows it.
static size_t hold_at(Str s, size_t at, Hold *hold) {
    size_t end = at + 1;
    while (end < s.len && ((s.p[end] >= 'a' && s.p[end] <= 'z') || s.p[end] == '_')) end++;
    if (end == at + 1 || end == s.len || s.p[end] != '}') return 0;
    Str name = {s.p + at + 1, end - at - 1};
    *hold = HOLDS;
    for (int i = 0; i < HOLDS; i++)
        if (str_is(name, holds[i].name)) *hold = (Hold)i;
    return end + 1 - at;
}

typedef struct {
    const char *name;
    Str rest;
    int line; // of the line taken last
    Profile *out;
    Err *e;
} Reader;

static bool next_line(Reader *r, Str *line) {
    if (!r->rest.len) return false;
    const char *end = memchr(r->rest.p, '\n', r->rest.len);
    size_t n = end ? (size_t)(end - r->rest.p) : r->rest.len;
    *line = (Str){r->rest.p, n};
    n += end != NULL;
    r->rest = (Str){r->rest.p + n, r->rest.len - n};
    r->line++;
    return true;
}

static bool read_number(Reader *r, Str value, double max, bool whole, double *out) {
    char text[32], *end;
    if (!value.len || value.len >= sizeof text || value.p[0] == '-') goto wrong;
    memcpy(text, value.p, value.len);
    text[value.len] = 0;
    *out = strtod(text, &end);
    if (*end == 0 && *out >= 0 && *out <= max && (!whole || *out == (double)(int)*out)) return true;
wrong:
    return err_set(r->e, ERR_INPUT, "%s:%d: '%.*s' is no %snumber from 0 to %g", r->name, r->line,
                   STR_ARG(value), whole ? "whole " : "", max);
}

static bool read_styles(Reader *r, Str value) {
    while (value.len) {
        size_t n = 0;
        while (n < value.len && value.p[n] != ' ') n++;
        if (n && r->out->styles == PROFILE_STYLES_MAX)
            return err_set(r->e, ERR_INPUT, "%s:%d: at most %d styles", r->name, r->line, PROFILE_STYLES_MAX);
        if (n) r->out->style[r->out->styles++] = (Str){value.p, n};
        n += n < value.len;
        value = (Str){value.p + n, value.len - n};
    }
    return true;
}

static bool read_setting(Reader *r, Str line) {
    ReplySettings *s = &r->out->settings;
    size_t n = 0;
    while (n < line.len && line.p[n] != ' ') n++;
    Str key = {line.p, n}, value = {line.p + n + (n < line.len), line.len - n - (n < line.len)};
    double number;
    if (str_is(key, "temperature")) return read_number(r, value, 10, false, &s->temperature);
    if (str_is(key, "top_p"))
        return read_number(r, value, 1, false, &s->top_p) &&
               (s->top_p > 0 ||
                err_set(r->e, ERR_INPUT, "%s:%d: top_p is more than 0 (1: all)", r->name, r->line));
    if (str_is(key, "min_p")) return read_number(r, value, 1, false, &s->min_p);
    if (str_is(key, "style")) return read_styles(r, value);
    if (str_is(key, "form")) {
        r->out->modules = str_is(value, "module");
        return r->out->modules || err_set(r->e, ERR_INPUT, "%s:%d: form is module", r->name, r->line);
    }
    if (str_is(key, "top_k")) {
        if (!read_number(r, value, 1 << 20, true, &number)) return false;
        s->top_k = (int)number;
        return true;
    }
    if (str_is(key, "max_tokens")) {
        if (!read_number(r, value, 1 << 20, true, &number)) return false;
        s->max_tokens = (int)number;
        return s->max_tokens > 0 ||
               err_set(r->e, ERR_INPUT, "%s:%d: max_tokens is at least 1", r->name, r->line);
    }
    if (str_is(key, "stop")) {
        if (!value.len || s->stops == STOPS_MAX)
            return err_set(r->e, ERR_INPUT, "%s:%d: up to %d lines 'stop TEXT'", r->name, r->line, STOPS_MAX);
        s->stop[s->stops++] = value;
        return true;
    }
    return err_set(r->e, ERR_INPUT,
                   "%s:%d: '%.*s' is no setting; known: temperature, top_p, top_k, min_p, max_tokens, stop, "
                   "style, form; sections begin with '--- '",
                   r->name, r->line, STR_ARG(key));
}

static bool check_holds(Reader *r, Str text, int line, int where) {
    for (size_t i = 0; i < text.len; i++) {
        line += text.p[i] == '\n';
        if (text.p[i] != '{') continue;
        Hold hold;
        size_t n = hold_at(text, i, &hold);
        if (!n) continue;
        if (hold == HOLDS || !(holds[hold].where & where))
            return err_set(r->e, ERR_INPUT, "%s:%d: %.*s %s", r->name, line, (int)n, text.p + i,
                           hold == HOLDS ? "is no placeholder; known: {op} {notes} {signature} {reference} "
                                           "{formula} {inputs} {dtype} {rows} {style_op} {style} {feedback} "
                                           "{previous} {system} {user}"
                                         : "has no meaning in this section");
        if ((hold == HOLD_STYLE || hold == HOLD_STYLE_OP) && !r->out->styles)
            return err_set(r->e, ERR_INPUT, "%s:%d: %.*s needs a line 'style NAME' at the top", r->name, line,
                           (int)n, text.p + i);
    }
    return true;
}

static bool read_sections(Reader *r, Str title) {
    bool more = true;
    while (more) {
        Str *text = str_is(title, "system")     ? &r->out->system
                    : str_is(title, "user")     ? &r->out->user
                    : str_is(title, "feedback") ? &r->out->feedback
                    : str_is(title, "raw")      ? &r->out->raw
                                                : NULL;
        if (!text || text->p)
            return err_set(r->e, ERR_INPUT, "%s:%d: section '%.*s' %s", r->name, r->line, STR_ARG(title),
                           text ? "is here twice" : "is not one of system, user, feedback, raw");
        const char *start = r->rest.p;
        size_t len = 0;
        int first = r->line + 1;
        Str line;
        for (more = false; !more && next_line(r, &line);) {
            more = str_starts(line, "--- ");
            if (!more) len = (size_t)(r->rest.p - start);
        }
        if (len && start[len - 1] == '\n') len--;
        *text = (Str){start, len};
        if (!check_holds(r, *text, first,
                         text == &r->out->feedback ? IN_FEEDBACK
                         : text == &r->out->raw    ? IN_RAW
                                                   : IN_TURNS))
            return false;
        if (more) title = (Str){line.p + 4, line.len - 4};
    }
    return true;
}

bool profile_read(Arena *a, const char *name, Str text, Profile *out, Err *e) {
    *out = (Profile){.name = name, .settings = {.temperature = 1, .top_p = 1, .max_tokens = 768}};
    sha256_hex(sha256_of(text), out->sha256);
    if (text.len > PROFILE_BYTES_MAX || !utf8_valid(text) || (text.len && memchr(text.p, 0, text.len)))
        return err_set(e, ERR_INPUT, "%s: a profile is UTF-8 text of at most %d bytes", name,
                       PROFILE_BYTES_MAX);
    Reader r = {.name = name, .rest = str_dup(a, text), .out = out, .e = e};
    Str line;
    while (next_line(&r, &line)) {
        if (str_starts(line, "--- ")) {
            if (!read_sections(&r, (Str){line.p + 4, line.len - 4})) return false;
            break;
        }
        if (!line.len || line.p[0] == '#') continue;
        if (!read_setting(&r, line)) return false;
    }
    if (!out->user.len) return err_set(e, ERR_INPUT, "%s: a profile needs a section '--- user'", name);
    return true;
}

static bool builtin(int *i, Str *name, Str *text) {
    static const char *const folder = "profile/", *const ending = ".txt";
    for (; embedded_files[*i].name; (*i)++) {
        Str path = str_of(embedded_files[*i].name);
        if (!str_starts(path, folder) || !str_ends(path, ending)) continue;
        *name = (Str){path.p + strlen(folder), path.len - strlen(folder) - strlen(ending)};
        *text = (Str){embedded_files[*i].text, embedded_files[*i].len};
        (*i)++;
        return true;
    }
    return false;
}

bool profile_name(Arena *a, int i, Str *name) {
    Str text;
    int at = 0;
    do
        if (!builtin(&at, name, &text)) return false;
    while (i-- > 0);
    *name = str_dup(a, *name);
    return true;
}

bool profile_open(Arena *a, const char *which, Profile *out, Err *e) {
    Str name, text;
    for (int i = 0; builtin(&i, &name, &text);)
        if (str_is(name, which)) return profile_read(a, arena_printf(a, "%s", which), text, out, e);
    if (!io_read(a, which, PROFILE_BYTES_MAX, &text, e)) {
        Buf b = BUF(a);
        for (int i = 0; builtin(&i, &name, &text);) buf_printf(&b, " %.*s", STR_ARG(name));
        return err_ctx(e, "no built-in profile (%s) and no readable file", buf_cstr(&b) + 1);
    }
    return profile_read(a, smith_words(a, str_of(which), SMITH_NAME_MAX), text, out, e);
}

// ---- making a prompt ----

// The gold kernel of an op as a model should write it: without header comments and the imports that are
// implied.
static bool style_kernel(Arena *a, Str op, Str *out) {
    int n;
    const Program *p = op_programs(a, &n);
    Buf b = BUF(a);
    for (int i = 0; i < n; i++) {
        if (p[i].kind != PROGRAM_GOLD || !str_eq(p[i].op, op)) continue;
        Str rest = p[i].source;
        while (rest.len) {
            const char *end = memchr(rest.p, '\n', rest.len);
            Str line = {rest.p, end ? (size_t)(end - rest.p) : rest.len};
            rest = (Str){line.p + line.len + (end != NULL), rest.len - line.len - (end != NULL)};
            size_t indent = strspn(line.p, " ");
            bool comment = indent < line.len && line.p[indent] == '#', import = str_starts(line, "import ");
            if (comment || import || (!line.len && !b.len)) continue;
            buf_str_put(&b, line);
            buf_putc(&b, '\n');
        }
        while (b.len && b.p[b.len - 1] == '\n') b.len--;
        *out = buf_str(&b);
        return b.len > 0;
    }
    return false;
}

// With the shape of the result where it can be found out; an op beyond rows and columns has to do without.
static Str signature(Arena *a, const Op *op) {
    Buf b = BUF(a);
    if (op->form) return STR("");
    op_signature(&b, op);
    Graph g;
    Err ignored = {0};
    Arena scratch = {0};
    if (graph_trace(&scratch, op, &g, &ignored)) {
        buf_putc(&b, '[');
        for (int i = 0; i < g.out_rank; i++) {
            buf_puts(&b, i ? ", " : "");
            size_text_put(&b, op, g.out_shape[i]);
        }
        buf_putc(&b, ']');
    }
    arena_free(&scratch);
    return buf_str(&b);
}

// "x [M, N] float", a line for each input, then the result.
static Str inputs_text(Arena *a, const Op *op, const Graph *g) {
    Buf b = BUF(a);
    for (int i = 0; i < op->inputs; i++) {
        const OpInput *in = &op->input[i];
        buf_printf(&b, "%.*s [", STR_ARG(in->name));
        for (int d = 0; d < in->rank; d++) {
            buf_puts(&b, d ? ", " : "");
            if (in->dim[d] < 0)
                buf_printf(&b, "%lld", (long long)in->size[d]);
            else
                buf_str_put(&b, op->dim[in->dim[d]].name);
        }
        buf_printf(&b, "] %s\n", in->any_float ? "float" : dtype_info[in->dtype].torch);
    }
    buf_puts(&b, "out [");
    for (int d = 0; d < g->out_rank; d++) {
        buf_puts(&b, d ? ", " : "");
        size_text_put(&b, op, g->out_shape[d]);
    }
    bool like = g->out_like >= 0 && op->input[g->out_like].any_float;
    buf_printf(&b, "] %s", like ? "float" : dtype_info[g->out_dtype].torch);
    return buf_str(&b);
}

// What only few profiles ask for. ERR_INPUT: the op is beyond rows and columns.
static bool formula_values(Arena *a, const Profile *p, const Op *op, Str value[HOLDS], Err *e) {
    if (!memmem(p->user.p, p->user.len, "{formula}", strlen("{formula}")) &&
        !memmem(p->user.p, p->user.len, "{inputs}", strlen("{inputs}")))
        return true;
    Arena scratch = {0};
    Graph g;
    bool ok = graph_trace(&scratch, op, &g, e);
    if (ok) {
        Buf b = BUF(a);
        formula_put(&b, &g);
        value[HOLD_FORMULA] = buf_str(&b);
        value[HOLD_INPUTS] = inputs_text(a, op, &g);
    }
    arena_free(&scratch);
    return ok;
}

static Str filled(Arena *a, Str text, const Str value[HOLDS]) {
    Buf b = BUF(a);
    for (size_t i = 0; i < text.len;) {
        Hold hold = HOLDS;
        size_t n = text.p[i] == '{' ? hold_at(text, i, &hold) : 0;
        if (n && hold < HOLDS)
            buf_str_put(&b, value[hold]);
        else
            buf_putc(&b, text.p[i]);
        i += n ? n : 1;
    }
    return b.p ? buf_str(&b) : (Str){"", 0};
}

// A variant of an op is that op: its kernel would be the answer, not a style guide.
static Str plain_name(const Op *op) {
    Str name = op->name;
    if (op->variant.len && name.len > op->variant.len + 1) name.len -= op->variant.len + 1;
    return name;
}

static void prompt_seal(Arena *a, Prompt *p) {
    Buf b = BUF(a);
    const Str *const parts[] = {&p->system, &p->user, &p->raw};
    for (int i = 0; i < 3; i++) {
        if (parts[i]->p) buf_printf(&b, "%zu:", parts[i]->len);
        buf_str_put(&b, *parts[i]);
        buf_putc(&b, '\n');
    }
    sha256_hex(sha256_of(buf_str(&b)), p->sha256);
}

bool prompt_make(Arena *a, const Profile *p, const PromptAsk *ask, Prompt *out, Err *e) {
    const Op *op = ask->op;
    const LastTry *last = ask->last;
    Str feedback = last ? last->feedback : (Str){0}, previous = last ? last->source : (Str){0};
    Str value[HOLDS] = {
        [HOLD_OP] = op->name,          [HOLD_NOTES] = op->notes,   [HOLD_SIGNATURE] = signature(a, op),
        [HOLD_REFERENCE] = op->source, [HOLD_FEEDBACK] = feedback, [HOLD_PREVIOUS] = previous};
    if (p->modules != (op->form != NULL))
        return err_set(e, ERR_INPUT, "%.*s: --profile %s is for %s", STR_ARG(op->name), p->name,
                       p->modules ? "references in module form, not for ops"
                                  : "ops, not for references in module form");
    value[HOLD_DTYPE] = str_of(ask->dtype >= 0 ? dtype_info[ask->dtype].torch : "any");
    value[HOLD_ROWS] = str_of(rows_class_name[ask->rows]);
    if (!formula_values(a, p, op, value, e)) return false;
    if (feedback.len && !p->feedback.p)
        return err_set(e, ERR_INPUT, "%s: without a section '--- feedback' nothing can be tried again",
                       p->name);
    for (int i = 0; i < p->styles && !value[HOLD_STYLE_OP].len; i++)
        if (!str_eq(p->style[i], plain_name(op))) value[HOLD_STYLE_OP] = p->style[i];
    Str style = value[HOLD_STYLE_OP];
    if (p->styles && !style.len)
        return err_set(e, ERR_INPUT, "%s: the only style is the op asked for; name another", p->name);
    if (style.len && !style_kernel(a, style, &value[HOLD_STYLE]))
        return err_set(e, ERR_INPUT, "%s: there is no kernel of '%.*s' to show as a style", p->name,
                       STR_ARG(style));
    *out = (Prompt){0};
    if (p->system.p) out->system = value[HOLD_SYSTEM] = filled(a, p->system, value);
    Buf user = BUF(a);
    buf_str_put(&user, filled(a, p->user, value));
    if (feedback.len) buf_str_put(&user, filled(a, p->feedback, value));
    out->user = value[HOLD_USER] = buf_str(&user);
    if (p->raw.p) out->raw = filled(a, p->raw, value);
    prompt_seal(a, out);
    return true;
}
