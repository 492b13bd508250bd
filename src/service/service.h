// service.h - the judging service: submit a program, get one answer. Everything between the two is here: the
// queue, the draws that programs share, the threads and fork servers that work on them, answers from the
// journal, equal programs that wait for one verdict, bounds and cancellation.
//
// What waits for the same op, level, filter and options is judged in rounds: at most DRAW_SHARE_MAX programs
// that share one draw. A program is never part of a round whose draw was made before its hash was durable in
// the journal, and no verdict is answered before its record is. Memory is bounded: beyond SERVICE_WAITING
// programs or SERVICE_BYTES that wait for an answer, whoever submits waits, too.
//
// Thread-safe. Must not know: lines, files, smiths, whoever prints.
#pragma once
#include "judge/referee.h"

enum { SERVICE_WAITING = 2048, SERVICE_BYTES = 64 << 20 };

typedef struct Service Service;
typedef struct {
    // Equal programs are answered once: from the journal, or by the verdict of the one under way. Whoever
    // needs a Verdict, not its JSON, leaves this out.
    bool known;
    // May be NULL: something that service_room() denied is possible again, or the service has failed. From
    // any thread, with the service's lock: it must call nothing of the service.
    void (*roused)(void *arg);
    void *arg;
} ServiceConfig;
// The referee must outlive it, and is nobody else's to judge with meanwhile.
MUST_CHECK bool service_open(Referee *r, const ServiceConfig *c, Service **out, Err *e);
void service_close(Service *s); // cancels what has no draw, waits for the rest; NULL is allowed
Referee *service_referee(Service *s);

struct TakenBack;
// An accepted verdict that a GPU contradicts (taken_back.h): equal programs get the new one from then on.
MUST_CHECK bool service_take_back(Service *s, const struct TakenBack *t, json_t *verdict, Err *e);

typedef enum {
    ANSWER_JUDGED,
    ANSWER_KNOWN,     // an equal program has been judged before
    ANSWER_UNDRAWN,   // no draw could be made, of the op and filter or in this world
    ANSWER_CANCELLED, // before it had a draw
    ANSWER_LOST,      // the service has failed
} AnswerKind;
// Everything in it lives during the call that hands it over.
typedef struct {
    AnswerKind kind;
    const Verdict *verdict; // NULL for ANSWER_KNOWN; undecided for the last three
    const json_t *known;    // ANSWER_KNOWN: the verdict's members, as said of this source
    const Err *why;         // of the last three
    bool more;              // another answer follows at once, from the same thread
} Answer;

typedef struct {
    const Op *op; // the caller's until the answer, as is `source`
    Level level;
    DrawFilter filter;
    int64_t every_size;   // as in JudgeRequest
    const uint64_t *seed; // a replay; NULL: drawn after the source is journaled
    Str source;
    // Exactly once for each, from a thread of the service; it must not wait for the service.
    void (*answered)(void *arg, const Answer *a);
    void *arg;
} Submission;
// n at most DRAW_SHARE_MAX, of the same op and options: they get the same draw, and are never answered for
// each other. Waits while there is no room.
void service_submit_together(Service *s, const Submission *q, int n);
void service_submit(Service *s, const Submission *q);
// Of a program that has had its answer at a cheaper level: never waits, and takes the room that it left.
void service_submit_again(Service *s, const Submission *q);
bool service_room(Service *s); // whether service_submit() would go on at once
// The same if n more programs of so many bytes waited here, too, which wait elsewhere.
bool service_room_beside(Service *s, int n, size_t bytes);
bool service_idle(Service *s); // whether all that was submitted is answered
// Whether it would be answered from the journal.
bool service_knows(Service *s, const Submission *q);

// When programs that would not fill a draw may have one.
typedef enum {
    GATHER_NONE, // when there is time for it
    GATHER_SLOW, // more will come, some time: when nothing else is judged
    GATHER_FAST, // more comes at once: when much waits
} Gather;
void service_gather(Service *s, Gather g);

// What has no draw yet is answered with ANSWER_CANCELLED, in this thread. one_more: the round that would have
// been next is judged all the same. Later submissions are not concerned.
void service_cancel(Service *s, bool one_more);
// Until everything that was submitted is answered; ends gathering. False when the service has failed.
MUST_CHECK bool service_wait(Service *s, Err *e);
// Nothing is ever judged again: a client's world is gone, or (as the service finds itself) the journal's.
void service_fail(Service *s, const Err *e);
bool service_failed(Service *s);

// Judges n programs on one draw, as service_submit_together(), and waits; whom to tell is not looked at.
// Verdicts' texts live in `a`.
MUST_CHECK bool service_judge(Service *s, Arena *a, const Submission *q, int n, Verdict *out, Err *e);

// The referee's pool, for a draw or a definition of the caller's: no round uses it until it is left.
Pool *service_pool_take(Service *s);
void service_pool_leave(Service *s);
// A name, a description or a path; a user's definition is checked before anything is judged by it.
MUST_CHECK bool service_op(Service *s, Arena *a, const char *text, const DomainAsked *asked, Op *out, Err *e);
// A reference in module form, from its text.
MUST_CHECK bool service_module(Service *s, Arena *a, Str text, const DomainAsked *asked, Op *out, Err *e);
