// The CPU's engine against the float64 reference and against sampling.
#include "model/sample.h"
#include "train/making.h"

typedef struct {
    Arena a;
    Parameters *p;
    const Checkpoint *base;
    Engine *engine;
    Pool *pool;
} Trained;

typedef struct {
    Arch arch;
    int rank, threads;
    KvType kv;
    bool recompute;
} Setup;

static Trained trained_open(const Setup *s) {
    Trained t = {0};
    Err e = {0};
    ModelConfig c = tiny_config(s->arch);
    t.base = make_base(&t.a, &c, 31);
    t.p = parameters_lay(&t.a, &c, s->rank, 3, ALL_ROLES);
    stir(t.p, 32, 0.3);
    t.pool = pool_open(s->threads);
    EngineChoice choice = {t.base, t.p, t.pool, s->kv, s->recompute};
    must(cpu_engine_open(&t.a, &choice, &t.engine, &e), &e);
    return t;
}
static void trained_close(Trained *t) {
    t->engine->table->close(t->engine);
    pool_close(t->pool);
    arena_free(&t->a);
}

static const int LENGTHS[] = {70, 3, 9}; // the first crosses a page of keys and a block of queries

// Whole, and as what is cut into units (test_batch_lanes.c): one of two pieces, and longest not first.
typedef struct {
    const int *length;
    int documents, tokens;
} Row;
static const Row ROWS[] = {{LENGTHS, 3, 82}, {(const int[]){200, 130, 256, 9, 256, 1, 70}, 7, 922}};
static TrainBatch row_batch(Arena *a, const ModelConfig *c, const Row *row) {
    return make_batch(a, c, row->length, row->documents, 2);
}

static void against_reference(const Setup *s, const Row *row) {
    Trained t = trained_open(s);
    Err e = {0};
    TrainBatch b = row_batch(&t.a, &t.p->config, row);
    TrainSums sums = {0};
    must(t.engine->table->learn(t.engine, &b, 1, &sums, &e), &e);
    double *d = NEWN(&t.a, double, t.p->numbers);
    double loss = plain_loss(&(PlainTask){t.p, doubles_of(&t.a, t.p), t.base, &b, d});
    assert_true(fabs(sums.loss - loss) <= 1e-5 * loss);
    assert_int_equal(sums.tokens, row->tokens);
    for (int i = 0; i < t.p->count; i++) {
        const TrainTensor *x = &t.p->tensor[i];
        double off = relative_distance(t.p->gradient + x->at, d + x->at, (size_t)(x->rows * x->cols));
        if (!(off <= 1e-5)) fail_msg("role %d, layer %d: gradient off by %.3g", (int)x->role, x->layer, off);
    }
    trained_close(&t);
}
static void gradients_are_the_references(void **state) {
    (void)state;
    for (int i = 0; i < 8; i++)
        against_reference(&(Setup){i & 1 ? ARCH_QWEN2 : ARCH_LLAMA, i & 2 ? 3 : 0, 1, KV_F32, false},
                          &ROWS[i / 4]);
}

// Threads, and computing again, change no bit.
static void gradients_are_the_same_bits(void **state) {
    (void)state;
    for (int i = 0; i < 12; i++) {
        Err e = {0};
        const int threads[] = {2, 5, 3}, rank = i & 1 ? 3 : 0;
        Trained one = trained_open(&(Setup){ARCH_QWEN2, rank, 1, KV_F16, false});
        Trained more = trained_open(&(Setup){ARCH_QWEN2, rank, threads[i / 4], KV_F16, i / 4 != 1});
        TrainBatch b = row_batch(&one.a, &one.p->config, &ROWS[i >> 1 & 1]);
        TrainSums sums = {0}, again = {0};
        for (int turn = 0; turn < 2; turn++) { // gradients add up
            must(one.engine->table->learn(one.engine, &b, 1, &sums, &e), &e);
            must(more.engine->table->learn(more.engine, &b, 1, &again, &e), &e);
        }
        assert_memory_equal(one.p->gradient, more.p->gradient, one.p->numbers * sizeof(float));
        assert_memory_equal(&sums, &again, sizeof sums);
        trained_close(&one);
        trained_close(&more);
    }
}

