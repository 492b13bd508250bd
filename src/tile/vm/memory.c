// Loads and stores: every byte is checked against its shadow, every element against the other programs.
//
// An access is split into runs: active lanes with consecutive addresses. A tile that is one run (contiguous,
// with a mask that cuts off one or both ends) is checked and moved by a few passes over its bytes; otherwise
// each row of the last dimension is tried as a run, and rows that are none go lane by lane.
//
// Sectors: the distinct 32-byte sectors that one instruction of one program touches. Exact for one run; for
// several, a small table remembers the sectors met, and one that was pushed out of it counts again when it
// comes back (SECTOR_SLOTS sectors are 32 KiB, so few kernels notice).
#include "tile/compute/affine.h"
#include "tile/vm/access.h"
#include "tile/vm/narrow.h"
#include "tile/vm/repeat.h"
#include "tile/vm/steps.h"

// ---- lanes of this program ----

static LaneRun *lane_run(const Access *x, LaneRuns *runs, Storage *m, int64_t offset, size_t lane, size_t n) {
    LaneRun *r = lanes_slot(runs);
    r->storage = m;
    r->at = offset;
    r->stride = (int64_t)x->bytes;
    r->lane = (uint32_t)lane;
    r->n = (uint32_t)n;
    r->bytes = (uint32_t)x->bytes;
    r->shape = x->s->shape;
    return r;
}

// This program comes back to elements of the run.
static bool come_back(Access *x, const LaneRun *run, uint32_t race) {
    if (!x->store) return lanes_load(x->v, x->s, run, x->wrote);
    return lanes_store(x->v, x->s, run, x->wrote,
                       (LaneValues){x->raw ? x->raw + run->lane * x->bytes : NULL, x->value}, race);
}

static bool run_allowed(Access *x, Storage *m, int64_t offset, size_t lane, size_t n, uint32_t race) {
    LaneRuns *runs = x->store ? &x->v->log.wrote : &x->v->log.read;
    LaneRun *run = lane_run(x, runs, m, offset, lane, n);
    if (race && !come_back(x, run, race)) return false;
    lanes_note(runs);
    return true;
}

static bool lane_allowed(Access *x, Storage *m, int64_t offset, size_t lane, uint32_t race) {
    LaneRuns *runs = x->store ? &x->v->log.wrote : &x->v->log.read;
    LaneRun *run = lane_run(x, runs, m, offset, lane, 1);
    if (race && !come_back(x, run, race)) return false;
    lanes_join(runs, x->store ? x->wrote : x->read);
    return true;
}

// ---- runs ----

static bool mark_written(Access *x, Storage *m, size_t lane, int64_t offset, size_t size) {
    storage_change(m, (size_t)offset, (size_t)offset + size);
    if (m->shadow) return memset(m->shadow + offset, SHADOW_WRITTEN, size), true;
    return storage_sparse_write(&x->v->m->storages, m->data + offset, size) ||
           vm_finding(x->v, x->s, DIAG_BUDGET, (int64_t)lane,
                      "the step budget is spent: stores all over memory");
}

// Of an input of zeros nothing but its first bytes is touched: each page that somebody reads costs the system
// more than the load costs here, and a program may go through a good part of a tensor that is not there.
static inline uint8_t *place_of(const Storage *m, int64_t offset) {
    return m->data + (m->zeros ? 0 : offset);
}

bool access_run(Access *x, size_t lane, size_t n, uint8_t **at) {
    const TileLoops *loops = x->v->loops;
    int64_t offset;
    Storage *m = storage_at(x, lane_address(x, lane), &offset);
    size_t size = n * x->bytes;
    if (!m || offset < 0 || size > m->bytes || (size_t)offset > m->bytes - size || (size_t)offset % x->bytes)
        return access_explain(x, lane, n), false;
    storage_reach(m, (size_t)offset, (size_t)offset + size);
    uint8_t flags = shadow_flags(loops, m, (size_t)offset, size),
            need = x->store ? SHADOW_ALLOC : SHADOW_ALLOC | SHADOW_INIT;
    if ((flags & need) != need || (x->store && m->read_only)) return access_explain(x, lane, n), false;
    if (m->writer) {
        size_t unit = (size_t)dtype_bytes(m->dtype), w = (size_t)offset / unit;
        size_t words = ((size_t)offset + size - 1) / unit - w + 1;
        if (x->v->code->atomics) atomic_settle(x->v, m, w, words);
        const uint32_t *readers = m->was_read ? m->reader + w : NULL;
        if (!x->store) storage_read(m);
        uint32_t race =
            x->store
                ? loops->memory->race_write(m->writer + w, readers, words, x->v->first, x->v->serial)
                : loops->memory->race_read(m->writer + w, m->reader + w, words, x->v->first, x->v->serial);
        if (race & RACE_OTHER) return access_explain(x, lane, n), false;
        if (!run_allowed(x, m, offset, lane, n, race)) return false;
    }
    if (x->store && !mark_written(x, m, lane, offset, size)) return false;
    if (m->origin) note_origin(x->v, m, (size_t)offset, size, x->store);
    if (x->v->noting) repeat_note(x->v, x->s, m, offset, size, x->store);
    *at = place_of(m, offset);
    return true;
}

