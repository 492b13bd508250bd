#include "base/fmath.h"
#include "host/api.h"

// Python's own functions and math. Arguments arrive bound to the signatures of api.def.

static bool wrong_type(Call *c, Value v, const char *want) {
    return host_raise(c->in, c->at, "TypeError: %.*s() expects %s, not '%s'", STR_ARG(c->name), want,
                      value_type(v));
}

bool api_len(Call *c, Value *out) {
    Value v = c->arg[0];
    switch (v.kind) {
    case V_TUPLE:
    case V_LIST: *out = value_int(v.seq->n); return true;
    case V_DICT: *out = value_int(v.dict->n); return true;
    case V_RANGE: *out = value_int(v.range->n); return true;
    case V_STR: {
        int64_t n = 0;
        if (!host_work(c->in, c->at, (int64_t)v.s.len / 16)) return false;
        for (size_t i = 0; i < v.s.len; i++) n += (v.s.p[i] & 0xc0) != 0x80;
        *out = value_int(n);
        return true;
    }
    case V_TENSOR:
    case V_BOUND:
        if (value_rank(v) == 0) return host_raise(c->in, c->at, "TypeError: len() of a 0-d tensor");
        *out = value_int(value_shape(v)[0]);
        return true;
    default: return host_raise(c->in, c->at, "TypeError: object of type '%s' has no len()", value_type(v));
    }
}

bool api_range(Call *c, Value *out) {
    int64_t x[3] = {0, 0, 1};
    if (c->rests < 1 || c->rests > 3)
        return host_raise(c->in, c->at, "TypeError: range expected 1 to 3 arguments, got %d", c->rests);
    for (int i = 0; i < c->rests; i++)
        if (!value_as_int(c->rest[i], &x[c->rests == 1 ? 1 : i]))
            return host_raise(c->in, c->at, "TypeError: '%s' object cannot be interpreted as an integer",
                              value_type(c->rest[i]));
    if (x[2] == 0) return host_raise(c->in, c->at, "ValueError: range() arg 3 must not be zero");
    // Differences of 64-bit numbers need 65 bits; lengths beyond 63 are no range that can be walked.
    uint64_t away = 0, stride = x[2] > 0 ? (uint64_t)x[2] : 0 - (uint64_t)x[2];
    if (x[2] > 0 && x[1] > x[0]) away = (uint64_t)x[1] - (uint64_t)x[0];
    if (x[2] < 0 && x[1] < x[0]) away = (uint64_t)x[0] - (uint64_t)x[1];
    uint64_t n = away ? (away - 1) / stride + 1 : 0;
    if (n > INT64_MAX) return host_raise(c->in, c->at, "OverflowError: range is too long");
    Range *r = HOST_NEW(c->in, c->at, Range, 1);
    if (!r) return false;
    *r = (Range){x[0], x[2], (int64_t)n};
    *out = (Value){.kind = V_RANGE, .range = r};
    return true;
}

static bool best_of(Call *c, Oper better, Value *out) {
    Value over = {0}, v;
    Iter it;
    Seq several = {.at = c->rest, .n = c->rests};
    if (c->arg[2].kind != V_NONE) return host_refuse(c->in, c->at, "key= is not part of the host vocabulary");
    if (c->rests == 0)
        return host_raise(c->in, c->at, "TypeError: %.*s expected at least 1 argument, got 0",
                          STR_ARG(c->name));
    if (c->rests == 1)
        over = c->rest[0];
    else
        over = (Value){.kind = V_TUPLE, .seq = &several};
    if (!iter_start(c->in, c->at, over, &it)) return false;
    if (!iter_next(&it, out)) {
        *out = c->arg[1];
        return c->arg[1].kind != V_NONE ||
               host_raise(c->in, c->at, "ValueError: %.*s() iterable argument is empty", STR_ARG(c->name));
    }
    if (value_is_tensor(*out))
        return host_refuse(c->in, c->at, "%.*s() of tensors looks at their values", STR_ARG(c->name));
    while (iter_next(&it, &v)) {
        bool wins;
        if (!host_work(c->in, c->at, 4) || !compare_values(c->in, c->at, better, v, *out, &wins))
            return false;
        if (wins) *out = v;
    }
    return true;
}
bool api_min(Call *c, Value *out) { return best_of(c, OPER_LT, out); }
bool api_max(Call *c, Value *out) { return best_of(c, OPER_GT, out); }

