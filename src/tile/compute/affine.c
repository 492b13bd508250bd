// affine.c - addresses and masks that need not be written out. A tile of offsets is nearly always affine: its
// first lane and a constant step (arange, plus scalars, plus a pointer); a mask over it is nearly always an
// interval of lanes (cols < N). Where every use of such a register is the address or the mask of a load or
// store, or another one of its kind, the VM computes lane 0 or the two ends only, and the access becomes one
// run without looking for it. In two dimensions the same holds of each row: bases of rows that are spread
// along columns, and columns that are spread along rows.
//
// Marked once for each code (after taint is known); a register that is marked holds lane 0, or an Interval,
// and no other lane. The budget still charges all lanes: what a kernel costs does not depend on this file.
#include "tile/compute/affine.h"

#include "tile/compute/step.h"

enum { LANES_MIN = 8 }; // an Interval must fit where the lanes of a mask were

typedef struct {
    const Code *code;
    RegisterForm *form; // what the register's lanes are, whether or not they are written out
    int64_t *step;      // AFFINE: between lanes; of pointers in bytes
    int *defs;
    bool *short_form; // no use needs the lanes
    bool rows;        // forms of two dimensions, too, and masks whose lanes are written out
    bool spread;      // there may be some
} Marker;

static bool one_lane(const Marker *k, int r) {
    return r >= 0 && tile_lanes(&k->code->reg[r].type) == 1 && !k->code->reg[r].tainted;
}
static bool is_affine(const Marker *k, int r) { return r >= 0 && k->form[r] == FORM_AFFINE; }
static bool is_interval(const Marker *k, int r) { return r >= 0 && k->form[r] == FORM_INTERVAL; }
static bool is_rows(const Marker *k, int r) { return r >= 0 && k->form[r] == FORM_ROWS; }
static bool is_grid(const Marker *k, int r) { return r >= 0 && k->form[r] == FORM_GRID; }
static bool is_signed_int(const Marker *k, int r) {
    const TileType *t = &k->code->reg[r].type;
    return !t->pointer && (t->elem == DT_I32 || t->elem == DT_I64);
}

// Sum or difference of two operands, each affine (or each rows) or one lane.
static RegisterForm sum_form(const Marker *k, const Insn *s, int64_t scale, int64_t *step) {
    RegisterForm form = is_rows(k, s->a) || is_rows(k, s->b) ? FORM_ROWS : FORM_AFFINE;
    bool ra = k->form[s->a] == form, rb = k->form[s->b] == form;
    if (!(ra || one_lane(k, s->a)) || !(rb || one_lane(k, s->b)) || !(ra || rb)) return FORM_LANES;
    int64_t sign = s->op == INSN_SUB ? -1 : 1;
    *step = (ra ? k->step[s->a] : 0) + (rb ? k->step[s->b] * sign * scale : 0);
    return *step >= -1024 && *step <= 1024 ? form : FORM_LANES;
}

// One row or one column, spread over a tile with rows worth the while.
static RegisterForm spread_form(const Marker *k, const Insn *s, int64_t *step) {
    const TileType *d = &k->code->reg[s->d].type, *a = &k->code->reg[s->a].type;
    if (d->rank != 2 || d->shape[0] < 2 || d->shape[1] < LANES_MIN) return FORM_LANES;
    bool row = a->shape[0] == 1 && a->shape[1] == d->shape[1];
    bool column = a->shape[1] == 1 && a->shape[0] == d->shape[0];
    if (!d->pointer && d->elem == DT_BOOL)
        return column || (row && is_interval(k, s->a)) ? FORM_GRID : FORM_LANES;
    if (!d->pointer && d->elem != DT_I32 && d->elem != DT_I64) return FORM_LANES;
    *step = row && is_affine(k, s->a) ? k->step[s->a] : 0;
    return column || (row && is_affine(k, s->a)) ? FORM_ROWS : FORM_LANES;
}

