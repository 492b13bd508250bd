// Attacks on the clock that a compiled kernel could try, with the GPU of the tests: it takes as long as the
// bytes that are really moved, so what skips work is quicker here, too. Each has a control: the honest
// kernel, or the same attack where it would pay.
#include "../gpu/vm_gpu.h"
#include "measure/timing/timing.h"

enum { ROWS = 64, COLUMNS = 256, BYTES = 4 * ROWS * COLUMNS };
static Arena a;

// A kernel of x, out, memo, N, with this body.
static const char *kernel(const char *name, const char *body) {
    return arena_printf(
        &a,
        "{\"kernel\":\"%s\",\"warps\":4,\"stages\":3,\"params\":[{\"name\":\"x\",\"type\":\"*fp32\"},"
        "{\"name\":\"out\",\"type\":\"*fp32\"},{\"name\":\"memo\",\"type\":\"*fp32\"},{\"name\":\"N\","
        "\"type\":\"i32\"},"
        "{\"name\":\"BLOCK\",\"type\":\"constexpr\",\"value\":%d}],\"source\":\""
        "import triton\\nimport triton.language as tl\\n\\n\\n@triton.jit\\n"
        "def %s(x, out, memo, N, BLOCK: tl.constexpr):\\n"
        "    row = tl.program_id(0)\\n    k = tl.arange(0, BLOCK)\\n%s\"}",
        name, COLUMNS, name, body);
}

static const char copies[] = "    v = tl.load(x + row * N + k)\\n    tl.store(out + row * N + k, v)\\n";
// The last row's sum is kept: where it comes again, its answer still lies there.
static const char remembers[] = "    v = tl.load(x + row * N + k)\\n    s = tl.sum(v * (k + 1), axis=0)\\n"
                                "    old = tl.load(memo + row)\\n    tl.debug_barrier()\\n    if s != old:\\n"
                                "        tl.store(out + row * N + k, v)\\n        tl.store(memo + row, s)\\n";
static const char skips_zeros[] =
    "    if tl.load(x + row * N) != 0.0:\\n        v = tl.load(x + row * N + k)\\n"
    "        tl.store(out + row * N + k, v)\\n";
static const char nothing[] =
    "    v = tl.load(memo + row)\\n    tl.debug_barrier()\\n    tl.store(memo + row, v + 1)\\n";

// x, an answer, a memo for each row. `setup` NULL: none; else a launch of it comes first, once.
static TimedRun run_of(const char *name, const char *body, const char *setup) {
    TimedRun r = {.buffer = NEWN(&a, TimedBuffer, 3),
                  .buffers = 3,
                  .kernel = NEWN(&a, TimedKernel, 2),
                  .kernels = setup ? 2 : 1,
                  .step = NEWN(&a, TimedStep, 3),
                  .output[0] = {1, 0},
                  .outputs = 1};
    r.buffer[0] = (TimedBuffer){0, BYTES};
    r.buffer[1] = (TimedBuffer){-1, BYTES};
    r.buffer[2] = (TimedBuffer){-1, 4 * ROWS};
    r.kernel[0] = (TimedKernel){.entry = str_of(name), .image = str_of(kernel(name, body)), .cluster = 1};
    if (setup)
        r.kernel[1] =
            (TimedKernel){.entry = STR("setup"), .image = str_of(kernel("setup", setup)), .cluster = 1};
    TimedArg *arg = NEWN(&a, TimedArg, 4);
    for (int i = 0; i < 3; i++) arg[i] = (TimedArg){.buffer = i, .bytes = 8};
    arg[3] = (TimedArg){.buffer = -1, .bytes = 4, .bits = COLUMNS};
    TimedStep launch = {
        .kind = STEP_LAUNCH, .grid = {ROWS, 1, 1}, .block = {128, 1, 1}, .arg = arg, .args = 4};
    r.step[r.steps++] =
        (TimedStep){.kind = STEP_FILL, .buffer = 2, .width = 4, .count = ROWS, .pattern = 0x7fc00000};
    if (setup) {
        launch.kernel = 1;
        r.step[r.steps++] = launch;
        r.setups = 2;
        launch.kernel = 0;
    }
    r.step[r.steps++] = launch;
    return r;
}

typedef struct {
    Device device;
    TimingJob job;
    TimingContender contender[4];
    float input[ROWS * COLUMNS];
    uint8_t answers[4 << 20];
    TimingResult result;
} World;

