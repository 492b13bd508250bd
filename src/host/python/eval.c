// Expressions: names, members, operators, displays, comprehensions, calls.
#include "host/policy/screen.h"
#include "host/python/api.h"
#include "host/python/entry.h"
#include "host/python/look_up.h"
#include "host/python/model_parameters.h"
#include "host/python/module_form.h"
#include <stdio.h>

// --- operators (on values: operators.c) ---

static Outcomes *outcomes(const Interp *in) { return in->m ? cover_outcomes(in->m->watch.cover) : NULL; }

// A number as the search for sizes sees it: a real one in steps of 2^-16.
static bool seen_number(Value v, bool real, int64_t *out) {
    const double step = 65536, most = 0x1p62;
    double x = v.kind == V_FLOAT ? v.f : v.kind == V_INT ? (double)v.i : v.kind == V_BOOL ? v.b : 0;
    if (v.kind != V_FLOAT && v.kind != V_INT && v.kind != V_BOOL) return false;
    if (!real) return *out = v.kind == V_INT ? v.i : v.b, true;
    x *= step;
    return x == x && (*out = x > most ? INT64_MAX / 2 : x < -most ? INT64_MIN / 2 : (int64_t)x, true);
}

static bool seen_numbers(Value l, Value r, int64_t *a, int64_t *b) {
    bool real = l.kind == V_FLOAT || r.kind == V_FLOAT;
    return seen_number(l, real, a) && seen_number(r, real, b);
}

static void note_outcome(const Interp *in, uint32_t at, Oper op, Value l, Value r, bool holds) {
    Outcomes *o = outcomes(in);
    int64_t a, b;
    if (!o) return;
    if (op == OPER_EQ || op == OPER_NE) note_equal(o, l, r, holds == (op == OPER_EQ));
    if (seen_numbers(l, r, &a, &b)) return outcome_compared(o, at, a, b, holds);
    // Which item of a collection it was.
    bool held = (op == OPER_IN && holds) || (op == OPER_NOTIN && !holds),
         item = l.kind == V_INT && held && (value_is_seq(r) || r.kind == V_DICT);
    (item ? outcome_item : outcome_seen)(o, at, item ? 3 + (uint64_t)l.i : holds ? 2 : 1);
    for (int i = 0; l.kind == V_INT && value_is_seq(r) && i < r.seq->n && i < OUTCOME_NUMBERS_MAX; i++)
        if (r.seq->at[i].kind == V_INT) outcome_number(o, r.seq->at[i].i);
    if (op == OPER_IN || op == OPER_NOTIN) note_members(o, at, l, r);
    bool alike = value_is_seq(l) && value_is_seq(r) && l.seq->n == r.seq->n;
    for (int i = 0; alike && i < l.seq->n && i < OUTCOME_PARTS_MAX; i++)
        if (seen_numbers(l.seq->at[i], r.seq->at[i], &a, &b)) outcome_part(o, at, i + 1, a, b);
    if (l.kind == V_STR && r.kind == V_STR) outcome_texts(o, at, l.s, r.s);
}

void note_computed(const Interp *in, uint32_t at, Value l, Value r, Value result) {
    Outcomes *o = outcomes(in);
    int64_t a, b, x;
    if (!o || !seen_numbers(l, r, &a, &b)) return;
    if (seen_number(result, result.kind == V_FLOAT, &x)) outcome_computed(o, at, a, b, x);
}

void note_turn(const Interp *in, uint32_t at, int turn) {
    enum { TOLD = 2 };
    if (turn <= TOLD) outcome_seen(outcomes(in), at, 4 + (uint64_t)turn);
}

// A part of an expression that is not evaluated in every call.
static void note_part(const Interp *in, const Node *n, const Node *part) {
    if (in->m) cover_mark(in->m->watch.cover, node_part_place(n, part), COVER_HOST);
}

void note_truth(const Interp *in, const Node *n, bool holds) {
    if (in->m) cover_truth(in->m->watch.cover, n, holds);
}

void note_taken(const Interp *in, bool truth) {
    Outcomes *o = outcomes(in);
    if (o) o->met.taken |= truth;
}

