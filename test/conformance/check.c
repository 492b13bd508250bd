// check - what our checker says of kernels: JSON lines {"id", "source", "launch"} in, {"id", "kind",
// "message", "line", "column", "shared"} out. The launch is an argument line as test/tile/launch.h reads it;
// the kernel is the last jit function. kind is "ok" or that of the first finding.
#include <jansson.h>
#include <stdio.h>

#include "tile/launch.h"

static json_t *answer(Arena *a, json_t *in) {
    const char *source = json_string_value(json_object_get(in, "source"));
    const char *line = json_string_value(json_object_get(in, "launch"));
    if (!source || !line) return NULL;
    DiagList d = DIAGS(a);
    LaunchText l;
    Launchable out = {0};
    bool ok = launch_text(a, &d, str_of(source), str_of(line), &l) && launch_check(&l, NULL, &out);
    const Diag *first = diag_first(&d);
    LineCol at = ok || !first ? (LineCol){0, 0} : line_col(str_of(source), first->span.at);
    return json_pack("{s:O, s:s, s:s, s:i, s:i, s:I}", "id", json_object_get(in, "id"), "kind",
                     ok      ? "ok"
                     : first ? diag_name(first->kind)
                             : "none",
                     "message", ok || !first ? "" : first->msg, "line", (int)at.line, "column", (int)at.col,
                     "shared", (json_int_t)out.shared);
}

int main(void) {
    char *line = NULL;
    size_t room = 0;
    for (ssize_t n; (n = getline(&line, &room, stdin)) > 0;) {
        Arena a = {0};
        json_error_t why;
        json_t *in = json_loadb(line, (size_t)n, 0, &why), *out = in ? answer(&a, in) : NULL;
        char *text = out ? json_dumps(out, JSON_COMPACT) : NULL;
        if (!text) {
            fprintf(stderr, "check: a line that is no program\n");
            return 1;
        }
        puts(text);
        fflush(stdout);
        free(text);
        json_decref(out);
        json_decref(in);
        arena_free(&a);
    }
    free(line);
    return 0;
}
