#include "gpu/power.h"

#include "vm_gpu.h"

static double watts_by(const char *library, const char *bus) {
    Power p;
    setenv("OUROBOROS_LIBNVML", library, 1);
    power_open(bus, &p);
    double watts = power_watts(&p);
    power_close(&p);
    assert_null(p.library);
    unsetenv("OUROBOROS_LIBNVML");
    return watts;
}

static void test_power_where_it_can_be_asked_for(void **state) {
    (void)state;
    assert_true(watts_by(vm_gpu_library(), "0000:0A:00.0") == 345.5);
    assert_true(watts_by(vm_gpu_library(), "0000:0B:00.0") == 0); // no such card
    assert_true(watts_by("/nowhere/libnvidia-ml.so", "0000:0A:00.0") == 0);
    assert_true(watts_by("libm.so.6", "0000:0A:00.0") == 0); // another library
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_power_where_it_can_be_asked_for)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
