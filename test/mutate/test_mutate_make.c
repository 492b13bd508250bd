// New nodes of mutants: as text what people would write, with the place of what they replace, and nothing of
// the original changed.
#include "../lang/lang_test.h"

#include "mutate/mutate_make.h"

static Maker maker(void) { return (Maker){.scratch = &arena}; }

// The value of `y = ..`.
static const Node *value_of(const char *text) {
    return parse_text(arena_printf(&arena, "y = %s\n", text))->module.body.at[0]->assign.value;
}

static void expect(const Node *n, const char *text) { assert_string_equal(printed(n), text); }

static void nodes_print_as_written(void **state) {
    (void)state;
    Maker m = maker();
    const Node *e = value_of("a + b"), *x = value_of("x");
    expect(make_int(&m, e, 7), "7");
    expect(make_float(&m, e, 0.5), "0.5");
    expect(make_name(&m, e, STR("cols")), "cols");
    expect(make_tl(&m, e, "exp"), "tl.exp");
    expect(make_inf(&m, e, false), "float(\"inf\")");
    expect(make_inf(&m, e, true), "-float(\"inf\")");
    expect(make_unary(&m, OPER_NEG, e), "-(a + b)");
    expect(make_binary(&m, OPER_MUL, e, x), "(a + b) * x");
    expect(make_plus(&m, e, 1), "a + b + 1");
    expect(make_minus(&m, e, 2), "a + b - 2");
    expect(make_compare(&m, e, OPER_LT, x), "a + b < x");
    expect(make_where(&m, x, e, make_int(&m, e, 0)), "tl.where(x, a + b, 0)");
    expect(make_cast(&m, e, "float16"), "(a + b).to(tl.float16)");
    expect(make_assign(&m, e, x, e), "x = a + b");
}

static void calls_keep_their_arguments(void **state) {
    (void)state;
    Maker m = maker();
    const Node *call = value_of("tl.max(x, axis=0, keep_dims=True)");
    expect(make_recall(&m, call, "tl.min"), "tl.min(x, axis=0, keep_dims=True)");
    expect(make_call_without(&m, call, 1, "axis", NULL), "tl.max(x, keep_dims=True)");
    expect(make_call_without(&m, call, 1, "axis", "keep_dims"), "tl.max(x)");
    expect(make_call_without(&m, call, 5, "other", NULL), "tl.max(x, axis=0, keep_dims=True)");
    const Node *load = value_of("tl.load(p, m, 0.0, cache_modifier=\".cg\")");
    expect(make_call_without(&m, load, 1, "mask", "other"), "tl.load(p, cache_modifier=\".cg\")");
    expect(call, "tl.max(x, axis=0, keep_dims=True)"); // the original's own nodes are left alone
    expect(load, "tl.load(p, m, 0.0, cache_modifier=\".cg\")");
}

static void places_are_those_of_what_is_replaced(void **state) {
    (void)state;
    Maker m = maker();
    const Node *e = value_of("a + b");
    const Node *made[] = {make_int(&m, e, 1), make_unary(&m, OPER_NEG, e), make_plus(&m, e, 1),
                          make_cast(&m, e, "float16"), make_inf(&m, e, true)};
    for (size_t i = 0; i < sizeof made / sizeof *made; i++) {
        assert_int_equal(made[i]->span.at, e->span.at);
        assert_int_equal(made[i]->span.len, e->span.len);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(nodes_print_as_written),
        TEST(calls_keep_their_arguments),
        TEST(places_are_those_of_what_is_replaced),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
