// Expressions, apart from names and calls.
#include "tile/check/checker.h"
#include <assert.h>

static bool items(Checker *c, Nodes list, Val *out) {
    Val *at = NEWN(c->arena, Val, (size_t)list.n + 1);
    for (int i = 0; i < list.n; i++) {
        if (list.at[i]->kind == NODE_STARRED)
            return checker_fail(c, list.at[i], NULL, "unsupported AST node type: Starred");
        if (!check_expr(c, list.at[i], &at[i])) return false;
    }
    *out = val_tuple(at, list.n);
    return true;
}

static bool boolop(Checker *c, const Node *n, Val *out) {
    bool is_or = n->boolop.op == OPER_OR, any = false;
    Val last = val_none();
    Val *pending =
        NEWN(c->arena, Val, (size_t)n->boolop.items.n + 1); // tensors, joined from the right as in Triton
    int count = 0;
    for (int i = 0; i < n->boolop.items.n; i++) {
        const Node *item = n->boolop.items.at[i];
        check_note(c, item->span.at);
        if (!check_expr(c, item, &last)) return false;
        if (val_is_tensor(&last)) {
            if (last.t.type.rank && !c->lifted)
                checker_warn(c, item,
                             "Logical operators 'and' and 'or' are deprecated for non-scalar tensors; please "
                             "use '&' or '|' instead");
            pending[count++] = last;
            any = true;
            continue;
        }
        bool truth = last.kind == VAL_PY ? py_truth(last.py) : last.kind != VAL_TUPLE || last.tuple.n > 0;
        if (truth == is_or) return *out = last, true; // even after tensors
    }
    if (!any) return *out = last, true;
    while (count >= 2) {
        if (!check_logical(c, n, is_or, &pending[count - 2], &pending[count - 1], &pending[count - 2]))
            return false;
        count--;
    }
    *out = pending[0];
    return true;
}

static bool ifexp(Checker *c, const Node *n, Val *out) {
    Val cond, then, otherwise, test;
    if (!check_expr(c, n->ifexp.cond, &cond)) return false;
    if (!val_is_tensor(&cond)) {
        bool yes;
        if (!check_truth(c, n->ifexp.cond, &cond, &yes)) return false;
        check_note(c, node_part_place(n, yes ? n->ifexp.then : n->ifexp.otherwise));
        return check_expr(c, yes ? n->ifexp.then : n->ifexp.otherwise, out);
    }
    if (c->lifted && cond.t.type.rank) return check_lifted_ifexp(c, n, &cond, out);
    // Both arms may hold control flow of helpers, so they are jumped around.
    if (!check_bool_scalar(c, n->ifexp.cond, &cond, &test)) return false;
    int old = checker_region(c), jump = c->insns;
    if (!checker_emit(c, n, insn(INSN_JUMPNOT, -1, test.t.reg, -1, -1, 0))) return false;
    check_note(c, node_part_place(n, n->ifexp.then));
    if (!check_expr(c, n->ifexp.then, &then) || !check_to_tensor(c, n->ifexp.then, &then, &then))
        return false;
    Val result;
    if (!check_copy(c, n, &then, &result)) return false;
    int skip = c->insns;
    if (!checker_emit(c, n, insn(INSN_JUMP, -1, -1, -1, -1, 0))) return false;
    c->insn[jump].imm = c->insns;
    checker_region(c);
    check_note(c, node_part_place(n, n->ifexp.otherwise));
    if (!check_expr(c, n->ifexp.otherwise, &otherwise) ||
        !check_to_tensor(c, n->ifexp.otherwise, &otherwise, &otherwise))
        return false;
    if (!type_same(&then.t.type, &otherwise.t.type))
        return checker_fail(c, n, "AssertionError",
                            "Ternary expression with dynamic condition has inconsistent types %s and %s",
                            val_type_text(c, &then), val_type_text(c, &otherwise));
    if (!check_store_into(c, n, &result, &otherwise)) return false;
    c->insn[skip].imm = c->insns;
    checker_region_end(c, old);
    *out = result;
    return true;
}

// ---- subscripts ----

static bool tensor_index(Checker *c, const Node *at, const Val *x, const Val *index, Val *out) {
    const Val *list = index;
    int n = 1;
    if (index->kind == VAL_TUPLE) list = index->tuple.at, n = index->tuple.n;
    Val ret = *x;
    for (int i = 0; i < n; i++) {
        const Val *s = &list[i];
        if (val_is_tensor(s))
            return checker_fail(c, at, "ValueError",
                                "Did you forget to add @triton.jit ? (`_semantic` argument must be provided "
                                "outside of JIT functions.)");
        if (val_is_none(s)) {
            if (i > ret.t.type.rank &&
                ret.t.type.rank > 0) // a scalar becomes a tensor of one wherever None stands
                return checker_fail(c, at, "ValueError", "unsupported tensor index: too many indices");
            if (ret.t.type.rank == 0) {
                TileType t = {.rank = 1, .shape = {1}};
                if (!check_broadcast_to(c, at, &ret, &t, &ret)) return false;
            } else if (!check_expand(c, at, &ret, i, &ret)) {
                return false;
            }
            continue;
        }
        bool whole = s->kind == VAL_SLICE;
        for (int k = 0; whole && k < 3; k++) whole = val_is_none(&s->tuple.at[k]);
        if (!whole)
            return checker_fail(c, at, "ValueError", "unsupported tensor index: %s",
                                s->kind == VAL_PY      ? val_type_text(c, s)
                                : s->kind == VAL_SLICE ? "<triton.language.core.slice object>"
                                                       : val_text(c, s));
        if (i >= ret.t.type.rank && x->t.type.rank > 0) // of a scalar `:` is the scalar
            return checker_fail(c, at, "ValueError",
                                "unsupported tensor index: too many indices for a tensor of rank %d",
                                x->t.type.rank);
    }
    *out = ret;
    return true;
}

