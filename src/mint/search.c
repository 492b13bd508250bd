#include "mint/search.h"

#include <math.h>
#include <pthread.h>
#include <string.h>

#include "base/clock.h"
#include "base/numeric/fmath.h"
#include "propose/distinct.h"

enum { CANDIDATES_MAX = 512, BATCH = 8, BATCHES_AHEAD = 2, KNOWN_MAX = 6 };
// A row of the table has to pay for itself. Few rows are two shapes of nine: 2 % there are 0.4 % of the
// whole. That is more than the noise: one kernel's times are within 0.6 % in ten processes, at one shape.
static const double row_gain = 1.003;

typedef struct Search Search;
typedef struct {
    Search *s;
    Plan plan;
    Str source;
    Sha256 hash;
    bool timed; // has a number at every place
    double us[TIMED_CELLS_MAX];
    TimesAsk *ask;
} Candidate;

struct Search {
    Arena *a;
    const SearchRequest *q;
    SearchResult *out;
    Graph g;
    double until; // with the lock
    bool started; // the GPU has answered: what it was given to start in is over
    Candidate *at;
    int n;
    SeenPrograms seen;
    bool *expanded;                           // candidate i's neighbours were looked at
    Plans next;                               // that wait
    Plan row[TABLE_ROWS_MAX][TABLE_ROWS_MAX]; // of each table that was tried
    int taken;                                // of them
    pthread_mutex_t lock;
    int asked; // and not yet answered
};

static bool stopped(const Search *s) { return s->q->interrupted && s->q->interrupted(s->q->arg); }
static double left(Search *s) {
    pthread_mutex_lock(&s->lock);
    double until = s->until;
    pthread_mutex_unlock(&s->lock);
    return until - clock_seconds();
}
// The search's own time begins with the GPU's first answer. With the lock.
static void has_started(Search *s) {
    double until = clock_seconds() + s->q->seconds;
    if (!s->started && until < s->until) s->until = until;
    s->started = true;
}

// ---- the clock

// A shape that the op does not have counts the same for all; so does a kernel that is too quick to be timed.
static bool number_of(const CellTimes *c, double *us) {
    bool none = c->status == TIMES_below_floor || c->status == TIMES_unfit;
    *us = none ? 1 : c->device.us;
    return none || (c->status == TIMES_ok && c->device.us > 0);
}

// From the measuring thread.
static void was_timed(void *arg, TimesAsk *ask) {
    Candidate *c = arg;
    Search *s = c->s;
    bool all = true, wrong = false;
    for (int i = 0; i < ask->places; i++) {
        all &= number_of(&ask->cell[i], &c->us[i]);
        wrong |= ask->cell[i].status == TIMES_incorrect;
    }
    json_decref(ask->verdict);
    pthread_mutex_lock(&s->lock);
    has_started(s);
    c->timed = all && !wrong;
    s->out->timed += c->timed;
    s->out->taken_back += wrong;
    s->asked--;
    pthread_mutex_unlock(&s->lock);
}

static int waiting(Search *s) {
    pthread_mutex_lock(&s->lock);
    int n = s->asked;
    pthread_mutex_unlock(&s->lock);
    return n;
}

static void ask_times(Search *s, Candidate *c, const Verdict *v) {
    const SearchRequest *q = s->q;
    c->ask = NEW(s->a, TimesAsk);
    *c->ask = (TimesAsk){.op = q->op,
                         .filter = q->filter,
                         .source = c->source,
                         .place = q->place,
                         .places = q->places,
                         .verdict = verdict_object(v),
                         .timed = was_timed,
                         .arg = c};
    pthread_mutex_lock(&s->lock);
    s->asked++;
    pthread_mutex_unlock(&s->lock);
    stream_times_ask(q->times, c->ask);
}

static void wait_below(Search *s, int most) {
    while (waiting(s) > most) stream_times_wait(s->q->times, 20);
}

// What was judged and timed, in one number: the geometric mean.
static double mean_us(const double *us, int n) {
    double sum = 0;
    for (int i = 0; i < n; i++) sum += f64_log(us[i]);
    return f64_exp(sum / n);
}

// ---- what comes next

