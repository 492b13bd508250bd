// A model folder and a GGUF file, whole: what config.json may say, and every way in which files can disagree.
#include "making.h"

static Arena arena;

static bool opens(const char *path, Checkpoint **c, Err *e) {
    *e = (Err){0};
    return checkpoint_open(&arena, path, c, e);
}

static void refused_at(const char *path, const char *says) {
    Checkpoint *c;
    Err e;
    if (opens(path, &c, &e)) fail_msg("accepted, where \"%s\" should be said", says);
    assert_says(e, says);
}

static const char *folder_with(const char *changes) {
    Tensors t = tensors_of(&arena, false, true);
    return model_folder(&arena, config_with(&arena, changes), &t);
}

static void refused_config(const char *changes, const char *says) {
    const char *folder = folder_with(changes);
    refused_at(folder, says);
    folder_remove(folder);
}

static ModelConfig accepted_config(const char *changes) {
    const char *folder = folder_with(changes);
    Checkpoint *c;
    Err e;
    if (!opens(folder, &c, &e)) fail_msg("%s: %s", changes, e.msg);
    ModelConfig config = c->config;
    checkpoint_close(c);
    folder_remove(folder);
    return config;
}

static void test_config(void **state) {
    (void)state;
    ModelConfig c = accepted_config("{}");
    assert_true(c.arch == ARCH_LLAMA && c.hidden == 32 && c.layers == 2 && c.heads == 4 && c.kv_heads == 2);
    assert_true(c.head_dim == 16 && c.intermediate == 64 && c.vocab == 40 && c.context == 128 &&
                c.norm_eps == 1e-6f);
    assert_true(c.rope_theta == 10000 && !c.llama3_rope && !c.tied && c.bos == 0 && c.eos_count == 1 &&
                c.eos[0] == 1);
    assert_true(c.generation.temperature < 0 && c.generation.top_k < 0);
    c = accepted_config(
        "{\"bos_token_id\":null,\"eos_token_id\":null,\"rope_theta\":null,\"max_position_embeddings\":null,"
        "\"architectures\":null,\"hidden_act\":null,\"rms_norm_eps\":null}");
    assert_true(c.bos == -1 && c.eos_count == 0 && c.rope_theta == 10000 && c.context == 2048 &&
                c.norm_eps == 1e-6f);
    c = accepted_config(
        "{\"eos_token_id\":[1,7,1],\"partial_rotary_factor\":1,\"dtype\":\"bfloat16\",\"pretraining_tp\":2,"
        "\"use_cache\":true,"
        "\"attention_bias\":false,\"mlp_bias\":false,\"layer_types\":[\"full_attention\",\"full_attention\"]"
        "}");
    assert_true(c.eos_count == 2 && c.eos[0] == 1 && c.eos[1] == 7);
}

// Keys that would change what is computed say nothing when they are null.
static void test_null_is_absent(void **state) {
    (void)state;
    ModelConfig c = accepted_config(
        "{\"sliding_window\":null,\"use_sliding_window\":null,\"attention_bias\":null,\"mlp_bias\":null,"
        "\"layer_types\":null,\"quantization_config\":null,\"num_local_experts\":null,\"num_experts\":null,"
        "\"attn_logit_softcapping\":null,\"final_logit_softcapping\":null,\"clip_qkv\":null,"
        "\"scale_emb\":null,\"scale_depth\":null,\"is_encoder_decoder\":null,\"rope_scaling\":null,"
        "\"rope_parameters\":null,\"partial_rotary_factor\":null,\"tie_word_embeddings\":null}");
    assert_true(c.arch == ARCH_LLAMA && c.heads == 4 && !c.tied);
    c = accepted_config("{\"residual_multiplier\":1,\"embedding_multiplier\":1.0,\"logits_scaling\":1,"
                        "\"scale_emb\":1}");
    assert_true(c.arch == ARCH_LLAMA);
}

