// Rows of op.def: block pointers and tensor descriptors. Both are a handful of registers - the base, and for
// each dimension its size, its stride and (not of a descriptor) its offset - with a tile's shape; an access
// becomes an ordinary load, store or atomic on a tile of addresses with a mask, so that the machine needs to
// know nothing about them. Offsets add up in 64 bits, as in Triton's own lowering.
#include "tile/check/checker.h"
#include <inttypes.h>
#include <math.h>

static const Val *base_of(const Val *v) { return &v->tuple.at[0]; }
static const Val *size_of(const Val *v, int i) { return &v->tuple.at[1 + i]; }
static const Val *stride_of(const Val *v, int i) { return &v->tuple.at[1 + v->tuple.block->tile.rank + i]; }
static const Val *offset_of(const Val *v, int i) {
    return &v->tuple.at[1 + 2 * v->tuple.block->tile.rank + i];
}

// ---- lists of integers, constexpr or scalar ----

// One number or a list of them, as Triton takes both.
static Val as_list(Call *k, const Val *v) {
    if (v->kind == VAL_TUPLE) return *v;
    Val *one = NEW(k->c->arena, Val);
    *one = *v;
    return val_tuple(one, 1);
}

static bool one_integer(Call *k, const Val *v, bool wide, DType to, Val *out) {
    Checker *c = k->c;
    if (val_is_py(v, PY_INT) || val_is_py(v, PY_BOOL)) {
        int64_t i = v->py.kind == PY_INT ? v->py.i : v->py.b;
        if (!wide && (i < INT32_MIN || i > INT32_MAX))
            return checker_fail(
                c, k->at, "AssertionError",
                "Block pointers only support 32 bit `offsets/block_shape`, got a value %" PRId64
                " which is out of the range",
                i);
        return checker_constant(c, k->at, to, v->py, out);
    }
    if (!val_is_tensor(v))
        return checker_fail(c, k->at, "AssertionError",
                            "Unsupported element type in shape/strides/offsets: %s",
                            v->kind == VAL_PY ? py_type_name(v->py.kind) : val_class(v));
    if (tile_lanes(&v->t.type) != 1)
        return checker_fail(c, k->at, "AssertionError", "Expected a scalar in shape/strides/offsets");
    if (!type_is_integer(&v->t.type))
        return checker_fail(c, k->at, "AssertionError",
                            "Expected an integer scalar type in shape/strides/offsets");
    if (!wide && v->t.type.elem == DT_I64)
        return checker_fail(
            c, k->at, "AssertionError",
            "Block pointers only support 32 bit `offsets/block_shape`, add a `.to(tl.int32)` or "
            "use regular indexing for 64 bit support");
    *out = *v;
    if (v->t.type.rank && !check_reshape(c, k->at, v, NULL, 0, out)) return false;
    if (!wide && v->t.type.elem == DT_U32 && !check_cast(c, k->at, out, DT_I32, out)) return false;
    return check_cast(c, k->at, out, to, out);
}

static bool integers(Call *k, const Val *list, bool wide, DType to, Val *out) {
    for (int i = 0; i < list->tuple.n; i++)
        if (!one_integer(k, &list->tuple.at[i], wide, to, &out[i])) return false;
    return true;
}

static bool tile_shape(Call *k, const Val *list, TileType *out) {
    for (int i = 0; i < list->tuple.n; i++)
        if (!val_is_py(&list->tuple.at[i], PY_INT))
            return checker_fail(k->c, k->at, "AssertionError",
                                "Expected a list of constant integers (`int32_t` range) in `block_shape`");
    return check_shape(k->c, k->at, list, out->shape, &out->rank);
}

static Val block_val(Call *k, const Val *at, int n, Block block) {
    Block *b = NEW(k->c->arena, Block);
    *b = block;
    return (Val){.kind = VAL_BLOCK, .tuple = {at, n, b}};
}

// ---- making and moving them ----

