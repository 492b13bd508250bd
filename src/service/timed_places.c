#include "service/timed_places.h"

const int64_t places_six[PLACES_SIX][2] = {{1024, 4096}, {4096, 4096},  {8192, 4096},
                                           {4096, 8192}, {16384, 2048}, {256, 16384}};
static const int64_t short_rows[][2] = {{16384, 256}, {8192, 128}, {32768, 128}, {65536, 64}};
// Rows that are no power of two, or that no shape of the grid has: a search by the grid alone would not see
// what tiles of a power of two cost there.
static const int64_t other_rows[][2] = {{32768, 1024}, {8192, 5120}, {2048, 10240}};
enum { SHORT_ROW = 512, OTHER_ROWS = sizeof other_rows / sizeof *other_rows };
_Static_assert(PLACES_SIX + (int)OTHER_ROWS <= (int)TIMED_CELLS_MAX, "all are timed together");

static bool has_short_rows(const Op *op) {
    int64_t rows = 0, row = 0;
    op_usual_shape(op, &rows, &row);
    return row > 0 && row <= SHORT_ROW;
}

int places_published(const Op *op, DType dtype, CellPlace out[TIMED_CELLS_MAX]) {
    const bool is_short = has_short_rows(op);
    int n = is_short ? sizeof short_rows / sizeof *short_rows : PLACES_SIX;
    for (int i = 0; i < n; i++) {
        const int64_t *at = is_short ? short_rows[i] : places_six[i];
        out[i] = (CellPlace){at[0], at[1], dtype};
    }
    return n;
}

int places_searched(const Op *op, DType dtype, CellPlace out[TIMED_CELLS_MAX]) {
    int n = places_published(op, dtype, out);
    for (int i = 0; i < OTHER_ROWS && !has_short_rows(op); i++)
        out[n++] = (CellPlace){other_rows[i][0], other_rows[i][1], dtype};
    return n;
}
