// The fork server under children that lie, babble, hang and die. The first letter of the source says what the
// child does.
// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on
#include "base/clock.h"
#include "sandbox/fork_server.h"
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <seccomp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { DRAW_BYTES = 10000, OUTPUT_BYTES = 300000, ARENA_BYTES = 8 << 20, CASES = 5 };
static ForkServer *fork_server;
static int draw_fd;
static const char *secret; // where the environment held it when the fork server was forked

// ---- children ----

static void put(const ChildJob *j, const void *p, size_t n) { (void)!write(j->report_fd, p, n); }

static CaseReport ran(int index) {
    CaseReport r = {.magic = WIRE_MAGIC, .case_index = index, .kind = REPORT_RAN, .dtype = DT_F32, .rank = 1};
    r.shape[0] = 4;
    r.first_unwritten = -1;
    return r;
}

static int child_honest(const ChildJob *j) {
    // To the end of the last page: more than that is not mapped.
    for (size_t i = 0; i < (j->output_bytes + 4095) / 4096 * 4096; i++)
        if (j->output[i]) return 3; // what another candidate left
    for (size_t i = 0; i < j->output_bytes; i++) j->output[i] = (uint8_t)(j->draw[i % j->draw_bytes] + 1);
    for (int i = 0; i < CASES; i++) {
        CaseReport r = ran(i);
        put(j, &r, sizeof r);
    }
    CaseReport done = {.magic = WIRE_MAGIC, .case_index = -1, .kind = REPORT_DONE};
    put(j, &done, sizeof done);
    return 0;
}

static int child_touches_all_memory(const ChildJob *j) {
    uint8_t *p = j->arena;
    for (size_t i = 0; i < j->arena_bytes; i++) {
        if (p[i]) return 1;
        p[i] = 0xff;
    }
    return child_honest(j);
}

static int child_sees_a_secret(const ChildJob *j) {
    if (environ) return 1;
    for (int i = 0; i < 16; i++)
        if (secret[i]) return 2;
    return child_honest(j);
}

static int child_babbles(const ChildJob *j) {
    uint32_t x = 12345;
    uint8_t noise[1000];
    for (size_t i = 0; i < sizeof noise; i++) noise[i] = (uint8_t)((x = x * 1664525 + 1013904223) >> 24);
    put(j, noise, sizeof noise);
    return 0;
}

_Noreturn static void child_floods(const ChildJob *j) {
    for (CaseReport r = ran(0);;) put(j, &r, sizeof r);
}

static int child_forges_an_end(void) {
    // What an end looks like to the caller, written to every descriptor that a careless fork server might
    // leave open.
    struct {
        bool started;
        int wait_status;
        double cpu;
        char why[256];
    } end = {true, 0, 0, ""};
    for (long fd = 4; fd < 32; fd++) syscall(SYS_write, fd, &end, sizeof end);
    return 0;
}

_Noreturn static void child_spins(void) {
    for (volatile int i = 0;; i++) {}
}

// Through a volatile, so that the compiler does not reason about the address.
static void poke(const void *p) {
    volatile uintptr_t at = (uintptr_t)p;
    *(volatile uint8_t *)at = 1;
}

_Noreturn static void child_runs_out(const ChildJob *j) {
    Arena a;
    arena_over(&a, j->arena, j->arena_bytes);
    for (;;) NEWN(&a, int, 100000); // aborts: no on_full
}

__attribute__((noinline)) static int child_recurses(int depth) {
    volatile uint8_t frame[4096];
    frame[0] = (uint8_t)depth;
    return depth ? child_recurses(depth - 1) + frame[0] : 0;
}

static int child_main(const ChildJob *j) {
    const JobHeader *h = (const JobHeader *)j->job;
    if (h->magic != WIRE_MAGIC || h->source_len != j->job_bytes - sizeof *h) return 100;
    CaseReport r = ran(0);
    switch (h->source_len ? (char)j->job[sizeof *h] : 'n') {
    case 'o': return child_honest(j);
    case 'a': return child_touches_all_memory(j);
    case 'v': return child_sees_a_secret(j);
    case 'n': return 0;
    case 'x': return 42;
    case 'b': return child_babbles(j);
    case 'h': return put(j, &r, sizeof r / 2), 0;
    case 'H': return put(j, &r, sizeof r), put(j, &r, sizeof r - 1), 0;
    case 'm': child_floods(j);
    case 'f': return child_forges_an_end();
    case 's': child_spins();
    case 'W': return memset(j->output, 0xff, j->output_bytes), poke((void *)8), 0;
    case 'S': put(j, &r, sizeof r), child_spins();
    case 'c': return poke((void *)8), 0;
    case 'i': return poke(j->draw), 0;
    case 'j': return poke(j->job), 0;
    case 'e': child_runs_out(j);
    case 'r': return child_recurses(1 << 30);
    case 'k': return (int)syscall(SYS_kill, (long)getppid(), (long)SIGKILL);
    case 't': return (int)syscall(SYS_ftruncate, 3L, 0L);
    default: return 101;
    }
}

