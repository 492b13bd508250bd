// prove: how well the referee notices small mistakes. Takes a kernel that is right, makes every mutant of it,
// judges them all, and prints which were told from the original, by what, and which were not.
#include <stdio.h>

#include "base/io.h"
#include "base/progress.h"
#include "cmd/line/color.h"
#include "cmd/shared/judging.h"
#include "prove/prove.h"
#include "service/helper_files.h"
#include "service/manifest/entry_choice.h"
#include "service/manifest/included_host.h"

enum { FILE_MAX = 1 << 20 };

typedef struct {
    Arena *a;
    Op op;
    ProveRequest q;
    ProveResult got;
    Progress bar;
    const char *stage;
} Trial;

static void put_lines(Buf *out, Str text, const char *prefix) {
    while (text.len) {
        const char *end = memchr(text.p, '\n', text.len);
        size_t n = end ? (size_t)(end - text.p) : text.len;
        buf_printf(out, "    %s%.*s\n", prefix, (int)n, text.p);
        text = (Str){text.p + n + (end != NULL), text.len - n - (end != NULL)};
    }
}

static void put_mutant(Buf *out, const Trial *t, int i) {
    const Mutant *m = &t->got.mutants.at[i];
    const Proof *p = &t->got.proof[i];
    const Verdict *v = &t->got.verdict[i];
    buf_printf(out, "%s: line %d, %s", fate_name(p->fate), m->line, mutator_name(m->kind));
    if (p->fate == FATE_UNDECIDED)
        buf_printf(out, " (%s: %s)", status_name(v->decision.status), v->decision.feedback);
    else if (*v->cases.worst.where)
        buf_printf(out, " (largest use of the bound %.3g, %s)", v->cases.worst.use, v->cases.worst.where);
    buf_putc(out, '\n');
    put_lines(out, m->before, "- ");
    put_lines(out, m->after, "+ ");
    if (!p->equivalence) return;
    buf_printf(out, "    %s: %.*s\n", p->fate == FATE_EQUIVALENT ? "because" : "claimed",
               STR_ARG(p->equivalence->reason));
    if (p->refuted != STATUS_ok)
        buf_printf(out, "    refuted: another draw says %s\n", status_name(p->refuted));
    else
        buf_printf(out, "    checked on %lld elements\n", (long long)p->elements);
}

static void put_text(Buf *out, const Trial *t, const ProveSummary *s) {
    int edits = 0;
    for (int k = 0; k < MUTATOR_COUNT; k++) edits += t->got.mutants.sites[k];
    buf_printf(out, "%.*s, level %s: %d mutants from %d edits\n\n%-18s", STR_ARG(t->op.name),
               level_name(t->q.level), t->got.mutants.n, edits, "kind");
    for (Fate f = 0; f < FATE_COUNT; f++) buf_printf(out, " %10s", fate_name(f));
    buf_puts(out, "   killed as\n");
    for (int k = 0; k <= MUTATOR_COUNT; k++) {
        int sum = 0;
        for (Fate f = 0; f < FATE_COUNT; f++) sum += s->of[k][f];
        if (sum == 0) continue;
        buf_printf(out, "%-18s", k < MUTATOR_COUNT ? mutator_name((Mutator)k) : "all");
        for (Fate f = 0; f < FATE_COUNT; f++) buf_printf(out, " %10d", s->of[k][f]);
        const char *comma = "   ";
        for (Status v = 0; k < MUTATOR_COUNT && v < STATUS_COUNT; v++) {
            if (!s->by[k][v]) continue;
            buf_printf(out, "%s%s %d", comma, status_name(v), s->by[k][v]);
            comma = ", ";
        }
        buf_putc(out, '\n');
    }
    buf_puts(out, "\nverdicts:");
    for (Status k = 0; k < STATUS_COUNT; k++)
        if (s->status[k]) buf_printf(out, " %s %d", status_name(k), s->status[k]);
    buf_puts(out, "\nkilled by the checks:");
    for (int i = 0; i < s->checks; i++) buf_printf(out, " %s %d", s->check[i].rule, s->check[i].n);
    buf_putc(out, '\n');
    for (int i = 0; i < t->got.mutants.n; i++)
        if (t->got.proof[i].fate == FATE_SURVIVED || t->got.proof[i].fate == FATE_EQUIVALENT ||
            t->got.proof[i].fate == FATE_UNDECIDED) {
            buf_putc(out, '\n');
            put_mutant(out, t, i);
        }
    if (s->weakest >= 0) {
        buf_printf(out, "\nsmallest margin: %.3g times the bound\n",
                   t->got.verdict[s->weakest].cases.worst.use);
        put_mutant(out, t, s->weakest);
    }
    if (t->got.mutants.cut) buf_puts(out, "\nThe source is too large: not all mutants were made.\n");
    buf_printf(out,
               "\nscore %.2f %% of those that can be told apart (wanted %.0f %%); claimed equivalent %d, "
               "%.2f %% (at most %d %%): %s\n",
               s->score, s->score_wanted, s->equivalent, s->equivalent_percent, PROVE_EQUIVALENT_PERCENT_MAX,
               s->passed ? "passed" : "failed");
}

