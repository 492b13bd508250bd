// Every loop that moves lanes to and from memory, or looks at addresses, masks and race words,
// against the same written down a second time.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "tile/loops/loop_lanes.h"

// Every float16 and bfloat16 bit pattern there and back.
static void test_memory_formats(void **state) {
    (void)state;
    static uint16_t bits[1 << 16], back[1 << 16];
    static float lanes[1 << 16];
    for (int i = 0; i < 1 << 16; i++) bits[i] = (uint16_t)i;
    for (int isa = 0; isa < isas(); isa++) {
        const TileLoops *l = tile_loops_of((IsaLevel)isa);
        for (int t = DT_F16; t <= DT_BF16; t++) {
            l->memory->read[t](lanes, bits, NULL, NULL, 1 << 16);
            l->memory->write[t](back, lanes, NULL, NULL, 1 << 16);
            for (int i = 0; i < 1 << 16; i++) {
                float want = t == DT_F16 ? f32_from_f16((uint16_t)i) : f32_from_bf16((uint16_t)i);
                if (want != want) {
                    assert_true(lanes[i] != lanes[i]);
                    assert_int_equal(back[i], t == DT_F16 ? 0x7e00 : 0x7fc0);
                } else {
                    assert_true(lanes[i] == want && back[i] == i);
                }
            }
        }
        static Lanes a, lane, out;
        Rng r = rng_at(9, (uint64_t)isa);
        for (int t = 0; t < DT_COUNT; t++) {
            if (t == DT_F16 || t == DT_BF16) continue;
            fill((DType)t, &a, &r);
            size_t bytes = (size_t)dtype_bytes((DType)t);
            l->memory->write[t](&out, &a, NULL, NULL, N);
            l->memory->read[t](&lane, &out, NULL, NULL, N);
            check_same("write, read", isa, (DType)t, &lane, &a, N);
            for (size_t i = 0; i < N && !dtype_is_float((DType)t); i++) {
                uint64_t v = 0;
                memcpy(&v, (char *)&out + i * bytes, bytes);
                assert_true(v == ((uint64_t)get_int((DType)t, &a, i) &
                                  (bytes == 8 ? UINT64_MAX : ((uint64_t)1 << (8 * bytes)) - 1)));
            }
        }
        double nan = -NAN;
        uint64_t canonical;
        l->memory->write[DT_F64](&canonical, &nan, NULL, NULL, 1);
        assert_true(canonical == 0x7ff8000000000000u);
    }
}

// ---- addresses, masks, race words ----

