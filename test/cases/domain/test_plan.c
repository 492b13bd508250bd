// Which cases a draw consists of: every required class in every dtype, the sizes that each level states, and
// cases for what a source compares with.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "cases/domain/domain.h"
#include "cases/draw.h"

static const DrawFilter all = {.dtype = -1};

static Op the_op(Arena *a, const char *name) {
    Op op;
    if (!op_find(a, str_of(name), &op)) fail_msg("no op %s", name);
    return op;
}

static void quick_shows_every_class_in_every_dtype(void **state) {
    (void)state;
    Arena a = {0};
    int n;
    const Str *names = op_names(&a, &n);
    assert_true(n >= 30);
    for (int i = 0; i < n; i++) {
        Op op;
        assert_true(op_find(&a, names[i], &op));
        PlannedCase *plan;
        int cases = plan_cases(&a, domain_make(&a, &op), &(PlanRequest){LEVEL_QUICK, 1, &all}, &plan);
        assert_true(cases > 5);
        static const DType types[] = {DT_F16, DT_BF16, DT_F32};
        int data = plan_data_inputs(&op);
        for (int t = 0; t < 3 && data > 0; t++) {
            ClassId list[CLASS_COUNT];
            int k = plan_classes(&op, types[t], list);
            // Rows long enough that a class is more than its name; each class reaches each data input.
            uint8_t seen[CLASS_COUNT][8] = {{0}};
            for (int c = 0; c < cases; c++) {
                if (plan[c].dtype != types[t] || plan[c].dim[op.row_dim] < 100) continue;
                int64_t rows = op.rows_dim >= 0 ? plan[c].dim[op.rows_dim] : 1;
                for (int64_t r = 0; r < rows; r++) {
                    int64_t g = plan[c].first_line + r;
                    seen[list[g % k]][g / k % data] = 1;
                }
            }
            for (int c = 0; c < k; c++)
                for (int d = 0; d < data; d++)
                    if (!seen[list[c]][d])
                        fail_msg("%.*s %s: class %s never reaches data input %d", STR_ARG(op.name),
                                 dtype_info[types[t]].torch, class_name(list[c]), d);
        }
    }
    arena_free(&a);
}

static void required_classes_are_there(void **state) {
    (void)state;
    Arena a = {0};
    static const struct {
        const char *op;
        ClassId c;
    } required[] = {
        {"rmsnorm", CLASS_constant},
        {"rmsnorm", CLASS_stagnation},
        {"rmsnorm", CLASS_spike_first},
        {"layernorm", CLASS_mean_1000},
        {"softmax", CLASS_constant_79},
        {"softmax", CLASS_near_zero},
        {"softmax", CLASS_neg_inf},
        {"softmax", CLASS_shifted},
        {"rmsnorm", CLASS_tiny_1e4},
        {"rmsnorm", CLASS_tiny_1e20},
        {"rmsnorm", CLASS_zero},
        {"add_rmsnorm", CLASS_cancelling},
        {"cross_entropy", CLASS_near_zero},
        {"layernorm", CLASS_large_end},
        {"rmsnorm", CLASS_subnormal},
        {"softmax", CLASS_one_hot},
        {"softmax", CLASS_neg_inf_blocks},
        {"softmax", CLASS_neg_inf_most},
        {"softmax", CLASS_below},
        {"gelu", CLASS_binades},
        {"swiglu", CLASS_both_ends},
    };
    for (size_t i = 0; i < sizeof required / sizeof *required; i++) {
        Op op = the_op(&a, required[i].op);
        ClassId list[CLASS_COUNT];
        int k = plan_classes(&op, DT_F32, list);
        bool found = false;
        for (int c = 0; c < k; c++) found |= list[c] == required[i].c;
        if (!found) fail_msg("%s lacks %s", required[i].op, class_name(required[i].c));
    }
    // And a class outside the domain stays outside: cumsum declares no shift.
    Op op = the_op(&a, "cumsum");
    ClassId list[CLASS_COUNT];
    int k = plan_classes(&op, DT_F32, list);
    for (int c = 0; c < k; c++)
        assert_true(list[c] != CLASS_mean_1000 && list[c] != CLASS_neg_inf && list[c] != CLASS_below &&
                    list[c] != CLASS_neg_inf_blocks && list[c] != CLASS_neg_inf_most);
    op = the_op(&a, "gelu"); // one input has no other one to be at an end with
    k = plan_classes(&op, DT_F32, list);
    for (int c = 0; c < k; c++) assert_true(list[c] != CLASS_both_ends);
    arena_free(&a);
}

