// Calls that change an input: every one of them meets the values that were given, the restoring is in no
// number, and all contenders of such a job are timed the same way. With the GPU of the tests.
#include "../gpu/vm_gpu.h"
#include "measure/timing/timing.h"
#include <math.h>

enum { ROWS = 64, COLUMNS = 256, N = ROWS * COLUMNS, BYTES = 4 * N };
static Arena a;

// A kernel of x, y, out, N, with this body.
static const char *kernel(const char *name, const char *body) {
    return arena_printf(
        &a,
        "{\"kernel\":\"%s\",\"warps\":4,\"stages\":3,\"params\":[{\"name\":\"x\",\"type\":\"*fp32\"},"
        "{\"name\":\"y\",\"type\":\"*fp32\"},{\"name\":\"out\",\"type\":\"*fp32\"},{\"name\":\"N\",\"type\":"
        "\"i32\"},{\"name\":\"BLOCK\",\"type\":\"constexpr\",\"value\":%d}],\"source\":\""
        "import triton\\nimport triton.language as tl\\n\\n\\n@triton.jit\\n"
        "def %s(x, y, out, N, BLOCK: tl.constexpr):\\n"
        "    row = tl.program_id(0)\\n    k = tl.arange(0, BLOCK)\\n    at = x + row * N + k\\n%s\"}",
        name, COLUMNS, name, body);
}

// A second call would double it once more.
static const char doubles[] = "    tl.store(at, 2 * tl.load(at))\\n";
static const char doubles_elsewhere[] = "    tl.store(out + row * N + k, 2 * tl.load(at))\\n";
// The same where it meets what was given; where it meets its own result, it has nothing to do.
static const char doubles_once[] = "    first = tl.load(x + row * N)\\n    tl.debug_barrier()\\n    if first "
                                   "< 2000.0:\\n        tl.store(at, 2 * tl.load(at))\\n";
// What the last call's row added up to is kept in out: where it comes again, nothing is done.
static const char remembers[] = "    v = tl.load(at)\\n    s = tl.sum(v * (k + 1), axis=0)\\n"
                                "    old = tl.load(out + row)\\n    tl.debug_barrier()\\n    if s != old:\\n"
                                "        tl.store(at, 2 * v)\\n        tl.store(out + row, s)\\n";
static const char counts[] =
    "    v = tl.load(out + row)\\n    tl.debug_barrier()\\n    tl.store(out + row, v + 1)\\n";
static const char changes_y[] =
    "    tl.store(at, 2 * tl.load(at))\\n    tl.store(y + row * N + k, tl.load(at))\\n";
static const char writes_behind[] =
    "    tl.store(at, 2 * tl.load(at))\\n    tl.store(at + 32, tl.load(at), mask=(row == 63) & (k > 240))\\n";
static const char add_norm[] = "    p = y + row * N + k\\n    s = tl.load(at) + tl.load(p)\\n"
                               "    tl.store(at, s * tl.rsqrt(tl.sum(s * s, axis=0) / N + 1e-6))\\n"
                               "    tl.store(p, s)\\n";
static const char rope[] =
    "    h = tl.arange(0, BLOCK // 2)\\n    p = x + row * N + h\\n    q = p + BLOCK // 2\\n"
    "    c = tl.load(y + row * N + h)\\n    s = tl.load(y + row * N + BLOCK // 2 + h)\\n"
    "    v = tl.load(p)\\n    w = tl.load(q)\\n"
    "    tl.store(p, v * c - w * s)\\n    tl.store(q, w * c + v * s)\\n";
static const char row_sum[] =
    "    v = tl.load(at)\\n    tl.store(out + row, tl.sum(v, axis=0))\\n    tl.store(at, 2 * v)\\n";

// Buffers 0 and 1 are the inputs, 2 is the run's own. `setup`: a launch of it comes first, once; NULL: none.
static TimedRun run_of(const char *name, const char *body, const char *setup) {
    TimedRun r = {.buffer = NEWN(&a, TimedBuffer, 3),
                  .buffers = 3,
                  .kernel = NEWN(&a, TimedKernel, 2),
                  .kernels = setup ? 2 : 1,
                  .step = NEWN(&a, TimedStep, 2),
                  .output[0] = {0, 0},
                  .outputs = 1};
    r.buffer[0] = (TimedBuffer){0, BYTES};
    r.buffer[1] = (TimedBuffer){1, BYTES};
    r.buffer[2] = (TimedBuffer){-1, BYTES};
    r.kernel[0] = (TimedKernel){.entry = str_of(name), .image = str_of(kernel(name, body)), .cluster = 1};
    if (setup)
        r.kernel[1] =
            (TimedKernel){.entry = STR("setup"), .image = str_of(kernel("setup", setup)), .cluster = 1};
    TimedArg *arg = NEWN(&a, TimedArg, 4);
    for (int i = 0; i < 3; i++) arg[i] = (TimedArg){.buffer = i, .bytes = 8};
    arg[3] = (TimedArg){.buffer = -1, .bytes = 4, .bits = COLUMNS};
    TimedStep launch = {
        .kind = STEP_LAUNCH, .grid = {ROWS, 1, 1}, .block = {128, 1, 1}, .arg = arg, .args = 4};
    if (setup) {
        r.step[r.steps++] = launch;
        r.step[0].kernel = 1;
        r.setups = 1;
    }
    r.step[r.steps++] = launch;
    return r;
}

