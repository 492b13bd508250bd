// cell.h - the times of one accepted kernel at one shape and dtype, beside what PyTorch makes of the
// definition.
//
// The program's host code is recorded in the sandbox, its kernels are printed by us and compiled, inputs are
// drawn after all that; the measurer runs everything. Every answer of a checked set is compared, whole, with
// the oracle's bounds.
#pragma once
#include "judge/referee.h"
#include "measure/baseline.h"
#include "measure/compile/compile.h"
#include "measure/timing/measurer.h"
#include "measure/user_calls.h"

enum { STABILITY_MAX = 32 };
typedef enum {
#define TIMES(id, doc) TIMES_##id,
#include "measure/times.def"
#undef TIMES
    TIMES_COUNT
} TimesStatus;
const char *times_name(TimesStatus s);

// Of several rounds: the median in microseconds, and the middle half's width as a share of it.
typedef struct {
    double us, spread;
    int rounds;
} Figure;

// One contender as a PyTorch user calls it (user_calls.h).
typedef struct {
    Str name;
    Figure call, queued;
    Str why; // what is missing, and why
} CellUserCall;

// Where a kernel is timed. Of a module all of it is as its own sizes are, and rows and columns are 0.
typedef struct {
    int64_t rows, columns;
    DType dtype;
} CellPlace;

typedef struct {
    Str name;
    Figure device;        // replayed beside the kernel, by the same process; rounds 0: it was not
    Figure own, own_call; // as PyTorch runs it, in its own process
    bool failed;          // its replay did, or gave wrong answers: PyTorch's own time does not count, either
    Str why;              // what is missing, and why
} CellBaseline;

typedef struct {
    CellPlace place;
    Str inputs;                      // of a module: names, types and sizes; else empty
    uint64_t inputs_seed, sets_seed; // that were drawn: of the inputs; of sets and orders of the last job
    TimesStatus status;
    Str why;
    Figure device, hot, call;
    Str hot_why;                // why there is no hot time; empty: nothing is said
    int64_t bytes;              // of its inputs and its answer, once
    int configs;                // that were timed; 0: none is tuned
    Str config;                 // the fastest
    int registers, local_bytes; // of a thread
    Figure yardstick;           // plain streaming of the same bytes
    Figure copy;                // a copy that moves as many: half read, half written
    bool yardstick_kept;        // both of an earlier job of the same process, less than a minute before
    double floor_us, sm_mhz_low, sm_mhz_high;
    double power_w_low, power_w_high; // watts of the card; 0: not known
    int sets, calls_of_window, checked;
    int windows; // of a round
    CellBaseline baseline[BASELINE_MODES_MAX];
    int baselines;
    CellUserCall user_call[USER_CALLS_MAX];
    int user_calls; // 0: not asked for
    Str torch;
    bool kept; // the baselines were tuned in an earlier run, and are replayed
    Str bar; // the baseline that it is compared with: the better one of default and max_autotune; empty: none
    double bar_us, ratio; // bar_us / device.us
    double again_us[STABILITY_MAX],
        again_ratio[STABILITY_MAX]; // measured again, by fresh processes; ratio 0: none
    int again;
    double seconds_prepare; // drawing its inputs, recording its launches
    double seconds_check;   // comparing its answers
    double seconds_compile, seconds_baseline, seconds_timing;
    double seconds_windows; // of timing: the rounds alone
} CellTimes;

typedef struct CellShared CellShared; // cell_shared.h
typedef struct {
    Referee *referee;
    Measurer *measurer;
    Compilers *compilers;
    const DeviceFacts *gpu;
    TorchProcess *baseline;   // NULL: none
    TorchProcess *user_calls; // NULL: calls from Python are not timed
    const char *kept;         // folder of baselines that were tuned before; NULL: none is kept
    const Op *op;
    Str source;   // accepted, with run
    Str rounding; // by which it was accepted; empty: by the reference, as PyTorch's answers are compared
    CellShared *shared; // with other programs; NULL: nothing is
    double fixed;       // when its hash was in the journal already (clock_seconds), where something is shared
    int rounds;
    int again; // how often a cell is measured once more, each time by a fresh process
} CellRequest;

// The cells of one program, ready to be measured: inputs are drawn, launches recorded, kernels compiled,
// those of all cells side by side. What goes wrong with a cell is told in it.
typedef struct Cells Cells;
Cells *cells_prepare(Arena *a, const CellRequest *q, const CellPlace *place, int n, CellTimes *out);
void cells_measure(Cells *c, int i); // once each: out[i] is told then
void cells_free(Cells *c);           // what is not in the arena
// One cell from its place to its times.
void cell_time(Arena *a, const CellRequest *q, CellPlace place, CellTimes *out);

// One object of doc/schema/bench.json, and back; in another program's file nothing is believed.
json_t *cell_json(const CellTimes *c);
MUST_CHECK bool cell_read(Arena *a, const Json *j, const json_t *o, CellTimes *out);
void cell_text(Buf *out, const CellTimes *c);      // one line
void cell_put_place(Buf *out, const CellTimes *c); // 8192x4096 float16, or a module's inputs
