// References: each operation's values against the C library, and the shapes, types and errors of torch.
#include "base/numeric/fmath.h"
#include "host/support.h"
#include <math.h>

enum { ROWS = 3, COLS = 8 };
typedef struct {
    Arena arena;
    DiagList d;
    BoundCtx c;
    StorageTable storages;
    Tensor t[4];
    const Bound *in[4]; // x: mixed signs, float32[3, 8]; y: positive; w: float32[8]; i: int64[3]
    float x[ROWS][COLS], y[ROWS][COLS], w[COLS];
    int64_t i[ROWS];
} World;

static double X(int r, int c) { return (double)(float)((r * 7 + c * 5) % 11 - 5.25 + 0.125 * c); }
static double Y(int r, int c) { return (double)(float)(0.25 + r + 0.375 * c); }
static double W(int c) { return (double)(float)(1.5 - 0.25 * c); }
static int I(int r) { return (r * 5 + 2) % COLS; }

static void world_open(World *w) {
    *w = (World){0};
    w->d = DIAGS(&w->arena);
    w->c = (BoundCtx){.arena = &w->arena, .elements_left = 1 << 24};
    w->storages.arena = &w->arena;
    for (int r = 0; r < ROWS; r++) {
        for (int c = 0; c < COLS; c++) w->x[r][c] = (float)X(r, c), w->y[r][c] = (float)Y(r, c);
        w->i[r] = I(r);
    }
    for (int c = 0; c < COLS; c++) w->w[c] = (float)W(c);
    w->t[0] = w->t[1] = (Tensor){.dtype = DT_F32, .rank = 2, .shape = {ROWS, COLS}, .stride = {COLS, 1}};
    w->t[2] = (Tensor){.dtype = DT_F32, .rank = 1, .shape = {COLS}, .stride = {1}};
    w->t[3] = (Tensor){.dtype = DT_I64, .rank = 1, .shape = {ROWS}, .stride = {1}};
    assert_true(storage_wrap(&w->storages, DT_F32, w->x, sizeof w->x, &w->t[0].storage));
    assert_true(storage_wrap(&w->storages, DT_F32, w->y, sizeof w->y, &w->t[1].storage));
    assert_true(storage_wrap(&w->storages, DT_F32, w->w, sizeof w->w, &w->t[2].storage));
    assert_true(storage_wrap(&w->storages, DT_I64, w->i, sizeof w->i, &w->t[3].storage));
    for (int k = 0; k < 4; k++) {
        tensor_expose(&w->t[k], SHADOW_ALLOC | SHADOW_INIT);
        w->in[k] = bound_input(&w->c, &w->t[k], k);
        assert_non_null(w->in[k]);
    }
}

static const Bound *evaluate(World *w, const char *body) {
    Buf b = BUF(&w->arena);
    buf_puts(&b, "import torch.nn.functional as F\ndef reference(x, y, w, i):\n");
    while (*body) {
        size_t n = strcspn(body, "\n");
        buf_printf(&b, "    %.*s\n", (int)n, body);
        body += n + (body[n] == '\n');
    }
    return host_reference(&w->c, parsed(&w->arena, buf_cstr(&b)), w->in, 4, 100000, &w->d);
}

// --- expected values; r and c are the result's place ---
static double sum(double (*f)(int, int), int r) {
    double s = 0;
    for (int c = 0; c < COLS; c++) s += f(r, c);
    return s;
}
static double mean(int r) { return sum(X, r) / COLS; }
static double var(int r) {
    double s = 0, m = mean(r);
    for (int c = 0; c < COLS; c++) s += (X(r, c) - m) * (X(r, c) - m);
    return s / COLS;
}
static double squares(int r) {
    double s = 0;
    for (int c = 0; c < COLS; c++) s += X(r, c) * X(r, c);
    return s;
}
static double largest(int r) {
    double m = X(r, 0);
    for (int c = 1; c < COLS; c++) m = fmax(m, X(r, c));
    return m;
}
static double smallest(int r) {
    double m = X(r, 0);
    for (int c = 1; c < COLS; c++) m = fmin(m, X(r, c));
    return m;
}
static double lse(int r) {
    double s = 0;
    for (int c = 0; c < COLS; c++) s += exp(X(r, c));
    return log(s);
}
static double sigmoid_(double a) { return 1 / (1 + exp(-a)); }
static double softplus_(double a) { return a > 20 ? a : log1p(exp(a)); }

