// The store: what is put is read again by another connection, writers wait for each other, a killed writer
// leaves nothing half done, and damage is told.
#include "store/store.h"

#include <fcntl.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <setjmp.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/io.h"

static char folder[64];
static int set_up(void **state) {
    (void)state;
    strcpy(folder, "/tmp/store-test-XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}
static int tear_down(void **state) {
    (void)state;
    char command[96];
    snprintf(command, sizeof command, "rm -r %s", folder);
    return system(command);
}

static Store *opened(void) {
    Store *s;
    Err e = {0};
    if (!store_open(folder, &(StoreOptions){0}, &s, &e)) fail_msg("%s", e.msg);
    return s;
}
#define OK(call)                                       \
    do {                                               \
        Err e = {0};                                   \
        if (!(call)) fail_msg("%s: %s", #call, e.msg); \
    } while (0)

static Sha256 hash(int n) { return sha256_of((Str){(const char *)&n, sizeof n}); }
static StoredProgram program(const char *op, int n) {
    return (StoredProgram){.op = str_of(op),
                           .domain = STR("any declared"),
                           .source = STR("def run(x): pass\n"),
                           .canonical = hash(n),
                           .structure = hash(n),
                           .skeleton = hash(n % 3),
                           .smith = STR("grammar"),
                           .licence = STR("MIT"),
                           .seed = n % 2 ? n : -1};
}
static StoredVerdict said(const char *status, bool accepted, int64_t definition) {
    return (StoredVerdict){.status = str_of(status),
                           .level = STR("full"),
                           .evidence = STR("{}"),
                           .accepted = accepted,
                           .decided = true,
                           .referee = STR("0"),
                           .build = STR("b"),
                           .definition = definition};
}
static int64_t definition(Store *s) {
    int64_t id = 0;
    StoredDefinition d = {STR("op"), hash(-1), STR("text"), false};
    OK(store_definition_put(s, &d, &id, &e));
    return id;
}
// Programs 0 to n-1, each with a verdict; every fifth is rejected.
static void fill(Store *s, const char *op, int n) {
    OK(store_begin(s, &e));
    int64_t d = definition(s);
    for (int i = 0; i < n; i++) {
        StoredProgram p = program(op, i);
        StoredVerdict v = said(i % 5 ? "ok" : "incorrect", i % 5 != 0, d);
        int64_t id;
        bool fresh;
        OK(store_program_put(s, &p, &id, &fresh, &e));
        OK(store_verdict_put(s, id, &v, &e));
    }
    OK(store_commit(s, &e));
}

static void what_was_put_is_read_again(void **state) {
    (void)state;
    Arena a = {0};
    Store *s = opened();
    fill(s, "op", 10);
    Store *other = opened();
    StoredProgram key = program("op", 3);
    StoredRow row;
    bool found;
    OK(store_find(other, &a, &key, &row, &found, &e));
    assert_true(found);
    assert_true(str_is(row.program.op, "op") && str_is(row.program.licence, "MIT"));
    assert_int_equal(row.program.seed, 3);
    assert_memory_equal(&row.program.skeleton, &key.skeleton, sizeof key.skeleton);
    assert_true(row.verdict.accepted && row.verdict.decided && str_is(row.verdict.status, "ok"));
    Sha256 of = hash(-1);
    assert_memory_equal(&row.definition, &of, sizeof of);
    key = program("op", 4);
    OK(store_find(other, &a, &key, &row, &found, &e));
    assert_int_equal(row.program.seed, -1);
    key.domain = STR("contiguous declared"); // another domain, another program
    OK(store_find(other, &a, &key, &row, &found, &e));
    assert_false(found);
    // The same program again is the same one.
    key = program("op", 3);
    int64_t id;
    bool fresh;
    OK(store_program_put(s, &key, &id, &fresh, &e));
    assert_false(fresh);
    OK(store_check(other, &e));
    store_close(other);
    store_close(s);
    arena_free(&a);
}

static void pages_hold_each_once(void **state) {
    (void)state;
    Arena a = {0};
    Store *s = opened();
    fill(s, "b", 300);
    fill(s, "a", 300);
    fill(s, "", 2);
    int total = 0, accepted = 0;
    StorePlace at = {0};
    Str last = {"", 0};
    static StorePage page;
    for (;;) {
        OK(store_page(s, &a, &(StoreFilter){0}, &at, &page, &e));
        if (!page.n) break;
        for (int i = 0; i < page.n; i++) {
            assert_true(str_cmp(last, page.row[i].program.op) <= 0);
            last = page.row[i].program.op;
        }
        total += page.n;
    }
    assert_int_equal(total, 602);
    at = (StorePlace){0};
    do {
        OK(store_page(s, &a, &(StoreFilter){.op = STR("a"), .accepted_full = true}, &at, &page, &e));
        accepted += page.n;
    } while (page.n);
    assert_int_equal(accepted, 240);
    store_close(s);
    arena_free(&a);
}

static void a_demotion_takes_the_crown(void **state) {
    (void)state;
    Arena a = {0};
    Store *s = opened();
    fill(s, "op", 6);
    StoredProgram key = program("op", 1), second = program("op", 2);
    int64_t id, id2, d = definition(s);
    bool fresh, stands;
    OK(store_program_put(s, &key, &id, &fresh, &e));
    OK(store_program_put(s, &second, &id2, &fresh, &e));
    StoredChampion c = {STR("op"), STR("rows"), STR("fp16"), STR("h200"), id, 10, false};
    OK(store_champion_put(s, &c, &stands, &e));
    assert_true(stands);
    c.program = id2;
    c.microseconds = 11;
    OK(store_champion_put(s, &c, &stands, &e));
    assert_false(stands); // slower
    c.timed = true;
    OK(store_champion_put(s, &c, &stands, &e));
    assert_true(stands); // a time beats an estimate
    c.timed = false, c.microseconds = 1;
    OK(store_champion_put(s, &c, &stands, &e));
    assert_false(stands);
    StoreTally *t;
    int n;
    OK(store_tally(s, &a, TALLY_CHAMPION, &t, &n, &e));
    assert_int_equal(n, 1);
    StoredVerdict v = said("incorrect", false, d);
    OK(store_verdict_put(s, id2, &v, &e));
    OK(store_tally(s, &a, TALLY_CHAMPION, &t, &n, &e));
    assert_int_equal(n, 0);
    StoreCount *count;
    OK(store_counts(s, &a, &count, &n, &e));
    assert_int_equal(n, 1);
    assert_int_equal(count[0].accepted_full, 3); // 1, 3, 4: 0 and 5 never were, 2 is no longer
    assert_int_equal(count[0].rejected, 3);
    assert_int_equal(count[0].skeletons, 2);
    store_close(s);
    arena_free(&a);
}

static void what_is_pruned_is_gone(void **state) {
    (void)state;
    Arena a = {0};
    Store *s = opened();
    fill(s, "op", 30);
    StoredVerdict v = said("ok", true, definition(s));
    StoredProgram key = program("op", 1);
    int64_t id;
    bool fresh;
    OK(store_program_put(s, &key, &id, &fresh, &e));
    OK(store_verdict_put(s, id, &v, &e));
    StorePruned got;
    OK(store_prune(s, &(StorePrune){.old_verdicts = true}, &got, &e));
    assert_int_equal(got.programs, 0);
    assert_int_equal(got.verdicts, 1);
    OK(store_prune(s, &(StorePrune){.rejected = true}, &got, &e));
    assert_int_equal(got.programs, 6);
    assert_int_equal(got.verdicts, 6);
    OK(store_prune(s, &(StorePrune){.per_skeleton = 2}, &got, &e));
    assert_int_equal(got.programs, 24 - 6);
    OK(store_check(s, &e));
    OK(store_shrink(s, &e));
    store_close(s);
    arena_free(&a);
}

static void runs_go_on(void **state) {
    (void)state;
    Store *s = opened();
    int64_t run, again;
    bool before, done[8] = {0};
    OK(store_run(s, STR("build"), STR("{}"), &run, &before, &e));
    assert_false(before);
    OK(store_run(s, STR("build"), STR("{}"), &again, &before, &e));
    assert_true(before && run == again);
    OK(store_run(s, STR("build"), STR("{1}"), &again, &before, &e));
    assert_false(before || run == again);
    OK(store_draft_put(s, &(StoredDraft){run, 5, STR("op")}, 0, &e));
    OK(store_draft_put(s, &(StoredDraft){run, 9, STR("op")}, 0, &e));
    OK(store_draft_put(s, &(StoredDraft){again, 6, STR("op")}, 0, &e));
    OK(store_drafts(s, run, STR("op"), done, 8, &e));
    for (int i = 0; i < 8; i++) assert_int_equal(done[i], i == 5);
    store_close(s);
}

// A writer that is killed at any moment: what it had committed is there, all of it, and nothing else.
static void kill_leaves_whole_transactions(void **state) {
    (void)state;
    Arena a = {0};
    store_close(opened());
    int told[2];
    assert_int_equal(pipe(told), 0);
    pid_t child = fork();
    if (child == 0) {
        Store *s = opened();
        for (int k = 0;; k++) {
            char op[16];
            snprintf(op, sizeof op, "op%d", k);
            fill(s, op, 10);
            if (write(told[1], &k, sizeof k) != sizeof k) _exit(1);
        }
    }
    close(told[1]);
    int k = -1;
    for (int i = 0; i < 5; i++) assert_int_equal(read(told[0], &k, sizeof k), sizeof k);
    usleep(3000);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    while (read(told[0], &k, sizeof k) == sizeof k) {}
    close(told[0]);
    Store *s = opened();
    OK(store_check(s, &e));
    StoreCount *count;
    int n;
    OK(store_counts(s, &a, &count, &n, &e));
    assert_true(n >= k + 1);
    for (int i = 0; i < n; i++) assert_int_equal(count[i].judged, 10);
    store_close(s);
    arena_free(&a);
}

// Somebody who is about to make the store has it for a moment: who comes then waits, too.
static void who_comes_while_it_is_made_waits(void **state) {
    (void)state;
    char dir[64], path[96];
    snprintf(dir, sizeof dir, "%.40s/held", folder);
    snprintf(path, sizeof path, "%s/" STORE_FILE, dir);
    OK(io_make_dirs(dir, &e));
    int told[2];
    assert_int_equal(pipe(told), 0);
    pid_t child = fork(); // SQLite's connections do not outlive a fork
    if (child == 0) {
        sqlite3 *other;
        bool held = sqlite3_open(path, &other) == SQLITE_OK &&
                    sqlite3_exec(other, "BEGIN IMMEDIATE", NULL, NULL, NULL) == SQLITE_OK &&
                    write(told[1], "h", 1) == 1;
        nanosleep(&(struct timespec){.tv_nsec = 200000000}, NULL);
        _exit(!held || sqlite3_exec(other, "ROLLBACK", NULL, NULL, NULL) != SQLITE_OK);
    }
    char held;
    int status;
    Store *s;
    assert_int_equal(read(told[0], &held, 1), 1);
    double from = clock_seconds();
    OK(store_open(dir, &(StoreOptions){0}, &s, &e));
    assert_true(clock_seconds() - from > 0.05);
    store_close(s);
    assert_true(waitpid(child, &status, 0) == child && status == 0);
    close(told[0]);
    close(told[1]);
}

// A new store that several processes meet at once: one makes it, the others wait.
static void many_open_a_new_store(void **state) {
    (void)state;
    enum { ROUNDS = 10, CHILDREN = 6 };
    for (int round = 0; round < ROUNDS; round++) {
        char dir[64];
        snprintf(dir, sizeof dir, "%.40s/%d", folder, round);
        pid_t child[CHILDREN];
        for (int i = 0; i < CHILDREN; i++) {
            child[i] = fork();
            if (child[i]) continue;
            Store *s;
            Err e = {0};
            int64_t run;
            bool before;
            char settings[16];
            snprintf(settings, sizeof settings, "%d", i);
            bool ok = store_open(dir, &(StoreOptions){0}, &s, &e) && store_begin(s, &e) &&
                      store_run(s, STR("build"), str_of(settings), &run, &before, &e) && store_commit(s, &e);
            if (!ok) fprintf(stderr, "%s\n", e.msg);
            _exit(!ok);
        }
        int failed = 0, status;
        for (int i = 0; i < CHILDREN; i++) failed += waitpid(child[i], &status, 0) != child[i] || status != 0;
        assert_int_equal(failed, 0);
        Store *s;
        Arena a = {0};
        StoreTally *t;
        int n;
        OK(store_open(dir, &(StoreOptions){0}, &s, &e));
        OK(store_tally(s, &a, TALLY_RUN, &t, &n, &e));
        assert_int_equal(t[0].n, CHILDREN);
        store_close(s);
        arena_free(&a);
    }
}

static void strangers_and_damage_are_told(void **state) {
    (void)state;
    char path[96];
    Store *s;
    Err why = {0};
    assert_false(store_open(folder, &(StoreOptions){.must_exist = true}, &s, &why));
    assert_non_null(strstr(why.msg, "no store yet"));
    snprintf(path, sizeof path, "%s/%s", folder, STORE_FILE);
    sqlite3 *db;
    sqlite3_open(path, &db);
    sqlite3_exec(db, "CREATE TABLE theirs (x)", NULL, NULL, NULL);
    sqlite3_close(db);
    why = (Err){0};
    assert_false(store_open(folder, &(StoreOptions){0}, &s, &why));
    assert_non_null(strstr(why.msg, "another program"));
    unlink(path);
    s = opened();
    fill(s, "op", 200);
    OK(store_shrink(s, &e));
    store_close(s);
    sqlite3_open(path, &db);
    sqlite3_exec(db, "PRAGMA user_version = 999", NULL, NULL, NULL);
    sqlite3_close(db);
    why = (Err){0};
    assert_false(store_open(folder, &(StoreOptions){0}, &s, &why));
    assert_non_null(strstr(why.msg, "later version"));
    sqlite3_open(path, &db);
    sqlite3_exec(db, "PRAGMA user_version = 1", NULL, NULL, NULL);
    sqlite3_close(db);
    s = opened();
    OK(store_check(s, &e)); // the control
    store_close(s);
    int fd = open(path, O_RDWR);
    char junk[4096];
    memset(junk, 0x5a, sizeof junk);
    off_t end = lseek(fd, 0, SEEK_END);
    for (off_t at = 4096 * 2; at + 4096 <= end; at += 4096 * 2)
        assert_true(pwrite(fd, junk, sizeof junk, at) > 0);
    close(fd);
    why = (Err){0};
    bool damaged = !store_open(folder, &(StoreOptions){0}, &s, &why);
    if (!damaged) {
        damaged = !store_check(s, &why);
        store_close(s);
    }
    assert_true(damaged);
    assert_non_null(strstr(why.msg, "damaged"));
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(what_was_put_is_read_again),
        TEST(pages_hold_each_once),
        TEST(a_demotion_takes_the_crown),
        TEST(what_is_pruned_is_gone),
        TEST(runs_go_on),
        TEST(kill_leaves_whole_transactions),
        TEST(strangers_and_damage_are_told),
        TEST(who_comes_while_it_is_made_waits),
        TEST(many_open_a_new_store),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
