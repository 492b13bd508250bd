// How tensors of a case go into the virtual machine of a child and come out of it: inputs as the candidate
// sees them, those that are changed in place, outputs that share memory, and what of them was never written.
#include "sandbox/child/child.h"
#include "tile/loops/loops.h"
#include <stdio.h>

// What of a tensor is in the mapping lies in it.
static bool held_within(const Child *c, const CaseTensor *t) {
    if (t->held == 0) return within(t->at, t->bytes, c->job->draw_bytes);
    return t->held > 0 && t->held < t->bytes && within(t->at, t->held, c->job->draw_bytes);
}

// An input as the candidate sees it: exactly the view's bytes exist, the gaps between strided rows do not.
static bool input_wrap(const Child *c, Machine *m, const CaseTensor *t, Tensor *out) {
    if (t->dtype < 0 || t->dtype >= DT_COUNT || t->rank < 0 || t->rank > TENSOR_RANK_MAX) return false;
    if (t->at != TENSOR_ZEROS && !held_within(c, t)) return false;
    *out = (Tensor){.dtype = (DType)t->dtype, .rank = t->rank, .offset = t->offset};
    memcpy(out->shape, t->shape, sizeof out->shape);
    memcpy(out->stride, t->stride, sizeof out->stride);
    if (t->at == TENSOR_ZEROS)
        return t->bytes >= 0 && storage_wrap_zeros(&m->storages, out->dtype, (size_t)t->bytes, &out->storage);
    const uint8_t *data = c->job->draw + t->at;
    int64_t all;
    if (out->offset == 0 && tensor_is_contiguous(out) && shape_numel(out->shape, out->rank, &all) &&
        all == t->bytes / dtype_bytes(out->dtype) && t->bytes % dtype_bytes(out->dtype) == 0)
        return t->held ? storage_wrap_repeated(&m->storages, out->dtype, data, (size_t)t->held,
                                               (size_t)t->bytes, &out->storage)
                       : storage_wrap_open(&m->storages, out->dtype, data, (size_t)t->bytes, &out->storage);
    if (t->held) return false; // what repeats itself has no gaps
    if (!storage_wrap_rows(&m->storages, out, data, (size_t)t->bytes, &out->storage)) return false;
    if (out->storage) return true;
    if (!storage_wrap(&m->storages, out->dtype, data, (size_t)t->bytes, &out->storage)) return false;
    tensor_expose(out, SHADOW_ALLOC | SHADOW_INIT);
    return true;
}

// ---- inputs that are changed in place

static bool is_changed(const CaseSpec *spec, int input) {
    for (int k = 0; k < spec->outputs; k++)
        if (spec->output[k].input == input) return true;
    return false;
}

// Of a tensor that is not there, the rows that somebody looks at (CaseSpec.windows).
static bool windows_restore(const Child *c, StorageTable *table, const CaseTensor *t, const Tensor *x) {
    int64_t size = dtype_bytes(x->dtype), row = x->rank > 0 ? x->stride[0] * size : 0;
    if (t->at == TENSOR_ZEROS || x->rank < 1 || x->shape[0] < 2 * WINDOWS * WINDOW_ROWS) return true;
    for (int k = 0; k < WINDOWS; k++) {
        int64_t at = x->offset * size + spec_window_at(x->shape[0], k) * row, bytes = WINDOW_ROWS * row;
        if (!within(at, bytes, x->storage->bytes) ||
            !storage_sparse_write(table, x->storage->data + at, (size_t)bytes))
            return false;
        memcpy(x->storage->data + at, c->job->draw + t->at + at, (size_t)bytes);
    }
    return true;
}

bool input_restore(const Child *c, const CaseTensor *t, Tensor *input) {
    Storage *s = input->storage;
    if (t->at == TENSOR_ZEROS || !held_within(c, t) || s->open) return false;
    size_t held = t->held ? (size_t)t->held : s->bytes;
    storage_change(s, 0, held);
    memcpy(s->data, c->job->draw + t->at, held);
    if (held < s->bytes) {
        memset(s->shadow, SHADOW_ALLOC | SHADOW_INIT, held);
        storage_repeat(s, &(Repetition){held, held, s->bytes, 0, SHADOW_ALLOC | SHADOW_INIT});
        return true;
    }
    s->solid = false;
    memset(s->shadow, 0, s->bytes); // gaps between rows do not exist
    tensor_expose(input, SHADOW_ALLOC | SHADOW_INIT);
    return true;
}

