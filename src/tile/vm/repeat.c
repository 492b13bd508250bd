#include "tile/vm/repeat.h"

#include "tile/vm/repeat_proof.h"

enum {
    PERIOD_MAX = 128,  // programs of a block
    EVENTS_MAX = 160,  // runs of bytes that a program accesses, neighbours joined
    FAMILIES_MAX = 64, // programs that differ along the longest axis of the grid alone are one
    BLOCKS_LEAST = 3,  // of programs in a family: of fewer, all run
};

// A run of bytes that each program of a block has accessed.
typedef struct {
    Storage *storage;
    int insn;
    bool store, moved; // moved: of each program at a place of its own
    uint8_t unit;      // bytes of an element in memory
    int64_t step;      // from program to program
    size_t bytes;
    int64_t *at; // of each program of the block
} Event;

typedef struct {
    int64_t instructions, functions, loaded, stored, bytes;
} Work;

struct Repeat {
    int axis, period;
    int64_t length;   // of the grid along the axis
    int64_t families; // and in all other directions
    int64_t *covered; // of each family: so many programs need not run
    RepeatProof proof;
    Event *event;
    int events;
    Work *work; // of the first k programs of the block; period + 1 of them
    // While a program of the block runs: which, the event it is at and how much of that was there.
    int program, at;
    size_t had;
    bool proving, off;
};

// ---- whether, and of what

static int longest_axis(const int64_t grid[3]) {
    int axis = 0;
    for (int k = 1; k < 3; k++)
        if (grid[k] > grid[axis]) axis = k;
    return axis;
}

static int64_t families_of(const int64_t grid[3]) {
    return grid[0] * grid[1] * grid[2] / grid[longest_axis(grid)]; // which fits: vm_launch() has looked
}

static bool worth_it(const Machine *m, const Code *c, const int64_t grid[3]) {
    int64_t length = grid[longest_axis(grid)], period = m->order.period;
    return period > 0 && period <= PERIOD_MAX && length >= BLOCKS_LEAST * period &&
           families_of(grid) <= FAMILIES_MAX && !m->order.sampled && !m->storages.origins &&
           !m->watch.trace && !m->knocked && !c->atomics;
}

size_t repeat_bytes(const Machine *m, const Code *c, const int64_t grid[3]) {
    if (!worth_it(m, c, grid)) return 0;
    size_t period = (size_t)m->order.period;
    return sizeof(Repeat) + FAMILIES_MAX * sizeof(int64_t) + (size_t)c->regs * sizeof(Held) +
           (period + 1) * sizeof(Work) + EVENTS_MAX * (sizeof(Event) + period * sizeof(int64_t)) + 4096;
}

Repeat *repeat_open(Arena *a, const Vm *v) {
    const int64_t grid[3] = {v->grid[0], v->grid[1], v->grid[2]};
    if (!worth_it(v->m, v->code, grid)) return NULL;
    Repeat *r = NEW(a, Repeat);
    r->axis = longest_axis(grid);
    r->length = grid[r->axis];
    r->period = (int)v->m->order.period;
    r->families = families_of(grid);
    r->covered = NEWN(a, int64_t, (size_t)r->families);
    r->proof.reg = NEWN(a, Held, (size_t)v->code->regs + 1);
    r->work = NEWN(a, Work, (size_t)r->period + 1);
    r->event = NEWN(a, Event, EVENTS_MAX);
    int64_t *at = NEWN(a, int64_t, (size_t)EVENTS_MAX * (size_t)r->period);
    for (int e = 0; e < EVENTS_MAX; e++) r->event[e].at = at + (size_t)e * (size_t)r->period;
    return r;
}

// ---- programs by number

// So many programs lie between neighbours along the axis.
static int64_t stride_of(const Vm *v, int axis) {
    int64_t stride = 1;
    for (int k = 0; k < axis; k++) stride *= v->grid[k];
    return stride;
}

static uint64_t number_of(const Vm *v, const Repeat *r, int64_t family, int64_t along) {
    int64_t stride = stride_of(v, r->axis);
    return (uint64_t)(family / stride * stride * r->length + along * stride + family % stride);
}

