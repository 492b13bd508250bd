// Definitions: what is read, and that every kind of mistake is refused with its place and a next step.
#include "op/defined.h"

static void flags_are_declared(void **state) {
    (void)state;
    Op op;
    accepts(DOC X BODY, &op);
    assert_false(op.allow_tf32);
    accepts(DOC X "allow_tf32 = False\n" BODY, &op);
    assert_false(op.allow_tf32);
    accepts(DOC X "allow_tf32 = True\n" BODY, &op);
    assert_true(op.allow_tf32);
    assert_false(op.large);
    accepts(DOC X "giant = True\n" BODY, &op);
    assert_true(op.large && !op.allow_tf32);
    refuses(DOC X "giant = 1\n" BODY, "giant must be True or False", "1");
    refuses(DOC X "allow_tf32 = 1\n" BODY, "allow_tf32 must be True or False", "1");
    refuses(DOC X "allow_tf32 = True\nallow_tf32 = True\n" BODY, "allow_tf32 is assigned twice", NULL);
}

static void outputs_are_declared(void **state) {
    (void)state;
    Op op;
    accepts(DOC X BODY, &op);
    assert_true(op.outputs == 1 && op.output[0].name.len == 0 && op.output[0].init == -1 &&
                op_returns_one(&op));
    accepts(DOC X "outputs = {\"y\": {}, \"x\": {\"init\": \"x\"}}\n" BODY, &op);
    assert_true(op.outputs == 2 && str_is(op.output[0].name, "y") && op.output[0].init == -1);
    assert_true(op.output[1].init == 0 && op_output_in(&op, 0) == 1 && !op_returns_one(&op));
    Buf b = BUF(&arena);
    op_signature(&b, &op);
    assert_string_equal(buf_cstr(&b), "run(x: Tensor[M, N]) -> (y: Tensor, x changed in place)");
    accepts(DOC X "outputs = {\"y\": {\"init\": \"x\"}}\n" BODY, &op);
    b = BUF(&arena);
    op_domain(&b, &op);
    assert_non_null(strstr(buf_cstr(&b), "output y is the input x, changed in place\n"));
    refuses(DOC X "outputs = {}\n" BODY, "outputs is empty", "{}");
    refuses(DOC X "outputs = (\"y\",)\n" BODY, "outputs must be a dictionary literal", "(");
    refuses(DOC X "outputs = {\"y\": \"x\"}\n" BODY, "an output must be a dictionary literal", "\"x\"");
    refuses(DOC X "outputs = {\"2y\": {}}\n" BODY, "an output's name is an identifier", "\"2y\"");
    refuses(DOC X "outputs = {\"x\": {}}\n" BODY, "is an input: give this output another name", "\"x\": {}}");
    refuses(DOC X "outputs = {\"y\": {\"init\": \"z\"}}\n" BODY, "\"init\" must name an input", "\"z\"");
    refuses(DOC X "outputs = {\"y\": {\"init\": 1}}\n" BODY, "init must be a string", "1");
    refuses(DOC X "outputs = {\"y\": {\"dtype\": \"int32\"}}\n" BODY, "an output has one key: init",
            "\"dtype\"");
    refuses(DOC X "outputs = {\"a\": {\"init\": \"x\"}, \"b\": {\"init\": \"x\"}}\n" BODY,
            "changed in place by another output", "\"x\"}}");
    refuses(DOC X "outputs = {\"a\": {}}\noutputs = {\"a\": {}}\n" BODY, "outputs is assigned twice", NULL);
    refuses(DOC X "outputs = {\"a\": {}, \"b\": {}, \"c\": {}, \"d\": {}, \"e\": {}, \"f\": {}, \"g\": {}, "
                  "\"h\": {}, \"i\": {}}\n" BODY,
            "more than 8 outputs", "\"i\"");
}

