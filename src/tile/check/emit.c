// Registers and instructions. Constants and launch parameters are collected in a preamble, one register for
// each, so that a loop does not make them again.
#include "tile/check/checker.h"
#include <assert.h>

static bool too_long(Checker *c, const Node *at) {
    return checker_fail(c, at, NULL,
                        "the kernel is too large: more than %d instructions or %d values after unrolling",
                        INSNS_MAX, REGISTERS_MAX);
}

int checker_register(Checker *c, const Node *at, TileType type) {
    if (c->regs >= REGISTERS_MAX) return (void)too_long(c, at), -1;
    if (c->regs == c->reg_cap) {
        int cap = c->reg_cap ? 2 * c->reg_cap : 64;
        c->reg = MORE(c->arena, Register, c->reg, c->regs, cap);
        c->def = MORE(c->arena, Definition, c->def, c->regs, cap);
        c->reg_cap = cap;
    }
    c->reg[c->regs] = (Register){.type = type};
    c->def[c->regs] = (Definition){.insn = -1};
    return c->regs++;
}

static bool append(Checker *c, const Node *at, Insn **list, int *n, int *cap, Insn insn) {
    if (c->insns + c->pres >= INSNS_MAX - 1) return too_long(c, at);
    if (*n == *cap) {
        int grown = *cap ? 2 * *cap : 128;
        *list = MORE(c->arena, Insn, *list, *n, grown);
        *cap = grown;
    }
    (*list)[(*n)++] = insn;
    return true;
}

// 8-bit floats are moved, chosen and converted; Triton has no code for arithmetic on them either.
static bool computes(InsnOp op) {
    return (op >= INSN_ADD && op <= INSN_FMA) || (op >= INSN_SUM && op <= INSN_CUMPROD) || op == INSN_DOT;
}

bool checker_emit(Checker *c, const Node *at, Insn s) {
    if (computes(s.op) && s.a >= 0 && !c->reg[s.a].type.pointer && dtype_is_f8(c->reg[s.a].type.elem))
        return checker_unsupported(c, at, "arithmetic on %s: convert to fp16 or fp32 first",
                                   dtype_info[c->reg[s.a].type.elem].triton);
    if (s.op != INSN_LOOPTEST && s.d >= 0) {
        Definition *def = &c->def[s.d];
        if (def->insn >= 0) def->shared = true;
        def->insn = c->insns;
        def->region = c->region;
    }
    s.span = checker_span(c, at);
    return append(c, at, &c->insn, &c->insns, &c->insn_cap, s);
}

bool checker_result(Checker *c, const Node *at, TileType type, Insn s, Val *out) {
    s.d = checker_register(c, at, type);
    if (s.d < 0 || !checker_emit(c, at, s)) return false;
    *out = val_tensor(c, s.d);
    return true;
}

static bool preamble(Checker *c, const Node *at, InsnOp op, TileType type, int64_t imm, Val *out) {
    int d = checker_register(c, at, type);
    if (d < 0) return false;
    c->def[d].shared = true;
    if (!append(c, at, &c->pre, &c->pres, &c->pre_cap, (Insn){op, d, -1, -1, -1, imm, checker_span(c, at)}))
        return false;
    *out = val_tensor(c, d);
    return true;
}

bool checker_parameter(Checker *c, const Node *at, TileType type, int cell, Val *out) {
    return preamble(c, at, INSN_PARAM, type, cell, out);
}

// Integers are reduced to the range of the type; 16-bit floats are rounded by way of float32, as Triton's
// builder does.
static int64_t constant_bits(DType elem, PyValue v) {
    if (dtype_is_float(elem)) {
        double x = v.kind == PY_FLOAT ? v.f : v.kind == PY_INT ? (double)v.i : (double)v.b;
        if (elem != DT_F64) x = dtype_round(elem, dtype_round(DT_F32, x));
        return (int64_t)bits64(x);
    }
    int64_t i = v.kind == PY_INT ? v.i : v.kind == PY_BOOL ? v.b : 0;
    switch (elem) {
    case DT_BOOL: return i != 0;
    case DT_I8: return (int8_t)(uint8_t)i;
    case DT_I16: return (int16_t)(uint16_t)i;
    case DT_I32: return (int32_t)(uint32_t)i;
    case DT_U8: return (uint8_t)i;
    case DT_U16: return (uint16_t)i;
    case DT_U32: return (uint32_t)i;
    default: return i;
    }
}

bool checker_constant(Checker *c, const Node *at, DType elem, PyValue v, Val *out) {
    assert(v.kind == PY_BOOL || v.kind == PY_INT || v.kind == PY_FLOAT);
    int64_t imm = constant_bits(elem, v);
    uint64_t hash =
        ((uint64_t)imm ^ (uint64_t)imm >> 29) * 0x9e3779b97f4a7c15u + (uint64_t)elem * 0x100000001b3u;
    int *slot = &c->slot[hash >> 56];
    for (int i = *slot; i; i = c->constant[i - 1].next) { // 0 ends the chain
        if (c->constant[i - 1].elem != elem || c->constant[i - 1].imm != imm) continue;
        *out = val_tensor(c, c->constant[i - 1].reg);
        return true;
    }
    if (!preamble(c, at, INSN_CONST, (TileType){.elem = elem}, imm, out)) return false;
    if (c->constants == c->constant_cap) {
        int cap = c->constant_cap ? 2 * c->constant_cap : 64;
        c->constant = MORE(c->arena, Constant, c->constant, c->constants, cap);
        c->constant_cap = cap;
    }
    c->constant[c->constants] = (Constant){elem, imm, out->t.reg, *slot};
    *slot = ++c->constants;
    c->def[out->t.reg].constant = c->constants;
    return true;
}

int checker_region(Checker *c) {
    int old = c->region;
    c->region = ++c->regions;
    return old;
}
void checker_region_end(Checker *c, int old) { c->region = old; }

Code *checker_finish(Checker *c, Str kernel) {
    if (c->failed) return NULL;
    Code *code = NEW(c->arena, Code);
    code->insns = c->pres + c->insns + 1;
    code->insn = MORE(c->arena, Insn, c->pre, c->pres, code->insns);
    if (c->insns) memcpy(code->insn + c->pres, c->insn, (size_t)c->insns * sizeof(Insn));
    for (int i = c->pres; i < code->insns - 1; i++) {
        Insn *s = &code->insn[i];
        if (s->op == INSN_JUMP || s->op == INSN_JUMPNOT || s->op == INSN_LOOPTEST) s->imm += c->pres;
    }
    code->insn[code->insns - 1] = (Insn){INSN_END, -1, -1, -1, -1, 0, {0}};
    code->reg = c->reg;
    code->regs = c->regs;
    code->kernel = kernel;
    code->statement = c->statement;
    code->statements = c->statements;
    for (int i = 0; i < c->statements; i++) code->statement[i].first += c->pres;
    code->compare = c->compare;
    code->compares = c->compares;
    for (int i = 0; i < c->compares; i++) code->compare[i].first += c->pres;
    code->shared = c->shared;
    code->shareds = c->shareds;
    code->compareds = c->compareds;
    code->compared = NEWN(c->arena, int64_t, (size_t)c->compareds + 1);
    memcpy(code->compared, c->compared, (size_t)c->compareds * sizeof *code->compared);
    code_layout(c->arena, code);
    return code;
}
