// weight.h - one stored tensor: a matrix (or vector) of a published type, mapped from its file and never
// copied.
#pragma once
#include "base/str.h"

typedef enum {
#define WTYPE(name, id, elements, bytes) W_##name,
#include "weights/format/wtype.def"
#undef WTYPE
    W_COUNT
} WeightType;

typedef struct {
    const char *name; // "Q4_K"
    int gguf_id;
    int block;       // elements
    int block_bytes; // a row is cols / block blocks, rows are contiguous
} WeightTypeInfo;
extern const WeightTypeInfo WEIGHT_TYPE[W_COUNT];

typedef struct {
    Str name; // as its file spells it
    WeightType type;
    int64_t rows, cols;  // torch's [rows, cols]; a vector is one row
    const uint8_t *data; // not aligned beyond a byte in safetensors: read with memcpy or unaligned loads
} Weight;

static inline size_t weight_row_bytes(const Weight *w) {
    return (size_t)(w->cols / WEIGHT_TYPE[w->type].block) * (size_t)WEIGHT_TYPE[w->type].block_bytes;
}
// The meaning of a type: one row as float32, exactly as ggml dequantises it. The reference of every fast
// path.
void weight_row(const Weight *w, int64_t row, float *out);
// n elements (a multiple of the block) of a type. `quantise` is its counterpart for `model quantize`.
void quant_decode(WeightType type, const void *blocks, int64_t n, float *out);
void quant_encode(WeightType type, const float *x, int64_t n, void *blocks);
