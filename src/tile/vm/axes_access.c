// axes_access.c - loads and stores whose address is kept by axis (compute/axes.c). The active lanes are the
// product of the active places along each axis, so that those of a small corner of a large tile are met
// alone. What is met, in which order, and what is noted of it is what memory.c would do with all lanes; where
// something is wrong, or unusual, the address and the mask are written out and memory.c does it.
#include "tile/vm/access.h"
#include "tile/vm/steps.h"

typedef struct {
    Access x;
    const TileType *tile;
    AxesActive on;
    const int64_t *number[TILE_RANK_MAX]; // along each axis
    size_t stride[TILE_RANK_MAX];         // lanes from one place to the next
    int last;                             // the last axis: its lanes are rows
    bool together;                        // its active places have no gap between them
} AxesAccess;

static void axes_begin(AxesAccess *q, Vm *v, const Step *s, int mask_reg, const void *mask) {
    const Code *c = v->code;
    access_begin(&q->x, v, s);
    q->x.axes = s->a;
    q->tile = &c->reg[c->insn[s->insn].a].type;
    axes_active(c, mask_reg, mask, q->tile, &q->on);
    const int64_t *at = s->a;
    size_t lanes = 1;
    for (int k = 0; k < q->tile->rank; at += q->tile->shape[k++]) q->number[k] = at;
    for (int k = q->tile->rank - 1; k >= 0; k--) {
        q->stride[k] = lanes;
        lanes *= (size_t)q->tile->shape[k];
    }
    q->last = q->tile->rank - 1;
    int n = q->on.count[q->last];
    q->together = n > 0 && q->on.place[q->last][n - 1] - q->on.place[q->last][0] == n - 1;
}

// An address and a mask as other kernels have them.
static bool written_out(Vm *v, const Step *s, int mask_reg, const void *mask, StepFn *plain) {
    AxesKept address, has;
    const Register *a = &v->code->reg[v->code->insn[s->insn].a],
                   *m = mask_reg >= 0 ? &v->code->reg[mask_reg] : NULL;
    bool both = m && m->form == FORM_AXES;
    void *at = (void *)(uintptr_t)s->a, *lanes = (void *)(uintptr_t)mask;
    bool wild = v->code->wild[v->code->insn[s->insn].a];
    if (!wild) axes_write_out(a, at, &address);
    if (both) axes_write_out(m, lanes, &has);
    bool ok = plain(v, s);
    if (!wild) axes_take_back(a, at, &address);
    if (both) axes_take_back(m, lanes, &has);
    return ok;
}

// A mask that may be undefined is looked at by memory.c, were it a single one for all lanes.
static bool by_axes(const Vm *v, const Step *s, int reg) {
    const Register *m = reg >= 0 ? &v->code->reg[reg] : NULL;
    if (v->code->wild[v->code->insn[s->insn].a]) return false;
    return !m || (!m->tainted && (m->by_axes || tile_lanes(&m->type) == 1));
}

// ---- rows

// The rows with active lanes one after the other: where along the axes before the last one each is.
typedef struct {
    int at[TILE_RANK_MAX]; // index of the active place
    size_t lane, lanes;    // of its first place; without the axis before the last
    int64_t sum, sums;     // of its numbers; the same
} Row;

static inline void row_here(const AxesAccess *q, Row *r) {
    int k = q->last - 1, place = q->on.place[k][r->at[k]];
    r->lane = r->lanes + (size_t)place * q->stride[k];
    r->sum = (int64_t)((uint64_t)r->sums + (uint64_t)q->number[k][place]);
}

static void row_settle(const AxesAccess *q, Row *r) {
    r->lanes = 0;
    r->sums = 0;
    for (int k = 0; k < q->last - 1; k++) {
        int place = q->on.place[k][r->at[k]];
        r->lanes += (size_t)place * q->stride[k];
        r->sums = (int64_t)((uint64_t)r->sums + (uint64_t)q->number[k][place]);
    }
    row_here(q, r);
}

static Row row_first(const AxesAccess *q) {
    Row r = {0};
    row_settle(q, &r);
    return r;
}

static bool row_turn(const AxesAccess *q, Row *r) {
    int k = q->last - 1;
    for (; k >= 0; r->at[k--] = 0)
        if (++r->at[k] < q->on.count[k]) break;
    if (k >= 0) row_settle(q, r);
    return k >= 0;
}

