// A second implementation of the domain, to show that none of draw, fill, twins, calls, columns and the judge
// knows rows and columns: tensors of rank 5, whose slices are along axis 1 and whose lines run along axis 2
// in some cases, along axes 3 and 4 together in others.
#include "cases/columns.h"
#include "cases/domain/domain.h"
#include "cases/domain/lines.h"
#include "judge/decide/decide.h"
#include "judge/referee.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static const char definition[] =
    "\"\"\"Softmax along the third of five axes, times a weight for each place of it.\"\"\"\n"
    "inputs = {\n"
    "    \"x\": {\"shape\": (\"A\", \"B\", \"C\", \"D\", \"E\"), \"shift\": 100},\n"
    "    \"w\": {\"shape\": (\"C\",), \"role\": \"weight\"},\n"
    "}\n"
    "dims = {\"A\": {\"max\": 3}, \"D\": {\"multiple_of\": 2, \"max\": 4}, \"E\": {\"max\": 3}}\n\n\n"
    "def reference(x, w):\n"
    "    p = torch.softmax(x.float(), dim=2)\n"
    "    return (p * w.float().reshape(1, 1, -1, 1, 1)).to(x.dtype)\n";

enum { A, B, C, D, E, RANK }; // axes of x, and symbols in this order
enum { BY_C, BY_D_E, REDUCTIONS, MANY = 20 };

static int64_t lines(const Domain *m, int over, const int64_t *dim) {
    (void)m;
    return over == BY_C ? dim[A] * dim[B] * dim[D] * dim[E] : dim[A] * dim[B] * dim[C];
}

static int64_t line_of(const Domain *m, const CaseTruth *t, const Bound *b, int64_t element) {
    (void)m;
    int64_t inner = b->shape[D] * b->shape[E];
    return t->over == BY_D_E ? element / inner : element / (b->shape[C] * inner) * inner + element % inner;
}

static Positions positions(const Domain *m, int output, const Bound *b) {
    (void)m, (void)output;
    return (Positions){b->shape[C], b->shape[D] * b->shape[E]};
}

static void put_sizes(Buf *out, const Domain *m, const int64_t *dim) {
    for (int i = 0; i < m->op->dims; i++) buf_printf(out, "%s%lld", i ? "x" : "", (long long)dim[i]);
}

static _Atomic int answers; // several threads draw
// Computed here, not by the definition's text.
static const Bound *answer(Arena *a, const Domain *m, const uint8_t *mapping, const CaseSpec *spec,
                           const OtherBytes *other, DiagList *diags) {
    BoundCtx c = {.arena = a, .elements_left = (int64_t)1 << 32};
    const Bound *in[2];
    Storage store[2];
    (void)m, (void)diags;
    answers++;
    for (int k = 0; k < 2; k++) {
        Tensor x = draw_input(mapping, &spec->input[k], &store[k]);
        if (other && other->input == k) store[k].data = (uint8_t *)(uintptr_t)other->data;
        in[k] = bound_input(&c, &x, k);
    }
    const Bound *x = in[0];
    const int64_t single = DT_F32, axis = C, as[RANK] = {1, 1, x->shape[C], 1, 1};
    const Bound *p = bound_apply(&c, BOUND_CAST, &x, 1, &single, 1, 0);
    p = bound_apply(&c, BOUND_SOFTMAX, &p, 1, &axis, 1, 0);
    const Bound *w = bound_apply(&c, BOUND_CAST, &in[1], 1, &single, 1, 0);
    w = bound_apply(&c, BOUND_RESHAPE, &w, 1, as, RANK, 0);
    const Bound *both[2] = {p, w};
    const Bound *y = bound_apply(&c, BOUND_MUL, both, 2, NULL, 0, 0);
    const int64_t back = x->dtype;
    return bound_apply(&c, BOUND_CAST, &y, 1, &back, 1, 0);
}

static const DomainKind volumes = {.name = "volumes",
                                   .lines = lines,
                                   .line_of = line_of,
                                   .positions = positions,
                                   .answer = answer,
                                   .put_sizes = put_sizes};

