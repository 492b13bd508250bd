// Whether typed code is well formed: operands, types, registers written before they are read, loops that
// nest.
#include "tile/code/hint.h"
#include "tile/loops/loops.h"
#include <assert.h>

typedef enum { SPECIAL, MOVE, CAST, BINARY, COMPARE, UNARY, TERNARY, REDUCE, SCAN, CONTROL } InsnClass;
static const InsnClass insn_class[INSN_COUNT] = {
#define INSN(id, class, doc) [INSN_##id] = class,
#include "tile/code/insn.def"
#undef INSN
};

typedef struct {
    const Code *code;
    const Insn *insn;
    const TileType *d, *a, *b, *c; // NULL: absent
    const char *why;
} Verify;

static bool wrong(Verify *v, const char *why) {
    v->why = why;
    return false;
}

static bool type_ok(const TileType *t) {
    if ((int)t->elem < 0 || t->elem >= DT_COUNT || t->rank < 0 || t->rank > TILE_RANK_MAX) return false;
    int64_t lanes = 1;
    for (int i = 0; i < t->rank; i++) {
        if (t->shape[i] < 1 || t->shape[i] > TILE_LANES_MAX) return false;
        lanes *= t->shape[i];
        if (lanes > TILE_LANES_MAX) return false;
    }
    return true;
}
static bool same_shape(const TileType *x, const TileType *y) {
    if (x->rank != y->rank) return false;
    for (int i = 0; i < x->rank; i++)
        if (x->shape[i] != y->shape[i]) return false;
    return true;
}
static bool same_elem(const TileType *x, const TileType *y) {
    return x->elem == y->elem && x->pointer == y->pointer;
}
static bool fits(const TileType *operand, const TileType *d) {
    return tile_lanes(operand) == 1 || same_shape(operand, d);
}
static bool is_int(const TileType *t) { return !t->pointer && dtype_is_int(t->elem); }
static bool is_bool(const TileType *t) { return !t->pointer && t->elem == DT_BOOL; }
static bool one_lane(const TileType *t) { return tile_lanes(t) == 1; }

// The loops know which types an operation has; pointers are addresses in int64.
static bool has_loop(InsnOp op, const TileType *t) {
    return tile_loops_base.op[op][t->pointer ? DT_I64 : t->elem][0] != NULL;
}

static bool operands(Verify *v, bool d, bool a, bool b, int c) { // c: 0 absent, 1 present, 2 either
    if (d != (v->d != NULL)) return wrong(v, d ? "no result" : "a result where there is none");
    if (a != (v->a != NULL)) return wrong(v, a ? "no operand a" : "operand a where there is none");
    if (b != (v->b != NULL)) return wrong(v, b ? "no operand b" : "operand b where there is none");
    if (c != 2 && (c == 1) != (v->c != NULL))
        return wrong(v, c ? "no operand c" : "operand c where there is none");
    return true;
}

bool atomic_knows(AtomicOp op, DType t) {
    if (t == DT_F16 || t == DT_BF16) return op == ATOMIC_ADD;
    if (dtype_bits(t) < 32) return false;
    return !dtype_is_float(t) || (op != ATOMIC_AND && op != ATOMIC_OR && op != ATOMIC_XOR);
}

static bool overwrites(const Verify *v) {
    const Insn *s = v->insn;
    return s->d == s->a || s->d == s->b || s->d == s->c;
}

static bool verify_atomic(Verify *v) {
    const Insn *s = v->insn;
    bool cas = s->op == INSN_CAS;
    if (!operands(v, true, true, true, cas ? 1 : 2)) return false;
    if (!v->a->pointer || v->b->pointer || v->d->pointer || v->a->elem != v->b->elem ||
        v->a->elem != v->d->elem)
        return wrong(v, "not a pointer to the value's type");
    if (!same_shape(v->a, v->d)) return wrong(v, "the pointers have another shape than the result");
    if (!fits(v->b, v->a) || (v->c && !fits(v->c, v->a))) return wrong(v, "operand shapes");
    if (overwrites(v)) return wrong(v, "the result overwrites an operand");
    if (cas && s->imm & ~(int64_t)ATOMIC_BITS) return wrong(v, "no such scope or order");
    if (cas) return (same_elem(v->b, v->c) && dtype_bits(v->b->elem) >= 16) || wrong(v, "operand types");
    if (v->c && !is_bool(v->c)) return wrong(v, "the mask");
    int64_t op = s->imm & ~(int64_t)ATOMIC_BITS;
    return (op >= 0 && op < ATOMIC_COUNT && atomic_knows((AtomicOp)op, v->a->elem)) ||
           wrong(v, "no such operation on this type");
}

