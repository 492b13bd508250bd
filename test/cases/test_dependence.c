// What a draw says must be loaded, and which rows stand in it twice: verdicts on made-up children that hand
// in the oracle's own values.
#include "judge/made_up.h"

static void what_must_be_loaded(void **state) {
    (void)state;
    static const char *const ops[] = {"softmax", "cross_entropy", "rope", "add_rmsnorm", "kl_div"};
    for (size_t o = 0; o < sizeof ops / sizeof *ops; o++) {
        for (uint64_t seed = 1; seed < 4; seed++) {
            MadeUp w;
            made_up_open(&w, ops[o], DT_F32, seed);
            assert_true(w.d.dependences > 0);
            Verdict v = judged(&w);
            if (v.decision.status != STATUS_ok) fail_msg("%s: %s", ops[o], v.decision.feedback);
            for (int k = 0; k < w.d.dependences; k++) {
                const Dependence *n = &w.d.dependence[k];
                const CaseSpec *s = &w.d.spec[n->case_index];
                const CaseTruth *t = &w.d.truth[n->case_index];
                assert_true(n->bit >= 0 && n->bit < 8 && s->origin_at > 0);
                assert_false(t->hidden);
                int64_t depends = 0;
                for (int64_t i = 0; i < t->expected->numel; i++) {
                    uint8_t *origin = &w.output[s->origin_at + i], was = *origin;
                    *origin = (uint8_t) ~(1 << n->bit);
                    v = judged(&w);
                    *origin = was;
                    depends += n->depends[i];
                    assert_int_equal(v.decision.status, n->depends[i] ? STATUS_incorrect : STATUS_ok);
                    if (!n->depends[i]) continue;
                    assert_string_equal(v.decision.rule, "unread");
                    assert_non_null(strstr(v.decision.feedback, "comes from no load of "));
                    assert_true(strlen(v.decision.feedback) <= FEEDBACK_MAX);
                }
                assert_true(depends > 0);
            }
            made_up_close(&w);
        }
    }
}

// ---- rows at other places

static void twins_hold_the_same_rows(void **state) {
    (void)state;
    static const char *const ops[] = {"softmax", "cross_entropy", "rope", "add_rmsnorm", "dequant_int8"};
    for (size_t o = 0; o < sizeof ops / sizeof *ops; o++) {
        MadeUp w;
        made_up_open(&w, ops[o], DT_F16, 5 + o);
        int i = twin_of(&w);
        assert_true(i > 0);
        const CaseTruth *t = &w.d.truth[i];
        assert_true(t->alike && t->twinned && w.d.truth[i - 1].twinned && !w.d.truth[i - 1].twin);
        for (int k = 0; k < w.op.inputs; k++) {
            const CaseTensor *x = &w.d.spec[i - 1].input[k], *y = &w.d.spec[i].input[k];
            Storage sx, sy;
            Tensor from = draw_input(w.d.mapping, x, &sx), to = draw_input(w.d.mapping, y, &sy);
            int64_t n = tensor_numel(&from), size = dtype_bytes(from.dtype);
            bool by_row = w.op.input[k].rank > 0 && w.op.input[k].dim[0] == w.op.rows_dim;
            int64_t row = by_row ? n / t->slices : n;
            char *a = NEWN(&w.a, char, (size_t)(n * size)), *b = NEWN(&w.a, char, (size_t)(n * size));
            tensor_gather(&from, a, NULL);
            tensor_gather(&to, b, NULL);
            for (int64_t r = 0; r < (by_row ? t->slices : 1); r++)
                assert_memory_equal(b + r * row * size, a + (by_row ? t->twin_slice[r] : 0) * row * size,
                                    row * size);
        }
        assert_int_equal(judged(&w).evidence.row_bits, ROW_BITS_SAME);
        made_up_close(&w);
    }
}

