// The smith "cmd:PROGRAM": a program of the user's, started through the shell. One line for each request:
//   {"id":"1","prompt":{"system":...,"user":...},"n":4,"first":0,"seed":7,"temperature":0.7,"top_p":0.97,
//    "top_k":50,"min_p":0,"max_tokens":768,"stop":[...]}
// and n lines back, in any order:
//   {"id":"1","text":"...","end":"stop"[,"index":0][,"tokens":123]}     end "length": cut by the token limit
//   {"id":"1","error":"..."}                                            ends the request
// Fewer than n, and then silence, is waited for until --timeout; ending is how a program says that there are
// no more, and that is an error. It may serve one request and end, or stay. It has a process group of its
// own, so that Ctrl-C reaches us only, and is killed with everything in it when it is silent for too long,
// says what is no answer, or is no longer needed. What it writes on standard error is the user's to see.
#include "propose/pipe.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/json.h"
#include "propose/smith_kind.h"

extern char **environ;

enum { SILENCE = 5 }; // seconds without a word after which somebody is told, or half of a short timeout

// ---- one answer ----

static bool read_answer(Arena *a, const Json *j, PipeAnswer *out) {
    Str id = {0}, text = {0}, error = {0}, end = STR("stop");
    int64_t tokens = 0;
    if (!json_get_text(j, j->root, "id", &id) || !json_get_text(j, j->root, "text", &text) ||
        !json_get_text(j, j->root, "error", &error) || !json_get_text(j, j->root, "end", &end) ||
        !json_get_int(j, j->root, "index", INT64_MIN, INT64_MAX, &out->index) ||
        !json_get_int(j, j->root, "tokens", INT64_MIN, INT64_MAX, &tokens))
        return false;
    if (!id.p) return err_set(j->e, ERR_INPUT, "%s: the \"id\" of its request is missing, a text", j->file);
    if (!text.p && !error.p) return err_set(j->e, ERR_INPUT, "%s: \"text\" is missing", j->file);
    if (!json_absent(json_object_get(j->root, "index")) && out->index < 0)
        out->index = INT64_MAX; // no draft has it
    out->id = str_dup(a, id);
    if (text.p) out->text = str_dup(a, text);
    if (error.p) out->error = str_dup(a, error);
    out->cut = str_is(end, "length");
    out->tokens = tokens > 0 && tokens < 1 << 30 ? (int)tokens : 0;
    return true;
}

bool pipe_answer_read(Arena *a, Str line, PipeAnswer *out, Err *e) {
    *out = (PipeAnswer){.index = -1};
    json_error_t why;
    json_t *o = json_loadb(line.p ? line.p : "", line.len, JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, &why);
    if (!o) return err_set(e, ERR_INPUT, "no JSON: %s", why.text);
    bool ok = json_is_object(o) ? read_answer(a, &(Json){.file = "an answer", .root = o, .e = e}, out)
                                : err_set(e, ERR_INPUT, "an answer is a JSON object");
    json_decref(o);
    return ok;
}

// ---- the process ----

typedef struct {
    const char *command;
    double timeout;
    pid_t pid; // 0: not running
    int in, out;
    long requests;
    bool served;  // this process has given an answer
    Arena memory; // of `line`
    Buf line;     // what was read beyond the last whole line
    size_t scanned;
} Pipe;

static void stop(Pipe *p) {
    if (!p->pid) return;
    close(p->in);
    close(p->out);
    kill(-p->pid, SIGKILL);
    while (waitpid(p->pid, NULL, 0) < 0 && errno == EINTR) {}
    p->pid = 0;
    arena_free(&p->memory);
    p->line = (Buf){.arena = &p->memory};
    p->scanned = 0;
}

