// Digests against published examples, and the names they have as text.
#include "base/sha256.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void test_sha256_vectors(void **state) {
    (void)state; // FIPS 180-4 examples
    char hex[65];
    sha256_hex(sha256_of(STR("")), hex);
    assert_string_equal(hex, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    sha256_hex(sha256_of((Str){0}), hex);
    assert_string_equal(hex, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    sha256_hex(sha256_of(STR("abc")), hex);
    assert_string_equal(hex, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

static void test_every_byte_counts(void **state) {
    (void)state;
    char hex[65];
    Sha256 h = {{0x01, 0xab}};
    sha256_hex(h, hex);
    assert_int_equal(strlen(hex), 64);
    assert_int_equal(strncmp(hex, "01ab00", 6), 0); // lower case, every byte two digits
    Sha256 a = sha256_of((Str){"a\0b", 3}), b = sha256_of((Str){"a\0c", 3}), c = sha256_of((Str){"a", 1});
    assert_memory_not_equal(&a, &b, sizeof a); // behind a zero, too
    assert_memory_not_equal(&a, &c, sizeof a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sha256_vectors),
        cmocka_unit_test(test_every_byte_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
