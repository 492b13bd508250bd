// A model folder and a GGUF file, whole: its tensors, and every way in which files can disagree.
#include "weights/opened.h"

static void test_weights_are_where_they_are(void **state) {
    (void)state;
    Tensors t = tensors_of(&arena, true, false);
    const char *config =
        config_with(&arena, "{\"model_type\":\"qwen2\",\"architectures\":[\"Qwen2ForCausalLM\"],"
                            "\"tie_word_embeddings\":true}");
    const char *folder = model_folder(&arena, config, &t);
    Checkpoint *c;
    Err e;
    assert_true(opens(folder, &c, &e));
    assert_true(c->config.tied && !c->is_gguf && !c->rope_neighbours && !checkpoint_weight(c, ROLE_HEAD, 0));
    const Weight *w = checkpoint_weight(c, ROLE_K, 1);
    assert_true(w && w->rows == KV_HEADS * HEAD_DIM && w->cols == HIDDEN && w->type == W_F32);
    const float *want = tensor_named(&t, "model.layers.1.self_attn.k_proj.weight")->data;
    float row[HIDDEN];
    for (int64_t r = 0; r < w->rows; r++) {
        weight_row(w, r, row);
        assert_memory_equal(row, want + r * HIDDEN, sizeof row);
    }
    w = checkpoint_weight(c, ROLE_Q_BIAS, 0);
    assert_true(w && w->rows == 1 && w->cols == HEADS * HEAD_DIM);
    assert_non_null(strstr(c->no_vocabulary, "no tokenizer.json"));
    size_t bytes = 0;
    for (int i = 0; i < t.n; i++) bytes += t.at[i].bytes;
    assert_int_equal(c->bytes, bytes);
    checkpoint_close(c);
    folder_remove(folder);
}

static void refused_tensors(const char *changes, const Tensors *t, const char *says) {
    const char *folder = model_folder(&arena, config_with(&arena, changes), t);
    refused_at(folder, says);
    folder_remove(folder);
}

static void test_tensors(void **state) {
    (void)state;
    static float zeros[VOCAB * HIDDEN];
    Tensors t = tensors_of(&arena, false, false);
    refused_tensors("{}", &t, "\"lm_head.weight\" is missing");
    t = tensors_of(&arena, true, true);
    refused_tensors("{}", &t, "q_proj.bias\" has no place in a llama model");
    t = tensors_of(&arena, false, true);
    tensor_named(&t, "model.norm.weight")->name = "model.norm.weights";
    refused_tensors("{}", &t, "\"model.norm.weight\" is missing");
    t = tensors_of(&arena, false, true);
    *tensor_named(&t, "model.norm.weight") =
        (Tensor){"model.norm.weight", "F32", 2, {1, HIDDEN}, zeros, 4 * HIDDEN};
    refused_tensors("{}", &t, "is [1, 32], the configuration asks for [32]");
    t = tensors_of(&arena, false, true);
    *tensor_named(&t, "model.norm.weight") =
        (Tensor){"model.norm.weight", "I32", 1, {HIDDEN}, zeros, 4 * HIDDEN};
    refused_tensors("{}", &t, "stored as I32, which is not read");
    t = tensors_of(&arena, false, true);
    t.at[t.n++] = (Tensor){"model.layers.0.mlp.down_proj.bias", "F32", 1, {HIDDEN}, zeros, 4 * HIDDEN};
    refused_tensors("{}", &t, "\"model.layers.0.mlp.down_proj.bias\" has no place");
    t = tensors_of(&arena, false, true);
    t.at[t.n++] = t.at[0];
    refused_tensors("{}", &t, "\"model.embed_tokens.weight\" is there twice");

    // Tables of old Llama files hold nothing that is not known.
    t = tensors_of(&arena, false, true);
    t.at[t.n++] = (Tensor){"model.layers.0.self_attn.rotary_emb.inv_freq", "F32", 1, {8}, zeros, 32};
    const char *folder = model_folder(&arena, config_with(&arena, "{\"tie_word_embeddings\":true}"), &t);
    Checkpoint *c;
    Err e;
    assert_true(opens(folder, &c, &e));
    assert_false(c->config.tied); // a head that is stored is used
    assert_non_null(checkpoint_weight(c, ROLE_HEAD, 0));
    checkpoint_close(c);
    folder_remove(folder);
}