static void note_zero(const Interp *in, const Node *n, Value v) {
    if (v.kind == V_INT && node_saturates(n)) note_truth(in, n, v.i != 0);
}

static bool compared_as(const Interp *in, const Node *n, bool holds) {
    if (in->m)
        cover_mark(in->m->watch.cover, node_part_place(n, n->compare.rest.at[0]),
                   holds ? COVER_TRUE : COVER_FALSE);
    return true;
}

static bool eval_compare(Interp *in, Env *env, const Node *n, Value *out) {
    Value l, r;
    if (!eval(in, env, n->compare.left, &l)) return false;
    for (int i = 0; i < n->compare.rest.n; i++) {
        Oper op = n->compare.ops[i];
        if (i > 0) note_part(in, n, n->compare.rest.at[i]);
        if (!eval(in, env, n->compare.rest.at[i], &r)) return false;
        bool by_element = op >= OPER_LT && op <= OPER_NE && l.kind != V_NONE && r.kind != V_NONE;
        if (by_element && (l.kind == V_BOUND || r.kind == V_BOUND)) {
            if (n->compare.rest.n > 1)
                return host_refuse(in, n->span,
                                   "a chained comparison needs the truth of a tensor; use & and torch.where");
            return bound_binary(in, n->span, op, l, r, out);
        }
        if (by_element && n->compare.rest.n == 1 && (l.kind == V_TENSOR || r.kind == V_TENSOR) &&
            library_may(in, str_of(oper_text(op))))
            return library_operator(in, n->span, &(LibraryOperator){.op = op, .left = l, .right = r}, out);
        bool holds;
        if (!compare_values(in, n->span, op, l, r, &holds)) return false;
        note_outcome(in, n->compare.rest.at[i]->span.at, op, l, r, holds);
        *out = value_bool(holds);
        if (!holds) return compared_as(in, n, false);
        l = r;
    }
    return compared_as(in, n, true);
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
        note_truth(in, operand, truth);
        *out = value_bool(!truth);
        return true;
    }
    if (v.kind == V_TENSOR && op == OPER_NEG && library_may(in, STR("-")))
        return library_operator(in, n->span, &(LibraryOperator){.op = op, .left = v}, out);
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
        if (i > 0) note_part(in, n, n->boolop.items.at[i]);
        if (!eval(in, env, n->boolop.items.at[i], out)) return false;
        PyValue plain;
        if (i + 1 == n->boolop.items.n) { // whoever uses it as a condition asks for its truth
            if (value_plain(*out, &plain)) note_truth(in, n->boolop.items.at[i], py_truth(plain));
            break;
        }
        if (!value_truth(in, n->boolop.items.at[i]->span, *out, &truth)) return false;
        note_truth(in, n->boolop.items.at[i], truth);
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

static bool eval_display(Interp *in, Env *env, const Node *n, ValueKind kind, Value *out) {
    if (!eval_items(in, env, &n->items, kind, n->span, out)) return false;
    if (out->seq->n == n->items.n) out->seq->made = n; // nothing was spread, or one item each time
    return true;
}

static bool eval_set(Interp *in, Env *env, const Node *n, Value *out) {
    Value items;
    if (!eval_items(in, env, &n->items, V_LIST, n->span, &items) || !dict_new(in, n->span, out)) return false;
    for (int i = 0; i < items.seq->n; i++)
        if (!dict_put(in, n->span, out->dict, items.seq->at[i], NONE_VALUE)) return false;
    out->kind = V_SET;
    return true;
}

static bool eval_dict(Interp *in, Env *env, const Node *n, Value *out) {
    bool plain = true;
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
        plain = false;
    }
    if (plain && out->dict->n == n->dict.keys.n) out->dict->made = n;
    return true;
}

