// Philox against its published vectors; the sequence against its definition; the draws against their moments.
#include "base/isa.h"
#include "base/numeric/rng.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static void test_published_vectors(void **state) {
    (void)state;
    static const struct {
        Philox4 counter;
        uint32_t key[2];
        Philox4 want;
    } row[] = {
        {{{0, 0, 0, 0}}, {0, 0}, {{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}}},
        {{{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}},
         {0xffffffff, 0xffffffff},
         {{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}}},
        {{{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}},
         {0xa4093822, 0x299f31d0},
         {{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}}},
    };
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
        Philox4 got = philox4x32(row[i].counter, row[i].key[0], row[i].key[1]);
        assert_memory_equal(got.v, row[i].want.v, sizeof got.v);
    }
}

static void test_sequence_is_its_definition(void **state) {
    (void)state;
    uint64_t seed = 0x0123456789abcdef, stream = 0xfedcba9876543210;
    Rng r = rng_at(seed, stream);
    for (uint32_t block = 0; block < 5; block++) {
        Philox4 b = philox4x32((Philox4){{block, 0, (uint32_t)stream, (uint32_t)(stream >> 32)}},
                               (uint32_t)seed, (uint32_t)(seed >> 32));
        for (int i = 0; i < 4; i++) assert_int_equal(rng_u32(&r), b.v[i]);
    }
    Rng a = rng_at(seed, 1), b = rng_at(seed, 2), c = rng_at(seed + 1, 1);
    uint64_t x = rng_u64(&a);
    assert_true(x != rng_u64(&b) && x != rng_u64(&c));
    assert_true(rng_mix(1, 2) == rng_mix(1, 2));
    assert_true(rng_mix(1, 2) != rng_mix(1, 3) && rng_mix(1, 2) != rng_mix(2, 1));
}

static void test_ranges(void **state) {
    (void)state;
    Rng r = rng_at(3, 0);
    int seen[7] = {0};
    for (int i = 0; i < 70000; i++) seen[rng_below(&r, 7)]++;
    for (int i = 0; i < 7; i++) assert_in_range(seen[i], 10000 - 500, 10000 + 500); // over five sigma
    for (int i = 0; i < 100; i++) assert_int_equal(rng_below(&r, 1), 0);
    uint64_t odd = (1ull << 63) + 1; // here almost every second draw has to be refused
    for (int i = 0; i < 1000; i++) assert_true(rng_below(&r, odd) < odd);
    int low = 0, high = 0;
    for (int i = 0; i < 2000; i++) {
        int64_t x = rng_between(&r, -2, 2);
        assert_true(x >= -2 && x <= 2);
        low += x == -2, high += x == 2;
        int64_t any = rng_between(&r, INT64_MIN, INT64_MAX);
        assert_true(rng_between(&r, any, any) == any);
        double u = rng_unit(&r);
        assert_true(u >= 0 && u < 1);
    }
    assert_in_range(low, 300, 500);
    assert_in_range(high, 300, 500);
}

static void test_normal_moments(void **state) {
    (void)state;
    enum { N = 200000 };
    static double z[N];
    Rng r = rng_at(11, 5);
    rng_fill_normal(&r, z, N);
    double s1 = 0, s2 = 0, s4 = 0, largest = 0;
    for (int i = 0; i < N; i++) {
        s1 += z[i], s2 += z[i] * z[i], s4 += z[i] * z[i] * z[i] * z[i];
        if (fabs(z[i]) > largest) largest = fabs(z[i]);
    }
    assert_true(fabs(s1 / N) < 0.012);
    assert_true(fabs(s2 / N - 1) < 0.016);
    assert_true(fabs(s4 / N - 2.85) < 0.1); // 3 - 1.2 / 8: a sum of eight, not yet a bell
    assert_true(largest < 4.9 && largest > 3.9);
}

// 0 if filling gives the sequence of single draws, from any start and for any length.
static int fill_differs(void) {
    for (uint64_t seed = 1; seed <= 40; seed++) {
        Rng pick = rng_at(seed, 9), one = rng_at(seed, 10), many;
        one.position =
            rng_below(&pick, 3) ? rng_u32(&pick) : UINT32_MAX - rng_below(&pick, 40); // the carry, too
        for (uint64_t skip = rng_below(&pick, 4); skip; skip--) rng_u32(&one);
        many = one;
        double z[200];
        size_t n = rng_below(&pick, 200);
        rng_fill_normal(&many, z, n);
        for (size_t i = 0; i < n; i++) {
            double want = rng_normal(&one);
            if (memcmp(&want, &z[i], sizeof want) != 0) return 1;
        }
        if (n && rng_u64(&one) != rng_u64(&many)) return 2;
    }
    return 0;
}

static void test_fill_is_the_sequence_on_every_isa(void **state) {
    (void)state;
    assert_int_equal(fill_differs(), 0);
    static const char *const name[] = {"base", "avx2", "avx512"};
    for (int i = 0; i < 3; i++) {
        fflush(NULL);
        pid_t pid = fork();
        if (pid == 0) { // in a process of its own, because the choice is made once
            setenv("OUROBOROS_ISA", name[i], 1);
            execl("/proc/self/exe", "test_rng", "--fill", name[i], (char *)NULL);
            _exit(99);
        }
        int status = 0;
        assert_int_equal(waitpid(pid, &status, 0), pid);
        assert_int_equal(status, 0);
    }
}

static int child_fill(const char *wish) {
    int level = (int)isa_level();
    int want = strcmp(wish, "base") == 0 ? 0 : strcmp(wish, "avx2") == 0 ? 1 : 2;
    if (level > want) return 10; // the environment lowers the choice
    return fill_differs();
}

static void test_entropy(void **state) {
    (void)state;
    unsigned char a[300] = {0}, b[300] = {0};
    Err e = {0};
    assert_true(rng_entropy(a, sizeof a, &e));
    assert_true(rng_entropy(b, sizeof b, &e));
    assert_memory_not_equal(a, b, sizeof a);
    int zeros = 0;
    for (size_t i = 0; i < sizeof a; i++) zeros += !a[i];
    assert_true(zeros < 30);
}

int main(int argc, char **argv) {
    if (argc == 3 && strcmp(argv[1], "--fill") == 0) return child_fill(argv[2]);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_published_vectors),
        cmocka_unit_test(test_sequence_is_its_definition),
        cmocka_unit_test(test_ranges),
        cmocka_unit_test(test_normal_moments),
        cmocka_unit_test(test_fill_is_the_sequence_on_every_isa),
        cmocka_unit_test(test_entropy),
    };
    return cmocka_run_group_tests_name("rng", tests, NULL, NULL);
}
