// From a submission to its answer: the queue, and the threads that take one step of a round at a time.
#include "service/service_state.h"
#include "service/taken_back.h"

#include <assert.h>
#include <stdlib.h>

enum {
    SPARE_THREADS = 2, // beside those that compute: they wait for the disk meanwhile
    HANDOVERS = 8,     // of so many cores one waits at any time for a child to start or end
    MUCH = 256,        // waiting programs: while more comes, draws that could still fill wait for so many
};

void service_fail_locked(Service *s, const Err *e) {
    if (!s->failed) s->why = *e;
    s->failed = true;
    pthread_cond_broadcast(&s->stirred);
    pthread_cond_broadcast(&s->answered);
    if (s->config.roused) s->config.roused(s->config.arg);
}

void job_queue(Service *s, Job *j) {
    const Submission *q = &j->ask;
    QueueKey key = {.op = q->op,
                    .level = q->level,
                    .filter = q->filter,
                    .every_size = q->every_size,
                    .replay = q->seed != NULL,
                    .seed = j->seed};
    queue_put(&s->queue, &key, &j->item);
}

void job_free(Service *s, Job *j) {
    s->waiting--;
    s->bytes -= j->bytes;
    json_decref(j->known);
    free(j);
    if (s->no_room && s->config.roused) s->config.roused(s->config.arg);
    if (s->no_room || s->waiting == 0) pthread_cond_broadcast(&s->answered);
}

// ---- threads

static RoundWork *round_at(const Service *s, Stage stage) {
    for (RoundWork *b = s->first; b; b = b->next)
        if (b->stage == stage && !b->busy && (stage != STAGE_JUDGE || b->taken < b->n)) return b;
    return NULL;
}

static bool may_be_partial(const Service *s) {
    switch (s->gather) {
    case GATHER_NONE: return true;
    case GATHER_SLOW: return !s->first || s->queue.count >= MUCH;
    case GATHER_FAST: return s->queue.count >= MUCH;
    }
    return true;
}

// One round ahead of what is computed: its hashes reach the disk and its draw is made while the last
// candidates of the one before are judged; a later start would find more to share the draw.
static bool start_round(Service *s) {
    int undrawn = 0, untaken = 0;
    for (const RoundWork *b = s->first; b; b = b->next) {
        undrawn += b->stage < STAGE_JUDGE;
        if (b->stage == STAGE_JUDGE) untaken += b->n - b->taken;
    }
    if (undrawn >= s->jobs || untaken > 4 * s->jobs || (undrawn > 0 && untaken > s->jobs)) return false;
    QueueKey key;
    QueueItem *item[DRAW_SHARE_MAX];
    int n = queue_take(&s->queue, may_be_partial(s), &key, item);
    if (n) round_begin(s, &key, item, n);
    return n > 0;
}

// What can be done now: what frees memory before what needs it.
typedef enum { STEP_NONE, STEP_COMMIT, STEP_FLUSH, STEP_JUDGE, STEP_DRAW, STEP_FREEZE } Step;
static Step next_step(const Service *s, RoundWork **b) {
    bool idle_core = s->computing < s->chains;
    if ((*b = round_at(s, STAGE_COMMIT))) return STEP_COMMIT;
    if (s->ready && !s->flushing) return STEP_FLUSH;
    if (idle_core && (*b = round_at(s, STAGE_JUDGE))) return STEP_JUDGE;
    if (idle_core && (*b = round_at(s, STAGE_DRAW))) return STEP_DRAW;
    return (*b = round_at(s, STAGE_FREEZE)) ? STEP_FREEZE : STEP_NONE;
}

void service_stir(Service *s) {
    RoundWork *b;
    while (start_round(s)) {}
    if (next_step(s, &b) != STEP_NONE) pthread_cond_signal(&s->stirred);
}

// One step of work; false when there is none now.
static bool work(Service *s, Pool *alone) {
    RoundWork *b;
    while (start_round(s)) {}
    switch (next_step(s, &b)) {
    case STEP_NONE: return false;
    case STEP_COMMIT: step_commit(s, b); break;
    case STEP_FLUSH: step_flush(s); break;
    case STEP_JUDGE: step_judge(s, b); break;
    case STEP_DRAW: step_draw(s, b, alone); break;
    case STEP_FREEZE: step_freeze(s, b); break;
    }
    return true;
}