static bool tuple_index(Checker *c, const Node *at, const Val *x, const Val *index, Val *out) {
    int n = x->tuple.n;
    if (index->kind == VAL_SLICE) {
        int64_t bound[3] = {0, n, 1};
        for (int k = 0; k < 3; k++) {
            const Val *b = &index->tuple.at[k];
            if (val_is_none(b)) continue;
            if (!val_is_py(b, PY_INT) || (k == 2 && b->py.i != 1))
                return checker_fail(c, at, "TypeError", "slice indices must be integers, the step 1");
            int64_t i = b->py.i < 0 ? b->py.i + n : b->py.i;
            if (k < 2) bound[k] = i < 0 ? 0 : i > n ? n : i;
        }
        *out = val_tuple(x->tuple.at + bound[0], bound[1] > bound[0] ? (int)(bound[1] - bound[0]) : 0);
        return true;
    }
    int64_t i = 0;
    if (val_is_py(index, PY_INT))
        i = index->py.i;
    else if (val_is_py(index, PY_BOOL))
        i = index->py.b;
    else
        return checker_fail(c, at, "TypeError", "tuple indices must be integers or slices, not %s",
                            index->kind == VAL_PY ? py_type_name(index->py.kind) : val_class(index));
    if (i < -n || i >= n) return checker_fail(c, at, "IndexError", "tuple index out of range");
    *out = x->tuple.at[i < 0 ? i + n : i];
    return true;
}

static bool subscript(Checker *c, const Node *n, Val *out) {
    Val x, index;
    if (!check_expr(c, n->subscript.value, &x) || !check_expr(c, n->subscript.index, &index)) return false;
    if (val_is_tensor(&x)) return tensor_index(c, n, &x, &index, out);
    if (x.kind == VAL_TUPLE) return tuple_index(c, n, &x, &index, out);
    if (x.kind == VAL_FUNCTION) return checker_unsupported(c, n, "launches from inside a kernel");
    return checker_fail(c, n, "TypeError", "'%s' object is not subscriptable", val_class(&x));
}

static bool slice(Checker *c, const Node *n, Val *out) {
    Val *at = NEWN(c->arena, Val, 3);
    const Node *part[3] = {n->slice.lo, n->slice.hi, n->slice.step};
    for (int i = 0; i < 3; i++) {
        at[i] = val_none();
        if (part[i] && !check_expr(c, part[i], &at[i])) return false;
    }
    *out = (Val){.kind = VAL_SLICE, .tuple = {.at = at, .n = 3}};
    return true;
}

// ---- the rest ----

static bool fstring(Checker *c, const Node *n, Val *out) {
    Buf b = BUF(c->arena);
    for (int i = 0; i < n->items.n; i++) {
        const Node *part = n->items.at[i];
        if (part->kind == NODE_STRING && !part->string.bytes) {
            buf_str_put(&b, part->string.text);
        } else {
            Val v;
            if (part->kind == NODE_FORMAT)
                return checker_unsupported(c, part,
                                           "conversions and format specifications in f-strings of kernels");
            if (!check_expr(c, part, &v)) return false;
            if (v.kind == VAL_TENSOR)
                return checker_fail(c, part, "NotImplementedError",
                                    "Cannot evaluate f-string containing non-constexpr conversion values, "
                                    "found conversion of type %s",
                                    val_type_text(c, &v));
            buf_puts(&b, val_text(c, &v));
        }
        if (!checker_text(c, n, b.len)) return false;
    }
    *out = val_str(buf_str(&b));
    return true;
}

// Triton takes one generator over a tuple.
static bool listcomp(Checker *c, const Node *n, Val *out) {
    if (n->comp.kind != COMP_LIST)
        return checker_fail(c, n, NULL, "unsupported AST node type: %s", node_class(n));
    if (n->comp.fors.n != 1)
        return checker_fail(c, n, "ValueError", "nested comprehensions are not supported");
    const Node *f = n->comp.fors.at[0], *iter = f->compfor.iter;
    Val over = {.kind = VAL_MODULE};
    bool range = iter->kind == NODE_CALL && iter->call.func->kind == NODE_NAME &&
                 str_is(iter->call.func->name, "range");
    if (!range && !check_expr(c, iter, &over)) return false;
    if (over.kind != VAL_TUPLE)
        return checker_fail(c, f->compfor.iter, "NotImplementedError",
                            "only tuple comprehensions are supported");
    if (f->compfor.conds.n)
        return checker_fail(c, n, "NotImplementedError", "conditions in comprehensions are not supported");
    Val *at = NEWN(c->arena, Val, (size_t)over.tuple.n + 1);
    for (int i = 0; i < over.tuple.n; i++)
        if (!check_assign(c, f->compfor.target, &over.tuple.at[i]) || !check_expr(c, n->comp.element, &at[i]))
            return false;
    *out = val_tuple(at, over.tuple.n);
    return true;
}

