#include "tile/code/contraction.h"
#include <assert.h>

enum { MOVES_MAX = 6 }; // between a product and the sum that it goes into

// A product that nothing has changed since, and the moves that bring it to an operand, the last one first.
typedef struct {
    int product; // its instruction; -1: there is none
    int move[MOVES_MAX], moves;
} Source;

typedef struct {
    const Code *code;
    bool *target; // of a jump
    int block;    // first instruction of the present block: what runs together
    int *written; // by register: the instruction that has written it last, in any block
    int *only;    // by register: its one definition; -1: none or several
    // What is made of it, and which old instruction each part stands for.
    Insn *insn;
    int *from, insns, cap;
    Register *reg;
    int regs, reg_cap;
    int minus_one[DT_COUNT]; // registers; -1: not needed yet
    Arena *arena;
} Contract;

static bool is_control(const Insn *s) {
    return s->op == INSN_JUMP || s->op == INSN_JUMPNOT || s->op == INSN_LOOPTEST || s->op == INSN_END;
}
static bool has_target(const Insn *s) { return is_control(s) && s->op != INSN_END; }

static void open(Contract *x, Arena *a, const Code *c) {
    *x = (Contract){.code = c, .arena = a};
    x->target = NEWN(a, bool, (size_t)c->insns + 1);
    x->written = NEWN(a, int, (size_t)c->regs + 1);
    x->only = NEWN(a, int, (size_t)c->regs + 1);
    for (int r = 0; r < c->regs; r++) x->written[r] = x->only[r] = -1;
    for (int i = 0; i < c->insns; i++) {
        const Insn *s = &c->insn[i];
        if (has_target(s)) x->target[s->imm] = true;
        if (s->d < 0) continue;
        x->only[s->d] = x->written[s->d] < 0 && s->op != INSN_LOOPTEST ? i : -1;
        x->written[s->d] = i;
    }
    for (int r = 0; r < c->regs; r++) x->written[r] = -1;
}

// ---- which products there are

// Reshaping that only adds or drops dimensions of one lane leaves each value where it is.
static bool same_but_ones(const TileType *x, const TileType *y) {
    int i = 0, k = 0;
    for (;;) {
        while (i < x->rank && x->shape[i] == 1) i++;
        while (k < y->rank && y->shape[k] == 1) k++;
        if (i == x->rank || k == y->rank) return i == x->rank && k == y->rank;
        if (x->shape[i++] != y->shape[k++]) return false;
    }
}

// A thread that holds a lane of the result holds the lane that it comes from: for a compiler there is no
// move.
static bool moves_on(const Code *c, const Insn *s) {
    if (s->op == INSN_COPY || s->op == INSN_SPLAT || s->op == INSN_BROADCAST) return true;
    return s->op == INSN_RESHAPE && same_but_ones(&c->reg[s->d].type, &c->reg[s->a].type);
}

static const Insn *definition(const Contract *x, int r) {
    return x->only[r] < 0 ? NULL : &x->code->insn[x->only[r]];
}

static bool power_of_two(const Contract *x, int r) {
    const Insn *s = definition(x, r);
    if (s && s->op == INSN_SPLAT) s = definition(x, s->a);
    if (!s || s->op != INSN_CONST) return false;
    enum { EXPONENT = 0x7ff };
    int64_t mantissa = s->imm & (((int64_t)1 << 52) - 1), exponent = s->imm >> 52 & EXPONENT; // of a double
    return mantissa == 0 && exponent > 0 && exponent < EXPONENT;
}

// A float32 that has 11 bits at most.
static bool was_half(const Contract *x, int r) {
    const Insn *s = definition(x, r);
    if (!s || s->op != INSN_CAST || x->code->reg[r].type.elem != DT_F32) return false;
    DType t = x->code->reg[s->a].type.elem;
    return t == DT_F16 || t == DT_BF16;
}

static bool is_exact(const Contract *x, const Insn *s) {
    return power_of_two(x, s->a) || power_of_two(x, s->b) || (was_half(x, s->a) && was_half(x, s->b));
}

