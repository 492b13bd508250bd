#include "train/sft.h"
#include "base/clock.h"
#include "base/io.h"
#include "base/numeric/rng.h"
#include "base/sha256.h"
#include <stdio.h>

typedef struct {
    const SftPlan *p;
    Arena *a;
    Packing train;
    const Document *held;
    int held_count;
    TrainState state;
    Record *record;
    Schedule schedule;
    SftResult *out;
    double started;
    int64_t tokens_before; // of earlier runs
} Sft;

// ---- what is held out: equal documents fall on the same side

static bool is_held(const SftPlan *p, const Document *d) {
    uint64_t h = str_hash((Str){(const char *)d->token, (size_t)d->count * sizeof *d->token});
    return (double)(rng_mix(p->seed, h) >> 11) * 0x1p-53 < p->held;
}

static bool documents_split(Sft *s, Err *e) {
    const Documents *d = s->p->documents;
    Document *train = NEWN(s->a, Document, (size_t)d->count), *held = NEWN(s->a, Document, (size_t)d->count);
    int n = 0;
    for (int i = 0; i < d->count; i++) {
        if (is_held(s->p, &d->at[i]))
            held[s->held_count++] = d->at[i];
        else
            train[n++] = d->at[i];
    }
    if (!n)
        return err_set(e, ERR_INPUT,
                       "there is no document to learn from: %d were read, %d of them are held out", d->count,
                       s->held_count);
    packing_open(s->a, &s->train, train, n, s->p->seed);
    s->train.whole = s->p->whole;
    s->held = held;
    s->out->documents = n;
    s->out->held = s->held_count;
    return true;
}

static int64_t steps_of(Sft *s) {
    if (s->p->schedule.steps) return s->p->schedule.steps;
    Packing count = s->train;
    int64_t steps = 0;
    int n;
    for (; count.epoch < s->p->epochs; steps++) packing_take(&count, s->p->batch, &n);
    s->train.ordered = -1; // the order is shared, and has another epoch's now
    return steps;
}

// ---- resuming

// Whatever the numbers of a step depend on.
static void plan_hash(const Sft *s, char out[65]) {
    Arena a = {0};
    Buf b = BUF(&a);
    const SftPlan *p = s->p;
    const Parameters *q = p->engine->parameters;
    buf_printf(&b, "%d %a %a %lld %lld %lld %lld %a %a %a %a %a %llu %d %a %d ", (int)s->schedule.kind,
               s->schedule.rate, s->schedule.floor, (long long)s->schedule.warmup,
               (long long)s->schedule.steps, (long long)p->batch, (long long)p->micro, p->beta1, p->beta2,
               p->eps, p->decay, p->clip, (unsigned long long)p->seed, p->whole, p->held, (int)p->kv);
    buf_printf(&b, "%d %a %zu ", q->rank, (double)q->alpha, q->numbers);
    for (int i = 0; i < s->train.count; i++) {
        const Document *d = &s->train.at[i];
        buf_printf(
            &b, "%llx ",
            (unsigned long long)str_hash((Str){(const char *)d->token, (size_t)d->count * sizeof *d->token}));
    }
    sha256_hex(sha256_of(buf_str(&b)), out);
    arena_free(&a);
}

static bool begin(Sft *s, Err *e) {
    const SftPlan *p = s->p;
    Str latest;
    char plan[65];
    plan_hash(s, plan);
    if (!io_make_dirs(p->run, e) || !training_latest(s->a, p->run, &latest, e)) return false;
    if (latest.len && !p->resume)
        return err_set(e, ERR_USAGE,
                       "%s: there is a run already; --resume goes on with it, another folder begins anew",
                       p->run);
    s->state = (TrainState){.seed = p->seed, .best = -1};
    if (latest.len) {
        if (!training_load(p->engine->parameters, latest.p, &s->state, e) ||
            !p->engine->table->write(p->engine, e))
            return false;
        if (strcmp(plan, s->state.plan) != 0)
            return err_set(e, ERR_USAGE,
                           "%s was begun with other options or other data: a run goes on only as it began",
                           p->run);
    }
    memcpy(s->state.plan, plan, sizeof plan);
    s->train.epoch = s->state.epoch;
    s->train.place = (int)s->state.place;
    if (s->state.place < 0 || s->state.place >= s->train.count)
        return err_set(e, ERR_INPUT, "%s: training.json is damaged", latest.p);
    s->tokens_before = s->state.tokens;
    s->started = clock_seconds();
    return record_open(s->a, p->run, s->state.step, &s->record, e);
}

// ---- one step

// Documents in pieces of at most `micro` tokens, one document at least.
static int piece_of(const Sft *s, const Packing *of, const int *document, int n) {
    int64_t sum = 0;
    int k = 0;
    for (; k < n; k++) {
        sum += of->at[document[k]].count;
        if (k && sum > s->p->micro) break;
    }
    return k;
}

