// eval: how many of a smith's drafts does the referee accept? n drafts for each op, judged, counted as
// pass@k.
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/io.h"
#include "base/numeric/rng.h"
#include "base/progress.h"
#include "cmd/shared/judging.h"
#include "cmd/shared/op_set.h"
#include "cmd/shared/problem_set.h"
#include "host/policy/library_names.h"
#include "mint/evaluation.h"
#include "op/suite.h"
#include "propose/smith_kind.h"

typedef struct {
    SmithChoice choice;
    const char *ops, *kernelbench, *problems, *k, *dtype, *file, *state, *suite, *level, *layout, *shapes,
        *library;
    int count;
    Seed seed;
    Shape shape;
    bool json, resume, tf32, ragged;
} EvalOptions;

typedef struct {
    Referee *referee;
    Arena *a;
    const EvalOptions *o;
    DomainAsked domain;
    ChosenSmith chosen;
    EvaluationRequest q;
    EvaluationOp *row;
    int rows;
    Evaluation got;
    Progress bar;
} Eval;

// ---- which k ----

static bool read_ks(Eval *v, Err *e) {
    static const int usual[] = {1, 5, 10, 20};
    if (!v->o->k) {
        for (int i = 0; i < 4; i++)
            if (usual[i] <= v->o->count) v->q.k[v->q.ks++] = usual[i];
        return true;
    }
    for (const char *at = v->o->k; *at;) {
        char *end;
        long k = *at >= '0' && *at <= '9' ? strtol(at, &end, 10) : 0;
        if (k < 1 || k > v->o->count || v->q.ks == EVALUATION_KS || (*end && *end != ',') ||
            (*end && !end[1]))
            return err_set(e, ERR_USAGE,
                           "--k is up to %d numbers from 1 to n (%d), such as 1,5,10, not \"%s\"",
                           EVALUATION_KS, v->o->count, v->o->k);
        v->q.k[v->q.ks++] = (int)k;
        at = *end ? end + 1 : end;
    }
    return v->q.ks > 0 || err_set(e, ERR_USAGE, "--k needs a number");
}

// ---- drafts ----

// A path of the user's, as JSON has room for it.
static const char *said(const Eval *v, const char *path) {
    return path ? smith_words(v->a, str_of(path), SMITH_NAME_MAX) : NULL;
}

// Everything that a draft or its verdict depends on, besides its op and its number.
static json_t *settings_of(const Eval *v) {
    const EvalOptions *o = v->o;
    const ReplySettings *s = &v->chosen.settings;
    json_t *stops = json_array();
    for (int i = 0; i < s->stops; i++)
        json_array_append_new(stops, json_stringn(s->stop[i].p, s->stop[i].len));
    json_t *model = json_null();
    if (v->chosen.smith->takes_prompt)
        model = json_pack("{s:s, s:s, s:f, s:f, s:f, s:i, s:i}", "profile", v->chosen.profile.name,
                          "profile_sha256", v->chosen.profile.sha256, "temperature", s->temperature, "top_p",
                          s->top_p, "min_p", s->min_p, "top_k", s->top_k, "max_tokens", s->max_tokens);
    char weights[65];
    void (*identify)(Smith *, char[65]) = v->chosen.smith->identify;
    if (identify) identify(v->chosen.smith, weights);
    json_t *all = json_pack(
        "{s:s, s:s*, s:s?, s:s*, s:s*, s:o, s:o, s:I, s:s, s:I, s:I, s:s?, s:s*, s:s}", "smith",
        v->chosen.smith->name, "weights", identify ? weights : NULL, "adapter", said(v, o->choice.adapter),
        "chat_family", o->choice.chat, "kv", o->choice.kv, "model", model, "stop", stops, "seed",
        (json_int_t)v->q.seed, "level", level_name(v->q.level), "rows", (json_int_t)v->q.filter.m, "columns",
        (json_int_t)v->q.filter.n, "dtype", o->dtype, "layout", o->layout, "referee", OUROBOROS_VERSION);
    if (o->tf32) json_object_set_new(all, "tf32", json_true());
    if (o->ragged) json_object_set_new(all, "ragged", json_true());
    if (v->domain.library)
        json_object_set_new(all, "library", json_string(library_use_name[v->domain.library - 1]));
    if (v->domain.shapes) json_object_set_new(all, "shapes", json_string("published"));
    return all;
}

