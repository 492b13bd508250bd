// corpus build, stats, prune: the store from a smith, what it holds, what it need not hold.
#include <stdio.h>

#include "base/clock.h"
#include "base/version.h"
#include "cmd/shared/corpus.h"
#include "cmd/shared/judging.h"
#include "cmd/shared/op_set.h"
#include "corpus/build.h"
#include "corpus/store_answer.h"

// ---- build

typedef struct {
    SmithChoice choice;
    const char *ops, *dtype, *state, *suite, *layout, *licence;
    int count, jobs;
    Seed seed;
    Shape shape;
    bool json, skip_unfit;
} BuildOptions;

typedef struct {
    const BuildOptions *o;
    Arena *a;
    ChosenSmith chosen;
    OpSet set;
    BuildRequest q;
    BuildResult got;
    Progress bar;
    size_t before;
} BuildVerb;

// What drafts and verdicts depend on, besides the op and the draft's number: more ops and more drafts go on
// with the same run.
static Str run_settings(BuildVerb *v) {
    const BuildOptions *o = v->o;
    const ReplySettings *s = &v->chosen.settings;
    char weights[65];
    void (*identify)(Smith *, char[65]) = v->chosen.smith->identify;
    if (identify) identify(v->chosen.smith, weights);
    json_t *model = json_null();
    if (v->chosen.smith->takes_prompt)
        model = json_pack("{s:s, s:s, s:f, s:f, s:f, s:i, s:i}", "profile", v->chosen.profile.name,
                          "profile_sha256", v->chosen.profile.sha256, "temperature", s->temperature, "top_p",
                          s->top_p, "min_p", s->min_p, "top_k", s->top_k, "max_tokens", s->max_tokens);
    Buf b = BUF(v->a);
    json_put(&b, json_pack("{s:o, s:s?, s:s?, s:s?, s:s?, s:o, s:I, s:I, s:I, s:s?, s:s?, s:s?}", "smith",
                           json_quoted(str_of(v->chosen.smith->name)), "weights", identify ? weights : NULL,
                           "adapter", o->choice.adapter, "chat_family", o->choice.chat, "kv", o->choice.kv,
                           "model", model, "seed", (json_int_t)v->q.seed, "rows", (json_int_t)v->q.filter.m,
                           "columns", (json_int_t)v->q.filter.n, "dtype", o->dtype, "layout", o->layout,
                           "licence", v->q.licence.len ? str_cdup(v->a, v->q.licence) : NULL));
    return buf_str(&b);
}

static void show_build(void *arg, const BuildTally *t) {
    BuildVerb *v = arg;
    char note[64];
    snprintf(note, sizeof note, "%lld accepted  %lld new", (long long)t->accepted, (long long)t->fresh);
    v->bar.before = (size_t)t->before;
    progress_step(&v->bar, (size_t)t->drafts, note);
}

static void show_wait(void *arg, const char *sentence) {
    BuildVerb *v = arg;
    notice(&v->bar, "corpus build", sentence);
}

static void print_build(BuildVerb *v, double seconds) {
    const BuildTally *t = &v->got.tally;
    long long now = t->drafts - t->before;
    double rate = seconds > 0 ? (double)now / seconds : 0;
    bool complete = !v->got.interrupted && !v->got.smith_error.code && !t->lost;
    Buf out = BUF(v->a);
    if (v->o->json)
        json_put(&out,
                 json_pack("{s:s, s:i, s:I, s:I, s:I, s:I, s:I, s:I, s:i, s:b, s:b, s:f, s:f}", "store",
                           store_path(v->q.store), "ops", v->set.count, "drafts", (json_int_t)t->drafts,
                           "before", (json_int_t)t->before, "accepted", (json_int_t)t->accepted, "new",
                           (json_int_t)t->fresh, "without_kernel", (json_int_t)t->empty, "lost",
                           (json_int_t)t->lost, "ops_refused", t->refused, "interrupted", v->got.interrupted,
                           "complete", complete, "seconds", seconds, "per_second", rate));
    else {
        buf_printf(&out, "%lld drafts of %d ops answered", now, v->set.count);
        if (t->before) buf_printf(&out, ", %lld more before", (long long)t->before);
        buf_printf(&out, ": %lld accepted at full, %lld new programs; %.1f a second\n",
                   (long long)t->accepted, (long long)t->fresh, rate);
        if (t->refused)
            buf_printf(&out, "%d of the ops are beyond the %s smith\n", t->refused, v->chosen.smith->name);
        if (!complete) buf_printf(&out, "not complete: the same call goes on\n");
    }
    if (v->o->json) buf_putc(&out, '\n');
    fwrite(out.p, 1, out.len, stdout);
}

