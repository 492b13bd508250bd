#include "model/attention.h"
#include "base/isa.h"
#include <math.h>

// Rows (a head of a token) that one item gathers at the same time: keys come from memory once for them.
enum { ROWS_MAX = 128 };

const AttentionLoops *attention_loops(void) {
#ifdef PORTABLE
    return &attention_loops_base;
#else
    static const AttentionLoops *const table[ISA_COUNT] = {&attention_loops_base, &attention_loops_avx2,
                                                           &attention_loops_avx512};
    return table[isa_level()];
#endif
}

// The rows that a worker gathers.
typedef struct {
    float *out, *top, *sum;
} Room;

static Room room_at(Pool *pool, int worker, int padded) {
    float *out = pool_scratch(pool, worker, (size_t)(padded + 2) * ROWS_MAX * sizeof(float));
    return (Room){out, out + ROWS_MAX * padded, out + ROWS_MAX * (padded + 1)};
}

// How the work is cut: a head of the cache, `heads` of the query heads that read it, `tokens` in a row.
typedef struct {
    const Attention *a;
    Pool *pool;
    const AttentionLoops *loops;
    int group, parts, heads; // query heads of a cached head; into how many parts; heads in each
    int tokens, chunks;
} Work;

static Work work_of(const Attention *a, Pool *pool) {
    int threads = pool_size(pool);
    Work w = {.a = a, .pool = pool, .loops = attention_loops(), .group = a->heads / a->kv->heads};
    // Few tokens: several threads share the heads of a group.
    w.heads = w.group < ROWS_MAX ? w.group : ROWS_MAX;
    w.tokens = ROWS_MAX / w.heads;
    if (w.tokens > 16) w.tokens = 16;
    w.chunks = (a->count + w.tokens - 1) / w.tokens;
    while (w.heads > ATTENTION_ROWS &&
           a->kv->heads * w.chunks * ((w.group + w.heads - 1) / w.heads) < threads)
        w.heads = (w.heads + 1) / 2;
    w.parts = (w.group + w.heads - 1) / w.heads;
    return w;
}

typedef struct {
    int kv_head, head, heads; // query heads `head` to `head + heads - 1`
    int from, to;             // tokens
} Item;

static Item item_of(const Work *w, size_t index) {
    int i = (int)index, chunk = w->chunks - 1 - i % w->chunks; // the longest first
    int part = i / w->chunks % w->parts, kv_head = i / w->chunks / w->parts;
    Item t = {.kv_head = kv_head, .head = kv_head * w->group + part * w->heads, .heads = w->heads};
    int end = (kv_head + 1) * w->group;
    if (t.head + t.heads > end) t.heads = end - t.head;
    t.from = chunk * w->tokens;
    t.to = t.from + w->tokens < w->a->count ? t.from + w->tokens : w->a->count;
    return t;
}

// Tokens from `token` on that read a block together: of one sequence, one behind the other, and all see all
// of it or each one position more than the one before.
static int tokens_together(const Work *w, const Item *t, int token, int block) {
    const Attention *a = w->a;
    int n = 1, seen = a->place[token].position + 1 - block * KV_PAGE;
    while (n < ATTENTION_ROWS && token + n < t->to && a->seq[token + n] == a->seq[token] &&
           a->place[token + n].position == a->place[token].position + n &&
           (seen >= KV_PAGE || seen + n <= KV_PAGE))
        n++;
    return n;
}

// Rows of a block: the heads of one token where there are enough of them, else tokens of one head after the
// other. Returns how many tokens were done. What is computed for a row does not depend on the others.
static int token_block(const Work *w, const Item *t, int token, int block, const Room *r) {
    const Attention *a = w->a;
    int dim = a->kv->dim, padded = a->kv->padded, seen = a->place[token].position + 1 - block * KV_PAGE;
    int page = a->kv->sequence[a->seq[token]].page[block];
    bool by_head = t->heads >= ATTENTION_ROWS;
    int tokens = by_head ? 1 : tokens_together(w, t, token, block), each = by_head ? ATTENTION_ROWS : 1;
    for (int h = 0; h < t->heads; h += each) {
        int row = (token - t->from) * t->heads + h, left = t->heads - h;
        w->loops->block(&(AttentionBlock){
            .k = kv_keys(a->kv, page, a->layer, t->kv_head),
            .v = kv_values(a->kv, page, a->layer, t->kv_head),
            .half = a->kv->type == KV_F16,
            .q = a->q + ((size_t)token * (size_t)a->heads + (size_t)(t->head + h)) * (size_t)dim,
            .q_stride = (size_t)(by_head ? dim : a->heads * dim),
            .out = r->out + row * padded,
            .top = r->top + row,
            .sum = r->sum + row,
            .row_stride = by_head ? 1 : t->heads,
            .rows = by_head ? (left < each ? left : each) : tokens,
            .keys = seen < KV_PAGE ? seen : KV_PAGE,
            .more = !by_head && seen < KV_PAGE,
            .dim = dim,
            .padded = padded,
            .scale = 1.0f / sqrtf((float)dim)});
    }
    return tokens;
}

static void run_item(void *arg, size_t index, int worker) {
    const Work *w = arg;
    const Attention *a = w->a;
    Item t = item_of(w, index);
    Room r = room_at(w->pool, worker, a->kv->padded);
    int dim = a->kv->dim, padded = a->kv->padded, rows = (t.to - t.from) * t.heads, blocks = 0;
    memset(r.out, 0, (size_t)(rows * padded) * sizeof *r.out);
    for (int i = 0; i < rows; i++) r.top[i] = -INFINITY, r.sum[i] = 0;
    for (int i = t.from; i < t.to; i++) {
        int n = a->place[i].position / KV_PAGE + 1;
        if (n > blocks) blocks = n;
    }
    // Tokens within blocks: a page is read once for all that share it.
    for (int b = 0; b < blocks; b++)
        for (int i = t.from; i < t.to;)
            i += b * KV_PAGE <= a->place[i].position ? token_block(w, &t, i, b, &r) : 1;
    for (int i = t.from, row = 0; i < t.to; i++)
        for (int h = 0; h < t.heads; h++, row++) {
            float *out = a->out + ((size_t)i * (size_t)a->heads + (size_t)(t.head + h)) * (size_t)dim;
            float share = 1 / r.sum[row];
            for (int d = 0; d < dim; d++) out[d] = r.out[row * padded + d] * share;
        }
}

void attention_run(Pool *pool, const Attention *a) {
    Work w = work_of(a, pool);
    pool_run(pool, (size_t)(a->kv->heads * w.parts * w.chunks), run_item, &w);
}
