#include "tile/vm/lanes.h"

#include "tile/vm/steps.h"

size_t lanes_log_bytes(void) { return 3 * (LANE_RUNS_MAX + 1) * sizeof(LaneRun) + 128; }

void lanes_init(Arena *a, LaneLog *log) {
    *log = (LaneLog){0};
    log->wrote.run = arena_raw(a, (LANE_RUNS_MAX + 1) * sizeof(LaneRun), 64);
    log->read.run = arena_raw(a, (LANE_RUNS_MAX + 1) * sizeof(LaneRun), 64);
    log->changed.run = arena_raw(a, (LANE_RUNS_MAX + 1) * sizeof(LaneRun), 64);
}

bool step_barrier(Vm *v, const Step *s) {
    (void)s;
    lanes_forget(&v->log);
    v->deferred.barriers++;
    return true;
}

uint32_t lanes_shape(const TileType *t) {
    uint32_t shape = 1;
    for (int i = 0; i < t->rank; i++)
        if (t->shape[i] != 1) shape = shape * 0x9e3779b1u + (uint32_t)t->shape[i];
    return shape;
}

static bool complete(const LaneRuns *r) { return r->n <= LANE_RUNS_MAX; }

void lanes_join(LaneRuns *runs, int from) {
    if (runs->n <= from || !complete(runs)) return lanes_note(runs);
    LaneRun *last = &runs->run[runs->n - 1], *run = lanes_slot(runs);
    int64_t step = run->at - last->at - (int64_t)(last->n - 1) * last->stride;
    bool follows =
        last->storage == run->storage && last->lane + last->n == run->lane && step >= (int64_t)run->bytes;
    if (!follows || (last->n > 1 && last->stride != step)) return lanes_note(runs);
    last->stride = step;
    last->n++;
}

// Wherever the two meet on an element, it is in the same lane.
static bool agree(const LaneRun *a, const LaneRun *b) {
    return a->shape == b->shape && a->shape != LANES_ANY && a->bytes == b->bytes && a->stride == b->stride &&
           b->at - a->at == ((int64_t)b->lane - (int64_t)a->lane) * a->stride;
}

static bool covers(const LaneRun *all, const LaneRun *part) {
    return all->storage == part->storage && agree(all, part) && part->lane >= all->lane &&
           part->lane + part->n <= all->lane + all->n;
}

static bool overlaps(const LaneRun *a, const LaneRun *b) {
    return a->storage == b->storage && a->at < b->at + (int64_t)(b->n - 1) * b->stride + b->bytes &&
           b->at < a->at + (int64_t)(a->n - 1) * a->stride + a->bytes;
}

static int64_t floor_div(int64_t a, int64_t b) { return a >= 0 ? a / b : -((b - 1 - a) / b); }

// Does run r hold bytes of the element of `size` bytes at `at`? *same: yes, and in this lane of this shape.
static bool holds(const LaneRun *r, const LaneRun *x, int64_t at, uint32_t lane, bool *same) {
    int64_t first = floor_div(at - r->bytes - r->at, r->stride) + 1,
            last = floor_div(at + x->bytes - 1 - r->at, r->stride);
    if (first < 0) first = 0;
    if (last > (int64_t)r->n - 1) last = (int64_t)r->n - 1;
    *same =
        first == last && r->shape == x->shape && r->shape != LANES_ANY && r->lane + (uint32_t)first == lane;
    return first <= last;
}

// "load of" an element, which another lane has "stored"; "it may still hold the old value".
typedef struct {
    const char *what, *did, *effect;
} Clash;

static bool found(Vm *v, const Step *s, const LaneRun *run, uint32_t i, Clash x) {
    int64_t at = run->at + (int64_t)i * run->stride;
    return vm_finding(v, s, DIAG_RACE, run->lane + i,
                      "%s element offset %lld, which another lane of this program has %s; without a "
                      "tl.debug_barrier() between, %s",
                      x.what, (long long)(at / run->bytes), x.did, x.effect);
}

// Passes follow one another in the order in which their stores came: the run after the last one found is
// tried first.
static bool hit(Vm *v, LaneRuns *runs, int n, const LaneRun *run) {
    for (int k = 0; k < 2; k++) {
        int at = runs->hint + k;
        if (at < n && covers(&runs->run[at], run)) return runs->hint = at, true;
    }
    for (int k = n - 1; k >= 0; k--) {
        if (!covers(&runs->run[k], run)) continue;
        v->owed += (n - k) / 4;
        return runs->hint = k, true;
    }
    v->owed += n / 4;
    return false;
}

// Has another lane's atomic changed an element of the run? What did: *i.
static bool changed_by_other(Vm *v, const LaneRun *run, uint32_t *i) {
    const LaneRuns *changed = &v->log.changed;
    if (!complete(changed)) return false;
    v->owed += changed->n / 4;
    for (int k = 0; k < changed->n; k++) {
        const LaneRun *r = &changed->run[k];
        if (!overlaps(r, run) || agree(r, run)) continue;
        v->owed += run->n;
        for (*i = 0; *i < run->n; ++*i) {
            bool own;
            if (holds(r, run, run->at + (int64_t)*i * run->stride, run->lane + *i, &own) && !own) return true;
        }
    }
    return false;
}

