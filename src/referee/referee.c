#include "referee/referee.h"

#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "base/io.h"
#include "base/rng.h"
#include "referee/brokers.h"
#include "referee/decide.h"
#include "referee/evidence.h"
#include "referee/giant.h"
#include "referee/plan.h"

enum {
    CHILD_MEMORY = 512 << 20, // virtual; only what a candidate touches is ever there
    WALL_SECONDS = 60,        // ten times what the step budget takes on a slow machine
    ATTEMPTS = 2,
    SHARED = 6, // candidates from which on it pays to prepare a draw for them
};

struct Referee {
    Brokers *brokers;
    Journal *journal; // NULL: not kept
    Pool *pool;
    char *state; // directory; NULL: not known
    pthread_mutex_t progress;
    Str include;
    char include_sha256[65];    // empty: none
    atomic_uint_fast64_t draws; // that many candidates share
};

static const char *state_directory(Arena *a, const char *given) {
    if (given) return given;
    const char *xdg = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
    if (xdg && xdg[0] == '/') return arena_printf(a, "%s/ouroboros", xdg);
    return home ? arena_printf(a, "%s/.local/state/ouroboros", home) : NULL;
}

static bool open_journal(Referee *r, const RefereeConfig *c, Err *e) {
    if (c->no_journal) return true;
    Arena a = {0};
    const char *dir = state_directory(&a, c->state);
    r->state = dir ? strdup(dir) : NULL;
    bool ok =
        dir ? journal_open(dir, &r->journal, e)
            : err_set(e, ERR_IO, "no place for the journal: set HOME or XDG_STATE_HOME, or give --state DIR");
    arena_free(&a);
    return ok || err_ctx(e, "no verdict without a journal (--state DIR puts it elsewhere)");
}

bool referee_open(const RefereeConfig *c, Referee **out, Err *e) {
    Brokers *brokers;
    if (!brokers_open(c->child ? c->child : child_interpret, &brokers, e)) return false;
    arena_keep_pages(); // for draws; after the fork, because children count what they touch
    Referee *r = calloc(1, sizeof *r);
    if (!r) abort();
    r->brokers = brokers;
    r->include = c->include;
    if (c->include.len) sha256_hex(sha256_of(c->include), r->include_sha256);
    pthread_mutex_init(&r->progress, NULL);
    if (!open_journal(r, c, e)) {
        referee_close(r);
        return false;
    }
    r->pool = pool_open(c->jobs);
    *out = r;
    return true;
}

void referee_close(Referee *r) {
    if (!r) return;
    if (r->pool) pool_close(r->pool);
    if (r->journal) journal_close(r->journal);
    brokers_close(r->brokers);
    pthread_mutex_destroy(&r->progress);
    free(r->state);
    free(r);
}

Pool *referee_pool(Referee *r) { return r->pool; }
const char *referee_state(const Referee *r) { return r->state; }
bool referee_lost(Referee *r, Err *e) { return brokers_lost(r->brokers, e); }
Journal *referee_journal(Referee *r) { return r->journal; }
Str referee_include(const Referee *r) { return r->include; }

// ---- one candidate
// -----------------------------------------------------------------------------------------------

typedef struct {
    Referee *r;
    const JudgeRequest *q;
    const Draw *draw;
    const Str *source;
    Verdict *out;
    Arena *arena; // one for each candidate: verdict texts
    Err *err;     // one for each candidate
    int done;
    Watched *watched; // NULL: nobody watches; else there is one candidate
    Arena *watched_arena;
} Batch;

static bool worth_a_retry(const Verdict *v) {
    return v->status == STATUS_referee_error && strcmp(v->rule, "judged") != 0;
}

// Room behind the outputs for what a person asks (wire.h).
static void watch_room(const Draw *d, BrokerJob *job) {
    job->watch_at = (int64_t)(d->output_bytes + 64) & ~(int64_t)63;
    job->output_bytes = (size_t)job->watch_at + (size_t)d->cases * sizeof(Trace) + d->output_bytes;
}

static void watch_take(Batch *b, const BrokerJob *job, const ChildResult *r) {
    const Draw *d = b->draw;
    Arena *a = b->watched_arena;
    *b->watched = (Watched){0};
    const char *why;
    if (wire_check(r->report, r->reports, d->cases, job->source.len, &why) == WIRE_BROKEN) return;
    CaseReport *report = NEWN(a, CaseReport, (size_t)r->reports);
    memcpy(report, r->report, sizeof *report * (size_t)r->reports);
    b->watched->report = report;
    b->watched->reports = r->reports;
    if (!r->output) return;
    uint8_t *bytes = arena_raw(a, job->output_bytes, 64);
    memcpy(bytes, r->output, job->output_bytes);
    b->watched->output = bytes;
    b->watched->trace = (const Trace *)(bytes + job->watch_at);
    b->watched->flags = bytes + job->watch_at + (size_t)d->cases * sizeof(Trace);
}

