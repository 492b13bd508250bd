// The suite's references, evaluated, against the formulas written out once more in plain C.
#include "host/host.h"
#include "op/suite.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { ROWS = 3, COLS = 6, MOST = ROWS * COLS };
static Arena arena;

typedef struct {
    Op op;
    double in[OP_INPUTS_MAX][MOST], want[MOST];
    int n; // elements of the result
} Case;

// Values of both signs and sizes; exact in every dtype that the suite uses.
static double draw(const OpInput *in, int input, int i) {
    double unit = (double)((i * 7 + input * 5 + 3) % 16) / 8 - 1; // -1 .. 0.875
    if (in->range_dim >= 0) return (i * 5 + 1) % COLS;
    if (in->dtype == DT_I8 && !in->any_float) return floor(unit * 128);
    if (in->ranged) return fabs(unit) * 0.5 + 0.125;
    return unit * 4;
}

static const Bound *evaluate(Case *c, DType dtype) {
    static BoundCtx ctx;
    ctx = (BoundCtx){.arena = &arena, .elements_left = 1 << 20};
    const Bound *in[OP_INPUTS_MAX];
    int64_t size[OP_DIMS_MAX];
    for (int d = 0; d < c->op.dims; d++) size[d] = d == c->op.rows_dim ? ROWS : COLS;
    op_sizes_fit(&c->op, size);
    for (int k = 0; k < c->op.inputs; k++) {
        const OpInput *x = &c->op.input[k];
        Storage *s = NEW(&arena, Storage);
        Tensor t = {.storage = s, .dtype = x->any_float ? dtype : x->dtype, .rank = x->rank};
        int64_t numel = 1;
        for (int d = 0; d < x->rank; d++) {
            t.shape[d] = x->dim[d] < 0 ? x->size[d] : size[x->dim[d]];
            numel *= t.shape[d];
        }
        tensor_contiguous_strides(&t);
        s->dtype = t.dtype;
        s->bytes = (size_t)(numel * dtype_bytes(t.dtype));
        s->data = arena_alloc(&arena, (size_t)numel, 8, 8);
        for (int i = 0; i < numel; i++) {
            dtype_store(t.dtype, s->data + i * dtype_bytes(t.dtype), draw(x, k, i));
            c->in[k][i] = dtype_load(t.dtype, s->data + i * dtype_bytes(t.dtype));
        }
        in[k] = bound_input(&ctx, &t, k);
    }
    DiagList d = DIAGS(&arena);
    const Bound *b = host_reference(&ctx, c->op.module, in, c->op.inputs, 1 << 16, &d);
    if (!b) fail_msg("%.*s: %s", STR_ARG(c->op.name), diag_first(&d) ? diag_first(&d)->msg : ctx.why);
    return b;
}

static void check(Case *c, DType dtype, const Bound *b, bool rows_only) {
    assert_int_equal(b->dtype, dtype);
    assert_int_equal(b->rank, rows_only ? 1 : 2);
    assert_int_equal(b->numel, rows_only ? ROWS : MOST);
    for (int i = 0; i < b->numel; i++) {
        double e = b->e ? b->e[i] : 0;
        if (!(fabs(b->v[i] - c->want[i]) <= 1e-12 * (1 + fabs(c->want[i]))))
            fail_msg("%.*s[%d] is %.17g, not %.17g", STR_ARG(c->op.name), i, b->v[i], c->want[i]);
        if (!(e >= 0 && e < 1e5)) fail_msg("%.*s[%d] has bound %g", STR_ARG(c->op.name), i, e);
    }
}

static void start(Case *c, const char *name) {
    *c = (Case){0};
    if (!op_find(&arena, str_of(name), &c->op)) fail_msg("no op %s", name);
}

// ---- chains ----

static double sigmoid(double y) { return 1 / (1 + exp(-y)); }
static double relu(double y) { return y > 0 ? y : 0; }
static double gelu_tanh(double y) {
    return 0.5 * y * (1 + tanh(sqrt(2 / acos(-1.0)) * (y + 0.044715 * y * y * y)));
}
static double clamp(double y, double lo, double hi) { return y < lo ? lo : y > hi ? hi : y; }
static double softplus(double y) { return y > 20 ? y : log1p(exp(y)); }

