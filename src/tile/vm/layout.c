// What the VM knows about registers before it runs: which may hold undefined lanes, which feed addresses, and
// where each lives. All three ignore the order of instructions where that can only err to the safe side.
#include "tile/code/copy_elision.h"
#include "tile/compute/affine.h"
#include "tile/compute/axes.h"
#include "tile/vm/lanes.h"
#include "tile/vm/narrow.h"
#include <assert.h>

static bool is_jump(const Insn *s) {
    return s->op == INSN_JUMP || s->op == INSN_JUMPNOT || s->op == INSN_LOOPTEST;
}
static bool writes_d(const Insn *s) { return s->d >= 0 && s->op != INSN_LOOPTEST; }

// What follows says of registers what it says of those that they are computed from, or go into. One pass
// along the code, or against it, settles straight code; only where a loop carries values around, another one
// may find more.
static bool has_loops(const Code *c) {
    for (int i = 0; i < c->insns; i++)
        if (is_jump(&c->insn[i]) && c->insn[i].imm <= i) return true;
    return false;
}

// ---- undefined lanes ----

// Passes undefined lanes on from its operands. A histogram reports them instead, a load takes them from
// `other` only (undefined masks and addresses are reported), but see hint.c.
static bool taints(const Code *c, const Insn *s, bool hints) {
#define TAINTED(r) ((r) >= 0 && c->reg[r].tainted)
    switch (s->op) {
    case INSN_HINT: return true;
    case INSN_LOAD: return (s->b >= 0 && (s->c < 0 || TAINTED(s->c))) || (hints && TAINTED(s->a));
    case INSN_ATOMIC: return s->c >= 0; // undefined operands are reported
    case INSN_CAS:
    case INSN_HISTOGRAM: return false;
    default: return TAINTED(s->a) || TAINTED(s->b) || TAINTED(s->c);
    }
#undef TAINTED
}

static void mark_tainted(Code *c, bool loops) {
    bool hints = false;
    for (int r = 0; r < c->regs; r++) c->reg[r].tainted = false;
    for (int i = 0; i < c->insns; i++) hints |= c->insn[i].op == INSN_HINT;
    for (bool changed = true; changed;) {
        changed = false;
        for (int i = 0; i < c->insns; i++) {
            const Insn *s = &c->insn[i];
            if (!writes_d(s) || c->reg[s->d].tainted || !taints(c, s, hints)) continue;
            c->reg[s->d].tainted = true;
            changed = loops;
        }
    }
}

// ---- what loaded values decide ----

static bool find_steered(Arena *a, const Code *c, bool loops) {
    ArenaMark mark = arena_mark(a);
    uint8_t *loaded = NEWN(a, uint8_t, (size_t)c->regs + 1); // by register: comes from memory
    bool steered = false;
#define LOADED(r) ((r) >= 0 && loaded[r])
    for (bool changed = true; changed && !steered;) {
        changed = false;
        for (int i = 0; i < c->insns; i++) {
            const Insn *s = &c->insn[i];
            bool memory = s->op == INSN_LOAD || s->op == INSN_ATOMIC || s->op == INSN_CAS,
                 any = LOADED(s->a) || LOADED(s->b) || LOADED(s->c);
            steered |= (s->op == INSN_JUMPNOT && LOADED(s->a)) ||
                       (s->op == INSN_LOOPTEST && (LOADED(s->d) || any)) || s->op == INSN_CAS ||
                       ((s->op == INSN_STORE || s->op == INSN_ATOMIC) && (LOADED(s->a) || LOADED(s->c)));
            if (!writes_d(s) || loaded[s->d] || !(memory || any)) continue;
            loaded[s->d] = 1;
            changed = loops;
        }
    }
#undef LOADED
    arena_reset(a, mark);
    return steered;
}

// ---- what feeds addresses ----

