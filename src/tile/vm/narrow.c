// narrow.c - a block of 1,024 lanes over a row of 31 columns does the work of 31. Behind the last active lane
// of a masked load all lanes are `other`; what is computed lane by lane from such tiles has equal lanes
// there, too. So only the first lanes are computed, one of the equal ones among them, which stands for all
// that follow: those are the live lanes. How many there are is known when a load runs, and may differ from
// program to program; every other step computes as many as its operands have. A register takes part if all
// instructions that write or read it do. Where one result is needed whole its operands are written out first.
// A launch begins without all this, and does so from the program on before which a load had lanes to spare.
//
// A reduction meets lane i with lane i + n / 2 (fold.c): as long as the live lanes are in the first half each
// meets the one that stands for the rest. So every bit is what it would be without this file. The budget
// still charges all lanes: what a kernel costs does not depend on it either.
#include "tile/vm/narrow.h"

#include <assert.h>

#include "tile/vm/decode.h"
#include "tile/vm/steps.h"

enum { STEP = 32 }; // live lanes come in so many, or all: whole vectors

// ---- which registers take part

static int wide(const Code *c, int r) { return r < 0 ? 0 : tile_lanes(&c->reg[r].type); }

static bool one_lane_each(const Code *c, const Insn *s) {
    return wide(c, s->a) <= 1 && wide(c, s->b) <= 1 && wide(c, s->c) <= 1;
}

// Lane by lane, in a loop that finds nothing: see decode.c.
static bool lane_by_lane(const Code *c, const Insn *s) {
    if (s->d < 0 || c->reg[s->d].tainted || c->reg[s->d].form != FORM_LANES) return false;
    const TileType *a = s->a < 0 ? NULL : &c->reg[s->a].type;
    if (!a) return false;
    bool integers = a->pointer || !dtype_is_float(a->elem);
    switch (s->op) {
    case INSN_COPY:
    case INSN_RESHAPE:
    case INSN_SPLAT:
    case INSN_BROADCAST: return wide(c, s->a) == 1 || wide(c, s->a) == wide(c, s->d);
    case INSN_ADD:
    case INSN_SUB:
    case INSN_MUL: return !one_lane_each(c, s) && !(integers && c->reg[s->d].address);
    case INSN_MOD: return !one_lane_each(c, s) && !integers;
    case INSN_MATH: return !one_lane_each(c, s);
    case INSN_CAST:
    case INSN_DIV:
    case INSN_AND:
    case INSN_OR:
    case INSN_XOR:
    case INSN_MAX:
    case INSN_MIN:
    case INSN_LT:
    case INSN_LE:
    case INSN_GT:
    case INSN_GE:
    case INSN_EQ:
    case INSN_NE:
    case INSN_ABS:
    case INSN_INVERT:
    case INSN_EXP:
    case INSN_EXP2:
    case INSN_EXPM1:
    case INSN_LOG:
    case INSN_LOG2:
    case INSN_LOG1P:
    case INSN_SQRT:
    case INSN_RSQRT:
    case INSN_SIN:
    case INSN_COS:
    case INSN_ERF:
    case INSN_TANH:
    case INSN_FLOOR:
    case INSN_CEIL:
    case INSN_RINT:
    case INSN_ROUND:
    case INSN_TRUNC:
    case INSN_POW:
    case INSN_FMA:
    case INSN_WHERE: return !one_lane_each(c, s);
    default: return false;
    }
}

static bool reduces_all(const Code *c, const Insn *s) {
    switch (s->op) {
    case INSN_SUM:
    case INSN_RMAX:
    case INSN_RMIN:
    case INSN_XORSUM:
    case INSN_ORSUM:
    case INSN_ARGMAX:
    case INSN_ARGMIN: return wide(c, s->d) == 1 && !c->reg[s->d].tainted;
    default: return false;
    }
}

static bool one_run(const Code *c, const Insn *s) { return s->a >= 0 && c->reg[s->a].form == FORM_AFFINE; }

static bool may_write(const Code *c, const Insn *s) {
    if (s->op == INSN_LOAD) return one_run(c, s) && wide(c, s->c) <= 1;
    return lane_by_lane(c, s);
}

static bool may_read(const Code *c, const Insn *s, int r) {
    if (s->op == INSN_LOAD) return one_run(c, s) && s->b == r && s->c != r;
    if (s->op == INSN_STORE) return one_run(c, s) && s->a != r && (s->b != r || s->c != r);
    return reduces_all(c, s) || lane_by_lane(c, s);
}

