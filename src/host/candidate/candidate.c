#include "base/numeric/rng.h"
#include "host/candidate/asked.h"
#include "host/candidate/backend.h"
#include "host/candidate/launch_conditions.h"
#include "host/python/api.h"

// What only a candidate does: allocate, copy, launch. What is asked of the GPU goes to a backend.

// A tensor without gaps.
typedef struct {
    DType dtype;
    bool cpu;
    int rank;
    const int64_t *size;
} Plain;

static const int64_t GPU_BYTES = (int64_t)80 << 30; // no GPU that is judged for has less

static bool allocate(Interp *in, Span at, const Plain *p, Value *out) {
    DType dtype = p->dtype;
    int rank = p->rank;
    const int64_t *size = p->size;
    Tensor t = {.dtype = dtype, .rank = rank};
    int64_t numel = 0, bytes = 0;
    if (!cached_no_work(in, at)) return false;
    for (int i = 0; i < rank; i++) {
        if (size[i] < 0)
            return host_raise(in, at, "RuntimeError: Trying to create tensor with negative dimension %lld",
                              (long long)size[i]);
        t.shape[i] = size[i];
    }
    if (!shape_sane(size, rank) || !shape_numel(size, rank, &numel))
        return host_raise(in, at,
                          "RuntimeError: Storage size calculation overflowed: the sizes are too large");
    bytes = numel * dtype_bytes(dtype); // at most 2^51
    if (bytes > in->tensor_bytes_left || !storage_new(&in->m->storages, dtype, (size_t)bytes, &t.storage)) {
        int64_t most = host_tensor_bytes(in);
        int64_t before = in->m->storages.sparse ? GPU_BYTES : most - in->tensor_bytes_left;
        if (bytes < GPU_BYTES - before) // a GPU has as much
            return host_unsupported(in, at,
                                    "the tensors of one call take more memory than the %lld MiB that go with "
                                    "these inputs: that is "
                                    "a limit of this version",
                                    (long long)(most >> 20));
        return host_raise(in, at, "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate %lld bytes",
                          (long long)bytes);
    }
    t.storage->made_at = at.at;
    t.storage->made_len = at.len;
    in->tensor_bytes_left -= bytes;
    tensor_contiguous_strides(&t);
    return tensor_value(in, at, &t, p->cpu, out);
}

bool tensor_new(Interp *in, Span at, DType t, int rank, const int64_t *size, Value *out) {
    return allocate(in, at, &(Plain){t, false, rank, size}, out);
}

static Outcomes *outcomes(const Interp *in) { return cover_outcomes(in->m->watch.cover); }
static KeyNotes *keys(const Interp *in) { return cover_keys(in->m->watch.cover); }
static bool looked_on(const Interp *in) { return cover_looks_on(in->m->watch.cover); }

static bool fill(Interp *in, Span at, Value v, double x) {
    if (keys(in)) asked_fill(keys(in), &v.tensor->t, x);
    return looked_on(in) || backend_of(in)->fill(in, at, &v.tensor->t, x);
}

bool tensor_copy(Interp *in, Span at, Value v, Value *out) {
    const Tensor *t = &v.tensor->t;
    if (!allocate(in, at, &(Plain){t->dtype, v.tensor->cpu, t->rank, t->shape}, out)) return false;
    if (keys(in)) asked_copy(keys(in), t, &out->tensor->t);
    return looked_on(in) || backend_of(in)->copy(in, at, t, &out->tensor->t);
}

// --- allocation ---

static bool want_dtype(Call *c, Value v, DType standard, DType *out) {
    if (v.kind == V_NONE) return *out = standard, true;
    if (v.kind == V_DTYPE && !v.dtype.triton) return *out = v.dtype.t, true;
    return host_raise(c->in, c->at, "TypeError: %.*s(): argument 'dtype' must be torch.dtype, not %s",
                      STR_ARG(c->name), value_type(v));
}