static RegisterForm form_of(Marker *k, const Insn *s, int64_t *step) {
    const TileType *d = &k->code->reg[s->d].type;
    switch (s->op) {
    case INSN_ARANGE: return *step = 1, FORM_AFFINE;
    case INSN_BROADCAST: {
        RegisterForm form = spread_form(k, s, step);
        k->spread |= form != FORM_LANES;
        return k->rows ? form : FORM_LANES;
    }
    case INSN_COPY:
        if (is_rows(k, s->a)) return *step = k->step[s->a], FORM_ROWS;
        return is_affine(k, s->a) ? (*step = k->step[s->a], FORM_AFFINE) : FORM_LANES;
    case INSN_RESHAPE: return is_affine(k, s->a) ? (*step = k->step[s->a], FORM_AFFINE) : FORM_LANES;
    case INSN_CAST:
        if (!is_signed_int(k, s->a) || d->pointer || d->elem != DT_I64) return FORM_LANES;
        if (!is_affine(k, s->a) && !is_rows(k, s->a)) return FORM_LANES;
        return *step = k->step[s->a], k->form[s->a];
    case INSN_ADD:
    case INSN_SUB:
        // Where wrapping is no finding, lanes may wrap, and then they are no affine tile.
        if (!is_signed_int(k, s->d) || (d->elem == DT_I32 && !k->code->reg[s->d].address)) return FORM_LANES;
        return sum_form(k, s, 1, step);
    case INSN_PTRADD: return is_signed_int(k, s->b) ? sum_form(k, s, s->imm, step) : FORM_LANES;
    case INSN_LT:
    case INSN_LE:
    case INSN_GT:
    case INSN_GE:
        if (!is_signed_int(k, s->a)) return FORM_LANES;
        if (is_affine(k, s->a) && k->step[s->a] == 1 && one_lane(k, s->b)) return FORM_INTERVAL;
        return is_affine(k, s->b) && k->step[s->b] == 1 && one_lane(k, s->a) ? FORM_INTERVAL : FORM_LANES;
    case INSN_AND:
        if (d->elem != DT_BOOL) return FORM_LANES;
        if (is_grid(k, s->a)) return is_grid(k, s->b) || one_lane(k, s->b) ? FORM_GRID : FORM_LANES;
        if (is_grid(k, s->b)) return one_lane(k, s->a) ? FORM_GRID : FORM_LANES;
        if (is_interval(k, s->a))
            return is_interval(k, s->b) || one_lane(k, s->b) ? FORM_INTERVAL : FORM_LANES;
        return is_interval(k, s->b) && one_lane(k, s->a) ? FORM_INTERVAL : FORM_LANES;
    default: return FORM_LANES;
    }
}

// The mask of an access in short form: absent, one lane, or an interval in short form itself.
static bool mask_is_short(const Marker *k, int mask) {
    return mask < 0 || one_lane(k, mask) || (is_interval(k, mask) && (k->rows || k->short_form[mask]));
}

static bool access_is_short(const Marker *k, const Insn *s) {
    int value = s->op == INSN_LOAD ? s->d : s->b, mask = s->op == INSN_LOAD ? s->b : s->c;
    int64_t bytes = dtype_bytes(k->code->reg[value].type.elem);
    if (s->a < 0 || !k->short_form[s->a] || k->step[s->a] != bytes) return false;
    if (is_affine(k, s->a)) return mask_is_short(k, mask);
    // What is stored has to be defined: rows are not looked at lane by lane.
    if (!is_rows(k, s->a) || (s->op == INSN_STORE && k->code->reg[value].tainted)) return false;
    return mask < 0 || one_lane(k, mask) || is_grid(k, mask);
}

// The form of rows cannot be computed from lanes. That of a mask can: in lanes that are known to be an
// interval its ends are searched for.
static bool operand_fits(const Marker *k, const Insn *s, int r) {
    if (r < 0 || k->short_form[r]) return true;
    if (is_interval(k, r)) return k->rows || s->op != INSN_AND;
    return !is_rows(k, r);
}
static bool can_be_computed(const Marker *k, const Insn *s) {
    return operand_fits(k, s, s->a) && operand_fits(k, s, s->b) && operand_fits(k, s, s->c);
}