// Same rank, and the same length along every axis but one.
static bool same_beside(const TileType *x, const TileType *y, int64_t axis) {
    if (x->rank != y->rank) return false;
    for (int i = 0; i < x->rank; i++)
        if (i != axis && x->shape[i] != y->shape[i]) return false;
    return true;
}

static bool verify_part(Verify *v) {
    const Insn *s = v->insn;
    bool two = s->op == INSN_CONCAT || s->op == INSN_GATHER;
    if (!operands(v, true, true, two, 0)) return false;
    int64_t axis = s->op == INSN_SLICE ? s->imm & 15 : s->imm;
    if (s->imm < 0 || axis >= v->a->rank) return wrong(v, "no such axis");
    if (!same_elem(v->d, v->a)) return wrong(v, "the element type changes");
    if (overwrites(v)) return wrong(v, "the result overwrites an operand");
    if (!same_beside(v->d, v->a, axis) || (two && !same_beside(v->b, v->a, axis)))
        return wrong(v, "operand shapes");
    int d = v->d->shape[axis], a = v->a->shape[axis];
    switch (s->op) {
    case INSN_SLICE: return (s->imm >> 4) + d <= a || wrong(v, "a slice beyond the end");
    case INSN_ORDER:
    case INSN_FLIP: return d == a || wrong(v, "the shape changes");
    case INSN_GATHER: return (is_int(v->b) && d == v->b->shape[axis]) || wrong(v, "the index");
    default: return (same_elem(v->a, v->b) && d == a + v->b->shape[axis]) || wrong(v, "the result's shape");
    }
}

static bool verify_sorting(Verify *v) {
    const Insn *s = v->insn;
    bool swap = s->op == INSN_SWAP;
    if (!operands(v, true, true, !swap && s->b >= 0, 0)) return false;
    if (overwrites(v)) return wrong(v, "the result overwrites an operand");
    if (swap) {
        if (v->a->pointer || !same_elem(v->d, v->a) || !same_shape(v->d, v->a))
            return wrong(v, "the result's type");
        int64_t lanes = tile_lanes(v->a), bit = s->imm & 31, by = s->imm >> 8;
        return ((s->imm & ~(int64_t)0xffff) == 0 && (lanes & (lanes - 1)) == 0 && (int64_t)1 << bit < lanes &&
                (by < 2 || by - 2 > bit)) ||
               wrong(v, "no such step");
    }
    if (!(is_int(v->a) || is_bool(v->a)) || v->d->rank != 1 || v->d->pointer || v->d->elem != DT_I32)
        return wrong(v, "operand types");
    return !v->b || (is_bool(v->b) && fits(v->b, v->a)) || wrong(v, "the mask");
}

static bool verify_math(Verify *v) {
    const Insn *s = v->insn;
    if (s->imm < 0 || s->imm >= MATH_COUNT) return wrong(v, "no such function");
    int n = math_info[s->imm].operands;
    if (!operands(v, true, true, n > 1, n > 2 ? 1 : 0)) return false;
    if (overwrites(v)) return wrong(v, "the result overwrites an operand");
    if (!fits(v->a, v->d) || (v->b && !fits(v->b, v->d)) || (v->c && !fits(v->c, v->d)))
        return wrong(v, "operand shapes");
    return !(v->d->pointer || v->a->pointer || (v->b && v->b->pointer) || (v->c && v->c->pointer)) ||
           wrong(v, "pointers");
}

static bool verify_dot(Verify *v) {
    if (!operands(v, true, true, true, 2)) return false;
    const TileType *d = v->d, *a = v->a, *b = v->b;
    int r = d->rank;
    if ((r != 2 && r != 3) || a->rank != r || b->rank != r) return wrong(v, "operand ranks");
    if (a->shape[r - 1] != b->shape[r - 2] || d->shape[r - 2] != a->shape[r - 2] ||
        d->shape[r - 1] != b->shape[r - 1] ||
        (r == 3 && (a->shape[0] != b->shape[0] || a->shape[0] != d->shape[0])))
        return wrong(v, "operand shapes");
    if (!same_elem(a, b) || a->pointer || d->pointer) return wrong(v, "operand types");
    if (v->c && (!same_elem(v->c, d) || !same_shape(v->c, d))) return wrong(v, "the accumulator");
    if (overwrites(v)) return wrong(v, "the result overwrites an operand");
    if (v->insn->imm < 0 || v->insn->imm > 16 || (v->insn->imm && a->elem != DT_F32))
        return wrong(v, "bits cut off what is not float32");
    bool half = a->elem == DT_F16 && d->elem == DT_F16;
    DType sum = a->elem == DT_I8 ? DT_I32 : a->elem == DT_F64 ? DT_F64 : DT_F32;
    return (tile_loops_base.fold->dot[a->elem] && (half || d->elem == sum)) ||
           wrong(v, "no such operation on this type");
}

