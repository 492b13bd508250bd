// prove: how well the referee notices small mistakes. Takes a kernel that is right, makes every mutant of it,
// judges them all, and prints which were told from the original, by what, and which were not.
#include <stdio.h>

#include "base/io.h"
#include "base/progress.h"
#include "cmd/color.h"
#include "cmd/judging.h"
#include "mutate/equivalence.h"
#include "service/entry.h"

enum {
    FILE_MAX = 1 << 20,
    EQUIVALENT_ELEMENTS = 10 * 1000 * 1000,
    EQUIVALENT_DRAWS_MAX = 400,
    EQUIVALENT_PERCENT_MAX = 5,
    CHECKS_MAX = 64,
};
static const double score_wanted[LEVEL_COUNT] = {[LEVEL_QUICK] = 95, [LEVEL_FULL] = 98};

typedef enum {
    FATE_KILLED,
    FATE_SURVIVED,
    FATE_EQUIVALENT, // survived, claimed with a reason, and agreed on ten million elements
    FATE_REFUSED,    // never ran: says nothing about the referee's judgement, and is in no score
    FATE_UNDECIDED,
    FATE_COUNT,
} Fate;
static const char *const fate_name[FATE_COUNT] = {"killed", "survived", "equivalent", "refused", "undecided"};

typedef struct {
    const Equivalence *equivalence;
    Fate fate;
    Status refuted; // of a claim: what a later draw said; ok: nothing
    int64_t elements;
} Proof;

typedef struct {
    Referee *r;
    Arena *a;
    Op op;
    Str base; // the op's name without its variant's
    Str source;
    Level level;
    const Seed *seed;
    Mutants mutants;
    Verdict *verdict; // of each mutant
    Proof *proof;
    Verdict original; // worst seen
    int draws;
} Trial;

// ---- judging

// The original stands first in every batch: what rejects it proves nothing.
static bool judge_batch(Trial *t, Level level, const int *member, int n, Verdict *out, Err *e) {
    Str source[DRAW_SHARE_MAX];
    Verdict v[DRAW_SHARE_MAX];
    source[0] = t->mutants.original;
    for (int i = 0; i < n; i++) source[i + 1] = t->mutants.at[member[i]].text;
    uint64_t seed = t->seed->value + (uint64_t)t->draws++;
    JudgeRequest q = {
        .op = &t->op, .level = level, .filter = {.dtype = -1}, .seed = t->seed->given ? &seed : NULL};
    if (!referee_judge(t->r, t->a, &q, source, n + 1, v, e)) return false;
    if (!t->original.decision.rule || status_class(t->original.decision.status) == CLASS_ACCEPTED)
        t->original = v[0];
    for (int i = 0; i < n; i++) out[i] = v[i + 1];
    return true;
}

static bool judge_all(Trial *t, Progress *bar, Err *e) {
    enum { BATCH = DRAW_SHARE_MAX - 1 };
    int member[BATCH];
    for (int at = 0; at == 0 || at < t->mutants.n; at += BATCH) {
        int n = 0;
        for (; n < BATCH && at + n < t->mutants.n; n++) member[n] = at + n;
        if (!judge_batch(t, t->level, member, n, t->verdict + at, e)) return false;
        if (!verdict_accepted(&t->original)) return true;
        progress_step(bar, (size_t)(at + n), NULL);
    }
    return true;
}

static void decide_fates(Trial *t, const Equivalences *equivalences) {
    for (int i = 0; i < t->mutants.n; i++) {
        const Verdict *v = &t->verdict[i];
        StatusClass c = status_class(v->decision.status);
        t->proof[i].fate = c == CLASS_UNDECIDED                   ? FATE_UNDECIDED
                           : c == CLASS_ACCEPTED                  ? FATE_SURVIVED
                           : status_never_ran(v->decision.status) ? FATE_REFUSED
                                                                  : FATE_KILLED;
        if (c == CLASS_ACCEPTED)
            t->proof[i].equivalence = equivalence_find(equivalences, t->base, &t->mutants.at[i]);
    }
}

// Elements that the oracle can judge in the draw of a seed: of the output, or, where an output value stands
// for a row, of the rows behind them.
static bool count_elements(Trial *t, uint64_t seed, int64_t *out, Err *e) {
    Arena work = {0};
    Draw d;
    DrawFilter all = {.dtype = -1};
    bool ok = draw_make(&work, referee_pool(t->r), &t->op, LEVEL_FULL, seed, &all, &d, e);
    *out = 0;
    for (int i = 0; ok && i < d.cases; i++) {
        const Bound *b = d.truth[i].expected;
        int64_t judged = 0;
        for (int64_t k = 0; k < b->numel; k++) judged += !b->e || b->e[k] < 0x1p1000;
        int64_t row = t->op.row_dim >= 0 ? d.truth[i].dim[t->op.row_dim] : 1;
        *out += b->numel == d.truth[i].rows ? judged * row : judged;
    }
    if (ok) draw_free(&d);
    arena_free(&work);
    return ok;
}

