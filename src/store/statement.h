// statement.h - private to store/: the connection, statements that are prepared once, values in and out.
#pragma once
#include <sqlite3.h>

#include "store/store.h"

typedef enum {
#define STATEMENT(id, sql) SQL_##id,
#include "store/statement.def"
#undef STATEMENT
    SQL_COUNT
} Sql;

struct Store {
    Arena arena;
    sqlite3 *db;
    sqlite3_stmt *ready[SQL_COUNT];
    const char *path;
};

// One use of a statement. Errors are remembered: after the first nothing is done any more, and query_end() or
// query_run() tells.
typedef struct {
    Store *store;
    sqlite3_stmt *stmt;
    int bound, result;
} Query;
Query query(Store *s, Sql id);
// Values for ?1, ?2, ... in order. Texts have to live until the statement has run.
void bind_text(Query *q, Str text);
void bind_int(Query *q, int64_t v);
void bind_int_or_null(Query *q, int64_t v, int64_t null); // NULL where it is `null`
void bind_real(Query *q, double v);
void bind_time(Query *q, double us); // NULL where it is negative
void bind_hash(Query *q, const Sha256 *h);
bool query_row(Query *q); // the next row; false at the end, or after an error
Str row_text(const Query *q, Arena *a, int column);
int64_t row_int(const Query *q, int column);
Sha256 row_hash(const Query *q, int column); // zeros for NULL
MUST_CHECK bool query_end(Query *q, Err *e); // also after query_row() was false
MUST_CHECK bool query_run(Query *q, Err *e); // a statement without rows
// The result that SQLite gave, as an error of the store.
bool store_fail(const Store *s, int result, Err *e);
