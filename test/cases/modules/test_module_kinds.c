// Kinds of values: which sets of axes lines run along, what each step of a case may hold, whose line an
// element is.
#include "cases/modules/module_kinds.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { ROWS = 40, COLUMNS = 24 };

static OpInput input_of(int rank, const int64_t *size) {
    OpInput in = {.rank = rank, .dtype = DT_F32};
    memcpy(in.size, size, sizeof *size * (size_t)rank);
    return in;
}

static void sets_of_axes(void **state) {
    (void)state;
    Arena a = {0};
    OpInput in[2] = {input_of(4, (const int64_t[]){8, 3, 16, 12}),
                     input_of(2, (const int64_t[]){ROWS, COLUMNS})};
    Op op = {.input = in, .inputs = 2};
    const Reduction *list;
    int n = module_kinds_axes(&a, &op, 3, &list);
    assert_int_equal(module_kinds_input(&op, &list[0]), -1);
    assert_int_equal(list[0].input[0].axis[0], 3); // what calls turn
    unsigned seen[2] = {0, 0};
    int of_each[2] = {0, 0};
    for (int k = 1; k < n; k++) {
        int i = module_kinds_input(&op, &list[k]);
        unsigned set = 0;
        for (int d = 0; d < list[k].input[i].axes; d++) set |= 1u << list[k].input[i].axis[d];
        assert_false(seen[i] >> set & 1);
        seen[i] |= 1u << set;
        of_each[i]++;
    }
    // Last, second, all but the first, the second, both, all; of a matrix each axis and both.
    assert_int_equal(of_each[0], 6);
    assert_int_equal(seen[0], 1u << 8 | 1u << 2 | 1u << 14 | 1u << 13 | 1u << 12 | 1u << 15);
    assert_int_equal(seen[1], 1u << 1 | 1u << 2 | 1u << 3);
    // The control: an input that the file computes itself has none.
    assert_int_equal(module_kinds_axes(&a, &op, 2, &list), 4);
    assert_int_equal(module_kinds_axes(&a, &op, 0, &list), 1);
    arena_free(&a);
}

typedef struct {
    bool positive_inf, negative_inf, zero, minus_zero, negative;
    double most;
    bool seen[CLASS_COUNT];
} Found;

static Found drawn(KindsReach reach, uint64_t seed, uint8_t *cls, float *map) {
    Arena a = {0};
    OpInput in = input_of(2, (const int64_t[]){ROWS, COLUMNS});
    Op op = {.input = &in, .inputs = 1};
    LineAxes axes = {.axes = 1, .axis = {1}, .by_class = true};
    CaseTensor t = {.rank = 2, .dtype = DT_F32, .shape = {ROWS, COLUMNS}, .stride = {COLUMNS, 1}};
    module_kinds_draw(
        &a,
        &(KindsRequest){
            .op = &op, .of = &(Reduction){.input = &axes}, .reach = reach, .seed = seed, .tensor = &t},
        (uint8_t *)map, cls);
    arena_free(&a);
    Found f = {0};
    for (int i = 0; i < ROWS * COLUMNS; i++) {
        f.positive_inf |= map[i] == INFINITY;
        f.negative_inf |= map[i] == -INFINITY;
        f.zero |= map[i] == 0;
        f.minus_zero |= map[i] == 0 && signbit(map[i]);
        f.negative |= map[i] < 0;
        if (isfinite(map[i])) f.most = fmax(f.most, fabs((double)map[i]));
    }
    for (int r = 0; r < ROWS; r++) f.seen[cls[r]] = true;
    return f;
}

static void steps_of_a_case(void **state) {
    (void)state;
    static float map[ROWS * COLUMNS];
    uint8_t cls[ROWS];
    for (uint64_t seed = 1; seed < 9; seed++) {
        Found f = drawn(KINDS_INFINITE, seed, cls, map);
        assert_true(f.positive_inf && f.negative_inf && f.seen[CLASS_infinite]);
        f = drawn(KINDS_NEGATIVE_INF, seed, cls, map);
        assert_true(!f.positive_inf && f.negative_inf);
        f = drawn(KINDS_ALL, seed, cls, map);
        assert_true(!f.negative_inf && f.zero && f.minus_zero && f.negative && f.most > 900);
        static const ClassId each[] = {CLASS_mean_1000, CLASS_below,     CLASS_constant, CLASS_spike_inside,
                                       CLASS_zero,      CLASS_bell_wide, CLASS_tiny_1e4};
        for (size_t i = 0; i < sizeof each / sizeof *each; i++) assert_true(f.seen[each[i]]);
        f = drawn(KINDS_NONZERO, seed, cls, map);
        assert_true(!f.zero && f.negative && f.most > 900);
        f = drawn(KINDS_POSITIVE, seed, cls, map);
        assert_true(!f.zero && !f.negative && f.most > 900);
        f = drawn(KINDS_NEAR, seed, cls, map);
        assert_true(f.negative && f.most <= 79);
        f = drawn(KINDS_NEAR_POSITIVE, seed, cls, map);
        assert_true(!f.negative && f.most <= 79);
    }
}

