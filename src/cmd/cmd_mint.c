#include <stdio.h>

#include "base/clock.h"
#include "base/io.h"
#include "base/numeric/rng.h"
#include "base/progress.h"
#include "cmd/line/color.h"
#include "cmd/line/wrap.h"
#include "cmd/shared/corpus.h"
#include "cmd/shared/judging.h"
#include "cmd/shared/searching.h"
#include "corpus/champion.h"
#include "explain/explain.h"
#include "mint/clocked.h"
#include "propose/seedling.h"

typedef struct {
    SmithChoice choice;
    const char *dtype, *file, *state, *suite, *target, *layout, *python, *shapes, *library;
    int count, feedback, every_size;
    int search; // seconds; 0: drafts of a smith
    Seed seed;
    Shape shape;
    bool json, first, prove, gpu, alone, tf32, ragged;
    ChosenSmith chosen; // what `choice` has opened
    bool usual;         // nobody chose: the grammar smith stands in where the small model fails
    Measurer *measurer; // of gpu
} MintOptions;

// What there is to say beside the kernel.
typedef struct {
    const Op *op;
    const Smith *smith;
    const MintResult *m;
    const Strength *strength;
    const Timer *timer; // NULL: nothing was measured
    const Clocked *clocked;
} Told;

typedef struct {
    Progress bar;
    const char *stage;
    bool lines; // a line for each verdict: drafts that take their time
    Arena text;
} Shown;

static void stage(Shown *s, const char *name, int total) {
    if (s->stage == name) return;
    if (s->stage) progress_end(&s->bar);
    progress_start(&s->bar, name, (size_t)total);
    s->stage = name;
}

static void show_proof(void *arg, const char *name, int done, int total) {
    Shown *s = arg;
    stage(s, name, total);
    progress_step(&s->bar, (size_t)done, NULL);
}

static void show_draft(void *arg, const AttemptTally *tally, const Attempt *t) {
    Shown *s = arg;
    char note[64];
    stage(s, "drafts", tally->asked);
    s->bar.total = (size_t)tally->asked;
    if (t && s->lines) {
        ArenaMark mark = arena_mark(&s->text);
        Buf b = BUF(&s->text);
        buf_puts(&b, s->bar.shown ? "\r\033[K" : "");
        attempt_line(&b, t);
        print_text(stderr, buf_str(&b));
        arena_reset(&s->text, mark);
        s->bar.last = 0; // the bar was overwritten
    }
    tally_note(note, sizeof note, tally);
    progress_step(&s->bar, (size_t)tally->replies, note);
}

static void show_wait(void *arg, const char *sentence) {
    Shown *s = arg;
    notice(&s->bar, "mint", sentence);
}

static json_t *status_counts(const MintResult *m) {
    json_t *o = json_object();
    for (int k = 0; k < STATUS_COUNT; k++) {
        int n = 0;
        for (int i = 0; i < m->attempts; i++) n += m->attempt[i].verdict.decision.status == (Status)k;
        if (n) json_object_set_new(o, status_name((Status)k), json_integer(n));
    }
    return o;
}

// The times of all that were measured, by the model's order, and the best one's second measurement.
static json_t *times_of(const Told *t) {
    const CellTimes *cell[MINT_PROOFS_MAX], *again[] = {&t->clocked->again};
    for (int i = 0; i < t->m->proofs; i++) cell[i] = &t->clocked->first[i];
    json_t *first = times_json(t->timer, cell, t->m->proofs, NULL),
           *second = times_json(t->timer, again, t->clocked->best >= 0, NULL);
    return json_pack("{s:i,s:o,s:o}", "best", t->clocked->best, "first", first, "again", second);
}

static void put_mint_json(Buf *out, const Told *t, double ms) {
    const MintResult *m = t->m;
    json_t *best = json_null();
    if (m->found) {
        Buf v = BUF(out->arena);
        verdict_json(&v, &m->verdict, NULL, NULL);
        best = json_pack("{s:s%, s:o}", "source", m->best.source.p, m->best.source.len, "verdict",
                         json_loadb(v.p, v.len, 0, NULL));
        if (t->strength->asked) json_object_set_new(best, "strength", strength_json(t->strength));
    }
    json_t *o = json_pack("{s:s%, s:s, s:i, s:i, s:i, s:i, s:o, s:{s:s, s:f}, s:f, s:o, s:I, s:b}", "op",
                          t->op->name.p, t->op->name.len, "smith", t->smith->name, "proposed", m->proposed,
                          "distinct", m->distinct, "judged", m->judged, "accepted", m->accepted, "best", best,
                          "rank_model", "target", m->target->name, "estimate_us", m->estimate_us,
                          "elapsed_ms", ms, "statuses", status_counts(m), "tokens",
                          (json_int_t)m->tally.tokens, "interrupted", m->stopped);
    if (t->timer) json_object_set_new(o, "times", times_of(t));
    json_put(out, o);
    buf_putc(out, '\n');
}