static void show(void *arg, int done, const AttemptTally *tally) {
    Eval *v = arg;
    char note[64];
    tally_note(note, sizeof note, tally);
    progress_step(&v->bar, (size_t)done, note);
}

static void show_resumed(void *arg, int drafts) {
    Eval *v = arg;
    v->bar.before += (size_t)drafts;
}

static void show_wait(void *arg, const char *sentence) {
    Eval *v = arg;
    notice(&v->bar, "eval", sentence);
}

// ---- results ----

static json_t *statuses_json(const int count[STATUS_COUNT]) {
    json_t *o = json_object();
    for (int i = 0; i < STATUS_COUNT; i++)
        if (count[i]) json_object_set_new(o, status_name((Status)i), json_integer(count[i]));
    return o;
}

// Of an op that never ran nothing is known, which is not that nothing passes.
static json_t *pass_json(Eval *v, const EvaluationOp *row) {
    json_t *o = json_object();
    for (int k = 0; k < v->q.ks; k++)
        json_object_set_new(o, arena_printf(v->a, "%d", v->q.k[k]),
                            row->counts ? json_real(row->pass[k]) : json_null());
    return o;
}

static json_t *interval_json(const PassInterval *p, int ops) {
    if (!ops) return json_pack("{s:n, s:n, s:n, s:i}", "mean", "low", "high", "ops", 0);
    return json_pack("{s:f, s:f, s:f, s:i}", "mean", p->mean, "low", p->low, "high", p->high, "ops", ops);
}

static json_t *groups_json(Eval *v) {
    json_t *all = json_object();
    for (int i = 0; i < v->got.groups; i++) {
        const EvaluationGroup *g = &v->got.group[i];
        json_t *o = json_object();
        for (int k = 0; k < v->q.ks; k++)
            json_object_set_new(o, arena_printf(v->a, "%d", v->q.k[k]), interval_json(&g->at[k], g->ops));
        json_object_set_new(all, str_cdup(v->a, g->name), o);
    }
    return all;
}

static void put_json(Eval *v, Buf *out, const char *file, json_t *settings, double ms) {
    const Evaluation *g = &v->got;
    json_t *ops = json_array(), *pass = json_object();
    for (int i = 0; i < v->rows; i++) {
        const EvaluationOp *row = &v->row[i];
        json_t *o = json_pack(
            "{s:s%, s:i, s:i, s:i, s:o, s:o, s:I, s:s?}", "op", row->op.name.p, row->op.name.len, "n", row->n,
            "accepted", row->accepted, "undecided", row->undecided, "pass", pass_json(v, row), "statuses",
            statuses_json(row->status), "tokens", (json_int_t)row->tokens, "refused", row->refused);
        if (row->unjudged) json_object_set_new(o, "unjudged", json_quoted(str_of(row->unjudged)));
        json_array_append_new(ops, o);
    }
    for (int k = 0; k < v->q.ks; k++)
        json_object_set_new(pass, arena_printf(v->a, "%d", v->q.k[k]), interval_json(&g->at[k], g->ops));
    json_t *all = json_pack(
        "{s:s, s:i, s:O, s:o, s:o, s:i, s:i, s:o, s:I, s:b, s:b, s:s, s:f}", "smith", v->chosen.smith->name,
        "n", v->o->count, "settings", settings, "pass", pass, "ops", ops, "drafts", g->drafts, "accepted",
        g->accepted, "statuses", statuses_json(g->status), "tokens", (json_int_t)g->tokens, "complete",
        g->complete, "interrupted", g->interrupted, "file", said(v, file), "elapsed_ms", ms);
    if (g->groups) json_object_set_new(all, "levels", groups_json(v));
    json_put(out, all);
    buf_putc(out, '\n');
}

