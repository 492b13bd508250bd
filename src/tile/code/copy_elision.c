#include "tile/code/copy_elision.h"

bool move_keeps_bits(const Code *c, const Insn *s) {
    if (s->op != INSN_COPY && s->op != INSN_RESHAPE && s->op != INSN_CAST) return false;
    const TileType *d = &c->reg[s->d].type, *a = &c->reg[s->a].type;
    if (tile_lanes(d) != tile_lanes(a)) return false;
    if (d->pointer || a->pointer) return d->pointer && a->pointer;
    if (d->elem == a->elem) return s->op != INSN_CAST || d->elem == DT_F32;
    return s->op == INSN_CAST && d->elem == DT_F32 && (a->elem == DT_F16 || a->elem == DT_BF16);
}

static bool is_control(const Insn *s) {
    return s->op == INSN_JUMP || s->op == INSN_JUMPNOT || s->op == INSN_LOOPTEST || s->op == INSN_END;
}

// May compute its result in the very place of an operand: loops.h.
static bool in_place(InsnOp op) {
    static const enum {
        SPECIAL,
        MOVE,
        CAST,
        BINARY,
        COMPARE,
        UNARY,
        TERNARY,
        REDUCE,
        SCAN,
        CONTROL
    } class[] = {
#define INSN(id, class, doc) class,
#include "tile/code/insn.def"
#undef INSN
    };
    return class[op] == CAST || class[op] == BINARY || class[op] == COMPARE || class[op] == UNARY ||
           class[op] == TERNARY;
}

typedef struct {
    const Code *code;
    int *next; // of a register: itself, or another one of those that share its place; the last is the root
    int *from; // of a root with one definition: where its value begins, while only moves have passed it on
    int *defs, *uses;
    bool *target; // of a jump
} Moves;

enum { FAR = 64 }; // instructions between a value and its move: the search must not cost more than the move

static int root(const Moves *m, int r) {
    while (m->next[r] != r) r = m->next[r] = m->next[m->next[r]];
    return r;
}

static bool reads(const Moves *m, const Insn *s, int place) {
    return (s->a >= 0 && root(m, s->a) == place) || (s->b >= 0 && root(m, s->b) == place) ||
           (s->c >= 0 && root(m, s->c) == place);
}

// From instruction `first`, which computes what is moved at `last`, to there nothing knows of the place.
static bool place_is_free(const Moves *m, int first, int last, int place) {
    const Insn *s = &m->code->insn[first];
    if (last - first > FAR || is_control(s) || m->target[last]) return false;
    if (reads(m, s, place) && !in_place(s->op)) return false;
    for (int i = first + 1; i < last; i++) {
        s = &m->code->insn[i];
        if (m->target[i] || is_control(s) || reads(m, s, place) || (s->d >= 0 && root(m, s->d) == place))
            return false;
    }
    return true;
}

static void join(Moves *m, int at) {
    const Code *c = m->code;
    const Insn *s = &c->insn[at];
    if (!move_keeps_bits(c, s) || s->a == s->d) return;
    const Register *a = &c->reg[s->a], *d = &c->reg[s->d];
    // What a kernel needs of registers is told to people: forms of two dimensions leave it as it was.
    bool lanes = a->form == FORM_LANES && d->form == FORM_LANES, late = a->late && d->late;
    if (a->tainted || d->tainted || !(lanes || late)) return;
    int from = m->from[s->a];
    if (m->defs[s->a] != 1 || m->uses[s->a] != 1 || m->next[s->d] != s->d) return;
    if (from < 0 || !place_is_free(m, from, at, s->d)) return;
    m->next[s->a] = s->d;
    m->from[s->d] = m->defs[s->d] == 1 ? from : -1;
}

int *moves_join(Arena *a, const Code *c) {
    size_t n = (size_t)c->regs + 1;
    Moves m = {.code = c, .next = NEWN(a, int, n)};
    ArenaMark mark = arena_mark(a);
    m.from = NEWN(a, int, n);
    m.defs = NEWN(a, int, n);
    m.uses = NEWN(a, int, n);
    m.target = NEWN(a, bool, (size_t)c->insns + 1);
    for (int r = 0; r < c->regs; r++) {
        m.next[r] = r;
        m.from[r] = -1;
    }
    for (int i = 0; i < c->insns; i++) {
        const Insn *s = &c->insn[i];
        if (s->a >= 0) m.uses[s->a]++;
        if (s->b >= 0) m.uses[s->b]++;
        if (s->c >= 0) m.uses[s->c]++;
        if (s->d >= 0) m.defs[s->d]++; // and LOOPTEST, which reads it: never the one definition then
        if (is_control(s) && s->op != INSN_END) m.target[s->imm] = true;
    }
    for (int i = 0; i < c->insns; i++) {
        const Insn *s = &c->insn[i];
        if (s->d >= 0 && !is_control(s) && m.defs[s->d] == 1) m.from[s->d] = i;
        join(&m, i);
    }
    for (int r = 0; r < c->regs; r++) m.next[r] = root(&m, r);
    arena_reset(a, mark);
    return m.next;
}
