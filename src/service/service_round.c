// The steps of a round: freeze the sources, draw, judge, commit, answer.
#include <stdlib.h>

#include "base/sealed.h"
#include "service/service_state.h"

enum { TIDY_AFTER = 4096 }; // verdicts

static json_t *note(void *arg, int i, const Verdict *v) {
    RoundWork *b = arg;
    const Job *j = b->job[i];
    json_t *o = j->keyed ? verdict_cache_note(&j->key, v) : NULL;
    b->noted[i] = o != NULL;
    return o;
}

RoundWork *round_begin(Service *s, const QueueKey *key, QueueItem **item, int n) {
    RoundWork *b = calloc(1, sizeof *b);
    if (!b) abort();
    b->seed = key->seed;
    b->ask = (JudgeRequest){.op = key->op,
                            .level = key->level,
                            .filter = key->filter,
                            .every_size = key->every_size,
                            .seed = key->replay ? &b->seed : NULL,
                            .note = note,
                            .note_arg = b};
    for (int i = 0; i < n; i++)
        for (Job *j = (Job *)item[i]; j; j = j->mate) {
            b->source[b->n] = j->ask.source;
            b->job[b->n++] = j;
        }
    *s->last = b;
    s->last = &b->next;
    return b;
}

void round_end(Service *s, RoundWork *b) {
    RoundWork **at = &s->first;
    while (*at != b) at = &(*at)->next;
    *at = b->next;
    if (!*at) s->last = at;
    if (b->round) round_close(b->round);
    free(b);
}

void tell_undecided(Job *list, AnswerKind kind, const Err *why) {
    for (const Job *j = list; j; j = j->next) {
        Verdict v = {.op = STR(""),
                     .decision = {.status = STATUS_referee_error, .rule = "draw", .feedback = why->msg},
                     .judged.level = j->ask.level};
        j->ask.answered(j->ask.arg,
                        &(Answer){.kind = kind, .verdict = &v, .why = why, .more = j->next != NULL});
    }
}

// All of a round; with the lock held, which is let go meanwhile. `why`: it could not be drawn.
static void answer_all(Service *s, RoundWork *b, const Err *why) {
    Job *followers[DRAW_SHARE_MAX];
    int n = b->n;
    pthread_mutex_unlock(&s->lock);
    for (int i = 0; i < n; i++) {
        const Job *j = b->job[i];
        b->job[i]->next = i + 1 < n ? b->job[i + 1] : NULL;
        if (!why)
            j->ask.answered(j->ask.arg,
                            &(Answer){.kind = ANSWER_JUDGED, .verdict = &b->verdict[i], .more = i + 1 < n});
    }
    if (why) tell_undecided(b->job[0], ANSWER_UNDRAWN, why);
    pthread_mutex_lock(&s->lock);
    for (int i = 0; i < n; i++) {
        equals_forget(s, b->job[i]);
        followers[i] = b->job[i]->followers;
        job_free(s, b->job[i]);
    }
    round_end(s, b);
    pthread_mutex_unlock(&s->lock);
    for (int i = 0; i < n; i++) equals_serve(s, followers[i]);
    pthread_mutex_lock(&s->lock);
}

// Whoever leaves with a step wakes another worker for the next one, if there is one: that one does the same.
// Who comes back with the lock looks for a step of its own.
static void leave(Service *s) {
    service_stir(s);
    pthread_mutex_unlock(&s->lock);
}

void step_freeze(Service *s, RoundWork *b) {
    b->busy = true;
    leave(s);
    Err e = {0};
    b->round = round_open(s->referee, &b->ask, b->source, b->n, b->verdict);
    bool ok = round_freeze(b->round, &e);
    pthread_mutex_lock(&s->lock);
    b->busy = false;
    b->stage = STAGE_DRAW;
    if (!ok) service_fail_locked(s, &e);
}

void step_draw(Service *s, RoundWork *b, Pool *alone) {
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
    if (!ok) return answer_all(s, b, &e);
    b->busy = false;
    b->stage = STAGE_JUDGE;
}

void step_judge(Service *s, RoundWork *b) {
    int i = b->taken++;
    s->computing++;
    leave(s);
    round_judge(b->round, i);
    Err e = {0};
    bool lost = referee_lost(s->referee, &e);
    pthread_mutex_lock(&s->lock);
    if (lost) service_fail_locked(s, &e);
    s->computing--;
    if (++b->judged == b->n) b->stage = STAGE_COMMIT;
}

void step_commit(Service *s, RoundWork *b) {
    b->busy = true;
    leave(s);
    Err e = {0};
    off_t at[DRAW_SHARE_MAX];
    bool ok = round_commit(b->round, at, &e);
    for (int i = 0; ok && i < b->n; i++)
        if (b->noted[i]) verdict_cache_put(s->cache, &b->job[i]->key, at[i]);
    pthread_mutex_lock(&s->lock);
    bool tidy = (s->untidy += b->n) >= TIDY_AFTER;
    if (tidy) s->untidy = 0;
    if (ok)
        answer_all(s, b, NULL);
    else
        service_fail_locked(s, &e);
    if (!tidy) return;
    pthread_mutex_unlock(&s->lock);
    arena_give_back();
    sealed_give_back();
    pthread_mutex_lock(&s->lock);
}
