// The rank model against times measured on an H100 (h100_times.tsv): how it orders the kernels of a cell (an
// op, a shape, a size of floats), for ops that its numbers were fitted to and for ops that they were not.
//   bench_fit [--fit] [--all] [file]
// --fit: looks for better numbers, with the fitted half alone, and prints them. Every second op in the
// alphabet is held out.
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "bench.h"
#include "rank/rank.h"
#include "spearman.h"

enum { KERNELS_MAX = 1024, TIMES_MAX = 8192, OPS_MAX = 128, CELL_MAX = 64, CELL_LEAST = 20, TEXT = 512 };

typedef struct {
    char op[48], schedule[96];
    Counters count;
    RankCase facts;
    RankLaunches here;
    int hints, op_number;
} Kernel;
typedef struct {
    const Kernel *kernel;
    RankShape at;
    char run[4];
    double us;
    RankLaunches there;
} Time;
typedef struct {
    int time[CELL_MAX], n, op;
    RankShape at;
    char run[4];
    double best;
} Cell;

static Kernel kernel[KERNELS_MAX];
static Time timed[TIMES_MAX];
static Cell cell[TIMES_MAX];
static const char *op[OPS_MAX];
static int kernels, times, cells, ops;

// ---- the table

static bool read_launches(const char *s, RankLaunches *out) {
    *out = (RankLaunches){.launches = 0};
    if (*s == '-') return true;
    for (; *s && out->launches < RANK_LAUNCHES_MAX; s += *s == ',') {
        RankLaunch *l = &out->at[out->launches++];
        int used = 0;
        if (sscanf(s, "%" SCNd64 "/%d/%lf%n", &l->programs, &l->warps, &l->tile, &used) != 3) return false;
        s += used;
    }
    return !*s;
}

static bool read_kernel(FILE *f, Kernel *k) {
    Counters *c = &k->count;
    RankCase *r = &k->facts;
    char launches[TEXT];
    int has_rows, got = fscanf(f, "\t%47[^\t]\t%95[^\t]\t%d", k->op, k->schedule, &k->hints);
    got += fscanf(f,
                  "%" SCNd64 "%" SCNd64 "%" SCNd64 "%" SCNd64 "%" SCNd64 "%" SCNd64 "%" SCNd64 "%" SCNd64
                  "%" SCNd64 "%" SCNd64,
                  &c->lanes, &c->instructions, &c->programs, &c->launches, &c->bytes_loaded, &c->bytes_stored,
                  &c->bytes_copied, &c->tile_bytes, &c->warps, &c->function_lanes);
    got += fscanf(f, "%" SCNd64 "%" SCNd64 "%d%d%lf%lf %511s\n", &r->rows, &r->row, &has_rows, &r->elem_bytes,
                  &r->row_bytes, &r->shared_bytes, launches);
    r->has_rows = has_rows;
    return got == 3 + 10 + 7 && read_launches(launches, &k->here);
}

static bool read_time(FILE *f, Time *t) {
    char launches[TEXT];
    int got = fscanf(f, "%" SCNd64 "%" SCNd64 "%d %3s %lf %511s\n", &t->at.rows, &t->at.row,
                     &t->at.elem_bytes, t->run, &t->us, launches);
    return got == 6 && t->us > 0 && read_launches(launches, &t->there);
}

static bool read_table(FILE *f) {
    for (int kind; (kind = getc(f)) != EOF;) {
        if (kind == 'k' && kernels < KERNELS_MAX && read_kernel(f, &kernel[kernels]))
            kernels++;
        else if (kind == 't' && kernels && times < TIMES_MAX && read_time(f, &timed[times]))
            timed[times++].kernel = &kernel[kernels - 1];
        else
            return false;
    }
    return times > 0;
}

