#include "gpu/device.h"

#include "base/clock.h"
#include "vm_device.h"
#include "vm_gpu.h"

#include <dlfcn.h>

enum { N = 32 };
static Device d;
static Err e;

static int start(void **state) {
    (void)state;
    setenv("VM_GPU", "memory=3000000", 1);
    e = (Err){0};
    return device_open(vm_gpu_library(), &d, &e) ? 0 : -1;
}
static int stop(void **state) {
    (void)state;
    device_close(&d);
    unsetenv("VM_GPU");
    return 0;
}
static void need(bool ok) {
    if (!ok) fail_msg("%s", e.msg);
}

static void test_facts(void **state) {
    (void)state;
    assert_string_equal(d.facts.name, "virtual machine");
    assert_int_equal(d.facts.version, 13000);
    assert_int_equal(d.facts.major, 9);
    assert_int_equal(d.facts.processors, 132);
    assert_int_equal(d.facts.memory_bytes, 3000000);
}

static void test_what_is_written_is_read_back(void **state) {
    (void)state;
    DeviceAddress a = 0, b = 0;
    uint8_t in[N], out[N];
    for (int i = 0; i < N; i++) in[i] = (uint8_t)i;
    need(device_alloc(&d, N, &a, &e) && device_alloc(&d, N, &b, &e));
    need(device_write(&d, a, in, N, &e) && device_copy(&d, b + 8, a, 16, &e) &&
         device_read(&d, out, b, N, &e));
    assert_memory_equal(out + 8, in, 16);
    device_free(&d, a);
    device_free(&d, b);
}

static void test_fills_of_every_width(void **state) {
    (void)state;
    DeviceAddress a;
    uint8_t out[N];
    const uint64_t pattern = 0x1122334455667788u;
    need(device_alloc(&d, N, &a, &e));
    for (int width = 1; width <= 8; width *= 2) {
        need(device_fill(&d, a, 0, 1, N, &e) && device_fill(&d, a + 8, pattern, width, 2, &e) &&
             device_read(&d, out, a, N, &e));
        for (int i = 0; i < N; i++) {
            int at = i - 8;
            int want = at >= 0 && at < 2 * width ? (int)(pattern >> 8 * (at % width) & 0xff) : 0;
            assert_int_equal(out[i], want);
        }
    }
    assert_false(device_fill(&d, a, 0, 3, 1, &e));
    e = (Err){0};
    device_free(&d, a);
}

static void test_memory_has_an_end(void **state) {
    (void)state;
    DeviceAddress a;
    assert_false(device_alloc(&d, 100000000, &a, &e));
    assert_string_equal(e.msg, "cuMemAlloc_v2: CUDA_ERROR_OUT_OF_MEMORY: out of memory (2)");
}

// A graph does nothing while it is written down, and everything each time it is replayed.
static void test_a_graph_is_written_down_and_replayed(void **state) {
    (void)state;
    DeviceAddress a = 0, b = 0;
    DeviceGraph g;
    double us = 0;
    uint8_t out[4] = {0};
    need(device_alloc(&d, 4, &a, &e) && device_alloc(&d, 4, &b, &e) && device_fill(&d, a, 7, 1, 4, &e) &&
         device_fill(&d, b, 0, 1, 4, &e));
    need(device_capture_begin(&d, &e) && device_copy(&d, b, a, 4, &e) && device_capture_end(&d, &g, &e));
    need(device_read(&d, out, b, 4, &e));
    assert_int_equal(out[0], 0);
    need(device_mark(&d, 0, &e) && device_replay(&d, &g, &e) && device_mark(&d, 1, &e) &&
         device_wait(&d, 1, &e));
    need(device_between(&d, 0, 1, &us, &e) && device_read(&d, out, b, 4, &e));
    assert_int_equal(out[3], 7);
    assert_true(us > 1 && us < 10);
    device_graph_free(&d, &g);
}

static void test_a_kernel_is_loaded_and_launched(void **state) {
    (void)state;
    Arena arena = {0};
    DeviceAddress a = 0, b = 0;
    DeviceKernel k;
    float in[N], out[N] = {0};
    int n = N;
    for (int i = 0; i < N; i++) in[i] = (float)i;
    need(device_alloc(&d, sizeof in, &a, &e) && device_alloc(&d, sizeof in, &b, &e) &&
         device_write(&d, a, in, sizeof in, &e));
    need(device_load(&d, copy_kernel(&arena, "rows", N), "rows", 0, &k, &e));
    void *param[] = {&a, &b, &n};
    const DeviceLaunch l = {
        .kernel = &k, .grid = {1, 1, 1}, .block = {128, 1, 1}, .cluster = 1, .params = param};
    need(device_launch(&d, &l, &e) && device_read(&d, out, b, sizeof out, &e));
    assert_memory_equal(in, out, sizeof in);
    device_unload(&d, &k);
    arena_free(&arena);
}

