// The virtual machine as a backend: every launch is run, checked and counted at once. Fills and copies are
// billed to the step budget and to the traffic counters, so that work moved from kernels into the host is
// seen.
#include "base/numeric/rng.h"
#include "host/candidate/backend.h"
#include "host/candidate/knocked.h"

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
    storage_change(t->storage, 0, t->storage->bytes);
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
    to->holds |= t->storage->holds;
    if (to->open && !storage_sparse_write(&in->m->storages, to->data, to->bytes))
        return host_raise(in, at, "torch.OutOfMemoryError: CUDA out of memory");
    ArenaMark mark = arena_mark(in->arena);
    if (arena_left(in->arena) < 2 * (size_t)n + (64 << 10))
        return host_raise(in, at, "torch.OutOfMemoryError: CUDA out of memory");
    uint8_t *flags = arena_raw(in->arena, (size_t)n, 1);
    storage_change(to, 0, to->bytes);
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
static uint64_t digest(Storage *s) {
    uint64_t h = 0, word = 0;
    storage_reach(s, 0, s->bytes);
    for (size_t i = 0; i < s->bytes; i += 8) {
        memcpy(&word, s->data + i, s->bytes - i < 8 ? s->bytes - i : 8);
        h = rng_mix(h, word);
    }
    return h;
}

// ---- autotuning: a kernel runs again and again on the same tensors before the run that counts

static bool is_named(const Seq *names, Str name) {
    for (int i = 0; names && i < names->n; i++)
        if (str_eq(names->at[i].s, name)) return true;
    return false;
}

static const Tensor *argument(const Binding *b, Str name) {
    for (int i = 0; i < b->args; i++)
        if (b->arg[i].kind == ARG_TENSOR && str_eq(b->arg[i].name, name)) return b->arg[i].tensor;
    return NULL;
}

static bool holds_values(Storage *s) {
    storage_reach(s, 0, s->bytes);
    for (size_t i = 0; s->shadow && i < s->bytes; i++)
        if (s->shadow[i] & SHADOW_INIT && s->data[i]) return true;
    return false;
}

// reset_to_zero and restore_value name tensors of the launch, and what is set to zero is not needed any more.
static bool names_fit(Interp *in, Span at, const Launched *l) {
    const Seq *all[] = {l->how.zeroed, l->how.restored};
    for (int k = 0; k < 2; k++)
        for (int i = 0; all[k] && i < all[k]->n; i++) {
            Str name = all[k]->at[i].s;
            const Tensor *t = argument(l->binding, name);
            if (!t)
                return host_raise(in, at, "KeyError: '%.*s': autotune names no tensor of this launch",
                                  STR_ARG(name));
            if (k == 0 && (t->storage->read_only || holds_values(t->storage)))
                return host_raise(
                    in, at,
                    "reset_to_zero names %.*s, which holds values that the kernel is given: autotuning "
                    "sets them to zero",
                    STR_ARG(name));
        }
    return true;
}

// The storage of a tensor that is brought back to what it was before each run, by its number.
static bool is_restored(const Launched *l, const Storage *s) {
    const Binding *b = l->binding;
    for (int i = 0; i < b->args; i++)
        if (b->arg[i].kind == ARG_TENSOR && b->arg[i].tensor->storage == s &&
            (is_named(l->how.zeroed, b->arg[i].name) || is_named(l->how.restored, b->arg[i].name)))
            return true;
    return false;
}

static Str name_of(const Binding *b, const Storage *s) {
    for (int i = 0; i < b->args; i++)
        if (b->arg[i].kind == ARG_TENSOR && b->arg[i].tensor->storage == s) return b->arg[i].name;
    return STR("a tensor");
}

// Once is enough to see whether the run after it finds what the first one found; more than this much memory
// is not looked at.
enum { REHEARSED_BYTES = 1 << 16 };
typedef struct {
    uint8_t *was;   // of what is restored: its bytes, and their shadow
    uint64_t first; // of what is not: after the first run
} Rehearsed;

static void restore(const StorageTable *t, const Rehearsed *all) {
    for (int i = 0; i < t->count; i++) {
        Storage *s = t->at[i];
        if (!all[i].was) continue;
        storage_change(s, 0, s->bytes);
        memcpy(s->data, all[i].was, s->bytes);
        if (s->shadow) memcpy(s->shadow, all[i].was + s->bytes, s->bytes);
    }
}

static int id_of(const Launched *l, int cell) { return (int)(l->code->cells[cell] >> ADDRESS_BITS); }

