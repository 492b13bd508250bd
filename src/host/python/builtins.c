// Python's own functions and members of texts; numbers.c has those of numbers, containers.c what changes
// lists and dictionaries. Arguments arrive bound to the signatures of api.def.
#include "host/desugar/desugar.h"
#include "host/python/api.h"
#include "host/python/keyed.h"

bool wrong_type(Call *c, Value v, const char *want) {
    return host_raise(c->in, c->at, "TypeError: %.*s() expects %s, not '%s'", STR_ARG(c->name), want,
                      value_type(v));
}

bool api_len(Call *c, Value *out) {
    Value v = c->arg[0];
    switch (v.kind) {
    case V_TUPLE:
    case V_LIST: *out = value_int(v.seq->n); return true;
    case V_DICT:
    case V_SET: *out = value_int(v.dict->n); return true;
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
    case V_CLASS: // of an Enum
        if (v.klass->members) return *out = value_int(v.klass->members->n), true;
        return host_raise(c->in, c->at, "TypeError: object of type 'type' has no len()");
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
    if (c->arg[2].kind != V_NONE)
        return host_unsupported(c->in, c->at, "key= is not part of the host vocabulary");
    if (c->rests == 0)
        return host_raise(c->in, c->at, "TypeError: %.*s expected at least 1 argument, got 0",
                          STR_ARG(c->name));
    if (c->rests == 1)
        over = c->rest[0];
    else
        over = (Value){.kind = V_TUPLE, .seq = &several};
    if (over.kind == V_SET && !set_as_list(c->in, c->at, over, &over)) return false;
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

// The items joined by an operator, from `first` on.
static bool fold(Call *c, Oper op, Value first, Value *out) {
    Iter it;
    *out = first;
    if (!iter_start(c->in, c->at, c->arg[0], &it)) return false;
    for (Value v; iter_next(&it, &v);)
        if (!host_work(c->in, c->at, 4) || !binary_values(c->in, c->at, op, *out, v, out)) return false;
    return true;
}
bool api_sum(Call *c, Value *out) { return fold(c, OPER_ADD, c->arg[1], out); }
bool api_math_prod(Call *c, Value *out) { return fold(c, OPER_MUL, value_int(1), out); }

bool api_bool(Call *c, Value *out) {
    bool b;
    if (!value_truth(c->in, c->at, c->arg[0], &b)) return false;
    *out = value_bool(b);
    return true;
}

bool api_str(Call *c, Value *out) {
    Buf text = BUF(c->in->arena);
    if (c->arg[0].kind == V_STR) return *out = c->arg[0], true;
    if (!value_spell(c->in, c->at, c->arg[0], false, &text)) return false;
    *out = value_str(buf_str(&text));
    out->written = c->arg[0].kind == V_DTYPE || c->arg[0].kind == V_DEVICE;
    return true;
}

static bool collect(Call *c, Value from, ValueKind kind, Value *out) {
    Iter it;
    if (!iter_start(c->in, c->at, from, &it) || !seq_new(c->in, c->at, kind, 0, out)) return false;
    for (Value v; iter_next(&it, &v);)
        if (!seq_push(c->in, c->at, out->seq, v)) return false;
    return true;
}
bool api_tuple(Call *c, Value *out) { return collect(c, c->arg[0], V_TUPLE, out); }
bool api_list(Call *c, Value *out) { return collect(c, c->arg[0], V_LIST, out); }

bool api_size_type(Call *c, Value *out) {
    if (!collect(c, c->arg[0], V_TUPLE, out)) return false;
    for (int i = 0; i < out->seq->n; i++)
        if (out->seq->at[i].kind != V_INT) return wrong_type(c, out->seq->at[i], "integers");
    out->seq->flavour = SEQ_SIZE;
    return true;
}

bool api_frozenset(Call *c, Value *out) { return api_set(c, out) && value_freeze(c->in, c->at, *out); }
bool api_set(Call *c, Value *out) {
    Iter it;
    Value of = c->arg[0];
    if (of.kind == V_SET && !set_as_list(c->in, c->at, of, &of)) return false;
    if (!iter_start(c->in, c->at, of, &it) || !dict_new(c->in, c->at, out)) return false;
    for (Value v; iter_next(&it, &v);)
        if (!dict_put(c->in, c->at, out->dict, v, NONE_VALUE)) return false;
    out->kind = V_SET;
    return true;
}

// "[gelu] 3 rows" is none: no JSON has a word of its own.
static bool is_json(Str s) {
    size_t n = 1;
    if (!s.len || (s.p[0] != '{' && s.p[0] != '[')) return false;
    while (n < s.len && ((s.p[n] >= 'a' && s.p[n] <= 'z') || (s.p[n] >= 'A' && s.p[n] <= 'Z'))) n++;
    Str word = {s.p + 1, n - 1};
    return s.p[0] == '{' || !word.len || str_is(word, "true") || str_is(word, "false") ||
           str_is(word, "null");
}

// What is printed goes nowhere. A text that reads like an answer to a program is meant for whoever reads
// them.
bool api_print(Call *c, Value *out) {
    *out = NONE_VALUE;
    if (c->arg[3].kind != V_NONE) return host_unsupported(c->in, c->at, "print() to a file");
    for (int i = 0; i < c->rests; i++) {
        Str s = c->rest[i].kind == V_STR ? c->rest[i].s : (Str){0};
        while (s.len && s.p[0] <= ' ') s = (Str){s.p + 1, s.len - 1};
        if (is_json(s)) return host_refuse(c->in, c->at, "print() of JSON: a judged file answers nobody");
    }
    return true;
}

bool api_enumerate(Call *c, Value *out) {
    Iter it;
    int64_t n;
    if (!value_as_int(c->arg[1], &n)) return wrong_type(c, c->arg[1], "an integer");
    if (!iter_start(c->in, c->at, c->arg[0], &it) || !seq_new(c->in, c->at, V_LIST, 0, out)) return false;
    for (Value v, pair; iter_next(&it, &v);) {
        if (!pair_new(c->in, c->at, value_int(n), v, &pair) || !seq_push(c->in, c->at, out->seq, pair))
            return false;
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

bool api_map(Call *c, Value *out) {
    if (c->rests == 0) return host_raise(c->in, c->at, "TypeError: map() must have at least two arguments.");
    if (!seq_new(c->in, c->at, V_LIST, 0, out)) return false;
    Iter *it = HOST_NEW(c->in, c->at, Iter, c->rests);
    if (!it) return false;
    for (int i = 0; i < c->rests; i++)
        if (!iter_start(c->in, c->at, c->rest[i], &it[i])) return false;
    for (;;) {
        Args args = {.at = c->at, .n = c->rests, .pos = HOST_NEW(c->in, c->at, Value, c->rests)};
        Value v;
        if (!args.pos) return false;
        for (int i = 0; i < c->rests; i++)
            if (!iter_next(&it[i], &args.pos[i])) return true;
        if (!call_value(c->in, c->arg[0], &args, &v) || !seq_push(c->in, c->at, out->seq, v)) return false;
    }
}

// In files that kernels are taken from it stands in branches for arguments that nobody gives here.
bool api_computes(Call *c, Value *out) {
    (void)out;
    return host_refuse(c->in, c->at,
                       "`%.*s`: it computes on, or copies, the elements of tensors; do it in a kernel",
                       STR_ARG(c->name));
}
bool api_context(Call *c, Value *out) {
    *out = (Value){.kind = V_CONTEXT};
    out->i = str_ends(c->name, "autocast");
    return true;
}
bool api_range_mark(Call *c, Value *out) { return (void)c, *out = NONE_VALUE, true; }
bool api_warmup(Call *c, Value *out) { return (void)c, *out = (Value){.kind = V_COMPILED}, true; }
bool api_never(Call *c, Value *out) { return (void)c, *out = value_bool(false), true; }
bool api_itself(Call *c, Value *out) { return *out = c->arg[0], true; }
bool api_synchronize(Call *c, Value *out) { return (void)c, *out = NONE_VALUE, true; }

bool api_bit_length(Call *c, Value *out) {
    int64_t i = c->arg[0].i;
    uint64_t u = i < 0 ? 0 - (uint64_t)i : (uint64_t)i;
    int n = 0;
    for (; u; u >>= 1) n++;
    *out = value_int(n);
    return true;
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
    if (c->arg[0].kind == V_SET && !set_as_list(c->in, c->at, c->arg[0], &c->arg[0])) return false;
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
    if (class_is(cls, NAMED_TUPLE))
        return *out = v.kind == V_TUPLE && v.seq->flavour == SEQ_NAMED && v.seq->of == cls.klass, true;
    if (class_is(cls, ENUM_CLASS) && v.kind != V_OBJECT)
        return host_unsupported(c->in, c->at, "isinstance() of an Enum and a plain value");
    if (cls.kind == V_CLASS) return *out = v.kind == V_OBJECT && v.object->of == cls.klass, true;
    if (cls.kind == V_FUNCTION && cls.function->node->kind == NODE_FUNCTION &&
        str_is(cls.function->node->function.name, "<bool>")) // policy/named_truths.c
        return *out = v.kind == V_BOOL, true;
    if (cls.kind != V_API) goto wrong;
    Str name = cls.member->name;
    if (str_is(name, "int")) return *out = v.kind == V_INT || v.kind == V_BOOL, true;
    if (str_is(name, "bool")) return *out = v.kind == V_BOOL, true;
    if (str_is(name, "float")) return *out = v.kind == V_FLOAT, true;
    if (str_is(name, "str")) return *out = v.kind == V_STR, true;
    if (str_is(name, "tuple")) return *out = v.kind == V_TUPLE, true;
    if (str_is(name, "list")) return *out = v.kind == V_LIST, true;
    if (str_is(name, "dict")) return *out = v.kind == V_DICT, true;
    if (str_is(name, "collections.OrderedDict")) return *out = v.kind == V_DICT && v.dict->ordered, true;
    if (str_is(name, "torch.Size")) return *out = v.kind == V_TUPLE && v.seq->flavour == SEQ_SIZE, true;
    if (str_is(name, "torch.Tensor") || str_is(name, "Tensor")) return *out = value_is_tensor(v), true;
wrong:
    return host_raise(c->in, c->at, "TypeError: isinstance() arg 2 must be a type or a tuple of types");
}

bool api_isinstance(Call *c, Value *out) {
    bool b;
    if (!is_instance(c, c->arg[0], c->arg[1], &b)) return false;
    *out = value_bool(b);
    return true;
}

// --- lists and texts ---

bool api_list_append(Call *c, Value *out) {
    *out = NONE_VALUE;
    keyed_put(c->in, c->at, c->arg[1]);
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
    keyed_put(c->in, c->at, c->arg[2]);
    return true;
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
    out->written = c->arg[0].written;
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
    bool all = c->arg[0].written;
    for (Value v; iter_next(&it, &v); n++) {
        all &= v.written;
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
    out->written = all;
    return true;
}

bool api_raise(Call *c, Value *out) {
    Buf text = BUF(c->in->arena);
    *out = NONE_VALUE;
    if (c->rests) value_text(&text, c->rest[0]);
    return host_raise(c->in, c->at, "%.*s%s%s", STR_ARG(c->name), text.len ? ": " : "", buf_cstr(&text));
}

bool api_constexpr(Call *c, Value *out) {
    PyValue plain;
    *out = c->arg[0];
    return value_plain(*out, &plain) || out->kind == V_DTYPE || out->kind == V_TUPLE ||
           wrong_type(c, *out, "a constant");
}
