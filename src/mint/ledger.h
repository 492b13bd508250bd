// ledger.h - the file in which an evaluation keeps every draft, as JSON Lines, so that it can be stopped and
// go on:
//   {"record":"eval","version":...,"settings":{...}}                             the first line
//   {"record":"draft","op":...,"definition":sha256,"index":0,"prompt":sha256,"reply":...,"end":"stop","tokens":...,
//    "schedule":...,"source":...,"verdict":{...}}                                one for each draft
// A torn last line, as a crash leaves it, is cut off. One process writes at a time.
#pragma once
#include <jansson.h>

#include "mint/attempt.h"

enum { LEDGER_BYTES_MAX = 1 << 30 };

typedef struct {
    Str op;
    char definition[65], prompt[65];
    int index;
    Status status;
    bool cut;
    int tokens;
} LedgerDraft;

typedef struct Ledger Ledger;
// settings: everything that a draft or its verdict depends on (borrowed). A file that is there already is an
// error unless `resume`; then its settings have to be the same ones. ERR_INPUT names the line, or the
// setting.
MUST_CHECK bool ledger_open(const char *path, json_t *settings, bool resume, Ledger **out, Err *e);
// The setting "seed" of a file that was begun; false (no error) when there is none.
bool ledger_seed(const char *path, uint64_t *seed);
void ledger_close(Ledger *l); // NULL is allowed
MUST_CHECK bool ledger_put(Ledger *l, const Op *op, const Attempt *t, Err *e);
MUST_CHECK bool ledger_sync(Ledger *l, Err *e); // what was put is durable
// The drafts so far, those read included; valid until the next put.
const LedgerDraft *ledger_drafts(const Ledger *l, int *count);
// The core of the reader, for tests and fuzzing: whole lines of any bytes.
MUST_CHECK bool ledger_read(Ledger *l, const char *name, Str text, json_t *settings, Err *e);
Ledger *ledger_blank(void); // without a file