// A storage of its own, with the input's values: whatever the program does to it, the input stays.
static bool input_copy(const Child *c, Machine *m, const CaseTensor *t, Tensor *out) {
    StorageTable *table = &m->storages;
    Tensor original;
    if (t->bytes < 0 || !input_wrap(c, m, t, &original)) return false;
    *out = original;
    if (!storage_new(table, out->dtype, (size_t)t->bytes, &out->storage)) return false;
    out->storage->holds = HOLDS_LOADED;
    return out->storage->open ? windows_restore(c, table, t, out) : input_restore(c, t, out);
}

bool inputs_wrap(const Child *c, Machine *m, const CaseSpec *spec, Tensor input[WIRE_INPUTS_MAX]) {
    const CaseTensor *all = inputs_of(c, spec);
    for (int i = 0; i < spec->inputs; i++) {
        const CaseTensor *t = &all[i];
        if (!(is_changed(spec, i) ? input_copy : input_wrap)(c, m, t, &input[i])) return false;
    }
    return true;
}

// ---- outputs

bool outputs_sane(const CaseSpec *spec) {
    if (spec->outputs < 1 || spec->outputs > WIRE_OUTPUTS_MAX) return false;
    for (int k = 0; k < spec->outputs; k++) {
        const CaseOutput *o = &spec->output[k];
        if (o->input < -1 || o->input >= spec->inputs) return false;
        if (spec->output_bytes < 0 || !within(o->at, o->bytes, (size_t)spec->output_bytes)) return false;
    }
    return true;
}

void outputs_expect(HostProgram *p, const CaseSpec *spec) {
    HostOutput want[HOST_OUTPUTS_MAX];
    for (int k = 0; k < spec->outputs; k++) want[k].input = spec->output[k].input;
    host_expect(p, want, spec->outputs);
}

// The allocation of what is shared; of an input, the last place where something is returned.
static Span shared_at(const Child *c, const Storage *m) {
    if (m->made_len > 0) return (Span){m->made_at, m->made_len};
    return host_returns(c->module);
}

static bool share_memory(Child *c, Machine *m, const char *what, const Tensor *x, const Tensor *y) {
    ArenaMark mark = arena_mark(&c->call);
    bool share = tensor_overlaps(&c->call, x, y);
    arena_reset(&c->call, mark);
    return share && !diag_add(m->diags, DIAG_OVERLAP, shared_at(c, y->storage), "%s share memory", what);
}

bool outputs_apart(Child *c, Machine *m, const CaseSpec *spec, const Tensor *input, const Tensor *out) {
    char what[64];
    if (spec->outputs == 1 || m->storages.sparse) return true; // of those, only sizes count
    for (int k = 0; k < spec->outputs; k++)
        for (int i = 0; i < k; i++) {
            snprintf(what, sizeof what, "outputs %d and %d", i + 1, k + 1);
            if (share_memory(c, m, what, &out[i], &out[k])) return false;
        }
    for (int k = 0; k < spec->outputs; k++)
        for (int i = 0; spec->output[k].input < 0 && i < spec->inputs; i++) {
            snprintf(what, sizeof what, "output %d and input %d", k + 1, i + 1);
            if (share_memory(c, m, what, &input[i], &out[k])) return false;
        }
    return true;
}

// The buffer's pages exist. A read maps those around it, too, and for writing; a write would map its own.
// Only where something is handed out: much of the room is for runs that a program does not need.
uint8_t *output_place(const Child *c, int64_t at, int64_t bytes) {
    enum { FAULT_AROUND = 1 << 16 };
    uint8_t *to = c->job->output + at, *end = to + bytes;
    for (uint8_t *p = to; p < end; p += FAULT_AROUND - (uintptr_t)p % FAULT_AROUND)
        (void)*(volatile uint8_t *)p;
    return to;
}

static void count_unwritten(const uint8_t *flags, int64_t n, ReportOutput *r) {
    for (int64_t i = 0; i < n; i++)
        if (!(flags[i] & SHADOW_STORED) && r->unwritten++ == 0) r->first_unwritten = i;
}

// A store has reached every byte of it: as nearly always, and seen without a flag for each element.
static bool all_stored(const Tensor *t, int64_t n) {
    Storage *m = t->storage;
    size_t size = (size_t)dtype_bytes(t->dtype);
    if (n > 0 && tensor_is_contiguous(t))
        storage_reach(m, (size_t)t->offset * size, (size_t)(t->offset + n) * size);
    return n > 0 && m->shadow && tensor_is_contiguous(t) &&
           tile_loops()->memory->all_flags(m->shadow + (size_t)t->offset * size, (size_t)n * size) &
               SHADOW_STORED;
}

