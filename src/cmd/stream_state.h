// stream_state.h - what the files of the stream share: requests, batches and the state that its threads work
// on.
#pragma once
#include <pthread.h>

#include "cmd/stream.h"
#include "cmd/stream_read.h"
#include "service/queue.h"
#include "service/verdict_cache.h"

enum {
    KNOWN_MAX = 512, // definitions at hand at a time
    FLIGHT_BUCKETS = 1024,
};

typedef struct {
    Arena arena;
    char *text;
    Op op;
    char *bad;
    int users;     // requests that were not answered yet
    uint64_t used; // when last
} KnownOp;

// One allocation each: it lives from its line to its answer.
typedef struct Request {
    QueueItem item; // first: the queue hands these out
    KnownOp *op;
    Level level;
    DrawFilter filter;
    bool keyed, in_flight;
    VerdictKey key;
    struct Request *chain; // of the table of what is in flight
    struct Request *twins; // equal ones that wait for this verdict, by `next`
    struct Request *next;  // of twins, and of what is ready
    char *answer, *record; // of a duplicate: to be printed and, before, journaled
    size_t bytes;
    Str id, source;
    char text[];
} Request;

typedef enum { STAGE_FREEZE, STAGE_DRAW, STAGE_JUDGE, STAGE_COMMIT } Stage;
typedef struct Batch {
    struct Batch *next;
    Stage stage;
    bool busy; // somebody freezes, draws or commits it
    JudgeRequest ask;
    Round *round;
    int n, taken, judged;
    Request *request[DRAW_SHARE_MAX];
    Str source[DRAW_SHARE_MAX];
    Verdict verdict[DRAW_SHARE_MAX];
    bool noted[DRAW_SHARE_MAX];
} Batch;

typedef struct {
    Referee *referee;
    VerdictCache *memo; // NULL: --fresh, or no journal
    Level level;
    int out, wake; // wake: an eventfd for the reader
    int jobs;
    pthread_mutex_t printing;

    pthread_mutex_t lock;     // of everything below
    pthread_cond_t stirred;   // there is a step to take, or nothing to wait for any more
    pthread_cond_t pool_free; // the reader waits for it
    Queue queue;
    Batch *first, **last; // in order of their start
    Request *ready, **ready_last;
    Request *flight[FLIGHT_BUCKETS];
    int waiting; // requests that were read and not answered
    size_t bytes;
    int computing; // threads that draw or judge
    int untidy;    // verdicts since free pages were given back
    bool pool_taken, flushing;
    bool gathering, no_room; // what the reader does
    bool over, failed;
    Err why;

    KnownOp *known[KNOWN_MAX]; // the reader's, but for `users`
    int knowns;
    uint64_t uses;
} Stream;

// ---- stream.c
void stream_print(Stream *s, Str text); // when that fails, the stream has failed, and everybody knows
void put_undecided(Buf *out, Str id, Level level, const char *rule, const char *why);
// A new request: answered from the journal, or waiting for its equal that is under way, or queued.
void stream_admit(Stream *s, Request *q);
// With the lock held: something may have become possible that nobody is about to do.
void stream_stir(Stream *s);

// ---- stream_intake.c
// Reads lines until their end, a failure or a signal, never more than there is room for.
MUST_CHECK bool intake_run(Stream *s, LineReader *r, Err *e);
void intake_listen(const Stream *s); // to SIGTERM and SIGINT
void intake_deaf(void);
bool intake_stopped(void); // by a signal
