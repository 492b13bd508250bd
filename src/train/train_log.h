// train_log.h - what a run tells while it goes: metrics.jsonl, one JSON object a line, and a file of events
// that TensorBoard reads. Both only grow. A run that is resumed forgets what came after the checkpoint it
// goes on from.
//     {"kind":"step","step":10,"tokens":81920,"loss":2.31,"rate":0.0004,"norm":1.2,"seconds":12.5,"tokens_per_second":6553}
//     {"kind":"evaluation","step":50,"loss":2.05}
//     {"kind":"gate","step":50,"samples":32,"valid":20,"ops":{"softmax":{"samples":16,"valid":12,"statuses":{"ok":12,...}}}}
#pragma once
#include "train/gate.h"

typedef struct {
    int64_t step, tokens; // tokens: all that were learned from so far
    double loss, rate, norm, seconds, tokens_per_second;
} StepRecord;

typedef struct Record Record;
MUST_CHECK bool record_open(Arena *a, const char *run, int64_t last_step, Record **out, Err *e);
MUST_CHECK bool record_step(Record *r, const StepRecord *s, Err *e);
MUST_CHECK bool record_evaluation(Record *r, int64_t step, double loss, Err *e);
MUST_CHECK bool record_gate(Record *r, int64_t step, const GateResult *g, Err *e);
void record_close(Record *r); // NULL is allowed
