#include "tile/code/uniform.h"

#include "tile/code/lane_truths.h"

// What a register follows from. PLACE: a program's place in the grid, or how many there are. BITS: a
// remainder, bits, a shift. OTHER: memory, lanes, or what a loop carries.
enum { FROM_SIZES = 1, FROM_PLACE = 2, FROM_BITS = 4, FROM_OTHER = 8 };

static unsigned from_operands(const Insn *s, const uint8_t *from) {
    unsigned all = 0;
    const int r[] = {s->a, s->b, s->c};
    for (int i = 0; i < 3; i++)
        if (r[i] >= 0) all |= from[r[i]];
    return all;
}

static unsigned comes_from(const Code *c, const Insn *s, const uint8_t *from) {
    const TileType *t = &c->reg[s->d].type;
    if (t->rank > 0 || t->pointer || dtype_is_float(t->elem)) return FROM_OTHER;
    unsigned all = from_operands(s, from);
    switch (s->op) {
    case INSN_CONST: return 0;
    case INSN_PARAM: return FROM_SIZES;
    case INSN_PID:
    case INSN_NPROG: return FROM_PLACE;
    case INSN_MOD:
    case INSN_AND:
    case INSN_OR:
    case INSN_XOR:
    case INSN_SHL:
    case INSN_SHR: return all | FROM_BITS;
    case INSN_COPY:
    case INSN_CAST:
    case INSN_ADD:
    case INSN_SUB:
    case INSN_MUL:
    case INSN_IDIV:
    case INSN_MAX:
    case INSN_MIN:
    case INSN_ABS:
    case INSN_INVERT:
    case INSN_WHERE:
    case INSN_LT:
    case INSN_LE:
    case INSN_GT:
    case INSN_GE:
    case INSN_EQ:
    case INSN_NE: return all;
    default: return FROM_OTHER;
    }
}

// Every grid has the place 0, and one program at least.
static bool is_usual(const Code *c, int r, const int *only) {
    const Insn *s = only[r] >= 0 ? &c->insn[only[r]] : NULL;
    return s && s->op == INSN_CONST && (s->imm == 0 || s->imm == 1);
}

static bool counts(const Code *c, const Insn *s, const uint8_t *from, const int *only) {
    const TileType *t = &c->reg[s->a].type;
    unsigned all = from_operands(s, from);
    if (s->op < INSN_LT || s->op > INSN_NE || c->reg[s->d].type.rank > 0 || t->pointer ||
        dtype_is_float(t->elem) || t->elem == DT_BOOL)
        return false;
    if ((all & FROM_OTHER) || !(all & (FROM_SIZES | FROM_PLACE))) return false;
    if (s->op == INSN_EQ || s->op == INSN_NE)
        return !(all & FROM_PLACE) || !(is_usual(c, s->a, only) || is_usual(c, s->b, only));
    return (all & FROM_BITS) && !(all & FROM_PLACE);
}

void code_uniform(Arena *scratch, Code *c, const uint16_t *holds, int cells, CodeNotes notes) {
    c->stored = NEWN(scratch, uint16_t, (size_t)cells + 1);
    c->touched = NEWN(scratch, uint8_t, (size_t)cells + 1);
    c->cells = cells;
    ArenaMark mark = arena_mark(scratch);
    uint8_t *from = NEWN(scratch, uint8_t, (size_t)c->regs + 1);
    int *only = NEWN(scratch, int, (size_t)c->regs + 1); // the one definition; -1: none yet; -2: several
    for (int r = 0; r < c->regs; r++) only[r] = -1;
    for (int i = 0; i < c->insns; i++) {
        int d = c->insn[i].d;
        if (d >= 0) only[d] = only[d] == -1 && c->insn[i].op != INSN_LOOPTEST ? i : -2;
    }
    for (int i = 0; i < c->insns; i++) {
        const Insn *s = &c->insn[i];
        if (s->d >= 0) from[s->d] = (uint8_t)(only[s->d] >= 0 ? comes_from(c, s, from) : FROM_OTHER);
    }
    c->meets = code_lane_truths(scratch, c, holds, c->compare);
    int kept = 0;
    for (int i = 0; i < c->compares; i++) {
        CodeStatement k = c->compare[i];
        bool count = !k.wants && counts(c, &c->insn[k.first], from, only);
        bool note = k.notes && notes != NOTES_NONE && k.notes >= notes && !count;
        if (note && !(k.wants & (TAKEN_ON | TAKEN_AWAY))) k.wants |= TAKEN_ON | TAKEN_AWAY | WANTS_NOTE;
        if (k.wants || count) c->compare[kept++] = k;
    }
    c->compares = kept;
    arena_reset(scratch, mark);
}
