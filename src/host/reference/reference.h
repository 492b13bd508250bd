// reference.h - what the files of a reference's operations share: primitives of tensor/bound.h on the
// arguments of a call.
#pragma once
#include "host/python/api.h"

static inline bool apply1(Call *c, BoundOp op, Value a, Value *out) {
    return bound_do(c->in, c->at, &(BoundStep){.op = op, .operand = &a, .operands = 1}, out);
}
static inline bool apply2(Call *c, BoundOp op, Value a, Value b, Value *out) {
    Value operand[2] = {a, b};
    return bound_do(c->in, c->at, &(BoundStep){.op = op, .operand = operand, .operands = 2}, out);
}
static inline bool apply3(Call *c, BoundOp op, Value x, Value y, Value z, Value *out) {
    Value operand[3] = {x, y, z};
    return bound_do(c->in, c->at, &(BoundStep){.op = op, .operand = operand, .operands = 3}, out);
}
static inline bool applied(Call *c, BoundOp op, Value a, double scalar, Value *out) {
    return bound_do(c->in, c->at, &(BoundStep){.op = op, .operand = &a, .operands = 1, .scalar = scalar},
                    out);
}
static inline bool applied_axis(Call *c, BoundOp op, Value a, int axis, Value *out) {
    int64_t attr[1] = {axis};
    return bound_do(c->in, c->at,
                    &(BoundStep){.op = op, .operand = &a, .operands = 1, .attr = attr, .attrs = 1}, out);
}
static inline bool cast(Call *c, Value a, DType t, Value *out) {
    int64_t attr[1] = {t};
    if (a.bound->dtype == t) return *out = a, true;
    return bound_do(c->in, c->at,
                    &(BoundStep){.op = BOUND_CAST, .operand = &a, .operands = 1, .attr = attr, .attrs = 1},
                    out);
}