// What a judgment of the same source on another draw adds.
static void keep_evidence(Verdict *v, const Verdict *more) { coverage_meet(&v->coverage, &more->coverage); }

// One pass over the cases. *configs: of the kernel with most of them, as the child tells it.
static bool judge_pass(Batch *b, size_t i, int tune, Verdict *v, int *configs, Err *e) {
    BrokerJob job = {.draw_fd = b->draw->fd,
                     .draw_bytes = b->draw->bytes,
                     .source = b->source[i],
                     .include = b->r->include,
                     .tune = tune,
                     .output_bytes = b->draw->output_bytes,
                     .arena_bytes = CHILD_MEMORY,
                     .wall_seconds = WALL_SECONDS,
                     .max_reports = b->draw->cases + 1,
                     .draw_key = b->draw->key};
    if (b->watched) watch_room(b->draw, &job);
    ChildResult r;
    Arena scratch = {0};
    double t0 = clock_seconds();
    Broker *broker = brokers_take(b->r->brokers, e);
    bool ok = broker && broker_run(broker, &scratch, &job, &r, e);
    double t1 = clock_seconds();
    if (ok) {
        Verdict blank = {
            .op = v->op, .seed = v->seed, .replay = v->replay, .level = v->level, .rule = "", .feedback = ""};
        memcpy(blank.source_sha256, v->source_sha256, sizeof blank.source_sha256);
        memcpy(blank.include_sha256, v->include_sha256, sizeof blank.include_sha256);
        *v = blank;
        decide(&scratch, b->draw, b->source[i], &r, v);
        v->feedback = arena_strndup(&b->arena[i], v->feedback, strlen(v->feedback));
        v->seconds_child = t1 - t0;
        v->seconds_compare = clock_seconds() - t1;
        for (int k = 0; verdict_accepted(v) && k < r.reports; k++)
            if (r.report[k].configs > *configs) *configs = r.report[k].configs;
        if (b->watched && (tune == 0 || !verdict_accepted(v))) watch_take(b, &job, &r);
        child_result_free(broker, &r);
    }
    if (broker) brokers_leave(b->r->brokers, broker, !ok);
    arena_free(&scratch);
    return ok;
}

// A branch for one size would never be taken if no case had it: whatever a candidate has compared sizes with
// gets cases of its own, after all others have passed. It cannot tell which draw it is in. Only a rejection
// counts: so few rows may leave a config or a column unjudged that the first draw has judged.
static bool judge_sizes(Batch *b, size_t i, Verdict *v, Err *e) {
    Arena a = {0};
    PlannedCase *plan;
    int tried, configs = 0;
    int cases = plan_sizes(&a, b->draw, &b->q->filter, v->coverage.size, v->coverage.sizes, &plan, &tried);
    Pool *alone = cases > 0 ? pool_open(1) : NULL;
    Draw more;
    Batch second = *b;
    Verdict other = *v;
    bool ok = true;
    if (alone &&
        (ok = draw_planned(&a, alone, b->draw->op, b->q->level, b->draw->seed, plan, cases, &more, e))) {
        second.draw = &more;
        ok = judge_pass(&second, i, 0, &other, &configs, e);
        draw_free(&more);
    }
    if (alone && ok && status_class(other.status) == CLASS_REJECTED) {
        *v = other;
    } else if (alone && ok && verdict_accepted(&other)) {
        keep_evidence(v, &other);
        v->cases_run += other.cases_run;
        v->cases_passed += other.cases_passed;
        if (other.use > v->use) {
            memcpy(v->worst_case, other.worst_case, sizeof v->worst_case);
            v->use = other.use;
            v->error_ulp = other.error_ulp;
            v->bound_ulp = other.bound_ulp;
        }
        v->feedback = feedback_ok(&b->arena[i], b->draw, v);
        v->tries = tried;
        memcpy(v->tried, v->coverage.size, sizeof *v->tried * (size_t)tried);
    }
    if (alone) pool_close(alone);
    arena_free(&a);
    return ok;
}

