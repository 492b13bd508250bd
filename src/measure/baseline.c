#include "measure/baseline.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <inttypes.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/io.h"
#include "op/embed.h"

enum { ANSWER_SECONDS = 240, ANSWER_MOST = 256 << 20, VERSIONS_SECONDS = 30 };

struct Baseline {
    char python[IO_PATH]; // it is started elsewhere: a path is absolute
    pid_t pid;            // 0: none runs
    int to, from;
    char folder[64];
    bool versions_asked;
    char versions[200];
};

Baseline *baseline_open(const char *python) {
    Baseline *b = calloc(1, sizeof *b);
    if (!b) abort();
    if (!python) python = getenv("OUROBOROS_PYTHON");
    b->to = b->from = -1;
    if (!python || !*python) python = "python3";
    char here[IO_PATH / 2] = "";
    bool relative = *python != '/' && strchr(python, '/') && getcwd(here, sizeof here);
    snprintf(b->python, sizeof b->python, "%s%s%s", here, relative ? "/" : "", python);
    return b;
}

static int drop_file(const char *path, const struct stat *s, int kind, struct FTW *at) {
    (void)s, (void)kind, (void)at;
    remove(path);
    return 0;
}

static void stop(Baseline *b) {
    if (b->pid > 0) {
        kill(-b->pid, SIGKILL);
        while (waitpid(b->pid, NULL, 0) < 0 && errno == EINTR) {}
    }
    if (b->to >= 0) close(b->to);
    if (b->from >= 0) close(b->from);
    if (*b->folder) nftw(b->folder, drop_file, 16, FTW_DEPTH | FTW_PHYS);
    b->pid = 0;
    b->to = b->from = -1;
    *b->folder = 0;
}

void baseline_close(Baseline *b) {
    if (!b) return;
    stop(b);
    free(b);
}

// ---- starting it

static const EmbeddedFile *script(void) {
    const EmbeddedFile *f = embedded_files;
    while (f->name && strcmp(f->name, "src/measure/baseline.py") != 0) f++;
    return f;
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

static _Noreturn void become(const Baseline *b, const char *path, const char **env, const int in[2],
                             const int out[2]) {
    setsid();
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    // Without the right to do so it has the network that we have.
    if (unshare(CLONE_NEWNET) != 0) errno = 0;
    if (dup2(in[0], 0) < 0 || dup2(out[1], 1) < 0 || chdir(b->folder) != 0) _exit(1);
    closefrom(3);
    const char *python = b->python;
    char *const argv[] = {(char *)(uintptr_t)python, (char *)"-I", (char *)(uintptr_t)path, NULL};
    execvpe(b->python, argv, (char *const *)(uintptr_t)env);
    static const char why[] = "cannot start Python\n";
    ssize_t told = write(2, why, sizeof why - 1);
    _exit(told > 0 ? 127 : 126);
}

static bool start(Baseline *b, Err *e) {
    Arena a = {0};
    const EmbeddedFile *f = script();
    int in[2] = {-1, -1}, out[2] = {-1, -1};
    const char *tmp = getenv("TMPDIR");
    snprintf(b->folder, sizeof b->folder, "%.40s/ouroboros-XXXXXX", tmp && strlen(tmp) <= 40 ? tmp : "/tmp");
    bool ok = mkdtemp(b->folder) != NULL && pipe2(in, O_CLOEXEC) == 0 && pipe2(out, O_CLOEXEC) == 0;
    if (!ok) err_record(e, ERR_IO, "%s: %s", b->folder, strerror(errno));
    const char *path = arena_printf(&a, "%s/baseline.py", b->folder), **env = environment(&a, b->folder);
    ok = ok && io_write_atomic(path, (Str){f->text, f->len}, e);
    b->pid = ok ? fork() : 0;
    if (ok && b->pid == 0) become(b, path, env, in, out);
    if (ok && b->pid < 0) ok = err_set(e, ERR_IO, "%s: fork: %s", b->python, strerror(errno));
    if (in[0] >= 0) close(in[0]);
    if (out[1] >= 0) close(out[1]);
    b->to = in[1];
    b->from = out[0];
    arena_free(&a);
    if (!ok) stop(b);
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
static void versions_hear(Baseline *b, int from) {
    double deadline = clock_seconds() + VERSIONS_SECONDS;
    size_t n = 0;
    while (n + 1 < sizeof b->versions) {
        double left = deadline - clock_seconds();
        struct pollfd at = {.fd = from, .events = POLLIN};
        if (left <= 0 || poll(&at, 1, (int)(left * 1000) + 1) <= 0) break;
        ssize_t got = read(from, b->versions + n, sizeof b->versions - 1 - n);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) break;
        n += (size_t)got;
    }
    const char *end = memchr(b->versions, '\n', n);
    b->versions[end ? end - b->versions : 0] = 0;
}

const char *baseline_versions(Baseline *b) {
    int pair[2], status = 0;
    if (b->versions_asked) return b->versions;
    b->versions_asked = true;
    if (pipe2(pair, O_CLOEXEC) != 0) return b->versions;
    pid_t pid = fork();
    if (pid == 0) say_versions(b->python, pair[1]);
    close(pair[1]);
    if (pid > 0) versions_hear(b, pair[0]);
    close(pair[0]);
    if (pid > 0) kill(pid, SIGKILL);
    while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR) {}
    return b->versions;
}