static uint32_t race_word(const Access *x, Storage *m, size_t w) {
    uint32_t first = x->v->first, serial = x->v->serial;
    uint32_t writer = m->writer[w], reader = m->was_read ? m->reader[w] : 0, last = reader & ~READER_MANY;
    if (writer >= first && writer != serial) return RACE_OTHER;
    uint32_t own = writer == serial ? RACE_WROTE : 0;
    if (x->store) {
        if (last >= first && reader != serial) return RACE_OTHER;
        m->writer[w] = serial;
        return own | (reader == serial ? RACE_READ : 0);
    }
    storage_read(m);
    if (last < first)
        m->reader[w] = serial;
    else if (last != serial)
        m->reader[w] = serial | READER_MANY;
    return own;
}

// access_run() for one lane, without calls: they would cost more than the work.
static inline bool check_lane(Access *x, size_t lane, int64_t address, uint8_t **at) {
    int64_t offset;
    Storage *m = storage_at(x, address, &offset);
    size_t size = x->bytes;
    if (!m || offset < 0 || size > m->bytes || (size_t)offset > m->bytes - size ||
        ((size_t)offset & (size - 1)))
        return access_explain(x, lane, 1), false;
    storage_reach(m, (size_t)offset, (size_t)offset + size);
    uint64_t flags = -(uint64_t)m->open,
             need = 0x0101010101010101u * (x->store ? SHADOW_ALLOC : SHADOW_ALLOC | SHADOW_INIT);
    if (m->shadow)
        copy_element(&flags, m->shadow + offset, size);
    else if (m->row_pitch)
        flags = storage_row_flags(m, (size_t)offset, size) ? UINT64_MAX : 0;
    if (size < 8) need &= ((uint64_t)1 << (8 * size)) - 1;
    if ((flags & need) != need || (x->store && m->read_only)) return access_explain(x, lane, 1), false;
    if (m->writer) {
        int unit = __builtin_ctz((unsigned)dtype_bytes(m->dtype));
        uint32_t race = 0;
        for (size_t w = (size_t)offset >> unit; w <= ((size_t)offset + size - 1) >> unit; w++) {
            if (x->v->code->atomics) atomic_settle(x->v, m, w, 1);
            race |= race_word(x, m, w);
            if (race & RACE_OTHER) return access_explain(x, lane, 1), false;
        }
        if (!lane_allowed(x, m, offset, lane, race)) return false;
    }
    if (x->store && !m->shadow) {
        if (!mark_written(x, m, lane, offset, size)) return false;
    } else if (x->store) {
        storage_change(m, (size_t)offset, (size_t)offset + size);
        static const uint8_t written[8] = {SHADOW_WRITTEN, SHADOW_WRITTEN, SHADOW_WRITTEN, SHADOW_WRITTEN,
                                           SHADOW_WRITTEN, SHADOW_WRITTEN, SHADOW_WRITTEN, SHADOW_WRITTEN};
        copy_element(m->shadow + offset, written, size);
    }
    if (m->origin) note_origin(x->v, m, (size_t)offset, size, x->store);
    if (x->v->noting) repeat_note(x->v, x->s, m, offset, size, x->store);
    *at = place_of(m, offset);
    return true;
}

bool access_lane(Access *x, size_t lane, int64_t address, uint8_t **at) {
    return check_lane(x, lane, address, at);
}

