// Shifts and scales that a definition declares: the twins that a draw makes of them, what the oracle says to
// a false declaration, and what the evidence says about a candidate's bits.
#include "cases/domain/domain.h"
#include "cases/draw.h"
#include "cases/metamorphic.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static Pool *pool;

static bool draw_moves(Arena *a, const Op *op, uint64_t seed, Draw *d, Err *e) {
    PlannedCase *plan;
    int n = plan_metamorphic(a, domain_make(a, op), seed, &plan);
    assert_true(n > 0);
    return draw_make(
        a, pool, &(DrawRequest){.op = op, .level = LEVEL_FULL, .seed = seed, .plan = plan, .cases = n}, d, e);
}

static double *values(Arena *a, const Draw *d, int i, int input, int64_t *n) {
    Storage s;
    Tensor x = draw_input(d->mapping, &d->spec[i].input[input], &s);
    *n = tensor_numel(&x);
    char *bytes = NEWN(a, char, (size_t)*n * 8);
    double *out = NEWN(a, double, (size_t)*n);
    tensor_gather(&x, bytes, NULL);
    dtype_load_row(x.dtype, bytes, 1, out, (size_t)*n);
    return out;
}

// Every number of the twin is exactly the base's, moved; the other inputs are the same. False when nothing
// but zeros was there to move.
static bool check_twin(Arena *a, const Draw *d, int i) {
    const CaseTruth *t = &d->truth[i];
    const OpInvariant *v = &d->op->invariant[t->relation - 1];
    bool any = false;
    for (int k = 0; k < d->op->inputs; k++) {
        int64_t n, m;
        double *x = values(a, d, t->base, k, &n), *y = values(a, d, i, k, &m);
        assert_int_equal(n, m);
        const OpInput *in = &d->op->input[k];
        bool rows = in->dim[0] >= 0 && in->dim[0] == d->op->rows_dim;
        for (int64_t j = 0; j < n; j++) {
            double by = t->moved_by[rows && k == v->input ? j / (n / t->slices) : 0];
            double want = k != v->input ? x[j] : v->shift ? x[j] + by : x[j] * by;
            if (y[j] != want) fail_msg("%.*s: %g moved by %g is %g", STR_ARG(d->op->name), x[j], by, y[j]);
            any |= y[j] != x[j];
        }
    }
    return any;
}

static void every_declaration_holds(void **state) {
    (void)state;
    Arena names = {0};
    int count, declared = 0;
    const Str *name = op_names(&names, &count);
    for (int k = 0; k < count; k++) {
        Arena a = {0};
        Op op;
        Err e = {0};
        assert_true(op_find(&a, name[k], &op));
        declared += op.invariants > 0;
        int relation = 0;
        for (uint64_t seed = 1; seed <= 2 && op.invariants > 0; seed++) {
            Draw d;
            if (!draw_moves(&a, &op, seed * 7919 + (uint64_t)k, &d, &e)) fail_msg("%s", e.msg);
            for (int i = 0; i < d.cases; i++)
                if (d.truth[i].relation) relation += check_twin(&a, &d, i);
            draw_free(&d);
        }
        assert_true(relation > 0 || op.invariants == 0);
        arena_free(&a);
    }
    assert_true(declared >= 30);
    arena_free(&names);
}

