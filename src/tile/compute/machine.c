#include "tile/compute/machine.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "tile/compute/step.h"

void machine_init(Machine *m, Arena *arena, DiagList *diags, int64_t steps) {
    *m = (Machine){.arena = arena,
                   .diags = diags,
                   .steps_left = steps,
                   .gpu.processors = PROCESSORS_USUAL,
                   .gpu.warps = 4};
    m->storages.arena = arena;
}

// ---- findings ----

typedef struct {
    char *p;
    size_t len, cap;
} Line;
static void line_add(Line *l, const char *fmt, ...) PRINTF(2, 3);
static void line_add(Line *l, const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    int n = vsnprintf(l->p + l->len, l->cap - l->len, fmt, ap);
    va_end(ap);
    if (n > 0) l->len = l->len + (size_t)n < l->cap ? l->len + (size_t)n : l->cap - 1;
}

static const TileType *widest(const Code *c, const Insn *i) {
    const int r[] = {i->d, i->a, i->b, i->c};
    const TileType *best = NULL;
    for (int k = 0; k < 4; k++)
        if (r[k] >= 0 && (!best || tile_lanes(&c->reg[r[k]].type) > tile_lanes(best)))
            best = &c->reg[r[k]].type;
    return best;
}

// " (lane 5 of 128, program (3, 0, 0))": rows and columns where the tile has them.
static void line_place(Line *l, const Vm *v, const Step *s, int64_t lane) {
    const TileType *t = widest(v->code, &v->code->insn[s->insn]);
    line_add(l, " (");
    if (lane >= 0 && t && t->rank == 1 && t->shape[0] > 1)
        line_add(l, "lane %" PRId64 " of %d, ", lane, t->shape[0]);
    if (lane >= 0 && t && t->rank >= 2 && tile_lanes(t) > 1) {
        int64_t below = tile_lanes(t);
        line_add(l, "lane [");
        for (int i = 0; i < t->rank; i++) {
            below /= t->shape[i];
            line_add(l, "%s%" PRId64, i ? ", " : "", lane / below % t->shape[i]);
        }
        line_add(l, "] of [");
        for (int i = 0; i < t->rank; i++) line_add(l, "%s%d", i ? ", " : "", t->shape[i]);
        line_add(l, "], ");
    }
    line_add(l, "program (%d, %d, %d))", (int)v->pid[0], (int)v->pid[1], (int)v->pid[2]);
}

bool vm_finding(Vm *v, const Step *s, DiagKind kind, int64_t lane, const char *fmt, ...) {
    Line l = {v->msg, 0, sizeof v->msg};
    va_list ap;
    va_start(ap, fmt);
    int n = vsnprintf(l.p, l.cap, fmt, ap);
    va_end(ap);
    l.len = n < 0 ? 0 : (size_t)n < l.cap ? (size_t)n : l.cap - 1;
    line_place(&l, v, s, lane);
    v->kind = kind;
    v->span = v->code->insn[s->insn].span;
    return false;
}