bool api_sum(Call *c, Value *out) {
    Iter it;
    *out = c->arg[1];
    if (!iter_start(c->in, c->at, c->arg[0], &it)) return false;
    for (Value v; iter_next(&it, &v);)
        if (!host_work(c->in, c->at, 4) || !binary_values(c->in, c->at, OPER_ADD, *out, v, out)) return false;
    return true;
}

bool api_math_prod(Call *c, Value *out) {
    Iter it;
    *out = value_int(1);
    if (!iter_start(c->in, c->at, c->arg[0], &it)) return false;
    for (Value v; iter_next(&it, &v);)
        if (!host_work(c->in, c->at, 4) || !binary_values(c->in, c->at, OPER_MUL, *out, v, out)) return false;
    return true;
}

bool api_abs(Call *c, Value *out) {
    Value v = c->arg[0];
    int64_t i;
    if (v.kind == V_FLOAT) return *out = value_float(fabs(v.f)), true;
    if (v.kind == V_BOUND) return bound_do(c->in, c->at, BOUND_ABS, &v, 1, NULL, 0, 0, out);
    if (v.kind == V_TENSOR)
        return host_refuse(c->in, c->at, "host code may not compute on tensors (abs); do it in a kernel");
    if (!value_as_int(v, &i)) return wrong_type(c, v, "a number");
    if (i == INT64_MIN) return host_raise(c->in, c->at, "OverflowError: integer does not fit 64 bits");
    *out = value_int(i < 0 ? -i : i);
    return true;
}

static bool int_of_float(Call *c, double x, Value *out) {
    if (isnan(x)) return host_raise(c->in, c->at, "ValueError: cannot convert float NaN to integer");
    if (isinf(x)) return host_raise(c->in, c->at, "OverflowError: cannot convert float infinity to integer");
    if (!(x >= -0x1p63 && x < 0x1p63))
        return host_raise(c->in, c->at, "OverflowError: integer does not fit 64 bits");
    *out = value_int((int64_t)x);
    return true;
}

bool api_int(Call *c, Value *out) {
    int64_t i;
    Value v = c->arg[0];
    if (value_is_tensor(v)) return host_refuse(c->in, c->at, "int() of a tensor looks at its values");
    if (v.kind == V_FLOAT) return int_of_float(c, trunc(v.f), out);
    if (!value_as_int(v, &i)) return wrong_type(c, v, "a number");
    *out = value_int(i);
    return true;
}

bool api_float(Call *c, Value *out) {
    double x;
    Value v = c->arg[0];
    if (value_is_tensor(v)) return host_refuse(c->in, c->at, "float() of a tensor looks at its values");
    if (v.kind == V_STR) {
        Str s = v.s;
        bool minus = s.len && s.p[0] == '-';
        if (s.len && (s.p[0] == '-' || s.p[0] == '+')) s = (Str){s.p + 1, s.len - 1};
        if (str_is(s, "inf") || str_is(s, "infinity") || str_is(s, "Infinity"))
            return *out = value_float(minus ? -INFINITY : INFINITY), true;
        if (str_is(s, "nan")) return *out = value_float(NAN), true;
        return host_raise(c->in, c->at,
                          "ValueError: could not convert string to float here: only inf and nan");
    }
    if (!value_as_number(v, &x)) return wrong_type(c, v, "a number");
    *out = value_float(x);
    return true;
}

bool api_bool(Call *c, Value *out) {
    bool b;
    if (!value_truth(c->in, c->at, c->arg[0], &b)) return false;
    *out = value_bool(b);
    return true;
}

bool api_str(Call *c, Value *out) {
    Buf text = BUF(c->in->arena);
    if (c->arg[0].kind == V_STR) return *out = c->arg[0], true;
    value_text(&text, c->arg[0]);
    if (text.len > c->in->heap_left) return host_new(c->in, c->at, INT64_MAX, 1) != NULL;
    c->in->heap_left -= text.len;
    *out = value_str(buf_str(&text));
    return true;
}