// How it ended by itself, for a message; it is gone afterwards.
static const char *ending(Pipe *p, Arena *a) {
    int status = 0;
    close(p->in);
    p->in = open("/dev/null", O_WRONLY | O_CLOEXEC);
    for (int i = 0; i < 20; i++) { // its output is closed: it has no reason to stay
        pid_t got = waitpid(p->pid, &status, WNOHANG | WNOWAIT);
        if (got == p->pid) break;
        status = -1;
        poll(NULL, 0, 10);
    }
    siginfo_t info = {0};
    const char *words = "closed its output";
    if (waitid(P_PID, (id_t)p->pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == p->pid)
        words = info.si_code == CLD_EXITED ? arena_printf(a, "ended with exit code %d", info.si_status)
                                           : arena_printf(a, "was killed by signal %d", info.si_status);
    stop(p);
    return words;
}

static bool start(Pipe *p, Err *e) {
    int in[2], out[2];
    if (pipe2(in, O_CLOEXEC) != 0) return err_set(e, ERR_IO, "pipe: %s", strerror(errno));
    if (pipe2(out, O_CLOEXEC) != 0) {
        close(in[0]);
        close(in[1]);
        return err_set(e, ERR_IO, "pipe: %s", strerror(errno));
    }
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attr;
    posix_spawn_file_actions_init(&files);
    posix_spawnattr_init(&attr);
    posix_spawn_file_actions_adddup2(&files, in[0], STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&files, out[1], STDOUT_FILENO);
    posix_spawn_file_actions_addclosefrom_np(&files, STDERR_FILENO + 1);
    sigset_t usual, none;
    sigemptyset(&none);
    sigemptyset(&usual);
    sigaddset(&usual, SIGPIPE);
    sigaddset(&usual, SIGINT);
    sigaddset(&usual, SIGXFSZ);
    posix_spawnattr_setsigdefault(&attr, &usual);
    posix_spawnattr_setsigmask(&attr, &none);
    posix_spawnattr_setpgroup(&attr, 0);
    posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
    char sh[] = "sh", dash_c[] = "-c";
    char *argv[] = {sh, dash_c, (char *)p->command, NULL};
    int failed = posix_spawn(&p->pid, "/bin/sh", &files, &attr, argv, environ);
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&attr);
    close(in[0]);
    close(out[1]);
    p->in = in[1];
    p->out = out[0];
    if (failed) {
        p->pid = 0;
        close(p->in);
        close(p->out);
        return err_set(e, ERR_IO, "cannot start a shell: %s", strerror(failed));
    }
    fcntl(p->in, F_SETFL, O_NONBLOCK);
    fcntl(p->out, F_SETFL, O_NONBLOCK);
    p->line = (Buf){.arena = &p->memory};
    p->scanned = 0;
    p->served = false;
    return true;
}

static bool is_up(Pipe *p) {
    siginfo_t info = {0};
    return p->pid && (waitid(P_PID, (id_t)p->pid, &info, WEXITED | WNOHANG | WNOWAIT) != 0 || !info.si_pid);
}

// ---- a request ----

static Str request_line(Arena *a, const SmithRequest *q, const char *id) {
    const Prompt *t = smith_prompt(q, 0);
    const ReplySettings *s = &q->settings;
    json_t *stops = json_array();
    for (int i = 0; i < s->stops; i++)
        json_array_append_new(stops, json_stringn(s->stop[i].p, s->stop[i].len));
    json_t *prompt = json_object();
    json_object_set_new(prompt, "system",
                        t->system.p ? json_stringn(t->system.p, t->system.len) : json_null());
    json_object_set_new(prompt, "user", json_stringn(t->user.p, t->user.len));
    Buf b = BUF(a);
    json_put(&b, json_pack("{s:s, s:o, s:i, s:i, s:I, s:f, s:f, s:i, s:f, s:i, s:o}", "id", id, "prompt",
                           prompt, "n", q->count, "first", smith_index(q, 0), "seed",
                           (json_int_t)(q->seed >> 1), "temperature", s->temperature, "top_p", s->top_p,
                           "top_k", s->top_k, "min_p", s->min_p, "max_tokens", s->max_tokens, "stop", stops));
    buf_putc(&b, '\n');
    return buf_str(&b);
}

typedef enum { TURN_LINE, TURN_TICK, TURN_END, TURN_FAILED } Turn;

