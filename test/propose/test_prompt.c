// Profiles and prompts: strings as published, placeholders that are checked, a style kernel of another op.
#include "propose/prompt.h"

#include "grammar/smith_test.h"

static const char *const card_system = "You are an expert GPU kernel engineer. Write a single correct, fast "
                                       "Triton kernel. Output ONLY one fenced python "
                                       "code block defining `run(*inputs)` and its @triton.jit kernel. "
                                       "Accumulate reductions in float32. No prose.";

static Op found(Arena *a, const char *name) {
    Op op;
    if (!op_find(a, str_of(name), &op)) fail_msg("no op %s", name);
    return op;
}

static Profile builtin(Arena *a, const char *name) {
    Profile p;
    Err e = {0};
    if (!profile_open(a, name, &p, &e)) fail_msg("%s", e.msg);
    return p;
}

static Prompt made(Arena *a, const Profile *p, const Op *op, const char *feedback) {
    Prompt out;
    Err e = {0};
    if (!prompt_make(a, p, &(PromptAsk){op, -1, ROWS_ANY, &(LastTry){str_of(feedback), STR("last attempt")}},
                     &out, &e))
        fail_msg("%s", e.msg);
    return out;
}

static bool holds(Str s, const char *what) { return s.len && memmem(s.p, s.len, what, strlen(what)); }

static void the_kernelsmith_prompt_is_the_published_one(void **state) {
    (void)state;
    Arena a = {0};
    Profile p = builtin(&a, PROFILE_DEFAULT);
    Op op = found(&a, "softmax");
    Prompt first = made(&a, &p, &op, "");
    assert_true(str_is(first.system, card_system));
    assert_null(first.raw.p);
    assert_true(p.settings.temperature == 0.7 && p.settings.top_p == 0.97 && p.settings.max_tokens == 768);
    Str head = STR("Op `softmax`: Softmax over the last dimension, numerically stable.\n"
                   "Signature:\n  run(x: Tensor[M, N]) -> Tensor[M, N]\n\n"
                   "Here is a valid Triton kernel for a DIFFERENT op (`rmsnorm`) as a style guide:\n"
                   "```python\n@triton.jit\ndef rmsnorm_kernel(");
    assert_true(first.user.len > head.len && memcmp(first.user.p, head.p, head.len) == 0);
    assert_true(str_ends(first.user, "    return out\n```\n"));
    assert_false(holds(first.user, "# op:") || holds(first.user, "import torch"));
    Prompt again = made(&a, &p, &op, "It was wrong {op}.");
    assert_true(str_ends(again.user,
                         "    return out\n```\n\nYour previous attempt's harness feedback: It was wrong "
                         "{op}.\nFix it and make it faster."));
    assert_memory_equal(again.user.p, first.user.p, first.user.len);
    assert_string_not_equal(first.sha256, again.sha256);
    Prompt same = made(&a, &p, &op, "");
    assert_string_equal(first.sha256, same.sha256);
    arena_free(&a);
}

static void the_style_kernel_is_of_another_op(void **state) {
    (void)state;
    Arena a = {0};
    Profile p = builtin(&a, PROFILE_DEFAULT);
    static const struct {
        const char *op, *style;
    } table[] = {{"rmsnorm", "softmax"},
                 {"rmsnorm_short", "softmax"},
                 {"softmax", "rmsnorm"},
                 {"add_rmsnorm", "rmsnorm"},
                 {"softmax_short", "rmsnorm"}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        Op op = found(&a, table[i].op);
        Prompt t = made(&a, &p, &op, "");
        if (!holds(t.user, arena_printf(&a, "DIFFERENT op (`%s`)", table[i].style)) ||
            !holds(t.user, arena_printf(&a, "def %s_kernel(", table[i].style)))
            fail_msg("%s: %.*s", table[i].op, STR_ARG(t.user));
    }
    arena_free(&a);
}

