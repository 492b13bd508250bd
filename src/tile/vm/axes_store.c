// axes_store.c - stores whose address is kept by axis (axes_access.c).
#include "tile/vm/axes_access.h"
#include "tile/vm/steps.h"

// The same of all lanes of the tile.
static bool tile_is_run(const AxesAccess *q) {
    for (int k = 0; k < q->tile->rank; k++)
        for (int i = 1; i < q->tile->shape[k]; i++)
            if (q->number[k][i] - q->number[k][i - 1] != (int64_t)(q->stride[k] * q->x.bytes)) return false;
    return true;
}

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

// ---- tiles that nobody has touched

// A store of 4-byte elements whose active places lie evenly along each axis, one axis without gaps in memory,
// and no two lanes on one element: as a tile of a tensor does whose axes come in another order than the
// lanes'. `axis`: from the least step to the largest. Its elements are checked and moved along axis[0].
typedef struct {
    int axis[TILE_RANK_MAX], axes; // those with several active places
    int64_t step[TILE_RANK_MAX];   // by axis; in bytes
    Storage *storage;
    int64_t offset; // of the first active lane
    size_t lane;
} Even;

enum { EVEN_BYTES = 4, EVEN_ROW_MIN = 4 };

static bool evenly(const AxesAccess *q, Even *e) {
    e->axes = 0;
    for (int k = 0; k < q->tile->rank; k++) {
        const int64_t *x = q->number[k];
        const int16_t *place = q->on.place[k];
        int n = q->on.count[k];
        if (place[n - 1] - place[0] != n - 1) return false;
        if (n == 1) continue;
        x += place[0];
        e->step[k] = x[1] - x[0];
        for (int i = 2; i < n; i++)
            if (x[i] - x[i - 1] != e->step[k]) return false;
        int at = e->axes++;
        for (; at > 0 && e->step[e->axis[at - 1]] > e->step[k]; at--) e->axis[at] = e->axis[at - 1];
        e->axis[at] = k;
    }
    return e->axes > 0 && e->step[e->axis[0]] == EVEN_BYTES && q->on.count[e->axis[0]] >= EVEN_ROW_MIN;
}

// Each step is longer than all that lies within it. *bytes: from the first element to the end of the last.
static bool lanes_apart(const AxesAccess *q, const Even *e, int64_t *bytes) {
    int64_t length = EVEN_BYTES;
    for (int i = 0; i < e->axes; i++) {
        int64_t step = e->step[e->axis[i]];
        if (step < length || step > INT32_MAX) return false;
        length += step * (q->on.count[e->axis[i]] - 1); // below 2^31 * 2^11, each at most doubles the next
    }
    *bytes = length;
    return true;
}

static bool even_storage(AxesAccess *q, Even *e) {
    int64_t bytes, first = 0;
    Vm *v = q->x.v;
    if (q->x.bytes != EVEN_BYTES || v->noting || v->code->atomics || !evenly(q, e) ||
        !lanes_apart(q, e, &bytes))
        return false;
    e->lane = 0;
    for (int k = 0; k < q->tile->rank; k++) {
        first += q->number[k][q->on.place[k][0]];
        e->lane += (size_t)q->on.place[k][0] * q->stride[k];
    }
    Storage *m = e->storage = storage_at(&q->x, first, &e->offset);
    return m && e->offset >= 0 && bytes <= (int64_t)m->bytes - e->offset && e->offset % EVEN_BYTES == 0 &&
           m->shadow && m->writer && !m->read_only && !m->origin && dtype_bytes(m->dtype) == EVEN_BYTES;
}

// Rows along axis[0], one after the other.
typedef struct {
    int at[TILE_RANK_MAX];
    int64_t offset;
    size_t lane;
} EvenRow;

static bool even_next(const AxesAccess *q, const Even *e, EvenRow *r) {
    for (int i = 1; i < e->axes; i++) {
        int k = e->axis[i];
        r->offset += e->step[k];
        r->lane += q->stride[k];
        if (++r->at[i] < q->on.count[k]) return true;
        r->offset -= e->step[k] * r->at[i];
        r->lane -= q->stride[k] * (size_t)r->at[i];
        r->at[i] = 0;
    }
    return false;
}

static bool row_is_fresh(const AxesAccess *q, const Storage *m, size_t offset, size_t n) {
    const Vm *v = q->x.v;
    const uint32_t *writer = m->writer + offset / EVEN_BYTES, *reader = m->reader + offset / EVEN_BYTES;
    uint32_t touched = 0;
    for (size_t i = 0; i < n; i++) touched |= (uint32_t)(writer[i] >= v->first);
    for (size_t i = 0; m->was_read && i < n; i++)
        touched |= (uint32_t)((reader[i] & ~READER_MANY) >= v->first);
    return !touched && (v->loops->memory->all_flags(m->shadow + offset, n * EVEN_BYTES) & SHADOW_ALLOC);
}

