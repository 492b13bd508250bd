// PEFT's configuration rule by rule: which modules are adapted, by how much, and what is refused.
#include "weights/adapted.h"

// Every key that changes what an adapter computes, by name.
static void test_refused_keys(void **state) {
    (void)state;
    static const struct {
        const char *changes, *says;
    } bad[] = {
        {"{\"peft_type\":\"IA3\"}", "\"peft_type\" \"IA3\""},
        {"{\"peft_type\":null}", "\"peft_type\""},
        {"{\"bias\":\"all\"}", "\"bias\" \"all\""},
        {"{\"use_dora\":true}", "\"use_dora\""},
        {"{\"lora_bias\":true}", "\"lora_bias\""},
        {"{\"modules_to_save\":[\"lm_head\"]}", "\"modules_to_save\""},
        {"{\"fan_in_fan_out\":true}", "\"fan_in_fan_out\""},
        {"{\"layer_replication\":[[0,1]]}", "\"layer_replication\""},
        {"{\"trainable_token_indices\":[1]}", "\"trainable_token_indices\""},
        {"{\"target_parameters\":[\"x\"]}", "\"target_parameters\""},
        {"{\"alora_invocation_tokens\":[1]}", "\"alora_invocation_tokens\""},
        {"{\"use_qalora\":true}", "\"use_qalora\""},
        {"{\"arrow_config\":{\"top_k\":1}}", "\"arrow_config\""},
        {"{\"a_later_key\":1}", "\"a_later_key\" is not built"},
        {"{\"init_lora_weights\":\"pissa\"}", "\"pissa\" changes the base"},
        {"{\"init_lora_weights\":\"olora\"}", "\"olora\" changes the base"},
        {"{\"init_lora_weights\":3}", "\"init_lora_weights\""},
        {"{\"r\":0}", "\"r\" is 0"},
        {"{\"r\":\"x\"}", "a whole number"},
        {"{\"lora_alpha\":0}", "\"lora_alpha\" is 0"},
        {"{\"lora_alpha\":-2}", "\"lora_alpha\" is -2"},
        {"{\"target_modules\":null}", "\"target_modules\" is missing"},
        {"{\"target_modules\":[]}", "\"target_modules\" is missing"},
        {"{\"target_modules\":[1]}", "a list of names"},
        {"{\"target_modules\":\"(\"}", "\"(\" is no pattern: at byte 1, missing closing parenthesis"},
        {"{\"target_modules\":\"a(b))\"}", "is no pattern: at byte 5, unmatched closing parenthesis"},
        {"{\"target_modules\":[\"q_proj\",\"v_proj\",\"lm_head\"]}", "names lm_head"},
        {"{\"target_modules\":[\"q_proj\",\"v_proj\",\"embed_tokens\"]}", "names model.embed_tokens"},
        {"{\"target_modules\":[\"q_proj\"]}", "self_attn.v_proj is adapted in the file, but not by"},
        {"{\"target_modules\":[\"q_proj\",\"v_proj\",\"k_proj\"]}",
         "names model.layers.0.self_attn.k_proj, but its lora_A"},
        {"{\"exclude_modules\":[\"v_proj\"]}", "self_attn.v_proj is adapted in the file, but not by"},
        {"{\"r\":4}", "is [3, 32]; [4, 32] goes with the base"},
        {"{\"rank_pattern\":{\"q_proj\":0}}", "a number from 1"},
        {"{\"rank_pattern\":{\"q_proj\":2.5}}", "a number from 1"},
        {"{\"rank_pattern\":[1]}", "an object belongs here"},
        {"{\"alpha_pattern\":{\"q_proj\":\"x\"}}", "a number from 1"},
        {"{\"alpha_pattern\":{\"(\":1}}", "is no pattern"},
        {"{\"layers_to_transform\":[0]}", "layers.1.self_attn.q_proj is adapted in the file, but not by"},
        {"{\"layers_to_transform\":\"x\"}", "numbers of layers"},
        {"{\"layers_to_transform\":0,\"target_modules\":\".*q_proj\"}", "a list of target_modules only"},
        {"{\"target_modules\":\"(.*.*.*.*.*.*.*)*[!#]\"}", "takes too long"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        refused_adapter(bad[i].changes, parts_of(QV, BOTH, RANK), bad[i].says);
}

// What says nothing, or nothing about an adapter at work, is no obstacle.
static void test_idle_keys(void **state) {
    (void)state;
    Adapter *ad = accepted_adapter("{\"use_dora\":false,\"modules_to_save\":null,\"loftq_config\":{},\"lora_"
                                   "dropout\":0.05,\"inference_mode\":true,"
                                   "\"task_type\":\"CAUSAL_LM\",\"base_model_name_or_path\":\"x\",\"a_later_"
                                   "key\":null,\"another\":[],\"megatron_core\":\"m\","
                                   "\"qalora_group_size\":16,\"init_lora_weights\":\"gaussian\",\"auto_"
                                   "mapping\":{\"a\":1},\"layers_pattern\":null}",
                                   parts_of(QV, BOTH, RANK), base[0]);
    adapter_close(ad);
}

static void test_target_forms(void **state) {
    (void)state;
    static const struct {
        const char *changes;
        unsigned which, layers;
    } rows[] = {
        {"{\"target_modules\":\"all-linear\"}", ALL, BOTH},
        {"{\"target_modules\":\"All-Linear\",\"exclude_modules\":[\"down_proj\"]}", ALL & ~64u, BOTH},
        {"{\"target_modules\":\".*(q|v)_proj\"}", QV, BOTH},
        {"{\"target_modules\":\"model\\\\.layers\\\\.1\\\\..*_proj\"}", ALL, 2},
        {"{\"target_modules\":[\"model.layers.0.self_attn.q_proj\"]}", Q, 1},
        {"{\"target_modules\":[\"self_attn.q_proj\",\"proj\"]}", Q, BOTH}, // "proj" is no whole part
        {"{\"target_modules\":[\"q_proj\"],\"layers_to_transform\":1}", Q, 2},
        {"{\"target_modules\":[\"q_proj\"],\"layers_to_transform\":[0],\"layers_pattern\":\"layers\"}", Q, 1},
        {"{\"target_modules\":[\"q_proj\"],\"layers_to_transform\":[0,1],\"layers_pattern\":[\"h\","
         "\"layers\"]}",
         Q, BOTH},
        {"{\"target_modules\":[\"q_proj\",\"k_proj\"],\"exclude_modules\":\".*\\\\.1\\\\..*\"}", Q | K, 1},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        Adapter *ad =
            accepted_adapter(rows[i].changes, parts_of(rows[i].which, rows[i].layers, RANK), base[0]);
        assert_int_equal(ad->count, __builtin_popcount(rows[i].which) * __builtin_popcount(rows[i].layers));
        adapter_close(ad);
    }
}

static void test_scales(void **state) {
    (void)state;
    static const struct {
        const char *changes;
        int rank;
        float scale[2]; // q of layers 0 and 1
    } rows[] = {
        {"{\"target_modules\":[\"q_proj\"]}", 3, {2, 2}},
        {"{\"target_modules\":[\"q_proj\"],\"r\":4,\"use_rslora\":true}", 4, {3, 3}},
        {"{\"target_modules\":[\"q_proj\"],\"lora_alpha\":1.5}", 3, {0.5f, 0.5f}},
        {"{\"target_modules\":[\"q_proj\"],\"alpha_pattern\":{\"layers.1.self_attn.q_proj\":9}}", 3, {2, 3}},
        {"{\"target_modules\":[\"q_proj\"],\"alpha_pattern\":{\"^model.layers.0.*q_proj\":9,\"q_proj\":12}}",
         3,
         {3, 4}},
        {"{\"target_modules\":[\"q_proj\"],\"alpha_pattern\":{\"^layers.0.*\":9,\"proj\":12}}",
         3,
         {2, 2}}, // match nothing
        {"{\"target_modules\":[\"q_proj\"],\"rank_pattern\":{\"q_proj\":2}}", 2, {3, 3}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        Adapter *ad = accepted_adapter(rows[i].changes, parts_of(Q, BOTH, rows[i].rank), base[0]);
        for (int l = 0; l < 2; l++) {
            assert_int_equal(ad->part[l].rank, rows[i].rank);
            if (fabsf(ad->part[l].scale - rows[i].scale[l]) > 1e-6f)
                fail_msg("%s: %g", rows[i].changes, (double)ad->part[l].scale);
        }
        adapter_close(ad);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_refused_keys),
        cmocka_unit_test(test_idle_keys),
        cmocka_unit_test(test_target_forms),
        cmocka_unit_test(test_scales),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
