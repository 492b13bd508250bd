// Rows of op.def: atomics, by Triton's semantic.py.
#include "tile/check/checker.h"

static bool options(Call *k, const Val *sem, const Val *scope) {
    static const char *const sems[] = {"acquire", "release", "acq_rel", "relaxed"};
    static const char *const scopes[] = {"gpu", "cta", "sys"};
    return check_option(k, sem, "Memory semantic", sems, 4) &&
           check_option(k, scope, "Memory semantic", scopes, 3);
}

static bool is_word(const Val *v, const char *word) { return val_is_py(v, PY_STR) && str_is(v->py.s, word); }

static int64_t order_bits(const Val *sem, const Val *scope) {
    bool relaxed = is_word(sem, "relaxed"), release = !relaxed && !is_word(sem, "acquire"),
         acquire = !relaxed && !is_word(sem, "release");
    return (is_word(scope, "cta") ? ATOMIC_BLOCK : 0) | (release ? ATOMIC_RELEASE : 0) |
           (acquire ? ATOMIC_ACQUIRE : 0);
}

static bool to_shape(Call *k, const Val *ptr, Val *v, const char *what) {
    if (ptr->t.type.rank == 0)
        return v->t.type.rank == 0 ||
               checker_fail(k->c, k->at, "ValueError",
                            "%s argument cannot be block type if pointer argument is not a block", what);
    return check_broadcast_like(k->c, k->at, v, &ptr->t.type, v);
}

static bool change(Call *k, AtomicOp op, Val *out) {
    Checker *c = k->c;
    Val ptr = k->arg[0], v = k->arg[1], mask = k->arg[2];
    const char *name = str_cdup(c->arena, k->name);
    bool masked = !val_is_none(&mask);
    if (!options(k, &k->arg[3], &k->arg[4])) return false;
    if (!check_to_tensor(c, k->at, &v, &v) || (masked && !check_to_tensor(c, k->at, &mask, &mask)))
        return false;
    if (!val_is_tensor(&ptr) || !ptr.t.type.pointer)
        return checker_fail(c, k->at, "ValueError", "Pointer argument of store instruction is %s",
                            val_is_tensor(&ptr) ? type_repr(c, &ptr.t.type) : val_type_text(c, &ptr));
    DType elem = ptr.t.type.elem;
    if (!atomic_knows(op, elem)) {
        bool bitwise = dtype_is_float(elem) && dtype_bits(elem) >= 32;
        return checker_fail(c, k->at, bitwise ? "TypeError" : "ValueError", "%s does not support %s", name,
                            dtype_info[elem].triton);
    }
    if ((masked && !to_shape(k, &ptr, &mask, "Mask")) || !to_shape(k, &ptr, &v, "Value")) return false;
    if (!check_cast(c, k->at, &v, elem, &v) || (masked && !check_mask_bool(k, &mask))) return false;
    TileType t = ptr.t.type;
    t.pointer = false;
    return checker_result(c, k->at, t,
                          insn(INSN_ATOMIC, -1, ptr.t.reg, v.t.reg, masked ? mask.t.reg : -1,
                               op | order_bits(&k->arg[3], &k->arg[4])),
                          out);
}
bool check_atomic_add(Call *k, Val *out) { return change(k, ATOMIC_ADD, out); }
bool check_atomic_max(Call *k, Val *out) { return change(k, ATOMIC_MAX, out); }
bool check_atomic_min(Call *k, Val *out) { return change(k, ATOMIC_MIN, out); }
bool check_atomic_and(Call *k, Val *out) { return change(k, ATOMIC_AND, out); }
bool check_atomic_or(Call *k, Val *out) { return change(k, ATOMIC_OR, out); }
bool check_atomic_xor(Call *k, Val *out) { return change(k, ATOMIC_XOR, out); }
bool check_atomic_xchg(Call *k, Val *out) { return change(k, ATOMIC_XCHG, out); }

bool check_atomic_cas(Call *k, Val *out) {
    Checker *c = k->c;
    Val ptr = k->arg[0], want, v;
    if (!options(k, &k->arg[3], &k->arg[4])) return false;
    if (!check_to_tensor(c, k->at, &k->arg[1], &want) || !check_to_tensor(c, k->at, &k->arg[2], &v))
        return false;
    if (!check_pointer(k, &ptr, "atomic_cas")) return false;
    TileType t = ptr.t.type;
    t.pointer = false;
    if (dtype_bits(t.elem) < 16)
        return checker_fail(c, k->at, "ValueError",
                            "atomic_cas only supports elements with width {16, 32, 64}");
    if (!type_same(&want.t.type, &t) || !type_same(&v.t.type, &t))
        return checker_fail(c, k->at, "ValueError", "atomic_cas wants cmp and val of type %s, got %s and %s",
                            type_text(c, &t), val_type_text(c, &want), val_type_text(c, &v));
    return checker_result(
        c, k->at, t, insn(INSN_CAS, -1, ptr.t.reg, want.t.reg, v.t.reg, order_bits(&k->arg[3], &k->arg[4])),
        out);
}