bool api_round(Call *c, Value *out) {
    int64_t i;
    if (c->arg[0].kind == V_FLOAT) return int_of_float(c, rint(c->arg[0].f), out);
    if (!value_as_int(c->arg[0], &i)) return wrong_type(c, c->arg[0], "a number");
    *out = value_int(i);
    return true;
}

bool api_divmod(Call *c, Value *out) {
    Value q, r;
    if (!binary_values(c->in, c->at, OPER_FLOORDIV, c->arg[0], c->arg[1], &q) ||
        !binary_values(c->in, c->at, OPER_MOD, c->arg[0], c->arg[1], &r) ||
        !seq_new(c->in, c->at, V_TUPLE, 2, out))
        return false;
    out->seq->at[0] = q;
    out->seq->at[1] = r;
    return true;
}

bool api_pow(Call *c, Value *out) { return binary_values(c->in, c->at, OPER_POW, c->arg[0], c->arg[1], out); }

static bool collect(Call *c, Value from, ValueKind kind, Value *out) {
    Iter it;
    if (!iter_start(c->in, c->at, from, &it) || !seq_new(c->in, c->at, kind, 0, out)) return false;
    for (Value v; iter_next(&it, &v);)
        if (!seq_push(c->in, c->at, out->seq, v)) return false;
    return true;
}
bool api_tuple(Call *c, Value *out) { return collect(c, c->arg[0], V_TUPLE, out); }
bool api_list(Call *c, Value *out) { return collect(c, c->arg[0], V_LIST, out); }
bool api_dict(Call *c, Value *out) { return *out = c->arg[0], true; }

bool api_size_type(Call *c, Value *out) {
    if (!collect(c, c->arg[0], V_TUPLE, out)) return false;
    for (int i = 0; i < out->seq->n; i++)
        if (out->seq->at[i].kind != V_INT) return wrong_type(c, out->seq->at[i], "integers");
    out->seq->flavour = SEQ_SIZE;
    return true;
}

static bool pair_new(Call *c, Value a, Value b, Value *out) {
    if (!seq_new(c->in, c->at, V_TUPLE, 2, out)) return false;
    out->seq->at[0] = a;
    out->seq->at[1] = b;
    return true;
}

bool api_enumerate(Call *c, Value *out) {
    Iter it;
    int64_t n;
    if (!value_as_int(c->arg[1], &n)) return wrong_type(c, c->arg[1], "an integer");
    if (!iter_start(c->in, c->at, c->arg[0], &it) || !seq_new(c->in, c->at, V_LIST, 0, out)) return false;
    for (Value v, pair; iter_next(&it, &v);) {
        if (!pair_new(c, value_int(n), v, &pair) || !seq_push(c->in, c->at, out->seq, pair)) return false;
        if (__builtin_add_overflow(n, 1, &n))
            return host_raise(c->in, c->at, "OverflowError: integer does not fit 64 bits");
    }
    return true;
}

bool api_zip(Call *c, Value *out) {
    if (!seq_new(c->in, c->at, V_LIST, 0, out) || c->rests == 0) return c->rests == 0;
    Iter *it = HOST_NEW(c->in, c->at, Iter, c->rests);
    if (!it) return false;
    for (int i = 0; i < c->rests; i++)
        if (!iter_start(c->in, c->at, c->rest[i], &it[i])) return false;
    for (;;) {
        Value row;
        if (!seq_new(c->in, c->at, V_TUPLE, c->rests, &row)) return false;
        for (int i = 0; i < c->rests; i++)
            if (!iter_next(&it[i], &row.seq->at[i])) return true;
        if (!seq_push(c->in, c->at, out->seq, row)) return false;
    }
}

bool api_reversed(Call *c, Value *out) {
    if (!collect(c, c->arg[0], V_LIST, out)) return false;
    Seq *s = out->seq;
    for (int i = 0; i < s->n / 2; i++) {
        Value v = s->at[i];
        s->at[i] = s->at[s->n - 1 - i];
        s->at[s->n - 1 - i] = v;
    }
    return true;
}

