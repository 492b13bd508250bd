// product_float_impl.h - products with F32, F16 and BF16 weights, for the files of one instruction set. They
// define, for sixteen lanes: V, v_zero(), v_fma(a, b, c), v_of(type, bytes): sixteen stored weights as
// float32, v_tree(v): the sum of the definition; and how much their registers hold: ROWS_AT_ONCE times
// INPUTS_AT_ONCE (2 or 4), and ROWS_ALONE for one input. With V_TREES also v_trees(lane, y, stride): the sums
// of all those rows and inputs at once, row by row next to each other for an input; the bits of v_tree().
#include "model/product/product_loops.h"

// `rows` rows times n inputs, both constant where this is called.
static inline __attribute__((always_inline)) void float_block(WeightType t, const Product *p, int64_t row,
                                                              int rows, int input, int n) {
    enum { MOST = ROWS_ALONE > ROWS_AT_ONCE ? ROWS_ALONE : ROWS_AT_ONCE };
    size_t size = t == W_F32 ? 4 : 2, bytes = weight_row_bytes(p->w);
    const uint8_t *w = p->w->data + (size_t)row * bytes;
    const float *x = p->in->x + input * p->in->stride;
    int64_t cols = p->w->cols, c = 0;
    V lane[MOST][INPUTS_AT_ONCE];
    for (int r = 0; r < rows; r++)
        for (int i = 0; i < n; i++) lane[r][i] = v_zero();
    for (; c + FLOAT_LANES <= cols; c += FLOAT_LANES) {
        V in[INPUTS_AT_ONCE];
        for (int i = 0; i < n; i++) in[i] = v_of(W_F32, (const uint8_t *)(x + i * p->in->stride + c));
        for (int r = 0; r < rows; r++) {
            V one = v_of(t, w + (size_t)r * bytes + (size_t)c * size);
            for (int i = 0; i < n; i++) lane[r][i] = v_fma(one, in[i], lane[r][i]);
        }
    }
    for (int r = 0; c < cols && r < rows; r++) { // what is left, with zeros behind it
        uint8_t last[64] = {0};
        memcpy(last, w + (size_t)r * bytes + (size_t)c * size, (size_t)(cols - c) * size);
        V one = v_of(t, last);
        for (int i = 0; i < n; i++) {
            uint8_t in[64] = {0};
            memcpy(in, x + i * p->in->stride + c, (size_t)(cols - c) * 4);
            lane[r][i] = v_fma(one, v_of(W_F32, in), lane[r][i]);
        }
    }
#ifdef V_TREES
    if (rows == ROWS_AT_ONCE && n == INPUTS_AT_ONCE) {
        v_trees(lane, p->y + input * p->stride + row, p->stride);
        return;
    }
#endif
    for (int r = 0; r < rows; r++)
        for (int i = 0; i < n; i++) p->y[(input + i) * p->stride + row + r] = v_tree(lane[r][i]);
}

static inline __attribute__((always_inline)) void float_rows(WeightType t, const Product *p, int64_t row,
                                                             int rows) {
    int count = p->in->count, i = 0;
    for (; i + INPUTS_AT_ONCE <= count; i += INPUTS_AT_ONCE) float_block(t, p, row, rows, i, INPUTS_AT_ONCE);
    for (; i + 2 <= count; i += 2) float_block(t, p, row, rows, i, 2);
    for (; i < count; i++) float_block(t, p, row, rows, i, 1);
}

static inline __attribute__((always_inline)) void floats_of(WeightType t, const Product *p, int64_t row,
                                                            int64_t rows) {
    int64_t end = row + rows;
    if (p->in->count == 1) // more rows at once: many sums hide the latency of one
        for (; row + ROWS_ALONE <= end; row += ROWS_ALONE) float_block(t, p, row, ROWS_ALONE, 0, 1);
    for (; row + ROWS_AT_ONCE <= end; row += ROWS_AT_ONCE) float_rows(t, p, row, ROWS_AT_ONCE);
    for (; row < end; row++) float_rows(t, p, row, 1);
}

static void floats(const Piece *now, const Piece *then, void *room) {
    (void)then;
    const Product *p = now->p;
    (void)room;
    if (p->w->type == W_F32)
        floats_of(W_F32, p, now->first, now->rows);
    else if (p->w->type == W_F16)
        floats_of(W_F16, p, now->first, now->rows);
    else
        floats_of(W_BF16, p, now->first, now->rows);
}