#define EXPECT(name, expr) \
    static double name(int r, int c) { return (void)r, (void)c, (expr); }
#define x_ X(r, c)
#define y_ Y(r, c)
EXPECT(e_add, x_ + y_)
EXPECT(e_sub, x_ - y_)
EXPECT(e_mul, x_ *y_)
EXPECT(e_div, x_ / y_)
EXPECT(e_scaled, 2 * x_ - 1)
EXPECT(e_rsub, 1 - x_) EXPECT(e_row, x_ *W(c)) EXPECT(e_alpha, x_ + 3 * y_) EXPECT(e_square, x_ *x_) EXPECT(
    e_cube, x_ *x_ *x_) EXPECT(e_neg, -x_) EXPECT(e_abs, fabs(x_)) EXPECT(e_exp, exp(x_)) EXPECT(e_exp2,
                                                                                                 exp2(x_))
    EXPECT(e_expm1, expm1(x_)) EXPECT(e_log, log(y_)) EXPECT(e_log2, log2(y_)) EXPECT(
        e_log1p, log1p(y_)) EXPECT(e_sqrt, sqrt(y_))
        EXPECT(e_rsqrt, 1 / sqrt(y_)) EXPECT(e_recip, 1 / y_) EXPECT(e_tanh, tanh(x_)) EXPECT(
            e_sigmoid,
            sigmoid_(x_)) EXPECT(e_erf,
                                 erf(x_)) EXPECT(e_sin, sin(x_))
            EXPECT(e_cos, cos(x_)) EXPECT(e_relu, fmax(x_, 0)) EXPECT(e_silu, x_ *sigmoid_(x_)) EXPECT(
                e_gelu_tanh,
                0.5 * x_ *
                    (1 +
                     tanh(sqrt(2 / acos(-1.0)) *
                          (x_ + 0.044715 * x_ * x_ *
                                    x_)))) EXPECT(e_gelu_erf, 0.5 * x_ * (1 + erf(x_ / sqrt(2.0))))
                EXPECT(e_softplus, softplus_(x_)) EXPECT(e_mish, x_ *tanh(softplus_(x_))) EXPECT(
                    e_leaky,
                    x_ > 0 ? x_
                           : 0.01 * x_) EXPECT(e_leaky2, x_ > 0 ? x_ : 0.5 * x_)
                    EXPECT(e_elu, x_ > 0 ? x_ : expm1(x_)) EXPECT(e_elu2, x_ > 0 ? x_ : 2 * expm1(x_)) EXPECT(
                        e_selu,
                        1.0507009873554804934193349852946 *
                            (x_ > 0 ? x_
                                    : 1.6732632423543772848170429916717 *
                                          expm1(x_))) EXPECT(e_hardtanh, fmin(fmax(x_, -1), 1))
                        EXPECT(e_relu6, fmin(fmax(x_, 0), 6)) EXPECT(
                            e_hardsig,
                            fmin(fmax(x_ + 3, 0), 6) /
                                6) EXPECT(e_hardswish,
                                          x_ *fmin(fmax(x_ + 3, 0), 6) /
                                              6) EXPECT(e_softsign, x_ / (1 + fabs(x_)))
                            EXPECT(e_logsig, -softplus_(-x_)) EXPECT(
                                e_glu,
                                X(r, c) * sigmoid_(X(r, c + 4))) EXPECT(e_max2, fmax(x_, y_))
                                EXPECT(e_min2, fmin(x_, y_)) EXPECT(e_clamp, fmin(fmax(x_, -1.5), 2)) EXPECT(
                                    e_clampmin,
                                    fmax(
                                        x_,
                                        0.5)) EXPECT(e_where, x_ > y_
                                                                  ? x_
                                                                  : 2 * y_) EXPECT(e_masked, x_ < 0 ? -7 : x_)
                                    EXPECT(e_lt, x_ < y_) EXPECT(e_between, x_ > -1 && x_ < 2) EXPECT(
                                        e_either, x_<-1 ||
                                                     x_> 2) EXPECT(e_ge, x_ >= y_) EXPECT(e_notlt, !(x_ < 0))
                                        EXPECT(e_lerp, x_ + 0.25 * (y_ - x_)) EXPECT(
                                            e_addcmul,
                                            x_ +
                                                0.5 * y_ * y_) EXPECT(e_x,
                                                                      x_) EXPECT(e_half,
                                                                                 (double)f32_from_f16(
                                                                                     f16_from_f64(0)) +
                                                                                     x_)
                                            EXPECT(e_trunc, trunc(x_)) EXPECT(e_bool, x_ != 0) EXPECT(
                                                e_sum,
                                                sum(X, r)) EXPECT(e_mean,
                                                                  mean(r)) EXPECT(e_var0, var(r))
                                                EXPECT(e_var1, var(r) * COLS / (COLS - 1)) EXPECT(
                                                    e_std,
                                                    sqrt(var(r) * COLS /
                                                         (COLS -
                                                          1))) EXPECT(e_amax,
                                                                      largest(r)) EXPECT(e_amin, smallest(r))
                                                    EXPECT(e_lse, lse(r)) EXPECT(
                                                        e_norm,
                                                        sqrt(squares(r))) EXPECT(e_total, sum(X, 0) +
                                                                                              sum(X, 1) +
                                                                                              sum(X, 2))
                                                        EXPECT(e_colsum, X(0, r) + X(1, r) + X(2, r)) EXPECT(
                                                            e_softmax,
                                                            exp(x_ -
                                                                lse(r))) EXPECT(e_logsoftmax, x_ - lse(r))
                                                            EXPECT(e_ce, lse(r) - X(r, I(r))) EXPECT(
                                                                e_picked,
                                                                X(
                                                                    r,
                                                                    I(r))) EXPECT(e_rms, x_ / sqrt(squares(r) / COLS + 1e-6) *
                                                                                             W(c))
                                                                EXPECT(e_rms_plain, x_ / sqrt(squares(r) / COLS + 0x1p-23)) EXPECT(
                                                                    e_ln, (x_ - mean(r)) /
                                                                                  sqrt(var(r) + 1e-5) * W(c) +
                                                                              W(c))
                                                                    EXPECT(e_normalize,
                                                                           x_ /
                                                                               fmax(sqrt(squares(r)), 1e-12))
                                                                        EXPECT(
                                                                            e_rotate,
                                                                            c < 4 ? -X(r, c + 4)
                                                                                  : X(r,
                                                                                      c - 4)) EXPECT(e_transposed,
                                                                                                     X(c, r))
                                                                            EXPECT(e_even, X(r, 2 * c)) EXPECT(
                                                                                e_stack,
                                                                                c == 0
                                                                                    ? X(r, 1)
                                                                                    : Y(r, 2)) EXPECT(e_last,
                                                                                                      X(2, r))
                                                                                EXPECT(e_one, 1) EXPECT(
                                                                                    e_zero,
                                                                                    0) EXPECT(e_seven,
                                                                                              7) EXPECT(e_arange, r)
                                                                                    EXPECT(e_arange2, r + 2) EXPECT(
                                                                                        e_outer,
                                                                                        X(0, r) * W(c))
                                                                                        EXPECT(e_cat3,
                                                                                               r < 3 ? X(r, c)
                                                                                               : r < 6
                                                                                                   ? Y(r - 3,
                                                                                                       c)
                                                                                                   : X(r - 6,
                                                                                                       c))
                                                                                            EXPECT(e_pow, pow(y_, 3)) EXPECT(
                                                                                                e_third,
                                                                                                X(r, c + 2))
                                                                                                EXPECT(
                                                                                                    e_prod,
                                                                                                    Y(0, r) *
                                                                                                        Y(1,
                                                                                                          r) *
                                                                                                        Y(2,
                                                                                                          r)) static double e_cumsum(int r,
                                                                                                                                     int c) {
    double s = 0;
    for (int k = 0; k <= c; k++) s += X(r, k);
    return s;
}
static double e_argmax(int r, int c) {
    (void)c;
    for (int k = 0;; k++)
        if (X(r, k) == largest(r)) return k;
}
static double e_argmin(int r, int c) {
    (void)c;
    for (int k = 0;; k++)
        if (X(r, k) == smallest(r)) return k;
}
static double e_celoss(int r, int c) { return (void)r, (void)c, (e_ce(0, 0) + e_ce(1, 0) + e_ce(2, 0)) / 3; }
static double e_kl(int r, int c) {
    double s = 0, ly = 0;
    (void)c;
    for (int k = 0; k < COLS; k++) ly += exp(Y(r, k));
    for (int k = 0; k < COLS; k++) s += exp(X(r, k) - lse(r)) * ((X(r, k) - lse(r)) - (Y(r, k) - log(ly)));
    return s;
}

