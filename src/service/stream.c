// From lines to submissions and from answers to lines.
#include "service/stream.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/io.h"
#include "service/manifest/included_host.h"
#include "service/manifest/manifest.h"
#include "service/service.h"
#include "service/stream_read.h"
#include "service/stream_times.h"

enum { KNOWN_MAX = 512 }; // definitions at hand at a time

// What a request is judged by, as it says so.
typedef struct {
    Str text; // of a module: the reference; else what a person would type
    bool module;
    DomainAsked domain;
} OpAsked;

typedef struct {
    Arena arena;
    OpAsked asked;
    Op op;
    char *bad;
    atomic_int users; // requests that were not answered yet
    uint64_t used;    // when last
} KnownOp;

typedef struct {
    Service *service;
    StreamTimes *times;
    Levels levels;      // where a request names no level
    LayoutAsked layout; // the same
    const StreamOptions *options;
    int out, wake; // wake: an eventfd for the reader
    bool gathering;
    KnownOp *known[KNOWN_MAX];
    int knowns;
    uint64_t uses;
    pthread_mutex_t printing; // of everything below
    Arena arena;
    Buf text; // answers that wait for the next one
} Stream;

// One allocation each: it lives from its line to its answer.
typedef struct {
    Stream *stream;
    KnownOp *op;
    bool ladder; // full comes after quick
    Submission ask;
    TimesAsk time; // places 0: it is not timed
    CellPlace place[TIMED_CELLS_MAX];
    Str id;
    char text[];
} Request;

// ---- answers

static void wake_reader(void *arg) {
    const Stream *s = arg;
    (void)!write(s->wake, &(uint64_t){1}, sizeof(uint64_t));
}

// {"id":..., the verdict}; takes the reference.
static void put_answer(Buf *out, Str id, json_t *verdict) {
    buf_puts(out, "{\"id\":");
    buf_str_put(out, id);
    buf_putc(out, ',');
    size_t at = out->len;
    json_put(out, verdict);
    memmove(out->p + at, out->p + at + 1, out->len - at - 1); // its brace
    out->p[out->len - 1] = '\n';
}

// With the lock of printing. When it fails, the service has failed, and everybody knows.
static void print(Stream *s) {
    Err e = {0};
    bool ok = io_write_all(s->out, s->text.p, s->text.len, &e);
    arena_reset(&s->arena, (ArenaMark){0});
    s->text = BUF(&s->arena);
    if (ok) return;
    err_prefix(&e, "answers");
    service_fail(s->service, &e);
}

static bool accepts(const Answer *a) {
    if (a->kind == ANSWER_KNOWN) return json_is_true(json_object_get(a->known, "accepted"));
    return a->kind == ANSWER_JUDGED && verdict_accepted(a->verdict);
}

// The next step of the ladder. What has been written behind other answers of this thread waits no longer.
static void climb(Stream *s, Request *q, bool more) {
    pthread_mutex_lock(&s->printing);
    if (!more && s->text.len) print(s);
    pthread_mutex_unlock(&s->printing);
    q->ladder = false;
    q->ask.level = LEVEL_FULL;
    service_submit_again(s->service, &q->ask);
}

static void answer_and_forget(Request *q, json_t *verdict, bool more) {
    Stream *s = q->stream;
    pthread_mutex_lock(&s->printing);
    put_answer(&s->text, q->id, verdict);
    if (!more) print(s);
    pthread_mutex_unlock(&s->printing);
    atomic_fetch_sub(&q->op->users, 1);
    free(q);
}

static void timed(void *arg, TimesAsk *t) {
    const Request *q = arg;
    const StreamOptions *o = q->stream->options;
    if (o->timed) o->timed(o->arg, t);
    answer_and_forget(arg, t->verdict, false);
}

// What level full accepts is timed before it is answered; what waits behind other answers of this thread
// waits no longer.
static void measure(Stream *s, Request *q, json_t *verdict, bool more) {
    pthread_mutex_lock(&s->printing);
    if (!more && s->text.len) print(s);
    pthread_mutex_unlock(&s->printing);
    q->time = (TimesAsk){.op = q->ask.op,
                         .filter = q->ask.filter,
                         .source = q->ask.source,
                         .place = q->place,
                         .places = q->time.places,
                         .verdict = verdict,
                         .timed = timed,
                         .arg = q};
    stream_times_ask(s->times, &q->time);
}

static void answered(void *arg, const Answer *a) {
    Request *q = arg;
    Stream *s = q->stream;
    if (q->ladder && accepts(a)) return climb(s, q, a->more);
    // Nobody hears what the world's end had to say to each.
    if (a->kind == ANSWER_LOST) {
        atomic_fetch_sub(&q->op->users, 1);
        free(q);
        return;
    }
    // A copy: the journal's record is not to be changed by times.
    json_t *verdict =
        a->kind == ANSWER_KNOWN ? json_copy((json_t *)(uintptr_t)a->known) : verdict_object(a->verdict);
    if (q->time.places && accepts(a)) return measure(s, q, verdict, a->more);
    answer_and_forget(q, verdict, a->more);
}

