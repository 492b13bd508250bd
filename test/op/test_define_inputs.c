// The inputs of a definition: every key, and every mistake with its place and a next step.
#include "op/defined.h"

#define ONE(domain) DOC "inputs = {\"x\": " domain "}\n" BODY

static void every_key(void **state) {
    (void)state;
    Op op;
    accepts("\"\"\"One\n   sentence.\n\n   More.\n\"\"\"\n"
            "import torch\nimport torch.nn.functional as F\n"
            "EPS = 1e-6\nSHIFT = -3\n"
            "inputs = {\n"
            "  'x': {'shape': ('M', 4, 'K'), 'scale': (0.5, 64), 'shift': 30000, 'large': True, 'neg_inf': "
            "True,\n"
            "        'keep': 't'},\n"
            "  't': {'shape': ('M', 4), 'dtype': 'int64', 'range': (0, 'K')},\n"
            "  'q': {'shape': ['K'], 'dtype': 'int8', 'range': (-128, 127)},\n"
            "  'c': {'shape': ('M', 'K'), 'range': (-1, 1.5)},\n"
            "  's': {'shape': (1,), 'dtype': 'float16', 'role': 'bias', 'scale': (2, 2)},\n"
            "  'w': {'shape': ('K',), 'role': 'weight', 'neg_inf': False},\n"
            "}\n"
            "dims = {'K': {'multiple_of': 8, 'min': 16, 'max': 4096}}\n"
            "def helper(v):\n    return v + EPS\n"
            "def reference(x, t, q, c, s, w):\n    return helper(x)\n",
            &op);
    assert_true(str_is(op.notes, "One sentence."));
    assert_int_equal(op.inputs, 6);
    const OpInput *x = &op.input[0], *t = &op.input[1], *q = &op.input[2], *c = &op.input[3],
                  *s = &op.input[4];
    assert_true(x->rank == 3 && x->dim[1] == -1 && x->size[1] == 4 && x->large && x->neg_inf && x->keep == 1);
    assert_true(x->scale_lo == 0.5 && x->scale_hi == 64 && x->shift == 30000);
    assert_true(!t->any_float && t->dtype == DT_I64 && t->ranged && t->range_dim == op.row_dim);
    assert_true(q->dtype == DT_I8 && q->range_lo == -128 && q->range_hi == 127 && q->range_dim == -1);
    assert_true(c->any_float && c->ranged && c->range_hi == 1.5);
    assert_true(s->dtype == DT_F16 && !s->any_float && s->role == ROLE_BIAS && s->size[0] == 1);
    assert_true(op.input[5].role == ROLE_WEIGHT);
    const OpDim *k = &op.dim[op.row_dim];
    assert_true(str_is(k->name, "K") && k->multiple_of == 8 && k->min == 16 && k->max == 4096);
}

static void wrong_inputs(void **state) {
    (void)state;
    refuses(DOC "inputs = []\n" BODY, "dictionary literal", "[]");
    refuses(DOC "inputs = dict(x=1)\n" BODY, "dictionary literal", "dict");
    refuses(DOC "inputs = {}\n" BODY, "at least one input", "{}");
    refuses(DOC "inputs = {**other}\n" BODY, "written out", NULL);
    refuses(DOC "inputs = {3: {\"shape\": (\"N\",)}}\n" BODY, "must be a string", "3");
    refuses(DOC "inputs = {\"x\": {\"shape\": (\"N\",)}, \"x\": {\"shape\": (\"N\",)}}\n" BODY,
            "occurs twice", "\"x\"");
    refuses(DOC "inputs = {\"x y\": {\"shape\": (\"N\",)}}\n" BODY, "identifier", "\"x y\"");
    refuses(ONE("3"), "dictionary literal", "3");
    refuses(ONE("{}"), "needs its shape", "{}");
    refuses(ONE("{\"shape\": (\"N\",), \"scael\": (1, 2)}"), "no key \"scael\"", "\"scael\"");
    refuses(ONE("{\"shape\": (\"N\",), \"shape\": (\"N\",)}"), "occurs twice", "\"shape\"");
    Buf many = BUF(&arena);
    buf_puts(&many, DOC "inputs = {");
    for (int i = 0; i < OP_INPUTS_MAX + 1; i++) buf_printf(&many, "\"x%d\": {\"shape\": (\"N\",)}, ", i);
    buf_puts(&many, "}\n" BODY);
    refuses(buf_cstr(&many), "more than 64 inputs", "\"x64\"");
}

