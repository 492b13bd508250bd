// From lines to the queue: definitions at hand, requests, and the reader with its bounds.
#include "cmd/stream_state.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "service/manifest.h"

// ---- requests

static KnownOp *known_slot(Stream *s) {
    if (s->knowns < KNOWN_MAX) {
        KnownOp *k = calloc(1, sizeof *k);
        if (!k) abort();
        return s->known[s->knowns++] = k;
    }
    KnownOp *oldest = NULL;
    pthread_mutex_lock(&s->lock);
    for (int i = 0; i < KNOWN_MAX; i++)
        if (!s->known[i]->users && (!oldest || s->known[i]->used < oldest->used)) oldest = s->known[i];
    pthread_mutex_unlock(&s->lock);
    if (!oldest) return NULL;
    arena_free(&oldest->arena);
    *oldest = (KnownOp){0};
    return oldest;
}

// Definitions are read and checked once, so that requests are judged by the same text while it is known.
static KnownOp *known_op(Stream *s, Str text) {
    for (int i = 0; i < s->knowns; i++)
        if (str_is(text, s->known[i]->text)) {
            s->known[i]->used = ++s->uses;
            return s->known[i];
        }
    KnownOp *k = known_slot(s);
    if (!k) return NULL;
    k->used = ++s->uses;
    k->text = str_cdup(&k->arena, text);
    pthread_mutex_lock(&s->lock);
    while (s->pool_taken) pthread_cond_wait(&s->pool_free, &s->lock);
    s->pool_taken = true;
    pthread_mutex_unlock(&s->lock);
    Err e = {0};
    if (!op_for_judging(s->referee, &k->arena, k->text, &k->op, &e))
        k->bad = arena_strndup(&k->arena, e.msg, strlen(e.msg));
    pthread_mutex_lock(&s->lock);
    s->pool_taken = false;
    pthread_mutex_unlock(&s->lock);
    return k;
}

static Request *request_new(const StreamRequest *l, KnownOp *k) {
    size_t bytes = sizeof(Request) + l->id.len + l->source.len;
    Request *q = malloc(bytes);
    if (!q) abort();
    *q = (Request){.op = k, .level = l->level, .filter = l->filter, .bytes = bytes};
    memcpy(q->text, l->id.p, l->id.len);
    memcpy(q->text + l->id.len, l->source.p, l->source.len);
    q->id = (Str){q->text, l->id.len};
    q->source = (Str){q->text + l->id.len, l->source.len};
    return q;
}

static void read_request(Stream *s, Arena *a, Str line, long number) {
    StreamRequest l;
    stream_request_read(a, line, number, s->level, &l);
    KnownOp *k = l.bad ? NULL : known_op(s, l.op);
    if (!l.bad && (!k || k->bad))
        l.bad = arena_printf(a, "line %ld: %s", number, k ? k->bad : "too many different ops at once");
    // What is written from a manifest is the request's source from here on: for the hash, the key of
    // duplicates and the verdict. A kernel that the source lacks is the source's fault.
    Err e = {0};
    if (!l.bad && l.manifest.len &&
        !manifest_apply(a, "manifest", l.manifest, &k->op, l.source, false,
                        referee_extras(s->referee).include, &l.source, &e))
        l.bad = arena_printf(a, "line %ld: %s", number, e.msg);
    if (!l.bad) return stream_admit(s, request_new(&l, k));
    Buf out = BUF(a);
    put_undecided(&out, l.id, l.level, "request", l.bad);
    stream_print(s, buf_str(&out));
}

// ---- signals

static volatile sig_atomic_t stop_asked;
static int stop_wake = -1;

static void on_signal(int sig) {
    (void)sig;
    int saved = errno;
    stop_asked = 1;
    (void)!write(stop_wake, &(uint64_t){1}, sizeof(uint64_t));
    errno = saved;
}

void intake_listen(const Stream *s) {
    stop_wake = s->wake;
    // The second signal is not ours any more: it ends the process.
    struct sigaction stop = {.sa_handler = on_signal, .sa_flags = (int)(SA_RESETHAND | SA_RESTART)};
    sigaction(SIGTERM, &stop, NULL);
    sigaction(SIGINT, &stop, NULL);
}

void intake_deaf(void) {
    signal(SIGTERM, SIG_DFL);
    signal(SIGINT, SIG_DFL);
}

bool intake_stopped(void) { return stop_asked; }

// ---- the reader

static bool is_blank(Str line) {
    for (size_t i = 0; i < line.len; i++)
        if (!strchr(" \t\r", line.p[i]) || !line.p[i]) return false;
    return true;
}

static bool has_room(Stream *s) {
    pthread_mutex_lock(&s->lock);
    bool room = s->waiting == 0 || (s->waiting < STREAM_WAITING && s->bytes < STREAM_BYTES);
    s->no_room = !room;
    if (!room) {
        s->gathering = false;
        stream_stir(s);
    }
    pthread_mutex_unlock(&s->lock);
    return room;
}

static bool ended_early(Stream *s) {
    pthread_mutex_lock(&s->lock);
    bool failed = s->failed;
    pthread_mutex_unlock(&s->lock);
    return failed || stop_asked;
}

// Sleeps until there is something to read (if it may be read) or somebody wakes the reader. True: read.
static bool wait_input(Stream *s, int in, bool may_read, int timeout) {
    struct pollfd p[2] = {{.fd = s->wake, .events = POLLIN}, {.fd = may_read ? in : -1, .events = POLLIN}};
    if (poll(p, 2, timeout) <= 0) return false;
    uint64_t count;
    if (p[0].revents) (void)!read(s->wake, &count, sizeof count);
    return p[1].revents != 0;
}

static void set_gathering(Stream *s, bool on) {
    pthread_mutex_lock(&s->lock);
    s->gathering = on;
    if (!on) stream_stir(s);
    pthread_mutex_unlock(&s->lock);
}

bool intake_run(Stream *s, LineReader *r, Err *e) {
    Arena a = {0};
    bool ok = true;
    while (ok && !ended_early(s)) {
        if (!has_room(s)) {
            wait_input(s, r->fd, false, -1);
            continue;
        }
        Str line;
        LineState state = reader_next(r, &line);
        if (state == LINE_END) break;
        if (state == LINE_NONE) {
            bool more = wait_input(s, r->fd, true, 0);
            if (!more) {
                set_gathering(s, false);
                more = wait_input(s, r->fd, true, -1);
            }
            if (more) ok = reader_fill(r, e);
            continue;
        }
        if (state == LINE_READY && is_blank(line)) continue;
        if (!s->gathering) set_gathering(s, true);
        read_request(s, &a, line, r->line);
        arena_reset(&a, (ArenaMark){0});
    }
    arena_free(&a);
    return ok;
}
