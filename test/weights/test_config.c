// What config.json and generation_config.json may say, and what is refused by name.
#include "weights/opened.h"

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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_config),          cmocka_unit_test(test_null_is_absent),
        cmocka_unit_test(test_mistral),         cmocka_unit_test(test_rope),
        cmocka_unit_test(test_config_refusals), cmocka_unit_test(test_generation),
    };
    return cmocka_run_group_tests(tests, NULL, tear_down);
}
