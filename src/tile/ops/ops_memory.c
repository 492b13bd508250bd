// Rows of op.def: memory, program ids, tiles made from nothing.
#include "tile/check/checker.h"
#include <inttypes.h>

// ---- load, store ----

bool check_pointer(Call *k, const Val *p, const char *op) {
    if (k->c->guard)
        return checker_unsupported(
            k->c, k->at, "tl.%s in a branch that depends on the values that a function combines", op);
    if (val_is_tensor(p) && p->t.type.pointer) return true;
    if (val_is_tensor(p))
        return checker_fail(k->c, k->at, "ValueError", "Unsupported ptr type %s in `tl.%s`",
                            p->t.type.rank ? val_type_text(k->c, p) : type_repr(k->c, &p->t.type), op);
    return checker_fail(k->c, k->at, "AttributeError", "'%s' object has no attribute 'type'",
                        p->kind == VAL_PY ? py_type_name(p->py.kind) : val_class(p));
}

static bool is_given(const Val *v) { // boundary_check and padding_option
    if (v->kind == VAL_TUPLE) return v->tuple.n > 0;
    return v->kind != VAL_PY || py_truth(v->py);
}

bool check_option(Call *k, const Val *v, const char *what, const char *const *known, int n) {
    if (!is_given(v)) return true;
    for (int i = 0; i < n; i++)
        if (val_is_py(v, PY_STR) && str_is(v->py.s, known[i])) return true;
    return checker_fail(k->c, k->at, "ValueError", "%s %s not supported", what, val_text(k->c, v));
}

static bool hints(Call *k, const Val *cache, bool store) {
    static const char *const load[] = {".ca", ".cg", ".cv"}, *const stores[] = {".wb", ".cg", ".cs", ".wt"},
                             *const eviction[] = {"evict_last", "evict_first"};
    return check_option(k, cache, "Cache modifier", store ? stores : load, store ? 4 : 3) &&
           check_option(k, cache + 1, "Eviction policy", eviction, 2);
}

bool check_mask_bool(Call *k, const Val *mask) {
    return (!mask->t.type.pointer && mask->t.type.elem == DT_BOOL) ||
           checker_fail(k->c, k->at, "ValueError", "Mask must have boolean scalar type");
}

static bool only_scalar(Call *k, const Val *v, const char *what) {
    return v->t.type.rank == 0 ||
           checker_fail(k->c, k->at, "ValueError",
                        "%s argument cannot be block type if pointer argument is not a block", what);
}

bool check_load(Call *k, Val *out) {
    Checker *c = k->c;
    if (!hints(k, &k->arg[5], false)) return false;
    if (k->arg[0].kind == VAL_BLOCK) return check_block_load(k, out);
    Val ptr = k->arg[0], mask = k->arg[1], other = k->arg[2];
    bool masked = !val_is_none(&mask), filled = !val_is_none(&other);
    if (masked && !check_to_tensor(c, k->at, &mask, &mask)) return false;
    if (filled && !check_to_tensor(c, k->at, &other, &other)) return false;
    if (!check_pointer(k, &ptr, "load")) return false;
    if (!masked && filled)
        return checker_fail(c, k->at, "ValueError", "`other` cannot be provided without `mask`");
    if (is_given(&k->arg[3]) || is_given(&k->arg[4]))
        return checker_fail(
            c, k->at, "ValueError",
            "`padding_option` or `boundary_check` argument is not supported for loading a tensor of"
            "pointers or loading a scalar. Because the compiler does not know the boundary; please use block "
            "pointers "
            "(defined by `make_block_ptr`) instead");
    if (ptr.t.type.rank == 0) {
        if ((masked && !only_scalar(k, &mask, "Mask")) || (filled && !only_scalar(k, &other, "Other")))
            return false;
    } else {
        if (masked && !check_broadcast(c, k->at, &ptr, &mask)) return false;
        if (filled && !check_broadcast(c, k->at, &ptr, &other)) return false;
    }
    if (masked && !check_mask_bool(k, &mask)) return false;
    DType elem = ptr.t.type.elem;
    if (filled) {
        // Booleans are int8 in memory.
        if (elem == DT_BOOL && other.t.type.elem != DT_BOOL && !check_cast(c, k->at, &other, DT_I8, &other))
            return false;
        if (!check_cast(c, k->at, &other, elem, &other)) return false;
    }
    // A pointer block of one lane does not repeat by itself here: its lanes are counted.
    TileType shape = ptr.t.type;
    if (masked) shape = check_joint_type(&ptr, &mask);
    if (filled) {
        Val wide = ptr;
        wide.t.type = shape;
        shape = check_joint_type(&wide, &other);
    }
    if (!check_broadcast_to(c, k->at, &ptr, &shape, &ptr)) return false;
    shape.pointer = false;
    return checker_result(
        c, k->at, shape,
        insn(INSN_LOAD, -1, ptr.t.reg, masked ? mask.t.reg : -1, filled ? other.t.reg : -1, 0), out);
}