// Insertion by halving: stable, and every comparison and move is paid for.
bool api_sorted(Call *c, Value *out) {
    bool down;
    if (!value_truth(c->in, c->at, c->arg[1], &down) || !collect(c, c->arg[0], V_LIST, out)) return false;
    Value *at = out->seq->at;
    for (int i = 1; i < out->seq->n; i++) {
        Value v = at[i];
        int lo = 0, hi = i;
        while (lo < hi) {
            int mid = lo + (hi - lo) / 2;
            bool before;
            if (!compare_values(c->in, c->at, down ? OPER_GT : OPER_LT, v, at[mid], &before)) return false;
            if (before)
                hi = mid;
            else
                lo = mid + 1;
        }
        if (!host_work(c->in, c->at, i - lo)) return false;
        memmove(at + lo + 1, at + lo, (size_t)(i - lo) * sizeof *at);
        at[lo] = v;
    }
    return true;
}

static bool some(Call *c, bool wanted, Value *out) {
    Iter it;
    *out = value_bool(!wanted);
    if (!iter_start(c->in, c->at, c->arg[0], &it)) return false;
    for (Value v; iter_next(&it, &v);) {
        bool b;
        if (!host_work(c->in, c->at, 4) || !value_truth(c->in, c->at, v, &b)) return false;
        if (b == wanted) return *out = value_bool(wanted), true;
    }
    return true;
}
bool api_any(Call *c, Value *out) { return some(c, true, out); }
bool api_all(Call *c, Value *out) { return some(c, false, out); }

static bool is_instance(Call *c, Value v, Value cls, bool *out) {
    *out = false;
    if (cls.kind == V_TUPLE) {
        if (++c->in->depth > DEPTH_MAX)
            return host_raise(c->in, c->at, "RecursionError: maximum recursion depth exceeded");
        for (int i = 0; i < cls.seq->n && !*out; i++)
            if (!host_work(c->in, c->at, 4) || !is_instance(c, v, cls.seq->at[i], out)) return false;
        c->in->depth--;
        return true;
    }
    if (cls.kind != V_API) goto wrong;
    Str name = cls.member->name;
    if (str_is(name, "int")) return *out = v.kind == V_INT || v.kind == V_BOOL, true;
    if (str_is(name, "bool")) return *out = v.kind == V_BOOL, true;
    if (str_is(name, "float")) return *out = v.kind == V_FLOAT, true;
    if (str_is(name, "str")) return *out = v.kind == V_STR, true;
    if (str_is(name, "tuple")) return *out = v.kind == V_TUPLE, true;
    if (str_is(name, "list")) return *out = v.kind == V_LIST, true;
    if (str_is(name, "dict")) return *out = v.kind == V_DICT, true;
    if (str_is(name, "torch.Size")) return *out = v.kind == V_TUPLE && v.seq->flavour == SEQ_SIZE, true;
    if (str_is(name, "torch.Tensor")) return *out = value_is_tensor(v), true;
wrong:
    return host_raise(c->in, c->at, "TypeError: isinstance() arg 2 must be a type or a tuple of types");
}

bool api_isinstance(Call *c, Value *out) {
    bool b;
    if (!is_instance(c, c->arg[0], c->arg[1], &b)) return false;
    *out = value_bool(b);
    return true;
}

// --- lists and dictionaries ---

bool api_list_append(Call *c, Value *out) {
    *out = NONE_VALUE;
    return seq_push(c->in, c->at, c->arg[0].seq, c->arg[1]);
}

bool api_list_extend(Call *c, Value *out) {
    Value items; // a copy first: a list may be extended by itself
    *out = NONE_VALUE;
    if (!collect(c, c->arg[1], V_LIST, &items)) return false;
    for (int i = 0; i < items.seq->n; i++)
        if (!seq_push(c->in, c->at, c->arg[0].seq, items.seq->at[i])) return false;
    return true;
}

bool api_list_pop(Call *c, Value *out) {
    Seq *s = c->arg[0].seq;
    int64_t i;
    if (!value_as_int(c->arg[1], &i)) return wrong_type(c, c->arg[1], "an integer");
    if (!s->n) return host_raise(c->in, c->at, "IndexError: pop from empty list");
    if (i < 0) i = i < -s->n ? -1 : i + s->n;
    if (i < 0 || i >= s->n) return host_raise(c->in, c->at, "IndexError: pop index out of range");
    if (!host_work(c->in, c->at, s->n / 4) || !not_frozen(c->in, c->at, s->frozen)) return false;
    *out = s->at[i];
    memmove(s->at + i, s->at + i + 1, (size_t)(s->n - i - 1) * sizeof *s->at);
    s->n--;
    return true;
}

