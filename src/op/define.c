// define.c - reads a definition: strict about everything it understands, and says what to write instead.
#include "op/literal.h"
#include "op/suite.h"
#include <math.h>

typedef struct {
    Arena *arena;
    DiagList *diags;
    Op *op;
    const Node *inputs, *outputs, *dims, *tf32, *large, *invariant, *layout, *published, *roundings,
        **keep; // of each input: the value of that key, or NULL
} Reader;

#define wrong(r, node, ...) diag_add((r)->diags, DIAG_REFUSED, (node)->span, __VA_ARGS__)

static const double float16_max = 65504;
enum { SENTENCE_MAX = 300, USUAL_MAX = 1 << 20 };

static int input_index(const Op *op, Str name) {
    for (int i = 0; i < op->inputs; i++)
        if (str_eq(op->input[i].name, name)) return i;
    return -1;
}

static int dim_index(const Op *op, Str name) {
    for (int i = 0; i < op->dims; i++)
        if (str_eq(op->dim[i].name, name)) return i;
    return -1;
}

// ---- the keys of an input ----

// "D/2": a size that follows from one named before it.
static bool read_quotient(Reader *r, const Node *n, Str name, OpDim *out) {
    enum { DIVISOR_MAX = 64 };
    const char *slash = memchr(name.p, '/', name.len);
    size_t head = slash ? (size_t)(slash - name.p) : name.len;
    *out = (OpDim){name, .multiple_of = 1, .min = 1, .max = OP_SIZE_MAX, .of = -1};
    if (!slash) return true;
    for (size_t i = head + 1; i < name.len && out->divisor <= DIVISOR_MAX; i++) {
        bool digit = name.p[i] >= '0' && name.p[i] <= '9';
        out->divisor = digit ? 10 * out->divisor + (name.p[i] - '0') : DIVISOR_MAX + 1;
    }
    out->of = dim_index(r->op, (Str){name.p, head});
    if (out->divisor < 2 || out->divisor > DIVISOR_MAX || out->of < 0 || r->op->dim[out->of].of >= 0)
        return wrong(r, n,
                     "a part of a dimension is written \"D/2\": a name that stands before it, and 2 to %d",
                     DIVISOR_MAX);
    return true;
}

static bool read_dim(Reader *r, const Node *n, OpInput *in) {
    Op *op = r->op;
    int at = in->rank++;
    in->dim[at] = -1;
    if (n->kind == NODE_INT) return literal_count(r->diags, n, "a size", 1, OP_SIZE_MAX, &in->size[at]);
    Str name;
    if (!literal_text(r->diags, n, "a dimension", &name)) return false;
    OpDim d;
    if (!read_quotient(r, n, name, &d)) return false;
    if (d.of < 0 && (!literal_is_word(name) || name.p[0] < 'A' || name.p[0] > 'Z'))
        return wrong(r, n, "a dimension's name starts with an upper-case letter: \"M\", \"N\", \"Heads\"");
    in->dim[at] = dim_index(op, name);
    if (in->dim[at] >= 0) return true;
    if (op->dims == OP_DIMS_MAX) return wrong(r, n, "more than %d different dimensions", OP_DIMS_MAX);
    in->dim[at] = op->dims;
    op->dim[op->dims++] = d;
    return true;
}

static bool read_shape(Reader *r, const Node *n, OpInput *in) {
    if (n->kind == NODE_STRING)
        return wrong(r, n, "a shape is a tuple; one dimension needs a comma: (\"%.*s\",)",
                     STR_ARG(n->string.text));
    if ((n->kind != NODE_TUPLE && n->kind != NODE_LIST) || n->items.n < 1 || n->items.n > OP_RANK_MAX)
        return wrong(r, n, "shape must be a tuple of 1 to %d dimensions: (\"M\", \"N\")", OP_RANK_MAX);
    for (int i = 0; i < n->items.n; i++)
        if (!read_dim(r, n->items.at[i], in)) return false;
    return true;
}

static bool read_dtype(Reader *r, const Node *n, OpInput *in) {
    Str name;
    if (!literal_text(r->diags, n, "dtype", &name)) return false;
    if (str_is(name, "float")) return true;
    if (!dtype_by_torch_name(name, &in->dtype))
        return wrong(
            r, n,
            "\"%.*s\" is no dtype; write \"float\" (float16, bfloat16 and float32 in turn) or one name "
            "such as \"int64\"",
            (int)(name.len < 40 ? name.len : 40), name.p);
    if (in->dtype == DT_F64)
        return wrong(r, n, "float64 inputs cannot be judged: the oracle itself computes in float64");
    in->any_float = false;
    return true;
}

