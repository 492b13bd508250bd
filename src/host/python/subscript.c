// v[index]: sequences, texts, ranges, dictionaries, tensors (tensor_shape.c), and kernel[grid].
#include "host/python/interp.h"
#include "host/python/keyed.h"
#include "host/python/look_up.h"

// Python's rules for s[lo:hi:step] on n items.
static bool slice_resolve(Interp *in, Span at, const Slice *s, int64_t n, Range *out) {
    int64_t step = 1, lo, hi;
    if (s->step.kind != V_NONE && !value_as_int(s->step, &step)) goto not_int;
    if (step == 0) return host_raise(in, at, "ValueError: slice step cannot be zero");
    lo = step > 0 ? 0 : n - 1;
    hi = step > 0 ? n : -1;
    const Value *given[2] = {&s->lo, &s->hi};
    int64_t *end[2] = {&lo, &hi};
    for (int i = 0; i < 2; i++) {
        int64_t x;
        if (given[i]->kind == V_NONE) continue;
        if (!value_as_int(*given[i], &x)) goto not_int;
        if (x < 0) x = x < -n ? -1 : x + n; // -1: before the first
        int64_t least = step > 0 ? 0 : -1, most = step > 0 ? n : n - 1;
        *end[i] = x < least ? least : x > most ? most : x;
    }
    int64_t span = step > 0 ? hi - lo : lo - hi;
    uint64_t stride = step > 0 ? (uint64_t)step : 0 - (uint64_t)step;
    out->start = lo;
    out->step = step;
    out->n = span <= 0 ? 0 : (int64_t)(((uint64_t)span - 1) / stride) + 1;
    return true;
not_int:
    return host_raise(in, at, "TypeError: slice indices must be integers or None");
}

static bool index_resolve(Interp *in, Span at, Value index, int64_t n, const char *type, int64_t *out) {
    if (!value_as_int(index, out))
        return host_raise(in, at, "TypeError: %s indices must be integers or slices, not %s", type,
                          value_type(index));
    if (*out < 0) *out = *out < -n ? -1 : *out + n;
    if (*out >= 0 && *out < n) return true;
    return host_raise(in, at, "IndexError: %s index out of range", type);
}

static bool seq_subscript(Interp *in, Span at, Value v, Value index, Value *out) {
    int64_t i;
    Range r;
    if (index.kind != V_SLICE) {
        if (!index_resolve(in, at, index, v.seq->n, v.kind == V_LIST ? "list" : "tuple", &i)) return false;
        *out = v.seq->at[i];
        note_seq_look_up(in, at, v.seq, i);
        if (v.kind == V_LIST) keyed_item(in, at, i, *out);
        if (in->m) outcome_item(cover_outcomes(in->m->watch.cover), at.at, 16 + (uint64_t)i);
        return true;
    }
    if (!slice_resolve(in, at, index.slice, v.seq->n, &r) || !seq_new(in, at, v.kind, r.n, out)) return false;
    if (v.seq->flavour == SEQ_SIZE) out->seq->flavour = SEQ_SIZE;
    for (int64_t k = 0; k < r.n; k++) out->seq->at[k] = v.seq->at[r.start + k * r.step];
    return true;
}

static bool str_subscript(Interp *in, Span at, Value v, Value index, Value *out) {
    int64_t n = (int64_t)v.s.len, i;
    Range r;
    for (size_t k = 0; k < v.s.len; k++)
        if (v.s.p[k] & 0x80)
            return host_unsupported(in, at, "indexing of strings beyond ASCII is not available");
    if (!host_work(in, at, n / 16)) return false;
    if (index.kind != V_SLICE) {
        if (!index_resolve(in, at, index, n, "string", &i)) return false;
        *out = value_str((Str){v.s.p + i, 1});
        return true;
    }
    if (!slice_resolve(in, at, index.slice, n, &r)) return false;
    char *p = HOST_NEW(in, at, char, r.n + 1);
    if (!p) return false;
    for (int64_t k = 0; k < r.n; k++) p[k] = v.s.p[r.start + k * r.step];
    *out = value_str((Str){p, (size_t)r.n});
    return true;
}

