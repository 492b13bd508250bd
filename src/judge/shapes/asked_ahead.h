// asked_ahead.h - what a candidate will be asked once its cases are right, all of it in one child: the search
// for branches, production shapes, large tensors; and before them the cases of its own sizes, if it has any.
// One child instead of seven: each would start, read the source and touch memory anew. What somebody needs
// that this child has not come to, that one asks a child of its own.
#pragma once
#include "sandbox/fork_servers.h"

typedef struct {
    ForkServers *fork_servers;
    ForkJob job[JOB_PARTS_MAX];
    bool owned[JOB_PARTS_MAX]; // its inputs are closed with the rest
    int n;
    bool ran;
    int before; // jobs of the child that ran before these
    Arena reports;
    ForkServer *fork_server; // not NULL: `came` is to be freed
    ForkParts came;
} Ahead;

enum { AHEAD_NONE = -1 };
// The number of a job, all of them of one source, for ahead_came(). `owned`: job->draw_fd is closed by
// ahead_close().
int ahead_add(Ahead *w, const ForkJob *job, bool owned);
void ahead_run(Ahead *w);
// The same behind another job of that source, whose inputs are its owner's: what came of it, until
// ahead_close(). NULL: not known, ask again.
const ChildResult *ahead_run_behind(Ahead *w, const ForkJob *first);
// NULL: not known, ask again. Until ahead_close().
const ChildResult *ahead_came(const Ahead *w, int number);
void ahead_close(Ahead *w);
