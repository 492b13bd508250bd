#include "judge/shapes/asked_ahead.h"

#include <assert.h>
#include <unistd.h>

int ahead_add(Ahead *w, const ForkJob *job, bool owned) {
    assert(w->n < JOB_PARTS_MAX);
    w->job[w->n] = *job;
    w->owned[w->n] = owned;
    return w->n++;
}

static void run(Ahead *w, const ForkJob *job, int n) {
    Err e = {0};
    w->ran = true;
    w->fork_server = fork_servers_take(w->fork_servers, &e);
    if (!w->fork_server) return;
    if (fork_server_run_parts(w->fork_server, &w->reports, job, n, &w->came, &e)) return;
    fork_servers_leave(w->fork_servers, w->fork_server, true);
    w->fork_server = NULL;
    w->came.told = 0;
}

// Of a single job there is nothing to gain, and whoever wants it knows what to say of trouble.
void ahead_run(Ahead *w) {
    if (!w->ran && w->n > 1) run(w, w->job, w->n);
}

const ChildResult *ahead_run_behind(Ahead *w, const ForkJob *first) {
    ForkJob job[JOB_PARTS_MAX] = {*first};
    assert(!w->ran && w->n < JOB_PARTS_MAX);
    if (w->n == 0) return NULL;
    memcpy(job + 1, w->job, sizeof *job * (size_t)w->n);
    w->before = 1;
    run(w, job, w->n + 1);
    return w->came.told > 0 ? &w->came.part[0] : NULL;
}

const ChildResult *ahead_came(const Ahead *w, int number) {
    int k = w->before + number;
    return number >= 0 && k < w->came.told ? &w->came.part[k] : NULL;
}

void ahead_close(Ahead *w) {
    if (w->fork_server) {
        child_result_free(w->fork_server, &w->came.all);
        fork_servers_leave(w->fork_servers, w->fork_server, false);
    }
    for (int k = 0; k < w->n; k++)
        if (w->owned[k]) close(w->job[k].draw_fd);
    arena_free(&w->reports);
    *w = (Ahead){0};
}
