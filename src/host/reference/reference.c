// A reference's operations: torch's signatures on top of the primitives of tensor/bound.h. What torch fuses
// into one call is composed here from primitives that have their own error rules. Element by element here;
// whole rows and tensors in reference_rows.c.
#include "host/reference/reference.h"
#include "host/python/module_form.h"

static bool bound_fail(Interp *in, Span at) {
    return host_raise(in, at, "%s", in->bound->why ? in->bound->why : "the operation failed");
}

// Numbers become literals.
static bool as_bound(Interp *in, Span at, Value v, const Bound **out) {
    double x;
    if (v.kind == V_BOUND) return *out = v.bound, !in->form || form_may_use(in, at, v.bound);
    if (!value_as_number(v, &x))
        return host_raise(in, at, "TypeError: expected a tensor or a number, not %s", value_type(v));
    *out = bound_literal(in->bound, x, v.kind == V_FLOAT);
    return *out || bound_fail(in, at);
}

bool bound_do(Interp *in, Span at, const BoundStep *s, Value *out) {
    const Bound *b[4];
    if (!host_step(in, at)) return false;
    for (int i = 0; i < s->operands; i++)
        if (!as_bound(in, at, s->operand[i], &b[i])) return false;
    const Bound *made = bound_apply(in->bound, s->op, b, s->operands, s->attr, s->attrs, s->scalar);
    *out = value_bound(made);
    return made || bound_fail(in, at);
}

bool need_number(Call *c, int i, double *out) {
    if (value_as_number(c->arg[i], out)) return true;
    return host_raise(c->in, c->at, "TypeError: %.*s(): argument %d must be a number, not %s",
                      STR_ARG(c->name), i + 1, value_type(c->arg[i]));
}
// --- operators ---

// torch.matmul also takes vectors and repeats batches; here both operands are matrices, or batches of one
// size.
static bool matmul(Interp *in, Span at, Value l, Value r, Value *out) {
    if (l.kind != V_BOUND || r.kind != V_BOUND)
        return host_raise(in, at, "TypeError: unsupported operand type(s) for @: '%s' and '%s'",
                          value_type(l), value_type(r));
    int a = l.bound->rank, b = r.bound->rank;
    if (in->form && !form_is_inside(at)) { // any ranks: the library spells it out
        Value f, both[2] = {l, r};
        return form_find(in->form, STR("torch.matmul"), &f) &&
               call_value(in, f, &(Args){.pos = both, .n = 2, .at = at}, out);
    }
    if (a != b || a < 2 || a > 3)
        return host_unsupported(in, at,
                                "a matrix product of tensors of %d and %d dimensions: 2 and 2, or 3 and 3, "
                                "are available",
                                a, b);
    return bound_do(in, at, &(BoundStep){.op = BOUND_MATMUL, .operand = (Value[]){l, r}, .operands = 2}, out);
}
bool api_matmul(Call *c, Value *out) { return matmul(c->in, c->at, c->arg[0], c->arg[1], out); }

static bool binary(Interp *in, Span at, Oper op, Value l, Value r, Value *out) {
    static const struct {
        Oper from;
        BoundOp to;
    } table[] = {{OPER_ADD, BOUND_ADD},         {OPER_SUB, BOUND_SUB}, {OPER_MUL, BOUND_MUL},
                 {OPER_DIV, BOUND_DIV},         {OPER_POW, BOUND_POW}, {OPER_LT, BOUND_LT},
                 {OPER_LE, BOUND_LE},           {OPER_GT, BOUND_GT},   {OPER_GE, BOUND_GE},
                 {OPER_EQ, BOUND_EQ},           {OPER_NE, BOUND_NE},   {OPER_BITAND, BOUND_LOGICAL_AND},
                 {OPER_BITOR, BOUND_LOGICAL_OR}};
    double x;
    Value operand[2] = {l, r};
    bool bits = op == OPER_BITAND || op == OPER_BITOR;
    for (int i = 0; i < 2; i++) {
        if (bits && !(operand[i].kind == V_BOOL ||
                      (operand[i].kind == V_BOUND && operand[i].bound->dtype == DT_BOOL)))
            return host_unsupported(in, at, "`%s` is available for boolean tensors alone", oper_text(op));
        if (operand[i].kind != V_BOUND && !value_as_number(operand[i], &x))
            return host_raise(in, at, "TypeError: unsupported operand type(s) for %s: '%s' and '%s'",
                              oper_text(op), value_type(l), value_type(r));
    }
    if (op == OPER_POW && r.kind == V_BOUND) {
        if (value_as_number(l, &x) && x == 2)
            return bound_do(in, at, &(BoundStep){.op = BOUND_EXP2, .operand = &r, .operands = 1}, out);
        return host_unsupported(in, at, "a power with a tensor as exponent is available for base 2 alone");
    }
    if (op == OPER_MATMUL) return matmul(in, at, l, r, out);
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (table[i].from == op)
            return bound_do(in, at, &(BoundStep){.op = table[i].to, .operand = operand, .operands = 2}, out);
    return host_refuse(in, at, "`%s` on tensors is not among a reference's operations", oper_text(op));
}

