#include <math.h>
#include <stdio.h>

#include "base/json.h"
#include "base/numeric/rng.h"
#include "cmd/shared/judging.h"
#include "cmd/shared/training.h"
#include "propose/extract.h"
#include "propose/local.h"
#include "train/sft.h"

typedef struct {
    TrainedChoice choice;
    const char *run, *schedule, *kv, *gate, *learn, *state;
    Number rate, alpha, decay, clip, beta2, floor, held, enough, temperature;
    Seed seed;
    int epochs, steps, batch, micro, warmup, evaluate, save, keep, patience, gate_every, samples, max_tokens,
        jobs;
    bool recompute, resume, json;
} SftOptions;

// What is told while it goes, and who judges.
typedef struct {
    const SftOptions *o;
    Service *service; // NULL: no gate
    Op *op;           // [ops]
    const Str *name;  // of op i, as the data has it
    int ops;
    Progress bar;
    double validity; // of the last gate; negative: none yet
    bool started;
} Told;

// ---- the gate: the judging service says which replies are right

static const Op *op_of(const Told *t, Str name) {
    for (int i = 0; i < t->ops; i++)
        if (str_eq(t->name[i], name)) return &t->op[i];
    return NULL;
}

static bool judge(void *arg, Str name, const GateReply *reply, int n, GateVerdict *out, Err *e) {
    const Told *t = arg;
    const Op *op = op_of(t, name);
    Arena a = {0};
    Submission *q = NEWN(&a, Submission, (size_t)n);
    Verdict *verdict = NEWN(&a, Verdict, (size_t)n);
    int *of = NEWN(&a, int, (size_t)n), asked = 0;
    for (int i = 0; i < n; i++) {
        Str source;
        Extraction x = extract_kernel(reply[i].text, reply[i].cut, &source);
        out[i] = (GateVerdict){false, x == EXTRACT_TRUNCATED ? "truncated" : "no_kernel"};
        if (x != EXTRACT_KERNEL) continue;
        q[asked] = (Submission){.op = op, .level = LEVEL_QUICK, .filter = {.dtype = -1}, .source = source};
        of[asked++] = i;
    }
    bool ok = true;
    for (int at = 0, k; ok && at < asked; at += k) {
        k = asked - at < DRAW_SHARE_MAX ? asked - at : DRAW_SHARE_MAX;
        ok = service_judge(t->service, &a, q + at, k, verdict + at, e);
    }
    for (int i = 0; ok && i < asked; i++)
        out[of[i]] = (GateVerdict){verdict_accepted(&verdict[i]), status_name(verdict[i].decision.status)};
    arena_free(&a);
    return ok;
}

// Which groups of the data are asked for: their names with commas between, or all of them.
static bool gate_groups(Arena *a, const char *said, const Documents *d, GateAsk **ask, int *n, Err *e) {
    *ask = NEWN(a, GateAsk, GATE_ASKS_MAX);
    *n = 0;
    for (int i = 0; i < d->groups; i++) {
        bool named = strcmp(said, "all") == 0;
        const char *at = said;
        for (const char *end; *at && !named; at = *end ? end + 1 : end) {
            end = at + strcspn(at, ",");
            named = str_eq((Str){at, (size_t)(end - at)}, d->group[i].name);
        }
        if (!named) continue;
        if (*n == GATE_ASKS_MAX)
            return err_set(e, ERR_LIMIT, "--gate asks for at most %d ops", GATE_ASKS_MAX);
        const Document *f = &d->group[i].first;
        (*ask)[(*n)++] = (GateAsk){d->group[i].name, {(int32_t *)(uintptr_t)f->token, f->prompt}};
    }
    return *n || err_set(e, ERR_USAGE, "--gate %s: no line of the data has such an \"op\"", said);
}

static bool gate_open(Arena *a, Told *t, const Trained *m, const Documents *d, Gate *g, Err *e) {
    GateAsk *ask;
    int n;
    if (!gate_groups(a, t->o->gate, d, &ask, &n, e)) return false;
    const DomainAsked usual = {0};
    Str *name = NEWN(a, Str, (size_t)n);
    t->op = NEWN(a, Op, (size_t)n);
    t->name = name;
    for (; t->ops < n; t->ops++) {
        name[t->ops] = ask[t->ops].name;
        if (!service_op(t->service, a, str_cdup(a, name[t->ops]), &usual, &t->op[t->ops], e)) return false;
    }
    *g = (Gate){.ask = ask,
                .asks = n,
                .samples = t->o->samples,
                .temperature = {t->o->temperature.value},
                .temperatures = 1,
                .max_tokens = t->o->max_tokens,
                .enough = t->o->enough.value,
                .end = m->end,
                .judge = judge,
                .arg = t};
    return true;
}

