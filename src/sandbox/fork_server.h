// fork_server.h - the process that makes children. Started before any thread or large allocation, so that a
// fork costs a fraction of a millisecond; single-threaded; it forks one child for each candidate and reports
// how it ended.
//
//   referee (threads) --jobs--> fork server --fork--> child: sandbox, then child_main, then _exit
//                      <--- exit status          <------- reports (pipe), outputs (shared mapping)
//
// The child starts with exactly three things: the two read-only mappings, its output mapping, and the report
// pipe. Output buffers are used again: cleared before each child, and never handed on unless the fork server
// has reaped the child that had it, when no process can write to it any more. It enters the sandbox before it
// reads a byte of the candidate's source. How it ended is known from the kernel and told by the fork server
// on a socket that the child does not have. The fork server ends when its parent ends, and with it its
// children; a client thread that gives up on a job takes only that job's child with it.
#pragma once
#include "base/err.h"
#include "lang/library.h"
#include "sandbox/wire.h"

typedef struct ForkServer ForkServer;

// What runs inside the sandbox. Returns the exit code: 0 unless something is wrong with us. Tests pass others
// (a child that lies, babbles or dies).
typedef struct ChildJob ChildJob;
struct ChildJob {
    const uint8_t *draw; // DrawHeader ...
    size_t draw_bytes;
    const uint8_t *job; // JobHeader ...
    size_t job_bytes;
    uint8_t *output;
    size_t output_bytes;
    // Mapped before the sandbox closed, touched on demand. AddressSanitizer takes it for unused until an
    // arena lies over it, or arena_show() is asked; but not the last sparse_bytes of it, which lie at
    // `sparse`.
    void *arena;
    size_t arena_bytes;
    uint8_t *sparse;
    int report_fd;
    const ChildJob *next; // another job of the same source for the same child, or NULL: see ForkParts
};
typedef int (*ChildMain)(const ChildJob *job);
_Noreturn void child_end(int code); // without returning from it

// Forks the fork server. Call before threads exist. ERR_SANDBOX when the filter cannot be installed here.
MUST_CHECK bool fork_server_open(ChildMain main, ForkServer **out, Err *e);
void fork_server_close(ForkServer *b);

enum { FORK_SERVER_JOBS_MAX = 256 }; // children at a time; one more is an error

// The last stop of a child. Its steps end it: a verdict must not depend on what else a machine does.
enum { FORK_WALL_SECONDS = 600 };

typedef struct {
    int draw_fd; // memfd of the input mapping, sealed against writing and shrinking
    size_t draw_bytes;
    Str source;
    size_t output_bytes;
    size_t arena_bytes;
    size_t sparse_bytes; // of them: only in part ever there; for cases whose programs are sampled
    double wall_seconds; // FORK_WALL_SECONDS, except in tests
    int max_reports;
    int tune;         // JobHeader.tune
    int knocked;      // JobHeader.knocked
    int64_t watch_at; // JobHeader.watch_at: the room is within output_bytes
    Extras extras;
    uint64_t draw_key; // not 0: many jobs have these inputs and this key, and no others have it
} ForkJob;

// OVERDUE: past the deadline, or killed by the system (SIGKILL, which a child cannot send: no memory left).
// It says nothing about the candidate.
typedef enum { CHILD_EXITED, CHILD_SIGNALLED, CHILD_OVERDUE } ChildEnd;
typedef struct {
    ChildEnd end;
    int code;           // exit code or signal
    CaseReport *report; // as many as came whole, unchecked: see wire_check()
    int reports;
    const double *came; // of each: when, in seconds since the job was asked for
    // Bytes after the last whole frame, unless it was OVERDUE while it wrote them; or too many frames (which
    // ends it: SIGNALLED, SIGPIPE).
    bool garbage;
    const uint8_t *output; // the child's own pages: it is gone and nobody else has them; NULL when empty
    size_t output_bytes;
    double cpu_seconds; // of a part: its share, by when its last report came
    struct OutputBuffer *buffer; // whose bytes `output` are, until child_result_free()
} ChildResult;
// Runs one job to its end. Safe to call from several threads at once; each call has its own child. False only
// when the world fails (no memory, fork server gone).
MUST_CHECK bool fork_server_run(ForkServer *b, Arena *a, const ForkJob *job, ChildResult *out, Err *e);
void child_result_free(ForkServer *b, ChildResult *r); // before fork_server_close()

// Several jobs of one source, one behind the other in one child: a start and an end of a process less for
// each further one, and memory that has been touched before. What came of a part is what a child of its own
// would have said. `told` of them are believed, from the first one on: none where the child did not end as it
// should, and of one that ended early those before. Whoever wants to know of the others runs them alone.
enum { JOB_PARTS_MAX = 8 };
typedef struct {
    ChildResult all; // for child_result_free()
    ChildResult part[JOB_PARTS_MAX];
    int told;
} ForkParts;
MUST_CHECK bool fork_server_run_parts(ForkServer *b, Arena *a, const ForkJob *job, int n, ForkParts *out,
                                      Err *e);

// The real child: parses, screens and checks the source, runs every case, reports. (child.c)
int child_interpret(const ChildJob *job);
// Once in the fork server: runs a small program of ours. Whatever is built on first use (tables of names, the
// choice of vector loops) is then there before children enter the sandbox, and they share it. In the sandbox
// a child could not even wait for a lock.
void child_prepare(void);