// The largest magnitude an input's type holds; inputs of every float type must fit the narrowest.
static double input_limit(const OpInput *in) {
    return in->any_float || in->dtype == DT_F16 ? float16_max : dtype_max(in->dtype);
}

static bool input_is_float(const OpInput *in) { return in->any_float || dtype_is_float(in->dtype); }

static bool read_scale(Reader *r, const Node *n, OpInput *in) {
    const Node *ends[2];
    bool is_int;
    if (!literal_pair(r->diags, n, "scale", ends) ||
        !literal_number(r->diags, ends[0], "scale", &in->scale_lo, &is_int) ||
        !literal_number(r->diags, ends[1], "scale", &in->scale_hi, &is_int))
        return false;
    if (!(in->scale_lo > 0 && in->scale_lo <= in->scale_hi))
        return wrong(r, n, "scale must be (lo, hi) with 0 < lo <= hi");
    if (in->scale_hi > input_limit(in))
        return wrong(r, n, "scale goes beyond the input's dtype, whose largest value is %g", input_limit(in));
    return true;
}

static bool read_shift(Reader *r, const Node *n, OpInput *in) {
    bool is_int;
    if (!literal_number(r->diags, n, "shift", &in->shift, &is_int)) return false;
    if (in->shift < 0 || in->shift > input_limit(in))
        return wrong(r, n, "shift must lie between 0 and %g", input_limit(in));
    return true;
}

static double integer_min(DType t) { return dtype_info[t].kind == DTYPE_KIND_I ? -dtype_max(t) - 1 : 0; }

static bool read_range(Reader *r, const Node *n, OpInput *in) {
    const Node *ends[2];
    bool lo_int, hi_int = true;
    if (!literal_pair(r->diags, n, "range", ends) ||
        !literal_number(r->diags, ends[0], "range", &in->range_lo, &lo_int))
        return false;
    in->ranged = true;
    if (ends[1]->kind == NODE_STRING && !ends[1]->string.bytes) {
        in->range_dim = dim_index(r->op, ends[1]->string.text);
        if (in->range_dim < 0)
            return wrong(r, ends[1], "range names a dimension that no shape before it uses");
        if (!lo_int || in->range_lo != 0)
            return wrong(r, ends[0], "indices start at 0: write \"range\": (0, \"%s\")",
                         str_cdup(r->arena, ends[1]->string.text));
        if (in->any_float || (in->dtype != DT_I32 && in->dtype != DT_I64))
            return wrong(r, n, "indices need \"dtype\": \"int64\" or \"int32\"");
        return true;
    }
    if (!literal_number(r->diags, ends[1], "range", &in->range_hi, &hi_int)) return false;
    if (!(in->range_lo <= in->range_hi)) return wrong(r, n, "range must be (lo, hi) with lo <= hi");
    double least = input_is_float(in) ? -input_limit(in) : integer_min(in->dtype);
    if (in->range_lo < least || in->range_hi > input_limit(in))
        return wrong(r, n, "range goes beyond the input's dtype, which holds %g to %g", least,
                     input_limit(in));
    if (!input_is_float(in) && !(lo_int && hi_int))
        return wrong(r, n, "the range of an integer input is a pair of integers");
    return true;
}

static bool read_role(Reader *r, const Node *n, OpInput *in) {
    static const struct {
        const char *name;
        OpRole role;
    } roles[] = {{"data", ROLE_DATA}, {"weight", ROLE_WEIGHT}, {"bias", ROLE_BIAS}};
    Str name;
    if (!literal_text(r->diags, n, "role", &name)) return false;
    for (size_t i = 0; i < sizeof roles / sizeof *roles; i++) {
        if (!str_is(name, roles[i].name)) continue;
        in->role = roles[i].role;
        return true;
    }
    return wrong(r, n, "role must be \"data\", \"weight\" or \"bias\"");
}

static bool read_signs(Reader *r, const Node *n, OpInput *in) {
    Str text;
    if (!literal_text(r->diags, n, "signs", &text)) return false;
    in->both_signs = str_is(text, "both");
    return in->both_signs || str_is(text, "positive") ||
           wrong(r, n, "signs must be \"both\" or \"positive\": values as in the range");
}