static const char *shape_text(Checker *c, const TileType *t) {
    Buf b = BUF(c->arena);
    buf_putc(&b, '[');
    for (int i = 0; i < t->rank; i++) buf_printf(&b, "%s'constexpr[%d]'", i ? ", " : "", t->shape[i]);
    buf_putc(&b, ']');
    return buf_cstr(&b);
}

// The pointer block must not have to grow.
static bool within(Call *k, const Val *ptr, Val *v) {
    Val p = *ptr;
    if (!check_broadcast(k->c, k->at, &p, v)) return false;
    TileType t = check_joint_type(&p, v);
    if (shape_same(&t, &ptr->t.type)) return true;
    return checker_fail(k->c, k->at, "ValueError", "Expected pointer argument to have shape %s but got %s",
                        shape_text(k->c, &t), shape_text(k->c, &ptr->t.type));
}

bool check_store(Call *k, Val *out) {
    Checker *c = k->c;
    if (!hints(k, &k->arg[4], true)) return false;
    if (k->arg[0].kind == VAL_BLOCK) return check_block_store(k, out);
    Val ptr = k->arg[0], v = k->arg[1], mask = k->arg[2];
    bool masked = !val_is_none(&mask);
    if (!check_to_tensor(c, k->at, &v, &v) || (masked && !check_to_tensor(c, k->at, &mask, &mask)))
        return false;
    if (!check_pointer(k, &ptr, "store")) return false;
    if (is_given(&k->arg[3]))
        return checker_fail(
            c, k->at, "ValueError",
            "`boundary_check` argument is not supported for storing a tensor of pointers or storing a "
            "scalar. "
            "Because the compiler does not know the boundary; please use block pointers (defined by "
            "`make_block_ptr`) instead");
    if (ptr.t.type.rank == 0) {
        if (!only_scalar(k, &v, "Value") || (masked && !only_scalar(k, &mask, "Mask"))) return false;
    } else if (!within(k, &ptr, &v) || (masked && !within(k, &ptr, &mask))) {
        return false;
    }
    DType elem = ptr.t.type.elem;
    if (elem == DT_BOOL && !v.t.type.pointer && v.t.type.elem != DT_BOOL &&
        !check_cast(c, k->at, &v, DT_I8, &v))
        return false;
    if (!check_cast(c, k->at, &v, elem, &v)) return false;
    if (masked && !check_mask_bool(k, &mask)) return false;
    *out = val_none();
    return checker_emit(c, k->at, insn(INSN_STORE, -1, ptr.t.reg, v.t.reg, masked ? mask.t.reg : -1, 0));
}

// ---- where a program stands ----

static bool grid_value(Call *k, InsnOp op, Val *out) {
    const Val *axis = &k->arg[0];
    if (!val_is_py(axis, PY_INT) || axis->py.i < 0 || axis->py.i > 2)
        return checker_fail(k->c, k->at, "ValueError", "%.*s axis must be 0, 1, or 2 but got %s",
                            STR_ARG(k->name), val_text(k->c, axis));
    return checker_result(k->c, k->at, (TileType){.elem = DT_I32}, insn(op, -1, -1, -1, -1, axis->py.i), out);
}
bool check_program_id(Call *k, Val *out) { return grid_value(k, INSN_PID, out); }
bool check_num_programs(Call *k, Val *out) { return grid_value(k, INSN_NPROG, out); }

