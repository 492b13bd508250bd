// Decoding of blocks: ggml's to the bit, and rows anywhere in memory.
#include "weights/quant/quant_blocks.h"

typedef struct {
    const uint8_t *p;
    size_t left;
} Reader;

static const void *take(Reader *r, size_t n) {
    assert_true(n <= r->left);
    const void *p = r->p;
    r->p += n;
    r->left -= n;
    return p;
}
static uint32_t take32(Reader *r) {
    uint32_t v;
    memcpy(&v, take(r, 4), 4);
    return v;
}

static WeightType type_of(uint32_t id) {
    for (int t = 0; t < W_COUNT; t++)
        if ((uint32_t)WEIGHT_TYPE[t].gguf_id == id) return (WeightType)t;
    fail_msg("type %u", id);
    return W_F32;
}

static void test_golden(void **state) {
    (void)state;
    Arena a = {0};
    Err e = {0};
    Str file;
    if (!io_read(&a, "test/weights/golden/quant.bin", 1 << 20, &file, &e)) fail_msg("%s", e.msg);
    Reader r = {(const uint8_t *)file.p, file.len};
    uint32_t n = take32(&r);
    float *x = NEWN(&a, float, n), *y = NEWN(&a, float, n), *want = NEWN(&a, float, n);
    memcpy(x, take(&r, 4 * n), 4 * n);
    int types = 0;
    while (r.left) {
        WeightType t = type_of(take32(&r));
        uint32_t bytes = take32(&r);
        const WeightTypeInfo *info = &WEIGHT_TYPE[t];
        assert_int_equal(bytes, n / (uint32_t)info->block * (uint32_t)info->block_bytes);
        const uint8_t *theirs = take(&r, bytes);
        memcpy(want, take(&r, 4 * n), 4 * n);
        quant_decode(t, theirs, n, y);
        assert_memory_equal(y, want, 4 * n);

        // Ours: the same bytes where there is nothing to search for, else as close to the numbers.
        uint8_t *ours = NEWN(&a, uint8_t, bytes);
        quant_encode(t, x, n, ours);
        if (info->block < 256) {
            assert_memory_equal(ours, theirs, bytes);
        } else {
            quant_decode(t, ours, n, y);
            double ratio = error_of(x, y, n) / error_of(x, want, n);
            if (!(ratio < 1.02)) fail_msg("%s: %.4f of ggml's error", info->name, ratio);
        }

        assert_int_equal(take32(&r), bytes);
        const uint8_t *noise = take(&r, bytes);
        memcpy(want, take(&r, 4 * n), 4 * n);
        quant_decode(t, noise, n, y);
        assert_memory_equal(y, want, 4 * n);
        uint8_t *changed = NEWN(&a, uint8_t, bytes); // and it does look at the bytes
        int idle = 0;
        for (uint32_t i = 0; i < 300 && i < bytes; i++) {
            memcpy(changed, noise, bytes);
            changed[i] ^= 0x10;
            quant_decode(t, changed, n, y);
            idle += memcmp(y, want, 4 * n) == 0;
        }
        if (idle > 64) fail_msg("%s: %d bytes change nothing", info->name, idle); // those whose scale is 0
        types++;
    }
    assert_int_equal(types, W_COUNT - 1); // all but F32
    arena_free(&a);
}

static void test_rows(void **state) {
    (void)state;
    float x[3 * 64], y[64];
    uint8_t b[3 * 68 + 1];
    for (int i = 0; i < 192; i++) x[i] = (float)(i % 64 - 32) * (float)(1 + i / 64);
    quant_encode(W_Q8_0, x, 192, b + 1);
    Weight w = {.type = W_Q8_0, .rows = 3, .cols = 64, .data = b + 1}; // anywhere in memory
    assert_int_equal(weight_row_bytes(&w), 68);
    weight_row(&w, 2, y);
    for (int i = 0; i < 64; i++) assert_true(fabsf(y[i] - x[128 + i]) < 0.5f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_golden),
        cmocka_unit_test(test_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