static bool is_plain_pointer(const Val *v) {
    return val_is_tensor(v) && v->t.type.pointer && v->t.type.rank == 0;
}

static bool check_order(Call *k, const Val *order) {
    unsigned seen = 0;
    for (int i = 0; i < order->tuple.n; i++) {
        const Val *v = &order->tuple.at[i];
        if (val_is_py(v, PY_INT) && v->py.i >= 0 && v->py.i < order->tuple.n) seen |= 1u << v->py.i;
    }
    return seen == (1u << order->tuple.n) - 1 ||
           checker_fail(k->c, k->at, "AssertionError",
                        "Expected a permutation of (0, 1, ..., len(order)-1) in order");
}

bool check_make_block_ptr(Call *k, Val *out) {
    Checker *c = k->c;
    Val list[5];
    for (int i = 0; i < 5; i++) {
        if (val_is_py(&k->arg[1 + i], PY_INT)) // a single tensor counts as a list of one, a number does not
            return checker_fail(c, k->at, "TypeError", "'int' object is not iterable");
        list[i] = as_list(k, &k->arg[1 + i]);
        if (list[i].tuple.n > 31)
            return checker_unsupported(c, k->at, "tiles of more than %d dimensions", TILE_RANK_MAX);
    }
    int n = list[0].tuple.n, items = list[0].tuple.n + list[1].tuple.n + list[2].tuple.n + 1;
    Val *at = NEWN(c->arena, Val, (size_t)items);
    TileType tile = {0};
    if (!integers(k, &list[0], true, DT_I64, at + 1) || !integers(k, &list[1], true, DT_I64, at + 1 + n) ||
        !integers(k, &list[2], false, DT_I64, at + 1 + n + list[1].tuple.n))
        return false;
    if (!is_plain_pointer(&k->arg[0]))
        return checker_fail(c, k->at, "ValueError",
                            "Expected `base` to be a pointer type (but not a block pointer type or others)");
    at[0] = k->arg[0];
    tile.elem = at[0].t.type.elem;
    if (tile.elem == DT_BOOL) { // booleans are int8 in memory
        tile.elem = DT_I8;
        if (!check_cast_pointer(c, k->at, &at[0], &(TileType){.elem = DT_I8, .pointer = true}, &at[0]))
            return false;
    }
    if (!tile_shape(k, &list[3], &tile) || !check_order(k, &list[4])) return false;
    for (int i = 0; i < 5; i++)
        if (list[i].tuple.n != tile.rank)
            return checker_fail(c, k->at, "AssertionError",
                                "Expected shape/strides/offsets/block_shape to have the same length");
    if (tile.rank == 0) return checker_fail(c, k->at, "TypeError", "0d block_type is forbidden");
    *out = block_val(k, at, items, (Block){.tile = tile});
    return true;
}

static bool is_block(const Val *v, bool descriptor) {
    return v->kind == VAL_BLOCK && v->tuple.block->descriptor == descriptor;
}

bool check_advance(Call *k, Val *out) {
    Checker *c = k->c;
    const Val *v = &k->arg[0];
    Val list = as_list(k, &k->arg[1]);
    if (!is_block(v, false))
        return checker_fail(c, k->at, "ValueError",
                            "tl.advance wants a block pointer made by tl.make_block_ptr, got %s",
                            val_type_text(c, v));
    int n = v->tuple.block->tile.rank;
    if (list.tuple.n != n)
        return checker_fail(c, k->at, "ValueError",
                            "tl.advance wants %d offsets for a block pointer %s, got %d", n, val_text(c, v),
                            list.tuple.n);
    Val step[TILE_RANK_MAX], *at = NEWN(c->arena, Val, (size_t)v->tuple.n);
    if (!integers(k, &list, false, DT_I64, step)) return false;
    memcpy(at, v->tuple.at, (size_t)v->tuple.n * sizeof *at);
    for (int i = 0; i < n; i++) {
        bool still = val_is_py(&list.tuple.at[i], PY_INT) && list.tuple.at[i].py.i == 0;
        if (!still &&
            !check_binary_insn(c, k->at, INSN_ADD, &at[1 + 2 * n + i], &step[i], &at[1 + 2 * n + i]))
            return false;
    }
    *out = (Val){.kind = VAL_BLOCK, .tuple = {at, v->tuple.n, v->tuple.block}};
    return true;
}