static void wrong_shapes(void **state) {
    (void)state;
    refuses(ONE("{\"shape\": (\"N\")}"), "needs a comma", "\"N\"");
    refuses(ONE("{\"shape\": ()}"), "1 to 8 dimensions", "(");
    refuses(ONE("{\"shape\": (1, 2, 3, 4, 5, 6, 7, 8, \"N\")}"), "1 to 8 dimensions", "(1");
    refuses(ONE("{\"shape\": 4}"), "1 to 8 dimensions", "4");
    refuses(ONE("{\"shape\": (\"n\",)}"), "upper-case", "\"n\"");
    refuses(ONE("{\"shape\": (\"\",)}"), "upper-case", "\"\"");
    refuses(ONE("{\"shape\": (0, \"N\")}"), "a size must be", "0");
    refuses(ONE("{\"shape\": (-1, \"N\")}"), "must be a string", "-1");
    refuses(ONE("{\"shape\": (99999999999999999999999, \"N\")}"), "a size must be", "9999");
    refuses(ONE("{\"shape\": (2.0, \"N\")}"), "must be a string", "2.0");
    refuses(ONE("{\"shape\": (\"M\", 4)}"), "row length", NULL);
    refuses(ONE("{\"shape\": (\"M\",)}"), "another name", NULL);
    refuses(DOC "inputs = {\"x\": {\"shape\": (\"A\", \"B\", \"C\", \"D\", \"E\", \"F\", \"G\", \"H\")}, "
                "\"y\": {\"shape\": (\"I\", \"J\", \"K\", \"L\", \"O\", \"P\", \"Q\", \"R\")}, "
                "\"z\": {\"shape\": (\"S\",)}}\n" BODY,
            "different dimensions", "\"S\"");
}

static void wrong_domains(void **state) {
    (void)state;
    refuses(ONE("{\"shape\": (\"N\",), \"dtype\": \"float17\"}"), "no dtype", "\"float17\"");
    refuses(ONE("{\"shape\": (\"N\",), \"dtype\": torch.int8}"), "must be a string", "torch");
    refuses(ONE("{\"shape\": (\"N\",), \"dtype\": \"float64\"}"), "cannot be judged", "\"float64\"");
    refuses(ONE("{\"shape\": (\"N\",), \"dtype\": \"int8\"}"), "which values it takes", "{");
    refuses(ONE("{\"shape\": (\"N\",), \"scale\": 3}"), "must be a pair", "3");
    refuses(ONE("{\"shape\": (\"N\",), \"scale\": (1, 2, 3)}"), "must be a pair", "(1");
    refuses(ONE("{\"shape\": (\"N\",), \"scale\": (2, 1)}"), "0 < lo <= hi", "(2");
    refuses(ONE("{\"shape\": (\"N\",), \"scale\": (0, 1)}"), "0 < lo <= hi", NULL);
    refuses(ONE("{\"shape\": (\"N\",), \"scale\": (-1, 1)}"), "0 < lo <= hi", NULL);
    refuses(ONE("{\"shape\": (\"N\",), \"scale\": (1, 1e5)}"), "largest value is 65504", NULL);
    refuses(ONE("{\"shape\": (\"N\",), \"scale\": (1, 1e999)}"), "finite number", "1e999");
    refuses(ONE("{\"shape\": (\"N\",), \"scale\": (1, 2**3)}"), "finite number", "2**3");
    refuses(ONE("{\"shape\": (\"N\",), \"scale\": (1, True)}"), "finite number", "True");
    refuses(ONE("{\"shape\": (\"N\",), \"shift\": -1}"), "between 0 and", "-1");
    refuses(ONE("{\"shape\": (\"N\",), \"shift\": 1e6}"), "between 0 and", "1e6");
    refuses(ONE("{\"shape\": (\"N\",), \"large\": 1}"), "True or False", "1");
    refuses(ONE("{\"shape\": (\"N\",), \"neg_inf\": \"yes\"}"), "True or False", "\"yes\"");
    refuses(ONE("{\"shape\": (\"N\",), \"role\": \"gamma\"}"), "\"weight\"", "\"gamma\"");
    refuses(ONE("{\"shape\": (\"N\",), \"range\": (2, 1)}"), "lo <= hi", "(2");
    refuses(ONE("{\"shape\": (\"N\",), \"range\": (0, 1e5)}"), "dtype", "(0");
    refuses(ONE("{\"shape\": (\"N\",), \"range\": (0, 1), \"scale\": (1, 2)}"), "\"scale\" says nothing",
            "(1");
    refuses(ONE("{\"shape\": (\"N\",), \"range\": (0, 1), \"large\": True}"), "\"large\" says nothing",
            "True");
    refuses(ONE("{\"shape\": (\"N\",), \"range\": (0, 1), \"neg_inf\": True}"), "can hold -inf", "True");
    refuses(ONE("{\"shape\": (\"N\",), \"dtype\": \"int8\", \"range\": (-129, 0)}"), "holds -128 to 127",
            "(-129");
    refuses(ONE("{\"shape\": (\"N\",), \"dtype\": \"uint8\", \"range\": (-1, 0)}"), "holds 0 to 255", "(-1");
    refuses(ONE("{\"shape\": (\"N\",), \"dtype\": \"int8\", \"range\": (0, 1.5)}"), "pair of integers", "(0");
    refuses(ONE("{\"shape\": (\"N\",), \"dtype\": \"int64\", \"range\": (0, b\"N\")}"), "a finite number",
            "b");
    refuses(ONE("{\"shape\": (\"N\",), \"dtype\": \"int64\", \"range\": (0, \"K\")}"), "no shape before it",
            "\"K\"");
    refuses(ONE("{\"shape\": (\"N\",), \"dtype\": \"int64\", \"range\": (1, \"N\")}"), "start at 0", "1");
    refuses(ONE("{\"shape\": (\"N\",), \"dtype\": \"int8\", \"range\": (0, \"N\")}"), "\"int64\"", "(0");
    refuses(ONE("{\"shape\": (\"N\",), \"range\": (0, \"N\")}"), "\"int64\"", "(0");
    refuses(ONE("{\"shape\": (\"N\",), \"keep\": \"t\"}"), "needs \"neg_inf\"", "\"t\"");
    refuses(ONE("{\"shape\": (\"N\",), \"neg_inf\": True, \"keep\": \"t\"}"), "must name an input", "\"t\"");
    refuses(ONE("{\"shape\": (\"N\",), \"neg_inf\": True, \"keep\": \"x\"}"), "index input", "\"x\"");
    refuses(DOC "inputs = {\"x\": {\"shape\": (\"M\", \"N\"), \"neg_inf\": True, \"keep\": \"t\"},"
                " \"t\": {\"shape\": (\"M\",), \"dtype\": \"int64\", \"range\": (0, \"M\")}}\n" BODY,
            "index input", "\"t\"");
}

