// The fork server's own half: what a child starts with, and that everything ends with the parent.
#include "sandbox/children.h"

static bool runs(pid_t pid) {
    pid_t parent;
    return parent_of(pid, &parent);
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
    // The server's first child only probes the sandbox; the job's own stays.
    pid_t was = 0;
    for (int i = 0; i < 100; i++) {
        assert_true(comes_to(server, 1, &child));
        if (child == was) break;
        was = child;
        wait_ms(50);
    }
    assert_true(runs(server) && runs(child));
    kill(parent, SIGKILL);
    waitpid(parent, NULL, 0);
    for (int i = 0; i < 500 && (runs(server) || runs(child)); i++) wait_ms(10);
    assert_false(runs(server));
    assert_false(runs(child));
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
        cmocka_unit_test(memory_is_fresh_each_time_and_all_of_it_usable),
        cmocka_unit_test(the_environment_is_forgotten),
        cmocka_unit_test(a_child_that_cannot_start_is_our_trouble),
        cmocka_unit_test(the_fork_server_and_its_children_end_with_the_parent),
        cmocka_unit_test(without_the_filter_nothing_opens),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    fork_server_close(fork_server);
    close(draw_fd);
    return failed;
}
