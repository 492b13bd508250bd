#include "tile/vm/repeat_inside.h"

enum {
    PERIOD_MAX = 128, // teams of a block
    EVENTS_MAX = 512, // runs of bytes that a team accesses, neighbours joined
    MEMBERS_MAX = 64, // programs of a team
    BLOCKS_LEAST = 3, // of a launch: of fewer, all programs run
};

// ---- whether, and of what

static int longest_axis(const int64_t grid[3]) {
    int axis = 0;
    for (int k = 1; k < 3; k++)
        if (grid[k] > grid[axis]) axis = k;
    return axis;
}

static int64_t members_of(const int64_t grid[3]) {
    return grid[0] * grid[1] * grid[2] / grid[longest_axis(grid)]; // which fits: vm_launch() has looked
}

static bool worth_it(const Machine *m, const Code *c, const int64_t grid[3]) {
    int64_t length = grid[longest_axis(grid)], period = m->order.period;
    return period > 0 && period <= PERIOD_MAX && length >= BLOCKS_LEAST * period &&
           members_of(grid) <= MEMBERS_MAX && !m->order.sampled && !m->storages.origins && !m->watch.trace &&
           !m->knocked && !c->atomics;
}

size_t repeat_bytes(const Machine *m, const Code *c, const int64_t grid[3]) {
    if (!worth_it(m, c, grid)) return 0;
    size_t period = (size_t)m->order.period;
    return sizeof(Repeat) + (size_t)c->regs * sizeof(Held) + (period + 1) * sizeof(Work) +
           EVENTS_MAX * (sizeof(Event) + period * sizeof(int64_t)) + 4096;
}

Repeat *repeat_open(Arena *a, const Vm *v) {
    const int64_t grid[3] = {v->grid[0], v->grid[1], v->grid[2]};
    if (!worth_it(v->m, v->code, grid)) return NULL;
    Repeat *r = NEW(a, Repeat);
    r->axis = longest_axis(grid);
    r->length = grid[r->axis];
    r->period = (int)v->m->order.period;
    r->members = members_of(grid);
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

static uint64_t number_of(const Vm *v, const Repeat *r, int64_t member, int64_t along) {
    int64_t stride = stride_of(v, r->axis);
    return (uint64_t)(member / stride * stride * r->length + along * stride + member % stride);
}

bool repeat_has(const Repeat *r, const Vm *v, uint64_t number) {
    int64_t stride = stride_of(v, r->axis), n = (int64_t)number;
    int64_t along = n / stride % r->length, member = n / stride / r->length * stride + n % stride;
    return along < r->covered || (along == r->covered && member < r->part);
}

bool repeat_done(const Repeat *r) { return r->covered == r->length; }

// ---- what the teams of the block do

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
    if (r->had == 0) e->at[r->team] = begins;
    r->off |= e->at[r->team] != begins || (!e->moved && begins != e->at[0] + e->step * r->team);
    r->had += size;
}

void repeat_note(Vm *v, const Step *s, Storage *m, int64_t offset, size_t size, bool store) {
    Repeat *r = v->noting;
    (r->team == 0 ? note_first : note_again)(r, s, m, offset, size, store);
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
static bool run_member(Vm *v, Repeat *r, int64_t member, int team, RunProgram *run) {
    RepeatProof *p = &r->proof;
    bool moved = p->moved;
    int64_t ahead = p->ahead;
    r->proving = team == 0 || moved;
    if (r->proving) proof_begin(p, v->code, r->axis, r->length - team);
    v->noting = r;
    bool ok = run(v, number_of(v, r, member, team));
    v->noting = NULL;
    if (r->proving && p->ahead >= 0) p->ahead = smaller_of(ahead, p->ahead + team);
    p->moved |= moved;
    return ok;
}

static bool run_noted(Vm *v, Repeat *r, int team, RunProgram *run) {
    Work before = work_done(v);
    r->team = team;
    r->at = 0;
    r->had = 0;
    for (int64_t k = 0; k < r->members; k++) {
        if (!run_member(v, r, k, team, run)) return false;
        r->part = k + 1;
        r->off |= r->proof.ahead < (BLOCKS_LEAST - 1) * r->period;
        if (r->off) return true;
    }
    Work after = work_done(v);
    r->work[team + 1] = r->work[team];
    add_work(&r->work[team + 1], &before, &after);
    bool all = team == 0 || (r->events == 0 && r->at == 0) ||
               (r->at == r->events - 1 && r->had == r->event[r->at].bytes);
    r->off |= !all;
    r->covered = team + 1;
    r->part = 0;
    return true;
}

// ---- whether blocks of such teams can be copied

static int64_t end_of(const Event *e) { return e->at[0] + (int64_t)e->bytes; }

// Of all that a team stores in one storage: no other team's lies between, and within it nothing is stored
// twice. Then teams of a block cannot be in each other's way, and neither can the programs of a team.
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
    int64_t from; // its first team
    int teams;
    uint32_t serial;
} Block;

