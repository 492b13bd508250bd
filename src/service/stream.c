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

#include "base/clock.h"
#include "base/io.h"
#include "service/manifest/included_host.h"
#include "service/manifest/manifest.h"
#include "service/service.h"
#include "service/stream_groups.h"
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
    StreamGroups *groups;
    Levels levels;      // where a request names no level
    LayoutAsked layout; // the same
    const StreamOptions *options;
    int out, wake; // wake: an eventfd for the reader
    bool gathering;
    double silent; // since when there is nothing to read; 0: there was
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
    bool ladder; // full comes after quick, or may
    Str group;   // empty: it has none
    GroupMember member;
    Str line; // from malloc: quick's answer, while the group holds it
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

static void forget(Request *q) {
    atomic_fetch_sub(&q->op->users, 1);
    free((char *)(uintptr_t)q->line.p);
    free(q);
}

// What has been written behind other answers of this thread waits no longer when none follows.
static void flush(Stream *s, bool more) {
    pthread_mutex_lock(&s->printing);
    if (!more && s->text.len) print(s);
    pthread_mutex_unlock(&s->printing);
}

// The next step of the ladder.
static void climb(void *arg) {
    Request *q = arg;
    q->ladder = false;
    q->ask.level = LEVEL_FULL;
    service_submit_again(q->stream->service, &q->ask);
}

static void put_group(const Request *q, json_t *verdict) {
    if (!q->group.len) return;
    bool best = q->member.best && json_is_true(json_object_get(verdict, "accepted"));
    json_object_set_new(verdict, "group",
                        json_pack("{s:s%, s:b}", "name", q->group.p, q->group.len, "best", best));
}

// Takes the reference, and is the request's end.
static void answer(Request *q, json_t *verdict) {
    Stream *s = q->stream;
    put_group(q, verdict);
    pthread_mutex_lock(&s->printing);
    put_answer(&s->text, q->id, verdict);
    pthread_mutex_unlock(&s->printing);
    forget(q);
}

static void timed(void *arg, TimesAsk *t) {
    const Request *q = arg;
    Stream *s = q->stream;
    const StreamOptions *o = s->options;
    if (o->timed) o->timed(o->arg, t);
    answer(arg, t->verdict);
    flush(s, false);
}