// Without a device torch allocates on the CPU, where kernels cannot reach.
static bool want_device(Call *c, Value v, bool standard_cpu, bool *cpu) {
    if (v.kind == V_NONE) return *cpu = standard_cpu, true;
    int64_t here = device_here(c->in), index = here;
    if (v.kind == V_DEVICE && v.device.indexed && !v.device.cpu) index = v.device.index;
    if ((v.kind == V_INT && v.i == 0) || (v.kind == V_STR && str_is(v.s, "cuda:0"))) index = 0;
    if (index != here) return host_unsupported(c->in, c->at, "another device than the one of the inputs");
    if (v.kind == V_DEVICE) return *cpu = v.device.cpu, true;
    if (v.kind == V_INT && v.i == here) return *cpu = false, true;
    if (v.kind == V_STR) {
        if (str_is(v.s, "cuda") || str_is(v.s, "cuda:0")) return *cpu = false, true;
        if (str_is(v.s, "cpu")) return *cpu = true, true;
        return host_raise(c->in, c->at, "RuntimeError: Invalid device string: '%.*s'", STR_ARG(v.s));
    }
    return host_raise(c->in, c->at, "TypeError: %.*s(): argument 'device' must be torch.device, not %s",
                      STR_ARG(c->name), value_type(v));
}

// What has its element type and its device already comes back as it is; a conversion is a kernel's work.
static bool stays_same(Call *c, Value v) {
    const HostTensor *self = c->arg[0].tensor;
    bool cpu;
    if (v.kind == V_NONE || v.kind == V_BOOL) return true;
    DType t = v.kind == V_TENSOR ? v.tensor->t.dtype : self->t.dtype;
    if (v.kind == V_DTYPE && !v.dtype.triton)
        t = v.dtype.t;
    else if (v.kind == V_TENSOR)
        cpu = v.tensor->cpu;
    else if (!want_device(c, v, self->cpu, &cpu))
        return false;
    if (v.kind == V_DTYPE) cpu = self->cpu;
    if (t == self->t.dtype && cpu == self->cpu) return true;
    return host_refuse(
        c->in, c->at,
        "`.%.*s` to another type or device computes on, or copies, the elements of tensors; do it "
        "in a kernel",
        STR_ARG(c->name));
}

bool api_to_same(Call *c, Value *out) {
    bool copy;
    for (int i = 0; i < c->rests; i++)
        if (!stays_same(c, c->rest[i])) return false;
    if (!stays_same(c, c->arg[1]) || !stays_same(c, c->arg[3]) ||
        !value_truth(c->in, c->at, c->arg[5], &copy))
        return false;
    *out = c->arg[0];
    if (c->arg[0].tensor->cpu && str_is(c->name, "cuda")) return stays_same(c, value_str(STR("cuda")));
    return !copy ||
           host_refuse(c->in, c->at, "`.to(copy=True)` copies the elements of a tensor; do it in a kernel");
}
bool api_detach(Call *c, Value *out) { return *out = c->arg[0], true; }
bool api_requires_grad(Call *c, Value *out) { return (void)c, *out = value_bool(false), true; }

static bool no_grad(Call *c, Value v) {
    bool grad;
    if (!value_truth(c->in, c->at, v, &grad)) return false;
    return !grad || host_refuse(c->in, c->at, "requires_grad: kernel files have no gradients");
}

static bool fill_value(Call *c, Value v, double *out) {
    if (value_as_number(v, out)) return true;
    return host_raise(c->in, c->at, "TypeError: %.*s(): argument 'fill_value' must be Number, not %s",
                      STR_ARG(c->name), value_type(v));
}

// A tensor as a call describes it: sizes, what it says of dtype and device, and what stands for what it does
// not say.
typedef struct {
    const Value *size;
    int sizes;
    Value dtype, device;
    DType standard;
    bool standard_cpu;
} NewTensor;

