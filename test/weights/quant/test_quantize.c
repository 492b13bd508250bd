// A checkpoint written as GGUF: the numbers are those of the source, row by row; nothing is written unless
// all of it is.
#include "weights/quant/quantised.h"

// What llama.cpp's own quantiser chooses for 8 layers, measured.
static void test_mixes(void **state) {
    (void)state;
    ModelConfig c = {.layers = 8}, tied = {.layers = 8, .tied = true};
    static const bool more[8] = {true, false, false, true, false, false, true, true};
    bool fallback;
    for (int l = 0; l < 8; l++) {
        assert_int_equal(filetype_of(FTYPE_q4_k_m, &c, ROLE_V, l, 256, &fallback), more[l] ? W_Q6_K : W_Q4_K);
        assert_int_equal(filetype_of(FTYPE_q5_k_m, &c, ROLE_DOWN, l, 256, &fallback),
                         more[l] ? W_Q6_K : W_Q5_K);
        assert_int_equal(filetype_of(FTYPE_q4_k_m, &c, ROLE_K, l, 256, &fallback), W_Q4_K);
        assert_int_equal(filetype_of(FTYPE_q8_0, &c, ROLE_V, l, 256, &fallback), W_Q8_0);
        assert_int_equal(filetype_of(FTYPE_q4_k_m, &c, ROLE_ATTN_NORM, l, 256, &fallback), W_F32);
        assert_int_equal(filetype_of(FTYPE_f16, &c, ROLE_Q_BIAS, l, 256, &fallback), W_F32);
    }
    assert_int_equal(filetype_of(FTYPE_q4_k_m, &c, ROLE_HEAD, 0, 256, &fallback), W_Q6_K);
    assert_int_equal(filetype_of(FTYPE_q4_k_m, &c, ROLE_EMBED, 0, 256, &fallback), W_Q4_K);
    assert_int_equal(filetype_of(FTYPE_q4_k_m, &tied, ROLE_EMBED, 0, 256, &fallback), W_Q6_K);
    assert_false(fallback);
    static const struct {
        FileType file;
        int64_t cols;
        WeightType type;
    } rows[] = {{FTYPE_q4_k_m, 128, W_Q5_0}, {FTYPE_q5_k_m, 96, W_Q5_1}, {FTYPE_q6_k, 32, W_Q8_0},
                {FTYPE_q6_k, 40, W_F16},     {FTYPE_q8_0, 40, W_F16},    {FTYPE_q4_k_m, 33, W_F16}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_int_equal(filetype_of(rows[i].file, &c, ROLE_Q, 0, rows[i].cols, &fallback), rows[i].type);
        assert_true(fallback);
    }
    FileType t;
    assert_true(filetype_by_name("q5_k_m", &t) && t == FTYPE_q5_k_m && filetype_id(t) == 17);
    assert_false(filetype_by_name("q5_k_s", &t));
}

// Row r of q or k in GGUF's order comes from this row.
static int64_t from_row(int64_t r) {
    int64_t i = r % HEAD_DIM;
    return r - i + (i % 2 ? HEAD_DIM / 2 + i / 2 : i / 2);
}

static void same_weights(const Checkpoint *from, const Checkpoint *to, bool reordered, double most) {
    static float x[INNER], y[INNER];
    for (int role = 0; role < ROLE_COUNT; role++)
        for (int l = 0; l < (role_per_layer((WeightRole)role) ? LAYERS : 1); l++) {
            const Weight *w = checkpoint_weight(from, (WeightRole)role, l),
                         *v = checkpoint_weight(to, (WeightRole)role, l);
            assert_int_equal(w != NULL, v != NULL);
            for (int64_t r = 0; w && r < w->rows; r++) {
                weight_row(w, reordered && (role == ROLE_Q || role == ROLE_K) ? from_row(r) : r, x);
                weight_row(v, r, y);
                for (int64_t i = 0; i < w->cols; i++)
                    if (!(fabs((double)x[i] - (double)y[i]) <= most))
                        fail_msg("role %d row %lld: %g, not %g", role, (long long)r, (double)y[i],
                                 (double)x[i]);
            }
        }
}