// As Triton's own launcher asks for it: which attributes, in which order, with which values.
static void test_launches_with_every_attribute(void **state) {
    (void)state;
    static const struct {
        DeviceLaunch l;
        int shared_of_function, odd_clusters;
        unsigned attributes;
        struct {
            int id;
            unsigned value[3];
        } attribute[4];
    } row[] = {
        {.l = {.cluster = 1, .shared = 1024}},
        {.l = {.cluster = 1, .shared = 100 << 10}, .shared_of_function = 100 << 10},
        {.l = {.cluster = 1, .overlaps = true}, .attributes = 1, .attribute = {{6, {1}}}},
        {.l = {.cluster = 1, .cooperative = true}, .attributes = 1, .attribute = {{2, {1}}}},
        {.l = {.cluster = 4}, .attributes = 2, .attribute = {{4, {4, 1, 1}}, {5, {1}}}},
        {.l = {.cluster = 16}, .odd_clusters = 1, .attributes = 2, .attribute = {{4, {16, 1, 1}}, {5, {1}}}},
        {.l = {.cluster = 2, .cooperative = true, .overlaps = true, .shared = 49 << 10},
         .shared_of_function = 49 << 10,
         .attributes = 4,
         .attribute = {{6, {1}}, {2, {1}}, {4, {2, 1, 1}}, {5, {1}}}}};
    Arena arena = {0};
    DeviceAddress at = 0;
    int n = N;
    VmLaunched *seen = dlsym(d.driver.library, "vm_launched");
    assert_non_null(seen);
    need(device_alloc(&d, 4 * N, &at, &e));
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        DeviceLaunch l = row[i].l;
        DeviceKernel k;
        void *param[] = {&at, &at, &n};
        *seen = (VmLaunched){0};
        need(device_load(&d, copy_kernel(&arena, "rows", N), "rows", (int)l.shared, &k, &e));
        l.kernel = &k;
        l.params = param;
        for (int axis = 0; axis < 3; axis++) l.grid[axis] = l.block[axis] = 1;
        l.grid[0] = 1;
        need(device_launch(&d, &l, &e));
        assert_int_equal(seen->shared, l.shared);
        assert_int_equal(seen->function[8], row[i].shared_of_function);
        assert_int_equal(seen->cache_config, row[i].shared_of_function ? 1 : 0);
        assert_int_equal(seen->function[14], row[i].odd_clusters);
        assert_int_equal(seen->attributes, row[i].attributes);
        for (unsigned k2 = 0; k2 < seen->attributes; k2++) {
            assert_int_equal(seen->attribute[k2].id, row[i].attribute[k2].id);
            assert_memory_equal(seen->attribute[k2].value, row[i].attribute[k2].value, 12);
        }
        device_unload(&d, &k);
    }
    arena_free(&arena);
}

static void test_what_is_no_kernel_is_not_loaded(void **state) {
    (void)state;
    Arena arena = {0};
    DeviceKernel k;
    assert_false(device_load(&d, "nonsense", "rows", 0, &k, &e));
    assert_non_null(strstr(e.msg, "cuModuleLoadDataEx: CUDA_ERROR_INVALID_IMAGE"));
    e = (Err){0};
    assert_false(device_load(&d, copy_kernel(&arena, "rows", N), "lines", 0, &k, &e));
    assert_non_null(strstr(e.msg, "cuModuleGetFunction: CUDA_ERROR_NOT_FOUND"));
    e = (Err){0};
    assert_false(device_load(&d, copy_kernel(&arena, "rows", N), "rows", 300 << 10, &k, &e));
    assert_non_null(strstr(e.msg, "bytes of shared memory"));
    arena_free(&arena);
}

// The virtual GPU hangs from here on.
static void test_waiting_for_a_kernel_that_hangs_takes_little(void **state) {
    (void)state;
    Arena arena = {0};
    DeviceAddress a = 0;
    DeviceKernel k;
    int n = N;
    device_close(&d);
    setenv("VM_GPU", "memory=3000000 hang=rows", 1);
    need(device_open(vm_gpu_library(), &d, &e));
    need(device_alloc(&d, 4 * N, &a, &e));
    need(device_load(&d, copy_kernel(&arena, "rows", N), "rows", 0, &k, &e));
    void *param[] = {&a, &a, &n};
    const DeviceLaunch l = {
        .kernel = &k, .grid = {1, 1, 1}, .block = {128, 1, 1}, .cluster = 1, .params = param};
    need(device_launch(&d, &l, &e));
    double from = clock_seconds(), worked = clock_worked();
    assert_false(device_wait(&d, 1, &e));
    assert_string_equal(e.msg, "a kernel has not ended in 1 seconds");
    assert_true(clock_seconds() - from > 0.99);
    assert_true(clock_worked() - worked < 0.4);
    arena_free(&arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_facts, start, stop),
        cmocka_unit_test_setup_teardown(test_what_is_written_is_read_back, start, stop),
        cmocka_unit_test_setup_teardown(test_fills_of_every_width, start, stop),
        cmocka_unit_test_setup_teardown(test_memory_has_an_end, start, stop),
        cmocka_unit_test_setup_teardown(test_a_graph_is_written_down_and_replayed, start, stop),
        cmocka_unit_test_setup_teardown(test_a_kernel_is_loaded_and_launched, start, stop),
        cmocka_unit_test_setup_teardown(test_launches_with_every_attribute, start, stop),
        cmocka_unit_test_setup_teardown(test_what_is_no_kernel_is_not_loaded, start, stop),
        cmocka_unit_test_setup_teardown(test_waiting_for_a_kernel_that_hangs_takes_little, start, stop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
