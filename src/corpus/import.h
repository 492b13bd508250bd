// import.h - programs from elsewhere into the store. Nothing is believed: each is judged at level ladder,
// whatever its line says, or kept as unverifiable with the reason.
#pragma once
#include "corpus/ladder.h"
#include "store/store.h"

typedef struct {
    int64_t lines, bad; // bad: no program could be read
    int64_t fresh, known, accepted, rejected, undecided, unverifiable, lost;
} ImportTally;

typedef struct {
    Store *store;
    Service *service;
    Str licence; // of what names none; empty: not known
    Str build;   // of the referee
    // Each line that holds no program.
    void (*bad)(void *arg, const char *file, int64_t line, const Err *why);
    void (*told)(void *arg, const ImportTally *t); // may be NULL
    bool (*interrupted)(void *arg);                // may be NULL
    void *arg;
} ImportRequest;
// Files of JSON Lines; "-" is standard input. False when the service, the store or a file fails.
MUST_CHECK bool corpus_import(const ImportRequest *q, const char *const *file, int files, ImportTally *out,
                              Err *e);
