// tensor.h - real bytes with shadow memory, and strided views of them: what kernels and candidates' hosts
// touch.
//
// A Storage is one allocation. Its shadow holds one flag byte for each data byte; an access is legal when
// every byte is SHADOW_ALLOC (inside a declared view: the gap of a row stride larger than N is not), a load
// also needs SHADOW_INIT, a store a storage that is not read-only. writer/reader hold, per element, the
// serial number of the last program that touched it, for the race detector; read-only storages have none.
//
// Addresses inside the VM are tagged: (id << ADDRESS_BITS) + ADDRESS_BIAS + byte offset. Arithmetic that
// leaves the tag's range is caught by the VM, so a pointer can never wander from one storage into another.
#pragma once
#include "base/arena.h"
#include "tensor/dtype.h"

enum { TENSOR_RANK_MAX = 8, ADDRESS_BITS = 42 };
#define ADDRESS_BIAS ((int64_t)1 << (ADDRESS_BITS - 1))

// STORED: written by a kernel's store, not merely filled or copied by the host: what an output's bytes must
// show.
enum {
    SHADOW_ALLOC = 1,
    SHADOW_INIT = 2,
    SHADOW_STORED = 4,
    SHADOW_WRITTEN = SHADOW_ALLOC | SHADOW_INIT | SHADOW_STORED, // what a store makes of a byte
};
enum { HOLDS_LOADED = 1 };      // Storage.holds: numbers that follow from loaded ones, too
#define READER_MANY 0x80000000u // reader: more than one program of the launch has read this element

typedef struct {
    uint8_t *data, *shadow; // shadow: NULL when open, and when made of rows
    // For each byte the marks (bits) of the inputs' bytes that it comes from: see StorageTable.origins. NULL:
    // nobody asks.
    uint8_t *origin;
    uint32_t *writer, *reader; // one for each element; NULL when read_only
    bool was_read;             // until then `reader` holds nothing: few kernels read what they write
    size_t bytes;
    // The bytes [gap_from, gap_to) come when somebody looks: storage_reach(). They are new ones, but for
    // those below `copied`, which are what lies `period` bytes before them, with these flags and race words.
    size_t gap_from, gap_to, period, copied;
    uint32_t copied_by;
    uint8_t copied_flags;
    bool solid; // every byte is SHADOW_ALLOC
    // As long as nobody has written to it since, all bytes [steady_from, steady_to) repeat themselves with
    // that period. steady_to 0: that is not known.
    size_t steady_from, steady_to;
    DType dtype;
    bool read_only; // an input
    bool open;  // an input without gaps: every byte is SHADOW_ALLOC | SHADOW_INIT, and no array says so; also
                // what storage_new() takes from StorageTable.sparse, which nobody watches for races either
    bool zeros; // an input of which every byte is zero: whoever reads some of it may read the first ones
    // An input whose rows have gaps between them: from byte rows_at on, `rows` rows of row_bytes bytes,
    // row_pitch apart, are SHADOW_ALLOC | SHADOW_INIT, and no array says so. row_pitch 0: it is none.
    size_t rows_at, rows, row_bytes, row_pitch;
    // What the numbers follow from that kernels have stored, as bits (lane_truths.h). An input's, and what
    // the host copies, follow from loaded values.
    uint16_t holds;             // HOLDS_LOADED and more
    bool of_library;            // an operator of PyTorch gave it (host/candidate/library_operators.c)
    int id;                     // index in the machine's table, from 1
    uint32_t made_at, made_len; // where the source allocates it; made_len 0: it does not
} Storage;

typedef struct {
    Storage *storage;
    DType dtype;
    int rank;
    int64_t shape[TENSOR_RANK_MAX], stride[TENSOR_RANK_MAX]; // in elements
    int64_t offset;                                          // in elements from the storage's first byte
} Tensor;

// Storages of one host call; ids are positions + 1.
enum { STORAGES_MAX = 1024 };
typedef struct {
    Arena *arena;
    Storage *at[STORAGES_MAX];
    int count;
    size_t spare; // bytes of the arena that new storages leave to others
    bool origins; // new storages keep where their bytes come from: what a program stores comes from all that
                  // it has loaded until then
    // Room for tensors larger than memory: zero pages that nobody has touched. NULL: none. Storages that are
    // taken from it are open, and zero: only addresses are looked at.
    uint8_t *sparse;
    size_t sparse_left;
    uint8_t *sparse_from, *sparse_pages; // its beginning; a bit for each page: somebody has written there
    int64_t pages_left;                  // that may still be written to
} StorageTable;

