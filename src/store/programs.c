// Programs and their verdicts, definitions, runs and drafts.
#include "store/statement.h"

bool store_definition_put(Store *s, const StoredDefinition *d, int64_t *id, Err *e) {
    Query q = query(s, SQL_definition_find);
    bind_hash(&q, &d->hash);
    bool there = query_row(&q);
    if (there) *id = row_int(&q, 0);
    if (!query_end(&q, e) || there) return there;
    q = query(s, SQL_definition_add);
    bind_text(&q, d->op);
    bind_hash(&q, &d->hash);
    bind_text(&q, d->source);
    bind_int(&q, d->user);
    bool ok = query_run(&q, e);
    *id = sqlite3_last_insert_rowid(s->db);
    return ok;
}

bool store_definition_of(Store *s, Arena *a, Str op, StoredDefinition *out, bool *found, Err *e) {
    Query q = query(s, SQL_definition_of);
    bind_text(&q, op);
    *found = query_row(&q);
    if (*found)
        *out =
            (StoredDefinition){row_text(&q, a, 0), row_hash(&q, 1), row_text(&q, a, 2), row_int(&q, 3) != 0};
    return query_end(&q, e);
}

bool store_run(Store *s, Str verb, Str settings, int64_t *id, bool *begun_before, Err *e) {
    Query q = query(s, SQL_run_find);
    bind_text(&q, verb);
    bind_text(&q, settings);
    *begun_before = query_row(&q);
    if (*begun_before) *id = row_int(&q, 0);
    if (!query_end(&q, e) || *begun_before) return *begun_before;
    q = query(s, SQL_run_add);
    bind_text(&q, verb);
    bind_text(&q, settings);
    bool ok = query_run(&q, e);
    *id = sqlite3_last_insert_rowid(s->db);
    return ok;
}

bool store_run_end(Store *s, int64_t id, Err *e) {
    Query q = query(s, SQL_run_end);
    bind_int(&q, id);
    return query_run(&q, e);
}

bool store_draft_put(Store *s, const StoredDraft *d, int64_t program, Err *e) {
    Query q = query(s, SQL_draft_add);
    bind_int(&q, d->run);
    bind_text(&q, d->op);
    bind_int(&q, d->draft);
    bind_int_or_null(&q, program, 0);
    return query_run(&q, e);
}

bool store_drafts(Store *s, int64_t run, Str op, bool *done, int n, Err *e) {
    Query q = query(s, SQL_drafts);
    bind_int(&q, run);
    bind_text(&q, op);
    bind_int(&q, n);
    while (query_row(&q)) {
        int64_t i = row_int(&q, 0);
        if (i >= 0 && i < n) done[i] = true;
    }
    return query_end(&q, e);
}

static bool find_id(Store *s, const StoredProgram *p, int64_t *id, bool *found, Err *e) {
    Query q = query(s, SQL_program_find);
    bind_text(&q, p->op);
    bind_text(&q, p->domain);
    bind_hash(&q, &p->canonical);
    *found = query_row(&q);
    if (*found) *id = row_int(&q, 0);
    return query_end(&q, e);
}

bool store_program_put(Store *s, const StoredProgram *p, int64_t *id, bool *fresh, Err *e) {
    bool found;
    if (!find_id(s, p, id, &found, e)) return false;
    *fresh = !found;
    if (found) return true;
    Query q = query(s, SQL_program_add);
    const Str before[] = {p->op, p->domain, p->source};
    for (size_t i = 0; i < sizeof before / sizeof *before; i++) bind_text(&q, before[i]);
    bind_hash(&q, &p->canonical);
    bind_hash(&q, &p->structure);
    bind_hash(&q, &p->skeleton);
    const Str known[] = {p->smith, p->model, p->prompt, p->schedule, p->licence, p->origin};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) bind_text(&q, known[i]);
    bind_int_or_null(&q, p->seed, -1);
    bind_int_or_null(&q, p->parent, 0);
    bind_int_or_null(&q, p->run, 0);
    bind_text(&q, p->module);
    bind_text(&q, p->unverifiable);
    bool ok = query_run(&q, e);
    *id = sqlite3_last_insert_rowid(s->db);
    return ok;
}

bool store_verdict_put(Store *s, int64_t program, const StoredVerdict *v, Err *e) {
    Query q = query(s, SQL_verdict_add);
    bind_int(&q, program);
    bind_int(&q, v->definition);
    bind_text(&q, v->status);
    bind_int(&q, v->accepted);
    bind_int(&q, v->decided);
    bind_text(&q, v->level);
    bind_text(&q, v->evidence);
    bind_text(&q, v->referee);
    bind_text(&q, v->build);
    if (!query_run(&q, e)) return false;
    int64_t id = sqlite3_last_insert_rowid(s->db);
    q = query(s, SQL_verdict_stands);
    bind_int(&q, program);
    bind_int(&q, id);
    if (!query_run(&q, e) || v->accepted) return v->accepted;
    q = query(s, SQL_champion_loses);
    bind_int(&q, program);
    return query_run(&q, e);
}

// ---- reading

static void read_row(const Query *q, Arena *a, StoredRow *out) {
    Str text[26];
    for (int i = 0; i < 26; i++) text[i] = (Str){"", 0};
    static const int texts[] = {1, 2, 3, 7, 8, 9, 10, 11, 12, 16, 17, 18, 19, 20, 23, 24};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) text[texts[i]] = row_text(q, a, texts[i]);
    *out =
        (StoredRow){.program = {.id = row_int(q, 0),
                                .op = text[1],
                                .domain = text[2],
                                .source = text[3],
                                .canonical = row_hash(q, 4),
                                .structure = row_hash(q, 5),
                                .skeleton = row_hash(q, 6),
                                .smith = text[7],
                                .model = text[8],
                                .prompt = text[9],
                                .schedule = text[10],
                                .licence = text[11],
                                .origin = text[12],
                                .seed = sqlite3_column_type(q->stmt, 13) == SQLITE_NULL ? -1 : row_int(q, 13),
                                .parent = row_int(q, 14),
                                .run = row_int(q, 15),
                                .module = text[16],
                                .unverifiable = text[17]},
                    .verdict = {.status = text[18],
                                .level = text[19],
                                .evidence = text[20],
                                .accepted = row_int(q, 21) != 0,
                                .decided = row_int(q, 22) != 0,
                                .referee = text[23],
                                .build = text[24],
                                .definition = row_int(q, 25)},
                    .definition = row_hash(q, 26)};
}

bool store_find(Store *s, Arena *a, const StoredProgram *key, StoredRow *out, bool *found, Err *e) {
    Query q = query(s, SQL_program_row);
    bind_text(&q, key->op);
    bind_text(&q, key->domain);
    bind_hash(&q, &key->canonical);
    *found = query_row(&q);
    if (*found) read_row(&q, a, out);
    return query_end(&q, e);
}

bool store_page(Store *s, Arena *a, const StoreFilter *f, StorePlace *at, StorePage *out, Err *e) {
    Query q = query(s, SQL_page);
    bind_text(&q, at->op);
    bind_int(&q, at->op.p ? at->id : INT64_MIN);
    bind_text(&q, f->op);
    bind_int(&q, f->accepted_full);
    bind_int(&q, f->verifiable);
    bind_int(&q, STORE_PAGE);
    for (out->n = 0; query_row(&q); out->n++) read_row(&q, a, &out->row[out->n]);
    bool ok = query_end(&q, e);
    if (out->n) *at = (StorePlace){out->row[out->n - 1].program.op, out->row[out->n - 1].program.id};
    return ok;
}