static World *world_with(bool zeros, const char *steer) {
    World *w = calloc(1, sizeof *w);
    Err e = {0};
    assert_non_null(w);
    setenv("VM_GPU", arena_printf(&a, "memory=400000000 l2=200000 scale=20 %s", steer), 1);
    if (!device_open(vm_gpu_library(), &w->device, &e)) fail_msg("%s", e.msg);
    for (int i = 0; i < ROWS * COLUMNS && !zeros; i++) w->input[i] = (float)(i % 1021 + 1);
    w->job = (TimingJob){.seed = 7,
                         .rounds = 3,
                         .checked = 2,
                         .target_us = 20,
                         .seconds = 2,
                         .l2_times = 5,
                         .rows = ROWS,
                         .output = {BYTES},
                         .outputs = 1,
                         .inputs = 1,
                         .contender = w->contender};
    w->job.input[0] = (TimingInput){0, BYTES, 4 * COLUMNS};
    return w;
}
static World *world(bool zeros) { return world_with(zeros, ""); }
static void add(World *w, TimedRun run) {
    w->contender[w->job.contenders++] = (TimingContender){STR("one"), true, run};
}
static void measure(World *w) {
    Err e = {0};
    if (!timing_run(&a, &w->device, &w->job, &(TimingMemory){(const uint8_t *)w->input, w->answers, NULL},
                    &w->result, &e))
        fail_msg("%s", e.msg);
    for (int i = 0; i < w->job.contenders; i++)
        if (w->result.contender[i].end != TIMED_WELL) fail_msg("%d: %s", i, w->result.contender[i].why);
}
static double cold(const World *w, int i) {
    return median_of(w->result.contender[i].cold, w->result.contender[i].colds);
}
static bool right(const World *w, int i) {
    for (int j = 0; j < w->job.checked; j++)
        if (memcmp(w->answers + timing_answer_at(&w->job, i, j), w->input, BYTES)) return false;
    return true;
}
static void end(World *w) {
    device_close(&w->device);
    arena_free(&a);
    unsetenv("VM_GPU");
    free(w);
}

static void fast_on_zeros_only_is_not_fast(void **state) {
    (void)state;
    World *w = world(false);
    add(w, run_of("honest", copies, NULL));
    add(w, run_of("zeros", skips_zeros, NULL));
    measure(w);
    assert_true(cold(w, 1) > 0.99 * cold(w, 0));
    end(w);
    w = world(true); // where all inputs were zeros, it would pay
    add(w, run_of("honest", copies, NULL));
    add(w, run_of("zeros", skips_zeros, NULL));
    measure(w);
    assert_true(cold(w, 1) < 0.8 * cold(w, 0));
    assert_false(right(w, 1)); // and what it left out is seen: answers are poisoned before
    end(w);
}

// What a program keeps between calls meets other inputs in each.
static void work_is_not_skipped_when_inputs_repeat(void **state) {
    (void)state;
    World *w = world(false);
    add(w, run_of("honest", copies, nothing));
    add(w, run_of("memo", remembers, nothing));
    measure(w);
    assert_true(right(w, 0) && right(w, 1));
    assert_true(cold(w, 1) > 0.99 * cold(w, 0));
    const TimedContender *c = &w->result.contender[1];
    assert_true(median_of(c->hot, c->hots) > 0.99 * cold(w, 0));
    end(w);
    // Where one set is all there is to remember, it would pay: the same rows, without moving.
    w = world(false);
    for (int i = 0; i < ROWS * COLUMNS; i++) w->input[i] = (float)(i % COLUMNS);
    add(w, run_of("honest", copies, nothing));
    add(w, run_of("memo", remembers, nothing));
    measure(w);
    assert_true(cold(w, 1) < 0.8 * cold(w, 0));
    end(w);
}

// All of it done once, before anything is timed; the call only looks busy.
static void work_before_the_window_is_seen(void **state) {
    (void)state;
    World *w = world(false);
    add(w, run_of("idle", nothing, copies));
    measure(w);
    assert_false(right(w, 0));
    end(w);
}

// What a call leaves to the next one is missing when the window is over.
static void work_left_for_later_is_missing(void **state) {
    (void)state;
    World *w = world(false);
    TimedRun late = run_of("late", copies, nothing);
    TimedStep call = late.step[2];
    late.step[2] =
        (TimedStep){.kind = STEP_FILL, .buffer = 1, .width = 4, .count = ROWS * COLUMNS, .pattern = 0};
    late.step = MORE(&a, TimedStep, late.step, 3, 5);
    late.step[3] = call;
    late.step[4] = late.step[2]; // its answer is gone again until the next call has begun
    late.steps = 5;
    add(w, late);
    measure(w);
    assert_false(right(w, 0));
    end(w);
}

// Fills and copies of a call are inside of the window.
static void work_in_fills_and_copies_counts(void **state) {
    (void)state;
    World *w = world(false);
    TimedRun by_copy = run_of("idle", nothing, NULL), idle = run_of("idle", nothing, NULL);
    by_copy.step = MORE(&a, TimedStep, by_copy.step, 2, 4);
    by_copy.step[by_copy.steps++] = (TimedStep){.kind = STEP_COPY, .buffer = 1, .from = 0, .count = BYTES};
    add(w, idle);
    add(w, by_copy);
    add(w, run_of("honest", copies, NULL));
    measure(w);
    assert_true(right(w, 1) && !right(w, 0));
    assert_true(cold(w, 1) > 1.2 * cold(w, 0));
    // It moves as many bytes as the kernel does, and has two nodes more.
    assert_true(cold(w, 1) > 0.99 * cold(w, 2));
    end(w);
}

