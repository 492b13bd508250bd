// quantize.h - a checkpoint written as a GGUF file that llama.cpp loads: matrices in a mix of types, norms
// and biases in F32, the tokenizer and the chat template inside. Tensors stream through: memory does not grow
// with the model.
#pragma once
#include "base/pool.h"
#include "weights/checkpoint.h"

typedef enum {
#define FTYPE(name, id, most, some, head) FTYPE_##name,
#include "weights/quant/ftype.def"
#undef FTYPE
    FTYPE_COUNT
} FileType;
bool filetype_by_name(const char *name, FileType *out);
const char *filetype_name(FileType t);
int filetype_id(FileType t); // general.file_type

typedef struct {
    size_t tensors, bytes_in, bytes_out;
    size_t type_bytes[W_COUNT], type_count[W_COUNT]; // written
    int fallbacks; // matrices whose rows do not divide into the wanted blocks
    int ends_left; // tokens that end a reply, for which GGUF has no key
} QuantiseReport;

typedef struct {
    const Checkpoint *from;
    const char *path; // written beside, then renamed
    FileType type;
    Pool *pool;
    void (*progress)(void *arg, size_t bytes_read, size_t of); // NULL: none
    bool (*stop)(void *arg);                                   // NULL: never; asked between pieces
    void *arg;
} QuantiseRequest;
MUST_CHECK bool checkpoint_quantise(Arena *a, const QuantiseRequest *q, QuantiseReport *out, Err *e);

// The type that a tensor gets in a mix.
WeightType filetype_of(FileType t, const ModelConfig *c, WeightRole role, int layer, int64_t cols,
                       bool *fallback);
