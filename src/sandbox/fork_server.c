#include "sandbox/fork_server.h"
#include "base/clock.h"
#include "base/io.h"
#include "base/sealed.h"
#include "sandbox/fork_server_child.h"
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

// Shared memory that one child at a time writes its outputs to. New pages for each child cost as much as
// running a short kernel.
typedef struct OutputBuffer OutputBuffer;
struct OutputBuffer {
    OutputBuffer *next;
    int fd; // sealed against shrinking and growing: nobody can take the bytes away from under a reader
    size_t bytes, touched; // touched: children had as much of it since it was zero
    uint64_t left;         // when it became idle, in takes
    uint8_t *map;
};

struct ForkServer {
    int control; // packets are atomic: threads may send without a lock
    pid_t pid;
    bool ours;            // our own child, to be waited for
    atomic_bool stuck;    // it did not do what it was told
    pthread_mutex_t lock; // of the list
    OutputBuffer *idle;   // nobody but us has these mapped; the one that was used last comes first
    uint64_t takes;
};

// A fork server that does not report a killed child within this time is stuck.
static const double answer_seconds = 60;

// Sizes of output buffers are multiples of it: draws differ little, and share buffers.
enum { OUTPUT_STEP = 1 << 21 };

static void close_fd(int *fd) {
    if (*fd >= 0) close(*fd);
    *fd = -1;
}

static bool receive(int fd, void *p, size_t n) {
    ssize_t got;
    do got = recv(fd, p, n, 0);
    while (got < 0 && errno == EINTR);
    return got == (ssize_t)n;
}

// True when something can be read from fd (its end included), false at the deadline.
static bool readable(int fd, double deadline) {
    for (;;) {
        double left = deadline - clock_seconds();
        if (!(left > 0)) left = 0;
        struct pollfd p = {.fd = fd, .events = POLLIN};
        int n = poll(&p, 1, left > 1e6 ? 1000000000 : (int)(left * 1000) + (left > 0));
        if (n > 0) return true;
        if (n == 0 && left <= 0) return false;
    }
}

// ---- output buffers ----

static void buffer_drop(OutputBuffer *o) {
    if (!o) return;
    if (o->map) munmap(o->map, o->bytes);
    close_fd(&o->fd);
    free(o);
}

static bool buffer_new(size_t bytes, OutputBuffer **out, Err *e) {
    OutputBuffer *o = calloc(1, sizeof *o);
    if (!o) abort();
    o->bytes = bytes;
    o->fd = memfd_create("output", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    bool ok = o->fd >= 0 && bytes <= (size_t)INT64_MAX && ftruncate(o->fd, (off_t)bytes) == 0 &&
              fcntl(o->fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) == 0;
    if (ok) {
        void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, o->fd, 0);
        ok = p != MAP_FAILED;
        if (ok) o->map = p;
    }
    if (ok) {
        (void)madvise(o->map, bytes, MADV_HUGEPAGE); // a hint: most systems allow it for no shared memory
        *out = o;
        return true;
    }
    err_set(e, ERR_IO, "output: %zu bytes: %s", bytes, strerror(errno));
    buffer_drop(o);
    return false;
}

// Draws of one program differ in size, and follow each other in the same order for the next one: each finds
// the buffer that it had before. What nobody has wanted for long goes: a single large draw would hold its
// memory for ever.
static OutputBuffer *old_buffers(ForkServer *b) {
    enum { TAKES_MOST = 64, IDLE_MOST = 12 };
    OutputBuffer **at = &b->idle, *old;
    b->takes++;
    for (int n = 0; *at && n < IDLE_MOST && b->takes - (*at)->left < TAKES_MOST; n++) at = &(*at)->next;
    old = *at;
    *at = NULL;
    return old;
}

// The smallest that has room, and is not far too large.
static OutputBuffer *best_buffer(ForkServer *b, size_t room) {
    OutputBuffer **best = NULL;
    for (OutputBuffer **at = &b->idle; *at; at = &(*at)->next) {
        size_t bytes = (*at)->bytes;
        if (bytes >= room && bytes / 8 <= room && (!best || bytes < (*best)->bytes)) best = at;
    }
    if (!best) return NULL;
    OutputBuffer *o = *best;
    *best = o->next;
    return o;
}

