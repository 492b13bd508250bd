// Whole kernels from source text to bytes: parser, checker and machine together, against plain C in double.
#include "base/numeric/rng.h"
#include "tile/run.h"

static void test_rmsnorm(void **state) {
    (void)state;
    static const char source[] =
        "import torch, triton\nimport triton.language as tl\n"
        "@triton.jit\n"
        "def k(x_ptr, w_ptr, y_ptr, stride, N, eps, BLOCK: tl.constexpr):\n"
        "    row = tl.program_id(0)\n"
        "    x_ptr += row * stride; y_ptr += row * stride\n"
        "    acc = tl.zeros([BLOCK], dtype=tl.float32)\n"
        "    for off in range(0, N, BLOCK):\n"
        "        cols = off + tl.arange(0, BLOCK)\n"
        "        x = tl.load(x_ptr + cols, mask=cols < N, other=0.0).to(tl.float32)\n"
        "        acc += x * x\n"
        "    rms = tl.rsqrt(tl.sum(acc) / N + eps)\n"
        "    for off in range(0, N, BLOCK):\n"
        "        cols = off + tl.arange(0, BLOCK)\n"
        "        mask = cols < N\n"
        "        x = tl.load(x_ptr + cols, mask=mask, other=0.0).to(tl.float32)\n"
        "        w = tl.load(w_ptr + cols, mask=mask, other=0.0).to(tl.float32)\n"
        "        tl.store(y_ptr + cols, (x * rms * w), mask=mask)\n";
    static const DType types[] = {DT_F32, DT_F16, DT_BF16};
    static const int widths[] = {1, 7, 64, 65, 200};
    for (int t = 0; t < 3; t++)
        for (int w = 0; w < 5; w++) {
            Run r;
            run_begin(&r);
            int M = 3, N = widths[w];
            const float *x = input(&r, types[t], (int64_t)M * N, 1), *g = input(&r, types[t], N, 2);
            const Tensor *y = output(&r, types[t], (int64_t)M * N);
            number(&r, N);
            number(&r, N);
            real(&r, 1e-6);
            named(&r, "BLOCK", 64);
            run_ok(&r, source, M);
            for (int i = 0; i < M; i++) {
                double sum = 0;
                for (int j = 0; j < N; j++) sum += (double)x[i * N + j] * x[i * N + j];
                for (int j = 0; j < N; j++)
                    near(y, i * N + j, x[i * N + j] / sqrt(sum / N + 1e-6) * g[j],
                         types[t] == DT_F32   ? 1e-5
                         : types[t] == DT_F16 ? 1e-3
                                              : 8e-3);
            }
            run_end(&r);
        }
}

static void check_softmax_kernel(const char *source, int N, int block, int warps) {
    Run r;
    run_begin(&r);
    int M = 4;
    const float *x = input(&r, DT_F32, (int64_t)M * N, 3);
    const Tensor *y = output(&r, DT_F32, (int64_t)M * N);
    number(&r, N);
    named(&r, "BLOCK", block);
    named(&r, "num_warps", warps);
    run_ok(&r, source, M);
    for (int i = 0; i < M; i++) {
        double top = -INFINITY, sum = 0;
        for (int j = 0; j < N; j++) top = fmax(top, x[i * N + j]);
        for (int j = 0; j < N; j++) sum += exp(x[i * N + j] - top);
        for (int j = 0; j < N; j++) near(y, i * N + j, exp(x[i * N + j] - top) / sum, 1e-6);
    }
    run_end(&r);
}