static inline bool row_next(const AxesAccess *q, Row *r) {
    int k = q->last - 1;
    if (r->at[k] + 1 == q->on.count[k]) return row_turn(q, r);
    r->at[k]++;
    return row_here(q, r), true;
}

// All places of the last axis, active or not, follow each other in memory.
static bool row_is_run(const AxesAccess *q) {
    const int64_t *x = q->number[q->last];
    for (int i = 1; i < q->tile->shape[q->last]; i++)
        if (x[i] - x[i - 1] != (int64_t)q->x.bytes) return false;
    return true;
}

// The same of all lanes of the tile.
static bool tile_is_run(const AxesAccess *q) {
    for (int k = 0; k < q->tile->rank; k++)
        for (int i = 1; i < q->tile->shape[k]; i++)
            if (q->number[k][i] - q->number[k][i - 1] != (int64_t)(q->stride[k] * q->x.bytes)) return false;
    return true;
}

// ---- loads from inputs

// The storage that holds the active lanes, all of them aligned; *from: the least offset, *bytes up to the end
// of the last one. NULL: there is none, or something else is to be looked at.
static Storage *input_of(AxesAccess *q, size_t *from, size_t *bytes) {
    int64_t least = 0, most = 0, apart = 0, low, high;
    for (int k = 0; k < q->tile->rank; k++) {
        const int64_t *x = q->number[k];
        const int16_t *place = q->on.place[k];
        int64_t lo = x[place[0]], hi = lo;
        for (int i = 1; i < q->on.count[k]; i++) {
            int64_t one = x[place[i]];
            apart |= one ^ x[place[0]];
            lo = one < lo ? one : lo;
            hi = one > hi ? one : hi;
        }
        if (__builtin_add_overflow(least, lo, &least) || __builtin_add_overflow(most, hi, &most)) return NULL;
    }
    Access *x = &q->x;
    Storage *m = storage_at(x, least, &low);
    if (!m || storage_at(x, most, &high) != m || !m->read_only || m->origin || x->v->noting || low < 0 ||
        m->bytes < x->bytes || (size_t)high > m->bytes - x->bytes ||
        ((low | apart) & (int64_t)(x->bytes - 1)))
        return NULL;
    *from = (size_t)low;
    *bytes = (size_t)(high - low) + x->bytes;
    storage_reach(m, *from, *from + *bytes);
    return m;
}

// May all of it be read? Most inputs have no gaps.
static bool all_defined(const AxesAccess *q, const Storage *m, size_t from, size_t bytes) {
    enum { NEED = SHADOW_ALLOC | SHADOW_INIT };
    if (m->open) return true;
    const TileLoops *loops = q->x.v->loops;
    if (bytes <= 4 * q->on.lanes * q->x.bytes && (shadow_flags(loops, m, from, bytes) & NEED) == NEED)
        return true;
    const int64_t base = ((int64_t)m->id << ADDRESS_BITS) + ADDRESS_BIAS;
    Row r = row_first(q);
    do {
        for (int i = 0; i < q->on.count[q->last]; i++) {
            size_t at = (size_t)(r.sum + q->number[q->last][q->on.place[q->last][i]] - base);
            if ((shadow_flags(loops, m, at, q->x.bytes) & NEED) != NEED) return false;
        }
    } while (row_next(q, &r));
    return true;
}

static void load_row_runs(AxesAccess *q, const Storage *m) {
    Access *x = &q->x;
    const Step *s = x->s;
    const int64_t base = ((int64_t)m->id << ADDRESS_BITS) + ADDRESS_BIAS;
    LoopFn *read = x->v->loops->memory->read[s->dtype];
    size_t first = (size_t)q->on.place[q->last][0], n = (size_t)q->on.count[q->last];
    int64_t start = q->number[q->last][first];
    Row r = row_first(q);
    do {
        int64_t address = r.sum + start;
        read((char *)s->d + (r.lane + first) * s->size, m->data + (address - base), NULL, NULL, n);
        if (s->pd) memset(s->pd + r.lane + first, 0, n);
        uint64_t last = sector_of(address + (int64_t)(n * x->bytes) - 1);
        for (uint64_t k = sector_of(address); k <= last; k++) sector_meet(x, k);
    } while (row_next(q, &r));
}

