// Mutants as a whole: their places, that each is a program of its own, sources that are strange, and the
// referee's answer to a mutant that is caught and to an original that must not be.
#include "../lang/random_ast.h"
#include "edits.h"

#include "judge/referee.h"

static void place_and_lines(void **state) {
    (void)state;
    Mutants s = mutants_of("import torch\n# a comment\n\n@jit\ndef k(p):\n    y = (a -  # here\n         "
                           "b)\n    tl.store(p, y)\n");
    for (int i = 0; i < s.n; i++) {
        if (s.at[i].kind == MUTATOR_swapped_operands) {
            assert_int_equal(s.at[i].line, 6);
            assert_true(str_is(s.at[i].before, "y = a - b"));
            assert_true(
                str_is(s.at[i].text, "import torch\n\n@jit\ndef k(p):\n    y = b - a\n    tl.store(p, y)\n"));
            return;
        }
    }
    fail();
}

static void check_invariants(const Mutants *s) {
    int n = 0;
    for (int k = 0; k < MUTATOR_COUNT; k++) n += s->sites[k] - s->same[k];
    assert_int_equal(n, s->n);
    for (int i = 0; i < s->n; i++) {
        assert_false(str_eq(s->at[i].text, s->original));
        assert_true(s->at[i].line >= 1);
        for (int k = i + 1; k < s->n; k++) assert_false(str_eq(s->at[i].text, s->at[k].text));
    }
}

// Every kind finds something in the built-in kernels, and every mutant is a program again.
static void golds(void **state) {
    (void)state;
    int n, seen[MUTATOR_COUNT] = {0};
    const Program *p = op_programs(&arena, &n);
    int left = 3;
    for (int i = 0; i < n; i++) {
        if (p[i].kind != PROGRAM_GOLD) continue;
        Mutants s;
        const Node *module = try_parse(p[i].source, NULL);
        mutants_make(&arena, module, p[i].source, true, &s);
        assert_false(s.cut);
        assert_true(s.n >= 20);
        for (int k = 0; k < s.n; k++) seen[s.at[k].kind]++;
        if (left-- <= 0) continue;
        check_invariants(&s);
        for (int k = 0; k < s.n; k++) {
            const Node *again = try_parse(s.at[k].text, NULL);
            assert_non_null(again);
            Buf text = BUF(&arena);
            print_module(&text, again);
            // Signs that meet and parentheses aside, a mutant is canonical text.
            assert_true(text.len <= s.at[k].text.len);
        }
    }
    for (int k = 0; k < MUTATOR_COUNT; k++)
        if (seen[k] == 0) fail_msg("%s finds nothing in any built-in kernel", mutator_name((Mutator)k));
}

static void odd_sources(void **state) {
    (void)state;
    static const char *const odd[] = {
        "pass\n",
        "x = 1\n",
        "@triton.jit\ndef k():\n    pass\n",
        "@triton.jit\nclass K:\n    y = a - b\n",
        "@triton.jit(do_not_specialize=[1])\ndef k(*args, **kw):\n    tl.load(*args, **kw)\n    "
        "tl.store(*args)\n    for i in range(*args): pass\n",
        "@a.b.c.d.e.f\ndef k(x):\n    y = 1 - 2\n",
        "@triton.jit\ndef k(x):\n    tl.load()\n    tl.store()\n    tl.sum()\n    tl.where()\n    "
        "tl.program_id()\n    tl.exp()\n",
        "k[grid]()\nk[()](1)\nk[lambda m: (m['B'],)](a, b)\nk[lambda m: m](a.stride(), b.stride(0, "
        "1))\nk[g](x)\ng = g\n",
        "@triton.jit\ndef k(x):\n    while tl.load(x, mask=m, other=0) < 3:\n        y = x\n    with a as "
        "b:\n        c = tl.load(x, mask=m, other=0)\n",
        "@triton.jit\ndef k(x):\n    y = x + 99999999999999999999999\n    z = 1e999 - 1e308 * 1e-300\n    w "
        "= 18446744073709551615 + 2147483647\n",
    };
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
        Mutants s = mutants_of(odd[i]);
        check_invariants(&s);
    }
}

// As deep as the parser lets anything be, with loops within loops.
static void deep_sources(void **state) {
    (void)state;
    Buf b = BUF(&arena);
    buf_puts(&b, "@jit\ndef k(x):\n    y = (a - c)");
    for (int i = 0; i < HEIGHT_MAX - 20; i++) buf_puts(&b, ".b");
    buf_puts(&b, "\n");
    Mutants s = mutants_of(buf_cstr(&b));
    assert_int_equal(s.n, 3); // c - a, a + c, a
    b.len = 0;
    buf_puts(&b, "@jit\ndef k(x):\n");
    int depth = 20; // blocks: the most that Python takes
    for (int i = 0; i < depth; i++) buf_printf(&b, "%*sfor i in range(0, N, B):\n", 4 * (i + 1), "");
    buf_printf(&b, "%*sm = tl.arange(0, B) < N\n%*sx = tl.load(p, mask=m, other=0.0)\n", 4 * (depth + 1), "",
               4 * (depth + 1), "");
    s = mutants_of(buf_cstr(&b));
    check_invariants(&s);
}

