#include "gpu/driver.h"

#include "vm_gpu.h"

static void test_without_a_driver_one_line_says_so(void **state) {
    (void)state;
    Driver d;
    Err e = {0};
    assert_false(driver_open("/nowhere/libcuda.so", &d, &e));
    assert_int_equal(e.code, ERR_IO);
    assert_non_null(strstr(e.msg, "no NVIDIA driver here: /nowhere/libcuda.so"));
    assert_null(strchr(e.msg, '\n'));
}

static void test_another_library_lacks_a_function(void **state) {
    (void)state;
    Driver d;
    Err e = {0};
    assert_false(driver_open("libm.so.6", &d, &e));
    assert_non_null(strstr(e.msg, "libm.so.6 lacks cuInit"));
}

static void test_the_environment_names_it(void **state) {
    (void)state;
    Driver d;
    Err e = {0};
    int version = 0;
    setenv("OUROBOROS_LIBCUDA", vm_gpu_library(), 1);
    assert_true(driver_open(NULL, &d, &e));
    assert_int_equal(d.cuDriverGetVersion(&version), 0);
    assert_int_equal(version, 13000);
    driver_close(&d);
    unsetenv("OUROBOROS_LIBCUDA");
}

static bool start(const Driver *d, Err *e) {
    DRIVER_TRY(d, cuInit, 0);
    return true;
}

static void test_an_error_names_the_call(void **state) {
    (void)state;
    Driver d;
    Err e = {0};
    setenv("VM_GPU", "none", 1);
    assert_true(driver_open(vm_gpu_library(), &d, &e));
    assert_false(start(&d, &e));
    assert_string_equal(e.msg, "cuInit: CUDA_ERROR_NO_DEVICE: no CUDA-capable device is detected (100)");
    driver_close(&d);
    unsetenv("VM_GPU");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_without_a_driver_one_line_says_so),
        cmocka_unit_test(test_another_library_lacks_a_function),
        cmocka_unit_test(test_the_environment_names_it),
        cmocka_unit_test(test_an_error_names_the_call),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
