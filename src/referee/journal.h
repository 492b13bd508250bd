// journal.h - the append-only record of what was judged, in the state directory ($XDG_STATE_HOME/ouroboros or --state).
// One line a record: 8 hex digits of CRC-32 (IEEE), a space, one JSON object, a newline. Several processes may
// append at once (a lock on the file); a record is durable when journal_commit() returns (group commit: callers
// that wait together share one fsync). A torn last line, as a crash leaves it, is cut off when the journal is
// opened; a damaged line elsewhere is reported and kept.
#pragma once
#include "base/str.h"

typedef struct Journal Journal;
MUST_CHECK bool journal_open(const char *dir, Journal **out, Err *e);
MUST_CHECK bool journal_commit(Journal *j, const Str *json, int n, Err *e); // appends and waits until durable; thread-safe
void journal_close(Journal *j);
// Every whole record in order; stops early when fn returns false. Damaged lines are counted, not passed on.
MUST_CHECK bool journal_scan(const char *dir, bool (*fn)(void *arg, Str json), void *arg, int *damaged, Err *e);
