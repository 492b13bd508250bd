// ladder.h - programs judged at level ladder by the judging service, many at once: quick, and full for what
// quick accepts. Verdicts come back to the thread that asks, so that one thread owns the store.
#pragma once
#include "service/service.h"

typedef struct Ladder Ladder;
// What a verdict says, as it goes into the store.
typedef struct LadderAnswer {
    struct LadderAnswer *next;
    void *of;      // the asker's
    bool lost;     // the world failed, or it was cancelled: nothing is known of the program
    bool accepted; // at level full
    bool decided;
    Str status, level, evidence; // evidence: the verdict's JSON
    Arena arena;                 // of its texts and of itself
} LadderAnswer;

// The service has to answer what is known, unless everything is to be judged again.
MUST_CHECK bool ladder_open(Arena *a, Service *s, Ladder **out, Err *e);
// Waits while the service has no room. `op` lives until the answer; the source is copied.
void ladder_ask(Ladder *l, const Op *op, const DrawFilter *filter, Str source, void *of);
// What has been answered since, in the order of answers; NULL: nothing within so many seconds.
LadderAnswer *ladder_take(Ladder *l, double seconds);
void ladder_release(LadderAnswer *list);
int64_t ladder_waiting(Ladder *l); // asked, and not taken yet
// No draw for what has none. What is asked from now on is lost, too.
void ladder_cancel(Ladder *l);
// Everything is answered or lost; what was not taken is dropped, each `of` by `drop`. Unless all went well so
// far (`ok`), what waits is cancelled and *e stays as it is. False then, and when the service has failed.
MUST_CHECK bool ladder_close(Ladder *l, void (*drop)(void *of), bool ok, Err *e);
