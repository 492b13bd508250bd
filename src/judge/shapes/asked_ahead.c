#include "judge/shapes/asked_ahead.h"

#include <assert.h>
#include <unistd.h>

int ahead_add(Ahead *w, const ForkJob *job, bool owned) {
    assert(w->n < JOB_PARTS_MAX);
    w->job[w->n] = *job;
    w->owned[w->n] = owned;
    return w->n++;
}

// Of a single job there is nothing to gain, and whoever wants it knows what to say of trouble.
void ahead_run(Ahead *w) {
    Err e = {0};
    w->fork_server = w->n > 1 ? fork_servers_take(w->fork_servers, &e) : NULL;
    if (!w->fork_server) return;
    if (fork_server_run_parts(w->fork_server, &w->reports, w->job, w->n, &w->came, &e)) return;
    fork_servers_leave(w->fork_servers, w->fork_server, true);
    w->fork_server = NULL;
    w->came.told = 0;
}

const ChildResult *ahead_came(const Ahead *w, int number) {
    return number >= 0 && number < w->came.told ? &w->came.part[number] : NULL;
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
