// Fine-tuning as a whole, on a handful of documents: it learns them, ends when it should, and goes on
// exactly.
#include "base/io.h"
#include "folders.h"
#include "text/bpe_train.h"
#include "train/sft.h"

typedef struct {
    Arena a;
    Tokenizer *tokenizer;
    Checkpoint *base;
    Documents documents;
    Parameters *p;
    Engine *engine;
    Pool *pool;
    const char *run;
    double loss[200];
    int64_t last, stop_at;
    int gates;
    double valid_from; // the judge's say: from this gate on
    Str first_reply;
} Tuned;

static Tuned tuned_open(const char *run) {
    Tuned t = {0};
    Err e = {0};
    Buf json = BUF(&t.a);
    int size;
    static const Str text = STR_INIT("one two three four five six"), end = STR_INIT("<|end|>");
    must(bpe_train(&(BpeTrain){&text, 1, 258, &end, 1}, &json, &size, &e), &e);
    t.base = NEW(&t.a, Checkpoint);
    *t.base = (Checkpoint){.path = "(made)", .config = tiny_config(ARCH_LLAMA)};
    t.base->vocabulary = (TokenizerSource){.name = "t", .json = buf_str(&json), .bos = -1, .add_bos = -1};
    t.base->config.vocab = size;
    t.base->config.eos[0] = 0;
    must(tokenizer_open(&t.a, &t.base->vocabulary, &t.tokenizer, &e), &e);
    DocumentReader r = {t.tokenizer, NULL, 0, 100, NULL, NULL};
    for (int i = 0; i < 12; i++) {
        const char *line = arena_printf(&t.a, "{\"op\":\"%c\",\"prompt\":\"%c:\",\"completion\":\"%d%d\"}",
                                        'a' + i % 2, 'a' + i % 2, i % 2, i % 2 + 4);
        must(documents_line(&t.a, &r, str_of(line), &t.documents, &e), &e);
    }
    t.p = parameters_lay(&t.a, &t.base->config, 0, 0, 0);
    parameters_draw(t.p, 3);
    t.pool = pool_open(1);
    must(cpu_engine_open(&t.a, &(EngineChoice){t.base, t.p, t.pool, KV_F16, false}, &t.engine, &e), &e);
    t.run = run ? run : folder_new(&t.a);
    t.stop_at = -1;
    return t;
}
static void tuned_close(Tuned *t) {
    t->engine->table->close(t->engine);
    pool_close(t->pool);
    tokenizer_close(t->tokenizer);
    arena_free(&t->a);
}

static void stepped(void *arg, const StepRecord *s, int64_t steps) {
    Tuned *t = arg;
    assert_true(s->step <= steps && steps < 200);
    t->loss[s->step] = s->loss;
    t->last = s->step;
}
static bool wanted(void *arg) {
    const Tuned *t = arg;
    return t->last != t->stop_at;
}
static bool judge(void *arg, Str name, const GateReply *reply, int n, GateVerdict *out, Err *e) {
    Tuned *t = arg;
    (void)e;
    if (!t->gates++) t->first_reply = str_dup(&t->a, reply[0].text);
    for (int i = 0; i < n; i++)
        out[i] = (GateVerdict){str_is(reply[i].text, str_is(name, "a") ? "04" : "15"), "said"};
    return true;
}

static SftPlan plan_of(Tuned *t) {
    return (SftPlan){.engine = t->engine,
                     .base = t->base,
                     .tokenizer = t->tokenizer,
                     .documents = &t->documents,
                     .kv = KV_F16,
                     .run = t->run,
                     .schedule = {SCHEDULE_constant, 1e-2, 0, 2, 60},
                     .batch = 30,
                     .micro = 12,
                     .beta1 = 0.9,
                     .beta2 = 0.95,
                     .eps = 1e-8,
                     .decay = 0.01,
                     .clip = 1,
                     .seed = 1,
                     .save_every = 5,
                     .keep = 2,
                     .stepped = stepped,
                     .wanted = wanted,
                     .arg = t};
}

static void it_learns_what_it_reads(void **state) {
    (void)state;
    Err e = {0};
    Tuned t = tuned_open(NULL);
    SftPlan p = plan_of(&t);
    SftResult r;
    must(sft_run(&t.a, &p, &r, &e), &e);
    assert_int_equal(r.end, SFT_DONE);
    assert_int_equal(r.steps, 60);
    assert_true(t.loss[1] > 5 && t.loss[60] < 0.1);
    Checkpoint *c; // what is left opens as a model
    must(checkpoint_open(&t.a, r.checkpoint, &c, &e), &e);
    checkpoint_close(c);
    folder_gone(t.run);
    tuned_close(&t);
}

