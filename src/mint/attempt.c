#include "mint/attempt.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/numeric/rng.h"
#include "propose/distinct.h"
#include "propose/extract.h"

typedef struct {
    const AttemptRequest *q;
    Arena *a; // of attempts and their texts: the asking thread's
    pthread_mutex_t lock;
    pthread_cond_t changed;
    // Under the lock:
    Attempt **at; // in order of arrival
    int count, cap;
    bool written; // nothing more will arrive for now: a judge that collects may begin
    bool over;    // nothing will ever arrive again
    bool stop, failed;
    AttemptTally tally;
    Err err;
    // The asking thread's own:
    double began;
    int round;
    Prompt prompt;              // of first answers
    const SmithRequest *asking; // what replies answer
    // The judge's own:
    Arena verdicts; // texts of verdicts
} Session;

void attempt_refuse(Attempt *t, const Op *op, Level level, bool truncated) {
    t->source = (Str){"", 0};
    t->verdict = (Verdict){.op = op->name, .judged.level = level, .decision.element = -1};
    if (truncated)
        decision_set(&t->verdict.decision, STATUS_truncated, "reply",
                     "The reply met the token limit before its code block was closed: "
                     "write the kernel at once, and shorter.");
    else
        decision_set(&t->verdict.decision, STATUS_no_kernel, "reply",
                     "The reply holds no kernel: answer with one fenced python code "
                     "block that defines run(*inputs) and its @triton.jit kernel.");
    sha256_hex(sha256_of(t->reply), t->verdict.source_sha256);
    t->judged = true;
}

// ---- telling ----

static bool is_interrupted(const Session *s) { return s->q->interrupted && s->q->interrupted(s->q->arg); }

// Under the lock.
static void tell(Session *s, const Attempt *t) {
    s->tally.seconds = clock_seconds() - s->began;
    if (t) {
        s->tally.judged++;
        s->tally.accepted += verdict_accepted(&t->verdict);
        s->tally.undecided += status_class(t->verdict.decision.status) == CLASS_UNDECIDED;
    }
    if (s->q->told && !s->stop && !s->q->told(s->q->arg, &s->tally, t)) s->stop = true;
}

// ---- the judge ----

static bool waits_for_judge(const Attempt *t) { return !t->judged && t->twin < 0; }

// Under the lock: waits until there is something to judge, takes at most what may share a draw. 0: the end.
static int take_batch(Session *s, Attempt *batch[DRAW_SHARE_MAX]) {
    for (;;) {
        int n = 0;
        bool may = s->written || s->q->smith->slow;
        for (int i = 0; may && i < s->count && n < DRAW_SHARE_MAX; i++)
            if (waits_for_judge(s->at[i])) batch[n++] = s->at[i];
        if (s->stop) return 0;
        if (n || s->over) return n;
        pthread_cond_wait(&s->changed, &s->lock);
    }
}

static void share_verdicts(Session *s) {
    for (int i = 0; i < s->count; i++) {
        Attempt *t = s->at[i];
        if (t->judged || t->twin < 0 || !s->at[t->twin]->judged) continue;
        t->verdict = s->at[t->twin]->verdict;
        t->judged = true;
        tell(s, t);
    }
}

static void *judge_all(void *arg) {
    Session *s = arg;
    const AttemptRequest *q = s->q;
    JudgeRequest judge = {.op = q->op, .level = q->level, .filter = q->filter};
    Attempt *batch[DRAW_SHARE_MAX];
    int n;
    bool last = false;
    pthread_mutex_lock(&s->lock);
    while (!last && (n = take_batch(s, batch)) > 0) {
        // A smith can be thousands of drafts ahead: whoever interrupts it waits for one batch of them.
        last = is_interrupted(s);
        pthread_mutex_unlock(&s->lock);
        Str source[DRAW_SHARE_MAX];
        Verdict verdict[DRAW_SHARE_MAX];
        Err err = {0};
        for (int i = 0; i < n; i++) source[i] = batch[i]->source;
        bool ok = referee_judge(q->referee, &s->verdicts, &judge, source, n, verdict, &err);
        pthread_mutex_lock(&s->lock);
        if (!ok) {
            s->err = err;
            s->failed = s->stop = true;
            break;
        }
        for (int i = 0; i < n; i++) {
            batch[i]->verdict = verdict[i];
            batch[i]->judged = true;
            tell(s, batch[i]);
        }
        share_verdicts(s);
        pthread_cond_broadcast(&s->changed);
    }
    s->stop |= last;
    pthread_cond_broadcast(&s->changed);
    pthread_mutex_unlock(&s->lock);
    return NULL;
}

