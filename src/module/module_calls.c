// The primitives that references in module form have besides a reference's own operations: windows over the
// last axes, and what the referee draws (module_draw.c).
#include "host/reference/reference.h"
#include "module/module_draw.h"

static bool need_ints(Call *c, int i, int64_t *out, int most, int *n) {
    const Seq *s = value_is_seq(c->arg[i]) ? c->arg[i].seq : NULL;
    if (!s || s->n > most || s->n < 1) return wrong_type(c, c->arg[i], "sizes, one for each axis,");
    for (int k = 0; k < s->n; k++)
        if (!value_as_int(s->at[k], &out[k])) return wrong_type(c, s->at[k], "a whole number");
    *n = s->n;
    return true;
}

// Three places of an attribute for as many axes as there are; all lists are of one length.
static bool put_ints(Call *c, int i, int axes, int64_t *attr) {
    int n;
    if (!need_ints(c, i, attr, 3, &n)) return false;
    return n == axes || host_raise(c->in, c->at, "one size for each axis is expected");
}

static bool axes_of(Call *c, int i, int *axes) {
    int64_t unused[3];
    return need_ints(c, i, unused, 3, axes);
}

static bool need_bound(Call *c, int i) {
    return c->arg[i].kind == V_BOUND || wrong_type(c, c->arg[i], "a Tensor");
}

bool api_module_conv(Call *c, Value *out) {
    int64_t attr[14] = {0};
    int axes;
    bool transposed;
    Value operand[2] = {c->arg[0], c->arg[1]};
    if (!need_bound(c, 0) || !need_bound(c, 1) || !value_truth(c->in, c->at, c->arg[2], &transposed) ||
        !axes_of(c, 3, &axes))
        return false;
    attr[0] = axes;
    for (int k = 0; k < 4; k++)
        if (!put_ints(c, 3 + k, axes, attr + 1 + 3 * k)) return false;
    if (!value_as_int(c->arg[7], &attr[13])) return wrong_type(c, c->arg[7], "a whole number");
    BoundOp op = transposed ? BOUND_CONV_TRANSPOSE : BOUND_CONV;
    return bound_do(c->in, c->at,
                    &(BoundStep){.op = op, .operand = operand, .operands = 2, .attr = attr, .attrs = 14},
                    out);
}

bool api_module_pool(Call *c, Value *out) {
    int64_t attr[15] = {0};
    int axes;
    bool max, ceil, counts;
    double divisor;
    if (!need_bound(c, 0) || !value_truth(c->in, c->at, c->arg[1], &max) || !axes_of(c, 2, &axes) ||
        !value_truth(c->in, c->at, c->arg[6], &ceil) || !value_truth(c->in, c->at, c->arg[7], &counts) ||
        !need_number(c, 8, &divisor))
        return false;
    attr[0] = axes;
    for (int k = 0; k < 4; k++)
        if (!put_ints(c, 2 + k, axes, attr + 1 + 3 * k)) return false;
    attr[13] = ceil;
    attr[14] = counts;
    return bound_do(c->in, c->at,
                    &(BoundStep){.op = max ? BOUND_MAX_POOL : BOUND_AVG_POOL,
                                 .operand = &c->arg[0],
                                 .operands = 1,
                                 .attr = attr,
                                 .attrs = max ? 14 : 15,
                                 .scalar = divisor},
                    out);
}

bool api_module_adaptive(Call *c, Value *out) {
    int64_t attr[4] = {0};
    int axes;
    bool max;
    if (!need_bound(c, 0) || !value_truth(c->in, c->at, c->arg[1], &max) || !axes_of(c, 2, &axes) ||
        !put_ints(c, 2, axes, attr + 1))
        return false;
    attr[0] = axes;
    return bound_do(c->in, c->at,
                    &(BoundStep){.op = max ? BOUND_ADAPTIVE_MAX_POOL : BOUND_ADAPTIVE_AVG_POOL,
                                 .operand = &c->arg[0],
                                 .operands = 1,
                                 .attr = attr,
                                 .attrs = 4},
                    out);
}

bool api_module_normalised(Call *c, Value *out) {
    int64_t n;
    if (!value_as_int(c->arg[0], &n)) return wrong_type(c, c->arg[0], "a whole number");
    if (n < c->in->form->least_set) c->in->form->least_set = n;
    return *out = NONE_VALUE, true;
}

bool api_module_refuse(Call *c, Value *out) {
    *out = NONE_VALUE;
    if (c->arg[0].kind != V_STR) return wrong_type(c, c->arg[0], "a text");
    Str text = c->arg[0].s;
    // What PyTorch raises is an error of the file; the rest is what is not read here.
    bool raised = memmem(text.p, text.len, "Error: ", 7) != NULL;
    if (raised) return host_raise(c->in, c->at, "%.*s", STR_ARG(text));
    return host_unsupported(c->in, c->at, "%.*s", STR_ARG(text));
}

bool api_module_set(Call *c, Value *out) {
    *out = NONE_VALUE;
    if (c->arg[1].kind != V_STR) return wrong_type(c, c->arg[1], "a text");
    return object_set(c->in, c->at, c->arg[0], c->arg[1].s, c->arg[2]);
}

bool api_module_has(Call *c, Value *out) {
    if (c->arg[0].kind != V_OBJECT || c->arg[1].kind != V_STR)
        return host_unsupported(c->in, c->at, "hasattr() is asked of modules alone here");
    const Object *o = c->arg[0].object;
    bool has = env_find(o->attribute, c->arg[1].s) || (o->of && env_find(o->of->names, c->arg[1].s));
    return *out = value_bool(has), true;
}

