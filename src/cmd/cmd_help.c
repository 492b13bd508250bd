#include <stdio.h>

#include "cmd/line/cmd.h"
#include "cmd/line/help.h"

static bool put_help(Buf *out, const char *verb, bool man, bool markdown, const char *shell, Err *e) {
    if (shell && strcmp(shell, "bash") == 0) return completion_bash(out), true;
    if (shell && strcmp(shell, "zsh") == 0) return completion_zsh(out), true;
    if (shell) return completion_fish(out), true;
    if (markdown) return help_markdown(out), true;
    return man ? help_man(out, verb, e) : help_text(out, verb, e);
}

int cmd_help(int argc, char **argv) {
    bool man = false, markdown = false;
    const char *shell = NULL;
    const Option options[] = {{"--man", OPTION_FLAG, &man},
                              {"--completion", OPTION_TEXT, &shell},
                              {"--markdown", OPTION_FLAG, &markdown}};
    Positionals rest;
    Err e = {0};
    if (!options_parse(&(CommandLine){"help", argc, argv}, options, sizeof options / sizeof *options, &rest,
                       &e))
        return cmd_fail("help", &e);
    if ((shell || markdown) && rest.n)
        return cmd_usage("help", "--completion and --markdown are of all verbs");
    if (man + markdown + (shell != NULL) > 1)
        return cmd_usage("help", "one of --man, --completion and --markdown");
    Arena a = {0};
    Buf out = BUF(&a);
    const char *verb = rest.n == 0   ? ""
                       : rest.n == 1 ? rest.at[0]
                                     : arena_printf(&a, "%s %s", rest.at[0], rest.at[1]);
    bool ok = put_help(&out, verb, man, markdown, shell, &e);
    if (ok) fwrite(out.p, 1, out.len, stdout);
    arena_free(&a);
    return ok ? EXIT_OK : cmd_fail("help", &e);
}