bool repeat_has(const Repeat *r, const Vm *v, uint64_t number) {
    int64_t stride = stride_of(v, r->axis), n = (int64_t)number;
    int64_t along = n / stride % r->length, family = n / stride / r->length * stride + n % stride;
    return along < r->covered[family];
}

// ---- what the programs of the block do

static bool joins(const Repeat *r, const Event *e, const Storage *m, int insn, bool store, int64_t offset) {
    Held place = r->proof.place;
    return e->storage == m && e->insn == insn && e->store == store && !e->moved && !place.moved &&
           e->step == place.step && e->at[0] + (int64_t)e->bytes == offset;
}

static void note_first(Repeat *r, const Step *s, Storage *m, int64_t offset, size_t size, bool store) {
    if (r->proof.ahead < 0) return;
    if (r->events && joins(r, &r->event[r->events - 1], m, s->insn, store, offset)) {
        r->event[r->events - 1].bytes += size;
        return;
    }
    if (r->events == EVENTS_MAX) {
        r->off = true;
        return;
    }
    Event *e = &r->event[r->events++];
    Held place = r->proof.place;
    e->storage = m;
    e->insn = s->insn;
    e->store = store;
    e->moved = place.moved;
    e->unit = s->bytes;
    e->step = place.kind == HELD_PLACE ? place.step : 0;
    e->bytes = size;
    e->at[0] = offset;
}

// The same, in the same order, at its own place.
static void note_again(Repeat *r, const Step *s, Storage *m, int64_t offset, size_t size, bool store) {
    if (r->at < r->events && r->had == r->event[r->at].bytes) r->at++, r->had = 0;
    Event *e = r->at < r->events ? &r->event[r->at] : NULL;
    if (!e || e->storage != m || e->insn != s->insn || e->store != store || size > e->bytes - r->had) {
        r->off = true;
        return;
    }
    int64_t begins = offset - (int64_t)r->had;
    if (r->had == 0) e->at[r->program] = begins;
    r->off |= e->at[r->program] != begins || (!e->moved && begins != e->at[0] + e->step * r->program);
    r->had += size;
}

void repeat_note(Vm *v, const Step *s, Storage *m, int64_t offset, size_t size, bool store) {
    Repeat *r = v->noting;
    (r->program == 0 ? note_first : note_again)(r, s, m, offset, size, store);
}

void repeat_step(Vm *v, int insn) {
    if (v->noting->proving) proof_step(v, &v->noting->proof, insn);
}

static Work work_done(const Vm *v) {
    const Counters *c = &v->m->count;
    return (Work){c->instructions, c->function_lanes, c->bytes_loaded, c->bytes_stored, v->stored};
}

static void add_work(Work *sum, const Work *from, const Work *to) {
    sum->instructions += to->instructions - from->instructions;
    sum->functions += to->functions - from->functions;
    sum->loaded += to->loaded - from->loaded;
    sum->stored += to->stored - from->stored;
    sum->bytes += to->bytes - from->bytes;
}

static int64_t smaller_of(int64_t x, int64_t y) { return x < y ? x : y; }

// With data in places each program of the block has to be proved, for those that have its data.
static bool run_noted(Vm *v, Repeat *r, int64_t family, int program, RunProgram *run) {
    Work before = work_done(v);
    r->program = program;
    r->at = 0;
    r->had = 0;
    bool again = program > 0 && r->proof.moved;
    r->proving = program == 0 || again;
    int64_t ahead = r->proof.ahead;
    if (again) proof_begin(&r->proof, v->code, r->axis, r->length - program);
    v->noting = r;
    bool ok = run(v, number_of(v, r, family, program));
    v->noting = NULL;
    if (again && r->proof.ahead >= 0) r->proof.ahead = smaller_of(ahead, r->proof.ahead + program);
    Work after = work_done(v);
    r->work[program + 1] = r->work[program];
    add_work(&r->work[program + 1], &before, &after);
    bool all = program == 0 || (r->events == 0 && r->at == 0) ||
               (r->at == r->events - 1 && r->had == r->event[r->at].bytes);
    r->off |= !all || r->proof.ahead < 0;
    return ok;
}

// ---- whether blocks of such programs can be copied

static int64_t end_of(const Event *e) { return e->at[0] + (int64_t)e->bytes; }

