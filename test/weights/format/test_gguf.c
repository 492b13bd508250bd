// Every rule of the GGUF container: a file that keeps it, and one that breaks it alone.
#include "weights/format/gguf_files.h"

static bool reads(Arena *a, Str s, Err *e) {
    Gguf g;
    uint8_t *copy;
    bool ok = reads_copy(a, s, &g, &copy, e);
    free(copy);
    return ok;
}

static void refused(Arena *a, const Made *m, const char *says) {
    Err e = {0};
    if (reads(a, made_bytes(a, m), &e)) fail_msg("accepted, where \"%s\" should be said", says);
    assert_int_equal(e.code, ERR_INPUT);
    assert_says(e, says);
}
static void accepted(Arena *a, const Made *m) {
    Err e = {0};
    if (!reads(a, made_bytes(a, m), &e)) fail_msg("%s", e.msg);
}

static void test_sample(void **state) {
    (void)state;
    Arena a = {0};
    Made m = sample(&a);
    accepted(&a, &m);
    m.version = 2;
    accepted(&a, &m);
    Made none = made_new(&a);
    accepted(&a, &none);
    arena_free(&a);
}

static void test_header(void **state) {
    (void)state;
    Arena a = {0};
    static const struct {
        uint32_t version;
        const char *says;
    } versions[] = {{0, "version 0"}, {1, "version 1"}, {4, "version 4"}, {0x03000000, "big-endian"}};
    for (size_t i = 0; i < sizeof versions / sizeof *versions; i++) {
        Made m = sample(&a);
        m.version = versions[i].version;
        refused(&a, &m, versions[i].says);
    }
    Made m = sample(&a);
    Str s = made_bytes(&a, &m);
    ((char *)(uintptr_t)s.p)[3] = 'f';
    Err e = {0};
    assert_false(reads(&a, s, &e));
    assert_says(e, "no GGUF file");
    static const uint64_t counts[] = {UINT64_MAX, (uint64_t)INT64_MAX + 1, (1 << 20) + 1, 1 << 16, 3};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        m = sample(&a);
        m.tensor_count = counts[i];
        Err t = {0};
        assert_false(reads(&a, made_bytes(&a, &m), &t));
        m = sample(&a);
        m.key_count = counts[i] == 3 ? 5 : counts[i]; // four are there
        Err k = {0};
        assert_false(reads(&a, made_bytes(&a, &m), &k));
    }
    arena_free(&a);
}

static void test_keys(void **state) {
    (void)state;
    Arena a = {0};
    Made m = sample(&a);
    made_int(&m, "", 1);
    refused(&a, &m, "a name has a byte at least");
    m = sample(&a);
    made_int(&m, "n", 8);
    refused(&a, &m, "key \"n\" is there twice");
    m = sample(&a);
    made_key(&m, "odd", (GgufType)13, "xxxx", 4);
    refused(&a, &m, "no such type of value: 13");
    m = sample(&a);
    made_array(&m, "nested", GGUF_ARRAY, 1, "xxxxxxxx", 8);
    refused(&a, &m, "an array of arrays");
    m = sample(&a);
    made_array(&m, "odd", (GgufType)99, 1, "xxxx", 4);
    refused(&a, &m, "no such type of value: 99");
    m = sample(&a);
    made_array(&m, "many", GGUF_U8, (1u << 30) + 1, "", 0);
    refused(&a, &m, "an array of 1073741825");
    m = sample(&a);
    made_array(&m, "many", GGUF_U32, 1 << 20, "", 0);
    refused(&a, &m, "the file ends inside many");
    m = sample(&a);
    made_array(&m, "many", GGUF_STRING, 1 << 29, "", 0);
    refused(&a, &m, "536870912 texts in");
    m = sample(&a);
    made_key(&m, "long", GGUF_STRING, "\1\0\0\100\0\0\0\0", 8); // 2^30 + 1
    refused(&a, &m, "a text of 1073741825 bytes");
    m = sample(&a);
    made_key(&m, "long", GGUF_STRING, "\377\377\377\377\377\377\377\377", 8);
    refused(&a, &m, "a text of 18446744073709551615 bytes");
    for (int value = 0; value <= 2; value++) {
        m = sample(&a);
        made_key(&m, "yes", GGUF_BOOL, (char[]){(char)value}, 1);
        made_array(&m, "some", GGUF_BOOL, 2, (char[]){1, (char)value}, 2);
        if (value < 2)
            accepted(&a, &m);
        else
            refused(&a, &m, "neither 0 nor 1");
    }
    arena_free(&a);
}