static bool verify_special(Verify *v) {
    const Insn *s = v->insn;
    switch (s->op) {
    case INSN_CONST:
    case INSN_PARAM:
        if (!operands(v, true, false, false, 0)) return false;
        if (!one_lane(v->d)) return wrong(v, "the result has more than one lane");
        if (s->op == INSN_CONST && v->d->pointer) return wrong(v, "a constant pointer");
        return s->op == INSN_CONST || (s->imm >= 0 && s->imm < REGISTERS_MAX) || wrong(v, "no such argument");
    case INSN_PID:
    case INSN_NPROG:
        if (!operands(v, true, false, false, 0)) return false;
        if (!one_lane(v->d) || !is_int(v->d) || tile_lane_bytes(v->d) != 4 || dtype_bits(v->d->elem) != 32)
            return wrong(v, "the result is not an int32");
        return (s->imm >= 0 && s->imm <= 2) || wrong(v, "no such axis");
    case INSN_ARANGE:
        if (!operands(v, true, false, false, 0)) return false;
        if (v->d->pointer || v->d->elem != DT_I32) return wrong(v, "the result is not int32");
        return (s->imm >= INT32_MIN && s->imm <= INT32_MAX - tile_lanes(v->d)) ||
               wrong(v, "the range leaves int32");
    case INSN_PTRADD:
        if (!operands(v, true, true, true, 0)) return false;
        if (!v->d->pointer || !same_elem(v->d, v->a)) return wrong(v, "not a pointer, or of another type");
        if (!is_int(v->b)) return wrong(v, "the offset is not an integer");
        if (!fits(v->a, v->d) || !fits(v->b, v->d)) return wrong(v, "operand shapes");
        return s->imm == dtype_bytes(v->a->elem) || wrong(v, "imm is not the size of the pointee");
    case INSN_BITCAST:
        if (!operands(v, true, true, false, 0)) return false;
        if (v->d->pointer || v->a->pointer || dtype_bits(v->d->elem) != dtype_bits(v->a->elem))
            return wrong(v, "types of different width");
        if (overwrites(v)) return wrong(v, "the result overwrites an operand");
        return same_shape(v->d, v->a) || wrong(v, "the shape changes");
    case INSN_SLICE:
    case INSN_CONCAT:
    case INSN_FLIP:
    case INSN_ORDER:
    case INSN_GATHER: return verify_part(v);
    case INSN_DOT: return verify_dot(v);
    case INSN_SWAP:
    case INSN_HISTOGRAM: return verify_sorting(v);
    case INSN_MATH: return verify_math(v);
    case INSN_ATOMIC:
    case INSN_CAS: return verify_atomic(v);
    case INSN_ALIGNED:
        if (!operands(v, false, true, false, 0)) return false;
        if (!v->a->pointer && v->a->elem != DT_I64) return wrong(v, "not a pointer and not int64");
        return (one_lane(v->a) && s->imm > 0) || wrong(v, "more than one lane");
    case INSN_ASSUME:
        if (!operands(v, false, true, false, 0)) return false;
        return (is_bool(v->a) && one_lane(v->a)) || wrong(v, "not one bool");
    case INSN_HINT:
        if (!operands(v, true, true, false, 0)) return false;
        if (!same_elem(v->d, v->a) || !same_shape(v->d, v->a)) return wrong(v, "the type changes");
        if (!v->a->pointer && !is_int(v->a)) return wrong(v, "neither a pointer nor an integer");
        if (hint_kind(s->imm) > HINT_CONSTANT || hint_axis_of(s->imm) >= (v->a->rank ? v->a->rank : 1))
            return wrong(v, "no such hint");
        return hint_value(s->imm) > 1 || wrong(v, "a hint of nothing");
    case INSN_BARRIER: return operands(v, false, false, false, 0);
    case INSN_LOAD:
        if (!operands(v, true, true, v->b != NULL, 2)) return false;
        if (v->c && !v->b) return wrong(v, "other without mask");
        if (!v->a->pointer || v->d->pointer || v->a->elem != v->d->elem)
            return wrong(v, "not a pointer to the result's type");
        if (!same_shape(v->a, v->d)) return wrong(v, "the pointers have another shape than the result");
        if (v->b && (!is_bool(v->b) || !fits(v->b, v->a))) return wrong(v, "the mask");
        if (s->d == s->b || s->d == s->c) return wrong(v, "the result overwrites an operand");
        return !v->c || (same_elem(v->c, v->d) && fits(v->c, v->a)) || wrong(v, "other");
    case INSN_STORE:
        if (!operands(v, false, true, true, 2)) return false;
        if (!v->a->pointer || v->b->pointer || v->a->elem != v->b->elem)
            return wrong(v, "not a pointer to the value's type");
        if (!fits(v->b, v->a)) return wrong(v, "the value's shape");
        return !v->c || (is_bool(v->c) && fits(v->c, v->a)) || wrong(v, "the mask");
    default: return wrong(v, "no such instruction");
    }
}