bool bound_binary(Interp *in, Span at, Oper op, Value l, Value r, Value *out) {
    if (!binary(in, at, op, l, r, out)) return false;
    if (in->form) form_note(in, at, str_of(oper_text(op)), l.kind == V_BOUND ? &l : &r, out);
    return true;
}

static bool unary(Interp *in, Span at, Oper op, Value v, Value *out) {
    if (op == OPER_NEG)
        return bound_do(in, at, &(BoundStep){.op = BOUND_NEG, .operand = &v, .operands = 1}, out);
    if (op == OPER_POS) return *out = v, true;
    if (op == OPER_INVERT && v.bound->dtype == DT_BOOL)
        return bound_do(in, at, &(BoundStep){.op = BOUND_LOGICAL_NOT, .operand = &v, .operands = 1}, out);
    return host_refuse(in, at, "`%s` on tensors is not among a reference's operations", oper_text(op));
}

bool bound_unary(Interp *in, Span at, Oper op, Value v, Value *out) {
    if (!unary(in, at, op, v, out)) return false;
    if (in->form) form_note(in, at, str_of(oper_text(op)), &v, out);
    return true;
}

bool api_bound_unary(Call *c, Value *out) {
    return need_tensor(c, 0) && apply1(c, c->row->op, c->arg[0], out);
}

bool api_bound_binary(Call *c, Value *out) {
    if (c->row->op == BOUND_POW) return bound_binary(c->in, c->at, OPER_POW, c->arg[0], c->arg[1], out);
    return (c->arg[0].kind == V_BOUND || need_tensor(c, 1)) &&
           apply2(c, c->row->op, c->arg[0], c->arg[1], out);
}

bool api_add(Call *c, Value *out) {
    Value other = c->arg[1];
    double alpha;
    bool minus = str_ends(c->name, "sub");
    if (!need_tensor(c, 0) || !need_number(c, 2, &alpha)) return false;
    if (alpha != 1 && !apply2(c, BOUND_MUL, c->arg[2], other, &other)) return false;
    return apply2(c, minus ? BOUND_SUB : BOUND_ADD, c->arg[0], other, out);
}

// --- activations ---

bool api_gelu(Call *c, Value *out) {
    Value how = c->arg[1];
    if (!need_tensor(c, 0)) return false;
    if (how.kind == V_STR && str_is(how.s, "tanh")) return apply1(c, BOUND_GELU_TANH, c->arg[0], out);
    if (how.kind == V_STR && str_is(how.s, "none")) return apply1(c, BOUND_GELU_ERF, c->arg[0], out);
    return host_raise(c->in, c->at, "RuntimeError: approximate argument must be either none or tanh.");
}

bool api_softplus(Call *c, Value *out) {
    double beta, threshold;
    if (!need_tensor(c, 0) || !need_number(c, 1, &beta) || !need_number(c, 2, &threshold)) return false;
    if (beta != 1 || threshold != 20)
        return host_unsupported(c->in, c->at, "softplus is available with beta=1 and threshold=20 alone");
    return apply1(c, BOUND_SOFTPLUS, c->arg[0], out);
}

bool api_mish(Call *c, Value *out) {
    Value v;
    return need_tensor(c, 0) && apply1(c, BOUND_SOFTPLUS, c->arg[0], &v) && apply1(c, BOUND_TANH, v, &v) &&
           apply2(c, BOUND_MUL, c->arg[0], v, out);
}

