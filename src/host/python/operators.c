// What Python's operators do to two values; tensors of a reference go to reference.c.
#include "host/python/interp.h"
#include "host/python/keyed.h"

// What Python has and this does not: no mistake of the program.
static bool of_collections(Oper op, Value l, Value r) {
    bool bits = op == OPER_BITAND || op == OPER_BITOR || op == OPER_BITXOR;
    return (l.kind == V_SET && r.kind == V_SET && (bits || op == OPER_SUB)) ||
           (l.kind == V_DICT && r.kind == V_DICT && op == OPER_BITOR);
}

static bool unsupported_operands(Interp *in, Span at, Oper op, Value l, Value r) {
    if (of_collections(op, l, r))
        return host_unsupported(in, at, "%s of two values of type '%s' is not part of the host vocabulary",
                                oper_text(op), value_type(l));
    return host_raise(in, at, "TypeError: unsupported operand type(s) for %s: '%s' and '%s'", oper_text(op),
                      value_type(l), value_type(r));
}

static bool seq_concat(Interp *in, Span at, Value l, Value r, Value *out) {
    if (!seq_new(in, at, l.kind, (int64_t)l.seq->n + r.seq->n, out)) return false;
    if (l.seq->n) memcpy(out->seq->at, l.seq->at, (size_t)l.seq->n * sizeof(Value));
    if (r.seq->n) memcpy(out->seq->at + l.seq->n, r.seq->at, (size_t)r.seq->n * sizeof(Value));
    return true;
}

static bool seq_repeat(Interp *in, Span at, Value s, int64_t times, Value *out) {
    int64_t n;
    if (times < 0) times = 0;
    if (__builtin_mul_overflow((int64_t)s.seq->n, times, &n)) n = INT64_MAX; // too much for host_new
    if (!seq_new(in, at, s.kind, n, out)) return false;
    for (int64_t i = 0; i < n; i++) out->seq->at[i] = s.seq->at[i % s.seq->n];
    return true;
}

// Strings that an operator makes are bounded before it makes them.
static bool string_fits(Interp *in, Span at, Oper op, PyValue l, PyValue r) {
    int64_t bytes = 0;
    if (l.kind != PY_STR && r.kind != PY_STR) return true;
    if (op == OPER_ADD && l.kind == PY_STR && r.kind == PY_STR) bytes = (int64_t)(l.s.len + r.s.len);
    if (op == OPER_MUL) {
        Str s = l.kind == PY_STR ? l.s : r.s;
        PyValue n = l.kind == PY_STR ? r : l;
        int64_t times = n.kind == PY_INT ? n.i : n.kind == PY_BOOL ? n.b : 0;
        if (times > 0 && __builtin_mul_overflow((int64_t)s.len, times, &bytes)) bytes = INT64_MAX;
    }
    if (bytes > STRING_MAX) return host_raise(in, at, "MemoryError: a string of host code may take 1 MiB");
    if ((size_t)bytes > in->heap_left) return host_new(in, at, bytes, 1) != NULL;
    in->heap_left -= (size_t)bytes;
    return host_work(in, at, bytes / 16);
}

bool binary_values(Interp *in, Span at, Oper op, Value l, Value r, Value *out) {
    if ((l.kind == V_TENSOR || r.kind == V_TENSOR) && library_may(in, str_of(oper_text(op))))
        return library_operator(in, at, &(LibraryOperator){.op = op, .left = l, .right = r}, out);
    if (l.kind == V_TENSOR || r.kind == V_TENSOR)
        return host_refuse(in, at, "host code may not compute on tensors (`%s`); do it in a kernel",
                           oper_text(op));
    if (l.kind == V_BOUND || r.kind == V_BOUND) return bound_binary(in, at, op, l, r, out);
    PyValue pl, pr, result;
    if (value_plain(l, &pl) && value_plain(r, &pr)) {
        const char *why = NULL;
        if (!string_fits(in, at, op, pl, pr)) return false;
        if (op == OPER_MOD && pl.kind == PY_STR)
            return host_unsupported(in, at, "a text by %% is not formatted here: write an f-string");
        if (!py_binary(in->arena, op, pl, pr, &result, &why)) return host_raise(in, at, "%s", why);
        *out = value_of_plain(result);
        return true;
    }
    if (op == OPER_ADD && value_is_seq(l) && l.kind == r.kind) return seq_concat(in, at, l, r, out);
    if (op == OPER_ADD && value_is_seq(l))
        return host_raise(in, at, "TypeError: can only concatenate %s (not \"%s\") to %s", value_type(l),
                          value_type(r), value_type(l));
    int64_t times;
    if (op == OPER_MUL && value_is_seq(l) && value_as_int(r, &times))
        return seq_repeat(in, at, l, times, out);
    if (op == OPER_MUL && value_is_seq(r) && value_as_int(l, &times))
        return seq_repeat(in, at, r, times, out);
    return unsupported_operands(in, at, op, l, r);
}