// The active lanes of [lane, lane + n) as one run: its first lane and length. False: they are not one run.
static bool one_run(const Access *x, size_t lane, size_t n, size_t *first, size_t *length) {
    const TileLoops *loops = x->v->loops;
    // The two ends tell of most tiles that they are no run.
    uint64_t apart = (uint64_t)x->address[lane + n - 1] - (uint64_t)x->address[lane];
    if (apart != (n - 1) * x->bytes) return false;
    if (!loops->memory->consecutive(x->address + lane, n, (int64_t)x->bytes)) return false;
    *first = lane;
    *length = n;
    if (!x->mask) return true;
    size_t ones = loops->memory->count_ones(x->mask + lane, n);
    *length = ones;
    if (ones == 0 || ones == n) return true;
    const uint8_t *one = memchr(x->mask + lane, 1, n);
    *first = (size_t)(one - x->mask);
    return *first + ones <= lane + n && loops->memory->count_ones(one, ones) == ones;
}

// ---- several runs ----

// Loads end in the lanes of d; stores begin as elements in memory format in x->raw.

bool access_move_run(Access *x, size_t lane, size_t n) {
    uint8_t *at;
    if (!access_run(x, lane, n, &at)) return false;
    size_t size = n * x->bytes;
    const Step *s = x->s;
    if (x->store)
        memcpy(at, x->raw + lane * x->bytes, size);
    else
        x->v->loops->memory->read[s->dtype]((char *)s->d + lane * s->size, at, NULL, NULL, n);
    int64_t address = lane_address(x, lane);
    uint64_t last = sector_of(address + (int64_t)size - 1);
    for (uint64_t k = sector_of(address); k <= last; k++) sector_meet(x, k);
    return true;
}

// May the active lanes, all of them in [from, from + bytes), be read? Mostly all that lies there may.
static bool lanes_defined(const Access *x, const Storage *m, size_t lane, size_t n, size_t from,
                          size_t bytes) {
    enum { NEED = SHADOW_ALLOC | SHADOW_INIT, WIDE = 4 };
    const TileLoops *loops = x->v->loops;
    bool quick = !m->shadow || bytes <= WIDE * n * x->bytes;
    if (quick && (shadow_flags(loops, m, from, bytes) & NEED) == NEED) return true;
    const int64_t base = ((int64_t)m->id << ADDRESS_BITS) + ADDRESS_BIAS;
    size_t known = 0, width = 0; // that may be read there, in the row that was met last
    for (size_t i = lane; i < lane + n; i++) {
        const size_t at = (size_t)(x->address[i] - base);
        if ((x->mask && !x->mask[i]) || at - known < width) continue;
        if ((shadow_flags(loops, m, at, x->bytes) & NEED) != NEED) return false;
        if (!m->row_pitch) continue;
        known = (at - m->rows_at) / m->row_pitch * m->row_pitch + m->rows_at;
        width = m->row_bytes - x->bytes + 1;
    }
    return true;
}

// The active lanes of d from their elements.
static void read_active(Access *x, size_t lane, size_t n) {
    const Step *s = x->s;
    const TileLoops *loops = x->v->loops;
    char *d = (char *)s->d + lane * s->size;
    void *to = x->mask ? x->v->scratch[1] : d;
    loops->memory->read[s->dtype](to, x->raw + lane * x->bytes, NULL, NULL, n);
    if (x->mask) loops->op[INSN_WHERE][s->dtype][0](d, x->mask + lane, to, d, n);
}

// A load of lanes from anywhere in one input: bounds are checked for all of them at once, races there are
// none. False when something is to be noted of each lane, or is wrong.
static bool gathered_lanes(Access *x, size_t lane, size_t n) {
    const MemoryLoops *memory = x->v->loops->memory;
    const int64_t *address = x->address + lane;
    const uint8_t *mask = x->mask ? x->mask + lane : NULL;
    AddressSpan all;
    int64_t least, most;
    if (x->store || x->v->noting) return false;
    if (!memory->span(address, mask, n, &all)) return true;
    Storage *m = storage_at(x, all.least, &least);
    if (!m || storage_at(x, all.most, &most) != m || !m->read_only || m->origin || least < 0 ||
        m->bytes < x->bytes || (size_t)most > m->bytes - x->bytes || (all.bits & (x->bytes - 1)))
        return false;
    storage_reach(m, (size_t)least, (size_t)most + x->bytes);
    if (!lanes_defined(x, m, lane, n, (size_t)least, (size_t)(most - least) + x->bytes)) return false;
    uint64_t *sector = x->v->scratch[1];
    sectors_meet(x, sector, memory->sectors(address, mask, n, sector));
    memory->gather[x->bytes](x->raw + lane * x->bytes, m->data + least, address, mask, all.least, n);
    read_active(x, lane, n);
    return true;
}