static void keep_outcome(Checker *c, uint32_t at, const Val *out) {
    int insn = c->insns - 1;
    if (out->kind != VAL_TENSOR || insn < 0 || c->insn[insn].d != out->t.reg) return;
    if (c->lifted && out->t.type.rank) return; // a scalar of the function, whatever lanes it is run for
    if (c->compares == c->compare_cap) {
        c->compare_cap = c->compare_cap ? 2 * c->compare_cap : 16;
        c->compare = MORE(c->arena, CodeStatement, c->compare, c->compares, c->compare_cap);
    }
    c->compare[c->compares++] = (CodeStatement){.at = at, .first = insn, .place = -1};
}

// How it comes out is kept: of constants here, of a number when the kernel runs (code_uniform() says which).
static void note_comparison(Checker *c, const Node *n, const Val *l, const Val *r, const Val *out) {
    Oper op = n->compare.ops[0];
    uint32_t at = node_part_place(n, n->compare.rest.at[0]);
    if (!c->cover || c->foreign) return;
    if (out->kind == VAL_PY && val_is_py(l, PY_INT) && val_is_py(r, PY_INT) &&
        (op == OPER_EQ || op == OPER_NE))
        cover_mark(c->cover, at, out->py.b ? COVER_TRUE : COVER_FALSE);
    keep_outcome(c, at, out);
}

// Of what is made of truths, too: masks, and truths as numbers.
void check_note_combined(Checker *c, const Node *n, const Val *out) {
    const Node *part = node_combined_part(n);
    if (!c->cover || c->foreign || !part || out->kind != VAL_TENSOR || out->t.type.pointer) return;
    keep_outcome(c, node_part_place(n, part), out);
}

static bool compare(Checker *c, const Node *n, Val *out) {
    if (n->compare.rest.n != 1)
        return checker_fail(c, n, NULL, "simultaneous multiple comparison is not supported");
    Val l, r;
    if (!check_expr(c, n->compare.left, &l) || !check_expr(c, n->compare.rest.at[0], &r) ||
        !check_compare(c, n, n->compare.ops[0], &l, &r, out))
        return false;
    note_comparison(c, n, &l, &r, out);
    return true;
}

static bool literal(Checker *c, const Node *n, Val *out) {
    PyValue p;
    const char *why;
    if (!py_from_literal(n, &p, &why)) {
        // Valid Triton: a uint64.
        if (n->kind == NODE_INT && !n->integer.too_big)
            return checker_unsupported(c, n, "whole numbers from 2^63 to 2^64 - 1");
        return checker_fail(c, n, NULL, "%s", why);
    }
    *out = val_py(p);
    return true;
}

static bool expr(Checker *c, const Node *n, Val *out) {
    Val l, r;
    switch (n->kind) {
    case NODE_NAME: return check_name(c, n, n->name, out);
    case NODE_INT:
    case NODE_FLOAT:
    case NODE_STRING:
    case NODE_TRUE:
    case NODE_FALSE:
    case NODE_NONE: return literal(c, n, out);
    case NODE_FSTRING: return fstring(c, n, out);
    case NODE_TUPLE:
    case NODE_LIST: return items(c, n->items, out);
    case NODE_UNARY: return check_expr(c, n->unary.operand, &l) && check_unary(c, n, n->unary.op, &l, out);
    case NODE_BINARY:
        return check_expr(c, n->binary.left, &l) && check_expr(c, n->binary.right, &r) &&
               check_binary(c, n, n->binary.op, &l, &r, out);
    case NODE_BOOLOP: return boolop(c, n, out);
    case NODE_COMPARE: return compare(c, n, out);
    case NODE_CALL: return check_call(c, n, out);
    case NODE_ATTRIBUTE: return check_attribute(c, n, out);
    case NODE_SUBSCRIPT: return subscript(c, n, out);
    case NODE_SLICE: return slice(c, n, out);
    case NODE_IFEXP: return ifexp(c, n, out);
    case NODE_COMP: return listcomp(c, n, out);
    default: return checker_fail(c, n, NULL, "unsupported AST node type: %s", node_class(n));
    }
}

bool check_expr(Checker *c, const Node *n, Val *out) {
    if (!checker_enter(c, n)) return false;
    bool ok = expr(c, n, out);
    if (ok) check_note_combined(c, n, out);
    checker_leave(c);
    assert(ok || c->failed);
    return ok;
}
