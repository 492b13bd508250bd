// ramp.c - addresses and masks that need not be written out. A tile of offsets is nearly always a ramp: its
// first lane and a constant step (arange, plus scalars, plus a pointer); a mask over it is nearly always an
// interval of lanes (cols < N). Where every use of such a register is the address or the mask of a load or
// store, or another one of its kind, the VM computes lane 0 or the two ends only, and the access becomes one
// run without looking for it.
//
// Marked once for each code (after taint is known); a register that is marked holds lane 0, or an Interval,
// and no other lane. The budget still charges all lanes: what a kernel costs does not depend on this file.
#include "tile/ramp.h"

#include "tile/step.h"

enum { LANES_MIN = 8 }; // an Interval must fit where the lanes of a mask were

typedef struct {
    const Code *code;
    RegisterForm *form; // what the register's lanes are, whether or not they are written out
    int64_t *step;      // RAMP: between lanes; of pointers in bytes
    int *defs;
    bool *short_form; // no use needs the lanes
} Marker;

static bool one_lane(const Marker *k, int r) {
    return r >= 0 && tile_lanes(&k->code->reg[r].type) == 1 && !k->code->reg[r].tainted;
}
static bool is_ramp(const Marker *k, int r) { return r >= 0 && k->form[r] == FORM_RAMP; }
static bool is_interval(const Marker *k, int r) { return r >= 0 && k->form[r] == FORM_INTERVAL; }
static bool is_signed_int(const Marker *k, int r) {
    const TileType *t = &k->code->reg[r].type;
    return !t->pointer && (t->elem == DT_I32 || t->elem == DT_I64);
}

// Sum or difference of two operands, each a ramp or one lane.
static RegisterForm sum_form(const Marker *k, const Insn *s, int64_t scale, int64_t *step) {
    bool ra = is_ramp(k, s->a), rb = is_ramp(k, s->b);
    if (!(ra || one_lane(k, s->a)) || !(rb || one_lane(k, s->b)) || !(ra || rb)) return FORM_LANES;
    int64_t sign = s->op == INSN_SUB ? -1 : 1;
    *step = (ra ? k->step[s->a] : 0) + (rb ? k->step[s->b] * sign * scale : 0);
    return *step >= -1024 && *step <= 1024 ? FORM_RAMP : FORM_LANES;
}

static RegisterForm form_of(const Marker *k, const Insn *s, int64_t *step) {
    const TileType *d = &k->code->reg[s->d].type;
    switch (s->op) {
    case INSN_ARANGE: return *step = 1, FORM_RAMP;
    case INSN_COPY:
    case INSN_RESHAPE: return is_ramp(k, s->a) ? (*step = k->step[s->a], FORM_RAMP) : FORM_LANES;
    case INSN_CAST:
        if (!is_ramp(k, s->a) || !is_signed_int(k, s->a) || d->pointer || d->elem != DT_I64)
            return FORM_LANES;
        return *step = k->step[s->a], FORM_RAMP;
    case INSN_ADD:
    case INSN_SUB:
        // Where wrapping is no finding, lanes may wrap, and then they are no ramp.
        if (!is_signed_int(k, s->d) || (d->elem == DT_I32 && !k->code->reg[s->d].address)) return FORM_LANES;
        return sum_form(k, s, 1, step);
    case INSN_PTRADD: return is_signed_int(k, s->b) ? sum_form(k, s, s->imm, step) : FORM_LANES;
    case INSN_LT:
    case INSN_LE:
    case INSN_GT:
    case INSN_GE:
        if (!is_signed_int(k, s->a)) return FORM_LANES;
        if (is_ramp(k, s->a) && k->step[s->a] == 1 && one_lane(k, s->b)) return FORM_INTERVAL;
        return is_ramp(k, s->b) && k->step[s->b] == 1 && one_lane(k, s->a) ? FORM_INTERVAL : FORM_LANES;
    case INSN_AND:
        if (d->elem != DT_BOOL) return FORM_LANES;
        if (is_interval(k, s->a))
            return is_interval(k, s->b) || one_lane(k, s->b) ? FORM_INTERVAL : FORM_LANES;
        return is_interval(k, s->b) && one_lane(k, s->a) ? FORM_INTERVAL : FORM_LANES;
    default: return FORM_LANES;
    }
}

