// Every rule of the safetensors format: a file that keeps it, and one that breaks it alone.
#include "weights/format/safetensors.h"

#include "weights/making.h"

// Over a copy of exactly this size, so that AddressSanitizer sees a byte too many.
static bool reads(const void *p, size_t n, StoredTable *t, Arena *a, Err *e) {
    uint8_t *copy = malloc(n ? n : 1);
    if (n) memcpy(copy, p, n);
    Mapped m = {"file", copy, n};
    bool ok = safetensors_read(a, &m, t, e);
    const Stored *twice = ok ? stored_seal(a, t) : NULL;
    if (twice) ok = err_set(e, ERR_INPUT, "twice: %s", shown(twice->name).at);
    free(copy);
    return ok;
}

static bool reads_header(const char *header, size_t data, Err *e) {
    Arena a = {0};
    Buf b = BUF(&a);
    StoredTable t = {0};
    safetensors_bytes(&b, str_of(header), data);
    bool ok = reads(b.p, b.len, &t, &a, e);
    arena_free(&a);
    return ok;
}

#define ENTRY(dtype, shape, from, to) \
    "{\"dtype\":\"" dtype "\",\"shape\":" shape ",\"data_offsets\":[" #from "," #to "]}"

static void test_good_headers(void **state) {
    (void)state;
    static const struct {
        const char *header;
        size_t data;
    } good[] = {
        {"{}", 0},
        {"{}   ", 0},
        {"{ \"a\" : {\"shape\":[2,3], \"data_offsets\":[0 , 24],\n\"dtype\":\"F32\"} }", 24},
        {"{\"a\":" ENTRY("F32", "[]", 0, 4) "}", 4},
        {"{\"a\":" ENTRY("F32", "[0,7]", 0, 0) ",\"b\":" ENTRY("BF16", "[2]", 0, 4) "}", 4},
        {"{\"b\":" ENTRY("F16", "[2]", 4, 8) ",\"a\":" ENTRY("F32", "[1]", 0, 4) "}", 8},
        {"{\"__metadata__\":{\"format\":\"pt\",\"x\":\"\"},\"a\":" ENTRY("I64", "[1]", 0, 8) "}", 8},
        {"{\"__metadata__\":{}}", 0},
        {"{\"a\":" ENTRY("F4", "[4]", 0, 2) "}", 2},
        {"{\"a\":" ENTRY("F6_E2M3", "[4]", 0, 3) "}", 3},
        {"{\"\\u00e9\\n\\ud83d\\ude00\\\"\":" ENTRY("BOOL", "[1]", 0, 1) "}", 1},
        {"{\"\xc3\xa9\":" ENTRY("U8", "[1,1,1,1,1,1,1,1]", 0, 1) "}", 1},
    };
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        Err e = {0};
        if (!reads_header(good[i].header, good[i].data, &e)) fail_msg("%s: %s", good[i].header, e.msg);
    }
}