static void every_op_has_a_prompt_in_every_profile(void **state) {
    (void)state;
    Arena a = {0};
    Op *ops;
    int n = all_ops(&a, &ops);
    Str name;
    int profiles = 0, modules = 0;
    for (; profile_name(&a, profiles, &name); profiles++) {
        Profile p = builtin(&a, str_cdup(&a, name));
        modules += p.modules;
        for (int i = 0; i < n && !p.modules; i++) {
            Prompt t = made(&a, &p, &ops[i], "");
            if (str_is(name, "seedling")) { // what the op computes stands for its name
                assert_true(holds(t.user, "\nout = ") && str_ends(t.raw, "rows any, dtype any\n"));
                for (int k = 0; k < ops[i].inputs; k++)
                    assert_true(holds(t.user, arena_printf(&a, "%.*s [", STR_ARG(ops[i].input[k].name))));
                continue;
            }
            assert_true(holds(t.user, str_cdup(&a, ops[i].name)));
            assert_true(holds(t.user, str_cdup(&a, ops[i].notes)));
            // The answer never stands in the question.
            if (p.styles)
                assert_false(holds(t.user, arena_printf(&a, "def %s_kernel(", str_cdup(&a, ops[i].name))));
        }
    }
    assert_int_equal(profiles, 6);
    assert_int_equal(modules, 2);
    arena_free(&a);
}

// A module's prompt is its file as it was published; profiles of ops and of modules do not mix.
static void profiles_for_modules(void **state) {
    (void)state;
    Arena a = {0};
    Err e = {0};
    Prompt t;
    Op softmax = found(&a, "softmax");
    const Op module = {.name = STR("m"),
                       .source = STR("class Model(nn.Module): pass # 2 {op} 3"),
                       .form = (void *)&e,
                       .row_dim = -1};
    static const char *const name[] = {PROFILE_MODULES, "kernelllm"};
    for (int i = 0; i < 2; i++) {
        Profile p = builtin(&a, name[i]);
        Prompt first = made(&a, &p, &module, ""), again = made(&a, &p, &module, "Values are wrong.");
        assert_true(holds(first.user, "pass # 2 {op} 3") && holds(first.user, "ModelNew"));
        assert_true(holds(again.user, "Values are wrong.") && holds(again.user, "last attempt"));
        assert_false(holds(first.user, "{reference}") || holds(first.user, "run("));
        assert_int_equal(first.raw.p != NULL, i);
        assert_false(prompt_make(&a, &p, &(PromptAsk){&softmax, -1, ROWS_ANY, NULL}, &t, &e));
        assert_non_null(strstr(e.msg, "not for ops"));
        e = (Err){0};
    }
    Profile usual = builtin(&a, PROFILE_DEFAULT);
    assert_false(prompt_make(&a, &usual, &(PromptAsk){&module, -1, ROWS_ANY, NULL}, &t, &e));
    assert_non_null(strstr(e.msg, "not for references in module form"));
    arena_free(&a);
}

// The whole text, and what the rows, a dtype and a held-out epilogue change in it.
static void seedling_is_asked_by_the_formula(void **state) {
    (void)state;
    Arena a = {0};
    Profile p = builtin(&a, "seedling");
    Op op = found(&a, "rmsnorm_mish");
    Prompt t;
    Err e = {0};
    assert_true(prompt_make(&a, &p, &(PromptAsk){&op, DT_BF16, ROWS_LONG, NULL}, &t, &e));
    assert_true(str_is(t.raw, "x [M, N] float\nw [N] float\nout [M, N] float\ntotal = sum(square(x))\n"
                              "rstd = rsqrt(total / N + 1e-06)\nv = x * rstd * w\n"
                              "out = v * tanh(softplus(v))\nrows long, dtype bfloat16\n"));
    Prompt any = made(&a, &p, &op, "");
    assert_true(str_ends(any.raw, "\nrows any, dtype any\n"));
    assert_string_not_equal(t.sha256, any.sha256);
    Op product = define(&a, "product",
                        "\"\"\"A matrix product.\"\"\"\n"
                        "inputs = {\"a\": {\"shape\": (\"M\", \"N\")}, \"b\": {\"shape\": (\"N\", \"K\")}}\n"
                        "def reference(a, b):\n    return (a.float() @ b.float()).to(a.dtype)\n");
    assert_false(prompt_make(&a, &p, &(PromptAsk){&product, -1, ROWS_ANY, NULL}, &t, &e));
    assert_int_equal(e.code, ERR_INPUT);
    arena_free(&a);
}

