// TensorDescriptor: what triton.tools.tensor_descriptor checks when one is made, with its words.
#include "host/python/api.h"

bool api_set_allocator(Call *c, Value *out) {
    Value f = c->arg[0];
    if (f.kind != V_FUNCTION && f.kind != V_NONE)
        return host_raise(c->in, c->at, "TypeError: triton.set_allocator wants a function, not %s",
                          value_type(f));
    c->in->m->gpu.allocator = f.kind == V_FUNCTION;
    return *out = NONE_VALUE, true;
}

enum { DESCRIPTOR_RANK_MAX = 5 }; // of the hardware

static bool integers(Call *c, Value v, const char *what, int64_t *out, int *n) {
    if (!value_is_seq(v))
        return host_raise(c->in, c->at, "TypeError: %s of a TensorDescriptor is a list of integers, not %s",
                          what, value_type(v));
    if (v.seq->n == 0) return host_raise(c->in, c->at, "AssertionError: rank must not be zero");
    if (v.seq->n > DESCRIPTOR_RANK_MAX)
        return host_raise(c->in, c->at, "AssertionError: rank cannot be more than 5");
    *n = v.seq->n;
    for (int i = 0; i < *n; i++)
        if (!value_as_int(v.seq->at[i], &out[i]))
            return host_raise(c->in, c->at,
                              "TypeError: %s of a TensorDescriptor is a list of integers, not of %s", what,
                              value_type(v.seq->at[i]));
    return true;
}

static bool asserts(Call *c, bool holds, const char *text) {
    return holds || host_raise(c->in, c->at, "AssertionError: %s", text);
}

static bool block_shape(Call *c, const int64_t *size, LaunchDescriptor *d) {
    int64_t lanes = 1;
    for (int i = 0; i < d->rank; i++) {
        if (size[i] < 1 || (size[i] & (size[i] - 1)))
            return host_raise(c->in, c->at, "ValueError: Shape element %d must be a power of 2", i);
        if (size[i] > TILE_LANES_MAX || (lanes *= size[i]) > TILE_LANES_MAX)
            return host_raise(c->in, c->at,
                              "ValueError: numel (%lld) exceeds triton maximum tensor numel (%d)",
                              (long long)(size[i] > TILE_LANES_MAX ? size[i] : lanes), TILE_LANES_MAX);
        d->block[i] = (int)size[i];
    }
    return true;
}

static bool make(Call *c, Value base, LaunchDescriptor *d, Value block, Value padding, Value *out) {
    int64_t size[TILE_RANK_MAX];
    int rank;
    if (base.kind != V_TENSOR)
        return host_raise(c->in, c->at, "TypeError: the base of a TensorDescriptor is a tensor, not %s",
                          value_type(base));
    if (base.tensor->cpu)
        return host_raise(
            c->in, c->at,
            "ValueError: the base of a TensorDescriptor cannot be accessed from Triton (cpu tensor?): "
            "allocate with device=x.device");
    const Tensor *t = d->base = &base.tensor->t;
    int width = dtype_bytes(t->dtype);
    if (!integers(c, block, "block_shape", size, &rank) || !asserts(c, rank == d->rank, "rank mismatch"))
        return false;
    if (!asserts(c, tensor_address(t) % 16 == 0, "base must be 16-byte aligned") || !block_shape(c, size, d))
        return false;
    for (int i = 0; i < d->rank - 1; i++)
        if (!asserts(c, d->stride[i] % (16 / width) == 0, "strides must be 16-byte aligned")) return false;
    for (int i = 0; i < d->rank; i++) {
        if (!asserts(c, d->shape[i] > 0, "shape must be positive")) return false;
        if (d->shape[i] > INT32_MAX || d->stride[i] < 0 || d->stride[i] >= (int64_t)1 << 40)
            return host_raise(
                c->in, c->at,
                "RuntimeError: Triton Error [CUDA]: invalid argument: size %lld and stride %lld of a "
                "tensor descriptor",
                (long long)d->shape[i], (long long)d->stride[i]);
    }
    if (!asserts(c, d->stride[d->rank - 1] == 1, "Last dimension must be contiguous")) return false;
    d->nan = padding.kind == V_STR && str_is(padding.s, "nan");
    if (!asserts(c, d->nan || (padding.kind == V_STR && str_is(padding.s, "zero")),
                 "Illegal value for padding") ||
        !asserts(c, !d->nan || dtype_is_float(t->dtype),
                 "Padding option `nan` is only supported for floating point tensors"))
        return false;
    if (d->block[d->rank - 1] * width < 16)
        return host_raise(
            c->in, c->at,
            "RuntimeError: Triton Error [CUDA]: invalid argument: the last dimension of a descriptor's "
            "block holds %d bytes; it must hold at least 16",
            d->block[d->rank - 1] * width);
    return *out = (Value){.kind = V_DESCRIPTOR, .descriptor = d}, true;
}

bool api_descriptor(Call *c, Value *out) {
    LaunchDescriptor *d = HOST_NEW(c->in, c->at, LaunchDescriptor, 1);
    int rank;
    return d && integers(c, c->arg[1], "shape", d->shape, &d->rank) &&
           integers(c, c->arg[2], "strides", d->stride, &rank) &&
           asserts(c, rank == d->rank, "rank mismatch") && make(c, c->arg[0], d, c->arg[3], c->arg[4], out);
}

bool api_descriptor_of(Call *c, Value *out) {
    LaunchDescriptor *d = HOST_NEW(c->in, c->at, LaunchDescriptor, 1);
    if (!d) return false;
    if (c->arg[0].kind == V_TENSOR) {
        const Tensor *t = &c->arg[0].tensor->t;
        if (!asserts(c, t->rank > 0, "rank must not be zero") ||
            !asserts(c, t->rank <= DESCRIPTOR_RANK_MAX, "rank cannot be more than 5"))
            return false;
        d->rank = t->rank;
        memcpy(d->shape, t->shape, (size_t)t->rank * sizeof *t->shape);
        memcpy(d->stride, t->stride, (size_t)t->rank * sizeof *t->stride);
    }
    return make(c, c->arg[0], d, c->arg[1], c->arg[2], out);
}
