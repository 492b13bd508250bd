// Our logits on standard output, for model.py: float32, [tokens][vocab].
//   model-logits MODEL ADAPTER|- f16|f32 PIECE ID...     PIECE tokens in a step; 0: the plain float64 forward
#include <stdio.h>
#include <stdlib.h>

#include "model/model.h"
#include "model/model_plain.h"

enum { IDS_MAX = 4096 };

static bool compute(Arena *a, char **arg, int32_t *id, int count, Err *e) {
    Checkpoint *c;
    Adapter *ad = NULL;
    if (!checkpoint_open(a, arg[1], &c, e)) return false;
    if (arg[2][0] != '-' && !adapter_open(a, arg[2], c, &ad, e)) return false;
    size_t vocab = (size_t)c->config.vocab;
    float *logits = NEWN(a, float, (size_t)count *vocab);
    int piece = atoi(arg[4]);
    if (!piece) {
        model_plain(c, ad, id, count, logits);
        return fwrite(logits, sizeof *logits, (size_t)count * vocab, stdout) == (size_t)count * vocab;
    }
    Model *m;
    Kv *kv;
    KvType type = arg[3][1] == '1' ? KV_F16 : KV_F32;
    if (!model_open(a, c, pool_open(2), &m, e) || !kv_open(m, type, 1, count, &kv, e)) return false;
    static int seq[MODEL_STEP_MAX];
    static bool want[MODEL_STEP_MAX];
    memset(want, 1, sizeof want);
    for (int at = 0; at < count; at += piece) {
        int n = count - at < piece ? count - at : piece;
        ModelStep s = {.token = id + at, .seq = seq, .want = want, .count = n, .adapter = ad};
        if (!model_step(m, kv, &s, logits + (size_t)at * vocab, e)) return false;
    }
    return fwrite(logits, sizeof *logits, (size_t)count * vocab, stdout) == (size_t)count * vocab;
}

int main(int argc, char **argv) {
    static int32_t id[IDS_MAX];
    int count = argc - 5;
    if (count < 1 || count > IDS_MAX)
        return fprintf(stderr, "usage: model-logits MODEL ADAPTER|- f16|f32 PIECE ID...\n"), 2;
    for (int i = 0; i < count; i++) id[i] = atoi(argv[i + 5]);
    Arena a = {0};
    Err e = {0};
    if (compute(&a, argv, id, count, &e)) return 0;
    fprintf(stderr, "model-logits: %s\n", e.msg);
    return 1;
}
