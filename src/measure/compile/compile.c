#include "measure/compile/compile.h"
#include "base/clock.h"
#include "base/io.h"
#include "base/numeric/rng.h"
#include "measure/compile/compile_cache.h"
#include "measure/compile/compile_worker.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <unistd.h>

enum {
    USUAL_TIMEOUT_MS = 60000,
    USUAL_RECYCLE = 256,
    USUAL_RECHECK = 100,
    WORKERS_MAX = 64,
    TRIES = 2,
    LOST_MOST = 3
};

struct Compilers {
    CompileOptions o;
    CompilePython python;
    char root[256]; // of the workers' folders
    int lock;       // of that folder
    CompileWorker worker[WORKERS_MAX];
    CompileCounts counts;
    int64_t hits; // counted from a number that was drawn
    int lost;     // workers, one after the other, that ended before they were ready
};

// One call of compilers_run().
typedef struct {
    const RunKernel *kernel;
    Compiled *out;
    Sha256 key;
    bool cached; // it is in the cache, as `known`, and compiled again all the same
    Cubin known;
    int same; // an earlier task with the same key, whose outcome this one has; -1: none
    int tries;
    double begun;
} Task;
typedef struct {
    Compilers *c;
    Arena *a;
    Task *task;
    int *waiting; // indices of tasks, a stack
    int waits, open;
    int at[WORKERS_MAX]; // the task of each worker
} Round;

// ---- opening and closing

// A folder is locked as long as its owner lives. What one left that was killed is removed.
static int folder_lock(const char *path) {
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0 || flock(fd, LOCK_EX | LOCK_NB) == 0) return fd;
    close(fd);
    return -1;
}

static void left_remove(const char *base) {
    Arena a = {0};
    DIR *d = opendir(base);
    for (struct dirent *f; d && (f = readdir(d));) {
        if (strncmp(f->d_name, "compile-", 8) != 0) continue;
        const char *path = arena_printf(&a, "%s/%s", base, f->d_name);
        int lock = folder_lock(path);
        if (lock < 0) continue;
        worker_folder_remove(path);
        close(lock);
    }
    if (d) closedir(d);
    arena_free(&a);
}

static bool root_make(Compilers *c, Err *e) {
    const char *base = c->o.cache ? c->o.cache : getenv("TMPDIR");
    if (c->o.cache && !io_make_dirs(c->o.cache, e)) return false;
    if (c->o.cache) left_remove(c->o.cache);
    int n = snprintf(c->root, sizeof c->root, "%s/compile-XXXXXX", base && *base ? base : "/tmp");
    if (n < (int)sizeof c->root && mkdtemp(c->root)) {
        c->lock = folder_lock(c->root);
        return true;
    }
    c->root[0] = 0;
    return err_set(e, ERR_IO, "compile workers: a folder in %s: %s", base && *base ? base : "/tmp",
                   strerror(errno));
}

// One worker is started at once: that it can be closed in, and has its Triton, is known then.
static bool first_ready(Compilers *c, Err *e) {
    CompileWorker *w = &c->worker[0];
    if (!worker_start(w, &c->python, c->root, c->o.target.capability, e)) return false;
    for (bool whole = false; !whole;) {
        struct pollfd p = {.fd = w->from, .events = POLLIN};
        double left = w->deadline - clock_seconds();
        if (left <= 0) return err_set(e, ERR_IO, "compile worker: not ready in time");
        if (poll(&p, 1, (int)(left * 1000) + 1) < 0 && errno != EINTR)
            return err_set(e, ERR_IO, "compile worker: %s", strerror(errno));
        if (worker_step(w, &whole)) continue;
        Arena a = {0};
        err_set(e, ERR_IO, "%s: the compile worker has ended: %s", c->python.program,
                worker_last_words(&a, w));
        arena_free(&a);
        return false;
    }
    w->state = WORKER_IDLE;
    return true;
}

bool compilers_open(Arena *a, const CompileOptions *o, Compilers **out, Err *e) {
    Compilers *c = NEW(a, Compilers);
    c->o = *o;
    c->lock = -1;
    if (!c->o.timeout_ms) c->o.timeout_ms = USUAL_TIMEOUT_MS;
    if (!c->o.recycle) c->o.recycle = USUAL_RECYCLE;
    if (!c->o.recheck) c->o.recheck = USUAL_RECHECK;
    c->o.workers = o->workers < 1 ? 1 : o->workers > WORKERS_MAX ? WORKERS_MAX : o->workers;
    for (int i = 0; i < WORKERS_MAX; i++)
        c->worker[i] = (CompileWorker){.pid = -1, .to = -1, .from = -1, .errors = -1};
    signal(SIGPIPE, SIG_IGN); // a worker that has ended is seen by write()
    uint64_t lot;
    if (!rng_entropy(&lot, sizeof lot, e)) return false;
    c->hits = (int64_t)(lot % (uint64_t)c->o.recheck);
    if (compile_python_find(a, o->python, &c->python, e) && root_make(c, e) && first_ready(c, e))
        return *out = c, true;
    compilers_close(c);
    return false;
}

