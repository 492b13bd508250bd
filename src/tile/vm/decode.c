#include "tile/vm/decode.h"
#include "tile/code/copy_elision.h"
#include "tile/vm/lanes.h"
#include "tile/vm/steps.h"
#include <assert.h>

static DType loop_type(const TileType *t) { return t->pointer ? DT_I64 : t->elem; }
static int max(int a, int b) { return a > b ? a : b; }
static int smaller(int a, int b) { return a < b ? a : b; }

size_t decode_lanes_max(const Code *c) {
    int most = 1;
    for (int r = 0; r < c->regs; r++) most = max(most, tile_lanes(&c->reg[r].type));
    return (size_t)most;
}

typedef struct {
    Arena *arena;
    Vm *v;
    char *file;
    const int64_t *args;
    const Insn *insn;
    const Register *rd, *ra, *rb, *rc; // NULL: absent
    Step *s;
} Decode;

// A float constant or argument arrives as the bits of a double; integers are reduced to their type.
static int64_t cell_of(const TileType *t, int64_t bits) {
    if (t->pointer) return bits;
    int64_t out = 0;
    if (dtype_is_float(t->elem)) {
        double x;
        memcpy(&x, &bits, sizeof x);
        x = dtype_round(t->elem, x);
        float f = (float)x;
        if (t->elem == DT_F64)
            memcpy(&out, &x, sizeof x);
        else
            memcpy(&out, &f, sizeof f);
        return out;
    }
    switch (t->elem) {
    case DT_BOOL: return bits != 0;
    case DT_I8: return (int8_t)bits;
    case DT_I16: return (int16_t)bits;
    case DT_U8: return (uint8_t)bits;
    case DT_U16: return (uint16_t)bits;
    default: return bits; // the low half is what a 32-bit register takes
    }
}

// A register that another instruction may taint gets its poison cleared by every other one that writes it.
static void set_loop(Decode *x, LoopFn *fn) {
    assert(fn);
    x->s->act = x->s->pd ? ACT_GUARDED : ACT_LOOP;
    x->s->fn = fn;
}

static void set_cell(Decode *x, int64_t cell) {
    Step *s = x->s;
    s->imm = cell;
    s->a = &s->imm; // its low bytes, the machine being little-endian
    set_loop(x, x->v->loops->memory->copy[s->size]);
    if (!s->pd) s->act = ACT_SET;
}

// Moves: one loop over lanes in order, or a walk with strides. With poison always a walk, which takes both.
static void decode_move(Decode *x) {
    Step *s = x->s;
    const TileType *d = &x->rd->type, *a = &x->ra->type;
    bool straight = x->insn->op == INSN_COPY || x->insn->op == INSN_RESHAPE;
    bool same = straight || s->lanes == s->lanes_a, one = s->lanes_a == 1;
    if (x->insn->op != INSN_TRANS && (same || one) && !s->pd) {
        set_loop(x, (same ? x->v->loops->memory->copy : x->v->loops->memory->splat)[s->size]);
        return;
    }
    Walk *w = NEW(x->arena, Walk);
    s->act = ACT_WALK;
    s->walk = w;
    if (x->insn->op != INSN_TRANS && (same || one)) {
        *w = (Walk){.rank = 1, .shape = {s->lanes}, .stride = {same}};
        return;
    }
    int stride[TILE_RANK_MAX], step = 1;
    for (int i = a->rank - 1; i >= 0; i--) {
        stride[i] = step;
        step *= a->shape[i];
    }
    w->rank = d->rank;
    for (int i = 0; i < d->rank; i++) {
        int from = x->insn->op == INSN_TRANS ? (int)(x->insn->imm >> (4 * i)) & 15 : i;
        w->shape[i] = d->shape[i];
        w->stride[i] = a->shape[from] == 1 ? 0 : stride[from];
    }
    walk_merge(w);
}

InsnOp folding(InsnOp op) {
    switch (op) {
    case INSN_SUM:
    case INSN_CUMSUM: return INSN_ADD;
    case INSN_CUMPROD: return INSN_MUL;
    case INSN_RMAX: return INSN_MAX;
    case INSN_RMIN: return INSN_MIN;
    case INSN_ORSUM: return INSN_OR;
    default: return INSN_XOR;
    }
}

