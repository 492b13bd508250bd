#include "tile/code/lane_truths.h"

// What a register may hold. MEMORY: something loaded, an address, or what follows from one. VARIES: another
// number in another lane, program or launch. CHOOSES: a sum of truths, a distance or mixed bits: where these
// are small or large is a choice of lanes. TRUTH: 0 or 1 by comparisons. FAR: some of them with a number that
// small tensors do not reach. UNIT: the constant 0 or 1. LANES, AXIS: it follows from lanes, from the place
// along an axis of the grid. BENT: by arithmetic that may give the same number nearly everywhere. RARE_ON: a
// truth that holds of few places, such as an equality; RARE_OFF: of nearly all.
enum {
    MEMORY = HOLDS_LOADED,
    VARIES = 2,
    CHOOSES = 4,
    TRUTH = 8,
    FAR = 16,
    UNIT = 32,
    LANES = 64,
    AXIS = 128, // and two more
    AXES = 7 * AXIS,
    PLACE = LANES | AXES,
    BENT = 1024,
    RARE_ON = 2048,
    RARE_OFF = 4096,
    RARE = RARE_ON | RARE_OFF,
    ZERO = 8192,   // the constant, or a product with it
    OTHER = 16384, // something else, too: a loop's variable that begins at 0
    CURVED = CHOOSES | BENT,
    FAR_LEAST = 64,
    ANYWHERE = -1,
    FARTHEST = 5000 // what lies beyond may be a row and a column in one number
};

typedef struct {
    const Code *code;
    uint16_t *kind;
    double *large; // constants from FAR_LEAST on, else 0
    const uint16_t *holds;
    int *base;  // of a pointer, 1 + the cell of the argument that it points into; ANYWHERE: of several, or
                // unknown
    int *def;   // the last instruction that writes it
    bool *ends; // a loop ends there, or it leads to such a number
} Kinds;

static uint16_t kind_of(const Kinds *k, int r) { return r >= 0 ? k->kind[r] : 0; }
static bool is_zero(uint16_t kind) { return (kind & ZERO) && !(kind & OTHER); }
static bool is_place(uint16_t kind) { return (kind & PLACE) && !(kind & MEMORY) && !is_zero(kind); }
static bool is_bool(const TileType *t) { return !t->pointer && t->elem == DT_BOOL; }
static bool is_truth(const Kinds *k, int r) { return kind_of(k, r) & TRUTH; }
static bool is_arm(const Kinds *k, int r) { return kind_of(k, r) & (TRUTH | UNIT); }

static bool moves(InsnOp op) {
    return op == INSN_COPY || op == INSN_SPLAT || op == INSN_RESHAPE || op == INSN_BROADCAST ||
           op == INSN_TRANS || op == INSN_CAST || op == INSN_ORDER;
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
    return of->op == INSN_SUB && (k->large[of->a] > 0 || k->large[of->b] > 0);
}

static bool chooses(const Kinds *k, const Insn *s) {
    switch (s->op) {
    case INSN_ABS:
    case INSN_XOR: return true;
    case INSN_ADD: return is_truth(k, s->a) && is_truth(k, s->b);
    case INSN_MUL: return same_number(k, s->a, s->b); // a square, as a distance
    case INSN_IDIV:
    case INSN_DIV: return kind_of(k, s->b) & CHOOSES; // 1 // (1 + d)
    default: return false;
    }
}

static int64_t one_bits(void) {
    double one = 1;
    int64_t bits;
    memcpy(&bits, &one, sizeof bits);
    return bits;
}

static double large_of(const TileType *t, int64_t imm) {
    double x = (double)imm;
    if (dtype_is_float(t->elem)) memcpy(&x, &imm, sizeof x);
    return x >= FAR_LEAST ? x : 0;
}

static bool is_comparison(const Insn *s) { return s->op >= INSN_LT && s->op <= INSN_NE; }