// The loops of a comprehension from the `level`-th on. A generator is evaluated at once, like a list.
static bool comp_loops(Interp *in, Env *env, const Node *n, int level, const Value *first, Value *out) {
    if (level == n->comp.fors.n) {
        Value element, val;
        note_part(in, n, n->comp.element);
        if (!eval(in, env, n->comp.element, &element)) return false;
        if (n->comp.kind == COMP_SET) return dict_put(in, n->span, out->dict, element, NONE_VALUE);
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
    Outcomes *o = loop->compfor.conds.n ? outcomes(in) : NULL;
    int found = -1;
    Value v;
    for (int turn = 0; iter_next(&it, &v); turn++) {
        bool take = true;
        note_item(o, loop->span.at, over, turn);
        if (!host_step(in, loop->span) || !assign(in, env, loop->compfor.target, v)) return false;
        for (int i = 0; take && i < loop->compfor.conds.n; i++) {
            const Node *cond = loop->compfor.conds.at[i];
            if (!eval(in, env, cond, &v) || !value_truth(in, cond->span, v, &take)) return false;
            note_truth(in, cond, take);
        }
        if (take && found < 0) found = turn;
        if (take && !comp_loops(in, env, n, level + 1, NULL, out)) return false;
        if (!iter_steady(in, loop->span, &it)) return false;
    }
    note_found(o, loop->span.at, over, found);
    return true;
}

static bool eval_comp(Interp *in, Env *env, const Node *n, Value *out) {
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
    bool keyed = n->comp.kind == COMP_DICT || n->comp.kind == COMP_SET;
    if (keyed ? !dict_new(in, n->span, out) : !seq_new(in, n->span, V_LIST, 0, out)) return false;
    if (!comp_loops(in, inner, n, 0, &first, out)) return false;
    if (n->comp.kind == COMP_SET) out->kind = V_SET;
    return true;
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
        if (!value_spell(in, part->span, v, format && part->format.conversion == 'r', &text)) return false;
        if (text.len > STRING_MAX)
            return host_raise(in, n->span, "MemoryError: a string of host code may take 1 MiB");
    }
    *out = value_str(buf_str(&text));
    return true;
}

static bool eval_subscript(Interp *in, Env *env, const Node *n, Value *out) {
    Value v, index;
    return eval(in, env, n->subscript.value, &v) && eval(in, env, n->subscript.index, &index) &&
           subscript_get(in, n->span, v, index, out);
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
    case V_PARTIAL: return partial_call(in, f.partial, args, out);
    case V_LAUNCHER: *out = (Value){.kind = V_COMPILED}; return kernel_launch(in, f.launcher, args);
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
    if ((in->candidate || in->form) && is_super_init(n)) return *out = NONE_VALUE, true; // bases hold nothing
    if (in->declared && is_parameter(n)) return parameter_declare(in, env, n, out);
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
    if (f.kind == V_LAUNCHER) in->launching = n, in->launched_in = env;
    bool called = call_value(in, f, &args, out);
    in->launching = NULL;
    in->launched_in = NULL; // an address that outlived the call would count as what the program keeps
    if (!called) return false;
    if (out->kind == V_BOOL) {
        note_truth(in, n, out->b);
        outcome_seen(outcomes(in), n->span.at + n->span.len - 1, out->b ? 2 : 1);
    }
    if (!node_extreme(n))
        note_zero(in, n, *out);
    else if (args.n > 1)
        note_truth(in, n, value_same(*out, args.pos[0]));
    // Its end: where it begins, an operator may have its right operand.
    note_computed(in, n->span.at + n->span.len - 1, args.n ? args.pos[0] : *out,
                  args.n > 1 ? args.pos[1] : *out, *out);
    return true;
}

static bool eval_walrus(Interp *in, Env *env, const Node *n, Value *out) {
    if (!eval(in, env, n->walrus.value, out)) return false;
    while (env->comprehension) env = env->outer;
    return env_set(in, n->span, env, n->walrus.name, *out);
}

// 2**64, 1 << 64; with `less` 2**64 - 1 and 0xffffffffffffffff, which integers of 64 bits do not hold.
static bool is_64_bits(const Node *n, bool less) {
    if (less && n->kind == NODE_INT) return !n->integer.too_big && n->integer.value == UINT64_MAX;
    if (n->kind != NODE_BINARY || n->binary.right->kind != NODE_INT || n->binary.right->integer.too_big)
        return false;
    uint64_t right = n->binary.right->integer.value;
    const Node *left = n->binary.left;
    if (less) return n->binary.op == OPER_SUB && right == 1 && is_64_bits(left, false);
    if (left->kind != NODE_INT || left->integer.too_big || right != 64) return false;
    return (n->binary.op == OPER_POW && left->integer.value == 2) ||
           (n->binary.op == OPER_SHL && left->integer.value == 1);
}
static bool takes_64_bits(const Node *n) {
    return (n->binary.op == OPER_BITAND &&
            (is_64_bits(n->binary.right, true) || is_64_bits(n->binary.left, true))) ||
           (n->binary.op == OPER_MOD && is_64_bits(n->binary.right, false));
}

