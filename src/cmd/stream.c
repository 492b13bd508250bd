// From the queue to the answers: duplicates, batches and the threads that work on them; stream_intake.c fills
// the queue.
#include "cmd/stream_state.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/io.h"

enum {
    SPARE_THREADS = 2, // beside one for each job: they wait for the disk while others compute
    GATHER = 256,      // while more lines come in, draws that could still fill wait for this many requests
    FLUSH_MAX = 256,   // duplicates that are answered together
    TIDY_AFTER = 4096, // verdicts
};

static void fail(Stream *s, const Err *e) { // with the lock held
    if (!s->failed) s->why = *e;
    s->failed = true;
    pthread_cond_broadcast(&s->stirred);
    (void)!write(s->wake, &(uint64_t){1}, sizeof(uint64_t));
}

// ---- answers

void stream_print(Stream *s, Str text) {
    Err e = {0};
    pthread_mutex_lock(&s->printing);
    bool ok = io_write_all(s->out, text.p, text.len, &e);
    pthread_mutex_unlock(&s->printing);
    if (ok) return;
    err_prefix(&e, "answers");
    pthread_mutex_lock(&s->lock);
    fail(s, &e);
    pthread_mutex_unlock(&s->lock);
}

// {"id":..., the verdict}
static void put_answer(Buf *out, Str id, json_t *verdict) {
    buf_puts(out, "{\"id\":");
    buf_str_put(out, id);
    buf_putc(out, ',');
    size_t at = out->len;
    json_put(out, verdict);
    memmove(out->p + at, out->p + at + 1, out->len - at - 1); // its brace
    out->p[out->len - 1] = '\n';
}

void put_undecided(Buf *out, Str id, Level level, const char *rule, const char *why) {
    Verdict v = {.op = STR(""),
                 .decision = {.status = STATUS_referee_error, .rule = rule, .feedback = why},
                 .judged.level = level};
    put_answer(out, id, verdict_object(&v));
}

// With the lock held: the request is answered, or nobody will answer it.
static void request_free(Stream *s, Request *q) {
    s->waiting--;
    s->bytes -= q->bytes;
    q->op->users--;
    free(q->answer);
    free(q->record);
    free(q);
    if (s->no_room) (void)!write(s->wake, &(uint64_t){1}, sizeof(uint64_t));
}

// ---- duplicates

static Request **flight_bucket(Stream *s, const VerdictKey *key) {
    return &s->flight[str_hash((Str){key->hex, 64}) % FLIGHT_BUCKETS];
}

static Request *flight_find(Stream *s, const VerdictKey *key) {
    Request *q = *flight_bucket(s, key);
    while (q && strcmp(q->key.hex, key->hex) != 0) q = q->chain;
    return q;
}

static void flight_end(Stream *s, Request *q) {
    if (!q->in_flight) return;
    Request **at = flight_bucket(s, &q->key);
    while (*at != q) at = &(*at)->chain;
    *at = q->chain;
    q->in_flight = false;
}

static void make_ready(Stream *s, Request *q) {
    q->next = NULL;
    *s->ready_last = q;
    s->ready_last = &q->next;
}

static void enqueue(Stream *s, Request *q) {
    QueueKey key = {&q->op->op, q->level, q->filter};
    queue_put(&s->queue, &key, &q->item);
}

// An answer from the journal, if there is one. Without the lock.
static bool answer_from_journal(Stream *s, Request *q) {
    json_t *verdict = verdict_cache_find(s->memo, &q->key, q->source);
    if (!verdict) return false;
    Arena a = {0};
    Buf answer = BUF(&a), record = BUF(&a);
    json_put(&record, json_pack("{s:s, s:O, s:s}", "record", "duplicate", "sha256",
                                json_object_get(verdict, "source_sha256"), "of", q->key.hex));
    put_answer(&answer, q->id, verdict);
    q->answer = strndup(answer.p, answer.len);
    q->record = strndup(record.p, record.len);
    arena_free(&a);
    if (!q->answer || !q->record) abort();
    return true;
}

static void flush_ready(Stream *s, Request *list, int n) {
    Arena a = {0};
    Str *record = NEWN(&a, Str, (size_t)n);
    Buf text = BUF(&a);
    int k = 0;
    for (Request *q = list; q; q = q->next) {
        record[k++] = str_of(q->record);
        buf_puts(&text, q->answer);
    }
    Err e = {0};
    bool ok = journal_append(referee_journal(s->referee), record, k, NULL, &e);
    if (ok) stream_print(s, buf_str(&text));
    arena_free(&a);
    pthread_mutex_lock(&s->lock);
    if (!ok) fail(s, &e);
    for (Request *q = list, *next; q; q = next) {
        next = q->next;
        request_free(s, q);
    }
}

