// corpus import, verify, export: programs from elsewhere into the store, all of them judged again, data sets.
#include <stdio.h>

#include "cmd/shared/corpus.h"
#include "cmd/shared/judging.h"
#include "corpus/export.h"
#include "corpus/import.h"
#include "corpus/judge_again.h"
#include "corpus/store_answer.h"
#include "propose/smith_kind.h"

// A store that programs are judged for: opened after the referee, closed before it.
typedef struct {
    Referee *referee;
    Service *service;
    Store *store;
    char build[65];
} Judged;

typedef struct {
    const char *state, *suite;
    int jobs;
    bool fresh, make; // make: the store, where there is none
} JudgedOptions;

static bool judged_open(Arena *a, const JudgedOptions *o, Judged *j, Err *e) {
    *j = (Judged){0};
    return referee_open(&(RefereeConfig){.state = o->state, .jobs = o->jobs}, &j->referee, e) &&
           (!o->suite || op_suite_add(a, o->suite, e)) && referee_build(j->build, e) &&
           store_open(referee_state(j->referee), &(StoreOptions){.must_exist = !o->make}, &j->store, e) &&
           service_open(j->referee, &(ServiceConfig){.known = !o->fresh}, &j->service, e);
}

static void judged_close(Judged *j) {
    service_close(j->service);
    store_close(j->store);
    if (j->referee) referee_close(j->referee);
}

// ---- import

enum { BAD_SHOWN = 20 };
typedef struct {
    Progress bar;
    int64_t shown;
} ImportVerb;

static void show_bad(void *arg, const char *file, int64_t line, const Err *why) {
    ImportVerb *v = arg;
    if (v->shown++ >= BAD_SHOWN) return;
    Arena a = {0};
    const char *words = smith_words(&a, str_of(why->msg), sizeof why->msg);
    notice(&v->bar, "corpus import", arena_printf(&a, "%s:%lld: %s", file, (long long)line, words));
    arena_free(&a);
}

static void show_import(void *arg, const ImportTally *t) {
    ImportVerb *v = arg;
    char note[64];
    snprintf(note, sizeof note, "%lld accepted  %lld new", (long long)t->accepted, (long long)t->fresh);
    progress_step(&v->bar, (size_t)t->lines, note);
}

static void print_import(const ImportTally *t, bool json) {
    if (json) {
        Arena a = {0};
        Buf out = BUF(&a);
        json_put(&out, json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I}", "lines",
                                 (json_int_t)t->lines, "bad", (json_int_t)t->bad, "new", (json_int_t)t->fresh,
                                 "known", (json_int_t)t->known, "accepted", (json_int_t)t->accepted,
                                 "rejected", (json_int_t)t->rejected, "undecided", (json_int_t)t->undecided,
                                 "unverifiable", (json_int_t)t->unverifiable, "lost", (json_int_t)t->lost));
        printf("%s\n", buf_cstr(&out));
        arena_free(&a);
        return;
    }
    printf("%lld lines: %lld accepted at full, %lld rejected, %lld undecided, %lld known before, %lld that "
           "nobody "
           "can judge, %lld without a program; %lld new programs\n",
           (long long)t->lines, (long long)t->accepted, (long long)t->rejected, (long long)t->undecided,
           (long long)t->known, (long long)t->unverifiable, (long long)t->bad, (long long)t->fresh);
}