static void invariances_are_declared(void **state) {
    (void)state;
    Op op;
    accepts(DOC X BODY, &op);
    assert_int_equal(op.invariants, 0);
    accepts(DOC X "invariant = {\"x\": \"shift\"}\n" BODY, &op);
    assert_true(op.invariants == 1 && op.invariant[0].shift && op.invariant[0].degree == 0);
    accepts(DOC X "invariant = {\"x\": \"scale\"}\n" BODY, &op);
    assert_true(op.invariants == 1 && !op.invariant[0].shift && op.invariant[0].degree == 0);
    accepts(DOC X "invariant = {\"x\": (\"scale\", -2)}\n" BODY, &op);
    assert_true(!op.invariant[0].shift && op.invariant[0].degree == -2);
    Buf said = BUF(&arena);
    op_domain(&said, &op);
    assert_non_null(strstr(buf_cstr(&said),
                           "a row of x times a positive number multiplies the answer by its power of -2"));
    refuses(DOC X "invariant = \"shift\"\n" BODY, "invariant must be a dictionary literal", "\"shift\"");
    refuses(DOC X "invariant = {\"y\": \"shift\"}\n" BODY, "invariant must name inputs", "\"y\"");
    refuses(DOC X "invariant = {\"x\": \"move\"}\n" BODY, "an invariance is \"shift\"", "\"move\"");
    refuses(DOC X "invariant = {\"x\": 1}\n" BODY, "an invariance is", "1");
    refuses(DOC X "invariant = {\"x\": (\"shift\", 1)}\n" BODY, "an invariance is", "(");
    refuses(DOC X "invariant = {\"x\": (\"scale\", 9)}\n" BODY, "an integer from -8 to 8", "9");
    refuses(DOC X "invariant = {\"x\": (\"scale\", 1.0)}\n" BODY, "an integer from -8 to 8", "1.0");
    refuses(DOC X "invariant = {\"x\": \"scale\", \"x\": \"shift\"}\n" BODY, "occurs twice", NULL);
    refuses(DOC X "invariant = {}\ninvariant = {}\n" BODY, "invariant is assigned twice", NULL);
    refuses(DOC "inputs = {\"x\": {\"shape\": (\"M\", \"N\"), \"dtype\": \"int8\", \"range\": (-8, 8)}}\n"
                "invariant = {\"x\": \"scale\"}\n" BODY,
            "only a float input", "\"x\": \"scale\"");
    refuses(DOC "inputs = {\"x\": {\"shape\": (\"M\", \"N\"), \"range\": (-8, 8)}}\n"
                "invariant = {\"x\": \"shift\"}\n" BODY,
            "an input with a range cannot be shifted", "\"x\": \"shift\"");
}

#define ROUNDED "def rounded(x):\n    return x * 2\n"

static void roundings_are_named(void **state) {
    (void)state;
    Op op, plain;
    accepts(DOC X BODY, &plain);
    assert_int_equal(plain.roundings, 0);
    assert_memory_equal(&plain.core, &plain.hash, sizeof plain.hash);
    accepts(DOC X BODY ROUNDED "roundings = {\"gate\": rounded}\n", &op);
    assert_true(op.roundings == 1 && str_is(op.rounding[0].name, "gate") &&
                str_is(op.rounding[0].function, "rounded") && op.rounded == 0);
    // The strength of its cases is that of its reference.
    assert_memory_equal(&op.core, &plain.hash, sizeof plain.hash);
    assert_memory_not_equal(&op.hash, &plain.hash, sizeof plain.hash);
    accepts(DOC X BODY "roundings = {}\n", &op);
    assert_int_equal(op.roundings, 0);
    refuses(DOC X BODY ROUNDED "roundings = rounded\n", "roundings must be a dictionary literal", "rounded");
    refuses(DOC X BODY ROUNDED "roundings = {\"a\": 1}\n", "another function of this file", "1");
    refuses(DOC X BODY ROUNDED "roundings = {\"a\": other}\n", "another function of this file", "other");
    refuses(DOC X BODY "roundings = {\"a\": reference}\n", "another function of this file", "reference}");
    refuses(DOC X BODY "roundings = {\"a\": rounded}\n" ROUNDED, "defined above", "rounded}");
    refuses(DOC X BODY ROUNDED "roundings = {\"no name\": rounded}\n", "identifier", "\"no name\"");
    refuses(DOC X BODY "def rounded(x, y):\n    return x\nroundings = {\"a\": rounded}\n", "takes the inputs",
            "def rounded");
    refuses(DOC X BODY ROUNDED "roundings = {\"a\": rounded, \"b\": rounded, \"c\": rounded, \"d\": rounded, "
                               "\"e\": rounded}\n",
            "more than 4 roundings", "\"e\"");
    refuses(DOC X BODY ROUNDED "roundings = {\"a\": rounded, \"a\": rounded}\n", "occurs twice", NULL);
}

static void defaults(void **state) {
    (void)state;
    Op op;
    accepts(DOC X BODY, &op);
    assert_int_equal(op.inputs, 1);
    const OpInput *x = &op.input[0];
    assert_true(str_is(x->name, "x") && x->any_float && x->rank == 2);
    assert_true(x->scale_lo == 1e-4 && x->scale_hi == 8 && x->shift == 0);
    assert_false(x->large || x->ranged || x->neg_inf);
    assert_true(x->range_dim == -1 && x->keep == -1 && x->role == ROLE_DATA);
    assert_int_equal(op.dims, 2);
    assert_int_equal(op.rows_dim, 0);
    assert_int_equal(op.row_dim, 1);
    assert_true(op.dim[1].multiple_of == 1 && op.dim[1].min == 1 && op.dim[1].max == OP_SIZE_MAX);
    assert_true(str_is(op.notes, "Scales x.") && str_is(op.name, "mine") && op.user);
    assert_true(op.module && op.reference);
    Sha256 hash = sha256_of(str_of(DOC X BODY));
    assert_memory_equal(&op.hash, &hash, sizeof hash);
}

