// verdict.h - what the referee says about one candidate, and its JSON (the contract of the command line).
// verdict.def is the table of statuses.
#pragma once
#include <jansson.h>

#include "base/json.h"
#include "base/version.h"
#include "cases/draw.h"
#include "judge/mutation_score.h"
#include "judge/rank.h"
#include "sandbox/coverage.h"

typedef enum {
#define VERDICT(id, class, doc) STATUS_##id,
#include "judge/verdict.def"
#undef VERDICT
    STATUS_COUNT
} Status;
typedef enum { CLASS_ACCEPTED, CLASS_REJECTED, CLASS_UNDECIDED } StatusClass;
const char *status_name(Status s);
StatusClass status_class(Status s);
bool status_by_name(Str name, Status *out);

enum { FEEDBACK_MAX = 600 };
// Whether a row of the answer had the same bits at another place, beside other rows.
typedef enum { ROW_BITS_UNKNOWN, ROW_BITS_SAME, ROW_BITS_DIFFER } RowBits;
// Whether addresses hold for tensors that no memory holds (large_tensors.h): of an accepted candidate at
// level full.
typedef struct {
    bool asked; // else the domain ends before, or nobody has asked
    int64_t
        safe; // elements of the largest input with which the programs that were tried stayed inside; 0: none
    int64_t fails;              // the smallest number with which one did not; 0: none
    LineCol at;                 // where, in the source; line 0: not there
    char why[WIRE_MESSAGE_MAX]; // what happened there; or, where neither is known, why not
} LargeTensors;
typedef struct {
    Status status;
    Str op;
    char source_sha256[65], include_sha256[65]; // include: of the helper files; empty: none
    bool old_names;       // names of Triton before 3.3 were taken: what is accepted may not compile with 3.6
    const char *rule;     // which rule decided: "bounds", "coverage", "syntax" ...; never NULL
    const char *feedback; // at most FEEDBACK_MAX characters; never seeds, input values or bounds
    char warning[WIRE_MESSAGE_MAX]; // of an accepted one: the first that checking its kernels has met, or ""
    bool found;                     // a finding in the source: its sentence names the candidate's own words
    bool noted;                     // so may a note of the checker that the sentence ends in
    Span place;                     // where, if `placed`
    bool placed;
    int cases_run, cases_passed;
    int case_number;     // of the case that decided, from 1; 0: none did
    int64_t element;     // of its output, row-major, where that decided; -1: it did not
    char worst_case[96]; // "float16 17x1000 stagnation"; empty when nothing was compared
    double error_ulp, bound_ulp, use;
    Counters count;           // of the traffic case: Draw.traffic_case
    int64_t bytes_ideal;      // inputs and outputs of that case once
    RankCase facts;           // of that case, for the rank model
    RowBits row_bits;         // of an accepted one
    RowBits metamorphic_bits; // the same of rows moved as the definition declares (metamorphic.h)
    LargeTensors large;
    const MutationScore
        *proved; // of an accepted one: what these cases told apart in the op's own kernel; NULL: not known
    Coverage coverage; // of an accepted one: lines that no case has executed, sizes that it compares with
    int64_t tried[COVERAGE_SIZES_MAX + COVERAGE_BEYOND_MAX]; // those of them that more cases were drawn for
    int tries;
    int64_t untested[COVERAGE_SIZES_MAX + COVERAGE_BEYOND_MAX]; // those that no case has had (evidence.h)
    int untesteds;
    int64_t
        every_size; // cases of every row length from 1 to this were among those that passed; 0: nobody asked
    uint64_t seed;
    bool replay;
    Level level;
    double elapsed_ms;
    double seconds_child, seconds_compare;
} Verdict;
static inline bool verdict_accepted(const Verdict *v) { return v->status == STATUS_ok; }
// It gave no answer at all, and said so.
static inline bool verdict_refuses(const Verdict *v) {
    return v->status == STATUS_host_error || v->status == STATUS_compile_fail || v->status == STATUS_timeout;
}

// "these cases reject 203 of 203 small mistakes ..."
void proved_words(Buf *out, const MutationScore *p);
// "addresses safe up to 2147495936 elements ..."; of one that was asked.
void large_tensors_words(Buf *out, const LargeTensors *g);
const char *status_doc(Status s);
const char *level_name(Level l);
MUST_CHECK bool level_by_name(Str name, Level *out);

// The contract's JSON object, keys in the documented order; the caller's.
json_t *verdict_object(const Verdict *v);
void verdict_extras_json(json_t *o,
                         const Verdict *v); // what was allowed beyond Triton 3.6 (Extras), as members of o
// The same on one line, keys in the documented order. One more member stands first when
// `value` is not NULL (borrowed): the stream's "id".
void verdict_json(Buf *out, const Verdict *v, const char *key, json_t *value);