typedef struct {
    Device device;
    TimingJob job;
    TimingContender contender[4];
    float input[2 * N];
    uint8_t answers[4 << 20];
    TimingResult result;
} World;

// x is changed in place, y is not.
static World *world(const char *steer) {
    World *w = calloc(1, sizeof *w);
    Err e = {0};
    assert_non_null(w);
    setenv("VM_GPU", arena_printf(&a, "memory=1000000000 l2=200000 scale=20 %s", steer), 1);
    if (!device_open(vm_gpu_library(), &w->device, &e)) fail_msg("%s", e.msg);
    for (int i = 0; i < N; i++) w->input[i] = (float)(1001 + i % 997);
    for (int i = 0; i < N; i++) w->input[N + i] = (float)(i % 509) / 509;
    w->job = (TimingJob){.seed = 7,
                         .rounds = 3,
                         .checked = 2,
                         .target_us = 20,
                         .seconds = 20,
                         .l2_times = 5,
                         .rows = ROWS,
                         .output = {BYTES},
                         .in_place = {1},
                         .outputs = 1,
                         .inputs = 2,
                         .contender = w->contender};
    w->job.input[0] = (TimingInput){0, BYTES, 4 * COLUMNS};
    w->job.input[1] = (TimingInput){BYTES, BYTES, 4 * COLUMNS};
    return w;
}
static void add(World *w, const char *name, TimedRun run) {
    w->contender[w->job.contenders++] = (TimingContender){str_of(name), true, run};
}
static void measure(World *w) {
    Err e = {0};
    memset(w->answers, 0, sizeof w->answers);
    if (!timing_run(&a, &w->device, &w->job, &(TimingMemory){(const uint8_t *)w->input, w->answers, NULL},
                    &w->result, &e))
        fail_msg("%s", e.msg);
}
static void measure_well(World *w) {
    measure(w);
    for (int i = 0; i < w->job.contenders; i++)
        if (w->result.contender[i].end != TIMED_WELL) fail_msg("%d: %s", i, w->result.contender[i].why);
}
static double cold(const World *w, int i) {
    return median_of(w->result.contender[i].cold, w->result.contender[i].colds);
}
static double call(const World *w, int i) {
    return median_of(w->result.contender[i].call, w->result.contender[i].calls);
}
static const float *answer(const World *w, int i, int j, int k) {
    return (const float *)(const void *)(w->answers + timing_output_at(&w->job, i, j, k));
}
static bool near(const float *got, const double *want, int n) {
    for (int i = 0; i < n; i++)
        if (!(fabs((double)got[i] - want[i]) <= 1e-5 * fabs(want[i]) + 1e-3)) return false;
    return true;
}
// Both checked sets, whole.
static bool right(const World *w, int i, int k, const double *want, int n) {
    return near(answer(w, i, 0, k), want, n) && near(answer(w, i, 1, k), want, n);
}
static const double *doubled(const World *w) {
    double *want = NEWN(&a, double, N);
    for (int i = 0; i < N; i++) want[i] = 2.0 * (double)w->input[i];
    return want;
}
static void end(World *w) {
    device_close(&w->device);
    arena_free(&a);
    unsetenv("VM_GPU");
    free(w);
}

static void every_call_meets_what_was_given(void **state) {
    (void)state;
    World *w = world("");
    w->job.target_us = 20000; // several windows
    add(w, "doubles", run_of("doubles", doubles, NULL));
    measure_well(w);
    const TimedContender *c = &w->result.contender[0];
    assert_int_equal(c->colds, 3);
    assert_true(c->windows > 3);
    assert_true(right(w, 0, 0, doubled(w), N));
    // A window uses each set once, and is of as many as others are, and more: it is never long otherwise.
    assert_int_equal(c->calls_of_window, w->result.sets);
    assert_true(w->result.cold && (int64_t)w->result.sets * 3 * BYTES >= 4 * 5 * 200000);
    assert_int_equal(c->hots, 0);
    assert_true(call(w, 0) > cold(w, 0));
    end(w);
}

