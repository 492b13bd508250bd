// Opening, migrations, transactions, checks.
#include "store/store.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/io.h"
#include "store/statement.h"

enum { APPLICATION = 0x4f75726f }; // "Ouro": what `file` and strangers see

static const char *const migration[] = {
#define MIGRATION(what, sql) sql,
#include "store/migration.def"
#undef MIGRATION
};
enum { VERSION = sizeof migration / sizeof *migration };

static bool execute(Store *s, const char *sql, Err *e) {
    int result = sqlite3_exec(s->db, sql, NULL, NULL, NULL);
    return result == SQLITE_OK || store_fail(s, result, e);
}

// A number that a pragma gives.
static bool pragma(Store *s, const char *sql, int64_t *out, Err *e) {
    sqlite3_stmt *stmt;
    int result = sqlite3_prepare_v2(s->db, sql, -1, &stmt, NULL);
    if (result == SQLITE_OK) {
        result = sqlite3_step(stmt);
        *out = result == SQLITE_ROW ? sqlite3_column_int64(stmt, 0) : 0;
    }
    bool ok = result == SQLITE_ROW || result == SQLITE_DONE || store_fail(s, result, e);
    sqlite3_finalize(stmt);
    return ok;
}

// Under the writers' lock: of two processes that open a new store, the second finds it made.
static bool migrate(Store *s, Err *e) {
    int64_t version, application;
    if (!pragma(s, "PRAGMA user_version", &version, e) ||
        !pragma(s, "PRAGMA application_id", &application, e))
        return false;
    if (version == VERSION && application == APPLICATION) return true;
    if (!store_begin(s, e)) return false;
    int64_t tables;
    bool ok = pragma(s, "PRAGMA user_version", &version, e) &&
              pragma(s, "PRAGMA application_id", &application, e) &&
              pragma(s, "SELECT count(*) FROM sqlite_schema", &tables, e);
    if (ok && application != APPLICATION && (version || tables))
        ok = err_set(e, ERR_INPUT, "%s: a database of another program", s->path);
    if (ok && version > VERSION)
        ok = err_set(e, ERR_INPUT, "%s: of a later version of ouroboros (%lld; this one knows %d)", s->path,
                     (long long)version, VERSION);
    for (int64_t v = version; ok && v < VERSION; v++) ok = execute(s, migration[v], e);
    Arena a = {0};
    ok = ok && execute(s,
                       arena_printf(&a, "PRAGMA user_version = %d; PRAGMA application_id = %d", VERSION,
                                    APPLICATION),
                       e);
    arena_free(&a);
    if (ok) return store_commit(s, e);
    store_rollback(s);
    return false;
}

// Of several processes that turn a new store to WAL at once, SQLite tells all but one that it is busy,
// without waiting: each holds a lock that another one waits for.
static bool write_ahead(Store *s, Err *e) {
    const struct timespec pause = {.tv_nsec = 5000000};
    double until = clock_seconds() + STORE_WAIT_MS / 1e3;
    for (;;) {
        int result = sqlite3_exec(s->db, "PRAGMA journal_mode = WAL", NULL, NULL, NULL);
        if (result == SQLITE_OK) return true;
        if ((result & 0xff) != SQLITE_BUSY || clock_seconds() >= until) return store_fail(s, result, e);
        nanosleep(&pause, NULL);
    }
}

static bool open_database(Store *s, bool must_exist, Err *e) {
    struct stat st;
    if (must_exist && stat(s->path, &st) != 0)
        return err_set(e, ERR_INPUT, "%s: no store yet; `ouroboros corpus build` makes one", s->path);
    if (stat(s->path, &st) == 0 && !S_ISREG(st.st_mode))
        return err_set(e, ERR_INPUT, "%s: not an ordinary file", s->path);
    // SQLite would make it readable for others.
    int fd = open(s->path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (fd < 0) return err_set(e, ERR_IO, "%s: %s", s->path, strerror(errno));
    close(fd);
    int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE;
    int result = sqlite3_open_v2(s->path, &s->db, flags, NULL);
    if (result != SQLITE_OK) return store_fail(s, result, e);
    sqlite3_busy_timeout(s->db, STORE_WAIT_MS);
    sqlite3_db_config(s->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    sqlite3_db_config(s->db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
    // NORMAL: after a loss of power the last commits may be gone, and nothing is torn. The journal has them.
    return write_ahead(s, e) && execute(s,
                                        "PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON;"
                                        "PRAGMA temp_store = MEMORY",
                                        e);
}

bool store_open(const char *dir, const StoreOptions *o, Store **out, Err *e) {
    Arena a = {0};
    Store *s = NEW(&a, Store);
    s->path = arena_printf(&a, "%s/%s", dir, STORE_FILE);
    s->arena = a;
    bool ok = (o->must_exist || io_make_dirs(dir, e)) && open_database(s, o->must_exist, e) && migrate(s, e);
    if (ok) {
        *out = s;
        return true;
    }
    store_close(s);
    return false;
}

void store_close(Store *s) {
    if (!s) return;
    for (int i = 0; i < SQL_COUNT; i++) sqlite3_finalize(s->ready[i]);
    sqlite3_close(s->db);
    Arena a = s->arena;
    arena_free(&a);
}

const char *store_path(const Store *s) { return s->path; }

bool store_begin(Store *s, Err *e) {
    Query q = query(s, SQL_begin);
    return query_run(&q, e);
}

bool store_commit(Store *s, Err *e) {
    Query q = query(s, SQL_commit);
    return query_run(&q, e);
}

void store_rollback(Store *s) {
    if (!sqlite3_get_autocommit(s->db)) sqlite3_exec(s->db, "ROLLBACK", NULL, NULL, NULL);
}

// The first line of what a check says; "ok" or nothing: all is well.
static bool check_says_ok(Store *s, const char *sql, Err *e) {
    sqlite3_stmt *stmt;
    int result = sqlite3_prepare_v2(s->db, sql, -1, &stmt, NULL);
    if (result == SQLITE_OK) result = sqlite3_step(stmt);
    bool ok = result == SQLITE_ROW || result == SQLITE_DONE || store_fail(s, result, e);
    const char *said = result == SQLITE_ROW ? (const char *)sqlite3_column_text(stmt, 0) : NULL;
    if (ok && said && strcmp(said, "ok") != 0)
        ok = err_set(e, ERR_INPUT, "%s: damaged: %.200s; move it away: the journal has its verdicts", s->path,
                     said);
    sqlite3_finalize(stmt);
    return ok;
}

bool store_check(Store *s, Err *e) {
    return check_says_ok(s, "PRAGMA integrity_check(1)", e) &&
           check_says_ok(s, "SELECT 'rows that refer to nothing' FROM pragma_foreign_key_check LIMIT 1", e) &&
           check_says_ok(s,
                         "SELECT 'a verdict stands for another program' FROM programs p JOIN verdicts v"
                         " ON v.id = p.standing WHERE v.program <> p.id LIMIT 1",
                         e);
}

bool store_shrink(Store *s, Err *e) {
    return execute(s, "VACUUM", e) && execute(s, "PRAGMA wal_checkpoint(TRUNCATE)", e);
}
