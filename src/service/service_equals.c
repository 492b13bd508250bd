// Equal programs get one verdict: from the journal, or from the one that is under way.
#include <stdlib.h>

#include "service/service_state.h"

enum { FLUSH_MAX = 256 }; // answered together

static Job **bucket_of(Service *s, const VerdictKey *key) {
    return &s->equals[str_hash((Str){key->hex, 64}) % EQUALS_BUCKETS];
}

static Job *find(Service *s, const VerdictKey *key) {
    Job *j = *bucket_of(s, key);
    while (j && strcmp(j->key.hex, key->hex) != 0) j = j->chain;
    return j;
}

void equals_forget(Service *s, Job *j) {
    if (!j->in_table) return;
    Job **at = bucket_of(s, &j->key);
    while (*at != j) at = &(*at)->chain;
    *at = j->chain;
    j->in_table = false;
}

static void make_ready(Service *s, Job *j) {
    j->next = NULL;
    *s->ready_last = j;
    s->ready_last = &j->next;
}

bool equals_known(Service *s, Job *j) {
    j->known = verdict_cache_find(s->cache, &j->key, j->ask.source);
    return j->known != NULL;
}

void equals_admit(Service *s, Job *j, bool known) {
    Job *leader = j->keyed && !known ? find(s, &j->key) : NULL;
    if (known) return make_ready(s, j);
    if (leader) {
        j->next = leader->followers;
        leader->followers = j;
        return;
    }
    if (j->keyed) {
        Job **bucket = bucket_of(s, &j->key);
        j->chain = *bucket;
        *bucket = j;
        j->in_table = true;
    }
    job_queue(s, j);
}

void equals_serve(Service *s, Job *followers) {
    for (Job *j = followers, *next; j; j = next) {
        next = j->next;
        bool known = equals_known(s, j);
        pthread_mutex_lock(&s->lock);
        if (known)
            make_ready(s, j);
        else
            job_queue(s, j); // on its own: it is the same program, but not the same sentence
        pthread_mutex_unlock(&s->lock);
    }
}

static bool record_all(Service *s, const Job *list, int n, Err *e) {
    Arena a = {0};
    Str *record = NEWN(&a, Str, (size_t)n);
    int k = 0;
    for (const Job *j = list; j; j = j->next) {
        Buf b = BUF(&a);
        json_put(&b, json_pack("{s:s, s:O, s:s}", "record", "duplicate", "sha256",
                               json_object_get(j->known, "source_sha256"), "of", j->key.hex));
        record[k++] = buf_str(&b);
    }
    bool ok = journal_append(referee_journal(s->referee), record, k, NULL, e);
    arena_free(&a);
    return ok;
}

void step_flush(Service *s) {
    Job *list = s->ready, *last = list;
    int n = 1;
    for (; n < FLUSH_MAX && last->next; n++) last = last->next;
    s->ready = last->next;
    if (!s->ready) s->ready_last = &s->ready;
    last->next = NULL;
    s->flushing = true;
    service_stir(s);
    pthread_mutex_unlock(&s->lock);
    Err e = {0};
    bool ok = record_all(s, list, n, &e);
    for (const Job *j = list; ok && j; j = j->next)
        j->ask.answered(j->ask.arg,
                        &(Answer){.kind = ANSWER_KNOWN, .known = j->known, .more = j->next != NULL});
    if (!ok) tell_undecided(list, ANSWER_LOST, &e);
    pthread_mutex_lock(&s->lock);
    if (!ok) service_fail_locked(s, &e);
    for (Job *j = list, *next; j; j = next) {
        next = j->next;
        job_free(s, j);
    }
    s->flushing = false;
}