int cmd_corpus_import(int argc, char **argv) {
    const char *licence = NULL;
    bool json = false;
    JudgedOptions o = {.make = true};
    const Option options[] = {{"--licence", OPTION_TEXT, &licence},
                              {"--state", OPTION_TEXT, &o.state},
                              {"--suite", OPTION_TEXT, &o.suite},
                              {"--jobs", OPTION_COUNT, &o.jobs},
                              {"--json", OPTION_FLAG, &json}};
    Positionals rest;
    Err e = {0};
    if (!options_parse(&(CommandLine){"corpus import", argc, argv}, options, sizeof options / sizeof *options,
                       &rest, &e))
        return cmd_fail("corpus import", &e);
    Arena a = {0};
    Judged j;
    ImportVerb v = {0};
    ImportTally got = {0};
    bool ok = judged_open(&a, &o, &j, &e);
    if (ok) {
        ImportRequest q = {.store = j.store,
                           .service = j.service,
                           .licence = licence ? str_of(licence) : STR(""),
                           .build = str_of(j.build),
                           .bad = show_bad,
                           .told = show_import,
                           .interrupted = interrupts_seen,
                           .arg = &v};
        interrupts_catch();
        progress_start(&v.bar, "lines", 0);
        ok = corpus_import(&q, rest.at, rest.n, &got, &e);
        progress_end(&v.bar);
    }
    judged_close(&j);
    if (ok && v.shown > BAD_SHOWN)
        fprintf(stderr, "ouroboros corpus import: %lld more such lines\n", (long long)(v.shown - BAD_SHOWN));
    if (ok) print_import(&got, json);
    int code = !ok                                 ? cmd_fail("corpus import", &e)
               : interrupts_seen(NULL) || got.lost ? EXIT_UNDECIDED
               : got.lines && got.bad == got.lines ? EXIT_REJECTED
                                                   : EXIT_OK;
    arena_free(&a);
    return code;
}

// ---- verify

static void show_verify(void *arg, const VerifyTally *t) {
    char note[64];
    snprintf(note, sizeof note, "%lld judged  %lld demoted", (long long)t->judged, (long long)t->demoted);
    progress_step(arg, (size_t)t->programs, note);
}

static void show_demoted(void *arg, const StoredProgram *p, Str status) {
    Arena a = {0};
    char hex[65];
    sha256_hex(p->canonical, hex);
    notice(arg, "corpus verify",
           arena_printf(&a, "%.*s %.12s is %.*s now", STR_ARG(p->op), hex, STR_ARG(status)));
    arena_free(&a);
}

int cmd_corpus_verify(int argc, char **argv) {
    bool json = false;
    JudgedOptions o = {0};
    const Option options[] = {{"--all", OPTION_FLAG, &o.fresh},
                              {"--state", OPTION_TEXT, &o.state},
                              {"--suite", OPTION_TEXT, &o.suite},
                              {"--jobs", OPTION_COUNT, &o.jobs},
                              {"--json", OPTION_FLAG, &json}};
    Positionals rest;
    Err e = {0};
    if (!options_parse(&(CommandLine){"corpus verify", argc, argv}, options, sizeof options / sizeof *options,
                       &rest, &e))
        return cmd_fail("corpus verify", &e);
    Arena a = {0};
    Judged j;
    Progress bar;
    VerifyTally t = {0};
    bool ok = judged_open(&a, &o, &j, &e) && store_check(j.store, &e);
    if (ok) {
        VerifyRequest q = {.store = j.store,
                           .service = j.service,
                           .all = o.fresh,
                           .build = str_of(j.build),
                           .told = show_verify,
                           .demoted = show_demoted,
                           .interrupted = interrupts_seen,
                           .arg = &bar};
        interrupts_catch();
        progress_start(&bar, "programs", 0);
        ok = corpus_verify(&q, &t, &e);
        progress_end(&bar);
    }
    judged_close(&j);
    if (ok && json)
        printf("{\"programs\":%lld,\"judged\":%lld,\"demoted\":%lld,\"promoted\":%lld,\"without_op\":%lld,"
               "\"lost\":"
               "%lld}\n",
               (long long)t.programs, (long long)t.judged, (long long)t.demoted, (long long)t.promoted,
               (long long)t.without_op, (long long)t.lost);
    else if (ok)
        printf("%lld programs, %lld judged again: %lld demoted, %lld promoted; %lld without a definition\n",
               (long long)t.programs, (long long)t.judged, (long long)t.demoted, (long long)t.promoted,
               (long long)t.without_op);
    int code = !ok                               ? cmd_fail("corpus verify", &e)
               : interrupts_seen(NULL) || t.lost ? EXIT_UNDECIDED
               : t.demoted                       ? EXIT_REJECTED
                                                 : EXIT_OK;
    arena_free(&a);
    return code;
}

// ---- export

typedef struct {
    const char *format, *dir, *held_out, *state, *profile;
    int per_op;
    Number conversions, validation;
    Seed seed;
    Texts against;
    bool unlicensed, json, no_plan;
} ExportOptions;

