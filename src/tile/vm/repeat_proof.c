#include "tile/vm/repeat_proof.h"

#include "tile/compute/affine.h"
#include "tile/compute/axes.h"

typedef __int128 Wide; // sums and products of two of 64 bits

void proof_begin(RepeatProof *p, const Code *c, int axis, int64_t programs) {
    memset(p->reg, 0, (size_t)c->regs * sizeof *p->reg);
    p->axis = axis;
    p->ahead = programs - 1;
    p->moved = false;
    p->place = (Held){0};
}

// ---- lanes of a register, in whatever form it is

typedef struct {
    const Register *r;
    const char *at;
    size_t live;  // lanes that are written out; the rest are as the last of them
    bool by_axes; // kept by axis (axes.h)
} Lanes;

static Lanes lanes_of(const Vm *v, int reg, const void *at) {
    const Register *r = &v->code->reg[reg];
    size_t all = (size_t)tile_lanes(&r->type);
    bool narrow = v->live && r->narrow && r->form == FORM_LANES;
    return (Lanes){r, at, narrow ? v->live[reg] : all, r->form == FORM_AXES && !v->code->wild[reg]};
}

// An integer or an address.
static Wide lane_at(const Lanes *l, size_t i) {
    const Register *r = l->r;
    size_t size = (size_t)tile_lane_bytes(&r->type), columns = 1;
    bool is_signed = r->type.pointer || dtype_info[r->type.elem].kind == DTYPE_KIND_I;
    int64_t wide, beyond = 0;
    if (tile_lanes(&r->type) == 1) i = 0;
    if (l->by_axes) return axes_lane(r, l->at, i);
    if (r->form == FORM_AFFINE || r->form == FORM_ROWS) {
        columns = r->form == FORM_ROWS ? (size_t)r->type.shape[1] : (size_t)tile_lanes(&r->type);
        beyond = (int64_t)(i % columns) * r->step;
        i /= columns;
    } else if (i >= l->live) {
        i = l->live - 1;
    }
    if (size == 8) {
        memcpy(&wide, l->at + i * 8, 8);
        return (is_signed ? (Wide)wide : (Wide)(uint64_t)wide) + beyond;
    }
    if (size == 1) return *(const uint8_t *)(l->at + i);
    int32_t half;
    memcpy(&half, l->at + i * 4, 4);
    return (is_signed ? (int64_t)half : (int64_t)(uint32_t)half) + beyond;
}

// ---- one instruction

typedef struct {
    const Vm *v;
    RepeatProof *p;
    const Insn *i;
    const Step *s;
    Held a, b, c; // of the operands; of one that is absent a constant
} Look;

static Held of(const RepeatProof *p, int r) { return r < 0 ? (Held){0} : p->reg[r]; }

static void ends(Look *x) { x->p->ahead = -1; }

static void up_to(Look *x, Wide programs) {
    if (programs < x->p->ahead) x->p->ahead = (int64_t)programs;
}

// As long as the value, which grows by `step`, stays in [least, most].
static void stays_within(Look *x, Wide value, int64_t step, Wide least, Wide most) {
    if (value < least || value > most) return ends(x);
    if (step > 0) up_to(x, (most - value) / step);
    if (step < 0) up_to(x, (value - least) / -(Wide)step);
}

static void set(Look *x, Held u) { x->p->reg[x->i->d] = u; }

static void set_place(Look *x, Wide step, bool moved) {
    if (step > INT64_MAX / 4 || step < INT64_MIN / 4) return ends(x);
    x->p->moved |= moved && step != 0;
    if (step == 0)
        set(x, (Held){.kind = moved ? HELD_DATA : HELD_CONSTANT});
    else
        set(x, (Held){HELD_PLACE, moved, (int64_t)step});
}

static bool is_place(Held u) { return u.kind == HELD_PLACE; }
static bool has_data(Held u) { return u.kind == HELD_DATA || u.moved; }
static int64_t step_of(Held u) { return is_place(u) ? u.step : 0; }

// Of a type of integers: what it holds. Of an address: what has its storage's number.
static bool limits(const TileType *t, Wide value, Wide *least, Wide *most) {
    if (t->pointer) {
        *least = value >> ADDRESS_BITS << ADDRESS_BITS;
        *most = *least + ((Wide)1 << ADDRESS_BITS) - 1;
        return true;
    }
    if (!dtype_is_int(t->elem)) return false;
    int bits = dtype_bits(t->elem);
    bool is_signed = dtype_info[t->elem].kind == DTYPE_KIND_I;
    *least = is_signed ? -((Wide)1 << (bits - 1)) : 0;
    *most = ((Wide)1 << (is_signed ? bits - 1 : bits)) - 1;
    return true;
}