// Where a domain reaches far from zero, each dtype has one case of nearly constant rows, behind all others;
// for one shape or one dtype alone only what was asked for.
// What can be judged in none of these rows is judged in others of that length.
static bool has_ordinary_length(const Op *op, const PlannedCase *plan, int n, const PlannedCase *of) {
    for (int c = 0; c < n; c++)
        if (!plan[c].flat && plan[c].dtype == of->dtype && plan[c].dim[op->row_dim] == of->dim[op->row_dim])
            return true;
    return false;
}

static void many_rows_are_nearly_constant(void **state) {
    (void)state;
    Arena a = {0};
    static const char *const names[] = {"layernorm", "softmax", "cumsum"};
    for (int i = 0; i < 3; i++) {
        Op op = the_op(&a, names[i]);
        for (int level = LEVEL_QUICK; level <= LEVEL_FULL; level++) {
            PlannedCase *plan;
            int n = plan_cases(&a, domain_make(&a, &op), &(PlanRequest){(Level)level, 1, &all}, &plan),
                flat = 0;
            for (int c = 0; c < n; c++) {
                uint8_t cls[3];
                flat += plan[c].flat;
                plan_line_classes(&op, &plan[c], 3, cls);
                assert_int_equal(plan[c].flat, cls[0] == CLASS_nearly_constant && cls[2] == cls[0]);
                if (!plan[c].flat) continue;
                assert_true(c >= n - 3 && plan[c].dim[op.rows_dim] >= 24);
                assert_true(has_ordinary_length(&op, plan, n, &plan[c]));
            }
            assert_int_equal(flat, i < 2 ? 3 : 0); // cumsum declares no such values
        }
    }
    Op op = the_op(&a, "layernorm");
    PlannedCase *plan;
    DrawFilter one = {.dtype = DT_BF16};
    int n = plan_cases(&a, domain_make(&a, &op), &(PlanRequest){LEVEL_QUICK, 1, &one}, &plan);
    assert_true(plan[n - 1].flat && !plan[n - 2].flat && plan[n - 1].dtype == DT_BF16);
    one = (DrawFilter){.dtype = -1, .m = 4, .n = 64};
    n = plan_cases(&a, domain_make(&a, &op), &(PlanRequest){LEVEL_FULL, 1, &one}, &plan);
    for (int c = 0; c < n; c++) assert_false(plan[c].flat);
    arena_free(&a);
}

// Very wide rows take the classes that only they make hard; a value that was written down goes before both.
static void wide_rows_have_classes_of_their_own(void **state) {
    (void)state;
    Arena a = {0};
    Op op = the_op(&a, "rmsnorm");
    enum { ROWS = 12 };
    static const ClassId wide[] = {CLASS_constant_79, CLASS_stagnation,  CLASS_bell,
                                   CLASS_constant,    CLASS_spike_first, CLASS_spike_last};
    uint8_t cls[ROWS];
    PlannedCase c = {.dtype = DT_F32, .wide = true};
    plan_line_classes(&op, &c, ROWS, cls);
    for (size_t i = 0; i < sizeof wide / sizeof *wide; i++)
        if (!memchr(cls, wide[i], ROWS)) fail_msg("no row of class %s", class_name(wide[i]));
    const float number = 3;
    c.written = &number;
    c.writtens = 1;
    plan_line_classes(&op, &c, ROWS, cls);
    for (int i = 0; i < ROWS; i++) assert_int_equal(cls[i], CLASS_written);
    // Negated inputs hold no -inf.
    op = the_op(&a, "softmax");
    c = (PlannedCase){.dtype = DT_F32};
    uint8_t all_classes[CLASS_COUNT];
    plan_line_classes(&op, &c, CLASS_COUNT, all_classes);
    assert_non_null(memchr(all_classes, CLASS_neg_inf, CLASS_COUNT));
    c.negated = true;
    plan_line_classes(&op, &c, CLASS_COUNT, all_classes);
    assert_null(memchr(all_classes, CLASS_neg_inf, CLASS_COUNT));
    assert_null(memchr(all_classes, CLASS_neg_inf_blocks, CLASS_COUNT));
    assert_null(memchr(all_classes, CLASS_neg_inf_most, CLASS_COUNT));
    // Where -inf is in the domain, the widest rows have blocks of it.
    c = (PlannedCase){.dtype = DT_F32, .wide = true};
    plan_line_classes(&op, &c, ROWS, cls);
    assert_non_null(memchr(cls, CLASS_neg_inf_blocks, ROWS));
    PlannedCase *plan;
    int n = plan_cases(&a, domain_make(&a, &op), &(PlanRequest){LEVEL_FULL, 1, &all}, &plan), seven = 0;
    for (int i = 0; i < n; i++) seven += plan[i].wide && plan[i].dim[op.rows_dim] == 7;
    assert_int_equal(seven, 3);
    arena_free(&a);
}