static const int slice_axis[] = {B, -1}, output_slice[] = {B};
static const LineAxes by_c[] = {{1, {C}, true}, {1, {0}, false}},
                      by_d_e[] = {{2, {D, E}, true}, {1, {0}, false}};
static const Reduction reductions[REDUCTIONS] = {{1, {C}, by_c}, {2, {D, E}, by_d_e}};

typedef struct {
    Arena a;
    Op op;
    Domain domain;
    Draw d;
} World;

static void world_make(World *w, Pool *pool, Level level, uint64_t seed) {
    DiagList diags = DIAGS(&w->a);
    Err e = {0};
    if (!op_define(&w->a, STR("volumes"), str_of(definition), true, &w->op, &diags))
        fail_msg("%s", diag_first(&diags)->msg);
    w->domain = (Domain){.kind = &volumes,
                         .op = &w->op,
                         .slices = B,
                         .moves = true,
                         .slice_axis = slice_axis,
                         .output_slice = output_slice,
                         .reduction = reductions,
                         .reductions = REDUCTIONS};
    DrawFilter all = {.dtype = -1};
    DrawRequest q = {.op = &w->op, .domain = &w->domain, .level = level, .seed = seed, .filter = &all};
    if (!draw_make(&w->a, pool, &q, &w->d, &e)) fail_msg("%s", e.msg);
}

static void world_free(World *w) {
    draw_free(&w->d);
    arena_free(&w->a);
}

static double value(const Draw *d, const CaseTensor *t, int64_t k) {
    return dtype_load((DType)t->dtype,
                      d->mapping + t->at + tensor_element(t, k) * dtype_bytes((DType)t->dtype));
}

static void check_class(ClassId cls, const double *x, int64_t n) {
    for (int64_t i = 0; i < n; i++) {
        if (cls == CLASS_zero) assert_true(x[i] == 0);
        if (cls == CLASS_constant) assert_true(x[i] == x[0] && x[0] != 0);
        if (cls == CLASS_ascending && i > 0) assert_true(x[i] >= x[i - 1]);
        if (cls == CLASS_descending && i > 0) assert_true(x[i] <= x[i - 1]);
        if (cls == CLASS_stagnation) assert_true(x[i] == (i ? 1 : 4096));
    }
}

// Every line has its class along its own axes, and not along the last one.
static void classes_lie_along_the_reduced_axes(void **state) {
    (void)state;
    World w = {0};
    Pool *pool = pool_open(1);
    world_make(&w, pool, LEVEL_QUICK, 11);
    bool seen[REDUCTIONS][CLASS_COUNT] = {{0}}, across = false;
    ClassId list[CLASS_COUNT];
    for (int i = 0; i < w.d.cases; i++) {
        const CaseTensor *t = &w.d.spec[i].input[0];
        const CaseTruth *truth = &w.d.truth[i];
        Lines l = lines_of(t, &reductions[truth->over].input[0]);
        assert_int_equal(t->rank, RANK);
        assert_int_equal(truth->lines, l.lines);
        assert_int_equal(truth->slices, t->shape[B]);
        assert_int_equal(t->shape[D] % 2, 0);
        double *x = NEWN(&w.a, double, (size_t)l.length);
        for (int64_t r = 0; r < l.lines && truth->relation == 0; r++) {
            line_load(&l, w.d.mapping, r, x);
            check_class((ClassId)truth->line_class[r], x, l.length);
            seen[truth->over][truth->line_class[r]] |= l.length > 8;
            // Along the last axis neighbours are of different lines, and so of different classes.
            across |= truth->over == BY_C && truth->line_class[r] == CLASS_zero && t->shape[E] > 1 &&
                      value(&w.d, t, l.length > 2 ? line_at(&l, r) - t->offset + 1 : 0) != 0;
        }
    }
    int k = plan_classes(&w.op, DT_F32, list);
    for (int over = 0; over < REDUCTIONS; over++)
        for (int c = 0; c < k; c++)
            if (!seen[over][list[c]])
                print_message("reduction %d: no line of class %s\n", over, class_name(list[c]));
    for (int c = 0; c < k; c++) assert_true(seen[BY_C][list[c]]);
    assert_true(across && seen[BY_D_E][CLASS_ascending]);
    world_free(&w);
    pool_close(pool);
}

