// Plans in the narrow style: which schedules suit which rows, and files that are alike but for what is drawn.
#include "grammar/narrow_style.h"

#include "grammar/proposals.h"

enum { DRAWS = 60 };

static void traced(Arena *a, const char *name, Op *op, Graph *g) {
    Err e = {0};
    assert_true(op_find(a, str_of(name), op));
    if (!graph_trace(a, op, g, &e)) fail_msg("%s", e.msg);
}

static void rows_have_classes(void **state) {
    (void)state;
    assert_int_equal(rows_class(0), ROWS_ANY);
    assert_int_equal(rows_class(128), ROWS_SHORT);
    assert_int_equal(rows_class(ROWS_SHORT_MOST), ROWS_SHORT);
    assert_int_equal(rows_class(4096), ROWS_ANY);
    assert_int_equal(rows_class(ROWS_LONG_LEAST + 1), ROWS_LONG);
    assert_true(rows_class_suits(ROWS_LONG, "looped, 2 passes, block up to 1024, 4 warps"));
    assert_true(rows_class_suits(ROWS_SHORT, "several rows, tiles of 2048, 8 a thread"));
    assert_false(rows_class_suits(ROWS_LONG, "whole row, 4 warps"));
    assert_false(rows_class_suits(ROWS_ANY, "whole row or split, 4 warps"));
    assert_false(rows_class_suits(ROWS_ANY, "split row, 2 kernels, block up to 4096, 8 warps"));
    assert_false(rows_class_suits(ROWS_ANY, ""));
}

static void plans_suit_the_rows_and_parse(void **state) {
    (void)state;
    static const char *const ops[] = {"softmax", "swiglu", "add_layernorm_mish", "cross_entropy", "rope"};
    for (size_t k = 0; k < sizeof ops / sizeof *ops; k++)
        for (int c = 0; c < ROWS_CLASSES; c++) {
            Arena a = {0};
            Op op;
            Graph g;
            Rng r = rng_at(3, k);
            int different = 0;
            traced(&a, ops[k], &op, &g);
            SeenPrograms seen = {.arena = &a};
            for (int i = 0; i < DRAWS; i++) {
                Plan p;
                DiagList d = DIAGS(&a);
                assert_true(narrow_draw(&g, (RowsClass)c, &r, &p));
                assert_true(plan_possible(&g, p.schedule));
                assert_int_equal(p.style, STYLE_NARROW);
                assert_true(rows_class_suits((RowsClass)c, plan_words(&a, &g, &p)));
                Str text = kernel_emit(&a, &g, &p, NULL);
                if (!parse_module(&a, text, &d)) fail_msg("%s\n%.*s", d.at[0].msg, STR_ARG(text));
                different += !seen_before(&seen, program_hash(text));
                assert_non_null(memmem(text.p, text.len, "def kernel(", 11));
                assert_null(memmem(text.p, text.len, ops[k], strlen(ops[k])));
            }
            assert_true(different >= 8);
            arena_free(&a);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_have_classes),
        cmocka_unit_test(plans_suit_the_rows_and_parse),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
