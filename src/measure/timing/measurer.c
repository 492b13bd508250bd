#include "measure/timing/measurer.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/io.h"
#include "measure/timing/timing.h"

enum { START_SECONDS = 60, WORK_SECONDS = 300, ANSWER_MOST = 64 << 20, KEEPERS = 2 };
enum { FDS_MAX = 3 }; // of a job: its text, its inputs, room for answers
// What a keeper is asked for.
enum { ASK_MEASURER = 'm', ASK_KEEPER = 'k' };

static const size_t answers_kept = (size_t)1 << 30;

struct Measurer {
    int keeper[KEEPERS]; // sockets; the first one forks. -1: it has gone
    pid_t kept[KEEPERS]; // those that were forked here
    int line;            // socket to the measuring process; -1: there is none
    pid_t process;       // its number, as it says itself
    DeviceFacts facts;
    int processes;
    int answer_file; // -1: none; kept from job to job, with its memory: so many bytes at `answers`
    uint8_t *answers;
    size_t answer_bytes;
};

// ---- messages: one byte with file descriptors, or a length and a text

static bool fds_send(int socket, char byte, const int *fd, size_t n) {
    union {
        struct cmsghdr align;
        char bytes[CMSG_SPACE(FDS_MAX * sizeof(int))];
    } data = {0};
    struct iovec part = {&byte, 1};
    struct msghdr msg = {.msg_iov = &part,
                         .msg_iovlen = 1,
                         .msg_control = data.bytes,
                         .msg_controllen = CMSG_SPACE(n * sizeof *fd)};
    struct cmsghdr *c = CMSG_FIRSTHDR(&msg);
    c->cmsg_level = SOL_SOCKET;
    c->cmsg_type = SCM_RIGHTS;
    c->cmsg_len = CMSG_LEN(n * sizeof *fd);
    memcpy(CMSG_DATA(c), fd, n * sizeof *fd);
    ssize_t sent;
    do sent = sendmsg(socket, &msg, MSG_NOSIGNAL);
    while (sent < 0 && errno == EINTR);
    return sent == 1;
}

static bool fds_take(int socket, char *byte, int *fd, size_t n) {
    union {
        struct cmsghdr align;
        char bytes[CMSG_SPACE(FDS_MAX * sizeof(int))];
    } data;
    struct iovec part = {byte, 1};
    struct msghdr msg = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = data.bytes, .msg_controllen = sizeof data.bytes};
    ssize_t got;
    do got = recvmsg(socket, &msg, MSG_CMSG_CLOEXEC);
    while (got < 0 && errno == EINTR);
    struct cmsghdr *c = got == 1 ? CMSG_FIRSTHDR(&msg) : NULL;
    if (!c || c->cmsg_type != SCM_RIGHTS || c->cmsg_len != CMSG_LEN(n * sizeof *fd)) return false;
    memcpy(fd, CMSG_DATA(c), n * sizeof *fd);
    return true;
}

static bool text_send(int socket, Str text) {
    uint64_t n = text.len;
    const struct {
        const char *p;
        size_t n;
    } part[] = {{(const char *)&n, sizeof n}, {text.p, text.len}};
    for (int i = 0; i < 2; i++)
        for (size_t done = 0; done < part[i].n;) {
            ssize_t sent = send(socket, part[i].p + done, part[i].n - done, MSG_NOSIGNAL);
            if (sent < 0 && errno == EINTR) continue;
            if (sent <= 0) return false;
            done += (size_t)sent;
        }
    return true;
}

static bool take(int socket, char *p, size_t n, double deadline) {
    while (n > 0) {
        double left = deadline - clock_seconds();
        struct pollfd at = {.fd = socket, .events = POLLIN};
        if (left <= 0) return false;
        if (poll(&at, 1, (int)(left * 1000) + 1) <= 0) continue;
        ssize_t got = recv(socket, p, n, 0);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return false;
        p += got;
        n -= (size_t)got;
    }
    return true;
}

static bool text_take(Arena *a, int socket, double seconds, Str *out) {
    uint64_t n = 0;
    double deadline = clock_seconds() + seconds;
    if (!take(socket, (char *)&n, sizeof n, deadline) || n > ANSWER_MOST) return false;
    char *p = arena_raw(a, n + 1, 1);
    p[n] = 0;
    *out = (Str){p, n};
    return take(socket, p, n, deadline);
}