#define HEAD "\"\"\"An op.\"\"\"\ninputs = {\"x\": {\"shape\": (\"M\", \"N\"), \"scale\": (1e-4, 64)}}\n"
static const struct {
    const char *source;
    bool holds;
} declarations[] = {
    {HEAD "invariant = {\"x\": \"shift\"}\ndef reference(x):\n    return torch.softmax(x.float(), "
          "dim=-1).to(x.dtype)\n",
     true},
    {HEAD "invariant = {\"x\": \"scale\"}\ndef reference(x):\n    return torch.softmax(x.float(), "
          "dim=-1).to(x.dtype)\n",
     false},
    // An eps, however small; without it, it holds wherever a row is not zero.
    {HEAD "invariant = {\"x\": \"scale\"}\ndef reference(x):\n    h = x.float()\n"
          "    return (h * torch.rsqrt(h.pow(2).mean(-1, keepdim=True) + 1e-12)).to(x.dtype)\n",
     false},
    {HEAD "invariant = {\"x\": \"scale\"}\ndef reference(x):\n    h = x.float()\n"
          "    return (h.abs() / h.abs().amax(-1, keepdim=True)).to(x.dtype)\n",
     true},
    {HEAD "invariant = {\"x\": (\"scale\", 2)}\ndef reference(x):\n    return "
          "torch.relu(x.float()).square().to(x.dtype)\n",
     true},
    {HEAD "invariant = {\"x\": (\"scale\", 1)}\ndef reference(x):\n    return "
          "torch.relu(x.float()).square().to(x.dtype)\n",
     false},
    {HEAD "invariant = {\"x\": (\"scale\", -1)}\ndef reference(x):\n    return (1 / "
          "x.float().abs().sum(-1)).to(x.dtype)\n",
     true},
    // A layer norm whose author forgot the mean: the declaration finds it.
    {HEAD "invariant = {\"x\": \"shift\"}\ndef reference(x):\n    h = x.float()\n    c = h - h.mean(-1, "
          "keepdim=True)\n"
          "    return (c * torch.rsqrt(c.pow(2).mean(-1, keepdim=True) + 1e-5)).to(x.dtype)\n",
     true},
    {HEAD "invariant = {\"x\": \"shift\"}\ndef reference(x):\n    h = x.float()\n    c = h - h.mean(-1, "
          "keepdim=True)\n"
          "    return (h * torch.rsqrt(c.pow(2).mean(-1, keepdim=True) + 1e-5)).to(x.dtype)\n",
     false},
};

static void false_declarations_are_errors(void **state) {
    (void)state;
    for (size_t k = 0; k < sizeof declarations / sizeof *declarations; k++) {
        Arena a = {0};
        DiagList diags = DIAGS(&a);
        Op op;
        Draw d;
        Err e = {0};
        if (!op_define(&a, STR("mine"), str_of(declarations[k].source), true, &op, &diags))
            fail_msg("%s", diag_first(&diags)->msg);
        bool holds = draw_moves(&a, &op, 11, &d, &e);
        if (holds != declarations[k].holds) fail_msg("%s%s", declarations[k].source, e.msg);
        if (holds) {
            draw_free(&d);
        } else {
            assert_int_equal(e.code, ERR_INPUT);
            assert_non_null(strstr(e.msg, "invariant says \"x\""));
        }
        arena_free(&a);
    }
}

// The oracle's own values, rounded, are moved exactly; one bit beside is seen.
static void other_bits_are_seen(void **state) {
    (void)state;
    static const char *const ops[] = {"softmax", "relu2", "rmsnorm"};
    for (size_t k = 0; k < sizeof ops / sizeof *ops; k++) {
        Arena a = {0};
        Op op;
        Err e = {0};
        Draw d;
        assert_true(op_find(&a, str_of(ops[k]), &op));
        if (!draw_moves(&a, &op, 5, &d, &e)) fail_msg("%s", e.msg);
        uint8_t *output = NEWN(&a, uint8_t, d.output_bytes);
        for (int i = 0; i < d.cases; i++) {
            const Bound *b = d.truth[i].expected, *from = d.truth[d.truth[i].base].expected;
            int64_t columns = b->numel / d.truth[i].slices;
            for (int64_t n = 0; n < b->numel; n++) {
                double by = 1;
                if (d.truth[i].relation && op.invariant[0].degree)
                    by = d.truth[i].moved_by[op.input[op.invariant[0].input].rank > 1 ? n / columns : 0];
                dtype_store(b->dtype, output + d.spec[i].output_at + n * dtype_bytes(b->dtype),
                            dtype_round(b->dtype, from->v[n]) * (op.invariant[0].degree == 2 ? by * by : by));
            }
        }
        int twins = 0, seen = 0;
        for (int i = 0; i < d.cases; i++) {
            if (!d.truth[i].relation) continue;
            twins++;
            if (!metamorphic_same(&d, i, output)) fail_msg("%s, case %d", ops[k], i);
            const Bound *b = d.truth[i].expected;
            int64_t n = 0; // an ordinary element
            while (n < b->numel && !(fabs(b->v[n]) > 0.01 && fabs(b->v[n]) < 1000)) n++;
            if (n == b->numel) continue; // weights of zero
            seen++;
            output[d.spec[i].output_at + n * dtype_bytes(b->dtype)] ^= 1;
            assert_false(metamorphic_same(&d, i, output));
        }
        assert_true(twins == 3 && seen > 0);
        draw_free(&d);
        arena_free(&a);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_declaration_holds),
        cmocka_unit_test(false_declarations_are_errors),
        cmocka_unit_test(other_bits_are_seen),
    };
    pool = pool_open(1);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    pool_close(pool);
    return failed;
}
