// define_inputs.c - the inputs of a definition: shapes, dtypes and values, and the narrower values that are
// published beside them.
#include "op/definition.h"
#include "op/suite.h"

static const double float16_max = 65504;

int definition_input(const Op *op, Str name) {
    for (int i = 0; i < op->inputs; i++)
        if (str_eq(op->input[i].name, name)) return i;
    return -1;
}

int definition_dim(const Op *op, Str name) {
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
    out->of = definition_dim(r->op, (Str){name.p, head});
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
    in->dim[at] = definition_dim(op, name);
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

bool definition_is_float(const OpInput *in) { return in->any_float || dtype_is_float(in->dtype); }

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
        in->range_dim = definition_dim(r->op, ends[1]->string.text);
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
    double least = definition_is_float(in) ? -input_limit(in) : integer_min(in->dtype);
    if (in->range_lo < least || in->range_hi > input_limit(in))
        return wrong(r, n, "range goes beyond the input's dtype, which holds %g to %g", least,
                     input_limit(in));
    if (!definition_is_float(in) && !(lo_int && hi_int))
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
    bool bounded = in->ranged || !definition_is_float(in);
    for (size_t i = 0; i < sizeof ordinary / sizeof *ordinary; i++) {
        const Node *n = found[ordinary[i]];
        if (n && bounded)
            return wrong(r, n,
                         "\"%s\" says nothing about an input with a range or of integers; drop one of them",
                         input_key[ordinary[i]].name);
    }
    if (!definition_is_float(in) && !in->ranged)
        return wrong(r, dict,
                     "an integer input says which values it takes: \"range\": (0, \"N\") or (-128, 127)");
    if (in->neg_inf && (!definition_is_float(in) || in->ranged))
        return wrong(r, found[KEY_NEG_INF], "only a float input without a range can hold -inf");
    if (found[KEY_SIGNS] && !(in->ranged && definition_is_float(in) && in->range_lo > 0))
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
    in->keep = definition_input(r->op, n->string.text);
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

bool definition_inputs(Reader *r) {
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
    op->rows_dim = definition_dim(op, STR("M"));
    if (op->rows_dim == op->row_dim)
        return wrong(r, n->dict.values.at[0],
                     "\"M\" counts rows: give the last dimension of \"%s\" another name",
                     str_cdup(r->arena, first->name));
    return true;
}

// ---- the published domain ----

// One input of it: its own keys, else those declared.
static bool narrow_input(Reader *r, const Node *key, const Node *dict) {
    int at = definition_input(r->op, key->string.text);
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
        if (was->range_dim >= 0 || bounded != (was->ranged || !definition_is_float(was)))
            return wrong(r, name, "\"%s\" of published needs an input that is declared %s", input_key[k].name,
                         bounded ? "with a range of numbers" : "without a range");
        if (!input_key[k].read(r, value, in)) return false;
    }
    if (in->range_dim < 0 && op_input_within(in, was)) return true;
    return wrong(r, dict, "the published domain must lie within the declared one");
}

bool definition_published(Reader *r) {
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