static bool read_large(Reader *r, const Node *n, OpInput *in) {
    return literal_flag(r->diags, n, "large", &in->large);
}

static bool read_neg_inf(Reader *r, const Node *n, OpInput *in) {
    return literal_flag(r->diags, n, "neg_inf", &in->neg_inf);
}

static bool read_keep(Reader *r, const Node *n, OpInput *in) {
    Str name;
    if (!literal_text(r->diags, n, "keep", &name)) return false;
    r->keep[in - r->op->input] = n; // its input may come later: resolved by check_keep
    return true;
}

// Order matters: what a key means may depend on those above it (limits of a range on the dtype).
enum {
    KEY_SHAPE,
    KEY_DTYPE,
    KEY_SCALE,
    KEY_SHIFT,
    KEY_LARGE,
    KEY_RANGE,
    KEY_SIGNS,
    KEY_NEG_INF,
    KEY_KEEP,
    KEY_ROLE,
    KEYS
};
static const struct {
    const char *name;
    bool (*read)(Reader *r, const Node *n, OpInput *in);
} input_key[KEYS] = {
    [KEY_SHAPE] = {"shape", read_shape}, [KEY_DTYPE] = {"dtype", read_dtype},
    [KEY_SCALE] = {"scale", read_scale}, [KEY_SHIFT] = {"shift", read_shift},
    [KEY_LARGE] = {"large", read_large}, [KEY_RANGE] = {"range", read_range},
    [KEY_SIGNS] = {"signs", read_signs}, [KEY_NEG_INF] = {"neg_inf", read_neg_inf},
    [KEY_KEEP] = {"keep", read_keep},    [KEY_ROLE] = {"role", read_role},
};

static bool find_keys(Reader *r, const Node *dict, const Node *found[KEYS]) {
    for (int i = 0; i < dict->dict.keys.n; i++) {
        const Node *key = dict->dict.keys.at[i];
        int k = 0;
        while (k < KEYS && !str_is(key->string.text, input_key[k].name)) k++;
        if (k == KEYS)
            return wrong(
                r, key,
                "an input has no key \"%.*s\"; the keys are shape, dtype, scale, shift, large, range, "
                "signs, neg_inf, keep and role",
                (int)(key->string.text.len < 40 ? key->string.text.len : 40), key->string.text.p);
        found[k] = dict->dict.values.at[i];
    }
    if (!found[KEY_SHAPE]) return wrong(r, dict, "an input needs its shape: {\"shape\": (\"M\", \"N\")}");
    return true;
}

// Combinations that contradict each other.
static bool check_keys(Reader *r, const Node *dict, const Node *const found[KEYS], const OpInput *in) {
    static const int ordinary[] = {KEY_SCALE, KEY_SHIFT, KEY_LARGE, KEY_ROLE};
    bool bounded = in->ranged || !input_is_float(in);
    for (size_t i = 0; i < sizeof ordinary / sizeof *ordinary; i++) {
        const Node *n = found[ordinary[i]];
        if (n && bounded)
            return wrong(r, n,
                         "\"%s\" says nothing about an input with a range or of integers; drop one of them",
                         input_key[ordinary[i]].name);
    }
    if (!input_is_float(in) && !in->ranged)
        return wrong(r, dict,
                     "an integer input says which values it takes: \"range\": (0, \"N\") or (-128, 127)");
    if (in->neg_inf && (!input_is_float(in) || in->ranged))
        return wrong(r, found[KEY_NEG_INF], "only a float input without a range can hold -inf");
    if (found[KEY_SIGNS] && !(in->ranged && input_is_float(in) && in->range_lo > 0))
        return wrong(r, found[KEY_SIGNS], "\"signs\" goes with a float input's range of positive numbers");
    if (found[KEY_KEEP] && !in->neg_inf)
        return wrong(r, found[KEY_KEEP],
                     "\"keep\" protects an element from -inf: it needs \"neg_inf\": True");
    return true;
}

