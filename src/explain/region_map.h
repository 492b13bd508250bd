// picture.h - an output as text: which elements were right, one character for each or for a block of them.
#pragma once
#include "base/str.h"

typedef enum { PIXEL_RIGHT, PIXEL_UNJUDGED, PIXEL_WRONG, PIXEL_NAN, PIXEL_UNWRITTEN, PIXEL_COUNT } Pixel;
enum { PICTURE_COLUMNS = 72, PICTURE_ROWS = 24 };
extern const char pixel_letter[PIXEL_COUNT]; // '.', '?', 'X', 'N', 'U'
const char *pixel_words(Pixel p);

// The output as rows and columns; the tile that the kernel stores at a time, 0: not known.
typedef struct {
    const uint8_t *pixel; // Pixel of each element, row-major
    int64_t rows, columns;
    int64_t tile_rows, tile_columns; // a flat tile is one row of elements that goes on in the next row
    bool flat;
} Picture;

// Where the elements lie that are not right.
typedef struct {
    int64_t of[PIXEL_COUNT];
    int64_t row_first, row_last, column_first, column_last; // -1: none
    int64_t bad;                                            // wrong, NaN or unwritten
    bool solid;                                             // every element between these rows and columns is
} Region;
Region picture_region(const Picture *p);
// At most PICTURE_ROWS lines of PICTURE_COLUMNS characters, without margins: *lines of them. A block of
// elements shows its worst; in lower case where not all of it is.
char **picture_lines(Arena *a, const Picture *p, int *lines);
// The ruler above: '|' where a tile begins, or NULL when no boundary can be shown.
char *picture_ruler(Arena *a, const Picture *p);
// "columns 128 to 999 of all 7 rows, from the start of tile 2 on"
void region_words(Buf *out, const Picture *p, const Region *r);
// With frame, row numbers and legend, each line behind `indent`.
void picture_put(Buf *out, Arena *a, const Picture *p, const char *indent);
