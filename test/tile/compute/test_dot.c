// tl.dot: values in the documented order of additions, undefined rows, and a small matrix product.
#include "tile/loops/loops.h"
#include "tile/run.h"

static float half(float x) { return (float)dtype_round(DT_F16, (double)x); }

// The rule of insn.def in plain C, one product after another.
static float in_order(const float *a, const float *b, int n, int k, float s, bool half_sum) {
    for (int l = 0; l < k; l++) {
        volatile float p = a[l] * b[l * n];
        s = s + p;
        if (half_sum && l % 16 == 15) s = half(s);
    }
    return s;
}

static const char product[] =
    "@triton.jit\n"
    "def k(a, b, c, d, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr, H: tl.constexpr, "
    "P: tl.constexpr):\n"
    "    m = tl.arange(0, M)[:, None]\n"
    "    n = tl.arange(0, N)[None, :]\n"
    "    i = tl.arange(0, K)\n"
    "    x = tl.load(a + m * K + i[None, :])\n"
    "    y = tl.load(b + i[:, None] * N + n)\n"
    "    acc = tl.load(c + m * N + n)\n"
    "    if H:\n"
    "        acc = tl.dot(x, y, acc.to(tl.float16), out_dtype=tl.float16).to(tl.float32)\n"
    "    else:\n"
    "        acc = tl.dot(x, y, acc, input_precision=P)\n"
    "    tl.store(d + m * N + n, acc)\n";

static void precision(Run *r, const char *how) {
    r->arg[r->args++] = (LaunchArg){.name = STR("P"), .value = {.kind = how ? PY_STR : PY_NONE}};
    if (how) r->arg[r->args - 1].value.s = str_of(how);
}

static float without(float x, int bits) { return float_of(bits32(x) & ((uint32_t)-1 << bits)); }

// What each input precision leaves of float32 operands; others are never cut.
static void test_precisions(void **state) {
    (void)state;
    static const struct {
        const char *name;
        int cut;
    } how[] = {{NULL, 13},    {"tf32", 13},  {"TF32", 13}, {"ieee", 0},
               {"tf32x3", 0}, {"bf16x3", 8}, {"bf16x6", 0}};
    enum { M = 4, N = 8, K = 32 };
    static const DType types[] = {DT_F32, DT_F16, DT_BF16};
    for (int t = 0; t < 3; t++)
        for (size_t h = 0; h < sizeof how / sizeof *how; h++) {
            Run r;
            run_begin(&r);
            const float *a = input(&r, types[t], M * K, 1), *b = input(&r, types[t], K * N, 2),
                        *c = input(&r, DT_F32, M * N, 3);
            const Tensor *d = output(&r, DT_F32, M * N);
            named(&r, "M", M);
            named(&r, "N", N);
            named(&r, "K", K);
            named(&r, "H", 0);
            precision(&r, how[h].name);
            run_ok(&r, product, 1);
            float x[M * K], y[K * N];
            bool differs = false;
            for (int i = 0; i < M * K; i++) x[i] = without(a[i], types[t] == DT_F32 ? how[h].cut : 0);
            for (int i = 0; i < K * N; i++) y[i] = without(b[i], types[t] == DT_F32 ? how[h].cut : 0);
            for (int i = 0; i < M; i++)
                for (int j = 0; j < N; j++) {
                    near(d, i * N + j, in_order(x + i * K, y + j, N, K, c[i * N + j], false), 0);
                    differs |= at(d, i * N + j) != in_order(a + i * K, b + j, N, K, c[i * N + j], false);
                }
            assert_int_equal(differs, types[t] == DT_F32 && how[h].cut > 0);
            run_end(&r);
        }
}