static void put_times(Buf *out, const Told *t) {
    const Clocked *c = t->clocked;
    if (c->best < 0) {
        buf_printf(out, "# on %s: none of the %d measured has a number; this one is the model's best\n",
                   t->timer->gpu.name, t->m->proofs);
        return;
    }
    buf_printf(
        out,
        "# on %s: the fastest of %d that were measured (number %d by the model, %.2f us); again, apart: ",
        t->timer->gpu.name, c->timed, c->best + 1, c->first[c->best].device.us);
    cell_text(out, &c->again);
    buf_putc(out, '\n');
}

// The evidence of the kernel, as comments.
static void put_evidence(Buf *out, const Told *t) {
    const MintResult *m = t->m;
    buf_printf(out, "\n# Minted by ouroboros %s for %.*s: ", OUROBOROS_VERSION, STR_ARG(t->op->name));
    if (m->best.prompt[0])
        buf_printf(out, "draft %d, prompt %.12s\n", m->best.index + 1, m->best.prompt);
    else
        buf_printf(out, "%s\n", m->best.schedule);
    buf_printf(out,
               "# smith %s: %d proposed, %d distinct, %d judged, %d accepted at quick; this one was judged "
               "again at full\n",
               t->smith->name, m->proposed, m->distinct, m->judged, m->accepted);
    if (t->op->form)
        buf_printf(out, "# rank model (not a timing), target %s: %.1f us at the small sizes below\n",
                   m->target->name, m->estimate_us);
    else
        buf_printf(out,
                   "# rank model (not a timing), target %s: %.1f us at %lldx%lld with %d-byte floats%s\n",
                   m->target->name, m->estimate_us, (long long)m->ranked_at.rows, (long long)m->ranked_at.row,
                   m->ranked_at.elem_bytes,
                   t->timer ? "" : "; of those accepted one of the lowest, over all shapes");
    if (t->timer) put_times(out, t);
    if (m->stopped) buf_puts(out, "# interrupted: drafts that were not judged by then are left out\n");
    verdict_text(out, &m->verdict, "# ");
    if (t->strength->asked) strength_text(out, t->strength, "# ");
}

// The kernel with its evidence: a file that can be kept as it is. On a terminal of so many columns the
// evidence is broken to fit.
static void put_kernel(Buf *out, const Told *t, int columns) {
    Str source = t->m->best.source;
    Buf evidence = BUF(out->arena);
    put_evidence(&evidence, t);
    buf_str_put(out, source);
    if (source.len && source.p[source.len - 1] != '\n') buf_putc(out, '\n');
    wrap_text(out, buf_str(&evidence), columns, EVIDENCE_HANG);
}

// Kernels that were accepted at quick and failed at full are told by their number only: the last verdict at
// full is that of one of them.
static int explain_nothing(const Op *op, const MintResult *m, bool told) {
    fprintf(stderr, "ouroboros mint: %snone of %d kernels for %.*s was accepted\n",
            m->stopped ? "interrupted; " : "", m->judged, STR_ARG(op->name));
    bool undecided = m->attempts > 0, world = false;
    Arena a = {0};
    Buf lines = BUF(&a);
    for (int i = 0, said = 0; i < m->attempts; i++) {
        const Attempt *t = &m->attempt[i];
        undecided &= status_class(t->verdict.decision.status) == CLASS_UNDECIDED;
        world |= verdict_of_world(&t->verdict);
        if (told || t->same_as >= 0 || said++ >= 3) continue;
        buf_puts(&lines, "  ");
        if (*t->schedule) buf_printf(&lines, "%s: ", t->schedule);
        attempt_line(&lines, t);
    }
    print_text(stderr, buf_str(&lines));
    arena_free(&a);
    return !undecided ? EXIT_REJECTED : world ? EXIT_WORLD : EXIT_UNDECIDED;
}

static void show_clock(void *arg, int done, int total) { show_proof(arg, "measuring", done, total); }

typedef struct {
    MintResult m;
    Timer timer; // without compilers: it was not opened
    Clocked clocked;
} Minted;