static bool counts_up(const Code *c, const Insn *s) {
    bool order = s->op == INSN_LT || s->op == INSN_LE || s->op == INSN_GT || s->op == INSN_GE;
    return order &&
           ((c->reg[s->a].counting && wide(c, s->b) == 1) || (c->reg[s->b].counting && wide(c, s->a) == 1));
}

void mark_narrow(Code *c) {
    bool any = false;
    c->narrow = false;
    for (int r = 0; r < c->regs; r++) {
        Register *x = &c->reg[r];
        x->narrow = !x->tainted && x->form == FORM_LANES && wide(c, r) >= NARROW_MIN;
        any |= x->narrow;
    }
    if (!any) return;
    for (int i = 0; i < c->insns; i++) {
        const Insn *s = &c->insn[i];
        const int read[] = {s->a, s->b, s->c};
        if (s->d >= 0 && c->reg[s->d].narrow && !may_write(c, s)) c->reg[s->d].narrow = false;
        for (int k = 0; k < 3; k++)
            if (read[k] >= 0 && c->reg[read[k]].narrow && !may_read(c, s, read[k]))
                c->reg[read[k]].narrow = false;
    }
    // Without one of these all lanes of everything live.
    for (int i = 0; i < c->insns && !c->narrow; i++) {
        const Insn *s = &c->insn[i];
        bool begins = (s->op == INSN_LOAD && s->b >= 0) || counts_up(c, s);
        c->narrow = begins && s->d >= 0 && c->reg[s->d].narrow;
    }
}

size_t narrow_bytes(const Code *c) {
    return c->narrow ? (size_t)c->insns * sizeof(Narrow) + (size_t)c->regs * sizeof(uint32_t) + 64 : 0;
}

// ---- the steps

static uint32_t *live_of(const Vm *v, Narrow *w, int r) {
    return v->code->reg[r].narrow ? &v->live[r] : &w->lanes;
}

static void add_operand(const Vm *v, Narrow *w, int r, const void *at) {
    if (r < 0 || wide(v->code, r) <= 1) return;
    const TileType *t = &v->code->reg[r].type;
    w->of[w->n++] = (NarrowLanes){live_of(v, w, r), (void *)(uintptr_t)at, (size_t)tile_lane_bytes(t)};
}

static uint32_t stays(void *d, const void *a, const void *b, const void *c, size_t n) {
    (void)d, (void)a, (void)b, (void)c, (void)n;
    return 0;
}

static bool step_function(Vm *v, const Step *s) {
    Step some = *s;
    some.lanes = (int)narrow_lanes(v, s);
    return step_math(v, &some);
}

// The live lanes meet the lane that stands for all others until these lie in both halves.
static bool step_reduced(Vm *v, const Step *s) {
    const Narrow *w = s->narrow;
    size_t n = w->lanes, k = *w->of[0].live, size = w->of[0].size;
    Step some = *s;
    InsnOp op = v->code->insn[s->insn].op;
    if (op == INSN_ARGMAX || op == INSN_ARGMIN) { // none of the others is better
        some.n = some.lanes_a = (int)k;
        return step_arg(v, &some);
    }
    LoopFn *const *meets = v->loops->op[folding(op)][s->dtype];
    char *to = v->scratch[1];
    some.fn = meets[0]; // where this function stands in the step
    for (; n / 2 >= k; n /= 2) {
        uint64_t rest = 0;
        memcpy(&rest, (const char *)some.a + (k - 1) * size, size);
        meets[ONE_B](to, some.a, &rest, NULL, k);
        some.a = to;
    }
    uint32_t live = (uint32_t)k, *of = some.a == s->a ? w->of[0].live : &live;
    narrow_widen(&(NarrowLanes){of, (void *)(uintptr_t)some.a, size}, (uint32_t)n);
    some.n = some.lanes_a = (int)n;
    return step_reduce(v, &some);
}

static void take_part(Arena *a, Vm *v, Step *s, const Insn *i) {
    const Code *c = v->code;
    Narrow *w = NEW(a, Narrow);
    bool memory = i->op == INSN_LOAD || i->op == INSN_STORE;
    int tile = memory || reduces_all(c, i) ? i->a : i->d;
    *w = (Narrow){.lanes = (uint32_t)wide(c, tile), .least = 1, .d = &w->unused};
    if (i->op == INSN_LOAD && !c->reg[i->d].narrow) w->least = w->lanes;
    if (i->op == INSN_LOAD && c->reg[i->d].narrow) w->d = &v->live[i->d];
    if (i->op == INSN_STORE) add_operand(v, w, i->b, s->b);
    int mask = i->op == INSN_LOAD ? i->b : i->op == INSN_STORE ? i->c : -1;
    if (mask >= 0 && c->reg[mask].narrow) w->mask = &v->live[mask];
    if (!memory) {
        add_operand(v, w, i->a, s->a);
        add_operand(v, w, i->b, s->b);
        add_operand(v, w, i->c, s->c);
    }
    if (lane_by_lane(c, i)) {
        w->counting = counts_up(c, i) && c->reg[i->d].narrow;
        if (c->reg[i->d].narrow) w->d = &v->live[i->d];
        if (!c->reg[i->d].narrow) w->least = w->lanes;
    }
    s->narrow = w;
}