static void test_order(void **state) {
    (void)state;
    static const DType types[] = {DT_F32, DT_F16, DT_BF16, DT_F16};
    static const int sizes[][3] = {{16, 16, 16}, {1, 1, 16}, {4, 32, 64}, {2, 128, 32}};
    for (int t = 0; t < 4; t++)
        for (int z = 0; z < 4; z++) {
            Run r;
            run_begin(&r);
            int M = sizes[z][0], N = sizes[z][1], K = sizes[z][2];
            bool h = t == 3;
            const float *a = input(&r, types[t], (int64_t)M * K, 1),
                        *b = input(&r, types[t], (int64_t)K * N, 2),
                        *c = input(&r, DT_F32, (int64_t)M * N, 3);
            const Tensor *d = output(&r, DT_F32, (int64_t)M * N);
            named(&r, "M", M);
            named(&r, "N", N);
            named(&r, "K", K);
            named(&r, "H", h);
            precision(&r, "ieee");
            run_ok(&r, product, 1);
            for (int i = 0; i < M; i++)
                for (int j = 0; j < N; j++)
                    near(d, i * N + j,
                         in_order(a + i * K, b + j, N, K, h ? half(c[i * N + j]) : c[i * N + j], h), 0);
            run_end(&r);
        }
}

// Every instruction set gives the same bits.
static void test_instruction_sets(void **state) {
    (void)state;
    enum { M = 3, N = 70, K = 37 };
    static float a[M * K], b[K * N];
    static int32_t ai[M * K], bi[K * N];
    uint32_t seed = 7;
    for (int i = 0; i < M * K; i++) a[i] = noise(&seed), ai[i] = (int8_t)(seed >> 24);
    for (int i = 0; i < K * N; i++) b[i] = noise(&seed), bi[i] = (int8_t)(seed >> 24);
    for (IsaLevel isa = ISA_BASE; isa <= isa_level(); isa++) {
        const TileLoops *l = tile_loops_of(isa);
        float d[M * N] = {0}, h[M * N] = {0};
        int32_t di[M * N] = {0};
        l->fold->dot[DT_F32](d, a, b, M, N, K);
        l->fold->dot_half(h, a, b, M, N, K);
        l->fold->dot[DT_I8](di, ai, bi, M, N, K);
        for (int i = 0; i < M; i++)
            for (int j = 0; j < N; j++) {
                int64_t sum = 0;
                for (int k = 0; k < K; k++) sum += (int64_t)ai[i * K + k] * bi[k * N + j];
                assert_int_equal(di[i * N + j], sum);
                assert_true(d[i * N + j] == in_order(a + i * K, b + j, N, K, 0, false));
                assert_true(h[i * N + j] == half(in_order(a + i * K, b + j, N, K, 0, true)));
            }
    }
}

// What zeros are multiplied with is left out only where nothing changes: not where a lane is -0, nor where a
// zero meets infinity or NaN.
static void test_zeros_that_are_left_out(void **state) {
    (void)state;
    enum { M = 6, N = 40, K = 24, USED = 5 };
    static float a[M * K], b[K * N], start[M * N];
    uint32_t seed = 11;
    for (IsaLevel isa = ISA_BASE; isa <= isa_level(); isa++)
        for (int turn = 0; turn < 16; turn++) {
            float d[M * N];
            for (int i = 0; i < M * K; i++)
                a[i] = i / K > 3 || i % K > 9 ? (i % 3 ? 0.0F : -0.0F) : noise(&seed);
            for (int i = 0; i < K * N; i++) b[i] = i % N >= USED ? (i % 2 ? 0.0F : -0.0F) : noise(&seed);
            for (int i = 0; i < M * N; i++)
                start[i] = turn & 1 ? (i % 5 ? 0.0F : -0.0F) : i % 7 ? 0.0F : noise(&seed);
            if (turn & 2) b[20 * N + 2] = INFINITY; // in a row that zeros of a meet alone
            if (turn & 4) a[2 * K + 3] = NAN;       // before columns of zeros
            if (turn & 8) start[3 * N + 30] = -INFINITY;
            memcpy(d, start, sizeof d);
            tile_loops_of(isa)->fold->dot[DT_F32](d, a, b, M, N, K);
            for (int i = 0; i < M * N; i++) {
                float want = in_order(a + i / N * K, b + i % N, N, K, start[i], false);
                if (isnan(want))
                    assert_true(isnan(d[i]));
                else
                    assert_memory_equal(&d[i], &want, sizeof want);
            }
        }
}