// Which config of an autotuned kernel will run is decided elsewhere, by a clock: at level full every config
// has to be right in every case. The evidence is the first pass's, unless another one fails.
static bool judge_once(Batch *b, size_t i, Verdict *v, Err *e) {
    int configs = 0;
    if (!judge_pass(b, i, 0, v, &configs, e)) return false;
    for (int tune = 1; tune < configs && b->q->level == LEVEL_FULL; tune++) {
        Verdict other = *v;
        if (!judge_pass(b, i, tune, &other, &configs, e)) return false;
        if (verdict_accepted(&other)) {
            keep_evidence(v, &other);
            continue;
        }
        *v = other;
        break;
    }
    if (b->q->level != LEVEL_FULL || b->watched || b->q->filter.n > 0 || !verdict_accepted(v)) return true;
    if (!judge_sizes(b, i, v, e)) return false;
    if (verdict_accepted(v))
        giant_probe(b->r->brokers, &b->arena[i], b->draw, b->source[i], b->r->include, v);
    return true;
}

static void judge_candidate(void *arg, size_t i, int worker) {
    (void)worker;
    Batch *b = arg;
    Verdict *v = &b->out[i];
    double t0 = clock_seconds();
    if (b->source[i].len > SOURCE_MAX) {
        v->status = STATUS_parse_reject;
        v->rule = "syntax";
        v->feedback = arena_printf(&b->arena[i], "The source is larger than %d bytes.", SOURCE_MAX);
    } else {
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            if (!judge_once(b, i, v, &b->err[i])) {
                v->status = STATUS_referee_error;
                v->rule = "world";
                v->feedback = arena_printf(&b->arena[i], "The referee could not run: %s.", b->err[i].msg);
            }
            if (!worth_a_retry(v)) break;
            b->err[i] = (Err){0};
        }
    }
    if (verdict_accepted(v)) evidence_sizes(b->draw, v);
    if (verdict_accepted(v) && b->q->filter.n == 0 && b->q->filter.dtype < 0)
        v->proved = proved_find(b->draw->op, b->q->level);
    v->elapsed_ms = 1e3 * (clock_seconds() - t0);
    pthread_mutex_lock(&b->r->progress);
    b->done++;
    if (b->q->progress) b->q->progress(b->q->progress_arg, b->done);
    pthread_mutex_unlock(&b->r->progress);
}

void referee_giant(Referee *r, Arena *a, const Draw *d, Str source, Verdict *v) {
    giant_probe(r->brokers, a, d, source, r->include, v);
}

void referee_watch(Referee *r, Arena *a, const Draw *d, Str source, Verdict *v, Watched *out) {
    JudgeRequest q = {.op = d->op, .level = d->level, .filter = {.dtype = -1}, .seed = &d->seed};
    Arena text = {0};
    Err e = {0};
    Batch b = {.r = r,
               .q = &q,
               .draw = d,
               .source = &source,
               .out = v,
               .arena = &text,
               .err = &e,
               .watched = out,
               .watched_arena = a};
    *out = (Watched){0};
    *v = (Verdict){.op = d->op->name,
                   .replay = true,
                   .level = d->level,
                   .seed = d->seed,
                   .status = STATUS_referee_error,
                   .element = -1,
                   .rule = "",
                   .feedback = ""};
    sha256_hex(sha256_of(source), v->source_sha256);
    memcpy(v->include_sha256, r->include_sha256, sizeof v->include_sha256);
    judge_candidate(&b, 0, 0);
    v->feedback = arena_strndup(a, v->feedback, strlen(v->feedback));
    arena_free(&text);
}

// ---- a round
// -------------------------------------------------------------------------------------------------------

struct Round {
    Arena arena; // of this struct and everything below
    Draw draw;
    Batch batch;
    int n;
};

// Sources are frozen before the seed exists.
static bool journal_sources(Referee *r, const JudgeRequest *q, const Verdict *v, int n, Err *e) {
    if (!r->journal) return true;
    Arena a = {0};
    char op_hash[65];
    sha256_hex(q->op->hash, op_hash);
    Str *lines = NEWN(&a, Str, (size_t)n);
    for (int i = 0; i < n; i++) {
        Buf b = BUF(&a);
        json_t *o =
            json_pack("{s:s, s:s, s:s%, s:s, s:s, s:b, s:s}", "record", "source", "sha256",
                      v[i].source_sha256, "op", q->op->name.p, q->op->name.len, "definition", op_hash,
                      "level", level_name(q->level), "replay", q->seed != NULL, "version", REFEREE_VERSION);
        if (*v[i].include_sha256) json_object_set_new(o, "include_sha256", json_string(v[i].include_sha256));
        json_put(&b, o);
        lines[i] = buf_str(&b);
    }
    bool ok = journal_commit(r->journal, lines, n, e);
    arena_free(&a);
    return ok;
}

