// The smith "grammar:narrow": the grammar's kernels in the one style that a small model learns.
#include "grammar/narrow_style.h"
#include "propose/distinct.h"
#include "propose/smith_kind.h"

enum { TRIES_IN_VAIN = 64, PROPOSALS_MAX = 4096 };

static bool draft(Smith *s, const Op *op, const SmithRequest *q, const SmithSink *sink, Err *e) {
    (void)s;
    if (q->flaw) return err_set(e, ERR_USAGE, "--flaw is for the smith grammar, not for grammar:narrow");
    Arena a = {0}, scratch = {0};
    Graph g;
    bool ok = graph_trace(&a, op, &g, e);
    // Ops of one seed draw differently, or all of them would have the same few plans.
    Rng r = rng_at(q->seed, str_hash(op->name));
    SeenPrograms seen = {.arena = &a};
    int end = q->first + q->count < PROPOSALS_MAX ? q->first + q->count : PROPOSALS_MAX, written = 0;
    for (int vain = 0; ok && written < end && vain < TRIES_IN_VAIN && sink->wanted(sink->arg);) {
        ArenaMark mark = arena_mark(&scratch);
        Plan p;
        if (!narrow_draw(&g, rows_class(q->n), &r, &p)) {
            ok = err_set(e, ERR_INPUT, "%.*s has no schedule that is written narrowly", STR_ARG(op->name));
            break;
        }
        Str source = kernel_emit(&scratch, &g, &p, NULL);
        bool fresh = !seen_before(&seen, program_hash(source)), more = true;
        vain = fresh ? 0 : vain + 1;
        if (fresh && written++ >= q->first) {
            Reply reply = {.index = written - 1, .text = source, .schedule = plan_words(&scratch, &g, &p)};
            more = sink->reply(sink->arg, &reply);
        }
        arena_reset(&scratch, mark);
        if (!more) break;
    }
    arena_free(&scratch);
    arena_free(&a);
    return ok;
}

static Smith narrow = {.name = "grammar:narrow", .draft = draft};

bool narrow_takes(const char *which) { return strcmp(which, narrow.name) == 0; }

bool narrow_open(Arena *a, const char *which, const SmithOptions *o, Smith **out, Err *e) {
    (void)a, (void)which;
    if (!smith_elsewhere(o, e)) return false;
    *out = &narrow;
    return true;
}
