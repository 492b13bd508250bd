// Names, plain words and files: what they find, and what they list instead.
#include "base/io.h"
#include "op/op.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

static Arena arena;

static void finds(const char *text, const char *name) {
    Op op;
    Err e = {0};
    if (!op_resolve(&arena, text, &op, &e)) fail_msg("\"%s\": %s", text, e.msg);
    if (!str_is(op.name, name)) fail_msg("\"%s\" found %.*s, not %s", text, STR_ARG(op.name), name);
}

// Refused, with `near` among what the message lists.
static void lists(const char *text, const char *near) {
    Op op;
    Err e = {0};
    if (op_resolve(&arena, text, &op, &e)) fail_msg("\"%s\" found %.*s", text, STR_ARG(op.name));
    assert_int_equal(e.code, ERR_USAGE);
    if (!strstr(e.msg, near)) fail_msg("\"%s\": \"%s\" does not list %s", text, e.msg, near);
}

static void all_names_define(void **state) {
    (void)state;
    int n;
    const Str *name = op_names(&arena, &n);
    assert_int_equal(n, 6 + 24);
    assert_null(name[n].p);
    for (int i = 0; i < n; i++) {
        Op op;
        if (!op_find(&arena, name[i], &op)) fail_msg("%.*s is not found", STR_ARG(name[i]));
        assert_true(str_eq(op.name, name[i]) && !op.user && op.notes.len > 20);
        for (int k = 0; k < i; k++) assert_false(str_eq(name[k], name[i]));
        finds(str_cdup(&arena, name[i]), str_cdup(&arena, name[i]));
        // The same words with spaces between them.
        char *spaced = str_cdup(&arena, name[i]);
        for (char *p = spaced; *p; p++)
            if (*p == '_') *p = ' ';
        finds(spaced, str_cdup(&arena, name[i]));
    }
    Op op;
    assert_false(op_find(&arena, STR("soft"), &op));
    assert_false(op_find(&arena, STR("gold/softmax"), &op));
    assert_false(op_find(&arena, STR(""), &op));
}

static void domains(void **state) {
    (void)state;
    Op op;
    assert_true(op_find(&arena, STR("cross_entropy"), &op));
    assert_true(op.input[0].keep == 1 && op.input[0].neg_inf && op.input[1].range_dim == op.row_dim);
    assert_true(op_find(&arena, STR("rope"), &op));
    assert_true(op.dim[op.row_dim].multiple_of == 2 && str_is(op.dim[op.row_dim].name, "D"));
    assert_true(op_find(&arena, STR("dequant_int8"), &op));
    assert_true(op.input[0].dtype == DT_I8 && op.input[0].range_lo == -128 && op.input[1].size[1] == 1);
    assert_true(op_find(&arena, STR("cumsum"), &op));
    assert_true(op.input[0].shift == 0 && op.input[0].scale_hi == 8);
}

static void plain_words(void **state) {
    (void)state;
    finds("rmsnorm with residual, then gelu", "add_rmsnorm_gelu");
    finds("rotary embedding", "rope");
    finds("cross entropy loss", "cross_entropy");
    finds("fused residual add and layer norm then relu", "add_layernorm_relu");
    finds("RMSNorm", "rmsnorm");
    finds("RMS-Norm + residual", "add_rmsnorm");
    finds("layer_norm", "layernorm");
    finds("Layer normalization followed by tanh", "layernorm_tanh");
    finds("gelu(rmsnorm(x + residual))", "add_rmsnorm_gelu");
    finds("silu of gelu of layernorm", "layernorm_gelu_silu");
    finds("gelu after rmsnorm, then relu", "rmsnorm_gelu_relu");
    finds("root mean square normalisation, then swish", "rmsnorm_silu");
    finds("add the residual, then layer norm", "add_layernorm");
    finds("SwiGLU", "swiglu");
    finds("silu(gate) * up", "swiglu");
    finds("numerically stable softmax over the last dimension", "softmax");
    finds("a softmax kernel for each row", "softmax");
    finds("prefix sum along the row", "cumsum");
    finds("int8 dequantization", "dequant_int8");
    finds("  softmax ", "softmax");
    finds("softplus of the layer norm", "layernorm_softplus");
}

