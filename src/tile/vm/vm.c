#include "tile/vm/launch.h"

#include "base/numeric/rng.h"
#include "tile/vm/decode.h"
#include "tile/vm/deferred.h"
#include "tile/vm/lanes.h"
#include "tile/vm/narrow.h"
#include "tile/vm/repeat.h"
#include "tile/vm/steps.h"
#include <assert.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

const TileLoops *tile_loops_of(IsaLevel isa) {
#if !defined(PORTABLE) && defined(__x86_64__)
    if (isa == ISA_AVX512) return &tile_loops_avx512;
    if (isa == ISA_AVX2) return &tile_loops_avx2;
#endif
    (void)isa;
    return &tile_loops_base;
}
const TileLoops *tile_loops(void) { return tile_loops_of(isa_level()); }

// ---- loops that report, and poison ----

static const uint8_t clean = 0;

// Poison of an elementwise result, before the operands change: that of any operand, but of WHERE's branches
// only the chosen one's. n lanes into v->poison_scratch.
static void gather_poison(Vm *v, const Step *s, size_t n) {
    uint8_t *to = v->poison_scratch;
    const uint8_t *p[3] = {s->pa, s->pb, s->pc};
    int one = n == 1 ? 0 : s->one;
    for (int k = 0; k < 3; k++) {
        if (p[k]) continue;
        p[k] = &clean;
        if (n > 1) one |= 1 << k;
    }
    const TileLoops *l = v->loops;
    if (v->code->insn[s->insn].op == INSN_WHERE) {
        int pick = (one & (ONE_B | ONE_C)) | (n > 1 ? s->one & ONE_A : 0);
        if (pick == (ONE_A | ONE_B | ONE_C)) {
            memset(to, *(const uint8_t *)s->a ? *p[1] : *p[2], n);
        } else {
            l->op[INSN_WHERE][DT_BOOL][pick](to, s->a, p[1], p[2], n);
        }
    } else if ((one & (ONE_B | ONE_C)) == (ONE_B | ONE_C)) {
        memset(to, *p[1] | *p[2], n);
    } else {
        l->op[INSN_OR][DT_BOOL][(one & ONE_B ? ONE_A : 0) | (one & ONE_C ? ONE_B : 0)](to, p[1], p[2], NULL,
                                                                                       n);
    }
    l->op[INSN_OR][DT_BOOL][one & ONE_A](to, p[0], to, NULL, n);
}

// The loop met a lane without a meaning. Undefined lanes may hold anything and are forgiven; the first other
// one is the finding.
static bool blame_lane(Vm *v, const Step *s, size_t n) {
    size_t size = s->size;
    for (size_t i = 0; i < n; i++) {
        uint64_t out;
        const char *a = (const char *)s->a + (s->one & ONE_A && n > 1 ? 0 : i * size);
        const char *b = (const char *)s->b + (s->one & ONE_B && n > 1 ? 0 : i * size);
        uint32_t bad = s->fn(&out, a, b, NULL, 1);
        if (!bad || (s->pd && v->poison_scratch[i])) continue;
        int64_t lane = (int64_t)i;
        if (bad & LOOP_ZERO) return vm_finding(v, s, DIAG_VALUE, lane, "integer division by zero");
        if (bad & LOOP_QUOTIENT)
            return vm_finding(v, s, DIAG_VALUE, lane,
                              "integer division overflows: the smallest integer by -1");
        if (bad & LOOP_SHIFT)
            return vm_finding(v, s, DIAG_VALUE, lane,
                              "shift by a negative amount or by at least the width of the type");
        return vm_finding(v, s, DIAG_VALUE, lane,
                          "int32 overflow in an address computation; cast to tl.int64 first");
    }
    return true;
}

bool step_guarded(Vm *v, const Step *s) {
    size_t n = s->fill ? 1 : (size_t)s->lanes;
    void *d = s->aside ? v->scratch[0] : s->d;
    if (s->pd) gather_poison(v, s, n);
    uint32_t bad = s->fn(d, s->a, s->b, s->c, n);
    if (bad && !blame_lane(v, s, n)) return false;
    if (s->fill)
        v->loops->memory->splat[s->size](s->d, d, NULL, NULL, (size_t)s->lanes);
    else if (s->aside)
        memcpy(s->d, d, n * s->size);
    if (!s->pd) return true;
    if (s->fill)
        memset(s->pd, v->poison_scratch[0], (size_t)s->lanes);
    else
        memcpy(s->pd, v->poison_scratch, n);
    return true;
}