static const struct {
    const char *body;
    double (*want)(int, int);
} values[] = {
    {"return x + y", e_add},
    {"return torch.add(x, y)", e_add},
    {"return x - y", e_sub},
    {"return x.sub(y)", e_sub},
    {"return x * y", e_mul},
    {"return torch.mul(x, y)", e_mul},
    {"return x / y", e_div},
    {"return x.div(y)", e_div},
    {"return 2 * x - 1", e_scaled},
    {"return 1.0 - x", e_rsub},
    {"return x * w", e_row},
    {"return torch.add(x, y, alpha=3)", e_alpha},
    {"return x ** 2", e_square},
    {"return x.pow(2)", e_square},
    {"return torch.square(x)", e_square},
    {"return x * x * x", e_cube},
    {"return y.pow(3)", e_pow},
    {"return -x", e_neg},
    {"return torch.neg(x)", e_neg},
    {"return abs(x)", e_abs},
    {"return x.abs()", e_abs},
    {"return x.exp()", e_exp},
    {"return torch.exp2(x)", e_exp2},
    {"return 2 ** x", e_exp2},
    {"return torch.expm1(x)", e_expm1},
    {"return y.log()", e_log},
    {"return y.log2()", e_log2},
    {"return torch.log1p(y)", e_log1p},
    {"return y.sqrt()", e_sqrt},
    {"return y ** 0.5", e_sqrt},
    {"return torch.rsqrt(y)", e_rsqrt},
    {"return y ** -0.5", e_rsqrt},
    {"return 1 / y", e_recip},
    {"return y.reciprocal()", e_recip},
    {"return torch.tanh(x)", e_tanh},
    {"return torch.sigmoid(x)", e_sigmoid},
    {"return x.erf()", e_erf},
    {"return x.sin()", e_sin},
    {"return x.cos()", e_cos},
    {"return torch.relu(x)", e_relu},
    {"return F.relu(x)", e_relu},
    {"return F.silu(x)", e_silu},
    {"return F.gelu(x, approximate='tanh')", e_gelu_tanh},
    {"return F.gelu(x)", e_gelu_erf},
    {"return F.softplus(x)", e_softplus},
    {"return F.mish(x)", e_mish},
    {"return F.leaky_relu(x)", e_leaky},
    {"return F.leaky_relu(x, 0.5)", e_leaky2},
    {"return F.elu(x)", e_elu},
    {"return F.elu(x, alpha=2.0)", e_elu2},
    {"return F.selu(x)", e_selu},
    {"return F.hardtanh(x)", e_hardtanh},
    {"return F.relu6(x)", e_relu6},
    {"return F.hardsigmoid(x)", e_hardsig},
    {"return F.hardswish(x)", e_hardswish},
    {"return F.softsign(x)", e_softsign},
    {"return F.logsigmoid(x)", e_logsig},
    {"return F.glu(x)", e_glu},
    {"return torch.maximum(x, y)", e_max2},
    {"return torch.max(x, y)", e_max2},
    {"return torch.minimum(x, y)", e_min2},
    {"return x.clamp(-1.5, 2)", e_clamp},
    {"return torch.clamp(x, min=-1.5, max=2)", e_clamp},
    {"return x.clamp(min=0.5)", e_clampmin},
    {"return x.clamp_min(0.5)", e_clampmin},
    {"return torch.where(x > y, x, 2 * y)", e_where},
    {"return x.masked_fill(x < 0, -7)", e_masked},
    {"return torch.where(x < 0, -7.0, x)", e_masked},
    {"return x < y", e_lt},
    {"return (x > -1) & (x < 2)", e_between},
    {"return (x < -1) | (x > 2)", e_either},
    {"return ~(x < 0)", e_notlt},
    {"return torch.ge(x, y)", e_ge},
    {"return torch.lerp(x, y, 0.25)", e_lerp},
    {"return torch.addcmul(x, y, y, value=0.5)", e_addcmul},
    {"return x.double()", e_x},
    {"return x.half()", e_half},
    {"return x.to(torch.int32)", e_trunc},
    {"return x.bool()", e_bool},
    {"return x.to(y)", e_x},
    {"return x.type_as(y).clone()", e_x},
    {"return x.to(x.device)", e_x},
    {"return x.sum(-1)", e_sum},
    {"return torch.sum(x, dim=1, keepdim=True)", e_sum},
    {"return x.mean(dim=-1)", e_mean},
    {"return x.mean(-1, keepdim=True, dtype=torch.float64)", e_mean},
    {"return x.var(-1, unbiased=False)", e_var0},
    {"return x.var(-1)", e_var1},
    {"return torch.var(x, dim=-1, correction=0, keepdim=True)", e_var0},
    {"return x.std(-1)", e_std},
    {"return x.amax(-1)", e_amax},
    {"return x.amin(dim=-1, keepdim=True)", e_amin},
    {"return x.max(-1).values", e_amax},
    {"v, k = x.max(dim=-1, keepdim=True)\nreturn v", e_amax},
    {"return x.max(-1)[1]", e_argmax},
    {"return x.min(-1).indices", e_argmin},
    {"return x.argmax(-1)", e_argmax},
    {"return torch.argmin(x, dim=-1)", e_argmin},
    {"return torch.logsumexp(x, dim=-1)", e_lse},
    {"return x.norm(dim=-1)", e_norm},
    {"return x.sum()", e_total},
    {"return x.sum((0, 1))", e_total},
    {"return x.sum(0)", e_colsum},
    {"return x[None].sum((0, 1))", e_colsum},
    {"return x[None].sum((0, 2), keepdim=True)[0, :, 0]", e_sum},
    {"return x.view(3, 2, 4).mean((1, 2))", e_mean},
    {"return y.prod(0)", e_prod},
    {"return torch.softmax(x, dim=-1)", e_softmax},
    {"return F.softmax(x, dim=1, dtype=torch.float32)", e_softmax},
    {"return x.log_softmax(-1)", e_logsoftmax},
    {"e = torch.exp(x - x.amax(-1, keepdim=True))\nreturn e / e.sum(-1, keepdim=True)", e_softmax},
    {"return torch.cumsum(x, dim=-1)", e_cumsum},
    {"return x.gather(1, i.unsqueeze(1)).squeeze(1)", e_picked},
    {"return x.index_select(1, i).gather(1, torch.arange(3).unsqueeze(1)).squeeze(1)", e_picked},
    {"return torch.index_select(x, -1, i.int()).gather(1, torch.arange(3).unsqueeze(1)).squeeze(1)", e_picked},
    {"return F.cross_entropy(x, i, reduction='none')", e_ce},
    {"return F.cross_entropy(x, i)", e_celoss},
    {"return F.nll_loss(F.log_softmax(x, dim=-1), i, reduction='none')", e_ce},
    {"p = torch.log_softmax(x, -1)\nq = torch.log_softmax(y, -1)\nreturn (p.exp() * (p - q)).sum(-1)", e_kl},
    {"return F.rms_norm(x, (8,), w, 1e-6)", e_rms},
    {"return F.rms_norm(x, [8])", e_rms_plain},
    {"return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6) * w", e_rms},
    {"return F.layer_norm(x, x.shape[-1:], w, w)", e_ln},
    {"return F.normalize(x, dim=-1)", e_normalize},
    {"a, b = x.chunk(2, dim=-1)\nreturn torch.cat((-b, a), dim=-1)", e_rotate},
    {"return torch.cat([-x[..., x.shape[-1] // 2:], x[..., :4]], -1)", e_rotate},
    {"return x.t()", e_transposed},
    {"return x.T", e_transposed},
    {"return x.transpose(0, 1).contiguous()", e_transposed},
    {"return x.permute(1, 0)", e_transposed},
    {"return x.view(1, 3, 8).permute(2, 1, 0)[..., 0]", e_transposed},
    {"return x[:, 0::2]", e_even},
    {"return x.reshape(3, 4, 2)[:, :, 0]", e_even},
    {"return torch.stack((x[:, 1], y[:, 2]), dim=-1)", e_stack},
    {"return x[-1]", e_last},
    {"return x.select(0, 2)", e_last},
    {"return x.narrow(1, 2, 5)", e_third},
    {"return x.split([2, 5, 1], dim=1)[1]", e_third},
    {"return torch.zeros(2, 3)", e_zero},
    {"return torch.ones_like(x)", e_one},
    {"return torch.full((2, 2), 7)", e_seven},
    {"return torch.full_like(x, 7.0)", e_seven},
    {"return torch.tensor(7.0)", e_seven},
    {"return torch.arange(4)", e_arange},
    {"return torch.arange(2, 5)", e_arange2},
    {"return x[0][:, None] * w[None, :]", e_outer},
    {"return torch.cat((x, y, x, y, x), 0)[:9]", e_cat3},
    {"return x.flatten().view(3, -1)", e_x},
    {"return w.expand(3, 8) * x", e_row},
    {"return w.unsqueeze(0).expand_as(x) * x", e_row},
    {"def f(a, k=2):\n    return a * k - 1\nreturn f(x)", e_scaled},
    {"h = x\nfor k in range(2):\n    h = h * x\nreturn h", e_cube},
    {"return torch.nn.functional.silu(x)", e_silu},
};