// What lanes outside of a tensor hold.
typedef enum { PADDING_ANY, PADDING_ZERO, PADDING_NAN } Padding;

static bool padding(Call *k, const Val *v, const TileType *tile, const char *what, Padding *out) {
    *out = PADDING_ANY;
    if (val_is_none(v) || (val_is_py(v, PY_STR) && v->py.s.len == 0)) return true;
    if (val_is_py(v, PY_STR) && str_is(v->py.s, "zero")) *out = PADDING_ZERO;
    if (val_is_py(v, PY_STR) && str_is(v->py.s, "nan")) *out = PADDING_NAN;
    if (*out == PADDING_ANY)
        return checker_fail(k->c, k->at, "ValueError", "Padding option %s not supported", val_text(k->c, v));
    if (*out == PADDING_NAN && !dtype_is_float(tile->elem))
        return checker_fail(k->c, k->at, "ValueError", "Padding option `nan` is not supported for integer %s",
                            what);
    return true;
}

// The hardware's demands on the base and the strides, which are known at run time.
static bool check_alignment(Call *k, const Val *v) {
    const TileType *tile = &v->tuple.block->tile;
    int unit = 16 / dtype_bytes(tile->elem);
    if (!checker_emit(k->c, k->at, insn(INSN_ALIGNED, -1, base_of(v)->t.reg, -1, -1, 16))) return false;
    for (int i = 0; unit > 1 && i < tile->rank - 1; i++)
        if (!checker_emit(k->c, k->at, insn(INSN_ALIGNED, -1, stride_of(v, i)->t.reg, -1, -1, unit)))
            return false;
    return true;
}

bool check_make_tensor_descriptor(Call *k, Val *out) {
    Checker *c = k->c;
    Val shape = as_list(k, &k->arg[1]), strides = as_list(k, &k->arg[2]), block = as_list(k, &k->arg[3]);
    int n = shape.tuple.n;
    if (n < 1 || n > 5)
        return checker_fail(c, k->at, "ValueError", "Expected 1 <= ndim <= 5 but got %d dimensions", n);
    if (strides.tuple.n != n)
        return checker_fail(c, k->at, "ValueError", "Expected %d strides but got %d", n, strides.tuple.n);
    if (block.tuple.n != n)
        return checker_fail(c, k->at, "ValueError", "Expected block_shape to have %d dimensions but got %d",
                            n, strides.tuple.n);
    if (!is_plain_pointer(&k->arg[0]))
        return checker_fail(c, k->at, "AssertionError",
                            "the base of a tensor descriptor must be a pointer, got %s",
                            val_type_text(c, &k->arg[0]));
    TileType tile = {.elem = k->arg[0].t.type.elem};
    const Val *width = &block.tuple.at[n - 1], *last = &strides.tuple.at[n - 1];
    int bytes = dtype_bytes(tile.elem);
    if (val_is_py(width, PY_INT) && width->py.i >= 0 && width->py.i < 16 && width->py.i * bytes < 16)
        return checker_fail(
            c, k->at, "ValueError",
            "Descriptor block shape must have at least 16 bytes in the last dimension, but got "
            "%d * %d = %d bytes",
            (int)width->py.i, bytes, (int)width->py.i * bytes);
    if (val_is_tensor(last))
        return checker_fail(
            c, k->at, "ValueError",
            "Did you forget to add @triton.jit ? (`_semantic` argument must be provided outside of "
            "JIT functions.) The last stride of a tensor descriptor must be the constant 1");
    if (!val_is_py(last, PY_INT) || last->py.i != 1)
        return checker_fail(c, k->at, "ValueError", "Tensor descriptor last dim must be 1 but got %s",
                            val_text(c, last));
    Padding outside;
    Val *at = NEWN(c->arena, Val, (size_t)(2 * n + 1));
    at[0] = k->arg[0];
    if (!integers(k, &shape, true, DT_I32, at + 1) || !integers(k, &strides, true, DT_I64, at + 1 + n))
        return false;
    if (!tile_shape(k, &block, &tile) || !padding(k, &k->arg[4], &tile, "blocks", &outside)) return false;
    *out = block_val(k, at, 2 * n + 1,
                     (Block){.tile = tile, .descriptor = true, .nan = outside == PADDING_NAN, .made = true});
    return check_alignment(k, out);
}