static bool new_sized(Call *c, const NewTensor *w, Value *out) {
    int64_t sizes[TENSOR_RANK_MAX];
    int rank;
    DType t;
    bool cpu;
    return shape_sizes(c->in, c->at, w->size, w->sizes, sizes, &rank) &&
           want_dtype(c, w->dtype, w->standard, &t) && want_device(c, w->device, w->standard_cpu, &cpu) &&
           allocate(c->in, c->at, &(Plain){t, cpu, rank, sizes}, out);
}

static double named_value(const Call *c) { // zeros, ones_like, new_ones ...
    return memmem(c->name.p, c->name.len, "ones", 4) ? 1 : 0;
}

// torch.empty(2, 3), torch.empty((2, 3)), torch.empty(size=(2, 3))
bool api_empty(Call *c, Value *out) {
    return no_grad(c, c->arg[3]) &&
           new_sized(c, &(NewTensor){c->rest, c->rests, c->arg[1], c->arg[2], DT_F32, true}, out);
}
// Without gaps: what lies in them would belong to nobody.
static bool is_dense(const int64_t *shape, const int64_t *stride, int rank) {
    int64_t next = 1;
    bool done[TENSOR_RANK_MAX] = {0};
    for (int k = 0; k < rank; k++) {
        int least = -1;
        for (int i = 0; i < rank; i++)
            if (!done[i] && shape[i] > 1 && (least < 0 || stride[i] < stride[least])) least = i;
        if (least < 0) break;
        if (stride[least] != next) return false;
        done[least] = true;
        next *= shape[least]; // sane: see allocate()
    }
    return true;
}
bool api_empty_strided(Call *c, Value *out) {
    int64_t stride[TENSOR_RANK_MAX];
    int rank;
    if (!shape_sizes(c->in, c->at, &c->arg[1], 1, stride, &rank) || !no_grad(c, c->arg[4]) ||
        !new_sized(c, &(NewTensor){&c->arg[0], 1, c->arg[2], c->arg[3], DT_F32, true}, out))
        return false;
    Tensor *t = &out->tensor->t;
    if (rank != t->rank)
        return host_raise(c->in, c->at, "RuntimeError: mismatch in length of strides and shape");
    if (!is_dense(t->shape, stride, rank))
        return host_unsupported(c->in, c->at,
                                "torch.empty_strided with gaps or overlaps between the elements");
    memcpy(t->stride, stride, sizeof *stride * (size_t)rank);
    return true;
}
bool api_zeros(Call *c, Value *out) { return api_empty(c, out) && fill(c->in, c->at, *out, named_value(c)); }
bool api_full(Call *c, Value *out) {
    double x;
    DType t = c->arg[1].kind == V_INT ? DT_I64 : c->arg[1].kind == V_BOOL ? DT_BOOL : DT_F32;
    return fill_value(c, c->arg[1], &x) && no_grad(c, c->arg[4]) &&
           new_sized(c, &(NewTensor){&c->arg[0], 1, c->arg[2], c->arg[3], t, true}, out) &&
           fill(c->in, c->at, *out, x);
}

// torch keeps the order of strides and leaves out the gaps; dimensions of stride 0 stay where they are.
static void like_strides(const Tensor *from, Tensor *to) {
    int order[TENSOR_RANK_MAX]; // outermost first
    for (int i = 0; i < from->rank; i++) {
        int k = i;
        for (; k > 0 && from->stride[i] && from->stride[order[k - 1]] &&
               from->stride[order[k - 1]] < from->stride[i];
             k--)
            order[k] = order[k - 1];
        order[k] = i;
    }
    int64_t stride = 1;
    for (int i = from->rank; i-- > 0;) {
        to->stride[order[i]] = stride;
        stride *= from->shape[order[i]] > 1 ? from->shape[order[i]] : 1; // sane: see allocate()
    }
}