// Of all that a program stores in one storage: no other program's lies between, and within it nothing is
// stored twice. Then programs of a block cannot be in each other's way, and neither can a program be in its
// own.
static bool stores_apart(const Repeat *r, const Event *of) {
    int64_t least = of->at[0], most = end_of(of);
    for (const Event *e = r->event; e < r->event + r->events; e++) {
        if (e->storage != of->storage) continue;
        if (!e->store || e->step != of->step) return false;
        if (e != of && e->at[0] < end_of(of) && of->at[0] < end_of(e)) return false;
        if (e->at[0] < least) least = e->at[0];
        if (end_of(e) > most) most = end_of(e);
    }
    int64_t step = of->step < 0 ? -of->step : of->step;
    return most - least <= step;
}

static bool block_repeats(const Repeat *r) {
    for (int k = 0; k < r->events; k++) {
        const Event *e = &r->event[k];
        const Storage *m = e->storage;
        size_t word = (size_t)dtype_bytes(m->dtype);
        if (e->step % e->unit) return false;
        if (!e->store) continue;
        if (!m->shadow || !m->writer || (size_t)e->at[0] % word || e->bytes % word ||
            (e->step < 0 ? -e->step : e->step) % (int64_t)word || !stores_apart(r, e))
            return false;
    }
    return r->events > 0;
}

// ---- a block

typedef struct {
    Vm *v;
    Repeat *r;
    int64_t from; // its first program
    int programs;
    uint32_t serial;
} Block;

// Runs of bytes of all programs of a block, one behind the other: one run.
static bool together(const Event *e) { return !e->moved && e->step == (int64_t)e->bytes; }

static int runs_of(const Block *b, const Event *e) {
    return together(e) || (!e->moved && e->step == 0) ? 1 : b->programs;
}
static size_t run_bytes(const Block *b, const Event *e) {
    return together(e) ? e->bytes * (size_t)b->programs : e->bytes;
}

static bool inside(const Block *b, const Event *e) {
    int64_t further, at, room = (int64_t)e->storage->bytes - (int64_t)e->bytes;
    if (__builtin_mul_overflow(e->step, b->from, &further)) return false;
    for (int k = 0; k < b->programs; k++) {
        if (__builtin_add_overflow(e->at[k], further, &at) || at < 0 || at > room) return false;
        storage_reach(e->storage, (size_t)at + e->bytes);
        if (!e->moved && k == 0) k = b->programs > 1 ? b->programs - 2 : 0; // both ends tell of those between
    }
    return true;
}

static bool untouched(const uint32_t *word, size_t n, uint32_t first) {
    uint32_t touched = 0;
    for (size_t i = 0; i < n; i++) touched |= (uint32_t)((word[i] & ~READER_MANY) >= first);
    return !touched;
}

static size_t word_of(const Storage *m, int64_t offset) {
    return (size_t)offset / (size_t)dtype_bytes(m->dtype);
}
static size_t words_of(const Storage *m, int64_t offset, size_t bytes) {
    return word_of(m, offset + (int64_t)bytes - 1) - word_of(m, offset) + 1;
}

// What the programs would load is what those of the first block have loaded.
static bool loads_same(const Block *b, const Event *e) {
    const Storage *m = e->storage;
    size_t bytes = run_bytes(b, e);
    for (int k = 0; k < runs_of(b, e); k++) {
        int64_t was = e->at[k], at = was + e->step * b->from;
        uint8_t need = SHADOW_ALLOC | SHADOW_INIT;
        if (m->row_pitch && together(e)) return false;
        if ((shadow_flags(b->v->loops, m, (size_t)at, bytes) & need) != need) return false;
        if (m->writer && !untouched(m->writer + word_of(m, at), words_of(m, at, bytes), b->v->first))
            return false;
        if (at != was && memcmp(m->data + at, m->data + was, bytes) != 0) return false;
    }
    return true;
}

