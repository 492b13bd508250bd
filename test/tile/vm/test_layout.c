// What code_layout knows about a kernel, and random kernels that must not notice where their
// registers live.
#include "base/numeric/rng.h"
#include "tile/asm.h"
#include <stdio.h>
#include <stdlib.h>

static void test_marks(void **state) {
    (void)state;
    Rig r;
    rig_open(&r);
    Asm s = asm_new(&r.arena);
    int p = asm_param(&s, pointer_to(scalar_type(DT_I32)), 0), i = asm_arange(&s, 8),
        lim = asm_int(&s, DT_I32, 4);
    int m = asm_op(&s, INSN_LT, i, lim), at = asm_ptradd(&s, p, i);
    int bare = asm_load(&s, at, m, -1), full = asm_load(&s, at, -1, -1), other = asm_load(&s, at, m, lim);
    int mixed = asm_op(&s, INSN_ADD, bare, full), clean = asm_op(&s, INSN_ADD, full, other);
    int cond = asm_op(&s, INSN_LT, bare, lim),
        sum = asm_new_reg(&s, scalar_type(DT_I32), INSN_SUM, bare, -1, -1, 0);
    int again = asm_load(&s, at, m, mixed);
    // Around a loop: acc is tainted only by what the end of the body does.
    int acc = asm_new_reg(&s, vector_type(DT_I32, 8), INSN_COPY, full, -1, -1, 0), n = asm_int(&s, DT_I32, 0),
        one = asm_int(&s, DT_I32, 1);
    int top = asm_put(&s, INSN_LOOPTEST, n, lim, one, -1, 0);
    int copy = asm_op(&s, INSN_ADD, acc, one);
    asm_put(&s, INSN_ADD, acc, acc, bare, -1, 0);
    asm_put(&s, INSN_ADD, n, n, one, -1, 0);
    asm_put(&s, INSN_JUMP, -1, -1, -1, -1, top);
    s.code.insn[top].imm = s.code.insns;
    int hash = asm_op(&s, INSN_MUL, full, full), low = asm_op(&s, INSN_AND, hash, lim),
        wide = asm_op(&s, INSN_ADD, low, i);
    (void)asm_ptradd(&s, p, wide);
    const Code *c = asm_done(&s);
    const struct {
        int reg;
        bool tainted, address;
    } want[] = {{bare, true, false},   {full, false, false}, {other, false, false}, {mixed, true, false},
                {clean, false, false}, {cond, true, false},  {sum, true, false},   {again, true, false},
                {acc, true, false},    {copy, true, false},  {n, false, false},     {i, false, true},
                {low, false, true},    {wide, false, true},  {hash, false, false}};
    for (size_t k = 0; k < sizeof want / sizeof *want; k++) {
        if (c->reg[want[k].reg].tainted != want[k].tainted) fail_msg("row %zu: tainted", k);
        if (c->reg[want[k].reg].address != want[k].address) fail_msg("row %zu: address", k);
    }
    rig_close(&r);
}

static bool share(const Register *x, const Register *y) {
    size_t xe = x->offset + (size_t)tile_lanes(&x->type) * (size_t)tile_lane_bytes(&x->type);
    size_t ye = y->offset + (size_t)tile_lanes(&y->type) * (size_t)tile_lane_bytes(&y->type);
    return x->offset < ye && y->offset < xe;
}
static void test_packing(void **state) {
    (void)state;
    Rig r;
    rig_open(&r);
    Asm s = asm_new(&r.arena);
    int v[30];
    v[0] = asm_new_reg(&s, vector_type(DT_F32, 1024), INSN_SPLAT, asm_float(&s, DT_F32, 1), -1, -1, 0);
    for (int i = 1; i < 30; i++) v[i] = asm_op(&s, INSN_ADD, v[i - 1], v[i - 1]);
    const Code *c = asm_done(&s);
    assert_true(c->file_bytes <= 3 * 4096 + 64); // a chain needs two tiles at a time
    for (int i = 1; i < 30; i++) assert_false(share(&c->reg[v[i - 1]], &c->reg[v[i]]));
    assert_true(share(&c->reg[v[0]], &c->reg[v[2]]));
    for (int i = 0; i < c->regs; i++) assert_int_equal(c->reg[i].offset % 64, 0);
    // A value from before a loop that the loop reads lives through all of it; one of the body alone does not.
    s = asm_new(&r.arena);
    int before = asm_new_reg(&s, vector_type(DT_F32, 256), INSN_SPLAT, asm_float(&s, DT_F32, 1), -1, -1, 0);
    int n = asm_int(&s, DT_I32, 0), end = asm_int(&s, DT_I32, 9), one = asm_int(&s, DT_I32, 1);
    int top = asm_put(&s, INSN_LOOPTEST, n, end, one, -1, 0);
    int early = asm_op(&s, INSN_ADD, before, before), mid = asm_op(&s, INSN_ADD, early, early),
        late = asm_op(&s, INSN_ADD, mid, mid);
    asm_put(&s, INSN_ADD, n, n, one, -1, 0);
    asm_put(&s, INSN_JUMP, -1, -1, -1, -1, top);
    s.code.insn[top].imm = s.code.insns;
    c = asm_done(&s);
    assert_true(share(&c->reg[early], &c->reg[late]));
    const int others[] = {early, mid, late, n, end, one};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        assert_false(share(&c->reg[before], &c->reg[others[i]]));
    rig_close(&r);
}

