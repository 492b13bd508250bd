// timed_places.h - the shapes that kernels are usually timed on.
#pragma once
#include "measure/cell.h"
#include "service/stream_times.h"

enum { PLACES_SIX = 6 };
extern const int64_t places_six[PLACES_SIX][2]; // rows, columns
// Those of the published grid, in that dtype: the six, or of ops with short rows four. How many.
int places_published(const Op *op, DType dtype, CellPlace out[TIMED_CELLS_MAX]);
// Those that a search is fast at: of ops with long rows also three that the grid does not have.
int places_searched(const Op *op, DType dtype, CellPlace out[TIMED_CELLS_MAX]);