static int by_name(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void number_ops(void) {
    for (int i = 0; i < kernels; i++)
        if (i == 0 || strcmp(kernel[i].op, kernel[i - 1].op) != 0) op[ops++] = kernel[i].op;
    qsort(op, (size_t)ops, sizeof *op, by_name);
    for (int i = 0; i < kernels; i++)
        while (strcmp(op[kernel[i].op_number], kernel[i].op) != 0) kernel[i].op_number++;
}

static bool held_out(int number) { return number % 2; }

static bool same_cell(const Cell *c, const Time *t) {
    return c->op == t->kernel->op_number && c->at.rows == t->at.rows && c->at.row == t->at.row &&
           c->at.elem_bytes == t->at.elem_bytes && strcmp(c->run, t->run) == 0;
}

static void make_cells(void) {
    for (int i = 0; i < times; i++) {
        int k = 0;
        while (k < cells && !same_cell(&cell[k], &timed[i])) k++;
        Cell *c = &cell[k];
        if (k == cells) {
            cells++;
            *c = (Cell){.op = timed[i].kernel->op_number, .at = timed[i].at, .best = timed[i].us};
            memcpy(c->run, timed[i].run, sizeof c->run);
        }
        if (c->n < CELL_MAX) c->time[c->n++] = i;
        if (timed[i].us < c->best) c->best = timed[i].us;
    }
}

static double estimate(const RankModel *m, const Target *target, const Time *t) {
    const Kernel *k = t->kernel;
    return rank_estimate_by(m, target,
                            &(RankAsk){.count = &k->count,
                                       .from = &k->facts,
                                       .to = &t->at,
                                       .here = &k->here,
                                       .there = &t->there,
                                       .hints = k->hints});
}

// ---- what is printed

typedef struct {
    double pick[TIMES_MAX], first4[TIMES_MAX], rho[TIMES_MAX], level[TIMES_MAX];
    int n;
} Score;

// Of equal estimates the earlier proposal comes first, as in a mint.
static void score_cell(const RankModel *m, const Target *target, const Cell *c, Score *s) {
    double us[CELL_MAX], model[CELL_MAX], four = INFINITY;
    bool taken[CELL_MAX] = {false};
    for (int i = 0; i < c->n; i++) {
        us[i] = timed[c->time[i]].us;
        model[i] = estimate(m, target, &timed[c->time[i]]);
    }
    for (int k = 0; k < 4; k++) {
        int first = -1;
        for (int i = 0; i < c->n; i++)
            if (!taken[i] && (first < 0 || model[i] < model[first])) first = i;
        taken[first] = true;
        if (us[first] < four) four = us[first];
        if (k == 0) s->pick[s->n] = us[first] / c->best, s->level[s->n] = model[first] / us[first];
    }
    s->first4[s->n] = four / c->best;
    s->rho[s->n++] = spearman(model, us, c->n);
}

static double share_of(double *x, int n, double share) {
    qsort(x, (size_t)n, sizeof *x, bench_order);
    return n ? x[(int)(share * (n - 1) + 0.5)] : 0;
}

static void print_score(const char *what, Score *s) {
    double mean = 0;
    for (int i = 0; i < s->n; i++) mean += s->pick[i] / s->n;
    printf("  %-34s %4d  %.3f  %.3f  %.3f  %6.3f  %7.3f  %5.2f  %5.2f  %5.2f  %.2f\n", what, s->n,
           share_of(s->pick, s->n, 0.5), share_of(s->pick, s->n, 0.9), mean, share_of(s->pick, s->n, 1),
           share_of(s->first4, s->n, 0.9), share_of(s->rho, s->n, 0.1), share_of(s->rho, s->n, 0.5),
           share_of(s->rho, s->n, 0.9), share_of(s->level, s->n, 0.5));
}

typedef struct {
    const char *words;
    int half;        // 0 fitted, 1 held out, -1 both
    double from, to; // microseconds of the best
    int least;
} Choice;

static void print_choice(const RankModel *m, const Target *target, const Choice *q) {
    static Score s;
    s.n = 0;
    for (int i = 0; i < cells; i++) {
        const Cell *c = &cell[i];
        if (c->n < q->least || (q->least < CELL_LEAST && c->n >= CELL_LEAST)) continue;
        if (q->half >= 0 && held_out(c->op) != q->half) continue;
        if (c->best < q->from || c->best >= q->to) continue;
        score_cell(m, target, c, &s);
    }
    print_score(q->words, &s);
}

static void print_ops(void) {
    for (int half = 0; half < 2; half++) {
        printf(half ? "  held out:" : "  fitted:");
        for (int i = 0; i < ops; i++)
            if (held_out(i) == half) printf(" %s", op[i]);
        puts("");
    }
}

static void print_scores(const RankModel *m, const Target *target) {
    static const Choice choice[] = {
        {"fitted ops, 32 kernels a cell", 0, 0, 1e9, CELL_LEAST},
        {"held-out ops, 32 kernels a cell", 1, 0, 1e9, CELL_LEAST},
        {"  held out, best below 15 us", 1, 0, 15, CELL_LEAST},
        {"  held out, 15 to 60 us", 1, 15, 60, CELL_LEAST},
        {"  held out, from 60 us on", 1, 60, 1e9, CELL_LEAST},
        {"fitted ops, 6 to 9 kernels a cell", 0, 0, 1e9, 6},
        {"held-out ops, 6 to 9 kernels", 1, 0, 1e9, 6},
    };
    printf("  %-34s cells  pick: median, 90th, mean, worst  best of 4, 90th  Spearman: 10th, median, 90th  "
           "model/time\n",
           "");
    for (size_t i = 0; i < sizeof choice / sizeof *choice; i++) print_choice(m, target, &choice[i]);
}

static void print_cells(const RankModel *m, const Target *target) {
    for (int i = 0; i < cells; i++) {
        const Cell *c = &cell[i];
        printf("%s %s %" PRId64 "x%" PRId64 " %d-byte %s\n", held_out(c->op) ? "held" : "fit", op[c->op],
               c->at.rows, c->at.row, c->at.elem_bytes, c->run);
        for (int k = 0; k < c->n; k++) {
            const Time *t = &timed[c->time[k]];
            printf("   %8.2f us %8.2f  %.3f  %s\n", t->us, estimate(m, target, t),
                   estimate(m, target, t) / t->us, t->kernel->schedule);
        }
    }
}

// ---- fitting

// What one would expect without these times: latencies of loads and barriers of an H100 as published (about
// 0.5 us from DRAM, with the addresses before it), one instruction a lane, no memory of what hides what.
static const RankModel rank_expected = {.overlap = 4,
                                        .start_us = 1,
                                        .round_us = 0.7,
                                        .instruction_us = 0.01,
                                        .warp_us = 0.1,
                                        .lane_clocks = 1,
                                        .issue_warps = 12,
                                        .block_us = 0.0006,
                                        .last_wave = 0.5,
                                        .register_base = 26,
                                        .register_share = 0.119,
                                        .evicted = 0.97,
                                        .evicted_beyond = 1.013,
                                        .evicted_many = 1.033,
                                        .streamed = 1,
                                        .together = 0.2,
                                        .sm_bytes_clock = 64};
static const char *const name_of[] = {
    "overlap",        "start_us",     "round_us",  "instruction_us", "warp_us",        "lane_clocks",
    "issue_warps",    "block_us",     "last_wave", "register_base",  "register_share", "evicted",
    "evicted_beyond", "evicted_many", "streamed",  "together",       "sm_bytes_clock"};
enum { NUMBERS = sizeof(RankModel) / sizeof(double) };
_Static_assert(sizeof name_of / sizeof *name_of == NUMBERS, "a name for each number");

// Of a cell: what a pick by chance among the lowest would lose, how far the logarithms are off (each kernel
// weighed by how near it is to the best), and a little for the level.
static double cell_loss(const RankModel *m, const Target *target, const Cell *c) {
    double w[CELL_MAX], r[CELL_MAX], model[CELL_MAX], weights = 0, level = 0, off = 0, lowest = INFINITY;
    for (int i = 0; i < c->n; i++) {
        const Time *t = &timed[c->time[i]];
        double near = c->best / t->us;
        model[i] = log(estimate(m, target, t));
        r[i] = model[i] - log(t->us);
        w[i] = near * near * near;
        weights += w[i];
        level += w[i] * r[i];
        lowest = model[i] < lowest ? model[i] : lowest;
    }
    level /= weights;
    double picked = 0, chance = 0;
    for (int i = 0; i < c->n; i++) {
        double near = exp((lowest - model[i]) / 0.02), d = fabs(r[i] - level);
        off += w[i] * (d < 0.3 ? d * d : 0.3 * (2 * d - 0.3));
        chance += near;
        picked += near * (timed[c->time[i]].us / c->best - 1);
    }
    return picked / chance + 0.3 * sqrt(off / weights) + 0.05 * fabs(level);
}

static double loss(const RankModel *m, const Target *target) {
    double sum = 0;
    int n = 0;
    for (int i = 0; i < cells; i++)
        if (!held_out(cell[i].op)) {
            double weight = cell[i].n >= CELL_LEAST ? 1 : 0.2;
            sum += weight * cell_loss(m, target, &cell[i]);
            n++;
        }
    // Data sheets and separate measurements say roughly what to expect: leaving that has to pay.
    const double *x = (const double *)m, *expected = (const double *)&rank_expected;
    double left = 0;
    for (int i = 0; i < NUMBERS; i++) left += pow(log(x[i] / expected[i]), 2);
    return sum / n + 0.002 * left;
}

// Known from elsewhere (rank.c): left as they are.
static bool is_measured(int i) {
    static const char *const known[] = {"block_us", "register_base",  "register_share",
                                        "evicted",  "evicted_beyond", "evicted_many",
                                        "streamed", "sm_bytes_clock"};
    for (size_t k = 0; k < sizeof known / sizeof *known; k++)
        if (strcmp(name_of[i], known[k]) == 0) return true;
    return false;
}

// One number at a time, up and down by ever smaller steps.
static void fit(RankModel *m, const Target *target) {
    double *x = (double *)m, least = loss(m, target);
    for (double step = 0.5; step > 0.01; step *= 0.7)
        for (int round = 0, better = 1; better && round < 20; round++) {
            better = 0;
            for (int i = 0; i < NUMBERS; i++)
                for (int up = 0; up < 2 && !is_measured(i); up++) {
                    double was = x[i];
                    x[i] *= up ? 1 + step : 1 / (1 + step);
                    double now = loss(m, target);
                    if (now < least - 1e-7)
                        least = now, better = 1;
                    else
                        x[i] = was;
                }
        }
    printf("  fitted: loss %.5f\n", least);
    for (int i = 0; i < NUMBERS; i++) printf("    .%s = %.4g,\n", name_of[i], x[i]);
}

int main(int argc, char **argv) {
    const char *path = "bench/h100_times.tsv";
    bool fits = false, all = false;
    Err e = {0};
    const Target *target;
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], "--fit") == 0)
            fits = true;
        else if (strcmp(argv[i], "--all") == 0)
            all = true;
        else
            path = argv[i];
    FILE *f = fopen(path, "re");
    if (!f || !target_by_name("h100", &target, &e)) return fprintf(stderr, "bench_fit: %s\n", path), 1;
    bool whole = read_table(f);
    fclose(f);
    if (!whole)
        return fprintf(stderr, "bench_fit: %s: behind kernel %d something is wrong\n", path, kernels), 1;
    number_ops();
    make_cells();
    RankModel m = fits ? rank_expected : rank_model;
    printf(
        "rank model against times measured on an H100: %d kernels of %d ops, %d times, %d cells; loss %.5f\n",
        kernels, ops, times, cells, loss(&m, target));
    print_ops();
    if (all) print_cells(&m, target);
    print_scores(&m, target);
    if (fits) fit(&m, target), print_scores(&m, target);
    return 0;
}
