// The grammar smith: reads an op's graph, then writes kernel after kernel from plans drawn from the seed.
#include "base/suggest.h"
#include "grammar/kernel_plan.h"
#include "propose/distinct.h"
#include "propose/smith_kind.h"

enum { HEADLINE_ROWS = 8192, HEADLINE_COLS = 4096, TRIES_IN_VAIN = 64, PROPOSALS_MAX = 4096 };

typedef struct {
    const Graph *g;
    const SmithRequest *q;
    Flaw flaw;
    int64_t n; // columns to write for
    Rng rng;
} Draw;

// False when the drawn plan has no place for the flaw.
static bool write_one(Draw *d, Arena *a, Schedule s, bool first, Plan *plan, Str *out) {
    Graph wrong;
    const Graph *g = d->g;
    int sites = 1;
    if (d->flaw && s == SCHEDULE_FILLED) return false;
    *plan = plan_draw(d->g, s, d->n, first, &d->rng);
    if (d->flaw) plan->gapless = false; // a mistake must not hide in a variant that few calls take
    if (flaw_in_graph(d->flaw)) {
        if (!flaw_graph(a, d->g, d->flaw, &d->rng, &wrong)) return false;
        g = &wrong;
        if (!plan_possible(g, s)) return false; // with the mistake in it nothing may be online any more
    } else
        plan->flaw = d->flaw;
    *out = kernel_emit(a, g, plan, d->flaw == FLAW_NONE || g == &wrong ? NULL : &sites);
    return sites > 0;
}

// Each schedule once, so that the first few proposals differ in what matters most; then every other turn is
// one of the two that suit the shape best.
static Schedule turn_of(const Schedule *order, int n, int turn) {
    if (turn < n || n < 3) return order[turn % n];
    int later = turn - n;
    return later % 2 ? order[2 + later / 2 % (n - 2)] : order[later / 2 % 2];
}

// The first of each schedule is drawn as it is fast most often, the later ones with everything open.
static bool write_all(Arena *a, const Op *op, const SmithRequest *q, const SmithSink *sink, Err *e) {
    Graph g;
    Draw d = {.g = &g, .q = q, .rng = rng_at(q->seed, 0)};
    if (q->flaw && !(d.flaw = flaw_by_name(q->flaw))) {
        Buf b = BUF(a);
        const char *name;
        Nearest near = nearest_to(str_of(q->flaw));
        for (int i = 0; (name = smith_flaw(i, NULL)); i++) {
            buf_printf(&b, "%s%s", i ? ", " : "", name);
            nearest_offer(&near, str_of(name));
        }
        return err_set(e, ERR_USAGE, "no flaw is called '%s'; known: %s%s", q->flaw, buf_cstr(&b),
                       nearest_words(a, &near));
    }
    if (op->form)
        return err_set(e, ERR_INPUT,
                       "the grammar smith writes kernels of ops; of a reference in module form a model does: "
                       "--smith");
    if (!graph_trace(a, op, &g, e)) return false;
    int64_t usual_m = op->rows_dim >= 0 ? op->dim[op->rows_dim].usual : 1,
            usual_n = op->dim[op->row_dim].usual;
    int64_t m = q->m > 0  ? q->m
                : usual_m ? usual_m
                          : HEADLINE_ROWS,
            n = q->n > 0  ? q->n
                : usual_n ? usual_n
                          : HEADLINE_COLS;
    d.n = n;
    int end = q->first + q->count < PROPOSALS_MAX ? q->first + q->count : PROPOSALS_MAX, written = 0;
    Schedule order[SCHEDULE_COUNT];
    int schedules = plan_schedules(&g, m, n, order);
    SeenPrograms seen = {.arena = a};
    Arena scratch = {0};
    for (int turn = 0, vain = 0; written < end && vain < TRIES_IN_VAIN && sink->wanted(sink->arg); turn++) {
        ArenaMark mark = arena_mark(&scratch);
        Plan p;
        Str source;
        bool fresh =
            write_one(&d, &scratch, turn_of(order, schedules, turn), turn < schedules, &p, &source) &&
            !seen_before(&seen, program_hash(source));
        bool more = true;
        if (fresh && written++ >= q->first) {
            Reply r = {.index = written - 1,
                       .text = source,
                       .schedule = plan_words(&scratch, &g, &p),
                       .flaw = d.flaw ? flaw_name(d.flaw) : NULL};
            more = sink->reply(sink->arg, &r);
        }
        vain = fresh ? 0 : vain + 1;
        arena_reset(&scratch, mark);
        if (!more) break;
    }
    arena_free(&scratch);
    if (d.flaw && end > 0 && written == 0)
        return err_set(e, ERR_INPUT, "%.*s has no place for the flaw %s", STR_ARG(op->name),
                       flaw_name(d.flaw));
    return true;
}

static bool draft(Smith *s, const Op *op, const SmithRequest *q, const SmithSink *sink, Err *e) {
    (void)s;
    Arena a = {0};
    bool ok = write_all(&a, op, q, sink, e);
    arena_free(&a);
    return ok;
}

static Smith grammar = {.name = "grammar", .draft = draft};

bool grammar_takes(const char *which) { return strcmp(which, grammar.name) == 0; }

bool grammar_open(Arena *a, const char *which, const SmithOptions *o, Smith **out, Err *e) {
    (void)a, (void)which;
    if (!smith_elsewhere(o, e)) return false;
    *out = &grammar;
    return true;
}