static void put_row(Eval *v, Buf *out, int width, const EvaluationOp *row) {
    buf_printf(out, "%-*.*s %6d %6d", width, STR_ARG(row->op.name), row->n, row->accepted);
    for (int k = 0; k < v->q.ks; k++)
        if (row->counts)
            buf_printf(out, "  %-8.3f", row->pass[k]);
        else
            buf_printf(out, "  %-8s", "-");
    if (row->refused) buf_printf(out, " refused: %s", row->refused);
    if (row->unjudged) buf_printf(out, " no definition to judge by: %s", row->unjudged);
    if (!row->n && !row->refused && !row->unjudged) buf_puts(out, " not run");
    for (int s = 0; s < STATUS_COUNT; s++)
        if (row->status[s] && s != STATUS_ok)
            buf_printf(out, " %s %d", status_name((Status)s), row->status[s]);
    buf_puts(out, "\n");
}

// How to go on, in words that can be typed.
static const char *resume_words(Eval *v, const char *file) {
    return arena_printf(v->a, "-o %s --resume goes on", said(v, file));
}

enum { NOT_RUN_SHOWN = 5 };

static void put_pass(Eval *v, Buf *out, const char *of, const PassInterval *at, int ops) {
    for (int k = 0; k < v->q.ks; k++) {
        const PassInterval *p = &at[k];
        if (ops)
            buf_printf(out, "%spass@%-3d %.3f  (95 %% by bootstrap over %d op%s: %.3f to %.3f)\n", of,
                       v->q.k[k], p->mean, ops, ops == 1 ? "" : "s", p->low, p->high);
        else
            buf_printf(out, "%spass@%-3d -  (no op has a decided draft)\n", of, v->q.k[k]);
    }
}

static void put_table(Eval *v, Buf *out, const char *file) {
    const Evaluation *g = &v->got;
    int width = 8;
    for (int i = 0; i < v->rows; i++)
        if ((int)v->row[i].op.name.len > width) width = (int)v->row[i].op.name.len;
    buf_printf(out, "%-*s %6s %6s", width, "op", "drafts", "ok");
    for (int k = 0; k < v->q.ks; k++) buf_printf(out, "  pass@%-3d", v->q.k[k]);
    buf_puts(out, "\n");
    // After an interruption most rows may say nothing: then the sentence below counts them.
    bool all = g->not_run <= NOT_RUN_SHOWN;
    for (int i = 0; i < v->rows; i++)
        if (all || v->row[i].n || v->row[i].refused || v->row[i].unjudged) put_row(v, out, width, &v->row[i]);
    for (int i = 0; g->groups > 1 && i < g->groups; i++)
        put_pass(v, out, arena_printf(v->a, "%.*s ", STR_ARG(g->group[i].name)), g->group[i].at,
                 g->group[i].ops);
    put_pass(v, out, "", g->at, g->ops);
    if (g->unjudged)
        buf_printf(out, "%d of %d definitions are none to judge by, and count nowhere\n", g->unjudged,
                   v->rows);
    if (g->interrupted)
        buf_printf(out, "interrupted: %d of %d ops never ran; %s\n", g->not_run, v->rows,
                   resume_words(v, file));
    else if (!g->complete)
        buf_printf(out, "not complete: %s\n", resume_words(v, file));
}

// ---- the verb ----

static const char *file_of(Eval *v, Err *e) {
    if (v->o->file) return v->o->file;
    const char *dir = arena_printf(v->a, "%s/eval", referee_state(v->referee));
    if (!io_make_dirs(dir, e)) return NULL;
    return arena_printf(v->a, "%s/%016llx.jsonl", dir, (unsigned long long)v->q.seed);
}