// What level full accepts is timed before it is answered.
static void measure(Stream *s, Request *q, json_t *verdict) {
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

// A copy: the journal's record is not to be changed by times.
static json_t *verdict_of(const Answer *a) {
    return a->kind == ANSWER_KNOWN ? json_copy((json_t *)(uintptr_t)a->known) : verdict_object(a->verdict);
}

// Quick accepts a member of a group. Its answer is written down, for the case that it stands.
static void hold(Stream *s, Request *q, const Answer *a) {
    Arena line = {0};
    Buf b = BUF(&line);
    json_t *verdict = verdict_of(a), *traffic = json_object_get(verdict, "traffic");
    const GroupRank rank = {json_number_value(json_object_get(traffic, "ratio")),
                            json_integer_value(json_object_get(traffic, "launches"))};
    put_group(q, verdict);
    put_answer(&b, q->id, verdict);
    char *text = malloc(b.len);
    if (!text) abort();
    memcpy(text, b.p, b.len);
    q->line = (Str){text, b.len};
    q->member.bytes = sizeof *q + q->ask.source.len + b.len;
    arena_free(&line);
    groups_hold(s->groups, &q->member, &rank);
}

static void stop_member(Request *q) {
    Verdict v = {
        .op = STR(""),
        .decision = {.status = STATUS_referee_error,
                     .rule = "group",
                     .feedback = "The referee was asked to stop before the best of the group was judged"},
        .judged.level = LEVEL_FULL};
    answer(q, verdict_object(&v));
}

// What full has said of an equal program costs nothing, and nobody is told that quick accepts what full is
// known to reject.
static void leave(void *arg, GroupEnd why) {
    Request *q = arg;
    Stream *s = q->stream;
    if (why == GROUP_LOST) return forget(q);
    if (why == GROUP_STOPPED) return stop_member(q);
    q->ask.level = LEVEL_FULL;
    if (service_knows(s->service, &q->ask)) return climb(q);
    pthread_mutex_lock(&s->printing);
    buf_str_put(&s->text, q->line);
    pthread_mutex_unlock(&s->printing);
    forget(q);
}

// A member's answer that is not quick's yes.
static void tell_group(Stream *s, Request *q, bool accepted) {
    if (!q->member.group) return;
    if (q->ladder)
        groups_miss(s->groups, &q->member);
    else
        groups_judged(s->groups, &q->member, accepted);
}

static void answered(void *arg, const Answer *a) {
    Request *q = arg;
    Stream *s = q->stream;
    // Nobody hears what the world's end had to say to each.
    if (a->kind == ANSWER_LOST) return forget(q);
    const bool yes = accepts(a);
    if (q->ladder && yes) {
        q->group.len ? hold(s, q, a) : climb(q);
        return flush(s, a->more);
    }
    json_t *verdict = verdict_of(a);
    tell_group(s, q, yes);
    if (q->time.places && yes)
        measure(s, q, verdict);
    else
        answer(q, verdict);
    flush(s, a->more);
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

// What all of a group share, so that there is a best among them.
static Sha256 group_same(const KnownOp *k, const DrawFilter *f) {
    Arena a = {0};
    Buf b = BUF(&a);
    const DomainAsked *d = &k->asked.domain;
    buf_printf(&b, "%d %d %d %d %d %d %d %lld %lld %d ", k->asked.module, (int)d->layout, d->tf32, d->ragged,
               (int)d->shapes, d->library, d->quick, (long long)f->m, (long long)f->n, f->dtype);
    buf_str_put(&b, k->asked.text);
    Sha256 h = sha256_of(buf_str(&b));
    arena_free(&a);
    return h;
}

// False: its group is of something else.
static bool submit(Stream *s, const StreamRequest *l, KnownOp *k) {
    Request *q = malloc(sizeof *q + l->id.len + l->source.len + l->group.len);
    if (!q) abort();
    char *source = q->text + l->id.len, *group = source + l->source.len;
    *q = (Request){.stream = s,
                   .op = k,
                   .ladder = l->levels == LEVELS_LADDER,
                   .id = {q->text, l->id.len},
                   .group = {group, l->group.len}};
    memcpy(q->text, l->id.p, l->id.len);
    memcpy(source, l->source.p, l->source.len);
    if (l->group.len) memcpy(group, l->group.p, l->group.len);
    memcpy(q->place, l->place, sizeof q->place);
    q->time.places = l->places;
    q->ask = (Submission){.op = &k->op,
                          .level = l->levels == LEVELS_FULL ? LEVEL_FULL : LEVEL_QUICK,
                          .filter = l->filter,
                          .source = {source, l->source.len},
                          .answered = answered,
                          .arg = q};
    q->member.arg = q;
    if (l->group.len &&
        !groups_join(s->groups, &(GroupAsked){l->group, l->of, group_same(k, &l->filter)}, &q->member)) {
        free(q);
        return false;
    }
    atomic_fetch_add(&k->users, 1);
    service_submit(s->service, &q->ask);
    return true;
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
    if (!l.bad && !submit(s, &l, k))
        l.bad =
            arena_printf(a,
                         "line %ld: \"group\": all of \"%.*s\" have one op or module, with one shape, dtype, "
                         "layout and options, and the same \"of\"",
                         number, STR_ARG(l.group));
    if (l.bad) answer_bad_line(s, &l);
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

// What waits in groups takes room, too.
static bool has_room(Stream *s) {
    const GroupLoad held = groups_load(s->groups);
    return service_room_beside(s->service, held.n, held.bytes) && stream_times_room(s->times);
}

// Groups that nothing under way can complete make room for others. False: there is something to wait for.
static bool make_room(Stream *s) {
    enum { FEW = SERVICE_WAITING / 2, SMALL = SERVICE_BYTES / 2 };
    const GroupLoad held = groups_load(s->groups);
    if (!held.open || (held.n <= FEW && held.bytes <= SMALL) || !service_idle(s->service)) return false;
    groups_cut(s->groups, FEW, SMALL);
    flush(s, false);
    return true;
}

// Nothing to read yet. When nobody has written anything for a while, nor is anything under way, no group
// waits for members any more: one that writes without a pause is not cut, however it is scheduled.
static bool wait_more(Stream *s, int in) {
    enum { PAUSE_MS = 1000 };
    if (wait_input(s, in, true, 0)) return true;
    gather(s, false);
    const bool open = groups_load(s->groups).open > 0;
    if (s->silent <= 0) s->silent = clock_seconds();
    if (wait_input(s, in, true, open ? PAUSE_MS : -1)) return true;
    if (open && 1000 * (clock_seconds() - s->silent) >= PAUSE_MS && service_idle(s->service)) {
        groups_cut(s->groups, 0, 0);
        flush(s, false);
    }
    return false;
}

// Reads lines until their end, a failure or a signal, never more than there is room for.
static bool read_all(Stream *s, LineReader *r, Err *e) {
    Arena a = {0};
    bool ok = true;
    while (ok && !stop_asked && !service_failed(s->service)) {
        if (!has_room(s)) {
            s->gathering = false;
            if (!make_room(s)) wait_input(s, r->fd, false, -1);
            continue;
        }
        Str line;
        LineState state = reader_next(r, &line);
        if (state == LINE_END) break;
        if (state == LINE_NONE) {
            if (!wait_more(s, r->fd)) continue;
            s->silent = 0;
            ok = reader_fill(r, e);
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

// No more members come.
static void end_groups(Stream *s) {
    if (stop_asked)
        groups_stop(s->groups);
    else
        groups_cut(s->groups, 0, 0);
    flush(s, false);
}

static bool serve(Stream *s, Referee *referee, int in, const StreamOptions *o, Err *e) {
    LineReader r = {0};
    ServiceConfig config = {.known = !o->fresh, .roused = wake_reader, .arg = s};
    bool ok = reader_open(&r, in, e) && service_open(referee, &config, &s->service, e);
    if (ok) {
        s->groups = groups_open(&(GroupCalls){climb, leave});
        s->times = stream_times_open(s->service, o->measurer, &o->timer, wake_reader, s);
        listen_to_signals(s);
        ok = read_all(s, &r, e);
        if (!ok) service_fail(s->service, e);
        end_groups(s);
        if (stop_asked) service_cancel(s->service, false);
        if (stop_asked || !ok) stream_times_stop(s->times);
        ok = service_wait(s->service, e);
        ok = finish_times(s, e) && ok;
        groups_close(s->groups);
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
