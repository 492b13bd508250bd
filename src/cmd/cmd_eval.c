// eval: how many of a smith's drafts does the referee accept? n drafts for each op, judged, counted as
// pass@k.
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/io.h"
#include "base/numeric/rng.h"
#include "base/progress.h"
#include "cmd/judging.h"
#include "mint/ledger.h"
#include "mint/pass_at_k.h"
#include "op/suite.h"
#include "propose/smith_kind.h"

enum { KS_MAX = 8, OPS_MAX = 4096, INTERVAL_SEED = 1 };

typedef struct {
    SmithChoice choice;
    const char *ops, *k, *dtype, *file, *state, *suite, *level;
    int count;
    Seed seed;
    Shape shape;
    bool json, resume;
} EvalOptions;

typedef struct {
    Op op;
    const char *refused; // why the smith cannot be asked about it; NULL: it can
    int n, accepted, undecided;
    long tokens;
    int status[STATUS_COUNT];
    double pass[KS_MAX];
} Row;

typedef struct {
    Referee *referee;
    Arena *a;
    const EvalOptions *o;
    ChosenSmith chosen;
    DrawFilter filter;
    Level level;
    uint64_t seed;
    int k[KS_MAX], ks;
    Row *row;
    int rows;
    Ledger *ledger;
    Progress bar;
    int before;      // drafts that were there when this op was begun
    const Op *op;    // being drafted
    Err write_error; // of the ledger
    Err smith_error; // which ended it
} Eval;

// ---- which ops, which k ----

static bool add_op(Eval *v, const Op *op, Err *e) {
    for (int i = 0; i < v->rows; i++)
        if (str_eq(v->row[i].op.name, op->name)) return true;
    if (v->rows == OPS_MAX) return err_set(e, ERR_USAGE, "--ops: more than %d ops", OPS_MAX);
    v->row[v->rows++].op = *op;
    return true;
}

static bool add_matching(Eval *v, const char *glob, Err *e) {
    int n, before = v->rows;
    const Str *names = op_names(v->a, &n);
    for (int i = 0; i < n; i++) {
        Op op;
        if (fnmatch(glob, str_cdup(v->a, names[i]), 0) == 0 && op_find(v->a, names[i], &op) &&
            !add_op(v, &op, e))
            return false;
    }
    return v->rows > before || err_set(e, ERR_USAGE, "--ops: no new op is called like '%s'", glob);
}

static bool add_ops(Eval *v, Str set, int depth, Err *e);

static bool add_item(Eval *v, const char *item, int depth, Err *e) {
    if (strcmp(item, "all") == 0) return add_matching(v, "*", e);
    if (strpbrk(item, "*?[")) return add_matching(v, item, e);
    if (item[0] == '@') {
        Str text;
        if (depth) return err_set(e, ERR_USAGE, "%s: files of ops do not name further files", item);
        return io_read(v->a, item + 1, 1 << 20, &text, e) && add_ops(v, text, 1, e);
    }
    Op op;
    return op_for_judging(v->referee, v->a, item, &op, e) && add_op(v, &op, e);
}

// Items between commas and newlines; behind '#' a comment.
static bool add_ops(Eval *v, Str set, int depth, Err *e) {
    for (Str line; str_piece(&set, '\n', &line);) {
        const char *comment = line.len ? memchr(line.p, '#', line.len) : NULL;
        if (comment) line.len = (size_t)(comment - line.p);
        for (Str item; str_piece(&line, ',', &item);)
            if (item.len && !add_item(v, str_cdup(v->a, item), depth, e)) return false;
    }
    return true;
}

static bool read_ks(Eval *v, Err *e) {
    static const int usual[] = {1, 5, 10, 20};
    if (!v->o->k) {
        for (int i = 0; i < 4; i++)
            if (usual[i] <= v->o->count) v->k[v->ks++] = usual[i];
        return true;
    }
    for (const char *at = v->o->k; *at;) {
        char *end;
        long k = *at >= '0' && *at <= '9' ? strtol(at, &end, 10) : 0;
        if (k < 1 || k > v->o->count || v->ks == KS_MAX || (*end && *end != ',') || (*end && !end[1]))
            return err_set(e, ERR_USAGE,
                           "--k is up to %d numbers from 1 to n (%d), such as 1,5,10, not \"%s\"", KS_MAX,
                           v->o->count, v->o->k);
        v->k[v->ks++] = (int)k;
        at = *end ? end + 1 : end;
    }
    return v->ks > 0 || err_set(e, ERR_USAGE, "--k needs a number");
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
    return json_pack("{s:s, s:s*, s:s?, s:s*, s:s*, s:o, s:o, s:I, s:s, s:I, s:I, s:s?, s:s}", "smith",
                     v->chosen.smith->name, "weights", identify ? weights : NULL, "adapter",
                     said(v, o->choice.adapter), "chat_family", o->choice.chat, "kv", o->choice.kv, "model",
                     model, "stop", stops, "seed", (json_int_t)v->seed, "level", level_name(v->level), "rows",
                     (json_int_t)v->filter.m, "columns", (json_int_t)v->filter.n, "dtype", o->dtype,
                     "referee", OUROBOROS_VERSION);
}

