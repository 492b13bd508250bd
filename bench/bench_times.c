// How well the rank model orders right kernels of one op, against times measured on an H200 (h200_times.tsv:
// the smith's kernels and the built-in ones, their counters from one quick judgement, medians of the GPU's
// own clock with a flushed L2; test/conformance/gpu.py measured them).
//   bench_times [file]
// What matters to mint is the pick: the time of the kernel that the model puts first over that of the fastest
// one measured, within an op, a shape and a dtype; beside it the same for a kernel taken at random.
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "bench.h"
#include "rank/rank.h"
#include "spearman.h"

enum { KERNELS_MAX = 4000, SHAPES = 3, DTYPES = 2, CELLS = SHAPES * DTYPES };
static const struct { int64_t m, n; } shapes[SHAPES] = {{4096, 4096}, {16384, 2048}, {1024, 4096}};

typedef struct {
    char op[64], schedule[96];
    Counters count;
    RankCase facts;
    double us[CELLS], model[CELLS];
} Kernel;

static Kernel kernel[KERNELS_MAX];

static bool kernel_read(FILE *f, Kernel *k) {
    Counters *c = &k->count;
    RankCase *r = &k->facts;
    int has_rows;
    int got = fscanf(f, " %63[^\t]\t%95[^\t]", k->op, k->schedule);
    got += fscanf(
        f, "%" SCNd64 "%" SCNd64 "%" SCNd64 "%" SCNd64 "%" SCNd64 "%" SCNd64 "%" SCNd64 "%" SCNd64 "%" SCNd64,
        &c->lanes, &c->instructions, &c->programs, &c->launches, &c->bytes_loaded, &c->bytes_stored,
        &c->bytes_copied, &c->tile_bytes, &c->warps);
    got += fscanf(f, "%" SCNd64 "%" SCNd64 "%d%d%lf%lf", &r->rows, &r->row, &has_rows, &r->elem_bytes,
                  &r->row_bytes, &r->shared_bytes);
    r->has_rows = has_rows;
    for (int i = 0; i < CELLS; i++) got += fscanf(f, "%lf", &k->us[i]);
    return got == 2 + 9 + 6 + CELLS;
}

static void estimate(const Target *t, Kernel *k) {
    for (int i = 0; i < CELLS; i++) {
        RankShape at = {shapes[i / DTYPES].m, shapes[i / DTYPES].n, i % DTYPES ? 4 : 2};
        k->model[i] = rank_estimate(t, &k->count, &k->facts, &at);
    }
}

static void print_cell(int n, int cell) {
    static double us[KERNELS_MAX], model[KERNELS_MAX];
    for (int i = 0; i < n; i++) us[i] = kernel[i].us[cell], model[i] = kernel[i].model[cell];
    double rho = spearman(model, us, n), model_us = bench_median(model, n), real_us = bench_median(us, n);
    printf("  %5lldx%-6lld %s %9.3f %8.1f us %8.1f us\n", (long long)shapes[cell / DTYPES].m,
           (long long)shapes[cell / DTYPES].n, cell % DTYPES ? "fp32" : "fp16", rho, model_us, real_us);
}

// Kernels of one op stand together in the file. Appends to the two lists for each cell of the op.
static void pick(const Kernel *k, int n, double *picked, int *picks, double *any, int *anys) {
    for (int c = 0; c < CELLS; c++) {
        int best = 0, first = 0;
        for (int i = 1; i < n; i++) {
            if (k[i].us[c] < k[best].us[c]) best = i;
            if (k[i].model[c] < k[first].model[c]) first = i;
        }
        picked[(*picks)++] = k[first].us[c] / k[best].us[c];
        for (int i = 0; i < n; i++) any[(*anys)++] = k[i].us[c] / k[best].us[c];
    }
}

static int up(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static void print_ratios(const char *what, double *x, int n) {
    qsort(x, (size_t)n, sizeof *x, up);
    printf("  %-26s median %.3f, 90th percentile %.3f of the fastest kernel's time\n", what, x[n / 2],
           x[n * 9 / 10]);
}

int main(int argc, char **argv) {
    const char *path = argc > 1 ? argv[1] : "bench/h200_times.tsv";
    Err e = {0};
    const Target *target;
    FILE *f = fopen(path, "re");
    if (!f || !target_by_name("h200", &target, &e)) return fprintf(stderr, "bench_times: %s\n", path), 1;
    for (int c = getc(f); c != '\n' && c != EOF;) c = getc(f); // names of the columns
    int n = 0;
    while (n < KERNELS_MAX && kernel_read(f, &kernel[n])) estimate(target, &kernel[n++]);
    bool whole = feof(f);
    fclose(f);
    if (!whole || n < 2) return fprintf(stderr, "bench_times: %s: line %d is not a kernel\n", path, n + 2), 1;

    static double picked[KERNELS_MAX * CELLS], any[KERNELS_MAX * CELLS];
    int picks = 0, anys = 0, ops = 0;
    printf("rank model against times measured on an H200\n  %d kernels, %d cells\n", n, n * CELLS);
    printf("  shape       dtype  Spearman     model    measured\n");
    for (int c = 0; c < CELLS; c++) print_cell(n, c);
    for (int i = 0, j; i < n; i = j, ops++) {
        for (j = i + 1; j < n && strcmp(kernel[j].op, kernel[i].op) == 0; j++)
            ;
        if (j - i >= 4) pick(&kernel[i], j - i, picked, &picks, any, &anys);
    }
    print_ratios("the model's pick of an op:", picked, picks);
    print_ratios("a kernel at random:", any, anys);
    return 0;
}
