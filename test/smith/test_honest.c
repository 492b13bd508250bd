// The proof that the smith writes correct kernels: every schedule of every op runs in the VM on a few small
// shapes, with row strides, offsets and every float type, and each element is held against the reference's
// own bound.
#include "host/host.h"
#include "smith_test.h"
#include <math.h>

enum { STEPS = 1 << 28 };

typedef struct {
    Tensor t[OP_INPUTS_MAX];
    const Bound *b[OP_INPUTS_MAX];
} Inputs;

static double draw(const OpInput *in, int64_t indices, bool first_of_row, Rng *r) {
    if (in->range_dim >= 0) return (double)rng_below(r, (uint64_t)indices);
    if (in->ranged && !in->any_float && !dtype_is_float(in->dtype))
        return (double)rng_between(r, (int64_t)in->range_lo, (int64_t)in->range_hi);
    if (in->ranged) return in->range_lo + rng_unit(r) * (in->range_hi - in->range_lo);
    if (in->neg_inf && in->keep < 0 && !first_of_row && rng_below(r, 8) == 0) return -INFINITY;
    return rng_normal(r) * in->scale_hi / 4;
}

// Rows lie further apart than they are long, by a different gap for each argument, and start at an odd
// offset.
static void make_input(Arena *a, StorageTable *table, BoundCtx *c, const Op *op, int k, const int64_t *dims,
                       DType t, bool strided, Rng *r, Inputs *out) {
    const OpInput *in = &op->input[k];
    Tensor x = {.dtype = in->any_float ? t : in->dtype, .rank = in->rank};
    for (int d = 0; d < in->rank; d++) x.shape[d] = in->dim[d] >= 0 ? dims[in->dim[d]] : in->size[d];
    tensor_contiguous_strides(&x);
    if (strided && in->rank == 2) x.stride[0] += 3 + 2 * k;
    x.offset = strided ? 1 + k : 0;
    int64_t rows = in->rank == 2 ? x.shape[0] : 1, cols = in->rank ? x.shape[in->rank - 1] : 1;
    int64_t step = in->rank == 2 ? x.stride[0] : 0, size = dtype_bytes(x.dtype),
            total = x.offset + rows * (step ? step : cols) + cols + 8;
    uint8_t *data = NEWN(a, uint8_t, (size_t)(total * size));
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < cols; j++)
            dtype_store(x.dtype, data + (x.offset + i * step + j) * size,
                        draw(in, in->range_dim >= 0 ? dims[in->range_dim] : 1, j == 0, r));
    assert_true(storage_wrap(table, x.dtype, data, (size_t)(total * size), &x.storage));
    tensor_expose(&x, SHADOW_ALLOC | SHADOW_INIT);
    out->t[k] = x;
    out->b[k] = bound_input(c, &x, k);
    assert_non_null(out->b[k]);
}

// doc/error-bound.md section 1: rnd(v - b) <= o <= rnd(v + b); an infinity or NaN only where the reference has
// it.
static bool acceptable(DType t, double o, double v, double e) {
    if (v != v) return o != o;
    if (e == INFINITY) return true;
    double b = BOUND_KAPPA * BOUND_U * e;
    if (o != o) return false;
    return o >= dtype_round(t, v - b) && o <= dtype_round(t, v + b);
}

static int64_t judged, elements;

// NULL when every element is right, else what is wrong.
static const char *compare(Arena *a, const Tensor *got, const Bound *want) {
    if (got->rank != want->rank || got->dtype != want->dtype) return "wrong rank or type";
    for (int d = 0; d < want->rank; d++)
        if (got->shape[d] != want->shape[d]) return "wrong shape";
    int64_t index[TENSOR_RANK_MAX] = {0};
    for (int64_t i = 0; i < want->numel; i++) {
        int64_t at = tensor_at(got, index) * dtype_bytes(got->dtype);
        for (int b = 0; b < dtype_bytes(got->dtype); b++)
            if (!(got->storage->shadow[at + b] & SHADOW_STORED))
                return arena_printf(a, "element %lld was not stored", (long long)i);
        double out = dtype_load(got->dtype, got->storage->data + at);
        double e = want->e ? want->e[i] : 0;
        if (!acceptable(got->dtype, out, want->v[i], e))
            return arena_printf(a, "element %lld is %.9g, not %.9g +- %.3g", (long long)i, out, want->v[i],
                                BOUND_KAPPA * BOUND_U * e);
        elements++;
        judged += e != INFINITY;
        for (int d = want->rank - 1; d >= 0; d--) {
            if (++index[d] < want->shape[d]) break;
            index[d] = 0;
        }
    }
    return NULL;
}

