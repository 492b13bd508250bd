#include "judge/referee.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/io.h"
#include "base/numeric/rng.h"
#include "cases/case_memory.h"
#include "judge/decide/compare.h"
#include "judge/judge.h"
#include "judge/roundings.h"
#include "judge/shapes/asked_shape.h"
#include "judge/shapes/large_tensors.h"

enum { SHARED = 6 }; // candidates from which on it pays to prepare a draw for them

const char *state_directory(Arena *a, const char *given) {
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
    ForkServers *fork_servers;
    if (!fork_servers_open(c->child ? c->child : child_interpret, &fork_servers, e)) return false;
    arena_keep_pages(); // for draws; after the fork, because children count what they touch
    Referee *r = calloc(1, sizeof *r);
    if (!r) abort();
    r->fork_servers = fork_servers;
    r->extras = c->extras;
    if (c->extras.include.len) sha256_hex(sha256_of(c->extras.include), r->include_sha256);
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
    fork_servers_close(r->fork_servers);
    pthread_mutex_destroy(&r->progress);
    free(r->state);
    free(r);
}

Pool *referee_pool(Referee *r) { return r->pool; }
const char *referee_state(const Referee *r) { return r->state; }
bool referee_lost(Referee *r, Err *e) { return fork_servers_lost(r->fork_servers, e); }
Journal *referee_journal(Referee *r) { return r->journal; }
Extras referee_extras(const Referee *r) { return r->extras; }

static Verdict undecided(const Referee *r, const Op *op, Str source, const Judging *how) {
    Verdict v = {.op = op->name,
                 .domain = op->domain,
                 .module = op->form ? op_at_level(op, how->level) : NULL,
                 .judged = *how,
                 .decision = {.status = STATUS_referee_error, .rule = "", .feedback = "", .element = -1},
                 .allowed.old_names = r->extras.old_names};
    memcpy(v.allowed.include_sha256, r->include_sha256, sizeof v.allowed.include_sha256);
    sha256_hex(sha256_of(source), v.source_sha256);
    return v;
}

// One candidate on a draw of the caller's.
static void judge_alone(Candidates *b, Referee *r, Arena *a, Str source, Verdict *v) {
    const Draw *d = b->draw;
    const DrawFilter all = {.dtype = -1};
    JudgeRequest q = {.op = d->op,
                      .level = d->level,
                      .filter = b->added ? b->added->filter : all,
                      .seed = &d->seed,
                      .without_gaps = b->watched && b->watched->without_gaps};
    Arena text = {0};
    Err e = {0};
    b->r = r;
    b->q = &q;
    b->source = &source;
    b->out = v;
    b->arena = &text;
    b->err = &e;
    Judging how = {.level = d->level, .only = q.filter, .seed = d->seed, .replay = true};
    if (q.filter.n > 0) asked_shape_drawn(d, &how);
    *v = undecided(r, d->op, source, &how);
    b->rounded = d->op->roundings ? rounded_draws_open() : NULL;
    judge_candidate(b, 0, 0);
    rounded_draws_close(b->rounded);
    v->decision.feedback = arena_strndup(a, v->decision.feedback, strlen(v->decision.feedback));
    arena_free(&text);
}

void referee_watch(Referee *r, Arena *a, const Draw *d, Str source, Verdict *v, Watched *out) {
    *out = (Watched){.without_gaps = out->without_gaps};
    judge_alone(&(Candidates){.draw = d, .watched = out, .watched_arena = a}, r, a, source, v);
}

void referee_judge_on(Referee *r, Arena *a, const Draw *d, Str source, Verdict *v, AddedCases *added) {
    ProductionShapes *shapes = d->level == LEVEL_FULL ? production_open() : NULL;
    *added = (AddedCases){.filter = added->filter};
    judge_alone(&(Candidates){.draw = d, .production = shapes, .watched_arena = a, .added = added}, r, a,
                source, v);
    production_close(shapes);
}

// ---- a round

