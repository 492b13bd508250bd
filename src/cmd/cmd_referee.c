#include <stdio.h>
#include <unistd.h>

#include "base/io.h"
#include "cases/plan.h"
#include "cmd/stream.h"
#include "service/helper_files.h"
#include "service/manifest.h"

enum { FILE_MAX = 256 << 20 };

typedef struct {
    const char *op, *level, *dtype, *state, *suite, *manifest, *include;
    Seed seed;
    Shape shape;
    int jobs, every_size;
    bool json, stream, fresh, old_names;
} RefereeOptions;

// Findings behind the file's last line are about what was written from the manifest.
static void put_written(Buf *out, const Verdict *v, const char *manifest, Str file, Str source) {
    if (!v->decision.placed || v->decision.place.at < file.len || v->decision.place.at >= source.len) return;
    LineCol at = line_col(source, v->decision.place.at);
    Str line = source_line(source, at.line);
    buf_printf(out, "line %d was written from %s: %.*s\n", at.line, manifest, STR_ARG(line));
}

static bool judge_file(Referee *r, Arena *a, const char *file, Level level, const RefereeOptions *o,
                       int *code, Err *e) {
    Op op;
    Str source;
    JudgeRequest q = {.op = &op,
                      .level = level,
                      .every_size = o->every_size,
                      .seed = o->seed.given ? &o->seed.value : NULL};
    if (!filter_of(&o->shape, o->dtype, &q.filter, e) || !io_read(a, file, FILE_MAX, &source, e))
        return false;
    if (!op_for_judging(r, a, o->op, &op, e)) return false;
    Str whole = source, text;
    if (o->manifest &&
        (!io_read(a, o->manifest, MANIFEST_MAX, &text, e) ||
         !manifest_apply(a, o->manifest, text, &op, source, true, referee_extras(r).include, &whole, e)))
        return false;
    Verdict v;
    if (!referee_judge(r, a, &q, &whole, 1, &v, e)) return false;
    Buf out = BUF(a);
    if (o->json)
        verdict_json(&out, &v, o->manifest ? "judged" : NULL,
                     o->manifest ? json_stringn(whole.p, whole.len) : NULL),
            buf_putc(&out, '\n');
    else
        verdict_text(&out, &v, "");
    if (!o->json && o->manifest) put_written(&out, &v, o->manifest, source, whole);
    fwrite(out.p, 1, out.len, stdout);
    *code = verdict_exit(&v);
    return true;
}

int cmd_referee(int argc, char **argv) {
    RefereeOptions o = {0};
    const Option options[] = {
        {"--op", OPTION_TEXT, &o.op},
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
    };
    Positionals rest;
    Err e = {0};
    if (!options_parse("referee", argc, argv, options, sizeof options / sizeof *options, &rest, &e))
        return cmd_fail("referee", &e);
    Level level = o.stream ? LEVEL_QUICK : LEVEL_FULL;
    if (o.level && !level_by_name(str_of(o.level), &level))
        return cmd_usage("referee", "--level is quick or full");
    if (o.stream ? rest.n != 0 : rest.n != 1)
        return cmd_usage("referee", o.stream ? "--stream takes no file" : "name one kernel file");
    if (o.stream && (o.seed.given || o.op || o.dtype || o.shape.m || o.manifest))
        return cmd_usage(
            "referee",
            "with --stream, each line names its op, shape, dtype and manifest; no line has a seed");
    if (!o.stream && o.fresh)
        return cmd_usage("referee", "--fresh belongs to --stream: a file is always judged");
    if (o.every_size > EVERY_SIZE_MOST || (o.every_size && (o.stream || level != LEVEL_FULL || o.shape.m)))
        return cmd_usage("referee",
                         "--every-size is at most 65536, for one file, at level full, without --shape");
    if (!o.stream && !o.op) return cmd_usage("referee", "--op is missing");
    Referee *r;
    Arena a = {0};
    RefereeConfig config = {.state = o.state, .jobs = o.jobs, .extras.old_names = o.old_names};
    if ((o.include && !include_read(&a, o.include, &config.extras.include, &e)) ||
        !referee_open(&config, &r, &e)) {
        arena_free(&a);
        return cmd_fail("referee", &e);
    }
    int code = EXIT_OK;
    bool ok = !o.suite || op_suite_add(&a, o.suite, &e);
    if (ok)
        ok = o.stream ? stream_run(r, STDIN_FILENO, STDOUT_FILENO, level, o.fresh, &e)
                      : judge_file(r, &a, rest.at[0], level, &o, &code, &e);
    if (!ok) code = cmd_fail("referee", &e);
    arena_free(&a);
    referee_close(r);
    return code;
}