static double epilogue(const char *name, double y) {
    if (strcmp(name, "gelu") == 0) return gelu_tanh(y);
    if (strcmp(name, "gelu_erf") == 0) return 0.5 * y * (1 + erf(y / sqrt(2.0)));
    if (strcmp(name, "silu") == 0) return y * sigmoid(y);
    if (strcmp(name, "relu") == 0) return relu(y);
    if (strcmp(name, "relu2") == 0) return relu(y) * relu(y);
    if (strcmp(name, "tanh") == 0) return tanh(y);
    if (strcmp(name, "sigmoid") == 0) return sigmoid(y);
    if (strcmp(name, "square") == 0) return y * y;
    if (strcmp(name, "abs") == 0) return fabs(y);
    if (strcmp(name, "softsign") == 0) return y / (1 + fabs(y));
    if (strcmp(name, "hardsigmoid") == 0) return clamp(y + 3, 0, 6) / 6;
    if (strcmp(name, "hardswish") == 0) return y * clamp(y + 3, 0, 6) / 6;
    if (strcmp(name, "leaky_relu") == 0) return y > 0 ? y : 0.01 * y;
    if (strcmp(name, "relu6") == 0) return clamp(y, 0, 6);
    if (strcmp(name, "hardtanh") == 0) return clamp(y, -1, 1);
    if (strcmp(name, "elu") == 0) return y > 0 ? y : expm1(y);
    if (strcmp(name, "selu") == 0)
        return 1.0507009873554804934193349852946 * (y > 0 ? y : 1.6732632423543772848170429916717 * expm1(y));
    if (strcmp(name, "softplus") == 0) return softplus(y);
    if (strcmp(name, "mish") == 0) return y * tanh(softplus(y));
    fail_msg("no formula for %s", name);
    return 0;
}

static void want_chain(Case *c, bool residual, bool layer, const char *const *epilogues) {
    const double *w = c->in[1 + residual], *b = c->in[2 + residual];
    for (int r = 0; r < ROWS; r++) {
        double h[COLS], mean = 0, square = 0;
        for (int i = 0; i < COLS; i++) {
            h[i] = c->in[0][r * COLS + i] + (residual ? c->in[1][r * COLS + i] : 0);
            mean += layer ? h[i] / COLS : 0;
        }
        for (int i = 0; i < COLS; i++) square += (h[i] - mean) * (h[i] - mean) / COLS;
        for (int i = 0; i < COLS; i++) {
            double y = (h[i] - mean) / sqrt(square + (layer ? 1e-5 : 1e-6)) * w[i] + (layer ? b[i] : 0);
            for (int k = 0; epilogues[k]; k++) y = epilogue(epilogues[k], y);
            c->want[r * COLS + i] = y;
        }
    }
}

static void chains(void **state) {
    (void)state;
    const ChainPart *epilogues;
    int n = chain_epilogues(&epilogues);
    for (int form = 0; form < 4; form++) {
        for (int e = -1; e < n; e++) {
            // Every third one with two more behind it.
            const char *list[4] = {e < 0 ? NULL : epilogues[e].name};
            if (e >= 0 && (e + form) % 3 == 0) {
                list[1] = epilogues[(e + 5) % n].name;
                list[2] = epilogues[(e + 11) % n].name;
            }
            Buf name = BUF(&arena);
            buf_printf(&name, "%s%s", form & 1 ? "add_" : "", form & 2 ? "layernorm" : "rmsnorm");
            for (int k = 0; list[k]; k++) buf_printf(&name, "_%s", list[k]);
            Case c;
            start(&c, buf_cstr(&name));
            const Bound *b = evaluate(&c, DT_F32);
            want_chain(&c, form & 1, form & 2, list);
            check(&c, DT_F32, b, false);
        }
    }
}

// ---- the suite ----

static double row_lse(const double *x) {
    double m = -INFINITY, s = 0;
    for (int i = 0; i < COLS; i++) m = fmax(m, x[i]);
    for (int i = 0; i < COLS; i++) s += exp(x[i] - m);
    return m + log(s);
}

static void softmax(void **state) {
    (void)state;
    Case c;
    start(&c, "softmax");
    const Bound *b = evaluate(&c, DT_F16);
    for (int i = 0; i < MOST; i++) c.want[i] = exp(c.in[0][i] - row_lse(c.in[0] + i / COLS * COLS));
    check(&c, DT_F16, b, false);
}

static void cross_entropy(void **state) {
    (void)state;
    Case c;
    start(&c, "cross_entropy");
    const Bound *b = evaluate(&c, DT_BF16);
    for (int r = 0; r < ROWS; r++)
        c.want[r] = row_lse(c.in[0] + r * COLS) - c.in[0][r * COLS + (int)c.in[1][r]];
    check(&c, DT_BF16, b, true);
}

static void swiglu(void **state) {
    (void)state;
    Case c;
    start(&c, "swiglu");
    const Bound *b = evaluate(&c, DT_F32);
    for (int i = 0; i < MOST; i++) c.want[i] = c.in[0][i] / (1 + exp(-c.in[0][i])) * c.in[1][i];
    check(&c, DT_F32, b, false);
}

static void rope(void **state) {
    (void)state;
    Case c;
    start(&c, "rope");
    const Bound *b = evaluate(&c, DT_F32);
    for (int i = 0; i < MOST; i++) {
        int col = i % COLS, half = COLS / 2;
        double rotated = col < half ? -c.in[0][i + half] : c.in[0][i - half];
        c.want[i] = c.in[0][i] * c.in[1][i] + rotated * c.in[2][i];
    }
    check(&c, DT_F32, b, false);
}

static void cumsum(void **state) {
    (void)state;
    Case c;
    start(&c, "cumsum");
    const Bound *b = evaluate(&c, DT_F32);
    for (int i = 0; i < MOST; i++) c.want[i] = c.in[0][i] + (i % COLS ? c.want[i - 1] : 0);
    check(&c, DT_F32, b, false);
}

