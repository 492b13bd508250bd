// axes.c - addresses and masks of several dimensions that need not be written out. An address like
// x + row * stride + column is a sum of one number for each axis of its tile, and a mask like
// (row < m) & (column < n) holds where both sides do: of a tile of 16 by 16 by 64 lanes 96 numbers tell all.
// Where every use of such a register is the address or the mask of an access, or another one of its kind, the
// VM keeps those numbers alone, and an access meets the active lanes only (vm/axes_access.c). What affine.c
// has found stays as it is: that is shorter still, but strides have to be known when a kernel is compiled.
//
// What adding an offset to an address comes to that would leave its tensor by far is no address any more
// (loops_memory_simd.c), and lanes with and without one are no sums: there the lanes of a register are
// written out after all (Code.wild), and so are those of what is computed from it.
//
// A register in this form holds for each axis as many int64 (a mask: bytes) as it has places there. A lane is
// the sum of its places' numbers, which of all axes but the first begin with 0; a mask is the product.
// Integers wrap lane by lane as they do when they are written out, because sums and products do not care
// where they wrap; where that would be a finding the least and the most lane are looked at first.
#include "tile/compute/axes.h"

#include "tile/compute/step.h"

// ---- which registers

typedef struct {
    const Code *code;
    bool *sums; // made of axes, by how it is computed
    bool *kept; // by axis: no use needs the lanes
} Marker;

static bool one_lane(const Code *c, int r) { return tile_lanes(&c->reg[r].type) == 1 && !c->reg[r].tainted; }

static bool is_bool(const TileType *t) { return !t->pointer && t->elem == DT_BOOL; }

// Along one axis alone: whatever it holds.
static bool one_axis(const Code *c, int r) {
    const Register *x = &c->reg[r];
    int axes = 0;
    for (int i = 0; i < x->type.rank; i++) axes += x->type.shape[i] > 1;
    return axes <= 1 && x->form == FORM_LANES && !x->tainted;
}

static bool has_sums(const Marker *k, int r) { return k->sums[r] || one_axis(k->code, r); }

static bool is_signed_int(const TileType *t) {
    return !t->pointer && (t->elem == DT_I32 || t->elem == DT_I64);
}

// Where wrapping of 32 bits is no finding lanes may wrap, and what is made of them is no sum any more.
static bool type_fits(const Register *r) {
    const TileType *t = &r->type;
    return t->rank >= 2 && r->form == FORM_LANES && !r->tainted &&
           (t->pointer || is_bool(t) || (is_signed_int(t) && r->address));
}

// The same axes, but for those with one place.
static bool same_axes(const TileType *a, const TileType *d) {
    int i = 0, k = 0;
    for (;; i++, k++) {
        while (i < a->rank && a->shape[i] == 1) i++;
        while (k < d->rank && d->shape[k] == 1) k++;
        if (i == a->rank || k == d->rank) return i == a->rank && k == d->rank;
        if (a->shape[i] != d->shape[k]) return false;
    }
}

static bool is_summed(const Marker *k, const Insn *s) {
    const Code *c = k->code;
    const TileType *d = &c->reg[s->d].type;
    bool left = s->a >= 0 && (has_sums(k, s->a) || one_lane(c, s->a)),
         right = s->b >= 0 && (has_sums(k, s->b) || one_lane(c, s->b));
    switch (s->op) {
    case INSN_COPY:
    case INSN_SPLAT:
    case INSN_BROADCAST: return left;
    case INSN_RESHAPE: return left && same_axes(&c->reg[s->a].type, d);
    case INSN_CAST: return left && is_signed_int(d) && d->elem == DT_I64 && is_signed_int(&c->reg[s->a].type);
    case INSN_ADD:
    case INSN_SUB: return left && right && is_signed_int(d);
    case INSN_MUL: return left && right && is_signed_int(d) && (one_lane(c, s->a) || one_lane(c, s->b));
    case INSN_PTRADD: return left && right && is_signed_int(&c->reg[s->b].type);
    case INSN_AND: return left && right && is_bool(d);
    default: return false;
    }
}

static bool is_jump(const Insn *s) { return s->op == INSN_LOOPTEST || s->d < 0; }