static bool like(Call *c, Value dtype, Value device, Value *out) {
    if (c->arg[0].kind != V_TENSOR)
        return host_raise(c->in, c->at, "TypeError: %.*s(): argument 'input' must be Tensor, not %s",
                          STR_ARG(c->name), value_type(c->arg[0]));
    const Tensor *from = &c->arg[0].tensor->t;
    DType t;
    bool cpu;
    if (!want_dtype(c, dtype, from->dtype, &t) || !want_device(c, device, c->arg[0].tensor->cpu, &cpu))
        return false;
    if (!allocate(c->in, c->at, &(Plain){t, cpu, from->rank, from->shape}, out)) return false;
    like_strides(from, &out->tensor->t);
    return true;
}
bool api_empty_like(Call *c, Value *out) {
    return no_grad(c, c->arg[3]) && like(c, c->arg[1], c->arg[2], out);
}
bool api_zeros_like(Call *c, Value *out) {
    return api_empty_like(c, out) && fill(c->in, c->at, *out, named_value(c));
}
bool api_full_like(Call *c, Value *out) {
    double x;
    return fill_value(c, c->arg[1], &x) && no_grad(c, c->arg[4]) && like(c, c->arg[2], c->arg[3], out) &&
           fill(c->in, c->at, *out, x);
}

bool api_new_empty(Call *c, Value *out) {
    const HostTensor *self = c->arg[0].tensor;
    return no_grad(c, c->arg[4]) &&
           new_sized(c, &(NewTensor){c->rest, c->rests, c->arg[2], c->arg[3], self->t.dtype, self->cpu}, out);
}
bool api_new_zeros(Call *c, Value *out) {
    return api_new_empty(c, out) && fill(c->in, c->at, *out, named_value(c));
}
bool api_new_full(Call *c, Value *out) {
    double x;
    const HostTensor *self = c->arg[0].tensor;
    return fill_value(c, c->arg[2], &x) && no_grad(c, c->arg[5]) &&
           new_sized(c, &(NewTensor){&c->arg[1], 1, c->arg[3], c->arg[4], self->t.dtype, self->cpu}, out) &&
           fill(c->in, c->at, *out, x);
}
bool api_memory_format(Call *c, Value *out) { return *out = value_str(c->name), true; }

// --- launches ---

// `place` counts the launch's arguments, for messages.
static bool launch_arg(Interp *in, Span at, Value v, Str name, int place, LaunchArg *out) {
    *out = (LaunchArg){.name = name, .span = at};
    if (value_plain(v, &out->value)) return out->kind = ARG_PLAIN, true;
    switch (v.kind) {
    case V_TENSOR:
        if (v.tensor->cpu)
            return host_raise(in, at,
                              "ValueError: Pointer argument (at %d) cannot be accessed from Triton (cpu "
                              "tensor?): allocate with device=x.device",
                              place);
        out->kind = ARG_TENSOR;
        out->tensor = &v.tensor->t;
        return true;
    case V_DTYPE:
        if (!v.dtype.triton)
            return host_raise(in, at,
                              "TypeError: torch.%s cannot be handed to a kernel; pass tl.%s, or use the "
                              "pointer's .dtype.element_ty",
                              dtype_info[v.dtype.t].torch, dtype_info[v.dtype.t].torch);
        out->kind = ARG_DTYPE;
        out->dtype = v.dtype.t;
        return true;
    case V_TUPLE: {
        if (v.seq->flavour == SEQ_NAMED)
            return host_unsupported(in, at, "a NamedTuple as an argument of a kernel: pass its items");
        LaunchArg *item = HOST_NEW(in, at, LaunchArg, v.seq->n + 1);
        if (!item) return false;
        if (++in->depth > DEPTH_MAX) return host_raise(in, at, "RecursionError: nested too deeply");
        for (int i = 0; i < v.seq->n; i++)
            if (!host_work(in, at, 4) || !launch_arg(in, at, v.seq->at[i], (Str){0}, place, &item[i]))
                return false;
        in->depth--;
        out->kind = ARG_TUPLE;
        out->item = item;
        out->items = v.seq->n;
        return true;
    }
    case V_DESCRIPTOR:
        out->kind = ARG_DESCRIPTOR;
        out->descriptor = v.descriptor;
        return true;
    case V_KERNEL:
        if (v.kernel->tuners)
            return host_raise(in, at, "TypeError: an autotuned kernel cannot be handed to a kernel");
        out->kind = ARG_FUNCTION;
        out->function = v.kernel->node;
        out->home = v.kernel->home ? v.kernel->home : in->module;
        out->host = v.kernel;
        return true;
    default: return host_raise(in, at, "TypeError: a %s cannot be handed to a kernel", value_type(v));
    }
}