static void results_have_their_shape_in_the_signature(void **state) {
    (void)state;
    Arena a = {0};
    Profile p = builtin(&a, "kwen");
    static const struct {
        const char *op, *result;
    } table[] = {{"add_rmsnorm_gelu", "w: Tensor[N]) -> Tensor[M, N]"}, {"cross_entropy", ") -> Tensor[M]"}};
    for (size_t i = 0; i < 2; i++) {
        Op op = found(&a, table[i].op);
        Prompt t = made(&a, &p, &op, "");
        if (!holds(t.user, table[i].result)) fail_msg("%.*s", STR_ARG(t.user));
    }
    Op half = define(&a, "gate",
                     "\"\"\"First half of each row times the sigmoid of the second.\"\"\"\n"
                     "inputs = {\"x\": {\"shape\": (\"M\", \"N\"), \"scale\": (0.1, 8)}}\n"
                     "dims = {\"N\": {\"multiple_of\": 2, \"min\": 2}}\n"
                     "def reference(x):\n"
                     "    half = x.shape[-1] // 2\n"
                     "    return (x[:, :half].float() * torch.sigmoid(x[:, half:].float())).to(x.dtype)\n");
    Prompt t = made(&a, &p, &half, "");
    if (!holds(t.user, "-> Tensor[M, N // 2]")) fail_msg("%.*s", STR_ARG(t.user));
    arena_free(&a);
}

static void kwen_is_chatml_without_a_system_turn(void **state) {
    (void)state;
    Arena a = {0};
    Profile p = builtin(&a, "kwen");
    Op op = found(&a, "softmax");
    Prompt t = made(&a, &p, &op, "");
    assert_null(t.system.p);
    assert_true(str_starts(t.raw, "<|im_start|>user\nCan you provide a triton kernel for softmax?\n"));
    assert_true(str_ends(t.raw, ") -> Tensor[M, N]<|im_end|>\n<|im_start|>assistant\n"));
    assert_true(p.settings.temperature == 0.7 && p.settings.max_tokens == 512);
    arena_free(&a);
}

static void a_users_profile(void **state) {
    (void)state;
    Arena a = {0};
    Profile p;
    Err e = {0};
    Str text = STR("# mine\ntemperature 0.25\ntop_k 7\nmin_p 0.05\nstop ```\n\nstop  two words\nstyle "
                   "softmax\n--- user\n"
                   "{reference}\n{\"a\": {1}} {op} {style_op}\n--- feedback\n{feedback}|{previous}\n--- "
                   "raw\n[{user}] {nothing to fill}\n");
    if (!profile_read(&a, "mine.txt", text, &p, &e)) fail_msg("%s", e.msg);
    assert_true(p.settings.temperature == 0.25 && p.settings.top_k == 7 && p.settings.min_p == 0.05);
    assert_true(p.settings.top_p == 1 && p.settings.max_tokens == 768);
    assert_int_equal(p.settings.stops, 2);
    assert_true(str_is(p.settings.stop[0], "```") && str_is(p.settings.stop[1], " two words"));
    Op op = found(&a, "swiglu");
    Prompt t = made(&a, &p, &op, "bad");
    Str expected =
        str_of(arena_printf(&a, "%.*s\n{\"a\": {1}} swiglu softmaxbad|last attempt", STR_ARG(op.source)));
    assert_true(str_eq(t.user, expected));
    assert_true(str_is(t.raw, arena_printf(&a, "[%.*s] {nothing to fill}", STR_ARG(expected))));
    // The only style is the op asked for.
    op = found(&a, "softmax");
    assert_false(prompt_make(&a, &p, &(PromptAsk){&op, -1, ROWS_ANY, NULL}, &t, &e));
    arena_free(&a);
}

