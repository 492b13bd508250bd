#include "mint/attempt.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/numeric/rng.h"
#include "propose/distinct.h"
#include "propose/extract.h"

typedef struct Session Session;
// An attempt, and who waits for its verdict.
typedef struct Draft {
    Session *session;
    Attempt t;
    struct Draft *same, *next; // attempts at the same program, by `next`
} Draft;

struct Session {
    const AttemptRequest *q;
    Arena *a; // of attempts and their texts: the asking thread's
    pthread_mutex_t lock;
    // Under the lock:
    Draft **at; // in order of arrival
    int count, cap;
    bool stop, failed;
    bool cut_short; // by an answer: nobody wants what has no draw
    AttemptTally tally;
    Err err;
    Arena verdicts; // texts of verdicts
    // The asking thread's own:
    double began;
    int retry;
    Prompt prompt;              // of first answers
    const SmithRequest *asking; // what replies answer
};

void attempt_refuse(Attempt *t, const Op *op, Level level, bool truncated) {
    t->source = (Str){"", 0};
    t->verdict = (Verdict){.op = op->name, .judged.level = level, .decision.element = -1};
    if (truncated)
        decision_set(&t->verdict.decision, STATUS_truncated, "reply",
                     "The reply met the token limit before its code block was closed: "
                     "write the kernel at once, and shorter.");
    else
        decision_set(&t->verdict.decision, STATUS_no_kernel, "reply",
                     op->form ? "The reply holds no kernel: answer with one fenced python code "
                                "block that defines class ModelNew(nn.Module) and its @triton.jit kernels."
                              : "The reply holds no kernel: answer with one fenced python code "
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

// ---- verdicts ----

static void share_verdict(Session *s, const Draft *d) {
    for (Draft *same = d->same; same; same = same->next) {
        same->t.verdict = d->t.verdict;
        same->t.judged = true;
        tell(s, &same->t);
    }
}

// Nothing more is wanted: what has no draw need not get one. A smith can be thousands of drafts ahead;
// whoever interrupts it waits for one round of them.
static void cut_short(Session *s) {
    bool interrupted = is_interrupted(s);
    pthread_mutex_lock(&s->lock);
    bool now = (s->stop || interrupted) && !s->cut_short;
    s->cut_short |= now;
    pthread_mutex_unlock(&s->lock);
    if (now) service_cancel(s->q->service, interrupted);
}

static void answered(void *arg, const Answer *a) {
    Draft *d = arg;
    Session *s = d->session;
    bool more = a->more;
    pthread_mutex_lock(&s->lock);
    if (a->kind == ANSWER_JUDGED) {
        d->t.verdict = *a->verdict;
        d->t.verdict.decision.feedback =
            arena_strndup(&s->verdicts, a->verdict->decision.feedback, strlen(a->verdict->decision.feedback));
        d->t.judged = true;
        tell(s, &d->t);
        share_verdict(s, d);
    } else if (a->kind != ANSWER_CANCELLED && !s->failed) {
        s->err = *a->why;
        s->failed = s->stop = true;
    }
    pthread_mutex_unlock(&s->lock);
    if (!more) cut_short(s);
}

static void submit(Session *s, Draft *d) {
    const AttemptRequest *q = s->q;
    service_submit(q->service, &(Submission){.op = q->op,
                                             .level = q->level,
                                             .filter = q->filter,
                                             .source = d->t.source,
                                             .answered = answered,
                                             .arg = d});
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

static void waits(void *arg, const char *sentence) {
    Session *s = arg;
    pthread_mutex_lock(&s->lock);
    if (s->q->waits) s->q->waits(s->q->arg, sentence);
    pthread_mutex_unlock(&s->lock);
}

static const Prompt *prompt_of(const SmithRequest *q, int index) {
    int i = 0;
    while (q->retry && i < q->count - 1 && q->retry[i].index != index) i++;
    return smith_prompt(q, i);
}

// An earlier attempt at the same program.
static int find_same(const Session *s, const Attempt *t) {
    for (int i = 0; i < s->count; i++)
        if (s->at[i]->t.source.len && s->at[i]->t.same_as < 0 &&
            memcmp(&s->at[i]->t.program, &t->program, sizeof t->program) == 0)
            return i;
    return -1;
}

// True: it waits for a verdict of its own.
static bool add_draft(Session *s, Draft *d) {
    Attempt *t = &d->t;
    bool alone = !t->judged;
    pthread_mutex_lock(&s->lock);
    if (alone) t->same_as = find_same(s, t);
    if (t->same_as >= 0) {
        Draft *first = s->at[t->same_as];
        alone = false;
        t->judged = first->t.judged;
        t->verdict = first->t.verdict;
        d->next = first->same;
        if (!t->judged) first->same = d;
    }
    if (s->count == s->cap) {
        s->at = MORE(s->a, Draft *, s->at, s->count, s->cap * 2 + 64);
        s->cap = s->cap * 2 + 64;
    }
    s->at[s->count++] = d;
    s->tally.replies++;
    tell(s, t->judged ? t : NULL);
    pthread_mutex_unlock(&s->lock);
    return alone;
}

static bool take_reply(void *arg, const Reply *r) {
    Session *s = arg;
    const AttemptRequest *q = s->q;
    Draft *d = NEW(s->a, Draft);
    Attempt *t = &d->t;
    d->session = s;
    *t = (Attempt){.index = r->index,
                   .retry = s->retry,
                   .reply = str_dup(s->a, r->text),
                   .cut = r->cut,
                   .tokens = r->tokens,
                   .schedule = arena_printf(s->a, "%s", r->schedule),
                   .flaw = r->flaw ? arena_printf(s->a, "%s", r->flaw) : NULL,
                   .same_as = -1};
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
    if (add_draft(s, d)) submit(s, d);
    return wanted(s);
}

static bool ask(Session *s, const SmithRequest *q, Err *e) {
    SmithSink sink = {.wanted = wanted, .grew = grew, .reply = take_reply, .waits = waits, .arg = s};
    s->asking = q;
    pthread_mutex_lock(&s->lock);
    s->tally.asked += q->count;
    tell(s, NULL);
    pthread_mutex_unlock(&s->lock);
    service_gather(s->q->service, s->q->smith->slow ? GATHER_SLOW : GATHER_FAST);
    if (s->q->smith->draft(s->q->smith, s->q->op, q, &sink, e)) return true;
    if (!e->code) err_record(e, ERR_IO, "the smith failed");
    return false;
}

// Everything that has arrived gets its verdict, unless nobody wants more.
static void wait_for_verdicts(Session *s) {
    if (!wanted(s)) service_cancel(s->q->service, is_interrupted(s));
    Err e = {0};
    bool ok = service_wait(s->q->service, &e);
    pthread_mutex_lock(&s->lock);
    if (!ok && !s->failed) s->err = e;
    if (!ok) s->failed = s->stop = true;
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
        const Attempt *t = &s->at[i]->t;
        if (!is_rejected(t)) continue;
        retry[n].index = t->index;
        LastTry last = {str_of(t->verdict.decision.feedback), t->source};
        const PromptAsk about = {q->op, q->filter.dtype, rows_class(q->ask.n), &last};
        if (!prompt_make(s->a, q->profile, &about, &retry[n++].prompt, e)) return false;
    }
    again.retry = retry;
    again.count = n;
    again.seed = rng_mix(q->ask.seed, (uint64_t)s->retry);
    // A failed smith is a result of its own, not a failure here.
    if (n && wanted(s)) (void)!ask(s, &again, smith_error);
    return true;
}

static bool ask_all(Session *s, Err *smith_error, Err *e) {
    const AttemptRequest *q = s->q;
    SmithRequest first = q->ask;
    if (q->smith->takes_prompt) {
        const PromptAsk about = {q->op, q->filter.dtype, rows_class(q->ask.n), NULL};
        if (!prompt_make(s->a, q->profile, &about, &s->prompt, e)) return false;
        if (q->feedback && !q->profile->feedback.p)
            return err_set(e, ERR_USAGE, "--feedback: profile %s has no section '--- feedback'",
                           q->profile->name);
        first.prompt = &s->prompt;
    } else if (q->feedback)
        return err_set(e, ERR_USAGE, "--feedback: the %s smith reads no feedback", q->smith->name);
    bool answers = ask(s, &first, smith_error);
    for (int from = 0; answers && s->retry < q->feedback;) {
        s->retry++;
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
    return a->index != b->index ? (a->index > b->index) - (a->index < b->index) : a->retry - b->retry;
}

static void hand_over(Session *s, AttemptResult *out) {
    out->at = NEWN(s->a, Attempt, (size_t)s->count + 1);
    for (int i = 0; i < s->count; i++)
        if (s->at[i]->t.judged) {
            Attempt *t = &out->at[out->count++];
            *t = s->at[i]->t;
            t->verdict.decision.feedback = arena_printf(s->a, "%s", t->verdict.decision.feedback);
        }
    // Numbers change with the order: an earlier attempt is found again by its program.
    qsort(out->at, (size_t)out->count, sizeof *out->at, by_index);
    for (int i = 0; i < out->count; i++) {
        Attempt *t = &out->at[i];
        t->same_as = -1;
        for (int k = 0; k < i && t->same_as < 0 && t->source.len; k++)
            if (out->at[k].source.len && memcmp(&out->at[k].program, &t->program, sizeof t->program) == 0)
                t->same_as = k;
    }
    out->tally = s->tally;
}

bool attempts_run(Arena *a, const AttemptRequest *q, AttemptResult *out, Err *e) {
    *out = (AttemptResult){0};
    Session s = {.q = q, .a = a, .began = clock_seconds()};
    pthread_mutex_init(&s.lock, NULL);
    bool ok = ask_all(&s, &out->smith_error, e);
    if (!ok) service_cancel(q->service, false);
    wait_for_verdicts(&s);
    if (ok && s.failed) {
        *e = s.err;
        ok = false;
    }
    if (ok) hand_over(&s, out);
    out->stopped = s.stop || is_interrupted(&s);
    arena_free(&s.verdicts);
    pthread_mutex_destroy(&s.lock);
    return ok;
}
