#include "corpus/ladder.h"

#include <pthread.h>
#include <time.h>

typedef struct {
    Ladder *ladder;
    LadderAnswer *answer; // in its own arena, as this is
    Submission ask;
    bool climbs; // full comes after quick
} Ask;

struct Ladder {
    Service *service;
    pthread_mutex_t lock;
    pthread_cond_t some;
    LadderAnswer *first, **last;
    int64_t asked, taken;
    bool cancelled;
};

bool ladder_open(Arena *a, Service *s, Ladder **out, Err *e) {
    Ladder *l = NEW(a, Ladder);
    l->service = s;
    l->last = &l->first;
    pthread_condattr_t clock;
    bool ok = pthread_mutex_init(&l->lock, NULL) == 0 && pthread_condattr_init(&clock) == 0 &&
              pthread_condattr_setclock(&clock, CLOCK_MONOTONIC) == 0 &&
              pthread_cond_init(&l->some, &clock) == 0;
    *out = l;
    return ok || err_set(e, ERR_LIMIT, "no lock for verdicts");
}

static void put_text(LadderAnswer *n, Str *to, const char *text) {
    *to = text ? str_dup(&n->arena, str_of(text)) : (Str){"", 0};
}

static void read_verdict(LadderAnswer *n, const json_t *v) {
    Status status = STATUS_referee_error;
    const char *word = json_string_value(json_object_get(v, "status"));
    if (word && !status_by_name(str_of(word), &status)) status = STATUS_referee_error;
    put_text(n, &n->status, word);
    put_text(n, &n->level, json_string_value(json_object_get(v, "level")));
    n->accepted = status_class(status) == CLASS_ACCEPTED && str_is(n->level, level_name(LEVEL_FULL));
    n->decided = status_class(status) != CLASS_UNDECIDED;
    n->lost = status == STATUS_referee_error;
    Buf b = BUF(&n->arena);
    json_put(&b, json_incref((json_t *)(uintptr_t)v));
    n->evidence = buf_str(&b);
}

static bool accepts(const Answer *a) {
    if (a->kind == ANSWER_KNOWN) return json_is_true(json_object_get(a->known, "accepted"));
    return a->kind == ANSWER_JUDGED && verdict_accepted(a->verdict);
}

static void answered(void *arg, const Answer *a) {
    Ask *k = arg;
    Ladder *l = k->ladder;
    LadderAnswer *n = k->answer;
    if (k->climbs && accepts(a)) {
        k->climbs = false;
        k->ask.level = LEVEL_FULL;
        service_submit_again(l->service, &k->ask);
        return;
    }
    if (a->kind == ANSWER_KNOWN)
        read_verdict(n, a->known);
    else if (a->kind == ANSWER_JUDGED) {
        json_t *v = verdict_object(a->verdict);
        read_verdict(n, v);
        json_decref(v);
    } else
        n->lost = true;
    pthread_mutex_lock(&l->lock);
    *l->last = n;
    l->last = &n->next;
    pthread_cond_signal(&l->some);
    pthread_mutex_unlock(&l->lock);
}

void ladder_ask(Ladder *l, const Op *op, const DrawFilter *filter, Str source, void *of) {
    Arena a = {0};
    LadderAnswer *n = NEW(&a, LadderAnswer);
    Ask *k = NEW(&a, Ask);
    n->of = of;
    *k = (Ask){.ladder = l, .answer = n, .climbs = true};
    k->ask = (Submission){.op = op,
                          .level = LEVEL_QUICK,
                          .filter = *filter,
                          .source = str_dup(&a, source),
                          .answered = answered,
                          .arg = k};
    n->arena = a;
    l->asked++;
    service_submit(l->service, &k->ask);
}

LadderAnswer *ladder_take(Ladder *l, double seconds) {
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    int64_t ns = until.tv_nsec + (int64_t)(seconds * 1e9);
    until.tv_sec += ns / 1000000000;
    until.tv_nsec = ns % 1000000000;
    pthread_mutex_lock(&l->lock);
    while (!l->first && seconds > 0)
        if (pthread_cond_timedwait(&l->some, &l->lock, &until) != 0) break;
    LadderAnswer *list = l->first;
    l->first = NULL;
    l->last = &l->first;
    pthread_mutex_unlock(&l->lock);
    for (const LadderAnswer *n = list; n; n = n->next) l->taken++;
    return list;
}

void ladder_release(LadderAnswer *list) {
    while (list) {
        LadderAnswer *next = list->next;
        Arena a = list->arena;
        arena_free(&a);
        list = next;
    }
}

int64_t ladder_waiting(Ladder *l) { return l->asked - l->taken; }

void ladder_cancel(Ladder *l) {
    if (!l->cancelled) service_cancel(l->service, false);
    l->cancelled = true;
}

bool ladder_close(Ladder *l, void (*drop)(void *of), bool ok, Err *e) {
    Err failure = {0};
    if (!ok) ladder_cancel(l);
    bool answered = service_wait(l->service, &failure);
    if (ok && !answered) *e = failure;
    LadderAnswer *rest = ladder_take(l, 0);
    for (const LadderAnswer *n = rest; n; n = n->next) drop(n->of);
    ladder_release(rest);
    pthread_cond_destroy(&l->some);
    pthread_mutex_destroy(&l->lock);
    return ok && answered;
}
