#include <stdio.h>

#include "cmd/line/cmd.h"
#include "host/host.h"

int cmd_lang(int argc, char **argv) {
    bool host = false;
    const Option options[] = {{"--host", OPTION_FLAG, &host}};
    Positionals rest;
    Err e = {0};
    if (!options_parse(&(CommandLine){"lang", argc, argv}, options, 1, &rest, &e))
        return cmd_fail("lang", &e);
    Arena a = {0};
    Buf out = BUF(&a);
    if (host)
        host_api_reference(&out);
    else
        language_reference(&out);
    fwrite(out.p, 1, out.len, stdout);
    arena_free(&a);
    return EXIT_OK;
}
