// explain: why a kernel was rejected, or how sure its acceptance is, for a person. A replay: nothing is
// journaled (but by --prove, where --state says so), and the seed is printed, so that it can be repeated.
#include <stdio.h>

#include "base/io.h"
#include "base/numeric/rng.h"
#include "base/progress.h"
#include "cmd/line/color.h"
#include "cmd/line/wrap.h"
#include "cmd/shared/judging.h"
#include "explain/explain.h"
#include "service/helper_files.h"
#include "service/manifest/entry_choice.h"
#include "service/manifest/included_host.h"
#include "service/manifest/manifest.h"

enum { FILE_MAX = 1 << 20 };

typedef struct {
    const char *op, *level, *dtype, *state, *suite, *manifest, *include, *entry, *layout, *domain, *module,
        *library;
    Seed seed;
    Shape shape;
    int jobs;
    bool json, minimize, prove, old_names, tf32, ragged;
    Level judged_at; // what `level` says
} ExplainOptions;

typedef struct {
    const char *stage; // NULL: none yet
    Progress bar;
} Shown;

static void show_progress(void *arg, const char *stage, int done, int total) {
    Shown *s = arg;
    if (s->stage != stage) {
        if (s->stage) progress_end(&s->bar);
        progress_start(&s->bar, stage, (size_t)total);
        s->stage = stage;
    }
    progress_step(&s->bar, (size_t)done, NULL);
}

static bool explain_file(Referee *r, Arena *a, const char *file, const ExplainOptions *o, int *code, Err *e) {
    Op op;
    ExplainRequest q = {.op = &op, .level = o->judged_at, .minimize = o->minimize, .prove = o->prove};
    Str source, text;
    if (!filter_of(&o->shape, o->dtype, &q.filter, e) || !io_read(a, file, FILE_MAX, &source, e))
        return false;
    if (o->suite && !op_suite_add(a, o->suite, e)) return false;
    DomainAsked domain;
    if (!domain_of(o->layout, o->domain, &domain, e) || !library_asked(o->library, &domain, e)) return false;
    domain.modules = o->module != NULL;
    domain.tf32 = o->tf32;
    domain.ragged = o->ragged;
    domain.quick = o->judged_at == LEVEL_QUICK;
    if (!op_for_judging(r, a, o->module ? o->module : o->op, &domain, &op, e)) return false;
    if (o->module && !op.form)
        return err_set(e, ERR_INPUT, "%s: not a reference in module form (class Model, get_inputs)",
                       o->module);
    Entered entered = {.source = source};
    if (!o->module) {
        op_understood("explain", o->op, &op);
        if (!entry_apply(a, o->entry, &op, source, &entered, e)) return false;
        entry_understood("explain", entered.chosen);
    }
    q.source = entered.source;
    if (o->manifest &&
        (!io_read(a, o->manifest, MANIFEST_MAX, &text, e) ||
         !manifest_apply(
             a, &(ManifestRequest){o->manifest, text, &op, source, true, referee_extras(r).include, true},
             &q.source, e)))
        return false;
    IncludedHost with;
    included_host(a, q.source, referee_extras(r).include, package_of(a, file), &with);
    q.source = with.source;
    q.seed = o->seed.value;
    if (!o->seed.given) {
        if (!rng_entropy(&q.seed, sizeof q.seed, e)) return false;
        q.seed >>= 1; // JSON's integers are signed
    }
    Explanation x;
    Shown shown = {0};
    q.progress = show_progress;
    q.progress_arg = &shown;
    bool ok = explain(r, a, &q, &x, e);
    if (shown.stage) progress_end(&shown.bar);
    if (!ok) return false;
    Buf out = BUF(a), whole = BUF(a);
    if (o->json)
        explain_json(&out, a, &q, &x);
    else {
        explain_text(&whole, a, &q, &x, file);
        wrap_text(&out, buf_str(&whole), screen_columns(stdout), EVIDENCE_HANG);
    }
    print_result(buf_str(&out), o->json);
    *code = verdict_exit(&x.v);
    return true;
}

int cmd_explain(int argc, char **argv) {
    ExplainOptions o = {.judged_at = LEVEL_FULL};
    const Option options[] = {
        {"--op", OPTION_TEXT, &o.op},
        {"--entry", OPTION_TEXT, &o.entry},
        {"--level", OPTION_TEXT, &o.level},
        {"--seed", OPTION_SEED, &o.seed},
        {"--shape", OPTION_SHAPE, &o.shape},
        {"--dtype", OPTION_TEXT, &o.dtype},
        {"--minimize", OPTION_FLAG, &o.minimize},
        {"--prove", OPTION_FLAG, &o.prove},
        {"--json", OPTION_FLAG, &o.json},
        {"--jobs", OPTION_COUNT, &o.jobs},
        {"--suite", OPTION_TEXT, &o.suite},
        {"--state", OPTION_TEXT, &o.state},
        {"--manifest", OPTION_TEXT, &o.manifest},
        {"--include", OPTION_TEXT, &o.include},
        {"--old-names", OPTION_FLAG, &o.old_names},
        {"--layout", OPTION_TEXT, &o.layout},
        {"--module", OPTION_TEXT, &o.module},
        {"--library", OPTION_TEXT, &o.library},
        {"--tf32", OPTION_FLAG, &o.tf32},
        {"--ragged", OPTION_FLAG, &o.ragged},
        {"--domain", OPTION_TEXT, &o.domain},
    };
    Positionals rest;
    Err e = {0};
    if (!options_parse(&(CommandLine){"explain", argc, argv}, options, sizeof options / sizeof *options,
                       &rest, &e))
        return cmd_fail("explain", &e);
    if (o.level && !level_by_name(str_of(o.level), &o.judged_at)) return cmd_usage("explain", "--level");
    if (o.entry && o.manifest) return cmd_usage("explain", "--manifest writes run: without --entry");
    if (!o.op && !o.module) return cmd_usage("explain", "--op or --module is missing");
    if (o.op && o.module) return cmd_usage("explain", "--op and --module: one of them says what is computed");
    if (!o.module && (o.library || o.tf32 || o.ragged))
        return cmd_usage("explain", "--library, --tf32 and --ragged belong to --module");
    if (o.module && (o.shape.m || o.dtype || o.manifest || o.entry || o.domain || o.suite))
        return cmd_usage("explain",
                         "--module: without --shape, --dtype, --manifest, --entry, --domain and --suite");
    if (o.module && (o.minimize || o.prove))
        return cmd_usage(
            "explain", "--module: --minimize and --prove are of ops; a module's cases have one set of sizes");
    Referee *r;
    RefereeConfig config = {
        .no_journal = o.state == NULL, .state = o.state, .jobs = o.jobs, .extras.old_names = o.old_names};
    Arena a = {0};
    if ((o.include && !include_read(&a, o.include, &config.extras.include, &e)) ||
        !referee_open(&config, &r, &e)) {
        arena_free(&a);
        return cmd_fail("explain", &e);
    }
    int code = EXIT_OK;
    if (!explain_file(r, &a, rest.at[0], &o, &code, &e)) code = cmd_fail("explain", &e);
    arena_free(&a);
    referee_close(r);
    return code;
}