// ---- helpers ----

// Every second one with inputs that the fork server keeps: a child must not notice.
static ForkJob job_of(const char *source) {
    static atomic_uint jobs;
    uint64_t key = atomic_fetch_add(&jobs, 1) % 2;
    return (ForkJob){.draw_fd = draw_fd,
                     .draw_bytes = DRAW_BYTES,
                     .source = str_of(source),
                     .output_bytes = OUTPUT_BYTES,
                     .arena_bytes = ARENA_BYTES,
                     .wall_seconds = 20,
                     .max_reports = CASES + 1,
                     .draw_key = key};
}

static ChildResult run_job(Arena *a, const ForkJob *job) {
    ChildResult r;
    Err e = {0};
    if (!fork_server_run(fork_server, a, job, &r, &e)) fail_msg("%s", e.msg);
    return r;
}

static ChildResult run_source(Arena *a, const char *source) {
    ForkJob job = job_of(source);
    return run_job(a, &job);
}

static bool output_right(const ChildResult *r) {
    if (r->output_bytes != OUTPUT_BYTES) return false;
    for (size_t i = 0; i < r->output_bytes; i++)
        if (r->output[i] != (uint8_t)((i % DRAW_BYTES) * 7 + 1)) return false;
    return true;
}

static bool done(const ChildResult *r) {
    const char *why;
    return r->end == CHILD_EXITED && r->code == 0 && !r->garbage &&
           wire_check(r->report, r->reports, CASES, 1, &why) == WIRE_DONE;
}

static void still_works(void) {
    Arena a = {0};
    ChildResult r = run_source(&a, "o");
    assert_true(done(&r) && output_right(&r));
    child_result_free(fork_server, &r);
    arena_free(&a);
}

static int memfd_of(const uint8_t *p, size_t n, int seals) {
    int fd = memfd_create("test", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (write(fd, p, n) != (ssize_t)n || (seals && fcntl(fd, F_ADD_SEALS, seals) != 0)) abort();
    return fd;
}

// Of a process that exists and is not merely waiting for somebody to take note of its end.
static bool parent_of(pid_t pid, pid_t *parent) {
    char path[64], text[512], state;
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    FILE *f = fopen(path, "re");
    size_t got = f ? fread(text, 1, sizeof text - 1, f) : 0;
    if (f) fclose(f);
    text[got] = 0;
    const char *tail = strrchr(text, ')');
    return tail && sscanf(tail, ") %c %d", &state, parent) == 2 && state != 'Z' && state != 'X';
}

static bool runs(pid_t pid) {
    pid_t parent;
    return parent_of(pid, &parent);
}

// How many processes have this parent and still run; the id of the youngest in *last.
static int children_of(pid_t parent, pid_t *last) {
    DIR *d = opendir("/proc");
    int n = 0;
    for (struct dirent *at; d && (at = readdir(d));) {
        if (!isdigit((unsigned char)at->d_name[0])) continue;
        pid_t pid = (pid_t)atoi(at->d_name), its;
        if (!parent_of(pid, &its) || its != parent) continue;
        n++;
        if (last && pid > *last) *last = pid;
    }
    if (d) closedir(d);
    return n;
}

static void wait_ms(long ms) { nanosleep(&(struct timespec){ms / 1000, ms % 1000 * 1000000}, NULL); }

static bool comes_to(pid_t parent, int want, pid_t *last) {
    for (int i = 0; i < 500; i++, wait_ms(10))
        if (children_of(parent, last) == want) return true;
    return false;
}

// ---- tests ----

static void an_honest_child(void **state) {
    (void)state;
    Arena a = {0};
    ChildResult r = run_source(&a, "o");
    assert_true(done(&r));
    assert_int_equal(r.reports, CASES + 1);
    assert_true(output_right(&r));
    assert_true(r.cpu_seconds >= 0 && r.cpu_seconds < 20);
    child_result_free(fork_server, &r);
    assert_null(r.output);
    arena_free(&a);
}

static void outputs_are_clean_each_time_whatever_became_of_the_last_child(void **state) {
    (void)state;
    // Ends that keep the buffer (W: all of it written, then a death; s: killed), and sizes that share one.
    static const char *const before[] = {"o", "W", "s"};
    static const size_t bytes[] = {OUTPUT_BYTES, OUTPUT_BYTES, OUTPUT_BYTES / 3, OUTPUT_BYTES};
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 4; k++) {
            Arena a = {0};
            ForkJob job = job_of(before[i]);
            job.wall_seconds = *before[i] == 's' ? 0.02 : 20;
            ChildResult r = run_job(&a, &job);
            child_result_free(fork_server, &r);
            job = job_of("o");
            job.output_bytes = bytes[k];
            r = run_job(&a, &job);
            assert_int_equal(r.code, 0);
            assert_true(done(&r));
            child_result_free(fork_server, &r);
            arena_free(&a);
        }
}

