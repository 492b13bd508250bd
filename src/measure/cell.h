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
#include "measure/measurer.h"

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

typedef struct {
    Str name;
    Figure device;        // replayed beside the kernel, by the same process; rounds 0: it was not
    Figure own, own_call; // as PyTorch runs it, in its own process
    Str why;              // what is missing, and why
} CellBaseline;

typedef struct {
    int64_t rows, columns;
    DType dtype;
    TimesStatus status;
    Str why;
    Figure device, hot, call;
    int64_t bytes;              // of its inputs and its answer, once
    int configs;                // that were timed; 0: none is tuned
    Str config;                 // the fastest
    int registers, local_bytes; // of a thread
    Figure yardstick;           // plain streaming of the same bytes
    double floor_us, sm_mhz_low, sm_mhz_high;
    int sets, calls_of_window, checked;
    CellBaseline baseline[BASELINE_MODES_MAX];
    int baselines;
    Str torch;
    Str bar; // the baseline that it is compared with: the better one of default and max_autotune; empty: none
    double bar_us, ratio; // bar_us / device.us
    double seconds_compile, seconds_baseline, seconds_timing;
} CellTimes;

typedef struct {
    Referee *referee;
    Measurer *measurer;
    Compilers *compilers;
    Baseline *baseline; // NULL: none
    const Op *op;
    Str source; // accepted, with run
    int rounds;
} CellRequest;
// What goes wrong with this cell is told in it.
void cell_time(Arena *a, const CellRequest *q, int64_t rows, int64_t columns, DType dtype, CellTimes *out);
// One object of doc/schema/times.json.
json_t *cell_json(const CellTimes *c);
void cell_text(Buf *out, const CellTimes *c); // one line