static void test_ptradd(void **state) {
    (void)state;
    const int64_t base = ((int64_t)5 << ADDRESS_BITS) + ADDRESS_BIAS, four = 4;
    for (int isa = 0; isa < isas(); isa++) {
        const TileLoops *l = tile_loops_of((IsaLevel)isa);
        int64_t off[] = {0,
                         1,
                         -1,
                         1000,
                         ((int64_t)1 << 39) - 1,
                         (int64_t)1 << 39,
                         INT64_MAX,
                         INT64_MIN,
                         -((int64_t)1 << 39),
                         (int64_t)1 << 38};
        int64_t want[] = {base, base + 4, base - 4, base + 4000, 0, 0, 0, 0, 0, 0}, got[10], zero[10];
        // 2^38 elements are the limit of one step, well inside the range; beyond it nothing is valid.
        l->memory->ptradd[DT_I64][ONE_A](got, &base, off, &four, 10);
        for (int i = 0; i < 10; i++) assert_true(got[i] == want[i]);
        int64_t edge = ((int64_t)6 << ADDRESS_BITS) - 4, one = 1, minus = -1,
                low = (int64_t)5 << ADDRESS_BITS;
        l->memory->ptradd[DT_I64][0](got, &edge, &one, &four, 1);
        assert_true(got[0] == 0);
        l->memory->ptradd[DT_I64][0](got, &low, &minus, &four, 1);
        assert_true(got[0] == 0);
        // From nowhere there is no way back.
        int64_t nowhere[10] = {0}, far[10];
        for (int i = 0; i < 10; i++) far[i] = ((int64_t)1 << 37) + i;
        for (int k = 0; k < 40; k++) {
            l->memory->ptradd[DT_I64][0](zero, nowhere, far, &four, 10);
            memcpy(nowhere, zero, sizeof zero);
            for (int i = 0; i < 10; i++) assert_true(zero[i] >> ADDRESS_BITS <= 0);
        }
        uint32_t big = UINT32_MAX;
        l->memory->ptradd[DT_U32][0](got, &base, &big, &four, 1);
        assert_true(got[0] == base + 4 * (int64_t)UINT32_MAX);
        int32_t small = INT32_MIN;
        l->memory->ptradd[DT_I32][0](got, &base, &small, &four, 1);
        assert_true(got[0] == base + 4 * (int64_t)INT32_MIN);
    }
}
static void test_passes(void **state) {
    (void)state;
    static uint8_t m[2000];
    static int64_t address[300];
    for (int isa = 0; isa < isas(); isa++) {
        const TileLoops *l = tile_loops_of((IsaLevel)isa);
        memset(m, 1, sizeof m);
        assert_int_equal(l->memory->count_ones(m, 2000), 2000);
        m[777] = 0;
        assert_int_equal(l->memory->count_ones(m, 2000), 1999);
        for (size_t n = 700; n < 900; n++) assert_int_equal(l->memory->count_ones(m, n), n - (n > 777));
        assert_int_equal(l->memory->all_flags(m, 777), 1);
        assert_int_equal(l->memory->all_flags(m, 778), 0);
        memset(m, 0, sizeof m);
        m[1999] = 1;
        assert_int_equal(l->memory->any_flag(m, 1999), 0);
        assert_int_equal(l->memory->any_flag(m, 2000), 1);
        for (int i = 0; i < 300; i++) address[i] = 1000 + 4 * i;
        assert_true(l->memory->consecutive(address, 300, 4));
        assert_false(l->memory->consecutive(address, 300, 2));
        address[299]++;
        assert_false(l->memory->consecutive(address, 300, 4));
        assert_true(l->memory->consecutive(address, 299, 4));
    }
}
// Every half, NaNs with all their bits, the same from each instruction set; at every place within a vector.
static void test_every_half(void **state) {
    (void)state;
    enum { HALVES = 1 << 16 };
    static uint16_t half[HALVES];
    static uint32_t want[HALVES], got[HALVES];
    for (int i = 0; i < HALVES; i++) half[i] = (uint16_t)((uint32_t)i * 40503U);
    tile_loops_base.memory->read[DT_F16](want, half, NULL, NULL, HALVES);
    for (int isa = 0; isa < isas(); isa++) {
        const MemoryLoops *l = tile_loops_of((IsaLevel)isa)->memory;
        for (size_t from = 0; from < 20; from += 3) {
            memset(got, 0, sizeof got);
            l->read[DT_F16](got, half + from, NULL, NULL, HALVES - from);
            assert_memory_equal(got, want + from, (HALVES - from) * sizeof *got);
        }
    }
}

static void test_race_words(void **state) {
    (void)state;
    for (int isa = 0; isa < isas(); isa++) {
        const TileLoops *l = tile_loops_of((IsaLevel)isa);
        // Serials 10.. belong to this launch; we are 12.
        uint32_t writer[6] = {0, 9, 12, 0, 0, 0},
                 reader[6] = {0, 9 | READER_MANY, 12, 11, 11 | READER_MANY, 12 | READER_MANY};
        assert_int_equal(l->memory->race_read(writer, reader, 6, 10, 12), RACE_WROTE);
        uint32_t want[6] = {12, 12, 12, 12 | READER_MANY, 12 | READER_MANY, 12 | READER_MANY};
        assert_memory_equal(reader, want, sizeof want);
        writer[3] = 11;
        assert_int_equal(l->memory->race_read(writer, reader, 6, 10, 12), RACE_OTHER);
        assert_int_equal(l->memory->race_read(writer, reader, 2, 10, 12), 0);
        uint32_t w2[3] = {0, 12, 9}, r2[3] = {0, 12, 9 | READER_MANY};
        assert_int_equal(l->memory->race_write(w2, r2, 3, 10, 12), RACE_WROTE | RACE_READ);
        for (int i = 0; i < 3; i++) assert_int_equal(w2[i], 12);
        const uint32_t other[] = {11, 11 | READER_MANY, 12 | READER_MANY};
        for (int i = 0; i < 3; i++) {
            uint32_t w = 0, r = other[i];
            assert_int_equal(l->memory->race_write(&w, &r, 1, 10, 12), RACE_OTHER);
            assert_int_equal(w, 0);
        }
        uint32_t w1[2] = {0, 9}, r1[2] = {12, 0};
        assert_int_equal(l->memory->race_write(w1, r1, 2, 10, 12), RACE_READ);
        assert_int_equal(l->memory->race_write(w1 + 1, r1 + 1, 1, 10, 12), RACE_WROTE);
        uint32_t w = 11, r = 0;
        assert_int_equal(l->memory->race_write(&w, &r, 1, 10, 12), RACE_OTHER);
        // Nobody has read.
        assert_int_equal(l->memory->race_write(&w, NULL, 1, 10, 12), RACE_OTHER);
        uint32_t w3[3] = {0, 12, 9};
        assert_int_equal(l->memory->race_write(w3, NULL, 3, 10, 12), RACE_WROTE);
        for (int i = 0; i < 3; i++) assert_int_equal(w3[i], 12);
        assert_int_equal(l->memory->race_write(w3 + 1, NULL, 2, 10, 13), RACE_OTHER);
        assert_int_equal(l->memory->race_write(w3, NULL, 3, 13, 13), 0);
    }
}