static bool told(void *arg, const AttemptTally *tally, const Attempt *t) {
    Eval *v = arg;
    if (t && !ledger_put(v->ledger, v->op, t, &v->write_error)) return false;
    char note[64];
    tally_note(note, sizeof note, tally);
    progress_step(&v->bar, (size_t)(v->before + tally->judged), note);
    return true;
}

static bool draft_range(Eval *v, Row *row, int first, int count, Err *e) {
    AttemptRequest q = {.referee = v->referee,
                        .op = &row->op,
                        .smith = v->chosen.smith,
                        .profile = &v->chosen.profile,
                        .ask = {.m = v->o->shape.m,
                                .n = v->o->shape.n,
                                .seed = v->seed,
                                .first = first,
                                .count = count,
                                .settings = v->chosen.settings},
                        .filter = v->filter,
                        .level = v->level,
                        .interrupted = interrupts_seen,
                        .told = told,
                        .arg = v};
    if (!q.ask.m) op_usual_shape(&row->op, &q.ask.m, &q.ask.n);
    v->op = &row->op;
    Arena a = {0};
    AttemptResult got;
    bool ok = attempts_run(&a, &q, &got, e);
    bool beyond = got.smith_error.code == ERR_INPUT || got.smith_error.code == ERR_LIMIT;
    if (ok && beyond && got.count == 0)
        row->refused = arena_printf(v->a, "%s", got.smith_error.msg);
    else if (ok && got.smith_error.code)
        v->smith_error = got.smith_error;
    arena_free(&a);
    if (ok && v->write_error.code) {
        *e = v->write_error;
        return false;
    }
    return ok && ledger_sync(v->ledger, e);
}

// What the file holds of this op has to be of this definition and this prompt.
static bool known_drafts(Eval *v, const Row *row, bool *there, Err *e) {
    char definition[65];
    Prompt prompt = {0};
    sha256_hex(row->op.hash, definition);
    if (v->chosen.smith->takes_prompt &&
        !prompt_make(v->a, &v->chosen.profile, &row->op, (Str){0}, (Str){0}, &prompt, e))
        return false;
    int n;
    const LedgerDraft *d = ledger_drafts(v->ledger, &n);
    for (int i = 0; i < n; i++) {
        if (!str_eq(d[i].op, row->op.name)) continue;
        if (strcmp(d[i].definition, definition) != 0 || strcmp(d[i].prompt, prompt.sha256) != 0)
            return err_set(e, ERR_INPUT, "the %s of %.*s has changed since the file was begun",
                           strcmp(d[i].definition, definition) != 0 ? "definition" : "prompt",
                           STR_ARG(row->op.name));
        if (d[i].index < v->o->count) there[d[i].index] = true;
    }
    return true;
}

static bool draft_op(Eval *v, Row *row, Err *e) {
    int n = v->o->count;
    bool *there = NEWN(v->a, bool, (size_t)n + 1);
    if (!known_drafts(v, row, there, e)) return false;
    for (int i = 0; i < n; i++) v->before += there[i], v->bar.before += there[i];
    for (int i = 0; i < n && !v->smith_error.code && !row->refused && !interrupts_seen(NULL);) {
        int end = i;
        while (end < n && !there[end]) end++;
        if (end > i && !draft_range(v, row, i, end - i, e)) return false;
        v->before += end - i;
        i = end > i ? end : i + 1;
    }
    return true;
}

// ---- counting ----