// The domain's own answer is asked, and is what the definition says.
static void answers_are_the_domains(void **state) {
    (void)state;
    World w = {0};
    Pool *pool = pool_open(1);
    answers = 0;
    world_make(&w, pool, LEVEL_QUICK, 12);
    assert_true(answers >= w.d.cases);
    for (int i = 0; i < w.d.cases; i++) {
        DiagList diags = DIAGS(&w.a);
        const Bound *own = w.d.truth[i].expected,
                    *b = draw_reference(&w.a, &w.op, w.d.mapping, &w.d.spec[i], NULL, &diags);
        if (!b) fail_msg("%s", diag_first(&diags)->msg);
        assert_int_equal(b->numel, own->numel);
        assert_memory_equal(b->v, own->v, (size_t)b->numel * sizeof *b->v);
        assert_memory_equal(b->e, own->e, (size_t)b->numel * sizeof *b->e);
    }
    world_free(&w);
    pool_close(pool);
}

// A twin's slice s along axis 1 is the base's slice twin_slice[s], with its classes.
static void twins_move_along_their_axis(void **state) {
    (void)state;
    World w = {0};
    Pool *pool = pool_open(1);
    world_make(&w, pool, LEVEL_QUICK, 13);
    int twins = 0, moved = 0;
    for (int i = 1; i < w.d.cases; i++) {
        const CaseTruth *t = &w.d.truth[i], *base = &w.d.truth[i - 1];
        const CaseTensor *y = &w.d.spec[i].input[0], *x = &w.d.spec[i - 1].input[0];
        if (!t->twin) continue;
        twins++;
        assert_int_equal(t->alike, 1);
        int64_t n = slice_size(x->shape, RANK, B);
        for (int64_t s = 0; s < t->slices; s++)
            for (int64_t k = 0; k < n; k++) {
                int64_t to = slice_element(y->shape, RANK, B, s, k),
                        from = slice_element(x->shape, RANK, B, t->twin_slice[s], k);
                assert_true(value(&w.d, y, to) == value(&w.d, x, from));
                moved += t->twin_slice[s] != s;
                assert_int_equal(truth_class(&w.d, i, 0, to), truth_class(&w.d, i - 1, 0, from));
            }
        assert_int_equal(base->twinned, 1);
    }
    assert_true(twins > 0 && moved > 0);
    world_free(&w);
    pool_close(pool);
}

static void places_of_the_reduced_axis_are_judged(void **state) {
    (void)state;
    World w = {0};
    Pool *pool = pool_open(1);
    world_make(&w, pool, LEVEL_QUICK, 14);
    assert_true(columns_judgeable(&w.d));
    Columns *c = columns_open(&w.a, &w.d);
    const Bound *b = w.d.truth[w.d.cases - 1].expected;
    uint8_t *judged = NEWN(&w.a, uint8_t, (size_t)b->numel);
    int64_t inner = b->shape[D] * b->shape[E], of;
    for (int64_t k = 0; k < b->numel; k++) judged[k] = k / inner % b->shape[C] != 1;
    columns_note(c, 0, b, judged);
    assert_int_equal(columns_first_unjudged(c, &of), b->shape[C] > 1 ? 1 : -1);
    judged[inner] = 1; // one element of the place is enough
    columns_note(c, 0, b, judged);
    assert_true(columns_all(c));
    Buf name = BUF(&w.a);
    truth_name(&name, &w.d, w.d.cases - 1);
    assert_non_null(strstr(buf_cstr(&name), "x")); // five sizes
    world_free(&w);
    pool_close(pool);
}