static bool read_input(Reader *r, const Node *key, const Node *dict) {
    Op *op = r->op;
    if (!literal_is_word(key->string.text))
        return wrong(r, key, "an input's name is an identifier of at most %d characters", WORD_MAX);
    if (!literal_dict(r->diags, dict, "an input", "{\"shape\": (\"M\", \"N\")}")) return false;
    OpInput *in = &op->input[op->inputs++];
    *in = (OpInput){.name = key->string.text,
                    .any_float = true,
                    .dtype = DT_F32,
                    .scale_lo = 1e-4,
                    .scale_hi = 8,
                    .range_dim = -1,
                    .keep = -1};
    const Node *found[KEYS] = {0};
    if (!find_keys(r, dict, found)) return false;
    for (int k = 0; k < KEYS; k++)
        if (found[k] && !input_key[k].read(r, found[k], in)) return false;
    return check_keys(r, dict, found, in);
}

// The kept element must be addressable: one index for each row of this input, along its last dimension.
static bool check_keep(Reader *r, const Node *n, OpInput *in) {
    in->keep = input_index(r->op, n->string.text);
    if (in->keep < 0) return wrong(r, n, "\"keep\" must name an input");
    const OpInput *index = &r->op->input[in->keep];
    bool fits =
        index->range_dim >= 0 && index->range_dim == in->dim[in->rank - 1] && index->rank == in->rank - 1;
    for (int i = 0; fits && i < index->rank; i++)
        fits = index->dim[i] == in->dim[i] && index->size[i] == in->size[i];
    if (fits) return true;
    return wrong(
        r, n,
        "\"keep\" must name an index input whose shape is this one without its last dimension and whose "
        "range is (0, that dimension)");
}

static bool read_inputs(Reader *r) {
    const Node *n = r->inputs;
    Op *op = r->op;
    if (!literal_dict(r->diags, n, "inputs", "inputs = {\"x\": {\"shape\": (\"M\", \"N\")}}")) return false;
    if (!n->dict.keys.n) return wrong(r, n, "inputs is empty: an op takes at least one input");
    if (n->dict.keys.n > OP_INPUTS_MAX)
        return wrong(r, n->dict.keys.at[OP_INPUTS_MAX], "more than %d inputs", OP_INPUTS_MAX);
    op->input = NEWN(r->arena, OpInput, (size_t)n->dict.keys.n);
    r->keep = NEWN(r->arena, const Node *, (size_t)n->dict.keys.n);
    for (int i = 0; i < n->dict.keys.n; i++)
        if (!read_input(r, n->dict.keys.at[i], n->dict.values.at[i])) return false;
    for (int i = 0; i < op->inputs; i++)
        if (r->keep[i] && !check_keep(r, r->keep[i], &op->input[i])) return false;
    const OpInput *first = &op->input[0];
    op->row_dim = first->dim[first->rank - 1];
    if (op->row_dim < 0 || op->dim[op->row_dim].of >= 0)
        return wrong(
            r, n->dict.values.at[0],
            "the last dimension of the first input is the row length: give it a name, such as \"N\"");
    op->rows_dim = dim_index(op, STR("M"));
    if (op->rows_dim == op->row_dim)
        return wrong(r, n->dict.values.at[0],
                     "\"M\" counts rows: give the last dimension of \"%s\" another name",
                     str_cdup(r->arena, first->name));
    return true;
}

// ---- outputs ----

static bool read_init(Reader *r, const Node *n, OpOutput *out) {
    Op *op = r->op;
    Str input;
    if (!literal_text(r->diags, n, "init", &input)) return false;
    int at = input_index(op, input);
    if (at < 0) return wrong(r, n, "\"init\" must name an input");
    if (op_output_in(op, at) >= 0)
        return wrong(r, n, "\"%.*s\" is changed in place by another output already", STR_ARG(input));
    out->init = at;
    return true;
}

static bool read_output(Reader *r, const Node *key, const Node *dict) {
    Op *op = r->op;
    Str name = key->string.text;
    if (op->outputs == OP_OUTPUTS_MAX) return wrong(r, key, "more than %d outputs", OP_OUTPUTS_MAX);
    if (!literal_is_word(name))
        return wrong(r, key, "an output's name is an identifier of at most %d characters", WORD_MAX);
    if (!literal_dict(r->diags, dict, "an output", "{\"init\": \"x\"}, or {}")) return false;
    OpOutput *o = &op->output[op->outputs++];
    *o = (OpOutput){.name = name, .init = -1};
    for (int i = 0; i < dict->dict.keys.n; i++) {
        if (!str_is(dict->dict.keys.at[i]->string.text, "init"))
            return wrong(r, dict->dict.keys.at[i],
                         "an output has one key: init, the input that is changed in place; its shape and "
                         "dtype are those of what reference returns");
        if (!read_init(r, dict->dict.values.at[i], o)) return false;
    }
    int named = input_index(op, name);
    if (named >= 0 && named != o->init)
        return wrong(r, key, "\"%.*s\" is an input: give this output another name", STR_ARG(name));
    return true;
}