typedef struct {
    int64_t m, n;
    DType dtype;
    bool strided;
} Shape;

// NULL when the kernel computes what the op's reference says, else what is wrong.
static const char *run_one(Arena *a, const Op *op, const Node *module, Str source, Shape s, uint64_t seed) {
    DiagList d = DIAGS(a);
    Machine *m = NEW(a, Machine);
    machine_init(m, a, &d, STEPS);
    m->order_seed = seed;
    BoundCtx c = {.arena = a, .elements_left = 1 << 24};
    Rng r = rng_at(seed, 1);
    Inputs in = {0};
    int64_t dims[OP_DIMS_MAX] = {0};
    if (op->rows_dim >= 0) dims[op->rows_dim] = s.m;
    dims[op->row_dim] = s.n;
    for (int k = 0; k < op->inputs; k++)
        make_input(a, &m->storages, &c, op, k, dims, s.dtype, s.strided, &r, &in);
    const Bound *want = host_reference(&c, op->module, in.b, op->inputs, 1 << 20, &d);
    if (!want) return diag_first(&d)->msg;
    Tensor out;
    if (host_run(m, code_cache_new(a), module, in.t, op->inputs, &out)) return compare(a, &out, want);
    Buf b = BUF(a);
    diag_render(&b, "kernel", source, diag_first(&d));
    return buf_cstr(&b);
}

static void expect_right(Arena *a, const Op *op, const Node *module, Str source, const char *schedule,
                         Shape s, uint64_t seed) {
    ArenaMark mark = arena_mark(a);
    const char *why = run_one(a, op, module, source, s, seed);
    if (why)
        fail_msg("%.*s, %s, %lld x %lld %s%s: %s\n%.*s", STR_ARG(op->name), schedule, (long long)s.m,
                 (long long)s.n, dtype_info[s.dtype].torch, s.strided ? ", strided" : "", why,
                 STR_ARG(source));
    arena_reset(a, mark);
}

static int64_t fit(const OpDim *d, int64_t n) {
    if (n > d->max) n = d->max;
    n -= n % d->multiple_of;
    return n < d->min ? d->min : n;
}

// Every form of every operation comes up: the plan's forms are shifted with its number.
static void check_schedule(Arena *a, const Op *op, const Graph *g, Schedule schedule, int plans) {
    static const Shape shapes[] = {
        {5, 257, DT_F32, true},   {3, 1, DT_F16, false}, {1, 2, DT_BF16, true},
        {2, 1030, DT_F32, false}, {9, 31, DT_F16, true}, {1, 1, DT_F32, false},
    };
    enum { SHAPES = sizeof shapes / sizeof *shapes };
    Rng r = rng_at(2026, schedule);
    for (int i = 0; i < plans; i++) {
        ArenaMark mark = arena_mark(a);
        Plan p = plan_draw(schedule, 700, i == 0, &r);
        for (int k = 0; k < BOUND_COUNT; k++) p.form[k] = (uint8_t)i;
        p.online = i % 2;
        p.one_load = i / 2 % 2;
        p.scalars = i / 2 % 2;
        p.fit = i % 2;
        Str source = kernel_emit(a, g, &p);
        DiagList d = DIAGS(a);
        const Node *module = parse_module(a, source, &d);
        assert_non_null(module);
        for (int k = 0; k < SHAPES; k++) {
            if (i > 0 && (k + i) % 3 != 0) continue;
            Shape s = shapes[k];
            if (op->rows_dim < 0) s.m = 1;
            if (s.n != fit(&op->dim[op->row_dim], s.n) && s.n < 16) s.n = op->dim[op->row_dim].min;
            s.n = fit(&op->dim[op->row_dim], s.n);
            expect_right(a, op, module, source, plan_words(a, g, &p), s, (uint64_t)(i * 100 + k));
        }
        arena_reset(a, mark);
    }
}