static bool is_fresh(Search *s, const Plan *p, Candidate *out) {
    if (s->n == CANDIDATES_MAX || !plan_possible(&s->g, p->schedule)) return false;
    Str source = kernel_emit(s->a, &s->g, p, NULL);
    Sha256 hash = program_hash(source);
    if (seen_before(&s->seen, hash)) return false;
    *out = (Candidate){.s = s, .plan = *p, .source = source, .hash = hash};
    return true;
}

// Of those whose neighbours were not looked at: the fastest on the whole, or at one place, in turn. With the
// lock.
static int most_promising(const Search *s, int turn) {
    int best = -1, place = turn % (s->q->places + 1) - 1;
    for (int i = 0; i < s->n; i++) {
        const Candidate *c = &s->at[i];
        if (!c->timed || s->expanded[i]) continue;
        double x = place < 0 ? mean_us(c->us, s->q->places) : c->us[place];
        double y = best < 0 ? 0 : place < 0 ? mean_us(s->at[best].us, s->q->places) : s->at[best].us[place];
        if (best < 0 || x < y) best = i;
    }
    return best;
}

// The next batch: what waits, then neighbours of the best.
static int choose(Search *s, int first, int *turn) {
    while (s->n - first < BATCH && s->n < CANDIDATES_MAX) {
        if (s->taken < s->next.n) {
            s->n += is_fresh(s, &s->next.at[s->taken++], &s->at[s->n]);
            continue;
        }
        pthread_mutex_lock(&s->lock);
        int best = most_promising(s, (*turn)++);
        if (best >= 0) s->expanded[best] = true;
        pthread_mutex_unlock(&s->lock);
        if (best < 0) break;
        plan_neighbours(&s->g, &s->at[best].plan, &s->next);
        s->taken = 0;
    }
    return s->n - first;
}

static bool judge(Search *s, const Str *source, int n, Verdict *out, Err *e) {
    Submission *q = NEWN(s->a, Submission, (size_t)n);
    for (int i = 0; i < n; i++)
        q[i] = (Submission){.op = s->q->op, .level = LEVEL_FULL, .filter = s->q->filter, .source = source[i]};
    return service_judge(s->q->service, s->a, q, n, out, e);
}

// One batch is judged while the one before is timed.
static bool search(Search *s, Err *e) {
    for (int turn = 0; left(s) > 0 && !stopped(s);) {
        int first = s->n, n = choose(s, first, &turn);
        if (!n) {
            if (!waiting(s)) break;
            wait_below(s, 0);
            continue;
        }
        Str source[BATCH];
        Verdict *v = NEWN(s->a, Verdict, BATCH);
        for (int i = 0; i < n; i++) source[i] = s->at[first + i].source;
        if (!judge(s, source, n, v, e)) return false;
        s->out->proposed += n;
        for (int i = 0; i < n; i++) {
            if (!verdict_accepted(&v[i])) continue;
            s->out->accepted++;
            ask_times(s, &s->at[first + i], &v[i]);
        }
        wait_below(s, BATCH * (BATCHES_AHEAD - 1));
        if (s->q->told) s->q->told(s->q->arg, s->out->timed, left(s));
    }
    wait_below(s, 0);
    return true;
}

// ---- the table

typedef struct {
    ShapeClass shapes;
    int candidate;
} Choice;

// Which row of the table a place belongs to.
static int row_of(const Choice *row, int n, CellPlace p) {
    for (int i = 0; i < n; i++)
        if (shape_class_has(row[i].shapes, p.rows, p.columns)) return i;
    return n - 1;
}

// The fastest candidate of each row at its places.
static double fill(const Search *s, Choice *row, int n, bool *used) {
    double sum = 0;
    *used = true;
    for (int r = 0; r < n; r++) {
        double best = HUGE_VAL;
        int here = 0;
        for (int i = 0; i < s->n; i++) {
            double x = 0;
            here = 0;
            for (int p = 0; p < s->q->places && s->at[i].timed; p++) {
                if (row_of(row, n, s->q->place[p]) != r) continue;
                x += f64_log(s->at[i].us[p]);
                here++;
            }
            if (!s->at[i].timed || x >= best) continue;
            best = x;
            row[r].candidate = i;
        }
        int members = 0;
        for (int p = 0; p < s->q->places; p++) members += row_of(row, n, s->q->place[p]) == r;
        *used &= members > 0;
        if (members) sum += best;
    }
    return f64_exp(sum / s->q->places);
}