static void test_bad_headers(void **state) {
    (void)state;
    static const struct {
        const char *header;
        size_t data;
        const char *says;
    } bad[] = {
        {"", 0, "'{' belongs"},
        {" {}", 0, "'{' belongs"},
        {"[]", 0, "'{' belongs"},
        {"{}x", 0, "only spaces"},
        {"{}\n", 0, "only spaces"},
        {"{", 0, "belongs here"},
        {"{\"a\"", 0, "':' belongs"},
        {"{\"a", 0, "does not end"},
        {"{\"a\tb\":" ENTRY("U8", "[1]", 0, 1) "}", 1, "control character"},
        {"{\"a\\q\":" ENTRY("U8", "[1]", 0, 1) "}", 1, "no such escape"},
        {"{\"a\\u00g0\":" ENTRY("U8", "[1]", 0, 1) "}", 1, "hexadecimal"},
        {"{\"a\\u00", 0, "inside an escape"},
        {"{\"a\\", 0, "inside an escape"},
        {"{\"\\ud83d\":" ENTRY("U8", "[1]", 0, 1) "}", 1, "surrogate"},
        {"{\"\\ud83d\\u0041\":" ENTRY("U8", "[1]", 0, 1) "}", 1, "surrogate"},
        {"{\"\\ude00\":" ENTRY("U8", "[1]", 0, 1) "}", 1, "surrogate"},
        {"{\"a\\u0000\":" ENTRY("U8", "[1]", 0, 1) "}", 1, "NUL"},
        {"{\"\xff\":" ENTRY("U8", "[1]", 0, 1) "}", 1, "not UTF-8"},
        {"{\"a\":[]}", 0, "'{' belongs"},
        {"{\"a\":{}}", 0, "\"dtype\" is missing"},
        {"{\"a\":{\"dtype\":\"U8\",\"shape\":[1]}}", 1, "\"data_offsets\" is missing"},
        {"{\"a\":{\"dtype\":\"U8\",\"data_offsets\":[0,1]}}", 1, "\"shape\" is missing"},
        {"{\"a\":{\"dtype\":\"U8\",\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[0,1]}}", 1, "twice"},
        {"{\"a\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[0,1],\"x\":1}}", 1, "no such key"},
        {"{\"a\":" ENTRY("F128", "[1]", 0, 16) "}", 16, "unknown dtype"},
        {"{\"a\":" ENTRY("F32", "[-1]", 0, 4) "}", 4, "number belongs here"},
        {"{\"a\":" ENTRY("F32", "[1.0]", 0, 4) "}", 4, "belongs here"},
        {"{\"a\":" ENTRY("F32", "[01]", 0, 4) "}", 4, "leading zero"},
        {"{\"a\":" ENTRY("F32", "[1,]", 0, 4) "}", 4, "number belongs here"},
        {"{\"a\":" ENTRY("U8", "[1,1,1,1,1,1,1,1,1]", 0, 1) "}", 1, "more than 8"},
        {"{\"a\":" ENTRY("U8", "[18446744073709551616]", 0, 1) "}", 1, "64 bits"},
        {"{\"a\":" ENTRY("U8", "[9223372036854775808]", 0, 1) "}", 1, "63 bits"},
        {"{\"a\":" ENTRY("F32", "[4294967296,4294967296]", 0, 4) "}", 4, "overflows"},
        {"{\"a\":" ENTRY("F32", "[2305843009213693952]", 0, 4) "}", 4, "overflows"},
        {"{\"a\":" ENTRY("F4", "[3]", 0, 2) "}", 2, "whole bytes"},
        {"{\"a\":" ENTRY("F32", "[2]", 0, 4) "}", 4, "8 bytes, data_offsets say 4"},
        {"{\"a\":" ENTRY("F32", "[1]", 0, 8) "}", 8, "4 bytes, data_offsets say 8"},
        {"{\"a\":" ENTRY("F32", "[1]", 4, 8) "}", 8, "where 0 should follow"},
        {"{\"a\":" ENTRY("F32", "[1]", 4, 0) "}", 4, "should follow"},
        {"{\"a\":" ENTRY("F32", "[1]", 0, 4) ",\"b\":" ENTRY("F32", "[1]", 0, 4) "}", 4,
         "where 4 should follow"},
        {"{\"a\":" ENTRY("F32", "[2]", 0, 8) ",\"b\":" ENTRY("F32", "[1]", 4, 8) "}", 8,
         "where 8 should follow"},
        {"{\"a\":" ENTRY("F32", "[1]", 0, 4) ",\"b\":" ENTRY("F32", "[1]", 8, 12) "}", 12,
         "where 4 should follow"},
        {"{\"a\":" ENTRY("F32", "[1]", 0, 4) "}", 5, "something else is behind"},
        {"{\"a\":" ENTRY("F32", "[1]", 0, 4) "}", 3, "it is cut"},
        {"{}", 1, "something else is behind"},
        {"{\"a\":" ENTRY("U8", "[1]", 0, 1) ",\"a\":" ENTRY("U8", "[1]", 1, 2) "}", 2, "twice"},
        {"{\"__metadata__\":{\"a\":1}}", 0, "'\"' belongs"},
        {"{\"__metadata__\":null}", 0, "'{' belongs"},
        {"{\"__metadata__\":{},\"__metadata__\":{}}", 0, "twice"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        Err e = {0};
        if (reads_header(bad[i].header, bad[i].data, &e)) fail_msg("accepted: %s", bad[i].header);
        assert_int_equal(e.code, ERR_INPUT);
        if (!strstr(e.msg, bad[i].says))
            fail_msg("%s: \"%s\" does not say \"%s\"", bad[i].header, e.msg, bad[i].says);
    }
}

static void test_lengths(void **state) {
    (void)state;
    static const struct {
        uint64_t n;
        size_t bytes; // behind the length
        const char *says;
    } bad[] = {{100000001, 16, "100000001 bytes"},
               {UINT64_MAX, 16, "no safetensors"},
               {3, 2, "it is cut"},
               {2, 0, "it is cut"}};
    Arena a = {0};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        Err e = {0};
        Buf b = BUF(&a);
        StoredTable t = {0};
        buf_put(&b, &bad[i].n, 8);
        buf_put(&b, "{}              ", bad[i].bytes);
        assert_false(reads(b.p, b.len, &t, &a, &e));
        assert_says(e, bad[i].says);
    }
    for (size_t n = 0; n < 8; n++) {
        Err e = {0};
        StoredTable t = {0};
        assert_false(reads("\2\0\0\0\0\0\0\0", n, &t, &a, &e));
        assert_says(e, "no safetensors file");
    }
    arena_free(&a);
}

