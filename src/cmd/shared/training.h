// training.h - what `train sft` trains, opened: a published model, or a new one.
#pragma once
#include "cmd/line/cmd.h"
#include "text/chat.h"
#include "train/documents.h"
#include "train/engine/parameters.h"

typedef struct {
    const char *model, *tokenizer, *chat, *adapter;
    const char *profile; // of the prompts, to be written into the model; NULL: as it was
    Shape fresh;         // layers x width; m 0: none
    int context, vocab, rank;
    double alpha;
    Texts data;
    uint64_t seed;
} TrainedChoice;

typedef struct {
    Checkpoint *opened; // NULL: a new model
    const Checkpoint *base;
    Tokenizer *tokenizer;
    const ChatFamily *chat; // NULL: none
    int32_t end;            // the token that ends a reply
    Parameters *parameters;
} Trained;

// Says each line of data that cannot be used on standard error, the first few in full.
typedef struct {
    const char *verb, *path;
    int64_t told;
} LinesTold;
bool line_told(void *arg, int64_t line, const Err *why);

MUST_CHECK bool trained_open(Arena *a, const TrainedChoice *c, Trained *out, Err *e);
void trained_close(Trained *t);
// A vocabulary from texts of JSON Lines.
typedef struct {
    Str json;
    int size;
} Vocabulary;
MUST_CHECK bool vocabulary_train(Arena *a, const char *verb, const Texts *data, int vocab, Vocabulary *out,
                                 Err *e);
#define REPLY_END "<|endoftext|>"