// The fastest table of so many rows at most; a row more has to pay for itself. Returns how many it has.
static int best_table(const Search *s, int most, Choice out[TABLE_ROWS_MAX]) {
    double best = HUGE_VAL;
    int rows = 0;
    for (int set = 0; set < 1 << SHAPES_ANY; set++) {
        Choice row[TABLE_ROWS_MAX];
        int n = 0;
        bool used;
        if (set && !s->g.has_rows) break;
        if (set >> SHAPES_FEW & 1 && set >> SHAPES_SHORT & 1) continue; // kernel_plan.h
        for (int c = 0; c < SHAPES_ANY; c++)
            if (set >> c & 1) row[n++] = (Choice){(ShapeClass)c, -1};
        row[n++] = (Choice){SHAPES_ANY, -1};
        if (n > most) continue;
        double us = fill(s, row, n, &used) * f64_pow(row_gain, n);
        if (!used || us >= best) continue;
        best = us;
        rows = n;
        memcpy(out, row, sizeof row);
    }
    return rows;
}

static const char *shapes_words(ShapeClass c) {
    switch (c) {
    case SHAPES_FEW_LONG: return "few long rows";
    case SHAPES_FEW: return "few rows";
    case SHAPES_SHORT: return "short rows";
    default: return "all others";
    }
}

// The file of a table, and what is said of it.
static void describe(const Search *s, const Choice *choice, int n, SearchWinner *w,
                     Plan plan[TABLE_ROWS_MAX]) {
    TableRow row[TABLE_ROWS_MAX];
    for (int i = 0; i < n; i++) {
        const Candidate *c = &s->at[choice[i].candidate];
        row[i] = (TableRow){choice[i].shapes, c->plan};
        plan[i] = c->plan;
        w->row[i] = arena_printf(s->a, "%s: %s, hints %d", n > 1 ? shapes_words(choice[i].shapes) : "all",
                                 plan_words(s->a, &s->g, &c->plan), c->plan.hints);
    }
    for (int p = 0; p < s->q->places; p++)
        w->first_us[p] = s->at[choice[row_of(choice, n, s->q->place[p])].candidate].us[p];
    w->rows = n;
    w->source = kernel_table_emit(s->a, &s->g, row, n);
}

// ---- again, apart

typedef struct {
    pthread_mutex_t lock;
    bool done;
    json_t *times; // NULL: taken back
    double us[TIMED_CELLS_MAX];
} Again;

static void was_timed_again(void *arg, TimesAsk *q) {
    Again *g = arg;
    bool wrong = false;
    for (int i = 0; i < q->places; i++) {
        wrong |= q->cell[i].status == TIMES_incorrect;
        (void)number_of(&q->cell[i], &g->us[i]);
    }
    g->times = wrong ? NULL : json_incref(json_object_get(q->verdict, "times"));
    json_decref(q->verdict);
    pthread_mutex_lock(&g->lock);
    g->done = true;
    pthread_mutex_unlock(&g->lock);
}

static json_t *time_again(Arena *a, const SearchRequest *q, const SearchWinner *w, const CellPlace *place,
                          int places, double *us) {
    Again *g = NEW(a, Again);
    TimesAsk *ask = NEW(a, TimesAsk);
    pthread_mutex_init(&g->lock, NULL);
    *ask = (TimesAsk){.op = q->op,
                      .filter = q->filter,
                      .source = w->source,
                      .place = place,
                      .places = places,
                      .verdict = verdict_object(&w->verdict),
                      .timed = was_timed_again,
                      .arg = g};
    stream_times_ask(q->times, ask);
    for (bool done = false; !done;) {
        stream_times_wait(q->times, 20);
        pthread_mutex_lock(&g->lock);
        done = g->done;
        pthread_mutex_unlock(&g->lock);
    }
    pthread_mutex_destroy(&g->lock);
    if (us) memcpy(us, g->us, sizeof g->us);
    return g->times;
}