static void test_values(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        World w;
        world_open(&w);
        const Bound *b = evaluate(&w, values[i].body);
        if (!b) fail_msg("%s: %s", values[i].body, w.d.at[0].msg);
        int64_t cols = b->rank > 1 ? b->numel / (b->shape[0] ? b->shape[0] : 1) : 1;
        for (int64_t k = 0; k < b->numel; k++) {
            double want = values[i].want((int)(k / cols), (int)(k % cols));
            if (!(fabs(b->v[k] - want) <= 1e-12 * (1 + fabs(want))))
                fail_msg("%s: element %d is %.17g, not %.17g", values[i].body, (int)k, b->v[k], want);
        }
        arena_free(&w.arena);
    }
}

// Shapes and types, stated by the program itself.
static void test_shapes_and_types(void **state) {
    static const char *const bodies[] = {
        "assert x.shape == (3, 8) and x.sum(-1).shape == (3,) and x.sum(-1, keepdim=True).shape == (3, 1) "
        "and x.sum().dim() == 0",
        "assert x[None].sum((0, 2)).shape == (3,) and x[None].sum((0, 2), keepdim=True).shape == (1, 3, 1)",
        "assert x.sum(dim=(0, 1), keepdim=True).shape == (1, 1) and x.amax().shape == ()",
        "assert torch.stack((x, y)).shape == (2, 3, 8) and torch.stack((x, y), dim=-1).shape == (3, 8, 2)",
        "assert x.half().dtype == torch.float16 and (x.half() * 2).dtype == torch.float16 and (x.half() + "
        "x).dtype == torch.float32",
        "assert F.rms_norm(x.half(), (8,)).dtype == torch.float16 and F.layer_norm(x.bfloat16(), (8,)).dtype "
        "== torch.bfloat16",
        "assert (x < y).dtype == torch.bool and i.dtype == torch.int64 and x.argmax(-1).dtype == torch.int64 "
        "and i.float().dtype == torch.float32",
        "assert (i * 2).dtype == torch.int64 and (i / 2).dtype == torch.float32 and "
        "x.mean(dtype=torch.float64).dtype == torch.float64",
        "assert x.view(3, 2, 4).flatten(1).shape == (3, 8) and x.view(-1, 4).shape == (6, 4) and len(x) == 3",
        "assert x is not None and isinstance(x, torch.Tensor) and x.numel() == 24 and x.size(1) == 8",
        "eps = 1e-6 if x.dtype == torch.float32 else 1e-3\nassert eps == 1e-6",
        "assert torch.float16.itemsize == 2 and math.sqrt(x.shape[-1] * 2) == 4.0",
    };
    (void)state;
    for (size_t k = 0; k < sizeof bodies / sizeof *bodies; k++) {
        World w;
        world_open(&w);
        if (!evaluate(&w, arena_printf(&w.arena, "%s\nreturn x", bodies[k])))
            fail_msg("%s: %s", bodies[k], w.d.at[0].msg);
        arena_free(&w.arena);
    }
}