static bool contains(Interp *in, Span at, Value item, Value in_what, bool *out) {
    if (in_what.kind == V_DICT || in_what.kind == V_SET) {
        int i;
        if (!dict_find(in, at, in_what.dict, item, &i)) return false;
        *out = i >= 0;
        return true;
    }
    if (in_what.kind == V_STR) {
        if (item.kind != V_STR)
            return host_raise(in, at, "TypeError: 'in <string>' requires string as left operand, not %s",
                              value_type(item));
        if (!host_work(in, at, (int64_t)in_what.s.len / 4)) return false;
        *out = item.s.len == 0 || (in_what.s.len && memmem(in_what.s.p, in_what.s.len, item.s.p, item.s.len));
        return true;
    }
    int64_t i;
    if (in_what.kind == V_RANGE && value_as_int(item, &i)) {
        const Range *r = in_what.range;
        int64_t away;
        *out = r->n && !__builtin_sub_overflow(i, r->start, &away) && away % r->step == 0 &&
               away / r->step >= 0 && away / r->step < r->n;
        return true;
    }
    Iter it;
    Value v;
    *out = false;
    if (!iter_start(in, at, in_what, &it)) return false;
    while (!*out && iter_next(&it, &v)) {
        if (!nan_pair(in, at, item, v)) return false;
        if (value_same(item, v))
            *out = true;
        else if (!value_equal(in, at, item, v, out))
            return false;
    }
    return true;
}

static bool seq_order(Interp *in, Span at, Oper op, const Seq *a, const Seq *b, bool *out) {
    int i = 0, n = a->n < b->n ? a->n : b->n;
    if (++in->depth > DEPTH_MAX)
        return host_raise(in, at, "RecursionError: maximum recursion depth exceeded");
    for (bool equal; i < n; i++) {
        if (!nan_pair(in, at, a->at[i], b->at[i])) return false;
        if (!value_equal(in, at, a->at[i], b->at[i], &equal)) return false;
        if (!equal) break;
    }
    in->depth--;
    if (i < n) return compare_values(in, at, op, a->at[i], b->at[i], out);
    *out = op == OPER_LT   ? a->n < b->n
           : op == OPER_LE ? a->n <= b->n
           : op == OPER_GT ? a->n > b->n
                           : a->n >= b->n;
    return true;
}

// Which equal numbers, texts and tuples are one object is the interpreter's choice: a program that asks could
// tell this one from Python.
static bool is_same(Interp *in, Span at, Value l, Value r, bool *out) {
    *out = value_same(l, r);
    if (l.kind != r.kind) return true;
    bool plain = l.kind == V_INT || l.kind == V_FLOAT || l.kind == V_STR || l.kind == V_DEVICE;
    bool tuples = l.kind == V_TUPLE && l.seq->n == r.seq->n;
    if (!*out && (value_is_memo(l) || value_is_memo(r)))
        return host_unsupported(in, at, "`is` of what functools keeps: compare with == instead");
    if (plain ? !*out : !tuples || *out) return true;
    return host_refuse(
        in, at, "`is` between two values of type '%s' depends on the interpreter; use ==", value_type(l));
}

static void note_compared(Interp *in, Value v) {
    if (!in->m) return;
    if (v.kind == V_INT) cover_size(in->m->watch.cover, v.i);
    for (int i = 0; value_is_seq(v) && i < v.seq->n && i < COVER_OWN_MAX; i++)
        if (v.seq->at[i].kind == V_INT) cover_size(in->m->watch.cover, v.seq->at[i].i);
}

static bool note_found(const Interp *in, Span at, Value key, bool found) {
    if (found) keyed_found(in, at, key);
    return true;
}

bool compare_values(Interp *in, Span at, Oper op, Value l, Value r, bool *out) {
    switch (op) {
    case OPER_IS: return is_same(in, at, l, r, out);
    case OPER_IN: return note_compared(in, r), contains(in, at, l, r, out) && note_found(in, at, l, *out);
    case OPER_EQ:
        note_compared(in, l);
        note_compared(in, r);
        return value_equal(in, at, l, r, out) && note_found(in, at, l, *out);
    case OPER_ISNOT: return compare_values(in, at, OPER_IS, l, r, out) && (*out = !*out, true);
    case OPER_NOTIN: return compare_values(in, at, OPER_IN, l, r, out) && (*out = !*out, true);
    case OPER_NE: return compare_values(in, at, OPER_EQ, l, r, out) && (*out = !*out, true);
    default: break;
    }
    if (value_is_tensor(l) || value_is_tensor(r))
        return host_refuse(in, at, "host code may not compare tensors (`%s`); do it in a kernel",
                           oper_text(op));
    PyValue pl, pr;
    const char *why = NULL;
    note_compared(in, l);
    note_compared(in, r);
    if (value_plain(l, &pl) && value_plain(r, &pr))
        return py_compare(in->arena, op, pl, pr, out, &why) || host_raise(in, at, "%s", why);
    if (value_is_seq(l) && l.kind == r.kind) return seq_order(in, at, op, l.seq, r.seq, out);
    return host_raise(in, at, "TypeError: '%s' not supported between instances of '%s' and '%s'",
                      oper_text(op), value_type(l), value_type(r));
}
