#include "host/api.h"
#include "host/entry.h"
#include "host/screen.h"
#include <stdio.h>

// --- names ---

Env *env_new(Interp *in, Span at, Env *outer, int names) {
    Env *env = HOST_NEW(in, at, Env, 1);
    if (!env) return NULL;
    int cap = 8;
    while (cap < 2 * names) cap *= 2;
    *env = (Env){.outer = outer, .cap = cap};
    env->slot = HOST_NEW(in, at, Slot, cap);
    return env->slot ? env : NULL;
}

static Slot *slot_for(const Env *env, Str name) {
    uint32_t i = (uint32_t)str_hash(name);
    for (;; i++) {
        Slot *s = &env->slot[i & (uint32_t)(env->cap - 1)];
        if (!s->name.p || str_eq(s->name, name)) return s;
    }
}

Slot *env_find(const Env *env, Str name) {
    Slot *s = slot_for(env, name);
    return s->name.p ? s : NULL;
}

bool env_set(Interp *in, Span at, Env *env, Str name, Value v) {
    Slot *s = slot_for(env, name);
    if (s->name.p) return s->v = v, true;
    if (2 * (env->used + 1) > env->cap) {
        Env grown = {.cap = env->cap * 2, .slot = HOST_NEW(in, at, Slot, env->cap * 2)};
        if (!grown.slot || !host_work(in, at, env->cap)) return false;
        for (int i = 0; i < env->cap; i++)
            if (env->slot[i].name.p) *slot_for(&grown, env->slot[i].name) = env->slot[i];
        env->slot = grown.slot;
        env->cap = grown.cap;
        s = slot_for(env, name);
    }
    env->used++;
    *s = (Slot){name, v};
    return true;
}

static bool api_value(Interp *in, Span at, const Api *row, Str name, Value self, Value *out) {
    if (row->kind == API_CONSTANT || row->kind == API_ATTRIBUTE) {
        Args none = {.at = at};
        Call c = {.in = in, .row = row, .name = name, .at = at, .arg = {self}};
        return row->kind == API_CONSTANT ? row->run(&c, out) : api_call(in, row, name, self, &none, out);
    }
    Member *m = HOST_NEW(in, at, Member, 1);
    if (!m) return false;
    *m = (Member){row, name, self};
    *out = (Value){.kind = V_API, .member = m};
    return true;
}

bool env_read(Interp *in, Span at, Env *env, Str name, Value *out) {
    bool here = true;
    for (Env *e = env; e; e = e->outer) {
        Slot *s = env_find(e, name);
        if (s && s->v.kind != V_UNBOUND) return *out = s->v, true;
        if (s && here)
            return host_raise(in, at,
                              "UnboundLocalError: cannot access local variable '%.*s' where it is not "
                              "associated with a value",
                              STR_ARG(name));
        if (s && !e->module)
            return host_raise(in, at,
                              "NameError: cannot access free variable '%.*s' where it is not associated with "
                              "a value in enclosing scope",
                              STR_ARG(name));
        if (!e->comprehension) here = false;
    }
    const Api *row = api_named(name, in->candidate);
    if (row) return api_value(in, at, row, name, (Value){0}, out);
    if (api_is_module(name, in->candidate)) return *out = (Value){.kind = V_MODULE, .s = name}, true;
    if (!api_known_refused(name, false, in->candidate))
        return host_raise(in, at, "NameError: name '%.*s' is not defined", STR_ARG(name));
    DiagKind kind;
    const char *why = api_reason(in->arena, name, false, in->candidate, &kind);
    host_report(in, kind, at, "`%.*s` is not available here: %s", STR_ARG(name), why);
    return false;
}

static bool module_member(Interp *in, Span at, Str path, Str name, Value *out) {
    char *p = HOST_NEW(in, at, char, (int64_t)(path.len + name.len + 1));
    if (!p) return false;
    memcpy(p, path.p, path.len);
    p[path.len] = '.';
    memcpy(p + path.len + 1, name.p, name.len);
    Str full = api_canonical(in->arena, (Str){p, path.len + name.len + 1});
    const Api *row = api_named(full, in->candidate);
    if (row) return api_value(in, at, row, full, (Value){0}, out);
    if (api_is_module(full, in->candidate)) return *out = (Value){.kind = V_MODULE, .s = full}, true;
    if (str_is(full, "torch.nn") || str_is(full, "triton.language")) // on the way to an aliased module
        return *out = (Value){.kind = V_MODULE, .s = full}, true;
    DiagKind kind;
    const char *why = api_reason(in->arena, full, false, in->candidate, &kind);
    host_report(in, kind, at, "`%.*s` is not available here: %s", STR_ARG(full), why);
    return false;
}