// Of all that might be sums those whose every definition makes one: what loops carry around stays if nothing
// speaks against it.
static void find_sums(Marker *k) {
    const Code *c = k->code;
    for (int i = 0; i < c->insns; i++) {
        const Insn *s = &c->insn[i];
        if (!is_jump(s)) k->sums[s->d] = type_fits(&c->reg[s->d]);
    }
    for (int i = 0; i < c->insns; i++)
        if (c->insn[i].op == INSN_LOOPTEST) k->sums[c->insn[i].d] = false;
    for (bool changed = true; changed;) {
        changed = false;
        for (int i = 0; i < c->insns; i++) {
            const Insn *s = &c->insn[i];
            if (is_jump(s) || !k->sums[s->d] || is_summed(k, s)) continue;
            k->sums[s->d] = false;
            changed = true;
        }
    }
}

// Small tiles are sooner written out. Axes of one place do not count: a tile and the same in another shape
// are kept in the same way, so that one can take the other's place (copy_elision.c).
static bool worth_it(const TileType *t) {
    int places = 0;
    for (int i = 0; i < t->rank; i++) places += t->shape[i] > 1 ? t->shape[i] : 0;
    return axes_places(t) <= AXES_PLACES_MAX && places > 0 && tile_lanes(t) >= 4 * places;
}

static bool use_fits(const Marker *k, const Insn *s, int r) {
    if (s->op == INSN_LOAD) return s->c != r && s->b != s->a && k->kept[s->a];
    if (s->op == INSN_STORE) return s->b != r && s->c != s->a && k->kept[s->a];
    return !is_jump(s) && k->kept[s->d];
}

static void settle(Marker *k) {
    const Code *c = k->code;
    for (bool changed = true; changed;) {
        changed = false;
        for (int i = c->insns - 1; i >= 0; i--) {
            const Insn *s = &c->insn[i];
            const int operand[] = {s->a, s->b, s->c, s->op == INSN_LOOPTEST ? s->d : -1};
            for (int o = 0; o < 4; o++) {
                int r = operand[o];
                if (r < 0 || !k->kept[r] || use_fits(k, s, r)) continue;
                k->kept[r] = false;
                changed = true;
            }
        }
    }
}

void mark_axes(Arena *a, Code *c) {
    c->wild = NEWN(a, uint8_t, (size_t)c->regs + 1);
    ArenaMark mark = arena_mark(a);
    size_t n = (size_t)c->regs + 1;
    Marker k = {.code = c, .sums = NEWN(a, bool, n), .kept = NEWN(a, bool, n)};
    find_sums(&k);
    bool any = false;
    for (int r = 0; r < c->regs; r++) {
        k.kept[r] = k.sums[r] && worth_it(&c->reg[r].type);
        any |= k.kept[r];
    }
    if (any) settle(&k);
    for (int r = 0; r < c->regs; r++) {
        c->reg[r].by_axes = k.sums[r];
        if (!k.kept[r]) continue;
        c->reg[r].form = FORM_AXES;
        c->reg[r].late = true; // of two dimensions or more
    }
    arena_reset(a, mark);
}

// ---- one register

static int64_t integer(const char *at, const TileType *t) {
    int64_t wide;
    int32_t half;
    if (is_bool(t)) return *(const uint8_t *)at;
    if (t->pointer || t->elem == DT_I64) return memcpy(&wide, at, sizeof wide), wide;
    return memcpy(&half, at, sizeof half), half;
}

static int64_t plus(int64_t a, int64_t b) { return (int64_t)((uint64_t)a + (uint64_t)b); }
static int64_t minus(int64_t a, int64_t b) { return (int64_t)((uint64_t)a - (uint64_t)b); }
static int64_t times(int64_t a, int64_t b) { return (int64_t)((uint64_t)a * (uint64_t)b); }

int64_t axes_lane(const Register *r, const void *at, size_t lane) {
    const TileType *t = &r->type;
    const uint8_t *mask = at;
    const int64_t *number = at;
    int64_t sum = 0, all = 1;
    size_t places = (size_t)axes_places(t);
    for (int k = t->rank - 1; k >= 0; k--) {
        size_t n = (size_t)t->shape[k], i = lane % n;
        places -= n;
        lane /= n;
        if (is_bool(t))
            all &= mask[places + i];
        else
            sum = plus(sum, number[places + i]);
    }
    return is_bool(t) ? all : sum;
}

