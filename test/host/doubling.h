// doubling.h - for tests of host code as kernel files are written with it: each program computes 2 * x with a
// kernel, and what it says besides must hold; others stay refused.
#pragma once
#include "host/support.h"

enum { ROWS = 4, COLS = 8 };
static const char doubling_head[] =
    "import torch\nimport torch.nn as nn\nimport triton\nimport triton.language as tl\nimport math\n"
    "@triton.jit\n"
    "def scale(x_ptr, y_ptr, N, factor, BLOCK: tl.constexpr):\n"
    "    row = tl.program_id(0)\n"
    "    cols = tl.arange(0, BLOCK)\n"
    "    x = tl.load(x_ptr + row * N + cols, mask=cols < N)\n"
    "    tl.store(y_ptr + row * N + cols, x * factor, mask=cols < N)\n"
    "def double(x):\n"
    "    y = torch.empty_like(x)\n"
    "    scale[(x.shape[0],)](x, y, x.shape[1], 2.0, BLOCK=8)\n"
    "    return y\n";

typedef struct {
    Arena arena;
    DiagList d;
    Machine m;
    Tensor in, out;
    float x[ROWS * COLS];
} Doubling;

static inline bool doubling_run(Doubling *w, const char *body) {
    *w = (Doubling){0};
    w->d = DIAGS(&w->arena);
    machine_init(&w->m, &w->arena, &w->d, 1 << 20);
    for (int i = 0; i < ROWS * COLS; i++) w->x[i] = (float)i;
    w->in = (Tensor){.dtype = DT_F32, .rank = 2, .shape = {ROWS, COLS}, .stride = {COLS, 1}};
    assert_true(storage_wrap(&w->m.storages, DT_F32, w->x, sizeof w->x, &w->in.storage));
    tensor_expose(&w->in, SHADOW_ALLOC | SHADOW_INIT);
    Node *module = (Node *)(uintptr_t)parsed(&w->arena, arena_printf(&w->arena, "%s%s", doubling_head, body));
    // Normalizing leaves out what nothing mentions, which most of these are about; of functools it knows
    // more.
    bool normalize = strncmp(body, "import functools", 16) == 0;
    return (!normalize || host_normalize(&w->arena, module, &w->d)) && host_screen(module, &w->d) &&
           host_run(&w->m, code_cache_new(&w->arena), module, &w->in, 1, &w->out);
}

typedef struct {
    const char *feature, *program;
} Feature;
#define RUN(lines)  "def run(x):\n" lines
#define HOLDS(expr) RUN("    assert " expr "\n    return double(x)\n")

static inline void run_features(const Feature *feature, int n) {
    int run = 0;
    for (int i = 0; i < n; i++) {
        Doubling w;
        if (!doubling_run(&w, feature[i].program))
            print_error("%s: %s %s\n", feature[i].feature, diag_name(w.d.at[0].kind), w.d.at[0].msg);
        else {
            float out[ROWS * COLS];
            uint8_t flags[ROWS * COLS];
            assert_int_equal(tensor_numel(&w.out), ROWS * COLS);
            tensor_gather(&w.out, out, flags);
            bool right = true;
            for (int k = 0; k < ROWS * COLS; k++)
                right &= out[k] == (float)(2 * k) && (flags[k] & SHADOW_STORED);
            if (!right) print_error("%s: wrong\n", feature[i].feature);
            run += right;
        }
        arena_free(&w.arena);
    }
    assert_int_equal(run, n);
}

typedef struct {
    DiagKind kind;
    const char *part, *program;
} Refusal;
static inline void refuse_all(const Refusal *c, int n) {
    for (int i = 0; i < n; i++) {
        Doubling w;
        if (doubling_run(&w, c[i].program)) fail_msg("accepted:\n%s", c[i].program);
        expect_finding(&w.d, c[i].kind, c[i].part, c[i].program);
        arena_free(&w.arena);
    }
}
#define RUN_FEATURES(features) run_features(features, (int)(sizeof features / sizeof *features))
#define REFUSE_ALL(cases)      refuse_all(cases, (int)(sizeof cases / sizeof *cases))
