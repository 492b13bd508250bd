// verdict.h - what the referee says about one candidate, and its JSON (the contract of the command line).
// verdict.def is the table of statuses.
#pragma once
#include <jansson.h>

#include "base/json.h"
#include "base/version.h"
#include "cases/draw.h"
#include "judge/verdict/mutation_score.h"
#include "rank/rank.h"
#include "sandbox/child/coverage.h"

typedef enum {
#define VERDICT(id, class, doc) STATUS_##id,
#include "judge/verdict/verdict.def"
#undef VERDICT
    STATUS_COUNT
} Status;
typedef enum { CLASS_ACCEPTED, CLASS_REJECTED, CLASS_UNDECIDED } StatusClass;
const char *status_name(Status s);
StatusClass status_class(Status s);
const char *status_class_name(StatusClass c); // "accepted", "rejected" or "undecided"
bool status_by_name(Str name, Status *out);
// Refused before any of it ran.
static inline bool status_never_ran(Status s) { return s == STATUS_parse_reject || s == STATUS_compile_fail; }

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
// What became of shapes as large as those in use (production.h): of an accepted candidate at level full.
typedef enum { PRODUCTION_RIGHT, PRODUCTION_REFUSED, PRODUCTION_UNKNOWN } ProductionSaid;
typedef struct {
    ProductionSaid said; // REFUSED: the candidate itself has raised an error
    bool few;            // a few programs of each launch have run, the others not
    char shape[64];      // "float16 70003x241"
    char why[WIRE_MESSAGE_MAX];
} ProductionNote;
enum { PRODUCTION_SHAPES_MAX = 8 };
typedef struct {
    ProductionNote note[PRODUCTION_SHAPES_MAX];
    int notes;
} Production;
// Whether addresses hold at a module's published sizes, which nobody computes here (large_tensors.h): of one
// that level full has accepted otherwise. RIGHT and WRONG: of the programs that were tried.
typedef enum { PUBLISHED_UNASKED, PUBLISHED_RIGHT, PUBLISHED_WRONG, PUBLISHED_UNKNOWN } PublishedSaid;
typedef struct {
    PublishedSaid said;
    char why[WIRE_MESSAGE_MAX]; // of UNKNOWN
} PublishedSizes;
// Who did the work, of a ModelNew that left some of it to PyTorch's library (own_work.h).
typedef struct {
    LineCol at;
    bool replaceable; // what it stores is there without it; else nothing of the result depends on it
} LaunchWithoutShare;
enum { WITHOUT_SHARE_MAX = 8 };
typedef struct {
    bool told;
    int64_t calls, launches, own; // of the library; of own kernels, and those of them that have a share
    double bytes, work;           // shares of own kernels, from 0 to 1
    double light;                 // of the reference's light operators, what the library did not do
    char operators[LIBRARY_NAMES_MAX];
    LaunchWithoutShare without[WITHOUT_SHARE_MAX];
    int withouts;
} OwnWork;
// What was decided, where, and the sentence about it.
typedef struct {
    Status status;
    const char *rule;               // which rule decided: "bounds", "coverage", "syntax" ...; never NULL
    const char *feedback;           // at most FEEDBACK_MAX characters; never seeds, input values or bounds
    char warning[WIRE_MESSAGE_MAX]; // of an accepted one: the first that checking its kernels has met, or ""
    bool found;                     // a finding in the source: its sentence names the candidate's own words
    bool refuses;                   // the finding is an error that the candidate itself has raised (decide.h)
    int64_t refused;                // the length of lines in the case where it does
    bool noted;                     // so may a note of the checker that the sentence ends in
    bool placed;
    Span place;      // in the source, if `placed`
    int case_number; // of the case that decided, from 1; 0: none did
    int output;      // which of its outputs, from 0
    int64_t element; // of that output, row-major, where that decided; -1: it did not
} Decision;

static inline void decision_set(Decision *d, Status s, const char *rule, const char *feedback) {
    d->status = s;
    d->rule = rule;
    d->feedback = feedback;
}

// The element that came closest to its bound, or went furthest beyond it.
typedef struct {
    char where[96];  // "float16 17x1000 stagnation"; empty when nothing was compared
    char output[32]; // its output's name; empty: the only one has none
    double error_ulp, bound_ulp;
    double use; // share of the bound
} Worst;
typedef struct {
    int run, passed;
    int binding; // of a ModelNew: CaseReport.binding; 0: none
    Worst worst;
} CaseResults;

// Of one case: Draw.traffic_case.
typedef struct {
    Counters count;
    char library[LIBRARY_NAMES_MAX]; // CaseReport.library
    int64_t bytes_ideal;             // its inputs and outputs once
    RankCase facts;                  // for the rank model
} Traffic;

