#include <stdio.h>

#include "base/clock.h"
#include "base/io.h"
#include "base/progress.h"
#include "base/rng.h"
#include "cmd/judging.h"
#include "smith/mint.h"

typedef struct {
    const char *smith, *dtype, *file, *state, *suite, *target;
    int count;
    Seed seed;
    Shape shape;
    bool json;
} MintOptions;

typedef struct {
    Progress bar;
    const char *stage;
} Shown;

static void show(void *arg, const char *stage, int done, int total) {
    Shown *s = arg;
    if (s->stage != stage) {
        if (s->stage) progress_end(&s->bar);
        progress_start(&s->bar, stage, (size_t)total);
        s->stage = stage;
    }
    progress_step(&s->bar, (size_t)done, NULL);
}

static void put_mint_json(Buf *out, const Op *op, const Smith *smith, const MintResult *m, double ms) {
    json_t *best = json_null();
    if (m->found) {
        Buf v = BUF(out->arena);
        verdict_json(&v, &m->verdict, NULL, NULL);
        best = json_pack("{s:s%, s:o}", "source", m->best.source.p, m->best.source.len, "verdict",
                         json_loadb(v.p, v.len, 0, NULL));
    }
    json_put(out,
             json_pack("{s:s%, s:s, s:i, s:i, s:i, s:i, s:o, s:{s:s, s:f}, s:f}", "op", op->name.p,
                       op->name.len, "smith", smith->name, "proposed", m->proposed, "distinct", m->distinct,
                       "judged", m->judged, "accepted", m->accepted, "best", best, "rank_model", "target",
                       m->target->name, "estimate_us", m->estimate_us, "elapsed_ms", ms));
    buf_putc(out, '\n');
}

// The kernel with its evidence as comments: a file that can be kept as it is.
static void put_kernel(Buf *out, const Op *op, const Smith *smith, const MintResult *m) {
    buf_str_put(out, m->best.source);
    if (m->best.source.len && m->best.source.p[m->best.source.len - 1] != '\n') buf_putc(out, '\n');
    buf_printf(out, "\n# Minted by ouroboros %s for %.*s: %s\n", REFEREE_VERSION, STR_ARG(op->name),
               m->best.schedule);
    buf_printf(out,
               "# smith %s: %d proposed, %d distinct, %d judged, %d accepted at quick; this one was judged "
               "again at full\n",
               smith->name, m->proposed, m->distinct, m->judged, m->accepted);
    buf_printf(
        out,
        "# rank model (not a timing), target %s: %.1f us at %lldx%lld with %d-byte floats; the lowest of "
        "those accepted\n",
        m->target->name, m->estimate_us, (long long)m->ranked_at.rows, (long long)m->ranked_at.row,
        m->ranked_at.elem_bytes);
    verdict_text(out, &m->verdict, "# ");
}

static int explain_nothing(const Op *op, const MintResult *m) {
    fprintf(stderr, "ouroboros mint: none of %d kernels for %.*s was accepted\n", m->judged,
            STR_ARG(op->name));
    bool undecided = m->judged > 0;
    for (int i = 0; i < m->judged; i++) {
        undecided &= status_class(m->quick[i].status) == CLASS_UNDECIDED;
        if (i < 3)
            fprintf(stderr, "  %s: %s: %s\n", m->proposal[i].schedule, status_name(m->quick[i].status),
                    m->quick[i].feedback);
    }
    return undecided ? EXIT_UNDECIDED : EXIT_REJECTED;
}

static bool mint(Referee *r, Arena *a, const char *text, const MintOptions *o, int *code, Err *e) {
    double t0 = clock_seconds();
    Op op;
    Smith *smith;
    MintRequest q = {.ask = {.m = o->shape.m, .n = o->shape.n, .count = o->count, .seed = o->seed.value}};
    if (!target_by_name(o->target, &q.target, e)) return false;
    if (o->suite && !op_suite_add(a, o->suite, e)) return false;
    if (!op_for_judging(r, a, text, &op, e) || !smith_open(a, o->smith, &smith, e)) return false;
    if (!o->shape.m) op_usual_shape(&op, &q.ask.m, &q.ask.n);
    if (!filter_of(&o->shape, o->dtype, &q.filter, e)) return false;
    if (!o->seed.given && !rng_entropy(&q.ask.seed, sizeof q.ask.seed, e)) return false;
    Shown shown = {0};
    q.op = &op;
    q.smith = smith;
    q.progress = show;
    q.progress_arg = &shown;
    MintResult m;
    bool ok = mint_run(r, a, &q, &m, e);
    if (shown.stage) progress_end(&shown.bar);
    if (!ok) return false;
    Buf kernel = BUF(a), out = BUF(a);
    if (m.found) put_kernel(&kernel, &op, smith, &m);
    if (m.found && o->file && !io_write_atomic(o->file, buf_str(&kernel), e)) return false;
    if (o->json)
        put_mint_json(&out, &op, smith, &m, 1e3 * (clock_seconds() - t0));
    else if (!o->file)
        out = kernel;
    fwrite(out.p, 1, out.len, stdout);
    if (m.found && o->file) fprintf(stderr, "written to %s\n", o->file);
    *code = m.found ? EXIT_OK : explain_nothing(&op, &m);
    return true;
}

int cmd_mint(int argc, char **argv) {
    MintOptions o = {.smith = "grammar", .count = 16, .target = RANK_TARGET};
    const Option options[] = {
        {"--smith", OPTION_TEXT, &o.smith}, {"-n", OPTION_COUNT, &o.count},
        {"--seed", OPTION_SEED, &o.seed},   {"--shape", OPTION_SHAPE, &o.shape},
        {"--dtype", OPTION_TEXT, &o.dtype}, {"-o", OPTION_TEXT, &o.file},
        {"--state", OPTION_TEXT, &o.state}, {"--json", OPTION_FLAG, &o.json},
        {"--suite", OPTION_TEXT, &o.suite}, {"--target", OPTION_TEXT, &o.target},
    };
    Positionals rest;
    Err e = {0};
    if (!options_parse(argc, argv, options, sizeof options / sizeof *options, &rest, &e))
        return cmd_fail("mint", &e);
    if (rest.n != 1) return cmd_usage("mint", "name one op");
    Referee *r;
    RefereeConfig config = {.state = o.state};
    if (!referee_open(&config, &r, &e)) return cmd_fail("mint", &e);
    Arena a = {0};
    int code = EXIT_WORLD;
    if (!mint(r, &a, rest.at[0], &o, &code, &e)) code = cmd_fail("mint", &e);
    arena_free(&a);
    referee_close(r);
    return code;
}
