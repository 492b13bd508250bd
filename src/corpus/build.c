#include "corpus/build.h"

#include "base/clock.h"
#include "corpus/program_hashes.h"
#include "corpus/store_answer.h"
#include "propose/extract.h"

// How many answers are put together, and how long they may wait for each other.
enum { TOGETHER = 64 };
static const double TOGETHER_SECONDS = 0.5;

typedef struct {
    const BuildRequest *q;
    BuildResult *out;
    Ladder *ladder;
    Recorder recorder;
    int64_t run;
    // Of the op that is being asked about:
    const Op *op;
    int at; // index of it
    bool *done;
    Prompt prompt;
    Str domain;
    double last; // when answers were put
    Err err;     // of the store, met while a smith was writing
} Build;

static bool is_interrupted(const Build *b) { return b->q->interrupted && b->q->interrupted(b->q->arg); }

static void tell(Build *b) {
    if (b->q->told) b->q->told(b->q->arg, &b->out->tally);
}

// ---- answers

static void count(BuildTally *t, const LadderAnswer *n, bool fresh) {
    t->drafts += !n->lost;
    t->lost += n->lost;
    t->fresh += fresh;
    t->accepted += n->accepted;
}

// What has been answered goes into the store, in one transaction.
static bool put_answers(Build *b, double seconds, Err *e) {
    LadderAnswer *list = ladder_take(b->ladder, seconds);
    b->last = clock_seconds();
    if (!list) return true;
    bool ok = store_begin(b->q->store, e);
    for (const LadderAnswer *n = list; ok && n; n = n->next) {
        const Pending *k = n->of;
        Recorded put = {0};
        if (!n->lost) ok = record_answer(&b->recorder, k, n, &put, e);
        if (ok) count(&b->out->tally, n, put.fresh);
    }
    ok = ok && store_commit(b->q->store, e);
    if (!ok) store_rollback(b->q->store);
    for (const LadderAnswer *n = list; n; n = n->next) pending_release(n->of);
    ladder_release(list);
    tell(b);
    return ok;
}

static bool put_some(Build *b, Err *e) {
    bool due = clock_seconds() - b->last > TOGETHER_SECONDS;
    return !due || put_answers(b, 0, e);
}

// ---- drafts

static bool wanted(void *arg) {
    Build *b = arg;
    return !is_interrupted(b) && !b->err.code && !service_failed(b->q->service);
}

static void grew(void *arg, int tokens) {
    Build *b = arg;
    (void)tokens;
    if (!put_some(b, &b->err)) return;
}

static void waits(void *arg, const char *sentence) {
    const Build *b = arg;
    if (b->q->waits) b->q->waits(b->q->arg, sentence);
}

// A reply without a kernel, or a program whose verdict stands already: an answer at once.
static bool put_draft(Build *b, int index, int64_t program, Err *e) {
    StoredDraft d = {b->run, index, b->op->name};
    if (!store_begin(b->q->store, e)) return false;
    bool ok = store_draft_put(b->q->store, &d, program, e) && store_commit(b->q->store, e);
    if (!ok) store_rollback(b->q->store);
    b->out->tally.drafts++;
    b->out->tally.empty += !program;
    return ok;
}

static bool take_draft(Build *b, const Reply *r, Err *e) {
    const BuildRequest *q = b->q;
    Str source = r->text;
    if (q->smith->takes_prompt && extract_kernel(r->text, r->cut, &source) != EXTRACT_KERNEL)
        return put_draft(b, r->index, 0, e);
    Pending *k = pending_new();
    k->op = b->op;
    k->program = (StoredProgram){.op = b->op->name,
                                 .domain = b->domain,
                                 .source = source,
                                 .smith = str_of(q->smith->name),
                                 .model = q->model,
                                 .prompt = str_of(b->prompt.sha256),
                                 .schedule = str_of(r->schedule),
                                 .licence = q->licence,
                                 .origin = STR("build"),
                                 .seed = (int64_t)(q->seed & INT64_MAX),
                                 .run = b->run};
    pending_keep(k);
    k->draft = (StoredDraft){b->run, r->index, b->op->name};
    k->drafted = true;
    int64_t standing;
    if (!record_known(&b->recorder, k, &standing, e)) return pending_release(k), false;
    if (standing) {
        pending_release(k);
        return put_draft(b, r->index, standing, e);
    }
    ladder_ask(b->ladder, b->op, &q->filter, k->program.source, k);
    return true;
}

