// Atomics: each active lane in its turn reads an element, combines it with its value and writes it back.
//
// Races. Atomics of different programs may meet on an element; an atomic and a plain access of another
// program may not. In the race words the serial v->first, which no program of such a launch has, as a writer
// means: written by atomics alone; the reader is then the program whose atomics they are, READER_MANY with
// those of several. What a program does atomically after or before a plain access of its own counts as plain,
// and so does an atomic among the threads of one block: other programs need not see it as one.
#include "tile/loops/lane_bits.h"
#include "tile/vm/deferred.h"
#include "tile/vm/lanes.h"
#include "tile/vm/steps.h"

void atomic_settle(Vm *v, Storage *m, size_t word, size_t words) {
    size_t unit = (size_t)dtype_bytes(m->dtype);
    if (v->deferred.n > v->deferred.own) deferred_show(v, m, word * unit, words * unit);
    for (size_t w = word; m->was_read && w < word + words; w++) // an atomic reads
        if (m->writer[w] == v->first && m->reader[w] == v->serial) m->writer[w] = v->serial;
}

typedef struct {
    Vm *v;
    const Step *s;
    int64_t lane;
    Storage *m;
    size_t offset;
    bool plain; // this program has touched the element without an atomic
} Atomic;

// Of its first byte, before the tensor's beginning, too; sizes are powers of two.
static long long element_of(const Atomic *x) {
    return (long long)((int64_t)x->offset >> __builtin_ctz(x->s->bytes));
}

static bool find_element(Atomic *x, int64_t address) {
    const StorageTable *t = &x->v->m->storages;
    int64_t id = address >> ADDRESS_BITS, size = x->s->bytes;
    int64_t offset = (address & (((int64_t)1 << ADDRESS_BITS) - 1)) - ADDRESS_BIAS;
    if (id < 1 || id > t->count)
        return vm_finding(x->v, x->s, DIAG_OOB, x->lane,
                          "atomic at an address that left the range of its tensor");
    Storage *m = x->m = t->at[id - 1];
    x->offset = (size_t)offset;
    if (offset < -VM_NEAR_MISS || offset > (int64_t)m->bytes + VM_NEAR_MISS)
        return vm_finding(x->v, x->s, DIAG_OOB, x->lane, "atomic outside the tensor's memory, far from it");
    if (offset < 0)
        return vm_finding(
            x->v, x->s, DIAG_OOB, x->lane,
            "atomic outside the tensor's memory: element offset %lld, %lld before its first element",
            element_of(x), -element_of(x));
    if (offset + size > (int64_t)m->bytes)
        return vm_finding(
            x->v, x->s, DIAG_OOB, x->lane,
            "atomic outside the tensor's memory: element offset %lld, %lld past its last element",
            element_of(x), element_of(x) - (long long)(m->bytes / (size_t)size) + 1);
    if (offset & (size - 1))
        return vm_finding(x->v, x->s, DIAG_OOB, x->lane, "atomic at a misaligned address");
    storage_change(m, (size_t)offset, (size_t)(offset + size));
    return true;
}

static bool may_touch(Atomic *x) {
    uint8_t flags = 0xff;
    if (x->m->shadow)
        for (size_t i = 0; i < x->s->bytes; i++) flags &= x->m->shadow[x->offset + i];
    else
        flags = shadow_flags(x->v->loops, x->m, (size_t)x->offset, x->s->bytes);
    if (!(flags & SHADOW_ALLOC))
        return vm_finding(x->v, x->s, DIAG_OOB, x->lane,
                          "atomic on element offset %lld, which lies between the rows of the tensor and "
                          "belongs to no element",
                          element_of(x));
    if (x->m->read_only)
        return vm_finding(x->v, x->s, DIAG_WRITE, x->lane,
                          "atomic on an input (element offset %lld); inputs are read-only", element_of(x));
    if (!(flags & SHADOW_INIT))
        return vm_finding(
            x->v, x->s, DIAG_UNINIT, x->lane,
            "atomic on element offset %lld, which nothing has written yet: an atomic reads what it "
            "changes, so allocate with torch.zeros",
            element_of(x));
    return true;
}

