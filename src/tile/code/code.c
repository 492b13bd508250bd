#include "tile/code/code.h"
#include "tile/code/hint.h"
#include <assert.h>
#include <inttypes.h>

static const char *const insn_names[INSN_COUNT] = {
#define INSN(id, class, doc) [INSN_##id] = #id,
#include "tile/code/insn.def"
#undef INSN
};
const char *insn_name(InsnOp op) { return op >= 0 && op < INSN_COUNT ? insn_names[op] : "?"; }

// ---- printing ----

void tile_type_name(Buf *out, const TileType *t) {
    if (t->rank > 0) {
        buf_puts(out, "<[");
        for (int i = 0; i < t->rank; i++) buf_printf(out, "%s'%d'", i ? ", " : "", t->shape[i]);
        buf_puts(out, "], ");
    }
    buf_printf(out, t->pointer ? "pointer<%s>" : "%s", dtype_info[t->elem].triton);
    if (t->rank > 0) buf_putc(out, '>');
}

static void dump_register(Buf *out, const Code *c, const char *before, int r) {
    if (r < 0) return;
    buf_printf(out, "%s%%%d", before, r);
    if (r >= c->regs) return;
    buf_puts(out, c->reg[r].tainted ? "?:" : ":");
    tile_type_name(out, &c->reg[r].type);
}

const Insn *code_row_fold(const Code *c) {
    for (int i = 0; i < c->insns; i++) {
        const Insn *s = &c->insn[i];
        bool fold = s->op == INSN_SUM || s->op == INSN_RMAX || s->op == INSN_RMIN || s->op == INSN_ARGMAX ||
                    s->op == INSN_ARGMIN;
        if (fold && c->reg[s->a].type.rank == 1) return s;
    }
    return NULL;
}

void code_dump(Buf *out, const Code *c) {
    for (int i = 0; i < c->insns; i++) {
        const Insn *s = &c->insn[i];
        buf_printf(out, "%4d  %-9s", i, insn_name(s->op));
        dump_register(out, c, " ", s->d);
        dump_register(out, c, s->d >= 0 ? " = " : " ", s->a);
        dump_register(out, c, ", ", s->b);
        dump_register(out, c, ", ", s->c);
        if (s->imm) buf_printf(out, " #%" PRId64, s->imm);
        buf_putc(out, '\n');
    }
}

static void *kept(Arena *a, const void *p, size_t bytes) {
    void *to = arena_raw(a, bytes + 1, _Alignof(max_align_t));
    if (bytes) memcpy(to, p, bytes);
    return to;
}

Code *code_keep(Arena *a, const Code *c) {
    Code *k = NEW(a, Code);
    *k = *c;
    k->insn = kept(a, c->insn, (size_t)c->insns * sizeof *c->insn);
    k->reg = kept(a, c->reg, (size_t)c->regs * sizeof *c->reg);
    k->statement = kept(a, c->statement, (size_t)c->statements * sizeof *c->statement);
    k->compare = kept(a, c->compare, (size_t)c->compares * sizeof *c->compare);
    k->taken = kept(a, c->taken, (size_t)c->insns);
    k->stored = kept(a, c->stored, (size_t)c->cells * sizeof *c->stored);
    k->wild = kept(a, c->wild, (size_t)c->regs);
    k->touched = kept(a, c->touched, (size_t)c->cells);
    k->compared = kept(a, c->compared, (size_t)c->compareds * sizeof *c->compared);
    k->shared = kept(a, c->shared, (size_t)c->shareds * sizeof *c->shared);
    if (c->naked) k->naked = k->insn + (c->naked - c->insn);
    return k;
}
