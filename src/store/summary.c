// Times, champions; counting what there is, and clearing it away.
#include "store/statement.h"

bool store_time_put(Store *s, const StoredTime *t, Err *e) {
    Query q = query(s, SQL_time_put);
    bind_int(&q, t->program);
    bind_text(&q, t->target);
    bind_text(&q, t->shape);
    bind_text(&q, t->dtype);
    bind_time(&q, t->device_us);
    bind_time(&q, t->call_us);
    bind_text(&q, t->cell);
    return query_run(&q, e);
}

bool store_champion_put(Store *s, const StoredChampion *c, bool *stands, Err *e) {
    Query q = query(s, SQL_champion_put);
    const Str place[] = {c->op, c->shape_class, c->dtype, c->target};
    for (size_t i = 0; i < sizeof place / sizeof *place; i++) bind_text(&q, place[i]);
    bind_int(&q, c->program);
    bind_real(&q, c->microseconds);
    bind_int(&q, c->timed);
    bool ok = query_run(&q, e);
    *stands = ok && sqlite3_changes(s->db) > 0;
    return ok;
}

bool store_counts(Store *s, Arena *a, StoreCount **out, int *n, Err *e) {
    Query q = query(s, SQL_counts);
    int room = 0;
    *out = NULL;
    *n = 0;
    while (query_row(&q)) {
        if (*n == room) {
            room = 2 * room + 64;
            *out = MORE(a, StoreCount, *out, *n, room);
        }
        (*out)[(*n)++] = (StoreCount){.op = row_text(&q, a, 0),
                                      .programs = row_int(&q, 1),
                                      .judged = row_int(&q, 2),
                                      .accepted_full = row_int(&q, 3),
                                      .rejected = row_int(&q, 4),
                                      .unverifiable = row_int(&q, 5),
                                      .structures = row_int(&q, 6),
                                      .skeletons = row_int(&q, 7)};
    }
    return query_end(&q, e);
}

bool store_tally(Store *s, Arena *a, Tally what, StoreTally **out, int *n, Err *e) {
    static const Sql of[TALLIES] = {
        [TALLY_STATUS] = SQL_tally_status,   [TALLY_SMITH] = SQL_tally_smith,
        [TALLY_LICENCE] = SQL_tally_licence, [TALLY_CHAMPION] = SQL_tally_champion,
        [TALLY_TIME] = SQL_tally_time,       [TALLY_RUN] = SQL_tally_run};
    Query q = query(s, of[what]);
    int room = 0;
    *out = NULL;
    *n = 0;
    while (query_row(&q)) {
        if (*n == room) {
            room = 2 * room + 16;
            *out = MORE(a, StoreTally, *out, *n, room);
        }
        (*out)[(*n)++] = (StoreTally){row_text(&q, a, 0), row_int(&q, 1)};
    }
    return query_end(&q, e);
}

// ---- clearing

static bool cleared(Store *s, Query q, int64_t *count, Err *e) {
    bool ok = query_run(&q, e);
    if (ok) *count += sqlite3_changes64(s->db);
    return ok;
}

static bool verdicts_there(Store *s, int64_t *n, Err *e) {
    Query q = query(s, SQL_verdict_count);
    *n = query_row(&q) ? row_int(&q, 0) : 0;
    return query_end(&q, e);
}

bool store_prune(Store *s, const StorePrune *p, StorePruned *out, Err *e) {
    int64_t before, after, dropped = 0;
    *out = (StorePruned){0};
    bool ok = verdicts_there(s, &before, e);
    if (ok && p->rejected) ok = cleared(s, query(s, SQL_prune_rejected), &out->programs, e);
    if (ok && p->unverifiable) ok = cleared(s, query(s, SQL_prune_unverifiable), &out->programs, e);
    if (ok && p->per_skeleton) {
        Query q = query(s, SQL_prune_skeletons);
        bind_int(&q, p->per_skeleton);
        ok = cleared(s, q, &out->programs, e);
    }
    if (ok && p->old_verdicts) ok = cleared(s, query(s, SQL_prune_verdicts), &dropped, e);
    ok = ok && verdicts_there(s, &after, e);
    if (ok) out->verdicts = before - after; // programs take theirs along
    return ok;
}