static void decode_fold(Decode *x, Act act) {
    Step *s = x->s;
    const TileType *a = &x->ra->type;
    int axis = act == ACT_SCAN ? (int)(x->insn->imm & 15) : (int)x->insn->imm;
    s->act = (uint8_t)act;
    s->outer = s->inner = 1;
    s->n = axis < 0 ? s->lanes_a : a->shape[axis];
    for (int i = 0; axis >= 0 && i < a->rank; i++) {
        if (i < axis) s->outer *= a->shape[i];
        if (i > axis) s->inner *= a->shape[i];
    }
    s->dtype = (uint8_t)a->elem;
    if (act != ACT_ARG) s->fn = x->v->loops->op[folding(x->insn->op)][a->elem][0];
    assert(act == ACT_ARG || s->fn);
}

static int lanes_of(const Register *r) { return r ? tile_lanes(&r->type) : 1; }

static void decode_elementwise(Decode *x) {
    Step *s = x->s;
    const Insn *i = x->insn;
    const TileLoops *loops = x->v->loops;
    int mode = s->one;
    bool all_one = (!x->ra || lanes_of(x->ra) == 1) && (!x->rb || lanes_of(x->rb) == 1) &&
                   (!x->rc || lanes_of(x->rc) == 1);
    s->fill = all_one && s->lanes > 1;
    if (all_one) mode = 0;
    DType key = loop_type(i->op == INSN_WHERE ? &x->rb->type : &x->ra->type);
    bool guarded = s->fill;
    if (i->op == INSN_CAST) {
        DType to = loop_type(&x->rd->type);
        LoopFn *chop = i->imm == 1 ? loops->cast->chop[key][to] : NULL;
        set_loop(x, chop ? chop : loops->cast->cast[key][to]);
    } else if (i->op == INSN_PTRADD) {
        set_loop(x, loops->memory->ptradd[x->rb->type.elem][mode]);
        s->c = &s->imm;
    } else if ((i->op == INSN_MAX || i->op == INSN_MIN) && i->imm == 1 && dtype_is_float(key)) {
        set_loop(x, loops->propagate[i->op][key - DT_F16][mode]);
    } else if (x->rd->address && key == DT_I32 && loops->checked[i->op][0]) {
        set_loop(x, loops->checked[i->op][mode]);
        guarded = true;
    } else {
        set_loop(x, loops->op[i->op][key][mode]);
        bool shift = i->op == INSN_SHL || i->op == INSN_SHR;
        guarded |= i->op == INSN_IDIV || shift || (i->op == INSN_MOD && !dtype_is_float(key));
    }
    if (guarded) s->act = ACT_GUARDED;
    s->aside = s->d == s->a || s->d == s->b || s->d == s->c;
}

// Part of a tile, or a tile backwards, or its even lanes and then the odd ones: a walk that begins somewhere
// inside.
static void decode_part(Decode *x) {
    Step *s = x->s;
    const TileType *d = &x->rd->type, *a = &x->ra->type;
    int order = x->insn->op == INSN_ORDER ? x->v->m->lane_order : 0;
    bool flip = x->insn->op == INSN_FLIP || (order & LANES_BACKWARDS);
    int axis = (int)(x->insn->imm & 15), first = flip ? a->shape[axis] - 1 : (int)(x->insn->imm >> 4),
        step = 1;
    Walk *w = NEW(x->arena, Walk);
    bool apart = (order & LANES_APART) && d->shape[axis] % 2 == 0;
    w->rank = d->rank + apart;
    for (int i = a->rank - 1; i >= 0; i--) {
        int at = i + (apart && i >= axis), by = flip && i == axis ? -step : step;
        w->shape[at] = d->shape[i];
        w->stride[at] = by;
        if (apart && i == axis) {
            w->shape[at] /= 2;
            w->stride[at] *= 2;
            w->shape[i] = 2;
            w->stride[i] = by;
        }
        if (i == axis) first *= step;
        step *= a->shape[i];
    }
    s->a = (const char *)s->a + (size_t)first * s->size;
    if (s->pa) s->pa += first;
    s->act = ACT_WALK;
    s->walk = w;
    walk_merge(w);
}

// Of what is a call: everything but lane by lane work exchanges values between lanes.
static bool lanes_apart(InsnOp op) {
    switch (op) {
    case INSN_ADD:
    case INSN_SUB:
    case INSN_LT:
    case INSN_LE:
    case INSN_GT:
    case INSN_GE:
    case INSN_AND:
    case INSN_BITCAST:
    case INSN_LOAD:
    case INSN_STORE:
    case INSN_ATOMIC:
    case INSN_CAS:
    case INSN_HINT:
    case INSN_ALIGNED: return true;
    default: return false;
    }
}

