// The chain grammar: which names it takes, and the text it makes of them.
#include "op/suite.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static Arena arena;

static bool is_chain(const char *name) {
    Str source;
    return chain_source(&arena, str_of(name), &source);
}

static void text_of_a_chain(void **state) {
    (void)state;
    Str s;
    assert_true(chain_source(&arena, STR("add_rmsnorm_gelu"), &s));
    assert_string_equal(
        str_cdup(&arena, s),
        "\"\"\"Root mean square normalisation over the last dimension (eps 1e-6) times w, of the sum of x "
        "and residual, then gelu (tanh form).\"\"\"\n"
        "inputs = {\n"
        "    \"x\": {\"shape\": (\"M\", \"N\"), \"scale\": (1e-4, 64), \"large\": True},\n"
        "    \"residual\": {\"shape\": (\"M\", \"N\"), \"scale\": (1e-4, 64), \"large\": True},\n"
        "    \"w\": {\"shape\": (\"N\",), \"scale\": (1, 32), \"role\": \"weight\"},\n"
        "}\n\n\n"
        "def reference(x, residual, w):\n"
        "    h = x.float() + residual.float()\n"
        "    h = h * torch.rsqrt(h.pow(2).mean(-1, keepdim=True) + 1e-6) * w.float()\n"
        "    h = torch.nn.functional.gelu(h, approximate=\"tanh\")\n"
        "    return h.to(x.dtype)\n\n\n"
        "def rounded_sum(x, residual, w):\n"
        "    h = x.float() + residual.float()\n"
        "    h = h.to(x.dtype).float()\n"
        "    h = h * torch.rsqrt(h.pow(2).mean(-1, keepdim=True) + 1e-6) * w.float()\n"
        "    h = torch.nn.functional.gelu(h, approximate=\"tanh\")\n"
        "    return h.to(x.dtype)\n\n\n"
        "def rounded_normalised(x, residual, w):\n"
        "    h = x.float() + residual.float()\n"
        "    h = (h * torch.rsqrt(h.pow(2).mean(-1, keepdim=True) + 1e-6)).to(x.dtype).float() * w.float()\n"
        "    h = torch.nn.functional.gelu(h, approximate=\"tanh\")\n"
        "    return h.to(x.dtype)\n\n\n"
        "def rounded_both(x, residual, w):\n"
        "    h = x.float() + residual.float()\n"
        "    h = h.to(x.dtype).float()\n"
        "    h = (h * torch.rsqrt(h.pow(2).mean(-1, keepdim=True) + 1e-6)).to(x.dtype).float() * w.float()\n"
        "    h = torch.nn.functional.gelu(h, approximate=\"tanh\")\n"
        "    return h.to(x.dtype)\n\n\n"
        "roundings = {\"sum\": rounded_sum, \"normalised\": rounded_normalised, \"both\": rounded_both}\n");
    assert_true(chain_source(&arena, STR("layernorm"), &s));
    const char *text = str_cdup(&arena, s);
    assert_non_null(
        strstr(text, "def reference(x, w, b):\n    h = x.float()\n    c = h - h.mean(-1, keepdim=True)\n"));
    assert_non_null(
        strstr(text, "c.pow(2).mean(-1, keepdim=True) + 1e-5) * w.float() + b.float()\n    return"));
    assert_null(strstr(text, "roundings")); // none of it is in use
}

static void epilogues_apply_in_order(void **state) {
    (void)state;
    Str s;
    assert_true(chain_source(&arena, STR("rmsnorm_silu_relu_softplus"), &s));
    const char *text = str_cdup(&arena, s);
    const char *silu = strstr(text, "h = h * torch.sigmoid(h)"), *relu = strstr(text, "h = torch.relu(h)");
    const char *softplus = strstr(text, "h = torch.nn.functional.softplus(h)");
    assert_true(silu && relu && softplus && silu < relu && relu < softplus);
}

