// vm_gpu.h - for tests that need a GPU: the driver of the tests (libcuda.c), and kernels for it.
#pragma once
#include <assert.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "measure/timing/timing_job.h"

// It lies beside the tests of this room: build/MODE/test/gpu/libcuda.so, from build/MODE/test/ROOM/test_x, or
// from a room within a room.
static inline const char *vm_gpu_library(void) {
    static char path[4096];
    ssize_t n = readlink("/proc/self/exe", path, sizeof path - 32);
    assert_true(n > 0);
    path[n] = 0;
    do *strrchr(path, '/') = 0;
    while (strcmp(strrchr(path, '/'), "/test") != 0);
    strcat(path, "/gpu/libcuda.so");
    return path;
}

// Copies rows: out[r] = x[r] + 0, one program a row. `name` is what VM_GPU may steer.
static inline const char *copy_kernel(Arena *a, const char *name, int columns) {
    return arena_printf(
        a,
        "{\"kernel\":\"%s\",\"warps\":4,\"stages\":3,\"params\":[{\"name\":\"x\",\"type\":\"*fp32\"},"
        "{\"name\":\"out\",\"type\":\"*fp32\"},{\"name\":\"N\",\"type\":\"i32\"},"
        "{\"name\":\"BLOCK\",\"type\":\"constexpr\",\"value\":%d}],\"source\":\""
        "import triton\\nimport triton.language as tl\\n\\n\\n@triton.jit\\n"
        "def %s(x, out, N, BLOCK: tl.constexpr):\\n"
        "    row = tl.program_id(0)\\n    k = tl.arange(0, BLOCK)\\n"
        "    v = tl.load(x + row * N + k, mask=k < N)\\n    tl.store(out + row * N + k, v, mask=k < N)\\n\"}",
        name, columns, name);
}

// x[rows, columns] to an answer of the same size, all float32.
static inline TimedRun copy_run(Arena *a, const char *name, int rows, int columns) {
    TimedRun r = {.buffer = NEWN(a, TimedBuffer, 2),
                  .buffers = 2,
                  .kernel = NEW(a, TimedKernel),
                  .kernels = 1,
                  .step = NEW(a, TimedStep),
                  .steps = 1,
                  .output[0] = {1, 0},
                  .outputs = 1};
    r.buffer[0] = (TimedBuffer){0, (int64_t)4 * rows * columns};
    r.buffer[1] = (TimedBuffer){-1, (int64_t)4 * rows * columns};
    r.kernel[0] =
        (TimedKernel){.entry = str_of(name), .image = str_of(copy_kernel(a, name, columns)), .cluster = 1};
    TimedArg *arg = NEWN(a, TimedArg, 3);
    arg[0] = (TimedArg){.buffer = 0, .bytes = 8};
    arg[1] = (TimedArg){.buffer = 1, .bytes = 8};
    arg[2] = (TimedArg){.buffer = -1, .bytes = 4, .bits = (uint64_t)columns};
    r.step[0] =
        (TimedStep){.kind = STEP_LAUNCH, .grid = {rows, 1, 1}, .block = {128, 1, 1}, .arg = arg, .args = 3};
    return r;
}