// The bytes of a result that is still held belong to nobody else, however many children come after it.
static void a_result_keeps_its_outputs_until_it_is_freed(void **state) {
    (void)state;
    Arena a = {0};
    ChildResult first = run_source(&a, "o"), second = run_source(&a, "o");
    assert_ptr_not_equal(first.output, second.output);
    child_result_free(fork_server, &second);
    still_works();
    assert_true(output_right(&first));
    child_result_free(fork_server, &first);
    arena_free(&a);
}

static void memory_is_fresh_each_time_and_all_of_it_usable(void **state) {
    (void)state;
    Arena a = {0};
    for (int i = 0; i < 3; i++) {
        ChildResult r = run_source(&a, "a");
        assert_true(done(&r));
        child_result_free(fork_server, &r);
    }
    arena_free(&a);
}

static void a_job_without_outputs_or_memory(void **state) {
    (void)state;
    Arena a = {0};
    ForkJob job = job_of("o");
    job.output_bytes = job.arena_bytes = 0;
    ChildResult r = run_job(&a, &job);
    assert_true(done(&r));
    assert_null(r.output);
    child_result_free(fork_server, &r);
    arena_free(&a);
}

static void the_environment_is_forgotten(void **state) {
    (void)state;
    Arena a = {0};
    assert_string_equal(getenv("BROKER_TEST_SECRET"), "0123456789abcdef"); // here it is
    ChildResult r = run_source(&a, "v");
    assert_int_equal(r.code, 0);
    assert_true(done(&r));
    child_result_free(fork_server, &r);
    arena_free(&a);
}

static void children_that_end_badly(void **state) {
    (void)state;
    static const struct {
        const char *source;
        ChildEnd end;
        int code;
        int reports;
        bool garbage;
    } bad[] = {
        {"n", CHILD_EXITED, 0, 0, false},          {"", CHILD_EXITED, 0, 0, false},
        {"x", CHILD_EXITED, 42, 0, false},         {"h", CHILD_EXITED, 0, 0, true},
        {"H", CHILD_EXITED, 0, 1, true},           {"m", CHILD_SIGNALLED, SIGPIPE, CASES + 1, true},
        {"f", CHILD_SIGNALLED, SIGSYS, 0, false},  {"c", CHILD_SIGNALLED, SIGSEGV, 0, false},
        {"i", CHILD_SIGNALLED, SIGSEGV, 0, false}, {"j", CHILD_SIGNALLED, SIGSEGV, 0, false},
        {"e", CHILD_SIGNALLED, SIGSYS, 0, false},  {"r", CHILD_SIGNALLED, SIGSEGV, 0, false},
        {"k", CHILD_SIGNALLED, SIGSYS, 0, false},  {"t", CHILD_SIGNALLED, SIGSYS, 0, false},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        Arena a = {0};
        ChildResult r = run_source(&a, bad[i].source);
        if (r.end != bad[i].end || r.code != bad[i].code || r.reports != bad[i].reports ||
            r.garbage != bad[i].garbage)
            fail_msg("%s: end %d code %d reports %d garbage %d", bad[i].source, r.end, r.code, r.reports,
                     r.garbage);
        const char *why;
        assert_int_equal(wire_check(r.report, r.reports, CASES, 1, &why), WIRE_BROKEN);
        assert_false(done(&r));
        child_result_free(fork_server, &r);
        arena_free(&a);
    }
    still_works(); // inputs unchanged, too
}

static void babble_is_never_believed(void **state) {
    (void)state;
    Arena a = {0};
    ChildResult r = run_source(&a, "b");
    const char *why;
    assert_int_equal(r.end, CHILD_EXITED);
    assert_true(r.garbage);
    assert_int_equal(r.reports, 1000 / (int)sizeof(CaseReport));
    assert_int_equal(wire_check(r.report, r.reports, CASES, 1, &why), WIRE_BROKEN);
    child_result_free(fork_server, &r);
    arena_free(&a);
}