bool api_list_insert(Call *c, Value *out) {
    Seq *s = c->arg[0].seq;
    int64_t i;
    *out = NONE_VALUE;
    if (!value_as_int(c->arg[1], &i)) return wrong_type(c, c->arg[1], "an integer");
    if (i < 0) i = i < -s->n ? 0 : i + s->n;
    if (i > s->n) i = s->n;
    if (!host_work(c->in, c->at, s->n / 4) || !seq_push(c->in, c->at, s, c->arg[2])) return false;
    memmove(s->at + i + 1, s->at + i, (size_t)(s->n - 1 - i) * sizeof *s->at);
    s->at[i] = c->arg[2];
    return true;
}

static bool dict_merge(Call *c, Dict *to, Value from) {
    if (from.kind != V_DICT) return wrong_type(c, from, "a dictionary");
    for (int i = 0, n = from.dict->n; i < n; i++)
        if (!dict_put(c->in, c->at, to, from.dict->key[i], from.dict->value[i])) return false;
    return true;
}

bool api_dict_update(Call *c, Value *out) {
    *out = NONE_VALUE;
    for (int i = 0; i < c->rests; i++)
        if (!dict_merge(c, c->arg[0].dict, c->rest[i])) return false;
    return dict_merge(c, c->arg[0].dict, c->arg[2]);
}

bool api_dict_default(Call *c, Value *out) {
    int i;
    if (!dict_find(c->in, c->at, c->arg[0].dict, c->arg[1], &i)) return false;
    *out = i >= 0 ? c->arg[0].dict->value[i] : c->arg[2];
    return i >= 0 || dict_put(c->in, c->at, c->arg[0].dict, c->arg[1], c->arg[2]);
}

bool api_str_case(Call *c, Value *out) {
    Str s = c->arg[0].s;
    bool lower = str_is(c->name, "lower");
    char *p = host_new(c->in, c->at, (int64_t)s.len + 1, 1);
    if (!p || !host_work(c->in, c->at, (int64_t)s.len / 16)) return false;
    for (size_t i = 0; i < s.len; i++) {
        if (s.p[i] & 0x80)
            return host_unsupported(c->in, c->at, "letters beyond ASCII have no other case here");
        bool letter = lower ? s.p[i] >= 'A' && s.p[i] <= 'Z' : s.p[i] >= 'a' && s.p[i] <= 'z';
        p[i] = letter ? s.p[i] ^ 0x20 : s.p[i];
    }
    *out = value_str((Str){p, s.len});
    return true;
}

bool api_str_ends(Call *c, Value *out) {
    Str s = c->arg[0].s, part = c->arg[1].s;
    if (c->arg[1].kind != V_STR) return wrong_type(c, c->arg[1], "a text");
    size_t at = str_is(c->name, "startswith") ? 0 : s.len - part.len;
    *out = value_bool(part.len <= s.len && (!part.len || memcmp(s.p + at, part.p, part.len) == 0));
    return host_work(c->in, c->at, (int64_t)part.len / 16);
}

bool api_str_join(Call *c, Value *out) {
    Buf text = BUF(c->in->arena);
    Iter it;
    if (!iter_start(c->in, c->at, c->arg[1], &it)) return false;
    int n = 0;
    for (Value v; iter_next(&it, &v); n++) {
        if (v.kind != V_STR) return wrong_type(c, v, "a text");
        size_t more = v.s.len + c->arg[0].s.len;
        if (text.len + more > STRING_MAX || more > c->in->heap_left)
            return host_raise(c->in, c->at, "MemoryError: a string of host code may take 1 MiB");
        c->in->heap_left -= more;
        if (!host_work(c->in, c->at, 1 + (int64_t)more / 16)) return false;
        if (n) buf_str_put(&text, c->arg[0].s);
        buf_str_put(&text, v.s);
    }
    *out = value_str(n ? buf_str(&text) : STR(""));
    return true;
}

bool api_dict_get(Call *c, Value *out) {
    int i;
    if (!dict_find(c->in, c->at, c->arg[0].dict, c->arg[1], &i)) return false;
    *out = i >= 0 ? c->arg[0].dict->value[i] : c->arg[2];
    return true;
}