// ---- the asking thread ----

static bool wanted(void *arg) {
    Session *s = arg;
    if (is_interrupted(s)) return false;
    pthread_mutex_lock(&s->lock);
    bool stop = s->stop;
    pthread_mutex_unlock(&s->lock);
    return !stop;
}

static void grew(void *arg, int tokens) {
    Session *s = arg;
    pthread_mutex_lock(&s->lock);
    s->tally.tokens += tokens;
    tell(s, NULL);
    pthread_mutex_unlock(&s->lock);
}

static const Prompt *prompt_of(const SmithRequest *q, int index) {
    int i = 0;
    while (q->retry && i < q->count - 1 && q->retry[i].index != index) i++;
    return smith_prompt(q, i);
}

static void make_room(Session *s) {
    if (s->count < s->cap) return;
    s->at = MORE(s->a, Attempt *, s->at, s->count, s->cap * 2 + 64);
    s->cap = s->cap * 2 + 64;
}

static bool take_reply(void *arg, const Reply *r) {
    Session *s = arg;
    const AttemptRequest *q = s->q;
    Attempt *t = NEW(s->a, Attempt);
    *t = (Attempt){.index = r->index,
                   .round = s->round,
                   .reply = str_dup(s->a, r->text),
                   .cut = r->cut,
                   .tokens = r->tokens,
                   .schedule = arena_printf(s->a, "%s", r->schedule),
                   .flaw = r->flaw ? arena_printf(s->a, "%s", r->flaw) : NULL,
                   .twin = -1};
    Extraction found = EXTRACT_KERNEL;
    t->source = t->reply;
    if (q->smith->takes_prompt) {
        memcpy(t->prompt, prompt_of(s->asking, t->index)->sha256, sizeof t->prompt);
        found = extract_kernel(t->reply, t->cut, &t->source);
    }
    if (found == EXTRACT_KERNEL)
        t->program = program_hash(t->source);
    else
        attempt_refuse(t, q->op, q->level, found == EXTRACT_TRUNCATED);
    pthread_mutex_lock(&s->lock);
    for (int i = 0; i < s->count && !t->judged && t->twin < 0; i++)
        if (s->at[i]->source.len && memcmp(&s->at[i]->program, &t->program, sizeof t->program) == 0)
            t->twin = i;
    make_room(s);
    s->at[s->count++] = t;
    s->tally.replies++;
    if (t->twin >= 0 && s->at[t->twin]->judged) {
        t->verdict = s->at[t->twin]->verdict;
        t->judged = true;
    }
    tell(s, t->judged ? t : NULL);
    pthread_cond_broadcast(&s->changed);
    pthread_mutex_unlock(&s->lock);
    return wanted(s);
}

static bool ask(Session *s, const SmithRequest *q, Err *e) {
    SmithSink sink = {.wanted = wanted, .grew = grew, .reply = take_reply, .arg = s};
    s->asking = q;
    pthread_mutex_lock(&s->lock);
    s->tally.asked += q->count;
    s->written = false;
    tell(s, NULL);
    pthread_mutex_unlock(&s->lock);
    if (s->q->smith->draft(s->q->smith, s->q->op, q, &sink, e)) return true;
    if (!e->code) err_record(e, ERR_IO, "the smith failed");
    return false;
}

// Everything that has arrived gets its verdict.
static void wait_for_verdicts(Session *s) {
    pthread_mutex_lock(&s->lock);
    s->written = true;
    pthread_cond_broadcast(&s->changed);
    for (bool waits = true; waits && !s->stop;) {
        waits = false;
        for (int i = 0; i < s->count && !waits; i++) waits = !s->at[i]->judged;
        if (waits) pthread_cond_wait(&s->changed, &s->lock);
    }
    pthread_mutex_unlock(&s->lock);
}

static bool is_rejected(const Attempt *t) {
    return t->judged && status_class(t->verdict.decision.status) == CLASS_REJECTED;
}