// ---- random kernels ----

enum { REGS_SEEN = 600, WORDS = 256 };
typedef struct {
    Asm s;
    Rng rng;
    int seen[REGS_SEEN], n; // registers that every path to here has written
    int in, out, in_f;      // pointers
    int pid;
    int depth;
} Gen;

static TileType shape_of(Gen *g, DType t) {
    switch (rng_below(&g->rng, 4)) {
    case 0: return scalar_type(t);
    case 1: return vector_type(t, 32);
    case 2: return matrix_type(t, 4, 8);
    default: return vector_type(t, 64);
    }
}
static int keep(Gen *g, int r) {
    if (g->n < REGS_SEEN) g->seen[g->n++] = r;
    return r;
}
static bool like(const TileType *x, const TileType *y) {
    if (x->elem != y->elem || x->pointer != y->pointer || x->rank != y->rank) return false;
    for (int i = 0; i < x->rank; i++)
        if (x->shape[i] != y->shape[i]) return false;
    return true;
}
// A register of exactly this type: a random one that exists, or a new constant tile.
static int pick(Gen *g, TileType t) {
    for (int tries = 0; tries < 12 && g->n; tries++) {
        int r = g->seen[rng_below(&g->rng, (uint64_t)g->n)];
        if (like(&g->s.code.reg[r].type, &t)) return r;
    }
    int64_t x = rng_between(&g->rng, -9, 9);
    int c = dtype_is_float(t.elem) ? asm_float(&g->s, t.elem, (double)x * 0.75)
                                   : asm_int(&g->s, t.elem, t.elem == DT_BOOL ? x & 1 : x);
    return keep(g, t.rank == 0 ? c : asm_new_reg(&g->s, t, INSN_SPLAT, c, -1, -1, 0));
}
static int pick_or_one(Gen *g, TileType t) {
    return pick(g, rng_below(&g->rng, 4) ? t : scalar_type(t.elem));
}

// Offsets inside the block of WORDS that belongs to this program.
static int offsets(Gen *g, TileType t) {
    t.elem = DT_I32;
    int raw = rng_below(&g->rng, 2) && t.rank
                  ? asm_new_reg(&g->s, t, INSN_RESHAPE, asm_arange(&g->s, tile_lanes(&t)), -1, -1, 0)
                  : pick(g, t);
    int in = asm_op(&g->s, INSN_AND, raw, asm_int(&g->s, DT_I32, rng_below(&g->rng, 30) ? WORDS - 1 : WORDS));
    return asm_op(&g->s, INSN_ADD, in, asm_op(&g->s, INSN_MUL, g->pid, asm_int(&g->s, DT_I32, WORDS)));
}

