#include "corpus/timed.h"

#include <unistd.h>

#include "base/json.h"
#include "corpus/champion.h"
#include "corpus/program_hashes.h"
#include "corpus/store_answer.h"

// The median of "device" or "call"; negative: it was not measured.
static double median_of(const json_t *cell, const char *key) {
    const json_t *us = json_object_get(json_object_get(cell, key), "us");
    return json_is_number(us) ? json_number_value(us) : -1;
}

typedef struct {
    Store *s;
    Arena *a;
    const Timed *t;
    int64_t program;
    int *kept;
} Put;

static bool put_cell(const Put *p, const json_t *cell, Err *e) {
    const Timed *t = p->t;
    Arena *a = p->a;
    const json_t *shape = json_object_get(cell, "shape");
    const double us = median_of(cell, "device");
    if (!str_is(json_str(json_object_get(cell, "status")), "ok") || us < 0 || json_array_size(shape) != 2)
        return true;
    const RankShape at = {.rows = json_integer_value(json_array_get(shape, 0)),
                          .row = json_integer_value(json_array_get(shape, 1))};
    const Str gpu = json_str(json_object_get(t->times, "gpu")),
              dtype = json_str(json_object_get(cell, "dtype"));
    Buf text = BUF(a);
    json_put(&text, json_deep_copy(cell));
    StoredTime row = {.program = p->program,
                      .target = gpu,
                      .shape = str_of(arena_printf(a, "%lldx%lld", (long long)at.rows, (long long)at.row)),
                      .dtype = dtype,
                      .device_us = us,
                      .call_us = median_of(cell, "call"),
                      .cell = buf_str(&text)};
    StoredChampion crown = {.op = t->op->name,
                            .shape_class = str_of(shape_class(a, &at)),
                            .dtype = dtype,
                            .target = gpu,
                            .program = p->program,
                            .microseconds = us,
                            .timed = true};
    bool stands;
    ++*p->kept;
    return store_time_put(p->s, &row, e) && store_champion_put(p->s, &crown, &stands, e);
}

static bool put_program(Store *s, Arena *a, const Timed *t, const Pending *k, Err *e) {
    char build[65];
    Recorded put;
    if (!referee_build(build, e)) return false;
    Recorder r = {.store = s, .build = str_of(build)};
    Buf evidence = BUF(a);
    json_put(&evidence, verdict_object(t->verdict));
    LadderAnswer n = {.accepted = true,
                      .decided = true,
                      .status = str_of(status_name(t->verdict->decision.status)),
                      .level = str_of(level_name(t->verdict->judged.level)),
                      .evidence = buf_str(&evidence)};
    return record_answer(&r, k, &n, &put, e);
}

static bool put_times(Store *s, Arena *a, const Timed *t, const Pending *k, int *kept, Err *e) {
    StoredRow row;
    bool found;
    if (t->verdict && !put_program(s, a, t, k, e)) return false;
    if (!store_find(s, a, &k->program, &row, &found, e)) return false;
    const json_t *cells = json_object_get(t->times, "cells");
    const Put p = {s, a, t, row.program.id, kept};
    bool ok = true;
    for (size_t i = 0; ok && found && row.verdict.accepted && i < json_array_size(cells); i++)
        ok = put_cell(&p, json_array_get(cells, i), e);
    return ok;
}

static bool is_there(Arena *a, const char *dir) {
    return access(arena_printf(a, "%s/%s", dir, STORE_FILE), F_OK) == 0;
}

bool times_record(const char *dir, const Timed *t, int *kept, Err *e) {
    Arena a = {0};
    Store *s;
    *kept = 0;
    bool asked =
        dir && !t->op->form && (t->verdict || is_there(&a, dir)); // a championship has an op's shapes
    bool ok = !asked || store_open(dir, &(StoreOptions){0}, &s, e);
    if (asked && ok) {
        Pending *k = pending_new();
        k->op = t->op;
        k->program = (StoredProgram){.op = t->op->name,
                                     .domain = str_of(domain_key(&a, t->op, t->filter)),
                                     .source = t->source,
                                     .smith = t->smith,
                                     .schedule = t->schedule,
                                     .licence = t->licence,
                                     .origin = t->origin,
                                     .seed = -1};
        pending_keep(k);
        ok = store_begin(s, e);
        ok = ok && put_times(s, &a, t, k, kept, e) && store_commit(s, e);
        if (!ok) store_rollback(s);
        pending_release(k);
        store_close(s);
    }
    if (!ok) *kept = 0;
    arena_free(&a);
    return ok;
}
