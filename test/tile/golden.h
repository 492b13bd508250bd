// golden.h - for tests of the checker: golden programs, test/tile/golden/NAME.py. Each file holds cases
//     # case: name
//     # launch: arguments, as launch.h reads them
//     # ok | # error: part of the first message | # unsupported: part of it | # warning: part of it
//     source
// What a case accepts states its types by tl.static_assert().
#pragma once
#include "base/io.h"
#include "tile/launch.h"
#include <stdio.h>

typedef struct {
    Str name, launch, want, source;
    DiagKind kind; // DIAG_COUNT: ok
} GoldenCase;

static inline Str line_at(Str text, size_t at) {
    const char *nl = memchr(text.p + at, '\n', text.len - at);
    return (Str){text.p + at, nl ? (size_t)(nl - text.p - (ptrdiff_t)at) : text.len - at};
}
static inline bool after(Str line, const char *prefix, Str *rest) {
    if (!str_starts(line, prefix)) return false;
    size_t n = strlen(prefix);
    *rest = (Str){line.p + n, line.len - n};
    return true;
}

// Reads the case that begins at *at.
static inline bool next_case(Str text, size_t *at, GoldenCase *c) {
    Str rest, line;
    while (*at < text.len && !after(line = line_at(text, *at), "# case: ", &rest)) *at += line.len + 1;
    if (*at >= text.len) return false;
    *c = (GoldenCase){.name = rest, .kind = DIAG_HOST};
    *at += line.len + 1;
    size_t start = *at;
    for (; *at < text.len; *at += line.len + 1) {
        line = line_at(text, *at);
        if (after(line, "# case: ", &rest)) break;
        if (after(line, "# launch:", &rest))
            c->launch = rest;
        else if (str_is(line, "# ok"))
            c->kind = DIAG_COUNT;
        else if (after(line, "# error: ", &c->want))
            c->kind = DIAG_COMPILE;
        else if (after(line, "# unsupported: ", &c->want))
            c->kind = DIAG_UNSUPPORTED;
        else if (after(line, "# warning: ", &c->want))
            c->kind = DIAG_WARNING;
    }
    if (*at > text.len) *at = text.len;
    c->source = (Str){text.p + start, *at - start};
    return true;
}

static inline bool contains(const char *text, Str part) {
    return memmem(text, strlen(text), part.p, part.len) != NULL;
}

static int failures, cases;
static bool quiet; // while a failure is what is tested
static inline void wrong(const char *file, const GoldenCase *c, const char *what) {
    if (!quiet) print_error("%s: case %.*s: %s\n", file, STR_ARG(c->name), what);
    failures++;
}

static inline void run_case(const char *file, const GoldenCase *c) {
    Arena a = {0};
    DiagList d = DIAGS(&a);
    LaunchText l;
    Launchable out;
    cases++;
    bool ok = launch_text(&a, &d, c->source, c->launch, &l) && launch_check(&l, NULL, &out);
    const Diag *first = diag_first(&d);
    const char *msg = first ? first->msg : "no message";
    if (c->kind == DIAG_COUNT) {
        if (!ok) wrong(file, c, msg);
    } else if (c->kind == DIAG_WARNING) {
        if (!ok || !d.count || d.at[0].kind != DIAG_WARNING || !contains(d.at[0].msg, c->want))
            wrong(file, c, d.count ? d.at[0].msg : msg);
    } else if (ok || !first) {
        wrong(file, c, "accepted");
    } else if (first->kind != c->kind || !contains(first->msg, c->want)) {
        wrong(file, c, arena_printf(&a, "%s: %s", diag_name(first->kind), msg));
    }
    arena_free(&a);
}

static inline void golden(const char *name) {
    Arena a = {0};
    Err e = {0};
    Str text;
    char path[512];
    snprintf(path, sizeof path, "test/tile/golden/%s.py", name);
    if (!io_read(&a, path, 1 << 20, &text, &e)) fail_msg("%s", e.msg);
    GoldenCase c;
    int before = cases, wrong_before = failures;
    for (size_t at = 0; next_case(text, &at, &c);) run_case(path, &c);
    arena_free(&a);
    assert_true(cases > before);
    assert_int_equal(failures, wrong_before);
}