// A new storage with `bytes` bytes: not initialised, all allocated. False when the table is full or the arena
// does not hold data + shadow + race words (nothing is allocated then).
MUST_CHECK bool storage_new(StorageTable *t, DType dtype, size_t bytes, Storage **out);
// Of a storage, the bytes in its table's arena, which hold no address: data that is its own, shadow and race
// words. They are one piece; 0: there are none.
size_t storage_piece(const Storage *s, const void **at);
enum { SPARSE_PAGE = 4096 };
// Gives the table its room: `bytes` of zero, of which `pages` may be written to.
void storage_sparse_open(StorageTable *t, uint8_t *room, size_t bytes, int64_t pages);
// Untouched zero pages of the room; NULL when it has no more.
uint8_t *storage_sparse(StorageTable *t, size_t bytes);
// Before writing to bytes of it: false when that would take more memory than was given.
MUST_CHECK bool storage_sparse_write(StorageTable *t, const uint8_t *at, size_t bytes);
// Wraps bytes that the caller owns as a read-only input: shadow starts at 0, see tensor_expose().
MUST_CHECK bool storage_wrap(StorageTable *t, DType dtype, const void *data, size_t bytes, Storage **out);
// The same for bytes that a view covers without gaps: all of them exposed from the start.
MUST_CHECK bool storage_wrap_open(StorageTable *t, DType dtype, const void *data, size_t bytes,
                                  Storage **out);
// The same for an input of zeros, from the table's sparse room.
MUST_CHECK bool storage_wrap_zeros(StorageTable *t, DType dtype, size_t bytes, Storage **out);
// The same for bytes of which the first `period` are the caller's: those are copied, and repeat themselves up
// to `bytes`, which memory is taken for where somebody looks. False when the arena does not hold all of it.
MUST_CHECK bool storage_wrap_repeated(StorageTable *t, DType dtype, const void *data, size_t period,
                                      size_t bytes, Storage **out);
// Before any look at data, shadow or race words of the bytes [from, to), to <= bytes.
void storage_fetch(Storage *s, size_t from, size_t to);
static inline void storage_reach(Storage *s, size_t from, size_t to) {
    if (from < s->gap_to && to > s->gap_from) storage_fetch(s, from, to);
}
// Before anybody writes to these bytes, in place of storage_reach(): copies of them that are not made yet are
// made.
static inline void storage_change(Storage *s, size_t from, size_t to) {
    storage_reach(s, from, to);
    s->steady_to = 0;
    if (s->copied > s->gap_from && from < s->gap_from && to + s->period > s->gap_from)
        storage_reach(s, 0, s->bytes);
}
// The same for all that a view covers; its strides are not negative.
void tensor_reach(const Tensor *t);
// First values of a new storage, or the gap that they will come from.
void storage_begin(Storage *s);
typedef struct {
    size_t period, from, to; // in bytes: [from, to) become copies of the period before them, which is there
    uint32_t writer;         // race word of each of their elements
    uint8_t flags;           // shadow of each of their bytes
} Repetition;
void storage_repeat(Storage *s, const Repetition *q);
// Whether the first `bytes` bytes are copies of the first `period`, some of which are not there yet.
bool storage_repeats(const Storage *s, size_t period, size_t bytes);
// Before `reader` is used: on the first read of a storage that is not read-only.
static inline void storage_read(Storage *s) {
    if (s->was_read) return;
    s->was_read = true;
    memset(s->reader, 0, (s->bytes / (size_t)dtype_bytes(s->dtype) + 1) * sizeof *s->reader);
}
// The same where the view's elements are rows without gaps inside, the same distance from each other; *out is
// NULL where they are not. view->storage is not looked at.
MUST_CHECK bool storage_wrap_rows(StorageTable *t, const Tensor *view, const void *data, size_t bytes,
                                  Storage **out);
// Of a storage made of rows: the flags that all `size` > 0 bytes from `offset` on have. One row holds all of
// them.
static inline uint8_t storage_row_flags(const Storage *s, size_t offset, size_t size) {
    size_t from = offset - s->rows_at, row = from / s->row_pitch, in = from - row * s->row_pitch;
    bool inside = offset >= s->rows_at && row < s->rows && size <= s->row_bytes && in <= s->row_bytes - size;
    return inside ? SHADOW_ALLOC | SHADOW_INIT : 0;
}
void tensor_expose(const Tensor *view,
                   uint8_t flags); // sets flags on exactly the bytes of the view's elements

int64_t tensor_numel(const Tensor *t); // checked by the constructors: never overflows
bool shape_numel(const int64_t *shape, int rank, int64_t *out); // false on overflow or a negative size
void tensor_contiguous_strides(Tensor *t);
bool tensor_is_contiguous(const Tensor *t); // torch's rule: sizes of 1 do not count
// Views: false when torch would refuse. reshape of a strided tensor that needs a copy returns false too.
bool tensor_view(const Tensor *t, const int64_t *shape, int rank, Tensor *out);
bool tensor_transpose(const Tensor *t, int d0, int d1, Tensor *out);
int64_t tensor_at(const Tensor *t, const int64_t *index); // element offset in the storage
static inline int64_t tensor_address(const Tensor *t) {
    return ((int64_t)t->storage->id << ADDRESS_BITS) + ADDRESS_BIAS + t->offset * dtype_bytes(t->dtype);
}
// Copies all elements row-major to `out` (numel * dtype bytes), and their shadow flags ANDed per element to
// `flags` (numel bytes) when not NULL.
void tensor_gather(const Tensor *t, void *out, uint8_t *flags);
// Where each element comes from, row-major: numel bytes. Of a storage that keeps it.
// Whether the two views have an element's byte in common; in `scratch`, which stays as long as the larger
// storage.
bool tensor_overlaps(Arena *scratch, const Tensor *x, const Tensor *y);
void tensor_origins(const Tensor *t, uint8_t *out);
