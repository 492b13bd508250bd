#include "rank/rank.h"

#include "base/numeric/fmath.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

static const Target targets[] = {
#define TARGET(name, words, bandwidth, l2_bandwidth, l2_mb, l1_kb, sms, threads, programs, registers, mhz, \
               launch)                                                                                     \
    {#name,                                                                                                \
     words,                                                                                                \
     1e3 * (bandwidth),                                                                                    \
     1e3 * (l2_bandwidth),                                                                                 \
     (l2_mb)*1048576.0,                                                                                    \
     (l1_kb)*1024.0,                                                                                       \
     sms,                                                                                                  \
     threads,                                                                                              \
     programs,                                                                                             \
     registers,                                                                                            \
     (double)(mhz),                                                                                        \
     launch},
#include "rank/target.def"
#undef TARGET
};
enum { TARGETS = sizeof targets / sizeof *targets };

const Target *target_at(int i) { return i >= 0 && i < TARGETS ? &targets[i] : NULL; }

bool target_by_name(const char *name, const Target **out, Err *e) {
    char known[128] = "";
    for (int i = 0; i < TARGETS; i++) {
        if (strcmp(targets[i].name, name) == 0) return *out = &targets[i], true;
        size_t n = strlen(known);
        snprintf(known + n, sizeof known - n, "%s%s", i ? ", " : "", targets[i].name);
    }
    return err_set(e, ERR_USAGE, "--target is one of %s, not \"%s\"", known, name);
}

// Fitted by `bench_fit --fit` to times of kernels of 21 ops on an H100 (bench/h100_times.tsv), and rounded;
// 20 ops are held out (doc/results.md). block_us and what stands behind last_wave was measured apart from
// that, on all ops:
const RankModel rank_model = {
    .overlap = 3.3,
    .start_us = 0.78,
    .round_us = 0.57,
    .instruction_us = 0.0082,
    .warp_us = 0.093,
    .lane_clocks = 0.7,
    .issue_warps = 16,
    .block_us = 0.0006, // an empty kernel of 16,384 blocks takes 10.3 us, of 4,096 2.9 us
    .last_wave = 0.47,
    .register_base = 26,     // least squares over the registers of 2,457 kernels as ptxas gave them: within 9
    .register_share = 0.119, // ... to each word of the VM's register file
    .evicted = 0.97,         // kernels with and without, all else equal (doc/h100.md)
    .evicted_beyond = 1.013, // ... where what is read for the most part is one big tensor
    .evicted_many = 1.033,   // ... or two
    .streamed = 1,           // ... 0.998 to 1.003
    .together = 0.25,        // fitted alone, the others left as they were
    .sm_bytes_clock = 64,    // as NVIDIA states it for the L2 of the A100 and its successors
};

static const double registers_most = 255; // of a thread
enum {
    WARP = 32,
    WARPS_USUAL = 4,
    REGISTERS_AT_ONCE = 8,
    LANES_CLOCK = 128,
    TILE_LEAST = 32,
    L1_BYTES_CLOCK = 128
};

static double at_most(double x, double most) { return x < most ? x : most; }
static double at_least(double x, double least) { return x > least ? x : least; }

// One launch, after scaling; bytes, lanes and programs are those of one launch.
typedef struct {
    double programs, dependence, repeats, shared, working_set, lanes, functions;
    double tiles, reads, instructions; // of a program, one after the other; reads of a tile
    double warps, threads, registers;  // of a program; of a thread
    double spilled; // bytes a program writes and reads again because no thread has so many registers
} Launch;

static double programs_resident(const Target *t, const Launch *l) {
    double by_threads = floor(t->sm_threads / l->threads);
    double allocated = REGISTERS_AT_ONCE * ceil(l->registers / REGISTERS_AT_ONCE);
    double by_registers = floor(t->sm_registers / (allocated * l->threads));
    return at_least(at_most(at_most(by_threads, by_registers), t->sm_programs), 1);
}

// Repeats that an L1 serves, and those of the others that the L2 does. Of several launches each reads what
// another wrote or read: all of it lies between. Within one, a row comes back while its program still runs,
// and so does what programs share.
typedef struct {
    double l1, l2, dram; // bytes
} Served;