bool axes_any(const Register *r, const void *at, bool holds) {
    size_t n = (size_t)tile_lanes(&r->type);
    const uint8_t *has = at;
    bool everywhere = true; // each axis has a place
    for (int k = 0; is_bool(&r->type) && k < r->type.rank; has += r->type.shape[k++]) {
        if (!holds && memchr(has, 0, (size_t)r->type.shape[k])) return true;
        everywhere &= memchr(has, 1, (size_t)r->type.shape[k]) != NULL;
    }
    if (is_bool(&r->type)) return holds && everywhere;
    for (size_t i = 0; i < n; i++)
        if ((axes_lane(r, at, i) != 0) == holds) return true;
    return false;
}

// ---- written out for a while

static void write_numbers(const TileType *t, int k, const int64_t *number, int64_t sum, int64_t **to) {
    int n = t->shape[k];
    if (k < t->rank - 1) {
        for (int i = 0; i < n; i++) write_numbers(t, k + 1, number + n, plus(sum, number[i]), to);
        return;
    }
    int64_t *d = *to;
    for (int i = 0; i < n; i++) d[i] = plus(sum, number[i]);
    *to = d + n;
}

static void write_mask(const TileType *t, int k, const uint8_t *has, bool all, uint8_t **to) {
    int n = t->shape[k];
    if (k < t->rank - 1) {
        for (int i = 0; i < n; i++) write_mask(t, k + 1, has + n, all && has[i], to);
        return;
    }
    if (all)
        memcpy(*to, has, (size_t)n);
    else
        memset(*to, 0, (size_t)n);
    *to += n;
}

static size_t place_bytes(const TileType *t) { return is_bool(t) ? 1 : sizeof(int64_t); }

void axes_write_out(const Register *r, void *at, AxesKept *kept) {
    const TileType *t = &r->type;
    memcpy(kept->places, at, (size_t)axes_places(t) * place_bytes(t));
    int64_t *numbers = at;
    uint8_t *mask = at;
    if (is_bool(t))
        write_mask(t, 0, (const uint8_t *)kept->places, true, &mask);
    else
        write_numbers(t, 0, kept->places, 0, &numbers);
}

void axes_take_back(const Register *r, void *at, const AxesKept *kept) {
    memcpy(at, kept->places, (size_t)axes_places(&r->type) * place_bytes(&r->type));
}

// ---- operands

typedef struct {
    const Register *r;
    const char *at;
    bool one, wild;
    int64_t first; // its first lane
} Operand;

static Operand operand(const Code *c, int r, const void *at) {
    const Register *x = &c->reg[r];
    Operand o = {x, at, tile_lanes(&x->type) == 1, x->form == FORM_AXES && c->wild[r], 0};
    o.first = x->form == FORM_AXES && is_bool(&x->type) ? 1
              : x->form == FORM_AXES                    ? 0
                                                        : integer(at, &x->type);
    return o;
}

// Places of axes before axis k, and lanes from one place of it to the next.
static int places_before(const TileType *t, int k) {
    int n = 0;
    for (int i = 0; i < k; i++) n += t->shape[i];
    return n;
}
static int stride_of(const TileType *t, int k) {
    int n = 1;
    for (int i = k + 1; i < t->rank; i++) n *= t->shape[i];
    return n;
}

// Its part of the n numbers along axis k of a tile. Along an axis on which it has one place that is repeated.
static void numbers_along(const Operand *o, int k, int n, int64_t *out) {
    const TileType *t = &o->r->type;
    bool kept = o->r->form == FORM_AXES;
    int64_t fixed = k == 0 ? o->first : 0;
    if (o->one || t->shape[k] == 1) {
        if (kept && !o->one) fixed = ((const int64_t *)(const void *)o->at)[places_before(t, k)];
        for (int i = 0; i < n; i++) out[i] = fixed;
    } else if (kept) {
        memcpy(out, o->at + (size_t)places_before(t, k) * sizeof *out, (size_t)n * sizeof *out);
    } else {
        size_t step = (size_t)stride_of(t, k);
        const int64_t first = k == 0 ? 0 : o->first;
        const int32_t *half = (const int32_t *)(const void *)o->at;
        const int64_t *wide = (const int64_t *)(const void *)o->at;
        if (!t->pointer && t->elem == DT_I32)
            for (int i = 0; i < n; i++) out[i] = half[(size_t)i * step] - first;
        else
            for (int i = 0; i < n; i++) out[i] = minus(wide[(size_t)i * step], first);
    }
}

