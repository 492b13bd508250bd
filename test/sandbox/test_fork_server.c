// The fork server under children that lie, babble, hang and die. The first letter of the source says what the
// child does.
#include "sandbox/children.h"

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
            job.wall_seconds = *before[i] == 's' ? 0.02 : FORK_WALL_SECONDS;
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

// Draws of one program differ in size; the next program's are as large, in the same order. Each finds the
// buffer that it had, and none has what another child left there.
static void sizes_in_turn_find_their_buffers_again(void **state) {
    (void)state;
    static const size_t bytes[] = {20 << 20, OUTPUT_BYTES, 60 << 20};
    const uint8_t *had[3] = {0};
    for (int k = 0; k < 9; k++) {
        Arena a = {0};
        ForkJob job = job_of(k < 6 ? "W" : "o");
        job.output_bytes = bytes[k % 3];
        ChildResult r = run_job(&a, &job);
        if (k < 6) assert_int_equal(r.end, CHILD_SIGNALLED);
        if (k >= 6) assert_true(done(&r));
        if (k >= 6) assert_int_equal(r.code, 0);
        if (k >= 7) assert_ptr_not_equal(r.output, had[(k - 1) % 3]);
        had[k % 3] = r.output;
        child_result_free(fork_server, &r);
        arena_free(&a);
    }
    for (int k = 0; k < 3; k++) {
        Arena a = {0};
        ForkJob job = job_of("o");
        job.output_bytes = bytes[k];
        ChildResult r = run_job(&a, &job);
        assert_ptr_equal(r.output, had[k]);
        child_result_free(fork_server, &r);
        arena_free(&a);
    }
}

enum { ROOM = 90 << 20 };

static size_t pages_of(const uint8_t *p, size_t bytes) {
    enum { PAGE = 4096 };
    static unsigned char in[ROOM / PAGE];
    size_t n = 0;
    assert_true(bytes / PAGE <= sizeof in);
    assert_int_equal(mincore((void *)(uintptr_t)p, bytes, in), 0);
    for (size_t i = 0; i < bytes / PAGE; i++) n += in[i] & 1;
    return n;
}