static void statements(Gen *g, int count);
static void statement(Gen *g) {
    static const DType types[] = {DT_I32, DT_F32, DT_I64, DT_BOOL, DT_F16, DT_U8};
    Asm *s = &g->s;
    DType dt = types[rng_below(&g->rng, 6)];
    TileType t = shape_of(g, dt), b = t;
    b.elem = DT_BOOL;
    switch (rng_below(&g->rng, 13)) {
    case 0:
    case 1: {
        InsnOp ops[] = {INSN_ADD, INSN_SUB, INSN_MUL,
                        INSN_MAX, INSN_MIN, dtype_is_float(dt) ? INSN_DIV : INSN_XOR};
        keep(g, asm_new_reg(s, t, ops[rng_below(&g->rng, 6)], pick_or_one(g, t), pick_or_one(g, t), -1, 0));
        break;
    }
    case 2:
        keep(g, asm_new_reg(s, b, (InsnOp)(INSN_LT + rng_below(&g->rng, 6)), pick_or_one(g, t),
                            pick_or_one(g, t), -1, 0));
        break;
    case 3:
        keep(g, asm_new_reg(s, t, INSN_WHERE, pick_or_one(g, b), pick_or_one(g, t), pick_or_one(g, t), 0));
        break;
    case 4: {
        TileType from = t;
        from.elem = types[rng_below(&g->rng, 6)];
        keep(g, asm_new_reg(s, t, INSN_CAST, pick_or_one(g, from), -1, -1, 0));
        break;
    }
    case 5: { // in place, on something that exists
        int r = pick(g, t), x = pick_or_one(g, t);
        asm_put(s, INSN_ADD, r, r, x, -1, 0);
        break;
    }
    case 6: {
        TileType v = matrix_type(dt, 4, 8), turned = matrix_type(dt, 8, 4), row = vector_type(dt, 32);
        int x = asm_new_reg(s, v, INSN_RESHAPE, pick(g, row), -1, -1, 0);
        int y = asm_new_reg(s, turned, INSN_TRANS, x, -1, -1, 1);
        keep(g, asm_new_reg(s, row, INSN_RESHAPE, y, -1, -1, 0));
        TileType col = matrix_type(dt, 4, 1);
        int w =
            asm_new_reg(s, vector_type(dt, 4), rng_below(&g->rng, 2) ? INSN_SUM : INSN_RMAX, x, -1, -1, 1);
        keep(g,
             asm_new_reg(s, v, INSN_BROADCAST, asm_new_reg(s, col, INSN_RESHAPE, w, -1, -1, 0), -1, -1, 0));
        break;
    }
    case 7:
        keep(g, asm_new_reg(s, vector_type(dt, 32), INSN_CUMSUM, pick(g, vector_type(dt, 32)), -1, -1,
                            (int64_t)rng_below(&g->rng, 2) * 16));
        break;
    case 8: {
        bool is_float = rng_below(&g->rng, 2);
        t.elem = is_float ? DT_F32 : DT_I32;
        int mask = rng_below(&g->rng, 3) ? pick_or_one(g, b) : -1;
        int other = mask >= 0 && rng_below(&g->rng, 4) ? pick_or_one(g, t) : -1;
        keep(g, asm_load(s, asm_ptradd(s, is_float ? g->in_f : g->in, offsets(g, t)), mask, other));
        break;
    }
    case 9: {
        t.elem = DT_I32;
        if (rng_below(&g->rng, 8)) asm_put(s, INSN_BARRIER, -1, -1, -1, -1, 0);
        asm_store(s, asm_ptradd(s, g->out, offsets(g, t)), pick_or_one(g, t),
                  rng_below(&g->rng, 2) ? pick_or_one(g, b) : -1);
        break;
    }
    case 10: { // if / else, each with names of its own
        if (g->depth >= 3) break;
        int on = pick(g, scalar_type(DT_BOOL)), n = g->n, jump = asm_put(s, INSN_JUMPNOT, -1, on, -1, -1, 0);
        g->depth++;
        statements(g, 4);
        int over = asm_put(s, INSN_JUMP, -1, -1, -1, -1, 0);
        s->code.insn[jump].imm = s->code.insns;
        g->n = n;
        statements(g, 3);
        s->code.insn[over].imm = s->code.insns;
        g->n = n;
        g->depth--;
        break;
    }
    case 11: {
        if (g->depth >= 3) break;
        int i = asm_int(s, DT_I32, 0), end = asm_int(s, DT_I32, rng_between(&g->rng, 0, 3)),
            one = asm_int(s, DT_I32, 1);
        int acc = pick(g, t), n = g->n;
        int top = asm_put(s, INSN_LOOPTEST, i, end, one, -1, 0);
        g->depth++;
        statements(g, 5);
        asm_put(s, INSN_COPY, acc, pick(g, t), -1, -1, 0);
        g->depth--;
        asm_put(s, INSN_ADD, i, i, one, -1, 0);
        asm_put(s, INSN_JUMP, -1, -1, -1, -1, top);
        s->code.insn[top].imm = s->code.insns;
        g->n = n;
        break;
    }
    default: keep(g, asm_new_reg(s, t, INSN_ABS, pick_or_one(g, t), -1, -1, 0)); break;
    }
}
static void statements(Gen *g, int count) {
    for (int i = 0; i < count && g->s.code.insns < 700 && g->s.code.regs < 1500; i++) statement(g);
}

