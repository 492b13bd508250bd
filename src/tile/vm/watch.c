// watch.c - how comparisons of a kernel, and truths made of several, come out; whether choices have mattered,
// and numbers of places have changed (lane_truths.h). A step that is watched runs
// the plain one and looks at what it has made; when all that is wanted has been seen the plain one takes its
// place again, which is nearly always in the first program.
#include "tile/compute/affine.h"
#include "tile/compute/axes.h"
#include "tile/vm/narrow.h"
#include "tile/vm/steps.h"

static bool any_byte(const uint8_t *p, size_t n, bool holds) { return memchr(p, holds, n) != NULL; }

static bool any_cell(const char *p, size_t n, size_t size, bool holds) {
    static const uint64_t zero = 0;
    if (holds) return n > 0 && (memcmp(p, &zero, size) != 0 || memcmp(p, p + size, (n - 1) * size) != 0);
    for (size_t i = 0; i < n; i++)
        if (memcmp(p + i * size, &zero, size) == 0) return true;
    return false;
}

// Whether some lane is true, or (holds false) false. Of a mask in short form, by its ends.
static bool any_lane(const Register *r, const void *p, bool holds) {
    size_t n = (size_t)tile_lanes(&r->type);
    Interval in;
    if (r->form == FORM_LANES)
        return r->type.elem == DT_BOOL ? any_byte(p, n, holds)
                                       : any_cell(p, n, (size_t)tile_lane_bytes(&r->type), holds);
    if (r->form == FORM_AXES) return axes_any(r, p, holds);
    memcpy(&in, p, sizeof in);
    bool grid = r->form == FORM_GRID;
    size_t rows = grid ? (size_t)r->type.shape[0] : 1, wide = n / rows;
    const uint8_t *row = (const uint8_t *)p + sizeof in;
    if (holds) return in.hi > in.lo && (!grid || any_byte(row, rows, true));
    return (size_t)(in.hi - in.lo) < wide || (grid && any_byte(row, rows, false));
}

static bool run(Vm *v, const Step *s) {
    switch (s->act) {
    case ACT_GUARDED: return step_guarded(v, s);
    case ACT_CALL: return s->call(v, s);
    default: s->fn(s->d, s->a, s->b, s->c, (size_t)s->lanes); return true;
    }
}

struct Watched {
    Step plain;
    const CodeStatement *of;
    uint64_t *first; // CHANGE: the number that came first in this launch
    bool *any;       // there was one
};

// Lanes as bits. One of a register with a single lane stands beside each of another.
static uint64_t bits_at(const void *p, size_t size, size_t i) {
    const char *at = (const char *)p + i * size;
    uint16_t two;
    uint32_t four;
    uint64_t bits = 0;
    switch (size) { // a part of `bits` alone would go through memory, and the whole would wait for it
    case 1: return *(const uint8_t *)at;
    case 2: return memcpy(&two, at, sizeof two), two;
    case 4: return memcpy(&four, at, sizeof four), four;
    default: return memcpy(&bits, at, size), bits;
    }
}

static bool same_zero(const TileType *t, uint64_t x, uint64_t y) { // 0.0 and -0.0 are
    uint64_t sign = (uint64_t)1 << (8 * tile_lane_bytes(t) - 1);
    return !t->pointer && dtype_is_float(t->elem) && ((x | y) & ~sign) == 0;
}

// Where a choice came out so (ON: the first value), the other one would have been different.
static uint8_t mattered(const Vm *v, const Step *s) {
    const Insn *i = &v->code->insn[s->insn];
    const Register *b = &v->code->reg[i->b];
    size_t size = (size_t)tile_lane_bytes(&b->type);
    uint8_t ways = 0;
    for (size_t k = 0; k < (size_t)s->lanes && ways != (TAKEN_ON | TAKEN_AWAY); k++) {
        uint64_t x = bits_at(s->b, size, s->one & ONE_B ? 0 : k),
                 y = bits_at(s->c, size, s->one & ONE_C ? 0 : k);
        if (x == y || same_zero(&b->type, x, y)) continue;
        ways |= ((const uint8_t *)s->a)[s->one & ONE_A ? 0 : k] ? TAKEN_ON : TAKEN_AWAY;
    }
    return ways;
}