// Nearly all places may give one number: 1 // (1 + d), d / (d + 1e-9), exp(-d), a conversion.
static bool bends(const Kinds *k, const Insn *s) {
    uint16_t a = kind_of(k, s->a), b = kind_of(k, s->b);
    bool tile = k->code->reg[s->d].type.rank > 0;
    switch (s->op) {
    case INSN_CAST:
        return dtype_is_float(k->code->reg[s->a].type.elem) && !dtype_is_float(k->code->reg[s->d].type.elem);
    case INSN_MUL: return (a & PLACE) && (b & PLACE);
    case INSN_DIV: return (b & PLACE) && (tile || (b & CURVED)); // not by how many lanes there are
    case INSN_WHERE: return a & (RARE | FAR | CURVED);           // not by a bound alone
    case INSN_IDIV:
    case INSN_SHR:
    case INSN_XOR:
    case INSN_ABS:
    case INSN_POW:
    case INSN_MATH:
    case INSN_RMAX:
    case INSN_RMIN: return true;
    default: return s->op >= INSN_EXP && s->op <= INSN_TRUNC;
    }
}

// Of truths, the ways in which it seldom comes out.
static uint16_t rare(const Kinds *k, const Insn *s, uint16_t all) {
    uint16_t a = kind_of(k, s->a), b = kind_of(k, s->b), c = kind_of(k, s->c), of = (a | b) & RARE;
    uint16_t other = (uint16_t)((a & RARE_ON ? RARE_OFF : 0) | (a & RARE_OFF ? RARE_ON : 0));
    switch (s->op) {
    // The first or the second of some is often an edge.
    case INSN_EQ: return all & CHOOSES ? RARE : (a | b) & UNIT ? 0 : RARE_ON;
    case INSN_NE: return all & CHOOSES ? RARE : (a | b) & UNIT ? 0 : RARE_OFF;
    case INSN_LT:
    case INSN_LE:
    case INSN_GT:
    case INSN_GE: return all & CHOOSES ? RARE : 0;
    case INSN_CAST: return (a & TRUTH) ? of : all & CURVED ? RARE : 0; // whether it is 0
    case INSN_INVERT: return other;
    case INSN_SUB: return (uint16_t)((b & RARE_ON ? RARE_OFF : 0) | (b & RARE_OFF ? RARE_ON : 0));
    case INSN_WHERE: return (a | b | c) & RARE ? RARE : 0;
    default: return of;
    }
}

// Truths of places choose among loaded numbers, as masks do, and make no places of them.
static uint16_t of_operands(const Kinds *k, const Insn *s) {
    uint16_t of[] = {kind_of(k, s->a), kind_of(k, s->b), kind_of(k, s->c)}, all = of[0] | of[1] | of[2];
    if (s->op == INSN_MUL && (is_zero(of[0]) || is_zero(of[1])))
        return (all & (MEMORY | VARIES | PLACE)) | ZERO;
    // How many lanes are within bounds.
    if (s->op == INSN_SUM && (of[0] & TRUTH) && !(of[0] & (RARE | FAR | CURVED)))
        return all & (MEMORY | VARIES);
    if (all & MEMORY) {
        all = 0;
        for (int i = 0; i < 3; i++) all |= of[i] & (of[i] & TRUTH && !(of[i] & MEMORY) ? VARIES : 0xffff);
    }
    return all & (uint16_t) ~(TRUTH | UNIT | RARE | ZERO | OTHER);
}

// Into which argument a pointer points.
static int base_of(const Kinds *k, const Insn *s) {
    switch (s->op) {
    case INSN_PARAM: return (int)s->imm + 1;
    case INSN_WHERE: return k->base[s->b] == k->base[s->c] ? k->base[s->b] : ANYWHERE;
    default: return moves(s->op) || s->op == INSN_PTRADD ? k->base[s->a] : ANYWHERE;
    }
}

// What is loaded: of a table that a kernel has made of places, what it stored there.
static uint16_t loaded(const Kinds *k, const Insn *s) {
    int base = k->base[s->a];
    uint16_t of = base > 0 && base <= k->code->cells ? k->holds[base - 1] : MEMORY;
    return of & PLACE && !(of & MEMORY) ? (of | VARIES) & (uint16_t) ~(UNIT | ZERO | OTHER) : MEMORY;
}

