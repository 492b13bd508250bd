#include "measure/timer.h"

#include <inttypes.h>
#include <unistd.h>

#include "base/io.h"

static int workers_usual(void) {
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    return cores < 1 ? 1 : cores < TIMER_WORKERS ? (int)cores : TIMER_WORKERS;
}

bool timer_open(Arena *a, Referee *r, Measurer *m, const TimerOptions *o, Timer *out, Err *e) {
    const char *state = referee_state(r);
    *out = (Timer){.referee = r, .measurer = m, .o = *o};
    if (!out->o.rounds) out->o.rounds = TIMER_ROUNDS;
    if (!out->o.workers) out->o.workers = workers_usual();
    if (!measurer_facts(m, &out->gpu, e)) return false;
    const CompileOptions compile = {.python = o->python,
                                    .cache = state ? arena_printf(a, "%s/gpu/cubins", state) : NULL,
                                    .workers = out->o.workers,
                                    .target.capability = out->gpu.major * 10 + out->gpu.minor};
    if (!compilers_open(a, &compile, &out->compilers, e)) return false;
    out->kept = state ? arena_printf(a, "%s/gpu/baselines", state) : NULL;
    out->baseline = o->alone ? NULL : torch_process_open(o->python, TORCH_BASELINE);
    out->user_calls = o->user_calls ? torch_process_open(o->python, TORCH_USER_CALLS) : NULL;
    return true;
}

void timer_close(Timer *t) {
    torch_process_close(t->user_calls);
    torch_process_close(t->baseline);
    compilers_close(t->compilers);
    t->user_calls = t->baseline = NULL;
    t->compilers = NULL;
}

CellRequest timer_request(const Timer *t, const Op *op, Str source) {
    return (CellRequest){.referee = t->referee,
                         .measurer = t->measurer,
                         .compilers = t->compilers,
                         .gpu = &t->gpu,
                         .baseline = t->baseline,
                         .user_calls = t->user_calls,
                         .kept = t->kept,
                         .op = op,
                         .source = source,
                         .rounds = t->o.rounds,
                         .again = t->o.again};
}

// ---- what comes of it

const CellTimes *cells_refute(const CellTimes *cell, int n) {
    for (int i = 0; i < n; i++)
        if (cell[i].status == TIMES_incorrect) return &cell[i];
    return NULL;
}

const char *cell_refutes(Arena *a, const CellTimes *c) {
    enum { WHY_MOST = 400 };
    Buf place = BUF(a);
    cell_put_place(&place, c);
    return arena_printf(a, "On a GPU, at %.*s: %.*s.", STR_ARG(buf_str(&place)),
                        (int)(c->why.len < WHY_MOST ? c->why.len : WHY_MOST), c->why.p);
}

static json_t *compiles_json(const CompileCounts *n) {
    return json_pack("{s:I,s:I,s:I,s:I,s:I,s:I}", "asked", (json_int_t)n->asked, "cached",
                     (json_int_t)n->cache_hits, "compiled", (json_int_t)n->compiled, "failed",
                     (json_int_t)n->failed, "compiled_again", (json_int_t)n->rechecked, "differed",
                     (json_int_t)n->differed);
}

json_t *times_json(const Timer *t, const CellTimes *const *cell, int n, const char *why) {
    json_t *list = json_array();
    for (int i = 0; i < n; i++) json_array_append_new(list, cell_json(cell[i]));
    CompileCounts none = {0}, counts = t ? compilers_counts(t->compilers) : none;
    return json_pack("{s:o,s:i,s:s,s:o,s:o,s:o}", "gpu", json_quoted(str_of(t ? t->gpu.name : "")), "cuda",
                     t ? t->gpu.version : 0, "compiler", t ? compilers_versions(t->compilers) : "", "why",
                     why ? json_quoted(str_of(why)) : json_null(), "compiles", compiles_json(&counts),
                     "cells", list);
}