static int exit_code(const Evaluation *g) {
    if (g->interrupted) return EXIT_UNDECIDED; // of what was asked, something has no answer
    if (g->accepted) return EXIT_OK;
    if (!g->drafts || g->undecided < g->drafts) return EXIT_REJECTED;
    return g->world ? EXIT_WORLD : EXIT_UNDECIDED;
}

static void show_reading(void *arg, int done, int all) {
    Eval *v = arg;
    v->bar.total = (size_t)all;
    progress_step(&v->bar, (size_t)done, NULL);
}

static bool read_problems(Eval *v, Err *e) {
    ProblemSet set = {.dir = v->o->kernelbench,
                      .globs = v->o->problems,
                      .service = v->q.service,
                      .domain = v->domain,
                      .read = show_reading,
                      .arg = v};
    progress_start(&v->bar, "problems", 0);
    bool ok = problem_set_read(v->a, &set, e);
    progress_end(&v->bar);
    v->row = set.row;
    v->rows = set.rows;
    return ok;
}

static bool read_ops(Eval *v, Err *e) {
    OpSet set = {.verb = "eval", .service = v->q.service, .domain = v->domain};
    if (!op_set_read(v->a, &set, v->o->ops, e)) return false;
    v->row = NEWN(v->a, EvaluationOp, (size_t)set.count);
    for (; v->rows < set.count; v->rows++) v->row[v->rows].op = set.op[v->rows];
    return true;
}

// One profile asks for all of them, and one shape is for all.
static bool same_form(const Eval *v, Err *e) {
    int modules = 0, ops = 0;
    for (int i = 0; i < v->rows; i++) {
        bool module = v->row[i].op.form || v->o->kernelbench;
        modules += module;
        ops += !module;
    }
    if (modules && ops)
        return err_set(e, ERR_USAGE, "--ops: ops and references in module form are asked for in two runs");
    if (modules && (v->o->shape.m || v->o->dtype))
        return err_set(e, ERR_USAGE, "--shape and --dtype: a module is judged at its own sizes, in float32");
    return true;
}

static bool read_request(Eval *v, Err *e) {
    const EvalOptions *o = v->o;
    EvaluationRequest *q = &v->q;
    if (!filter_of(&o->shape, o->dtype, &q->filter, e) || !read_ks(v, e)) return false;
    if (!level_by_name(str_of(o->level), &q->level))
        return err_set(e, ERR_USAGE, "--level is quick or full, not \"%s\"", o->level);
    if (o->suite && !op_suite_add(v->a, o->suite, e)) return false;
    v->domain.modules = true;
    v->domain.tf32 = o->tf32;
    v->domain.ragged = o->ragged;
    v->domain.quick = q->level == LEVEL_QUICK;
    if (!(o->kernelbench ? read_problems(v, e) : read_ops(v, e)) || !same_form(v, e)) return false;
    if (o->seed.given)
        q->seed = o->seed.value;
    else if ((!o->resume || !ledger_seed(o->file, &q->seed)) && !rng_entropy(&q->seed, sizeof q->seed, e))
        return false;
    q->seed &= INT64_MAX; // JSON's integers are signed
    SmithChoice choice = o->choice;
    choice.modules = o->kernelbench || v->row[0].op.form;
    if (!smith_chosen(v->a, &choice, &v->chosen, e)) return false;
    q->smith = v->chosen.smith;
    q->profile = &v->chosen.profile;
    q->settings = v->chosen.settings;
    q->m = o->shape.m;
    q->n = o->shape.n;
    q->drafts = o->count;
    q->interrupted = interrupts_seen;
    q->told = show;
    q->resumed = show_resumed;
    q->waits = show_wait;
    q->arg = v;
    return true;
}

