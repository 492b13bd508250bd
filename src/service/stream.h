// stream.h - verdicts for a training loop: JSON Lines in, JSON Lines out, in any order. A request is
// {"id","op","source"[,"level","shape","dtype","layout","policy","manifest","time","group","of"]}; the answer
// is the verdict with the same "id". A bad line gets an answer with status referee_error and is never fatal.
// A source that was judged before, by this build and under the same options, is answered from the journal
// with "cached":true (verdict_cache.h), unless `fresh`; equal sources that are under way share one judgment.
//
// A client of the service: that is where requests wait, with bounds; while it has no room, nothing is read,
// so whoever sends without reading answers stops being read. An answer is printed when its record is durable.
// End of input finishes everything; SIGTERM and SIGINT finish what has been drawn for, answer the rest with
// referee_error, and end; a second one ends at once.
#pragma once
#include "judge/referee.h"
#include "service/request.h"

// Reads descriptor `in` until its end, writes answers to descriptor `out`. False when the world fails.
typedef struct {
    Levels levels;      // where a request names no level
    LayoutAsked layout; // the same
    bool fresh;
    Measurer *measurer; // for requests with "time"; NULL: they are answered without times
    TimerOptions timer;
    // Each program that was timed, from a thread of its own, before it is answered; may be NULL.
    void (*timed)(void *arg, const TimesAsk *q);
    void *arg;
} StreamOptions;
MUST_CHECK bool stream_run(Referee *r, int in, int out, const StreamOptions *o, Err *e);
