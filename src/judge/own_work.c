#include "judge/own_work.h"

#include "cases/modules/modules_domain.h"
#include "host/candidate/knocked.h"
#include "judge/decide/decide.h"

typedef struct {
    bool made;        // some case has made the launch
    bool matters;     // without what it stores, the answer is wrong
    bool replaceable; // and that is there without it, in every case
    int64_t bytes;    // of the traffic case
    LineCol at;
} Launch;

// What the reports of a run say, which decide() has checked.
static void read_launch(const Candidates *b, size_t i, const ChildResult *r, Launch *out) {
    int n = 0;
    bool all = true;
    for (int k = 0; k < r->reports && r->report[k].kind == REPORT_RAN; k++) {
        const CaseReport *c = &r->report[k];
        if (!c->knocked) continue;
        n++;
        all &= c->replaceable;
        out->at = line_col(b->source[i], c->knocked_at);
        if (c->case_index == b->draw->traffic_case) out->bytes = c->knocked_bytes;
    }
    out->made = n > 0;
    out->replaceable = n > 0 && all;
}

static bool knock(Candidates *b, size_t i, int which, Launch *out, Err *e) {
    Extras extras = b->r->extras;
    extras.model = b->draw->op->model;
    ForkJob job = {.draw_fd = b->draw->fd,
                   .draw_bytes = b->draw->bytes,
                   .source = b->source[i],
                   .extras = extras,
                   .knocked = which + 1,
                   .output_bytes = b->draw->output_bytes,
                   .arena_bytes = memory_needed(b->draw->spec, b->draw->cases),
                   .wall_seconds = FORK_WALL_SECONDS,
                   .max_reports = b->draw->cases + b->draw->calls + 1,
                   .draw_key = b->draw->key};
    Arena scratch = {0};
    ChildResult r;
    Verdict v = {0};
    *out = (Launch){0};
    ForkServer *server = fork_servers_take(b->r->fork_servers, e);
    bool ok = server && fork_server_run(server, &scratch, &job, &r, e);
    if (ok) {
        const char *why;
        v.decision = (Decision){.rule = "", .feedback = ""};
        decide(&scratch, b->draw, b->source[i], &r, &v);
        out->matters = !verdict_accepted(&v);
        if (wire_check(r.report, r.reports, b->draw->cases, b->source[i].len, &why) != WIRE_BROKEN)
            read_launch(b, i, &r, out);
        else
            out->made = true; // it has not come to its end: who can do that to it matters
        out->made |= out->matters;
        child_result_free(server, &r);
    }
    if (server) fork_servers_leave(b->r->fork_servers, server, !ok);
    arena_free(&scratch);
    return ok;
}

static double share(int64_t part, int64_t of) {
    double x = of > 0 ? (double)part / (double)of : 1;
    return x < 0 ? 0 : x > 1 ? 1 : x;
}

static const char *words_of(Arena *a, const OwnWork *w) {
    const LaunchWithoutShare *l = &w->without[0];
    if (!w->launches) return arena_printf(a, "The program launches no kernel of its own.");
    if (!w->own)
        return arena_printf(a,
                            l->replaceable
                                ? "No kernel of the program has a share in the work: what the "
                                  "launch in line %d stores is a copy, or what PyTorch gives as well."
                                : "No kernel of the program has a share in the work: nothing of the "
                                  "result depends on what the launch in line %d stores.",
                            l->at.line);
    return arena_printf(
        a,
        "PyTorch's operators (%s) do %.0f %% of the light work of the reference by bytes; own "
        "kernels have to do at least half of it (--library light).",
        w->operators, 100 * (1 - w->light));
}

bool own_work_judge(Candidates *b, size_t i, Verdict *v, Err *e) {
    const ModulesDomain *m = modules_of(b->draw->op);
    const Counters *count = &v->traffic.count;
    OwnWork *w = &v->evidence.own;
    if (!m || m->library == LIBRARY_NONE || (count->library_calls == 0 && count->launches > 0)) return true;
    *w = (OwnWork){.told = true, .calls = count->library_calls, .launches = count->launches};
    snprintf(w->operators, sizeof w->operators, "%s", v->traffic.library);
    int64_t own = count->bytes_loaded + count->bytes_stored;
    for (int k = 0; k < count->launches && k < KNOCKED_MAX; k++) {
        Launch l;
        if (!knock(b, i, k, &l, e)) return false;
        bool last = k == KNOCKED_MAX - 1;
        int64_t n = last ? count->launches - k : 1;
        if (l.matters && !l.replaceable) {
            w->own += n;
            continue;
        }
        own -= l.bytes;
        if (w->withouts < WITHOUT_SHARE_MAX)
            w->without[w->withouts++] = (LaunchWithoutShare){l.at, l.replaceable};
    }
    w->bytes = share(own, own + count->library_bytes);
    w->work = 1 - share(count->library_work, m->values.shapes.small.work);
    w->light = m->light_bytes ? 1 - share(count->light_bytes, m->light_bytes) : 1;
    bool enough = w->own > 0 && (m->library != LIBRARY_LIGHT || w->light >= 0.5);
    if (enough) return true;
    const OwnWork kept = *w;
    decision_set(&v->decision, STATUS_no_kernel, "share", words_of(&b->arena[i], w));
    v->evidence = (Evidence){.own = kept};
    return true;
}
