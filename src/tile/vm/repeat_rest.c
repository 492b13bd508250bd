// All teams behind the first block at once: what follows from sizes alone, where it is known of the storages
// that they repeat themselves. Bytes come when somebody looks (storage_reach()).
#include "tile/vm/repeat_inside.h"

// Where the last of `end` teams begins.
static bool last_at(const Event *e, int64_t end, int64_t *last) {
    return !__builtin_mul_overflow(e->step, end - 1, last) && !__builtin_add_overflow(e->at[0], *last, last);
}

// The teams load what those of the block have loaded. Who has read what is not noted: no program that is left
// may store there.
static bool load_repeats(const Vm *v, const Repeat *r, const Event *e, int64_t end) {
    enum { NEED = SHADOW_ALLOC | SHADOW_INIT };
    const Storage *m = e->storage;
    int64_t block, last, first = e->at[0];
    if (e->step == 0) return true; // and of the same place, which the block has shown
    if (e->moved || !m->steady_to || !last_at(e, end, &last)) return false;
    if (__builtin_mul_overflow(e->step, r->period, &block) || block % (int64_t)m->period) return false;
    if (!m->open && ((m->copied_flags & NEED) != NEED || m->copied_by >= v->first || end < r->length))
        return false;
    if (e->step < 0) {
        int64_t swap = first;
        first = last;
        last = swap;
    }
    return first >= (int64_t)m->steady_from && last <= (int64_t)m->steady_to - (int64_t)e->bytes;
}

// ---- what is stored

typedef struct {
    int64_t from, to; // all that the teams from the second block on store in a storage, one behind the other
    int64_t period;   // what a block stores
} Stored;

// False where there are gaps, or it does not fit.
static bool stored_of(const Repeat *r, const Event *of, int64_t end, Stored *out) {
    const Storage *m = of->storage;
    int64_t least = of->at[0], bytes = 0;
    for (const Event *e = r->event; e < r->event + r->events; e++) {
        if (e->storage != m) continue;
        if (e->moved) return false;
        bytes += (int64_t)e->bytes;
        if (e->at[0] < least) least = e->at[0];
    }
    if (of->step != bytes || !m->solid || m->origin) return false;
    out->period = bytes * r->period; // which the block has stored
    out->from = least + out->period;
    return !__builtin_mul_overflow(bytes, end, &out->to) &&
           !__builtin_add_overflow(out->to, least, &out->to) && out->to <= (int64_t)m->bytes;
}

static bool bytes_untouched(const Storage *m, size_t from, size_t to, uint32_t first) {
    size_t size = (size_t)dtype_bytes(m->dtype), w = from / size, n = to > from ? to / size - w : 0;
    return words_untouched(m->writer + w, n, first) &&
           (!m->was_read || words_untouched(m->reader + w, n, first));
}

// By no program of this launch. Nobody has touched what is not there, unless it was copied.
static bool untouched(const Storage *m, const Stored *s, uint32_t first) {
    size_t from = (size_t)s->from, to = (size_t)s->to;
    bool gap = m->gap_from < to && m->gap_to > from;
    if (gap && m->copied > m->gap_from && m->copied_by >= first) return false;
    if (!gap) return bytes_untouched(m, from, to, first);
    return bytes_untouched(m, from, m->gap_from, first) && bytes_untouched(m, m->gap_to, to, first);
}

static bool store_repeats(const Vm *v, const Repeat *r, const Event *e, int64_t end) {
    Stored s;
    return stored_of(r, e, end, &s) && untouched(e->storage, &s, v->first);
}

static bool first_of_storage(const Repeat *r, const Event *of) {
    for (const Event *e = r->event; e < of; e++)
        if (e->storage == of->storage) return false;
    return true;
}

bool repeat_rest(Vm *v, Repeat *r, int64_t end) {
    int64_t teams = end - r->period, programs, price;
    if (teams <= 0 || __builtin_mul_overflow(teams, r->members, &programs) ||
        programs >= READER_MANY - 1 - (int64_t)v->m->race.serial)
        return false;
    if (__builtin_mul_overflow(team_price(r), teams, &price) || price > v->left) return false;
    for (const Event *e = r->event; e < r->event + r->events; e++)
        if (!(e->store ? store_repeats : load_repeats)(v, r, e, end)) return false;
    for (const Event *e = r->event; e < r->event + r->events; e++) {
        Stored s;
        if (!e->store || !first_of_storage(r, e) || !stored_of(r, e, end, &s)) continue;
        const Repetition q = {.period = (size_t)s.period,
                              .from = (size_t)s.from,
                              .to = (size_t)s.to,
                              .writer = v->m->race.serial + (uint32_t)programs,
                              .flags = SHADOW_WRITTEN};
        storage_repeat(e->storage, &q);
    }
    repeat_count(v, r, teams);
    return true;
}
