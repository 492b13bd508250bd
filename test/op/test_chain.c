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
        "    return h.to(x.dtype)\n");
    assert_true(chain_source(&arena, STR("layernorm"), &s));
    const char *text = str_cdup(&arena, s);
    assert_non_null(
        strstr(text, "def reference(x, w, b):\n    h = x.float()\n    c = h - h.mean(-1, keepdim=True)\n"));
    assert_non_null(
        strstr(text, "c.pow(2).mean(-1, keepdim=True) + 1e-5) * w.float() + b.float()\n    return"));
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

// Every chain of up to three epilogues is a definition that reads, and no two have the same text.
static void all_define(void **state) {
    (void)state;
    const ChainPart *norm, *epilogue;
    int norms = chain_norms(&norm), epilogues = chain_epilogues(&epilogue), base = epilogues + 1, count = 0;
    uint64_t seen[1024];
    for (int code = 0; code < 2 * norms * base * base * base; code++) {
        int e[3] = {code % base, code / base % base, code / base / base % base},
            form = code / base / base / base;
        if ((e[1] && !e[0]) || (e[2] && !e[1])) continue;
        Buf b = BUF(&arena);
        if (form >= norms) buf_puts(&b, "add_");
        buf_puts(&b, norm[form % norms].name);
        for (int i = 0; i < 3 && e[i]; i++) buf_printf(&b, "_%s", epilogue[e[i] - 1].name);
        Op op;
        if (!op_find(&arena, buf_str(&b), &op)) fail_msg("%s does not define", buf_cstr(&b));
        assert_true(op.inputs == 2 + (form >= norms) + (norm[form % norms].name[0] == 'l'));
        assert_int_equal(op.input[1 + (form >= norms)].role, ROLE_WEIGHT);
        uint64_t hash = str_hash(op.source);
        for (int i = 0; i < count; i++) assert_true(seen[i] != hash);
        assert_in_range(count, 0, 1023);
        seen[count++] = hash;
    }
    assert_int_equal(count, 4 * (1 + 5 + 25 + 125));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(text_of_a_chain),
                                       cmocka_unit_test(epilogues_apply_in_order), cmocka_unit_test(names),
                                       cmocka_unit_test(all_define)};
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    arena_free(&arena);
    return failed;
}
