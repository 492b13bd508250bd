// stream_times.h - times for a stream's requests: behind the service stand two threads, one that prepares an
// accepted program (draws inputs, records, compiles) and one that measures it, so that the GPU works while
// the next program is compiled. The GPU is looked for when something is first asked.
#pragma once
#include "measure/timer.h"
#include "service/service.h"

enum { TIMED_CELLS_MAX = 9, TIMED_WAITING = 64 };
enum { TIMED_ASKED_MAX = 8 }; // of a request; a search takes one more

typedef struct TimesAsk TimesAsk;
struct TimesAsk {
    const Op *op;
    DrawFilter filter; // of the judgement
    Str source;        // accepted at full
    const CellPlace *place;
    int places;
    json_t *verdict; // of an accepted program; gets "times", or is taken back
    // Once, from a thread of its own; the verdict is in `q` still, and its reference the callee's.
    void (*timed)(void *arg, TimesAsk *q);
    void *arg;
    // ---- whoever measures
    TimesAsk *next;
    Arena arena;
    Cells *cells;
    CellTimes cell[TIMED_CELLS_MAX];
    double fixed; // when it was asked: its hash was in the journal then
};

typedef struct StreamTimes StreamTimes;
// `roused` is called when there may be room again.
StreamTimes *stream_times_open(Service *s, Measurer *m, const TimerOptions *o, void (*roused)(void *),
                               void *arg);
void stream_times_ask(StreamTimes *t, TimesAsk *q);
bool stream_times_room(StreamTimes *t);
// What waits is answered without times, but for what is being measured.
void stream_times_stop(StreamTimes *t);
// Whether all that was asked is answered; waits for a change, at most so long.
bool stream_times_wait(StreamTimes *t, int ms);
// Until all that was asked is answered. False: a verdict that was taken back could not be recorded.
MUST_CHECK bool stream_times_close(StreamTimes *t, Err *e); // NULL is allowed
