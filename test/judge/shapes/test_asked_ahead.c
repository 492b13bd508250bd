// What is asked ahead: known for as many jobs as one child came to, and for no other.
// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on
#include "judge/shapes/asked_ahead.h"
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

static ForkServers *fork_servers;

// Its source says how many of its jobs it ends.
static int child_main(const ChildJob *job) {
    int most = job->job[sizeof(JobHeader)] - '0';
    for (int i = 0; job && i < most; i++, job = job->next) {
        CaseReport r = {.magic = WIRE_MAGIC, .case_index = -1, .kind = REPORT_DONE, .keeps = job->draw[0]};
        if (!wire_send(job->report_fd, &r, 1)) return 1;
    }
    return 0;
}

static ForkJob job_of(const char *source, uint8_t mark) {
    uint8_t bytes[64] = {mark};
    int fd = memfd_create("ahead", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (write(fd, bytes, sizeof bytes) != (ssize_t)sizeof bytes) fail();
    if (fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW) != 0) fail();
    return (ForkJob){.draw_fd = fd,
                     .draw_bytes = sizeof bytes,
                     .source = str_of(source),
                     .arena_bytes = 1 << 20,
                     .wall_seconds = 30,
                     .max_reports = 2};
}

static void what_one_child_came_to_is_known(void **state) {
    (void)state;
    for (int most = 0; most <= 3; most++) {
        char source[2] = {(char)('0' + most)};
        Ahead w = {.fork_servers = fork_servers};
        int fd[3];
        for (int k = 0; k < 3; k++) {
            ForkJob job = job_of(source, (uint8_t)(k % 2));
            fd[k] = job.draw_fd;
            assert_int_equal(ahead_add(&w, &job, k != 1), k);
        }
        assert_null(ahead_came(&w, 0)); // not yet
        ahead_run(&w);
        assert_null(ahead_came(&w, AHEAD_NONE));
        for (int k = 0; k < 3; k++) {
            const ChildResult *r = ahead_came(&w, k);
            assert_int_equal(r != NULL, k < most);
            if (r) assert_int_equal(r->reports, 1);
            if (r) assert_int_equal(r->report->keeps, k % 2);
        }
        ahead_close(&w);
        for (int k = 0; k < 3; k++) assert_int_equal(fcntl(fd[k], F_GETFD) >= 0, k == 1);
        close(fd[1]);
    }
}

static void one_alone_is_left_to_its_owner(void **state) {
    (void)state;
    Ahead w = {.fork_servers = fork_servers};
    ForkJob job = job_of("3", 0);
    ahead_add(&w, &job, true);
    ahead_run(&w);
    assert_null(ahead_came(&w, 0));
    ahead_close(&w);
}

static void trouble_is_told_by_who_asks_again(void **state) {
    (void)state;
    Ahead w = {.fork_servers = fork_servers};
    ForkJob good = job_of("3", 0), bad = job_of("3", 0);
    bad.draw_bytes = 1 << 20; // it is shorter
    ahead_add(&w, &good, true);
    ahead_add(&w, &bad, true);
    ahead_run(&w);
    assert_null(ahead_came(&w, 0));
    assert_null(ahead_came(&w, 1));
    ahead_close(&w);
}

// Cases of a draw first, and what is asked ahead behind them: known as if each had been asked alone.
static void another_job_may_come_before(void **state) {
    (void)state;
    for (int most = 0; most <= 4; most++) {
        char source[2] = {(char)('0' + most)};
        Ahead w = {.fork_servers = fork_servers};
        ForkJob first = job_of(source, 1);
        assert_false(w.ran);
        for (int k = 0; k < 3; k++) {
            ForkJob job = job_of(source, (uint8_t)(k % 2));
            ahead_add(&w, &job, true);
        }
        const ChildResult *r = ahead_run_behind(&w, &first);
        assert_int_equal(r != NULL, most > 0);
        if (r) assert_int_equal(r->report->keeps, 1);
        assert_true(w.ran);
        ahead_run(&w); // has been done
        for (int k = 0; k < 3; k++) {
            r = ahead_came(&w, k);
            assert_int_equal(r != NULL, k + 1 < most);
            if (r) assert_int_equal(r->report->keeps, k % 2);
        }
        ahead_close(&w);
        assert_true(fcntl(first.draw_fd, F_GETFD) >= 0); // its owner's
        close(first.draw_fd);
    }
    // Where nothing is asked ahead it is run alone.
    Ahead none = {.fork_servers = fork_servers};
    ForkJob first = job_of("1", 1);
    assert_null(ahead_run_behind(&none, &first));
    assert_false(none.ran);
    close(first.draw_fd);
}

int main(void) {
    Err e = {0};
    if (!fork_servers_open(child_main, &fork_servers, &e)) return fprintf(stderr, "%s\n", e.msg), 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_one_child_came_to_is_known),
        cmocka_unit_test(one_alone_is_left_to_its_owner),
        cmocka_unit_test(trouble_is_told_by_who_asks_again),
        cmocka_unit_test(another_job_may_come_before),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    fork_servers_close(fork_servers);
    return failed;
}