static bool scattered_lanes(Access *x, size_t lane, size_t n) {
    if (!x->store && x->mask) memset(x->raw + lane * x->bytes, 0, n * x->bytes);
    for (size_t i = lane; i < lane + n; i++) {
        uint8_t *at;
        if (x->mask && !x->mask[i]) continue;
        if (!check_lane(x, i, x->address[i], &at)) return false;
        char *raw = x->raw + i * x->bytes;
        if (x->store)
            copy_element(at, raw, x->bytes);
        else
            copy_element(raw, at, x->bytes);
        sector_meet(x, sector_of(x->address[i]));
    }
    if (!x->store) read_active(x, lane, n);
    return true;
}

bool access_disagrees(Access *x, size_t lane, int64_t offset) {
    return vm_finding(x->v, x->s, DIAG_RACE, (int64_t)lane,
                      "two lanes of one store write different values to element offset %lld; which one stays "
                      "is undefined",
                      (long long)(offset / (int64_t)x->bytes));
}

// After a scattered store every active lane must find its own value in memory: else another lane of the same
// instruction has written a different one there, and which of them stays is undefined.
static bool stores_agree(Access *x, size_t from, size_t n) {
    for (size_t i = from; i < from + n; i++) {
        if (x->mask && !x->mask[i]) continue;
        int64_t offset;
        Storage *m = storage_at(x, lane_address(x, i), &offset);
        uint64_t there = 0, own = 0;
        copy_element(&there, m->data + offset, x->bytes);
        copy_element(&own, x->raw + i * x->bytes, x->bytes);
        if (there == own) continue;
        return access_disagrees(x, i, offset);
    }
    return true;
}

static bool scattered(Access *x, size_t n) {
    const TileType *t = &x->v->code->reg[x->v->code->insn[x->s->insn].a].type;
    size_t row = t->rank >= 2 && t->shape[t->rank - 1] >= 8 ? (size_t)t->shape[t->rank - 1] : n;
    sectors_forget(x->v);
    bool apart = true; // each run lies behind the one before: no two lanes meet
    int64_t end = INT64_MIN;
    for (size_t lane = 0; lane < n; lane += row) {
        size_t first, length;
        bool run = row < n && one_run(x, lane, row, &first, &length);
        if (run && length == 0) continue;
        if (run ? !access_move_run(x, first, length)
                : !gathered_lanes(x, lane, row) && !scattered_lanes(x, lane, row))
            return false;
        apart &= run && x->address[first] >= end;
        if (run) end = x->address[first] + (int64_t)(length * x->bytes);
    }
    return !x->store || apart || stores_agree(x, 0, n);
}

// ---- masks and poison ----

// The poison of some lanes, NULL where there is none; one: of a number that all of them share.
typedef struct {
    const uint8_t *at;
    bool one;
} Poison;

// The poison of the first active lane that has some of these bits; 0: none.
static uint8_t any_active(Vm *v, Poison p, const uint8_t *mask, size_t n, uint8_t bits, int64_t *lane) {
    if (!p.at) return 0;
    if (p.one) {
        const uint8_t *at = mask ? memchr(mask, 1, n) : NULL;
        *lane = mask ? (at ? at - mask : -1) : 0;
        return !mask || at ? *p.at & bits : 0;
    }
    if (!(v->loops->memory->any_flag(p.at, n) & bits)) return 0;
    for (size_t i = 0; i < n; i++)
        if ((p.at[i] & bits) && (!mask || mask[i])) return *lane = (int64_t)i, p.at[i];
    return 0;
}

// The mask without the cases that need none. *idle: no lane is active.
static bool mask_of(Vm *v, const Step *s, const uint8_t *mask, Poison p, const uint8_t **out, bool *idle) {
    size_t n = (size_t)s->lanes;
    int64_t lane = 0;
    *out = NULL;
    *idle = false;
    if (!mask) return true;
    uint8_t bad = any_active(v, p, NULL, n, 0xff, &lane);
    if (bad) return vm_undefined(v, s, bad, lane, "a mask");
    if (p.one) return *idle = !*mask, true;
    size_t ones = v->loops->memory->count_ones(mask, n);
    *idle = ones == 0;
    if (ones < n) *out = mask;
    return true;
}

