#include "rank/rank.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const Target targets[] = {
#define TARGET(name, words, bandwidth, l2_bandwidth, l2_mb, sms, threads, programs, registers, mhz, launch) \
    {#name,                                                                                                 \
     words,                                                                                                 \
     1e3 * (bandwidth),                                                                                     \
     1e3 * (l2_bandwidth),                                                                                  \
     (l2_mb)*1048576.0,                                                                                     \
     sms,                                                                                                   \
     threads,                                                                                               \
     programs,                                                                                              \
     registers,                                                                                             \
     (double)(mhz),                                                                                         \
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

// Facts that all targets share, or nearly.
static const double latency_us = 0.8;     // of a load that goes to DRAM and what hangs on it
static const double sm_bytes_clock = 64;  // what one SM takes from the L2 in a cycle
static const double register_share = 0.5; // of the VM's register file: addresses and masks mostly fold away
static const double registers_least = 24, registers_most = 255; // of a thread
enum { WARP = 32, WARPS_USUAL = 4 };

static double at_most(double x, double most) { return x < most ? x : most; }
static double at_least(double x, double least) { return x > least ? x : least; }

// One launch, after scaling; bytes and programs are those of one launch.
typedef struct {
    double programs, dependence, repeats, working_set;
    double threads, registers; // of a program, of a thread
    double spilled; // bytes a program writes and reads again because no thread has so many registers
} Launch;

static double programs_resident(const Target *t, const Launch *l) {
    double by_threads = floor(t->sm_threads / l->threads);
    double by_registers = floor(t->sm_registers / (l->registers * l->threads));
    return at_least(at_most(at_most(by_threads, by_registers), t->sm_programs), 1);
}

static double launch_us(const Target *t, const Launch *l) {
    if (l->programs <= 0) return (l->dependence + l->repeats) / t->bandwidth;
    double resident = programs_resident(t, l);
    double waves = l->programs / (t->sms * resident);
    double in_flight = at_most(l->programs, t->sms * resident);
    // Of several launches each reads what another wrote or read: all of it lies between. Within one, a row
    // comes back while its program still runs.
    double set = l->working_set > 0 ? l->working_set : l->dependence * in_flight / l->programs;
    double kept = set > t->l2_bytes ? t->l2_bytes / set : 1;
    double hits = l->repeats * kept + l->spilled * l->programs;
    double memory = (l->dependence + l->repeats * (1 - kept)) / t->bandwidth + hits / t->l2_bandwidth;

    // A program alone: what an SM can take in at best. The busiest SM bounds the whole launch the same way.
    double program_us = (l->dependence + l->repeats) / l->programs / (sm_bytes_clock * t->clock);
    double work = at_least(memory, ceil(l->programs / t->sms) * program_us);
    double alone = latency_us + program_us;
    double full = floor(waves), rest = waves - full, wave = at_least(work / waves, alone);
    return full * wave + (rest > 0 ? at_least(rest * (work / waves), alone) : 0);
}

static double power_of_two(int64_t n) {
    double p = 1;
    while (p < (double)n) p *= 2;
    return p;
}

double rank_estimate(const Target *t, const Counters *c, const RankCase *from, const RankShape *to) {
    double dependence = from->row_bytes + from->shared_bytes;
    if (dependence <= 0 || from->rows <= 0 || from->row <= 0) return 0;
    double rows = from->has_rows ? (double)(to->rows ? to->rows : RANK_ROWS) / (double)from->rows : 1;
    int64_t to_row = to->row ? to->row : RANK_ROW;
    double wider = (double)to_row / (double)from->row;
    double elem = from->elem_bytes ? (double)(to->elem_bytes ? to->elem_bytes : 2) / from->elem_bytes : 1;

    double relation = (double)(c->bytes_loaded + c->bytes_stored + c->bytes_copied) * rows * wider * elem;
    dependence = (from->row_bytes * rows + from->shared_bytes) * wider * elem;
    // An op may do without some of its input (a gather): then it moves less, and repeats nothing.
    dependence = at_most(dependence, relation);

    // A program for each row or several: more rows, more programs, and a longer row makes each larger.
    // Several for one row: both make more of them.
    double launches = at_least((double)c->launches, 1);
    bool parts = (double)c->programs > launches * (double)from->rows;
    double programs = (double)c->programs * rows * (parts ? wider : 1);
    // The tile holds the whole row, and grows with it (to a power of two), or a block of it.
    bool whole = !parts && c->tile_bytes >= 4 * from->row;
    double tile = (double)c->tile_bytes * (whole ? power_of_two(to_row) / power_of_two(from->row) : 1);
    double threads = WARP * (double)(c->warps > 0 ? c->warps : WARPS_USUAL);
    double registers = tile * register_share / 4 / threads + registers_least;

    Launch l = {.programs = programs / launches,
                .dependence = dependence / launches,
                .repeats = (relation - dependence) / launches,
                .working_set = c->launches > 1 ? dependence : 0,
                .threads = threads,
                .registers = at_most(registers, registers_most),
                .spilled = 2 * 4 * threads * at_least(registers - registers_most, 0)};
    return launches * (t->launch_us + launch_us(t, &l));
}