static void note_lanes(AxesAccess *q, const Even *e) {
    Row r = row_first(q);
    int64_t step = q->on.count[q->last] > 1 ? e->step[q->last] : 0,
            first = q->number[q->last][q->on.place[q->last][0]], offset;
    do {
        (void)storage_at(&q->x, r.sum + first, &offset);
        note_row(q, e->storage, offset, r.lane + (size_t)q->on.place[q->last][0], step);
    } while (row_next(q, &r));
}

// Elements that nobody has touched in this launch: what access_lane() does with each of them. False, and
// nothing is changed, where they are anything else.
static bool store_even(AxesAccess *q) {
    Even e;
    if (!even_storage(q, &e)) return false;
    Storage *m = e.storage;
    int inner = e.axis[0];
    size_t n = (size_t)q->on.count[inner], apart = q->stride[inner] * EVEN_BYTES;
    int32_t from[AXES_PLACES_MAX];
    for (size_t i = 0; i < n; i++) from[i] = (int32_t)(i * apart);
    EvenRow r = {.offset = e.offset, .lane = e.lane};
    bool fresh = true;
    do {
        storage_change(m, (size_t)r.offset, (size_t)r.offset + n * EVEN_BYTES);
        fresh &= row_is_fresh(q, m, (size_t)r.offset, n);
        __builtin_prefetch(m->data + r.offset, 1);
    } while (even_next(q, &e, &r));
    if (!fresh) return false;
    r = (EvenRow){.offset = e.offset, .lane = e.lane};
    do {
        uint32_t *writer = m->writer + r.offset / EVEN_BYTES;
        for (size_t i = 0; i < n; i++) writer[i] = q->x.v->serial;
        memset(m->shadow + r.offset, SHADOW_WRITTEN, n * EVEN_BYTES);
        const uint8_t *raw = (const uint8_t *)q->x.raw + r.lane * EVEN_BYTES;
        if (apart == EVEN_BYTES)
            memcpy(m->data + r.offset, raw, n * EVEN_BYTES);
        else
            q->x.v->loops->memory->pick[EVEN_BYTES](m->data + r.offset, raw, from, n);
    } while (even_next(q, &e, &r));
    note_lanes(q, &e);
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

enum { ROW_MIN = 8 }; // shorter ones go lane by lane in memory.c, too

static void write_rows(AxesAccess *q, const char *value) {
    Access *x = &q->x;
    const Step *s = x->s;
    size_t n = (size_t)q->tile->shape[q->last];
    if (n < ROW_MIN || q->on.lanes == (size_t)s->lanes) { // of a few lanes too many are sooner written, too
        x->v->loops->memory->write[s->dtype](x->raw, value, NULL, NULL, (size_t)s->lanes);
        return;
    }
    Row r = row_first(q);
    do {
        x->v->loops->memory->write[s->dtype](x->raw + r.lane * x->bytes, value + r.lane * s->size, NULL, NULL,
                                             n);
    } while (row_next(q, &r));
}

static bool counted(const AxesAccess *q) {
    Vm *v = q->x.v;
    v->stored += (int64_t)(q->on.lanes * q->x.bytes);
    v->m->count.bytes_stored += 32 * q->x.sectors;
    return true;
}

bool step_store_axes(Vm *v, const Step *s) {
    int reg = v->code->insn[s->insn].c;
    if (s->pb || !axes_fit(v, s, reg)) return axes_written_out(v, s, reg, s->c, step_store);
    AxesAccess q;
    axes_begin(&q, v, s, reg, s->c);
    if (q.on.lanes == 0) return true;
    if (tile_is_run(&q)) return axes_written_out(v, s, reg, s->c, step_store);
    q.x.store = true;
    q.x.raw = v->scratch[0];
    write_rows(&q, access_stored(v, s, (size_t)s->lanes));
    bool runs = q.together && q.tile->shape[q.last] >= ROW_MIN && axes_row_is_run(&q);
    bool apart = runs; // each row lies behind the one before
    int64_t end = INT64_MIN;
    size_t first = (size_t)q.on.place[q.last][0], n = (size_t)q.on.count[q.last];
    sectors_forget(v);
    int64_t step = runs ? 0 : row_step(&q);
    if (!runs && store_even(&q)) {
        axes_count_sectors(&q);
        return counted(&q);
    }
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
    if (!apart && !values_stay(&q)) return false;
    if (!runs) axes_count_sectors(&q);
    return counted(&q);
}
