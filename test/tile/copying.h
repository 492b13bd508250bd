// copying.h - for tests of loads and stores: a kernel that copies, and values to copy.
#pragma once
#include "tile/asm.h"

// What a store leaves in the shadow.
enum { WRITTEN = SHADOW_ALLOC | SHADOW_INIT | SHADOW_STORED };

static inline float affine_at(size_t i) { return (float)i * 0.5f - 7; }
static inline const float *affine(Arena *a, size_t n) {
    float *p = NEWN(a, float, n);
    for (size_t i = 0; i < n; i++) p[i] = affine_at(i);
    return p;
}

// y[off + i] = x[off + i], off = pid * n, masked by off + i < limit; `other` when wanted.
static inline const Code *copy_kernel(Arena *a, int n, bool masked, bool with_other, bool mask_store) {
    Asm s = asm_new(a);
    int x = asm_param(&s, pointer_to(scalar_type(DT_F32)), 0),
        y = asm_param(&s, pointer_to(scalar_type(DT_F32)), 1);
    int limit = asm_param(&s, scalar_type(DT_I32), 2), block = asm_int(&s, DT_I32, n);
    int pid = asm_new_reg(&s, scalar_type(DT_I32), INSN_PID, -1, -1, -1, 0);
    int off = asm_op(&s, INSN_ADD, asm_arange(&s, n), asm_op(&s, INSN_MUL, pid, block));
    int mask = asm_op(&s, INSN_LT, off, limit), other = asm_float(&s, DT_F32, 42);
    int v = asm_load(&s, asm_ptradd(&s, x, off), masked ? mask : -1, masked && with_other ? other : -1);
    asm_store(&s, asm_ptradd(&s, y, off), v, mask_store ? mask : -1);
    return asm_done(&s);
}