// ON: the number has changed. AWAY: it might have, by now.
static uint8_t changed(const Vm *v, const Watched *w) {
    const Register *r = &v->code->reg[w->of->place];
    const Step *s = &w->plain;
    const void *p = v->code->insn[s->insn].a == w->of->place   ? s->a
                    : v->code->insn[s->insn].b == w->of->place ? s->b
                                                               : s->c;
    size_t n = (size_t)tile_lanes(&r->type), size = (size_t)tile_lane_bytes(&r->type);
    if (!*w->any) *w->first = bits_at(p, size, 0);
    *w->any = true;
    // All are the first one: each is its neighbour.
    if (bits_at(p, size, 0) != *w->first || memcmp(p, (const char *)p + size, (n - 1) * size) != 0)
        return TAKEN_ON | TAKEN_AWAY;
    bool may = w->of->lanes && n > 1;
    for (int axis = 0; axis < 3; axis++) may |= (w->of->axes >> axis & 1) && v->grid[axis] > 1;
    return may ? TAKEN_AWAY : 0;
}

static bool step_watched(Vm *v, const Step *s) {
    const Watched *w = s->watched;
    const Step *plain = &w->plain;
    if (plain->narrow) narrow_whole(plain->narrow);
    uint8_t *taken = &v->code->taken[plain->insn], wants = w->of->wants & (TAKEN_ON | TAKEN_AWAY);
    // Before it runs: what it gives may lie where an operand was.
    if (w->of->wants & WANTS_CHANGE) *taken |= changed(v, w);
    if (w->of->wants & WANTS_EFFECT) *taken |= mattered(v, plain);
    if (!run(v, plain)) return false;
    if (!(w->of->wants & (WANTS_CHANGE | WANTS_EFFECT))) {
        const Register *d = &v->code->reg[v->code->insn[plain->insn].d];
        if ((wants & TAKEN_ON) && any_lane(d, plain->d, true)) *taken |= TAKEN_ON;
        if ((wants & TAKEN_AWAY) && any_lane(d, plain->d, false)) *taken |= TAKEN_AWAY;
    }
    if ((*taken & wants) == wants) v->step[plain->insn] = *plain;
    return true;
}

Step *watch_plain(const Step *s) {
    return s->act == ACT_CALL && s->call == step_watched ? &s->watched->plain : NULL;
}

// Its operands are there, lane by lane.
static bool in_lanes(const Code *c, const CodeStatement *k) {
    const Insn *s = &c->insn[k->first];
    if (!(k->wants & (WANTS_CHANGE | WANTS_EFFECT))) return true;
    const int r[] = {s->a, s->b, s->c};
    for (int i = 0; i < 3; i++)
        if (r[i] >= 0 && c->reg[r[i]].form != FORM_LANES) return false;
    return true;
}

void watch_truths(Arena *a, Vm *v) {
    const Code *c = v->code;
    for (int i = 0; i < c->compares; i++) {
        const CodeStatement *k = &c->compare[i];
        uint8_t wants = k->wants & (TAKEN_ON | TAKEN_AWAY);
        Step *s = &v->step[k->first];
        bool plain = s->act == ACT_LOOP || s->act == ACT_GUARDED || s->act == ACT_CALL;
        if (wants == 0 && s->act == ACT_LOOP && s->lanes == 1) s->act = ACT_NOTED;
        if (!plain || (c->taken[k->first] & wants) == wants || s->call == step_watched || !in_lanes(c, k))
            continue;
        Watched *w = NEW(a, Watched);
        w->plain = *s;
        w->of = k;
        w->first = NEW(a, uint64_t);
        w->any = NEW(a, bool);
        s->act = ACT_CALL;
        s->call = step_watched;
        s->meets = false;
        s->watched = w;
    }
}