static bool address_defined(Vm *v, const Step *s, const uint8_t *mask, uint8_t bits) {
    int64_t lane;
    uint8_t bad = any_active(v, (Poison){s->pa, false}, mask, (size_t)s->lanes, bits, &lane);
    return !bad || vm_undefined(v, s, bad, lane, "an address");
}

static const uint64_t zero_lane = 0;

void access_fill_idle(Vm *v, const Step *s, size_t n, const uint8_t *mask) {
    bool one = !s->c || (s->one & ONE_C);
    (one ? v->loops->memory->splat : v->loops->memory->copy)[s->size](s->d, s->c ? s->c : &zero_lane, NULL,
                                                                      NULL, n);
    if (!s->pd) return;
    if (!s->c)
        memset(s->pd, 1, n);
    else if (!s->pc)
        memset(s->pd, 0, n);
    else if (one)
        memset(s->pd, *s->pc, n);
    else
        memcpy(s->pd, s->pc, n);
    if (!mask) return; // no lane is active
    for (size_t i = 0; i < n; i++) s->pd[i] &= (uint8_t)(mask[i] - 1);
}

// What comes from where a hint leads that does not hold (hint.c).
static void pass_broken(const Step *s, const uint8_t *mask) {
    for (size_t i = 0; i < (size_t)s->lanes; i++)
        if (!mask || mask[i]) s->pd[i] |= s->pa[i];
}

// ---- the two instructions ----

static int64_t run_sectors(const Access *x, size_t first, size_t length) {
    int64_t from = lane_address(x, first);
    return (int64_t)(sector_of(from + (int64_t)(length * x->bytes) - 1) - sector_of(from) + 1);
}

bool step_load(Vm *v, const Step *s) {
    size_t n = (size_t)s->lanes, first, length;
    bool idle;
    Access x;
    access_begin(&x, v, s);
    x.address = s->a;
    if (!mask_of(v, s, s->b, (Poison){s->pb, s->one & ONE_B}, &x.mask, &idle)) return false;
    if (idle || x.mask)
        access_fill_idle(v, s, n, x.mask);
    else if (s->pd)
        memset(s->pd, 0, n);
    if (idle) return true;
    if (!address_defined(v, s, x.mask, UNDEFINED | REDUCED)) return false;
    if (s->pa && s->pd) pass_broken(s, x.mask);
    if (s->pa && v->hints && !hint_load(v, s, x.mask)) return false;
    if (one_run(&x, 0, n, &first, &length)) {
        uint8_t *at;
        if (!access_run(&x, first, length, &at)) return false;
        v->loops->memory->read[s->dtype]((char *)s->d + first * s->size, at, NULL, NULL, length);
        x.sectors = run_sectors(&x, first, length);
    } else {
        x.raw = v->scratch[0];
        if (!scattered(&x, n)) return false;
    }
    v->m->count.bytes_loaded += 32 * x.sectors;
    return true;
}

// Of a single lane, where none can be undefined: loops over scalars do little else.
bool step_load_one(Vm *v, const Step *s) {
    const uint8_t *active = s->b;
    if (active && !*active) return access_fill_idle(v, s, 1, NULL), true;
    Access x;
    uint8_t *at;
    access_begin(&x, v, s);
    x.start = *(const int64_t *)s->a;
    if (!check_lane(&x, 0, x.start, &at)) return false;
    v->loops->memory->read[s->dtype](s->d, at, NULL, NULL, 1);
    v->m->count.bytes_loaded += 32;
    return true;
}

bool step_store_one(Vm *v, const Step *s) {
    const uint8_t *active = s->c;
    if (active && !*active) return true;
    Access x;
    uint8_t *at;
    access_begin(&x, v, s);
    x.start = *(const int64_t *)s->a;
    x.store = true;
    x.value = s->b;
    if (!check_lane(&x, 0, x.start, &at)) return false;
    v->loops->memory->write[s->dtype](at, s->b, NULL, NULL, 1);
    v->m->count.bytes_stored += 32;
    v->stored += s->bytes;
    return true;
}

