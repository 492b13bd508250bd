// fork_server_child.h - what the two halves of the fork server say to each other. Private to fork_server.c
// (the callers' half) and fork_server_child.c (the process).
#pragma once
#include <sys/types.h>

#include "sandbox/fork_server.h"

// One packet on the control socket for each job, with these descriptors beside it.
enum { JOB_FD_DRAW, JOB_FD_JOB, JOB_FD_OUTPUT, JOB_FD_REPORT, JOB_FD_STATUS, JOB_FDS };
typedef struct {
    size_t draw_bytes, job_bytes, output_bytes, arena_bytes, sparse_bytes;
    uint64_t draw_key; // ForkJob.draw_key
    double wall_seconds;
} JobOrder;

// The one packet on a job's status socket, after the child has been reaped. The caller never sends; when it
// shuts its side down, or closes it, the child is killed.
typedef struct {
    bool started;    // false: `why`; the candidate's code never ran
    int wait_status; // as waitpid() gives it
    double cpu_seconds;
    char why[256];
} JobEnd;

// The first packet on the control socket, from the fork server.
typedef struct {
    bool ready;
    Err why;
    pid_t pid;
} ForkServerHello;

// A fork server that somebody else forked, by our end of its control socket, which is the fork server's from
// now on.
MUST_CHECK bool fork_server_adopt(int control, ForkServer **out, Err *e);
// Whether it is there and was never found stuck.
bool fork_server_serves(ForkServer *b);

// The fork server's whole life. `control` is the only thing that it shares with its parent.
_Noreturn void fork_server_serve(ChildMain main, int control);