static uint16_t made(const Kinds *k, const Insn *s) {
    const TileType *t = &k->code->reg[s->d].type;
    uint16_t all = of_operands(k, s);
    if (t->pointer) return MEMORY;
    switch (s->op) {
    case INSN_CONST: return s->imm == 0 ? UNIT | ZERO : s->imm == 1 || s->imm == one_bits() ? UNIT : 0;
    case INSN_PARAM:
    case INSN_NPROG: return VARIES;
    case INSN_PID: return (uint16_t)(VARIES | AXIS << s->imm);
    case INSN_ARANGE: return VARIES | LANES;
    case INSN_LOAD: return loaded(k, s);
    case INSN_ATOMIC:
    case INSN_CAS: return MEMORY;
    default: break;
    }
    // Bounds of a row and a column of one number (o // W < H) are bounds.
    if (is_comparison(s) && s->op < INSN_EQ && !(all & CHOOSES)) all &= (uint16_t)~BENT;
    if (is_comparison(s) && (k->large[s->a] > 0 || k->large[s->b] > 0)) all |= FAR;
    if (s->op == INSN_ABS && from_far(k, s)) all |= FAR;
    if ((all & PLACE) && bends(k, s)) all |= BENT;
    if (is_bool(t) || stays_truth(k, s)) return all & VARIES ? all | TRUTH | rare(k, s, all) : all;
    if (moves(s->op)) return all | (kind_of(k, s->a) & UNIT) | (is_zero(kind_of(k, s->a)) ? ZERO : 0);
    if (s->op == INSN_WHERE && is_zero(kind_of(k, s->b)) && is_zero(kind_of(k, s->c))) return UNIT | ZERO;
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
            double large = s->op == INSN_CONST ? large_of(&c->reg[s->d].type, s->imm)
                           : moves(s->op)      ? k->large[s->a]
                                               : 0;
            if (large > k->large[s->d]) k->large[s->d] = large;
            if (c->reg[s->d].type.pointer) {
                int base = base_of(k, s), seen = k->base[s->d];
                base = seen == 0 || seen == base ? base : ANYWHERE;
                changed |= base != seen;
                k->base[s->d] = base;
            }
            uint16_t was = k->kind[s->d];
            uint16_t kind = made(k, s);
            k->kind[s->d] |= kind & ZERO ? kind : kind | OTHER;
            changed |= k->kind[s->d] != was;
        }
    }
}

// Where loops end, and what that is made of.
static void find_ends(Kinds *k) {
    const Code *c = k->code;
    for (bool changed = true; changed;) {
        changed = false;
        for (int i = c->insns - 1; i >= 0; i--) {
            const Insn *s = &c->insn[i];
            int r[] = {s->a, s->b, s->c};
            bool sums = s->op == INSN_ADD || s->op == INSN_SUB || s->op == INSN_MUL || s->op == INSN_WHERE;
            if (s->op == INSN_LOOPTEST)
                r[1] = s->a; // the step does not count, nor does its beginning
            else if (s->d < 0 || !k->ends[s->d] || !(sums || moves(s->op)))
                continue;
            for (int n = 0; n < (s->op == INSN_LOOPTEST ? 1 : 3); n++)
                if (r[n] >= 0 && !k->ends[r[n]]) k->ends[r[n]] = changed = true;
        }
    }
}

// Numbers of places that change what was loaded: y * (d / (d + 1e-9)). The register, or -1.
static int changes(const Kinds *k, const Insn *s) {
    uint16_t a = kind_of(k, s->a), b = kind_of(k, s->b), c = kind_of(k, s->c);
    switch (s->op) {
    case INSN_ADD:
    case INSN_SUB:
    case INSN_MUL:
    case INSN_DIV:
    case INSN_MIN:
    case INSN_MAX:
        if (k->code->reg[s->d].address) return -1;
        if (k->ends[s->d])
            return is_place(a) && (a & CHOOSES) ? s->a : is_place(b) && (b & CHOOSES) ? s->b : -1;
        if (is_place(a) && (b & MEMORY) && !(a & TRUTH)) return s->a;
        return is_place(b) && (a & MEMORY) && !(b & TRUTH) ? s->b : -1;
    case INSN_FMA:
        if (!((a | b | c) & MEMORY)) return -1;
        return is_place(a) && !(a & TRUTH)   ? s->a
               : is_place(b) && !(b & TRUTH) ? s->b
               : is_place(c) && !(c & TRUTH) ? s->c
                                             : -1;
    case INSN_WHERE:
        if (is_place(b) && (c & MEMORY) && !(b & TRUTH)) return s->b;
        return is_place(c) && (b & MEMORY) && !(c & TRUTH) ? s->c : -1;
    default: return -1;
    }
}

