// run.h - for tests of whole kernels: inputs, outputs, a launch, and what it must give.
#pragma once
#include "launch.h"
#include <math.h>
#include <stdio.h>

typedef struct {
    Arena arena;
    DiagList diags;
    Machine machine;
    LaunchArg arg[16];
    int args;
    float *data[16]; // of an input, by argument
} Run;

static inline void run_begin(Run *r) {
    memset(r, 0, sizeof *r);
    r->diags = DIAGS(&r->arena);
    machine_init(&r->machine, &r->arena, &r->diags, 1000000);
}
static inline void run_end(Run *r) { arena_free(&r->arena); }

static inline float noise(uint32_t *state) { // about uniform in [-2, 2]
    *state = *state * 1664525u + 1013904223u;
    return (float)(int32_t)*state * 0x1p-30f;
}

static inline const Tensor *tensor_over(Run *r, Storage *s, DType t, int64_t n) {
    Tensor *x = NEW(&r->arena, Tensor);
    *x = (Tensor){.storage = s, .dtype = t, .rank = 1, .shape = {n}, .stride = {1}};
    return x;
}

// An input filled from `values`, rounded to the type.
static inline void input_of(Run *r, DType t, const float *values, int64_t n) {
    uint8_t *bytes = NEWN(&r->arena, uint8_t, (size_t)n * (size_t)dtype_bytes(t) + 8);
    float *kept = NEWN(&r->arena, float, (size_t)n + 1);
    for (int64_t i = 0; i < n; i++) {
        dtype_store(t, bytes + i * dtype_bytes(t), values[i]);
        kept[i] = (float)dtype_load(t, bytes + i * dtype_bytes(t));
    }
    Storage *s;
    assert_true(storage_wrap(&r->machine.storages, t, bytes, (size_t)n * (size_t)dtype_bytes(t), &s));
    const Tensor *x = tensor_over(r, s, t, n);
    tensor_expose(x, SHADOW_ALLOC | SHADOW_INIT);
    r->data[r->args] = kept;
    r->arg[r->args++] = (LaunchArg){.kind = ARG_TENSOR, .tensor = x};
}
static inline float *input(Run *r, DType t, int64_t n, uint32_t seed) {
    float *v = NEWN(&r->arena, float, (size_t)n + 1);
    for (int64_t i = 0; i < n; i++) v[i] = noise(&seed);
    input_of(r, t, v, n);
    return r->data[r->args - 1];
}
// Rows of n values with gaps between them, from element `first` of the memory on.
static inline void input_rows(Run *r, DType t, const float *values, int rows, int64_t n, int64_t pitch,
                              int64_t first) {
    size_t size = (size_t)dtype_bytes(t), all = (size_t)(first + rows * pitch) * size;
    uint8_t *bytes = arena_raw(&r->arena, all + 8, 64);
    Tensor *x = NEW(&r->arena, Tensor);
    *x = (Tensor){.dtype = t, .rank = 2, .shape = {rows, n}, .stride = {pitch, 1}, .offset = first};
    for (int64_t i = 0; i < rows * n; i++)
        dtype_store(t, bytes + (size_t)(first + i / n * pitch + i % n) * size, values[i]);
    assert_true(storage_wrap_rows(&r->machine.storages, x, bytes, all, &x->storage));
    assert_non_null(x->storage);
    r->arg[r->args++] = (LaunchArg){.kind = ARG_TENSOR, .tensor = x};
}
static inline const Tensor *output(Run *r, DType t, int64_t n) {
    Storage *s;
    assert_true(storage_new(&r->machine.storages, t, (size_t)n * (size_t)dtype_bytes(t), &s));
    storage_reach(s, 0, s->bytes); // tests look at it, and write to it, themselves
    const Tensor *x = tensor_over(r, s, t, n);
    r->arg[r->args++] = (LaunchArg){.kind = ARG_TENSOR, .tensor = x};
    return x;
}
static inline void number(Run *r, int64_t i) {
    r->arg[r->args++] = (LaunchArg){.value = {.kind = PY_INT, .i = i}};
}
static inline void real(Run *r, double f) {
    r->arg[r->args++] = (LaunchArg){.value = {.kind = PY_FLOAT, .f = f}};
}
static inline void named(Run *r, const char *name, int64_t i) {
    number(r, i);
    r->arg[r->args - 1].name = str_of(name);
}

static inline bool run(Run *r, const char *source, int64_t programs) {
    LaunchText l;
    Launchable k;
    assert_true(launch_text(&r->arena, &r->diags, str_of(source), (Str){0}, &l));
    memcpy(l.arg, r->arg, sizeof r->arg);
    l.args = r->args;
    if (!launch_check(&l, NULL, &k)) return false;
    return vm_launch(&r->machine, k.code, k.cells, (int64_t[3]){programs, 1, 1});
}
static inline void run_ok(Run *r, const char *source, int64_t programs) {
    if (run(r, source, programs)) return;
    Buf b = BUF(&r->arena);
    diag_render(&b, "kernel", str_of(source), diag_first(&r->diags));
    fail_msg("%s", buf_cstr(&b));
}
static inline double at(const Tensor *t, int64_t i) {
    return dtype_load(t->dtype, t->storage->data + i * dtype_bytes(t->dtype));
}
static inline void near(const Tensor *t, int64_t i, double want, double tolerance) {
    double got = at(t, i);
    if (!(fabs(got - want) <= tolerance * (fabs(want) + 1)))
        fail_msg("element %d is %.9g, not %.9g", (int)i, got, want);
    if (!(t->storage->shadow[i * dtype_bytes(t->dtype)] & SHADOW_STORED))
        fail_msg("element %d was not stored", (int)i);
}

// Kernels that store one integer each; the number is what Python would compute.
static inline void gives(const char *source, int64_t n, int64_t want) {
    Run r;
    run_begin(&r);
    const Tensor *y = output(&r, DT_I64, 8);
    number(&r, n);
    run_ok(&r, source, 1);
    near(y, 0, (double)want, 0);
    run_end(&r);
}
#define K(body) "@triton.jit\ndef k(y, n):\n" body

static inline void finds(const char *source, int64_t n, DiagKind kind) {
    Run r;
    run_begin(&r);
    output(&r, DT_I64, 8);
    number(&r, n);
    assert_false(run(&r, source, 2));
    assert_int_equal(diag_first(&r.diags)->kind, kind);
    run_end(&r);
}
