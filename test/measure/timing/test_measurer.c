#include "measure/timing/measurer.h"

#include <dirent.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "../../gpu/vm_gpu.h"

enum { ROWS = 16, COLUMNS = 32, BYTES = 4 * ROWS * COLUMNS };
typedef struct {
    Arena a;
    Measurer *m;
    TimingJob job;
    TimingContender contender[2];
    int input;
    Measured seen;
    Err e;
} World;

static World *world(const char *steer) {
    World *w = calloc(1, sizeof *w);
    float values[ROWS * COLUMNS];
    assert_non_null(w);
    setenv("VM_GPU", arena_printf(&w->a, "scale=100 l2=8000 %s", steer), 1);
    for (int i = 0; i < ROWS * COLUMNS; i++) values[i] = (float)i;
    w->input = memfd_create("input", 0);
    assert_int_equal(write(w->input, values, BYTES), BYTES);
    w->job = (TimingJob){.seed = 3,
                         .rounds = 3,
                         .checked = 1,
                         .target_us = 10,
                         .seconds = 0.5,
                         .l2_times = 5,
                         .rows = ROWS,
                         .output = {BYTES},
                         .outputs = 1,
                         .inputs = 1,
                         .contender = w->contender,
                         .contenders = 1};
    w->job.input[0] = (TimingInput){0, BYTES, 4 * COLUMNS};
    assert_true(measurer_open(vm_gpu_library(), &w->m, &w->e));
    return w;
}
static bool run(World *w, const char *name) {
    w->e = (Err){0};
    w->contender[0] = (TimingContender){str_of(name), true, copy_run(&w->a, name, ROWS, COLUMNS)};
    return measurer_run(&w->a, w->m, &w->job, w->input, &w->seen, &w->e);
}
static void right(World *w) {
    float values[ROWS * COLUMNS];
    if (!run(w, "plain")) fail_msg("%s", w->e.msg);
    assert_int_equal(w->seen.result.contender[0].end, TIMED_WELL);
    assert_int_equal(pread(w->input, values, BYTES, 0), BYTES);
    assert_memory_equal(w->seen.answers, values, BYTES);
}
static void end(World *w) {
    measurer_close(w->m);
    close(w->input);
    arena_free(&w->a);
    free(w);
    unsetenv("VM_GPU");
}

static void test_one_process_serves_many_jobs(void **state) {
    (void)state;
    World *w = world("");
    for (int i = 0; i < 3; i++) right(w);
    assert_int_equal(measurer_processes(w->m), 1);
    end(w);
}

static void test_a_fault_costs_the_process_only(void **state) {
    (void)state;
    World *w = world("fault=broken hang=endless");
    right(w);
    assert_true(run(w, "broken"));
    assert_int_equal(w->seen.result.contender[0].end, TIMED_FAULT);
    right(w);
    assert_true(run(w, "endless"));
    assert_int_equal(w->seen.result.contender[0].end, TIMED_FAULT);
    assert_non_null(strstr(w->seen.result.contender[0].why, "has not ended"));
    right(w);
    assert_int_equal(measurer_processes(w->m), 3);
    end(w);
}

// Their memory is used again; what an earlier job left there is marked.
static void test_answers_of_an_earlier_job_do_not_pass(void **state) {
    (void)state;
    World *w = world("fault=broken");
    float values[ROWS * COLUMNS];
    right(w);
    assert_int_equal(pread(w->input, values, BYTES, 0), BYTES);
    assert_true(run(w, "broken"));
    assert_int_equal(w->seen.result.contender[0].end, TIMED_FAULT);
    assert_true(memcmp(w->seen.answers, values, BYTES) != 0);
    right(w);
    end(w);
}

static void test_a_job_that_cannot_be_keeps_the_process_usable(void **state) {
    (void)state;
    World *w = world("");
    w->job.input[0].at = 8; // beyond its file
    assert_false(run(w, "plain"));
    assert_non_null(strstr(w->e.msg, "not what its mapping holds"));
    w->job.input[0].at = 0;
    right(w);
    end(w);
}

static void test_a_killed_process_is_told_and_replaced(void **state) {
    (void)state;
    World *w = world("");
    DeviceFacts f;
    right(w);
    assert_true(measurer_process(w->m) > 1);
    kill(measurer_process(w->m), SIGKILL);
    assert_false(run(w, "plain"));
    assert_non_null(strstr(w->e.msg, "has ended"));
    right(w);
    assert_int_equal(measurer_processes(w->m), 2);
    assert_true(measurer_facts(w->m, &f, &w->e));
    assert_string_equal(f.name, "virtual machine");
    end(w);
}

// ---- whatever is killed

