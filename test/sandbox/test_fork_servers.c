// ForkServers that die or stop: what was running fails, what comes next runs with another one.
// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on
#include "sandbox/fork_servers.h"
#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static ForkServers *fork_servers;
static int draw_fd;

// Its source tells the child what to do: "o": end well; "s": never end.
static int child_main(const ChildJob *job) {
    char what = job->job_bytes > sizeof(JobHeader) ? (char)job->job[sizeof(JobHeader)] : 'o';
    while (what == 's') {}
    return 0;
}

static bool run(const char *what, ChildEnd *end, Err *e) {
    Arena a = {0};
    ForkJob job = {.draw_fd = draw_fd,
                   .draw_bytes = 4096,
                   .source = str_of(what),
                   .output_bytes = 64,
                   .arena_bytes = 1 << 20,
                   .wall_seconds = 30,
                   .max_reports = 1};
    ChildResult r;
    ForkServer *b = fork_servers_take(fork_servers, e);
    bool ok = b && fork_server_run(b, &a, &job, &r, e);
    if (ok) {
        *end = r.end;
        child_result_free(b, &r);
    }
    if (b) fork_servers_leave(fork_servers, b, !ok);
    arena_free(&a);
    return ok;
}

static void works(void) {
    Err e = {0};
    ChildEnd end;
    if (!run("o", &end, &e)) fail_msg("%s", e.msg);
    assert_int_equal(end, CHILD_EXITED);
}

static void wait_ms(long ms) { nanosleep(&(struct timespec){.tv_nsec = ms * 1000000}, NULL); }

// The process of this name whose parent is `parent`; 0: none.
static pid_t named_child(pid_t parent, const char *name) {
    DIR *d = opendir("/proc");
    pid_t found = 0;
    for (struct dirent *f; (f = readdir(d));) {
        char path[300], comm[64];
        int pid = atoi(f->d_name), up = 0;
        snprintf(path, sizeof path, "/proc/%d/stat", pid);
        FILE *s = pid > 0 ? fopen(path, "re") : NULL;
        if (!s) continue;
        if (fscanf(s, "%*d (%63[^)]) %*c %d", comm, &up) == 2 && up == parent && strcmp(comm, name) == 0)
            found = pid;
        fclose(s);
    }
    closedir(d);
    return found;
}

// A fork has no name of its own for a moment, hence the patience; never 0, which kill() takes for this whole
// group of processes.
static pid_t keeper(void) {
    pid_t p = 0;
    for (int i = 0; i < 500 && !p; i++, wait_ms(p ? 0 : 10)) p = named_child(getpid(), "keeper");
    if (!p) fail_msg("no keeper");
    return p;
}
static pid_t serving(void) { // the first fork server is our child, others are the keeper's
    pid_t p = 0;
    for (int i = 0; i < 500 && !p; i++, wait_ms(p ? 0 : 10)) {
        p = named_child(getpid(), "fork-server");
        if (!p) p = named_child(named_child(getpid(), "keeper"), "fork-server");
    }
    if (!p) fail_msg("no fork server");
    return p;
}

static int start(void **state) {
    (void)state;
    Err e = {0};
    return fork_servers_open(child_main, &fork_servers, &e) ? 0 : -1;
}
static int end(void **state) {
    (void)state;
    fork_servers_close(fork_servers);
    return named_child(getpid(), "fork-server") || named_child(getpid(), "keeper");
}

static void a_dead_fork_server_is_replaced_again_and_again(void **state) {
    (void)state;
    works();
    for (int i = 0; i < 4; i++) {
        pid_t old = serving();
        assert_true(old > 0);
        kill(old, SIGKILL);
        wait_ms(20);
        Err e = {0};
        ChildEnd end;
        bool ok = run("o", &end, &e); // finds it dead
        if (!ok) works();
        assert_false(fork_servers_lost(fork_servers, &e));
        assert_int_not_equal(serving(), old);
    }
    works();
}

static void *stuck_job(void *arg) {
    (void)arg;
    Err e = {0};
    ChildEnd end;
    return run("s", &end, &e) ? "it ended" : NULL;
}

static void what_runs_with_it_fails_and_does_not_hang(void **state) {
    (void)state;
    pthread_t thread[3];
    for (int i = 0; i < 3; i++) assert_int_equal(pthread_create(&thread[i], NULL, stuck_job, NULL), 0);
    wait_ms(100);
    kill(serving(), SIGKILL);
    for (int i = 0; i < 3; i++) {
        void *wrong;
        pthread_join(thread[i], &wrong);
        if (wrong) fail_msg("%s", (const char *)wrong);
    }
    works();
}

static void without_a_keeper_the_next_death_is_the_last(void **state) {
    (void)state;
    Err e = {0};
    ChildEnd end;
    pid_t k = keeper();
    kill(k, SIGKILL);
    works(); // the fork server does not need it
    kill(serving(), SIGKILL);
    wait_ms(20);
    assert_false(run("o", &end, &e));
    assert_true(fork_servers_lost(fork_servers, &e));
    assert_int_equal(e.code, ERR_IO);
    assert_false(run("o", &end, &e));
}

static void all_of_them_end_with_their_parent(void **state) {
    (void)state;
    int line[2];
    assert_int_equal(pipe2(line, O_CLOEXEC), 0);
    pid_t parent = fork();
    if (parent == 0) {
        Err e = {0};
        if (!fork_servers_open(child_main, &fork_servers, &e)) _exit(1);
        kill(serving(), SIGKILL); // so that the keeper has a child
        wait_ms(20);
        ChildEnd end;
        (void)!run("o", &end, &e);
        pid_t both[2] = {keeper(), serving()};
        (void)!write(line[1], both, sizeof both);
        pause();
    }
    pid_t both[2] = {0};
    assert_int_equal(read(line[0], both, sizeof both), sizeof both);
    assert_true(both[0] > 0 && both[1] > 0);
    kill(parent, SIGKILL);
    waitpid(parent, NULL, 0);
    for (int i = 0; i < 500 && (kill(both[0], 0) == 0 || kill(both[1], 0) == 0); i++) wait_ms(10);
    for (int i = 0; i < 2; i++) { // at most a zombie of somebody else's
        char path[64], state_char = 'Z';
        snprintf(path, sizeof path, "/proc/%d/stat", both[i]);
        FILE *s = fopen(path, "re");
        if (s) assert_int_equal(fscanf(s, "%*d %*s %c", &state_char), 1), fclose(s);
        assert_int_equal(state_char, 'Z');
    }
    close(line[0]);
    close(line[1]);
}

int main(void) {
    draw_fd = memfd_create("draw", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (ftruncate(draw_fd, 4096) != 0 ||
        fcntl(draw_fd, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW) != 0)
        return 1;
#define TEST(f) cmocka_unit_test_setup_teardown(f, start, end)
    const struct CMUnitTest tests[] = {
        TEST(a_dead_fork_server_is_replaced_again_and_again),
        TEST(what_runs_with_it_fails_and_does_not_hang),
        TEST(without_a_keeper_the_next_death_is_the_last),
        TEST(all_of_them_end_with_their_parent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