// A matrix product as it is written: masked edges, an accumulator in a loop.
static const char matmul[] =
    "@triton.jit\n"
    "def k(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, OTHER: tl.constexpr):\n"
    "    rows = tl.program_id(0) * BM + tl.arange(0, BM)\n"
    "    cols = tl.program_id(1) * BN + tl.arange(0, BN)\n"
    "    acc = tl.zeros((BM, BN), dtype=tl.float32)\n"
    "    for k0 in range(0, tl.cdiv(K, BK)):\n"
    "        ks = k0 * BK + tl.arange(0, BK)\n"
    "        if OTHER:\n"
    "            x = tl.load(a + rows[:, None] * K + ks[None, :], mask=(rows[:, None] < M) & (ks[None, :] < "
    "K), other=0.0)\n"
    "            y = tl.load(b + ks[:, None] * N + cols[None, :], mask=(ks[:, None] < K) & (cols[None, :] < "
    "N), other=0.0)\n"
    "        else:\n"
    "            x = tl.load(a + rows[:, None] * K + ks[None, :], mask=rows[:, None] < M)\n"
    "            y = tl.load(b + ks[:, None] * N + cols[None, :], mask=cols[None, :] < N)\n"
    "        acc += tl.dot(x, y)\n"
    "    tl.store(c + rows[:, None] * N + cols[None, :], acc, mask=(rows[:, None] < M) & (cols[None, :] < "
    "N))\n";

static void multiply(int M, int N, int K, bool other, DiagKind want) {
    Run r;
    LaunchText l;
    Launchable k;
    run_begin(&r);
    const float *a = input(&r, DT_F16, (int64_t)M * K, 4), *b = input(&r, DT_F16, (int64_t)K * N, 5);
    const Tensor *c = output(&r, DT_F32, (int64_t)M * N);
    number(&r, M);
    number(&r, N);
    number(&r, K);
    named(&r, "BM", 16);
    named(&r, "BN", 32);
    named(&r, "BK", 16);
    named(&r, "OTHER", other);
    assert_true(launch_text(&r.arena, &r.diags, str_of(matmul), (Str){0}, &l));
    memcpy(l.arg, r.arg, sizeof r.arg);
    l.args = r.args;
    bool ok = launch_check(&l, NULL, &k) &&
              vm_launch(&r.machine, k.code, k.cells, (int64_t[3]){(M + 15) / 16, (N + 31) / 32, 1});
    if (want != DIAG_COUNT) {
        assert_false(ok);
        assert_int_equal(diag_first(&r.diags)->kind, want);
        run_end(&r);
        return;
    }
    if (!ok) fail_msg("%s", diag_first(&r.diags)->msg);
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            double sum = 0;
            for (int x = 0; x < K; x++) sum += (double)a[i * K + x] * b[x * N + j];
            near(c, i * N + j, sum, 1e-5);
        }
    run_end(&r);
}

static void test_matmul(void **state) {
    (void)state;
    multiply(37, 45, 50, true, DIAG_COUNT);
    multiply(16, 32, 16, true, DIAG_COUNT);
    multiply(37, 45, 48, false, DIAG_COUNT); // undefined rows and columns, never stored
    multiply(37, 45, 50, false, DIAG_OOB);   // K without a mask
}

static void test_undefined_products_are_found(void **state) {
    (void)state;
    finds(K("    o = tl.arange(0, 16)\n    m = o[:, None] * 0 + o[None, :]\n    x = tl.load(y + m, mask=m < "
            "0)\n"
            "    x = x.to(tl.float32)\n    z = tl.zeros((16, 16), tl.float32)\n    d = tl.dot(z, x)\n"
            "    tl.store(y + m * 0 + n * 0, tl.sum(d))\n"),
          1, DIAG_UNINIT);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_order),
                                       cmocka_unit_test(test_precisions),
                                       cmocka_unit_test(test_instruction_sets),
                                       cmocka_unit_test(test_zeros_that_are_left_out),
                                       cmocka_unit_test(test_matmul),
                                       cmocka_unit_test(test_undefined_products_are_found)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