// ---- addresses and masks ----

static bool join(Call *k, InsnOp op, Val *sum, bool first, const Val *term) {
    if (first) return *sum = *term, true;
    Val x = *term;
    return check_broadcast(k->c, k->at, sum, &x) && check_binary_insn(k->c, k->at, op, sum, &x, sum);
}

// One dimension: how far its lanes lie from the base, in elements, and which of them are inside (NULL: nobody
// asks). The results have the tile's rank and are 1 along the other dimensions.
static bool along(Call *k, const Val *v, int i, const Val *offset, Val *far, Val *inside) {
    Checker *c = k->c;
    const TileType *tile = &v->tuple.block->tile;
    TileType t = {.elem = DT_I32, .rank = 1, .shape = {tile->shape[i]}};
    int shape[TILE_RANK_MAX];
    for (int j = 0; j < tile->rank; j++) shape[j] = 1;
    shape[i] = tile->shape[i];
    Val index, zero, low, size;
    if (!checker_result(c, k->at, t, insn(INSN_ARANGE, -1, -1, -1, -1, 0), &index) ||
        !check_cast(c, k->at, &index, DT_I64, &index) ||
        !check_binary_insn(c, k->at, INSN_ADD, &index, offset, &index))
        return false;
    if (inside) {
        if (!checker_constant(c, k->at, DT_I64, (PyValue){.kind = PY_INT}, &zero) ||
            !check_cast(c, k->at, size_of(v, i), DT_I64, &size) ||
            !check_binary_insn(c, k->at, INSN_GE, &index, &zero, &low) ||
            !check_binary_insn(c, k->at, INSN_LT, &index, &size, inside) ||
            !check_binary_insn(c, k->at, INSN_AND, &low, inside, inside) ||
            !check_reshape(c, k->at, inside, shape, tile->rank, inside))
            return false;
    }
    const Val *stride = stride_of(v, i);
    int known = c->def[stride->t.reg].constant;
    bool unit = known && c->constant[known - 1].imm == 1;
    *far = index;
    if (!unit && !check_binary_insn(c, k->at, INSN_MUL, &index, stride, far)) return false;
    return check_reshape(c, k->at, far, shape, tile->rank, far);
}

// The addresses of the tile's lanes, and the mask of those inside along the guarded dimensions (bits of
// `guards`; no mask without any).
static bool addresses(Call *k, const Val *v, const Val *offset, unsigned guards, Val *ptr, Val *mask) {
    Checker *c = k->c;
    const TileType *tile = &v->tuple.block->tile;
    bool masked = false;
    Val far = {0};
    *mask = val_none();
    for (int i = 0; i < tile->rank; i++) {
        Val term, inside;
        bool guarded = guards >> i & 1;
        if (!along(k, v, i, &offset[i], &term, guarded ? &inside : NULL) ||
            !join(k, INSN_ADD, &far, i == 0, &term))
            return false;
        if (guarded && !join(k, INSN_AND, mask, !masked, &inside)) return false;
        masked |= guarded;
    }
    TileType t = *tile;
    t.pointer = true;
    return checker_result(c, k->at, t,
                          insn(INSN_PTRADD, -1, base_of(v)->t.reg, far.t.reg, -1, dtype_bytes(tile->elem)),
                          ptr) &&
           (!masked || check_broadcast_to(c, k->at, mask, tile, mask));
}

