// defined.h - for tests of definitions: one that is taken, or refused with a reason.
#pragma once
#include "op/op.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static Arena arena;

#define DOC  "\"\"\"Scales x.\"\"\"\n"
#define BODY "def reference(x):\n    return x * 2\n"
#define X    "inputs = {\"x\": {\"shape\": (\"M\", \"N\")}}\n"

static inline bool define(const char *source, Op *op, DiagList *d) {
    *d = DIAGS(&arena);
    return op_define(&arena, STR("mine"), str_of(source), true, op, d);
}

static inline void accepts(const char *source, Op *op) {
    DiagList d;
    if (define(source, op, &d)) return;
    fail_msg("refused: %s\n%s", diag_first(&d) ? diag_first(&d)->msg : "(no finding)", source);
}

// `at` is the text that the finding's place must start with; NULL: the place does not matter.
static inline void refuses(const char *source, const char *message, const char *at) {
    Op op;
    DiagList d;
    if (define(source, &op, &d)) fail_msg("accepted:\n%s", source);
    const Diag *first = diag_first(&d);
    assert_non_null(first);
    if (*message && !strstr(first->msg, message)) fail_msg("\"%s\" does not say \"%s\"", first->msg, message);
    assert_true(first->span.at <= strlen(source));
    const char *place = at ? at : "";
    if (strncmp(source + first->span.at, place, strlen(place)) != 0)
        fail_msg("%s: points at \"%.20s\", not \"%s\"", first->msg, source + first->span.at, place);
}