// The name and the parent of a process that runs; 0: there is none.
static pid_t parent_of(pid_t pid, char name[32]) {
    char path[64], status[64] = "";
    int parent = 0;
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    FILE *s = fopen(path, "r");
    if (!s) return 0;
    if (fscanf(s, "%*d (%31[^)]) %63s %d", name, status, &parent) != 3 || *status == 'Z') parent = 0;
    fclose(s);
    return parent;
}
static bool is_ours(pid_t pid) {
    char name[32];
    while (pid > 1 && pid != getpid()) pid = parent_of(pid, name);
    return pid == getpid();
}
// Keepers that descend from this process; those of one that has ended are handed to it.
static int keepers(pid_t *out, int most) {
    DIR *d = opendir("/proc");
    int n = 0;
    char name[32];
    assert_non_null(d);
    for (struct dirent *f; (f = readdir(d)) && n < most;) {
        pid_t pid = atoi(f->d_name);
        if (pid > 1 && parent_of(pid, name) && strcmp(name, "gpu keeper") == 0 && is_ours(pid))
            out[n++] = pid;
    }
    closedir(d);
    return n;
}
// A keeper takes its name when it has begun to run.
static int keepers_come(pid_t *out, int most, int wanted) {
    int n = keepers(out, most);
    for (int tries = 0; tries < 1000 && n < wanted; tries++, usleep(2000)) n = keepers(out, most);
    return n;
}
static void kill_one(pid_t pid) {
    assert_int_equal(kill(pid, SIGKILL), 0);
    for (int tries = 0; tries < 1000 && kill(pid, 0) == 0; tries++, usleep(2000))
        (void)!waitpid(pid, NULL, WNOHANG);
}

// First one keeper, then the other one, then those that took their places.
static void test_a_killed_keeper_is_replaced(void **state) {
    (void)state;
    enum { MOST = 8 };
    pid_t keeper[MOST];
    assert_int_equal(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
    World *w = world("");
    right(w);
    for (int i = 0; i < 6; i++) {
        assert_int_equal(keepers_come(keeper, MOST, 2), 2);
        kill_one(keeper[i % 2]);
        if (!run(w, "plain"))
            assert_non_null(strstr(w->e.msg, "the measuring process")); // it went with its keeper
        right(w);
    }
    assert_true(measurer_processes(w->m) > 2);
    // Of all at once nobody is left to fork.
    int n = keepers_come(keeper, MOST, 2);
    for (int i = 0; i < n; i++) kill_one(keeper[i]);
    assert_false(run(w, "plain") && run(w, "plain"));
    assert_false(run(w, "plain"));
    assert_non_null(strstr(w->e.msg, "start ouroboros again"));
    end(w);
    while (waitpid(-1, NULL, 0) > 0) {}
    prctl(PR_SET_CHILD_SUBREAPER, 0);
}

// The owner is killed while nothing is done, and while a kernel does not end: all that it has started ends.
static void test_nothing_is_left_of_an_owner_that_is_killed(void **state) {
    (void)state;
    static const char *const names[] = {"plain", "endless"};
    assert_int_equal(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
    for (int i = 0; i < 2; i++) {
        int pair[2];
        char byte;
        assert_int_equal(pipe(pair), 0);
        pid_t owner = fork();
        if (owner == 0) {
            World *w = world("hang=endless");
            w->job.seconds = 60;
            right(w);
            if (write(pair[1], "r", 1) == 1 && i == 1) (void)!run(w, names[i]);
            for (;;) pause();
        }
        assert_int_equal(read(pair[0], &byte, 1), 1);
        usleep(300000);
        kill(owner, SIGKILL);
        int left = 0;
        for (int tries = 0; tries < 100; tries++) { // 10 s
            pid_t ended;
            while ((ended = waitpid(-1, NULL, WNOHANG)) > 0) {}
            left = ended == 0;
            if (!left) break;
            usleep(100000);
        }
        if (left) fail_msg("%s: a process is left", names[i]);
        close(pair[0]);
        close(pair[1]);
    }
    prctl(PR_SET_CHILD_SUBREAPER, 0);
}

static void test_without_a_gpu_one_line_says_so(void **state) {
    (void)state;
    World *w = world("none");
    DeviceFacts f;
    assert_false(measurer_facts(w->m, &f, &w->e));
    assert_int_equal(w->e.code, ERR_IO);
    assert_non_null(strstr(w->e.msg, "CUDA_ERROR_NO_DEVICE"));
    end(w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_process_serves_many_jobs),
        cmocka_unit_test(test_a_fault_costs_the_process_only),
        cmocka_unit_test(test_answers_of_an_earlier_job_do_not_pass),
        cmocka_unit_test(test_a_job_that_cannot_be_keeps_the_process_usable),
        cmocka_unit_test(test_a_killed_process_is_told_and_replaced),
        cmocka_unit_test(test_a_killed_keeper_is_replaced),
        cmocka_unit_test(test_nothing_is_left_of_an_owner_that_is_killed),
        cmocka_unit_test(test_without_a_gpu_one_line_says_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
