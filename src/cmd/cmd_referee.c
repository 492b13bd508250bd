#include <stdio.h>
#include <unistd.h>

#include "base/io.h"
#include "base/progress.h"
#include "cases/domain/plan.h"
#include "cmd/line/color.h"
#include "cmd/shared/corpus.h"
#include "cmd/shared/judging.h"
#include "lang/text.h"
#include "service/helper_files.h"
#include "service/manifest/entry_choice.h"
#include "service/manifest/included_host.h"
#include "service/manifest/manifest.h"
#include "service/stream.h"

enum { FILE_MAX = 256 << 20 };

typedef struct {
    const char *module;
    const char *op, *level, *dtype, *state, *suite, *manifest, *include, *entry, *layout, *domain, *python,
        *shapes, *library;
    Seed seed;
    Shape shape;
    int jobs, every_size;
    bool json, stream, fresh, old_names, alone, tf32, ragged;
    Levels levels; // what `level` says
} RefereeOptions;

static void on_judged(void *arg, int done) { progress_step(arg, (size_t)done, NULL); }
static void on_size(void *arg, int64_t size) { progress_step(arg, (size_t)size, NULL); }

// One file: what was read, and what came of it.
typedef struct {
    const char *path;
    Str file, source;        // source: with what was written behind the file, which is what is judged
    const char *written_for; // "from M.json"; NULL: nothing was written
    size_t own;              // where what --include gives begins in `source`
    const char *entry;       // what is entered, where the file does not say; or NULL
    Err e;
} Judged;

// Findings behind the file's last line are about what was written there.
static void put_written(Buf *out, const Verdict *v, const Judged *f) {
    uint32_t place = v->decision.place.at;
    if (!v->decision.placed || place < f->file.len || place >= f->source.len) return;
    LineCol at = line_col(f->source, place);
    Str line = source_line(f->source, at.line);
    if (place >= f->own)
        buf_printf(out, "line %d is of a file of --include: %.*s\n", at.line, STR_ARG(line));
    else if (f->written_for)
        buf_printf(out, "line %d was written %s: %.*s\n", at.line, f->written_for, STR_ARG(line));
}

static bool enter_file(Referee *r, Arena *a, const RefereeOptions *o, const Op *op, Judged *f) {
    Str text;
    if (o->manifest) {
        f->written_for = arena_printf(a, "from %s", o->manifest);
        return io_read(a, o->manifest, MANIFEST_MAX, &text, &f->e) &&
               manifest_apply(
                   a,
                   &(ManifestRequest){o->manifest, text, op, f->file, true, referee_extras(r).include, true},
                   &f->source, &f->e);
    }
    Entered entered;
    if (!entry_apply(a, o->entry, op, f->file, &entered, &f->e)) return false;
    f->source = entered.source;
    f->entry = entered.chosen;
    if (f->source.len != f->file.len) f->written_for = "to call the entry";
    return true;
}

// With the host functions of --include.
static void make_whole(Referee *r, Arena *a, Str source, Judged *f) {
    IncludedHost whole;
    included_host(a, source, referee_extras(r).include, package_of(a, f->path), &whole);
    f->source = whole.source;
    f->own = whole.own;
}

static bool read_file(Referee *r, Arena *a, const RefereeOptions *o, const Op *op, Judged *f) {
    if (!io_read(a, f->path, FILE_MAX, &f->file, &f->e) || !enter_file(r, a, o, op, f)) return false;
    make_whole(r, a, f->source, f);
    return true;
}

static void put_verdict(Buf *out, const Judged *f, const Verdict *v, bool json) {
    if (!json) {
        verdict_shown(out, v);
        if (f->entry) buf_printf(out, "entry: %s\n", f->entry);
        put_written(out, v, f);
        return;
    }
    json_t *o = verdict_object(v), *first = json_object();
    // As the path is typed: bytes that are no text have no place in JSON.
    if (utf8_valid(str_of(f->path))) json_object_set_new(first, "file", json_string(f->path));
    if (f->entry) json_object_set_new(first, "entry", json_string(f->entry));
    if (f->written_for || !str_eq(f->source, f->file))
        json_object_set_new(first, "judged", json_stringn(f->source.p, f->source.len));
    json_object_update(first, o);
    json_decref(o);
    json_put(out, first);
    buf_putc(out, '\n');
}

