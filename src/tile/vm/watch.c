// watch.c - how comparisons of a kernel, and truths made of several, come out. A step that is watched runs
// the plain one and looks at what it has made; when all that is wanted has been seen the plain one takes its
// place again, which is nearly always in the first program.
#include "tile/vm/affine.h"
#include "tile/vm/step.h"

static bool any_byte(const uint8_t *p, size_t n, bool holds) { return memchr(p, holds, n) != NULL; }

static bool any_cell(const char *p, size_t n, size_t size, bool holds) {
    static const uint64_t zero = 0;
    for (size_t i = 0; i < n; i++)
        if ((memcmp(p + i * size, &zero, size) != 0) == holds) return true;
    return false;
}

// Whether some lane is true, or (holds false) false. Of a mask in short form, by its ends.
static bool any_lane(const Register *r, const void *p, bool holds) {
    size_t n = (size_t)tile_lanes(&r->type);
    Interval in;
    if (r->form == FORM_LANES)
        return r->type.elem == DT_BOOL ? any_byte(p, n, holds)
                                       : any_cell(p, n, (size_t)tile_lane_bytes(&r->type), holds);
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
    uint8_t wants; // CodeStatement
};

static bool step_watched(Vm *v, const Step *s) {
    const Watched *w = s->watched;
    const Step *plain = &w->plain;
    uint8_t *taken = &v->code->taken[plain->insn];
    if (!run(v, plain)) return false;
    const Register *d = &v->code->reg[v->code->insn[plain->insn].d];
    if ((w->wants & TAKEN_ON) && any_lane(d, plain->d, true)) *taken |= TAKEN_ON;
    if ((w->wants & TAKEN_AWAY) && any_lane(d, plain->d, false)) *taken |= TAKEN_AWAY;
    if ((*taken & w->wants) == w->wants) v->step[plain->insn] = *plain;
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
        if (!plain || (c->taken[k->first] & wants) == wants || s->call == step_watched) continue;
        Watched *w = NEW(a, Watched);
        w->plain = *s;
        w->wants = wants;
        s->act = ACT_CALL;
        s->call = step_watched;
        s->meets = false;
        s->watched = w;
    }
}