// May operand r of this instruction be in short form?
static bool use_is_short(const Marker *k, const Insn *s, int r) {
    if (s->op == INSN_LOAD) return s->c != r && access_is_short(k, s);
    if (s->op == INSN_STORE) return s->b != r && access_is_short(k, s);
    if (s->d < 0 || k->form[s->d] == FORM_LANES || !k->short_form[s->d]) return false;
    return can_be_computed(k, s);
}

// From the end on: what a register is used for stands behind it.
static void settle(Marker *k) {
    for (bool changed = true; changed;) {
        changed = false;
        for (int i = k->code->insns - 1; i >= 0; i--) {
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

static void mark_all(Marker *k, bool rows) {
    const Code *c = k->code;
    k->rows = rows;
    for (int i = 0; i < c->insns; i++) {
        const Insn *s = &c->insn[i];
        int mask = s->op == INSN_LOAD ? s->b : s->op == INSN_STORE ? s->c : -1;
        k->spread |= is_interval(k, mask) && is_affine(k, s->a);
        if (s->d < 0 || k->defs[s->d] != 1 || s->op == INSN_LOOPTEST) continue;
        const Register *d = &c->reg[s->d];
        if (d->tainted || tile_lanes(&d->type) < LANES_MIN) continue;
        k->form[s->d] = form_of(k, s, &k->step[s->d]);
        k->short_form[s->d] = k->form[s->d] != FORM_LANES;
    }
    settle(k);
}

void mark_affine(Arena *a, Code *c) {
    ArenaMark mark = arena_mark(a);
    size_t n = (size_t)c->regs + 1;
    Marker k = {.code = c,
                .form = NEWN(a, RegisterForm, n),
                .step = NEWN(a, int64_t, n),
                .defs = NEWN(a, int, n),
                .short_form = NEWN(a, bool, n)};
    for (int i = 0; i < c->insns; i++)
        if (c->insn[i].d >= 0) k.defs[c->insn[i].d]++;
    mark_all(&k, false);
    bool *before = NEWN(a, bool, n);
    memcpy(before, k.short_form, n * sizeof *before);
    if (k.spread) mark_all(&k, true);
    for (int r = 0; r < c->regs; r++) {
        c->reg[r].form = k.short_form[r] ? k.form[r] : FORM_LANES;
        c->reg[r].late = k.short_form[r] && !before[r];
        c->reg[r].step = k.step[r];
        c->reg[r].counting = k.form[r] == FORM_AFFINE && k.step[r] == 1 && is_signed_int(&k, r);
    }
    arena_reset(a, mark);
}

// ---- running them

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

// ADD and SUB: lane 0, and that no lane wraps.
bool step_affine(Vm *v, const Step *s) {
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

// Lanes where affine tile[i] = first + i is below (or at most) the limit: those before the result.
static int32_t lanes_below(int64_t first, int64_t limit, bool inclusive, int n) {
    int64_t room;
    if (__builtin_sub_overflow(limit, first, &room)) return limit > first ? n : 0;
    return clip(room + (inclusive && room < INT64_MAX), n);
}

// Comparisons of affine with a scalar.
static Interval compared(const Vm *v, const Step *s, bool left, int64_t affine) {
    const Insn *i = &v->code->insn[s->insn];
    DType t = v->code->reg[i->a].type.elem;
    int n = tile_lanes(&v->code->reg[i->d].type);
    int64_t limit = lane_0(left ? s->b : s->a, t);
    // With the affine tile on the right, a < b is b > a.
    bool below = left == (i->op == INSN_LT || i->op == INSN_LE);
    bool inclusive = i->op == INSN_LE || i->op == INSN_GE;
    Interval in = {0, n};
    if (below)
        in.hi = lanes_below(affine, limit, inclusive, n);
    else
        in.lo = lanes_below(affine, limit, !inclusive, n);
    return in;
}

bool step_compare(Vm *v, const Step *s) {
    const Register *ra = &v->code->reg[v->code->insn[s->insn].a];
    bool left = tile_lanes(&ra->type) > 1; // affine tile on the left
    Interval in = compared(v, s, left, lane_0(left ? s->a : s->b, ra->type.elem));
    memcpy(s->d, &in, sizeof in);
    return true;
}

bool counting_holds(const Vm *v, const Step *s, Interval *in) {
    const Insn *i = &v->code->insn[s->insn];
    const Register *ra = &v->code->reg[i->a];
    bool left = tile_lanes(&ra->type) > 1, wide = ra->type.elem == DT_I64;
    int64_t first = lane_0(left ? s->a : s->b, ra->type.elem);
    if (first > (wide ? INT64_MAX : INT32_MAX) - tile_lanes(&v->code->reg[i->d].type)) return false;
    *in = compared(v, s, left, first);
    return true;
}

Interval interval_of(const void *mask, bool one, int n) {
    Interval in = {0, n};
    if (!mask) return in;
    if (one) return *(const uint8_t *)mask ? in : (Interval){0, 0};
    memcpy(&in, mask, sizeof in);
    return in;
}

// Of lanes that are an interval; of others, which 64-bit integers that wrap could make, all between the ends:
// too many lanes are active rather than too few.
Interval interval_found(const uint8_t *lanes, int n) {
    const uint8_t *first = memchr(lanes, 1, (size_t)n), *last = memrchr(lanes, 1, (size_t)n);
    return first ? (Interval){(int32_t)(first - lanes), (int32_t)(last - lanes) + 1} : (Interval){0, 0};
}

Interval mask_interval(const Vm *v, int reg, const void *mask, bool one, int n) {
    if (mask && !one && v->code->reg[reg].form == FORM_LANES) return interval_found(mask, n);
    return interval_of(mask, one, n);
}

bool step_intersect(Vm *v, const Step *s) {
    const Insn *i = &v->code->insn[s->insn];
    int n = tile_lanes(&v->code->reg[i->d].type);
    Interval a = mask_interval(v, i->a, s->a, tile_lanes(&v->code->reg[i->a].type) == 1, n);
    Interval b = mask_interval(v, i->b, s->b, tile_lanes(&v->code->reg[i->b].type) == 1, n);
    Interval in = {a.lo > b.lo ? a.lo : b.lo, a.hi < b.hi ? a.hi : b.hi};
    if (in.hi < in.lo) in.hi = in.lo;
    memcpy(s->d, &in, sizeof in);
    return true;
}

// ---- rows ----

static int64_t element(const Register *r, const void *p, int i) {
    return lane_0((const char *)p + (size_t)i * (size_t)tile_lane_bytes(&r->type),
                  r->type.pointer ? DT_I64 : r->type.elem);
}

static void set_element(const Register *r, void *p, int i, int64_t x) {
    size_t size = (size_t)tile_lane_bytes(&r->type);
    memcpy((char *)p + (size_t)i * size, &x, size); // its low bytes
}

// BROADCAST: of one row lane 0 stands for each; of one column each lane begins a row.
bool step_spread(Vm *v, const Step *s) {
    const Insn *i = &v->code->insn[s->insn];
    const Register *d = &v->code->reg[i->d], *a = &v->code->reg[i->a];
    int rows = d->type.shape[0];
    if (a->type.shape[0] == 1) {
        for (int r = 0; r < rows; r++) set_element(d, s->d, r, element(a, s->a, 0));
    } else if (a->form == FORM_AFFINE) {
        for (int r = 0; r < rows; r++) set_element(d, s->d, r, element(a, s->a, 0) + r * a->step);
    } else {
        memcpy(s->d, s->a, (size_t)rows * s->size);
    }
    return true;
}

// ADD and SUB: lane 0 of each row, and that no lane wraps.
bool step_rows(Vm *v, const Step *s) {
    const Insn *i = &v->code->insn[s->insn];
    const Register *d = &v->code->reg[i->d], *a = &v->code->reg[i->a], *b = &v->code->reg[i->b];
    bool one_a = tile_lanes(&a->type) == 1, one_b = tile_lanes(&b->type) == 1;
    int columns = d->type.shape[1];
    int64_t x = element(a, s->a, 0), y = element(b, s->b, 0); // now: one lane may lie where d does
    for (int r = 0; r < d->type.shape[0]; r++) {
        int64_t first, last;
        if (!one_a) x = element(a, s->a, r);
        if (!one_b) y = element(b, s->b, r);
        bool over =
            i->op == INSN_SUB ? __builtin_sub_overflow(x, y, &first) : __builtin_add_overflow(x, y, &first);
        over |= __builtin_add_overflow(first, d->step * (columns - 1), &last);
        if (over) return vm_finding(v, s, DIAG_VALUE, -1, "int64 overflow in an address computation");
        if (d->type.elem == DT_I32 &&
            (first < INT32_MIN || first > INT32_MAX || last < INT32_MIN || last > INT32_MAX))
            return vm_finding(v, s, DIAG_VALUE, r * (int64_t)columns + lane_beyond(first, d->step),
                              "int32 overflow in an address computation; cast to tl.int64 first");
        set_element(d, s->d, r, first);
    }
    return true;
}

Grid grid_of(const Vm *v, int reg, const void *mask, bool one) {
    if (!mask || one) return (Grid){.columns = interval_of(mask, one, INT32_MAX), .pitch = 0};
    const TileType *t = &v->code->reg[reg].type;
    const uint8_t *lanes = mask;
    if (v->code->reg[reg].form != FORM_LANES)
        return (Grid){interval_of(mask, false, 0), lanes + sizeof(Interval), 1};
    // Lanes: the first row that has any shows the columns; one of them tells of each row whether it has them.
    const uint8_t *any = memchr(lanes, 1, (size_t)tile_lanes(t));
    size_t pitch = (size_t)t->shape[1], row = any ? (size_t)(any - lanes) / pitch * pitch : 0;
    Interval columns = interval_found(lanes + row, t->shape[1]);
    return (Grid){columns, lanes + columns.lo, pitch};
}

static uint8_t *grid_set(void *d, Interval columns) {
    memcpy(d, &columns, sizeof columns);
    return (uint8_t *)d + sizeof columns;
}

bool step_spread_mask(Vm *v, const Step *s) {
    const Insn *i = &v->code->insn[s->insn];
    const TileType *d = &v->code->reg[i->d].type;
    const Register *a = &v->code->reg[i->a];
    bool row = a->type.shape[0] == 1, interval = row || a->form == FORM_INTERVAL;
    Interval all = {0, d->shape[1]}, in = interval ? mask_interval(v, i->a, s->a, false, d->shape[1]) : all;
    uint8_t *rows = grid_set(s->d, row ? in : all);
    for (int r = 0; r < d->shape[0]; r++)
        rows[r] = row ? 1 : interval ? r >= in.lo && r < in.hi : ((const uint8_t *)s->a)[r];
    return true;
}

bool step_intersect_grid(Vm *v, const Step *s) {
    const Insn *i = &v->code->insn[s->insn];
    const TileType *d = &v->code->reg[i->d].type;
    Grid a = grid_of(v, i->a, s->a, s->one & ONE_A), b = grid_of(v, i->b, s->b, s->one & ONE_B);
    Interval in = {a.columns.lo > b.columns.lo ? a.columns.lo : b.columns.lo,
                   a.columns.hi < b.columns.hi ? a.columns.hi : b.columns.hi};
    if (in.hi < in.lo) in.hi = in.lo;
    uint8_t *rows = grid_set(s->d, in);
    for (int r = 0; r < d->shape[0]; r++) rows[r] = grid_has(&a, (size_t)r) && grid_has(&b, (size_t)r);
    return true;
}
