// Expressions of a manifest: arithmetic of shapes, and nothing else.
#include "service/manifests.h"

static void only_shape_arithmetic_is_an_expression(void **state) {
    (void)state;
    static const char *const none[] = {
        "",
        "x",
        "x[0]",
        "x + 1",
        "x.item()",
        "x.data_ptr()",
        "x.sum()",
        "x.T.shape",
        "x.__class__",
        "y.shape[0]",
        "out.shape[0]",
        "torch.empty(1)",
        "torch.cuda.device_count()",
        "torch.matmul",
        "triton.testing",
        "triton.jit",
        "math.sin",
        "open('a')",
        "eval('1')",
        "first",
        "run(x)",
        "lambda: 1",
        "[1 for i in x.shape]",
        "{1}",
        "[1]",
        "f'{x.shape}'",
        "(a := 1)",
        "x.shape[0]; 1",
        "a = 1",
        "1\\n2",
        "1 if",
        "min(*x.shape)",
        "x.shape[0], *x.shape",
        "META['BLOCK']",
        "max(1, key=2)",
        "x.view(-1).item()",
        "b'1'",
        "yield",
        "import os",
        "\\u0660",
        "(((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((("
        "((((1))))))))"
        "))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))",
    };
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
        char json[1024];
        snprintf(json, sizeof json, "{\"values\":{\"v\":\"%s\"}," RUN "," OUT "}", none[i]);
        refused(json, "values.v", "write an expression");
    }
    static const char *const good[] = {"x.shape[-1] // 2 + (1 if x.dtype == torch.float32 else 0)",
                                       "min(x.stride(0), w.numel(), x.size(1)) ** 2",
                                       "math.sqrt(float(x.shape[0])) * -math.pi",
                                       "not x.is_contiguous() and len(x.shape) < 3",
                                       "x.contiguous().stride(0) % x.element_size()",
                                       "x.shape[:-1] + (4,)",
                                       "float('inf')"};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        char json[1024];
        Str text;
        Err e = {0};
        snprintf(json, sizeof json, "{\"values\":{\"v\":\"%s\"}," RUN "," OUT "}", good[i]);
        if (!apply(json, kernels, true, &text, &e)) fail_msg("%s: %s", good[i], e.msg);
        DiagList d = DIAGS(&arena);
        const Node *module = parse_module(&arena, text, &d);
        if (!module || !host_screen(module, &d)) fail_msg("%s: %s", good[i], diag_first(&d)->msg);
    }
}

int main(void) {
    DiagList d = DIAGS(&arena);
    static const char definition[] =
        "\"\"\"A product.\"\"\"\n"
        "inputs = {\"x\": {\"shape\": (\"M\", \"N\")}, \"w\": {\"shape\": (\"N\",)}}\n"
        "def reference(x, w):\n"
        "    return (x.float() * w.float()).to(x.dtype)\n";
    if (!op_define(&arena, STR("product"), STR(definition), true, &op, &d)) return 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_shape_arithmetic_is_an_expression),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