// An answer whose first rows all others are copies of, most of them not there yet: those rows say it all.
static bool repeats(const Child *c, const CaseSpec *spec, const Tensor *t, int64_t n, Tensor *first) {
    const Storage *s = t->storage;
    if (spec->period <= 0 || c->flags || s->origin || !s->shadow || t->offset != 0 || t->rank < 1 ||
        t->shape[0] <= spec->period || !tensor_is_contiguous(t))
        return false;
    *first = *t;
    first->shape[0] = spec->period;
    size_t size = (size_t)dtype_bytes(t->dtype), rows = (size_t)tensor_numel(first) * size,
           all = (size_t)n * size;
    uint8_t (*flags)(const uint8_t *, size_t) = tile_loops()->memory->all_flags;
    return rows > 0 && storage_repeats(s, rows, all) && s->copied_flags & SHADOW_STORED &&
           flags(s->shadow, s->gap_from) & SHADOW_STORED &&
           (s->gap_to >= all || flags(s->shadow + s->gap_to, all - s->gap_to) & SHADOW_STORED);
}

// Some rows of an answer that is larger than memory. What does not fit is not handed out.
static void windows_take(Child *c, const CaseSpec *spec, const CaseOutput *o, const Tensor *t) {
    if (t->rank < 1 || t->shape[0] < 2 * WINDOWS * WINDOW_ROWS) return;
    Tensor part = *t;
    part.shape[0] = WINDOW_ROWS;
    int64_t bytes = tensor_numel(&part) * dtype_bytes(t->dtype);
    if (bytes > o->bytes / WINDOWS) return;
    for (int k = 0; k < WINDOWS; k++) {
        part.offset = t->offset + spec_window_at(t->shape[0], k) * t->stride[0];
        tensor_gather(&part, output_place(c, spec->output_at + o->at + k * bytes, bytes), NULL);
    }
}

// Copies an output out when there is room for it: when there is not, its shape or dtype is wrong and the
// parent says so.
static void output_take(Child *c, const CaseSpec *spec, const CaseOutput *o, const Tensor *t, int order,
                        ReportOutput *r) {
    r->dtype = (int32_t)t->dtype;
    r->rank = t->rank;
    memcpy(r->shape, t->shape, sizeof(int64_t) * (size_t)t->rank);
    if (spec->windows) return windows_take(c, spec, o, t);
    int64_t n = tensor_numel(t), at = spec->output_at + o->at;
    if (n > o->bytes / dtype_bytes(t->dtype)) return;
    Tensor first;
    if (order == 0 && repeats(c, spec, t, n, &first)) {
        tensor_gather(&first, output_place(c, at, tensor_numel(&first) * dtype_bytes(t->dtype)), NULL);
        r->repeats = 1;
        return;
    }
    uint8_t *flags = c->flags || !all_stored(t, n) ? arena_raw(&c->call, (size_t)n, 1) : NULL;
    int64_t to = spec_output_at(spec, order) + o->at;
    tensor_gather(t, output_place(c, to, n * dtype_bytes(t->dtype)), flags);
    if (flags && o->input < 0) count_unwritten(flags, n, r);
    if (t->storage->origin) tensor_origins(t, c->job->output + spec->origin_at + o->at);
    if (!c->flags || order > 0 || !within(at, n, c->flags_bytes)) return;
    for (int64_t i = 0; o->input >= 0 && i < n; i++) flags[i] |= SHADOW_STORED; // nothing is missing there
    memcpy(c->flags + at, flags, (size_t)n);
}

void outputs_take(Child *c, const CaseSpec *spec, const Tensor *out, int order, CaseReport *r) {
    for (int k = 0; k < spec->outputs; k++)
        output_take(c, spec, &spec->output[k], &out[k], order, &r->output[k]);
}

bool marks_wrap(const Child *c, Arena *a, const CaseTensor *t, Tensor *input) {
    if (!within(t->marks, t->bytes, c->job->draw_bytes)) return false;
    if (t->marks <= 0) return true;
    const uint8_t *marks = c->job->draw + t->marks;
    input->storage->origin = (uint8_t *)(uintptr_t)marks; // never written, where the storage is read-only
    if (input->storage->read_only) return true;
    input->storage->origin = arena_raw(a, (size_t)t->bytes + 1, 1);
    memcpy(input->storage->origin, marks, (size_t)t->bytes);
    return true;
}
