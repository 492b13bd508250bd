#include "judge/judge_pass.h"

#include "base/clock.h"
#include "cases/draw.h"
#include "judge/decide/decide.h"

// Room behind the outputs for what a person asks (wire.h).
static void watch_room(const Draw *d, ForkJob *job) {
    job->watch_at = (int64_t)(d->output_bytes + 64) & ~(int64_t)63;
    job->output_bytes = (size_t)job->watch_at + (size_t)d->cases * sizeof(Trace) + d->output_bytes;
}

static void watch_take(Candidates *b, const ForkJob *job, const ChildResult *r) {
    const Draw *d = b->draw;
    Arena *a = b->watched_arena;
    *b->watched = (Watched){0};
    const char *why;
    if (wire_check(r->report, r->reports, d->cases, job->source.len, &why) == WIRE_BROKEN) return;
    CaseReport *report = NEWN(a, CaseReport, (size_t)r->reports);
    memcpy(report, r->report, sizeof *report * (size_t)r->reports);
    b->watched->report = report;
    b->watched->reports = r->reports;
    if (!r->output) return;
    uint8_t *bytes = arena_raw(a, job->output_bytes, 64);
    memcpy(bytes, r->output, job->output_bytes);
    b->watched->output = bytes;
    b->watched->trace = (const Trace *)(bytes + job->watch_at);
    b->watched->flags = bytes + job->watch_at + (size_t)d->cases * sizeof(Trace);
}

// With what a ModelNew is called with, where the op is a module.
static Extras extras_of(const Candidates *b) {
    Extras all = b->r->extras;
    all.model = b->draw->op->model;
    return all;
}

// What a child has said of a job: one of its own, or one that had further jobs behind this.
typedef struct {
    ForkServer *fork_server; // NULL: the child is another's
    ChildResult own;
    const ChildResult *said;
} Heard;

static bool hear(Candidates *b, const ForkJob *job, Ahead *ahead, Arena *scratch, Heard *out, Err *e) {
    *out = (Heard){.said = ahead && !ahead->ran ? ahead_run_behind(ahead, job) : NULL};
    if (out->said) return true;
    out->fork_server = fork_servers_take(b->r->fork_servers, e);
    out->said = &out->own;
    if (!out->fork_server) return false;
    if (fork_server_run(out->fork_server, scratch, job, &out->own, e)) return true;
    fork_servers_leave(b->r->fork_servers, out->fork_server, true);
    return false;
}

static void heard(Candidates *b, Heard *h) {
    if (!h->fork_server) return;
    child_result_free(h->fork_server, &h->own);
    fork_servers_leave(b->r->fork_servers, h->fork_server, false);
}

static ForkJob job_of(const Candidates *b, const Draw *d, size_t i, int tune) {
    ForkJob job = {.draw_fd = d->fd,
                   .draw_bytes = d->bytes,
                   .source = b->source[i],
                   .extras = extras_of(b),
                   .tune = tune,
                   .output_bytes = d->output_bytes,
                   .arena_bytes = memory_needed(d->spec, d->cases),
                   .wall_seconds = FORK_WALL_SECONDS,
                   .max_reports = d->cases + d->calls + 1,
                   .draw_key = d->key};
    if (b->watched) watch_room(d, &job);
    return job;
}

// One pass over the cases of a draw.
static bool pass_on(Candidates *b, const Draw *d, size_t i, Verdict *v, Passes *had, Err *e) {
    const ForkJob job = job_of(b, d, i, had->tune);
    Heard h;
    Arena scratch = {0};
    double t0 = clock_seconds();
    bool ok = hear(b, &job, had->ahead, &scratch, &h, e);
    double t1 = clock_seconds();
    if (ok) {
        const ChildResult *r = h.said;
        v->decision = (Decision){.rule = "", .feedback = ""};
        v->cases = (CaseResults){0};
        v->traffic = (Traffic){0};
        v->evidence = (Evidence){0};
        v->gaps = (Gaps){0};
        v->roundings = 0;
        decide(&scratch, d, b->source[i], r, v);
        v->decision.feedback =
            arena_strndup(&b->arena[i], v->decision.feedback, strlen(v->decision.feedback));
        v->judged.seconds_child = t1 - t0;
        v->judged.seconds_compare = clock_seconds() - t1;
        for (int k = 0; verdict_accepted(v) && k < r->reports; k++)
            if (r->report[k].configs > had->configs) had->configs = r->report[k].configs;
        v->keeps |= r->reports > 0 && r->report[r->reports - 1].keeps;
        if (b->watched && (had->tune == 0 || !verdict_accepted(v))) watch_take(b, &job, r);
        heard(b, &h);
    }
    arena_free(&scratch);
    return ok;
}

static bool pass_alone(Candidates *b, size_t i, Verdict *v, Passes *had, Err *e) {
    return pass_on(b, b->draw, i, v, had, e);
}

static bool pass_with_calls(Candidates *b, size_t i, Verdict *v, Passes *had, Err *e) {
    const Draw *d = b->draw;
    const SizedAsk ask = {.domain = d->domain, .level = d->level, .seed = d->seed, .calls_of = d};
    const SizedDraw *all = sized_draw_take(b->sized, &ask, e);
    if (!all) return false;
    bool ok = pass_on(b, &all->draw, i, v, had, e);
    sized_draw_leave(b->sized, all);
    return ok;
}

// Most programs keep nothing between calls: a draw that has left the calls out has them for the others alone,
// which begin anew, unless many of those before have kept something. The verdict is the same either way.
bool judge_pass(Candidates *b, size_t i, Verdict *v, Passes *had, Err *e) {
    if (!b->draw->left) return pass_alone(b, i, v, had, e);
    int keepers = atomic_load(&b->keepers), first = atomic_fetch_add(&b->passes, 1);
    bool calls = v->keeps || (keepers > 0 && 2 * keepers >= first);
    if (!(calls ? pass_with_calls : pass_alone)(b, i, v, had, e)) return false;
    if (v->keeps) atomic_fetch_add(&b->keepers, 1);
    return calls || !v->keeps || !verdict_accepted(v) || pass_with_calls(b, i, v, had, e);
}