// A timer that was opened is closed by whoever asked.
static bool measure(Service *s, Arena *a, const MintOptions *o, const MintRequest *q, Minted *out, Err *e) {
    const TimerOptions options = {.python = o->python, .alone = o->alone};
    if (!timer_open(a, service_referee(s), o->measurer, &options, &out->timer, e)) return false;
    const ClockedRequest ask = {
        .op = q->op,
        .timer = &out->timer,
        .service = s,
        .filter = q->filter,
        .place = {q->ask.m, q->ask.n, q->filter.dtype > 0 ? (DType)q->filter.dtype : DT_F16},
        .told = show_clock,
        .arg = q->arg};
    return clocked_run(a, &ask, &out->m, &out->clocked, e);
}

static bool request_of(const Op *op, const MintOptions *o, MintRequest *q, Err *e) {
    const ChosenSmith *chosen = &o->chosen;
    *q = (MintRequest){.op = op,
                       .smith = chosen->smith,
                       .profile = &chosen->profile,
                       .ask = {.m = o->shape.m,
                               .n = o->shape.n,
                               .count = o->count,
                               .seed = o->seed.value,
                               .settings = chosen->settings},
                       .feedback = o->feedback,
                       .first = o->first,
                       .every_size = o->every_size,
                       .proofs = o->gpu ? MINT_PROOFS_MAX : 1,
                       .interrupted = interrupts_seen,
                       .told = show_draft,
                       .waits = show_wait,
                       .progress = show_proof};
    if (!o->shape.m) op_usual_shape(op, &q->ask.m, &q->ask.n);
    return target_by_name(o->target, &q->target, e) && filter_of(&o->shape, o->dtype, &q->filter, e) &&
           (o->seed.given || rng_entropy(&q->ask.seed, sizeof q->ask.seed, e));
}

// What was found goes to its file, or to standard output.
static bool put_result(Arena *a, const MintOptions *o, const Told *t, double ms, Err *e) {
    const MintResult *m = t->m;
    Buf kernel = BUF(a), out = BUF(a);
    if (m->found) put_kernel(&kernel, t, o->file ? 0 : screen_columns(stdout));
    if (m->found && o->file && !io_write_atomic(o->file, buf_str(&kernel), e)) return false;
    // A smith that failed before it handed over anything that passes is why there is no kernel.
    if (m->smith_error.code && !m->found) {
        *e = m->smith_error;
        return m->attempts ? err_ctx(e, "none of %d drafts was accepted, then", m->attempts) : false;
    }
    if (m->smith_error.code)
        fprintf(stderr, "ouroboros mint: the smith stopped early: %s\n", m->smith_error.msg);
    if (o->json)
        put_mint_json(&out, t, ms);
    else if (!o->file)
        out = kernel;
    print_result(buf_str(&out), o->json);
    if (m->found && o->file) fprintf(stderr, "written to %s\n", o->file);
    return true;
}

// The winner goes into the store, too, with what the rank model says of it. The journal has its verdict: a
// store that cannot be written costs no kernel.
static void keep_winner(Service *s, const MintRequest *q, const MintResult *m, bool ours) {
    const Smith *smith = q->smith;
    const char *dir = referee_state(service_referee(s));
    if (!dir || m->verdict.judged.replay || q->op->form) return; // a champion has an op's shapes
    Winner won = {.op = q->op,
                  .filter = &q->filter,
                  .verdict = &m->verdict,
                  .source = m->best.source,
                  .smith = str_of(smith->name),
                  .model = str_of(smith->takes_prompt ? smith->name : ""),
                  .prompt = str_of(m->best.prompt),
                  .schedule = str_of(m->best.schedule),
                  .licence = str_of(smith->takes_prompt && !ours ? "" : "MIT"),
                  .seed = q->ask.seed,
                  .shape = m->ranked_at,
                  .target = m->target,
                  .microseconds = m->estimate_us};
    Store *store;
    Err e = {0};
    bool stands, ok = store_open(dir, &(StoreOptions){0}, &store, &e);
    if (ok) {
        ok = champion_record(store, &won, &stands, &e);
        store_close(store);
    }
    if (!ok) fprintf(stderr, "ouroboros mint: not kept in the store: %s\n", e.msg);
}

