// asked_ahead.h - what a candidate will be asked once its cases are right, all of it in one child: the search
// for branches, production shapes, large tensors. One child instead of six: each would start, read the source
// and touch memory anew. What somebody needs that this child has not come to, that one asks a child of its
// own.
#pragma once
#include "sandbox/fork_servers.h"

typedef struct {
    ForkServers *fork_servers;
    ForkJob job[JOB_PARTS_MAX];
    bool owned[JOB_PARTS_MAX]; // its inputs are closed with the rest
    int n;
    Arena reports;
    ForkServer *fork_server; // not NULL: `came` is to be freed
    ForkParts came;
} Ahead;

enum { AHEAD_NONE = -1 };
// The number of a job, all of them of one source, for ahead_came(). `owned`: job->draw_fd is closed by
// ahead_close().
int ahead_add(Ahead *w, const ForkJob *job, bool owned);
void ahead_run(Ahead *w);
// NULL: not known, ask again. Until ahead_close().
const ChildResult *ahead_came(const Ahead *w, int number);
void ahead_close(Ahead *w);