static bool mark_word(Atomic *x, size_t w) {
    const Vm *v = x->v;
    storage_read(x->m);
    uint32_t *writer = &x->m->writer[w], *reader = &x->m->reader[w], last = *reader & ~READER_MANY;
    x->plain |= *writer == v->serial || (*writer < v->first && *reader == v->serial);
    if (x->s->imm & ATOMIC_BLOCK) {
        if (*writer == v->first
                ? *reader != v->serial
                : *writer != v->serial && (*writer > v->first || (last >= v->first && *reader != v->serial)))
            return vm_finding(
                x->v, x->s, DIAG_RACE, x->lane,
                "atomic with scope=\"cta\" on element offset %lld, which another program of this "
                "launch has touched; it is one among the threads of a program only",
                element_of(x));
        *writer = v->serial;
        return true;
    }
    if (*writer == v->first) {
        if (*reader != v->serial) *reader = v->serial | READER_MANY;
        return true;
    }
    if (*writer == v->serial) return true;
    bool written = *writer >= v->first;
    if (written || (last >= v->first && *reader != v->serial))
        return vm_finding(
            x->v, x->s, DIAG_RACE, x->lane,
            "atomic on element offset %lld, which another program of this launch has %s without an "
            "atomic; programs run in any order",
            element_of(x), written ? "written" : "read");
    if (*reader == v->serial) {
        *writer = v->serial;
    } else {
        *writer = v->first;
        *reader = v->serial;
    }
    return true;
}

static bool touch(Atomic *x) {
    size_t size = x->s->bytes;
    int unit = __builtin_ctz((unsigned)dtype_bytes(x->m->dtype));
    x->plain = false;
    for (size_t w = x->offset >> unit; x->m->writer && w <= (x->offset + size - 1) >> unit; w++)
        if (!mark_word(x, w)) return false;
    if (x->m->writer && !lanes_atomic(x->v, x->s, x->m, (int64_t)x->offset, (uint32_t)x->lane, x->plain))
        return false;
    if (!x->m->shadow && !storage_sparse_write(&x->v->m->storages, x->m->data + x->offset, size))
        return vm_finding(x->v, x->s, DIAG_BUDGET, x->lane,
                          "the step budget is spent: stores all over memory");
    if (x->m->shadow) memset(x->m->shadow + x->offset, SHADOW_WRITTEN, size);
    if (x->m->origin) {
        note_origin(x->v, x->m, x->offset, size, false);
        note_origin(x->v, x->m, x->offset, size, true);
    }
    if (sector_is_new(x->v,
                      sector_of(((int64_t)x->m->id << ADDRESS_BITS) + ADDRESS_BIAS + (int64_t)x->offset))) {
        x->v->m->count.bytes_loaded += 32;
        x->v->m->count.bytes_stored += 32;
    }
    return true;
}

// Lane i of an operand, which may have one lane for all.
static const char *lane_of(const void *p, bool one, size_t i, size_t size) {
    return (const char *)p + (one ? 0 : i * size);
}

static bool defined(const Atomic *x, const uint8_t *poison, bool one, const char *what) {
    return !poison || !poison[one ? 0 : x->lane] ||
           vm_undefined(x->v, x->s, poison[one ? 0 : x->lane], x->lane, what);
}

static const InsnOp operation[ATOMIC_COUNT] = {
    [ATOMIC_ADD] = INSN_ADD, [ATOMIC_MAX] = INSN_MAX, [ATOMIC_MIN] = INSN_MIN,  [ATOMIC_AND] = INSN_AND,
    [ATOMIC_OR] = INSN_OR,   [ATOMIC_XOR] = INSN_XOR, [ATOMIC_XCHG] = INSN_COPY};

// Most atomics find an element that no program of the launch has touched, or atomics alone have: all of
// locate() for one word of one storage, without a call. False, and nothing is changed, for any other.
static bool locate_usual(Atomic *x) {
    enum { NEED = SHADOW_ALLOC | SHADOW_INIT };
    Vm *v = x->v;
    const Step *s = x->s;
    const StorageTable *t = &v->m->storages;
    int64_t address = ((const int64_t *)s->a)[x->lane], id = address >> ADDRESS_BITS;
    int64_t offset = (address & (((int64_t)1 << ADDRESS_BITS) - 1)) - ADDRESS_BIAS;
    if (s->pa || id < 1 || id > t->count || s->bytes != sizeof(uint32_t) || s->imm & ATOMIC_BLOCK)
        return false;
    Storage *m = t->at[id - 1];
    size_t size = sizeof(uint32_t), w = (size_t)offset / size;
    if (!m->shadow || !m->writer || m->read_only || m->origin || dtype_bytes(m->dtype) != (int)size ||
        offset < 0 || m->bytes < size || (size_t)offset > m->bytes - size || (size_t)offset % size)
        return false;
    storage_change(m, (size_t)offset, (size_t)offset + size);
    uint32_t flags, need = NEED * 0x01010101u, all = SHADOW_WRITTEN * 0x01010101u;
    memcpy(&flags, m->shadow + offset, size);
    uint32_t *writer = &m->writer[w], *reader = &m->reader[w];
    if ((flags & need) != need || !m->was_read) return false;
    if (*writer == v->first) {
        if (*reader != v->serial) *reader = v->serial | READER_MANY;
    } else {
        if (*writer >= v->first || (*reader & ~READER_MANY) >= v->first) return false;
        *writer = v->first;
        *reader = v->serial;
    }
    x->m = m;
    x->offset = (size_t)offset;
    x->plain = false;
    memcpy(m->shadow + offset, &all, size);
    // It finds nothing where this program has touched the element by atomics alone.
    (void)lanes_atomic(v, s, m, offset, (uint32_t)x->lane, false);
    if (sector_is_new(v, sector_of(address))) {
        v->m->count.bytes_loaded += 32;
        v->m->count.bytes_stored += 32;
    }
    return true;
}