static bool touched_by_other(Vm *v, const LaneRun *run, const LaneRuns *runs) {
    bool any = false, own = false;
    if (!complete(runs)) return false;
    v->owed += runs->n / 4;
    for (int k = 0; k < runs->n && !own; k++)
        any |= runs->run[k].storage == run->storage && holds(&runs->run[k], run, run->at, run->lane, &own);
    return any && !own;
}

bool lanes_atomic(Vm *v, const Step *s, Storage *m, int64_t offset, uint32_t lane, bool plain) {
    LaneRuns *changed = &v->log.changed;
    LaneRun *run = lanes_slot(changed);
    *run = (LaneRun){m, offset, s->bytes, lane, 1, s->bytes, s->shape};
    if (plain && touched_by_other(v, run, &v->log.wrote))
        return found(v, s, run, 0, (Clash){"atomic on", "stored", "that store may come later"});
    if (plain && touched_by_other(v, run, &v->log.read))
        return found(v, s, run, 0, (Clash){"atomic on", "loaded", "that load may see the new value"});
    // All threads wait for a single one whose result is used.
    if (s->lanes > 1 || s->imm & ATOMIC_UNSEEN) lanes_join(changed, 0);
    return true;
}

bool lanes_load(Vm *v, const Step *s, const LaneRun *run, int from) {
    LaneRuns *wrote = &v->log.wrote;
    uint32_t other;
    if (v->log.changed.n && changed_by_other(v, run, &other))
        return found(v, s, run, other,
                     (Clash){"load of", "changed by an atomic", "it may still hold the old value"});
    if (!complete(wrote) || (!s->dealt && hit(v, wrote, from, run))) return true;
    v->owed += (int64_t)run->n * from / 4;
    for (uint32_t i = 0; i < run->n; i++) {
        bool any = false, own = false;
        for (int k = 0; k < from && !own; k++)
            any |= wrote->run[k].storage == run->storage &&
                   holds(&wrote->run[k], run, run->at + (int64_t)i * run->stride, run->lane + i, &own);
        if (any && s->dealt)
            return found(
                v, s, run, i,
                (Clash){"load of", "stored",
                        "it may still hold the old value: beside narrower elements, Triton gives each thread "
                        "more lanes of a load than of a store"});
        if (any && !own)
            return found(v, s, run, i, (Clash){"load of", "stored", "it may still hold the old value"});
    }
    return true;
}

// Storing the value that is there disturbs nobody.
static bool same_value(const LaneRun *run, uint32_t i, const char *fresh) {
    const uint8_t *at = run->storage->data + run->at + (int64_t)i * run->stride;
    return memcmp(at, fresh + (size_t)i * run->bytes, run->bytes) == 0;
}

static bool stores_over(Vm *v, const Step *s, const LaneRun *run, const LaneRuns *runs, int n,
                        LaneValues value) {
    v->owed += n / 4;
    for (int k = 0; k < n; k++) {
        const LaneRun *r = &runs->run[k];
        if (!overlaps(r, run) || agree(r, run)) continue;
        v->owed += run->n;
        if (!value.fresh) {
            v->loops->memory->write[s->dtype](v->scratch[0], value.lanes, NULL, NULL, run->n);
            value.fresh = v->scratch[0];
        }
        for (uint32_t i = 0; i < run->n; i++) {
            bool own;
            if (!holds(r, run, run->at + (int64_t)i * run->stride, run->lane + i, &own) || own) continue;
            bool read = runs == &v->log.read;
            if (same_value(run, i, value.fresh))
                v->log.mixed |= !read;
            else if (read)
                return found(v, s, run, i, (Clash){"store to", "loaded", "that load may see the new value"});
            else
                return found(v, s, run, i,
                             (Clash){"store to", "stored with another value", "either of them may stay"});
        }
    }
    return true;
}

bool lanes_store(Vm *v, const Step *s, const LaneRun *run, int from, LaneValues value, uint32_t race) {
    LaneLog *log = &v->log;
    uint32_t other;
    if ((race & RACE_WROTE) && log->changed.n && changed_by_other(v, run, &other))
        return found(v, s, run, other,
                     (Clash){"store to", "changed by an atomic", "either of them may stay"});
    // As long as no element has two lanes, the one that is found is the only one.
    if ((race & RACE_WROTE) && complete(&log->wrote) && (log->mixed || !hit(v, &log->wrote, from, run)) &&
        !stores_over(v, s, run, &log->wrote, from, value))
        return false;
    return !(race & RACE_READ) || !complete(&log->read) ||
           stores_over(v, s, run, &log->read, log->read.n, value);
}
