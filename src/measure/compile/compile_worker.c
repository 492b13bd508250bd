#include "measure/compile/compile_worker.h"
#include "base/clock.h"
#include "measure/compile/compile_sandbox.h"
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/wait.h>
#include <unistd.h>

enum { WARM_SECONDS = 180 };

// ---- start

typedef struct {
    const CompileSandbox *sandbox;
    const char *folder, *program;
    const char *const *argv, *const *environment;
    int in, out, errors;
} Start;

// After a fork: system calls only. Its group is its own, so that it ends with all that it has started.
static _Noreturn void child(const Start *s) {
    for (int sig = 1; sig < NSIG; sig++) signal(sig, SIG_DFL);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    setpgid(0, 0);
    bool ok = chdir(s->folder) == 0 && dup2(s->in, 0) >= 0 && dup2(s->out, 1) >= 0 && dup2(s->errors, 2) >= 0;
    if (ok && compile_sandbox_enter(s->sandbox))
        execve(s->program, (char *const *)(uintptr_t)s->argv, (char *const *)(uintptr_t)s->environment);
    static const char text[] = "the sandbox cannot be entered\n";
    (void)!write(2, text, sizeof text - 1);
    _exit(126);
}

static bool spawn(CompileWorker *w, Start *s, Err *e) {
    int to[2] = {-1, -1}, from[2] = {-1, -1};
    w->errors = memfd_create("worker", MFD_CLOEXEC);
    bool ok = w->errors >= 0 && pipe2(to, O_CLOEXEC) == 0 && pipe2(from, O_CLOEXEC) == 0;
    s->in = to[0];
    s->out = from[1];
    s->errors = w->errors;
    w->pid = ok ? fork() : -1;
    if (w->pid == 0) child(s);
    int error = errno;
    if (w->pid > 0) setpgid(w->pid, w->pid); // whoever is first
    if (to[0] >= 0) close(to[0]);
    if (from[1] >= 0) close(from[1]);
    w->to = to[1];
    w->from = from[0];
    if (w->pid > 0) return fcntl(w->to, F_SETFL, O_NONBLOCK) == 0 && fcntl(w->from, F_SETFL, O_NONBLOCK) == 0;
    return err_set(e, ERR_IO, "compile worker: %s", strerror(error));
}

bool worker_start(CompileWorker *w, const CompilePython *p, const char *root, int capability, Err *e) {
    *w = (CompileWorker){.state = WORKER_NONE, .pid = -1, .to = -1, .from = -1, .errors = -1};
    Arena a = {0};
    CompileSandbox *sandbox = NULL;
    int n = snprintf(w->folder, sizeof w->folder, "%s/worker-XXXXXX", root);
    bool ok =
        (n < (int)sizeof w->folder && mkdtemp(w->folder)) ||
        (w->folder[0] = 0, err_set(e, ERR_IO, "compile worker: a folder in %s: %s", root, strerror(errno)));
    const CompileFiles files = {p->read, p->run, w->folder};
    const char *const argv[] = {
        p->program, "-B", "-c", compile_worker_text(), w->folder, arena_printf(&a, "%d", capability), NULL};
    const char *const environment[] = {arena_printf(&a, "PYTHONPATH=%s", p->path),
                                       arena_printf(&a, "HOME=%s", w->folder),
                                       arena_printf(&a, "TMPDIR=%s", w->folder),
                                       arena_printf(&a, "TRITON_CACHE_DIR=%s", w->folder),
                                       "PATH=/nowhere",
                                       "LANG=C.UTF-8",
                                       "PYTHONHASHSEED=0",
                                       "TRITON_DISABLE_LINE_INFO=1", // paths in cubins would differ
                                       "TRITON_STORE_BINARY_ONLY=1",
                                       NULL};
    Start s = {.folder = w->folder, .program = p->program, .argv = argv, .environment = environment};
    ok = ok && compile_sandbox_make(&files, &sandbox, e);
    s.sandbox = sandbox;
    ok = ok && spawn(w, &s, e);
    compile_sandbox_free(sandbox);
    arena_free(&a);
    if (!ok) return worker_end(w), false;
    w->state = WORKER_WARMS;
    w->deadline = clock_seconds() + WARM_SECONDS;
    w->got = BUF(&w->memory);
    return true;
}