// Which operands of an instruction the value of its result comes from, as bits 1 a, 2 b, 4 c. Exclusive or
// and `and` end the chain: they are what hashes and masks are made of, where wrapping is meant.
static unsigned sources(const Insn *s) {
    switch (s->op) {
    case INSN_LOAD:
    case INSN_ATOMIC:
    case INSN_CAS:
    case INSN_HISTOGRAM:
    case INSN_AND:
    case INSN_XOR:
    case INSN_LT:
    case INSN_LE:
    case INSN_GT:
    case INSN_GE:
    case INSN_EQ:
    case INSN_NE: return 0;
    case INSN_WHERE: return 2 | 4;
    default: return 1 | 2 | 4;
    }
}

static void mark_addresses(Code *c, bool loops) {
    for (int r = 0; r < c->regs; r++) c->reg[r].address = false;
    for (bool changed = true; changed;) {
        changed = false;
        for (int i = c->insns - 1; i >= 0; i--) {
            const Insn *s = &c->insn[i];
            unsigned from = s->op == INSN_PTRADD ? 2 : writes_d(s) && c->reg[s->d].address ? sources(s) : 0;
            const int r[] = {s->a, s->b, s->c};
            for (int k = 0; k < 3; k++) {
                if (!(from >> k & 1) || r[k] < 0 || c->reg[r[k]].address) continue;
                c->reg[r[k]].address = true;
                changed = loops;
            }
        }
    }
}

// ---- lifetimes ----

typedef struct {
    int first, last; // instructions; last < first: never used
    bool read_first; // the first instruction reads it
} Life;
typedef struct {
    int start, end, around; // around: the enclosing loop, or -1
} Loop;

static void touch(Life *l, int at, bool read) {
    if (l->last < l->first) *l = (Life){at, at, read};
    l->last = at;
}

static bool starts_before(const Loop *a, const Loop *b) {
    return a->start != b->start ? a->start < b->start : a->end > b->end;
}

// By insertion: backward jumps come almost in order, and qsort may ask the system for memory, which a sandbox
// denies.
static void sort_loops(Loop *loop, int n) {
    for (int i = 1; i < n; i++) {
        Loop x = loop[i];
        int j = i;
        for (; j > 0 && starts_before(&x, &loop[j - 1]); j--) loop[j] = loop[j - 1];
        loop[j] = x;
    }
}

// Loops are intervals that nest (code_verify). inner[i] is the innermost one around instruction i, or -1.
static int find_loops(Arena *a, const Code *c, Loop **out, int *inner) {
    int n = 0;
    for (int i = 0; i < c->insns; i++) n += is_jump(&c->insn[i]) && c->insn[i].imm <= i;
    Loop *loop = NEWN(a, Loop, (size_t)n + 1);
    n = 0;
    for (int i = 0; i < c->insns; i++)
        if (is_jump(&c->insn[i]) && c->insn[i].imm <= i) loop[n++] = (Loop){(int)c->insn[i].imm, i, -1};
    sort_loops(loop, n);
    for (int i = 0, next = 0, at = -1; i < c->insns; i++) {
        while (at >= 0 && loop[at].end < i) at = loop[at].around;
        for (; next < n && loop[next].start == i; next++) {
            loop[next].around = at;
            at = next;
        }
        inner[i] = at;
    }
    *out = loop;
    return n;
}

static bool holds(const Loop *loop, int l, int at) {
    return l < 0 || (loop[l].start <= at && at <= loop[l].end);
}

// A register lives from its first to its last mention, and through the whole of every loop that holds only
// part of them: the value may come from before, be used after, or be carried to the next iteration.
static void extend_over_loops(Life *l, const Loop *loop, const int *inner) {
    int common = inner[l->first];
    while (!holds(loop, common, l->last)) common = loop[common].around;
    for (int k = inner[l->first]; k != common; k = loop[k].around) l->first = loop[k].start;
    for (int k = inner[l->last]; k != common; k = loop[k].around) l->last = loop[k].end;
    for (int k = common; l->read_first && k >= 0; k = loop[k].around) {
        l->first = loop[k].start;
        l->last = loop[k].end;
    }
}

