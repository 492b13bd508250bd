// cover.h - what of a candidate has ever run, and which numbers its sizes were compared with. Kept over all
// cases of one run of a candidate; a byte for each byte of its source, so that a place costs one write.
#pragma once
#include "base/str.h"
#include "tile/code/code.h"
#include "tile/cover/key_notes.h"
#include "tile/cover/outcomes.h"

// COVER_HOST: a statement, or a part of an expression that need not be evaluated, of host code was executed.
// Of kernels: VISITED by the checker in some specialisation; EMITTED: it has a place among the instructions
// of a kernel that was launched; RUN: that place was reached. FALSE, TRUE: how a comparison of host code came
// out, or one of a kernel that is the same in all lanes (code_uniform()). NOTED_*: the same of one of which
// that is noted only (CodeNotes).
enum {
    COVER_HOST = 1,
    COVER_VISITED = 2,
    COVER_EMITTED = 4,
    COVER_RUN = 8,
    COVER_FALSE = 16,
    COVER_TRUE = 32,
    COVER_NOTED_FALSE = 64,
    COVER_NOTED_TRUE = 128
};
enum { COVER_SIZES_MAX = 128, COVER_OWN_MAX = 96, COVER_TRUTHS_MAX = 1 << 11 };
// An expression of host code whose truth was asked for, that gave True or False, or that was zero or not
// (min() and max(): that gave another argument than the first, or that one): COVER_FALSE, COVER_TRUE.
typedef struct {
    const void *of; // its node
    uint8_t ways;
} CoverTruth;
// A place that looks keys up in a table which the source writes down (host/python/look_up.h).
enum { COVER_LOOK_UPS_MAX = 128, LOOK_UP_PARTS_MAX = 8 };
typedef struct {
    uint32_t at;
    const void *made; // the table's node
} CoverLookUp;
typedef struct Cover {
    uint8_t *at;
    size_t n; // bytes of the source
    int case_index;
    int64_t own[COVER_OWN_MAX]; // sizes of the case that runs: not news
    int owns;
    struct {
        int64_t value;
        int cases, last; // in how many cases, and in which one last
    } size[COVER_SIZES_MAX];
    int sizes;
    uint8_t meets;     // Code.meets of all kernels
    CodeNotes notes;   // of its comparisons
    CoverTruth *truth; // [COVER_TRUTHS_MAX], open addressing; NULL: nobody asks
    int truths;
    CoverLookUp look_up[COVER_LOOK_UPS_MAX];
    int look_ups;
    bool more_look_ups;            // than there is room for
    bool keeps;                    // the candidate keeps something between calls
    bool mixes;                    // some arithmetic of a kernel may mix numbers (unreached.h)
    uint64_t launched;             // a hash of all numbers that kernels were given, while it keeps something
    int news;                      // places that were marked in some new way
    Arena *arena;                  // that it lives in, for what is found once
    struct Conditions *conditions; // of kernels, as they were asked for (host/candidate/launch_conditions.h)
    Outcomes *outcomes;            // or NULL. With it nothing is launched, filled or copied
    KeyNotes *keys;                // the same
} Cover;

static inline Outcomes *cover_outcomes(const Cover *c) { return c ? c->outcomes : NULL; }

static inline KeyNotes *cover_keys(const Cover *c) { return c ? c->keys : NULL; }
// Nobody asks what kernels compute.
static inline bool cover_looks_on(const Cover *c) { return c && (c->outcomes || c->keys); }

static inline void cover_mark(Cover *c, uint32_t at, uint8_t what) {
    if (!c || at >= c->n || (c->at[at] & what) == what) return;
    c->at[at] |= what;
    c->news++;
}
void cover_truth(Cover *c, const void *node, bool holds);
// The ways in which it has come out. Of more expressions than there is room for, nothing is known: 0.
uint8_t cover_truth_of(const Cover *c, const void *node);
// A number that something was compared with. `c` may be NULL.
void cover_size(Cover *c, int64_t value);
// A launch of this code has ended: marks what its branches have reached so far (Code.taken).
void cover_code(Cover *c, const Code *code, Arena *scratch);
