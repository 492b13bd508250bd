// What a draw says must be loaded, and what two orders of the programs may differ by: verdicts on made-up
// children that hand in the oracle's own values.
#include "judge/decide.h"
#include "judge/referee.h"
#include "op/op.h"
#include <assert.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

typedef struct {
    Arena a;
    Pool *pool;
    Op op;
    Draw d;
    uint8_t *output;
    CaseReport *report;
} World;

static void world_open(World *w, const char *op, DType dtype, uint64_t seed) {
    Err e = {0};
    *w = (World){0};
    DrawFilter filter = {.dtype = (int)dtype};
    assert_true(op_find(&w->a, str_of(op), &w->op));
    w->pool = pool_open(1);
    if (!draw_make(&w->a, w->pool, &w->op, LEVEL_QUICK, seed, &filter, &w->d, &e)) fail_msg("%s", e.msg);
    w->output = NEWN(&w->a, uint8_t, w->d.output_bytes);
    memset(w->output, 0xff, w->d.output_bytes); // from everything
    w->report = NEWN(&w->a, CaseReport, (size_t)w->d.cases + 1);
    for (int i = 0; i < w->d.cases; i++) {
        const Bound *b = w->d.truth[i].expected;
        const CaseSpec *s = &w->d.spec[i];
        CaseReport *r = &w->report[i];
        *r = (CaseReport){.case_index = i,
                          .kind = REPORT_RAN,
                          .dtype = (int32_t)b->dtype,
                          .rank = b->rank,
                          .first_unwritten = -1};
        r->count.bytes_stored = 1 << 30;
        memcpy(r->shape, b->shape, sizeof(int64_t) * (size_t)b->rank);
        wire_message(r, "");
        for (int order = 0; order <= s->again; order++)
            for (int64_t k = 0; k < b->numel; k++)
                dtype_store(b->dtype, w->output + spec_output_at(s, order) + k * dtype_bytes(b->dtype),
                            b->v[k]);
    }
    w->report[w->d.cases] = (CaseReport){.case_index = -1, .kind = REPORT_DONE, .first_unwritten = -1};
    wire_message(&w->report[w->d.cases], "");
}
static void world_close(World *w) {
    draw_free(&w->d);
    pool_close(w->pool);
    arena_free(&w->a);
}

static Verdict judged(World *w) {
    ChildResult child = {.end = CHILD_EXITED,
                         .report = w->report,
                         .reports = w->d.cases + 1,
                         .output = w->output,
                         .output_bytes = w->d.output_bytes};
    Verdict v = {0};
    decide(&w->a, &w->d, STR("source"), &child, &v);
    return v;
}

static void what_must_be_loaded(void **state) {
    (void)state;
    static const char *const ops[] = {"softmax", "cross_entropy", "rope", "add_rmsnorm", "kl_div"};
    for (size_t o = 0; o < sizeof ops / sizeof *ops; o++) {
        for (uint64_t seed = 1; seed < 4; seed++) {
            World w;
            world_open(&w, ops[o], DT_F32, seed);
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
                    assert_non_null(strstr(v.decision.feedback, "comes from no load of row"));
                    assert_true(strlen(v.decision.feedback) <= FEEDBACK_MAX);
                }
                assert_true(depends > 0);
            }
            world_close(&w);
        }
    }
}

static int tiny_case(const World *w) {
    for (int i = 0; i < w->d.cases; i++)
        if (w->d.spec[i].again && w->d.truth[i].expected->numel > 8) return i;
    fail_msg("no tiny case");
    return -1;
}

static void two_orders(void **state) {
    (void)state;
    World w;
    world_open(&w, "softmax", DT_F32, 3);
    int at = tiny_case(&w);
    CaseReport *r = &w.report[at];
    const CaseSpec *s = &w.d.spec[at];
    float was, other;
    uint8_t *second = w.output + spec_output_at(s, 1) + 4 * 3;
    memcpy(&was, second, 4);
    // The same bits.
    r->again = 1;
    assert_int_equal(judged(&w).decision.status, STATUS_ok);
    // One bit, which only atomics may change.
    uint32_t bits;
    memcpy(&bits, &was, 4);
    bits ^= 1;
    memcpy(second, &bits, 4);
    Verdict v = judged(&w);
    assert_int_equal(v.decision.status, STATUS_nondeterministic);
    assert_string_equal(v.decision.rule, "orders");
    r->atomic_launches = 1;
    assert_int_equal(judged(&w).decision.status, STATUS_ok);
    // Another value.
    other = was + 0.25f;
    memcpy(second, &other, 4);
    v = judged(&w);
    assert_int_equal(v.decision.status, STATUS_nondeterministic);
    assert_non_null(strstr(v.decision.feedback, "order in which the programs"));
    assert_true(strlen(v.decision.feedback) <= FEEDBACK_MAX);
    // The same wrong value in both orders is merely wrong.
    memcpy(w.output + s->output_at + 4 * 3, &other, 4);
    assert_int_equal(judged(&w).decision.status, STATUS_incorrect);
    // Not run again: nobody looks at the second one.
    memcpy(w.output + s->output_at + 4 * 3, &was, 4);
    r->again = 0;
    assert_int_equal(judged(&w).decision.status, STATUS_ok);
    // Another shape in the second order; an order that there was no room for.
    r->again = -1;
    assert_int_equal(judged(&w).decision.status, STATUS_nondeterministic);
    r->again = 0;
    int large = w.d.cases - 1;
    assert_int_equal(w.d.spec[large].again, 0);
    w.report[large].again = 1;
    v = judged(&w);
    assert_int_equal(v.decision.status, STATUS_crash);
    assert_string_equal(v.decision.rule, "protocol");
    world_close(&w);
}

