// golden.h - the tiny models of test/model/golden with what transformers computed (model_goldens.py says
// how), for the tests of the forward pass and of drafts.
#pragma once
#include "base/io.h"
#include "model/forward.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static const char *const GOLDEN[] = {"llama", "llama3", "qwen2"};
enum { GOLDENS = 3 };

typedef struct {
    Arena a;
    Str file; // golden.bin
    Checkpoint *checkpoint;
    Adapter *adapter;
    Pool *pool;
    Model *model;
    int vocab;
} Golden;

static inline void must(bool ok, const Err *e) {
    if (!ok) fail_msg("%s", e->msg);
}

static inline Golden golden_open(const char *name, int threads) {
    Golden g = {0};
    Err e = {0};
    char *path = arena_printf(&g.a, "test/model/golden/%s", name);
    must(io_read(&g.a, arena_printf(&g.a, "%s/golden.bin", path), 1 << 24, &g.file, &e), &e);
    must(checkpoint_open(&g.a, path, &g.checkpoint, &e), &e);
    must(adapter_open(&g.a, arena_printf(&g.a, "%s/adapter", path), g.checkpoint, &g.adapter, &e), &e);
    g.pool = pool_open(threads);
    must(model_open(&g.a, g.checkpoint, g.pool, &g.model, &e), &e);
    g.vocab = g.checkpoint->config.vocab;
    return g;
}

static inline void golden_close(Golden *g) {
    adapter_close(g->adapter);
    checkpoint_close(g->checkpoint);
    pool_close(g->pool);
    arena_free(&g->a);
}

static inline Golden golden_file(const char *path) {
    Golden g = {0};
    Err e = {0};
    must(io_read(&g.a, path, 1 << 24, &g.file, &e), &e);
    return g;
}

// A record of golden.bin; 4-byte values, of which there are *count.
static inline const void *golden_find(const Golden *g, const char *name, int *count) {
    *count = 0;
    for (size_t at = 0; at + 20 <= g->file.len;) {
        int32_t n;
        memcpy(&n, g->file.p + at + 16, sizeof n);
        if (strncmp(g->file.p + at, name, 16) == 0) {
            void *values = arena_raw((Arena *)(uintptr_t)&g->a, (size_t)n * 4, 4);
            memcpy(values, g->file.p + at + 20, (size_t)n * 4);
            *count = n;
            return values;
        }
        at += 20 + (size_t)n * 4;
    }
    fail_msg("golden.bin has no %s", name);
    return NULL;
}

static inline double largest_difference(const float *a, const float *b, size_t n) {
    double most = 0;
    for (size_t i = 0; i < n; i++) {
        double d = (double)a[i] - (double)b[i];
        if (!(d == d)) return 1e9;
        if (d < 0) d = -d;
        if (d > most) most = d;
    }
    return most;
}

// Logits of every token of one sequence, taken in pieces of `piece`.
static inline float *golden_logits(const Golden *g, Model *m, const Adapter *adapter, KvType type,
                                   const int32_t *token, int count, int piece) {
    Err e = {0};
    Kv *kv;
    must(kv_open(m, type, 1, count, &kv, &e), &e);
    Arena *a = (Arena *)(uintptr_t)&g->a;
    float *logits = NEWN(a, float, (size_t)count *(size_t)g->vocab);
    int seq[MODEL_STEP_MAX] = {0};
    bool want[MODEL_STEP_MAX];
    memset(want, 1, sizeof want);
    for (int at = 0; at < count; at += piece) {
        int n = count - at < piece ? count - at : piece;
        ModelStep s = {.token = token + at, .seq = seq, .want = want, .count = n, .adapter = adapter};
        must(model_step(m, kv, &s, logits + (size_t)at * (size_t)g->vocab, &e), &e);
    }
    kv_close(kv);
    return logits;
}

static inline int golden_argmax(const float *x, int n) {
    int best = 0;
    for (int i = 1; i < n; i++)
        if (x[i] > x[best]) best = i;
    return best;
}