// Instructions beyond one that a GPU needs for a lane, roughly: a function unit's approximation and what
// scales and repairs it. Where there is none, the length of NVIDIA's routine; tanh as measured on an H100 (45
// cycles a lane).
static int function_instructions(const Insn *i, const Register *d) {
    bool real = d && dtype_is_float(d->type.elem);
    switch (i->op) {
    case INSN_EXP2:
    case INSN_LOG2:
    case INSN_RSQRT: return 1;
    case INSN_EXP:
    case INSN_LOG: return 2;
    case INSN_SQRT: return 4;
    case INSN_DIV: return 8;
    case INSN_MOD:
    case INSN_IDIV:
        return real ? 40 : 10; // quotient and rest share their work; of 64 bits mostly 32 are used
    case INSN_EXPM1:
    case INSN_LOG1P: return 20;
    case INSN_ERF: return 30;
    case INSN_SIN:
    case INSN_COS:
    case INSN_TANH: return 40;
    case INSN_POW: return 60;
    case INSN_MATH: return math_info[i->imm].cost - 1;
    default: return 0;
    }
}

// layout.c: has a thread more lanes of this load than of a store of such elements? There have to be enough.
static bool dealt_otherwise(const Machine *m, const TileType *t, int64_t narrowest) {
    int64_t bytes = dtype_bytes(t->elem), run = 16 / bytes;
    return t->rank > 0 && narrowest < bytes && t->shape[t->rank - 1] > run &&
           tile_lanes(t) > (int64_t)m->gpu.warps * 32 * run;
}

static void decode_call(Decode *x, StepFn *call) {
    x->s->act = ACT_CALL;
    x->s->call = call;
    x->s->meets = !lanes_apart(x->insn->op);
    if (x->insn->op == INSN_ATOMIC || x->insn->op == INSN_CAS) {
        x->s->bytes = (uint8_t)dtype_bytes(x->rd->type.elem);
        x->s->shape = lanes_shape(&x->ra->type);
        x->s->cost *= 16; // lane by lane
    }
    if (x->insn->op == INSN_GATHER || x->insn->op == INSN_HISTOGRAM) x->s->cost *= 4;
    if (x->insn->op == INSN_MATH) x->s->cost *= math_info[x->insn->imm].cost;
    if (x->insn->op == INSN_SWAP) x->s->cost *= 2;
    if (x->insn->op != INSN_DOT) return;
    // Four products are about the work of one lane, where rows are long enough for vectors.
    const TileType *a = &x->ra->type, *d = &x->rd->type;
    int64_t k = a->shape[a->rank - 1], n = d->shape[d->rank - 1];
    x->s->cost = max(x->s->cost, (int)(x->s->lanes / n * k * max((int)n, 8) / 4));
}

// A register that is kept by axis. It meets other lanes where lanes would be moved apart from each other.
static void decode_axes(Decode *x) {
    const TileType *d = &x->rd->type;
    bool moves = x->insn->op == INSN_BROADCAST && x->s->lanes_a > 1 && x->s->lanes_a < x->s->lanes;
    decode_call(x, !d->pointer && d->elem == DT_BOOL ? step_axes_mask : step_axes);
    x->s->meets = moves;
}

// A register in short form: one lane of work, or one for each row, whatever the instruction.
static bool decode_short(Decode *x) {
    Step *s = x->s;
    bool rows = x->rd->form == FORM_ROWS, grid = x->rd->form == FORM_GRID;
    s->lanes = s->lanes_a = rows ? x->rd->type.shape[0] : 1;
    if (!rows) s->one = grid ? s->one : 0;
    switch (x->insn->op) {
    case INSN_ADD:
    case INSN_SUB: decode_call(x, rows ? step_rows : step_affine); return true;
    case INSN_LT:
    case INSN_LE:
    case INSN_GT:
    case INSN_GE: decode_call(x, step_compare); return true;
    case INSN_AND: decode_call(x, grid ? step_intersect_grid : step_intersect); return true;
    case INSN_BROADCAST: decode_call(x, rows ? step_spread : step_spread_mask); return true;
    default: return false; // the loops do it, on so many lanes
    }
}

