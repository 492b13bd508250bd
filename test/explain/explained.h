// explained.h - for tests of explanations: one program on one case.
#pragma once
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

#include <cmocka.h>

#include "explain/explain.h"

enum { SEED = 7 };

static inline Str program(Arena *a, const char *name) {
    int n;
    const Program *p = op_programs(a, &n);
    for (int i = 0; i < n; i++)
        if ((p[i].kind == PROGRAM_WRONG || p[i].kind == PROGRAM_GOLD) && strcmp(p[i].name, name) == 0)
            return p[i].source;
    fail_msg("no program %s", name);
    return STR("");
}

typedef struct {
    Arena a;
    Referee *r;
    Op op;
    ExplainRequest q;
    Explanation x;
} Bench;

static inline void bench_open(Bench *b, ChildMain child, const char *op) {
    *b = (Bench){0};
    Err e = {0};
    RefereeConfig config = {.jobs = 2, .no_journal = true, .child = child};
    if (!referee_open(&config, &b->r, &e)) fail_msg("%s", e.msg);
    assert_true(op_find(&b->a, str_of(op), &b->op));
    b->q = (ExplainRequest){
        .op = &b->op, .level = LEVEL_QUICK, .filter = {.dtype = -1}, .seed = SEED, .minimize = true};
}
static inline void bench_close(Bench *b) {
    referee_close(b->r);
    arena_free(&b->a);
}
static inline void look(Bench *b, Str source) {
    Err e = {0};
    b->q.source = source;
    if (!explain(b->r, &b->a, &b->q, &b->x, &e)) fail_msg("%s", e.msg);
}

// softmax by row in one block, with the store's mask and the loads' as asked for.
static inline Str softmax(Arena *a, const char *load, const char *store) {
    return str_of(arena_printf(
        a,
        "import torch\n"
        "import triton\n"
        "import triton.language as tl\n"
        "@triton.jit\n"
        "def k(x, y, xs, N, B: tl.constexpr):\n"
        "    r = tl.program_id(0)\n"
        "    c = tl.arange(0, B)\n"
        "    v = tl.load(x + r * xs + c, mask=%s, other=-float('inf')).to(tl.float32)\n"
        "    e = tl.exp(v - tl.max(v, axis=0))\n"
        "    tl.store(y + r * N + c, e / tl.sum(e, axis=0), mask=%s)\n"
        "def run(x):\n"
        "    y = torch.empty_like(x)\n"
        "    k[(x.shape[0],)](x, y, x.stride(0), x.shape[1], B=triton.next_power_of_2(x.shape[1]))\n"
        "    return y\n",
        load, store));
}
