// batch_lanes.h - inside of the CPU's engine: a batch in units of whole documents, each of them forward and
// back on one thread, with a gradient of its own. Threads meet once for a batch, not behind each product.
// Gradients of units are added in the order of units; who computed which, and who helped, enters no number. A
// thread without a unit helps another with its loops (pool_join).
#pragma once
#include "train/engine/room.h"

// How a batch is cut is a function of it and of the model's sizes: UNIT_TOKENS tokens to a unit or a
// document, if that is longer, and UNITS_MAX units at most. All units together take at most UNITS_BYTES for
// gradients, logits and the model's room; a model of which fewer than UNITS_LEAST fit is not cut: there loops
// are long enough for all threads (a whole model of up to about 25 million parameters is cut).
enum { UNIT_TOKENS = 256, UNITS_MAX = 32, UNITS_LEAST = 8, PIECE_TOKENS = 512, WHOLE_TOKENS = 1024 };
static const size_t UNITS_BYTES = (size_t)1 << 30;

int lanes_units(const CpuEngine *c, const TrainBatch *b); // into how many; below 2: it is not cut

// Documents [first, end) of a batch, one after the other or as many together as have at most `tokens`: the
// room for activations is that of one piece.
typedef struct {
    const TrainBatch *b;
    int *from;     // [documents + 1] row of a document
    int *document; // [count] room
    int first, end, tokens;
} Pieces;
MUST_CHECK bool pieces_run(CpuEngine *c, const Pieces *p, const LossAim *aim, Err *e);
// A batch that is not cut, in pieces of WHOLE_TOKENS.
MUST_CHECK bool whole_run(CpuEngine *c, const TrainBatch *b, const LossAim *aim, Err *e);

// As batch_learn() and batch_logprobs(), in lanes_units() units. The batch is sane.
MUST_CHECK bool lanes_run(CpuEngine *c, const TrainBatch *b, const LossAim *aim, Err *e);
void lanes_free(CpuEngine *c);