static void decode_narrow(Step *s, InsnOp op) {
    switch ((Act)s->act) {
    case ACT_LOOP: s->act = ACT_NARROW; break;
    case ACT_FUSED: s->act = ACT_NARROW_FUSED; break;
    case ACT_NONE:
        s->act = ACT_NARROW;
        s->fn = stays;
        break;
    case ACT_REDUCE:
    case ACT_ARG:
        s->act = ACT_CALL;
        s->call = step_reduced;
        s->meets = true;
        break;
    default:
        assert(s->act == ACT_CALL);
        if (op == INSN_MATH) s->call = step_function;
    }
}

// Of a product that is done with the sum behind it: the sum's result, and what is added.
static Insn joined_insn(const Insn *i, const Step *s) {
    Insn both = *i;
    if (s->act != ACT_FUSED) return both;
    both.c = i[1].a == i->d ? i[1].b : i[1].a;
    both.d = i[1].d;
    return both;
}

static bool concerns(const Code *c, const Insn *i) {
    const int r[] = {i->d, i->a, i->b, i->c};
    for (int k = 0; k < 4; k++)
        if (r[k] >= 0 && c->reg[r[k]].narrow) return true;
    return false;
}

void narrow_steps(Arena *a, Vm *v) {
    const Code *c = v->code;
    v->idle = false;
    if (!c->narrow || v->plain) return; // a traced launch keeps its steps
    v->live = NEWN(a, uint32_t, (size_t)c->regs + 1);
    for (int r = 0; r < c->regs; r++) v->live[r] = (uint32_t)wide(c, r);
    for (int k = 0; k < c->insns; k++) {
        const Insn *i = &c->insn[k];
        Step *s = &v->step[k];
        if (watch_plain(s)) s = watch_plain(s);
        Insn joined = joined_insn(i, s);
        if (!concerns(c, &joined)) continue;
        take_part(a, v, s, &joined);
        decode_narrow(s, i->op);
    }
}

// ---- running them

void narrow_widen(const NarrowLanes *of, uint32_t lanes) {
    uint32_t from = *of->live;
    if (from >= lanes) return;
    *of->live = lanes;
    if (of->size == 1) {
        uint8_t *p = of->at;
        memset(p + from, p[from - 1], lanes - from);
    } else if (of->size == 4) {
        uint32_t *p = of->at, x = p[from - 1];
        for (uint32_t i = from; i < lanes; i++) p[i] = x;
    } else {
        uint64_t *p = of->at, x = p[from - 1];
        for (uint32_t i = from; i < lanes; i++) p[i] = x;
    }
}

void narrow_whole(const Narrow *w) {
    for (int i = 0; i < w->n; i++) narrow_widen(&w->of[i], w->lanes);
    *w->d = w->lanes;
}

static uint32_t live_lanes(uint32_t needed, uint32_t all) {
    uint32_t k = (needed + STEP - 1) / STEP * STEP;
    return k <= all / 2 ? k : all;
}

size_t narrow_loaded(const Narrow *w, size_t active) {
    uint32_t k =
        active < w->lanes && w->least < w->lanes ? live_lanes((uint32_t)active + 1, w->lanes) : w->lanes;
    *w->d = k;
    return k;
}

Interval narrow_mask(const Narrow *w, const uint8_t *mask) {
    Interval in = interval_found(mask, (int)*w->mask);
    if (mask[*w->mask - 1]) in.hi = (int32_t)w->lanes;
    return in;
}

// Comparing 1, 2, 3, ... with a number comes out one way up to some lane, and the other way from there on.
uint32_t narrow_ramp(const Vm *v, const Step *s) {
    const Narrow *w = s->narrow;
    Interval in;
    return counting_holds(v, s, &in) ? live_lanes((uint32_t)(in.lo > 0 ? in.lo : in.hi) + 1, w->lanes)
                                     : w->lanes;
}