static bool learn(Sft *s, StepRecord *told, Err *e) {
    const SftPlan *p = s->p;
    int n;
    const int *document = packing_take(&s->train, p->batch, &n);
    double learned = (double)packing_learned(&s->train, document, n);
    TrainSums sums = {0};
    for (int at = 0, k; at < n; at += k) {
        Arena a = {0};
        k = piece_of(s, &s->train, document + at, n - at);
        TrainBatch b = packing_batch(&a, &s->train, document + at, k);
        bool ok = p->engine->table->learn(p->engine, &b, (float)(1 / learned), &sums, e);
        arena_free(&a);
        if (!ok) return false;
    }
    s->state.step++;
    s->state.tokens += sums.tokens;
    s->state.epoch = s->train.epoch;
    s->state.place = s->train.place;
    told->step = s->state.step;
    told->tokens = s->state.tokens;
    told->rate = schedule_rate(&s->schedule, s->state.step);
    told->loss = sums.loss / learned;
    TrainUpdate u = {told->rate, p->beta1, p->beta2, p->eps, p->decay, p->clip, s->state.step};
    if (!p->engine->table->update(p->engine, &u, &told->norm, e)) return false;
    told->seconds = clock_seconds() - s->started;
    told->tokens_per_second = (double)(s->state.tokens - s->tokens_before) / told->seconds;
    s->out->loss = told->loss;
    if (p->stepped) p->stepped(p->arg, told, s->schedule.steps);
    return record_step(s->record, told, e);
}

// ---- now and then

static bool evaluate(Sft *s, Err *e) {
    const SftPlan *p = s->p;
    Packing held = {.at = s->held, .count = s->held_count, .whole = p->whole};
    Arena a = {0};
    int *all = NEWN(&a, int, (size_t)s->held_count);
    double loss = 0;
    bool ok = true;
    for (int i = 0; i < s->held_count; i++) all[i] = i;
    for (int at = 0, k; ok && at < s->held_count; at += k) {
        ArenaMark mark = arena_mark(&a);
        k = piece_of(s, &held, all + at, s->held_count - at);
        TrainBatch b = packing_batch(&a, &held, all + at, k);
        float *out = NEWN(&a, float, (size_t)b.count);
        ok = p->engine->table->logprobs(p->engine, &b, out, e);
        for (int i = 0; i < b.count; i++) loss -= (double)out[i];
        arena_reset(&a, mark);
    }
    loss /= (double)packing_learned(&held, all, s->held_count);
    arena_free(&a);
    if (!ok) return false;
    s->out->held_loss = loss;
    bool better = s->state.best < 0 || loss < s->state.best;
    s->state.without = better ? 0 : s->state.without + 1;
    if (better) s->state.best = loss;
    if (p->evaluated) p->evaluated(p->arg, s->state.step, loss);
    return record_evaluation(s->record, s->state.step, loss, e);
}

static bool judge(Sft *s, bool *enough, Err *e) {
    const SftPlan *p = s->p;
    Arena a = {0};
    GateResult g;
    GateRun r = {
        .engine = p->engine, .tokenizer = p->tokenizer, .kv = p->kv, .wanted = p->wanted, .arg = p->arg};
    r.seed = rng_mix(p->seed, (uint64_t)s->state.step);
    bool ok = p->engine->table->read(p->engine, e) && gate_run(&a, p->gate, &r, &g, e);
    if (ok && p->judged) p->judged(p->arg, s->state.step, &g);
    ok = ok && record_gate(s->record, s->state.step, &g, e);
    *enough = ok && g.enough;
    arena_free(&a);
    return ok;
}

static bool save(Sft *s, Err *e) {
    const SftPlan *p = s->p;
    SaveRequest q = {p->engine->parameters, p->base, p->run, s->state, p->keep};
    return p->engine->table->read(p->engine, e) && training_save(&q, e);
}

static bool due(int64_t step, int64_t every, bool last) { return every && (last || step % every == 0); }

static bool steps(Sft *s, Err *e) {
    const SftPlan *p = s->p;
    bool enough = false;
    while (s->state.step < s->schedule.steps) {
        StepRecord told;
        if (p->wanted && !p->wanted(p->arg)) {
            s->out->end = SFT_STOPPED;
            return true;
        }
        if (!learn(s, &told, e)) return false;
        bool last = s->state.step == s->schedule.steps;
        if (s->held_count && due(s->state.step, p->evaluate_every, last) && !evaluate(s, e)) return false;
        if (p->gate && due(s->state.step, p->gate_every, last) && !judge(s, &enough, e)) return false;
        if (due(s->state.step, p->save_every, last) && !save(s, e)) return false;
        if (enough) s->out->end = SFT_VALID;
        if (!enough && p->patience && s->state.without >= p->patience) s->out->end = SFT_EARLY;
        if (s->out->end != SFT_DONE) return true;
    }
    return true;
}

bool sft_run(Arena *a, const SftPlan *p, SftResult *out, Err *e) {
    Sft s = {.p = p, .a = a, .schedule = p->schedule, .out = out};
    *out = (SftResult){.held_loss = -1};
    if (!documents_split(&s, e)) return false;
    s.schedule.steps = steps_of(&s);
    bool ok = begin(&s, e) && steps(&s, e) && save(&s, e);
    record_close(s.record);
    out->steps = s.state.step;
    out->tokens = s.state.tokens;
    Str latest = {0};
    ok = ok && training_latest(a, p->run, &latest, e);
    out->checkpoint = latest.p;
    return ok;
}