static bool load(Call *k, const Val *v, const Val *offset, unsigned guards, Padding outside, Val *out) {
    Val ptr, mask, other = val_none();
    const TileType *tile = &v->tuple.block->tile;
    PyValue fill =
        outside == PADDING_NAN ? (PyValue){.kind = PY_FLOAT, .f = (double)NAN} : (PyValue){.kind = PY_INT};
    if (!addresses(k, v, offset, guards, &ptr, &mask)) return false;
    bool masked = !val_is_none(&mask), filled = masked && outside != PADDING_ANY;
    if (filled && !checker_constant(k->c, k->at, tile->elem, fill, &other)) return false;
    return checker_result(
        k->c, k->at, *tile,
        insn(INSN_LOAD, -1, ptr.t.reg, masked ? mask.t.reg : -1, filled ? other.t.reg : -1, 0), out);
}

static bool store(Call *k, const Val *v, const Val *offset, unsigned guards, const Val *value) {
    Val ptr, mask;
    if (!addresses(k, v, offset, guards, &ptr, &mask)) return false;
    return checker_emit(
        k->c, k->at, insn(INSN_STORE, -1, ptr.t.reg, value->t.reg, val_is_none(&mask) ? -1 : mask.t.reg, 0));
}

// ---- block pointers ----

static bool guarded_dimensions(Call *k, const Val *check, int rank, unsigned *out) {
    *out = 0;
    if (val_is_none(check) || (check->kind == VAL_TUPLE && check->tuple.n == 0)) return true;
    Val list = as_list(k, check);
    if (check->kind == VAL_PY && !py_truth(check->py))
        return true; // a bare 0 is no list of dimensions to Triton
    for (int i = 0; i < list.tuple.n; i++) {
        const Val *d = &list.tuple.at[i];
        if (!val_is_py(d, PY_INT) || d->py.i < 0 || d->py.i >= rank)
            return checker_fail(k->c, k->at, "AssertionError",
                                "`boundary_check` of a block pointer of %d dimensions wants 0 to %d, got %s",
                                rank, rank - 1, val_text(k->c, d));
        if (*out >> d->py.i & 1)
            return checker_fail(k->c, k->at, "AssertionError", "Duplicate dimension in `boundary_check`");
        *out |= 1u << d->py.i;
    }
    return true;
}

static bool no_mask(Call *k, const Val *mask, const Val *other) {
    return (val_is_none(mask) && val_is_none(other)) ||
           checker_fail(k->c, k->at, "ValueError",
                        "`mask` and `other` arguments cannot be specified for loading block pointers");
}

static bool is_pointer(Call *k, const Val *v, const char *op) {
    return !v->tuple.block->descriptor ||
           checker_fail(k->c, k->at, "ValueError", "Unsupported ptr type %s in `tl.%s`", val_text(k->c, v),
                        op);
}

bool check_block_load(Call *k, Val *out) {
    const Val *v = &k->arg[0];
    const TileType *tile = &v->tuple.block->tile;
    unsigned guards;
    Padding outside;
    return is_pointer(k, v, "load") && no_mask(k, &k->arg[1], &k->arg[2]) &&
           padding(k, &k->arg[4], tile, "block pointers", &outside) &&
           guarded_dimensions(k, &k->arg[3], tile->rank, &guards) &&
           load(k, v, offset_of(v, 0), guards, outside, out);
}