static Served serve(const Target *t, const Launch *l, double in_flight) {
    double rows = l->dependence * in_flight / l->programs, sm = rows / t->sms + l->shared;
    double near = l->working_set > 0 ? 0 : at_most(t->l1_bytes / sm, 1);
    double set = l->working_set > 0 ? l->working_set : rows;
    double kept = at_most(t->l2_bytes / set, 1), far = l->repeats * (1 - near);
    return (Served){.l1 = l->repeats * near, .l2 = far * kept, .dram = l->dependence + far * (1 - kept)};
}

static double launch_us(const RankModel *m, const Target *t, const Launch *l) {
    if (l->programs <= 0) return (l->dependence + l->repeats) / t->bandwidth;
    double resident = programs_resident(t, l), places = t->sms * resident;
    double waves = at_least(l->programs / places, 1);
    waves += m->last_wave * (ceil(waves) - waves);
    double busy = ceil(l->programs / t->sms); // programs of the busiest SM
    Served by = serve(t, l, at_most(l->programs, places));
    double memory = by.dram / t->bandwidth + (by.l2 + l->spilled * l->programs) / t->l2_bandwidth;
    // Few programs load together and then store together: one does not work while the other waits.
    double each = at_least(l->programs / t->sms, 1);
    memory *= 1 + m->together / (each * each);
    double sm =
        busy / l->programs * ((by.l2 + by.dram) / m->sm_bytes_clock + by.l1 / L1_BYTES_CLOCK) / t->clock;
    // Few warps leave the schedulers without an instruction that is ready.
    double warps = at_most(resident, at_least(l->programs / t->sms, 1)) * l->warps;
    double issue = busy * (l->lanes + l->functions) / l->programs * m->lane_clocks / LANES_CLOCK / t->clock *
                   (1 + m->issue_warps / warps);
    // Of a program: tile by tile, each read so often; barriers between its warps. One tile is what nothing
    // hides.
    double tile = m->instruction_us * l->instructions / l->tiles, barrier = m->warp_us * f64_log2(l->warps);
    double waiting = l->tiles * (m->round_us * l->reads + tile) + barrier;
    double part[] = {memory, sm, issue, waves * waiting, l->programs * m->block_us}, sum = 0, most = 0;
    enum { PARTS = sizeof part / sizeof *part };
    for (int i = 0; i < PARTS; i++) most = at_least(most, part[i]);
    for (int i = 0; i < PARTS; i++) sum += f64_pow(part[i] / most, m->overlap);
    return most * f64_pow(sum, 1 / m->overlap) + m->round_us + tile + barrier + m->start_us;
}

static double power_of_two(int64_t n) {
    double p = 1;
    while (p < (double)n) p *= 2;
    return p;
}

// ---- from the case to the shape

typedef struct {
    double rows, wider, elem; // the shape's over the case's
    double row_length;        // of the shape
    double dependence, relation, lanes, functions;
    bool parts; // several programs for a row
} Scaled;

static Scaled scale(const RankAsk *q) {
    const Counters *c = q->count;
    const RankCase *from = q->from;
    int64_t to_row = q->to->row ? q->to->row : RANK_ROW;
    Scaled s = {
        .rows = from->has_rows ? (double)(q->to->rows ? q->to->rows : RANK_ROWS) / (double)from->rows : 1,
        .wider = (double)to_row / (double)from->row,
        .elem = from->elem_bytes ? (double)(q->to->elem_bytes ? q->to->elem_bytes : 2) / from->elem_bytes : 1,
        .row_length = (double)to_row};
    s.relation = (double)(c->bytes_loaded + c->bytes_stored + c->bytes_copied) * s.rows * s.wider * s.elem;
    // An op may do without some of its input (a gather): then it moves less, and repeats nothing.
    s.dependence = at_most((from->row_bytes * s.rows + from->shared_bytes) * s.wider * s.elem, s.relation);
    s.lanes = (double)c->lanes * s.rows * s.wider;
    s.functions = (double)c->function_lanes * s.rows * s.wider;
    s.parts = (double)c->programs > at_least((double)c->launches, 1) * (double)from->rows;
    return s;
}