static void test_softmax(void **state) {
    (void)state;
    static const char whole[] = "@triton.jit\n"
                                "def k(x, y, N, BLOCK: tl.constexpr):\n"
                                "    row = tl.program_id(0)\n"
                                "    cols = tl.arange(0, BLOCK)\n"
                                "    mask = cols < N\n"
                                "    v = tl.load(x + row * N + cols, mask=mask, other=-float('inf'))\n"
                                "    e = tl.exp(v - tl.max(v, axis=0))\n"
                                "    tl.store(y + row * N + cols, e / tl.sum(e, axis=0), mask=mask)\n";
    static const char library[] = "@triton.jit\n"
                                  "def k(x, y, N, BLOCK: tl.constexpr):\n"
                                  "    p = tl.program_id(0) * N + tl.arange(0, BLOCK)\n"
                                  "    m = tl.arange(0, BLOCK) < N\n"
                                  "    tl.store(y + p, tl.softmax(tl.load(x + p, m, -float('inf'))), m)\n";
    static const char online[] = "@triton.jit\n"
                                 "def k(x, y, N, BLOCK: tl.constexpr):\n"
                                 "    x += tl.program_id(0) * N\n"
                                 "    y += tl.program_id(0) * N\n"
                                 "    m = -float('inf')\n"
                                 "    s = 0.0\n"
                                 "    for off in range(0, N, BLOCK):\n"
                                 "        cols = off + tl.arange(0, BLOCK)\n"
                                 "        v = tl.load(x + cols, mask=cols < N, other=-float('inf'))\n"
                                 "        new = tl.maximum(m, tl.max(v))\n"
                                 "        s = s * tl.exp(m - new) + tl.sum(tl.exp(v - new))\n"
                                 "        m = new\n"
                                 "    for off in range(0, N, BLOCK):\n"
                                 "        cols = off + tl.arange(0, BLOCK)\n"
                                 "        v = tl.load(x + cols, mask=cols < N, other=0.0)\n"
                                 "        tl.store(y + cols, tl.exp(v - m) / s, mask=cols < N)\n";
    // Lane by lane maxima and sums, joined at the end; exp by way of exp2.
    static const char lanes[] =
        "LOG2E = tl.constexpr(1.4426950408889634)\n"
        "@triton.jit\n"
        "def rescale(m, s, new):\n"
        "    return s * tl.exp2((m - new) * LOG2E)\n"
        "@triton.jit\n"
        "def k(x, y, N, BLOCK: tl.constexpr):\n"
        "    x += tl.program_id(0) * N\n"
        "    y += tl.program_id(0) * N\n"
        "    m = tl.full([BLOCK], -1e30, tl.float32)\n"
        "    s = tl.zeros([BLOCK], tl.float32)\n"
        "    off = 0\n"
        "    while off < N:\n"
        "        cols = off + tl.arange(0, BLOCK)\n"
        "        mask = cols < N\n"
        "        v = tl.load(x + cols, mask=mask, other=-1e30)\n"
        "        new = tl.maximum(m, v)\n"
        "        s = rescale(m, s, new) + tl.where(mask, tl.exp2((v - new) * LOG2E), 0.0)\n"
        "        m = new\n"
        "        off += BLOCK\n"
        "    top = tl.max(m)\n"
        "    total = tl.sum(rescale(m, s, top))\n"
        "    for o in range(0, N, BLOCK):\n"
        "        cols = o + tl.arange(0, BLOCK)\n"
        "        v = tl.load(x + cols, mask=cols < N, other=0.0)\n"
        "        tl.store(y + cols, tl.exp2((v - top) * LOG2E) / total, mask=cols < N)\n";
    static const int widths[] = {1, 5, 128, 300};
    for (int i = 0; i < 4; i++) {
        check_softmax_kernel(whole, widths[i], 512, 4);
        check_softmax_kernel(library, widths[i], 512, 1);
        check_softmax_kernel(online, widths[i], 64, 8);
        check_softmax_kernel(lanes, widths[i], 32, 2);
    }
}

