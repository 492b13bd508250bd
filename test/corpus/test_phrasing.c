// Prompts: every way fills in what it names, and the reference is the function alone.
#include "corpus/phrasing.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/numeric/rng.h"

static bool has(Str s, const char *words) {
    Arena a = {0};
    bool found = strstr(str_cdup(&a, s), words) != NULL;
    arena_free(&a);
    return found;
}

static void every_way_is_filled_in(void **state) {
    (void)state;
    Arena a = {0};
    Op op;
    assert_true(op_find(&a, STR("rmsnorm_silu"), &op));
    DrawFilter all = {.dtype = -1}, half = {.dtype = DT_F16};
    int conversions = 0;
    for (uint64_t i = 0; i < 400; i++) {
        Phrased p, q;
        uint64_t choice = rng_mix(1, i);
        phrase_row(&a, &(PhraseAsk){&op, &all, choice, 0.5}, STR("def run(x, w):\n    return x"), &p);
        phrase_row(&a, &(PhraseAsk){&op, &half, choice, 0.5}, STR("def run(x, w):\n    return x"), &q);
        conversions += p.kind == PHRASE_CONVERT;
        assert_false(has(p.prompt, "{") || has(p.prompt, "}"));
        assert_true(has(p.prompt, "rmsnorm") || has(p.prompt, "oot mean square") ||
                    has(p.prompt, "def reference("));
        assert_int_equal(has(p.prompt, "```python"), p.kind == PHRASE_CONVERT);
        assert_false(has(p.prompt, "float16 tensors"));
        assert_true(has(q.prompt, "float16 tensors"));
        assert_true(str_eq(p.completion, STR("```python\ndef run(x, w):\n    return x\n```\n")));
    }
    assert_in_range(conversions, 150, 250);
    Phrased p;
    for (uint64_t i = 0; i < 50; i++) {
        phrase_row(&a, &(PhraseAsk){&op, &all, rng_mix(2, i), 0}, STR("x"), &p);
        assert_int_equal(p.kind, PHRASE_IMPLEMENT);
        phrase_row(&a, &(PhraseAsk){&op, &all, rng_mix(2, i), 1}, STR("x"), &p);
        assert_int_equal(p.kind, PHRASE_CONVERT);
    }
    arena_free(&a);
}

static void the_reference_is_the_function_alone(void **state) {
    (void)state;
    int n;
    Arena a = {0};
    const Str *names = op_names(&a, &n);
    for (int i = 0; i < n; i++) {
        Op op;
        assert_true(op_find(&a, names[i], &op));
        Str text = reference_text(&a, &op), module = reference_module(&a, &op);
        if (!has(text, "def reference(")) fail_msg("%.*s", STR_ARG(names[i]));
        assert_false(has(text, "inputs = ") || has(text, "invariant = ") || has(text, "def rounded_") ||
                     has(text, "\"\"\""));
        DiagList d = DIAGS(&a);
        if (!parse_module(&a, module, &d)) fail_msg("%.*s does not parse", STR_ARG(names[i]));
        assert_true(has(module, "class Model(torch.nn.Module):") && has(module, "return reference("));
    }
    arena_free(&a);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_way_is_filled_in),
                                       cmocka_unit_test(the_reference_is_the_function_alone)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