static void huge_source_is_cut(void **state) {
    (void)state;
    Buf b = BUF(&arena);
    buf_puts(&b, "@jit\ndef k(x):\n");
    while (b.len < MUTANT_SOURCE_MAX) buf_puts(&b, "    y = a - b\n");
    Mutants s = mutants_of(buf_cstr(&b));
    assert_true(s.cut);
    assert_int_equal(s.n, 0);
    b.len = 0;
    buf_puts(&b, "@jit\ndef k(x):\n");
    for (int i = 0; i < 1200; i++) buf_puts(&b, "    y = tl.sum(a - b) + 1e-5\n");
    s = mutants_of(buf_cstr(&b));
    assert_true(s.cut);
    assert_true(s.n > 0 && s.n <= MUTANTS_MAX);
}

static void random_sources(void **state) {
    (void)state;
    int made = 0;
    for (uint64_t seed = 0; seed < 60; seed++) {
        Gen g = {.arena = &arena, .rng = rng_at(seed, 7)};
        Node *module = gen_module(&g);
        Node *jit = NEW(&arena, Node);
        jit->kind = NODE_NAME;
        jit->name = STR("jit");
        for (int i = 0; i < module->module.body.n; i++) {
            Node *n = module->module.body.at[i];
            if (n->kind != NODE_FUNCTION) continue;
            n->function.decorators = (Nodes){NEW(&arena, Node *), 1};
            n->function.decorators.at[0] = jit;
        }
        Buf text = BUF(&arena);
        print_module(&text, module);
        if (text.len > 20000) continue;
        DiagList d = DIAGS(&arena);
        const Node *parsed = parse_module(&arena, buf_str(&text), &d);
        if (!parsed) continue;
        Mutants s;
        mutants_make(&arena, parsed, buf_str(&text), true, &s);
        made += s.n;
        for (int i = 0; i < s.n; i++) assert_false(str_eq(s.at[i].text, s.original));
    }
    assert_true(made > 20);
}

// Controls: the canonical text of an unchanged kernel is accepted, mutants of three families are not.
static void judged(void **state) {
    (void)state;
    int n;
    const Program *p = op_programs(&arena, &n), *gold = NULL;
    for (int i = 0; i < n && !gold; i++)
        if (p[i].kind == PROGRAM_GOLD && str_is(p[i].op, "softmax")) gold = &p[i];
    assert_non_null(gold);
    Mutants s;
    mutants_make(&arena, try_parse(gold->source, NULL), gold->source, true, &s);
    static const Mutator kinds[] = {MUTATOR_max_subtraction, MUTATOR_mask_store, MUTATOR_accumulator};
    Str source[4] = {s.original};
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < s.n && !source[k + 1].len; i++)
            if (s.at[i].kind == kinds[k]) source[k + 1] = s.at[i].text;
    Referee *r;
    Err e = {0};
    RefereeConfig config = {.jobs = 2, .no_journal = true};
    if (!referee_open(&config, &r, &e)) fail_msg("%s", e.msg);
    Op op;
    assert_true(op_find(&arena, gold->op, &op));
    uint64_t seed = 3;
    JudgeRequest q = {.op = &op, .level = LEVEL_QUICK, .filter = {.dtype = -1}, .seed = &seed};
    Verdict v[4];
    if (!referee_judge(r, &arena, &q, source, 4, v, &e)) fail_msg("%s", e.msg);
    referee_close(r);
    assert_int_equal(v[0].decision.status, STATUS_ok);
    assert_int_equal(v[1].decision.status, STATUS_nan_class);
    assert_int_equal(status_class(v[2].decision.status), CLASS_REJECTED);
    assert_true(v[3].decision.status == STATUS_inaccurate || v[3].decision.status == STATUS_incorrect);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(judged, arena_setup,
                                        arena_teardown), // first: the fork server wants no threads
        cmocka_unit_test_setup_teardown(place_and_lines, arena_setup, arena_teardown),
        cmocka_unit_test_setup_teardown(golds, arena_setup, arena_teardown),
        cmocka_unit_test_setup_teardown(odd_sources, arena_setup, arena_teardown),
        cmocka_unit_test_setup_teardown(deep_sources, arena_setup, arena_teardown),
        cmocka_unit_test_setup_teardown(huge_source_is_cut, arena_setup, arena_teardown),
        cmocka_unit_test_setup_teardown(random_sources, arena_setup, arena_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