static void test_no_model(void **state) {
    (void)state;
    const char *folder = folder_new(&arena);
    refused_at(folder, "no config.json");
    text_put(&arena, folder, "adapter_config.json", "{}");
    refused_at(folder, "an adapter, not a model");
    text_put(&arena, folder, "config.json", LLAMA_CONFIG);
    refused_at(folder, "no model.safetensors and no model.safetensors.index.json");
    text_put(&arena, folder, "pytorch_model.bin", "x");
    refused_at(folder, "a pickle, which is a program");
    refused_at(arena_printf(&arena, "%s/pytorch_model.bin", folder), "no GGUF file");
    refused_at(arena_printf(&arena, "%s/nothing", folder), "No such file");
    text_put(&arena, folder, "empty", "");
    refused_at(arena_printf(&arena, "%s/empty", folder), "empty");
    assert_int_equal(mkfifo(arena_printf(&arena, "%s/pipe", folder), 0600), 0);
    refused_at(arena_printf(&arena, "%s/pipe", folder), "not a regular file"); // and nobody waits for it
    folder_remove(folder);
    folder = folder_new(&arena);
    text_put(&arena, folder, "b.gguf", "x");
    text_put(&arena, folder, "a-Q8_0.gguf", "x");
    refused_at(folder,
               arena_printf(&arena, "no config.json; name a GGUF file itself: %s/a-Q8_0.gguf", folder));
    folder_remove(folder);
}

// What stands in the place of a file that never came, or would be waited for.
static void test_no_file(void **state) {
    (void)state;
    static const char *const names[] = {"config.json",         "generation_config.json",
                                        "tokenizer.json",      "tokenizer_config.json",
                                        "chat_template.jinja", "model.safetensors"};
    static const char pointer[] = "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a21\nsize 9\n";
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        for (int pipe = 0; pipe < 2; pipe++) {
            const char *folder = folder_with("{}"), *path = arena_printf(&arena, "%s/%s", folder, names[i]);
            unlink(path);
            if (pipe)
                assert_int_equal(mkfifo(path, 0600), 0);
            else
                text_put(&arena, folder, names[i], pointer);
            refused_at(folder, arena_printf(&arena, "%s: %s", path,
                                            pipe ? "not a regular file" : "a pointer of git-lfs"));
            folder_remove(folder);
        }
    const char *folder = folder_with("{}");
    text_put(&arena, folder, "tokenizer.json", "");
    refused_at(folder, "tokenizer.json: empty");
    folder_remove(folder);
}

// ---- text beside the weights