enum { TRIED_LENGTH = 1, TRIED_SLICES = 2 };
// What the acceptance rests on; empty for any other verdict.
typedef struct {
    RowBits row_bits;
    RowBits metamorphic_bits; // the same of rows changed as the definition declares (metamorphic.h)
    LargeTensors large;
    Production production;
    const MutationScore *proved; // what these cases told apart in the op's own kernel; NULL: not known
    const char *unproved;        // why that is; NULL: it is not told
    Coverage coverage;           // lines that no case has executed, sizes that the candidate compares with
    // Those of them that more cases were drawn for, and what they were there, as bits.
    int64_t tried[COVERAGE_SIZES_MAX + COVERAGE_BEYOND_MAX];
    uint8_t tried_as[COVERAGE_SIZES_MAX + COVERAGE_BEYOND_MAX];
    int tries;
    int64_t untested[COVERAGE_SIZES_MAX + COVERAGE_BEYOND_MAX]; // those that no case has had (evidence.h)
    int untesteds;
    uint32_t stretched; // of a module, a bit for each of Domain.stretched that was passed
    int wrong_long;     // of a rejected one, 1 + which of them was not; 0: none
    int wrong_longs;    // how many sizes are long there
    Status unaligned; // of a module at sizes that keep more of what divides the published ones: what came of
                      // it at smaller ones; ok: it was not judged so
    bool raggeds;     // it was judged at odd sizes, too; ragged: what came of that
    Status ragged;
    PublishedSizes published;
    OwnWork own;
    int64_t every_size; // every row length from 1 to this had a case; 0: nobody asked
} Evidence;

// What the candidate was allowed beyond its own text in Triton 3.6 (Extras).
typedef struct {
    char include_sha256[65]; // of the helper files; empty: none
    bool old_names; // names of Triton before 3.3 were taken: what is accepted may not compile with 3.6
} Allowed;

typedef struct {
    Level level;
    DrawFilter only; // which shape and dtype, where not all were judged; see verdict_restricted()
    char drawn[64];  // "87384x3": the largest shape that cases had, of one shape alone; empty: none was drawn
    bool copied;     // all rows of the asked shape, too, as copies of a few (asked_shape.h)
    uint64_t seed;
    bool replay;
    double elapsed_ms, seconds_child, seconds_compare;
    double core_production; // seconds of a core that production shapes took, children included
} Judging;

// Of a rejection that a case with gaps between rows of its inputs has decided (gaps.h).
typedef struct {
    uint64_t inputs;     // those with gaps, as bits; 0: gaps have nothing to do with it
    bool only;           // contiguous inputs pass, as far as they were tried
    bool refuses;        // the program itself has raised an error
    bool between;        // an access was to what lies between rows
    bool outside, store; // an access was outside the memory; it was a store
    bool judged;         // as a whole without gaps, too
    Status contiguous;   // what came of that
} Gaps;

typedef struct {
    Str op;
    OpDomain domain;
    const Op *module; // the reference in module form that it was judged by; NULL: an op
    char source_sha256[65];
    Allowed allowed;
    Judging judged; // how
    Decision decision;
    CaseResults cases;
    Traffic traffic;
    Evidence evidence;
    Gaps gaps;
    bool keeps;        // something between calls, as a pass over cases has shown
    uint8_t roundings; // by which the case that refused its values is right, as bits
    Str rounding;      // by which the values were judged instead of by the reference; empty: by the reference
} Verdict;
static inline bool verdict_accepted(const Verdict *v) { return v->decision.status == STATUS_ok; }
// It is undecided because a file, memory or the sandbox failed.
static inline bool verdict_of_world(const Verdict *v) {
    return v->decision.status == STATUS_referee_error && strcmp(v->decision.rule, "world") == 0;
}
// On one shape or in one dtype only: acceptance says nothing of others. (No draw is restricted to dtype 0.)
static inline bool verdict_restricted(const Verdict *v) {
    return v->judged.only.m > 0 || v->judged.only.dtype > 0;
}
// It gave no answer at all, and said so.
static inline bool verdict_refuses(const Verdict *v) {
    Status s = v->decision.status;
    return s == STATUS_host_error || s == STATUS_compile_fail || s == STATUS_timeout;
}

// "these cases reject 203 of 203 small mistakes ..."
void proved_words(Buf *out, const MutationScore *p);
// " on contiguous inputs", " on contiguous inputs of the published domain"; nothing in the widest domain.
void domain_words(Buf *out, const Verdict *v);
// Whether cases had fewer elements than the shape that was asked for, or others.
bool verdict_shape_cut(const Verdict *v);
// " on 64x1000 float16 only (restricted by --shape, --dtype)"; of one that is. The shape is what was judged.
void restricted_words(Buf *out, const Verdict *v);
// "addresses are right up to 2147495936 elements ..."; of one that was asked.
void large_tensors_words(Buf *out, const LargeTensors *g);
const char *status_doc(Status s);
const char *level_name(Level l);
const char *level_words(Level l); // what it tries, for people
MUST_CHECK bool level_by_name(Str name, Level *out);

// The contract's JSON object, keys in the documented order; the caller's.
json_t *verdict_object(const Verdict *v);
void allowed_json(json_t *o, const Allowed *x); // as members of o; none where nothing was allowed
// The same on one line, keys in the documented order. One more member stands first when
// `value` is not NULL (borrowed): the stream's "id".
void verdict_json(Buf *out, const Verdict *v, const char *key, json_t *value);
