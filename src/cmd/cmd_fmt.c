#include <stdio.h>

#include "base/io.h"
#include "cmd/line/cmd.h"
#include "cmd/line/color.h"
#include "lang/ast.h"

enum { FILE_MAX = 256 << 20 };

int cmd_fmt(int argc, char **argv) {
    Positionals rest;
    Err e = {0};
    if (!options_parse(&(CommandLine){"fmt", argc, argv}, NULL, 0, &rest, &e)) return cmd_fail("fmt", &e);
    Arena a = {0};
    Str source;
    int code = EXIT_OK;
    if (!io_read(&a, rest.at[0], FILE_MAX, &source, &e)) {
        code = cmd_fail("fmt", &e);
    } else {
        DiagList diags = DIAGS(&a);
        const Node *module = parse_module(&a, source, &diags);
        Buf out = BUF(&a);
        if (module)
            print_module(&out, module);
        else
            diag_render(&out, rest.at[0], source, diag_first(&diags));
        if (module)
            fwrite(out.p, 1, out.len, stdout);
        else
            print_text(stderr, buf_str(&out));
        code = module ? EXIT_OK : EXIT_REJECTED;
    }
    arena_free(&a);
    return code;
}