// ---- asking it

// A line, or its end, or too late.
static bool line_take(Arena *a, Baseline *b, Str *out) {
    Buf text = BUF(a);
    double deadline = clock_seconds() + ANSWER_SECONDS;
    char piece[1 << 16];
    while (text.len < ANSWER_MOST) {
        double left = deadline - clock_seconds();
        struct pollfd at = {.fd = b->from, .events = POLLIN};
        if (left <= 0) return false;
        if (poll(&at, 1, (int)(left * 1000) + 1) <= 0) continue;
        ssize_t got = read(b->from, piece, sizeof piece);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return false;
        buf_put(&text, piece, (size_t)got);
        if (piece[got - 1] != '\n') continue;
        *out = buf_str(&text);
        return true;
    }
    return false;
}

static void put_inputs(Buf *out, const BaselineRequest *q, bool places) {
    for (int i = 0; i < q->job->inputs; i++) {
        buf_printf(out, "%s{\"dtype\":\"%s\",\"shape\":[", i ? "," : "", dtype_info[q->dtype[i]].torch);
        for (int d = 0; d < q->op->input[i].rank; d++)
            buf_printf(out, "%s%" PRId64, d ? "," : "", q->shape[i][d]);
        buf_puts(out, "]");
        if (places) buf_printf(out, ",\"at\":%" PRId64, q->job->input[i].at);
        buf_puts(out, "}");
    }
}

// Bytes that a set takes: what is changed in place needs no answer of its own.
static void put_settings(Buf *out, const BaselineRequest *q) {
    int64_t bytes = timing_output_bytes(q->job);
    for (int i = 0; i < q->job->inputs; i++) bytes += q->job->input[i].bytes;
    buf_puts(out, "\"in_place\":[");
    for (int k = 0; k < q->job->outputs; k++) {
        buf_printf(out, "%s%d", k ? "," : "", q->job->in_place[k] - 1);
        if (q->job->in_place[k]) bytes -= q->job->output[k];
    }
    buf_puts(out, "],");
    buf_printf(out,
               "\"bytes\":%" PRId64 ",\"rounds\":%d,\"target_us\":%g,\"l2_times\":%" PRId64 ",\"draws\":%d",
               bytes, q->job->rounds, q->job->target_us, q->job->l2_times, q->draws);
}

static void put_source(Buf *out, const Op *op) {
    Arena a = {0};
    Buf source = BUF(&a);
    buf_puts(&source, "import torch\n");
    print_module(&source, op->module);
    json_put(out, json_quoted(buf_str(&source)));
    arena_free(&a);
}