static void answer_bad_line(Stream *s, const StreamRequest *l) {
    Verdict v = {.op = STR(""),
                 .decision = {.status = STATUS_referee_error, .rule = "request", .feedback = l->bad},
                 .domain.contiguous = l->layout == LAYOUT_CONTIGUOUS,
                 .judged.level = l->levels == LEVELS_FULL ? LEVEL_FULL : LEVEL_QUICK};
    pthread_mutex_lock(&s->printing);
    put_answer(&s->text, l->id, verdict_object(&v));
    print(s);
    pthread_mutex_unlock(&s->printing);
}

// ---- requests

static KnownOp *known_slot(Stream *s) {
    if (s->knowns < KNOWN_MAX) {
        KnownOp *k = calloc(1, sizeof *k);
        if (!k) abort();
        return s->known[s->knowns++] = k;
    }
    KnownOp *oldest = NULL;
    for (int i = 0; i < KNOWN_MAX; i++)
        if (!atomic_load(&s->known[i]->users) && (!oldest || s->known[i]->used < oldest->used))
            oldest = s->known[i];
    if (!oldest) return NULL;
    arena_free(&oldest->arena);
    oldest->bad = NULL;
    return oldest;
}

static bool same_asked(const OpAsked *x, const OpAsked *y) {
    return x->module == y->module && x->domain.layout == y->domain.layout &&
           x->domain.tf32 == y->domain.tf32 && x->domain.quick == y->domain.quick &&
           x->domain.shapes == y->domain.shapes && x->domain.library == y->domain.library &&
           x->domain.ragged == y->domain.ragged && str_eq(x->text, y->text);
}

// Definitions are read and checked once, so that requests are judged by the same text while it is known.
static KnownOp *known_op(Stream *s, const StreamRequest *l) {
    // Where level full may come, a module has long sizes, too.
    const DomainAsked domain = {.layout = l->layout,
                                .modules = true,
                                .tf32 = l->tf32,
                                .ragged = l->ragged,
                                .shapes = l->shapes,
                                .library = l->library,
                                .quick = l->levels == LEVELS_QUICK};
    const bool module = l->module.p != NULL;
    OpAsked asked = {module ? l->module : l->op, module, domain};
    for (int i = 0; i < s->knowns; i++)
        if (same_asked(&s->known[i]->asked, &asked)) {
            s->known[i]->used = ++s->uses;
            return s->known[i];
        }
    KnownOp *k = known_slot(s);
    if (!k) return NULL;
    char *text = str_cdup(&k->arena, asked.text);
    asked.text = (Str){text, asked.text.len};
    k->used = ++s->uses;
    k->asked = asked;
    Err e = {0};
    if (!(module ? service_module(s->service, &k->arena, asked.text, &domain, &k->op, &e)
                 : service_op(s->service, &k->arena, text, &domain, &k->op, &e)))
        k->bad = arena_strndup(&k->arena, e.msg, strlen(e.msg));
    return k;
}

// What a module leaves nothing to say about. NULL: none of it was given.
static const char *beside_module(const StreamRequest *l) {
    if (l->manifest.len) return "manifest";
    if (l->filter.m > 0) return "shape";
    if (l->filter.dtype >= 0) return "dtype";
    return l->places ? "time" : NULL;
}

static void submit(Stream *s, const StreamRequest *l, KnownOp *k) {
    Request *q = malloc(sizeof *q + l->id.len + l->source.len);
    if (!q) abort();
    *q = (Request){.stream = s, .op = k, .ladder = l->levels == LEVELS_LADDER, .id = {q->text, l->id.len}};
    memcpy(q->text, l->id.p, l->id.len);
    memcpy(q->text + l->id.len, l->source.p, l->source.len);
    memcpy(q->place, l->place, sizeof q->place);
    q->time.places = l->places;
    q->ask = (Submission){.op = &k->op,
                          .level = l->levels == LEVELS_FULL ? LEVEL_FULL : LEVEL_QUICK,
                          .filter = l->filter,
                          .source = {q->text + l->id.len, l->source.len},
                          .answered = answered,
                          .arg = q};
    atomic_fetch_add(&k->users, 1);
    service_submit(s->service, &q->ask);
}

