// What the loads of a loop need of shared memory. Triton fetches a tile ahead when the innermost `for` around
// its load multiplies it with tl.dot, when its address changes from iteration to iteration, and when a thread
// can copy 4 bytes at once: always so for float32, for narrower types only where Triton knows how addresses
// are aligned. Whatever else might keep it from doing so makes the loop count for nothing here.
#include "tile/code/shared_memory.h"
#include "tile/check/checker.h"

int64_t shared_bytes(const SharedUse *use, int warps, int stages) {
    if (use->stages) stages = use->stages;
    if (use->once) return warps > 1 ? use->once : 0; // within a warp, registers are exchanged without it
    return stages < 2 ? 0 : use->ahead * (stages - 1) + use->longer * (warps < 4 ? stages - 1 : stages);
}

void checker_uses_shared(Checker *c, SharedUse use) {
    if (c->shareds == c->shared_cap) {
        int cap = c->shared_cap ? 2 * c->shared_cap : 8;
        c->shared = MORE(c->arena, SharedUse, c->shared, c->shareds, cap);
        c->shared_cap = cap;
    }
    c->shared[c->shareds++] = use;
}

// ---- a loop ----

enum { STEPS_MAX = 4096, LOADS_MAX = 16 };
typedef struct {
    Checker *c;
    int first, end; // the body's instructions
    uint8_t *made;  // of each register: whether the body writes it
    int load[LOADS_MAX], loads;
    int steps;
    bool unknown; // the loop counts for nothing
} Loop;

static bool spent(Loop *l) {
    l->unknown |= ++l->steps > STEPS_MAX;
    return l->unknown;
}

// The instruction of the body that alone makes the register, in every iteration; NULL: there is none.
static const Insn *maker(const Loop *l, int reg) {
    const Definition *d = reg >= 0 ? &l->c->def[reg] : NULL;
    return d && !d->shared && d->insn >= l->first && d->region == l->c->region ? &l->c->insn[d->insn] : NULL;
}

static bool elementwise(InsnOp op) {
    return (op >= INSN_COPY && op <= INSN_BITCAST) || op == INSN_PTRADD || op == INSN_MATH;
}

// Whether the register's value differs between iterations, as far as the instructions say; a load on the way
// makes the loop one whose loads wait for others.
static bool varies(Loop *l, int reg) {
    if (reg < 0 || !l->made[reg] || spent(l)) return false;
    const Insn *s = maker(l, reg);
    if (!s) return true; // carried, the index, or made under a condition
    if (s->op == INSN_LOAD) l->unknown = true;
    bool a = varies(l, s->a), b = varies(l, s->b), c = varies(l, s->c);
    return a || b || c;
}

// Two registers hold the same: what is computed twice is computed once by Triton.
static bool same(Loop *l, int r, int q) {
    if (r == q) return true;
    if (r < 0 || q < 0 || spent(l)) return false;
    const Definition *d = &l->c->def[r], *e = &l->c->def[q];
    if (d->shared || e->shared || d->insn < 0 || e->insn < 0) return false;
    const Insn *s = &l->c->insn[d->insn], *t = &l->c->insn[e->insn];
    return s->op == t->op && s->imm == t->imm && type_same(&l->c->reg[r].type, &l->c->reg[q].type) &&
           same(l, s->a, t->a) && same(l, s->b, t->b) && same(l, s->c, t->c);
}

static void add_load(Loop *l, int insn) {
    const Insn *s = &l->c->insn[insn];
    const TileType *t = &l->c->reg[s->d].type;
    if (t->rank < 2 || t->pointer || t->elem != DT_F32) return;
    bool a = varies(l, s->a), b = varies(l, s->b), c = varies(l, s->c);
    if (!(a || b || c)) return; // hoisted
    for (int i = 0; i < l->loads; i++)
        if (same(l, l->c->insn[l->load[i]].d, s->d)) return;
    if (l->loads < LOADS_MAX) l->load[l->loads++] = insn;
}

// The loads that an operand of a product comes from, lane by lane.
static void find_loads(Loop *l, int reg) {
    const Insn *s = maker(l, reg);
    if (!s || spent(l)) return;
    if (s->op == INSN_LOAD) {
        add_load(l, l->c->def[reg].insn);
    } else if (elementwise(s->op) || s->op == INSN_TRANS) {
        find_loads(l, s->a);
        find_loads(l, s->b);
        find_loads(l, s->c);
    }
}

