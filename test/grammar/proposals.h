// proposals.h - for tests of the grammar: its proposals for an op.
#pragma once
#include "host/host.h"
#include "smith_test.h"

enum { ASKED = 12 };

static inline int proposals(Arena *a, const Op *op, uint64_t seed, int count, Proposal *out) {
    Smith *s;
    Err e = {0};
    int n = 0;
    if (!smith_open(a, "grammar", NULL, &s, &e)) fail_msg("%s", e.msg);
    SmithRequest q = {.seed = seed, .count = count};
    if (!smith_propose(s, a, op, &q, out, &n, &e)) fail_msg("%.*s: %s", STR_ARG(op->name), e.msg);
    return n;
}

static inline void over_all_ops(void (*check)(Arena *a, const Op *op)) {
    Arena a = {0};
    Op *ops;
    int n = all_ops(&a, &ops);
    for (int i = 0; i < n; i++) {
        ArenaMark mark = arena_mark(&a);
        check(&a, &ops[i]);
        arena_reset(&a, mark);
    }
    arena_free(&a);
}
