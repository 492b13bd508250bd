#include "sandbox/fork_server_child.h"
#include "base/arena.h"
#include "base/build.h"
#include "base/isa.h"
#include "sandbox/input_cache.h"
#include "sandbox/syscall_filter.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct {
    pid_t pid;
    int status; // to the caller
    int setup;  // the child's last words if it cannot even start
    bool killed;
} Job;

typedef struct {
    ChildMain main;
    Sandbox *sandbox;
    int control, signals;
    Job job[FORK_SERVER_JOBS_MAX];
    int jobs;
    InputCache kept;
} Server;

// ---- the child, until its own code takes over ----

// A child has one thread: ThreadSanitizer has nothing to find there, and need not watch. It wants to be told
// when that is over, at the latest when the process ends.
#if BUILD_TSAN
void __tsan_ignore_thread_begin(void);
void __tsan_ignore_thread_end(void);
static bool unwatched;
static void watch_nothing(void) {
    __tsan_ignore_thread_begin();
    unwatched = true;
}
static void watch_again(void) {
    if (unwatched) __tsan_ignore_thread_end();
    unwatched = false;
}
#else
static void watch_nothing(void) {}
static void watch_again(void) {}
#endif

_Noreturn void child_end(int code) {
    watch_again();
    _exit(code);
}

static _Noreturn void child_give_up(int setup, const char *what) {
    char text[256];
    int n = snprintf(text, sizeof text, "%s: %s", what, strerror(errno));
    (void)!write(setup, text, n < (int)sizeof text ? (size_t)n : sizeof text - 1);
    _exit(1);
}

// Whether old memory is still in reach is told by words that look like addresses (arena_points_behind): the
// arena has the same ones in every run, below what a system places elsewhere, so that no verdict follows from
// chance.
static void *arena_place(void) {
    enum { ARENA_AT_GIB = 0x7e90 << 2 };
    return (void *)((uintptr_t)ARENA_AT_GIB << 30);
}

static void *child_map(void *at, size_t bytes, int setup, const char *what) {
    if (!bytes) return NULL;
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    void *p = mmap(at, bytes, PROT_READ | PROT_WRITE, flags, -1, 0);
    if (p == MAP_FAILED) child_give_up(setup, what);
    return p;
}

// What is only read is private, because older kernels refuse even a read-only shared mapping of a sealed
// file; the pages are shared all the same.
static void *file_map(int fd, size_t bytes, int protection, int setup, const char *what) {
    if (!bytes) return NULL;
    void *p = mmap(NULL, bytes, protection, protection & PROT_WRITE ? MAP_SHARED : MAP_PRIVATE, fd, 0);
    if (p == MAP_FAILED) child_give_up(setup, what);
    return p;
}

// Memory for all parts, one after the other: what they use lies at the same place, and is touched once. What
// is sparse has been written by those before.
static void memory_map(const JobOrder *order, ChildJob *job, int setup) {
    enum { APART = 32 };
    const size_t step = (size_t)APART << 30;
    size_t most = 0, alone = order->parts == 1 ? order->part[0].sparse_bytes : 0;
    for (int k = 0; k < order->parts; k++) {
        const PartOrder *p = &order->part[k];
        if (p->arena_bytes - p->sparse_bytes > most) most = p->arena_bytes - p->sparse_bytes;
    }
    char *memory = child_map(arena_place(), most + alone, setup, "memory");
    // A hint: page faults were a third of a short verdict's time. A few bytes here and there, as in sparse
    // tensors, would each clear a large page.
    if (memory) (void)madvise(memory, most, MADV_HUGEPAGE);
    char *place = (char *)arena_place() + (most / step + 1) * step;
    for (int k = 0; k < order->parts; k++) {
        size_t bytes = order->part[k].sparse_bytes;
        job[k].arena = memory;
        job[k].sparse = memory ? (uint8_t *)memory + most : NULL;
        if (!bytes) continue;
        char *sparse = alone ? memory + most : child_map(place, bytes, setup, "memory");
        place = sparse + bytes;
        (void)madvise(sparse, bytes, MADV_NOHUGEPAGE);
        arena_show(sparse, bytes); // an earlier job may have had other memory there
        job[k].sparse = (uint8_t *)sparse;
    }
}