static void a_child_that_never_ends_is_ended(void **state) {
    (void)state;
    static const char *const source[] = {"s", "S"};
    for (int i = 0; i < 2; i++) {
        Arena a = {0};
        ForkJob job = job_of(source[i]);
        job.wall_seconds = 0.1;
        double start = clock_seconds();
        ChildResult r = run_job(&a, &job);
        assert_int_equal(r.end, CHILD_OVERDUE);
        assert_int_equal(r.reports, i);
        assert_true(clock_seconds() - start > 0.09);
        assert_true(clock_seconds() - start < 10);
        child_result_free(fork_server, &r);
        arena_free(&a);
    }
    still_works();
}

static void inputs_must_be_sealed(void **state) {
    (void)state;
    Arena a = {0};
    uint8_t byte[64] = {0};
    static const int seals[] = {0, F_SEAL_WRITE, F_SEAL_SHRINK};
    for (int i = 0; i < 4; i++) {
        ForkJob job = job_of("n");
        int fd = i < 3 ? memfd_of(byte, sizeof byte, seals[i])
                       : memfd_of(byte, sizeof byte, F_SEAL_WRITE | F_SEAL_SHRINK);
        job.draw_fd = fd;
        job.draw_bytes = i < 3 ? sizeof byte : sizeof byte + 1; // too short
        ChildResult r;
        Err e = {0};
        assert_false(fork_server_run(fork_server, &a, &job, &r, &e));
        assert_int_equal(e.code, ERR_IO);
        close(fd);
    }
    arena_free(&a);
    still_works();
}

static void a_child_that_cannot_start_is_our_trouble(void **state) {
    (void)state;
    Arena a = {0};
    ForkJob job = job_of("o");
    job.arena_bytes = (size_t)1 << 60; // more than any address space
    ChildResult r;
    Err e = {0};
    assert_false(fork_server_run(fork_server, &a, &job, &r, &e));
    assert_non_null(strstr(e.msg, "memory"));
    arena_free(&a);
    still_works();
}

static void *many_jobs(void *arg) {
    unsigned x = (unsigned)(uintptr_t)arg;
    static const char *const source[] = {"o", "n", "c", "h", "o", "f", "b", "o", "m", "s"};
    uintptr_t wrong = 0;
    for (int i = 0; i < 24; i++) {
        Arena a = {0};
        const char *s = source[(x = x * 1103515245 + 12345) / 65536 % 10];
        ForkJob job = job_of(s);
        if (*s == 's') job.wall_seconds = 0.02;
        ChildResult r;
        Err e = {0};
        bool ok = fork_server_run(fork_server, &a, &job, &r, &e);
        bool fine = *s == 'o' ? done(&r) && output_right(&r) : *s == 's' ? r.end == CHILD_OVERDUE : !done(&r);
        if (!ok || !fine) wrong++;
        child_result_free(fork_server, &r);
        arena_free(&a);
    }
    return (void *)wrong;
}

static void many_jobs_at_once_do_not_mix(void **state) {
    (void)state;
    pthread_t thread[4];
    for (uintptr_t i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, many_jobs, (void *)(i + 1)), 0);
    for (int i = 0; i < 4; i++) {
        void *wrong;
        pthread_join(thread[i], &wrong);
        assert_null(wrong);
    }
    still_works();
}

static void no_descriptor_leaks(void **state) {
    (void)state;
    int before = dup(0);
    close(before);
    for (int i = 0; i < 20; i++) still_works();
    int after = dup(0);
    close(after);
    assert_int_equal(before, after);
}

static void a_caller_that_dies_takes_its_child_along(void **state) {
    (void)state;
    pid_t server = 0;
    assert_int_equal(children_of(getpid(), &server), 1);
    pid_t caller = fork();
    if (caller == 0) {
        Arena a = {0};
        ForkJob job = job_of("s");
        ChildResult r;
        Err e = {0};
        _exit(fork_server_run(fork_server, &a, &job, &r, &e));
    }
    assert_true(comes_to(server, 1, NULL));
    kill(caller, SIGKILL);
    waitpid(caller, NULL, 0);
    assert_true(comes_to(server, 0, NULL));
    still_works();
}