static bool evaluate(Eval *v, int *code, Err *e) {
    const EvalOptions *o = v->o;
    double t0 = clock_seconds();
    if (!read_request(v, e)) return false;
    const char *file = file_of(v, e);
    json_t *settings = settings_of(v);
    bool ok = file && ledger_open(file, settings, o->resume, &v->q.ledger, e);
    if (ok && !o->file) fprintf(stderr, "drafts are kept in %s\n", file);
    interrupts_catch();
    progress_start(&v->bar, "drafts", (size_t)v->rows * (size_t)o->count);
    ok = ok && evaluation_run(v->a, &v->q, v->row, v->rows, &v->got, e);
    progress_end(&v->bar);
    if (ok) {
        Buf out = BUF(v->a);
        if (o->json)
            put_json(v, &out, file, settings, 1e3 * (clock_seconds() - t0));
        else
            put_table(v, &out, file);
        fwrite(out.p, 1, out.len, stdout);
        *code = exit_code(&v->got);
    }
    if (ok && v->got.smith_error.code) {
        *e = v->got.smith_error;
        ok = err_ctx(e, "stopped early (%s)", resume_words(v, file));
    }
    ledger_close(v->q.ledger);
    json_decref(settings);
    return ok;
}

int cmd_eval(int argc, char **argv) {
    EvalOptions o = {.choice = {.smith = "grammar"}, .count = 20, .level = "full"};
    const Option options[] = {
        SMITH_OPTIONS(o.choice),
        {"--ops", OPTION_TEXT, &o.ops},
        {"-n", OPTION_COUNT, &o.count},
        {"--k", OPTION_TEXT, &o.k},
        {"--seed", OPTION_SEED, &o.seed},
        {"--shape", OPTION_SHAPE, &o.shape},
        {"--dtype", OPTION_TEXT, &o.dtype},
        {"--level", OPTION_TEXT, &o.level},
        {"--suite", OPTION_TEXT, &o.suite},
        {"-o", OPTION_TEXT, &o.file},
        {"--state", OPTION_TEXT, &o.state},
        {"--json", OPTION_FLAG, &o.json},
        {"--resume", OPTION_FLAG, &o.resume},
        {"--layout", OPTION_TEXT, &o.layout},
        {"--tf32", OPTION_FLAG, &o.tf32},
        {"--ragged", OPTION_FLAG, &o.ragged},
        {"--shapes", OPTION_TEXT, &o.shapes},
        {"--library", OPTION_TEXT, &o.library},
        {"--kernelbench", OPTION_TEXT, &o.kernelbench},
        {"--problems", OPTION_TEXT, &o.problems},
    };
    Positionals rest;
    Err e = {0};
    if (!options_parse(&(CommandLine){"eval", argc, argv}, options, sizeof options / sizeof *options, &rest,
                       &e))
        return cmd_fail("eval", &e);
    if (!o.ops && !o.kernelbench)
        return cmd_usage("eval", "--ops is missing: names, globs, all or @FILE; or --kernelbench DIR");
    if (o.ops && o.kernelbench) return cmd_usage("eval", "--ops or --kernelbench, not both");
    if (o.problems && !o.kernelbench) return cmd_usage("eval", "--problems belongs to --kernelbench");
    if (o.resume && !o.file) return cmd_usage("eval", "--resume needs -o FILE");
    Referee *r;
    RefereeConfig config = {.state = o.state};
    if (!referee_open(&config, &r, &e)) return cmd_fail("eval", &e);
    Arena a = {0};
    Eval v = {.referee = r, .a = &a, .o = &o};
    int code = EXIT_WORLD;
    bool ok = domain_of(o.layout, NULL, &v.domain, &e) && shapes_of(o.shapes, &v.domain, &e) &&
              library_asked(o.library, &v.domain, &e) &&
              service_open(r, &(ServiceConfig){0}, &v.q.service, &e) && evaluate(&v, &code, &e);
    service_close(v.q.service);
    smith_close(v.chosen.smith);
    if (!ok) code = cmd_fail("eval", &e);
    arena_free(&a);
    referee_close(r);
    return code;
}