// ---- the measuring process

static void say_error(Buf *out, const Err *e) {
    json_put(out, json_pack("{s:o}", "error", json_quoted(str_of(e->msg))));
}

static bool map_file(int fd, size_t bytes, int protection, uint8_t **out, Err *e) {
    void *p = bytes ? mmap(NULL, bytes, protection, MAP_SHARED, fd, 0) : NULL;
    if (p == MAP_FAILED) return err_set(e, ERR_IO, "cannot map %zu bytes: %s", bytes, strerror(errno));
    *out = p;
    return true;
}

// A file's memory. While it is mapped no other file has its number.
typedef struct {
    uint8_t *at;
    dev_t device;
    ino_t number;
    size_t bytes;
    int64_t used; // by which job
} Mapping;

// What the process keeps from job to job: mappings, since memory that is touched again costs less than new
// memory. Kernels of one op meet the same inputs, a file for each shape.
enum { MAPPINGS = 12 };
static const size_t mapped_most = (size_t)1 << 30; // of inputs
typedef struct {
    Mapping inputs[MAPPINGS], answers;
    int64_t jobs;
    TimingKept timing;
} Kept;

static void unmap(Mapping *m) {
    if (m->at) munmap(m->at, m->bytes);
    *m = (Mapping){0};
}

// Maps the file unless it is mapped there already.
static bool mapping_of(Mapping *m, int fd, const struct stat *s, int protection, Err *e) {
    if (m->at && m->device == s->st_dev && m->number == s->st_ino && m->bytes == (size_t)s->st_size)
        return true;
    unmap(m);
    *m = (Mapping){.device = s->st_dev, .number = s->st_ino, .bytes = (size_t)s->st_size};
    return map_file(fd, m->bytes, protection, &m->at, e);
}

// The place of an input file among those that are kept, its own or that of the one used longest ago, which
// goes. So do others while all of them hold too much.
static Mapping *place_for(Kept *k, const struct stat *s) {
    size_t all = (size_t)s->st_size;
    for (;;) {
        Mapping *own = NULL, *oldest = NULL;
        size_t sum = 0;
        for (Mapping *m = k->inputs; m < k->inputs + MAPPINGS; m++) {
            if (m->at && m->device == s->st_dev && m->number == s->st_ino) own = m;
            if (!m->at && !own) own = m;
            if (m->at && (!oldest || m->used < oldest->used)) oldest = m;
            sum += m->bytes;
        }
        if (own && own->at) return own;
        if (own && (!oldest || sum + all <= mapped_most)) return own;
        unmap(oldest);
    }
}

static bool stat_of(int fd, struct stat *s, Err *e) {
    return fstat(fd, s) == 0 || err_set(e, ERR_IO, "a job's files: %s", strerror(errno));
}

static bool files_map(Kept *k, const int fd[FDS_MAX], Mapping *job, Mapping **inputs, Err *e) {
    struct stat s[FDS_MAX];
    for (int i = 0; i < FDS_MAX; i++)
        if (!stat_of(fd[i], &s[i], e)) return false;
    *inputs = place_for(k, &s[1]);
    (*inputs)->used = ++k->jobs;
    return mapping_of(job, fd[0], &s[0], PROT_READ, e) && mapping_of(*inputs, fd[1], &s[1], PROT_READ, e) &&
           mapping_of(&k->answers, fd[2], &s[2], PROT_READ | PROT_WRITE, e);
}

// True while the device is well.
static bool work(Device *d, Buf *out, Kept *k, const int fd[FDS_MAX]) {
    Arena a = {0};
    Err e = {0};
    TimingJob job;
    TimingResult r = {0};
    Mapping text = {0}, *inputs;
    bool ok = files_map(k, fd, &text, &inputs, &e), well = true;
    ok = ok && timing_job_read(&a, (Str){(char *)text.at, text.bytes}, (int64_t)inputs->bytes, &job, &e);
    if (ok && timing_answer_at(&job, job.contenders, 0) > (int64_t)k->answers.bytes)
        ok = err_set(&e, ERR_INPUT, "timing job: no room for its answers");
    ok = ok && timing_run(&a, d, &job, &(TimingMemory){inputs->at, k->answers.at, &k->timing}, &r, &e);
    for (int i = 0; i < r.contenders; i++) well &= !timed_lost(r.contender[i].end);
    if (ok)
        timing_result_write(out, &r);
    else
        say_error(out, &e);
    unmap(&text);
    arena_free(&a);
    return ok && well;
}

