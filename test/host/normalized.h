// normalized.h - for tests of host_normalize(): what becomes of a kernel file's text.
#pragma once
#include "host/support.h"
#include "lang/print.h"

static inline const char *normalized(Arena *a, const char *source) {
    DiagList d = DIAGS(a);
    Node *module = parse_module(a, str_of(source), &d);
    if (!module) fail_msg("does not parse: %s", source);
    if (!host_normalize(a, module, &d)) return d.at[0].msg;
    Buf b = BUF(a);
    print_module(&b, module);
    return buf_cstr(&b);
}

static inline void expect_text(const char *source, const char *part, bool there) {
    Arena a = {0};
    const char *got = normalized(&a, source);
    if ((strstr(got, part) != NULL) != there)
        fail_msg("%s '%s' in:\n%s\nfrom:\n%s", there ? "no" : "there is", part, got, source);
    arena_free(&a);
}
#define HAS(source, part)   expect_text(source, part, true)
#define LACKS(source, part) expect_text(source, part, false)
#define END                 "def run(x):\n    return x\n"