// What has no pages is zero already, and would get them here: most children write a part of their room.
static void clear_written(const OutputBuffer *o, size_t bytes) {
    for (off_t at = 0, end = (off_t)bytes, hole; at < end; at = hole) {
        off_t data = lseek(o->fd, at, SEEK_DATA);
        if (data >= end || (data < 0 && errno == ENXIO)) return; // nothing behind it
        hole = data < 0 ? end : lseek(o->fd, data, SEEK_HOLE);
        if (data < 0) data = at; // a system that cannot tell
        if (hole <= data || hole > end) hole = end;
        memset(o->map + data, 0, (size_t)(hole - data));
    }
}

// A buffer whose first `bytes` bytes, and the rest of the page that they end in, are zero: what one candidate
// left behind no other may see. A child maps no more than that.
static bool buffer_take(ForkServer *b, size_t bytes, OutputBuffer **out, Err *e) {
    *out = NULL;
    if (bytes > SIZE_MAX - OUTPUT_STEP) return err_set(e, ERR_IO, "output: %zu bytes: too many", bytes);
    size_t room = (bytes / OUTPUT_STEP + 1) * OUTPUT_STEP;
    pthread_mutex_lock(&b->lock);
    OutputBuffer *old = old_buffers(b), *o = best_buffer(b, room);
    pthread_mutex_unlock(&b->lock);
    for (OutputBuffer *next; old; old = next) {
        next = old->next;
        buffer_drop(old);
    }
    // A new one is zero, and only what its child writes takes memory.
    if (!o && !buffer_new(room, &o, e)) return false;
    size_t pages = (bytes + 4095) / 4096 * 4096;
    clear_written(o, pages < o->touched ? pages : o->touched);
    if (pages > o->touched) o->touched = pages;
    *out = o;
    return true;
}

// Only when its child has been reaped: a process ends with its mappings before anybody can wait for it.
static void buffer_give(ForkServer *b, OutputBuffer *o) {
    if (!o) return;
    pthread_mutex_lock(&b->lock);
    o->left = b->takes;
    o->next = b->idle;
    b->idle = o;
    pthread_mutex_unlock(&b->lock);
}

// ---- the process ----

static bool fork_server_greet(int control, pid_t child, ForkServer **out, Err *e) {
    ForkServer *b = calloc(1, sizeof *b);
    if (!b) abort();
    b->control = control;
    b->pid = child;
    b->ours = child != 0;
    pthread_mutex_init(&b->lock, NULL);

    ForkServerHello hello = {0};
    if (readable(control, clock_seconds() + answer_seconds) && receive(control, &hello, sizeof hello) &&
        hello.ready) {
        b->pid = hello.pid;
        *out = b;
        return true;
    }
    if (hello.ready || hello.why.code == ERR_NONE)
        hello.why = (Err){ERR_SANDBOX, "fork server: ended before it was ready"};
    fork_server_close(b);
    return err_set(e, hello.why.code, "%s", hello.why.msg);
}

bool fork_server_open(ChildMain main, ForkServer **out, Err *e) {
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0)
        return err_set(e, ERR_IO, "fork server: socket: %s", strerror(errno));
    pid_t pid = fork();
    if (pid == 0) fork_server_serve(main, pair[1]);
    int error = errno;
    close(pair[1]);
    if (pid < 0) {
        close(pair[0]);
        return err_set(e, ERR_IO, "fork server: fork: %s", strerror(error));
    }
    return fork_server_greet(pair[0], pid, out, e);
}

bool fork_server_adopt(int control, ForkServer **out, Err *e) {
    return fork_server_greet(control, 0, out, e);
}

bool fork_server_serves(ForkServer *b) {
    struct pollfd p = {.fd = b->control}; // errors and a hang-up are told in any case
    return !atomic_load(&b->stuck) && poll(&p, 1, 0) == 0;
}

void fork_server_close(ForkServer *b) {
    if (!b) return;
    if (atomic_load(&b->stuck)) kill(b->pid, SIGKILL);
    close(b->control); // it ends when it reads this
    while (b->ours && waitpid(b->pid, NULL, 0) < 0 && errno == EINTR) {}
    while (b->idle) {
        OutputBuffer *o = b->idle;
        b->idle = o->next;
        buffer_drop(o);
    }
    pthread_mutex_destroy(&b->lock);
    free(b);
}

