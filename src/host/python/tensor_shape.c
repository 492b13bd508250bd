// What tensors are and how they are seen, for both privileges: a candidate's views are real strided views, a
// reference's are copies made by tensor/bound.c. The functions that give views by name are in views.c.
#include "host/python/api.h"
#include "tile/vm/gpu_model.h"

int value_rank(Value t) { return t.kind == V_TENSOR ? t.tensor->t.rank : t.bound->rank; }
const int64_t *value_shape(Value t) { return t.kind == V_TENSOR ? t.tensor->t.shape : t.bound->shape; }
DType value_elem(Value t) { return t.kind == V_TENSOR ? t.tensor->t.dtype : t.bound->dtype; }
int64_t value_numel(Value t) { return t.kind == V_TENSOR ? tensor_numel(&t.tensor->t) : t.bound->numel; }

bool need_tensor(Call *c, int i) {
    if (value_is_tensor(c->arg[i])) return true;
    return host_raise(c->in, c->at, "TypeError: %.*s(): argument %d must be Tensor, not %s", STR_ARG(c->name),
                      i + 1, value_type(c->arg[i]));
}

bool shape_axis(Interp *in, Span at, Value axis, int rank, int *out) {
    int64_t a;
    if (!value_as_int(axis, &a))
        return host_raise(in, at, "TypeError: dim must be int, not %s", value_type(axis));
    int64_t n = rank ? rank : 1; // a 0-d tensor counts as one dimension here
    if (a < -n || a >= n)
        return host_raise(
            in, at,
            "IndexError: Dimension out of range (expected to be in range of [%lld, %lld], but got %lld)",
            (long long)-n, (long long)(n - 1), (long long)a);
    *out = (int)(a < 0 ? a + n : a);
    return true;
}

bool shape_sizes(Interp *in, Span at, const Value *v, int n, int64_t *out, int *rank) {
    if (n == 1 && value_is_seq(v[0])) {
        n = v[0].seq->n;
        v = v[0].seq->at;
    }
    if (n > TENSOR_RANK_MAX)
        return host_unsupported(in, at, "tensors have at most %d dimensions here", TENSOR_RANK_MAX);
    for (int i = 0; i < n; i++)
        if (!value_as_int(v[i], &out[i]))
            return host_raise(in, at, "TypeError: sizes must be ints, but found element of type %s at pos %d",
                              value_type(v[i]), i);
    *rank = n;
    return true;
}

// Also where a size of 0 makes the number of elements small: parts of a shape are multiplied as well.
bool shape_sane(const int64_t *size, int rank) {
    int64_t product = 1;
    for (int i = 0; i < rank; i++)
        if (size[i] > 1 && (__builtin_mul_overflow(product, size[i], &product) || product > (int64_t)1 << 48))
            return false;
    return true;
}

static void shape_text(Buf *out, const int64_t *size, int rank) {
    buf_puts(out, "[");
    for (int i = 0; i < rank; i++) buf_printf(out, "%s%lld", i ? ", " : "", (long long)size[i]);
    buf_puts(out, "]");
}

// --- backends ---

bool tensor_value(Interp *in, Span at, const Tensor *t, bool cpu, Value *out) {
    HostTensor *h = HOST_NEW(in, at, HostTensor, 1);
    if (!h) return false;
    *h = (HostTensor){*t, cpu};
    *out = (Value){.kind = V_TENSOR, .tensor = h};
    return true;
}

bool shape_transpose(Interp *in, Span at, Value t, int a, int b, Value *out) {
    if (a == b || value_rank(t) < 2) return *out = t, true;
    int64_t attr[2] = {a, b};
    if (t.kind == V_BOUND)
        return bound_do(
            in, at,
            &(BoundStep){.op = BOUND_TRANSPOSE, .operand = &t, .operands = 1, .attr = attr, .attrs = 2}, out);
    Tensor view;
    if (!tensor_transpose(&t.tensor->t, a, b, &view))
        return host_raise(in, at, "RuntimeError: cannot transpose");
    return tensor_value(in, at, &view, t.tensor->cpu, out);
}