// Address and mask in short form (affine.c): one run, known without looking at lanes.
bool step_load_run(Vm *v, const Step *s) {
    size_t n = (size_t)s->lanes;
    Interval in = s->narrow && s->narrow->mask
                      ? narrow_mask(s->narrow, s->b)
                      : mask_interval(v, v->code->insn[s->insn].b, s->b, s->one & ONE_B, s->lanes);
    size_t first = (size_t)in.lo, length = (size_t)(in.hi - in.lo);
    Access x;
    access_begin(&x, v, s);
    x.start = *(const int64_t *)s->a;
    v->idle |= narrow_pays((size_t)in.hi, n);
    if (s->narrow) n = narrow_loaded(s->narrow, (size_t)in.hi);
    if (length < n) access_fill_idle(v, s, n, NULL);
    if (s->pd && length > 0) memset(s->pd + first, 0, length);
    if (length == 0) return true;
    uint8_t *at;
    if (!access_run(&x, first, length, &at)) return false;
    if (v->ahead) ahead_fetch(v, s, x.storage, at - x.storage->data, length * x.bytes);
    v->loops->memory->read[s->dtype]((char *)s->d + first * s->size, at, NULL, NULL, length);
    v->m->count.bytes_loaded += 32 * run_sectors(&x, first, length);
    return true;
}

const char *access_stored(Vm *v, const Step *s, size_t n) {
    if (!(s->one & ONE_B)) return s->b;
    v->loops->memory->splat[s->size](v->scratch[1], s->b, NULL, NULL, n);
    return v->scratch[1];
}

bool step_store_run(Vm *v, const Step *s) {
    Interval in = s->narrow && s->narrow->mask
                      ? narrow_mask(s->narrow, s->c)
                      : mask_interval(v, v->code->insn[s->insn].c, s->c, s->one & ONE_C, s->lanes);
    size_t first = (size_t)in.lo, length = (size_t)(in.hi - in.lo);
    Access x;
    access_begin(&x, v, s);
    x.start = *(const int64_t *)s->a;
    x.store = true;
    bool one = s->one & ONE_B;
    int64_t lane;
    if (length == 0) return true;
    if (s->narrow && s->narrow->n) narrow_widen(&s->narrow->of[0], (uint32_t)in.hi);
    uint8_t bad =
        any_active(v, (Poison){s->pb && !one ? s->pb + first : s->pb, one}, NULL, length, 0xff, &lane);
    if (bad) return vm_undefined(v, s, bad, lane + (one ? 0 : (int64_t)first), "a store");
    const char *value = access_stored(v, s, length) + (one ? 0 : first * s->size);
    uint8_t *at;
    x.value = value;
    if (!access_run(&x, first, length, &at)) return false;
    if (v->ahead) ahead_fetch(v, s, x.storage, at - x.storage->data, length * x.bytes);
    v->loops->memory->write[s->dtype](at, value, NULL, NULL, length);
    v->m->count.bytes_stored += 32 * run_sectors(&x, first, length);
    v->stored += (int64_t)(length * x.bytes);
    return true;
}

bool step_store(Vm *v, const Step *s) {
    size_t n = (size_t)s->lanes, first, length;
    bool idle;
    int64_t lane;
    Access x;
    access_begin(&x, v, s);
    x.address = s->a;
    x.store = true;
    if (!mask_of(v, s, s->c, (Poison){s->pc, s->one & ONE_C}, &x.mask, &idle)) return false;
    if (idle) return true;
    if (!address_defined(v, s, x.mask, 0xff)) return false;
    uint8_t bad = any_active(v, (Poison){s->pb, s->one & ONE_B}, x.mask, n, 0xff, &lane);
    if (bad) return vm_undefined(v, s, bad, lane, "a store");
    const char *value = access_stored(v, s, n);
    if (one_run(&x, 0, n, &first, &length)) {
        uint8_t *at;
        x.value = value + first * s->size;
        if (!access_run(&x, first, length, &at)) return false;
        v->loops->memory->write[s->dtype](at, x.value, NULL, NULL, length);
        x.sectors = run_sectors(&x, first, length);
        v->stored += (int64_t)(length * x.bytes);
    } else {
        x.raw = v->scratch[0];
        v->loops->memory->write[s->dtype](x.raw, value, NULL, NULL, n);
        if (!scattered(&x, n)) return false;
        for (size_t i = 0; i < n; i++) v->stored += !x.mask || x.mask[i] ? (int64_t)x.bytes : 0;
    }
    v->m->count.bytes_stored += 32 * x.sectors;
    return true;
}

// ---- rows: addresses and masks of two dimensions in short form (affine.c) ----

