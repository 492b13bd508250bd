// service_state.h - what the service's files share: jobs, rounds and the state that its threads work on.
#pragma once
#include <pthread.h>

#include "service/queue.h"
#include "service/service.h"
#include "service/verdict_cache.h"

enum { EQUALS_BUCKETS = 1024 };

// One submitted program: it lives from service_submit() to its answer.
typedef struct Job {
    QueueItem item; // first: the queue hands these out
    Submission ask;
    uint64_t seed;    // what ask.seed pointed to
    struct Job *mate; // the next of those that were submitted together
    bool keyed, in_table;
    VerdictKey key;
    struct Job *chain;     // of the table of equals
    struct Job *followers; // equal ones that wait for this verdict, by `next`
    struct Job *next;      // of followers, and of lists that are answered
    json_t *known;         // its answer, of a job that is answered from the journal
    size_t bytes;
} Job;

typedef enum { STAGE_FREEZE, STAGE_DRAW, STAGE_JUDGE, STAGE_COMMIT } Stage;
// A round and how far it is.
typedef struct RoundWork {
    struct RoundWork *next;
    Stage stage;
    bool busy; // somebody freezes, draws or commits it
    JudgeRequest ask;
    uint64_t seed; // what ask.seed points to
    Round *round;
    int n, taken, judged;
    Job *job[DRAW_SHARE_MAX];
    Str source[DRAW_SHARE_MAX];
    Verdict verdict[DRAW_SHARE_MAX];
    bool noted[DRAW_SHARE_MAX];
} RoundWork;

struct Service {
    Referee *referee;
    ServiceConfig config;
    VerdictCache *cache; // NULL: nothing is answered from the journal
    int jobs;            // cores to use
    int chains; // threads that compute at a time: while a child starts or ends, neither it nor its thread
                // does
    pthread_t *thread;
    int threads;

    pthread_mutex_t lock;     // of everything below
    pthread_cond_t stirred;   // there is a step to take, or nothing to wait for any more
    pthread_cond_t pool_free; // who takes the pool waits for it
    pthread_cond_t answered;  // there is room, or nothing to wait for
    Queue queue;
    RoundWork *first, **last; // in order of their start
    Job *ready, **ready_last; // answered from the journal: to be recorded and told
    Job *equals[EQUALS_BUCKETS];
    int waiting; // jobs that were submitted and not answered
    size_t bytes;
    int computing; // threads that draw or judge
    int alive;     // threads that have not ended
    int untidy;    // verdicts since free pages were given back
    bool pool_taken, flushing;
    Gather gather;
    bool no_room;               // somebody was told so
    bool closing, failed, lost; // lost: and everything has been answered so
    Err why;
};

// ---- service.c; all with the lock held
// Something may have become possible that nobody is about to do.
void service_stir(Service *s);
void service_fail_locked(Service *s, const Err *e);
void job_queue(Service *s, Job *j);
void job_free(Service *s, Job *j); // it is answered

// ---- service_round.c: a step of a round. With the lock held, which is let go meanwhile.
RoundWork *round_begin(Service *s, const QueueKey *key, QueueItem **item, int n);
void round_end(Service *s, RoundWork *b);
void step_freeze(Service *s, RoundWork *b);
void step_draw(Service *s, RoundWork *b, Pool *alone);
void step_judge(Service *s, RoundWork *b);
void step_commit(Service *s, RoundWork *b);
// Tells a list of jobs, by `next`, that they have no verdict; without the lock.
void tell_undecided(Job *list, AnswerKind kind, const Err *why);

// ---- service_equals.c
// An answer from the journal, if there is one; without the lock.
bool equals_known(Service *s, Job *j);
// A new job: answered from the journal, or a follower of its equal that is under way, or queued.
void equals_admit(Service *s, Job *j, bool known);
void equals_forget(Service *s, Job *j); // it is no longer under way
// Followers of a verdict that is durable now: answered from its record, or judged on their own. Without the
// lock.
void equals_serve(Service *s, Job *followers);
void step_flush(Service *s); // records and tells what is ready
