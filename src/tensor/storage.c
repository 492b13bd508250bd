#include "base/arena.h"
#include "tensor/tensor.h"
#include <assert.h>

// Red zones and alignment of the arena, and the Storage itself.
enum { ARENA_SLACK = 4096 };

static Storage *enter(StorageTable *t, DType dtype, size_t bytes) {
    Storage *s = NEW(t->arena, Storage);
    s->bytes = bytes;
    s->dtype = dtype;
    t->at[t->count++] = s;
    s->id = t->count;
    return s;
}

uint8_t *storage_sparse(StorageTable *t, size_t bytes) {
    enum { ALIGN = 64 };
    size_t room = (bytes + ALIGN - 1) & ~(size_t)(ALIGN - 1);
    if (bytes > SIZE_MAX / 16 || room > t->sparse_left) return NULL;
    uint8_t *p = t->sparse;
    t->sparse += room;
    t->sparse_left -= room;
    return p;
}

void storage_sparse_open(StorageTable *t, uint8_t *room, size_t bytes, int64_t pages) {
    t->sparse = t->sparse_from = room;
    t->sparse_left = bytes;
    t->pages_left = pages;
    t->sparse_pages = storage_sparse(t, bytes / SPARSE_PAGE / 8 + 1);
    if (!t->sparse_pages) t->sparse_left = 0;
}

bool storage_sparse_write(StorageTable *t, const uint8_t *at, size_t bytes) {
    if (bytes == 0) return true;
    size_t first = (size_t)(at - t->sparse_from), last = (first + bytes - 1) / SPARSE_PAGE;
    for (size_t p = first / SPARSE_PAGE; p <= last; p++) {
        uint8_t bit = (uint8_t)(1 << p % 8);
        if (t->sparse_pages[p / 8] & bit) continue;
        if (t->pages_left-- <= 0) return false;
        t->sparse_pages[p / 8] |= bit;
    }
    return true;
}

static bool new_sparse(StorageTable *t, DType dtype, size_t bytes, Storage **out) {
    uint8_t *data = arena_left(t->arena) < ARENA_SLACK ? NULL : storage_sparse(t, bytes);
    if (!data) return false;
    Storage *s = enter(t, dtype, bytes);
    s->data = data;
    s->open = true;
    *out = s;
    return true;
}

bool storage_new(StorageTable *t, DType dtype, size_t bytes, Storage **out) {
    size_t elements = bytes / (size_t)dtype_bytes(dtype) + 1;
    if (t->count == STORAGES_MAX || bytes > SIZE_MAX / 16) return false;
    if (t->sparse) return new_sparse(t, dtype, bytes, out);
    size_t kept = t->spare + (t->origins ? bytes : 0);
    if (arena_left(t->arena) < 2 * bytes + kept + 2 * elements * sizeof(uint32_t) + ARENA_SLACK) return false;
    Storage *s = enter(t, dtype, bytes);
    if (t->origins) s->origin = NEWN(t->arena, uint8_t, bytes + 1);
    s->data = arena_raw(t->arena, bytes, 64);
    s->shadow = arena_raw(t->arena, bytes, 64);
    s->writer = arena_raw(t->arena, elements * sizeof(uint32_t), _Alignof(uint32_t));
    s->solid = true;
    storage_begin(s);
    s->reader = arena_raw_end(t->arena, elements * sizeof(uint32_t), _Alignof(uint32_t));
    *out = s;
    return true;
}

size_t storage_piece(const Storage *s, const void **at) {
    if (!s->shadow) return 0;
    const uint8_t *from = s->writer ? s->data : s->shadow, *to = s->shadow + s->bytes;
    if (s->writer) to = (const uint8_t *)(s->writer + s->bytes / (size_t)dtype_bytes(s->dtype) + 1);
    *at = from;
    return (size_t)(to - from);
}

bool storage_wrap_open(StorageTable *t, DType dtype, const void *data, size_t bytes, Storage **out) {
    if (t->count == STORAGES_MAX || bytes > SIZE_MAX / 16) return false;
    if (arena_left(t->arena) < ARENA_SLACK) return false;
    Storage *s = enter(t, dtype, bytes);
    s->data = (uint8_t *)(uintptr_t)data; // never written: read_only says so to the VM, const to nobody else
    s->read_only = s->open = true;
    *out = s;
    return true;
}

