// verdict_cache.h - verdicts that the journal already holds, so that a duplicate is answered without judging
// it again.
//
// A verdict may stand for another source only if both are one program to whoever judges: same canonical text
// (lang/canon.h), op, definition, level, options, and the very same build of the referee. All of this is
// hashed into one key, which is written into the verdict's record. What is remembered in memory is only where
// records lie: a table of fixed size, filled when it is opened from the journal's newest records and then by
// whoever judges; the oldest are forgotten first. A hit is read back from the journal, its checksum and its
// whole key compared, so that nothing but a record that a judgment wrote can answer.
//
// Sentences about the source are said about the submitted one: with its own places. Where that cannot be done
// with certainty, or a variable may be named, the record only answers for the same text byte by byte. Never
// kept: replays, undecided verdicts, crashes.
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
json_t *verdict_cache_note(const VerdictKey *key, Str source, const Verdict *v);
void verdict_cache_put(VerdictCache *m, const VerdictKey *key,
                       off_t at); // a committed record that verdict_cache_note() went into
// The answer that a record gives for this source: the verdict's members, as the caller's object, or NULL.
// Thread-safe, as all of the above.
json_t *verdict_cache_find(VerdictCache *m, const VerdictKey *key, Str source);
json_t *verdict_cache_answer(const json_t *record, const VerdictKey *key, Str source); // of one record

// The sentence about another spelling of the same program (verdict_cache_text.c). `said` has $@ for the place
// and
// $$ for a dollar; false when it may hold the name of a variable, or a place besides.
typedef struct {
    int node, nodes; // the place: which of the canonical tree's nodes; -1: none
    Str said;
} Said;
MUST_CHECK bool said_of(Arena *a, Str source, Str feedback, bool placed, Span place, Said *out);
MUST_CHECK bool said_about(Arena *a, Str source, const Said *s, Buf *out);
