#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "explain/region_map.h"

static RegionMap picture(Arena *a, int64_t rows, int64_t columns) {
    return (RegionMap){.pixel = NEWN(a, uint8_t, (size_t)(rows * columns)), .rows = rows, .columns = columns};
}
static void paint(RegionMap *p, int64_t row, int64_t column, Pixel x) {
    ((uint8_t *)(uintptr_t)p->pixel)[row * p->columns + column] = (uint8_t)x;
}

static void each_element_has_a_letter(void **state) {
    (void)state;
    Arena a = {0};
    RegionMap p = picture(&a, 2, 5);
    paint(&p, 0, 1, PIXEL_WRONG);
    paint(&p, 0, 2, PIXEL_NAN);
    paint(&p, 1, 3, PIXEL_UNWRITTEN);
    paint(&p, 1, 4, PIXEL_UNJUDGED);
    int n;
    char **line = region_map_lines(&a, &p, &n);
    assert_int_equal(n, 2);
    assert_string_equal(line[0], ".XN..");
    assert_string_equal(line[1], "...U?");
    Region r = region_map_region(&p);
    assert_int_equal(r.bad, 3); // what was not judged is not wrong
    assert_int_equal(r.of[PIXEL_RIGHT], 6);
    assert_int_equal(r.of[PIXEL_UNJUDGED], 1);
    assert_true(r.row_first == 0 && r.row_last == 1 && r.column_first == 1 && r.column_last == 3);
    assert_false(r.solid);
    arena_free(&a);
}

static void large_outputs_fit(void **state) {
    (void)state;
    static const int64_t sizes[][2] = {{1, 1}, {24, 72}, {25, 73}, {1000, 5000}, {1, 65537}, {9000, 1}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        Arena a = {0};
        RegionMap p = picture(&a, sizes[i][0], sizes[i][1]);
        paint(&p, p.rows - 1, p.columns - 1, PIXEL_WRONG); // the last element is never cut off
        int n;
        char **line = region_map_lines(&a, &p, &n);
        assert_in_range(n, 1, REGION_MAP_ROWS);
        size_t width = strlen(line[0]);
        assert_in_range(width, 1, REGION_MAP_COLUMNS);
        for (int y = 0; y < n; y++) {
            assert_int_equal(strlen(line[y]), width);
            for (size_t x = 0; x < width; x++) {
                bool last = y == n - 1 && x == width - 1;
                assert_true(last ? line[y][x] == 'X' || line[y][x] == 'x' : line[y][x] == '.');
            }
        }
        arena_free(&a);
    }
}

static void a_block_shows_its_worst(void **state) {
    (void)state;
    Arena a = {0};
    RegionMap p = picture(&a, 1, 144); // two elements a character
    for (int c = 0; c < 4; c++) paint(&p, 0, c, PIXEL_WRONG);
    paint(&p, 0, 3, PIXEL_UNWRITTEN);
    paint(&p, 0, 5, PIXEL_NAN);
    int n;
    char **line = region_map_lines(&a, &p, &n);
    assert_int_equal(strlen(line[0]), 72);
    assert_memory_equal(line[0], "XUn.", 4); // all wrong; all bad, one unwritten; some NaN; right
    arena_free(&a);
}

static void regions_in_words(void **state) {
    (void)state;
    Arena a = {0};
    RegionMap p = picture(&a, 3, 300);
    p.tile_columns = 128;
    p.tile_rows = 1;
    Buf b = BUF(&a);
    Region none = region_map_region(&p);
    region_words(&b, &p, &none);
    assert_string_equal(buf_cstr(&b), "every element that was judged is right");
    for (int r = 0; r < 3; r++)
        for (int c = 256; c < 300; c++) paint(&p, r, c, PIXEL_WRONG);
    Region tail = region_map_region(&p);
    assert_true(tail.solid);
    b = BUF(&a);
    region_words(&b, &p, &tail);
    assert_string_equal(buf_cstr(&b),
                        "132 wrong of 900 elements: exactly all rows (3), columns 256 to 299 of 0 "
                        "to 299, from the start of a tile of 128 columns on");
    paint(&p, 1, 270, PIXEL_RIGHT);
    Region hole = region_map_region(&p);
    assert_false(hole.solid);
    p.tile_columns = 100; // and no tile begins there
    b = BUF(&a);
    region_words(&b, &p, &hole);
    assert_string_equal(buf_cstr(&b),
                        "131 wrong of 900 elements: within all rows (3), columns 256 to 299 of 0 to 299");
    arena_free(&a);
}

static void the_ruler_shows_tiles(void **state) {
    (void)state;
    Arena a = {0};
    RegionMap p = picture(&a, 2, 12);
    assert_null(region_map_ruler(&a, &p)); // not known
    p.tile_columns = 4;
    assert_string_equal(region_map_ruler(&a, &p), "|   |   |   ");
    p.tile_columns = 16; // no boundary inside
    assert_null(region_map_ruler(&a, &p));
    p.tile_columns = 5;
    p.flat = true; // elsewhere in each row
    assert_null(region_map_ruler(&a, &p));
    p.tile_columns = 6;
    assert_string_equal(region_map_ruler(&a, &p), "|     |     ");
    RegionMap wide = picture(&a, 1, 7200);
    wide.tile_columns = 64; // narrower than a character
    assert_null(region_map_ruler(&a, &wide));
    arena_free(&a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_element_has_a_letter), cmocka_unit_test(large_outputs_fit),
        cmocka_unit_test(a_block_shows_its_worst),   cmocka_unit_test(regions_in_words),
        cmocka_unit_test(the_ruler_shows_tiles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