// ---- what is told

static void show_step(void *arg, const StepRecord *s, int64_t steps) {
    Told *t = arg;
    char note[80];
    int n = snprintf(note, sizeof note, "loss %.3f  rate %.1e  %.0f tok/s", s->loss, s->rate,
                     s->tokens_per_second);
    if (t->validity >= 0)
        snprintf(note + n, sizeof note - (size_t)n, "  accepted %.0f %%", 100 * t->validity);
    if (!t->started) {
        progress_start(&t->bar, "step", (size_t)steps);
        t->bar.before = (size_t)s->step - 1;
        t->started = true;
    }
    progress_step(&t->bar, (size_t)s->step, note);
}
static void show_evaluation(void *arg, int64_t step, double loss) {
    Told *t = arg;
    char text[96];
    snprintf(text, sizeof text, "step %lld: loss %.4f on held-out documents", (long long)step, loss);
    notice(&t->bar, "train sft", text);
}
static void show_gate(void *arg, int64_t step, const GateResult *g) {
    Told *t = arg;
    Arena a = {0};
    Buf text = BUF(&a);
    t->validity = g->samples ? (double)g->valid / g->samples : 0;
    buf_printf(&text, "step %lld: %d of %d samples are accepted", (long long)step, g->valid, g->samples);
    for (int i = 0; i < g->rows; i++) {
        const GateRow *row = &g->row[i];
        buf_printf(&text, "%s%.*s %d/%d", i ? ", " : ": ", STR_ARG(row->name), row->valid, row->samples);
        for (int k = 0; k < row->statuses; k++)
            buf_printf(&text, "%s%s %d", k ? ", " : " (", row->status[k], row->count[k]);
        if (row->statuses) buf_putc(&text, ')');
    }
    notice(&t->bar, "train sft", buf_cstr(&text));
    arena_free(&a);
}
static bool go_on(void *arg) {
    (void)arg;
    return !interrupts_seen(NULL);
}

static void put_result(const SftOptions *o, const SftResult *r) {
    static const char *const ends[] = {"done", "early", "valid", "stopped"};
    static const char *const words[] = {"all steps are done",
                                        "the loss on held-out documents no longer falls",
                                        "enough samples are accepted", "stopped; --resume goes on"};
    Arena a = {0};
    Buf out = BUF(&a);
    if (o->json) {
        json_put(&out, json_pack("{s:s, s:I, s:I, s:f, s:o, s:i, s:i, s:s}", "end", ends[r->end], "steps",
                                 (json_int_t)r->steps, "tokens", (json_int_t)r->tokens, "loss", r->loss,
                                 "held_loss", r->held_loss < 0 ? json_null() : json_real(r->held_loss),
                                 "documents", r->documents, "held", r->held, "checkpoint", r->checkpoint));
        buf_putc(&out, '\n');
    } else {
        buf_printf(&out, "%s: %lld steps, %lld tokens of %d documents, loss %.4f", r->checkpoint,
                   (long long)r->steps, (long long)r->tokens, r->documents, r->loss);
        if (r->held_loss >= 0) buf_printf(&out, ", %.4f on %d held out", r->held_loss, r->held);
        buf_printf(&out, "; %s\n", words[r->end]);
    }
    fwrite(out.p, 1, out.len, stdout);
    arena_free(&a);
}

// ---- a run

static bool documents_open(Arena *a, const SftOptions *o, const Trained *m, Documents *d, Err *e) {
    LinesTold told = {.verb = "train sft"};
    DocumentReader r = {m->tokenizer, m->chat, m->end, m->base->config.context, line_told, &told};
    if (o->choice.context && o->choice.context < r.context) r.context = o->choice.context;
    for (int i = 0; i < o->choice.data.n; i++) {
        told.path = o->choice.data.at[i];
        if (!documents_read(a, &r, told.path, d, e)) return false;
    }
    if (!d->count) return err_set(e, ERR_INPUT, "%s: no line can be used", o->choice.data.at[0]);
    if (d->bad)
        fprintf(stderr, "ouroboros train sft: %lld of %lld lines cannot be used and are left out\n",
                (long long)d->bad, (long long)d->lines);
    return true;
}

