#include "measure/timing/timing.h"

#include <dlfcn.h>

#include "../../gpu/vm_device.h"
#include "../../gpu/vm_gpu.h"
#include "measure/timing/yardstick.h"

enum { ROWS = 37, COLUMNS = 64, BYTES = 4 * ROWS * COLUMNS };

typedef struct {
    Arena arena;
    Device device;
    TimingJob job;
    TimingContender contender[4];
    float input[ROWS * COLUMNS];
    uint8_t answers[1 << 20];
    TimingResult result;
} World;
static Arena steering;

// `steer`: what VM_GPU says.
static World *world(const char *steer) {
    World *w = calloc(1, sizeof *w);
    assert_non_null(w);
    setenv("VM_GPU", steer, 1);
    Err e = {0};
    if (!device_open(vm_gpu_library(), &w->device, &e)) fail_msg("%s", e.msg);
    for (int i = 0; i < ROWS * COLUMNS; i++) w->input[i] = (float)i;
    w->job = (TimingJob){.seed = 7,
                         .rounds = 7,
                         .checked = 2,
                         .target_us = 20,
                         .seconds = 0.5,
                         .l2_times = 5,
                         .rows = ROWS,
                         .output = {BYTES},
                         .outputs = 1,
                         .inputs = 1,
                         .contender = w->contender};
    w->job.input[0] = (TimingInput){0, BYTES, 4 * COLUMNS};
    return w;
}
static void add(World *w, const char *name) {
    w->contender[w->job.contenders++] =
        (TimingContender){str_of(name), true, copy_run(&w->arena, name, ROWS, COLUMNS)};
}
static void run(World *w) {
    Err e = {0};
    memset(w->answers, 0, sizeof w->answers);
    if (!timing_run(&w->arena, &w->device, &w->job,
                    &(TimingMemory){(const uint8_t *)w->input, w->answers, NULL}, &w->result, &e))
        fail_msg("%s", e.msg);
}
static bool right(const World *w, int contender) {
    for (int j = 0; j < w->job.checked; j++)
        if (memcmp(w->answers + timing_answer_at(&w->job, contender, j), w->input, BYTES)) return false;
    return true;
}
static void end(World *w) {
    device_close(&w->device);
    arena_free(&w->arena);
    unsetenv("VM_GPU");
    free(w);
}

static void test_answers_come_back_with_their_rows_in_order(void **state) {
    (void)state;
    World *w = world("");
    add(w, "plain");
    add(w, "twin");
    run(w);
    assert_true(w->result.cold);
    assert_true(w->result.sets > 2);
    for (int i = 0; i < 2; i++) {
        const TimedContender *c = &w->result.contender[i];
        assert_int_equal(c->end, TIMED_WELL);
        assert_int_equal(c->colds, 7);
        assert_true(median_of(c->cold, c->colds) > 0 && median_of(c->hot, c->hots) > 0);
        assert_true(median_of(c->call, c->calls) >
                    median_of(c->cold, c->colds)); // a launch costs more than a node
        assert_int_equal(c->calls_of_window, w->result.sets);
        assert_true(right(w, i));
    }
    assert_true(w->result.floor_us > 0.5 && w->result.floor_us < 1);
    assert_int_equal((int)w->result.sm_mhz[0], 2000);
    assert_int_equal(w->result.powers, 0); // nobody could be asked
    end(w);
    setenv("OUROBOROS_LIBNVML", vm_gpu_library(), 1);
    w = world("");
    unsetenv("OUROBOROS_LIBNVML");
    add(w, "plain");
    run(w);
    assert_true(w->result.powers > 1 && w->result.watts[1] == 345.5);
    end(w);
}

static void test_a_slower_kernel_is_found_slower(void **state) {
    (void)state;
    World *w = world("slow=lame:3");
    add(w, "plain");
    add(w, "lame");
    run(w);
    double a = median_of(w->result.contender[0].cold, 7), b = median_of(w->result.contender[1].cold, 7);
    assert_true(b / a > 1.02 && b / a < 1.04);
    end(w);
}

// Whichever set it was: all of them are summed up before and after.
static void test_one_byte_of_an_input_is_found(void **state) {
    (void)state;
    for (int n = 1; n < 60; n += 19) {
        World *w = world(arena_printf(&steering, "nudge=sly:%d", n));
        add(w, "plain");
        add(w, "sly");
        run(w);
        assert_int_equal(w->result.contender[0].end, TIMED_TRAMPLED); // nobody knows who it was
        assert_int_equal(w->result.contender[1].end, TIMED_TRAMPLED);
        assert_non_null(strstr(w->result.contender[1].why, "input 0 was written to"));
        end(w);
    }
    World *w = world("nudge=sly:100000"); // it never comes to that
    add(w, "plain");
    add(w, "sly");
    run(w);
    assert_int_equal(w->result.contender[1].end, TIMED_WELL);
    end(w);
}