static void dequant_int8(void **state) {
    (void)state;
    Case c;
    start(&c, "dequant_int8");
    const Bound *b = evaluate(&c, DT_F32);
    for (int i = 0; i < MOST; i++) c.want[i] = c.in[0][i] * c.in[1][i / COLS];
    assert_true(c.in[0][0] < 0);
    check(&c, DT_F16, b, false); // float16 whatever the case's float type
}

static void softmax_family(void **state) {
    (void)state;
    static const char *const name[] = {"log_softmax", "softmax_scale", "softcap_softmax", "entropy",
                                       "kl_div"};
    for (int k = 0; k < 5; k++) {
        Case c;
        start(&c, name[k]);
        const Bound *b = evaluate(&c, DT_F32);
        bool rows_only = k >= 3;
        for (int r = 0; r < ROWS; r++) {
            double z[COLS], y[COLS], sum = 0;
            for (int i = 0; i < COLS; i++) {
                double x = c.in[0][r * COLS + i];
                z[i] = k == 1 ? x * c.in[1][0] : k == 2 ? 30 * tanh(x / 30) : x;
                y[i] = k == 4 ? c.in[1][r * COLS + i] : 0;
            }
            double lse = row_lse(z), lse_y = row_lse(y);
            for (int i = 0; i < COLS; i++) {
                double log_p = z[i] - lse, p = exp(log_p);
                sum += k == 3 ? -p * log_p : p * (log_p - (y[i] - lse_y));
                if (!rows_only) c.want[r * COLS + i] = k == 0 ? log_p : p;
            }
            if (rows_only) c.want[r] = sum;
        }
        check(&c, DT_F32, b, rows_only);
    }
}

static void gates_and_activations(void **state) {
    (void)state;
    static const char *const name[] = {"geglu", "reglu", "glu", "gelu", "silu", "relu2", "bias_gelu"};
    for (int k = 0; k < 7; k++) {
        Case c;
        start(&c, name[k]);
        const Bound *b = evaluate(&c, DT_BF16);
        for (int i = 0; i < MOST; i++) {
            double x = c.in[0][i], up = c.in[1][i];
            c.want[i] = k == 0   ? gelu_tanh(x) * up
                        : k == 1 ? relu(x) * up
                        : k == 2 ? sigmoid(x) * up
                        : k == 3 ? gelu_tanh(x)
                        : k == 4 ? x * sigmoid(x)
                        : k == 5 ? relu(x) * relu(x)
                                 : gelu_tanh(x + c.in[1][i % COLS]);
        }
        check(&c, DT_BF16, b, false);
    }
}

static void norms_and_rotations(void **state) {
    (void)state;
    static const char *const name[] = {"rmsnorm_gemma", "l2norm", "rope_interleaved", "qknorm_rope",
                                       "add_rmsnorm_rope"};
    enum { HALF = COLS / 2 };
    for (int k = 0; k < 5; k++) {
        Case c;
        start(&c, name[k]);
        const Bound *b = evaluate(&c, DT_F32);
        bool residual = k == 4, turns = k >= 3;
        const double *w = c.in[1 + residual], *co = c.in[2 + residual], *si = c.in[3 + residual];
        for (int r = 0; r < ROWS; r++) {
            double h[COLS], square = 0;
            for (int i = 0; i < COLS; i++) {
                h[i] = c.in[0][r * COLS + i] + (residual ? c.in[1][r * COLS + i] : 0);
                square += h[i] * h[i];
            }
            double scale = k == 1 ? 1 / sqrt(square + 1e-6) : 1 / sqrt(square / COLS + 1e-6);
            for (int i = 0; i < COLS; i++)
                h[i] *= k == 2 ? 1 : scale * (k == 0 ? 1 + w[i] : k == 1 ? 1 : w[i]);
            for (int i = 0; i < COLS; i++) {
                double *want = &c.want[r * COLS + i];
                int pair = r * HALF + i / 2, at = r * COLS + i;
                if (k == 2) // cos and sin are the second and third input, half as wide
                    *want = i & 1 ? h[i - 1] * c.in[2][pair] + h[i] * c.in[1][pair]
                                  : h[i] * c.in[1][pair] - h[i + 1] * c.in[2][pair];
                else
                    *want = !turns ? h[i] : h[i] * co[at] + (i < HALF ? -h[i + HALF] : h[i - HALF]) * si[at];
            }
        }
        check(&c, DT_F32, b, false);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(chains),
                                       cmocka_unit_test(softmax),
                                       cmocka_unit_test(cross_entropy),
                                       cmocka_unit_test(swiglu),
                                       cmocka_unit_test(rope),
                                       cmocka_unit_test(cumsum),
                                       cmocka_unit_test(dequant_int8),
                                       cmocka_unit_test(softmax_family),
                                       cmocka_unit_test(gates_and_activations),
                                       cmocka_unit_test(norms_and_rotations)};
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    arena_free(&arena);
    return failed;
}