static void decode_insn(Decode *x) {
    const Insn *i = x->insn;
    Step *s = x->s;
    // One kept by axis is another one in another shape, and addresses may be written out after all (axes.c).
    bool axes_move = x->rd && x->rd->form == FORM_AXES && (i->op == INSN_RESHAPE || x->rd->type.pointer);
    if (s->d && s->d == s->a && !s->pd && !axes_move && move_keeps_bits(x->v->code, i)) {
        s->act = ACT_NONE;
        return;
    }
    if (x->rd && x->rd->form == FORM_AXES) return decode_axes(x);
    if (x->rd && x->rd->form != FORM_LANES && decode_short(x)) return;
    bool axes = x->ra && x->ra->form == FORM_AXES;
    bool short_address = x->ra && x->ra->form == FORM_AFFINE, rows = x->ra && x->ra->form == FORM_ROWS;
    switch (i->op) {
    case INSN_CONST: set_cell(x, cell_of(&x->rd->type, i->imm)); break;
    case INSN_PARAM: set_cell(x, cell_of(&x->rd->type, x->args[i->imm])); break;
    case INSN_PID:
        s->a = &x->v->pid[i->imm];
        set_loop(x, x->v->loops->memory->copy[4]);
        break;
    case INSN_NPROG: set_cell(x, x->v->grid[i->imm]); break;
    case INSN_ARANGE:
        s->a = &s->imm;
        set_loop(x, x->v->loops->memory->arange);
        break;
    case INSN_COPY:
    case INSN_SPLAT:
    case INSN_RESHAPE:
    case INSN_BROADCAST:
    case INSN_TRANS: decode_move(x); break;
    case INSN_SUM:
    case INSN_RMAX:
    case INSN_RMIN:
    case INSN_XORSUM:
    case INSN_ORSUM: decode_fold(x, ACT_REDUCE); break;
    case INSN_ARGMAX:
    case INSN_ARGMIN: decode_fold(x, ACT_ARG); break;
    case INSN_CUMSUM:
    case INSN_CUMPROD: decode_fold(x, ACT_SCAN); break;
    case INSN_LOAD:
        s->act = ACT_LOAD;
        s->bytes = (uint8_t)dtype_bytes(x->rd->type.elem);
        if (s->lanes == 1 && !s->pa && !s->pb && !s->pd) decode_call(x, step_load_one);
        if (short_address) decode_call(x, step_load_run);
        if (rows) decode_call(x, step_load_rows);
        if (axes) decode_call(x, step_load_axes);
        break;
    case INSN_STORE:
        s->act = ACT_STORE;
        s->lanes = s->lanes_a;
        s->size = (uint8_t)tile_lane_bytes(&x->rb->type);
        s->dtype = (uint8_t)x->rb->type.elem;
        s->bytes = (uint8_t)dtype_bytes(x->rb->type.elem);
        if (s->lanes == 1 && lanes_of(x->rb) == 1 && !s->pa && !s->pb && !s->pc)
            decode_call(x, step_store_one);
        if (short_address) decode_call(x, step_store_run);
        if (rows) decode_call(x, step_store_rows);
        if (axes) decode_call(x, step_store_axes);
        break;
    case INSN_SLICE:
    case INSN_FLIP:
    case INSN_ORDER: decode_part(x); break;
    case INSN_BITCAST: decode_call(x, step_bitcast); break;
    case INSN_CONCAT: decode_call(x, step_concat); break;
    case INSN_GATHER: decode_call(x, step_gather); break;
    case INSN_DOT: decode_call(x, step_dot); break;
    case INSN_ALIGNED: decode_call(x, step_aligned); break;
    case INSN_ASSUME: decode_call(x, step_assume); break;
    case INSN_HINT: // more hints than bits share the last one
        s->n = 2 << smaller(x->v->hints++, REDUCED_BIT - 2);
        decode_call(x, step_hint);
        break;
    case INSN_SWAP: decode_call(x, step_swap); break;
    case INSN_HISTOGRAM: decode_call(x, step_histogram); break;
    case INSN_MATH: decode_call(x, step_math); break;
    case INSN_ATOMIC: decode_call(x, step_atomic); break;
    case INSN_CAS: decode_call(x, step_cas); break;
    case INSN_BARRIER: decode_call(x, step_barrier); break;
    case INSN_JUMP: s->act = ACT_JUMP; break;
    case INSN_JUMPNOT: s->act = ACT_JUMPNOT; break;
    case INSN_LOOPTEST: s->act = ACT_LOOPTEST; break;
    case INSN_END: s->act = ACT_END; break;
    default: decode_elementwise(x); break;
    }
}

static const Register *register_of(const Code *c, int r) { return r < 0 ? NULL : &c->reg[r]; }
static char *lanes_at(char *file, const Register *r) { return r ? file + r->offset : NULL; }
static uint8_t *poison_at(char *file, const Register *r) {
    return r && r->tainted ? (uint8_t *)file + r->poison_offset : NULL;
}

// ---- a product and its sum in one pass ----

static bool apart(const void *p, size_t n, const void *q, size_t m) {
    return (const char *)p + n <= (const char *)q || (const char *)q + m <= (const char *)p;
}

