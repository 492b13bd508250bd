// verdict_cache.h - verdicts that the journal already holds, so that a duplicate is answered without judging
// it again.
//
// A verdict may stand for another source only if both are one program to whoever judges: same canonical text
// (lang/ast.h), op, definition, level, options, and the very same build of the referee. All of this is
// hashed into one key, which is written into the verdict's record. What is remembered in memory is only where
// records lie: a table of fixed size, filled when it is opened from the journal's newest records and then by
// whoever judges; the oldest are forgotten first. A hit is read back from the journal, its checksum and its
// whole key compared, so that nothing but a record that a judgment wrote can answer.
//
// A record that speaks of the source (a finding, a note of the checker, lines) only answers for the same text
// byte by byte: in another spelling its places and names would be others. Never kept: replays, undecided
// verdicts, crashes.
#pragma once
#include "judge/referee.h"

typedef struct {
    char hex[65];
} VerdictKey;

typedef struct VerdictCache VerdictCache;
// Reads the journal's newest records. The journal must outlive it. `bytes` of the journal's end are read at
// most (0: a sensible default). `extras`: as the referee's; must outlive it.
MUST_CHECK bool verdict_cache_open(Journal *j, off_t bytes, Extras extras, VerdictCache **out, Err *e);
void verdict_cache_close(VerdictCache *m);
VerdictKey verdict_cache_key(const VerdictCache *m, const Op *op, Level level, const DrawFilter *filter,
                             Str source);

// For JudgeRequest.note: what a verdict's record needs to answer for others; NULL when it may not.
json_t *verdict_cache_note(const VerdictKey *key, const Verdict *v);
void verdict_cache_put(VerdictCache *m, const VerdictKey *key,
                       off_t at); // a committed record that verdict_cache_note() went into
// The answer that a record gives for this source: the verdict's members, as the caller's object, or NULL.
// Thread-safe, as all of the above.
json_t *verdict_cache_find(VerdictCache *m, const VerdictKey *key, Str source);
json_t *verdict_cache_answer(const json_t *record, const VerdictKey *key, Str source); // of one record