static void test_layernorm(void **state) {
    (void)state;
    static const char source[] =
        "@triton.jit\n"
        "def moments(p, N, BLOCK: tl.constexpr):\n"
        "    s = tl.zeros((BLOCK,), tl.float32)\n"
        "    q = tl.zeros((BLOCK,), tl.float32)\n"
        "    for off in range(0, N, BLOCK):\n"
        "        cols = off + tl.arange(0, BLOCK)\n"
        "        v = tl.load(p + cols, mask=cols < N, other=0.0).to(tl.float32)\n"
        "        s += v\n"
        "        q += v * v\n"
        "    mean = tl.sum(s, axis=0) / N\n"
        "    return mean, tl.sum(q, axis=0) / N - mean * mean\n"
        "@triton.jit\n"
        "def k(x, w, b, y, N, eps, HAS_BIAS: tl.constexpr, BLOCK: tl.constexpr):\n"
        "    row = tl.program_id(0).to(tl.int64)\n"
        "    mean, var = moments(x + row * N, N, BLOCK)\n"
        "    rstd = 1 / tl.sqrt(var + eps)\n"
        "    for off in range(0, N, BLOCK):\n"
        "        cols = off + tl.arange(0, BLOCK)\n"
        "        mask = cols < N\n"
        "        v = tl.load(x + row * N + cols, mask=mask, other=0.0).to(tl.float32)\n"
        "        v = (v - mean) * rstd * tl.load(w + cols, mask=mask, other=0.0)\n"
        "        if HAS_BIAS:\n"
        "            v += tl.load(b + cols, mask=mask, other=0.0)\n"
        "        tl.store(y + row * N + cols, v, mask=mask)\n";
    for (int bias = 0; bias < 2; bias++) {
        Run r;
        run_begin(&r);
        int M = 5, N = 77;
        const float *x = input(&r, DT_F32, (int64_t)M * N, 5), *w = input(&r, DT_F32, N, 6),
                    *b = input(&r, DT_F32, N, 7);
        const Tensor *y = output(&r, DT_F32, (int64_t)M * N);
        number(&r, N);
        real(&r, 1e-5);
        number(&r, bias);
        named(&r, "BLOCK", 32);
        run_ok(&r, source, M);
        for (int i = 0; i < M; i++) {
            double mean = 0, var = 0;
            for (int j = 0; j < N; j++) mean += x[i * N + j] / (double)N;
            for (int j = 0; j < N; j++) var += (x[i * N + j] - mean) * (x[i * N + j] - mean) / N;
            for (int j = 0; j < N; j++)
                near(y, i * N + j, (x[i * N + j] - mean) / sqrt(var + 1e-5) * w[j] + (bias ? b[j] : 0), 1e-5);
        }
        run_end(&r);
    }
}

static void test_2d(void **state) {
    (void)state;
    static const char source[] = "@triton.jit\n"
                                 "def k(x, y, M, N, ROWS: tl.constexpr, COLS: tl.constexpr):\n"
                                 "    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)\n"
                                 "    cols = tl.arange(0, COLS)\n"
                                 "    mask = (rows < M)[:, None] & (cols < N)[None, :]\n"
                                 "    p = rows[:, None] * N + cols[None, :]\n"
                                 "    v = tl.load(x + p, mask=mask, other=0.0)\n"
                                 "    mean = tl.sum(v, axis=1) / N\n"
                                 "    v = v - mean[:, None]\n"
                                 "    t = tl.trans(v).T + tl.max(v, axis=1, keep_dims=True) * 0\n"
                                 "    tl.store(y + p, t, mask=mask)\n";
    Run r;
    run_begin(&r);
    int M = 11, N = 13;
    const float *x = input(&r, DT_F32, (int64_t)M * N, 9);
    const Tensor *y = output(&r, DT_F32, (int64_t)M * N);
    number(&r, M);
    number(&r, N);
    named(&r, "ROWS", 4);
    named(&r, "COLS", 16);
    run_ok(&r, source, 3);
    for (int i = 0; i < M; i++) {
        double mean = 0;
        for (int j = 0; j < N; j++) mean += x[i * N + j] / (double)N;
        for (int j = 0; j < N; j++) near(y, i * N + j, x[i * N + j] - mean, 1e-6);
    }
    run_end(&r);
}

