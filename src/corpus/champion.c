#include "corpus/champion.h"

#include "corpus/program_hashes.h"
#include "corpus/store_answer.h"

static int64_t power_above(int64_t n) {
    int64_t p = 1;
    while (p < n) p *= 2;
    return p;
}

const char *shape_class(Arena *a, const RankShape *shape) {
    int64_t rows = shape->rows ? shape->rows : RANK_ROWS, row = shape->row ? shape->row : RANK_ROW;
    return arena_printf(a, "%lldx%lld", (long long)power_above(rows), (long long)power_above(row));
}

static bool put(Store *s, Arena *a, const Winner *m, const Pending *k, bool *stands, Err *e) {
    char build[65];
    Recorded put;
    if (!referee_build(build, e)) return false;
    Recorder r = {.store = s, .build = str_of(build)};
    Buf evidence = BUF(a);
    json_put(&evidence, verdict_object(m->verdict));
    LadderAnswer n = {.accepted = true,
                      .decided = true,
                      .status = str_of(status_name(m->verdict->decision.status)),
                      .level = str_of(level_name(m->verdict->judged.level)),
                      .evidence = buf_str(&evidence)};
    if (!record_answer(&r, k, &n, &put, e)) return false;
    // A program that was rejected before, by another draw, wears no crown.
    StoredRow row;
    bool found;
    if (!store_find(s, a, &k->program, &row, &found, e)) return false;
    if (!found || !row.verdict.accepted) return true;
    StoredChampion c = {.op = m->op->name,
                        .shape_class = str_of(shape_class(a, &m->shape)),
                        .dtype = str_of(m->filter->dtype < 0 ? "any" : dtype_info[m->filter->dtype].torch),
                        .target = str_of(m->target->name),
                        .program = row.program.id,
                        .microseconds = m->microseconds};
    return store_champion_put(s, &c, stands, e);
}

bool champion_record(Store *s, const Winner *m, bool *stands, Err *e) {
    Arena a = {0};
    *stands = false;
    Pending *k = pending_new();
    k->op = m->op;
    k->program = (StoredProgram){.op = m->op->name,
                                 .domain = str_of(domain_key(&a, m->op, m->filter)),
                                 .source = m->source,
                                 .smith = m->smith,
                                 .model = m->model,
                                 .prompt = m->prompt,
                                 .schedule = m->schedule,
                                 .licence = m->licence,
                                 .origin = STR("mint"),
                                 .seed = (int64_t)(m->seed & INT64_MAX)};
    pending_keep(k);
    bool ok = store_begin(s, e);
    ok = ok && put(s, &a, m, k, stands, e) && store_commit(s, e);
    if (!ok) store_rollback(s);
    pending_release(k);
    arena_free(&a);
    return ok;
}
