// coverage.h - what no case has executed, and which sizes a candidate compares its own with, as the child
// tells it in its last report. Evidence, a reason to draw more cases, and a reason not to accept: none of it
// can make anything pass.
#pragma once
#include "sandbox/unreached/unreached.h"
#include "sandbox/wire.h"

// BEYOND: sizes that no rows are drawn for, because they are too large or there are too many of them.
enum {
    COVERAGE_LINES_MAX = 32,
    COVERAGE_SIZES_MAX = 12,
    COVERAGE_BEYOND_MAX = 6,
    COVERAGE_WRITTEN_MAX = 8,
    COVERAGE_VALUES_MAX = 12,
    COVERAGE_SIZE_MOST = 65537,
    COVERAGE_REACH_ALL = 1 << 18, // so many rows can all be run
    COVERAGE_REACH_MOST = 1 << 26,
    COVERAGE_FAR_MOST = 5000, // so many rows of so many columns can all be run
    COVERAGE_FURTHER_MAX = 4
};
typedef struct {
    int32_t line[COVERAGE_LINES_MAX]; // ascending
    int lines;
    bool more;           // there are further ones
    Unreached unreached; // of all lines, those that can matter
    int64_t size[COVERAGE_SIZES_MAX];
    int sizes;
    int constants; // the first of them: compared with in many cases; others mostly follow from one case's
                   // sizes
    int64_t beyond[COVERAGE_BEYOND_MAX];
    int beyonds;
    bool more_sizes; // even more of them
    // The largest number above COVERAGE_SIZE_MOST that the source writes down or compares with, up to
    // COVERAGE_REACH_ALL and up to COVERAGE_REACH_MOST; 0: there is none. A grid or a loop may end there.
    int64_t reach[2];
    // The largest number, up to COVERAGE_FAR_MOST, that a kernel compares with, where it compares lanes or
    // places with some that small tensors do not reach; 0: there is none. COVERAGE_FAR_MOST where places
    // choose in some other way.
    int64_t far;
    bool orders;                           // such a kernel reduces by a function: lanes in each order
    int64_t further[COVERAGE_FURTHER_MAX]; // the largest ones beyond it, up to COVERAGE_SIZE_MOST; descending
    int furthers;
    // Numbers that the source writes down: what sizes and values may be compared with by other means.
    int64_t written[COVERAGE_WRITTEN_MAX]; // small integers that are none of `size`
    int writtens;
    float value[COVERAGE_VALUES_MAX]; // finite, not 0
    int values;
    bool told; // the child has said all this
} Coverage;

// "sizes 50 64 seldom 4096 written 61 beyond 70000 + reach 90001 90001 far 4000 further 7000 values
// 3f000000 unreached 0c lines 12 13 +", for CaseReport.message of a REPORT_DONE. `inputs`: what a call hands
// over.
void coverage_say(Arena *a, const Node *module, const Cover *c, const VariesInputs *inputs, Buf *out);
// What is not such a text says nothing: not even `told`.
void coverage_read(const char *message, Coverage *out);
// Lines that both have left out; sizes of the first.
void coverage_meet(Coverage *a, const Coverage *b);
// "12, 15-17"
void coverage_words(Buf *out, const Coverage *c);