// Mistral without a window is Llama under another name.
static void test_mistral(void **state) {
    (void)state;
#define MISTRAL "\"model_type\":\"mistral\",\"architectures\":[\"MistralForCausalLM\"]"
    ModelConfig c = accepted_config("{" MISTRAL ",\"sliding_window\":null}"), llama = accepted_config("{}");
    assert_true(c.arch == ARCH_MISTRAL && !ARCH_INFO[c.arch].biases);
    c.arch = llama.arch;
    assert_true(c.kv_heads == llama.kv_heads && c.head_dim == llama.head_dim && c.context == llama.context &&
                c.hidden == llama.hidden && c.rope_theta == llama.rope_theta && c.norm_eps == llama.norm_eps);
    accepted_config("{" MISTRAL ",\"sliding_window\":128}"); // the whole context
    accepted_config("{" MISTRAL "}");                        // 4096, of a context of 128
    refused_config("{" MISTRAL ",\"sliding_window\":127}", "\"sliding_window\" 127: attention through");
    refused_config("{" MISTRAL ",\"max_position_embeddings\":8192}",
                   "\"sliding_window\" 4096, as the file does not say null");
    refused_config("{" MISTRAL ",\"sliding_window\":\"no\"}", "a whole number belongs here");
    refused_config("{\"model_type\":\"mistral\",\"sliding_window\":null}", "names another class");
    // Qwen2 has a number there that use_sliding_window switches off.
    refused_config("{\"model_type\":\"qwen2\",\"architectures\":null,\"sliding_window\":32}",
                   "q_proj.bias\" is missing");
#undef MISTRAL
}