static void test_cumsum(void **state) {
    (void)state;
    static const char source[] = "@triton.jit\n"
                                 "def k(x, y, N, BLOCK: tl.constexpr):\n"
                                 "    x += tl.program_id(0) * N\n"
                                 "    y += tl.program_id(0) * N\n"
                                 "    carry = 0.0\n"
                                 "    for off in range(0, N, BLOCK):\n"
                                 "        cols = off + tl.arange(0, BLOCK)\n"
                                 "        v = tl.load(x + cols, mask=cols < N, other=0.0)\n"
                                 "        tl.store(y + cols, tl.cumsum(v, 0) + carry, mask=cols < N)\n"
                                 "        carry += tl.sum(v)\n";
    Run r;
    run_begin(&r);
    int M = 2, N = 100;
    const float *x = input(&r, DT_F32, (int64_t)M * N, 11);
    const Tensor *y = output(&r, DT_F32, (int64_t)M * N);
    number(&r, N);
    named(&r, "BLOCK", 16);
    run_ok(&r, source, M);
    for (int i = 0; i < M; i++) {
        double sum = 0;
        for (int j = 0; j < N; j++) near(y, i * N + j, sum += x[i * N + j], 1e-5);
    }
    run_end(&r);
}

static void test_control(void **state) {
    (void)state;
    gives(K("    a = 0\n    b = 1\n    for i in range(n):\n        a, b = b, a + b\n    tl.store(y, a)\n"),
          10, 55);
    gives(K("    a = 1\n    b = 2\n    c = 3\n    for i in range(n):\n        a, b, c = b, c, a\n    "
            "tl.store(y, a * 100 + b * 10 + c)\n"),
          4, 231);
    gives(K("    a = 0\n    for i in range(n, 0, -3):\n        a = a * 10 + i\n    tl.store(y, a)\n"), 10,
          10741);
    gives(K("    a = 0\n    for i in range(5, n):\n        a += 1\n    tl.store(y, a)\n"), 3, 0);
    gives(K("    a = 0\n    for i in range(n):\n        i = i * 2\n        a += i\n    tl.store(y, a)\n"), 4,
          12);
    gives(K("    a = 0\n    for i in range(n):\n        for j in range(i):\n            a += j\n    "
            "tl.store(y, a)\n"),
          5, 10);
    gives(K("    a = 0\n    last = 0\n    for i in range(n):\n        old = a\n        a = a + i\n        "
            "last = old\n    tl.store(y, a * 100 + last)\n"),
          5, 1006);
    gives(K("    a = 5\n    b = a\n    for i in range(n):\n        b = a\n        a = a + 1\n    tl.store(y, "
            "a * 10 + b)\n"),
          3, 87);
    gives(K("    a = 0\n    while a < n:\n        if a % 2 == 0:\n            a += 3\n        else:\n        "
            "    a += 1\n    tl.store(y, a)\n"),
          10, 11);
    gives(K("    a = 7\n    if n > 3:\n        a = 8\n    tl.store(y, a)\n"), 4, 8);
    gives(K("    a = 7\n    if n > 3:\n        a = 8\n    tl.store(y, a)\n"), 2, 7);
    gives(K("    if n > 8:\n        a = 1\n    elif n > 4:\n        a = 2\n    else:\n        a = 3\n    "
            "tl.store(y, a)\n"),
          6, 2);
    gives(K("    a = 1\n    b = 2\n    if n > 3:\n        a, b = b, a\n    tl.store(y, a * 10 + b)\n"), 6,
          21);
    gives(K("    tl.store(y, 1)\n    if n > 3:\n        return\n    tl.store(y, 2)\n"), 4, 1);
    gives(K("    tl.store(y, 1)\n    if n > 3:\n        return\n    tl.store(y, 2)\n"), 2, 2);
    gives(K("    tl.store(y, 3 if n > 3 else 4)\n"), 2, 4);
    gives(K("    a = 0\n    for i in tl.static_range(1, 8, 3):\n        a = a * 10 + i\n    tl.store(y, a + "
            "n * 0)\n"),
          2, 147);
    gives("@triton.jit\ndef f(n):\n    if n > 3:\n        return n * 2\n    return n\n" K(
              "    a = 0\n    for i in range(n):\n        a += f(i)\n    tl.store(y, a)\n"),
          6, 0 + 1 + 2 + 3 + 8 + 10);
    gives("@triton.jit\ndef f(n):\n    if n > 3:\n        return n, 1\n    else:\n        return 0, n\n" K(
              "    a, b = f(n)\n    tl.store(y, a * 10 + b)\n"),
          6, 61);
    gives(K("    best = -1\n    where = -1\n    for i in range(n):\n        v = (i * 7) % 5\n        if v > "
            "best:\n            best = v\n            where = i\n    tl.store(y, best * 10 + where)\n"),
          5, 42);
}