static void run_walk(const Step *s) {
    step_walk(s->walk, s->size, s->d, s->a);
    if (s->pd && s->pa)
        step_walk(s->walk, 1, s->pd, s->pa);
    else if (s->pd)
        memset(s->pd, 0, (size_t)s->lanes);
}

// ---- control flow ----

static uint8_t poison_of(const uint8_t *lane) { return lane ? *lane : 0; }

// *leave: the loop is over.
static bool loop_test(Vm *v, const Step *s, bool *leave) {
    uint8_t poison = poison_of(s->pd) | poison_of(s->pa) | poison_of(s->pb);
    if (poison) return vm_undefined(v, s, poison, -1, "the bounds of a loop");
    int64_t step, at, end;
    bool wide = s->size == 8, is_signed = dtype_info[s->dtype].kind == DTYPE_KIND_I;
    if (wide) {
        memcpy(&at, s->d, 8), memcpy(&end, s->a, 8), memcpy(&step, s->b, 8);
    } else {
        int32_t x[3];
        memcpy(&x[0], s->d, 4), memcpy(&x[1], s->a, 4), memcpy(&x[2], s->b, 4);
        at = is_signed ? x[0] : (int64_t)(uint32_t)x[0];
        end = is_signed ? x[1] : (int64_t)(uint32_t)x[1];
        step = is_signed ? x[2] : (int64_t)(uint32_t)x[2];
    }
    if (step == 0) return vm_finding(v, s, DIAG_VALUE, -1, "the step of a loop is zero");
    if (is_signed)
        *leave = step > 0 ? at >= end : at <= end;
    else
        *leave = (uint64_t)at >= (uint64_t)end;
    return true;
}

// Of a size that the compiler does not know, a copy is a loop.
static inline void set_lane(const Step *s) {
    if (s->size == 8)
        memcpy(s->d, &s->imm, 8);
    else if (s->size == 4)
        memcpy(s->d, &s->imm, 4);
    else
        memcpy(s->d, &s->imm, 1);
}

// One program from its first instruction to END. Every instruction is paid for before it runs. Twice: who
// runs all programs but a few is not to ask each time whether this is one of them.
static inline __attribute__((always_inline)) bool run_steps(Vm *v, int64_t *instructions, bool noted) {
    const Step *s = v->step;
    int64_t left = v->left, count = 0, functions = 0;
    bool ok = true, leave = false;
    for (;;) {
        if (s->cost > left) {
            ok = vm_finding(v, s, DIAG_BUDGET, -1,
                            "the step budget is spent: too much work, or a loop without an end");
            v->spent = true;
            break;
        }
        if (noted) repeat_step(v, s->insn);
        left -= s->cost;
        functions += s->function_lanes;
        count++;
        switch ((Act)s->act) {
        case ACT_LOOP: s->fn(s->d, s->a, s->b, s->c, (size_t)s->lanes); break;
        case ACT_FUSED:
            s->fn(s->d, s->a, s->b, s->c, (size_t)s->lanes);
            count++;
            s++;
            if (noted) repeat_step(v, s->insn);
            break;
        case ACT_NOTED:
            s->fn(s->d, s->a, s->b, s->c, 1);
            v->code->taken[s->insn] |= *(const uint8_t *)s->d ? TAKEN_ON : TAKEN_AWAY;
            break;
        case ACT_NARROW_FUSED:
            s->fn(s->d, s->a, s->b, s->c, narrow_lanes(v, s));
            count++;
            s++;
            if (noted) repeat_step(v, s->insn);
            break;
        case ACT_NARROW: s->fn(s->d, s->a, s->b, s->c, narrow_lanes(v, s)); break;
        case ACT_GUARDED: ok = step_guarded(v, s); break;
        case ACT_SET: set_lane(s); break;
        case ACT_NONE: break;
        case ACT_WALK:
            lanes_meet(&v->log);
            run_walk(s);
            break;
        case ACT_REDUCE:
            lanes_meet(&v->log);
            ok = step_reduce(v, s);
            break;
        case ACT_ARG:
            lanes_meet(&v->log);
            ok = step_arg(v, s);
            break;
        case ACT_SCAN:
            lanes_meet(&v->log);
            step_scan(v, s);
            break;
        case ACT_LOAD:
            ok = step_load(v, s);
            left -= lanes_owed(v);
            break;
        case ACT_STORE:
            ok = step_store(v, s);
            left -= lanes_owed(v);
            break;
        case ACT_JUMP: s = &v->step[s->target]; continue;
        case ACT_JUMPNOT:
            if (poison_of(s->pa)) {
                ok = vm_undefined(v, s, *s->pa, -1, "a branch");
                break;
            }
            if (*(const uint8_t *)s->a) {
                v->code->taken[s->insn] |= TAKEN_ON;
                break;
            }
            v->code->taken[s->insn] |= TAKEN_AWAY;
            s = &v->step[s->target];
            continue;
        case ACT_LOOPTEST:
            ok = loop_test(v, s, &leave);
            if (!ok) break;
            v->code->taken[s->insn] |= leave ? TAKEN_AWAY : TAKEN_ON;
            if (!leave) break;
            s = &v->step[s->target];
            continue;
        case ACT_CALL:
            if (s->meets) lanes_meet(&v->log);
            ok = s->call(v, s);
            left -= lanes_owed(v);
            break;
        case ACT_END: goto out;
        }
        if (!ok) break;
        s++;
    }
out:
    v->left = left;
    v->m->count.function_lanes += functions;
    *instructions += count;
    return ok;
}