// wgmma: tf32, one batch, 64 rows at least.
static bool by_wgmma(const Checker *c, const Insn *dot) {
    const TileType *d = &c->reg[dot->d].type;
    return dot->imm == 13 && d->rank == 2 && d->shape[0] >= 64;
}

static bool is_load(Loop *l, int reg, int load) {
    const Insn *s = maker(l, reg);
    return s && s->op == INSN_LOAD && same(l, reg, l->c->insn[load].d);
}

// Whether products by wgmma alone read what the load gives: nothing else needs it in registers.
static bool feeds_wgmma(Loop *l, int load) {
    for (int i = l->first; i < l->end; i++) {
        const Insn *s = &l->c->insn[i];
        if (s->op == INSN_DOT && by_wgmma(l->c, s)) continue;
        if (is_load(l, s->a, load) || is_load(l, s->b, load) || is_load(l, s->c, load)) return false;
    }
    return true;
}

// False, too, where the body holds something that Triton stops at.
static bool has_products(const Loop *l) {
    const Checker *c = l->c;
    bool product = false;
    for (int i = l->first; i < l->end; i++) {
        const Insn *s = &c->insn[i];
        bool jumps = s->op == INSN_JUMP || s->op == INSN_JUMPNOT;
        if (s->op == INSN_LOOPTEST || s->op == INSN_BARRIER || (jumps && s->imm <= i)) return false;
        product |= s->op == INSN_DOT;
    }
    return product;
}

// Whether the value is known only when the kernel runs.
static bool at_run_time(Loop *l, int reg) {
    if (reg < 0 || l->c->def[reg].constant || spent(l)) return false;
    const Definition *d = &l->c->def[reg];
    if (d->shared || d->insn < 0) return true; // of a loop around it, or a parameter
    const Insn *s = &l->c->insn[d->insn];
    if (s->op == INSN_PID || s->op == INSN_NPROG) return true;
    return at_run_time(l, s->a) || at_run_time(l, s->b) || at_run_time(l, s->c);
}

// What a loop that runs once at most would be folded into is none. `start` is read before the loop.
static bool may_repeat(Loop *l, const Insn *test, int start, int64_t trips) {
    return trips > 1 || at_run_time(l, start) || at_run_time(l, test->a) || at_run_time(l, test->b);
}

bool checker_loop_shared(Checker *c, const Node *n, int test, int start, int64_t trips, int stages) {
    Loop l = {.c = c, .first = test + 1, .end = c->insns - 1}; // the last one jumps back
    if (!checker_spend(c, n, (c->insns - test) / 16 + 1)) return false;
    if (!has_products(&l)) return true;
    l.made = NEWN(c->arena, uint8_t, (size_t)c->regs);
    for (int i = l.first; i < l.end; i++)
        if (c->insn[i].d >= 0) l.made[c->insn[i].d] = 1;
    if (!may_repeat(&l, &c->insn[test], start, trips)) return true;
    int open = 0; // from here on instructions run in every iteration
    for (int i = l.first; i < l.end; i++) {
        const Insn *s = &c->insn[i];
        if ((s->op == INSN_JUMP || s->op == INSN_JUMPNOT) && s->imm > open) open = (int)s->imm;
        if (s->op == INSN_LOAD) { // one that waits for another
            (void)varies(&l, s->a);
            (void)varies(&l, s->b);
            (void)varies(&l, s->c);
        }
        if (s->op != INSN_DOT || i < open) continue;
        find_loads(&l, s->a);
        find_loads(&l, s->b);
    }
    SharedUse use = {.stages = stages, .span = checker_span(c, n)};
    for (int i = 0; i < l.loads; i++) {
        const TileType *t = &c->reg[c->insn[l.load[i]].d].type;
        *(feeds_wgmma(&l, l.load[i]) ? &use.longer : &use.ahead) += tile_lanes(t) * dtype_bytes(t->elem);
    }
    if (l.loads && !l.unknown) checker_uses_shared(c, use);
    return checker_spend(c, n, l.steps / 16);
}