static Wide result_of(const Insn *i, Wide a, Wide b) {
    switch (i->op) {
    case INSN_ADD: return a + b;
    case INSN_SUB: return a - b;
    case INSN_MUL: return a * b;
    case INSN_PTRADD: return a + b * i->imm;
    default: return a;
    }
}

// Addresses of a storage alone lead anywhere, and only by offsets that PTRADD takes.
static void leads_on(Look *x, Wide address, Wide offset) {
    Wide storage = (address + offset * x->i->imm) >> ADDRESS_BITS, most = ((Wide)1 << OFFSET_BITS) - 1;
    if (storage < 1 || storage != address >> ADDRESS_BITS) return ends(x);
    stays_within(x, offset, step_of(x->b), -most, most);
}

// Of arithmetic on places: no lane wraps, nor would it in a program that is `ahead` further on. With data in
// it that is known of programs with the same data.
static void exact(Look *x, int64_t step, bool moved) {
    const TileType *t = &x->v->code->reg[x->i->d].type;
    if (moved && tile_lane_bytes(t) < 8) return ends(x);
    Lanes a = lanes_of(x->v, x->i->a, x->s->a), b = a;
    if (x->i->b >= 0) b = lanes_of(x->v, x->i->b, x->s->b);
    Wide least, most;
    for (size_t k = 0, n = (size_t)tile_lanes(t); k < n && x->p->ahead >= 0; k++) {
        Wide one = lane_at(&a, k), other = x->i->b >= 0 ? lane_at(&b, k) : 0;
        Wide value = result_of(x->i, one, other);
        if (x->i->op == INSN_PTRADD) leads_on(x, one, other);
        if (!limits(t, value, &least, &most)) return ends(x);
        stays_within(x, value, step, least, most);
    }
}

static void add(Look *x) {
    int64_t unit = x->i->op == INSN_PTRADD ? x->i->imm : 1;
    Wide further = (Wide)step_of(x->b) * unit;
    Wide step = x->i->op == INSN_SUB ? step_of(x->a) - further : step_of(x->a) + further;
    set_place(x, step, has_data(x->a) || has_data(x->b));
    if (x->p->ahead >= 0) exact(x, (int64_t)step, has_data(x->a) || has_data(x->b));
}

// By a constant that all lanes share.
static void multiply(Look *x) {
    bool first = is_place(x->a);
    Held place = first ? x->a : x->b, other = first ? x->b : x->a;
    if (other.kind != HELD_CONSTANT) return ends(x);
    int reg = first ? x->i->b : x->i->a;
    Lanes l = lanes_of(x->v, reg, first ? x->s->b : x->s->a);
    Wide factor = lane_at(&l, 0);
    if (factor > INT64_MAX) return ends(x); // products might be too wide here
    for (size_t k = 1, n = (size_t)tile_lanes(&l.r->type); k < n; k++)
        if (lane_at(&l, k) != factor) return ends(x);
    Wide step = (Wide)place.step * factor;
    set_place(x, step, place.moved);
    if (x->p->ahead >= 0) exact(x, (int64_t)step, place.moved);
}

// How far apart two numbers are; it grows by `step`, and which side of 0 it lies on stays as it is.
static void keeps_side(Look *x, Wide apart, int64_t step) {
    if (step == 0) return;
    if (apart < 0)
        stays_within(x, apart, step, INT64_MIN * (Wide)4, -1);
    else
        stays_within(x, apart, step, 0, INT64_MAX * (Wide)4);
}

