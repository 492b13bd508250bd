#include <stdio.h>

#include "base/io.h"
#include "cmd/cmd.h"
#include "cmd/color.h"
#include "service/manifest_draft.h"

enum { FILE_MAX = 256 << 20 };

static bool draft(Arena *a, const char *path, const char *op_name, DraftRequest *q, Buf *out, int *gaps,
                  Err *e) {
    Op op;
    if (op_name && !op_resolve(a, op_name, &op, e)) return false;
    if (op_name) q->op = &op;
    if (!io_read(a, path, FILE_MAX, &q->source, e)) return false;
    json_t *o = manifest_draft(a, q, gaps, e);
    if (!o) return err_ctx(e, "%s", path);
    char *text = json_dumps(o, JSON_INDENT(2));
    if (text) buf_printf(out, "%s\n", text);
    free(text);
    json_decref(o);
    return text || err_set(e, ERR_INPUT, "%s: names that are no UTF-8 text", path);
}

int cmd_manifest(int argc, char **argv) {
    const char *op = NULL;
    DraftRequest q = {0};
    const Option options[] = {{"--kernel", OPTION_TEXT, &q.kernel}, {"--op", OPTION_TEXT, &op}};
    Positionals rest;
    Err e = {0};
    if (!options_parse("manifest", argc, argv, options, 2, &rest, &e)) return cmd_fail("manifest", &e);
    Arena a = {0};
    Buf out = BUF(&a);
    int gaps = 0;
    bool ok = draft(&a, rest.at[0], op, &q, &out, &gaps, &e);
    if (ok) print_text(stdout, buf_str(&out));
    if (ok && gaps)
        fprintf(stderr, "ouroboros manifest: %d gap%s to fill: the texts that begin with \"?\"\n", gaps,
                gaps == 1 ? "" : "s");
    arena_free(&a);
    return ok ? EXIT_OK : cmd_fail("manifest", &e);
}