bool storage_wrap_zeros(StorageTable *t, DType dtype, size_t bytes, Storage **out) {
    const uint8_t *data = storage_sparse(t, bytes);
    if (!data || !storage_wrap_open(t, dtype, data, bytes, out)) return false;
    (*out)->zeros = true;
    return true;
}

bool storage_wrap(StorageTable *t, DType dtype, const void *data, size_t bytes, Storage **out) {
    if (t->count == STORAGES_MAX || bytes > SIZE_MAX / 16) return false;
    if (arena_left(t->arena) < bytes + ARENA_SLACK) return false;
    Storage *s = enter(t, dtype, bytes);
    s->data = (uint8_t *)(uintptr_t)data; // never written: read_only says so to the VM, const to nobody else
    s->shadow = NEWN(t->arena, uint8_t, bytes);
    s->read_only = true;
    s->holds = HOLDS_LOADED;
    *out = s;
    return true;
}

bool storage_wrap_rows(StorageTable *t, const Tensor *view, const void *data, size_t bytes, Storage **out) {
    int64_t size = dtype_bytes(view->dtype), row = 1, rows = 1, pitch = 0, all;
    *out = NULL;
    if (t->count == STORAGES_MAX || bytes > SIZE_MAX / 16) return false;
    if (arena_left(t->arena) < ARENA_SLACK) return false;
    if (!shape_numel(view->shape, view->rank, &all) || all == 0 || view->offset < 0) return true;
    int d = view->rank - 1;
    for (; d >= 0 && (view->shape[d] == 1 || view->stride[d] == row); d--) row *= view->shape[d];
    for (; d >= 0; d--) {
        if (view->shape[d] == 1) continue;
        if (!pitch) pitch = view->stride[d];
        if (pitch < row || view->stride[d] != pitch * rows) return true;
        rows *= view->shape[d];
    }
    if (!pitch) pitch = row; // one row
    int64_t end;
    if (__builtin_mul_overflow(rows - 1, pitch, &end) || __builtin_add_overflow(end, row, &end) ||
        __builtin_add_overflow(end, view->offset, &end) || end > (int64_t)bytes / size)
        return true;
    Storage *s = enter(t, view->dtype, bytes);
    s->data = (uint8_t *)(uintptr_t)data; // never written: read_only says so to the VM, const to nobody else
    s->read_only = true;
    s->holds = HOLDS_LOADED;
    s->rows_at = (size_t)(view->offset * size);
    s->rows = (size_t)rows;
    s->row_bytes = (size_t)(row * size);
    s->row_pitch = (size_t)(pitch * size);
    *out = s;
    return true;
}

// --- Walking a view ------------------------------------------------------------------------------

// Rows of a view: the last dimension is a row, `at` its first element's offset. Starts with row_first().
typedef struct {
    const Tensor *t;
    int64_t index[TENSOR_RANK_MAX];
    int64_t at, length, stride; // of the current row, in elements
} RowWalk;

static bool row_first(RowWalk *w, const Tensor *t) {
    *w = (RowWalk){.t = t, .at = t->offset, .length = 1, .stride = 1};
    if (t->rank > 0) {
        w->length = t->shape[t->rank - 1];
        w->stride = t->stride[t->rank - 1];
    }
    return tensor_numel(t) > 0;
}

static bool row_next(RowWalk *w) {
    for (int d = w->t->rank - 2; d >= 0; d--) {
        w->at += w->t->stride[d];
        if (++w->index[d] < w->t->shape[d]) return true;
        w->at -= w->t->stride[d] * w->index[d];
        w->index[d] = 0;
    }
    return false;
}

// Where a view's bytes lie in its storage: from the first to behind the last.
static void bytes_of(const Tensor *t, int64_t *from, int64_t *to) {
    int64_t size = dtype_bytes(t->dtype);
    *from = *to = t->offset * size;
    for (int d = 0; d < t->rank; d++)
        *to += (t->shape[d] - 1) * t->stride[d] * size; // strides are not negative
    *to += size;
}

void tensor_reach(const Tensor *t) {
    int64_t from, to;
    if (tensor_numel(t) == 0) return;
    bytes_of(t, &from, &to);
    storage_reach(t->storage, (size_t)from, (size_t)to);
}

