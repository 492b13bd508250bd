// TensorBoard's records: checksums of published vectors, and a frame taken apart.
#include "making.h"
#include "train/events.h"

// RFC 3720, B.4.
static void checksums_are_castagnolis(void **state) {
    (void)state;
    uint8_t zeros[32] = {0}, ones[32], rising[32];
    memset(ones, 0xff, sizeof ones);
    for (int i = 0; i < 32; i++) rising[i] = (uint8_t)i;
    assert_int_equal(crc32c(zeros, 32), 0x8a9136aau);
    assert_int_equal(crc32c(ones, 32), 0x62a8ab43u);
    assert_int_equal(crc32c(rising, 32), 0x46dd794eu);
    assert_int_equal(crc32c("123456789", 9), 0xe3069283u);
}

static void a_scalar_is_an_event(void **state) {
    (void)state;
    Arena a = {0};
    Buf out = BUF(&a);
    event_scalars(&out, 2.0, 300, &(EventScalar){"loss", 0.5}, 1);
    static const uint8_t message[] = {0x09, 0,    0,    0,    0,   0,   0, 0, 0x40, // wall_time
                                      0x10, 0xac, 0x02,                             // step 300
                                      0x2a, 0x0d, 0x0a, 0x0b,                       // summary { value {
                                      0x0a, 0x04, 'l',  'o',  's', 's',             // tag
                                      0x15, 0,    0,    0,    0x3f};                // simple_value
    assert_int_equal(out.len, 8 + 4 + sizeof message + 4);
    assert_int_equal(out.p[0], sizeof message);
    assert_memory_equal(out.p + 12, message, sizeof message);
    uint32_t crc = crc32c(message, sizeof message), said;
    memcpy(&said, out.p + 12 + sizeof message, 4);
    said -= 0xa282ead8u;
    assert_int_equal((uint32_t)(said >> 17 | said << 15), crc);
    arena_free(&a);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(checksums_are_castagnolis),
                                       cmocka_unit_test(a_scalar_is_an_event)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
