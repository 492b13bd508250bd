// Mutants: the exact text of every kind's edits, sites that are none, sources that are strange, and the
// referee's answer to a mutant that is caught and to an original that must not be.
#include "../lang/lang_test.h"
#include "../lang/random_ast.h"

#include "judge/referee.h"
#include "mutate/equivalence.h"

static Mutants mutants_of(const char *source) {
    Mutants s;
    const Node *module = try_parse(str_of(source), NULL);
    assert_non_null(module);
    mutants_make(&arena, module, str_of(source), &s);
    return s;
}

// A kernel with this body, whose lines are indented here.
static const char *kernel(const char *body) {
    Buf b = BUF(&arena);
    buf_puts(&b, "@triton.jit\ndef half(v):\n    return v\n\n\n@triton.jit\ndef k(x_ptr, out_ptr, x_stride, "
                 "N, BLOCK: tl.constexpr):\n");
    while (*body) {
        size_t n = strcspn(body, "\n");
        buf_printf(&b, "    %.*s\n", (int)n, body);
        body += n + (body[n] == '\n');
    }
    return buf_cstr(&b);
}

enum { EDITS_MAX = 8 };
typedef struct {
    Mutator kind;
    const char *body;
    const char *after[EDITS_MAX]; // every edit of the kind, in order: the changed line
} Expectation;

static void check(const char *source, const Expectation *x) {
    Mutants s = mutants_of(source);
    int k = 0;
    for (int i = 0; i < s.n; i++) {
        if (s.at[i].kind != x->kind) continue;
        const char *want = k < EDITS_MAX && x->after[k] ? x->after[k] : NULL;
        if (!want || !str_is(s.at[i].after, want))
            fail_msg("%s of\n%s: got \"%.*s\", wanted \"%s\"", mutator_name(x->kind), source,
                     STR_ARG(s.at[i].after), want ? want : "no more");
        k++;
    }
    if (k < EDITS_MAX && x->after[k])
        fail_msg("%s of\n%s: missing \"%s\"", mutator_name(x->kind), source, x->after[k]);
    assert_int_equal(s.sites[x->kind] - s.same[x->kind], k);
}

#define BOUND "cols = tl.arange(0, BLOCK)\nmask = cols < N\n"