void tensor_expose(const Tensor *view, uint8_t flags) {
    RowWalk w;
    size_t size = (size_t)dtype_bytes(view->dtype);
    if (view->storage->open) return;
    assert(view->storage->shadow);
    tensor_reach(view);
    for (bool more = row_first(&w, view); more; more = row_next(&w)) {
        uint8_t *shadow = view->storage->shadow + (size_t)w.at * size;
        // A row without gaps is one run of bytes.
        size_t run = w.stride == 1 ? (size_t)w.length * size : size, step = (size_t)w.stride * size;
        int64_t runs = w.stride == 1 ? w.length > 0 : w.length;
        assert(runs == 0 || (size_t)w.at * size + (size_t)(runs - 1) * step + run <= view->storage->bytes);
        for (int64_t i = 0; i < runs; i++, shadow += step)
            for (size_t b = 0; b < run; b++) shadow[b] |= flags;
    }
}

// The flags that all bytes of each element have. One loop for each size, so that the inner one is a constant.
static void row_flags(const uint8_t *shadow, int64_t stride, int64_t length, size_t size, uint8_t *out) {
#define FLAGS_OF(bytes)                                   \
    for (int64_t i = 0; i < length; i++) {                \
        const uint8_t *s = shadow + i * stride * (bytes); \
        uint8_t all = s[0];                               \
        for (int b = 1; b < (bytes); b++) all &= s[b];    \
        out[i] = all;                                     \
    }
    switch (size) {
    case 1: FLAGS_OF(1) break;
    case 2: FLAGS_OF(2) break;
    case 4: FLAGS_OF(4) break;
    default: FLAGS_OF(8) break;
    }
#undef FLAGS_OF
}

void tensor_gather(const Tensor *t, void *out, uint8_t *flags) {
    RowWalk w;
    size_t size = (size_t)dtype_bytes(t->dtype);
    char *to = out;
    tensor_reach(t);
    for (bool more = row_first(&w, t); more; more = row_next(&w)) {
        const uint8_t *data = t->storage->data + w.at * (int64_t)size;
        if (w.stride == 1) {
            memcpy(to, data, (size_t)w.length * size);
            to += (size_t)w.length * size;
        } else {
            for (int64_t i = 0; i < w.length; i++, to += size)
                memcpy(to, data + i * w.stride * (int64_t)size, size);
        }
        if (!flags) continue;
        if (t->storage->open)
            memset(flags, SHADOW_ALLOC | SHADOW_INIT, (size_t)w.length);
        else if (!t->storage->shadow)
            for (int64_t i = 0; i < w.length; i++)
                flags[i] = storage_row_flags(t->storage, (size_t)(w.at + i * w.stride) * size, size);
        else
            row_flags(t->storage->shadow + w.at * (int64_t)size, w.stride, w.length, size, flags);
        flags += w.length;
    }
}

bool tensor_overlaps(Arena *scratch, const Tensor *x, const Tensor *y) {
    int64_t x_from, x_to, y_from, y_to;
    if (x->storage != y->storage || tensor_numel(x) == 0 || tensor_numel(y) == 0) return false;
    bytes_of(x, &x_from, &x_to);
    bytes_of(y, &y_from, &y_to);
    if (x_to <= y_from || y_to <= x_from) return false;
    uint8_t *taken = NEWN(scratch, uint8_t, x->storage->bytes + 1);
    RowWalk w;
    int64_t size = dtype_bytes(x->dtype);
    for (bool more = row_first(&w, x); more; more = row_next(&w))
        for (int64_t i = 0; i < w.length; i++) memset(taken + (w.at + i * w.stride) * size, 1, (size_t)size);
    size = dtype_bytes(y->dtype);
    for (bool more = row_first(&w, y); more; more = row_next(&w))
        for (int64_t i = 0; i < w.length; i++)
            if (memchr(taken + (w.at + i * w.stride) * size, 1, (size_t)size)) return true;
    return false;
}

void tensor_origins(const Tensor *t, uint8_t *out) {
    RowWalk w;
    int64_t size = dtype_bytes(t->dtype);
    for (bool more = row_first(&w, t); more; more = row_next(&w))
        for (int64_t i = 0; i < w.length; i++, out++) {
            const uint8_t *from = t->storage->origin + (w.at + i * w.stride) * size;
            *out = 0;
            for (int64_t b = 0; b < size; b++) *out |= from[b];
        }
}
