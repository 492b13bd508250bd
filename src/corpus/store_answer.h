// store_answer.h - from a program that was asked about and its answer to rows of the store.
#pragma once
#include "corpus/ladder.h"
#include "store/store.h"

// One program on its way; its texts live in its own arena.
typedef struct {
    Arena arena;
    const Op *op;
    StoredProgram program;
    StoredDraft draft;
    bool drafted;  // `draft` has its answer with this one
    bool accepted; // by the verdict that stood before
} Pending;
Pending *pending_new(void);
void pending_keep(Pending *k); // takes copies of the program's texts, and fills in its three hashes
void pending_release(Pending *k);
void pending_drop(void *k); // the same, for ladder_close()

// The version of the referee, and the hash of the program that judges: another build may judge otherwise.
MUST_CHECK bool referee_build(char out[65], Err *e);

typedef struct {
    Store *store;
    Str build;
    Sha256 of;          // the op whose definition this is:
    int64_t definition; // 0: none yet
} Recorder;
// The number of the program whose verdict stands already, said by this referee of this definition; 0: none.
MUST_CHECK bool record_known(Recorder *r, const Pending *k, int64_t *program, Err *e);
// The verdict that stands from now on; inside a transaction.
MUST_CHECK bool record_verdict(Recorder *r, const Pending *k, int64_t program, const LadderAnswer *n, Err *e);
// fresh: the store did not have the program; known: it had a verdict of it, which stands.
typedef struct {
    bool fresh, known;
} Recorded;
// The program, its verdict and the draft; inside a transaction.
MUST_CHECK bool record_answer(Recorder *r, const Pending *k, const LadderAnswer *n, Recorded *put, Err *e);