// What sampling reports for these tokens, fed one by one and document by document.
static void sampled(const Trained *t, const TrainBatch *b, KvType type, float *out) {
    Err e = {0};
    Kv *kv;
    Arena a = {0};
    int vocab = t->p->config.vocab;
    float *logits = NEWN(&a, float, (size_t)vocab);
    must(kv_open(t->engine->model, type, b->documents, b->count, &kv, &e), &e);
    for (int i = 0; i < b->count; i++) {
        bool want = true;
        ModelStep s = {.token = b->token + i,
                       .seq = b->document + i,
                       .want = &want,
                       .count = 1,
                       .adapter = t->engine->adapter};
        must(model_step(t->engine->model, kv, &s, logits, &e), &e);
        if (b->weight[i] != 0) out[i] = sample_logprob(logits, vocab, b->target[i]);
    }
    kv_close(kv);
    arena_free(&a);
}
static void trained_and_sampled_are_the_same_numbers(void **state) {
    (void)state;
    for (int i = 0; i < 16; i++) {
        Err e = {0};
        KvType type = i & 1 ? KV_F32 : KV_F16;
        Trained t = trained_open(&(Setup){i & 2 ? ARCH_QWEN2 : ARCH_LLAMA, i & 4 ? 3 : 0, 2, type, false});
        TrainBatch b = row_batch(&t.a, &t.p->config, &ROWS[i / 8]);
        float *learned = NEWN(&t.a, float, (size_t)b.count), *said = NEWN(&t.a, float, (size_t)b.count);
        must(t.engine->table->logprobs(t.engine, &b, learned, &e), &e);
        sampled(&t, &b, type, said);
        double most = 0, size = 0;
        for (int k = 0; k < b.count; k++) {
            most = fmax(most, fabs((double)learned[k] - (double)said[k]));
            size += fabs((double)said[k]);
        }
        assert_true(most == 0 && size > 1);
        // The control: keys and values of another type give other numbers.
        sampled(&t, &b, type == KV_F16 ? KV_F32 : KV_F16, said);
        most = 0;
        for (int k = 0; k < b.count; k++) most = fmax(most, fabs((double)learned[k] - (double)said[k]));
        assert_true(most > 0);
        trained_close(&t);
    }
}

// Documents do not see each other: alone, one has the numbers that it has in a row of others.
static void a_document_is_the_same_alone(void **state) {
    (void)state;
    Err e = {0};
    Trained t = trained_open(&(Setup){ARCH_LLAMA, 0, 1, KV_F32, false});
    TrainBatch b = make_batch(&t.a, &t.p->config, LENGTHS, 3, 2);
    float *all = NEWN(&t.a, float, (size_t)b.count), *one = NEWN(&t.a, float, (size_t)b.count);
    must(t.engine->table->logprobs(t.engine, &b, all, &e), &e);
    int none[9] = {0}, from = 73;
    TrainBatch last = {b.token + from, none, b.target + from, b.weight + from, 9, 1};
    must(t.engine->table->logprobs(t.engine, &last, one, &e), &e);
    assert_memory_equal(all + from, one, 9 * sizeof(float));
    trained_close(&t);
}

static void lora_with_b_zero_is_the_base(void **state) {
    (void)state;
    Err e = {0};
    Trained t = trained_open(&(Setup){ARCH_LLAMA, 3, 1, KV_F16, false});
    TrainBatch b = make_batch(&t.a, &t.p->config, LENGTHS, 3, 2);
    float *with = NEWN(&t.a, float, (size_t)b.count), *without = NEWN(&t.a, float, (size_t)b.count);
    must(t.engine->table->logprobs(t.engine, &b, with, &e), &e);
    const Adapter *adapter = t.engine->adapter;
    t.engine->adapter = NULL;
    must(t.engine->table->logprobs(t.engine, &b, without, &e), &e);
    assert_memory_not_equal(with, without, (size_t)b.count * sizeof(float));
    t.engine->adapter = adapter;
    parameters_draw(t.p, 4);
    must(t.engine->table->logprobs(t.engine, &b, with, &e), &e);
    assert_memory_equal(with, without, (size_t)b.count * sizeof(float));
    trained_close(&t);
}