bool check_block_store(Call *k, Val *out) {
    Checker *c = k->c;
    const Val *v = &k->arg[0], none = val_none();
    const TileType *tile = &v->tuple.block->tile;
    Val value;
    unsigned guards;
    if (!check_to_tensor(c, k->at, &k->arg[1], &value)) return false;
    if (!is_pointer(k, v, "store") || !no_mask(k, &k->arg[2], &none)) return false;
    if (value.t.type.rank && !shape_same(&value.t.type, tile))
        return checker_fail(c, k->at, "AssertionError", "Block shape(%s) and value shape(%s) mismatch",
                            check_shape_text(c, tile), check_shape_text(c, &value.t.type));
    if (value.t.type.pointer || value.t.type.elem != tile->elem) {
        TileType from = {.elem = value.t.type.elem, .pointer = value.t.type.pointer};
        return checker_fail(c, k->at, "AssertionError",
                            "Block element type(%s) and value element type(%s) mismatch",
                            dtype_info[tile->elem].triton, type_text(c, &from));
    }
    *out = val_none();
    return guarded_dimensions(k, &k->arg[3], tile->rank, &guards) &&
           store(k, v, offset_of(v, 0), guards, &value);
}

// ---- descriptors ----

// All dimensions are guarded.
static bool descriptor(Call *k, Val *offset, unsigned *guards) {
    Checker *c = k->c;
    const Val *v = &k->arg[0];
    if (!is_block(v, true))
        return checker_fail(c, k->at, "AssertionError", "%.*s wants a tensor descriptor, got %s",
                            STR_ARG(k->name), val_type_text(c, v));
    c->scratch |= v->tuple.block->made;
    int n = v->tuple.block->tile.rank;
    Val list = as_list(k, &k->arg[1]);
    if (list.tuple.n != n)
        return checker_fail(c, k->at, "AssertionError", "expected %d offsets, but got %d", n, list.tuple.n);
    *guards = (1u << n) - 1;
    return integers(k, &list, false, DT_I64, offset);
}

bool check_descriptor_load(Call *k, Val *out) {
    Val offset[TILE_RANK_MAX];
    unsigned guards;
    if (!descriptor(k, offset, &guards)) return false;
    const Block *b = k->arg[0].tuple.block;
    return load(k, &k->arg[0], offset, guards, b->nan ? PADDING_NAN : PADDING_ZERO, out);
}

static bool descriptor_value(Call *k, Val *offset, unsigned *guards, Val *value) {
    Checker *c = k->c;
    if (!descriptor(k, offset, guards)) return false;
    const TileType *tile = &k->arg[0].tuple.block->tile;
    if (!val_is_tensor(&k->arg[2]))
        return checker_fail(c, k->at, "AttributeError", "'%s' object has no attribute 'shape'",
                            val_class(&k->arg[2]));
    *value = k->arg[2];
    if (shape_same(&value->t.type, tile)) return true;
    return checker_fail(c, k->at, "AssertionError", "the descriptor's block shape is %s, the value's %s",
                        check_shape_text(c, tile), check_shape_text(c, &value->t.type));
}

bool check_descriptor_store(Call *k, Val *out) {
    Val offset[TILE_RANK_MAX], value;
    unsigned guards;
    *out = val_none();
    return descriptor_value(k, offset, &guards, &value) &&
           check_cast(k->c, k->at, &value, k->arg[0].tuple.block->tile.elem, &value) &&
           store(k, &k->arg[0], offset, guards, &value);
}

// What TMA reduces: add of int32, uint32, uint64 and three floats; min and max also of int64, but not of
// fp32; the bitwise ones of 32- and 64-bit integers.
static bool reduces(AtomicOp op, DType t) {
    bool wide = t == DT_I32 || t == DT_U32 || t == DT_U64, half = t == DT_F16 || t == DT_BF16;
    if (op == ATOMIC_ADD) return wide || half || t == DT_F32;
    return wide || t == DT_I64 || (half && (op == ATOMIC_MIN || op == ATOMIC_MAX));
}

