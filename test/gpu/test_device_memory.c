#include "gpu/device.h"

#include "vm_device.h"
#include "vm_gpu.h"

static Device d;
static Err e;

static void need(bool ok) {
    if (!ok) fail_msg("%s", e.msg);
}

// Pieces that were given back are given out again for as many bytes, and to the driver where it has none
// left.
static void test_pieces_are_kept(void **state) {
    (void)state;
    DeviceAddress a = 0, b = 0, again = 0, large = 0;
    need(device_alloc(&d, 5000, &a, &e) && device_alloc(&d, 6000, &b, &e));
    device_free(&d, a);
    assert_int_equal(d.memory.spare, 5000);
    need(device_alloc(&d, 6000, &again, &e));
    assert_true(again != a && again != b); // of another size
    device_free(&d, again);
    need(device_alloc(&d, 5000, &again, &e));
    assert_int_equal(again, a);
    device_free(&d, a);
    device_free(&d, b);
    assert_int_equal(d.memory.spare, 5000 + 2 * 6000);
    device_free(&d, 12345); // nobody's
    device_free(&d, b);     // given back already
    assert_int_equal(d.memory.spare, 5000 + 2 * 6000);
    need(device_alloc(&d, 3000000 - sizeof(VmTable) - 8192, &large, &e)); // no room for it beside the others
    assert_true(d.memory.spare == 0 && d.memory.pieces == 1);
    device_free(&d, large); // more than the share that may be kept
    assert_int_equal(d.memory.pieces, 0);
    assert_false(device_alloc(&d, 4000000, &large, &e));
    assert_non_null(strstr(e.msg, "OUT_OF_MEMORY"));
    e = (Err){0};
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_pieces_are_kept)};
    setenv("VM_GPU", "memory=3000000", 1);
    if (!device_open(vm_gpu_library(), &d, &e)) return 1;
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    device_close(&d);
    return failed;
}