static bool locate(Atomic *x) {
    if (locate_usual(x)) return true;
    return defined(x, x->s->pa, false, "the address of an atomic") &&
           find_element(x, ((const int64_t *)x->s->a)[x->lane]) && may_touch(x) && touch(x);
}

void atomic_change(const Vm *v, const Step *s, uint8_t *element, const void *value, void *old) {
    const TileLoops *l = v->loops;
    DType t = (DType)s->dtype;
    AtomicOp op = (AtomicOp)(s->imm & ~(int64_t)ATOMIC_BITS);
    if (op == ATOMIC_ADD && t == DT_F32) { // the loops below, for the one that is used most
        float sum, more;
        memcpy(old, element, sizeof sum);
        memcpy(&sum, element, sizeof sum);
        memcpy(&more, value, sizeof more);
        sum += more;
        const uint32_t bits = sum != sum ? F32_NAN : bits32(sum);
        memcpy(element, &bits, sizeof bits);
        return;
    }
    LoopFn *change = op == ATOMIC_XCHG ? NULL : l->op[operation[op]][t][0];
    // Triton compares floats as integers: the largest is a NaN once there is one, the smallest never is.
    if (op == ATOMIC_MAX && dtype_is_float(t)) change = l->propagate[INSN_MAX][t - DT_F16][0];
    uint64_t next;
    l->memory->read[t](old, element, NULL, NULL, 1);
    if (change) change(&next, old, value, NULL, 1);
    l->memory->write[t](element, change ? (const void *)&next : value, NULL, NULL, 1);
}

// ---- many sums of float32, the atomic that is used most

static bool usual_storage(const Storage *m) {
    return m->shadow && m->writer && !m->read_only && !m->origin && m->was_read && m->gap_from >= m->gap_to &&
           m->copied <= m->gap_from && dtype_bytes(m->dtype) == (int)sizeof(float) &&
           m->bytes >= sizeof(float);
}

static bool sums_floats(const Vm *v, const Step *s) {
    return s->lanes > 1 && s->dtype == DT_F32 && s->bytes == sizeof(float) && !s->pa && !s->pb && !s->pc &&
           !v->deferred.n && (AtomicOp)(s->imm & ~(int64_t)ATOMIC_BITS) == ATOMIC_ADD &&
           !(s->imm & ATOMIC_BLOCK);
}

// As lanes_atomic() does it for what only atomics have touched.
static inline void note_changed(Vm *v, const Step *s, Storage *m, int64_t offset, size_t lane) {
    LaneRuns *runs = &v->log.changed;
    if (runs->n > LANE_RUNS_MAX) return; // the list is full: nothing is noted any more
    if (!lanes_lengthen(runs, m, offset, (uint32_t)lane, s->bytes))
        (void)lanes_atomic(v, s, m, offset, (uint32_t)lane, false);
}

// Of a storage, and of the running program, what each lane asks for: stores to memory are between.
typedef struct {
    Storage *m;
    int64_t id;
    uint8_t *data, *shadow;
    uint32_t *writer, *reader;
    size_t last; // offset of the last element
} Target;

static bool target_of(const StorageTable *t, int64_t id, Target *to) {
    if (id < 1 || id > t->count || !usual_storage(t->at[id - 1])) return false;
    Storage *m = t->at[id - 1];
    *to = (Target){m, id, m->data, m->shadow, m->writer, m->reader, m->bytes - sizeof(float)};
    m->steady_to = 0; // storage_change() of what has no gap
    return true;
}

// The race words of an element that no program of the launch has touched, or atomics alone have.
static inline bool mark_usual(uint32_t *writer, uint32_t *reader, uint32_t first, uint32_t serial) {
    if (*writer == first) {
        if (*reader != serial) *reader = serial | READER_MANY;
        return true;
    }
    if (*writer >= first || (*reader & ~READER_MANY) >= first) return false;
    *writer = first;
    *reader = serial;
    return true;
}

