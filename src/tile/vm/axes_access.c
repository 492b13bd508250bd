// axes_access.c - loads and stores whose address is kept by axis (compute/axes.c). The active lanes are the
// product of the active places along each axis, so that those of a small corner of a large tile are met
// alone. What is met, in which order, and what is noted of it is what memory.c would do with all lanes; where
// something is wrong, or unusual, the address and the mask are written out and memory.c does it.
#include "tile/vm/axes_access.h"
#include "tile/vm/steps.h"

void axes_begin(AxesAccess *q, Vm *v, const Step *s, int mask_reg, const void *mask) {
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

bool axes_written_out(Vm *v, const Step *s, int mask_reg, const void *mask, StepFn *plain) {
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

bool axes_fit(const Vm *v, const Step *s, int reg) {
    const Register *m = reg >= 0 ? &v->code->reg[reg] : NULL;
    if (v->code->wild[v->code->insn[s->insn].a]) return false;
    return !m || (!m->tainted && (m->by_axes || tile_lanes(&m->type) == 1));
}

bool axes_row_is_run(const AxesAccess *q) {
    const int64_t *x = q->number[q->last];
    for (int i = 1; i < q->tile->shape[q->last]; i++)
        if (x[i] - x[i - 1] != (int64_t)q->x.bytes) return false;
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

// ---- short rows

// Rows of a few lanes cost more than their lanes. Where the last axis has few places it is joined with the
// one before it: a place of both is a place of the new last axis, and lanes come in the same order.
enum { ROW_LONG = 32, RUN_LONG = 16, JOINED_MAX = 512 };
typedef struct {
    int64_t number[JOINED_MAX]; // of active places alone
    int16_t place[JOINED_MAX];
} Joined;

// The active places of the last axis follow each other, here and in memory.
static bool active_are_run(const AxesAccess *q) {
    const int64_t *x = q->number[q->last];
    const int16_t *place = q->on.place[q->last];
    if (!q->together) return false;
    for (int i = place[0] + 1; i < place[0] + q->on.count[q->last]; i++)
        if (x[i] - x[i - 1] != (int64_t)q->x.bytes) return false;
    return true;
}

static bool joins(const AxesAccess *q, int64_t places) {
    return q->last > 0 && places <= JOINED_MAX &&
           q->on.count[q->last] < (active_are_run(q) ? RUN_LONG : ROW_LONG);
}

static void join_last(AxesAccess *q, Joined *to) {
    int k = q->last - 1, n = 0, most = q->on.count[q->last];
    const int16_t *outer = q->on.place[k], *inner = q->on.place[q->last];
    for (int i = 0; i < q->on.count[k]; i++)
        for (int j = 0; j < most; j++) {
            int place = outer[i] * (int)q->stride[k] + inner[j];
            to->place[n++] = (int16_t)place;
            to->number[place] =
                (int64_t)((uint64_t)q->number[k][outer[i]] + (uint64_t)q->number[q->last][inner[j]]);
        }
    q->last = k;
    q->on.count[k] = n;
    q->on.place[k] = to->place;
    q->number[k] = to->number;
    q->stride[k] = 1;
    q->together = to->place[n - 1] - to->place[0] == n - 1;
}

// Two rooms, by turns: what is joined may be joined once more.
static void join_rows(AxesAccess *q, Joined room[2]) {
    int64_t places = q->tile->shape[q->last];
    for (int i = 0; q->last > 0; i++) {
        places *= q->tile->shape[q->last - 1];
        if (!joins(q, places)) return;
        join_last(q, &room[i % 2]);
    }
}

// ---- sectors

// In the order of the lanes; consecutive lanes in one sector meet it once.
static void meet_sectors(AxesAccess *q) {
    Access *x = &q->x;
    const int64_t *number = q->number[q->last];
    const int16_t *place = q->on.place[q->last];
    uint64_t *const slots = x->v->sectors, mark = x->v->sector_mark, *slot;
    uint64_t last = x->last;
    int64_t new = 0;
    int n = q->on.count[q->last];
    bool run = active_are_run(q);
    Row r = row_first(q);
    do {
        uint64_t sector = sector_of(r.sum + number[place[0]]), end = sector_of(r.sum + number[place[n - 1]]);
        for (; run && sector <= end; sector++) {
            if (sector == last) continue;
            last = sector;
            slot = &slots[sector % SECTOR_SLOTS];
            new += *slot != (sector | mark);
            *slot = sector | mark;
        }
        for (int i = 0; !run && i < n; i++) {
            sector = sector_of(r.sum + number[place[i]]);
            if (sector == last) continue;
            last = sector;
            slot = &slots[sector % SECTOR_SLOTS];
            new += *slot != (sector | mark);
            *slot = sector | mark;
        }
    } while (row_next(q, &r));
    x->last = last;
    x->sectors += new;
}

// How many sectors an access meets follows from how its active lanes lie to each other, and from where the
// first of them lies in its sector: the same few shapes come again in every program. One is kept for each
// place of a table.
enum { SHAPE_BITS = 8, SHAPES = 1 << SHAPE_BITS, SHAPE_PLACES = 160 };
typedef struct {
    int32_t n; // places, with the numbers that tell how many there are on each axis; 0: nothing is kept
    int32_t sectors;
} SectorShape;
struct SectorShapes {
    SectorShape at[SHAPES];
    int64_t (*key)[SHAPE_PLACES]; // of each
};

size_t shapes_bytes(const Code *c) {
    bool any = false;
    for (int r = 0; r < c->regs; r++) any |= c->reg[r].form == FORM_AXES;
    return any ? sizeof(SectorShapes) + SHAPES * SHAPE_PLACES * sizeof(int64_t) + 128 : 0;
}

void shapes_open(Arena *a, Vm *v) {
    if (!shapes_bytes(v->code)) return;
    v->shapes = NEW(a, SectorShapes);
    v->shapes->key = arena_raw(a, SHAPES * sizeof *v->shapes->key, 64);
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

// Of an access that is in the table: the sectors it meets. Otherwise NULL, or, where nobody has met them yet,
// the place for them; *found false.
static SectorShape *shape_find(const AxesAccess *q, bool *found) {
    Vm *v = q->x.v;
    int64_t key[SHAPE_PLACES];
    int n = v->shapes ? shape_of(q, key) : 0;
    *found = false;
    if (n == 0) return NULL;
    uint64_t hash = (uint64_t)key[0];
    for (int i = 1; i < n; i++) hash = (hash ^ (uint64_t)key[i]) * 0x9e3779b97f4a7c15u;
    const size_t at = hash >> (64 - SHAPE_BITS);
    SectorShape *shape = &v->shapes->at[at];
    *found = shape->n == n && memcmp(v->shapes->key[at], key, (size_t)n * sizeof *key) == 0;
    if (*found) return shape;
    shape->n = n;
    memcpy(v->shapes->key[at], key, (size_t)n * sizeof *key);
    return shape;
}

// By now rows may have been joined.
static void count_found(AxesAccess *q, SectorShape *shape, bool found) {
    if (!found) meet_sectors(q);
    if (found)
        q->x.sectors = shape->sectors;
    else if (shape)
        shape->sectors = (int32_t)q->x.sectors;
}

void axes_count_sectors(AxesAccess *q) {
    bool found;
    SectorShape *shape = shape_find(q, &found);
    count_found(q, shape, found);
}

// ---- the rows of a load

// How the elements of each row lie to its first active one.
typedef struct {
    bool run;     // behind each other
    size_t first; // the first active place; `span` up to the last one
    size_t span;
    int32_t offset[AXES_PLACES_MAX]; // of each place from the first on. One that is not active: 0
    uint8_t active[AXES_PLACES_MAX];
} RowShape;

static bool row_shape(const AxesAccess *q, RowShape *p) {
    const int64_t *number = q->number[q->last];
    const int16_t *place = q->on.place[q->last];
    int n = q->on.count[q->last], first = place[0];
    p->run = active_are_run(q);
    p->first = (size_t)first;
    p->span = (size_t)(place[n - 1] - first + 1);
    if (p->run) return true;
    if (!q->together) {
        memset(p->offset, 0, p->span * sizeof *p->offset);
        memset(p->active, 0, p->span);
    }
    for (int i = 0; i < n; i++) {
        int64_t further = number[place[i]] - number[first];
        if (further != (int32_t)further) return false;
        p->offset[place[i] - first] = (int32_t)further;
        p->active[place[i] - first] = 1;
    }
    return true;
}

// Of an element the bits are those of a lane.
static bool is_plain(const Step *s) { return s->dtype == DT_F32 || s->dtype == DT_I32 || s->dtype == DT_U32; }

static void load_row(const AxesAccess *q, const RowShape *p, const uint8_t *from, size_t lane) {
    const Step *s = q->x.s;
    Vm *v = q->x.v;
    LoopFn *read = v->loops->memory->read[s->dtype];
    char *d = (char *)s->d + lane * s->size, *raw = v->scratch[0], *lanes = v->scratch[1];
    if (p->run) {
        read(d, from, NULL, NULL, p->span);
    } else if (q->together && is_plain(s)) {
        v->loops->memory->pick[q->x.bytes](d, from, p->offset, p->span);
    } else {
        v->loops->memory->pick[q->x.bytes](raw, from, p->offset, p->span);
        read(q->together ? d : lanes, raw, NULL, NULL, p->span);
        if (!q->together) v->loops->op[INSN_WHERE][s->dtype][0](d, p->active, lanes, d, p->span);
    }
    if (s->pd && q->together)
        memset(s->pd + lane, 0, p->span);
    else if (s->pd)
        for (size_t i = 0; i < p->span; i++) s->pd[lane + i] &= (uint8_t)(p->active[i] - 1);
}

static bool load_rows(AxesAccess *q, const Storage *m) {
    const int64_t base = ((int64_t)m->id << ADDRESS_BITS) + ADDRESS_BIAS;
    RowShape p;
    if (!row_shape(q, &p)) return false;
    int64_t start = q->number[q->last][p.first] - base;
    Row r = row_first(q);
    do load_row(q, &p, m->data + (r.sum + start), r.lane + p.first);
    while (row_next(q, &r));
    return true;
}

bool step_load_axes(Vm *v, const Step *s) {
    int reg = v->code->insn[s->insn].b;
    size_t n = (size_t)s->lanes, from, bytes = 0;
    if (!axes_fit(v, s, reg)) return axes_written_out(v, s, reg, s->b, step_load);
    AxesAccess q;
    axes_begin(&q, v, s, reg, s->b);
    const Storage *m = NULL;
    if (q.on.lanes > 0) {
        m = input_of(&q, &from, &bytes);
        if (!m || !all_defined(&q, m, from, bytes)) return axes_written_out(v, s, reg, s->b, step_load);
    }
    if (q.on.lanes < n) access_fill_idle(v, s, n, NULL);
    if (q.on.lanes == 0) return true;
    sectors_forget(v);
    bool found = false;
    SectorShape *shape = q.together && axes_row_is_run(&q) ? NULL : shape_find(&q, &found);
    Joined room[2];
    if (bytes <= INT32_MAX) join_rows(&q, room); // offsets have 32 bits
    if (!load_rows(&q, m)) {
        if (shape && !found) shape->n = 0;
        return axes_written_out(v, s, reg, s->b, step_load);
    }
    count_found(&q, shape, found);
    v->m->count.bytes_loaded += 32 * q.x.sectors;
    return true;
}