static Job *put_before(Job *list, Job *j) {
    j->next = list;
    return j;
}

static Job *with_followers(Service *s, Job *list, Job *j) {
    equals_forget(s, j);
    for (Job *f = j->followers, *next; f; f = next) {
        next = f->next;
        list = put_before(list, f);
    }
    j->followers = NULL;
    return put_before(list, j);
}

// What has no draw yet leaves the queue, and whoever follows it.
static Job *take_queue(Service *s) {
    Job *list = NULL;
    QueueKey key;
    QueueItem *item[DRAW_SHARE_MAX];
    for (int n; (n = queue_take(&s->queue, true, &key, item));)
        for (int i = 0; i < n; i++)
            for (Job *j = (Job *)item[i]; j; j = j->mate) list = with_followers(s, list, j);
    return list;
}

// With the lock held, which is let go meanwhile.
static void answer_without(Service *s, Job *list, AnswerKind kind, const Err *why) {
    pthread_mutex_unlock(&s->lock);
    tell_undecided(list, kind, why);
    pthread_mutex_lock(&s->lock);
    for (Job *j = list, *next; j; j = next) {
        next = j->next;
        job_free(s, j);
    }
}

// After a failure, when no thread is at work any more: nobody waits for an answer in vain.
static void lose_all(Service *s) {
    Job *list = take_queue(s);
    while (s->first) {
        for (int i = 0; i < s->first->n; i++) list = with_followers(s, list, s->first->job[i]);
        round_end(s, s->first);
    }
    for (Job *j = s->ready, *next; j; j = next) {
        next = j->next;
        list = put_before(list, j);
    }
    s->ready = NULL;
    s->ready_last = &s->ready;
    s->lost = true;
    Err why = s->why;
    answer_without(s, list, ANSWER_LOST, &why);
}

static void *worker(void *arg) {
    Service *s = arg;
    Pool *alone = pool_open(1);
    pthread_mutex_lock(&s->lock);
    while (!s->failed && !(s->closing && s->waiting == 0))
        if (!work(s, alone)) pthread_cond_wait(&s->stirred, &s->lock);
    pthread_cond_broadcast(&s->stirred); // the others have nothing to wait for either
    if (--s->alive == 0 && s->failed) lose_all(s);
    pthread_mutex_unlock(&s->lock);
    pool_close(alone);
    return NULL;
}

// ---- submitting

// With the lock held. Who hears that there is none is told when there is.
static bool has_room(Service *s, int beside, size_t bytes) {
    const int n = s->waiting + beside;
    bool room = s->failed || n == 0 || (n < SERVICE_WAITING && s->bytes + bytes < SERVICE_BYTES);
    s->no_room = !room;
    if (room) return true;
    s->gather = GATHER_NONE;
    service_stir(s);
    return false;
}

bool service_room_beside(Service *s, int n, size_t bytes) {
    pthread_mutex_lock(&s->lock);
    bool room = has_room(s, n, bytes);
    pthread_mutex_unlock(&s->lock);
    return room;
}

bool service_room(Service *s) { return service_room_beside(s, 0, 0); }

bool service_idle(Service *s) {
    pthread_mutex_lock(&s->lock);
    bool idle = s->waiting == 0;
    pthread_mutex_unlock(&s->lock);
    return idle;
}

static Job *job_new(const Submission *q) {
    Job *j = calloc(1, sizeof *j);
    if (!j) abort();
    j->ask = *q;
    j->seed = q->seed ? *q->seed : 0;
    j->bytes = sizeof *j + q->source.len;
    return j;
}

typedef enum { WAIT_FOR_ROOM, HAVE_ROOM } Room;