#define KERNEL(load, place)                                                                     \
    "@triton.jit\n"                                                                             \
    "def kernel(x, w, y, B, C, D, E, sa, sb, sc, sd, se, BLOCK: tl.constexpr):\n"               \
    "    line = tl.program_id(0)\n"                                                             \
    "    e = line % E\n"                                                                        \
    "    d = line // E % D\n"                                                                   \
    "    b = line // (E * D) % B\n"                                                             \
    "    a = line // (E * D * B)\n"                                                             \
    "    c = tl.arange(0, BLOCK)\n"                                                             \
    "    at = x + a * sa + b * sb + c * sc + d * sd + e * se\n"                                 \
    "    h = tl.load(at, mask=c < " load ", other=-float('inf')).to(tl.float32)\n"              \
    "    h = tl.exp(h - tl.max(h, axis=0))\n"                                                   \
    "    p = h / tl.sum(h, axis=0) * tl.load(w + c, mask=c < C, other=0).to(tl.float32)\n"      \
    "    tl.store(y + (((a * B + " place ") * C + c) * D + d) * E + e, p, mask=c < C)\n\n\n"    \
    "def run(x, w):\n"                                                                          \
    "    A, B, C, D, E = x.shape\n"                                                             \
    "    y = torch.empty((A, B, C, D, E), device=x.device, dtype=x.dtype)\n"                    \
    "    kernel[(A * B * D * E,)](x, w, y, B, C, D, E, x.stride(0), x.stride(1), x.stride(2), " \
    "x.stride(3),\n"                                                                            \
    "                             x.stride(4), BLOCK=triton.next_power_of_2(C))\n"              \
    "    return y\n"

// Programs are judged on it by the same rules: a right one, one that leaves out the last element of a line,
// one that mixes up slices.
static void programs_are_judged(void **state) {
    (void)state;
    Referee *r;
    Err e = {0};
    RefereeConfig config = {.jobs = 1, .no_journal = true};
    if (!referee_open(&config, &r, &e)) fail_msg("%s", e.msg);
    static const char *const source[] = {KERNEL("C", "b"), KERNEL("C - (C > 20)", "b"),
                                         KERNEL("C", "(B - 1 - b)")};
    World w = {0};
    world_make(&w, referee_pool(r), LEVEL_QUICK, 15);
    for (int i = 0; i < 3; i++) {
        Verdict v = {0};
        Watched shown = {0}; // one field is read: `without_gaps`
        referee_watch(r, &w.a, &w.d, str_of(source[i]), &v, &shown);
        if (i == 0 && !verdict_accepted(&v)) fail_msg("%s: %s", v.decision.rule, v.decision.feedback);
        if (i > 0 && (verdict_accepted(&v) ||
                      (v.decision.status != STATUS_incorrect && v.decision.status != STATUS_nan_class)))
            fail_msg("program %d: %s", i, v.decision.feedback);
        if (i == 0) assert_int_equal(v.cases.passed, w.d.cases);
    }
    world_free(&w);
    referee_close(r);
}

// Lists grow: a definition of many inputs, one of them of eight dimensions.
static const char *many_inputs(Arena *a, const char *last) {
    Buf b = BUF(a);
    buf_puts(&b, "@triton.jit\ndef kernel(");
    for (int i = 0; i < MANY; i++) buf_printf(&b, "x%d, s%d, ", i, i);
    buf_puts(&b, "w, at, y, N, BLOCK: tl.constexpr):\n    m = tl.program_id(0)\n    i = tl.arange(0, BLOCK)\n"
                 "    h = tl.load(w + at + i * 0).to(tl.float32)\n");
    for (int i = 0; i < MANY; i++)
        buf_printf(&b, "    h += tl.load(x%d + m * s%d + i, mask=i < N, other=0).to(tl.float32)\n", i, i);
    buf_puts(&b, "    tl.store(y + m * N + i, h, mask=i < N)\n\n\ndef run(");
    for (int i = 0; i < MANY; i++) buf_printf(&b, "x%d, ", i);
    buf_puts(&b, "w):\n    M, N = x0.shape\n"
                 "    y = torch.empty((M, N), device=x0.device, dtype=x0.dtype)\n    kernel[(M,)](");
    for (int i = 0; i + 1 < MANY; i++) buf_printf(&b, "x%d, x%d.stride(0), ", i, i);
    buf_printf(&b,
               "%s, %s.stride(0), w, w.stride(1) + 2 * w.stride(3) + w.stride(5), y, N, "
               "BLOCK=triton.next_power_of_2(N))\n    return y\n",
               last, last);
    return buf_cstr(&b);
}

