// region_map.h - an output as text: which elements were right, one character for each or for a block of them.
#pragma once
#include "base/str.h"

typedef enum { PIXEL_RIGHT, PIXEL_UNJUDGED, PIXEL_WRONG, PIXEL_NAN, PIXEL_UNWRITTEN, PIXEL_COUNT } Pixel;
enum { REGION_MAP_COLUMNS = 72, REGION_MAP_ROWS = 24 };
extern const char pixel_letter[PIXEL_COUNT]; // '.', '?', 'X', 'N', 'U'
const char *pixel_words(Pixel p);

// The output as rows and columns; the tile that the kernel stores at a time, 0: not known.
typedef struct {
    const uint8_t *pixel; // Pixel of each element, row-major
    int64_t rows, columns;
    int64_t tile_rows, tile_columns; // a flat tile is one row of elements that goes on in the next row
    bool flat;
    bool line; // one row, of elements that belong to none
} RegionMap;

// Where the elements lie that are not right.
typedef struct {
    int64_t of[PIXEL_COUNT];
    int64_t row_first, row_last, column_first, column_last; // -1: none
    int64_t bad;                                            // wrong, NaN or unwritten
    bool solid;                                             // every element between these rows and columns is
} Region;
Region region_map_region(const RegionMap *p);
// At most REGION_MAP_ROWS lines of REGION_MAP_COLUMNS characters, without margins: *lines of them. A block of
// elements shows its worst; in lower case where not all of it is.
char **region_map_lines(Arena *a, const RegionMap *p, int *lines);
// The ruler above: '|' where a tile begins, or NULL when no boundary can be shown.
char *region_map_ruler(Arena *a, const RegionMap *p);
// "columns 128 to 999 of all 7 rows, from the start of tile 2 on"
void region_words(Buf *out, const RegionMap *p, const Region *r);
// With frame, row numbers and legend, each line behind `indent`.
void region_map_put(Buf *out, Arena *a, const RegionMap *p, const char *indent);