// Without being declared, the same is an error: the inputs are not what they were.
static void what_is_not_declared_stays_an_error(void **state) {
    (void)state;
    World *w = world("");
    add(w, "doubles", run_of("doubles", doubles, NULL));
    w->job.in_place[0] = 0;
    measure(w);
    assert_int_equal(w->result.contender[0].end, TIMED_TRAMPLED);
    assert_non_null(strstr(w->result.contender[0].why, "input 0 was written to"));
    end(w);
    w = world(""); // beside one that is declared, too
    add(w, "changes_y", run_of("changes_y", changes_y, NULL));
    measure(w);
    assert_int_equal(w->result.contender[0].end, TIMED_TRAMPLED);
    assert_non_null(strstr(w->result.contender[0].why, "input 1 was written to"));
    end(w);
    w = world(""); // of what keeps something between calls, too
    add(w, "changes_y", run_of("changes_y", changes_y, counts));
    measure(w);
    assert_int_equal(w->result.contender[0].end, TIMED_TRAMPLED);
    end(w);
    w = world(""); // and so is what lies behind a declared one
    add(w, "behind", run_of("behind", writes_behind, NULL));
    measure(w);
    assert_int_equal(w->result.contender[0].end, TIMED_TRAMPLED);
    assert_non_null(strstr(w->result.contender[0].why, "memory beside input 0 was written to"));
    end(w);
}

// As long as the same work into memory of its own, timed as ever: neither copies nor the calls before a
// window are in the number.
static void restoring_is_in_no_number(void **state) {
    (void)state;
    World *w = world("");
    w->job.target_us = 2000; // what starting a window takes is shared by many calls
    TimedRun elsewhere = run_of("elsewhere", doubles_elsewhere, NULL);
    elsewhere.output[0].buffer = 2;
    w->job.in_place[0] = 0;
    add(w, "elsewhere", elsewhere);
    measure_well(w);
    assert_true(right(w, 0, 0, doubled(w), N));
    double usual = cold(w, 0), usual_call = call(w, 0);
    end(w);
    w = world("");
    w->job.target_us = 2000;
    add(w, "doubles", run_of("doubles", doubles, NULL));
    measure_well(w);
    assert_true(cold(w, 0) > 0.98 * usual && cold(w, 0) < 1.02 * usual);
    assert_true(call(w, 0) > 0.98 * usual_call && call(w, 0) < 1.02 * usual_call);
    double one = cold(w, 0);
    end(w);
    w = world(""); // nor does their number count
    w->job.target_us = 20000;
    add(w, "doubles", run_of("doubles", doubles, NULL));
    measure_well(w);
    assert_true(w->result.contender[0].windows > 3);
    assert_true(cold(w, 0) > 0.99 * one && cold(w, 0) < 1.01 * one);
    end(w);
}

// A contender that changes nothing is timed as those beside it are.
static void all_contenders_have_the_same_windows(void **state) {
    (void)state;
    World *w = world("slow=lame:3");
    TimedRun reads = run_of("reads", doubles_elsewhere, NULL);
    reads.output[0].buffer = 2;
    add(w, "doubles", run_of("doubles", doubles, NULL));
    add(w, "lame", run_of("lame", doubles, NULL));
    w->contender[w->job.contenders++] = (TimingContender){STR("reads"), false, reads};
    measure_well(w);
    for (int i = 0; i < 3; i++) {
        const TimedContender *c = &w->result.contender[i];
        assert_int_equal(c->calls_of_window, w->result.sets);
        assert_int_equal(c->hots, 0);
    }
    assert_true(cold(w, 1) / cold(w, 0) > 1.02 && cold(w, 1) / cold(w, 0) < 1.04);
    assert_true(cold(w, 2) > 0.98 * cold(w, 0) && cold(w, 2) < 1.02 * cold(w, 0));
    end(w);
}

static void a_kernel_never_meets_its_own_result(void **state) {
    (void)state;
    World *w = world("");
    w->job.target_us = 20000;
    add(w, "honest", run_of("honest", doubles, NULL));
    add(w, "once", run_of("once", doubles_once, NULL));
    measure_well(w);
    assert_true(right(w, 1, 0, doubled(w), N));
    assert_true(cold(w, 1) > 0.99 * cold(w, 0) && call(w, 1) > 0.99 * call(w, 0));
    end(w);
    w = world(""); // where nothing is restored, it would pay
    w->job.in_place[0] = 0;
    add(w, "honest", run_of("honest", doubles, NULL));
    add(w, "once", run_of("once", doubles_once, NULL));
    measure(w);
    assert_true(cold(w, 1) < 0.5 * cold(w, 0));
    end(w);
}