static void jobs_map(const JobOrder *order, const int *fd, const uint8_t *kept, ChildJob *job, int setup) {
    const uint8_t *asked =
        file_map(fd[JOB_FD_JOB], order->stride * (size_t)order->parts, PROT_READ, setup, "source");
    uint8_t *output =
        file_map(fd[JOB_FD_OUTPUT], order->output_bytes, PROT_READ | PROT_WRITE, setup, "outputs");
    for (int k = 0; k < order->parts; k++) {
        const PartOrder *p = &order->part[k];
        job[k] = (ChildJob){.draw_bytes = p->draw_bytes,
                            .job = asked + (size_t)k * order->stride,
                            .job_bytes = order->job_bytes,
                            .output = p->output_bytes ? output + p->output_at : NULL,
                            .output_bytes = p->output_bytes,
                            .arena_bytes = p->arena_bytes,
                            .report_fd = SANDBOX_FD,
                            .next = k + 1 < order->parts ? &job[k + 1] : NULL};
        job[k].draw = kept ? kept : file_map(fd[JOB_FD_DRAW + k], p->draw_bytes, PROT_READ, setup, "inputs");
    }
    memory_map(order, job, setup);
}

static _Noreturn void child_start(Server *s, const JobOrder *order, const int *fd, const uint8_t *kept,
                                  int setup, pid_t fork_server) {
    prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    if (getppid() != fork_server) _exit(1);

    input_cache_forget(&s->kept, kept);
    ChildJob job[JOB_PARTS_MAX];
    jobs_map(order, fd, kept, job, setup);

    // One thread cannot use more processor time than wall time: this only fires when nobody watches the
    // clock.
    double wall = order->wall_seconds > 0 && order->wall_seconds < 1e6 ? order->wall_seconds : 1e6;
    struct rlimit cpu = {(rlim_t)wall + 2, (rlim_t)wall + 4};
    if (setrlimit(RLIMIT_CPU, &cpu) != 0) child_give_up(setup, "processor time limit");

    Err e = {0};
    watch_nothing();
    if (!sandbox_enter(s->sandbox, fd[JOB_FD_REPORT], &e)) {
        if (write(setup, e.msg, strlen(e.msg)) > 0) child_end(1);
        kill(getpid(), SIGKILL); // too late to say why; SIGKILL is never blamed on the candidate
    }
    child_end(s->main(job));
}

// ---- the fork server ----

static void job_answer(int status, const JobEnd *end) {
    // A caller that has gone away is no trouble of ours; one packet always fits.
    (void)!send(status, end, sizeof *end, MSG_NOSIGNAL | MSG_DONTWAIT);
    close(status);
}

static void job_refuse(int status, const char *why) {
    JobEnd end = {.started = false};
    snprintf(end.why, sizeof end.why, "%s: %s", why, strerror(errno));
    job_answer(status, &end);
}

static void job_start(Server *s, const JobOrder *order, const int *fd) {
    int setup[2] = {-1, -1};
    errno = EAGAIN;
    if (s->jobs == FORK_SERVER_JOBS_MAX) return job_refuse(fd[JOB_FD_STATUS], "too many children");
    if (pipe2(setup, O_CLOEXEC | O_NONBLOCK) != 0) return job_refuse(fd[JOB_FD_STATUS], "pipe");

    for (int k = 0; k < order->parts; k++)
        arena_hide(arena_place(), order->part[k].arena_bytes - order->part[k].sparse_bytes);
    const uint8_t *kept =
        input_cache_get(&s->kept, order->draw_key, fd[JOB_FD_DRAW], order->part[0].draw_bytes);
    pid_t self = getpid(), pid = fork();
    if (pid == 0) child_start(s, order, fd, kept, setup[1], self);
    int error = errno;
    close(setup[1]);
    if (pid < 0) {
        close(setup[0]);
        errno = error;
        return job_refuse(fd[JOB_FD_STATUS], "fork");
    }
    s->job[s->jobs++] = (Job){.pid = pid, .status = fd[JOB_FD_STATUS], .setup = setup[0]};
}

static void job_end(Server *s, Job *j, int wait_status, const struct rusage *used) {
    JobEnd end = {.started = true, .wait_status = wait_status};
    end.cpu_seconds = (double)(used->ru_utime.tv_sec + used->ru_stime.tv_sec) +
                      (double)(used->ru_utime.tv_usec + used->ru_stime.tv_usec) * 1e-6;
    // The child closes its end before its own code runs, so whatever is here was said by us.
    ssize_t n = read(j->setup, end.why, sizeof end.why - 1);
    if (n > 0) end.started = false;
    end.why[n > 0 ? n : 0] = 0;
    close(j->setup);
    job_answer(j->status, &end);
    *j = s->job[--s->jobs];
}

static void reap(Server *s) {
    struct signalfd_siginfo info[16];
    while (read(s->signals, info, sizeof info) > 0) {}
    for (;;) {
        int wait_status;
        struct rusage used;
        pid_t pid = wait4(-1, &wait_status, WNOHANG, &used);
        if (pid <= 0) return;
        for (int i = 0; i < s->jobs; i++)
            if (s->job[i].pid == pid) {
                job_end(s, &s->job[i], wait_status, &used);
                break;
            }
    }
}