static void say_facts(Buf *out, const DeviceFacts *f) {
    json_put(out, json_pack("{s:i,s:o,s:i,s:i,s:i,s:i,s:i,s:i,s:i,s:i,s:I,s:I,s:I}", "pid", (int)getpid(),
                            "name", json_quoted(str_of(f->name)), "version", f->version, "major", f->major,
                            "minor", f->minor, "processors", f->processors, "sm_khz", f->sm_khz, "memory_khz",
                            f->memory_khz, "bus_bits", f->bus_bits, "shared_most", f->shared_most, "l2_bytes",
                            (json_int_t)f->l2_bytes, "memory_bytes", (json_int_t)f->memory_bytes,
                            "free_bytes", (json_int_t)f->free_bytes));
}

// The context of a device that is not well any more is left to the end of the process: giving it back may
// wait for ever.
static _Noreturn void measure(int line, const char *library) {
    Arena a = {0};
    Err e = {0};
    Device d;
    Kept kept = {0};
    Buf out = BUF(&a);
    bool well = device_open(library, &d, &e);
    if (well)
        say_facts(&out, &d.facts);
    else
        say_error(&out, &e);
    int fd[FDS_MAX];
    char asked;
    while (text_send(line, buf_str(&out)) && well && fds_take(line, &asked, fd, FDS_MAX)) {
        out.len = 0;
        well = work(&d, &out, &kept, fd);
        for (int i = 0; i < FDS_MAX; i++) close(fd[i]);
    }
    _exit(0);
}

static _Noreturn void keep(int socket, const char *library) {
    enum { FIRST = 3 };
    setsid();
    prctl(PR_SET_NAME, "gpu keeper", 0, 0, 0);
    for (int sig = 1; sig < NSIG; sig++) signal(sig, SIG_DFL);
    struct sigaction none = {.sa_handler = SIG_DFL, .sa_flags = SA_NOCLDWAIT};
    sigaction(SIGCHLD, &none, NULL);
    if (socket != FIRST && dup2(socket, FIRST) < 0) _exit(1);
    closefrom(FIRST + 1);
    // Standard output is not ours; whatever opens files later shall not get its number.
    int null = open("/dev/null", O_RDWR);
    if (null < 0 || dup2(null, 0) < 0 || dup2(null, 1) < 0) _exit(1);
    close(null);
    char asked;
    for (int line; fds_take(FIRST, &asked, &line, 1); close(line)) {
        if (fork() != 0) continue;
        if (asked == ASK_KEEPER) { // it is one itself from here on
            setsid();
            if (dup2(line, FIRST) < 0) _exit(1);
            continue;
        }
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        prctl(PR_SET_NAME, "measurer", 0, 0, 0);
        close(FIRST);
        measure(line, library);
    }
    _exit(0);
}

// ---- whoever measures

static bool sockets_make(int pair[2], Err *e) {
    return socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) == 0 ||
           err_set(e, ERR_IO, "measuring: socket: %s", strerror(errno));
}

static bool keeper_start(Measurer *m, int i, const char *library, Err *e) {
    int pair[2];
    if (!sockets_make(pair, e)) return false;
    m->kept[i] = fork();
    if (m->kept[i] == 0) keep(pair[1], library);
    int error = errno;
    close(pair[1]);
    m->keeper[i] = pair[0];
    return m->kept[i] > 0 || err_set(e, ERR_IO, "measuring: fork: %s", strerror(error));
}

bool measurer_open(const char *library, Measurer **out, Err *e) {
    Measurer *m = calloc(1, sizeof *m);
    if (!m) abort();
    *m = (Measurer){.keeper = {-1, -1}, .line = -1, .answer_file = -1};
    bool ok = true;
    for (int i = 0; i < KEEPERS && ok; i++) ok = keeper_start(m, i, library, e);
    if (ok)
        *out = m;
    else
        measurer_close(m);
    return ok;
}

