#include "model/product.h"
#include "base/isa.h"
#include "model/product_loops.h"
#include <assert.h>

static const ProductLoops *choose(void) {
#if defined(__x86_64__) && !defined(PORTABLE)
    __builtin_cpu_init();
    if (isa_level() >= ISA_AVX512 && __builtin_cpu_supports("avx512vnni") &&
        __builtin_cpu_supports("avx512vbmi"))
        return &product_vnni;
    // F16C is older than AVX2: no processor has one without the other.
    if (isa_level() >= ISA_AVX2 && __builtin_cpu_supports("fma")) return &product_avx2;
#endif
    return &product_base;
}

static const ProductLoops *loops(void) {
    static const ProductLoops *_Atomic chosen; // every thread would choose the same
    const ProductLoops *l = chosen;
    if (!l) chosen = l = choose();
    return l;
}

size_t product_room(int64_t cols, int count) {
    return (size_t)rounded_chunks(cols) * (size_t)count * sizeof(Rounded) + 63;
}

static void round_one(void *arg, size_t item, int worker) {
    (void)worker;
    const ProductInput *in = arg;
    loops()->round(in->x + (int64_t)item * in->stride, in->cols, (Rounded *)rounded_of(in, (int)item));
}

void product_prepare(Pool *pool, ProductInput *in, WeightType type) {
    if (!type_quantised(type)) return;
    // Waking a thread costs more than rounding a few inputs.
    if (in->count * in->cols >= 1 << 14) {
        pool_run(pool, (size_t)in->count, round_one, in);
        return;
    }
    for (int i = 0; i < in->count; i++) round_one(in, (size_t)i, 0);
}

// One sweep: the rows of all products in pieces, one after the other.
typedef struct {
    Pool *pool;
    const Product *p;
    int n;
    int64_t piece[PRODUCTS_MAX]; // rows
    size_t end[PRODUCTS_MAX];    // items of this product and those before it
    size_t scratch;
} Sweep;

static void run_piece(void *arg, size_t item, int worker) {
    const Sweep *s = arg;
    int i = 0;
    while (item >= s->end[i]) i++;
    const Product *p = &s->p[i];
    int64_t first = (int64_t)(item - (i ? s->end[i - 1] : 0)) * s->piece[i];
    int64_t rows = p->w->rows - first < s->piece[i] ? p->w->rows - first : s->piece[i];
    void *room = pool_scratch(s->pool, worker, s->scratch);
    (type_quantised(p->w->type) ? loops()->quantised : loops()->floats)(p, first, rows, room);
}

// Pieces are about this large: far above the cost of handing one out, and small enough that threads end
// together.
enum { PIECE_BYTES = 64 << 10, PIECE_WORK = 1 << 20 };

static int64_t piece_rows(const Product *p) {
    int64_t bytes = (int64_t)weight_row_bytes(p->w) + 1, work = p->w->cols * p->in->count + 1;
    int64_t rows = PIECE_BYTES / bytes;
    if (rows > PIECE_WORK / work) rows = PIECE_WORK / work;
    int tile = loops()->tile;
    rows = (rows + tile - 1) / tile * tile;
    return rows < tile ? tile : rows;
}

void product_run(Pool *pool, const Product *p, int n) {
    assert(n <= PRODUCTS_MAX);
    Sweep s = {.pool = pool, .p = p, .n = n};
    size_t items = 0;
    for (int i = 0; i < n; i++) {
        assert(p[i].w->cols == p[i].in->cols);
        s.piece[i] = piece_rows(&p[i]);
        items += (size_t)((p[i].w->rows + s.piece[i] - 1) / s.piece[i]);
        s.end[i] = items;
        size_t scratch = loops()->scratch(&p[i]);
        if (scratch > s.scratch) s.scratch = scratch;
    }
    pool_run(pool, items, run_piece, &s);
}