static bool plan_of(const SftOptions *o, const Trained *m, SftPlan *p, Err *e) {
    bool lora = o->choice.rank > 0;
    *p = (SftPlan){.base = m->base,
                   .tokenizer = m->tokenizer,
                   .run = o->run,
                   .schedule = {.rate = o->rate.given     ? o->rate.value
                                        : lora            ? 2e-4
                                        : o->choice.model ? 2e-5
                                                          : 1e-3,
                                .floor = o->floor.value,
                                .warmup = o->warmup,
                                .steps = o->steps},
                   .epochs = o->epochs,
                   .batch = o->batch,
                   .micro = o->micro,
                   .beta1 = 0.9,
                   .beta2 = o->beta2.value,
                   .eps = 1e-8,
                   .decay = o->decay.value,
                   .clip = o->clip.value,
                   .seed = o->choice.seed,
                   .whole = strcmp(o->learn, "all") == 0,
                   .held = o->held.value,
                   .evaluate_every = o->evaluate,
                   .save_every = o->save,
                   .gate_every = o->gate_every,
                   .keep = o->keep,
                   .patience = o->patience,
                   .resume = o->resume,
                   .stepped = show_step,
                   .evaluated = show_evaluation,
                   .judged = show_gate,
                   .wanted = go_on};
    return schedule_named(o->schedule, &p->schedule.kind, e) && local_model_kv(o->kv, &p->kv, e);
}

static bool train_with(Arena *a, Told *t, const Trained *m, Err *e) {
    const SftOptions *o = t->o;
    Documents d = {0};
    SftPlan plan;
    Gate gate;
    SftResult result;
    if (!plan_of(o, m, &plan, e) || !documents_open(a, o, m, &d, e)) return false;
    plan.documents = &d;
    plan.arg = t;
    if (t->service && !gate_open(a, t, m, &d, &gate, e)) return false;
    if (t->service) plan.gate = &gate;
    Pool *pool = pool_open(o->jobs);
    EngineChoice choice = {m->base, m->parameters, pool, plan.kv, o->recompute};
    bool ok = cpu_engine_open(a, &choice, &plan.engine, e);
    if (ok) {
        interrupts_catch();
        ok = sft_run(a, &plan, &result, e);
        if (t->started) progress_end(&t->bar);
        plan.engine->table->close(plan.engine);
    }
    pool_close(pool);
    if (ok) put_result(o, &result);
    return ok;
}

static bool train(Referee *r, Arena *a, const SftOptions *o, Err *e) {
    Told t = {.o = o, .validity = -1};
    Trained m;
    if (!trained_open(a, &o->choice, &m, e)) return false;
    bool ok = (!r || service_open(r, &(ServiceConfig){0}, &t.service, e)) && train_with(a, &t, &m, e);
    service_close(t.service);
    trained_close(&m);
    return ok;
}

static const char *wrong(const SftOptions *o) {
    if (!o->run) return "-o is missing: the folder of the run";
    if (!o->choice.data.n) return "--data is missing: JSON Lines";
    if (!o->choice.model == !o->choice.fresh.m) return "either --model or --fresh LAYERSxWIDTH";
    if (o->choice.fresh.m && (o->choice.rank || o->choice.adapter))
        return "--lora and --adapter go with --model";
    if (o->choice.adapter && !o->choice.rank) return "--adapter goes with --lora";
    if (o->choice.fresh.m && !o->choice.tokenizer && o->choice.data.n &&
        strcmp(o->choice.data.at[0], "-") == 0)
        return "a vocabulary and a model need the data twice: name a file, or give --tokenizer";
    if (o->choice.profile && !o->choice.fresh.m) return "--profile goes with --fresh";
    if (o->held.value > 0.9) return "--hold-out is a share of at most 0.9";
    if (o->enough.value > 1) return "--enough is a share of at most 1";
    if (o->beta2.value >= 1) return "--beta2 is below 1";
    if (o->floor.value > 1) return "--floor is a share of the rate, at most 1";
    return NULL;
}