static bool fuses_type(const TileType *t) {
    return !t->pointer && (t->elem == DT_F16 || t->elem == DT_BF16 || t->elem == DT_F32 || t->elem == DT_F64);
}

static Source source_of(const Contract *x, int r) {
    Source p = {.product = -1};
    for (;;) {
        int at = x->written[r];
        if (at < x->block) return p;
        const Insn *s = &x->code->insn[at];
        if (s->op == INSN_MUL) {
            bool changed = x->written[s->a] >= at || x->written[s->b] >= at;
            if (!changed && !is_exact(x, s)) p.product = at;
            return p;
        }
        if (!moves_on(x->code, s) || p.moves == MOVES_MAX || x->written[s->a] >= at) return p;
        p.move[p.moves++] = at;
        r = s->a;
    }
}

static bool may_fuse(const Contract *x, const Insn *s) {
    return (s->op == INSN_ADD || s->op == INSN_SUB) && fuses_type(&x->code->reg[s->d].type);
}

// Before each instruction, and after it.
static void enter(Contract *x, int i) {
    if (x->target[i] || (i > 0 && is_control(&x->code->insn[i - 1]))) x->block = i;
}
static void leave(Contract *x, int i) {
    const Insn *s = &x->code->insn[i];
    if (s->d >= 0) x->written[s->d] = i;
}

unsigned code_contracts(Arena *scratch, const Code *c) {
    ArenaMark mark = arena_mark(scratch);
    Contract x;
    open(&x, scratch, c);
    unsigned ways = 0;
    for (int i = 0; i < c->insns; i++) {
        const Insn *s = &c->insn[i];
        enter(&x, i);
        if (may_fuse(&x, s)) {
            bool left = source_of(&x, s->a).product >= 0, right = source_of(&x, s->b).product >= 0;
            if (left || right) ways |= 1u << CONTRACT_LEFT;
            if (left && right) ways |= 1u << CONTRACT_RIGHT;
        }
        leave(&x, i);
    }
    arena_reset(scratch, mark);
    return ways;
}

// ---- making it

static void put(Contract *x, Insn s, int from) {
    if (x->insns == x->cap) {
        int cap = 2 * x->cap + 64;
        x->insn = MORE(x->arena, Insn, x->insn, x->insns, cap);
        x->from = MORE(x->arena, int, x->from, x->insns, cap);
        x->cap = cap;
    }
    s.span = x->code->insn[from].span;
    x->insn[x->insns] = s;
    x->from[x->insns++] = from;
}

static int make(Contract *x, TileType t, Insn s, int from) {
    if (x->regs == x->reg_cap) {
        int cap = x->reg_cap + x->reg_cap / 2 + 64;
        x->reg = MORE(x->arena, Register, x->reg, x->regs, cap);
        x->reg_cap = cap;
    }
    x->reg[x->regs] = (Register){.type = t};
    s.d = x->regs++;
    put(x, s, from);
    return s.d;
}

// Exact, signed zeros included. The constant is made where the code begins.
static int negative(Contract *x, int r, int at) {
    TileType t = x->reg[r].type;
    return make(x, t, insn(INSN_MUL, -1, r, x->minus_one[t.elem], -1, 0), at);
}

// A factor, moved as its product is.
static int moved(Contract *x, const Source *p, int r, int at) {
    for (int k = p->moves; k > 0 && tile_lanes(&x->reg[r].type) > 1; k--) {
        const Insn *s = &x->code->insn[p->move[k - 1]];
        r = make(x, x->code->reg[s->d].type, insn(s->op, -1, r, -1, -1, s->imm), at);
    }
    return r;
}

