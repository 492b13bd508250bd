// bench: how fast an accepted kernel is on the GPU at hand, beside PyTorch. Device times and call times stand
// apart.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/io.h"
#include "base/progress.h"
#include "cmd/judging.h"
#include "cmd/line/color.h"
#include "measure/cell.h"
#include "service/entry_choice.h"
#include "service/request.h"

enum { FILE_MAX = 1 << 20, CELLS_MAX = 64, ROUNDS_USUAL = 7, WORKERS = 4 };

typedef struct {
    const char *op, *entry, *grid, *layout, *python, *state;
    Texts shape, dtype;
    int rounds, jobs;
    bool json, alone;
} BenchOptions;
typedef struct {
    int64_t m, n;
    DType dtype;
} Place;

static const Shape usual[] = {{1024, 4096}, {4096, 4096}, {8192, 4096}};
// The grid that kernels of this kind have been published on.
static const Shape published[] = {{1024, 4096}, {4096, 4096},  {8192, 4096},
                                  {4096, 8192}, {16384, 2048}, {256, 16384}};

static bool places(const BenchOptions *o, Place *out, int *n, Err *e) {
    Shape shape[TEXTS_MAX];
    int dtype[TEXTS_MAX] = {DT_F16, DT_BF16}, shapes = 0, dtypes = o->dtype.n;
    const Shape *given = shape;
    for (int i = 0; i < o->shape.n; i++, shapes++) {
        const Option option = {"--shape", OPTION_SHAPE, &shape[i]};
        if (!option_value(&option, o->shape.at[i], e)) return false;
    }
    if (o->grid) {
        if (!str_is(str_of(o->grid), "published"))
            return err_set(e, ERR_USAGE, "--grid is published, not \"%s\"", o->grid);
        if (shapes) return err_set(e, ERR_USAGE, "--grid names the shapes: without --shape");
        given = published;
        shapes = sizeof published / sizeof *published;
        if (!dtypes) dtypes = 2;
    }
    if (!shapes) {
        given = usual;
        shapes = sizeof usual / sizeof *usual;
    }
    for (int i = 0; i < o->dtype.n; i++)
        if (!filter_dtype(str_of(o->dtype.at[i]), &dtype[i]))
            return err_set(e, ERR_USAGE, "--dtype is one of fp16, bf16, fp32, not \"%s\"", o->dtype.at[i]);
    if (!dtypes) dtypes = 1;
    for (int d = 0; d < dtypes; d++)
        for (int i = 0; i < shapes; i++) out[(*n)++] = (Place){given[i].m, given[i].n, (DType)dtype[d]};
    return true;
}

// Losses first; what has no ratio comes last.
static int slower_first(const void *a, const void *b) {
    const CellTimes *x = a, *y = b;
    double p = x->ratio > 0 ? x->ratio : 1e9, q = y->ratio > 0 ? y->ratio : 1e9;
    return (p > q) - (p < q);
}

// A GPU that contradicts an accepted verdict has the last word.
static void take_back(Verdict *v, const CellTimes *c, Arena *a) {
    char where[80];
    snprintf(where, sizeof where, "%" PRId64 "x%" PRId64 " %s", c->rows, c->columns,
             dtype_info[c->dtype].torch);
    decision_set(&v->decision, STATUS_incorrect, "gpu",
                 arena_printf(a, "On a GPU, at %s: %.*s.", where, (int)(c->why.len < 400 ? c->why.len : 400),
                              c->why.p));
}

typedef struct {
    const DeviceFacts *gpu;
    const char *compiler;
    const CellTimes *cell;
    int n;
} Cells;

static void print_cells(Arena *a, const BenchOptions *o, const Verdict *v, const Cells *cells) {
    const CellTimes *cell = cells->cell;
    const DeviceFacts *gpu = cells->gpu;
    const char *compiler = cells->compiler;
    int n = cells->n;
    Buf out = BUF(a);
    if (o->json) {
        json_t *verdict = verdict_object(v), *list = json_array();
        for (int i = 0; i < n; i++) json_array_append_new(list, cell_json(&cell[i]));
        json_object_set_new(verdict, "times",
                            json_pack("{s:o,s:i,s:s,s:o}", "gpu", json_quoted(str_of(gpu->name)), "cuda",
                                      gpu->version, "compiler", compiler, "cells", list));
        json_put_precise(&out, verdict, 9);
        buf_putc(&out, '\n');
    } else {
        verdict_shown(&out, v);
        if (n)
            buf_printf(&out, "on %s, CUDA %d.%d, %s\n", gpu->name, gpu->version / 1000,
                       gpu->version % 1000 / 10, compiler);
        for (int i = 0; i < n; i++) {
            cell_text(&out, &cell[i]);
            buf_putc(&out, '\n');
        }
        for (int i = 0; i < n; i++) {
            const CellTimes *c = &cell[i];
            for (int k = 0; k < c->baselines; k++)
                if (c->baseline[k].own_call.rounds)
                    buf_printf(&out, "called from Python, %" PRId64 "x%" PRId64 " %s, %.*s: %.1f us\n",
                               c->rows, c->columns, dtype_info[c->dtype].torch, STR_ARG(c->baseline[k].name),
                               c->baseline[k].own_call.us);
        }
    }
    print_result(buf_str(&out), o->json);
}

