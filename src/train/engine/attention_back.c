// The way back through causal attention, a head at a time and ROWS queries at a time: weights are computed
// again from q and k, so that nothing of the size length x length is ever kept.
#include "train/engine/room.h"
#include <math.h>

enum { ROWS = 64 };

// Documents of one head of keys and values; every head of queries that reads it adds to the same dk and dv.
typedef struct {
    const AttentionBack *a;
    int longest;
} Work;

typedef struct {
    const AttentionBack *a;
    int first, head; // row of the document's first token
} Head;

// Queries [at, at + rows) of a document; p and dp: room for their weights.
static void rows_back(const Head *h, int at, int rows, float *p, float *dp) {
    const AttentionBack *a = h->a;
    int first = h->first, head = h->head;
    int q_stride = a->heads * a->dim, kv_stride = a->kv_heads * a->dim, seen = at + rows;
    int shared = head / (a->heads / a->kv_heads);
    size_t q_row = (size_t)(first + at) * (size_t)q_stride + (size_t)(head * a->dim);
    size_t kv_row = (size_t)first * (size_t)kv_stride + (size_t)(shared * a->dim);
    const float *q = a->q + q_row, *dmixed = a->dmixed + q_row, *k = a->k + kv_row, *v = a->v + kv_row;
    float scale = 1 / sqrtf((float)a->dim);
    Gemm scores = {.b_turned = true,
                   .m = rows,
                   .n = seen,
                   .k = a->dim,
                   .a = q,
                   .b = k,
                   .c = p,
                   .a_stride = q_stride,
                   .b_stride = kv_stride,
                   .c_stride = seen};
    gemm_alone(&scores);
    Gemm weights = scores;
    weights.a = dmixed, weights.b = v, weights.c = dp;
    gemm_alone(&weights);
    for (int i = 0; i < rows; i++) {
        size_t n = (size_t)(at + i + 1), row = (size_t)i * (size_t)seen;
        a->loops->softmax(p + row, scale, n);
        a->loops->softmax_back(p + row, dp + row, scale, n);
        for (size_t j = n; j < (size_t)seen; j++) p[row + j] = dp[row + j] = 0;
    }
    Gemm dq = {.m = rows,
               .n = a->dim,
               .k = seen,
               .a = dp,
               .b = k,
               .c = a->dq + q_row,
               .a_stride = seen,
               .b_stride = kv_stride,
               .c_stride = q_stride};
    gemm_alone(&dq);
    Gemm dk = {.a_turned = true,
               .m = seen,
               .n = a->dim,
               .k = rows,
               .a = dp,
               .b = q,
               .c = a->dk + kv_row,
               .a_stride = seen,
               .b_stride = q_stride,
               .c_stride = kv_stride,
               .beta = 1};
    gemm_alone(&dk);
    Gemm dv = dk;
    dv.a = p, dv.b = dmixed, dv.c = a->dv + kv_row;
    gemm_alone(&dv);
}

static void run_item(void *arg, size_t item, int worker) {
    const Work *w = arg;
    const AttentionBack *a = w->a;
    int document = (int)item / a->kv_heads, shared = (int)item % a->kv_heads, group = a->heads / a->kv_heads;
    int first = a->first[document], length = a->first[document + 1] - first;
    size_t kv_stride = (size_t)(a->kv_heads * a->dim);
    for (int i = first; i < first + length; i++) {
        memset(a->dk + (size_t)i * kv_stride + shared * a->dim, 0, (size_t)a->dim * sizeof(float));
        memset(a->dv + (size_t)i * kv_stride + shared * a->dim, 0, (size_t)a->dim * sizeof(float));
    }
    size_t block = (size_t)ROWS * (size_t)w->longest;
    float *p = pool_scratch(a->pool, worker, 2 * block * sizeof(float));
    for (int head = shared * group; head < (shared + 1) * group; head++)
        for (int at = 0; at < length; at += ROWS)
            rows_back(&(Head){a, first, head}, at, length - at < ROWS ? length - at : ROWS, p, p + block);
}

void attention_back(const AttentionBack *a) {
    Work w = {.a = a};
    for (int i = 0; i < a->documents; i++)
        if (a->first[i + 1] - a->first[i] > w.longest) w.longest = a->first[i + 1] - a->first[i];
    pool_run(a->pool, (size_t)(a->documents * a->kv_heads), run_item, &w);
}