// Room: what goes on (HAVE_ROOM) has had its answer at a cheaper level.
static void submit(Service *s, const Submission *q, int n, bool equals, Room room) {
    assert(n > 0 && n <= DRAW_SHARE_MAX);
    Job *first = NULL;
    size_t bytes = 0;
    for (int i = n - 1; i >= 0; i--) {
        Job *j = job_new(&q[i]);
        bytes += j->bytes;
        j->mate = first;
        first = j;
    }
    first->item.with = n - 1;
    first->item.patient = room == HAVE_ROOM;
    bool known = false;
    if (equals) {
        first->key = verdict_cache_key(s->cache, q->op, q->level, &q->filter, q->source);
        first->keyed = true;
        // Before the table of what is under way: what ends in between is judged once more, which is no harm.
        known = equals_known(s, first);
    }
    pthread_mutex_lock(&s->lock);
    Gather gather = s->gather;
    while (room == WAIT_FOR_ROOM && !has_room(s, 0, 0)) pthread_cond_wait(&s->answered, &s->lock);
    s->gather = gather;
    s->waiting += n;
    s->bytes += bytes;
    equals_admit(s, first, known);
    if (s->lost)
        lose_all(s); // no thread is left that would tell it
    else
        service_stir(s);
    pthread_mutex_unlock(&s->lock);
}

// Of one that is no replay and has no option that the key does not tell.
static bool has_equals(const Service *s, const Submission *q) {
    return s->cache && !q->seed && !q->every_size;
}

bool service_knows(Service *s, const Submission *q) {
    if (!has_equals(s, q)) return false;
    VerdictKey key = verdict_cache_key(s->cache, q->op, q->level, &q->filter, q->source);
    json_t *known = verdict_cache_find(s->cache, &key, q->source);
    json_decref(known);
    return known != NULL;
}

void service_submit(Service *s, const Submission *q) { submit(s, q, 1, has_equals(s, q), WAIT_FOR_ROOM); }
void service_submit_again(Service *s, const Submission *q) { submit(s, q, 1, has_equals(s, q), HAVE_ROOM); }
void service_submit_together(Service *s, const Submission *q, int n) {
    submit(s, q, n, false, WAIT_FOR_ROOM);
}

void service_gather(Service *s, Gather g) {
    pthread_mutex_lock(&s->lock);
    s->gather = g;
    if (g != GATHER_FAST) service_stir(s);
    pthread_mutex_unlock(&s->lock);
}

// ---- ending

void service_cancel(Service *s, bool one_more) {
    static const Err why = {ERR_NONE, "The referee was asked to stop before this was judged"};
    QueueKey key;
    QueueItem *item[DRAW_SHARE_MAX];
    pthread_mutex_lock(&s->lock);
    int n = one_more ? queue_take(&s->queue, true, &key, item) : 0;
    if (n) round_begin(s, &key, item, n);
    answer_without(s, take_queue(s), ANSWER_CANCELLED, &why);
    service_stir(s);
    pthread_mutex_unlock(&s->lock);
}

bool service_wait(Service *s, Err *e) {
    pthread_mutex_lock(&s->lock);
    s->gather = GATHER_NONE;
    service_stir(s);
    while (s->waiting) pthread_cond_wait(&s->answered, &s->lock);
    bool ok = !s->failed;
    if (!ok) *e = s->why;
    pthread_mutex_unlock(&s->lock);
    return ok;
}

void service_fail(Service *s, const Err *e) {
    pthread_mutex_lock(&s->lock);
    service_fail_locked(s, e);
    pthread_mutex_unlock(&s->lock);
}

bool service_failed(Service *s) {
    pthread_mutex_lock(&s->lock);
    bool failed = s->failed;
    pthread_mutex_unlock(&s->lock);
    return failed;
}

// ---- one round, and wait for it

typedef struct {
    pthread_mutex_t lock;
    pthread_cond_t done;
    int left;
    bool ok;
    Arena *a;
    Verdict *out; // in order of the answers, which is that of the sources
    Err *e;
} Waiter;

static void take_answer(void *arg, const Answer *a) {
    Waiter *w = arg;
    pthread_mutex_lock(&w->lock);
    *w->out = *a->verdict;
    w->out->decision.feedback =
        arena_strndup(w->a, a->verdict->decision.feedback, strlen(a->verdict->decision.feedback));
    w->out++;
    if (a->kind != ANSWER_JUDGED) {
        w->ok = false;
        *w->e = *a->why;
    }
    if (--w->left == 0) pthread_cond_signal(&w->done);
    pthread_mutex_unlock(&w->lock);
}