static void kernel_edits(void **state) {
    (void)state;
    static const Expectation all[] = {
        {MUTATOR_eps,
         "y = tl.rsqrt(a / N + 1e-5)",
         {"y = tl.rsqrt(a / N)", "y = tl.rsqrt(a / N + 0.0001)", "y = tl.rsqrt(a / N + 1e-06)",
          "y = tl.rsqrt(a / N) + 1e-05", "y = tl.rsqrt((a + 1e-05) / N)"}},
        {MUTATOR_eps,
         "y = tl.rsqrt(a + eps)",
         {"y = tl.rsqrt(a)", "y = tl.rsqrt(a + eps * 10.0)", "y = tl.rsqrt(a + eps * 0.1)",
          "y = tl.rsqrt(a) + eps"}},
        {MUTATOR_eps, "y = a + 0.5", {NULL}},
        {MUTATOR_max_subtraction, "m = tl.max(x, axis=0)\np = tl.exp(x - m)", {"p = tl.exp(x)"}},
        {MUTATOR_max_subtraction, "p = x - tl.max(x, axis=0)", {"p = x"}},
        {MUTATOR_max_subtraction, "m = tl.sum(x, axis=0)\np = x - m", {NULL}},
        {MUTATOR_mask_load, "y = tl.load(x_ptr, mask=m, other=0.0)", {"y = tl.load(x_ptr)"}},
        {MUTATOR_mask_load,
         "y = tl.load(x_ptr, m, 0.0, cache_modifier=\".cg\")",
         {"y = tl.load(x_ptr, cache_modifier=\".cg\")"}},
        {MUTATOR_mask_load, "y = tl.load(x_ptr)", {NULL}},
        {MUTATOR_mask_store, "tl.store(out_ptr, y, mask=m)", {"tl.store(out_ptr, y)"}},
        {MUTATOR_mask_off, BOUND, {"mask = cols <= N", "mask = cols < N - 1"}},
        {MUTATOR_mask_off, "mask = row < N\ntl.store(out_ptr, y, mask=y > 20.0)", {NULL}},
        {MUTATOR_mask_off,
         BOUND "y = tl.load(x_ptr + cols, mask=mask)",
         {"mask = cols <= N", "mask = cols < N - 1", "y = tl.load(x_ptr + cols, mask=cols <= N)",
          "y = tl.load(x_ptr + cols, mask=cols < N - 1)"}},
        {MUTATOR_divisor, "m = s / N", {"m = s / (N - 1)", "m = s / BLOCK"}},
        {MUTATOR_divisor,
         "m = s / N.to(tl.float32)",
         {"m = s / (N - 1).to(tl.float32)", "m = s / BLOCK.to(tl.float32)"}},
        {MUTATOR_divisor, "m = s / y\nn = s / 2.0", {NULL}},
        {MUTATOR_partial_statistic,
         BOUND "s = tl.sum(x, axis=0)",
         {"s = tl.sum(tl.where(cols < N - 1, x, 0.0), axis=0)",
          "s = tl.sum(tl.where(cols > 0, x, 0.0), axis=0)",
          "s = tl.sum(tl.where(cols < N // 2, x, 0.0), axis=0)"}},
        {MUTATOR_partial_statistic,
         BOUND "s = tl.max(x)",
         {"s = tl.max(tl.where(cols < N - 1, x, -float(\"inf\")))",
          "s = tl.max(tl.where(cols > 0, x, -float(\"inf\")))",
          "s = tl.max(tl.where(cols < N // 2, x, -float(\"inf\")))"}},
        {MUTATOR_partial_statistic, "s = tl.sum(x, axis=0)", {NULL}},
        {MUTATOR_partial_statistic,
         "for i in range(0, N, BLOCK):\n    cols = i + tl.arange(0, BLOCK)\n    h = tl.load(x_ptr + cols, "
         "mask=cols < N)\n    total += h",
         {"total += tl.where(cols < N - 1, h, 0.0)", "total += tl.where(cols > 0, h, 0.0)",
          "total += tl.where(cols < N // 2, h, 0.0)"}},
        {MUTATOR_accumulator,
         "for i in range(N):\n    total += h",
         {"total = (total + h).to(tl.float16).to(tl.float32)",
          "total = (total + h).to(tl.bfloat16).to(tl.float32)"}},
        {MUTATOR_accumulator, "for i in range(N):\n    h = y\n    h += z", {NULL}},
        {MUTATOR_accumulator,
         "s = tl.sum(x, axis=0)",
         {"s = tl.sum(x.to(tl.float16).to(tl.float32), axis=0)",
          "s = tl.sum(x.to(tl.bfloat16).to(tl.float32), axis=0)"}},
        {MUTATOR_precision,
         "y = x.to(tl.float32)",
         {"y = x.to(tl.float16).to(tl.float32)", "y = x.to(tl.bfloat16).to(tl.float32)"}},
        {MUTATOR_precision, "tl.store(out_ptr, y)", {"tl.store(out_ptr, y.to(tl.bfloat16))"}},
        {MUTATOR_stride, "p = x_ptr + row * x_stride", {"p = x_ptr + row * (x_stride + 1)"}},
        {MUTATOR_stride, "x_stride = 3", {NULL}},
        {MUTATOR_loop_bounds,
         "for i in range(0, N, BLOCK):\n    pass",
         {"for i in range(0, N - 1, BLOCK):", "for i in range(0, N - BLOCK, BLOCK):",
          "for i in range(BLOCK, N, BLOCK):"}},
        {MUTATOR_loop_bounds,
         "for i in tl.range(2, N):\n    pass",
         {"for i in tl.range(2, N - 1):", "for i in tl.range(2 + 1, N):"}},
        {MUTATOR_loop_bounds, "for i in range(N):\n    pass", {"for i in range(N - 1):"}},
        {MUTATOR_index_off,
         "y = tl.load(x_ptr + i)",
         {"y = tl.load(x_ptr + i + 1)", "y = tl.load(x_ptr + i - 1)"}},
        {MUTATOR_index_off, "r = tl.program_id(0)", {"r = tl.program_id(0) + 1", "r = tl.program_id(1)"}},
        {MUTATOR_index_off, "c = tl.arange(0, BLOCK)", {"c = tl.arange(0, BLOCK) + 1"}},
        {MUTATOR_reduction_kind, "y = tl.max(x, axis=0)", {"y = tl.min(x, axis=0)", "y = tl.sum(x, axis=0)"}},
        {MUTATOR_reduction_kind, "y = tl.cumsum(x, axis=0)", {"y = tl.cumsum(x, axis=0) - x"}},
        {MUTATOR_activation, "y = tl.sigmoid(x)", {"y = tl.sigmoid(1.702 * x)", "y = x"}},
        {MUTATOR_activation, "y = tl.exp(x)", {"y = tl.exp2(x)", "y = x"}},
        {MUTATOR_activation, "y = tl.maximum(x, 0.0)", {"y = tl.minimum(x, 0.0)", "y = x", "y = 0.0"}},
        {MUTATOR_activation, "y = half(x)", {"y = x"}},
        {MUTATOR_comparison, "y = x >= 1.0", {"y = x < 1.0"}},
        {MUTATOR_selection, "y = tl.where(c, a, b)", {"y = tl.where(c, b, a)", "y = a", "y = b"}},
        {MUTATOR_swapped_operands, "y = a - b", {"y = b - a"}},
        {MUTATOR_swapped_operands, "y = a / b", {"y = b / a"}},
        {MUTATOR_sign, "tl.store(out_ptr, a + b)", {"tl.store(out_ptr, -(a + b))"}},
        {MUTATOR_sign, "y = tl.exp(-x)", {"y = tl.exp(--x)", "y = tl.exp(x)"}},
        {MUTATOR_constant, "y = 0.5 * x", {"y = 0.5005 * x"}},
        {MUTATOR_constant, "y = 0.0", {"y = 1.0"}},
        {MUTATOR_constant, "y = n // 2", {"y = n // 3"}},
        {MUTATOR_constant, "y = tl.sum(x, axis=0)", {NULL}},
        {MUTATOR_operator, "y = a + b", {"y = a - b"}},
        {MUTATOR_operator, "y = m & n", {"y = m | n"}},
        {MUTATOR_operator, "y *= b", {"y /= b"}},
        {MUTATOR_term, "y = a + b", {"y = a", "y = b"}},
        {MUTATOR_term, "y = a / b", {"y = a"}},
        {MUTATOR_statement, "y += b", {"pass", "y = b"}},
        {MUTATOR_statement, "y = a\ny = tl.exp(y)", {""}},
        {MUTATOR_statement, "tl.store(out_ptr, y)\nz = 1", {""}},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) check(kernel(all[i].body), &all[i]);
}

