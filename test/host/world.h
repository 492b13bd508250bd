// world.h - for tests of host code without kernels: run(x, s, t) on three tensors. Programs state what must
// hold by `assert`.
#pragma once
#include "host/support.h"

typedef struct {
    Arena arena;
    DiagList d;
    Machine m;
    Tensor in[3]; // x: float32[4, 8]; s: float16[4, 6] with row stride 11 at offset 3; t: int64[4]
    float x[32];
    uint16_t s[64];
    int64_t t[4];
    Tensor out;
} World;

static inline void world_open(World *w, int64_t steps) {
    *w = (World){0};
    w->d = DIAGS(&w->arena);
    machine_init(&w->m, &w->arena, &w->d, steps);
    for (int i = 0; i < 32; i++) w->x[i] = (float)i;
    for (int i = 0; i < 64; i++) w->s[i] = f16_from_f32((float)i);
    for (int i = 0; i < 4; i++) w->t[i] = i;
    w->in[0] = (Tensor){.dtype = DT_F32, .rank = 2, .shape = {4, 8}, .stride = {8, 1}};
    w->in[1] = (Tensor){.dtype = DT_F16, .rank = 2, .shape = {4, 6}, .stride = {11, 1}, .offset = 3};
    w->in[2] = (Tensor){.dtype = DT_I64, .rank = 1, .shape = {4}, .stride = {1}};
    assert_true(storage_wrap(&w->m.storages, DT_F32, w->x, sizeof w->x, &w->in[0].storage));
    assert_true(storage_wrap(&w->m.storages, DT_F16, w->s, sizeof w->s, &w->in[1].storage));
    assert_true(storage_wrap(&w->m.storages, DT_I64, w->t, sizeof w->t, &w->in[2].storage));
    for (int i = 0; i < 3; i++) tensor_expose(&w->in[i], SHADOW_ALLOC | SHADOW_INIT);
}
static inline void world_close(World *w) { arena_free(&w->arena); }

static inline bool world_run(World *w, const char *source) {
    return host_run(&w->m, NULL, parsed(&w->arena, source), w->in, 3, &w->out);
}

// The body of `def run(x, s, t)`, lines separated by newlines, each indented here.
static const char *program(Arena *a, const char *body) {
    Buf b = BUF(a);
    buf_puts(&b, "def run(x, s, t):\n");
    while (*body) {
        size_t n = strcspn(body, "\n");
        buf_printf(&b, "    %.*s\n", (int)n, body);
        body += n + (body[n] == '\n');
    }
    buf_puts(&b, "    return x\n");
    return buf_cstr(&b);
}

static inline void expect_ok(const char *body) {
    World w;
    world_open(&w, 1 << 22);
    const char *source = program(&w.arena, body);
    if (!host_screen(parsed(&w.arena, source), &w.d) || !world_run(&w, source))
        fail_msg("%s: %s\n%s", diag_name(w.d.at[0].kind), w.d.at[0].msg, source);
    world_close(&w);
}

typedef struct {
    DiagKind kind;
    const char *part, *body;
} Case;

static inline void expect_failures(const Case *c, size_t n) {
    for (size_t i = 0; i < n; i++) {
        World w;
        world_open(&w, 1 << 22);
        const char *source = program(&w.arena, c[i].body);
        if (world_run(&w, source)) fail_msg("no finding, expected %s:\n%s", c[i].part, source);
        expect_finding(&w.d, c[i].kind, c[i].part, source);
        world_close(&w);
    }
}

static inline void expect_all_ok(const char *const *body, size_t n) {
    for (size_t i = 0; i < n; i++) expect_ok(body[i]);
}
#define EXPECT_OK(bodies)      expect_all_ok(bodies, sizeof bodies / sizeof *bodies)
#define EXPECT_FAILURES(cases) expect_failures(cases, sizeof cases / sizeof *cases)