json_t *search_times(Arena *a, const SearchRequest *q, const SearchWinner *w, const CellPlace *place,
                     int places) {
    return time_again(a, q, w, place, places, NULL);
}

// What won is tried first for the ops to come, the latest before all others.
static void remember(const Search *s, const Plan *plan, int n) {
    Plans *known = s->q->known, now = {.n = 0};
    if (!known) return;
    for (int i = 0; i < n; i++) now.at[now.n++] = plan[i];
    for (int i = 0; i < known->n && now.n < KNOWN_MAX; i++) {
        bool again = false;
        for (int k = 0; k < n; k++) again |= memcmp(&known->at[i], &plan[k], sizeof *plan) == 0;
        if (!again) now.at[now.n++] = known->at[i];
    }
    *known = now;
}

// The table if it is right as one program, and faster than one with fewer rows when both are timed again;
// what is kept is timed once more.
static bool decide(Search *s, Err *e) {
    SearchWinner *w = NEWN(s->a, SearchWinner, TABLE_ROWS_MAX), *best = NULL;
    double least = 0;
    int tried = 0, chosen = 0;
    for (int most = TABLE_ROWS_MAX, n; most > 0; most = n - 1, w++, tried++) {
        Choice choice[TABLE_ROWS_MAX];
        if (!(n = best_table(s, most, choice))) break;
        describe(s, choice, n, w, s->row[tried]);
        if (!judge(s, &w->source, 1, &w->verdict, e)) return false;
        if (!verdict_accepted(&w->verdict)) {
            s->out->why = arena_printf(s->a, "the file for all shapes: %s", w->verdict.decision.feedback);
            continue;
        }
        json_t *times = time_again(s->a, s->q, w, s->q->place, s->q->places, w->us);
        s->out->taken_back += !times;
        json_decref(times);
        double mean = mean_us(w->us, s->q->places);
        if (!times || (best && mean > least * row_gain)) continue;
        best = w;
        chosen = tried;
        least = mean;
    }
    if (!best) return true;
    measurer_renew(s->q->measurer); // nothing is being measured
    best->times = time_again(s->a, s->q, best, s->q->place, s->q->places, best->us);
    if (!best->times) return s->out->why = "the GPU took the verdict of the best one back", true;
    s->out->best = *best;
    s->out->found = true;
    remember(s, s->row[chosen], best->rows);
    return true;
}

// All that was timed, for whoever learns from it: also what lost.
static json_t *tried(const Search *s) {
    json_t *all = json_array();
    for (int i = 0; i < s->n; i++) {
        const Candidate *c = &s->at[i];
        json_t *us = json_array();
        for (int p = 0; p < s->q->places && c->timed; p++) json_array_append_new(us, json_real(c->us[p]));
        const char *plan =
            arena_printf(s->a, "%s, hints %d", plan_words(s->a, &s->g, &c->plan), c->plan.hints);
        if (c->timed) json_array_append_new(all, json_pack("{s:s,s:O}", "plan", plan, "us", us));
        json_decref(us);
    }
    return all;
}

bool search_run(Arena *a, const SearchRequest *q, SearchResult *out, Err *e) {
    double from = clock_seconds();
    *out = (SearchResult){.why = "no kernel has a time at every shape"};
    Search *s = NEW(a, Search);
    *s = (Search){.a = a, .q = q, .out = out, .until = from + q->start + q->seconds, .seen = {.arena = a}};
    if (!graph_trace(a, q->op, &s->g, e)) return false;
    s->at = NEWN(a, Candidate, CANDIDATES_MAX + 1);
    s->expanded = NEWN(a, bool, CANDIDATES_MAX + 1);
    pthread_mutex_init(&s->lock, NULL);
    Plans *starts = NEW(a, Plans);
    plan_starts(&s->g, q->place[0].columns, starts);
    if (q->known) s->next = *q->known;
    for (int i = 0; i < starts->n && s->next.n < PLANS_MAX; i++) s->next.at[s->next.n++] = starts->at[i];
    bool ok = search(s, e);
    wait_below(s, 0); // nothing of it is used any more
    ok = ok && decide(s, e);
    out->tried = tried(s);
    pthread_mutex_destroy(&s->lock);
    out->seconds = clock_seconds() - from;
    return ok;
}