static void rows_may_be_absent(void **state) {
    (void)state;
    Op op;
    accepts(DOC "inputs = {\"x\": {\"shape\": (\"N\",)}}\n" BODY, &op);
    assert_int_equal(op.rows_dim, -1);
    assert_int_equal(op.row_dim, 0);
}

static void wrong_files(void **state) {
    (void)state;
    refuses("", "", NULL);
    refuses("def (", "", NULL);
    refuses(X BODY, "starts with a docstring", "inputs");
    refuses("\"\"\" \n \"\"\"\n" X BODY, "starts with a docstring", NULL);
    refuses(DOC BODY, "no inputs", NULL);
    refuses(DOC X, "no reference", NULL);
    refuses(DOC X X BODY, "assigned twice", "inputs");
    refuses(DOC X BODY BODY, "defined twice", "def reference");
    refuses(DOC X "reference = 1\n", "must be a function", "reference");
    refuses(DOC X BODY "open('x')\n", "nothing else runs in it", "open");
    refuses(DOC X BODY "while True:\n    pass\n", "nothing else runs in it", "while");
    refuses(DOC X BODY "class A:\n    pass\n", "nothing else runs in it", "class");
    refuses(DOC "import os\n" X BODY, "imports only torch", "import os");
    refuses(DOC "from os import path\n" X BODY, "imports only torch", "from os");
    refuses(DOC "import torch, os\n" X BODY, "imports only torch", "import torch");
    refuses(DOC X "scale = x.sum()\n" BODY, "only numbers", "x.sum");
    refuses(DOC X "a = b = 3\n" BODY, "plain assignments", "a = b");
    refuses(DOC X "x.y = 3\n" BODY, "plain assignments", "x.y");
    refuses(DOC X "@torch.compile\n" BODY, "no decorators", NULL);
    refuses(DOC X "def reference(y):\n    return y\n", "def reference(x):", "def reference");
    refuses(DOC X "def reference(x, y):\n    return y\n", "def reference(x):", NULL);
    refuses(DOC X "def reference():\n    return 1\n", "def reference(x):", NULL);
    refuses(DOC X "def reference(x=1):\n    return x\n", "def reference(x):", NULL);
    refuses(DOC X "def reference(*x):\n    return x\n", "def reference(x):", NULL);
    refuses(DOC X "def reference(*, x):\n    return x\n", "def reference(x):", NULL);
    refuses(DOC "inputs = {\"x\": {\"shape\": (\"M\", \"N\")}, \"y\": {\"shape\": (\"N\",)}}\n"
                "def reference(y, x):\n    return x\n",
            "def reference(x, y):", NULL);
}

static void wrong_dims(void **state) {
    (void)state;
    refuses(DOC X "dims = 3\n" BODY, "dictionary literal", "3");
    refuses(DOC X "dims = {\"K\": {}}\n" BODY, "no input has this dimension", "\"K\"");
    refuses(DOC X "dims = {\"N\": 2}\n" BODY, "dictionary literal", "2");
    refuses(DOC X "dims = {\"N\": {\"step\": 2}}\n" BODY, "multiple_of, min, max and usual", "\"step\"");
    refuses(DOC X "dims = {\"N\": {\"min\": 0}}\n" BODY, "min must be an integer", "0");
    refuses(DOC X "dims = {\"N\": {\"max\": 1.5}}\n" BODY, "max must be an integer", "1.5");
    refuses(DOC X "dims = {\"N\": {\"min\": 5, \"max\": 4}}\n" BODY, "no size satisfies", "{\"min\"");
    refuses(DOC X "dims = {\"N\": {\"multiple_of\": 8, \"min\": 9, \"max\": 15}}\n" BODY, "no multiple of 8",
            NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(roundings_are_named),
        cmocka_unit_test(flags_are_declared),
        cmocka_unit_test(invariances_are_declared),
        cmocka_unit_test(outputs_are_declared),
        cmocka_unit_test(defaults),
        cmocka_unit_test(rows_may_be_absent),
        cmocka_unit_test(wrong_files),
        cmocka_unit_test(wrong_dims),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    arena_free(&arena);
    return failed;
}
