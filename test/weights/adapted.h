// adapted.h - for tests of adapters: small ones, and what they are put on.
#pragma once
#include <math.h>

#include "making.h"

enum { RANK = 3 };
static Arena arena;
static const char *folder_base, *gguf_base;
static Checkpoint *base[2]; // a folder, a GGUF file

#define ADAPTER                                                                                             \
    "{\"peft_type\":\"LORA\",\"r\":3,\"lora_alpha\":6,\"target_modules\":[\"v_proj\",\"q_proj\"],\"bias\":" \
    "\"none\"}"

static inline const char *adapter_with(const char *changes) {
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
static inline Tensors parts_of(unsigned which, unsigned layers, int rank) {
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

static inline const char *adapter_folder(const char *config, const Tensors *t) {
    const char *folder = folder_new(&arena);
    text_put(&arena, folder, "adapter_config.json", config);
    safetensors_put(&arena, arena_printf(&arena, "%s/adapter_model.safetensors", folder), t->at, t->n);
    return folder;
}

static inline void refused_adapter(const char *changes, Tensors t, const char *says) {
    const char *folder = adapter_folder(adapter_with(changes), &t);
    Adapter *ad;
    Err e = {0};
    if (adapter_open(&arena, folder, base[0], &ad, &e))
        fail_msg("%s: accepted, where \"%s\" should be said", changes, says);
    assert_says(e, says);
    folder_remove(folder);
}

// The caller closes it; its folder is gone by then, and its mapping is not.
static inline Adapter *accepted_adapter(const char *changes, Tensors t, const Checkpoint *c) {
    const char *folder = adapter_folder(adapter_with(changes), &t);
    Adapter *ad = NULL;
    Err e = {0};
    if (!adapter_open(&arena, folder, c, &ad, &e)) fail_msg("%s: %s", changes, e.msg);
    folder_remove(folder);
    return ad;
}

static inline int set_up(void **state) {
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

static inline int tear_down(void **state) {
    (void)state;
    checkpoint_close(base[0]);
    checkpoint_close(base[1]);
    folder_remove(folder_base);
    folder_remove(gguf_base);
    arena_free(&arena);
    return 0;
}
