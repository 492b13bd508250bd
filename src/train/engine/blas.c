#include "train/engine/blas.h"
#include <cblas.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>

static struct {
    __typeof__(cblas_sgemm) *sgemm;
    __typeof__(openblas_get_config) *config;
    bool one_at_a_time; // see gemm_alone()
    char why[256];
} blas;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;

static void load(void) {
    void *lib = dlopen("libopenblas.so.0", RTLD_NOW | RTLD_LOCAL);
    if (!lib) {
        snprintf(blas.why, sizeof blas.why, "%s", dlerror());
        return;
    }
    __typeof__(openblas_set_num_threads) *threads;
    __typeof__(openblas_get_parallel) *parallel;
    // POSIX: what dlsym() gives may be stored as a function's address.
    *(void **)&blas.sgemm = dlsym(lib, "cblas_sgemm");
    *(void **)&blas.config = dlsym(lib, "openblas_get_config");
    *(void **)&threads = dlsym(lib, "openblas_set_num_threads");
    *(void **)&parallel = dlsym(lib, "openblas_get_parallel");
    if (!blas.sgemm || !blas.config || !threads || !parallel) {
        blas.sgemm = NULL;
        snprintf(blas.why, sizeof blas.why, "libopenblas.so.0 lacks cblas_sgemm");
        return;
    }
    blas.one_at_a_time = parallel() != OPENBLAS_THREAD;
    threads(1); // ours call it; the variant with threads of its own would run them against ours
}

bool blas_open(Err *e) {
    pthread_once(&once, load);
    if (blas.sgemm) return true;
    return err_set(e, ERR_IO, "training needs OpenBLAS (apt-get install libopenblas0-pthread): %s", blas.why);
}

const char *blas_config(void) { return blas.config(); }

// Debian's OpenBLAS without threads has no lock around its buffer: two calls at once would spoil each other.
void gemm_alone(const Gemm *g) {
    if (!g->m || !g->n) return;
    if (blas.one_at_a_time) pthread_mutex_lock(&turn);
    blas.sgemm(CblasRowMajor, g->a_turned ? CblasTrans : CblasNoTrans,
               g->b_turned ? CblasTrans : CblasNoTrans, g->m, g->n, g->k, 1, g->a, g->a_stride, g->b,
               g->b_stride, g->beta, g->c, g->c_stride);
    if (blas.one_at_a_time) pthread_mutex_unlock(&turn);
}

// A piece is worth a thread from this many multiplications on.
enum { PIECE_WORK = 1 << 21, PIECES_MAX = 32, PIECE_ROWS = 16 };

typedef struct {
    const Gemm *g;
    int pieces;
    bool by_rows; // of c; else by columns
} Cut;

static void run_piece(void *arg, size_t item, int worker) {
    const Cut *cut = arg;
    (void)worker;
    Gemm g = *cut->g;
    int whole = cut->by_rows ? g.m : g.n, unit = PIECE_ROWS;
    int units = (whole + unit - 1) / unit;
    int from = (int)((int64_t)units * (int64_t)item / cut->pieces) * unit;
    int to = (int)((int64_t)units * ((int64_t)item + 1) / cut->pieces) * unit;
    if (to > whole) to = whole;
    if (cut->by_rows) {
        g.a += (size_t)from * (g.a_turned ? 1 : (size_t)g.a_stride);
        g.c += (size_t)from * (size_t)g.c_stride;
        g.m = to - from;
    } else {
        g.b += (size_t)from * (g.b_turned ? (size_t)g.b_stride : 1);
        g.c += from;
        g.n = to - from;
    }
    gemm_alone(&g);
}

void gemm_run(Pool *pool, const Gemm *g) {
    double work = (double)g->m * g->n * g->k;
    Cut cut = {.g = g, .by_rows = g->m >= g->n};
    int units = ((cut.by_rows ? g->m : g->n) + PIECE_ROWS - 1) / PIECE_ROWS;
    cut.pieces = work / PIECE_WORK > PIECES_MAX ? PIECES_MAX : (int)(work / PIECE_WORK);
    if (cut.pieces > units) cut.pieces = units;
    if (cut.pieces <= 1) {
        gemm_alone(g);
        return;
    }
    pool_run(pool, (size_t)cut.pieces, run_piece, &cut);
}
