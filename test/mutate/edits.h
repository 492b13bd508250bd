// edits.h - for tests of mutators: the exact text of every edit of a kind.
#pragma once
#include "../lang/lang_test.h"

#include "mutate/mutant.h"

static inline Mutants mutants_of(const char *source) {
    Mutants s;
    const Node *module = try_parse(str_of(source), NULL);
    assert_non_null(module);
    mutants_make(&arena, module, str_of(source), true, &s);
    return s;
}

// A kernel with this body, whose lines are indented here.
static inline const char *kernel(const char *body) {
    Buf b = BUF(&arena);
    buf_puts(&b, "@triton.jit\ndef half(v):\n    return v\n\n\n@triton.jit\ndef k(x_ptr, out_ptr, x_stride, "
                 "N, BLOCK: tl.constexpr):\n");
    while (*body) {
        size_t n = strcspn(body, "\n");
        buf_printf(&b, "    %.*s\n", (int)n, body);
        body += n + (body[n] == '\n');
    }
    return buf_cstr(&b);
}

enum { EDITS_MAX = 8 };
typedef struct {
    Mutator kind;
    const char *body;
    const char *after[EDITS_MAX]; // every edit of the kind, in order: the changed line
} Expectation;

static inline void check_edits(const char *source, const Expectation *x) {
    Mutants s = mutants_of(source);
    int k = 0;
    for (int i = 0; i < s.n; i++) {
        if (s.at[i].kind != x->kind) continue;
        const char *want = k < EDITS_MAX && x->after[k] ? x->after[k] : NULL;
        if (!want || !str_is(s.at[i].after, want))
            fail_msg("%s of\n%s: got \"%.*s\", wanted \"%s\"", mutator_name(x->kind), source,
                     STR_ARG(s.at[i].after), want ? want : "no more");
        k++;
    }
    if (k < EDITS_MAX && x->after[k])
        fail_msg("%s of\n%s: missing \"%s\"", mutator_name(x->kind), source, x->after[k]);
    assert_int_equal(s.sites[x->kind] - s.same[x->kind], k);
}

#define MASKED "cols = tl.arange(0, BLOCK)\nmask = cols < N\n"