// ---- one job ----

typedef struct {
    int fd[JOB_FDS_MAX]; // the child's and the fork server's ends
    int report, status;  // ours
    bool stuck;
    bool cut; // the last frame is not whole
} Lines;

static bool draw_sealed(const ForkJob *job, Err *e) {
    int seals = fcntl(job->draw_fd, F_GET_SEALS);
    struct stat st;
    if (seals < 0 || fstat(job->draw_fd, &st) != 0) return err_set(e, ERR_IO, "inputs: %s", strerror(errno));
    if (!(seals & (F_SEAL_WRITE | F_SEAL_FUTURE_WRITE)) || !(seals & F_SEAL_SHRINK) ||
        (uintmax_t)st.st_size < job->draw_bytes)
        return err_set(e, ERR_IO, "inputs: the mapping is not sealed, or too short");
    return true;
}

static size_t job_bytes(const ForkJob *job) {
    return sizeof(JobHeader) + job->source.len + job->extras.include.len + job->extras.model.len;
}

static uint8_t *put(uint8_t *to, const void *p, size_t n) {
    if (n) memcpy(to, p, n);
    return to + n;
}

static void job_write(const ForkJob *job, uint8_t *to) {
    JobHeader header = {WIRE_MAGIC,
                        (uint32_t)job->source.len,
                        (int64_t)job->arena_bytes,
                        job->tune,
                        job->watch_at,
                        (int64_t)job->sparse_bytes,
                        (int64_t)job->extras.include.len,
                        job->extras.old_names,
                        (int64_t)job->extras.model.len,
                        job->knocked};
    to = put(to, &header, sizeof header);
    to = put(to, job->source.p, job->source.len);
    to = put(to, job->extras.include.p, job->extras.include.len);
    put(to, job->extras.model.p, job->extras.model.len);
}

// What is asked, in numbers: the outputs of all parts lie in one buffer.
static void order_of(const ForkJob *job, int n, JobOrder *out) {
    enum { PAGE = 4096, ALIGN = 64 };
    *out = (JobOrder){.parts = n,
                      .job_bytes = job_bytes(job),
                      .stride = (job_bytes(job) + ALIGN - 1) / ALIGN * ALIGN,
                      .draw_key = n == 1 ? job->draw_key : 0};
    for (int k = 0; k < n; k++) {
        assert(str_eq(job[k].source, job->source) && job_bytes(&job[k]) == job_bytes(job));
        out->output_bytes = (out->output_bytes + PAGE - 1) / PAGE * PAGE;
        out->part[k] = (PartOrder){job[k].draw_bytes, job[k].output_bytes, job[k].arena_bytes,
                                   job[k].sparse_bytes, out->output_bytes};
        out->output_bytes += job[k].output_bytes;
        out->wall_seconds += job[k].wall_seconds;
    }
}

static bool source_file(Arena *a, const ForkJob *job, const JobOrder *order, int *out, Err *e) {
    if (job->source.len > UINT32_MAX) return err_set(e, ERR_LIMIT, "source: too long");
    int fd = *out = memfd_create("source", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (fd < 0) return err_set(e, ERR_IO, "source: memfd: %s", strerror(errno));
    size_t bytes = order->stride * (size_t)order->parts;
    uint8_t *all = arena_alloc(a, bytes, 1, 64);
    for (int k = 0; k < order->parts; k++) job_write(&job[k], all + (size_t)k * order->stride);
    return (io_write_all(fd, all, bytes, e) && io_seal(fd, "job", e)) || err_ctx(e, "source");
}

static bool lines_open(Lines *l, Err *e) {
    int pair[2];
    if (pipe2(pair, O_CLOEXEC) != 0) return err_set(e, ERR_IO, "report pipe: %s", strerror(errno));
    l->report = pair[0];
    l->fd[JOB_FD_REPORT] = pair[1];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0)
        return err_set(e, ERR_IO, "status socket: %s", strerror(errno));
    l->status = pair[0];
    l->fd[JOB_FD_STATUS] = pair[1];
    return true;
}