static void test_arithmetic(void **state) {
    (void)state;
    gives(K("    tl.store(y, -n // 2)\n"), 7, -3); // C's division, unlike Python's
    gives(K("    tl.store(y, -n % 4)\n"), 7, -3);
    gives(K("    tl.store(y, -7 // 2 + 0 * n)\n"), 7, -4);
    gives(K("    tl.store(y, tl.cdiv(n, 4))\n"), 9, 3);
    gives(K("    tl.store(y, (n > 3) + (n > 4))\n"), 9, 0); // exclusive or
    gives(K("    tl.store(y, (n > 3) + 1)\n"), 9, 2);
    gives(K("    tl.store(y, tl.sum(tl.arange(0, 8) < n))\n"), 5, 5);
    gives(K("    tl.store(y, tl.argmax(tl.arange(0, 8) * (n - tl.arange(0, 8)), 0))\n"), 7, 3);
    gives(K("    tl.store(y, tl.xor_sum(tl.arange(0, 8) + n))\n"), 1, 8);
    gives(K("    tl.store(y, tl.maximum(n, 9) * 10 + min(n, 3))\n"), 5, 93);
    gives(K("    tl.store(y, (n << 3) >> 1)\n"), 5, 20);
    gives(K("    tl.store(y, ~n)\n"), 5, -6);
    gives(K("    tl.store(y, tl.sum(tl.where(tl.arange(0, 4)[:, None] > tl.arange(0, 2)[None, :], n, 1)))\n"),
          5, 5 * 5 + 3);
    gives(K("    tl.store(y, tl.sum(tl.reshape(tl.arange(0, 8), (2, 4)), axis=0).sum())\n"), 5, 28);
    gives(K("    t = tl.load(y, mask=n > 100, other=n)\n    tl.store(y, t)\n"), 5, 5);
    gives(K("    y += 2\n    tl.store(y - 2, n)\n"), 5, 5);
    gives(K("    a = n.to(tl.int64) * 4000000000\n    tl.store(y, a // 1000000000)\n"), 5, 20);
    gives(K("    tl.store(y, (n / 2).to(tl.int32))\n"), 5, 2);
}

#define K1(body)                                                                                  \
    "@triton.jit\ndef k(x, table, y, n):\n" body "    at = tl.load(table + i, mask=m, other=0)\n" \
    "    tl.store(y + i, tl.load(x + at, mask=m, other=-1).to(tl.float64), mask=i < 64)\n"

static void test_findings(void **state) {
    (void)state;
    finds(K("    tl.store(y + n, 1)\n"), 8, DIAG_OOB);
    finds(K("    tl.store(y, 1)\n"), 8, DIAG_RACE);
    finds(K("    tl.store(y, tl.load(y + 1))\n"), 8, DIAG_UNINIT);
    finds(K("    v = tl.load(y + tl.arange(0, 4), mask=tl.arange(0, 4) < 0)\n    tl.store(y, tl.sum(v))\n"),
          8, DIAG_UNINIT);
    finds(K("    tl.store(y, 5 // (n - 8))\n"), 8, DIAG_VALUE);
    finds(K("    a = 0\n    while a < n:\n        a = a * 1\n"), 8, DIAG_BUDGET);
}