// Of the registers that give others' places, too.
static Life *find_lives(Arena *a, const Code *c, const int *place) {
    Life *life = NEWN(a, Life, (size_t)c->regs + 1);
    for (int r = 0; r < c->regs; r++) life[r] = (Life){0, -1, false};
    for (int i = 0; i < c->insns; i++) {
        const Insn *s = &c->insn[i];
        if (s->a >= 0) touch(&life[place[s->a]], i, true);
        if (s->b >= 0) touch(&life[place[s->b]], i, true);
        if (s->c >= 0) touch(&life[place[s->c]], i, true);
        if (s->d >= 0) touch(&life[place[s->d]], i, !writes_d(s));
    }
    Loop *loop;
    int *inner = NEWN(a, int, (size_t)c->insns);
    if (find_loops(a, c, &loop, inner) == 0) return life;
    for (int r = 0; r < c->regs; r++)
        if (life[r].first <= life[r].last) extend_over_loops(&life[r], loop, inner);
    return life;
}

// ---- packing ----

typedef struct {
    size_t at, bytes;
} Hole;
typedef struct {
    Hole *hole; // by address, never adjacent
    int holes;
    size_t end;
} Space;

// The smallest hole that fits, else the end of the file.
static size_t space_take(Space *s, size_t bytes) {
    int best = -1;
    for (int i = 0; i < s->holes; i++)
        if (s->hole[i].bytes >= bytes && (best < 0 || s->hole[i].bytes < s->hole[best].bytes)) best = i;
    if (best < 0) {
        size_t at = s->end;
        s->end += bytes;
        return at;
    }
    Hole *h = &s->hole[best];
    size_t at = h->at;
    h->at += bytes;
    h->bytes -= bytes;
    if (h->bytes == 0) {
        memmove(h, h + 1, (size_t)(s->holes - best - 1) * sizeof *h);
        s->holes--;
    }
    return at;
}

static void space_give(Space *s, size_t at, size_t bytes) {
    int i = 0;
    while (i < s->holes && s->hole[i].at < at) i++;
    bool left = i > 0 && s->hole[i - 1].at + s->hole[i - 1].bytes == at;
    bool right = i < s->holes && at + bytes == s->hole[i].at;
    if (left && right) {
        s->hole[i - 1].bytes += bytes + s->hole[i].bytes;
        memmove(&s->hole[i], &s->hole[i + 1], (size_t)(s->holes - i - 1) * sizeof(Hole));
        s->holes--;
    } else if (left) {
        s->hole[i - 1].bytes += bytes;
    } else if (right) {
        s->hole[i] = (Hole){at, bytes + s->hole[i].bytes};
    } else {
        memmove(&s->hole[i + 1], &s->hole[i], (size_t)(s->holes - i) * sizeof(Hole));
        s->hole[i] = (Hole){at, bytes};
        s->holes++;
    }
}

static size_t round_up(size_t n) { return (n + 63) & ~(size_t)63; }
static size_t lane_space(const Register *r) {
    return round_up((size_t)tile_lanes(&r->type) * (size_t)tile_lane_bytes(&r->type));
}
static size_t register_space(const Register *r) {
    return lane_space(r) + (r->tainted ? round_up((size_t)tile_lanes(&r->type)) : 0);
}

// Registers sorted into lists by an instruction number: two counting sorts instead of comparisons.
typedef struct {
    int *head, *next;
} Lists;
static Lists lists_new(Arena *a, int keys, int items) {
    Lists l = {NEWN(a, int, (size_t)keys), NEWN(a, int, (size_t)items + 1)};
    for (int i = 0; i < keys; i++) l.head[i] = -1;
    return l;
}
static void lists_add(Lists *l, int key, int item) {
    l->next[item] = l->head[key];
    l->head[key] = item;
}