// Elements to the lanes of a row.
static void spread_row(const AxesAccess *q, size_t row, const char *from) {
    const Step *s = q->x.s;
    const int16_t *place = q->on.place[q->last];
    size_t n = (size_t)q->on.count[q->last], size = s->size;
    char *d = (char *)s->d + row * size;
    if (q->together) {
        memcpy(d + (size_t)place[0] * size, from, n * size);
        if (s->pd) memset(s->pd + row + place[0], 0, n);
        return;
    }
    for (size_t i = 0; i < n; i++) {
        copy_element(d + (size_t)place[i] * size, from + i * size, size);
        if (s->pd) s->pd[row + (size_t)place[i]] = 0;
    }
}

// Of an element the bits are those of a lane.
static bool is_plain(const Step *s) { return s->dtype == DT_F32 || s->dtype == DT_I32 || s->dtype == DT_U32; }

// In the order of the lanes; consecutive lanes in one sector meet it once.
static void meet_sectors(AxesAccess *q) {
    Access *x = &q->x;
    const int64_t *number = q->number[q->last];
    const int16_t *place = q->on.place[q->last];
    uint64_t *const slots = x->v->sectors, mark = x->v->sector_mark, *slot;
    uint64_t last = x->last;
    int64_t new = 0;
    int n = q->on.count[q->last];
    Row r = row_first(q);
    do {
        for (int i = 0; i < n; i++) {
            uint64_t sector = sector_of(r.sum + number[place[i]]);
            if (sector == last) continue;
            last = sector;
            slot = &slots[sector % SECTOR_SLOTS];
            new += *slot != (sector | mark);
            *slot = sector | mark;
        }
    } while (row_next(q, &r));
    x->sectors += new;
}

// How many sectors an access meets follows from how its active lanes lie to each other, and from where the
// first of them lies in its sector: the same few shapes come again in every program. One is kept for each
// place of a table.
enum { SHAPES = 64, SHAPE_PLACES = 160 };
typedef struct {
    int32_t n; // places, with the numbers that tell how many there are on each axis; 0: nothing is kept
    int32_t sectors;
    int64_t key[SHAPE_PLACES];
} SectorShape;
struct SectorShapes {
    SectorShape at[SHAPES];
};

size_t shapes_bytes(const Code *c) {
    bool any = false;
    for (int r = 0; r < c->regs; r++) any |= c->reg[r].form == FORM_AXES;
    return any ? sizeof(SectorShapes) + 64 : 0;
}

void shapes_open(Arena *a, Vm *v) {
    if (shapes_bytes(v->code)) v->shapes = NEW(a, SectorShapes);
}

// The shape of an access; 0: it has too many places.
static int shape_of(const AxesAccess *q, int64_t key[SHAPE_PLACES]) {
    int n = 1;
    uint64_t first = 0;
    for (int k = 0; k <= q->last; k++) {
        const int16_t *place = q->on.place[k];
        int count = q->on.count[k];
        if (n + count >= SHAPE_PLACES) return 0;
        key[n++] = count;
        first += (uint64_t)q->number[k][place[0]];
        for (int i = 1; i < count; i++) key[n++] = q->number[k][place[i]] - q->number[k][place[0]];
    }
    key[0] = (int64_t)(first % 32);
    return n;
}

static void count_sectors(AxesAccess *q) {
    Vm *v = q->x.v;
    int64_t key[SHAPE_PLACES];
    int n = v->shapes ? shape_of(q, key) : 0;
    if (n == 0) return meet_sectors(q);
    uint64_t hash = (uint64_t)key[0];
    for (int i = 1; i < n; i++) hash = (hash ^ (uint64_t)key[i]) * 0x9e3779b97f4a7c15u;
    SectorShape *shape = &v->shapes->at[hash >> 58];
    if (shape->n != n || memcmp(shape->key, key, (size_t)n * sizeof *key) != 0) {
        meet_sectors(q);
        shape->n = n;
        shape->sectors = (int32_t)q->x.sectors;
        memcpy(shape->key, key, (size_t)n * sizeof *key);
        return;
    }
    q->x.sectors = shape->sectors;
}

static bool load_picked(AxesAccess *q, const Storage *m) {
    Access *x = &q->x;
    const Step *s = x->s;
    const MemoryLoops *memory = x->v->loops->memory;
    const int64_t base = ((int64_t)m->id << ADDRESS_BITS) + ADDRESS_BIAS, *number = q->number[q->last];
    const int16_t *place = q->on.place[q->last];
    size_t n = (size_t)q->on.count[q->last];
    int32_t offset[AXES_PLACES_MAX];
    int64_t start = number[place[0]];
    bool direct = q->together && is_plain(s);
    for (size_t i = 0; i < n; i++) {
        int64_t further = number[place[i]] - start;
        offset[i] = (int32_t)further;
        if (offset[i] != further) return false;
    }
    Row r = row_first(q);
    char *raw = x->v->scratch[0], *lanes = x->v->scratch[1];
    do {
        const uint8_t *from = m->data + (r.sum + start - base);
        char *to = direct ? (char *)s->d + (r.lane + (size_t)place[0]) * s->size : raw;
        memory->pick[x->bytes](to, from, offset, n);
        if (direct && s->pd) memset(s->pd + r.lane + place[0], 0, n);
        if (direct) continue;
        memory->read[s->dtype](lanes, raw, NULL, NULL, n);
        spread_row(q, r.lane, lanes);
    } while (row_next(q, &r));
    count_sectors(q);
    return true;
}