static bool verify_move(Verify *v) {
    if (!operands(v, true, true, false, 0)) return false;
    if (!same_elem(v->d, v->a)) return wrong(v, "the element type changes");
    const TileType *d = v->d, *a = v->a;
    switch (v->insn->op) {
    case INSN_COPY: return same_shape(d, a) || wrong(v, "the shape changes");
    case INSN_SPLAT: return one_lane(a) || wrong(v, "the operand has more than one lane");
    case INSN_RESHAPE: return tile_lanes(a) == tile_lanes(d) || wrong(v, "the number of lanes changes");
    case INSN_BROADCAST:
        if (a->rank != d->rank) return wrong(v, "the rank changes");
        for (int i = 0; i < a->rank; i++)
            if (a->shape[i] != 1 && a->shape[i] != d->shape[i])
                return wrong(v, "a dimension that is not 1 changes");
        break;
    default: {
        if (a->rank != d->rank) return wrong(v, "the rank changes");
        unsigned seen = 0;
        for (int i = 0; i < d->rank; i++) {
            int from = (int)(v->insn->imm >> (4 * i)) & 15;
            if (from >= a->rank || seen >> from & 1) return wrong(v, "not a permutation");
            seen |= 1u << from;
            if (a->shape[from] != d->shape[i]) return wrong(v, "the permuted shape");
        }
    }
    }
    return v->insn->d != v->insn->a || wrong(v, "the result overwrites the operand");
}

static bool is_address(const TileType *t) { return t->pointer || t->elem == DT_I64; }
static bool verify_elementwise(Verify *v, InsnClass class) {
    InsnOp op = v->insn->op;
    if (!operands(v, true, true, class != UNARY && class != CAST, class == TERNARY)) return false;
    const TileType *key = op == INSN_WHERE ? v->b : v->a;
    if (!fits(v->a, v->d) || (v->b && !fits(v->b, v->d)) || (v->c && !fits(v->c, v->d)))
        return wrong(v, "operand shapes");
    if (class == CAST) {
        bool address = v->d->pointer || v->a->pointer;
        if (address) return (is_address(v->d) && is_address(v->a)) || wrong(v, "a cast of pointers");
        return tile_loops_base.cast->cast[v->a->elem][v->d->elem] ||
               wrong(v, "no such operation on this type");
    }
    if (!has_loop(op, key)) return wrong(v, "no such operation on this type");
    if (op == INSN_WHERE) {
        if (!is_bool(v->a)) return wrong(v, "the condition is not bool");
        return (same_elem(v->b, v->d) && same_elem(v->c, v->d)) || wrong(v, "operand types");
    }
    if (key->pointer && class != COMPARE) return wrong(v, "arithmetic on pointers");
    if (class == COMPARE ? !is_bool(v->d) : !same_elem(v->d, v->a)) return wrong(v, "the result's type");
    if (v->b && !same_elem(v->a, v->b)) return wrong(v, "operand types");
    if (v->c && !same_elem(v->a, v->c)) return wrong(v, "operand types");
    return true;
}

static bool verify_fold(Verify *v, InsnClass class) {
    if (!operands(v, true, true, false, 0)) return false;
    const Insn *s = v->insn;
    const TileType *a = v->a, *d = v->d;
    if (s->d == s->a) return wrong(v, "the result overwrites the operand");
    if (a->pointer || d->pointer) return wrong(v, "pointers");
    if (dtype_is_f8(a->elem)) return wrong(v, "no such operation on this type");
    bool index = s->op == INSN_ARGMAX || s->op == INSN_ARGMIN;
    if (index ? d->elem != DT_I32 : !same_elem(a, d)) return wrong(v, "the result's type");
    if (s->op == INSN_XORSUM && dtype_is_float(a->elem)) return wrong(v, "exclusive or of floats");
    if (class == SCAN) {
        if (s->imm < 0 || s->imm > 31 || (s->imm & 15) >= a->rank) return wrong(v, "no such axis");
        return same_shape(a, d) || wrong(v, "the shape changes");
    }
    if (s->imm < -1 || s->imm >= a->rank) return wrong(v, "no such axis");
    int n = s->imm < 0 ? tile_lanes(a) : a->shape[s->imm];
    return tile_lanes(d) * n == tile_lanes(a) || wrong(v, "the result's shape");
}