static bool run_program(Vm *v, int64_t *instructions) { return run_steps(v, instructions, false); }
static bool run_noted(Vm *v, int64_t *instructions) { return run_steps(v, instructions, true); }

// ---- the launch ----

// Programs in the order i -> (i * factor + start) mod n, factor coprime to n: every program once, in an order
// that no kernel can count on.
typedef struct {
    uint64_t n, at, factor;
} Order;

static uint64_t gcd(uint64_t a, uint64_t b) {
    while (b) {
        uint64_t r = a % b;
        a = b;
        b = r;
    }
    return a;
}

static Order order_of(uint64_t n, uint64_t seed, bool reversed) {
    Order o = {n, 0, 1};
    if (n == 1) return o;
    if (seed) {
        o.at = rng_mix(seed, 1) % n;
        o.factor = 1 + rng_mix(seed, 2) % (n - 1);
        while (gcd(o.factor, n) != 1) o.factor = o.factor % (n - 1) + 1; // 1 is coprime: this ends
    }
    if (reversed) {
        o.at = (o.at + n - o.factor) % n; // n - 1 steps on is one step back
        o.factor = n - o.factor;
    }
    return o;
}

// From one program to the next.
static int64_t order_further(const Order *o) {
    return o->at + o->factor < o->n ? (int64_t)o->factor : (int64_t)(o->factor - o->n);
}

static void order_next(Order *o) {
    o->at += o->factor; // both below n <= 2^63
    if (o->at >= o->n) o->at -= o->n;
}

// The programs that Machine.order.sampled means, each once. How programs lie over the elements is not known;
// that they do so in order is a guess that fits nearly all kernels, and nothing is wrong where it does not.
enum { SAMPLED_MAX = 24, SAMPLED_OTHERS = 5, SAMPLED_FROM = 4096 };
static uint64_t sample_programs(const ProgramOrder *o, const int32_t *grid, uint64_t n,
                                uint64_t out[SAMPLED_MAX]) {
    // So few have much to do each, and all of them do the same.
    if (n < SAMPLED_FROM) {
        out[0] = 0;
        out[1] = n - 1;
        return n < 2 ? n : 2;
    }
    uint64_t limit = (uint64_t)(0x1p31 / (double)o->sampled * (double)n), half = limit / 2;
    // Of a grid with several axes, the last place along the first one beside other places of the rest: the
    // last of all may have few elements, or none.
    uint64_t gx = (uint64_t)grid[0], rest = n / gx;
    const uint64_t want[] = {0,
                             1,
                             n - 1,
                             n - 2,
                             limit,
                             limit - 1,
                             limit + 1,
                             half,
                             half + 1,
                             gx - 1,
                             n - gx,
                             n - 1 - gx,
                             rest / 2 * gx + gx - 1};
    enum { WANTED = sizeof want / sizeof *want };
    uint64_t count = 0;
    for (int i = 0; i < WANTED + SAMPLED_OTHERS; i++) {
        uint64_t one = i < WANTED ? want[i] : rng_mix(o->seed, (uint64_t)i) % n, k = 0;
        while (k < count && out[k] != one) k++;
        if (one < n && k == count) out[count++] = one;
    }
    return count;
}

