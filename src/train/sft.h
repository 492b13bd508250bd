// sft.h - supervised fine-tuning: documents in, checkpoints out. Steps are a function of plan, seed and
// documents; a run that was ended goes on from its latest checkpoint as if it had not been.
#pragma once
#include "train/packing.h"
#include "train/save.h"
#include "train/schedule.h"
#include "train/train_log.h"

typedef enum {
    SFT_DONE,    // all steps
    SFT_EARLY,   // the loss on held-out documents stopped falling
    SFT_VALID,   // the gate says that it is enough
    SFT_STOPPED, // not wanted any more
} SftEnd;

typedef struct {
    Engine *engine;
    const Checkpoint *base;
    const Tokenizer *tokenizer;
    const Documents *documents;
    KvType kv;
    const char *run; // folder
    Schedule schedule;
    int64_t epochs;       // in place of schedule.steps, where that is 0
    int64_t batch, micro; // tokens of a step; of them at a time
    double beta1, beta2, eps, decay, clip;
    uint64_t seed;
    bool whole;                                     // prompts are learned, too
    double held;                                    // share of documents that are held out
    int64_t evaluate_every, save_every, gate_every; // steps; 0: never
    int keep, patience; // checkpoints; evaluations without a better loss, 0: any number
    const Gate *gate;   // NULL: none
    bool resume;
    // May be NULL. stepped: after each; evaluated and judged: after these.
    void (*stepped)(void *arg, const StepRecord *s, int64_t steps);
    void (*evaluated)(void *arg, int64_t step, double loss);
    void (*judged)(void *arg, int64_t step, const GateResult *g);
    bool (*wanted)(void *arg);
    void *arg;
} SftPlan;

typedef struct {
    SftEnd end;
    int64_t steps, tokens;
    double loss, held_loss; // of the last step, and on held-out documents (negative: there are none)
    int documents, held;
    const char *checkpoint; // folder of the last one
} SftResult;
MUST_CHECK bool sft_run(Arena *a, const SftPlan *p, SftResult *out, Err *e);
