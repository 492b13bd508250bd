#include "model/product/product.h"
#include "base/build.h"
#include "base/isa.h"
#include "model/product/product_loops.h"
#include <assert.h>
#include <stdatomic.h>

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

// The loops are compiled without ThreadSanitizer: what they read and write is told here, before they run.
static void round_one(void *arg, size_t item, int worker) {
    (void)worker;
    const ProductInput *in = arg;
    LOOP_READS(in->x + (int64_t)item * in->stride, (size_t)in->cols);
    LOOP_WRITES((Rounded *)rounded_of(in, (int)item), (size_t)rounded_chunks(in->cols));
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

// One sweep: the rows of all products in pieces, large ones first, so that a thread reads long stretches and
// all end together. A thread takes its next piece before it begins the one it has: what is read ahead is its
// own.
enum { PIECES_MAX = 256, PIECE_BYTES = 64 << 10, MANY_INPUTS = 64 };
typedef struct {
    Pool *pool;
    Piece piece[PIECES_MAX];
    size_t pieces, scratch;
    atomic_size_t next;
} Sweep;

static const Piece *take(Sweep *s) {
    size_t i = atomic_fetch_add_explicit(&s->next, 1, memory_order_relaxed);
    return i < s->pieces ? &s->piece[i] : NULL;
}

static void tell_piece(const Piece *now, char *room) {
    const Product *p = now->p;
    size_t bytes = weight_row_bytes(p->w);
    LOOP_READS(p->w->data + (size_t)now->first * bytes, (size_t)now->rows * bytes);
    LOOP_WRITES(room, loops()->scratch(p));
    for (int i = 0; i < p->in->count; i++) {
        if (type_quantised(p->w->type))
            LOOP_READS(rounded_of(p->in, i), (size_t)rounded_chunks(p->in->cols));
        else
            LOOP_READS(p->in->x + i * p->in->stride, (size_t)p->in->cols);
        LOOP_WRITES(p->y + i * p->stride + now->first, (size_t)now->rows);
    }
}

static void run_pieces(void *arg, size_t item, int worker) {
    (void)item;
    Sweep *s = arg;
    void *room = pool_scratch(s->pool, worker, s->scratch);
    const Piece *then;
    for (const Piece *now = take(s); now; now = then) {
        then = take(s);
        if (BUILD_TSAN) tell_piece(now, room);
        (type_quantised(now->p->w->type) ? loops()->quantised : loops()->floats)(now, then, room);
    }
}

void product_run(Pool *pool, const Product *p, int n) {
    assert(n <= PRODUCTS_MAX);
    Sweep s = {.pool = pool};
    int64_t left = 0, tile = loops()->tile, least = PIECE_BYTES;
    for (int i = 0; i < n; i++) {
        assert(p[i].w->cols == p[i].in->cols);
        left += p[i].w->rows * (int64_t)weight_row_bytes(p[i].w);
        size_t scratch = loops()->scratch(&p[i]);
        if (scratch > s.scratch) s.scratch = scratch;
    }
    // Of many inputs a few rows are work enough for a thread.
    if (p->in->count >= MANY_INPUTS) least = PIECE_BYTES / MANY_INPUTS;
    if (least < left / (PIECES_MAX / 4)) least = left / (PIECES_MAX / 4);
    for (int i = 0; i < n; i++) {
        int64_t bytes = (int64_t)weight_row_bytes(p[i].w) + 1; // never none
        for (int64_t row = 0; row < p[i].w->rows;) {
            int64_t rest = p[i].w->rows - row, share = left / (4 * pool_size(pool));
            int64_t rows = ((share > least ? share : least) / bytes + tile) / tile * tile;
            if (rows > rest || s.pieces == PIECES_MAX - (size_t)(n - i)) rows = rest;
            s.piece[s.pieces++] = (Piece){&p[i], row, rows};
            row += rows;
            left -= rows * bytes;
        }
    }
    size_t threads = (size_t)pool_size(pool);
    pool_run(pool, s.pieces < threads ? s.pieces : threads, run_pieces, &s);
}