// The mask of an access in short form: absent, one lane, or an interval in short form itself.
static bool mask_is_short(const Marker *k, int mask) {
    return mask < 0 || one_lane(k, mask) || (is_interval(k, mask) && k->short_form[mask]);
}

static bool access_is_short(const Marker *k, const Insn *s) {
    int value = s->op == INSN_LOAD ? s->d : s->b, mask = s->op == INSN_LOAD ? s->b : s->c;
    return is_ramp(k, s->a) && k->short_form[s->a] &&
           k->step[s->a] == dtype_bytes(k->code->reg[value].type.elem) && mask_is_short(k, mask);
}

// An `and` of intervals needs both of them as intervals: it cannot be computed from lanes.
static bool can_be_computed(const Marker *k, const Insn *s) {
    return s->op != INSN_AND ||
           ((!is_interval(k, s->a) || k->short_form[s->a]) && (!is_interval(k, s->b) || k->short_form[s->b]));
}

// May operand r of this instruction be in short form?
static bool use_is_short(const Marker *k, const Insn *s, int r) {
    if (s->op == INSN_LOAD) return s->c != r && access_is_short(k, s);
    if (s->op == INSN_STORE) return s->b != r && access_is_short(k, s);
    if (s->d < 0 || k->form[s->d] == FORM_LANES || !k->short_form[s->d]) return false;
    return can_be_computed(k, s);
}

static void settle(Marker *k) {
    for (bool changed = true; changed;) {
        changed = false;
        for (int i = 0; i < k->code->insns; i++) {
            const Insn *s = &k->code->insn[i];
            const int operand[] = {s->a, s->b, s->c};
            for (int o = 0; o < 3; o++) {
                int r = operand[o];
                if (r < 0 || !k->short_form[r] || use_is_short(k, s, r)) continue;
                k->short_form[r] = false;
                changed = true;
            }
            if (s->op != INSN_LOOPTEST && s->d >= 0 && k->short_form[s->d] && !can_be_computed(k, s)) {
                k->short_form[s->d] = false;
                changed = true;
            }
        }
    }
}

void mark_ramps(Arena *a, Code *c) {
    ArenaMark mark = arena_mark(a);
    size_t n = (size_t)c->regs + 1;
    Marker k = {.code = c,
                .form = NEWN(a, RegisterForm, n),
                .step = NEWN(a, int64_t, n),
                .defs = NEWN(a, int, n),
                .short_form = NEWN(a, bool, n)};
    for (int i = 0; i < c->insns; i++)
        if (c->insn[i].d >= 0) k.defs[c->insn[i].d]++;
    for (int i = 0; i < c->insns; i++) {
        const Insn *s = &c->insn[i];
        if (s->d < 0 || k.defs[s->d] != 1 || s->op == INSN_LOOPTEST) continue;
        const Register *d = &c->reg[s->d];
        if (d->tainted || tile_lanes(&d->type) < LANES_MIN) continue;
        k.form[s->d] = form_of(&k, s, &k.step[s->d]);
        k.short_form[s->d] = k.form[s->d] != FORM_LANES;
    }
    settle(&k);
    for (int r = 0; r < c->regs; r++) {
        c->reg[r].form = k.short_form[r] ? k.form[r] : FORM_LANES;
        c->reg[r].step = k.step[r];
    }
    arena_reset(a, mark);
}

// ---- running them
// --------------------------------------------------------------------------------------------------

static int64_t lane_0(const void *p, DType t) {
    int32_t narrow;
    int64_t wide;
    if (t == DT_I64) return memcpy(&wide, p, sizeof wide), wide;
    return memcpy(&narrow, p, sizeof narrow), narrow;
}