typedef struct {
    Referee *referee;
    Measurer *measurer;
    Arena *a;
} World;

typedef struct {
    Op op;
    Str source; // with run
    Verdict v;
    Place place[2 * CELLS_MAX];
    int n;
} Subject;

static bool time_cells(const World *w, const BenchOptions *o, Subject *x, Err *e) {
    int n = x->n;
    DeviceFacts gpu;
    Compilers *compilers;
    Progress bar;
    CellTimes *cell = NEWN(w->a, CellTimes, (size_t)n + 1);
    if (!measurer_facts(w->measurer, &gpu, e)) return false;
    const CompileOptions options = {
        .python = o->python, .workers = WORKERS, .target.capability = gpu.major * 10 + gpu.minor};
    if (!compilers_open(w->a, &options, &compilers, e)) return false;
    Baseline *baseline = o->alone ? NULL : baseline_open(o->python);
    const CellRequest q = {w->referee,
                           w->measurer,
                           compilers,
                           baseline,
                           &x->op,
                           x->source,
                           o->rounds ? o->rounds : ROUNDS_USUAL};
    progress_start(&bar, "cells", (size_t)n);
    for (int i = 0; i < n; i++) {
        cell_time(w->a, &q, x->place[i].m, x->place[i].n, x->place[i].dtype, &cell[i]);
        progress_step(&bar, (size_t)i + 1, NULL);
    }
    progress_end(&bar);
    for (int i = 0; i < n; i++)
        if (cell[i].status == TIMES_incorrect && verdict_accepted(&x->v)) take_back(&x->v, &cell[i], w->a);
    qsort(cell, (size_t)n, sizeof *cell, slower_first);
    print_cells(w->a, o, &x->v, &(Cells){&gpu, compilers_versions(compilers), cell, n});
    baseline_close(baseline);
    compilers_close(compilers);
    return true;
}

static bool bench_file(const World *w, const BenchOptions *o, const char *file, int *code, Err *e) {
    Subject *x = NEW(w->a, Subject);
    Str text;
    Entered entered;
    DeviceFacts gpu;
    DomainAsked domain;
    JudgeRequest q = {.op = &x->op, .level = LEVEL_FULL};
    if (!places(o, x->place, &x->n, e) || !filter_of(&(Shape){0}, NULL, &q.filter, e)) return false;
    // Before a minute of judging: without a GPU there is nothing to be told.
    if (!measurer_facts(w->measurer, &gpu, e)) return false;
    if (!io_read(w->a, file, FILE_MAX, &text, e) || !domain_of(o->layout, NULL, &domain, e) ||
        !op_for_judging(w->referee, w->a, o->op, &domain, &x->op, e))
        return false;
    op_understood("bench", o->op, &x->op);
    if (!entry_apply(w->a, o->entry, &x->op, text, &entered, e)) return false;
    x->source = entered.source;
    if (!referee_judge(w->referee, w->a, &q, &x->source, 1, &x->v, e)) return false;
    bool ok = true;
    if (verdict_accepted(&x->v))
        ok = time_cells(w, o, x, e);
    else
        print_cells(w->a, o, &x->v, &(Cells){&gpu, "", NULL, 0});
    *code = verdict_exit(&x->v);
    return ok;
}

int cmd_bench(int argc, char **argv) {
    BenchOptions o = {0};
    const Option options[] = {
        {"--op", OPTION_TEXT, &o.op},          {"--entry", OPTION_TEXT, &o.entry},
        {"--shape", OPTION_TEXTS, &o.shape},   {"--dtype", OPTION_TEXTS, &o.dtype},
        {"--grid", OPTION_TEXT, &o.grid},      {"--layout", OPTION_TEXT, &o.layout},
        {"--rounds", OPTION_COUNT, &o.rounds}, {"--alone", OPTION_FLAG, &o.alone},
        {"--python", OPTION_TEXT, &o.python},  {"--jobs", OPTION_COUNT, &o.jobs},
        {"--state", OPTION_TEXT, &o.state},    {"--json", OPTION_FLAG, &o.json},
    };
    Positionals rest;
    Err e = {0};
    if (!options_parse(&(CommandLine){"bench", argc, argv}, options, sizeof options / sizeof *options, &rest,
                       &e))
        return cmd_fail("bench", &e);
    if (!o.op) return cmd_usage("bench", "--op is missing");
    if (o.rounds > TIMING_ROUNDS_MAX) return cmd_usage("bench", "--rounds is at most 64");
    Arena a = {0};
    World w = {.a = &a};
    const RefereeConfig config = {.state = o.state, .jobs = o.jobs};
    int code = EXIT_OK;
    if (!measurer_open(NULL, &w.measurer, &e)) return cmd_fail("bench", &e);
    bool ok = referee_open(&config, &w.referee, &e);
    if (!ok || !bench_file(&w, &o, rest.at[0], &code, &e)) code = cmd_fail("bench", &e);
    arena_free(&a);
    if (ok) referee_close(w.referee);
    measurer_close(w.measurer);
    return code;
}
