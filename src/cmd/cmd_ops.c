#include <stdio.h>

#include "base/io.h"
#include "cmd/line/wrap.h"
#include "cmd/shared/judging.h"
#include "judge/verdict/verdict.h"
#include "module/module.h"
#include "op/suite.h"

static json_t *op_object(Arena *a, const Op *op, bool whole) {
    Buf signature = BUF(a), domain = BUF(a);
    op_signature(&signature, op);
    op_domain(&domain, op);
    json_t *o =
        json_pack("{s:s%, s:s%, s:s%, s:s%}", "op", op->name.p, op->name.len, "notes", op->notes.p,
                  op->notes.len, "signature", signature.p, signature.len, "domain", domain.p, domain.len);
    if (whole) json_object_set_new(o, "definition", json_stringn(op->source.p, op->source.len));
    return o;
}

static void put_indented(Buf *out, Str text) {
    while (text.len) {
        const char *end = memchr(text.p, '\n', text.len);
        size_t n = end ? (size_t)(end - text.p) : text.len;
        buf_printf(out, "    %.*s\n", (int)n, text.p);
        n += end != NULL;
        text = (Str){text.p + n, text.len - n};
    }
}

// Name and sentence; on a terminal in as many lines as it takes.
static void put_short(const Op *op, Buf *out) {
    enum { NAME = 28 };
    Arena a = {0};
    Buf line = BUF(&a);
    buf_printf(&line, "%-*.*s %.*s\n", NAME, STR_ARG(op->name), STR_ARG(op->notes));
    wrap_text(out, buf_str(&line), screen_columns(stdout), NAME + 1);
    arena_free(&a);
}

static void put_long(Arena *a, const Op *op, Buf *out) {
    Buf signature = BUF(a), domain = BUF(a);
    op_signature(&signature, op);
    op_domain(&domain, op);
    buf_printf(out, "%-28.*s %.*s\n", STR_ARG(op->name), STR_ARG(op->notes));
    put_indented(out, buf_str(&signature));
    put_indented(out, buf_str(&domain));
}

static void list_ops(Arena *a, bool json, bool whole, Buf *out) {
    int n;
    const Str *names = op_names(a, &n);
    json_t *list = json_array();
    for (int i = 0; i < n; i++) {
        Op op;
        if (!op_find(a, names[i], &op)) continue;
        if (json)
            json_array_append_new(list, op_object(a, &op, false));
        else if (whole)
            put_long(a, &op, out);
        else
            put_short(&op, out);
    }
    if (json)
        json_put(out, list), buf_putc(out, '\n');
    else
        json_decref(list);
    Str name, words;
    for (int i = 0; !json && op_variant(i, &name, &words); i++)
        buf_printf(out, "\nOP_%.*s: each of them, %.*s\n", STR_ARG(name), STR_ARG(words));
    if (!json && !whole)
        buf_puts(out, "\nA definition: ouroboros ops OP. Inputs and domains of all: --long.\n");
}

static void put_comment(Buf *out, Str text) {
    Str line;
    while (str_piece(&text, '\n', &line)) buf_printf(out, line.len ? "# %.*s\n" : "#%.*s\n", STR_ARG(line));
}

// Everything but the definition is a comment: the output is a definition again.
static void show_op(Arena *a, const Op *op, bool json, bool whole, Buf *out) {
    if (json) {
        json_put(out, op_object(a, op, true));
        buf_putc(out, '\n');
        return;
    }
    Buf about = BUF(a);
    buf_printf(&about, "%.*s: %.*s\n", STR_ARG(op->name), STR_ARG(op->notes));
    op_signature(&about, op);
    buf_puts(&about, "\n");
    op_domain(&about, op);
    for (Level l = 0; whole && l < LEVEL_COUNT; l++) {
        const MutationScore *p = mutation_score_find(op, l);
        if (!p) continue;
        buf_printf(&about, "level %s: ", level_name(l));
        proved_words(&about, p);
        buf_putc(&about, '\n');
    }
    Buf comment = BUF(a);
    put_comment(&comment, buf_str(&about));
    wrap_text(out, buf_str(&comment), screen_columns(stdout), 2);
    buf_puts(out, "\n");
    buf_str_put(out, op->source);
}