static bool contract(Contract *x, int at, ContractSide side) {
    const Insn *s = &x->code->insn[at];
    if (!may_fuse(x, s)) return false;
    Source left = source_of(x, s->a), right = source_of(x, s->b);
    bool use_left = left.product >= 0 && (side == CONTRACT_LEFT || right.product < 0);
    const Source *p = use_left ? &left : &right;
    if (p->product < 0) return false;
    const Insn *product = &x->code->insn[p->product];
    int one = product->a, two = product->b, other = use_left ? s->b : s->a;
    if (s->op == INSN_SUB && use_left) other = negative(x, other, at);
    if (s->op == INSN_SUB && !use_left) {
        bool fewer = tile_lanes(&x->reg[one].type) <= tile_lanes(&x->reg[two].type);
        *(fewer ? &one : &two) = negative(x, fewer ? one : two, at);
    }
    one = moved(x, p, one, at);
    two = moved(x, p, two, at);
    put(x, insn(INSN_FMA, s->d, one, two, other, 0), at);
    return true;
}

// Products and moves that nobody needs any more. Their place in `from` is -1 then.
static void drop_unused(Contract *x) {
    int *uses = NEWN(x->arena, int, (size_t)x->regs + 1);
    for (int i = 0; i < x->insns; i++) {
        const Insn *s = &x->insn[i];
        const int read[] = {s->a, s->b, s->c, s->op == INSN_LOOPTEST ? s->d : -1};
        for (int k = 0; k < 4; k++)
            if (read[k] >= 0) uses[read[k]]++;
    }
    for (int i = x->insns - 1; i >= 0; i--) {
        const Insn *s = &x->insn[i];
        bool pure = s->op == INSN_CONST || s->op == INSN_MUL || s->op == INSN_COPY || s->op == INSN_SPLAT ||
                    s->op == INSN_RESHAPE || s->op == INSN_BROADCAST;
        if (!pure || uses[s->d] > 0) continue;
        if (s->a >= 0) uses[s->a]--;
        if (s->b >= 0) uses[s->b]--;
        x->from[i] = -1;
    }
}

static void finish(Contract *x, Code *out) {
    const Code *c = x->code;
    int *at = NEWN(x->arena, int, (size_t)c->insns + 1), n = 0, old = 0;
    for (int i = 0; i < x->insns; i++) {
        if (x->from[i] < 0) continue;
        for (; old <= x->from[i]; old++) at[old] = n;
        x->insn[n++] = x->insn[i];
    }
    for (; old <= c->insns; old++) at[old] = n;
    for (int i = 0; i < n; i++)
        if (has_target(&x->insn[i])) x->insn[i].imm = at[x->insn[i].imm];
    *out = *c;
    out->contracts = 0;
    out->contracted[0] = out->contracted[1] = NULL;
    out->insn = x->insn;
    out->insns = n;
    out->reg = x->reg;
    out->regs = x->regs;
    out->statement = NEWN(x->arena, CodeStatement, (size_t)c->statements + 1);
    for (int i = 0; i < c->statements; i++)
        out->statement[i] = (CodeStatement){.at = c->statement[i].at, .first = at[c->statement[i].first]};
    out->compares = 0; // the code itself has told
}

static void minus_ones(Contract *x) {
    static const DType type[] = {DT_F16, DT_BF16, DT_F32, DT_F64};
    const double value = -1;
    int64_t bits;
    memcpy(&bits, &value, sizeof bits);
    for (size_t k = 0; k < sizeof type / sizeof *type; k++)
        x->minus_one[type[k]] =
            make(x, (TileType){.elem = type[k]}, insn(INSN_CONST, -1, -1, -1, -1, bits), 0);
}

Code *code_contract(Arena *a, const Code *c, ContractSide side) {
    assert(side != CONTRACT_NONE);
    Contract x;
    open(&x, a, c);
    x.reg_cap = x.regs = c->regs;
    x.reg = NEWN(a, Register, (size_t)c->regs + 1);
    for (int r = 0; r < c->regs; r++) x.reg[r].type = c->reg[r].type;
    minus_ones(&x);
    for (int i = 0; i < c->insns; i++) {
        enter(&x, i);
        if (!contract(&x, i, side)) put(&x, c->insn[i], i);
        leave(&x, i);
    }
    drop_unused(&x);
    Code *out = NEW(a, Code);
    finish(&x, out);
    code_layout(a, out);
    return out;
}