// Gaps for all inputs, for each alone, and for all but one: at level full wherever the seed begins, at quick
// all in turn.
static void layouts_go_round(void **state) {
    (void)state;
    Arena a = {0};
    static const char *const ops[] = {"softmax", "swiglu", "add_rmsnorm", "add_layernorm", "cross_entropy"};
    for (size_t k = 0; k < sizeof ops / sizeof *ops; k++) {
        Op op = the_op(&a, ops[k]);
        int wanted = op.inputs == 1 ? 1 : op.inputs == 2 ? 3 : 2 * op.inputs + 1;
        for (uint64_t seed = 1; seed <= 4; seed++) {
            PlannedCase *plan;
            int n = plan_cases(&a, domain_make(&a, &op),
                               &(PlanRequest){seed & 1 ? LEVEL_FULL : LEVEL_QUICK, seed, &all}, &plan),
                found = 0;
            bool seen[256] = {0};
            for (int i = 0; i < n; i++) {
                uint64_t s = plan[i].strided;
                assert_int_equal(s >> op.inputs, 0);
                int64_t m = op.rows_dim >= 0 ? plan[i].dim[op.rows_dim] : 1;
                if (plan[i].twin) assert_int_equal(s, plan[i - 1].strided);
                if (s && m > 1 && plan[i].dim[op.row_dim] > 1 && !seen[s]) seen[s] = true, found++;
            }
            if (found != wanted) fail_msg("%s, seed %d: %d of %d layouts", ops[k], (int)seed, found, wanted);
        }
    }
    arena_free(&a);
}

static void full_adds_wide_rows_many_rows_and_hidden_cases(void **state) {
    (void)state;
    Arena a = {0};
    Op op = the_op(&a, "softmax");
    PlannedCase *plan;
    int n = plan_cases(&a, domain_make(&a, &op), &(PlanRequest){LEVEL_FULL, 1, &all}, &plan);
    bool wide[2] = {0}, many = false, hidden = false, square = false, sorted = true;
    for (int i = 0; i < n; i++) {
        int64_t len = plan[i].dim[op.row_dim];
        wide[0] |= len == 65536;
        wide[1] |= len == 65537;
        many |= plan[i].dim[op.rows_dim] == 1023;
        hidden |= plan[i].hidden;
        square |= plan[i].hidden && len > 64 && plan[i].dim[op.rows_dim] == len;
        sorted &= i == 0 || plan[i].flat || plan[i - 1].dim[op.row_dim] <= len;
    }
    assert_true(wide[0] && wide[1] && many && hidden && square && sorted);
    n = plan_cases(&a, domain_make(&a, &op), &(PlanRequest){LEVEL_QUICK, 1, &all}, &plan);
    for (int i = 0; i < n; i++) assert_true(plan[i].dim[op.row_dim] < 65536 && !plan[i].hidden);
    arena_free(&a);
}