static bool verify_control(Verify *v) {
    const Insn *s = v->insn;
    if (s->op != INSN_END && (s->imm < 0 || s->imm >= v->code->insns))
        return wrong(v, "a jump out of the code");
    if (s->op == INSN_JUMPNOT) {
        if (!operands(v, false, true, false, 0)) return false;
        return (is_bool(v->a) && one_lane(v->a)) || wrong(v, "the condition is not one bool");
    }
    if (s->op != INSN_LOOPTEST) return operands(v, false, false, false, 0);
    if (!operands(v, true, true, true, 0)) return false;
    if (!is_int(v->d) || !same_elem(v->d, v->a) || !same_elem(v->d, v->b)) return wrong(v, "operand types");
    return (one_lane(v->d) && one_lane(v->a) && one_lane(v->b)) || wrong(v, "operands of more than one lane");
}

static bool verify_insn(Verify *v) {
    const Insn *s = v->insn;
    if ((int)s->op < 0 || s->op >= INSN_COUNT) return wrong(v, "no such instruction");
    const TileType **to[] = {&v->d, &v->a, &v->b, &v->c};
    const int r[] = {s->d, s->a, s->b, s->c};
    for (int i = 0; i < 4; i++) {
        if (r[i] < -1 || r[i] >= v->code->regs) return wrong(v, "no such register");
        *to[i] = r[i] < 0 ? NULL : &v->code->reg[r[i]].type;
    }
    InsnClass class = insn_class[s->op];
    switch (class) {
    case SPECIAL: return verify_special(v);
    case MOVE: return verify_move(v);
    case REDUCE:
    case SCAN: return verify_fold(v, class);
    case CONTROL: return verify_control(v);
    default: return verify_elementwise(v, class);
    }
}

// Every register that an instruction reads is written by an earlier one in the text: jumps back are loops
// around text that has run before, so this holds along every path that structured code can take.
static bool verify_written(Verify *v, uint8_t *written) {
    const Insn *s = v->insn;
    bool reads_d = s->op == INSN_LOOPTEST;
    if ((s->a >= 0 && !written[s->a]) || (s->b >= 0 && !written[s->b]) || (s->c >= 0 && !written[s->c]) ||
        (reads_d && !written[s->d]))
        return wrong(v, "a register is read before any instruction writes it");
    if (s->d >= 0) written[s->d] = 1;
    return true;
}

// Jumps back must nest: layout relies on loops being intervals inside one another. A stack of loops, met from
// the right (their starts, that is): each loop must begin at or after the start of the one around it.
static bool verify_nesting(const Code *c, const char **why) {
    enum { NESTED_MAX = 1024 };
    int depth = 0, start[NESTED_MAX];
    for (int i = c->insns - 1; i >= 0; i--) {
        while (depth > 0 && i < start[depth - 1]) depth--;
        const Insn *s = &c->insn[i];
        bool jump = s->op == INSN_JUMP || s->op == INSN_JUMPNOT || s->op == INSN_LOOPTEST;
        if (!jump || s->imm > i) continue;
        if (depth > 0 && s->imm < start[depth - 1]) return *why = "loops that overlap without nesting", false;
        if (depth == NESTED_MAX) return *why = "loops nested too deep", false;
        start[depth++] = (int)s->imm;
    }
    return true;
}

bool code_verify(const Code *c, const char **why) {
    static _Thread_local uint8_t written[REGISTERS_MAX];
    if (c->insns < 1 || c->insns > INSNS_MAX) return *why = "number of instructions", false;
    if (c->regs < 0 || c->regs > REGISTERS_MAX) return *why = "number of registers", false;
    for (int r = 0; r < c->regs; r++)
        if (!type_ok(&c->reg[r].type)) return *why = "a register's type", false;
    InsnOp last = c->insn[c->insns - 1].op;
    if (last != INSN_END && last != INSN_JUMP) return *why = "the code runs off its end", false;
    memset(written, 0, (size_t)c->regs);
    for (int i = 0; i < c->insns; i++) {
        Verify v = {.code = c, .insn = &c->insn[i]};
        if (!verify_insn(&v) || !verify_written(&v, written)) return *why = v.why, false;
    }
    return verify_nesting(c, why);
}