// Of a mask whose lanes are written out: the lanes along axis k that go through one that it has.
static void mask_along(const Operand *o, int k, int n, size_t through, uint8_t *out) {
    const TileType *t = &o->r->type;
    const uint8_t *at = (const uint8_t *)o->at;
    if (o->one) {
        memset(out, at[0], (size_t)n);
    } else if (o->r->form == FORM_AXES) {
        at += places_before(t, k);
        if (t->shape[k] == 1)
            memset(out, at[0], (size_t)n);
        else
            memcpy(out, at, (size_t)n);
    } else if (through == SIZE_MAX) {
        memset(out, 0, (size_t)n);
    } else if (t->shape[k] == 1) {
        memset(out, 1, (size_t)n);
    } else {
        size_t step = (size_t)stride_of(t, k), place = through / step % (size_t)t->shape[k];
        at += through - place * step;
        for (int i = 0; i < n; i++) out[i] = at[(size_t)i * step];
    }
}

static size_t lane_of_mask(const Operand *o) {
    if (o->one || o->r->form == FORM_AXES) return 0;
    const uint8_t *lanes = (const uint8_t *)o->at, *any = memchr(lanes, 1, (size_t)tile_lanes(&o->r->type));
    return any ? (size_t)(any - lanes) : SIZE_MAX;
}

// ---- an operand in another shape

typedef struct {
    Register r;
    union {
        int64_t numbers[AXES_PLACES_MAX];
        uint8_t mask[AXES_PLACES_MAX];
    };
} Reshaped;

// The axes of d are those of the operand, but for those with one place.
static void reshape_axes(const TileType *d, const Operand *o, Reshaped *x) {
    const TileType *a = &o->r->type;
    const int64_t *numbers = (const int64_t *)(const void *)o->at;
    const uint8_t *mask = (const uint8_t *)o->at;
    int64_t first = 0;
    uint8_t rest = 1;
    for (int i = 0, at = 0; i < a->rank; at += a->shape[i++]) {
        if (a->shape[i] == 1) rest &= mask[at];
        first = i == 0 ? numbers[0] : first;
    }
    for (int k = 0, i = 0, to = 0, from = 0; k < d->rank; to += d->shape[k++]) {
        if (d->shape[k] == 1) {
            if (is_bool(d))
                x->mask[to] = k == 0 ? rest : 1;
            else
                x->numbers[to] = k == 0 ? first : 0;
            continue;
        }
        for (; a->shape[i] == 1; i++) from++;
        for (int p = 0; p < d->shape[k]; p++) {
            if (is_bool(d))
                x->mask[to + p] = mask[from + p] & (k == 0 ? rest : 1);
            else
                x->numbers[to + p] = plus(minus(numbers[from + p], numbers[from]), k == 0 ? first : 0);
        }
        from += a->shape[i++];
    }
}

// Lanes that are written out come in the same order in either shape.
static Operand reshaped(const Register *d, const Operand *o, Reshaped *x) {
    x->r = *o->r;
    x->r.type = d->type;
    Operand out = {&x->r, o->at, o->one, o->wild, o->first};
    if (o->r->form != FORM_AXES || o->wild) return out;
    reshape_axes(&d->type, o, x);
    out.at = (const char *)x->numbers;
    return out;
}

// ---- steps

typedef struct {
    int64_t least, most;
    bool beyond; // 64 bits: not all sums are between these
} Range;

// Of sums, axis by axis.
static void add_range(const Vm *v, Range *r, const int64_t *x, int n) {
    AddressSpan span;
    if (!v->loops->memory->span(x, NULL, (size_t)n, &span)) return; // n > 0: there is one
    r->beyond |= __builtin_add_overflow(r->least, span.least, &r->least);
    r->beyond |= __builtin_add_overflow(r->most, span.most, &r->most);
}

typedef struct {
    Vm *v;
    const Step *s;
    const Insn *i;
    const Register *d;
    Operand a, b;
} Sum;