struct Round {
    Arena arena; // of this struct and everything below
    Draw draw;
    Candidates candidates;
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
                      "level", level_name(q->level), "replay", q->seed != NULL, "version", OUROBOROS_VERSION);
        allowed_json(o, &v[i].allowed);
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
    t->candidates = (Candidates){.r = r,
                                 .q = q,
                                 .draw = &t->draw,
                                 .production = q->level == LEVEL_FULL ? production_open() : NULL,
                                 .rounded = q->op->roundings ? rounded_draws_open() : NULL,
                                 .sized = q->op->form ? sized_draws_open() : NULL,
                                 .source = source,
                                 .out = out,
                                 .arena = NEWN(&a, Arena, (size_t)n),
                                 .err = NEWN(&a, Err, (size_t)n)};
    t->draw.fd = -1;
    Judging how = {.level = q->level, .only = q->filter, .replay = q->seed != NULL};
    for (int i = 0; i < n; i++) out[i] = undecided(r, q->op, source[i], &how);
    t->arena = a;
    return t;
}

bool round_freeze(Round *t, Err *e) {
    return journal_sources(t->candidates.r, t->candidates.q, t->candidates.out, t->n, e);
}

// Few cases of a module where those judge every element of the results; else all that level full has.
static bool draw_first(Round *t, Pool *pool, DrawRequest q, Err *e) {
    q.domain = domain_first(q.op, q.level);
    if (!draw_make(&t->arena, pool, &q, &t->draw, e)) return false;
    if (!q.domain || t->draw.seed == q.seed) return true;
    draw_free(&t->draw);
    q.domain = NULL;
    return draw_make(&t->arena, pool, &q, &t->draw, e);
}

bool round_draw(Round *t, Pool *pool, Err *e) {
    const JudgeRequest *q = t->candidates.q;
    uint64_t seed;
    if (q->seed) {
        seed = *q->seed;
    } else {
        if (!rng_entropy(&seed, sizeof seed, e)) return false;
        seed >>= 1; // JSON's integers are signed
    }
    for (int i = 0; i < t->n; i++) t->candidates.out[i].judged.seed = seed;
    if (!draw_first(t, pool,
                    (DrawRequest){.op = q->op,
                                  .level = q->level,
                                  .seed = seed,
                                  .filter = &q->filter,
                                  .calls_later = q->op->form != NULL},
                    e))
        return false;
    for (int i = 0; i < t->n && q->filter.n > 0; i++)
        asked_shape_drawn(&t->draw, &t->candidates.out[i].judged);
    if (t->n > 1 && q->level == LEVEL_FULL && !q->op->form)
        t->candidates.memory = case_memory_open(t->draw.domain, t->draw.seed);
    if (t->n < SHARED) return true;
    draw_share(&t->draw, pool, compare_round);
    t->draw.key = atomic_fetch_add(&t->candidates.r->draws, 1) + 1;
    return true;
}

void round_judge(Round *t, int i) { judge_candidate(&t->candidates, (size_t)i, 0); }

bool round_commit(Round *t, off_t *at, Err *e) {
    return journal_verdicts(t->candidates.r, t->candidates.q, t->candidates.out, t->n, at, e);
}

void round_close(Round *t) {
    for (int i = 0; i < t->n; i++) arena_free(&t->candidates.arena[i]);
    draw_free(&t->draw);
    production_close(t->candidates.production);
    rounded_draws_close(t->candidates.rounded);
    sized_draws_close(t->candidates.sized);
    case_memory_close(t->candidates.memory);
    Arena a = t->arena;
    arena_free(&a);
}

// All steps, and the end of the round; sentences move to `a`.
static bool judge_round(Referee *r, Arena *a, Round *t, Err *e) {
    int n = t->n;
    Verdict *out = t->candidates.out;
    bool ok = round_freeze(t, e) && round_draw(t, r->pool, e);
    if (ok) {
        pool_run(r->pool, (size_t)n, judge_candidate, &t->candidates);
        ok = round_commit(t, NULL, e);
    }
    for (int i = 0; i < n; i++) {
        const char *text = out[i].decision.feedback;
        out[i].decision.feedback = arena_strndup(a, text, strlen(text));
    }
    round_close(t);
    return ok;
}

bool referee_judge(Referee *r, Arena *a, const JudgeRequest *q, const Str *source, int n, Verdict *out,
                   Err *e) {
    for (int at = 0; at < n; at += DRAW_SHARE_MAX) {
        int k = n - at < DRAW_SHARE_MAX ? n - at : DRAW_SHARE_MAX;
        Round *t = round_open(r, q, source + at, k, out + at);
        t->candidates.done = at;
        if (!judge_round(r, a, t, e)) return false;
    }
    return true;
}