static bool stores_allowed(const Block *b, const Event *e) {
    const Storage *m = e->storage;
    size_t bytes = run_bytes(b, e);
    for (int k = 0; k < runs_of(b, e); k++) {
        int64_t at = e->at[k] + e->step * b->from;
        if (!(shadow_flags(b->v->loops, m, (size_t)at, bytes) & SHADOW_ALLOC) ||
            !untouched(m->writer + word_of(m, at), words_of(m, at, bytes), b->v->first) ||
            (m->was_read && !untouched(m->reader + word_of(m, at), words_of(m, at, bytes), b->v->first)))
            return false;
    }
    return true;
}

static void mark_loads(const Block *b, const Event *e) {
    Storage *m = e->storage;
    if (!m->writer) return;
    size_t bytes = run_bytes(b, e);
    storage_read(m);
    for (int k = 0; k < runs_of(b, e); k++) {
        int64_t at = e->at[k] + e->step * b->from;
        (void)b->v->loops->memory->race_read(m->writer + word_of(m, at), m->reader + word_of(m, at),
                                             words_of(m, at, bytes), b->v->first, b->serial);
    }
}

static void copy_stores(const Block *b, const Event *e) {
    Storage *m = e->storage;
    size_t bytes = run_bytes(b, e);
    for (int k = 0; k < runs_of(b, e); k++) {
        int64_t at = e->at[k] + e->step * b->from;
        memcpy(m->data + at, m->data + e->at[k], bytes);
        memset(m->shadow + at, SHADOW_WRITTEN, bytes);
        uint32_t *word = m->writer + word_of(m, at);
        for (size_t i = 0, n = words_of(m, at, bytes); i < n; i++) word[i] = b->serial;
    }
}

// A byte that is looked at, or copied, costs what a lane does.
static int64_t price_of(const Block *b) {
    int64_t bytes = COST_MIN;
    for (int k = 0; k < b->r->events; k++) bytes += (int64_t)b->r->event[k].bytes;
    return bytes * b->programs;
}

static bool block_same(const Block *b) {
    const Repeat *r = b->r;
    if (price_of(b) > b->v->left) return false;
    for (int k = 0; k < r->events; k++)
        if (!inside(b, &r->event[k])) return false;
    for (int k = 0; k < r->events; k++)
        if (!(r->event[k].store ? stores_allowed : loads_same)(b, &r->event[k])) return false;
    return true;
}

static bool copy_block(Vm *v, Repeat *r, int64_t from, int programs) {
    Block b = {v, r, from, programs, 0};
    Machine *m = v->m;
    if (m->race.serial >= READER_MANY - 1 - (uint32_t)programs || !block_same(&b)) return false;
    const Work *w = &r->work[programs];
    b.serial = m->race.serial += (uint32_t)programs;
    for (int k = 0; k < r->events; k++) (r->event[k].store ? copy_stores : mark_loads)(&b, &r->event[k]);
    v->left -= price_of(&b);
    v->stored += w->bytes;
    m->count.programs += programs;
    m->order.repeated += programs;
    m->count.instructions += w->instructions;
    m->count.function_lanes += w->functions;
    m->count.bytes_loaded += w->loaded;
    m->count.bytes_stored += w->stored;
    return true;
}

// ---- all that is left, at once

// What the programs load that are left is what those of the block have loaded, because all of the storage
// repeats itself.
static bool load_repeats(const Repeat *r, const Event *e) {
    const Storage *m = e->storage;
    int64_t block, last, room = (int64_t)m->bytes - (int64_t)e->bytes;
    if (e->step == 0) return true;
    if (e->moved || !m->read_only || !m->open || !m->period || m->copied < m->bytes) return false;
    if (__builtin_mul_overflow(e->step, r->period, &block) || block % (int64_t)m->period) return false;
    if (__builtin_mul_overflow(e->step, r->length - 1, &last)) return false;
    return !__builtin_add_overflow(e->at[0], last, &last) && last >= 0 && last <= room;
}

// From where on the programs store, one behind the other and without gaps; -1: they do not.
static int64_t stored_from(const Repeat *r, const Event *of) {
    const Storage *m = of->storage;
    int64_t least = of->at[0], bytes = 0, end;
    for (const Event *e = r->event; e < r->event + r->events; e++) {
        if (e->storage != m) continue;
        if (e->moved) return -1;
        bytes += (int64_t)e->bytes;
        if (e->at[0] < least) least = e->at[0];
    }
    if (of->step != bytes || !m->solid || m->origin) return -1;
    if (__builtin_mul_overflow(bytes, r->length, &end) || __builtin_add_overflow(end, least, &end)) return -1;
    return end <= (int64_t)m->bytes ? least : -1;
}