static int64_t operand_lane(const Operand *o, size_t lane) {
    if (o->one) return o->first;
    if (o->r->form == FORM_AXES && !o->wild) return axes_lane(o->r, o->at, lane);
    return integer(o->at + lane * (size_t)tile_lane_bytes(&o->r->type), &o->r->type);
}

static Range range_of(const Sum *x, const Operand *o) {
    int64_t number[AXES_PLACES_MAX];
    Range r = {0};
    for (int k = 0; k < x->d->type.rank; k++) {
        numbers_along(o, k, x->d->type.shape[k], number);
        add_range(x->v, &r, number, x->d->type.shape[k]);
    }
    return r;
}

static bool beyond_32_bits(int64_t x) { return x < INT32_MIN || x > INT32_MAX; }

// Of two numbers of 32 bits all of these are exact.
static int64_t result_of(InsnOp op, int64_t a, int64_t b) {
    return op == INSN_ADD ? a + b : op == INSN_SUB ? a - b : a * b;
}

// The first lane that wraps is the finding, as if all were written out.
static bool blame_lane(const Sum *x) {
    size_t lane = 0, last = (size_t)tile_lanes(&x->d->type) - 1;
    while (lane < last &&
           !beyond_32_bits(result_of(x->i->op, operand_lane(&x->a, lane), operand_lane(&x->b, lane))))
        lane++;
    return vm_finding(x->v, x->s, DIAG_VALUE, (int64_t)lane,
                      "int32 overflow in an address computation; cast to tl.int64 first");
}

// n numbers along axis k of the second operand join those of the first. What all lanes share counts once.
static void combine(const Sum *x, int k, int n, int64_t *to) {
    int64_t by[AXES_PLACES_MAX], unit = x->i->op == INSN_SUB ? -1 : x->i->op == INSN_PTRADD ? x->i->imm : 1;
    if (x->b.one) {
        const int64_t all = k == 0 ? times(x->b.first, unit) : 0;
        for (int i = 0; all && i < n; i++) to[i] = plus(to[i], all);
        return;
    }
    numbers_along(&x->b, k, n, by);
    for (int i = 0; i < n; i++) to[i] = plus(to[i], times(by[i], unit));
}

// A number that all lanes share multiplies along every axis.
static void scale(const Sum *x, int k, int n, int64_t *to) {
    const Operand *tile = x->a.one ? &x->b : &x->a;
    const int64_t factor = x->a.one ? x->a.first : x->b.first;
    numbers_along(tile, k, n, to);
    for (int i = 0; i < n; i++) to[i] = times(to[i], factor);
}

static bool same_storage(int64_t a, int64_t b) { return a >> ADDRESS_BITS == b >> ADDRESS_BITS; }

// Addresses that began in one storage, from [start] to [all]: each is still there.
static bool stays(const Sum *x, Range start, Range all) {
    const int64_t far = (int64_t)1 << OFFSET_BITS;
    if (x->b.r->type.elem == DT_I64) {
        Range offset = range_of(x, &x->b);
        if (offset.beyond || offset.least <= -far || offset.most >= far) return false;
    }
    return !start.beyond && !all.beyond && same_storage(start.least, start.most) &&
           same_storage(all.least, start.least) && same_storage(all.most, start.least);
}

// The lane of the operand that lane `lane` of the result comes from.
static size_t lane_from(const TileType *d, const TileType *a, size_t lane) {
    size_t from = 0, unit = 1;
    for (int k = d->rank - 1; k >= 0; k--) {
        size_t place = lane % (size_t)d->shape[k];
        lane /= (size_t)d->shape[k];
        if (a->shape[k] == 1) continue;
        from += place * unit;
        unit *= (size_t)a->shape[k];
    }
    return from;
}

// As PTRADD does it lane by lane.
static int64_t address_further(const Sum *x, int64_t address, int64_t by) {
    const int64_t far = (int64_t)1 << OFFSET_BITS;
    if (by <= -far || by >= far) return 0;
    int64_t further = plus(address, times(by, x->i->imm));
    return same_storage(address, further) ? further : 0;
}

