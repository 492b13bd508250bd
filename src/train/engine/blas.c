#include "train/engine/blas.h"
#include "base/isa.h"
#include <cblas.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static struct {
    __typeof__(cblas_sgemm) *sgemm;
    __typeof__(openblas_get_config) *config;
    bool one_at_a_time; // see gemm_alone()
    char why[256];
} blas;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;

// OpenBLAS knows processors by their model number. One that is newer than the library gets kernels without
// AVX, which take more than twice the time of a step: so it is told which to take. It looks while it is
// loaded.
static void *library_open(void) {
    static const char *const kernels[ISA_COUNT] = {NULL, "Haswell", "SkylakeX"}, name[] = "OPENBLAS_CORETYPE";
    const char *kernel = getenv(name) ? NULL : kernels[isa_level()];
    if (kernel) setenv(name, kernel, 1);
    void *lib = dlopen("libopenblas.so.0", RTLD_NOW | RTLD_LOCAL);
    if (kernel) unsetenv(name);
    return lib;
}

static void load(void) {
    void *lib = library_open();
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

// A piece is worth a thread from PIECE_WORK multiplications on. Many numbers of threads divide PIECES: none
// waits for the last piece then. Each piece copies what it reads, which costs up to a seventh of the product
// where it is cut into 30: more than PIECES only of products that are long enough for it. A host has few
// threads and often one.
enum {
    PIECE_WORK = 1 << 20,
    PIECES = 12,
    LONG_WORK = 1 << 27,
    LONG_PIECES = 24,
    HOST_PIECES = 6,
    PIECE_ROWS = 16
};

static int pieces_of(const Pool *pool, const Gemm *g) {
    double work = (double)g->m * g->n * g->k;
    int most = pool_is_host(pool) ? HOST_PIECES : PIECES;
    if (most == PIECES && work / LONG_WORK > PIECES)
        most = work / LONG_WORK > LONG_PIECES ? LONG_PIECES : (int)(work / LONG_WORK);
    return work / PIECE_WORK > most ? most : (int)(work / PIECE_WORK);
}

// c in `down` times `across` pieces.
typedef struct {
    const Gemm *g;
    int down, across;
} Cut;

static int units_of(int n) { return (n + PIECE_ROWS - 1) / PIECE_ROWS; }

// Where piece i of n begins.
static int piece_at(int whole, int i, int n) {
    int at = (int)((int64_t)units_of(whole) * i / n) * PIECE_ROWS;
    return at < whole ? at : whole;
}

static void run_piece(void *arg, size_t item, int worker) {
    const Cut *cut = arg;
    (void)worker;
    Gemm g = *cut->g;
    const int row = (int)item / cut->across, col = (int)item % cut->across;
    const int top = piece_at(g.m, row, cut->down), left = piece_at(g.n, col, cut->across);
    g.m = piece_at(cut->g->m, row + 1, cut->down) - top;
    g.n = piece_at(cut->g->n, col + 1, cut->across) - left;
    g.a += (size_t)top * (g.a_turned ? 1 : (size_t)g.a_stride);
    g.b += (size_t)left * (g.b_turned ? (size_t)g.b_stride : 1);
    g.c += (size_t)top * (size_t)g.c_stride + (size_t)left;
    gemm_alone(&g);
}

static int least_of(int a, int b) { return a < b ? a : b; }

void gemm_run(Pool *pool, const Gemm *g) {
    const int pieces = pieces_of(pool, g);
    if (pieces <= 1) {
        gemm_alone(g);
        return;
    }
    // Each piece copies its rows of a and its columns of b: of the cuts into nearly as many pieces as there
    // may be, the one that copies least.
    Cut cut = {g, 1, 1};
    double least = 0;
    for (int down = least_of(pieces, units_of(g->m)); down >= 1; down--) {
        const int across = least_of(pieces / down, units_of(g->n));
        const double copied = (double)across * g->m + (double)down * g->n;
        if (4 * down * across < 3 * pieces || (least > 0 && copied >= least)) continue;
        cut.down = down;
        cut.across = across;
        least = copied;
    }
    if (least == 0) { // too small for so many
        cut.down = least_of(pieces, units_of(g->m));
        cut.across = least_of(pieces / cut.down, units_of(g->n));
    }
    pool_run(pool, (size_t)cut.down * (size_t)cut.across, run_piece, &cut);
}
