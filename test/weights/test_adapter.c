// LoRA adapters: PEFT's configuration rule by rule, GGUF, and the order of rows over both kinds of base.
#include <math.h>

#include "making.h"

enum { RANK = 3 };
static Arena arena;
static const char *folder_base, *gguf_base;
static Checkpoint *base[2]; // a folder, a GGUF file

#define ADAPTER                                                                                             \
    "{\"peft_type\":\"LORA\",\"r\":3,\"lora_alpha\":6,\"target_modules\":[\"v_proj\",\"q_proj\"],\"bias\":" \
    "\"none\"}"

static const char *adapter_with(const char *changes) {
    json_t *o = json_loads(ADAPTER, 0, NULL), *other = json_loads(changes, 0, NULL);
    if (!o || !other) fail_msg("test: %s", changes);
    json_object_update(o, other);
    char *text = json_dumps(o, 0);
    const char *out = str_cdup(&arena, str_of(text));
    free(text);
    json_decref(o);
    json_decref(other);
    return out;
}

typedef struct {
    const char *module; // "self_attn.q_proj"
    int64_t in, out;
} Module;
static const Module modules[] = {
    {"self_attn.q_proj", HIDDEN, HEADS *HEAD_DIM},
    {"self_attn.k_proj", HIDDEN, KV_HEADS *HEAD_DIM},
    {"self_attn.v_proj", HIDDEN, KV_HEADS *HEAD_DIM},
    {"self_attn.o_proj", HEADS *HEAD_DIM, HIDDEN},
    {"mlp.gate_proj", HIDDEN, INNER},
    {"mlp.up_proj", HIDDEN, INNER},
    {"mlp.down_proj", INNER, HIDDEN},
};

// A and B of these modules (bits of `which`) in these layers (bits).
static Tensors parts_of(unsigned which, unsigned layers, int rank) {
    Tensors t = {.n = 0};
    for (int l = 0; l < LAYERS; l++)
        for (int i = 0; i < 7; i++) {
            if (!(which >> i & 1) || !(layers >> l & 1)) continue;
            const char *stem =
                arena_printf(&arena, "base_model.model.model.layers.%d.%s", l, modules[i].module);
            tensor_put(&arena, &t, arena_printf(&arena, "%s.lora_A.weight", stem), rank, modules[i].in);
            tensor_put(&arena, &t, arena_printf(&arena, "%s.lora_B.weight", stem), modules[i].out, rank);
        }
    return t;
}
enum { Q = 1, K = 2, V = 4, QV = 5, ALL = 127, BOTH = 3 };

static const char *adapter_folder(const char *config, const Tensors *t) {
    const char *folder = folder_new(&arena);
    text_put(&arena, folder, "adapter_config.json", config);
    safetensors_put(&arena, arena_printf(&arena, "%s/adapter_model.safetensors", folder), t->at, t->n);
    return folder;
}

static void refused_adapter(const char *changes, Tensors t, const char *says) {
    const char *folder = adapter_folder(adapter_with(changes), &t);
    Adapter *ad;
    Err e = {0};
    if (adapter_open(&arena, folder, base[0], &ad, &e))
        fail_msg("%s: accepted, where \"%s\" should be said", changes, says);
    assert_says(e, says);
    folder_remove(folder);
}

// The caller closes it; its folder is gone by then, and its mapping is not.
static Adapter *accepted_adapter(const char *changes, Tensors t, const Checkpoint *c) {
    const char *folder = adapter_folder(adapter_with(changes), &t);
    Adapter *ad = NULL;
    Err e = {0};
    if (!adapter_open(&arena, folder, c, &ad, &e)) fail_msg("%s: %s", changes, e.msg);
    folder_remove(folder);
    return ad;
}

static void test_plain(void **state) {
    (void)state;
    Tensors t = parts_of(QV, BOTH, RANK);
    Adapter *ad = accepted_adapter("{}", t, base[0]);
    assert_int_equal(ad->count, 4);
    assert_int_equal(ad->parameters, 2 * RANK * (HIDDEN + 64 + HIDDEN + 32));
    const LoraPart *p = &ad->part[3];
    assert_true(p->role == ROLE_V && p->layer == 1 && p->rank == RANK && p->scale == 2 && p->in == HIDDEN &&
                p->out == 32);
    assert_memory_equal(
        p->a, tensor_named(&t, "base_model.model.model.layers.1.self_attn.v_proj.lora_A.weight")->data,
        4 * RANK * HIDDEN);
    assert_memory_equal(
        p->b, tensor_named(&t, "base_model.model.model.layers.1.self_attn.v_proj.lora_B.weight")->data,
        4 * RANK * 32);
    adapter_close(ad);
}

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