// Fresh draws at level full, until every claimed survivor was either refuted or agreed on ten million
// elements.
static bool check_equivalences(Trial *t, Err *e) {
    enum { BATCH = DRAW_SHARE_MAX - 1 };
    int member[BATCH], n = 0;
    for (int i = 0; i < t->mutants.n && n < BATCH; i++)
        if (t->proof[i].equivalence) member[n++] = i;
    if (n == 0) return true;
    Progress bar;
    progress_start(&bar, "equivalence", EQUIVALENT_ELEMENTS);
    int64_t elements = 0;
    bool ok = true;
    for (int draw = 0; ok && draw < EQUIVALENT_DRAWS_MAX && elements < EQUIVALENT_ELEMENTS; draw++) {
        Verdict v[BATCH];
        int64_t more = 0;
        ok = judge_batch(t, LEVEL_FULL, member, n, v, e) &&
             count_elements(t, t->original.judged.seed, &more, e);
        elements += more;
        for (int i = 0; ok && i < n; i++) {
            Proof *p = &t->proof[member[i]];
            if (verdict_accepted(&v[i]))
                p->elements += more;
            else if (p->refuted == STATUS_ok)
                p->refuted = v[i].decision.status;
        }
        progress_step(&bar, (size_t)elements, NULL);
    }
    progress_end(&bar);
    for (int i = 0; ok && i < n; i++) {
        Proof *p = &t->proof[member[i]];
        if (p->refuted == STATUS_ok && p->elements >= EQUIVALENT_ELEMENTS) p->fate = FATE_EQUIVALENT;
    }
    return ok;
}

// ---- the certificate

typedef struct {
    int of[MUTATOR_COUNT + 1][FATE_COUNT]; // the last row: all
    int status[STATUS_COUNT];
    int by[MUTATOR_COUNT][STATUS_COUNT]; // killed, by what the verdict was
    struct {
        const char *rule;
        int n;
    } check[CHECKS_MAX]; // the rules that decided about killed ones
    int checks;
    int equivalent;
    int weakest; // the killed mutant that came nearest to the bound; -1
    double score, equivalent_percent;
    bool passed;
} Summary;

static bool is_numeric(Status s) { return s == STATUS_incorrect || s == STATUS_inaccurate; }

static void count_kill(Summary *s, Mutator kind, const Verdict *v) {
    s->by[kind][v->decision.status]++;
    int i = 0;
    while (i < s->checks && strcmp(s->check[i].rule, v->decision.rule) != 0) i++;
    if (i == CHECKS_MAX) return;
    if (i == s->checks) s->check[s->checks++].rule = v->decision.rule;
    s->check[i].n++;
}

static Summary summarise(const Trial *t) {
    Summary s = {.weakest = -1};
    for (int i = 0; i < t->mutants.n; i++) {
        Fate f = t->proof[i].fate;
        s.of[t->mutants.at[i].kind][f]++;
        s.of[MUTATOR_COUNT][f]++;
        s.status[t->verdict[i].decision.status]++;
        s.equivalent += t->proof[i].equivalence != NULL;
        if (f == FATE_KILLED) count_kill(&s, t->mutants.at[i].kind, &t->verdict[i]);
        if (f == FATE_KILLED && is_numeric(t->verdict[i].decision.status) &&
            (s.weakest < 0 || t->verdict[i].cases.worst.use < t->verdict[s.weakest].cases.worst.use))
            s.weakest = i;
    }
    const int *all = s.of[MUTATOR_COUNT];
    int told = all[FATE_KILLED] + all[FATE_SURVIVED], judged = told + all[FATE_EQUIVALENT];
    s.score = told ? 100.0 * all[FATE_KILLED] / told : 0;
    s.equivalent_percent = judged ? 100.0 * s.equivalent / judged : 0;
    s.passed = verdict_accepted(&t->original) && !t->mutants.cut && told > 0 &&
               s.score >= score_wanted[t->level] && s.equivalent * 100 <= EQUIVALENT_PERCENT_MAX * judged;
    return s;
}

static void put_lines(Buf *out, Str text, const char *prefix) {
    while (text.len) {
        const char *end = memchr(text.p, '\n', text.len);
        size_t n = end ? (size_t)(end - text.p) : text.len;
        buf_printf(out, "    %s%.*s\n", prefix, (int)n, text.p);
        text = (Str){text.p + n + (end != NULL), text.len - n - (end != NULL)};
    }
}