static void names(void **state) {
    (void)state;
    static const char *const good[] = {"rmsnorm",
                                       "add_rmsnorm",
                                       "layernorm_tanh",
                                       "add_layernorm_relu",
                                       "rmsnorm_gelu_gelu_gelu",
                                       "rmsnorm_gelu_erf",
                                       "rmsnorm_gelu_gelu_erf_gelu",
                                       "layernorm_leaky_relu_relu_relu6",
                                       "layernorm_leaky_relu_leaky_relu_leaky_relu",
                                       "rmsnorm_silu_square",
                                       "add_rmsnorm_softplus_silu"};
    static const char *const bad[] = {"",
                                      "add",
                                      "add_",
                                      "rmsnorm_",
                                      "_rmsnorm",
                                      "rmsnorm__gelu",
                                      "gelu_rmsnorm",
                                      "add_add_rmsnorm",
                                      "rmsnorm_add",
                                      "rmsnorm_gelu_",
                                      "RMSNorm",
                                      "rmsnorm gelu",
                                      "rmsnorm_rmsnorm",
                                      "rmsnorm_mean",
                                      "rmsnormgelu",
                                      "rmsnorm_erf",
                                      "rmsnorm_leaky",
                                      "rmsnorm_gelu_erf_erf",
                                      "rmsnorm_relu66",
                                      "rmsnorm_relux",
                                      "rmsnorm_gelu_erfx",
                                      "rmsnorm_leaky_relu_leaky",
                                      "rmsnorm_gelu_erf_gelu_erf_gelu_erf_gelu_erf",
                                      "rmsnorm_gelu_gelu_gelu_gelu"};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        if (!is_chain(good[i])) fail_msg("%s is a chain", good[i]);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        if (is_chain(bad[i])) fail_msg("%s is no chain", bad[i]);
    Buf b = BUF(&arena);
    buf_puts(&b, "rmsnorm");
    for (int i = 0; i < 1000; i++) buf_puts(&b, "_gelu");
    assert_false(is_chain(buf_cstr(&b)));
}

static void longest_name_wins(void **state) {
    (void)state;
    Str s;
    assert_true(chain_source(&arena, STR("rmsnorm_gelu_erf"), &s));
    const char *text = str_cdup(&arena, s);
    assert_non_null(strstr(text, "gelu(h)"));
    assert_null(strstr(text, "approximate"));
    Chain c;
    assert_true(chain_parse(STR("add_layernorm_leaky_relu_gelu_erf_relu"), &c));
    const ChainPart *epilogue, *norm;
    chain_epilogues(&epilogue);
    chain_norms(&norm);
    assert_true(c.residual && c.epilogues == 3);
    assert_string_equal(norm[c.norm].name, "layernorm");
    assert_string_equal(epilogue[c.epilogue[0]].name, "leaky_relu");
    assert_string_equal(epilogue[c.epilogue[1]].name, "gelu_erf");
    assert_string_equal(epilogue[c.epilogue[2]].name, "relu");
}

static Op chain_of(int form, const int *e, int n) {
    const ChainPart *norm, *epilogue;
    int norms = chain_norms(&norm);
    chain_epilogues(&epilogue);
    Buf b = BUF(&arena);
    chain_bare_name(&b, form >= norms, form % norms);
    for (int i = 0; i < n; i++) buf_printf(&b, "_%s", epilogue[e[i]].name);
    Op op;
    if (!op_find(&arena, buf_str(&b), &op)) fail_msg("%s does not define", buf_cstr(&b));
    assert_true(op.inputs == 2 + (form >= norms) + (norm[form % norms].name[0] == 'l'));
    assert_int_equal(op.input[1 + (form >= norms)].role, ROLE_WEIGHT);
    return op;
}

// Every chain of up to two epilogues is a definition that reads, and no two have the same text; of three,
// every one on one norm.
static void all_define(void **state) {
    (void)state;
    const ChainPart *norm, *epilogue;
    int forms = 2 * chain_norms(&norm), k = chain_epilogues(&epilogue), count = 0;
    assert_int_equal(forms, 4);
    assert_int_equal(k, 19);
    uint64_t seen[4 * (1 + 19 + 19 * 19)];
    for (int form = 0; form < forms; form++)
        for (int code = 0; code < 1 + k + k * k; code++) {
            int n = code == 0 ? 0 : code <= k ? 1 : 2, at = code - 1 - k;
            int e[2] = {n == 2 ? at / k : code - 1, n == 2 ? at % k : 0};
            Op op = chain_of(form, e, n);
            seen[count++] = str_hash(op.source);
        }
    assert_int_equal(count, sizeof seen / sizeof *seen);
    for (int i = 0; i < count; i++)
        for (int j = 0; j < i; j++) assert_true(seen[i] != seen[j]);
    for (int code = 0; code < k * k * k; code++) {
        int e[3] = {code % k, code / k % k, code / k / k};
        ArenaMark mark = arena_mark(&arena);
        chain_of(code % forms, e, 3);
        arena_reset(&arena, mark);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(text_of_a_chain),
                                       cmocka_unit_test(epilogues_apply_in_order), cmocka_unit_test(names),
                                       cmocka_unit_test(longest_name_wins), cmocka_unit_test(all_define)};
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    arena_free(&arena);
    return failed;
}