static void read_request(Stream *s, Arena *a, Str line, long number) {
    StreamRequest l;
    stream_request_read(a, line, number, s->levels, &l);
    if (l.layout == LAYOUT_DECLARED) l.layout = s->layout;
    KnownOp *k = l.bad ? NULL : known_op(s, &l);
    if (!l.bad && (!k || k->bad))
        l.bad = arena_printf(a, "line %ld: %s", number, k ? k->bad : "too many different ops at once");
    const char *beside = !l.bad && k->op.form ? beside_module(&l) : NULL;
    if (beside)
        l.bad =
            arena_printf(a, "line %ld: \"%s\" does not go with a reference in module form", number, beside);
    // What is written from a manifest is the request's source from here on: for the hash, the key of
    // equals and the verdict. A kernel that the source lacks is the source's fault.
    Err e = {0};
    Str include = referee_extras(service_referee(s->service)).include;
    if (!l.bad && l.manifest.len &&
        !manifest_apply(a,
                        &(ManifestRequest){"manifest", l.manifest, &k->op, l.source, false, include, false},
                        &l.source, &e))
        l.bad = arena_printf(a, "line %ld: %s", number, e.msg);
    IncludedHost whole = {.source = l.source};
    if (!l.bad && include.len) included_host(a, l.source, include, (Str){0}, &whole);
    l.source = whole.source;
    if (l.bad)
        answer_bad_line(s, &l);
    else
        submit(s, &l, k);
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

static void listen_to_signals(const Stream *s) {
    stop_wake = s->wake;
    // The second signal is not ours any more: it ends the process.
    struct sigaction stop = {.sa_handler = on_signal, .sa_flags = (int)(SA_RESETHAND | SA_RESTART)};
    sigaction(SIGTERM, &stop, NULL);
    sigaction(SIGINT, &stop, NULL);
}

static void ignore_no_signals(void) {
    signal(SIGTERM, SIG_DFL);
    signal(SIGINT, SIG_DFL);
}

// ---- the reader

static bool is_blank(Str line) {
    for (size_t i = 0; i < line.len; i++)
        if (!strchr(" \t\r", line.p[i]) || !line.p[i]) return false;
    return true;
}

// Sleeps until there is something to read (if it may be read) or somebody wakes the reader. True: read.
static bool wait_input(Stream *s, int in, bool may_read, int timeout) {
    struct pollfd p[2] = {{.fd = s->wake, .events = POLLIN}, {.fd = may_read ? in : -1, .events = POLLIN}};
    if (poll(p, 2, timeout) <= 0) return false;
    uint64_t count;
    if (p[0].revents) (void)!read(s->wake, &count, sizeof count);
    return p[1].revents != 0;
}

// While more lines come in, draws that could still fill wait for them.
static void gather(Stream *s, bool on) {
    if (s->gathering != on) service_gather(s->service, on ? GATHER_FAST : GATHER_NONE);
    s->gathering = on;
}

// Reads lines until their end, a failure or a signal, never more than there is room for.
static bool read_all(Stream *s, LineReader *r, Err *e) {
    Arena a = {0};
    bool ok = true;
    while (ok && !stop_asked && !service_failed(s->service)) {
        if (!service_room(s->service) || !stream_times_room(s->times)) {
            s->gathering = false;
            wait_input(s, r->fd, false, -1);
            continue;
        }
        Str line;
        LineState state = reader_next(r, &line);
        if (state == LINE_END) break;
        if (state == LINE_NONE) {
            bool more = wait_input(s, r->fd, true, 0);
            if (!more) {
                gather(s, false);
                more = wait_input(s, r->fd, true, -1);
            }
            if (more) ok = reader_fill(r, e);
            continue;
        }
        if (state == LINE_READY && is_blank(line)) continue;
        gather(s, true);
        read_request(s, &a, line, r->line);
        arena_reset(&a, (ArenaMark){0});
    }
    arena_free(&a);
    return ok;
}

// A signal that comes meanwhile ends what waits.
static bool finish_times(Stream *s, Err *e) {
    enum { A_MOMENT_MS = 200 };
    Err why = {0};
    while (!stream_times_wait(s->times, A_MOMENT_MS))
        if (stop_asked) stream_times_stop(s->times);
    bool ok = stream_times_close(s->times, &why);
    s->times = NULL;
    if (!ok) *e = why;
    return ok;
}

static bool serve(Stream *s, Referee *referee, int in, const StreamOptions *o, Err *e) {
    LineReader r = {0};
    ServiceConfig config = {.known = !o->fresh, .roused = wake_reader, .arg = s};
    bool ok = reader_open(&r, in, e) && service_open(referee, &config, &s->service, e);
    if (ok) {
        s->times = stream_times_open(s->service, o->measurer, &o->timer, wake_reader, s);
        listen_to_signals(s);
        ok = read_all(s, &r, e);
        if (!ok) service_fail(s->service, e);
        if (stop_asked) service_cancel(s->service, false);
        if (stop_asked || !ok) stream_times_stop(s->times);
        ok = service_wait(s->service, e);
        ok = finish_times(s, e) && ok;
        ignore_no_signals();
    }
    service_close(s->service);
    reader_close(&r);
    return ok;
}

bool stream_run(Referee *referee, int in, int out, const StreamOptions *o, Err *e) {
    Stream *s = calloc(1, sizeof *s);
    if (!s) abort();
    *s = (Stream){.levels = o->levels,
                  .layout = o->layout,
                  .options = o,
                  .out = out,
                  .wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
    s->text = BUF(&s->arena);
    pthread_mutex_init(&s->printing, NULL);
    bool ok = s->wake >= 0 ? serve(s, referee, in, o, e) : err_set(e, ERR_IO, "eventfd: %s", strerror(errno));
    if (s->wake >= 0) close(s->wake);
    pthread_mutex_destroy(&s->printing);
    for (int i = 0; i < s->knowns; i++) {
        arena_free(&s->known[i]->arena);
        free(s->known[i]);
    }
    arena_free(&s->arena);
    free(s);
    return ok;
}