// Numbers of a source become rows, row lengths and row counts.
static void numbers_of_a_source_are_drawn(void **state) {
    (void)state;
    Arena a = {0};
    Pool *pool = pool_open(1);
    Err e = {0};
    Draw d, more;
    Op op = the_op(&a, "softmax");
    assert_true(draw_make(
        &a, pool, &(DrawRequest){.op = &op, .level = LEVEL_QUICK, .seed = 3, .filter = &all}, &d, &e));
    const Coverage c = {.size = {20000},
                        .sizes = 1,
                        .written = {61},
                        .writtens = 1,
                        .value = {12.34f, 12.3401f},
                        .values = 2,
                        .beyond = {70000, 5000000},
                        .beyonds = 2};
    PlannedCase *plan;
    BeyondTried tried_beyond;
    int tried, n = plan_sizes(&a, &d, &all, &c, &plan, &tried), values = 0;
    bool columns = false, more_rows = false, written = false;
    for (int i = 0; i < n; i++) {
        values += plan[i].written != NULL;
        columns |= plan[i].dim[op.row_dim] == 20001 && plan[i].wide; // with a spike at 20000
        more_rows |= plan[i].dim[op.rows_dim] == 20001;
        written |= plan[i].dim[op.row_dim] == 61 && !plan[i].written;
    }
    assert_true(tried == 1 && values == 3 && columns && more_rows && written);
    assert_true(draw_make(&a, pool,
                          &(DrawRequest){.op = &op, .level = LEVEL_FULL, .seed = 3, .plan = plan, .cases = n},
                          &more, &e));
    int between = 0, near = 0, zeros = 0;
    for (int i = 0; i < n; i++) {
        if (!plan[i].written || plan[i].dtype != DT_F32) continue;
        const CaseTensor *t = &more.spec[i].input[0];
        for (int64_t r = 0; r < t->shape[0]; r++) {
            assert_int_equal(more.truth[i].line_class[r], CLASS_written);
            for (int64_t k = 0; k < t->shape[1]; k++) {
                double x = dtype_load(DT_F32, more.mapping + t->at + (t->offset + r * t->stride[0] + k) * 4);
                between += fabs(x) > 12.34001 && fabs(x) < 12.34009;
                near += fabs(x) >= 12.33999 && fabs(x) <= 12.34011;
                zeros += x == 0;
            }
        }
    }
    assert_true(between > 20 && near > 500 && zeros > 0);
    n = plan_beyond(&a, &d, &all, &c, &plan, &tried_beyond);
    assert_true(n == 3 && tried_beyond.n == 1 &&
                tried_beyond.size[0] == 70000); // five million columns are nobody's
    assert_true(plan[0].dim[op.row_dim] == 70000 && plan[2].dim[op.row_dim] == 131072);
    draw_free(&more);
    draw_free(&d);
    pool_close(pool);
    arena_free(&a);
}

// Rows of every class are as long as a number that a program compares with, and in the third dtype; but where
// so many would be much work, and for numbers that are only written down.
static void test_a_number_meets_every_class(void **state) {
    (void)state;
    static const char *const names[] = {"softmax", "swiglu"};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        for (uint64_t seed = 1; seed <= 20; seed++) {
            Arena a = {0};
            Op op;
            assert_true(op_find(&a, str_of(names[k]), &op));
            const Domain *m = domain_make(&a, &op);
            const Draw d = {.domain = m, .op = &op, .level = LEVEL_FULL, .seed = seed};
            const Coverage c = {.size = {300, 3000}, .sizes = 2, .written = {301 + 200}, .writtens = 1};
            PlannedCase *plan;
            int tried, n = plan_sizes(&a, &d, &all, &c, &plan, &tried), dtypes = 0, there = 0, most = 0;
            bool met[CLASS_COUNT] = {0};
            ClassId every[CLASS_COUNT];
            for (int i = 0; i < n; i++) {
                int64_t length = plan[i].dim[op.row_dim], rows = plan[i].dim[op.rows_dim];
                uint8_t *cls = NEWN(&a, uint8_t, (size_t)rows);
                if ((length == 3000 || length == 501) && rows > most) most = (int)rows;
                if (length != 300) continue;
                dtypes |= 1 << plan[i].dtype;
                plan_line_classes(&op, &plan[i], rows, cls);
                for (int64_t r = 0; r < rows; r++) met[cls[r]] = true;
            }
            int all_classes = plan_classes(&op, DT_F32, every);
            for (int i = 0; i < all_classes; i++) there += met[every[i]];
            assert_int_equal(there, all_classes);
            assert_int_equal(dtypes, 1 << DT_F16 | 1 << DT_BF16 | 1 << DT_F32);
            assert_true(most > 0 && most <= 5);
            arena_free(&a);
        }
}