static bool mask_alone(Interp *in, Span at) {
    return host_unsupported(
        in, at, "a mask of 64 bits stands here only where it is used, as in x & (2**64 - 1)" BEYOND_64_BITS);
}

// x & (2**64 - 1), x % 2**64: x itself where it is not negative.
static bool eval_64_bits(Interp *in, Env *env, const Node *n, Value *out) {
    bool mask_first = n->binary.op == OPER_BITAND && is_64_bits(n->binary.left, true);
    if (!eval(in, env, mask_first ? n->binary.right : n->binary.left, out)) return false;
    if (out->kind == V_INT && out->i >= 0) return true;
    if (out->kind != V_INT) return host_unsupported(in, n->span, "a mask of 64 bits takes an integer here");
    return host_unsupported(in, n->span, "a negative number's lowest 64 bits" BEYOND_64_BITS);
}

static bool eval_here(Interp *in, Env *env, const Node *n, Value *out) {
    switch (n->kind) {
    case NODE_NAME: return env_read(in, n->span, env, n->name, out);
    case NODE_INT:
        if (in->candidate && is_64_bits(n, true)) return mask_alone(in, n->span);
        if (n->integer.too_big || n->integer.value > INT64_MAX)
            return host_raise(in, n->span, OVERFLOW_64_BITS);
        *out = value_int((int64_t)n->integer.value);
        return true;
    case NODE_FLOAT: *out = value_float(n->real); return true;
    case NODE_STRING:
        if (n->string.bytes) return host_refuse(in, n->span, "bytes are not part of the host vocabulary");
        *out = value_str(n->string.text);
        out->written = true;
        return true;
    case NODE_FSTRING: return eval_fstring(in, env, n, out);
    case NODE_TRUE:
    case NODE_FALSE: *out = value_bool(n->kind == NODE_TRUE); return true;
    case NODE_NONE: *out = NONE_VALUE; return true;
    case NODE_ELLIPSIS: *out = (Value){.kind = V_ELLIPSIS}; return true;
    case NODE_TUPLE: return eval_display(in, env, n, V_TUPLE, out);
    case NODE_LIST: return eval_display(in, env, n, V_LIST, out);
    case NODE_SET: return eval_set(in, env, n, out);
    case NODE_DICT: return eval_dict(in, env, n, out);
    case NODE_UNARY: return eval_unary(in, env, n, out);
    case NODE_BINARY: {
        Value l, r;
        if (in->candidate && takes_64_bits(n)) return eval_64_bits(in, env, n, out);
        if (in->candidate && is_64_bits(n, true)) return mask_alone(in, n->span);
        if (!eval(in, env, n->binary.left, &l) || !eval(in, env, n->binary.right, &r)) return false;
        if (n->binary.grows && l.kind == V_LIST)
            return *out = l, seq_extend(in, n->span, l.seq, r); // others may hold it, too
        if (n->binary.in_place && l.kind == V_TENSOR && library_may(in, str_of(oper_text(n->binary.op))))
            return library_operator(in, n->span, &(LibraryOperator){n->binary.op, l, r, true}, out);
        return binary_values(in, n->span, n->binary.op, l, r, out) &&
               (note_computed(in, n->binary.right->span.at, l, r, *out), note_zero(in, n, *out), true);
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
        note_taken(in, truth);
        note_part(in, n, arm);
        return eval(in, env, arm, out);
    }
    case NODE_LAMBDA: return function_new(in, env, n, out);
    case NODE_COMP: return eval_comp(in, env, n, out);
    case NODE_WALRUS: return eval_walrus(in, env, n, out);
    default: return host_refuse_form(in, n->span, node_form(n->kind));
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
