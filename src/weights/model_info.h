// model_info.h - what `model info` tells of a checkpoint, as lines for people or one line of JSON.
#pragma once
#include "weights/checkpoint.h"

typedef struct {
    const Checkpoint *c;
    Arena *a;
    int64_t parameters, embedding; // embedding and head
    struct {
        int tensors;
        size_t bytes;
    } type[W_COUNT];
    Str split;                 // the tokenizer's family, as GGUF names it; len 0: unknown
    const char *why_no_tokens; // NULL: the tokenizer works
    const char *chat;          // NULL: unknown
    const char *why_no_chat;
    // Set by the caller: the profile of prompts that mint takes unless told otherwise, and what keys and
    // values of so many drafts take.
    const char *profile;
    int drafts, prompt_tokens, reply_tokens;
    size_t kv_f16, kv_f32;
} ModelInfo;
ModelInfo describe_checkpoint(Arena *a, const Checkpoint *c);
void describe_text(const ModelInfo *f, Buf *out);
void describe_json(const ModelInfo *f, Buf *out);
const char *size_text(Arena *a, size_t bytes); // "2.16 GB"