static json_t *mutant_json(const Trial *t, int i) {
    const Mutant *m = &t->got.mutants.at[i];
    const Proof *p = &t->got.proof[i];
    json_t *o = json_pack("{s:s, s:s, s:i, s:s%, s:s%, s:s}", "fate", fate_name(p->fate), "kind",
                          mutator_name(m->kind), "line", m->line, "before", m->before.len ? m->before.p : "",
                          m->before.len, "after", m->after.len ? m->after.p : "", m->after.len, "status",
                          status_name(t->got.verdict[i].decision.status));
    if (*t->got.verdict[i].cases.worst.where) {
        json_object_set_new(
            o, "use",
            json_real(t->got.verdict[i].cases.worst.use < 1e300 ? t->got.verdict[i].cases.worst.use : 1e300));
        json_object_set_new(o, "case", json_string(t->got.verdict[i].cases.worst.where));
    }
    if (p->equivalence) {
        json_object_set_new(o, "reason", json_stringn(p->equivalence->reason.p, p->equivalence->reason.len));
        json_object_set_new(o, "elements", json_integer(p->elements));
        json_object_set_new(o, "refuted",
                            p->refuted == STATUS_ok ? json_null() : json_string(status_name(p->refuted)));
    }
    return o;
}

static void put_json(Buf *out, const Trial *t, const ProveSummary *s) {
    json_t *o = json_pack("{s:s%, s:s, s:s, s:i, s:b}", "op", t->op.name.p, t->op.name.len, "level",
                          level_name(t->q.level), "original", status_name(t->got.original.decision.status),
                          "mutants", t->got.mutants.n, "cut", t->got.mutants.cut);
    char hash[65];
    sha256_hex(t->op.core, hash);
    json_object_set_new(o, "definition_sha256", json_string(hash));
    sha256_hex(sha256_of(t->q.source), hash);
    json_object_set_new(o, "kernel_sha256", json_string(hash));
    json_object_set_new(o, "version", json_string(OUROBOROS_VERSION));
    for (Fate f = 0; f < FATE_COUNT; f++)
        json_object_set_new(o, fate_name(f), json_integer(s->of[MUTATOR_COUNT][f]));
    json_object_set_new(
        o, "margin", s->weakest >= 0 ? json_real(t->got.verdict[s->weakest].cases.worst.use) : json_null());
    json_object_set_new(o, "claimed", json_integer(s->equivalent));
    json_object_set_new(o, "score", json_real(s->score));
    json_object_set_new(o, "passed", json_boolean(s->passed));
    json_t *kinds = json_object(), *statuses = json_object(), *left = json_array();
    for (Mutator k = 0; k < MUTATOR_COUNT; k++) {
        json_t *row = json_object();
        json_object_set_new(row, "edits", json_integer(t->got.mutants.sites[k]));
        json_object_set_new(row, "same", json_integer(t->got.mutants.same[k]));
        for (Fate f = 0; f < FATE_COUNT; f++)
            json_object_set_new(row, fate_name(f), json_integer(s->of[k][f]));
        json_t *by = json_object();
        for (Status v = 0; v < STATUS_COUNT; v++)
            if (s->by[k][v]) json_object_set_new(by, status_name(v), json_integer(s->by[k][v]));
        json_object_set_new(row, "killed_as", by);
        json_object_set_new(kinds, mutator_name(k), row);
    }
    for (Status k = 0; k < STATUS_COUNT; k++)
        if (s->status[k]) json_object_set_new(statuses, status_name(k), json_integer(s->status[k]));
    for (int i = 0; i < t->got.mutants.n; i++)
        if (t->got.proof[i].fate == FATE_SURVIVED || t->got.proof[i].fate == FATE_EQUIVALENT ||
            t->got.proof[i].fate == FATE_UNDECIDED)
            json_array_append_new(left, mutant_json(t, i));
    json_t *checks = json_object();
    for (int i = 0; i < s->checks; i++)
        json_object_set_new(checks, s->check[i].rule, json_integer(s->check[i].n));
    json_object_set_new(o, "kinds", kinds);
    json_object_set_new(o, "statuses", statuses);
    json_object_set_new(o, "checks", checks);
    json_object_set_new(o, "left", left);
    json_object_set_new(o, "smallest_margin", s->weakest >= 0 ? mutant_json(t, s->weakest) : json_null());
    json_put(out, o);
    buf_putc(out, '\n');
}

// ---- the verb

// A variant is the same op on rows of other usual lengths.
static Str base_name(const Op *op) {
    return (Str){op->name.p, op->name.len - op->variant.len - (op->variant.len > 0)};
}

static bool gold_source(Trial *t, Err *e) {
    int n;
    const Program *p = op_programs(t->a, &n);
    for (int i = 0; i < n && !t->op.user; i++)
        if (p[i].kind == PROGRAM_GOLD && str_eq(p[i].op, t->q.base)) return t->q.source = p[i].source, true;
    return err_set(e, ERR_INPUT, "%.*s has no built-in kernel: name a file", STR_ARG(t->op.name));
}

