// children.h - for tests of the fork server: children that do one thing each.
#pragma once
// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on
#include "base/clock.h"
#include "sandbox/fork_server.h"
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <seccomp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { DRAW_BYTES = 10000, OUTPUT_BYTES = 300000, ARENA_BYTES = 8 << 20, CASES = 5 };
static ForkServer *fork_server;
static int draw_fd;
static const char *secret; // where the environment held it when the fork server was forked

// ---- children ----

static inline void put(const ChildJob *j, const void *p, size_t n) { (void)!write(j->report_fd, p, n); }

static inline CaseReport ran(int index) {
    CaseReport r = {.magic = WIRE_MAGIC,
                    .case_index = index,
                    .kind = REPORT_RAN,
                    .output[0].dtype = DT_F32,
                    .output[0].rank = 1};
    r.output[0].shape[0] = 4;
    r.output[0].first_unwritten = -1;
    return r;
}

static inline int child_honest(const ChildJob *j) {
    // To the end of the last page: more than that is not mapped.
    for (size_t i = 0; i < (j->output_bytes + 4095) / 4096 * 4096; i++)
        if (j->output[i]) return 3; // what another candidate left
    for (size_t i = 0; i < j->output_bytes; i++) j->output[i] = (uint8_t)(j->draw[i % j->draw_bytes] + 1);
    for (int i = 0; i < CASES; i++) {
        CaseReport r = ran(i);
        put(j, &r, sizeof r);
    }
    CaseReport done = {.magic = WIRE_MAGIC, .case_index = -1, .kind = REPORT_DONE};
    put(j, &done, sizeof done);
    return 0;
}

// AddressSanitizer takes this memory for unused.
__attribute__((no_sanitize("address"))) static inline int child_touches_all_memory(const ChildJob *j) {
    uint8_t *p = j->arena;
    for (size_t i = 0; i < j->arena_bytes; i++) {
        if (p[i]) return 1;
        p[i] = 0xff;
    }
    return child_honest(j);
}

static inline int child_sees_a_secret(const ChildJob *j) {
    if (environ) return 1;
    for (int i = 0; i < 16; i++)
        if (secret[i]) return 2;
    return child_honest(j);
}

static inline int child_babbles(const ChildJob *j) {
    uint32_t x = 12345;
    uint8_t noise[1000];
    for (size_t i = 0; i < sizeof noise; i++) noise[i] = (uint8_t)((x = x * 1664525 + 1013904223) >> 24);
    put(j, noise, sizeof noise);
    return 0;
}

_Noreturn static void child_floods(const ChildJob *j) {
    for (CaseReport r = ran(0);;) put(j, &r, sizeof r);
}

static inline int child_forges_an_end(void) {
    // What an end looks like to the caller, written to every descriptor that a careless fork server might
    // leave open.
    struct {
        bool started;
        int wait_status;
        double cpu;
        char why[256];
    } end = {true, 0, 0, ""};
    for (long fd = 4; fd < 32; fd++) syscall(SYS_write, fd, &end, sizeof end);
    return 0;
}

_Noreturn static void child_spins(void) {
    for (volatile int i = 0;; i++) {}
}

// Through a volatile, so that the compiler does not reason about the address.
static inline void poke(const void *p) {
    volatile uintptr_t at = (uintptr_t)p;
    *(volatile uint8_t *)at = 1;
}

_Noreturn static void child_runs_out(const ChildJob *j) {
    Arena a;
    arena_over(&a, j->arena, j->arena_bytes);
    for (;;) NEWN(&a, int, 100000); // aborts: no on_full
}

__attribute__((noinline)) static int child_recurses(int depth) {
    volatile uint8_t frame[4096];
    frame[0] = (uint8_t)depth;
    return depth ? child_recurses(depth - 1) + frame[0] : 0;
}

// Each of its jobs, or so many of them; then it dies, if it is to.
static inline int child_of_parts(const ChildJob *j, int most, bool dies) {
    int code = 0;
    for (int i = 0; j && code == 0 && i < most; i++, j = j->next) code = child_honest(j);
    if (dies) poke((void *)8);
    return code;
}

