// The journal under threads, processes, kill -9, torn tails and flipped bits.
// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on
#include "judge/verdict/journal.h"
#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { TEXT_MAX = 1 << 16 };
static char dir[64], file[128];

static int make_dir(void **state) {
    (void)state;
    // build/ is where this project may write; elsewhere when run by hand.
    snprintf(dir, sizeof dir, "%s/journal-XXXXXX", access("build", W_OK) == 0 ? "build" : "/tmp");
    if (!mkdtemp(dir)) return -1;
    snprintf(file, sizeof file, "%s/%s", dir, JOURNAL_FILE);
    return 0;
}

static int drop_dir(void **state) {
    (void)state;
    unlink(file);
    rmdir(file);
    return rmdir(dir);
}

static Journal *opened(void) {
    Journal *j = NULL;
    Err e = {0};
    if (!journal_open(dir, &j, &e)) fail_msg("%s", e.msg);
    return j;
}

static void commit(Journal *j, const char *json) {
    Err e = {0};
    Str s = str_of(json);
    if (!journal_commit(j, &s, 1, &e)) fail_msg("%s", e.msg);
}

// What a scan saw: each record and a newline.
typedef struct {
    char text[TEXT_MAX];
    size_t len;
    int records, damaged, stop_after;
} Seen;

static bool see(void *arg, Str json) {
    Seen *s = arg;
    if (s->len + json.len + 2 > TEXT_MAX) abort();
    memcpy(s->text + s->len, json.p, json.len);
    s->len += json.len;
    s->text[s->len++] = '\n';
    s->text[s->len] = 0;
    return ++s->records != s->stop_after;
}

static Seen *scanned(int stop_after) {
    static Seen s;
    s = (Seen){.stop_after = stop_after};
    Err e = {0};
    if (!journal_scan(dir, see, &s, &s.damaged, &e)) fail_msg("%s", e.msg);
    return &s;
}

static size_t file_read(char *text) {
    int fd = open(file, O_RDONLY | O_CLOEXEC);
    ssize_t n = read(fd, text, TEXT_MAX);
    close(fd);
    assert_true(n >= 0);
    return (size_t)n;
}

static void file_write(const void *text, size_t n, int flags) {
    int fd = open(file, O_WRONLY | O_CREAT | O_CLOEXEC | flags, 0600);
    assert_int_equal(write(fd, text, n), n);
    close(fd);
}

// ---- one writer ----

static void the_checksum_is_the_usual_one(void **state) {
    (void)state;
    assert_int_equal(journal_crc(STR("123456789")), 0xcbf43926);
    assert_int_equal(journal_crc(STR("")), 0);
}