typedef struct {
    bool ok;
    DiagKind kind;
    char msg[256];
    int32_t out[4 * WORDS + 1];
    uint8_t shadow[4 * (4 * WORDS + 1)];
    Counters count;
} Outcome;
static void run_random(uint64_t seed, uint64_t order, bool packed, Outcome *o) {
    Rig r;
    rig_open(&r);
    r.m.order.seed = order;
    Rng fill = rng_at(seed, 99);
    int32_t words[4 * WORDS + 1];
    float floats[4 * WORDS + 1];
    for (int i = 0; i <= 4 * WORDS; i++) {
        words[i] = (int32_t)rng_between(&fill, -300, 300);
        floats[i] = (float)rng_normal(&fill);
    }
    Storage *in = rig_storage(&r, DT_I32, 4 * WORDS, words, true),
            *inf = rig_storage(&r, DT_F32, 4 * WORDS, floats, true);
    Storage *out = rig_storage(&r, DT_I32, 4 * WORDS + 1, words, false);
    Gen g = {.s = asm_new(&r.arena), .rng = rng_at(seed, 1)};
    g.in = asm_param(&g.s, pointer_to(scalar_type(DT_I32)), 0);
    g.in_f = asm_param(&g.s, pointer_to(scalar_type(DT_F32)), 1);
    g.out = asm_param(&g.s, pointer_to(scalar_type(DT_I32)), 2);
    g.pid = asm_new_reg(&g.s, scalar_type(DT_I32), INSN_PID, -1, -1, -1, 0);
    statements(&g, 5 + (int)rng_below(&g.rng, 30));
    for (int k = 0; k < 4; k++) { // make what was computed visible
        TileType t = shape_of(&g, DT_I32);
        asm_put(&g.s, INSN_BARRIER, -1, -1, -1, -1, 0);
        asm_store(&g.s, asm_ptradd(&g.s, g.out, offsets(&g, t)), pick(&g, t), -1);
    }
    asm_done(&g.s);
    Code code = g.s.code;
    if (!packed) { // every register in a place of its own
        size_t at = 0;
        for (int k = 0; k < code.regs; k++) {
            code.reg[k].offset = at;
            at += ((size_t)tile_lanes(&code.reg[k].type) * 8 + 63) & ~(size_t)63;
            code.reg[k].poison_offset = at;
            at += ((size_t)tile_lanes(&code.reg[k].type) + 63) & ~(size_t)63;
        }
        code.file_bytes = at;
    }
    memset(o, 0, sizeof *o);
    o->ok = rig_run(&r, &code, (int64_t[]){rig_address(in), rig_address(inf), rig_address(out)}, 4, 1, 1);
    const Diag *d = diag_first(&r.diags);
    assert_int_equal(o->ok, d == NULL);
    if (d) o->kind = d->kind, strncpy(o->msg, d->msg, sizeof o->msg - 1);
    memcpy(o->out, out->data, sizeof o->out);
    memcpy(o->shadow, out->shadow, sizeof o->shadow);
    o->count = r.m.count;
    rig_close(&r);
}

static void test_random_kernels(void **state) {
    (void)state;
    static Outcome packed, loose, other;
    int fine = 0, findings = 0;
    const char *many = getenv("RANDOM_KERNELS");
    uint64_t n = many ? strtoull(many, NULL, 10) : 300;
    for (uint64_t seed = 1; seed <= n; seed++) {
        run_random(seed, 0, true, &packed);
        run_random(seed, 0, false, &loose);
        if (memcmp(&packed, &loose, sizeof packed))
            fail_msg("seed %llu: packing changes the outcome: '%s' '%s'", (unsigned long long)seed,
                     packed.msg, loose.msg);
        run_random(seed, seed * 77, true, &other);
        if (packed.ok != other.ok)
            fail_msg("seed %llu: order changes the verdict: '%s' '%s'", (unsigned long long)seed, packed.msg,
                     other.msg);
        if (packed.ok && memcmp(&packed, &other, sizeof packed))
            fail_msg("seed %llu: order changes the result", (unsigned long long)seed);
        fine += packed.ok;
        findings += !packed.ok;
    }
    if (many) printf("%d fine, %d with findings\n", fine, findings);
    assert_true(fine > (int)n / 10 && findings > (int)n / 10);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_marks),
        cmocka_unit_test(test_packing),
        cmocka_unit_test(test_random_kernels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