// A definition of the user's is shown if kernels can be judged by it: what is printed is one to start from.
static bool shown_op(Arena *a, const char *text, const DomainAsked *asked, Op *op, Err *e) {
    Referee *r;
    if (!op_resolve(a, text, op, e)) return false;
    if (!op->user) return op_in_domain(op, asked, e);
    if (!referee_open(&(RefereeConfig){.no_journal = true}, &r, e)) return false;
    bool ok = op_for_judging(r, a, text, asked, op, e);
    referee_close(r);
    return ok;
}

// ---- references in module form ----

typedef struct {
    const char *path, *values;
    bool json;
} ModuleShown;

static bool show_module(Arena *a, const ModuleShown *q, Str source, Buf *out, Err *e) {
    ModuleFile m = {0};
    ModuleValues *v = NEW(a, ModuleValues);
    DiagList d = DIAGS(a);
    if (module_read(a, source, &m, &d) &&
        module_values(a, &m, &(ValuesAsk){.seed = 1, .sizes.work = MODULE_WORK}, v, &d)) {
        if (q->values && !v->degenerate && !module_write(q->values, &m, &v->run, e)) return false;
        if (!q->json || !v->degenerate) (q->json ? module_json : module_describe)(out, &m, v);
        if (!v->degenerate) return true;
        return err_set(e, ERR_INPUT, "%s: not a definition to judge by: %s", q->path, v->degenerate);
    }
    const Diag *first = diag_first(&d);
    if (!first) return err_set(e, ERR_INPUT, "%s: not a reference in module form", q->path);
    LineCol at = line_col(source, first->span.at);
    return err_set(e, ERR_INPUT, "%s:%d:%d: %s", q->path, at.line, at.col, first->msg);
}

int cmd_ops(int argc, char **argv) {
    bool json = false, whole = false;
    const char *suite = NULL, *layout = NULL, *domain = NULL, *values = NULL;
    const Option options[] = {{"--json", OPTION_FLAG, &json},     {"--long", OPTION_FLAG, &whole},
                              {"--suite", OPTION_TEXT, &suite},   {"--layout", OPTION_TEXT, &layout},
                              {"--domain", OPTION_TEXT, &domain}, {"--values", OPTION_TEXT, &values}};
    DomainAsked asked;
    Positionals rest;
    Err e = {0};
    if (!options_parse(&(CommandLine){"ops", argc, argv}, options, sizeof options / sizeof *options, &rest,
                       &e))
        return cmd_fail("ops", &e);
    if (!domain_of(layout, domain, &asked, &e)) return cmd_fail("ops", &e);
    if (rest.n == 0 && (layout || domain || values))
        return cmd_usage("ops", "--layout, --domain and --values belong to one OP");
    Arena a = {0};
    Buf out = BUF(&a);
    Op op;
    Str source;
    int code = EXIT_OK;
    if (suite && !op_suite_add(&a, suite, &e))
        code = cmd_fail("ops", &e);
    else if (rest.n == 0)
        list_ops(&a, json, whole, &out);
    else if (module_file(&a, rest.at[0], &source)) {
        const ModuleShown shown = {rest.at[0], values, json};
        if (layout || domain || whole)
            code = cmd_usage("ops", "--layout, --domain and --long are not for modules");
        else if (!show_module(&a, &shown, source, &out, &e))
            code = cmd_fail("ops", &e);
    } else if (values && op_resolve(&a, rest.at[0], &op, &e)) // what is wrong with the file goes first
        code = cmd_usage("ops", "--values belongs to one .py file with class Model and get_inputs");
    else if (!values && shown_op(&a, rest.at[0], &asked, &op, &e))
        show_op(&a, &op, json, whole, &out);
    else
        code = cmd_fail("ops", &e);
    if (out.len) fwrite(out.p, 1, out.len, stdout);
    arena_free(&a);
    return code;
}