bool step_load_axes(Vm *v, const Step *s) {
    int reg = v->code->insn[s->insn].b;
    size_t n = (size_t)s->lanes, from, bytes;
    if (!by_axes(v, s, reg)) return written_out(v, s, reg, s->b, step_load);
    AxesAccess q;
    axes_begin(&q, v, s, reg, s->b);
    const Storage *m = NULL;
    if (q.on.lanes > 0) {
        m = input_of(&q, &from, &bytes);
        if (!m || !all_defined(&q, m, from, bytes)) return written_out(v, s, reg, s->b, step_load);
    }
    if (q.on.lanes < n) access_fill_idle(v, s, n, NULL);
    if (q.on.lanes == 0) return true;
    sectors_forget(v);
    if (q.together && row_is_run(&q))
        load_row_runs(&q, m);
    else if (!load_picked(&q, m))
        return written_out(v, s, reg, s->b, step_load);
    v->m->count.bytes_loaded += 32 * q.x.sectors;
    return true;
}

// ---- stores

// A lane that is stored joins the run of the lane before it. So would all that follow in its row, once they
// do.
static void note_row(AxesAccess *q, Storage *m, int64_t offset, size_t lane, int64_t step) {
    Access *x = &q->x;
    LaneRuns *runs = &x->v->log.wrote;
    size_t n = (size_t)q->on.count[q->last];
    for (size_t i = 0; i < n; i++) {
        LaneRun *last = &runs->run[runs->n > 0 ? runs->n - 1 : 0];
        if (i > 1 && runs->n <= LANE_RUNS_MAX && last->n > 1 && last->stride == step) {
            last->n += (uint32_t)(n - i);
            return;
        }
        *lanes_slot(runs) = (LaneRun){.storage = m,
                                      .at = offset + (int64_t)i * step,
                                      .stride = (int64_t)x->bytes,
                                      .lane = (uint32_t)(lane + i),
                                      .n = 1,
                                      .bytes = (uint32_t)x->bytes,
                                      .shape = x->s->shape};
        lanes_join(runs, x->wrote);
    }
}

// Elements that nobody has touched in this launch, 4 bytes each, by steps through one storage: what
// access_lane() does with each of them. False, and nothing is changed, where they are anything else.
static bool store_fresh(AxesAccess *q, const Row *r, int64_t step) {
    enum { SIZE = 4, ALLOCATED = 0x01010101 * SHADOW_ALLOC, WRITTEN = 0x01010101 * SHADOW_WRITTEN };
    Access *x = &q->x;
    Vm *v = x->v;
    int64_t n = q->on.count[q->last], place = q->on.place[q->last][0], offset;
    int64_t address = r->sum + q->number[q->last][place];
    Storage *m = storage_at(x, address, &offset);
    if (!m || step < SIZE || offset < 0 || m->bytes < SIZE || offset > (int64_t)m->bytes - SIZE ||
        (n - 1) * step > (int64_t)m->bytes - SIZE - offset || ((offset | step) & (SIZE - 1)) || !m->shadow ||
        !m->writer || m->read_only || m->origin || v->noting || v->code->atomics ||
        dtype_bytes(m->dtype) != SIZE)
        return false;
    storage_change(m, (size_t)offset, (size_t)(offset + (n - 1) * step + SIZE));
    bool fresh = true;
    for (int64_t i = 0, at = offset; i < n; i++, at += step) {
        uint32_t flags;
        memcpy(&flags, m->shadow + at, SIZE);
        fresh &= (flags & ALLOCATED) == ALLOCATED && m->writer[at / SIZE] < v->first;
        if (m->was_read) fresh &= (m->reader[at / SIZE] & ~READER_MANY) < v->first;
    }
    if (!fresh) return false;
    size_t lane = r->lane + (size_t)place;
    const char *raw = x->raw + lane * SIZE;
    const uint32_t written = WRITTEN;
    for (int64_t i = 0, at = offset; i < n; i++, at += step) {
        m->writer[at / SIZE] = v->serial;
        memcpy(m->shadow + at, &written, SIZE);
        memcpy(m->data + at, raw + i * SIZE, SIZE);
    }
    note_row(q, m, offset, lane, step);
    return true;
}