// Writes what is left of the request, reads what there is; at most a tenth of a second. LINE: a whole line is
// at the front of p->line, *len bytes without its newline.
static Turn exchange(Pipe *p, Str *ask, size_t *len, bool *moved, Err *e) {
    const char *end =
        p->line.len > p->scanned ? memchr(p->line.p + p->scanned, '\n', p->line.len - p->scanned) : NULL;
    if (end) {
        *len = (size_t)(end - p->line.p);
        return TURN_LINE;
    }
    p->scanned = p->line.len;
    if (p->line.len > PIPE_LINE_MAX) {
        err_record(e, ERR_LIMIT, "a line of more than %d bytes", PIPE_LINE_MAX);
        return TURN_FAILED;
    }
    struct pollfd fd[2] = {{.fd = p->out, .events = POLLIN},
                           {.fd = ask->len ? p->in : -1, .events = POLLOUT}};
    if (poll(fd, 2, 100) <= 0) return TURN_TICK;
    if (fd[1].revents) {
        ssize_t put = write(p->in, ask->p, ask->len);
        if (put > 0) {
            *ask = (Str){ask->p + put, ask->len - (size_t)put};
            *moved = true;
        } else if (put < 0 && errno == EPIPE)
            ask->len = 0; // it reads no further; whether it answers all the same is to be seen
    }
    if (fd[0].revents) {
        char chunk[64 << 10];
        ssize_t got = read(p->out, chunk, sizeof chunk);
        if (got == 0) return TURN_END;
        if (got < 0 && errno != EAGAIN && errno != EINTR) {
            err_record(e, ERR_IO, "read: %s", strerror(errno));
            return TURN_FAILED;
        }
        if (got > 0) {
            buf_put(&p->line, chunk, (size_t)got);
            *moved = true;
        }
    }
    return TURN_TICK;
}

static void drop_line(Pipe *p, size_t len) {
    memmove(p->line.p, p->line.p + len + 1, p->line.len - len - 1);
    p->line.len -= len + 1;
    p->scanned = 0;
}

typedef struct {
    const SmithRequest *q;
    const SmithSink *sink;
    const char *id;
    bool *got; // [count]
    int left;
    bool more; // the sink wants more
} Asked;

static bool take_answer(Asked *k, Str line, Err *e) {
    Arena a = {0};
    PipeAnswer r;
    bool ok = pipe_answer_read(&a, line, &r, e);
    if (ok && !str_is(r.id, k->id))
        ok = err_set(e, ERR_INPUT, "an answer to request \"%s\", which is not asked",
                     smith_words(&a, r.id, 40));
    if (ok && r.error.p) ok = err_set(e, ERR_IO, "%s", smith_words(&a, r.error, 300));
    int64_t i = r.index;
    if (ok && i < 0)
        for (i = 0; k->got[i]; i++) {}
    if (ok && (i >= k->q->count || k->got[i]))
        ok = err_set(e, ERR_INPUT, "answer %lld of %d, %s", (long long)i, k->q->count,
                     i >= k->q->count ? "which was not asked for" : "for the second time");
    if (ok) {
        bool cut = r.cut || r.text.len > REPLY_MAX;
        if (r.text.len > REPLY_MAX) r.text.len = REPLY_MAX;
        Reply reply = {.index = smith_index(k->q, (int)i),
                       .text = r.text,
                       .cut = cut,
                       .tokens = r.tokens,
                       .schedule = ""};
        k->got[i] = true;
        k->left--;
        if (r.tokens) k->sink->grew(k->sink->arg, r.tokens);
        k->more = k->sink->reply(k->sink->arg, &reply);
    }
    arena_free(&a);
    return ok;
}

static bool is_blank(Str line) {
    for (size_t i = 0; i < line.len; i++)
        if (line.p[i] != ' ' && line.p[i] != '\t' && line.p[i] != '\r') return false;
    return true;
}

static double silence_of(const Pipe *p) { return p->timeout < 2 * SILENCE ? p->timeout / 2 : SILENCE; }

// Fewer answers than asked for look like a program that thinks: whoever waits is told once what for.
static void tell_silence(const Pipe *p, Arena *a, const Asked *k) {
    if (!k->sink->waits) return;
    k->sink->waits(
        k->sink->arg,
        arena_printf(a,
                     "the program has been silent for %.0f seconds, %d of %d answers are missing; it may "
                     "end instead, and is given up after %.0f seconds of silence (--timeout)",
                     silence_of(p), k->left, k->q->count, p->timeout));
}

