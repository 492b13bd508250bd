// LoRA adapters: PEFT's configuration rule by rule, GGUF, and the order of rows over both kinds of base.
#include "weights/adapted.h"

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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plain),
        cmocka_unit_test(test_files),
        cmocka_unit_test(test_orders),
        cmocka_unit_test(test_gguf),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