bool subscript_get(Interp *in, Span at, Value v, Value index, Value *out) {
    int64_t i;
    switch (v.kind) {
    case V_KERNEL: {
        Launcher *l = HOST_NEW(in, at, Launcher, 1);
        if (!l) return false;
        *l = (Launcher){v.kernel, index};
        *out = (Value){.kind = V_LAUNCHER, .launcher = l};
        return true;
    }
    case V_TUPLE:
    case V_LIST: return seq_subscript(in, at, v, index, out);
    case V_STR: return str_subscript(in, at, v, index, out);
    case V_DICT: {
        int k;
        if (!dict_find(in, at, v.dict, index, &k)) return false;
        note_dict_look_up(in, at, v.dict, index, k);
        if (k >= 0) return *out = v.dict->value[k], true;
        Buf key = BUF(in->arena);
        value_repr(&key, index, 0);
        return host_raise(in, at, "KeyError: %s", buf_cstr(&key));
    }
    case V_RANGE:
        if (!index_resolve(in, at, index, v.range->n, "range object", &i)) return false;
        *out = value_int(v.range->start + i * v.range->step);
        return true;
    case V_TENSOR:
    case V_BOUND:
        if (index.kind == V_TUPLE) return tensor_index(in, at, v, index.seq->at, index.seq->n, out);
        return tensor_index(in, at, v, &index, 1, out);
    case V_FUNCTION:
        return host_raise(in, at,
                          "TypeError: 'function' object is not subscriptable; did you forget @triton.jit?");
    case V_COMPILED:
        return host_unsupported(in, at,
                                "a launch of what warmup() compiled: launch the kernel itself, with the same "
                                "constants: kernel[grid](..., BLOCK=..., num_warps=...)");
    default:
        if (v.kind == V_CLASS && v.klass->members) return enum_subscript(in, at, v.klass, index, out);
        return host_raise(in, at, "TypeError: '%s' object is not subscriptable", value_type(v));
    }
}

bool subscript_set(Interp *in, Span at, Value of, Value index, Value v) {
    int64_t i;
    if (of.kind == V_DICT) return dict_put(in, at, of.dict, index, v);
    if (of.kind == V_BOUND) return host_unsupported(in, at, "references do not change tensors in place");
    if (value_is_tensor(of))
        return host_refuse(in, at, "assignment to a subscript: tensors are written by kernels");
    if (of.kind != V_LIST)
        return host_raise(in, at, "TypeError: '%s' object does not support item assignment", value_type(of));
    if (index.kind == V_SLICE) return host_unsupported(in, at, "assignment to a slice is not available");
    if (!index_resolve(in, at, index, of.seq->n, "list assignment", &i)) return false;
    if (!not_frozen(in, at, of.seq->frozen) || !may_keep(in, at, of.seq->kept, v)) return false;
    keyed_put(in, at, v);
    of.seq->at[i] = v;
    return true;
}

bool subscript_delete(Interp *in, Span at, Value of, Value index) {
    int64_t i;
    int k;
    if (of.kind == V_DICT) {
        if (!dict_find(in, at, of.dict, index, &k)) return false;
        if (k >= 0) return dict_take(in, at, of.dict, k);
        Buf key = BUF(in->arena);
        value_repr(&key, index, 0);
        return host_raise(in, at, "KeyError: %s", buf_cstr(&key));
    }
    if (of.kind != V_LIST)
        return host_raise(in, at, "TypeError: '%s' object does not support item deletion", value_type(of));
    if (index.kind != V_SLICE)
        return index_resolve(in, at, index, of.seq->n, "list assignment", &i) && seq_take(in, at, of.seq, i);
    Range r;
    if (!slice_resolve(in, at, index.slice, of.seq->n, &r)) return false;
    int64_t least = r.step > 0 ? r.start : r.start + (r.n - 1) * r.step, step = r.step > 0 ? r.step : -r.step;
    for (int64_t n = r.n; n > 0; n--) // from the end on: those in front keep their places
        if (!seq_take(in, at, of.seq, least + (n - 1) * step)) return false;
    return true;
}
