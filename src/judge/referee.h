// referee.h - the judge. Order of a round: journal every source's hash, then draw the seed, make inputs and
// oracle, run each candidate in its own child, compare, journal the verdicts, answer. Default verdict:
// reject.
#pragma once
#include "cases/draw.h"
#include "judge/verdict/journal.h"
#include "judge/verdict/verdict.h"
#include "sandbox/fork_server.h"

typedef struct Referee Referee;
typedef struct {
    int jobs; // children at a time; 0: one per core
    const char
        *state; // directory of the journal; NULL: $XDG_STATE_HOME/ouroboros, else ~/.local/state/ouroboros
    bool no_journal; // replays and the self-test
    Extras extras;   // what candidates may use beyond their own text; must outlive the referee
    ChildMain child; // NULL: child_interpret
} RefereeConfig;
// Where the journal lies, by what the caller was given; NULL: HOME is not set either.
const char *state_directory(Arena *a, const char *given);
// Starts the fork server first: call before any thread. The pool is the referee's.
MUST_CHECK bool referee_open(const RefereeConfig *c, Referee **out, Err *e);
void referee_close(Referee *r);
Pool *referee_pool(Referee *r);
const char *referee_state(const Referee *r); // the directory of the journal; NULL: none is kept
Journal *referee_journal(Referee *r);        // NULL: not kept
Extras referee_extras(const Referee *r);
// The processes that run candidates have gone for good: every further verdict would be undecided.
bool referee_lost(Referee *r, Err *e);

typedef struct {
    const Op *op;
    Level level;
    DrawFilter filter;
    int64_t every_size; // at full, every row length from 1 to this, and row counts (plan.h), get cases; 0: no
    // What only inputs with gaps make fail is judged once more without them, at the cost of a whole judgment.
    bool without_gaps;
    const uint64_t *seed; // a replay; NULL: drawn from the operating system after the sources are journaled
    void (*progress)(void *arg, int done); // may be NULL; called from any thread, one at a time
    // Of every_size: all row lengths up to `size` of a candidate are done. May be NULL; from any thread.
    void (*size_done)(void *arg, int64_t size);
    void *progress_arg;
    // More members for the journal's record of verdict i (a new object, or NULL); may be NULL.
    json_t *(*note)(void *arg, int i, const Verdict *v);
    void *note_arg;
} JudgeRequest;
// Verdicts live in `a`. At most DRAW_SHARE_MAX sources share one draw; more are split into several.
MUST_CHECK bool referee_judge(Referee *r, Arena *a, const JudgeRequest *q, const Str *source, int n,
                              Verdict *out, Err *e);

// The same in steps, for a caller that works on several rounds at once. One round is at most DRAW_SHARE_MAX
// candidates of one request that share a draw; `q`, `source` and `out` must outlive it. The steps in order:
// freeze (the hashes are durable), draw, judge (each candidate once, on any thread, several at once), commit
// (the verdicts are durable; `at`, if not NULL, gets where each record lies in the journal). Verdicts' texts
// live until the round is closed, which may happen after any step.
typedef struct Round Round;
Round *round_open(Referee *r, const JudgeRequest *q, const Str *source, int n, Verdict *out);
MUST_CHECK bool round_freeze(Round *t, Err *e);
MUST_CHECK bool round_draw(Round *t, Pool *pool, Err *e); // ERR_INPUT: the op or the filter, not the world
void round_judge(Round *t, int i);
MUST_CHECK bool round_commit(Round *t, off_t *at, Err *e);
void round_close(Round *t);

// What a person may look at: everything that one candidate left behind on one draw.
typedef struct {
    const CaseReport *report; // checked by wire_check()
    int reports;
    const uint8_t *output; // as the draw lays it out; NULL: the child died
    const uint8_t *flags;  // SHADOW_* of output element k of a case at CaseSpec.output_at + k
    const Trace *trace;    // one for each case
    bool without_gaps;     // asked for: judge a rejection that gaps may cause once more without them
} Watched;
// Judges one source on a draw of the caller's, without further cases, and shows what it did. Nothing is
// journaled. The result lives in `a`.
void referee_watch(Referee *r, Arena *a, const Draw *d, Str source, Verdict *v, Watched *out);

// Cases that judging has added to a draw's own, and of which one has failed; cases 0: the verdict follows
// from the draw itself, or from what no case is (large tensors, lines that no case has reached).
typedef struct {
    DrawFilter filter;    // the caller's: what the draw was restricted to
    const Domain *domain; // NULL: the draw's
    const PlannedCase *plan;
    int cases;
    uint64_t seed;
} AddedCases;
// Judges one source on a draw of the caller's, with every step of a verdict. Nothing is journaled. The
// results live in `a`.
void referee_judge_on(Referee *r, Arena *a, const Draw *d, Str source, Verdict *v, AddedCases *added);

// A definition is refused when zeros, a constant, or a copy of one of its inputs would pass as its answer, or
// when an output position can never be judged, or when the oracle contradicts what it declares invariant.
// ERR_INPUT with the reason.
MUST_CHECK bool referee_check_definition(Referee *r, Arena *a, const Op *op, Err *e);
// From what a person typed to an op, in a domain; a user's definition is checked, in that domain, before
// anything is judged by it. With
// asked->modules the path of a reference in module form is one, too (Op.form).
MUST_CHECK bool op_for_judging(Referee *r, Arena *a, const char *text, const DomainAsked *asked, Op *out,
                               Err *e);
// The same of a reference in module form, from its text; `name` is for its name and for messages, as a path
// is.
typedef struct {
    const char *name;
    Str source;
} ModuleText;
MUST_CHECK bool module_for_judging(Referee *r, Arena *a, const ModuleText *text, const DomainAsked *asked,
                                   Op *out, Err *e);