static void test_a_kernel_that_writes_beside_its_buffers_is_told(void **state) {
    (void)state;
    World *w = world("trample=rude");
    add(w, "rude");
    run(w);
    assert_int_equal(w->result.contender[0].end, TIMED_TRAMPLED);
    assert_non_null(strstr(w->result.contender[0].why, "memory beside buffer 1 was written to"));
    end(w);
}

static void test_wrong_answers_come_back_wrong(void **state) {
    (void)state;
    World *w = world("wrong=liar");
    add(w, "honest");
    add(w, "liar");
    run(w);
    assert_true(right(w, 0));
    assert_false(right(w, 1));
    end(w);
}

static void test_a_fault_names_its_kernel(void **state) {
    (void)state;
    World *w = world("fault=broken");
    add(w, "plain");
    add(w, "broken");
    run(w);
    assert_int_equal(w->result.contender[0].end, TIMED_UNTRIED); // it has no times
    assert_int_equal(w->result.contender[0].colds, 0);
    assert_int_equal(w->result.contender[1].end, TIMED_FAULT);
    assert_non_null(strstr(w->result.contender[1].why, "CUDA_ERROR_ILLEGAL_ADDRESS"));
    end(w);
}

static void test_a_kernel_without_end_is_a_fault(void **state) {
    (void)state;
    World *w = world("hang=endless");
    add(w, "endless");
    run(w);
    assert_int_equal(w->result.contender[0].end, TIMED_FAULT);
    assert_non_null(strstr(w->result.contender[0].why, "has not ended"));
    end(w);
}

// One call ends, a window of many does not in time: that says nothing of its answers.
static void test_a_slow_kernel_is_no_fault(void **state) {
    (void)state;
    World *w = world("late=lame:1");
    add(w, "plain");
    add(w, "lame");
    run(w);
    assert_int_equal(w->result.contender[0].end, TIMED_UNTRIED);
    assert_int_equal(w->result.contender[1].end, TIMED_SLOW);
    assert_non_null(strstr(w->result.contender[1].why, "has not ended"));
    end(w);
}

// What no kernel can do: the memory's error correction gives up, the card is gone.
static void test_a_lost_gpu_is_no_fault_of_a_kernel(void **state) {
    (void)state;
    World *w = world("gone=unlucky");
    add(w, "plain");
    add(w, "unlucky");
    run(w);
    assert_int_equal(w->result.contender[0].end, TIMED_UNTRIED);
    assert_int_equal(w->result.contender[1].end, TIMED_GPU_LOST);
    assert_non_null(strstr(w->result.contender[1].why, "CUDA_ERROR_ECC_UNCORRECTABLE"));
    end(w);
}

// Its driver cannot compile PTX, say.
static void test_what_the_driver_does_not_load_ends_the_job(void **state) {
    (void)state;
    World *w = world("refuse=strange");
    add(w, "plain");
    add(w, "strange");
    run(w);
    assert_int_equal(w->result.contender[0].end, TIMED_UNTRIED);
    assert_int_equal(w->result.contender[1].end, TIMED_REFUSED);
    assert_non_null(strstr(w->result.contender[1].why, "CUDA_ERROR_JIT_COMPILER_NOT_FOUND"));
    end(w);
}

// Whichever allocation it is that fails, of the sets or of what a contender keeps: an error or a refusal, and
// the device goes on.
static void test_any_allocation_may_fail(void **state) {
    (void)state;
    enum { ALLOCATIONS_MOST = 64 };
    int failed = 0;
    for (int n = 1; n < ALLOCATIONS_MOST; n++) {
        World *w = world(arena_printf(&steering, "oom=%d l2=16384", n));
        Err e = {0};
        add(w, "plain");
        bool ok = timing_run(&w->arena, &w->device, &w->job,
                             &(TimingMemory){(const uint8_t *)w->input, w->answers, NULL}, &w->result, &e);
        if (!ok && !strstr(e.msg, "OUT_OF_MEMORY")) fail_msg("allocation %d: %s", n, e.msg);
        if (ok) { // there are no more of them
            end(w);
            break;
        }
        failed++;
        e = (Err){0};
        ok = timing_run(&w->arena, &w->device, &w->job,
                        &(TimingMemory){(const uint8_t *)w->input, w->answers, NULL}, &w->result, &e);
        if (!ok) fail_msg("after allocation %d: %s", n, e.msg);
        assert_int_equal(w->result.contender[0].end, TIMED_WELL);
        assert_true(right(w, 0));
        end(w);
    }
    assert_true(failed > 4 && failed < ALLOCATIONS_MOST - 1);
    arena_free(&steering);
}

static void test_too_little_memory_is_an_error(void **state) {
    (void)state;
    World *w = world("memory=200000");
    Err e = {0};
    add(w, "plain");
    assert_false(timing_run(&w->arena, &w->device, &w->job,
                            &(TimingMemory){(const uint8_t *)w->input, w->answers, NULL}, &w->result, &e));
    assert_non_null(strstr(e.msg, "do not fit"));
    end(w);
}