static bool dict_list(Call *c, bool keys, bool values, Value *out) {
    const Dict *d = c->arg[0].dict;
    if (!seq_new(c->in, c->at, V_LIST, d->n, out)) return false;
    for (int i = 0; i < d->n; i++) {
        if (keys && values) {
            if (!pair_new(c, d->key[i], d->value[i], &out->seq->at[i])) return false;
        } else {
            out->seq->at[i] = keys ? d->key[i] : d->value[i];
        }
    }
    return true;
}
bool api_dict_keys(Call *c, Value *out) { return dict_list(c, true, false, out); }
bool api_dict_values(Call *c, Value *out) { return dict_list(c, false, true, out); }
bool api_dict_items(Call *c, Value *out) { return dict_list(c, true, true, out); }

bool api_raise(Call *c, Value *out) {
    Buf text = BUF(c->in->arena);
    *out = NONE_VALUE;
    if (c->rests) value_text(&text, c->rest[0]);
    return host_raise(c->in, c->at, "%.*s%s%s", STR_ARG(c->name), text.len ? ": " : "", buf_cstr(&text));
}

// --- math ---

bool api_math_pi(Call *c, Value *out) { return (void)c, *out = value_float(0x1.921fb54442d18p+1), true; }
bool api_math_e(Call *c, Value *out) { return (void)c, *out = value_float(0x1.5bf0a8b145769p+1), true; }
bool api_math_inf(Call *c, Value *out) { return (void)c, *out = value_float(INFINITY), true; }

static bool number_arg(Call *c, int i, double *x) {
    if (value_is_tensor(c->arg[i]))
        return host_refuse(c->in, c->at, "%.*s() of a tensor looks at its values", STR_ARG(c->name));
    if (value_as_number(c->arg[i], x)) return true;
    return host_raise(c->in, c->at, "TypeError: must be real number, not %s", value_type(c->arg[i]));
}

// Exact for powers of two: int(math.log2(n)) must not lose one.
static double log2_exact(double x) {
    int e;
    if (isfinite(x) && x > 0 && frexp(x, &e) == 0.5) return e - 1;
    return f64_log2(x);
}

// Exact for the powers of ten that a double holds exactly: programs take their floor.
static double log10_exact(double x) {
    double y = f64_log(x) / 0x1.26bb1bbb55516p+1, nearest = rint(y), power = 1;
    for (int i = 0; i < 22 && i < nearest; i++) power *= 10;
    return power == x ? nearest : y;
}

bool api_math_unary(Call *c, Value *out) {
    double x, y = 0;
    if (!number_arg(c, 0, &x)) return false;
    Str name = {c->name.p + 5, c->name.len - 5}; // without "math."
    bool log_like = str_is(name, "log2") || str_is(name, "log10");
    if ((log_like && x <= 0) || (str_is(name, "sqrt") && x < 0) || (str_is(name, "log1p") && x <= -1) ||
        ((str_is(name, "sin") || str_is(name, "cos")) && isinf(x)))
        return host_raise(c->in, c->at, "ValueError: math domain error");
    if (str_is(name, "sqrt")) y = sqrt(x);
    if (str_is(name, "exp")) y = f64_exp(x);
    if (str_is(name, "expm1")) y = f64_expm1(x);
    if (str_is(name, "log2")) y = log2_exact(x);
    if (str_is(name, "log10")) y = log10_exact(x);
    if (str_is(name, "log1p")) y = f64_log1p(x);
    if (str_is(name, "fabs")) y = fabs(x);
    if (str_is(name, "tanh")) y = f64_tanh(x);
    if (str_is(name, "erf")) y = f64_erf(x);
    if (str_is(name, "sin")) y = f64_sin(x);
    if (str_is(name, "cos")) y = f64_cos(x);
    if (isinf(y) && isfinite(x)) return host_raise(c->in, c->at, "OverflowError: math range error");
    *out = value_float(y);
    return true;
}

bool api_math_log(Call *c, Value *out) {
    double x, base;
    if (!number_arg(c, 0, &x)) return false;
    if (x <= 0) return host_raise(c->in, c->at, "ValueError: math domain error");
    if (c->arg[1].kind == V_NONE) return *out = value_float(f64_log(x)), true;
    if (!number_arg(c, 1, &base)) return false;
    if (base <= 0) return host_raise(c->in, c->at, "ValueError: math domain error");
    if (base == 1) return host_raise(c->in, c->at, "ZeroDivisionError: division by zero");
    *out = value_float(base == 2 ? log2_exact(x) : f64_log(x) / f64_log(base));
    return true;
}