// What a program keeps between calls meets other inputs in each window.
static void what_is_kept_is_of_no_use(void **state) {
    (void)state;
    World *w = world("");
    w->job.target_us = 20000;
    add(w, "honest", run_of("honest", doubles, counts));
    add(w, "memo", run_of("memo", remembers, counts));
    measure_well(w);
    assert_true(right(w, 0, 0, doubled(w), N) && right(w, 1, 0, doubled(w), N));
    assert_true(cold(w, 1) > 0.99 * cold(w, 0));
    end(w);
    w = world(""); // equal rows everywhere: then it pays, and what it left out is seen
    for (int i = 0; i < N; i++) w->input[i] = (float)(1001 + i % COLUMNS);
    add(w, "honest", run_of("honest", doubles, counts));
    add(w, "memo", run_of("memo", remembers, counts));
    measure_well(w);
    assert_true(right(w, 0, 0, doubled(w), N) && !right(w, 1, 0, doubled(w), N));
    assert_true(cold(w, 1) < 0.8 * cold(w, 0));
    end(w);
}

static void two_inputs_change(void **state) {
    (void)state;
    World *w = world("");
    w->job.target_us = 20000;
    w->job.outputs = 2;
    w->job.output[1] = BYTES;
    w->job.in_place[1] = 2;
    TimedRun r = run_of("add_norm", add_norm, NULL);
    r.outputs = 2;
    r.output[1] = (TimedView){1, 0};
    add(w, "add_norm", r);
    measure_well(w);
    double *norm = NEWN(&a, double, N), *sum = NEWN(&a, double, N);
    for (int row = 0; row < ROWS; row++) {
        double squares = 0;
        for (int i = row * COLUMNS; i < (row + 1) * COLUMNS; i++) {
            sum[i] = (double)w->input[i] + (double)w->input[N + i];
            squares += sum[i] * sum[i];
        }
        for (int i = row * COLUMNS; i < (row + 1) * COLUMNS; i++)
            norm[i] = sum[i] / sqrt(squares / COLUMNS + 1e-6);
    }
    assert_true(right(w, 0, 0, norm, N) && right(w, 0, 1, sum, N));
    end(w);
}

static void rope_turns_once(void **state) {
    (void)state;
    World *w = world("");
    w->job.target_us = 20000;
    add(w, "rope", run_of("rope", rope, NULL));
    measure_well(w);
    double *want = NEWN(&a, double, N);
    for (int i = 0; i < N; i++) {
        bool first = i % COLUMNS < COLUMNS / 2;
        int h = first ? i : i - COLUMNS / 2;
        double v = (double)w->input[h], u = (double)w->input[h + COLUMNS / 2], c = (double)w->input[N + h],
               s = (double)w->input[N + h + COLUMNS / 2];
        want[i] = first ? v * c - u * s : u * c + v * s;
    }
    assert_true(right(w, 0, 0, want, N));
    end(w);
}

// One answer in memory of its own, one in place; a wrong one of either is seen. What keeps something between
// calls has that memory for itself, and it moves from set to set.
static void answers_of_both_kinds(void **state) {
    (void)state;
    static const struct {
        const char *steer, *setup;
        bool right;
    } row[] = {{"", NULL, true}, {"wrong=row_sum", NULL, false}, {"", counts, true}};
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        World *w = world(row[i].steer);
        w->job.outputs = 2;
        w->job.output[0] = 4 * ROWS;
        w->job.output[1] = BYTES;
        w->job.in_place[0] = 0;
        w->job.in_place[1] = 1;
        TimedRun r = run_of("row_sum", row_sum, row[i].setup);
        r.outputs = 2;
        r.output[0] = (TimedView){2, 0};
        r.output[1] = (TimedView){0, 0};
        add(w, "row_sum", r);
        measure_well(w);
        double *sum = NEWN(&a, double, ROWS);
        for (int k = 0; k < N; k++) sum[k / COLUMNS] += (double)w->input[k];
        assert_true(right(w, 0, 0, sum, ROWS) == row[i].right);
        assert_true(right(w, 0, 1, doubled(w), N));
        end(w);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_call_meets_what_was_given),
        cmocka_unit_test(what_is_not_declared_stays_an_error),
        cmocka_unit_test(restoring_is_in_no_number),
        cmocka_unit_test(all_contenders_have_the_same_windows),
        cmocka_unit_test(a_kernel_never_meets_its_own_result),
        cmocka_unit_test(what_is_kept_is_of_no_use),
        cmocka_unit_test(two_inputs_change),
        cmocka_unit_test(rope_turns_once),
        cmocka_unit_test(answers_of_both_kinds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
