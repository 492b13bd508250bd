// access.h - one load or store while it runs: between the passes over its bytes (memory.c) and the slow road
// that says what is wrong with it (access.c).
#pragma once
#include "tile/compute/axes.h"
#include "tile/vm/lanes.h"

typedef struct {
    Vm *v;
    const Step *s;
    const int64_t *address; // of each lane; NULL: consecutive from `start`, or kept by axis
    size_t columns;         // not 0: address is of the first lane of each row of so many
    int64_t start;
    const void *axes;    // the numbers of a register of FORM_AXES; NULL: it is none
    const uint8_t *mask; // NULL: every lane is active
    bool store;
    size_t bytes;     // of an element
    Storage *storage; // of the last lane looked up
    int64_t id;       // its id
    uint64_t last;    // sector met last
    int64_t sectors;
    char *raw;         // lanes as elements in memory format, where the access is not one run
    const char *value; // of a store that is one run: its first lane
    int wrote, read;   // runs that the program had noted before this instruction
} Access;

// Field by field: for every access a whole struct of zeros would cost more than the access.
static inline void access_begin(Access *x, Vm *v, const Step *s) {
    x->v = v;
    x->s = s;
    x->address = NULL;
    x->columns = 0;
    x->start = 0;
    x->axes = NULL;
    x->mask = NULL;
    x->store = false;
    x->bytes = s->bytes;
    x->storage = NULL;
    x->id = -1;
    x->last = UINT64_MAX;
    x->sectors = 0;
    x->raw = NULL;
    x->value = NULL;
    x->wrote = v->log.wrote.n;
    x->read = v->log.read.n;
}

static inline int64_t lane_address(const Access *x, size_t lane) {
    if (x->axes) return axes_lane(&x->v->code->reg[x->v->code->insn[x->s->insn].a], x->axes, lane);
    if (!x->address) return x->start + (int64_t)(lane * x->bytes);
    if (!x->columns) return x->address[lane];
    return x->address[lane / x->columns] + (int64_t)(lane % x->columns * x->bytes);
}

static inline void sector_meet(Access *x, uint64_t sector) {
    if (sector == x->last) return;
    x->last = sector;
    x->sectors += sector_is_new(x->v, sector);
}

// Several, each another one than that before it.
static inline void sectors_meet(Access *x, const uint64_t *sector, size_t n) {
    uint64_t *const slots = x->v->sectors, mark = x->v->sector_mark;
    int64_t new = 0;
    for (size_t i = n > 0 && sector[0] == x->last; i < n; i++) {
        uint64_t *slot = &slots[sector[i] % SECTOR_SLOTS], met = sector[i] | mark;
        new += *slot != met;
        *slot = met;
    }
    if (n > 0) x->last = sector[n - 1];
    x->sectors += new;
}

static inline Storage *storage_at(Access *x, int64_t address, int64_t *offset) {
    int64_t id = address >> ADDRESS_BITS;
    *offset = (address & (((int64_t)1 << ADDRESS_BITS) - 1)) - ADDRESS_BIAS;
    if (id == x->id) return x->storage;
    StorageTable *t = &x->v->m->storages;
    x->id = id;
    x->storage = id >= 1 && id <= t->count ? t->at[id - 1] : NULL;
    return x->storage;
}

static inline void copy_element(void *to, const void *from, size_t bytes) {
    switch (bytes) {
    case 1: memcpy(to, from, 1); break;
    case 2: memcpy(to, from, 2); break;
    case 4: memcpy(to, from, 4); break;
    default: memcpy(to, from, 8); break;
    }
}

// memory.c. Checks n elements from lane `lane` on, at consecutive addresses, and marks them as touched. *at:
// their place.
MUST_CHECK bool access_run(Access *x, size_t lane, size_t n, uint8_t **at);
// The same of one lane, at this address.
MUST_CHECK bool access_lane(Access *x, size_t lane, int64_t address, uint8_t **at);
// Checked, moved and counted: a load ends in the lanes of d, a store begins in x->raw.
MUST_CHECK bool access_move_run(Access *x, size_t lane, size_t n);
// The finding about a store of which a lane does not find its own value in memory.
bool access_disagrees(Access *x, size_t lane, int64_t offset);
// Of n lanes those that the load will not write: `other`, or zero bytes marked undefined. mask NULL: all.
void access_fill_idle(Vm *v, const Step *s, size_t n, const uint8_t *mask);
// The lanes that a store writes; n of them, where the value has one.
const char *access_stored(Vm *v, const Step *s, size_t n);

// One of n lanes from `lane` on is wrong: the finding about the first of them.
void access_explain(Access *x, size_t lane, size_t n);