static bool launch_value(Interp *in, Span at, const LaunchArg *a, Value *out) {
    switch (a->kind) {
    case ARG_PLAIN: *out = value_of_plain(a->value); return true;
    case ARG_DTYPE: *out = value_dtype(a->dtype, true); return true;
    case ARG_TENSOR: return tensor_value(in, at, a->tensor, false, out);
    case ARG_DESCRIPTOR: return *out = (Value){.kind = V_DESCRIPTOR, .descriptor = a->descriptor}, true;
    case ARG_FUNCTION: return *out = (Value){.kind = V_KERNEL, .kernel = a->host}, true;
    case ARG_TUPLE:
        if (!seq_new(in, at, V_TUPLE, a->items, out)) return false;
        for (int i = 0; i < a->items; i++)
            if (!launch_value(in, at, &a->item[i], &out->seq->at[i])) return false;
        return true;
    }
    return false;
}

// A grid is a sequence of one to three numbers, or a function of the bound arguments that returns one.
static bool grid_sizes(Interp *in, Span at, Value grid, const Binding *b, int64_t out[3]) {
    if (grid.kind == V_FUNCTION || grid.kind == V_API) {
        Value meta, v;
        Args args = {.pos = &meta, .n = 1, .at = at};
        if (!dict_new(in, at, &meta)) return false;
        for (int i = 0; i < b->args; i++)
            if (!launch_value(in, at, &b->arg[i], &v) ||
                !dict_put(in, at, meta.dict, value_str(b->arg[i].name), v))
                return false;
        if (!value_freeze(in, at, meta) || !call_value(in, grid, &args, &grid)) return false;
    }
    if (!value_is_seq(grid)) {
        if (grid.kind == V_TENSOR) return host_refuse(in, at, "a grid is made of numbers, not of tensors");
        return host_raise(in, at,
                          "TypeError: object of type '%s' has no len(): a grid is a tuple such as (n,)",
                          value_type(grid));
    }
    if (grid.seq->n == 0)
        return host_raise(in, at, "IndexError: tuple index out of range: the grid is empty");
    if (grid.seq->n > 3)
        return host_raise(in, at, "ValueError: a grid has at most 3 dimensions, not %d", grid.seq->n);
    for (int i = 0; i < 3; i++) {
        out[i] = 1;
        if (i >= grid.seq->n) continue;
        if (!value_as_int(grid.seq->at[i], &out[i]))
            return host_raise(in, at,
                              "TypeError: '%s' object cannot be interpreted as an integer: grid dimension %d",
                              value_type(grid.seq->at[i]), i);
        if (out[i] > INT32_MAX || out[i] < INT32_MIN)
            return host_raise(
                in, at, "OverflowError: signed integer is greater than maximum: grid dimension %d is %lld", i,
                (long long)out[i]);
        if (out[i] < 0 || (i > 0 && out[i] > 65535))
            return host_raise(
                in, at, "RuntimeError: Triton Error [CUDA]: invalid argument: grid dimension %d is %lld", i,
                (long long)out[i]);
    }
    return true;
}

// A launch as far as Triton's compiler gets.
typedef struct {
    Choice how;
    Binding binding;
    Launchable code;
    int64_t grid[3];
} Built;