// A whole file, cut at every byte: never accepted, never read past its end.
static void test_every_prefix(void **state) {
    (void)state;
    Arena a = {0};
    Buf b = BUF(&a);
    safetensors_bytes(
        &b, STR("{\"a\\u00e9\":" ENTRY("F32", "[2]", 0, 8) ",\"b\":" ENTRY("F16", "[1]", 8, 10) "}"), 10);
    for (size_t n = 0; n <= b.len; n++) {
        Err e = {0};
        StoredTable t = {0};
        assert_int_equal(reads(b.p, n, &t, &a, &e), n == b.len);
    }
    arena_free(&a);
}

static void test_what_is_found(void **state) {
    (void)state;
    Arena a = {0};
    Buf b = BUF(&a);
    Err e = {0};
    StoredTable t = {0};
    safetensors_bytes(
        &b, STR("{\"b\\u00e9\":" ENTRY("F16", "[3]", 24, 30) ",\"a\":" ENTRY("F32", "[2,3]", 0, 24) "}"), 30);
    Mapped m = {"file", (const uint8_t *)b.p, b.len};
    assert_true(safetensors_read(&a, &m, &t, &e));
    assert_null(stored_seal(&a, &t));
    assert_int_equal(t.count, 2);
    const Stored *s = stored_find(&t, STR("b\xc3\xa9"));
    assert_non_null(s);
    assert_int_equal(s->type, W_F16);
    assert_int_equal(s->rank, 1);
    assert_ptr_equal(s->data, b.p + b.len - 6);
    s = stored_find(&t, STR("a"));
    assert_non_null(s);
    assert_string_equal(stored_shape(s).at, "[2, 3]");
    assert_int_equal(s->bytes, 24);
    assert_null(stored_find(&t, STR("c")));
    arena_free(&a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_good_headers),  cmocka_unit_test(test_bad_headers),
        cmocka_unit_test(test_lengths),       cmocka_unit_test(test_every_prefix),
        cmocka_unit_test(test_what_is_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
