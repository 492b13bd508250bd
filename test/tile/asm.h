// asm.h - hand-assembled kernels for the tests of the VM: registers and instructions appended one by one.
#pragma once
#include "tile/vm/launch.h"
#include <assert.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

typedef struct {
    Arena *arena;
    Code code;
    int insn_cap, reg_cap;
} Asm;

static inline Asm asm_new(Arena *a) {
    Asm s = {.arena = a, .insn_cap = 1 << 12, .reg_cap = 1 << 11};
    s.code.insn = NEWN(a, Insn, 1 << 12);
    s.code.reg = NEWN(a, Register, 1 << 11);
    s.code.kernel = STR("kernel");
    return s;
}
static inline TileType scalar_type(DType t) { return (TileType){.elem = t}; }
static inline TileType vector_type(DType t, int n) { return (TileType){.elem = t, .rank = 1, .shape = {n}}; }
static inline TileType matrix_type(DType t, int m, int n) {
    return (TileType){.elem = t, .rank = 2, .shape = {m, n}};
}
static inline TileType pointer_to(TileType t) {
    t.pointer = true;
    return t;
}
static inline int asm_reg(Asm *s, TileType t) {
    assert(s->code.regs < s->reg_cap);
    s->code.reg[s->code.regs].type = t;
    return s->code.regs++;
}
// Appends; the span tells the instruction's number. Returns its place, for jumps.
static inline int asm_put(Asm *s, InsnOp op, int d, int a, int b, int c, int64_t imm) {
    assert(s->code.insns < s->insn_cap);
    int at = s->code.insns++;
    s->code.insn[at] = (Insn){op, d, a, b, c, imm, {(uint32_t)at * 10, 5}};
    return at;
}
static inline int asm_new_reg(Asm *s, TileType t, InsnOp op, int a, int b, int c, int64_t imm) {
    int d = asm_reg(s, t);
    asm_put(s, op, d, a, b, c, imm);
    return d;
}
static inline int64_t bits_of_double(double x) {
    int64_t u;
    memcpy(&u, &x, sizeof u);
    return u;
}
static inline int asm_int(Asm *s, DType t, int64_t x) {
    return asm_new_reg(s, scalar_type(t), INSN_CONST, -1, -1, -1, x);
}
static inline int asm_float(Asm *s, DType t, double x) {
    return asm_new_reg(s, scalar_type(t), INSN_CONST, -1, -1, -1, bits_of_double(x));
}
static inline int asm_param(Asm *s, TileType t, int n) {
    return asm_new_reg(s, t, INSN_PARAM, -1, -1, -1, n);
}
static inline int asm_arange(Asm *s, int n) {
    return asm_new_reg(s, vector_type(DT_I32, n), INSN_ARANGE, -1, -1, -1, 0);
}
static inline int asm_op(Asm *s, InsnOp op, int a, int b) { // the wider operand's type; comparisons give bool
    const TileType *ta = &s->code.reg[a].type, *tb = b >= 0 ? &s->code.reg[b].type : ta;
    TileType t = tile_lanes(tb) > tile_lanes(ta) ? *tb : *ta;
    if (op >= INSN_LT && op <= INSN_NE) t.elem = DT_BOOL, t.pointer = false;
    return asm_new_reg(s, t, op, a, b, -1, 0);
}
static inline int asm_ptradd(Asm *s, int p, int offsets) {
    TileType t = s->code.reg[offsets].type;
    if (tile_lanes(&s->code.reg[p].type) > tile_lanes(&t)) t = s->code.reg[p].type;
    t.elem = s->code.reg[p].type.elem;
    t.pointer = true;
    return asm_new_reg(s, t, INSN_PTRADD, p, offsets, -1, dtype_bytes(t.elem));
}
static inline int asm_load(Asm *s, int p, int mask, int other) {
    TileType t = s->code.reg[p].type;
    t.pointer = false;
    return asm_new_reg(s, t, INSN_LOAD, p, mask, other, 0);
}
static inline int asm_cast(Asm *s, int a, DType to) {
    TileType t = s->code.reg[a].type;
    t.elem = to;
    return asm_new_reg(s, t, INSN_CAST, a, -1, -1, 0);
}
static inline void asm_store(Asm *s, int p, int value, int mask) {
    asm_put(s, INSN_STORE, -1, p, value, mask, 0);
}
static inline const Code *asm_done(Asm *s) {
    const char *why = "";
    asm_put(s, INSN_END, -1, -1, -1, -1, 0);
    if (!code_verify(&s->code, &why)) fail_msg("code_verify: %s", why);
    code_layout(s->arena, &s->code);
    Code *out = NEW(s->arena, Code);
    *out = s->code;
    return out;
}