// The worst of several exit codes: what failed, then what is rejected, then what is undecided.
static int worse(int a, int b) {
    static const int order[] = {
        [EXIT_OK] = 0, [EXIT_UNDECIDED] = 1, [EXIT_REJECTED] = 2, [EXIT_USAGE] = 3, [EXIT_WORLD] = 4};
    return order[b] > order[a] ? b : a;
}

// Files with a ModelNew against a reference in module form, on one draw.
static bool judge_modules(Referee *r, Arena *a, const Positionals *paths, const RefereeOptions *o, int *code,
                          Err *e) {
    Op op;
    Str text;
    int n = 0;
    Judged *f = NEWN(a, Judged, (size_t)paths->n);
    Str *source = NEWN(a, Str, (size_t)paths->n);
    Verdict *v = NEWN(a, Verdict, (size_t)paths->n);
    JudgeRequest q = {.op = &op,
                      .level = o->levels == LEVELS_FULL ? LEVEL_FULL : LEVEL_QUICK,
                      .filter = {.dtype = -1},
                      .seed = o->seed.given ? &o->seed.value : NULL};
    DomainAsked asked;
    if (!domain_of(o->layout, NULL, &asked, e) || !shapes_of(o->shapes, &asked, e) ||
        !library_asked(o->library, &asked, e))
        return false;
    asked.tf32 = o->tf32;
    asked.ragged = o->ragged;
    asked.quick = q.level == LEVEL_QUICK;
    if (!io_read_file(a, o->module, SOURCE_MAX, &text, e) ||
        !module_for_judging(r, a, &(ModuleText){o->module, text}, &asked, &op, e))
        return false;
    for (int i = 0; i < paths->n; i++) {
        f[i].path = paths->at[i];
        if (!io_read(a, f[i].path, FILE_MAX, &f[i].file, &f[i].e)) continue;
        make_whole(r, a, f[i].file, &f[i]);
        source[n++] = f[i].source;
    }
    if (n && !referee_judge(r, a, &q, source, n, v, e)) return false;
    for (int i = 0, k = 0; i < paths->n; i++) {
        Buf out = BUF(a);
        if (!o->json && paths->n > 1)
            buf_printf(&out, "%s== %s\n", i ? "\n" : "", text_escaped(a, f[i].path));
        if (f[i].e.code) {
            cmd_say("referee", &f[i].e);
            *code = worse(*code, EXIT_WORLD);
            continue;
        }
        put_verdict(&out, &f[i], &v[k], o->json);
        print_result(buf_str(&out), o->json);
        *code = worse(*code, verdict_exit(&v[k++]));
    }
    return true;
}