static void test_alignment(void **state) {
    (void)state;
    Arena a = {0};
    static const struct {
        uint32_t value;
        bool good;
    } alignments[] = {{0, false},  {1, true},  {3, false},      {8, true},
                      {33, false}, {64, true}, {1 << 21, false}};
    for (size_t i = 0; i < sizeof alignments / sizeof *alignments; i++) {
        Made m = made_new(&a);
        m.alignment = alignments[i].good ? alignments[i].value : 32;
        made_int(&m, "general.alignment", alignments[i].value);
        made_tensor(&m, "first", 0, 1, (uint64_t[]){3}, NULL, 12);
        made_tensor(&m, "second", 0, 1, (uint64_t[]){3}, NULL, 12);
        if (alignments[i].good)
            accepted(&a, &m);
        else
            refused(&a, &m, "general.alignment");
    }
    arena_free(&a);
}

static void test_tensors(void **state) {
    (void)state;
    Arena a = {0};
    static const struct {
        const char *name;
        uint32_t type, dims;
        uint64_t ne[5];
        const char *says; // NULL: fine
    } rows[] = {
        {"x", 0, 0, {0}, NULL}, // one element
        {"x", 0, 4, {1, 1, 1, 1}, NULL},
        {"x", 0, 2, {0, 5}, NULL},
        {"x", 12, 1, {256}, NULL},
        {"x", 10, 1, {256}, NULL}, // known to ggml, if not to us
        {"", 0, 1, {1}, "1 to 63 bytes"},
        {"123456789012345678901234567890123456789012345678901234567890123", 0, 1, {1}, NULL},
        {"1234567890123456789012345678901234567890123456789012345678901234", 0, 1, {1}, "1 to 63 bytes"},
        {"x", 0, 5, {1, 1, 1, 1, 1}, "5 dimensions"},
        {"x", 0, 1, {(uint64_t)1 << 63}, "overflows"},
        {"x", 0, 2, {(uint64_t)1 << 32, (uint64_t)1 << 32}, "overflows"},
        {"x", 0, 1, {(uint64_t)1 << 62}, "overflows"},
        {"x", 4, 1, {32}, "no such type: 4"},
        {"x", 99, 1, {32}, "no such type: 99"},
        {"x", UINT32_MAX, 1, {32}, "no such type"},
        {"x", 8, 1, {33}, "do not divide"},
        {"x", 12, 2, {128, 2}, "do not divide"},
        {"first", 0, 1, {1}, "is there twice"},
        {"x", 0, 1, {1 << 20}, "ends behind the file's end"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        Made m = sample(&a);
        made_tensor(&m, rows[i].name, rows[i].type, rows[i].dims, rows[i].ne, NULL, 192);
        if (rows[i].says)
            refused(&a, &m, rows[i].says);
        else
            accepted(&a, &m);
    }
    static const uint64_t offsets[] = {0, 24, 31, 33, 64, UINT64_MAX - 31};
    for (size_t i = 0; i < sizeof offsets / sizeof *offsets; i++) {
        Made m = sample(&a); // the last eight bytes of the table are the second tensor's offset, 32
        memcpy(m.infos.p + m.infos.len - 8, &offsets[i], 8);
        refused(&a, &m, "where 32 should follow");
    }
    arena_free(&a);
}

static void test_every_prefix(void **state) {
    (void)state;
    Arena a = {0};
    Made m = sample(&a);
    Str s = made_bytes(&a, &m);
    for (size_t n = 0; n <= s.len; n++) {
        Err e = {0};
        // Only the padding behind the last tensor may be missing, as ggml has it.
        assert_int_equal(reads(&a, (Str){s.p, n}, &e), n + 28 >= s.len);
    }
    arena_free(&a);
}

// Every byte of the table changed to a few others: whatever it says then, nothing outside is read.
static void test_every_byte(void **state) {
    (void)state;
    Arena a = {0};
    Made m = sample(&a);
    Str s = made_bytes(&a, &m);
    static const uint8_t others[] = {0, 1, 0x7f, 0x80, 0xff};
    char *p = (char *)(uintptr_t)s.p;
    for (size_t i = 0; i < s.len; i++)
        for (size_t k = 0; k < sizeof others; k++) {
            char keep = p[i];
            Err e = {0};
            Gguf g;
            uint8_t *copy;
            ArenaMark mark = arena_mark(&a);
            p[i] = (char)others[k];
            if (reads_copy(&a, s, &g, &copy, &e)) {
                unsigned sum = 0;
                for (int t = 0; t < g.tensors.count; t++)
                    for (size_t b = 0; b < g.tensors.at[t].bytes; b++) sum += g.tensors.at[t].data[b];
                for (int t = 0; t < g.keys; t++)
                    for (size_t b = 0; b < g.key[t].bytes; b++) sum += g.key[t].p[b];
                assert_true(sum < 1u << 30);
            }
            free(copy);
            arena_reset(&a, mark);
            p[i] = keep;
        }
    arena_free(&a);
}

static void test_values(void **state) {
    (void)state;
    Arena a = {0};
    Err e = {0};
    Gguf g;
    uint8_t *copy;
    Made m = sample(&a);
    made_key(&m, "i8", GGUF_I8, (int8_t[]){-3}, 1);
    made_key(&m, "u64", GGUF_U64, (uint64_t[]){UINT64_MAX}, 8);
    made_key(&m, "f64", GGUF_F64, (double[]){0.25}, 8);
    made_key(&m, "yes", GGUF_BOOL, "\1", 1);
    made_array(&m, "same", GGUF_U32, 2, (uint32_t[]){5, 5}, 8);
    made_array(&m, "different", GGUF_U32, 2, (uint32_t[]){5, 6}, 8);
    made_array(&m, "none", GGUF_U32, 0, "", 0);
    assert_true(reads_copy(&a, made_bytes(&a, &m), &g, &copy, &e));
    int64_t i = 99;
    double x = 0;
    bool yes = false;
    Str text = {0};
    assert_true(gguf_int(&g, "absent", 0, 9, &i, &e) && i == 99);
    assert_true(gguf_int(&g, "n", 0, 9, &i, &e) && i == 7);
    assert_true(gguf_int(&g, "i8", -9, 9, &i, &e) && i == -3);
    assert_true(gguf_int(&g, "same", 0, 9, &i, &e) && i == 5);
    assert_true(gguf_real(&g, "f64", &x, &e) && x == 0.25);
    assert_true(gguf_bool(&g, "yes", &yes, &e) && yes);
    assert_true(gguf_text(&g, "general.architecture", &text, &e) && str_is(text, "llama"));
    const Str *words;
    const int32_t *list;
    int n;
    assert_true(gguf_texts(&a, &g, "words", &words, &n, &e) && n == 2 && str_is(words[1], "bc"));
    assert_true(gguf_ints(&a, &g, "list", &list, &n, &e) && n == 3 && list[1] == -2);
    static const char *const not_int[] = {
        "u64", "f64", "yes", "words", "different", "none", "general.architecture"};
    for (size_t k = 0; k < sizeof not_int / sizeof *not_int; k++) {
        Err why = {0};
        assert_false(gguf_int(&g, not_int[k], INT64_MIN, INT64_MAX, &i, &why));
    }
    Err why[5] = {0};
    assert_false(gguf_int(&g, "n", 8, 9, &i, &why[0]));
    assert_says(why[0], "from 8 to 9");
    assert_false(gguf_real(&g, "n", &x, &why[1]));
    assert_false(gguf_text(&g, "words", &text, &why[2]));
    assert_false(gguf_texts(&a, &g, "list", &words, &n, &why[3]));
    assert_false(gguf_ints(&a, &g, "words", &list, &n, &why[4]));
    free(copy);
    arena_free(&a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sample),     cmocka_unit_test(test_header),
        cmocka_unit_test(test_keys),       cmocka_unit_test(test_alignment),
        cmocka_unit_test(test_tensors),    cmocka_unit_test(test_every_prefix),
        cmocka_unit_test(test_every_byte), cmocka_unit_test(test_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
