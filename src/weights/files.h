// files.h - what stands behind an open checkpoint: for this folder's own files only.
#pragma once
#include "weights/checkpoint.h"
#include "weights/format/gguf.h"

enum { SHARDS_MAX = 1000, JSON_BYTES_MAX = 16 << 20, TOKENIZER_BYTES_MAX = 128 << 20 };

typedef struct CheckpointFiles {
    Mapped *map; // [maps]
    int maps;
    StoredTable tensors;
    Gguf gguf;      // of a GGUF file
    Weight *weight; // [ROLE_COUNT * layers]; rows 0: not there
} CheckpointFiles;

// The single model.safetensors of a folder, or the shards that its index names; opened, read and sealed.
MUST_CHECK bool shards_open(Arena *a, const char *folder, CheckpointFiles *f, Err *e);
MUST_CHECK bool file_exists(const char *path);
// hf: names and other paths to what to open, and whether that is a folder.
MUST_CHECK bool path_resolve(Arena *a, const char *path, const char **out, bool *folder, Err *e);
// A checkpoint over bytes that are mapped already; they stay the caller's.
MUST_CHECK bool checkpoint_of_gguf(Arena *a, const Mapped *m, Checkpoint *c, Err *e);
// The shape that a tensor has to have: rows and columns, a vector being one row.
void role_shape(const ModelConfig *c, WeightRole role, int64_t *rows, int64_t *cols);
bool role_is_vector(WeightRole role);
// Its name in a file.
typedef struct {
    char at[96]; // role_name(...).at lives to the end of the expression
} RoleName;
RoleName role_name(WeightRole role, int layer, bool gguf);
// Rope turns halves (i, i + d/2) in one order of a head's rows and neighbours (2i, 2i+1) in the other.
typedef struct {
    int heads, head_dim;
    int64_t cols;
    bool to_neighbours;
} RopeRows;
void rope_rows_reorder(const float *from, float *to, const RopeRows *r);