static void near_misses(void **state) {
    (void)state;
    lists("sofmax", "softmax");
    lists("rmsnrom_gelu", "rmsnorm_gelu");
    lists("rmsnorm_gelo", "rmsnorm_gelu");
    lists("softmax backward", "softmax");
    lists("rmsnorm without weight", "rmsnorm");
    lists("gelu then rmsnorm", "rmsnorm_gelu");
    lists("rmsnorm of gelu", "rmsnorm_gelu");
    lists("rmsnorm, then add the residual", "add_rmsnorm");
    lists("residual add after rmsnorm", "add_rmsnorm");
    lists("softmax then relu", "softmax");
    lists("softmax and rope", "softmax");
    lists("rmsnorm and layernorm", "rmsnorm");
    lists("rmsnorm gelu gelu gelu gelu", "rmsnorm_gelu");
    lists("silu of gelu then relu of rmsnorm", "rmsnorm_relu");
    lists("gelu", "rmsnorm_gelu");
    lists("cumulative product", "cumsum");
    lists("the", "`ouroboros ops`");
    lists("?!", "`ouroboros ops`");
    lists("matrix multiplication", "the nearest are");
    Op op;
    Err e = {0};
    assert_false(op_resolve(&arena, "", &op, &e));
    assert_int_equal(e.code, ERR_USAGE);
}

static void hostile_words(void **state) {
    (void)state;
    Op op;
    Err e = {0};
    Buf b = BUF(&arena);
    for (int i = 0; i < 100000; i++) buf_puts(&b, "a ");
    assert_false(op_resolve(&arena, buf_cstr(&b), &op, &e));
    b = BUF(&arena);
    for (int i = 0; i < 60; i++) buf_puts(&b, "b ");
    e = (Err){0};
    assert_false(op_resolve(&arena, buf_cstr(&b), &op, &e));
    assert_non_null(strstr(e.msg, "words"));
    e = (Err){0};
    assert_false(op_resolve(&arena, "\xff\xfe", &op, &e));
    b = BUF(&arena);
    for (int i = 0; i < 190; i++) buf_putc(&b, 'z');
    e = (Err){0};
    assert_false(op_resolve(&arena, buf_cstr(&b), &op, &e));
    assert_non_null(strstr(e.msg, "nearest"));
}

static void files(void **state) {
    (void)state;
    char dir[] = "/tmp/test-find-XXXXXX";
    assert_non_null(mkdtemp(dir));
    char *good = arena_printf(&arena, "%s/my op-2.py", dir), *bad = arena_printf(&arena, "%s/bad.py", dir);
    Err e = {0};
    assert_true(io_write_atomic(
        good,
        STR("\"\"\"Doc.\"\"\"\ninputs = {'x': {'shape': ('M', 'N')}}\ndef reference(x):\n    return x + 1\n"),
        &e));
    assert_true(io_write_atomic(bad,
                                STR("\"\"\"Doc.\"\"\"\ninputs = {'x': {'shape': ('M', 'N')}}\n\n"
                                    "def reference(y):\n    return y\n"),
                                &e));
    Op op;
    if (!op_resolve(&arena, good, &op, &e)) fail_msg("%s", e.msg);
    assert_true(op.user && str_is(op.name, "my_op_2"));
    assert_false(op_resolve(&arena, bad, &op, &e));
    assert_int_equal(e.code, ERR_INPUT);
    if (!strstr(e.msg, "bad.py:4:1: reference takes the inputs")) fail_msg("%s", e.msg);
    e = (Err){0};
    assert_false(op_resolve(&arena, arena_printf(&arena, "%s/none.py", dir), &op, &e));
    assert_int_equal(e.code, ERR_IO);
    unlink(good);
    unlink(bad);
    rmdir(dir);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(all_names_define), cmocka_unit_test(domains),
                                       cmocka_unit_test(plain_words),      cmocka_unit_test(near_misses),
                                       cmocka_unit_test(hostile_words),    cmocka_unit_test(files)};
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    arena_free(&arena);
    return failed;
}
