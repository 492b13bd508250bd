// product_float_impl.h - products with F32, F16 and BF16 weights, for the files of one instruction set. They
// define, for sixteen lanes: V, v_zero(), v_fma(a, b, c), v_of(type, bytes): sixteen stored weights as
// float32, v_tree(v): the sum of the definition; and how much their registers hold: ROWS_AT_ONCE times
// INPUTS_AT_ONCE (2 or 4), and ROWS_ALONE for one input. With V_TREES also v_trees(lane, y, stride): the sums
// of all those rows and inputs at once, row by row next to each other for an input; the bits of v_tree().
#include "model/product/product_loops.h"

enum {
    ROWS_MOST = ROWS_ALONE > ROWS_AT_ONCE ? ROWS_ALONE : ROWS_AT_ONCE,
    STRIP = 768, // columns of a strip: a multiple of FLOAT_LANES
    INPUTS_SHARED =
        2 * INPUTS_AT_ONCE, // whose strips the nearest cache holds beside those of ROWS_AT_ONCE rows
    PANEL = 64,
    PANEL_BYTES = 256 << 10, // at most: what the next cache holds for all inputs
    PANEL_INPUTS = 32,       // from so many on
    NARROW = 64,             // fewer columns than this
    NARROW_ROWS = 256,       // at once
};
typedef V Block[ROWS_MOST][INPUTS_AT_ONCE]; // sums of `rows` rows and n inputs, not yet added across lanes
#define ALWAYS static inline __attribute__((always_inline))

// Some rows times some inputs; `rows` and `n` are constant where one is made.
typedef struct {
    const Product *p;
    int64_t row;
    int rows, input, n;
} Tile;

// Columns [c, end) are added to `lane`. An end that is not that of the rows is a multiple of FLOAT_LANES.
ALWAYS void float_add(WeightType t, Tile b, int64_t c, int64_t end, Block lane) {
    const Product *p = b.p;
    size_t size = t == W_F32 ? 4 : 2, bytes = weight_row_bytes(p->w);
    const uint8_t *w = p->w->data + (size_t)b.row * bytes;
    const float *x = p->in->x + b.input * p->in->stride;
    for (; c + FLOAT_LANES <= end; c += FLOAT_LANES) {
        V in[INPUTS_AT_ONCE];
        for (int i = 0; i < b.n; i++) in[i] = v_of(W_F32, (const uint8_t *)(x + i * p->in->stride + c));
        for (int r = 0; r < b.rows; r++) {
            V one = v_of(t, w + (size_t)r * bytes + (size_t)c * size);
            for (int i = 0; i < b.n; i++) lane[r][i] = v_fma(one, in[i], lane[r][i]);
        }
    }
    for (int r = 0; c < end && r < b.rows; r++) { // what is left, with zeros behind it
        uint8_t last[64] = {0};
        memcpy(last, w + (size_t)r * bytes + (size_t)c * size, (size_t)(end - c) * size);
        V one = v_of(t, last);
        for (int i = 0; i < b.n; i++) {
            uint8_t in[64] = {0};
            memcpy(in, x + i * p->in->stride + c, (size_t)(end - c) * 4);
            lane[r][i] = v_fma(one, v_of(W_F32, in), lane[r][i]);
        }
    }
}

ALWAYS void float_put(Tile b, Block lane) {
    const Product *p = b.p;
#ifdef V_TREES
    if (b.rows == ROWS_AT_ONCE && b.n == INPUTS_AT_ONCE) {
        v_trees(lane, p->y + b.input * p->stride + b.row, p->stride);
        return;
    }
#endif
    for (int r = 0; r < b.rows; r++)
        for (int i = 0; i < b.n; i++) p->y[(b.input + i) * p->stride + b.row + r] = v_tree(lane[r][i]);
}

ALWAYS void float_zero(int rows, int n, Block lane) {
    for (int r = 0; r < rows; r++)
        for (int i = 0; i < n; i++) lane[r][i] = v_zero();
}

ALWAYS void float_block(WeightType t, const Product *p, int64_t row, int rows, int input, int n) {
    Block lane;
    float_zero(rows, n, lane);
    const Tile b = {p, row, rows, input, n};
    float_add(t, b, 0, p->w->cols, lane);
    float_put(b, lane);
}

// Inputs from `input` on.
ALWAYS void float_rows(WeightType t, const Product *p, int64_t row, int rows, int input) {
    int count = p->in->count, i = input;
    for (; i + INPUTS_AT_ONCE <= count; i += INPUTS_AT_ONCE) float_block(t, p, row, rows, i, INPUTS_AT_ONCE);
    for (; i + 2 <= count; i += 2) float_block(t, p, row, rows, i, 2);
    for (; i < count; i++) float_block(t, p, row, rows, i, 1);
}