// ---- rows at other places

static int twin_of(const World *w) {
    for (int i = 1; i < w->d.cases; i++)
        if (w->d.truth[i].twin) return i;
    return -1;
}

static void twins_hold_the_same_rows(void **state) {
    (void)state;
    static const char *const ops[] = {"softmax", "cross_entropy", "rope", "add_rmsnorm", "dequant_int8"};
    for (size_t o = 0; o < sizeof ops / sizeof *ops; o++) {
        World w;
        world_open(&w, ops[o], DT_F16, 5 + o);
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
            int64_t row = by_row ? n / t->rows : n;
            char *a = NEWN(&w.a, char, (size_t)(n * size)), *b = NEWN(&w.a, char, (size_t)(n * size));
            tensor_gather(&from, a, NULL);
            tensor_gather(&to, b, NULL);
            for (int64_t r = 0; r < (by_row ? t->rows : 1); r++)
                assert_memory_equal(b + r * row * size, a + (by_row ? t->twin_row[r] : 0) * row * size,
                                    row * size);
        }
        assert_int_equal(judged(&w).evidence.row_bits, ROW_BITS_SAME);
        world_close(&w);
    }
}

static void bits_that_depend_on_a_rows_place(void **state) {
    (void)state;
    World w;
    world_open(&w, "softmax", DT_F32, 7);
    int i = twin_of(&w);
    const CaseTruth *t = &w.d.truth[i];
    int64_t n = t->expected->numel / t->rows;
    for (int c = i - 1; c <= i; c++) // every row from itself alone
        for (int64_t k = 0; k < t->expected->numel; k++)
            w.output[w.d.spec[c].origin_at + k] = (uint8_t)(1 << k / n);
    assert_int_equal(judged(&w).decision.status, STATUS_ok);
    // One bit of one element: far within the bound.
    w.output[w.d.spec[i].output_at + 4 * n] ^= 1;
    Verdict v = judged(&w);
    assert_int_equal(v.decision.status, STATUS_nondeterministic);
    assert_string_equal(v.decision.rule, "rows");
    assert_non_null(strstr(v.decision.feedback, "Row 1 of the result"));
    assert_true(strlen(v.decision.feedback) <= FEEDBACK_MAX);
    // Each honest reason for such a bit is enough; the evidence says what was seen.
    CaseReport *r = &w.report[i];
    uint8_t *origin = &w.output[w.d.spec[i - 1].origin_at], was = *origin;
    for (int reason = 0; reason < 4; reason++) {
        if (reason == 0) r->atomic_launches = 1;
        if (reason == 1) r->configs = 2;
        if (reason == 2) r->read_back = 1;
        if (reason == 3) *origin |= 2; // its program works on two rows
        v = judged(&w);
        assert_int_equal(v.decision.status, STATUS_ok);
        assert_int_equal(v.evidence.row_bits, ROW_BITS_DIFFER);
        r->atomic_launches = r->configs = r->read_back = 0;
        *origin = was;
    }
    assert_int_equal(judged(&w).decision.status, STATUS_nondeterministic);
    world_close(&w);
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
    if (!draw_make(&a, pool, &op, LEVEL_QUICK, 3, &all, &d, &e)) fail_msg("%s", e.msg);
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
    if (!draw_make(&a, referee_pool(r), &op, LEVEL_QUICK, seed, &tiny, &d, &e)) fail_msg("%s", e.msg);
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
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_must_be_loaded),
                                       cmocka_unit_test(two_orders),
                                       cmocka_unit_test(answers_that_come_from_nowhere),
                                       cmocka_unit_test(twins_hold_the_same_rows),
                                       cmocka_unit_test(bits_that_depend_on_a_rows_place),
                                       cmocka_unit_test(coupled_rows_are_not_asked)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
