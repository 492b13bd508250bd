// The grammar smith: reads an op's graph, then writes kernel after kernel from plans drawn from the seed.
#include "smith/distinct.h"
#include "smith/plan.h"

enum { HEADLINE_ROWS = 8192, HEADLINE_COLS = 4096, TRIES_IN_VAIN = 64, PROPOSALS_MAX = 4096 };

// The schedules take turns, so that the first few proposals differ in what matters most. The first of each is
// drawn plain, the later ones with everything open.
static bool propose(Smith *s, Arena *a, const Op *op, const SmithRequest *q, Proposal *out, int *written,
                    Err *e) {
    (void)s;
    *written = 0;
    Graph g;
    if (!graph_trace(a, op, &g, e)) return false;
    int64_t m = q->m > 0 ? q->m : HEADLINE_ROWS, n = q->n > 0 ? q->n : HEADLINE_COLS;
    int count = q->count < PROPOSALS_MAX ? q->count : PROPOSALS_MAX;
    Schedule order[SCHEDULE_COUNT];
    int schedules = plan_schedules(&g, m, n, order);
    Rng rng = rng_at(q->seed, 0);
    SeenPrograms seen = {.arena = a};
    Arena scratch = {0};
    for (int turn = 0, vain = 0; *written < count && vain < TRIES_IN_VAIN; turn++) {
        ArenaMark mark = arena_mark(&scratch);
        Plan p = plan_draw(order[turn % schedules], n, turn < schedules, &rng);
        Str source = kernel_emit(&scratch, &g, &p);
        bool again = seen_before(&seen, program_hash(source));
        if (!again) out[(*written)++] = (Proposal){str_dup(a, source), plan_words(a, &g, &p)};
        vain = again ? vain + 1 : 0;
        arena_reset(&scratch, mark);
    }
    arena_free(&scratch);
    return true;
}

static Smith grammar = {.name = "grammar", .propose = propose};

bool smith_open(Arena *a, const char *which, Smith **out, Err *e) {
    (void)a;
    if (strcmp(which, grammar.name) == 0) {
        *out = &grammar;
        return true;
    }
    return err_set(e, ERR_USAGE, "no smith is called '%s'; known: %s", which, grammar.name);
}