static void what_is_wrong_with_a_profile_is_told_with_its_line(void **state) {
    (void)state;
    static const struct {
        const char *text, *says;
    } table[] = {
        {"", "needs a section '--- user'"},
        {"--- user\n", "needs a section '--- user'"},
        {"\ntemperatur 1\n--- user\nx", "p:2: 'temperatur' is no setting"},
        {"temperature\n--- user\nx", "p:1: '' is no number"},
        {"temperature -1\n--- user\nx", "p:1: '-1' is no number"},
        {"temperature 0x1p\n--- user\nx", "is no number"},
        {"temperature nan\n--- user\nx", "is no number"},
        {"top_p 1.5\n--- user\nx", "from 0 to 1"},
        {"top_k 3\ntop_p 0\n--- user\nx", "p:2: top_p is more than 0"},
        {"max_tokens 0\n--- user\nx", "at least 1"},
        {"max_tokens 1.5\n--- user\nx", "no whole number"},
        {"top_k 99999999999999999999\n--- user\nx", "no whole number"},
        {"stop\n--- user\nx", "'stop TEXT'"},
        {"--- user\na\n--- user\nb", "p:3: section 'user' is here twice"},
        {"--- usr\na", "section 'usr' is not one of"},
        {"--- user\na\n{op} {opp}", "p:3: {opp} is no placeholder"},
        {"--- user\n{style}", "needs a line 'style NAME'"},
        {"--- user\n{feedback}", "{feedback} has no meaning in this section"},
        {"--- user\nx\n--- raw\n{op}", "p:4: {op} has no meaning"},
        {"--- user\nx\n--- system\n{user}", "{user} has no meaning"},
        {"--- user\n\xff", "UTF-8"},
    };
    Arena a = {0};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        Profile p;
        Err e = {0};
        if (profile_read(&a, "p", str_of(table[i].text), &p, &e)) fail_msg("%s: taken", table[i].text);
        if (!strstr(e.msg, table[i].says)) fail_msg("%s: %s", table[i].text, e.msg);
    }
    Profile p;
    Prompt t;
    Err e = {0};
    Op op = found(&a, "softmax");
    assert_false(profile_open(&a, "no/such/profile", &p, &e));
    assert_non_null(strstr(e.msg, "kernelbench kernelllm kwen ouroboros plain"));
    assert_true(profile_read(&a, "p", STR("style nothing\n--- user\n{style}"), &p, &e));
    e = (Err){0};
    assert_false(prompt_make(&a, &p, &(PromptAsk){&op, -1, ROWS_ANY, NULL}, &t, &e));
    assert_non_null(strstr(e.msg, "no kernel of 'nothing'"));
    e = (Err){0};
    assert_false(
        prompt_make(&a, &p, &(PromptAsk){&op, -1, ROWS_ANY, &(LastTry){.feedback = STR("wrong")}}, &t, &e));
    assert_non_null(strstr(e.msg, "--- feedback"));
    arena_free(&a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_kernelsmith_prompt_is_the_published_one),
        cmocka_unit_test(the_style_kernel_is_of_another_op),
        cmocka_unit_test(every_op_has_a_prompt_in_every_profile),
        cmocka_unit_test(profiles_for_modules),
        cmocka_unit_test(seedling_is_asked_by_the_formula),
        cmocka_unit_test(results_have_their_shape_in_the_signature),
        cmocka_unit_test(kwen_is_chatml_without_a_system_turn),
        cmocka_unit_test(a_users_profile),
        cmocka_unit_test(what_is_wrong_with_a_profile_is_told_with_its_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
