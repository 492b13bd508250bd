// draft.h - many replies to one prompt: the prompt is computed once and its keys and values are shared; every
// step reads each weight once for all drafts that are alive; finished drafts leave and waiting ones join.
// Random numbers are indexed by (seed, draft, position): a draft is the same alone or among sixteen.
#pragma once
#include "model/model.h"

typedef struct {
    double temperature; // 0: the most likely token
    int top_k;          // 0: all
    double top_p;       // 1: all
    double min_p;       // 0: all
} Sampling;             // applied in the order temperature, top_k, top_p, min_p (transformers' order)

typedef enum {
    DRAFT_EOS,    // ended by itself
    DRAFT_STOP,   // met a stop string or id
    DRAFT_LENGTH, // max_tokens
    DRAFT_CUT,    // the caller ended it
} DraftEnd;

typedef struct {
    int index;
    Str text; // UTF-8, without the token or string that ended it
    const int32_t *token;
    const float *logprob; // of each token under the untempered model; NULL unless asked for
    int count;
    DraftEnd end;
} Draft;

typedef struct {
    const Model *model;
    const Tokenizer *tokenizer;
    const Adapter *adapter; // NULL: none
    Tokens prompt;
    int first, count; // drafts `first` to `first + count - 1`
    int together;     // alive at a time
    int max_tokens;
    Sampling sampling;
    uint64_t seed;
    const Str *stop; // stop strings
    int stops;
    bool logprobs;
    KvType kv;
    // Called from the calling thread: text that draft `index` grew by (may be NULL), and a finished draft.
    // Returning false ends everything; what is finished is kept.
    bool (*grew)(void *arg, int index, Str text, int tokens_in_all);
    bool (*finished)(void *arg, const Draft *d);
    void *arg;
} DraftRequest;

// Memory that a request will take beyond the weights.
size_t draft_bytes(const DraftRequest *q);
// out: [count], in order of index; *done of them are finished (end is set), the rest were cut.
MUST_CHECK bool draft_run(Arena *a, const DraftRequest *q, Draft *out, int *done, Err *e);
