// bench: how fast an accepted kernel is on the GPU at hand, beside PyTorch. Device times and call times stand
// apart.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/io.h"
#include "base/progress.h"
#include "cases/modules/modules_domain.h"
#include "cmd/line/color.h"
#include "cmd/shared/corpus.h"
#include "cmd/shared/judging.h"
#include "measure/bench_file.h"
#include "measure/heat_map.h"
#include "service/manifest/entry_choice.h"
#include "service/request.h"
#include "service/taken_back.h"
#include "service/timed_places.h"

enum { FILE_MAX = 1 << 20, CELLS_MAX = 64, TOGETHER = 6 };

typedef struct {
    const char *op, *module, *library, *entry, *grid, *layout, *python, *state, *folder, *svg;
    Texts shape, dtype;
    int rounds, jobs, stability;
    bool json, alone, calls, tf32;
} BenchOptions;

static const Shape usual[] = {{1024, 4096}, {4096, 4096}, {8192, 4096}};
// The published grid has other shapes for ops with short rows: which of both, the op has to say.
static bool is_published(const BenchOptions *o) { return o->grid && str_is(str_of(o->grid), "published"); }

static void published_places(const Op *op, const CellPlace *dtype, int dtypes, CellPlace *out, int *n) {
    *n = 0;
    for (int d = 0; d < dtypes; d++) *n += places_published(op, dtype[d].dtype, out + *n);
}