// Runs of bytes of all teams of a block, one behind the other: one run.
static bool together(const Event *e) { return !e->moved && e->step == (int64_t)e->bytes; }

static int runs_of(const Block *b, const Event *e) {
    return together(e) || (!e->moved && e->step == 0) ? 1 : b->teams;
}
static size_t run_bytes(const Block *b, const Event *e) {
    return together(e) ? e->bytes * (size_t)b->teams : e->bytes;
}

// All of the teams are within their storages. What lies between the first and the last of them comes, too:
// reaching both ends alone may leave a gap where the others are.
static bool inside(const Block *b, const Event *e) {
    int64_t further, at, room = (int64_t)e->storage->bytes - (int64_t)e->bytes, least = room, most = 0;
    if (__builtin_mul_overflow(e->step, b->from, &further)) return false;
    for (int k = 0; k < b->teams; k++) {
        if (__builtin_add_overflow(e->at[k], further, &at) || at < 0 || at > room) return false;
        least = smaller_of(at, least);
        most = at > most ? at : most;
        if (!e->moved && k == 0) k = b->teams > 1 ? b->teams - 2 : 0; // both ends tell of those between
    }
    (e->store ? storage_change : storage_reach)(e->storage, (size_t)least, (size_t)most + e->bytes);
    return true;
}

bool words_untouched(const uint32_t *word, size_t n, uint32_t first) {
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
        if (m->writer && !words_untouched(m->writer + word_of(m, at), words_of(m, at, bytes), b->v->first))
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
            !words_untouched(m->writer + word_of(m, at), words_of(m, at, bytes), b->v->first) ||
            (m->was_read &&
             !words_untouched(m->reader + word_of(m, at), words_of(m, at, bytes), b->v->first)))
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
int64_t team_price(const Repeat *r) {
    int64_t bytes = COST_MIN * r->members;
    for (int k = 0; k < r->events; k++) bytes += (int64_t)r->event[k].bytes;
    return bytes;
}
static int64_t price_of(const Block *b) { return team_price(b->r) * b->teams; }

static bool block_same(const Block *b) {
    const Repeat *r = b->r;
    if (price_of(b) > b->v->left) return false;
    for (int k = 0; k < r->events; k++)
        if (!inside(b, &r->event[k])) return false;
    for (int k = 0; k < r->events; k++)
        if (!(r->event[k].store ? stores_allowed : loads_same)(b, &r->event[k])) return false;
    return true;
}

void repeat_count(Vm *v, const Repeat *r, int64_t teams) {
    int64_t blocks = teams / r->period, programs = teams * r->members;
    const Work *block = &r->work[r->period], *part = &r->work[teams % r->period];
    Machine *m = v->m;
    m->race.serial += (uint32_t)programs;
    v->left -= team_price(r) * teams;
    v->stored += blocks * block->bytes + part->bytes;
    m->count.programs += programs;
    m->order.repeated += programs;
    m->count.instructions += blocks * block->instructions + part->instructions;
    m->count.function_lanes += blocks * block->functions + part->functions;
    m->count.bytes_loaded += blocks * block->loaded + part->loaded;
    m->count.bytes_stored += blocks * block->stored + part->stored;
}

static bool copy_block(Vm *v, Repeat *r, int64_t from, int teams) {
    Block b = {v, r, from, teams, 0};
    uint32_t programs = (uint32_t)(teams * r->members);
    if (v->m->race.serial >= READER_MANY - 1 - programs || !block_same(&b)) return false;
    b.serial = v->m->race.serial + programs;
    for (int k = 0; k < r->events; k++) (r->event[k].store ? copy_stores : mark_loads)(&b, &r->event[k]);
    repeat_count(v, r, teams);
    return true;
}

// ---- the launch

static bool run_block(Vm *v, Repeat *r, int64_t teams, RunProgram *run) {
    for (int64_t k = 0; k < teams; k++, r->covered++)
        for (int64_t member = 0; member < r->members; member++)
            if (!run(v, number_of(v, r, member, r->covered))) return false;
    return true;
}

// Each block behind the first is copied, or runs where that is not allowed.
static bool run_blocks(Vm *v, Repeat *r, int64_t end, RunProgram *run) {
    enum { FAILS_MAX = 2 };
    for (int fails = 0; !r->off && r->covered < end;) {
        int64_t teams = smaller_of(end - r->covered, r->period);
        if (copy_block(v, r, r->covered, (int)teams)) {
            r->covered += teams;
            continue;
        }
        r->off = ++fails == FAILS_MAX;
        if (!run_block(v, r, teams, run)) return false;
    }
    return true;
}

bool repeat_run(Vm *v, Repeat *r, RunProgram *run) {
    r->proof.ahead = r->length - 1;
    for (int k = 0; k < r->period && !r->off; k++)
        if (!run_noted(v, r, k, run)) return false;
    if (r->off || !block_repeats(r)) return true;
    int64_t end = smaller_of(r->length, r->proof.ahead + 1);
    if (repeat_rest(v, r, end)) r->covered = end;
    return run_blocks(v, r, end, run);
}