static double pow_of(double x, int n) {
    double y = 1;
    while (n--) y *= x;
    return y;
}

// AdamW as its paper and PyTorch have it, in float64.
static void steps_are_adamw(void **state) {
    (void)state;
    Err e = {0};
    Trained t = trained_open(&(Setup){ARCH_LLAMA, 0, 2, KV_F32, false});
    TrainBatch b = make_batch(&t.a, &t.p->config, LENGTHS, 3, 2);
    Parameters *p = t.p;
    double *x = doubles_of(&t.a, p), *m = NEWN(&t.a, double, p->numbers), *v = NEWN(&t.a, double, p->numbers);
    for (int step = 1; step <= 10; step++) {
        TrainSums sums = {0};
        double norm, sum = 0;
        must(t.engine->table->learn(t.engine, &b, 0.1f, &sums, &e), &e);
        float *g = NEWN(&t.a, float, p->numbers);
        memcpy(g, p->gradient, p->numbers * sizeof *g);
        for (size_t i = 0; i < p->numbers; i++) sum += (double)g[i] * (double)g[i];
        TrainUpdate u = {
            .rate = 1e-2, .beta1 = 0.9, .beta2 = 0.95, .eps = 1e-8, .decay = 0.1, .clip = 0.5, .step = step};
        must(t.engine->table->update(t.engine, &u, &norm, &e), &e);
        assert_true(fabs(norm - sqrt(sum)) < 1e-9 * norm && norm > 0.5);
        for (int i = 0; i < p->count; i++) {
            const TrainTensor *w = &p->tensor[i];
            for (size_t k = w->at; k < w->at + (size_t)(w->rows * w->cols); k++) {
                double d = (double)g[k] * 0.5 / (norm + 1e-6);
                m[k] = 0.9 * m[k] + 0.1 * d;
                v[k] = 0.95 * v[k] + 0.05 * d * d;
                double root = sqrt(v[k] / (1 - pow_of(0.95, step))) + 1e-8;
                x[k] = x[k] * (w->decays ? 1 - 1e-3 : 1) - 1e-2 * m[k] / (1 - pow_of(0.9, step)) / root;
            }
        }
        assert_true(relative_distance(p->value, x, p->numbers) < 2e-6);
        for (size_t i = 0; i < p->numbers; i++) assert_true(p->gradient[i] == 0);
    }
    trained_close(&t);
}

static void what_cannot_be_is_refused(void **state) {
    (void)state;
    Err e = {0};
    TrainSums sums = {0};
    double norm;
    Trained t = trained_open(&(Setup){ARCH_LLAMA, 0, 1, KV_F32, false});
    TrainBatch b = make_batch(&t.a, &t.p->config, LENGTHS, 3, 2);
    int32_t wrong[82];
    memcpy(wrong, b.token, sizeof wrong);
    wrong[5] = t.p->config.vocab;
    TrainBatch bad = b;
    bad.token = wrong;
    assert_false(t.engine->table->learn(t.engine, &bad, 1, &sums, &e));
    assert_non_null(strstr(e.msg, "vocabulary of 23"));
    e = (Err){0};
    t.p->gradient[3] = NAN;
    float was = t.p->value[3];
    assert_false(t.engine->table->update(
        t.engine, &(TrainUpdate){.rate = 1, .beta1 = 0.9, .beta2 = 0.9, .step = 1}, &norm, &e));
    assert_non_null(strstr(e.msg, "diverged"));
    assert_true(t.p->value[3] == was);
    trained_close(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(gradients_are_the_references),
                                       cmocka_unit_test(gradients_are_the_same_bits),
                                       cmocka_unit_test(trained_and_sampled_are_the_same_numbers),
                                       cmocka_unit_test(a_document_is_the_same_alone),
                                       cmocka_unit_test(lora_with_b_zero_is_the_base),
                                       cmocka_unit_test(steps_are_adamw),
                                       cmocka_unit_test(what_cannot_be_is_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