static bool export_request(Arena *a, const ExportOptions *o, ExportRequest *q, Err *e) {
    *q = (ExportRequest){.dir = o->dir,
                         .per_op = o->per_op,
                         .seed = o->seed.value,
                         .conversions = o->conversions.value,
                         .validation = o->validation.value,
                         .unlicensed = o->unlicensed,
                         .held_out = o->held_out,
                         .against = o->against.at,
                         .againsts = o->against.n,
                         .interrupted = interrupts_seen};
    if (!o->dir) return err_set(e, ERR_USAGE, "-o is missing: the folder to write to");
    if (q->conversions > 1 || q->validation >= 1)
        return err_set(e, ERR_USAGE, "--conversions is at most 1, --validation less than 1");
    if (!export_format(str_of(o->format), &q->format))
        return err_set(e, ERR_USAGE, "--format is chat, prompt-completion or kernelbook");
    if (o->no_plan && !o->profile) return err_set(e, ERR_USAGE, "--no-plan belongs to --profile");
    if (!o->profile) return true;
    if (q->format != EXPORT_PAIRS)
        return err_set(e, ERR_USAGE, "--profile writes --format prompt-completion");
    Profile *p = NEW(a, Profile);
    q->profile = p;
    q->no_plan = o->no_plan;
    return profile_open(a, o->profile, p, e);
}

static void print_export(const ExportOptions *o, const ExportTally *t) {
    if (o->json)
        printf("{\"train\":%lld,\"validation\":%lld,\"test\":%lld,\"programs\":%lld,\"unlicensed\":%lld,"
               "\"contaminated\":%lld,\"stale\":%lld,\"of_modules\":%lld,\"beyond\":%lld}\n",
               (long long)t->rows[SPLIT_TRAIN], (long long)t->rows[SPLIT_VALIDATION],
               (long long)t->rows[SPLIT_TEST], (long long)t->programs, (long long)t->unlicensed,
               (long long)t->contaminated, (long long)t->stale, (long long)t->modules, (long long)t->beyond);
    else
        printf(
            "%s: %lld rows to train on, %lld to validate, %lld to test; README.md counts what was left out\n",
            o->dir, (long long)t->rows[SPLIT_TRAIN], (long long)t->rows[SPLIT_VALIDATION],
            (long long)t->rows[SPLIT_TEST]);
}

int cmd_corpus_export(int argc, char **argv) {
    ExportOptions o = {
        .format = "prompt-completion", .per_op = 200, .conversions.value = 0.4, .validation.value = 0.02};
    const Option options[] = {
        {"--format", OPTION_TEXT, &o.format},
        {"-o", OPTION_TEXT, &o.dir},
        {"--held-out", OPTION_TEXT, &o.held_out},
        {"--profile", OPTION_TEXT, &o.profile},
        {"--no-plan", OPTION_FLAG, &o.no_plan},
        {"--state", OPTION_TEXT, &o.state},
        {"--per-op", OPTION_COUNT, &o.per_op},
        {"--conversions", OPTION_NUMBER, &o.conversions},
        {"--validation", OPTION_NUMBER, &o.validation},
        {"--seed", OPTION_SEED, &o.seed},
        {"--against", OPTION_TEXTS, &o.against},
        {"--unlicensed", OPTION_FLAG, &o.unlicensed},
        {"--json", OPTION_FLAG, &o.json},
    };
    Positionals rest;
    Err e = {0};
    Arena a = {0};
    ExportRequest q;
    ExportTally t;
    if (!options_parse(&(CommandLine){"corpus export", argc, argv}, options, sizeof options / sizeof *options,
                       &rest, &e) ||
        !export_request(&a, &o, &q, &e))
        return cmd_fail("corpus export", &e);
    interrupts_catch();
    bool ok = store_at(&a, o.state, &q.store, &e) && corpus_export(&q, &t, &e);
    if (ok) print_export(&o, &t);
    int code = !ok                                        ? cmd_fail("corpus export", &e)
               : t.rows[SPLIT_TRAIN] + t.rows[SPLIT_TEST] ? EXIT_OK
                                                          : EXIT_REJECTED;
    store_close(q.store);
    arena_free(&a);
    return code;
}
