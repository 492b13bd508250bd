// The virtual machine as a backend: every launch is run, checked and counted at once. Fills and copies are
// billed to the step budget and to the traffic counters, so that work moved from kernels into the host is
// seen.
#include "base/numeric/rng.h"
#include "host/candidate/backend.h"

static bool bill(Interp *in, Span at, int64_t elements, int64_t bytes) {
    if (!host_work(in, at, elements)) return false;
    in->m->count.bytes_copied += bytes;
    return true;
}

static bool fill(Interp *in, Span at, const Tensor *t, double x) {
    int64_t n = tensor_numel(t);
    int width = dtype_bytes(t->dtype);
    if (t->storage->open && x == 0) return true; // sparse: zero as it is
    if (t->storage->open && !storage_sparse_write(&in->m->storages, t->storage->data, t->storage->bytes))
        return host_raise(in, at, "torch.OutOfMemoryError: CUDA out of memory");
    if (!bill(in, at, n, n * width)) return false;
    for (int64_t i = 0; i < n; i++) dtype_store(t->dtype, t->storage->data + i * width, x);
    tensor_expose(t, SHADOW_ALLOC | SHADOW_INIT);
    return true;
}

// An element's copy is defined, and counts as stored by a kernel, where the original is.
static bool copy(Interp *in, Span at, const Tensor *t, const Tensor *out) {
    int64_t n = tensor_numel(t), width = dtype_bytes(t->dtype);
    if (!bill(in, at, n, 2 * n * width)) return false;
    if (n == 0) return true;
    Storage *to = out->storage;
    if (to->open && !storage_sparse_write(&in->m->storages, to->data, to->bytes))
        return host_raise(in, at, "torch.OutOfMemoryError: CUDA out of memory");
    ArenaMark mark = arena_mark(in->arena);
    if (arena_left(in->arena) < 2 * (size_t)n + (64 << 10))
        return host_raise(in, at, "torch.OutOfMemoryError: CUDA out of memory");
    uint8_t *flags = arena_raw(in->arena, (size_t)n, 1);
    tensor_gather(t, to->data, flags);
    if (to->origin && t->storage->origin) {
        uint8_t *origin = arena_raw(in->arena, (size_t)n, 1);
        tensor_origins(t, origin);
        for (int64_t i = 0; i < n; i++) memset(to->origin + i * width, origin[i], (size_t)width);
    }
    for (int64_t i = 0; to->shadow && i < n; i++)
        memset(to->shadow + i * width, SHADOW_ALLOC | (flags[i] & (SHADOW_INIT | SHADOW_STORED)),
               (size_t)width);
    arena_reset(in->arena, mark);
    return true;
}

// What memory holds, as a number.
static uint64_t digest(const Storage *s) {
    uint64_t h = 0, word = 0;
    for (size_t i = 0; i < s->bytes; i += 8) {
        memcpy(&word, s->data + i, s->bytes - i < 8 ? s->bytes - i : 8);
        h = rng_mix(h, word);
    }
    return h;
}

// Autotuning runs a kernel again and again on the same tensors before the run that counts. Once is enough to
// see whether the one after it finds what the first one found; more than this much memory is not looked at.
enum { REHEARSED_BYTES = 1 << 16 };
static bool rehearse(Interp *in, Span at, const Launched *l) {
    Machine *m = in->m;
    const StorageTable *t = &m->storages;
    const Binding *b = l->binding;
    const Launchable *code = l->code;
    size_t bytes = 0;
    for (int i = 0; i < t->count; i++)
        if (!t->at[i]->read_only) bytes += t->at[i]->bytes;
    if (bytes > REHEARSED_BYTES) return true;
    uint64_t *first = HOST_NEW(in, at, uint64_t, t->count + 1);
    if (!first || !host_work(in, at, (int64_t)bytes / 8)) return false;
    Counters count = m->count;
    Trace *trace = m->watch.trace;
    m->watch.trace = NULL;
    if (!vm_launch(m, code->code, code->cells, l->grid)) return false;
    for (int i = 0; i < t->count; i++) first[i] = t->at[i]->read_only ? 0 : digest(t->at[i]);
    if (!vm_launch(m, code->code, code->cells, l->grid)) return false;
    m->count = count;
    m->watch.trace = trace;
    for (int i = 0; i < t->count; i++) {
        if (t->at[i]->read_only || digest(t->at[i]) == first[i]) continue;
        Str name = STR("a tensor");
        for (int a = 0; a < b->args; a++)
            if (b->arg[a].kind == ARG_TENSOR && b->arg[a].tensor->storage == t->at[i]) name = b->arg[a].name;
        return host_raise(
            in, at,
            "autotuning runs every config on the same tensors, and each run of %.*s changes what the one "
            "before it left in %.*s: name it in restore_value or reset_to_zero",
            STR_ARG(b->kernel->function.name), STR_ARG(name));
    }
    return true;
}

static bool check(Interp *in, const Binding *b, Launchable *out) {
    return kernel_check(in->m->arena, in->cache, b, out, in->d);
}

static bool launch(Interp *in, Span at, const Launched *l) {
    Machine *m = in->m;
    m->gpu.warps = l->binding->num_warps;
    if (l->how.restless && !rehearse(in, at, l)) return false;
    Counters *count = &m->count;
    if (l->binding->num_warps > count->warps) count->warps = l->binding->num_warps;
    if ((int64_t)l->code->code->file_bytes > count->tile_bytes)
        count->tile_bytes = (int64_t)l->code->code->file_bytes;
    return vm_launch(m, l->code->code, l->code->cells, l->grid);
}

static bool finish(Interp *in, Span at, const Tensor *out, int outputs) {
    return (void)in, (void)at, (void)out, (void)outputs, true;
}

const LaunchBackend vm_backend = {
    .check = check, .launch = launch, .fill = fill, .copy = copy, .finish = finish};