static bool read_outputs(Reader *r) {
    Op *op = r->op;
    const Node *n = r->outputs;
    if (!n) {
        op->output[op->outputs++] = (OpOutput){.init = -1};
        return true;
    }
    if (!literal_dict(r->diags, n, "outputs", "outputs = {\"y\": {}, \"mean\": {}}")) return false;
    if (!n->dict.keys.n) return wrong(r, n, "outputs is empty: name what reference returns");
    for (int i = 0; i < n->dict.keys.n; i++)
        if (!read_output(r, n->dict.keys.at[i], n->dict.values.at[i])) return false;
    return true;
}

// ---- dims ----

static bool read_dim_limits(Reader *r, const Node *key, const Node *dict) {
    int at = dim_index(r->op, key->string.text);
    if (at < 0) return wrong(r, key, "no input has this dimension");
    OpDim *d = &r->op->dim[at];
    if (d->of >= 0) return wrong(r, key, "this size follows from another; limit that one");
    if (!literal_dict(r->diags, dict, "a dimension", "{\"multiple_of\": 2, \"min\": 2}")) return false;
    for (int i = 0; i < dict->dict.keys.n; i++) {
        Str name = dict->dict.keys.at[i]->string.text;
        int64_t *field = str_is(name, "multiple_of") ? &d->multiple_of
                         : str_is(name, "min")       ? &d->min
                         : str_is(name, "max")       ? &d->max
                         : str_is(name, "usual")     ? &d->usual
                                                     : NULL;
        if (!field)
            return wrong(r, dict->dict.keys.at[i],
                         "the keys of a dimension are multiple_of, min, max and usual");
        int64_t most = field == &d->usual ? USUAL_MAX : OP_SIZE_MAX;
        if (!literal_count(r->diags, dict->dict.values.at[i], str_cdup(r->arena, name), 1, most, field))
            return false;
    }
    if (d->max / d->multiple_of * d->multiple_of < d->min)
        return wrong(r, dict, "no size satisfies these limits: no multiple of %lld between %lld and %lld",
                     (long long)d->multiple_of, (long long)d->min, (long long)d->max);
    if (d->usual && (d->usual < d->min || d->usual > d->max || d->usual % d->multiple_of))
        return wrong(r, dict, "the usual size is outside the limits beside it");
    return true;
}

// A size that is divided must divide.
static bool check_quotients(Reader *r) {
    const Op *op = r->op;
    for (int i = 0; i < op->dims; i++) {
        const OpDim *d = &op->dim[i];
        if (d->of >= 0 && op->dim[d->of].multiple_of % d->divisor)
            return wrong(r, r->dims ? r->dims : r->inputs,
                         "\"%.*s\" needs dims = {\"%.*s\": {\"multiple_of\": %d}}", STR_ARG(d->name),
                         STR_ARG(op->dim[d->of].name), d->divisor);
    }
    return true;
}

static bool read_dims(Reader *r) {
    if (!r->dims) return true;
    if (!literal_dict(r->diags, r->dims, "dims", "dims = {\"N\": {\"multiple_of\": 2}}")) return false;
    for (int i = 0; i < r->dims->dict.keys.n; i++)
        if (!read_dim_limits(r, r->dims->dict.keys.at[i], r->dims->dict.values.at[i])) return false;
    return true;
}

// ---- the domain ----

static bool read_layout(Reader *r) {
    Str text;
    LayoutAsked layout;
    if (!r->layout) return true;
    if (!literal_text(r->diags, r->layout, "layout", &text)) return false;
    if (!layout_by_name(text, &layout))
        return wrong(r, r->layout, "layout must be \"any\" or \"contiguous\"");
    r->op->domain.contiguous = layout == LAYOUT_CONTIGUOUS;
    return true;
}