static bool build(Interp *in, const Launcher *l, const Args *given, int skip, Built *out) {
    Span at = given->at;
    Args tuned;
    *out = (Built){0};
    if (!kernel_tune(in, l, given, skip, &tuned, &out->how)) return false;
    const Args *args = &tuned;
    Machine *m = in->m;
    int n = args->n + args->names;
    LaunchArg *arg = HOST_NEW(in, at, LaunchArg, n + 1);
    if (!arg) return false;
    for (int i = 0; i < n; i++) {
        bool named = i >= args->n;
        if (!launch_arg(in, at, named ? args->named[i - args->n] : args->pos[i],
                        named ? args->name[i - args->n] : (Str){0}, i, &arg[i]))
            return false;
    }
    const Node *home = l->kernel->home;
    if (home && l->kernel->node->function.decorators.n > 1)
        return host_unsupported(
            in, at,
            "kernels of --include are launched without @triton.autotune and @triton.heuristics "
            "only");
    int found = in->d->count;
    bool bound = launch_bind(m->arena, &(LaunchCall){home ? home : in->module, l->kernel->node, arg, n, at},
                             &out->binding, in->d);
    for (int i = found; home && i < in->d->count; i++) in->d->at[i].span = at; // said about this file
    if (!bound) return false;
    if (!home) out->binding.cover = m->watch.cover;
    if (home) {
        Node *site = NEW(m->arena, Node);
        *site = (Node){.kind = NODE_CALL, .span = at};
        out->binding.site = site;
    }
    return grid_sizes(in, at, l->grid, &out->binding, out->grid) &&
           (looked_on(in) || backend_of(in)->check(in, &out->binding, &out->code));
}

// Blocks of a cooperative launch wait for each other, so all of them have to be on the GPU at once: at most
// as many as its threads and its shared memory take. Registers can only make that fewer.
static bool fits_at_once(Interp *in, Span at, const Binding *b, const Launchable *code,
                         const int64_t grid[3]) {
    enum { THREADS = 2048, BLOCKS = 32, SHARED = 233472, SHARED_OF_SYSTEM = 1024 };
    int64_t each = THREADS / (32 * b->num_warps), shared = SHARED / (code->shared + SHARED_OF_SYSTEM);
    if (each > BLOCKS) each = BLOCKS;
    if (each > shared) each = shared;
    int64_t most = each * in->m->gpu.processors, blocks = 1;
    for (int i = 0; i < 3; i++)
        if (__builtin_mul_overflow(blocks, grid[i], &blocks)) blocks = INT64_MAX;
    if (!b->cooperative || b->num_ctas > 1 || blocks <= most) return true;
    return host_raise(
        in, at,
        "RuntimeError: Triton Error [CUDA]: too many blocks in cooperative launch: %lld of %d warps, "
        "and the GPU's %d processors take %lld at once",
        (long long)blocks, b->num_warps, in->m->gpu.processors, (long long)most);
}

static bool has_scratch(Interp *in, Span at, const Launchable *code) {
    if (!code->code->scratch || in->m->gpu.allocator) return true;
    return host_raise(
        in, at,
        "RuntimeError: Kernel requires a runtime memory allocation, but no allocator was set. Use "
        "triton.set_allocator to specify an allocator: descriptors that a kernel makes need one");
}

// What a GPU would not take, or a candidate could see through.
static bool launchable(Interp *in, const Launcher *l, Span at, const Built *built) {
    const Code *code = built->code.code;
    const Binding *binding = &built->binding;
    const Insn *fold = binding->num_ctas > 1 ? code_row_fold(code) : NULL;
    if (fold)
        return diag_add(
            in->d, DIAG_COMPILE, fold->span,
            "num_ctas = %d: Triton's TritonGPUPlanCTAPass fails on the reduction of a tile of one "
            "dimension",
            binding->num_ctas);
    // A candidate that sees addresses can tell this machine from a GPU and be right here only.
    if (code->naked)
        return host_unsupported(
            in, code->naked->span,
            "casts between pointers and integers are not judged: addresses differ from machine to machine");
    if (built->how.restless && !built->how.zeroed && !built->how.restored && code->atomics)
        return host_raise(
            in, at,
            "autotuning runs every config on the same tensors, and what the atomics of %.*s did stays: "
            "name the tensors in reset_to_zero or restore_value",
            STR_ARG(l->kernel->node->function.name));
    if (!has_scratch(in, at, &built->code) || !fits_at_once(in, at, binding, &built->code, built->grid))
        return false;
    return true;
}