// `other` matters where the padding reaches a reduction, an address or a branch, and only there.
static void padding(void **state) {
    (void)state;
#define LOAD "x = tl.load(x_ptr + cols, mask=mask, other=0.0)\n"
#define BOTH \
    { "x = tl.load(x_ptr + cols, mask=mask)", "x = tl.load(x_ptr + cols, mask=mask, other=1.0)" }
    static const Expectation all[] = {
        {MUTATOR_other, BOUND LOAD "s = tl.sum(x, axis=0)", BOTH},
        {MUTATOR_other, BOUND LOAD "y = x * x\nz = half(y)\ns = tl.max(z, axis=0)", BOTH},
        {MUTATOR_other, BOUND LOAD "tl.store(out_ptr + cols, x, mask=mask)", {NULL}},
        {MUTATOR_other, BOUND LOAD "tl.store(out_ptr + cols, x)", BOTH},
        {MUTATOR_other, BOUND LOAD "tl.store(out_ptr + x, cols, mask=mask)", BOTH},
        {MUTATOR_other, BOUND LOAD "y = tl.where(mask, x, 0.0)\ns = tl.sum(y, axis=0)", {NULL}},
        {MUTATOR_other, BOUND LOAD "y = tl.where(cols < N, x, 0.0)\ns = tl.sum(y, axis=0)", {NULL}},
        {MUTATOR_other, BOUND LOAD "y = tl.where(x > 0.0, x, 0.0)\ns = tl.sum(y, axis=0)", BOTH},
        {MUTATOR_other, BOUND LOAD "x = cols\ns = tl.sum(x, axis=0)", {NULL}},
        {MUTATOR_other, BOUND LOAD "if x > 0:\n    y = 1", BOTH},
        {MUTATOR_other, BOUND LOAD "return x", BOTH},
        // Carried to the next turn of a loop.
        {MUTATOR_other, BOUND "for i in range(N):\n    s = tl.sum(y, axis=0)\n    " LOAD "    y = x", BOTH},
        {MUTATOR_other,
         BOUND "x = tl.load(x_ptr, mask=mask, other=-float(\"inf\"))\nm = tl.max(x)",
         {"x = tl.load(x_ptr, mask=mask)", "x = tl.load(x_ptr, mask=mask, other=0.0)"}},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) check(kernel(all[i].body), &all[i]);
}