static void test_from_folder(void **state) {
    (void)state;
    static const struct {
        FileType type;
        double most;
    } rows[] = {{FTYPE_f16, 0}, {FTYPE_q8_0, 0.002}, {FTYPE_q4_k_m, 0.04}};
    for (int qwen = 0; qwen < 2; qwen++) {
        Tensors t = tensors_of(&arena, qwen, !qwen);
        const char *folder = model_folder(
            &arena,
            config_with(&arena, qwen ? "{\"model_type\":\"qwen2\",\"architectures\":null,"
                                       "\"tie_word_embeddings\":true,\"eos_token_id\":[1,5,6,7,9]}"
                                     : "{}"),
            &t);
        const char *to = arena_printf(&arena, "%s/out.gguf", folder),
                   *again = arena_printf(&arena, "%s/again.gguf", folder);
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
            QuantiseReport r;
            Err e;
            if (!writes(folder, to, rows[i].type, &r, &e)) fail_msg("%s", e.msg);
            assert_int_equal(r.fallbacks, rows[i].type == FTYPE_q4_k_m ? t.n - (qwen ? 11 : 5) : 0);
            assert_int_equal(r.ends_left, qwen ? 2 : 0);
            Checkpoint *from = opened(folder), *c = opened(to);
            assert_true(c->config.tied == qwen && c->config.bos == 0 &&
                        c->config.eos_count == (qwen ? 3 : 1));
            assert_true(c->config.head_dim == HEAD_DIM && c->config.context == 128 &&
                        c->config.rope_theta == 10000);
            assert_int_equal(c->bytes, r.bytes_out);
            same_weights(from, c, !qwen, rows[i].most);
            // The same type again copies blocks; onto itself works, too.
            if (!writes(to, again, rows[i].type, &r, &e) || !writes(again, again, rows[i].type, &r, &e))
                fail_msg("%s", e.msg);
            Checkpoint *twice = opened(again);
            same_weights(c, twice, false, 0);
            checkpoint_close(from);
            checkpoint_close(c);
            checkpoint_close(twice);
        }
        folder_remove(folder);
    }
}

// From GGUF, the keys of the source go along.
static void test_from_gguf(void **state) {
    (void)state;
    const char *folder = folder_new(&arena);
    Made m = made_new(&arena);
    Tensors t = tensors_of(&arena, false, true);
    Err e;
    QuantiseReport r;
    made_keys(&m, "llama", &arena);
    made_text(&m, "general.name", "a name");
    made_int(&m, "general.file_type", 0);
    made_weights(&arena, &m, &t, true);
    const float divisor[HEAD_DIM / 2] = {1, 1, 1, 2, 2, 4, 8, 8};
    made_tensor(&m, "rope_freqs.weight", 0, 1, (uint64_t[]){HEAD_DIM / 2}, divisor, sizeof divisor);
    const char *from = made_file(&arena, &m, folder, "m.gguf"),
               *to = arena_printf(&arena, "%s/out.gguf", folder);
    if (!writes(from, to, FTYPE_f16, &r, &e)) fail_msg("%s", e.msg);
    Checkpoint *a = opened(from), *b = opened(to);
    same_weights(a, b, false, 0);
    assert_memory_equal(b->rope_divisor, divisor, sizeof divisor);
    Str name = {0};
    int64_t type = 0;
    assert_true(gguf_text(&b->files->gguf, "general.name", &name, &e) && str_is(name, "a name"));
    assert_true(gguf_int(&b->files->gguf, "general.file_type", 0, 99, &type, &e) && type == 1);
    checkpoint_close(a);
    checkpoint_close(b);
    folder_remove(folder);
}

// llama3's scaling as divisors: where HF scales a frequency, llama.cpp divides it.
static void test_llama3(void **state) {
    (void)state;
    Tensors t = tensors_of(&arena, false, true);
    const char *folder =
        model_folder(&arena,
                     config_with(&arena, "{\"rope_theta\":500000,\"rope_scaling\":{\"rope_type\":\"llama3\","
                                         "\"factor\":8,\"low_freq_factor\":1,"
                                         "\"high_freq_factor\":4,\"original_max_position_embeddings\":64}}"),
                     &t);
    const char *to = arena_printf(&arena, "%s/out.gguf", folder);
    QuantiseReport r;
    Err e;
    if (!writes(folder, to, FTYPE_f16, &r, &e)) fail_msg("%s", e.msg);
    Checkpoint *c = opened(to);
    assert_non_null(c->rope_divisor);
    assert_false(c->config.llama3_rope);
    // head_dim 16, base 5e5: wavelengths 6.28, 32.4, 167, ...; below 16 unchanged, above 64 divided by 8,
    // between smooth.
    assert_true(c->rope_divisor[0] == 1);
    double wave = 6.283185307179586 * pow(500000, 2.0 / 16), smooth = (64 / wave - 1) / 3;
    assert_true(fabs((double)c->rope_divisor[1] - 1 / ((1 - smooth) / 8 + smooth)) < 1e-5);
    for (int i = 2; i < 8; i++) assert_true(c->rope_divisor[i] == 8);
    checkpoint_close(c);
    folder_remove(folder);
}