// Code that takes more than it is given reads zeros, not whatever lies in this process.
static void test_arguments_that_are_missing_are_zeros(void **state) {
    (void)state;
    World *w = world("");
    add(w, "plain");
    w->contender[0].run.step[0].args = 2; // its third one says how many columns
    run(w);
    assert_int_equal(w->result.contender[0].end, TIMED_WELL);
    assert_false(right(w, 0)); // nothing was stored
    assert_int_equal(w->answers[0], 0xff);
    end(w);
}

// What a compiled kernel asks for is what is launched.
static void test_launch_attributes_reach_the_driver(void **state) {
    (void)state;
    World *w = world("");
    add(w, "plain");
    TimedKernel *k = &w->contender[0].run.kernel[0];
    k->cluster = 2;
    k->cooperative = k->overlaps = true;
    k->shared = 60000;
    run(w);
    const VmLaunched *seen = dlsym(w->device.driver.library, "vm_launched");
    assert_non_null(seen);
    // A call's first launch never overlaps the call before.
    assert_true(seen->shared == 60000 && seen->attributes == 3 && seen->function[8] == 60000);
    TimedStep twice[] = {w->contender[0].run.step[0], w->contender[0].run.step[0]};
    w->contender[0].run.step = twice;
    w->contender[0].run.steps = 2;
    run(w);
    assert_int_equal(seen->attributes, 4);
    assert_true(seen->grid[0] == ROWS && seen->block[0] == 128);
    assert_int_equal(w->result.contender[0].end, TIMED_WELL);
    end(w);
}

static void test_the_yardstick_moves_all_bytes(void **state) {
    (void)state;
    World *w = world("");
    int64_t bytes[] = {BYTES};
    w->contender[0] = (TimingContender){STR("stream"), true, {0}};
    streaming_run(&w->arena, bytes, 1, BYTES, 2, &w->contender[0].run);
    w->job.contenders = 1;
    run(w);
    assert_true(right(w, 0)); // of one input it is a copy
    end(w);
}

// Half of the bytes read and half written, but never less written than the answer has.
static void test_a_copy_moves_as_many_bytes(void **state) {
    (void)state;
    World *w = world("");
    int64_t bytes[] = {BYTES, BYTES};
    TimedRun streaming, *copy = &w->contender[0].run;
    streaming_run(&w->arena, bytes, 2, BYTES, 1, &streaming);
    assert_true(streaming.buffers == 3 && copying_run(&w->arena, &streaming, 1, copy));
    assert_true(copy->buffers == 2 && copy->buffer[0].input < 0 && copy->buffer[1].input < 0);
    assert_int_equal(copy->buffer[0].bytes + copy->buffer[1].bytes, 3 * BYTES);
    assert_true(copy->buffer[1].bytes - copy->buffer[0].bytes <= 16);
    w->contender[0].name = STR("copy");
    w->contender[0].compared = false;
    w->job.contenders = 1;
    run(w);
    assert_int_equal(w->result.contender[0].end, TIMED_WELL);
    assert_true(w->result.contender[0].colds > 0);
    bytes[0] = BYTES / 2; // a number becomes a wider one
    streaming_run(&w->arena, bytes, 1, BYTES, 1, &streaming);
    assert_true(copying_run(&w->arena, &streaming, 1, copy));
    assert_true(copy->buffer[0].bytes == BYTES / 2 && copy->buffer[1].bytes == BYTES);
    bytes[0] = BYTES;
    streaming_run(&w->arena, bytes, 1, BYTES, 1, &streaming);
    assert_false(copying_run(&w->arena, &streaming, 1, copy)); // streaming is one
    end(w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_answers_come_back_with_their_rows_in_order),
        cmocka_unit_test(test_a_slower_kernel_is_found_slower),
        cmocka_unit_test(test_one_byte_of_an_input_is_found),
        cmocka_unit_test(test_a_kernel_that_writes_beside_its_buffers_is_told),
        cmocka_unit_test(test_wrong_answers_come_back_wrong),
        cmocka_unit_test(test_a_fault_names_its_kernel),
        cmocka_unit_test(test_a_kernel_without_end_is_a_fault),
        cmocka_unit_test(test_a_slow_kernel_is_no_fault),
        cmocka_unit_test(test_a_lost_gpu_is_no_fault_of_a_kernel),
        cmocka_unit_test(test_what_the_driver_does_not_load_ends_the_job),
        cmocka_unit_test(test_any_allocation_may_fail),
        cmocka_unit_test(test_too_little_memory_is_an_error),
        cmocka_unit_test(test_arguments_that_are_missing_are_zeros),
        cmocka_unit_test(test_launch_attributes_reach_the_driver),
        cmocka_unit_test(test_the_yardstick_moves_all_bytes),
        cmocka_unit_test(test_a_copy_moves_as_many_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