void compilers_close(Compilers *c) {
    if (!c) return;
    for (int i = 0; i < WORKERS_MAX; i++) worker_end(&c->worker[i]);
    if (c->root[0]) rmdir(c->root);
    c->root[0] = 0;
    if (c->lock >= 0) close(c->lock);
    c->lock = -1;
}

const char *compilers_versions(const Compilers *c) { return c->python.versions; }
CompileCounts compilers_counts(const Compilers *c) { return c->counts; }

// ---- tasks

static void done(Round *r, Task *t) {
    t->out->elapsed_us = (int64_t)((clock_seconds() - t->begun) * 1e6);
    r->c->counts.compile_us += t->out->elapsed_us;
    r->open--;
}

static void failed(Round *r, Task *t, const char *why, bool timed_out) {
    *t->out = (Compiled){.why = str_of(why), .timed_out = timed_out, .crashed = !timed_out};
    r->c->counts.failed++;
    done(r, t);
}

// The worker has ended, or is made to. Its task is tried once more: by another worker.
static void worker_failed(Round *r, int i, const char *why, bool timed_out) {
    CompileWorker *w = &r->c->worker[i];
    bool works = w->state == WORKER_WORKS;
    r->c->counts.restarts++;
    worker_end(w);
    if (!works) return;
    Task *t = &r->task[r->at[i]];
    if (timed_out || t->tries == TRIES) return failed(r, t, why, timed_out);
    r->waiting[r->waits++] = r->at[i];
}

static bool same_cubin(Arena *scratch, const Cubin *a, const Cubin *b) {
    return str_eq(compile_frame(scratch, a), compile_frame(scratch, b));
}

static bool compiled(Round *r, Task *t, const Cubin *cubin, Err *e) {
    Compilers *c = r->c;
    c->counts.compiled++;
    *t->out = (Compiled){.ok = true, .cubin = *cubin};
    if (t->cached) {
        Arena scratch = {0};
        c->counts.rechecked++;
        c->counts.differed += !same_cubin(&scratch, cubin, &t->known);
        arena_free(&scratch);
    }
    done(r, t);
    return !c->o.cache || compile_cache_keep(c->o.cache, t->key, cubin, e);
}

// A whole frame has come. One that is no answer to what was asked ends its worker.
static bool answered(Round *r, int i, Err *e) {
    CompileWorker *w = &r->c->worker[i];
    Task *t = &r->task[r->at[i]];
    CompileAnswer answer;
    Err why = {0};
    if (w->state == WORKER_WARMS) return r->c->lost = 0, w->state = WORKER_IDLE, true;
    bool ok = compile_answer_read(r->a, buf_str(&w->got), t->kernel, &answer, &why) && answer.id == w->id;
    if (!ok || answer.crashed) {
        const char *text = answer.crashed ? arena_strndup(r->a, answer.why.p, answer.why.len)
                           : why.msg[0]   ? arena_printf(r->a, "%s", why.msg)
                                          : "compile worker: an answer to another question";
        return worker_failed(r, i, text, false), true;
    }
    w->state = WORKER_IDLE;
    if (answer.ok ? !compiled(r, t, &answer.cubin, e) : false) return false;
    if (!answer.ok) {
        *t->out = (Compiled){.why = answer.why};
        r->c->counts.failed++;
        done(r, t);
    }
    if (w->served >= r->c->o.recycle) {
        r->c->counts.restarts++;
        worker_end(w);
    }
    return true;
}

// ---- the round

// Gives waiting tasks to idle workers, and starts as many workers as there is work for.
static bool give(Round *r, Err *e) {
    Compilers *c = r->c;
    int coming = 0;
    for (int i = 0; i < c->o.workers; i++) {
        CompileWorker *w = &c->worker[i];
        coming += w->state == WORKER_WARMS;
        if (w->state != WORKER_IDLE || r->waits == 0) continue;
        Task *t = &r->task[r->at[i] = r->waiting[--r->waits]];
        if (t->tries++ == 0) t->begun = clock_seconds();
        if (!worker_ask(w, t->kernel, c->o.target.capability, c->o.timeout_ms, e))
            return false; // watch() sends
    }
    for (int i = 0; i < c->o.workers && coming < r->waits; i++) {
        CompileWorker *w = &c->worker[i];
        if (w->state != WORKER_NONE) continue;
        if (!worker_start(w, &c->python, c->root, c->o.target.capability, e)) return false;
        coming++;
    }
    return true;
}