typedef struct {
    const char *suite, *entry;
    DomainAsked domain;
} TrialOptions;

static bool open_trial(Trial *t, const TrialOptions *o, const Positionals *rest, Err *e) {
    if (o->suite && !op_suite_add(t->a, o->suite, e)) return false;
    if (!service_op(t->q.service, t->a, rest->at[0], &o->domain, &t->op, e)) return false;
    op_understood("prove", rest->at[0], &t->op);
    t->q.base = base_name(&t->op);
    if (t->op.form && rest->n < 2)
        return err_set(e, ERR_USAGE, "%s: a module has no built-in kernel: name a file with class ModelNew",
                       rest->at[0]);
    if (rest->n < 2) return gold_source(t, e);
    Str file;
    Entered entered;
    if (!io_read(t->a, rest->at[1], FILE_MAX, &file, e)) return false;
    if (t->op.form) return t->q.source = file, true;
    IncludedHost whole;
    if (!entry_apply(t->a, o->entry, &t->op, file, &entered, e)) return false;
    included_host(t->a, entered.source, (Str){0}, package_of(t->a, rest->at[1]), &whole);
    t->q.source = whole.source;
    entry_understood("prove", entered.chosen);
    return true;
}

static void show(void *arg, const char *stage, int64_t done, int64_t total) {
    Trial *t = arg;
    if (t->stage != stage) {
        if (t->stage) progress_end(&t->bar);
        progress_start(&t->bar, stage, (size_t)total);
        t->stage = stage;
    }
    progress_step(&t->bar, (size_t)done, NULL);
}

static void put_result(Buf *out, Trial *t, bool json, int *code) {
    bool proves = verdict_accepted(&t->got.original);
    if (!proves) t->got.mutants.n = 0;
    ProveSummary s = prove_summary(&t->got, t->q.level);
    *code = !proves ? verdict_exit(&t->got.original) : s.passed ? EXIT_OK : EXIT_REJECTED;
    if (json) return put_json(out, t, &s);
    if (proves) return put_text(out, t, &s);
    buf_puts(out,
             "The original itself is not accepted, so its mutants prove nothing.\n"
             "It was judged as `ouroboros fmt` prints it: lines and the sha256 below are of that text.\n");
    verdict_shown(out, &t->got.original);
}

static bool prove(Trial *t, bool json, int *code, Err *e) {
    t->q.op = &t->op;
    t->q.progress = show;
    t->q.arg = t;
    bool ok = prove_run(t->a, &t->q, &t->got, e);
    if (t->stage) progress_end(&t->bar);
    if (!ok) return false;
    Buf out = BUF(t->a);
    put_result(&out, t, json, code);
    print_result(buf_str(&out), json);
    return true;
}

int cmd_prove(int argc, char **argv) {
    const char *level = NULL, *state = NULL, *layout = NULL, *library = NULL;
    TrialOptions o = {0};
    bool json = false, tf32 = false, ragged = false;
    Seed seed = {0};
    int jobs = 0;
    const Option options[] = {{"--level", OPTION_TEXT, &level},     {"--json", OPTION_FLAG, &json},
                              {"--seed", OPTION_SEED, &seed},       {"--jobs", OPTION_COUNT, &jobs},
                              {"--suite", OPTION_TEXT, &o.suite},   {"--state", OPTION_TEXT, &state},
                              {"--entry", OPTION_TEXT, &o.entry},   {"--layout", OPTION_TEXT, &layout},
                              {"--library", OPTION_TEXT, &library}, {"--tf32", OPTION_FLAG, &tf32},
                              {"--ragged", OPTION_FLAG, &ragged}};
    Positionals rest;
    Err e = {0};
    if (!options_parse(&(CommandLine){"prove", argc, argv}, options, sizeof options / sizeof *options, &rest,
                       &e))
        return cmd_fail("prove", &e);
    if (!domain_of(layout, NULL, &o.domain, &e) || !library_asked(library, &o.domain, &e))
        return cmd_fail("prove", &e);
    Arena a = {0};
    Trial t = {.a = &a, .q.level = LEVEL_FULL};
    if (seed.given) t.q.seed = &seed.value;
    if (level && !level_by_name(str_of(level), &t.q.level))
        return cmd_usage("prove", "--level is quick or full");
    o.domain.modules = true;
    o.domain.tf32 = tf32;
    o.domain.ragged = ragged;
    o.domain.quick = t.q.level == LEVEL_QUICK;
    RefereeConfig config = {.no_journal = state == NULL, .state = state, .jobs = jobs};
    Referee *r;
    if (!referee_open(&config, &r, &e)) return cmd_fail("prove", &e);
    int code = EXIT_WORLD;
    if (!service_open(r, &(ServiceConfig){0}, &t.q.service, &e) || !open_trial(&t, &o, &rest, &e) ||
        !prove(&t, json, &code, &e))
        code = cmd_fail("prove", &e);
    service_close(t.q.service);
    arena_free(&a);
    referee_close(r);
    return code;
}
