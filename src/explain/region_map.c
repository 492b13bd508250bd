#include "explain/region_map.h"

#include <ctype.h>

const char pixel_letter[PIXEL_COUNT] = {'.', '?', 'X', 'N', 'U'};

const char *pixel_words(Pixel p) {
    static const char *const words[PIXEL_COUNT] = {"right", "not judged", "wrong", "NaN or infinity",
                                                   "unwritten"};
    return words[p];
}

Region region_map_region(const RegionMap *p) {
    Region r = {.row_first = -1, .row_last = -1, .column_first = -1, .column_last = -1};
    for (int64_t i = 0; i < p->rows * p->columns; i++) {
        r.of[p->pixel[i]]++;
        if (p->pixel[i] < PIXEL_WRONG) continue;
        int64_t row = i / p->columns, column = i % p->columns;
        if (r.bad++ == 0) {
            r.row_first = row;
            r.column_first = r.column_last = column;
        }
        r.row_last = row;
        if (column < r.column_first) r.column_first = column;
        if (column > r.column_last) r.column_last = column;
    }
    r.solid = r.bad == (r.row_last - r.row_first + 1) * (r.column_last - r.column_first + 1) && r.bad > 0;
    return r;
}

// Elements a character stands for, so that `n` of them fit into `most` characters.
static int64_t scale_of(int64_t n, int64_t most) { return n <= most ? 1 : (n + most - 1) / most; }

static char block_letter(const RegionMap *p, int64_t row, int64_t rows, int64_t column, int64_t columns) {
    uint8_t worst = PIXEL_RIGHT, least = PIXEL_COUNT;
    for (int64_t r = row; r < row + rows && r < p->rows; r++)
        for (int64_t c = column; c < column + columns && c < p->columns; c++) {
            uint8_t x = p->pixel[r * p->columns + c];
            if (x > worst) worst = x;
            if (x < least) least = x;
        }
    bool some = worst >= PIXEL_WRONG && least < PIXEL_WRONG;
    return (char)(some ? tolower(pixel_letter[worst]) : pixel_letter[worst]);
}

char **region_map_lines(Arena *a, const RegionMap *p, int *lines) {
    int64_t across = scale_of(p->columns, REGION_MAP_COLUMNS), down = scale_of(p->rows, REGION_MAP_ROWS);
    int64_t width = (p->columns + across - 1) / across, height = (p->rows + down - 1) / down;
    char **line = NEWN(a, char *, (size_t)height + 1);
    for (int64_t y = 0; y < height; y++) {
        line[y] = NEWN(a, char, (size_t)width + 1);
        for (int64_t x = 0; x < width; x++) line[y][x] = block_letter(p, y * down, down, x * across, across);
    }
    *lines = (int)height;
    return line;
}

char *region_map_ruler(Arena *a, const RegionMap *p) {
    int64_t across = scale_of(p->columns, REGION_MAP_COLUMNS), width = (p->columns + across - 1) / across;
    bool regular = !p->flat || p->columns % (p->tile_columns > 0 ? p->tile_columns : 1) == 0;
    if (!regular || p->tile_columns < across || p->tile_columns < 2 || p->tile_columns >= p->columns)
        return NULL;
    char *line = NEWN(a, char, (size_t)width + 1);
    memset(line, ' ', (size_t)width);
    for (int64_t c = 0; c < p->columns; c += p->tile_columns) line[c / across] = '|';
    return line;
}

static void put_range(Buf *out, const char *what, int64_t first, int64_t last, int64_t all) {
    if (first == 0 && last == all - 1)
        buf_printf(out, all == 1 ? "the only %s" : "all %s", what);
    else
        buf_printf(out, "%s", what);
    if (first == 0 && last == all - 1) {
        if (all > 1) buf_printf(out, "s (%lld)", (long long)all);
    } else if (first == last) {
        buf_printf(out, " %lld of 0 to %lld", (long long)first, (long long)(all - 1));
    } else {
        buf_printf(out, "s %lld to %lld of 0 to %lld", (long long)first, (long long)last,
                   (long long)(all - 1));
    }
}

void region_words(Buf *out, const RegionMap *p, const Region *r) {
    if (r->bad == 0) {
        buf_puts(out, "every element that was judged is right");
        return;
    }
    const char *joint = "";
    for (int k = PIXEL_WRONG; k < PIXEL_COUNT; k++) {
        if (r->of[k] == 0) continue;
        buf_printf(out, "%s%lld %s", joint, (long long)r->of[k], pixel_words((Pixel)k));
        joint = ", ";
    }
    buf_printf(out, " of %lld elements: ", (long long)(p->rows * p->columns));
    buf_puts(out, r->solid ? "exactly " : "within ");
    if (!p->line) {
        put_range(out, "row", r->row_first, r->row_last, p->rows);
        buf_puts(out, ", ");
    }
    put_range(out, p->line ? "element" : "column", r->column_first, r->column_last, p->columns);
    if (!p->flat && p->tile_columns > 1 && p->tile_columns < p->columns && r->column_first > 0 &&
        r->column_first % p->tile_columns == 0)
        buf_printf(out, ", from the start of a tile of %lld columns on", (long long)p->tile_columns);
}

void region_map_put(Buf *out, Arena *a, const RegionMap *p, const char *indent) {
    int64_t across = scale_of(p->columns, REGION_MAP_COLUMNS), down = scale_of(p->rows, REGION_MAP_ROWS);
    int lines;
    char **line = region_map_lines(a, p, &lines);
    const char *ruler = region_map_ruler(a, p);
    if (ruler)
        buf_printf(out, "%s%8s %s   tiles of %lld columns\n", indent, "", ruler, (long long)p->tile_columns);
    for (int y = 0; y < lines; y++) {
        int64_t row = y * down;
        bool edge = p->tile_rows > 1 && row % p->tile_rows < down && p->tile_rows >= down;
        buf_printf(out, "%s%7lld%c %s\n", indent, (long long)row, edge ? '-' : ' ', line[y]);
    }
    buf_printf(out, "%s%8s ", indent, "");
    Region r = region_map_region(p);
    int legends = 0;
    for (int k = 0; k < PIXEL_COUNT; k++)
        if (r.of[k])
            buf_printf(out, "%s%c %s", legends++ ? "  " : "", pixel_letter[k], pixel_words((Pixel)k));
    if (across > 1 || down > 1)
        buf_printf(out, "\n%s%8s (a character: %lld x %lld elements; lower case: some of them)", indent, "",
                   (long long)down, (long long)across);
    buf_putc(out, '\n');
}