static const Insn *first_naked(const Code *c) {
    for (int i = 0; i < c->insns; i++) {
        const Insn *n = &c->insn[i];
        if (n->op != INSN_CAST && n->op != INSN_BITCAST) continue;
        if (c->reg[n->d].type.pointer != c->reg[n->a].type.pointer) return n;
    }
    return NULL;
}

static bool is_atomic(const Insn *s) { return s->op == INSN_ATOMIC || s->op == INSN_CAS; }

static void mark_atomics(Arena *a, Code *c) {
    c->atomics = c->watched = false;
    for (int i = 0; i < c->insns && !c->atomics; i++) c->atomics = is_atomic(&c->insn[i]);
    if (!c->atomics) return;
    ArenaMark mark = arena_mark(a);
    bool *used = NEWN(a, bool, (size_t)c->regs + 1);
    for (int i = 0; i < c->insns; i++) {
        const int read[] = {c->insn[i].a, c->insn[i].b, c->insn[i].c};
        for (int k = 0; k < 3; k++)
            if (read[k] >= 0) used[read[k]] = true;
    }
    for (int i = 0; i < c->insns; i++) {
        Insn *n = &c->insn[i];
        if (!is_atomic(n)) continue;
        if (!used[n->d]) n->imm |= ATOMIC_UNSEEN;
        if (n->op == INSN_CAS || used[n->d]) c->watched = true;
    }
    arena_reset(a, mark);
}

// ---- small tiles, which several threads hold ----

// Of a number, and of a tile of fewer lanes than a warp, every lane is in several threads. One of them stores
// it; all of them load it, each at its own time. As long as such a value goes into stores of as many lanes
// only, it matters what that one thread has; anything else looks at the others' as well.
enum { WARP = 32 };

static bool several(const Code *c, int r) { return r >= 0 && tile_lanes(&c->reg[r].type) < WARP; }

typedef enum { STAYS, SPREADS, FOLLOWS } Spread; // FOLLOWS: as the result does

static Spread how_spreads(const Code *c, const Insn *s, int r) {
    int lanes = tile_lanes(&c->reg[r].type), wide = tile_lanes(&c->reg[s->d >= 0 ? s->d : s->a].type);
    switch (s->op) {
    case INSN_JUMPNOT:
    case INSN_LOOPTEST:
    case INSN_DOT: return SPREADS;
    case INSN_STORE:
    case INSN_ATOMIC:
    case INSN_CAS: return lanes == tile_lanes(&c->reg[s->a].type) ? STAYS : SPREADS;
    case INSN_SUM:
    case INSN_RMAX:
    case INSN_RMIN:
    case INSN_XORSUM:
    case INSN_ORSUM:
    case INSN_ARGMAX:
    case INSN_ARGMIN: return FOLLOWS;
    case INSN_TRANS:
    case INSN_SLICE:
    case INSN_CONCAT:
    case INSN_FLIP:
    case INSN_ORDER:
    case INSN_GATHER:
    case INSN_SWAP:
    case INSN_HISTOGRAM: return lanes == 1 && wide == 1 ? FOLLOWS : SPREADS;
    default: return lanes == wide ? FOLLOWS : SPREADS;
    }
}

static void mark_spreading(Arena *a, Code *c, bool loops) {
    bool any = false; // a load of so few
    for (int i = 0; i < c->insns; i++) {
        if (c->insn[i].op != INSN_LOAD) continue;
        c->insn[i].imm = 0;
        any |= several(c, c->insn[i].d);
    }
    if (!any) return;
    ArenaMark mark = arena_mark(a);
    bool *spreads = NEWN(a, bool, (size_t)c->regs + 1);
    for (bool changed = true; changed;) {
        changed = false;
        for (int i = c->insns - 1; i >= 0; i--) {
            const Insn *s = &c->insn[i];
            const int read[] = {s->a, s->b, s->c, s->op == INSN_LOOPTEST ? s->d : -1};
            for (int k = 0; k < 4; k++) {
                if (read[k] < 0 || spreads[read[k]] || !several(c, read[k])) continue;
                Spread how = how_spreads(c, s, read[k]);
                if (how == STAYS || (how == FOLLOWS && (s->d < 0 || !spreads[s->d]))) continue;
                spreads[read[k]] = true;
                changed = loops;
            }
        }
    }
    for (int i = 0; i < c->insns; i++) {
        Insn *s = &c->insn[i];
        if (s->op == INSN_LOAD && several(c, s->d) && spreads[s->d]) s->imm = LOAD_SPREADS;
    }
    arena_reset(a, mark);
}

