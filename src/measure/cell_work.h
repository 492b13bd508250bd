// cell_work.h - what the files of a cell share. Private to measure/.
#pragma once
#include "cases/repeated.h"
#include "measure/cell.h"
#include "measure/cell_shared.h"
#include "sandbox/record.h"

// One cell at work. Everything lives until it is done.
typedef struct {
    Arena *a;
    const CellRequest *q;
    CellTimes *out;
    CellPlace place;
    Repeated r;
    const SharedDraw *shared; // what r is of; NULL: r is the cell's own
    bool rotates;             // rows are copies of a block, and may be moved
    const Bound *rounded;     // what is right by the rounding of the request; NULL: not evaluated
    Recording recording;
    const Cubin **cubin;       // of each kernel; NULL: it does not compile
    int config[RUN_STEPS_MAX]; // of each group, which choice
    TimingJob job;
    BaselineTimes baseline;
    int replayed[BASELINE_MODES_MAX]; // contender of the job; 0: none
    int yardsticks;                   // contenders of the job, behind the first; 0: their time is kept
    bool no_yardsticks;               // they do not run here
    TimedRun ours;                    // what was recorded, with its config
    bool ready;                       // to be measured
    Err e;
} Cell;

// ---- cell.c
bool cell_say(Cell *c, TimesStatus s, const char *why); // false
bool cell_failed(Cell *c);                              // its error; false

// ---- cell_measure.c
void cell_measure(Cell *c); // a cell that is ready

// ---- cell_answers.c
Figure cell_figure(const double *x, int n);
Figure cell_fastest(const TimingResult *r, int from, int n); // of n contenders
// A fault of a kernel that the referee has accepted takes the verdict back.
bool cell_ended_well(Cell *c, const TimedContender *t);
// Of the program itself by what it was accepted by.
bool cell_answers_right(Cell *c, const uint8_t *answers, Str *why);
// What a whole measurement amounts to.
void cell_tell(Cell *c, const TimingResult *r, const uint8_t *answers);
// Of max-autotune's several draws the median one, of it and the default mode the better one: its device time
// and its name; 0: one of them is missing.
double cell_bar(const CellBaseline *b, int n, bool kept, Str *name);
