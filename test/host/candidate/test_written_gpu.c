// GPUs that a file writes down: what is answered, and in which order.
#include "host/candidate/written_gpu.h"
#include "lang/parse/parse.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

typedef bool Wanted(const GpuModel *m);

// How many there are of a file, and how many of them are wanted.
static int count(const char *source, Wanted *wanted, int *all) {
    Arena a = {0};
    DiagList d = DIAGS(&a);
    const Node *m = parse_module(&a, str_of(source), &d);
    int n = 0;
    GpuModel g;
    assert_non_null(m);
    for (*all = 0; written_gpu(m, GPU_WRITTEN + *all, &g); ++*all) n += wanted(&g);
    arena_free(&a);
    return n;
}

static bool is_volta(const GpuModel *m) { return m->major == 7 && m->minor == 0; }
static bool is_old(const GpuModel *m) { return m->major == 6 && m->minor == 1; }
static bool is_second(const GpuModel *m) { return m->index == 1 && m->count > 1; }
static bool has_three(const GpuModel *m) { return m->count == 3; }
static bool is_named(const GpuModel *m) { return str_is(m->name_text, "Tesla V100"); }

static void test_questions_decide(void **state) {
    (void)state;
    int all;
    assert_int_equal(count("x = (6, 1), 'Tesla V100', 61\n", is_volta, &all), 0);
    assert_int_equal(all, 0); // nothing is asked
    assert_int_equal(count("x = torch.cuda.get_device_capability() in ((6, 1), (7, 0))\n", is_volta, &all),
                     1);
    assert_int_equal(count("x = torch.cuda.get_device_capability() in ((6, 1), (7, 0))\n", is_old, &all), 1);
    assert_int_equal(count("x = target.get_current_target().arch == 61\n", is_old, &all), 1);
    assert_int_equal(count("x = torch.cuda.get_device_name() == 'Tesla V100'\n", is_named, &all), 1);
    assert_int_equal(count("x = torch.cuda.get_device_capability(), 'Tesla V100'\n", is_named, &all), 0);
    assert_int_equal(count("x = torch.cuda.device_count() // 3\n", has_three, &all), 1);
    assert_int_equal(all, 16);
    assert_int_equal(count("x = y.device.index\n", is_second, &all), 1);
    assert_int_equal(all, 1);
}

static void test_numbers_outside(void **state) {
    (void)state;
    Arena a = {0};
    DiagList d = DIAGS(&a);
    GpuModel g;
    const Node *m = parse_module(&a, STR("x = torch.cuda.current_device()\n"), &d);
    assert_false(written_gpu(m, GPU_WRITTEN - 1, &g));
    assert_false(written_gpu(m, GPU_WRITTEN_MOST + 1, &g));
    assert_false(written_gpu(m, 132, &g));
    assert_int_equal(written_gpu_shown(gpu_asked(m)), 1);
    arena_free(&a);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_questions_decide),
                                       cmocka_unit_test(test_numbers_outside)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
