#include "cmd/shared/timed_places.h"

const int64_t places_six[PLACES_SIX][2] = {{1024, 4096}, {4096, 4096},  {8192, 4096},
                                           {4096, 8192}, {16384, 2048}, {256, 16384}};
static const int64_t short_rows[][2] = {{16384, 256}, {8192, 128}, {32768, 128}, {65536, 64}};
enum { SHORT_ROW = 512 };

int places_published(const Op *op, DType dtype, CellPlace out[TIMED_CELLS_MAX]) {
    int64_t rows = 0, row = 0;
    op_usual_shape(op, &rows, &row);
    bool is_short = row > 0 && row <= SHORT_ROW;
    int n = is_short ? sizeof short_rows / sizeof *short_rows : PLACES_SIX;
    for (int i = 0; i < n; i++) {
        const int64_t *at = is_short ? short_rows[i] : places_six[i];
        out[i] = (CellPlace){at[0], at[1], dtype};
    }
    return n;
}
