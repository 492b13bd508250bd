// checkpoint.h - a published model on disk: a folder of safetensors with config.json and tokenizer.json, or a
// GGUF file. Everything is validated before anything is used; weights stay mapped, read-only, where they are.
#pragma once
#include "text/tokenizer.h"
#include "weights/format/weight.h"

typedef enum {
#define ROLE(role, hf, gguf, per_layer, optional) ROLE_##role,
#include "weights/role.def"
#undef ROLE
    ROLE_COUNT
} WeightRole;

bool role_per_layer(WeightRole role);

typedef enum {
#define ARCH(id, model_type, class, gguf, biases, neighbours) ARCH_##id,
#define LATER(model_type, gguf, words)
#include "weights/arch.def"
#undef ARCH
#undef LATER
    ARCH_COUNT
} Arch;
typedef struct {
    const char *model_type, *class, *gguf; // "llama", "LlamaForCausalLM", "llama"
    bool biases;                           // on q, k and v
    bool neighbours;                       // rope_neighbours in GGUF files
} ArchInfo;
extern const ArchInfo ARCH_INFO[ARCH_COUNT];
enum { CHECKPOINT_EOS_MAX = 16, CHECKPOINT_LAYERS_MAX = 512 };

typedef struct {
    Arch arch;
    int hidden, layers, heads, kv_heads, head_dim, intermediate, vocab;
    int context; // positions it was made for
    float norm_eps;
    double rope_theta;
    bool llama3_rope; // rope_type "llama3": the four numbers below (models.md A2)
    double rope_factor, rope_low, rope_high, rope_original;
    bool tied;                              // the head is the embedding
    char profile[32];                       // the profile of prompts that it was trained with; "": not said
    int bos;                                // -1: none
    int eos[CHECKPOINT_EOS_MAX], eos_count; // the union of config.json and generation_config.json
    struct {                                // generation_config.json; negative: not said
        double temperature, top_p, min_p;
        int top_k;
    } generation;
} ModelConfig;

typedef struct {
    const char *path; // what was opened: a folder or a file (hf: is resolved)
    bool is_gguf;
    ModelConfig config;
    // GGUF files of arch llama hold q and k rows so that rope turns neighbours (2i, 2i+1) instead of halves
    // (i, i + head_dim/2).
    bool rope_neighbours;
    const float *rope_divisor; // rope_freqs.weight: [head_dim/2], divides the frequency; NULL: none
    TokenizerSource vocabulary;
    const char *no_vocabulary; // why `vocabulary` is empty; NULL: it is not
    Str chat_template;         // Jinja; len 0: none
    size_t bytes;              // of all tensors, as stored
    struct CheckpointFiles *files;
} Checkpoint;

// path: a folder, a .gguf file, or hf:org/name[@revision][:subfolder] in the local Hugging Face cache.
// ERR_IO / ERR_INPUT name the file, the place in it and the next step (for hf: the download command).
MUST_CHECK bool checkpoint_open(Arena *a, const char *path, Checkpoint **out, Err *e);
void checkpoint_close(Checkpoint *c); // unmaps
// A model whose weights lie in memory ([ROLE_COUNT * layers], rows 0: not there), in the order of a folder's
// rows; vocabulary and template are those of `like`, which has to outlive it.
Checkpoint *checkpoint_in_memory(Arena *a, const ModelConfig *c, const Checkpoint *like, Weight *weight);
// NULL for an optional tensor that is not there: a bias; the head of a tied model (use ROLE_EMBED then).
const Weight *checkpoint_weight(const Checkpoint *c, WeightRole role, int layer);

// LoRA: y += scale * B (A x). Float32, in the order that the base's rows have (rope_neighbours included), so
// that it applies to any base of the same shapes.
typedef struct {
    WeightRole role; // Q K V O GATE UP DOWN
    int layer, rank;
    float scale;    // alpha / r, or alpha / sqrt(r)
    const float *a; // [rank, in]
    const float *b; // [out, rank]
    int64_t in, out;
} LoraPart;
typedef struct {
    const char *path;
    const LoraPart *part;
    int count;
    size_t parameters;
    struct AdapterFiles *files; // a and b may lie in the file
} Adapter;
// path: a PEFT folder (adapter_config.json + adapter_model.safetensors), a GGUF adapter, or hf:... . What the
// program cannot honour (use_dora, modules_to_save, ...) is refused by name.
MUST_CHECK bool adapter_open(Arena *a, const char *path, const Checkpoint *base, Adapter **out, Err *e);
void adapter_close(Adapter *ad);
// 64 hexadecimal digits: other weights, another adapter (NULL: none), tokenizer or template have others.
void checkpoint_identity(const Checkpoint *c, const Adapter *adapter, char out[65]);
