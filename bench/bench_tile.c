// Tile arithmetic and reductions of the VM against the same loops in C, on float32 tiles of 1,024 lanes. Both
// sides run interleaved in one process; medians of 15 runs. The C loops are what gcc makes of the plain
// source at -O3 for this machine's vectors.
#include <string.h>

#include "bench.h"
#include "plain.h"
#include "tile/check/check.h"

enum { LANES = PLAIN_LANES, ROUNDS = 4000, RUNS = 15 };

static const char *const source = "@triton.jit\n"
                                  "def arithmetic(x_ptr, y_ptr, o_ptr, R, B: tl.constexpr):\n"
                                  "    c = tl.arange(0, B)\n"
                                  "    x = tl.load(x_ptr + c)\n"
                                  "    y = tl.load(y_ptr + c)\n"
                                  "    acc = x\n"
                                  "    for i in range(0, R):\n"
                                  "        acc = acc * x + y\n"
                                  "    tl.store(o_ptr + c, acc)\n"
                                  "@triton.jit\n"
                                  "def reduction(x_ptr, y_ptr, o_ptr, R, B: tl.constexpr):\n"
                                  "    c = tl.arange(0, B)\n"
                                  "    x = tl.load(x_ptr + c)\n"
                                  "    s = tl.sum(x, axis=0)\n"
                                  "    for i in range(0, R):\n"
                                  "        s = s + tl.sum(x, axis=0)\n"
                                  "    tl.store(o_ptr + c, x + s)\n";

typedef struct {
    const char *name;
    void (*c)(const float *x, const float *y, float *out, int rounds);
} Case;

// The same tree of halves that the VM documents.
PLAIN_CODE static void c_reduction(const float *x, const float *y, float *out, int rounds) {
    (void)y;
    float s = 0, t[LANES / 2];
    for (int r = 0; r <= rounds; r++) {
        for (int i = 0; i < LANES / 2; i++) t[i] = x[i] + x[i + LANES / 2];
        for (int n = LANES / 4; n >= 1; n /= 2)
            for (int i = 0; i < n; i++) t[i] = t[i] + t[i + n];
        s = r ? s + t[0] : t[0];
        __asm__ volatile("" ::: "memory");
    }
    for (int i = 0; i < LANES; i++) out[i] = x[i] + s;
}

static Tensor make(Machine *m, const float *values, bool read_only) {
    Tensor t = {.dtype = DT_F32, .rank = 1, .shape = {LANES}, .stride = {1}};
    bool ok = read_only ? storage_wrap(&m->storages, DT_F32, values, LANES * sizeof(float), &t.storage)
                        : storage_new(&m->storages, DT_F32, LANES * sizeof(float), &t.storage);
    if (!ok) exit(1);
    if (read_only) tensor_expose(&t, SHADOW_ALLOC | SHADOW_INIT);
    return t;
}

static double run_vm(const Node *module, const char *kernel, const float *x, const float *y, float *out) {
    Arena a = {0};
    DiagList diags = DIAGS(&a);
    Machine m;
    machine_init(&m, &a, &diags, (int64_t)1 << 40);
    Tensor tx = make(&m, x, true), ty = make(&m, y, true), to = make(&m, NULL, false);
    LaunchArg arg[5] = {{.kind = ARG_TENSOR, .tensor = &tx},
                        {.kind = ARG_TENSOR, .tensor = &ty},
                        {.kind = ARG_TENSOR, .tensor = &to},
                        {.kind = ARG_PLAIN, .value = {.kind = PY_INT, .i = ROUNDS}},
                        {.kind = ARG_PLAIN, .name = STR("B"), .value = {.kind = PY_INT, .i = LANES}}};
    Binding b;
    Launchable l;
    const int64_t grid[3] = {1, 1, 1};
    if (!launch_bind(&a, &(LaunchCall){module, module_function(module, str_of(kernel)), arg, 5, {0}}, &b,
                     &diags) ||
        !kernel_check(&a, NULL, &b, &l, &diags)) {
        fprintf(stderr, "%s\n", diag_first(&diags)->msg);
        exit(1);
    }
    double t0 = clock_seconds();
    if (!vm_launch(&m, l.code, l.cells, grid)) {
        fprintf(stderr, "%s\n", diag_first(&diags)->msg);
        exit(1);
    }
    double t = clock_seconds() - t0;
    memcpy(out, to.storage->data, LANES * sizeof(float));
    arena_free(&a);
    return t;
}

int main(void) {
    static const Case cases[] = {{"arithmetic", plain_arithmetic}, {"reduction", c_reduction}};
    Arena a = {0};
    DiagList diags = DIAGS(&a);
    const Node *module = parse_module(&a, str_of(source), &diags);
    static float x[LANES], y[LANES], vm_out[LANES], c_out[LANES];
    for (int i = 0; i < LANES; i++) x[i] = 0.5f + (float)i / (4 * LANES), y[i] = 1.0f / (float)(i + 1);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        double vm[RUNS], c[RUNS];
        for (int r = 0; r < RUNS; r++) {
            vm[r] = run_vm(module, cases[k].name, x, y, vm_out);
            double t0 = clock_seconds();
            cases[k].c(x, y, c_out, ROUNDS);
            c[r] = clock_seconds() - t0;
        }
        if (memcmp(vm_out, c_out, sizeof c_out) != 0) {
            fprintf(stderr, "bench_tile: %s: the two sides disagree\n", cases[k].name);
            return 1;
        }
        double tv = bench_median(vm, RUNS), tc = bench_median(c, RUNS);
        printf("tile %-10s fp32 x %d: VM %.3f ns a lane, C %.3f ns a lane, ratio %.2f\n", cases[k].name,
               LANES, 1e9 * tv / ROUNDS / LANES, 1e9 * tc / ROUNDS / LANES, tv / tc);
    }
    arena_free(&a);
    return 0;
}