// One input of the published domain: its own keys, else those declared.
static bool narrow_input(Reader *r, const Node *key, const Node *dict) {
    int at = input_index(r->op, key->string.text);
    if (at < 0) return wrong(r, key, "published must name inputs");
    if (!literal_dict(r->diags, dict, "an input of published", "{\"scale\": (1e-2, 8)}")) return false;
    const OpInput *was = &r->op->input[at];
    OpInput *in = &r->op->published[at];
    for (int i = 0; i < dict->dict.keys.n; i++) {
        const Node *name = dict->dict.keys.at[i], *value = dict->dict.values.at[i];
        int k = 0;
        while (k < KEYS && !str_is(name->string.text, input_key[k].name)) k++;
        bool values = k == KEY_SCALE || k == KEY_SHIFT || k == KEY_LARGE || k == KEY_RANGE ||
                      k == KEY_SIGNS || k == KEY_NEG_INF;
        if (!values)
            return wrong(r, name, "published changes values: scale, shift, large, range, signs and neg_inf");
        bool bounded = k == KEY_RANGE || k == KEY_SIGNS;
        if (was->range_dim >= 0 || bounded != (was->ranged || !input_is_float(was)))
            return wrong(r, name, "\"%s\" of published needs an input that is declared %s", input_key[k].name,
                         bounded ? "with a range of numbers" : "without a range");
        if (!input_key[k].read(r, value, in)) return false;
    }
    if (in->range_dim < 0 && op_input_within(in, was)) return true;
    return wrong(r, dict, "the published domain must lie within the declared one");
}

static bool read_published(Reader *r) {
    const Node *n = r->published;
    if (!n) return true;
    if (!literal_dict(r->diags, n, "published", "published = {\"x\": {\"scale\": (1e-2, 8)}}")) return false;
    if (!n->dict.keys.n) return wrong(r, n, "published is empty: leave it out");
    r->op->published = NEWN(r->arena, OpInput, (size_t)r->op->inputs);
    memcpy(r->op->published, r->op->input, sizeof *r->op->input * (size_t)r->op->inputs);
    for (int i = 0; i < n->dict.keys.n; i++)
        if (!narrow_input(r, n->dict.keys.at[i], n->dict.values.at[i])) return false;
    r->op->has_published = true;
    return true;
}

// ---- roundings ----

static const Node *function_named(const Op *op, Str name) {
    const Nodes *body = &op->module->module.body;
    for (int i = 0; i < body->n; i++)
        if (body->at[i]->kind == NODE_FUNCTION && str_eq(body->at[i]->function.name, name))
            return body->at[i];
    return NULL;
}

static bool takes_the_inputs(const Op *op, const Node *f) {
    bool same = f->function.params.n == op->inputs;
    for (int i = 0; same && i < op->inputs; i++) {
        const Node *p = f->function.params.at[i];
        same = p->param.kind == PARAM_PLAIN && !p->param.def && str_eq(p->param.name, op->input[i].name);
    }
    return same;
}

static bool read_rounding(Reader *r, const Node *key, const Node *value) {
    Op *op = r->op;
    const Node *f = value->kind == NODE_NAME ? function_named(op, value->name) : NULL;
    if (op->roundings == OP_ROUNDINGS_MAX) return wrong(r, key, "more than %d roundings", OP_ROUNDINGS_MAX);
    if (!literal_is_word(key->string.text))
        return wrong(r, key, "a rounding's name is an identifier of at most %d characters", WORD_MAX);
    if (!f || f == op->reference || f->span.at > value->span.at)
        return wrong(r, value,
                     "a rounding is another function of this file, defined above: {\"gate\": rounded_gate}");
    if (!takes_the_inputs(op, f))
        return wrong(r, f, "a rounding takes the inputs in their order, as reference does");
    op->rounding[op->roundings++] = (OpRounding){key->string.text, f->function.name};
    return true;
}

static bool read_roundings(Reader *r) {
    const Node *n = r->roundings;
    if (!n) return true;
    if (!literal_dict(r->diags, n, "roundings", "roundings = {\"gate\": rounded_gate}")) return false;
    for (int i = 0; i < n->dict.keys.n; i++)
        if (!read_rounding(r, n->dict.keys.at[i], n->dict.values.at[i])) return false;
    return true;
}

// ---- invariant ----