static bool build_request(BuildVerb *v, Str build, Err *e) {
    const BuildOptions *o = v->o;
    BuildRequest *q = &v->q;
    DomainAsked domain;
    if (!filter_of(&o->shape, o->dtype, &q->filter, e) || !domain_of(o->layout, NULL, &domain, e))
        return false;
    if (o->suite && !op_suite_add(v->a, o->suite, e)) return false;
    v->set = (OpSet){.verb = "corpus build", .service = q->service, .domain = domain, .skips = o->skip_unfit};
    if (!op_set_read(v->a, &v->set, o->ops, e)) return false;
    bool grammar = !v->chosen.smith->takes_prompt;
    q->smith = v->chosen.smith;
    q->profile = &v->chosen.profile;
    q->settings = v->chosen.settings;
    q->m = o->shape.m;
    q->n = o->shape.n;
    q->op = v->set.op;
    q->ops = v->set.count;
    q->drafts = o->count;
    q->seed = o->seed.value;
    q->licence = o->licence ? str_of(o->licence) : grammar ? STR("MIT") : STR("");
    q->model = grammar ? STR("") : str_of(v->chosen.smith->name);
    q->build = build;
    q->run = run_settings(v);
    q->told = show_build;
    q->waits = show_wait;
    q->interrupted = interrupts_seen;
    q->arg = v;
    return true;
}

static bool build(BuildVerb *v, int *code, Err *e) {
    char hash[65];
    double t0 = clock_seconds();
    if (!referee_build(hash, e) || !build_request(v, str_of(hash), e)) return false;
    interrupts_catch();
    progress_start(&v->bar, "drafts", (size_t)v->set.count * (size_t)v->o->count);
    bool ok = corpus_build(&v->q, &v->got, e);
    progress_end(&v->bar);
    if (!ok) return false;
    print_build(v, clock_seconds() - t0);
    *code = v->got.interrupted || v->got.tally.lost ? EXIT_UNDECIDED : EXIT_OK;
    if (!v->got.smith_error.code) return true;
    *e = v->got.smith_error;
    return err_ctx(e, "stopped early (the same call goes on)");
}

int cmd_corpus_build(int argc, char **argv) {
    BuildOptions o = {.choice = {.smith = "grammar"}, .count = 100};
    const Option options[] = {
        SMITH_OPTIONS(o.choice),
        {"--ops", OPTION_TEXT, &o.ops},
        {"-n", OPTION_COUNT, &o.count},
        {"--seed", OPTION_SEED, &o.seed},
        {"--shape", OPTION_SHAPE, &o.shape},
        {"--dtype", OPTION_TEXT, &o.dtype},
        {"--suite", OPTION_TEXT, &o.suite},
        {"--state", OPTION_TEXT, &o.state},
        {"--layout", OPTION_TEXT, &o.layout},
        {"--licence", OPTION_TEXT, &o.licence},
        {"--skip-unfit", OPTION_FLAG, &o.skip_unfit},
        {"--jobs", OPTION_COUNT, &o.jobs},
        {"--json", OPTION_FLAG, &o.json},
    };
    Positionals rest;
    Err e = {0};
    if (!options_parse(&(CommandLine){"corpus build", argc, argv}, options, sizeof options / sizeof *options,
                       &rest, &e))
        return cmd_fail("corpus build", &e);
    if (!o.ops) return cmd_usage("corpus build", "--ops is missing: names, globs, all or @FILE");
    Referee *r;
    if (!referee_open(&(RefereeConfig){.state = o.state, .jobs = o.jobs}, &r, &e))
        return cmd_fail("corpus build", &e);
    Arena a = {0};
    BuildVerb v = {.a = &a, .o = &o};
    int code = EXIT_WORLD;
    bool ok = store_open(referee_state(r), &(StoreOptions){0}, &v.q.store, &e) &&
              smith_chosen(&a, &o.choice, &v.chosen, &e);
    if (ok) {
        ok = service_open(r, &(ServiceConfig){.known = true}, &v.q.service, &e) && build(&v, &code, &e);
        service_close(v.q.service);
        smith_close(v.chosen.smith);
    }
    if (!ok) code = cmd_fail("corpus build", &e);
    store_close(v.q.store);
    arena_free(&a);
    referee_close(r);
    return code;
}