// Numbers that a program keeps are seen where kernels get them.
static void note_launched(Cover *c, const Binding *b) {
    for (int i = 0; i < b->args; i++) {
        const PyValue *v = &b->arg[i].value;
        uint64_t word = 0;
        if (b->arg[i].kind != ARG_PLAIN) continue;
        if (v->kind == PY_INT) word = (uint64_t)v->i;
        if (v->kind == PY_FLOAT) memcpy(&word, &v->f, sizeof word);
        c->launched = rng_mix(c->launched, word);
    }
}

// What a function has bound itself nobody else binds anew: host code has no nonlocal.
static bool is_local(void *env, Str name) {
    const Env *e = env;
    return !e->module && env_find(e, name) != NULL;
}

// kernel[(M,)](...): the launcher that is called is the one that this call has made.
static void note_launch(Interp *in, const Launcher *l, Conditions *of) {
    const Node *call = in->launching, *f = call ? call->call.func : NULL;
    const Node *grid = value_is_seq(l->grid) ? l->grid.seq->made : NULL;
    bool own = grid && f && f->kind == NODE_SUBSCRIPT && f->subscript.index == grid && l->kernel->tuners == 0;
    conditions_launched(of, own ? call : NULL, grid, is_local, (void *)(uintptr_t)in->launched_in);
}

// Of a kernel of the file itself.
static void note_conditions(Interp *in, const Launcher *l, const Built *built) {
    Cover *c = in->m->watch.cover;
    if (l->kernel->home) return;
    Conditions *of = conditions_of(c->arena, &c->conditions, built->binding.kernel);
    if (outcomes(in)) note_launch(in, l, of);
    conditions_note(of, outcomes(in), outcomes(in) ? NULL : c, &built->binding, built->grid);
}

// One way of a launch: with the config that comes after `skip` others, or the next one that fits.
static bool launch_way(Interp *in, const Launcher *l, const Args *given, int *skip, Built *built) {
    int found = in->d->count;
    for (; !build(in, l, given, *skip, built); ++*skip) {
        if (!built->code.unfit || !choice_passes_over(&built->how, *skip)) return false;
        in->d->count = found;
    }
    return true;
}

bool kernel_launch(Interp *in, const Launcher *l, const Args *given) {
    Span at = given->at;
    Built built;
    int skip = 0, nth = 0;
    Cover *cover = in->m->watch.cover;
    if (in->pruning)
        return host_refuse(in, at,
                           "a function that prunes configs launches nothing: it does not run in every call");
    if (!cached_no_work(in, at)) return false;
    do {
        int found = in->d->count;
        if (!launch_way(in, l, given, &skip, &built)) {
            if (nth == 0 || !built.code.unfit) return false;
            in->d->count = found; // the last configs do not fit
            break;
        }
        if (looked_on(in)) {
            if (outcomes(in)) note_conditions(in, l, &built);
            if (keys(in)) asked_launch(keys(in), &built.binding, built.grid);
            return true;
        }
        if (cover && cover->keeps) note_launched(cover, &built.binding);
        if (cover && (cover->keeps || cover->mixes)) note_conditions(in, l, &built);
        if (!choice_holds(in, l, at, &built.how) || !launchable(in, l, at, &built)) return false;
        const Launched asked = {&built.binding, &built.code, built.grid, built.how, nth++};
        if (!backend_of(in)->launch(in, at, &asked)) return false;
    } while (backend_of(in)->every_config && ++skip < built.how.choices);
    return true;
}
