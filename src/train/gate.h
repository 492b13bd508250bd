// gate.h - what a model in training can do: it is asked for some things, several times at several
// temperatures, and its replies are judged by whoever hands in `judge`. This room does not know how.
#pragma once
#include "train/documents.h"
#include "train/engine/engine.h"

typedef struct {
    Str text;
    bool cut; // by the limit of tokens
} GateReply;
typedef struct {
    bool valid;
    const char *status; // static text
} GateVerdict;
typedef struct {
    Str name; // of the op
    Tokens prompt;
} GateAsk;
enum { GATE_TEMPERATURES_MAX = 8, GATE_STATUSES_MAX = 32, GATE_ASKS_MAX = 256 };
typedef struct {
    const GateAsk *ask;
    int asks, samples; // samples of each ask at each temperature
    double temperature[GATE_TEMPERATURES_MAX];
    int temperatures, max_tokens;
    double enough; // share of accepted replies that each ask needs at the lowest temperature
    int32_t end;   // the token that ends a reply
    bool (*judge)(void *arg, Str name, const GateReply *reply, int n, GateVerdict *out, Err *e);
    void *arg;
} Gate;

typedef struct {
    Str name;
    int samples, valid;
    double lowest; // share of accepted ones at the lowest temperature
    const char *status[GATE_STATUSES_MAX];
    int count[GATE_STATUSES_MAX], statuses;
} GateRow;
typedef struct {
    GateRow *row; // [asks]
    int rows, samples, valid;
    bool enough;
} GateResult;

typedef struct {
    Engine *engine;
    const Tokenizer *tokenizer;
    KvType kv;
    uint64_t seed;
    bool (*wanted)(void *arg); // NULL: it is
    void *arg;
} GateRun;
MUST_CHECK bool gate_run(Arena *a, const Gate *g, const GateRun *r, GateResult *out, Err *e);