static void test_findings(void **state) {
    static const struct {
        DiagKind kind;
        const char *part, *body;
    } cases[] = {
        {DIAG_REFUSED, "torch.where", "return y if x > 0 else x"},
        {DIAG_REFUSED, "torch.where", "return x.max() and x"},
        {DIAG_REFUSED, "in place", "x += 1\nreturn x"},
        {DIAG_REFUSED, "torch.index_select or torch.gather", "return x[i]"},
        {DIAG_HOST, "of one dimension", "return torch.index_select(x, 0, i.unsqueeze(0))"},
        {DIAG_HOST, "of one dimension", "return x.index_select(0, x[0])"},
        {DIAG_HOST, "integers", "return tl.rand(x, i)"},
        {DIAG_REFUSED, "chained comparison", "return 0 < x < 1"},
        {DIAG_REFUSED, "`//`", "return x // 2"},
        {DIAG_REFUSED, "values of tensors", "return x.item()"},
        {DIAG_REFUSED, "kernel files", "return torch.empty(3)"},
        {DIAG_REFUSED, "iterate", "return sum(r for r in x)"},
        {DIAG_HOST, "broadcast", "return x + x.t()"},
        {DIAG_HOST, "Dimension out of range", "return x.sum(2)"},
        {DIAG_HOST, "multiple times", "return x.sum((0, -2))"},
        {DIAG_HOST, "is invalid for input of size 24", "return x.view(5, 5)"},
        {DIAG_HOST, "equal size", "return torch.stack((x, y[:, :4]))"},
        {DIAG_HOST, "non-empty", "return torch.cat([])"},
        {DIAG_HOST, "same last dimensions", "return F.layer_norm(x, (7,))"},
        {DIAG_HOST, "either none or tanh", "return F.gelu(x, approximate='fast')"},
        {DIAG_HOST, "returned nothing", "x * 2"},
        {DIAG_HOST, "returned a float", "return 3.5"},
        {DIAG_HOST, "reduction", "return F.cross_entropy(x, i, reduction='all')"},
        {DIAG_UNSUPPORTED, "threshold", "return F.softplus(x, beta=2)"},
        {DIAG_UNSUPPORTED, "p=2", "return x.norm(p=1)"},
        {DIAG_BUDGET, "budget", "while True:\n    pass"},
        {DIAG_HOST, "", "return torch.zeros(2 ** 20, 2 ** 20)"},
        {DIAG_HOST, "", "h = x\nwhile True:\n    h = torch.cat((h, h))"},
    };
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        World w;
        world_open(&w);
        if (evaluate(&w, cases[k].body)) fail_msg("no finding: %s", cases[k].body);
        expect_finding(&w.d, cases[k].kind, cases[k].part, cases[k].body);
        arena_free(&w.arena);
    }
}

// A result remembers the operations that made it, down to the inputs.
static void test_trace(void **state) {
    (void)state;
    World w;
    world_open(&w);
    const Bound *b = evaluate(&w, "return torch.softmax(x.double(), dim=-1).half()");
    assert_non_null(b);
    assert_int_equal(b->op, BOUND_CAST);
    assert_true(b->pending);
    assert_int_equal(b->in[0]->op, BOUND_SOFTMAX);
    assert_int_equal(b->in[0]->attr[0], 1);
    assert_int_equal(b->in[0]->in[0]->in[0]->input_index, 0);
    arena_free(&w.arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_shapes_and_types),
        cmocka_unit_test(test_findings),
        cmocka_unit_test(test_trace),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