static Op an_op(Arena *a, const char *definition) {
    Op op;
    DiagList diags = {0};
    if (!op_define(a, STR("mine"), str_of(definition), true, &op, &diags)) fail_msg("%s", definition);
    return op;
}

enum { LAST = 1300 };
typedef struct {
    uint8_t length[LAST + 1][DT_COUNT], rows[LAST + 1];
    int cases, draws;
} SizesSeen;

// All draws of every size up to `last`; where it ends.
static int64_t see_sizes(Arena *a, const Op *op, const DrawFilter *filter, int64_t last, SizesSeen *seen) {
    int64_t next = 1;
    *seen = (SizesSeen){0};
    for (int64_t from = 1; next <= last; from = next) {
        PlannedCase *plan;
        int cases = plan_every_size(a, domain_make(a, op), &(EverySize){7, filter, last}, &next, &plan);
        assert_in_range(cases, 0, WIRE_CASES_MAX);
        if (next == from) break;
        seen->draws++;
        seen->cases += cases;
        for (int i = 0; i < cases; i++) {
            int64_t dim[OP_DIMS_MAX], n = plan[i].dim[op->row_dim];
            memcpy(dim, plan[i].dim, sizeof dim);
            plan_fit(op, dim);
            assert_memory_equal(dim, plan[i].dim, sizeof dim); // of the domain
            if (n <= LAST) seen->length[n][plan[i].dtype]++;
            if (op->rows_dim >= 0 && plan[i].dim[op->rows_dim] <= LAST)
                seen->rows[plan[i].dim[op->rows_dim]] = 1;
        }
    }
    return next;
}

static void every_size_is_every_size(void **state) {
    (void)state;
    Arena a = {0};
    Op op = the_op(&a, "softmax");
    static SizesSeen seen;
    assert_int_equal(see_sizes(&a, &op, &all, LAST, &seen), LAST + 1);
    assert_true(seen.draws > 3);
    for (int n = 1; n <= LAST; n++) {
        if (!seen.length[n][DT_F32] || !seen.length[n][DT_F16] || !seen.length[n][DT_BF16])
            fail_msg("row length %d is left out", n);
        assert_int_equal(seen.rows[n], n <= EVERY_ROWS);
    }
    DrawFilter half = {.dtype = DT_F16};
    assert_int_equal(see_sizes(&a, &op, &half, 100, &seen), 101);
    assert_int_equal(seen.length[50][DT_F32], 0);
    assert_true(seen.length[50][DT_F16] && seen.length[100][DT_F16] && !seen.length[101][DT_F16]);
    // A domain that ends, and has even sizes only.
    op = an_op(&a, "\"\"\"An op.\"\"\"\ninputs = {\"x\": {\"shape\": (\"M\", \"N\")}}\n"
                   "dims = {\"N\": {\"max\": 64, \"multiple_of\": 2}}\n\n\n"
                   "def reference(x):\n    return torch.exp(x.float()).to(x.dtype)\n");
    assert_int_equal(see_sizes(&a, &op, &all, LAST, &seen), LAST + 1);
    for (int n = 1; n <= LAST; n++) assert_int_equal(seen.length[n][DT_F32] > 0, n <= 64 && n % 2 == 0);
    // Sizes that are too large for a CPU are not said to be tested.
    op = an_op(&a, "\"\"\"An op.\"\"\"\ninputs = {\"x\": {\"shape\": (\"M\", \"N\")}, "
                   "\"w\": {\"shape\": (\"N\", \"N\")}}\n\n\n"
                   "def reference(x, w):\n    return torch.matmul(x.float(), w.float()).to(x.dtype)\n");
    assert_in_range(see_sizes(&a, &op, &all, LAST, &seen), 500, LAST);
    arena_free(&a);
}