static inline int child_main(const ChildJob *j) {
    const JobHeader *h = (const JobHeader *)j->job;
    if (h->magic != WIRE_MAGIC || h->source_len != j->job_bytes - sizeof *h) return 100;
    CaseReport r = ran(0);
    switch (h->source_len ? (char)j->job[sizeof *h] : 'n') {
    case 'o': return child_honest(j);
    case '*': return child_of_parts(j, JOB_PARTS_MAX, false);
    case '2': return child_of_parts(j, 2, false);
    case 'D': return child_of_parts(j, 2, true);
    case '+': return child_of_parts(j, JOB_PARTS_MAX, false), put(j, &r, sizeof r), 0;
    case 'a': return child_touches_all_memory(j);
    case 'v': return child_sees_a_secret(j);
    case 'n': return 0;
    case 'x': return 42;
    case 'b': return child_babbles(j);
    case 'h': return put(j, &r, sizeof r / 2), 0;
    case 'p': put(j, &r, sizeof r), put(j, &r, sizeof r / 2), child_spins();
    case 'H': return put(j, &r, sizeof r), put(j, &r, sizeof r - 1), 0;
    case 'm': child_floods(j);
    case 'f': return child_forges_an_end();
    case 's': child_spins();
    case 'W': return memset(j->output, 0xff, j->output_bytes), poke((void *)8), 0;
    case 'S': put(j, &r, sizeof r), child_spins();
    case 'c': return poke((void *)8), 0;
    case 'i': return poke(j->draw), 0;
    case 'j': return poke(j->job), 0;
    case 'e': child_runs_out(j);
    case 'r': return child_recurses(1 << 30);
    case 'k': return (int)syscall(SYS_kill, (long)getppid(), (long)SIGKILL);
    case 't': return (int)syscall(SYS_ftruncate, 3L, 0L);
    default: return 101;
    }
}

// ---- helpers ----

// Every second one with inputs that the fork server keeps: a child must not notice.
static inline ForkJob job_of(const char *source) {
    static atomic_uint jobs;
    uint64_t key = atomic_fetch_add(&jobs, 1) % 2;
    return (ForkJob){.draw_fd = draw_fd,
                     .draw_bytes = DRAW_BYTES,
                     .source = str_of(source),
                     .output_bytes = OUTPUT_BYTES,
                     .arena_bytes = ARENA_BYTES,
                     .wall_seconds = FORK_WALL_SECONDS,
                     .max_reports = CASES + 1,
                     .draw_key = key};
}

static inline ChildResult run_job(Arena *a, const ForkJob *job) {
    ChildResult r;
    Err e = {0};
    if (!fork_server_run(fork_server, a, job, &r, &e)) fail_msg("%s", e.msg);
    return r;
}

static inline ChildResult run_source(Arena *a, const char *source) {
    ForkJob job = job_of(source);
    return run_job(a, &job);
}

static inline bool output_right(const ChildResult *r) {
    if (r->output_bytes != OUTPUT_BYTES) return false;
    for (size_t i = 0; i < r->output_bytes; i++)
        if (r->output[i] != (uint8_t)((i % DRAW_BYTES) * 7 + 1)) return false;
    return true;
}

static inline bool done(const ChildResult *r) {
    const char *why;
    return r->end == CHILD_EXITED && r->code == 0 && !r->garbage &&
           wire_check(r->report, r->reports, CASES, 1, &why) == WIRE_DONE;
}

static inline void still_works(void) {
    Arena a = {0};
    ChildResult r = run_source(&a, "o");
    assert_true(done(&r) && output_right(&r));
    child_result_free(fork_server, &r);
    arena_free(&a);
}

// Of a process that exists and is not merely waiting for somebody to take note of its end.
static inline bool parent_of(pid_t pid, pid_t *parent) {
    char path[64], text[512], state;
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    FILE *f = fopen(path, "re");
    size_t got = f ? fread(text, 1, sizeof text - 1, f) : 0;
    if (f) fclose(f);
    text[got] = 0;
    const char *tail = strrchr(text, ')');
    return tail && sscanf(tail, ") %c %d", &state, parent) == 2 && state != 'Z' && state != 'X';
}

// How many processes have this parent and still run; the id of one of them in *last, if there is one that it
// does not hold already.
static inline int children_of(pid_t parent, pid_t *last) {
    pid_t known = last ? *last : 0;
    DIR *d = opendir("/proc");
    int n = 0;
    for (struct dirent *at; d && (at = readdir(d));) {
        if (!isdigit((unsigned char)at->d_name[0])) continue;
        pid_t pid = (pid_t)atoi(at->d_name), its;
        if (!parent_of(pid, &its) || its != parent) continue;
        n++;
        if (last && pid != known) *last = pid;
    }
    if (d) closedir(d);
    return n;
}

static inline void wait_ms(long ms) { nanosleep(&(struct timespec){ms / 1000, ms % 1000 * 1000000}, NULL); }

static inline bool comes_to(pid_t parent, int want, pid_t *last) {
    for (int i = 0; i < 500; i++, wait_ms(10))
        if (children_of(parent, last) == want) return true;
    return false;
}

static inline int memfd_of(const uint8_t *p, size_t n, int seals) {
    int fd = memfd_create("test", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (write(fd, p, n) != (ssize_t)n || (seals && fcntl(fd, F_ADD_SEALS, seals) != 0)) abort();
    return fd;
}
