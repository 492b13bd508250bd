#include "measure/timing/measurer.h"

#include <signal.h>
#include <sys/mman.h>

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
        cmocka_unit_test(test_without_a_gpu_one_line_says_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