// The one size of -1 is worked out from the rest.
static bool sizes_infer(Interp *in, Span at, int64_t numel, int64_t *size, int rank) {
    int free = -1;
    int64_t known = 1;
    Buf text = BUF(in->arena);
    shape_text(&text, size, rank);
    for (int i = 0; i < rank; i++) {
        if (size[i] == -1 && free >= 0)
            return host_raise(in, at, "RuntimeError: only one dimension can be inferred");
        if (size[i] == -1)
            free = i;
        else if (size[i] < 0)
            return host_raise(in, at, "RuntimeError: invalid shape dimension %lld", (long long)size[i]);
        else if (__builtin_mul_overflow(known, size[i], &known))
            goto invalid;
    }
    if (free >= 0) {
        if (known == 0)
            return host_raise(in, at,
                              "RuntimeError: cannot reshape tensor of 0 elements into shape %s because the "
                              "unspecified dimension size -1 can be any value and is ambiguous",
                              buf_cstr(&text));
        if (numel % known) goto invalid;
        size[free] = numel / known;
        return true;
    }
    if (known == numel && shape_sane(size, rank)) return true;
invalid:
    return host_raise(in, at, "RuntimeError: shape '%s' is invalid for input of size %lld", buf_cstr(&text),
                      (long long)numel);
}

bool shape_reshape(Interp *in, Span at, Value t, const int64_t *given, int rank, Value *out) {
    int64_t size[TENSOR_RANK_MAX] = {0};
    if (rank) memcpy(size, given, (size_t)rank * sizeof *size);
    if (!sizes_infer(in, at, value_numel(t), size, rank)) return false;
    if (t.kind == V_BOUND)
        return bound_do(
            in, at,
            &(BoundStep){.op = BOUND_RESHAPE, .operand = &t, .operands = 1, .attr = size, .attrs = rank},
            out);
    Tensor view;
    if (tensor_view(&t.tensor->t, size, rank, &view)) return tensor_value(in, at, &view, t.tensor->cpu, out);
    Value dense;
    if (!tensor_copy(in, at, t, &dense)) return false;
    if (!tensor_view(&dense.tensor->t, size, rank, &view))
        return host_raise(in, at, "RuntimeError: cannot reshape");
    return tensor_value(in, at, &view, t.tensor->cpu, out);
}

bool shape_view(Interp *in, Span at, Value t, const int64_t *given, int rank, Value *out) {
    int64_t size[TENSOR_RANK_MAX] = {0};
    Tensor view;
    if (rank) memcpy(size, given, (size_t)rank * sizeof *size);
    if (!sizes_infer(in, at, value_numel(t), size, rank)) return false;
    if (t.kind != V_BOUND && !tensor_view(&t.tensor->t, size, rank, &view))
        return host_raise(
            in, at,
            "RuntimeError: view size is not compatible with input tensor's size and stride (at least one "
            "dimension spans across two contiguous subspaces). Use .reshape(...) instead.");
    return shape_reshape(in, at, t, size, rank, out);
}

bool shape_slice(Interp *in, Span at, Value t, SliceOf s, Value *out) {
    int axis = s.axis;
    int64_t size = value_shape(t)[axis], start = s.start, count = s.count, step = s.step;
    if (start == 0 && count == size && (step == 1 || count <= 1)) return *out = t, true;
    if (t.kind == V_BOUND) {
        int64_t stop = count ? start + (count - 1) * step + 1 : start;
        int64_t attr[4] = {axis, start, stop, count > 1 ? step : 1};
        return bound_do(
            in, at, &(BoundStep){.op = BOUND_SLICE, .operand = &t, .operands = 1, .attr = attr, .attrs = 4},
            out);
    }
    Tensor v = t.tensor->t;
    if (count) v.offset += start * v.stride[axis]; // within the storage: start < size
    if (count > 1) v.stride[axis] *= step;         // (count - 1) * step < size, so this stays within it too
    v.shape[axis] = count;
    return tensor_value(in, at, &v, t.tensor->cpu, out);
}

bool shape_select(Interp *in, Span at, Value t, int axis, int64_t index, Value *out) {
    int64_t size = value_shape(t)[axis];
    if (index < -size || index >= size)
        return host_raise(in, at, "IndexError: index %lld is out of bounds for dimension %d with size %lld",
                          (long long)index, axis, (long long)size);
    if (index < 0) index += size;
    int64_t attr[2] = {axis, index};
    if (t.kind == V_BOUND)
        return bound_do(
            in, at, &(BoundStep){.op = BOUND_SELECT, .operand = &t, .operands = 1, .attr = attr, .attrs = 2},
            out);
    Tensor v = t.tensor->t;
    v.offset += index * v.stride[axis];
    v.rank--;
    for (int i = axis; i < v.rank; i++) v.shape[i] = v.shape[i + 1], v.stride[i] = v.stride[i + 1];
    return tensor_value(in, at, &v, t.tensor->cpu, out);
}