// ---- elements of several widths ----

// Triton deals out the lanes of a tile in runs of 16 bytes, one run to a thread; for a load in runs of as
// many lanes as those of the narrowest elements that the kernel accesses in tiles of this shape. Then a
// load's lanes are in other threads than the same lanes of a store.
static bool accesses(const Insn *s) {
    return s->op == INSN_LOAD || s->op == INSN_STORE || s->op == INSN_ATOMIC || s->op == INSN_CAS;
}

static void mark_narrowest(Code *c) {
    enum { SHAPES_MAX = 64 }; // those beyond stay unmarked
    struct {
        uint32_t shape;
        int bytes;
    } found[SHAPES_MAX];
    int n = 0;
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < c->insns; i++) {
            Insn *s = &c->insn[i];
            if (!accesses(s)) continue;
            const TileType *t = &c->reg[s->a].type;
            uint32_t shape = lanes_shape(t);
            int k = 0, bytes = dtype_bytes(t->elem);
            while (k < n && found[k].shape != shape) k++;
            if (pass == 1) {
                if (s->op == INSN_LOAD && k < n) s->imm |= (int64_t)found[k].bytes << LOAD_NARROWEST;
            } else if (k < n) {
                if (bytes < found[k].bytes) found[k].bytes = bytes;
            } else if (n < SHAPES_MAX) {
                found[n].shape = shape;
                found[n++].bytes = bytes;
            }
        }
}

// Along the code: a register gets its place where its life begins and returns it after the instruction where
// it ends, so that a result never shares space with an operand of the same instruction.
void code_layout(Arena *a, Code *c) {
    bool loops = has_loops(c);
    c->naked = first_naked(c);
    mark_atomics(a, c);
    mark_spreading(a, c, loops);
    mark_narrowest(c);
    c->taken = NEWN(a, uint8_t, (size_t)c->insns + 1);
    c->steered = find_steered(a, c, loops);
    mark_tainted(c, loops);
    mark_addresses(c, loops);
    mark_affine(a, c);
    mark_axes(a, c);
    mark_narrow(c);
    ArenaMark mark = arena_mark(a);
    const int *place = moves_join(a, c);
    Life *life = find_lives(a, c, place);
    Lists born = lists_new(a, c->insns, c->regs), dies = lists_new(a, c->insns, c->regs);
    for (int r = c->regs - 1; r >= 0; r--) {
        c->reg[r].offset = c->reg[r].poison_offset = 0;
        if (life[r].last < life[r].first) continue;
        lists_add(&born, life[r].first, r);
        lists_add(&dies, life[r].last, r);
    }
    Space space = {.hole = NEWN(a, Hole, (size_t)c->regs + 1)};
    for (int i = 0; i < c->insns; i++) {
        for (int r = born.head[i]; r >= 0; r = born.next[r]) {
            c->reg[r].offset = space_take(&space, register_space(&c->reg[r]));
            c->reg[r].poison_offset = c->reg[r].offset + lane_space(&c->reg[r]);
        }
        for (int r = dies.head[i]; r >= 0; r = dies.next[r])
            space_give(&space, c->reg[r].offset, register_space(&c->reg[r]));
    }
    for (int r = 0; r < c->regs; r++) {
        c->reg[r].offset = c->reg[place[r]].offset;
        c->reg[r].poison_offset = c->reg[place[r]].poison_offset;
    }
    c->file_bytes = space.end;
    arena_reset(a, mark);
}