static int entries(const char *folder) {
    int n = 0;
    DIR *d = opendir(folder);
    for (struct dirent *f; (f = readdir(d));) n += f->d_name[0] != '.';
    closedir(d);
    return n;
}

static bool stop_now(void *arg) {
    (void)arg;
    return true;
}

// Numbers that the type cannot hold, and a stop in between: told, and the file that was there is there still.
static void test_all_or_nothing(void **state) {
    (void)state;
    static const struct {
        float value;
        FileType type;
        bool good;
    } rows[] = {{NAN, FTYPE_f16, false},     {INFINITY, FTYPE_q8_0, false}, {70000, FTYPE_f16, false},
                {-70000, FTYPE_q8_0, false}, {65504, FTYPE_f16, true},      {-60000, FTYPE_q8_0, true}};
    QuantiseReport r;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        Tensors t = tensors_of(&arena, false, true);
        ((float *)(uintptr_t)tensor_named(&t, "model.layers.1.mlp.up_proj.weight")->data)[5 * HIDDEN + 7] =
            rows[i].value;
        const char *folder = model_folder(&arena, config_with(&arena, "{}"), &t);
        text_put(&arena, folder, "out.gguf", "before");
        Err e;
        bool ok = writes(folder, arena_printf(&arena, "%s/out.gguf", folder), rows[i].type, &r, &e);
        assert_int_equal(ok, rows[i].good);
        if (!ok) {
            assert_says(e, "tensor \"blk.1.ffn_up.weight\", row 5 holds a number");
            struct stat st;
            assert_true(stat(arena_printf(&arena, "%s/out.gguf", folder), &st) == 0 && st.st_size == 6);
            assert_int_equal(entries(folder), 3);
        }
        folder_remove(folder);
    }
    Tensors t = tensors_of(&arena, false, true);
    const char *folder = model_folder(&arena, config_with(&arena, "{}"), &t);
    Checkpoint *c = opened(folder);
    QuantiseRequest q = {
        .from = c, .path = arena_printf(&arena, "%s/out.gguf", folder), .pool = pool, .stop = stop_now};
    Err e = {0}, none = {0};
    assert_false(checkpoint_quantise(&arena, &q, &r, &e));
    assert_says(e, "stopped");
    assert_int_equal(entries(folder), 2);
    q.path = arena_printf(&arena, "%s/no/out.gguf", folder);
    assert_false(checkpoint_quantise(&arena, &q, &r, &none));
    assert_says(none, "No such file");
    // What is read is not replaced, by whatever name it goes.
    Err own = {0}, link = {0};
    q.stop = NULL;
    q.path = arena_printf(&arena, "%s/model.safetensors", folder);
    assert_false(checkpoint_quantise(&arena, &q, &r, &own));
    assert_says(own, "a file of the model that is read");
    const char *other = arena_printf(&arena, "%s/out.gguf", folder);
    assert_int_equal(symlink("model.safetensors", other), 0);
    q.path = other;
    assert_false(checkpoint_quantise(&arena, &q, &r, &link));
    assert_says(link, "a file of the model that is read");
    assert_int_equal(unlink(other), 0);
    Err fine = {0};
    if (!checkpoint_quantise(&arena, &q, &r, &fine)) fail_msg("%s", fine.msg);
    assert_int_equal(r.ends_left, 0);
    checkpoint_close(c);
    folder_remove(folder);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mixes),          cmocka_unit_test(test_from_folder),
        cmocka_unit_test(test_from_gguf),      cmocka_unit_test(test_llama3),
        cmocka_unit_test(test_all_or_nothing),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
