// Torch's functions that give a view of a tensor: other shapes, orders of dimensions, parts.
#include "host/python/api.h"

static bool need_int(Call *c, Value v, int64_t *out) {
    if (value_as_int(v, out)) return true;
    return host_raise(c->in, c->at, "TypeError: %.*s(): expected an int, not %s", STR_ARG(c->name),
                      value_type(v));
}

static bool reshape_args(Call *c, const Value *v, int n, bool copy, Value *out) {
    int64_t size[TENSOR_RANK_MAX];
    int rank;
    if (n == 1 && v[0].kind == V_DTYPE)
        return host_refuse(c->in, c->at, "view(dtype) reads elements as another type; do it in a kernel");
    if (!shape_sizes(c->in, c->at, v, n, size, &rank)) return false;
    return (copy ? shape_reshape : shape_view)(c->in, c->at, c->arg[0], size, rank, out);
}
bool api_view(Call *c, Value *out) { return reshape_args(c, c->rest, c->rests, false, out); }
bool api_reshape(Call *c, Value *out) { return reshape_args(c, c->rest, c->rests, true, out); }
bool api_reshape_to(Call *c, Value *out) {
    return need_tensor(c, 0) && reshape_args(c, &c->arg[1], 1, true, out);
}
bool api_view_as(Call *c, Value *out) {
    if (!need_tensor(c, 1)) return false;
    const int64_t *size = value_shape(c->arg[1]);
    int rank = value_rank(c->arg[1]);
    return (str_is(c->name, "reshape_as") ? shape_reshape : shape_view)(c->in, c->at, c->arg[0], size, rank,
                                                                        out);
}

bool api_flatten(Call *c, Value *out) {
    int from, to;
    if (!need_tensor(c, 0)) return false;
    int rank = value_rank(c->arg[0]), n = 0;
    int64_t size[TENSOR_RANK_MAX + 1], joined = 1;
    if (!shape_axis(c->in, c->at, c->arg[1], rank, &from) || !shape_axis(c->in, c->at, c->arg[2], rank, &to))
        return false;
    if (from > to)
        return host_raise(c->in, c->at,
                          "RuntimeError: flatten() has invalid args: start_dim cannot come after end_dim");
    for (int i = 0; i < from && i < rank; i++) size[n++] = value_shape(c->arg[0])[i];
    for (int i = from; i <= to && i < rank; i++) joined *= value_shape(c->arg[0])[i]; // a part of numel
    size[n++] = joined;
    for (int i = to + 1; i < rank; i++) size[n++] = value_shape(c->arg[0])[i];
    return shape_reshape(c->in, c->at, c->arg[0], size, n, out);
}
bool api_ravel(Call *c, Value *out) {
    int64_t all = -1;
    if (!need_tensor(c, 0)) return false;
    all = value_numel(c->arg[0]);
    return shape_reshape(c->in, c->at, c->arg[0], &all, 1, out);
}

bool api_squeeze(Call *c, Value *out) {
    if (!need_tensor(c, 0)) return false;
    Value t = c->arg[0];
    bool drop[TENSOR_RANK_MAX + 1] = {0};
    Value one = c->arg[1];
    const Value *dim = value_is_seq(one) ? one.seq->at : &one;
    int dims = value_is_seq(one) ? one.seq->n : 1, rank = value_rank(t);
    for (int i = 0; one.kind == V_NONE && i < rank; i++) drop[i] = true;
    for (int i = 0; one.kind != V_NONE && i < dims; i++) {
        int axis;
        if (!shape_axis(c->in, c->at, dim[i], rank, &axis)) return false;
        drop[axis] = true;
    }
    for (int i = rank; i-- > 0;)
        if (drop[i] && value_shape(t)[i] == 1 && !shape_select(c->in, c->at, t, i, 0, &t)) return false;
    *out = t;
    return true;
}

bool api_unsqueeze(Call *c, Value *out) {
    int axis;
    if (!need_tensor(c, 0) || !shape_axis(c->in, c->at, c->arg[1], value_rank(c->arg[0]) + 1, &axis))
        return false;
    return shape_unsqueeze(c->in, c->at, c->arg[0], axis, out);
}

bool api_transpose(Call *c, Value *out) {
    int a, b;
    if (!need_tensor(c, 0)) return false;
    int rank = value_rank(c->arg[0]);
    return shape_axis(c->in, c->at, c->arg[1], rank, &a) && shape_axis(c->in, c->at, c->arg[2], rank, &b) &&
           shape_transpose(c->in, c->at, c->arg[0], a, b, out);
}

bool api_t(Call *c, Value *out) {
    if (!need_tensor(c, 0)) return false;
    if (value_rank(c->arg[0]) > 2)
        return host_raise(c->in, c->at,
                          "RuntimeError: t() expects a tensor with <= 2 dimensions, but self is %dD",
                          value_rank(c->arg[0]));
    return shape_transpose(c->in, c->at, c->arg[0], 0, 1, out);
}

