// The text of what an op computes: what is used twice has a line, views have none, and what is in parentheses
// needs them.
#include "graph/formula.h"

#include "graph/traced.h"

static void expect(const char *name, const char *text) {
    Arena a = {0};
    Op op;
    Graph g;
    Err e = {0};
    Buf b = BUF(&a);
    assert_true(op_find(&a, str_of(name), &op));
    if (!graph_trace(&a, &op, &g, &e)) fail_msg("%s", e.msg);
    formula_put(&b, &g);
    assert_string_equal(buf_cstr(&b), text);
    arena_free(&a);
}

static void chains_are_read_from_top_to_bottom(void **state) {
    (void)state;
    expect("rmsnorm", "total = sum(square(x))\nrstd = rsqrt(total / N + 1e-06)\nout = x * rstd * w");
    expect("add_layernorm_mish", "v = x + residual\ntotal = sum(v)\nmean = total / N\nv2 = v - mean\n"
                                 "total2 = sum(square(v2))\nrstd = rsqrt(total2 / N + 1e-05)\n"
                                 "v3 = v2 * rstd * w + b\nout = v3 * tanh(softplus(v3))");
}

static void moves_and_numbers_are_said(void **state) {
    (void)state;
    expect("rope", "out = x * cos + cat(-part(x, D // 2, D // 2), part(x, 0, D // 2)) * sin");
    expect("dequant_int8", "out = q * scale");
    expect("softmax", "peak = amax(x)\ne = exp(x - peak)\ntotal = sum(e)\nout = e / total");
}

// The same definition with another constant, or another order, is another text.
static void different_formulas_have_different_texts(void **state) {
    (void)state;
    static const char *const bodies[] = {"x.float() - (x.float() - 2)", "x.float() - x.float() - 2",
                                         "x.float() / (x.float() * 2)", "x.float() / x.float() * 2",
                                         "x.float() - (x.float() - 3)"};
    enum { BODIES = sizeof bodies / sizeof *bodies };
    Arena a = {0};
    Str text[BODIES];
    for (int i = 0; i < BODIES; i++) {
        Op op;
        Graph g;
        Err e = {0};
        DiagList d = DIAGS(&a);
        const char *source =
            arena_printf(&a,
                         "\"\"\"One.\"\"\"\ninputs = {\"x\": {\"shape\": (\"M\", \"N\")}}\n\n\ndef "
                         "reference(x):\n    return (%s).to(x.dtype)\n",
                         bodies[i]);
        Buf b = BUF(&a);
        assert_true(op_define(&a, STR("one"), str_of(source), true, &op, &d));
        if (!graph_trace(&a, &op, &g, &e)) fail_msg("%s", e.msg);
        formula_put(&b, &g);
        text[i] = buf_str(&b);
        for (int k = 0; k < i; k++)
            if (str_eq(text[i], text[k])) fail_msg("%s and %s are %s", bodies[i], bodies[k], buf_cstr(&b));
    }
    arena_free(&a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chains_are_read_from_top_to_bottom),
        cmocka_unit_test(moves_and_numbers_are_said),
        cmocka_unit_test(different_formulas_have_different_texts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