bool shape_unsqueeze(Interp *in, Span at, Value t, int axis, Value *out) {
    int rank = value_rank(t);
    int64_t size[TENSOR_RANK_MAX];
    if (rank == TENSOR_RANK_MAX)
        return host_unsupported(in, at, "tensors have at most %d dimensions here", TENSOR_RANK_MAX);
    for (int i = 0; i <= rank; i++) size[i] = i == axis ? 1 : value_shape(t)[i - (i > axis)];
    if (t.kind == V_BOUND)
        return bound_do(
            in, at,
            &(BoundStep){.op = BOUND_RESHAPE, .operand = &t, .operands = 1, .attr = size, .attrs = rank + 1},
            out);
    Tensor v = t.tensor->t;
    // torch gives the new dimension the stride that makes the tensor look contiguous.
    int64_t stride = 1;
    if (axis < rank && __builtin_mul_overflow(v.shape[axis], v.stride[axis], &stride)) stride = 1;
    for (int i = rank; i > axis; i--) v.shape[i] = v.shape[i - 1], v.stride[i] = v.stride[i - 1];
    v.shape[axis] = 1;
    v.stride[axis] = stride;
    v.rank++;
    return tensor_value(in, at, &v, t.tensor->cpu, out);
}

// x[...]: integers, slices, None and one Ellipsis.
bool tensor_index(Interp *in, Span at, Value t, const Value *item, int items, Value *out) {
    int used = 0, axis = 0, ellipses = 0;
    for (int i = 0; i < items; i++) {
        if (value_is_tensor(item[i]) || value_is_seq(item[i]))
            return host_refuse(in, at, "indexing a tensor by a %s is a gather: %s", value_type(item[i]),
                               in->candidate ? "do it in a kernel"
                                             : "use torch.index_select or torch.gather");
        ellipses += item[i].kind == V_ELLIPSIS;
        used += item[i].kind == V_INT || item[i].kind == V_SLICE;
    }
    if (ellipses > 1)
        return host_raise(in, at, "IndexError: an index can only have a single ellipsis ('...')");
    if (used > value_rank(t))
        return host_raise(in, at, "IndexError: too many indices for tensor of dimension %d", value_rank(t));
    int skipped = value_rank(t) - used; // dimensions that the ellipsis stands for
    for (int i = 0; i < items; i++) {
        int64_t lo = 0, step = 1, hi;
        const Slice *s;
        switch (item[i].kind) {
        case V_INT:
            if (!shape_select(in, at, t, axis, item[i].i, &t)) return false;
            break;
        case V_NONE:
            if (!shape_unsqueeze(in, at, t, axis++, &t)) return false;
            break;
        case V_ELLIPSIS: axis += skipped; break;
        case V_SLICE:
            s = item[i].slice;
            hi = value_shape(t)[axis];
            if (s->step.kind != V_NONE && !value_as_int(s->step, &step)) goto not_int;
            if (step <= 0) return host_raise(in, at, "ValueError: step must be greater than zero");
            const Value *given[2] = {&s->lo, &s->hi};
            int64_t *end[2] = {&lo, &hi}, size = hi;
            for (int k = 0; k < 2; k++) {
                int64_t x;
                if (given[k]->kind == V_NONE) continue;
                if (!value_as_int(*given[k], &x)) goto not_int;
                if (x < 0) x = x < -size ? 0 : x + size;
                *end[k] = x > size ? size : x;
            }
            if (!shape_slice(in, at, t, (SliceOf){axis, lo, hi <= lo ? 0 : (hi - lo - 1) / step + 1, step},
                             &t))
                return false;
            axis++;
            break;
        default:
            return host_raise(in, at,
                              "TypeError: only integers, slices (`:`), ellipsis (`...`) and None are valid "
                              "indices here (got %s)",
                              value_type(item[i]));
        }
    }
    *out = t;
    return true;
not_int:
    return host_raise(in, at, "TypeError: slice indices must be integers or None");
}

// --- what a tensor is ---

bool api_shape(Call *c, Value *out) {
    if (!seq_of_ints(c->in, c->at, V_TUPLE, value_shape(c->arg[0]), value_rank(c->arg[0]), out)) return false;
    out->seq->flavour = SEQ_SIZE;
    return true;
}

bool api_size(Call *c, Value *out) {
    int axis;
    if (c->arg[1].kind == V_NONE) return api_shape(c, out);
    if (!shape_axis(c->in, c->at, c->arg[1], value_rank(c->arg[0]), &axis)) return false;
    if (value_rank(c->arg[0]) == 0)
        return host_raise(c->in, c->at, "IndexError: dimension specified as 0 but tensor has no dimensions");
    *out = value_int(value_shape(c->arg[0])[axis]);
    return true;
}