// A new request: answered from the journal, or waiting for its equal that is under way, or queued.
void stream_admit(Stream *s, Request *q) {
    bool answered = false;
    if (s->memo) {
        q->key = verdict_cache_key(s->memo, &q->op->op, q->level, &q->filter, q->source);
        q->keyed = true;
        // Before the table of what is in flight: what ends in between is judged once more, which is no harm.
        answered = answer_from_journal(s, q);
    }
    pthread_mutex_lock(&s->lock);
    s->waiting++;
    s->bytes += q->bytes;
    q->op->users++;
    Request *twin = q->keyed && !answered ? flight_find(s, &q->key) : NULL;
    if (answered) {
        make_ready(s, q);
    } else if (twin) {
        q->next = twin->twins;
        twin->twins = q;
    } else {
        if (q->keyed) {
            Request **bucket = flight_bucket(s, &q->key);
            q->chain = *bucket;
            *bucket = q;
            q->in_flight = true;
        }
        enqueue(s, q);
    }
    stream_stir(s);
    pthread_mutex_unlock(&s->lock);
}

// ---- batches: freeze, draw, judge, commit

static json_t *note(void *arg, int i, const Verdict *v) {
    Batch *b = arg;
    const Request *q = b->request[i];
    json_t *o = q->keyed ? verdict_cache_note(&q->key, q->source, v) : NULL;
    b->noted[i] = o != NULL;
    return o;
}

// With the lock held.
static Batch *batch_open(Stream *s, const QueueKey *key, QueueItem **item, int n) {
    Batch *b = calloc(1, sizeof *b);
    if (!b) abort();
    b->n = n;
    b->ask = (JudgeRequest){
        .op = key->op, .level = key->level, .filter = key->filter, .note = note, .note_arg = b};
    for (int i = 0; i < n; i++) {
        b->request[i] = (Request *)item[i];
        b->source[i] = b->request[i]->source;
    }
    *s->last = b;
    s->last = &b->next;
    return b;
}

static void batch_drop(Stream *s, Batch *b) { // with the lock held
    Batch **at = &s->first;
    while (*at != b) at = &(*at)->next;
    *at = b->next;
    if (!*at) s->last = at;
    if (b->round) round_close(b->round);
    free(b);
}

// The twins of a verdict that is durable now, and whoever it does not answer for. Without the lock.
static void serve_twins(Stream *s, Request *twin) {
    for (Request *next; twin; twin = next) {
        next = twin->next;
        bool answered = answer_from_journal(s, twin);
        pthread_mutex_lock(&s->lock);
        if (answered)
            make_ready(s, twin);
        else
            enqueue(s, twin); // on its own: it is the same program, but not the same sentence
        pthread_mutex_unlock(&s->lock);
    }
}

// Answers all of a batch; with the lock held, which is let go meanwhile. `why`: it could not be drawn.
static void batch_answer(Stream *s, Batch *b, const char *why) {
    Request *twins[DRAW_SHARE_MAX] = {0};
    pthread_mutex_unlock(&s->lock);
    Arena a = {0};
    Buf text = BUF(&a);
    for (int i = 0; i < b->n; i++)
        if (why)
            put_undecided(&text, b->request[i]->id, b->ask.level, "draw", why);
        else
            put_answer(&text, b->request[i]->id, verdict_object(&b->verdict[i]));
    stream_print(s, buf_str(&text));
    arena_free(&a);
    pthread_mutex_lock(&s->lock);
    for (int i = 0; i < b->n; i++) {
        flight_end(s, b->request[i]);
        twins[i] = b->request[i]->twins;
        request_free(s, b->request[i]);
    }
    pthread_mutex_unlock(&s->lock);
    for (int i = 0; i < b->n; i++)
        if (twins[i]) serve_twins(s, twins[i]);
    pthread_mutex_lock(&s->lock);
    batch_drop(s, b);
}

// Whoever leaves with a step wakes another worker for the next one, if there is one: that one does the same.
// Who comes back with the lock looks for a step of its own.
static void leave(Stream *s) {
    stream_stir(s);
    pthread_mutex_unlock(&s->lock);
}

static void do_freeze(Stream *s, Batch *b) {
    b->busy = true;
    leave(s);
    Err e = {0};
    b->round = round_open(s->referee, &b->ask, b->source, b->n, b->verdict);
    bool ok = round_freeze(b->round, &e);
    pthread_mutex_lock(&s->lock);
    b->busy = false;
    b->stage = STAGE_DRAW;
    if (!ok) fail(s, &e);
}

