#include "tile/code/lane_truths.h"

// What a register may hold. MEMORY: something loaded, an address, or what follows from one. VARIES: another
// number in another lane, program or launch. CHOOSES: a sum of truths, a distance or mixed bits: where these
// are small or large is a choice of lanes. TRUTH: 0 or 1 by comparisons. FAR: some of them with a number that
// small tensors do not reach. UNIT: the constant 0 or 1.
enum { MEMORY = 1, VARIES = 2, CHOOSES = 4, TRUTH = 8, FAR = 16, UNIT = 32, FAR_LEAST = 64 };

typedef struct {
    const Code *code;
    uint8_t *kind;
    bool *large; // constants from FAR_LEAST on
    int *def;    // the last instruction that writes it
} Kinds;

static uint8_t kind_of(const Kinds *k, int r) { return r >= 0 ? k->kind[r] : 0; }
static bool is_bool(const TileType *t) { return !t->pointer && t->elem == DT_BOOL; }
static bool is_truth(const Kinds *k, int r) { return kind_of(k, r) & TRUTH; }
static bool is_arm(const Kinds *k, int r) { return kind_of(k, r) & (TRUTH | UNIT); }

static bool moves(InsnOp op) {
    return op == INSN_COPY || op == INSN_SPLAT || op == INSN_RESHAPE || op == INSN_BROADCAST ||
           op == INSN_TRANS || op == INSN_CAST;
}

// Of two truths one, or of a choice between them.
static bool stays_truth(const Kinds *k, const Insn *s) {
    switch (s->op) {
    case INSN_MUL:
    case INSN_MIN:
    case INSN_MAX:
    case INSN_AND:
    case INSN_OR:
    case INSN_XOR: return is_truth(k, s->a) && is_truth(k, s->b);
    case INSN_SUB: return (kind_of(k, s->a) & UNIT) && is_truth(k, s->b);
    case INSN_WHERE: return kind_of(k, s->a) & VARIES && is_arm(k, s->b) && is_arm(k, s->c);
    default: return moves(s->op) && is_truth(k, s->a);
    }
}

static bool same_number(const Kinds *k, int a, int b) {
    const Insn *x = &k->code->insn[k->def[a]], *y = &k->code->insn[k->def[b]];
    return a == b || (x->op == y->op && x->op == INSN_SUB && x->a == y->a && x->b == y->b);
}

// |cols - 4000|
static bool from_far(const Kinds *k, const Insn *s) {
    const Insn *of = &k->code->insn[k->def[s->a]];
    return of->op == INSN_SUB && (k->large[of->a] || k->large[of->b]);
}

static bool chooses(const Kinds *k, const Insn *s) {
    switch (s->op) {
    case INSN_ABS:
    case INSN_XOR: return true;
    case INSN_ADD: return is_truth(k, s->a) && is_truth(k, s->b);
    case INSN_MUL: return same_number(k, s->a, s->b); // a square, as a distance
    default: return false;
    }
}

static int64_t one_bits(void) {
    double one = 1;
    int64_t bits;
    memcpy(&bits, &one, sizeof bits);
    return bits;
}

static bool is_comparison(const Insn *s) { return s->op >= INSN_LT && s->op <= INSN_NE; }

static uint8_t made(const Kinds *k, const Insn *s) {
    const TileType *t = &k->code->reg[s->d].type;
    uint8_t all = (kind_of(k, s->a) | kind_of(k, s->b) | kind_of(k, s->c)) & (uint8_t) ~(TRUTH | UNIT);
    if (t->pointer) return MEMORY;
    switch (s->op) {
    case INSN_CONST: return s->imm == 0 || s->imm == 1 || s->imm == one_bits() ? UNIT : 0;
    case INSN_PARAM:
    case INSN_PID:
    case INSN_NPROG:
    case INSN_ARANGE: return VARIES;
    case INSN_LOAD:
    case INSN_ATOMIC:
    case INSN_CAS: return MEMORY;
    default: break;
    }
    if (is_comparison(s) && (k->large[s->a] || k->large[s->b])) all |= FAR;
    if (s->op == INSN_ABS && from_far(k, s)) all |= FAR;
    if (is_bool(t) || stays_truth(k, s)) return all & VARIES ? all | TRUTH : all;
    if (moves(s->op)) return all | (kind_of(k, s->a) & UNIT);
    return chooses(k, s) ? all | CHOOSES : all;
}

// A loop carries numbers around: until nothing changes any more.
static void find_kinds(Kinds *k) {
    const Code *c = k->code;
    for (bool changed = true; changed;) {
        changed = false;
        for (int i = 0; i < c->insns; i++) {
            const Insn *s = &c->insn[i];
            if (s->d < 0) continue;
            k->def[s->d] = i;
            k->large[s->d] |= s->op == INSN_CONST ? s->imm >= FAR_LEAST : moves(s->op) && k->large[s->a];
            uint8_t was = k->kind[s->d];
            k->kind[s->d] |= made(k, s);
            changed |= k->kind[s->d] != was;
        }
    }
}

static uint8_t wanted(const Kinds *k, const Insn *s) {
    uint8_t all = kind_of(k, s->a) | kind_of(k, s->b) | kind_of(k, s->c);
    bool lanes = k->code->reg[s->d].type.rank > 0, both = is_truth(k, s->a) && is_truth(k, s->b);
    if ((all & MEMORY) || !(all & VARIES)) return 0;
    switch (s->op) {
    case INSN_EQ: return lanes ? TAKEN_ON : 0;
    case INSN_NE: return lanes ? TAKEN_AWAY : 0;
    case INSN_LT:
    case INSN_LE:
    case INSN_GT:
    case INSN_GE: return lanes && (all & CHOOSES) ? TAKEN_ON | TAKEN_AWAY : 0;
    case INSN_AND:
    case INSN_XOR: return both ? TAKEN_ON : 0;
    case INSN_MUL: return both || (kind_of(k, s->a) & kind_of(k, s->b) & CHOOSES) ? TAKEN_ON : 0;
    case INSN_OR: return both ? TAKEN_AWAY : 0;
    case INSN_MIN: return both ? TAKEN_ON : all & CHOOSES ? TAKEN_AWAY : 0;
    case INSN_MAX: return both ? TAKEN_AWAY : all & CHOOSES ? TAKEN_ON : 0;
    // Of two constants each may be the only one.
    case INSN_WHERE:
        return is_truth(k, s->d) && (is_truth(k, s->b) || is_truth(k, s->c)) ? TAKEN_ON | TAKEN_AWAY : 0;
    default: return 0;
    }
}

void code_lane_truths(Arena *scratch, const Code *c, uint8_t *wants) {
    ArenaMark mark = arena_mark(scratch);
    Kinds k = {c, NEWN(scratch, uint8_t, (size_t)c->regs + 1), NEWN(scratch, bool, (size_t)c->regs + 1),
               NEWN(scratch, int, (size_t)c->regs + 1)};
    find_kinds(&k);
    for (int i = 0; i < c->compares; i++) {
        const Insn *s = &c->insn[c->compare[i].first];
        wants[i] = wanted(&k, s);
        bool lanes = c->reg[s->d].type.rank > 0;
        if ((wants[i] || lanes) && (k.kind[s->d] & (FAR | MEMORY)) == FAR) wants[i] |= WANTS_FAR;
    }
    arena_reset(scratch, mark);
}