// The same of ROWS_AT_ONCE rows that lie as float_pack() puts them, with INPUTS_AT_ONCE inputs.
ALWAYS void packed_add(const float *w, const Product *p, int input, int64_t c, int64_t end, Block lane) {
    const float *x = p->in->x + input * p->in->stride;
    for (w += c * ROWS_AT_ONCE; c < end; c += FLOAT_LANES, w += ROWS_AT_ONCE * FLOAT_LANES) {
        V in[INPUTS_AT_ONCE];
        for (int i = 0; i < INPUTS_AT_ONCE; i++)
            in[i] = v_of(W_F32, (const uint8_t *)(x + i * p->in->stride + c));
        for (int r = 0; r < ROWS_AT_ONCE; r++) {
            V one = v_of(W_F32, (const uint8_t *)(w + r * FLOAT_LANES));
            for (int i = 0; i < INPUTS_AT_ONCE; i++) lane[r][i] = v_fma(one, in[i], lane[r][i]);
        }
    }
}

// Rows of a panel as float32, sixteen columns of ROWS_AT_ONCE rows side by side: read in one stream, whole
// cache lines, however they lie in the file.
ALWAYS void float_pack(WeightType t, const Product *p, int64_t row, int64_t rows, float *to) {
    size_t size = t == W_F32 ? 4 : 2, bytes = weight_row_bytes(p->w);
    for (int64_t group = row; group < row + rows; group += ROWS_AT_ONCE)
        for (int64_t c = 0; c < p->w->cols; c += FLOAT_LANES)
            for (int r = 0; r < ROWS_AT_ONCE; r++, to += FLOAT_LANES) {
                V v = v_of(t, p->w->data + (size_t)(group + r) * bytes + (size_t)c * size);
                memcpy(to, &v, sizeof v);
            }
}

// A strip of a block whose sums so far lie in `kept`; the first strip begins with none, the last ends with
// results. The order of an output's sum is that of one long strip.
ALWAYS void packed_strip(const float *w, Tile b, int64_t from, int64_t end,
                         V kept[ROWS_AT_ONCE][INPUTS_AT_ONCE]) {
    const bool last = end == b.p->w->cols;
    Block lane;
    if (!from)
        float_zero(ROWS_AT_ONCE, INPUTS_AT_ONCE, lane);
    else
        for (int r = 0; r < ROWS_AT_ONCE; r++)
            for (int i = 0; i < INPUTS_AT_ONCE; i++) lane[r][i] = kept[r][i];
    packed_add(w, b.p, b.input, from, end, lane);
    if (last)
        float_put(b, lane);
    else
        for (int r = 0; r < ROWS_AT_ONCE; r++)
            for (int i = 0; i < INPUTS_AT_ONCE; i++) kept[r][i] = lane[r][i];
}

// A panel times all inputs: strips of INPUTS_SHARED inputs stay in the nearest cache while the rows go by.
ALWAYS void float_panel(WeightType t, const Product *p, int64_t row, int64_t rows, float *room) {
    V kept[PANEL / ROWS_AT_ONCE][INPUTS_SHARED / INPUTS_AT_ONCE][ROWS_AT_ONCE][INPUTS_AT_ONCE];
    int64_t cols = p->w->cols;
    int input = 0;
    float_pack(t, p, row, rows, room);
    for (; input + INPUTS_SHARED <= p->in->count; input += INPUTS_SHARED)
        for (int64_t from = 0, end; from < cols; from = end) {
            end = from + STRIP < cols ? from + STRIP : cols;
            for (int r = 0; r < rows; r += ROWS_AT_ONCE)
                for (int k = 0; k < INPUTS_SHARED; k += INPUTS_AT_ONCE)
                    packed_strip(room + r * cols, (Tile){p, row + r, ROWS_AT_ONCE, input + k, INPUTS_AT_ONCE},
                                 from, end, kept[r / ROWS_AT_ONCE][k / INPUTS_AT_ONCE]);
        }
    for (int64_t r = 0; input < p->in->count && r < rows; r += ROWS_AT_ONCE)
        float_rows(t, p, row + r, ROWS_AT_ONCE, input);
}

#ifdef V_NARROW
// Few columns, as the outer half of LoRA has them: a sum of sixteen lanes would cost more than what it adds.
// Here a lane of sixteen rows is one vector, and all of them end together.
ALWAYS bool narrow(const Product *p) { return p->w->cols < NARROW && p->in->count >= PANEL_INPUTS; }

ALWAYS V narrow_tree(const V *lane) {
    V half[8];
    for (int i = 0; i < 8; i++) half[i] = v_add(lane[i], lane[i + 8]);
    return v_add(v_add(v_add(half[0], half[4]), v_add(half[2], half[6])),
                 v_add(v_add(half[1], half[5]), v_add(half[3], half[7])));
}