static bool order_send(const ForkServer *b, const JobOrder *order, const Lines *l, Err *e) {
    union {
        struct cmsghdr align;
        char bytes[CMSG_SPACE(sizeof l->fd)];
    } control = {0};
    size_t fds = sizeof *l->fd * (size_t)order_fds(order);
    struct iovec part = {(void *)(uintptr_t)order, sizeof *order};
    struct msghdr msg = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = control.bytes, .msg_controllen = CMSG_SPACE(fds)};
    struct cmsghdr *c = CMSG_FIRSTHDR(&msg);
    c->cmsg_level = SOL_SOCKET;
    c->cmsg_type = SCM_RIGHTS;
    c->cmsg_len = CMSG_LEN(fds);
    memcpy(CMSG_DATA(c), l->fd, fds);
    for (;;) {
        ssize_t sent = sendmsg(b->control, &msg, MSG_NOSIGNAL);
        if (sent == (ssize_t)sizeof *order) return true;
        if (sent < 0 && errno == EINTR) continue;
        // Too many descriptors on their way: the fork server will take them soon.
        if (sent < 0 && errno == ETOOMANYREFS) {
            nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
            continue;
        }
        return err_set(e, ERR_IO, "fork server: gone: %s", strerror(errno));
    }
}

// No byte for this: one that nobody reads would reset the connection and lose the answer.
static void child_kill(const Lines *l) { shutdown(l->status, SHUT_WR); }

// Frames until the pipe closes: by then the child is gone.
typedef struct {
    int reports;
    double seconds;
} Limits;
static bool reports_read(Lines *l, Arena *a, const Limits *limits, ChildResult *out, Err *e) {
    size_t most = (size_t)limits->reports * sizeof(CaseReport), got = 0;
    char *bytes = arena_raw(a, most, _Alignof(CaseReport));
    double *came = NEWN(a, double, (size_t)limits->reports + 1);
    double asked = clock_seconds(), deadline = asked + limits->seconds;
    bool killed = false;
    for (;;) {
        if (!readable(l->report, deadline)) {
            l->stuck = killed;
            if (killed) return err_set(e, ERR_IO, "fork server: does not end a child");
            child_kill(l);
            killed = true;
            deadline = clock_seconds() + answer_seconds;
            continue;
        }
        char excess[4096];
        ssize_t n =
            got < most ? read(l->report, bytes + got, most - got) : read(l->report, excess, sizeof excess);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return err_set(e, ERR_IO, "report pipe: %s", strerror(errno));
        if (n == 0) break;
        double now = clock_seconds() - asked;
        for (size_t k = got / sizeof(CaseReport); got < most && k < (got + (size_t)n) / sizeof(CaseReport);
             k++)
            came[k] = now;
        if (got < most)
            got += (size_t)n;
        else
            out->garbage = true;
        if (out->garbage && !killed) {
            child_kill(l);
            killed = true;
            deadline = clock_seconds() + answer_seconds;
        }
    }
    out->report = (CaseReport *)bytes;
    out->came = came;
    out->reports = (int)(got / sizeof(CaseReport));
    l->cut = got % sizeof(CaseReport) != 0;
    return true;
}

static bool ended_outside(int status) {
    return WIFSIGNALED(status) && (WTERMSIG(status) == SIGKILL || WTERMSIG(status) == SIGXCPU);
}

static bool end_read(Lines *l, ChildResult *out, Err *e) {
    JobEnd end;
    l->stuck = !readable(l->status, clock_seconds() + answer_seconds);
    if (l->stuck) return err_set(e, ERR_IO, "fork server: does not answer");
    if (!receive(l->status, &end, sizeof end)) return err_set(e, ERR_IO, "fork server: gone");
    if (!end.started) return err_set(e, ERR_IO, "child: %s", end.why);
    out->cpu_seconds = end.cpu_seconds;
    // Who was killed from outside may have been writing: half a frame is no fault of its own then.
    if (l->cut && !ended_outside(end.wait_status)) out->garbage = true;
    if (WIFEXITED(end.wait_status)) {
        out->end = CHILD_EXITED;
        out->code = WEXITSTATUS(end.wait_status);
        return true;
    }
    out->code = WTERMSIG(end.wait_status);
    bool outside = ended_outside(end.wait_status);
    out->end = outside && !out->garbage ? CHILD_OVERDUE : CHILD_SIGNALLED;
    if (outside && out->garbage) out->code = SIGPIPE; // it was us, for writing where nobody would read
    return true;
}