bool api_mt(Call *c, Value *out) {
    int rank = value_rank(c->arg[0]);
    if (rank < 2)
        return host_raise(c->in, c->at,
                          "RuntimeError: tensor.mT is only supported on matrices or batches of matrices");
    return shape_transpose(c->in, c->at, c->arg[0], rank - 2, rank - 1, out);
}

static bool permute(Call *c, const Value *v, int n, Value *out) {
    if (!need_tensor(c, 0)) return false;
    Value t = c->arg[0];
    int rank = value_rank(t), place[TENSOR_RANK_MAX], now[TENSOR_RANK_MAX];
    if (n == 1 && value_is_seq(v[0])) n = v[0].seq->n, v = v[0].seq->at;
    if (n != rank)
        return host_raise(
            c->in, c->at,
            "RuntimeError: permute(dims): number of dimensions in the tensor input does not match the length "
            "of the desired ordering of dimensions i.e. input.dim() = %d is not equal to len(dims) = %d",
            rank, n);
    for (int i = 0; i < n; i++) {
        if (!shape_axis(c->in, c->at, v[i], rank, &place[i])) return false;
        for (int k = 0; k < i; k++)
            if (place[k] == place[i])
                return host_raise(c->in, c->at,
                                  "RuntimeError: permute(dims): duplicate dims are not allowed.");
        now[i] = i;
    }
    for (int i = 0; i < n; i++) { // selection by swaps; now[] tells which dimension stands where
        int k = i;
        while (now[k] != place[i]) k++;
        if (!shape_transpose(c->in, c->at, t, i, k, &t)) return false;
        now[k] = now[i];
        now[i] = place[i];
    }
    *out = t;
    return true;
}
bool api_permute(Call *c, Value *out) { return permute(c, c->rest, c->rests, out); }
bool api_permute_to(Call *c, Value *out) { return permute(c, &c->arg[1], 1, out); }

static bool expand_to(Call *c, const int64_t *size, int rank, Value *out) {
    Value t = c->arg[0];
    int old = value_rank(t), lead = rank - old;
    int64_t to[TENSOR_RANK_MAX];
    if (lead < 0)
        return host_raise(c->in, c->at,
                          "RuntimeError: expand: the number of sizes provided (%d) must be greater or equal "
                          "to the number of dimensions in the tensor (%d)",
                          rank, old);
    for (int i = 0; i < rank; i++) {
        int64_t was = i < lead ? 1 : value_shape(t)[i - lead];
        to[i] = size[i] == -1 && i >= lead ? was : size[i];
        if (to[i] < 0 || (to[i] != was && was != 1))
            return host_raise(c->in, c->at,
                              "RuntimeError: The expanded size of the tensor (%lld) must match the existing "
                              "size (%lld) at non-singleton dimension %d.",
                              (long long)size[i], (long long)was, i);
    }
    if (!shape_sane(to, rank)) return host_raise(c->in, c->at, "RuntimeError: expanded tensor is too large");
    if (t.kind == V_BOUND)
        return bound_do(
            c->in, c->at,
            &(BoundStep){.op = BOUND_EXPAND, .operand = &t, .operands = 1, .attr = to, .attrs = rank}, out);
    Tensor v = t.tensor->t;
    v.rank = rank;
    for (int i = 0; i < rank; i++) {
        bool repeats = i < lead || (to[i] != 1 && t.tensor->t.shape[i - lead] == 1);
        v.shape[i] = to[i];
        v.stride[i] = repeats ? 0 : t.tensor->t.stride[i - lead];
    }
    return tensor_value(c->in, c->at, &v, t.tensor->cpu, out);
}
bool api_expand(Call *c, Value *out) {
    int64_t size[TENSOR_RANK_MAX];
    int rank;
    return shape_sizes(c->in, c->at, c->rest, c->rests, size, &rank) && expand_to(c, size, rank, out);
}
bool api_expand_as(Call *c, Value *out) {
    return need_tensor(c, 1) && expand_to(c, value_shape(c->arg[1]), value_rank(c->arg[1]), out);
}

bool api_narrow(Call *c, Value *out) {
    int axis;
    int64_t start, n;
    if (!need_tensor(c, 0) || !shape_axis(c->in, c->at, c->arg[1], value_rank(c->arg[0]), &axis) ||
        !need_int(c, c->arg[2], &start) || !need_int(c, c->arg[3], &n))
        return false;
    if (value_rank(c->arg[0]) == 0)
        return host_raise(c->in, c->at, "RuntimeError: narrow() cannot be applied to a 0-dim tensor.");
    int64_t size = value_shape(c->arg[0])[axis];
    if (start < 0 && start >= -size) start += size;
    if (start < 0 || n < 0 || start > size || n > size - start)
        return host_raise(c->in, c->at,
                          "RuntimeError: start (%lld) + length (%lld) exceeds dimension size (%lld).",
                          (long long)start, (long long)n, (long long)size);
    return shape_slice(c->in, c->at, c->arg[0], (SliceOf){axis, start, n, 1}, out);
}