// Takes one job off the control socket. False when the parent has gone.
static bool job_take(Server *s) {
    JobOrder order;
    int fd[JOB_FDS_MAX];
    union {
        struct cmsghdr align;
        char bytes[CMSG_SPACE(sizeof fd)];
    } control;
    struct iovec part = {&order, sizeof order};
    struct msghdr msg = {.msg_iov = &part,
                         .msg_iovlen = 1,
                         .msg_control = control.bytes,
                         .msg_controllen = sizeof control.bytes};
    ssize_t got = recvmsg(s->control, &msg, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
    if (got < 0) return errno == EAGAIN || errno == EINTR || errno == EMFILE || errno == ENOMEM;
    if (got == 0) return false;

    struct cmsghdr *c = CMSG_FIRSTHDR(&msg);
    int fds = 0;
    if (c && c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS) {
        fds = (int)((c->cmsg_len - CMSG_LEN(0)) / sizeof(int));
        if (fds > JOB_FDS_MAX) fds = JOB_FDS_MAX;
        memcpy(fd, CMSG_DATA(c), (size_t)fds * sizeof(int));
    }
    // Fewer descriptors than sent: our table is full. The caller sees its status socket close.
    bool whole =
        got == sizeof order && fds == order_fds(&order) && !(msg.msg_flags & (MSG_TRUNC | MSG_CTRUNC));
    if (whole) job_start(s, &order, fd);
    for (int i = 0; i < fds; i++)
        if (!whole || i != JOB_FD_STATUS) close(fd[i]);
    return true;
}

static void serve(Server *s) {
    static struct pollfd at[2 + FORK_SERVER_JOBS_MAX];
    for (;;) {
        int watched = s->jobs;
        at[0] = (struct pollfd){.fd = s->control, .events = POLLIN};
        at[1] = (struct pollfd){.fd = s->signals, .events = POLLIN};
        for (int i = 0; i < watched; i++)
            at[2 + i] = (struct pollfd){.fd = s->job[i].killed ? -1 : s->job[i].status, .events = POLLIN};
        if (poll(at, (nfds_t)(2 + watched), -1) < 0) {
            if (errno == EINTR || errno == ENOMEM) continue;
            return;
        }
        // A pid is ours until we reap it, so the order matters: kill by pid first, reap afterwards.
        for (int i = 0; i < watched; i++)
            if (at[2 + i].revents) {
                s->job[i].killed = true;
                kill(s->job[i].pid, SIGKILL);
            }
        if (at[1].revents) reap(s);
        if (at[0].revents && !job_take(s)) return;
    }
}

static bool server_open(Server *s, Err *e) {
    sigset_t children;
    sigemptyset(&children);
    sigaddset(&children, SIGCHLD);
    if (!sandbox_prepare(&s->sandbox, e)) return false;
    // The probe waits for its own child, so it comes before SIGCHLD is ours.
    if (!sandbox_probe(s->sandbox, e)) return false;
    if (sigprocmask(SIG_SETMASK, &children, NULL) != 0)
        return err_set(e, ERR_IO, "fork server: signal mask: %s", strerror(errno));
    s->signals = signalfd(-1, &children, SFD_CLOEXEC | SFD_NONBLOCK);
    if (s->signals < 0) return err_set(e, ERR_IO, "fork server: signalfd: %s", strerror(errno));
    return true;
}

// What a child that was taken over could read: a fork copies all of this process. The parent had secrets only
// in its environment at this point.
static void forget(void) {
    isa_level();
    child_prepare();
    for (char **v = environ; v && *v; v++) memset(*v, 0, strlen(*v));
    environ = NULL;
}

_Noreturn void fork_server_serve(ChildMain main, int control) {
    static Server s;
    s.main = main;
    // Its own session: a Ctrl-C is for the parent, who decides what is left half-done.
    setsid();
    prctl(PR_SET_NAME, "fork-server", 0, 0, 0);
    for (int sig = 1; sig < NSIG; sig++) signal(sig, SIG_DFL);
    // Nothing inherited stays open: neither the descriptors of an older fork server, whose end would then not
    // be seen, nor standard output, whose reader waits for its end. Standard error stays, for a sanitizer's
    // words.
    if (control != SANDBOX_FD && dup2(control, SANDBOX_FD) < 0) _exit(1);
    fcntl(SANDBOX_FD, F_SETFD, FD_CLOEXEC);
    s.control = SANDBOX_FD;
    closefrom(SANDBOX_FD + 1);
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (null >= 0) {
        dup2(null, 0);
        dup2(null, 1);
        close(null);
    }
    forget();

    ForkServerHello hello = {.pid = getpid()};
    hello.ready = server_open(&s, &hello.why);
    if (send(s.control, &hello, sizeof hello, MSG_NOSIGNAL) == (ssize_t)sizeof hello && hello.ready)
        serve(&s);
    for (int i = 0; i < s.jobs; i++) kill(s.job[i].pid, SIGKILL);
    _exit(hello.ready ? 0 : 1);
}
