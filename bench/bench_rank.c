// How well the rank model orders kernels that others have timed on an H200 (anchor_cells.tsv: times that others measured
// of one kernel an op, at several shapes and dtypes): Spearman's rank correlation over all cells and within
// each shape. Their kernels are not here; the smith writes one of like schedule (a whole row a program) for
// each op, and one quick judgement of it gives the counters. Their clock includes some 20 us of host
// dispatch, the same for all: it moves no rank, but it drowns differences between small shapes.
//   bench_rank [file]
#include <string.h>

#include "base/io.h"
#include "bench.h"
#include "judge/referee.h"
#include "propose/smith.h"
#include "spearman.h"

enum { CELLS_MAX = 4096, PROPOSALS = 48, TRIED = 8, SHAPES_MAX = 64 };
static const uint64_t seed = 1;

typedef struct {
    Str op;
    int64_t m, n;
    bool known; // the suite has the op, and a kernel of it was accepted
    double us, compiled_us, tuned_us, model, ideal;
} Cell;

typedef struct {
    Referee *referee;
    Arena *arena;
    Smith *smith;
    const Target *target;
} Bench;

static int fail(const char *what, const char *why) {
    fprintf(stderr, "bench_rank: %s: %s\n", what, why);
    return 1;
}

// ---- the table ----

static Str next_field(Str *line, char end) {
    size_t n = 0;
    while (n < line->len && line->p[n] != end) n++;
    Str field = {line->p, n};
    size_t skip = n < line->len ? n + 1 : n;
    *line = (Str){line->p + skip, line->len - skip};
    return field;
}

static double number_of(Str s) {
    char text[32] = "";
    if (s.len < sizeof text) memcpy(text, s.p, s.len);
    return atof(text);
}

static int read_cells(Str text, Cell *out) {
    int n = 0;
    next_field(&text, '\n'); // names of the columns
    while (text.len && n < CELLS_MAX) {
        Str line = next_field(&text, '\n');
        Cell c = {.op = next_field(&line, '\t')};
        next_field(&line, '\t'); // the grid: v1 or v2
        c.m = (int64_t)number_of(next_field(&line, '\t'));
        c.n = (int64_t)number_of(next_field(&line, '\t'));
        next_field(&line, '\t'); // both dtypes have 16 bits
        c.us = 1e3 * number_of(next_field(&line, '\t'));
        c.compiled_us = 1e3 * number_of(next_field(&line, '\t'));
        c.tuned_us = 1e3 * number_of(next_field(&line, '\t'));
        if (c.op.len && c.m > 0 && c.n > 0 && c.us > 0) out[n++] = c;
    }
    return n;
}

// ---- a kernel of like schedule ----

static bool whole_row(const Proposal *p) { return strncmp(p->schedule, "whole row", 9) == 0; }

// The first whole-row kernel of the smith that is accepted; of an op that has none, the first of any kind.
static bool kernel_for(const Bench *b, Str name, Verdict *out, const char **schedule) {
    Err e = {0};
    Op *op = NEW(b->arena, Op);
    Proposal *p = NEWN(b->arena, Proposal, PROPOSALS);
    int got = 0, n = 0;
    Str source[TRIED];
    const char *plan[TRIED];
    Verdict v[TRIED];
    SmithRequest ask = {.seed = seed, .count = PROPOSALS};
    if (!op_find(b->arena, name, op)) return false;
    op_usual_shape(op, &ask.m, &ask.n);
    if (!smith_propose(b->smith, b->arena, op, &ask, p, &got, &e)) return false;
    for (int like = 1; like >= 0; like--)
        for (int i = 0; i < got && n < TRIED; i++)
            if (whole_row(&p[i]) == like) {
                plan[n] = p[i].schedule;
                source[n++] = p[i].source;
            }
    JudgeRequest judge = {.op = op, .level = LEVEL_QUICK, .filter = {.dtype = DT_F16}, .seed = &seed};
    if (!n || !referee_judge(b->referee, b->arena, &judge, source, n, v, &e)) return false;
    for (int i = 0; i < n; i++)
        if (verdict_accepted(&v[i])) return *out = v[i], *schedule = plan[i], true;
    return false;
}