static bool places(const BenchOptions *o, CellPlace *out, int *n, Err *e) {
    Shape shape[TEXTS_MAX];
    int dtype[TEXTS_MAX] = {DT_F16, DT_BF16}, shapes = 0, dtypes = o->dtype.n;
    const Shape *given = shape;
    Shape six[PLACES_SIX];
    for (int i = 0; i < o->shape.n; i++, shapes++) {
        const Option option = {"--shape", OPTION_SHAPE, &shape[i]};
        if (!option_value(&option, o->shape.at[i], e)) return false;
    }
    if (o->grid) {
        if (!str_is(str_of(o->grid), "six") && !is_published(o))
            return err_set(e, ERR_USAGE, "--grid is six or published, not \"%s\"", o->grid);
        if (shapes) return err_set(e, ERR_USAGE, "--grid names the shapes: without --shape");
        for (int i = 0; i < PLACES_SIX; i++) six[i] = (Shape){.m = places_six[i][0], .n = places_six[i][1]};
        given = six;
        shapes = is_published(o) ? 1 : sizeof six / sizeof *six;
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
        for (int i = 0; i < shapes; i++) out[(*n)++] = (CellPlace){given[i].m, given[i].n, (DType)dtype[d]};
    return true;
}

typedef struct {
    Referee *referee;
    Measurer *measurer;
    Arena *a;
} World;

typedef struct {
    Op op;
    const Op *timed; // what is drawn, recorded and compared: the op, or of a module the same at larger sizes
    Str source;      // with run
    Verdict v;
    CellPlace place[CELLS_MAX];
    CellTimes cell[CELLS_MAX];
    const CellTimes *sorted[CELLS_MAX];
    int n;
} Subject;

// Losses first; what has no ratio comes last.
static int slower_first(const void *a, const void *b) {
    const CellTimes *x = *(const CellTimes *const *)a, *y = *(const CellTimes *const *)b;
    double p = x->ratio > 0 ? x->ratio : 1e9, q = y->ratio > 0 ? y->ratio : 1e9;
    return (p > q) - (p < q);
}

// ---- telling

static void put_python_calls(Buf *out, const CellTimes *c) {
    for (int k = 0; k < c->baselines; k++) {
        if (!c->baseline[k].own_call.rounds) continue;
        buf_puts(out, "called from Python, ");
        cell_put_place(out, c);
        buf_printf(out, ", %.*s: %.1f us%s\n", STR_ARG(c->baseline[k].name), c->baseline[k].own_call.us,
                   c->kept ? " (when it was tuned)" : "");
    }
}

// `t` NULL: it was not accepted, and nothing was timed.
static void print_cells(Arena *a, const BenchOptions *o, const Subject *x, const Timer *t, json_t *verdict) {
    Buf out = BUF(a);
    int n = t ? x->n : 0;
    if (o->json) {
        json_object_set_new(verdict, "times", times_json(t, x->sorted, n, NULL));
        json_put_precise(&out, json_incref(verdict), 9);
        buf_putc(&out, '\n');
    } else {
        verdict_shown(&out, &x->v);
        if (n) {
            CompileCounts made = compilers_counts(t->compilers);
            buf_printf(&out, "on %s, CUDA %d.%d, %s; %" PRId64 " kernels compiled, %" PRId64 " kept\n",
                       t->gpu.name, t->gpu.version / 1000, t->gpu.version % 1000 / 10,
                       compilers_versions(t->compilers), made.compiled, made.cache_hits);
            if (made.differed)
                buf_printf(&out,
                           "%" PRId64 " of %" PRId64
                           " kept kernels that were compiled again came out otherwise\n",
                           made.differed, made.rechecked);
        }
        for (int i = 0; i < n; i++) {
            cell_text(&out, x->sorted[i]);
            buf_putc(&out, '\n');
        }
        for (int i = 0; i < n; i++) put_python_calls(&out, x->sorted[i]);
    }
    print_result(buf_str(&out), o->json);
}

// ---- the picture

typedef struct {
    HeatField *field;
    int n, room;
    bool ratios;
} Fields;

static void fields_add(Arena *a, Fields *f, Str op, const CellTimes *c) {
    if (f->n == f->room) {
        int room = 2 * f->room + 64;
        f->field = MORE(a, HeatField, f->field, f->n, room);
        f->room = room;
    }
    double share = c->device.rounds && c->yardstick.rounds ? c->yardstick.us / c->device.us : 0;
    f->field[f->n++] = (HeatField){
        .row = str_of(arena_printf(a, "%.*s  %s", STR_ARG(op), dtype_info[c->place.dtype].torch)),
        .column = str_of(arena_printf(a, "%" PRId64 "\xc3\x97%" PRId64, c->place.rows, c->place.columns)),
        .value = f->ratios ? c->ratio : share,
        .mark = c->status == TIMES_ok ? "no bar" : times_name(c->status)};
}

// This measurement, or all that the folder holds of this GPU and these versions.
static bool picture(Arena *a, const BenchOptions *o, const Subject *x, const Timer *t, Err *e) {
    BenchRecord *record = NULL;
    int n = 0;
    if (o->folder && !bench_folder_read(a, o->folder, &record, &n, e)) return false;
    Fields f = {.ratios = !o->alone};
    for (int i = 0; i < n; i++) {
        if (!str_is(record[i].gpu, t->gpu.name) || record[i].cuda != t->gpu.version ||
            !str_is(record[i].compiler, compilers_versions(t->compilers)))
            continue;
        for (int k = 0; k < record[i].cells; k++) fields_add(a, &f, record[i].op, &record[i].cell[k]);
    }
    for (int i = 0; i < x->n && !o->folder; i++) fields_add(a, &f, x->op.name, &x->cell[i]);
    Str torch = x->n ? x->cell[0].torch : (Str){0};
    const char *foot = arena_printf(a, "%s, CUDA %d.%d, %s%s%.*s", t->gpu.name, t->gpu.version / 1000,
                                    t->gpu.version % 1000 / 10, compilers_versions(t->compilers),
                                    torch.len ? ", PyTorch " : "", STR_ARG(torch));
    Buf svg = BUF(a);
    heat_map_svg(
        &svg, &(HeatMap){.title = f.ratios ? "Times as fast as the better of torch.compile and max-autotune"
                                           : "Share of the speed of plain streaming",
                         .legend = f.ratios ? "slower, faster" : "share",
                         .foot = foot,
                         .note = "medians of device times; inputs and answers not in the L2",
                         .share = !f.ratios,
                         .field = f.field,
                         .fields = f.n});
    return io_write_atomic(o->svg, buf_str(&svg), e);
}

// ---- measuring

typedef struct {
    const Timer *timer;
    Subject *x;
    BenchFile *kept; // NULL: nothing is
    Progress bar;
} Timing;

// In groups, so that compile workers are busy side by side and not all inputs are there at once.
static bool time_group(const World *w, Timing *g, const int *which, int n, Err *e) {
    Subject *x = g->x;
    CellPlace place[TOGETHER];
    CellTimes out[TOGETHER];
    CellRequest q = timer_request(g->timer, x->timed, x->source);
    bool ok = true;
    q.rounding = x->v.rounding;
    for (int i = 0; i < n; i++) place[i] = x->place[which[i]];
    Cells *cells = cells_prepare(w->a, &q, place, n, out);
    for (int i = 0; i < n && ok; i++) {
        cells_measure(cells, i);
        x->cell[which[i]] = out[i];
        ok = !g->kept || bench_file_add(g->kept, &out[i], e);
        progress_step(&g->bar, (size_t)which[i] + 1, NULL);
    }
    cells_free(cells);
    return ok;
}

static bool time_all(const World *w, Timing *g, Err *e) {
    Subject *x = g->x;
    int which[TOGETHER], n = 0;
    bool ok = true;
    progress_start(&g->bar, "cells", (size_t)x->n);
    for (int i = 0; i < x->n && ok; i++) {
        const CellTimes *had = g->kept ? bench_file_find(g->kept, x->place[i]) : NULL;
        x->sorted[i] = &x->cell[i];
        if (had)
            x->cell[i] = *had;
        else
            which[n++] = i;
        if (n < TOGETHER && i + 1 < x->n) continue;
        ok = n == 0 || time_group(w, g, which, n, e);
        n = 0;
    }
    progress_end(&g->bar);
    qsort(x->sorted, (size_t)x->n, sizeof *x->sorted, slower_first);
    return ok;
}

// A GPU that contradicts an accepted verdict has the last word.
static bool take_back(const World *w, const Timer *t, Subject *x, json_t *verdict, Err *e) {
    const CellTimes *c = cells_refute(x->cell, x->n);
    if (!c) return true;
    decision_set(&x->v.decision, STATUS_incorrect, "gpu", cell_refutes(w->a, c));
    return verdict_take_back(w->referee, NULL, &(TakenBack){&x->op, {.dtype = -1}, x->source, t, c}, verdict,
                             e);
}

// In the store, where it has the program.
static void keep_times(const World *w, const Subject *x, const Timer *t) {
    static const DrawFilter everything = {.dtype = -1};
    json_t *times = times_json(t, x->sorted, x->n, NULL);
    times_kept("bench", referee_state(w->referee),
               &(Timed){.op = x->timed, .filter = &everything, .source = x->source, .times = times});
    json_decref(times);
}

static bool time_cells(const World *w, const BenchOptions *o, Subject *x, Err *e) {
    Timer t;
    BenchFile file = {.fd = -1};
    const TimerOptions options = {.python = o->python,
                                  .alone = o->alone,
                                  .user_calls = o->calls,
                                  .rounds = o->rounds,
                                  .again = o->stability};
    const BenchFileRequest where = {o->folder, &x->op, x->v.source_sha256, &t};
    bool open = timer_open(w->a, w->referee, w->measurer, &options, &t, e);
    bool ok = open && (!o->folder || bench_file_open(w->a, &where, &file, e)) &&
              time_all(w, &(Timing){.timer = &t, .x = x, .kept = o->folder ? &file : NULL}, e);
    json_t *verdict = verdict_object(&x->v);
    ok = ok && take_back(w, &t, x, verdict, e);
    if (ok && verdict_accepted(&x->v)) keep_times(w, x, &t);
    ok = ok && (!o->svg || picture(w->a, o, x, &t, e));
    if (ok) print_cells(w->a, o, x, &t, verdict);
    json_decref(verdict);
    bench_file_close(&file);
    if (open) timer_close(&t);
    return ok;
}

typedef struct {
    Str file, module; // module: of the reference in module form
} Given;

// What a typing error would be in, before the GPU is asked for.
static bool read_given(const World *w, const BenchOptions *o, const char *file, Given *g, Err *e) {
    Op op;
    if (!io_read(w->a, file, FILE_MAX, &g->file, e)) return false;
    return o->module ? io_read_file(w->a, o->module, FILE_MAX, &g->module, e)
                     : op_resolve(w->a, o->op, &op, e);
}

// Why options do not go together; NULL: they do.
static const char *misused(const BenchOptions *o) {
    if (!o->op == !o->module) return o->op ? "--op or --module: one of them" : "--op or --module is missing";
    if (o->rounds > TIMING_ROUNDS_MAX) return "--rounds is at most 64";
    if (o->stability > STABILITY_MAX) return "--stability is at most 32";
    if (o->op) return o->library || o->tf32 ? "--library and --tf32 belong to --module" : NULL;
    if (o->shape.n || o->dtype.n || o->grid)
        return "--module has its own sizes: without --shape, --dtype and --grid";
    return o->entry || o->calls || o->folder || o->svg
               ? "--entry, --calls, -o and --svg do not go with --module"
               : NULL;
}

// One cell, at the largest sizes at which answers can be computed.
static bool module_read_in(const World *w, const BenchOptions *o, Str text, Subject *x, Err *e) {
    DomainAsked domain;
    ModulesDomain *timed;
    if (!domain_of(o->layout, NULL, &domain, e) || !library_asked(o->library, &domain, e)) return false;
    domain.tf32 = o->tf32;
    if (!module_for_judging(w->referee, w->a, &(ModuleText){o->module, text}, &domain, &x->op, e) ||
        !modules_timed(w->a, &x->op, &timed, e))
        return false;
    x->timed = &timed->op;
    x->place[0] = (CellPlace){.dtype = DT_F32};
    return x->n = 1, true;
}

static bool op_read_in(const World *w, const BenchOptions *o, Subject *x, Err *e) {
    DomainAsked domain;
    if (!domain_of(o->layout, NULL, &domain, e) ||
        !op_for_judging(w->referee, w->a, o->op, &domain, &x->op, e))
        return false;
    x->timed = &x->op;
    op_understood("bench", o->op, &x->op);
    CellPlace asked[TEXTS_MAX];
    int dtypes = x->n;
    if (is_published(o)) { // one place for each dtype so far
        memcpy(asked, x->place, (size_t)dtypes * sizeof *asked);
        published_places(&x->op, asked, dtypes, x->place, &x->n);
    }
    return true;
}

static bool bench(const World *w, const BenchOptions *o, const Given *g, int *code, Err *e) {
    Subject *x = NEW(w->a, Subject);
    Entered entered = {.source = g->file};
    DeviceFacts gpu;
    JudgeRequest q = {.op = &x->op, .level = LEVEL_FULL};
    if (!places(o, x->place, &x->n, e) || !filter_of(&(Shape){0}, NULL, &q.filter, e)) return false;
    // Before a minute of judging: without a GPU there is nothing to be told.
    if (!measurer_facts(w->measurer, &gpu, e)) return false;
    if (!(o->module ? module_read_in(w, o, g->module, x, e) : op_read_in(w, o, x, e))) return false;
    if (!o->module && !entry_apply(w->a, o->entry, &x->op, g->file, &entered, e)) return false;
    x->source = entered.source;
    entry_understood("bench", entered.chosen);
    if (!referee_judge(w->referee, w->a, &q, &x->source, 1, &x->v, e)) return false;
    bool ok = true;
    if (verdict_accepted(&x->v)) {
        ok = time_cells(w, o, x, e);
    } else {
        json_t *verdict = verdict_object(&x->v);
        print_cells(w->a, o, x, NULL, verdict);
        json_decref(verdict);
    }
    *code = verdict_exit(&x->v);
    return ok;
}

int cmd_bench(int argc, char **argv) {
    BenchOptions o = {0};
    const Option options[] = {
        {"--op", OPTION_TEXT, &o.op},
        {"--entry", OPTION_TEXT, &o.entry},
        {"--module", OPTION_TEXT, &o.module},
        {"--library", OPTION_TEXT, &o.library},
        {"--tf32", OPTION_FLAG, &o.tf32},
        {"--shape", OPTION_TEXTS, &o.shape},
        {"--dtype", OPTION_TEXTS, &o.dtype},
        {"--grid", OPTION_TEXT, &o.grid},
        {"--layout", OPTION_TEXT, &o.layout},
        {"--rounds", OPTION_COUNT, &o.rounds},
        {"--alone", OPTION_FLAG, &o.alone},
        {"--calls", OPTION_FLAG, &o.calls},
        {"--python", OPTION_TEXT, &o.python},
        {"--jobs", OPTION_COUNT, &o.jobs},
        {"--state", OPTION_TEXT, &o.state},
        {"--json", OPTION_FLAG, &o.json},
        {"-o", OPTION_TEXT, &o.folder},
        {"--svg", OPTION_TEXT, &o.svg},
        {"--stability", OPTION_COUNT, &o.stability},
    };
    Positionals rest;
    Err e = {0};
    if (!options_parse(&(CommandLine){"bench", argc, argv}, options, sizeof options / sizeof *options, &rest,
                       &e))
        return cmd_fail("bench", &e);
    if (misused(&o)) return cmd_usage("bench", misused(&o));
    Arena a = {0};
    World w = {.a = &a};
    const RefereeConfig config = {.state = o.state, .jobs = o.jobs};
    int code = EXIT_OK;
    Given given = {0};
    if (!read_given(&w, &o, rest.at[0], &given, &e) || !measurer_open(NULL, &w.measurer, &e)) {
        arena_free(&a);
        return cmd_fail("bench", &e);
    }
    bool ok = referee_open(&config, &w.referee, &e);
    if (!ok || !bench(&w, &o, &given, &code, &e)) code = cmd_fail("bench", &e);
    arena_free(&a);
    if (ok) referee_close(w.referee);
    measurer_close(w.measurer);
    return code;
}
