// record.h - what a candidate's host code asks of a GPU, for inputs of given sizes, written down in a child
// like any other: sandboxed, no kernel run, no tensor there. The child's text is read as hostile, and the
// kernels in it are printed by the parent, from the source that the referee has accepted.
#pragma once
#include "gpu/recorded_run.h"
#include "op/op.h"
#include "sandbox/fork_servers.h"

enum { RECORD_MAGIC = 0x4f555252 };

// Behind a DrawHeader (RECORD_MAGIC, cases 0) in the input mapping.
typedef struct {
    int32_t dtype, rank;
    int64_t shape[RUN_RANK_MAX], stride[RUN_RANK_MAX]; // elements
    int64_t offset, bytes; // elements from the storage's first byte; of the storage
} RecordInput;
typedef struct {
    int32_t inputs, outputs, processors;
    int32_t replayed; // on a GPU: what a ModelNew leaves to PyTorch's library, which no run has, is refused
    int32_t
        in_place[WIRE_OUTPUTS_MAX]; // the input that output k is, changed in place; -1: a tensor of its own
    RecordInput input[WIRE_INPUTS_MAX];
} RecordOrder;

// The inputs of an op at these sizes, without gaps; `t` is that of its "float" inputs. False where that is
// more than there can be.
MUST_CHECK bool record_order(const Op *op, const int64_t size[OP_DIMS_MAX], DType t, int processors,
                             RecordOrder *out, Err *e);

typedef struct {
    bool ok;
    RecordedRun run; // of ok: with printed kernels
    Str why;         // else: what about the program cannot be recorded, for people
} Recording;
// False when the world fails. The source is that of an accepted program.
typedef struct {
    Str source;
    Extras extras;
    RecordOrder order;
} RecordAsk;
MUST_CHECK bool record_run(ForkServers *servers, Arena *a, const RecordAsk *ask, Recording *out, Err *e);

// The job of a child that records: all of it, the report too. Returns its exit code.
struct Tuned;
typedef struct {
    const ChildJob *job;
    Arena *code, *call;
    const Node *module;
    struct Tuned *tuned;
    size_t sparse; // the last bytes of the job's memory
} RecordChild;
int record_child(const RecordChild *c);
// The report of such a child, and the text in its output: false where it is no such thing.
bool record_text(const ChildResult *r, size_t source_len, Str *text, Str *finding);