// Loads from anywhere in an input: lane by lane (an input that keeps origins), together, and together by
// row arithmetic. What is found, loaded and counted is the same.
static void test_gathers_agree(void **state) {
    (void)state;
    enum { LANES = 64, PITCH = 37, ROWS = 9, WIDE = 30, ALL = PITCH * ROWS };
    static const char *const source[] = {
        K1("    i = tl.arange(0, 64)\n    m = i < n\n"),
        K1("    i = tl.arange(0, 4)[:, None] * 16 + tl.arange(0, 16)[None, :]\n    m = i < n\n"),
        K1("    i = tl.arange(0, 64)\n    m = (i < n) & (i % 3 != 1)\n"),
    };
    static const DType types[] = {DT_F32, DT_F16, DT_I8, DT_F64};
    float values[ALL];
    for (int i = 0; i < ALL; i++) values[i] = (float)(i % 100);
    int found = 0, clean = 0;
    for (uint32_t round = 0; round < 240; round++) {
        Rng rng = rng_at(5, round);
        int64_t table[LANES];
        DType t = types[round / 3 % 4];
        // Mostly right; one lane in a gap, before the beginning, or past the end.
        for (int i = 0; i < LANES; i++)
            table[i] = (int64_t)rng_below(&rng, ROWS) * PITCH + (int64_t)rng_below(&rng, WIDE);
        for (int i = 0; round % 2 && i < LANES; i++) table[i] = table[0] / PITCH * PITCH + 2 * i % WIDE;
        int lane = (int)rng_below(&rng, LANES);
        if (round % 5 == 1) table[lane] = PITCH * (int64_t)rng_below(&rng, ROWS) + WIDE;
        if (round % 5 == 2) table[lane] = -1 - (int64_t)rng_below(&rng, 3);
        if (round % 5 == 3) table[lane] = PITCH * (ROWS - 1) + WIDE + (int64_t)rng_below(&rng, 20);
        char said[3][300];
        double got[3][LANES];
        int64_t loaded[3];
        for (int way = 0; way < 3; way++) {
            Run r;
            run_begin(&r);
            uint8_t *bytes = NEWN(&r.arena, uint8_t, ALL * 8);
            for (int i = 0; i < ALL; i++) dtype_store(t, bytes + i * dtype_bytes(t), values[i]);
            Tensor *x = NEW(&r.arena, Tensor);
            *x = (Tensor){.dtype = t, .rank = 2, .shape = {ROWS, WIDE}, .stride = {PITCH, 1}};
            size_t size = (size_t)((ROWS - 1) * PITCH + WIDE) * (size_t)dtype_bytes(t);
            if (way == 2) {
                assert_true(storage_wrap_rows(&r.machine.storages, x, bytes, size, &x->storage));
                assert_non_null(x->storage);
            } else {
                assert_true(storage_wrap(&r.machine.storages, t, bytes, size, &x->storage));
                tensor_expose(x, SHADOW_ALLOC | SHADOW_INIT);
            }
            if (way == 0) x->storage->origin = NEWN(&r.arena, uint8_t, size);
            r.arg[r.args++] = (LaunchArg){.kind = ARG_TENSOR, .tensor = x};
            Storage *s;
            assert_true(storage_wrap(&r.machine.storages, DT_I64, table, sizeof table, &s));
            const Tensor *places = tensor_over(&r, s, DT_I64, LANES);
            tensor_expose(places, SHADOW_ALLOC | SHADOW_INIT);
            r.arg[r.args++] = (LaunchArg){.kind = ARG_TENSOR, .tensor = places};
            const Tensor *y = output(&r, DT_F64, LANES);
            number(&r, 50 + (int64_t)round % 15);
            bool ok = run(&r, source[round % 3], 1);
            const Diag *d = ok ? NULL : diag_first(&r.diags);
            snprintf(said[way], sizeof said[way], "%s", d ? d->msg : "");
            for (int i = 0; i < LANES; i++) got[way][i] = ok ? at(y, i) : 0;
            loaded[way] = ok ? r.machine.count.bytes_loaded : 0;
            found += !ok;
            clean += ok;
            run_end(&r);
        }
        for (int way = 1; way < 3; way++) {
            assert_string_equal(said[0], said[way]);
            assert_memory_equal(got[0], got[way], sizeof got[0]);
            assert_int_equal(loaded[0], loaded[way]);
        }
    }
    assert_true(found > 100 && clean > 100);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rmsnorm),    cmocka_unit_test(test_softmax),
        cmocka_unit_test(test_layernorm),  cmocka_unit_test(test_2d),
        cmocka_unit_test(test_cumsum),     cmocka_unit_test(test_control),
        cmocka_unit_test(test_arithmetic), cmocka_unit_test(test_gathers_agree),
        cmocka_unit_test(test_findings)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