static void test_span_of_addresses(void **state) {
    (void)state;
    enum { MANY = 77 };
    int64_t address[MANY];
    uint8_t mask[MANY] = {0};
    for (int i = 0; i < MANY; i++) address[i] = 1000 + 8 * ((i * 31) % MANY);
    for (int isa = 0; isa < isas(); isa++) {
        const MemoryLoops *l = tile_loops_of((IsaLevel)isa)->memory;
        AddressSpan s;
        assert_true(l->span(address, NULL, MANY, &s));
        assert_true(s.least == 1000 && s.most == 1000 + 8 * (MANY - 1) && (s.bits & 7) == 0);
        assert_false(l->span(address, mask, MANY, &s));
        mask[3] = mask[70] = 1;
        assert_true(l->span(address, mask, MANY, &s));
        int64_t a = address[3], b = address[70];
        assert_true(s.least == (a < b ? a : b) && s.most == (a > b ? a : b));
        assert_true(s.bits == ((uint64_t)a | (uint64_t)b));
        address[70]++;
        assert_true(l->span(address, mask, MANY, &s) && (s.bits & 1));
        address[70]--;
        mask[76] = 1; // behind the last whole vector
        address[76] += 1 << 20;
        assert_true(l->span(address, mask, MANY, &s) && s.most == address[76]);
        address[76] -= 1 << 20;
        mask[3] = mask[70] = mask[76] = 0;
    }
}

// Elements from anywhere and the sectors that they lie in, against plain loops. Lanes whose mask is 0 have
// any address.
static void test_gather(void **state) {
    (void)state;
    enum { SPACE = 4096, MANY = 100, ROUNDS = 400 };
    static uint8_t memory[SPACE];
    Rng rng = rng_at(23, 1);
    for (int i = 0; i < SPACE; i++) memory[i] = (uint8_t)rng_u32(&rng);
    int repeats = 0, masked = 0;
    for (int round = 0; round < ROUNDS; round++) {
        const int64_t base = ((int64_t)3 << ADDRESS_BITS) + ADDRESS_BIAS;
        size_t size = (size_t)1 << round % 4, n = 1 + rng_below(&rng, MANY);
        int64_t address[MANY], least = INT64_MAX, at = (int64_t)rng_below(&rng, SPACE / size);
        uint8_t mask[MANY];
        for (size_t i = 0; i < n; i++) {
            // Now and then elsewhere, mostly close by.
            if (rng_below(&rng, 8) == 0) at = (int64_t)rng_below(&rng, SPACE / size);
            at = (at + (int64_t)rng_below(&rng, 3)) % (int64_t)(SPACE / size);
            mask[i] = round % 3 == 0 || rng_below(&rng, 4) > 0;
            address[i] = base + at * (int64_t)size;
            if (!mask[i])
                address[i] = (int64_t)(rng_u64(&rng) >> 1);
            else if (address[i] < least)
                least = address[i];
        }
        if (least == INT64_MAX) continue;
        uint64_t want[MANY], last = 0;
        size_t count = 0;
        for (size_t i = 0; i < n; i++) {
            masked += !mask[i];
            if (!mask[i]) continue;
            if (count && last == (uint64_t)address[i] >> 5)
                repeats++;
            else
                want[count++] = last = (uint64_t)address[i] >> 5;
        }
        for (int isa = 0; isa < isas(); isa++) {
            const MemoryLoops *l = tile_loops_of((IsaLevel)isa)->memory;
            for (int bare = 0; bare <= (round % 3 == 0); bare++) {
                const uint8_t *m = bare ? NULL : mask;
                uint64_t out[MANY], sector[MANY];
                l->gather[size](out, memory + (least - base), address, m, least, n);
                for (size_t i = 0; i < n; i++)
                    if (mask[i])
                        assert_memory_equal((uint8_t *)out + i * size, memory + (address[i] - base), size);
                assert_int_equal(l->sectors(address, m, n, sector), count);
                assert_memory_equal(sector, want, count * sizeof *want);
            }
        }
    }
    assert_true(repeats > 1000 && masked > 1000);
}