// What can be read is judged with one draw for all; then everything is told in the order of the command line.
static bool judge_files(Referee *r, Arena *a, const Positionals *paths, const RefereeOptions *o, int *code,
                        Err *e) {
    Op op;
    int n = 0;
    Judged *f = NEWN(a, Judged, (size_t)paths->n);
    Str *source = NEWN(a, Str, (size_t)paths->n);
    Verdict *v = NEWN(a, Verdict, (size_t)paths->n);
    Progress bar;
    JudgeRequest q = {.op = &op,
                      .level = o->levels == LEVELS_FULL ? LEVEL_FULL : LEVEL_QUICK,
                      .every_size = o->every_size,
                      .without_gaps = true,
                      .seed = o->seed.given ? &o->seed.value : NULL,
                      .progress_arg = &bar};
    DomainAsked domain;
    if (!filter_of(&o->shape, o->dtype, &q.filter, e) || !domain_of(o->layout, o->domain, &domain, e) ||
        !op_for_judging(r, a, o->op, &domain, &op, e))
        return false;
    op_understood("referee", o->op, &op);
    for (int i = 0; i < paths->n; i++) {
        f[i].path = paths->at[i];
        if (read_file(r, a, o, &op, &f[i])) source[n++] = f[i].source;
    }
    if (paths->n == 1 && n == 0) {
        *e = f[0].e;
        return false;
    }
    bool sizes = n == 1 && o->every_size > 0;
    if (sizes)
        q.size_done = on_size;
    else
        q.progress = on_judged;
    progress_start(&bar, sizes ? "sizes" : "files", sizes ? (size_t)o->every_size : (size_t)n);
    bool ok = n == 0 || referee_judge(r, a, &q, source, n, v, e);
    progress_end(&bar);
    for (int i = 0, k = 0; ok && i < paths->n; i++) {
        Buf out = BUF(a);
        if (!o->json && paths->n > 1)
            buf_printf(&out, "%s== %s\n", i ? "\n" : "", text_escaped(a, f[i].path));
        if (f[i].e.code) {
            print_result(buf_str(&out), o->json);
            fflush(stdout);
            cmd_say("referee", &f[i].e);
            *code = worse(*code, f[i].e.code == ERR_USAGE ? EXIT_USAGE : EXIT_WORLD);
            continue;
        }
        put_verdict(&out, &f[i], &v[k], o->json);
        print_result(buf_str(&out), o->json);
        *code = worse(*code, verdict_exit(&v[k++]));
    }
    return ok;
}

// What a reference in module form leaves nothing to say about. NULL: none of it was given.
static const char *beside_module(const RefereeOptions *o) {
#define NOT_BESIDE(given, name) \
    { given, name " does not go with --module REF.py, which says what is judged, and on which sizes" }
    const struct {
        bool given;
        const char *why;
    } all[] = {
        NOT_BESIDE(o->stream, "--stream"),         NOT_BESIDE(o->op, "--op"),
        NOT_BESIDE(o->dtype, "--dtype"),           NOT_BESIDE(o->shape.m, "--shape"),
        NOT_BESIDE(o->manifest, "--manifest"),     NOT_BESIDE(o->entry, "--entry"),
        NOT_BESIDE(o->every_size, "--every-size"), NOT_BESIDE(o->domain, "--domain"),
        NOT_BESIDE(o->suite, "--suite"),
    };
#undef NOT_BESIDE
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i].given) return all[i].why;
    return NULL;
}

// What goes with what. NULL: all is well.
static const char *refuse_options(const RefereeOptions *o, int files) {
    if (o->stream && files) return "--stream takes no file";
    if (o->stream && (o->seed.given || o->op || o->dtype || o->shape.m || o->manifest || o->entry))
        return "with --stream, each line names its op, shape, dtype and manifest; no line has a seed or an "
               "entry";
    if (o->stream && o->domain) return "--domain belongs to files: no reward comes from the published domain";
    if (!o->stream && !files) return "FILE is missing: a kernel file, or - for standard input";
    if (!o->stream && o->levels == LEVELS_LADDER)
        return "--level ladder belongs to --stream: a file is judged at one";
    if (!o->stream && o->fresh) return "--fresh belongs to --stream: a file is always judged";
    if (o->every_size > EVERY_SIZE_MOST ||
        (o->every_size && (o->stream || o->levels != LEVELS_FULL || o->shape.m)))
        return "--every-size is at most 65536, for files, at level full, without --shape";
    if (o->manifest && (o->entry || files > 1))
        return "--manifest writes run for one file: without --entry, and without a second file";
    if (!o->stream && (o->python || o->alone))
        return "--python and --alone belong to --stream, for requests with \"time\"; bench times a file";
    const char *beside = o->module ? beside_module(o) : NULL;
    if (beside) return beside;
    if (o->tf32 && !o->module) return "--tf32 belongs to --module: an op says allow_tf32 in its definition";
    if (o->ragged && !o->module) return "--ragged belongs to --module";
    if (o->library && !o->module)
        return "--library belongs to --module; a request of the stream has it as a key";
    if (o->shapes && (!o->module || o->levels != LEVELS_FULL))
        return "--shapes belongs to --module, at level full; a request of the stream has it as a key";
    if (!o->stream && !o->op && !o->module) return "--op is missing, or --module";
    return NULL;
}