// An op whose rows depend on one another has no such check.
static void coupled_rows_are_not_asked(void **state) {
    (void)state;
    static const char source[] = "\"\"\"Every column minus its mean.\"\"\"\n"
                                 "inputs = {\"x\": {\"shape\": (\"M\", \"N\")}}\n"
                                 "def reference(x):\n"
                                 "    h = x.float()\n"
                                 "    return (h - h.mean(0)).to(x.dtype)\n";
    Arena a = {0};
    DiagList diags = DIAGS(&a);
    Err e = {0};
    Op op;
    Draw d;
    Pool *pool = pool_open(1);
    DrawFilter all = {.dtype = -1};
    if (!op_define(&a, STR("centred"), STR(source), true, &op, &diags))
        fail_msg("%s", diag_first(&diags)->msg);
    if (!draw_make(&a, pool, &(DrawRequest){.op = &op, .level = LEVEL_QUICK, .seed = 3, .filter = &all}, &d,
                   &e))
        fail_msg("%s", e.msg);
    int twins = 0;
    for (int i = 0; i < d.cases; i++) {
        twins += d.truth[i].twin;
        assert_false(d.truth[i].alike);
    }
    assert_int_equal(twins, 3);
    draw_free(&d);
    pool_close(pool);
    arena_free(&a);
}

// ---- kernels that know the answers of a draw

#define HEAD "import torch\nimport triton\nimport triton.language as tl\n"
static const char honest[] = HEAD "@triton.jit\n"
                                  "def kernel(x, out, s, N, B: tl.constexpr):\n"
                                  "    r = tl.program_id(0)\n"
                                  "    i = tl.arange(0, B)\n"
                                  "    v = tl.load(x + r * s + i, mask=i < N, other=-float('inf'))\n"
                                  "    e = tl.exp(v - tl.max(v, axis=0))\n"
                                  "    tl.store(out + r * N + i, e / tl.sum(e, axis=0), mask=i < N)\n"
                                  "def run(x):\n"
                                  "    out = torch.empty(x.shape, dtype=x.dtype, device=x.device)\n"
                                  "    kernel[(x.shape[0],)](x, out, x.stride(0), x.shape[1], B=4)\n"
                                  "    return out\n";
// Row maxima through one tensor, exponentials through another.
static const char through_tensors[] = HEAD
    "@triton.jit\n"
    "def largest(x, m, s, N, B: tl.constexpr):\n"
    "    r = tl.program_id(0)\n"
    "    i = tl.arange(0, B)\n"
    "    tl.store(m + r, tl.max(tl.load(x + r * s + i, mask=i < N, other=-float('inf')), axis=0))\n"
    "@triton.jit\n"
    "def power(x, m, p, s, N):\n"
    "    r = tl.program_id(0)\n"
    "    i = tl.program_id(1)\n"
    "    tl.store(p + r * N + i, tl.exp(tl.load(x + r * s + i) - tl.load(m + r)))\n"
    "@triton.jit\n"
    "def share(p, out, N, B: tl.constexpr):\n"
    "    r = tl.program_id(0)\n"
    "    i = tl.arange(0, B)\n"
    "    e = tl.load(p + r * N + i, mask=i < N, other=0.0)\n"
    "    tl.store(out + r * N + tl.program_id(1), tl.sum(tl.where(i == tl.program_id(1), e, 0.0), axis=0)"
    " / tl.sum(e, axis=0))\n"
    "def run(x):\n"
    "    M, N = x.shape\n"
    "    m = torch.empty((M,), dtype=x.dtype, device=x.device)\n"
    "    p = torch.empty((M, N), dtype=x.dtype, device=x.device)\n"
    "    out = torch.empty((M, N), dtype=x.dtype, device=x.device)\n"
    "    largest[(M,)](x, m, x.stride(0), N, B=4)\n"
    "    power[(M, N)](x, m, p, x.stride(0), N)\n"
    "    share[(M, N)](p.contiguous(), out, N, B=4)\n"
    "    return out\n";
// Zeros first; what is positive is stored on top of them by another launch: the zeros depend on what it
// loaded.
static const char stored_where_positive[] =
    HEAD "@triton.jit\n"
         "def zero(out, N, B: tl.constexpr):\n"
         "    i = tl.arange(0, B)\n"
         "    tl.store(out + tl.program_id(0) * N + i, tl.zeros((B,), tl.float32), mask=i < N)\n"
         "@triton.jit\n"
         "def kernel(x, out, s, N, B: tl.constexpr):\n"
         "    r = tl.program_id(0)\n"
         "    i = tl.arange(0, B)\n"
         "    v = tl.load(x + r * s + i, mask=i < N, other=0.0)\n"
         "    tl.store(out + r * N + i, v * v, mask=(i < N) & (v > 0.0))\n"
         "def run(x):\n"
         "    out = torch.empty(x.shape, dtype=x.dtype, device=x.device)\n"
         "    zero[(x.shape[0],)](out, x.shape[1], B=4)\n"
         "    kernel[(x.shape[0],)](x, out, x.stride(0), x.shape[1], B=4)\n"
         "    return out\n";