// Operand and result may be the same register, but must not overlap in any other way: the packer may give the
// sum part of the space of an operand that dies at the product.
static bool may_share(const Step *product, const Step *sum, const void *operand, bool one) {
    size_t n = (size_t)sum->lanes * 4;
    return one || operand == sum->d || apart(operand, n, sum->d, (size_t)product->lanes * 4);
}

// The product's register is used by the next instruction alone, and nothing jumps in between.
static bool feeds_next(const Code *c, int k) {
    const Insn *next = &c->insn[k + 1];
    int r = c->insn[k].d, uses = 0, defs = 0;
    if (next->op != INSN_ADD || (next->a != r && next->b != r)) return false; // before the long look
    for (int i = 0; i < c->insns; i++) {
        const Insn *s = &c->insn[i];
        bool jumps = s->op == INSN_JUMP || s->op == INSN_JUMPNOT || s->op == INSN_LOOPTEST;
        if (jumps && s->imm == k + 1) return false;
        uses += (s->a == r) + (s->b == r) + (s->c == r);
        defs += s->d == r;
    }
    return uses == 1 && defs == 1;
}

static void fuse_products(Vm *v) {
    const Code *c = v->code;
    for (int k = 0; k + 1 < c->insns; k++) {
        Step *s = &v->step[k], *sum = s + 1;
        if (c->insn[k].op != INSN_MUL || s->act != ACT_LOOP || sum->act != ACT_LOOP || s->dtype != DT_F32 ||
            sum->dtype != DT_F32 || s->fill || s->lanes != sum->lanes || s->lanes < 2 || !feeds_next(c, k))
            continue;
        bool left = c->insn[k + 1].a == c->insn[k].d;
        const void *addend = left ? sum->b : sum->a;
        bool one = sum->one & (left ? ONE_B : ONE_A);
        LoopFn *fn = v->loops->muladd[s->one | (one ? ONE_C : 0)];
        if (!fn || !may_share(s, sum, s->a, s->one & ONE_A) || !may_share(s, sum, s->b, s->one & ONE_B))
            continue;
        s->act = ACT_FUSED;
        s->fn = fn;
        s->c = addend;
        s->d = sum->d;
        s->cost += sum->cost;
    }
}

void decode(Arena *a, Vm *v, char *file, const int64_t *args) {
    const Code *c = v->code;
    v->step = NEWN(a, Step, (size_t)c->insns);
    for (int k = 0; k < c->insns; k++) {
        const Insn *i = &c->insn[k];
        Step *s = &v->step[k];
        Decode x = {a,
                    v,
                    file,
                    args,
                    i,
                    register_of(c, i->d),
                    register_of(c, i->a),
                    register_of(c, i->b),
                    register_of(c, i->c),
                    s};
        // It is zero: field by field costs less than a whole Step at once.
        s->d = lanes_at(file, x.rd);
        s->a = lanes_at(file, x.ra);
        s->b = lanes_at(file, x.rb);
        s->c = lanes_at(file, x.rc);
        s->pd = poison_at(file, x.rd);
        s->pa = poison_at(file, x.ra);
        s->pb = poison_at(file, x.rb);
        s->pc = poison_at(file, x.rc);
        s->imm = i->imm;
        s->insn = k;
        s->target = (int)i->imm;
        s->lanes = lanes_of(x.rd);
        s->lanes_a = lanes_of(x.ra);
        s->cost = max(max(max(s->lanes, s->lanes_a), max(lanes_of(x.rb), lanes_of(x.rc))), COST_MIN);
        s->function_lanes = function_instructions(i, x.rd) * s->lanes;
        int wide = x.rd ? s->lanes : s->lanes_a; // what one-lane operands stand beside
        s->one = (uint8_t)((x.ra && wide > 1 && s->lanes_a == 1 ? ONE_A : 0) |
                           (x.rb && wide > 1 && lanes_of(x.rb) == 1 ? ONE_B : 0) |
                           (x.rc && wide > 1 && lanes_of(x.rc) == 1 ? ONE_C : 0));
        if (x.rd) {
            s->size = (uint8_t)tile_lane_bytes(&x.rd->type);
            s->dtype = (uint8_t)loop_type(&x.rd->type);
        }
        if (i->op == INSN_LOAD || i->op == INSN_STORE) s->shape = lanes_shape(&x.ra->type);
        if (i->op == INSN_LOAD && i->imm & LOAD_SPREADS) s->shape = LANES_ANY;
        s->dealt = i->op == INSN_LOAD && dealt_otherwise(v->m, &x.ra->type, i->imm >> LOAD_NARROWEST);
        decode_insn(&x);
    }
    watch_truths(a, v);
    fuse_products(v);
}
