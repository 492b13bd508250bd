// launch.h - for tests: a source text and an argument line become a bound and checked kernel.
// Arguments, separated by spaces, each plain or NAME=: *fp32 (a tensor of 64 elements), 12, 1.5, True, None,
// inf, 'text', tl.float16, (1,2,*fp32). The kernel is the last jit function of the module.
#pragma once
#include "tile/check/check.h"
#include <assert.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

typedef struct {
    Arena *arena;
    DiagList *diags;
    StorageTable storages;
    const Node *module, *kernel;
    LaunchArg *arg;
    int args;
} LaunchText;

static inline const Tensor *launch_tensor(LaunchText *l, DType t, int64_t n) {
    Tensor *x = NEW(l->arena, Tensor);
    *x = (Tensor){.dtype = t, .rank = 1, .shape = {n}, .stride = {1}};
    if (!storage_new(&l->storages, t, (size_t)n * (size_t)dtype_bytes(t), &x->storage)) abort();
    return x;
}

static inline LaunchArg launch_value(LaunchText *l, Str s) {
    LaunchArg a = {.kind = ARG_PLAIN};
    if (s.p[0] == '*') {
        DType t;
        if (!dtype_by_triton_name((Str){s.p + 1, s.len - 1}, &t)) abort();
        a.kind = ARG_TENSOR;
        a.tensor = launch_tensor(l, t, 64);
    } else if (s.p[0] == '(') {
        LaunchArg *item = NEWN(l->arena, LaunchArg, 16);
        a.kind = ARG_TUPLE;
        const char *p = s.p + 1, *end = s.p + s.len - 1;
        while (p < end && a.items < 16) {
            const char *comma = memchr(p, ',', (size_t)(end - p));
            Str one = {p, (size_t)((comma ? comma : end) - p)};
            if (one.len) item[a.items++] = launch_value(l, one);
            p = comma ? comma + 1 : end;
        }
        a.item = item;
    } else if (str_is(s, "True") || str_is(s, "False")) {
        a.value = (PyValue){.kind = PY_BOOL, .b = s.p[0] == 'T'};
    } else if (str_is(s, "None")) {
        a.value = (PyValue){.kind = PY_NONE};
    } else if (str_starts(s, "tl.")) {
        a.kind = ARG_DTYPE;
        if (!dtype_by_triton_name((Str){s.p + 3, s.len - 3}, &a.dtype)) abort();
    } else if (s.p[0] == '\'') {
        a.value = (PyValue){.kind = PY_STR, .s = {s.p + 1, s.len - 2}};
    } else if (memchr(s.p, '.', s.len) || memchr(s.p, 'e', s.len) || str_is(s, "inf")) {
        a.value = (PyValue){.kind = PY_FLOAT, .f = strtod(str_cdup(l->arena, s), NULL)};
    } else {
        a.value = (PyValue){.kind = PY_INT, .i = strtoll(str_cdup(l->arena, s), NULL, 10)};
    }
    return a;
}

static inline bool is_name_char(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

// Parses the source; false with a diagnostic when that fails.
static inline bool launch_text(Arena *a, DiagList *d, Str source, Str line, LaunchText *l) {
    *l = (LaunchText){.arena = a, .diags = d, .storages = {.arena = a}, .arg = NEWN(a, LaunchArg, 64)};
    l->module = parse_module(a, source, d);
    if (!l->module) return false;
    for (int i = 0; i < l->module->module.body.n; i++) {
        const Node *n = l->module->module.body.at[i];
        if (n->kind == NODE_FUNCTION && is_jit_function(n)) l->kernel = n;
    }
    assert_non_null(l->kernel);
    const char *end = line.len ? line.p + line.len : line.p; // an empty line may be NULL
    for (const char *p = line.p; p < end;) {
        while (p < end && *p == ' ') p++;
        const char *start = p;
        while (p < end && *p != ' ') p++;
        if (p == start) break;
        Str word = {start, (size_t)(p - start)}, name = {0};
        const char *eq = memchr(word.p, '=', word.len);
        bool named = eq != NULL;
        for (const char *q = word.p; named && q < eq; q++) named = is_name_char(*q);
        if (named) {
            name = (Str){word.p, (size_t)(eq - word.p)};
            word = (Str){eq + 1, (size_t)(word.p + word.len - eq - 1)};
        }
        assert_true(l->args < 64);
        l->arg[l->args] = launch_value(l, word);
        l->arg[l->args++].name = name;
    }
    return true;
}

static inline bool launch_check(LaunchText *l, CodeCache *cache, Launchable *out) {
    Binding b;
    if (!launch_bind(l->arena, &(LaunchCall){l->module, l->kernel, l->arg, l->args, l->kernel->span}, &b,
                     l->diags))
        return false;
    if (!kernel_check(l->arena, cache, &b, out, l->diags)) return false;
    const char *why;
    if (!code_verify(out->code, &why)) {
        Buf text = BUF(l->arena);
        code_dump(&text, out->code);
        fail_msg("ill-typed code: %s\n%s", why, buf_cstr(&text));
    }
    return true;
}
