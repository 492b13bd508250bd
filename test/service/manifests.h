// manifests.h - for tests of manifests.
#pragma once
// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on
#include <stdio.h>

#include "host/host.h"
#include "service/manifest/manifest.h"

static Arena arena;
static Op op;

static const char kernels[] = "import os\n"
                              "import torch; import triton\n"
                              "import triton.language as tl\n"
                              "SIZE = 64\n"
                              "class Model(torch.nn.Module):\n"
                              "    pass\n"
                              "@triton.jit\n"
                              "def first(x, y, n, BLOCK: tl.constexpr = SIZE):\n"
                              "    pass\n"
                              "cache = {}\n"
                              "@triton.jit\n"
                              "def second(x, y):\n"
                              "    pass\n"
                              "def helper(x):\n"
                              "    return os.getenv(x)\n";

static inline bool apply(const char *json, const char *source, bool exist, Str *out, Err *e) {
    return manifest_apply(
        &arena, &(ManifestRequest){"m.json", str_of(json), &op, str_of(source), exist, {0}, false}, out, e);
}

#define OUT "\"outputs\":{\"out\":{\"shape\":\"x.shape\",\"dtype\":\"x.dtype\"}}"
#define RUN "\"kernel\":\"first\",\"grid\":[1]"

static inline void refused(const char *json, const char *key, const char *why) {
    Str text;
    Err e = {0};
    if (apply(json, kernels, true, &text, &e)) fail_msg("taken: %s", json);
    if (e.code != ERR_USAGE || !strstr(e.msg, "m.json") || !strstr(e.msg, key) || !strstr(e.msg, why))
        fail_msg("%s: %s", json, e.msg);
    for (const char *p = e.msg; *p; p++)
        if (*p < ' ' || *p > '~') fail_msg("unprintable: %s", e.msg);
}