// Times of the winner: its first measurement, and the second, apart.
static void keep_times(Service *s, const MintRequest *q, const Told *told) {
    const CellTimes *cell[] = {&told->clocked->first[told->clocked->best], &told->clocked->again};
    const char *dir = referee_state(service_referee(s));
    if (told->clocked->best < 0 || told->m->verdict.judged.replay) return;
    json_t *times = times_json(told->timer, cell, 2, NULL);
    times_kept(
        "mint", dir,
        &(Timed){.op = told->op, .filter = &q->filter, .source = told->m->best.source, .times = times});
    json_decref(times);
}

// What was found by the clock alone: a program with its verdict and its times.
static void keep_found(Service *s, const Op *op, const DrawFilter *filter, const SearchWinner *w) {
    times_kept(
        "mint", referee_state(service_referee(s)),
        &(Timed){op, filter, w->source, w->times, &w->verdict, STR("grammar"), {0}, STR("MIT"), STR("mint")});
}

// ---- the smith that nobody chose

static bool choose_grammar(Arena *a, MintOptions *o, const char *why, Err *e) {
    if (why) fprintf(stderr, "ouroboros mint: %s; the grammar smith writes instead\n", why);
    o->choice = (SmithChoice){.smith = "grammar"};
    o->usual = false;
    return smith_chosen(a, &o->choice, &o->chosen, e);
}

// The small model that comes with this program, where its file is there and the op is like those it has
// learned from.
static bool choose_usual(Arena *a, const Op *op, MintOptions *o, Err *e) {
    const char *path = o->search || op->form ? NULL : seedling_path(a), *why;
    const SmithChoice *c = &o->choice;
    // What only a model, or only the grammar smith, understands is said by whoever is asked then.
    if (!path) {
        o->choice.smith = "grammar";
        return smith_chosen(a, c, &o->chosen, e);
    }
    if (!seedling_knows(a, op, &why))
        return choose_grammar(
            a, o, arena_printf(a, "seedling has not seen ops like %.*s: %s", STR_ARG(op->name), why), e);
    o->choice.smith = path;
    o->usual = true;
    Err bad = {0};
    if (smith_chosen(a, c, &o->chosen, &bad)) {
        o->chosen.smith->name = "seedling";
        return true;
    }
    // What the user has named is not passed over.
    if (bad.code == ERR_USAGE || c->adapter) {
        *e = bad;
        return false;
    }
    return choose_grammar(a, o, arena_printf(a, "%s", bad.msg), e);
}

// What it wrote was refused, all of it: what is known of the op is asked instead.
static bool take_over(Service *s, Arena *a, MintOptions *o, MintRequest *q, MintResult *m, Err *e) {
    Shown *shown = q->arg;
    if (shown->stage) progress_end(&shown->bar);
    shown->stage = NULL;
    // A model that could not write to the end says why: its file may be damaged.
    const char *why =
        m->smith_error.code
            ? arena_printf(a, "seedling failed after %d draft%s for %.*s: %s", m->proposed,
                           m->proposed == 1 ? "" : "s", STR_ARG(q->op->name), m->smith_error.msg)
            : arena_printf(a, "none of seedling's %d draft%s for %.*s was accepted", m->proposed,
                           m->proposed == 1 ? "" : "s", STR_ARG(q->op->name));
    smith_close(o->chosen.smith);
    o->chosen.smith = NULL;
    if (!choose_grammar(a, o, why, e)) return false;
    shown->lines = o->chosen.smith->slow;
    q->smith = o->chosen.smith;
    q->ask.settings = o->chosen.settings;
    return mint_run(s, a, q, m, e);
}

static bool mint_with(Service *s, Arena *a, const Op *op, MintOptions *o, int *code, Err *e) {
    double t0 = clock_seconds();
    Shown shown = {.lines = o->chosen.smith->slow};
    MintRequest q;
    Minted *minted = NEW(a, Minted);
    MintResult *m = &minted->m;
    Strength strength = {0};
    if (!request_of(op, o, &q, e)) return false;
    q.arg = &shown;
    interrupts_catch();
    bool ok = mint_run(s, a, &q, m, e);
    if (ok && o->usual && !m->found && !m->stopped) ok = take_over(s, a, o, &q, m, e);
    ok = ok && (!o->gpu || !m->found || measure(s, a, o, &q, minted, e));
    ExplainRequest proof = {.op = op,
                            .level = LEVEL_FULL,
                            .filter = q.filter,
                            .seed = m->verdict.judged.seed,
                            .source = m->best.source,
                            .prove = true,
                            .progress = show_proof,
                            .progress_arg = &shown};
    ok = ok && (!m->found || !o->prove || explain_prove(service_referee(s), a, &proof, &strength, e));
    if (shown.stage) progress_end(&shown.bar);
    arena_free(&shown.text);
    const Timer *timer = minted->timer.compilers ? &minted->timer : NULL;
    const Told told = {op, o->chosen.smith, m, &strength, timer, &minted->clocked};
    if (ok && m->found) keep_winner(s, &q, m, o->usual && seedling_is_ours());
    if (ok && m->found && timer) keep_times(s, &q, &told);
    ok = ok && put_result(a, o, &told, 1e3 * (clock_seconds() - t0), e);
    if (timer) timer_close(&minted->timer);
    if (ok) *code = m->found ? EXIT_OK : explain_nothing(op, m, shown.lines);
    return ok;
}

