// promise.h - what tl.multiple_of, max_contiguous and max_constancy say of a tile along an axis; see
// promise.c.
#pragma once
#include <stdint.h>

typedef enum { PROMISE_MULTIPLE, PROMISE_CONSECUTIVE, PROMISE_CONSTANT } Promise;

// imm of INSN_PROMISE.
static inline int64_t promise_imm(Promise kind, int axis, int64_t value) {
    return value << 8 | (int64_t)kind << 4 | axis;
}
static inline Promise promise_kind(int64_t imm) { return (Promise)(imm >> 4 & 15); }
static inline int promise_axis_of(int64_t imm) { return (int)(imm & 15); }
static inline int64_t promise_value(int64_t imm) { return imm >> 8; }