// Columns [c, c + n) of sixteen rows, a column to a vector.
ALWAYS void narrow_turn(WeightType t, const Product *p, int64_t row, int64_t c, int64_t n, V *to) {
    size_t size = t == W_F32 ? 4 : 2, bytes = weight_row_bytes(p->w);
    for (int r = 0; r < FLOAT_LANES; r++) {
        uint8_t some[64] = {0};
        memcpy(some, p->w->data + (size_t)(row + r) * bytes + (size_t)c * size, (size_t)n * size);
        to[r] = v_of(t, some);
    }
    v_turn(to);
}

// One input and sixteen rows; `cols` is constant where most are.
ALWAYS void narrow_one(const V *w, const float *x, int cols, float *y) {
    V lane[FLOAT_LANES];
#pragma GCC unroll 16
    for (int k = 0; k < FLOAT_LANES; k++) lane[k] = v_zero();
    for (int c = 0; c < cols; c += FLOAT_LANES) {
#pragma GCC unroll 16
        for (int k = 0; k < FLOAT_LANES; k++)
            if (k < cols - c)
                lane[k] = v_fma(w[c + k], v_all(x[c + k]), lane[k]);
            else if (c) // zeros lie behind the last column: -0 becomes +0
                lane[k] = v_add(lane[k], v_zero());
    }
    V sum = narrow_tree(lane);
    memcpy(y, &sum, sizeof sum);
}

ALWAYS void float_narrow(WeightType t, const Product *p, int64_t row, int64_t rows, V *w) {
    const int cols = (int)p->w->cols, each = (cols + FLOAT_LANES - 1) / FLOAT_LANES * FLOAT_LANES;
    for (int64_t r = 0; r < rows; r += FLOAT_LANES)
        for (int c = 0; c < cols; c += FLOAT_LANES)
            narrow_turn(t, p, row + r, c, cols - c < FLOAT_LANES ? cols - c : FLOAT_LANES,
                        w + r / FLOAT_LANES * each + c);
    for (int i = 0; i < p->in->count; i++)
        for (int64_t r = 0; r < rows; r += FLOAT_LANES) {
            const V *at = w + r / FLOAT_LANES * each;
            const float *x = p->in->x + i * p->in->stride;
            float *y = p->y + i * p->stride + row + r;
            if (cols == FLOAT_LANES)
                narrow_one(at, x, FLOAT_LANES, y);
            else
                narrow_one(at, x, cols, y);
        }
}
#endif

// Rows of a panel; 0: few inputs, or an odd width, are not worth one.
static int64_t panel_rows(const Product *p) {
    int64_t most = PANEL_BYTES / (p->w->cols * 4) / ROWS_AT_ONCE * ROWS_AT_ONCE;
    if (p->in->count < PANEL_INPUTS || p->w->cols % FLOAT_LANES) return 0;
    return most < PANEL ? most : PANEL;
}
static size_t float_room(const Product *p) {
#ifdef V_NARROW
    if (narrow(p)) return (size_t)NARROW_ROWS * NARROW * 4;
#endif
    return (size_t)panel_rows(p) * (size_t)p->w->cols * 4;
}

ALWAYS void floats_of(WeightType t, const Product *p, int64_t row, int64_t rows, float *room) {
    int64_t end = row + rows;
    if (p->in->count == 1) // more rows at once: many sums hide the latency of one
        for (; row + ROWS_ALONE <= end; row += ROWS_ALONE) float_block(t, p, row, ROWS_ALONE, 0, 1);
#ifdef V_NARROW
    for (int64_t many; narrow(p) && (many = (end - row) / FLOAT_LANES * FLOAT_LANES) > 0; row += many) {
        if (many > NARROW_ROWS) many = NARROW_ROWS;
        float_narrow(t, p, row, many, (V *)room);
    }
#endif
    for (int64_t most = panel_rows(p), many; most && (many = end - row) >= ROWS_AT_ONCE; row += many) {
        many = many < most ? many / ROWS_AT_ONCE * ROWS_AT_ONCE : most;
        float_panel(t, p, row, many, room);
    }
    for (; row + ROWS_AT_ONCE <= end; row += ROWS_AT_ONCE) float_rows(t, p, row, ROWS_AT_ONCE, 0);
    for (; row < end; row++) float_rows(t, p, row, 1, 0);
}

static void floats(const Piece *now, const Piece *then, void *room) {
    (void)then;
    const Product *p = now->p;
    if (p->w->type == W_F32)
        floats_of(W_F32, p, now->first, now->rows, room);
    else if (p->w->type == W_F16)
        floats_of(W_F16, p, now->first, now->rows, room);
    else
        floats_of(W_BF16, p, now->first, now->rows, room);
}