static void do_draw(Stream *s, Batch *b, Pool *alone) {
    // When nobody else computes, all cores work on this draw.
    bool together = s->computing == 0 && !s->pool_taken;
    b->busy = true;
    s->pool_taken |= together;
    s->computing++;
    leave(s);
    Err e = {0};
    bool ok = round_draw(b->round, together ? referee_pool(s->referee) : alone, &e);
    pthread_mutex_lock(&s->lock);
    s->computing--;
    if (together) {
        s->pool_taken = false;
        pthread_cond_signal(&s->pool_free);
    }
    if (ok) {
        b->busy = false;
        b->stage = STAGE_JUDGE;
    } else {
        batch_answer(s, b, e.msg);
    }
}

static void do_judge(Stream *s, Batch *b) {
    int i = b->taken++;
    s->computing++;
    leave(s);
    round_judge(b->round, i);
    Err e = {0};
    bool lost = referee_lost(s->referee, &e);
    pthread_mutex_lock(&s->lock);
    if (lost) fail(s, &e);
    s->computing--;
    if (++b->judged == b->n) b->stage = STAGE_COMMIT;
}

static void do_commit(Stream *s, Batch *b) {
    b->busy = true;
    leave(s);
    Err e = {0};
    off_t at[DRAW_SHARE_MAX];
    bool ok = round_commit(b->round, at, &e);
    for (int i = 0; ok && i < b->n; i++)
        if (b->noted[i]) verdict_cache_put(s->memo, &b->request[i]->key, at[i]);
    pthread_mutex_lock(&s->lock);
    bool tidy = (s->untidy += b->n) >= TIDY_AFTER;
    if (tidy) s->untidy = 0;
    if (ok)
        batch_answer(s, b, NULL);
    else
        fail(s, &e);
    if (!tidy) return;
    pthread_mutex_unlock(&s->lock);
    arena_give_back();
    pthread_mutex_lock(&s->lock);
}

static void do_flush(Stream *s) {
    Request *list = s->ready, *q = list;
    int n = 1;
    for (; n < FLUSH_MAX && q->next; n++) q = q->next;
    s->ready = q->next;
    if (!s->ready) s->ready_last = &s->ready;
    q->next = NULL;
    s->flushing = true;
    leave(s);
    flush_ready(s, list, n); // comes back with the lock
    s->flushing = false;
}

// ---- threads

static Batch *batch_at(const Stream *s, Stage stage) {
    for (Batch *b = s->first; b; b = b->next)
        if (b->stage == stage && !b->busy && (stage != STAGE_JUDGE || b->taken < b->n)) return b;
    return NULL;
}

// One batch ahead of what is computed: its hashes reach the disk and its draw is made while the last
// candidates of the one before are judged; a later start would find more to share the draw.
static bool start_batch(Stream *s) {
    int undrawn = 0, untaken = 0;
    for (const Batch *b = s->first; b; b = b->next) {
        undrawn += b->stage < STAGE_JUDGE;
        if (b->stage == STAGE_JUDGE) untaken += b->n - b->taken;
    }
    if (undrawn >= s->jobs || untaken > 4 * s->jobs || (undrawn > 0 && untaken > s->jobs)) return false;
    QueueKey key;
    QueueItem *item[DRAW_SHARE_MAX];
    int n = queue_take(&s->queue, !s->gathering || s->queue.count >= GATHER, &key, item);
    if (n) batch_open(s, &key, item, n);
    return n > 0;
}

// What can be done now: what frees memory before what needs it.
typedef enum { STEP_NONE, STEP_COMMIT, STEP_FLUSH, STEP_JUDGE, STEP_DRAW, STEP_FREEZE } Step;
static Step next_step(const Stream *s, Batch **b) {
    bool idle_core = s->computing < s->jobs;
    if ((*b = batch_at(s, STAGE_COMMIT))) return STEP_COMMIT;
    if (s->ready && !s->flushing) return STEP_FLUSH;
    if (idle_core && (*b = batch_at(s, STAGE_JUDGE))) return STEP_JUDGE;
    if (idle_core && (*b = batch_at(s, STAGE_DRAW))) return STEP_DRAW;
    return (*b = batch_at(s, STAGE_FREEZE)) ? STEP_FREEZE : STEP_NONE;
}

void stream_stir(Stream *s) {
    Batch *b;
    while (start_batch(s)) {}
    if (next_step(s, &b) != STEP_NONE) pthread_cond_signal(&s->stirred);
}