// ---- a store without a referee

bool store_at(Arena *a, const char *state, Store **out, Err *e) {
    const char *dir = state_directory(a, state);
    if (!dir)
        return err_set(e, ERR_IO, "no place for the store: set HOME or XDG_STATE_HOME, or give --state DIR");
    return store_open(dir, &(StoreOptions){.must_exist = true}, out, e);
}

// ---- stats

static json_t *tally_json(const StoreTally *t, int n) {
    json_t *o = json_object();
    for (int i = 0; i < n; i++)
        json_object_setn_new(o, t[i].name.p, t[i].name.len, json_integer((json_int_t)t[i].n));
    return o;
}

static void tally_text(Buf *out, const char *what, const StoreTally *t, int n) {
    if (!n) return;
    buf_printf(out, "%s:", what);
    for (int i = 0; i < n; i++)
        buf_printf(out, "%s %.*s %lld", i ? "," : "", STR_ARG(t[i].name.len ? t[i].name : STR("none")),
                   (long long)t[i].n);
    buf_putc(out, '\n');
}

static StoreCount sum_of(const StoreCount *c, int n, int *ops, int64_t *fewest) {
    StoreCount all = {0};
    *ops = 0;
    *fewest = 0;
    for (int i = 0; i < n; i++) {
        all.programs += c[i].programs;
        all.judged += c[i].judged;
        all.accepted_full += c[i].accepted_full;
        all.rejected += c[i].rejected;
        all.unverifiable += c[i].unverifiable;
        all.structures += c[i].structures;
        all.skeletons += c[i].skeletons;
        if (!c[i].op.len || !c[i].accepted_full) continue;
        if (!*ops || c[i].skeletons < *fewest) *fewest = c[i].skeletons;
        ++*ops;
    }
    return all;
}

typedef struct {
    StoreCount *of;
    int n;
    StoreTally *tally[TALLIES];
    int tallies[TALLIES];
} Stats;

static const char *const tally_name[TALLIES] = {"statuses",  "smiths", "licences",
                                                "champions", "times",  "runs"};

static void put_stats_json(Buf *out, const Store *s, const Stats *c) {
    int ops;
    int64_t fewest;
    StoreCount all = sum_of(c->of, c->n, &ops, &fewest);
    json_t *o = json_pack("{s:s, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:i, s:I}", "store", store_path(s),
                          "programs", (json_int_t)all.programs, "judged", (json_int_t)all.judged,
                          "accepted_at_full", (json_int_t)all.accepted_full, "rejected",
                          (json_int_t)all.rejected, "unverifiable", (json_int_t)all.unverifiable, "distinct",
                          (json_int_t)all.structures, "structures", (json_int_t)all.skeletons, "ops", ops,
                          "fewest_structures", (json_int_t)fewest),
           *rows = json_array();
    for (int i = 0; i < TALLIES; i++)
        json_object_set_new(o, tally_name[i], tally_json(c->tally[i], c->tallies[i]));
    for (int i = 0; i < c->n; i++)
        json_array_append_new(
            rows, json_pack("{s:s%, s:I, s:I, s:I, s:I, s:I, s:I}", "op", c->of[i].op.p, c->of[i].op.len,
                            "programs", (json_int_t)c->of[i].programs, "accepted_at_full",
                            (json_int_t)c->of[i].accepted_full, "rejected", (json_int_t)c->of[i].rejected,
                            "unverifiable", (json_int_t)c->of[i].unverifiable, "distinct",
                            (json_int_t)c->of[i].structures, "structures", (json_int_t)c->of[i].skeletons));
    json_object_set_new(o, "by_op", rows);
    json_put(out, o);
    buf_putc(out, '\n');
}

