#include <stdio.h>

#include "base/io.h"
#include "cmd/line/cmd.h"
#include "cmd/line/color.h"
#include "service/manifest/manifest_draft.h"

enum { FILE_MAX = 256 << 20 };

// The text, in `a`, or NULL.
static const char *draft(Arena *a, const char *path, DraftRequest *q, DraftNotes *notes, Err *e) {
    if (!io_read(a, path, FILE_MAX, &q->source, e)) return NULL;
    json_t *o = manifest_draft(a, q, notes, e);
    if (!o) return err_prefix(e, "%s", path), NULL;
    char *text = json_dumps(o, JSON_INDENT(2));
    const char *kept = text ? arena_strndup(a, text, strlen(text)) : NULL;
    free(text);
    json_decref(o);
    if (!kept) err_record(e, ERR_INPUT, "%s: names that are no UTF-8 text", path);
    return kept;
}

int cmd_manifest(int argc, char **argv) {
    const char *op = NULL;
    DraftRequest q = {0};
    const Option options[] = {{"--kernel", OPTION_TEXT, &q.kernel}, {"--op", OPTION_TEXT, &op}};
    Positionals rest;
    Err e = {0};
    if (!options_parse(&(CommandLine){"manifest", argc, argv}, options, 2, &rest, &e))
        return cmd_fail("manifest", &e);
    Arena a = {0};
    Op inputs;
    DraftNotes notes = {0};
    bool ok = !op || op_resolve(&a, op, &inputs, &e);
    if (ok && op) q.op = &inputs;
    const char *text = ok ? draft(&a, rest.at[0], &q, &notes, &e) : NULL;
    ok = text != NULL;
    if (ok) print_text(stdout, str_of(arena_printf(&a, "%s\n", text)));
    if (ok && notes.launches > 1)
        fprintf(stderr,
                "ouroboros manifest: the kernel is launched in %d places: this is the launch of line %d, not "
                "that of "
                "line %d; --kernel NAME chooses another kernel, \"launches\" holds several launches\n",
                notes.launches, notes.line, notes.other);
    if (ok && notes.gaps)
        fprintf(stderr, "ouroboros manifest: %d gap%s to fill: the texts that begin with \"?\"\n", notes.gaps,
                notes.gaps == 1 ? "" : "s");
    arena_free(&a);
    return ok ? EXIT_OK : cmd_fail("manifest", &e);
}