// One step of work; false when there is none now.
static bool work(Stream *s, Pool *alone) {
    Batch *b;
    while (start_batch(s)) {}
    switch (next_step(s, &b)) {
    case STEP_NONE: return false;
    case STEP_COMMIT: do_commit(s, b); break;
    case STEP_FLUSH: do_flush(s); break;
    case STEP_JUDGE: do_judge(s, b); break;
    case STEP_DRAW: do_draw(s, b, alone); break;
    case STEP_FREEZE: do_freeze(s, b); break;
    }
    return true;
}

static void *worker(void *arg) {
    Stream *s = arg;
    Pool *alone = pool_open(1);
    pthread_mutex_lock(&s->lock);
    while (!s->failed && !(s->over && s->waiting == 0))
        if (!work(s, alone)) pthread_cond_wait(&s->stirred, &s->lock);
    pthread_cond_broadcast(&s->stirred); // the others have nothing to wait for either
    pthread_mutex_unlock(&s->lock);
    pool_close(alone);
    return NULL;
}

// What has no draw yet is answered without one; twins with whom they wait for.
static void answer_stopped(Stream *s) {
    QueueKey key;
    QueueItem *item[DRAW_SHARE_MAX];
    for (int n; (n = queue_take(&s->queue, true, &key, item));) {
        Batch *b = batch_open(s, &key, item, n);
        b->busy = true;
        for (int i = 0; i < n; i++) {
            Request *q = b->request[i];
            for (Request *t = q->twins, *next; t; t = next) {
                next = t->next;
                t->keyed = false;
                enqueue(s, t);
            }
            q->twins = NULL;
        }
        batch_answer(s, b, "The referee was asked to stop before this was judged");
    }
}

static void free_rest(Stream *s) { // after a failure
    QueueKey key;
    QueueItem *item[DRAW_SHARE_MAX];
    for (int n; (n = queue_take(&s->queue, true, &key, item));) batch_open(s, &key, item, n);
    while (s->first) {
        for (int i = 0; i < s->first->n; i++) {
            Request *q = s->first->request[i];
            for (Request *t = q->twins, *next; t; t = next) {
                next = t->next;
                request_free(s, t);
            }
            request_free(s, q);
        }
        batch_drop(s, s->first);
    }
    for (Request *q = s->ready, *next; q; q = next) {
        next = q->next;
        request_free(s, q);
    }
    queue_free(&s->queue);
    for (int i = 0; i < s->knowns; i++) {
        arena_free(&s->known[i]->arena);
        free(s->known[i]);
    }
}

static bool run(Stream *s, LineReader *r, Err *e) {
    int threads = s->jobs + SPARE_THREADS, started = 0;
    pthread_t *thread = calloc((size_t)threads, sizeof *thread);
    if (!thread) abort();
    while (started < threads && pthread_create(&thread[started], NULL, worker, s) == 0) started++;
    bool ok = started > 0 || err_set(e, ERR_LIMIT, "no thread for the stream");
    ok = ok && intake_run(s, r, e);
    pthread_mutex_lock(&s->lock);
    if (intake_stopped()) answer_stopped(s);
    if (!ok) fail(s, e);
    s->over = true;
    s->gathering = false;
    stream_stir(s);
    pthread_cond_broadcast(&s->stirred);
    pthread_mutex_unlock(&s->lock);
    for (int i = 0; i < started; i++) pthread_join(thread[i], NULL);
    free(thread);
    if (s->failed) *e = s->why;
    return !s->failed;
}

bool stream_run(Referee *referee, int in, int out, Level level, bool fresh, Err *e) {
    Stream *s = calloc(1, sizeof *s);
    if (!s) abort();
    s->referee = referee;
    s->level = level;
    s->out = out;
    s->jobs = pool_size(referee_pool(referee));
    s->last = &s->first;
    s->ready_last = &s->ready;
    pthread_mutex_init(&s->lock, NULL);
    pthread_mutex_init(&s->printing, NULL);
    pthread_cond_init(&s->stirred, NULL);
    pthread_cond_init(&s->pool_free, NULL);
    s->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    LineReader r = {0};
    bool ok = s->wake >= 0 || err_set(e, ERR_IO, "eventfd: %s", strerror(errno));
    ok = ok && reader_open(&r, in, e);
    if (ok && !fresh && referee_journal(referee))
        ok = verdict_cache_open(referee_journal(referee), 0, referee_extras(referee), &s->memo, e);
    if (ok) {
        intake_listen(s);
        ok = run(s, &r, e);
        intake_deaf();
    }
    free_rest(s);
    reader_close(&r);
    verdict_cache_close(s->memo);
    if (s->wake >= 0) close(s->wake);
    pthread_mutex_destroy(&s->lock);
    pthread_mutex_destroy(&s->printing);
    pthread_cond_destroy(&s->stirred);
    pthread_cond_destroy(&s->pool_free);
    free(s);
    return ok;
}