static bool take_reply(void *arg, const Reply *r) {
    Build *b = arg;
    bool skip = r->index < 0 || r->index >= b->q->drafts || b->done[r->index];
    if (!skip) {
        b->done[r->index] = true;
        if (!take_draft(b, r, &b->err) || !put_some(b, &b->err)) return false;
    }
    return wanted(b);
}

static bool ask_range(Build *b, int first, int count_, Err *e) {
    const BuildRequest *q = b->q;
    SmithRequest ask = {.m = q->m,
                        .n = q->n,
                        .seed = q->seed,
                        .first = first,
                        .count = count_,
                        .prompt = q->smith->takes_prompt ? &b->prompt : NULL,
                        .settings = q->settings};
    if (!ask.m) op_usual_shape(b->op, &ask.m, &ask.n);
    SmithSink sink = {.wanted = wanted, .grew = grew, .reply = take_reply, .waits = waits, .arg = b};
    Err why = {0};
    bool ok = q->smith->draft(q->smith, b->op, &ask, &sink, &why);
    if (b->err.code) {
        *e = b->err;
        return false;
    }
    if (!ok && (why.code == ERR_INPUT || why.code == ERR_LIMIT))
        b->out->tally.refused++; // this op is beyond it
    else if (!ok)
        b->out->smith_error = why;
    return true;
}

// A smith that starts anew is asked once, from the first gap on: what it writes again is skipped. A model is
// asked for each gap alone.
static bool build_op(Build *b, Arena *a, Err *e) {
    const BuildRequest *q = b->q;
    int n = q->drafts;
    b->done = NEWN(a, bool, (size_t)n + 1);
    b->prompt = (Prompt){0};
    b->domain = str_of(domain_key(a, b->op, &q->filter));
    if (!store_drafts(q->store, b->run, b->op->name, b->done, n, e)) return false;
    int64_t m = q->m, columns = q->n;
    if (!m) op_usual_shape(b->op, &m, &columns);
    const PromptAsk about = {b->op, q->filter.dtype, rows_class(columns), NULL};
    if (q->smith->takes_prompt && !prompt_make(a, q->profile, &about, &b->prompt, e)) return false;
    for (int i = 0; i < n; i++) b->out->tally.before += b->done[i];
    for (int i = 0; i < n; i++) b->out->tally.drafts += b->done[i];
    tell(b);
    for (int i = 0; i < n && wanted(b) && !b->out->smith_error.code;) {
        while (i < n && b->done[i]) i++;
        int end = q->smith->takes_prompt ? i : n;
        while (end < n && !b->done[end]) end++;
        if (end > i && !ask_range(b, i, end - i, e)) return false;
        i = end;
    }
    return true;
}

static bool build_all(Build *b, Err *e) {
    const BuildRequest *q = b->q;
    service_gather(q->service, q->smith->slow ? GATHER_SLOW : GATHER_FAST);
    for (int i = 0; i < q->ops && wanted(b) && !b->out->smith_error.code; i++) {
        Arena a = {0};
        b->op = &q->op[i];
        b->at = i;
        bool ok = build_op(b, &a, e);
        arena_free(&a);
        if (!ok) return false;
    }
    service_gather(q->service, GATHER_NONE);
    while (ladder_waiting(b->ladder) > 0) {
        if (is_interrupted(b)) ladder_cancel(b->ladder);
        if (!put_answers(b, TOGETHER_SECONDS, e)) return false;
    }
    return true;
}

bool corpus_build(const BuildRequest *q, BuildResult *out, Err *e) {
    *out = (BuildResult){0};
    Arena a = {0};
    Build b = {.q = q, .out = out, .last = clock_seconds()};
    b.recorder = (Recorder){.store = q->store, .build = q->build};
    bool ok = store_begin(q->store, e) &&
              store_run(q->store, STR("build"), q->run, &b.run, &out->resumed, e) &&
              store_commit(q->store, e);
    if (!ok) store_rollback(q->store);
    if (ok && ladder_open(&a, q->service, &b.ladder, e)) {
        ok = ladder_close(b.ladder, pending_drop, build_all(&b, e), e);
        out->interrupted = is_interrupted(&b);
        bool whole = ok && !out->interrupted && !out->smith_error.code && !out->tally.lost;
        if (whole)
            ok = store_begin(q->store, e) && store_run_end(q->store, b.run, e) && store_commit(q->store, e);
    } else
        ok = false;
    arena_free(&a);
    return ok;
}
