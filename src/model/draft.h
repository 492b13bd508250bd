// draft.h - many replies at once: what their prompts begin with in common (all of it, where there is one
// prompt) is computed once and its keys and values are shared; every step reads each weight once for all
// drafts that are alive; finished drafts leave and waiting ones join. Random numbers are indexed by (seed,
// draft, position): a draft is the same alone or among sixteen.
#pragma once
#include "model/model.h"
#include "model/sample.h"

typedef enum {
    DRAFT_EOS,    // ended by itself
    DRAFT_STOP,   // met a stop string or id
    DRAFT_LENGTH, // max_tokens, or the end of the model's context
    DRAFT_CUT,    // the caller ended it
} DraftEnd;

typedef struct {
    int index;
    Str text;             // UTF-8, without the token or string that ended it
    const int32_t *token; // all that were drawn, the one that ended it included
    const float *logprob; // of each token under the untempered model; NULL unless asked for
    int count;
    DraftEnd end;
} Draft;

typedef struct {
    int index;
    Tokens prompt;
} DraftAsk;

enum { DRAFT_STOPS_MAX = 64, DRAFT_STOP_BYTES_MAX = 4096, DRAFT_TOGETHER_MAX = 256 };
typedef struct {
    Model *model; // takes its steps
    const Tokenizer *tokenizer;
    const Adapter *adapter; // NULL: none
    const DraftAsk *ask;    // [count]
    int count;
    int together; // alive at a time
    int max_tokens;
    Sampling sampling;
    uint64_t seed;
    const Str *stop; // stop strings; the text ends where the first that is complete begins
    int stops;
    const int32_t *stop_id; // tokens that end a draft besides the model's own
    int stop_ids;
    bool logprobs;
    KvType kv;
    // Called from the calling thread. grew: after every token, with the text that is certain since (empty
    // while it may yet become a stop string or part of a character). finished: a finished draft, which lives
    // as long as the arena. Either may be NULL; returning false ends everything, what is finished is kept.
    bool (*grew)(void *arg, int index, Str text, int tokens_in_all);
    bool (*finished)(void *arg, const Draft *d);
    bool (*wanted)(void *arg); // asked at every layer of every step; NULL: it is
    void *arg;
} DraftRequest;

// The questions for drafts `first` to `first + count - 1` of one prompt.
const DraftAsk *draft_asks(Arena *a, Tokens prompt, int first, int count);
// Memory that a request will take beyond the weights; most of it keys and values.
size_t draft_bytes(const DraftRequest *q);
// out: [count], in the order of `ask`; *done of them are finished, the rest were cut (set in either case). An
// error leaves what is finished, too.
MUST_CHECK bool draft_run(Arena *a, const DraftRequest *q, Draft *out, int *done, Err *e);