// ---- by the clock alone

static void show_search(void *arg, int timed, double left) {
    char note[64];
    Shown *s = arg;
    stage(s, "searching", 0);
    snprintf(note, sizeof note, "%d timed, %.0f s left", timed, left > 0 ? left : 0);
    progress_step(&s->bar, (size_t)timed, note);
}

static bool put_found(Arena *a, const MintOptions *o, const Op *op, const SearchResult *r,
                      const SearchingAsk *ask, Err *e) {
    const SearchWinner *w = &r->best;
    Buf text = BUF(a);
    if (o->json) {
        json_t *all = json_pack("{s:s%,s:s%,s:o,s:o,s:O}", "op", op->name.p, op->name.len, "source",
                                w->source.p, w->source.len, "search", searching_json(r), "verdict",
                                verdict_object(&w->verdict), "times", w->times);
        json_put(&text, all);
        buf_putc(&text, '\n');
    }
    if (!o->json || o->file) {
        Buf kernel = BUF(a);
        buf_str_put(&kernel, w->source);
        buf_printf(&kernel, "\n# Found by ouroboros %s for %.*s on %s\n", OUROBOROS_VERSION,
                   STR_ARG(op->name), json_string_value(json_object_get(w->times, "gpu")));
        searching_text(&kernel, r, ask, "# ");
        verdict_text(&kernel, &w->verdict, "# ");
        if (o->file && !io_write_atomic(o->file, buf_str(&kernel), e)) return false;
        if (!o->json && !o->file) text = kernel;
    }
    print_result(buf_str(&text), o->json);
    if (o->file) fprintf(stderr, "written to %s\n", o->file);
    return true;
}

static bool search_with(Service *s, Arena *a, const Op *op, MintOptions *o, int *code, Err *e) {
    CellPlace place[TIMED_CELLS_MAX];
    Shown shown = {.lines = false};
    SearchingAsk ask = {.seconds = o->search, .place = place, .told = show_search, .arg = &shown};
    SearchResult r;
    Searching searching;
    Err late = {0};
    DrawFilter at; // where it is timed; it is judged everywhere
    if (!filter_of(&(Shape){0}, NULL, &ask.filter, e) || !filter_of(&(Shape){0}, o->dtype, &at, e))
        return false;
    const DType dtype = at.dtype > 0 ? (DType)at.dtype : DT_F16;
    ask.places = places_searched(op, dtype, place);
    if (o->shape.m) place[0] = (CellPlace){o->shape.m, o->shape.n, dtype}, ask.places = 1;
    interrupts_catch();
    searching_open(s, o->measurer, o->python, &searching);
    bool ok = searching_run(a, &searching, op, &ask, &r, e);
    if (shown.stage) progress_end(&shown.bar);
    arena_free(&shown.text);
    if (ok && r.found) {
        keep_found(s, op, &ask.filter, &r.best);
        ok = put_found(a, o, op, &r, &ask, e);
        json_decref(r.best.times);
    } else if (ok) {
        fprintf(stderr, "ouroboros mint: nothing was found: %s (%d proposed, %d accepted, %d timed)\n", r.why,
                r.proposed, r.accepted, r.timed);
        *code = EXIT_REJECTED;
    }
    if (ok && r.found) *code = EXIT_OK;
    json_decref(r.tried);
    return searching_close(&searching, ok ? e : &late) && ok;
}

// What a reference in module form leaves no room for. NULL: none of it was given.
static const char *beside_module(const MintOptions *o) {
    if (o->shape.m || o->dtype) return "--shape and --dtype: a module is judged at its own sizes, in float32";
    if (o->every_size) return "--every-size belongs to ops";
    if (o->prove) return "--prove belongs to ops";
    return o->gpu ? "--gpu belongs to ops" : NULL;
}