bool check_descriptor_atomic(Call *k, Val *out) {
    static const struct {
        const char *name;
        AtomicOp op;
    } ops[] = {{"atomic_add", ATOMIC_ADD}, {"atomic_max", ATOMIC_MAX}, {"atomic_min", ATOMIC_MIN},
               {"atomic_and", ATOMIC_AND}, {"atomic_or", ATOMIC_OR},   {"atomic_xor", ATOMIC_XOR}};
    Checker *c = k->c;
    Val offset[TILE_RANK_MAX], value, ptr, mask;
    unsigned guards;
    AtomicOp op = ATOMIC_ADD;
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++)
        if (str_is(k->name, ops[i].name)) op = ops[i].op;
    if (!descriptor_value(k, offset, &guards, &value)) return false;
    TileType tile = k->arg[0].tuple.block->tile;
    if (!reduces(op, tile.elem)) return checker_fail(c, k->at, "AssertionError", "Unsupported dtype");
    if (!atomic_knows(op, tile.elem))
        return checker_unsupported(c, k->at, "%.*s of %s through a tensor descriptor", STR_ARG(k->name),
                                   dtype_info[tile.elem].triton);
    if (value.t.type.elem != tile.elem)
        return checker_fail(c, k->at, NULL, "'tt.descriptor_reduce' op wants values of type %s, got %s",
                            dtype_info[tile.elem].triton, val_type_text(c, &value));
    *out = val_none();
    Val old;
    return addresses(k, &k->arg[0], offset, guards, &ptr, &mask) &&
           checker_result(c, k->at, tile, insn(INSN_ATOMIC, -1, ptr.t.reg, value.t.reg, mask.t.reg, op),
                          &old);
}

// ---- attributes ----

static bool row_of(Checker *c, const Val *v, const char *name, Str spelling, Val *out) {
    Val *self = NEW(c->arena, Val);
    *self = *v;
    *out = (Val){.kind = VAL_OP, .op = {oprow_named(str_of(name)), spelling, self}};
    return true;
}

static bool shape_tuple(Checker *c, const TileType *t, Val *out) {
    Val *at = NEWN(c->arena, Val, TILE_RANK_MAX);
    for (int i = 0; i < t->rank; i++) at[i] = val_int(t->shape[i]);
    return *out = val_tuple(at, t->rank), true;
}

bool check_block_attribute(Checker *c, const Node *n, const Val *v, Str name, Val *out) {
    const Block *b = v->tuple.block;
    if (!b->descriptor) {
        if (str_is(name, "dtype") || str_is(name, "type")) {
            *out = val_type(b->tile);
            out->type.pointer = true;
            out->to_tile = true;
            return true;
        }
        if (str_is(name, "shape")) return *out = val_tuple(NULL, 0), true;
        static const char *const methods[] = {"advance", "store"};
        for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
            if (str_is(name, methods[i])) return row_of(c, v, methods[i], name, out);
        return checker_fail(c, n, "AttributeError", "'tensor' object has no attribute '%.*s'", STR_ARG(name));
    }
    if (str_is(name, "dtype")) return *out = val_dtype(b->tile.elem), true;
    if (str_is(name, "block_type")) return *out = val_type(b->tile), true;
    if (str_is(name, "block_shape")) return shape_tuple(c, &b->tile, out);
    if (str_is(name, "shape")) return *out = val_tuple(v->tuple.at + 1, b->tile.rank), true;
    if (str_is(name, "strides")) return *out = val_tuple(v->tuple.at + 1 + b->tile.rank, b->tile.rank), true;
    Str path = str_of(arena_printf(c->arena, "desc.%.*s", STR_ARG(name)));
    if (oprow_named(path)) return row_of(c, v, path.p, name, out);
    const char *why = oprow_unsupported(path);
    if (why) return checker_unsupported(c, n, "%.*s: %s", STR_ARG(name), why);
    return checker_fail(c, n, "AttributeError", "'tensor_descriptor' object has no attribute '%.*s'",
                        STR_ARG(name));
}