// Of a bound that only large tensors come to, which side of it that is: TAKEN_ON where it holds there.
static uint8_t far_side(const Kinds *k, int r) {
    const Insn *s = &k->code->insn[k->def[r]];
    for (int i = 0; moves(s->op) && i < k->code->insns; i++) s = &k->code->insn[k->def[s->a]];
    if (!is_comparison(s) || s->op >= INSN_EQ) return 0;
    bool above = s->op == INSN_GT || s->op == INSN_GE;
    if (k->large[s->b] > 0 && is_place(kind_of(k, s->a))) return above ? TAKEN_ON : TAKEN_AWAY;
    return k->large[s->a] > 0 && is_place(kind_of(k, s->b)) ? (above ? TAKEN_AWAY : TAKEN_ON) : 0;
}

// A choice by places: has it mattered, or have both of its values always been the same where it was made?
static uint8_t matters(const Kinds *k, const Insn *s) {
    uint16_t of = kind_of(k, s->a), b = kind_of(k, s->b), c = kind_of(k, s->c), both = b | c;
    if (s->op != INSN_WHERE || !is_place(of) || !(of & (FAR | CURVED)) || is_truth(k, s->d)) return 0;
    // tl.where(h == 7, 0.0, x) may repeat the mask of a load.
    bool constant = !(b & (VARIES | MEMORY)) || !(c & (VARIES | MEMORY));
    if (constant && (both & MEMORY)) return 0;
    uint8_t ways = (uint8_t)((of & RARE_ON ? TAKEN_ON : 0) | (of & RARE_OFF ? TAKEN_AWAY : 0));
    if (!ways) ways = far_side(k, s->a);
    return ways ? ways | WANTS_EFFECT : 0;
}