static void count_rows(Eval *v) {
    int n;
    const LedgerDraft *d = ledger_drafts(v->ledger, &n);
    for (int r = 0; r < v->rows; r++) {
        Row *row = &v->row[r];
        for (int i = 0; i < n; i++) {
            if (d[i].index >= v->o->count || !str_eq(d[i].op, row->op.name)) continue;
            row->n++;
            row->status[d[i].status]++;
            row->accepted += status_class(d[i].status) == CLASS_ACCEPTED;
            row->undecided += status_class(d[i].status) == CLASS_UNDECIDED;
            row->tokens += d[i].tokens;
        }
        for (int k = 0; k < v->ks; k++)
            row->pass[k] = pass_at_k(row->n - row->undecided, row->accepted, v->k[k]);
    }
}

// Over the ops that have a decided draft, and those that the smith refused: nothing passes there.
static PassInterval over_ops(Eval *v, int k, int *ops) {
    double *estimate = NEWN(v->a, double, (size_t)v->rows + 1);
    *ops = 0;
    for (int i = 0; i < v->rows; i++)
        if (v->row[i].n > v->row[i].undecided || v->row[i].refused) estimate[(*ops)++] = v->row[i].pass[k];
    return pass_interval(v->a, estimate, *ops, INTERVAL_SEED);
}

static bool is_complete(const Eval *v) {
    if (v->smith_error.code) return false;
    for (int i = 0; i < v->rows; i++) // a smith that is no model may have no more ideas
        if (!v->row[i].refused && v->row[i].n < v->o->count && v->chosen.smith->takes_prompt) return false;
    return !interrupts_seen(NULL);
}

static json_t *statuses_json(const int count[STATUS_COUNT]) {
    json_t *o = json_object();
    for (int i = 0; i < STATUS_COUNT; i++)
        if (count[i]) json_object_set_new(o, status_name((Status)i), json_integer(count[i]));
    return o;
}

static void put_json(Eval *v, Buf *out, const char *file, json_t *settings, double ms) {
    json_t *ops = json_array(), *pass = json_object();
    int sum[STATUS_COUNT] = {0}, drafts = 0, accepted = 0;
    long tokens = 0;
    for (int i = 0; i < v->rows; i++) {
        const Row *row = &v->row[i];
        json_t *by_k = json_object();
        for (int k = 0; k < v->ks; k++)
            json_object_set_new(by_k, arena_printf(v->a, "%d", v->k[k]), json_real(row->pass[k]));
        json_array_append_new(ops,
                              json_pack("{s:s%, s:i, s:i, s:i, s:o, s:o, s:I, s:s?}", "op", row->op.name.p,
                                        row->op.name.len, "n", row->n, "accepted", row->accepted, "undecided",
                                        row->undecided, "pass", by_k, "statuses", statuses_json(row->status),
                                        "tokens", (json_int_t)row->tokens, "refused", row->refused));
        for (int k = 0; k < STATUS_COUNT; k++) sum[k] += row->status[k];
        drafts += row->n;
        accepted += row->accepted;
        tokens += row->tokens;
    }
    for (int k = 0; k < v->ks; k++) {
        int n;
        PassInterval p = over_ops(v, k, &n);
        json_object_set_new(
            pass, arena_printf(v->a, "%d", v->k[k]),
            json_pack("{s:f, s:f, s:f, s:i}", "mean", p.mean, "low", p.low, "high", p.high, "ops", n));
    }
    json_put(out, json_pack("{s:s, s:i, s:O, s:o, s:o, s:i, s:i, s:o, s:I, s:b, s:s, s:f}", "smith",
                            v->chosen.smith->name, "n", v->o->count, "settings", settings, "pass", pass,
                            "ops", ops, "drafts", drafts, "accepted", accepted, "statuses",
                            statuses_json(sum), "tokens", (json_int_t)tokens, "complete", is_complete(v),
                            "file", said(v, file), "elapsed_ms", ms));
    buf_putc(out, '\n');
}

static void put_table(Eval *v, Buf *out) {
    int width = 8, ops;
    for (int i = 0; i < v->rows; i++)
        if ((int)v->row[i].op.name.len > width) width = (int)v->row[i].op.name.len;
    buf_printf(out, "%-*s %6s %6s", width, "op", "drafts", "ok");
    for (int k = 0; k < v->ks; k++) buf_printf(out, "  pass@%-3d", v->k[k]);
    buf_puts(out, "\n");
    for (int i = 0; i < v->rows; i++) {
        const Row *row = &v->row[i];
        buf_printf(out, "%-*.*s %6d %6d", width, STR_ARG(row->op.name), row->n, row->accepted);
        for (int k = 0; k < v->ks; k++) buf_printf(out, "  %-8.3f", row->pass[k]);
        if (row->refused) buf_printf(out, " refused: %s", row->refused);
        for (int s = 0; s < STATUS_COUNT; s++)
            if (row->status[s] && s != STATUS_ok)
                buf_printf(out, " %s %d", status_name((Status)s), row->status[s]);
        buf_puts(out, "\n");
    }
    for (int k = 0; k < v->ks; k++) {
        PassInterval p = over_ops(v, k, &ops);
        buf_printf(out, "pass@%-3d %.3f  (95 %% by bootstrap over %d ops: %.3f to %.3f)\n", v->k[k], p.mean,
                   ops, p.low, p.high);
    }
    if (!is_complete(v)) buf_puts(out, "not complete: --resume goes on\n");
}