enum { ROWS = 2, COLUMNS = 3 };

// Right answers as literals: what somebody hands in who knows the seed. ghost: a kernel in front loads
// everything.
static Str table_of(Arena *a, const Draw *d, bool ghost) {
    Buf b = BUF(a);
    buf_puts(&b, HEAD "@triton.jit\n"
                      "def ghost(x, out, s, N):\n"
                      "    r = tl.program_id(0)\n"
                      "    for i in range(0, N):\n"
                      "        tl.store(out + r * N + i, tl.load(x + r * s + i))\n");
    for (int c = 0; c < d->cases; c++) {
        buf_printf(&b, "@triton.jit\ndef table%d(out):\n", c);
        for (int64_t i = 0; i < d->truth[c].expected->numel; i++)
            buf_printf(&b, "    tl.store(out + %d, %.17g)\n", (int)i, d->truth[c].expected->v[i]);
    }
    buf_puts(&b, "def run(x):\n    out = torch.empty(x.shape, dtype=x.dtype, device=x.device)\n");
    if (ghost) buf_puts(&b, "    ghost[(x.shape[0],)](x, out, x.stride(0), x.shape[1])\n");
    for (int c = 0; c < d->cases; c++)
        buf_printf(&b, "    if x.stride(0) == %lld:\n        table%d[(1,)](out)\n",
                   (long long)d->spec[c].input[0].stride[0], c);
    buf_puts(&b, "    return out\n");
    return buf_str(&b);
}

static void answers_that_come_from_nowhere(void **state) {
    (void)state;
    Arena a = {0};
    Err e = {0};
    Referee *r;
    RefereeConfig config = {.jobs = 1, .no_journal = true};
    if (!referee_open(&config, &r, &e)) fail_msg("%s", e.msg);
    Op op;
    assert_true(op_find(&a, STR("softmax"), &op));
    uint64_t seed = 3;
    DrawFilter tiny = {.m = ROWS, .n = COLUMNS, .dtype = DT_F32};
    JudgeRequest q = {.op = &op, .level = LEVEL_QUICK, .filter = tiny, .seed = &seed};
    Draw d;
    if (!draw_make(&a, referee_pool(r),
                   &(DrawRequest){.op = &op, .level = LEVEL_QUICK, .seed = seed, .filter = &tiny}, &d, &e))
        fail_msg("%s", e.msg);
    assert_true(d.dependences > 0);
    const Str source[] = {STR(honest), STR(through_tensors), table_of(&a, &d, false), table_of(&a, &d, true)};
    enum { SOURCES = sizeof source / sizeof *source, HONEST = 2 };
    Verdict v[SOURCES];
    if (!referee_judge(r, &a, &q, source, SOURCES, v, &e)) fail_msg("%s", e.msg);
    for (int i = 0; i < SOURCES; i++) {
        if (i < HONEST && v[i].decision.status != STATUS_ok) fail_msg("%d: %s", i, v[i].decision.feedback);
        if (i < HONEST) continue;
        assert_int_equal(v[i].decision.status, STATUS_incorrect);
        assert_string_equal(v[i].decision.rule, "unread");
        assert_int_equal(v[i].cases.passed, d.cases); // every value was right
    }
    draw_free(&d);
    assert_true(op_find(&a, STR("relu2"), &op));
    for (seed = 0; seed < 8; seed++) {
        const Str steered = STR(stored_where_positive);
        if (!referee_judge(r, &a, &q, &steered, 1, v, &e)) fail_msg("%s", e.msg);
        if (v[0].decision.status != STATUS_ok) fail_msg("%s", v[0].decision.feedback);
    }
    referee_close(r);
    arena_free(&a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_must_be_loaded),
        cmocka_unit_test(answers_that_come_from_nowhere),
        cmocka_unit_test(twins_hold_the_same_rows),
        cmocka_unit_test(coupled_rows_are_not_asked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