// Sizes that follow from others, sizes to optimise for, factors of either sign.
static void parts_and_signs(void **state) {
    (void)state;
#define HALF(shape, dims)                                                                     \
    DOC "inputs = {\"x\": {\"shape\": (\"M\", \"D\")}, \"c\": {\"shape\": " shape "}}\n" dims \
        "\ndef reference(x, c):\n    return x\n"
    Op op;
    accepts(HALF("(\"M\", \"D/2\")", "dims = {\"D\": {\"multiple_of\": 4, \"usual\": 64}}"), &op);
    assert_true(op.dims == 3 && str_is(op.dim[2].name, "D/2") && op.dim[2].of == 1 && op.dim[2].divisor == 2);
    assert_true(op.dim[1].of == -1 && op.dim[1].usual == 64 && op.dim[0].usual == 0 &&
                op.input[1].dim[1] == 2);
    int64_t size[OP_DIMS_MAX] = {7, 12, 99};
    op_sizes_fit(&op, size);
    assert_true(size[0] == 7 && size[1] == 12 && size[2] == 6);
    refuses(HALF("(\"M\", \"D/2\")", ""), "multiple_of", NULL);
    refuses(HALF("(\"M\", \"D/2\")", "dims = {\"D\": {\"multiple_of\": 3}}"), "multiple_of", NULL);
    refuses(HALF("(\"M\", \"E/2\")", ""), "a part of a dimension", "\"E/2\"");
    refuses(HALF("(\"M\", \"D/1\")", ""), "a part of a dimension", NULL);
    refuses(HALF("(\"M\", \"D/\")", ""), "a part of a dimension", NULL);
    refuses(HALF("(\"M\", \"D/-2\")", ""), "a part of a dimension", NULL);
    refuses(HALF("(\"M\", \"D/2/2\")", ""), "a part of a dimension", NULL);
    refuses(HALF("(\"M\", \"D/99999999999999999999\")", ""), "a part of a dimension", NULL);
    refuses(HALF("(\"M\", \"D/2\")", "dims = {\"D/2\": {\"min\": 2}}"), "follows from another", "\"D/2\"");
    refuses(DOC "inputs = {\"x\": {\"shape\": (\"N\", \"N/2\")}}\n" BODY, "row length", NULL);
    refuses(DOC X "dims = {\"N\": {\"usual\": 3, \"multiple_of\": 2}}\n" BODY, "usual size", NULL);
    refuses(DOC X "dims = {\"N\": {\"usual\": 1048577}}\n" BODY, "usual must be an integer", NULL);
    accepts(DOC "inputs = {\"x\": {\"shape\": (\"N\",), \"range\": (0.5, 2), \"signs\": \"both\"}}\n" BODY,
            &op);
    assert_true(op.input[0].both_signs);
    accepts(DOC "inputs = {\"x\": {\"shape\": (\"N\",), \"range\": (0.5, 2)}}\n" BODY, &op);
    assert_false(op.input[0].both_signs);
    refuses(ONE("{\"shape\": (\"N\",), \"range\": (0.5, 2), \"signs\": \"plus\"}"), "\"both\"", "\"plus\"");
    refuses(ONE("{\"shape\": (\"N\",), \"range\": (0, 2), \"signs\": \"both\"}"), "positive numbers", NULL);
    refuses(ONE("{\"shape\": (\"N\",), \"signs\": \"both\"}"), "positive numbers", NULL);
    refuses(ONE("{\"shape\": (\"N\",), \"dtype\": \"int8\", \"range\": (1, 2), \"signs\": \"both\"}"),
            "positive numbers", NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_key),     cmocka_unit_test(wrong_inputs),    cmocka_unit_test(wrong_shapes),
        cmocka_unit_test(wrong_domains), cmocka_unit_test(parts_and_signs),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    arena_free(&arena);
    return failed;
}