// What is asked of the device: as a rule it follows from the case's number of processors.
static const GpuModel *device(Call *c) {
    return c->in->m->gpu.model ? c->in->m->gpu.model : gpu_model(c->in->m->gpu.processors);
}
int device_here(const Interp *in) { return in->m && in->m->gpu.model ? in->m->gpu.model->index : 0; }
static bool other_device(Call *c) {
    return host_unsupported(c->in, c->at, "another device than the one of the inputs");
}

bool api_ndim(Call *c, Value *out) { return *out = value_int(value_rank(c->arg[0])), true; }
bool api_numel(Call *c, Value *out) {
    if (!need_tensor(c, 0)) return false;
    *out = value_int(value_numel(c->arg[0]));
    return true;
}
bool api_tensor_dtype(Call *c, Value *out) { return *out = value_dtype(value_elem(c->arg[0]), false), true; }
bool api_tensor_device(Call *c, Value *out) {
    *out = value_device(c->arg[0].kind == V_TENSOR && c->arg[0].tensor->cpu, device_here(c->in));
    return true;
}
bool api_is_cuda(Call *c, Value *out) {
    *out = value_bool(!(c->arg[0].kind == V_TENSOR && c->arg[0].tensor->cpu));
    return true;
}
bool api_element_size(Call *c, Value *out) {
    return *out = value_int(dtype_bytes(value_elem(c->arg[0]))), true;
}
bool api_nbytes(Call *c, Value *out) {
    *out = value_int(value_numel(c->arg[0]) * dtype_bytes(value_elem(c->arg[0])));
    return true;
}
bool api_is_complex(Call *c, Value *out) { return *out = value_bool(false), need_tensor(c, 0); }
bool api_is_float(Call *c, Value *out) {
    if (!need_tensor(c, 0)) return false;
    *out = value_bool(dtype_is_float(value_elem(c->arg[0])));
    return true;
}

bool api_stride(Call *c, Value *out) {
    const Tensor *t = &c->arg[0].tensor->t;
    int axis;
    if (c->arg[1].kind == V_NONE) return seq_of_ints(c->in, c->at, V_TUPLE, t->stride, t->rank, out);
    if (!shape_axis(c->in, c->at, c->arg[1], t->rank, &axis)) return false;
    if (t->rank == 0)
        return host_raise(c->in, c->at, "IndexError: dimension specified as 0 but tensor has no dimensions");
    *out = value_int(t->stride[axis]);
    return true;
}
bool api_storage_offset(Call *c, Value *out) { return *out = value_int(c->arg[0].tensor->t.offset), true; }
bool api_is_contiguous(Call *c, Value *out) {
    *out = value_bool(tensor_is_contiguous(&c->arg[0].tensor->t));
    return true;
}

// --- dtypes and devices ---

bool api_dtype(Call *c, Value *out) {
    DType t;
    if (!dtype_by_torch_name(str_last_part(c->name, '.'), &t))
        return host_unsupported(c->in, c->at, "%.*s is not available here", STR_ARG(c->name));
    *out = value_dtype(t, false);
    return true;
}
bool api_tl_dtype(Call *c, Value *out) {
    DType t;
    if (!dtype_by_triton_name(str_last_part(c->name, '.'), &t))
        return host_unsupported(c->in, c->at, "%.*s is not available here", STR_ARG(c->name));
    *out = value_dtype(t, true);
    return true;
}
bool api_dtype_size(Call *c, Value *out) { return *out = value_int(dtype_bytes(c->arg[0].dtype.t)), true; }
bool api_dtype_float(Call *c, Value *out) {
    return *out = value_bool(dtype_is_float(c->arg[0].dtype.t)), true;
}

