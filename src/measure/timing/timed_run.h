// timed_run.h - what a measuring process runs: buffers, compiled kernels, and the steps of one call with
// every argument. A candidate's comes from its recorded run and its cubins; a baseline's from what PyTorch's
// compiler made, as baseline.py writes it. Both are read as hostile: every index, address and size is checked
// before it is used.
//
// As JSON:
//   {"buffers":[{"input":0,"bytes":N} | {"bytes":N}, ...],
//    "kernels":[{"entry":"rows_kernel","image":"7f454c46...","shared":64,"cluster":1,"cooperative":false,"overlaps":false}],
//    "steps":[{"launch":0,"grid":[4096,1,1],"block":[256,1,1],"args":[[BUFFER,OFFSET],"00100000", ...]},
//             {"fill":BUFFER,"offset":0,"width":4,"count":N,"pattern":0},
//             {"copy":BUFFER,"offset":0,"from":BUFFER,"from_offset":0,"bytes":N}],
//    "setups":0, "outputs":[[BUFFER,OFFSET], ...]}
// A text among args is the bytes of a number, little endian, as hexadecimal digits; "image" likewise.
#pragma once
#include "gpu/cubin.h"
#include "gpu/recorded_run.h"

enum { TIMED_ARGS_MAX = 256, TIMED_STEPS_MAX = 4096, TIMED_KERNELS_MAX = 1024, TIMED_BUFFERS_MAX = 1100 };

typedef struct {
    int input; // its number; -1: memory of the run's own, whose values nobody may rely on
    int64_t bytes;
} TimedBuffer;
typedef struct {
    Str entry, image; // image: NUL-terminated behind its end
    int shared, cluster;
    bool cooperative, overlaps;
} TimedKernel;
typedef struct {
    int buffer; // -1: a number
    int64_t offset;
    int bytes;
    uint64_t bits;
} TimedArg;
typedef struct {
    StepKind kind;
    int kernel; // LAUNCH
    int64_t grid[3], block[3];
    TimedArg *arg;
    int args;
    int buffer; // FILL, COPY
    int64_t offset, count;
    int width;
    uint64_t pattern;
    int from;
    int64_t from_offset; // COPY: `count` bytes
} TimedStep;
// Where an answer begins.
typedef struct {
    int buffer;
    int64_t offset;
} TimedView;
typedef struct {
    TimedBuffer *buffer;
    int buffers;
    TimedKernel *kernel;
    int kernels;
    TimedStep *step;
    int steps, setups;                 // the first ones run once, before anything is timed
    TimedView output[RUN_OUTPUTS_MAX]; // the answers, in order
    int outputs;
} TimedRun;

// One way through a recorded run: `config[g]` is the choice of launches of group g, an index (NULL: 0), and
// cubin[k] is kernel k's, needed where that way launches it.
MUST_CHECK bool timed_run_make(Arena *a, const RecordedRun *run, const Cubin *const *cubin, const int *config,
                               TimedRun *out, Err *e);
void timed_run_write(Buf *out, const TimedRun *run);
// `o` belongs to a parsed text. Inputs are those of a job: `bytes[i]` of input i, and output[k] of answer k.
typedef struct {
    const Json *json;
    const json_t *o;
    const int64_t *bytes;
    int inputs;
    const int64_t *output;
    int outputs;
} TimedRunSource;
MUST_CHECK bool timed_run_read(Arena *a, const TimedRunSource *s, TimedRun *out, Err *e);
int64_t timed_run_bytes(const TimedRun *run); // of memory of its own