static void test_template(void **state) {
    (void)state;
    static const struct {
        const char *jinja, *config, *want, *says;
    } rows[] = {
        {NULL, NULL, "", NULL},
        {"{{ a }}\n", "{\"chat_template\":\"no\"}", "{{ a }}\n", NULL},
        {NULL, "{\"chat_template\":\"{{ \\u00e9 }}\"}", "{{ \xc3\xa9 }}", NULL},
        {NULL, "{\"chat_template\":null}", "", NULL},
        {NULL, "{}", "", NULL},
        {NULL,
         "{\"chat_template\":[{\"name\":\"tools\",\"template\":\"x\"},{\"name\":\"default\",\"template\":"
         "\"y\"}]}",
         "y", NULL},
        {NULL, "{\"chat_template\":7}", NULL, "a text belongs here"},
        {NULL, "{\"chat_template\":[7]}", NULL, "a name and a template"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *folder = folder_with("{}");
        if (rows[i].jinja) text_put(&arena, folder, "chat_template.jinja", rows[i].jinja);
        if (rows[i].config) text_put(&arena, folder, "tokenizer_config.json", rows[i].config);
        text_put(&arena, folder, "tokenizer.json", "{}");
        Checkpoint *c;
        Err e;
        if (rows[i].says) {
            refused_at(folder, rows[i].says);
        } else {
            if (!opens(folder, &c, &e)) fail_msg("%s", e.msg);
            assert_true(str_is(c->chat_template, rows[i].want));
            assert_true(str_is(c->vocabulary.json, "{}") && !c->no_vocabulary);
            checkpoint_close(c);
        }
        folder_remove(folder);
    }
}

// ---- GGUF

static Made made_llama(bool reorder, bool head) {
    Made m = made_new(&arena);
    Tensors t = tensors_of(&arena, false, head);
    made_keys(&m, "llama", &arena);
    made_weights(&arena, &m, &t, reorder);
    return m;
}

static void made_tokens(Made *m, int n, const int32_t *kinds, const char *third) {
    Buf words = BUF(&arena);
    for (int i = 0; i < n; i++) put_text(&words, i == 3 && third ? third : arena_printf(&arena, "t%d", i));
    made_text(m, "tokenizer.ggml.model", "gpt2");
    made_text(m, "tokenizer.ggml.pre", "llama-bpe");
    made_array(m, "tokenizer.ggml.tokens", GGUF_STRING, (uint64_t)n, words.p, words.len);
    if (kinds) made_array(m, "tokenizer.ggml.token_type", GGUF_I32, (uint64_t)n, kinds, 4 * (size_t)n);
    made_array(m, "tokenizer.ggml.merges", GGUF_STRING, 1, "\3\0\0\0\0\0\0\0a b", 11);
}

static void refused_gguf(const Made *m, const char *says) {
    const char *folder = folder_new(&arena);
    refused_at(made_file(&arena, m, folder, "m.gguf"), says);
    folder_remove(folder);
}

static void test_gguf(void **state) {
    (void)state;
    const char *folder = folder_new(&arena);
    int32_t kinds[VOCAB];
    for (int i = 0; i < VOCAB; i++) kinds[i] = i == 3 ? TOKEN_CONTROL : TOKEN_NORMAL;
    Made m = made_llama(true, false);
    made_tokens(&m, VOCAB, kinds, "<|im_end|>");
    made_int(&m, "tokenizer.ggml.eos_token_id", 1);
    made_int(&m, "tokenizer.ggml.bos_token_id", 0);
    made_text(&m, "tokenizer.chat_template", "{{ x }}");
    const float divisor[HEAD_DIM / 2] = {1, 1, 1, 2, 2, 4, 8, 8};
    made_tensor(&m, "rope_freqs.weight", 0, 1, (uint64_t[]){HEAD_DIM / 2}, divisor, sizeof divisor);
    Checkpoint *c;
    Err e;
    if (!opens(made_file(&arena, &m, folder, "any.name"), &c, &e)) fail_msg("%s", e.msg);
    const ModelConfig *k = &c->config;
    assert_true(c->is_gguf && c->rope_neighbours && k->tied && k->vocab == VOCAB && k->head_dim == HEAD_DIM);
    assert_true(k->heads == HEADS && k->kv_heads == KV_HEADS && k->norm_eps == 1e-6f &&
                k->rope_theta == 10000);
    assert_memory_equal(c->rope_divisor, divisor, sizeof divisor);
    // The control token that ends a turn counts, though the key names another.
    assert_true(k->bos == 0 && k->eos_count == 2 && k->eos[0] == 1 && k->eos[1] == 3);
    assert_true(str_is(c->chat_template, "{{ x }}") && c->vocabulary.count == VOCAB &&
                c->vocabulary.merge_count == 1);
    assert_true(str_is(c->vocabulary.tokens[5], "t5") && str_is(c->vocabulary.merges[0], "a b") &&
                c->vocabulary.add_bos == -1);
    checkpoint_close(c);

    m = made_llama(true, true); // no tokenizer, a head of its own
    if (!opens(made_file(&arena, &m, folder, "m.gguf"), &c, &e)) fail_msg("%s", e.msg);
    assert_true(!c->config.tied && c->no_vocabulary && c->config.eos_count == 0 && c->config.bos == -1 &&
                !c->rope_divisor);
    checkpoint_close(c);
    folder_remove(folder);
}

static void test_gguf_refusals(void **state) {
    (void)state;
    static const struct {
        const char *key, *text, *says;
        uint32_t value;
    } extra[] = {
        {"general.type", "adapter", "an adapter, not a model", 0},
        {"general.type", "mmproj", "\"general.type\"", 0},
        {"split.count", NULL, "one of 3 parts", 3},
        {"llama.expert_count", NULL, "\"llama.expert_count\" is not built", 8},
        {"llama.attention.sliding_window", NULL, "\"llama.attention.sliding_window\" is not built", 4096},
        {"llama.rope.scaling.type", "yarn", "rope scaling of type \"yarn\"", 0},
        {"llama.rope.scaling.type", "linear", NULL, 0},
        {"llama.rope.scaling.type", "none", NULL, 0},
        {"llama.expert_count", NULL, NULL, 0},
        {"tokenizer.ggml.bos_token_id", NULL, "bos_token_id 40", 40},
        {"tokenizer.ggml.eos_token_id", NULL, "is 40; from 0 to 39", 40},
        {"tokenizer.ggml.model", "llama", NULL, 0}, // opens; only its tokenizer is missing
    };
    const char *folder = folder_new(&arena);
    for (size_t i = 0; i < sizeof extra / sizeof *extra; i++) {
        Made m = made_llama(true, true);
        if (extra[i].text)
            made_text(&m, extra[i].key, extra[i].text);
        else
            made_int(&m, extra[i].key, extra[i].value);
        if (extra[i].says) {
            refused_gguf(&m, extra[i].says);
            continue;
        }
        Checkpoint *c;
        Err e;
        if (!opens(made_file(&arena, &m, folder, "m.gguf"), &c, &e)) fail_msg("%s: %s", extra[i].key, e.msg);
        checkpoint_close(c);
    }
    folder_remove(folder);

    Made m = made_new(&arena);
    Tensors t = tensors_of(&arena, false, true);
    static const char *const archs[][2] = {{"qwen35", "follow in a later version"},
                                           {"mistral", "sliding window"},
                                           {"gemma", "type \"gemma\" is not built"},
                                           {"qwen2", "attn_q.bias\" is missing"}};
    for (int i = 0; i < 4; i++) {
        m = made_new(&arena);
        made_keys(&m, archs[i][0], &arena);
        made_weights(&arena, &m, &t, false);
        refused_gguf(&m, archs[i][1]);
    }
    m = made_new(&arena);
    made_weights(&arena, &m, &t, true);
    refused_gguf(&m, "\"general.architecture\" is missing");
    // A key missing, or one that contradicts the tensors.
    m = made_new(&arena);
    made_text(&m, "general.architecture", "llama");
    made_weights(&arena, &m, &t, true);
    refused_gguf(&m, "\"llama.embedding_length\" is missing");
    m = made_llama(true, true);
    made_tensor(&m, "blk.0.attn_q.bias", 0, 1, (uint64_t[]){64}, NULL, 256);
    refused_gguf(&m, "\"blk.0.attn_q.bias\" has no place");
    m = made_new(&arena);
    made_keys(&m, "llama", &arena);
    refused_gguf(&m, "\"token_embd.weight\" is missing");
    static const float zero[HEAD_DIM / 2];
    m = made_llama(true, true);
    made_tensor(&m, "rope_freqs.weight", 0, 1, (uint64_t[]){HEAD_DIM / 2}, zero, sizeof zero);
    refused_gguf(&m, "\"rope_freqs.weight\" holds 0");
    m = made_llama(true, true);
    made_tensor(&m, "rope_freqs.weight", 0, 1, (uint64_t[]){4}, zero, 16);
    refused_gguf(&m, "not [8] of F32");
    // Tokens that do not go with the embedding.
    int32_t kinds[VOCAB] = {9};
    m = made_llama(true, true);
    made_tokens(&m, VOCAB - 1, NULL, NULL);
    refused_gguf(&m, "39 tokens, but the embedding has 40 rows");
    m = made_llama(true, true);
    made_tokens(&m, VOCAB, kinds, NULL);
    refused_gguf(&m, "token 0 is of type 9");
    // A type that ggml knows and we do not.
    m = made_new(&arena);
    made_keys(&m, "llama", &arena);
    t.n--;
    made_weights(&arena, &m, &t, true);
    made_tensor(&m, "output.weight", 24, 2, (uint64_t[]){HIDDEN, VOCAB}, NULL, (size_t)HIDDEN * VOCAB);
    refused_gguf(&m, "stored as I8, which is not read");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_weights_are_where_they_are),
        cmocka_unit_test(test_tensors),
        cmocka_unit_test(test_no_model),
        cmocka_unit_test(test_no_file),
        cmocka_unit_test(test_template),
        cmocka_unit_test(test_gguf),
        cmocka_unit_test(test_gguf_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, tear_down);
}