// Ended after 23 steps, of which the last were not saved at a round number: the next ones are those of a run
// that was not.
static void it_goes_on_exactly(void **state) {
    (void)state;
    Err e = {0};
    SftResult r;
    Tuned whole = tuned_open(NULL), one = tuned_open(NULL);
    SftPlan p = plan_of(&whole);
    must(sft_run(&whole.a, &p, &r, &e), &e);
    one.stop_at = 23;
    p = plan_of(&one);
    must(sft_run(&one.a, &p, &r, &e), &e);
    assert_int_equal(r.end, SFT_STOPPED);
    Tuned two = tuned_open(one.run);
    p = plan_of(&two);
    assert_false(sft_run(&two.a, &p, &r, &e)); // not without being told
    assert_non_null(strstr(e.msg, "--resume"));
    e = (Err){0};
    p.resume = true;
    must(sft_run(&two.a, &p, &r, &e), &e);
    assert_memory_equal(whole.loss + 24, two.loss + 24, 37 * sizeof(double));
    assert_memory_equal(whole.p->value, two.p->value, two.p->numbers * sizeof(float));
    Tuned other = tuned_open(one.run);
    p = plan_of(&other);
    p.resume = true;
    p.seed = 2;
    assert_false(sft_run(&other.a, &p, &r, &e));
    assert_non_null(strstr(e.msg, "other options"));
    folder_gone(whole.run);
    folder_gone(one.run);
    tuned_close(&whole);
    tuned_close(&one);
    tuned_close(&two);
    tuned_close(&other);
}

static void metrics_forget_what_is_repeated(void **state) {
    (void)state;
    Err e = {0};
    SftResult r;
    Str text;
    Tuned one = tuned_open(NULL);
    SftPlan p = plan_of(&one);
    p.schedule.steps = 12;
    p.save_every = 10;
    must(sft_run(&one.a, &p, &r, &e), &e);
    folder_gone(arena_printf(&one.a, "%s/checkpoint-000012", one.run)); // as if it had been killed before
    Tuned two = tuned_open(one.run);
    p = plan_of(&two);
    p.schedule.steps = 12;
    p.save_every = 10;
    p.resume = true;
    must(sft_run(&two.a, &p, &r, &e), &e);
    must(io_read_file(&one.a, arena_printf(&one.a, "%s/metrics.jsonl", one.run), 1 << 20, &text, &e), &e);
    int lines = 0;
    for (size_t i = 0; i < text.len; i++) lines += text.p[i] == '\n';
    assert_int_equal(lines, 12);
    folder_gone(one.run);
    tuned_close(&one);
    tuned_close(&two);
}

// The gate ends it when every op has enough; a judge that is never content does not.
static void enough_is_enough(void **state) {
    (void)state;
    for (int content = 0; content < 2; content++) {
        Err e = {0};
        SftResult r;
        Tuned t = tuned_open(NULL);
        GateAsk ask[2];
        for (int i = 0; i < 2; i++) {
            const Document *d = &t.documents.group[i].first;
            ask[i] = (GateAsk){t.documents.group[i].name, {(int32_t *)(uintptr_t)d->token, d->prompt}};
        }
        Gate g = {.ask = ask,
                  .asks = 2,
                  .samples = 4,
                  .temperature = {0.3},
                  .temperatures = 1,
                  .max_tokens = 8,
                  .enough = content ? 1.0 : 1.1,
                  .end = 0,
                  .judge = judge,
                  .arg = &t};
        SftPlan p = plan_of(&t);
        p.gate = &g;
        p.gate_every = 10;
        must(sft_run(&t.a, &p, &r, &e), &e);
        assert_int_equal(r.end, content ? SFT_VALID : SFT_DONE);
        assert_true(content ? r.steps < 60 : r.steps == 60);
        assert_int_equal(t.gates, (content ? r.steps / 10 : 6) * 2);
        folder_gone(t.run);
        tuned_close(&t);
    }
}

static void it_ends_when_held_out_documents_say_so(void **state) {
    (void)state;
    Err e = {0};
    SftResult r;
    Tuned t = tuned_open(NULL);
    DocumentReader reader = {t.tokenizer, NULL, 0, 100, NULL, NULL};
    for (int i = 0; i < 20; i++) { // that cannot be learned: each has another answer
        const char *line =
            arena_printf(&t.a, "{\"prompt\":\"?\",\"completion\":\"%d\"}", 7919 * (i + 11) % 9973);
        must(documents_line(&t.a, &reader, str_of(line), &t.documents, &e), &e);
    }
    SftPlan p = plan_of(&t);
    p.schedule.steps = 150;
    p.held = 0.4;
    p.evaluate_every = 2;
    p.patience = 3;
    must(sft_run(&t.a, &p, &r, &e), &e);
    assert_int_equal(r.end, SFT_EARLY);
    assert_true(r.held > 0 && r.documents + r.held == 32 && r.held_loss > 0);
    folder_gone(t.run);
    tuned_close(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_learns_what_it_reads), cmocka_unit_test(it_goes_on_exactly),
        cmocka_unit_test(metrics_forget_what_is_repeated), cmocka_unit_test(enough_is_enough),
        cmocka_unit_test(it_ends_when_held_out_documents_say_so)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