static void put_stats(Buf *out, const Store *s, const Stats *c, bool by_op) {
    int ops, width = 8;
    int64_t fewest;
    StoreCount all = sum_of(c->of, c->n, &ops, &fewest);
    buf_printf(out, "%s\n%lld programs, %lld judged: %lld accepted at full, %lld rejected", store_path(s),
               (long long)all.programs, (long long)all.judged, (long long)all.accepted_full,
               (long long)all.rejected);
    if (all.unverifiable) buf_printf(out, "; %lld that nobody can judge", (long long)all.unverifiable);
    buf_printf(out, "\n%lld structures of %d ops among those accepted, at least %lld of each\n",
               (long long)all.skeletons, ops, (long long)fewest);
    for (int i = 0; i < TALLIES; i++) tally_text(out, tally_name[i], c->tally[i], c->tallies[i]);
    if (!by_op) return;
    for (int i = 0; i < c->n; i++)
        if ((int)c->of[i].op.len > width) width = (int)c->of[i].op.len;
    buf_printf(out, "%-*s %9s %9s %9s %11s\n", width, "op", "programs", "accepted", "rejected", "structures");
    for (int i = 0; i < c->n; i++)
        buf_printf(out, "%-*.*s %9lld %9lld %9lld %11lld\n", width,
                   STR_ARG(c->of[i].op.len ? c->of[i].op : STR("none")), (long long)c->of[i].programs,
                   (long long)c->of[i].accepted_full, (long long)c->of[i].rejected,
                   (long long)c->of[i].skeletons);
}

static bool count_all(Arena *a, Store *s, Stats *c, Err *e) {
    if (!store_counts(s, a, &c->of, &c->n, e)) return false;
    for (int i = 0; i < TALLIES; i++)
        if (!store_tally(s, a, (Tally)i, &c->tally[i], &c->tallies[i], e)) return false;
    return true;
}

int cmd_corpus_stats(int argc, char **argv) {
    bool json = false, by_op = false, check = false;
    const char *state = NULL;
    const Option options[] = {{"--json", OPTION_FLAG, &json},
                              {"--ops", OPTION_FLAG, &by_op},
                              {"--check", OPTION_FLAG, &check},
                              {"--state", OPTION_TEXT, &state}};
    Positionals rest;
    Err e = {0};
    if (!options_parse(&(CommandLine){"corpus stats", argc, argv}, options, sizeof options / sizeof *options,
                       &rest, &e))
        return cmd_fail("corpus stats", &e);
    Arena a = {0};
    Store *s = NULL;
    Stats c = {0};
    Buf out = BUF(&a);
    bool ok = store_at(&a, state, &s, &e) && (!check || store_check(s, &e)) && count_all(&a, s, &c, &e);
    if (ok && json) put_stats_json(&out, s, &c);
    if (ok && !json) put_stats(&out, s, &c, by_op);
    if (ok && check && !json) buf_puts(&out, "checked: nothing is damaged\n");
    fwrite(out.p, 1, out.len, stdout);
    int code = ok ? EXIT_OK : cmd_fail("corpus stats", &e);
    store_close(s);
    arena_free(&a);
    return code;
}

// ---- prune

int cmd_corpus_prune(int argc, char **argv) {
    StorePrune p = {0};
    StorePruned got;
    bool json = false;
    const char *state = NULL;
    const Option options[] = {{"--rejected", OPTION_FLAG, &p.rejected},
                              {"--unverifiable", OPTION_FLAG, &p.unverifiable},
                              {"--old-verdicts", OPTION_FLAG, &p.old_verdicts},
                              {"--per-structure", OPTION_COUNT, &p.per_skeleton},
                              {"--json", OPTION_FLAG, &json},
                              {"--state", OPTION_TEXT, &state}};
    Positionals rest;
    Err e = {0};
    if (!options_parse(&(CommandLine){"corpus prune", argc, argv}, options, sizeof options / sizeof *options,
                       &rest, &e))
        return cmd_fail("corpus prune", &e);
    if (!p.rejected && !p.unverifiable && !p.old_verdicts && !p.per_skeleton)
        return cmd_usage("corpus prune",
                         "what? --rejected, --unverifiable, --old-verdicts or --per-structure N");
    Arena a = {0};
    Store *s = NULL;
    bool ok = store_at(&a, state, &s, &e) && store_begin(s, &e);
    if (ok) {
        ok = store_prune(s, &p, &got, &e) && store_commit(s, &e);
        if (!ok) store_rollback(s);
    }
    ok = ok && store_shrink(s, &e);
    if (ok && json)
        printf("{\"programs\":%lld,\"verdicts\":%lld}\n", (long long)got.programs, (long long)got.verdicts);
    else if (ok)
        printf("%lld programs and %lld verdicts are gone\n", (long long)got.programs,
               (long long)got.verdicts);
    int code = ok ? EXIT_OK : cmd_fail("corpus prune", &e);
    store_close(s);
    arena_free(&a);
    return code;
}