bool get_member(Interp *in, Span at, Value v, Str name, Value *out) {
    if (str_starts(name, "__"))
        return host_refuse(in, at, "`.%.*s`: host code does not reach into Python's own attributes",
                           STR_ARG(name));
    if (v.kind == V_CLASS || v.kind == V_OBJECT) return class_member(in, at, v, name, out);
    if (v.kind == V_MODULE) return module_member(in, at, v.s, name, out);
    const Api *row = api_member(name, v, in->candidate);
    if (row) return api_value(in, at, row, name, v, out);
    // A class of the API and what stands behind its dot: TensorDescriptor.from_tensor.
    if (v.kind == V_API && v.member->self.kind == V_UNBOUND && api_is_module(v.member->name, in->candidate))
        return module_member(in, at, v.member->name, name, out);
    if (!value_is_tensor(v) && v.kind != V_KERNEL && v.kind != V_LAUNCHER)
        return host_raise(in, at, "AttributeError: '%s' object has no attribute '%.*s'", value_type(v),
                          STR_ARG(name));
    DiagKind kind;
    const char *why = api_reason(in->arena, name, true, in->candidate, &kind);
    host_report(in, kind, at, "`.%.*s` is not available on a %s here: %s", STR_ARG(name), value_type(v), why);
    return false;
}

// --- operators ---

