#include "store/statement.h"

static const char *const sql_text[SQL_COUNT] = {
#define STATEMENT(id, sql) [SQL_##id] = sql,
#include "store/statement.def"
#undef STATEMENT
};

bool store_fail(const Store *s, int result, Err *e) {
    switch (result & 0xff) {
    case SQLITE_BUSY:
        return err_set(e, ERR_IO, "%s: another process has been writing for %d seconds; try again", s->path,
                       STORE_WAIT_MS / 1000);
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
        return err_set(e, ERR_INPUT,
                       "%s: damaged, or not a store (%s); move it away: the journal has its verdicts",
                       s->path, sqlite3_errmsg(s->db));
    default: return err_set(e, ERR_IO, "%s: %s", s->path, sqlite3_errmsg(s->db));
    }
}

Query query(Store *s, Sql id) {
    Query q = {.store = s};
    if (!s->ready[id])
        q.result =
            sqlite3_prepare_v3(s->db, sql_text[id], -1, SQLITE_PREPARE_PERSISTENT, &s->ready[id], NULL);
    q.stmt = s->ready[id];
    return q;
}

static void bound(Query *q, int result) {
    if (!q->result) q->result = result;
}

void bind_text(Query *q, Str text) {
    int at = ++q->bound;
    if (!q->result)
        bound(q,
              sqlite3_bind_text64(q->stmt, at, text.p ? text.p : "", text.len, SQLITE_STATIC, SQLITE_UTF8));
}

void bind_int(Query *q, int64_t v) {
    int at = ++q->bound;
    if (!q->result) bound(q, sqlite3_bind_int64(q->stmt, at, v));
}

void bind_int_or_null(Query *q, int64_t v, int64_t null) {
    int at = ++q->bound;
    if (!q->result) bound(q, v == null ? sqlite3_bind_null(q->stmt, at) : sqlite3_bind_int64(q->stmt, at, v));
}

void bind_real(Query *q, double v) {
    int at = ++q->bound;
    if (!q->result) bound(q, sqlite3_bind_double(q->stmt, at, v));
}

void bind_time(Query *q, double us) {
    int at = ++q->bound;
    if (!q->result) bound(q, us < 0 ? sqlite3_bind_null(q->stmt, at) : sqlite3_bind_double(q->stmt, at, us));
}

void bind_hash(Query *q, const Sha256 *h) {
    int at = ++q->bound;
    if (!q->result) bound(q, sqlite3_bind_blob(q->stmt, at, h->byte, sizeof h->byte, SQLITE_STATIC));
}

bool query_row(Query *q) {
    if (q->result && q->result != SQLITE_ROW) return false;
    q->result = sqlite3_step(q->stmt);
    return q->result == SQLITE_ROW;
}

Str row_text(const Query *q, Arena *a, int column) {
    const char *p = (const char *)sqlite3_column_text(q->stmt, column);
    int n = sqlite3_column_bytes(q->stmt, column);
    return p ? (Str){arena_strndup(a, p, (size_t)n), (size_t)n} : (Str){"", 0};
}

int64_t row_int(const Query *q, int column) { return sqlite3_column_int64(q->stmt, column); }

Sha256 row_hash(const Query *q, int column) {
    Sha256 h = {0};
    const void *p = sqlite3_column_blob(q->stmt, column);
    if (p && sqlite3_column_bytes(q->stmt, column) == sizeof h.byte) memcpy(h.byte, p, sizeof h.byte);
    return h;
}

bool query_end(Query *q, Err *e) {
    int result = q->result;
    bool ok = !result || result == SQLITE_DONE || result == SQLITE_ROW;
    if (!ok) store_fail(q->store, result, e); // before the reset, which forgets the message
    if (q->stmt) {
        sqlite3_reset(q->stmt);
        sqlite3_clear_bindings(q->stmt);
    }
    return ok;
}

bool query_run(Query *q, Err *e) {
    while (query_row(q)) {}
    return query_end(q, e);
}