// ---- the end

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *at) {
    (void)st, (void)at;
    if (kind == FTW_DP)
        (void)!rmdir(path);
    else
        (void)!unlink(path);
    return 0;
}

void worker_folder_remove(const char *folder) { nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS); }

void worker_end(CompileWorker *w) {
    if (w->pid > 0) {
        kill(-w->pid, SIGKILL); // it cannot leave its group
        kill(w->pid, SIGKILL);
        while (waitpid(w->pid, NULL, 0) < 0 && errno == EINTR) {}
        kill(-w->pid, SIGKILL);
    }
    if (w->to >= 0) close(w->to);
    if (w->from >= 0) close(w->from);
    if (w->errors >= 0) close(w->errors);
    if (w->folder[0]) worker_folder_remove(w->folder);
    arena_free(&w->memory);
    *w = (CompileWorker){.pid = -1, .to = -1, .from = -1, .errors = -1};
}

const char *worker_last_words(Arena *a, const CompileWorker *w) {
    char text[400];
    off_t end = w->errors >= 0 ? lseek(w->errors, 0, SEEK_END) : 0;
    off_t from = end > (off_t)sizeof text ? end - (off_t)sizeof text : 0;
    ssize_t n = end > 0 ? pread(w->errors, text, sizeof text, from) : 0;
    while (n > 0 && char_is_space(text[n - 1])) n--;
    Str last = str_last_part((Str){text, n > 0 ? (size_t)n : 0}, '\n');
    char *out = arena_strndup(a, last.p ? last.p : "", last.len);
    for (char *p = out; *p; p++)
        if (*p < ' ' || *p > '~') *p = '?';
    return *out ? out : "it said nothing";
}

// ---- work

bool worker_ask(CompileWorker *w, const RunKernel *k, int capability, int timeout_ms, Err *e) {
    uint64_t id;
    if (getrandom(&id, sizeof id, 0) != (ssize_t)sizeof id)
        return err_set(e, ERR_IO, "compile worker: random numbers: %s", strerror(errno));
    arena_free(&w->memory);
    w->memory = (Arena){0};
    w->got = BUF(&w->memory);
    w->id = (int64_t)(id >> 12); // exact in a double
    w->sent = 0;
    w->served++;
    const CompileAsk ask = {w->id, capability, timeout_ms / 1000 + 5};
    if (!compile_request(&w->memory, k, ask, &w->request, e)) return false;
    w->state = WORKER_WORKS;
    w->deadline = clock_seconds() + timeout_ms * 1e-3;
    return true;
}

static bool send_more(CompileWorker *w) {
    while (w->sent < w->request.len) {
        ssize_t n = write(w->to, w->request.p + w->sent, w->request.len - w->sent);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return errno == EAGAIN;
        w->sent += (size_t)n;
    }
    return true;
}

// What comes unasked, or behind an answer, is no worker of ours any more.
static bool receive_more(CompileWorker *w, bool *whole) {
    char part[1 << 16];
    for (;;) {
        ssize_t n = read(w->from, part, sizeof part);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return errno == EAGAIN;
        if (n == 0 || w->state == WORKER_IDLE) return false;
        buf_put(&w->got, part, (size_t)n);
        size_t bytes;
        if (!compile_frame_bytes(buf_str(&w->got), &bytes) || (bytes && w->got.len > bytes)) return false;
        *whole = bytes && w->got.len == bytes;
    }
}

bool worker_step(CompileWorker *w, bool *whole) {
    *whole = false;
    return (w->state != WORKER_WORKS || send_more(w)) && receive_more(w, whole);
}