static bool keeper_lives(int keeper) {
    char byte;
    return keeper >= 0 && recv(keeper, &byte, 1, MSG_PEEK | MSG_DONTWAIT) < 0 && errno == EAGAIN;
}

// One that was killed has another one in its place. False: all of them were.
static bool keepers_ready(Measurer *m) {
    int pair[2];
    Err e = {0};
    for (int i = 0; i < KEEPERS; i++) {
        if (m->keeper[i] < 0 || keeper_lives(m->keeper[i])) continue;
        close(m->keeper[i]);
        m->keeper[i] = -1;
    }
    if (m->keeper[0] < 0) {
        m->keeper[0] = m->keeper[1];
        m->keeper[1] = -1;
    }
    if (m->keeper[0] < 0) return false;
    if (m->keeper[1] >= 0 || !sockets_make(pair, &e)) return true;
    bool asked = fds_send(m->keeper[0], ASK_KEEPER, &pair[1], 1);
    close(pair[1]);
    if (asked)
        m->keeper[1] = pair[0];
    else
        close(pair[0]);
    return true;
}

static void answers_drop(Measurer *m) {
    if (m->answers) munmap(m->answers, m->answer_bytes);
    if (m->answer_file >= 0) close(m->answer_file);
    m->answers = NULL;
    m->answer_file = -1;
}

static void process_drop(Measurer *m) {
    if (m->line < 0) return;
    close(m->line);
    m->line = -1;
    if (m->process > 1) kill(m->process, SIGKILL);
    m->process = 0;
}

void measurer_close(Measurer *m) {
    if (!m) return;
    process_drop(m);
    answers_drop(m);
    for (int i = 0; i < KEEPERS; i++)
        if (m->keeper[i] >= 0) close(m->keeper[i]);
    for (int i = 0; i < KEEPERS; i++)
        while (m->kept[i] > 0 && waitpid(m->kept[i], NULL, 0) < 0 && errno == EINTR) {}
    free(m);
}

static bool facts_read(Measurer *m, Str text, Err *e) {
    Json j;
    DeviceFacts *f = &m->facts;
    Str error = {0}, name = {0};
    int64_t pid = 0, version = 0, n[7] = {0};
    static const char *const key[] = {"major",      "minor",    "processors", "sm_khz",
                                      "memory_khz", "bus_bits", "shared_most"};
    bool ok = json_parse("a measuring process", text, &j, e) && json_get_text(&j, j.root, "error", &error);
    if (ok && error.len) ok = err_set(e, ERR_IO, "%.*s", STR_ARG(error));
    ok = ok && json_get_text(&j, j.root, "name", &name) &&
         json_get_int(&j, j.root, "pid", 2, INT32_MAX, &pid) &&
         json_get_int(&j, j.root, "version", 0, INT32_MAX, &version) &&
         json_get_int(&j, j.root, "l2_bytes", 0, INT64_MAX, &f->l2_bytes) &&
         json_get_int(&j, j.root, "memory_bytes", 0, INT64_MAX, &f->memory_bytes) &&
         json_get_int(&j, j.root, "free_bytes", 0, INT64_MAX, &f->free_bytes);
    for (int i = 0; i < 7 && ok; i++) ok = json_get_int(&j, j.root, key[i], 0, INT32_MAX, &n[i]);
    int *const to[] = {&f->major,      &f->minor,    &f->processors, &f->sm_khz,
                       &f->memory_khz, &f->bus_bits, &f->shared_most};
    for (int i = 0; i < 7; i++) *to[i] = (int)n[i];
    f->version = (int)version;
    m->process = (pid_t)pid;
    if (ok) snprintf(f->name, sizeof f->name, "%.*s", (int)(name.len < 95 ? name.len : 95), name.p);
    json_close(&j);
    return ok;
}

static bool process_start(Measurer *m, Err *e) {
    int pair[2];
    bool keepers = keepers_ready(m);
    if (m->line >= 0) return true;
    if (!keepers)
        return err_set(e, ERR_IO, "the processes that start measuring have ended; start ouroboros again");
    if (!sockets_make(pair, e)) return false;
    bool asked = fds_send(m->keeper[0], ASK_MEASURER, &pair[1], 1);
    close(pair[1]);
    m->line = pair[0];
    m->processes++;
    Arena a = {0};
    Str text;
    bool ok = asked && text_take(&a, m->line, START_SECONDS, &text);
    if (!ok) err_record(e, ERR_IO, "the measuring process does not start");
    ok = ok && facts_read(m, text, e);
    arena_free(&a);
    if (!ok) process_drop(m);
    return ok;
}