// The lanes from `lane` on, as step_atomic() does them: up to the first that is not like most. Which that is.
static size_t add_usual(Vm *v, const Step *s, size_t lane) {
    enum { NEED = (SHADOW_ALLOC | SHADOW_INIT) * 0x01010101, WRITTEN = SHADOW_WRITTEN * 0x01010101 };
    const int64_t *const address = s->a;
    const uint8_t *const mask = s->c;
    const float *const more = s->b;
    float *const old = s->d;
    uint8_t *const poison = s->pd;
    const size_t by = s->one & ONE_B ? 0 : 1, has = s->one & ONE_C ? 0 : 1, n = (size_t)s->lanes;
    const uint32_t first = v->first, serial = v->serial, need = NEED, written = WRITTEN;
    int64_t new = 0;
    Target to = {0};
    for (; lane < n; lane++) {
        const bool active = !mask || mask[lane * has];
        if (poison) poison[lane] = !active;
        if (!active) {
            old[lane] = 0;
            continue;
        }
        const int64_t at = address[lane], id = at >> ADDRESS_BITS;
        const int64_t offset = (at & (((int64_t)1 << ADDRESS_BITS) - 1)) - ADDRESS_BIAS;
        if (id != to.id && !target_of(&v->m->storages, id, &to)) break;
        if ((size_t)offset > to.last || offset & 3) break; // below 0 is above it, too
        uint32_t flags;
        memcpy(&flags, to.shadow + offset, sizeof flags);
        if ((flags & need) != need ||
            !mark_usual(to.writer + offset / 4, to.reader + offset / 4, first, serial))
            break;
        memcpy(to.shadow + offset, &written, sizeof written);
        note_changed(v, s, to.m, offset, lane);
        new += sector_is_new(v, sector_of(at));
        float sum;
        memcpy(&sum, to.data + offset, sizeof sum);
        old[lane] = sum;
        sum += more[lane * by];
        const uint32_t bits = sum != sum ? F32_NAN : bits32(sum);
        memcpy(to.data + offset, &bits, sizeof bits);
    }
    v->m->count.bytes_loaded += 32 * new;
    v->m->count.bytes_stored += 32 * new;
    return lane;
}

// Of a single atomic whose result is used, all threads wait for the result.
static bool meets(const Step *s) { return s->lanes == 1 && !(s->imm & ATOMIC_UNSEEN); }

bool step_atomic(Vm *v, const Step *s) {
    bool one_b = s->one & ONE_B, one_c = s->one & ONE_C;
    bool deferred = v->code->watched && s->imm & ATOMIC_UNSEEN;
    Atomic x = {.v = v, .s = s};
    if (!deferred) deferred_look(v);
    sectors_forget(v);
    const bool many = !deferred && sums_floats(v, s);
    for (size_t i = 0; i < (size_t)s->lanes; i++) {
        if (many) i = add_usual(v, s, i);
        if (i == (size_t)s->lanes) break;
        char *old = (char *)s->d + i * s->size;
        x.lane = (int64_t)i;
        if (!defined(&x, s->pc, one_c, "the mask of an atomic")) return false;
        bool active = !s->c || *lane_of(s->c, one_c, i, 1);
        if (s->pd) s->pd[i] = !active;
        if (!active || deferred) memset(old, 0, s->size);
        if (!active) continue;
        if (!defined(&x, s->pb, one_b, "the value of an atomic") || !locate(&x)) return false;
        const char *value = lane_of(s->b, one_b, i, s->size);
        if (deferred) {
            deferred_put(v, s, x.lane, x.m, x.offset, value);
            continue;
        }
        if (v->deferred.n) deferred_order(v, s, x.lane, x.m, x.offset);
        atomic_change(v, s, x.m->data + x.offset, value, old);
    }
    if (meets(s)) lanes_meet(&v->log);
    return true;
}

bool step_cas(Vm *v, const Step *s) {
    const TileLoops *l = v->loops;
    DType t = (DType)s->dtype;
    Atomic x = {.v = v, .s = s};
    if (s->pd) memset(s->pd, 0, (size_t)s->lanes);
    deferred_look(v);
    sectors_forget(v);
    for (size_t i = 0; i < (size_t)s->lanes; i++) {
        uint64_t want = 0;
        x.lane = (int64_t)i;
        if (!defined(&x, s->pb, s->one & ONE_B, "the value of an atomic") ||
            !defined(&x, s->pc, s->one & ONE_C, "the value of an atomic") || !locate(&x))
            return false;
        if (v->deferred.n) deferred_order(v, s, x.lane, x.m, x.offset);
        uint8_t *at = x.m->data + x.offset;
        l->memory->read[t]((char *)s->d + i * s->size, at, NULL, NULL, 1);
        l->memory->write[t](&want, lane_of(s->b, s->one & ONE_B, i, s->size), NULL, NULL, 1);
        if (memcmp(&want, at, s->bytes) == 0)
            l->memory->write[t](at, lane_of(s->c, s->one & ONE_C, i, s->size), NULL, NULL, 1);
    }
    if (meets(s)) lanes_meet(&v->log);
    return true;
}