static void put_mutant(Buf *out, const Trial *t, int i) {
    const Mutant *m = &t->mutants.at[i];
    const Proof *p = &t->proof[i];
    const Verdict *v = &t->verdict[i];
    buf_printf(out, "%s: line %d, %s", fate_name[p->fate], m->line, mutator_name(m->kind));
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

static void put_text(Buf *out, const Trial *t, const Summary *s) {
    int edits = 0;
    for (int k = 0; k < MUTATOR_COUNT; k++) edits += t->mutants.sites[k];
    buf_printf(out, "%.*s, level %s: %d mutants from %d edits\n\n%-18s", STR_ARG(t->op.name),
               level_name(t->level), t->mutants.n, edits, "kind");
    for (Fate f = 0; f < FATE_COUNT; f++) buf_printf(out, " %10s", fate_name[f]);
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
    for (int i = 0; i < t->mutants.n; i++)
        if (t->proof[i].fate == FATE_SURVIVED || t->proof[i].fate == FATE_EQUIVALENT ||
            t->proof[i].fate == FATE_UNDECIDED) {
            buf_putc(out, '\n');
            put_mutant(out, t, i);
        }
    if (s->weakest >= 0) {
        buf_printf(out, "\nsmallest margin: %.3g times the bound\n", t->verdict[s->weakest].cases.worst.use);
        put_mutant(out, t, s->weakest);
    }
    if (t->mutants.cut) buf_puts(out, "\nThe source is too large: not all mutants were made.\n");
    buf_printf(out,
               "\nscore %.2f %% of those that can be told apart (wanted %.0f %%); claimed equivalent %d, "
               "%.2f %% (at most %d %%): %s\n",
               s->score, score_wanted[t->level], s->equivalent, s->equivalent_percent, EQUIVALENT_PERCENT_MAX,
               s->passed ? "passed" : "failed");
}

static json_t *mutant_json(const Trial *t, int i) {
    const Mutant *m = &t->mutants.at[i];
    const Proof *p = &t->proof[i];
    json_t *o = json_pack("{s:s, s:s, s:i, s:s%, s:s%, s:s}", "fate", fate_name[p->fate], "kind",
                          mutator_name(m->kind), "line", m->line, "before", m->before.len ? m->before.p : "",
                          m->before.len, "after", m->after.len ? m->after.p : "", m->after.len, "status",
                          status_name(t->verdict[i].decision.status));
    if (*t->verdict[i].cases.worst.where) {
        json_object_set_new(
            o, "use",
            json_real(t->verdict[i].cases.worst.use < 1e300 ? t->verdict[i].cases.worst.use : 1e300));
        json_object_set_new(o, "case", json_string(t->verdict[i].cases.worst.where));
    }
    if (p->equivalence) {
        json_object_set_new(o, "reason", json_stringn(p->equivalence->reason.p, p->equivalence->reason.len));
        json_object_set_new(o, "elements", json_integer(p->elements));
        json_object_set_new(o, "refuted",
                            p->refuted == STATUS_ok ? json_null() : json_string(status_name(p->refuted)));
    }
    return o;
}

static void put_json(Buf *out, const Trial *t, const Summary *s) {
    json_t *o = json_pack("{s:s%, s:s, s:s, s:i, s:b}", "op", t->op.name.p, t->op.name.len, "level",
                          level_name(t->level), "original", status_name(t->original.decision.status),
                          "mutants", t->mutants.n, "cut", t->mutants.cut);
    char hash[65];
    sha256_hex(t->op.hash, hash);
    json_object_set_new(o, "definition_sha256", json_string(hash));
    sha256_hex(sha256_of(t->source), hash);
    json_object_set_new(o, "kernel_sha256", json_string(hash));
    json_object_set_new(o, "version", json_string(OUROBOROS_VERSION));
    for (Fate f = 0; f < FATE_COUNT; f++)
        json_object_set_new(o, fate_name[f], json_integer(s->of[MUTATOR_COUNT][f]));
    json_object_set_new(o, "margin",
                        s->weakest >= 0 ? json_real(t->verdict[s->weakest].cases.worst.use) : json_null());
    json_object_set_new(o, "claimed", json_integer(s->equivalent));
    json_object_set_new(o, "score", json_real(s->score));
    json_object_set_new(o, "passed", json_boolean(s->passed));
    json_t *kinds = json_object(), *statuses = json_object(), *left = json_array();
    for (Mutator k = 0; k < MUTATOR_COUNT; k++) {
        json_t *row = json_object();
        json_object_set_new(row, "edits", json_integer(t->mutants.sites[k]));
        json_object_set_new(row, "same", json_integer(t->mutants.same[k]));
        for (Fate f = 0; f < FATE_COUNT; f++)
            json_object_set_new(row, fate_name[f], json_integer(s->of[k][f]));
        json_t *by = json_object();
        for (Status v = 0; v < STATUS_COUNT; v++)
            if (s->by[k][v]) json_object_set_new(by, status_name(v), json_integer(s->by[k][v]));
        json_object_set_new(row, "killed_as", by);
        json_object_set_new(kinds, mutator_name(k), row);
    }
    for (Status k = 0; k < STATUS_COUNT; k++)
        if (s->status[k]) json_object_set_new(statuses, status_name(k), json_integer(s->status[k]));
    for (int i = 0; i < t->mutants.n; i++)
        if (t->proof[i].fate == FATE_SURVIVED || t->proof[i].fate == FATE_EQUIVALENT ||
            t->proof[i].fate == FATE_UNDECIDED)
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
        if (p[i].kind == PROGRAM_GOLD && str_eq(p[i].op, t->base)) return t->source = p[i].source, true;
    return err_set(e, ERR_INPUT, "%.*s has no built-in kernel: name a file", STR_ARG(t->op.name));
}

static bool open_trial(Trial *t, const char *suite, const char *entry, const Positionals *rest, Err *e) {
    if (suite && !op_suite_add(t->a, suite, e)) return false;
    if (!op_for_judging(t->r, t->a, rest->at[0], &t->op, e)) return false;
    t->base = base_name(&t->op);
    if (rest->n < 2) return gold_source(t, e);
    Str file;
    const char *several;
    return io_read(t->a, rest->at[1], FILE_MAX, &file, e) &&
           entry_apply(t->a, entry, &t->op, file, &t->source, &several, e);
}

static bool prove(Trial *t, bool json, int *code, Err *e) {
    DiagList d = DIAGS(t->a);
    const Node *module = parse_module(t->a, t->source, &d);
    if (!module) return err_set(e, ERR_INPUT, "the kernel to start from: %s", d.at[0].msg);
    Equivalences equivalences;
    if (!equivalences_read(t->a, &equivalences, e)) return false;
    mutants_make(t->a, module, t->source, &t->mutants);
    t->verdict = NEWN(t->a, Verdict, (size_t)t->mutants.n + 1);
    t->proof = NEWN(t->a, Proof, (size_t)t->mutants.n + 1);
    Progress bar;
    progress_start(&bar, "mutants", (size_t)t->mutants.n);
    bool ok = judge_all(t, &bar, e);
    progress_end(&bar);
    if (!ok) return false;
    Buf out = BUF(t->a);
    if (!verdict_accepted(&t->original)) {
        if (json) {
            t->mutants.n = 0;
            Summary none = summarise(t);
            put_json(&out, t, &none);
        } else {
            buf_puts(&out, "The original itself is not accepted, so its mutants prove nothing.\n");
            verdict_text(&out, &t->original, "");
        }
        print_result(buf_str(&out), json);
        *code = verdict_exit(&t->original);
        return true;
    }
    decide_fates(t, &equivalences);
    if (!check_equivalences(t, e)) return false;
    Summary s = summarise(t);
    if (json)
        put_json(&out, t, &s);
    else
        put_text(&out, t, &s);
    fwrite(out.p, 1, out.len, stdout);
    *code = s.passed ? EXIT_OK : EXIT_REJECTED;
    return true;
}

int cmd_prove(int argc, char **argv) {
    const char *level = NULL, *state = NULL, *suite = NULL, *entry = NULL;
    bool json = false;
    Seed seed = {0};
    int jobs = 0;
    const Option options[] = {{"--level", OPTION_TEXT, &level}, {"--json", OPTION_FLAG, &json},
                              {"--seed", OPTION_SEED, &seed},   {"--jobs", OPTION_COUNT, &jobs},
                              {"--suite", OPTION_TEXT, &suite}, {"--state", OPTION_TEXT, &state},
                              {"--entry", OPTION_TEXT, &entry}};
    Positionals rest;
    Err e = {0};
    if (!options_parse("prove", argc, argv, options, sizeof options / sizeof *options, &rest, &e))
        return cmd_fail("prove", &e);
    Arena a = {0};
    Trial t = {.a = &a, .level = LEVEL_FULL, .seed = &seed};
    if (level && !level_by_name(str_of(level), &t.level))
        return cmd_usage("prove", "--level is quick or full");
    RefereeConfig config = {.no_journal = state == NULL, .state = state, .jobs = jobs};
    if (!referee_open(&config, &t.r, &e)) return cmd_fail("prove", &e);
    int code = EXIT_WORLD;
    if (!open_trial(&t, suite, entry, &rest, &e) || !prove(&t, json, &code, &e)) code = cmd_fail("prove", &e);
    arena_free(&a);
    referee_close(t.r);
    return code;
}
