// help.h - what the rows of cmd.def and option.def say: on a terminal, as a man page, as Markdown and as the
// completion of a shell.
#pragma once
#include "base/str.h"
#include <stdio.h>

void help_usage(FILE *f); // the verbs, one line each
// Of a verb, of a group ("model": all of its verbs), or of the program ("").
MUST_CHECK bool help_text(Buf *out, const char *name, Err *e);
int help_print(const char *name); // on standard output; an exit code

// ---- help_pages.c
MUST_CHECK bool help_man(Buf *out, const char *name, Err *e); // roff; "": the program
void help_markdown(Buf *out);                                 // doc/cli.md

// ---- completion.c
void completion_bash(Buf *out);
void completion_zsh(Buf *out);
void completion_fish(Buf *out);
