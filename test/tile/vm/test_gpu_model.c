// What GPUs say of themselves: one row for each number of processors, and an A100's for all others.
#include "tile/vm/gpu_model.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tile/compute/machine.h"

static void a_number_of_processors_is_one_model(void **state) {
    (void)state;
    for (int i = 0; gpu_model_at(i); i++) {
        const GpuModel *m = gpu_model_at(i);
        assert_ptr_equal(gpu_model(m->processors), m);
        assert_in_range(m->processors, GPU_PROCESSORS_LEAST, GPU_PROCESSORS_MOST);
        for (int k = 0; k < i; k++) assert_string_not_equal(gpu_model_at(k)->name, m->name);
    }
    assert_null(gpu_model_at(-1));
}

static void others_are_like_an_a100(void **state) {
    (void)state;
    assert_int_equal(gpu_model(PROCESSORS_USUAL)->major, 9);
    assert_int_equal(gpu_model(107)->major, 8);
    assert_non_null(strstr(gpu_model(20)->name, "A100"));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_number_of_processors_is_one_model),
                                       cmocka_unit_test(others_are_like_an_a100)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