// What children leave alone takes no memory, however often the room is used again; what one has written is
// gone for the next.
static void room_that_nobody_writes_takes_few_pages(void **state) {
    (void)state;
    static const char *const what[] = {"n", "n", "W", "o"};
    for (int k = 0; k < 4; k++) {
        Arena a = {0};
        ForkJob job = job_of(what[k]);
        job.output_bytes = ROOM; // more than any other test has
        ChildResult r = run_job(&a, &job);
        // The fork server looks at a page here and there (FAULT_AROUND).
        if (k < 2) assert_true(pages_of(r.output, job.output_bytes) <= ROOM / 4096 / 8);
        if (k == 3) assert_true(done(&r));
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
    // p: it is ended in the middle of its second frame.
    static const char *const source[] = {"s", "S", "p"};
    for (int i = 0; i < 3; i++) {
        Arena a = {0};
        ForkJob job = job_of(source[i]);
        job.wall_seconds = 0.1;
        double start = clock_seconds();
        ChildResult r = run_job(&a, &job);
        assert_int_equal(r.end, CHILD_OVERDUE);
        assert_int_equal(r.reports, i > 0);
        assert_false(r.garbage);
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
    static const int seals[] = {0, F_SEAL_WRITE, F_SEAL_SHRINK, F_SEAL_FUTURE_WRITE};
    for (int i = 0; i < 5; i++) {
        ForkJob job = job_of("n");
        int fd = i < 4 ? memfd_of(byte, sizeof byte, seals[i])
                       : memfd_of(byte, sizeof byte, F_SEAL_WRITE | F_SEAL_SHRINK);
        job.draw_fd = fd;
        job.draw_bytes = i < 4 ? sizeof byte : sizeof byte + 1; // too short
        ChildResult r;
        Err e = {0};
        assert_false(fork_server_run(fork_server, &a, &job, &r, &e));
        assert_int_equal(e.code, ERR_IO);
        close(fd);
    }
    // Sealed for all but whoever has it mapped already.
    ForkJob job = job_of("o");
    ChildResult r;
    Err e = {0};
    job.draw_fd = memfd_of(byte, sizeof byte, F_SEAL_FUTURE_WRITE | F_SEAL_SHRINK);
    job.draw_bytes = sizeof byte;
    assert_true(fork_server_run(fork_server, &a, &job, &r, &e));
    assert_true(done(&r));
    child_result_free(fork_server, &r);
    close(job.draw_fd);
    arena_free(&a);
    still_works();
}

// Of three jobs, with outputs and memory of different sizes, so many are told: each as one alone.
static int told(const char *source) {
    enum { PARTS = 3 };
    Arena a = {0};
    ForkJob job[PARTS];
    ForkParts parts;
    double cpu = 0;
    Err e = {0};
    for (int k = 0; k < PARTS; k++) {
        job[k] = job_of(source);
        job[k].draw_bytes = DRAW_BYTES;
        job[k].arena_bytes = (size_t)(k + 1) << 22;
        job[k].sparse_bytes = k == 1 ? 1 << 20 : 0;
    }
    if (!fork_server_run_parts(fork_server, &a, job, PARTS, &parts, &e)) fail_msg("%s", e.msg);
    for (int k = 0; k < parts.told; k++) {
        assert_true(done(&parts.part[k]));
        assert_int_equal(parts.part[k].reports, CASES + 1);
        assert_true(output_right(&parts.part[k]));
        assert_true(parts.part[k].cpu_seconds >= 0);
        cpu += parts.part[k].cpu_seconds;
    }
    // Each has its share of the child's time.
    if (parts.told == PARTS) assert_float_equal(cpu, parts.all.cpu_seconds, 1e-6);
    int n = parts.told;
    child_result_free(fork_server, &parts.all);
    arena_free(&a);
    return n;
}

static void parts_are_told_one_by_one(void **state) {
    (void)state;
    assert_int_equal(told("*"), 3);
    assert_int_equal(told("2"), 2); // it ended early, and well
    assert_int_equal(told("o"), 1);
    still_works();
}

static void parts_of_a_child_that_ends_badly_are_not_believed(void **state) {
    (void)state;
    assert_int_equal(told("D"), 0); // what it said before may be what killed it
    assert_int_equal(told("+"), 0); // more than there was to say
    assert_int_equal(told("n"), 0);
    assert_int_equal(told("x"), 0);
    assert_int_equal(told("b"), 0);
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
    assert_true(after <= before); // output buffers of many jobs at once may have become too old meanwhile
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

static void a_dead_fork_server_is_an_error_not_a_hang(void **state) {
    (void)state;
    Err e = {0};
    pid_t mine = 0;
    ForkServer *shared = fork_server;
    assert_int_equal(children_of(getpid(), &mine), 1);
    pid_t other = mine;
    if (!fork_server_open(child_main, &fork_server, &e)) fail_msg("%s", e.msg);
    assert_int_equal(children_of(getpid(), &mine), 2);
    assert_true(mine > 0 && mine != other);
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
        cmocka_unit_test(sizes_in_turn_find_their_buffers_again),
        cmocka_unit_test(room_that_nobody_writes_takes_few_pages),
        cmocka_unit_test(a_result_keeps_its_outputs_until_it_is_freed),
        cmocka_unit_test(a_job_without_outputs_or_memory),
        cmocka_unit_test(children_that_end_badly),
        cmocka_unit_test(babble_is_never_believed),
        cmocka_unit_test(a_child_that_never_ends_is_ended),
        cmocka_unit_test(inputs_must_be_sealed),
        cmocka_unit_test(parts_are_told_one_by_one),
        cmocka_unit_test(parts_of_a_child_that_ends_badly_are_not_believed),
        cmocka_unit_test(many_jobs_at_once_do_not_mix),
        cmocka_unit_test(no_descriptor_leaks),
        cmocka_unit_test(a_caller_that_dies_takes_its_child_along),
        cmocka_unit_test(a_dead_fork_server_is_an_error_not_a_hang),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    fork_server_close(fork_server);
    close(draw_fd);
    return failed;
}