// Whatever a gather reads and writes may end where memory does.
static void test_gather_at_the_end_of_memory(void **state) {
    (void)state;
    enum { PAGE = 4096, MOST = 20 };
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    uint8_t *end[4];
    for (int i = 0; i < 4; i++) {
        uint8_t *p = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        assert_true(p != MAP_FAILED);
        assert_int_equal(mprotect(p + page, page, PROT_NONE), 0);
        end[i] = p + page;
    }
    for (int isa = 0; isa < isas(); isa++)
        for (size_t size = 1; size <= 8; size *= 2)
            for (size_t n = 1; n <= MOST; n++)
                for (int bare = 0; bare < 2; bare++) {
                    uint8_t *mask = end[0] - n, *from = end[1] - n * size, *to = end[2] - n * size;
                    int64_t *address = (int64_t *)(void *)(end[3] - n * sizeof *address);
                    for (size_t i = 0; i < n * size; i++) from[i] = (uint8_t)(i + 1);
                    for (size_t i = 0; i < n; i++) {
                        mask[i] = i % 3 != 1;
                        address[i] = PAGE + (int64_t)((n - 1 - i) * size);
                    }
                    memset(to - 1, 0xee, n * size + 1);
                    tile_loops_of((IsaLevel)isa)
                        ->memory->gather[size](to, from, address, bare ? NULL : mask, PAGE, n);
                    for (size_t i = 0; i < n; i++)
                        assert_memory_equal(to + i * size, bare || mask[i] ? from + (n - 1 - i) * size : from,
                                            size);
                    assert_int_equal(to[-1], 0xee);
                }
    for (int i = 0; i < 4; i++) munmap(end[i] - page, 2 * page);
}

// Eight neighbours are loaded at once, where all are active and none lies elsewhere.
static void test_gather_of_neighbours(void **state) {
    (void)state;
    enum { MANY = 24, SPACE = 64 };
    static uint8_t memory[8 * SPACE];
    for (int i = 0; i < 8 * SPACE; i++) memory[i] = (uint8_t)(i * 7 + 1);
    for (int isa = 0; isa < isas(); isa++)
        for (size_t size = 4; size <= 8; size += 4)
            for (int odd = -1; odd < MANY; odd++)
                for (int masked = 0; masked < 2; masked++) {
                    int64_t address[MANY];
                    uint8_t mask[MANY], out[8 * MANY];
                    for (int i = 0; i < MANY; i++) {
                        address[i] = 1000 + (int64_t)((size_t)(i + 9) * size);
                        mask[i] = !(masked && i == odd);
                    }
                    if (odd >= 0) address[odd] = 1000 + (int64_t)size; // elsewhere, or not active
                    tile_loops_of((IsaLevel)isa)
                        ->memory->gather[size](out, memory, address, masked ? mask : NULL, 1000, MANY);
                    for (int i = 0; i < MANY; i++) {
                        int64_t at = mask[i] ? address[i] - 1000 : 0;
                        assert_memory_equal(out + (size_t)i * size, memory + at, size);
                    }
                }
}

int main(void) {
    const struct CMUnitTest tests[] = {

        cmocka_unit_test(test_gather_of_neighbours),
        cmocka_unit_test(test_memory_formats),
        cmocka_unit_test(test_ptradd),
        cmocka_unit_test(test_passes),
        cmocka_unit_test(test_every_half),
        cmocka_unit_test(test_race_words),
        cmocka_unit_test(test_span_of_addresses),
        cmocka_unit_test(test_gather),
        cmocka_unit_test(test_gather_at_the_end_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