static void put_request(Buf *out, const BaselineRequest *q) {
    buf_puts(out, "{\"source\":");
    put_source(out, q->op);
    buf_printf(out, ",\"file\":\"/proc/%d/fd/%d\",\"inputs\":[", (int)getpid(), q->inputs);
    put_inputs(out, q, true);
    buf_puts(out, "],");
    put_settings(out, q);
    buf_puts(out, "}\n");
}

// The script that answers belongs to it, too.
void baseline_request_key(Buf *out, const BaselineRequest *q) {
    const EmbeddedFile *f = script();
    buf_put(out, f->text, f->len);
    put_source(out, q->op);
    put_inputs(out, q, false);
    put_settings(out, q);
}

bool baseline_ask(Arena *a, Baseline *b, const BaselineRequest *q, Str *text, BaselineTimes *out, Err *e) {
    Buf request = BUF(a);
    if (b->pid == 0 && !start(b, e)) return false;
    put_request(&request, q);
    signal(SIGPIPE, SIG_IGN);
    if (io_write_all(b->to, request.p, request.len, e) && line_take(a, b, text))
        return baseline_read(a, *text, q->job, out, e);
    stop(b);
    *e = (Err){0};
    return err_set(e, ERR_IO,
                   "%s gives no baseline: PyTorch and a GPU are needed there (its messages stand above)",
                   b->python);
}

// ---- its answer

static bool times_read(const Json *j, const json_t *o, const char *key, double *x, int *n) {
    const json_t *list = json_object_get(o, key);
    if (json_array_size(list) > TIMING_ROUNDS_MAX)
        return err_set(j->e, ERR_INPUT, "%s: \"%s\": too many", j->file, key);
    for (size_t i = 0; i < json_array_size(list); i++) {
        double v = json_number_value(json_array_get(list, i));
        if (!(v > 0)) return err_set(j->e, ERR_INPUT, "%s: \"%s\": times belong here", j->file, key);
        x[(*n)++] = v;
    }
    return true;
}

static bool mode_read(Arena *a, const Json *j, const char *name, const json_t *o, const TimingJob *job,
                      BaselineMode *m) {
    int64_t bytes[TIMING_INPUTS_MAX];
    const json_t *run = json_object_get(o, "run");
    m->name = str_dup(a, str_of(name));
    for (int i = 0; i < job->inputs; i++) bytes[i] = job->input[i].bytes;
    if (!times_read(j, o, "device", m->device, &m->devices) || !times_read(j, o, "call", m->call, &m->calls))
        return false;
    m->replayable = run != NULL;
    if (!run) return true;
    const TimedRunSource s = {j, run, bytes, job->inputs, job->output, job->outputs};
    return timed_run_read(a, &s, &m->run, j->e) && timing_answers_placed(job, &m->run, j->e);
}

bool baseline_read(Arena *a, Str text, const TimingJob *job, BaselineTimes *out, Err *e) {
    Json j;
    Str error = {0};
    *out = (BaselineTimes){0};
    bool ok = json_parse("the baseline's answer", text, &j, e) &&
              json_get_text(&j, j.root, "error", &error) && json_get_text(&j, j.root, "torch", &out->torch) &&
              json_get_text(&j, j.root, "triton", &out->triton);
    if (ok && error.len) ok = err_set(e, ERR_IO, "the baseline fails: %.*s", STR_ARG(error));
    out->torch = str_dup(a, out->torch);
    out->triton = str_dup(a, out->triton);
    const char *name;
    json_t *o;
    if (ok) {
        json_object_foreach(json_object_get(j.root, "modes"), name, o) {
            if (!ok || out->modes == BASELINE_MODES_MAX) break;
            ok = mode_read(a, &j, name, o, job, &out->mode[out->modes++]);
        }
        json_object_foreach(json_object_get(j.root, "errors"), name, o) {
            BaselineMode *m = NULL;
            for (int i = 0; i < out->modes; i++)
                if (str_is(out->mode[i].name, name)) m = &out->mode[i];
            if (!m && out->modes < BASELINE_MODES_MAX) {
                m = &out->mode[out->modes++];
                m->name = str_dup(a, str_of(name));
            }
            if (m) m->why = str_dup(a, json_str(o));
        }
    }
    json_close(&j);
    return ok;
}
