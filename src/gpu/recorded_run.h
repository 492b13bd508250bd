// recorded_run.h - what one call of a candidate's host code asks of a GPU, written down: buffers, launches,
// fills and copies, in order. Whoever replays it needs no host code, no Python and no interpreter.
//
// A run is recorded for given inputs (shapes, strides, types; no values: host code cannot see any). It is
// written by a sandboxed child, so a reader believes nothing: recorded_run_read() bounds and checks every
// field, and every address that a step names lies inside its buffer. What a kernel does with an address is
// not known here; that the program was accepted for other shapes is, and canaries watch the rest.
//
// Kernels are named, not written: their text is printed by the parent from the tree that the referee has
// accepted (kernel_print.h), never taken from the child.
#pragma once
#include "base/json.h"
#include "lang/pyvalue.h"
#include "tensor/dtype.h"

enum {
    RUN_BUFFERS_MAX = 1024,
    RUN_KERNELS_MAX = 1024,
    RUN_STEPS_MAX = 1024,
    RUN_PARAMS_MAX = 256, // of a kernel, members of tuples counted; arguments of a launch
    RUN_CHOICES_MAX = 256,
    RUN_ARGS_MAX = 1 << 17, // arguments of all launches, and parameters of all kernels, together
    RUN_NAME_MAX = 256,
    RUN_INPUTS_MAX = 64,
    RUN_OUTPUTS_MAX = 12,
    RUN_RANK_MAX = 8,
    RUN_TEXT_MAX = 4 << 20 // bytes of JSON
};
#define RUN_FORMAT    "ouroboros run 1"
#define RUN_BYTES_MAX ((int64_t)1 << 40) // of one buffer

// --- memory ---

// OUTPUT: a returned tensor lies there, and it is no input. SCRATCH: what else host code allocated.
typedef enum { BUFFER_INPUT, BUFFER_OUTPUT, BUFFER_SCRATCH } BufferRole;
typedef struct {
    BufferRole role;
    int64_t bytes; // may be 0. Its first byte is aligned to 256 at least
    bool kept;     // made while the program was built, or in a call before: it outlives the call
} RunBuffer;

// Elements of a buffer; all of them lie inside it.
typedef struct {
    int buffer;
    DType dtype;
    int rank;
    int64_t shape[RUN_RANK_MAX], stride[RUN_RANK_MAX]; // in elements
    int64_t offset;                                    // in bytes
} RunView;

// --- kernels ---

typedef enum { CONST_PLAIN, CONST_DTYPE, CONST_FUNCTION, CONST_TUPLE } RunConstKind;
typedef struct RunConst RunConst;
struct RunConst {
    RunConstKind kind;
    PyValue plain;        // PLAIN: None, bool, int, float, str
    DType dtype;          // DTYPE: tl.float16
    Str function;         // FUNCTION: a jit function of the same module
    const RunConst *item; // TUPLE
    int items;
};

// A parameter as Triton 3.6 specialises it. `type` is its own spelling: "*fp16", "i32", "i64", "u64", "u1",
// "fp32", "fp64" ...; "constexpr" where `value` is folded into the code (declared so, None, or an int equal
// to 1); "tuple" where it is made of `item`s.
typedef struct RunParam RunParam;
struct RunParam {
    Str name; // empty for members of tuples
    Str type;
    bool aligned; // divisible by 16: "tt.divisibility"
    RunConst value;
    const RunParam *item;
    int items;
};

typedef struct {
    int num_warps, num_stages, num_ctas;
    int maxnreg;      // 0: not given
    bool fp_fusion;   // enable_fp_fusion; true unless the launch says otherwise
    bool cooperative; // launch_cooperative_grid
    bool pdl;         // launch_pdl
} RunOptions;

typedef struct {
    Str name;
    uint32_t at; // of its definition in the candidate's source: names need not be unique there
    Str source;  // a whole module, printed by us; empty until the parent has printed it
    const RunParam *param;
    int params;
    RunOptions option;
} RunKernel;

// --- steps ---

// One argument of the cubin's entry: constants have none, and tuples are flattened. What Triton itself adds
// behind them (two scratch pointers) is the launcher's business.
typedef enum { ARGUMENT_POINTER, ARGUMENT_SCALAR } RunArgKind;
typedef struct {
    RunArgKind kind;
    int bytes;      // of the cubin's parameter: 1, 2, 4, 8
    int buffer;     // POINTER
    int64_t offset; // POINTER: 0 .. bytes of the buffer
    uint64_t bits;  // SCALAR: the low `bytes` bytes, little endian; floats as their own bits
} RunArg;

// One way of a launch: an autotuned kernel has one for each config that may be chosen.
typedef struct {
    int kernel;
    int config;      // its number in the list of configs; 0 where nothing is tuned
    int64_t grid[3]; // programs; a 0 launches nothing. Clusters multiply the first one
    const RunArg *arg;
    int args;
} RunLaunch;

typedef enum { STEP_LAUNCH, STEP_FILL, STEP_COPY } StepKind;
typedef struct {
    StepKind kind;
    // LAUNCH. Launches of one group >= 0 run with one and the same config (Triton tunes once for each key):
    // all of them have the same configs, in rising order. -1: not autotuned, one choice.
    int group;
    const RunLaunch *choice;
    int choices;
    // FILL: `count` elements of `width` bytes from `offset` on. COPY: into `buffer` from `offset` on, the
    // elements of `from` in row-major order, without gaps.
    int buffer;
    int64_t offset, count;
    int width;
    uint64_t pattern; // FILL: the low `width` bytes
    RunView from;     // COPY
} RunStep;

typedef struct {
    RunBuffer *buffer;
    int buffers;
    RunView input[RUN_INPUTS_MAX]; // input k lies in a buffer of its own, of role INPUT
    int inputs;
    RunView output[RUN_OUTPUTS_MAX]; // what the call returns, in order
    int outputs;
    RunKernel *kernel;
    int kernels;
    // The first `setups` steps belong to what runs once (a program that keeps something between calls); the
    // rest is one call, and what is timed.
    RunStep *step;
    int steps, setups;
    int groups;     // of autotuned launches: 0 .. groups - 1
    int processors; // of the GPU that host code was told of; another one might get another run
} RecordedRun;

const char *run_type_name(DType t);      // as Triton spells it in signatures: "fp16", "i32", "u8"
int run_scalar_bytes(Str type);          // of "i32", "*fp16" and their like; 0: no such type
int run_flat_params(const RunKernel *k); // how many arguments its launches have
// What a compiler gets beside the source, as members of a JSON object: name, params, options.
void run_kernel_form(Buf *out, const RunKernel *k);
Str run_choice_name(Arena *a, const RecordedRun *run, const RunLaunch *l); // "k config 3: 4 warps, ..."

// JSON, on one line. Reading checks that the run is whole: every index, address, size and count. `printed`:
// every kernel has a source.
MUST_CHECK bool recorded_run_write(Buf *out, const RecordedRun *run, Err *e);
MUST_CHECK bool recorded_run_read(Arena *a, const char *name, Str text, bool printed, RecordedRun *out,
                                  Err *e);