bool api_device(Call *c, Value *out) {
    if (c->arg[0].kind == V_DEVICE) return *out = c->arg[0], true;
    if (c->arg[0].kind != V_STR)
        return host_raise(c->in, c->at, "TypeError: device(): argument 'type' must be str, not %s",
                          value_type(c->arg[0]));
    Str s = c->arg[0].s;
    int64_t index = 0;
    if (c->arg[1].kind != V_NONE && !(value_as_int(c->arg[1], &index) && !memchr(s.p, ':', s.len) &&
                                      (index == 0 || index == device_here(c->in))))
        return other_device(c);
    if (str_is(s, "cuda") || str_is(s, "cuda:0")) {
        *out = value_device(false, (int)index);
        out->device.indexed = s.len > 4 || c->arg[1].kind != V_NONE;
        return true;
    }
    if (str_is(s, "cpu")) return *out = value_device(true, 0), true;
    return host_raise(c->in, c->at, "RuntimeError: Invalid device string: '%.*s'", STR_ARG(s));
}
bool api_device_type(Call *c, Value *out) {
    *out = value_str(c->arg[0].device.cpu ? STR("cpu") : STR("cuda"));
    return true;
}
bool api_device_index(Call *c, Value *out) {
    *out = !c->arg[0].device.indexed ? NONE_VALUE : value_int(c->arg[0].device.index);
    return true;
}
bool api_tensor_type(Call *c, Value *out) {
    *out = NONE_VALUE;
    return host_refuse(c->in, c->at, "torch.Tensor(...): tensors are made by torch.empty and the like");
}
bool api_device_now(Call *c, Value *out) { return *out = value_int(device_here(c->in)), true; }
// There is one, the inputs'; that it is the present one is so already.
bool api_device_set(Call *c, Value *out) {
    const Value v = c->arg[0];
    int64_t index = 0;
    *out = NONE_VALUE;
    bool named = v.kind == V_STR && (str_is(v.s, "cuda:0") || str_is(v.s, "cuda"));
    if (v.kind == V_DEVICE ? !v.device.indexed : named && str_is(v.s, "cuda"))
        return host_raise(c->in, c->at,
                          "ValueError: Expected a torch.device with a specified index or an integer");
    if (v.kind != V_DEVICE && !named && !value_as_int(v, &index))
        return host_raise(c->in, c->at, "ValueError: Expected a cuda device, but got: %s", value_type(v));
    if (v.kind == V_DEVICE) index = v.device.index;
    return index == device_here(c->in) || other_device(c);
}
// One as a rule; not always, so that nothing can depend on it.
bool api_device_count(Call *c, Value *out) { return *out = value_int(device(c)->count), true; }
bool api_device_there(Call *c, Value *out) { return (void)c, *out = value_bool(true), true; }
bool api_device_properties(Call *c, Value *out) {
    return (void)c, *out = (Value){.kind = V_PROPERTIES}, true;
}
bool api_driver_properties(Call *c, Value *out) {
    const struct {
        const char *name;
        int64_t value;
    } fact[] = {{"max_shared_mem", device(c)->shared}, {"max_num_regs", 65536}, {"warpSize", 32}};
    if (!dict_new(c->in, c->at, out) ||
        !dict_put(c->in, c->at, out->dict, value_str(STR("multiprocessor_count")),
                  value_int(c->in->m->gpu.processors)))
        return false;
    for (size_t i = 0; i < sizeof fact / sizeof *fact; i++)
        if (!dict_put(c->in, c->at, out->dict, value_str(str_of(fact[i].name)), value_int(fact[i].value)))
            return false;
    return value_freeze(c->in, c->at, *out);
}
bool api_device_capability(Call *c, Value *out) {
    const GpuModel *m = device(c);
    return pair_new(c->in, c->at, value_int(m->major), value_int(m->minor), out);
}
bool api_driver_target(Call *c, Value *out) {
    return (void)c, *out = (Value){.kind = V_PROPERTIES, .b = true}, true;
}
bool api_target_backend(Call *c, Value *out) { return (void)c, *out = value_str(STR("cuda")), true; }
bool api_target_arch(Call *c, Value *out) {
    const GpuModel *m = device(c);
    return *out = value_int((int64_t)m->major * 10 + m->minor), true;
}
bool api_device_name(Call *c, Value *out) {
    Str text = device(c)->name_text;
    return *out = value_str(text.len ? text : str_of(device(c)->name)), true;
}
bool api_driver_device(Call *c, Value *out) { return *out = value_device(false, device_here(c->in)), true; }
bool api_properties_sms(Call *c, Value *out) { return *out = value_int(c->in->m->gpu.processors), true; }
bool api_properties_warp(Call *c, Value *out) { return (void)c, *out = value_int(32), true; }

bool api_size_numel(Call *c, Value *out) {
    int64_t n = 1;
    for (int i = 0; i < c->arg[0].seq->n; i++) {
        int64_t size = 0;
        if (!value_as_int(c->arg[0].seq->at[i], &size) || __builtin_mul_overflow(n, size, &n))
            return host_raise(c->in, c->at, "OverflowError: integer does not fit 64 bits");
    }
    *out = value_int(n);
    return true;
}