// --- what the referee draws ---

static bool sizes_and_type(Call *c, const Value *size, int n, Value dtype, Drawn *d) {
    if (!shape_sizes(c->in, c->at, size, n, d->shape, &d->rank)) return false;
    for (int i = 0; i < d->rank; i++)
        if (d->shape[i] < 0)
            return host_raise(c->in, c->at, "RuntimeError: Trying to create tensor with negative dimension");
    if (!shape_sane(d->shape, d->rank))
        return host_raise(
            c->in, c->at,
            "RuntimeError: the sizes are too large: more than 2^48 elements, beyond what is made "
            "smaller here; write smaller ones into the file");
    if (dtype.kind == V_DTYPE) d->dtype = dtype.dtype.t;
    return dtype.kind == V_DTYPE || dtype.kind == V_NONE || wrong_type(c, dtype, "a torch.dtype");
}

static bool drawn(Call *c, Drawn *d, Value *out) {
    const Bound *b = module_draw_tensor(c->in, d);
    if (!b)
        return host_raise(c->in, c->at, "%s",
                          c->in->bound->why ? c->in->bound->why : "the tensor could not be drawn");
    return *out = value_bound(b), true;
}

static bool keep(Call *c, Drawn *d, FormTensor t, Value *out) {
    ModuleForm *f = c->in->form;
    if (f->forward)
        return host_unsupported(c->in, c->at,
                                "a module or a parameter made in forward has no right answer: each call "
                                "draws other weights; make it in __init__");
    if (f->tensors == FORM_TENSORS_MAX)
        return host_unsupported(c->in, c->at, "a model has at most %d parameters here", FORM_TENSORS_MAX);
    if (f->knowns > f->tensors) d->name = f->known[f->tensors].name;
    d->role = t.role;
    d->fan = t.fan;
    if (f->given && c->in->bound->shapes_only == false) {
        if (f->tensors >= f->givens)
            return host_raise(c->in, c->at, "the model has more parameters than values are given");
        const Bound *b = module_given(c->in, &f->given[f->tensors], d);
        if (!b)
            return host_raise(c->in, c->at, "parameter %d has another shape or type than what is given",
                              f->tensors);
        *out = value_bound(b);
    } else if (!drawn(c, d, out)) {
        return false;
    }
    t.value = out->bound;
    f->tensor[f->tensors++] = t;
    return true;
}

bool api_module_param(Call *c, Value *out) {
    Drawn d = {.dtype = DT_F32};
    FormTensor t = {0};
    if (!sizes_and_type(c, &c->arg[0], 1, NONE_VALUE, &d)) return false;
    if (c->arg[1].kind != V_STR) return wrong_type(c, c->arg[1], "a text");
    t.role = c->arg[1].s;
    if (!value_as_int(c->arg[2], &t.fan)) return wrong_type(c, c->arg[2], "a whole number");
    return value_truth(c->in, c->at, c->arg[3], &t.buffer) && keep(c, &d, t, out);
}

bool api_module_parameter(Call *c, Value *out) {
    if (!need_bound(c, 0)) return false;
    const Bound *b = c->arg[0].bound;
    Drawn d = {.dtype = b->dtype, .rank = b->rank};
    memcpy(d.shape, b->shape, sizeof d.shape);
    if (!dtype_is_float(b->dtype))
        return host_raise(
            c->in, c->at,
            "RuntimeError: Only Tensors of floating point and complex dtype can require gradients");
    return keep(c, &d, (FormTensor){.role = STR("own"), .fan = 1}, out);
}

// In order of the file, each from a stream of its own.
static bool source(Call *c, Drawn *d, Value *out) {
    ModuleForm *f = c->in->form;
    if (f->forward)
        return host_unsupported(c->in, c->at,
                                "random numbers in forward have no right answer: each call draws others; "
                                "get_inputs may draw them");
    d->stream = ++f->sources_drawn;
    if (!drawn(c, d, out)) return false;
    if (f->sources < FORM_SOURCES_MAX && d->kind != DRAWN_WHOLE) f->source[f->sources++] = out->bound;
    return true;
}

bool api_module_random(Call *c, Value *out) {
    Drawn d = {.dtype = DT_F32, .kind = str_ends(c->name, "n") ? DRAWN_NORMAL : DRAWN_UNIT};
    return sizes_and_type(c, c->rest, c->rests, c->arg[1], &d) && source(c, &d, out);
}

// What is there by chance is drawn, so that no result that follows from it can be taken for one.
bool api_module_empty(Call *c, Value *out) {
    Drawn d = {.dtype = DT_F32, .kind = DRAWN_UNIT, .stream = ++c->in->form->sources_drawn};
    return sizes_and_type(c, c->rest, c->rests, c->arg[1], &d) && drawn(c, &d, out);
}

// randint(high, size), randint(low, high, size)
bool api_module_randint(Call *c, Value *out) {
    Drawn d = {.dtype = DT_I64, .kind = DRAWN_WHOLE};
    Value low = c->arg[0], high = c->arg[1], size = c->arg[2];
    if (value_is_seq(high)) size = high, high = low, low = value_int(0);
    if (high.kind == V_NONE) high = low, low = value_int(0);
    if (!value_as_int(low, &d.low) || !value_as_int(high, &d.high))
        return host_raise(c->in, c->at, "TypeError: randint(): limits are whole numbers");
    if (d.low >= d.high)
        return host_raise(c->in, c->at, "RuntimeError: random_ expects 'from' to be less than 'to'");
    return sizes_and_type(c, &size, 1, c->arg[3], &d) && source(c, &d, out);
}