// A kernel that loads nothing that it changes gives the same from run to run, and finds nothing that an
// earlier one has left. (Programs of one launch that meet are a finding in whatever order they come.)
static bool gives_the_same(const Machine *m, const Launched *l) {
    const Code *c = l->code->code;
    if (c->atomics || m->knocked || m->order.sampled || m->order.period) return false;
    for (int i = 0; i < c->cells; i++)
        for (int k = 0; k < c->cells; k++)
            if (c->touched[i] & TOUCHED_LOADED && c->touched[k] & TOUCHED_CHANGED &&
                id_of(l, i) == id_of(l, k))
                return false;
    return true;
}

// *owed: both runs would give what the one that counts will give, and are only to be paid for.
static bool rehearse(Interp *in, Span at, const Launched *l, bool *owed) {
    Machine *m = in->m;
    const StorageTable *t = &m->storages;
    const Launchable *code = l->code;
    size_t bytes = 0;
    bool restores = false;
    for (int i = 0; i < t->count; i++)
        if (!t->at[i]->read_only) bytes += t->at[i]->bytes;
    if (bytes > REHEARSED_BYTES) return true;
    Rehearsed *all = HOST_NEW(in, at, Rehearsed, t->count + 1);
    if (!all || !host_work(in, at, (int64_t)bytes / 8)) return false;
    for (int i = 0; i < t->count; i++) {
        Storage *s = t->at[i];
        all[i] = (Rehearsed){0};
        if (s->read_only || !is_restored(l, s)) continue;
        storage_reach(s, 0, s->bytes);
        restores = true;
        if (!(all[i].was = HOST_NEW(in, at, uint8_t, 2 * s->bytes + 1))) return false;
        memcpy(all[i].was, s->data, s->bytes);
        if (s->shadow) memcpy(all[i].was + s->bytes, s->shadow, s->bytes);
    }
    *owed = !restores && gives_the_same(m, l);
    if (*owed) return true;
    Counters count = m->count;
    Trace *trace = m->watch.trace;
    m->watch.trace = NULL;
    if (!vm_launch(m, code->code, code->cells, l->grid)) return false;
    for (int i = 0; i < t->count; i++) all[i].first = t->at[i]->read_only ? 0 : digest(t->at[i]);
    restore(t, all);
    if (!vm_launch(m, code->code, code->cells, l->grid)) return false;
    m->count = count;
    m->watch.trace = trace;
    for (int i = 0; i < t->count; i++) {
        if (t->at[i]->read_only || all[i].was || digest(t->at[i]) == all[i].first) continue;
        return host_raise(
            in, at,
            "autotuning runs every config on the same tensors, and each run of %.*s changes what the one "
            "before it left in %.*s: name it in restore_value or reset_to_zero",
            STR_ARG(l->binding->kernel->function.name), STR_ARG(name_of(l->binding, t->at[i])));
    }
    restore(t, all);
    return true;
}

static bool check(Interp *in, const Binding *b, Launchable *out) {
    return kernel_check(in->m->arena, in->cache, b, out, in->d);
}

static bool pay_again(Machine *m, const Code *code, int64_t lanes) {
    m->steps_left -= lanes;
    if (m->steps_left >= 0) return true;
    m->steps_left = 0;
    return diag_add(m->diags, DIAG_BUDGET, code->insn[0].span,
                    "the step budget is spent: too much work, or a loop without an end");
}

static bool launch(Interp *in, Span at, const Launched *l) {
    Machine *m = in->m;
    m->gpu.warps = l->binding->num_warps;
    knocked_before(in, l->binding);
    bool owed = false;
    if (l->how.restless && !(names_fit(in, at, l) && rehearse(in, at, l, &owed))) return false;
    Counters *count = &m->count;
    if (l->binding->num_warps > count->warps) count->warps = l->binding->num_warps;
    if ((int64_t)l->code->code->file_bytes > count->tile_bytes)
        count->tile_bytes = (int64_t)l->code->code->file_bytes;
    const Code *code = l->code->code;
    if (!l->binding->uncontracted) {
        m->contraction.ways |= code->contracts;
        code = kernel_contracted(m->arena, in->cache, l->code->code, m->contraction.side);
    }
    const Counters before = m->count;
    const int64_t left = m->steps_left;
    if (!vm_launch(m, code, l->code->cells, l->grid)) return false;
    if (owed && !pay_again(m, code, 2 * (left - m->steps_left))) return false;
    knocked_after(in, at, &before);
    return true;
}

static bool finish(Interp *in, Span at, const Tensor *out, int outputs) {
    return (void)in, (void)at, (void)out, (void)outputs, true;
}

const LaunchBackend vm_backend = {
    .check = check, .launch = launch, .fill = fill, .copy = copy, .finish = finish};
