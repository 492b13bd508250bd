// store.h - the store: programs, verdicts, times, champions and runs in one SQLite database, `store.db`
// beside the journal in the state directory. All SQL of the project is in this room: tables in migration.def,
// statements in statement.def.
//
// The journal stays the write-ahead part: a verdict is durable there before anybody hears of it, and whoever
// puts verdicts here takes them from answers. What a crash loses of the store is put again from the journal,
// by asking again: an equal program is answered from it.
//
// One connection, used by one thread at a time. Several processes may have the store open: readers never wait
// (WAL), writers wait for each other, so that there is one at a time.
#pragma once
#include "base/sha256.h"

#define STORE_FILE "store.db"   // in the state directory
enum { STORE_WAIT_MS = 60000 }; // how long a writer waits for another one

typedef struct Store Store;
typedef struct {
    bool must_exist; // for who only reads: an absent store is ERR_INPUT, not made
} StoreOptions;
// Makes the directory and the tables that are missing. ERR_INPUT: the file is something else, is damaged, or
// was made by a later version.
MUST_CHECK bool store_open(const char *dir, const StoreOptions *o, Store **out, Err *e);
void store_close(Store *s); // what was not committed is gone; NULL is allowed
const char *store_path(const Store *s);
// Everything that can be checked: pages, indexes, what rows refer to. ERR_INPUT with the first that is wrong.
MUST_CHECK bool store_check(Store *s, Err *e);
// What was put since is seen by others, and survives the end of this process, from the commit on.
MUST_CHECK bool store_begin(Store *s, Err *e);
MUST_CHECK bool store_commit(Store *s, Err *e);
void store_rollback(Store *s);

// ---- definitions and runs

typedef struct {
    Str op;
    Sha256 hash;
    Str source;
    bool user;
} StoredDefinition;
MUST_CHECK bool store_definition_put(Store *s, const StoredDefinition *d, int64_t *id, Err *e);
// False (no error) when there is none of this op; the latest, if there are several. Texts live in `a`.
MUST_CHECK bool store_definition_of(Store *s, Arena *a, Str op, StoredDefinition *out, bool *found, Err *e);

// A run is known by its verb and settings, as JSON: the same ones go on with the same run.
MUST_CHECK bool store_run(Store *s, Str verb, Str settings, int64_t *id, bool *begun_before, Err *e);
MUST_CHECK bool store_run_end(Store *s, int64_t id, Err *e);
// One draft of a run has its answer: a program, or (0) nothing that could be judged.
typedef struct {
    int64_t run, draft;
    Str op;
} StoredDraft;
MUST_CHECK bool store_draft_put(Store *s, const StoredDraft *d, int64_t program, Err *e);
// done[i] is set for each draft i below `n` that has one.
MUST_CHECK bool store_drafts(Store *s, int64_t run, Str op, bool *done, int n, Err *e);

// ---- programs and verdicts

typedef struct {
    int64_t id;
    Str op;     // empty: nobody knows what it should compute
    Str domain; // on which inputs it is judged: domain_key()
    Str source;
    Sha256 canonical; // of the canonical text (lang/ast.h)
    Sha256 structure; // of the same after what never runs is gone
    Sha256 skeleton;  // of the canonical text without literals and options of launches (propose/distinct.h)
    Str smith, model, prompt, schedule, licence, origin; // each empty where nothing is known
    int64_t seed;                                        // -1: none
    int64_t parent, run;                                 // 0: none
    Str module;                                          // text in PyTorch that came with it
    Str unverifiable;                                    // why nobody can judge it; empty: somebody can
} StoredProgram;

typedef struct {
    Str status, level, evidence; // evidence: the verdict's JSON
    bool accepted, decided;
    Str referee, build; // version, and hash of the program that judged
    int64_t definition;
} StoredVerdict;

// A program of the same op, domain and canonical text is the same one: it keeps what is known of it.
MUST_CHECK bool store_program_put(Store *s, const StoredProgram *p, int64_t *id, bool *fresh, Err *e);
// The verdict that stands from now on; what was said before is kept. A program that is accepted no longer
// loses its championships.
MUST_CHECK bool store_verdict_put(Store *s, int64_t program, const StoredVerdict *v, Err *e);

// What stands of a program: `verdict` is empty (status.len 0) where none does.
typedef struct {
    StoredProgram program;
    StoredVerdict verdict;
    Sha256 definition; // of the verdict
} StoredRow;
MUST_CHECK bool store_find(Store *s, Arena *a, const StoredProgram *key, StoredRow *out, bool *found, Err *e);

typedef struct {
    Str op;             // empty: all
    bool accepted_full; // only those accepted at level full
    bool verifiable;    // only those that somebody can judge
} StoreFilter;
// Programs in order of op and number, behind the last one of the page before (a zeroed one for the first).
typedef struct {
    Str op;
    int64_t id;
} StorePlace;
enum { STORE_PAGE = 256 };
typedef struct {
    StoredRow row[STORE_PAGE];
    int n; // 0 at the end
} StorePage;
MUST_CHECK bool store_page(Store *s, Arena *a, const StoreFilter *f, StorePlace *at, StorePage *out,
                           Err *e); // texts live in `a`

// ---- times

// What one measurement of an accepted program at one shape and dtype gave.
typedef struct {
    int64_t program;
    Str target, shape, dtype;  // the GPU; "8192x4096"; "float16"
    double device_us, call_us; // medians; negative: there is none
    Str cell;                  // all of it: an object of doc/schema/times.json's cells
} StoredTime;
MUST_CHECK bool store_time_put(Store *s, const StoredTime *t, Err *e);

// ---- champions

typedef struct {
    Str op, shape_class, dtype, target;
    int64_t program;
    double microseconds;
    bool timed; // else what the rank model says
} StoredChampion;
// Stands where it is better than what stood there: a time beats a model's estimate, less beats more.
MUST_CHECK bool store_champion_put(Store *s, const StoredChampion *c, bool *stands, Err *e);

// ---- counting and clearing

typedef struct {
    Str op;
    int64_t programs, judged, accepted_full, rejected, unverifiable;
    int64_t structures, skeletons; // of those accepted at full
} StoreCount;
MUST_CHECK bool store_counts(Store *s, Arena *a, StoreCount **out, int *n, Err *e); // one row for each op
typedef struct {
    Str name;
    int64_t n;
} StoreTally;
typedef enum {
    TALLY_STATUS,
    TALLY_SMITH,
    TALLY_LICENCE,
    TALLY_CHAMPION,
    TALLY_TIME,
    TALLY_RUN,
    TALLIES
} Tally;
MUST_CHECK bool store_tally(Store *s, Arena *a, Tally what, StoreTally **out, int *n, Err *e);

typedef struct {
    bool rejected, unverifiable, old_verdicts;
    int per_skeleton; // programs to keep of each op and skeleton; 0: all
} StorePrune;
typedef struct {
    int64_t programs, verdicts;
} StorePruned;
MUST_CHECK bool store_prune(Store *s, const StorePrune *p, StorePruned *out, Err *e);
MUST_CHECK bool store_shrink(Store *s, Err *e); // gives free pages back to the disk
