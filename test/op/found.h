// found.h - for tests of look-ups.
#pragma once
#include "base/io.h"
#include "op/op.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

static Arena arena;

static inline void finds(const char *text, const char *name) {
    Op op;
    Err e = {0};
    if (!op_resolve(&arena, text, &op, &e)) fail_msg("\"%s\": %s", text, e.msg);
    if (!str_is(op.name, name)) fail_msg("\"%s\" found %.*s, not %s", text, STR_ARG(op.name), name);
}

// Refused, with `near` among what the message lists.
static inline void lists(const char *text, const char *near) {
    Op op;
    Err e = {0};
    if (op_resolve(&arena, text, &op, &e)) fail_msg("\"%s\" found %.*s", text, STR_ARG(op.name));
    assert_int_equal(e.code, ERR_USAGE);
    if (!strstr(e.msg, near)) fail_msg("\"%s\": \"%s\" does not list %s", text, e.msg, near);
}