bool service_judge(Service *s, Arena *a, const Submission *q, int n, Verdict *out, Err *e) {
    Waiter w = {.left = n, .ok = true, .a = a, .out = out, .e = e};
    Submission each[DRAW_SHARE_MAX];
    assert(n > 0 && n <= DRAW_SHARE_MAX);
    pthread_mutex_init(&w.lock, NULL);
    pthread_cond_init(&w.done, NULL);
    for (int i = 0; i < n; i++) {
        each[i] = q[i];
        each[i].answered = take_answer;
        each[i].arg = &w;
    }
    service_submit_together(s, each, n);
    pthread_mutex_lock(&w.lock);
    while (w.left) pthread_cond_wait(&w.done, &w.lock);
    pthread_mutex_unlock(&w.lock);
    pthread_mutex_destroy(&w.lock);
    pthread_cond_destroy(&w.done);
    return w.ok;
}

// ---- the pool

Pool *service_pool_take(Service *s) {
    pthread_mutex_lock(&s->lock);
    while (s->pool_taken) pthread_cond_wait(&s->pool_free, &s->lock);
    s->pool_taken = true;
    pthread_mutex_unlock(&s->lock);
    return referee_pool(s->referee);
}

void service_pool_leave(Service *s) {
    pthread_mutex_lock(&s->lock);
    s->pool_taken = false;
    pthread_cond_signal(&s->pool_free);
    pthread_mutex_unlock(&s->lock);
}

bool service_op(Service *s, Arena *a, const char *text, const DomainAsked *asked, Op *out, Err *e) {
    service_pool_take(s);
    bool ok = op_for_judging(s->referee, a, text, asked, out, e);
    service_pool_leave(s);
    return ok;
}

bool service_module(Service *s, Arena *a, Str text, const DomainAsked *asked, Op *out, Err *e) {
    service_pool_take(s);
    bool ok = module_for_judging(s->referee, a, &(ModuleText){"module", text}, asked, out, e);
    service_pool_leave(s);
    return ok;
}

Referee *service_referee(Service *s) { return s->referee; }

bool service_take_back(Service *s, const TakenBack *t, json_t *verdict, Err *e) {
    return verdict_take_back(s->referee, s->cache, t, verdict, e);
}

// ---- opening

static bool start_threads(Service *s, Err *e) {
    int wanted = s->chains + SPARE_THREADS;
    s->thread = calloc((size_t)wanted, sizeof *s->thread);
    if (!s->thread) abort();
    pthread_mutex_lock(&s->lock);
    while (s->threads < wanted && pthread_create(&s->thread[s->threads], NULL, worker, s) == 0) s->threads++;
    s->alive = s->threads;
    pthread_mutex_unlock(&s->lock);
    return s->threads > 0 || err_set(e, ERR_LIMIT, "no thread to judge with");
}

bool service_open(Referee *r, const ServiceConfig *c, Service **out, Err *e) {
    Service *s = calloc(1, sizeof *s);
    if (!s) abort();
    s->referee = r;
    s->config = *c;
    s->jobs = pool_size(referee_pool(r));
    // Whoever asks for one core gets one.
    s->chains = s->jobs + (s->jobs > 1 ? (s->jobs + HANDOVERS - 1) / HANDOVERS : 0);
    s->last = &s->first;
    s->ready_last = &s->ready;
    pthread_mutex_init(&s->lock, NULL);
    pthread_cond_init(&s->stirred, NULL);
    pthread_cond_init(&s->pool_free, NULL);
    pthread_cond_init(&s->answered, NULL);
    bool ok = !c->known || !referee_journal(r) ||
              verdict_cache_open(referee_journal(r), 0, referee_extras(r), &s->cache, e);
    ok = ok && start_threads(s, e);
    if (!ok) {
        service_close(s);
        return false;
    }
    *out = s;
    return true;
}

void service_close(Service *s) {
    if (!s) return;
    service_cancel(s, false);
    pthread_mutex_lock(&s->lock);
    s->closing = true;
    s->gather = GATHER_NONE;
    service_stir(s);
    pthread_cond_broadcast(&s->stirred);
    pthread_mutex_unlock(&s->lock);
    for (int i = 0; i < s->threads; i++) pthread_join(s->thread[i], NULL);
    free(s->thread);
    queue_free(&s->queue);
    verdict_cache_close(s->cache);
    pthread_mutex_destroy(&s->lock);
    pthread_cond_destroy(&s->stirred);
    pthread_cond_destroy(&s->pool_free);
    pthread_cond_destroy(&s->answered);
    free(s);
}
