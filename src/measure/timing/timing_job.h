// timing_job.h - what a measuring process is asked, and what it answers: JSON over a socket, inputs and
// answers in shared memory. See timing.h for how it measures.
#pragma once
#include "measure/timing/timed_run.h"

enum { TIMING_CONTENDERS_MAX = 320, TIMING_ROUNDS_MAX = 64, TIMING_INPUTS_MAX = RUN_INPUTS_MAX };

// Where an input lies in the shared mapping. `row_bytes` of each of the job's rows; 0: it has none, and is
// the same in every set.
typedef struct {
    int64_t at, bytes, row_bytes;
} TimingInput;

typedef struct {
    Str name;
    bool compared; // its answers are handed back
    TimedRun run;
} TimingContender;

typedef struct {
    uint64_t seed; // of the sets, their order, the order of contenders: drawn after what is timed was fixed
    int rounds;
    int checked;                     // sets of which the answer is handed back
    double target_us;                // a window takes at least this long
    double seconds;                  // at most, for any piece of work that is queued
    bool uncleared;                  // a control: the L2 keeps what the contender before has left there
    int64_t l2_times;                // all sets together are so many times the L2
    int64_t rows;                    // of the inputs that have rows; answers are moved back by as many
    int64_t output[RUN_OUTPUTS_MAX]; // bytes of each answer
    int in_place[RUN_OUTPUTS_MAX];   // 1 + the input that this answer is, changed in place; 0: none
    int outputs;
    TimingInput input[TIMING_INPUTS_MAX];
    int inputs;
    TimingContender *contender;
    int contenders;
} TimingJob;
void timing_job_write(Buf *out, const TimingJob *job);
// `mapped`: bytes of the mapping of inputs.
MUST_CHECK bool timing_job_read(Arena *a, Str text, int64_t mapped, TimingJob *out, Err *e);
// The answers that are changed in place lie in the job's inputs. ERR_INPUT where one of them does not.
MUST_CHECK bool timing_answers_placed(const TimingJob *job, const TimedRun *run, Err *e);
// Answer k of contender c for the j-th checked set lies here in the mapping of answers, with rows in the
// inputs' order; the first of them, with the others behind it.
static inline int64_t timing_output_at(const TimingJob *job, int c, int j, int k) {
    int64_t each = 0, at = 0;
    for (int i = 0; i < job->outputs; i++) {
        if (i == k) at = each;
        each += (job->output[i] + 4095) / 4096 * 4096;
    }
    return ((int64_t)c * job->checked + j) * each + at;
}
static inline int64_t timing_answer_at(const TimingJob *job, int c, int j) {
    return timing_output_at(job, c, j, 0);
}
// An input that calls change is restored before each.
static inline bool timing_changes(const TimingJob *job, int input) {
    for (int k = 0; k < job->outputs; k++)
        if (job->in_place[k] == 1 + input) return true;
    return false;
}
static inline bool timing_restores(const TimingJob *job) {
    for (int i = 0; i < job->inputs; i++)
        if (timing_changes(job, i)) return true;
    return false;
}
static inline int64_t timing_output_bytes(const TimingJob *job) { // of all answers of a call
    int64_t n = 0;
    for (int i = 0; i < job->outputs; i++) n += job->output[i];
    return n;
}

// What was measured of one contender; in microseconds for one call. REFUSED: the driver does not load or
// launch it, which says nothing of its answers. FAULT: it ran, and the context is lost.
// SLOW: one call comes to its end, many did not in time; the context is lost, and its answers are as good as
// ever. GPU_LOST: so is the context, and by nothing that a kernel does. UNTRIED: another contender has ended
// the job before this one's answers were there; nothing is known of it.
typedef enum {
    TIMED_WELL,
    TIMED_REFUSED,
    TIMED_FAULT,
    TIMED_TRAMPLED,
    TIMED_SLOW,
    TIMED_GPU_LOST,
    TIMED_UNTRIED,
    TIMED_ENDS
} TimedEnd;
// Nothing more can be run in that context.
static inline bool timed_lost(TimedEnd end) {
    return end == TIMED_FAULT || end == TIMED_SLOW || end == TIMED_GPU_LOST;
}
// The job has ended there, and what is UNTRIED is so for that.
static inline bool timed_ends_all(TimedEnd end) { return timed_lost(end) || end == TIMED_REFUSED; }
typedef struct {
    Str name;
    TimedEnd end;
    char why[300]; // it was refused, or of a fault; or which memory around its buffers, or which input, was
                   // written to
    double cold[TIMING_ROUNDS_MAX];
    double hot[TIMING_ROUNDS_MAX], call[TIMING_ROUNDS_MAX];
    int colds, hots, calls;
    double checked_us;            // the window whose answers were handed back
    int calls_of_window, windows; // windows: so many make up a round
    int registers, local_bytes;   // of the thread of its largest kernel
} TimedContender;
typedef struct {
    char device[96];
    int driver, major, minor, processors, sm_khz, memory_khz;
    int64_t l2_bytes, memory_bytes;
    int sets, rounds;
    bool cold;                        // all sets together are larger than l2_times the L2
    double floor_us;                  // of a kernel that does nothing, in a graph
    double sm_mhz[TIMING_ROUNDS_MAX]; // by the kernel's own clock
    int clocks;
    double watts[TIMING_ROUNDS_MAX]; // that the card draws; none: not known
    int powers;
    double seconds;         // that it took
    double seconds_windows; // of these, for the rounds
    TimedContender *contender;
    int contenders;
} TimingResult;
void timing_result_write(Buf *out, const TimingResult *r);
MUST_CHECK bool timing_result_read(Arena *a, Str text, TimingResult *out, Err *e);