// How many of the classes a plan for one shape gives a row in this dtype.
static int classes_of_shape(const Op *op, Level level, uint64_t seed, DrawFilter shape, DType dtype) {
    Arena a = {0};
    PlannedCase *plan;
    bool seen[CLASS_COUNT] = {false};
    int cases = plan_cases(&a, domain_make(&a, op), &(PlanRequest){level, seed, &shape}, &plan), count = 0;
    for (int c = 0; c < cases; c++) {
        if (plan[c].dtype != dtype) continue;
        int64_t rows = plan[c].dim[op->rows_dim];
        uint8_t *row = NEWN(&a, uint8_t, (size_t)rows);
        assert_int_equal(plan[c].dim[op->row_dim], shape.n);
        plan_line_classes(op, &plan[c], rows, row);
        for (int64_t r = 0; r < rows; r++) count += !seen[row[r]], seen[row[r]] = true;
    }
    arena_free(&a);
    return count;
}

// Few rows are no reason to leave classes out; quick, which has no time for all, takes others in each draw.
static void one_shape_has_every_class(void **state) {
    (void)state;
    Arena a = {0};
    static const DrawFilter shapes[] = {{.dtype = -1, .m = 1, .n = 4096},
                                        {.dtype = -1, .m = 4, .n = 1025},
                                        {.dtype = -1, .m = 64, .n = 4096},
                                        {.dtype = -1, .m = 2, .n = 131072}};
    static const char *const names[] = {"softmax", "rmsnorm", "swiglu"};
    static const DType types[] = {DT_F16, DT_BF16, DT_F32};
    for (int i = 0; i < 3; i++) {
        Op op = the_op(&a, names[i]);
        ClassId list[CLASS_COUNT];
        for (int t = 0; t < 3; t++)
            for (int s = 0; s < 4; s++)
                for (uint64_t seed = 1; seed < 6; seed++)
                    assert_int_equal(classes_of_shape(&op, LEVEL_FULL, seed, shapes[s], types[t]),
                                     plan_classes(&op, types[t], list));
    }
    Op op = the_op(&a, "rmsnorm");
    PlannedCase *one, *two;
    assert_in_range(classes_of_shape(&op, LEVEL_QUICK, 1, shapes[0], DT_F16), 1, 2);
    plan_cases(&a, domain_make(&a, &op), &(PlanRequest){LEVEL_QUICK, 1, &shapes[0]}, &one);
    int other = 0;
    for (uint64_t seed = 2; seed < 10; seed++) {
        plan_cases(&a, domain_make(&a, &op), &(PlanRequest){LEVEL_QUICK, seed, &shapes[0]}, &two);
        other += two->first_line != one->first_line;
    }
    assert_in_range(other, 4, 8);
    arena_free(&a);
}

// Small symbols beside a long line are too much together, where there are several.
static void several_symbols_are_not_too_much(void **state) {
    (void)state;
    static const char text[] = "\"\"\"Twice x.\"\"\"\ninputs = {\"x\": {\"shape\": (\"B\", \"H\", \"S\", "
                               "\"D\")}}\ndef reference(x):\n    return (x.float() * 2).to(x.dtype)\n";
    Arena a = {0};
    Op op;
    DiagList diags = DIAGS(&a);
    if (!op_define(&a, STR("mine"), STR(text), true, &op, &diags)) fail_msg("%s", diag_first(&diags)->msg);
    for (uint64_t seed = 1; seed < 6; seed++) {
        PlannedCase *plan;
        int n = plan_cases(&a, domain_make(&a, &op), &(PlanRequest){LEVEL_FULL, seed, &all}, &plan);
        assert_true(n > 50);
        for (int i = 0; i < n; i++) assert_true(domain_elements(&op, plan[i].dim) <= 1 << 24);
    }
    arena_free(&a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_number_meets_every_class),
        cmocka_unit_test(several_symbols_are_not_too_much),
        cmocka_unit_test(one_shape_has_every_class),
        cmocka_unit_test(quick_shows_every_class_in_every_dtype),
        cmocka_unit_test(required_classes_are_there),
        cmocka_unit_test(many_rows_are_nearly_constant),
        cmocka_unit_test(wide_rows_have_classes_of_their_own),
        cmocka_unit_test(layouts_go_round),
        cmocka_unit_test(full_adds_wide_rows_many_rows_and_hidden_cases),
        cmocka_unit_test(numbers_of_a_source_are_drawn),
        cmocka_unit_test(every_size_is_every_size),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
