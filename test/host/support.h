// support.h - what the host tests share: parse text, screen it, run it.
#pragma once
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "host/host.h"

static inline const Node *parsed(Arena *a, const char *source) {
    DiagList d = DIAGS(a);
    const Node *module = parse_module(a, str_of(source), &d);
    if (!module) fail_msg("does not parse: %s\n%s", d.at[0].msg, source);
    return module;
}

static inline void expect_finding(const DiagList *d, DiagKind kind, const char *part, const char *source) {
    const Diag *first = diag_first(d);
    if (!first) fail_msg("no finding, expected %s %s:\n%s", diag_name(kind), part, source);
    if (first->kind != kind || !strstr(first->msg, part))
        fail_msg("expected %s '%s' but got %s '%s':\n%s", diag_name(kind), part, diag_name(first->kind),
                 first->msg, source);
}