static bool read_degree(Reader *r, const Node *n, int *out) {
    enum { DEGREE_MAX = 8 };
    double x;
    bool is_int;
    if (!literal_number(r->diags, n, "the power of a scale", &x, &is_int)) return false;
    if (!is_int || fabs(x) > DEGREE_MAX)
        return wrong(r, n, "the power of a scale is an integer from %d to %d", -DEGREE_MAX, DEGREE_MAX);
    *out = (int)x;
    return true;
}

static bool read_move(Reader *r, const Node *key, const Node *n) {
    Op *op = r->op;
    int input = input_index(op, key->string.text);
    if (input < 0) return wrong(r, key, "invariant must name inputs");
    OpInvariant *v = &op->invariant[op->invariants++]; // keys are distinct
    *v = (OpInvariant){.input = input};
    bool pair = (n->kind == NODE_TUPLE || n->kind == NODE_LIST) && n->items.n == 2;
    const Node *word = pair ? n->items.at[0] : n;
    bool text = word->kind == NODE_STRING && !word->string.bytes;
    v->shift = text && !pair && str_is(word->string.text, "shift");
    if (!v->shift && !(text && str_is(word->string.text, "scale")))
        return wrong(r, n, "an invariance is \"shift\", \"scale\" or (\"scale\", 2)");
    if (pair && !read_degree(r, n->items.at[1], &v->degree)) return false;
    const OpInput *in = &op->input[input];
    if (!input_is_float(in)) return wrong(r, key, "only a float input can be shifted or scaled");
    if (v->shift && in->ranged)
        return wrong(r, key, "an input with a range cannot be shifted: its values would leave it");
    return true;
}

static bool read_invariant(Reader *r) {
    const Node *n = r->invariant;
    if (!n) return true;
    if (!literal_dict(r->diags, n, "invariant", "invariant = {\"x\": \"shift\"}")) return false;
    r->op->invariant = NEWN(r->arena, OpInvariant, (size_t)n->dict.keys.n + 1);
    for (int i = 0; i < n->dict.keys.n; i++)
        if (!read_move(r, n->dict.keys.at[i], n->dict.values.at[i])) return false;
    return true;
}

// ---- the file ----

// One line: what stands before the first blank line, runs of space as one, control characters dropped.
static Str first_paragraph(Arena *a, Str s) {
    Buf b = BUF(a);
    bool gap = false;
    int newlines = 0;
    for (size_t i = 0; i < s.len && b.len < SENTENCE_MAX; i++) {
        if (char_is_space(s.p[i])) {
            newlines += s.p[i] == '\n';
            if (newlines > 1 && b.len) break;
            gap = b.len > 0;
            continue;
        }
        newlines = 0;
        if ((unsigned char)s.p[i] < 0x20 || s.p[i] == 0x7f) continue;
        if (gap) buf_putc(&b, ' ');
        gap = false;
        buf_putc(&b, s.p[i]);
    }
    while (b.len && !utf8_valid(buf_str(&b))) b.len--; // the limit may have cut a character
    return buf_str(&b);
}

static bool read_docstring(Reader *r) {
    const Nodes *body = &r->op->module->module.body;
    const Node *first = body->n ? body->at[0] : NULL;
    bool text = first && first->kind == NODE_EXPRSTMT && first->value->kind == NODE_STRING &&
                !first->value->string.bytes;
    if (text) r->op->notes = first_paragraph(r->arena, first->value->string.text);
    if (r->op->notes.len) return true;
    Span start = {0, first ? first->span.len : 0};
    return diag_add(
        r->diags, DIAG_REFUSED, start,
        "a definition starts with a docstring: one plain sentence that says what the op computes");
}

static bool is_constant(const Node *n) {
    if (n->kind == NODE_UNARY && n->unary.op == OPER_NEG) n = n->unary.operand;
    return n->kind == NODE_INT || n->kind == NODE_FLOAT || n->kind == NODE_TRUE || n->kind == NODE_FALSE;
}