static void every_schedule_of_every_op_is_within_the_bound(void **state) {
    (void)state;
    Arena a = {0};
    Op *ops;
    int n = all_ops(&a, &ops), kernels = 0;
    for (int i = 0; i < n; i++) {
        ArenaMark mark = arena_mark(&a);
        Err e = {0};
        Graph g;
        if (!graph_trace(&a, &ops[i], &g, &e)) fail_msg("%.*s: %s", STR_ARG(ops[i].name), e.msg);
        for (int s = 0; s < SCHEDULE_COUNT; s++) {
            if (!plan_possible(&g, (Schedule)s)) continue;
            int plans = ops[i].user ? 4 : 2;
            check_schedule(&a, &ops[i], &g, (Schedule)s, plans);
            kernels += plans;
        }
        arena_reset(&a, mark);
    }
    assert_true(kernels > 400);
    assert_true(elements > 200000 && judged * 100 > elements * 99);
    arena_free(&a);
}

// What the proposer hands out is checked as it is, too.
static void proposals_are_within_the_bound(void **state) {
    (void)state;
    Arena a = {0};
    Op *ops;
    int n = all_ops(&a, &ops);
    for (int i = 0; i < n; i++) {
        ArenaMark mark = arena_mark(&a);
        Smith *smith;
        Err e = {0};
        Proposal p[6];
        int got = 0;
        assert_true(smith_open(&a, "grammar", &smith, &e));
        SmithRequest q = {.seed = 99 + (uint64_t)i, .count = 6};
        if (!smith->propose(smith, &a, &ops[i], &q, p, &got, &e)) fail_msg("%s", e.msg);
        for (int k = 0; k < got; k++) {
            DiagList d = DIAGS(&a);
            const Node *module = parse_module(&a, p[k].source, &d);
            assert_non_null(module);
            Shape s = {ops[i].rows_dim < 0 ? 1 : 4, fit(&ops[i].dim[ops[i].row_dim], 130),
                       (DType[]){DT_F32, DT_F16, DT_BF16}[k % 3], true};
            expect_right(&a, &ops[i], module, p[k].source, p[k].schedule, s, 7 + (uint64_t)k);
        }
        arena_reset(&a, mark);
    }
    arena_free(&a);
}

static bool right_for(const char *judged_by, const char *written, Shape s) {
    Arena a = {0};
    Err e = {0};
    Graph g;
    Op op = define_body(&a, written), other = define_body(&a, judged_by);
    Rng r = rng_at(1, 1);
    if (!graph_trace(&a, &op, &g, &e)) fail_msg("%s", e.msg);
    Plan p = plan_draw(SCHEDULE_WHOLE, 100, true, &r);
    Str source = kernel_emit(&a, &g, &p);
    DiagList d = DIAGS(&a);
    bool right = !run_one(&a, &other, parse_module(&a, source, &d), source, s, 3);
    arena_free(&a);
    return right;
}

// The comparison does say no: to the kernel of an op that is a little different.
static void a_kernel_of_another_op_is_found_out(void **state) {
    (void)state;
    const Shape s = {3, 100, DT_F32, true};
    const char *right = "    return (x.float() * w.float() + 1e-3).to(x.dtype)\n";
    assert_true(right_for(right, right, s));
    assert_false(right_for("    return (x.float() * w.float() + 2e-3).to(x.dtype)\n", right, s));
    assert_false(right_for("    return (x.float() * w.float() + 1e-3).half()\n", right, s));
    assert_false(right_for("    return (x.float() * w.float() + 1e-3)[:, :50].to(x.dtype)\n", right, s));
    assert_false(right_for("    return (x.float()[:, 1:]).sum(-1).to(x.dtype)\n",
                           "    return x.float().sum(-1).to(x.dtype)\n", s));
}

static void the_comparison_can_fail(void **state) {
    (void)state;
    assert_true(acceptable(DT_F32, 1.0, 1.0, 0));
    assert_false(acceptable(DT_F32, 1.0 + 0x1p-20, 1.0, 4));
    assert_true(acceptable(DT_F16, 1.0, 1.0 + 0x1p-12, 0));
    assert_false(acceptable(DT_F32, NAN, 1.0, 100));
    assert_false(acceptable(DT_F32, INFINITY, 1.0, 100));
    assert_false(acceptable(DT_F32, 0, NAN, 0));
    assert_true(acceptable(DT_F32, -INFINITY, -INFINITY, 0));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_comparison_can_fail),
        cmocka_unit_test(a_kernel_of_another_op_is_found_out),
        cmocka_unit_test(every_schedule_of_every_op_is_within_the_bound),
        cmocka_unit_test(proposals_are_within_the_bound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
