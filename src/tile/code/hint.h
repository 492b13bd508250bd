// hint.h - what tl.multiple_of, max_contiguous and max_constancy say of a tile along an axis; see
// hint.c.
#pragma once
#include <stdint.h>

typedef enum { HINT_MULTIPLE, HINT_CONSECUTIVE, HINT_CONSTANT } HintKind;

// imm of INSN_HINT.
static inline int64_t hint_imm(HintKind kind, int axis, int64_t value) {
    return value << 8 | (int64_t)kind << 4 | axis;
}
static inline HintKind hint_kind(int64_t imm) { return (HintKind)(imm >> 4 & 15); }
static inline int hint_axis_of(int64_t imm) { return (int)(imm & 15); }
static inline int64_t hint_value(int64_t imm) { return imm >> 8; }
