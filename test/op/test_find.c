// Names, plain words and files: what they find, and what they list instead.
#include "op/found.h"

static void all_names_define(void **state) {
    (void)state;
    int n;
    const Str *name = op_names(&arena, &n);
    assert_int_equal(n, 23 + 4 * (1 + 19));
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
    assert_true(op_find(&arena, STR("softmax_scale"), &op));
    assert_true(op.input[1].both_signs && op.input[1].range_lo == 0.01 && op.input[1].range_hi == 4);
    assert_true(op_find(&arena, STR("rope_interleaved"), &op));
    int64_t size[OP_DIMS_MAX] = {[0] = 3, [1] = 10};
    assert_true(op.dims == 3 && op.dim[2].of == op.row_dim && op.dim[0].of == -1);
    op_sizes_fit(&op, size);
    assert_true(size[0] == 3 && size[1] == 10 && size[2] == 5);
    int64_t m, n;
    op_usual_shape(&op, &m, &n);
    assert_true(m == 32768 && n == 128);
}

// The same definition under another name, with sizes to optimise for.
static void variants(void **state) {
    (void)state;
    static const char *const good[] = {"softmax", "rope", "add_rmsnorm_gelu_erf", "rmsnorm_silu_square",
                                       "kl_div"};
    static const char *const bad[] = {"softmax_",     "short",        "_short", "softmax_short_short",
                                      "softmaxshort", "nothing_short"};
    Str name, words;
    assert_true(op_variant(0, &name, &words) && str_is(name, "short") && words.len > 10);
    assert_false(op_variant(1, &name, &words) || op_variant(-1, &name, &words));
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        Op op, base;
        int64_t m, n;
        assert_true(op_find(&arena, str_of(good[i]), &base));
        op_usual_shape(&base, &m, &n);
        assert_true(base.variant.len == 0 && (m == 0 || m == 32768));
        const char *longer = arena_printf(&arena, "%s_short", good[i]);
        assert_true(op_find(&arena, str_of(longer), &op));
        assert_true(str_is(op.name, longer) && str_is(op.variant, "short") && str_eq(op.source, base.source));
        op_usual_shape(&op, &m, &n);
        assert_true(m == 16384 && n == 2048);
        Buf domain = BUF(&arena);
        op_domain(&domain, &op);
        assert_non_null(strstr(buf_cstr(&domain), "M is usually 16384\n"));
        finds(longer, longer);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        Op op;
        if (op_find(&arena, str_of(bad[i]), &op)) fail_msg("%s is no op", bad[i]);
    }
}

static void plain_words(void **state) {
    (void)state;
    finds("rmsnorm with residual, then gelu", "add_rmsnorm_gelu");
    finds("rotary embedding", "rope");
    finds("cross entropy loss", "cross_entropy");
    finds("fused residual add and layer norm then relu", "add_layernorm_relu");
    finds("RMSNorm", "rmsnorm");
    finds("RMS-Norm + residual", "add_rmsnorm");
    // A sign between two steps asks for no input that no word names.
    finds("layernorm+gelu", "layernorm_gelu");
    finds("rmsnorm plus gelu", "rmsnorm_gelu");
    finds("residual + layernorm + gelu", "add_layernorm_gelu");
    finds("layernorm + residual + gelu", "add_layernorm_gelu");
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
    finds("leaky relu of the layer norm", "layernorm_leaky_relu");
    finds("rmsnorm then exact gelu", "rmsnorm_gelu_erf");
    finds("rmsnorm, then silu, then square", "rmsnorm_silu_square");
    finds("rmsnorm followed by squared relu", "rmsnorm_relu2");
    finds("swish", "silu");
    finds("gelu activation", "gelu");
    finds("gated linear unit with gelu", "geglu");
    finds("gemma rms norm", "rmsnorm_gemma");
    finds("interleaved rope", "rope_interleaved");
    finds("rmsnorm then rope", "qknorm_rope");
    finds("softmax of x times scale", "softmax_scale");
    finds("log of softmax", "log_softmax");
    finds("kl divergence of softmax x and softmax y", "kl_div");
    finds("entropy of the softmax", "entropy");
    finds("add bias then gelu", "bias_gelu");
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
    lists("hardswish", "rmsnorm_hardswish");
    lists("gelu of relu", "gelu");
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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_names_define), cmocka_unit_test(domains),     cmocka_unit_test(variants),
        cmocka_unit_test(plain_words),      cmocka_unit_test(near_misses), cmocka_unit_test(hostile_words),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    arena_free(&arena);
    return failed;
}