static bool first_of_storage(const Repeat *r, const Event *of) {
    for (const Event *e = r->event; e < of; e++)
        if (e->storage == of->storage) return false;
    return true;
}

static void add_rest(Vm *v, const Repeat *r, int64_t programs) {
    int64_t blocks = programs / r->period;
    const Work *block = &r->work[r->period], *part = &r->work[programs % r->period];
    Machine *m = v->m;
    v->stored += blocks * block->bytes + part->bytes;
    m->count.programs += programs;
    m->order.repeated += programs;
    m->count.instructions += blocks * block->instructions + part->instructions;
    m->count.function_lanes += blocks * block->functions + part->functions;
    m->count.bytes_loaded += blocks * block->loaded + part->loaded;
    m->count.bytes_stored += blocks * block->stored + part->stored;
}

// Where nothing but the block has touched what the launch stores to, and all programs are known by it. No
// memory is looked at: that of an answer may come when somebody reads it.
static bool copy_rest(Vm *v, Repeat *r) {
    int64_t programs = r->length - r->period;
    Block b = {v, r, r->period, 1, 0};
    Machine *m = v->m;
    int64_t price;
    if (r->families > 1 || r->proof.ahead < r->length - 1) return false;
    if (programs >= READER_MANY - 1 - (int64_t)m->race.serial) return false;
    if (__builtin_mul_overflow(price_of(&b), programs, &price) || price > v->left) return false;
    for (int k = 0; k < r->events; k++) {
        const Event *e = &r->event[k];
        if (e->store ? stored_from(r, e) < 0 : !load_repeats(r, e)) return false;
    }
    for (int k = 0; k < r->events; k++) {
        const Event *e = &r->event[k];
        if (!e->store || !first_of_storage(r, e)) continue;
        int64_t from = stored_from(r, e), period = e->step * r->period;
        storage_repeat(e->storage, (size_t)period, (size_t)(from + period),
                       (size_t)(from + e->step * r->length), SHADOW_WRITTEN);
    }
    m->race.serial += (uint32_t)programs;
    v->left -= price;
    add_rest(v, r, programs);
    return true;
}

// ---- the launch

static bool run_block(Vm *v, Repeat *r, int64_t family, int64_t from, int64_t programs, RunProgram *run) {
    for (int64_t k = 0; k < programs; k++)
        if (!run(v, number_of(v, r, family, from + k))) return false;
    return true;
}

// The first block runs; each that comes behind it is copied, or runs where that is not allowed.
static bool run_family(Vm *v, Repeat *r, int64_t family, RunProgram *run) {
    enum { FAILS_MAX = 2 };
    int64_t *covered = &r->covered[family], n = r->length;
    r->events = 0;
    proof_begin(&r->proof, v->code, r->axis, n);
    for (int k = 0; k < r->period && !r->off; k++) {
        if (!run_noted(v, r, family, k, run)) return false;
        *covered = k + 1;
        r->off |= r->proof.ahead < (BLOCKS_LEAST - 1) * r->period;
    }
    r->off |= !r->off && !block_repeats(r);
    if (!r->off && copy_rest(v, r)) *covered = n;
    if (r->proof.ahead < n - 1) n = r->proof.ahead + 1;
    for (int fails = 0; !r->off && *covered < n;) {
        int64_t programs = n - *covered < r->period ? n - *covered : r->period;
        if (!copy_block(v, r, *covered, (int)programs)) {
            r->off = ++fails == FAILS_MAX;
            if (!run_block(v, r, family, *covered, programs, run)) return false;
        }
        *covered += programs;
    }
    return true;
}

bool repeat_run(Vm *v, Repeat *r, RunProgram *run) {
    for (int64_t f = 0; f < r->families && !r->off; f++)
        if (!run_family(v, r, f, run)) return false;
    return true;
}

bool repeat_done(const Repeat *r) {
    for (int64_t f = 0; f < r->families; f++)
        if (r->covered[f] < r->length) return false;
    return true;
}