static bool ask(Pipe *p, Arena *a, Asked *k, Err *e) {
    Str rest = request_line(a, k->q, k->id);
    Err torn = {0};
    double heard = clock_seconds();
    bool told = false;
    while (k->left && k->more && (k->more = k->sink->wanted(k->sink->arg))) {
        size_t len = 0;
        bool moved = false;
        switch (exchange(p, &rest, &len, &moved, e)) {
        case TURN_LINE:
            heard = clock_seconds();
            if (is_blank((Str){p->line.p, len})) {
                drop_line(p, len);
                break;
            }
            if (!take_answer(k, (Str){p->line.p, len}, e)) return false;
            p->served = true;
            drop_line(p, len);
            break;
        case TURN_TICK:
            if (moved) heard = clock_seconds();
            if (clock_seconds() - heard > p->timeout)
                return err_set(e, ERR_IO,
                               "no answer for %.0f seconds (--timeout) with %d of %d answers missing",
                               p->timeout, k->left, k->q->count);
            if (!told && clock_seconds() - heard > silence_of(p)) {
                tell_silence(p, a, k);
                told = true;
            }
            break;
        case TURN_END:
            if (p->served && k->left == k->q->count) { // it ended behind its last answer: another one serves
                stop(p);
                if (!start(p, e)) return false;
                rest = request_line(a, k->q, k->id);
                break;
            }
            // The last line needs no newline; half of one is no JSON.
            if (p->line.len && !take_answer(k, buf_str(&p->line), &torn) && torn.code == ERR_IO) {
                *e = torn;
                return false;
            }
            if (!k->left || !k->more) return true;
            return err_set(e, ERR_IO, "it %s with %d of %d answers missing", ending(p, a), k->left,
                           k->q->count);
        case TURN_FAILED: return false;
        }
    }
    return true;
}

static bool ask_once(Pipe *p, const SmithRequest *q, const SmithSink *sink, bool *more, Err *e) {
    Arena a = {0};
    if (!is_up(p)) stop(p);
    bool ok = p->pid || start(p, e);
    Asked k = {.q = q,
               .sink = sink,
               .id = arena_printf(&a, "%ld", ++p->requests),
               .got = NEWN(&a, bool, (size_t)q->count + 1),
               .left = q->count,
               .more = true};
    ok = ok && ask(p, &a, &k, e);
    // After trouble, or when it may still be writing what nobody wants, another one serves the next request.
    if (!ok || k.left) stop(p);
    *more = k.more;
    arena_free(&a);
    return ok;
}

// One line for each question: a program may end after an answer and is started again for the next.
static bool draft(Smith *s, const Op *op, const SmithRequest *q, const SmithSink *sink, Err *e) {
    (void)op;
    bool ok = true, more = true;
    SmithRequest one = *q;
    if (q->retry) one.count = 1;
    for (int i = 0; ok && more && i < (q->retry ? q->count : 1); i++) {
        if (q->retry) one.retry = &q->retry[i];
        ok = ask_once(s->state, &one, sink, &more, e);
    }
    if (ok) return true;
    e->code = ERR_IO; // whatever was wrong with an answer: it is the program's fault, not the op's
    return err_ctx(e, "%s", s->name);
}

static void close_pipe(Smith *s) { stop(s->state); }

bool pipe_takes(const char *which) { return strncmp(which, "cmd:", 4) == 0; }

bool pipe_open(Arena *a, const char *which, const SmithOptions *o, Smith **out, Err *e) {
    if (!which[strspn(which + 4, " ") + 4])
        return err_set(e, ERR_USAGE, "cmd: needs a program, such as cmd:./draft.py");
    if (!smith_elsewhere(o, e)) return false;
    Pipe *p = NEW(a, Pipe);
    p->command = arena_printf(a, "%s", which + 4);
    p->timeout = o->timeout ? o->timeout : SMITH_TIMEOUT;
    *out = NEW(a, Smith);
    **out = (Smith){.name = smith_words(a, str_of(which), SMITH_NAME_MAX),
                    .takes_prompt = true,
                    .slow = true,
                    .draft = draft,
                    .close = close_pipe,
                    .state = p};
    return true;
}