bool api_select(Call *c, Value *out) {
    int axis;
    int64_t i;
    if (!need_tensor(c, 0) || !need_int(c, c->arg[2], &i)) return false;
    if (value_rank(c->arg[0]) == 0)
        return host_raise(c->in, c->at, "IndexError: select() cannot be applied to a 0-dim tensor.");
    return shape_axis(c->in, c->at, c->arg[1], value_rank(c->arg[0]), &axis) &&
           shape_select(c->in, c->at, c->arg[0], axis, i, out);
}

// Parts of at most `part` along an axis; zero elements still make one part.
static bool parts_of(Call *c, int axis, int64_t part, Value *out) {
    int64_t size = value_shape(c->arg[0])[axis];
    if (!seq_new(c->in, c->at, V_TUPLE, 0, out)) return false;
    int64_t at = 0;
    do {
        Value v;
        int64_t n = size - at < part ? size - at : part;
        if (!host_step(c->in, c->at) ||
            !shape_slice(c->in, c->at, c->arg[0], (SliceOf){axis, at, n, 1}, &v) ||
            !seq_push(c->in, c->at, out->seq, v))
            return false;
        at += n;
    } while (at < size);
    return true;
}

bool api_chunk(Call *c, Value *out) {
    int axis;
    int64_t n;
    if (!need_tensor(c, 0) || !need_int(c, c->arg[1], &n) ||
        !shape_axis(c->in, c->at, c->arg[2], value_rank(c->arg[0]), &axis))
        return false;
    if (n <= 0)
        return host_raise(c->in, c->at,
                          "RuntimeError: chunk expects `chunks` to be greater than 0, got: %lld",
                          (long long)n);
    if (value_rank(c->arg[0]) == 0)
        return host_raise(c->in, c->at, "RuntimeError: chunk expects at least a 1-dimensional tensor");
    int64_t size = value_shape(c->arg[0])[axis];
    int64_t part = size / n + (size % n != 0);
    return parts_of(c, axis, part ? part : 1, out);
}

bool api_split(Call *c, Value *out) {
    int axis;
    int64_t part, at = 0;
    if (!need_tensor(c, 0) || !shape_axis(c->in, c->at, c->arg[2], value_rank(c->arg[0]), &axis))
        return false;
    if (value_rank(c->arg[0]) == 0)
        return host_raise(c->in, c->at, "RuntimeError: split expects at least a 1-dimensional tensor");
    int64_t size = value_shape(c->arg[0])[axis];
    if (!value_is_seq(c->arg[1])) {
        if (!need_int(c, c->arg[1], &part)) return false;
        if (part <= 0)
            return host_raise(c->in, c->at,
                              "RuntimeError: split expects split_size be positive, but got split_size=%lld",
                              (long long)part);
        return parts_of(c, axis, part, out);
    }
    const Seq *s = c->arg[1].seq;
    if (!seq_new(c->in, c->at, V_TUPLE, 0, out)) return false;
    for (int i = 0; i < s->n; i++) {
        Value v;
        if (!host_step(c->in, c->at) || !need_int(c, s->at[i], &part)) return false;
        if (part < 0 || part > size - at) goto wrong;
        if (!shape_slice(c->in, c->at, c->arg[0], (SliceOf){axis, at, part, 1}, &v) ||
            !seq_push(c->in, c->at, out->seq, v))
            return false;
        at += part;
    }
    if (at == size) return true;
wrong:
    return host_raise(c->in, c->at,
                      "RuntimeError: split_with_sizes expects split_sizes to sum exactly to %lld (input "
                      "tensor's size at dimension %d)",
                      (long long)size, axis);
}

bool api_unbind(Call *c, Value *out) {
    int axis;
    if (!need_tensor(c, 0) || !shape_axis(c->in, c->at, c->arg[1], value_rank(c->arg[0]), &axis))
        return false;
    if (value_rank(c->arg[0]) == 0)
        return host_raise(c->in, c->at,
                          "RuntimeError: Dimension specified as 0 but tensor has no dimensions");
    if (!seq_new(c->in, c->at, V_TUPLE, 0, out)) return false;
    for (int64_t i = 0; i < value_shape(c->arg[0])[axis]; i++) {
        Value v;
        if (!host_step(c->in, c->at) || !shape_select(c->in, c->at, c->arg[0], axis, i, &v) ||
            !seq_push(c->in, c->at, out->seq, v))
            return false;
    }
    return true;
}

bool api_contiguous(Call *c, Value *out) {
    Value t = c->arg[0];
    if (t.kind == V_BOUND || tensor_is_contiguous(&t.tensor->t)) return *out = t, true;
    return tensor_copy(c->in, c->at, t, out);
}