bool api_math_pow(Call *c, Value *out) {
    double x, y;
    if (!number_arg(c, 0, &x) || !number_arg(c, 1, &y)) return false;
    double r = f64_pow(x, y);
    if (isfinite(x) && isfinite(y) && !isfinite(r))
        return host_raise(c->in, c->at,
                          isnan(r) || x == 0 ? "ValueError: math domain error"
                                             : "OverflowError: math range error");
    *out = value_float(r);
    return true;
}

bool api_math_whole(Call *c, Value *out) {
    int64_t i;
    double x;
    if (value_as_int(c->arg[0], &i)) return *out = value_int(i), true;
    if (!number_arg(c, 0, &x)) return false;
    x = str_is(c->name, "math.floor") ? floor(x) : str_is(c->name, "math.ceil") ? ceil(x) : trunc(x);
    return int_of_float(c, x, out);
}

bool api_math_gcd(Call *c, Value *out) {
    int64_t a, b;
    if (!value_as_int(c->arg[0], &a)) return wrong_type(c, c->arg[0], "integers");
    if (!value_as_int(c->arg[1], &b)) return wrong_type(c, c->arg[1], "integers");
    uint64_t x = a < 0 ? 0 - (uint64_t)a : (uint64_t)a, y = b < 0 ? 0 - (uint64_t)b : (uint64_t)b;
    while (y) {
        uint64_t r = x % y;
        x = y;
        y = r;
    }
    if (x > INT64_MAX) return host_raise(c->in, c->at, "OverflowError: integer does not fit 64 bits");
    *out = value_int((int64_t)x);
    return true;
}

bool api_math_isqrt(Call *c, Value *out) {
    int64_t n;
    if (!value_as_int(c->arg[0], &n)) return wrong_type(c, c->arg[0], "an integer");
    if (n < 0) return host_raise(c->in, c->at, "ValueError: isqrt() argument must be nonnegative");
    uint64_t r = (uint64_t)sqrt((double)n); // may be one off near 2^63
    while (r * r > (uint64_t)n) r--;
    while ((r + 1) * (r + 1) <= (uint64_t)n) r++;
    *out = value_int((int64_t)r);
    return true;
}

// --- helpers of launches ---

bool api_cdiv(Call *c, Value *out) {
    int64_t x, y, sum;
    if (!value_as_int(c->arg[0], &x) || !value_as_int(c->arg[1], &y)) {
        // Triton's cdiv is (x + y - 1) // y for whatever comes in.
        Value v;
        return binary_values(c->in, c->at, OPER_ADD, c->arg[0], c->arg[1], &v) &&
               binary_values(c->in, c->at, OPER_SUB, v, value_int(1), &v) &&
               binary_values(c->in, c->at, OPER_FLOORDIV, v, c->arg[1], out);
    }
    if (y == 0) return host_raise(c->in, c->at, "ZeroDivisionError: integer division or modulo by zero");
    if (__builtin_add_overflow(x, y, &sum) || __builtin_sub_overflow(sum, 1, &sum))
        return host_raise(c->in, c->at, "OverflowError: integer does not fit 64 bits");
    return binary_values(c->in, c->at, OPER_FLOORDIV, value_int(sum), value_int(y), out);
}

bool api_next_power_of_2(Call *c, Value *out) {
    int64_t n;
    if (!value_as_int(c->arg[0], &n)) return wrong_type(c, c->arg[0], "an integer");
    if (n <= 0) return *out = value_int(0), true; // what its bit twiddling gives
    if (n > (INT64_MAX >> 1) + 1)
        return host_raise(c->in, c->at, "OverflowError: integer does not fit 64 bits");
    int64_t p = 1;
    while (p < n) p *= 2;
    *out = value_int(p);
    return true;
}

bool api_constexpr(Call *c, Value *out) {
    PyValue plain;
    *out = c->arg[0];
    return value_plain(*out, &plain) || out->kind == V_DTYPE || out->kind == V_TUPLE ||
           wrong_type(c, *out, "a constant");
}