// x where x > 0, else `below`, which may be +inf or anything else there.
static bool positive_or(Call *c, Value x, Value below, Value *out) {
    Value positive;
    return apply2(c, BOUND_GT, x, value_int(0), &positive) && apply3(c, BOUND_WHERE, positive, x, below, out);
}

bool api_leaky_relu(Call *c, Value *out) {
    double slope;
    Value below;
    return need_tensor(c, 0) && need_number(c, 1, &slope) &&
           apply2(c, BOUND_MUL, c->arg[0], value_float(slope), &below) &&
           positive_or(c, c->arg[0], below, out);
}

// alpha * (e^min(x, 0) - 1): limited first, so that the branch that is not taken stays finite.
static bool elu(Call *c, Value x, double alpha, Value *out) {
    Value below;
    return applied(c, BOUND_CLAMP_MAX, x, 0, &below) && apply1(c, BOUND_EXPM1, below, &below) &&
           (alpha == 1 || apply2(c, BOUND_MUL, below, value_float(alpha), &below)) &&
           positive_or(c, x, below, out);
}
bool api_elu(Call *c, Value *out) {
    double alpha;
    return need_tensor(c, 0) && need_number(c, 1, &alpha) && elu(c, c->arg[0], alpha, out);
}
bool api_selu(Call *c, Value *out) {
    return need_tensor(c, 0) && elu(c, c->arg[0], 1.6732632423543772848170429916717, out) &&
           apply2(c, BOUND_MUL, *out, value_float(1.0507009873554804934193349852946), out);
}

static bool limit(Call *c, Value x, double lo, double hi, Value *out) {
    return applied(c, BOUND_CLAMP_MIN, x, lo, out) && applied(c, BOUND_CLAMP_MAX, *out, hi, out);
}
bool api_hardtanh(Call *c, Value *out) {
    double lo, hi;
    return need_tensor(c, 0) && need_number(c, 1, &lo) && need_number(c, 2, &hi) &&
           limit(c, c->arg[0], lo, hi, out);
}
bool api_relu6(Call *c, Value *out) { return need_tensor(c, 0) && limit(c, c->arg[0], 0, 6, out); }
// (x + 3) / 6, as PyTorch computes it. Its documentation writes x / 6 + 1/2, whose error near -3 is that of a
// half: the difference of x / 6 from itself is 0 and has that error.
bool api_hardsigmoid(Call *c, Value *out) {
    Value part, nothing;
    return need_tensor(c, 0) && apply2(c, BOUND_ADD, c->arg[0], value_float(3), out) &&
           apply2(c, BOUND_DIV, *out, value_float(6), out) &&
           apply2(c, BOUND_DIV, c->arg[0], value_float(6), &part) && limit(c, part, -1, 1, &part) &&
           apply2(c, BOUND_SUB, part, part, &nothing) && apply2(c, BOUND_ADD, *out, nothing, out) &&
           limit(c, *out, 0, 1, out);
}
bool api_hardswish(Call *c, Value *out) {
    return api_hardsigmoid(c, out) && apply2(c, BOUND_MUL, c->arg[0], *out, out);
}
bool api_softsign(Call *c, Value *out) {
    return need_tensor(c, 0) && apply1(c, BOUND_ABS, c->arg[0], out) &&
           apply2(c, BOUND_ADD, *out, value_float(1), out) && apply2(c, BOUND_DIV, c->arg[0], *out, out);
}
bool api_logsigmoid(Call *c, Value *out) {
    return need_tensor(c, 0) && apply1(c, BOUND_NEG, c->arg[0], out) &&
           apply1(c, BOUND_SOFTPLUS, *out, out) && apply1(c, BOUND_NEG, *out, out);
}