static void many_inputs_are_judged(void **state) {
    (void)state;
    Arena a = {0};
    Buf b = BUF(&a);
    Op op;
    Err e = {0};
    DiagList diags = DIAGS(&a);
    buf_puts(&b, "\"\"\"A sum.\"\"\"\ninputs = {");
    for (int i = 0; i < MANY; i++) buf_printf(&b, "\"x%d\": {\"shape\": (\"M\", \"N\")}, ", i);
    buf_puts(&b, "\"w\": {\"shape\": (1, 2, 1, 3, 1, 2, 1, 1), \"role\": \"weight\"}}\n\n\ndef reference(");
    for (int i = 0; i < MANY; i++) buf_printf(&b, "x%d, ", i);
    buf_puts(&b, "w):\n    h = w.float().reshape(-1)[11]");
    for (int i = 0; i < MANY; i++) buf_printf(&b, " + x%d.float()", i);
    buf_puts(&b, "\n    return h.to(x0.dtype)\n");
    if (!op_define(&a, STR("many"), buf_str(&b), true, &op, &diags)) fail_msg("%s", diag_first(&diags)->msg);
    Referee *r;
    RefereeConfig config = {.jobs = 1, .no_journal = true};
    if (!referee_open(&config, &r, &e)) fail_msg("%s", e.msg);
    uint64_t seed = 3, strided = 0;
    Draw d;
    DrawFilter all = {.dtype = -1};
    DrawRequest q = {.op = &op, .level = LEVEL_QUICK, .seed = seed, .filter = &all};
    if (!draw_make(&a, referee_pool(r), &q, &d, &e)) fail_msg("%s", e.msg);
    for (int i = 0; i < d.cases; i++) strided |= d.truth[i].strided;
    assert_true(strided == op_all_inputs(&op) && strided >> MANY == 1);
    draw_free(&d);
    // The wrong one takes the last input but one twice.
    const Str source[] = {str_of(many_inputs(&a, "x19")), str_of(many_inputs(&a, "x18"))};
    JudgeRequest of = {.op = &op, .level = LEVEL_QUICK, .filter = all, .seed = &seed};
    Verdict v[2];
    if (!referee_judge(r, &a, &of, source, 2, v, &e)) fail_msg("%s", e.msg);
    if (!verdict_accepted(&v[0])) fail_msg("%s", v[0].decision.feedback);
    assert_int_equal(v[1].decision.status, STATUS_incorrect);
    referee_close(r);
    arena_free(&a);
}

// A tensor may be part of a larger one along the last axis but one, and another one not.
static void lines_have_gaps_between_blocks_of_them(void **state) {
    (void)state;
    bool gaps = false, none = false;
    Pool *pool = pool_open(1);
    for (uint64_t seed = 1; seed < 4; seed++) {
        World w = {0};
        world_make(&w, pool, LEVEL_QUICK, seed);
        for (int i = 0; i < w.d.cases; i++) {
            const CaseTensor *t = &w.d.spec[i].input[0];
            int64_t apart = t->stride[t->rank - 3] - t->shape[t->rank - 2] * t->stride[t->rank - 2];
            assert_true(apart >= 0 && apart % t->stride[t->rank - 2] == 0);
            if (!(w.d.truth[i].strided & 1)) assert_int_equal(apart, 0);
            gaps |= apart > 0;
            none |= apart == 0 && w.d.truth[i].strided & 1;
        }
        world_free(&w);
    }
    pool_close(pool);
    assert_true(gaps && none);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(programs_are_judged), // before any thread
        cmocka_unit_test(many_inputs_are_judged),
        cmocka_unit_test(classes_lie_along_the_reduced_axes),
        cmocka_unit_test(answers_are_the_domains),
        cmocka_unit_test(twins_move_along_their_axis),
        cmocka_unit_test(places_of_the_reduced_axis_are_judged),
        cmocka_unit_test(lines_have_gaps_between_blocks_of_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