// ---- tiles ----

bool check_arange(Call *k, Val *out) {
    Checker *c = k->c;
    const Val *start = &k->arg[0], *end = &k->arg[1];
    if (!val_is_py(start, PY_INT) || !val_is_py(end, PY_INT))
        return checker_fail(c, k->at, "ValueError", "arange's arguments must be of type tl.constexpr");
    int64_t lo = start->py.i, hi = end->py.i;
    if (lo < 0 || hi < 0 || lo > (int64_t)UINT32_MAX || hi > (int64_t)UINT32_MAX)
        return checker_fail(c, k->at, "ValueError", "arange must fit in int32");
    if (hi <= lo)
        return checker_fail(c, k->at, "ValueError",
                            "arange's end argument must be greater than the start argument");
    int64_t n = hi - lo;
    if (n & (n - 1)) return checker_fail(c, k->at, "ValueError", "arange's range must be a power of 2");
    if (n > TILE_LANES_MAX)
        return checker_fail(c, k->at, "ValueError",
                            "numel (%" PRId64 ") exceeds triton maximum tensor numel (%d)", n,
                            TILE_LANES_MAX);
    if (hi >= INT32_MAX) return checker_fail(c, k->at, "ValueError", "arange must fit in int32");
    TileType t = {.elem = DT_I32, .rank = 1, .shape = {(int)n}};
    return checker_result(c, k->at, t, insn(INSN_ARANGE, -1, -1, -1, -1, lo), out);
}

static bool filled(Checker *c, const Node *at, const TileType *shape, const Val *value, DType elem,
                   Val *out) {
    Val one;
    if (val_is_tensor(value)) {
        if (tile_lanes(&value->t.type) != 1)
            return checker_fail(c, at, "AssertionError", "only accepts size-1 tensor");
        if (!check_cast(c, at, value, elem, &one)) return false;
        if (one.t.type.rank && !check_reshape(c, at, &one, NULL, 0, &one)) return false;
    } else if (dtype_is_f8(elem) && val_is_number(value) && py_truth(value->py)) {
        return checker_fail(c, at, "AttributeError",
                            "'triton._C.libtriton.ir.builder' object has no attribute 'get_%s'",
                            dtype_info[elem].triton);
    } else if (!val_is_number(value) ||
               (value->py.kind == PY_FLOAT && !dtype_is_float(elem) && value->py.f != 0)) {
        return checker_fail(c, at, "TypeError", "get_%s(): incompatible function arguments: %s",
                            dtype_info[elem].triton, val_text(c, value));
    } else {
        PyValue v = value->py;
        if (v.kind == PY_FLOAT && !dtype_is_float(elem)) v = (PyValue){.kind = PY_INT}; // a zero of any type
        if (!checker_constant(c, at, elem, v, &one)) return false;
    }
    return check_broadcast_to(c, at, &one, shape, out);
}

static bool tile_of(Call *k, const Val *shape, const Val *value, const Val *dtype, Val *out) {
    TileType t = {0};
    DType elem;
    if (!check_shape(k->c, k->at, shape, t.shape, &t.rank) || !check_dtype(k->c, k->at, dtype, &elem))
        return false;
    return filled(k->c, k->at, &t, value, elem, out);
}
bool check_full(Call *k, Val *out) { return tile_of(k, &k->arg[0], &k->arg[1], &k->arg[2], out); }
bool check_zeros(Call *k, Val *out) {
    Val zero = val_int(0);
    return tile_of(k, &k->arg[0], &zero, &k->arg[1], out);
}
bool check_zeros_like(Call *k, Val *out) {
    if (!val_is_tensor(&k->arg[0]))
        return checker_fail(k->c, k->at, "AttributeError", "'%s' object has no attribute 'shape'",
                            val_class(&k->arg[0]));
    TileType t = k->arg[0].t.type;
    Val zero = val_int(0);
    if (t.pointer) return checker_unsupported(k->c, k->at, "null pointers");
    return filled(k->c, k->at, &t, &zero, t.elem, out);
}