// A row is what its class says.
static void rows_of_a_class(void **state) {
    (void)state;
    static float map[ROWS * COLUMNS];
    uint8_t cls[ROWS];
    (void)drawn(KINDS_ALL, 3, cls, map);
    for (int r = 0; r < ROWS; r++)
        for (int c = 0; c < COLUMNS; c++) {
            float x = map[r * COLUMNS + c];
            if (cls[r] == CLASS_mean_1000) assert_true(x > 990 && x < 1010);
            if (cls[r] == CLASS_below) assert_true(x < -400);
            if (cls[r] == CLASS_constant) assert_true(x == map[r * COLUMNS]);
        }
}

// How far the values of a sample, or of a channel, are apart, measured by the first of them.
static double spread(const float *map, const int64_t *n, int axis, int64_t place) {
    double first = 0, most = 0;
    for (int64_t i = 0; i < n[0] * n[1] * n[2]; i++) {
        int64_t at = axis == 0 ? i / (n[1] * n[2]) : i / n[2] % n[1];
        if (at != place) continue;
        if (first == 0) first = (double)map[i];
        most = fmax(most, fabs((double)map[i] / first - 1));
    }
    return most;
}

static void nearly_constant_places(void **state) {
    (void)state;
    enum { SAMPLES = 4, CHANNELS = 16, PLANE = 6, ALL = SAMPLES * CHANNELS * PLANE };
    static const int64_t n[] = {SAMPLES, CHANNELS, PLANE};
    static float map[ALL], was[ALL];
    uint8_t cls[SAMPLES * CHANNELS];
    Arena a = {0};
    OpInput in = input_of(3, n);
    Op op = {.input = &in, .inputs = 1};
    LineAxes axes = {.axes = 1, .axis = {2}, .by_class = true};
    CaseTensor t = {
        .rank = 3, .dtype = DT_F32, .shape = {n[0], n[1], n[2]}, .stride = {n[1] * n[2], n[2], 1}};
    for (uint64_t seed = 1; seed < 9; seed++) {
        KindsRequest q = {
            .op = &op, .of = &(Reduction){.input = &axes}, .reach = KINDS_ALL, .seed = seed, .tensor = &t};
        module_kinds_draw(&a, &q, (uint8_t *)map, cls);
        memcpy(was, map, sizeof map);
        assert_true(module_kinds_flatten(&a, &q, (uint8_t *)map, cls));
        int wide = 0, narrow = 0, kept = 0;
        for (int axis = 0; axis < 2; axis++)
            for (int64_t place = 0; place < n[axis]; place++) {
                double s = spread(map, n, axis, place);
                wide += s > 0x1p-11 && s < 0x1p-8;
                narrow += s > 0 && s < 0x1p-20;
            }
        // Two of four samples and two of eight channels, with one value for all of them.
        assert_int_equal(wide, 1 + CHANNELS / 8);
        assert_int_equal(narrow, 1 + CHANNELS / 8);
        for (int r = 0; r < SAMPLES * CHANNELS; r++) {
            bool same = memcmp(&map[r * PLANE], &was[r * PLANE], PLANE * sizeof *map) == 0;
            assert_int_equal(same, cls[r] != CLASS_nearly_constant);
            kept += same;
        }
        assert_int_equal(kept, 2 * (CHANNELS - CHANNELS / 8 * 2));
        q.reach = KINDS_POSITIVE;
        assert_true(module_kinds_flatten(&a, &q, (uint8_t *)map, cls));
        for (int i = 0; i < ALL; i++)
            if (cls[i / PLANE] == CLASS_nearly_constant) assert_true(map[i] > 31 && map[i] < 513);
        // The control: values up to 32 alone have no such ones.
        memcpy(was, map, sizeof map);
        q.reach = KINDS_NEAR;
        assert_false(module_kinds_flatten(&a, &q, (uint8_t *)map, cls));
        assert_memory_equal(was, map, sizeof map);
    }
    arena_free(&a);
}

static void whose_line(void **state) {
    (void)state;
    OpInput in = input_of(3, (const int64_t[]){5, 6, 7});
    LineAxes last = {.axes = 1, .axis = {2}}, middle = {.axes = 1, .axis = {1}};
    Bound same = {.rank = 3, .shape = {5, 6, 7}}, kept = {.rank = 3, .shape = {5, 6, 1}},
          gone = {.rank = 2, .shape = {5, 6}}, other = {.rank = 3, .shape = {5, 6, 8}};
    assert_int_equal(module_kinds_line(&in, &last, &same, (2 * 6 + 3) * 7 + 4), 2 * 6 + 3);
    assert_int_equal(module_kinds_line(&in, &last, &kept, 2 * 6 + 3), 2 * 6 + 3);
    assert_int_equal(module_kinds_line(&in, &last, &gone, 2 * 6 + 3), 2 * 6 + 3);
    assert_int_equal(module_kinds_line(&in, &middle, &same, (2 * 6 + 3) * 7 + 4), 2 * 7 + 4);
    assert_int_equal(module_kinds_line(&in, &middle, &gone, 7), -1);
    assert_int_equal(module_kinds_line(&in, &last, &other, 7), -1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sets_of_axes),    cmocka_unit_test(steps_of_a_case),
        cmocka_unit_test(rows_of_a_class), cmocka_unit_test(nearly_constant_places),
        cmocka_unit_test(whose_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