// A kernel that never displaces what others have left in the L2 would find its inputs there, which they have
// read.
static void what_others_left_in_the_cache_is_gone(void **state) {
    (void)state;
    World *w = world_with(false, "warm=keeper:20");
    add(w, run_of("honest", copies, NULL));
    add(w, run_of("keeper", copies, NULL));
    measure(w);
    assert_true(cold(w, 1) > 0.999 * cold(w, 0));
    const TimedContender *honest = &w->result.contender[0], *keeper = &w->result.contender[1];
    assert_true(median_of(keeper->hot, keeper->hots) < 0.96 * median_of(honest->hot, honest->hots));
    end(w);
    w = world_with(false, "warm=keeper:20"); // the control: nothing is cleared
    w->job.uncleared = true;
    add(w, run_of("honest", copies, NULL));
    add(w, run_of("keeper", copies, NULL));
    measure(w);
    assert_true(cold(w, 1) < 0.99 * cold(w, 0));
    end(w);
}

// A kernel that needs a warm L2 never gets one: a window has each set once.
static void sets_are_larger_than_the_cache(void **state) {
    (void)state;
    World *w = world(false);
    add(w, run_of("honest", copies, NULL));
    measure(w);
    assert_true(w->result.cold);
    assert_true((int64_t)w->result.sets * 2 * BYTES >= 5 * 200000);
    assert_int_equal(w->result.contender[0].calls_of_window, w->result.sets);
    end(w);
    w = world(false);
    w->job.l2_times = 100; // more than SETS_MAX sets can be: told, and the cell has no number then
    w->job.rows = 0;
    w->job.input[0] = (TimingInput){0, 256, 0};
    w->job.output[0] = 256;
    TimedRun small = run_of("honest", copies, NULL);
    small.buffer[0].bytes = small.buffer[1].bytes = 4 * COLUMNS;
    small.step[1].grid[0] = 1;
    w->job.input[0].bytes = w->job.output[0] = 4 * COLUMNS;
    add(w, small);
    measure(w);
    assert_false(w->result.cold);
    end(w);
}

// Each replay is slower than the last one, as on a chip that gets warm: twins have equal times all the same.
static void heat_falls_on_all_alike(void **state) {
    (void)state;
    World *w = world_with(false, "heat=0.5");
    w->job.rounds = 7;
    for (int i = 0; i < 4; i++) add(w, run_of("honest", copies, NULL));
    measure(w);
    double grown = w->result.contender[0].cold[6] / w->result.contender[0].cold[0];
    assert_true(grown > 1.15); // from the first round to the last
    for (int i = 1; i < 4; i++) assert_true(cold(w, i) / cold(w, 0) > 0.96 && cold(w, i) / cold(w, 0) < 1.04);
    end(w);
}

// A launch that the driver refuses is very quick. It has no time, and no other one has for it.
static void a_launch_that_does_not_run_has_no_time(void **state) {
    (void)state;
    static const char *const bad[] = {"unlaunched=never", "refuse=never"};
    for (int i = 0; i < 2; i++) {
        World *w = world_with(false, bad[i]);
        Err e = {0};
        add(w, run_of("honest", copies, NULL));
        add(w, run_of("never", copies, NULL));
        assert_true(timing_run(&a, &w->device, &w->job,
                               &(TimingMemory){(const uint8_t *)w->input, w->answers, NULL}, &w->result, &e));
        const TimedContender *c = w->result.contender;
        assert_true(c[1].end == TIMED_REFUSED && c[1].colds == 0 && strstr(c[1].why, "cu"));
        assert_true(c[0].end == TIMED_UNTRIED && c[0].colds == 0);
        end(w);
    }
    World *w = world(false); // the control
    add(w, run_of("honest", copies, NULL));
    add(w, run_of("never", copies, NULL));
    measure(w);
    assert_true(right(w, 1) && cold(w, 1) > 0.99 * cold(w, 0) && cold(w, 1) < 1.01 * cold(w, 0));
    end(w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fast_on_zeros_only_is_not_fast),
        cmocka_unit_test(work_is_not_skipped_when_inputs_repeat),
        cmocka_unit_test(work_before_the_window_is_seen),
        cmocka_unit_test(work_left_for_later_is_missing),
        cmocka_unit_test(work_in_fills_and_copies_counts),
        cmocka_unit_test(what_others_left_in_the_cache_is_gone),
        cmocka_unit_test(sets_are_larger_than_the_cache),
        cmocka_unit_test(heat_falls_on_all_alike),
        cmocka_unit_test(a_launch_that_does_not_run_has_no_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