static const char host[] = "@triton.jit\n"
                           "def k(x_ptr, out_ptr, x_stride, out_stride, N):\n"
                           "    pass\n"
                           "\n"
                           "\n"
                           "def run(x, y):\n"
                           "    M, N = x.shape\n"
                           "    out = torch.empty_like(x)\n"
                           "    grid = (M, triton.cdiv(N, 8))\n"
                           "    k[grid](x, out, x.stride(0), out.stride(0), N)\n"
                           "    return out\n";
#define LAUNCH(args) "k[grid](" args ")"

static void host_edits(void **state) {
    (void)state;
    static const Expectation all[] = {
        {MUTATOR_contiguous, host, {LAUNCH("x, out, x.shape[-1], out.stride(0), N")}},
        {MUTATOR_launch_argument,
         host,
         {LAUNCH("out, x, x.stride(0), out.stride(0), N"), LAUNCH("x, x.stride(0), out, out.stride(0), N"),
          LAUNCH("x, out, out.stride(0), x.stride(0), N")}},
        {MUTATOR_grid,
         host,
         {"grid = M, N // 8", "grid = M - 1, triton.cdiv(N, 8)", "grid = M, triton.cdiv(N, 8) - 1"}},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) check(host, &all[i]);
}

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
        mutants_make(&arena, module, p[i].source, &s);
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
        mutants_make(&arena, parsed, buf_str(&text), &s);
        made += s.n;
        for (int i = 0; i < s.n; i++) assert_false(str_eq(s.at[i].text, s.original));
    }
    assert_true(made > 20);
}

static void equivalences(void **state) {
    (void)state;
    Equivalences all;
    Err e = {0};
    if (!equivalences_read(&arena, &all, &e)) fail_msg("%s", e.msg);
    static const char good[] = "equivalent = [{\"ops\": \"one two\", \"kind\": \"sign\", \"before\": \"y = "
                               "a\", \"after\": \"y = -a\", \"reason\": \"Why.\"}]\n";
    Equivalences c = {0};
    assert_true(equivalences_parse(&arena, "good", STR(good), &c, &e));
    assert_int_equal(c.n, 1);
    Mutant m = {.kind = MUTATOR_sign, .before = STR("y = a"), .after = STR("y = -a")};
    assert_ptr_equal(equivalence_find(&c, STR("two"), &m), c.at);
    assert_null(equivalence_find(&c, STR("tw"), &m));
    assert_null(equivalence_find(&c, STR("three"), &m));
    m.kind = MUTATOR_term;
    assert_null(equivalence_find(&c, STR("two"), &m));
    m = (Mutant){.kind = MUTATOR_sign, .before = STR("y = a"), .after = STR("y = a")};
    assert_null(equivalence_find(&c, STR("two"), &m));
    static const char *const bad[] = {
        "equivalent = [{'ops': 'x', 'kind': 'no', 'before': 'a', 'after': 'b', 'reason': 'c'}]\n",
        "equivalent = [{'ops': 'x', 'kind': 'sign', 'before': 'a', 'after': 'b'}]\n",
        "equivalent = [3]\n",
        "equivalent = 3\n",
        "other = []\n",
        "equivalent = [\n",
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        Equivalences x = {0};
        Err why = {0};
        assert_false(equivalences_parse(&arena, "bad", str_of(bad[i]), &x, &why));
        assert_int_equal(why.code, ERR_INPUT);
    }
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
    mutants_make(&arena, try_parse(gold->source, NULL), gold->source, &s);
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
        cmocka_unit_test_setup_teardown(kernel_edits, arena_setup, arena_teardown),
        cmocka_unit_test_setup_teardown(padding, arena_setup, arena_teardown),
        cmocka_unit_test_setup_teardown(host_edits, arena_setup, arena_teardown),
        cmocka_unit_test_setup_teardown(place_and_lines, arena_setup, arena_teardown),
        cmocka_unit_test_setup_teardown(golds, arena_setup, arena_teardown),
        cmocka_unit_test_setup_teardown(odd_sources, arena_setup, arena_teardown),
        cmocka_unit_test_setup_teardown(deep_sources, arena_setup, arena_teardown),
        cmocka_unit_test_setup_teardown(huge_source_is_cut, arena_setup, arena_teardown),
        cmocka_unit_test_setup_teardown(random_sources, arena_setup, arena_teardown),
        cmocka_unit_test_setup_teardown(equivalences, arena_setup, arena_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