// ---- the verb ----

static const char *file_of(Eval *v, Err *e) {
    if (v->o->file) return v->o->file;
    const char *dir = arena_printf(v->a, "%s/eval", referee_state(v->referee));
    if (!io_make_dirs(dir, e)) return NULL;
    return arena_printf(v->a, "%s/%016llx.jsonl", dir, (unsigned long long)v->seed);
}

static bool evaluate(Eval *v, int *code, Err *e) {
    const EvalOptions *o = v->o;
    double t0 = clock_seconds();
    if (!filter_of(&o->shape, o->dtype, &v->filter, e) || !read_ks(v, e)) return false;
    if (!level_by_name(str_of(o->level), &v->level))
        return err_set(e, ERR_USAGE, "--level is quick or full, not \"%s\"", o->level);
    if (o->suite && !op_suite_add(v->a, o->suite, e)) return false;
    if (!add_ops(v, str_of(o->ops), 0, e)) return false;
    if (!v->rows) return err_set(e, ERR_USAGE, "--ops names no op");
    if (o->seed.given)
        v->seed = o->seed.value;
    else if ((!o->resume || !ledger_seed(o->file, &v->seed)) && !rng_entropy(&v->seed, sizeof v->seed, e))
        return false;
    v->seed &= INT64_MAX; // JSON's integers are signed
    const char *file = file_of(v, e);
    json_t *settings = settings_of(v);
    bool ok = file && ledger_open(file, settings, o->resume, &v->ledger, e);
    if (ok && !o->file) fprintf(stderr, "drafts are kept in %s\n", file);
    interrupts_catch();
    progress_start(&v->bar, "drafts", (size_t)v->rows * (size_t)o->count);
    for (int i = 0; ok && i < v->rows && !v->smith_error.code && !interrupts_seen(NULL); i++)
        ok = draft_op(v, &v->row[i], e);
    progress_end(&v->bar);
    if (ok) {
        count_rows(v);
        Buf out = BUF(v->a);
        if (o->json)
            put_json(v, &out, file, settings, 1e3 * (clock_seconds() - t0));
        else
            put_table(v, &out);
        fwrite(out.p, 1, out.len, stdout);
        int drafts = 0, accepted = 0, undecided = 0;
        for (int i = 0; i < v->rows; i++) {
            drafts += v->row[i].n;
            accepted += v->row[i].accepted;
            undecided += v->row[i].undecided;
        }
        *code = accepted ? EXIT_OK : drafts && undecided == drafts ? EXIT_UNDECIDED : EXIT_REJECTED;
    }
    if (ok && v->smith_error.code) {
        *e = v->smith_error;
        ok = err_ctx(e, "stopped early (--resume goes on)");
    }
    ledger_close(v->ledger);
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
    };
    Positionals rest;
    Err e = {0};
    if (!options_parse("eval", argc, argv, options, sizeof options / sizeof *options, &rest, &e))
        return cmd_fail("eval", &e);
    if (!o.ops) return cmd_usage("eval", "--ops is missing: names, globs, all or @FILE");
    if (o.resume && !o.file) return cmd_usage("eval", "--resume needs -o FILE");
    Referee *r;
    RefereeConfig config = {.state = o.state};
    if (!referee_open(&config, &r, &e)) return cmd_fail("eval", &e);
    Arena a = {0};
    Eval v = {.referee = r, .a = &a, .o = &o, .row = NEWN(&a, Row, OPS_MAX)};
    int code = EXIT_WORLD;
    bool ok = smith_chosen(&a, &o.choice, &v.chosen, &e);
    if (ok) {
        ok = evaluate(&v, &code, &e);
        smith_close(v.chosen.smith);
    }
    if (!ok) code = cmd_fail("eval", &e);
    arena_free(&a);
    referee_close(r);
    return code;
}