static bool step(Round *r, int i, short events, Err *e) {
    CompileWorker *w = &r->c->worker[i];
    bool whole = false, warms = w->state == WORKER_WARMS;
    if (events && !worker_step(w, &whole)) {
        const char *words = worker_last_words(r->a, w);
        worker_failed(r, i, "the compile worker has ended, or answers what was not asked", false);
        return !warms || ++r->c->lost < LOST_MOST ||
               err_set(e, ERR_IO, "%s: the compile worker has ended: %s", r->c->python.program, words);
    }
    if (whole) return answered(r, i, e);
    if (clock_seconds() <= w->deadline) return true;
    if (warms) return err_set(e, ERR_IO, "compile worker: not ready in time");
    const char *why = arena_printf(r->a, "the compiler takes more than %d s", r->c->o.timeout_ms / 1000);
    if (w->state == WORKER_WORKS) worker_failed(r, i, why, true);
    return true;
}

static bool watch(Round *r, Err *e) {
    struct pollfd p[WORKERS_MAX];
    int wait_ms = 1000, workers = r->c->o.workers;
    double now = clock_seconds();
    for (int i = 0; i < workers; i++) {
        const CompileWorker *w = &r->c->worker[i];
        bool sends = w->state == WORKER_WORKS && w->sent < w->request.len;
        p[i] = (struct pollfd){.fd = w->state == WORKER_NONE ? -1 : w->from, .events = POLLIN};
        if (sends && wait_ms > 1) wait_ms = w->sent > 0; // a pipe that is full; its worker reads
        if (w->state == WORKER_WORKS && (w->deadline - now) * 1000 < wait_ms)
            wait_ms = w->deadline > now ? (int)((w->deadline - now) * 1000) + 1 : 0;
    }
    if (poll(p, (nfds_t)workers, wait_ms) < 0 && errno != EINTR)
        return err_set(e, ERR_IO, "compile workers: %s", strerror(errno));
    for (int i = 0; i < workers; i++) {
        const CompileWorker *w = &r->c->worker[i];
        if (w->state == WORKER_NONE) continue;
        bool sends = w->state == WORKER_WORKS && w->sent < w->request.len;
        if (!step(r, i, sends ? POLLOUT : p[i].revents, e)) return false;
    }
    return true;
}

// What the cache has is taken from there; one hit in so many is compiled all the same. Tasks are looked up
// from the last to the first.
static void look_up(Round *r, int n, int i) {
    Compilers *c = r->c;
    Task *t = &r->task[i];
    Arena scratch = {0};
    c->counts.asked++;
    t->key = compile_key(&scratch, t->kernel, c->o.target.capability, c->python.versions);
    arena_free(&scratch);
    t->same = -1;
    for (int k = n - 1; k > i && t->same < 0; k--)
        if (r->task[k].same < 0 && memcmp(&r->task[k].key, &t->key, sizeof t->key) == 0) t->same = k;
    if (t->same >= 0) return;
    t->cached = c->o.cache && compile_cache_find(r->a, c->o.cache, t->key, t->kernel, &t->known);
    c->counts.cache_hits += t->cached;
    if (t->cached && ++c->hits % c->o.recheck) {
        *t->out = (Compiled){.ok = true, .cached = true, .cubin = t->known};
        return;
    }
    r->waiting[r->waits++] = i;
    r->open++;
}

bool compilers_run(Arena *a, Compilers *c, const RunKernel *const *kernel, int n, Compiled *out, Err *e) {
    Arena scratch = {0};
    Round r = {.c = c, .a = a};
    r.task = NEWN(&scratch, Task, (size_t)n + 1);
    r.waiting = NEWN(&scratch, int, (size_t)n + 1);
    for (int i = n; i-- > 0;) { // the first one ends on top
        r.task[i] = (Task){.kernel = kernel[i], .out = &out[i]};
        out[i] = (Compiled){0};
        look_up(&r, n, i);
    }
    bool ok = true;
    while (ok && r.open) ok = give(&r, e) && watch(&r, e);
    for (int i = 0; i < n; i++)
        if (ok && r.task[i].same >= 0) out[i] = out[r.task[i].same];
    // A task that was left undone would have its answer come in the next round.
    for (int i = 0; !ok && i < WORKERS_MAX; i++)
        if (c->worker[i].state == WORKER_WORKS) worker_end(&c->worker[i]);
    arena_free(&scratch);
    return ok;
}