static void estimate_op(const Bench *b, Cell *cell, int cells, Str op, int *like) {
    Verdict v;
    const char *schedule;
    if (!kernel_for(b, op, &v, &schedule)) {
        printf("  no kernel for %.*s\n", STR_ARG(op));
        return;
    }
    *like += strncmp(schedule, "whole row", 9) == 0;
    for (int i = 0; i < cells; i++) {
        if (!str_eq(cell[i].op, op)) continue;
        RankShape at = {cell[i].m, cell[i].n, 2};
        double wider = (double)cell[i].n / (double)v.traffic.facts.row;
        cell[i].known = true;
        cell[i].model = rank_estimate(b->target, &v.traffic.count, &v.traffic.facts, &at);
        cell[i].ideal = (v.traffic.facts.row_bytes * (double)cell[i].m / (double)v.traffic.facts.rows +
                         v.traffic.facts.shared_bytes) *
                        wider;
    }
}

// ---- what is printed ----

// Of the cells of one shape, or of all when m is 0.
static void print_row(const Cell *cell, int cells, int64_t m, int64_t n) {
    static double us[CELLS_MAX], compiled[CELLS_MAX], tuned[CELLS_MAX], model[CELLS_MAX], ideal[CELLS_MAX];
    char shape[48] = "all";
    int k = 0;
    for (int i = 0; i < cells; i++) {
        const Cell *c = &cell[i];
        if (!c->known || (m && (c->m != m || c->n != n))) continue;
        us[k] = c->us, compiled[k] = c->compiled_us, tuned[k] = c->tuned_us;
        model[k] = c->model, ideal[k++] = c->ideal;
    }
    if (k < 3) return;
    if (m) snprintf(shape, sizeof shape, "%lldx%lld", (long long)m, (long long)n);
    printf("  %-12s %5d %8.3f %10.3f %10.3f %10.3f", shape, k, spearman(model, us, k),
           spearman(model, compiled, k), spearman(model, tuned, k), spearman(ideal, us, k));
    printf(" %8.1f us %8.1f us\n", bench_median(model, k), bench_median(us, k));
}

static void print_shapes(const Cell *cell, int cells) {
    int first[SHAPES_MAX], shapes = 0;
    for (int i = 0; i < cells && shapes < SHAPES_MAX; i++) {
        int j = 0;
        while (j < shapes && (cell[first[j]].m != cell[i].m || cell[first[j]].n != cell[i].n)) j++;
        if (j == shapes) first[shapes++] = i;
    }
    for (int j = 0; j < shapes; j++) print_row(cell, cells, cell[first[j]].m, cell[first[j]].n);
}

static int run(Bench *b, const char *path) {
    Err e = {0};
    Str text;
    static Cell cell[CELLS_MAX];
    if (!io_read(b->arena, path, 1 << 20, &text, &e)) return fail(path, e.msg);
    int cells = read_cells(text, cell), ops = 0, like = 0, matched = 0;
    if (!cells) return fail(path, "no cells");
    if (!smith_open(b->arena, "grammar", NULL, &b->smith, &e)) return fail("smith", e.msg);
    if (!target_by_name("h200", &b->target, &e)) return fail("target", e.msg);
    printf("rank model against times that others measured, target %s\n", b->target->name);
    for (int i = 0; i < cells; i++) {
        int j = 0;
        while (!str_eq(cell[j].op, cell[i].op)) j++;
        if (j < i) continue;
        ops++;
        estimate_op(b, cell, cells, cell[i].op, &like);
    }
    for (int i = 0; i < cells; i++) matched += cell[i].known;
    printf("  %d of %d cells matched; %d ops, %d with a whole-row kernel\n", matched, cells, ops, like);
    printf("  Spearman's rank correlation of the model with the time of\n");
    printf("  %-12s %5s %8s %10s %10s %10s %11s %11s\n", "shape", "cells", "kernel", "compiled", "autotuned",
           "bytes only", "model", "kernel");
    print_row(cell, cells, 0, 0);
    print_shapes(cell, cells);
    return matched ? 0 : 1;
}

int main(int argc, char **argv) {
    Err e = {0};
    Arena a = {0};
    Bench b = {.arena = &a};
    RefereeConfig config = {.no_journal = true};
    if (!referee_open(&config, &b.referee, &e)) return fail("open", e.msg);
    int code = run(&b, argc > 1 ? argv[1] : "bench/anchor_cells.tsv");
    referee_close(b.referee);
    arena_free(&a);
    return code;
}