int cmd_train_sft(int argc, char **argv) {
    SftOptions o = {.choice = {.vocab = 2048, .context = 0},
                    .schedule = "cosine",
                    .learn = "completion",
                    .decay = {.value = 0.01},
                    .clip = {.value = 1},
                    .beta2 = {.value = 0.95},
                    .floor = {.value = 0.1},
                    .held = {.value = 0.02},
                    .enough = {.value = 0.8},
                    .temperature = {.value = 0.3},
                    .epochs = 1,
                    .batch = 8192,
                    .micro = 8192,
                    .warmup = 10,
                    .evaluate = 100,
                    .save = 100,
                    .keep = 2,
                    .gate_every = 100,
                    .samples = 8,
                    .max_tokens = 1024};
    const Option options[] = {
        {"--model", OPTION_TEXT, &o.choice.model},
        {"--fresh", OPTION_SHAPE, &o.choice.fresh},
        {"--tokenizer", OPTION_TEXT, &o.choice.tokenizer},
        {"--profile", OPTION_TEXT, &o.choice.profile},
        {"--vocab", OPTION_COUNT, &o.choice.vocab},
        {"--context", OPTION_COUNT, &o.choice.context},
        {"--chat-family", OPTION_TEXT, &o.choice.chat},
        {"--data", OPTION_TEXTS, &o.choice.data},
        {"--lora", OPTION_COUNT, &o.choice.rank},
        {"--alpha", OPTION_NUMBER, &o.alpha},
        {"--adapter", OPTION_TEXT, &o.choice.adapter},
        {"--learn", OPTION_TEXT, &o.learn},
        {"--hold-out", OPTION_NUMBER, &o.held},
        {"--epochs", OPTION_COUNT, &o.epochs},
        {"--steps", OPTION_COUNT, &o.steps},
        {"--batch", OPTION_COUNT, &o.batch},
        {"--micro", OPTION_COUNT, &o.micro},
        {"--rate", OPTION_NUMBER, &o.rate},
        {"--schedule", OPTION_TEXT, &o.schedule},
        {"--warmup", OPTION_COUNT, &o.warmup},
        {"--floor", OPTION_NUMBER, &o.floor},
        {"--decay", OPTION_NUMBER, &o.decay},
        {"--clip", OPTION_NUMBER, &o.clip},
        {"--beta2", OPTION_NUMBER, &o.beta2},
        {"--seed", OPTION_SEED, &o.seed},
        {"--kv", OPTION_TEXT, &o.kv},
        {"--recompute", OPTION_FLAG, &o.recompute},
        {"--evaluate-every", OPTION_COUNT, &o.evaluate},
        {"--save-every", OPTION_COUNT, &o.save},
        {"--keep", OPTION_COUNT, &o.keep},
        {"--patience", OPTION_COUNT, &o.patience},
        {"--gate", OPTION_TEXT, &o.gate},
        {"--gate-every", OPTION_COUNT, &o.gate_every},
        {"--samples", OPTION_COUNT, &o.samples},
        {"--temperature", OPTION_NUMBER, &o.temperature},
        {"--max-tokens", OPTION_COUNT, &o.max_tokens},
        {"--enough", OPTION_NUMBER, &o.enough},
        {"--jobs", OPTION_COUNT, &o.jobs},
        {"-o", OPTION_TEXT, &o.run},
        {"--resume", OPTION_FLAG, &o.resume},
        {"--json", OPTION_FLAG, &o.json},
        {"--state", OPTION_TEXT, &o.state},
    };
    Positionals rest;
    Err e = {0};
    if (!options_parse(&(CommandLine){"train sft", argc, argv}, options, sizeof options / sizeof *options,
                       &rest, &e))
        return cmd_fail("train sft", &e);
    const char *why = wrong(&o);
    if (why) return cmd_usage("train sft", why);
    if (o.choice.fresh.m && !o.choice.context) o.choice.context = 1024;
    o.choice.alpha = o.alpha.given ? o.alpha.value : 2.0 * o.choice.rank;
    o.choice.seed = o.seed.value;
    Referee *r = NULL;
    RefereeConfig config = {.state = o.state, .jobs = o.jobs};
    if (o.gate && !referee_open(&config, &r, &e))
        return cmd_fail("train sft", &e); // before there are threads
    Arena a = {0};
    int code = train(r, &a, &o, &e) ? EXIT_OK : cmd_fail("train sft", &e);
    arena_free(&a);
    if (r) referee_close(r);
    return code;
}