static uint8_t wanted(const Kinds *k, const Insn *s) {
    uint16_t all = kind_of(k, s->a) | kind_of(k, s->b) | kind_of(k, s->c);
    bool lanes = k->code->reg[s->d].type.rank > 0, both = is_truth(k, s->a) && is_truth(k, s->b);
    uint8_t chosen = all & CHOOSES ? TAKEN_ON | TAKEN_AWAY : 0;
    if ((all & MEMORY) || !(all & VARIES)) return 0;
    switch (s->op) {
    case INSN_EQ: return lanes ? TAKEN_ON | chosen : 0;
    case INSN_NE: return lanes ? TAKEN_AWAY | chosen : 0;
    case INSN_LT:
    case INSN_LE:
    case INSN_GT:
    case INSN_GE: return lanes ? chosen : 0;
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

// A distance that something loaded has been added to.
static bool mixed(uint16_t kind) { return (kind & PLACE) && (kind & MEMORY) && (kind & CHOOSES); }

// What leads to a tensor of many rows and columns, noted or not, within functions of reductions, too.
static uint8_t meets(const Kinds *k, const Insn *s) {
    uint16_t a = kind_of(k, s->a), b = kind_of(k, s->b), all = a | b | kind_of(k, s->c);
    int r = changes(k, s);
    if (mixed(a) || mixed(b)) return all & FAR ? WANTS_FAR : WANTS_CORNER;
    if (r >= 0 && (k->kind[r] & CURVED)) return k->kind[r] & FAR ? WANTS_FAR : WANTS_CORNER;
    if (s->op == INSN_LOOPTEST && (all & PLACE) && (all & CHOOSES)) return WANTS_CORNER;
    if (is_comparison(s) && (all & PLACE)) {
        double large = k->large[s->a] > k->large[s->b] ? k->large[s->a] : k->large[s->b];
        if (large > FARTHEST && s->op >= INSN_EQ) return WANTS_FAR | WANTS_CORNER;
        if (large > 0) return all & MEMORY || s->op >= INSN_EQ ? WANTS_FAR : 0;
        if (s->op != INSN_EQ && s->op != INSN_NE) return 0;
        // With an argument of the kernel, too: it may be any number.
        uint16_t other = is_place(a) ? b : a;
        bool argument =
            is_place(a | b) && k->code->reg[s->d].type.rank > 0 && (other & (VARIES | PLACE)) == VARIES;
        return (all & CURVED) || argument ? WANTS_CORNER : 0;
    }
    // A table of places, for another kernel.
    if (s->op == INSN_STORE && is_place(b) && (b & (TRUTH | BENT | CHOOSES)))
        return b & FAR ? WANTS_FAR : WANTS_CORNER;
    return 0;
}

// Through a pointer into an argument; any, where it is not known which.
static void touch(Code *c, int base, int how) {
    bool known = base > 0 && base <= c->cells;
    for (int cell = 0; cell < c->cells; cell++)
        if (!known || base == cell + 1) c->touched[cell] |= (uint8_t)how;
}

// What is stored where. A mask that holds of few places chooses as a number does.
static void find_stored(const Kinds *k, Code *c) {
    for (int i = 0; i < c->insns; i++) {
        const Insn *s = &c->insn[i];
        bool store = s->op == INSN_STORE, atomic = s->op == INSN_ATOMIC || s->op == INSN_CAS;
        c->loads |= atomic || s->op == INSN_LOAD;
        if (atomic || store || s->op == INSN_LOAD)
            touch(c, k->base[s->a],
                  (store ? 0 : TOUCHED_LOADED) | (s->op == INSN_LOAD ? 0 : TOUCHED_CHANGED));
        if (!store && !atomic) continue;
        uint16_t of = store ? kind_of(k, s->b) : MEMORY, mask = store ? kind_of(k, s->c) : 0;
        if (mask & (RARE | FAR | CURVED)) of |= mask;
        if (!(of & (VARIES | MEMORY))) of = 0; // a constant everywhere
        int base = k->base[s->a];
        for (int cell = 0; cell < c->cells; cell++)
            if (base == cell + 1 || base <= 0 || base > c->cells) c->stored[cell] |= base > 0 ? of : MEMORY;
    }
}

uint8_t code_lane_truths(Arena *scratch, Code *c, const uint16_t *holds, CodeStatement *compare) {
    ArenaMark mark = arena_mark(scratch);
    Kinds k = {.code = c,
               .kind = NEWN(scratch, uint16_t, (size_t)c->regs + 1),
               .large = NEWN(scratch, double, (size_t)c->regs + 1),
               .holds = holds,
               .base = NEWN(scratch, int, (size_t)c->regs + 1),
               .def = NEWN(scratch, int, (size_t)c->regs + 1),
               .ends = NEWN(scratch, bool, (size_t)c->regs + 1)};
    find_kinds(&k);
    find_stored(&k, c);
    find_ends(&k);
    uint8_t meet = 0;
    bool ordered = false;
    for (int i = 0; i < c->insns; i++) {
        meet |= meets(&k, &c->insn[i]);
        ordered |= c->insn[i].op == INSN_ORDER;
    }
    if (meet && ordered) meet |= WANTS_ORDERS;
    for (int i = 0; i < c->compares; i++) {
        CodeStatement *n = &compare[i];
        const Insn *s = &c->insn[n->first];
        bool lanes = c->reg[s->d].type.rank > 0;
        int of = changes(&k, s);
        n->wants = wanted(&k, s);
        n->place = -1;
        if (!n->wants) n->wants = matters(&k, s);
        if (!n->wants && of >= 0 && (k.kind[of] & CHOOSES)) {
            n->wants = TAKEN_ON | TAKEN_AWAY | WANTS_CHANGE;
            n->place = of;
            n->axes = (uint8_t)((k.kind[of] & AXES) / AXIS);
            n->lanes = k.kind[of] & LANES;
        }
        if ((n->wants || lanes) && (k.kind[s->d] & (FAR | MEMORY)) == FAR) n->wants |= WANTS_FAR;
        if (is_comparison(s) && (k.kind[s->d] & (VARIES | MEMORY)) == VARIES)
            n->notes = k.large[s->a] > 0 || k.large[s->b] > 0 ? NOTES_FAR : NOTES_ALL;
    }
    arena_reset(scratch, mark);
    return meet;
}