static void test_files(void **state) {
    (void)state;
    Tensors t = parts_of(QV, BOTH, RANK);
    t.at[t.n++] = (Tensor){"base_model.model.lm_head.lora_A.weight", "F32", 1, {1}, NULL, 4};
    refused_adapter("{}", t, "\"base_model.model.lm_head.lora_A.weight\" is not built into this base");
    t = parts_of(QV, BOTH, RANK);
    t.n--;
    refused_adapter("{}", t, "v_proj, but its lora_B is not in the file");
    t = parts_of(QV, BOTH, RANK);
    t.at[0].dtype = "I32";
    refused_adapter("{}", t, "stored as I32");
    t = parts_of(QV, BOTH, RANK);
    t.at[t.n++] = t.at[0];
    refused_adapter("{}", t, "is there twice");
    refused_adapter("{\"target_modules\":[\"nothing\"]}", (Tensors){.n = 0}, "it adapts nothing");

    // Half precision is read, too.
    t = parts_of(Q, BOTH, RANK);
    uint16_t *half = NEWN(&arena, uint16_t, RANK * HIDDEN);
    for (int i = 0; i < RANK * HIDDEN; i++) half[i] = 0x3f80; // 1 as BF16
    t.at[0] = (Tensor){t.at[0].name, "BF16", 2, {RANK, HIDDEN}, half, 2 * RANK * HIDDEN};
    Adapter *ad = accepted_adapter("{\"target_modules\":[\"q_proj\"]}", t, base[0]);
    assert_true(ad->part[0].a[0] == 1 && ad->part[0].a[RANK * HIDDEN - 1] == 1);
    adapter_close(ad);

    const char *folder = folder_new(&arena);
    Err e[3] = {0};
    assert_false(adapter_open(&arena, folder, base[0], &ad, &e[0]));
    assert_says(e[0], "no adapter_config.json");
    text_put(&arena, folder, "adapter_config.json", ADAPTER);
    Err none = {0};
    assert_false(adapter_open(&arena, folder, base[0], &ad, &none));
    assert_says(none, "no adapter_model.safetensors");
    text_put(&arena, folder, "adapter_model.bin", "x");
    assert_false(adapter_open(&arena, folder, base[0], &ad, &e[1]));
    assert_says(e[1], "a pickle, which is a program");
    assert_false(
        adapter_open(&arena, arena_printf(&arena, "%s/adapter_model.bin", folder), base[0], &ad, &e[2]));
    assert_says(e[2], "neither a folder");
    folder_remove(folder);
}

// ---- GGUF, and both kinds of base

static const char *adapter_gguf(const char *folder, const char *arch, float alpha, bool reorder) {
    Made m = made_new(&arena);
    Tensors t = parts_of(ALL, BOTH, RANK);
    made_text(&m, "general.architecture", arch);
    made_text(&m, "general.type", "adapter");
    made_text(&m, "adapter.type", "lora");
    made_real(&m, "adapter.lora.alpha", alpha);
    for (int i = 0; i < t.n; i++) {
        const Tensor *x = &t.at[i];
        const char *name = gguf_name(&arena, x->name + strlen("base_model.model.")),
                   *lora = strstr(name, ".lora_");
        bool b = lora[6] == 'B', q_or_k = strstr(name, "attn_q.") || strstr(name, "attn_k.");
        const float *data =
            reorder && b && q_or_k ? pairs_of_halves(&arena, x->data, x->shape[0], x->shape[1]) : x->data;
        made_tensor(&m, arena_printf(&arena, "%.*s.weight.lora_%c", (int)(lora - name), name, b ? 'b' : 'a'),
                    0, 2, (uint64_t[]){(uint64_t)x->shape[1], (uint64_t)x->shape[0]}, data, x->bytes);
    }
    return made_file(&arena, &m, folder, "adapter.gguf");
}