bool measurer_facts(Measurer *m, DeviceFacts *out, Err *e) {
    if (!process_start(m, e)) return false;
    *out = m->facts;
    return true;
}

void measurer_renew(Measurer *m) { process_drop(m); }

int measurer_processes(const Measurer *m) { return m->processes; }

pid_t measurer_process(const Measurer *m) { return m->process; }

static bool memory_file(const char *name, Str text, size_t bytes, int *out, Err *e) {
    int fd = memfd_create(name, MFD_CLOEXEC);
    if (fd < 0 || ftruncate(fd, (off_t)bytes) != 0) {
        int error = errno;
        if (fd >= 0) close(fd);
        return err_set(e, ERR_IO, "%s: %s", name, strerror(error));
    }
    *out = fd;
    return text.len == 0 || io_write_all(fd, text.p, text.len, e);
}

static bool ask(Arena *a, Measurer *m, const int fd[FDS_MAX], TimingResult *out, Err *e) {
    Str text;
    if (!process_start(m, e)) return false;
    double from = clock_seconds();
    if (!fds_send(m->line, ASK_MEASURER, fd, FDS_MAX) || !text_take(a, m->line, WORK_SECONDS, &text)) {
        process_drop(m);
        return clock_seconds() - from < WORK_SECONDS
                   ? err_set(e, ERR_IO, "the measuring process has ended")
                   : err_set(e, ERR_IO, "the measuring process did not answer in %d seconds", WORK_SECONDS);
    }
    Json j;
    Str error = {0};
    bool ok = json_parse("a measuring process", text, &j, e) && json_get_text(&j, j.root, "error", &error);
    if (ok && error.len) ok = err_set(e, ERR_IO, "%.*s", STR_ARG(error));
    json_close(&j);
    ok = ok && timing_result_read(a, text, out, e);
    bool well = ok;
    for (int i = 0; ok && i < out->contenders; i++) well &= !timed_lost(out->contender[i].end);
    if (!well) process_drop(m); // it has ended by itself
    return ok;
}

// Memory for the answers of a job: that of the last one where it suffices. What stands there of other jobs
// must not pass for an answer: none is right with such bytes in each of its pages.
static bool answers_ready(Measurer *m, const TimingJob *job, Err *e) {
    enum { PAGE = 4096, MARKED = 64 };
    size_t bytes = (size_t)timing_answer_at(job, job->contenders, 0);
    if (!m->answers || m->answer_bytes < bytes || m->answer_bytes > answers_kept) {
        answers_drop(m);
        m->answer_bytes = bytes;
        return memory_file("answers", (Str){0}, bytes, &m->answer_file, e) &&
               map_file(m->answer_file, bytes, PROT_READ | PROT_WRITE, &m->answers, e);
    }
    for (int c = 0; c < job->contenders; c++) {
        size_t at = (size_t)timing_answer_at(job, c, 0), end = (size_t)timing_answer_at(job, c + 1, 0);
        for (; job->contender[c].compared && at < end; at += PAGE) memset(m->answers + at, 0xff, MARKED);
    }
    return true;
}

bool measurer_run(Arena *a, Measurer *m, const TimingJob *job, int inputs, Measured *out, Err *e) {
    *out = (Measured){0};
    int fd[FDS_MAX] = {-1, inputs, -1};
    Arena scratch = {0};
    Buf text = BUF(&scratch);
    timing_job_write(&text, job);
    bool ok = memory_file("timing job", buf_str(&text), text.len, &fd[0], e);
    arena_free(&scratch);
    ok = ok && answers_ready(m, job, e);
    fd[FDS_MAX - 1] = m->answer_file;
    ok = ok && ask(a, m, fd, &out->result, e);
    if (fd[0] >= 0) close(fd[0]);
    out->answers = m->answers;
    if (ok && out->result.contenders != job->contenders)
        return err_set(e, ERR_INPUT, "a measuring process tells of other contenders");
    return ok;
}
