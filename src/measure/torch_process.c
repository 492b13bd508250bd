#include "measure/torch_process.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/io.h"
#include "measure/write_fence.h"
#include "op/embed.h"

enum {
    FENCELESS = 3,
    NO_PROGRAM = 127,
    ANSWER_SECONDS = 240,
    ANSWER_MOST = 256 << 20,
    VERSIONS_SECONDS = 30
};

struct TorchProcess {
    TorchScript script;
    char python[IO_PATH]; // it is started elsewhere: a path is absolute
    pid_t pid;            // 0: none runs
    int to, from;
    char folder[64], given[80];
    bool versions_asked;
    char versions[200];
};

TorchProcess *torch_process_open(const char *python, TorchScript script) {
    TorchProcess *p = calloc(1, sizeof *p);
    if (!p) abort();
    p->script = script;
    if (!python) python = getenv("OUROBOROS_PYTHON");
    p->to = p->from = -1;
    if (!python || !*python) python = "python3";
    char here[IO_PATH / 2] = "";
    bool relative = *python != '/' && strchr(python, '/') && getcwd(here, sizeof here);
    snprintf(p->python, sizeof p->python, "%s%s%s", here, relative ? "/" : "", python);
    return p;
}

static int drop_file(const char *path, const struct stat *s, int kind, struct FTW *at) {
    (void)s, (void)kind, (void)at;
    remove(path);
    return 0;
}

static void stop(TorchProcess *p) {
    if (p->pid > 0) {
        kill(-p->pid, SIGKILL);
        while (waitpid(p->pid, NULL, 0) < 0 && errno == EINTR) {}
    }
    if (p->to >= 0) close(p->to);
    if (p->from >= 0) close(p->from);
    if (*p->folder) nftw(p->folder, drop_file, 16, FTW_DEPTH | FTW_PHYS);
    p->pid = 0;
    p->to = p->from = -1;
    *p->folder = 0;
}

void torch_process_close(TorchProcess *p) {
    if (!p) return;
    stop(p);
    free(p);
}

// ---- starting it

static const char *const script_name[] = {[TORCH_BASELINE] = "baseline.py",
                                          [TORCH_RECORDED_CALL] = "recorded_call.py",
                                          [TORCH_USER_CALLS] = "user_calls.py"};

Str torch_script_text(TorchScript s) {
    Arena a = {0};
    const char *path = arena_printf(&a, "src/measure/%s", script_name[s]);
    const EmbeddedFile *f = embedded_files;
    while (f->name && strcmp(f->name, path) != 0) f++;
    arena_free(&a);
    return (Str){f->text, f->len};
}

static bool scripts_write(Arena *a, const TorchProcess *p, Err *e) {
    for (TorchScript s = TORCH_BASELINE; s <= p->script; s++)
        if (!io_write_atomic(arena_printf(a, "%s/%s", p->folder, script_name[s]), torch_script_text(s), e))
            return false;
    return true;
}

// What it needs to find Python, the driver and a C compiler; caches and temporary files go to its folder.
static const char **environment(Arena *a, const char *folder) {
    static const char *const kept[] = {"PATH", "LD_LIBRARY_PATH", "CUDA_VISIBLE_DEVICES", "CUDA_HOME", "CC",
                                       "LANG"};
    static const char *const placed[] = {"HOME", "TMPDIR", "TORCHINDUCTOR_CACHE_DIR", "TRITON_CACHE_DIR",
                                         "XDG_CACHE_HOME"};
    enum { KEPT = sizeof kept / sizeof *kept, PLACED = sizeof placed / sizeof *placed };
    const char **out = NEWN(a, const char *, KEPT + PLACED + 2);
    int n = 0;
    for (int i = 0; i < KEPT; i++)
        if (getenv(kept[i])) out[n++] = arena_printf(a, "%s=%s", kept[i], getenv(kept[i]));
    for (int i = 0; i < PLACED; i++) out[n++] = arena_printf(a, "%s=%s", placed[i], folder);
    out[n++] = "PYTHONDONTWRITEBYTECODE=1";
    return out;
}

static _Noreturn void become(const TorchProcess *p, const char *path, const char **env, const int in[2],
                             const int out[2]) {
    setsid();
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    // Without the right to do so it has the network that we have.
    if (unshare(CLONE_NEWNET) != 0) errno = 0;
    if (dup2(in[0], 0) < 0 || dup2(out[1], 1) < 0 || chdir(p->folder) != 0) _exit(1);
    if (!write_fence_enter(p->folder)) _exit(FENCELESS);
    closefrom(3);
    const char *python = p->python;
    char *const argv[] = {(char *)(uintptr_t)python, (char *)"-I", (char *)(uintptr_t)path, NULL};
    execvpe(p->python, argv, (char *const *)(uintptr_t)env);
    static const char why[] = "cannot start Python\n";
    ssize_t told = write(2, why, sizeof why - 1);
    _exit(told > 0 ? NO_PROGRAM : 126);
}

static bool start(TorchProcess *p, Err *e) {
    Arena a = {0};
    int in[2] = {-1, -1}, out[2] = {-1, -1};
    const char *tmp = getenv("TMPDIR");
    snprintf(p->folder, sizeof p->folder, "%.40s/ouroboros-XXXXXX", tmp && strlen(tmp) <= 40 ? tmp : "/tmp");
    bool ok = mkdtemp(p->folder) != NULL && pipe2(in, O_CLOEXEC) == 0 && pipe2(out, O_CLOEXEC) == 0;
    if (!ok) err_record(e, ERR_IO, "%s: %s", p->folder, strerror(errno));
    const char *path = arena_printf(&a, "%s/%s", p->folder, script_name[p->script]);
    const char **env = environment(&a, p->folder);
    ok = ok && scripts_write(&a, p, e);
    p->pid = ok ? fork() : 0;
    if (ok && p->pid == 0) become(p, path, env, in, out);
    if (ok && p->pid < 0) ok = err_set(e, ERR_IO, "%s: fork: %s", p->python, strerror(errno));
    if (in[0] >= 0) close(in[0]);
    if (out[1] >= 0) close(out[1]);
    p->to = in[1];
    p->from = out[0];
    arena_free(&a);
    if (!ok) stop(p);
    return ok;
}

