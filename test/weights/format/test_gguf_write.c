// The head of a GGUF file as it is written: what is put is read again.
#include "weights/format/gguf_files.h"

// What we write is what we read.
static void test_written(void **state) {
    (void)state;
    Arena a = {0};
    Err e = {0};
    Gguf g, back;
    uint8_t *copy, *again;
    Made m = sample(&a);
    assert_true(reads_copy(&a, made_bytes(&a, &m), &g, &copy, &e));
    GgufHead h = gguf_head(&a);
    for (int i = 0; i < g.keys; i++) gguf_put_key(&h, &g.key[i]);
    gguf_put_real(&h, "real", 0.5);
    gguf_put_bool(&h, "yes", true);
    gguf_put_texts(&h, "more", (Str[]){STR("x"), STR("")}, 2);
    gguf_put_ints(&h, "ints", (int32_t[]){-1, 2}, 2);
    gguf_put_tensor(&h, "first", 0, 2, (int64_t[]){2, 3}, 24);
    gguf_put_tensor(&h, "second", 8, 1, (int64_t[]){64}, 68);
    Buf all = BUF(&a);
    buf_str_put(&all, gguf_head_bytes(&a, &h));
    assert_int_equal(all.len % GGUF_ALIGNMENT, 0);
    for (size_t i = 0; i < 32 + 96; i++) buf_putc(&all, (char)i);
    assert_true(reads_copy(&a, buf_str(&all), &back, &again, &e));
    assert_int_equal(back.keys, g.keys + 4);
    for (int i = 0; i < g.keys; i++) {
        assert_true(str_eq(back.key[i].name, g.key[i].name) && back.key[i].bytes == g.key[i].bytes);
        assert_memory_equal(back.key[i].p, g.key[i].p, g.key[i].bytes);
    }
    const Stored *s = stored_find(&back.tensors, STR("second"));
    assert_true(s && s->data[0] == 32 && s->bytes == 68);
    assert_string_equal(stored_shape(stored_find(&back.tensors, STR("first"))).at, "[2, 3]");
    free(copy);
    free(again);
    arena_free(&a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
