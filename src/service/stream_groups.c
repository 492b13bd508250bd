#include "service/stream_groups.h"

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

struct Group {
    Group *next;
    char name[GROUP_NAME_MAX];
    size_t name_len;
    Sha256 same;
    int of, came, answered;
    bool closed;       // no more will come
    bool climbing;     // one of them does
    GroupMember *held; // the best first
    int helds;
    size_t bytes;
};

struct StreamGroups {
    GroupCalls calls;
    pthread_mutex_t lock; // of everything below
    Group *first, **last; // in order of their first members
    int64_t arrivals;
    GroupLoad load;
    bool stopped;
};

// What is to be told once the lock is left.
typedef struct {
    GroupMember *climb, *leave;
    GroupEnd why;
} News;

static void tell(const StreamGroups *g, const News *news) {
    // Whoever is told may be gone afterwards.
    for (GroupMember *m = news->climb, *next; m; m = next) {
        next = m->next;
        g->calls.climb(m->arg);
    }
    for (GroupMember *m = news->leave, *next; m; m = next) {
        next = m->next;
        g->calls.leave(m->arg, news->why);
    }
}

// ---- with the lock

static void forget_group(StreamGroups *g, Group *group) {
    Group **at = &g->first;
    while (*at != group) at = &(*at)->next;
    *at = group->next;
    if (!*at) g->last = at;
    free(group);
}

static void close_group(StreamGroups *g, Group *group) {
    if (group->closed) return;
    group->closed = true;
    g->load.open--;
    g->load.n--;
}

static GroupMember *take_first(StreamGroups *g, Group *group) {
    GroupMember *m = group->held;
    if (!m) return NULL;
    group->held = m->next;
    group->helds--;
    group->bytes -= m->bytes;
    g->load.n--;
    g->load.bytes -= m->bytes;
    return m;
}

static void dismiss(StreamGroups *g, Group *group, News *news) {
    for (GroupMember *m; (m = take_first(g, group));) {
        m->group = NULL;
        m->next = news->leave;
        news->leave = m;
    }
}

// The best climbs as soon as it is known; a group without any is done.
static void settle(StreamGroups *g, Group *group, News *news) {
    if (group->climbing || !group->closed || group->answered < group->came) return;
    GroupMember *best = take_first(g, group);
    if (!best) return forget_group(g, group);
    group->climbing = true;
    best->next = news->climb;
    news->climb = best;
}

static bool before(const GroupMember *x, const GroupMember *y) {
    if (x->ratio != y->ratio) return y->ratio <= 0 || (x->ratio > 0 && x->ratio < y->ratio);
    if (x->launches != y->launches) return x->launches < y->launches;
    return x->order < y->order;
}

static Group *find_open(const StreamGroups *g, Str name) {
    for (Group *group = g->first; group; group = group->next)
        if (!group->closed && str_eq(name, (Str){group->name, group->name_len})) return group;
    return NULL;
}

static Group *add_group(StreamGroups *g, const GroupAsked *a) {
    Group *group = calloc(1, sizeof *group);
    if (!group) abort();
    memcpy(group->name, a->name.p, a->name.len);
    group->name_len = a->name.len;
    group->of = a->of;
    group->same = a->same;
    *g->last = group;
    g->last = &group->next;
    g->load.open++;
    g->load.n++;
    return group;
}

// ---- from outside

StreamGroups *groups_open(const GroupCalls *c) {
    StreamGroups *g = calloc(1, sizeof *g);
    if (!g) abort();
    g->calls = *c;
    g->last = &g->first;
    pthread_mutex_init(&g->lock, NULL);
    return g;
}

void groups_close(StreamGroups *g) {
    if (!g) return;
    News news = {.why = GROUP_LOST};
    while (g->first) {
        dismiss(g, g->first, &news);
        forget_group(g, g->first);
    }
    tell(g, &news);
    pthread_mutex_destroy(&g->lock);
    free(g);
}

bool groups_join(StreamGroups *g, const GroupAsked *a, GroupMember *m) {
    assert(a->name.len <= GROUP_NAME_MAX && a->of > 0);
    pthread_mutex_lock(&g->lock);
    Group *group = find_open(g, a->name);
    bool ok = !group || (group->of == a->of && memcmp(&group->same, &a->same, sizeof a->same) == 0);
    if (ok) {
        if (!group) group = add_group(g, a);
        m->group = group;
        m->order = g->arrivals++;
        if (++group->came == group->of) close_group(g, group);
    }
    pthread_mutex_unlock(&g->lock);
    return ok;
}

void groups_hold(StreamGroups *g, GroupMember *m, const GroupRank *r) {
    News news = {.why = GROUP_STOPPED};
    pthread_mutex_lock(&g->lock);
    Group *group = m->group;
    group->answered++;
    m->ratio = r->ratio;
    m->launches = r->launches;
    GroupMember **at = &group->held;
    while (*at && before(*at, m)) at = &(*at)->next;
    m->next = *at;
    *at = m;
    group->helds++;
    group->bytes += m->bytes;
    g->load.n++;
    g->load.bytes += m->bytes;
    if (g->stopped) dismiss(g, group, &news);
    settle(g, group, &news);
    pthread_mutex_unlock(&g->lock);
    tell(g, &news);
}

void groups_miss(StreamGroups *g, GroupMember *m) {
    News news = {.why = GROUP_SECOND};
    pthread_mutex_lock(&g->lock);
    Group *group = m->group;
    m->group = NULL;
    group->answered++;
    settle(g, group, &news);
    pthread_mutex_unlock(&g->lock);
    tell(g, &news);
}

void groups_judged(StreamGroups *g, GroupMember *m, bool accepted) {
    News news = {.why = GROUP_SECOND};
    pthread_mutex_lock(&g->lock);
    Group *group = m->group;
    m->group = NULL;
    m->best = accepted;
    group->climbing = false;
    if (accepted) dismiss(g, group, &news);
    settle(g, group, &news);
    pthread_mutex_unlock(&g->lock);
    tell(g, &news);
}

void groups_cut(StreamGroups *g, int n, size_t bytes) {
    News news = {.why = GROUP_SECOND};
    pthread_mutex_lock(&g->lock);
    GroupLoad left = g->load;
    for (Group *group = g->first, *next; group && (left.n > n || left.bytes > bytes); group = next) {
        next = group->next;
        if (group->closed) continue;
        left.n -= 1 + group->helds;
        left.bytes -= group->bytes;
        close_group(g, group);
        settle(g, group, &news);
    }
    pthread_mutex_unlock(&g->lock);
    tell(g, &news);
}

void groups_stop(StreamGroups *g) {
    News news = {.why = GROUP_STOPPED};
    pthread_mutex_lock(&g->lock);
    g->stopped = true;
    for (Group *group = g->first, *next; group; group = next) {
        next = group->next;
        close_group(g, group);
        dismiss(g, group, &news);
        settle(g, group, &news);
    }
    pthread_mutex_unlock(&g->lock);
    tell(g, &news);
}

GroupLoad groups_load(StreamGroups *g) {
    pthread_mutex_lock(&g->lock);
    GroupLoad load = g->load;
    pthread_mutex_unlock(&g->lock);
    return load;
}