// ---- its versions

// Metadata of packages alone: importing PyTorch takes seconds.
static const char versions_script[] = "import importlib.metadata as m, platform\n"
                                      "print('torch', m.version('torch') + ', triton', m.version('triton') + "
                                      "', Python', platform.python_version())";

static _Noreturn void say_versions(const char *python, int out) {
    int null = open("/dev/null", O_RDWR);
    if (null < 0 || dup2(null, 0) < 0 || dup2(out, 1) < 0 || dup2(null, 2) < 0) _exit(1);
    closefrom(3);
    const char *const argv[] = {python, "-I", "-c", versions_script, NULL};
    execvp(python, (char *const *)(uintptr_t)argv);
    _exit(127);
}

// One line, within a time; else nothing.
static void versions_hear(TorchProcess *p, int from) {
    double deadline = clock_seconds() + VERSIONS_SECONDS;
    size_t n = 0;
    while (n + 1 < sizeof p->versions) {
        double left = deadline - clock_seconds();
        struct pollfd at = {.fd = from, .events = POLLIN};
        if (left <= 0 || poll(&at, 1, (int)(left * 1000) + 1) <= 0) break;
        ssize_t got = read(from, p->versions + n, sizeof p->versions - 1 - n);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) break;
        n += (size_t)got;
    }
    const char *end = memchr(p->versions, '\n', n);
    p->versions[end ? end - p->versions : 0] = 0;
}

const char *torch_process_versions(TorchProcess *p) {
    int pair[2], status = 0;
    if (p->versions_asked) return p->versions;
    p->versions_asked = true;
    if (pipe2(pair, O_CLOEXEC) != 0) return p->versions;
    pid_t pid = fork();
    if (pid == 0) say_versions(p->python, pair[1]);
    close(pair[1]);
    if (pid > 0) versions_hear(p, pair[0]);
    close(pair[0]);
    if (pid > 0) kill(pid, SIGKILL);
    while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR) {}
    return p->versions;
}

// ---- asking it

// A line, or its end, or too late.
static bool line_take(Arena *a, TorchProcess *p, Str *out, bool *late) {
    Buf text = BUF(a);
    double deadline = clock_seconds() + ANSWER_SECONDS;
    char piece[1 << 16];
    while (text.len < ANSWER_MOST) {
        double left = deadline - clock_seconds();
        struct pollfd at = {.fd = p->from, .events = POLLIN};
        *late = left <= 0;
        if (*late) return false;
        if (poll(&at, 1, (int)(left * 1000) + 1) <= 0) continue;
        ssize_t got = read(p->from, piece, sizeof piece);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return false;
        buf_put(&text, piece, (size_t)got);
        if (piece[got - 1] != '\n') continue;
        *out = buf_str(&text);
        return true;
    }
    return false;
}

// How a process ended that has closed its pipes; it has a moment to do so. Text of static storage, or of `a`.
static const char *ending(Arena *a, TorchProcess *p) {
    int status = 0;
    pid_t ended = 0;
    for (int tries = 0; tries < 40 && ended == 0; tries++) {
        ended = waitpid(p->pid, &status, WNOHANG);
        if (ended == 0) poll(NULL, 0, 50);
    }
    if (ended != p->pid) return "it has closed its output";
    kill(-p->pid, SIGKILL); // what it has started
    p->pid = 0;
    if (WIFSIGNALED(status)) return arena_printf(a, "it was killed by signal %d", WTERMSIG(status));
    if (WEXITSTATUS(status) == NO_PROGRAM) return "there is no such program; --python names another one";
    if (WEXITSTATUS(status) == FENCELESS)
        return "this system has no Landlock of version 3, without which it could write to all files";
    return "PyTorch and a GPU are needed there (its messages stand above)";
}

bool torch_process_ask(Arena *a, TorchProcess *p, Str request, Str *answer, Err *e) {
    bool late = false;
    if (p->pid == 0 && !start(p, e)) return false;
    signal(SIGPIPE, SIG_IGN);
    if (io_write_all(p->to, request.p, request.len, e) && line_take(a, p, answer, &late)) return true;
    const char *why =
        late ? arena_printf(a, "it has not answered in %d seconds", ANSWER_SECONDS) : ending(a, p);
    stop(p);
    *e = (Err){0};
    return err_set(e, ERR_IO, "%s gives no %s: %s", p->python,
                   p->script == TORCH_BASELINE ? "baseline" : "times of calls", why);
}

bool torch_process_give(TorchProcess *p, int file, const char **path, Err *e) {
    struct stat st;
    if (p->pid == 0 && !start(p, e)) return false;
    snprintf(p->given, sizeof p->given, "%s/inputs", p->folder);
    int to = open(p->given, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    bool ok = to >= 0 && fstat(file, &st) == 0;
    for (off_t at = 0; ok && at < st.st_size;) {
        ssize_t sent = sendfile(to, file, &at, (size_t)(st.st_size - at));
        ok = sent > 0 || (sent < 0 && errno == EINTR);
    }
    int error = errno;
    if (to >= 0 && close(to) != 0) ok = false;
    *path = p->given;
    return ok || err_set(e, ERR_IO, "%s: %s", p->given, strerror(error));
}

void torch_process_end(TorchProcess *p) { stop(p); }