// All of them, as one child's work.
static bool run(ForkServer *b, Arena *a, const ForkJob *job, const JobOrder *order, ChildResult *out,
                Err *e) {
    int n = order->parts;
    Limits limits = {0, order->wall_seconds};
    *out = (ChildResult){0};
    Lines l = {.fd = {-1, -1, -1, -1}, .report = -1, .status = -1};
    OutputBuffer *o = NULL;
    bool ok = true;
    for (int k = 0; k < n; k++) {
        assert(job[k].max_reports >= 0 && job[k].max_reports <= WIRE_CASES_MAX + WIRE_CALLS_MAX + 1);
        limits.reports += job[k].max_reports;
        l.fd[JOB_FD_DRAW + k] = job[k].draw_fd;
        ok = ok && draw_sealed(&job[k], e);
    }
    ok = ok && source_file(a, job, order, &l.fd[JOB_FD_JOB], e) &&
         buffer_take(b, order->output_bytes, &o, e) && lines_open(&l, e);
    if (o) l.fd[JOB_FD_OUTPUT] = o->fd;
    ok = ok && order_send(b, order, &l, e);
    // Our copies of the other side's ends would keep the pipe from ever ending.
    close_fd(&l.fd[JOB_FD_REPORT]);
    close_fd(&l.fd[JOB_FD_STATUS]);
    close_fd(&l.fd[JOB_FD_JOB]);
    ok = ok && reports_read(&l, a, &limits, out, e) && end_read(&l, out, e);
    close_fd(&l.report);
    close_fd(&l.status);
    if (l.stuck) atomic_store(&b->stuck, true);
    if (!ok) {
        buffer_drop(o); // who knows whether its child still runs
        sealed_doubt();
        return false;
    }
    out->buffer = o;
    if (order->output_bytes && out->end == CHILD_EXITED) {
        out->output = o->map;
        out->output_bytes = order->output_bytes;
    }
    return true;
}

bool fork_server_run(ForkServer *b, Arena *a, const ForkJob *job, ChildResult *out, Err *e) {
    JobOrder order;
    order_of(job, 1, &order);
    return run(b, a, job, &order, out, e);
}

// The frames of part k: up to the one that ends it. NULL: there is none.
static const CaseReport *part_end(const CaseReport *r, const CaseReport *end, int most) {
    for (int i = 0; i < most && r < end; i++, r++)
        if (r->kind == REPORT_DONE || r->kind == REPORT_FINDING) return r;
    return NULL;
}

// What one child has said, part by part.
static void parts_read(const ForkJob *job, const JobOrder *order, ForkParts *out) {
    const ChildResult *all = &out->all;
    CaseReport *at = all->report;
    const CaseReport *end = at + all->reports, *last;
    bool well = all->end == CHILD_EXITED && all->code == 0 && !all->garbage;
    for (int k = 0; well && k < order->parts; k++) {
        last = part_end(at, end, job[k].max_reports);
        if (!last) break;
        ChildResult *r = &out->part[out->told++];
        int first = (int)(at - all->report), then = (int)(last - all->report);
        double since = first ? all->came[first - 1] : 0, whole = all->came[all->reports - 1];
        *r = (ChildResult){.end = CHILD_EXITED, .report = at, .reports = then - first + 1};
        r->came = all->came + first;
        r->cpu_seconds = whole > 0 ? all->cpu_seconds * (all->came[then] - since) / whole : 0;
        if (job[k].output_bytes && all->output) {
            r->output = all->output + order->part[k].output_at;
            r->output_bytes = job[k].output_bytes;
        }
        at += r->reports;
    }
    if (at != end) out->told = 0; // more than it had to say
}

bool fork_server_run_parts(ForkServer *b, Arena *a, const ForkJob *job, int n, ForkParts *out, Err *e) {
    assert(n > 0 && n <= JOB_PARTS_MAX);
    JobOrder order;
    *out = (ForkParts){0};
    order_of(job, n, &order);
    if (!run(b, a, job, &order, &out->all, e)) return false;
    parts_read(job, &order, out);
    return true;
}

void child_result_free(ForkServer *b, ChildResult *r) {
    buffer_give(b, r->buffer);
    r->buffer = NULL;
    r->output = NULL;
    r->output_bytes = 0;
}
