// save.h - what training leaves on disk. A run is a folder; in it each checkpoint-N is a folder of its own:
//     config.json, model.safetensors, tokenizer.json ...     a model, as transformers loads it; or
//     adapter_config.json, adapter_model.safetensors         a LoRA adapter, as PEFT loads it
//     training.json, optimizer.safetensors                   what resuming needs besides
// It is written under another name, flushed to the disk and then renamed: a folder called checkpoint-N is
// whole, whenever the program or the machine stopped.
#pragma once
#include "train/engine/parameters.h"

// Where training stands, beside the numbers.
typedef struct {
    int64_t step, tokens; // done
    int64_t epoch, place; // of packing.h
    uint64_t seed;
    double best;     // loss of the best evaluation; negative: none yet
    int64_t without; // evaluations since then
    char plan[65];   // SHA-256 of everything that has to be the same when training goes on
} TrainState;

typedef struct {
    const Parameters *parameters;
    const Checkpoint *base; // template and vocabulary; of LoRA its path is named
    const char *run;        // folder
    TrainState state;
    int keep; // so many checkpoints; older ones are removed
} SaveRequest;
MUST_CHECK bool training_save(const SaveRequest *q, Err *e);
// The latest whole checkpoint's folder; "" where there is none.
MUST_CHECK bool training_latest(Arena *a, const char *run, Str *out, Err *e);
// Numbers and state of a checkpoint, into parameters of the same layout.
MUST_CHECK bool training_load(Parameters *p, const char *folder, TrainState *out, Err *e);
// The model or adapter alone, into a new or existing folder.
MUST_CHECK bool training_export(const Parameters *p, const Checkpoint *base, const char *folder, Err *e);