typedef struct {
    Grid grid;
    size_t rows, columns, first, width; // of all; of the active columns
    size_t ones, from;                  // active lanes; the first active row
    bool run;                           // the active lanes are one run
} RowMask;

static RowMask row_mask(const Access *x, int reg, const void *mask, bool one) {
    const TileType *t = &x->v->code->reg[x->v->code->insn[x->s->insn].a].type;
    RowMask m = {.rows = (size_t)t->shape[0], .columns = (size_t)t->shape[1]};
    m.grid = grid_of(x->v, reg, mask, one);
    if (m.grid.columns.hi > t->shape[1]) m.grid.columns.hi = t->shape[1];
    m.first = (size_t)m.grid.columns.lo;
    m.width = (size_t)(m.grid.columns.hi - m.grid.columns.lo);
    size_t active = 0, last = 0;
    bool straight = true;
    for (size_t r = 0; r < m.rows; r++) {
        straight &= r == 0 || x->address[r] - x->address[r - 1] == (int64_t)(m.columns * x->bytes);
        if (!grid_has(&m.grid, r)) continue;
        if (active++ == 0) m.from = r;
        last = r;
    }
    m.ones = active * m.width;
    bool together = active == 1 || (m.width == m.columns && last - m.from + 1 == active);
    m.run = straight && together;
    return m;
}

// All active lanes, which are one run: its sectors are known without meeting them.
static bool whole_run(Access *x, size_t first, size_t n) {
    uint8_t *at;
    x->start = x->address[0];
    x->address = NULL;
    if (!access_run(x, first, n, &at)) return false;
    const Step *s = x->s;
    if (x->store)
        memcpy(at, x->raw + first * x->bytes, n * x->bytes);
    else
        x->v->loops->memory->read[s->dtype]((char *)s->d + first * s->size, at, NULL, NULL, n);
    x->sectors = run_sectors(x, first, n);
    return true;
}

bool step_load_rows(Vm *v, const Step *s) {
    Access x;
    access_begin(&x, v, s);
    x.address = s->a;
    RowMask m = row_mask(&x, v->code->insn[s->insn].b, s->b, s->one & ONE_B);
    x.columns = m.columns;
    if (m.ones < (size_t)s->lanes) access_fill_idle(v, s, (size_t)s->lanes, NULL);
    if (m.ones == 0) return true;
    size_t step = m.run ? m.rows : 1, length = m.run ? m.ones : m.width;
    if (!m.run) sectors_forget(v);
    for (size_t r = m.from; r < m.rows; r += step) {
        if (!grid_has(&m.grid, r)) continue;
        size_t first = r * m.columns + m.first;
        if (s->pd) memset(s->pd + first, 0, length);
        if (!(m.run ? whole_run : access_move_run)(&x, first, length)) return false;
    }
    v->m->count.bytes_loaded += 32 * x.sectors;
    return true;
}

bool step_store_rows(Vm *v, const Step *s) {
    Access x;
    access_begin(&x, v, s);
    x.address = s->a;
    x.store = true;
    x.raw = v->scratch[0];
    RowMask m = row_mask(&x, v->code->insn[s->insn].c, s->c, s->one & ONE_C);
    x.columns = m.columns;
    if (m.ones == 0) return true;
    const char *value = access_stored(v, s, (size_t)s->lanes);
    v->loops->memory->write[s->dtype](x.raw, value, NULL, NULL, (size_t)s->lanes);
    size_t step = m.run ? m.rows : 1, length = m.run ? m.ones : m.width;
    if (!m.run) sectors_forget(v);
    bool apart = true; // each row lies behind the one before
    int64_t end = INT64_MIN;
    for (size_t r = m.from; r < m.rows; r += step) {
        if (!grid_has(&m.grid, r)) continue;
        size_t first = r * m.columns + m.first;
        if (!(m.run ? whole_run : access_move_run)(&x, first, length)) return false;
        apart &= lane_address(&x, first) >= end;
        end = lane_address(&x, first) + (int64_t)(length * x.bytes);
        v->stored += (int64_t)(length * x.bytes);
    }
    for (size_t r = 0; !apart && r < m.rows; r++)
        if (grid_has(&m.grid, r) && !stores_agree(&x, r * m.columns + m.first, m.width)) return false;
    v->m->count.bytes_stored += 32 * x.sectors;
    return true;
}