static bool unsupported_operands(Interp *in, Span at, Oper op, Value l, Value r) {
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
    if (l.kind == V_TENSOR || r.kind == V_TENSOR)
        return host_refuse(in, at, "host code may not compute on tensors (`%s`); do it in a kernel",
                           oper_text(op));
    if (l.kind == V_BOUND || r.kind == V_BOUND) return bound_binary(in, at, op, l, r, out);
    PyValue pl, pr, result;
    if (value_plain(l, &pl) && value_plain(r, &pr)) {
        const char *why = NULL;
        if (!string_fits(in, at, op, pl, pr)) return false;
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
    if (in_what.kind == V_DICT) {
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
    if (plain ? !*out : !tuples || *out) return true;
    return host_refuse(
        in, at, "`is` between two values of type '%s' depends on the interpreter; use ==", value_type(l));
}

static void note_compared(Interp *in, Value v) {
    if (!in->m) return;
    if (v.kind == V_INT) cover_size(in->m->cover, v.i);
    for (int i = 0; value_is_seq(v) && i < v.seq->n && i < COVER_OWN_MAX; i++)
        if (v.seq->at[i].kind == V_INT) cover_size(in->m->cover, v.seq->at[i].i);
}

bool compare_values(Interp *in, Span at, Oper op, Value l, Value r, bool *out) {
    switch (op) {
    case OPER_IS: return is_same(in, at, l, r, out);
    case OPER_ISNOT:
        if (!is_same(in, at, l, r, out)) return false;
        *out = !*out;
        return true;
    case OPER_IN: return note_compared(in, r), contains(in, at, l, r, out);
    case OPER_NOTIN:
        note_compared(in, r);
        if (!contains(in, at, l, r, out)) return false;
        *out = !*out;
        return true;
    case OPER_EQ:
    case OPER_NE:
        note_compared(in, l);
        note_compared(in, r);
        if (op == OPER_EQ) return value_equal(in, at, l, r, out);
        if (!value_equal(in, at, l, r, out)) return false;
        *out = !*out;
        return true;
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

static bool eval_compare(Interp *in, Env *env, const Node *n, Value *out) {
    Value l, r;
    if (!eval(in, env, n->compare.left, &l)) return false;
    for (int i = 0; i < n->compare.rest.n; i++) {
        Oper op = n->compare.ops[i];
        if (!eval(in, env, n->compare.rest.at[i], &r)) return false;
        bool by_element = op >= OPER_LT && op <= OPER_NE && l.kind != V_NONE && r.kind != V_NONE;
        if (by_element && (l.kind == V_BOUND || r.kind == V_BOUND)) {
            if (n->compare.rest.n > 1)
                return host_refuse(in, n->span,
                                   "a chained comparison needs the truth of a tensor; use & and torch.where");
            return bound_binary(in, n->span, op, l, r, out);
        }
        bool holds;
        if (!compare_values(in, n->span, op, l, r, &holds)) return false;
        *out = value_bool(holds);
        if (!holds) return true;
        l = r;
    }
    return true;
}

static bool eval_unary(Interp *in, Env *env, const Node *n, Value *out) {
    Oper op = n->unary.op;
    const Node *operand = n->unary.operand;
    const char *why = NULL;
    PyValue plain, result;
    Value v;
    // -9223372036854775808 is one number although its digits alone do not fit.
    if (op == OPER_NEG && operand->kind == NODE_INT) {
        if (!py_from_literal(n, &result, &why)) return host_raise(in, n->span, "%s", why);
        *out = value_of_plain(result);
        return true;
    }
    if (!eval(in, env, operand, &v)) return false;
    if (op == OPER_NOT) {
        bool truth;
        if (!value_truth(in, n->span, v, &truth)) return false;
        *out = value_bool(!truth);
        return true;
    }
    if (v.kind == V_TENSOR)
        return host_refuse(in, n->span, "host code may not compute on tensors (`%s`); do it in a kernel",
                           oper_text(op));
    if (v.kind == V_BOUND) return bound_unary(in, n->span, op, v, out);
    if (!value_plain(v, &plain))
        return host_raise(in, n->span, "TypeError: bad operand type for unary %s: '%s'", oper_text(op),
                          value_type(v));
    if (!py_unary(in->arena, op, plain, &result, &why)) return host_raise(in, n->span, "%s", why);
    *out = value_of_plain(result);
    return true;
}

static bool eval_boolop(Interp *in, Env *env, const Node *n, Value *out) {
    for (int i = 0; i < n->boolop.items.n; i++) {
        bool truth;
        if (!eval(in, env, n->boolop.items.at[i], out)) return false;
        if (i + 1 == n->boolop.items.n) break;
        if (!value_truth(in, n->boolop.items.at[i]->span, *out, &truth)) return false;
        if (truth == (n->boolop.op == OPER_OR)) break;
    }
    return true;
}

// --- displays and comprehensions ---

static bool eval_items(Interp *in, Env *env, const Nodes *items, ValueKind kind, Span at, Value *out) {
    if (!seq_new(in, at, kind, 0, out)) return false;
    for (int i = 0; i < items->n; i++) {
        const Node *item = items->at[i];
        Value v;
        if (!eval(in, env, item->kind == NODE_STARRED ? item->value : item, &v)) return false;
        if (item->kind != NODE_STARRED) {
            if (!seq_push(in, at, out->seq, v)) return false;
            continue;
        }
        Iter it;
        if (!iter_start(in, item->span, v, &it)) return false;
        for (Value each; iter_next(&it, &each);)
            if (!seq_push(in, at, out->seq, each)) return false;
    }
    return true;
}

static bool eval_dict(Interp *in, Env *env, const Node *n, Value *out) {
    if (!dict_new(in, n->span, out)) return false;
    for (int i = 0; i < n->dict.keys.n; i++) {
        Value k, v;
        if (n->dict.keys.at[i]) {
            if (!eval(in, env, n->dict.keys.at[i], &k) || !eval(in, env, n->dict.values.at[i], &v))
                return false;
            if (!dict_put(in, n->span, out->dict, k, v)) return false;
            continue;
        }
        if (!eval(in, env, n->dict.values.at[i], &v)) return false;
        if (v.kind != V_DICT)
            return host_raise(in, n->span, "TypeError: '%s' object is not a mapping", value_type(v));
        for (int j = 0; j < v.dict->n; j++)
            if (!dict_put(in, n->span, out->dict, v.dict->key[j], v.dict->value[j])) return false;
    }
    return true;
}

// The loops of a comprehension from the `level`-th on. A generator is evaluated at once, like a list.
static bool comp_loops(Interp *in, Env *env, const Node *n, int level, const Value *first, Value *out) {
    if (level == n->comp.fors.n) {
        Value element, val;
        if (!eval(in, env, n->comp.element, &element)) return false;
        if (n->comp.kind != COMP_DICT) return seq_push(in, n->span, out->seq, element);
        return eval(in, env, n->comp.val, &val) && dict_put(in, n->span, out->dict, element, val);
    }
    const Node *loop = n->comp.fors.at[level];
    Value over;
    if (first)
        over = *first;
    else if (!eval(in, env, loop->compfor.iter, &over))
        return false;
    Iter it;
    if (!iter_start(in, loop->span, over, &it)) return false;
    for (Value v; iter_next(&it, &v);) {
        bool take = true;
        if (!host_step(in, loop->span) || !assign(in, env, loop->compfor.target, v)) return false;
        for (int i = 0; take && i < loop->compfor.conds.n; i++) {
            const Node *cond = loop->compfor.conds.at[i];
            if (!eval(in, env, cond, &v) || !value_truth(in, cond->span, v, &take)) return false;
        }
        if (take && !comp_loops(in, env, n, level + 1, NULL, out)) return false;
        if (!iter_steady(in, loop->span, &it)) return false;
    }
    return true;
}

static bool eval_comp(Interp *in, Env *env, const Node *n, Value *out) {
    if (n->comp.kind == COMP_SET) return host_refuse(in, n->span, "%s", node_refused(NODE_SET));
    // The first iterable belongs to the scope around.
    Value first;
    if (!eval(in, env, n->comp.fors.at[0]->compfor.iter, &first)) return false;
    Names names = {.arena = in->arena};
    for (int i = 0; i < n->comp.fors.n; i++) names_of_target(&names, n->comp.fors.at[i]->compfor.target, 0);
    if (!host_work(in, n->span, names.n)) return false;
    Env *inner = env_new(in, n->span, env, names.n);
    if (!inner) return false;
    inner->comprehension = true;
    for (int i = 0; i < names.n; i++)
        if (!env_set(in, n->span, inner, names.at[i], (Value){0})) return false;
    if (n->comp.kind == COMP_DICT ? !dict_new(in, n->span, out) : !seq_new(in, n->span, V_LIST, 0, out))
        return false;
    return comp_loops(in, inner, n, 0, &first, out);
}

static bool eval_fstring(Interp *in, Env *env, const Node *n, Value *out) {
    Buf text = BUF(in->arena);
    for (int i = 0; i < n->items.n; i++) {
        const Node *part = n->items.at[i];
        Value v;
        bool format = part->kind == NODE_FORMAT;
        if (format && (part->format.spec || part->format.conversion == 'a'))
            return host_unsupported(in, part->span, "format specifications are not available in f-strings");
        if (!eval(in, env, format ? part->format.value : part, &v)) return false;
        size_t before = text.len;
        if (format && part->format.conversion == 'r')
            value_repr(&text, v, 0);
        else
            value_text(&text, v);
        size_t grown = text.len - before;
        if (text.len > STRING_MAX || grown > in->heap_left)
            return host_raise(in, n->span, "MemoryError: a string of host code may take 1 MiB");
        in->heap_left -= grown;
        if (!host_work(in, n->span, (int64_t)grown / 16)) return false;
    }
    *out = value_str(buf_str(&text));
    return true;
}

// --- subscripts ---

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

bool subscript_set(Interp *in, Span at, Value of, Value index, Value v) {
    int64_t i;
    if (of.kind == V_DICT) return dict_put(in, at, of.dict, index, v);
    if (value_is_tensor(of))
        return host_refuse(in, at, "assignment to a subscript: tensors are written by kernels");
    if (of.kind != V_LIST)
        return host_raise(in, at, "TypeError: '%s' object does not support item assignment", value_type(of));
    if (index.kind == V_SLICE) return host_unsupported(in, at, "assignment to a slice is not available");
    if (!index_resolve(in, at, index, of.seq->n, "list assignment", &i)) return false;
    if (!not_frozen(in, at, of.seq->frozen)) return false;
    of.seq->at[i] = v;
    return true;
}

static bool eval_subscript(Interp *in, Env *env, const Node *n, Value *out) {
    Value v, index;
    if (!eval(in, env, n->subscript.value, &v) || !eval(in, env, n->subscript.index, &index)) return false;
    int64_t i;
    switch (v.kind) {
    case V_KERNEL: {
        Launcher *l = HOST_NEW(in, n->span, Launcher, 1);
        if (!l) return false;
        *l = (Launcher){v.kernel, index};
        *out = (Value){.kind = V_LAUNCHER, .launcher = l};
        return true;
    }
    case V_TUPLE:
    case V_LIST: return seq_subscript(in, n->span, v, index, out);
    case V_STR: return str_subscript(in, n->span, v, index, out);
    case V_DICT: {
        int k;
        if (!dict_find(in, n->span, v.dict, index, &k)) return false;
        if (k >= 0) return *out = v.dict->value[k], true;
        Buf key = BUF(in->arena);
        value_repr(&key, index, 0);
        return host_raise(in, n->span, "KeyError: %s", buf_cstr(&key));
    }
    case V_RANGE:
        if (!index_resolve(in, n->span, index, v.range->n, "range object", &i)) return false;
        *out = value_int(v.range->start + i * v.range->step);
        return true;
    case V_TENSOR:
    case V_BOUND:
        if (index.kind == V_TUPLE) return tensor_index(in, n->span, v, index.seq->at, index.seq->n, out);
        return tensor_index(in, n->span, v, &index, 1, out);
    case V_FUNCTION:
        return host_raise(in, n->span,
                          "TypeError: 'function' object is not subscriptable; did you forget @triton.jit?");
    default: return host_raise(in, n->span, "TypeError: '%s' object is not subscriptable", value_type(v));
    }
}

static bool eval_slice(Interp *in, Env *env, const Node *n, Value *out) {
    Slice *s = HOST_NEW(in, n->span, Slice, 1);
    if (!s) return false;
    *s = (Slice){NONE_VALUE, NONE_VALUE, NONE_VALUE};
    if (n->slice.lo && !eval(in, env, n->slice.lo, &s->lo)) return false;
    if (n->slice.hi && !eval(in, env, n->slice.hi, &s->hi)) return false;
    if (n->slice.step && !eval(in, env, n->slice.step, &s->step)) return false;
    *out = (Value){.kind = V_SLICE, .slice = s};
    return true;
}

// --- calls ---

bool call_value(Interp *in, Value f, const Args *args, Value *out) {
    switch (f.kind) {
    case V_FUNCTION: return function_call(in, f.function, args, out);
    case V_API: return api_call(in, f.member->row, f.member->name, f.member->self, args, out);
    case V_CLASS:
    case V_OBJECT:
    case V_METHOD: return class_call(in, f, args, out);
    case V_LAUNCHER: *out = NONE_VALUE; return kernel_launch(in, f.launcher, args);
    case V_KERNEL:
        return host_raise(in, args->at,
                          "RuntimeError: Cannot call @triton.jit'd outside of the scope of a kernel; launch "
                          "it as %.*s[grid](...)",
                          STR_ARG(f.kernel->node->function.name));
    case V_TUNER:
        return host_refuse(in, args->at,
                           "triton.autotune and triton.heuristics stand above a kernel as decorators");
    default: return host_raise(in, args->at, "TypeError: '%s' object is not callable", value_type(f));
    }
}

static bool args_name(Interp *in, Args *args, int *cap, Str name, Value v) {
    for (int i = 0; i < args->names; i++)
        if (str_eq(args->name[i], name))
            return host_raise(in, args->at, "TypeError: got multiple values for keyword argument '%.*s'",
                              STR_ARG(name));
    if (!host_work(in, args->at, args->names)) return false;
    if (args->names == *cap) {
        int n = *cap * 2 + 8;
        Str *names = HOST_NEW(in, args->at, Str, n);
        Value *named = names ? HOST_NEW(in, args->at, Value, n) : NULL;
        if (!named) return false;
        if (args->names) memcpy(names, args->name, (size_t)args->names * sizeof *names);
        if (args->names) memcpy(named, args->named, (size_t)args->names * sizeof *named);
        args->name = names;
        args->named = named;
        *cap = n;
    }
    args->name[args->names] = name;
    args->named[args->names++] = v;
    return true;
}

static bool eval_call(Interp *in, Env *env, const Node *n, Value *out) {
    Value f, positional, v;
    if (in->candidate && is_super_init(n)) return *out = NONE_VALUE, true; // bases hold nothing
    if (in->weight && is_parameter(n)) return entry_parameter(in, n->span, out);
    Args args = {.at = n->span};
    int cap = 0;
    if (!eval(in, env, n->call.func, &f)) return false;
    if (!eval_items(in, env, &n->call.args, V_LIST, n->span, &positional)) return false;
    args.pos = positional.seq->at;
    args.n = positional.seq->n;
    for (int i = 0; i < n->call.keywords.n; i++) {
        const Node *k = n->call.keywords.at[i];
        if (!eval(in, env, k->keyword.value, &v)) return false;
        if (k->keyword.name.len) {
            if (!args_name(in, &args, &cap, k->keyword.name, v)) return false;
            continue;
        }
        if (v.kind != V_DICT)
            return host_raise(in, k->span, "TypeError: argument after ** must be a mapping, not %s",
                              value_type(v));
        for (int j = 0; j < v.dict->n; j++) {
            if (v.dict->key[j].kind != V_STR)
                return host_raise(in, k->span, "TypeError: keywords must be strings");
            if (!args_name(in, &args, &cap, v.dict->key[j].s, v.dict->value[j])) return false;
        }
    }
    return call_value(in, f, &args, out);
}

static bool eval_walrus(Interp *in, Env *env, const Node *n, Value *out) {
    if (!eval(in, env, n->walrus.value, out)) return false;
    while (env->comprehension) env = env->outer;
    return env_set(in, n->span, env, n->walrus.name, *out);
}

static bool eval_here(Interp *in, Env *env, const Node *n, Value *out) {
    switch (n->kind) {
    case NODE_NAME: return env_read(in, n->span, env, n->name, out);
    case NODE_INT:
        if (n->integer.too_big || n->integer.value > INT64_MAX)
            return host_raise(in, n->span, "OverflowError: integer does not fit 64 bits");
        *out = value_int((int64_t)n->integer.value);
        return true;
    case NODE_FLOAT: *out = value_float(n->real); return true;
    case NODE_STRING:
        if (n->string.bytes) return host_refuse(in, n->span, "bytes are not part of the host vocabulary");
        *out = value_str(n->string.text);
        return true;
    case NODE_FSTRING: return eval_fstring(in, env, n, out);
    case NODE_TRUE:
    case NODE_FALSE: *out = value_bool(n->kind == NODE_TRUE); return true;
    case NODE_NONE: *out = NONE_VALUE; return true;
    case NODE_ELLIPSIS: *out = (Value){.kind = V_ELLIPSIS}; return true;
    case NODE_TUPLE: return eval_items(in, env, &n->items, V_TUPLE, n->span, out);
    case NODE_LIST: return eval_items(in, env, &n->items, V_LIST, n->span, out);
    case NODE_DICT: return eval_dict(in, env, n, out);
    case NODE_UNARY: return eval_unary(in, env, n, out);
    case NODE_BINARY: {
        Value l, r;
        return eval(in, env, n->binary.left, &l) && eval(in, env, n->binary.right, &r) &&
               binary_values(in, n->span, n->binary.op, l, r, out);
    }
    case NODE_BOOLOP: return eval_boolop(in, env, n, out);
    case NODE_COMPARE: return eval_compare(in, env, n, out);
    case NODE_CALL: return eval_call(in, env, n, out);
    case NODE_ATTRIBUTE: {
        Value v;
        return eval(in, env, n->attribute.value, &v) && get_member(in, n->span, v, n->attribute.name, out);
    }
    case NODE_SUBSCRIPT: return eval_subscript(in, env, n, out);
    case NODE_SLICE: return eval_slice(in, env, n, out);
    case NODE_IFEXP: {
        bool truth;
        Value v;
        if (!eval(in, env, n->ifexp.cond, &v) || !value_truth(in, n->ifexp.cond->span, v, &truth))
            return false;
        const Node *arm = truth ? n->ifexp.then : n->ifexp.otherwise;
        if (in->m) cover_mark(in->m->cover, arm->span.at, COVER_HOST);
        return eval(in, env, arm, out);
    }
    case NODE_LAMBDA: return function_new(in, env, n, out);
    case NODE_COMP: return eval_comp(in, env, n, out);
    case NODE_WALRUS: return eval_walrus(in, env, n, out);
    default: return host_refuse(in, n->span, "%s", node_refused(n->kind));
    }
}

bool eval(Interp *in, Env *env, const Node *n, Value *out) {
    if (!host_step(in, n->span)) return false;
    if (++in->depth > DEPTH_MAX)
        return host_raise(in, n->span, "RecursionError: maximum recursion depth exceeded");
    bool ok = eval_here(in, env, n, out);
    in->depth--;
    return ok;
}