// {"record":"verdict", what the caller adds, the verdict}
static json_t *verdict_record(const JudgeRequest *q, const Verdict *v, int i) {
    json_t *o = json_pack("{s:s}", "record", "verdict"), *more = q->note ? q->note(q->note_arg, i, v) : NULL;
    if (more) json_object_update(o, more);
    json_decref(more);
    json_object_update_new(o, verdict_object(v));
    return o;
}

static bool journal_verdicts(Referee *r, const JudgeRequest *q, const Verdict *v, int n, off_t *at, Err *e) {
    if (!r->journal) return true;
    Arena a = {0};
    Str *lines = NEWN(&a, Str, (size_t)n);
    for (int i = 0; i < n; i++) {
        Buf b = BUF(&a);
        json_put(&b, verdict_record(q, &v[i], i));
        lines[i] = buf_str(&b);
    }
    bool ok = journal_append(r->journal, lines, n, at, e);
    arena_free(&a);
    return ok;
}

Round *round_open(Referee *r, const JudgeRequest *q, const Str *source, int n, Verdict *out) {
    assert(n > 0 && n <= DRAW_SHARE_MAX);
    Arena a = {0};
    Round *t = NEW(&a, Round);
    t->n = n;
    t->batch = (Batch){.r = r,
                       .q = q,
                       .draw = &t->draw,
                       .source = source,
                       .out = out,
                       .arena = NEWN(&a, Arena, (size_t)n),
                       .err = NEWN(&a, Err, (size_t)n)};
    t->draw.fd = -1;
    for (int i = 0; i < n; i++) {
        out[i] = (Verdict){.op = q->op->name,
                           .replay = q->seed != NULL,
                           .level = q->level,
                           .status = STATUS_referee_error,
                           .rule = "",
                           .feedback = ""};
        sha256_hex(sha256_of(source[i]), out[i].source_sha256);
        memcpy(out[i].include_sha256, r->include_sha256, sizeof out[i].include_sha256);
    }
    t->arena = a;
    return t;
}

bool round_freeze(Round *t, Err *e) { return journal_sources(t->batch.r, t->batch.q, t->batch.out, t->n, e); }

bool round_draw(Round *t, Pool *pool, Err *e) {
    const JudgeRequest *q = t->batch.q;
    uint64_t seed;
    if (q->seed) {
        seed = *q->seed;
    } else {
        if (!rng_entropy(&seed, sizeof seed, e)) return false;
        seed >>= 1; // JSON's integers are signed
    }
    for (int i = 0; i < t->n; i++) t->batch.out[i].seed = seed;
    if (!draw_make(&t->arena, pool, q->op, q->level, seed, &q->filter, &t->draw, e)) return false;
    if (t->n < SHARED) return true;
    draw_share(&t->draw, pool);
    t->draw.key = atomic_fetch_add(&t->batch.r->draws, 1) + 1;
    return true;
}

void round_judge(Round *t, int i) { judge_candidate(&t->batch, (size_t)i, 0); }

bool round_commit(Round *t, off_t *at, Err *e) {
    return journal_verdicts(t->batch.r, t->batch.q, t->batch.out, t->n, at, e);
}

void round_close(Round *t) {
    for (int i = 0; i < t->n; i++) arena_free(&t->batch.arena[i]);
    draw_free(&t->draw);
    Arena a = t->arena;
    arena_free(&a);
}

static bool judge_chunk(Referee *r, Arena *a, const JudgeRequest *q, const Str *source, int n, Verdict *out,
                        int done, Err *e) {
    Round *t = round_open(r, q, source, n, out);
    t->batch.done = done;
    bool ok = round_freeze(t, e) && round_draw(t, r->pool, e);
    if (ok) {
        pool_run(r->pool, (size_t)n, judge_candidate, &t->batch);
        ok = round_commit(t, NULL, e);
    }
    for (int i = 0; i < n; i++) out[i].feedback = arena_strndup(a, out[i].feedback, strlen(out[i].feedback));
    round_close(t);
    return ok;
}

bool referee_judge(Referee *r, Arena *a, const JudgeRequest *q, const Str *source, int n, Verdict *out,
                   Err *e) {
    for (int at = 0; at < n; at += DRAW_SHARE_MAX) {
        int k = n - at < DRAW_SHARE_MAX ? n - at : DRAW_SHARE_MAX;
        if (!judge_chunk(r, a, q, source + at, k, out + at, at, e)) return false;
    }
    return true;
}