// ---- a machine with storages ----

typedef struct {
    Arena arena;
    DiagList diags;
    Machine m;
} Rig;
static inline void rig_open(Rig *r) {
    memset(r, 0, sizeof *r);
    r->diags = DIAGS(&r->arena);
    machine_init(&r->m, &r->arena, &r->diags, 1 << 24);
}
static inline void rig_close(Rig *r) { arena_free(&r->arena); }
// Storages built by hand, so that these tests rest on tensor.h alone.
static inline Storage *rig_storage(Rig *r, DType t, size_t elements, const void *data, bool read_only) {
    Storage *s = NEW(&r->arena, Storage);
    size_t bytes = elements * (size_t)dtype_bytes(t);
    *s = (Storage){.bytes = bytes, .dtype = t, .read_only = read_only};
    s->data = arena_raw(&r->arena, bytes, 64);
    s->shadow = arena_raw(&r->arena, bytes, 64);
    memset(s->shadow, data ? SHADOW_ALLOC | SHADOW_INIT : SHADOW_ALLOC, bytes);
    memset(s->data, 0xff, bytes);
    if (data) memcpy(s->data, data, bytes);
    if (!read_only) {
        s->writer = NEWN(&r->arena, uint32_t, elements + 1);
        s->reader = NEWN(&r->arena, uint32_t, elements + 1);
    }
    r->m.storages.at[r->m.storages.count++] = s;
    s->id = r->m.storages.count;
    return s;
}
static inline int64_t rig_address(const Storage *s) {
    return ((int64_t)s->id << ADDRESS_BITS) + ADDRESS_BIAS;
}
static inline bool rig_run(Rig *r, const Code *c, const int64_t *args, int64_t x, int64_t y, int64_t z) {
    int64_t grid[3] = {x, y, z};
    return vm_launch(&r->m, c, args, grid);
}
static inline void expect_finding(Rig *r, DiagKind kind, const char *words) {
    const Diag *d = diag_first(&r->diags);
    if (!d)
        fail_msg("no finding; expected %s", diag_name(kind));
    else if (d->kind != kind)
        fail_msg("%s (%s); expected %s", diag_name(d->kind), d->msg, diag_name(kind));
    else if (!strstr(d->msg, words))
        fail_msg("'%s' lacks '%s'", d->msg, words);
}
static inline void expect_clean(Rig *r, bool ok) {
    const Diag *d = diag_first(&r->diags);
    if (d) fail_msg("unexpected %s: %s", diag_name(d->kind), d->msg);
    assert_true(ok);
}

// ---- whole tiles in and out ----

// Stores register v (any shape) to the storage that parameter n points to, in row-major order.
static inline void put_out(Asm *s, int n, int v) {
    TileType t = s->code.reg[v].type, off = t;
    int lanes = tile_lanes(&t);
    off.elem = DT_I32;
    int p = asm_param(s, pointer_to(scalar_type(t.elem)), n);
    int i = lanes == 1 ? asm_int(s, DT_I32, 0)
                       : asm_new_reg(s, off, INSN_RESHAPE, asm_arange(s, lanes), -1, -1, 0);
    asm_store(s, asm_ptradd(s, p, i), v, -1);
}
// Loads a tile of type t from the storage of parameter n.
static inline int take_in(Asm *s, int n, TileType t) {
    TileType off = t;
    off.elem = DT_I32;
    int p = asm_param(s, pointer_to(scalar_type(t.elem)), n);
    int i = asm_new_reg(s, off, INSN_RESHAPE, asm_arange(s, tile_lanes(&t)), -1, -1, 0);
    return asm_load(s, asm_ptradd(s, p, i), -1, -1);
}