// So many elements of a table, about.
static const int64_t TABLE_LANES = 1 << 22;
static bool makes_table(const Vm *v, uint64_t programs) {
    int64_t widest = 1;
    for (int i = 0; i < v->code->regs; i++)
        if (tile_lanes(&v->code->reg[i].type) > widest) widest = tile_lanes(&v->code->reg[i].type);
    return v->m->order.tables && !v->code->loads && programs <= (uint64_t)(TABLE_LANES / widest);
}

static bool run_one(Vm *v, uint64_t number) {
    Machine *m = v->m;
    uint64_t gx = (uint64_t)v->grid[0], gy = (uint64_t)v->grid[1];
    if (m->race.serial >= READER_MANY - 1)
        return vm_finding(v, v->step, DIAG_BUDGET, -1, "the step budget is spent: too many programs");
    v->serial = ++m->race.serial;
    v->program = number;
    v->pid[0] = (int32_t)(number % gx);
    v->pid[1] = (int32_t)(number / gx % gy);
    v->pid[2] = (int32_t)(number / gx / gy);
    lanes_forget(&v->log);
    deferred_begin(v);
    m->count.programs++;
    v->origin = 0;
    int64_t stored = v->stored;
    if (!(v->noting ? run_noted : run_program)(v, &m->count.instructions)) return false;
    if (v->stored - stored > v->most) v->most = v->stored - stored;
    if (v->idle && !v->live) narrow_steps(m->arena, v);
    v->origins |= v->origin;
    return true;
}

static const int64_t STORES_MOST = (int64_t)1 << 52;
static bool run_grid(Vm *v, uint64_t programs) {
    Machine *m = v->m;
    Order order = order_of(programs, m->order.seed ? rng_mix(m->order.seed, (uint64_t)m->count.launches) : 0,
                           m->order.reversed);
    v->first = m->race.serial + 1;
    if (v->code->atomics) m->race.serial++, m->race.atomic_launches++; // see step.h
    uint64_t sample[SAMPLED_MAX], all = programs;
    bool sampled = m->order.sampled && !makes_table(v, programs);
    m->order.whole += m->order.sampled && !sampled;
    if (sampled) programs = sample_programs(&m->order, v->grid, programs, sample);
    if (v->repeat && !repeat_run(v, v->repeat, run_one)) return false;
    if (v->repeat && repeat_done(v->repeat)) programs = 0;
    for (uint64_t k = 0; k < programs; k++, order_next(&order)) {
        if (sampled) order.at = sample[k];
        if (v->repeat && repeat_has(v->repeat, v, order.at)) continue;
        v->further = order_further(&order);
        if (!run_one(v, order.at)) return false;
    }
    deferred_end(v);
    int64_t stores;
    if (m->order.sampled && !sampled) return true; // no answer
    if (__builtin_mul_overflow((int64_t)all, v->most, &stores) ||
        __builtin_add_overflow(m->order.stores, stores, &stores) || stores > STORES_MOST)
        stores = STORES_MOST;
    m->order.stores = stores;
    return true;
}

// Where loaded values decide whether or where something is stored, what was not stored depends on them, too.
static void spread_origins(Vm *v) {
    const StorageTable *t = &v->m->storages;
    if (!t->origins || !v->code->steered) return;
    for (int i = 0; i < t->count; i++)
        for (size_t b = 0; !t->at[i]->read_only && b < t->at[i]->bytes; b++)
            t->at[i]->origin[b] |= v->origins;
}