static void what_was_committed_is_read_back_in_order(void **state) {
    (void)state;
    Journal *j = opened();
    commit(j, "{}");
    commit(j, "{\"op\":\"softmax\",\"caf\xc3\xa9\":1}");
    Str two[2] = {STR("{\"a\":1}"), STR("{\"b\":2}")};
    Err e = {0};
    assert_true(journal_commit(j, two, 2, &e));
    assert_true(journal_commit(j, NULL, 0, &e));
    journal_close(j);
    Seen *s = scanned(0);
    assert_string_equal(s->text, "{}\n{\"op\":\"softmax\",\"caf\xc3\xa9\":1}\n{\"a\":1}\n{\"b\":2}\n");
    assert_int_equal(s->damaged, 0);
    char text[TEXT_MAX];
    file_read(text);
    assert_memory_equal(text, "a3a6bf43 {}\n", 12); // zlib.crc32(b"{}")
    struct stat st;
    assert_int_equal(stat(file, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0600);
}

static void a_scan_stops_when_told(void **state) {
    (void)state;
    Journal *j = opened();
    for (int i = 0; i < 5; i++) commit(j, "{}");
    journal_close(j);
    assert_int_equal(scanned(2)->records, 2);
    assert_int_equal(scanned(0)->records, 5);
}

static void no_journal_is_an_empty_one(void **state) {
    (void)state;
    Seen *s = scanned(0);
    assert_int_equal(s->records, 0);
    assert_int_equal(s->damaged, 0);
}

static void what_is_not_one_line_of_json_is_refused(void **state) {
    (void)state;
    Journal *j = opened();
    char *big = malloc(JOURNAL_RECORD_MAX + 1);
    memset(big, 'x', JOURNAL_RECORD_MAX + 1);
    big[0] = '{';
    big[JOURNAL_RECORD_MAX] = '}';
    const Str bad[] = {STR(""),     STR("{"),      STR("1"),
                       STR("{\n}"), STR("{} "),    STR("[]"),
                       STR("{\0}"), STR("{}\n{}"), {big, JOURNAL_RECORD_MAX + 1}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        Err e = {0};
        Str both[2] = {STR("{}"), bad[i]};
        assert_false(journal_commit(j, both, 2, &e));
        assert_int_equal(e.code, ERR_INPUT);
    }
    assert_int_equal(scanned(0)->records, 0); // not even the good half
    big[JOURNAL_RECORD_MAX - 1] = '}';
    Err e = {0};
    Str largest = {big, JOURNAL_RECORD_MAX};
    assert_true(journal_commit(j, &largest, 1, &e));
    commit(j, "{}");
    journal_close(j);
    free(big);
}

typedef struct {
    Journal *j;
    off_t want[8];
    int n;
} Places;

static bool at_its_place(void *arg, Str json, off_t at) {
    Places *p = arg;
    Arena a = {0};
    Str again = {0};
    assert_int_equal(at, p->want[p->n++]);
    assert_true(journal_read(p->j, &a, at, &again));
    assert_true(str_eq(again, json));
    arena_free(&a);
    return true;
}

static void a_record_is_read_at_its_place(void **state) {
    (void)state;
    Places p = {.j = opened()};
    char *big = malloc(100001);
    memset(big, 'x', 100000);
    memcpy(big, "{\"", 2);
    memcpy(big + 99994, "\":null}", 7);
    const Str all[4] = {STR("{\"a\":1}"), {big, 100001}, STR("{}"), STR("{\"last\":2}")};
    big[100000] = '}';
    Err e = {0};
    off_t size;
    assert_true(journal_append(p.j, all, 2, p.want, &e));
    assert_true(journal_append(p.j, all + 2, 2, p.want + 2, &e));
    int damaged;
    assert_true(journal_each(p.j, 0, at_its_place, &p, &damaged, &e));
    assert_int_equal(p.n, 4);
    for (int first = 0; first < 4; first++) { // from the start of a line, and from just behind it
        p.n = first;
        assert_true(journal_each(p.j, p.want[first], at_its_place, &p, &damaged, &e));
        assert_int_equal(p.n, 4);
        p.n = first + 1;
        assert_true(journal_each(p.j, p.want[first] + 1, at_its_place, &p, &damaged, &e));
        assert_int_equal(p.n, 4);
    }
    assert_int_equal(damaged, 0);
    assert_true(journal_size(p.j, &size, &e));
    // Anywhere else, and after a flipped bit, there is no record.
    Arena a = {0};
    Str json;
    for (off_t at = p.want[2] + 1; at < size + 20; at++)
        if (at != p.want[3]) assert_false(journal_read(p.j, &a, at, &json));
    int fd = open(file, O_WRONLY | O_CLOEXEC);
    assert_int_equal(pwrite(fd, "?", 1, p.want[3] + 12), 1);
    close(fd);
    assert_false(journal_read(p.j, &a, p.want[3], &json));
    assert_true(journal_read(p.j, &a, p.want[2], &json));
    arena_free(&a);
    free(big);
    journal_close(p.j);
}

static bool count_only(void *arg, Str json) {
    *(size_t *)arg += json.len;
    return true;
}

static void a_line_longer_than_any_record_does_not_hide_the_next(void **state) {
    (void)state;
    size_t n = JOURNAL_RECORD_MAX + 500000;
    char *line = malloc(n);
    memset(line, 'a', n);
    line[n - 1] = '\n';
    file_write(line, n, O_TRUNC);
    free(line);
    Journal *j = opened();
    commit(j, "{\"next\":1}");
    journal_close(j);
    size_t bytes = 0;
    int damaged;
    Err e = {0};
    assert_true(journal_scan(dir, count_only, &bytes, &damaged, &e));
    assert_int_equal(bytes, strlen("{\"next\":1}"));
    assert_int_equal(damaged, 1);
}

// ---- damage ----

static size_t three_records(char *text) {
    unlink(file);
    Journal *j = opened();
    commit(j, "{\"n\":1}");
    commit(j, "{\"n\":2,\"long\":\"enough\"}");
    commit(j, "{\"n\":3}");
    journal_close(j);
    return file_read(text);
}

static void a_torn_tail_is_cut_off_wherever_it_is_torn(void **state) {
    (void)state;
    char text[TEXT_MAX], now[TEXT_MAX];
    size_t n = three_records(text);
    for (size_t keep = 0; keep <= n; keep++) {
        file_write(text, keep, O_TRUNC);
        int whole = 0;
        for (size_t i = 0; i < keep; i++) whole += text[i] == '\n';
        assert_int_equal(scanned(0)->records, whole); // before it is cut
        Journal *j = opened();
        size_t left = file_read(now);
        assert_true(left <= keep && (left == 0 || now[left - 1] == '\n'));
        commit(j, "{\"after\":1}");
        journal_close(j);
        Seen *s = scanned(0);
        assert_int_equal(s->records, whole + 1);
        assert_int_equal(s->damaged, 0);
    }
}

static void a_tail_of_anything_is_cut_off(void **state) {
    (void)state;
    char text[TEXT_MAX];
    static char tail[10000]; // zeros, as a file system leaves them
    for (int kind = 0; kind < 3; kind++) {
        size_t n = three_records(text);
        if (kind == 1) memset(tail, 0xff, sizeof tail);
        if (kind == 2) memset(tail, '}', sizeof tail);
        file_write(tail, sizeof tail, O_APPEND);
        journal_close(opened());
        char now[TEXT_MAX];
        assert_int_equal(file_read(now), n);
        assert_memory_equal(now, text, n);
    }
}

static void a_tail_torn_by_another_process_meanwhile(void **state) {
    (void)state;
    Journal *j = opened();
    commit(j, "{\"n\":1}");
    file_write("0123abcd {\"to", 12, O_APPEND);
    commit(j, "{\"n\":2}");
    journal_close(j);
    Seen *s = scanned(0);
    assert_string_equal(s->text, "{\"n\":1}\n{\"n\":2}\n");
    assert_int_equal(s->damaged, 0);
}

static void any_flipped_bit_is_noticed_and_costs_one_record(void **state) {
    (void)state;
    char text[TEXT_MAX];
    size_t n = three_records(text);
    char *second = memchr(text, '\n', n);
    assert_non_null(second);
    size_t from = (size_t)(++second - text);
    size_t to = (size_t)((char *)memchr(second, '\n', n - from) - text);
    for (size_t at = from; at < to; at++)
        for (int bit = 0; bit < 8; bit++) {
            text[at] ^= (char)(1 << bit);
            bool split = text[at] == '\n';
            file_write(text, n, O_TRUNC);
            Seen *s = scanned(0);
            assert_string_equal(s->text, "{\"n\":1}\n{\"n\":3}\n");
            assert_int_equal(s->damaged, split ? 2 : 1);
            text[at] ^= (char)(1 << bit);
        }
    file_write(text, n, O_TRUNC); // and undamaged again
    assert_int_equal(scanned(0)->records, 3);
    // Opening keeps what is damaged in the middle.
    text[from] ^= 1;
    file_write(text, n, O_TRUNC);
    journal_close(opened());
    char now[TEXT_MAX];
    assert_int_equal(file_read(now), n);
    assert_memory_equal(now, text, n);
}

static void a_full_disk_leaves_no_half_group(void **state) {
    (void)state;
    Journal *j = opened();
    commit(j, "{\"n\":1}");
    struct rlimit old, small;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
    small = (struct rlimit){30, old.rlim_max};
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    Str two[2] = {STR("{}"), STR("{\"too\":\"long\"}")};
    Err e = {0};
    bool ok = journal_commit(j, two, 2, &e);
    setrlimit(RLIMIT_FSIZE, &old);
    signal(SIGXFSZ, SIG_DFL);
    assert_false(ok);
    assert_int_equal(e.code, ERR_IO);
    assert_string_equal(scanned(0)->text, "{\"n\":1}\n");
    commit(j, "{\"n\":2}"); // there is room again
    journal_close(j);
    assert_string_equal(scanned(0)->text, "{\"n\":1}\n{\"n\":2}\n");
}

static void a_directory_in_its_place_is_an_error(void **state) {
    (void)state;
    assert_int_equal(mkdir(file, 0700), 0);
    Journal *j;
    Err e = {0};
    assert_false(journal_open(dir, &j, &e));
    assert_int_equal(e.code, ERR_IO);
}

// ---- several writers ----

enum { THREADS = 4, PROCESSES = 3, EACH = 25 };
typedef struct {
    Journal *j;
    int process, thread;
    bool ok;
} Writer;

static void *write_pairs(void *arg) {
    Writer *w = arg;
    w->ok = true;
    for (int i = 0; i < EACH; i++) {
        char text[2][80];
        Str pair[2];
        for (int k = 0; k < 2; k++) {
            snprintf(text[k], sizeof text[k], "{\"p\":%d,\"t\":%d,\"i\":%d,\"k\":%d}", w->process, w->thread,
                     i, k);
            pair[k] = str_of(text[k]);
        }
        Err e = {0};
        if (!journal_commit(w->j, pair, 2, &e)) w->ok = false;
    }
    return NULL;
}

static bool write_from_threads(int process) {
    Journal *j;
    Err e = {0};
    if (!journal_open(dir, &j, &e)) return false;
    pthread_t thread[THREADS];
    Writer w[THREADS];
    bool ok = true;
    for (int t = 0; t < THREADS; t++) {
        w[t] = (Writer){j, process, t, false};
        if (pthread_create(&thread[t], NULL, write_pairs, &w[t])) return false;
    }
    for (int t = 0; t < THREADS; t++) {
        pthread_join(thread[t], NULL);
        ok = ok && w[t].ok;
    }
    journal_close(j);
    return ok;
}

typedef struct {
    int next[PROCESSES][THREADS]; // 2 * i + k
    int total, wrong;
    int p, t;  // of the last record
    bool open; // the last record was the first of its pair
} Order;

static bool check_order(void *arg, Str json) {
    Order *o = arg;
    char text[80];
    int p, t, i, k;
    snprintf(text, sizeof text, "%.*s", STR_ARG(json));
    if (sscanf(text, "{\"p\":%d,\"t\":%d,\"i\":%d,\"k\":%d}", &p, &t, &i, &k) != 4) return ++o->wrong, true;
    bool together = !o->open || (k == 1 && p == o->p && t == o->t);
    if (o->next[p][t]++ != 2 * i + k || !together) o->wrong++;
    o->p = p, o->t = t, o->open = k == 0;
    o->total++;
    return true;
}

static void threads_and_processes_append_at_once(void **state) {
    (void)state;
    pid_t pid[PROCESSES];
    for (int p = 0; p < PROCESSES; p++) {
        pid[p] = fork();
        if (pid[p] == 0) _exit(write_from_threads(p) ? 0 : 1);
    }
    for (int p = 0; p < PROCESSES; p++) {
        int status;
        waitpid(pid[p], &status, 0);
        assert_int_equal(status, 0);
    }
    Order o = {0};
    int damaged;
    Err e = {0};
    assert_true(journal_scan(dir, check_order, &o, &damaged, &e));
    assert_int_equal(o.total, 2 * PROCESSES * THREADS * EACH);
    assert_int_equal(o.wrong, 0);
    assert_int_equal(damaged, 0);
}

enum { ROUNDS = 12 };
typedef struct {
    int highest[ROUNDS];
    int wrong;
} Promised;

static bool check_promised(void *arg, Str json) {
    Promised *p = arg;
    int round, i;
    char text[64];
    snprintf(text, sizeof text, "%.*s", STR_ARG(json));
    if (sscanf(text, "{\"round\":%d,\"i\":%d,", &round, &i) != 2 || p->highest[round]++ != i) p->wrong++;
    return true;
}

// Appends as fast as it can, and says on the pipe what it was promised.
static void append_for_ever(int round, int fd) {
    Journal *j;
    Err e = {0};
    Arena a = {0};
    char pad[6000]; // more than a page: a kill may tear the write
    memset(pad, 'x', sizeof pad);
    if (!journal_open(dir, &j, &e)) _exit(1);
    for (int i = 0;; i++) {
        ArenaMark m = arena_mark(&a);
        Str s = str_of(
            arena_printf(&a, "{\"round\":%d,\"i\":%d,\"pad\":\"%.*s\"}", round, i, (int)sizeof pad, pad));
        if (!journal_commit(j, &s, 1, &e)) _exit(2);
        if (write(fd, &i, sizeof i) != (ssize_t)sizeof i) _exit(3);
        arena_reset(&a, m);
    }
}

static void nothing_promised_is_lost_to_kill_9(void **state) {
    (void)state;
    int promised[ROUNDS];
    unsigned x = 1;
    for (int round = 0; round < ROUNDS; round++) {
        int end[2];
        assert_int_equal(pipe2(end, O_CLOEXEC), 0);
        pid_t pid = fork();
        if (pid == 0) append_for_ever(round, end[1]);
        close(end[1]);
        x = x * 1103515245 + 12345;
        nanosleep(&(struct timespec){.tv_nsec = 1000000 + (long)(x >> 8) % 30000000}, NULL);
        kill(pid, SIGKILL);
        int status, i;
        waitpid(pid, &status, 0);
        assert_true(WIFSIGNALED(status)); // it had not failed by itself
        promised[round] = 0;
        while (read(end[0], &i, sizeof i) == (ssize_t)sizeof i) promised[round] = i + 1;
        close(end[0]);
    }
    journal_close(opened());
    Promised p = {0};
    int damaged, sum = 0;
    Err e = {0};
    assert_true(journal_scan(dir, check_promised, &p, &damaged, &e));
    assert_int_equal(p.wrong, 0);
    assert_int_equal(damaged, 0);
    for (int round = 0; round < ROUNDS; round++) {
        assert_in_range(p.highest[round], promised[round], promised[round] + 1);
        sum += promised[round];
    }
    assert_true(sum > 0);
}

int main(void) {
#define TEST(f) cmocka_unit_test_setup_teardown(f, make_dir, drop_dir)
    const struct CMUnitTest tests[] = {
        TEST(the_checksum_is_the_usual_one),
        TEST(what_was_committed_is_read_back_in_order),
        TEST(a_scan_stops_when_told),
        TEST(a_record_is_read_at_its_place),
        TEST(no_journal_is_an_empty_one),
        TEST(what_is_not_one_line_of_json_is_refused),
        TEST(a_line_longer_than_any_record_does_not_hide_the_next),
        TEST(a_torn_tail_is_cut_off_wherever_it_is_torn),
        TEST(a_tail_of_anything_is_cut_off),
        TEST(a_tail_torn_by_another_process_meanwhile),
        TEST(any_flipped_bit_is_noticed_and_costs_one_record),
        TEST(a_full_disk_leaves_no_half_group),
        TEST(a_directory_in_its_place_is_an_error),
        TEST(threads_and_processes_append_at_once),
        TEST(nothing_promised_is_lost_to_kill_9),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
