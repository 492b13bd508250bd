// Cells as JSON, there and back; lines of a file that another program may have written.
#include "measure/cell.h"

#include <assert.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "hostile.h"

static Arena a;

static CellTimes cell(void) {
    CellTimes c = {.place = {512, 64, DT_F16},
                   .device = {2, 0.01, 7},
                   .hot = {1, 0.01, 3},
                   .call = {9, 0.1, 5},
                   .bytes = 131072,
                   .configs = 2,
                   .config = STR("BLOCK 128"),
                   .yardstick = {1.5, 0.01, 7},
                   .copy = {1.6, 0.01, 7},
                   .floor_us = 0.7,
                   .sm_mhz_low = 1980,
                   .sm_mhz_high = 1981,
                   .power_w_low = 310,
                   .power_w_high = 345.5,
                   .sets = 3,
                   .calls_of_window = 12,
                   .windows = 1,
                   .checked = 2,
                   .baselines = 1,
                   .user_calls = 1,
                   .torch = STR("2.11.0"),
                   .bar = STR("default"),
                   .bar_us = 3,
                   .ratio = 1.5,
                   .again = 2};
    c.baseline[0] = (CellBaseline){.name = STR("default"), .device = {3, 0.1, 7}, .own = {3.5, 0.1, 7}};
    c.user_call[0] = (CellUserCall){.name = STR("kernel"), .why = STR("no")};
    for (int i = 0; i < 2; i++) c.again_us[i] = 2 + i, c.again_ratio[i] = 1.5;
    return c;
}

static bool read_line(void *arg, Str text) {
    (void)arg;
    Err e = {0};
    Json j;
    CellTimes c;
    ArenaMark m = arena_mark(&a);
    if (!json_parse("line", text, &j, &e)) return json_close(&j), false;
    bool taken = cell_read(&a, &j, j.root, &c);
    if (taken) { // what is taken can be shown and written
        Buf out = BUF(&a);
        assert_true(c.status < TIMES_COUNT && c.baselines <= BASELINE_MODES_MAX && c.again <= STABILITY_MAX);
        assert_true(c.user_calls <= USER_CALLS_MAX && c.place.rows > 0 && c.place.columns > 0);
        cell_text(&out, &c);
        json_decref(cell_json(&c));
    }
    json_close(&j);
    arena_reset(&a, m);
    return taken;
}

static void test_a_cell_comes_back(void **state) {
    (void)state;
    const CellTimes c = cell();
    json_t *o = cell_json(&c);
    Err e = {0};
    Json j = {.root = o, .file = "cell", .e = &e};
    CellTimes again;
    if (!cell_read(&a, &j, o, &again)) fail_msg("%s", e.msg);
    json_t *second = cell_json(&again);
    assert_true(json_equal(o, second));
    json_decref(second);
    json_decref(o);
}

static void test_hostile_lines(void **state) {
    (void)state;
    const CellTimes c = cell();
    Buf line = BUF(&a);
    Hostile h = {.read = read_line};
    assert_true(json_put_precise(&line, cell_json(&c), 9));
    hostile_json(&h, buf_str(&line));
    assert_true(h.tried > 2000 && h.taken > 0 && h.taken < h.tried);
}

static int end(void **state) {
    (void)state;
    arena_free(&a);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(test_a_cell_comes_back, end),
        cmocka_unit_test_teardown(test_hostile_lines, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