// From PEFT and from GGUF, over a folder and over a GGUF file: B's rows follow the rows of the base.
static void test_orders(void **state) {
    (void)state;
    const char *folder = folder_new(&arena), *file = adapter_gguf(folder, "llama", 6, true);
    for (int which = 0; which < 2; which++) {
        Adapter *peft =
            accepted_adapter("{\"target_modules\":\"all-linear\"}", parts_of(ALL, BOTH, RANK), base[which]);
        Adapter *gguf = NULL;
        Err e = {0};
        if (!adapter_open(&arena, file, base[which], &gguf, &e)) fail_msg("%s", e.msg);
        assert_int_equal(peft->count, 14);
        assert_int_equal(gguf->count, 14);
        for (int i = 0; i < 14; i++) {
            const LoraPart *p = &peft->part[i], *g = &gguf->part[i];
            assert_true(p->role == g->role && p->layer == g->layer && p->rank == g->rank &&
                        p->scale == g->scale);
            assert_memory_equal(p->a, g->a, 4 * (size_t)(p->rank * p->in));
            assert_memory_equal(p->b, g->b, 4 * (size_t)(p->rank * p->out));
        }
        // q of layer 0, row 1: over a folder row 1, over GGUF the partner of row 0, which is row 8.
        Tensors t = parts_of(ALL, BOTH, RANK);
        const float *b = t.at[1].data;
        assert_memory_equal(peft->part[0].b + RANK, b + RANK * (which ? 8 : 1), 4 * RANK);
        adapter_close(peft);
        adapter_close(gguf);
    }
    folder_remove(folder);
}

static void test_gguf(void **state) {
    (void)state;
    const char *folder = folder_new(&arena);
    Adapter *ad;
    Err e = {0};
    if (!adapter_open(&arena, adapter_gguf(folder, "llama", 0, true), base[0], &ad, &e))
        fail_msg("%s", e.msg);
    assert_true(ad->part[0].scale == 1); // without alpha, as llama.cpp has it
    adapter_close(ad);
    static const struct {
        const char *arch;
        float alpha;
        const char *says;
    } bad[] = {{"qwen2", 6, "an adapter for \"qwen2\", but the base is \"llama\""},
               {"llama", -1, "alpha\" is -1"},
               {"llama", NAN, "alpha"}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        Err why = {0};
        assert_false(
            adapter_open(&arena, adapter_gguf(folder, bad[i].arch, bad[i].alpha, true), base[0], &ad, &why));
        assert_says(why, bad[i].says);
    }
    static const struct {
        const char *key, *value, *tensor, *says;
    } odd[] = {{"general.type", "model", NULL, "a model, not an adapter"},
               {"adapter.type", "control_vector", NULL, "of type \"control_vector\""},
               {"adapter.alora.invocation_tokens", "x", NULL, "alora"},
               {NULL, NULL, "token_embd.weight.lora_a", "\"token_embd.weight.lora_a\" is not built"},
               {NULL, NULL, "blk.0.attn_q.weight.lora_a", "\"blk.0.attn_q.weight.lora_b\" is missing"},
               {NULL, NULL, "blk.0.attn_q.weight.lora_b", "\"blk.0.attn_q.weight.lora_a\" is missing"}};
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
        Made m = made_new(&arena);
        bool type = odd[i].key && strcmp(odd[i].key, "general.type") == 0,
             kind = odd[i].key && strcmp(odd[i].key, "adapter.type") == 0;
        made_text(&m, "general.architecture", "llama");
        if (!type) made_text(&m, "general.type", "adapter");
        if (!kind) made_text(&m, "adapter.type", "lora");
        if (odd[i].key) made_text(&m, odd[i].key, odd[i].value);
        if (odd[i].tensor) made_tensor(&m, odd[i].tensor, 0, 2, (uint64_t[]){4, 4}, NULL, 64);
        Err why = {0};
        assert_false(adapter_open(&arena, made_file(&arena, &m, folder, "odd.gguf"), base[0], &ad, &why));
        assert_says(why, odd[i].says);
    }
    folder_remove(folder);
}

static int set_up(void **state) {
    (void)state;
    Tensors t = tensors_of(&arena, false, true);
    Made m = made_new(&arena);
    Err e = {0};
    folder_base = model_folder(&arena, LLAMA_CONFIG, &t);
    gguf_base = folder_new(&arena);
    made_keys(&m, "llama", &arena);
    made_weights(&arena, &m, &t, true);
    return !checkpoint_open(&arena, folder_base, &base[0], &e) ||
           !checkpoint_open(&arena, made_file(&arena, &m, gguf_base, "m.gguf"), &base[1], &e);
}

static int tear_down(void **state) {
    (void)state;
    checkpoint_close(base[0]);
    checkpoint_close(base[1]);
    folder_remove(folder_base);
    folder_remove(gguf_base);
    arena_free(&arena);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plain),     cmocka_unit_test(test_refused_keys),
        cmocka_unit_test(test_idle_keys), cmocka_unit_test(test_target_forms),
        cmocka_unit_test(test_scales),    cmocka_unit_test(test_files),
        cmocka_unit_test(test_orders),    cmocka_unit_test(test_gguf),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