static bool grid_fits(Machine *m, const Code *code, const int64_t grid[3], uint64_t *programs) {
    static const int64_t most[3] = {INT32_MAX, 65535, 65535};
    Span span = code->insn[0].span;
    *programs = 1;
    for (int i = 0; i < 3; i++)
        if (grid[i] <= 0) *programs = 0;
    for (int i = 0; i < 3; i++) {
        assert(grid[i] >= 0);
        if (*programs && grid[i] > most[i])
            return diag_add(m->diags, DIAG_HOST, span,
                            "Triton Error [CUDA]: invalid argument: the grid has more than %" PRId64
                            " programs along axis %d",
                            most[i], i);
        *programs *= (uint64_t)grid[i]; // below 2^63
    }
    return true;
}

// What the kernel may have stored where. A place that is no tensor's is a finding, and told as one.
static void keep_stored(const StorageTable *t, const Code *code, const int64_t *args) {
    for (int i = 0; i < code->cells; i++) {
        int64_t id = args[i] >> ADDRESS_BITS;
        if (code->stored[i] && id >= 1 && id <= t->count) t->at[id - 1]->holds |= code->stored[i];
    }
}

bool vm_launch(Machine *m, const Code *code, const int64_t *args, const int64_t grid[3]) {
    uint64_t programs;
    Span span = code->insn[0].span;
    if (!grid_fits(m, code, grid, &programs)) return false;
    if (programs == 0) return true;
    if (m->steps_left < code->insns) {
        m->steps_left = 0;
        return diag_add(m->diags, DIAG_BUDGET, span, "the step budget is spent: too many launches");
    }
    m->steps_left -= code->insns;
    size_t lanes = decode_lanes_max(code);
    size_t steps = m->watch.trace ? 2 * sizeof(Step) : sizeof(Step);
    size_t need = code->file_bytes + 18 * lanes + (size_t)code->insns * (steps + sizeof(Walk)) + 65536 +
                  (size_t)code->compares * WATCHED_BYTES + narrow_bytes(code) + ahead_bytes(code, programs) +
                  lanes_log_bytes() + deferred_bytes(code),
           left = arena_left(m->arena);
    if (code->file_bytes > REGISTER_FILE_MAX || need > left)
        return diag_add(m->diags, DIAG_COMPILE, span,
                        "out of resource: the tiles of %.*s need %zu KiB of registers; use smaller blocks",
                        STR_ARG(code->kernel), code->file_bytes / 1024);
    ArenaMark mark = arena_mark(m->arena);
    Vm v = {.m = m, .code = code, .loops = tile_loops(), .left = m->steps_left};
    for (int i = 0; i < 3; i++) v.grid[i] = (int32_t)grid[i];
    char *file = arena_raw(m->arena, code->file_bytes + 64, 64);
    for (int i = 0; i < 2; i++) v.scratch[i] = arena_raw(m->arena, 8 * lanes, 64);
    v.poison_scratch = arena_raw(m->arena, lanes, 64);
    v.sectors = arena_raw(m->arena, SECTOR_SLOTS * sizeof *v.sectors, 64);
    lanes_init(m->arena, &v.log);
    deferred_init(m->arena, &v);
    ahead_open(m->arena, &v, programs);
    decode(m->arena, &v, file, args);
    // Without room for it all programs run: that is no finding.
    size_t more = repeat_bytes(m, code, grid);
    if (need + more <= left) v.repeat = repeat_open(m->arena, &v);
    if (need + more + shapes_bytes(code) <= left) shapes_open(m->arena, &v);
    if (m->watch.trace) trace_steps(&v);
    bool ok = run_grid(&v, programs);
    spread_origins(&v);
    keep_stored(&m->storages, code, args);
    if (m->watch.cover) {
        cover_code(m->watch.cover, code, m->arena);
        for (int i = 0; i < code->compareds; i++) cover_size(m->watch.cover, code->compared[i]);
    }
    arena_reset(m->arena, mark);
    m->count.launches++;
    m->count.lanes += m->steps_left - v.left;
    m->steps_left = v.spent || v.left < 0 ? 0 : v.left;
    if (v.deferred.overtaken)
        diag_record(m->diags, DIAG_WARNING, span,
                    "an atomic of %.*s looked at an element before atomics that other threads had already "
                    "issued on it: only sem=\"acq_rel\" or \"release\" comes behind what its thread has done "
                    "before, and behind other threads of the program only after tl.debug_barrier()",
                    STR_ARG(code->kernel));
    if (!ok)
        diag_record(m->diags, v.kind, v.span, "%s", v.msg); // after the reset: it may live in the same arena
    return ok;
}