// Of a place with a place or a constant.
static void compare(Look *x) {
    if (has_data(x->a) || has_data(x->b)) return ends(x);
    Lanes a = lanes_of(x->v, x->i->a, x->s->a), b = lanes_of(x->v, x->i->b, x->s->b);
    Wide step = (Wide)step_of(x->a) - step_of(x->b);
    if (step > INT64_MAX || step < INT64_MIN) return ends(x);
    size_t n = (size_t)tile_lanes(&x->v->code->reg[x->i->d].type);
    for (size_t k = 0; k < n && x->p->ahead >= 0; k++) {
        Wide apart = lane_at(&a, k) - lane_at(&b, k);
        switch (x->i->op) {
        case INSN_LT:
        case INSN_GE: keeps_side(x, apart, (int64_t)step); break;
        case INSN_LE:
        case INSN_GT: keeps_side(x, apart - 1, (int64_t)step); break;
        default: // equal or not: neither from one side to the other nor away from it
            keeps_side(x, apart, (int64_t)step);
            if (x->p->ahead >= 0) keeps_side(x, apart - 1, (int64_t)step);
        }
    }
    set(x, (Held){0});
}

static void loop_test(Look *x) {
    Held at = x->p->reg[x->i->d];
    if (has_data(at) || has_data(x->a) || x->b.kind != HELD_CONSTANT) return ends(x);
    Wide step = (Wide)step_of(at) - step_of(x->a);
    if (step == 0) return;
    if (step > INT64_MAX || step < INT64_MIN) return ends(x);
    Lanes d = lanes_of(x->v, x->i->d, x->s->d), end = lanes_of(x->v, x->i->a, x->s->a),
          by = lanes_of(x->v, x->i->b, x->s->b);
    Wide apart = lane_at(&d, 0) - lane_at(&end, 0);
    keeps_side(x, lane_at(&by, 0) > 0 ? apart : apart - 1, (int64_t)step);
}

static bool widens(const TileType *to, const TileType *from) {
    return !to->pointer && !from->pointer && dtype_is_int(to->elem) && dtype_is_int(from->elem) &&
           dtype_bits(to->elem) >= dtype_bits(from->elem);
}

static void choose(Look *x) {
    if (x->a.kind != HELD_CONSTANT || step_of(x->b) != step_of(x->c)) return ends(x);
    set_place(x, step_of(x->b), x->b.moved || x->c.moved || has_data(x->b) || has_data(x->c));
}

static void access(Look *x) {
    bool load = x->i->op == INSN_LOAD;
    Held mask = load ? x->b : x->c;
    if (mask.kind != HELD_CONSTANT || is_place(load ? x->c : x->b)) return ends(x);
    if (!load && has_data(x->a)) return ends(x);
    x->p->place = x->a;
    if (load) set(x, (Held){.kind = HELD_DATA});
}

// What is done with places alone.
static void with_place(Look *x) {
    const Code *c = x->v->code;
    switch (x->i->op) {
    case INSN_COPY:
    case INSN_SPLAT:
    case INSN_RESHAPE:
    case INSN_BROADCAST:
    case INSN_TRANS:
    case INSN_SLICE:
    case INSN_FLIP: return set(x, x->a);
    case INSN_CAST:
        if (!widens(&c->reg[x->i->d].type, &c->reg[x->i->a].type)) return ends(x);
        set(x, x->a);
        return exact(x, step_of(x->a), x->a.moved);
    case INSN_ADD:
    case INSN_SUB:
    case INSN_PTRADD: return add(x);
    case INSN_MUL: return multiply(x);
    case INSN_LT:
    case INSN_LE:
    case INSN_GT:
    case INSN_GE:
    case INSN_EQ:
    case INSN_NE: return compare(x);
    case INSN_WHERE: return choose(x);
    default: return ends(x);
    }
}

void proof_step(const Vm *v, RepeatProof *p, int insn) {
    if (p->ahead < 0) return;
    const Insn *i = &v->code->insn[insn];
    Look x = {v, p, i, &v->step[insn], of(p, i->a), of(p, i->b), of(p, i->c)};
    switch (i->op) {
    case INSN_PID: set(&x, (Held){i->imm == p->axis ? HELD_PLACE : HELD_CONSTANT, false, 1}); return;
    case INSN_LOAD:
    case INSN_STORE: access(&x); return;
    case INSN_LOOPTEST: loop_test(&x); return;
    case INSN_JUMPNOT:
        if (x.a.kind != HELD_CONSTANT) ends(&x);
        return;
    case INSN_ATOMIC:
    case INSN_CAS: ends(&x); return;
    default: break;
    }
    if (is_place(x.a) || is_place(x.b) || is_place(x.c))
        with_place(&x);
    else if (i->d >= 0)
        set(&x, (Held){.kind = has_data(x.a) || has_data(x.b) || has_data(x.c) ? HELD_DATA : HELD_CONSTANT});
}