static bool part(Call *c, Value x, int axis, int64_t from, int64_t to, Value *out) {
    int64_t attr[4] = {axis, from, to, 1};
    return bound_do(c->in, c->at,
                    &(BoundStep){.op = BOUND_SLICE, .operand = &x, .operands = 1, .attr = attr, .attrs = 4},
                    out);
}
bool api_glu(Call *c, Value *out) {
    int axis;
    Value a, b;
    if (!need_tensor(c, 0) || !shape_axis(c->in, c->at, c->arg[1], c->arg[0].bound->rank, &axis))
        return false;
    if (c->arg[0].bound->rank == 0)
        return host_raise(c->in, c->at, "RuntimeError: glu does not support 0-dimensional tensors");
    int64_t n = c->arg[0].bound->shape[axis];
    if (n % 2)
        return host_raise(c->in, c->at,
                          "RuntimeError: Halving dimension must be even, but dimension %d is size %lld", axis,
                          (long long)n);
    return part(c, c->arg[0], axis, 0, n / 2, &a) && part(c, c->arg[0], axis, n / 2, n, &b) &&
           apply1(c, BOUND_SIGMOID, b, &b) && apply2(c, BOUND_MUL, a, b, out);
}

// --- choices ---

static bool clamp_to(Call *c, BoundOp op, Value limit_, Value *out) { // *out is limited in place
    double x;
    if (limit_.kind == V_NONE) return true;
    if (limit_.kind == V_BOUND)
        return apply2(c, op == BOUND_CLAMP_MIN ? BOUND_MAXIMUM : BOUND_MINIMUM, *out, limit_, out);
    if (!value_as_number(limit_, &x))
        return host_raise(c->in, c->at, "TypeError: clamp(): limits must be numbers or tensors");
    return applied(c, op, *out, x, out);
}
bool api_clamp(Call *c, Value *out) {
    if (!need_tensor(c, 0)) return false;
    if (c->arg[1].kind == V_NONE && c->arg[2].kind == V_NONE)
        return host_raise(c->in, c->at,
                          "RuntimeError: torch.clamp: At least one of 'min' or 'max' must not be None");
    *out = c->arg[0];
    return clamp_to(c, BOUND_CLAMP_MIN, c->arg[1], out) && clamp_to(c, BOUND_CLAMP_MAX, c->arg[2], out);
}
bool api_clamp_one(Call *c, Value *out) {
    return need_tensor(c, 0) && (*out = c->arg[0], clamp_to(c, c->row->op, c->arg[1], out));
}
bool api_where(Call *c, Value *out) {
    return need_tensor(c, 0) && apply3(c, BOUND_WHERE, c->arg[0], c->arg[1], c->arg[2], out);
}
bool api_masked_fill(Call *c, Value *out) {
    return need_tensor(c, 1) && apply3(c, BOUND_WHERE, c->arg[1], c->arg[2], c->arg[0], out);
}
bool api_lerp(Call *c, Value *out) {
    return need_tensor(c, 0) && apply2(c, BOUND_SUB, c->arg[1], c->arg[0], out) &&
           apply2(c, BOUND_MUL, c->arg[2], *out, out) && apply2(c, BOUND_ADD, c->arg[0], *out, out);
}
bool api_addcmul(Call *c, Value *out) {
    double value;
    return need_tensor(c, 0) && need_number(c, 3, &value) &&
           apply2(c, BOUND_MUL, c->arg[1], c->arg[2], out) &&
           (value == 1 || apply2(c, BOUND_MUL, *out, c->arg[3], out)) &&
           apply2(c, BOUND_ADD, c->arg[0], *out, out);
}

// --- types ---

bool api_to(Call *c, Value *out) {
    if (c->arg[1].kind == V_DTYPE) return cast(c, c->arg[0], c->arg[1].dtype.t, out);
    if (c->arg[1].kind == V_BOUND) return cast(c, c->arg[0], c->arg[1].bound->dtype, out);
    if (c->arg[1].kind == V_NONE || c->arg[1].kind == V_DEVICE) return *out = c->arg[0], true;
    return host_raise(c->in, c->at, "TypeError: to(): expected a torch.dtype, not %s", value_type(c->arg[1]));
}
bool api_cast(Call *c, Value *out) {
    DType t;
    if (!dtype_by_torch_name(c->name, &t))
        return host_unsupported(c->in, c->at, ".%.*s() is not available here", STR_ARG(c->name));
    return cast(c, c->arg[0], t, out);
}
bool api_type_as(Call *c, Value *out) {
    return need_tensor(c, 1) && cast(c, c->arg[0], c->arg[1].bound->dtype, out);
}
bool api_same(Call *c, Value *out) { return *out = c->arg[0], true; }