// Where launches are not known: a program for each row or several (more rows, more programs, and a longer row
// makes each larger), or several for one row (both make more of them). The tile holds the whole row, and
// grows with it (to a power of two), or a block of it.
static void guess_launch(const RankAsk *q, const Scaled *s, Launch *l, double *tile) {
    const Counters *c = q->count;
    bool whole = !s->parts && c->tile_bytes >= 4 * q->from->row;
    double wider = power_of_two((int64_t)s->row_length) / power_of_two(q->from->row);
    l->programs =
        (double)c->programs * s->rows * (s->parts ? s->wider : 1) / at_least((double)c->launches, 1);
    l->warps = c->warps > 0 ? (double)c->warps : WARPS_USUAL;
    *tile = whole ? wider : 1;
    l->tiles = whole || s->parts ? 1 : at_least(s->wider, 1);
    l->instructions *= l->tiles;
}

// How often its tile goes into what a program works on.
static double tiles_of(const RankLaunch *l, double elements) {
    return at_least(elements / at_least((double)l->programs, 1) / l->tile, 1);
}

static bool take_launch(const RankAsk *q, const Scaled *s, int i, Launch *l, double *tile) {
    if (!q->here || !q->there || q->here->launches != q->there->launches || i >= q->there->launches)
        return false;
    const RankLaunch *here = &q->here->at[i], *there = &q->there->at[i];
    if (here->tile < TILE_LEAST || there->tile < TILE_LEAST) return false;
    double elements = (double)q->from->rows * (double)q->from->row;
    l->programs = (double)there->programs;
    l->warps = there->warps;
    *tile = there->tile / here->tile;
    l->tiles = tiles_of(there, elements * s->rows * s->wider);
    l->instructions *= l->tiles / tiles_of(here, elements);
    return true;
}

double rank_estimate_by(const RankModel *m, const Target *t, const RankAsk *q) {
    const Counters *c = q->count;
    const RankCase *from = q->from;
    if (from->row_bytes + from->shared_bytes <= 0 || from->rows <= 0 || from->row <= 0) return 0;
    const Scaled s = scale(q);
    int launches = c->launches > 0 ? (int)c->launches : 1;
    double us = 0;
    for (int i = 0; i < launches; i++) {
        Launch l = {.dependence = s.dependence / launches,
                    .repeats = (s.relation - s.dependence) / launches,
                    .shared = from->shared_bytes * s.wider * s.elem,
                    .working_set = launches > 1 ? s.dependence : 0,
                    .lanes = s.lanes / launches,
                    .functions = s.functions / launches,
                    .instructions = (double)c->instructions / at_least((double)c->programs, 1)};
        double tile = 1;
        if (!take_launch(q, &s, i, &l, &tile)) guess_launch(q, &s, &l, &tile);
        l.reads = s.dependence > 0 ? s.relation / s.dependence : 1;
        l.threads = WARP * at_least(l.warps, 1);
        double words = (double)c->tile_bytes * tile / 4 / l.threads;
        double registers = m->register_base + m->register_share * words;
        l.registers = at_most(registers, registers_most);
        l.spilled = 2 * 4 * l.threads * at_least(registers - registers_most, 0);
        us += t->launch_us + launch_us(m, t, &l);
    }
    bool many = 2 * c->bytes_loaded > 3 * c->bytes_stored;
    double evicted = s.dependence <= t->l2_bytes ? m->evicted : many ? m->evicted_many : m->evicted_beyond;
    return us * (q->hints & RANK_EVICTED ? evicted : 1) * (q->hints & RANK_STREAMED ? m->streamed : 1);
}

double rank_estimate(const Target *t, const Counters *c, const RankCase *from, const RankShape *to) {
    return rank_estimate_by(&rank_model, t, &(RankAsk){.count = c, .from = from, .to = to});
}

// Of text: a word in a comment counts, too. It moves an estimate by a few percent, and no verdict.
int rank_hints(Str source) {
    int hints = 0;
    for (size_t i = 0; i < source.len; i++) {
        Str rest = {source.p + i, source.len - i};
        if (str_starts(rest, "eviction_policy='evict_first'") ||
            str_starts(rest, "eviction_policy=\"evict_first\""))
            hints |= 1;
        if (str_starts(rest, "cache_modifier='.cs'") || str_starts(rest, "cache_modifier=\".cs\""))
            hints |= 2;
    }
    return hints;
}