static bool write_wild(Sum *x) {
    const Insn *i = x->i;
    const TileType *d = &x->d->type, *a = &x->a.r->type;
    int64_t *to = x->s->d, numbers[AXES_PLACES_MAX];
    size_t n = (size_t)tile_lanes(d);
    if (x->a.r->form == FORM_AXES && !x->a.wild) { // which may lie where the lanes go
        memcpy(numbers, x->a.at, (size_t)axes_places(a) * sizeof *numbers);
        x->a.at = (const char *)numbers;
    }
    for (size_t lane = 0; lane < n; lane++) {
        size_t from = i->op == INSN_BROADCAST && !x->a.one ? lane_from(d, a, lane) : lane;
        int64_t address = operand_lane(&x->a, from);
        to[lane] = i->op == INSN_PTRADD ? address_further(x, address, operand_lane(&x->b, lane)) : address;
    }
    x->v->code->wild[i->d] = 1;
    return true;
}

bool step_axes(Vm *v, const Step *s) {
    const Code *c = v->code;
    const Insn *i = &c->insn[s->insn];
    Sum x = {v, s, i, &c->reg[i->d], operand(c, i->a, s->a), {0}};
    Reshaped other;
    if (i->op == INSN_RESHAPE) x.a = reshaped(x.d, &x.a, &other);
    x.b = i->b >= 0 ? operand(c, i->b, s->b) : x.a;
    if (x.a.wild) return write_wild(&x);
    const TileType *t = &x.d->type;
    bool address = i->op == INSN_PTRADD, narrow = i->b >= 0 && !t->pointer && t->elem == DT_I32;
    int64_t number[AXES_PLACES_MAX], *to = number;
    Range all = {0}, start = {0};
    for (int k = 0; k < t->rank; to += t->shape[k++]) {
        int n = t->shape[k];
        if (i->op == INSN_MUL)
            scale(&x, k, n, to);
        else
            numbers_along(&x.a, k, n, to);
        if (address) add_range(v, &start, to, n);
        if (i->b >= 0 && i->op != INSN_MUL) combine(&x, k, n, to);
        if (address || narrow) add_range(v, &all, to, n);
    }
    if (narrow && (beyond_32_bits(all.least) || beyond_32_bits(all.most))) return blame_lane(&x);
    if (address && !stays(&x, start, all)) return write_wild(&x);
    c->wild[i->d] = 0;
    memcpy(s->d, number, (size_t)(to - number) * sizeof *to);
    return true;
}

bool step_axes_mask(Vm *v, const Step *s) {
    const Code *c = v->code;
    const Insn *i = &c->insn[s->insn];
    const TileType *t = &c->reg[i->d].type;
    Operand a = operand(c, i->a, s->a), b = i->b >= 0 ? operand(c, i->b, s->b) : a;
    Reshaped other;
    if (i->op == INSN_RESHAPE) a = reshaped(&c->reg[i->d], &a, &other);
    size_t lane_a = lane_of_mask(&a), lane_b = i->b >= 0 ? lane_of_mask(&b) : 0;
    uint8_t *to = s->d, from[AXES_PLACES_MAX], by[AXES_PLACES_MAX];
    for (int k = 0; k < t->rank; k++) {
        int n = t->shape[k];
        mask_along(&a, k, n, lane_a, from);
        if (i->b >= 0) {
            mask_along(&b, k, n, lane_b, by);
            for (int p = 0; p < n; p++) from[p] &= by[p];
        }
        memcpy(to, from, (size_t)n);
        to += n;
    }
    return true;
}

// ---- which lanes an access meets

void axes_active(const Code *c, int reg, const void *mask, const TileType *tile, AxesActive *out) {
    Operand o = {0};
    if (mask) o = operand(c, reg, mask);
    size_t through = mask ? lane_of_mask(&o) : 0;
    int16_t *at = out->room;
    uint8_t has[AXES_PLACES_MAX];
    out->lanes = 1;
    for (int k = 0; k < tile->rank; k++) {
        int n = tile->shape[k], count = 0;
        out->place[k] = at;
        if (mask)
            mask_along(&o, k, n, through, has);
        else
            memset(has, 1, (size_t)n);
        for (int i = 0; i < n; i++) {
            at[count] = (int16_t)i;
            count += has[i];
        }
        out->count[k] = count;
        out->lanes *= (size_t)count;
        at += count;
    }
}
