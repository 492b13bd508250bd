// queue.h - what waits to be judged, grouped by what may share a draw. Which group goes next: a full one (a
// draw costs as much for one candidate as for DRAW_SHARE_MAX), else the one whose first item has waited
// longest. So that an op that comes rarely is not overtaken for ever by ops that always fill a draw, at most
// QUEUE_OVERTAKES rounds may pass a waiting item. Patient ones let all others pass first, until there are
// QUEUE_ENOUGH of one group or QUEUE_PATIENCE rounds have passed: a draw at level full takes longer than ten
// rounds at quick, and what quick accepts comes one by one. Not thread-safe: its owner locks.
#pragma once
#include "cases/draw.h"

enum { QUEUE_OVERTAKES = 8, QUEUE_PATIENCE = 32, QUEUE_ENOUGH = 16 };

typedef struct {
    const Op *op;
    Level level;
    DrawFilter filter;
    int64_t every_size;
    bool replay; // of `seed`
    uint64_t seed;
} QueueKey;

typedef struct QueueItem {
    struct QueueItem *next;
    uint64_t order; // of arrival
    int with;       // so many more go along with it, into the same draw
    bool patient;   // set by whoever puts it there
} QueueItem;

typedef struct QueueGroup QueueGroup;
typedef struct {
    QueueGroup *groups; // those that hold something
    QueueGroup *spare;  // at most QUEUE_SPARE emptied ones, to be used again
    int spares, count;  // count: with those that go along
    uint64_t arrivals;
} Queue;

void queue_put(Queue *q, const QueueKey *key, QueueItem *item);
// Takes items of one group in order of arrival, as many as fit into a draw; 0 when nothing may go. `partial`:
// groups that would not fill a draw may go, too.
int queue_take(Queue *q, bool partial, QueueKey *key, QueueItem *out[DRAW_SHARE_MAX]);
void queue_free(Queue *q); // the items are the caller's