// transformers 4 and 5 spell rope differently.
static void test_rope(void **state) {
    (void)state;
    static const char *const both[] = {
        "{\"rope_theta\":5e5,\"rope_scaling\":{\"rope_type\":\"llama3\",\"factor\":8,\"low_freq_factor\":1,"
        "\"high_freq_factor\":4,"
        "\"original_max_position_embeddings\":64}}",
        "{\"rope_theta\":5e5,\"rope_scaling\":{\"type\":\"llama3\",\"factor\":8.0,\"low_freq_factor\":1.0,"
        "\"high_freq_factor\":4.0,"
        "\"original_max_position_embeddings\":64}}",
        "{\"rope_theta\":null,\"rope_parameters\":{\"rope_type\":\"llama3\",\"rope_theta\":5e5,\"factor\":8,"
        "\"low_freq_factor\":1,"
        "\"high_freq_factor\":4,\"original_max_position_embeddings\":64}}",
    };
    for (int i = 0; i < 3; i++) {
        ModelConfig c = accepted_config(both[i]);
        assert_true(c.llama3_rope && c.rope_theta == 5e5 && c.rope_factor == 8 && c.rope_low == 1 &&
                    c.rope_high == 4);
        assert_true(c.rope_original == 64);
    }
    assert_false(accepted_config("{\"rope_scaling\":{\"type\":\"default\"}}").llama3_rope);
    assert_true(accepted_config("{\"rope_parameters\":{\"rope_theta\":777}}").rope_theta == 777);
    static const struct {
        const char *changes, *says;
    } bad[] = {
        {"{\"rope_scaling\":{\"type\":\"linear\",\"factor\":2}}", "rope type \"linear\" is not built"},
        {"{\"rope_parameters\":{\"rope_type\":\"yarn\",\"factor\":2}}", "rope type \"yarn\" is not built"},
        {"{\"rope_parameters\":{\"rope_type\":\"llama3\",\"factor\":2}}", "\"low_freq_factor\" is missing"},
        {"{\"rope_parameters\":{\"rope_type\":\"default\",\"partial_rotary_factor\":0.25}}",
         "partial_rotary_factor"},
        {"{\"rope_parameters\":{\"mrope_section\":[1,2,3]}}", "mrope_section"},
        {"{\"rope_parameters\":{\"full_attention\":{\"rope_theta\":1}}}", "each type of layer"},
        {"{\"rope_parameters\":7}", "an object belongs here"},
        {"{\"rope_theta\":-1}", "rope base"},
        {"{\"rope_theta\":\"x\"}", "a number belongs here"},
        {"{\"rope_scaling\":{\"type\":\"llama3\",\"factor\":8,\"low_freq_factor\":4,\"high_freq_factor\":4}}",
         "low_freq_factor 4"},
        {"{\"rope_scaling\":{\"type\":\"llama3\",\"factor\":0.5,\"low_freq_factor\":1,\"high_freq_factor\":4}"
         "}",
         "factor of 0.5"},
        {"{\"rope_scaling\":{\"type\":\"llama3\",\"factor\":8,\"low_freq_factor\":1,\"high_freq_factor\":4},"
         "\"rope_parameters\":{\"rope_type\":\"default\"}}",
         "disagree"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) refused_config(bad[i].changes, bad[i].says);
}

static void test_config_refusals(void **state) {
    (void)state;
    static const struct {
        const char *changes, *says;
    } bad[] = {
        {"{\"model_type\":null}", "\"model_type\" is missing"},
        {"{\"model_type\":\"qwen3_5\"}", "follow in a later version"},
        {"{\"model_type\":\"qwen3_5_text\"}", "follow in a later version"},
        {"{\"model_type\":\"minicpm\"}", "MiniCPM5 is model_type llama"},
        {"{\"model_type\":\"gpt2\"}", "\"gpt2\" is not built; there are: llama, qwen2, mistral"},
        {"{\"model_type\":\"a\\u001b[2J\"}", "a?[2J"},
        {"{\"architectures\":[\"LlamaForSequenceClassification\"]}", "names another class"},
        {"{\"architectures\":\"LlamaForCausalLM\"}", "names another class"},
        {"{\"hidden_size\":null}", "\"hidden_size\" is missing"},
        {"{\"hidden_size\":0}", "\"hidden_size\" is 0"},
        {"{\"hidden_size\":32.5}", "a whole number belongs here"},
        {"{\"hidden_size\":16777217}", "from 1 to 16777216"},
        {"{\"num_hidden_layers\":513}", "from 1 to 512"},
        {"{\"num_hidden_layers\":-1}", "from 1 to 512"},
        {"{\"num_attention_heads\":null}", "is missing"},
        {"{\"num_key_value_heads\":3}", "do not share 3"},
        {"{\"head_dim\":15}", "pairs"},
        {"{\"head_dim\":null,\"num_attention_heads\":5,\"num_key_value_heads\":5}",
         "\"head_dim\" is missing"},
        {"{\"rms_norm_eps\":0}", "rms_norm_eps"},
        {"{\"rms_norm_eps\":1.5}", "rms_norm_eps"},
        {"{\"hidden_act\":\"gelu\"}", "\"gelu\" is not built; there is: silu"},
        {"{\"attention_bias\":true}", "\"attention_bias\""},
        {"{\"mlp_bias\":true}", "\"mlp_bias\""},
        {"{\"use_sliding_window\":true}", "\"use_sliding_window\""},
        {"{\"quantization_config\":{\"bits\":4}}", "\"quantization_config\""},
        {"{\"num_local_experts\":8}", "\"num_local_experts\""},
        {"{\"scale_emb\":12}", "\"scale_emb\""},
        {"{\"scale_emb\":\"1\"}", "\"scale_emb\""},
        {"{\"logits_scaling\":2}", "\"logits_scaling\""},
        {"{\"clip_qkv\":1}", "\"clip_qkv\""}, // no factor
        {"{\"layer_types\":\"full_attention\"}", "\"layer_types\": a list belongs here"},
        {"{\"layer_types\":[\"sliding_attention\",\"full_attention\"]}", "only full_attention"},
        {"{\"bos_token_id\":40}", "\"bos_token_id\" is 40"},
        {"{\"eos_token_id\":40}", "config.json: eos_token_id 40 in a vocabulary of 40"},
        {"{\"partial_rotary_factor\":0.5}", "config.json: \"partial_rotary_factor\" 0.5"},
        {"{\"eos_token_id\":-1}", "eos_token_id -1"},
        {"{\"eos_token_id\":\"x\"}", "a number or a list"},
        {"{\"eos_token_id\":[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17]}", "more than 16"},
        {"{\"tie_word_embeddings\":1}", "true or false"},
        {"{\"vocab_size\":41}", "asks for [41, 32]"},
        {"{\"intermediate_size\":65}", "asks for [65, 32]"},
        {"{\"num_hidden_layers\":3}", "\"model.layers.2.input_layernorm.weight\" is missing"},
        {"{\"num_hidden_layers\":1}", "has no place in a llama model of 1 layers"},
        {"{\"num_key_value_heads\":null}", "asks for [64, 32]"}, // as many as heads
        {"{\"head_dim\":null}", "asks for [32, 32]"},            // hidden / heads
        {"{\"model_type\":\"qwen2\",\"architectures\":null}",
         "\"model.layers.0.self_attn.q_proj.bias\" is missing"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) refused_config(bad[i].changes, bad[i].says);
}

static void test_generation(void **state) {
    (void)state;
    static const struct {
        const char *text, *says;
    } rows[] = {
        {"{\"eos_token_id\":[1,9],\"temperature\":0.7,\"top_p\":0.95,\"top_k\":20,\"min_p\":0.1,\"do_"
         "sample\":true}",
         NULL},
        {"{\"temperature\":\"hot\"}", "\"temperature\": a number"},
        {"{\"top_p\":2}", "\"top_p\" is 2; from 0 to 1 can be"},
        {"{\"min_p\":-0.5}", "\"min_p\" is -0.5"},
        {"{\"temperature\":-1}", "\"temperature\" is -1; from 0 to 100 can be"},
        {"{\"temperature\":101}", "\"temperature\" is 101"},
        {"{\"top_k\":-5}", "\"top_k\" is -5"},
        {"{\"eos_token_id\":77}", "generation_config.json: eos_token_id 77 in a vocabulary of 40"},
        {"[1]", "a JSON object belongs here"},
        {"{\"a\":1,\"a\":2}", "duplicate"},
        {"{", "line 1"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *folder = folder_with("{}");
        text_put(&arena, folder, "generation_config.json", rows[i].text);
        Checkpoint *c;
        Err e;
        if (rows[i].says) {
            refused_at(folder, rows[i].says);
        } else {
            assert_true(opens(folder, &c, &e));
            const ModelConfig *m = &c->config;
            assert_true(m->eos_count == 2 && m->eos[1] == 9 && m->generation.temperature == 0.7 &&
                        m->generation.top_k == 20);
            assert_true(m->generation.top_p == 0.95 && m->generation.min_p == 0.1);
            checkpoint_close(c);
        }
        folder_remove(folder);
    }
}

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

// ---- several files

static const char *sharded(const Tensors *t, const char *map_of_first, int in_second) {
    const char *folder = folder_new(&arena);
    Buf index = BUF(&arena);
    int half = t->n / 2;
    text_put(&arena, folder, "config.json", config_with(&arena, "{}"));
    safetensors_put(&arena, arena_printf(&arena, "%s/model-1.safetensors", folder), t->at, half);
    safetensors_put(&arena, arena_printf(&arena, "%s/model-2.safetensors", folder), t->at + half,
                    t->n - half);
    buf_puts(&index, "{\"metadata\":{\"total_size\":1},\"weight_map\":{");
    for (int i = 0; i < t->n; i++)
        buf_printf(&index, "%s\"%s\":\"%s\"", i ? "," : "", t->at[i].name,
                   i == 0 && map_of_first       ? map_of_first
                   : i < half && i != in_second ? "model-1.safetensors"
                                                : "model-2.safetensors");
    buf_puts(&index, "}}");
    text_put(&arena, folder, "model.safetensors.index.json", buf_cstr(&index));
    return folder;
}

static void test_shards(void **state) {
    (void)state;
    Tensors t = tensors_of(&arena, false, true);
    Checkpoint *c;
    Err e;
    const char *folder = sharded(&t, NULL, -1);
    if (!opens(folder, &c, &e)) fail_msg("%s", e.msg);
    checkpoint_close(c);
    // A single file goes before the index, even a broken one.
    text_put(&arena, folder, "model.safetensors", "x");
    refused_at(folder, "model.safetensors: 1 bytes");
    unlink(arena_printf(&arena, "%s/model.safetensors", folder));
    unlink(arena_printf(&arena, "%s/model-2.safetensors", folder));
    refused_at(folder, "part 2 of 2, is not there: finish the download");
    folder_remove(folder);

    folder = sharded(&t, NULL, 3);
    refused_at(folder, "is not in model-2.safetensors, which the index names for it");
    folder_remove(folder);
    Tensors less = t;
    folder = sharded(&t, NULL, -1);
    less.at[less.n++] = (Tensor){"more", "F32", 1, {1}, NULL, 4};
    safetensors_put(&arena, arena_printf(&arena, "%s/model-2.safetensors", folder), less.at + t.n / 2,
                    less.n - t.n / 2);
    refused_at(folder, "\"more\" is not in the index");
    folder_remove(folder);
    // The same tensor in both files.
    folder = sharded(&t, NULL, -1);
    safetensors_put(&arena, arena_printf(&arena, "%s/model-2.safetensors", folder), t.at, t.n);
    refused_at(folder, "is there twice");
    folder_remove(folder);
    static const char *const names[] = {"../model-1.safetensors",
                                        "/etc/passwd",
                                        "a/b.safetensors",
                                        "..",
                                        "",
                                        ".safetensors",
                                        "model-1.bin",
                                        "a\\\\b.safetensors",
                                        "a b.safetensors",
                                        "\\u0001.safetensors"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        folder = sharded(&t, names[i], -1);
        refused_at(folder, "plain name of a .safetensors file");
        folder_remove(folder);
    }
    static const char *const indexes[] = {"{}", "{\"weight_map\":{}}", "{\"weight_map\":[]}",
                                          "{\"weight_map\":{\"a\":1}}"};
    for (size_t i = 0; i < sizeof indexes / sizeof *indexes; i++) {
        folder = sharded(&t, NULL, -1);
        text_put(&arena, folder, "model.safetensors.index.json", indexes[i]);
        refused_at(folder, i == 3 ? "plain name" : "\"weight_map\"");
        folder_remove(folder);
    }
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

// ---- the Hugging Face cache

static void test_hub(void **state) {
    (void)state;
    static const char commit[] = "0123456789abcdef0123456789abcdef01234567";
    const char *cache = folder_new(&arena), *model = folder_with("{}");
    setenv("HF_HUB_CACHE", cache, 1);
    const char *repo = arena_printf(&arena, "%s/models--org--name-1.5B", cache);
    refused_at("hf:org/name-1.5B", "get it with: hf download org/name-1.5B");
    refused_at("hf:org/name@v2:sub/x", "hf download org/name --include \"sub/x/*\" --revision v2");
    refused_at("hf:org/name:a.gguf", "hf download org/name a.gguf");
    static const char *const bad[] = {"hf:name", "hf:/name",    "hf:org/", "hf:a/b/c",   "hf:../name",
                                      "hf:a/..", "hf:a/b:../c", "hf:a/b@", "hf:a/b:",    "hf:a/b;ls",
                                      "hf:a/-b", "hf:a/b:x//y", "hf:a/$b", "hf:a/b@../x"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) refused_at(bad[i], "write hf:org/name");
    // Without the prefix it is a path, and where there is none, the prefix is what was forgotten.
    refused_at("org/name-1.5B",
               "No such file or directory; a model of the Hugging Face cache is named hf:org/name-1.5B");
    static const char *const paths[] = {"./org/name", "org/name.gguf", "/org/name",
                                        "a/b/c",      "name",          "../name"};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        Err not = {0};
        Checkpoint *none;
        assert_false(checkpoint_open(&arena, paths[i], &none, &not ));
        assert_says(not, "No such file");
        assert_null(strstr(not .msg, "hf:"));
    }

    assert_int_equal(mkdir(repo, 0700), 0);
    assert_int_equal(mkdir(arena_printf(&arena, "%s/refs", repo), 0700), 0);
    assert_int_equal(mkdir(arena_printf(&arena, "%s/snapshots", repo), 0700), 0);
    text_put(&arena, repo, "refs/main", "../../../etc");
    refused_at("hf:org/name-1.5B", "no commit");
    text_put(&arena, repo, "refs/main", arena_printf(&arena, "%s\n", commit));
    refused_at("hf:org/name-1.5B", "hf download org/name-1.5B");
    assert_int_equal(symlink(model, arena_printf(&arena, "%s/snapshots/%s", repo, commit)), 0);
    Checkpoint *c;
    Err e;
    if (!opens("hf:org/name-1.5B", &c, &e)) fail_msg("%s", e.msg);
    checkpoint_close(c);
    if (!opens(arena_printf(&arena, "hf:org/name-1.5B@%s", commit), &c, &e)) fail_msg("%s", e.msg);
    checkpoint_close(c);
    refused_at("hf:org/name-1.5B:sub", "--include \"sub/*\"");
    // A download that was not finished: the command names the revision that is half there.
    const char *rest = arena_printf(&arena, "; get it with: hf download org/name-1.5B --revision %s", commit);
    if (!opens("hf:org/name-1.5B", &c, &e)) fail_msg("%s", e.msg);
    assert_non_null(strstr(c->no_vocabulary, rest));
    checkpoint_close(c);
    assert_int_equal(
        rename(arena_printf(&arena, "%s/model.safetensors", model), arena_printf(&arena, "%s/q.gguf", model)),
        0);
    refused_at("hf:org/name-1.5B", rest);
    unlink(arena_printf(&arena, "%s/config.json", model));
    refused_at("hf:org/name-1.5B", "name a GGUF file itself: hf:org/name-1.5B:q.gguf");
    assert_int_equal(
        rename(arena_printf(&arena, "%s/q.gguf", model), arena_printf(&arena, "%s/model.safetensors", model)),
        0);
    refused_at("hf:org/name-1.5B", rest);
    text_put(&arena, model, "config.json", LLAMA_CONFIG);
    // Where the cache is, by HF_HOME.
    unsetenv("HF_HUB_CACHE");
    const char *home = folder_new(&arena);
    assert_int_equal(symlink(cache, arena_printf(&arena, "%s/hub", home)), 0);
    setenv("HF_HOME", home, 1);
    if (!opens("hf:org/name-1.5B", &c, &e)) fail_msg("%s", e.msg);
    checkpoint_close(c);
    const char *was = arena_printf(&arena, "%s", getenv("HOME") ? getenv("HOME") : "/");
    setenv("HOME", home, 1);
    setenv("HF_HOME", "~", 1);
    if (!opens("hf:org/name-1.5B", &c, &e)) fail_msg("%s", e.msg);
    checkpoint_close(c);
    setenv("HF_HUB_CACHE", "~/hub/", 1);
    if (!opens("hf:org/name-1.5B", &c, &e)) fail_msg("%s", e.msg);
    checkpoint_close(c);
    setenv("HF_HUB_CACHE", "~other", 1);
    refused_at("hf:org/name-1.5B", "~other/models--org--name-1.5B/refs/main is not there");
    unsetenv("HF_HUB_CACHE");
    unsetenv("HF_HOME");
    setenv("HOME", was, 1);
    folder_remove(home);
    folder_remove(cache);
    folder_remove(model);
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

static int tear_down(void **state) {
    (void)state;
    arena_free(&arena);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_config),
        cmocka_unit_test(test_null_is_absent),
        cmocka_unit_test(test_mistral),
        cmocka_unit_test(test_rope),
        cmocka_unit_test(test_config_refusals),
        cmocka_unit_test(test_generation),
        cmocka_unit_test(test_weights_are_where_they_are),
        cmocka_unit_test(test_tensors),
        cmocka_unit_test(test_shards),
        cmocka_unit_test(test_no_model),
        cmocka_unit_test(test_no_file),
        cmocka_unit_test(test_template),
        cmocka_unit_test(test_hub),
        cmocka_unit_test(test_gguf),
        cmocka_unit_test(test_gguf_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, tear_down);
}