static bool read_assignment(Reader *r, const Node *s) {
    const Node *target = s->assign.targets.at[0];
    if (s->assign.targets.n != 1 || target->kind != NODE_NAME)
        return wrong(r, s, "a definition holds plain assignments only: NAME = value");
    const Node **slot = node_is_name(target, "inputs")       ? &r->inputs
                        : node_is_name(target, "outputs")    ? &r->outputs
                        : node_is_name(target, "dims")       ? &r->dims
                        : node_is_name(target, "allow_tf32") ? &r->tf32
                        : node_is_name(target, "giant")      ? &r->large
                        : node_is_name(target, "invariant")  ? &r->invariant
                        : node_is_name(target, "layout")     ? &r->layout
                        : node_is_name(target, "published")  ? &r->published
                        : node_is_name(target, "roundings")  ? &r->roundings
                                                             : NULL;
    if (slot && *slot) return wrong(r, s, "%.*s is assigned twice; keep one", STR_ARG(target->name));
    if (slot) {
        *slot = s->assign.value;
        return true;
    }
    if (node_is_name(target, "reference"))
        return wrong(r, s, "reference must be a function: def reference(...):");
    if (!is_constant(s->assign.value))
        return wrong(r, s->assign.value,
                     "beside inputs, outputs, dims and invariant only numbers may be assigned here");
    return true;
}

static bool read_import(Reader *r, const Node *s) {
    Str name = s->import.from      ? s->import.module
               : s->import.names.n ? s->import.names.at[0]->alias.name
                                   : (Str){0};
    bool one = s->import.from || s->import.names.n == 1;
    if (one && !s->import.dots &&
        (str_is(name, "torch") || str_starts(name, "torch.") || str_is(name, "math")))
        return true;
    return wrong(r, s, "a definition imports only torch and math");
}

static bool read_statement(Reader *r, const Node *s) {
    switch (s->kind) {
    case NODE_ASSIGN: return read_assignment(r, s);
    case NODE_IMPORT: return read_import(r, s);
    case NODE_PASS: return true;
    case NODE_EXPRSTMT:
        if (s->value->kind == NODE_STRING) return true;
        break;
    case NODE_FUNCTION:
        if (s->function.decorators.n || s->function.async)
            return wrong(r, s, "functions of a definition are plain: no decorators, not async");
        if (!str_is(s->function.name, "reference")) return true;
        if (r->op->reference) return wrong(r, s, "reference is defined twice; keep one");
        r->op->reference = s;
        return true;
    default: break;
    }
    return wrong(r, s,
                 "a definition holds a docstring, inputs, outputs, dims, layout, published, roundings, "
                 "invariant, allow_tf32, giant, constants and functions; nothing else runs in it");
}

static bool check_reference(Reader *r) {
    const Op *op = r->op;
    const Node *f = op->reference;
    Buf want = BUF(r->arena);
    for (int i = 0; i < op->inputs; i++)
        buf_printf(&want, "%s%.*s", i ? ", " : "", STR_ARG(op->input[i].name));
    if (takes_the_inputs(op, f)) return true;
    return wrong(r, f, "reference takes the inputs in their order and nothing else: def reference(%s):",
                 buf_cstr(&want));
}

bool op_define(Arena *a, Str name, Str source, bool user, Op *out, DiagList *d) {
    *out = (Op){.name = name, .source = source, .user = user, .rows_dim = -1, .row_dim = -1};
    Reader r = {.arena = a, .diags = d, .op = out};
    Span all = {0, 0};
    if (source.len > OP_SOURCE_MAX)
        return diag_add(d, DIAG_REFUSED, all, "a definition has at most %d bytes", OP_SOURCE_MAX);
    out->module = parse_module(a, source, d);
    if (!out->module) return false;
    out->hash = sha256_of(source);
    if (!read_docstring(&r)) return false;
    const Nodes *body = &out->module->module.body;
    for (int i = 0; i < body->n; i++)
        if (!read_statement(&r, body->at[i])) return false;
    if (!r.inputs)
        return diag_add(
            d, DIAG_REFUSED, all,
            "no inputs: add inputs = {\"x\": {\"shape\": (\"M\", \"N\")}} and say each input's domain");
    if (!out->reference)
        return diag_add(d, DIAG_REFUSED, all, "no reference: add def reference(...) that returns one tensor");
    if (r.tf32 && !literal_flag(d, r.tf32, "allow_tf32", &out->allow_tf32)) return false;
    if (r.large && !literal_flag(d, r.large, "giant", &out->large)) return false;
    return read_inputs(&r) && read_outputs(&r) && read_dims(&r) && read_layout(&r) && read_published(&r) &&
           read_invariant(&r) && check_quotients(&r) && check_reference(&r) && read_roundings(&r) &&
           (out->core = op_core(out), true);
}