// The first lane of first, first + step, ... that is no int32.
static int64_t lane_beyond(int64_t first, int64_t step) {
    if (first < INT32_MIN || first > INT32_MAX) return 0;
    return step > 0 ? (INT32_MAX - first) / step + 1 : (first - INT32_MIN) / -step + 1;
}

// ADD and SUB: lane 0, and the promise that no lane wraps.
bool step_ramp(Vm *v, const Step *s) {
    const Insn *i = &v->code->insn[s->insn];
    const Register *d = &v->code->reg[i->d];
    DType t = d->type.elem;
    int64_t x = lane_0(s->a, t), y = lane_0(s->b, t), first, last;
    bool over =
        i->op == INSN_SUB ? __builtin_sub_overflow(x, y, &first) : __builtin_add_overflow(x, y, &first);
    over |= __builtin_add_overflow(first, d->step * (tile_lanes(&d->type) - 1), &last);
    if (t == DT_I64) {
        if (over) return vm_finding(v, s, DIAG_VALUE, -1, "int64 overflow in an address computation");
        memcpy(s->d, &first, sizeof first);
        return true;
    }
    if (first < INT32_MIN || first > INT32_MAX || last < INT32_MIN || last > INT32_MAX)
        return vm_finding(v, s, DIAG_VALUE, lane_beyond(first, d->step),
                          "int32 overflow in an address computation; cast to tl.int64 first");
    memcpy(s->d, &(int32_t){(int32_t)first}, sizeof(int32_t));
    return true;
}

static int32_t clip(int64_t x, int n) { return (int32_t)(x < 0 ? 0 : x > n ? n : x); }

// Lanes where ramp[i] = first + i is below (or at most) the limit: those before the result.
static int32_t lanes_below(int64_t first, int64_t limit, bool inclusive, int n) {
    int64_t room;
    if (__builtin_sub_overflow(limit, first, &room)) return limit > first ? n : 0;
    return clip(room + (inclusive && room < INT64_MAX), n);
}

// Comparisons of a ramp with a scalar.
bool step_compare(Vm *v, const Step *s) {
    const Insn *i = &v->code->insn[s->insn];
    const Register *ra = &v->code->reg[i->a];
    int n = tile_lanes(&v->code->reg[i->d].type);
    bool left = tile_lanes(&ra->type) > 1; // ramp on the left
    DType t = ra->type.elem;
    int64_t ramp = lane_0(left ? s->a : s->b, t), limit = lane_0(left ? s->b : s->a, t);
    // With the ramp on the right, a < b is b > a.
    bool below = left == (i->op == INSN_LT || i->op == INSN_LE);
    bool inclusive = i->op == INSN_LE || i->op == INSN_GE;
    Interval in = {0, n};
    if (below)
        in.hi = lanes_below(ramp, limit, inclusive, n);
    else
        in.lo = lanes_below(ramp, limit, !inclusive, n);
    memcpy(s->d, &in, sizeof in);
    return true;
}

Interval interval_of(const void *mask, bool one, int n) {
    Interval in = {0, n};
    if (!mask) return in;
    if (one) return *(const uint8_t *)mask ? in : (Interval){0, 0};
    memcpy(&in, mask, sizeof in);
    return in;
}

bool step_intersect(Vm *v, const Step *s) {
    const Insn *i = &v->code->insn[s->insn];
    int n = tile_lanes(&v->code->reg[i->d].type);
    Interval a = interval_of(s->a, tile_lanes(&v->code->reg[i->a].type) == 1, n);
    Interval b = interval_of(s->b, tile_lanes(&v->code->reg[i->b].type) == 1, n);
    Interval in = {a.lo > b.lo ? a.lo : b.lo, a.hi < b.hi ? a.hi : b.hi};
    if (in.hi < in.lo) in.hi = in.lo;
    memcpy(s->d, &in, sizeof in);
    return true;
}
