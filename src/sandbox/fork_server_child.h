// fork_server_child.h - what the two halves of the fork server say to each other. Private to fork_server.c
// (the callers' half) and fork_server_child.c (the process).
#pragma once
#include <sys/types.h>

#include "sandbox/fork_server.h"

// One packet on the control socket for each job, with these descriptors beside it.
enum {
    JOB_FD_JOB,
    JOB_FD_OUTPUT,
    JOB_FD_REPORT,
    JOB_FD_STATUS,
    JOB_FD_DRAW,
    JOB_FDS_MAX = JOB_FD_DRAW + JOB_PARTS_MAX
};
typedef struct {
    size_t draw_bytes, output_bytes, arena_bytes, sparse_bytes;
    size_t output_at; // in the buffer, from the beginning of a page on
} PartOrder;
typedef struct {
    int parts;                // each with a descriptor for its inputs
    size_t job_bytes, stride; // of each, and from one to the next
    size_t output_bytes;      // of all
    uint64_t draw_key;        // ForkJob.draw_key, of a single one
    double wall_seconds;
    PartOrder part[JOB_PARTS_MAX];
} JobOrder;
static inline int order_fds(const JobOrder *o) { return JOB_FD_DRAW + o->parts; }

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