// The rejected ones among the attempts from number `from` are asked for again, each with what the referee
// said of it, all at once: a smith may compute what their questions have in common only once.
static bool ask_again(Session *s, int from, Err *smith_error, Err *e) {
    const AttemptRequest *q = s->q;
    SmithRequest again = q->ask;
    Retry *retry = NEWN(s->a, Retry, (size_t)(s->count - from) + 1);
    int n = 0;
    for (int i = from; i < s->count; i++) {
        const Attempt *t = s->at[i];
        if (!is_rejected(t)) continue;
        retry[n].index = t->index;
        if (!prompt_make(s->a, q->profile, q->op, str_of(t->verdict.decision.feedback), t->source,
                         &retry[n++].prompt, e))
            return false;
    }
    again.retry = retry;
    again.count = n;
    again.seed = rng_mix(q->ask.seed, (uint64_t)s->round);
    // A failed smith is a result of its own, not a failure here.
    if (n && wanted(s)) (void)!ask(s, &again, smith_error);
    return true;
}

static bool ask_all(Session *s, Err *smith_error, Err *e) {
    const AttemptRequest *q = s->q;
    SmithRequest first = q->ask;
    if (q->smith->takes_prompt) {
        if (!prompt_make(s->a, q->profile, q->op, (Str){0}, (Str){0}, &s->prompt, e)) return false;
        if (q->feedback && !q->profile->feedback.p)
            return err_set(e, ERR_USAGE, "--feedback: profile %s has no section '--- feedback'",
                           q->profile->name);
        first.prompt = &s->prompt;
    } else if (q->feedback)
        return err_set(e, ERR_USAGE, "--feedback: the %s smith reads no feedback", q->smith->name);
    bool answers = ask(s, &first, smith_error);
    for (int from = 0; answers && s->round < q->feedback;) {
        s->round++;
        wait_for_verdicts(s);
        int to = s->count; // only this thread adds
        if (!ask_again(s, from, smith_error, e)) return false;
        answers = !smith_error->code && s->count > to;
        from = to;
    }
    return true;
}

static int by_index(const void *x, const void *y) {
    const Attempt *a = x, *b = y;
    return a->index != b->index ? (a->index > b->index) - (a->index < b->index) : a->round - b->round;
}

static void hand_over(Session *s, AttemptResult *out) {
    out->at = NEWN(s->a, Attempt, (size_t)s->count + 1);
    for (int i = 0; i < s->count; i++)
        if (s->at[i]->judged) {
            Attempt *t = &out->at[out->count++];
            *t = *s->at[i];
            t->verdict.decision.feedback = arena_printf(s->a, "%s", t->verdict.decision.feedback);
        }
    // Numbers of twins change with the order: a twin is found again by its program.
    qsort(out->at, (size_t)out->count, sizeof *out->at, by_index);
    for (int i = 0; i < out->count; i++) {
        Attempt *t = &out->at[i];
        t->twin = -1;
        for (int k = 0; k < i && t->twin < 0 && t->source.len; k++)
            if (out->at[k].source.len && memcmp(&out->at[k].program, &t->program, sizeof t->program) == 0)
                t->twin = k;
    }
    out->tally = s->tally;
}

bool attempts_run(Arena *a, const AttemptRequest *q, AttemptResult *out, Err *e) {
    *out = (AttemptResult){0};
    Session s = {.q = q, .a = a, .began = clock_seconds()};
    pthread_mutex_init(&s.lock, NULL);
    pthread_cond_init(&s.changed, NULL);
    pthread_t judge;
    bool ok =
        pthread_create(&judge, NULL, judge_all, &s) == 0 || err_set(e, ERR_IO, "no thread for the judge");
    if (ok) {
        ok = ask_all(&s, &out->smith_error, e);
        pthread_mutex_lock(&s.lock);
        s.written = s.over = true;
        if (!ok) s.stop = true;
        pthread_cond_broadcast(&s.changed);
        pthread_mutex_unlock(&s.lock);
        pthread_join(judge, NULL);
    }
    if (ok && s.failed) {
        *e = s.err;
        ok = false;
    }
    if (ok) hand_over(&s, out);
    out->stopped = s.stop || is_interrupted(&s);
    arena_free(&s.verdicts);
    pthread_cond_destroy(&s.changed);
    pthread_mutex_destroy(&s.lock);
    return ok;
}