// Times of a program that the store has.
static void keep_times(void *arg, const TimesAsk *q) {
    const Referee *r = arg;
    const json_t *times = json_object_get(q->verdict, "times");
    if (json_is_true(json_object_get(q->verdict, "accepted")))
        times_kept("referee", referee_state(r),
                   &(Timed){.op = q->op, .filter = &q->filter, .source = q->source, .times = times});
}

int cmd_referee(int argc, char **argv) {
    RefereeOptions o = {0};
    const Option options[] = {
        {"--op", OPTION_TEXT, &o.op},
        {"--module", OPTION_TEXT, &o.module},
        {"--entry", OPTION_TEXT, &o.entry},
        {"--level", OPTION_TEXT, &o.level},
        {"--seed", OPTION_SEED, &o.seed},
        {"--shape", OPTION_SHAPE, &o.shape},
        {"--dtype", OPTION_TEXT, &o.dtype},
        {"--json", OPTION_FLAG, &o.json},
        {"--stream", OPTION_FLAG, &o.stream},
        {"--fresh", OPTION_FLAG, &o.fresh},
        {"--jobs", OPTION_COUNT, &o.jobs},
        {"--state", OPTION_TEXT, &o.state},
        {"--suite", OPTION_TEXT, &o.suite},
        {"--manifest", OPTION_TEXT, &o.manifest},
        {"--include", OPTION_TEXT, &o.include},
        {"--every-size", OPTION_COUNT, &o.every_size},
        {"--old-names", OPTION_FLAG, &o.old_names},
        {"--layout", OPTION_TEXT, &o.layout},
        {"--domain", OPTION_TEXT, &o.domain},
        {"--python", OPTION_TEXT, &o.python},
        {"--alone", OPTION_FLAG, &o.alone},
        {"--tf32", OPTION_FLAG, &o.tf32},
        {"--ragged", OPTION_FLAG, &o.ragged},
        {"--shapes", OPTION_TEXT, &o.shapes},
        {"--library", OPTION_TEXT, &o.library},
    };
    Positionals rest;
    Err e = {0};
    if (!options_parse(&(CommandLine){"referee", argc, argv}, options, sizeof options / sizeof *options,
                       &rest, &e))
        return cmd_fail("referee", &e);
    o.levels = o.stream ? LEVELS_QUICK : LEVELS_FULL;
    if (o.level && !levels_by_name(str_of(o.level), &o.levels)) return cmd_usage("referee", "--level");
    const char *why = refuse_options(&o, rest.n);
    if (why) return cmd_usage("referee", why);
    Referee *r;
    Measurer *m = NULL;
    Arena a = {0};
    RefereeConfig config = {.state = o.state, .jobs = o.jobs, .extras.old_names = o.old_names};
    if ((o.stream && !measurer_open(NULL, &m, &e)) ||
        (o.include && !include_read(&a, o.include, &config.extras.include, &e)) ||
        !referee_open(&config, &r, &e)) {
        arena_free(&a);
        measurer_close(m);
        return cmd_fail("referee", &e);
    }
    int code = EXIT_OK;
    DomainAsked asked;
    bool ok =
        (!o.suite || op_suite_add(&a, o.suite, &e)) && (!o.stream || domain_of(o.layout, NULL, &asked, &e));
    const StreamOptions stream = {.levels = o.levels,
                                  .layout = o.stream && ok ? asked.layout : LAYOUT_DECLARED,
                                  .fresh = o.fresh,
                                  .measurer = m,
                                  .timer = {.python = o.python, .alone = o.alone},
                                  .timed = keep_times,
                                  .arg = r};
    if (ok && o.module)
        ok = judge_modules(r, &a, &rest, &o, &code, &e);
    else if (ok)
        ok = o.stream ? stream_run(r, STDIN_FILENO, STDOUT_FILENO, &stream, &e)
                      : judge_files(r, &a, &rest, &o, &code, &e);
    if (!ok) code = cmd_fail("referee", &e);
    arena_free(&a);
    referee_close(r);
    measurer_close(m);
    return code;
}
