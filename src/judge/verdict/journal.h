// journal.h - the append-only record of what was judged, in the state directory ($XDG_STATE_HOME/ouroboros or
// --state). One line a record: 8 hex digits of CRC-32 (IEEE), a space, one JSON object, a newline. Several
// processes may append at once (a lock on the file); a record is durable when journal_commit() returns (group
// commit: callers that wait together share one fsync). A torn last line, as a crash leaves it, is cut off
// when the journal is opened (and before the next record, should another process have died meanwhile); a
// damaged line elsewhere is reported and kept.
#pragma once
#include <sys/types.h>

#include "base/str.h"

enum { JOURNAL_RECORD_MAX = 4 << 20 }; // bytes of JSON in one record
#define JOURNAL_FILE "journal.log"     // in the state directory

typedef struct Journal Journal;
MUST_CHECK bool journal_open(const char *dir, Journal **out, Err *e); // makes the directory
// Appends the n objects together and waits until they are durable; thread-safe. An object is one line without
// NUL. After a failed write to the disk nothing is ever promised again: every later call fails.
MUST_CHECK bool journal_commit(Journal *j, const Str *json, int n, Err *e);
// The same; at[i] is where record i lies in the file, for journal_read(). `at` may be NULL.
MUST_CHECK bool journal_append(Journal *j, const Str *json, int n, off_t *at, Err *e);
// The record of the whole line at `at`; false (no error) when there is none with a right checksum.
bool journal_read(Journal *j, Arena *a, off_t at, Str *json);
void journal_close(Journal *j);
// Every whole record in order; stops early when fn returns false. Damaged lines are counted, not passed on.
// No journal at all is an empty one. What others append after the start is not seen.
MUST_CHECK bool journal_scan(const char *dir, bool (*fn)(void *arg, Str json), void *arg, int *damaged,
                             Err *e);
// The same for an open journal, with the place of each record for journal_read(), from the first line that
// starts at `from` or later.
MUST_CHECK bool journal_each(Journal *j, off_t from, bool (*fn)(void *arg, Str json, off_t at), void *arg,
                             int *damaged, Err *e);
MUST_CHECK bool journal_size(Journal *j, off_t *bytes, Err *e); // of its whole lines

// The scanner's core: passes on the records of all whole lines of `text`, returns the bytes used (up to the
// last newline, or the line at which fn returned false: then *stopped). Any bytes are allowed.
size_t journal_lines(Str text, bool (*fn)(void *arg, Str json), void *arg, int *damaged, bool *stopped);
enum { JOURNAL_PREFIX = 9 }; // "xxxxxxxx ", before the JSON of a line
uint32_t journal_crc(Str s); // CRC-32 (IEEE 802.3, as zlib's): of "123456789" it is cbf43926