static bool store_lanes(AxesAccess *q, const Row *r) {
    Access *x = &q->x;
    const int64_t *number = q->number[q->last];
    for (int i = 0; i < q->on.count[q->last]; i++) {
        int place = q->on.place[q->last][i];
        size_t lane = r->lane + (size_t)place;
        int64_t address = r->sum + number[place];
        uint8_t *at;
        if (!access_lane(x, lane, address, &at)) return false;
        copy_element(at, x->raw + lane * x->bytes, x->bytes);
    }
    return true;
}

// From one active place of the last axis to the next, which follows it; 0: that differs.
static int64_t row_step(const AxesAccess *q) {
    const int64_t *x = q->number[q->last] + q->on.place[q->last][0];
    int n = q->on.count[q->last];
    if (!q->together || n < 2 || q->x.bytes != sizeof(float)) return 0;
    for (int i = 2; i < n; i++)
        if (x[i] - x[i - 1] != x[1] - x[0]) return 0;
    return x[1] - x[0];
}

// As stores_agree() in memory.c.
static bool values_stay(AxesAccess *q) {
    Access *x = &q->x;
    const int64_t *number = q->number[q->last];
    Row r = row_first(q);
    do {
        for (int i = 0; i < q->on.count[q->last]; i++) {
            int place = q->on.place[q->last][i];
            size_t lane = r.lane + (size_t)place;
            int64_t offset;
            Storage *m = storage_at(x, r.sum + number[place], &offset);
            uint64_t there = 0, own = 0;
            copy_element(&there, m->data + offset, x->bytes);
            copy_element(&own, x->raw + lane * x->bytes, x->bytes);
            if (there != own) return access_disagrees(x, lane, offset);
        }
    } while (row_next(q, &r));
    return true;
}

static void write_rows(AxesAccess *q, const char *value) {
    Access *x = &q->x;
    const Step *s = x->s;
    size_t n = (size_t)q->tile->shape[q->last];
    Row r = row_first(q);
    do {
        x->v->loops->memory->write[s->dtype](x->raw + r.lane * x->bytes, value + r.lane * s->size, NULL, NULL,
                                             n);
    } while (row_next(q, &r));
}

bool step_store_axes(Vm *v, const Step *s) {
    enum { ROW_MIN = 8 }; // shorter ones go lane by lane in memory.c, too
    int reg = v->code->insn[s->insn].c;
    if (s->pb || !by_axes(v, s, reg)) return written_out(v, s, reg, s->c, step_store);
    AxesAccess q;
    axes_begin(&q, v, s, reg, s->c);
    if (q.on.lanes == 0) return true;
    if (tile_is_run(&q)) return written_out(v, s, reg, s->c, step_store);
    q.x.store = true;
    q.x.raw = v->scratch[0];
    write_rows(&q, access_stored(v, s, (size_t)s->lanes));
    bool runs = q.together && q.tile->shape[q.last] >= ROW_MIN && row_is_run(&q);
    bool apart = runs; // each row lies behind the one before
    int64_t end = INT64_MIN;
    size_t first = (size_t)q.on.place[q.last][0], n = (size_t)q.on.count[q.last];
    sectors_forget(v);
    int64_t step = runs ? 0 : row_step(&q);
    Row r = row_first(&q);
    do {
        if (!runs) {
            if (!(step && store_fresh(&q, &r, step)) && !store_lanes(&q, &r)) return false;
            continue;
        }
        int64_t address = r.sum + q.number[q.last][first];
        q.x.axes = NULL; // the lanes of this row follow each other
        q.x.start = address - (int64_t)((r.lane + first) * q.x.bytes);
        if (!access_move_run(&q.x, r.lane + first, n)) return false;
        apart &= address >= end;
        end = address + (int64_t)(n * q.x.bytes);
    } while (row_next(&q, &r));
    if (!runs) count_sectors(&q);
    if (!apart && !values_stay(&q)) return false;
    v->stored += (int64_t)(q.on.lanes * q.x.bytes);
    v->m->count.bytes_stored += 32 * q.x.sectors;
    return true;
}