static bool mint(Referee *r, Arena *a, const char *text, MintOptions *o, int *code, Err *e) {
    Op op;
    DomainAsked domain;
    IoFile probe; // a result that cannot be written is told before the work
    if (o->file && !io_begin(&probe, o->file, e)) return false;
    if (o->file) io_abandon(&probe);
    DeviceFacts gpu; // so is a GPU that is not there
    if (o->gpu && !measurer_facts(o->measurer, &gpu, e)) return false;
    if (o->suite && !op_suite_add(a, o->suite, e)) return false;
    if (!domain_of(o->layout, NULL, &domain, e) || !shapes_of(o->shapes, &domain, e) ||
        !library_asked(o->library, &domain, e))
        return false;
    domain.modules = true;
    domain.tf32 = o->tf32;
    domain.ragged = o->ragged;
    if (!op_for_judging(r, a, text, &domain, &op, e)) return false;
    const char *beside = op.form ? beside_module(o) : NULL;
    if (beside) return err_set(e, ERR_USAGE, "%s: %s", text, beside);
    o->choice.modules = op.form != NULL;
    if (!(o->choice.smith ? smith_chosen(a, &o->choice, &o->chosen, e) : choose_usual(a, &op, o, e)))
        return false;
    op_understood("mint", text, &op);
    Service *s = NULL;
    bool ok = service_open(r, &(ServiceConfig){0}, &s, e) &&
              (o->search ? search_with : mint_with)(s, a, &op, o, code, e);
    service_close(s);
    smith_close(o->chosen.smith);
    return ok;
}

int cmd_mint(int argc, char **argv) {
    MintOptions o = {.count = 16, .target = RANK_TARGET};
    const Option options[] = {
        SMITH_OPTIONS(o.choice),
        {"-n", OPTION_COUNT, &o.count},
        {"--seed", OPTION_SEED, &o.seed},
        {"--shape", OPTION_SHAPE, &o.shape},
        {"--dtype", OPTION_TEXT, &o.dtype},
        {"-o", OPTION_TEXT, &o.file},
        {"--state", OPTION_TEXT, &o.state},
        {"--json", OPTION_FLAG, &o.json},
        {"--suite", OPTION_TEXT, &o.suite},
        {"--target", OPTION_TEXT, &o.target},
        {"--first", OPTION_FLAG, &o.first},
        {"--prove", OPTION_FLAG, &o.prove},
        {"--feedback", OPTION_COUNT, &o.feedback},
        {"--every-size", OPTION_COUNT, &o.every_size},
        {"--layout", OPTION_TEXT, &o.layout},
        {"--tf32", OPTION_FLAG, &o.tf32},
        {"--ragged", OPTION_FLAG, &o.ragged},
        {"--shapes", OPTION_TEXT, &o.shapes},
        {"--library", OPTION_TEXT, &o.library},
        {"--gpu", OPTION_FLAG, &o.gpu},
        {"--search", OPTION_COUNT, &o.search},
        {"--alone", OPTION_FLAG, &o.alone},
        {"--python", OPTION_TEXT, &o.python},
    };
    Positionals rest;
    Err e = {0};
    if (!options_parse(&(CommandLine){"mint", argc, argv}, options, sizeof options / sizeof *options, &rest,
                       &e))
        return cmd_fail("mint", &e);
    if (o.every_size > EVERY_SIZE_MOST || (o.every_size && o.shape.m))
        return cmd_usage("mint", "--every-size is at most 65536, and not for one --shape");
    if (!o.gpu && (o.alone || o.python)) return cmd_usage("mint", "--alone and --python belong to --gpu");
    if (o.search && (!o.gpu || o.prove || o.feedback || o.every_size))
        return cmd_usage("mint", "--search belongs to --gpu, without --prove, --feedback and --every-size");
    if (o.gpu && o.first) return cmd_usage("mint", "--gpu compares several kernels: without --first");
    Referee *r;
    RefereeConfig config = {.state = o.state};
    if (o.gpu && !measurer_open(NULL, &o.measurer, &e)) return cmd_fail("mint", &e);
    if (!referee_open(&config, &r, &e)) {
        measurer_close(o.measurer);
        return cmd_fail("mint", &e);
    }
    Arena a = {0};
    int code = EXIT_WORLD;
    if (!mint(r, &a, rest.at[0], &o, &code, &e)) code = cmd_fail("mint", &e);
    arena_free(&a);
    referee_close(r);
    measurer_close(o.measurer);
    return code;
}