static void the_fork_server_and_its_children_end_with_the_parent(void **state) {
    (void)state;
    pid_t parent = fork();
    if (parent == 0) {
        Err e = {0};
        ForkServer *own;
        Arena a = {0};
        ForkJob job = job_of("s");
        ChildResult r;
        if (!fork_server_open(child_main, &own, &e)) _exit(1);
        _exit(fork_server_run(own, &a, &job, &r, &e));
    }
    pid_t server = 0, child = 0;
    assert_true(comes_to(parent, 1, &server));
    assert_true(comes_to(server, 1, &child));
    assert_true(runs(server) && runs(child));
    kill(parent, SIGKILL);
    waitpid(parent, NULL, 0);
    for (int i = 0; i < 500 && (runs(server) || runs(child)); i++) wait_ms(10);
    assert_false(runs(server));
    assert_false(runs(child));
}

static void a_dead_fork_server_is_an_error_not_a_hang(void **state) {
    (void)state;
    Err e = {0};
    pid_t mine = 0;
    ForkServer *shared = fork_server;
    if (!fork_server_open(child_main, &fork_server, &e)) fail_msg("%s", e.msg);
    assert_int_equal(children_of(getpid(), &mine), 2); // the youngest is the new one
    assert_true(mine > 0);
    still_works();
    kill(mine, SIGKILL);
    Arena a = {0};
    ForkJob job = job_of("o");
    ChildResult r;
    assert_false(fork_server_run(fork_server, &a, &job, &r, &e));
    assert_int_equal(e.code, ERR_IO);
    arena_free(&a);
    fork_server_close(fork_server);
    fork_server = shared;
    still_works();
}

// A kernel that refuses the filter, and one that only pretends to take it.
static void without_the_filter_nothing_opens(void **state) {
    (void)state;
    static const uint16_t answer[] = {EPERM, ENOSYS, 0};
    for (size_t i = 0; i <= sizeof answer / sizeof *answer; i++) {
        bool hindered = i < sizeof answer / sizeof *answer;
        pid_t pid = fork();
        if (pid == 0) {
            scmp_filter_ctx outer = seccomp_init(SCMP_ACT_ALLOW);
            if (hindered && (seccomp_rule_add(outer, SCMP_ACT_ERRNO(answer[i]), SCMP_SYS(seccomp), 0) ||
                             seccomp_load(outer)))
                _exit(20);
            seccomp_release(outer);
            Err e = {0};
            ForkServer *b = NULL;
            bool open = fork_server_open(child_main, &b, &e);
            fork_server_close(b);
            _exit(open ? 10 : e.code == ERR_SANDBOX ? 11 : 12);
        }
        int status;
        assert_int_equal(waitpid(pid, &status, 0), pid);
        assert_true(WIFEXITED(status));
        assert_int_equal(WEXITSTATUS(status), hindered ? 11 : 10);
    }
}

int main(void) {
    setenv("BROKER_TEST_SECRET", "0123456789abcdef", 1);
    // setenv() keeps its own copy in the heap; the fork server overwrites what `environ` points to.
    secret = getenv("BROKER_TEST_SECRET");
    uint8_t bytes[DRAW_BYTES];
    for (size_t i = 0; i < sizeof bytes; i++) bytes[i] = (uint8_t)(i * 7);
    draw_fd = memfd_of(bytes, sizeof bytes, F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW);
    Err e = {0};
    if (!fork_server_open(child_main, &fork_server, &e)) return fprintf(stderr, "%s\n", e.msg), 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_honest_child),
        cmocka_unit_test(outputs_are_clean_each_time_whatever_became_of_the_last_child),
        cmocka_unit_test(a_result_keeps_its_outputs_until_it_is_freed),
        cmocka_unit_test(memory_is_fresh_each_time_and_all_of_it_usable),
        cmocka_unit_test(a_job_without_outputs_or_memory),
        cmocka_unit_test(the_environment_is_forgotten),
        cmocka_unit_test(children_that_end_badly),
        cmocka_unit_test(babble_is_never_believed),
        cmocka_unit_test(a_child_that_never_ends_is_ended),
        cmocka_unit_test(inputs_must_be_sealed),
        cmocka_unit_test(a_child_that_cannot_start_is_our_trouble),
        cmocka_unit_test(many_jobs_at_once_do_not_mix),
        cmocka_unit_test(no_descriptor_leaks),
        cmocka_unit_test(a_caller_that_dies_takes_its_child_along),
        cmocka_unit_test(the_fork_server_and_its_children_end_with_the_parent),
        cmocka_unit_test(without_the_filter_nothing_opens),
        cmocka_unit_test(a_dead_fork_server_is_an_error_not_a_hang),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    fork_server_close(fork_server);
    close(draw_fd);
    return failed;
}
